//! Meshes as CAD systems export them: patches that do not share corners, cracks between them, corners in the middle of others' edges.

use glam::DVec3;
use prall_geometry::PolygonSoup;
use std::collections::HashMap;

/// Patches of this size in m have corners of their own.
const PATCH: f64 = 0.1;
/// Patches are off by up to this in m, so that there are cracks between them, and overlaps.
const CRACK: f64 = 8e-6;
/// One in so many triangles is cut in two at an edge that its neighbour does not cut.
const CUT_EVERY: usize = 23;

/// A soup of triangles with the flaws of an export, and not a triangle less.
pub(super) fn as_exported(soup: &PolygonSoup, seed: u64) -> PolygonSoup {
    let mut exported = PolygonSoup::new();
    let mut corners: HashMap<([i64; 3], u32), u32> = HashMap::new();
    for (number, face) in soup.faces().enumerate() {
        let places = [0, 1, 2].map(|k| soup.positions()[face[k] as usize]);
        let patch = ((places[0] + places[1] + places[2]) / (3.0 * PATCH)).floor();
        let patch = [patch.x as i64, patch.y as i64, patch.z as i64];
        let off = shift(patch, seed);
        let mut corner = |k: usize| {
            *corners.entry((patch, face[k])).or_insert_with(|| push(&mut exported, places[k] + off))
        };
        let [a, b, c] = [corner(0), corner(1), corner(2)];
        let faces = if number % CUT_EVERY == 0 {
            let middle = push(&mut exported, 0.5 * (places[0] + places[1]) + off);
            vec![[a, middle, c], [middle, b, c]]
        } else {
            vec![[a, b, c]]
        };
        for face in faces {
            exported.push_face(&face).expect("corners were pushed");
        }
    }
    exported
}

fn push(soup: &mut PolygonSoup, place: DVec3) -> u32 {
    soup.push_position(place).expect("generated places are finite")
}

/// A shift that a patch always has.
fn shift(patch: [i64; 3], seed: u64) -> DVec3 {
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    let mut next = |value: i64| {
        state = (state ^ value as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 29;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    DVec3::new(next(patch[0]), next(patch[1]), next(patch[2])) * (CRACK / 3.0_f64.sqrt())
}

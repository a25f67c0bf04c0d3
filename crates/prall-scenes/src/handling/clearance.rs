//! How near the part in hand is to everything else, and where.

use crate::{Frame, LineRole, Overlay, OverlayItem, OverlayKind, OverlayLabel};
use glam::DVec3;
use prall_detection::{
    ContactPoint, DistanceOptions, Hierarchy, Workspace, all_near, distance, triangle_distance,
};
use prall_geometry::{Mesh, Shape};
use prall_math::Pose;

/// A clearance is marked on the part up to this share of its radius of gyration, and its nearest distance is told up to this multiple of it.
const MARKED: f64 = 0.2;
const TOLD: f64 = 4.0;
/// Clearances in m below which a mark has the colours of danger and of warning.
const TIGHT: [(f64, LineRole); 2] = [(1e-4, LineRole::Danger), (1e-3, LineRole::Warn)];
/// Pairs of triangles that are looked at for a picture, and marks in it: the smallest clearances first.
const PAIRS: usize = 6_000;
const MARKS: usize = 240;

/// Something with triangles, somewhere.
pub(super) struct Placed<'a> {
    pub(super) name: &'a str,
    pub(super) shape: &'a Shape,
    pub(super) tree: &'a Hierarchy,
    pub(super) pose: Pose,
}

impl Placed<'_> {
    fn mesh(&self) -> &Mesh {
        let Shape::TriangleMesh(mesh) = self.shape else { unreachable!("definitions are made of meshes") };
        mesh.mesh()
    }

    fn triangle(&self, index: u32) -> [DVec3; 3] {
        let mesh = self.mesh();
        mesh.triangles()[index as usize].map(|i| self.pose.transform_point(mesh.positions()[i as usize]))
    }
}

/// The nearest points of a part and of what stands around it, and which of that it is.
pub(super) fn nearest(part: &Placed, around: &[Placed], within: f64) -> Option<(ContactPoint, usize)> {
    let mut workspace = Workspace::new();
    let mut best: Option<(ContactPoint, usize)> = None;
    for (index, other) in around.iter().enumerate() {
        let within = best.as_ref().map_or(within, |(near, _)| near.gap);
        let options = DistanceOptions { within, ..DistanceOptions::default() };
        let near = distance(part.tree, &part.pose, other.tree, &other.pose, &options, &mut workspace);
        // Poses of a running scene are placements; what is not is not near anything.
        if let Ok(Some(near)) = near
            && best.as_ref().is_none_or(|(known, _)| near.gap < known.gap)
        {
            best = Some((near, index));
        }
    }
    best
}

/// Of every triangle of the part that is within reach of something: the place on it that is nearest, and its clearance in m.
fn marks(part: &Placed, around: &[Placed], reach: f64) -> Vec<(DVec3, f64)> {
    let mut workspace = Workspace::new();
    let mut least: Vec<Option<(DVec3, f64)>> = vec![None; part.mesh().triangles().len()];
    let mut left = PAIRS;
    for other in around {
        let look = |own: u32, its: u32| {
            left -= 1;
            let near = triangle_distance(&part.triangle(own), &other.triangle(its));
            let (gap, known) = (near.distance(), &mut least[own as usize]);
            if gap <= reach && known.is_none_or(|(_, least)| gap < least) {
                *known = Some((near.on_a, gap));
            }
            left > 0
        };
        if all_near(part.tree, &part.pose, other.tree, &other.pose, reach, &mut workspace, look).is_err()
            || left == 0
        {
            break;
        }
    }
    let mut marks: Vec<(DVec3, f64)> = least.into_iter().flatten().collect();
    marks.sort_by(|a, b| a.1.total_cmp(&b.1));
    marks.truncate(MARKS);
    marks
}

/// Draws the nearest distance with its line, and clearances as colours on the part.
pub(super) fn draw(frame: &mut Frame, part: &Placed, around: &[Placed], gyration: f64) {
    for (at, gap) in marks(part, around, MARKED * gyration) {
        let role = TIGHT.iter().find(|(limit, _)| gap < *limit).map_or(LineRole::Accent, |(_, role)| *role);
        let value = f64::from(role as u8);
        frame.overlays.push(OverlayItem { kind: OverlayKind::Point, from: at, to: at, value });
    }
    let Some((near, other)) = nearest(part, around, TOLD * gyration) else { return };
    let value = f64::from(LineRole::Ink as u8);
    frame.overlays.push(OverlayItem { kind: OverlayKind::Line, from: near.on_a, to: near.on_b, value });
    if !frame.wanted.has(Overlay::Labels) {
        return;
    }
    let text = format!("{} to {}", length(near.gap), around[other].name);
    frame.labels.push(OverlayLabel { at: near.midpoint(), text });
}

/// A length for people.
fn length(metres: f64) -> String {
    match metres {
        m if m < 1e-4 => format!("{:.0} µm", 1e6 * m),
        m if m < 0.1 => format!("{:.2} mm", 1e3 * m),
        m => format!("{m:.2} m"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::definitions::{at, cuboid};
    use super::*;
    use prall_detection::BuildOptions;

    fn tree(shape: &Shape) -> Hierarchy {
        let Shape::TriangleMesh(mesh) = shape else { unreachable!() };
        Hierarchy::of_mesh(mesh.mesh(), &BuildOptions::default()).unwrap()
    }

    /// A block of 100 mm between a wall 0.5 mm to its right and a floor 40 um below it.
    #[test]
    fn the_nearest_thing_is_named_with_its_distance_and_tight_places_are_marked() {
        let (block, plate) = (cuboid(DVec3::splat(0.1)), cuboid(DVec3::new(0.02, 0.3, 0.3)));
        let (block_tree, plate_tree) = (tree(&block), tree(&plate));
        let part = Placed { name: "block", shape: &block, tree: &block_tree, pose: Pose::IDENTITY };
        let upright = |name, x| Placed { name, shape: &plate, tree: &plate_tree, pose: at(x, 0.0, 0.0) };
        let floor_pose = Pose::new(
            glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
            DVec3::new(0.0, -0.06 - 40e-6, 0.0),
        );
        let floor = Placed { name: "floor", shape: &plate, tree: &plate_tree, pose: floor_pose };
        let around = [upright("right wall", 0.0605), upright("left wall", -0.2), floor];
        let wanted = crate::OverlaySelection::new(&[Overlay::Labels], 0);
        let mut frame = Frame { wanted, ..Frame::default() };
        draw(&mut frame, &part, &around, 0.05);
        assert_eq!(frame.labels[0].text, "40 µm to floor");
        let of = |kind: OverlayKind, role: LineRole| {
            let all = frame.overlays.iter();
            all.filter(move |item| item.kind == kind && item.value == f64::from(role as u8))
                .collect::<Vec<_>>()
        };
        let line = of(OverlayKind::Line, LineRole::Ink)[0];
        assert!((line.from.distance(line.to) - 40e-6).abs() < 1e-9, "{line:?}");
        let danger = of(OverlayKind::Point, LineRole::Danger);
        assert!(!danger.is_empty() && danger.iter().all(|item| (item.from.y + 0.05).abs() < 1e-9));
        let warn = of(OverlayKind::Point, LineRole::Warn);
        assert!(!warn.is_empty() && warn.iter().all(|item| (item.from.x - 0.05).abs() < 1e-9), "{warn:?}");
        // The left wall is beyond what is marked: 140 mm away.
        assert!(frame.overlays.iter().all(|item| item.from.x > -0.0501));
    }
}

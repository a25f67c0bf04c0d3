//! A drawer or a car radio pushed askew: does it jam? An independent calculation in the plane, by trying every kind of contact.
//!
//! A plate of width w and length l, turned by an angle, is in a slot of width w + c as deep as it can be: its rear corner touches one wall, and the mouth's edge of the other wall touches its side. A hand pushes it
//! along the slot and does not hold its orientation. With x across and z out of the slot, the velocity v = (x, z, turn) nearest to the push u in
//! the metric M obeys
//! ```text
//! M (v - u) = sum p_i (n_i + mu s_i t_i) G_i,   p_i >= 0,  normal velocity 0,  s_i against the slip, or v = 0 with |f_i| <= mu p_i
//! ```

use glam::DVec3;

/// Rows of a contact at (x, z): velocity along a direction (x, z).
fn row(at: [f64; 2], along: [f64; 2]) -> DVec3 {
    // A turn by w about y moves (x, z) by w (z, -x).
    DVec3::new(along[0], along[1], at[1] * along[0] - at[0] * along[1])
}

struct Slot {
    /// Places of the contacts from the middle of the plate, and the directions that push the plate.
    contacts: [[f64; 2]; 2],
    normals: [[f64; 2]; 2],
    /// 1, 1, squared radius of gyration.
    metric: DVec3,
}

/// The radio of the gallery: 178 mm wide, 160 mm long, 0.3 mm of clearance.
const WIDTH: f64 = 0.178;
const LENGTH: f64 = 0.16;
const CLEARANCE: f64 = 3e-4;

/// How deep it is when both walls touch: w cos a + depth sin a = w + c.
fn depth(angle: f64) -> f64 {
    (WIDTH + CLEARANCE - WIDTH * libm::cos(angle)) / libm::sin(angle)
}

fn slot(angle: f64) -> Slot {
    let (cos, sin) = (libm::cos(angle), libm::sin(angle));
    let turned = |x: f64, z: f64| [cos * x + sin * z, cos * z - sin * x];
    // Its left rear corner at the left wall, which pushes along x; its right side at the mouth's edge, which pushes across the side.
    let corner = turned(-0.5 * WIDTH, -0.5 * LENGTH);
    let edge = turned(0.5 * WIDTH, -0.5 * LENGTH + depth(angle));
    let gyration = (WIDTH * WIDTH + LENGTH * LENGTH) / 12.0;
    Slot {
        contacts: [corner, edge],
        normals: [[1.0, 0.0], turned(-1.0, 0.0)],
        metric: DVec3::new(1.0, 1.0, gyration),
    }
}

const PUSH: DVec3 = DVec3::new(0.0, -1.0, 0.0);

impl Slot {
    fn rows(&self) -> [(DVec3, DVec3); 2] {
        std::array::from_fn(|i| {
            let n = self.normals[i];
            (row(self.contacts[i], n), row(self.contacts[i], [-n[1], n[0]]))
        })
    }

    /// The motion that slides at both contacts, if it is consistent: pressed, and each friction against its slip.
    fn sliding(&self, friction: f64) -> Option<DVec3> {
        let rows = self.rows();
        for signs in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
            let force = |i: usize| rows[i].0 + rows[i].1 * (friction * signs[i]);
            let response = |i: usize| force(i) / self.metric;
            let (a, b) = (rows[0].0.dot(response(0)), rows[0].0.dot(response(1)));
            let (c, d) = (rows[1].0.dot(response(0)), rows[1].0.dot(response(1)));
            let (e, f) = (-rows[0].0.dot(PUSH), -rows[1].0.dot(PUSH));
            let determinant = a * d - b * c;
            let (p, q) = ((e * d - b * f) / determinant, (a * f - e * c) / determinant);
            let v = PUSH + response(0) * p + response(1) * q;
            let against = (0..2).all(|i| rows[i].1.dot(v) * signs[i] <= 0.0);
            if p >= 0.0 && q >= 0.0 && against {
                return Some(v);
            }
        }
        None
    }

    /// True if forces within both cones balance the push: it may stand. Cones of two edges each; every triple of edges is tried.
    fn can_stand(&self, friction: f64) -> bool {
        let edges: Vec<DVec3> =
            self.rows().iter().flat_map(|(n, t)| [*n + *t * friction, *n - *t * friction]).collect();
        let load = -PUSH * self.metric;
        (0..4).any(|left_out| {
            let kept: Vec<DVec3> = (0..4).filter(|i| *i != left_out).map(|i| edges[i]).collect();
            let volume = kept[0].dot(kept[1].cross(kept[2]));
            let shares = [
                load.dot(kept[1].cross(kept[2])),
                load.dot(kept[2].cross(kept[0])),
                load.dot(kept[0].cross(kept[1])),
            ];
            shares.iter().all(|share| share / volume >= -1e-12)
        })
    }
}

/// At mu = 0.4 a radio 3 degrees askew may stand, because two opposite points hold each other: it is in by 10 mm, less than mu times its width. It may as well go
/// on: the sliding motion obeys Coulomb's law at both points too. A hand that presses from no load finds the second, as the filter does.
#[test]
fn an_askew_radio_may_jam_and_may_as_well_go_in_at_friction_0_4() {
    let slot = slot(3.0_f64.to_radians());
    let deep = depth(3.0_f64.to_radians());
    assert!(deep > 0.0 && deep < 0.4 * WIDTH, "{deep}");
    assert!(slot.can_stand(0.4));
    let v = slot.sliding(0.4).expect("a motion that obeys Coulomb's law at both points");
    // In, and upright: a positive turn is what it was askew by.
    assert!(v.y < -0.01 && v.z < -0.1, "{v}");
}

/// With little friction it cannot stand.
#[test]
fn an_askew_radio_cannot_jam_with_little_friction() {
    let slot = slot(3.0_f64.to_radians());
    let moved = slot.sliding(0.02).expect("a motion");
    assert!(!slot.can_stand(0.02) && moved.y < -0.01, "{moved}");
}

//! Boxes with rotations of integers, against separating axes in rational numbers.

use dashu::integer::IBig;
use dashu::rational::RBig;
use glam::{DQuat, DVec3};
use prall_math::Pose;

use crate::{ROUNDING, audit, cuboid};

type Vector = [RBig; 3];

fn dot(a: &Vector, b: &Vector) -> RBig {
    (0..3).fold(RBig::ZERO, |sum, k| sum + &a[k] * &b[k])
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|k| &a[(k + 1) % 3] * &b[(k + 2) % 3] - &a[(k + 2) % 3] * &b[(k + 1) % 3])
}

/// A box by its centre and its three half edges, all rational.
struct ExactBox {
    centre: Vector,
    half_edges: [Vector; 3],
}

impl ExactBox {
    /// Lengths in 64ths of a metre; the quaternion need not have unit length.
    fn new([w, x, y, z]: [i64; 4], centre: [i64; 3], half: [i64; 3]) -> ExactBox {
        let r = |n: i64| RBig::from(IBig::from(n));
        let norm = r(w * w + x * x + y * y + z * z);
        let axes = [
            [w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)],
            [2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)],
            [2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z],
        ];
        let length = |n: i64| r(n) / r(64);
        ExactBox {
            centre: centre.map(length),
            half_edges: [0, 1, 2].map(|k| axes[k].map(|entry| r(entry) / &norm * length(half[k]))),
        }
    }

    fn reach(&self, axis: &Vector) -> RBig {
        self.half_edges.iter().fold(RBig::ZERO, |sum, edge| {
            let along = dot(edge, axis);
            sum + if along < RBig::ZERO { -along } else { along }
        })
    }
}

/// Square of the depth; none if the boxes do not overlap.
fn depth_squared(a: &ExactBox, b: &ExactBox) -> Option<RBig> {
    let away: Vector = [0, 1, 2].map(|k| &a.centre[k] - &b.centre[k]);
    let crossed = a.half_edges.iter().flat_map(|e| b.half_edges.iter().map(move |f| cross(e, f)));
    let axes = a.half_edges.iter().chain(&b.half_edges).cloned().chain(crossed);
    let mut least: Option<RBig> = None;
    for axis in axes {
        let squared = dot(&axis, &axis);
        if squared == RBig::ZERO {
            continue;
        }
        let along = dot(&away, &axis);
        let along = if along < RBig::ZERO { -along } else { along };
        let overlap = a.reach(&axis) + b.reach(&axis) - along;
        if overlap <= RBig::ZERO {
            return None;
        }
        let depth = &overlap * &overlap / squared;
        if least.as_ref().is_none_or(|known| depth < *known) {
            least = Some(depth);
        }
    }
    least
}

#[test]
fn boxes_are_as_deep_as_rational_numbers_say() {
    let mut state = 7_u64;
    let mut integer = |low: i64, high: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + ((state >> 33) as i64) % (high - low + 1)
    };
    let mut overlapping = 0;
    for _ in 0..600 {
        let mut random = || {
            // Many boxes are turned by right angles or not at all, so that edges and faces are parallel.
            let quaternion = loop {
                let q = [integer(-2, 2), integer(-2, 2), integer(-2, 2), integer(-2, 2)];
                if q != [0; 4] {
                    break q;
                }
            };
            let centre = [integer(-48, 48), integer(-48, 48), integer(-48, 48)];
            (quaternion, centre, [integer(8, 40), integer(8, 40), integer(8, 40)])
        };
        let ((p, c, h), (q, d, i)) = (random(), random());
        let exact = depth_squared(&ExactBox::new(p, c, h), &ExactBox::new(q, d, i));
        let pose = |[w, x, y, z]: [i64; 4], centre: [i64; 3]| {
            let rotation = DQuat::from_xyzw(x as f64, y as f64, z as f64, w as f64).normalize();
            Pose::new(rotation, DVec3::from_array(centre.map(|n| n as f64)) / 64.0)
        };
        let shape = |half: [i64; 3]| {
            let [x, y, z] = half.map(|n| n as f64 / 64.0);
            cuboid(x, y, z)
        };
        let found = audit(&shape(h), pose(p, c), &shape(i), pose(q, d)).penetration_max;
        let expected = exact.as_ref().map_or(0.0, |squared| squared.to_f64().value().sqrt());
        assert!((found - expected).abs() < ROUNDING, "{found} instead of {expected}");
        overlapping += u32::from(exact.is_some());
    }
    assert!(overlapping > 150 && overlapping < 550, "{overlapping}");
}

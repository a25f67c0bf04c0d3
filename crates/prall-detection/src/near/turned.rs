//! Cylinders and cones: their rims, sides, caps and apexes, and the gaps of these to corners, edges and planes in closed form.
//!
//! In the frame of a turned body the signed distance of a point from its side is `rho cos + y sin - k`, where `rho` and `y` are the distance
//! from the axis and the height along it; a cylinder has `sin = 0` and `k = radius`. A rim is a circle: over a plane with the unit normal m its lowest
//! point is `c - r (m - (m.a) a) / s` with `s = |m - (m.a) a|`, so that its height is `m.(c - x) - r s` however the body rolls. Where a rim crosses
//! an edge along u, its tangent t and the way w from the edge to it fulfil `t.w = 0`, which Newton's method solves.

use glam::DVec3;
use prall_geometry::Shape;
use prall_math::{Norm, Pose};

use crate::norm::unit;

/// Points of a rim that are held over a plane that the rim is nearly parallel to.
pub(super) const RIM_POINTS: u32 = 16;
/// Numbers of the features of a piece: rims (and caps) first, then side and apex, then points of rims.
const SIDE: u32 = 2;
const APEX: u32 = 3;
const POINTS: u32 = 16;
pub(super) const NUMBERS: u32 = 64;
/// Steps of Newton's method for the crossing of a rim and an edge; they converge quadratically.
const NEWTON_STEPS: usize = 8;

/// A circle at the end of a side, with the flat cap that it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rim {
    pub(super) centre: DVec3,
    /// Unit, out of the body through the cap.
    pub(super) axis: DVec3,
    pub(super) radius: f64,
    /// Component along the axis of the side's normal: normals at the rim have more.
    pub(super) side_slope: f64,
    pub(super) number: u32,
}

/// The curved side: points are `rho cos + y sin - k` from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) centre: DVec3,
    /// Unit.
    pub(super) axis: DVec3,
    pub(super) sin: f64,
    pub(super) k: f64,
    pub(super) half_height: f64,
    pub(super) number: u32,
}

/// A cylinder or a cone in its body's frame.
#[derive(Clone, Debug)]
pub(super) struct Turned {
    pub(super) shape: Shape,
    pub(super) pose: Pose,
    pub(super) rims: Vec<Rim>,
    pub(super) side: Side,
    /// With its number.
    pub(super) apex: Option<(DVec3, u32)>,
    /// Radius of a sphere about the piece's origin.
    pub(super) radius: f64,
}

impl Turned {
    /// `None` for other shapes. `number` makes the names of several pieces of a body different.
    pub(super) fn new(shape: &Shape, pose: &Pose, number: u32) -> Option<Turned> {
        let first = number * NUMBERS;
        let up = pose.transform_vector(DVec3::Y);
        let (half, radius, sin, k, apex) = match shape {
            Shape::Cylinder(s) => (s.half_height(), s.radius(), 0.0, s.radius(), None),
            Shape::Cone(s) => {
                let (half, radius) = (s.half_height(), s.radius());
                let sin = radius / DVec3::new(2.0 * half, radius, 0.0).norm();
                let apex = (pose.translation + up * half, first + APEX);
                (half, radius, sin, half * sin, Some(apex))
            }
            _ => return None,
        };
        let rim = |end: f64, number: u32| Rim {
            centre: pose.translation + up * (end * half),
            axis: up * end,
            radius,
            side_slope: end * sin,
            number: first + number,
        };
        let mut rims = vec![rim(-1.0, 0)];
        if apex.is_none() {
            rims.push(rim(1.0, 1));
        }
        let centre = pose.translation;
        Some(Turned {
            shape: shape.clone(),
            pose: *pose,
            rims,
            side: Side { centre, axis: up, sin, k, half_height: half, number: first + SIDE },
            apex,
            radius: DVec3::new(half, radius, 0.0).norm(),
        })
    }
}

impl Rim {
    /// True if the body can be touched at the rim by something with this outward normal, within the slack.
    pub(super) fn can_be_touched(&self, outward: DVec3, slack: f64) -> bool {
        outward.dot(self.axis) >= self.side_slope - slack
    }

    /// The rim as a feature stores it.
    pub(super) fn stored(&self) -> [DVec3; 3] {
        [self.centre, self.axis, DVec3::X * self.radius]
    }

    /// Points of the rim at even angles, fixed to the body, with the tangents there and numbers.
    pub(super) fn points(&self) -> impl Iterator<Item = (DVec3, DVec3, u32)> + '_ {
        let one = self.axis.any_orthonormal_vector();
        let two = self.axis.cross(one);
        (0..RIM_POINTS).map(move |k| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(RIM_POINTS);
            let (sin, cos) = libm::sincos(angle);
            let number = self.number + POINTS + (self.number & 1) * (RIM_POINTS - 1) + k;
            (self.centre + (one * cos + two * sin) * self.radius, two * cos - one * sin, number)
        })
    }
}

impl Side {
    pub(super) fn stored(&self) -> [DVec3; 3] {
        [self.centre, self.axis, DVec3::new(self.sin, self.k, self.half_height)]
    }
}

/// Nearest points of a turned body and of the core of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// Distance of the cores along the normal, in metres.
    pub(super) height: f64,
    /// Unit, from the other body to the turned one.
    pub(super) normal: DVec3,
    pub(super) on_turned: DVec3,
    pub(super) on_other: DVec3,
    pub(super) on_features: bool,
}

/// The lowest point of a rim over a plane.
pub(super) fn rim_over_plane([centre, axis, size]: [DVec3; 3], point: DVec3, normal: DVec3) -> Meeting {
    let across = normal - axis * normal.dot(axis);
    let outward = unit(across).unwrap_or_else(|| axis.any_orthonormal_vector());
    let lowest = centre - outward * size.x;
    let height = normal.dot(lowest - point);
    let on_other = lowest - normal * height;
    Meeting { height, normal, on_turned: lowest, on_other, on_features: true }
}

/// A point beside the side.
pub(super) fn side_and_point([centre, axis, numbers]: [DVec3; 3], point: DVec3) -> Meeting {
    let [sin, k, half] = numbers.to_array();
    let cos = (1.0 - sin * sin).max(0.0).sqrt();
    let apart = point - centre;
    let along = axis.dot(apart);
    let across = apart - axis * along;
    let radial = unit(across).unwrap_or_else(|| axis.any_orthonormal_vector());
    let height = across.norm() * cos + along * sin - k;
    let outward = radial * cos + axis * sin;
    let foot = along - sin * height;
    Meeting {
        height,
        normal: -outward,
        on_turned: point - outward * height,
        on_other: point,
        on_features: foot.abs() <= half * (1.0 + 1e-6),
    }
}

/// The place on an edge, as a share of it, where it is nearest to the side; none if it runs along the side.
pub(super) fn nearest_to_side(
    [centre, axis, numbers]: [DVec3; 3],
    [from, to]: [DVec3; 2],
    parallel: f64,
) -> Option<f64> {
    let sin = numbers.x;
    let cos = (1.0 - sin * sin).max(0.0).sqrt();
    let (along, apart) = (to - from, from - centre);
    let rise = axis.dot(along);
    let across = along - axis * rise;
    let start = apart - axis * axis.dot(apart);
    let squared = across.length_squared();
    if !(squared > parallel * parallel * along.length_squared()) {
        return None;
    }
    let middle = -start.dot(across) / squared;
    let length = squared.sqrt();
    // d/ds (cos sqrt(d^2 + x^2) + sin rise s) = 0 with x = length (s - middle)
    let slope = -sin * rise / (length * cos);
    let least = (start + across * middle).norm();
    (slope.abs() < 0.99).then(|| middle + slope * least / ((1.0 - slope * slope).sqrt() * length))
}

/// A rim and an edge that cross near `hint`; `side` is about the normal.
pub(super) fn rim_and_edge(
    [centre, axis, size]: [DVec3; 3],
    [from, to]: [DVec3; 2],
    hint: DVec3,
    side: DVec3,
) -> Option<Meeting> {
    let radius = size.x;
    let length = (to - from).norm();
    let along = unit(to - from)?;
    let toward = hint - centre;
    let one = unit(toward - axis * axis.dot(toward))?;
    let two = axis.cross(one);
    let mut angle = 0.0_f64;
    let at = |angle: f64| {
        let (sin, cos) = libm::sincos(angle);
        let radial = one * cos + two * sin;
        (centre + radial * radius, radial, two * cos - one * sin)
    };
    for _ in 0..NEWTON_STEPS {
        let (point, radial, tangent) = at(angle);
        let apart = point - from;
        let across = apart - along * along.dot(apart);
        let lean = tangent.dot(along);
        let slope = radius * (1.0 - lean * lean) - radial.dot(across);
        if !(slope > 1e-3 * radius) {
            return None;
        }
        let change = (-tangent.dot(across) / slope).clamp(-0.5, 0.5);
        angle += change;
        if change.abs() <= 1e-15 {
            break;
        }
    }
    let (point, _, tangent) = at(angle);
    let normal = unit(tangent.cross(along))?;
    let normal = if normal.dot(side) < 0.0 { -normal } else { normal };
    let apart = point - from;
    let share = along.dot(apart) / length;
    let height = normal.dot(apart);
    Some(Meeting {
        height,
        normal,
        on_turned: point,
        on_other: point - normal * height,
        on_features: (-1e-6..=1.0 + 1e-6).contains(&share) && angle.abs() < 1.5,
    })
}

/// A rim and a point that is not on it.
pub(super) fn rim_and_point([centre, axis, size]: [DVec3; 3], point: DVec3) -> Option<Meeting> {
    let toward = point - centre;
    let radial = unit(toward - axis * axis.dot(toward))?;
    let on_rim = centre + radial * size.x;
    let normal = unit(on_rim - point)?;
    let height = normal.dot(on_rim - point);
    Some(Meeting { height, normal, on_turned: on_rim, on_other: point, on_features: true })
}

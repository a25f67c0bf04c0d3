//! [`swept_box`]: the box that a moving thing is entered with.

use glam::DVec3;
use prall_geometry::Aabb;
use prall_math::{Motion, Norm, Pose, UniformMotion};

use crate::IndexError;

/// Motions without constant velocities are covered by this many pieces.
///
/// Between the middles of pieces nothing goes farther than the motion's bound for half a piece; twice as many
/// halve the excess and double the cost.
const PIECES: u32 = 8;

/// Relative rounding of a box turned by a pose: a quaternion product, a row of the matrix, a sum of three.
const BOX_ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Which box stands for a moving thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SweptBox {
    /// The box at the end of the motion: for static tests, which say nothing about the way there.
    Target,
    /// The box around start and end, grown by what the way between leaves it by: close for motions that mainly go
    /// straight.
    #[default]
    StartAndEnd,
    /// The box at the start, grown on all sides by the farthest that any point gets: the cheapest, for small
    /// motions.
    MotionLength,
}

/// A box along the axes that encloses `local`, given in body coordinates, wherever `motion` carries it.
///
/// Guarantee for `StartAndEnd` and `MotionLength`: every point of `local` is inside at every t in [0, 1], rounding
/// of `motion.pose(t).transform_point(x)` included. (Eckstein's boxes of the same names are not safe for turning
/// bodies: a rod of length L that turns by 90 degrees about its end leaves the box around start and end by 0.29 L.)
/// For `Target` that holds at t = 1. A box without bounds in some direction keeps its other bounds only at rest.
pub fn swept_box(local: &Aabb, motion: &Motion, kind: SweptBox) -> Result<Aabb, IndexError> {
    let Aabb { min, max } = *local;
    if !min.cmple(max).all() {
        return Err(IndexError::BadBox { min, max });
    }
    if !(min.is_finite() && max.is_finite()) {
        let rests = motion.is_still() || kind == SweptBox::Target;
        return Ok(if rests { placed_unbounded(local, &motion.end()) } else { Aabb::EVERYTHING });
    }
    let radius = min.abs().max(max.abs()).norm();
    let rounding = motion.rounding(radius);
    let covered = match kind {
        SweptBox::Target => placed(local, &motion.end()),
        _ if motion.is_still() => placed(local, &motion.start()),
        SweptBox::MotionLength => {
            placed(local, &motion.start()).grown(motion.displacement_bound(radius, 0.0, 1.0))
        }
        SweptBox::StartAndEnd => match motion.as_uniform() {
            Some(uniform) => {
                let ends = placed(local, &motion.start()).union(&placed(local, &motion.end()));
                ends.grown(bulge(local, uniform))
            }
            None => in_pieces(local, motion, radius),
        },
    };
    Ok(covered.grown(rounding))
}

/// How far the path of a point of the box leaves the straight line between its ends.
///
/// A path with second derivative x'' leaves its chord `(1 - t) x(0) + t x(1)` by at most `max |x''| / 8`. Here
/// `|x''| = angle^2 rho`, rho the distance from the axis. Both path and chord stay within rho of the axis, which moves
/// straight: hence never more than 2 rho. rho is a convex function of the point, largest at a corner.
fn bulge(local: &Aabb, uniform: &UniformMotion) -> f64 {
    let axis = uniform.start.inverse_transform_vector(uniform.axis);
    let rho = local.corners().into_iter().map(|corner| (corner - uniform.reference).cross(axis).norm());
    let rho = rho.fold(0.0, f64::max) * (1.0 + BOX_ROUNDING);
    rho * (0.125 * uniform.angle * uniform.angle).min(2.0)
}

/// Boxes at the middles of equal pieces of time, each grown by how far its piece of motion reaches.
fn in_pieces(local: &Aabb, motion: &Motion, radius: f64) -> Aabb {
    let time = |i: u32| f64::from(i) / f64::from(2 * PIECES);
    let piece = |i: u32| {
        let (from, middle, to) = (time(2 * i), time(2 * i + 1), time(2 * i + 2));
        let reach = motion.displacement_bound(radius, middle, from);
        placed(local, &motion.pose(middle)).grown(reach.max(motion.displacement_bound(radius, middle, to)))
    };
    (1..PIECES).fold(piece(0), |covered, i| covered.union(&piece(i)))
}

/// As [`placed`], for a box with infinite bounds: a coordinate stays bounded if only bounded ones enter it.
fn placed_unbounded(local: &Aabb, pose: &Pose) -> Aabb {
    let rotation = pose.rotation_matrix();
    let (mut min, mut max) = (pose.translation, pose.translation);
    let mut size = pose.translation.norm();
    for body_axis in 0..3 {
        let (lower, upper) = (local.min[body_axis], local.max[body_axis]);
        size +=
            [lower, upper].into_iter().filter(|bound| bound.is_finite()).fold(0.0, |sum, b| sum + b.abs());
        for axis in 0..3 {
            let factor = rotation.col(body_axis)[axis];
            // Zero times infinity is not zero in floating point.
            if factor != 0.0 {
                min[axis] += (factor * lower).min(factor * upper);
                max[axis] += (factor * lower).max(factor * upper);
            }
        }
    }
    Aabb { min, max }.grown(BOX_ROUNDING * size)
}

/// The box around a box that is placed by a pose: half extents `sum_j |R_ij| h_j`.
pub(crate) fn placed(local: &Aabb, pose: &Pose) -> Aabb {
    let (center, half) = (local.center(), local.half_extents());
    let columns = pose.rotation_matrix();
    let reach = columns.x_axis.abs() * half.x + columns.y_axis.abs() * half.y + columns.z_axis.abs() * half.z;
    let place = pose.transform_point(center);
    let rounding = BOX_ROUNDING * (center.norm() + half.norm() + pose.translation.norm());
    Aabb::from_center(place, reach + DVec3::splat(rounding))
}

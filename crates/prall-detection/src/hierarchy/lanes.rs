//! One box against eight: the only place where lanes of single precision are used.
//!
//! Boxes are `{x : |u_k . (x - c)| <= h_k}` with single-precision axes u_k; centres are relative to an origin
//! that each group of eight has in double precision, so that what rounding costs scales with the boxes and
//! their distance, not with the body. Everything that a test says is a statement about planes: along a unit
//! vector n the boxes keep a gap, or the true gap is less than what rounding may have added. Numbers that are
//! not finite never satisfy `gap > x`, so they never prune.

use glam::DVec3;
use wide::f32x8;

use super::NodeBox;
use crate::placement::FrameChange;
use crate::relative_motion::{Bounds, Velocities};
use prall_math::Norm;

/// What single precision may add to a gap, as a fraction of the lengths that enter it.
///
/// With u = 2^-24: a turned axis is off by 7 u, a dot product of three by 3 u more, the centre by 2 u; summed
/// over both boxes and the distance less than 20 u = 1.2e-6 of them. Twice that, and some.
pub(super) const GAP_ROUNDING: f32 = 3e-6;

/// The same for speeds.
const SPEED_ROUNDING: f32 = 4e-6;

/// Distances are shortened by this fraction: axes of unit length and at right angles to 3e-7, and a sum of squares.
const DISTANCE_ROUNDING: f32 = 1.0 - 2e-6;

/// Safe times are shortened by this fraction: rounding of the root formula.
const TIME_ROUNDING: f32 = 1.0 - 1e-5;

pub(super) type Lanes3 = [f32x8; 3];

/// Eight boxes side by side; those beyond `count` are far away and never reported.
#[derive(Clone, Debug)]
pub(crate) struct Group8 {
    centre: Lanes3,
    axes: [Lanes3; 3],
    half: Lanes3,
    radius: f32x8,
    /// Origin of the centres, in the body's frame.
    pub(crate) origin: DVec3,
    /// Largest distance of a box's content from the origin.
    pub(crate) reach: f32,
    /// Node of the first box; the others follow.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// Centre of an empty lane: far from everything that may be.
const FAR: f32 = 1e15;

impl Group8 {
    pub(crate) fn new(origin: DVec3, first: u32, boxes: &[NodeBox]) -> Group8 {
        let lanes = |value: &dyn Fn(&NodeBox) -> f32, empty: f32| {
            let mut lanes = [empty; 8];
            for (lane, node) in lanes.iter_mut().zip(boxes) {
                *lane = value(node);
            }
            f32x8::new(lanes)
        };
        let reach = boxes
            .iter()
            .map(|node| ((node.centre - origin).norm() * (1.0 + 1e-6)) as f32 + node.radius)
            .fold(0.0, f32::max);
        let xyz = [0, 1, 2];
        Group8 {
            centre: xyz.map(|k| lanes(&|node| (node.centre - origin)[k] as f32, FAR)),
            axes: xyz.map(|j| xyz.map(|k| lanes(&|node| node.axes[j][k], 0.0))),
            half: xyz.map(|k| lanes(&|node| node.half[k], 0.0)),
            radius: lanes(&|node| node.radius, 0.0),
            origin,
            reach,
            first,
            count: boxes.len() as u32,
        }
    }

    /// Bits of the lanes that hold a box.
    fn filled(&self) -> u32 {
        (1 << self.count) - 1
    }
}

/// The single box of a test, in the frame of the eight and relative to their origin.
pub(crate) struct Single {
    centre: [f32; 3],
    axes: [[f32; 3]; 3],
    half: [f32; 3],
    pub(crate) radius: f32,
    distance: f32,
}

impl Single {
    /// `centre` is the box's centre in the frame of the eight.
    pub(crate) fn new(node: &NodeBox, change: &FrameChange, centre: DVec3, origin: DVec3) -> Single {
        let offset = centre - origin;
        let columns = &change.rotation32;
        let turned = |axis: &[f32; 3]| {
            [0, 1, 2].map(|k| columns[0][k] * axis[0] + columns[1][k] * axis[1] + columns[2][k] * axis[2])
        };
        Single {
            centre: offset.to_array().map(|x| x as f32),
            axes: [turned(&node.axes[0]), turned(&node.axes[1]), turned(&node.axes[2])],
            half: node.half,
            radius: node.radius,
            distance: (offset.x.abs() + offset.y.abs() + offset.z.abs()) as f32,
        }
    }

    /// What rounding may have added to a gap against this group.
    fn rounding(&self, group: &Group8) -> f32 {
        GAP_ROUNDING * (self.distance + self.radius + group.reach)
    }
}

/// How the eight lie to the single one along the six face axes.
struct Separation {
    /// Gap along each axis: three of the single box, three of the lane's.
    gaps: [f32x8; 6],
    /// Difference of the centres (lane minus single) along each axis.
    offsets: [f32x8; 6],
    largest: f32x8,
}

#[inline(always)]
pub(super) fn dot(a: &Lanes3, b: &Lanes3) -> f32x8 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn splat(v: [f32; 3]) -> Lanes3 {
    v.map(f32x8::splat)
}

#[inline(always)]
fn separation(group: &Group8, single: &Single) -> Separation {
    let d: Lanes3 = [0, 1, 2].map(|k| group.centre[k] - f32x8::splat(single.centre[k]));
    let axes = single.axes.map(splat);
    let half = splat(single.half);
    let mut gaps = [f32x8::ZERO; 6];
    let mut offsets = [f32x8::ZERO; 6];
    let mut across = [f32x8::ZERO; 3];
    for k in 0..3 {
        let cosines = [0, 1, 2].map(|j| dot(&axes[k], &group.axes[j]).abs());
        offsets[k] = dot(&axes[k], &d);
        gaps[k] = offsets[k].abs() - half[k] - dot(&group.half, &cosines);
        for j in 0..3 {
            across[j] += half[k] * cosines[j];
        }
    }
    for j in 0..3 {
        offsets[3 + j] = dot(&group.axes[j], &d);
        gaps[3 + j] = offsets[3 + j].abs() - group.half[j] - across[j];
    }
    let largest = gaps[1..].iter().fold(gaps[0], |largest, &gap| largest.fast_max(gap));
    Separation { gaps, offsets, largest }
}

impl Separation {
    /// The unit vector of the widest gap, pointing from the single box to the lane's.
    #[inline(always)]
    fn direction(&self, group: &Group8, single: &Single) -> Lanes3 {
        let mut direction = splat(single.axes[0]);
        let mut offset = self.offsets[0];
        for k in 1..6 {
            let here = self.gaps[k].simd_eq(self.largest);
            let axis = if k < 3 { splat(single.axes[k]) } else { group.axes[k - 3] };
            for i in 0..3 {
                direction[i] = here.select(axis[i], direction[i]);
            }
            offset = here.select(self.offsets[k], offset);
        }
        let sign = f32x8::ZERO.simd_gt(offset).select(f32x8::splat(-1.0), f32x8::ONE);
        direction.map(|x| x * sign)
    }
}

/// Lower bounds of the distances: whatever separates the boxes has at least the gap along each of three axes at right angles,
/// so at least the root of the sum of their squares. Of the two triples of axes the better counts. Small faces side by side
/// are told apart by this, and not by any single axis.
#[inline(always)]
fn distances(found: &Separation, rounding: f32) -> f32x8 {
    let rounding = f32x8::splat(rounding);
    let squared = |gaps: &[f32x8]| {
        gaps.iter().fold(f32x8::ZERO, |sum, &gap| {
            // NaN, about which nothing is known, counts as no gap.
            let gap = gap - rounding;
            let gap = gap.simd_gt(f32x8::ZERO).select(gap, f32x8::ZERO);
            sum + gap * gap
        })
    };
    squared(&found.gaps[..3]).fast_max(squared(&found.gaps[3..])).sqrt() * f32x8::splat(DISTANCE_ROUNDING)
}

/// Lower bounds of the distances between the single box and each of the eight, and a bit for each that exists.
/// 0 where nothing is known.
pub(crate) fn gaps(group: &Group8, single: &Single) -> ([f32; 8], u32) {
    let distances = distances(&separation(group, single), single.rounding(group));
    (distances.to_array(), group.filled())
}

/// Bits of those of the eight that may be within `distance` of the single box.
pub(crate) fn near(group: &Group8, single: &Single, distance: f32) -> u32 {
    let far = separation(group, single).largest.simd_gt(f32x8::splat(distance + single.rounding(group)));
    !far.to_bitmask() & group.filled()
}

/// Which side belongs to the moving body A, where on it velocities are taken (in the frame of the eight), and
/// how far from there they are used.
pub(crate) enum Moving {
    Eight { origin: DVec3, extent: f32 },
    Single { centre: DVec3, extent: f32 },
}

/// The part of the relative motion that is the same for all pairs of an instant; see [`crate::certificate`].
pub(crate) struct LaneConstants {
    /// Relative angular velocity.
    delta: [f32; 3],
    /// Unit vector of A's rotation axis, zero if its direction does not help.
    axis: [f32; 3],
    /// Constant velocity that the linear bound starts from.
    steady: [f32; 3],
    curvature: f32,
    curvature_per_arm: f32,
    curvature_per_moment: f32,
    speed: f32,
    speed_per_arm: f32,
    speed_per_moment: f32,
    drift: f32,
    /// Sum of all speeds that are the same everywhere, and of those that grow with the arm.
    all_speeds: f32,
    all_speeds_per_arm: f32,
}

/// The relative motion as one pair sees it, in the frame of the eight.
pub(crate) struct LaneMotion<'a> {
    constants: &'a LaneConstants,
    eight_move: bool,
    /// Velocity of body A at the origin of the eight, or at the centre of the single box.
    velocity: [f32; 3],
    /// From A's rotation axis (or reference point) to where `velocity` is taken.
    arm: [f32; 3],
    /// Subtracted from both speeds: what is only bounded, and rounding.
    drift: f32,
    /// Subtracted from every gap: minimum separation and rounding of the poses.
    separation: f32,
    /// Boxes farther apart than this cannot meet in the time left.
    reach: f32,
}

fn single(v: DVec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Outward by more than the rounding to single precision.
pub(super) fn upward(x: f64) -> f32 {
    (x * (1.0 + 1e-6)) as f32
}

/// Not less than the length.
pub(super) fn sum_of(v: [f32; 3]) -> f32 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

impl LaneConstants {
    pub(crate) fn new(velocities: &Velocities, bounds: &Bounds) -> LaneConstants {
        LaneConstants {
            delta: single(velocities.delta),
            axis: single(velocities.axis),
            steady: single(velocities.steady),
            curvature: upward(bounds.curvature),
            curvature_per_arm: upward(bounds.curvature_per_arm),
            curvature_per_moment: upward(bounds.curvature_per_moment),
            speed: upward(bounds.speed),
            speed_per_arm: upward(bounds.speed_per_arm),
            speed_per_moment: upward(bounds.speed_per_moment),
            drift: upward(bounds.drift),
            all_speeds: upward(velocities.steady.norm() + bounds.speed + bounds.drift),
            all_speeds_per_arm: upward(velocities.delta.norm() + bounds.speed_per_arm),
        }
    }
}

impl<'a> LaneMotion<'a> {
    /// `velocities` and `constants` are those of the frame of the eight: A's if they move, otherwise B's.
    #[inline]
    pub(crate) fn new(
        velocities: &Velocities,
        constants: &'a LaneConstants,
        moving: &Moving,
        separation: f64,
        reach: f64,
    ) -> LaneMotion<'a> {
        let (eight_move, place, extent) = match *moving {
            Moving::Eight { origin, extent } => (true, origin, extent),
            Moving::Single { centre, extent } => (false, centre, extent),
        };
        let velocity = single(velocities.at(place));
        let arm = single(velocities.arm(place));
        let speeds = sum_of(velocity)
            + constants.all_speeds
            + constants.all_speeds_per_arm * (sum_of(arm) + 2.0 * extent);
        LaneMotion {
            constants,
            eight_move,
            velocity,
            arm,
            drift: constants.drift + SPEED_ROUNDING * speeds,
            separation: upward(separation),
            reach: upward(reach),
        }
    }
}

/// What is proven about the eight.
pub(crate) struct Advance {
    /// Bits of the boxes that are not proven free for the whole time.
    pub(crate) open: u32,
    /// For those: a time that is proven free, 0 if none.
    pub(crate) safe: [f32; 8],
}

/// How long each of the eight stays clear of the single box: the plane certificate in eight lanes.
#[inline]
pub(crate) fn advance(group: &Group8, single: &Single, motion: &LaneMotion) -> Advance {
    let found = separation(group, single);
    let gap = found.largest - f32x8::splat(motion.separation + single.rounding(group));
    let reach = f32x8::splat(motion.reach);
    let open = !gap.simd_gt(reach).to_bitmask() & group.filled();
    let apart = gap.simd_gt(f32x8::ZERO);
    if open & apart.to_bitmask() == 0 {
        return Advance { open, safe: [0.0; 8] };
    }
    let distance = distances(&found, motion.separation + single.rounding(group));
    let open = open & !distance.simd_gt(reach).to_bitmask();
    let safe = safe_times(group, single, motion, &found, gap);
    // NaN and negative times are no proof.
    let proven = apart & safe.simd_gt(f32x8::ZERO);
    Advance { open, safe: proven.select(safe, f32x8::ZERO).to_array() }
}

#[inline(always)]
fn safe_times(group: &Group8, single: &Single, motion: &LaneMotion, found: &Separation, gap: f32x8) -> f32x8 {
    let all = f32x8::splat;
    // From B's box to A's.
    let sense = if motion.eight_move { f32x8::ONE } else { all(-1.0) };
    let n = found.direction(group, single).map(|x| x * sense);
    let delta = splat(motion.constants.delta);
    let m = [
        n[1] * delta[2] - n[2] * delta[1],
        n[2] * delta[0] - n[0] * delta[2],
        n[0] * delta[1] - n[1] * delta[0],
    ];
    let moment = dot(&m, &m).sqrt() * all(1.0 + 1e-6);
    let (place, radius) =
        if motion.eight_move { (group.centre, group.radius) } else { ([f32x8::ZERO; 3], all(single.radius)) };
    let axis = splat(motion.constants.axis);
    let along = dot(&axis, &place);
    let arm = [0, 1, 2].map(|k| all(motion.arm[k]) + place[k] - axis[k] * along);
    let arm = dot(&arm, &arm).sqrt() * all(1.0 + 1e-6) + radius;
    let slack = all(motion.drift);
    // Taylor: g + s tau - K tau^2 / 2.
    let s = dot(&n, &splat(motion.velocity)) + dot(&m, &place) - moment * radius - slack;
    let curvature = arm
        * (all(motion.constants.curvature_per_moment) * moment + all(motion.constants.curvature_per_arm))
        + all(motion.constants.curvature + f32::MIN_POSITIVE);
    let root = (s * s + (gap + gap) * curvature).sqrt();
    let approaching = (gap + gap) / (root - s);
    let receding = (s + root) / curvature;
    let taylor = f32x8::ZERO.simd_gt(s).select(approaching, receding);
    // An overflow, or NaN, is no proof.
    let taylor = all(f32::MAX).simd_gt(root).select(taylor, f32x8::ZERO);
    // Linear: g + L tau.
    let l = dot(&n, &splat(motion.constants.steady))
        - arm * (all(motion.constants.speed_per_moment) * moment + all(motion.constants.speed_per_arm))
        - all(motion.constants.speed)
        - slack;
    let linear = f32x8::ZERO.simd_gt(l).select(gap / -l, all(f32::MAX));
    taylor.fast_max(linear) * all(TIME_ROUNDING)
}

#[cfg(test)]
mod tests;

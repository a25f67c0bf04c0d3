//! Questions to an index that are answered in order: along a ray, along a sweep, by distance.
//!
//! All of them visit boxes in the order of a lower bound: the time at which a ray enters, the distance. The bound
//! of a box is never above that of a box inside it, also in floating point, because every operation in it is
//! monotone; so a search that goes into the nearest box first meets the entries in order.

use std::cmp::Ordering;

use glam::DVec3;

use prall_geometry::Aabb;

/// Relative error of a time of entry or exit: two roundings, with room to spare.
const TIME_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Something to be visited when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) bound: f64,
    /// A slot; otherwise an inner node of the tree.
    pub(super) is_entry: bool,
    pub(super) index: u32,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// What comes first is greatest, for a heap that gives the greatest. At equal bounds inner nodes come first,
    /// because they may hide an entry with a smaller slot.
    fn cmp(&self, other: &Candidate) -> Ordering {
        let key = |c: &Candidate| (c.is_entry, c.index);
        other.bound.total_cmp(&self.bound).then_with(|| key(other).cmp(&key(self)))
    }
}

/// When the point `origin + t direction`, t >= 0, enters the box, or `None` if it never does.
///
/// Early or late by rounding only in favour of a hit: the time is a lower bound, and a miss is proven.
pub(super) fn entry_time(bounds: &Aabb, origin: DVec3, direction: DVec3) -> Option<f64> {
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let (to_min, to_max) = (bounds.min[axis] - origin[axis], bounds.max[axis] - origin[axis]);
        let speed = direction[axis];
        if speed == 0.0 {
            if to_min > 0.0 || to_max < 0.0 {
                return None;
            }
            continue;
        }
        let (near, far) = if speed > 0.0 { (to_min, to_max) } else { (to_max, to_min) };
        let (near, far) = (near / speed, far / speed);
        enter = enter.max(near - near.abs() * TIME_ROUNDING);
        leave = leave.min(far + far.abs() * TIME_ROUNDING);
    }
    // NaN, from an infinite bound over an infinite quotient, is no reason to miss.
    if enter > leave { None } else { Some(enter + 0.0) }
}

/// When `moving` on its straight way by `displacement` first touches `bounds`: a ray from the origin against the
/// box of all differences.
pub(super) fn touch_time(bounds: &Aabb, moving: &Aabb, displacement: DVec3) -> Option<f64> {
    let differences = Aabb { min: bounds.min - moving.max, max: bounds.max - moving.min };
    entry_time(&differences, DVec3::ZERO, displacement)
}

/// Distance between two boxes, 0 if they touch or overlap.
pub(super) fn distance(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).length()
}

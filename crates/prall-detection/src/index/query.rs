//! Questions to an index that are answered in order: along a ray, along a sweep, by distance.
//!
//! All of them visit boxes in the order of a lower bound: the time at which a ray enters, the distance. The bound
//! of a box is never above that of a box inside it, also in floating point, because every operation in it is
//! monotone; so a search that goes into the nearest box first meets the entries in order.

use prall_math::Norm;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use prall_geometry::Aabb;

use super::tree::Visited;
use super::{IndexError, PairIndex, ProxyId, Structure, checked, live_slots};

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

/// Queries. They see every entry as it is now, whatever its filter, and need no refresh.
impl PairIndex {
    /// The entries whose boxes overlap a box, sorted by slot, into `found`, which is emptied first.
    pub fn overlapping(&mut self, bounds: Aabb, found: &mut Vec<ProxyId>) -> Result<(), IndexError> {
        let bounds = checked(bounds)?;
        self.catch_up();
        found.clear();
        let (boxes, slots) = (&self.boxes, &self.slots);
        let mut visit = |slot: u32| {
            if boxes[slot as usize].overlaps(&bounds) {
                found.push(ProxyId { slot, generation: slots[slot as usize].generation });
            }
        };
        match &mut self.structure {
            Structure::SweepAndPrune(_) => live_slots(slots).for_each(visit),
            Structure::Tree(tree) => tree.overlapping(&bounds, &mut visit),
        }
        found.sort_unstable();
        Ok(())
    }

    /// Follows the ray `origin + t direction` from t = 0 to `limit` and visits the boxes it meets, in the order in
    /// which it enters them.
    ///
    /// `visit` is given the entry and a lower bound of the time of entry, and answers with the limit from now on: a
    /// hit at time t answers t, to go on unchanged answer infinity (or NaN), to stop a negative number. Rounding never
    /// hides a box that the ray meets.
    pub fn cast_ray(
        &mut self,
        origin: DVec3,
        direction: DVec3,
        limit: f64,
        visit: impl FnMut(ProxyId, f64) -> f64,
    ) -> Result<(), IndexError> {
        let origin = checked_vector("origin", origin)?;
        let direction = checked_vector("direction", direction)?;
        checked_limit(limit)?;
        self.visit_in_order(limit, |bounds| entry_time(bounds, origin, direction), visit);
        Ok(())
    }

    /// As [`PairIndex::cast_ray`], for a box that goes straight by `displacement` while t goes from 0 to 1.
    pub fn sweep(
        &mut self,
        moving: Aabb,
        displacement: DVec3,
        visit: impl FnMut(ProxyId, f64) -> f64,
    ) -> Result<(), IndexError> {
        let moving = checked(moving)?;
        let displacement = checked_vector("displacement", displacement)?;
        self.visit_in_order(1.0, |bounds| touch_time(bounds, &moving, displacement), visit);
        Ok(())
    }

    /// The nearest entry not farther than `limit` from a box (or a point, as a box without extent), and its distance.
    ///
    /// `distance` is given an entry and the distance to its box, in metres, and answers with the distance to what
    /// is in it, which is not smaller; [`box_distance`] leaves it as it is. Of several at the same distance the one
    /// that comes first by distance of boxes, then by slot, is named.
    pub fn nearest(
        &mut self,
        from: Aabb,
        limit: f64,
        mut distance: impl FnMut(ProxyId, f64) -> f64,
    ) -> Result<Option<(ProxyId, f64)>, IndexError> {
        let from = checked(from)?;
        checked_limit(limit)?;
        let mut best: Option<(ProxyId, f64)> = None;
        self.visit_in_order(
            limit,
            |bounds| Some(gap(bounds, &from)),
            |id, to_box| {
                let distance = distance(id, to_box);
                if distance <= limit && best.is_none_or(|(_, least)| distance < least) {
                    best = Some((id, distance));
                }
                best.map_or(limit, |(_, least)| least)
            },
        );
        Ok(best)
    }

    fn visit_in_order(
        &mut self,
        mut limit: f64,
        bound: impl Fn(&Aabb) -> Option<f64>,
        mut visit: impl FnMut(ProxyId, f64) -> f64,
    ) {
        self.catch_up();
        if let Structure::Tree(tree) = &mut self.structure {
            tree.settle();
        }
        let mut heap = std::mem::take(&mut self.heap);
        heap.clear();
        let offer = |heap: &mut BinaryHeap<Candidate>, limit: f64, is_entry, index, bounds: &Aabb| {
            if let Some(bound) = bound(bounds).filter(|&bound| bound <= limit) {
                heap.push(Candidate { bound, is_entry, index });
            }
        };
        let offer_node =
            |heap: &mut BinaryHeap<Candidate>, limit, (visited, bounds): (Visited, &Aabb)| match visited {
                Visited::Inner(node) => offer(heap, limit, false, node, bounds),
                // Not the fat box of the tree: the box itself.
                Visited::Entry(slot) => offer(heap, limit, true, slot, &self.boxes[slot as usize]),
            };
        match &self.structure {
            Structure::SweepAndPrune(_) => {
                live_slots(&self.slots)
                    .for_each(|s| offer(&mut heap, limit, true, s, &self.boxes[s as usize]));
            }
            Structure::Tree(tree) => tree.top().into_iter().for_each(|top| offer_node(&mut heap, limit, top)),
        }
        while let Some(next) = heap.pop().filter(|next| next.bound <= limit) {
            match &self.structure {
                Structure::Tree(tree) if !next.is_entry => {
                    tree.children(next.index)
                        .into_iter()
                        .for_each(|child| offer_node(&mut heap, limit, child));
                }
                _ => limit = limit.min(visit(self.proxy(next.index), next.bound)),
            }
        }
        self.heap = heap;
    }
}

/// For [`PairIndex::nearest`]: entries are as far as their boxes.
pub fn box_distance(_: ProxyId, to_box: f64) -> f64 {
    to_box
}

fn checked_limit(limit: f64) -> Result<(), IndexError> {
    if limit.is_nan() { Err(IndexError::BadLimit) } else { Ok(()) }
}

fn checked_vector(role: &'static str, vector: DVec3) -> Result<DVec3, IndexError> {
    let good = vector.is_finite() && (role != "direction" || vector != DVec3::ZERO);
    if good { Ok(vector) } else { Err(IndexError::BadQuery { role, vector }) }
}

/// When the point `origin + t direction`, t >= 0, enters the box, or `None` if it never does.
///
/// Early or late by rounding only in favour of a hit: the time is a lower bound, and a miss is proven.
fn entry_time(bounds: &Aabb, origin: DVec3, direction: DVec3) -> Option<f64> {
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
fn touch_time(bounds: &Aabb, moving: &Aabb, displacement: DVec3) -> Option<f64> {
    let differences = Aabb { min: bounds.min - moving.max, max: bounds.max - moving.min };
    entry_time(&differences, DVec3::ZERO, displacement)
}

/// Distance between two boxes, 0 if they touch or overlap.
fn gap(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).norm()
}

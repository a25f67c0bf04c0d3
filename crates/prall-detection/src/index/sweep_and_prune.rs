//! Sweep and prune (Eckstein 1998, chapter 6): three sorted lists of interval ends, kept sorted by insertion.
//!
//! Two boxes overlap if their intervals overlap on all three axes. On one axis that changes only where the lower
//! end of one interval passes the upper end of the other, and then at once for just this pair:
//!
//! | end on its way | passes | overlap on the axis |
//! |---|---|---|
//! | lower, downward | an upper end | begins |
//! | lower, upward | an upper end | ends |
//! | upper, downward | a lower end | ends |
//! | upper, upward | a lower end | begins |
//!
//! Such an event counts for the pair of boxes if the other two axes overlap at that moment. Axes are sorted one
//! after the other, so a pair may come and go on the way; the balance is right.
//!
//! Ends at the same place stand lower before upper: boxes that touch overlap. The lists are arrays, and each end
//! knows its place. Cost: proportional to the number of ends that are passed. It is small if little moves; in a
//! cube full of n boxes that all move it grows as n^(5/3), where the tree is the better choice.

use super::Rules;
use super::pairs::{PairKeys, key};
use prall_geometry::Aabb;

/// If more than one in so many listed boxes moves, sort the whole list in one pass.
///
/// One pass passes nobody whose neighbours move along, but it reads every end.
const MOVED_SHARE_FOR_PASS: usize = 8;

/// A pass that has shifted ends by so many places, on average over the list, gives up and sorts afresh.
///
/// Of n ends that jump anywhere each passes n / 2 others: beyond some hundreds, sorting from scratch does less.
const SHIFTS_BEFORE_SORT: usize = 256;

/// The ends stand in the lists.
const LISTED: u8 = 1;
/// The pairs are to be found anew: a new entry, or one whose filter changed.
const FRESH: u8 = 2;
/// The box has changed since the lists were sorted.
const MOVED: u8 = 4;
/// The entry goes.
const LEAVING: u8 = 8;

#[derive(Clone, Copy, Debug)]
struct End {
    value: f64,
    /// Twice the slot, plus one for an upper end.
    tag: u32,
}

impl End {
    fn slot(self) -> usize {
        (self.tag >> 1) as usize
    }

    fn is_upper(self) -> bool {
        self.tag & 1 == 1
    }

    /// True if this end must stand before the other.
    fn precedes(self, other: End) -> bool {
        self.value < other.value || (self.value == other.value && !self.is_upper() && other.is_upper())
    }

    fn order(&self, other: &End) -> std::cmp::Ordering {
        // No value is negative zero or NaN, so that this is the order of numbers.
        let by_place = self.value.total_cmp(&other.value).then(self.is_upper().cmp(&other.is_upper()));
        by_place.then(self.tag.cmp(&other.tag))
    }
}

/// One of the three sorted lists.
#[derive(Clone, Debug, Default)]
struct Axis {
    ends: Vec<End>,
    /// Where in `ends` the end with a tag stands.
    places: Vec<u32>,
}

impl Axis {
    fn renumber(&mut self) {
        for (place, end) in self.ends.iter().enumerate() {
            self.places[end.tag as usize] = place as u32;
        }
    }

    /// Adds sorted ends to the sorted list, from the back so that nothing is copied twice.
    fn merge_in(&mut self, sorted: &[End]) {
        let mut old = self.ends.len();
        self.ends.extend_from_slice(sorted);
        let mut new = sorted.len();
        while new > 0 {
            if old > 0 && sorted[new - 1].precedes(self.ends[old - 1]) {
                old -= 1;
                self.ends[old + new] = self.ends[old];
            } else {
                new -= 1;
                self.ends[old + new] = sorted[new];
            }
        }
        self.renumber();
    }

    /// How many pairs overlap on this axis.
    fn overlap_count(&self) -> u64 {
        let (mut open, mut overlaps) = (0_u64, 0_u64);
        for end in &self.ends {
            if end.is_upper() {
                open -= 1;
            } else {
                overlaps += open;
                open += 1;
            }
        }
        overlaps
    }
}

/// Interval of a box on an axis: [lower, upper].
type Interval = [f64; 2];

fn intervals(bounds: &Aabb) -> [Interval; 3] {
    // Adding zero turns -0 into 0.
    std::array::from_fn(|axis| [bounds.min[axis] + 0.0, bounds.max[axis] + 0.0])
}

fn overlap(i: Interval, j: Interval) -> bool {
    i[0] <= j[1] && j[0] <= i[1]
}

/// An interval that the sweep has entered and not left.
#[derive(Clone, Copy, Debug)]
struct Open {
    slot: u32,
    others: [Interval; 2],
}

/// The open intervals, without order, and where each of them is.
#[derive(Clone, Debug, Default)]
struct OpenSet {
    open: Vec<Open>,
    places: Vec<u32>,
}

impl OpenSet {
    fn enter(&mut self, open: Open) {
        self.places[open.slot as usize] = self.open.len() as u32;
        self.open.push(open);
    }

    fn leave(&mut self, slot: usize) {
        let place = self.places[slot] as usize;
        self.open.swap_remove(place);
        if let Some(moved) = self.open.get(place) {
            self.places[moved.slot as usize] = place as u32;
        }
    }

    fn visit(&self, others: [Interval; 2], mut visit: impl FnMut(u32)) {
        for open in &self.open {
            // Not `&&`: four comparisons without branches are faster than one that is hard to predict.
            if overlap(open.others[0], others[0]) & overlap(open.others[1], others[1]) {
                visit(open.slot);
            }
        }
    }
}

/// The three lists and the pairs that overlap on all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct SweepAndPrune {
    axes: [Axis; 3],
    /// By slot: the intervals as the lists know them.
    intervals: Vec<[Interval; 3]>,
    flags: Vec<u8>,
    pairs: PairKeys,
    fresh: Vec<u32>,
    moved: Vec<u32>,
    leaving: Vec<u32>,
    new_ends: Vec<End>,
    open: OpenSet,
    open_fresh: OpenSet,
}

impl SweepAndPrune {
    pub(super) fn insert(&mut self, slot: u32) {
        let slots = self.flags.len().max(slot as usize + 1);
        self.flags.resize(slots, 0);
        self.intervals.resize(slots, [[0.0; 2]; 3]);
        self.open.places.resize(slots, 0);
        self.open_fresh.places.resize(slots, 0);
        self.axes.iter_mut().for_each(|axis| axis.places.resize(2 * slots, 0));
        self.flags[slot as usize] = FRESH;
        self.fresh.push(slot);
    }

    pub(super) fn update(&mut self, slot: u32) {
        let flags = &mut self.flags[slot as usize];
        if *flags & (LISTED | MOVED) == LISTED {
            *flags |= MOVED;
            self.moved.push(slot);
        }
    }

    pub(super) fn refilter(&mut self, slot: u32) {
        let flags = &mut self.flags[slot as usize];
        if *flags & FRESH == 0 {
            *flags |= FRESH;
            self.fresh.push(slot);
        }
    }

    pub(super) fn remove(&mut self, slot: u32) {
        self.flags[slot as usize] |= LEAVING;
        self.leaving.push(slot);
    }

    pub(super) fn pairs(&self) -> &[u64] {
        self.pairs.as_slice()
    }

    /// Brings lists and pairs up to date; false if nothing has changed.
    pub(super) fn refresh(&mut self, boxes: &[Aabb], rules: &Rules) -> bool {
        if self.fresh.is_empty() && self.moved.is_empty() && self.leaving.is_empty() {
            return false;
        }
        self.drop_leaving();
        self.sort_moved(boxes, rules);
        self.list_new(boxes);
        self.sweep_fresh(rules);
        let flags = &self.flags;
        self.pairs.merge(|slot| flags[slot as usize] & (LEAVING | FRESH) != 0);
        for slot in self.fresh.drain(..).chain(self.moved.drain(..)) {
            self.flags[slot as usize] = LISTED;
        }
        self.leaving.drain(..).for_each(|slot| self.flags[slot as usize] = 0);
        true
    }

    fn drop_leaving(&mut self) {
        if self.leaving.is_empty() {
            return;
        }
        let flags = &self.flags;
        for axis in &mut self.axes {
            axis.ends.retain(|end| flags[end.slot()] & LEAVING == 0);
            axis.renumber();
        }
        self.fresh.retain(|&slot| flags[slot as usize] & LEAVING == 0);
        self.moved.retain(|&slot| flags[slot as usize] & LEAVING == 0);
    }

    fn sort_moved(&mut self, boxes: &[Aabb], rules: &Rules) {
        let listed = self.axes[0].ends.len() / 2;
        if self.moved.len() * MOVED_SHARE_FOR_PASS < listed {
            for i in 0..self.moved.len() {
                let slot = self.moved[i];
                self.move_box(slot, intervals(&boxes[slot as usize]), rules);
            }
        } else if !(0..3).all(|axis| self.sort_in_one_pass(axis, boxes, rules)) {
            self.sort_afresh(boxes);
        }
    }

    /// Eckstein's `move_interval` on each axis; the order of the two moves keeps lower <= upper throughout.
    fn move_box(&mut self, slot: u32, new: [Interval; 3], rules: &Rules) {
        for (axis, [lower, upper]) in new.into_iter().enumerate() {
            let (lower, upper) =
                (End { value: lower, tag: 2 * slot }, End { value: upper, tag: 2 * slot + 1 });
            if upper.value < self.intervals[slot as usize][axis][0] {
                self.move_end(axis, lower, rules);
                self.move_end(axis, upper, rules);
            } else {
                self.move_end(axis, upper, rules);
                self.move_end(axis, lower, rules);
            }
            self.intervals[slot as usize][axis] = new[axis];
        }
    }

    /// Insertion sort of one end from its old place.
    fn move_end(&mut self, axis: usize, end: End, rules: &Rules) {
        let mut place = self.axes[axis].places[end.tag as usize] as usize;
        while place > 0 && end.precedes(self.axes[axis].ends[place - 1]) {
            let passed = self.shift(axis, place - 1, place);
            self.cross(axis, passed, end, rules);
            place -= 1;
        }
        while place + 1 < self.axes[axis].ends.len() && self.axes[axis].ends[place + 1].precedes(end) {
            let passed = self.shift(axis, place + 1, place);
            self.cross(axis, end, passed, rules);
            place += 1;
        }
        self.axes[axis].ends[place] = end;
        self.axes[axis].places[end.tag as usize] = place as u32;
    }

    fn shift(&mut self, axis: usize, from: usize, to: usize) -> End {
        let Axis { ends, places } = &mut self.axes[axis];
        ends[to] = ends[from];
        places[ends[to].tag as usize] = to as u32;
        ends[to]
    }

    /// `before` stood before `after`, and now it is the other way round.
    fn cross(&mut self, axis: usize, before: End, after: End, rules: &Rules) {
        if before.is_upper() == after.is_upper() {
            return;
        }
        let (i, j) = (before.slot(), after.slot());
        let (mine, theirs) = (&self.intervals[i], &self.intervals[j]);
        let met = (0..3).all(|other| other == axis || overlap(mine[other], theirs[other]));
        if met && (self.flags[i] | self.flags[j]) & FRESH == 0 && rules.allow(i as u32, j as u32) {
            let changes = if before.is_upper() { &mut self.pairs.added } else { &mut self.pairs.removed };
            changes.push(key(i as u32, j as u32));
        }
    }

    /// Insertion sort of a whole list in which many ends have moved; false if that is too much.
    fn sort_in_one_pass(&mut self, axis: usize, boxes: &[Aabb], rules: &Rules) -> bool {
        for &slot in &self.moved {
            let new = intervals(&boxes[slot as usize])[axis];
            self.intervals[slot as usize][axis] = new;
            let Axis { ends, places } = &mut self.axes[axis];
            ends[places[2 * slot as usize] as usize].value = new[0];
            ends[places[2 * slot as usize + 1] as usize].value = new[1];
        }
        let mut shifts = SHIFTS_BEFORE_SORT * self.axes[axis].ends.len();
        for i in 1..self.axes[axis].ends.len() {
            let end = self.axes[axis].ends[i];
            let mut place = i;
            while place > 0 && shifts > 0 && end.precedes(self.axes[axis].ends[place - 1]) {
                let passed = self.shift(axis, place - 1, place);
                self.cross(axis, passed, end, rules);
                place -= 1;
                shifts -= 1;
            }
            if place < i {
                self.axes[axis].ends[place] = end;
                self.axes[axis].places[end.tag as usize] = place as u32;
            }
        }
        shifts > 0
    }

    /// As at the start: sort, and let the sweep find every pair.
    fn sort_afresh(&mut self, boxes: &[Aabb]) {
        self.pairs.added.clear();
        self.pairs.removed.clear();
        for i in 0..self.axes[0].ends.len() {
            let end = self.axes[0].ends[i];
            if !end.is_upper() {
                self.intervals[end.slot()] = intervals(&boxes[end.slot()]);
                self.refilter(end.tag >> 1);
            }
        }
        for (i, axis) in self.axes.iter_mut().enumerate() {
            for end in &mut axis.ends {
                end.value = self.intervals[end.slot()][i][usize::from(end.is_upper())];
            }
            axis.ends.sort_unstable_by(End::order);
            axis.renumber();
        }
    }

    /// Puts the ends of new boxes into the lists.
    fn list_new(&mut self, boxes: &[Aabb]) {
        for axis in 0..3 {
            self.new_ends.clear();
            for &slot in &self.fresh {
                if self.flags[slot as usize] & LISTED == 0 {
                    let [lower, upper] = intervals(&boxes[slot as usize])[axis];
                    self.intervals[slot as usize][axis] = [lower, upper];
                    self.new_ends.push(End { value: lower, tag: 2 * slot });
                    self.new_ends.push(End { value: upper, tag: 2 * slot + 1 });
                }
            }
            if !self.new_ends.is_empty() {
                self.new_ends.sort_unstable_by(End::order);
                self.axes[axis].merge_in(&self.new_ends);
            }
        }
    }

    /// Finds all pairs with a fresh member by one sweep along the axis on which the fewest intervals overlap.
    fn sweep_fresh(&mut self, rules: &Rules) {
        if self.fresh.is_empty() {
            return;
        }
        let axis = (0..3).min_by_key(|&axis| self.axes[axis].overlap_count()).unwrap_or(0);
        let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
        let added = &mut self.pairs.added;
        for &end in &self.axes[axis].ends {
            let slot = end.slot();
            let is_fresh = self.flags[slot] & FRESH != 0;
            if end.is_upper() {
                self.open.leave(slot);
                if is_fresh {
                    self.open_fresh.leave(slot);
                }
                continue;
            }
            let others = [self.intervals[slot][second], self.intervals[slot][third]];
            let candidates = if is_fresh { &self.open } else { &self.open_fresh };
            candidates.visit(others, |other| {
                if rules.allow(slot as u32, other) {
                    added.push(key(slot as u32, other));
                }
            });
            self.open.enter(Open { slot: slot as u32, others });
            if is_fresh {
                self.open_fresh.enter(Open { slot: slot as u32, others });
            }
        }
    }
}

//! [`Detection`]: the pair tests of one step, and when each group must stop because of them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use prall_geometry::Aabb;
use prall_math::Motion;

use super::distribution::Distribution;
use super::{Encounter, Estimate, MovingPair, PairTest, StepError};
use crate::swept_box::{SweptBox, swept_box};
use crate::{Budget, ObjectId};

/// In place of a group: the object rests.
pub(super) const RESTING: u32 = u32::MAX;

/// An object that takes part in a pair test.
#[derive(Clone, Debug)]
pub(super) struct Mover {
    pub(super) object: ObjectId,
    pub(super) group: u32,
    pub(super) motion: Motion,
    pub(super) local: Aabb,
    /// The box that stands for it in the index.
    pub(super) bounds: Aabb,
}

/// A pair test under way.
struct Test<T: PairTest> {
    /// Indices of movers.
    movers: [u32; 2],
    /// Starts here; later than 0 if one of the two has stopped.
    from: f64,
    /// True where a mover has stopped.
    stopped: [bool; 2],
    search: Option<T::Search>,
    known: Encounter<T::Contact>,
    estimate: Option<Estimate>,
    work: u64,
}

/// What came out for one registered motion.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupOutcome<C> {
    /// The object whose motion was registered.
    pub object: ObjectId,
    /// Proven: no member touches anything up to this time, all others moving until *their* time and then resting.
    pub free_until: f64,
    /// Why it ends there; `None` if the whole motion is free.
    pub stopped_by: Option<PairOutcome<C>>,
}

/// What is known about a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOutcome<C> {
    /// Which two.
    pub objects: [ObjectId; 2],
    /// Proven: free from `from` to here. If the test is not finished, all after this time is uncertain.
    pub free_until: f64,
    /// 0, or the time at which one of the two stopped and the pair was tested again.
    pub from: f64,
    /// Where they touch, if they do and it was found.
    pub contact: Option<C>,
    /// False if the budget ended before the test did.
    pub finished: bool,
    /// What to expect where the budget ended, if the test has an opinion.
    pub estimate: Option<Estimate>,
    /// Units of work spent on the pair.
    pub work: u64,
}

/// A pair that meets, or might, at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    time: f64,
    test: u32,
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    /// The earliest is greatest, for a heap that gives the greatest.
    fn cmp(&self, other: &Event) -> Ordering {
        other.time.total_cmp(&self.time).then(other.test.cmp(&self.test))
    }
}

/// The outcome of a step's pair tests; reused from step to step, it allocates nothing.
pub struct Detection<T: PairTest> {
    groups: Vec<GroupOutcome<T::Contact>>,
    tests: Vec<Test<T>>,
    movers: Vec<Mover>,
    /// Tests by group, sorted.
    incident: Vec<(u32, u32)>,
    events: BinaryHeap<Event>,
    queue: Vec<u32>,
    retests: usize,
}

impl<T: PairTest> Default for Detection<T> {
    fn default() -> Detection<T> {
        Detection {
            groups: Vec::new(),
            tests: Vec::new(),
            movers: Vec::new(),
            incident: Vec::new(),
            events: BinaryHeap::new(),
            queue: Vec::new(),
            retests: 0,
        }
    }
}

/// What came out.
impl<T: PairTest> Detection<T> {
    /// One outcome for each registered motion, in the order of registration.
    pub fn groups(&self) -> &[GroupOutcome<T::Contact>] {
        &self.groups
    }

    /// All pairs that were tested, sorted as the index sorts them.
    pub fn pairs(&self) -> impl Iterator<Item = PairOutcome<T::Contact>> + '_ {
        self.tests.iter().map(|test| self.outcome(test))
    }

    /// The pairs for whose tests the budget was too small.
    pub fn unfinished(&self) -> impl Iterator<Item = PairOutcome<T::Contact>> + '_ {
        self.pairs().filter(|pair| !pair.finished)
    }

    /// How many pairs were tested again because one of the two had stopped.
    pub fn retests(&self) -> usize {
        self.retests
    }

    fn outcome(&self, test: &Test<T>) -> PairOutcome<T::Contact> {
        PairOutcome {
            objects: test.movers.map(|mover| self.movers[mover as usize].object),
            free_until: test.known.free_until,
            from: test.from,
            contact: test.known.contact.clone(),
            finished: test.known.finished,
            estimate: test.estimate,
            work: test.work,
        }
    }
}

/// What goes in.
impl<T: PairTest> Detection<T> {
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.tests.clear();
        self.movers.clear();
        self.incident.clear();
        self.events.clear();
        self.queue.clear();
        self.retests = 0;
    }

    pub(super) fn add_group(&mut self, object: ObjectId) {
        self.groups.push(GroupOutcome { object, free_until: 1.0, stopped_by: None });
    }

    pub(super) fn add_mover(&mut self, mover: Mover) -> u32 {
        self.movers.push(mover);
        self.movers.len() as u32 - 1
    }

    pub(super) fn add_pair(&mut self, movers: [u32; 2]) {
        for group in movers.map(|mover| self.movers[mover as usize].group) {
            if group != RESTING {
                self.incident.push((group, self.tests.len() as u32));
            }
        }
        self.tests.push(Test {
            movers,
            from: 0.0,
            stopped: [false; 2],
            search: None,
            known: Encounter { free_until: 0.0, contact: None, finished: false },
            estimate: None,
            work: 0,
        });
    }
}

/// The work.
impl<T: PairTest> Detection<T> {
    /// Tests all pairs as far as the budget goes, each as if nobody stopped.
    pub(super) fn test_all(
        &mut self,
        test: &mut T,
        distribution: Distribution,
        budget: &mut Budget,
    ) -> Result<(), StepError> {
        let (limit, count) = (budget.limit(), self.tests.len());
        let total: f64 = self.tests.iter().map(|test| self.weight(test, distribution)).sum();
        self.queue.extend(0..count as u32);
        while !self.queue.is_empty() && budget.remaining() > 0 && !budget.exhausted() {
            let mut kept = 0;
            for place in 0..self.queue.len() {
                let index = self.queue[place];
                let weight = self.weight(&self.tests[index as usize], distribution);
                let share = distribution.share(limit, index as usize, count, weight, total);
                let progress = self.work_on(index, share, test, budget)?;
                // Shares are given once, portions again and again to whoever makes use of them.
                if distribution == Distribution::Common && progress {
                    self.queue[kept] = index;
                    kept += 1;
                }
            }
            self.queue.truncate(kept);
        }
        self.queue.clear();
        if budget.remaining() == 0 && self.tests.iter().any(|test| !test.known.finished) {
            // This is the unit that is refused.
            budget.take();
        }
        (0..count as u32).for_each(|index| self.conclude(index, test));
        self.incident.sort_unstable();
        Ok(())
    }

    /// Weight of a pair, by the distance of the nearer of its boxes.
    fn weight(&self, test: &Test<T>, distribution: Distribution) -> f64 {
        distribution.weight(|eye| {
            let boxes = test.movers.map(|mover| self.movers[mover as usize].bounds);
            let [a, b] = boxes.map(|bounds| bounds.closest_point(eye).distance(eye));
            a.min(b)
        })
    }

    /// How the two objects of a test move; who has stopped rests.
    fn motions(&self, test: &Test<T>) -> Result<[Motion; 2], StepError> {
        let motion = |side: usize| {
            let motion = &self.movers[test.movers[side] as usize].motion;
            if test.stopped[side] { Motion::still(motion.pose(test.from)) } else { Ok(motion.clone()) }
        };
        Ok([motion(0)?, motion(1)?])
    }

    /// Spends up to so many units on a test; false if more of them would not help.
    fn work_on(
        &mut self,
        index: u32,
        units: u64,
        test: &mut T,
        budget: &mut Budget,
    ) -> Result<bool, StepError> {
        let mut lent = budget.lend(units);
        if lent.remaining() == 0 {
            return Ok(units > 0);
        }
        let motions = self.motions(&self.tests[index as usize])?;
        let this = &mut self.tests[index as usize];
        let objects = this.movers.map(|mover| self.movers[mover as usize].object);
        let pair = MovingPair { objects, motions: [&motions[0], &motions[1]], from: this.from };
        let search = match &mut this.search {
            Some(search) => search,
            none => {
                let search = test.begin(&pair).map_err(|source| StepError::Pair { objects, source })?;
                none.insert(search)
            }
        };
        let found = test.advance(&pair, search, &mut lent);
        // What was proven once stays proven; whatever is not a time proves nothing.
        let free_until = this.known.free_until.max(found.free_until).min(1.0);
        this.known = Encounter { free_until, ..found };
        this.work += lent.used();
        let progress = !this.known.finished && lent.used() > 0;
        budget.take_back(lent);
        if this.known.finished
            && let Some(search) = this.search.take()
        {
            test.end(search);
        }
        Ok(progress)
    }

    /// Asks a test that was not finished what it expects, and gives its memory back.
    fn conclude(&mut self, index: u32, test: &mut T) {
        let Some(search) = self.tests[index as usize].search.take() else { return };
        let this = &self.tests[index as usize];
        if let Ok(motions) = self.motions(this) {
            let objects = this.movers.map(|mover| self.movers[mover as usize].object);
            let pair = MovingPair { objects, motions: [&motions[0], &motions[1]], from: this.from };
            self.tests[index as usize].estimate = test.estimate(&pair, &search);
        }
        test.end(search);
    }

    /// Decides when each group stops.
    ///
    /// In the order of time: whoever meets first stops first, and nothing that happens later changes that. What
    /// has stopped rests, so every pair of it with something that still moves is tested again from then on. Each
    /// group stops once, so that no pair is tested more than twice; at the end every pair is proven free with both
    /// partners moving and resting as they really do.
    pub(super) fn resolve(&mut self, test: &mut T, budget: &mut Budget) -> Result<(), StepError> {
        let meets =
            |(index, test): (usize, &Test<T>)| Event { time: test.known.free_until, test: index as u32 };
        self.events.extend(self.tests.iter().enumerate().map(meets).filter(|event| event.time < 1.0));
        while let Some(event) = self.events.pop() {
            let current = &self.tests[event.test as usize];
            if current.known.free_until != event.time {
                continue;
            }
            let outcome = self.outcome(current);
            let groups = current.movers.map(|mover| self.movers[mover as usize].group);
            let stopping = groups.map(|group| self.is_moving(group));
            for (group, _) in groups.into_iter().zip(stopping).filter(|&(_, stops)| stops) {
                self.groups[group as usize].free_until = event.time;
                self.groups[group as usize].stopped_by = Some(outcome.clone());
            }
            for (group, _) in groups.into_iter().zip(stopping).filter(|&(_, stops)| stops) {
                self.retest_against(group, event.time, test, budget)?;
            }
        }
        Ok(())
    }

    fn is_moving(&self, group: u32) -> bool {
        group != RESTING && self.groups[group as usize].stopped_by.is_none()
    }

    /// Tests everything that still moves against a group that has stopped.
    fn retest_against(
        &mut self,
        group: u32,
        time: f64,
        test: &mut T,
        budget: &mut Budget,
    ) -> Result<(), StepError> {
        let first = self.incident.partition_point(|&(other, _)| other < group);
        for i in first..self.incident.len() {
            let (of, index) = self.incident[i];
            if of != group {
                break;
            }
            let groups = self.tests[index as usize].movers.map(|mover| self.movers[mover as usize].group);
            if !groups.into_iter().any(|group| self.is_moving(group)) {
                continue;
            }
            self.retests += 1;
            let this = &mut self.tests[index as usize];
            this.from = time;
            this.stopped = groups.map(|other| other == group);
            this.estimate = None;
            this.known = Encounter { free_until: time, contact: None, finished: false };
            if self.boxes_stay_apart(index, time) {
                self.tests[index as usize].known =
                    Encounter { free_until: 1.0, contact: None, finished: true };
            } else {
                self.work_on(index, u64::MAX, test, budget)?;
                self.conclude(index, test);
            }
            let time = self.tests[index as usize].known.free_until;
            if time < 1.0 {
                self.events.push(Event { time, test: index });
            }
        }
        Ok(())
    }

    /// True if the box of the one that has stopped and the box around the rest of the other's motion are apart.
    fn boxes_stay_apart(&self, index: u32, time: f64) -> bool {
        let test = &self.tests[index as usize];
        let boxes: [Option<Aabb>; 2] = std::array::from_fn(|side| {
            let mover = &self.movers[test.movers[side] as usize];
            let until = if test.stopped[side] { time } else { 1.0 };
            let rest_of_motion = mover.motion.part(time, until).ok()?;
            swept_box(&mover.local, &rest_of_motion, SweptBox::StartAndEnd).ok()
        });
        matches!(boxes, [Some(a), Some(b)] if !a.overlaps(&b))
    }
}

//! [`StepControl`]: one step of many moving objects, from wished motions to committed poses (Eckstein 1998,
//! chapter 7).
//!
//! A step: register the motions of groups; find all pairs that may meet; test them within a budget; stop every group
//! before it touches; commit. Beyond the source: pairs within a rigid group are left out, members of a group move
//! rigidly on the way and not only at its ends, and where one group stops early, what met it only in passing is
//! tested against it at rest.

mod detection;
mod distribution;
mod pair_test;

use prall_geometry::Aabb;
use prall_math::{Motion, MotionError, Norm, Pose};
use thiserror::Error;

use crate::assembly::{Assembly, AssemblyError, ObjectId};
use crate::carried::carried;
use crate::index::{Filter, IndexError, Method, PairIndex, ProxyId};
use crate::swept_box::{SweptBox, swept_box};
use crate::{Budget, QueryError};
pub use detection::{Detection, GroupOutcome, PairOutcome};
use detection::{Mover, RESTING};
pub use distribution::Distribution;
pub use pair_test::{Encounter, Estimate, MovingPair, PairTest};

/// A motion may start this far, in metres or radians, from where its object is: rounding of poses that were computed
/// in another order.
const START_TOLERANCE: f64 = 1e-9;

/// What a step refuses; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum StepError {
    /// About an object or its pose.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// About a box.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// About a motion.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// An object cannot follow two motions at once, nor change its place among others while it moves.
    #[error("{object:?} already moves in this step with {group:?}; commit or cancel first")]
    Moving {
        /// Which object.
        object: ObjectId,
        /// The object whose registered motion moves it.
        group: ObjectId,
    },
    /// A motion that starts elsewhere.
    #[error("the motion starts at {start:?}, but {object:?} is at {pose:?}")]
    Elsewhere {
        /// Which object.
        object: ObjectId,
        /// Where it is.
        pose: Pose,
        /// Where the motion starts.
        start: Pose,
    },
    /// Two objects that cannot be tested against each other.
    #[error("{:?} against {:?}: {source}", objects[0], objects[1])]
    Pair {
        /// Which two.
        objects: [ObjectId; 2],
        /// Why.
        source: QueryError,
    },
}

#[derive(Clone, Debug)]
struct Tracked {
    object: ObjectId,
    proxy: ProxyId,
    local: Aabb,
    /// Index of the registered group that moves it.
    group: u32,
    /// Index of its mover in the current detection.
    mover: u32,
}

#[derive(Clone, Debug)]
struct Group {
    object: ObjectId,
    motion: Motion,
    /// Its members, as a range of `members`.
    members: std::ops::Range<usize>,
    /// Proven by the last detection; 0 before.
    free_until: f64,
}

/// Objects in boxes, their motions in this step, and the index that knows which may meet.
///
/// Guarantee: if the pair test keeps its contract and nothing touches to begin with, nothing touches after any
/// number of steps, nor on the way, whatever motions are registered and however small the budgets are. The price of a
/// small budget is lost motion.
#[derive(Clone, Debug)]
pub struct StepControl<A> {
    assembly: A,
    index: PairIndex,
    swept: SweptBox,
    /// By slot of the object.
    tracked: Vec<Option<Tracked>>,
    /// By slot of the proxy.
    objects: Vec<usize>,
    groups: Vec<Group>,
    members: Vec<(ObjectId, Motion)>,
    found: Vec<ObjectId>,
}

/// Objects.
impl<A: Assembly> StepControl<A> {
    /// Takes over an assembly without objects.
    ///
    /// `swept` is the box that a moving object is entered with. With [`SweptBox::Target`] only meetings of the ends are
    /// looked for, as by a static test, and the guarantee is void.
    pub fn new(assembly: A, method: Method, swept: SweptBox) -> StepControl<A> {
        StepControl {
            assembly,
            index: PairIndex::new(method),
            swept,
            tracked: Vec::new(),
            objects: Vec::new(),
            groups: Vec::new(),
            members: Vec::new(),
            found: Vec::new(),
        }
    }

    /// A new object: all of it is inside `local`, a box in its own coordinates.
    pub fn add(&mut self, local: Aabb, pose: Pose, filter: Filter) -> Result<ObjectId, StepError> {
        let proxy = self.index.insert(box_at(&local, pose)?, filter)?;
        let object = match self.assembly.add(pose) {
            Ok(object) => object,
            Err(error) => {
                self.index.remove(proxy)?;
                return Err(error.into());
            }
        };
        let slots = self.tracked.len().max(object.slot() + 1);
        self.tracked.resize(slots, None);
        self.tracked[object.slot()] = Some(Tracked { object, proxy, local, group: RESTING, mover: 0 });
        self.objects.resize(self.objects.len().max(proxy.slot() + 1), 0);
        self.objects[proxy.slot()] = object.slot();
        Ok(object)
    }

    /// Takes an object out; what was attached to it stays where it is.
    pub fn remove(&mut self, object: ObjectId) -> Result<(), StepError> {
        let proxy = self.resting(object)?.proxy;
        self.assembly.remove(object)?;
        self.index.remove(proxy)?;
        self.tracked[object.slot()] = None;
        Ok(())
    }

    /// From now on `child` and what it moves go along with `to`.
    pub fn attach(&mut self, child: ObjectId, to: ObjectId) -> Result<(), StepError> {
        self.resting(child)?;
        self.resting(to)?;
        Ok(self.assembly.attach(child, to)?)
    }

    /// Attached to nothing any more.
    pub fn detach(&mut self, object: ObjectId) -> Result<(), StepError> {
        self.resting(object)?;
        Ok(self.assembly.detach(object)?)
    }

    /// These two are never tested against each other.
    pub fn exclude(&mut self, a: ObjectId, b: ObjectId) -> Result<(), StepError> {
        Ok(self.index.exclude(self.known(a)?.proxy, self.known(b)?.proxy)?)
    }

    /// Undoes [`StepControl::exclude`].
    pub fn include(&mut self, a: ObjectId, b: ObjectId) -> Result<(), StepError> {
        Ok(self.index.include(self.known(a)?.proxy, self.known(b)?.proxy)?)
    }

    /// Where things are and what hangs on what.
    pub fn assembly(&self) -> &A {
        &self.assembly
    }

    /// Puts an object, and what it moves, somewhere without any test: the pose that another simulation found. A motion
    /// registered for it is dropped.
    pub fn place(&mut self, object: ObjectId, pose: Pose) -> Result<(), StepError> {
        let group = self.known(object)?.group;
        self.assembly.moves(object, &mut self.found)?;
        for &moved in &self.found {
            match self.groups.get(self.known(moved)?.group as usize) {
                Some(other) if other.object != object => {
                    return Err(StepError::Moving { object: moved, group: other.object });
                }
                _ => {}
            }
        }
        self.assembly.move_to(object, pose)?;
        self.drop_group(group);
        for i in 0..self.found.len() {
            self.update_box(self.found[i])?;
        }
        Ok(())
    }

    fn known(&self, object: ObjectId) -> Result<&Tracked, AssemblyError> {
        let tracked = self.tracked.get(object.slot()).and_then(Option::as_ref);
        tracked.filter(|tracked| tracked.object == object).ok_or(AssemblyError::NoSuchObject(object))
    }

    /// An object that no registered motion moves.
    fn resting(&self, object: ObjectId) -> Result<&Tracked, StepError> {
        let tracked = self.known(object)?;
        match self.groups.get(tracked.group as usize) {
            Some(group) => Err(StepError::Moving { object, group: group.object }),
            None => Ok(tracked),
        }
    }

    fn update_box(&mut self, object: ObjectId) -> Result<(), StepError> {
        let pose = self.assembly.pose(object)?;
        let Tracked { proxy, local, .. } = *self.known(object)?;
        Ok(self.index.update(proxy, box_at(&local, pose)?)?)
    }
}

/// A: motions.
impl<A: Assembly> StepControl<A> {
    /// In this step the object wants to follow `motion`, a motion of its own frame in the world, and takes all that it
    /// moves along rigidly.
    pub fn register(&mut self, object: ObjectId, motion: Motion) -> Result<(), StepError> {
        let (pose, start) = (self.assembly.pose(object)?, motion.start());
        let (p, q) = (pose.rotation, start.rotation);
        let turned = (p - q).norm().min((p + q).norm());
        let displaced = (pose.translation - start.translation).norm();
        let here =
            displaced <= START_TOLERANCE * (1.0 + pose.translation.norm()) && turned <= START_TOLERANCE;
        if !here {
            return Err(StepError::Elsewhere { object, pose, start });
        }
        self.assembly.moves(object, &mut self.found)?;
        let first = self.members.len();
        let outcome = self.expand(&motion);
        if outcome.is_err() {
            self.members.truncate(first);
            return outcome;
        }
        self.renumber(first..self.members.len(), self.groups.len() as u32);
        self.groups.push(Group { object, motion, members: first..self.members.len(), free_until: 0.0 });
        Ok(())
    }

    /// As [`StepControl::register`], by a displacement in the world: the object's origin goes straight, and it turns by
    /// the shorter way.
    pub fn register_displacement(&mut self, object: ObjectId, by: Pose) -> Result<(), StepError> {
        let pose = self.assembly.pose(object)?;
        self.register(object, Motion::slerp(pose, by * pose)?)
    }

    /// B1: every object that a motion moves, with its own motion.
    fn expand(&mut self, motion: &Motion) -> Result<(), StepError> {
        for &member in &self.found {
            self.resting(member)?;
            let motion = carried(motion, self.assembly.pose(member)?)?;
            self.members.push((member, motion));
        }
        Ok(())
    }

    /// Forgets all registered motions.
    pub fn cancel(&mut self) {
        self.renumber(0..self.members.len(), RESTING);
        self.members.clear();
        self.groups.clear();
    }

    /// Forgets one group. Its members keep their places in the list, which nothing refers to any more.
    fn drop_group(&mut self, group: u32) {
        if group as usize >= self.groups.len() {
            return;
        }
        let dropped = self.groups.remove(group as usize);
        self.renumber(dropped.members, RESTING);
        for number in group as usize..self.groups.len() {
            self.renumber(self.groups[number].members.clone(), number as u32);
        }
    }

    fn renumber(&mut self, members: std::ops::Range<usize>, group: u32) {
        for (member, _) in &self.members[members] {
            if let Some(tracked) = &mut self.tracked[member.slot()] {
                tracked.group = group;
            }
        }
    }
}

/// B: detection, and C: commitment.
impl<A: Assembly> StepControl<A> {
    /// Finds out how far every registered motion is free. Poses do not change.
    ///
    /// Finding the pairs is not interruptible, or some would be missed; testing them ends with the budget. What the
    /// budget left open counts as touching from the proven time on.
    pub fn detect<T: PairTest>(
        &mut self,
        test: &mut T,
        distribution: Distribution,
        budget: &mut Budget,
        detection: &mut Detection<T>,
    ) -> Result<(), StepError> {
        detection.clear();
        self.enter_movers(detection)?;
        self.enter_pairs(detection)?;
        self.restore_boxes()?;
        detection.test_all(test, distribution, budget)?;
        detection.resolve(test, budget)?;
        for (group, outcome) in self.groups.iter_mut().zip(detection.groups()) {
            group.free_until = outcome.free_until;
        }
        Ok(())
    }

    /// Moves every group as far as the last detection has proven free, or not at all if there was none since its
    /// motion was registered.
    pub fn commit(&mut self) -> Result<(), StepError> {
        for i in 0..self.groups.len() {
            let Group { object, ref motion, free_until, .. } = self.groups[i];
            if free_until > 0.0 {
                self.assembly.move_to(object, motion.pose(free_until).normalized())?;
            }
        }
        self.restore_boxes()?;
        self.cancel();
        Ok(())
    }

    fn enter_movers<T: PairTest>(&mut self, detection: &mut Detection<T>) -> Result<(), StepError> {
        for (number, group) in self.groups.iter().enumerate() {
            detection.add_group(group.object);
            for (object, motion) in &self.members[group.members.clone()] {
                let Some(tracked) = &mut self.tracked[object.slot()] else { continue };
                let bounds = swept_box(&tracked.local, motion, self.swept)?;
                self.index.update(tracked.proxy, bounds)?;
                tracked.mover = detection.add_mover(Mover {
                    object: *object,
                    group: number as u32,
                    motion: motion.clone(),
                    local: tracked.local,
                    bounds,
                });
            }
        }
        self.tracked.iter_mut().flatten().filter(|t| t.group == RESTING).for_each(|t| t.mover = RESTING);
        Ok(())
    }

    /// B2: each pair with a moving member once, none within a group.
    fn enter_pairs<T: PairTest>(&mut self, detection: &mut Detection<T>) -> Result<(), StepError> {
        for pair in self.index.refresh().all {
            let slots = [pair.a, pair.b].map(|proxy| self.objects[proxy.slot()]);
            let groups =
                slots.map(|slot| self.tracked[slot].as_ref().map_or(RESTING, |tracked| tracked.group));
            if groups[0] == groups[1] {
                continue;
            }
            let mut movers = [0; 2];
            for (mover, slot) in movers.iter_mut().zip(slots) {
                let Some(tracked) = &mut self.tracked[slot] else { continue };
                if tracked.mover == RESTING {
                    let Tracked { object, local, .. } = *tracked;
                    let motion = Motion::still(self.assembly.pose(object)?)?;
                    let bounds = swept_box(&local, &motion, SweptBox::Target)?;
                    let mover = Mover { object, group: RESTING, motion, local, bounds };
                    tracked.mover = detection.add_mover(mover);
                }
                *mover = tracked.mover;
            }
            detection.add_pair(movers);
        }
        Ok(())
    }

    /// Enters every member of a group where it is now.
    fn restore_boxes(&mut self) -> Result<(), StepError> {
        for group in 0..self.groups.len() {
            for i in self.groups[group].members.clone() {
                self.update_box(self.members[i].0)?;
            }
        }
        Ok(())
    }
}

fn box_at(local: &Aabb, pose: Pose) -> Result<Aabb, StepError> {
    Ok(swept_box(local, &Motion::still(pose)?, SweptBox::Target)?)
}

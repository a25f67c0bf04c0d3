//! Branches: the filter follows a straight way and slides on along what it meets.

use prall_math::{Pose, Twist};

use super::Planner;
use crate::command::Command;
use crate::error::HandlingError;
use crate::held::Held;
use crate::sweep::{SWEEP_GUARD, Way};
use prall_detection::Budget;

/// Way of a step of the filter, in radii of the part.
const STRIDE: f64 = 0.5;
/// A step that comes nearer to its target by less than this share of its way ends a branch.
const TRAPPED: f64 = 0.1;
/// Ways shorter than this, in radii, are not kept if they lead nowhere.
const MOVED: f64 = 0.05;
/// A target nearer than this, in radii, may be reached by a piece that is proven as a whole.
const NEARLY_THERE: f64 = 0.25;

/// What became of a branch.
pub(super) enum Grown {
    /// It could not begin.
    Nothing,
    /// It ends at this node.
    Trapped(usize),
    /// This node is the target.
    Reached(usize),
}

impl Planner {
    /// Grows a tree from a node towards a pose, at most so many steps of the filter far.
    pub(super) fn grow(
        &mut self,
        tree: usize,
        from: usize,
        target: &Pose,
        steps: usize,
    ) -> Result<Grown, HandlingError> {
        let (mut node, mut grown) = (from, Grown::Nothing);
        self.held.put(self.trees[tree].pose(from));
        for _ in 0..steps {
            let pose = *self.held.pose();
            let left = self.distance(&pose, target);
            let twist = self.held.difference(&pose, target);
            if left < NEARLY_THERE * self.held.radius && self.held.is_free_along(&twist)? {
                return Ok(Grown::Reached(self.trees[tree].add(node, vec![*target])));
            }
            let share = (STRIDE * self.held.radius / left).min(1.0);
            self.held.step(Some(&Command::Velocity(twist * share)), 1.0, &mut Budget::unlimited())?;
            self.progress.steps += 1;
            let (reached, wanted) = (*self.held.pose(), share * left);
            let trapped = left - self.distance(&reached, target) < TRAPPED * wanted;
            // What slid somewhere else is worth keeping: in narrow places little of a way is free.
            if trapped && self.distance(&pose, &reached) < MOVED * self.held.radius {
                break;
            }
            let way = self.held.report().way[1..].to_vec();
            node = self.trees[tree].add(node, way);
            grown = Grown::Trapped(node);
            if trapped {
                break;
            }
        }
        Ok(grown)
    }
}

impl Held {
    /// Puts the part where it was proven free before.
    pub(crate) fn put(&mut self, pose: Pose) {
        self.state.pose = pose;
        self.state.in_contact = false;
        self.state.contacts.clear();
        self.state.obstacles.iter_mut().for_each(crate::state::ObstacleState::forget);
        self.report.clear();
        self.report.pose = pose;
    }

    /// True if the part is free all along a shift and turn from where it is.
    pub(crate) fn is_free_along(&mut self, x: &Twist) -> Result<bool, HandlingError> {
        if *x == Twist::ZERO {
            return Ok(true);
        }
        self.measure(&crate::collect::Wanted { x: *x, time: 0.0 })?;
        let way = Way { motion: self.motion(x)?, time: 0.0 };
        let guard = SWEEP_GUARD * self.options.guard;
        Ok(self.sweep(&way, guard, &mut Budget::unlimited())? >= 1.0)
    }
}

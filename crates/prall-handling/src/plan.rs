//! [`Planner`]: a way for a part from here to there, or out, of which every piece is proven free.
//!
//! Two trees of free poses grow towards each other (RRT-connect, Kuffner and LaValle 2000). Their branches are made by the filter itself: it follows a
//! straight way as far as that is free and slides on along what it meets, so a branch that would end at an obstacle goes on in contact with it, and
//! narrow passages are found along their walls. A joined way is shortened where a straight piece is proven free.
//!
//! ```text
//! until joined                                                              plan.rs
//!   a sample: the other tree's root, near a node, or anywhere               plan/sample.rs
//!   one tree grows towards it by the filter, the other towards what is new   plan/grow.rs, plan/tree.rs
//! shortcuts; pieces cut until each is proven with the origin on a line      plan/shorten.rs
//! ```

mod grow;
mod sample;
mod shorten;
mod tree;

use glam::DVec3;
use prall_math::{Norm, Pose};

use crate::error::HandlingError;
use crate::held::Held;
use crate::options::Friction;
use crate::random::Random;
use grow::Grown;
use sample::Region;
use tree::Tree;

/// Where a part shall go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlanGoal {
    /// A pose that is free.
    Pose(Pose),
    /// Anywhere beyond the bounds of all obstacles.
    Out,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanProgress {
    /// Steps of the filter.
    pub steps: u64,
    /// Poses in the tree of the start, and in that of the goal.
    pub nodes: [usize; 2],
    /// How near the trees have come to each other, in m; a turn counts as the way at the radius of gyration.
    pub nearest: f64,
}

/// Steps of the filter towards a sample at most, and towards a node of the other tree.
const TOWARDS_SAMPLE: usize = 6;
const TOWARDS_NODE: usize = 60;

/// A part, its start and its goal among obstacles.
pub struct Planner {
    held: Held,
    trees: [Tree; 2],
    region: Region,
    random: Random,
    progress: PlanProgress,
    /// Ways from the start to the goal that were found.
    found: Option<Vec<Pose>>,
}

impl Planner {
    /// Looks for a way of a held part from where it is, without friction. Equal seeds give equal searches.
    ///
    /// Refused are goals in which the part overlaps something, obstacles that it overlaps at the start, and `Out` among obstacles without bounds.
    pub fn new(mut held: Held, goal: PlanGoal, seed: u64) -> Result<Planner, HandlingError> {
        let apart: Vec<&str> = held.set_apart().map(|index| held.obstacles()[index].name()).collect();
        if !apart.is_empty() {
            return Err(HandlingError::Overlap { names: apart.join(", ") });
        }
        held.set_friction(Friction::NONE)?;
        for obstacle in &mut held.obstacles {
            obstacle.friction = None;
        }
        let start = *held.pose();
        let goals = match goal {
            PlanGoal::Pose(pose) => {
                held.set_pose(pose).map_err(|error| match error {
                    HandlingError::Overlap { names } => HandlingError::GoalOverlap { names },
                    other => other,
                })?;
                held.set_pose(start)?;
                vec![pose.normalized()]
            }
            PlanGoal::Out => sample::outside(&held, &start)?,
        };
        let region = Region::new(&held, &start, &goals);
        let trees = [Tree::new(vec![start]), Tree::new(goals)];
        let random = Random::new(seed);
        Ok(Planner { held, trees, region, random, progress: PlanProgress::default(), found: None })
    }

    /// Searches until a way is found or `go_on` says no; false if there is none yet. It may be called again and goes on where it was.
    pub fn search(&mut self, mut go_on: impl FnMut(&PlanProgress) -> bool) -> Result<bool, HandlingError> {
        self.progress.nearest = f64::INFINITY;
        // The straight way first.
        if self.found.is_none() && self.progress.steps == 0 {
            for root in 0..self.trees[1].root_count() {
                let goal = self.trees[1].pose(root);
                if self.join(0, 0, &goal, root)? || !self.say(&mut go_on) {
                    break;
                }
            }
        }
        let mut growing = 0;
        while self.found.is_none() && self.say(&mut go_on) {
            self.round(growing)?;
            growing = 1 - growing;
        }
        Ok(self.found.is_some())
    }

    /// The way that was found, shortened and proven free once more: poses between which the part's *origin* goes straight and the part turns
    /// evenly, as `prall check` follows them. None before there is one.
    pub fn path(&mut self) -> Result<Option<Vec<Pose>>, HandlingError> {
        let Some(found) = self.found.clone() else { return Ok(None) };
        let short = self.shorten(found)?;
        self.with_origin_on_lines(&short).map(Some)
    }

    /// How far the search is.
    pub fn progress(&self) -> &PlanProgress {
        &self.progress
    }

    fn say(&mut self, go_on: &mut impl FnMut(&PlanProgress) -> bool) -> bool {
        self.progress.nodes = [self.trees[0].len(), self.trees[1].len()];
        go_on(&self.progress)
    }

    /// A sample; one tree grows towards it, and the other towards what is new.
    fn round(&mut self, growing: usize) -> Result<(), HandlingError> {
        let other = 1 - growing;
        let (node, target) = self.sample(growing);
        let last = match self.grow(growing, node, &target, TOWARDS_SAMPLE)? {
            Grown::Nothing => return Ok(()),
            Grown::Trapped(last) | Grown::Reached(last) => last,
        };
        let goal = self.trees[growing].pose(last);
        let nearest = self.nearest(other, &goal);
        self.join(other, nearest, &goal, last)?;
        Ok(())
    }

    /// Grows a tree from a node towards a node of the other; true if they meet.
    fn join(
        &mut self,
        growing: usize,
        from: usize,
        goal: &Pose,
        other: usize,
    ) -> Result<bool, HandlingError> {
        let Grown::Reached(last) = self.grow(growing, from, goal, TOWARDS_NODE)? else { return Ok(false) };
        let ends = if growing == 0 { (last, other) } else { (other, last) };
        let mut way = self.trees[0].way_from_root(ends.0);
        let mut rest = self.trees[1].way_from_root(ends.1);
        rest.reverse();
        way.extend(rest);
        way.dedup();
        self.found = Some(way);
        Ok(true)
    }

    /// How far apart two poses are, in m.
    fn distance(&self, p: &Pose, q: &Pose) -> f64 {
        distance(self.held.reference(), self.held.gyration(), p, q)
    }

    /// The node of a tree that is nearest to a pose.
    fn nearest(&mut self, tree: usize, pose: &Pose) -> usize {
        let (reference, gyration) = (self.held.reference(), self.held.gyration());
        let (mut best, mut least) = (0, f64::INFINITY);
        for node in 0..self.trees[tree].len() {
            let far = distance(reference, gyration, &self.trees[tree].pose(node), pose);
            if far < least {
                (best, least) = (node, far);
            }
        }
        self.progress.nearest = self.progress.nearest.min(least);
        best
    }
}

/// Shift of the reference point, and turn as the way at the radius of gyration.
fn distance(reference: DVec3, gyration: f64, p: &Pose, q: &Pose) -> f64 {
    let shift = (p.transform_point(reference) - q.transform_point(reference)).norm();
    let turn = 2.0 * gyration * libm::acos(p.rotation.dot(q.rotation).abs().min(1.0));
    libm::hypot(shift, turn)
}

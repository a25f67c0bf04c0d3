//! A part on its path among obstacles, until it comes too near to one of them.

use std::time::Instant;

use prall_math::{Motion, Pose};

use super::Path;
use crate::batch::{Batch, MovingBodies};
use crate::budget::Budget;
use crate::contact::ContactPoint;
use crate::error::QueryError;
use crate::hierarchy::Hierarchy;
use crate::time_of_impact::{ImpactOptions, TimeOfImpact, time_of_impact};
use crate::workspace::Workspace;

/// Queries that threads share at a time: enough for all of them, and few enough that little is done in vain beyond a contact.
const ROUND: usize = 64;

/// What a search along a path found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAnswer {
    /// Proven: from the start of the path to this time the part keeps more than the clearance.
    pub free_until: f64,
    /// The first place where it does not: the time, the index of the obstacle, and where.
    pub contact: Option<(f64, usize, ContactPoint)>,
    /// False if the budget ended first.
    pub finished: bool,
}

impl PathAnswer {
    /// True if the whole path is proven free.
    pub fn is_free(&self) -> bool {
        self.finished && self.contact.is_none()
    }

    fn free_up_to(time: f64) -> PathAnswer {
        PathAnswer { free_until: time, contact: None, finished: true }
    }

    /// Takes the answer for one obstacle on a piece of the path: what stops first counts.
    fn meet(&mut self, path: &Path, piece: usize, obstacle: usize, answer: &TimeOfImpact) {
        let time = path.time(piece, answer.free_until);
        let stops = answer.contact.is_some() || !answer.finished;
        if stops && (time < self.free_until || self.is_free()) {
            let contact = answer.contact.map(|(_, contact)| (time, obstacle, contact));
            *self = PathAnswer { free_until: time, contact, finished: answer.finished };
        }
    }
}

/// A part, its path and what stands around it, all in the frame of the world.
#[derive(Clone, Copy, Debug)]
pub struct PathQuery<'a> {
    /// What moves.
    pub part: &'a Hierarchy,
    /// How it moves.
    pub path: &'a Path,
    /// What stands still.
    pub obstacles: &'a [&'a Hierarchy],
}

impl PathQuery<'_> {
    /// Follows the path until the part comes nearer to an obstacle than `options.guard`, or to its end.
    ///
    /// Promise: whatever the meshes and the budget, every time up to [`PathAnswer::free_until`] is free. `progress` is
    /// told how many pieces are done.
    pub fn check(
        &self,
        options: &ImpactOptions,
        budget: &mut Budget,
        workspace: &mut Workspace,
        mut progress: impl FnMut(usize),
    ) -> Result<PathAnswer, QueryError> {
        let rest = at_rest();
        for (index, piece) in self.path.pieces.iter().enumerate() {
            let mut first = PathAnswer::free_up_to(self.path.time(index, 1.0));
            for (obstacle, hierarchy) in self.obstacles.iter().enumerate() {
                let answer = time_of_impact(self.part, piece, hierarchy, &rest, options, budget, workspace)?;
                first.meet(self.path, index, obstacle, &answer);
            }
            if !first.is_free() {
                return Ok(first);
            }
            progress(index + 1);
        }
        Ok(PathAnswer::free_up_to(self.path.end_time()))
    }

    /// As [`PathQuery::check`], on all threads of a batch and until a deadline, if there is one; without, the answer has the
    /// bits of one thread.
    pub fn check_in(
        &self,
        batch: &Batch<'_>,
        options: &ImpactOptions,
        deadline: Option<Instant>,
        mut progress: impl FnMut(usize),
    ) -> Result<PathAnswer, QueryError> {
        options.validate()?;
        let rest = at_rest();
        let per_round = (ROUND / self.obstacles.len().max(1)).max(1);
        for (round, pieces) in self.path.pieces.chunks(per_round).enumerate() {
            let queries: Vec<MovingBodies<'_>> = pieces
                .iter()
                .flat_map(|piece| self.obstacles.iter().map(move |obstacle| (piece, *obstacle)))
                .map(|(motion_a, b)| MovingBodies {
                    a: self.part,
                    motion_a,
                    b,
                    motion_b: &rest,
                    work: u64::MAX,
                })
                .collect();
            let mut answers = batch.time_of_impact_until(&queries, options, deadline).into_iter();
            for index in round * per_round..round * per_round + pieces.len() {
                let mut first = PathAnswer::free_up_to(self.path.time(index, 1.0));
                for (obstacle, answer) in answers.by_ref().take(self.obstacles.len()).enumerate() {
                    first.meet(self.path, index, obstacle, &answer?.0);
                }
                if !first.is_free() {
                    return Ok(first);
                }
            }
            progress(round * per_round + pieces.len());
        }
        Ok(PathAnswer::free_up_to(self.path.end_time()))
    }
}

fn at_rest() -> Motion {
    Motion::still(Pose::IDENTITY).expect("the identity is a valid pose")
}

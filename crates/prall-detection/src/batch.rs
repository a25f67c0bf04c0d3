//! [`Batch`]: many independent queries on all threads of a pool, with the answers of one thread.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use prall_math::{Motion, Pose};
use rayon::prelude::*;

use crate::budget::Budget;
use crate::clash::{AssemblyPart, Clash, clash};
use crate::contact::ContactPoint;
use crate::distance::{DistanceOptions, distance};
use crate::error::QueryError;
use crate::hierarchy::Hierarchy;
use crate::overlap::overlap;
use crate::time_of_impact::{ImpactOptions, TimeOfImpact, time_of_impact};
use crate::workspace::Workspace;

/// Most queries that a worker takes at a time: small enough that one hard query does not hold up many easy ones.
const PORTION: usize = 8;

/// Two bodies in their poses.
#[derive(Clone, Copy, Debug)]
pub struct PlacedBodies<'a> {
    /// The first body.
    pub a: &'a Hierarchy,
    /// Where it is.
    pub pose_a: Pose,
    /// The second body.
    pub b: &'a Hierarchy,
    /// Where it is.
    pub pose_b: Pose,
}

/// Two bodies and their motions.
#[derive(Clone, Copy, Debug)]
pub struct MovingBodies<'a> {
    /// The first body.
    pub a: &'a Hierarchy,
    /// How it moves.
    pub motion_a: &'a Motion,
    /// The second body.
    pub b: &'a Hierarchy,
    /// How it moves.
    pub motion_b: &'a Motion,
    /// Most units of work for this query.
    pub work: u64,
}

/// A pool and a workspace for each of its threads.
///
/// Promise: answers are in the order of the queries, and have the same bits on any number of threads; each query is
/// answered by one of them, and a workspace has no influence on answers.
pub struct Batch<'a> {
    pool: &'a rayon::ThreadPool,
    workspaces: Vec<Mutex<Workspace>>,
}

impl<'a> Batch<'a> {
    /// Queries will run on the threads of this pool. Keep the batch: workspaces need to grow once only.
    pub fn new(pool: &'a rayon::ThreadPool) -> Batch<'a> {
        let workspaces = (0..pool.current_num_threads()).map(|_| Mutex::default()).collect();
        Batch { pool, workspaces }
    }

    /// [`overlap`] of each pair.
    pub fn overlap(&self, queries: &[PlacedBodies<'_>]) -> Vec<Result<Option<(u32, u32)>, QueryError>> {
        self.map(queries, |query, workspace| {
            overlap(query.a, &query.pose_a, query.b, &query.pose_b, workspace)
        })
    }

    /// [`distance`] of each pair.
    pub fn distance(
        &self,
        queries: &[PlacedBodies<'_>],
        options: &DistanceOptions,
    ) -> Vec<Result<Option<ContactPoint>, QueryError>> {
        self.map(queries, |query, workspace| {
            distance(query.a, &query.pose_a, query.b, &query.pose_b, options, workspace)
        })
    }

    /// [`time_of_impact`] of each pair, with the work that it took.
    pub fn time_of_impact(
        &self,
        queries: &[MovingBodies<'_>],
        options: &ImpactOptions,
    ) -> Vec<Result<(TimeOfImpact, u64), QueryError>> {
        self.time_of_impact_until(queries, options, None)
    }

    /// The same, cut short at a deadline if there is one.
    pub(crate) fn time_of_impact_until(
        &self,
        queries: &[MovingBodies<'_>],
        options: &ImpactOptions,
        deadline: Option<Instant>,
    ) -> Vec<Result<(TimeOfImpact, u64), QueryError>> {
        self.map(queries, |query, workspace| {
            let MovingBodies { a, motion_a, b, motion_b, work } = *query;
            let mut budget = Budget::of_work(work);
            if let Some(deadline) = deadline {
                budget = budget.until(deadline);
            }
            let answer = time_of_impact(a, motion_a, b, motion_b, options, &mut budget, workspace)?;
            Ok((answer, budget.used()))
        })
    }

    /// [`clash`] of each pair.
    pub fn clash(
        &self,
        pairs: &[(&AssemblyPart, &AssemblyPart)],
        clearance: f64,
        tolerance: f64,
    ) -> Vec<Result<Option<Clash>, QueryError>> {
        self.map(pairs, |(a, b), workspace| clash(a, b, clearance, tolerance, workspace))
    }

    pub(crate) fn map<Q: Sync, R: Send>(
        &self,
        queries: &[Q],
        answer: impl Fn(&Q, &mut Workspace) -> R + Sync,
    ) -> Vec<R> {
        self.pool.install(|| {
            let with_workspace = |query: &Q| {
                // Workers number themselves from 0; a query never waits for another, so no lock is contended.
                let worker = rayon::current_thread_index().unwrap_or(0);
                let mut workspace = self.workspaces[worker].lock().unwrap_or_else(PoisonError::into_inner);
                answer(query, &mut workspace)
            };
            queries.par_iter().with_max_len(PORTION).map(with_workspace).collect()
        })
    }
}

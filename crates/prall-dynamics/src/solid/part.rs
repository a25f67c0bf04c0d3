//! One part of a step: conditions, solve, sweep, commit.

use std::ops::Range;
use std::time::Instant;

use prall_detection::{
    ManifoldOptions, Manifolds, NearFeature, NearKind, NearOptions, distance_bound, find_manifolds,
    near_features,
};
use prall_math::{Norm, Twist};

use super::advance::{Advance, Outcome};
use super::machine::SolidMachine;
use super::row::Row;

/// Features are looked for within this many guards at most; what is farther is met by the sweep.
const SHELL: f64 = 10.0;
/// A gap below this many guards is repaired before anything else.
const REPAIR: f64 = 0.4;
/// How far outside its normal cone a feature still counts, in rad.
const SLACK: f64 = 0.05;
/// Pairs of triangles looked at in one search for features, at most.
const MAX_TRIANGLE_PAIRS: usize = 20_000;
/// A new contact faster than `2 g h` plus this, in m/s, is met before it is solved.
const SLOW: f64 = 1e-3;
/// Impacts that the free motion passes by more guards than these are met first: with and without restitution.
const MEET_ELASTIC: f64 = 2.0;
const MEET_PLASTIC: f64 = 200.0;

/// A pair of shapes that may meet in the present part.
#[derive(Clone, Debug)]
pub(super) struct NearPair {
    pub(super) shapes: [usize; 2],
    pub(super) bodies: [usize; 2],
    /// Number in the memory.
    pub(super) memory: usize,
    pub(super) guard: f64,
    /// Size of the smaller body.
    pub(super) size: f64,
    pub(super) friction: f64,
    pub(super) restitution: f64,
    /// Smallest gap of its features at the start of the part, in m; infinite if none is near.
    pub(super) gap: f64,
    /// A gap of a few guards at most.
    pub(super) touching: bool,
    /// Its last sweep in this part: ways of the bodies, and what came out.
    pub(super) swept: Option<super::sweep::Swept>,
    /// A hit has added conditions.
    pub(super) joined: bool,
    /// Its conditions from the start of the part.
    pub(super) rows: Range<usize>,
}

/// True for features that are places on a body and turn with it, whatever its symmetry.
pub(super) fn has_fixed_place(feature: &NearFeature) -> bool {
    feature.kind == NearKind::Frozen
}

impl Advance<'_> {
    /// Tries to advance everything by `dt` seconds, from the share `from` of the step on.
    pub(super) fn part(&mut self, dt: f64, from: f64) -> Outcome {
        for at in 0..self.scene.bodies.len() {
            self.goal[at] = self.scene.bodies[at].free_motion(dt);
        }
        self.aim_machines(dt);
        let start = Instant::now();
        self.x.clone_from(&self.goal);
        self.find_near();
        self.rows.clear();
        for number in 0..self.near.len() {
            self.collect(number);
        }
        self.report.phases.collect += start.elapsed();
        if !self.repaired && self.needs_repair() {
            self.repaired = true;
            self.repair();
            return self.part(dt, from);
        }
        if !self.last_try
            && let Some(share) = self.first_impact(dt).or_else(|| self.foreseen_impact(dt))
        {
            return Outcome::Shorten(share);
        }
        self.drop_passing();
        let outcome = self.solve_and_sweep(dt);
        if let Outcome::Shorten(_) = outcome {
            return outcome;
        }
        let start = Instant::now();
        self.commit(dt, from);
        self.report.phases.velocity += start.elapsed();
        Outcome::Done
    }

    /// Pairs of shapes whose boxes along the ways meet.
    fn find_near(&mut self) {
        let rules = Self::rules(self.scene.apart);
        let mut broad = std::mem::take(&mut self.tools.broad);
        broad.begin(&self.scene.bodies, &self.scene.shapes, &self.x, &rules);
        self.near.clear();
        for &shapes in &broad.pairs {
            let pair = self.near_pair(shapes);
            self.near.push(pair);
        }
        self.tools.broad = broad;
    }

    /// Adds pairs that only the ways as solved bring together.
    pub(super) fn follow_ways(&mut self) {
        let rules = Self::rules(self.scene.apart);
        let mut broad = std::mem::take(&mut self.tools.broad);
        if broad.follow(&self.scene.bodies, &self.scene.shapes, &self.x, &rules) {
            let mut known = std::mem::take(&mut self.near).into_iter().peekable();
            for &shapes in &broad.pairs {
                let slots = |shapes: [usize; 2]| shapes.map(|shape| self.scene.shapes[shape].slot);
                let key = slots(shapes);
                // Boxes only grow, so pairs only come.
                let pair = match known.next_if(|pair| slots(pair.shapes) == key) {
                    Some(pair) => pair,
                    None => self.near_pair(shapes),
                };
                self.near.push(pair);
            }
        }
        self.tools.broad = broad;
    }

    fn near_pair(&mut self, shapes: [usize; 2]) -> NearPair {
        let [a, b] = shapes.map(|shape| &self.scene.shapes[shape]);
        let bodies = [a.body, b.body];
        let memory = self.memory.pair([a.slot, b.slot]);
        let size = bodies
            .map(|at| &self.scene.bodies[at])
            .into_iter()
            .filter(|body| body.is_movable())
            .fold(f64::INFINITY, |size, body| size.min(body.size));
        let law = a.material.against(&b.material).ok();
        NearPair {
            shapes,
            bodies,
            memory,
            guard: self.scene.options.guard(size),
            size,
            friction: law.map_or(0.0, |law| law.dynamic_friction()),
            restitution: law.map_or(0.0, |law| law.restitution()),
            gap: f64::INFINITY,
            touching: false,
            swept: None,
            joined: false,
            rows: 0..0,
        }
    }

    /// How far the ways `x` move two shapes against each other, in m at most.
    pub(super) fn bound(&self, pair: &NearPair, x: &[Twist]) -> f64 {
        let turning = |side: usize| {
            let (at, shape) = (pair.bodies[side], &self.scene.shapes[pair.shapes[side]]);
            self.scene.bodies[at].turning(&x[at], shape.radius)
        };
        let [a, b] = pair.bodies;
        (x[a].linear - x[b].linear).norm() + turning(0) + turning(1)
    }

    /// By how much the ways `x` turn two shapes against what is known of their features, in rad at most.
    pub(super) fn turn(&self, pair: &NearPair, x: &[Twist]) -> f64 {
        let marked = self.memory.pairs[pair.memory].features.iter().any(has_fixed_place);
        let turn = |at: usize| if marked { x[at].angular.norm() } else { self.scene.bodies[at].turn(&x[at]) };
        pair.bodies.into_iter().map(turn).sum()
    }

    /// Conditions of a pair for this part.
    fn collect(&mut self, number: usize) {
        let bound = self.bound(&self.near[number], &self.goal);
        let pair = &self.near[number];
        let (g, memory) = (pair.guard, &self.memory.pairs[pair.memory]);
        if bound + 4.0 * g <= memory.proven {
            return;
        }
        let turn = self.turn(pair, &self.goal);
        let need = bound.min(SHELL * g).min(2.0 * memory.last_motion + 4.0 * g) + 2.0 * g;
        if memory.covered < need || memory.turn_left < turn {
            self.look_around(number, need + 4.0 * g, turn, bound);
        }
        self.add_rows(number, need);
    }

    /// Makes the list of near features anew, and with it what is proven of the pair.
    pub(super) fn look_around(&mut self, number: usize, reach: f64, turn: f64, bound: f64) {
        let pair = &self.near[number];
        let g = pair.guard;
        let [a, b] = pair.shapes.map(|shape| &self.scene.shapes[shape]);
        let [pose_a, pose_b] = [a, b].map(|shape| self.scene.bodies[shape.body].pose * shape.pose);
        let slack = SLACK + 2.0 * turn;
        let options = NearOptions { reach, slack, max_triangle_pairs: MAX_TRIANGLE_PAIRS };
        let memory = &mut self.memory.pairs[pair.memory];
        memory.features.clear();
        let workspace = &mut self.tools.workspace;
        let answer = near_features(
            a.boundary,
            &pose_a,
            b.boundary,
            &pose_b,
            &options,
            workspace,
            &mut memory.features,
        );
        // Poses that are no longer finite have no features; such a world says so by `is_finite`.
        let Ok(answer) = answer else { return };
        memory.covered = reach;
        memory.turn_left = turn + SLACK;
        memory.proven = memory.proven.max(answer.distance);
        if answer.distance <= 0.0 {
            // Pairs without a gap are taken apart once; what has none after that overlaps.
            (memory.touching, memory.overlapping) =
                (!memory.touching && !memory.overlapping, memory.touching || memory.overlapping);
            memory.covered = -1.0;
        } else {
            (memory.touching, memory.overlapping) = (false, false);
            if memory.features.is_empty() {
                let within = 8.0 * bound + 20.0 * g;
                let far = distance_bound(a.boundary, &pose_a, b.boundary, &pose_b, within, workspace);
                memory.proven = memory.proven.max(far.unwrap_or(0.0));
            }
        }
    }

    /// The smallest gap of the pairs of the last part that is proven, in m; infinite if nothing is near.
    ///
    /// Proofs wear off as bodies move: those that are down to a part of the guard are made anew.
    pub(super) fn smallest_gap(&mut self) -> f64 {
        let mut smallest = f64::INFINITY;
        for pair in &self.near {
            let memory = &mut self.memory.pairs[pair.memory];
            if memory.overlapping {
                continue;
            }
            if memory.proven < 0.5 * pair.guard {
                let [a, b] = pair.shapes.map(|shape| &self.scene.shapes[shape]);
                let [pose_a, pose_b] = [a, b].map(|shape| self.scene.bodies[shape.body].pose * shape.pose);
                let workspace = &mut self.tools.workspace;
                let bound =
                    distance_bound(a.boundary, &pose_a, b.boundary, &pose_b, 2.0 * pair.guard, workspace);
                memory.proven = memory.proven.max(bound.unwrap_or(0.0));
            }
            smallest = smallest.min(memory.proven);
        }
        smallest
    }

    fn add_rows(&mut self, number: usize, need: f64) {
        let pair = &self.near[number];
        let memory = &self.memory.pairs[pair.memory];
        if memory.overlapping {
            self.add_overlap_rows(number);
            return;
        }
        let mut smallest = f64::INFINITY;
        let first = self.rows.len();
        for feature in &memory.features {
            let row = self.row(pair, feature);
            if row.start.gap <= need {
                smallest = smallest.min(row.start.gap);
                self.rows.push(row);
            }
        }
        let touching = self.rows[first..].iter().any(Row::touches);
        let bent = self.rows[first..].iter().any(Row::bends);
        let pair = &mut self.near[number];
        (pair.gap, pair.touching, pair.rows) = (smallest, touching, first..self.rows.len());
        for at in pair.bodies {
            self.scene.bodies[at].touching |= touching;
            self.scene.bodies[at].bent |= bent;
        }
    }

    /// Conditions of a pair that overlaps: where contact points are, it must not get deeper. So it may separate, and what was pressed together
    /// holds as a press fit does.
    fn add_overlap_rows(&mut self, number: usize) {
        let pair = &self.near[number];
        let [a, b] = pair.shapes.map(|shape| &self.scene.shapes[shape]);
        let [pose_a, pose_b] = [a, b].map(|shape| self.scene.bodies[shape.body].pose * shape.pose);
        let mut manifolds = Manifolds::new();
        let options = ManifoldOptions { margin: 0.0, ..ManifoldOptions::default() };
        if find_manifolds(a.touchable, &pose_a, b.touchable, &pose_b, &options, &mut manifolds).is_err() {
            return;
        }
        let first = self.rows.len();
        for (seed, contact) in (2..).zip(manifolds.points()) {
            let feature = NearFeature::from_contact(contact, &pose_a, &pose_b, seed);
            let mut row = self.row(pair, &feature);
            row.target = row.start.gap;
            self.rows.push(row);
        }
        let pair = &mut self.near[number];
        (pair.touching, pair.rows) = (true, first..self.rows.len());
        for at in pair.bodies {
            (self.scene.bodies[at].touching, self.scene.bodies[at].bent) = (true, true);
        }
    }

    /// The condition of a feature pair, with the forces of the last time.
    pub(super) fn row(&self, pair: &NearPair, feature: &NearFeature) -> Row {
        let places = pair.shapes.map(|shape| self.scene.shapes[shape].pose);
        let poses = pair.bodies.map(|at| self.scene.bodies[at].pose);
        let start = feature.at(&(poses[0] * places[0]), &(poses[1] * places[1]));
        let force = self.memory.pairs[pair.memory].force(feature.name);
        let tangential = force.map_or(glam::DVec3::ZERO, |force| force.tangential);
        let mut row = Row {
            pair: pair.memory,
            bodies: pair.bodies,
            places,
            feature: *feature,
            guard: pair.guard,
            start,
            point: 0.5 * (start.on_a + start.on_b),
            target: 0.0,
            share: 1.0,
            friction: pair.friction,
            restitution: pair.restitution,
            normal_force: force.map_or(0.0, |force| force.normal),
            tangential_force: tangential - start.normal * start.normal.dot(tangential),
            dropped: false,
        };
        row.target = row.usual_target();
        row
    }

    fn needs_repair(&self) -> bool {
        let touching = self.near.iter().any(|pair| self.memory.pairs[pair.memory].touching);
        let small = |row: &Row| row.start.gap < REPAIR * row.guard;
        touching || self.rows.iter().any(|row| small(row) && !self.memory.pairs[row.pair].overlapping)
    }

    /// Opens small gaps without giving anything a velocity.
    fn repair(&mut self) {
        self.report.repairs += 1;
        let goal = std::mem::take(&mut self.goal);
        self.goal = goal.iter().map(|_| Twist::ZERO).collect();
        self.x.clone_from(&self.goal);
        self.scene.machines.iter_mut().for_each(SolidMachine::let_go);
        for row in &mut self.rows {
            if !self.memory.pairs[row.pair].overlapping {
                row.target = row.guard.min(row.start.gap + 0.5 * row.guard);
            }
            (row.friction, row.normal_force, row.tangential_force) = (0.0, 0.0, glam::DVec3::ZERO);
        }
        self.repairing = true;
        let last_try = std::mem::replace(&mut self.last_try, true);
        // A last try is carried out as far as is proven, whatever it comes to.
        let _ = self.solve_and_sweep(1.0);
        self.last_try = last_try;
        self.keep_displaced();
        self.repairing = false;
        self.move_bodies(None);
        self.goal = goal;
    }

    /// Share of the part after which the first fast impact comes that the free motion would go far through.
    fn first_impact(&self, dt: f64) -> Option<f64> {
        let slow = self.scene.gravity.norm() * self.step + SLOW;
        let mut first: Option<f64> = None;
        for row in self.rows.iter().filter(|row| row.start.gap > 1.4 * row.guard) {
            let speed = self.approach(row);
            if speed <= slow {
                continue;
            }
            let meet = if row.restitution > 0.0 { MEET_ELASTIC } else { MEET_PLASTIC };
            let [a, b] = row.bodies.map(|at| self.scene.bodies[at].moved(&self.goal[at], 1.0));
            let end = row.at([&a, &b]);
            if end.gap >= row.guard - meet * row.guard || !end.on_features {
                continue;
            }
            // gap + b s + c s^2 = guard
            let (b, excess) = (-speed * dt, row.start.gap - row.guard);
            let c = end.gap - row.start.gap - b;
            let root = 2.0 * excess / (-b + (b * b - 4.0 * c * excess).max(0.0).sqrt());
            if root > 0.0 && root < 0.95 {
                first = Some(first.map_or(root, |first| first.min(root)));
            }
        }
        first
    }

    /// Speed in m/s at which the points of a row approach each other at the start of the part.
    pub(super) fn approach(&self, row: &Row) -> f64 {
        let [a, b] = row.bodies.map(|at| {
            let body = &self.scene.bodies[at];
            body.velocity.linear + body.velocity.angular.cross(row.point - body.pose.translation)
        });
        -row.start.normal.dot(a - b)
    }

    /// Leaves out conditions on features that pass each other: their planes reach farther than they do.
    fn drop_passing(&mut self) {
        for number in 0..self.rows.len() {
            let row = &self.rows[number];
            let at = |share: f64| {
                let [a, b] = row.bodies.map(|at| self.scene.bodies[at].moved(&self.goal[at], share));
                row.at([&a, &b])
            };
            let end = at(1.0);
            if end.gap < row.target && !end.on_features {
                let half = at(0.5);
                let passes = !half.on_features || half.gap > row.target;
                self.rows[number].dropped = passes && row.normal_force == 0.0;
            }
        }
    }
}

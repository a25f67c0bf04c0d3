//! A step of solid bodies, cut into parts.

use std::collections::BTreeSet;

use glam::DVec3;
use prall_detection::{ManifoldOptions, Manifolds, Workspace, find_manifolds};
use prall_geometry::Aabb;
use prall_math::{Motion, Norm, Twist};
use prall_mechanics::island::IslandSolver;
use prall_mechanics::{Budget, Mover};

use super::body::{SolidBody, SolidShape};
use super::broad::{Broad, Rules};
use super::machine::SolidMachine;
use super::memory::Memory;
use super::part::NearPair;
use super::plane::PlaneMemory;
use super::row::Row;
use super::solve::SolidJoint;
use super::{SolidContact, SolidImpact, SolidOptions, SolidReport};

/// Angle in rad that a jointed body turns by in a part, at most.
const JOINTED_TURN: f64 = 0.2;
/// Angle in rad that any body turns by in a part, at most.
const FREE_TURN: f64 = 2.0;
/// Way in sizes of the smaller body that touching bodies move against each other by in a part, at most.
const TRAVEL: f64 = 0.1;
/// Attempts at a part before it is carried out as far as it can.
const TRIES: usize = 8;
/// After this many parts in a row in which somebody was stopped, shorter ones would not help.
const MOST_JAMS: usize = 2;
/// Parts shorter than this share of the step are not cut further.
const SHORTEST: f64 = 1e-5;

/// Memory that outlives a step, without influence on its results.
#[derive(Default)]
pub(crate) struct Tools {
    pub(crate) solver: IslandSolver,
    pub(crate) workspace: Workspace,
    pub(crate) broad: Broad,
    pub(crate) planes: PlaneMemory,
}

/// What a step is made of.
pub(crate) struct Scene<'a> {
    pub(crate) bodies: Vec<SolidBody>,
    pub(crate) shapes: Vec<SolidShape<'a>>,
    pub(crate) joints: Vec<SolidJoint<'a>>,
    pub(crate) machines: Vec<SolidMachine>,
    /// Pairs of bodies (indices of the world) that joints keep from touching.
    pub(crate) apart: &'a BTreeSet<(u32, u32)>,
    /// Acceleration of free fall, in m/s^2.
    pub(crate) gravity: DVec3,
    /// Errors of limits that are larger than what this does in a part are closed at this speed, in m/s or rad/s.
    pub(crate) assembly_speed: f64,
    pub(crate) options: SolidOptions,
}

/// A step under way.
pub(crate) struct Advance<'a> {
    pub(super) scene: Scene<'a>,
    /// All movers of the world.
    pub(super) movers: &'a mut [Box<dyn Mover>],
    pub(super) memory: &'a mut Memory,
    pub(super) tools: &'a mut Tools,
    /// Length of the step in s.
    pub(super) step: f64,
    pub(crate) report: SolidReport,
    pub(crate) contacts: Vec<SolidContact>,
    pub(crate) impacts: Vec<SolidImpact>,
    /// By body: its motion in each part, with the shares of the step.
    pub(crate) ways: Vec<Vec<(f64, f64, Motion)>>,
    pub(super) rows: Vec<Row>,
    /// Pairs of shapes whose boxes meet in this part: number of the memory and shapes.
    pub(super) near: Vec<NearPair>,
    /// By body: where it wants to go in this part, and where it goes.
    pub(super) goal: Vec<Twist>,
    pub(super) x: Vec<Twist>,
    /// Halvings of the present interval because a solve did not converge.
    pub(super) halvings: usize,
    /// A part may not be shortened any more.
    pub(super) last_try: bool,
    pub(super) repaired: bool,
    /// Small gaps are being opened: as far as they can be, where not all of them can.
    pub(super) repairing: bool,
    /// By body: its island was proven to rest.
    pub(super) resting: Vec<bool>,
    /// By body: the solve of its island did not converge.
    pub(super) troubled: Vec<bool>,
    /// By body: links of machines are in its island.
    pub(super) coupled: Vec<bool>,
    /// By body: the share of its way after which it was stopped; 1 for those that were not.
    pub(super) ends: Vec<f64>,
    pub(super) was_stopped: Vec<bool>,
    /// By body: its velocity after the part is known.
    pub(super) settled: Vec<bool>,
    /// By body: the way that it has gone in this part.
    pub(super) done: Vec<Twist>,
    /// Time in s that some body did not move, summed over the parts.
    pub(super) lost: f64,
    /// By shape: a box around all that it went through.
    pub(super) covers: Vec<Aabb>,
    /// A body was stopped in the present part.
    pub(super) jammed: bool,
    /// Length of the part in s.
    pub(super) dt: f64,
    /// Share of the step at which the part begins.
    pub(super) from: f64,
}

/// How a part ended.
pub(super) enum Outcome {
    /// It was carried out.
    Done,
    /// It should be this share as long.
    Shorten(f64),
}

impl<'a> Advance<'a> {
    pub(crate) fn new(
        scene: Scene<'a>,
        movers: &'a mut [Box<dyn Mover>],
        memory: &'a mut Memory,
        tools: &'a mut Tools,
        step: f64,
    ) -> Advance<'a> {
        let count = scene.bodies.len();
        let covers =
            scene.shapes.iter().map(|shape| shape.swept_box(&scene.bodies[shape.body], &Twist::ZERO));
        let covers = covers.collect();
        let movable = scene.bodies.iter().filter(|body| body.is_movable()).count();
        let report = SolidReport { bodies: movable, ..SolidReport::default() };
        Advance {
            scene,
            movers,
            memory,
            tools,
            step,
            report,
            contacts: Vec::new(),
            impacts: Vec::new(),
            ways: vec![Vec::new(); count],
            rows: Vec::new(),
            near: Vec::new(),
            goal: vec![Twist::ZERO; count],
            x: vec![Twist::ZERO; count],
            halvings: 0,
            last_try: false,
            repaired: false,
            repairing: false,
            resting: vec![false; count],
            troubled: vec![false; count],
            coupled: vec![false; count],
            ends: vec![1.0; count],
            was_stopped: vec![false; count],
            settled: vec![false; count],
            done: vec![Twist::ZERO; count],
            lost: 0.0,
            covers,
            jammed: false,
            dt: 0.0,
            from: 0.0,
        }
    }

    /// Carries out the step, and returns the bodies where they are then.
    pub(crate) fn run(&mut self, budget: &mut Budget) -> &[SolidBody] {
        let mut left = self.step;
        self.begin_machines();
        // Parts in a row in which somebody was stopped.
        let mut jams = 0;
        while left > 0.0 {
            if self.report.parts >= self.scene.options.max_parts || budget.exhausted() {
                self.lost += left;
                self.scene.bodies.iter_mut().for_each(|body| body.was_stopped = true);
                break;
            }
            self.jammed = false;
            let used = self.report.work;
            let done = self.interval(left, jams >= MOST_JAMS);
            jams = if self.jammed { jams + 1 } else { 0 };
            left = if left - done <= 1e-12 * self.step { 0.0 } else { left - done };
            budget.take_units(self.report.work - used);
        }
        self.finish();
        &self.scene.bodies
    }

    pub(super) fn rules(apart: &'a BTreeSet<(u32, u32)>) -> Rules<'a> {
        Rules { apart }
    }

    /// One part of at most `left` seconds; its length.
    ///
    /// What is stuck is not cut into ever shorter parts: then the first try is the last.
    fn interval(&mut self, left: f64, stuck: bool) -> f64 {
        let from = (self.step - left) / self.step;
        self.from = from;
        let mut dt = self.longest_part(left);
        (self.halvings, self.repaired) = (0, false);
        let mut tries = 0;
        loop {
            tries += 1;
            self.last_try = stuck || tries >= TRIES || dt <= SHORTEST * self.step;
            match self.part(dt, from) {
                Outcome::Done => {
                    self.report.parts += 1;
                    return dt;
                }
                Outcome::Shorten(share) => dt *= share.clamp(1e-3, 0.95),
            }
        }
    }

    /// How long a part may be so that gaps stay nearly linear in the motion.
    fn longest_part(&self, left: f64) -> f64 {
        let mut dt = left;
        for body in self.scene.bodies.iter().filter(|body| body.is_movable() || body.radius.is_finite()) {
            let cap = |most: f64, speed: f64| if speed > 0.0 { most / speed } else { f64::INFINITY };
            let surface = body.counted_turn(&body.velocity);
            if body.touching && body.radius.is_finite() {
                dt = dt.min(cap(self.turn_cap(body), surface));
            } else if body.jointed {
                // Of links their machine knows better.
                let counted = if body.link.is_some() { surface } else { body.velocity.angular.norm() };
                dt = dt.min(cap(JOINTED_TURN, counted));
            }
            dt = dt.min(cap(FREE_TURN, body.velocity.angular.norm()));
        }
        for pair in self.near.iter().filter(|pair| pair.touching) {
            let [a, b] = pair.bodies.map(|at| &self.scene.bodies[at]);
            let speed = (a.velocity.linear - b.velocity.linear).norm();
            dt = dt.min(TRAVEL * pair.size / speed.max(1e-9));
        }
        // Two parts of equal length instead of one and a sliver.
        if dt < left { left / (left / dt).ceil().max(1.0) } else { left }
    }

    /// The angle by which a touching body turns in a part at most: the arc leaves its chord by half a guard.
    pub(super) fn turn_cap(&self, body: &SolidBody) -> f64 {
        let guard = self.scene.options.guard(body.size);
        (4.0 * guard / body.radius.max(1e-9)).sqrt()
    }

    fn finish(&mut self) {
        self.report.smallest_gap = self.smallest_gap();
        self.report.lost_time = self.lost;
        for pair in &self.near {
            if self.memory.pairs[pair.memory].overlapping {
                self.report.overlapping += 1;
                self.report.overlap_depth = self.report.overlap_depth.max(self.depth(pair));
            }
        }
    }

    /// How deep two shapes overlap that do, in m: as far as contact points tell, and a guard at least.
    fn depth(&self, pair: &NearPair) -> f64 {
        let [a, b] = pair.shapes.map(|shape| &self.scene.shapes[shape]);
        let [pose_a, pose_b] = [a, b].map(|shape| self.scene.bodies[shape.body].pose * shape.pose);
        let mut manifolds = Manifolds::new();
        let options = ManifoldOptions { margin: 0.0, ..ManifoldOptions::default() };
        let found = find_manifolds(a.touchable, &pose_a, b.touchable, &pose_b, &options, &mut manifolds);
        let depth = if found.is_ok() { -manifolds.smallest_gap() } else { 0.0 };
        if depth.is_finite() { depth.max(pair.guard) } else { pair.guard }
    }
}

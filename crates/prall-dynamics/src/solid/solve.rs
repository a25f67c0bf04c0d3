//! The motion nearest to the free one that keeps every gap open at the end of the part, island by island.
//!
//! Gaps are linearised at a pose of the part (a look) and the linear problem is solved by [`prall_mechanics::island`]; the next look is at the
//! solution. Forces act with the normals and arms of the part's start, gaps count at its end: with `J0` and `J1` the gradients at
//! both, `x = goal + M^-1 J0' F` is solved as `goal + M^-1 (J0 - J1)' F_before + M^-1 J1' F`, so that the matrix stays symmetric.

use glam::{DMat3, DVec3};
use prall_detection::NearKind;
use prall_math::{Norm, Twist};
use prall_mechanics::island::{IslandBody, IslandContact, IslandCoupling, IslandEquation, IslandTolerances};

use super::advance::Advance;
use super::body::arc;
use super::curvature::{of_own_face, of_own_point};
use super::drive::{DrivenRow, Law, Span};
use crate::joint::{Coordinates, Joint};
use crate::union::Union;

/// Motion below this many guards is rest, if the forces of the last time cause no more.
const REST: f64 = 1e-3;
/// A gap may be short of what is asked for by this many guards at the end.
const SHORT: f64 = 0.1;
/// A loaded gap may exceed what is asked for by this many guards at the end.
const OPEN: f64 = 0.3;
/// Ways may differ from what forces explain by this share of what these do.
const EXPLAINED: f64 = 0.02;
/// No lever makes a body go farther than so many times what anything in its island wants to go.
const FARTHEST: f64 = 100.0;
/// Joints are closed to this, in m or rad.
const JOINT_TOLERANCE: f64 = 1e-7;

/// A joint between two bodies of the step.
#[derive(Clone, Debug)]
pub(crate) struct SolidJoint<'a> {
    pub(crate) joint: &'a Joint,
    /// Number in the world.
    pub(crate) number: usize,
    /// Indices of the bodies in the step.
    pub(crate) bodies: [usize; 2],
    /// Half of the forces of its rows in the last solve: in N between parts, in kg m (or kg m^2) during one.
    pub(crate) forces: Vec<f64>,
    /// Values of its coordinates where its bodies are, and where they were before they last moved.
    pub(crate) coordinates: Coordinates,
    pub(crate) coordinates_before: Coordinates,
}

/// Bodies that conditions connect.
#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    pub(super) bodies: Vec<usize>,
    pub(super) rows: Vec<usize>,
    pub(super) joints: Vec<usize>,
    /// It has conditions that were not there when it was last solved.
    pub(super) new: bool,
}

/// The linear problem of an island at a look.
#[derive(Default)]
pub(super) struct Linear {
    pub(super) bodies: Vec<IslandBody>,
    pub(super) couplings: Vec<IslandCoupling>,
    pub(super) contacts: Vec<IslandContact>,
    pub(super) equations: Vec<IslandEquation>,
    pub(super) x: Vec<Twist>,
}

impl Advance<'_> {
    /// Islands of the present conditions, in the order of their first body.
    pub(super) fn islands(&self, is_new: impl Fn(usize) -> bool) -> Vec<Island> {
        let bodies = &self.scene.bodies;
        let mut union = Union::of(bodies.len());
        let rows = self.rows.iter().filter(|row| !row.dropped).map(|row| row.bodies);
        for [a, b] in rows.chain(self.scene.joints.iter().map(|joint| joint.bodies)) {
            if bodies[a].is_movable() && bodies[b].is_movable() {
                union.join(a, b);
            }
        }
        for machine in &self.scene.machines {
            let mut links = machine.links.iter().map(|(_, at)| *at).filter(|&at| bodies[at].is_movable());
            if let Some(first) = links.next() {
                for at in links {
                    union.join(first, at);
                }
            }
        }
        // Of a machine the links that meet something; the others follow.
        let mut met = vec![false; bodies.len()];
        let mut numbers = vec![usize::MAX; bodies.len()];
        let mut islands: Vec<Island> = Vec::new();
        let mut island_of = |at: usize, islands: &mut Vec<Island>| {
            let lead = union.lead(at);
            if numbers[lead] == usize::MAX {
                numbers[lead] = islands.len();
                islands.push(Island::default());
            }
            numbers[lead]
        };
        let movable = |pair: [usize; 2]| pair.into_iter().find(|&at| bodies[at].is_movable());
        for (number, row) in self.rows.iter().enumerate().filter(|(_, row)| !row.dropped) {
            if let Some(at) = movable(row.bodies) {
                let island = island_of(at, &mut islands);
                islands[island].rows.push(number);
                islands[island].new |= is_new(number);
                row.bodies.into_iter().for_each(|at| met[at] = true);
            }
        }
        for (number, joint) in self.scene.joints.iter().enumerate() {
            if let Some(at) = movable(joint.bodies) {
                let island = island_of(at, &mut islands);
                islands[island].joints.push(number);
            }
        }
        for at in
            (0..bodies.len()).filter(|&at| bodies[at].is_movable() && (met[at] || bodies[at].link.is_none()))
        {
            let lead = union.lead(at);
            if numbers[lead] != usize::MAX {
                islands[numbers[lead]].bodies.push(at);
            }
        }
        islands
    }

    /// Solves an island; its worst gap at the end beyond what is tolerated, in guards.
    pub(super) fn solve_island(&mut self, island: &Island) -> f64 {
        let mut linear = Linear::default();
        for &at in &island.bodies {
            self.ends[at] = 1.0;
        }
        let coupled = !self.machines_of(island).is_empty();
        for &at in &island.bodies {
            self.coupled[at] = coupled;
        }
        let (mut error, contradictory) = self.looks(island, &mut linear);
        let mut lost = self.runs_away(island);
        if (error > 0.5 || contradictory || lost) && (self.lower_targets(island) || lost) {
            error = self.looks(island, &mut linear).0;
            lost = self.runs_away(island);
        }
        if lost {
            error = 1.0;
            self.let_stand(island);
        }
        let troubled = error > 0.0;
        self.report.unconverged += usize::from(troubled);
        for &at in &island.bodies {
            self.troubled[at] = troubled;
        }
        error
    }

    /// True if a solve that found no answer has sent a body off: much farther than anything in the island wants to go, or is driven.
    fn runs_away(&self, island: &Island) -> bool {
        let way = |at: usize, x: &Twist| {
            let radius = self.scene.bodies[at].radius;
            let turning = if radius.is_finite() { arc(x.angular.norm(), radius) } else { 0.0 };
            x.linear.norm() + turning
        };
        let met = island.rows.iter().flat_map(|&row| self.rows[row].bodies);
        let jointed = island.joints.iter().flat_map(|&joint| self.scene.joints[joint].bodies);
        let all = island.bodies.iter().copied().chain(met).chain(jointed);
        let wanted = all.fold(0.0_f64, |far, at| far.max(way(at, &self.goal[at])));
        let farthest = FARTHEST * wanted.max(self.scene.options.max_guard);
        // Written so that what is not a number has run away.
        !island.bodies.iter().all(|&at| way(at, &self.x[at]) <= farthest)
    }

    /// Lets the bodies of an island stand where they are, stopped.
    fn let_stand(&mut self, island: &Island) {
        for &number in &island.rows {
            let row = &mut self.rows[number];
            (row.normal_force, row.tangential_force) = (0.0, DVec3::ZERO);
        }
        for machine in self.machines_of(island) {
            self.scene.machines[machine].let_go();
        }
        for &at in &island.bodies {
            if self.scene.bodies[at].is_free() {
                (self.x[at], self.ends[at]) = (Twist::ZERO, 0.0);
            } else {
                self.x[at] = self.goal[at];
            }
        }
    }

    /// Asks for no more than standing still fulfils; false if nothing more was asked.
    fn lower_targets(&mut self, island: &Island) -> bool {
        let mut lowered = false;
        for &number in &island.rows {
            let row = &mut self.rows[number];
            lowered |= row.target > row.modest_target();
            row.target = row.modest_target();
            (row.normal_force, row.tangential_force) = (0.0, DVec3::ZERO);
        }
        for &at in &island.bodies {
            self.x[at] = self.goal[at];
        }
        lowered
    }

    /// The worst gap at the end beyond what is tolerated, in guards, and whether the conditions contradict each other.
    fn looks(&mut self, island: &Island, linear: &mut Linear) -> (f64, bool) {
        let guard = island.rows.iter().fold(f64::INFINITY, |g, &row| g.min(self.rows[row].guard));
        let guard = if guard.is_finite() { guard } else { self.scene.options.max_guard };
        let iterations = self.scene.options.max_iterations;
        let tolerances = IslandTolerances {
            gap: 0.05 * guard,
            motion: 0.01 * guard,
            relative_motion: 1e-4,
            cone: 0.01,
            equation: JOINT_TOLERANCE,
            max_outer: iterations,
            max_newton: iterations,
        };
        // The first look is at the start of the part.
        let mut look: Vec<Twist> = vec![Twist::ZERO; island.bodies.len()];
        let mut last_error = f64::INFINITY;
        let mut error = f64::INFINITY;
        linear.couplings = self.couplings(island, true);
        let machines = self.machines_of(island);
        machines.iter().for_each(|&machine| self.follow_forces(machine));
        for number in 0..self.scene.options.max_looks {
            self.linearise(island, &look, linear);
            if number == 0 && machines.is_empty() && self.rests(island, linear, guard) {
                return (0.0, false);
            }
            let mut solver = std::mem::take(&mut self.tools.solver);
            let report = solver.solve(
                &linear.bodies,
                &linear.couplings,
                &mut linear.contacts,
                &mut linear.equations,
                &tolerances,
                &mut linear.x,
            );
            self.tools.solver = solver;
            if report.infeasible && !self.repairing {
                return (error.min(1.0), true);
            }
            self.take_over(island, linear);
            machines.iter().for_each(|&machine| self.follow_forces(machine));
            error = self.end_error(island);
            if error <= 0.0 && self.forces_explain(island, linear) {
                break;
            }
            let half_way = error > 0.0 && error > 0.5 * last_error;
            last_error = error;
            for (look, &at) in look.iter_mut().zip(&island.bodies) {
                let x = self.x[at];
                *look = if half_way {
                    Twist {
                        linear: 0.5 * (look.linear + x.linear),
                        angular: 0.5 * (look.angular + x.angular),
                    }
                } else {
                    x
                };
            }
        }
        (error, false)
    }

    /// True if the ways are those that the forces make at the poses of the start: then velocities from these forces keep both momenta.
    fn forces_explain(&self, island: &Island, linear: &Linear) -> bool {
        if !island.joints.is_empty() || !linear.couplings.is_empty() {
            return true;
        }
        let mut pushes = vec![(DVec3::ZERO, DVec3::ZERO); island.bodies.len()];
        for row in island.rows.iter().map(|&row| &self.rows[row]).filter(|row| row.normal_force > 0.0) {
            for (at, sign) in [(row.bodies[0], 1.0), (row.bodies[1], -1.0)] {
                if let Ok(place) = island.bodies.binary_search(&at) {
                    let (force, arm) =
                        (row.force() * sign, row.point - self.scene.bodies[at].pose.translation);
                    pushes[place].0 += force;
                    pushes[place].1 += arm.cross(force);
                }
            }
        }
        island.bodies.iter().zip(pushes).zip(&linear.bodies).all(|((&at, (force, moment)), part)| {
            let (body, goal, x) = (&self.scene.bodies[at], &self.goal[at], &self.x[at]);
            if body.locked.contains(&true) {
                return true;
            }
            let (shift, turn) = (force / body.mass, part.inertia.inverse() * moment);
            let length = |shift: DVec3, turn: DVec3| shift.norm() + turn.norm() * body.radius;
            let missing = length(goal.linear + shift - x.linear, goal.angular + turn - x.angular);
            missing <= 0.2 * self.scene.options.guard(body.size) + EXPLAINED * length(shift, turn)
        })
    }

    /// The conditions of an island as linear rows about the ways `look` of its bodies.
    fn linearise(&self, island: &Island, look: &[Twist], linear: &mut Linear) {
        let bodies = &self.scene.bodies;
        let place = |at: usize| island.bodies.binary_search(&at).ok();
        let way = |at: usize| place(at).map_or(self.x[at], |place| look[place]);
        linear.bodies.clear();
        linear.contacts.clear();
        linear.equations.clear();
        linear.x.clear();
        for (&at, look) in island.bodies.iter().zip(look) {
            let body = &bodies[at];
            linear.bodies.push(IslandBody {
                mass: body.mass,
                inertia: body.inertia(&body.moved(&self.goal[at], 0.5)),
                goal: self.wanted(at),
                locked: body.locked,
                curvature: DMat3::ZERO,
                curvature_at: look.angular,
            });
            linear.x.push(self.x[at]);
        }
        let mut corrections = vec![(DVec3::ZERO, DVec3::ZERO); island.bodies.len()];
        let mut loads = vec![Twist::ZERO; island.bodies.len()];
        for &number in &island.rows {
            let row = &self.rows[number];
            let ways = row.bodies.map(way);
            let poses = [0, 1].map(|side| bodies[row.bodies[side]].moved(&ways[side], row.share));
            let state = row.at([&poses[0], &poses[1]]);
            let point = 0.5 * (state.on_a + state.on_b);
            let arms = [0, 1].map(|side| point - poses[side].translation);
            let n = state.normal;
            let (mut offset, mut slip) = ((state.gap - row.target) / row.share, DVec3::ZERO);
            let tangential = row.tangential_force - n * n.dot(row.tangential_force);
            let force = n * row.normal_force + tangential;
            let places = row.bodies.map(place);
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let (at, x) = (row.bodies[side], &ways[side]);
                let moved = (x.linear + x.angular.cross(arms[side])) * sign;
                let Some(place) = places[side] else {
                    slip += moved;
                    continue;
                };
                offset -= n.dot(moved);
                let start_arm = row.point - bodies[at].pose.translation;
                let correction = &mut corrections[place];
                let start_force = row.start.normal * row.normal_force + row.tangential_force;
                correction.0 += (start_force - force) * sign;
                correction.1 += (start_arm.cross(start_force) - arms[side].cross(force)) * sign;
                loads[place] = loads[place] + Twist::new(force, arms[side].cross(force)) * sign;
                linear.bodies[place].curvature +=
                    gap_curvature(row.feature.kind, side, n * sign, arms[side], row.normal_force);
            }
            let slip = slip - n * n.dot(slip);
            linear.contacts.push(IslandContact {
                a: places[0].map(|place| place as u32),
                b: places[1].map(|place| place as u32),
                normal: n,
                arms,
                offset,
                slip,
                friction: row.friction,
                normal_force: row.normal_force,
                tangential_force: tangential,
            });
        }
        self.linearise_joints(island, look, linear, &mut corrections);
        for ((body, correction), &at) in linear.bodies.iter_mut().zip(&corrections).zip(&island.bodies) {
            if bodies[at].link.is_none() && *correction != (DVec3::ZERO, DVec3::ZERO) {
                body.goal.linear += correction.0 / bodies[at].mass;
                body.goal.angular += body.inertia.inverse() * correction.1;
            }
        }
        // Under the forces as they are, links go where their mover says.
        for coupling in &linear.couplings {
            for (place, way) in response_to(coupling, &loads) {
                linear.bodies[place].goal = self.x[island.bodies[place]] - way;
            }
        }
    }

    fn span(&self) -> Span {
        Span { dt: self.dt, closing: self.scene.assembly_speed * self.dt }
    }

    fn linearise_joints(
        &self,
        island: &Island,
        look: &[Twist],
        linear: &mut Linear,
        corrections: &mut [(DVec3, DVec3)],
    ) {
        let bodies = &self.scene.bodies;
        let place = |at: usize| island.bodies.binary_search(&at).ok();
        let way = |at: usize| place(at).map_or(self.x[at], |place| look[place]);
        let span = self.span();
        for &number in &island.joints {
            let joint = &self.scene.joints[number];
            let [one, two] = joint.bodies;
            let ways = [way(one), way(two)];
            let ends = [&bodies[one], &bodies[two]];
            let poses = [ends[0].moved(&ways[0], 1.0), ends[1].moved(&ways[1], 1.0)];
            let mut start_rows: Vec<DrivenRow> = Vec::with_capacity(joint.forces.len());
            joint.rows([&ends[0].pose, &ends[1].pose], |row| start_rows.push(row));
            let places = [place(one), place(two)];
            let mut pulls = DVec3::ZERO;
            let mut rows = start_rows.iter().zip(&joint.forces);
            joint.rows([&poses[0], &poses[1]], |now| {
                let Some((start, &force)) = rows.next() else { return };
                let law = now.before_move(start, ends, &span);
                let row = &now.row;
                let mut offset = law.error;
                for side in 0..2 {
                    let sign = if side == 0 { -1.0 } else { 1.0 };
                    if let Some(place) = places[side] {
                        offset -= sign * row.linear.dot(ways[side].linear)
                            + row.angular[side].dot(ways[side].angular);
                        corrections[place].0 += (start.row.linear - row.linear) * (sign * force);
                        corrections[place].1 += (start.row.angular[side] - row.angular[side]) * force;
                    }
                }
                pulls += row.linear * force;
                linear.equations.push(IslandEquation {
                    a: places[1].map(|place| place as u32),
                    b: places[0].map(|place| place as u32),
                    linear: row.linear,
                    angular: [row.angular[1], row.angular[0]],
                    offset,
                    force,
                    bounds: law.bounds,
                    softness: law.softness,
                });
            });
            let pull = pulls.norm();
            if pull > 0.0 {
                for side in 0..2 {
                    let sign = if side == 0 { -1.0 } else { 1.0 };
                    if let Some(place) = places[side] {
                        let arm = poses[side].transform_vector(joint.joint.frames[side].translation);
                        linear.bodies[place].curvature += of_own_point(pulls * (sign / pull), arm, pull);
                    }
                }
            }
        }
    }

    /// True if the forces of the last time hold the island where it is: then it does not move.
    fn rests(&mut self, island: &Island, linear: &mut Linear, guard: f64) -> bool {
        let mut solver = std::mem::take(&mut self.tools.solver);
        solver.response(
            &linear.bodies,
            &linear.couplings,
            &linear.contacts,
            &linear.equations,
            &mut linear.x,
        );
        self.tools.solver = solver;
        let still = linear.x.iter().zip(&island.bodies).all(|(x, &at)| {
            x.linear.norm() + arc(x.angular.norm(), self.scene.bodies[at].radius) <= REST * guard
        });
        let given_still = island
            .rows
            .iter()
            .flat_map(|&row| self.rows[row].bodies)
            .all(|at| self.scene.bodies[at].is_movable() || self.goal[at] == Twist::ZERO);
        let driven = island.joints.iter().any(|&number| self.scene.joints[number].is_driven());
        let stopped =
            linear.equations.iter().filter(|row| row.bounds[0] == 0.0).all(|row| {
                row.offset.abs() <= 4.0 * JOINT_TOLERANCE || (row.force == 0.0 && row.offset > 0.0)
            });
        let closed = island.rows.iter().all(|&number| {
            let row = &self.rows[number];
            let short = row.target - row.start.gap;
            short <= 0.05 * row.guard && (row.normal_force == 0.0 || -short <= 0.05 * row.guard)
        });
        let held = !island.rows.is_empty()
            || linear.equations.iter().any(|row| row.bounds != IslandEquation::UNBOUNDED);
        if !(still && closed && stopped && held && !driven && given_still) {
            for (x, &at) in linear.x.iter_mut().zip(&island.bodies) {
                *x = self.x[at];
            }
            return false;
        }
        for &at in &island.bodies {
            self.x[at] = Twist::ZERO;
            self.resting[at] = true;
        }
        true
    }

    fn take_over(&mut self, island: &Island, linear: &Linear) {
        for (contact, &number) in linear.contacts.iter().zip(&island.rows) {
            let row = &mut self.rows[number];
            (row.normal_force, row.tangential_force) = (contact.normal_force, contact.tangential_force);
        }
        let mut equations = linear.equations.iter();
        for &number in &island.joints {
            for force in &mut self.scene.joints[number].forces {
                if let Some(equation) = equations.next() {
                    *force = equation.force;
                }
            }
        }
        for (x, &at) in linear.x.iter().zip(&island.bodies) {
            self.x[at] = *x;
        }
    }

    /// How far gaps at the end are beyond what is tolerated, in guards; joints count a hundredth of a guard as one tolerance.
    fn end_error(&self, island: &Island) -> f64 {
        let bodies = &self.scene.bodies;
        let mut worst = f64::NEG_INFINITY;
        for &number in &island.rows {
            let row = &self.rows[number];
            let poses = row.bodies.map(|at| bodies[at].moved(&self.x[at], row.share));
            let gap = row.at([&poses[0], &poses[1]]).gap;
            let short = (row.modest_target() - gap) / row.guard - SHORT;
            let open = if row.normal_force > 0.0 { (gap - row.target) / row.guard - OPEN } else { short };
            worst = worst.max(short).max(open);
        }
        for &number in &island.joints {
            let joint = &self.scene.joints[number];
            let poses = joint.bodies.map(|at| bodies[at].moved(&self.x[at], 1.0));
            let starts = joint.bodies.map(|at| &bodies[at].pose);
            let mut rows = Vec::with_capacity(joint.forces.len());
            joint.rows(starts, |row| rows.push(row.broken()));
            let mut rows = rows.into_iter();
            joint.rows([&poses[0], &poses[1]], |row| {
                // A limit that was broken at the start is closed at its own pace.
                let before = rows.next().unwrap_or(0.0);
                let allowed = if row.law == Law::Condition { 0.0 } else { before };
                let error = row.broken() - allowed - 4.0 * JOINT_TOLERANCE;
                worst = worst.max(error / (100.0 * JOINT_TOLERANCE));
            });
        }
        worst
    }
}

/// What loads on all bodies of an island do to those of a coupling, by their places.
pub(super) fn response_to(coupling: &IslandCoupling, loads: &[Twist]) -> Vec<(usize, Twist)> {
    let mut sums = vec![0.0; 6 * coupling.bodies.len()];
    let loads = coupling.bodies.iter().flat_map(|&body| {
        let Twist { linear, angular } = loads[body as usize];
        linear.to_array().into_iter().chain(angular.to_array())
    });
    for (column, load) in coupling.inverse.chunks_exact(sums.len().max(1)).zip(loads) {
        for (sum, value) in sums.iter_mut().zip(column) {
            *sum += value * load;
        }
    }
    let ways = sums.chunks_exact(6).map(|v| Twist::new(DVec3::from_slice(v), DVec3::from_slice(&v[3..])));
    coupling.bodies.iter().map(|&body| body as usize).zip(ways).collect()
}

/// Curvature of a row's gap for the body on a side; `n` points from the other body to this one.
fn gap_curvature(kind: NearKind, side: usize, n: DVec3, arm: DVec3, force: f64) -> DMat3 {
    match (kind, side) {
        (NearKind::VertexFace, 0) | (NearKind::FaceVertex, 1) => of_own_point(n, arm, force),
        (NearKind::VertexFace, _) | (NearKind::FaceVertex, _) => of_own_face(n, arm, force),
        _ => of_own_point(n, arm, force) + of_own_face(n, arm, force),
    }
}

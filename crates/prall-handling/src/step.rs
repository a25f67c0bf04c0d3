//! One interval of the hand: from command to commit.

use glam::DVec3;
use prall_detection::Budget;
use prall_math::{Norm, Pose, Twist, Wrench, rotation};

use crate::active_set::{Ending, norm};
use crate::collect::Wanted;
use crate::command::Command;
use crate::error::{HandlingError, within};
use crate::held::Held;
use crate::options::Metric;
use crate::report::{HandlingContact, HandlingReport, Jam, JamReason};
use crate::state::RememberedContact;
use crate::sweep::{SWEEP_GUARD, Way};

/// A motion that turns farther than this many turn caps is asked for in a shorter part.
const TURN_TOO_FAR: f64 = 1.5;
/// Shortenings of a part because contacts turn it too far.
const MAX_SHORTENINGS: usize = 6;
/// Rounds of a part in which hits join.
const MAX_ROUNDS: usize = 6;
/// A part of which less than this share is carried out ends the interval.
const STUCK: f64 = 1e-3;
/// A part that moves less than this share of the command is jammed.
const JAMMED: f64 = 0.01;
/// A jammed part that would move more than this share of the command without friction is wedged.
const WOULD_MOVE: f64 = 0.05;

/// What a step went through.
#[derive(Clone, Copy, Debug, Default)]
struct Course {
    sweeps: usize,
    touched: bool,
    infeasible: bool,
    unproven: bool,
    conflict: bool,
    /// The motion that was asked for last with conditions.
    asked: Twist,
}

impl Held {
    /// Moves the part by a command for `dt` seconds, as far as it is admissible and proven free. Without a command it stands.
    ///
    /// Moving obstacles go their ways; one that the part cannot yield to is stopped, and the report says so. A command that holds no finite numbers is refused and
    /// nothing moves. After the first steps nothing is allocated.
    pub fn step(
        &mut self,
        command: Option<&Command>,
        dt: f64,
        budget: &mut Budget,
    ) -> Result<&HandlingReport, HandlingError> {
        within("the interval", dt, (1e-9, 10.0), "between 1e-9 and 10 s")?;
        command.map_or(Ok(()), Command::checked)?;
        self.report.clear();
        self.tools.solver.second_ways = 0;
        let start = self.state.pose;
        self.report.way.push(start);
        let wanted = self.wanted(command, dt);
        let mut course = Course::default();
        let left = self.follow(&wanted, dt, &mut course, budget);
        self.state.in_contact = course.touched;
        if !course.touched {
            self.state.contacts.clear();
        }
        self.report.pose = self.state.pose;
        let left = left?;
        for index in 0..self.obstacles.len() {
            if self.state.obstacles[index].apart && !self.overlaps(index)? {
                self.state.obstacles[index].apart = false;
                self.state.obstacles[index].forget();
            }
        }
        self.finish(command, &start, &wanted, dt, left, &course);
        Ok(&self.report)
    }

    /// Shift of the reference point and turn that the command asks for in the interval.
    fn wanted(&self, command: Option<&Command>, dt: f64) -> Twist {
        match command {
            None => Twist::ZERO,
            Some(Command::Velocity(twist)) => *twist * dt,
            Some(Command::Pose(goal)) => {
                let limits = &self.options.pose_limits;
                let (speed, rate) = if self.state.in_contact {
                    let rate = limits.contact_turn_rate;
                    (limits.contact_speed.unwrap_or(rate * self.gyration()), rate)
                } else {
                    (limits.free_speed, limits.free_turn_rate)
                };
                let Twist { linear, angular } = self.difference(&self.state.pose, goal);
                Twist { linear: at_most(linear, speed * dt), angular: at_most(angular, rate * dt) }
            }
        }
    }

    /// Shift of the reference point and turn from one pose to another.
    pub(crate) fn difference(&self, from: &Pose, to: &Pose) -> Twist {
        if from == to {
            return Twist::ZERO;
        }
        let turn = to.rotation * from.rotation.conjugate();
        // The shorter way round.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Twist {
            linear: to.transform_point(self.centre) - from.transform_point(self.centre),
            angular: rotation::log(turn),
        }
    }

    /// Carries out a wanted motion; the share of the interval that is left.
    fn follow(
        &mut self,
        wanted: &Twist,
        dt: f64,
        course: &mut Course,
        budget: &mut Budget,
    ) -> Result<f64, HandlingError> {
        let obstacles_move = self.obstacles.iter().any(crate::Obstacle::is_moving);
        if *wanted == Twist::ZERO && !obstacles_move {
            course.touched = self.state.in_contact;
            return Ok(0.0);
        }
        let mut left = 1.0;
        if !self.state.in_contact {
            self.tools.rows.clear();
            self.measure(&Wanted { x: *wanted, time: dt })?;
            let way = Way { motion: self.motion(wanted)?, time: dt };
            let free = self.sweep(&way, self.options.guard, budget)?;
            course.sweeps += 1;
            self.report.parts += 1;
            self.commit(&way, free, true)?;
            if free >= 1.0 {
                return Ok(0.0);
            }
            course.touched = true;
            left = 1.0 - free;
            if self.is_cut() {
                course.unproven = true;
            }
        }
        while left > 0.0
            && !course.unproven
            && self.report.parts < self.options.max_parts
            && course.sweeps < self.options.max_sweeps
        {
            self.report.parts += 1;
            let used = self.part(wanted, left, dt, course, budget)?;
            left = (left - used).max(0.0);
            // Rounding of shares is no rest of the interval.
            if left < 1e-12 {
                left = 0.0;
            }
            if used < STUCK * left {
                break;
            }
        }
        if left > 0.0 && obstacles_move {
            course.conflict = self.stand(left * dt, budget)?;
        }
        Ok(left)
    }

    /// One part of an interval; the share of the interval that it worked off.
    fn part(
        &mut self,
        wanted: &Twist,
        left: f64,
        dt: f64,
        course: &mut Course,
        budget: &mut Budget,
    ) -> Result<f64, HandlingError> {
        let (travel, turn_cap) = self.caps();
        let whole = Wanted { x: *wanted * left, time: left * dt };
        let (way, turn) = (0..self.obstacles.len())
            .map(|index| self.relative_motion(index, &whole))
            .fold((0.0_f64, 0.0_f64), |most, next| (most.0.max(next.0), most.1.max(next.1)));
        let limit = |most: f64, value: f64| if value > most { most / value } else { 1.0 };
        let mut share = left * limit(travel, way).min(limit(turn_cap, turn));
        let asked = Wanted { x: *wanted * share, time: share * dt };
        self.collect(&asked)?;
        let mut shortenings = 0;
        let mut best: Option<(Way, f64, f64)> = None;
        let mut best_is_last = false;
        for round in 0.. {
            let asked = Wanted { x: *wanted * share, time: share * dt };
            course.asked = asked.x;
            let mut x = Twist::ZERO;
            if self.solve(&asked, &mut x) != Ending::Solved {
                course.infeasible = true;
                course.touched = true;
                break;
            }
            let turn = x.angular.norm();
            if turn > TURN_TOO_FAR * turn_cap && shortenings < MAX_SHORTENINGS {
                shortenings += 1;
                share *= turn_cap / turn;
                continue;
            }
            let loaded = self.tools.rows.iter().any(|row| row.normal_impulse > 0.0);
            course.touched |= loaded;
            let way = Way { motion: self.motion(&x)?, time: asked.time };
            let free = self.sweep(&way, SWEEP_GUARD * self.options.guard, budget)?;
            course.sweeps += 1;
            if free >= 1.0 {
                self.remember(1.0);
                self.commit(&way, 1.0, true)?;
                return Ok(share);
            }
            course.touched = true;
            let cut = self.is_cut();
            best_is_last = best.as_ref().is_none_or(|best| free * share > best.1 * best.2);
            if best_is_last {
                best = Some((way, free, share));
            }
            let again = !cut && round < MAX_ROUNDS && course.sweeps < self.options.max_sweeps;
            if again && self.join_hits(&x, asked.time)? {
                continue;
            }
            course.unproven |= cut || !again;
            break;
        }
        let Some((way, free, share)) = best else {
            self.remember(1.0);
            return Ok(0.0);
        };
        self.remember(if free > STUCK { free } else { 1.0 });
        self.commit(&way, free, best_is_last)?;
        Ok(free * share)
    }

    /// Files the impulses of the last solve, of which a share was carried out.
    fn remember(&mut self, share: f64) {
        self.state.contacts.clear();
        for row in self.tools.rows.iter().filter(|row| row.normal_impulse > 0.0) {
            self.state.contacts.push(RememberedContact {
                obstacle: row.obstacle,
                name: row.feature.name,
                friction_impulse: row.friction_impulse,
                sliding: row.slides,
            });
            let impulse = (row.start.normal * row.normal_impulse + row.friction_impulse) * share;
            let contacts = &mut self.report.contacts;
            let same = contacts
                .iter_mut()
                .find(|known| known.obstacle == row.obstacle && known.name == row.feature.name);
            match same {
                Some(known) => {
                    known.impulse += impulse;
                    (known.gap, known.sliding) = (row.start.gap, row.slides);
                }
                None => contacts.push(HandlingContact {
                    obstacle: row.obstacle,
                    name: row.feature.name,
                    kind: row.feature.kind,
                    triangles: row.feature.triangles,
                    point: 0.5 * (row.start.on_a + row.start.on_b),
                    normal: row.start.normal,
                    gap: row.start.gap,
                    impulse,
                    sliding: row.slides,
                }),
            }
        }
    }

    /// N s for a metre of the unit metric.
    fn impulse_scale(&self, command: Option<&Command>, dt: f64) -> f64 {
        match (&self.options.metric, command) {
            (Metric::Mass(mass), _) => mass.mass / dt,
            (Metric::Hand { stiffness, .. }, Some(Command::Pose(_))) => stiffness * dt,
            (Metric::Hand { damping, .. }, _) => *damping,
        }
    }

    fn finish(
        &mut self,
        command: Option<&Command>,
        start: &Pose,
        wanted: &Twist,
        dt: f64,
        left: f64,
        course: &Course,
    ) {
        let moved = self.difference(start, &self.state.pose);
        let scale = self.impulse_scale(command, dt);
        let centre = self.state.pose.transform_point(self.centre);
        let mut wrench = Wrench::ZERO;
        for contact in &mut self.report.contacts {
            contact.impulse *= scale;
            wrench = wrench + Wrench::from_force_at(contact.impulse, contact.point - centre);
        }
        if let (Some(Command::Pose(goal)), Metric::Hand { stiffness, .. }) = (command, &self.options.metric) {
            let rest = self.difference(&self.state.pose, goal);
            let turns = self.gyration() * self.gyration();
            self.report.pull = Wrench::new(rest.linear * *stiffness, rest.angular * (*stiffness * turns));
        }
        self.report.twist = moved * (1.0 / dt);
        self.report.wrench = wrench * (1.0 / dt);
        self.report.done = 1.0 - left;
        self.report.second_ways = self.tools.solver.second_ways;
        let frame = self.frame();
        let (asked, reached) = (norm(&frame.motion(wanted)), norm(&frame.motion(&moved)));
        let jammed = asked > 1e-6 * self.options.guard && reached < JAMMED * asked;
        if jammed || course.conflict {
            let reason = self.reason(course, left);
            self.report.jam = Some(Jam { reason, load: self.report.wrench });
        }
    }

    fn reason(&mut self, course: &Course, left: f64) -> JamReason {
        if course.conflict {
            return JamReason::Conflict;
        }
        if course.infeasible {
            return JamReason::Infeasible;
        }
        if course.unproven && left > 0.5 {
            return JamReason::Unproven;
        }
        let frame = self.frame();
        let goal = frame.motion(&course.asked);
        let mut y = goal;
        let (solver, rows) = (&mut self.tools.solver, &self.tools.linear);
        let ending = solver.without_friction(&mut y, rows, 1e-4 * self.options.guard);
        let moves = ending == Ending::Solved && norm(&y) > WOULD_MOVE * norm(&goal);
        if moves { JamReason::Wedged } else { JamReason::Blocked }
    }
}

/// A vector of at most this length.
fn at_most(vector: DVec3, length: f64) -> DVec3 {
    let own = vector.norm();
    if own > length { vector * (length / own) } else { vector }
}

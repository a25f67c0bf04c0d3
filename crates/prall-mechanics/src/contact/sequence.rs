//! Impacts one after another, in the order of time.
//!
//! Between impacts every body of an island has a constant acceleration `a`, which its loads and the lasting contacts of the last step give it. With its
//! velocity `v` at the end of the step and its changes of velocity `d_k` by impacts at the times `t_k`, it has at time `t`
//!
//! ```text
//! velocity  v - a (h - t)
//! way       (v - a h) t + a t^2 / 2 - sum of d_k t_k
//! ```
//!
//! so that one more impact changes `v` by `d` and the last sum by `d t`. The gap of a point is a parabola of time; the earliest root among all points
//! is the next impact. It is solved between two bodies alone, with their joints: points of the pair that have not met are free, the others separate with
//! restitution times their speed of approach. Its work, impulse times the mean of the velocities before and after, is never positive, and exactly zero
//! without friction at restitution 1. So elastic bodies keep their energy at any speed and any number of impacts in a step.
//!
//! Contacts are solved afterwards, from the ways that the impacts left. Normals and levers are those of the step's start.

use prall_math::Twist;

use super::arena::View;
use super::block::{Block, Rows};
use super::impact::resting_speed;
use super::meetings;
use super::solve::{publish, take_over};
use super::sweep::{self, Outside, Pace};
use super::{ContactOptions, ContactStep, Coupling};
use crate::Budget;

/// How a body flies in the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    /// Mean acceleration by all but impacts.
    acceleration: Twist,
    /// Sum of the changes of velocity by impacts, each times its time from the step's start.
    delayed: Twist,
    /// An impact changed its velocity.
    pub hit: bool,
    /// Joints hold it and look ahead along its way.
    pub jointed: bool,
    /// A lasting contact presses it in the end.
    pub carried: bool,
}

impl Flight {
    /// One without impacts.
    pub(super) fn straight(jointed: bool) -> Flight {
        Flight { acceleration: Twist::ZERO, delayed: Twist::ZERO, hit: false, jointed, carried: false }
    }

    fn velocity(&self, last: &Twist, time: f64, h: f64) -> Twist {
        *last - self.acceleration * (h - time)
    }

    fn way(&self, last: &Twist, time: f64, h: f64) -> Twist {
        (*last - self.acceleration * h) * time + self.acceleration * (0.5 * time * time) - self.delayed
    }

    /// The mean velocity of the step less that at its end, of a body that was hit. One that a lasting contact carries is not in a parabola, and where joints
    /// hold it they say how it goes, but for impacts.
    pub(super) fn detour(&self, h: f64) -> Twist {
        if !self.hit {
            return Twist::ZERO;
        }
        let flies = !self.jointed && !self.carried;
        let bend = if flies { self.acceleration * (-0.5 * h) } else { Twist::ZERO };
        bend - self.delayed * (1.0 / h)
    }
}

/// Joints that take part in impacts.
pub(super) struct Joined<'a, 'b, 'c> {
    pub outside: &'a mut Outside<'b, 'c>,
    pub joints: &'a mut dyn Coupling,
}

/// What became of the impacts of an island.
pub(super) struct Impacts {
    pub count: usize,
    /// There were more than the step had work for.
    pub unfinished: bool,
}

/// Impacts of an island, at most: a row of n balls needs about n^2 / 2 for each that comes in, a pair in a crowd a few.
fn most_impacts(blocks: usize) -> usize {
    (20 * blocks).min(1280 + 2 * blocks)
}

/// Lets everything collide that meets in the step. Velocities are those at the end of the step without impacts, matrices and rows are built on demand.
/// Impulses go to `impact` of the rows and are no part of the solve that follows, whose gaps are written here.
pub(super) fn collide_all(
    view: &mut View<'_>,
    dynamic: usize,
    (step, options): (&ContactStep<'_>, &ContactOptions),
    budget: &mut Budget,
    mut joined: Option<Joined<'_, '_, '_>>,
) -> Impacts {
    let (h, threshold) = (step.h, resting_speed(step));
    begin(view, dynamic, step);
    if !foresee_all(view, 0.0, h, threshold) {
        return Impacts { count: 0, unfinished: false };
    }
    for index in 0..view.blocks.len() {
        view.build_matrix(index);
        view.build_rows(index);
    }
    if let Some(joined) = &mut joined {
        // What joints still have to do is no part of an impact.
        joined.settle(view, dynamic, h);
        begin(view, dynamic, step);
        foresee_all(view, 0.0, h, threshold);
    }
    meetings::chain(view, dynamic);
    meetings::order(view.blocks);
    let (mut count, mut unfinished, mut looks) = (0, false, view.blocks.len());
    while let Some((index, time)) = meetings::first(view.blocks) {
        unfinished = count >= most_impacts(view.blocks.len()) || !budget.take_units(looks as u64);
        if unfinished {
            break;
        }
        collide(view, (index, time), dynamic, (step, options), joined.as_mut());
        looks = if joined.is_some() {
            foresee_all(view, time, h, threshold);
            meetings::order(view.blocks);
            view.blocks.len()
        } else {
            foresee_after(view, dynamic, (index, time), h, threshold)
        };
        count += 1;
    }
    if count > 0 || unfinished {
        let left = if unfinished { threshold } else { f64::INFINITY };
        write_gaps(view, h, left);
    }
    if let Some(joined) = &mut joined {
        publish(view, dynamic, joined.outside.movers.bodies);
        for (flight, local) in view.flights[..dynamic].iter().zip(view.locals.iter()) {
            if flight.hit && flight.jointed {
                joined.joints.send_on_detour(local.global, flight.detour(h));
            }
        }
        joined.joints.aim_anew(joined.outside.movers);
    }
    Impacts { count, unfinished }
}

fn begin(view: &mut View<'_>, dynamic: usize, step: &ContactStep<'_>) {
    for at in 0..dynamic {
        let before = step.before[view.locals[at].global as usize];
        view.flights[at].acceleration = (view.velocities[at] - before) * (1.0 / step.h);
    }
}

/// Notes when each block meets after a time; true if one does.
fn foresee_all(view: &mut View<'_>, from: f64, h: f64, threshold: f64) -> bool {
    let mut any = false;
    for index in 0..view.blocks.len() {
        view.blocks[index].meets = meeting(view, index, from, h, threshold);
        any |= view.blocks[index].meets < f64::INFINITY;
    }
    any
}

/// Looks again at what an impact of two bodies has changed; returns at how many blocks.
fn foresee_after(view: &mut View<'_>, dynamic: usize, hit: (usize, f64), h: f64, threshold: f64) -> usize {
    let (index, time) = hit;
    let sides = [view.blocks[index].a, view.blocks[index].b].map(|side| side as usize);
    let mut looks = 0;
    for at in sides.into_iter().filter(|&at| at < dynamic) {
        if !view.flights[at].hit {
            continue;
        }
        looks += meetings::of_body(view, at, |view, index| {
            view.blocks[index].meets = meeting(view, index, time, h, threshold);
            meetings::changed(view.blocks, index);
        });
    }
    looks
}

fn rows_of(view: &View<'_>, block: &Block, of: impl Fn(&Flight, &Twist) -> Twist) -> Rows {
    let [a, b] = [block.a as usize, block.b as usize].map(|at| of(&view.flights[at], &view.velocities[at]));
    block.relative(&a, &b)
}

/// When the first point of a block meets after a time, in s from the step's start; infinite if none does.
fn meeting(view: &View<'_>, index: usize, from: f64, h: f64, threshold: f64) -> f64 {
    let block = &view.blocks[index];
    let way = rows_of(view, block, |flight, last| flight.way(last, from, h));
    let rate = rows_of(view, block, |flight, last| flight.velocity(last, from, h));
    let bend = rows_of(view, block, |flight, _| flight.acceleration);
    let mut earliest = f64::INFINITY;
    for point in &view.points[block.range()] {
        let gap = point.gap + point.along_normal(&way);
        let after = until_closed(gap, point.along_normal(&rate), point.along_normal(&bend), threshold);
        earliest = earliest.min(from + after);
    }
    if earliest < h { earliest } else { f64::INFINITY }
}

/// When `gap + rate t + acceleration t^2 / 2` is closed with a speed above the threshold; infinite if never.
fn until_closed(gap: f64, rate: f64, acceleration: f64, threshold: f64) -> f64 {
    if gap <= 0.0 {
        return if -rate > threshold {
            0.0
        } else if rate > threshold && acceleration < 0.0 {
            -2.0 * rate / acceleration
        } else {
            f64::INFINITY
        };
    }
    // The speed there is that of energy; the time is the root that stays good for small accelerations.
    let square = rate * rate - 2.0 * acceleration * gap;
    if !(square > threshold * threshold) {
        return f64::INFINITY;
    }
    let speed = square.sqrt();
    if speed > rate { 2.0 * gap / (speed - rate) } else { f64::INFINITY }
}

fn dot(a: &Rows, b: &Rows) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One impact.
fn collide(
    view: &mut View<'_>,
    (index, time): (usize, f64),
    dynamic: usize,
    (step, options): (&ContactStep<'_>, &ContactOptions),
    joined: Option<&mut Joined<'_, '_, '_>>,
) {
    /// Enough for the points of one block to converge to rounding in all but freak cases.
    const PASSES: u32 = 200;
    /// Passes end at changes of this part of the first one.
    const LEFT: f64 = 1e-14;
    let h = step.h;
    let block = view.blocks[index];
    let range = block.range();
    let start = rows_of(view, &block, |flight, last| flight.velocity(last, time, h));
    let way = rows_of(view, &block, |flight, last| flight.way(last, time, h));
    for p in &mut view.points[range.clone()] {
        let (approach, gap) = (-p.along_normal(&start), p.gap + p.along_normal(&way));
        let meets = approach > 0.0 && gap <= options.position_tolerance;
        p.bias = if meets { -block.restitution * approach } else { f64::INFINITY };
        p.trial = std::mem::replace(&mut p.l, [0.0; 3]);
    }
    let mut alone = block;
    // An impact is over before anything rolls.
    (alone.rolling_arm, alone.spinning_arm) = (0.0, 0.0);
    let pace = Pace { passes: PASSES, tolerance: 0.0, decay: LEFT };
    let mut end = start;
    let (points, rows) = (&mut view.points[range.clone()], &view.rows[range.clone()]);
    let (wrench, ..) = super::kernel::relax(&mut alone, &view.matrices[index], points, rows, &mut end, pace);
    // Without joints an impact changes nobody else.
    let [a, b] = [block.a as usize, block.b as usize];
    let (everybody, both) = if joined.is_some() { (0..dynamic, [dynamic; 2]) } else { (0..0, [a, b]) };
    let changing = everybody.chain(both.into_iter().filter(move |&at| at < dynamic));
    changing.clone().for_each(|at| view.locals[at].saved = view.velocities[at]);
    let toward = dot(&wrench, &start);
    let scale = match joined {
        None => {
            let answer = dot(&wrench, &end) - toward;
            let smooth = block.static_friction == 0.0 && block.dynamic_friction == 0.0;
            let lossless = smooth && block.restitution == 1.0;
            let scale =
                if lossless || toward + 0.5 * answer > 0.0 { balance(2.0, toward, answer) } else { 1.0 };
            sweep::apply(view, &block, &wrench.map(|w| w * scale), None);
            scale
        }
        Some(joined) => {
            sweep::apply(view, &block, &wrench, None);
            joined.settle(view, dynamic, h);
            let end = rows_of(view, &block, |flight, last| flight.velocity(last, time, h));
            let scale = balance(1.0 + block.restitution, toward, dot(&wrench, &end) - toward);
            sweep::apply(view, &block, &wrench.map(|w| w * (scale - 1.0)), None);
            joined.settle(view, dynamic, h);
            scale
        }
    };
    for (p, row) in view.points[range.clone()].iter_mut().zip(&mut view.rows[range]) {
        row.impact = std::array::from_fn(|i| row.impact[i] + scale * p.l[i]);
        p.l = p.trial;
    }
    for at in changing {
        let change = view.velocities[at] - view.locals[at].saved;
        if change != Twist::ZERO {
            let flight = &mut view.flights[at];
            flight.delayed = flight.delayed + change * time;
            flight.hit = true;
        }
    }
}

/// The factor by which an impulse, which changes the speed along itself from `toward` by `answer`, changes it by `-times toward`.
fn balance(times: f64, toward: f64, answer: f64) -> f64 {
    /// As many times heavier may joints make a body than it is alone: the answer is known to 1e-11 of what it is without them.
    const MOST: f64 = 1e6;
    if toward < 0.0 && answer > 0.0 { (-times * toward / answer).min(MOST) } else { 1.0 }
}

impl Joined<'_, '_, '_> {
    /// Solves the joints for the present velocities.
    fn settle(&mut self, view: &mut View<'_>, dynamic: usize, h: f64) {
        /// Sweeps, at most; direct solvers take one or two.
        const SWEEPS: usize = 40;
        /// In m/s: far below what an impact changes.
        const ENOUGH: f64 = 1e-10;
        publish(view, dynamic, self.outside.movers.bodies);
        for _ in 0..SWEEPS {
            if self.joints.sweep(self.outside.movers, h) <= ENOUGH {
                break;
            }
        }
        take_over(view, dynamic, self.outside.movers.bodies);
    }
}

/// Writes the gaps that lasting contacts have to keep, from where impacts lead the bodies. Points that still close faster than `left` are put on trial as
/// rebounds.
fn write_gaps(view: &mut View<'_>, h: f64, left: f64) {
    for index in 0..view.blocks.len() {
        let block = view.blocks[index];
        let way = rows_of(view, &block, |flight, last| (*last + flight.detour(h)) * h);
        let rate = rows_of(view, &block, |_, last| *last);
        let hit = [block.a, block.b].iter().any(|side| view.flights[*side as usize].hit);
        for p in &mut view.points[block.range()] {
            let (speed, gap) = (p.along_normal(&rate), p.gap + p.along_normal(&way));
            p.trial = if -speed > left && gap < 0.0 { [-speed, 0.0, 0.0] } else { [0.0; 3] };
            if hit {
                // Nothing is hurled: what leaves already leaves overlaps to the projection.
                p.bias = ((gap - p.gap.min(0.0)) / h - speed).max(-speed.max(0.0));
            }
        }
    }
}

/// Notes who is pressed by lasting contacts, after they were solved.
pub(super) fn note_carried(view: &mut View<'_>) {
    for block in view.blocks.iter() {
        if view.points[block.range()].iter().any(|point| point.l[0] > 0.0 && !point.rebounds) {
            for side in [block.a, block.b] {
                view.flights[side as usize].carried = true;
            }
        }
    }
}

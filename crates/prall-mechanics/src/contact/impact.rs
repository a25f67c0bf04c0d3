//! Rebounds of all points at once, where impacts are not taken in [`sequence`](super::sequence): with links of movers, by Poisson's law, and if it is asked for.
//!
//! Points that met faster than rest can explain and that press after the solve get one more solve, in which either their speed of
//! separation is restitution times their speed of approach (Newton), or their percussion is `1 + restitution` times that
//! of the compression (Poisson). Where that would raise the energy above that before the impact, the rebound is shortened to
//! where it does not.

use super::arena::View;
use super::block::{LINK, Rows};
use super::solve::Context;
use super::sweep::{self, Outside, Pace};
use super::{ContactOptions, ContactStep, ImpactLaw, energy, kernel};
use crate::Budget;
use prall_math::Norm;

/// Approach faster than this many times `g h` is an impact: what gravity does in a step is rest.
const IMPACT: f64 = 2.0;

/// Slowest impact in m/s where there is no gravity to compare with.
const SLOWEST: f64 = 1e-6;

/// The speed of approach in m/s up to which contacts rest.
pub(super) fn resting_speed(step: &ContactStep<'_>) -> f64 {
    (IMPACT * step.gravity.norm() * step.h).max(SLOWEST)
}

/// Writes to `trial` of each point its [`Meeting`] as three numbers, zeros if it has none. True if a rebound may follow.
pub(super) fn find(view: &mut View<'_>, context: &Context<'_>, outside: Option<&Outside<'_, '_>>) -> bool {
    let h = context.step.h;
    let threshold = resting_speed(context.step);
    let mut rebounds = false;
    for block in view.blocks.iter() {
        let twist = |side: u32, arm: glam::DVec3, before: bool| match outside {
            Some(outside) if side & LINK != 0 => outside.twist(side),
            _ => {
                let local = &view.locals[side as usize];
                let own = if before { context.step.before[local.global as usize] } else { local.predicted };
                own.shifted(arm)
            }
        };
        let relative =
            |before| block.rows(twist(block.a, block.arm_a, before) - twist(block.b, block.arm_b, before));
        let (first, last) = (relative(true), relative(false));
        for point in &mut view.points[block.range()] {
            let along = |y: &Rows| y[0] + point.d2 * y[4] - point.d1 * y[5];
            let meeting = Meeting::of(point.gap, along(&first), along(&last), h);
            let meeting = meeting.filter(|meeting| meeting.speed > threshold);
            point.trial = meeting.map_or([0.0; 3], |m| [m.speed, m.time, m.acceleration]);
            rebounds |= meeting.is_some() && block.restitution > 0.0;
        }
    }
    rebounds
}

/// When and how fast two points meet in the step, if their gap changes as loads alone let it: `gap + v t + a t^2 / 2`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Meeting {
    /// Of approach, in m/s.
    speed: f64,
    /// From the start of the step, in s.
    time: f64,
    /// Relative, along the normal, in m/s^2.
    acceleration: f64,
}

impl Meeting {
    /// `first` and `last` are the velocities of separation at the start and at the end of the step.
    fn of(gap: f64, first: f64, last: f64, h: f64) -> Option<Meeting> {
        let acceleration = (last - first) / h;
        if gap <= 0.0 {
            return Some(Meeting { speed: -first, time: 0.0, acceleration });
        }
        // The speed at the gap's end is that of energy; the time is the root that stays good for small accelerations.
        let speed = (first * first - 2.0 * acceleration * gap).max(0.0).sqrt();
        let time = 2.0 * gap / (speed - first);
        (speed > first && time < h).then_some(Meeting { speed, time, acceleration })
    }
}

/// How many points met and press.
pub(super) fn count(view: &View<'_>) -> usize {
    view.points.iter().filter(|p| p.trial[0] > 0.0 && p.l[0] > 0.0).count()
}

/// What says whether a rebound raises the energy.
pub(super) enum Judge<'a, 'b, 'c> {
    /// Of free bodies: their own balance over the step.
    Free(&'a Context<'a>),
    /// Of joints and links: kinetic energy, with what it was before.
    Mixed(&'a mut Outside<'b, 'c>, f64),
}

impl<'b, 'c> Judge<'_, 'b, 'c> {
    fn outside(&mut self) -> Option<&mut Outside<'b, 'c>> {
        match self {
            Judge::Free(_) => None,
            Judge::Mixed(outside, _) => Some(outside),
        }
    }

    fn energy(&self, view: &View<'_>, dynamic: usize) -> f64 {
        match self {
            Judge::Free(context) => energy::kinetic_less_work(view, dynamic, context),
            Judge::Mixed(outside, _) => energy::total(view, dynamic, outside),
        }
    }

    fn most(&self, view: &View<'_>, dynamic: usize) -> f64 {
        match self {
            Judge::Free(context) => energy::kinetic_before(view, dynamic, context),
            Judge::Mixed(_, before) => *before,
        }
    }
}

/// Lets the points rebound that [`find`] found. `trial` then holds the percussions before the rebound.
pub(super) fn rebound(
    view: &mut View<'_>,
    dynamic: usize,
    (options, h): (&ContactOptions, f64),
    budget: &mut Budget,
    mut judge: Judge<'_, '_, '_>,
) {
    for index in 0..view.blocks.len() {
        let block = view.blocks[index];
        for (p, row) in view.points[block.range()].iter_mut().zip(&mut view.rows[block.range()]) {
            let [speed, time, acceleration] = std::mem::replace(&mut p.trial, p.l);
            if speed > 0.0 && p.l[0] > 0.0 {
                p.rebounds = true;
                p.met = time;
                match options.impact {
                    // What is left of the step is flight again.
                    ImpactLaw::Newton => {
                        p.bias = -(block.restitution * speed + acceleration * (h - time)).max(0.0);
                    }
                    ImpactLaw::Poisson => row.floor = (1.0 + block.restitution) * p.l[0],
                }
            }
        }
    }
    sweep::look_at_all(view);
    let pace =
        Pace { passes: options.inner.max(8), tolerance: options.velocity_tolerance, decay: kernel::ALONE };
    sweep::converge(view, options.most_sweeps, pace, budget, judge.outside());
    note_rebounds(view, dynamic);
    limit(view, dynamic, judge);
}

/// Tells bodies when they rebound first, and whether something else pushes them too.
fn note_rebounds(view: &mut View<'_>, dynamic: usize) {
    for block in view.blocks.iter() {
        for point in view.points[block.range()].iter().filter(|p| p.l[0] > 0.0) {
            for side in [block.a, block.b] {
                if (side as usize) < dynamic {
                    let local = &mut view.locals[side as usize];
                    local.lasting |= !point.rebounds;
                    local.met = if point.rebounds { local.met.min(point.met) } else { local.met };
                }
            }
        }
    }
}

/// Shortens the rebound to where it does not raise the energy: along it the energy is a parabola, found from three of its points.
fn limit(view: &mut View<'_>, dynamic: usize, mut judge: Judge<'_, '_, '_>) {
    let (full, most) = (judge.energy(view, dynamic), judge.most(view, dynamic));
    if full <= most {
        return;
    }
    take_back(view, 0.5, judge.outside());
    let half = judge.energy(view, dynamic);
    take_back(view, 0.5, judge.outside());
    let none = judge.energy(view, dynamic);
    // E(a) = none + b a + c a^2, and E(0) <= most < E(1).
    let (b, c) = (4.0 * half - full - 3.0 * none, 2.0 * (full + none - 2.0 * half));
    let room = (most - none).max(0.0);
    let root = (b * b + 4.0 * c * room).max(0.0).sqrt();
    let share = if b + root > 0.0 { (2.0 * room / (b + root)).clamp(0.0, 1.0) } else { 0.0 };
    take_back(view, -share, judge.outside());
    for block in view.blocks.iter() {
        for p in &mut view.points[block.range()] {
            p.l = std::array::from_fn(|i| p.trial[i] + share * (p.l[i] - p.trial[i]));
        }
    }
}

/// Takes a share of the rebound's percussions from the velocities.
fn take_back(view: &mut View<'_>, share: f64, mut outside: Option<&mut Outside<'_, '_>>) {
    for index in 0..view.blocks.len() {
        let block = view.blocks[index];
        let points = &view.points[block.range()];
        let mut with = block;
        with.moment = [0.0; 3];
        let (after, before) = (with.total(points), with.trial_total(points));
        let change: Rows = std::array::from_fn(|i| share * (before[i] - after[i]));
        if change != [0.0; 8] {
            sweep::apply(view, &block, &change, outside.as_deref_mut());
        }
    }
}

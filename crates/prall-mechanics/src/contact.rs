//! The contact problem and its solver, for every kind of mover.
//!
//! Find percussions such that, at every contact point, `ln >= 0`, `vn >= -gap/h`, one of both with equality, and friction in Coulomb's
//! cone, opposite to sliding where it slides; gaps are counted from the tolerance on positions. The way of a step:
//!
//! 1. The problem is laid out island by island, from the ground upwards ([`arena`]), a manifold being one block of six
//!    rows ([`block`]); it starts from the percussions of the last step ([`manifold`]), as far as they do not raise the energy
//!    ([`energy`]).
//! 2. An island that stands is solved exactly in two passes, without sweeps: the rest certificate ([`rest`], [`carry`]).
//! 3. Otherwise its blocks are relaxed ([`kernel`]) in sweeps ([`sweep`]) until nothing changes or the sweeps are used up. What these leave
//!    goes up the stack in one pass on velocities alone ([`shock`], [`footing`]). Impacts go before, in the order of time ([`sequence`]), or follow, all at
//!    once ([`impact`]).
//! 4. Overlaps are taken apart on positions alone, after the next detection ([`project`]).
//!
//! **Promise.** Percussions push and stay within their cones whenever the work ends. They act on both sides at one point, so momentum
//! is kept to rounding. The report says what is left of the error, as a velocity.

mod arena;
mod block;
mod carry;
mod coupling;
mod energy;
mod footing;
mod impact;
mod kernel;
mod manifold;
mod meetings;
mod options;
mod project;
mod report;
mod rest;
mod sequence;
mod shock;
mod side;
mod solve;
mod sweep;
mod work;

use glam::DVec3;
use prall_detection::ContactPoint;
use prall_math::{Norm, Twist};
use serde::{Deserialize, Serialize};

use crate::{Budget, ContactLaw, Movers};
use arena::{Arena, Source};
pub use coupling::{Coupling, Uncoupled};
use manifold::{Manifold, Memory, PointData, Set};
pub use options::{ContactOptions, ContactStep, ImpactLaw, RollingContact};
pub use report::{ContactEnergy, ContactReport, ProjectionReport};
pub use side::Side;
use solve::Context;
use sweep::Outside;

/// How long to wait before the next try at something that costs much and may fail, and how many tries have failed in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Patience {
    failures: u8,
    wait: u8,
}

impl Patience {
    /// True if it is time for a try; counts the waiting.
    fn is_due(&mut self) -> bool {
        let due = self.wait == 0;
        self.wait = self.wait.saturating_sub(1);
        due
    }

    /// After a failure: every 2nd, 4th, 8th step only.
    fn failed(&mut self) {
        const LONGEST: u8 = 3;
        self.failures = (self.failures + 1).min(LONGEST);
        self.wait = (1 << self.failures) - 1;
    }
}

/// Patience with what an island may try before and after its sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tries {
    rest: Patience,
    shock: Patience,
    /// More sweeps for an island that should stand.
    more: Patience,
}

impl Tries {
    /// Of an island that several make together.
    fn merged(self, other: Tries) -> Tries {
        Tries {
            rest: self.rest.max(other.rest),
            shock: self.shock.max(other.shock),
            more: self.more.max(other.more),
        }
    }
}

/// This step's contacts, with the percussions that were found and those of the step before.
///
/// All that decides how it goes on is saved: a restored copy gives the same bits.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Contacts {
    set: Set,
    memory: Memory,
    /// By body.
    tries: Vec<Tries>,
    /// Length of the step that the percussions belong to, in s; 0 before the first.
    step: f64,
    /// Deepest overlap among the points, in m; 0 if there is none.
    deepest: f64,
    /// By body: percussions do not move it for now. As long as the last one that ever slept.
    asleep: Vec<bool>,
    /// Bodies that impacts sent on other ways than their velocities at the end of the step; see [`Contacts::detours`].
    #[serde(skip)]
    detours: Vec<(u32, Twist)>,
    #[serde(skip)]
    arena: Arena,
}

/// One contact point, as others see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactView {
    /// As it was given with the manifold.
    pub key: u64,
    /// Who touches; the normal points towards this one.
    pub a: Side,
    /// Whom it touches.
    pub b: Side,
    /// Half-way between the two, in m.
    pub point: DVec3,
    /// From B to A.
    pub normal: DVec3,
    /// In m; negative where they overlap.
    pub gap: f64,
    /// Percussion on A in the last step, in N s; the opposite acts on B.
    pub impulse: DVec3,
    /// Number of the pair of features that touch, the same from step to step.
    pub features: u64,
    /// When it rebounded in the last step, in s from the step's start.
    pub rebound: Option<f64>,
}

impl ContactView {
    /// Velocity of A against B at the point.
    pub fn velocity(&self, movers: &Movers<'_>) -> DVec3 {
        self.a.twist_at(movers, self.point).linear - self.b.twist_at(movers, self.point).linear
    }
}

impl Contacts {
    /// None yet.
    pub fn new() -> Contacts {
        Contacts::default()
    }

    /// Begins a new set of contacts; percussions of the old one are kept for those that are found again.
    pub fn begin(&mut self) {
        self.memory.take_over(&mut self.set);
        self.deepest = 0.0;
    }

    /// Adds a manifold: points of one normal between two sides.
    ///
    /// `key` names the pair, and must be the same from step to step for percussions to be found again; several
    /// manifolds may have the same key. Manifolds without points, and between sides that nothing moves, do no harm.
    pub fn add(&mut self, key: u64, a: Side, b: Side, points: &[ContactPoint], law: &ContactLaw) {
        let Some(first_point) = points.first() else { return };
        let first = self.set.points.len();
        self.set.points.extend(points.iter().map(PointData::new));
        self.deepest = points.iter().fold(self.deepest, |deepest, p| deepest.max(-p.gap));
        let moment = self.memory.recall(key, &mut self.set.points[first..]);
        self.set.manifolds.push(Manifold {
            key,
            a,
            b,
            normal: first_point.normal,
            law: *law,
            first: first as u32,
            count: points.len() as u32,
            moment,
        });
    }

    /// Adds the manifolds that the key had before [`Contacts::begin`], as they were: right if neither side has moved since.
    pub fn add_again(&mut self, key: u64) {
        let first = self.set.points.len();
        self.memory.repeat(key, &mut self.set);
        self.deepest = self.set.points[first..].iter().fold(self.deepest, |deepest, p| deepest.max(-p.gap));
    }

    /// Lets a body sleep, or wakes it: percussions do not move a sleeper, and contacts among sleepers are not solved, but keep their
    /// percussions. Whoever lets a body sleep has to wake it before something pushes it.
    pub fn let_sleep(&mut self, body: u32, asleep: bool) {
        let at = body as usize;
        if at >= self.asleep.len() && asleep {
            self.asleep.resize(at + 1, false);
        }
        if let Some(own) = self.asleep.get_mut(at) {
            *own = asleep;
        }
    }

    /// Finds the percussions and applies them to the velocities.
    ///
    /// Velocities must be those without contacts: percussions that are stored from the last step, or from an earlier call in
    /// this step, are applied first. `joints` are swept along; whatever is joined is solved by sweeps. A budget with a limit is
    /// spent island by island on this thread; otherwise islands share the threads of `pool`, with the same bits.
    pub fn solve(
        &mut self,
        movers: &mut Movers<'_>,
        joints: &mut dyn Coupling,
        step: &ContactStep<'_>,
        options: &ContactOptions,
        budget: &mut Budget,
        pool: Option<&rayon::ThreadPool>,
    ) -> ContactReport {
        let up = (-step.gravity).try_unit().unwrap_or(DVec3::Y);
        let scale = if self.step > 0.0 { step.h / self.step } else { 1.0 };
        let source = Source {
            set: &self.set,
            asleep: &self.asleep,
            up,
            h: step.h,
            slack: options.position_tolerance,
            scale,
            within: f64::INFINITY,
            rolling: step.rolling,
        };
        self.arena.build(&source, movers, joints, &self.tries);
        self.step = step.h;
        self.solve_free(&*movers.bodies, step, options, budget, pool);
        self.solve_mixed(movers, joints, step, options, budget);
        self.account(movers, step);
        self.write_back(movers);
        self.arena.islands.iter().fold(ContactReport::default(), |mut sum, island| {
            sum.merge(&island.report);
            sum
        })
    }

    fn solve_free(
        &mut self,
        bodies: &crate::Bodies,
        step: &ContactStep<'_>,
        options: &ContactOptions,
        budget: &mut Budget,
        pool: Option<&rayon::ThreadPool>,
    ) {
        let context = Context { bodies, step, options };
        let (view, islands) = self.arena.view();
        let free = islands.iter().take_while(|island| !island.mixed).count();
        let islands = &mut islands[..free];
        match pool {
            Some(pool) if budget.is_unlimited() && solve::worth_sharing(islands) => {
                pool.install(|| solve::solve_in_parallel(view, islands, &context));
                let work = islands.iter().map(|island| island.report.work).sum();
                budget.take_units(work);
            }
            _ => solve::solve_all(view, islands, &context, budget),
        }
    }

    fn solve_mixed(
        &mut self,
        movers: &mut Movers<'_>,
        joints: &mut dyn Coupling,
        step: &ContactStep<'_>,
        options: &ContactOptions,
        budget: &mut Budget,
    ) {
        let links = std::mem::take(&mut self.arena.links);
        let (view, islands) = self.arena.view();
        if let Some((island, free)) = islands.split_last_mut()
            && island.mixed
        {
            let bodies = free.iter().map(|i| i.bodies).sum();
            let blocks = free.iter().map(|i| i.blocks).sum();
            let points = free.iter().map(|i| i.points).sum();
            let (_, mut own) = view.split_at(bodies, blocks, points);
            let mut outside = Outside { movers, links: &links };
            solve::solve_mixed(&mut own, island, &mut outside, joints, (step, options), budget);
        }
        self.arena.links = links;
    }

    /// Writes the work of percussions into the islands' reports. Islands that were proven to rest have none.
    fn account(&mut self, movers: &Movers<'_>, step: &ContactStep<'_>) {
        let links = std::mem::take(&mut self.arena.links);
        let (view, islands) = self.arena.view();
        let mut rest = view;
        for island in islands {
            let (own, after) = rest.split(island);
            work::account(&own, island, movers, &links, step);
            rest = after;
        }
        self.arena.links = links;
    }

    /// Brings velocities to the bodies and percussions to the points.
    fn write_back(&mut self, movers: &mut Movers<'_>) {
        let (view, islands) = self.arena.view();
        let mut rest = view;
        self.tries.resize(movers.bodies.len(), Tries::default());
        self.detours.clear();
        for island in islands {
            let (mut own, after) = rest.split(island);
            for (velocity, local) in own.velocities[..island.dynamic].iter().zip(own.locals.iter()) {
                movers.bodies.velocities[local.global as usize] = *velocity;
                self.tries[local.global as usize] = island.tries;
            }
            if island.hit {
                sequence::note_carried(&mut own);
                let flights = own.flights[..island.dynamic].iter().zip(own.locals.iter());
                let hit = flights.filter(|(flight, _)| flight.hit && !flight.jointed);
                self.detours.extend(hit.map(|(flight, local)| (local.global, flight.detour(self.step))));
            }
            for block in own.blocks.iter() {
                let manifold = &mut self.set.manifolds[block.source as usize];
                manifold.moment = block.in_world(block.moment);
                let given = &mut self.set.points[manifold.range()];
                let found = own.points[block.range()].iter().zip(&own.rows[block.range()]);
                for ((point, row), given) in found.zip(given) {
                    let lasting = block.in_world(point.l);
                    given.impulse = if island.hit { lasting + block.in_world(row.impact) } else { lasting };
                    given.lasting = if point.rebounds { DVec3::ZERO } else { lasting };
                    given.loaded = given.lasting != DVec3::ZERO;
                    given.rebound = point.rebounds.then_some(point.met);
                }
            }
            rest = after;
        }
    }

    /// Bodies that impacts in sequence changed in the last solve, and their mean velocity over the step less that at its end: they flew before the impact,
    /// and after it. Not for bodies that joints hold.
    pub fn detours(&self) -> &[(u32, Twist)] {
        &self.detours
    }

    /// The largest gap over which a percussion of the last step acts, in m; 0 if every point that bears load touches.
    ///
    /// To be asked after the contacts at the end of the step have been found. Points that rebounded have left since and do not count.
    pub fn loaded_gap(&self) -> f64 {
        self.set.points.iter().filter(|p| p.loaded).fold(0.0, |gap, p| p.gap.max(gap))
    }

    /// All contact points, manifold by manifold.
    pub fn iter(&self) -> impl Iterator<Item = ContactView> + '_ {
        self.manifolds().flat_map(|manifold| manifold.points())
    }

    /// The manifolds, in the order in which they were added.
    pub fn manifolds(&self) -> impl Iterator<Item = ManifoldView<'_>> + '_ {
        self.set.manifolds.iter().map(|manifold| ManifoldView {
            key: manifold.key,
            a: manifold.a,
            b: manifold.b,
            normal: manifold.normal,
            law: manifold.law,
            points: &self.set.points[manifold.range()],
        })
    }
}

/// Contact points of one normal between two sides, as others see them.
#[derive(Clone, Copy, Debug)]
pub struct ManifoldView<'a> {
    /// As it was given.
    pub key: u64,
    /// Who touches; the normal points towards this one.
    pub a: Side,
    /// Whom it touches.
    pub b: Side,
    /// From B to A.
    pub normal: DVec3,
    /// Its law of friction and impact.
    pub law: ContactLaw,
    points: &'a [PointData],
}

impl<'a> ManifoldView<'a> {
    /// How many of its points have a gap of at most this, in m.
    pub fn count_within(&self, gap: f64) -> usize {
        self.points.iter().filter(|p| p.gap <= gap).count()
    }

    /// True if one of its points bore lasting load in the last step.
    pub fn is_loaded(&self) -> bool {
        self.points.iter().any(|p| p.loaded)
    }

    /// True if percussions acted on it in the last step.
    pub fn is_pushed(&self) -> bool {
        self.points.iter().any(|p| p.impulse != DVec3::ZERO)
    }

    /// Its points.
    pub fn points(&self) -> impl Iterator<Item = ContactView> + use<'a> {
        let ManifoldView { key, a, b, normal, points, .. } = *self;
        points.iter().map(move |p| ContactView {
            key,
            a,
            b,
            point: p.place,
            normal,
            gap: p.gap,
            impulse: p.impulse,
            features: p.name,
            rebound: p.rebound,
        })
    }
}

//! Solid contacts: bodies whose shapes never overlap.
//!
//! **Guarantee.** At the end of a step, and at every moment on the way there, every pair of shapes has a gap above zero that was proven by the
//! certified time of impact or by a proven distance less the motion since. It holds with any solver options and any budget; what they
//! change is how much of the motion is carried out ([`SolidReport::lost_time`]). The exceptions are named: pairs that overlap when they first meet
//! ([`SolidReport::overlapping`], [`World::overlapping_pairs`](crate::World::overlapping_pairs)) are kept from getting deeper at their contact points,
//! without a proof, until they have separated.
//!
//! ```text
//! step(h)    parts, each as long as gaps stay nearly linear in the motion                                      advance.rs
//!   part     where bodies want to go; near features; conditions on the gaps at the end, solved by islands      part.rs, solve.rs
//!            certified sweep of every pair whose motion exceeds its proven gap; hits join, solve again         sweep.rs
//!            what still hits shortens the part, or stops where it is proven free                               sweep.rs
//!            velocities at the new poses: impacts, friction, restitution, no energy from nothing               velocity.rs
//! ```
//!
//! Links of machines take part by their mover (machine.rs).
//!
//! Contacts rest at the guard, a gap of 1 to 50 um by size ([`SolidOptions`]), and bear load only there. The scheme is of second order in time:
//! half of the loads' impulse before the move and half after it (RATTLE with inequalities), forces of a part act at the poses of its start.

mod account;
mod advance;
mod body;
mod broad;
mod curvature;
mod drive;
mod energy_rule;
mod groups;
mod machine;
mod memory;
mod momentum;
mod options;
mod part;
mod plane;
mod row;
mod solve;
mod sweep;
mod velocity;

pub use account::SolidEnergy;
pub(crate) use advance::{Scene, Tools};
pub(crate) use body::{Roundness, SolidBody, SolidShape};
pub(crate) use drive::{driven_rows, slots};
pub(crate) use groups::advance;
pub(crate) use machine::{LinkName, SolidMachine, apparent_mass};
pub(crate) use memory::Memory;
pub use options::SolidOptions;
pub(crate) use plane::Corners;
pub(crate) use solve::SolidJoint;

use std::time::Duration;

use glam::DVec3;

/// What the solid contacts of a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidReport {
    /// Bodies that were moved under this rule, those whose motion is given not counted.
    pub bodies: usize,
    /// Parts that the step was cut into, for the group of bodies that needed most.
    pub parts: usize,
    /// Feature pairs with a condition, at most in a part.
    pub rows: usize,
    /// Pairs swept by the certified time of impact, and pairs whose proven gap made that needless, over all parts.
    pub swept: usize,
    /// See [`SolidReport::swept`].
    pub skipped: usize,
    /// Hits that sweeps found, over all rounds and parts.
    pub hits: usize,
    /// Bodies that were stopped before the end of a part.
    pub stopped: usize,
    /// Bodies of given motion that were stopped because they would have crushed something.
    pub crushed: usize,
    /// Solves that did not reach their tolerances.
    pub unconverged: usize,
    /// Positions repaired because a gap had fallen below 0.4 guards.
    pub repairs: usize,
    /// Pairs that overlapped when they first met and have not separated yet.
    pub overlapping: usize,
    /// How deep such pairs overlap, in m, as far as contact points tell; a guard at least.
    pub overlap_depth: f64,
    /// Smallest gap of a pair at the end of the step, in m, as far as it is proven; infinite if nothing is near.
    pub smallest_gap: f64,
    /// Largest gap over its guard at which a contact bore load, in the last part; 0 without load.
    pub loaded_gap: f64,
    /// Longest time that a body did not move, in s.
    pub lost_time: f64,
    /// Islands proven to rest in the last part.
    pub resting: usize,
    /// Kinetic energy in J that was taken back because nothing had paid for it.
    pub energy_clamped: f64,
    /// What changed the energy and momentum of solid bodies.
    pub energy: SolidEnergy,
    /// Work units of sweeps.
    pub work: u64,
    /// Where the time went. Measured by the clock: not part of the state.
    pub phases: SolidPhases,
}

impl Default for SolidReport {
    /// Of a step in which nothing was near anything.
    fn default() -> SolidReport {
        SolidReport {
            bodies: 0,
            parts: 0,
            rows: 0,
            swept: 0,
            skipped: 0,
            hits: 0,
            stopped: 0,
            crushed: 0,
            unconverged: 0,
            repairs: 0,
            overlapping: 0,
            overlap_depth: 0.0,
            smallest_gap: f64::INFINITY,
            loaded_gap: 0.0,
            lost_time: 0.0,
            resting: 0,
            energy_clamped: 0.0,
            energy: SolidEnergy::default(),
            work: 0,
            phases: SolidPhases::default(),
        }
    }
}

impl SolidReport {
    /// Takes over what another group of bodies did in the same step.
    pub(crate) fn add(&mut self, other: &SolidReport) {
        self.bodies += other.bodies;
        self.parts = self.parts.max(other.parts);
        self.rows += other.rows;
        self.swept += other.swept;
        self.skipped += other.skipped;
        self.hits += other.hits;
        self.stopped += other.stopped;
        self.crushed += other.crushed;
        self.unconverged += other.unconverged;
        self.repairs += other.repairs;
        self.overlapping += other.overlapping;
        self.overlap_depth = self.overlap_depth.max(other.overlap_depth);
        self.smallest_gap = self.smallest_gap.min(other.smallest_gap);
        self.loaded_gap = self.loaded_gap.max(other.loaded_gap);
        self.lost_time = self.lost_time.max(other.lost_time);
        self.resting += other.resting;
        self.energy_clamped += other.energy_clamped;
        self.energy.add(&other.energy);
        self.work += other.work;
        self.phases.collect += other.phases.collect;
        self.phases.solve += other.phases.solve;
        self.phases.sweep += other.phases.sweep;
        self.phases.velocity += other.phases.velocity;
    }
}

/// Where the time of solid contacts goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolidPhases {
    /// Finding near features.
    pub collect: Duration,
    /// Solving for the motion.
    pub solve: Duration,
    /// Certified sweeps.
    pub sweep: Duration,
    /// Velocities at the new poses.
    pub velocity: Duration,
}

/// A contact of the last part, to be drawn and listened to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolidContact {
    /// Indices of the bodies in the world.
    pub(crate) bodies: [usize; 2],
    pub(crate) point: DVec3,
    pub(crate) normal: DVec3,
    pub(crate) gap: f64,
    /// Force in N on the first body.
    pub(crate) force: DVec3,
}

/// An impact in the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolidImpact {
    /// Indices of the bodies in the world.
    pub(crate) bodies: [usize; 2],
    pub(crate) point: DVec3,
    /// Of approach, in m/s.
    pub(crate) speed: f64,
}

//! [`ContactOptions`]: how exactly, and by what means, contacts are solved.

use glam::DVec3;
use prall_math::Twist;
use serde::{Deserialize, Serialize};

/// What one step gives to the contact problem.
#[derive(Clone, Copy, Debug)]
pub struct ContactStep<'a> {
    /// Length of the step in s.
    pub h: f64,
    /// Acceleration of free fall in m/s^2: says what is above and what below.
    pub gravity: DVec3,
    /// Velocities of the bodies at the start of the step, before any force: what impacts rebound from.
    pub before: &'a [Twist],
    /// Manifolds whose points move on along a body that turns on them, in the order of [`Contacts::manifolds`](super::Contacts::manifolds);
    /// empty if there are none.
    pub rolling: &'a [RollingContact],
}

/// A manifold whose points move on along a body that turns on them.
///
/// A lever that is taken at the start of a step is that of another point of the body, or of a point elsewhere, by the middle of the step. What
/// must not slide there is the velocity at the lever of the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingContact {
    /// Number of the manifold.
    pub manifold: u32,
    /// What the lever of the middle of the step adds to the velocity of A against B, in m/s.
    pub velocity: DVec3,
}

/// Which law rebounds follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImpactLaw {
    /// Newton: speed of separation is restitution times speed of approach.
    #[default]
    Newton,
    /// Poisson: the percussion of the rebound is restitution times that of the compression.
    Poisson,
}

/// How exactly, and by what means, contacts are solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactOptions {
    /// Sweeps end when no contact changes its velocity by more than this, in m/s. Default 1e-4: in a sixtieth of a
    /// second that is 2 um. Smaller costs sweeps.
    pub velocity_tolerance: f64,
    /// Overlaps and gaps up to this, in m, are left alone. Default 20e-6: seen by nobody, and large enough that resting
    /// contacts stay contacts.
    pub position_tolerance: f64,
    /// Most sweeps per island. Default 12: what a settling pile needs at 1/240 s; more goes into exactness of hits.
    pub most_sweeps: u32,
    /// Most passes over the points of one block per sweep. Default 2: the next sweep, which knows what the neighbours did, does more than a third
    /// pass. 1 is cheaper in chaotic piles, 8 better in high stacks.
    pub inner: u32,
    /// Contacts with a gap below this, in m, count as closed: only these bear load when rest is proven, and only these count as touching.
    /// Default 40e-6, and for small bodies not more than 0.25 % of their radius of gyration: sweeps close gaps to the tolerance on
    /// positions, give or take what they leave. It is how far above its support a body may come to rest; with more, parts with play stick.
    pub shell: f64,
    /// Look for a proof that an island stands still before sweeping it. Default on.
    pub rest_certificate: bool,
    /// After sweeps that have not converged, let velocities run once from the ground upwards. Default on.
    pub shock: bool,
    /// Most sweeps of the position projection. Default 24: a heap at rest needs few, a landing all of them.
    pub position_sweeps: u32,
    /// Most that the projection moves a body in one step, in m. Default 0.05: deep overlaps are undone over several
    /// steps, so that nothing is hurled.
    pub largest_correction: f64,
    /// The law of rebounds. Default Newton's.
    pub impact: ImpactLaw,
    /// Impacts happen one after another, in the order of time, each between two bodies alone, and not all at once. Default on: elastic bodies keep
    /// their energy, and a row of balls sends out as many as came in. By Newton's law only; contacts with links of movers rebound all at once.
    pub sequential_impacts: bool,
}

impl Default for ContactOptions {
    fn default() -> ContactOptions {
        ContactOptions {
            velocity_tolerance: 1e-4,
            position_tolerance: 20e-6,
            most_sweeps: 12,
            inner: 2,
            shell: 40e-6,
            rest_certificate: true,
            shock: true,
            position_sweeps: 24,
            largest_correction: 0.05,
            impact: ImpactLaw::Newton,
            sequential_impacts: true,
        }
    }
}

impl ContactOptions {
    /// True if impacts of free and jointed bodies are taken in sequence.
    pub(super) fn in_sequence(&self) -> bool {
        self.sequential_impacts && self.impact == ImpactLaw::Newton
    }
}

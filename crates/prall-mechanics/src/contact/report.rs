//! What solving contacts did, and how wrong it may be.

use prall_math::Wrench;

/// What [`Contacts::solve`] did.
///
/// [`Contacts::solve`]: super::Contacts::solve
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactReport {
    /// Sets of bodies that touch each other, directly or through others.
    pub islands: usize,
    /// Islands that were proven to stand still.
    pub certified: usize,
    /// Most sweeps that an island took.
    pub sweeps: usize,
    /// Largest change of a contact's velocity in the last sweep, in m/s: what is left of the error.
    pub residual: f64,
    /// Momentum that shock passes did not account for, in N s: the sum of `m |dv|`.
    pub momentum_defect: f64,
    /// Points that carry load.
    pub contacts: usize,
    /// Points that met faster than rest can explain.
    pub collisions: usize,
    /// Elementary work units used: one per visit of a block.
    pub work: u64,
    /// True if the budget ended before the solver did.
    pub cut: bool,
    /// Work of impulses on bodies.
    pub energy: ContactEnergy,
    /// Impulses on bodies from what nothing moves, about the origin, in N s and N m s.
    pub outside: Wrench,
    /// Momentum about the origin that shock passes gave, in N s and N m s.
    pub shock_impulse: Wrench,
}

/// Work in J that contacts did on bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactEnergy {
    /// Along normals.
    pub normal: f64,
    /// Across them, and of moments that resist turning.
    pub friction: f64,
    /// What sides put in that have a given motion: kinematic bodies and links.
    pub given_motions: f64,
    /// Of shock passes.
    pub shock: f64,
}

impl ContactEnergy {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &ContactEnergy) -> ContactEnergy {
        ContactEnergy {
            normal: self.normal + other.normal,
            friction: self.friction + other.friction,
            given_motions: self.given_motions + other.given_motions,
            shock: self.shock + other.shock,
        }
    }
}

impl ContactReport {
    /// Adds what was done on another island.
    pub(super) fn merge(&mut self, other: &ContactReport) {
        self.islands += other.islands;
        self.certified += other.certified;
        self.sweeps = self.sweeps.max(other.sweeps);
        self.residual = self.residual.max(other.residual);
        self.momentum_defect += other.momentum_defect;
        self.contacts += other.contacts;
        self.collisions += other.collisions;
        self.work += other.work;
        self.cut |= other.cut;
        self.energy = self.energy.plus(&other.energy);
        self.outside = self.outside + other.outside;
        self.shock_impulse = self.shock_impulse + other.shock_impulse;
    }
}

/// What [`Contacts::project`] did.
///
/// [`Contacts::project`]: super::Contacts::project
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProjectionReport {
    /// Bodies that were moved.
    pub moved: usize,
    /// Deepest overlap before, in m.
    pub deepest_before: f64,
    /// Deepest overlap afterwards as far as contact points can tell, in m.
    pub deepest_after: f64,
    /// Energy in J that it put in: work against gravity, less what the bodies' motion paid for it. Negative if bodies sank or paid more.
    pub energy: f64,
    /// Momentum about the origin that it gave, in N s and N m s: bodies that are moved have other levers, and those that pay are slowed down.
    pub impulse: Wrench,
    /// Elementary work units used: one per visit of a block.
    pub work: u64,
}

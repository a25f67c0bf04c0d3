//! What solving contacts did, and how wrong it may be.

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
    /// Work against gravity that lifting bodies put in, in J; negative if bodies sank.
    pub energy: f64,
    /// Elementary work units used: one per visit of a block.
    pub work: u64,
}

//! [`Coupling`]: joints that are swept in the same loop as contacts.

use super::Side;
use crate::Movers;

/// Joints between movers, as the contact solver sees them.
pub trait Coupling {
    /// Names every pair that is joined. What is joined is solved together, and by sweeps.
    fn joined(&self, visit: &mut dyn FnMut(Side, Side));

    /// One pass over all joints (a Gauss-Seidel sweep, or a direct solve) that corrects the velocities; returns the
    /// largest change of a joint's velocity error, in m/s.
    fn sweep(&mut self, movers: &mut Movers<'_>, h: f64) -> f64;
}

/// No joints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uncoupled;

impl Coupling for Uncoupled {
    fn joined(&self, _visit: &mut dyn FnMut(Side, Side)) {}

    fn sweep(&mut self, _movers: &mut Movers<'_>, _h: f64) -> f64 {
        0.0
    }
}

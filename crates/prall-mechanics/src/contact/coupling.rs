//! [`Coupling`]: joints that are swept in the same loop as contacts.

use prall_math::Twist;

use super::Side;
use crate::Movers;

/// Joints between movers, as the contact solver sees them.
pub trait Coupling {
    /// Names every pair that is joined. What is joined is solved together, and by sweeps.
    fn joined(&self, visit: &mut dyn FnMut(Side, Side));

    /// One pass over all joints (a Gauss-Seidel sweep, or a direct solve) that corrects the velocities; returns the
    /// largest change of a joint's velocity error, in m/s.
    fn sweep(&mut self, movers: &mut Movers<'_>, h: f64) -> f64;

    /// Tells of a joined body that impacts made its mean velocity over the step differ from that at its end, by so much.
    fn send_on_detour(&mut self, _body: u32, _detour: Twist) {}

    /// Called when impulses have changed the velocities: conditions that look ahead to the end of the step do so again. Returns by how much they would
    /// miss it with these velocities, in m (or rad); 0 if that is within their tolerance.
    fn aim_anew(&mut self, _movers: &mut Movers<'_>) -> f64 {
        0.0
    }
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

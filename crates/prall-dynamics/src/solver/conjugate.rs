//! Sweeps that remember where they were going: conjugate directions over Gauss-Seidel.
//!
//! A sweep changes the impulses by `d`, which is the answer of a rough inverse `P` to the errors `r` it found: `d = -P r`. Alone, the slowest
//! errors of a chain of n joints take some n^2 sweeps, because an impulse gets on by one joint at a time. The method of conjugate gradients
//! goes on along the way of the sweeps before:
//!
//! ```text
//! beta = (r . P r) / (r . P r of the last sweep)      p' = d + beta p      impulses += beta p, and then the next sweep
//! ```
//!
//! which takes some n sweeps (Fletcher and Reeves 1964; over sweeps with bounds Silcowitz, Niebe and Erleben 2010). `beta >= 1` says that the
//! direction has led astray: then it is forgotten, as it is when the aim changes or a bounded row moves. What is added comes before a sweep and
//! never after the last one, so that stopping early leaves what sweeps leave. Not used where contacts push.
//!
//! Sweeps alone hardly move along directions to which the rows hardly answer; conjugate ones do, and in singular poses (a net that hangs flat)
//! the rows of the step's start lead astray there. So a look-ahead that is far worse than the best one is taken back, and what is left of
//! the phase is done by plain sweeps.

use prall_math::Twist;

use super::system::JointSystem;

/// What a group remembers between sweeps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Course {
    /// `r . P r` of the last sweep, in J; 0 if there was none.
    gain: f64,
    /// What of the last direction the next sweep begins with.
    beta: f64,
}

impl JointSystem {
    /// Forgets directions: the aim is another one now.
    pub(crate) fn forget_courses(&mut self) {
        self.components.iter_mut().for_each(|component| component.course = Course::default());
    }

    /// Goes on along the way of the sweeps before.
    pub(super) fn follow_courses(&mut self, velocities: &mut [Twist]) {
        if self.components.iter().all(|component| component.course.beta == 0.0) {
            return;
        }
        for block in self.blocks.iter_mut().filter(|block| block.active) {
            let beta = self.components[block.component as usize].course.beta;
            if beta > 0.0 {
                let after = block.follow(beta, block.velocities(velocities));
                velocities[block.bodies[0] as usize] = after[0];
                velocities[block.bodies[1] as usize] = after[1];
            }
        }
    }

    /// After a sweep: how far the next one is to go on.
    pub(super) fn set_courses(&mut self) {
        for component in &mut self.components {
            component.gain = 0.0;
        }
        for block in self.blocks.iter().filter(|block| block.active) {
            self.components[block.component as usize].gain += block.gain;
        }
        for component in self.components.iter_mut().filter(|component| component.active) {
            let (before, now) = (component.course.gain, component.gain);
            let goes_on =
                now < before && !component.plain && !component.touching && component.bounded_residual == 0.0;
            component.course = Course { gain: now, beta: if goes_on { now / before } else { 0.0 } };
        }
        for block in self.blocks.iter_mut().filter(|block| block.active) {
            block.turn_course(self.components[block.component as usize].course.beta);
        }
    }
}

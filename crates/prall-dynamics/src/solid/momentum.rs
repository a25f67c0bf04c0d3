//! Momenta of the bodies of an island while its velocities are found.

use glam::DVec3;
use prall_math::{Twist, Wrench};
use prall_mechanics::island::IslandCoupling;

use super::body::SolidBody;
use super::solve::{Island, response_to};

/// Momenta of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Momentum {
    pub(super) velocity: DVec3,
    pub(super) spin: DVec3,
    /// Impulses (N s, and N m s about the centre) that a link has been given since its mover moved.
    pub(super) given: Wrench,
}

impl Momentum {
    /// A share of the way from these momenta to others.
    pub(super) fn blended(&self, other: &Momentum, share: f64) -> Momentum {
        Momentum {
            velocity: self.velocity + (other.velocity - self.velocity) * share,
            spin: self.spin + (other.spin - self.spin) * share,
            given: self.given * (1.0 - share) + other.given * share,
        }
    }
}

/// Gives bodies impulses, those of links to all that their machines couple. `pushes` are forces times time and their moments about the centres.
pub(super) struct Pushes<'a> {
    couplings: &'a [IslandCoupling],
    pushes: Vec<Twist>,
}

impl<'a> Pushes<'a> {
    pub(super) fn new(couplings: &'a [IslandCoupling], bodies: usize) -> Pushes<'a> {
        Pushes { couplings, pushes: vec![Twist::ZERO; bodies] }
    }

    pub(super) fn add(&mut self, place: usize, impulse: DVec3, moment: DVec3) {
        self.pushes[place] = self.pushes[place] + Twist::new(impulse, moment);
    }

    pub(super) fn give(self, bodies: &[SolidBody], island: &Island, momenta: &mut [Momentum]) {
        for ((momentum, push), &at) in momenta.iter_mut().zip(&self.pushes).zip(&island.bodies) {
            if bodies[at].link.is_none() {
                momentum.velocity += push.linear / bodies[at].mass;
                momentum.spin += push.angular;
            } else {
                momentum.given = momentum.given + Wrench::new(push.linear, push.angular);
            }
        }
        for coupling in self.couplings {
            for (place, change) in response_to(coupling, &self.pushes) {
                let body = &bodies[island.bodies[place]];
                momenta[place].velocity += change.linear;
                momenta[place].spin += body.inertia(&body.pose) * change.angular;
            }
        }
    }
}

/// Momenta of a link as its mover has them.
pub(super) fn link_momentum(body: &SolidBody) -> Momentum {
    Momentum { velocity: body.velocity.linear, spin: body.spin, given: Wrench::ZERO }
}

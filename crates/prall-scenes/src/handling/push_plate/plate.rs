//! [`Plate`] and [`Support`]: a body in the plane that rubs at points.

use super::HALF;
use glam::DVec2;
use serde::{Deserialize, Serialize};

/// Of a plate, in kg.
pub(super) const MASS: f64 = 1.0;
/// In m/s^2.
pub(super) const GRAVITY: f64 = 9.81;
/// Sweeps of a solve at most; a plate at rest on its area needs tens.
const MOST_SWEEPS: usize = 2_000;

/// About the mass centre, in kg m^2.
fn inertia() -> f64 {
    MASS * HALF.length_squared() / 3.0
}

/// Where a plate is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Plate {
    /// Of the mass centre, in m.
    pub(super) place: DVec2,
    /// In rad, counterclockwise seen from above.
    pub(super) angle: f64,
    /// In m/s and rad/s.
    pub(super) velocity: DVec2,
    pub(super) rate: f64,
}

/// A force in N at a point of a plate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drive {
    pub(super) at: DVec2,
    pub(super) force: DVec2,
}

impl Drive {
    pub(super) const REST: Drive = Drive { at: DVec2::ZERO, force: DVec2::ZERO };
}

impl Plate {
    pub(super) const REST: Plate = Plate { place: DVec2::ZERO, angle: 0.0, velocity: DVec2::ZERO, rate: 0.0 };

    fn arm(&self, own: DVec2) -> DVec2 {
        let (sine, cosine) = libm::sincos(self.angle);
        DVec2::new(cosine, sine).rotate(own)
    }

    /// A point of the plate in the plane.
    pub(super) fn point(&self, own: DVec2) -> DVec2 {
        self.place + self.arm(own)
    }

    pub(super) fn velocity_at(&self, own: DVec2) -> DVec2 {
        self.velocity + self.arm(own).perp() * self.rate
    }

    /// Of motion, in J.
    pub(super) fn energy(&self) -> f64 {
        0.5 * (MASS * self.velocity.length_squared() + inertia() * self.rate * self.rate)
    }

    pub(super) fn is_finite(&self) -> bool {
        self.place.is_finite() && self.velocity.is_finite() && (self.angle * self.rate).is_finite()
    }

    fn push(&mut self, arm: DVec2, impulse: DVec2) {
        self.velocity += impulse / MASS;
        self.rate += arm.perp_dot(impulse) / inertia();
    }
}

/// Shares of the load that three points carry.
pub(super) fn shares([a, b, c]: [DVec2; 3]) -> [f64; 3] {
    let whole = (b - a).perp_dot(c - a);
    [(b, c), (c, a), (a, b)].map(|(p, q)| p.perp_dot(q) / whole)
}

/// How a solve went.
pub(super) struct Solve {
    pub(super) sweeps: usize,
    /// By how much the last sweep still changed the velocity of a point, in m/s.
    pub(super) error: f64,
}

/// Points that carry a plate, and the friction that they gave in the last interval.
#[derive(Clone, Debug)]
pub(super) struct Support {
    points: Vec<DVec2>,
    /// Shares of the load.
    shares: Vec<f64>,
    /// In N s, in the plane.
    impulses: Vec<DVec2>,
}

impl Support {
    fn new(points: Vec<DVec2>, shares: Vec<f64>) -> Support {
        Support { impulses: vec![DVec2::ZERO; points.len()], points, shares }
    }

    pub(super) fn triple(points: [DVec2; 3]) -> Support {
        Support::new(points.into(), shares(points).into())
    }

    /// Points whose middle is the mass centre carry the same each.
    pub(super) fn even(points: Vec<DVec2>) -> Support {
        let share = 1.0 / points.len() as f64;
        Support::new(points.clone(), vec![share; points.len()])
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    #[cfg(test)]
    pub(super) fn points(&self) -> &[DVec2] {
        &self.points
    }

    pub(super) fn impulses(&self) -> &[DVec2] {
        &self.impulses
    }

    pub(super) fn set_impulses(&mut self, impulses: Vec<DVec2>) -> Option<()> {
        let sound = impulses.len() == self.points.len() && impulses.iter().all(|impulse| impulse.is_finite());
        sound.then(|| self.impulses = impulses)
    }

    /// Where friction acts, and its force of the last interval in N.
    pub(super) fn friction(&self, plate: &Plate, dt: f64) -> impl Iterator<Item = (DVec2, DVec2)> {
        self.points.iter().zip(&self.impulses).map(move |(own, impulse)| (plate.point(*own), *impulse / dt))
    }

    /// One interval: velocities under the drive and under friction against the velocities at its end, then places.
    ///
    /// Friction impulses of all points together make the least of the kinetic energy of the change, each within its disc: points that can be held are held,
    /// the others rub with all they have. Found by sweeps over the points, from the impulses of the interval before.
    pub(super) fn advance(
        &mut self,
        plate: &mut Plate,
        drive: &Drive,
        friction: f64,
        dt: f64,
        tolerance: f64,
    ) -> Solve {
        plate.push(plate.arm(drive.at), drive.force * dt);
        let arms: Vec<DVec2> = self.points.iter().map(|point| plate.arm(*point)).collect();
        let most: Vec<f64> = self.shares.iter().map(|share| share * friction * MASS * GRAVITY * dt).collect();
        for ((arm, impulse), most) in arms.iter().zip(&mut self.impulses).zip(&most) {
            *impulse = impulse.clamp_length_max(*most);
            plate.push(*arm, *impulse);
        }
        let mut solve = Solve { sweeps: 0, error: f64::INFINITY };
        while solve.error > tolerance && solve.sweeps < MOST_SWEEPS {
            (solve.sweeps, solve.error) = (solve.sweeps + 1, 0.0);
            for ((arm, impulse), most) in arms.iter().zip(&mut self.impulses).zip(&most) {
                let slip = plate.velocity + arm.perp() * plate.rate;
                let give = 1.0 / MASS + arm.length_squared() / inertia();
                let next = (*impulse - slip / give).clamp_length_max(*most);
                plate.push(*arm, next - *impulse);
                solve.error = solve.error.max((next - *impulse).length() * give);
                *impulse = next;
            }
        }
        plate.place += plate.velocity * dt;
        plate.angle += plate.rate * dt;
        solve
    }
}

//! Free flight of a rigid body: what it does in a step if nothing but a constant load acts on it.
//!
//! Half of the load's impulse, then torque-free motion, then the other half. For the centre of mass this is the
//! exact parabola. Torque-free rotation keeps the angular momentum `L` in world axes, so that only the
//! orientation is integrated and the angular velocity follows from it: `omega = R I^-1 R^T L`.
//!
//! The orientation comes from Taylor series in body axes. With `l = R^T L` and `w = I^-1 l`,
//!
//! ```text
//! dl/dt = l x w,         l[k+1] = sum over j of l[j] x w[k-j] / (k + 1)
//! dq/dt = q (0, w) / 2,  q[k+1] = sum over j of q[j] w[k-j] / (2 (k + 1))
//! ```
//!
//! summed until terms no longer count: a few for slow bodies, a dozen at the largest angle per piece. So rotation
//! is exact to rounding whatever the step, and the intermediate-axis flip comes on time. What spins too fast for them goes by elliptic
//! functions ([`polhode`]), which keep `L` and the energy for any number of turns.
//!
//! Sticks, discs, cylinders and every other body with two equal moments `J` beside one `I` about an axis `e` need no series. There
//! `omega = L / J + e (1 - I / J) s` with the spin `s = omega . e`, which stays: the body turns evenly about `L` in the world and
//! evenly about `e` in itself, `R(t) = exp(t L / J) R(0) exp(t e (1 - I / J) s)`, however fast it spins.

mod polhode;

use glam::{DMat3, DQuat, DVec3};
use polhode::Polhode;
use prall_math::{Norm, Pose};

/// Largest angle in rad that one series covers. The series converges up to about a quarter turn; at 0.25 rad
/// sixteen terms leave less than rounding.
const LARGEST_ANGLE: f64 = 0.25;
/// Terms of the series at most.
const MOST_TERMS: usize = 17;
/// Pieces of a step at most: 64 rad per step. Faster spin goes by [`Polhode`], in closed form.
const MOST_PIECES: f64 = 256.0;

/// Inertia in body axes and its inverse.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Rotor {
    pub(crate) inertia: DMat3,
    pub(crate) inverse: DMat3,
    symmetry: Symmetry,
}

/// What a body's moments of inertia have in common.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Symmetry {
    /// Nothing.
    None,
    /// Every axis is a principal one: the axis of rotation stays.
    Round,
    /// Two moments are equal; the number is that of the third one's axis.
    About(usize),
}

/// Moments that differ by this part are equal: sums of squares in another order.
const EQUAL: f64 = 8.0 * f64::EPSILON;

impl Symmetry {
    fn of(inertia: &DMat3) -> Symmetry {
        let moments = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
        if *inertia != DMat3::from_diagonal(moments) {
            return Symmetry::None;
        }
        let equal = |i: usize, j: usize| (moments[i] - moments[j]).abs() <= EQUAL * moments[i];
        match [equal(1, 2), equal(2, 0), equal(0, 1)] {
            [true, true, _] => Symmetry::Round,
            [true, ..] => Symmetry::About(0),
            [_, true, _] => Symmetry::About(1),
            [.., true] => Symmetry::About(2),
            _ => Symmetry::None,
        }
    }
}

impl Rotor {
    /// Of a body that nothing turns.
    pub(crate) const NONE: Rotor =
        Rotor { inertia: DMat3::ZERO, inverse: DMat3::ZERO, symmetry: Symmetry::Round };

    pub(crate) fn new(inertia: DMat3, inverse: DMat3) -> Rotor {
        Rotor { inertia, inverse, symmetry: Symmetry::of(&inertia) }
    }

    /// True if every axis is a principal one.
    pub(crate) fn is_round(&self) -> bool {
        self.symmetry == Symmetry::Round
    }

    /// True if the body has an axis of symmetry: then [`Rotor::turns`] is its flight, exactly.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetry != Symmetry::None
    }

    /// Angular momentum in world axes of a body with this orientation and angular velocity.
    pub(crate) fn momentum(&self, rotation: DQuat, angular: DVec3) -> DVec3 {
        rotation * (self.inertia * (rotation.conjugate() * angular))
    }

    /// Angular velocity in world axes of a body with this orientation and angular momentum.
    pub(crate) fn velocity(&self, rotation: DQuat, momentum: DVec3) -> DVec3 {
        rotation * (self.inverse * (rotation.conjugate() * momentum))
    }

    /// Orientation after `h` seconds without torque.
    pub(crate) fn turned(&self, rotation: DQuat, angular: DVec3, h: f64) -> DQuat {
        if angular == DVec3::ZERO {
            return rotation;
        }
        match self.symmetry {
            // A body that nothing turns goes on with its velocity.
            Symmetry::Round => return prall_math::rotation::advance(rotation, angular, h),
            Symmetry::About(axis) => return self.turned_about(axis, rotation, angular, h),
            Symmetry::None => {}
        }
        let momentum = self.momentum(rotation, angular);
        let pieces = (angular.norm() * h.abs() / LARGEST_ANGLE).ceil().max(1.0);
        if pieces > MOST_PIECES {
            return Polhode::of(self, rotation, momentum).turned(rotation, momentum, h);
        }
        let piece = h / pieces;
        let mut turned = rotation;
        for _ in 0..pieces as usize {
            turned = self.turned_piece(turned, momentum, piece);
        }
        turned
    }

    fn turned_about(&self, axis: usize, rotation: DQuat, angular: DVec3, h: f64) -> DQuat {
        let (rate, share, spin) = self.rates_about(axis, rotation, angular);
        let inner = DQuat::from_scaled_axis(DVec3::AXES[axis] * (h * share * spin));
        prall_math::rotation::advance(rotation * inner, rate, h)
    }

    /// Angular velocity `L / J` of the turn in the world; `1 - I / J` and `s`, whose product is the angular speed of that about the
    /// body's own axis.
    fn rates_about(&self, axis: usize, rotation: DQuat, angular: DVec3) -> (DVec3, f64, f64) {
        let moment = |axis: usize| self.inertia.col(axis % 3)[axis % 3];
        // Equal ones to the last bits, or what stands for both.
        let across = if self.symmetry == Symmetry::None {
            0.5 * (moment(axis + 1) + moment(axis + 2))
        } else {
            moment(axis + 1)
        };
        let spin = (rotation.conjugate() * angular).dot(DVec3::AXES[axis]);
        (self.momentum(rotation, angular) / across, 1.0 - moment(axis) / across, spin)
    }

    /// What a body that turns many times does, or nearly does, in `h` seconds without torque, as a turn about an axis of the world and one about an
    /// axis of the body, in rad. Exact for bodies with an axis of symmetry. Others go as if the two moments that differ least
    /// were equal, which keeps their angular momentum and about the energy; those whose axes are not principal ones keep their
    /// axis of rotation.
    pub(crate) fn turns(&self, rotation: DQuat, angular: DVec3, h: f64) -> [DVec3; 2] {
        let moments = DVec3::new(self.inertia.x_axis.x, self.inertia.y_axis.y, self.inertia.z_axis.z);
        let axis = match self.symmetry {
            Symmetry::Round => return [angular * h, DVec3::ZERO],
            Symmetry::About(axis) => axis,
            Symmetry::None if self.inertia != DMat3::from_diagonal(moments) => {
                return [angular * h, DVec3::ZERO];
            }
            Symmetry::None => {
                let ratio = |axis: usize| {
                    let (p, q) = (moments[(axis + 1) % 3], moments[(axis + 2) % 3]);
                    p.max(q) / p.min(q)
                };
                (1..3).fold(0, |best, axis| if ratio(axis) < ratio(best) { axis } else { best })
            }
        };
        let (rate, share, spin) = self.rates_about(axis, rotation, angular);
        [rate * h, DVec3::AXES[axis] * (h * share * spin)]
    }

    fn turned_piece(&self, rotation: DQuat, momentum: DVec3, h: f64) -> DQuat {
        let mut l = [DVec3::ZERO; MOST_TERMS];
        let mut w = [DVec3::ZERO; MOST_TERMS];
        let mut q = [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0); MOST_TERMS];
        // Time is counted in units of h, so that terms are the summands themselves.
        l[0] = rotation.conjugate() * momentum;
        w[0] = self.inverse * l[0] * h;
        q[0] = DQuat::IDENTITY;
        let mut sum = q[0];
        let mut small = 0;
        for k in 0..MOST_TERMS - 1 {
            let share = 1.0 / (k + 1) as f64;
            let mut slope = DVec3::ZERO;
            let (mut vector, mut scalar) = (DVec3::ZERO, 0.0);
            for j in 0..=k {
                let (turn, rate) = (q[j], w[k - j]);
                slope += l[j].cross(rate);
                vector += rate * turn.w + turn.xyz().cross(rate);
                scalar -= turn.xyz().dot(rate);
            }
            l[k + 1] = slope * share;
            w[k + 1] = self.inverse * l[k + 1] * h;
            let term = (vector * (0.5 * share)).extend(scalar * (0.5 * share));
            q[k + 1] = DQuat::from_vec4(term);
            sum += q[k + 1];
            // Two small terms in a row: an odd or even series skips one.
            small = if term.length_squared() < 1e-36 { small + 1 } else { 0 };
            if small == 2 {
                break;
            }
        }
        (rotation * sum).unit()
    }
}

/// Pose after torque-free motion for `h` seconds with velocities that hold at the start.
pub(crate) fn drifted(pose: &Pose, rotor: &Rotor, linear: DVec3, angular: DVec3, h: f64) -> Pose {
    Pose::new(rotor.turned(pose.rotation, angular, h), pose.translation + linear * h)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slab() -> Rotor {
        let inertia = DMat3::from_diagonal(DVec3::new(0.17, 1.01, 1.16) / 12.0);
        Rotor::new(inertia, inertia.inverse())
    }

    /// One step of 1/60 s against a thousand: the series leaves no error that a finer step could see.
    #[test]
    fn a_long_step_of_free_rotation_equals_many_short_ones() {
        let (rotor, spin) = (slab(), DVec3::new(3.0, -7.0, 5.0));
        let momentum = rotor.momentum(DQuat::IDENTITY, spin);
        let long = rotor.turned(DQuat::IDENTITY, spin, 1.0 / 60.0);
        let mut short = DQuat::IDENTITY;
        for _ in 0..1000 {
            let spin = rotor.velocity(short, momentum);
            short = rotor.turned(short, spin, 1.0 / 60_000.0);
        }
        // A thousand products of unit quaternions round by about 1e-13.
        assert!(long.dot(short).abs() > 1.0 - 1e-15 && (long - short).length() < 1e-12);
    }

    /// Time runs both ways: the series has no direction of its own.
    #[test]
    fn free_rotation_runs_backwards() {
        let (rotor, spin) = (slab(), DVec3::new(3.0, -7.0, 5.0));
        let momentum = rotor.momentum(DQuat::IDENTITY, spin);
        let there = rotor.turned(DQuat::IDENTITY, spin, 0.1);
        let back = rotor.turned(there, rotor.velocity(there, momentum), -0.1);
        assert!((back - DQuat::IDENTITY).length() < 1e-14);
    }

    /// The closed form against the series, about each axis, slow and fast.
    #[test]
    fn bodies_with_an_axis_of_symmetry_turn_as_the_series_says() {
        for axis in 0..3 {
            for speed in [0.5, 20.0, 300.0] {
                let mut moments = DVec3::splat(0.8);
                moments[axis] = 0.05;
                let inertia = DMat3::from_diagonal(moments);
                let rotor = Rotor::new(inertia, inertia.inverse());
                assert_eq!(rotor.symmetry, Symmetry::About(axis));
                let series = Rotor { symmetry: Symmetry::None, ..rotor };
                let (start, spin) = (DQuat::from_rotation_x(0.4), DVec3::new(0.4, -0.7, 0.6) * speed);
                let [closed, summed] = [rotor, series].map(|rotor| rotor.turned(start, spin, 1.0 / 60.0));
                // Each of up to twenty pieces of the series rounds by a few 1e-16.
                assert!((closed - summed).length() < 1e-13, "{closed} {summed}");
            }
        }
    }

    /// What the sweep follows is the flight itself, however many turns there are.
    #[test]
    fn the_turns_of_a_top_are_its_flight() {
        let inertia = DMat3::from_diagonal(DVec3::new(0.8, 0.05, 0.8));
        let rotor = Rotor::new(inertia, inertia.inverse());
        let (start, spin) = (DQuat::from_rotation_x(0.4), DVec3::new(400.0, -7000.0, 600.0));
        let [turn, own] = rotor.turns(start, spin, 1.0 / 60.0);
        let exp = prall_math::rotation::exp;
        for part in [0.1, 0.5, 1.0] {
            let followed = exp(turn * part) * start * exp(own * part);
            let flown = rotor.turned(start, spin, part / 60.0);
            // A hundred radians round by some 1e-14.
            assert!((followed - flown).length().min((followed + flown).length()) < 1e-12);
        }
    }

    #[test]
    fn a_round_body_keeps_its_axis() {
        let inertia = DMat3::from_diagonal(DVec3::splat(0.4));
        let rotor = Rotor::new(inertia, inertia.inverse());
        let turned = rotor.turned(DQuat::IDENTITY, DVec3::Y * 2.0, 0.25);
        assert!((turned - DQuat::from_rotation_y(0.5)).length() < 1e-15);
    }
}

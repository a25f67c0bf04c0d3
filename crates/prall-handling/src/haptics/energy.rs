//! [`EnergyTank`]: what a hand has given a device, so that it gets no more back.

use std::collections::VecDeque;

use prall_math::{Pose, Twist, Wrench, rotation};

use super::device::DeviceModel;

/// The work that a hand has given, less what it got back.
///
/// A device holds a force for a tick, so the work of that tick is exactly `F . dx`, and dx is measured. A force that is sent now acts a delay later. Until then those on the way act,
/// and the hand may let go at any moment, which lets the device fly as far as a hand that only presses ever can. With v the velocity that it has then, m its mass and
/// s = 1 / (1 + dt b / m) for its own damping b, a share q of the new force F gives
/// ```text
/// work(q) = s dt (q F . v + q^2 dt F . F / m)
/// ```
/// and q is the largest share up to 1 for which the tank can pay this and the work of all forces on the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EnergyTank {
    stored: f64,
    /// The pose that was measured last.
    before: Option<Pose>,
}

impl EnergyTank {
    /// In J; below 0 it is owed.
    pub(super) fn stored(&self) -> f64 {
        self.stored
    }

    /// Takes in a measured pose, and the wrench that acted since the one before.
    pub(super) fn observe(&mut self, pose: &Pose, acted: &Wrench) {
        if let Some(before) = self.before {
            let way = pose.translation - before.translation;
            let turn = rotation::log((pose.rotation * before.rotation.conjugate()).normalize());
            let work = acted.force.dot(way) + acted.torque.dot(turn);
            if work.is_finite() {
                self.stored -= work;
            }
        }
        self.before = Some(*pose);
    }

    /// The hand is free: what it gave is spent, what is owed stays owed.
    pub(super) fn settle(&mut self) {
        self.stored = self.stored.min(0.0);
    }

    /// The share of a wrench that the tank can pay, from 0 to 1. `measured` is where the device is and how it moves, `on_the_way` are the wrenches that act before, the oldest first.
    pub(super) fn affordable(
        &self,
        model: &DeviceModel,
        measured: (Pose, Twist),
        on_the_way: &VecDeque<Wrench>,
        wrench: &Wrench,
        dt: f64,
    ) -> f64 {
        let (mut pose, mut twist) = measured;
        let mut available = self.stored;
        for earlier in on_the_way {
            model.advance(&mut pose, &mut twist, earlier, dt);
            available -= dt * power(earlier, &twist);
        }
        let slower = dt / (1.0 + dt * model.damping / model.mass);
        let inertia = model.mass * model.gyration * model.gyration;
        let carried = slower * power(wrench, &twist);
        let own = slower
            * dt
            * (wrench.force.length_squared() / model.mass + wrench.torque.length_squared() / inertia);
        largest_share(carried, own, available)
    }
}

fn power(wrench: &Wrench, twist: &Twist) -> f64 {
    wrench.force.dot(twist.linear) + wrench.torque.dot(twist.angular)
}

/// The largest q from 0 to 1 with `carried q + own q^2 <= available`; where there is none, the one that takes most out.
fn largest_share(carried: f64, own: f64, available: f64) -> f64 {
    let square = carried * carried + 4.0 * own * available;
    let share = if carried + own <= available {
        1.0
    } else if square >= 0.0 {
        (square.sqrt() - carried) / (2.0 * own)
    } else {
        -carried / (2.0 * own)
    };
    // Written so that what is no number gives nothing.
    if share > 0.0 { share.min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a search over ten thousand shares.
    #[test]
    fn the_largest_share_that_can_be_paid_is_the_largest() {
        for (carried, own, available) in [
            (1.0, 2.0, 1.5),
            (1.0, 2.0, 5.0),
            (-3.0, 2.0, -0.5),
            (-3.0, 2.0, -9.0),
            (1.0, 2.0, -1.0),
            (-0.1, 3.0, 0.0),
        ] {
            let cost = |share: f64| carried * share + own * share * share;
            let shares = (0..=10_000).map(|k| f64::from(k) * 1e-4);
            let paid =
                shares.clone().filter(|share| cost(*share) <= available).fold(None, |_, share| Some(share));
            let cheapest = shares.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap();
            let found = largest_share(carried, own, available);
            let expected = paid.unwrap_or(cheapest);
            assert!((found - expected).abs() < 2e-4, "{carried} {own} {available}: {found} for {expected}");
        }
        assert_eq!(largest_share(f64::NAN, 1.0, 1.0), 0.0);
    }
}

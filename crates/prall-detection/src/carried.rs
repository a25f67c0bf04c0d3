//! How a body moves that is rigidly fixed to a moving one.

use std::sync::Arc;

use prall_math::{Motion, MotionError, MotionLaw, Norm, Pose, UniformMotion};

/// Points so far away (metres) that their speed is all turning: it bounds the angular speed by `speed / distance`.
const FAR_AWAY: f64 = 1e9;

/// The motion of a body that is at `start` when `carrier` begins and goes along with it rigidly.
///
/// The same twist about another origin for motions with constant velocities; any other is followed as a law.
pub(crate) fn carried(carrier: &Motion, start: Pose) -> Result<Motion, MotionError> {
    if carrier.is_still() {
        return Motion::still(start);
    }
    if let Some(uniform) = carrier.as_uniform() {
        let reference = uniform.start.transform_point(uniform.reference);
        let reference = start.inverse_transform_point(reference);
        return Motion::uniform(UniformMotion { start, reference, ..*uniform });
    }
    let place = carrier.start().inverse() * start;
    Motion::law(Arc::new(Carried { carrier: carrier.clone(), place: place.normalized() }))
}

struct Carried {
    carrier: Motion,
    /// Of the body on its carrier.
    place: Pose,
}

impl MotionLaw for Carried {
    fn pose(&self, t: f64) -> Pose {
        (self.carrier.pose(t) * self.place).normalized()
    }

    fn speed_bound(&self, t0: f64, t1: f64) -> f64 {
        self.carrier.speed_bound(self.place.translation.norm(), t0, t1)
    }

    /// Of two opposite points at a distance r across the axis, one is at least as fast as r times the angular speed.
    fn angular_speed_bound(&self, t0: f64, t1: f64) -> f64 {
        self.carrier.speed_bound(FAR_AWAY, t0, t1) / FAR_AWAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};

    /// Twenty operations on lengths of 10 round by less than this, in metres.
    const ROUNDING: f64 = 1e-13;

    #[test]
    fn a_carried_body_keeps_its_place_on_the_carrier_at_every_moment() {
        let start = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(1.0, 2.0, 3.0));
        let end = Pose::new(DQuat::from_rotation_z(2.0), DVec3::new(-4.0, 0.0, 1.0));
        let member = Pose::new(DQuat::from_rotation_y(1.0), DVec3::new(3.0, -1.0, 2.0));
        let motions = [
            Motion::slerp(start, end),
            Motion::screw(start, end),
            Motion::nlerp(start, end),
            Motion::slerp_about(start, end, DVec3::ONE),
            Motion::still(start),
        ];
        for carrier in motions.map(|motion| motion.expect("valid poses")) {
            let carried = carried(&carrier, member).expect("valid poses");
            let place = start.inverse() * member;
            for i in 0..=10 {
                let t = f64::from(i) / 10.0;
                let (found, expected) = (carried.pose(t), carrier.pose(t) * place);
                let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
                for (p, q) in points.map(|p| (found.transform_point(p), expected.transform_point(p))) {
                    assert!((p - q).length() < ROUNDING);
                }
                // Bounds are bounds: no point within 2 m of the member's origin moves farther in a tenth.
                let far = DVec3::new(0.0, 2.0, 0.0);
                let moved = carried.pose(t + 0.1).transform_point(far) - found.transform_point(far);
                assert!(moved.length() <= carried.displacement_bound(2.0, t, t + 0.1));
            }
        }
    }
}

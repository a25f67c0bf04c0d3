//! [`Drive`]: what acts along a free coordinate of a joint.

use serde::{Deserialize, Serialize};

/// Limits, motor, servo, spring and friction of one coordinate; nothing by default.
///
/// Lengths are in m and forces in N for shifts, angles in rad and torques in N m for turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    /// Smallest and largest value. The stop is hard and does not rebound.
    pub limits: Option<(f64, f64)>,
    /// Drives with a speed.
    pub motor: Option<Motor>,
    /// Drives to a place.
    pub servo: Option<Servo>,
    /// Pulls to a rest value.
    pub spring: Option<SpringDamper>,
    /// Largest force of dry friction.
    pub friction: f64,
}

/// Keeps a speed with a limited force.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// Wanted speed in m/s or rad/s.
    pub speed: f64,
    /// Largest force or torque; 0 switches it off.
    pub strength: f64,
}

/// Goes to a place and stays there, with limited speed and force.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Servo {
    /// Wanted value in m or rad.
    pub target: f64,
    /// Largest speed on the way.
    pub speed: f64,
    /// Largest force or torque. It brakes in time for a load of half of this.
    pub strength: f64,
}

/// A linear spring with a damper beside it.
///
/// Integrated by the implicit midpoint rule: stable for every stiffness, without damping of its own. A spring with
/// `stiffness h^2 / mass` above 1 swings more slowly than in nature.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpringDamper {
    /// In N/m or N m/rad.
    pub stiffness: f64,
    /// In N s/m or N m s/rad.
    pub damping: f64,
    /// Value without force, in m or rad.
    pub rest: f64,
}

impl Servo {
    /// Speed towards the target: no more than allowed, no farther than the target in a step, and slow enough to stop there
    /// with half of the strength, `v^2 = 2 (strength / 2) response distance`. The response is the acceleration by a unit force.
    pub(crate) fn wanted_speed(&self, value: f64, response: f64, step: f64) -> f64 {
        let way = self.target - value;
        let braking = (self.strength * response * way.abs()).sqrt();
        self.speed.min(braking).min(way.abs() / step).copysign(way)
    }
}

impl Drive {
    /// True if nothing acts.
    pub(crate) fn is_idle(&self) -> bool {
        *self == Drive::default()
    }

    /// Rows that it makes at most.
    pub(crate) fn most_rows(&self) -> usize {
        usize::from(self.limits.is_some())
            + usize::from(self.motor.is_some())
            + usize::from(self.servo.is_some())
            + usize::from(self.spring.is_some())
            + usize::from(self.friction > 0.0)
    }

    /// What is wrong with it, if anything.
    pub(crate) fn defect(&self) -> Option<String> {
        let good = |value: f64| value.is_finite() && value >= 0.0;
        if let Some((lower, upper)) = self.limits
            && !(lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY)
        {
            return Some(format!(
                "limits from {lower} to {upper}; the lower one must not be above the upper one"
            ));
        }
        if let Some(Motor { speed, strength }) = self.motor
            && !(speed.is_finite() && strength >= 0.0)
        {
            return Some(format!(
                "motor with speed {speed} and strength {strength}; both must be numbers, the strength from 0 on"
            ));
        }
        if let Some(Servo { target, speed, strength }) = self.servo
            && !(target.is_finite() && speed > 0.0 && strength >= 0.0)
        {
            return Some(format!(
                "servo to {target} with speed {speed} and strength {strength}; the target must be finite, the speed above 0, the strength from 0 on"
            ));
        }
        if self.motor.is_some() && self.servo.is_some() {
            return Some("a motor and a servo; only one of them can decide".to_owned());
        }
        if let Some(SpringDamper { stiffness, damping, rest }) = self.spring
            && !(good(stiffness) && good(damping) && rest.is_finite())
        {
            return Some(format!(
                "spring of stiffness {stiffness}, damping {damping}, rest {rest}; all must be finite, stiffness and damping from 0 on"
            ));
        }
        (!good(self.friction))
            .then(|| format!("friction {}; it must be a finite number from 0 on", self.friction))
    }
}

//! A hit that straightens a drifting sled: its tail slides into the wall, and the rear bumper turns it back.

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose};
use serde::Serialize;

use super::Sheet;
use crate::run::STEP;
use crate::sled::{GRAVITY, Setup, Sled, SledError};

/// How a drifting sled came off a wall, beside the same sled without one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Straightening {
    /// Restitution of the bumpers.
    pub restitution: f64,
    /// Angle in degrees between the sled and its way when the tail touched; above zero the tail is out, to the wall.
    pub drift_before: f64,
    /// Half a second after the touch; below zero it points to the wall.
    pub drift_after: f64,
    /// The same sled at that time, had there been no wall.
    pub drift_without_wall: f64,
    /// Largest yaw rate in degrees per second that the wall gave, towards straight.
    pub yaw_rate: f64,
    /// Normal speed of the rear bumper before the first touch, in m/s.
    pub normal_speed: f64,
    /// Speed lost in that half second beyond what the sled without a wall lost, in m/s.
    pub lost: f64,
}

/// Speed in m/s, drift in degrees, and angle of the way to the wall in degrees.
const SPEED: f64 = 25.0;
const DRIFT: f64 = 4.0;
const TOWARDS: f64 = 1.5;
/// How long the sled is watched after the first touch, in s.
const WATCHED: f64 = 0.5;

/// A sled at 25 m/s whose tail is out by 4 degrees slides to the left wall of a straight at 1.5 degrees.
pub fn straightening(setup: &Setup, restitution: f64) -> Result<Straightening, SledError> {
    let setup = setup.clone().with_restitution(restitution);
    let mut sled = Sled::new(&setup)?;
    let way = DQuat::from_rotation_y(TOWARDS.to_radians()) * DVec3::NEG_Z;
    // The nose points to the right of the way: the tail is out to the left.
    let turn = DQuat::from_rotation_y((TOWARDS - DRIFT).to_radians());
    sled.place(Pose::new(turn, DVec3::new(-0.2, 0.001, 0.0)), way * SPEED, 0.0);
    let (walls, free) = (Sheet { half_width: 0.7 }, Sheet { half_width: f64::INFINITY });
    let mut alone = sled.clone();
    let mut answer = Straightening {
        restitution,
        drift_before: DRIFT,
        drift_after: 0.0,
        drift_without_wall: 0.0,
        yaw_rate: 0.0,
        normal_speed: 0.0,
        lost: 0.0,
    };
    let mut touched: Option<u32> = None;
    let longest = (3.0 / STEP) as u32;
    for step in 0..longest {
        let drift = drift(&sled);
        sled.step(&walls, STEP, 0.0, 0.0, GRAVITY);
        alone.step(&free, STEP, 0.0, 0.0, GRAVITY);
        if sled.touched().bumpers > 0.0 {
            if touched.is_none() {
                touched = Some(step);
                answer.drift_before = drift;
                answer.normal_speed = sled.impacts().map(|impact| impact.normal_speed).fold(0.0, f64::max);
            }
            // To the left is above zero; a tail out to the left is straightened that way.
            answer.yaw_rate = answer.yaw_rate.max(sled.tree().twist(0).angular.y.to_degrees());
        }
        if touched.is_some_and(|touched| f64::from(step - touched) * STEP > WATCHED) {
            break;
        }
    }
    answer.drift_after = self::drift(&sled);
    answer.drift_without_wall = self::drift(&alone);
    answer.lost = alone.velocity().norm() - sled.velocity().norm();
    Ok(answer)
}

/// Angle in degrees between where a sled points and where it goes; above zero its tail is out to the left.
fn drift(sled: &Sled) -> f64 {
    let local = sled.frame().rotation.inverse() * sled.velocity();
    libm::atan2(-local.x, -local.z).to_degrees()
}

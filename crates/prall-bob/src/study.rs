//! Studies: the published times, and experiments that the source left to the eyes of experts, by measured numbers.
//!
//! S1: how a sled comes off a wall, over the restitution of its bumpers. S2: how it steers and when its rear breaks out, over the friction of its
//! runners (Rempfler 2015, 4.4). Both on a level sheet of ice between two walls, so that nothing but the varied number differs.

mod entries;
mod springs;
mod straightening;
#[cfg(test)]
mod tests;

pub use entries::{EXIT, Entry, entries};
pub use springs::SpringRun;
pub use straightening::{Straightening, straightening};

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose};
use serde::Serialize;

use crate::run::STEP;
use crate::sled::{GRAVITY, Setup, Sled, SledError, Surface};
use crate::track::{Foot, Ground, Place};

/// A station of the published validation: 77 simulated runs beside the 80 runs of the Olympic two-man race of 2010, in s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SourceSplit {
    /// Station in m.
    #[serde(skip)]
    pub s: f64,
    /// Mean of the race.
    pub race_mean: f64,
    /// Its standard deviation.
    pub race_deviation: f64,
    /// Mean of the source's simulation.
    pub simulation_mean: f64,
    /// Its standard deviation.
    pub simulation_deviation: f64,
}

/// The published table for Whistler (Rempfler 2015, 6.3).
pub const SOURCE_SPLITS: [SourceSplit; 6] = [
    source(50.0, [4.8732, 0.0691, 4.8182, 0.00109]),
    source(280.0, [16.2883, 0.1302, 16.4049, 0.0320]),
    source(660.0, [30.2721, 0.2054, 30.3003, 0.0922]),
    source(960.0, [39.1948, 0.2649, 39.4701, 0.1349]),
    source(1244.0, [46.9438, 0.3235, 47.0068, 0.1612]),
    source(1450.0, [52.3270, 0.4730, 52.5225, 0.1792]),
];

const fn source(s: f64, values: [f64; 4]) -> SourceSplit {
    let [race_mean, race_deviation, simulation_mean, simulation_deviation] = values;
    SourceSplit { s, race_mean, race_deviation, simulation_mean, simulation_deviation }
}

/// Level ice with an upright wall on either side, as far as the walls of a straight: the sled goes to -z.
pub(crate) struct Sheet {
    /// Distance of the walls from the middle in m; infinite for none.
    pub(crate) half_width: f64,
}

impl Surface for Sheet {
    fn nearest(&self, point: DVec3, _: &mut Foot) -> Place {
        let floor = Place { normal: DVec3::Y, distance: point.y, ground: Ground::Ice };
        let wall = self.half_width - point.x.abs();
        if wall < floor.distance {
            let normal = DVec3::new(-point.x.signum(), 0.0, 0.0);
            return Place { normal, distance: wall, ground: Ground::Ice };
        }
        floor
    }
}

/// A sled on the sheet with a speed in m/s and a heading in rad, to the left above zero.
pub(crate) fn set_off(setup: &Setup, speed: f64, heading: f64) -> Result<Sled, SledError> {
    let mut sled = Sled::new(setup)?;
    let turn = DQuat::from_rotation_y(heading);
    sled.place(Pose::new(turn, DVec3::Y * 0.001), turn * DVec3::NEG_Z * speed, 0.0);
    Ok(sled)
}

/// How a sled came off a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rebound {
    /// Restitution of the bumpers.
    pub restitution: f64,
    /// Speed towards the wall of the rear hull before the first touch, in m/s.
    pub towards: f64,
    /// Largest speed away from it afterwards, in m/s.
    pub away: f64,
    /// Speed that was lost, in m/s.
    pub lost: f64,
    /// Largest yaw rate afterwards in rad/s, towards the middle.
    pub yaw: f64,
    /// Percussion on all bumpers in N s.
    pub percussion: f64,
    /// How often the bumpers touched within the second: a sled that chatters along the wall touches often.
    pub touches: u32,
}

/// S1: a sled at 25 m/s meets the wall of a straight at 3 degrees.
pub fn rebound(setup: &Setup, restitution: f64) -> Result<Rebound, SledError> {
    const SPEED: f64 = 25.0;
    const HEADING: f64 = 3.0 * std::f64::consts::PI / 180.0;
    let setup = setup.clone().with_restitution(restitution);
    let mut sled = set_off(&setup, SPEED, HEADING)?;
    let sheet = Sheet { half_width: 0.7 };
    // A heading to the left goes to -x.
    let mut before = (0.0, SPEED);
    let mut answer =
        Rebound { restitution, towards: 0.0, away: 0.0, lost: 0.0, yaw: 0.0, percussion: 0.0, touches: 0 };
    let (mut hit, mut touching) = (None, false);
    for step in 0.. {
        sled.step(&sheet, STEP, 0.0, 0.0, GRAVITY);
        let bumpers = sled.touched().bumpers;
        match hit {
            None if bumpers > 0.0 => {
                hit = Some(step);
                answer.towards = before.0;
            }
            None => before = (-sled.velocity().x, sled.velocity().norm()),
            Some(_) => {
                answer.away = answer.away.max(sled.velocity().x);
                answer.yaw = answer.yaw.max(-sled.tree().twist(0).angular.y);
            }
        }
        answer.percussion += bumpers;
        answer.touches += u32::from(bumpers > 0.0 && !touching);
        touching = bumpers > 0.0;
        // A second after the hit, or three without one.
        let over = hit.map_or(3.0, |hit| f64::from(hit) * STEP + 1.0);
        if f64::from(step) * STEP > over {
            break;
        }
    }
    answer.lost = before.1 - sled.velocity().norm();
    Ok(answer)
}

/// How a sled answers to its ropes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Handling {
    /// Friction along over that across with full load.
    pub along_over_across: f64,
    /// Share of the friction along that is left when runners slip across.
    pub side_slip_share: f64,
    /// Sideways acceleration half a second after a small pull, over gravity.
    pub response: f64,
    /// Steering angle in degrees from which the rear slips by more than the front: it breaks out. None up to the stop.
    pub breaks_out_at: Option<f64>,
    /// Speed lost in a second straight ahead, in m/s.
    pub glide_loss: f64,
    /// Speed lost in a second of steering by two degrees, in m/s.
    pub steering_loss: f64,
}

/// Load of the study in g: that of a fast curve, where runners dig in.
pub const STUDY_LOAD: f64 = 3.0;

/// S2: a sled at 30 m/s under three times its weight, as in a fast curve, straight ahead and steered.
pub fn handling(setup: &Setup, along_over_across: f64, side_slip_share: f64) -> Result<Handling, SledError> {
    let (along, _, [low, high]) = setup.runner_friction();
    // The friction along stays what was measured; what varies is across.
    let factor = along / along_over_across / high;
    let setup =
        setup.clone().with_runner_friction(along, side_slip_share, [low * factor, along / along_over_across]);
    let straight = steered(&setup, STUDY_LOAD, 0.0, 1.0)?;
    let two_degrees = steered(&setup, STUDY_LOAD, 2.0, 1.0)?;
    let mut breaks_out_at = None;
    for half_degrees in 1..=20 {
        let angle = 0.5 * f64::from(half_degrees);
        let driven = steered(&setup, STUDY_LOAD, angle, 1.0)?;
        if driven.rear_slip.abs() > driven.front_slip.abs() {
            breaks_out_at = Some(angle);
            break;
        }
    }
    Ok(Handling {
        along_over_across,
        side_slip_share,
        response: steered(&setup, STUDY_LOAD, 1.0, 0.5)?.sideways / GRAVITY.norm(),
        breaks_out_at,
        glide_loss: straight.lost,
        steering_loss: two_degrees.lost,
    })
}

/// How a sled answers to its ropes under a load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Steerability {
    /// In g.
    pub load: f64,
    /// Sideways acceleration half a second after two degrees of steering, over gravity.
    pub response: f64,
    /// The same over the load: what the runners' grip makes of it.
    pub grip: f64,
}

/// A sled at 30 m/s on level ice under a load in g, steered by two degrees: runners dig in with the load, up to full load.
pub fn steerability(setup: &Setup, load: f64) -> Result<Steerability, SledError> {
    let response = steered(setup, load, 2.0, 0.5)?.sideways / GRAVITY.norm();
    Ok(Steerability { load, response, grip: response / load })
}

struct Steered {
    /// Mean acceleration to the left in m/s^2.
    sideways: f64,
    lost: f64,
    /// Angle between where an axle's runners point and where they go, in rad.
    front_slip: f64,
    rear_slip: f64,
}

fn steered(setup: &Setup, load: f64, degrees: f64, seconds: f64) -> Result<Steered, SledError> {
    const SPEED: f64 = 30.0;
    let angle = degrees.to_radians();
    let mut sled = set_off(setup, SPEED, 0.0)?;
    let sheet = Sheet { half_width: f64::INFINITY };
    let gravity = GRAVITY * load;
    // Springs settle before it is steered, then the ropes are pulled within a tenth of a second.
    let (settle, pull) = (0.4, 0.1);
    let steps = ((settle + pull + seconds) / STEP) as u32;
    let mut begin = (DVec3::ZERO, SPEED);
    for step in 0..steps {
        let time = f64::from(step) * STEP;
        let share = ((time - settle) / pull).clamp(0.0, 1.0);
        if time < settle {
            begin = (sled.velocity(), sled.velocity().norm());
        }
        sled.step(&sheet, STEP, angle * share, 0.0, gravity);
    }
    let frame = sled.frame();
    let slip = |z: f64, turned: f64| {
        let point = frame.transform_point(DVec3::new(0.0, 0.0, z));
        let twist = sled.tree().twist(0);
        let velocity = twist.velocity_at(point - sled.tree().pose(0).translation);
        let local = frame.rotation.inverse() * velocity;
        // To the left of its own nose is -x; a steered axle points to the left by its angle.
        turned - libm::atan2(-local.x, -local.z)
    };
    let after = sled.velocity();
    Ok(Steered {
        sideways: (begin.0 - after).x / (pull + seconds),
        lost: begin.1 - after.norm(),
        front_slip: slip(-1.69, angle),
        rear_slip: slip(0.0, 0.0),
    })
}

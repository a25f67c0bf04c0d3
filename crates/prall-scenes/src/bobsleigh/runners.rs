//! How runners are drawn: as they pitch, but never with an end in the ice.
//!
//! A runner of the model stands on two contacts that are 8 cm apart and pitches about them by up to some degrees, while the one that is drawn is a
//! metre long: its ends would dip into the ice by centimetres. For the picture it is turned about its axle by the least angle that brings the
//! whole sole out of the ice; what hollow ice leaves then, millimetres, it is raised. The simulation does not know of it.

use glam::{DQuat, DVec3};
use prall_bob::track::{Foot, Ground, Ice};
use prall_math::Pose;

/// Runners by their bodies, with the place under the middle of each in the frame of the setup file, in m.
const RUNNERS: [(&str, DVec3); 4] = [
    ("runner_1", DVec3::new(-0.335, 0.0, 0.0)),
    ("runner_2", DVec3::new(0.335, 0.0, 0.0)),
    ("runner_3", DVec3::new(-0.335, 0.0, -1.69)),
    ("runner_4", DVec3::new(0.335, 0.0, -1.69)),
];
/// Height of the axle above the sole in m.
const AXLE: f64 = 0.11;
/// The sole as the page draws it: half its length and the radius of its rocker in m, and the share of the length from which on its ends turn up.
const HALF: f64 = 0.5;
const ROCKER: f64 = 12.0;
const UPTURN: f64 = 0.7;
/// Places of the sole that are looked at, the middle included.
const PLACES: i32 = 15;
/// A runner is never turned by more than this, in rad, nor raised by more than that, in m, at a time: what lies further in has crashed.
const MOST_TURN: f64 = 0.2;
const MOST_LIFT: f64 = 0.03;
/// Share of the way up that ice must face to carry a runner.
const LEAST_SHARE: f64 = 0.5;
/// Times that it is looked at and raised: a second one finds what the turn has brought.
const PASSES: u32 = 2;
/// Halvings of the range of angles: a millionth of a radian.
const HALVINGS: u32 = 18;

/// Height of the sole above its lowest line at a place along it, in m.
fn height(z: f64) -> f64 {
    let beyond = ((z / HALF).abs() - UPTURN).max(0.0);
    z * z / (2.0 * ROCKER) + 0.28 * libm::pow(beyond, 1.6)
}

/// Places of the sole from the front to the back, about the place under its middle.
pub(super) fn sole() -> impl Iterator<Item = DVec3> {
    (0..PLACES).map(|i| {
        let z = HALF * (f64::from(2 * i) / f64::from(PLACES - 1) - 1.0);
        DVec3::new(0.0, height(z), z)
    })
}

/// Where a runner stands in the frame of the setup file; none for other bodies.
pub(super) fn place_of(body: &str) -> Option<DVec3> {
    RUNNERS.iter().find(|(name, _)| *name == body).map(|(_, place)| *place)
}

/// The frame of a runner's body, as it is drawn. `station` is near it, in m.
pub(super) fn drawn(frame: Pose, place: DVec3, ice: &Ice, station: f64) -> Pose {
    (0..PASSES).fold(frame, |frame, _| raised(frame, place, ice, station))
}

fn raised(frame: Pose, place: DVec3, ice: &Ice, station: f64) -> Pose {
    let up = frame.transform_vector(DVec3::Y);
    let mut foot = Foot::near(station);
    let mut below: Vec<(f64, f64)> = Vec::new();
    for point in sole() {
        let met = ice.nearest(frame.transform_point(place + point), &mut foot);
        let share = met.normal.dot(up);
        // What it meets from the side, or over the edge, does not carry it.
        if met.ground == Ground::Ice && share > LEAST_SHARE {
            below.push((point.z, -met.distance / share));
        }
    }
    // How far it must be raised after a turn by an angle about the axle; positive angles raise the front.
    let lift = |angle: f64| below.iter().map(|(z, depth)| depth + z * angle).fold(0.0, f64::max);
    if lift(0.0) == 0.0 {
        return frame;
    }
    let angle = least_turn(lift);
    let axle = place + DVec3::Y * AXLE;
    let turn = DQuat::from_rotation_x(angle);
    frame * Pose::new(turn, axle - turn * axle + DVec3::Y * lift(angle).min(MOST_LIFT))
}

/// The least angle after which the least lift is left. The lift is convex: where it rises in an angle, its least lies before that.
fn least_turn(lift: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-MOST_TURN, MOST_TURN);
    for _ in 0..2 * HALVINGS {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if lift(a) <= lift(b) { high = b } else { low = a }
    }
    let best = 0.5 * (low + high);
    let enough = lift(best) + 1e-6;
    let (mut before, mut after) = (0.0, best);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (before + after);
        if lift(middle) <= enough { after = middle } else { before = middle }
    }
    after
}

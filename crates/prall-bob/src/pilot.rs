//! The pilot: knows the track by heart and steers by feel.
//!
//! Across the ice a sled swings like a pendulum, once in 1.2 to 1.4 s and hardly damped, and runners can push it aside with a few percent of
//! its load only. So a pilot who follows a line is too late; he must know how the wave goes on. [`Plan`] is that knowledge: what
//! every state across the ice costs from every station to the finish, for a mass on the path of the sled's centre, found from the finish
//! backwards (Bellman 1957). [`Pilot`] turns it into steering: where the cost falls fastest is where the runners should push, and
//! they push where the sled stands across its way; a yaw control turns it there.

mod beginner;
mod lines;
mod optimise;
mod plan;
mod steering;
mod swing;

use glam::DVec3;
use prall_math::Norm;

pub use beginner::{Beginner, BeginnerOptions};
pub use lines::{Line, LineError, Lines};
pub use optimise::{OptimiseError, Optimised, OptimiserOptions, OptimiserTask, optimise};
pub use plan::{LinePoint, Plan, PlanOptions};
pub use steering::{SteeringLine, SteeringLineError};

use crate::sled::Sled;
use crate::track::Ice;

/// How a pilot steers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PilotOptions {
    /// Slip angle in rad at which he lets the runners push with full force. Default 0.03: beyond, they only brake.
    pub slip: f64,
    /// Steering per missing slip angle. Default 1.
    pub turn: f64,
    /// Steering in rad per rad/s of yaw beside the way's own. Default 0.12: more is calmer and later.
    pub calm: f64,
    /// Largest steering angle in rad. Default 0.07.
    pub most: f64,
    /// Time in s in which his hands follow. Default 0.03.
    pub lag: f64,
}

impl Default for PilotOptions {
    fn default() -> PilotOptions {
        PilotOptions { slip: 0.03, turn: 1.0, calm: 0.12, most: 0.07, lag: 0.03 }
    }
}

/// How often a pilot thinks, in s.
pub const THINKING: f64 = 0.01;

/// A pilot on his way.
#[derive(Clone, Debug)]
pub struct Pilot<'p> {
    plan: &'p Plan,
    options: PilotOptions,
    wish: f64,
    angle: f64,
    station: f64,
    /// Where he was across the ice, for the search.
    across: f64,
    /// What he steers beside.
    line: SteeringLine,
    /// What he last saw, for reports: across in m and in m/s, and his push from -1 to 1.
    seen: [f64; 3],
}

impl<'p> Pilot<'p> {
    /// Who follows a plan from a station on.
    pub fn new(plan: &'p Plan, options: PilotOptions, station: f64) -> Pilot<'p> {
        Pilot {
            plan,
            options,
            wish: 0.0,
            angle: 0.0,
            station,
            across: 0.0,
            line: SteeringLine::default(),
            seen: [0.0; 3],
        }
    }

    /// Steers a line beside his feedback from now on.
    pub fn follow(&mut self, line: SteeringLine) {
        self.line = line;
    }

    /// What he has in mind, in numbers.
    pub(crate) fn save(&self) -> [f64; 7] {
        let [across, rate, push] = self.seen;
        [self.wish, self.angle, self.station, self.across, across, rate, push]
    }

    /// Has it in mind again.
    pub(crate) fn restore(&mut self, mind: [f64; 7]) {
        [self.wish, self.angle, self.station, self.across, ..] = mind;
        self.seen = [mind[4], mind[5], mind[6]];
    }

    /// Place across the ice in m, its rate in m/s, and which push he wanted last, from -1 (left) to 1.
    pub fn seen(&self) -> [f64; 3] {
        self.seen
    }

    /// Steering angle in rad that his hands hold, positive to the left, whoever drives.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// Looks at the sled and makes up his mind; every [`THINKING`] seconds. `error` in rad is added to what he wants.
    pub fn think(&mut self, ice: &Ice, sled: &Sled, error: f64) {
        let frame = sled.frame();
        // Between the axles, on the ice.
        let middle = frame.transform_point(DVec3::new(0.0, 0.0, -0.845));
        let velocity = sled.tree().twist(0).velocity_at(middle - sled.tree().pose(0).translation);
        let (s, place) = ice.locate(middle, self.station);
        self.station = s;
        let (right, ahead, [slope, curvature]) = ice.axes(s);
        let along = velocity.dot(ahead) / (1.0 + curvature * place.x);
        let flat = glam::DVec2::new(velocity.dot(right), velocity.y - slope * along);
        let seen = self.plan.swing().see(s, place, flat, along, self.across);
        self.across = seen.across;
        let push = self.plan.push(s, seen, along, self.seen[2]);
        self.seen = [seen.across, seen.rate, push];
        // Slip angle of the sled: how far it points to the right of where it goes, seen on the ice.
        let speed = velocity.norm().max(1.0);
        let slip = frame.transform_vector(DVec3::X).dot(velocity) / -speed;
        let wanted = push * self.options.slip;
        // Yaw beside the turning of the way itself: what the ice asks for is the rate of the velocity's direction.
        let up = frame.transform_vector(DVec3::Y);
        let yaw = sled.tree().twist(0).angular.dot(up);
        let way = seen.turning;
        let steer_right = self.options.turn * (wanted - slip) + self.options.calm * (yaw - way);
        let steer = self.line.at(s) - steer_right;
        self.wish = steer.clamp(-self.options.most, self.options.most) + error;
    }

    /// Steering angle in rad, positive to the left, `h` seconds later.
    pub fn steer(&mut self, h: f64) -> f64 {
        self.angle += (self.wish - self.angle) * (h / (self.options.lag + h));
        self.angle
    }
}

//! A run: from the block to where the sled stands still, with the clock.
//!
//! The crew pushes (`a = a0 (1 - v / v_max)` until it sits), the pilot steers, light barriers take times, behind the finish the brakeman
//! brakes. A crash ends the timed run; the sled slides on until it stops.

mod saved;
#[cfg(test)]
pub(crate) mod tests;

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose};
use serde::{Deserialize, Serialize};

pub use saved::RunState;

use crate::pilot::{Pilot, PilotOptions, Plan, SteeringLine};
use crate::sled::{GRAVITY, Law, Setup, Sled, SledError};
use crate::track::{Foot, Ground, Ice, MeshIce, MeshOnIce, SegmentedMesh, Track};

/// Length of a step in s: 83 of them are a picture at 60 Hz.
pub const STEP: f64 = 1.0 / 4980.0;
/// Steps between two looks of the pilot and of the clock.
const LOOK: u32 = 50;
/// A run that is still moving then is stopped, in s.
const LONGEST: f64 = 200.0;
/// Slower than this behind the finish, or after a crash, the sled stands, in m/s.
const STANDING: f64 = 0.5;
/// A new hit counts when its bumper was free for this long, in s.
const BETWEEN_HITS: f64 = 0.1;
/// A hit is a percussion above that of leaning on the wall, in N s of one step.
const HIT: f64 = 1.0;
/// Crash: the hull leans from the ice by more than this ...
const CRASH_COSINE: f64 = 0.258_819_045_102_520_76;
/// ... for this long, in s,
const CRASH_LEANING: f64 = 0.3;
/// or the rim lies on the ice for this long, in s,
const CRASH_LYING: f64 = 0.2;
/// or something is in the net above the boards for this long, in s. Boards themselves are there to be hit.
const CRASH_IN_NET: f64 = 0.05;

/// On a mesh without a net: the sled's middle is this far behind the ice, in m.
const LOST: f64 = 0.3;

/// Quickest that hands turn the steering, in rad/s: from stop to stop in a third of a second.
const FASTEST_HANDS: f64 = 1.0;

/// Whose hands are on the ropes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hands {
    /// The pilot's, who also has the crew push and brake as the track says.
    Pilot,
    /// One's own.
    Own {
        /// Wanted angle in rad, positive to the left.
        steering: f64,
        /// From -1, the brake, to 1, the push.
        push: f64,
    },
}

/// How a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Start {
    /// From the block, with this share of the track file's push.
    Pushed(f64),
    /// At s = 0 with a speed in m/s, as the source did.
    Flying(f64),
}

/// What differs from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// How it begins.
    pub start: Start,
    /// How far to the right of the middle it begins, in m.
    pub offset: f64,
    /// Standard deviation of the pilot's hands in rad, anew at every look; 0 by default.
    pub tremor: f64,
    /// Seed of his tremor.
    pub seed: u64,
}

impl Default for Conditions {
    fn default() -> Conditions {
        Conditions { start: Start::Pushed(1.0), offset: 0.0, tremor: 0.0, seed: 0 }
    }
}

/// A time at a light barrier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// Station in m.
    pub s: f64,
    /// Since s = 0, in s.
    pub time: f64,
    /// In m/s.
    pub speed: f64,
}

/// Why a run ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrashCause {
    /// The hull leant too far for too long.
    RolledOver,
    /// The rim lay on the ice.
    OnItsSide,
    /// It came over the edge of the channel and over its boards, into the net.
    OverTheEdge,
}

/// A bumper met a wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hit {
    /// Station of the front axle in m, as of the last look.
    pub s: f64,
    /// Since s = 0, in s; before it 0.
    pub time: f64,
    /// On which side of the sled.
    pub side: HitSide,
    /// Name of the bumper in the setup file.
    pub bumper: String,
    /// What was met.
    pub ground: Ground,
    /// Speed of the bumper towards it before the impact, in m/s.
    pub normal_speed: f64,
    /// Speed in m/s that the sled lost until the bumper was off the wall again.
    pub lost: f64,
}

/// A side of the sled, seen by the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HitSide {
    /// His left.
    Left,
    /// His right.
    Right,
}

/// A bumper while it is watched.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Bumper {
    /// Number of its contact in the file, and its name.
    contact: usize,
    name: String,
    side: HitSide,
    /// How long it was off the walls in s.
    free: f64,
    /// Number of its last hit, and the speed of the sled before it.
    hit: Option<(usize, f64)>,
}

/// A crash.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crash {
    /// Station in m.
    pub s: f64,
    /// Since s = 0, in s.
    pub time: f64,
    /// Why.
    pub cause: CrashCause,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Times at the track's stations as far as they were reached without a crash.
    pub splits: Vec<Split>,
    /// Time at the finish in s, if it was reached without a crash.
    pub time: Option<f64>,
    /// Largest speed in m/s.
    pub top_speed: f64,
    /// Largest force on the runners over weight, mean over 10 ms.
    pub largest_load: f64,
    /// How often bumpers met a wall before a crash.
    pub bumper_hits: u32,
    /// Each of those, in the order of time.
    #[serde(default)]
    pub hits: Vec<Hit>,
    /// The crash, if there was one.
    pub crash: Option<Crash>,
    /// Where it came to rest, in m.
    pub rest: f64,
    /// Time that was simulated, in s.
    pub simulated: f64,
    /// Steps of all, and sweeps of the contact solver over all of them.
    pub steps: u64,
    /// Sweeps.
    pub sweeps: u64,
    /// Steps whose sweeps ended at their limit.
    pub unsettled: u64,
    /// Deepest that a tip went behind the ice, in m.
    pub deepest: f64,
    /// False if a number was none: then the run ended there.
    pub finite: bool,
    /// Hash of the last state; sixteen hexadecimal digits where it is written.
    #[serde(with = "crate::record::hexadecimal")]
    pub hash: u64,
}

/// Everything that runs on one track share.
#[derive(Clone, Debug)]
pub struct Course {
    /// The track.
    pub track: Track,
    /// Its surface.
    pub ice: Ice,
    /// What pilots know of it.
    pub plan: Plan,
}

/// What a run is driven on.
#[derive(Clone, Copy, Debug)]
enum RunSurface<'c> {
    /// The exact ice of the course.
    Ice,
    /// A mesh, with the ice where it has nothing.
    Mesh(&'c MeshIce),
    /// A mesh, met by segments, with nothing where it has nothing.
    Segments(&'c MeshIce),
}

/// A run at work.
#[derive(Clone, Debug)]
pub struct Run<'c> {
    course: &'c Course,
    surface: RunSurface<'c>,
    sled: Sled,
    pilot: Pilot<'c>,
    conditions: Conditions,
    noise: u64,
    /// Of the front axle.
    station: f64,
    time: f64,
    zero: Option<f64>,
    leaning: f64,
    lying: f64,
    in_net: f64,
    bumpers: Vec<Bumper>,
    /// Of the sled before the step, in m/s.
    speed: f64,
    result: RunResult,
    foot: Foot,
    /// Steps since the last look, and the sum of the runners' forces over them in N.
    since_look: u32,
    load: f64,
    goes_on: bool,
}

impl<'c> Run<'c> {
    /// Everything at the start.
    pub fn new(
        course: &'c Course,
        setup: &Setup,
        options: PilotOptions,
        conditions: Conditions,
    ) -> Result<Run<'c>, SledError> {
        let mut sled = Sled::new(&setup.on_ice(course.track.resistance()))?;
        let (station, speed) = match conditions.start {
            Start::Pushed(_) => (course.track.start().s_block, 0.0),
            Start::Flying(speed) => (-1e-9, speed),
        };
        let front = course.track.course(station);
        let pitch = libm::atan(front.slope);
        let turn = DQuat::from_rotation_y(front.heading) * DQuat::from_rotation_x(pitch);
        // The front axle is where the station is; the setup's frame is under the rear one.
        let right = turn * DVec3::X;
        let origin = front.position + turn * DVec3::new(0.0, 0.001, 1.69) + right * conditions.offset;
        sled.place(Pose::new(turn, origin), turn * DVec3::NEG_Z * speed, station);
        let result = RunResult {
            splits: Vec::new(),
            time: None,
            top_speed: 0.0,
            largest_load: 0.0,
            bumper_hits: 0,
            hits: Vec::new(),
            crash: None,
            rest: station,
            simulated: 0.0,
            steps: 0,
            sweeps: 0,
            unsettled: 0,
            deepest: 0.0,
            finite: true,
            hash: 0,
        };
        Ok(Run {
            course,
            surface: RunSurface::Ice,
            sled,
            pilot: Pilot::new(&course.plan, options, station),
            conditions,
            noise: conditions.seed ^ 0x9e37_79b9_7f4a_7c15,
            station,
            time: 0.0,
            zero: None,
            leaning: 0.0,
            lying: 0.0,
            in_net: 0.0,
            bumpers: bumpers(setup),
            speed,
            result,
            foot: Foot::near(station),
            since_look: 0,
            load: 0.0,
            goes_on: true,
        })
    }

    /// The same run on a mesh instead of the exact ice: a foreign surface of the same course, or one with its borders. Stations, pilot and clock
    /// stay those of the course.
    pub fn on_mesh(mut self, mesh: &'c MeshIce) -> Run<'c> {
        self.surface = RunSurface::Mesh(mesh);
        self
    }

    /// The same run as the source computed it: contacts by segments on a mesh ([`SegmentedMesh`]), solved to its tolerances. Who leaves the mesh
    /// has crashed, and the run ends there.
    pub fn as_published(mut self, mesh: &'c MeshIce) -> Run<'c> {
        self.surface = RunSurface::Segments(mesh);
        self.sled = self.sled.solved_as_published();
        self
    }

    /// The same run, its pilot steering a line beside his feedback from now on.
    pub fn steered_by(mut self, line: SteeringLine) -> Run<'c> {
        self.pilot.follow(line);
        self
    }

    /// Puts the sled across the ice, as it is and with its velocities: its rear hull comes to lie so many m to the right of the course. False, and
    /// nothing is done, where a bumper would be in a wall.
    pub fn put_aside(&mut self, right: f64, setup: &Setup) -> bool {
        let (s, beside) = self.course.track.project(self.sled.tree().pose(0).translation, self.station);
        let by = self.course.track.course(s).left() * (-right - beside.x);
        let frame = self.sled.frame();
        let blocked = setup.contacts().filter(|contact| contact.1 == Law::Bumper).any(|(.., point)| {
            let point = frame.transform_point(point) + by;
            self.course.ice.nearest(point, &mut Foot::near(s)).distance < 0.0
        });
        if !blocked {
            self.sled.shift(by);
        }
        !blocked
    }

    /// The sled.
    pub fn sled(&self) -> &Sled {
        &self.sled
    }

    /// Station of the front axle in m.
    pub fn station(&self) -> f64 {
        self.station
    }

    /// The pilot.
    pub fn pilot(&self) -> &Pilot<'c> {
        &self.pilot
    }

    /// When the front axle crossed s = 0, in s since the beginning; none before.
    pub fn clock_zero(&self) -> Option<f64> {
        self.zero
    }

    /// False when the run is over: the sled stands, or has left the track.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Simulated time in s, as of the last look.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// What runs on this track share.
    pub fn course(&self) -> &'c Course {
        self.course
    }

    /// Damping of the ice about the steering axis in N m s/rad; see [`Sled::steering_damping`].
    pub fn steering_damping(&self) -> f64 {
        match self.surface {
            RunSurface::Ice => self.sled.steering_damping(&self.course.ice, STEP, GRAVITY),
            RunSurface::Mesh(mesh) => {
                let surface = MeshOnIce { mesh, ice: &self.course.ice, station: self.station };
                self.sled.steering_damping(&surface, STEP, GRAVITY)
            }
            RunSurface::Segments(mesh) => self.sled.steering_damping(&SegmentedMesh(mesh), STEP, GRAVITY),
        }
    }

    /// What came out so far.
    pub fn result(&self) -> &RunResult {
        &self.result
    }

    /// To the end.
    pub fn finish(mut self) -> RunResult {
        while self.look() {}
        self.into_result()
    }

    /// What came out, with the hash of the state in which it is left.
    pub fn into_result(mut self) -> RunResult {
        self.result.hash = self.sled.hash();
        self.result
    }

    /// One look of the pilot and of the clock, about 10 ms; false when the run is over.
    pub fn look(&mut self) -> bool {
        self.look_by(&Hands::Pilot)
    }

    /// The same by somebody's hands.
    pub fn look_by(&mut self, hands: &Hands) -> bool {
        self.look_with(hands, |_| {})
    }

    /// The same; `see` is shown the sled after every step.
    pub fn look_with(&mut self, hands: &Hands, mut see: impl FnMut(&Sled)) -> bool {
        loop {
            let goes_on = self.step(hands);
            see(&self.sled);
            if self.since_look == 0 {
                return goes_on;
            }
        }
    }

    /// One step of [`STEP`] seconds by somebody's hands; false when the run is over, which is looked at every 50 steps.
    pub fn step(&mut self, hands: &Hands) -> bool {
        if self.since_look == 0 {
            let error = self.conditions.tremor * self.normal_number();
            self.pilot.think(&self.course.ice, &self.sled, error);
        }
        let planned = self.pilot.steer(STEP);
        let (steering, push) = match *hands {
            Hands::Pilot => (planned, self.push()),
            Hands::Own { steering, push } => {
                let change =
                    (steering - self.sled.steering()).clamp(-FASTEST_HANDS * STEP, FASTEST_HANDS * STEP);
                (self.sled.steering() + change, self.own_push(push))
            }
        };
        self.speed = self.sled.velocity().norm();
        let report = match self.surface {
            RunSurface::Ice => self.sled.step(&self.course.ice, STEP, steering, push, GRAVITY),
            RunSurface::Mesh(mesh) => {
                let surface = MeshOnIce { mesh, ice: &self.course.ice, station: self.station };
                self.sled.step(&surface, STEP, steering, push, GRAVITY)
            }
            RunSurface::Segments(mesh) => self.sled.step(&SegmentedMesh(mesh), STEP, steering, push, GRAVITY),
        };
        self.load += self.sled.normal_force();
        self.result.sweeps += u64::from(report.sweeps);
        self.result.unsettled += u64::from(!report.converged);
        self.result.deepest = self.result.deepest.max(report.deepest);
        self.result.steps += 1;
        self.count_hits();
        self.since_look = (self.since_look + 1) % LOOK;
        if self.since_look == 0 {
            self.goes_on = self.take_stock();
        }
        self.goes_on
    }

    /// Every 10 ms: times, loads, crashes; false when the run is over.
    fn take_stock(&mut self) -> bool {
        let seconds = f64::from(LOOK) * STEP;
        let load = std::mem::take(&mut self.load) / f64::from(LOOK);
        self.time += seconds;
        self.result.simulated = self.time;
        if !self.sled.is_finite() {
            self.result.finite = false;
            return false;
        }
        let speed = self.sled.velocity().norm();
        if self.result.crash.is_none() {
            let weight = self.sled.mass() * -GRAVITY.y;
            self.result.largest_load = self.result.largest_load.max(load / weight);
            self.result.top_speed = self.result.top_speed.max(speed);
        }
        self.take_times(seconds, speed);
        self.watch_for_crash(seconds);
        self.result.rest = self.station;
        if !self.goes_on {
            return false;
        }
        let (_, end) = self.course.ice.range();
        let over = self.result.time.is_some() || self.result.crash.is_some();
        self.time < LONGEST && self.station < end - 5.0 && !(over && speed < STANDING)
    }

    /// Acceleration in m/s^2 by who drives himself: from -1, the brake, to 1, the push, which ends where the crew has to sit.
    fn own_push(&self, share: f64) -> f64 {
        let (start, runout) = (self.course.track.start(), self.course.track.runout());
        let ahead = -self.sled.frame().transform_vector(DVec3::Z).dot(self.sled.velocity());
        if share > 0.0 && self.station < start.s_load {
            (share * start.push_a0 * (1.0 - ahead / start.push_vmax)).max(0.0)
        } else if share < 0.0 && ahead > 0.5 * STANDING {
            share * runout.mu_brake * self.sled.normal_force() / self.sled.mass()
        } else {
            0.0
        }
    }

    /// Acceleration by the crew or by the brake, in m/s^2, ahead.
    fn push(&self) -> f64 {
        let track = &self.course.track;
        let (start, runout) = (track.start(), track.runout());
        let ahead = -self.sled.frame().transform_vector(DVec3::Z).dot(self.sled.velocity());
        match self.conditions.start {
            Start::Pushed(share) if self.station < start.s_load => {
                (share * start.push_a0 * (1.0 - ahead / start.push_vmax)).max(0.0)
            }
            _ if self.station > runout.s_begin && self.result.crash.is_none() && ahead > 0.5 * STANDING => {
                -runout.mu_brake * self.sled.normal_force() / self.sled.mass()
            }
            _ => 0.0,
        }
    }

    fn count_hits(&mut self) {
        for bumper in &mut self.bumpers {
            bumper.free += STEP;
        }
        if !(self.sled.touched().bumpers > 0.0) {
            return;
        }
        for impact in self.sled.impacts().filter(|impact| impact.percussion > HIT) {
            let Some(bumper) = self.bumpers.iter_mut().find(|bumper| bumper.contact == impact.contact) else {
                continue;
            };
            if bumper.free >= BETWEEN_HITS {
                if self.result.crash.is_some() {
                    continue;
                }
                bumper.hit = Some((self.result.hits.len(), self.speed));
                let now = self.time + f64::from(self.since_look) * STEP;
                self.result.hits.push(Hit {
                    s: self.station,
                    time: now - self.zero.unwrap_or(now),
                    side: bumper.side,
                    bumper: bumper.name.clone(),
                    ground: impact.ground,
                    normal_speed: impact.normal_speed,
                    lost: 0.0,
                });
                self.result.bumper_hits += 1;
            }
            bumper.free = 0.0;
            if let Some((index, before)) = bumper.hit
                && let Some(hit) = self.result.hits.get_mut(index)
            {
                hit.lost = before - self.sled.velocity().norm();
            }
        }
    }

    /// Light barriers see the front axle; between two looks it moves evenly.
    fn take_times(&mut self, seconds: f64, speed: f64) {
        let front = self.sled.frame().transform_point(DVec3::new(0.0, 0.0, -1.69));
        let before = self.station;
        self.station = self.course.ice.locate(front, before).0;
        let crossed = |s: f64| {
            (before < s && self.station >= s).then(|| {
                let share = (self.station - s) / (self.station - before);
                self.time - seconds * share
            })
        };
        if self.zero.is_none() {
            self.zero = crossed(0.0);
        }
        let (Some(zero), None) = (self.zero, self.result.crash) else { return };
        for &s in &self.course.track.timing().stations {
            if let Some(time) = crossed(s) {
                self.result.splits.push(Split { s, time: time - zero, speed });
                if s == self.course.track.finish() {
                    self.result.time = Some(time - zero);
                }
            }
        }
    }

    fn watch_for_crash(&mut self, seconds: f64) {
        let frame = self.sled.frame();
        let middle = frame.transform_point(DVec3::new(0.0, 0.3, -0.845));
        self.foot.s = self.station;
        let place = self.course.ice.nearest(middle, &mut self.foot);
        let touched = self.sled.touched();
        let leans = frame.transform_vector(DVec3::Y).dot(place.normal) < CRASH_COSINE;
        self.leaning = if leans { self.leaning + seconds } else { 0.0 };
        self.lying = if touched.rims > 0 { self.lying + seconds } else { 0.0 };
        // By segments there is neither net nor ice beyond the mesh.
        let lost = matches!(self.surface, RunSurface::Segments(_)) && place.distance < -LOST;
        self.goes_on &= !lost;
        self.in_net = if touched.net { self.in_net + seconds } else { 0.0 };
        let cause = if lost || self.in_net > CRASH_IN_NET {
            CrashCause::OverTheEdge
        } else if self.leaning > CRASH_LEANING {
            CrashCause::RolledOver
        } else if self.lying > CRASH_LYING {
            CrashCause::OnItsSide
        } else {
            return;
        };
        // After the finish nobody times; a sled that tips over there has finished.
        if self.result.crash.is_none() && self.result.time.is_none() {
            let time = self.time - self.zero.unwrap_or(self.time);
            self.result.crash = Some(Crash { s: self.station, time, cause });
        }
    }

    /// A number of the normal distribution, from twelve even ones; the generator is Weyl's sequence, mixed (splitmix64).
    fn normal_number(&mut self) -> f64 {
        (0..12).map(|_| even_number(&mut self.noise)).sum::<f64>() - 6.0
    }
}

/// The bumpers of a setup, off the walls.
fn bumpers(setup: &Setup) -> Vec<Bumper> {
    let bumpers = setup.contacts().enumerate().filter(|(_, contact)| contact.1 == Law::Bumper);
    let bumpers = bumpers.map(|(contact, (name, _, _, point))| Bumper {
        contact,
        name: name.to_owned(),
        side: if point.x < 0.0 { HitSide::Left } else { HitSide::Right },
        free: BETWEEN_HITS,
        hit: None,
    });
    bumpers.collect()
}

/// The next number from 0 to 1 of a generator.
pub fn even_number(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

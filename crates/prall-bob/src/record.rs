//! Runs written down: a hundred times a second the state of the sled, with forces averaged since the last time.
//!
//! The forces of single steps vary strongly, so their mean over 10 ms is what can be looked at (Rempfler 2015, 5). A [`Record`]
//! also holds where it came from, setup included, so that it can be driven again and shown: [`Record::frames`] gives the place of every body,
//! [`Record::traces`] the lines that runners drew on the ice. Files: [`Record::read`] and [`Record::write`] (text, one line a sample),
//! [`Record::read_xml`] and [`Record::write_xml`].

mod file;
mod hands;
pub mod hexadecimal;
#[cfg(test)]
mod tests;
mod xml;

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose};
use serde::{Deserialize, Serialize};

pub use file::RecordError;
pub use hands::{Held, Repeated};

use crate::run::{Hands, Run, RunResult, STEP};
use crate::sled::{GRAVITY, Law, Setup, SetupError, Sled};
use crate::track::Track;

/// Time between two samples in s, as in the source.
pub const PERIOD: f64 = 0.01;

/// Where a run comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// A track by its name or its file.
    pub track: String,
    /// Height profile.
    pub profile: String,
    /// File of the mesh that was driven on, if it was not the exact ice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<String>,
    /// Friction along the runners over that of the setup.
    pub glide: f64,
    /// How it began, as the command's `--start` says it.
    pub start: String,
    /// How the pilot was told to drive, as the command's `--pilot` says it.
    pub pilot: String,
    /// File of the steering line that he steered beside, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steering: Option<String>,
    /// How far to the right of the middle it began, in m.
    pub offset: f64,
    /// Standard deviation of the pilot's hands in rad.
    pub tremor: f64,
    /// Seed of his tremor; sixteen hexadecimal digits where it is written.
    #[serde(with = "hexadecimal")]
    pub seed: u64,
    /// The setup file's text.
    pub setup: String,
    /// Share of the pilot's steering that was added to own hands.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub help: f64,
    /// What hands did, in the order of the steps; empty if the pilot drove all the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<Held>,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// The sled at one time. Forces are means since the sample before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Since the beginning of the run, in s.
    pub t: f64,
    /// Station of the rear hull's centre of mass: the nearest place of the course, in m.
    pub s: f64,
    /// Its distance to the left of the course, in m.
    pub left: f64,
    /// Its height above the course, in m.
    pub height: f64,
    /// Rear hull: its centre of mass in m.
    pub position: DVec3,
    /// Its rotation.
    pub rotation: DQuat,
    /// Velocity of its centre of mass in m/s.
    pub velocity: DVec3,
    /// Its angular velocity in rad/s, in the world.
    pub angular: DVec3,
    /// Steering angle in rad, its rate and its acceleration.
    pub steering: [f64; 3],
    /// Force on all runners over weight.
    pub load: f64,
    /// Acceleration of the rear hull without gravity in g, in its own frame: to the right, up, back.
    pub felt: DVec3,
    /// Angle of every joint in rad.
    pub angles: Vec<f64>,
    /// Its rate in rad/s.
    pub rates: Vec<f64>,
    /// Torque of the ice about its axis in N m; about the steering axis it is what hands feel.
    pub torques: Vec<f64>,
    /// Force along the normal of every contact in N.
    pub forces: Vec<f64>,
}

impl Sample {
    /// Speed in m/s.
    pub fn speed(&self) -> f64 {
        self.velocity.norm()
    }
}

/// A column that is in no file.
const SPEED: &str = "speed[m/s]";

/// A run, written down.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Where it comes from.
    pub about: About,
    /// When the front axle crossed s = 0, on the clock of the samples; none if it never did.
    pub clock_zero: Option<f64>,
    /// What came out.
    pub result: RunResult,
    /// Names of joints, in the order of a sample's angles.
    pub joints: Vec<String>,
    /// Names of contacts, in the order of a sample's forces.
    pub contacts: Vec<String>,
    /// With increasing times.
    pub samples: Vec<Sample>,
}

impl Record {
    /// Lets a run go to its end and writes it down.
    pub fn take(mut run: Run<'_>, setup: &Setup, about: About) -> Record {
        let mut recorder = Recorder::new(&run, setup);
        while run.look_with(&Hands::Pilot, |sled| recorder.see(sled)) {}
        recorder.finish(run, setup, about)
    }

    /// The setup it was driven with.
    pub fn setup(&self) -> Result<Setup, SetupError> {
        let mut setup = Setup::read("the setup in the run file", &self.about.setup)?;
        setup.glide = self.about.glide;
        Ok(setup)
    }

    /// Names of the columns of its file, each with its unit in brackets if it has one, and the speed, which follows from them.
    pub fn columns(&self) -> Vec<String> {
        let mut names = file::columns(&self.joints, &self.contacts);
        names.push(SPEED.to_owned());
        names
    }

    /// A column by its name, with or without the unit: the full name and a value for each sample. None where no column has that name.
    pub fn column(&self, name: &str) -> Option<(String, Vec<f64>)> {
        let columns = self.columns();
        let index =
            columns.iter().position(|column| column == name || column.split('[').next() == Some(name))?;
        let value = |sample: &Sample| sample.values().get(index).copied().unwrap_or_else(|| sample.speed());
        Some((columns[index].clone(), self.samples.iter().map(value).collect()))
    }

    /// Where the frame of the setup file is moved to by every body at a sample, in the order of [`Setup::bodies`].
    pub fn frames(&self, setup: &Setup, sample: &Sample) -> Vec<Pose> {
        let root = Pose::new(sample.rotation, sample.position - sample.rotation * setup.hull_centre());
        let angle = |joint: &str| {
            let index = self.joints.iter().position(|name| name == joint);
            index.and_then(|index| sample.angles.get(index)).copied().unwrap_or(0.0)
        };
        setup.bodies().map(|body| setup.frame_of(body, root, &angle)).collect()
    }

    /// What every runner drew on the ice: pieces of lines, as its contact was closed or not.
    pub fn traces(&self, setup: &Setup) -> Vec<(String, Vec<Vec<DVec3>>)> {
        let bodies: Vec<&str> = setup.bodies().collect();
        let mut traces: Vec<(String, Vec<Vec<DVec3>>)> = Vec::new();
        let runners: Vec<(usize, usize, DVec3)> = setup
            .contacts()
            .enumerate()
            .filter(|(_, (_, law, ..))| *law == Law::Runner)
            .filter_map(|(index, (name, _, body, point))| {
                traces.push((name.to_owned(), Vec::new()));
                bodies.iter().position(|known| *known == body).map(|body| (index, body, point))
            })
            .collect();
        let mut open = vec![true; runners.len()];
        for sample in &self.samples {
            let frames = self.frames(setup, sample);
            for (trace, &(contact, body, point)) in runners.iter().enumerate() {
                let closed = sample.forces.get(contact).is_some_and(|force| *force > 0.0);
                if closed {
                    if open[trace] {
                        traces[trace].1.push(Vec::new());
                    }
                    let place = frames[body].transform_point(point);
                    traces[trace].1.last_mut().into_iter().for_each(|piece| piece.push(place));
                }
                open[trace] = !closed;
            }
        }
        traces
    }
}

/// Writes a run down while it is driven.
#[derive(Clone, Debug)]
pub struct Recorder<'r> {
    track: &'r Track,
    /// Index of the body that hangs on each joint.
    nodes: Vec<Option<usize>>,
    samples: Vec<Sample>,
    /// Steps of the run, and the number of the next sample on its clock.
    step: u64,
    next: u64,
    /// Sums over the steps since the last sample.
    steps: u32,
    load: f64,
    torques: Vec<f64>,
    percussions: Vec<f64>,
    velocity: DVec3,
    station: f64,
}

impl<'r> Recorder<'r> {
    /// Of a run as it stands, with nothing written down yet.
    pub fn new(run: &Run<'r>, setup: &Setup) -> Recorder<'r> {
        let (sled, track, station) = (run.sled(), &run.course().track, run.station());
        let nodes: Vec<Option<usize>> = setup.joints().map(|(_, child)| sled.body(child)).collect();
        Recorder {
            track,
            samples: Vec::new(),
            step: run.result().steps,
            next: (run.result().steps as f64 * STEP / PERIOD).floor() as u64 + 1,
            steps: 0,
            load: 0.0,
            torques: vec![0.0; nodes.len()],
            percussions: vec![0.0; setup.contacts().count()],
            velocity: sled.velocity(),
            station,
            nodes,
        }
    }

    /// Looks at the sled after a step.
    pub fn see(&mut self, sled: &Sled) {
        self.step += 1;
        self.steps += 1;
        self.load += sled.normal_force();
        for load in sled.axis_loads() {
            if let Some(joint) = self.nodes.iter().position(|node| *node == Some(load.node)) {
                self.torques[joint] += load.load;
            }
        }
        for (contact, sum) in self.percussions.iter_mut().enumerate() {
            *sum += sled.normal_percussion(contact);
        }
        if self.step as f64 * STEP >= PERIOD * self.next as f64 {
            self.write_down(sled);
            self.next += 1;
        }
    }

    /// The record of the run as far as it was driven.
    pub fn finish(self, run: Run<'_>, setup: &Setup, about: About) -> Record {
        Record {
            about,
            clock_zero: run.clock_zero(),
            joints: setup.joints().map(|(name, _)| name.to_owned()).collect(),
            contacts: setup.contacts().map(|(name, ..)| name.to_owned()).collect(),
            samples: self.samples,
            result: run.into_result(),
        }
    }

    fn write_down(&mut self, sled: &Sled) {
        let steps = f64::from(self.steps);
        let (pose, twist) = (sled.tree().pose(0), sled.tree().twist(0));
        let (s, beside) = self.track.project(pose.translation, self.station);
        let felt = (twist.linear - self.velocity) / (steps * STEP) - GRAVITY;
        let coordinate = |node: &Option<usize>| node.and_then(|node| sled.tree().coordinate(node, 0));
        let joints: Vec<(f64, f64)> =
            self.nodes.iter().map(|node| coordinate(node).unwrap_or_default()).collect();
        let drive = sled.drive();
        self.samples.push(Sample {
            t: self.step as f64 * STEP,
            s,
            left: beside.x,
            height: beside.y,
            position: pose.translation,
            rotation: pose.rotation,
            velocity: twist.linear,
            angular: twist.angular,
            steering: [drive.position, drive.rate, drive.acceleration],
            load: self.load / (steps * sled.mass() * GRAVITY.norm()),
            felt: pose.rotation.inverse() * felt / GRAVITY.norm(),
            angles: joints.iter().map(|joint| joint.0).collect(),
            rates: joints.iter().map(|joint| joint.1).collect(),
            torques: self.torques.iter().map(|sum| sum / steps).collect(),
            forces: self.percussions.iter().map(|sum| sum / (steps * STEP)).collect(),
        });
        (self.steps, self.load, self.velocity, self.station) = (0, 0.0, twist.linear, s);
        self.torques.fill(0.0);
        self.percussions.fill(0.0);
    }
}

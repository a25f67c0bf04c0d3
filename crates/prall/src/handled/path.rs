//! [`HandledPath`]: the ways of all parts that were in hand, one after another.

use crate::journal::Entry;
use crate::recording::Recording;
use glam::DVec3;
use prall_geometry::Shape;
use prall_math::Pose;
use prall_scenes::Simulation;
use std::fmt::Write;

/// A part that was in hand for a while.
#[derive(Clone, Debug)]
pub struct PartPath {
    /// Its number among [`HandledPath::shapes`].
    pub part: usize,
    /// Its reference point in its own frame: between two samples this point goes straight and the part turns steadily.
    pub reference: DVec3,
    /// Where the parts stood when it was taken, in the order of [`HandledPath::shapes`].
    pub others: Vec<Pose>,
    /// Where it was.
    pub samples: Vec<Sample>,
}

/// Where a part was, and how it fared.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// In s since the recording began.
    pub time: f64,
    /// Of its own frame.
    pub pose: Pose,
    /// The smallest gap in m that the filter had proven in this step; infinite if nothing was near.
    pub gap: f64,
    /// The largest force in N that contacts pressed with in this step.
    pub force: f64,
}

/// What was done with parts in a recording.
#[derive(Clone, Debug)]
pub struct HandledPath {
    /// The scene.
    pub scene: String,
    /// Names, shapes and first places: parts first, then what stands.
    pub shapes: Vec<(String, Shape, Pose)>,
    /// One after another.
    pub parts: Vec<PartPath>,
    /// Recorded time in s.
    pub seconds: f64,
    /// Of the last state, as recorded and computed again.
    pub state_hash: u64,
}

/// Computes a recording again and gathers the ways of the parts in hand. The error is a sentence: the scene handles nothing, or goes another way today.
pub fn handled_path(recording: &Recording, simulation: &mut dyn Simulation) -> Result<HandledPath, String> {
    simulation.restore(recording.first_state()).map_err(|error| error.to_string())?;
    let shapes = simulation.handled_shapes();
    if shapes.is_empty() {
        return Err("no part is handled in this scene, so there is no path to certify".to_owned());
    }
    let mut path = HandledPath {
        scene: recording.description.scene.clone(),
        shapes,
        parts: Vec::new(),
        seconds: 0.0,
        state_hash: simulation.hash(),
    };
    for (entries, hash) in recording.done() {
        for entry in entries {
            entry.replay(simulation)?;
            if matches!(entry, Entry::Step(_)) {
                path.add(simulation);
            }
        }
        if simulation.hash() != *hash {
            let version = &recording.description.version;
            return Err(format!(
                "the recording was made by Prall {version} and goes another way with this one"
            ));
        }
        path.state_hash = *hash;
    }
    path.parts.retain(PartPath::moves);
    Ok(path)
}

impl PartPath {
    fn moves(&self) -> bool {
        self.samples.len() > 1
    }

    /// The smallest gap in m that the filter had proven.
    pub fn smallest_gap(&self) -> f64 {
        self.samples.iter().map(|sample| sample.gap).fold(f64::INFINITY, f64::min)
    }

    /// In N.
    pub fn largest_force(&self) -> f64 {
        self.samples.iter().map(|sample| sample.force).fold(0.0, f64::max)
    }
}

impl HandledPath {
    fn add(&mut self, simulation: &dyn Simulation) {
        let from = self.seconds;
        self.seconds += simulation.time_step();
        let Some(step) = simulation.handled() else { return };
        let Some(first) = step.way.first() else { return };
        let goes_on = self.parts.last().is_some_and(|last| {
            last.part == step.part && last.samples.last().is_some_and(|sample| sample.pose == *first)
        });
        if !goes_on {
            let mut others: Vec<Pose> =
                simulation.handled_shapes().into_iter().map(|(_, _, pose)| pose).collect();
            others[step.part] = *first;
            let sample = Sample { time: from, pose: *first, gap: f64::INFINITY, force: 0.0 };
            self.parts.push(PartPath {
                part: step.part,
                reference: step.reference,
                others,
                samples: vec![sample],
            });
        }
        let Some(current) = self.parts.last_mut() else { return };
        let count = (step.way.len() - 1) as f64;
        for (index, pose) in step.way.iter().enumerate().skip(1) {
            let same = current.samples.last().is_some_and(|last| last.pose == *pose);
            let time = from + simulation.time_step() * index as f64 / count;
            if !same {
                current.samples.push(Sample { time, pose: *pose, gap: step.gap, force: step.force });
            }
        }
        // A part that stands presses too.
        if let Some(last) = current.samples.last_mut() {
            last.force = last.force.max(step.force);
        }
    }

    /// The motion of a part as `prall check --motion` reads it.
    pub fn to_csv(&self, part: usize) -> String {
        let mut text = String::from("t,x,y,z,qx,qy,qz,qw\n");
        for sample in self.parts.iter().filter(|path| path.part == part).flat_map(|path| &path.samples) {
            let (p, q) = (sample.pose.translation, sample.pose.rotation);
            let _ = writeln!(text, "{},{},{},{},{},{},{},{}", sample.time, p.x, p.y, p.z, q.x, q.y, q.z, q.w);
        }
        text
    }

    /// Numbers over time of all parts: time, name, place, gap, force.
    pub fn numbers_as_csv(&self) -> String {
        let mut text = String::from("t,part,x,y,z,qx,qy,qz,qw,proven_gap,force\n");
        for path in &self.parts {
            let name = self.shapes[path.part].0.replace([',', '"', '\n'], " ");
            for Sample { time, pose, gap, force } in &path.samples {
                let (p, q) = (pose.translation, pose.rotation);
                let gap = if gap.is_finite() { gap.to_string() } else { String::new() };
                let _ = writeln!(
                    text,
                    "{time},{name},{},{},{},{},{},{},{},{gap},{force}",
                    p.x, p.y, p.z, q.x, q.y, q.z, q.w
                );
            }
        }
        text
    }
}

//! What a spring set does on a driven run: time, angles, loads, and how long runners are off the ice.

use serde::Serialize;

use crate::record::Record;
use crate::sled::{Law, Setup};

/// A run with one pair of spring sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpringRun {
    /// Set of the split hull.
    pub split: String,
    /// Set of the swinging axle.
    pub axle: String,
    /// Time at the finish in s; none if it was not reached.
    pub time: Option<f64>,
    /// Root of the mean square of the split hull's angle, and its largest, in degrees.
    pub split_angle: [f64; 2],
    /// The same of the axle.
    pub axle_angle: [f64; 2],
    /// Largest force on all runners over weight, mean over 10 ms.
    pub largest_load: f64,
    /// Share of the time from s = 0 to the finish in which some runner had no contact for 10 ms.
    pub off_ice: f64,
    /// Bumper hits.
    pub hits: u32,
}

impl SpringRun {
    /// Of a record, driven with a setup whose sets have these names.
    pub fn of(record: &Record, setup: &Setup, split: &str, axle: &str) -> SpringRun {
        let zero = record.clock_zero.unwrap_or(f64::INFINITY);
        let end = record.result.time.or(record.result.crash.map(|crash| crash.time)).unwrap_or(f64::INFINITY);
        let timed: Vec<_> =
            record.samples.iter().filter(|sample| sample.t >= zero && sample.t <= zero + end).collect();
        let angle = |joint: &str| {
            let index = record.joints.iter().position(|name| name == joint);
            let angles =
                timed.iter().filter_map(|sample| sample.angles.get(index?)).map(|angle| angle.to_degrees());
            let (squares, largest) = angles.fold((0.0, 0.0_f64), |(sum, largest), angle| {
                (sum + angle * angle, largest.max(angle.abs()))
            });
            [(squares / timed.len().max(1) as f64).sqrt(), largest]
        };
        // Contacts of one runner stand behind each other in the file and are on one body.
        let contacts: Vec<(usize, &str)> = setup
            .contacts()
            .enumerate()
            .filter(|(_, contact)| contact.1 == Law::Runner)
            .map(|(index, (_, _, body, _))| (index, body))
            .collect();
        let off = timed.iter().filter(|sample| {
            contacts.chunk_by(|a, b| a.1 == b.1).any(|runner| {
                runner.iter().all(|&(index, _)| sample.forces.get(index).is_some_and(|force| *force == 0.0))
            })
        });
        SpringRun {
            split: split.to_owned(),
            axle: axle.to_owned(),
            time: record.result.time,
            split_angle: angle("alpha"),
            axle_angle: angle("gamma"),
            largest_load: record.result.largest_load,
            off_ice: off.count() as f64 / timed.len().max(1) as f64,
            hits: record.result.bumper_hits,
        }
    }
}

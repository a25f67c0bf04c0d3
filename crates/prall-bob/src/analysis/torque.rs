//! What the hands feel, curve by curve: peaks of the steering torque (Rempfler 2015, 5, Fig. 5.7).
//!
//! The torque is very noisy, so it is looked at below 2 Hz. The source reports mostly two, sometimes four peaks a curve of alternating
//! direction, at entry and exit, where the sled rolls fastest: one front runner is loaded more and turns the steering, up the wall at the entry, down
//! at the exit.

use serde::Serialize;

use crate::record::Record;
use crate::track::{Side, Track};

/// Frequency in Hz below which peaks are looked for.
const CUT_OFF: f64 = 2.0;
/// A peak lower than this share of the curve's highest is none.
const SHARE: f64 = 0.2;

/// A peak of the torque on the steering.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TorquePeak {
    /// Station in m.
    pub s: f64,
    /// In N m; above 0 it turns the steering up the wall, to the outside of the curve.
    pub up: f64,
}

/// The torque in a curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveTorque {
    /// Counted from 1.
    pub number: usize,
    /// In driving order, with alternating signs: of neighbours with one sign the higher one.
    pub peaks: Vec<TorquePeak>,
}

impl CurveTorque {
    /// Whether the first peak turns up the wall in the first half, and the last one down in the second half.
    pub fn turns_up_and_down(&self, (begin, end): (f64, f64)) -> bool {
        let middle = 0.5 * (begin + end);
        let first = self.peaks.first().is_some_and(|peak| peak.up > 0.0 && peak.s < middle);
        first && self.peaks.last().is_some_and(|peak| peak.up < 0.0 && peak.s > middle)
    }
}

/// Values below a frequency in Hz, `period` seconds apart: a filter of first order forwards and backwards, which delays nothing.
pub fn low_passed(values: &[f64], frequency: f64, period: f64) -> Vec<f64> {
    let share = 1.0 - libm::exp(-2.0 * std::f64::consts::PI * frequency * period);
    let mut values = values.to_vec();
    let pass = |values: &mut dyn Iterator<Item = &mut f64>| {
        let mut state = 0.0;
        for value in values {
            state += share * (*value - state);
            *value = state;
        }
    };
    pass(&mut values.iter_mut());
    pass(&mut values.iter_mut().rev());
    values
}

/// Peaks of the torque about the steering axis in every curve that was reached; none if the record has no joint `beta`.
pub fn steering_torque(record: &Record, track: &Track) -> Vec<CurveTorque> {
    let Some(joint) = record.joints.iter().position(|name| name == "beta") else { return Vec::new() };
    let torques: Vec<f64> =
        record.samples.iter().map(|sample| sample.torques.get(joint).copied().unwrap_or(0.0)).collect();
    let slow = low_passed(&torques, CUT_OFF, crate::record::PERIOD);
    let curves = track.curves().map(|curve| {
        let (begin, end) = curve.stations;
        let up = if curve.side == Side::Left { -1.0 } else { 1.0 };
        let inside = |s: f64| (begin..=end).contains(&s);
        let indices = (1..slow.len().saturating_sub(1)).filter(|&i| inside(record.samples[i].s));
        let indices: Vec<usize> = indices.collect();
        let highest = indices.iter().map(|&i| slow[i].abs()).fold(0.0, f64::max);
        let mut peaks: Vec<TorquePeak> = Vec::new();
        for i in indices {
            let height = slow[i].abs();
            if height < SHARE * highest || height < slow[i - 1].abs() || height <= slow[i + 1].abs() {
                continue;
            }
            let peak = TorquePeak { s: record.samples[i].s, up: up * slow[i] };
            match peaks.last_mut() {
                Some(last) if last.up * peak.up > 0.0 => {
                    if peak.up.abs() > last.up.abs() {
                        *last = peak;
                    }
                }
                _ => peaks.push(peak),
            }
        }
        CurveTorque { number: curve.number, peaks }
    });
    curves.filter(|curve| !curve.peaks.is_empty()).collect()
}

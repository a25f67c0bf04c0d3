//! The driven line over the station: height, place across, speed, time; curve by curve, and against another run (Rempfler 2015, 7).
//!
//! With the nearest place `c(s)` of the course to the rear hull's centre of mass `r`: height `h = (r - c) . up`, place across
//! `b = (r - c) . left`, and against a reference run over the same station `dv = |v| - |v_ref|`, `dt = t - t_ref`. Height shows how many arcs a curve
//! was driven in; `b` at its entry whether it was taken early, from outside, or late: from the inside the greatest height comes too early and a
//! second arc may follow, from the outside one arc is highest near the middle (p. 102).

mod coach;
#[cfg(test)]
mod tests;
mod torque;

use serde::Serialize;
use thiserror::Error;

pub use coach::{Advice, Cause, Driven, coach};
pub use torque::{CurveTorque, TorquePeak, low_passed, steering_torque};

use crate::record::{Record, Sample};
use crate::track::{Curve, Side, Track};

/// Distance of the line's points in m. Default of the commands: a run has some three samples in it at full speed.
pub const SPACING: f64 = 1.0;

/// A new arc begins where the sled has come down by this much from a crest and climbs again by as much, in m: a third of a sled's width.
pub const ARC: f64 = 0.2;

/// Why there is no line.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AnalysisError {
    /// The clock never started.
    #[error("the run never crossed s = 0, so it has no times")]
    NoStart,
    /// It ended too early.
    #[error("the run has no two samples behind s = 0 before its crash or its end")]
    TooShort,
    /// Nothing in common.
    #[error("the runs have no station in common")]
    NothingInCommon,
}

/// The sled at a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Point {
    /// Station in m.
    pub s: f64,
    /// On the clock in s.
    pub time: f64,
    /// In m/s.
    pub speed: f64,
    /// Of the rear hull's centre of mass above the course, in m.
    pub height: f64,
    /// To the left of the course, in m.
    pub left: f64,
    /// Force on the runners over weight.
    pub load: f64,
    /// Steering angle in rad, positive to the left.
    pub steering: f64,
}

impl Point {
    fn of(sample: &Sample, clock_zero: f64) -> Point {
        Point {
            s: sample.s,
            time: sample.t - clock_zero,
            speed: sample.speed(),
            height: sample.height,
            left: sample.left,
            load: sample.load,
            steering: sample.steering[0],
        }
    }

    fn between(&self, other: &Point, s: f64) -> Point {
        let share = (s - self.s) / (other.s - self.s);
        let mix = |a: f64, b: f64| a + (b - a) * share;
        Point {
            s,
            time: mix(self.time, other.time),
            speed: mix(self.speed, other.speed),
            height: mix(self.height, other.height),
            left: mix(self.left, other.left),
            load: mix(self.load, other.load),
            steering: mix(self.steering, other.steering),
        }
    }
}

/// A driven line: points in equal distances from s = 0 as far as the sled came without a crash, at most to the finish.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// With stations `0, spacing, 2 spacing, ...`, those that were passed.
    pub points: Vec<Point>,
}

impl Line {
    /// The line of a run.
    pub fn new(record: &Record, finish: f64, spacing: f64) -> Result<Line, AnalysisError> {
        let zero = record.clock_zero.ok_or(AnalysisError::NoStart)?;
        let end = record.result.crash.map_or(f64::INFINITY, |crash| crash.time);
        let samples = record.samples.iter().map(|sample| Point::of(sample, zero));
        Line::through(samples, end, finish, spacing)
    }

    /// The line through points in the order of time, until a time in s, at most to the finish.
    pub fn through(
        driven: impl Iterator<Item = Point>,
        end: f64,
        finish: f64,
        spacing: f64,
    ) -> Result<Line, AnalysisError> {
        let mut points: Vec<Point> = Vec::new();
        let mut number = 0.0_f64;
        let mut before: Option<Point> = None;
        for now in driven {
            if now.time > end {
                break;
            }
            if let Some(last) = before {
                // A sled that slides back passes a station once only: the first time.
                if now.s <= last.s {
                    continue;
                }
                number = number.max((last.s / spacing).ceil());
                while number * spacing <= now.s.min(finish) {
                    points.push(last.between(&now, number * spacing));
                    number += 1.0;
                }
            }
            before = Some(now);
        }
        if points.len() < 2 { Err(AnalysisError::TooShort) } else { Ok(Line { points }) }
    }

    /// Between the points, linearly; none where it was not driven.
    pub fn at(&self, s: f64) -> Option<Point> {
        let after = self.points.partition_point(|point| point.s < s);
        let high = self.points.get(after)?;
        if high.s == s {
            return Some(*high);
        }
        let low = self.points.get(after.checked_sub(1)?)?;
        Some(low.between(high, s))
    }

    /// Against another line, wherever both were driven: this one's values less the other's.
    pub fn less(&self, reference: &Line) -> Result<Vec<Point>, AnalysisError> {
        let differences: Vec<Point> = self
            .points
            .iter()
            .filter_map(|point| {
                let other = reference.at(point.s)?;
                Some(Point {
                    s: point.s,
                    time: point.time - other.time,
                    speed: point.speed - other.speed,
                    height: point.height - other.height,
                    left: point.left - other.left,
                    load: point.load - other.load,
                    steering: point.steering - other.steering,
                })
            })
            .collect();
        if differences.is_empty() { Err(AnalysisError::NothingInCommon) } else { Ok(differences) }
    }

    /// Every curve that was driven from end to end.
    pub fn curves(&self, track: &Track) -> Vec<CurveReport> {
        track.curves().filter_map(|curve| self.curve(&curve)).collect()
    }

    /// One curve, if it was driven from end to end.
    pub fn curve(&self, curve: &Curve) -> Option<CurveReport> {
        let (begin, end) = curve.stations;
        let (entry, exit) = (self.at(begin)?, self.at(end)?);
        let inside: Vec<&Point> =
            self.points.iter().filter(|point| point.s >= begin && point.s <= end).collect();
        let highest = inside.iter().copied().max_by(|a, b| a.height.total_cmp(&b.height))?;
        let heights: Vec<f64> = inside.iter().map(|point| point.height).collect();
        let squares: f64 = inside.iter().map(|point| point.steering * point.steering).sum();
        Some(CurveReport {
            number: curve.number,
            name: curve.name.clone(),
            side: if curve.side == Side::Left { "left" } else { "right" },
            begin,
            end,
            entry: Gate::of(&entry, curve.side),
            exit: Gate::of(&exit, curve.side),
            time: exit.time - entry.time,
            highest: highest.height,
            highest_at: highest.s,
            arcs: arcs(&heights),
            largest_load: inside.iter().map(|point| point.load).fold(0.0, f64::max),
            steering: (squares / inside.len() as f64).sqrt(),
        })
    }
}

/// How a sled passes an end of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gate {
    /// Time on the clock in s.
    pub time: f64,
    /// Speed in m/s.
    pub speed: f64,
    /// Height in m.
    pub height: f64,
    /// Place across in m, from the middle to the outside of the curve: an early entry is above 0.
    pub outside: f64,
}

impl Gate {
    fn of(point: &Point, side: Side) -> Gate {
        // A left curve's outside is on the right.
        Gate {
            time: point.time,
            speed: point.speed,
            height: point.height,
            outside: -side.sign() * point.left,
        }
    }
}

/// A curve, as it was driven.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveReport {
    /// Counted from 1.
    pub number: usize,
    /// Its name; may be empty.
    pub name: String,
    /// Which way it turns.
    pub side: &'static str,
    /// Where it begins and ends, in m.
    pub begin: f64,
    /// Where it ends, in m.
    pub end: f64,
    /// Where the entry clothoid begins.
    pub entry: Gate,
    /// Where the exit clothoid ends.
    pub exit: Gate,
    /// From entry to exit in s.
    pub time: f64,
    /// Largest height in m ...
    pub highest: f64,
    /// ... and its station.
    pub highest_at: f64,
    /// How many arcs it was driven in: crests that lie deeper than [`ARC`] apart.
    pub arcs: u32,
    /// Largest force on the runners over weight, mean over 10 ms.
    pub largest_load: f64,
    /// Root of the mean square of the steering angle, in rad.
    pub steering: f64,
}

/// Crests of a wave, if it falls and climbs by more than [`ARC`] between them.
fn arcs(heights: &[f64]) -> u32 {
    let (mut count, mut climbing) = (0, true);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &height in heights {
        (low, high) = (low.min(height), high.max(height));
        if climbing && height < high - ARC {
            (count, climbing, low) = (count + 1, false, height);
        } else if !climbing && height > low + ARC {
            (climbing, high) = (true, height);
        }
    }
    // A crest that ends with the curve is one too, if there was a climb to it.
    let first = heights.first().copied().unwrap_or_default();
    if climbing && (count > 0 || high > first + ARC) { count + 1 } else { count }
}

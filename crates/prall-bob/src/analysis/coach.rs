//! The coach: where a run lost time on a reference, and by what.
//!
//! A section is a curve with the straight before the next one, because a bad exit costs later. What a section lost is the growth of the time
//! behind the reference over it. A sled that comes slower loses time without a fault of its own there: with the speed difference `dv` at the
//! entry that part is about `- t dv / v` over the reference's time `t` and speed `v`, and is told apart as carried along.

use super::{CurveReport, Line};
use crate::run::{Crash, Hit, HitSide};
use crate::track::Track;
use serde::Serialize;

/// Less than this is no fault, in s: runs of one pilot differ by as much.
const NOTABLE: f64 = 0.005;
/// Entries differ if they lie further apart, in m.
const ENTRY: f64 = 0.15;
/// Heights differ if they lie further apart, in m.
const HEIGHT: f64 = 0.25;
/// More steering, as the root of the mean square in rad: half a degree.
const STEERING: f64 = 0.5 * std::f64::consts::PI / 180.0;
/// A hit costs if it was harder than this, in m/s towards the wall.
const HARD: f64 = 0.3;

/// A run to be coached, or one to be coached by.
#[derive(Clone, Debug)]
pub struct Driven {
    /// Its line.
    pub line: Line,
    /// Its hits in the order of time.
    pub hits: Vec<Hit>,
    /// Its crash, if there was one.
    pub crash: Option<Crash>,
}

/// What went wrong in a curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cause {
    /// It ended here.
    Crash {
        /// Station in m.
        s: f64,
    },
    /// A bumper met a wall.
    Hit {
        /// Station in m.
        s: f64,
        /// On which side of the sled.
        side: HitSide,
        /// Towards the wall, in m/s.
        normal_speed: f64,
        /// Speed in m/s that it cost.
        lost: f64,
    },
    /// It came in further inside than the reference: late.
    LateEntry {
        /// By so much in m.
        inside: f64,
    },
    /// It came in further outside: early.
    EarlyEntry {
        /// By so much in m.
        outside: f64,
    },
    /// Another number of arcs.
    Arcs {
        /// Here.
        driven: u32,
        /// Those of the reference.
        reference: u32,
    },
    /// It rode higher.
    TooHigh {
        /// By so much in m.
        by: f64,
    },
    /// It rode lower.
    TooLow {
        /// By so much in m.
        by: f64,
    },
    /// It was steered more, which scrapes.
    Steering {
        /// By so much in rad, root of the mean square.
        by: f64,
    },
    /// It came slower, and did nothing else wrong.
    Carried {
        /// Slower at the entry by so much in m/s.
        slower: f64,
    },
    /// None of these.
    Unknown,
}

/// What a coach says of a curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Number of the curve; 0 is the way to the first one.
    pub curve: usize,
    /// Its name; may be empty.
    pub name: String,
    /// From its begin to that of the next curve, in m.
    pub from: f64,
    /// To there, in m.
    pub to: f64,
    /// Time lost on the reference in between, in s.
    pub lost: f64,
    /// Of it what a slower entry brings along, in s.
    pub carried: f64,
    /// Slower at the end by so much in m/s: what the next curves will pay.
    pub slower: f64,
    /// What went wrong, the likeliest first; never empty.
    pub causes: Vec<Cause>,
}

/// Coaches a run by a reference on the same track: what cost time, the dearest first. Empty if nothing did.
pub fn coach(run: &Driven, reference: &Driven, track: &Track) -> Vec<Advice> {
    let mut begins = vec![(0, String::new(), 0.0)];
    begins.extend(track.curves().map(|curve| (curve.number, curve.name.clone(), curve.stations.0)));
    let ends = begins.iter().skip(1).map(|begin| begin.2).chain([track.finish()]);
    let curves = (run.line.curves(track), reference.line.curves(track));
    let mut advice: Vec<Advice> = Vec::new();
    for ((curve, name, from), to) in begins.iter().cloned().zip(ends) {
        let crash = run.crash.filter(|crash| (from..to).contains(&crash.s));
        let last = run.line.points.last().map_or(0.0, |point| point.s);
        let to = if crash.is_some() { to.min(last) } else { to };
        let ends = [from, to].map(|s| Some((run.line.at(s)?, reference.line.at(s)?)));
        let [Some((entry, entry_then)), Some((exit, exit_then))] = ends else { continue };
        let (time, time_then) = (exit.time - entry.time, exit_then.time - entry_then.time);
        let slower = entry_then.speed - entry.speed;
        let carried = if entry_then.speed > 1.0 { time_then * slower / entry_then.speed } else { 0.0 };
        let lost = time - time_then;
        if lost < NOTABLE && crash.is_none() {
            continue;
        }
        let found = |reports: &[CurveReport]| reports.iter().find(|report| report.number == curve).cloned();
        let own = lost - carried;
        let mut causes: Vec<Cause> = crash.iter().map(|crash| Cause::Crash { s: crash.s }).collect();
        if own >= NOTABLE || crash.is_some() {
            causes.extend(hits(run, reference, from, to));
            if let (Some(driven), Some(then)) = (found(&curves.0), found(&curves.1)) {
                causes.extend(differences(&driven, &then));
            }
        }
        if carried > 0.5 * lost {
            causes.push(Cause::Carried { slower });
        }
        if causes.is_empty() {
            causes.push(Cause::Unknown);
        }
        let slower = exit_then.speed - exit.speed;
        advice.push(Advice { curve, name, from, to, lost, carried, slower, causes });
    }
    let rank = |advice: &Advice| {
        let crashed = matches!(advice.causes[0], Cause::Crash { .. });
        if crashed { f64::INFINITY } else { advice.lost - advice.carried.max(0.0) }
    };
    advice.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    advice
}

/// Hits that the reference did not have within ten metres, the hardest first.
fn hits(run: &Driven, reference: &Driven, from: f64, to: f64) -> Vec<Cause> {
    let harder = |hit: &&Hit| {
        let same =
            reference.hits.iter().filter(|other| (other.s - hit.s).abs() < 10.0 && other.side == hit.side);
        let then = same.map(|other| other.normal_speed).fold(0.0, f64::max);
        (from..to).contains(&hit.s) && hit.normal_speed > then + HARD
    };
    let mut hits: Vec<&Hit> = run.hits.iter().filter(harder).collect();
    hits.sort_by(|a, b| b.normal_speed.total_cmp(&a.normal_speed));
    let cause =
        |hit: &&Hit| Cause::Hit { s: hit.s, side: hit.side, normal_speed: hit.normal_speed, lost: hit.lost };
    hits.iter().map(cause).collect()
}

/// How a curve was driven otherwise, from its beginning on: what comes first causes the rest.
fn differences(driven: &CurveReport, then: &CurveReport) -> Vec<Cause> {
    let mut causes = Vec::new();
    let outside = driven.entry.outside - then.entry.outside;
    if outside < -ENTRY {
        causes.push(Cause::LateEntry { inside: -outside });
    } else if outside > ENTRY {
        causes.push(Cause::EarlyEntry { outside });
    }
    if driven.arcs != then.arcs {
        causes.push(Cause::Arcs { driven: driven.arcs, reference: then.arcs });
    }
    let higher = driven.highest - then.highest;
    if higher > HEIGHT {
        causes.push(Cause::TooHigh { by: higher });
    } else if higher < -HEIGHT {
        causes.push(Cause::TooLow { by: -higher });
    }
    let steering = driven.steering - then.steering;
    if steering > STEERING {
        causes.push(Cause::Steering { by: steering });
    }
    causes
}

impl Cause {
    /// In words, as a coach would say it.
    pub fn in_words(&self) -> String {
        match self {
            Cause::Crash { s } => format!("crash at {s:.0} m"),
            Cause::Hit { s, side, normal_speed, lost } => {
                let side = if *side == HitSide::Left { "left" } else { "right" };
                format!("hit of the {side} wall at {s:.0} m with {normal_speed:.1} m/s, {lost:.2} m/s lost")
            }
            Cause::LateEntry { inside } => format!("late entry, {inside:.2} m further inside"),
            Cause::EarlyEntry { outside } => format!("early entry, {outside:.2} m further outside"),
            Cause::Arcs { driven, reference } => {
                format!(
                    "driven in {driven} arc{}, the reference in {reference}",
                    if *driven == 1 { "" } else { "s" }
                )
            }
            Cause::TooHigh { by } => format!("rode {by:.2} m higher"),
            Cause::TooLow { by } => format!("rode {by:.2} m lower"),
            Cause::Steering { by } => format!("steered more, by {:.1}°", by.to_degrees()),
            Cause::Carried { slower } => format!("came {:.1} km/h slower", 3.6 * slower),
            Cause::Unknown => "no single cause".to_owned(),
        }
    }
}

impl Advice {
    /// A sentence: the curve, the time, the causes.
    pub fn in_words(&self) -> String {
        let place = match (self.curve, self.name.as_str()) {
            (0, _) => "Before the first curve".to_owned(),
            (number, "") => format!("Curve {number}"),
            (number, name) => format!("Curve {number} ({name})"),
        };
        let causes: Vec<String> = self.causes.iter().map(Cause::in_words).collect();
        format!("{place}: {:.2} s lost; {}.", self.lost, causes.join("; "))
    }
}

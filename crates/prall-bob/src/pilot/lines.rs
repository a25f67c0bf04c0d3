//! [`Lines`]: how a pilot is told to drive a curve.

use std::fmt;

use thiserror::Error;

use crate::track::{Side, Track};

use super::swing::Swing;

/// How a curve is driven (Rempfler 2015, 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Enters from the outside: one arc, highest near the middle of the curve.
    Early,
    /// Enters from the inside: highest too early, and a second arc may follow.
    Late,
    /// One arc: up, along where neither load nor weight pulls, and down.
    Single,
    /// Two arcs: up, down in the middle, up again.
    Double,
}

impl Line {
    /// All of them.
    pub const ALL: [Line; 4] = [Line::Early, Line::Late, Line::Single, Line::Double];
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Line::Early => "early",
            Line::Late => "late",
            Line::Single => "single",
            Line::Double => "double",
        })
    }
}

/// Why lines are none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}; lines are written as 4=double,7=early with early, late, single or double")]
pub struct LineError(String);

/// Lines by curve; a curve without one is driven as costs least.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(Vec<(usize, Line)>);

impl Lines {
    /// Of curves by their numbers, counted from 1; a curve may have an entry and a number of arcs.
    pub fn new(lines: Vec<(usize, Line)>, track: &Track) -> Result<Lines, LineError> {
        let count = track.curves().len();
        match lines.iter().find(|(number, _)| !(1..=count).contains(number)) {
            Some((number, _)) => {
                Err(LineError(format!("{} has no curve {number}, but 1 to {count}", track.name())))
            }
            None => Ok(Lines(lines)),
        }
    }

    /// From text such as `4=double,7=early`.
    pub fn parse(text: &str, track: &Track) -> Result<Lines, LineError> {
        let one = |item: &str| {
            let (number, name) =
                item.split_once('=').ok_or_else(|| LineError(format!("\"{item}\" has no =")))?;
            let number = number.trim();
            let curve =
                number.parse().map_err(|_| LineError(format!("\"{number}\" is no number of a curve")))?;
            let line = Line::ALL.into_iter().find(|line| line.to_string() == name.trim());
            Ok((curve, line.ok_or_else(|| LineError(format!("\"{}\" is no line", name.trim())))?))
        };
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        Lines::new(items.map(one).collect::<Result<_, _>>()?, track)
    }
}

/// Where a line wants to be at a station, and what the square of the distance in m costs per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Target {
    pub(super) place: f64,
    pub(super) weight: f64,
}

/// How far an entry is from the middle, in m: the walls of a straight leave 0.28.
const ENTRY: f64 = 0.22;
/// From where on before the curve it is driven to, in m.
const APPROACH: f64 = 30.0;
const ENTRY_WEIGHT: f64 = 40.0;
/// How deep the middle of two arcs is, as a share of the height across.
const DIP: f64 = 0.5;
/// Half the width of that dip over the length of the curve.
const DIP_WIDTH: f64 = 0.13;
const ARC_WEIGHT: f64 = 80.0;

/// Targets by row.
pub(super) fn targets(lines: &Lines, track: &Track, swing: &Swing) -> Vec<Target> {
    let mut targets = vec![Target::default(); swing.len()];
    for (number, line) in &lines.0 {
        let Some(curve) = track.curves().nth(number - 1) else { continue };
        let (begin, end) = curve.stations;
        let outside = if curve.side == Side::Left { 1.0 } else { -1.0 };
        for (i, target) in targets.iter_mut().enumerate() {
            let s = swing.station(i);
            let inside = (begin..end).contains(&s);
            let before = (begin - APPROACH..begin).contains(&s);
            let share = (s - begin) / (end - begin);
            match line {
                Line::Early if before => *target = Target { place: outside * ENTRY, weight: ENTRY_WEIGHT },
                Line::Late if before => *target = Target { place: -outside * ENTRY, weight: ENTRY_WEIGHT },
                Line::Single if inside => *target = Target { place: swing.rest(i), weight: ARC_WEIGHT },
                Line::Double if inside => {
                    let x = (share - 0.5) / DIP_WIDTH;
                    let place = swing.rest(i) * (1.0 - DIP * libm::exp(-x * x));
                    *target = Target { place, weight: ARC_WEIGHT };
                }
                _ => {}
            }
        }
    }
    targets
}

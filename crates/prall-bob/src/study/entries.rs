//! A curve entered at many places across the ice, by a pilot who is not told the line (Rempfler 2015, 7).

use serde::Serialize;

use crate::analysis::{CurveReport, Line, SPACING};
use crate::record::{About, Recorder};
use crate::run::{Hands, Run};
use crate::sled::{Setup, SledError};
use crate::track::{Curve, Side};

/// How far before a curve the sled is put aside, in m: the pilot cannot bring it back on that way.
const BEFORE: f64 = 4.0;
/// How far behind a curve its exit is still felt, in m.
pub const EXIT: f64 = 50.0;

/// A curve, entered at a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Where the sled was put, in m from the middle to the outside.
    pub offset: f64,
    /// How the curve was driven; none where it was not driven through.
    pub report: Option<CurveReport>,
    /// From the entry to 50 m behind the exit, in s.
    pub time_with_exit: Option<f64>,
    /// Bumper hits from the entry to there.
    pub hits: usize,
    /// Station of a crash in m.
    pub crash: Option<f64>,
    /// Height above the course over the station, in m.
    #[serde(skip)]
    pub heights: Vec<(f64, f64)>,
}

/// Enters a curve at offsets in m to its outside: a run of the pilot is stopped 4 m before it, put aside and driven on. An offset at which a bumper
/// would be in the wall is left out. The run must begin before the curve.
pub fn entries(
    mut run: Run<'_>,
    setup: &Setup,
    curve: &Curve,
    offsets: &[f64],
) -> Result<Vec<Entry>, SledError> {
    let (begin, end) = curve.stations;
    while run.station() < begin - BEFORE && run.look() {}
    let outside = if curve.side == Side::Left { 1.0 } else { -1.0 };
    let mut entries = Vec::new();
    for &offset in offsets {
        let mut aside = run.clone();
        if !aside.put_aside(outside * offset, setup) {
            continue;
        }
        entries.push(driven(aside, setup, curve, offset, end));
    }
    Ok(entries)
}

fn driven(mut run: Run<'_>, setup: &Setup, curve: &Curve, offset: f64, end: f64) -> Entry {
    let mut recorder = Recorder::new(&run, setup);
    let before = run.result().hits.len();
    while run.result().crash.is_none()
        && run.station() < end + EXIT + 5.0
        && run.look_with(&Hands::Pilot, |sled| recorder.see(sled))
    {}
    let finish = run.course().track.finish();
    let record = recorder.finish(run, setup, About::default());
    let line = Line::new(&record, finish.max(end + EXIT), SPACING).ok();
    let report = line.as_ref().and_then(|line| line.curve(curve));
    let hits = record.result.hits.iter().skip(before).filter(|hit| hit.s <= end + EXIT).count();
    Entry {
        offset,
        time_with_exit: report
            .as_ref()
            .zip(line.as_ref())
            .and_then(|(report, line)| Some(line.at(end + EXIT)?.time - report.entry.time)),
        report,
        hits,
        crash: record.result.crash.map(|crash| crash.s),
        heights: line.map_or(Vec::new(), |line| {
            line.points
                .iter()
                .map(|point| (point.s, point.height))
                .filter(|point| point.0 <= end + 20.0)
                .collect()
        }),
    }
}

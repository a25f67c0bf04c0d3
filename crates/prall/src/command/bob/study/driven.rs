//! Studies on a track: nine pairs of spring sets on one line, and curves entered at many places.

use super::super::chart::{Panel, Series, Sheet};
use super::super::scenario::{Scenario, in_parallel};
use super::{chosen_curve, page, picture};
use crate::command::Failure;
use prall_bob::study::{EXIT, Entry, SpringRun, entries};
use serde::Serialize;

const SETS: [&str; 3] = ["soft", "medium", "hard"];
/// Entries from the middle to the outside of a curve, in m.
const OFFSETS: [f64; 9] = [-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4];

/// A curve that was entered at many places.
#[derive(Serialize)]
pub(super) struct EntryStudy {
    curve: usize,
    begin: f64,
    end: f64,
    /// Offsets at which the wall leaves no room.
    no_room: Vec<f64>,
    entries: Vec<Entry>,
}

pub(super) fn springs(scenario: &Scenario, seed: u64, quiet: bool) -> Result<Vec<SpringRun>, Failure> {
    in_parallel((SETS.len() * SETS.len()) as u32, quiet, "pairs of spring sets", |index| {
        let (split, axle) = (SETS[index as usize / SETS.len()], SETS[index as usize % SETS.len()]);
        let sets = [format!("joint.alpha.set=alpha_{split}"), format!("joint.gamma.set=gamma_{axle}")];
        let scenario = scenario.with_values(&sets)?;
        Ok(SpringRun::of(&scenario.record(seed, 0)?, &scenario.setup, split, axle))
    })
}

pub(super) fn spring_lines(rows: &[SpringRun]) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        String::new(),
        "## Spring sets on one line".to_owned(),
        String::new(),
        "The same pilot with the same plan; angles as root of the mean square and largest; off the ice: share of the time in which some runner had no contact for 10 ms."
            .to_owned(),
        String::new(),
        "| split hull | axle | run [s] | split [°] | axle [°] | largest load [g] | off the ice [%] | hits |".to_owned(),
        "|:---|:---|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    lines.extend(rows.iter().map(|row| {
        format!(
            "| {} | {} | {} | {:.2}, {:.1} | {:.2}, {:.1} | {:.2} | {:.2} | {} |",
            row.split,
            row.axle,
            row.time.map_or("did not finish".to_owned(), |time| format!("{time:.3}")),
            row.split_angle[0],
            row.split_angle[1],
            row.axle_angle[0],
            row.axle_angle[1],
            row.largest_load,
            100.0 * row.off_ice,
            row.hits
        )
    }));
    lines
}

pub(super) fn enter(scenario: &Scenario, curves: &[usize], quiet: bool) -> Result<Vec<EntryStudy>, Failure> {
    in_parallel(curves.len() as u32, quiet, "curves", |index| {
        let curve = chosen_curve(&scenario.course.track, curves[index as usize])?;
        let run = scenario.begin(0, 0, &scenario.line)?;
        let entries = entries(run, &scenario.setup, &curve, &OFFSETS).map_err(|error| error.to_string())?;
        let there = |offset: &f64| entries.iter().any(|entry| entry.offset == *offset);
        let no_room = OFFSETS.iter().copied().filter(|offset| !there(offset)).collect();
        let (begin, end) = curve.stations;
        Ok(EntryStudy { curve: curve.number, begin, end, no_room, entries })
    })
}

pub(super) fn entry_lines(studies: &[EntryStudy], with_pictures: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for study in studies {
        lines.extend([
            String::new(),
            format!("## Entries of curve {}, {:.0} to {:.0} m", study.curve, study.begin, study.end),
            String::new(),
            format!("The pilot is not told a line. Put 4 m before the curve to the outside (above 0) or the inside of the middle; times from the entry to {EXIT:.0} m behind the exit."),
            String::new(),
            "| outside [m] | arcs | highest [m] | at [m] | exit [km/h] | curve [s] | with exit [s] | hits |".to_owned(),
            "|---:|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
        ]);
        lines.extend(study.entries.iter().map(|entry| {
            let time = entry.time_with_exit.map_or("-".to_owned(), |time| format!("{time:.3}"));
            match (&entry.report, entry.crash) {
                (Some(report), _) => format!(
                    "| {:+.1} | {} | {:.2} | {:.0} | {:.1} | {:.3} | {time} | {} |",
                    entry.offset,
                    report.arcs,
                    report.highest,
                    report.highest_at,
                    3.6 * report.exit.speed,
                    report.time,
                    entry.hits
                ),
                (None, Some(s)) => {
                    format!("| {:+.1} | crash at {s:.0} m | | | | | | {} |", entry.offset, entry.hits)
                }
                (None, None) => {
                    format!("| {:+.1} | not driven through | | | | | | {} |", entry.offset, entry.hits)
                }
            }
        }));
        if !study.no_room.is_empty() {
            let offsets: Vec<String> = study.no_room.iter().map(|offset| format!("{offset:+.1}")).collect();
            lines.extend([String::new(), format!("The walls leave no room at {} m.", offsets.join(", "))]);
        }
        picture(
            &mut lines,
            with_pictures,
            &format!("entries-{}", study.curve),
            "Heights over the station, by entry",
        );
    }
    lines
}

pub(super) fn entry_charts(studies: &[EntryStudy]) -> Vec<(String, Sheet)> {
    let chart = |study: &EntryStudy| {
        let series = study
            .entries
            .iter()
            .map(|entry| Series::line(&format!("{:+.1} m", entry.offset), entry.heights.clone()))
            .collect();
        let panel = Panel { title: "Height above the course [m]".to_owned(), series };
        let bands = vec![(study.begin, study.end, study.curve.to_string())];
        let title = format!("Curve {}, entered at {} places", study.curve, study.entries.len());
        (format!("entries-{}", study.curve), page(title, "station [m]", vec![panel], bands))
    };
    studies.iter().map(chart).collect()
}

//! Studies on level ice: a hit that straightens a drifting sled, and how a sled steers over its load.

use super::super::chart::{Mark, Panel, Series, Sheet};
use super::super::scenario::{Scenario, in_parallel};
use super::{page, picture};
use crate::command::Failure;
use prall_bob::study::{Steerability, Straightening, steerability, straightening};

/// Restitutions of the hit: none, the source's, a lively one.
const RESTITUTIONS: [f64; 3] = [0.0, 0.05, 0.3];
/// Loads in g: from a sled that nearly flies to the fastest curve.
const LOADS: [f64; 10] = [0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0];

pub(super) fn straighten(scenario: &Scenario, quiet: bool) -> Result<Vec<Straightening>, Failure> {
    in_parallel(RESTITUTIONS.len() as u32, quiet, "hits", |index| {
        Ok(straightening(&scenario.setup, RESTITUTIONS[index as usize])?)
    })
}

pub(super) fn straightening_lines(rows: &[Straightening], with_pictures: bool) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        String::new(),
        "## A hit that straightens a drifting sled".to_owned(),
        String::new(),
        "25 m/s, the tail out by 4 degrees, to the wall of a straight at 1.5 degrees. Angles are between the sled and its way, above zero with the tail out; after half a second, with the wall and without it."
            .to_owned(),
        String::new(),
        "| restitution | at the touch [°] | after [°] | without a wall [°] | yaw rate [°/s] | normal speed [m/s] | speed lost [m/s] |"
            .to_owned(),
        "|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    lines.extend(rows.iter().map(|row| {
        format!(
            "| {:.2} | {:+.2} | {:+.2} | {:+.2} | {:+.1} | {:.2} | {:.3} |",
            row.restitution,
            row.drift_before,
            row.drift_after,
            row.drift_without_wall,
            row.yaw_rate,
            row.normal_speed,
            row.lost
        )
    }));
    picture(&mut lines, with_pictures, "straightening", "Angle to the way after the hit, over restitution");
    lines
}

pub(super) fn straightening_chart(rows: &[Straightening]) -> Option<(String, Sheet)> {
    let series = |name: &str, value: fn(&Straightening) -> f64| Series {
        name: name.to_owned(),
        mark: Mark::Points,
        points: rows.iter().map(|row| (row.restitution, value(row))).collect(),
    };
    let panels = vec![
        Panel {
            title: "Angle between the sled and its way [°]".to_owned(),
            series: vec![
                series("at the touch", |row| row.drift_before),
                series("half a second after", |row| row.drift_after),
                series("without a wall", |row| row.drift_without_wall),
            ],
        },
        Panel { title: "Speed lost [m/s]".to_owned(), series: vec![series("at the touch", |row| row.lost)] },
    ];
    let sheet =
        page("A drifting sled meets a wall".to_owned(), "restitution of the bumpers", panels, Vec::new());
    (!rows.is_empty()).then(|| ("straightening".to_owned(), sheet))
}

pub(super) fn over_load(scenario: &Scenario, quiet: bool) -> Result<Vec<Steerability>, Failure> {
    in_parallel(LOADS.len() as u32, quiet, "loads", |index| {
        Ok(steerability(&scenario.setup, LOADS[index as usize])?)
    })
}

pub(super) fn load_lines(rows: &[Steerability], with_pictures: bool) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        String::new(),
        "## Steering over the load".to_owned(),
        String::new(),
        "30 m/s on level ice, steered by two degrees: sideways acceleration half a second later, and over the load."
            .to_owned(),
        String::new(),
        "| load [g] | sideways [g] | over the load |".to_owned(),
        "|---:|---:|---:|".to_owned(),
    ];
    lines.extend(
        rows.iter().map(|row| format!("| {:.2} | {:.4} | {:.4} |", row.load, row.response, row.grip)),
    );
    picture(&mut lines, with_pictures, "load", "Sideways acceleration over the load");
    lines
}

pub(super) fn load_chart(rows: &[Steerability]) -> Option<(String, Sheet)> {
    let panel = |title: &str, value: fn(&Steerability) -> f64| {
        let points = rows.iter().map(|row| (row.load, value(row))).collect();
        let series = vec![Series { name: "two degrees".to_owned(), mark: Mark::Points, points }];
        Panel { title: title.to_owned(), series }
    };
    let panels = vec![
        panel("Sideways acceleration [g]", |row| row.response),
        panel("Sideways acceleration over the load", |row| row.grip),
    ];
    let sheet = page("Steering over the load".to_owned(), "load [g]", panels, Vec::new());
    (!rows.is_empty()).then(|| ("load".to_owned(), sheet))
}

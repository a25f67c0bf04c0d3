//! `prall bob track --safety`: loads over the station against a limit, and a map of lift-offs, planking hits and crashes.

use super::analyse::bands;
use super::chart::{Mark, Panel, Series, Sheet};
use super::scenario::{Scenario, ScenarioArguments, in_parallel, write};
use crate::command::{Failure, print_line};
use prall_bob::safety::{STRETCH, Stretch, WatchedRun, map, scattered_hands};
use prall_bob::track::Track;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Clone)]
pub(super) struct SafetyArguments {
    /// Drive the track many times with scattered entries: hands err by up to 1.5 degrees, start and ice vary. Loads over the station against a
    /// limit, and where sleds lift off, hit the planking and crash
    #[arg(long)]
    safety: bool,
    /// How many runs
    #[arg(long, default_value_t = 200, value_name = "N", requires = "safety")]
    runs: u32,
    /// Largest load that is allowed, in g
    #[arg(long, default_value_t = 5.0, value_name = "G", requires = "safety")]
    limit: f64,
    /// Seed of what varies
    #[arg(long, default_value_t = 1, value_name = "S", requires = "safety")]
    seed: u64,
    /// Folder for the map as safety.svg, safety.png and safety.json
    #[arg(long, value_name = "DIR", requires = "safety")]
    safety_out: Option<PathBuf>,
}

/// What the runs saw.
#[derive(Serialize)]
pub(super) struct Safety {
    runs: u32,
    limit: f64,
    /// Stretches in which some run was above the limit, by their stations in m.
    above_limit: Vec<f64>,
    crashed: u32,
    stretches: Vec<Stretch>,
}

impl SafetyArguments {
    /// The map, if it was asked for.
    pub(super) fn judge(&self, track: &str, profile: &str, quiet: bool) -> Result<Option<Safety>, Failure> {
        if !self.safety {
            return Ok(None);
        }
        if !(self.limit > 0.0) {
            return Err(format!("--limit: a load in g above 0, not {}", self.limit).into());
        }
        let scenario = Scenario::open(&ScenarioArguments::of_track(track, profile))?;
        let runs = in_parallel(self.runs.max(1), quiet, "runs", |index| {
            let seed = self.seed.wrapping_mul(0x9e37_79b9).wrapping_add(u64::from(index));
            // The first run is the pilot's own.
            let hands = if index == 0 {
                prall_bob::pilot::SteeringLine::default()
            } else {
                scattered_hands(&scenario.course.track, seed)
            };
            Ok(WatchedRun::watch(scenario.begin(self.seed, index, &hands)?))
        })?;
        let stretches = map(&runs);
        let above = stretches.iter().filter(|stretch| stretch.largest_load > self.limit);
        let safety = Safety {
            runs: self.runs.max(1),
            limit: self.limit,
            above_limit: above.map(|stretch| stretch.s).collect(),
            crashed: stretches.iter().map(|stretch| stretch.crashes).sum(),
            stretches,
        };
        if let Some(out) = &self.safety_out {
            safety.draw(&scenario.course.track, out)?;
        }
        Ok(Some(safety))
    }
}

impl Safety {
    fn draw(&self, track: &Track, out: &Path) -> Result<(), Failure> {
        let middle = |stretch: &Stretch| stretch.s + 0.5 * STRETCH;
        let load = |name: &str, value: fn(&Stretch) -> f64| {
            let came = self.stretches.iter().filter(|stretch| stretch.runs > 0);
            Series::line(name, came.map(|stretch| (middle(stretch), value(stretch))).collect())
        };
        let limit = vec![(0.0, self.limit), (track.finish(), self.limit)];
        let bars = |title: &str, name: &str, value: fn(&Stretch) -> u32| {
            let counted = self.stretches.iter().filter(|stretch| value(stretch) > 0);
            let mut points: Vec<(f64, f64)> =
                counted.map(|stretch| (middle(stretch), f64::from(value(stretch)))).collect();
            // So that all panels have the whole track under them.
            points.extend([(0.0, 0.0), (track.finish(), 0.0)]);
            let series = vec![Series { name: name.to_owned(), mark: Mark::Bars(STRETCH), points }];
            Panel { title: title.to_owned(), series }
        };
        let sheet = Sheet {
            title: format!(
                "{}: {} runs with scattered entries, {} crashed",
                track.name(),
                self.runs,
                self.crashed
            ),
            across: "station [m]".to_owned(),
            panels: vec![
                Panel {
                    title: "Force on the runners over weight [g]".to_owned(),
                    series: vec![
                        load("largest of all runs", |stretch| stretch.largest_load),
                        load("mean", |stretch| stretch.mean_load),
                        Series::line("limit", limit),
                    ],
                },
                bars("Runs that lifted off", "lift-offs", |stretch| stretch.lift_offs),
                bars("Runs that hit the planking", "planking hits", |stretch| stretch.planking_hits),
                bars("Runs that crashed", "crashes", |stretch| stretch.crashes),
            ],
            columns: 1,
            panel_height: 220,
            bands: bands(track),
        };
        std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
        sheet.write(&out.join("safety.svg"))?;
        sheet.write(&out.join("safety.png"))?;
        write(&out.join("safety.json"), &serde_json::to_string_pretty(self)?)
    }

    /// Stretches that are worth a word.
    pub(super) fn print(&self) -> Result<(), Failure> {
        print_line(&format!(
            "\n{} runs with scattered entries: {} crashed; {}",
            self.runs,
            self.crashed,
            if self.above_limit.is_empty() {
                format!("no load above {} g", self.limit)
            } else {
                format!(
                    "loads above {} g in {} stretches of {STRETCH:.0} m",
                    self.limit,
                    self.above_limit.len()
                )
            }
        ))?;
        print_line("     s    runs   load mean  largest   lift-offs  planking  crashes")?;
        let told = self.stretches.iter().filter(|stretch| {
            stretch.lift_offs + stretch.planking_hits + stretch.crashes > 0
                || stretch.largest_load > self.limit
        });
        for stretch in told {
            print_line(&format!(
                "{:>6.0} m {:>6} {:>9.2} g {:>6.2} g {:>10} {:>9} {:>8}",
                stretch.s,
                stretch.runs,
                stretch.mean_load,
                stretch.largest_load,
                stretch.lift_offs,
                stretch.planking_hits,
                stretch.crashes
            ))?;
        }
        Ok(())
    }
}

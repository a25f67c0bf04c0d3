//! What a run needs, as the commands take it: track, sled, start, pilot, and what varies from run to run.

use crate::command::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use prall_bob::pilot::{Lines, PilotOptions, Plan, PlanOptions, SteeringLine};
use prall_bob::record::{About, Record};
use prall_bob::run::{Conditions, Course, Run, RunResult, Start, even_number};
use prall_bob::sled::{Setup, SetupText, TWO_MAN};
use prall_bob::track::{Fit, Ice, MeshIce, PointMassStart, Track};
use prall_geometry::files::{ReadOptions, read_model};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// How runs begin where nothing is said.
const STANDING: &str = "standing";

#[derive(clap::Args, Clone)]
pub(super) struct ScenarioArguments {
    /// A track file, or a track by name: whistler-like, sochi-like, meadow-run
    #[arg(long, default_value = "whistler-like", value_name = "FILE")]
    pub(super) track: String,
    /// Height profile of the file
    #[arg(long, default_value = "standard", value_name = "NAME")]
    profile: String,
    /// Setup of the sled; the two-man sled that comes with Prall if there is none
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// Set a value of the setup by its name, such as law.runner.along=0.005; `prall bob setup` lists them
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// "standing[,push=SHARE][,offset=M]": from the block, with a share of the track's push; "flying[,speed=M/S][,offset=M]": at s = 0;
    /// an offset is to the right of the middle
    #[arg(long, default_value = STANDING, value_name = "START")]
    start: String,
    /// Which line the pilot is told, curve by curve: "4=double,7=early" with early, late, single (one arc) or double (two)
    #[arg(long, default_value = "", value_name = "LINES")]
    pilot: String,
    /// A steering line that the pilot steers beside his own mind, as `prall bob optimise` writes it
    #[arg(long, value_name = "FILE")]
    steering: Option<PathBuf>,
    /// Drive on a mesh instead of the exact ice: a scan, another program's track, or what `prall bob track --out` wrote (glb, obj, stl or
    /// ply; metres, y up, triangles counterclockwise seen from the driving side). Course, pilot and clock stay those of --track
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
}

impl ScenarioArguments {
    /// The plain sled from the block of a track.
    pub(super) fn of_track(track: &str, profile: &str) -> ScenarioArguments {
        ScenarioArguments {
            track: track.to_owned(),
            profile: profile.to_owned(),
            setup: None,
            set: Vec::new(),
            start: STANDING.to_owned(),
            pilot: String::new(),
            steering: None,
            mesh: None,
        }
    }
}

/// What commands that drive are asked beside the scenario.
#[derive(clap::Args, Clone)]
pub(super) struct AnswerArguments {
    /// Seed of what varies
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub(super) seed: u64,
    /// Print the answer as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The same for those that make a report.
#[derive(clap::Args, Clone)]
pub(super) struct ReportArguments {
    #[command(flatten)]
    pub(super) answer: AnswerArguments,
    /// Folder for the report, its charts and the numbers
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// Everything that runs share.
pub(super) struct Scenario {
    pub(super) course: Course,
    pub(super) setup: Setup,
    pub(super) options: PilotOptions,
    pub(super) line: SteeringLine,
    pub(super) mesh: Option<MeshIce>,
    /// Contacts by segments and tolerances as the source had them.
    published: bool,
    start: StartText,
    setup_text: String,
    arguments: ScenarioArguments,
}

impl Scenario {
    /// The same with other lines.
    pub(super) fn told(&self, lines: &str) -> Result<Scenario, Failure> {
        Scenario::open(&ScenarioArguments { pilot: lines.to_owned(), ..self.arguments.clone() })
    }

    /// The same with values of the setup set anew, as `--set` does.
    pub(super) fn with_values(&self, set: &[String]) -> Result<Scenario, Failure> {
        let set = self.arguments.set.iter().chain(set).cloned().collect();
        Scenario::open(&ScenarioArguments { set, ..self.arguments.clone() })
    }

    pub(super) fn open(arguments: &ScenarioArguments) -> Result<Scenario, Failure> {
        Scenario::on(super::track::open(&arguments.track, &arguments.profile)?, arguments)
    }

    fn on(track: Track, arguments: &ScenarioArguments) -> Result<Scenario, Failure> {
        let setup_text = open_setup(arguments.setup.as_deref(), &arguments.set)?;
        let (setup, setup_text) = (setup_text.setup().clone(), setup_text.text().to_owned());
        let start = StartText::read(&arguments.start, &track)?;
        let lines = Lines::parse(&arguments.pilot, &track).map_err(|error| format!("--pilot: {error}"))?;
        let course = course(track, start.start, lines);
        let options = PilotOptions::default();
        let line = match &arguments.steering {
            None => SteeringLine::default(),
            Some(path) => super::steering_file::read(&path.display().to_string(), &read(path)?)?,
        };
        let mesh = arguments.mesh.as_deref().map(|path| open_mesh(path, &course.ice)).transpose()?;
        let mesh = mesh.map(|(mesh, _)| mesh);
        let arguments = arguments.clone();
        Ok(Scenario { course, setup, options, line, mesh, published: false, start, setup_text, arguments })
    }

    /// As the source computed its runs: segment contacts on its tessellation with borders, its tolerances, the sled's own friction and nothing
    /// beside it, begun flying.
    pub(super) fn open_as_published(arguments: &ScenarioArguments) -> Result<Scenario, Failure> {
        let mut arguments = arguments.clone();
        if arguments.start == STANDING {
            "flying".clone_into(&mut arguments.start);
        }
        let track = super::track::open(&arguments.track, &arguments.profile)?;
        let mut scenario = Scenario::on(track.with_resistance(0.0), &arguments)?;
        let mesh = scenario.course.track.published_mesh().joined();
        scenario.mesh = Some(MeshIce::new(&mesh).map_err(|error| error.to_string())?);
        scenario.published = true;
        Ok(scenario)
    }

    /// What a run of that number does otherwise than the first one, with its friction along the runners.
    ///
    /// The first run is the plain one. Others: push within 2 %, start within 4 cm of the middle, ice within 10 %, hands that tremble by
    /// 0.1 degrees; all estimates.
    pub(super) fn conditions(&self, seed: u64, index: u32) -> (Conditions, f64) {
        let seed = seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(u64::from(index));
        let mut state = seed;
        let mut within =
            |range: f64| if index == 0 { 0.0 } else { range * (2.0 * even_number(&mut state) - 1.0) };
        let share = 1.0 + within(0.02);
        let start = match self.start.start {
            Start::Pushed(push) => Start::Pushed(push * share),
            Start::Flying(speed) => Start::Flying(speed * share),
        };
        let offset = self.start.offset + within(0.04);
        let glide = 1.0 + within(0.1);
        let tremor = if index == 0 { 0.0 } else { 0.1_f64.to_radians() };
        (Conditions { start, offset, tremor, seed }, glide)
    }

    fn prepare(
        &self,
        conditions: Conditions,
        glide: f64,
        line: &SteeringLine,
    ) -> Result<(Run<'_>, Setup), Failure> {
        let mut setup = self.setup.clone();
        setup.glide = glide;
        let run =
            Run::new(&self.course, &setup, self.options, conditions).map_err(|error| error.to_string())?;
        let run = run.steered_by(line.clone());
        let run = match &self.mesh {
            None => run,
            Some(mesh) if self.published => run.as_published(mesh),
            Some(mesh) => run.on_mesh(mesh),
        };
        Ok((run, setup))
    }

    /// A run of that number at its start, with a steering line beside the pilot's own mind.
    pub(super) fn begin(&self, seed: u64, index: u32, line: &SteeringLine) -> Result<Run<'_>, Failure> {
        let (conditions, glide) = self.conditions(seed, index);
        Ok(self.prepare(conditions, glide, line)?.0)
    }

    /// One run, written down.
    pub(super) fn record(&self, seed: u64, index: u32) -> Result<Record, Failure> {
        let steering = self.arguments.steering.as_ref().map(|path| path.display().to_string());
        self.record_steered(seed, index, &self.line, steering)
    }

    /// The same with a steering line, and the name of its file if it has one.
    pub(super) fn record_steered(
        &self,
        seed: u64,
        index: u32,
        line: &SteeringLine,
        steering: Option<String>,
    ) -> Result<Record, Failure> {
        let (conditions, glide) = self.conditions(seed, index);
        let (run, setup) = self.prepare(conditions, glide, line)?;
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let about = About {
            track: self.arguments.track.clone(),
            profile: self.arguments.profile.clone(),
            mesh: file(&self.arguments.mesh),
            steering,
            glide,
            start: StartText { start: conditions.start, offset: conditions.offset }.to_string(),
            pilot: self.arguments.pilot.clone(),
            offset: conditions.offset,
            tremor: conditions.tremor,
            seed: conditions.seed,
            setup: self.setup_text.clone(),
            ..About::default()
        };
        Ok(Record::take(run, &setup, about))
    }

    /// Many runs on all cores.
    pub(super) fn runs(&self, count: u32, seed: u64, quiet: bool) -> Result<Vec<RunResult>, Failure> {
        in_parallel(count, quiet, "runs", |index| Ok(self.begin(seed, index, &self.line)?.finish()))
    }
}

/// Does something many times on all cores, with a progress bar on a terminal.
pub(super) fn in_parallel<T: Send>(
    count: u32,
    quiet: bool,
    what: &str,
    work: impl Fn(u32) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let bar = if count < 2 || quiet { ProgressBar::hidden() } else { ProgressBar::new(u64::from(count)) };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}, {eta} to go") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    let answers = (0..count).into_par_iter().map(|index| {
        let answer = work(index);
        bar.inc(1);
        answer
    });
    let answers = answers.collect();
    bar.finish_and_clear();
    answers
}

/// A track with its surface and what pilots know of it, for runs that begin so.
fn course(track: Track, start: Start, lines: Lines) -> Course {
    let ice = Ice::new(&track);
    let start = match start {
        Start::Pushed(_) => PointMassStart::Pushed,
        Start::Flying(speed) => PointMassStart::Flying(speed),
    };
    let plan = Plan::new(&track, &ice, start, PlanOptions { lines, ..PlanOptions::default() });
    Course { track, ice, plan }
}

/// Does something with the run of a record as it stood at the beginning: the same track, ice, sled, start, pilot and tremor.
pub(super) fn run_of<T>(record: &Record, work: impl FnOnce(Run<'_>) -> T) -> Result<T, Failure> {
    let about = &record.about;
    let track = super::track::open(&about.track, &about.profile)?;
    let start = StartText::read(&about.start, &track)?;
    let lines = Lines::parse(&about.pilot, &track).map_err(|error| format!("its pilot: {error}"))?;
    // The seat's pilot planned for a push, however the run begins.
    let planned = if about.hands.is_empty() { start.start } else { Start::Pushed(1.0) };
    let course = course(track, planned, lines);
    let line = match &about.steering {
        None => SteeringLine::default(),
        Some(file) => super::steering_file::read(file, &read(Path::new(file))?)?,
    };
    let mesh = about.mesh.as_ref().map(|file| open_mesh(Path::new(file), &course.ice)).transpose()?;
    let conditions =
        Conditions { start: start.start, offset: about.offset, tremor: about.tremor, seed: about.seed };
    let setup = record.setup()?;
    let run =
        Run::new(&course, &setup, PilotOptions::default(), conditions).map_err(|error| error.to_string())?;
    let run = run.steered_by(line);
    Ok(work(match &mesh {
        None => run,
        Some((mesh, _)) => run.on_mesh(mesh),
    }))
}

/// A setup file, or the one that comes with Prall, with values set.
pub(super) fn open_setup(file: Option<&Path>, set: &[String]) -> Result<SetupText, Failure> {
    let (name, text) = match file {
        None => ("two-man".to_owned(), TWO_MAN.to_owned()),
        Some(path) => (path.display().to_string(), read(path)?),
    };
    let text = SetupText::read(&name, &text)?;
    let pairs = set.iter().map(|pair| {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| format!("--set: \"{pair}\" is not KEY=VALUE"))?;
        Ok((key.trim(), value))
    });
    let pairs = pairs.collect::<Result<Vec<_>, Failure>>()?;
    if pairs.is_empty() {
        return Ok(text);
    }
    Ok(text.with(pairs).map_err(|error| format!("--set: {error}"))?)
}

/// A mesh to drive on, and how it lies on the exact ice.
pub(super) fn open_mesh(path: &Path, ice: &Ice) -> Result<(MeshIce, Fit), Failure> {
    let wrong = |error: String| format!("{}: {error}", path.display());
    let model = read_model(path, &ReadOptions::default())?;
    let soup = model.flattened().map_err(|error| wrong(error.to_string()))?;
    let mesh = MeshIce::new(&soup).map_err(|error| wrong(error.to_string()))?;
    let fit = mesh.fit(ice).map_err(|error| wrong(error.to_string()))?;
    Ok((mesh, fit))
}

pub(super) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(crate::output::write(path, text)?)
}

/// How a run begins, as text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StartText {
    start: Start,
    offset: f64,
}

impl StartText {
    fn read(text: &str, track: &Track) -> Result<StartText, Failure> {
        let mut parts = text.split(',').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let (key, mut value) = match kind {
            "standing" => ("push", 1.0),
            "flying" => ("speed", track.start().v0),
            _ => return Err(format!("--start: \"{kind}\" is neither standing nor flying").into()),
        };
        let mut offset = 0.0;
        for part in parts {
            let wrong = || {
                format!("--start: \"{part}\" is none of {key}=NUMBER and offset=NUMBER, which go with {kind}")
            };
            let (name, number) = part.split_once('=').ok_or_else(wrong)?;
            let number: f64 = number.trim().parse().map_err(|_| wrong())?;
            match name.trim() {
                "offset" => offset = number,
                name if name == key => value = number,
                _ => return Err(wrong().into()),
            }
        }
        if !(value > 0.0 && value.is_finite()) {
            return Err(format!("--start: {key} must be above 0, not {value}").into());
        }
        // Half the channel less half a sled.
        if !(offset.abs() <= 0.28) {
            return Err(format!("--start: offset must lie within 0.28 m of the middle, not {offset}").into());
        }
        let start = if kind == "flying" { Start::Flying(value) } else { Start::Pushed(value) };
        Ok(StartText { start, offset })
    }
}

impl std::fmt::Display for StartText {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.start {
            Start::Pushed(push) => write!(out, "standing,push={push}")?,
            Start::Flying(speed) => write!(out, "flying,speed={speed}")?,
        }
        write!(out, ",offset={}", self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_survives_the_round_trip() {
        let track = Track::open("whistler-like", "standard").unwrap();
        for text in ["standing", "flying", "standing,push=0.97", "flying,speed=12.5,offset=-0.1"] {
            let start = StartText::read(text, &track).unwrap();
            assert_eq!(StartText::read(&start.to_string(), &track).unwrap(), start);
        }
    }

    #[test]
    fn a_wrong_start_is_told_what_would_be_right() {
        let track = Track::open("whistler-like", "standard").unwrap();
        for (text, right) in [
            ("rolling", "neither standing nor flying"),
            ("flying,push=1", "speed=NUMBER and offset=NUMBER"),
            ("standing,push=hard", "push=NUMBER"),
            ("flying,speed=-3", "must be above 0"),
            ("standing,offset=2", "within 0.28 m"),
        ] {
            let error = StartText::read(text, &track).unwrap_err().to_string();
            assert!(error.contains(right), "{text}: {error}");
        }
    }
}

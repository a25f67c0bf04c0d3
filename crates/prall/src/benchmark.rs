//! Running scene files one after another and judging them: what `prall benchmark` does.
//!
//! The judge looks at triangles and poses alone, at the end of every step and ten times on the way. Energy is counted against the work
//! of the loads that the scene applies. Neither reads what a step reports about itself.

use crate::headless::{DEFAULT_SECONDS, StepTimes};
use prall_dynamics::{BodyHandle, BodyKind, World};
use prall_math::{Motion, Pose, Twist, rotation};
use prall_scenes::{Budget, FileScene, Input, Judge, Simulation};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Instants between the beginning and the end of a step at which the judge looks.
pub const BETWEEN: usize = 10;

/// A scene whose energy rises by more than this share of what it exchanges gains energy: a thousandth, what one sees after some
/// hundred bounces.
const ENERGY_SHARE: f64 = 1e-3;

/// A scene that loses more than this share of its simulated time loses time: a microsecond in a second is rounding of parts of steps.
const LOST_SHARE: f64 = 1e-6;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Simulated seconds; as many as the scene file asks for if none, or 10.
    pub seconds: Option<f64>,
    /// Most time that a scene may take, with its judge. A scene that needs more is cut short.
    pub limit: Duration,
}

/// The first time that two bodies crossed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstCrossing {
    /// Simulated time in s.
    pub time: f64,
    /// Numbers of the bodies, counted from 0 in the order of the scene.
    pub bodies: [usize; 2],
}

/// How much energy came from nowhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EnergyGain {
    /// Largest rise of the total energy above what the loads did, in J.
    pub joules: f64,
    /// The same as a share of the energy that the scene exchanged: its largest kinetic energy and change of height.
    pub share: f64,
}

/// What a scene of the benchmark did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SceneResult {
    /// The file, from the folder that was given.
    pub scene: String,
    /// Why it could not be run; then everything else is 0.
    pub refused: Option<String>,
    /// What a person should know about the file.
    pub notes: Vec<String>,
    /// Bodies.
    pub bodies: usize,
    /// Bodies that can be moved.
    pub moving: usize,
    /// Triangles of all bodies.
    pub triangles: usize,
    /// Length of a step in s.
    pub step: f64,
    /// Steps taken.
    pub steps: u64,
    /// Steps that were wanted.
    pub steps_wanted: u64,
    /// Simulated time in s.
    pub seconds: f64,
    /// Time per step in ms, the judge not counted.
    pub step_ms: StepTimes,
    /// Simulated time over time, the judge not counted.
    pub real_time_factor: f64,
    /// Instants at which the judge looked.
    pub looks: u64,
    /// Of these, at how many two bodies crossed.
    pub intersections: u64,
    /// Most pairs that crossed at one instant.
    pub pairs_max: usize,
    /// The first of them.
    pub first: Option<FirstCrossing>,
    /// Energy from nowhere; none where kinematic bodies move, whose work nobody knows.
    pub energy_gained: Option<EnergyGain>,
    /// Simulated time that was not carried out, in s.
    pub lost_time: f64,
    /// False if a state was no longer a number.
    pub finite: bool,
    /// `pass`, or what is wrong, in words.
    pub verdict: String,
}

/// Scene files of a folder and of all folders in it, by name: `.json` and `.toml`.
pub fn scene_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    files_below(folder, &["json", "toml"])
}

/// All files below a folder whose names end so, in order.
pub(crate) fn files_below(folder: &Path, endings: &[&str]) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            let wanted =
                |own: &std::ffi::OsStr| endings.iter().any(|ending| own.eq_ignore_ascii_case(ending));
            if entry.file_type()?.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(wanted) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Runs a scene file; a file that cannot be run is a result like any other.
pub fn run_file(path: &Path, name: &str, options: &Options) -> SceneResult {
    let refused = |reason: String| SceneResult {
        scene: name.to_owned(),
        verdict: "refused".to_owned(),
        refused: Some(reason),
        ..SceneResult::default()
    };
    let begin = Instant::now();
    let scene = match FileScene::read(path) {
        Ok(scene) => scene,
        Err(error) => return refused(error.to_string()),
    };
    let seconds = options.seconds.or(scene.duration()).unwrap_or(DEFAULT_SECONDS);
    let mut simulation = scene.build();
    let mut result = match run(simulation.as_mut(), seconds, begin + options.limit) {
        Ok(result) => result,
        Err(reason) => return refused(reason),
    };
    name.clone_into(&mut result.scene);
    result.notes = scene.notes().to_vec();
    result
}

/// Runs a simulation with the judge beside it, until so many seconds are simulated or the deadline is there.
pub fn run(simulation: &mut dyn Simulation, seconds: f64, deadline: Instant) -> Result<SceneResult, String> {
    if !(0.0..=1e5).contains(&seconds) {
        return Err(format!("the simulated time must be a number of seconds from 0 to 1e5, not {seconds}"));
    }
    let world = simulation.world().ok_or("the scene has no world of bodies")?;
    let mut judge = Judge::new(world).map_err(|error| error.to_string())?;
    let handles: Vec<BodyHandle> = judge.bodies().collect();
    let moving: Vec<bool> =
        handles.iter().map(|&body| world.kind(body).is_ok_and(|kind| kind != BodyKind::Fixed)).collect();
    let step = simulation.time_step();
    let mut result = SceneResult {
        bodies: handles.len(),
        moving: handles
            .iter()
            .filter(|&&body| world.kind(body).is_ok_and(|kind| kind == BodyKind::Dynamic))
            .count(),
        triangles: judge.triangle_count(),
        step,
        steps_wanted: (seconds / step).round() as u64,
        finite: true,
        ..SceneResult::default()
    };
    let mut before = poses(world, &handles);
    let mut ledger = EnergyLedger::new(world, simulation.energy());
    let mut times = Vec::new();
    result.look(&mut judge, &before, simulation.time(), |_| true);
    while result.steps < result.steps_wanted && Instant::now() < deadline {
        let begin = Instant::now();
        simulation.step(&Input::default(), &mut Budget::unlimited().until(deadline));
        let busy = begin.elapsed();
        if simulation.report().budget_cut {
            break;
        }
        times.push(busy.as_secs_f32() * 1e3);
        result.steps += 1;
        result.lost_time += simulation.report().lost_time;
        if !simulation.is_finite() {
            result.finite = false;
            break;
        }
        let Some(world) = simulation.world() else { break };
        let after = poses(world, &handles);
        let time = simulation.time();
        let moved = |body: usize| moving[body] && before[body] != after[body];
        for (instant, between) in poses_between(world, &handles, &before, &after).iter().enumerate() {
            let share = (instant + 1) as f64 / (BETWEEN + 1) as f64;
            result.look(&mut judge, between, time - (1.0 - share) * step, moved);
        }
        result.look(&mut judge, &after, time, |_| true);
        ledger.take(world, &handles, &before, &after, simulation.energy());
        before = after;
    }
    result.seconds = simulation.time();
    result.energy_gained = ledger.gain();
    result.step_ms = StepTimes::of(times);
    let busy = result.step_ms.mean * result.steps as f64 / 1e3;
    result.real_time_factor = if busy > 0.0 { result.steps as f64 * step / busy } else { 0.0 };
    result.verdict = result.judged();
    Ok(result)
}

fn poses(world: &World, handles: &[BodyHandle]) -> Vec<Pose> {
    handles.iter().map(|&body| world.pose(body).unwrap_or(Pose::IDENTITY)).collect()
}

/// Poses of all bodies at [`BETWEEN`] instants within the last step, along the ways that they took. Of bodies whose way is not kept, the centre of
/// mass goes straight and the body turns steadily.
fn poses_between(world: &World, handles: &[BodyHandle], before: &[Pose], after: &[Pose]) -> Vec<Vec<Pose>> {
    let motion = |body: usize| {
        let (start, end) = (before[body], after[body]);
        let centre = world.centre_of_mass(handles[body]).ok()?;
        let reference = end.inverse_transform_point(centre);
        Motion::slerp_about(start, end, reference).ok()
    };
    let motions: Vec<Option<Motion>> = (0..handles.len())
        .map(|body| if before[body] == after[body] { None } else { motion(body) })
        .collect();
    let at = |instant: usize| {
        let t = instant as f64 / (BETWEEN + 1) as f64;
        let pose = |body: usize| {
            let on_its_way = world.pose_during(handles[body], t).ok().flatten();
            on_its_way.unwrap_or_else(|| motions[body].as_ref().map_or(after[body], |motion| motion.pose(t)))
        };
        (0..handles.len()).map(pose).collect()
    };
    (1..=BETWEEN).map(at).collect()
}

impl SceneResult {
    fn look(&mut self, judge: &mut Judge, poses: &[Pose], time: f64, moving: impl Fn(usize) -> bool) {
        let crossings = judge.crossings(poses, moving);
        self.looks += 1;
        if let Some(first) = crossings.first() {
            self.intersections += 1;
            self.pairs_max = self.pairs_max.max(crossings.len());
            self.first.get_or_insert(FirstCrossing { time, bodies: first.bodies });
        }
    }

    /// All that is wrong, in words.
    fn judged(&self) -> String {
        let mut faults = Vec::new();
        let mut add = |wrong: bool, what: String| faults.extend(wrong.then_some(what));
        add(!self.finite, "not finite".to_owned());
        add(self.intersections > 0, "intersects".to_owned());
        let share = self.energy_gained.map_or(0.0, |gain| gain.share);
        add(share > ENERGY_SHARE, "gains energy".to_owned());
        add(self.lost_time > LOST_SHARE * self.seconds, "loses time".to_owned());
        add(self.step_ms.p99 > 1e3 * self.step, "slow".to_owned());
        let cut = self.finite && self.steps < self.steps_wanted;
        add(
            cut,
            format!("cut short at {:.3} of {:.3} s", self.seconds, self.steps_wanted as f64 * self.step),
        );
        if faults.is_empty() { "pass".to_owned() } else { faults.join(", ") }
    }

    /// True if nothing crossed and all numbers are numbers.
    pub fn is_safe(&self) -> bool {
        self.refused.is_some() || (self.finite && self.intersections == 0)
    }
}

/// Total energy against the work of lasting loads, from poses and velocities.
struct EnergyLedger {
    /// False once a kinematic body has moved.
    known: bool,
    work: f64,
    lowest: f64,
    rise: f64,
    height_start: f64,
    exchanged: f64,
}

impl EnergyLedger {
    fn new(world: &World, energy: prall_scenes::Energy) -> EnergyLedger {
        let kinematic = |body: BodyHandle| {
            world.kind(body).is_ok_and(|kind| kind == BodyKind::Kinematic)
                && world.velocity(body).is_ok_and(|velocity| velocity != Twist::ZERO)
        };
        EnergyLedger {
            known: !world.body_handles().any(kinematic),
            work: 0.0,
            lowest: energy.total(),
            rise: 0.0,
            height_start: energy.potential,
            exchanged: energy.kinetic,
        }
    }

    fn take(
        &mut self,
        world: &World,
        handles: &[BodyHandle],
        before: &[Pose],
        after: &[Pose],
        energy: prall_scenes::Energy,
    ) {
        for (body, (start, end)) in handles.iter().zip(before.iter().zip(after)) {
            let (Ok(load), Ok(kind), Ok(centre)) =
                (world.load(*body), world.kind(*body), world.centre_of_mass(*body))
            else {
                continue;
            };
            self.known &= kind != BodyKind::Kinematic || start == end;
            let reference = end.inverse_transform_point(centre);
            let way = centre - start.transform_point(reference);
            let turn = rotation::mean_velocity(start.rotation, end.rotation, 1.0);
            self.work += load.force.dot(way) + load.torque.dot(turn);
        }
        let own = energy.total() - self.work;
        self.lowest = self.lowest.min(own);
        self.rise = self.rise.max(own - self.lowest);
        let height = (energy.potential - self.height_start).abs();
        self.exchanged = self.exchanged.max(energy.kinetic + height);
    }

    fn gain(&self) -> Option<EnergyGain> {
        let share = if self.exchanged > 0.0 { self.rise / self.exchanged } else { 0.0 };
        self.known.then_some(EnergyGain { joules: self.rise, share })
    }
}

/// The results as a table in Markdown, with a line that sums them up.
pub fn table(results: &[SceneResult]) -> String {
    let mut text = String::from(
        "| scene | bodies | triangles | step (s) | ms a step, p50 | p99 | real-time factor | intersections | energy gained (J, share) \
         | lost time (s) | verdict |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
    );
    for result in results {
        let scene = result.scene.replace('|', "\\|");
        // Writing to a string cannot fail.
        let _ = match &result.refused {
            Some(reason) => writeln!(text, "| {scene} | | | | | | | | | | refused: {} |", cell(reason)),
            None => writeln!(
                text,
                "| {scene} | {} of {} | {} | {} | {:.3} | {:.3} | {:.2} | {} | {} | {} | {} |",
                result.moving,
                result.bodies,
                result.triangles,
                result.step,
                result.step_ms.p50,
                result.step_ms.p99,
                result.real_time_factor,
                intersections(result),
                result.energy_gained.map_or("driven".to_owned(), |gain| {
                    format!("{}, {}", number(gain.joules), number(gain.share))
                }),
                number(result.lost_time),
                result.verdict,
            ),
        };
    }
    let _ = writeln!(text, "\n{}", summary(results));
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn intersections(result: &SceneResult) -> String {
    match &result.first {
        None => format!("0 of {}", result.looks),
        Some(first) => format!("{} of {}, from {:.3} s", result.intersections, result.looks, first.time),
    }
}

/// Short, and 0 where it is exactly that.
fn number(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

/// How many scenes passed, and what is wrong with the others.
pub fn summary(results: &[SceneResult]) -> String {
    let count = |wanted: fn(&SceneResult) -> bool| results.iter().filter(|result| wanted(result)).count();
    let steps: u64 = results.iter().map(|result| result.steps).sum();
    let looks: u64 = results.iter().map(|result| result.looks).sum();
    let crossings: u64 = results.iter().map(|result| result.intersections).sum();
    format!(
        "{} scenes: {} pass, {} refused. {steps} steps; {crossings} of {looks} looks found an intersection, in {} scenes. \
         {} within real time by p99, {} lose time, {} gain energy.",
        results.len(),
        count(|result| result.verdict == "pass"),
        count(|result| result.refused.is_some()),
        count(|result| result.intersections > 0),
        count(|result| result.refused.is_none() && result.step_ms.p99 <= 1e3 * result.step),
        count(|result| result.lost_time > LOST_SHARE * result.seconds),
        count(|result| result.energy_gained.is_some_and(|gain| gain.share > ENERGY_SHARE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use prall_dynamics::BodyDefinition;
    use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
    use std::sync::Arc;

    fn mesh_of(soup: &PolygonSoup) -> Shape {
        let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
        Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
    }

    /// A folder of its own for a test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Folder {
            let root = std::env::temp_dir().join(format!("prall-benchmark-{test}-{}", std::process::id()));
            std::fs::create_dir_all(root.join("more")).unwrap();
            Folder(root)
        }

        /// A scene of tetrahedra, without gravity.
        fn scene(&self, name: &str, bodies: &[&str]) -> PathBuf {
            let shape = r#""vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "faces": [[0,2,1],[0,1,3],[0,3,2],[1,2,3]]"#;
            let bodies: Vec<String> = bodies.iter().map(|body| format!("{{{shape}, {body}}}")).collect();
            let text = format!(
                r#"{{"timestep": 0.01, "max_time": 0.2, "rigid_body_problem": {{"rigid_bodies": [{}]}}}}"#,
                bodies.join(", ")
            );
            let path = self.0.join(name);
            std::fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const OPTIONS: Options = Options { seconds: None, limit: Duration::from_secs(60) };

    #[test]
    fn bodies_that_never_meet_pass_and_every_instant_is_looked_at() {
        let folder = Folder::new("free");
        let path = folder.scene(
            "free.json",
            &[r#""linear_velocity": [1, 0, 0], "angular_velocity": [90, 0, 0]"#, r#""position": [0, 3, 0]"#],
        );
        let result = run_file(&path, "free.json", &OPTIONS);
        assert_eq!((result.verdict.as_str(), result.bodies, result.moving), ("pass", 2, 2));
        assert_eq!((result.steps, result.steps_wanted, result.triangles), (20, 20, 8));
        assert_eq!((result.looks, result.intersections), (1 + 20 * 11, 0));
        assert!(result.is_safe());
    }

    /// The work of a scene's loads is no gain.
    #[test]
    fn what_forces_and_torques_do_is_not_gained() {
        let folder = Folder::new("loads");
        let path = folder.scene("loads.json", &[r#""force": [500, 0, 0], "torque": [0, 0, 9000]"#]);
        let result = run_file(&path, "loads.json", &OPTIONS);
        let gain = result.energy_gained.unwrap();
        // The step's own error is of second order: the work is counted along the way that was gone.
        assert!(gain.share < 1e-3 && gain.joules >= 0.0, "{gain:?}");
        let driven = folder.scene(
            "driven.json",
            &[r#""type": "kinematic", "linear_velocity": [1, 0, 0]"#, r#""position": [0, 5, 0]"#],
        );
        assert_eq!(run_file(&driven, "driven.json", &OPTIONS).energy_gained, None);
    }

    #[test]
    fn bodies_that_cross_are_counted_from_the_start() {
        let folder = Folder::new("crossed");
        let path = folder.scene("crossed.json", &[r#""type": "static""#, r#""position": [0.1, 0.2, 0.1]"#]);
        let result = run_file(&path, "crossed.json", &Options { seconds: Some(0.0), ..OPTIONS });
        assert_eq!((result.intersections, result.looks, result.pairs_max), (1, 1, 1));
        assert_eq!(result.first, Some(FirstCrossing { time: 0.0, bodies: [0, 1] }));
        assert!(result.verdict.starts_with("intersects") && !result.is_safe());
        assert!(result.notes[0].contains("overlap or touch at the start"), "{:?}", result.notes);
    }

    /// Apart before and after, through each other on the way.
    #[test]
    fn what_passes_within_a_step_is_seen_between() {
        let cube = mesh_of(&generate::cuboid(DVec3::splat(0.1)).unwrap());
        let wall = mesh_of(&generate::cuboid(DVec3::new(0.02, 1.0, 1.0)).unwrap());
        let mut world = World::default();
        world.add_body(&BodyDefinition::fixed(wall)).unwrap();
        let flying = world.add_body(&BodyDefinition::dynamic(cube, 1.0).at(DVec3::X * -0.5)).unwrap();
        let mut judge = Judge::new(&world).unwrap();
        let handles: Vec<BodyHandle> = judge.bodies().collect();
        let before = poses(&world, &handles);
        world.set_pose(flying, Pose::from_translation(DVec3::new(0.5, 0.1, 0.0))).unwrap();
        let after = poses(&world, &handles);
        let between = poses_between(&world, &handles, &before, &after);
        assert_eq!(between.len(), BETWEEN);
        let mut result = SceneResult::default();
        result.look(&mut judge, &before, 0.0, |_| true);
        result.look(&mut judge, &after, 1.0, |_| true);
        assert_eq!(result.intersections, 0);
        for poses in &between {
            result.look(&mut judge, poses, 0.5, |body| body == 1);
        }
        assert!(result.intersections > 0);
    }

    #[test]
    fn a_scene_that_takes_too_long_is_cut_short_and_one_that_is_wrong_refused() {
        let folder = Folder::new("table");
        let path = folder.scene("more/free.json", &[r#""position": [0, 0, 0]"#]);
        let wrong = folder.0.join("wrong.json");
        std::fs::write(&wrong, "{}").unwrap();
        std::fs::write(folder.0.join("notes.txt"), "").unwrap();
        assert_eq!(scene_files(&folder.0).unwrap(), [path.clone(), wrong.clone()]);
        let cut = run_file(
            &path,
            "more/free.json",
            &Options { seconds: Some(1e5), limit: Duration::from_millis(50) },
        );
        assert!(cut.verdict.contains("cut short") && cut.steps < cut.steps_wanted, "{cut:?}");
        let refused = run_file(&wrong, "wrong.json", &OPTIONS);
        assert_eq!(refused.verdict, "refused");
        let text = table(&[cut, refused]);
        assert_eq!(text.lines().filter(|line| line.starts_with('|')).count(), 4, "{text}");
        assert!(
            text.contains("rigid_body_problem") && text.contains("2 scenes: 0 pass, 1 refused"),
            "{text}"
        );
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(text.lines().filter(|line| line.starts_with('|')).all(|line| columns(line) == 12), "{text}");
    }
}

//! A path that is free at every pose that is tested, and is not free.

use crate::parameter::Values;
use crate::saved;
use crate::wireframe::box_edges;
use crate::{
    Assets, BodyAsset, Camera, Frame, Input, LineAsset, LineRole, Lines, Look, Overlay, OverlayItem,
    OverlayKind, Parameter, ParameterError, Pattern, RestoreError, Scale, ShapeAsset, Simulation, Solver,
    Tolerances, TriangleAsset, UnknownSolver,
};
use glam::{DAffine3, DQuat, DVec2, DVec3};
use prall_detection::{
    BuildOptions, ContactPoint, Hierarchy, ImpactOptions, Workspace, all_overlaps, overlap, time_of_impact,
    triangles_cross_by,
};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, generate};
use prall_math::{Motion, Pose};
use prall_mechanics::{Budget, StateHash, StepReport};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

const NAME: &str = "tunnelling";

/// Length of a step in s.
const TIME_STEP: f64 = 1.0 / 60.0;

/// How long the whole path takes, in s.
const DURATION: f64 = 4.0;

/// Half the length of the path in m; the sheet stands in its middle.
const HALF_WAY: f64 = 0.8;

/// Height of the path over the ground in m.
const HEIGHT: f64 = 0.6;

/// Levels of the hierarchies whose boxes can be shown.
const LEVELS: usize = 4;

static SOLVERS: &[Solver] = &[
    Solver {
        name: "certified",
        title: "Certified motion",
        promise: "Moves only as far as is proven free, whatever the step",
        source: "Separating planes",
    },
    Solver {
        name: "static",
        title: "Pose by pose",
        promise: "Sees an overlap only at the poses that it tests",
        source: "Eckstein 1998",
    },
];

static PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "poses",
        label: "Tested poses",
        unit: "",
        min: 2.0,
        max: 100.0,
        default: 8.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "At how many poses of the path a test is made, from the next reset on",
    },
    Parameter {
        key: "turn",
        label: "Turn",
        unit: "rad",
        min: -6.0,
        max: 6.0,
        default: 0.5,
        step: 0.1,
        scale: Scale::Linear,
        text: "By how much the plate turns on its way, from the next reset on",
    },
];

/// Everything that decides how the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    solver: u8,
    steps: u64,
    /// How far along the path the plate is, from 0 to 1.
    place: f64,
    /// How far it may go until the next test.
    allowed: f64,
    /// There it meets the sheet.
    blocked: bool,
    /// By how much the plate turns on this run, in rad.
    turn: f64,
}

impl State {
    /// It has met the sheet.
    fn stopped(&self) -> bool {
        self.blocked && self.place >= self.allowed
    }
}

const START: State = State { solver: 0, steps: 0, place: 0.0, allowed: 0.0, blocked: false, turn: 0.0 };

/// A plate on its way through a sheet, by two ways of testing.
pub struct Tunnelling {
    values: Values,
    state: State,
    plate: Hierarchy,
    sheet: Hierarchy,
    path: Motion,
    assets: Assets,
    workspace: Workspace,
    report: StepReport,
    contact: Option<ContactPoint>,
    pairs: Vec<(u32, u32)>,
}

impl Tunnelling {
    /// The scene at its start.
    pub fn new() -> Tunnelling {
        let values = Values::defaults(PARAMETERS);
        let (plate, sheet) = (mesh(&plate()), mesh(&sheet()));
        let hierarchy = |mesh: &Mesh| {
            Hierarchy::of_mesh(mesh, &BuildOptions::default()).expect("generated meshes have triangles")
        };
        let (plate_tree, sheet_tree) = (hierarchy(&plate), hierarchy(&sheet));
        Tunnelling {
            path: path(values.of("turn")),
            state: State { turn: values.of("turn"), ..START },
            values,
            assets: assets(&plate, &plate_tree, &sheet, &sheet_tree),
            plate: plate_tree,
            sheet: sheet_tree,
            workspace: Workspace::new(),
            report: StepReport::default(),
            contact: None,
            pairs: Vec::new(),
        }
    }

    fn pose(&self) -> Pose {
        self.path.pose(self.state.place)
    }

    /// Decides how far the plate may go from here: to the next pose, or less.
    fn test(&mut self, budget: &mut Budget) {
        let interval = 1.0 / (self.values.of("poses").round() - 1.0);
        let goal = (self.state.place + interval).min(1.0);
        self.state.allowed = goal;
        if self.state.solver == 1 {
            budget.take();
            let hit = overlap(&self.plate, &self.pose(), &self.sheet, &SHEET, &mut self.workspace);
            // Nothing is proven about a pose that is none, so nothing moves.
            if !matches!(hit, Ok(None)) {
                (self.state.allowed, self.state.blocked) = (self.state.place, true);
            }
            return;
        }
        let rest = Motion::still(SHEET).expect("the sheet stands at a valid pose");
        let piece = self.path.part(self.state.place, goal).expect("places lie in order between 0 and 1");
        let options = ImpactOptions::default();
        let answer =
            time_of_impact(&self.plate, &piece, &self.sheet, &rest, &options, budget, &mut self.workspace);
        match answer {
            Ok(answer) => {
                self.state.allowed = self.state.place + answer.free_until * (goal - self.state.place);
                self.state.blocked = answer.contact.is_some();
                self.contact = answer.contact.map(|(_, contact)| contact);
                self.report.budget_cut = !answer.finished;
            }
            // Nothing is proven, so nothing moves.
            Err(_) => self.state.allowed = self.state.place,
        }
    }

    /// How far the plate is in the sheet, asked apart from the solver.
    fn overlap_now(&mut self) -> f64 {
        self.pairs.clear();
        let pose = self.pose();
        all_overlaps(&self.plate, &pose, &self.sheet, &SHEET, &mut self.workspace, &mut self.pairs)
            .expect("motions give rigid placements");
        let corners = |&(on_plate, on_sheet): &(u32, u32)| {
            let plate = self.plate.triangle(on_plate)?.map(|corner| pose.transform_point(corner));
            Some((plate, self.sheet.triangle(on_sheet)?.map(|corner| SHEET.transform_point(corner))))
        };
        self.pairs.iter().filter_map(corners).map(|(a, b)| triangles_cross_by(&a, &b)).fold(0.0, f64::max)
    }
}

impl Default for Tunnelling {
    fn default() -> Tunnelling {
        Tunnelling::new()
    }
}

/// A plate with a step in its outline, 60 mm thick, standing across its way.
fn plate() -> PolygonSoup {
    let outline = [(-0.15, -0.2), (0.15, -0.2), (0.15, 0.05), (0.02, 0.05), (0.02, 0.2), (-0.15, 0.2)];
    let prism =
        generate::prism(&outline.map(|(x, y)| DVec2::new(x, y)), 0.06).expect("the outline is simple");
    // The prism stands along y; its axis shall lie along x, the way.
    let turn = DAffine3::from_quat(DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2));
    prism.transformed(&turn).expect("turned coordinates are finite")
}

/// A sheet of 4 mm, to stand across the way.
fn sheet() -> PolygonSoup {
    generate::cuboid(DVec3::new(0.004, 1.1, 1.1)).expect("the sizes are positive")
}

/// Where the sheet stands.
const SHEET: Pose = Pose::from_translation(DVec3::new(0.0, HEIGHT, 0.0));

fn mesh(soup: &PolygonSoup) -> Mesh {
    Mesh::from_soup(soup, &MeshOptions::default()).expect("generated shapes are meshes")
}

fn path(turn: f64) -> Motion {
    let at = |x: f64| DVec3::new(x, HEIGHT, 0.0);
    let start = Pose::from_translation(at(-HALF_WAY));
    // About the way itself: the plate stays as thin as it is.
    Motion::screw_about(start, at(0.0), DVec3::X, turn, 2.0 * HALF_WAY).expect("declared turns are finite")
}

fn assets(plate: &Mesh, plate_tree: &Hierarchy, sheet: &Mesh, sheet_tree: &Hierarchy) -> Assets {
    let shape = |mesh: &Mesh| {
        ShapeAsset::Mesh(Arc::new(TriangleAsset {
            positions: mesh.positions().iter().map(|p| p.as_vec3().to_array()).collect(),
            triangles: mesh.triangles().to_vec(),
        }))
    };
    let look =
        |color, opacity| Look { color, roughness: 0.6, metallic: 0.0, opacity, pattern: Pattern::Plain };
    let body =
        |name: &str, index| BodyAsset { name: name.to_owned(), shape: index, look: index, movable: false };
    let mut lines = Vec::new();
    for (name, body, tree) in [("Plate", 0, plate_tree), ("Sheet", 1, sheet_tree)] {
        for level in 0..LEVELS {
            let mut segments = Lines::new();
            for oriented in tree.boxes_at_level(level) {
                let (axes, half) = (oriented.axes(), oriented.half_extents());
                let sides = [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z];
                box_edges(oriented.center(), sides, &mut segments);
            }
            lines.push(LineAsset {
                name: format!("{name}: boxes of level {level}"),
                role: if body == 0 { LineRole::Accent } else { LineRole::Second },
                body: Some(body),
                visible: false,
                segments: Arc::new(segments),
            });
        }
    }
    Assets {
        shapes: vec![shape(plate), shape(sheet)],
        looks: vec![look("#0a6b75", 1.0), look("#c9a27c", 0.45)],
        bodies: vec![body("plate", 0), body("sheet", 1)],
        lines,
        camera: Camera { position: DVec3::new(-1.5, 1.15, 2.6), target: DVec3::new(-0.1, 0.52, 0.0) },
        subject: None,
        ride: None,
        ground: Some(0.0),
        moves: true,
    }
}

impl Simulation for Tunnelling {
    fn step(&mut self, _: &Input, budget: &mut Budget) -> &StepReport {
        let begin = Instant::now();
        let used = budget.used();
        self.report = StepReport::default();
        self.state.steps += 1;
        let mut wanted = TIME_STEP / DURATION;
        while wanted > 0.0 && !self.state.stopped() && self.state.place < 1.0 {
            if self.state.allowed <= self.state.place {
                self.test(budget);
                if self.state.allowed <= self.state.place {
                    break;
                }
            }
            let advance = wanted.min(self.state.allowed - self.state.place);
            // The proven place is reached exactly, not up to rounding.
            self.state.place = if advance < wanted {
                self.state.allowed
            } else {
                (self.state.place + advance).min(self.state.allowed)
            };
            wanted -= advance;
        }
        if self.report.budget_cut && wanted > 0.0 {
            self.report.lost_time = wanted * DURATION;
        }
        self.report.phases.detect = begin.elapsed();
        self.report.position_error = self.overlap_now();
        self.report.contacts =
            usize::from(self.contact.is_some() && self.state.stopped()).max(self.pairs.len().min(1));
        self.report.work = budget.used() - used;
        &self.report
    }

    fn report(&self) -> &StepReport {
        &self.report
    }

    fn time(&self) -> f64 {
        self.state.steps as f64 * TIME_STEP
    }

    fn time_step(&self) -> f64 {
        TIME_STEP
    }

    fn reset(&mut self) {
        self.state = State { solver: self.state.solver, turn: self.values.of("turn"), ..START };
        self.path = path(self.state.turn);
        self.contact = None;
        self.report = StepReport::default();
    }

    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        frame.poses.extend([self.pose(), SHEET]);
        let seen = self.state.stopped() && frame.wanted.has(Overlay::Contacts);
        if let Some(contact) = self.contact.filter(|_| seen) {
            frame.overlays.push(OverlayItem {
                kind: OverlayKind::Contact,
                from: contact.on_b,
                to: contact.on_b + contact.normal,
                value: contact.gap,
            });
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn get(&self, key: &str) -> Option<f64> {
        self.values.get(key)
    }

    fn set(&mut self, key: &str, value: f64) -> Result<(), ParameterError> {
        self.values.set(key, value)
    }

    fn solvers(&self) -> &'static [Solver] {
        SOLVERS
    }

    fn solver(&self) -> &'static str {
        SOLVERS[usize::from(self.state.solver)].name
    }

    /// The run begins anew: a plate that is in the sheet has nothing more to prove.
    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver> {
        self.state.solver = UnknownSolver::position(SOLVERS, name)? as u8;
        self.reset();
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        saved::write(NAME, &self.values, &self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let (values, state): (Values, State) = saved::read(NAME, PARAMETERS, bytes)?;
        let sound = usize::from(state.solver) < SOLVERS.len()
            && (0.0..=1.0).contains(&state.place)
            && (0.0..=1.0).contains(&state.allowed)
            && (PARAMETERS[1].min..=PARAMETERS[1].max).contains(&state.turn);
        if !sound {
            let culprit = "the solver, the place on the path, or the turn".to_owned();
            return Err(RestoreError::Impossible { scene: NAME, culprit });
        }
        self.path = path(state.turn);
        self.values = values;
        self.state = state;
        self.contact = None;
        self.report = StepReport::default();
        Ok(())
    }

    fn hash(&self) -> u64 {
        StateHash::new().pose(&self.pose()).finish()
    }

    fn overlays(&self) -> &'static [Overlay] {
        &[Overlay::Contacts]
    }

    /// The certified plate never overlaps the sheet, not even by rounding.
    fn tolerances(&self) -> Option<Tolerances> {
        (self.state.solver == 0).then_some(Tolerances { position: 0.0, velocity: 0.0 })
    }

    fn is_finite(&self) -> bool {
        self.state.place.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs to the end and tells the deepest overlap on the way, and where the plate came to.
    fn run(solver: &str, poses: f64, turn: f64) -> (f64, f64) {
        let mut scene = Tunnelling::new();
        scene.set("poses", poses).unwrap();
        scene.set("turn", turn).unwrap();
        scene.select_solver(solver).unwrap();
        let mut deepest: f64 = 0.0;
        for _ in 0..(DURATION / TIME_STEP) as usize + 10 {
            deepest = deepest.max(scene.step(&Input::default(), &mut Budget::unlimited()).position_error);
        }
        (deepest, scene.pose().translation.x)
    }

    /// The finding of Eckstein 1998: static tests call a path free on which the part passes through a wall.
    #[test]
    fn pose_by_pose_the_plate_passes_through_the_sheet() {
        let (deepest, end) = run("static", 8.0, 0.5);
        assert!(deepest > 1e-3, "the plate was {deepest} m in the sheet");
        assert!((end - HALF_WAY).abs() < 1e-9, "it went on to {end}");
    }

    #[test]
    fn with_fine_steps_the_static_test_sees_the_sheet_too_late() {
        let (deepest, end) = run("static", 60.0, 0.5);
        assert!(deepest > 1e-4 && end < 0.05, "{deepest}, {end}");
    }

    /// The plate's front is 30 mm before its middle, the sheet's face 2 mm: it stops with what the guard keeps.
    #[test]
    fn the_certified_plate_stops_before_the_sheet_whatever_the_step() {
        for (poses, turn) in [(2.0, 0.0), (2.0, 0.5), (8.0, -6.0), (100.0, 3.0)] {
            let (deepest, end) = run("certified", poses, turn);
            assert_eq!(deepest, 0.0, "{poses} poses, turn {turn}");
            assert!(end < -0.032 && end > -0.0321, "{poses} poses, turn {turn}: stopped at {end}");
        }
    }

    #[test]
    fn a_budget_of_nothing_moves_nothing_and_says_so() {
        let mut scene = Tunnelling::new();
        let report = scene.step(&Input::default(), &mut Budget::of_work(0));
        assert!(report.budget_cut && report.lost_time > 0.0);
        assert_eq!(scene.state.place, 0.0);
    }

    /// Also after a change that counts from the next reset on only.
    #[test]
    fn a_restored_run_goes_on_with_the_same_bits() {
        let mut original = Tunnelling::new();
        original.set("turn", 3.0).unwrap();
        for _ in 0..60 {
            original.step(&Input::default(), &mut Budget::unlimited());
        }
        let mut restored = Tunnelling::new();
        restored.restore(&original.save()).unwrap();
        for _ in 0..60 {
            original.step(&Input::default(), &mut Budget::unlimited());
            restored.step(&Input::default(), &mut Budget::unlimited());
        }
        assert_eq!(restored.hash(), original.hash());
        assert!(restored.restore(&[1, 2, 3]).is_err());
    }

    #[test]
    fn boxes_can_be_shown_level_by_level() {
        let scene = Tunnelling::new();
        let count = |name: &str| scene.assets.lines.iter().find(|l| l.name == name).map(|l| l.segments.len());
        assert_eq!(count("Plate: boxes of level 0"), Some(12));
        assert!(count("Plate: boxes of level 1") > Some(12));
    }
}

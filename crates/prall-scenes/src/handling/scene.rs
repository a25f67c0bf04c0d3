//! [`HandlingScene`]: a part that a hand moves among obstacles, as a simulation.

use super::{HandlingDefinition, Setting};
use crate::parameter::Values;
use crate::saved;
use crate::{
    Assets, BodyAsset, BodyMark, Frame, Grip, Input, LineRole, Look, Overlay, OverlayItem, OverlayKind,
    OverlayLabel, Parameter, ParameterError, Pattern, RestoreError, ShapeAsset, Simulation, Solver,
    Tolerances, TriangleAsset, UnknownSolver,
};
use glam::DVec3;
use prall_detection::{BuildOptions, Hierarchy, Workspace, overlap};
use prall_geometry::{Ray, Shape};
use prall_handling::{Command, Friction, HandlingState, Held, Obstacle};
use prall_math::Pose;
use prall_mechanics::{Budget, StateHash, StepReport};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// Length of a step in s, and intervals of the filter in it.
const TIME_STEP: f64 = 1.0 / 60.0;
const INTERVALS: usize = 6;
/// A ghost nearer than this to its part, in m, is not drawn.
const GHOST: f64 = 2e-3;

static SOLVERS: &[Solver] = &[
    Solver {
        name: "filter",
        title: "Contact filter",
        promise: "The nearest admissible motion, proven free before it is carried out",
        source: "Buck 1999, Goldfarb and Idnani 1983",
    },
    Solver {
        name: "freeze",
        title: "Freeze",
        promise: "Stays at the last free pose while the hand is where the part would overlap",
        source: "Common practice",
    },
    Solver {
        name: "warn",
        title: "Warning only",
        promise: "Goes where the hand goes and says when it overlaps",
        source: "Common practice",
    },
];

/// Who holds the part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Holder {
    /// The scene's own hand.
    Script,
    /// A person: the gripped point in the part's frame, and how the part was turned then.
    Person { point: DVec3, turned: Pose },
    /// Nobody: it stays where it was left.
    Nobody,
}

/// Everything that decides how the scene goes on, but for the part and its obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    solver: u8,
    steps: u64,
    holder: Holder,
    /// Where the part is drawn; with the filter that is where it is held.
    pose: Pose,
    /// Where the hand wants it.
    goal: Pose,
    /// It overlaps something: never with the filter.
    overlaps: bool,
}

/// A part that a hand moves among obstacles.
pub(crate) struct HandlingScene {
    definition: &'static HandlingDefinition,
    values: Values,
    state: State,
    held: Held,
    part: Shape,
    trees: Vec<Hierarchy>,
    assets: Assets,
    workspace: Workspace,
    report: StepReport,
}

impl HandlingScene {
    pub(crate) fn new(definition: &'static HandlingDefinition) -> HandlingScene {
        let values = Values::defaults(definition.parameters);
        HandlingScene::with(definition, values, 0)
    }

    fn with(definition: &'static HandlingDefinition, values: Values, solver: u8) -> HandlingScene {
        let setting = (definition.set)(&values);
        let obstacles = setting.obstacles.iter().map(|scenery| {
            Obstacle::new(scenery.name, &scenery.shape, scenery.pose).expect("scenery can be touched")
        });
        let held = Held::new(&setting.part, setting.start, obstacles.collect(), setting.options)
            .expect("parts are free at the start");
        let shapes =
            std::iter::once(&setting.part).chain(setting.obstacles.iter().map(|scenery| &scenery.shape));
        let state = State {
            solver,
            steps: 0,
            holder: Holder::Script,
            pose: setting.start,
            goal: setting.start,
            overlaps: false,
        };
        HandlingScene {
            trees: shapes.map(tree).collect(),
            assets: assets(&setting),
            definition,
            values,
            state,
            held,
            part: setting.part,
            workspace: Workspace::new(),
            report: StepReport::default(),
        }
    }

    fn filters(&self) -> bool {
        self.state.solver == 0
    }

    /// Where the hand wants the part; none while nobody holds it.
    fn goal(&self, input: &Input, time: f64) -> Option<Pose> {
        match self.state.holder {
            Holder::Script => Some((self.definition.script)(&self.values, time)),
            Holder::Person { point, turned } => {
                let hand = input.hand?;
                let rotation = (hand.rotation * turned.rotation).normalize();
                Some(Pose::new(rotation, hand.translation - rotation * point))
            }
            Holder::Nobody => None,
        }
    }

    /// Does the part overlap an obstacle in this pose, by exact tests of triangles?
    fn overlaps(&mut self, pose: &Pose) -> bool {
        let [part, obstacles @ ..] = self.trees.as_slice() else { return false };
        obstacles.iter().zip(self.held.obstacles()).any(|(tree, obstacle)| {
            // Nothing is known of a pose that is none.
            !matches!(overlap(part, pose, tree, obstacle.pose(), &mut self.workspace), Ok(None))
        })
    }

    fn follow(&mut self, goal: Option<Pose>, dt: f64, budget: &mut Budget) {
        if self.filters() {
            let command = goal.map(Command::Pose);
            // A hand whose place is no place moves nothing.
            match self.held.step(command.as_ref(), dt, budget) {
                Ok(report) => {
                    self.report.contacts = report.contacts.len();
                    self.report.sweeps += report.swept;
                    self.report.lost_time += (1.0 - report.done) * dt;
                }
                Err(_) => self.report.lost_time += dt,
            }
            self.state.pose = *self.held.pose();
            return;
        }
        let Some(goal) = goal.filter(Pose::is_valid) else { return };
        let overlaps = self.overlaps(&goal);
        if !overlaps || self.state.solver == 2 {
            self.state.pose = goal;
        }
        self.state.overlaps = overlaps;
    }

    fn label(&self) -> Option<String> {
        if !self.filters() {
            let words = if self.state.solver == 2 { "overlaps" } else { "stopped at the last free pose" };
            return self.state.overlaps.then(|| words.to_owned());
        }
        let report = self.held.report();
        let force = report.pull.force.length();
        report.jam.map(|jam| format!("{} · {force:.0} N", jam.reason.sentence()))
    }
}

fn tree(shape: &Shape) -> Hierarchy {
    let Shape::TriangleMesh(mesh) = shape else { unreachable!("definitions are made of meshes") };
    Hierarchy::of_mesh(mesh.mesh(), &BuildOptions::default()).expect("generated meshes have triangles")
}

fn asset(shape: &Shape) -> ShapeAsset {
    let Shape::TriangleMesh(mesh) = shape else { unreachable!("definitions are made of meshes") };
    let mesh = mesh.mesh();
    ShapeAsset::Mesh(Arc::new(TriangleAsset {
        positions: mesh.positions().iter().map(|p| p.as_vec3().to_array()).collect(),
        triangles: mesh.triangles().to_vec(),
    }))
}

fn assets(setting: &Setting) -> Assets {
    let look =
        |color, opacity| Look { color, roughness: 0.55, metallic: 0.0, opacity, pattern: Pattern::Plain };
    let mut assets = Assets {
        shapes: vec![asset(&setting.part)],
        looks: vec![look("#0a6b75", 1.0), look("#0a6b75", 0.22)],
        bodies: vec![
            BodyAsset { name: "part".to_owned(), shape: 0, look: 0, movable: true },
            BodyAsset { name: "where the hand wants it".to_owned(), shape: 0, look: 1, movable: false },
        ],
        lines: Vec::new(),
        camera: setting.camera,
        subject: None,
        ride: None,
        ground: setting.ground,
        moves: true,
    };
    for scenery in &setting.obstacles {
        let (shape, look_index) = (assets.shapes.len(), assets.looks.len());
        assets.shapes.push(asset(&scenery.shape));
        assets.looks.push(look(scenery.color, scenery.opacity));
        assets.bodies.push(BodyAsset {
            name: scenery.name.to_owned(),
            shape,
            look: look_index,
            movable: false,
        });
    }
    assets
}

impl Simulation for HandlingScene {
    fn step(&mut self, input: &Input, budget: &mut Budget) -> &StepReport {
        let (begin, used) = (Instant::now(), budget.used());
        self.report = StepReport::default();
        let friction = self.values.of("friction");
        // Declared ranges are allowed.
        let _ = self.held.set_friction(Friction::of(friction));
        let dt = TIME_STEP / INTERVALS as f64;
        for interval in 1..=INTERVALS {
            let goal = self.goal(input, self.time() + interval as f64 * dt);
            self.state.goal = goal.unwrap_or(self.state.pose);
            self.follow(goal, dt, budget);
        }
        self.state.steps += 1;
        self.report.budget_cut = budget.exhausted();
        self.report.work = budget.used() - used;
        self.report.phases.solve = begin.elapsed();
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
        *self = HandlingScene::with(self.definition, self.values.clone(), self.state.solver);
    }

    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        frame.poses.extend([self.state.pose, self.state.goal]);
        frame.poses.extend(self.held.obstacles().iter().map(|obstacle| *obstacle.pose()));
        let (pose, goal) = (&self.state.pose, &self.state.goal);
        let reference = self.held.reference();
        let (here, there) = (pose.transform_point(reference), goal.transform_point(reference));
        let turned = pose.rotation.angle_between(goal.rotation);
        if here.distance(there) < GHOST && turned < 0.02 {
            frame.marks.push(BodyMark { body: 1, hidden: true, pinned: false });
        }
        if let Holder::Person { point, .. } = self.state.holder {
            let value = self.held.report().pull.force.length();
            let (from, to) = (pose.transform_point(point), goal.transform_point(point));
            frame.overlays.push(OverlayItem { kind: OverlayKind::Grip, from, to, value });
        }
        let wanted = frame.wanted;
        if self.filters() {
            for contact in &self.held.report().contacts {
                let mut show = |overlay, kind, along: DVec3, value: f64| {
                    if wanted.has(overlay) {
                        let (from, to) = (contact.point, contact.point + along);
                        frame.overlays.push(OverlayItem { kind, from, to, value });
                    }
                };
                show(Overlay::Contacts, OverlayKind::Contact, contact.normal, contact.gap);
                show(Overlay::Normals, OverlayKind::Normal, contact.normal, contact.gap);
                let force = contact.impulse * (INTERVALS as f64 / TIME_STEP);
                let value = force.length();
                if value > 0.0 {
                    show(Overlay::Forces, OverlayKind::Force, force / value, value);
                }
            }
        }
        if wanted.has(Overlay::Labels) {
            let line = |from, to| OverlayItem {
                kind: OverlayKind::Line,
                from,
                to,
                value: f64::from(LineRole::Accent as u8),
            };
            if here.distance(there) >= GHOST {
                frame.overlays.push(line(here, there));
            }
            let text = self.label();
            frame.labels.extend(text.map(|text| OverlayLabel { at: here, text }));
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        self.definition.parameters
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

    /// A part that overlaps something goes back to where the filter last held it.
    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver> {
        self.state.solver = UnknownSolver::position(SOLVERS, name)? as u8;
        if self.filters() {
            let _ = self.held.set_pose(self.state.pose);
            self.state.pose = *self.held.pose();
            self.state.overlaps = false;
        }
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        saved::write(self.definition.name, &self.values, &(self.state, self.held.state()))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let scene = self.definition.name;
        let (values, (state, held)): (Values, (State, HandlingState)) =
            saved::read(scene, self.definition.parameters, bytes)?;
        let impossible = |culprit: String| RestoreError::Impossible { scene, culprit };
        if usize::from(state.solver) >= SOLVERS.len() || !state.pose.is_valid() || !state.goal.is_valid() {
            return Err(impossible("the solver, the pose or the goal".to_owned()));
        }
        let mut restored = HandlingScene::with(self.definition, values, state.solver);
        restored.held.restore(&held).map_err(|error| impossible(error.to_string()))?;
        restored.state = state;
        *self = restored;
        Ok(())
    }

    fn hash(&self) -> u64 {
        StateHash::new().pose(&self.state.pose).finish()
    }

    fn grab(&mut self, ray: &Ray) -> Option<Grip> {
        // Beyond a kilometre nobody points at anything.
        let local = ray.into_frame_of(&self.state.pose);
        let hit = self.part.ray_cast(&local, 1e3)?;
        self.state.holder = Holder::Person { point: hit.point, turned: self.state.pose };
        Some(Grip { body: 0, point: hit.point })
    }

    fn release(&mut self) {
        if let Holder::Person { .. } = self.state.holder {
            self.state.holder = Holder::Nobody;
        }
    }

    fn overlays(&self) -> &'static [Overlay] {
        &[Overlay::Contacts, Overlay::Normals, Overlay::Forces, Overlay::Labels]
    }

    /// The filter lets nothing overlap, not even by rounding.
    fn tolerances(&self) -> Option<Tolerances> {
        self.filters().then_some(Tolerances { position: 0.0, velocity: 0.0 })
    }

    fn is_finite(&self) -> bool {
        self.state.pose.is_valid()
    }
}

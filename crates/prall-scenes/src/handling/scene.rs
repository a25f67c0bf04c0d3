//! [`HandlingScene`]: parts that a hand moves among obstacles, as a simulation.

use super::advice::Adviser;
use super::clearance::{self, Placed};
use super::script::Script;
use super::view::{self, View};
use super::{HandlingDefinition, Setting};
use crate::parameter::Values;
use crate::saved;
use crate::{
    Assets, Channel, Frame, Grip, HandledStep, Input, LedStep, Overlay, Parameter, ParameterError,
    RestoreError, Simulation, Solver, Tolerances, UnknownSolver,
};
use glam::DVec3;
use prall_detection::{BuildOptions, Filter, Hierarchy, Workspace, overlap};
use prall_geometry::{Ray, Shape};
use prall_handling::haptics::Constraints;
use prall_handling::{Command, Friction, HandlingError, HandlingReport, HandlingState, Held, Obstacle};
use prall_math::Pose;
use prall_mechanics::audit::{AuditBody, AuditReport, Auditor};
use prall_mechanics::{Budget, StateHash, StepReport};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// Length of a step in s, and intervals of the filter in it.
pub(super) const TIME_STEP: f64 = 1.0 / 60.0;
pub(super) const INTERVALS: usize = 6;

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
    Solver {
        name: "off",
        title: "Off",
        promise: "Goes where the hand goes, through everything, and says nothing",
        source: "Common practice",
    },
];
/// Numbers of the methods above.
const FILTER: u8 = 0;
const WARN: u8 = 2;
const OFF: u8 = 3;

/// Where a scene comes from.
#[derive(Clone)]
pub(super) enum Task {
    /// The gallery.
    Gallery(&'static HandlingDefinition),
    /// An assembly of one's own; nobody plays.
    Own(Arc<Setting>),
}

static OWN_PARAMETERS: &[Parameter] = &[super::definitions::FRICTION];

impl Task {
    fn name(&self) -> &'static str {
        match self {
            Task::Gallery(definition) => definition.name,
            Task::Own(_) => "handle",
        }
    }

    /// Parameters of an assembly of one's own.
    pub(super) fn own_parameters() -> &'static [Parameter] {
        OWN_PARAMETERS
    }

    fn parameters(&self) -> &'static [Parameter] {
        match self {
            Task::Gallery(definition) => definition.parameters,
            Task::Own(_) => OWN_PARAMETERS,
        }
    }

    fn set(&self, values: &Values) -> (Setting, Script) {
        match self {
            Task::Gallery(definition) => ((definition.set)(values), (definition.script)(values)),
            Task::Own(setting) => (Setting::clone(setting), Script::Nobody),
        }
    }
}

/// Who holds the part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Holder {
    /// The scene's own hand.
    Script,
    /// A person: the gripped point in the part's frame, and how the part was turned then.
    Person { point: DVec3, turned: Pose },
    /// Nobody: it stays where it was left.
    Nobody,
}

/// Everything that decides how the scene goes on, but for what the filter knows of the part in hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    solver: u8,
    pub(super) steps: u64,
    pub(super) holder: Holder,
    /// The part that is in hand, or was last.
    pub(super) part: usize,
    /// Where the parts are drawn; with the filter that is where they are held.
    pub(super) poses: Vec<Pose>,
    /// Where the hand wants the part.
    pub(super) goal: Pose,
    /// It overlaps something: never with the filter.
    overlaps: bool,
}

/// Parts that a hand moves among obstacles.
pub(crate) struct HandlingScene {
    task: Task,
    /// Where the parts were before the last step.
    pub(super) before: Vec<Pose>,
    values: Values,
    /// What parts and obstacles were made with.
    set_with: Values,
    pub(super) setting: Setting,
    script: Script,
    pub(super) state: State,
    /// Each part in hand, among the scenery and the other parts in their order.
    pub(super) held: Vec<Held>,
    /// Parts, then scenery.
    trees: Vec<Hierarchy>,
    adviser: Adviser,
    assets: Assets,
    workspace: Workspace,
    pub(super) report: StepReport,
    pub(super) handled: HandledStep,
    /// Obstacles that were touched in the last interval, and what new ones were struck with in the last step, in N s: for the ear.
    touched: Vec<usize>,
    struck: f64,
    /// Clock time of an interval in the last step, in s.
    interval_time: f64,
}

impl HandlingScene {
    pub(crate) fn new(definition: &'static HandlingDefinition) -> HandlingScene {
        let values = Values::defaults(definition.parameters);
        HandlingScene::with(Task::Gallery(definition), values, FILTER).expect("parts are free at the start")
    }

    pub(super) fn with(task: Task, values: Values, solver: u8) -> Result<HandlingScene, HandlingError> {
        let (setting, script) = task.set(&values);
        let mut obstacles = Vec::new();
        for scenery in &setting.obstacles {
            obstacles.push(Obstacle::new(&scenery.name, &scenery.shape, scenery.pose)?);
        }
        for part in &setting.parts {
            obstacles.push(Obstacle::new(&part.name, &part.shape, part.start)?);
        }
        let mut held = Vec::new();
        for (index, part) in setting.parts.iter().enumerate() {
            let mut others = obstacles.clone();
            others.remove(setting.obstacles.len() + index);
            held.push(Held::new(&part.shape, part.start, others, setting.options)?);
        }
        let shapes = setting.parts.iter().map(|part| &part.shape);
        let trees = shapes.chain(setting.obstacles.iter().map(|scenery| &scenery.shape)).map(tree).collect();
        Ok(HandlingScene {
            trees,
            before: setting.parts.iter().map(|part| part.start).collect(),
            assets: view::assets(&setting),
            state: start(&setting, &script, solver),
            adviser: Adviser::default(),
            set_with: values.clone(),
            task,
            values,
            setting,
            script,
            held,
            workspace: Workspace::new(),
            report: StepReport::default(),
            handled: HandledStep::default(),
            touched: Vec::new(),
            struck: 0.0,
            interval_time: 0.0,
        })
    }

    fn filters(&self) -> bool {
        self.state.solver == FILTER
    }

    fn pose(&self) -> Pose {
        self.state.poses[self.state.part]
    }

    /// Takes another part in hand: for it the others stand where they are now.
    pub(super) fn take(&mut self, part: usize) {
        if part != self.state.part {
            self.state.part = part;
            self.state.goal = self.state.poses[part];
            self.place(part);
            self.adviser.forget();
        }
    }

    /// Tells a part in hand where it and the others are.
    pub(super) fn place(&mut self, part: usize) {
        let scenery = self.setting.obstacles.len();
        let others: Vec<Pose> = self
            .state
            .poses
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != part)
            .map(|(_, pose)| *pose)
            .collect();
        let held = &mut self.held[part];
        for (index, pose) in others.into_iter().enumerate() {
            // Without the filter parts may have been left overlapping; then the part stays where it was last free.
            let _ = held.set_obstacle_pose(scenery + index, pose);
        }
        let _ = held.set_pose(self.state.poses[part]);
        self.state.poses[part] = *held.pose();
    }

    /// Where the hand wants which part; none while nobody holds one.
    fn goal(&self, input: &Input, time: f64) -> Option<(usize, Pose)> {
        match self.state.holder {
            Holder::Script => self.script.at(time),
            Holder::Person { point, turned } => {
                let hand = input.hand?;
                let rotation = (hand.rotation * turned.rotation).normalize();
                Some((self.state.part, Pose::new(rotation, hand.translation - rotation * point)))
            }
            Holder::Nobody => None,
        }
    }

    /// Does the part overlap anything in this pose, by exact tests of triangles?
    fn overlaps(&mut self, pose: &Pose) -> bool {
        let parts = self.state.poses.iter().copied();
        let poses: Vec<Pose> =
            parts.chain(self.setting.obstacles.iter().map(|scenery| scenery.pose)).collect();
        let part = self.state.part;
        let (trees, workspace) = (&self.trees, &mut self.workspace);
        poses.iter().enumerate().filter(|(index, _)| *index != part).any(|(index, other)| {
            // Nothing is known of a pose that is none.
            !matches!(overlap(&trees[part], pose, &trees[index], other, workspace), Ok(None))
        })
    }

    fn draw_clearance(&self, frame: &mut Frame) {
        let parts = self.setting.parts.iter().zip(&self.state.poses);
        let parts = parts.map(|(part, pose)| (&part.name, &part.shape, *pose));
        let scenery = self.setting.obstacles.iter();
        let scenery = scenery.map(|scenery| (&scenery.name, &scenery.shape, scenery.pose));
        let mut around: Vec<Placed> = parts
            .chain(scenery)
            .zip(&self.trees)
            .map(|((name, shape, pose), tree)| Placed { name, shape, tree, pose })
            .collect();
        let part = around.remove(self.state.part);
        clearance::draw(frame, &part, &around, self.held[self.state.part].gyration());
    }

    fn follow(&mut self, goal: Option<Pose>, dt: f64, budget: &mut Budget) {
        let part = self.state.part;
        if self.filters() {
            let command = goal.map(Command::Pose);
            // A hand whose place is no place moves nothing.
            match self.held[part].step(command.as_ref(), dt, budget) {
                Ok(report) => {
                    self.report.contacts = report.contacts.len();
                    self.report.sweeps += report.swept;
                    self.report.lost_time += (1.0 - report.done) * dt;
                    self.handled.way.extend(report.way.iter().skip(1));
                    self.handled.gap = self.handled.gap.min(report.smallest_gap);
                    let wrench = report.wrench;
                    let factor = goal.map_or(1.0, |goal| view::pull_factor(&self.held[part], &goal));
                    self.handled.wrench = wrench * factor;
                    self.handled.force = self.handled.force.max(self.handled.wrench.force.length());
                    self.handled.constraints = Constraints::of(&self.held[part]);
                    let report = self.held[part].report();
                    self.struck += factor * strike(report, &self.touched);
                    self.touched.clear();
                    self.touched.extend(report.contacts.iter().map(|contact| contact.obstacle));
                }
                Err(_) => self.report.lost_time += dt,
            }
            self.state.poses[part] = *self.held[part].pose();
            return;
        }
        let Some(goal) = goal.filter(Pose::is_valid) else { return };
        let overlaps = self.state.solver != OFF && self.overlaps(&goal);
        if !overlaps || self.state.solver == WARN {
            self.state.poses[part] = goal;
            self.handled.way.push(goal);
            self.handled.constraints = Constraints::new(goal, self.handled.reference, []);
        }
        self.state.overlaps = overlaps;
    }
}

/// What contacts with obstacles that were not touched before press with in an interval, in N s.
fn strike(report: &HandlingReport, touched: &[usize]) -> f64 {
    let new = report.contacts.iter().filter(|contact| !touched.contains(&contact.obstacle));
    new.map(|contact| contact.impulse.dot(contact.normal)).sum()
}

fn start(setting: &Setting, script: &Script, solver: u8) -> State {
    let poses: Vec<Pose> = setting.parts.iter().map(|part| part.start).collect();
    let (part, holder) = match script.at(0.0) {
        Some((part, _)) => (part, Holder::Script),
        None => (0, Holder::Nobody),
    };
    State { solver, steps: 0, holder, part, goal: poses[part], poses, overlaps: false }
}

fn tree(shape: &Shape) -> Hierarchy {
    let Shape::TriangleMesh(mesh) = shape else { unreachable!("definitions are made of meshes") };
    Hierarchy::of_mesh(mesh.mesh(), &BuildOptions::default()).expect("meshes have triangles")
}

impl Simulation for HandlingScene {
    fn step(&mut self, input: &Input, budget: &mut Budget) -> &StepReport {
        let (begin, used) = (Instant::now(), budget.used());
        (self.report, self.struck) = (StepReport::default(), 0.0);
        self.before.clone_from(&self.state.poses);
        let friction = Friction::of(self.values.of("friction"));
        let dt = TIME_STEP / INTERVALS as f64;
        for interval in 1..=INTERVALS {
            let wanted = self.goal(input, self.time() + interval as f64 * dt);
            if let Some((part, _)) = wanted {
                self.take(part);
            }
            if interval == 1 || self.state.part != self.handled.part {
                let reference = self.held[self.state.part].reference();
                self.handled.begin(self.state.part, reference, self.pose());
            }
            // Declared ranges are allowed.
            let _ = self.held[self.state.part].set_friction(friction);
            let goal = wanted.map(|(_, pose)| pose);
            self.state.goal = goal.unwrap_or(self.pose());
            self.follow(goal, dt, budget);
        }
        self.state.steps += 1;
        self.report.budget_cut = budget.exhausted();
        self.report.work = budget.used() - used;
        self.report.phases.solve = begin.elapsed();
        self.interval_time = begin.elapsed().as_secs_f64() / INTERVALS as f64;
        if self.filters() {
            let part = self.state.part;
            self.adviser.look(part, &self.setting.parts[part], &self.held[part], &self.state.goal);
        }
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
        if self.values != self.set_with {
            let again = HandlingScene::with(self.task.clone(), self.values.clone(), self.state.solver);
            *self = again.expect("parts are free at the start");
            return;
        }
        self.state = start(&self.setting, &self.script, self.state.solver);
        self.adviser.forget();
        (self.report, self.handled) = (StepReport::default(), HandledStep::default());
        self.place(self.state.part);
    }

    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn frame(&self, frame: &mut Frame) {
        let part = self.state.part;
        let held = &self.held[part];
        let gripped = match self.state.holder {
            Holder::Person { point, .. } => Some(point),
            Holder::Script | Holder::Nobody => None,
        };
        View {
            setting: &self.setting,
            poses: &self.state.poses,
            part,
            goal: &self.state.goal,
            gripped,
            held,
            filters: self.filters(),
            pull_factor: view::pull_factor(held, &self.state.goal),
            warning: match (self.state.overlaps, self.state.solver) {
                (false, _) => None,
                (true, WARN) => Some("overlaps"),
                (true, _) => Some("stopped at the last free pose"),
            },
            advice: self.adviser.advice(),
            interval_time: self.interval_time,
            struck: self.struck,
        }
        .draw(frame);
        if frame.wanted.has(Overlay::Clearance) {
            self.draw_clearance(frame);
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        self.task.parameters()
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
            self.place(self.state.part);
            self.state.overlaps = false;
        }
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        let held = self.held[self.state.part].state();
        saved::write(self.task.name(), &self.values, &(self.set_with.as_slice(), &self.state, held))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let scene = self.task.name();
        let (values, (set_with, state, held)): (Values, (Vec<f64>, State, HandlingState)) =
            saved::read(scene, self.task.parameters(), bytes)?;
        let impossible = |culprit: String| RestoreError::Impossible { scene, culprit };
        let set_with = Values::restored(self.task.parameters(), &set_with).map_err(impossible)?;
        let parts = self.setting.parts.len();
        let sound = usize::from(state.solver) < SOLVERS.len()
            && state.part < parts
            && state.poses.len() == parts
            && state.poses.iter().chain([&state.goal]).all(Pose::is_valid);
        if !sound {
            return Err(impossible("the solver, a pose or the goal".to_owned()));
        }
        let mut restored = HandlingScene::with(self.task.clone(), set_with, state.solver)
            .map_err(|error| impossible(error.to_string()))?;
        restored.values = values;
        restored.state = state;
        restored.place(restored.state.part);
        let part = restored.state.part;
        restored.held[part].restore(&held).map_err(|error| impossible(error.to_string()))?;
        if restored.filters() {
            restored.state.poses[part] = *restored.held[part].pose();
        }
        *self = restored;
        Ok(())
    }

    fn hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for pose in &self.state.poses {
            hash.pose(pose);
        }
        hash.finish()
    }

    fn grab(&mut self, ray: &Ray) -> Option<Grip> {
        let hits = self.setting.parts.iter().zip(&self.state.poses).enumerate();
        // Beyond a kilometre nobody points at anything.
        let hits = hits.filter_map(|(index, (part, pose))| {
            Some((index, part.shape.ray_cast(&ray.into_frame_of(pose), 1e3)?))
        });
        let (body, hit) = hits.min_by(|a, b| a.1.distance.total_cmp(&b.1.distance))?;
        self.take(body);
        self.state.holder = Holder::Person { point: hit.point, turned: self.pose() };
        Some(Grip { body, point: hit.point })
    }

    fn release(&mut self) {
        if let Holder::Person { .. } = self.state.holder {
            self.state.holder = Holder::Nobody;
            self.adviser.forget();
        }
    }

    fn overlays(&self) -> &'static [Overlay] {
        &[Overlay::Contacts, Overlay::Normals, Overlay::Forces, Overlay::Clearance, Overlay::Labels]
    }

    fn channels(&self) -> &'static [Channel] {
        view::CHANNELS
    }

    /// The filter lets nothing overlap, not even by rounding.
    fn tolerances(&self) -> Option<Tolerances> {
        self.filters().then_some(Tolerances { position: 0.0, velocity: 0.0 })
    }

    fn handled(&self) -> Option<&HandledStep> {
        Some(&self.handled)
    }

    fn held_pose(&self) -> Option<Pose> {
        Some(self.pose())
    }

    fn handled_shapes(&self) -> Vec<(String, Shape, Pose)> {
        let parts = self.setting.parts.iter().zip(&self.state.poses);
        let parts = parts.map(|(part, pose)| (part.name.clone(), part.shape.clone(), *pose));
        let scenery = self.setting.obstacles.iter();
        let scenery = scenery.map(|scenery| (scenery.name.clone(), scenery.shape.clone(), scenery.pose));
        parts.chain(scenery).collect()
    }

    fn led_step(&self) -> Option<LedStep> {
        Some(LedStep {
            before: self.before.clone(),
            part: self.handled.part,
            way: self.handled.way.clone(),
            after: self.state.poses.clone(),
        })
    }

    fn follow(&mut self, led: &LedStep, first: bool) -> Result<(), String> {
        self.follow_step(led, first)
    }

    fn audit(&self) -> Option<AuditReport> {
        let mut auditor = Auditor::new();
        let mut poses = Vec::new();
        for (index, (_, shape, pose)) in self.handled_shapes().into_iter().enumerate() {
            // Parts that nobody moves are judged when they are in hand.
            let movable = index == self.state.part;
            auditor.add_body(AuditBody { shape, movable, filter: Filter::default() });
            poses.push(pose);
        }
        auditor.audit(&poses).ok()
    }

    fn is_finite(&self) -> bool {
        self.state.poses.iter().all(Pose::is_valid)
    }
}

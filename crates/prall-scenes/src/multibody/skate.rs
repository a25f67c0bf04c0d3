//! Skates on an incline: friction that is small along the blade and large across it.

use crate::parameter::{Parameter, Scale, Values};
use crate::simulation::Solver;
use crate::{ActionError, ActionKind};
use crate::{
    Assets, BodyAsset, Camera, Energy, Extent, Frame, Grip, Input, Look, Overlay, OverlayItem, OverlayKind,
    ParameterError, Pattern, Property, RestoreError, ShapeAsset, Simulation, UnknownSolver, saved,
};
use glam::{DQuat, DVec2, DVec3};
use prall_geometry::{MassProperties, Ray, Shape};
use prall_math::Pose;
use prall_mechanics::{Budget, Mover, StateHash, StepReport};
use prall_multibody::{
    FrameSteps, FrictionSet, Mechanism, Model, Moreau, MoreauContact, MoreauOptions, Part, Tree,
};
use serde::{Deserialize, Serialize};
use std::time::Instant;

const NAME: &str = "skate";
const COUNT: usize = 5;
/// Half the sides of a skate's deck in m; the blades reach as far below it as it is thick.
const DECK: DVec3 = DVec3::new(0.45, 0.03, 0.16);
/// Half the length of a blade, and its distance from the middle, in m.
const BLADE: DVec2 = DVec2::new(0.35, 0.12);
/// Planes that bend the slope into the level, each as long as this in m.
const BEND: f64 = 1.5;
/// Way from the start to the bend in m.
const RUN: f64 = 22.0;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "slope",
        label: "Slope",
        unit: "°",
        min: 0.0,
        max: 30.0,
        default: 12.0,
        step: 0.5,
        scale: Scale::Linear,
        text: "From the next reset on",
    },
    Parameter {
        key: "along",
        label: "Friction along the blade",
        unit: "",
        min: 0.0,
        max: 0.5,
        default: 0.02,
        step: 0.005,
        scale: Scale::Linear,
        text: "Coulomb's coefficient while the skate slides straight ahead",
    },
    Parameter {
        key: "across",
        label: "Friction across the blade",
        unit: "",
        min: 0.01,
        max: 1.5,
        default: 0.5,
        step: 0.01,
        scale: Scale::Linear,
        text: "Coulomb's coefficient while it slides sideways",
    },
    Parameter {
        key: "heading",
        label: "Heading of the last skate",
        unit: "°",
        min: 0.0,
        max: 90.0,
        default: 80.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "Against the fall line; the others share out what is between. From the next reset on",
    },
];

const SOLVERS: &[Solver] = &[Solver {
    name: "moreau",
    title: "Moreau's time stepping",
    promise: "83 steps a frame; percussions by projection on the friction set, no event is looked for",
    source: "Moreau 1988, Rempfler 2015",
}];

/// What decides how the scene goes on.
#[derive(Serialize, Deserialize)]
struct State {
    frames: u64,
    mechanism: Vec<u8>,
    moreau: Moreau,
    held: bool,
}

/// Five skates on one slope.
pub(crate) struct Skate {
    values: Values,
    planes: Vec<(DVec3, DVec3)>,
    mechanism: Mechanism,
    moreau: Moreau,
    frames: u64,
    held: bool,
    deck: Shape,
    assets: Assets,
    scenery: Vec<Pose>,
    report: StepReport,
}

impl Skate {
    pub(crate) fn new() -> Skate {
        let values = Values::defaults(PARAMETERS);
        let (assets, scenery) = assets(&values);
        let (planes, mechanism) = start(&values);
        Skate {
            planes,
            mechanism,
            values,
            moreau: Moreau::default(),
            frames: 0,
            held: false,
            deck: Shape::cuboid(DECK).expect("a deck has sides"),
            assets,
            scenery,
            report: StepReport::default(),
        }
    }
}

/// Normal and a point of every plane, from the slope down to the level.
fn planes(slope: f64) -> Vec<(DVec3, DVec3)> {
    let mut point = DVec3::ZERO;
    let mut planes = vec![(DVec3::Y, point)];
    for part in 1..=3 {
        let turn = DQuat::from_rotation_z(-slope * f64::from(part) / 3.0);
        planes.push((turn * DVec3::Y, point));
        point -= turn * DVec3::X * BEND;
    }
    planes.reverse();
    planes
}

/// Way from the end of the slope up to the start, and its direction.
fn top(planes: &[(DVec3, DVec3)]) -> (DVec3, DVec3) {
    let (normal, foot) = planes[0];
    let down = DVec3::new(normal.y, -normal.x, 0.0);
    (foot - down * RUN, down)
}

fn start(values: &Values) -> (Vec<(DVec3, DVec3)>, Mechanism) {
    let slope = values.of("slope").to_radians();
    let planes = planes(slope);
    let (place, _) = top(&planes);
    let tilt = DQuat::from_rotation_z(-slope);
    let deck = Shape::cuboid(DECK).expect("a deck has sides");
    let mass: MassProperties = deck.mass_properties(700.0).expect("a deck has a volume");
    let mut model = Model::default();
    for number in 0..COUNT {
        let heading = values.of("heading").to_radians() * number as f64 / (COUNT - 1) as f64;
        let turn = tilt * DQuat::from_rotation_y(heading);
        let lane = DVec3::Z * (1.6 - 0.9 * number as f64);
        let pose = Pose::new(turn, place + lane + tilt * DVec3::Y * (2.0 * DECK.y));
        model.part(&format!("skate {}", number + 1), None, &Part::free(pose, mass));
    }
    (planes, model.build().expect("five floating bodies are a model"))
}

/// Ends of the blades against all planes.
fn find(planes: &[(DVec3, DVec3)], friction: DVec2) -> impl Fn(&Tree, &mut Vec<MoreauContact>) + '_ {
    move |tree, found| {
        for node in 0..tree.len() {
            let pose = tree.pose(node);
            let along = pose.transform_vector(DVec3::X);
            for (corner, (x, z)) in
                [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)].into_iter().enumerate()
            {
                let point = pose.transform_point(DVec3::new(x * BLADE.x, -2.0 * DECK.y, z * BLADE.y));
                for (number, &(normal, foot)) in planes.iter().enumerate() {
                    let gap = normal.dot(point - foot);
                    let Some(tangent) = (along - normal * normal.dot(along)).try_normalize() else {
                        continue;
                    };
                    found.push(MoreauContact {
                        id: ((node * 4 + corner) * 4 + number) as u64,
                        node,
                        point,
                        normal,
                        tangent,
                        gap,
                        restitution: [0.0, 0.0],
                        friction: FrictionSet::Ellipse { friction },
                    });
                }
            }
        }
    }
}

fn look(color: &'static str, roughness: f64, metallic: f64) -> Look {
    Look { color, roughness, metallic, opacity: 1.0, pattern: Pattern::Plain }
}

/// Decks and blades, then the slope; the poses of what stands still.
fn assets(values: &Values) -> (Assets, Vec<Pose>) {
    let mut bodies = Vec::new();
    let body =
        |name: String, shape: usize, look: usize, movable: bool| BodyAsset { name, shape, look, movable };
    for number in 0..COUNT {
        bodies.push(body(format!("skate {}", number + 1), 0, number, true));
        for _ in 0..2 {
            bodies.push(body(format!("skate {}", number + 1), 1, COUNT, true));
        }
    }
    let planes = planes(values.of("slope").to_radians());
    let (mut shapes, mut scenery) = (
        vec![
            ShapeAsset::Box { half: DECK },
            ShapeAsset::Box { half: DVec3::new(BLADE.x, 0.5 * DECK.y, 0.008) },
        ],
        Vec::new(),
    );
    // A slab below every plane but the level, which the viewer draws.
    let lengths = [RUN + 2.0, BEND, BEND];
    for ((normal, foot), length) in planes.iter().zip(lengths) {
        let down = DVec3::new(normal.y, -normal.x, 0.0);
        let half = DVec3::new(0.5 * length, 0.05, 4.5);
        shapes.push(ShapeAsset::Box { half });
        bodies.push(body("ice".to_owned(), shapes.len() - 1, COUNT + 1, false));
        let turn = DQuat::from_rotation_arc(DVec3::Y, *normal);
        scenery.push(Pose::new(turn, *foot - down * (0.5 * length) - *normal * 0.05));
    }
    let looks = ["#0a6b75", "#4f7f87", "#d9a441", "#c0562f", "#7c5a8a"].map(|tone| look(tone, 0.6, 0.0));
    let mut looks = looks.to_vec();
    looks.push(look("#aab4bc", 0.25, 0.85));
    looks.push(look("#d7e6ec", 0.15, 0.0));
    let (place, down) = top(&planes);
    let middle = place + down * (0.55 * RUN);
    let assets = Assets {
        shapes,
        looks,
        bodies,
        lines: Vec::new(),
        camera: Camera { position: middle + DVec3::new(9.0, 7.0, 12.0), target: middle },
        subject: Some(Extent { low: DVec3::new(-25.2, 2.6, -4.8), high: DVec3::new(-15.8, 5.2, 2.2) }),
        ride: None,
        ground: Some(0.0),
        moves: true,
    };
    (assets, scenery)
}

impl Simulation for Skate {
    fn step(&mut self, input: &Input, budget: &mut Budget) -> &StepReport {
        let begin = Instant::now();
        budget.take();
        if let Some(hand) = input.hand.filter(|_| self.held) {
            self.mechanism.pull(hand.translation);
        }
        let friction = DVec2::new(self.values.of("along"), self.values.of("across"));
        let find = find(&self.planes, friction);
        let gravity = DVec3::Y * -9.81;
        let options = MoreauOptions::default();
        let frame = FrameSteps::default();
        let report = self.moreau.frame(&mut self.mechanism, frame, gravity, &options, |_, _| {}, &find);
        self.frames += 1;
        self.report = StepReport {
            contacts: report.closed,
            sweeps: report.sweeps as usize,
            position_error: report.deepest,
            work: u64::from(frame.steps),
            ..StepReport::default()
        };
        self.report.phases.solve = begin.elapsed();
        &self.report
    }

    fn report(&self) -> &StepReport {
        &self.report
    }

    fn time(&self) -> f64 {
        self.frames as f64 * self.time_step()
    }

    fn time_step(&self) -> f64 {
        FrameSteps::default().seconds
    }

    fn reset(&mut self) {
        (self.planes, self.mechanism) = start(&self.values);
        (self.assets, self.scenery) = assets(&self.values);
        self.moreau = Moreau::default();
        (self.frames, self.held) = (0, false);
        self.report = StepReport::default();
    }

    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        let tree = self.mechanism.tree();
        for node in 0..tree.len() {
            let pose = tree.pose(node);
            frame.poses.push(pose);
            for side in [-1.0, 1.0] {
                let blade = DVec3::new(0.0, -1.5 * DECK.y, side * BLADE.y);
                frame.poses.push(pose * Pose::from_translation(blade));
            }
        }
        frame.poses.extend(&self.scenery);
        self.draw(frame);
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
        SOLVERS[0].name
    }

    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver> {
        UnknownSolver::position(SOLVERS, name).map(|_| ())
    }

    fn save(&self) -> Vec<u8> {
        let state = State {
            frames: self.frames,
            mechanism: self.mechanism.save(),
            moreau: self.moreau.clone(),
            held: self.held,
        };
        // The slope under the skates may be older than its slider, so it is part of the state.
        saved::write(NAME, &self.values, &(self.planes[0].0, state))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let (values, (normal, state)): (Values, (DVec3, State)) = saved::read(NAME, PARAMETERS, bytes)?;
        let mut mechanism = start(&values).1;
        mechanism
            .restore(&state.mechanism)
            .map_err(|error| RestoreError::Unreadable { scene: NAME, reason: error.to_string() })?;
        if !(mechanism.is_finite() && normal.is_finite()) {
            return Err(RestoreError::Impossible { scene: NAME, culprit: "a skate's state".to_owned() });
        }
        self.planes = planes(libm::atan2(normal.x, normal.y));
        (self.mechanism, self.moreau) = (mechanism, state.moreau);
        (self.frames, self.held) = (state.frames, state.held);
        self.values = values;
        Ok(())
    }

    fn hash(&self) -> u64 {
        let mut hash = StateHash::new();
        self.mechanism.hash(&mut hash);
        hash.finish()
    }

    fn grab(&mut self, ray: &Ray) -> Option<Grip> {
        let tree = self.mechanism.tree();
        let hit = |node: usize| {
            let hit = self.deck.ray_cast(&ray.into_frame_of(&tree.pose(node)), f64::INFINITY)?;
            Some((hit.distance, node, hit.point))
        };
        let nearest = (0..tree.len()).filter_map(hit).min_by(|a, b| a.0.total_cmp(&b.0));
        let (_, node, point) = nearest?;
        self.mechanism.grab(node, point);
        self.held = true;
        Some(Grip { body: 3 * node, point })
    }

    fn release(&mut self) {
        self.mechanism.release();
        self.held = false;
    }

    fn actions(&self) -> &'static [ActionKind] {
        &[ActionKind::Properties]
    }

    fn body_properties(&self, body: usize) -> Result<Vec<Property>, ActionError> {
        let tree = self.mechanism.tree();
        let count = self.assets.bodies.len();
        if body >= count {
            return Err(ActionError::NoSuchBody { body, count });
        }
        if body >= 3 * tree.len() {
            return Err(ActionError::Refused("the ice is part of the scenery".to_owned()));
        }
        let twist = tree.twist(body / 3);
        Ok(vec![
            Property::number("Mass", tree.mass(body / 3), "kg"),
            Property::vector("Velocity", twist.linear, "m/s"),
            Property::vector("Angular velocity", twist.angular, "rad/s"),
        ])
    }

    fn overlays(&self) -> &'static [Overlay] {
        &[Overlay::Contacts, Overlay::Normals, Overlay::Forces, Overlay::Centres, Overlay::Velocities]
    }

    fn energy(&self) -> Energy {
        let (kinetic, potential) = self.mechanism.energy(DVec3::Y * -9.81);
        Energy { kinetic, potential }
    }

    fn is_finite(&self) -> bool {
        self.mechanism.is_finite()
    }
}

impl Skate {
    fn draw(&self, frame: &mut Frame) {
        let tree = self.mechanism.tree();
        if let Some((from, to)) = self.mechanism.hand() {
            frame.overlays.push(OverlayItem { kind: OverlayKind::Grip, from, to, value: from.distance(to) });
        }
        let mut contacts = Vec::new();
        find(&self.planes, DVec2::ONE)(tree, &mut contacts);
        let FrameSteps { seconds, steps } = FrameSteps::default();
        let h = seconds / f64::from(steps);
        for contact in contacts {
            let force = self.moreau.percussion(contact.id) / h;
            if !(force.x > 0.0) {
                continue;
            }
            let mut show = |overlay, kind, along: DVec3, value: f64| {
                if frame.wanted.has(overlay) {
                    let (from, to) = (contact.point, contact.point + along);
                    frame.overlays.push(OverlayItem { kind, from, to, value });
                }
            };
            show(Overlay::Contacts, OverlayKind::Contact, contact.normal, contact.gap);
            show(Overlay::Normals, OverlayKind::Normal, contact.normal, contact.gap);
            show(Overlay::Forces, OverlayKind::Force, contact.normal, force.x);
            let across = contact.tangent * force.y + contact.normal.cross(contact.tangent) * force.z;
            if let Some(direction) = across.try_normalize() {
                show(Overlay::Forces, OverlayKind::FrictionForce, direction, across.length());
            }
        }
        for node in 0..tree.len() {
            let (from, velocity) = (tree.pose(node).translation, tree.twist(node).linear);
            if frame.wanted.has(Overlay::Centres) {
                let value = tree.mass(node);
                frame.overlays.push(OverlayItem { kind: OverlayKind::CentreOfMass, from, to: from, value });
            }
            if frame.wanted.has(Overlay::Velocities) && velocity != DVec3::ZERO {
                let (to, value) = (from + velocity, velocity.length());
                frame.overlays.push(OverlayItem { kind: OverlayKind::Velocity, from, to, value });
            }
        }
    }
}

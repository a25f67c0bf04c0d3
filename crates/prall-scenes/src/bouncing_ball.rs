//! The first scene: a ball falls on the ground, bounces and comes to rest.

mod ball;
#[cfg(test)]
mod tests;

use crate::parameter::Values;
use crate::saved;
use crate::{
    ActionError, ActionKind, Assets, BodyAction, BodyAsset, Camera, Energy, Extent, Frame, Grip, Input, Look,
    Overlay, OverlayItem, OverlayKind, Parameter, ParameterError, Pattern, Property, Ray, RestoreError,
    Scale, ShapeAsset, Simulation, Solver, Tolerances, UnknownSolver,
};
use ball::{Ball, Load};
use glam::DVec3;
use prall_geometry::Sphere;
use prall_math::{Pose, Twist};
use prall_mechanics::{Body, Budget, ContactLaw, StateHash, StepReport};
use serde::{Deserialize, Serialize};
use std::time::Instant;

const NAME: &str = "bouncing-ball";

/// Radius of the ball in m: a basketball's.
const RADIUS: f64 = 0.12;

/// Length of a step in s.
const TIME_STEP: f64 = 1.0 / 240.0;

/// Frequency in Hz at which the ball would swing on the hand's spring: quick to follow, slow beside the step.
const HAND_FREQUENCY: f64 = 2.0;

/// Damping of that swing, and of turning in the hand, as a share of the critical one: it overshoots hardly visibly.
const HAND_DAMPING: f64 = 0.7;

/// What the event-driven solver promises: rounding of heights and speeds of some metres, with a factor for the number
/// of operations.
const ROUNDING: Tolerances = Tolerances { position: 1e-12, velocity: 1e-12 };

static SOLVERS: &[Solver] = &[
    Solver {
        name: "event",
        title: "Event-driven",
        promise: "Exact flight between impacts, no overlap, rest at the exact time",
        source: "Newton 1687",
    },
    Solver {
        name: "moreau",
        title: "Moreau time stepping",
        promise: "No events; impacts are late by up to a step, overlap shrinks with the step",
        source: "Moreau 1988",
    },
];

const fn parameter(key: &'static str, label: &'static str, unit: &'static str) -> Parameter {
    Parameter {
        key,
        label,
        unit,
        min: 0.0,
        max: 1.0,
        default: 0.0,
        step: 0.01,
        scale: Scale::Linear,
        text: "",
    }
}

static PARAMETERS: &[Parameter] = &[
    Parameter {
        default: 0.75,
        text: "Share of the speed that an impact leaves",
        ..parameter("restitution", "Restitution", "")
    },
    Parameter {
        default: 0.4,
        max: 2.0,
        text: "Friction force over normal force while sliding",
        ..parameter("friction", "Friction", "")
    },
    Parameter {
        default: 0.002,
        max: 0.05,
        step: 0.001,
        text: "Lever arm of the resistance to rolling",
        ..parameter("rolling", "Rolling resistance", "m")
    },
    Parameter {
        default: 9.81,
        max: 25.0,
        step: 0.01,
        text: "Acceleration of free fall",
        ..parameter("gravity", "Gravity", "m/s²")
    },
    Parameter {
        default: 0.6,
        min: 0.05,
        max: 50.0,
        step: 0.05,
        scale: Scale::Log,
        text: "Mass of the ball, from the next reset on",
        ..parameter("mass", "Mass", "kg")
    },
    Parameter {
        default: 1.0,
        max: 5.0,
        step: 0.05,
        text: "Height of the lowest point at the start, from the next reset on",
        ..parameter("height", "Drop height", "m")
    },
    Parameter {
        default: 0.0,
        min: -5.0,
        max: 5.0,
        step: 0.1,
        text: "Speed to the right at the start, from the next reset on",
        ..parameter("speed", "Sideways speed", "m/s")
    },
    Parameter {
        default: 0.0,
        min: -100.0,
        max: 100.0,
        step: 1.0,
        text: "Forward spin at the start, from the next reset on",
        ..parameter("spin", "Spin", "rad/s")
    },
];

/// Everything that decides how the run goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    solver: u8,
    steps: u64,
    ball: Ball,
    /// The gripped point in the ball's frame.
    grip: Option<DVec3>,
}

/// A ball over the ground, with two solvers.
pub struct BouncingBall {
    values: Values,
    state: State,
    shape: Sphere,
    assets: Assets,
    report: StepReport,
    hand: Option<DVec3>,
    /// Mean force of ground and hand over the last step, in N.
    ground_force: DVec3,
    hand_force: DVec3,
}

impl BouncingBall {
    /// The scene at its start.
    pub fn new() -> BouncingBall {
        let values = Values::defaults(PARAMETERS);
        let ball = start(&values);
        BouncingBall {
            values,
            state: State { solver: 0, steps: 0, ball, grip: None },
            shape: Sphere::new(RADIUS).expect("the radius is positive"),
            assets: assets(),
            report: StepReport::default(),
            hand: None,
            ground_force: DVec3::ZERO,
            hand_force: DVec3::ZERO,
        }
    }

    /// There is one body.
    fn check(&self, body: usize) -> Result<(), ActionError> {
        if body == 0 { Ok(()) } else { Err(ActionError::NoSuchBody { body, count: 1 }) }
    }

    /// Weight and the pull of the hand.
    fn load(&self) -> Load {
        let body = &self.state.ball.body;
        let weight = -body.mass() * self.values.of("gravity") * DVec3::Y;
        let Some((point, hand)) = self.state.grip.zip(self.hand) else {
            return Load { force: weight, moment: DVec3::ZERO };
        };
        let point = body.pose.transform_point(point);
        let pace = std::f64::consts::TAU * HAND_FREQUENCY;
        let damping = 2.0 * HAND_DAMPING * pace;
        let pull = body.mass() * (pace * pace * (hand - point) - damping * body.velocity_at(point));
        let hold = -damping * body.angular_momentum();
        Load { force: weight + pull, moment: (point - body.pose.translation).cross(pull) + hold }
    }
}

impl Default for BouncingBall {
    fn default() -> BouncingBall {
        BouncingBall::new()
    }
}

fn law(values: &Values) -> ContactLaw {
    ContactLaw::new(values.of("restitution"), values.of("friction"), values.of("rolling"))
        .expect("declared ranges lie within the law's")
}

fn start(values: &Values) -> Ball {
    let mut body = Body::ball(values.of("mass"), RADIUS).expect("declared masses are positive");
    body.pose = Pose::from_translation(DVec3::new(0.0, RADIUS + values.of("height"), 0.0));
    // Forward spin rolls to the right: about -z.
    body.velocity =
        Twist { linear: DVec3::X * values.of("speed"), angular: DVec3::NEG_Z * values.of("spin") };
    Ball { body, radius: RADIUS, law: law(values) }
}

fn assets() -> Assets {
    Assets {
        shapes: vec![ShapeAsset::Sphere { radius: RADIUS }],
        looks: vec![Look {
            color: "#0a6b75",
            roughness: 0.55,
            metallic: 0.0,
            opacity: 1.0,
            pattern: Pattern::BeachBall,
        }],
        bodies: vec![BodyAsset { name: "ball".to_owned(), shape: 0, look: 0, movable: true }],
        lines: Vec::new(),
        camera: Camera { position: DVec3::new(1.3, 1.1, 3.2), target: DVec3::new(0.0, 0.5, 0.0) },
        subject: Some(Extent { low: DVec3::new(-0.5, 0.0, -0.4), high: DVec3::new(0.5, 1.24, 0.4) }),
        ride: None,
        ground: Some(0.0),
        moves: true,
    }
}

impl Simulation for BouncingBall {
    fn step(&mut self, input: &Input, budget: &mut Budget) -> &StepReport {
        let begin = Instant::now();
        let used = budget.used();
        self.hand = input.hand.map(|pose| pose.translation).filter(|point| point.is_finite());
        let load = self.load();
        let ball = &mut self.state.ball;
        let weight = -ball.body.mass() * self.values.of("gravity") * DVec3::Y;
        let passage = if self.state.solver == 0 {
            ball.advance_by_events(TIME_STEP, &load, budget)
        } else {
            budget.take();
            ball.advance_by_time_stepping(TIME_STEP, &load)
        };
        self.state.steps += 1;
        self.hand_force = load.force - weight;
        self.ground_force = passage.percussion / TIME_STEP;
        let gap = ball.gap();
        self.report = StepReport {
            contacts: usize::from(passage.percussion != DVec3::ZERO),
            collisions: passage.collisions,
            sweeps: passage.sweeps,
            position_error: (-gap).max(0.0),
            velocity_error: passage.residual,
            work: budget.used() - used,
            lost_time: passage.lost_time,
            budget_cut: passage.lost_time > 0.0,
            ..StepReport::default()
        };
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
        self.state.ball = start(&self.values);
        self.state.steps = 0;
        self.release();
        self.report = StepReport::default();
        self.ground_force = DVec3::ZERO;
    }

    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        let ball = &self.state.ball;
        let centre = ball.body.pose.translation;
        frame.poses.push(ball.body.pose);
        if self.ground_force != DVec3::ZERO {
            let point = DVec3::new(centre.x, 0.0, centre.z);
            let force = self.ground_force.length();
            let mut show = |overlay, kind, along: DVec3, value| {
                if frame.wanted.has(overlay) {
                    frame.overlays.push(OverlayItem { kind, from: point, to: point + along, value });
                }
            };
            show(Overlay::Contacts, OverlayKind::Contact, DVec3::Y, ball.gap());
            show(Overlay::Normals, OverlayKind::Normal, DVec3::Y, ball.gap());
            show(Overlay::Forces, OverlayKind::Force, self.ground_force / force, force);
            show(Overlay::Friction, OverlayKind::FrictionCone, DVec3::Y, self.values.of("friction"));
        }
        if let Some((grip, hand)) = self.state.grip.zip(self.hand) {
            frame.overlays.push(OverlayItem {
                kind: OverlayKind::Grip,
                from: ball.body.pose.transform_point(grip),
                to: hand,
                value: self.hand_force.length(),
            });
        }
        if frame.wanted.has(Overlay::Centres) {
            frame.overlays.push(OverlayItem {
                kind: OverlayKind::CentreOfMass,
                from: centre,
                to: centre,
                value: ball.body.mass(),
            });
        }
        let velocity = ball.body.velocity.linear;
        if frame.wanted.has(Overlay::Velocities) && velocity != DVec3::ZERO {
            frame.overlays.push(OverlayItem {
                kind: OverlayKind::Velocity,
                from: centre,
                to: centre + velocity,
                value: velocity.length(),
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
        self.values.set(key, value)?;
        self.state.ball.law = law(&self.values);
        Ok(())
    }

    fn solvers(&self) -> &'static [Solver] {
        SOLVERS
    }

    fn solver(&self) -> &'static str {
        SOLVERS[usize::from(self.state.solver)].name
    }

    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver> {
        let index = UnknownSolver::position(SOLVERS, name)?;
        self.state.solver = index as u8;
        if index == 0 {
            // The event-driven solver starts from states without overlap only.
            self.state.ball.lift_out();
        }
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        saved::write(NAME, &self.values, &self.state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let impossible = |culprit: String| RestoreError::Impossible { scene: NAME, culprit };
        let (values, state): (Values, State) = saved::read(NAME, PARAMETERS, bytes)?;
        if usize::from(state.solver) >= SOLVERS.len() {
            return Err(impossible(format!("solver number {}", state.solver)));
        }
        if state.grip.is_some_and(|point| !point.is_finite()) {
            return Err(impossible("the gripped point".to_owned()));
        }
        if !state.ball.body.is_finite() {
            return Err(impossible("the ball's pose or velocity".to_owned()));
        }
        let mut body =
            Body::ball(state.ball.body.mass(), RADIUS).map_err(|error| impossible(error.to_string()))?;
        body.pose = state.ball.body.pose;
        body.velocity = state.ball.body.velocity;
        let ball = Ball { body, radius: RADIUS, law: law(&values) };
        self.values = values;
        self.state = State { ball, ..state };
        self.report = StepReport::default();
        self.hand = None;
        self.hand_force = DVec3::ZERO;
        self.ground_force = DVec3::ZERO;
        Ok(())
    }

    fn hash(&self) -> u64 {
        let body = &self.state.ball.body;
        StateHash::new().pose(&body.pose).twist(&body.velocity).finish()
    }

    fn grab(&mut self, ray: &Ray) -> Option<Grip> {
        let pose = self.state.ball.body.pose;
        let point = self.shape.ray_cast(&ray.into_frame_of(&pose), f64::INFINITY)?.point;
        self.state.grip = Some(point);
        self.hand = Some(pose.transform_point(point));
        Some(Grip { body: 0, point })
    }

    fn release(&mut self) {
        self.state.grip = None;
        self.hand = None;
        self.hand_force = DVec3::ZERO;
    }

    fn act(&mut self, body: usize, action: &BodyAction) -> Result<(), ActionError> {
        self.check(body)?;
        let BodyAction::Throw { velocity, spin } = *action else {
            return Err(ActionError::unsupported(action));
        };
        if !velocity.is_finite() || !spin.is_finite() {
            return Err(ActionError::Refused("velocity and spin must be finite numbers".to_owned()));
        }
        self.state.ball.body.velocity = Twist { linear: velocity, angular: spin };
        Ok(())
    }

    fn actions(&self) -> &'static [ActionKind] {
        &[ActionKind::Throw, ActionKind::Properties]
    }

    fn body_properties(&self, body: usize) -> Result<Vec<Property>, ActionError> {
        self.check(body)?;
        let Twist { linear, angular } = self.state.ball.body.velocity;
        Ok(vec![
            Property::number("Mass", self.state.ball.body.mass(), "kg"),
            Property::number("Radius", RADIUS, "m"),
            Property::vector("Velocity", linear, "m/s"),
            Property::vector("Spin", angular, "rad/s"),
            Property::number("Gap to the ground", self.state.ball.gap(), "m"),
        ])
    }

    fn overlays(&self) -> &'static [Overlay] {
        use Overlay::{Centres, Contacts, Forces, Friction, Normals, Velocities};
        &[Contacts, Normals, Forces, Friction, Centres, Velocities]
    }

    fn tolerances(&self) -> Option<Tolerances> {
        (self.state.solver == 0).then_some(ROUNDING)
    }

    fn energy(&self) -> Energy {
        let body = &self.state.ball.body;
        let potential = body.mass() * self.values.of("gravity") * self.state.ball.gap();
        Energy { kinetic: body.kinetic_energy(), potential }
    }

    fn is_finite(&self) -> bool {
        self.state.ball.body.is_finite()
    }
}

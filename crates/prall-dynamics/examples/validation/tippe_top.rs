//! A tippe top: a ball whose mass centre is below its middle, spun fast, turns over and stands on its head.

use glam::{DQuat, DVec3};
use prall_dynamics::BodyDefinition;
use prall_geometry::Shape;
use prall_math::{Pose, Twist};

use crate::{GRAVITY, Row, add_floor, massive, run, runge_kutta, surface, world};

const MASS: f64 = 0.1;
const RADIUS: f64 = 0.02;
/// The mass centre is this far below the middle, in m.
const BELOW: f64 = 0.004;
/// Moments of inertia across and along the axis; it turns over because `1 - BELOW / RADIUS < along / across < 1 + BELOW / RADIUS`.
const ACROSS: f64 = 1.6e-5;
const ALONG: f64 = 1.5e-5;
const FRICTION: f64 = 0.3;
const SPIN: f64 = 200.0;
const LEAN: f64 = 1.0;
const SECONDS: f64 = 1.0;

/// Rates of axis, angular velocity and level velocity of the mass centre, while the ball slides on the floor. With the arm `r` from the mass centre to the
/// floor, the force is `N f`, `f = up - mu t`, and `N` follows from the height of the mass centre, `RADIUS - BELOW e.y`.
fn rates(state: &[f64; 8]) -> [f64; 8] {
    let axis = DVec3::new(state[0], state[1], state[2]).normalize();
    let spin = DVec3::new(state[3], state[4], state[5]);
    let turning = spin.cross(axis);
    let arm = axis * BELOW - DVec3::Y * RADIUS;
    let velocity = DVec3::new(state[6], -BELOW * turning.y, state[7]);
    let slip = velocity + spin.cross(arm);
    let slip = DVec3::new(slip.x, 0.0, slip.z);
    // Below a tenth of a millimetre per second friction fades, as it has to change its side somewhere.
    let force = DVec3::Y - slip * (FRICTION / slip.length().max(1e-4));
    let solved = |moment: DVec3| {
        let along = axis * axis.dot(moment);
        (moment - along) / ACROSS + along / ALONG
    };
    let pushed = solved(arm.cross(force));
    let free = -solved(turning * ((ALONG - ACROSS) * axis.dot(spin)));
    let bending = free.cross(axis).y + spin.cross(turning).y;
    let normal = MASS * (GRAVITY - BELOW * bending) / (1.0 + MASS * BELOW * pushed.cross(axis).y);
    let spinning = pushed * normal + free;
    let pull = force * (normal / MASS);
    [turning.x, turning.y, turning.z, spinning.x, spinning.y, spinning.z, pull.x, pull.z]
}

/// The axis by the equations of motion after a second.
fn exact_axis() -> DVec3 {
    let (axis, spin) = (start(), start() * SPIN);
    let state = [axis.x, axis.y, axis.z, spin.x, spin.y, spin.z, 0.0, 0.0];
    let pieces = 200_000;
    let end = (0..pieces).fold(state, |state, _| runge_kutta(state, SECONDS / f64::from(pieces), rates));
    DVec3::new(end[0], end[1], end[2]).normalize()
}

fn start() -> DVec3 {
    DVec3::new(libm::sin(LEAN), libm::cos(LEAN), 0.0)
}

/// Axis, and the share by which Jellett's constant has changed: the angular momentum along the line from the mass centre to the floor, which no force
/// at the floor changes.
fn spun(step: f64) -> (DVec3, f64) {
    let mut world = world(step, GRAVITY);
    let rough = surface(FRICTION, 0.0);
    add_floor(&mut world, rough);
    let mut mass = massive(MASS, DVec3::new(ACROSS, ALONG, ACROSS));
    mass.center_of_mass = DVec3::Y * -BELOW;
    let ball = BodyDefinition::dynamic(Shape::sphere(RADIUS).expect("a ball"), 1.0);
    let ball = BodyDefinition { mass: Some(mass), ..ball };
    let pose = Pose::new(DQuat::from_rotation_arc(DVec3::Y, start()), DVec3::Y * RADIUS);
    let ball = world.add_body(&ball.in_pose(pose).made_of(rough)).expect("a ball");
    world.set_velocity(ball, Twist::new(DVec3::ZERO, start() * SPIN)).expect("it is there");
    let jellett = |axis: DVec3, spin: DVec3| {
        let momentum = spin * ACROSS + axis * ((ALONG - ACROSS) * axis.dot(spin));
        momentum.dot(axis * BELOW - DVec3::Y * RADIUS)
    };
    run(&mut world, SECONDS);
    let axis = world.pose(ball).expect("it is there").rotation * DVec3::Y;
    let spin = world.velocity(ball).expect("it is there").angular;
    (axis, jellett(axis, spin) / jellett(start(), start() * SPIN) - 1.0)
}

const STEPS: [f64; 4] = [1.0 / 240.0, 1.0 / 480.0, 1.0 / 960.0, 1.0 / 1920.0];

pub(crate) fn inverts() -> Row {
    let lean = |axis: DVec3| libm::acos(axis.y.clamp(-1.0, 1.0));
    let exact = lean(exact_axis());
    Row {
        what: "Tippe top, spun with 200 rad/s, mu 0.3",
        quantity: "angle of its axis to the vertical after 1 s, rad",
        expected: format!("{exact:.4} by its equations of motion"),
        errors: STEPS.map(|step| (step, lean(spun(step).0) - exact)).to_vec(),
        goal: 5e-2,
    }
}

pub(crate) fn jellett() -> Row {
    Row {
        what: "The same top",
        quantity: "Jellett's constant after 1 s, share",
        expected: "that at the start, whatever friction does".to_owned(),
        errors: STEPS.map(|step| (step, spun(step).1)).to_vec(),
        goal: 1e-2,
    }
}

//! Laws that hold whatever the machine: energy, power, and closed forms of sliding.

use glam::{DMat3, DQuat, DVec2, DVec3};
use prall_math::{Pose, Twist};
use prall_multibody::{
    Drag, Drive, ForceElement, FrictionSet, Joint, JointKind, Mechanism, Model, Moreau, MoreauContact,
    MoreauOptions, Spring, Tree,
};
use proptest::prelude::*;
use std::sync::Arc;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Two boxes on a ball joint, floating.
fn jointed_boxes(pose: Pose, twist: Twist) -> Mechanism {
    let mut model = Model::default();
    let inertia = DMat3::from_diagonal(DVec3::new(0.02, 0.03, 0.025));
    model.body("one", None, 2.0, inertia, Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY));
    let ball = Joint::new(
        JointKind::Ball,
        Pose::from_translation(DVec3::X * 0.2),
        Pose::from_translation(DVec3::X * -0.2),
    );
    model.body("other", Some("one"), 1.0, inertia, ball);
    let mut mechanism = model.build().unwrap();
    let offset = Pose::from_translation(DVec3::X * 0.4);
    mechanism.tree_mut().load(|node| if node == 0 { (pose, twist) } else { (pose * offset, twist) });
    mechanism.tree_mut().project_velocities();
    mechanism
}

fn corners(friction: f64, restitution: f64) -> impl Fn(&Tree, &mut Vec<MoreauContact>) {
    move |tree, found| {
        for id in 0..16_u64 {
            let sign = |bit: u64| if id >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let node = (id >> 3) as usize;
            let corner = DVec3::new(0.15 * sign(0), 0.1 * sign(1), 0.1 * sign(2));
            let point = tree.pose(node).transform_point(corner);
            found.push(MoreauContact {
                id,
                node,
                point,
                normal: DVec3::Y,
                tangent: DVec3::X,
                gap: point.y,
                restitution: [restitution, 0.0],
                friction: FrictionSet::Disc { friction },
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(11),
        ..ProptestConfig::default()
    })]

    /// Thrown jointed boxes hit the ground anyhow: no step gains energy beyond what the bias against sinking in may lend (4 mJ per
    /// impact of a body of a few kg) and the first-order error of free flight, and in the end it is less.
    #[test]
    fn contacts_never_feed_energy(
        turn in prop::array::uniform4(-1.0..1.0_f64), v in prop::array::uniform3(-2.0..2.0_f64),
        w in prop::array::uniform3(-4.0..4.0_f64), friction in 0.0..0.8_f64, restitution in 0.0..0.6_f64,
    ) {
        let rotation = DQuat::from_array(turn).normalize();
        prop_assume!(rotation.is_finite());
        let pose = Pose::new(rotation, DVec3::Y);
        let mut boxes = jointed_boxes(pose, Twist::new(DVec3::from_array(v), DVec3::from_array(w)));
        let energy = |boxes: &Mechanism| boxes.tree().kinetic_energy() + boxes.tree().potential_energy(GRAVITY);
        let (mut moreau, options) = (Moreau::default(), MoreauOptions::default());
        let find = corners(friction, restitution);
        let (start, mut before) = (energy(&boxes), energy(&boxes));
        for _ in 0..2500 {
            let report = moreau.step(&mut boxes, 4e-4, GRAVITY, &options, &find);
            let now = energy(&boxes);
            let flying = report.closed == 0;
            prop_assert!(now <= before + if flying { 2e-2 } else { 1e-2 }, "{now} after {before}");
            before = now;
        }
        prop_assert!(before < start + 1e-2 && boxes.tree().is_finite());
    }
}

/// A skate on an incline at an angle to its blade slides straight, where acceleration and slip have one direction:
/// `a = g_s - N (mu_t^2 s_t, mu_b^2 s_b)/sqrt(mu_t^2 s_t^2 + mu_b^2 s_b^2)` and `a || s`, found here by bisection over the direction.
#[test]
fn a_skate_drifts_in_the_direction_of_the_closed_form() {
    let (slope, heading, friction) = (0.35_f64, 0.9_f64, DVec2::new(0.03, 0.25));
    let (sine, cosine) = libm::sincos(slope);
    let pull = DVec2::new(libm::cos(heading), libm::sin(heading)) * (9.81 * sine);
    let acceleration = |angle: f64| {
        let slip = DVec2::new(libm::cos(angle), libm::sin(angle));
        let weighted = friction * slip;
        (pull - friction * weighted / weighted.length() * (9.81 * cosine), slip)
    };
    let turning = |angle: f64| {
        let (a, slip) = acceleration(angle);
        slip.perp_dot(a)
    };
    let (mut low, mut high) = (0.0, heading);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if turning(middle) > 0.0 { low = middle } else { high = middle }
    }
    let (expected, _) = acceleration(0.5 * (low + high));
    // Blade along x, gravity turned instead of the ground; all feet in the plane of the centre of mass, so that nothing tips.
    let gravity = DVec3::new(pull.x, -9.81 * cosine, -pull.y);
    let mut model = Model::default();
    let free = Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY);
    model.body("skate", None, 3.0, DMat3::from_diagonal(DVec3::splat(0.1)), free);
    let mut skate = model.build().unwrap();
    let find = |tree: &Tree, found: &mut Vec<MoreauContact>| {
        for (id, (x, z)) in [(-0.2, -0.1), (0.2, -0.1), (-0.2, 0.1), (0.2, 0.1)].into_iter().enumerate() {
            let point = tree.pose(0).transform_point(DVec3::new(x, 0.0, z));
            found.push(MoreauContact {
                id: id as u64,
                node: 0,
                point,
                normal: DVec3::Y,
                tangent: tree.pose(0).transform_vector(DVec3::X),
                gap: point.y,
                restitution: [0.0; 2],
                friction: FrictionSet::Ellipse { friction },
            });
        }
    };
    let mut moreau = Moreau::default();
    for _ in 0..1000 {
        assert!(moreau.step(&mut skate, 1e-3, gravity, &MoreauOptions::default(), find).converged);
    }
    let v = skate.tree().twist(0).linear;
    let found = DVec2::new(v.x, -v.z);
    // The tolerance of the percussions, 1e-6 N s of 3e-2, over the settling of the first steps.
    assert!((found - expected).length() < 2e-3 * expected.length(), "{found} instead of {expected}");
}

/// Terminal speed: where drag and friction hold the slope's pull (oracle of the source: a straight of constant slope).
#[test]
fn a_sled_on_a_straight_reaches_the_speed_of_the_balance() {
    use prall_mechanics::Mover;
    let mut model = Model::default();
    let slide = Joint::new(JointKind::Prismatic, Pose::IDENTITY, Pose::IDENTITY);
    model.body("sled", None, 390.0, DMat3::IDENTITY, slide);
    let mut sled = model.build().unwrap();
    sled.add_force(Arc::new(Drag { node: 0, density: 1.12, area: 0.2052 }));
    let pull = 9.81 * 0.1;
    sled.tree_mut().set_coordinate(0, 0, 0.0, 50.0);
    for _ in 0..20_000 {
        sled.predict(0.05, DVec3::X * pull);
        sled.commit(0.05, 1.0);
    }
    let balance = (390.0 * pull / (0.5 * 1.12 * 0.2052)).sqrt();
    let (_, speed) = sled.tree().coordinate(0, 0).unwrap();
    assert!((speed - balance).abs() < 1e-6 * balance, "{speed} {balance}");
    let power = sled.power_of_forces();
    // In balance drag takes what gravity gives.
    assert!((power + 390.0 * pull * balance).abs() < 1e-5 * power.abs(), "{power}");
}

/// A hull that floats, a steered axle on a sprung strut and two runners that pitch on it, sliding askew with a slant on two points each.
fn steered_sled() -> Mechanism {
    let inertia = |mass: f64| DMat3::from_diagonal(DVec3::new(0.1, 0.15, 0.12) * mass);
    let element =
        ForceElement { spring: Spring::Linear { stiffness: 2e4, rest: 0.0 }, damping: 200.0, motor: 0.0 };
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let along = |axis: DVec3| Pose::from_rotation(DQuat::from_rotation_arc(DVec3::X, axis.normalize()));
    let mut model = Model::default();
    model.body(
        "hull",
        None,
        150.0,
        inertia(150.0),
        Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY),
    );
    let up = along(DVec3::Y);
    let strut = Joint::new(JointKind::Prismatic, at(0.0, -0.2, -0.7) * up, up);
    model.body("strut", Some("hull"), 10.0, inertia(10.0), Joint { elements: [element; 6], ..strut });
    // A kingpin that leans back, as that of a bicycle does.
    let pin = along(DVec3::new(0.0, 1.0, 0.3));
    let kingpin = Joint::new(JointKind::Revolute, at(0.0, -0.05, 0.02) * pin, at(0.0, 0.04, -0.03) * pin);
    model.body("axle", Some("strut"), 12.0, inertia(12.0), Joint { driven: true, ..kingpin });
    for (name, x) in [("left", -0.33), ("right", 0.33)] {
        let pitch = Joint::new(JointKind::Revolute, at(x, -0.05, 0.0), at(0.0, 0.05, 0.01));
        model.body(name, Some("axle"), 5.0, inertia(5.0), Joint { elements: [element; 6], ..pitch });
    }
    let tail = Joint::new(JointKind::Fixed, at(0.0, -0.28, 0.9), Pose::IDENTITY);
    model.body("tail", Some("hull"), 8.0, inertia(8.0), tail);
    let mut sled = model.build().unwrap();
    let tree = sled.tree_mut();
    let poses: Vec<Pose> = (0..tree.len()).map(|node| at(0.0, 0.41, 0.0) * tree.pose(node)).collect();
    tree.load(|node| (poses[node], Twist::new(DVec3::new(3.0, 0.0, -20.0), DVec3::Y * 0.4)));
    sled
}

/// Points of the runners and of the tail, each with its node.
const RUNNERS: [(usize, DVec3); 5] = [
    (3, DVec3::new(0.0, -0.06, -0.2)),
    (3, DVec3::new(0.0, -0.06, 0.2)),
    (4, DVec3::new(0.0, -0.06, -0.2)),
    (4, DVec3::new(0.0, -0.06, 0.2)),
    (5, DVec3::new(0.0, -0.12, 0.0)),
];

/// What the steering, and every other axis, feels of the contacts times a small motion of that axis alone is the work of all contact forces on the
/// ways of their points: in every step of a drive in which the steering turns, against differences of the points' places, which know
/// nothing of levers.
#[test]
fn the_load_of_every_axis_is_the_contact_power_of_its_pure_motion() {
    let (mut sled, mut moreau) = (steered_sled(), Moreau::default());
    let (h, small) = (2e-4, 1e-5);
    let axle = sled.find("axle").unwrap();
    let mut compared = 0;
    for step in 0..600 {
        let time = h * f64::from(step);
        let (position, rate) = (0.1 * libm::sin(8.0 * time), 0.8 * libm::cos(8.0 * time));
        sled.tree_mut().drive(axle, 0, Drive { position, rate, acceleration: 0.0 });
        let mut middle = None;
        moreau.step(&mut sled, h, GRAVITY, &MoreauOptions::default(), |tree: &Tree, found: &mut Vec<_>| {
            middle = Some(tree.clone());
            for (id, (node, point)) in (0..).zip(RUNNERS) {
                let point = tree.pose(node).transform_point(point);
                found.push(MoreauContact {
                    id,
                    node,
                    point,
                    normal: DVec3::Y,
                    tangent: DVec3::NEG_Z,
                    gap: point.y,
                    restitution: [0.0; 2],
                    friction: FrictionSet::Disc { friction: 0.3 },
                });
            }
        });
        let middle = middle.unwrap();
        let force = |id: u64| {
            let p = moreau.percussion(id);
            (DVec3::Y * p.x + DVec3::NEG_Z * p.y + DVec3::Y.cross(DVec3::NEG_Z) * p.z) / h
        };
        for load in moreau.loads() {
            let (at, _) = middle.coordinate(load.node, load.axis).unwrap();
            let places = |shift: f64| {
                let mut moved = middle.clone();
                moved.set_coordinate(load.node, load.axis, at + shift, 0.0);
                RUNNERS.map(|(node, point)| moved.pose(node).transform_point(point))
            };
            let (ahead, behind) = (places(small), places(-small));
            let power: f64 =
                (0..5).map(|id| force(id as u64).dot(ahead[id] - behind[id]) / (2.0 * small)).sum();
            let scale: f64 = (0..5).map(|id| force(id).length()).sum();
            // Differences of places of 1 m by 1e-5: rounding and the third derivative leave 1e-10 of the forces.
            assert!((power - load.load).abs() <= 1e-9 * (1.0 + scale), "{load:?} {power} in step {step}");
            compared += usize::from(load.load.abs() > 1.0);
        }
    }
    assert!(compared > 1000, "the axes felt something: {compared}");
}

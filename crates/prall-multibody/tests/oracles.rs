//! Laws that hold whatever the machine: energy, power, and closed forms of sliding.

use glam::{DMat3, DQuat, DVec2, DVec3};
use prall_math::{Pose, Twist};
use prall_multibody::{
    Drag, FrictionSet, Joint, JointKind, Mechanism, Model, Moreau, MoreauContact, MoreauOptions, Tree,
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

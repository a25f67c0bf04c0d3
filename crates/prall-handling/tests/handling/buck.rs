//! The method of Buck 1999 on the small situations of the thesis, and beside the filter.

use glam::{DMat3, DQuat, DVec2, DVec3};
use prall_detection::{BuildOptions, Hierarchy, Workspace, overlap};
use prall_geometry::{Amount, HalfEdges, MassProperties, Shape, generate};
use prall_handling::buck::{BuckHeld, BuckOptions, Derivative, Level, StartForces};
use prall_handling::{Friction, HandlingOptions, Held, Metric, Obstacle};
use prall_math::{Pose, Twist};

use crate::shapes::*;

pub(crate) const GUARD: f64 = 10e-6;
pub(crate) const INTERVAL: f64 = 0.01;

pub(crate) fn mass(shape: &Shape) -> MassProperties {
    let Shape::TriangleMesh(mesh) = shape else { panic!("a mesh") };
    MassProperties::of_mesh(mesh.mesh(), &HalfEdges::new(mesh.mesh()), Amount::Mass(2.0)).unwrap()
}

pub(crate) fn take(part: &Shape, start: Pose, obstacles: Vec<Obstacle>, options: BuckOptions) -> BuckHeld {
    BuckHeld::new(part, &mass(part), start, obstacles, options).unwrap()
}

pub(crate) fn push(held: &mut BuckHeld, linear: DVec3, angular: DVec3, steps: usize) -> usize {
    let mut born = 0;
    for _ in 0..steps {
        born += usize::from(held.step(&Twist::new(linear, angular), INTERVAL).unwrap().born);
    }
    born
}

/// Exact overlap tests.
struct Samples(Hierarchy, Vec<Hierarchy>, Workspace);

impl Samples {
    fn new(part: &Shape, obstacles: &[&Shape]) -> Samples {
        let tree = |shape: &Shape| {
            let Shape::TriangleMesh(mesh) = shape else { panic!("a mesh") };
            Hierarchy::of_mesh(mesh.mesh(), &BuildOptions::default()).unwrap()
        };
        Samples(tree(part), obstacles.iter().map(|shape| tree(shape)).collect(), Workspace::new())
    }

    fn look(&mut self, held: &BuckHeld) {
        for (tree, obstacle) in self.1.iter().zip(held.obstacles()) {
            let hit = overlap(&self.0, held.pose(), tree, obstacle.pose(), &mut self.2).unwrap();
            assert!(hit.is_none(), "overlap at {:?}", held.pose());
        }
    }
}

/// T2 and T3: what lies flat rests on three of its corners, however many it has, and the others keep the guard without a collision.
#[test]
fn flat_parts_rest_on_three_of_their_corners() {
    let prism = mesh(&generate::cylinder(0.05, 0.04, 12).unwrap());
    for (part, height) in [(cuboid(DVec3::new(0.1, 0.06, 0.08)), 0.03), (prism, 0.02)] {
        let start = Pose::new(DQuat::from_rotation_z(0.02), DVec3::Y * (height + 0.005));
        let mut held = take(&part, start, vec![table()], BuckOptions::default());
        // A little off the middle, so that the load lies within a triple and not on the diagonal of the base.
        let turn = DVec3::new(0.03, 0.0, 0.05);
        let born = push(&mut held, DVec3::NEG_Y * 0.1, turn, 100);
        assert_eq!((held.contacts().len(), held.free_directions()), (3, 3));
        assert!(born >= 3, "{born}");
        assert!((held.pose().translation.y - height - GUARD).abs() < 1e-9, "{:?}", held.pose());
        // Nothing more happens, and nothing drifts: 10^4 intervals on.
        assert_eq!(push(&mut held, DVec3::new(0.001, -0.1, 0.0), turn, 10_000), 0);
        for contact in held.contacts() {
            assert!((held.gap(contact) - GUARD).abs() < 0.1 * GUARD, "{}", held.gap(contact));
        }
        // The forces are what stops the push: its momentum in every interval.
        let sum: f64 = held.contacts().iter().map(|contact| contact.force).sum();
        assert!((sum - 2.0 * 0.1 / INTERVAL).abs() < 1e-4, "{sum}");
    }
}

/// T4: five contacts in a groove, one direction left.
#[test]
fn a_prism_in_a_groove_has_five_contacts() {
    let plate = cuboid(DVec3::new(0.2, 0.02, 0.4));
    let quarter = std::f64::consts::FRAC_PI_4;
    let place = |side: f64| {
        let turn = DQuat::from_rotation_z(side * quarter);
        Pose::new(turn, turn * DVec3::new(0.1 * side, -0.01, 0.0))
    };
    let obstacles = vec![obstacle("right", &plate, place(1.0)), obstacle("left", &plate, place(-1.0))];
    let part = cuboid(DVec3::new(0.05, 0.05, 0.12));
    let start = turned(DVec3::Z, quarter + 0.01, DVec3::new(0.0, 0.06, 0.0));
    let mut held = take(&part, start, obstacles, BuckOptions::default());
    let mut samples = Samples::new(&part, &[&plate, &plate]);
    for _ in 0..400 {
        push(&mut held, DVec3::new(0.01, -0.1, 0.0), DVec3::new(0.01, 0.02, 0.01), 1);
        samples.look(&held);
    }
    assert_eq!((held.contacts().len(), held.free_directions()), (5, 1), "{:?}", held.report());
}

/// All start values and both derivatives lead to the same forces; where is told by the number of iterations.
#[test]
fn start_values_and_derivatives_change_the_work_and_not_the_forces() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let shapes = crate::corner::corner_shapes();
    let run = |start: StartForces, derivative: Derivative| {
        let options = BuckOptions { start, derivative, ..BuckOptions::default() };
        let mut held = take(&part, at(0.06, 0.04, 0.05), crate::corner::corner(&shapes), options);
        let mut iterations = 0;
        for step in 0..200 {
            let turn = DVec3::new(0.3, -0.2, 0.1) * libm::sin(0.1 * f64::from(step));
            let report = held.step(&Twist::new(DVec3::new(-0.1, -0.08, -0.12), turn), INTERVAL).unwrap();
            assert!(!report.jam, "{start:?} {derivative:?} {step}");
            iterations += report.iterations;
        }
        (*held.pose(), iterations)
    };
    let (reference, previous) = run(StartForces::Previous, Derivative::Closed);
    let mut iterations = vec![previous];
    for start in [StartForces::Zero, StartForces::Linear, StartForces::Complementarity] {
        let (pose, count) = run(start, Derivative::Closed);
        assert!((pose.translation - reference.translation).length() < 0.1 * GUARD, "{start:?}");
        iterations.push(count);
    }
    let (pose, _) = run(StartForces::Previous, Derivative::Differences);
    assert!((pose.translation - reference.translation).length() < 0.1 * GUARD);
    // Previous forces need fewer iterations than none.
    assert!(iterations[0] < iterations[1], "{iterations:?}");
}

/// F14: one vertex on a plane. The oracle is the projection (16) with the mass matrix, which knows neither solver.
#[test]
fn one_contact_moves_as_the_mass_weighted_projection_says() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let tilt = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.2, 0.25);
    let start = Pose::new(tilt, DVec3::Y * 0.2);
    let mut held = take(&part, start, vec![table()], BuckOptions::default());
    while held.contacts().is_empty() {
        push(&mut held, DVec3::NEG_Y * 0.5, DVec3::ZERO, 1);
    }
    // Settled at the guard, with a small interval.
    held.step(&Twist::ZERO, INTERVAL).unwrap();
    let before = *held.pose();
    let (linear, angular, dt) = (DVec3::new(0.02, -0.1, 0.01), DVec3::new(0.2, 0.1, -0.1), 1e-5);
    held.step(&Twist::new(linear, angular), dt).unwrap();
    assert_eq!(held.contacts().len(), 1);
    let properties = mass(&part);
    let turn = DMat3::from_quat(before.rotation);
    let inverse = turn * properties.inertia.inverse() * turn.transpose();
    // The lowest corner.
    let corners = (0..8).map(|bits| {
        let side = |bit: u32| if bits & bit == 0 { -1.0 } else { 1.0 };
        before.rotation * (DVec3::new(0.05, 0.03, 0.04) * DVec3::new(side(1), side(2), side(4)))
    });
    let arm = corners.min_by(|p, q| p.y.total_cmp(&q.y)).unwrap();
    let moment = arm.cross(DVec3::Y);
    let closing = linear.y + angular.dot(moment);
    let force = -closing / (1.0 / properties.mass + moment.dot(inverse * moment));
    let expected = linear + DVec3::Y * (force / properties.mass);
    let found = (held.pose().translation - before.translation) / dt;
    assert!((found - expected).length() < 1e-3 * expected.length(), "{found} {expected}");
    // The filter with the same metric agrees.
    let options = HandlingOptions {
        metric: Metric::Mass(properties),
        friction: Friction::NONE,
        ..HandlingOptions::default()
    };
    let mut filter = Held::new(&part, before, vec![table()], options).unwrap();
    let command = velocity(linear, angular);
    for _ in 0..40 {
        filter.step(Some(&command), dt, &mut prall_handling::Budget::unlimited()).unwrap();
    }
    let found = filter.report().twist.linear;
    assert!((found - expected).length() < 2e-3 * expected.length(), "{found} {expected}");
}

/// T7: off a convex edge the contact ends with its face; T12: a narrow wedge stops a blade, nothing overlaps, and it does not jump back.
#[test]
fn contacts_end_with_their_faces_and_a_narrow_wedge_stops_a_blade() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let block = cuboid(DVec3::new(0.4, 0.1, 0.4));
    let mut held = take(
        &part,
        Pose::new(DQuat::from_rotation_x(0.01) * DQuat::from_rotation_z(0.02), DVec3::new(0.1, 0.033, 0.0)),
        vec![obstacle("block", &block, at(0.0, -0.05, 0.0))],
        BuckOptions::default(),
    );
    push(&mut held, DVec3::new(0.0, -0.1, 0.0), DVec3::new(0.03, 0.0, 0.05), 60);
    assert_eq!(held.contacts().len(), 3);
    let (mut left, mut steps) = (0, 0);
    while held.pose().translation.x < 0.3 && steps < 2_000 {
        held.step(&Twist::new(DVec3::new(0.2, -0.02, 0.0), DVec3::ZERO), INTERVAL).unwrap();
        left += held.report().left + held.report().flowed;
        steps += 1;
    }
    assert!(left >= 1 && steps < 2_000, "{left} {steps} {:?}", held.pose());
    assert!(held.contacts().is_empty() && held.pose().translation.y < 0.03, "{:?}", held.pose());

    // Two plates that close to 6 degrees, and a thin blade pushed in between them.
    let outline = [(-0.05, 0.0), (0.0, -0.002), (0.0, 0.002)].map(DVec2::from);
    let blade = mesh(&generate::prism(&outline, 0.03).unwrap());
    let plate = cuboid(DVec3::new(0.2, 0.02, 0.2));
    let place = |side: f64| {
        let turn = DQuat::from_rotation_y(0.0) * DQuat::from_rotation_x(0.0);
        let tilt = DQuat::from_rotation_z(0.05 * side);
        Pose::new(turn * tilt, DVec3::new(0.0, side * (0.0101 + 0.005), 0.0))
    };
    let obstacles = vec![obstacle("upper", &plate, place(1.0)), obstacle("lower", &plate, place(-1.0))];
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let mut held = take(&blade, Pose::new(lying, DVec3::X * 0.15), obstacles, BuckOptions::default());
    let mut samples = Samples::new(&blade, &[&plate, &plate]);
    let mut back = 0.0_f64;
    for _ in 0..600 {
        let before = held.pose().translation.x;
        held.step(&Twist::new(DVec3::new(-0.1, 0.001, 0.0), DVec3::ZERO), INTERVAL).unwrap();
        back = back.max(held.pose().translation.x - before);
        samples.look(&held);
    }
    // No jump back that could be seen.
    assert!(back < 3e-4, "{back}");
    let before = held.pose().translation;
    push(&mut held, DVec3::new(-0.1, 0.001, 0.0), DVec3::ZERO, 50);
    assert!((held.pose().translation - before).length() < 1e-4, "it stands");
}

/// The bilateral variant lets go one interval late, and the unilateral one at once.
#[test]
fn bilateral_contacts_end_one_interval_late() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    for (bilateral, moved) in [(false, true), (true, false)] {
        let options = BuckOptions { bilateral, ..BuckOptions::default() };
        let mut held =
            take(&part, at(0.0, 0.0301, 0.0), vec![table()], BuckOptions { bilateral: false, ..options });
        push(&mut held, DVec3::NEG_Y * 0.05, DVec3::new(0.03, 0.0, 0.05), 60);
        assert_eq!(held.contacts().len(), 3);
        let mut held = held.with_options(options).unwrap();
        let before = held.pose().translation.y;
        held.step(&Twist::new(DVec3::Y * 0.1, DVec3::ZERO), INTERVAL).unwrap();
        assert_eq!(held.pose().translation.y - before > 1e-4, moved, "{bilateral}");
        assert!(held.contacts().len() < 2 && held.report().opened >= 2, "{bilateral}");
        // A contact that bore nothing is held once more.
        push(&mut held, DVec3::Y * 0.1, DVec3::ZERO, 3);
        assert!(held.contacts().is_empty() && held.pose().translation.y - before > 9e-4);
    }
}

/// Why the thesis exists: a box that rocks on an edge keeps its gap with conditions on positions, and drifts with conditions on accelerations.
#[test]
fn conditions_on_accelerations_drift_and_those_on_positions_do_not() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let rock = |level: Level| {
        let options = BuckOptions { level, ..BuckOptions::default() };
        let start = Pose::new(DQuat::from_rotation_z(0.5), DVec3::Y * 0.06);
        let mut held = take(&part, start, vec![table()], BuckOptions::default());
        push(&mut held, DVec3::NEG_Y * 0.1, DVec3::ZERO, 10);
        let mut held = held.with_options(options).unwrap();
        let mut worst = 0.0_f64;
        for step in 0..10_000 {
            let rate = 0.5 * libm::cos(0.05 * f64::from(step));
            held.step(&Twist::new(DVec3::NEG_Y * 0.05, DVec3::new(0.0, 0.1, rate)), INTERVAL).unwrap();
            assert!(!held.contacts().is_empty(), "{level:?} {step}");
            // A collision ends an interval on the way to its end, where conditions hold.
            let whole = held.report().done == 1.0;
            let loaded = held.contacts().iter().filter(|contact| whole && contact.force > 0.1);
            let off = loaded.map(|contact| (held.gap(contact) - GUARD).abs());
            worst = off.fold(worst, f64::max);
        }
        worst
    };
    let (position, acceleration) = (rock(Level::Position), rock(Level::Acceleration));
    assert!(position < 0.1 * GUARD, "{position:e}");
    assert!(acceleration > 3.0 * GUARD, "{acceleration:e}");
}

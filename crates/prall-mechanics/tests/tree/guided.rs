//! Joints with laws of their own: against the built-in ones, closed forms, and conservation.

use std::sync::Arc;

use crate::scenes::*;
use glam::{DMat3, DQuat, DVec3};
use prall_math::{Pose, Twist, Wrench};
use prall_mechanics::tree::{
    Drive, ForceElement, Guide, Joint, JointKind, LookAheadOptions, Loop, MOST_COORDINATES, Node, Spring,
    Tree, TreeDescription, TreeError, TreeOptions,
};

fn about_x(angle: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(sine, 0.0, 0.0, cosine)
}

fn about_y(angle: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(0.0, sine, 0.0, cosine)
}

fn columns(own: &[Twist]) -> [Twist; MOST_COORDINATES] {
    std::array::from_fn(|axis| own.get(axis).copied().unwrap_or(Twist::ZERO))
}

/// The built-in joints anew.
#[derive(Debug)]
enum Known {
    Revolute,
    Cylindrical,
    Universal,
}

impl Guide for Known {
    fn coordinates(&self) -> usize {
        if matches!(self, Known::Revolute) { 1 } else { 2 }
    }

    fn pose(&self, q: &[f64]) -> Pose {
        match self {
            Known::Revolute => Pose::from_rotation(about_x(q[0])),
            Known::Cylindrical => Pose::new(about_x(q[1]), DVec3::X * q[0]),
            Known::Universal => Pose::from_rotation(about_x(q[0]) * about_y(q[1])),
        }
    }

    fn subspace(&self, q: &[f64]) -> [Twist; MOST_COORDINATES] {
        let turn = |axis| Twist::new(DVec3::ZERO, axis);
        match self {
            Known::Revolute => columns(&[turn(DVec3::X)]),
            Known::Cylindrical => columns(&[Twist::new(DVec3::X, DVec3::ZERO), turn(DVec3::X)]),
            Known::Universal => columns(&[turn(DVec3::X), turn(about_x(q[0]) * DVec3::Y)]),
        }
    }

    fn bias(&self, q: &[f64], rates: &[f64]) -> Twist {
        match self {
            Known::Revolute | Known::Cylindrical => Twist::ZERO,
            Known::Universal => {
                let spin = DVec3::X.cross(about_x(q[0]) * DVec3::Y);
                Twist::new(DVec3::ZERO, spin * (rates[0] * rates[1]))
            }
        }
    }

    fn slides(&self, coordinate: usize) -> bool {
        matches!(self, Known::Cylindrical) && coordinate == 0
    }
}

/// Any motion as three shifts and three turns, by its poses alone.
#[derive(Debug)]
struct Floating;

impl Guide for Floating {
    fn coordinates(&self) -> usize {
        6
    }

    fn pose(&self, q: &[f64]) -> Pose {
        let turn = about_x(q[3]) * about_y(q[4]) * DQuat::from_rotation_z(q[5]);
        Pose::new(turn, DVec3::new(q[0], q[1], q[2]))
    }

    fn slides(&self, coordinate: usize) -> bool {
        coordinate < 3
    }
}

/// A curve in the plane z = 0 that a bead slides along, by its parameter.
#[derive(Debug)]
struct Curve(fn(f64) -> DVec3);

impl Guide for Curve {
    fn coordinates(&self) -> usize {
        1
    }

    fn pose(&self, q: &[f64]) -> Pose {
        Pose::from_translation((self.0)(q[0]))
    }
}

/// Replaces the built-in kinds that [`Known`] has, among the nodes of `which`.
fn anew(description: &TreeDescription, which: &[JointKind]) -> (TreeDescription, Vec<Arc<dyn Guide>>) {
    let guides: Vec<Arc<dyn Guide>> =
        vec![Arc::new(Known::Revolute), Arc::new(Known::Cylindrical), Arc::new(Known::Universal)];
    let mut description = description.clone();
    for node in description.nodes.iter_mut().filter(|node| which.contains(&node.joint.kind)) {
        let (guide, coordinates) = match node.joint.kind {
            JointKind::Revolute => (0, 1),
            JointKind::Cylindrical => (1, 2),
            JointKind::Universal => (2, 2),
            other => panic!("{other:?} has no law here"),
        };
        node.joint.kind = JointKind::Guided { guide, coordinates };
    }
    (description, guides)
}

/// A tree and the same with laws, shaken alike.
fn twins(root: JointKind, which: &[JointKind], damping: f64) -> [Tree; 2] {
    let mut description = menagerie(root);
    let element = ForceElement { spring: Spring::Linear { stiffness: 30.0, rest: 0.4 }, damping, motor: 0.5 };
    description.nodes[1].joint.elements[0] = element;
    description.nodes[5].joint.elements[1] = element;
    let mut built_in = shaken(&description, 1.5);
    let (description, guides) = anew(&description, which);
    let mut own = Tree::with_guides(&description, &guides).unwrap();
    let bodies: Vec<(Pose, Twist)> = (0..own.len()).map(|n| (built_in.pose(n), built_in.twist(n))).collect();
    assert!(own.load(|node| bodies[node]) < 1e-12);
    for tree in [&mut built_in, &mut own] {
        tree.set_load(3, Wrench::new(DVec3::new(3.0, -1.0, 2.0), DVec3::new(0.2, 0.4, -0.3)));
    }
    [built_in, own]
}

const ALL: [JointKind; 3] = [JointKind::Revolute, JointKind::Cylindrical, JointKind::Universal];

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn distance(a: &Tree, b: &Tree) -> f64 {
    let apart = |node: usize| {
        let (a, b) = (a.pose(node), b.pose(node));
        (a.translation - b.translation).length() + (a.rotation * b.rotation.conjugate()).xyz().length()
    };
    (0..a.len()).map(apart).fold(0.0, f64::max)
}

/// Accelerations are up to some 100: 1e-11 is 1e-13 of them.
#[test]
fn built_in_joints_anew_have_the_same_accelerations_in_all_three_formulations() {
    for root in [JointKind::Free, JointKind::Ball, JointKind::Revolute] {
        let [mut built_in, mut own] = twins(root, &ALL, 2.0);
        let expected = built_in.minimal_accelerations(GRAVITY);
        let by_composites = own.equations_by_composites(GRAVITY);
        let by_jacobians = own.equations_by_jacobians(GRAVITY);
        assert!(largest_difference(&expected, &own.minimal_accelerations(GRAVITY)) < 1e-11);
        assert!(largest_difference(&expected, &by_composites.solve_branches()) < 1e-11);
        assert!(largest_difference(&expected, &by_jacobians.solve_dense()) < 1e-11);
        assert!(largest_difference(&built_in.minimal_velocities(), &own.minimal_velocities()) < 1e-12);
        assert!((built_in.power(GRAVITY).total() - own.power(GRAVITY).total()).abs() < 1e-10);
    }
}

/// Explicit steps are the same steps; rounding grows by some tenfold in a second of swinging.
#[test]
fn built_in_joints_anew_move_alike_by_explicit_steps() {
    let [mut built_in, mut own] = twins(JointKind::Free, &ALL, 2.0);
    for _ in 0..200 {
        built_in.step_explicit(1e-3, GRAVITY);
        own.step_explicit(1e-3, GRAVITY);
    }
    assert!(distance(&built_in, &own) < 1e-11, "{:e}", distance(&built_in, &own));
}

/// Hinges have the same stable step, too, but for dampers: those of built-in hinges resist the tangent of the angle. Joints of several axes are
/// one motion after the other when built in, and one law here: equal in second order.
#[test]
fn built_in_joints_anew_move_alike_by_the_stable_step() {
    let run = |which: &[JointKind], h: f64| {
        let [mut built_in, mut own] = twins(JointKind::Free, which, 0.0);
        for _ in 0..(0.25 / h) as usize {
            built_in.step(h, GRAVITY, &TreeOptions::default());
            let report = own.step(h, GRAVITY, &TreeOptions::default());
            assert_eq!((report.substeps, report.given_up), (1, 0));
        }
        assert!(own.velocity_error() < 1e-10);
        distance(&built_in, &own)
    };
    // Newton ends at changes of 1e-6 m/s, squared: some 1e-11 in each of 30 steps.
    let same = run(&ALL[..1], 1.0 / 120.0);
    assert!(same < 1e-9, "{same:e}");
    let (coarse, fine) = (run(&ALL, 1.0 / 128.0), run(&ALL, 1.0 / 256.0));
    assert!((3.0..5.5).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
}

fn promises(tree: &mut Tree, steps: usize, h: f64) -> f64 {
    let start = energy(tree);
    let scale = tree.potential_energy(GRAVITY).abs().max(tree.kinetic_energy()).max(1.0);
    let mut before = start;
    for step in 0..steps {
        let report = tree.step(h, GRAVITY, &TreeOptions::default());
        let now = energy(tree);
        assert!(now <= before + 1e-12 * scale, "step {step}: energy rose by {:e}", now - before);
        assert_eq!((report.substeps, report.given_up), (1, 0), "step {step}");
        before = now;
    }
    assert!(tree.velocity_error() < 1e-9);
    (before - start) / scale
}

fn body(parent: Option<u32>, kind: JointKind, side: f64) -> Node {
    let inertia = DMat3::from_diagonal(DVec3::new(0.1, 0.15, 0.2));
    let frame =
        |x: f64| Pose::new(DQuat::from_scaled_axis(DVec3::new(0.3, -0.2, x)), DVec3::new(0.2, -0.3, x));
    Node { parent, mass: 1.5, inertia, joint: Joint::new(kind, frame(0.4 * side), frame(-0.2)) }
}

/// A law with six coordinates, a curve on it, two turns and a ball behind, all in motion.
fn gallery_of_laws() -> Tree {
    let guides: Vec<Arc<dyn Guide>> = vec![
        Arc::new(Floating),
        Arc::new(Curve(|u| DVec3::new(u, 0.3 * libm::sin(2.0 * u), 0.2 * u * u))),
        Arc::new(Known::Universal),
    ];
    let nodes = vec![
        body(None, JointKind::Guided { guide: 0, coordinates: 6 }, 1.0),
        body(Some(0), JointKind::Guided { guide: 1, coordinates: 1 }, -1.0),
        body(Some(1), JointKind::Guided { guide: 2, coordinates: 2 }, 1.0),
        body(Some(1), JointKind::Ball, -1.0),
    ];
    let mut tree = Tree::with_guides(&TreeDescription { nodes, loops: vec![] }, &guides).unwrap();
    for axis in 0..6 {
        tree.set_coordinate(0, axis, 0.1 * axis as f64, 0.4 - 0.2 * axis as f64);
    }
    tree.set_coordinate(1, 0, 0.1, -1.0);
    tree.set_coordinate(2, 1, -0.3, 2.0);
    tree
}

/// The stable step's promises hold for any law.
#[test]
fn the_stable_step_keeps_its_promises_for_any_law() {
    let change = promises(&mut gallery_of_laws(), 60, 1.0 / 120.0);
    assert!(change > -1e-3, "{change:e}");
}

/// A law of six coordinates transmits nothing, so its body moves as a free one, whatever the coordinates are; 64 steps of rounding.
#[test]
fn a_law_of_six_coordinates_is_a_free_body() {
    let nodes = vec![body(None, JointKind::Guided { guide: 0, coordinates: 6 }, 1.0)];
    let description = TreeDescription { nodes, loops: vec![] };
    let mut tree = Tree::with_guides(&description, &[Arc::new(Floating)]).unwrap();
    for axis in 0..6 {
        tree.set_coordinate(0, axis, 0.0, 0.3 + 0.2 * axis as f64);
    }
    let nodes = vec![body(None, JointKind::Free, 1.0)];
    let mut free = Tree::new(&TreeDescription { nodes, loops: vec![] }).unwrap();
    let start = (tree.pose(0), tree.twist(0));
    free.load(|_| start);
    for _ in 0..64 {
        tree.step(1.0 / 128.0, GRAVITY, &TreeOptions::default());
        free.step(1.0 / 128.0, GRAVITY, &TreeOptions::default());
    }
    assert!(distance(&tree, &free) < 1e-11, "{:e}", distance(&tree, &free));
}

fn bead(curve: fn(f64) -> DVec3) -> Tree {
    let inertia = DMat3::from_diagonal(DVec3::splat(0.01));
    let joint = Joint::new(JointKind::Guided { guide: 0, coordinates: 1 }, Pose::IDENTITY, Pose::IDENTITY);
    let node = Node { parent: None, mass: 2.0, inertia, joint };
    Tree::with_guides(&TreeDescription { nodes: vec![node], loops: vec![] }, &[Arc::new(Curve(curve))])
        .unwrap()
}

/// Time at which the coordinate first comes to 0, by steps of `h` and linear interpolation in the last.
fn time_to_zero(tree: &mut Tree, h: f64) -> f64 {
    let mut before = tree.coordinate(0, 0).unwrap().0;
    for step in 0..100_000 {
        tree.step(h, GRAVITY, &TreeOptions::default());
        let now = tree.coordinate(0, 0).unwrap().0;
        if now <= 0.0 {
            return (step as f64 + before / (before - now)) * h;
        }
        before = now;
    }
    f64::NAN
}

const CYCLOID: fn(f64) -> DVec3 = |u| {
    let (sine, cosine) = libm::sincos(u);
    DVec3::new(0.5 * (u + sine), 0.5 * (1.0 - cosine), 0.0)
};

/// Huygens: on a cycloid of radius `r` a bead comes down in pi sqrt(r/g) from wherever it is let go.
#[test]
fn a_bead_on_a_cycloid_comes_down_in_the_same_time_from_everywhere() {
    let expected = std::f64::consts::PI * (0.5 / 9.81_f64).sqrt();
    for start in [0.3, 1.0, 2.0, 2.8] {
        let mut tree = bead(CYCLOID);
        tree.set_coordinate(0, 0, start, 0.0);
        let time = time_to_zero(&mut tree, 1e-3);
        // Second order: (1 ms)^2 times some ten accelerations of the angle.
        assert!((time - expected).abs() < 2e-5, "{start}: {time} {expected}");
    }
}

/// On a helix of radius `a` and slope `b` per radian the bead's acceleration is `g b/(a^2 + b^2)`, and the way grows with the square of time.
#[test]
fn a_bead_on_a_helix_falls_evenly() {
    let mut tree = bead(|u| {
        let (sine, cosine) = libm::sincos(u);
        DVec3::new(0.5 * cosine, -0.2 * u, 0.5 * sine)
    });
    for _ in 0..100 {
        tree.step(0.01, GRAVITY, &TreeOptions::default());
    }
    let (angle, rate) = tree.coordinate(0, 0).unwrap();
    let acceleration = 9.81 * 0.2 / (0.25 + 0.04);
    // The chord of a step of 0.07 rad is shorter than its arc by 2e-4 of it; so is the mean height gained per length.
    assert!((angle - 0.5 * acceleration).abs() < 1e-3, "{angle}");
    assert!((rate - acceleration).abs() < 1e-3, "{rate}");
}

/// On the parabola `y = x^2/2` the energy `m/2 (1 + x^2) (dx/dt)^2 + m g x^2/2` tells the speed at every place.
#[test]
fn a_bead_on_a_parabola_has_the_speed_of_its_height() {
    let mut tree = bead(|x| DVec3::new(x, 0.5 * x * x, 0.0));
    tree.set_coordinate(0, 0, 1.2, 0.0);
    for _ in 0..500 {
        tree.step(5e-3, GRAVITY, &TreeOptions::default());
        let (x, rate) = tree.coordinate(0, 0).unwrap();
        let expected = 9.81 * (1.44 - x * x) / (1.0 + x * x);
        // The projection takes of the energy what is of third order in each step.
        assert!((rate * rate - expected).abs() < 2e-3 * (1.0 + expected), "{x}: {} {expected}", rate * rate);
    }
}

/// A driven law: the body is where the law says, moves as it says, and pushes what hangs on it.
#[test]
fn a_driven_law_is_followed() {
    for explicit in [false, true] {
        let mut nodes = vec![
            body(None, JointKind::Guided { guide: 0, coordinates: 1 }, 1.0),
            body(Some(0), JointKind::Ball, 1.0),
        ];
        nodes[0].joint.driven = true;
        let curve: fn(f64) -> DVec3 = |u| DVec3::new(u, 0.3 * u * u, 0.0);
        let description = TreeDescription { nodes, loops: vec![] };
        let mut tree = Tree::with_guides(&description, &[Arc::new(Curve(curve))]).unwrap();
        let (h, start) = (1.0 / 240.0, tree.pose(0).translation);
        for step in 1..=240 {
            let time = f64::from(step) * h;
            tree.drive(0, 0, Drive { position: 0.5 * time * time, rate: time, acceleration: 1.0 });
            if explicit {
                tree.step_explicit(h, GRAVITY);
            } else {
                tree.step(h, GRAVITY, &TreeOptions::default());
            }
        }
        let frame = DQuat::from_scaled_axis(DVec3::new(0.3, -0.2, 0.4));
        let moved = frame.conjugate() * (tree.pose(0).translation - start);
        assert!((moved - DVec3::new(0.5, 0.075, 0.0)).length() < 1e-12, "{moved}");
        let velocity = frame.conjugate() * tree.twist(0).linear;
        assert!((velocity - DVec3::new(1.0, 0.3, 0.0)).length() < 1e-9, "{velocity}");
        assert!(tree.twist(1).angular.length() > 0.1 && tree.velocity_error() < 1e-9);
    }
}

/// Percussions climb through laws: the response of one body to an impulse on another is what the impulse then does.
#[test]
fn percussions_pass_through_laws() {
    let [mut built_in, mut own] = twins(JointKind::Free, &ALL, 2.0);
    for tree in [&mut built_in, &mut own] {
        tree.predict(0.0, DVec3::ZERO);
    }
    let at = (9, own.pose(9).translation + DVec3::new(0.1, 0.2, 0.0));
    let due_to = (8, own.pose(8).translation);
    let (expected, found) = (built_in.response(at, due_to), own.response(at, due_to));
    for (a, b) in expected.iter().flatten().zip(found.iter().flatten()) {
        assert!(a.abs_diff_eq(*b, 1e-12));
    }
    let before = own.twist_at(at.0, at.1);
    let impulse = DVec3::new(0.3, -0.2, 0.5);
    own.apply(due_to.0, due_to.1, Wrench::new(impulse, DVec3::ZERO));
    let change = own.twist_at(at.0, at.1) - before;
    assert!((change.linear - found[0][0] * impulse).length() < 1e-12);
    assert!(own.velocity_error() < 1e-12);
}

/// A loop over a curve: a rod whose ends ride on a slider along x and a curve along y is the trammel of Archimedes.
#[test]
fn laws_close_loops() {
    let slider = body(None, JointKind::Guided { guide: 0, coordinates: 1 }, 0.0);
    let plain = |kind| Joint::new(kind, Pose::IDENTITY, Pose::IDENTITY);
    let mut nodes = vec![slider, body(None, JointKind::Guided { guide: 1, coordinates: 1 }, 0.0)];
    nodes[0].joint = plain(nodes[0].joint.kind);
    nodes[1].joint = plain(nodes[1].joint.kind);
    let mut rod = body(Some(0), JointKind::Ball, 0.0);
    rod.joint = Joint {
        frame_in_child: Pose::from_translation(DVec3::new(-0.6, 0.0, 0.0)),
        ..plain(JointKind::Ball)
    };
    nodes.push(rod);
    let guides: Vec<Arc<dyn Guide>> =
        vec![Arc::new(Curve(|u| DVec3::X * u)), Arc::new(Curve(|u| DVec3::new(0.1 * u * u, u, 0.0)))];
    let ends = Loop { nodes: [Some(1), Some(2)], points: [DVec3::ZERO, DVec3::X * 0.6], axes: None };
    let description = TreeDescription { nodes, loops: vec![ends] };
    let mut tree = Tree::with_guides(&description, &guides).unwrap();
    // The rod lies along x, its far end at the origin, where the curve begins.
    tree.set_coordinate(0, 0, -1.2, 0.0);
    let (start, mut worst) = (energy(&tree), 0.0_f64);
    for _ in 0..120 {
        let report = tree.step(1.0 / 240.0, GRAVITY, &TreeOptions::default());
        assert_eq!(report.given_up, 0);
        worst = worst.max(report.position_error);
    }
    assert!(worst < 1e-9, "{worst:e}");
    assert!(tree.coordinate(1, 0).unwrap().0 < -0.1);
    assert!((energy(&tree) - start).abs() < 2e-3 * tree.kinetic_energy(), "{}", energy(&tree) - start);
}

#[test]
fn a_restored_tree_with_laws_goes_on_bit_by_bit() {
    let [_, mut tree] = twins(JointKind::Free, &ALL, 2.0);
    let [_, mut other] = twins(JointKind::Free, &ALL, 2.0);
    tree.step(1.0 / 120.0, GRAVITY, &TreeOptions::default());
    tree.set_load(2, Wrench::new(DVec3::X, DVec3::Y));
    let (state, inputs) = (tree.save(), tree.inputs());
    tree.step(1.0 / 120.0, GRAVITY, &TreeOptions::default());
    assert!(other.restore(&state) && other.set_inputs(&inputs));
    other.step(1.0 / 120.0, GRAVITY, &TreeOptions::default());
    assert_eq!(tree.save(), other.save());
}

#[test]
fn laws_that_are_missing_say_so() {
    let nodes = vec![body(None, JointKind::Guided { guide: 1, coordinates: 1 }, 0.0)];
    let description = TreeDescription { nodes, loops: vec![] };
    let error = Tree::new(&description).unwrap_err();
    assert!(matches!(error, TreeError::MissingGuide { node: 0, guide: 1, .. }), "{error}");
    let guides: Vec<Arc<dyn Guide>> = vec![Arc::new(Known::Revolute), Arc::new(Known::Universal)];
    let error = Tree::with_guides(&description, &guides).unwrap_err().to_string();
    assert!(error.contains("one with 2"), "{error}");
    let guides: Vec<Arc<dyn Guide>> =
        vec![Arc::new(Known::Revolute), Arc::new(Curve(|u| DVec3::X * (u * u)))];
    let error = Tree::with_guides(&description, &guides).unwrap_err().to_string();
    assert!(error.contains("do not move the body independently"), "{error}");
}

/// Impulses at the pose of the start and closed joints at the end leave no choice, however a gap is told: both trees move alike to the
/// passes' tolerance, which grows by some tenfold in a quarter of a second of swinging.
#[test]
fn built_in_joints_anew_move_alike_by_look_ahead() {
    let description = menagerie(JointKind::Free);
    let mut built_in = shaken(&description, 0.3);
    let (description, guides) = anew(&description, &ALL);
    let mut own = Tree::with_guides(&description, &guides).unwrap();
    let bodies: Vec<(Pose, Twist)> = (0..own.len()).map(|n| (built_in.pose(n), built_in.twist(n))).collect();
    assert!(own.load(|node| bodies[node]) < 1e-12);
    let options =
        LookAheadOptions { position_tolerance: 1e-12, most_passes: 40, ..LookAheadOptions::default() };
    for _ in 0..60 {
        for tree in [&mut built_in, &mut own] {
            let report = tree.step_look_ahead(1.0 / 240.0, GRAVITY, &options).unwrap();
            assert!(report.position_error <= 1e-12 && report.substeps == 1, "{report:?}");
        }
    }
    assert!(distance(&built_in, &own) < 1e-9, "{:e}", distance(&built_in, &own));
    assert!(own.velocity_error() < 1e-10, "{:e}", own.velocity_error());
}

/// Six coordinates, a curve and two turns one after the other: both steps converge to one motion. Translations do by the second order, turns by the
/// first, since the look-ahead takes gyroscopic torques from the start of a step.
#[test]
fn look_ahead_and_the_stable_step_tell_the_same_motion_of_any_law() {
    let apart = |steps: u32| {
        let mut ahead = gallery_of_laws();
        let mut stable = gallery_of_laws();
        let h = 0.25 / f64::from(steps);
        let options =
            LookAheadOptions { position_tolerance: 1e-11, most_passes: 40, ..LookAheadOptions::default() };
        for _ in 0..steps {
            let report = ahead.step_look_ahead(h, GRAVITY, &options).unwrap();
            assert_eq!((report.substeps, report.given_up), (1, 0));
            stable.step(h, GRAVITY, &TreeOptions::default());
        }
        distance(&ahead, &stable)
    };
    let found = [16, 32, 64, 128].map(apart);
    assert!(found.windows(2).all(|pair| pair[1] < 0.55 * pair[0]), "{found:?}");
    assert!(found[3] < 3e-6, "{found:?}");
}

/// Huygens' cycloid by look-ahead passes, and the bead is on it after every step: gaps recomputed from the bead's place alone.
#[test]
fn a_bead_on_a_cycloid_stays_on_it_by_look_ahead() {
    let mut tree = bead(CYCLOID);
    tree.set_coordinate(0, 0, 2.0, 0.0);
    let expected = std::f64::consts::PI * (0.5 / 9.81_f64).sqrt();
    let (h, mut before) = (1e-3, 2.0);
    for step in 0..1000 {
        tree.step_look_ahead(h, GRAVITY, &LookAheadOptions::default()).unwrap();
        let now = tree.coordinate(0, 0).unwrap().0;
        assert!((tree.pose(0).translation - CYCLOID(now)).length() <= 1.001e-6);
        if now <= 0.0 {
            let time = (f64::from(step) + before / (before - now)) * h;
            assert!((time - expected).abs() < 2e-5, "{time} {expected}");
            return;
        }
        before = now;
    }
    panic!("it never came down");
}

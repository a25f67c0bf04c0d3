//! The stable step of trees, against conservation laws, closed forms and its own order.

use crate::scenes::*;
use glam::DVec3;
use prall_mechanics::tree::models::{binary_tree, chain, rod};
use prall_mechanics::tree::{
    Drive, ForceElement, JointKind, Loop, Spring, Tree, TreeDescription, TreeOptions,
};

/// Runs and holds the step to its promises: energy never rises, joints hold in position and velocity.
fn run(tree: &mut Tree, seconds: f64, h: f64, options: &TreeOptions) -> (f64, u32) {
    let (mut before, start) = (energy(tree), energy(tree));
    let scale = tree.potential_energy(GRAVITY).abs().max(1.0);
    let mut substeps = 0;
    let steps = (seconds / h).round() as usize;
    for step in 0..steps {
        let report = tree.step(h, GRAVITY, options);
        let now = energy(tree);
        assert!(now <= before + 1e-12 * scale, "step {step}: energy rose by {}", now - before);
        assert_eq!(report.given_up, 0, "step {step}");
        substeps += report.substeps;
        before = now;
    }
    assert!(tree.is_finite());
    // Rounding of a projection whose pivots have conditions of some 1e5.
    assert!(tree.velocity_error() < 1e-9, "joints move by {}", tree.velocity_error());
    ((before - start) / scale, substeps / steps as u32)
}

#[test]
fn energy_never_rises_and_joints_hold_on_a_tree_of_31() {
    let mut tree = tilted(&binary_tree(31), std::f64::consts::FRAC_PI_3);
    let (change, substeps) = run(&mut tree, 5.0, 1.0 / 30.0, &TreeOptions::default());
    assert!(change > -2e-2 && substeps == 1, "{change:e}");
}

#[test]
fn heavy_ends_do_not_tear_chains() {
    for kind in [JointKind::Ball, JointKind::Revolute] {
        for mass in [1e3, 1e4] {
            let mut tree = tilted(&chain(10, mass, kind), std::f64::consts::FRAC_PI_3);
            let (change, substeps) = run(&mut tree, 5.0, 1.0 / 30.0, &TreeOptions::default());
            assert!(change > -1e-3 && substeps == 1, "{kind:?} {mass}: {change:e}");
        }
    }
}

#[test]
fn every_kind_of_joint_keeps_the_promises() {
    for root in
        [JointKind::Free, JointKind::Ball, JointKind::Revolute, JointKind::Universal, JointKind::Planar]
    {
        let mut tree = shaken(&menagerie(root), 1.0);
        assert!(tree.velocity_error() < 1e-12);
        let (change, substeps) = run(&mut tree, 2.0, 1.0 / 120.0, &TreeOptions::default());
        assert!(change > -1e-3 && substeps == 1, "{root:?}: {change:e}");
    }
}

/// Momentum of a floating tree: forces inside have no sum. 240 steps with 1e-13 of rounding each, times three.
#[test]
fn a_floating_tree_keeps_its_momentum() {
    let mut tree = shaken(&menagerie(JointKind::Free), 1.0);
    let before = tree.momentum();
    for _ in 0..240 {
        tree.step(1.0 / 120.0, DVec3::ZERO, &TreeOptions::default());
    }
    let after = tree.momentum();
    let error = after - before;
    assert!(error.force.length() < 1e-10, "{:e}", error.force.length());
    // Averaged levers keep energy, not angular momentum: that is kept to second order.
    assert!(error.torque.length() < 1e-2 * before.torque.length(), "{:e}", error.torque.length());
}

/// Sixty seconds of every scene, joint and step of the study: the runs in which explicit schemes die late.
#[test]
#[ignore = "minutes; run by `make soak`"]
fn soak_trees_and_heavy_chains_run_sixty_seconds() {
    let mut scenes = vec![("tree-31", binary_tree(31)), ("tree-255", binary_tree(255))];
    for (name, kind) in [("ball chain", JointKind::Ball), ("hinge chain", JointKind::Revolute)] {
        scenes.extend([1e3, 1e4].map(|mass| (name, chain(10, mass, kind))));
    }
    for (name, description) in scenes {
        for rate in [30.0, 60.0, 240.0] {
            let mut tree = tilted(&description, std::f64::consts::FRAC_PI_3);
            let (change, substeps) = run(&mut tree, 60.0, 1.0 / rate, &TreeOptions::default());
            println!("{name} at 1/{rate}: energy {change:.1e} of the scale, {substeps} substeps");
        }
    }
}

/// Zero crossings of the angle give the period; linear interpolation between steps of 1 ms is exact to 1e-6 s.
fn period(tree: &mut Tree, h: f64) -> f64 {
    let angle = |tree: &Tree| {
        let down = tree.pose(0).translation;
        libm::atan2(down.x, -down.y)
    };
    let mut crossings = Vec::new();
    let mut before = angle(tree);
    for step in 0..(6.0 / h) as usize {
        tree.step(h, GRAVITY, &TreeOptions::default());
        let now = angle(tree);
        if before > 0.0 && now <= 0.0 {
            crossings.push((step as f64 + before / (before - now)) * h);
        }
        before = now;
    }
    crossings[1] - crossings[0]
}

/// From horizontal, 1 m: an almost massless rod with a point at its end 2.367842 s, a uniform rod 1.933335 s.
#[test]
fn pendulums_swing_with_their_known_periods() {
    let mut node = rod(None, DVec3::ZERO, 2.0, 1.0, JointKind::Revolute);
    node.inertia = glam::DMat3::from_diagonal(DVec3::splat(1e-9));
    let mut point =
        tilted(&TreeDescription { nodes: vec![node], loops: vec![] }, std::f64::consts::FRAC_PI_2);
    assert!((period(&mut point, 1e-3) - 2.367842).abs() < 1e-5);

    let mut node = rod(None, DVec3::ZERO, 1.0, 1.0, JointKind::Ball);
    node.inertia = glam::DMat3::from_diagonal(DVec3::new(1.0, 1e-3, 1.0) / 12.0);
    let mut uniform =
        tilted(&TreeDescription { nodes: vec![node], loops: vec![] }, std::f64::consts::FRAC_PI_2);
    assert!((period(&mut uniform, 1e-3) - 1.933335).abs() < 1e-5);
}

/// Errors against a run with a sixteenth of the step fall by four with each halving.
#[test]
fn the_step_has_order_two() {
    let description = chain(5, 1.0, JointKind::Ball);
    let end = |steps: u32| {
        let mut tree = tilted(&description, 0.8);
        for _ in 0..steps {
            tree.step(1.0 / f64::from(steps), GRAVITY, &TreeOptions::default());
        }
        tree.pose(4).translation
    };
    let reference = end(1920);
    let errors = [60, 120, 240].map(|steps| (end(steps) - reference).length());
    for pair in errors.windows(2) {
        let order = libm::log2(pair[0] / pair[1]);
        assert!((1.8..2.3).contains(&order), "order {order}, errors {errors:?}");
    }
}

/// Springs exchange energy exactly, dampers only take it, soft and stiff, at steps far above their own periods.
#[test]
fn springs_and_dampers_never_feed_energy() {
    for (stiffness, damping) in [(200.0, 0.0), (1e5, 10.0), (1e7, 1e5)] {
        let mut description = menagerie(JointKind::Free);
        for node in &mut description.nodes {
            let spring =
                Spring::PiecewiseLinear { inner: stiffness, outer: 0.5 * stiffness, knee: 0.05, rest: 0.02 };
            node.joint.elements = [ForceElement { spring, damping, motor: 0.0 }; 6];
        }
        let mut tree = shaken(&description, 1.0);
        let mut before = energy(&tree);
        let scale = before.abs().max(100.0);
        for _ in 0..240 {
            let report = tree.step(1.0 / 60.0, GRAVITY, &TreeOptions::default());
            let now = energy(&tree);
            // Newton stops at 1e-6 rad/s; against the stiffest spring that is some 1e-9 of the energy.
            assert!(now <= before + 1e-8 * scale, "{stiffness} {damping}: rose by {:e}", now - before);
            assert_eq!(report.given_up, 0);
            before = now;
        }
    }
}

/// A driven hinge is where it was told to be, whatever hangs on it, also when the step had to be halved.
#[test]
fn driven_joints_follow_their_drives() {
    let mut description = menagerie(JointKind::Free);
    description.nodes[1].joint.driven = true;
    description.nodes[3].joint.driven = true;
    let mut tree = shaken(&description, 0.0);
    let h = 1.0 / 60.0;
    for step in 1..=120 {
        let t = f64::from(step) * h;
        let target = Drive { position: 0.5 * t * t, rate: t, acceleration: 1.0 };
        assert!(tree.drive(1, 0, target) && tree.drive(3, 0, target) && !tree.drive(2, 0, target));
        tree.step(h, GRAVITY, &TreeOptions::default());
        for node in [1, 3] {
            let (position, rate) = tree.coordinate(node, 0).unwrap();
            assert!((position - target.position).abs() < 1e-12 && (rate - target.rate).abs() < 1e-12);
        }
        assert!(tree.velocity_error() < 1e-10);
    }
}

/// An arch of rods hung at both ends, let fall. (Stretched straight it would be singular.)
#[test]
fn closed_loops_stay_closed_and_gain_no_energy() {
    for (count, kind) in [(4, JointKind::Ball), (10, JointKind::Ball)] {
        let mut description = chain(count, 1.0, kind);
        for node in &mut description.nodes[1..] {
            node.joint.frame_in_parent.rotation *= glam::DQuat::from_rotation_x(2.0 / f64::from(count));
        }
        let end = Some(count - 1);
        let tip = DVec3::Y * -0.1;
        let tree = tilted(&description, 1.2);
        let world = tree.pose(count as usize - 1).transform_point(tip);
        description.loops.push(Loop { nodes: [None, end], points: [world, tip], axes: None });
        let mut tree = tilted(&description, 1.2);
        let mut before = energy(&tree);
        for step in 0..150 {
            let report = tree.step(1.0 / 30.0, GRAVITY, &TreeOptions::default());
            let now = energy(&tree);
            assert!(now <= before + 1e-9, "step {step}: rose by {:e}", now - before);
            assert!(report.position_error < 1e-9, "step {step}: {:e}", report.position_error);
            assert_eq!(report.given_up, 0);
            before = now;
        }
    }
}

/// Two cranks and a coupler on hinges, closed by a hinge: two of its five rows say what the others say already.
#[test]
fn a_four_bar_closed_by_a_hinge_turns() {
    let mut description = chain(3, 1.0, JointKind::Revolute);
    let tip = DVec3::Y * -0.1;
    description.nodes[1].joint.frame_in_parent.rotation *= glam::DQuat::from_rotation_x(1.2);
    description.nodes[2].joint.frame_in_parent.rotation *= glam::DQuat::from_rotation_x(1.0);
    let tree = Tree::new(&description).unwrap();
    let world = tree.pose(2).transform_point(tip);
    description.loops.push(Loop {
        nodes: [None, Some(2)],
        points: [world, tip],
        axes: Some([DVec3::Z, DVec3::Z]),
    });
    let mut tree = Tree::new(&description).unwrap();
    let mut before = energy(&tree);
    for step in 0..150 {
        let report = tree.step(1.0 / 60.0, GRAVITY, &TreeOptions::default());
        let now = energy(&tree);
        assert!(now <= before + 1e-9 && report.position_error < 1e-9, "step {step}: {report:?}");
        before = now;
    }
    assert!(tree.kinetic_energy() > 1e-3);
}

#[test]
fn keeping_energy_costs_no_momentum() {
    let options = TreeOptions { keep_energy: true, ..TreeOptions::default() };
    let mut hanging = tilted(&binary_tree(31), std::f64::consts::FRAC_PI_3);
    let start = energy(&hanging);
    let (change, _) = run(&mut hanging, 5.0, 1.0 / 30.0, &options);
    // A tenth of what the plain step loses in this run.
    assert!(change > -1e-3, "{change:e} of {start}");

    let mut floating = shaken(&menagerie(JointKind::Free), 1.0);
    let mut plain = floating.clone();
    let before = floating.momentum();
    for _ in 0..120 {
        floating.step(1.0 / 30.0, DVec3::ZERO, &options);
        plain.step(1.0 / 30.0, DVec3::ZERO, &TreeOptions::default());
    }
    assert!(floating.kinetic_energy() > plain.kinetic_energy());
    assert!((floating.momentum() - before).force.length() < 1e-10);
}

#[test]
fn limiting_the_loss_halves_steps_until_it_holds() {
    let lost = |max_loss| {
        let options = TreeOptions { max_loss, ..TreeOptions::default() };
        run(&mut tilted(&binary_tree(31), std::f64::consts::FRAC_PI_3), 3.0, 1.0 / 30.0, &options).0
    };
    assert!(lost(1e-5) > 0.5 * lost(f64::INFINITY));
}

/// A tree saved in mid-motion goes on to the same bits.
#[test]
fn a_restored_tree_goes_on_bit_by_bit() {
    let mut tree = shaken(&menagerie(JointKind::Ball), 1.0);
    for _ in 0..20 {
        tree.step(1.0 / 60.0, GRAVITY, &TreeOptions::default());
    }
    let saved = postcard::to_allocvec(&(tree.save(), tree.inputs())).unwrap();
    let (state, inputs) = postcard::from_bytes(&saved).unwrap();
    let mut other = Tree::new(&menagerie(JointKind::Ball)).unwrap();
    assert!(other.restore(&state) && other.set_inputs(&inputs));
    for _ in 0..20 {
        tree.step(1.0 / 60.0, GRAVITY, &TreeOptions::default());
        other.step(1.0 / 60.0, GRAVITY, &TreeOptions::default());
    }
    for node in 0..tree.len() {
        assert_eq!((tree.pose(node), tree.twist(node)), (other.pose(node), other.twist(node)));
    }
}

#[test]
fn a_step_allocates_nothing() {
    let mut description = chain(6, 10.0, JointKind::Ball);
    let tip = DVec3::Y * -0.1;
    let world = tilted(&description, 1.0).pose(5).transform_point(tip);
    description.loops.push(Loop { nodes: [None, Some(5)], points: [world, tip], axes: None });
    let mut tree = tilted(&description, 1.0);
    tree.step(1.0 / 30.0, GRAVITY, &TreeOptions::default());
    let counted = allocation_counter::measure(|| {
        for _ in 0..10 {
            tree.step(1.0 / 30.0, GRAVITY, &TreeOptions::default());
        }
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn wrong_trees_are_refused_by_name() {
    let refuse = |edit: &dyn Fn(&mut TreeDescription)| {
        let mut description = chain(4, 1.0, JointKind::Ball);
        edit(&mut description);
        Tree::new(&description).unwrap_err().to_string()
    };
    assert!(refuse(&|d| d.nodes[1].parent = Some(9)).contains("only 4 nodes"));
    assert!(refuse(&|d| d.nodes[1].parent = Some(3)).contains("-> 2 -> 1"));
    assert!(refuse(&|d| d.nodes[2].mass = -1.0).contains("node 2"));
    assert!(refuse(&|d| d.nodes[2].joint.kind = JointKind::Free).contains("parent must be the world"));
    assert!(refuse(&|d| d.nodes[2].joint.driven = true).contains("no axis to drive"));
    let nowhere = Loop { nodes: [Some(7), None], points: [DVec3::ZERO; 2], axes: None };
    assert!(refuse(&|d| d.loops.push(nowhere)).contains("does not exist"));
}

//! Moreau's time stepping against closed forms.

use glam::{DMat3, DVec2, DVec3};
use prall_math::{Pose, Twist, Wrench};
use prall_mechanics::{Mover, StateHash};
use prall_multibody::{
    Drive, FrameSteps, FrictionSet, Joint, JointKind, Mechanism, Model, Moreau, MoreauContact, MoreauOptions,
    Runner, Tree,
};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A box of 2 kg and 0.2 m, floating, its lower face on y = 0.
fn block(velocity: DVec3) -> Mechanism {
    let mut model = Model::default();
    let inertia = DMat3::from_diagonal(DVec3::splat(2.0 * 0.04 / 6.0));
    model.body("block", None, 2.0, inertia, Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY));
    let mut mechanism = model.build().unwrap();
    let pose = Pose::from_translation(DVec3::Y * 0.1);
    mechanism.tree_mut().load(|_| (pose, Twist::new(velocity, DVec3::ZERO)));
    mechanism
}

/// The four lower corners of the box against y = 0.
fn corners(friction: FrictionSet, restitution: f64) -> impl Fn(&Tree, &mut Vec<MoreauContact>) {
    move |tree, found| {
        for (id, (x, z)) in [(-0.1, -0.1), (0.1, -0.1), (-0.1, 0.1), (0.1, 0.1)].into_iter().enumerate() {
            let point = tree.pose(0).transform_point(DVec3::new(x, -0.1, z));
            found.push(MoreauContact {
                id: id as u64,
                node: 0,
                point,
                normal: DVec3::Y,
                tangent: DVec3::X,
                gap: point.y,
                restitution: [restitution, 0.0],
                friction: friction.clone(),
            });
        }
    }
}

/// Gravity turned instead of the ground.
fn on_slope(tangent: f64, friction: FrictionSet) -> DVec3 {
    let mut block = block(DVec3::ZERO);
    let (sine, cosine) = libm::sincos(libm::atan(tangent));
    let gravity = DVec3::new(sine, -cosine, 0.0) * 9.81;
    let mut moreau = Moreau::default();
    let find = corners(friction, 0.0);
    for _ in 0..1000 {
        let report = moreau.step(&mut block, 1e-3, gravity, &MoreauOptions::default(), &find);
        assert!(report.converged && report.deepest < 1e-4);
    }
    block.tree().twist(0).linear
}

/// tan(slope) = 0.3: with 0.31 it stays, with 0.29 it slides with g (sin - mu cos).
#[test]
fn a_block_on_a_slope_sticks_or_slides_as_coulomb_says() {
    assert!(on_slope(0.3, FrictionSet::Disc { friction: 0.31 }).length() < 1e-4);
    let slid = on_slope(0.3, FrictionSet::Disc { friction: 0.29 }).x;
    let cosine = 1.0 / (1.0_f64 + 0.09).sqrt();
    let exact = 9.81 * (0.3 - 0.29) * cosine;
    assert!((slid - exact).abs() < 1e-3, "{slid} {exact}");
}

/// The same in any direction: down a slope that faces anywhere the block stays, or slides straight down as fast as into any other.
#[test]
fn friction_of_a_disc_has_no_direction() {
    let slide = |turn: f64, friction: f64| {
        let mut block = block(DVec3::ZERO);
        let (sine, cosine) = libm::sincos(libm::atan(0.3));
        let (across, along) = libm::sincos(turn);
        let gravity = DVec3::new(sine * along, -cosine, sine * across) * 9.81;
        let find = corners(FrictionSet::Disc { friction }, 0.0);
        let mut moreau = Moreau::default();
        for _ in 0..1000 {
            moreau.step(&mut block, 1e-3, gravity, &MoreauOptions::default(), &find);
        }
        block.tree().twist(0).linear
    };
    let exact = 9.81 * (0.3 - 0.29) / (1.0_f64 + 0.09).sqrt();
    for turn in [0.0, 0.4, 1.1, 2.0, 2.9, -0.8, -1.9, -2.6] {
        let (across, along) = libm::sincos(turn);
        let slid = slide(turn, 0.29) - DVec3::new(along, 0.0, across) * exact;
        // Until the corners are closed, in the first millisecond, nothing holds it: 9.81 * 0.29 * 1e-3.
        assert!(slid.length() < 2.8e-3, "{turn}: off by {slid}");
        assert!(slide(turn, 0.31).length() < 1e-4, "{turn}");
    }
}

/// Newton's law in the form that leaves nothing open: at every closed contact the impulse does not pull, the speed after it plus the share of the speed
/// before is not towards the ground, and one of both is zero.
#[test]
fn impulses_and_speeds_are_complementary() {
    const SHARE: f64 = 0.3;
    // What a block that spins with 5 rad/s turns within a step moves the speed of its corners by: 2e-5 * 25 * 0.17.
    const H: f64 = 2e-5;
    const TURNED: f64 = 2e-4;
    let mut block = block(DVec3::new(2.0, 3.0, 0.5));
    let turned = Pose::new(glam::DQuat::from_rotation_x(0.3), DVec3::Y * 0.4);
    block.tree_mut().load(|_| (turned, Twist::new(DVec3::new(2.0, 1.0, 0.5), DVec3::new(3.0, 0.0, -2.0))));
    let mut moreau = Moreau::default();
    let find = corners(FrictionSet::Disc { friction: 0.2 }, SHARE);
    // Nothing is paid back for depth: the law alone.
    let options =
        MoreauOptions { relative: 1e-11, absolute: 1e-11, recovery: 0.0, ..MoreauOptions::default() };
    let corner =
        |id: u64| DVec3::new([-0.1, 0.1, -0.1, 0.1][id as usize], -0.1, [-0.1, -0.1, 0.1, 0.1][id as usize]);
    let (mut pressed, mut parted) = (0, 0);
    for _ in 0..40_000 {
        let before = block.clone();
        let mut closed = Vec::new();
        let mut middle = Pose::IDENTITY;
        moreau.step(&mut block, H, GRAVITY, &options, |tree, found| {
            find(tree, found);
            middle = tree.pose(0);
            closed.extend(found.iter().filter(|contact| contact.gap <= 0.0).map(|contact| contact.id));
        });
        for id in closed {
            // Speeds at the place where the step looked: half a step on, with the velocities of its ends.
            let arm = middle.transform_vector(corner(id));
            let speed = |block: &Mechanism| {
                let twist = block.tree().twist(0);
                (twist.linear + twist.angular.cross(arm)).y
            };
            let left = speed(&block) + SHARE * speed(&before);
            let impulse = moreau.percussion(id).x;
            assert!(impulse >= 0.0 && left > -TURNED, "{impulse} N s, {left} m/s");
            assert!(impulse < 1e-9 || left < TURNED, "{impulse} N s, {left} m/s");
            if impulse > 1e-9 { pressed += 1 } else { parted += 1 }
        }
    }
    assert!(pressed > 1000 && parted > 3, "{pressed} {parted}");
}

/// A runner's grip across follows from its load: a block that slides across on four of them, under a load that each carries a quarter of, is slowed by
/// the coefficient between the two bounds, and beyond the full load by the upper one.
#[test]
fn a_runner_slides_across_against_the_friction_of_its_load() {
    let runner = Runner::new(0.012, 0.004, [0.1, 0.3], 1000.0).unwrap();
    for load in [100.0, 400.0, 900.0, 1000.0, 2500.0] {
        let mut block = block(DVec3::new(0.0, 0.0, 5.0));
        // Feet at the height of its centre of mass: friction turns nothing.
        let find = |tree: &Tree, found: &mut Vec<MoreauContact>| {
            corners(FrictionSet::Runner(runner), 0.0)(tree, found);
            found
                .iter_mut()
                .for_each(|contact| (contact.point.y, contact.gap) = (tree.pose(0).translation.y, 0.0));
        };
        block.tree_mut().set_load(0, Wrench::new(DVec3::NEG_Y * (4.0 * load), DVec3::ZERO));
        let mut moreau = Moreau::default();
        let options = MoreauOptions { relative: 1e-10, absolute: 1e-10, ..MoreauOptions::default() };
        for _ in 0..10 {
            moreau.step(&mut block, 1e-4, DVec3::ZERO, &options, find);
        }
        let across = 0.1 + 0.2 * f64::min(load / 1000.0, 1.0);
        let slowed = (5.0 - block.tree().twist(0).linear.z) * 2.0 / 1e-3;
        assert!((slowed / (4.0 * load * across) - 1.0).abs() < 1e-6, "{load} N: {slowed} N");
    }
}

/// A runner that faces downhill slides from tan(slope) = mu_t on; across, its own coefficient holds it.
#[test]
fn a_runner_slides_along_and_holds_across() {
    let runner = Runner::new(0.004, 0.002, [0.2, 0.3], 1000.0).unwrap();
    assert!(on_slope(0.0038, FrictionSet::Runner(runner)).length() < 1e-4);
    assert!(on_slope(0.0060, FrictionSet::Runner(runner)).x > 0.01);
    let across = FrictionSet::Ellipse { friction: DVec2::new(0.5, 0.01) };
    assert!(on_slope(0.4, across).length() < 1e-4);
}

/// Four corners hit at once: the centre returns with the restitution's share of its speed.
#[test]
fn an_impact_returns_the_share_that_newton_says() {
    let mut block = block(DVec3::Y * -4.0);
    let mut moreau = Moreau::default();
    let find = corners(FrictionSet::Disc { friction: 0.3 }, 0.05);
    moreau.step(&mut block, 1e-5, DVec3::ZERO, &MoreauOptions::default(), &find);
    let velocity = block.tree().twist(0);
    assert!((velocity.linear - DVec3::Y * 0.2).length() < 1e-5, "{velocity:?}");
    assert!(velocity.angular.length() < 1e-3);
}

/// A lone corner, hit obliquely: its velocity comes back by the share along the normal and by another across, as long as friction holds
/// it. Where it does not, the impulse lies on the cone and the normal share stays.
#[test]
fn a_lone_hit_turns_back_by_both_shares() {
    let shares = [0.3, 0.4];
    for (friction, holds) in [(50.0, true), (0.05, false)] {
        let mut block = block(DVec3::new(1.5, -4.0, -0.5));
        let mut moreau = Moreau::default();
        let corner = DVec3::new(0.1, -0.1, -0.1);
        let find = |tree: &Tree, found: &mut Vec<MoreauContact>| {
            let set = FrictionSet::Disc { friction };
            corners(set, shares[0])(tree, found);
            found.retain(|contact| contact.id == 1);
            found[0].restitution = shares;
            found[0].gap = found[0].gap.min(0.0);
        };
        let at = |block: &Mechanism| {
            let tree = block.tree();
            tree.twist_at(0, tree.pose(0).transform_point(corner)).linear
        };
        let before = at(&block);
        let options = MoreauOptions { relative: 1e-12, absolute: 1e-12, ..MoreauOptions::default() };
        // So short a step turns the block by less than 1e-6.
        let report = moreau.step(&mut block, 1e-8, DVec3::ZERO, &options, find);
        let (after, impulse) = (at(&block), moreau.percussion(1));
        assert!(report.converged && (after.y + shares[0] * before.y).abs() < 1e-5, "{after}");
        let across = (after + before * shares[1]) * DVec3::new(1.0, 0.0, 1.0);
        assert_eq!(across.length() < 1e-5, holds, "{after}");
        let on_cone = libm::hypot(impulse.y, impulse.z) - friction * impulse.x;
        assert_eq!(on_cone.abs() < 1e-9, !holds, "{impulse}");
        assert!(on_cone < 1e-9);
    }
}

/// Contacts are looked for half a step ahead by the old velocity, and the other half is gone with the new one: of the second order in flight,
/// and nothing in it seeks the moment of an impact.
#[test]
fn a_step_goes_half_with_the_old_velocity_and_half_with_the_new() {
    let (h, start, velocity) = (0.01, DVec3::Y * 0.1, DVec3::new(0.5, -2.0, 0.25));
    let mut block = block(velocity);
    let mut seen = Vec::new();
    Moreau::default().step(&mut block, h, GRAVITY, &MoreauOptions::default(), |tree, found| {
        seen.push(tree.pose(0).translation);
        corners(FrictionSet::Disc { friction: 0.2 }, 0.5)(tree, found);
    });
    assert_eq!(seen.len(), 1);
    assert!((seen[0] - (start + velocity * (0.5 * h))).length() < 1e-15);
    let after = block.tree().twist(0).linear;
    // Newton's law of the corners, without an event.
    assert!((after.y - 1.0).abs() < 1e-4, "{after}");
    let end = start + (velocity + after) * (0.5 * h);
    assert!((block.tree().pose(0).translation - end).length() < 1e-15);
    // Without contacts that is the parabola itself.
    let mut thrown = self::block(velocity);
    for _ in 0..100 {
        Moreau::default().step(&mut thrown, h, GRAVITY, &MoreauOptions::default(), |_, _| {});
    }
    let parabola = start + velocity + GRAVITY * 0.5;
    assert!((thrown.tree().pose(0).translation - parabola).length() < 1e-12);
}

/// Four corners share a weight that lies off their middle. Each of the two tolerances alone ends the sweeps, sooner where it is wider, and what
/// is left is in proportion to it; the exact impulse of all is weight times step.
#[test]
fn sweeps_end_by_either_tolerance() {
    let h = 1e-3;
    let rest = |relative: f64, absolute: f64| {
        let mut block = block(DVec3::ZERO);
        block.tree_mut().set_load(0, Wrench::new(DVec3::ZERO, DVec3::new(0.3, 0.0, -0.5)));
        let options = MoreauOptions { relative, absolute, ..MoreauOptions::default() };
        let mut moreau = Moreau::default();
        let find = corners(FrictionSet::Disc { friction: 0.5 }, 0.0);
        let report = moreau.step(&mut block, h, GRAVITY, &options, |tree, found| {
            find(tree, found);
            found.iter_mut().for_each(|contact| contact.gap = 0.0);
        });
        assert!(report.converged);
        let total: f64 = moreau.percussions().map(|(_, impulse)| impulse.x).sum();
        (report.sweeps, (total - 2.0 * 9.81 * h).abs())
    };
    // Some components are zero, which no relative bound lets pass: 1e-300 does.
    let by_share = [1e-2, 1e-5, 1e-8].map(|relative| rest(relative, 1e-300));
    let by_size = [1e-4, 1e-7, 1e-10].map(|absolute| rest(0.0, absolute));
    for runs in [by_share, by_size] {
        assert!(runs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1), "{runs:?}");
    }
    let weight = 2.0 * 9.81 * h;
    assert!(by_share[2].1 < 1e-6 * weight && by_size[2].1 < 1e-8, "{by_share:?} {by_size:?}");
}

#[test]
fn a_thrown_block_never_gains_energy_and_comes_to_rest() {
    let mut block = block(DVec3::new(2.0, 1.0, 0.5));
    let mut moreau = Moreau::default();
    let find = corners(FrictionSet::Disc { friction: 0.4 }, 0.3);
    let energy = |block: &Mechanism| block.tree().kinetic_energy() + block.tree().potential_energy(GRAVITY);
    let mut before = energy(&block);
    for _ in 0..3000 {
        moreau.step(&mut block, 1e-3, GRAVITY, &MoreauOptions::default(), &find);
        let now = energy(&block);
        // A touch on edge leaves first-order errors of the midpoint in the spin.
        assert!(now < before + 1e-3, "rose by {}", now - before);
        before = now;
    }
    assert!(block.tree().twist(0).linear.length() < 1e-3);
    assert!((block.tree().pose(0).translation.y - 0.1).abs() < 1e-4);
}

/// A rod at tan = 2 whose tip slides with 5 m/s: from mu 4/3 on there is no motion without an impulse. It jams with a
/// bounded one, at once, and the tip rests.
#[test]
fn painleves_rod_passes_with_a_bounded_impulse() {
    let (sine, cosine) = (2.0 / 5.0_f64.sqrt(), 1.0 / 5.0_f64.sqrt());
    let half = DVec3::new(cosine, sine, 0.0);
    for direction in [-1.0, 1.0] {
        for friction in [1.2, 1.5, 2.5] {
            let mut model = Model::default();
            let inertia = DMat3::from_diagonal(DVec3::splat(1.0 / 3.0));
            model.body(
                "rod",
                None,
                1.0,
                inertia,
                Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY),
            );
            let mut rod = model.build().unwrap();
            let velocity = Twist::new(DVec3::X * (5.0 * direction), DVec3::ZERO);
            rod.tree_mut().load(|_| (Pose::from_translation(half), velocity));
            let mut moreau = Moreau::default();
            let start = rod.tree().kinetic_energy() + rod.tree().potential_energy(GRAVITY);
            for _ in 0..20 {
                moreau.step(&mut rod, 1e-3, GRAVITY, &MoreauOptions::default(), |tree, found| {
                    let point = tree.pose(0).transform_point(-half);
                    found.push(MoreauContact {
                        id: 1,
                        node: 0,
                        point,
                        normal: DVec3::Y,
                        tangent: DVec3::X,
                        gap: point.y,
                        restitution: [0.0; 2],
                        friction: FrictionSet::Disc { friction },
                    });
                });
                assert!(moreau.percussion(1).length() < 5.0, "{direction} {friction}");
            }
            let tree = rod.tree();
            assert!(tree.is_finite() && tree.pose(0).transform_point(-half).y > -1e-3);
            assert!(tree.kinetic_energy() + tree.potential_energy(GRAVITY) < start + 1e-2);
        }
    }
}

/// Virtual power: what the drive of a steered foot feels, times a small turn of it, is the work of the contact force on
/// the way of its point.
#[test]
fn a_drive_feels_the_contact_behind_it() {
    let mut model = Model::default();
    let inertia = DMat3::from_diagonal(DVec3::splat(0.1));
    model.body("base", None, 5.0, inertia, Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY));
    let turn = glam::DQuat::from_rotation_arc(DVec3::X, DVec3::new(0.3, 0.4, 0.866).normalize());
    let hinge = Pose::new(turn, DVec3::new(0.1, -0.2, 0.0));
    let mut joint = Joint::new(JointKind::Revolute, hinge, Pose::new(turn, DVec3::X * -0.5));
    joint.driven = true;
    model.body("foot", Some("base"), 1.0, inertia, joint);
    let mut mechanism = model.build().unwrap();
    assert!(mechanism.drive("foot", 0, Drive::default()) && !mechanism.drive("base", 0, Drive::default()));
    let toe = DVec3::new(0.2, -0.1, 0.1);
    let mut moreau = Moreau::default();
    let mut touched = DVec3::ZERO;
    moreau.step(&mut mechanism, 1e-4, GRAVITY, &MoreauOptions::default(), |tree, found| {
        touched = tree.pose(1).transform_point(toe);
        found.push(MoreauContact {
            id: 7,
            node: 1,
            point: touched,
            normal: DVec3::Y,
            tangent: DVec3::X,
            gap: -1e-9,
            restitution: [0.0; 2],
            friction: FrictionSet::Disc { friction: 0.5 },
        });
    });
    let p = moreau.percussion(7);
    let force = (DVec3::Y * p.x + DVec3::X * p.y + DVec3::NEG_Z * p.z) / 1e-4;
    assert!(force.y > 1.0);
    let felt = moreau.loads().iter().find(|load| load.node == 1).unwrap().load;
    let before = mechanism.tree().pose(1).transform_point(toe);
    mechanism.drive("foot", 0, Drive { position: 1e-6, ..Drive::default() });
    mechanism.tree_mut().advance(0.0, 1.0);
    let way = mechanism.tree().pose(1).transform_point(toe) - before;
    // Half the turn of second order, and half a step's motion between touch and end.
    assert!((felt - force.dot(way) / 1e-6).abs() < 1e-3 * felt.abs(), "{felt} {}", force.dot(way) / 1e-6);
}

/// A frame of 83 steps, saved in between, ends with the same hash.
#[test]
fn a_restored_mechanism_goes_on_bit_by_bit() {
    let hash = |mechanism: &Mechanism| {
        let mut hash = StateHash::new();
        Mover::hash(mechanism, &mut hash);
        hash.finish()
    };
    let mut first = block(DVec3::new(2.0, 1.0, 0.5));
    let mut moreau = Moreau::default();
    let find = corners(FrictionSet::Disc { friction: 0.4 }, 0.3);
    let options = MoreauOptions::default();
    moreau.frame(&mut first, FrameSteps { seconds: 0.3, steps: 300 }, GRAVITY, &options, |_, _| {}, &find);
    let mut second = block(DVec3::ZERO);
    second.restore(&first.save()).unwrap();
    let mut moreau_too = moreau.clone();
    moreau.frame(&mut first, FrameSteps::default(), GRAVITY, &options, |_, _| {}, &find);
    moreau_too.frame(&mut second, FrameSteps::default(), GRAVITY, &options, |_, _| {}, &find);
    assert_eq!(hash(&first), hash(&second));
    assert!(second.restore(&[1, 2, 3]).is_err());
}

/// On a long branch the common way of contacts is folded to six directions; what the percussions do is the same as contact by contact.
#[test]
fn contacts_at_the_end_of_a_long_chain_act_as_their_percussions_do() {
    let mut model = Model::default();
    let inertia = DMat3::from_diagonal(DVec3::new(1e-3, 4e-3, 4e-3));
    for number in 0..60_usize {
        let (parent, before) = (format!("{}", number.wrapping_sub(1)), if number == 0 { 0.0 } else { 0.1 });
        let kind = if number % 3 == 0 { JointKind::Revolute } else { JointKind::Ball };
        let frame = |x: f64| Pose::from_translation(DVec3::X * x);
        let joint = Joint::new(kind, frame(before), frame(-0.1));
        model.body(&format!("{number}"), (number > 0).then_some(parent.as_str()), 1.0, inertia, joint);
    }
    let mut chain = model.build().unwrap();
    let find = |tree: &Tree, found: &mut Vec<MoreauContact>| {
        for node in [52, 55, 57, 59] {
            found.push(MoreauContact {
                id: node as u64,
                node,
                point: tree.pose(node).translation + DVec3::new(0.02, -0.01, 0.03),
                normal: DVec3::new(0.0, 0.8, 0.6),
                tangent: DVec3::X,
                gap: -1e-9,
                restitution: [0.0; 2],
                friction: FrictionSet::Disc { friction: 0.5 },
            });
        }
    };
    let mut moreau = Moreau::default();
    let gravity = DVec3::new(0.0, -9.81, 0.3);
    let (mut before, h) = (chain.clone(), 1e-4);
    let options = MoreauOptions { absolute: 1e-12, relative: 1e-12, ..MoreauOptions::default() };
    let report = moreau.step(&mut chain, h, gravity, &options, find);
    assert!(report.closed == 4 && report.converged);
    // The same percussions one after the other, each by the way that knows nothing of the others.
    let tree = before.tree_mut();
    tree.advance(0.5 * h, 1.0);
    let mut contacts = Vec::new();
    find(tree, &mut contacts);
    tree.predict(h, gravity);
    for contact in &contacts {
        let percussion = moreau.percussion(contact.id);
        assert!(percussion.x > 1e-6, "{percussion}");
        let across = contact.normal.cross(contact.tangent);
        let impulse = contact.normal * percussion.x + contact.tangent * percussion.y + across * percussion.z;
        tree.apply(contact.node, contact.point, Wrench::new(impulse, DVec3::ZERO));
    }
    // Nothing approaches any more, and what slides is held back: the law, by velocities that the fold did not compute.
    for contact in &contacts {
        let velocity = tree.twist_at(contact.node, contact.point).linear.dot(contact.normal);
        assert!(velocity.abs() < 1e-9, "{velocity:e}");
    }
    tree.advance(0.5 * h, 0.0);
    for node in 0..60 {
        let error = chain.tree().twist(node) - tree.twist(node);
        // Velocities of 1e-3 m/s through pivots of some 1e6.
        assert!(error.linear.length() < 1e-11, "{node}: {:e}", error.linear.length());
    }
}

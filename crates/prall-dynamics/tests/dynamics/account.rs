//! The account of a step closes, whatever solver moves what: every joule has a name.

use crate::energy::{Random, bennett};
use crate::support::*;
use glam::{DQuat, DVec3};
use prall_dynamics::{
    BodyDefinition, Drive, EnergyAccount, Grip, JointDefinition, JointKind, JointPlace, Material, Motor,
    Solver, SpringDamper, World, WorldOptions,
};
use prall_geometry::Shape;
use prall_math::{Pose, Twist, Wrench};
use prall_mechanics::audit;

/// What the auditor says, from poses, velocities and masses alone.
fn energy_of(world: &World) -> f64 {
    let bodies: Vec<_> = world.mass_states().collect();
    audit::energy(&bodies, world.options().gravity)
}

/// Runs a world; in every step the account's change is that of poses and velocities, and nothing is left beyond `share` of all terms. Returns
/// the sum of each term.
fn closes(world: &mut World, steps: usize, share: f64, story: &str) -> EnergyAccount {
    let mut sums = EnergyAccount::default();
    let mut energy = energy_of(world);
    for step in 0..steps {
        let account = world.advance().energy;
        let now = energy_of(world);
        let scale = account.terms().iter().map(|term| term.abs()).sum::<f64>()
            + account.kinetic_before
            + account.kinetic_after;
        // Potential energies of the whole world round by their size.
        let rounding = 1e-13 * (account.potential_before.abs() + scale);
        assert!((account.change() - (now - energy)).abs() <= rounding, "{story}, step {step}: {account:?}");
        assert!(account.unexplained.abs() <= share * scale + rounding, "{story}, step {step}: {account:?}");
        energy = now;
        for (sum, term) in [
            (&mut sums.loads, account.loads),
            (&mut sums.hands, account.hands),
            (&mut sums.given_motions, account.given_motions),
            (&mut sums.drives, account.drives),
            (&mut sums.impacts, account.impacts),
            (&mut sums.friction, account.friction),
            (&mut sums.joint_friction, account.joint_friction),
            (&mut sums.joints, account.joints),
            (&mut sums.trees, account.trees),
            (&mut sums.shock, account.shock),
            (&mut sums.stopping, account.stopping),
            (&mut sums.projection, account.projection),
            (&mut sums.sleeping, account.sleeping),
            (&mut sums.integration, account.integration),
            (&mut sums.clamped, account.clamped),
        ] {
            *sum += term;
        }
    }
    sums
}

fn of(restitution: f64) -> Material {
    Material { restitution, ..Material::default() }
}

/// Bodies of all kinds that are thrown together and come to rest: impacts, friction, the shock pass, overlaps taken apart.
#[test]
fn a_heap_is_explained() {
    for (restitution, sequential) in [(0.0, true), (0.6, false), (0.6, true), (1.0, true)] {
        let mut options = WorldOptions { time_step: 1.0 / 120.0, ..WorldOptions::default() };
        options.contact.sequential_impacts = sequential;
        let mut world = World::new(options).unwrap();
        add_floor(&mut world);
        let mut random = Random(3);
        for i in 0..40 {
            let shape = match i % 4 {
                0 => Shape::cuboid(DVec3::new(0.1, 0.15, 0.2)).unwrap(),
                1 => Shape::sphere(0.12).unwrap(),
                2 => Shape::capsule(0.15, 0.08).unwrap(),
                _ => Shape::cuboid(DVec3::splat(0.12)).unwrap(),
            };
            let at = DVec3::new(f64::from(i % 3), 1.0 + f64::from(i / 9), f64::from(i / 3 % 3)) * 0.4;
            let body = BodyDefinition::dynamic(shape, 500.0)
                .in_pose(Pose::new(DQuat::from_scaled_axis(random.vector()), at))
                .moving(random.vector() * 3.0, random.vector() * 5.0);
            let rolls = Material { rolling_arm: 1e-3, ..of(restitution) };
            world.add_body(&BodyDefinition { material: rolls, ..body }).unwrap();
        }
        // A product of a few thousand impulses and velocities rounds by 1e-13.
        let sums = closes(&mut world, 240, 1e-10, &format!("heap with e = {restitution}"));
        assert!(sums.impacts < -10.0 && sums.friction < -10.0, "{sums:?}");
    }
}

/// Fast bodies that the sweep stops.
#[test]
fn stopped_bodies_are_explained() {
    let mut world = World::new(WorldOptions { time_step: 1.0 / 60.0, ..WorldOptions::default() }).unwrap();
    add_floor(&mut world);
    let mut random = Random(8);
    for i in 0..12 {
        let stick = BodyDefinition::dynamic(Shape::cuboid(DVec3::new(0.3, 0.02, 0.03)).unwrap(), 1000.0)
            .at(DVec3::new(f64::from(i), 1.0 + 0.2 * f64::from(i % 4), 0.0))
            .moving(random.vector() * 30.0, random.vector() * 200.0);
        world.add_body(&BodyDefinition { material: of(0.5), ..stick }).unwrap();
    }
    let mut stopped = 0;
    for _ in 0..3 {
        let sums = closes(&mut world, 40, 1e-10, "sticks");
        stopped += usize::from(sums.stopping != 0.0);
    }
    assert!(stopped > 0);
}

/// Joints in flight and on the ground, by each solver, with motors, springs, friction and limits.
#[test]
fn joints_are_explained() {
    for solver in [Solver::Iterative, Solver::Direct, Solver::Auto] {
        let mut world = world(1.0 / 120.0, solver);
        add_floor(&mut world);
        let mut above = world.ground();
        for i in 0..6 {
            let top = DVec3::new(0.3 * f64::from(i), 1.0, 0.0);
            let link = BodyDefinition::dynamic(Shape::cuboid(DVec3::new(0.13, 0.03, 0.03)).unwrap(), 1000.0);
            let link = world.add_body(&link.at(top + DVec3::X * 0.15)).unwrap();
            let mut hinge = JointDefinition::hinge(above, link, top, DVec3::Z);
            hinge.drives[0] = match i {
                1 => Drive { motor: Some(Motor { speed: 3.0, strength: 4.0 }), ..Drive::default() },
                2 => Drive { friction: 0.5, ..Drive::default() },
                3 => Drive {
                    spring: Some(SpringDamper { stiffness: 30.0, damping: 0.3, rest: 0.2 }),
                    ..Drive::default()
                },
                4 => Drive { limits: Some((-0.3, 0.3)), ..Drive::default() },
                _ => Drive::default(),
            };
            world.add_joint(&hinge).unwrap();
            above = link;
        }
        let sums = closes(&mut world, 240, 1e-9, &format!("chain by {solver:?}"));
        assert!(sums.drives != 0.0 && sums.joint_friction < 0.0 && sums.impacts < 0.0, "{sums:?}");
    }
}

/// A tree that flies, one that closes a loop, and loads on them.
#[test]
fn trees_are_explained() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    let bodies = tree(&mut world, 15);
    world.set_load(bodies[9], Wrench::new(DVec3::new(3.0, 0.0, 1.0), DVec3::new(0.0, 0.1, 0.0))).unwrap();
    // What Newton's method leaves of a whipping tree.
    let sums = closes(&mut world, 300, 1e-6, "tree");
    assert!(sums.loads != 0.0, "{sums:?}");
    let mut world = crate::support::world(1.0 / 60.0, Solver::Tree);
    bennett(&mut world, [40.0, 70.0]);
    closes(&mut world, 300, 1e-6, "Bennett's linkage");
}

/// Conveyor, hand and load.
#[test]
fn work_from_outside_is_explained() {
    let mut world = world(1.0 / 120.0, Solver::Auto);
    let belt = BodyDefinition::kinematic(Shape::cuboid(DVec3::new(20.0, 0.1, 1.0)).unwrap());
    world.add_body(&belt.at(DVec3::Y * -0.1).moving(DVec3::X * 2.0, DVec3::ZERO)).unwrap();
    let cubes: Vec<_> =
        (0..3).map(|i| world.add_body(&cube(0.1).at(DVec3::new(f64::from(i), 0.1, 0.0))).unwrap()).collect();
    world.set_load(cubes[1], Wrench::new(DVec3::Z * 20.0, DVec3::Y)).unwrap();
    let grip = Grip { point: DVec3::splat(0.1), ..Grip::default() };
    let hand = world.grab(cubes[2], &grip).unwrap();
    assert!(world.pull(hand, DVec3::new(2.0, 1.0, 0.5)));
    let sums = closes(&mut world, 120, 1e-10, "belt");
    assert!(sums.given_motions > 1.0 && sums.hands > 1.0 && sums.loads != 0.0, "{sums:?}");
    // A pendulum on a body that is moved.
    let mut world = crate::support::world(1.0 / 120.0, Solver::Iterative);
    let crank = BodyDefinition::kinematic(Shape::sphere(0.05).unwrap()).at(DVec3::Y);
    let crank = world.add_body(&crank.moving(DVec3::X, DVec3::ZERO)).unwrap();
    let bob = world.add_body(&ball(0.05)).unwrap();
    let joint = JointDefinition::new(
        JointKind::BALL,
        crank,
        bob,
        JointPlace::World(Pose::from_translation(DVec3::Y)),
    );
    world.add_joint(&joint).unwrap();
    world.set_velocity(crank, Twist { linear: DVec3::X * 2.0, angular: DVec3::ZERO }).unwrap();
    let sums = closes(&mut world, 60, 1e-9, "crank");
    assert!(sums.given_motions > 0.1, "{sums:?}");
}

/// Bodies under the rule that nothing overlaps.
#[test]
fn solid_bodies_are_explained() {
    let mut world = world(1.0 / 100.0, Solver::Auto);
    let floor = Shape::cuboid(DVec3::new(5.0, 0.5, 5.0)).unwrap();
    world
        .add_body(&BodyDefinition { solid: true, ..BodyDefinition::fixed(floor).at(DVec3::Y * -0.5) })
        .unwrap();
    let mut random = Random(2);
    for i in 0..6 {
        let body = cube(0.1)
            .in_pose(Pose::new(
                DQuat::from_scaled_axis(random.vector()),
                DVec3::Y * (0.4 + 0.35 * f64::from(i)),
            ))
            .moving(random.vector(), random.vector() * 3.0);
        world.add_body(&BodyDefinition { solid: true, material: of(0.3), ..body }).unwrap();
    }
    let sums = closes(&mut world, 120, 1e-9, "solid cubes");
    assert!(world.body_handles().all(|body| world.pose(body).is_ok()));
    assert!(sums.impacts < -1.0 && sums.friction < 0.0, "{sums:?}");
}

/// Momentum of bodies that nothing outside touches: a cluster that collides in free space, with joints in it.
#[test]
fn momentum_of_what_nothing_touches_stays() {
    let mut world = weightless(1.0 / 120.0, Solver::Auto);
    let mut random = Random(4);
    let mut bodies = Vec::new();
    for i in 0..16 {
        let at = DVec3::new(f64::from(i % 4), f64::from(i / 4), 0.0) * 0.4;
        let body = cube(0.1).at(at).moving(-at * 2.0 + random.vector(), random.vector() * 4.0);
        bodies.push(world.add_body(&BodyDefinition { material: of(0.5), ..body }).unwrap());
    }
    let point = DVec3::new(0.2, 0.0, 0.0);
    world.add_joint(&JointDefinition::ball(bodies[0], bodies[1], point)).unwrap();
    let scale = 16.0 * 8.0 * 3.0;
    for step in 0..120 {
        let momentum = world.advance().momentum;
        let left = momentum.unexplained;
        // Sums of some hundred impulses round by 1e-13 of the momentum.
        assert!(
            left.force.length() < 1e-11 * scale && left.torque.length() < 1e-11 * scale,
            "step {step}: {momentum:?}"
        );
        assert_eq!(momentum.outside, Wrench::ZERO, "step {step}");
    }
}

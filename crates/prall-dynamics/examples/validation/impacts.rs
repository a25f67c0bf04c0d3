//! Elastic impacts.

use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, BodyHandle, JointDefinition, World};
use prall_geometry::Shape;
use prall_math::Pose;

use crate::{GRAVITY, Row, add_floor, run, surface, world};

fn ball(radius: f64) -> BodyDefinition {
    let sphere = Shape::sphere(radius).expect("a radius");
    BodyDefinition::dynamic(sphere, 1000.0).made_of(surface(0.0, 1.0))
}

fn add_walls(world: &mut World, half: f64) {
    let thin = 0.05;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for sign in [-1.0, 1.0] {
            let size = DVec3::splat(half + 2.0 * thin) * (DVec3::ONE - axis) + axis * thin;
            let wall = BodyDefinition::fixed(Shape::cuboid(size).expect("a wall"));
            let wall = wall.at(axis * sign * (half + thin)).made_of(surface(0.0, 1.0));
            world.add_body(&wall).expect("a wall");
        }
    }
}

/// Numbers in [-1, 1) that are the same in every run (Knuth's linear congruence).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * ((self.0 >> 11) as f64 / (1_u64 << 53) as f64) - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

pub(crate) fn ball_in_a_box() -> Row {
    let error = |step: f64| {
        let mut world = world(step, 0.0);
        add_walls(&mut world, 1.0);
        let way = DVec3::new(0.8137, -0.4719, 0.331) * 300.0;
        let ball = world.add_body(&ball(0.1).moving(way, DVec3::ZERO)).expect("a ball");
        run(&mut world, 1.0);
        let fold = |place: f64| {
            let way = (place + 0.9).rem_euclid(3.6);
            if way <= 1.8 { way - 0.9 } else { 2.7 - way }
        };
        let end = DVec3::from_array(way.to_array().map(fold));
        world.pose(ball).expect("it is there").translation.distance(end)
    };
    Row {
        what: "Ball at 300 m/s in a box of 2 m, e = 1, 270 bounces",
        quantity: "place after 1 s, m",
        expected: "straight ways, folded".to_owned(),
        errors: [1.0 / 60.0, 1.0 / 240.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-6,
    }
}

pub(crate) fn ball_under_gravity() -> Row {
    let (height, seconds) = (0.7, 5.0);
    let fall = (2.0 * height / GRAVITY).sqrt();
    let since: f64 = (seconds + fall).rem_euclid(2.0 * fall) - fall;
    let end = 0.1 + height - 0.5 * GRAVITY * since * since;
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        add_floor(&mut world, surface(0.0, 1.0));
        let ball = world.add_body(&ball(0.1).at(DVec3::Y * (0.1 + height))).expect("a ball");
        run(&mut world, seconds);
        world.pose(ball).expect("it is there").translation.y - end
    };
    Row {
        what: "Ball that bounces from 0.7 m, e = 1",
        quantity: "height after 5 s, m",
        expected: format!("{end:.4}: parabolas"),
        errors: [1.0 / 60.0, 1.0 / 240.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-6,
    }
}

/// Newton's cradle of five balls on 0.5 m, one lifted by 0.7 rad.
pub(crate) fn cradle() -> Row {
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        let steel = surface(0.0, 1.0);
        let mut mass = 0.0;
        for i in 0..5 {
            let pivot = DVec3::X * (0.1 * f64::from(i));
            let swing = DQuat::from_rotation_z(if i == 0 { -0.7 } else { 0.0 });
            let ball = BodyDefinition::dynamic(Shape::sphere(0.05).expect("a radius"), 7800.0);
            let ball = ball.in_pose(Pose::new(swing, pivot + swing * (DVec3::NEG_Y * 0.5))).made_of(steel);
            let ball = world.add_body(&ball).expect("a ball");
            mass = world.mass(ball).expect("it is there");
            world.add_joint(&JointDefinition::hinge(world.ground(), ball, pivot, DVec3::Z)).expect("a hinge");
        }
        let start = world.energy().total();
        run(&mut world, 60.0);
        (world.energy().total() - start) / (mass * GRAVITY * 0.5 * (1.0 - libm::cos(0.7)))
    };
    Row {
        what: "Newton's cradle, a minute",
        quantity: "energy, share of the swing",
        expected: "that at the start".to_owned(),
        errors: [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-3,
    }
}

/// 500 balls in a box of 2 m, all with the same speed at the start.
fn gas(step: f64) -> (World, Vec<BodyHandle>) {
    let mut world = world(step, 0.0);
    add_walls(&mut world, 1.0);
    let mut random = Random(7);
    let mut balls = Vec::new();
    for i in 0..500 {
        let at = DVec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64)) * 0.24 - 0.84;
        let way = random.vector().normalize() * 3.0;
        let ball = ball(0.08).at(at).moving(way, DVec3::ZERO);
        balls.push(world.add_body(&ball).expect("a ball"));
    }
    (world, balls)
}

pub(crate) fn gas_energy() -> Row {
    let error = |step: f64| {
        let (mut world, _) = gas(step);
        let start = world.energy().total();
        run(&mut world, 1.0);
        world.energy().total() / start - 1.0
    };
    Row {
        what: "Gas of 500 elastic balls",
        quantity: "energy after 1 s, share",
        expected: "that at the start".to_owned(),
        errors: vec![(1.0 / 240.0, error(1.0 / 240.0))],
        goal: 1e-6,
    }
}

/// Of Maxwell's distribution the mean of `v^4` is 5/3 of the square of the mean of `v^2`; of equal speeds it is 1. 500 balls scatter by 5 %.
pub(crate) fn gas_distribution() -> Row {
    let error = |step: f64| {
        let (mut world, balls) = gas(step);
        run(&mut world, 0.5);
        let (mut ratio, looks) = (0.0, 10);
        for _ in 0..looks {
            run(&mut world, 0.05);
            let squares: Vec<f64> = balls
                .iter()
                .map(|ball| world.velocity(*ball).expect("it is there").linear.length_squared())
                .collect();
            let count = squares.len() as f64;
            let (second, fourth) =
                (squares.iter().sum::<f64>() / count, squares.iter().map(|v| v * v).sum::<f64>() / count);
            ratio += fourth / (second * second) / f64::from(looks);
        }
        ratio - 5.0 / 3.0
    };
    Row {
        what: "The same gas, from equal speeds",
        quantity: "mean of v^4 over the squared mean of v^2",
        expected: "5/3 (Maxwell)".to_owned(),
        errors: vec![(1.0 / 240.0, error(1.0 / 240.0))],
        goal: 0.1,
    }
}

/// Fifteen balls in a triangle, hit by a sixteenth: momentum and energy.
pub(crate) fn billiard_break() -> Row {
    let error = |step: f64| {
        let mut world = world(step, 0.0);
        let radius = 0.0286;
        for row in 0..5 {
            for i in 0..=row {
                let side = (f64::from(i) - 0.5 * f64::from(row)) * 2.0 * radius;
                let at = DVec3::new(f64::from(row) * 3_f64.sqrt() * radius, 0.0, side) * 1.0001;
                world.add_body(&ball(radius).at(at)).expect("a ball");
            }
        }
        let cue = ball(radius).at(DVec3::new(-0.5, 0.0, 0.003)).moving(DVec3::X * 8.0, DVec3::ZERO);
        world.add_body(&cue).expect("a ball");
        let start = (world.energy().total(), world.momentum().0);
        run(&mut world, 1.0);
        let kept = (world.energy().total() / start.0 - 1.0).abs();
        kept.max((world.momentum().0 - start.1).length() / start.1.length())
    };
    Row {
        what: "Billiard break at 8 m/s, frictionless",
        quantity: "energy and momentum after 1 s, share",
        expected: "those at the start".to_owned(),
        errors: [1.0 / 60.0, 1.0 / 240.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-6,
    }
}

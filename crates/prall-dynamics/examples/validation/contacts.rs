//! Friction, rolling and pivoting.

use glam::{DQuat, DVec3};
use prall_dynamics::BodyDefinition;
use prall_geometry::{ConvexHull, Shape};
use prall_math::{Pose, Twist};
use std::sync::Arc;

use crate::{GRAVITY, Row, add_floor, massive, run, surface, world};

fn cube(half: f64) -> BodyDefinition {
    BodyDefinition::dynamic(Shape::cuboid(DVec3::splat(half)).expect("a cube"), 1000.0)
}

/// A block on a slope of 30 degrees with friction 0.3: it slides with `g (sin - mu cos)`.
pub(crate) fn incline() -> Row {
    let slope = 30_f64.to_radians();
    let way = 0.5 * GRAVITY * (libm::sin(slope) - 0.3 * libm::cos(slope));
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        let turn = DQuat::from_rotation_z(slope);
        let plane = BodyDefinition::fixed(Shape::HalfSpace(prall_geometry::HalfSpace));
        let plane = plane.in_pose(Pose::from_rotation(turn)).made_of(surface(0.3, 0.0));
        world.add_body(&plane).expect("a slope");
        let start = turn * DVec3::Y * 0.1;
        let block = cube(0.1).in_pose(Pose::new(turn, start)).made_of(surface(0.3, 0.0));
        let block = world.add_body(&block).expect("a block");
        run(&mut world, 1.0);
        (world.pose(block).expect("it is there").translation - start).length() - way
    };
    Row {
        what: "Block on a slope of 30 degrees, mu 0.3",
        quantity: "way in 1 s, m",
        expected: format!("{way:.4}: g (sin - mu cos) / 2"),
        errors: [1.0 / 60.0, 1.0 / 240.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-3,
    }
}

/// A ball slides for `2 v / (7 mu g)` and then rolls with 5/7 of its speed.
pub(crate) fn slides_then_rolls() -> Row {
    let (speed, friction) = (3.0, 0.2);
    let slides = 2.0 * speed / (7.0 * friction * GRAVITY);
    let way = 12.0 / 49.0 * speed * speed / (friction * GRAVITY) + 5.0 / 7.0 * speed * (2.0 - slides);
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        add_floor(&mut world, surface(friction, 0.0));
        let ball = BodyDefinition::dynamic(Shape::sphere(0.1).expect("a radius"), 1000.0);
        let ball = ball.at(DVec3::Y * 0.1).moving(DVec3::X * speed, DVec3::ZERO);
        let ball = world.add_body(&ball.made_of(surface(friction, 0.0))).expect("a ball");
        run(&mut world, 2.0);
        world.pose(ball).expect("it is there").translation.x - way
    };
    Row {
        what: "Ball that slides, then rolls",
        quantity: "way in 2 s, m",
        expected: format!("{way:.4}: 12/49 v^2 / (mu g), then 5/7 v"),
        errors: [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-2,
    }
}

/// Painleve's rod, sliding on its lower end both ways: the impulse of one step, where it has an answer without an impact.
pub(crate) fn rod_pressed_down() -> Row {
    let (radius, half) = (0.01, 0.5);
    let error = |h: f64| {
        let mut worst = 0.0_f64;
        for (friction, towards) in [(0.5, -1.0), (0.5, 1.0), (1.4, -1.0), (2.0, -1.0), (3.0, -1.0)] {
            let mut world = world(h, GRAVITY);
            add_floor(&mut world, surface(friction, 0.0));
            let tilt = DQuat::from_rotation_z(0.9);
            let lower = -(tilt * DVec3::Y) * half;
            let way = towards * lower.x.signum();
            let rod = BodyDefinition::dynamic(Shape::capsule(half, radius).expect("a rod"), 1000.0);
            let rod = BodyDefinition { mass: Some(massive(1.0, DVec3::new(0.1, 0.001, 0.1))), ..rod };
            let rod = rod
                .in_pose(Pose::new(tilt, DVec3::Y * (radius - lower.y)))
                .moving(DVec3::X * way * 2.0, DVec3::ZERO)
                .made_of(surface(friction, 0.0));
            let rod = world.add_body(&rod).expect("a rod");
            world.advance();
            // Responses of the point that slides; the moment of inertia is 0.1.
            let arm = lower - DVec3::Y * radius;
            let (knn, knt) = (1.0 + arm.x * arm.x / 0.1, -arm.x * arm.y / 0.1);
            let slides = -way * friction;
            let pressed = GRAVITY * h / (knn + knt * slides);
            let expected = DVec3::new(way * 2.0 + slides * pressed, pressed - GRAVITY * h, 0.0);
            let velocity = world.velocity(rod).expect("it is there").linear;
            worst = worst.max(velocity.distance(expected) / (GRAVITY * h));
        }
        worst
    };
    Row {
        what: "Painleve's rod, mu 0.5 to 3, both ways",
        quantity: "velocity after a step, share of g h",
        expected: "g h / (knn - mu knt)".to_owned(),
        errors: vec![(1.0 / 240.0, error(1.0 / 240.0))],
        goal: 1e-2,
    }
}

/// A cube on a turntable at 1.5 m and 2 rad/s with friction 1 goes round with it.
pub(crate) fn turntable() -> Row {
    let (radius, rate) = (1.5, 2.0);
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        let table = Shape::cuboid(DVec3::new(3.0, 0.1, 3.0)).expect("a table");
        let table = BodyDefinition::kinematic(table).at(DVec3::Y * -0.1);
        let table = table.moving(DVec3::ZERO, DVec3::Y * rate).made_of(surface(1.0, 0.0));
        world.add_body(&table).expect("a table");
        let at = DVec3::new(radius, 0.05, 0.0);
        let cube = cube(0.05).at(at).moving((DVec3::Y * rate).cross(at), DVec3::Y * rate);
        let cube = world.add_body(&cube.made_of(surface(1.0, 0.0))).expect("a cube");
        run(&mut world, 16.0);
        let place = world.pose(cube).expect("it is there").translation;
        libm::hypot(place.x, place.z) - radius
    };
    Row {
        what: "Cube on a turntable, mu 1, 2 rad/s",
        quantity: "radius after 16 s, m",
        expected: "1.5".to_owned(),
        errors: [1.0 / 40.0, 1.0 / 80.0, 1.0 / 160.0, 1.0 / 320.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-3,
    }
}

/// A top on its tip, leaning by 0.3 rad, that goes round evenly at 2 rad/s on a floor with friction 1. Returns errors of its heading in rad and of the place of
/// its tip in m after 2 s.
fn top(step: f64) -> (f64, f64) {
    let (mass, arm, across, along, lean, w) = (1.0, 0.1, 0.005, 0.01, 0.3, 2.0);
    let about_tip = across + mass * arm * arm;
    let (sine, cosine) = (libm::sin(lean), libm::cos(lean));
    let spin = (about_tip * w * w * cosine + mass * GRAVITY * arm) / (along * w);
    let mut world = world(step, GRAVITY);
    add_floor(&mut world, surface(1.0, 0.0));
    let axis = DVec3::new(sine, cosine, 0.0);
    let angular = axis * spin + (DVec3::Y - axis * cosine) * w;
    // The tip of a cone points along its y axis.
    let turn = DQuat::from_rotation_arc(DVec3::NEG_Y, axis);
    let cone = BodyDefinition::dynamic(Shape::cone(arm, 0.05).expect("a cone"), 1000.0);
    let cone = BodyDefinition { mass: Some(massive(mass, DVec3::new(across, along, across))), ..cone };
    let cone = cone.in_pose(Pose::new(turn, axis * arm)).made_of(surface(1.0, 0.0));
    let cone = world.add_body(&cone).expect("a top");
    world.set_velocity(cone, Twist::new(angular.cross(axis * arm), angular)).expect("it is there");
    run(&mut world, 2.0);
    let pose = world.pose(cone).expect("it is there");
    let (axis, tip) = (pose.rotation * DVec3::NEG_Y, pose.transform_point(DVec3::Y * arm));
    let heading = libm::atan2(-axis.z, axis.x);
    let off = (heading - 2.0 * w + std::f64::consts::PI).rem_euclid(2.0 * std::f64::consts::PI);
    (off - std::f64::consts::PI, libm::hypot(tip.x, tip.z))
}

const TOP_STEPS: [f64; 4] = [1.0 / 120.0, 1.0 / 240.0, 1.0 / 480.0, 1.0 / 960.0];

pub(crate) fn top_precession() -> Row {
    Row {
        what: "Top on a floor, mu 1, even precession",
        quantity: "heading after 2 s, rad",
        expected: "4: J w^2 cos t - I s w + m g l = 0".to_owned(),
        errors: TOP_STEPS.map(|step| (step, top(step).0)).to_vec(),
        goal: 1e-2,
    }
}

pub(crate) fn top_tip() -> Row {
    Row {
        what: "The same top",
        quantity: "way of its tip in 2 s, m",
        expected: "0: it pivots".to_owned(),
        errors: TOP_STEPS.map(|step| (step, top(step).1)).to_vec(),
        goal: 1e-3,
    }
}

/// Euler's disk without losses: a thin disc that leans by 30 degrees rolls round with its centre at rest, `w^2 = 4 g / (a sin)`.
pub(crate) fn eulers_disk() -> Row {
    let (radius, tilt) = (0.075, 30_f64.to_radians());
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        add_floor(&mut world, surface(1.0, 0.0));
        let half = 1e-4;
        let axis = DVec3::new(libm::sin(tilt), libm::cos(tilt), 0.0);
        let lowest = DVec3::new(libm::cos(tilt), -libm::sin(tilt), 0.0);
        let rate = (4.0 * GRAVITY / (radius * libm::sin(tilt))).sqrt();
        let disc = BodyDefinition::dynamic(Shape::cylinder(half, radius).expect("a disc"), 7800.0);
        let height = radius * libm::sin(tilt) + half * libm::cos(tilt);
        let disc = disc
            .in_pose(Pose::new(DQuat::from_rotation_arc(DVec3::Y, axis), DVec3::Y * height))
            .moving(DVec3::ZERO, -lowest * (rate * libm::sin(tilt)))
            .made_of(surface(1.0, 0.0));
        let disc = world.add_body(&disc).expect("a disc");
        run(&mut world, 1.0);
        let axis = world.pose(disc).expect("it is there").rotation * DVec3::Y;
        libm::acos(axis.y.abs().min(1.0)) - tilt
    };
    Row {
        what: "Euler's disk without losses, 30 degrees",
        quantity: "tilt after 1 s, rad",
        expected: format!("{tilt:.4}: w^2 = 4 g / (a sin)"),
        errors: [1.0 / 240.0, 1.0 / 480.0, 1.0 / 960.0, 1.0 / 1920.0]
            .map(|step| (step, error(step)))
            .to_vec(),
        goal: 2e-2,
    }
}

/// A block slides down a wedge of twice its mass, which slides away on the floor, all without friction.
pub(crate) fn wedge() -> Row {
    let (slope, mass, heavier) = (30_f64.to_radians(), 1.0, 2.0);
    let (sine, cosine) = (libm::sin(slope), libm::cos(slope));
    let way = 0.5 * 0.25 * mass * GRAVITY * sine * cosine / (heavier + mass * sine * sine);
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        let ice = surface(0.0, 0.0);
        add_floor(&mut world, ice);
        // Its slope falls towards x.
        let (length, width) = (2.0, 0.3);
        let height = length * libm::tan(slope);
        let corners = [DVec3::ZERO, DVec3::X * length, DVec3::Y * height];
        let corners: Vec<DVec3> =
            corners.iter().flat_map(|&c| [c - DVec3::Z * width, c + DVec3::Z * width]).collect();
        let hull = Arc::new(ConvexHull::from_points(&corners).expect("a wedge"));
        let volume = length * height * width;
        let wedge = BodyDefinition::dynamic(Shape::ConvexHull(hull), heavier / volume).made_of(ice);
        let wedge = world.add_body(&wedge).expect("a wedge");
        let half = 0.1;
        let block = cube(half);
        let block = BodyDefinition {
            mass: Some(massive(mass, DVec3::splat(mass * half * half * 2.0 / 3.0))),
            ..block
        };
        let at = DVec3::new(0.3 * length, 0.7 * height, 0.0) + DVec3::new(sine, cosine, 0.0) * half;
        let block = block.in_pose(Pose::new(DQuat::from_rotation_z(-slope), at)).made_of(ice);
        world.add_body(&block).expect("a block");
        let start = world.pose(wedge).expect("it is there").translation;
        run(&mut world, 0.5);
        (start - world.pose(wedge).expect("it is there").translation).x - way
    };
    Row {
        what: "Wedge that a block slides down, both free, frictionless",
        quantity: "way of the wedge in 0.5 s, m",
        expected: format!("{way:.4}: m g sin cos / (2 (M + m sin^2)) t^2"),
        errors: [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-3,
    }
}

/// A kinematic plate goes 10 mm too far into a cube on the floor: half of the overlap stands on each side.
pub(crate) fn squeeze() -> Row {
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        add_floor(&mut world, surface(0.5, 0.0));
        let cube = world.add_body(&cube(0.1).at(DVec3::Y * 0.1)).expect("a cube");
        let plate = Shape::cuboid(DVec3::new(0.5, 0.05, 0.5)).expect("a plate");
        let plate = BodyDefinition::kinematic(plate).at(DVec3::Y * 0.26);
        let plate = world.add_body(&plate.moving(DVec3::Y * -0.02, DVec3::ZERO)).expect("a plate");
        run(&mut world, 1.0);
        world.set_velocity(plate, Twist::ZERO).expect("it is there");
        run(&mut world, 1.0);
        let floor = 0.1 - world.pose(cube).expect("it is there").translation.y;
        floor - 0.005
    };
    Row {
        what: "Cube squeezed by 10 mm between floor and plate",
        quantity: "overlap with the floor, m",
        expected: "0.005: half of it".to_owned(),
        errors: vec![(1.0 / 240.0, error(1.0 / 240.0))],
        goal: 1e-3,
    }
}

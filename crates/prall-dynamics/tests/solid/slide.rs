//! What can move, moves, and loses nothing.

use glam::DVec3;
use prall_dynamics::{BodyHandle, World};
use prall_geometry::{Cuboid, PolygonSoup, Shape};
use prall_math::{Pose, Wrench};

use crate::support::{
    Judge, block, cube, dynamic, fixed, guard, mesh, rough, run, sheet, turned, weightless, world,
};

fn speed(world: &World, body: BodyHandle) -> DVec3 {
    world.velocity(body).unwrap().linear
}

/// A box, as a mesh and as a primitive, crosses the inner edge of two open triangles without friction.
#[test]
fn boxes_slide_over_open_triangles_without_loss() {
    let primitive = Shape::Box(Cuboid::new(DVec3::splat(0.05)).unwrap());
    for shape in [cube(0.1), primitive] {
        let mut world = world(1.0 / 60.0);
        world.add_body(&fixed(&sheet(4.0), rough(0.0))).unwrap();
        let definition = dynamic(&shape, rough(0.0))
            .at(DVec3::new(-0.5, 0.05 + guard(0.1), 0.1))
            .moving(DVec3::X, DVec3::ZERO);
        let body = world.add_body(&definition).unwrap();
        let mut lost = 0.0;
        let mut judge = Judge::new(&world, 4);
        for _ in 0..60 {
            world.advance();
            judge.look(&world);
            lost += world.report().lost_time;
        }
        assert_eq!((judge.overlaps, lost), (0, 0.0));
        let x = world.pose(body).unwrap().translation.x;
        assert!((x - 0.5).abs() < 1e-4, "{x}");
        assert!((speed(&world, body) - DVec3::X).length() < 1e-4, "{}", speed(&world, body));
    }
}

/// Down a slope with a = g (sin - mu cos), to 0.3 %.
#[test]
fn a_cube_slides_down_a_slope_with_the_exact_acceleration() {
    for (degrees, friction, step) in
        [(15.0_f64, 0.1, 0.01), (20.0, 0.3, 1.0 / 60.0), (25.0, 0.4, 0.025), (45.0, 0.5, 0.01)]
    {
        let tilt = degrees.to_radians();
        let mut world = world(step);
        let slope = turned(DVec3::Z, tilt, DVec3::ZERO);
        world.add_body(&fixed(&sheet(20.0), rough(friction)).in_pose(slope)).unwrap();
        let place = slope * Pose::from_translation(DVec3::Y * (0.05 + guard(0.1)));
        let body = world.add_body(&dynamic(&cube(0.1), rough(friction)).in_pose(place)).unwrap();
        let steps = (0.5 / step) as usize;
        for _ in 0..steps {
            world.advance();
        }
        let exact = 9.81 * (libm::sin(tilt) - friction * libm::cos(tilt));
        let measured = speed(&world, body).length() / (steps as f64 * step);
        assert!((measured / exact - 1.0).abs() < 3e-3, "{degrees} degrees: {measured}, exactly {exact}");
    }
}

fn drawer(force: f64, steps: usize) -> f64 {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.05);
    for (size, at) in [
        (DVec3::new(2.0, 0.02, 0.6), DVec3::new(0.0, -0.01, 0.0)),
        (DVec3::new(2.0, 0.2, 0.02), DVec3::new(0.0, 0.1, 0.21019)),
        (DVec3::new(2.0, 0.2, 0.02), DVec3::new(0.0, 0.1, -0.21019)),
    ] {
        world.add_body(&fixed(&block(size), m).at(at)).unwrap();
    }
    let mut body = dynamic(&block(DVec3::new(0.4, 0.1, 0.4)), m).at(DVec3::new(-0.5, 0.05 + 5e-5, 0.0));
    body.shapes[0].density = 8.0 / 0.016;
    let body = world.add_body(&body).unwrap();
    world.set_load(body, Wrench::new(DVec3::X * force, DVec3::ZERO)).unwrap();
    assert_eq!(run(&mut world, steps, 4).overlaps, 0);
    world.pose(body).unwrap().translation.x + 0.5
}

/// A drawer of 8 kg with 0.19 mm of play on each side follows F - mu m g.
#[test]
fn a_drawer_with_play_follows_the_force() {
    for (force, steps) in [(20.0, 30), (1000.0, 6)] {
        let time = steps as f64 / 60.0;
        let exact = 0.5 * time * time * (force - 0.05 * 8.0 * 9.81) / 8.0;
        let gone = drawer(force, steps);
        assert!((gone / exact - 1.0).abs() < 0.01, "{force} N: {gone} m, exactly {exact}");
    }
}

/// Four walls of 1 m height around a square of this width.
fn shaft(world: &mut World, width: f64, friction: f64, length: f64) {
    let out = 0.5 * width + 0.01;
    for k in 0..4 {
        let pose = turned(DVec3::Y, std::f64::consts::FRAC_PI_2 * f64::from(k), DVec3::ZERO);
        let wall = fixed(&block(DVec3::new(0.02, length, 0.9 * width)), rough(friction));
        world.add_body(&wall.in_pose(pose * Pose::from_translation(DVec3::X * out))).unwrap();
    }
}

/// A peg of 100 x 200 mm falls freely through a hole with 0.1 mm of play; a box that already falls goes on falling.
#[test]
fn pegs_and_boxes_fall_freely_in_shafts() {
    for (play, start, friction) in [(1e-4, 0.0, 0.0), (1e-4, 0.0, 0.3), (1.9e-4, 0.45, 0.3)] {
        let mut world = world(1.0 / 60.0);
        shaft(&mut world, 0.1 + 2.0 * play, friction, 2.0);
        let peg = dynamic(&block(DVec3::new(0.1, 0.2, 0.1)), rough(friction))
            .moving(DVec3::Y * -start, DVec3::ZERO);
        let peg = world.add_body(&peg).unwrap();
        let judge = run(&mut world, 12, 8);
        let fallen = -world.pose(peg).unwrap().translation.y;
        let exact = 0.2 * start + 0.5 * 9.81 * 0.04;
        assert_eq!(judge.overlaps, 0);
        assert!(
            (fallen / exact - 1.0).abs() < 1e-3,
            "play {play}, friction {friction}: {fallen} of {exact} m"
        );
    }
}

/// Four walls half a guard away and no weight: nothing presses, so nothing rubs.
#[test]
fn four_walls_without_load_do_not_rub() {
    let mut world = weightless(1.0 / 60.0);
    shaft(&mut world, 0.1 + guard(0.1), 0.3, 6.0);
    let body = dynamic(&cube(0.1), rough(0.3)).at(DVec3::Y * -2.5).moving(DVec3::Y * 10.0, DVec3::ZERO);
    let body = world.add_body(&body).unwrap();
    assert_eq!(run(&mut world, 24, 4).overlaps, 0);
    let gone = world.pose(body).unwrap().translation.y + 2.5;
    assert!((gone - 4.0).abs() < 4e-3, "{gone} of 4 m at {}", speed(&world, body));
}

/// A floor along x with bumps up to a height.
fn bumpy(seed: u64, height: f64) -> Shape {
    let (nx, nz, cell) = (80_u32, 8_u32, 0.03);
    let mut state = seed;
    let mut positions = Vec::new();
    for i in 0..=nx {
        for k in 0..=nz {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let y = height * (state >> 33) as f64 / (1_u64 << 31) as f64;
            positions.push(DVec3::new(cell * f64::from(i), y, cell * (f64::from(k) - 4.0)));
        }
    }
    let at = |i: u32, k: u32| i * (nz + 1) + k;
    let mut triangles = Vec::new();
    for i in 0..nx {
        for k in 0..nz {
            triangles.push([at(i, k), at(i, k + 1), at(i + 1, k + 1)]);
            triangles.push([at(i, k), at(i + 1, k + 1), at(i + 1, k)]);
        }
    }
    mesh(&PolygonSoup::from_triangles(positions, &triangles).unwrap())
}

/// Slides a box of 0.1 m over bumps of 44 um at 2 m/s for a second: its speed then, and how high it got, in m above the plane.
fn over_bumps(seed: u64) -> (f64, f64) {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&bumpy(seed, 4.4e-5), rough(0.0))).unwrap();
    let body = dynamic(&cube(0.1), rough(0.0)).at(DVec3::new(0.2, 0.05 + 1e-4, 0.0));
    let body = world.add_body(&body.moving(DVec3::X * 2.0, DVec3::ZERO)).unwrap();
    let mut judge = Judge::new(&world, 4);
    let mut highest = 0.0_f64;
    for _ in 0..60 {
        world.advance();
        judge.look(&world);
        highest = highest.max(world.pose(body).unwrap().translation.y - 0.05);
    }
    assert_eq!(judge.overlaps, 0, "seed {seed}");
    (speed(&world, body).x, highest)
}

/// Bumps of 44 um are no wall.
#[test]
fn a_box_keeps_its_speed_over_small_bumps() {
    for seed in 1..=4 {
        let (speed, _) = over_bumps(seed);
        assert!(speed > 1.98, "seed {seed}: {speed} m/s");
    }
}

/// Slopes of 1.5e-3 throw nothing up that moves at 2 m/s: v^2 / 2 g is a few um.
#[test]
fn a_box_stays_down_on_small_bumps() {
    for seed in 1..=4 {
        let (_, highest) = over_bumps(seed);
        assert!(highest < 3e-4, "seed {seed}: jumps by {highest} m");
    }
}

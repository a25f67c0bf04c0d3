//! Trials of solid contacts: for each scene the time a step takes, what is lost, and overlaps found by an independent judge.
//!
//! `cargo run --release -p prall-dynamics --example solid_trials [NAME]...`

#[path = "../tests/solid/support.rs"]
#[allow(dead_code)]
mod support;

use std::time::Instant;

use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, World};
use prall_math::{Pose, Twist, Wrench};
use support::{Judge, block, cube, cup, dynamic, fixed, ring, rough, sheet, turned, weightless, world};

/// Name, scene, steps, and moments of a step at which the judge looks; 0 for crowds, of which he would look at all pairs.
type Trial = (&'static str, fn() -> World, usize, usize);

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| name.starts_with(n.as_str()));
    println!(
        "{:<16} {:>6} {:>7} {:>7} {:>7} {:>6} {:>5} {:>6} {:>6} {:>5} {:>5} {:>5} {:>9} {:>8} {:>8} {:>9}",
        "scene",
        "bodies",
        "p50 ms",
        "p99",
        "max",
        "parts",
        "most",
        "swept",
        "rows",
        "hits",
        "stop",
        "repr",
        "lost s",
        "gap/um",
        "overlaps",
        "E gain"
    );
    let scenes: [Trial; 27] = [
        ("tower-5", || tower(5), 300, 1),
        ("tower-20", || tower(20), 300, 1),
        ("flush-5", || flush(5), 120, 1),
        ("pile-27", || pile(3), 120, 1),
        ("pile-64", || pile(4), 120, 1),
        ("chain-10", || chain(10, 16, 8), 300, 1),
        ("chain-30", || chain(30, 16, 8), 300, 1),
        ("chain-10-fine", || chain(10, 32, 24), 120, 1),
        ("rings-pulled", rings_pulled, 120, 4),
        ("slide", || slide(false), 60, 4),
        ("slide-box", || slide(true), 60, 4),
        ("slope-37", || slope(0.37), 60, 1),
        ("slope-30", || slope(0.30), 60, 1),
        ("drawer", drawer, 30, 4),
        ("press-1", || press(1.0), 60, 1),
        ("press-10000", || press(1e4), 60, 1),
        ("bin-20", || bin(20, 1), 120, 1),
        ("bin-20b", || bin(20, 5), 120, 1),
        ("driven-plate", driven_plate, 60, 4),
        ("pendulum", pendulum, 600, 1),
        ("drop-elastic", drop_elastic, 60, 1),
        ("spin-cups", spin_cups, 120, 10),
        ("crowd-100", || crowd(5), 60, 1),
        ("crowd-apart", || crowd_apart(42), 60, 0),
        ("valleys", || valleys(8), 150, 0),
        ("barrels", barrels, 120, 4),
        ("beside-1000", beside, 60, 1),
    ];
    for (name, scene, steps, moments) in scenes {
        if wanted(name) {
            trial(name, scene(), steps, moments);
        }
    }
    if wanted("cups") {
        cups();
    }
}

/// Milliseconds that this thread has spent on a processor; by the clock where the system does not say.
fn busy_ms() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64() * 1e3, |ns| ns * 1e-6)
}

fn trial(name: &str, mut world: World, steps: usize, moments: usize) -> World {
    let mut judge = (moments > 0).then(|| Judge::new(&world, moments));
    let (mut times, mut total) = (Vec::new(), prall_dynamics::SolidReport::default());
    let (mut gap, mut lost, mut most) = (f64::INFINITY, 0.0_f64, 0);
    let mut energy = world.energy().total();
    let mut gain = 0.0_f64;
    let limit = Instant::now();
    for step in 0..steps {
        let start = busy_ms();
        world.advance();
        times.push(busy_ms() - start);
        if let Some(judge) = &mut judge {
            judge.look(&world);
        }
        let r = *world.solid_report();
        if std::env::var("VERBOSE").is_ok() {
            println!("{step}: {r:?} {:.3} ms E {:.6e}", times.last().unwrap(), world.energy().total());
        }
        total.parts += r.parts;
        total.swept += r.swept;
        total.hits += r.hits;
        total.stopped += r.stopped;
        total.repairs += r.repairs;
        total.phases.collect += r.phases.collect;
        total.phases.solve += r.phases.solve;
        total.phases.sweep += r.phases.sweep;
        total.phases.velocity += r.phases.velocity;
        total.unconverged += r.unconverged;
        total.rows = total.rows.max(r.rows);
        most = most.max(r.parts);
        if r.bodies > 0 {
            gap = gap.min(r.smallest_gap);
        }
        lost += world.report().lost_time;
        let now = world.energy().total();
        gain = gain.max(now - energy);
        energy = now;
        if limit.elapsed().as_secs() > 30 {
            break;
        }
    }
    let n = times.len() as f64;
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() as f64 * share) as usize).min(times.len() - 1)];
    println!(
        "{name:<16} {:>6} {:>7.3} {:>7.2} {:>7.2} {:>6.2} {most:>5} {:>6.1} {:>6} {:>5.2} {:>5} {:>5} {lost:>9.2e} {:>8.3} {:>8} {gain:>9.1e}",
        world.body_count(),
        at(0.5),
        at(0.99),
        at(1.0),
        total.parts as f64 / n,
        total.swept as f64 / n,
        total.rows,
        total.hits as f64 / n,
        total.stopped,
        total.repairs,
        gap * 1e6,
        judge.map_or(0, |judge| judge.overlaps)
    );
    println!("    {:?} unconverged {}", total.phases, total.unconverged);
    for body in world.body_handles().filter(|&b| world.mass(b).unwrap() > 0.0).take(1) {
        println!(
            "    first: {:?} v {:?}",
            world.pose(body).unwrap().translation,
            world.velocity(body).unwrap()
        );
    }
    world
}

fn tower(count: usize) -> World {
    let mut world = world(1.0 / 60.0);
    let shape = cube(0.05);
    world.add_body(&fixed(&block(DVec3::new(0.4, 0.05, 0.4)), rough(0.5))).unwrap();
    for k in 0..count {
        let y = 0.05 * (k + 1) as f64 + 2e-5 * (k + 1) as f64;
        world
            .add_body(&dynamic(&shape, rough(0.5)).in_pose(turned(DVec3::Y, 0.1 * k as f64, DVec3::Y * y)))
            .unwrap();
    }
    world
}

fn flush(count: usize) -> World {
    let mut world = world(1.0 / 60.0);
    let shape = cube(0.05);
    world.add_body(&fixed(&block(DVec3::new(0.4, 0.05, 0.4)), rough(0.5))).unwrap();
    for k in 0..count {
        world.add_body(&dynamic(&shape, rough(0.5)).at(DVec3::Y * (0.05 * (k + 1) as f64))).unwrap();
    }
    world
}

fn pile(edge: i32) -> World {
    let mut world = world(1.0 / 60.0);
    let shape = cube(0.05);
    world.add_body(&fixed(&sheet(4.0), rough(0.5))).unwrap();
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
    };
    for i in 0..edge {
        for j in 0..edge {
            for k in 0..edge {
                let at = DVec3::new(f64::from(i), f64::from(j) + 0.7, f64::from(k)) * 0.06
                    + DVec3::new(random(), random(), random()) * 0.004;
                let axis = DVec3::new(random(), random(), random());
                world.add_body(&dynamic(&shape, rough(0.5)).in_pose(turned(axis, 0.1, at))).unwrap();
            }
        }
    }
    world
}

fn chain(count: usize, around: u32, across: u32) -> World {
    let mut world = world(1.0 / 60.0);
    let (r, t) = (0.03, 0.004);
    let shape = ring(r, t, around, across);
    for k in 0..count {
        let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let across =
            if k % 2 == 0 { DQuat::IDENTITY } else { DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2) };
        let base = Pose::new(across * upright, DVec3::Y * (-(k as f64) * 2.0 * (r - t - 1e-4)));
        let definition = if k == 0 { fixed(&shape, rough(0.3)) } else { dynamic(&shape, rough(0.3)) };
        let definition = definition.in_pose(base);
        let definition = if k == count - 1 { definition.moving(DVec3::X, DVec3::ZERO) } else { definition };
        world.add_body(&definition).unwrap();
    }
    world
}

fn rings_pulled() -> World {
    let mut world = weightless(1.0 / 60.0);
    let shape = ring(0.03, 0.001, 24, 6);
    let a = world.add_body(&dynamic(&shape, rough(0.3))).unwrap();
    let b = world
        .add_body(&dynamic(&shape, rough(0.3)).in_pose(turned(
            DVec3::X,
            std::f64::consts::FRAC_PI_2,
            DVec3::X * 0.03,
        )))
        .unwrap();
    world.set_load(a, Wrench::new(DVec3::X * -10.0, DVec3::ZERO)).unwrap();
    world.set_load(b, Wrench::new(DVec3::X * 10.0, DVec3::ZERO)).unwrap();
    world
}

fn slide(primitive: bool) -> World {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(4.0), rough(0.0))).unwrap();
    let shape =
        if primitive { prall_geometry::Shape::cuboid(DVec3::splat(0.05)).unwrap() } else { cube(0.1) };
    world
        .add_body(
            &dynamic(&shape, rough(0.0)).at(DVec3::new(0.0, 0.05002, 0.0)).moving(DVec3::X, DVec3::ZERO),
        )
        .unwrap();
    world
}

fn slope(friction: f64) -> World {
    let mut world = world(1.0 / 60.0);
    let tilt = DQuat::from_rotation_z(-20.0_f64.to_radians());
    world.add_body(&fixed(&sheet(8.0), rough(friction)).in_pose(Pose::new(tilt, DVec3::ZERO))).unwrap();
    world
        .add_body(&dynamic(&cube(0.1), rough(friction)).in_pose(Pose::new(tilt, tilt * (DVec3::Y * 0.05001))))
        .unwrap();
    world
}

fn drawer() -> World {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.05);
    for (size, at) in [
        (DVec3::new(0.8, 0.02, 0.6), DVec3::new(0.0, -0.11, 0.0)),
        (DVec3::new(0.8, 0.2, 0.02), DVec3::new(0.0, 0.0, 0.21019)),
        (DVec3::new(0.8, 0.2, 0.02), DVec3::new(0.0, 0.0, -0.21019)),
    ] {
        world.add_body(&fixed(&block(size), m).at(at)).unwrap();
    }
    let mut body = dynamic(&block(DVec3::new(0.4, 0.1, 0.4)), m).at(DVec3::new(0.0, -0.05 + 2e-5, 0.0));
    body.shapes[0].density = 8.0 / 0.016;
    let drawer = world.add_body(&body).unwrap();
    world.set_load(drawer, Wrench::new(DVec3::X * 20.0, DVec3::ZERO)).unwrap();
    world
}

fn press(ratio: f64) -> World {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(1.0), rough(0.5))).unwrap();
    world.add_body(&dynamic(&cup(0.05, 0.001), rough(0.5)).at(DVec3::Y * 0.02502)).unwrap();
    let mut top = dynamic(&cube(0.06), rough(0.5)).at(DVec3::Y * (0.05 + 0.03 + 6e-5));
    top.shapes[0].density = 60.0 * ratio;
    world.add_body(&top).unwrap();
    world
}

fn bin(count: usize, seed: u64) -> World {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.4);
    let wall = 0.15;
    world.add_body(&fixed(&block(DVec3::new(0.4, 0.02, 0.4)), m).at(DVec3::Y * -0.01)).unwrap();
    for (size, at) in [
        (DVec3::new(0.02, 0.3, 0.34), DVec3::new(wall, 0.15, 0.0)),
        (DVec3::new(0.02, 0.3, 0.34), DVec3::new(-wall, 0.15, 0.0)),
        (DVec3::new(0.28, 0.3, 0.02), DVec3::new(0.0, 0.15, wall)),
        (DVec3::new(0.28, 0.3, 0.02), DVec3::new(0.0, 0.15, -wall)),
    ] {
        world.add_body(&fixed(&block(size), m).at(at)).unwrap();
    }
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
    };
    let shapes = [ring(0.025, 0.004, 24, 8), cup(0.05, 0.002), cube(0.04)];
    for k in 0..count {
        let at = DVec3::new(
            (k % 2) as f64 * 0.12 - 0.06,
            0.06 + 0.1 * (k / 4) as f64,
            (k / 2 % 2) as f64 * 0.12 - 0.06,
        );
        let axis = DVec3::new(random(), random(), random() + 1e-3);
        world.add_body(&dynamic(&shapes[k % 3], m).in_pose(turned(axis, 3.0 * random(), at))).unwrap();
    }
    world
}

fn driven_plate() -> World {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.3);
    world.add_body(&fixed(&sheet(1.0), m)).unwrap();
    world.add_body(&dynamic(&cube(0.05), m).at(DVec3::Y * 0.02502)).unwrap();
    let plate = BodyDefinition::kinematic(block(DVec3::new(0.3, 0.02, 0.3))).made_of(m);
    let mut plate = plate.at(DVec3::Y * 0.07);
    plate.velocity = Twist::new(DVec3::Y * -0.1, DVec3::ZERO);
    world.add_body(&plate).unwrap();
    world
}

/// A ring that swings about a fixed pin without friction.
fn pendulum() -> World {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.0);
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    world.add_body(&fixed(&ring(0.03, 0.004, 32, 12), m).in_pose(Pose::new(upright, DVec3::ZERO))).unwrap();
    let across = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2) * upright;
    let pose = Pose::new(across, DVec3::Y * -0.0519);
    let pose = Pose::new(DQuat::from_rotation_z(0.8), DVec3::ZERO) * pose;
    world.add_body(&dynamic(&ring(0.03, 0.004, 32, 12), m).in_pose(pose)).unwrap();
    world
}

fn drop_elastic() -> World {
    let mut world = world(1.0 / 60.0);
    let mut m = rough(0.0);
    m.restitution = 1.0;
    world.add_body(&fixed(&sheet(1.0), m)).unwrap();
    world.add_body(&dynamic(&cube(0.05), m).at(DVec3::Y * 0.125)).unwrap();
    world
}

fn spin_cups() -> World {
    let mut world = weightless(1.0 / 60.0);
    let shape = cup(0.05, 0.001);
    world.add_body(&dynamic(&shape, rough(0.3)).moving(DVec3::X * 5.0, DVec3::new(3.0, 20.0, 5.0))).unwrap();
    world
        .add_body(
            &dynamic(&shape, rough(0.3))
                .at(DVec3::new(0.2, 0.01, 0.015))
                .moving(DVec3::X * -5.0, DVec3::new(-10.0, 2.0, 7.0)),
        )
        .unwrap();
    world
}

/// Balls, boxes and capsules that fall on an open sheet.
fn crowd(edge: i32) -> World {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(20.0), rough(0.5))).unwrap();
    let shapes = [
        prall_geometry::Shape::cuboid(DVec3::splat(0.1)).unwrap(),
        prall_geometry::Shape::sphere(0.1).unwrap(),
        prall_geometry::Shape::capsule(0.08, 0.08).unwrap(),
    ];
    for i in 0..edge {
        for j in 0..4 {
            for k in 0..edge {
                let at =
                    DVec3::new(f64::from(i) + 0.1 * f64::from(j), f64::from(j) + 0.6, f64::from(k)) * 0.3;
                let shape = &shapes[((i + j + k) % 3) as usize];
                world.add_body(&dynamic(shape, rough(0.5)).at(at)).unwrap();
            }
        }
    }
    world
}

/// A mesh of squares, each cut in two.
fn grid(cells: usize, place: impl Fn(usize, usize) -> DVec3) -> prall_geometry::Shape {
    let positions = (0..=cells).flat_map(|x| (0..=cells).map(move |z| (x, z)));
    let positions = positions.map(|(x, z)| place(x, z)).collect();
    let at = |x: usize, z: usize| (x * (cells + 1) + z) as u32;
    let cell = |x: usize, z: usize| {
        [[at(x, z), at(x, z + 1), at(x + 1, z + 1)], [at(x, z), at(x + 1, z + 1), at(x + 1, z)]]
    };
    let triangles: Vec<[u32; 3]> =
        (0..cells).flat_map(|x| (0..cells).flat_map(move |z| cell(x, z))).collect();
    support::mesh(&prall_geometry::PolygonSoup::from_triangles(positions, &triangles).unwrap())
}

/// Primitives side by side on a wavy mesh of 20,000 triangles: a square of this many.
fn crowd_apart(side: usize) -> World {
    let mut world = world(1.0 / 60.0);
    let (cells, width) = (100_usize, 1.5);
    let place = |x: usize, z: usize| {
        let (u, v) = (x as f64 - 0.5 * cells as f64, z as f64 - 0.5 * cells as f64);
        DVec3::new(width * u, 0.4 * libm::sin(0.5 * u) * libm::cos(0.5 * v), width * v)
    };
    world.add_body(&fixed(&grid(cells, place), rough(0.5))).unwrap();
    let shapes = [
        prall_geometry::Shape::cuboid(DVec3::splat(0.4)).unwrap(),
        prall_geometry::Shape::sphere(0.4).unwrap(),
        prall_geometry::Shape::capsule(0.3, 0.3).unwrap(),
        prall_geometry::Shape::cylinder(0.4, 0.3).unwrap(),
    ];
    for i in 0..side {
        for k in 0..side {
            let at =
                DVec3::new(3.0 * (i as f64 - 0.5 * side as f64), 1.1, 3.0 * (k as f64 - 0.5 * side as f64));
            world.add_body(&dynamic(&shapes[(i + k) % 4], rough(0.5)).at(at)).unwrap();
        }
    }
    world
}

/// Boxes, balls, capsules and pyramids fall on hills of 20,000 triangles and roll into the valleys, as in the comparison: a square of columns of four.
fn valleys(side: usize) -> World {
    let mut world = world(1.0 / 60.0);
    let (cells, width) = (100_usize, 3.0);
    let place = |x: usize, z: usize| {
        let (u, v) = (0.5 * x as f64, 0.5 * z as f64);
        let height = 5.0 * libm::sin(u) * libm::cos(v);
        DVec3::new(width * (x as f64 - 50.0), height, width * (z as f64 - 50.0))
    };
    world.add_body(&fixed(&grid(cells, place), rough(0.5))).unwrap();
    let pyramid = [(-1.0, 0.0, -1.0), (1.0, 0.0, -1.0), (1.0, 0.0, 1.0), (-1.0, 0.0, 1.0), (0.0, 1.5, 0.0)]
        .map(DVec3::from);
    let shapes = [
        prall_geometry::Shape::cuboid(DVec3::new(0.5, 0.75, 1.0)).unwrap(),
        prall_geometry::Shape::sphere(1.0).unwrap(),
        prall_geometry::Shape::capsule(0.75, 0.5).unwrap(),
        prall_geometry::Shape::ConvexHull(prall_geometry::ConvexHull::from_points(&pyramid).unwrap().into()),
    ];
    for layer in 0..4 {
        for number in 0..side * side {
            let (column, row) = ((number % side) as f64, (number / side) as f64);
            let middle = 0.5 * (side as f64 - 1.0);
            let at =
                DVec3::new(column - middle, 0.0, row - middle) * 7.5 + DVec3::Y * (15.0 + 2.5 * layer as f64);
            let pose = turned(DVec3::X, 0.3 * number as f64, at);
            let shape = &shapes[(layer + number) % 4];
            world.add_body(&dynamic(shape, rough(0.6)).in_pose(pose)).unwrap();
        }
    }
    world
}

/// Cylinders and cones fall into a box of mesh walls.
fn barrels() -> World {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&cup(0.4, 0.01), rough(0.4))).unwrap();
    for k in 0..20 {
        let shape = if k % 2 == 0 {
            prall_geometry::Shape::cylinder(0.04, 0.025)
        } else {
            prall_geometry::Shape::cone(0.04, 0.03)
        };
        let at =
            DVec3::new(f64::from(k % 3 - 1) * 0.11, 0.1 * f64::from(k / 3), f64::from(k % 2) * 0.11 - 0.05);
        let pose = turned(DVec3::new(1.0, f64::from(k), 2.0), f64::from(k), at);
        world.add_body(&dynamic(&shape.unwrap(), rough(0.4)).in_pose(pose)).unwrap();
    }
    world
}

/// One mesh cube on a sheet, and a thousand balls that roll on a floor of their own far away.
fn beside() -> World {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(2.0), rough(0.5))).unwrap();
    world.add_body(&dynamic(&cube(0.1), rough(0.5)).at(DVec3::Y * 0.06)).unwrap();
    let floor = prall_geometry::Shape::cuboid(DVec3::new(20.0, 0.1, 20.0)).unwrap();
    world.add_body(&BodyDefinition::fixed(floor).at(DVec3::new(50.0, -0.1, 0.0))).unwrap();
    let ball = prall_geometry::Shape::sphere(0.1).unwrap();
    for i in 0..1000 {
        let at = DVec3::new(35.0 + 0.5 * f64::from(i % 32), 0.1, 0.5 * f64::from(i / 32) - 8.0);
        world.add_body(&dynamic(&ball, rough(0.5)).at(at).moving(DVec3::X, DVec3::ZERO)).unwrap();
    }
    world
}

/// Throws of two cups at each other.
fn cups() {
    let mut state = 99_u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1_u64 << 31) as f64 * 2.0 - 1.0
    };
    let shape = cup(0.05, 0.001);
    for speed in [1.0, 10.0, 50.0] {
        let (mut overlaps, mut looks, mut lost, mut stopped, mut gain, mut gap) =
            (0, 0, 0.0, 0, 0.0_f64, f64::INFINITY);
        let mut times = Vec::new();
        let mut worst_momentum = 0.0_f64;
        for _ in 0..60 {
            let mut world = weightless(1.0 / 60.0);
            let mut throw = |sign: f64| {
                let axis = DVec3::new(random(), random(), random());
                let at = DVec3::new(-sign * (0.06 + 0.02 * speed / 10.0), 0.02 * random(), 0.02 * random());
                let spin = DVec3::new(random(), random(), random()) * speed / 0.05;
                dynamic(&shape, rough(0.3))
                    .in_pose(turned(axis, 3.0 * random(), at))
                    .moving(DVec3::X * sign * speed * 0.5, spin)
            };
            let definitions = [throw(1.0), throw(-1.0)];
            for definition in &definitions {
                world.add_body(definition).unwrap();
            }
            let mut judge = Judge::new(&world, 20);
            let start_momentum = world.momentum();
            let mut energy = world.energy().total();
            let steps = (0.4 / speed * 60.0).ceil() as usize + 3;
            for _ in 0..steps {
                let start = busy_ms();
                world.advance();
                times.push(busy_ms() - start);
                judge.look(&world);
                lost += world.report().lost_time;
                stopped += world.solid_report().stopped;
                if world.solid_report().bodies > 0 {
                    gap = gap.min(world.solid_report().smallest_gap);
                }
                gain = gain.max(world.energy().total() - energy);
                energy = world.energy().total();
            }
            let end = world.momentum();
            worst_momentum =
                worst_momentum.max((end.1 - start_momentum.1).length() / start_momentum.1.length());
            overlaps += judge.overlaps;
            looks += judge.looks;
        }
        times.sort_by(f64::total_cmp);
        println!(
            "cups {speed} m/s: overlaps {overlaps} of {looks}, p50 {:.3} p99 {:.2} max {:.2} ms, lost {lost:.2e} s, stopped {stopped}, gap {:.3} um, gain {gain:.1e} J, L {worst_momentum:.1e}",
            times[times.len() / 2],
            times[times.len() * 99 / 100],
            times[times.len() - 1],
            gap * 1e6
        );
    }
}

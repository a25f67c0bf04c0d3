//! Nothing gains energy from nothing. Each test here failed once: its comment says why.

use crate::support::*;
use glam::{DMat3, DQuat, DVec3};
use prall_dynamics::{
    BodyDefinition, BodyHandle, Event, JointDefinition, Material, Solver, World, WorldOptions,
};
use prall_geometry::{MassProperties, Shape};
use prall_math::Pose;
use prall_mechanics::ContactOptions;

/// Numbers in [0, 1) that are the same in every run (Knuth's linear congruence).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

fn rubber(restitution: f64, friction: f64) -> Material {
    Material { restitution, static_friction: friction, dynamic_friction: friction, ..Material::default() }
}

/// Asserts that no step raises the energy beyond rounding; returns what is left of it as a share.
fn never_gains(world: &mut World, steps: usize, story: &str) -> f64 {
    let start = world.energy().total();
    let mut energy = start;
    for step in 0..steps {
        world.advance();
        let now = world.energy().total();
        assert!(now <= energy * (1.0 + 1e-9), "{story}, step {step}: {energy} J to {now} J");
        energy = now;
    }
    energy / start
}

/// A stick of 1:30 against a plate, with 401 spins. The pose where it was stopped lay on the shorter way round, a few
/// milliradians beside its flight, and the angular momentum there meant another spin: 240 of 401 gained up to 84 times their energy.
#[test]
fn sticks_that_are_stopped_gain_nothing() {
    for (half, restitution, step) in [
        (DVec3::new(0.5, 0.0167, 0.0167), 0.0, 1.0 / 240.0),
        (DVec3::new(0.5, 0.0167, 0.0167), 1.0, 1.0 / 240.0),
        (DVec3::new(0.5, 0.0167, 0.0167), 0.5, 1.0 / 60.0),
        (DVec3::new(0.5, 0.02, 0.01), 0.0, 1.0 / 240.0),
        (DVec3::new(0.5, 0.02, 0.01), 1.0, 1.0 / 240.0),
        (DVec3::new(0.5, 0.02, 0.01), 0.5, 1.0 / 60.0),
    ] {
        let mut stopped = 0;
        for number in 0..401 {
            let mut world = weightless(step, Solver::Auto);
            let plate = Shape::cuboid(DVec3::new(0.005, 10.0, 10.0)).unwrap();
            let plate = BodyDefinition { material: rubber(restitution, 0.3), ..BodyDefinition::fixed(plate) };
            world.add_body(&plate).unwrap();
            let turn = DQuat::from_scaled_axis(DVec3::new(0.2, 0.3, 0.4));
            let spin = DVec3::new(7.0, 3.0, 0.5 * f64::from(number));
            let stick = BodyDefinition::dynamic(Shape::cuboid(half).unwrap(), 1000.0)
                .in_pose(Pose::new(turn, DVec3::X * -0.8))
                .moving(DVec3::X * 60.0, spin);
            world.add_body(&BodyDefinition { material: rubber(restitution, 0.3), ..stick }).unwrap();
            let energy = world.energy().total();
            let mut last = energy;
            for at in 0..40 {
                world.advance();
                stopped += world.details().stopped;
                let now = world.energy().total();
                let story = format!("{half} e {restitution} h {step}, stick {number}, step {at}");
                assert!(now <= last * (1.0 + 1e-9), "{story}: {last} J to {now} J");
                last = now;
            }
        }
        assert!(stopped >= 10, "{half} e {restitution} h {step}: {stopped} stops, the test asks for nothing");
    }
}

/// 600 random sticks at a plate, spins up to 2000 rad/s: 43 gained, up to 237 times their energy.
#[test]
fn random_sticks_gain_nothing_and_pass_nothing() {
    let mut random = Random(5);
    for number in 0..600 {
        let half = DVec3::new(0.5, 0.01 + 0.03 * random.next(), 0.01 + 0.03 * random.next());
        let half = if number % 3 == 0 { DVec3::new(half.x, half.y, half.y) } else { half };
        let material = rubber([0.0, 0.5, 1.0][number % 3], random.next());
        let mut world = weightless([1.0 / 60.0, 1.0 / 240.0][number % 2], Solver::Auto);
        let plate = BodyDefinition::fixed(Shape::cuboid(DVec3::new(0.005, 10.0, 10.0)).unwrap());
        world.add_body(&BodyDefinition { material, ..plate }).unwrap();
        let spin = random.vector() * libm::pow(2000.0, random.next());
        let stick = BodyDefinition::dynamic(Shape::cuboid(half).unwrap(), 1000.0)
            .in_pose(Pose::new(DQuat::from_scaled_axis(random.vector() * 3.0), DVec3::X * -0.8))
            .moving(DVec3::X * (5.0 + 60.0 * random.next()), spin);
        let stick = world.add_body(&BodyDefinition { material, ..stick }).unwrap();
        never_gains(&mut world, 24, &format!("stick {number}"));
        let pose = world.pose(stick).unwrap();
        assert!(pose.translation.x < 0.0, "stick {number} is behind the plate");
    }
}

/// Bodies without an axis of symmetry at thousands of rad/s: their flight kept the momentum, and gained 1e-3 of the energy a step.
#[test]
fn a_free_sheet_keeps_its_energy_at_any_spin() {
    for spin in [3000.0, 20_000.0] {
        let mut world = weightless(1.0 / 60.0, Solver::Auto);
        let sheet = Shape::cuboid(DVec3::new(0.4, 0.3, 0.001)).unwrap();
        let sheet = BodyDefinition::dynamic(sheet, 1000.0);
        world.add_body(&sheet.moving(DVec3::X, DVec3::new(0.9, 0.5, -0.3) * spin)).unwrap();
        let energy = world.energy().total();
        run(&mut world, 200);
        let kept = world.energy().total() / energy;
        // 200 steps round by some 1e-15 each.
        assert!((kept - 1.0).abs() < 1e-11, "{spin} rad/s: {kept}");
    }
}

fn hinge_frame(turn: f64, length: f64, twist: f64) -> Pose {
    let turned = Pose::from_rotation(DQuat::from_rotation_z(turn));
    turned * Pose::from_translation(DVec3::X * length) * Pose::from_rotation(DQuat::from_rotation_x(twist))
}

/// Bennett's linkage: four hinges whose axes are neither parallel nor meet, which moves although counting says that it cannot. Its first link is
/// the ground. Twists in degrees.
pub(crate) fn bennett(world: &mut World, [alpha, beta]: [f64; 2]) -> Vec<BodyHandle> {
    let (alpha, beta) = (alpha.to_radians(), beta.to_radians());
    let lengths = [1.0, libm::sin(beta) / libm::sin(alpha)];
    let ratio = libm::sin(0.5 * (alpha + beta)) / libm::sin(0.5 * (beta - alpha));
    let first = 1.2;
    let second = 2.0 * libm::atan(ratio / libm::tan(0.5 * first));
    let turns = [first, second, -first, -second];
    let mut frames = vec![Pose::IDENTITY];
    for i in 0..4 {
        let last = frames[i];
        frames.push(last * hinge_frame(turns[i], lengths[i % 2], [alpha, beta][i % 2]));
    }
    assert!(frames[4].translation.length() < 1e-12, "the linkage closes");
    let hinge = |i: usize| (frames[i].translation, frames[i].rotation * DVec3::Z);
    // Link i goes from hinge i to hinge i + 1; that from the last one to the first is the ground.
    let ground = world.ground();
    let links: Vec<BodyHandle> = (0..3)
        .map(|i| {
            let (from, to) = (frames[i].translation, frames[i + 1].translation);
            let along = to - from;
            let turn = DQuat::from_rotation_arc(DVec3::X, along.normalize());
            world.add_body(&rod(along.length()).in_pose(Pose::new(turn, 0.5 * (from + to)))).unwrap()
        })
        .collect();
    let chain = [ground, links[0], links[1], links[2], ground];
    for i in 0..4 {
        let (point, axis) = hinge(i);
        world.add_joint(&JointDefinition::hinge(chain[i], chain[i + 1], point, axis)).unwrap();
    }
    links
}

/// The linkage swings for 20 s. Three of the five conditions that close it follow from the others; impulses along these were arbitrary,
/// grew from step to step, and at 1/60 s made 4,756 J in a minute.
#[test]
fn an_overconstrained_loop_swings_without_gain_and_says_that_it_is_one() {
    for (twists, step) in
        [([40.0, 70.0], 1.0 / 60.0), ([60.0, 75.0], 1.0 / 60.0), ([40.0, 70.0], 1.0 / 240.0)]
    {
        let mut world = world(step, Solver::Tree);
        bennett(&mut world, twists);
        let start = world.energy();
        let mut last = start.total();
        let mut moving = 0.0_f64;
        for at in 0..(20.0 / step) as usize {
            world.advance();
            assert_eq!(world.details().tree.groups, 1, "the tree moves it");
            let (loops, redundant) = (world.details().tree.loop_rows, world.details().tree.redundant_rows);
            assert_eq!((loops, redundant), (5, 3), "{twists:?}, step {at}");
            let now = world.energy();
            // Newton's method ends at changes of 1e-6 rad/s of what moves at some rad/s.
            assert!(now.total() <= last + 1e-6, "{twists:?}, step {at}: {last} J to {} J", now.total());
            last = now.total();
            moving = moving.max(now.kinetic);
        }
        assert!(moving > 1.0, "it swings");
        let lost = start.total() - last;
        // The projection of velocities loses in proportion to the cube of the step: 0.02 J a minute at 1/60 s.
        assert!(lost < 0.05, "{twists:?} at {step} s: {lost} J lost");
    }
}

/// A rod that slides on its lower end while friction presses it down. Where friction acts on the normal by more than the normal itself, the
/// passes over a point swung from open to pressed and back: no force came out. Against the exact impulse of the step.
#[test]
fn a_rod_that_friction_presses_down_is_not_open() {
    let (h, radius, half) = (1.0 / 240.0, 0.01, 0.5);
    for friction in [0.5, 1.4, 2.0, 3.0] {
        for speed in [1.0, 4.0] {
            let mut world = world(h, Solver::Auto);
            add_floor_of(&mut world, rubber(0.0, friction));
            let tilt = DQuat::from_rotation_z(0.9);
            let (shape, axis) = (Shape::capsule(half, radius).unwrap(), tilt * DVec3::Y);
            // The lower end is at the origin's height of one radius.
            let lower = -axis * half * axis.y.signum();
            let centre = DVec3::Y * (radius - lower.y);
            let mass = MassProperties {
                mass: 1.0,
                center_of_mass: DVec3::ZERO,
                inertia: DMat3::from_diagonal(DVec3::new(0.1, 0.001, 0.1)),
            };
            // Away from the side that it leans to: friction lifts the centre over the point.
            let way = -lower.x.signum();
            let rod = BodyDefinition::dynamic(shape, 1000.0)
                .in_pose(Pose::new(tilt, centre))
                .moving(DVec3::X * way * speed, DVec3::ZERO);
            let rod = BodyDefinition { mass: Some(mass), material: rubber(0.0, friction), ..rod };
            let rod = world.add_body(&rod).unwrap();
            world.advance();
            let velocity = world.velocity(rod).unwrap();
            // In the plane: arm from the centre to the point, and the responses there; J = 0.1.
            let arm = lower - DVec3::Y * radius;
            let (knn, knt) = (1.0 + arm.x * arm.x / 0.1, -arm.x * arm.y / 0.1);
            let free = -GRAVITY * h;
            let slides = -way * friction;
            let pressed = -free / (knn + knt * slides);
            let expected = DVec3::new(way * speed + slides * pressed, free + pressed, 0.0);
            let turning = (arm.x * pressed - arm.y * slides * pressed) / 0.1;
            assert!(pressed > 0.0, "no paradox here");
            assert!(
                velocity.linear.distance(expected) < 1e-3 * (speed + 1.0),
                "mu {friction}: {} not {expected}",
                velocity.linear
            );
            assert!(
                (velocity.angular.z - turning).abs() < 1e-2 * turning.abs(),
                "mu {friction}: {} not {turning}",
                velocity.angular.z
            );
        }
    }
}

fn add_floor_of(world: &mut World, material: Material) {
    let floor = BodyDefinition::fixed(Shape::HalfSpace(prall_geometry::HalfSpace));
    world.add_body(&BodyDefinition { material, ..floor }).unwrap();
}

/// Impacts of jointed bodies one after another were lost before anybody could read them: no event, no force.
#[test]
fn jointed_bodies_that_meet_are_told_of() {
    let contact = ContactOptions { sequential_impacts: true, ..ContactOptions::default() };
    let mut world =
        World::new(WorldOptions { time_step: 1.0 / 240.0, contact, ..WorldOptions::default() }).unwrap();
    for i in 0..2 {
        let at = DVec3::X * (0.2 * f64::from(i));
        let still = ball(0.1).at(at);
        let moving =
            if i == 0 { still.at(at - DVec3::X * 0.05).moving(DVec3::X * 2.0, DVec3::ZERO) } else { still };
        let ball = world.add_body(&BodyDefinition { material: rubber(1.0, 0.0), ..moving }).unwrap();
        let pivot = world.pose(ball).unwrap().translation + DVec3::Y;
        world.add_joint(&JointDefinition::ball(world.ground(), ball, pivot)).unwrap();
    }
    let mut told = 0;
    for _ in 0..30 {
        world.advance();
        told += world.events().iter().filter(|event| matches!(event, Event::Collision { .. })).count();
    }
    assert_eq!(told, 1);
}

/// A wall of 40 rows lands at once from 0.3 m. Sweeps do not solve such a hit, boxes sink into each other, and taking them apart lifted all that stood above for
/// nothing: 40 kJ in two seconds. What the tolerance on positions is worth may be lifted in a step.
#[test]
fn overlaps_that_are_taken_apart_lift_nothing_for_nothing() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    add_floor(&mut world);
    let rows = 40;
    let mut weight = 0.0;
    for row in 0..rows {
        for i in 0..rows - row {
            let x = f64::from(i) * 1.05 + f64::from(row) * 0.525;
            let body = cube(0.5).at(DVec3::new(x, 0.8 + f64::from(row), 0.0));
            let body = world.add_body(&body).unwrap();
            weight += world.mass(body).unwrap() * GRAVITY;
        }
    }
    let tolerance = world.options().contact.position_tolerance;
    let mut energy = world.energy();
    let mut lifted = 0.0_f64;
    for step in 0..90 {
        world.advance();
        let now = world.energy();
        let gained = now.total() - energy.total();
        let slack = weight * tolerance + 1e-4 * energy.kinetic;
        assert!(gained <= slack, "step {step}: {gained} J of {} J in motion", energy.kinetic);
        lifted += world.details().projection.energy;
        energy = now;
    }
    assert!(lifted < 1000.0, "{lifted} J");
}

/// A closed box with bodies of all kinds at random: what the invariant is asked of.
fn random_world(seed: u64) -> World {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let mut pick = |values: &[f64]| values[(random.next() * values.len() as f64) as usize];
    let (restitution, friction) = (pick(&[0.0, 0.5, 1.0]), pick(&[0.0, 0.5, 1.5]));
    let options = WorldOptions {
        time_step: pick(&[1.0 / 30.0, 1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0]),
        gravity: DVec3::Y * pick(&[0.0, -9.81]),
        ..WorldOptions::default()
    };
    let (kinds, jointed) = (pick(&[0.0, 4.0]) as usize, pick(&[0.0, 1.0]) == 1.0);
    let (count, speed, spin) = (1 + (11.0 * random.next()) as usize, random.next(), random.next());
    let mut last = None;
    let (speed, spin) = (libm::pow(60.0, speed), libm::pow(400.0, spin));
    let mut world = World::new(options).unwrap();
    let (size, thin, material) = (1.5, 0.05, rubber(restitution, friction));
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for sign in [-1.0, 1.0] {
            let half = DVec3::splat(size + 2.0 * thin) * (DVec3::ONE - axis) + axis * thin;
            let wall = BodyDefinition::fixed(Shape::cuboid(half).unwrap()).at(axis * sign * (size + thin));
            world.add_body(&wall.made_of(material)).unwrap();
        }
    }
    for i in 0..count {
        let shape = match (i + kinds) % 8 {
            0 => Shape::sphere(0.1),
            1 => Shape::cuboid(DVec3::new(0.1, 0.12, 0.08)),
            2 => Shape::capsule(0.12, 0.06),
            3 => Shape::cuboid(DVec3::new(0.3, 0.015, 0.02)),
            4 => Shape::cylinder(0.1, 0.08),
            5 => Shape::cylinder(0.004, 0.1),
            6 => Shape::cone(0.12, 0.08),
            _ => Shape::cylinder(0.2, 0.02),
        };
        let at = DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) * 0.8 - 0.8;
        let body = BodyDefinition::dynamic(shape.unwrap(), 1000.0)
            .in_pose(Pose::new(DQuat::from_scaled_axis(random.vector()), at))
            .moving(random.vector() * speed, random.vector() * spin);
        let body = world.add_body(&body.made_of(material)).unwrap();
        if let Some(last) = last.filter(|_| jointed && i % 2 == 1) {
            let middle = 0.5 * (world.pose(last).unwrap().translation + at);
            world.add_joint(&JointDefinition::ball(last, body, middle)).unwrap();
        }
        last = Some(body);
    }
    world
}

/// Without work from outside the energy of a world never stands above its lowest so far by more than what tolerances and schemes are worth, the account explains
/// every change, and the last net is hardly ever needed. `PRALL_SOAK` sets the number of steps, `PRALL_SOAK_FROM` the first world.
///
/// Half of the worlds with joints exploded near their walls once: joints opened by up to 2 m, the net acted in 6 % of their steps, and they rose by 2.5 % of their
/// energy all the same.
#[test]
fn random_worlds_gain_nothing_soak() {
    let steps: u64 = std::env::var("PRALL_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(12_000);
    const EACH: u64 = 60;
    let first: u64 = std::env::var("PRALL_SOAK_FROM").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let (mut caught, mut rising, mut worst) = (0, 0, [0.0_f64; 2]);
    let (mut jointed_steps, mut open, mut widest) = (0, 0, 0.0_f64);
    // World 4115 whirls so fast that iterates of its tree run wild.
    for seed in (first..first + steps / EACH).chain([4115]) {
        let mut world = random_world(seed);
        let jointed = world.joint_handles().next().is_some();
        let mass: f64 = world.mass_states().map(|state| state.mass).sum();
        let weight = mass * world.options().gravity.length();
        let mut energy = world.energy();
        let (mut lowest, mut peak) = (energy.total(), energy.kinetic);
        for step in 0..EACH {
            let report = world.advance();
            let (account, clamps) = (report.energy, report.energy_clamps);
            caught += u64::from(clamps > 0);
            let scale = account.terms().iter().map(|term| term.abs()).sum::<f64>() + account.kinetic_before;
            // Trees end Newton's method where changes are small.
            let share = if jointed { 1e-5 } else { 1e-9 };
            let rounding = share * (scale + account.potential_before.abs());
            let story = format!("world {seed}, step {step}: {account:?}");
            assert!(account.unexplained.abs() <= rounding, "{story}");
            let before = energy;
            energy = world.energy();
            lowest = lowest.min(energy.total());
            peak = peak.max(energy.kinetic);
            // Overlaps are lifted by 20 um in a step, and a body that is hit goes with its new velocity for the whole step.
            let fastest = (2.0 * peak / mass).sqrt();
            let slack = weight * (40e-6 + 0.5 * world.options().time_step * fastest);
            let rise = (energy.total() - lowest - slack).max(0.0) / peak;
            let worst = &mut worst[usize::from(jointed)];
            *worst = worst.max(rise);
            // Twice what the net lets a set rise by: bodies have their largest energies at different times.
            assert!(rise <= 2e-3, "{rise}: {story}");
            if jointed {
                let error = world.details().joint_error;
                (jointed_steps, open) = (jointed_steps + 1, open + u64::from(error > 1e-4));
                widest = widest.max(error);
            } else {
                // Single steps of free bodies, without what the scheme gives in one and takes in another: the rise above has its bound.
                let gained = energy.total() - before.total() - weight * 20e-6 - account.integration.max(0.0);
                rising += u64::from(gained > 1e-4 * before.kinetic);
                assert!(gained <= 1e-2 * before.kinetic, "{gained} J: {story}");
            }
        }
        assert!(world.is_finite(), "world {seed}");
    }
    println!(
        "{caught} of {steps} steps needed the net, {rising} of free bodies rose; largest rises: free {:.1e}, jointed {:.1e}; \
         joints open by {widest:.1e} m at most, by 0.1 mm in {open} of {jointed_steps}",
        worst[0], worst[1]
    );
    assert!(caught * 10_000 <= steps, "{caught} of {steps} steps needed the net");
    assert!(rising * 1000 <= steps, "{rising} of {steps} steps rose");
    assert!(open * 100 <= jointed_steps, "{open} of {jointed_steps} steps left joints open");
}

/// Without friction and with restitution 1 jointed bodies keep their energy, at impacts and in flight, however they whirl and whatever hangs on what is hit. The
/// first step is left out: there velocities come to be those that joints allow.
///
/// Sixty worlds lost 2 % at impacts of light bodies that hang on heavy ones, and up to 8 % in flights by radians a step.
#[test]
fn elastic_jointed_worlds_keep_their_energy() {
    let (mut energies, mut changes, mut worlds) = (0.0, 0.0, 0);
    for seed in 0..1200 {
        let mut world = random_world(seed);
        let last = world.body_handles().last().unwrap();
        let material = world.material(last).unwrap();
        let elastic = material.restitution == 1.0 && material.dynamic_friction == 0.0;
        if !elastic || world.joint_handles().next().is_none() {
            continue;
        }
        world.advance();
        let start = world.energy();
        (0..59).for_each(|_| _ = world.advance());
        let change = (world.energy().total() - start.total()).abs();
        assert!(change < 0.02 * start.kinetic, "world {seed}: {change} of {} J", start.kinetic);
        (energies, changes, worlds) = (energies + start.kinetic, changes + change, worlds + 1);
    }
    println!("{worlds} worlds: changes of {changes:.1} J of {energies:.0} J");
    assert!(worlds > 50 && changes < 1e-3 * energies, "{changes} of {energies} J");
}

/// Ropes whose anchors lie far outside of their light bodies: levers of a hundred metres on inertias of a gram, whirled about. Whatever becomes of them, they stay
/// finite, and a ball elsewhere does not notice.
#[test]
fn ropes_on_far_anchors_stay_finite_and_leave_others_alone() {
    for (reach, step) in [(10.0, 1.0 / 60.0), (1e3, 1.0 / 30.0), (1e6, 1.0 / 30.0)] {
        let alone = |with_ropes: bool| {
            let mut world = world(step, Solver::Auto);
            let other = world.add_body(&ball(0.1).at(DVec3::X * 1e7).moving(DVec3::Z, DVec3::ZERO)).unwrap();
            if with_ropes {
                let mut random = Random(17);
                let mut last = world.ground();
                for i in 0..6 {
                    let body = mass(1e-3, 1e-9)
                        .at(DVec3::X * f64::from(i))
                        .moving(random.vector() * 10.0, random.vector() * 300.0);
                    let body = world.add_body(&body).unwrap();
                    let rope = JointDefinition::rope(
                        last,
                        random.vector() * reach,
                        body,
                        random.vector() * reach,
                        0.1,
                    );
                    world.add_joint(&rope).unwrap();
                    last = body;
                }
            }
            let mut clamps = (0, 0);
            for _ in 0..240 {
                let report = world.advance();
                clamps = (clamps.0 + report.energy_clamps, clamps.1 + report.diverged);
                assert!(world.is_finite(), "{reach} m at {step} s");
                assert!(world.report().energy.change().is_finite());
                let named = world.events().iter().filter(|event| matches!(event, Event::Diverged(_))).count();
                assert_eq!(named, world.report().diverged);
            }
            println!("{reach} m at {step} s: scaled back {}, put back {} times", clamps.0, clamps.1);
            (world.pose(other).unwrap(), clamps)
        };
        let ((with, caught), (without, none)) = (alone(true), alone(false));
        assert!(caught.0 + caught.1 > 0 && none == (0, 0), "{caught:?} {none:?}");
        // Steps that ropes cut into parts round differently.
        let apart = with.translation.distance(without.translation);
        assert!(apart < 1e-6, "the ball elsewhere is {apart} m off");
    }
}

use glam::{DQuat, DVec3};
use prall_math::Pose;

use super::{GRAVITY, Law, Setup, SetupText, Sled, Surface, TWO_MAN};
use crate::track::{Foot, Ground, Ice, Place, Track};

const H: f64 = 1.0 / 4980.0;

/// The level y = 0.
struct Floor;

impl Surface for Floor {
    fn nearest(&self, point: DVec3, _: &mut Foot) -> Place {
        Place { normal: DVec3::Y, distance: point.y, ground: Ground::Ice }
    }
}

fn setup() -> Setup {
    Setup::read("two-man.toml", TWO_MAN).unwrap()
}

/// Gravity turned instead of the ground: downhill is ahead.
fn gravity_on(slope: f64) -> DVec3 {
    let (sine, cosine) = libm::sincos(libm::atan(slope));
    DVec3::new(0.0, -cosine, -sine) * 9.81
}

#[test]
fn the_sled_has_nine_bodies_thirteen_degrees_and_seventeen_contacts() {
    let sled = Sled::new(&setup()).unwrap();
    assert_eq!((sled.tree().len(), sled.tips.len()), (9, 17));
    // The driven steering is none of them.
    assert_eq!(sled.tree().degrees_of_freedom(), 13);
    assert!((sled.mass() - 390.0).abs() < 1e-9);
    // 8 of runners, two each; 4 of bumpers, two on either hull; 5 of the rim, on the rear hull.
    let setup = setup();
    let count = |law: Law, body: &str| {
        setup.contacts().filter(|contact| contact.1 == law && contact.2.starts_with(body)).count()
    };
    assert!((1..=4).all(|runner| count(Law::Runner, &format!("runner_{runner}")) == 2));
    assert_eq!([count(Law::Bumper, "front_hull"), count(Law::Bumper, "rear_hull")], [2, 2]);
    assert_eq!([count(Law::Rim, "rear_hull"), count(Law::Runner, "")], [5, 8]);
}

/// One joint goes where hands say, and it is the steering: whatever the angle is, the steering head stands at it, while all others are free.
#[test]
fn the_steering_is_the_joint_that_is_driven() {
    let mut sled = Sled::new(&setup()).unwrap();
    sled.place(Pose::IDENTITY, DVec3::new(0.0, 0.0, -20.0), 0.0);
    for step in 1..=500 {
        sled.step(&Floor, H, 1e-4 * f64::from(step), 0.0, GRAVITY);
    }
    let angles: Vec<f64> = (1..9).map(|node| sled.tree().coordinate(node, 0).unwrap().0).collect();
    let head = sled.body("steering_head").unwrap();
    assert!((angles[head - 1] - 0.05).abs() < 1e-12, "{angles:?}");
    assert!(angles.iter().filter(|angle| angle.abs() > 1e-6).count() > 5, "{angles:?}");
    // About an axis that stands up: the head turns to the left, its height stays.
    let turn = sled.frame_of(sled.body("front_hull").unwrap()).inverse() * sled.frame_of(head);
    assert!(turn.transform_vector(DVec3::NEG_Z).x < -0.049, "{turn:?}");
}

/// The 13 x 13 mass matrix of a sled in full motion, steering held: two ways to it agree, it is symmetric, its quadratic form is twice the kinetic
/// energy, which is summed over bodies, and all of its pivots are above zero.
#[test]
fn the_mass_matrix_is_that_of_the_kinetic_energy() {
    let mut sled = Sled::new(&setup()).unwrap();
    let askew = Pose::new(DQuat::from_rotation_z(0.2) * DQuat::from_rotation_y(0.3), DVec3::Y * 0.3);
    sled.place(askew, DVec3::new(1.0, -2.0, -15.0), 0.0);
    for _ in 0..800 {
        sled.step(&Floor, H, 0.05, 0.0, GRAVITY);
    }
    let mut tree = sled.tree().clone();
    let (one, other) = (tree.equations_by_composites(GRAVITY), tree.equations_by_jacobians(GRAVITY));
    let (n, u) = (one.size, tree.minimal_velocities());
    assert_eq!((n, u.len(), one.mass.len()), (13, 13, 169));
    assert!(u.iter().all(|rate| rate.abs() > 1e-6), "everything moves: {u:?}");
    let entry = |i: usize, j: usize| one.mass[n * i + j];
    let scale = one.mass.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(one.mass.iter().zip(&other.mass).all(|(a, b)| (a - b).abs() < 1e-12 * scale));
    assert!((0..n).all(|i| (0..i).all(|j| (entry(i, j) - entry(j, i)).abs() < 1e-12 * scale)));
    let twice: f64 = (0..n).map(|i| (0..n).map(|j| u[i] * entry(i, j) * u[j]).sum::<f64>()).sum();
    let by_bodies: f64 = setup()
        .data
        .body
        .iter()
        .map(|body| {
            let body = body.get_ref();
            let node = sled.body(&body.name).unwrap();
            let twist = sled.tree().twist(node);
            let turn = sled.tree().pose(node).rotation.inverse() * twist.angular;
            let inertia = DVec3::from(body.inertia);
            body.mass * twist.linear.length_squared() + (inertia * turn).dot(turn)
        })
        .sum();
    assert!((twice / by_bodies - 1.0).abs() < 1e-12, "{twice} {by_bodies}");
    let mut left = one.mass.clone();
    for k in 0..n {
        assert!(left[n * k + k] > 0.0, "pivot {k}: {}", left[n * k + k]);
        for i in k + 1..n {
            let factor = left[n * i + k] / left[n * k + k];
            (k..n).for_each(|j| left[n * i + j] -= factor * left[n * k + j]);
        }
    }
}

/// Level, and 3 cm lower from 10 m on.
struct Ledge;

impl Surface for Ledge {
    fn nearest(&self, point: DVec3, _: &mut Foot) -> Place {
        let level = if point.z > -10.0 { 0.0 } else { -0.03 };
        Place { normal: DVec3::Y, distance: point.y - level, ground: Ground::Ice }
    }
}

/// Runners lift off where the ice falls away, fly without a force, and land: never both a gap and a force at one contact, and at the end the
/// lower ice carries the whole weight.
#[test]
fn runners_lift_off_and_land() {
    let mut sled = Sled::new(&setup()).unwrap();
    sled.place(Pose::IDENTITY, DVec3::new(0.0, 0.0, -20.0), 0.0);
    let (mut flying, mut longest) = (0_u32, 0_u32);
    let mut rest = 0.0;
    for step in 0..9960 {
        let before: Vec<f64> = sled.tips[..8]
            .iter()
            .map(|tip| {
                let point = sled.tree().pose(tip.node).transform_point(tip.point);
                Ledge.nearest(point, &mut Foot::default()).distance
            })
            .collect();
        sled.step(&Ledge, H, 0.0, 0.0, GRAVITY);
        let loads = sled.runner_loads(H);
        for (gap, load) in before.iter().zip(&loads) {
            // Half a step of fall at 2 m/s is 0.2 mm.
            assert!(*load >= 0.0 && (*gap < 2.5e-4 || *load == 0.0), "step {step}: {gap} m and {load} N");
        }
        flying = if loads[4..].iter().all(|load| *load == 0.0) { flying + 1 } else { 0 };
        longest = longest.max(flying);
        rest += if step >= 8960 { loads.iter().sum::<f64>() / 1000.0 } else { 0.0 };
    }
    // 3 cm of free fall take 78 ms; the front axle is pressed down by its springs and held back by the rear one.
    let seconds = f64::from(longest) * H;
    assert!((0.02..0.12).contains(&seconds), "{seconds} s");
    assert!((rest / (390.0 * 9.81) - 1.0).abs() < 0.02, "{rest} N");
}

/// A wall to the left and nothing else.
struct WallAlone;

impl Surface for WallAlone {
    fn nearest(&self, point: DVec3, _: &mut Foot) -> Place {
        Place { normal: DVec3::X, distance: point.x + 0.6, ground: Ground::Ice }
    }
}

/// One bumper meets a wall, in the air and without weight: it goes back with the restitution's share of its normal speed, in that very step.
#[test]
fn a_lone_bumper_goes_back_with_the_share_of_its_speed() {
    for restitution in [0.0, 0.3, 0.8] {
        let mut sled = Sled::new(&setup().with_restitution(restitution)).unwrap();
        sled.place(Pose::from_rotation(DQuat::from_rotation_y(0.04)), DVec3::new(-2.0, 0.0, -20.0), 0.0);
        let contact = setup().contacts().position(|contact| contact.0 == "bumper_front_left").unwrap();
        let (node, point) = (sled.tips[contact].node, sled.tips[contact].point);
        let speed = |sled: &Sled| {
            let at = sled.tree().pose(node).transform_point(point);
            sled.tree().twist_at(node, at).linear.x
        };
        let (mut before, mut steps) = (speed(&sled), 0);
        while sled.touched().bumpers == 0.0 {
            (before, steps) = (speed(&sled), steps + 1);
            sled.step(&WallAlone, H, 0.0, 0.0, DVec3::ZERO);
            assert!(steps < 2000);
        }
        let hits: Vec<_> = sled.impacts().collect();
        assert_eq!((hits.len(), hits[0].contact), (1, contact));
        let after = speed(&sled);
        // What a depth of half a step and the turn within it add is a hundredth of the speed.
        assert!(
            (after + restitution * before).abs() < 0.02 * before.abs(),
            "{restitution}: {before} {after}"
        );
        assert!((hits[0].normal_speed + before).abs() < 0.01 * before.abs());
    }
}

/// Static loads by the lever rule, which knows nothing of springs: the axles share the weight as the centre of mass lies.
#[test]
fn axles_share_the_weight_by_the_lever_rule() {
    let setup = setup();
    let mut sled = Sled::new(&setup).unwrap();
    let mut front = 0.0;
    let mut total = 0.0;
    for step in 0..12_000 {
        sled.step(&Floor, H, 0.0, 0.0, GRAVITY);
        // The mean over the last 0.4 s: the springs still swing a little.
        if step >= 10_000 {
            let loads = sled.runner_loads(H);
            front += loads[4..].iter().sum::<f64>() / 2000.0;
            total += loads.iter().sum::<f64>() / 2000.0;
        }
    }
    let share = -setup.centre_of_mass().z / 1.69;
    assert!((total / (390.0 * 9.81) - 1.0).abs() < 1e-3, "{total}");
    assert!((front / total - share).abs() < 5e-3, "{} {share}", front / total);
}

/// m dv/dt = m g sin - mu m g cos - 1/2 rho cdA v^2 (with the half that the source once forgets), integrated by hand.
#[test]
fn a_straight_slide_follows_friction_and_drag_of_the_closed_form() {
    let mut sled = Sled::new(&setup()).unwrap();
    sled.place(Pose::IDENTITY, DVec3::new(0.0, 0.0, -30.0), 0.0);
    let gravity = gravity_on(0.1);
    let (along, across) = (-gravity.z, -gravity.y);
    let mut speed = 30.0;
    for _ in 0..4980 {
        sled.step(&Floor, H, 0.0, 0.0, gravity);
        let slope = |v: f64| along - 0.004 * across - 0.5 * 1.12 * 0.2052 * v * v / 390.0;
        let middle = speed + 0.5 * H * slope(speed);
        speed += H * slope(middle);
    }
    // The sled pitches a little while its springs settle, and drag acts at the rear hull.
    assert!((-sled.velocity().z - speed).abs() < 2e-3, "{} {speed}", sled.velocity().z);
    assert!(sled.velocity().x.abs() < 1e-6);
}

/// On friction alone energy only falls, whatever way the sled slides: nothing drives it.
#[test]
fn energy_never_rises_while_it_slides_askew() {
    let mut sled = Sled::new(&setup()).unwrap();
    sled.place(Pose::from_rotation(DQuat::from_rotation_y(0.3)), DVec3::new(0.0, 0.0, -15.0), 0.0);
    let energy = |sled: &Sled| sled.tree().kinetic_energy() + sled.tree().potential_energy(GRAVITY);
    let mut before = energy(&sled);
    let first = before;
    for _ in 0..5000 {
        sled.step(&Floor, H, 0.0, 0.0, GRAVITY);
        let now = energy(&sled);
        // Moreau's step with springs is of second order: its error stays below a millionth of the energy.
        assert!(now < before + 1e-6 * first, "{now} {before}");
        before = now;
    }
    assert!(before < first);
}

/// Steering to the left turns to the left, and the hands feel a torque.
#[test]
fn a_steered_sled_turns_to_that_side() {
    let mut sled = Sled::new(&setup()).unwrap();
    sled.place(Pose::IDENTITY, DVec3::new(0.0, 0.0, -20.0), 0.0);
    for step in 0..4980 {
        sled.step(&Floor, H, 0.02 * (f64::from(step) / 500.0).min(1.0), 0.0, GRAVITY);
    }
    assert!(sled.frame().translation.x < -0.05, "{}", sled.frame().translation);
    assert!(sled.steering_torque().abs() > 0.0);
}

#[test]
fn directness_bends_the_steering_but_keeps_its_ends() {
    let setup = setup();
    assert!((setup.steering_angle(1.0).to_degrees() - 10.0).abs() < 1e-12);
    assert!((setup.steering_angle(-2.0).to_degrees() + 10.0).abs() < 1e-12);
    assert!(setup.steering_angle(0.5).to_degrees() < 5.0);
}

/// Two springs that only push, on a lever: both act until one comes free, then one (Rempfler 2015, 4.2 to 4.4). Sets of the split hull and of the
/// front axle, and each of them only where it was chosen.
#[test]
fn spring_sets_are_levers_between_two_springs() {
    let sets = [
        ("alpha_hard", "front_hull", (0.12, 1.0e5, 0.004)),
        ("alpha_soft", "front_hull", (0.12, 3.3e4, 0.002)),
        ("gamma_hard", "front_axle", (0.10, 1.3e6, 0.002)),
        ("gamma_soft", "front_axle", (0.10, 3.6e5, 0.0005)),
    ];
    let spring_of = |sled: &Sled, body: &str| {
        let node = sled.mechanism.find(body).unwrap();
        sled.tree().element(node, 0).unwrap().spring
    };
    let plain = Sled::new(&setup()).unwrap();
    for (set, body, (lever, rate, precompression)) in sets {
        let joint = &set[..5];
        let text = TWO_MAN.replace(&format!("set = \"{joint}_medium\""), &format!("set = \"{set}\""));
        let sled = Sled::new(&Setup::read("own.toml", &text).unwrap()).unwrap();
        let push = |compression: f64| rate * f64::max(compression + precompression, 0.0) * lever;
        for angle in [-0.1, -0.02, 0.0, 0.01, 0.03, 0.2] {
            let expected = push(-lever * angle) - push(lever * angle);
            // The knee is at the arc sine, the lever law at the angle itself: a part in a thousand.
            let found = spring_of(&sled, body).force(angle);
            assert!((found - expected).abs() < 1e-3 * (1.0 + expected.abs()), "{set} at {angle}: {found}");
        }
        let other = if joint == "alpha" { "front_axle" } else { "front_hull" };
        assert_eq!(spring_of(&sled, other), spring_of(&plain, other));
        assert_ne!(spring_of(&sled, body), spring_of(&plain, body));
    }
}

#[test]
fn wrong_setups_are_refused_with_their_line() {
    let wrong = TWO_MAN.replace("child = \"crew\"", "child = \"crowd\"");
    let error = Setup::read("my.toml", &wrong).unwrap_err();
    assert!(error.to_string().contains("no body \"crowd\""), "{error}");
    let line = wrong.lines().position(|line| line.contains("name = \"delta\"")).unwrap();
    assert!(error.place().0.abs_diff(line) <= 1);
    assert!(Setup::read("my.toml", &TWO_MAN.replace("[drag]", "[drag]\nlift = 1.0")).is_err());
}

/// A distance to the ice that shares nothing with the search: brute force over many places of the section.
#[test]
fn the_ice_is_as_far_as_the_nearest_of_many_places() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let ice = Ice::new(&track);
    for i in 0..400 {
        let s = 3.7 * f64::from(i) - 10.0;
        let across = f64::from(i * 37 % 700) / 100.0;
        let on = ice.point(s, across);
        let place = ice.nearest(on, &mut Foot::near(s + 1.0));
        // A place of the surface itself: within the micrometre of the station's search.
        assert!(place.distance.abs() < 2e-6, "{s} {across} {place:?}");
        let above = on + place.normal * 0.05;
        let found = ice.nearest(above, &mut Foot::near(s)).distance;
        let brute = (-8..=8)
            .flat_map(|j| (0..=700).map(move |k| (f64::from(j) * 0.01, f64::from(k) / 100.0)))
            .map(|(ahead, across)| ice.point(s + ahead, across).distance(above))
            .fold(f64::INFINITY, f64::min);
        // Cut upright, the foot is not quite the nearest place in space: what the ice bends within 5 cm; the samples are 2 cm apart at most.
        assert!(found <= brute + 5e-4 && brute - found < 6e-3, "{s} {across} {found} {brute}");
        assert!(ice.nearest(on - place.normal * 0.05, &mut Foot::near(s)).distance < 0.0);
    }
}

/// Nowhere does the ice face down, not even where sections begin to bend: only lips lean over, by a few degrees.
#[test]
fn the_ice_faces_the_driver_everywhere() {
    for name in Track::known() {
        let track = Track::open(name, "standard").unwrap();
        let ice = Ice::new(&track);
        for i in 0..7000 {
            let s = 0.213 * f64::from(i) - 20.0;
            for k in 0..28 {
                let on = ice.point(s, 0.25 * f64::from(k) + 0.13);
                let normal = ice.nearest(on, &mut Foot::near(s)).normal;
                assert!(normal.y > -0.15, "{name} {s} {k} {normal}");
            }
        }
    }
}

/// The picture's loft and the ice are the same surface, but for arcs and chords.
#[test]
fn the_ice_lies_on_the_loft() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let ice = Ice::new(&track);
    for patch in track.patches().iter().step_by(3) {
        for k in (0..patch.stations.len() - 1).step_by(7) {
            for across in [0.3, 1.5, 2.5, 3.2, 3.8, 4.5, 5.5, 6.5] {
                let mut foot = Foot::near(patch.stations[k]);
                let on = ice.nearest(patch.surface.point(k as f64, across), &mut foot).distance.abs();
                assert!(on < 2e-6, "{} {across} {on}", patch.stations[k]);
                let between =
                    ice.nearest(patch.surface.point(k as f64 + 0.5, across), &mut foot).distance.abs();
                // An arc of 0.5 m and radius 25 m is 1.25 mm from its chord; sections that change add as much.
                assert!(between < 3e-3, "{} {across} {between}", patch.stations[k]);
            }
        }
    }
}

/// Thrown at the ice sideways and downwards at up to 360 km/h, no tip ends up behind it.
#[test]
fn nothing_passes_the_ice_at_any_speed() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let ice = Ice::new(&track);
    let setup = setup();
    for (s, speed, aside, down) in
        [(20.0, 20.0, 15.0, 5.0), (330.0, 60.0, -30.0, 20.0), (1330.0, 100.0, 10.0, 10.0)]
    {
        let mut sled = Sled::new(&setup).unwrap();
        let at = track.course(s);
        let turn = DQuat::from_rotation_y(at.heading);
        let velocity = turn * DVec3::new(aside, -down, -speed);
        sled.place(Pose::new(turn, at.position + DVec3::Y * 0.3), velocity, s);
        let mut deepest = 0.0_f64;
        for _ in 0..2000 {
            let report = sled.step(&ice, H, 0.0, 0.0, GRAVITY);
            deepest = deepest.max(report.deepest);
        }
        assert!(sled.is_finite());
        // A step at the speed of the throw, as the first touch is seen at its middle.
        assert!(deepest < H * (speed + 50.0), "{s}: {deepest}");
    }
}

#[test]
fn the_same_slide_has_the_same_hash() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let ice = Ice::new(&track);
    let slide = || {
        let mut sled = Sled::new(&setup()).unwrap();
        let at = track.course(10.0);
        sled.place(Pose::from_translation(at.position), at.ahead() * 9.0, 10.0);
        (0..1000).for_each(|_| {
            sled.step(&ice, H, 0.01, 0.0, GRAVITY);
        });
        sled.hash()
    };
    assert_eq!(slide(), slide());
}

/// Of two exponents that are roots and squares: half the directness squares the input, twice of it takes the root.
#[test]
fn directness_is_an_exponent() {
    let text = SetupText::read("two-man", TWO_MAN).unwrap();
    for (directness, bent) in [("0.5", 0.3 * 0.3), ("2", 0.3_f64.sqrt()), ("1", 0.3)] {
        let setup = text.with([("steering.directness", directness)]).unwrap().setup().clone();
        let limit = setup.steering_angle(1.0);
        assert!((limit - 10.0_f64.to_radians()).abs() < 1e-15);
        assert!((setup.steering_angle(0.3) - limit * bent).abs() < 1e-15, "{directness}");
        assert!((setup.steering_angle(-0.3) + limit * bent).abs() < 1e-15, "{directness}");
    }
}

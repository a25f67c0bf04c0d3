//! Pegs, sheets, grooves, ridges, threads, tees.

use glam::{DQuat, DVec2, DVec3};
use prall_geometry::generate::{self, Thread};
use prall_geometry::{Shape, SoupError};
use prall_handling::{Budget, Command, Friction, HandlingOptions, Held, JamReason, PoseLimits};
use prall_math::Pose;

use crate::shapes::*;

fn with_friction(coefficient: f64) -> HandlingOptions {
    HandlingOptions { friction: Friction::of(coefficient), ..HandlingOptions::default() }
}

/// Two plates at a right angle below a prism whose edge points down. Two planes hold five freedoms; with a wall at the end all six.
#[test]
fn a_prism_in_a_groove_rests_on_five_contacts_and_against_a_wall_on_six() {
    let plate = cuboid(DVec3::new(0.2, 0.02, 0.4));
    let quarter = std::f64::consts::FRAC_PI_4;
    // Through the line of the groove, turned by 45 degrees, pushed out along their normals by half their thickness.
    let place = |side: f64| {
        let turn = DQuat::from_rotation_z(side * quarter);
        Pose::new(turn, turn * DVec3::new(0.1 * side, -0.01, 0.0))
    };
    let wall = cuboid(DVec3::new(0.4, 0.4, 0.02));
    for (contacts, push) in [(5, 0.0), (6, -0.1)] {
        let obstacles = vec![
            obstacle("right", &plate, place(1.0)),
            obstacle("left", &plate, place(-1.0)),
            obstacle("wall", &wall, at(0.0, 0.0, -0.11)),
        ];
        let part = cuboid(DVec3::new(0.05, 0.05, 0.12));
        let start = turned(DVec3::Z, quarter, DVec3::new(0.0, 0.06, 0.0));
        let mut held = Held::new(&part, start, obstacles, with_friction(0.0)).unwrap();
        let command = velocity(DVec3::new(0.01, -0.1, push), DVec3::new(0.01, 0.02, 0.01));
        let report = run(&mut held, &command, 600);
        assert_eq!(report.contacts.len(), contacts, "{:?}", report.contacts);
        assert!(report.jam.is_some_and(|jam| jam.reason == JamReason::Blocked));
    }
}

/// Pushes a peg down that starts 1 mm and 2 degrees off: with its tip to the middle, or away from it.
fn insert(clearance: f64, chamfer: f64, friction: f64, tilt: f64) -> (f64, f64, Option<JamReason>, f64) {
    let (part, plate) = (peg(), hole(clearance, chamfer));
    let start = turned(DVec3::Z, tilt.to_radians(), DVec3::new(0.001, 0.015 + 0.03 + 0.003, 0.0));
    let mut held =
        Held::new(&part, start, vec![obstacle("plate", &plate, Pose::IDENTITY)], with_friction(friction))
            .unwrap();
    let mut judge = Judge::new(&part, &[&plate]);
    let push = velocity(DVec3::NEG_Y * 0.05, DVec3::ZERO);
    let (mut gap, mut entered) = (f64::INFINITY, f64::INFINITY);
    for step in 0..500 {
        let report = held.step(Some(&push), DT, &mut Budget::unlimited()).unwrap();
        gap = gap.min(report.smallest_gap);
        judge.look(&held, 2);
        // The tip is at the lower face of the plate.
        if held.pose().translation.y < 0.015 {
            entered = (step + 1) as f64 * DT;
            break;
        }
    }
    (entered, held.pose().translation.y, held.report().jam.map(|jam| jam.reason), gap)
}

/// The free way down takes 0.66 s.
#[test]
fn pegs_enter_with_little_friction_and_a_chamfer() {
    for (clearance, friction, longest) in
        [(1e-3, 0.3, 0.75), (1e-4, 0.0, 0.8), (1e-4, 0.1, 0.9), (5e-5, 0.0, 0.9)]
    {
        let (entered, height, jam, gap) = insert(clearance, 1.5e-3, friction, -2.0);
        assert!(entered < longest, "clearance {clearance}, mu {friction}: {entered} s, y {height}, {jam:?}");
        assert!(gap > 5e-7);
    }
}

#[test]
fn pegs_jam_where_friction_can_hold_them_and_say_so() {
    // In the bore by less than mu times its diameter, where two points of its rim can hold it (6 mm).
    let (entered, height, jam, _) = insert(1e-3, 1.5e-3, 0.3, 2.0);
    assert_eq!(entered, f64::INFINITY);
    assert_eq!(jam, Some(JamReason::Wedged), "y {height}");
    let depth = 0.015 + 0.03 - height;
    assert!(depth > 0.0 && depth < 1.5e-3 + 0.3 * 0.02, "{depth}");
    // Without friction the same peg goes in.
    assert!(insert(1e-3, 1.5e-3, 0.0, 2.0).0 < 1.0);
}

/// Two triangles without an inside.
fn sheet() -> Result<Shape, SoupError> {
    let mut soup = prall_geometry::PolygonSoup::new();
    const N: u32 = 20;
    for i in 0..=N {
        for j in 0..=N {
            let place = |k: u32| 0.4 * f64::from(k) / f64::from(N) - 0.2;
            soup.push_position(DVec3::new(place(i), 0.0, place(j)))?;
        }
    }
    for i in 0..N {
        for j in 0..N {
            let corner = |i, j| i * (N + 1) + j;
            soup.push_face(&[corner(i, j), corner(i, j + 1), corner(i + 1, j + 1)])?;
            soup.push_face(&[corner(i, j), corner(i + 1, j + 1), corner(i + 1, j)])?;
        }
    }
    Ok(mesh(&soup))
}

#[test]
fn a_sheet_stops_a_part_from_both_sides() {
    let (part, sheet) = (cuboid(DVec3::new(0.05, 0.03, 0.04)), sheet().unwrap());
    for side in [1.0, -1.0] {
        let obstacles = vec![obstacle("sheet", &sheet, Pose::IDENTITY)];
        let mut held = Held::new(&part, at(0.0, 0.1 * side, 0.0), obstacles, with_friction(0.3)).unwrap();
        let mut judge = Judge::new(&part, &[&sheet]);
        let mut hand = Violence::new(3);
        let mut gap = f64::INFINITY;
        for step in 0..1500 {
            let push = DVec3::new(0.3 * hand.number(), -side, 0.3 * hand.number());
            let push =
                if held.pose().translation.length() > 0.15 { -held.pose().translation * 5.0 } else { push };
            let command = velocity(push, hand.vector() * 10.0);
            let report = held.step(Some(&command), DT, &mut Budget::unlimited()).unwrap();
            gap = gap.min(report.smallest_gap);
            judge.look(&held, 3);
            assert!(held.pose().translation.y * side > 0.0, "step {step}");
        }
        assert!(gap > 1e-6, "{gap:e}");
    }
}

/// Nearly parallel edges: the rod lies on the ridge whatever the angle between them, and slides along it.
#[test]
fn a_rod_on_a_ridge_slides_at_every_small_angle() {
    let wedge = [(-0.1, 0.0), (0.1, 0.0), (0.0, 0.1)].map(DVec2::from);
    let ridge = mesh(&generate::prism(&wedge, 0.6).unwrap());
    // The prism stands along y with its outline in x and -z; laid down, the ridge runs along z at height 0.1.
    let lying = Pose::from_rotation(
        DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2) * DQuat::from_rotation_y(std::f64::consts::PI),
    );
    let top = [DVec3::new(0.0, 0.0, -0.1)].map(|p| lying.transform_point(p))[0];
    let sign = if top.y > 0.0 { 1.0 } else { -1.0 };
    let lying = if sign > 0.0 {
        lying
    } else {
        Pose::from_rotation(DQuat::from_rotation_z(std::f64::consts::PI) * lying.rotation)
    };
    let rod = cuboid(DVec3::new(0.02, 0.02, 0.2));
    let mut ends = Vec::new();
    for angle in [0.0, 1e-9, 1e-6, 1e-3, 0.01, 0.1] {
        // An edge of the rod points down.
        let turn = DQuat::from_rotation_y(angle) * DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4);
        let start = Pose::new(turn, DVec3::new(0.0, 0.13, 0.0));
        let mut held =
            Held::new(&rod, start, vec![obstacle("ridge", &ridge, lying)], with_friction(0.3)).unwrap();
        let mut gap = f64::INFINITY;
        let push = velocity(DVec3::new(0.0, -0.05, 0.05), DVec3::ZERO);
        let mut report = run(&mut held, &push, 1);
        for _ in 0..1000 {
            report = run(&mut held, &push, 1);
            gap = gap.min(report.smallest_gap);
        }
        let place = held.pose().translation;
        assert_eq!(report.done, 1.0);
        assert!(gap > 1e-6, "{angle}: {gap:e}");
        assert!(place.z > 0.05, "{angle}: it slides: {place}");
        ends.push(place);
    }
    // It rolls off to the same side and goes as far, but for how soon it leaves a balance that is unstable.
    assert!((ends[0] - ends[1]).length() < 5e-4 && (ends[0] - ends[2]).length() < 5e-4, "{ends:?}");
}

const THREAD: Thread = Thread { radius: 8e-3, pitch: 2.5e-3, turns: 8, segments: 64 };

fn bolt_in_nut(friction: f64) -> Held {
    let bolt = mesh(&generate::bolt(&THREAD).unwrap());
    let nut = mesh(&generate::nut(&Thread { turns: 4, ..THREAD }, 1e-4, 0.014).unwrap());
    Held::new(&bolt, Pose::IDENTITY, vec![obstacle("nut", &nut, Pose::IDENTITY)], with_friction(friction))
        .unwrap()
}

#[test]
fn a_bolt_advances_by_its_pitch_in_a_turn() {
    let mut held = bolt_in_nut(0.1);
    // Screwed out of the way down; the right-handed thread goes down when turned about -y.
    let command = velocity(DVec3::NEG_Y * 0.01, DVec3::NEG_Y * std::f64::consts::TAU);
    let (mut angle, mut last) = (0.0, *held.pose());
    let mut gap = f64::INFINITY;
    let mut from = (0.0, 0.0);
    for step in 0..250 {
        let report = held.step(Some(&command), DT, &mut Budget::unlimited()).unwrap();
        gap = gap.min(report.smallest_gap);
        let turn = prall_math::rotation::log(held.pose().rotation * last.rotation.conjugate());
        angle -= turn.y;
        last = *held.pose();
        if step == 49 {
            // The play is taken up.
            from = (angle, held.pose().translation.y);
        }
    }
    let (turned, sunk) = (angle - from.0, from.1 - held.pose().translation.y);
    let pitch = sunk / THREAD.pitch / (turned / std::f64::consts::TAU);
    assert!(turned > 0.9 * 0.8 * 0.5 * std::f64::consts::TAU, "it turns: {turned}");
    assert!((pitch - 1.0).abs() < 0.003, "{pitch}");
    assert!(gap > 1e-6);
}

#[test]
fn a_pushed_bolt_takes_up_its_play_and_stands() {
    let mut held = bolt_in_nut(0.1);
    run(&mut held, &velocity(DVec3::NEG_Y * 0.05, DVec3::ZERO), 60);
    let sunk = -held.pose().translation.y;
    // Flanks at 30 degrees, 0.1 mm apart along the radius: 0.0577 mm along the axis, and a little by tilting.
    assert!(sunk > 3e-5 && sunk < 1.5e-4, "{sunk:e}");
}

/// A tee whose bar is longer than the slot: straight it stays on the plate, tilted by a wobbling hand it goes through.
fn tee_and_plate() -> (Shape, Vec<prall_handling::Obstacle>) {
    let outline = [
        (-0.03, 0.0),
        (0.03, 0.0),
        (0.03, 0.01),
        (0.005, 0.01),
        (0.005, 0.06),
        (-0.005, 0.06),
        (-0.005, 0.01),
        (-0.03, 0.01),
    ];
    let tee = mesh(&generate::prism(&outline.map(|(x, y)| DVec2::new(x, 0.06 - y - 0.03)), 0.01).unwrap());
    let long = cuboid(DVec3::new(0.2, 0.006, 0.09));
    let short = cuboid(DVec3::new(0.08, 0.006, 0.02));
    // A slot of 50 mm by 20 mm in the plane y = 0.
    let obstacles = vec![
        obstacle("front", &long, at(0.0, 0.0, 0.055)),
        obstacle("back", &long, at(0.0, 0.0, -0.055)),
        obstacle("right", &short, at(0.065, 0.0, 0.0)),
        obstacle("left", &short, at(-0.065, 0.0, 0.0)),
    ];
    (tee, obstacles)
}

fn drop_tee(wobble: f64, friction: f64) -> Held {
    let (tee, obstacles) = tee_and_plate();
    let limits = PoseLimits { contact_speed: Some(0.1), ..PoseLimits::default() };
    let options = HandlingOptions { pose_limits: limits, ..with_friction(friction) };
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let mut held = Held::new(&tee, Pose::new(upright, DVec3::Y * 0.06), obstacles, options).unwrap();
    for step in 0..2000 {
        let t = step as f64 * DT;
        let (s, c) = libm::sincos(std::f64::consts::TAU * 1.5 * t);
        let tilt = wobble * s;
        let place = DVec3::new(0.008 * wobble * c, 0.06 - 0.05 * t, 0.004 * wobble * s);
        let goal = Pose::new(DQuat::from_rotation_z(tilt) * upright, place);
        held.step(Some(&Command::Pose(goal)), DT, &mut Budget::unlimited()).unwrap();
    }
    held
}

#[test]
fn a_tee_stays_on_its_plate_while_the_hand_goes_on_and_a_tilting_hand_brings_it_through() {
    let held = drop_tee(0.0, 0.1);
    // The bar lies on the plate, 20 mm above the middle of the tee.
    assert!((held.pose().translation.y + 0.017).abs() < 1e-4, "it stays on the plate");
    assert!(held.report().pull.force.y < -50.0, "and the hand is far below: {:?}", held.report().pull);
    let held = drop_tee(1.0, 0.1);
    assert!(held.pose().translation.y < -0.04, "through: {}", held.pose().translation);
}

#[test]
fn a_moving_obstacle_pushes_the_part_aside() {
    let part = cuboid(DVec3::splat(0.05));
    let pusher = cuboid(DVec3::new(0.1, 0.05, 0.05));
    let mut held = Held::new(
        &part,
        at(0.0, 0.0, 0.0),
        vec![obstacle("pusher", &pusher, at(-0.1, 0.0, 0.0))],
        with_friction(0.3),
    )
    .unwrap();
    held.set_obstacle_velocity(0, prall_math::Twist::new(DVec3::X * 0.2, DVec3::ZERO)).unwrap();
    for _ in 0..500 {
        let report = held.step(None, DT, &mut Budget::unlimited()).unwrap();
        assert!(report.jam.is_none());
    }
    // The pusher has gone 0.2 m; the part is a guard ahead of it.
    assert!((held.obstacles()[0].pose().translation.x - 0.1).abs() < 1e-9);
    assert!((held.pose().translation.x - 0.175).abs() < 2e-5, "{}", held.pose().translation.x);
}

#[test]
fn a_moving_obstacle_that_the_part_cannot_yield_to_is_stopped_and_reported() {
    let (part, block) = (cuboid(DVec3::splat(0.05)), cuboid(DVec3::new(0.1, 0.05, 0.05)));
    let obstacles =
        vec![obstacle("pusher", &block, at(-0.1, 0.0, 0.0)), obstacle("wall", &block, at(0.1, 0.0, 0.0))];
    let mut held = Held::new(&part, at(0.0, 0.0, 0.0), obstacles, with_friction(0.3)).unwrap();
    let mut judge = Judge::new(&part, &[&block, &block]);
    held.set_obstacle_velocity(0, prall_math::Twist::new(DVec3::X * 0.2, DVec3::ZERO)).unwrap();
    let mut conflicts = 0;
    for _ in 0..500 {
        let report = held.step(None, DT, &mut Budget::unlimited()).unwrap();
        conflicts += usize::from(report.jam.is_some_and(|jam| jam.reason == JamReason::Conflict));
        judge.look_at_end(&held);
    }
    assert!(conflicts > 300, "{conflicts}");
    let pusher = held.obstacles()[0].pose().translation.x;
    assert!(pusher < -0.05 && pusher > -0.0501, "stopped at {pusher}");
}

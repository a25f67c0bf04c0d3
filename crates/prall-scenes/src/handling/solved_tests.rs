//! The scripted hands solve what they are there to solve, judged by the auditor, and nobody solves it by pulling.

use super::radio::{HOME, askew};
use super::*;
use crate::{Budget, Input, Simulation};
use glam::{DQuat, DVec3};
use prall_detection::Filter;
use prall_handling::{Command, Friction, HandlingOptions, Held, Obstacle, PoseLimits};
use prall_math::Twist;
use prall_mechanics::audit::{AuditBody, Auditor};

/// Steps a scene and lets the auditor, who shares no code with the filter, look at the part in hand now and then.
struct Watched {
    scene: HandlingScene,
    auditors: Vec<Auditor>,
    every: usize,
    steps: usize,
}

impl Watched {
    fn new(definition: &'static HandlingDefinition, every: usize) -> Watched {
        let scene = HandlingScene::new(definition);
        let shapes = scene.handled_shapes();
        let parts = scene.assets().bodies.iter().filter(|body| body.movable).count();
        let auditor = |part: usize| {
            let mut auditor = Auditor::new();
            for (index, (_, shape, _)) in shapes.iter().enumerate() {
                let movable = index == part;
                auditor.add_body(AuditBody { shape: shape.clone(), movable, filter: Filter::default() });
            }
            auditor
        };
        Watched { auditors: (0..parts).map(auditor).collect(), scene, every, steps: 0 }
    }

    fn run(&mut self, seconds: f64) {
        let steps = (seconds / self.scene.time_step()).round() as usize;
        for _ in 0..steps {
            self.scene.step(&Input::default(), &mut Budget::unlimited());
            self.steps += 1;
            if self.steps.is_multiple_of(self.every) {
                let poses: Vec<Pose> = self.scene.handled_shapes().iter().map(|(_, _, pose)| *pose).collect();
                let part = self.scene.handled().expect("a handling scene").part;
                let report = self.auditors[part].audit(&poses).expect("rigid poses");
                assert!(report.overlaps.is_empty(), "{:?} at {} s", report.overlaps, self.scene.time());
            }
        }
    }

    fn pose(&self, part: usize) -> Pose {
        self.scene.handled_shapes()[part].2
    }
}

/// Distance in m and angle in degrees.
fn off(a: &Pose, b: &Pose) -> (f64, f64) {
    (a.translation.distance(b.translation), a.rotation.angle_between(b.rotation).to_degrees())
}

/// Every cover and bulb comes out, and goes back in within 0.5 mm and 2 degrees.
#[test]
fn both_bulbs_are_changed_through_the_gap() {
    let mut bay = Watched::new(&BULB_REMOVAL, 12);
    let total: usize = bay.scene.handled_shapes().iter().map(|(_, shape, _)| triangles(shape)).sum();
    assert_eq!(bay.scene.handled_shapes().len(), 16);
    assert!((58_000..66_000).contains(&total), "{total} triangles");
    let Script::Run(stops) = (BULB_REMOVAL.script)(&Values::defaults(BULB_REMOVAL.parameters)) else {
        panic!("a run")
    };
    let mut out = [false; 4];
    for (index, stop) in stops.iter().enumerate() {
        bay.run(stop.after);
        let last = stops.get(index + 1).is_none_or(|next| next.part != stop.part);
        let (distance, angle) = off(&bay.pose(stop.part), &engine_bay::aside(stop.part));
        out[stop.part] |= distance < 1e-3 && angle < 1.0;
        let home = off(&bay.pose(stop.part), &engine_bay::seated(stop.part));
        if last && out[stop.part] && home.0 < 0.1 {
            assert!(home.0 < 0.5e-3 && home.1 < 2.0, "{}: {home:?}", engine_bay::PARTS[stop.part]);
        }
    }
    assert_eq!(out, [true; 4]);
    for part in 0..4 {
        let home = off(&bay.pose(part), &engine_bay::seated(part));
        assert!(home.0 < 0.5e-3 && home.1 < 2.0, "{}: {home:?}", engine_bay::PARTS[part]);
    }
}

fn triangles(shape: &Shape) -> usize {
    let Shape::TriangleMesh(mesh) = shape else { panic!("meshes only") };
    mesh.mesh().triangles().len()
}

/// With its cover off, a bulb that is pulled to any side, and slides wherever it can, stays in the lamp.
#[test]
fn no_straight_pull_takes_a_bulb_out() {
    let setting = (BULB_REMOVAL.set)(&Values::defaults(BULB_REMOVAL.parameters));
    let obstacles: Vec<Obstacle> = setting
        .obstacles
        .iter()
        .map(|scenery| Obstacle::new(&scenery.name, &scenery.shape, scenery.pose).expect("an obstacle"))
        .collect();
    let limits = PoseLimits { contact_speed: Some(0.5), ..PoseLimits::default() };
    let options = HandlingOptions { pose_limits: limits, ..setting.options };
    let start = engine_bay::seated(3);
    let mut held = Held::new(&setting.parts[3].shape, start, obstacles, options).expect("free");
    let mut out = Vec::new();
    for number in 0..27_i32 {
        let pull =
            DVec3::new(f64::from(number % 3 - 1), f64::from(number / 3 % 3 - 1), f64::from(number / 9 - 1));
        held.set_pose(start).expect("free");
        let goal = Pose::new(start.rotation, start.translation + pull.normalize_or_zero() * 0.4);
        for _ in 0..60 {
            held.step(Some(&Command::Pose(goal)), 0.01, &mut Budget::unlimited()).expect("a step");
        }
        let moved = held.pose().translation.distance(start.translation);
        if moved >= 0.09 {
            out.push((pull, moved));
        }
    }
    assert!(out.is_empty(), "it comes out: {out:?}");
}

#[test]
fn the_radio_goes_in_and_comes_out() {
    let mut radio = Watched::new(&CAR_RADIO, 6);
    radio.run(11.5);
    let home = radio.pose(0).translation.z;
    assert!((home - HOME).abs() < 1e-3, "{home}");
    radio.run(4.0);
    assert!(radio.pose(0).translation.z > 0.1);
}

/// Held 3 degrees askew: a hand that only pushes lets the walls turn the radio, and with little friction it goes in; a hand that keeps it askew
/// against much friction stands, and why is said.
#[test]
fn an_askew_radio_evades_with_little_friction_and_jams_with_much() {
    let setting = (CAR_RADIO.set)(&Values::defaults(CAR_RADIO.parameters));
    let obstacles: Vec<Obstacle> = setting
        .obstacles
        .iter()
        .map(|scenery| Obstacle::new(&scenery.name, &scenery.shape, scenery.pose).expect("an obstacle"))
        .collect();
    let start = askew(3.0);
    for (friction, goes_in) in [(0.02, true), (0.4, false)] {
        let options = HandlingOptions { friction: Friction::of(friction), ..setting.options };
        let mut held = Held::new(&setting.parts[0].shape, start, obstacles.clone(), options).expect("free");
        let push = if goes_in {
            Command::Velocity(Twist::new(DVec3::NEG_Z * 0.1, DVec3::ZERO))
        } else {
            Command::Pose(Pose { translation: DVec3 { z: HOME, ..start.translation }, ..start })
        };
        for _ in 0..500 {
            held.step(Some(&push), 0.005, &mut Budget::unlimited()).expect("a step");
        }
        let turned = start.rotation.angle_between(held.pose().rotation).to_degrees();
        let place = held.pose().translation;
        let words = advice::reason(held.report(), held.obstacles());
        if goes_in {
            assert!((place.z - HOME).abs() < 1e-3 && turned > 1.0, "at {place} turned by {turned}");
        } else {
            assert!(place.z > 0.02, "at {place}");
            assert!(words.is_some_and(|words| words.contains("wall of the slot")));
        }
    }
}

#[test]
fn the_link_comes_off_the_wire() {
    let mut puzzle = Watched::new(&PUZZLE, 10);
    puzzle.run(15.2);
    let (distance, angle) = off(&puzzle.pose(0), &puzzle::free());
    assert!(distance < 1e-3 && angle < 1.0, "{distance} m, {angle} degrees");
}

/// Pulled up without being turned the link stays below the first bar.
#[test]
fn the_link_does_not_pass_a_bar_across_its_slot() {
    let setting = (PUZZLE.set)(&Values::defaults(PUZZLE.parameters));
    let obstacles = setting
        .obstacles
        .iter()
        .map(|scenery| Obstacle::new(&scenery.name, &scenery.shape, scenery.pose).expect("an obstacle"));
    let part = &setting.parts[0];
    let mut held = Held::new(&part.shape, part.start, obstacles.collect(), setting.options).expect("free");
    let goal = Pose { translation: part.start.translation + DVec3::Y * 0.3, ..part.start };
    for _ in 0..100 {
        held.step(Some(&Command::Pose(goal)), 0.01, &mut Budget::unlimited()).expect("a step");
    }
    assert!(held.pose().translation.y < 0.12, "{}", held.pose().translation);
}

/// A clearance of 0.05 mm on a peg of 100 mm.
#[test]
fn the_peg_goes_into_the_tightest_hole() {
    let mut scene = HandlingScene::new(&PEG_IN_HOLE);
    scene.set("clearance", 0.05).expect("a parameter");
    scene.set("friction", 0.05).expect("a parameter");
    scene.reset();
    for _ in 0..400 {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
    let depth = scene.handled_shapes()[0].2.translation.y;
    assert!(depth < 0.2, "{depth}");
    assert!(scene.audit().is_some_and(|report| report.overlaps.is_empty()));
}

/// Untrained hands: 10 degrees off in every axis, commands with 30 % of noise. All of them stand on their wheels in the end, and no corner is ever below
/// the runway.
#[test]
fn a_clumsy_hand_lands_fifty_of_fifty() {
    let setting = (AEROPLANE.set)(&Values::defaults(AEROPLANE.parameters));
    let runway = &setting.obstacles[0];
    let runway = Obstacle::new(&runway.name, &runway.shape, runway.pose).expect("an obstacle");
    let Shape::TriangleMesh(mesh) = &setting.parts[0].shape else { panic!("a mesh") };
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for landing in 0..50 {
        let off = DVec3::new(noise(), noise(), noise()) * 10.0_f64.to_radians();
        let start = Pose::new(DQuat::from_scaled_axis(off), DVec3::new(0.05 * noise(), 0.25, 0.3));
        let mut held = Held::new(&setting.parts[0].shape, start, vec![runway.clone()], setting.options)
            .expect("free in the air");
        for _ in 0..120 {
            let down = DVec3::new(0.3 * noise(), -1.0 + 0.3 * noise(), -0.3 + 0.3 * noise()) * 0.4;
            let command = Command::Velocity(Twist::new(down, DVec3::new(noise(), noise(), noise()) * 0.3));
            held.step(Some(&command), 0.01, &mut Budget::unlimited()).expect("a step");
            let corners = mesh.mesh().positions().iter();
            let lowest =
                corners.map(|corner| held.pose().transform_point(*corner).y).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.0, "landing {landing}: a corner at {lowest} m");
        }
        // A last press without noise.
        let command = Command::Velocity(Twist::new(DVec3::NEG_Y * 0.4, DVec3::ZERO));
        for _ in 0..20 {
            held.step(Some(&command), 0.01, &mut Budget::unlimited()).expect("a step");
        }
        let pose = held.pose();
        let tilt = (pose.rotation * DVec3::Y).angle_between(DVec3::Y).to_degrees();
        let height = pose.translation.y - aeroplane::STANDING;
        assert!(tilt < 0.5 && height.abs() < 1e-3, "landing {landing}: {tilt} degrees, {height} m too high");
        assert!(held.report().contacts.len() >= 3, "landing {landing}: {:?}", held.report().contacts);
    }
}

//! What scenes of the dynamics promise as simulations; their mechanics is tested where it lives.

use super::*;
use crate::{OverlayKind, OverlaySelection};

fn all() -> [&'static WorldDefinition; 20] {
    use contact_scenes::*;
    use joint_scenes::*;
    use law_scenes::*;
    use solid_scenes::*;
    [
        &TREE,
        &TREE_31,
        &TREE_63,
        &TREE_127,
        &TREE_255,
        &JOINTS,
        &FUNNEL,
        &WALL,
        &PYRAMID,
        &LARGE_PYRAMID,
        &DOMINOES,
        &MASS_RATIO,
        &NEWTONS_CRADLE,
        &GYROSCOPE,
        &FOUR_BAR,
        &ROLLING,
        &BOUNCING,
        &SIX_CUBED,
        &JOINT_GRID,
        &SOLID,
    ]
}

fn run(scene: &mut WorldScene, seconds: f64) {
    while scene.time() < seconds - 1e-9 {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
}

/// Two builds of a scene go the same way, a restored one too, and everything stays finite.
#[test]
fn every_scene_goes_on_with_the_same_bits_after_a_restore() {
    for definition in all() {
        let mut scene = WorldScene::new(definition);
        for _ in 0..3 {
            scene.step(&Input::default(), &mut Budget::unlimited());
        }
        let saved = scene.save();
        let mut other = WorldScene::new(definition);
        other.restore(&saved).unwrap();
        for simulation in [&mut scene, &mut other] {
            for _ in 0..2 {
                simulation.step(&Input::default(), &mut Budget::unlimited());
            }
            assert!(simulation.is_finite(), "{}", definition.name);
        }
        assert_eq!(scene.hash(), other.hash(), "{}", definition.name);
    }
}

/// Everything that can be shown is shown without trouble, a pose for every part.
#[test]
fn every_scene_draws_all_its_overlays() {
    for definition in all() {
        let mut scene = WorldScene::new(definition);
        scene.step(&Input::default(), &mut Budget::unlimited());
        let mut frame = Frame { wanted: OverlaySelection::new(scene.overlays(), 0), ..Frame::default() };
        scene.frame(&mut frame);
        assert_eq!(frame.poses.len(), scene.assets().bodies.len());
        assert_eq!(frame.labels.is_empty(), definition.name != "joints");
    }
}

/// A standing wall is not moved by time; the auditor, not the solver, says how deep bricks overlap.
#[test]
fn the_wall_stands_until_the_car_comes() {
    let mut scene = WorldScene::new(&contact_scenes::WALL);
    let before: Vec<_> = scene.stage.part_poses().take(252).collect();
    run(&mut scene, 10.0);
    for (part, (then, now)) in before.iter().zip(scene.stage.part_poses()).enumerate() {
        let moved = (then.translation - now.translation).length();
        assert!(moved < 1e-3, "brick {part} moved by {moved} m");
    }
    let audit = scene.audit().unwrap();
    assert!(audit.penetration_max < 1e-4, "{}", audit.penetration_max);
    scene.set("speed", 10.0).unwrap();
    run(&mut scene, 13.5);
    let places = before.iter().zip(scene.stage.part_poses());
    let broken = places.filter(|(then, now)| (then.translation - now.translation).length() > 0.1).count();
    assert!(broken > 20, "the car has moved {broken} bricks by more than 10 cm");
}

/// Bender's funnel: 1000 cubes at 1 ms, and in every hundredth of a second each of them moves.
#[test]
fn of_a_thousand_cubes_in_the_funnel_none_sleeps() {
    let mut scene = WorldScene::new(&contact_scenes::FUNNEL);
    scene.set("step", 0.001).unwrap();
    scene.reset();
    let mut before: Vec<_> = scene.stage.part_poses().collect();
    for hundredth in 1..=12 {
        run(&mut scene, 0.01 * f64::from(hundredth));
        let now: Vec<_> = scene.stage.part_poses().collect();
        let moved = before.iter().zip(&now).filter(|(before, now)| before != now).count();
        assert_eq!(moved, 1000, "after {hundredth} hundredths");
        before = now;
    }
}

/// The speed of the car holds at once: 900 N m at four wheels of 32 cm bring it to 10 m/s, and it reaches the wall.
#[test]
fn the_car_sets_off_when_it_is_given_a_speed() {
    let mut scene = WorldScene::new(&contact_scenes::WALL);
    scene.set("speed", 10.0).unwrap();
    let top = scene.stage.part_poses().nth(251).unwrap().translation;
    run(&mut scene, 3.5);
    let chassis = scene.stage.world.pose(scene.stage.bodies[252]).unwrap().translation;
    assert!(chassis.z < 4.0, "the car is at {chassis}");
    let moved = (scene.stage.part_poses().nth(251).unwrap().translation - top).length();
    assert!(moved > 0.01, "the uppermost brick moved by {moved} m");
}

/// Box 0.7385 and balls 0.2110 m/s^2 along the push: `a = (F - mu m g) / (m + 2/7 n)`, a rolling ball follows with 2/7.
#[test]
fn the_pushed_slab_and_its_balls_have_the_exact_accelerations() {
    let mut scene = WorldScene::new(&law_scenes::ROLLING);
    run(&mut scene, 0.5);
    let along = DVec3::new(1.0, 0.0, 1.0).normalize();
    let speed =
        |number: usize| scene.stage.world.velocity(scene.stage.bodies[number]).unwrap().linear.dot(along);
    assert!((speed(0) / 0.5 - 0.7385).abs() < 1e-3, "{}", speed(0) / 0.5);
    assert!((speed(13) / 0.5 - 0.2110).abs() < 1e-3, "{}", speed(13) / 0.5);
}

/// One in, one out: after the impact the last ball has what the first one had, the others rest.
#[test]
fn the_cradle_sends_out_as_many_balls_as_came_in() {
    for lifted in 1..=2 {
        let mut scene = WorldScene::new(&law_scenes::NEWTONS_CRADLE);
        scene.set("lifted", f64::from(lifted)).unwrap();
        scene.reset();
        // A quarter of the period and a little more.
        run(&mut scene, 0.5);
        let speeds: Vec<f64> = (1..6)
            .map(|number| scene.stage.world.velocity(scene.stage.bodies[number]).unwrap().linear.length())
            .collect();
        for (i, speed) in speeds.iter().enumerate() {
            let moves = i >= 5 - lifted as usize;
            assert_eq!(*speed > 0.5, moves, "{lifted} lifted: {speeds:?}");
        }
    }
}

/// What hangs is seen to hang: the cradle's threads keep their length as the balls swing, and the zoo shows rope, rod and spring.
#[test]
fn threads_ropes_and_springs_are_drawn_whatever_else_is_shown() {
    let lines = |scene: &WorldScene| {
        let mut frame = Frame { wanted: OverlaySelection::NONE, ..Frame::default() };
        scene.frame(&mut frame);
        frame.overlays.retain(|item| item.kind == OverlayKind::Line);
        frame.overlays.iter().map(|item| item.from.distance(item.to)).collect::<Vec<f64>>()
    };
    let mut cradle = WorldScene::new(&law_scenes::NEWTONS_CRADLE);
    run(&mut cradle, 0.2);
    let threads = lines(&cradle);
    // 10 um is the scene's position tolerance.
    assert!(threads.len() == 5 && threads.iter().all(|length| (length - 0.5).abs() < 1e-5), "{threads:?}");
    assert_eq!(lines(&WorldScene::new(&joint_scenes::JOINTS)).len(), 3);
}

/// A brick from under twenty rows: the hand is strong enough, shows its force, and what lay on the brick comes down.
#[test]
fn a_brick_can_be_drawn_from_the_wall() {
    let mut scene = WorldScene::new(&contact_scenes::WALL);
    let number = scene.assets().bodies.iter().position(|body| body.name == "brick 3-9").unwrap();
    let heights: Vec<f64> = scene.stage.part_poses().take(252).map(|pose| pose.translation.y).collect();
    let place = scene.stage.part_pose(number).translation;
    assert_eq!(scene.grab(&Ray::new(place + DVec3::Z, DVec3::NEG_Z).unwrap()).unwrap().body, number);
    let input = Input {
        hand: Some(prall_math::Pose::from_translation(place + DVec3::new(-0.2, -0.2, 1.5))),
        ..Input::default()
    };
    let mut force = 0.0_f64;
    let mut frame = Frame::default();
    for _ in 0..90 {
        scene.step(&input, &mut Budget::unlimited());
        scene.frame(&mut frame);
        force = frame
            .overlays
            .iter()
            .filter(|item| item.kind == OverlayKind::Grip)
            .map(|item| item.value)
            .fold(force, f64::max);
    }
    scene.release();
    assert!(
        scene.stage.part_pose(number).translation.z > 0.4,
        "{}",
        scene.stage.part_pose(number).translation
    );
    assert!(force > 1e3, "{force} N");
    run(&mut scene, 1.0);
    let fell = scene.stage.part_poses().take(252).zip(heights).map(|(now, then)| then - now.translation.y);
    assert!(fell.fold(0.0, f64::max) > 0.05);
}

/// A hand pulls a brick out, pins and removes others; a removed one is marked hidden and refuses further actions.
#[test]
fn bodies_can_be_pulled_thrown_pinned_and_removed() {
    let mut scene = WorldScene::new(&contact_scenes::DOMINOES);
    let place = scene.stage.part_pose(50).translation;
    let ray = Ray::new(place + DVec3::Y, DVec3::NEG_Y).unwrap();
    let grip = scene.grab(&ray).unwrap();
    assert_eq!(grip.body, 50);
    let input =
        Input { hand: Some(prall_math::Pose::from_translation(place + DVec3::Y * 0.5)), ..Input::default() };
    for _ in 0..240 {
        scene.step(&input, &mut Budget::unlimited());
    }
    assert!(scene.stage.part_pose(50).translation.y > 0.3);
    scene.release();
    scene.act(80, &BodyAction::Pin).unwrap();
    scene.act(81, &BodyAction::Delete).unwrap();
    scene.act(82, &BodyAction::Throw { velocity: DVec3::Y * 3.0, spin: DVec3::ZERO }).unwrap();
    let pinned = scene.stage.part_pose(80);
    run(&mut scene, 1.2);
    assert_eq!(scene.stage.part_pose(80), pinned);
    let mut frame = Frame::default();
    scene.frame(&mut frame);
    assert!(frame.marks.contains(&BodyMark { body: 81, hidden: true, pinned: false }));
    assert!(matches!(scene.act(81, &BodyAction::Pin), Err(ActionError::Refused(_))));
    assert!(scene.body_properties(81).is_err() && scene.body_properties(82).is_ok());
    let saved = scene.save();
    let mut other = WorldScene::new(&contact_scenes::DOMINOES);
    other.restore(&saved).unwrap();
    assert_eq!(other.hash(), scene.hash());
}

/// However hard one pulls, rings stay linked, the padlock stays on its bar and the gears stay in mesh; the auditor finds no overlap.
#[test]
fn rings_gears_and_padlock_hold() {
    for pull in [500.0, 10_000.0] {
        let mut scene = WorldScene::new(&solid_scenes::SOLID);
        scene.set("pull", pull).unwrap();
        scene.reset();
        let heights = |scene: &WorldScene| -> Vec<f64> {
            let world = &scene.stage.world;
            scene.stage.bodies.iter().map(|body| world.centre_of_mass(*body).unwrap().y).collect()
        };
        let before = heights(&scene);
        run(&mut scene, 1.0);
        for (body, (then, now)) in before.iter().zip(heights(&scene)).enumerate() {
            assert!((then - now).abs() < 0.02, "{pull} N: body {body} went from {then} to {now} m");
        }
        let report = scene.stage.world.solid_report();
        assert!(report.smallest_gap > 0.0 && report.overlapping == 0, "{report:?}");
        let audit = scene.stage.audit().unwrap();
        assert!(audit.overlaps.is_empty(), "{audit:?}");
        // 20 teeth drive 30: two thirds of 1 rad, backwards, to the backlash.
        let wheel = scene.stage.world.pose(scene.stage.bodies[5]).unwrap().rotation * DVec3::X;
        let turned = libm::atan2(wheel.y, wheel.x) - std::f64::consts::PI / 30.0;
        assert!((turned + 2.0 / 3.0).abs() < 5e-3, "{turned} rad");
    }
}

//! Handling scenes play, are taken by hand, and let nothing pass.

use super::*;
use crate::{BodyAction, Budget, Frame, Input, Overlay, OverlayKind, OverlaySelection, Ray, Simulation};
use glam::DVec3;

static ALL: [&HandlingDefinition; 9] =
    [&CORNER, &PEG_IN_HOLE, &TEE, &BOLT_AND_NUT, &SHEET, &CAR_RADIO, &PUZZLE, &BULB_REMOVAL, &AEROPLANE];

fn run(scene: &mut HandlingScene, input: &Input, steps: usize) {
    for _ in 0..steps {
        scene.step(input, &mut Budget::unlimited());
    }
}

#[test]
fn every_scene_plays_and_touches_something() {
    for definition in ALL {
        let mut scene = HandlingScene::new(definition);
        let (mut contacts, mut moved, mut last) = (0, 0.0, None);
        let mut frame = Frame::default();
        // Threads are near everywhere: a step costs as much as fifty of the others.
        let steps = if definition.name == BOLT_AND_NUT.name { 120 } else { 400 };
        for _ in 0..steps {
            scene.step(&Input::default(), &mut Budget::unlimited());
            contacts += scene.report().contacts;
            scene.frame(&mut frame);
            assert_eq!(frame.poses.len(), scene.assets().bodies.len());
            let place = frame.poses[0].translation;
            moved += last.map_or(0.0, |last: DVec3| last.distance(place));
            last = Some(place);
        }
        assert!(contacts > 50, "{}: {contacts} contacts", definition.name);
        assert!(moved > 2e-3, "{}: moved by {moved} m", definition.name);
        assert!(scene.is_finite());
    }
}

#[test]
fn the_played_peg_goes_in_and_comes_out() {
    let mut scene = HandlingScene::new(&PEG_IN_HOLE);
    run(&mut scene, &Input::default(), 400);
    let inside = scene_pose(&scene).translation.y;
    assert!(inside < 0.17, "{inside}");
    run(&mut scene, &Input::default(), 230);
    let outside = scene_pose(&scene).translation.y;
    assert!(outside > 0.3, "{outside}");
}

#[test]
fn a_saved_scene_goes_on_with_equal_bits() {
    for definition in ALL {
        let mut scene = HandlingScene::new(definition);
        let steps = if definition.name == BOLT_AND_NUT.name { 8 } else { 100 };
        run(&mut scene, &Input::default(), steps);
        let saved = scene.save();
        run(&mut scene, &Input::default(), steps / 2);
        let mut second = HandlingScene::new(definition);
        second.restore(&saved).expect("its own state");
        run(&mut second, &Input::default(), steps / 2);
        assert_eq!(scene.hash(), second.hash(), "{}", definition.name);
        assert!(second.restore(b"no state").is_err());
    }
}

#[test]
fn a_taken_part_follows_the_hand_and_stays_where_it_is_left() {
    let mut scene = HandlingScene::new(&CORNER);
    run(&mut scene, &Input::default(), 2);
    let centre = scene_pose(&scene).translation;
    let ray = Ray::new(centre + DVec3::Z, DVec3::NEG_Z).expect("a ray");
    let grip = scene.grab(&ray).expect("the ray meets the part");
    assert_eq!(grip.body, 0);
    // Far into the floor.
    let held = scene_pose(&scene).transform_point(grip.point);
    let hand = Pose::from_translation(DVec3::new(held.x, -0.5, held.z));
    let input = Input { hand: Some(hand), ..Input::default() };
    run(&mut scene, &input, 200);
    let mut frame =
        Frame { wanted: OverlaySelection::new(&[Overlay::Contacts, Overlay::Labels], 0), ..Frame::default() };
    scene.frame(&mut frame);
    assert!(
        frame.poses[0].translation.y > 0.05 && frame.poses[1].translation.y < 0.0,
        "part above, ghost below"
    );
    assert!(frame.overlays.iter().any(|item| item.kind == OverlayKind::Contact));
    assert!(frame.overlays.iter().any(|item| item.kind == OverlayKind::Grip));
    assert!(frame.labels.iter().any(|label| label.text.contains("blocked")), "{:?}", frame.labels);
    // What the floor presses with balances what the hand pulls with: 1000 N/m of the way that is left.
    let left = frame.poses[0].translation.y - frame.poses[1].translation.y;
    let channels = frame.overlays.iter().find(|item| item.kind == OverlayKind::Channels).expect("numbers");
    let force = channels.from.z;
    assert!((force - 1e3 * left).abs() < 0.1 * force, "{force} N for {left} m");
    scene.release();
    let left = scene_pose(&scene);
    run(&mut scene, &Input::default(), 50);
    assert_eq!(scene_pose(&scene), left);
    assert!(scene.act(0, &BodyAction::Delete).is_err());
}

fn scene_pose(scene: &HandlingScene) -> Pose {
    let mut frame = Frame::default();
    scene.frame(&mut frame);
    frame.poses[0]
}

/// The same commands with the filter, frozen, and with a warning only.
#[test]
fn without_the_filter_the_part_overlaps_or_freezes() {
    let mut overlaps = Vec::new();
    for solver in ["filter", "freeze", "warn", "off"] {
        let mut scene = HandlingScene::new(&CORNER);
        scene.select_solver(solver).expect("a solver");
        let mut overlapping = 0;
        for _ in 0..300 {
            scene.step(&Input::default(), &mut Budget::unlimited());
            let mut frame =
                Frame { wanted: OverlaySelection::new(&[Overlay::Labels], 0), ..Frame::default() };
            scene.frame(&mut frame);
            overlapping += usize::from(frame.labels.iter().any(|label| label.text == "overlaps"));
        }
        overlaps.push(overlapping);
        // Back to the filter from wherever it is.
        scene.select_solver("filter").expect("a solver");
        run(&mut scene, &Input::default(), 10);
    }
    assert_eq!([overlaps[0], overlaps[1], overlaps[3]], [0, 0, 0]);
    assert!(overlaps[2] > 50, "{overlaps:?}");
}

/// The page's plate says the first text of a part that stands, so that comes before the forces.
#[test]
fn why_a_part_stands_is_the_first_of_its_texts() {
    let mut scene = HandlingScene::new(&CAR_RADIO);
    let wanted = OverlaySelection::new(&[Overlay::Labels, Overlay::Clearance], 0);
    let mut frame = Frame { wanted, ..Frame::default() };
    let mut standing = 0;
    for _ in 0..600 {
        scene.step(&Input::default(), &mut Budget::unlimited());
        scene.frame(&mut frame);
        let numbers = frame.overlays.iter().find(|item| item.kind == OverlayKind::Channels);
        // The second channel says that it stands.
        if numbers.is_some_and(|item| item.from.y == 2.0) && frame.labels.len() > 2 {
            standing += 1;
            let first = &frame.labels[0].text;
            assert!(!first.contains("N, friction") && !first.contains(" mm to "), "{first}");
        }
    }
    assert!(standing > 10, "it stood in {standing} steps");
}

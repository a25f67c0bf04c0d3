//! What scenes of machines promise as simulations.

use crate::world::WorldDefinition;
use crate::world::WorldScene;
use crate::{Budget, Frame, Input, OverlaySelection, Simulation};

fn all() -> [&'static WorldDefinition; 2] {
    [&super::pendulum_cart::PENDULUM_CART, &super::trebuchet::TREBUCHET]
}

fn run(scene: &mut WorldScene, seconds: f64) {
    let end = scene.time() + seconds;
    while scene.time() < end - 1e-9 {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
}

/// Two builds of a scene go the same way, a restored one too, and everything stays finite.
#[test]
fn every_machine_goes_on_with_the_same_bits_after_a_restore() {
    for definition in all() {
        let mut scene = WorldScene::new(definition);
        run(&mut scene, 0.1);
        let saved = scene.save();
        let mut other = WorldScene::new(definition);
        other.restore(&saved).unwrap();
        for simulation in [&mut scene, &mut other] {
            run(simulation, 0.1);
            assert!(simulation.is_finite(), "{}", definition.name);
        }
        assert_eq!(scene.hash(), other.hash(), "{}", definition.name);
    }
}

/// Everything that can be shown is shown without trouble, a pose for every part.
#[test]
fn every_machine_draws_all_its_overlays() {
    for definition in all() {
        let mut scene = WorldScene::new(definition);
        scene.step(&Input::default(), &mut Budget::unlimited());
        let mut frame = Frame { wanted: OverlaySelection::new(scene.overlays(), 0), ..Frame::default() };
        scene.frame(&mut frame);
        assert_eq!(frame.poses.len(), scene.assets().bodies.len());
        assert!(!frame.boxes.is_empty(), "{}", definition.name);
    }
}

/// The weight falls, the stone leaves the shoe by contact alone and comes down far behind where the arm could reach.
#[test]
fn the_trebuchet_throws_its_stone_over_thirty_metres() {
    let mut scene = WorldScene::new(&super::trebuchet::TREBUCHET);
    let stone = scene.assets().bodies.iter().position(|body| body.name == "stone").unwrap();
    let (mut frame, mut before) = (Frame::default(), scene.energy().total());
    let start = before;
    for _ in 0..30 {
        run(&mut scene, 0.1);
        let now = scene.energy().total();
        // Contacts by percussions may lend a little at an impact; over a tenth of a second energy falls.
        assert!(now <= before + 1e-3 * start, "{now} after {before}");
        before = now;
    }
    scene.frame(&mut frame);
    assert!(frame.poses[stone].translation.x > 30.0, "{}", frame.poses[stone].translation);
}

//! Hands that hold parts among parts that yield: a drawer, two hands, a screwdriver.

use super::hinged_cover::{FRICTION, SOLID, led, mesh, plate};
use super::stage::rough;
use super::{Build, Stage, WorldDefinition};
use crate::Camera;
use crate::parameter::Values;
use glam::{DAffine3, DQuat, DVec2, DVec3};
use prall_dynamics::{BodyDefinition, Coupling, JointDefinition, WorldOptions};
use prall_geometry::{PolygonSoup, Shape, generate};
use prall_math::Pose;

const fn definition(name: &'static str, build: fn(&Values) -> Stage) -> WorldDefinition {
    WorldDefinition { name, parameters: &[FRICTION], solvers: SOLID, build: Build::Gallery(build) }
}

pub(crate) static DRAWER: WorldDefinition = definition("drawer", drawer);
pub(crate) static TWO_HANDS: WorldDefinition = definition("two-hands", two_hands);
pub(crate) static SCREWDRIVER: WorldDefinition = definition("screwdriver", screwdriver);

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// An open box of an inner size about the origin, in one mesh: floor and four walls that do not touch.
fn open_box(inner: DVec3, wall: f64) -> Shape {
    const SEAM: f64 = 1e-4;
    let outer = inner + DVec3::splat(2.0 * wall);
    let (side, across) = (0.5 * (inner.x + wall), 0.5 * (inner.z + wall));
    let low = -0.5 * (inner.y + wall);
    let pieces = [
        (DVec3::new(outer.x, wall, outer.z), DVec3::new(0.0, low - SEAM, 0.0)),
        (DVec3::new(wall, inner.y, outer.z), DVec3::new(side, 0.0, 0.0)),
        (DVec3::new(wall, inner.y, outer.z), DVec3::new(-side, 0.0, 0.0)),
        (DVec3::new(inner.x - SEAM, inner.y, wall), DVec3::new(0.0, 0.0, across)),
        (DVec3::new(inner.x - SEAM, inner.y, wall), DVec3::new(0.0, 0.0, -across)),
    ];
    joined(pieces.map(|(size, place)| {
        (
            generate::brick(size, 5e-4).expect("declared measures make a brick"),
            DAffine3::from_translation(place),
        )
    }))
}

/// Pieces in one mesh.
fn joined(pieces: impl IntoIterator<Item = (PolygonSoup, DAffine3)>) -> Shape {
    let mut soup: Option<PolygonSoup> = None;
    for (piece, place) in pieces {
        let piece = piece.transformed(&place).expect("a placement");
        match &mut soup {
            None => soup = Some(piece),
            Some(soup) => soup.append(&piece).expect("few enough pieces"),
        }
    }
    mesh(&soup.expect("at least one piece"))
}

/// How far the drawer opens, in m.
const OPEN: f64 = 0.2;

fn drawer(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.55, 0.5, 0.8), target: DVec3::new(0.0, 0.12, 0.08) };
    let mut stage = Stage::new(WorldOptions::default(), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let (case, front, loose) = (stage.glass("#9fb4b8"), stage.look("#c9a27c"), stage.look("#0a6b75"));
    let walls = [
        ("left wall", DVec3::new(0.012, 0.16, 0.26), DVec3::new(-0.17, 0.1, 0.0)),
        ("right wall", DVec3::new(0.012, 0.16, 0.26), DVec3::new(0.17, 0.1, 0.0)),
        ("top", DVec3::new(0.352, 0.012, 0.26), DVec3::new(0.0, 0.19, 0.0)),
        ("back wall", DVec3::new(0.32, 0.16, 0.012), DVec3::new(0.0, 0.1, -0.14)),
    ];
    for (name, size, place) in walls {
        let wall =
            BodyDefinition::fixed(plate(size)).in_pose(Pose::from_translation(place)).made_of(material);
        stage.add(name, &wall, case);
    }
    let tray = BodyDefinition::dynamic(open_box(DVec3::new(0.28, 0.09, 0.2), 0.01), 500.0)
        .in_pose(pulled(0.0))
        .made_of(material);
    let tray = stage.add("drawer", &tray, front);
    let block = BodyDefinition::dynamic(plate(DVec3::splat(0.05)), 600.0)
        .in_pose(at(0.05, 0.082, 0.02))
        .made_of(material);
    stage.add("block", &block, loose);
    let rails = JointDefinition::slider(stage.world.ground(), tray, pulled(0.0).translation, DVec3::Z);
    stage.joint(&rails.limits(0, 0.0, OPEN).rubbing(0, 0.5));
    stage.hold_by(tray, &Coupling { stiffness: 250.0, strength: 80.0 }, |time| {
        let straight = pulled(time);
        let share = straight.translation.z / OPEN;
        Pose::new(DQuat::from_rotation_y(0.2 * share), straight.translation + DVec3::Y * 0.02 * share)
    });
    // The case, and in front of it the open drawer.
    stage.show(DVec3::new(-0.18, 0.0, -0.15), DVec3::new(0.18, 0.2, 0.12 + OPEN));
    stage
}

/// Where a hand would have the drawer that pulls it straight: out, beyond its stop, and in.
fn pulled(time: f64) -> Pose {
    led(
        &[
            (0.0, [0.0, 0.1, 0.0]),
            (2.5, [0.0, 0.1, 0.23]),
            (3.5, [0.0, 0.1, 0.23]),
            (6.0, [0.0, 0.1, -0.01]),
            (7.0, [0.0, 0.1, 0.0]),
        ],
        time,
    )
}

/// Inner size of the box that the left hand holds, and the block in the right one, in m.
const POCKET: DVec3 = DVec3::new(0.06, 0.06, 0.06);
const BLOCK: f64 = 0.058;

fn two_hands(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.25, 0.5, 0.5), target: DVec3::new(0.0, 0.26, 0.0) };
    let mut stage = Stage::new(WorldOptions::default(), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let (left, right) = (stage.glass("#c9a27c"), stage.look("#0a6b75"));
    let pocket =
        BodyDefinition::dynamic(open_box(POCKET, 0.01), 1000.0).in_pose(pocket_at(0.0)).made_of(material);
    let pocket = stage.add("box", &pocket, left);
    let block =
        BodyDefinition::dynamic(plate(DVec3::splat(BLOCK)), 1000.0).in_pose(block_at(0.0)).made_of(material);
    let block = stage.add("block", &block, right);
    let coupling = Coupling { stiffness: 150.0, strength: 60.0 };
    stage.hold_by(pocket, &coupling, pocket_at);
    stage.hold_by(block, &coupling, block_at);
    stage
}

fn pocket_at(time: f64) -> Pose {
    led(
        &[
            (0.0, [-0.06, 0.2, 0.0]),
            (2.0, [0.0, 0.24, 0.0]),
            (5.0, [0.0, 0.24, 0.0]),
            (8.0, [-0.06, 0.2, 0.0]),
        ],
        time,
    )
}

/// Above the box, half a millimetre off its axis, in, and out again.
fn block_at(time: f64) -> Pose {
    led(
        &[
            (0.0, [0.08, 0.34, 0.0]),
            (2.0, [0.0005, 0.33, 0.0005]),
            (4.0, [0.0005, 0.24, 0.0005]),
            (5.0, [0.0005, 0.24, 0.0005]),
            (7.0, [0.0005, 0.34, 0.0005]),
            (8.0, [0.08, 0.34, 0.0]),
        ],
        time,
    )
}

/// The screw's head and its slot, in m.
const HEAD: f64 = 0.03;
const SLOT: f64 = 0.008;
const PITCH: f64 = 0.004;
/// Height of the head's middle at the start.
const SCREW: f64 = 0.1;

fn screwdriver(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.16, 0.28, 0.26), target: DVec3::new(0.0, 0.12, 0.0) };
    let mut stage = Stage::new(WorldOptions::default(), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let (brass, steel) = (stage.metal("#c9a25c"), stage.metal("#8a9599"));
    let screw =
        BodyDefinition::dynamic(slotted_head(), 2000.0).in_pose(at(0.0, SCREW, 0.0)).made_of(material);
    let screw = stage.add("screw", &screw, brass);
    let thread = JointDefinition::screw(stage.world.ground(), screw, DVec3::Y * SCREW, DVec3::NEG_Y, PITCH);
    stage.joint(&thread.rubbing(0, 5e-3));
    let blade = joined([
        (brick(DVec3::new(0.05, 0.06, SLOT - 1e-3)), DAffine3::IDENTITY),
        (
            generate::cylinder(0.012, 0.1, 24).expect("a handle"),
            DAffine3::from_translation(DVec3::Y * 0.0801),
        ),
    ]);
    let blade = BodyDefinition::dynamic(blade, 7800.0).in_pose(turning(0.0)).made_of(material);
    let blade = stage.add("screwdriver", &blade, steel);
    stage.hold_by(blade, &Coupling { stiffness: 400.0, strength: 60.0 }, turning);
    stage.works_on(blade, screw, DVec3::Y, "on the screw");
    stage
}

fn brick(size: DVec3) -> PolygonSoup {
    generate::brick(size, 5e-4).expect("declared measures make a brick")
}

/// A disc with a slot along x: two segments of a circle on a round floor.
fn slotted_head() -> Shape {
    let half = 0.5 * SLOT;
    let begin = libm::asin(half / HEAD);
    let segment: Vec<DVec2> = (0..=16)
        .map(|k| begin + (std::f64::consts::PI - 2.0 * begin) * f64::from(k) / 16.0)
        .map(|angle| DVec2::new(HEAD * libm::cos(angle), HEAD * libm::sin(angle)))
        .collect();
    let prism = generate::prism(&segment, 0.012).expect("a segment of a circle");
    let floor = generate::cylinder(HEAD, 0.006, 32).expect("a disc");
    joined([
        (floor, DAffine3::from_translation(DVec3::NEG_Y * 0.0091)),
        (prism.clone(), DAffine3::IDENTITY),
        (prism, DAffine3::from_quat(DQuat::from_rotation_y(std::f64::consts::PI))),
    ])
}

/// Down onto the head, turned by 40 degrees against the slot, then two turns while pressing, and up.
fn turning(time: f64) -> Pose {
    let height = led(
        &[
            (0.0, [0.0, 0.17, 0.0]),
            (1.0, [0.0, 0.125, 0.0]),
            (9.0, [0.0, 0.11, 0.0]),
            (10.0, [0.0, 0.17, 0.0]),
            (11.0, [0.0, 0.17, 0.0]),
        ],
        time,
    );
    let turn = -0.7 + (time % 11.0 - 1.0).clamp(0.0, 8.0) / 8.0 * (2.0 * std::f64::consts::TAU + 0.7);
    // Clockwise, seen from above.
    Pose::new(DQuat::from_rotation_y(-turn), height.translation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::WorldScene;
    use crate::{Budget, Frame, Input, Judge, Overlay, OverlaySelection, Simulation};

    /// Plays a scene's own hands and calls `look` after each step; overlaps are looked for by triangles.
    fn play(
        definition: &'static WorldDefinition,
        time: f64,
        mut look: impl FnMut(f64, &dyn Fn(&str) -> Pose),
    ) {
        let mut scene = WorldScene::new(definition);
        let mut judge = Judge::new(scene.world().expect("a world")).expect("meshes");
        let steps = (time / scene.time_step()).round() as usize;
        let mut overlaps = 0;
        let mut frame = Frame::default();
        for step in 0..steps {
            scene.step(&Input::default(), &mut Budget::unlimited());
            scene.frame(&mut frame);
            let assets = scene.assets();
            let named = |name: &str| {
                frame.poses[assets.bodies.iter().position(|body| body.name == name).expect("a body")]
            };
            look(step as f64 * scene.time_step(), &named);
            if step % 20 == 0 {
                let world = scene.world().expect("a world");
                let poses: Vec<Pose> = judge.bodies().filter_map(|body| world.pose(body).ok()).collect();
                overlaps += judge.crossings(&poses, |_| true).len();
            }
        }
        assert_eq!(overlaps, 0);
    }

    #[test]
    fn the_drawer_goes_straight_to_its_stop_whatever_the_hand_wants() {
        let (mut widest, mut askew) = (0.0_f64, 0.0_f64);
        let mut block = Pose::IDENTITY;
        play(&DRAWER, 4.0, |_, named| {
            let drawer = named("drawer");
            widest = widest.max(drawer.translation.z);
            askew = askew.max(drawer.rotation.to_scaled_axis().length());
            askew = askew.max((drawer.translation.y - 0.1).abs());
            block = drawer.inverse() * named("block");
        });
        assert!((widest - OPEN).abs() < 1e-3, "{widest} m");
        assert!(askew < 1e-4, "{askew}");
        assert!(
            block.translation.abs().max_element() < 0.14,
            "the block is in the drawer: {}",
            block.translation
        );
    }

    #[test]
    fn two_hands_bring_the_block_into_the_box() {
        let mut inside = f64::INFINITY;
        play(&TWO_HANDS, 4.9, |_, named| {
            inside = (named("box").inverse() * named("block")).translation.length();
        });
        assert!(inside < 3e-3, "{inside} m");
    }

    /// The screw hardly accelerates: what the blade presses and turns it with, and its weight, is what its thread answers with.
    #[test]
    fn what_the_blade_does_to_the_screw_balances_weight_and_thread() {
        let mut scene = WorldScene::new(&SCREWDRIVER);
        let mut frame = Frame { wanted: OverlaySelection::new(&[Overlay::Labels], 0), ..Frame::default() };
        let mut written = 0;
        while scene.time() < 7.0 {
            scene.step(&Input::default(), &mut Budget::unlimited());
            if scene.time() < 5.0 {
                continue;
            }
            let (stage, tool) = (&scene.stage, &scene.stage.tools[0]);
            let blade = tool.wrench(&stage.world);
            let thread = stage.world.joint_marks().next().expect("a thread").reaction;
            let weight = 9.81 * stage.world.mass(tool.workpiece).expect("the screw");
            let force = blade.force.y + thread.force.y - weight;
            assert!(blade.force.y < -1.0 && force.abs() < 0.02, "{force} N are left");
            let torque = blade.torque.y + thread.torque.y;
            assert!(torque.abs() < 4e-5, "{torque} N m are left");
            scene.frame(&mut frame);
            written += usize::from(frame.labels.iter().any(|label| {
                label.text.starts_with("on the screw: ")
                    && label.text.ends_with(&format!("{:.1} N", blade.force.length()))
            }));
        }
        assert!(written > 50, "{written}");
    }

    #[test]
    fn the_screwdriver_finds_the_slot_and_turns_the_screw_in() {
        let (mut turned, mut last) = (0.0, DQuat::IDENTITY);
        let mut place = 0.0;
        play(&SCREWDRIVER, 9.0, |_, named| {
            let screw = named("screw");
            turned -= (screw.rotation * last.conjugate()).to_scaled_axis().y / std::f64::consts::TAU;
            last = screw.rotation;
            place = screw.translation.y;
        });
        assert!(turned > 1.2, "{turned} turns");
        assert!((SCREW - place - turned * PITCH).abs() < 1e-5, "{place} m after {turned} turns");
    }
}

//! A held block pushes a cover open.

use super::stage::rough;
use super::{Build, Stage, WorldDefinition, WorldSolver};
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use crate::simulation::Solver;
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, Coupling, JointDefinition, SpringDamper, WorldOptions};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
use prall_math::Pose;
use std::sync::Arc;

pub(crate) static HINGED_COVER: WorldDefinition = WorldDefinition {
    name: "hinged-cover",
    parameters: &[
        Parameter {
            key: "spring",
            label: "Spring",
            unit: "N m/rad",
            min: 0.0,
            max: 5.0,
            default: 0.6,
            step: 0.1,
            scale: Scale::Linear,
            text: "In the hinge, from the next reset on",
        },
        FRICTION,
    ],
    solvers: SOLID,
    build: Build::Gallery(hinged_cover),
};

pub(super) const FRICTION: Parameter = Parameter {
    key: "friction",
    label: "Friction",
    unit: "",
    min: 0.0,
    max: 1.0,
    default: 0.2,
    step: 0.01,
    scale: Scale::Linear,
    text: "Coulomb's coefficient of all surfaces, from the next reset on",
};

/// The only solver of scenes in which a hand holds parts.
pub(super) const SOLID: (&[WorldSolver], &[Solver]) = (
    &[WorldSolver::standard()],
    &[Solver {
        name: "solid",
        title: "Solid contacts",
        promise: "No two parts ever overlap, proven for every motion of every step",
        source: "Ferguson et al. 2021, and own",
    }],
);

/// Inner size of the case, thickness of its walls and of the cover, in m.
const CASE: DVec3 = DVec3::new(0.3, 0.2, 0.22);
const WALL: f64 = 0.012;
/// The cover reaches this far over the front.
const LIP: f64 = 0.035;
/// Between cover and case.
const GAP: f64 = 1e-3;
const BLOCK: f64 = 0.06;
/// How far the cover opens, in rad.
const STOP: f64 = 1.9;

pub(super) fn plate(size: DVec3) -> Shape {
    mesh(&generate::brick(size, 1.5e-3).expect("declared measures make a brick"))
}

pub(super) fn mesh(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).expect("bricks are meshes");
    let mesh = TriangleMesh::new(Arc::new(mesh)).expect("bricks have triangles");
    Shape::TriangleMesh(Arc::new(mesh))
}

fn hinged_cover(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.62, 0.52, 0.85), target: DVec3::new(0.0, 0.17, 0.03) };
    let mut stage = Stage::new(WorldOptions::default(), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let (case, lid, tool) = (stage.glass("#9fb4b8"), stage.look("#c9a27c"), stage.look("#0a6b75"));
    let (half, middle) = (0.5 * CASE + DVec3::splat(0.5 * WALL), 0.5 * CASE.y);
    let walls = [
        ("left wall", DVec3::new(WALL, CASE.y, CASE.z), DVec3::new(-half.x, middle, 0.0)),
        ("right wall", DVec3::new(WALL, CASE.y, CASE.z), DVec3::new(half.x, middle, 0.0)),
        ("back wall", DVec3::new(CASE.x + 2.0 * WALL, CASE.y, WALL), DVec3::new(0.0, middle, -half.z)),
        ("front wall", DVec3::new(CASE.x + 2.0 * WALL, CASE.y, WALL), DVec3::new(0.0, middle, half.z)),
    ];
    for (name, size, place) in walls {
        let wall =
            BodyDefinition::fixed(plate(size)).in_pose(Pose::from_translation(place)).made_of(material);
        stage.add(name, &wall, case);
    }
    let depth = CASE.z + 2.0 * WALL + LIP;
    let height = CASE.y + GAP + 0.5 * WALL;
    let cover = BodyDefinition::dynamic(plate(DVec3::new(CASE.x + 2.0 * WALL, WALL, depth)), 700.0)
        .in_pose(Pose::from_translation(DVec3::new(0.0, height, 0.5 * LIP)))
        .made_of(material);
    let cover = stage.add("cover", &cover, lid);
    let axle = DVec3::new(0.0, height, -half.z - 0.5 * WALL);
    let spring = SpringDamper { stiffness: values.of("spring"), damping: 0.05, rest: 0.0 };
    let hinge = JointDefinition::hinge(stage.world.ground(), cover, axle, DVec3::NEG_X)
        .sprung(0, spring)
        .limits(0, 0.0, STOP);
    stage.joint(&hinge);
    let block =
        BodyDefinition::dynamic(plate(DVec3::splat(BLOCK)), 1500.0).in_pose(play(0.0)).made_of(material);
    let block = stage.add("block", &block, tool);
    stage.hold_by(block, &Coupling { stiffness: 250.0, strength: 80.0 }, play);
    stage
}

/// Under the lip, up with the cover, over the front wall into the case, and back the same way.
fn play(time: f64) -> Pose {
    const STOPS: [(f64, [f64; 3]); 9] = [
        (0.0, [0.02, 0.12, 0.24]),
        (1.0, [0.02, 0.14, 0.162]),
        (2.5, [0.02, 0.27, 0.158]),
        (4.0, [0.02, 0.31, 0.06]),
        (5.0, [0.02, 0.22, 0.02]),
        (6.0, [0.02, 0.22, 0.02]),
        (7.0, [0.02, 0.31, 0.06]),
        (8.5, [0.02, 0.29, 0.2]),
        (10.0, [0.02, 0.12, 0.24]),
    ];
    led(&STOPS, time)
}

/// Where a hand is that goes from stop to stop, each a time in s and a place, again and again.
pub(super) fn led(stops: &[(f64, [f64; 3])], time: f64) -> Pose {
    let time = time % stops[stops.len() - 1].0;
    let next = stops.iter().position(|(at, _)| *at >= time).unwrap_or(0).max(1);
    let ((from, a), (to, b)) = (stops[next - 1], stops[next]);
    let share = (time - from) / (to - from);
    let share = share * share * (3.0 - 2.0 * share);
    Pose::new(DQuat::IDENTITY, DVec3::from(a).lerp(DVec3::from(b), share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::WorldScene;
    use crate::{Budget, Frame, Input, Judge, Ray, Simulation};

    fn opening(scene: &WorldScene) -> f64 {
        let mut frame = Frame::default();
        scene.frame(&mut frame);
        let cover = scene.assets().bodies.iter().position(|body| body.name == "cover").expect("a cover");
        -frame.poses[cover].rotation.to_scaled_axis().x
    }

    /// The scripted hand opens the cover with the block and closes it; nothing overlaps, by triangles.
    #[test]
    fn the_held_block_opens_the_cover_and_nothing_overlaps() {
        let mut scene = WorldScene::new(&HINGED_COVER);
        let world = scene.world().expect("a world");
        let mut judge = Judge::new(world).expect("meshes");
        let (mut widest, mut overlaps) = (0.0_f64, 0);
        let steps = (5.0 / scene.time_step()).round() as usize;
        for step in 0..steps {
            scene.step(&Input::default(), &mut Budget::unlimited());
            widest = widest.max(opening(&scene));
            if step % 20 == 0 {
                let world = scene.world().expect("a world");
                let poses: Vec<Pose> = judge.bodies().filter_map(|body| world.pose(body).ok()).collect();
                overlaps += judge.crossings(&poses, |_| true).len();
            }
        }
        assert!(widest > 0.5, "{widest} rad");
        assert_eq!(overlaps, 0);
    }

    /// Whoever takes the block takes it from the script.
    #[test]
    fn a_person_takes_the_block_from_the_script() {
        let mut scene = WorldScene::new(&HINGED_COVER);
        let ray = Ray::new(play(0.0).translation + DVec3::Z, DVec3::NEG_Z).expect("a ray");
        let grip = scene.grab(&ray).expect("the block is there");
        let hand = Pose::from_translation(DVec3::new(0.1, 0.2, 0.4));
        let input = Input { hand: Some(hand), ..Input::default() };
        for _ in 0..(1.0 / scene.time_step()) as usize {
            scene.step(&input, &mut Budget::unlimited());
        }
        let mut frame = Frame::default();
        scene.frame(&mut frame);
        let gripped = frame.poses[grip.body].transform_point(grip.point);
        assert!(gripped.distance(hand.translation) < 0.03, "{gripped}");
    }
}

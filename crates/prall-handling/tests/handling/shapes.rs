//! Parts, obstacles and hands of the tests.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};
use prall_detection::{BuildOptions, Hierarchy, Workspace, overlap};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
use prall_handling::{Budget, Command, HandlingReport, Held, Obstacle};
use prall_math::{Motion, Pose, Twist};

/// The interval of a haptic loop's slower half, in s.
pub(crate) const DT: f64 = 0.002;

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

pub(crate) fn mesh(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).expect("generated");
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).expect("has triangles")))
}

pub(crate) fn cuboid(size: DVec3) -> Shape {
    mesh(&generate::cuboid(size).expect("positive sizes"))
}

pub(crate) fn velocity(linear: DVec3, angular: DVec3) -> Command {
    Command::Velocity(Twist::new(linear, angular))
}

pub(crate) fn obstacle(name: &str, shape: &Shape, pose: Pose) -> Obstacle {
    Obstacle::new(name, shape, pose).expect("a good obstacle")
}

/// A table top of 1 m by 1 m with its surface at height 0.
pub(crate) fn table() -> Obstacle {
    obstacle("table", &cuboid(DVec3::new(1.0, 0.1, 1.0)), at(0.0, -0.05, 0.0))
}

pub(crate) fn run(held: &mut Held, command: &Command, steps: usize) -> HandlingReport {
    for _ in 0..steps {
        held.step(Some(command), DT, &mut Budget::unlimited()).expect("a good command");
    }
    held.report().clone()
}

/// Exact overlap tests of two meshes, which share no code with the sweep.
pub(crate) struct Judge {
    part: Hierarchy,
    obstacles: Vec<Hierarchy>,
    workspace: Workspace,
    pub(crate) samples: usize,
}

fn hierarchy(shape: &Shape) -> Hierarchy {
    let Shape::TriangleMesh(mesh) = shape else { panic!("the judge knows meshes") };
    Hierarchy::of_mesh(mesh.mesh(), &BuildOptions::default()).expect("has triangles")
}

impl Judge {
    pub(crate) fn new(part: &Shape, obstacles: &[&Shape]) -> Judge {
        let obstacles = obstacles.iter().map(|shape| hierarchy(shape)).collect();
        Judge { part: hierarchy(part), obstacles, workspace: Workspace::new(), samples: 0 }
    }

    /// Looks at the poses at the end of the last step.
    pub(crate) fn look_at_end(&mut self, held: &Held) {
        for (hierarchy, obstacle) in self.obstacles.iter().zip(held.obstacles()) {
            self.samples += 1;
            let hit = overlap(&self.part, held.pose(), hierarchy, obstacle.pose(), &mut self.workspace);
            assert!(hit.expect("rigid poses").is_none(), "overlap at {:?}", held.pose());
        }
    }

    /// Looks at `count` poses of each part of the last step's way.
    pub(crate) fn look(&mut self, held: &Held, count: usize) {
        for ends in held.report().way.windows(2) {
            let motion = Motion::slerp_about(ends[0], ends[1], held.reference()).expect("rigid poses");
            for i in 1..=count {
                let pose = motion.pose(i as f64 / count as f64);
                for (hierarchy, obstacle) in self.obstacles.iter().zip(held.obstacles()) {
                    self.samples += 1;
                    let hit = overlap(&self.part, &pose, hierarchy, obstacle.pose(), &mut self.workspace);
                    assert!(hit.expect("rigid poses").is_none(), "overlap at {pose:?}");
                }
            }
        }
    }
}

/// A hand without a plan: a new command every few steps.
pub(crate) struct Violence {
    state: u64,
}

impl Violence {
    pub(crate) fn new(seed: u64) -> Violence {
        Violence { state: seed }
    }

    pub(crate) fn number(&mut self) -> f64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 11) as f64 / (1_u64 << 53) as f64) * 2.0 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

/// A peg of 20 mm diameter and a plate with a hole of that diameter and `clearance` more, perhaps with a chamfer.
pub(crate) fn peg() -> Shape {
    mesh(&generate::cylinder(0.01, 0.06, 48).expect("a cylinder"))
}

pub(crate) fn hole(clearance: f64, chamfer: f64) -> Shape {
    let inner = 0.01 + 0.5 * clearance;
    // The hole's polygon must contain the circle of the peg's corners in any turn: its apothem is the radius.
    let inner = inner / libm::cos(std::f64::consts::PI / 48.0);
    let profile = if chamfer > 0.0 {
        vec![
            (0.04, -0.015),
            (0.04, 0.015),
            (inner + chamfer, 0.015),
            (inner, 0.015 - chamfer),
            (inner, -0.015),
        ]
    } else {
        vec![(0.04, -0.015), (0.04, 0.015), (inner, 0.015), (inner, -0.015)]
    };
    let profile: Vec<DVec2> = profile.into_iter().map(DVec2::from).collect();
    mesh(&generate::revolved(&profile, 48).expect("a ring"))
}

pub(crate) fn turned(axis: DVec3, angle: f64, place: DVec3) -> Pose {
    Pose::new(DQuat::from_axis_angle(axis, angle), place)
}

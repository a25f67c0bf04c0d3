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

pub(crate) fn mesh_of(positions: Vec<DVec3>, triangles: &[[u32; 3]]) -> Shape {
    mesh(&PolygonSoup::from_triangles(positions, triangles).expect("indices of positions"))
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

    /// Looks at a pose among obstacles.
    pub(crate) fn look_at(&mut self, pose: &Pose, obstacles: &[Obstacle]) {
        for (hierarchy, obstacle) in self.obstacles.iter().zip(obstacles) {
            self.samples += 1;
            let hit = overlap(&self.part, pose, hierarchy, obstacle.pose(), &mut self.workspace);
            assert!(hit.expect("rigid poses").is_none(), "overlap at {pose:?}");
        }
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

/// A tee whose bar of 60 mm is longer than the slot of 50 mm by 20 mm in the four pieces of a plate in the plane y = 0: straight it stays on the plate, tilted it goes
/// through.
pub(crate) fn tee_and_plate() -> (Shape, Vec<(Shape, Pose)>) {
    let outline = [
        (-0.03, 0.03),
        (-0.03, 0.02),
        (-0.005, 0.02),
        (-0.005, -0.03),
        (0.005, -0.03),
        (0.005, 0.02),
        (0.03, 0.02),
        (0.03, 0.03),
    ];
    let tee = mesh(&generate::prism(&outline.map(DVec2::from), 0.01).expect("a simple outline"));
    let (long, short) = (cuboid(DVec3::new(0.2, 0.006, 0.09)), cuboid(DVec3::new(0.08, 0.006, 0.02)));
    let plate = vec![
        (long.clone(), at(0.0, 0.0, 0.055)),
        (long, at(0.0, 0.0, -0.055)),
        (short.clone(), at(0.065, 0.0, 0.0)),
        (short, at(-0.065, 0.0, 0.0)),
    ];
    (tee, plate)
}

/// A plate of 4 mm in the plane y = 0 with a window in its middle, of four pieces.
pub(crate) fn plate_with_window(window: (f64, f64), size: f64) -> Vec<(Shape, Pose)> {
    let thickness = 0.004;
    let (x, z) = (0.5 * window.0, 0.5 * window.1);
    let long = cuboid(DVec3::new(2.0 * (size + x), thickness, size));
    let short = cuboid(DVec3::new(size, thickness, 2.0 * z));
    vec![
        (long.clone(), at(0.0, 0.0, z + 0.5 * size)),
        (long, at(0.0, 0.0, -z - 0.5 * size)),
        (short.clone(), at(x + 0.5 * size, 0.0, 0.0)),
        (short, at(-x - 0.5 * size, 0.0, 0.0)),
    ]
}

/// An elbow with two arms of 60 mm, 10 mm thick, and a wall with a window of 20 mm, too large to go round (turned by 45 degrees its bend needs 16.1 mm): it must go in, turn in the window, and go out.
pub(crate) fn elbow_and_window() -> (Shape, Vec<(Shape, Pose)>) {
    let outline = [(0.0, 0.0), (0.06, 0.0), (0.06, 0.01), (0.01, 0.01), (0.01, 0.06), (0.0, 0.06)];
    let centred = outline.map(|(x, y)| DVec2::new(x - 0.005, y - 0.005));
    let elbow = mesh(&generate::prism(&centred, 0.01).expect("a simple outline"));
    (elbow, plate_with_window((0.02, 0.02), 2.0))
}

/// A bulb of 30 mm by 52 mm in its socket in a closed housing, and a window of 34 mm in the side of the housing: up, over, and out lengthwise.
pub(crate) fn bulb_and_housing() -> (Shape, Vec<(Shape, Pose)>) {
    // A ring with a bore of 1 mm is all but solid.
    let mut profile = vec![DVec2::new(5e-4, -0.02), DVec2::new(0.006, -0.02)];
    for i in 0..=16 {
        // The glass: a ball of 15 mm about a point 16.5 mm above the neck's end.
        let angle = -1.15 + f64::from(i) / 16.0 * (1.15 + 1.53);
        let (sine, cosine) = libm::sincos(angle);
        profile.push(DVec2::new(0.015 * cosine, 0.0165 + 0.015 * sine));
    }
    profile.push(DVec2::new(5e-4, 0.0316));
    let bulb = mesh(&generate::revolved(&profile, 32).expect("a ring"));
    let socket = mesh(&generate::tube(0.009, 0.0065, 0.015, 32).expect("a tube"));
    let wall = cuboid(DVec3::new(0.1, 0.004, 0.1));
    let placed = |rotation: DQuat, x: f64, y: f64, z: f64| Pose::new(rotation, DVec3::new(x, y, z));
    let right = std::f64::consts::FRAC_PI_2;
    let (aside, across) = (DQuat::from_rotation_z(right), DQuat::from_rotation_x(right));
    let mut housing = vec![
        (socket, at(0.0, -0.0145, 0.0)),
        (wall.clone(), at(0.0, -0.024, 0.0)),
        (wall.clone(), at(0.0, 0.064, 0.0)),
        (wall.clone(), placed(aside, -0.044, 0.02, 0.0)),
        (wall.clone(), placed(across, 0.0, 0.02, 0.044)),
        (wall, placed(across, 0.0, 0.02, -0.044)),
    ];
    let window = placed(aside, 0.044, 0.02, 0.0);
    housing.extend(
        plate_with_window((0.034, 0.034), 0.04).into_iter().map(|(shape, pose)| (shape, window * pose)),
    );
    (bulb, housing)
}

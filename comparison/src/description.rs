//! One description of a scene for every engine: bodies, joints, gravity, step.

use glam::{DQuat, DVec3};
use prall_dynamics::{
    BodyDefinition, BodyHandle, BodyKind, JointDefinition, JointKind, JointPlace, Material, World,
    WorldOptions,
};
use prall_geometry::{ConvexHull, HalfSpace, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_math::{Pose, Wrench};
use std::sync::Arc;

/// A joint between two bodies by their numbers; none is the world.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// The bodies.
    pub bodies: [Option<usize>; 2],
    /// Frames on them; a hinge turns about x.
    pub frames: [Pose; 2],
    /// What it leaves free.
    pub kind: JointKind,
}

/// A scene as plain data, at its start.
#[derive(Clone, Debug)]
pub struct Description {
    /// What tables call it.
    pub name: String,
    /// Length of a step in s.
    pub step: f64,
    /// In m/s^2.
    pub gravity: DVec3,
    /// Every body.
    pub bodies: Vec<BodyDefinition>,
    /// By body: a force in N at its centre of mass that acts all the time.
    pub forces: Vec<DVec3>,
    /// Every joint.
    pub joints: Vec<Joint>,
    /// Prall's own options for the scene, used by its tuned setting.
    pub options: WorldOptions,
}

impl Description {
    /// A gallery scene with some of its parameters set.
    pub fn gallery(name: &str, parameters: &[(&str, f64)]) -> Result<Description, String> {
        let mut simulation = prall_scenes::open(name).map_err(|error| error.to_string())?;
        for (key, value) in parameters {
            simulation.set(key, *value).map_err(|error| error.to_string())?;
        }
        simulation.reset();
        let world = simulation.world().ok_or_else(|| format!("the scene {name} has no world"))?;
        Description::of(name, world).map_err(|error| error.to_string())
    }

    fn of(name: &str, world: &World) -> Result<Description, prall_dynamics::WorldError> {
        let handles: Vec<BodyHandle> = world.body_handles().filter(|body| *body != world.ground()).collect();
        let number = |body: BodyHandle| handles.iter().position(|known| *known == body);
        let bodies = handles.iter().map(|body| world.body_definition(*body)).collect::<Result<_, _>>()?;
        let mut joints = Vec::new();
        for joint in world.joint_handles() {
            let definition = world.joint_definition(joint)?;
            let JointPlace::Bodies(frames) = definition.place else { continue };
            joints.push(Joint { bodies: definition.bodies.map(number), frames, kind: definition.kind });
        }
        let forces =
            handles.iter().map(|body| world.load(*body).map(|load| load.force)).collect::<Result<_, _>>()?;
        let options = *world.options();
        let (step, gravity) = (options.time_step, options.gravity);
        Ok(Description { name: name.to_owned(), step, gravity, bodies, forces, joints, options })
    }

    /// An empty scene.
    pub fn empty(name: &str, step: f64) -> Description {
        let options = WorldOptions { time_step: step, ..WorldOptions::default() };
        let gravity = options.gravity;
        Description {
            name: name.to_owned(),
            step,
            gravity,
            bodies: Vec::new(),
            forces: Vec::new(),
            joints: Vec::new(),
            options,
        }
    }

    /// The same under another name.
    pub fn named(self, name: impl Into<String>) -> Description {
        Description { name: name.into(), ..self }
    }

    /// The same with another step.
    pub fn stepped(mut self, step: f64) -> Description {
        (self.step, self.options.time_step) = (step, step);
        self
    }

    /// Numbers of bodies that can move.
    pub fn movable(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.len()).filter(|&body| self.bodies[body].kind == BodyKind::Dynamic)
    }

    /// Prall's world of it.
    pub fn world(&self, options: WorldOptions) -> Result<(World, Vec<BodyHandle>), String> {
        let text = |error: prall_dynamics::WorldError| error.to_string();
        let options = WorldOptions { time_step: self.step, gravity: self.gravity, ..options };
        let mut world = World::new(options).map_err(text)?;
        let handles: Vec<BodyHandle> =
            self.bodies.iter().map(|body| world.add_body(body)).collect::<Result<_, _>>().map_err(text)?;
        for (body, force) in handles.iter().zip(&self.forces) {
            world.set_load(*body, Wrench { force: *force, torque: DVec3::ZERO }).map_err(text)?;
        }
        for joint in &self.joints {
            let bodies = joint.bodies.map(|body| body.map_or(world.ground(), |body| handles[body]));
            let definition = JointDefinition::ball(bodies[0], bodies[1], DVec3::ZERO);
            let place = JointPlace::Bodies(joint.frames);
            world.add_joint(&JointDefinition { place, kind: joint.kind, ..definition }).map_err(text)?;
        }
        Ok((world, handles))
    }
}

/// A surface with this friction and restitution.
fn surface(friction: f64, restitution: f64) -> Material {
    Material { static_friction: friction, dynamic_friction: friction, restitution, ..Material::default() }
}

fn cuboid(half: DVec3) -> Shape {
    Shape::cuboid(half).expect("a box with sides")
}

/// `count` x `count` pyramids of base 10 (Box3D's benchmark: 14).
pub fn many_pyramids(count: usize) -> Description {
    let mut scene = Description::empty("many-pyramids", 1.0 / 60.0);
    let material = surface(0.6, 0.0);
    let size = 16.0 * count as f64;
    scene.bodies.push(
        BodyDefinition::fixed(cuboid(DVec3::new(size, 1.0, size))).at(DVec3::Y * -1.0).made_of(material),
    );
    for place in 0..count * count {
        let (column, row) = (place % count, place / count);
        let at = DVec3::new(14.0 * column as f64, 0.0, 4.0 * row as f64)
            - DVec3::new(7.0, 0.0, 2.0) * count as f64;
        for i in 0..10 {
            for j in i..10 {
                let x = (i as f64 + 1.0) * 0.5 + (j - i) as f64 - 5.0;
                let centre = at + DVec3::new(x, (2 * i + 1) as f64 * 0.5, 0.0);
                scene.bodies.push(
                    BodyDefinition::dynamic(cuboid(DVec3::splat(0.5)), 100.0).at(centre).made_of(material),
                );
            }
        }
    }
    scene
}

/// Boxes, balls, capsules and small hulls on a wavy mesh (Jolt's performance test: 21).
pub fn convex_on_mesh(side: usize) -> Description {
    let mut scene = Description::empty("convex-vs-mesh", 1.0 / 60.0);
    let material = surface(0.5, 0.6);
    let (cells, width) = (100_usize, 3.0);
    let middle = 0.5 * cells as f64;
    let mut positions = Vec::new();
    for x in 0..=cells {
        for z in 0..=cells {
            let (u, v) = (50.0 * x as f64 / cells as f64, 50.0 * z as f64 / cells as f64);
            positions.push(DVec3::new(
                width * (x as f64 - middle),
                5.0 * u.sin() * v.cos(),
                width * (z as f64 - middle),
            ));
        }
    }
    let at = |x: usize, z: usize| (x * (cells + 1) + z) as u32;
    let mut triangles = Vec::new();
    for x in 0..cells {
        for z in 0..cells {
            triangles.push([at(x, z), at(x, z + 1), at(x + 1, z + 1)]);
            triangles.push([at(x, z), at(x + 1, z + 1), at(x + 1, z)]);
        }
    }
    let ground = PolygonSoup::from_triangles(positions, &triangles).expect("corners of the grid");
    scene.bodies.push(BodyDefinition::fixed(mesh_of(&ground)).made_of(material));
    let hull = [
        DVec3::new(-1.0, 0.0, -1.0),
        DVec3::new(1.0, 0.0, -1.0),
        DVec3::new(1.0, 0.0, 1.0),
        DVec3::new(-1.0, 0.0, 1.0),
        DVec3::new(0.0, 1.5, 0.0),
    ];
    let shapes = [
        cuboid(DVec3::new(0.5, 0.75, 1.0)),
        Shape::sphere(1.0).expect("a ball"),
        Shape::capsule(0.75, 0.5).expect("a capsule"),
        Shape::ConvexHull(Arc::new(ConvexHull::from_points(&hull).expect("a pyramid"))),
    ];
    for layer in 0..4 {
        for place in 0..side * side {
            let (column, row) = (place % side, place / side);
            let centre = 7.5 * DVec3::new(column as f64, 0.0, row as f64)
                - 3.75 * (side as f64 - 1.0) * DVec3::new(1.0, 0.0, 1.0);
            let shape = shapes[(layer + place) % shapes.len()].clone();
            let pose = Pose::new(
                DQuat::from_rotation_x(0.3 * place as f64),
                centre + DVec3::Y * (15.0 + 2.5 * layer as f64),
            );
            scene.bodies.push(BodyDefinition::dynamic(shape, 100.0).in_pose(pose).made_of(material));
        }
    }
    scene
}

/// A stick that flies and spins towards a thin wall, or what else moves fast. Everything starts on the side
/// x < 0 and shall stay there.
pub fn sticks(spin: f64, speed: f64, mesh: bool) -> Description {
    let mut scene = Description::empty("sticks", 1.0 / 60.0);
    (scene.gravity, scene.options.gravity) = (DVec3::ZERO, DVec3::ZERO);
    let material = surface(0.3, 0.2);
    let half = DVec3::new(0.005, 3.0, 12.0);
    let wall = if mesh {
        mesh_of(&prall_geometry::generate::cuboid(2.0 * half).expect("a plate"))
    } else {
        cuboid(half)
    };
    scene.bodies.push(BodyDefinition::fixed(wall).made_of(material));
    for i in 0..20 {
        let stick = cuboid(DVec3::new(0.02, 0.5, 0.02));
        let pose = Pose::new(
            DQuat::from_rotation_x(0.4 * f64::from(i)),
            DVec3::new(-2.0 - 0.13 * f64::from(i), 0.0, 1.1 * (f64::from(i) - 9.5)),
        );
        let body = BodyDefinition::dynamic(stick, 1000.0).in_pose(pose).made_of(material);
        scene.bodies.push(body.moving(DVec3::X * speed, DVec3::new(0.0, 0.3, 1.0) * spin));
    }
    scene
}

/// Pairs of cubes that fly head on at each other, far from anything else.
pub fn head_on(speed: f64) -> Description {
    let mut scene = Description::empty("cubes head on", 1.0 / 60.0);
    (scene.gravity, scene.options.gravity) = (DVec3::ZERO, DVec3::ZERO);
    for i in 0..20 {
        for side in [-1.0, 1.0] {
            let at = DVec3::new(side * (1.0 + 0.07 * f64::from(i)), 0.0, 3.0 * f64::from(i));
            let cube =
                BodyDefinition::dynamic(cuboid(DVec3::splat(0.05)), 500.0).at(at).made_of(surface(0.3, 0.2));
            scene.bodies.push(cube.moving(DVec3::X * -side * speed, DVec3::new(0.0, 3.0, 1.0)));
        }
    }
    scene
}

/// `count` fast balls and cubes in a closed box with walls of 2 cm: how many get out?
pub fn closed_box(count: usize, speed: f64) -> Description {
    let mut scene = Description::empty("fast bodies in a closed box", 1.0 / 60.0);
    (scene.gravity, scene.options.gravity) = (DVec3::ZERO, DVec3::ZERO);
    let material = surface(0.2, 0.9);
    let side = (count as f64).cbrt().ceil() as usize;
    let half = 0.15 * side as f64 + 0.2;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for sign in [-1.0, 1.0] {
            let size = DVec3::splat(half + 0.02) + axis * (0.01 - half - 0.02);
            scene
                .bodies
                .push(BodyDefinition::fixed(cuboid(size)).at(axis * sign * (half + 0.01)).made_of(material));
        }
    }
    for i in 0..count {
        let (x, y, z) = (i % side, i / side % side, i / (side * side));
        let at = 0.3 * (DVec3::new(x as f64, y as f64, z as f64) - DVec3::splat(0.5 * (side as f64 - 1.0)));
        let shape =
            if i % 2 == 0 { Shape::sphere(0.05).expect("a ball") } else { cuboid(DVec3::splat(0.04)) };
        let turn = |k: usize| ((i * k) % 97) as f64 / 48.0 - 1.0;
        let way = DVec3::new(turn(31), turn(57), turn(83)).normalize_or(DVec3::X);
        let body = BodyDefinition::dynamic(shape, 800.0).at(at).made_of(material);
        scene.bodies.push(body.moving(way * speed, way.cross(DVec3::Y) * 5.0));
    }
    scene
}

/// Half of the inner width of [`closed_box`].
pub fn closed_box_half(count: usize) -> f64 {
    0.15 * (count as f64).cbrt().ceil() + 0.2
}

/// A standing stack of one heavy box (in the ratio) on ten light ones.
pub fn heavy_on_light(ratio: f64) -> Description {
    let mut scene = Description::empty("stack, heavy on light", 1.0 / 60.0);
    let material = surface(0.6, 0.0);
    scene.bodies.push(BodyDefinition::fixed(Shape::HalfSpace(HalfSpace)).made_of(material));
    for i in 0..11 {
        let density = if i == 10 { 100.0 * ratio } else { 100.0 };
        let cube = BodyDefinition::dynamic(cuboid(DVec3::splat(0.1)), density);
        scene.bodies.push(cube.at(DVec3::Y * (0.1 + 0.2 * f64::from(i))).made_of(material));
    }
    scene
}

/// Period in s of a rod of 1 m that swings from the horizontal under 9.81 m/s^2: four times the complete elliptic integral
/// K(sin 45 degrees) times the root of two thirds of its length over g.
pub const ROD_PERIOD: f64 = 1.933_334_86;

/// A rod on a hinge, level.
pub fn rod_pendulum() -> Description {
    let mut scene = Description::empty("pendulum", 1.0 / 240.0);
    let rod = BodyDefinition::dynamic(cuboid(DVec3::new(0.5, 1e-4, 1e-4)), 1e7);
    scene.bodies.push(rod.at(DVec3::X * 0.5));
    scene.forces.push(DVec3::ZERO);
    // A hinge turns about x of its frames; here that is z of the world.
    let frame = DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2);
    let frames = [Pose::new(frame, DVec3::ZERO), Pose::new(frame, DVec3::X * -0.5)];
    scene.joints.push(Joint { bodies: [None, Some(0)], frames, kind: JointKind::HINGE });
    scene
}

/// Rods on ball joints, one on the other, level at the start.
pub fn chain(count: usize) -> Description {
    let mut scene = Description::empty("chain", 1.0 / 240.0);
    let half = DVec3::X * 0.05;
    for i in 0..count {
        let mut rod = BodyDefinition::dynamic(cuboid(DVec3::new(0.05, 0.005, 0.005)), 1000.0);
        // Links touch and overlap their neighbours; only joints count here.
        rod.filter.mask = 0;
        scene.bodies.push(rod.at(half * (2 * i + 1) as f64));
        scene.forces.push(DVec3::ZERO);
        let before = if i == 0 { DVec3::ZERO } else { half };
        let frames = [Pose::from_translation(before), Pose::from_translation(-half)];
        scene.joints.push(Joint { bodies: [i.checked_sub(1), Some(i)], frames, kind: JointKind::BALL });
    }
    scene
}

/// A surface of triangles as a shape.
fn mesh_of(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).expect("a soup of sound faces");
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).expect("a mesh of some triangles")))
}

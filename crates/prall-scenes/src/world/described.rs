//! From a scene file to bodies on a stage.

use super::{Build, JOINT_SOLVERS, Stage, WorldDefinition, WorldScene};
use crate::file::{
    BodyDescription, JointDescription, JointKindName, MotionKind, SceneDescription, ShapeDescription,
    SolverName,
};
use crate::{Camera, Simulation};
use glam::{DMat3, DVec3};
use prall_dynamics::{
    BodyDefinition, BodyHandle, BodyKind, JointDefinition, Material, ShapeDefinition, WorldOptions,
};
use prall_geometry::files::{ReadOptions, read_model};
use prall_geometry::{
    ConvexHull, HalfSpace, MassProperties, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh,
};
use prall_math::{Pose, Twist};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Tones of the bodies, in turn.
const TONES: [&str; 6] = ["#0a6b75", "#c0562f", "#d9a441", "#4f7f87", "#7c5a8a", "#8a6a4a"];

/// Why a scene file cannot be run.
#[derive(Debug, Error)]
pub enum OpenFileError {
    /// Its text is wrong; the error names the line.
    #[error(transparent)]
    File(#[from] crate::file::SceneFileError),
    /// Something in it cannot be built.
    #[error("{file}: {what}: {reason}")]
    Build {
        /// The scene file.
        file: String,
        /// Which body, joint or mesh.
        what: String,
        /// Why not.
        reason: String,
    },
}

/// A described scene with its meshes, which are read once.
pub(crate) struct Described {
    scene: SceneDescription,
    meshes: BTreeMap<String, Arc<TriangleMesh>>,
}

/// Opens a scene file, TOML or URDF. The description of a file stays in memory until the program ends.
pub fn open_file(path: impl AsRef<Path>) -> Result<Box<dyn Simulation>, OpenFileError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let scene = SceneDescription::read(path)?;
    let wrong = |(what, reason): (String, String)| OpenFileError::Build { file: file.clone(), what, reason };
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    let mut described = Described { scene, meshes: BTreeMap::new() };
    for (name, mesh) in &described.scene.meshes {
        let read = read_mesh(&folder.join(&mesh.file), mesh.scale);
        let read = read.map_err(|reason| wrong((format!("mesh '{name}'"), reason)))?;
        described.meshes.insert(name.clone(), Arc::new(read));
    }
    described.stage().map_err(wrong)?;
    let solver = match described.scene.solver {
        SolverName::Auto => "auto",
        SolverName::Iterative => "iterative",
        SolverName::Direct => "direct",
    };
    let definition: &'static WorldDefinition = Box::leak(Box::new(WorldDefinition {
        name: Box::leak(described.scene.title.clone().into_boxed_str()),
        parameters: &[],
        solvers: JOINT_SOLVERS,
        build: Build::File(Box::new(described)),
    }));
    let mut scene = WorldScene::new(definition);
    scene.select_solver(solver).expect("the three solvers of a file are those of its scene");
    Ok(Box::new(scene))
}

fn read_mesh(path: &Path, scale: DVec3) -> Result<TriangleMesh, String> {
    let model = read_model(path, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let soup = model.flattened().map_err(|error| error.to_string())?;
    let scaled: PolygonSoup =
        soup.transformed(&glam::DAffine3::from_scale(scale)).map_err(|error| error.to_string())?;
    let mesh = Mesh::from_soup(&scaled, &MeshOptions::default()).map_err(|error| error.to_string())?;
    TriangleMesh::new(Arc::new(mesh)).map_err(|error| error.to_string())
}

impl Described {
    /// The stage, or what could not be built and why.
    pub(super) fn stage(&self) -> Result<Stage, (String, String)> {
        let scene = &self.scene;
        let options = WorldOptions {
            time_step: *scene.step.get_ref(),
            gravity: scene.gravity,
            ..WorldOptions::default()
        };
        let camera = match scene.camera {
            Some(hint) => Camera { position: hint.eye, target: hint.target },
            None => Camera { position: DVec3::new(3.0, 2.5, 5.0), target: DVec3::Y * 0.5 },
        };
        let mut stage = Stage::new(options, camera);
        let looks = TONES.map(|tone| stage.look(tone));
        let mut bodies: BTreeMap<&str, BodyHandle> = BTreeMap::from([("ground", stage.world.ground())]);
        for (number, body) in scene.bodies.iter().enumerate() {
            let name = body.name.get_ref().as_str();
            let built = self
                .body(body)
                .and_then(|definition| {
                    stage
                        .try_add(name, &definition, looks[number % TONES.len()])
                        .map_err(|error| error.to_string())
                })
                .map_err(|reason| (format!("body '{name}'"), reason))?;
            bodies.insert(name, built);
        }
        for (number, joint) in scene.joints.iter().enumerate() {
            let definition = joint_definition(joint, &bodies, &stage);
            let added = definition
                .and_then(|definition| stage.world.add_joint(&definition).map_err(|error| error.to_string()));
            added.map_err(|reason| (format!("joint {} ({})", number + 1, joint.name), reason))?;
        }
        Ok(stage)
    }

    fn body(&self, body: &BodyDescription) -> Result<BodyDefinition, String> {
        let mut shapes = Vec::new();
        for placed in &body.shapes {
            let pose = placed.pose().ok_or("a shape's rotation needs an axis that is not zero")?;
            let shape = self.shape(placed.shape.get_ref())?;
            shapes.push(ShapeDefinition { pose, shape, density: body.density });
        }
        let material = match &body.material {
            Some(name) => self.scene.materials.get(name.get_ref()).map(toml::Spanned::get_ref),
            None => None,
        };
        let material = material.map_or_else(Material::default, |given| Material {
            restitution: given.restitution,
            static_friction: given.static_friction,
            dynamic_friction: given.dynamic_friction,
            ..Material::default()
        });
        let mass = match &body.mass {
            None => None,
            Some(given) => {
                let given = given.get_ref();
                // Products of inertia as URDF lists them: xy, xz, yz.
                let (m, p) = (given.moments, given.products);
                let inertia = DMat3::from_cols(
                    DVec3::new(m.x, p.x, p.y),
                    DVec3::new(p.x, m.y, p.z),
                    DVec3::new(p.y, p.z, m.z),
                );
                Some(MassProperties { mass: given.mass, center_of_mass: given.centre, inertia })
            }
        };
        let rotation = body.rotation.quaternion().ok_or("its rotation needs an axis that is not zero")?;
        let angular = DVec3::from_array(body.angular_velocity.to_array().map(f64::to_radians));
        Ok(BodyDefinition {
            pose: Pose::new(rotation, body.position),
            velocity: Twist { linear: body.velocity, angular },
            kind: match body.kind {
                MotionKind::Dynamic => BodyKind::Dynamic,
                MotionKind::Fixed => BodyKind::Fixed,
                MotionKind::Kinematic => BodyKind::Kinematic,
            },
            shapes,
            mass,
            material,
            ..BodyDefinition::default()
        })
    }

    fn shape(&self, shape: &ShapeDescription) -> Result<Shape, String> {
        let made = match shape {
            ShapeDescription::Box { size } => Shape::cuboid(0.5 * *size),
            ShapeDescription::Sphere { radius } => Shape::sphere(*radius),
            ShapeDescription::Capsule { radius, length } => Shape::capsule(0.5 * length, *radius),
            ShapeDescription::Cylinder { radius, length } => Shape::cylinder(0.5 * length, *radius),
            ShapeDescription::Cone { radius, length } => Shape::cone(0.5 * length, *radius),
            ShapeDescription::HalfSpace {} => Ok(Shape::HalfSpace(HalfSpace)),
            ShapeDescription::Hull { points } => {
                let hull = ConvexHull::from_points(points).map_err(|error| error.to_string())?;
                Ok(Shape::ConvexHull(Arc::new(hull)))
            }
            ShapeDescription::Mesh { name } => {
                let mesh = self.meshes.get(name).ok_or_else(|| format!("there is no mesh '{name}'"))?;
                Ok(Shape::TriangleMesh(mesh.clone()))
            }
        };
        made.map_err(|error| error.to_string())
    }
}

fn joint_definition(
    joint: &JointDescription,
    bodies: &BTreeMap<&str, BodyHandle>,
    stage: &Stage,
) -> Result<JointDefinition, String> {
    let body = |side: usize| {
        let name = joint.bodies[side].get_ref().as_str();
        bodies.get(name).copied().ok_or_else(|| format!("there is no body '{name}'"))
    };
    let (a, b) = (body(0)?, body(1)?);
    let axis = joint.axis.unwrap_or(DVec3::Y);
    let kind = *joint.kind.get_ref();
    let definition = match kind {
        JointKindName::Ball => JointDefinition::ball(a, b, joint.at),
        JointKindName::Hinge => JointDefinition::hinge(a, b, joint.at, axis),
        JointKindName::Slider => JointDefinition::slider(a, b, joint.at, axis),
        JointKindName::Cylindrical => JointDefinition::cylinder(a, b, joint.at, axis),
        JointKindName::Planar => JointDefinition::planar(a, b, joint.at, axis),
        JointKindName::Universal => {
            let (across, _) = prall_math::any_orthonormal(axis.normalize_or(DVec3::Y));
            JointDefinition::universal(a, b, joint.at, axis, across)
        }
        JointKindName::Fixed => JointDefinition::fixed(a, b, joint.at),
        JointKindName::Screw => JointDefinition::screw(a, b, joint.at, axis, joint.pitch.unwrap_or(0.0)),
        JointKindName::Distance => {
            let to = joint.to.unwrap_or(joint.at);
            let local = |body: BodyHandle, point: DVec3| {
                stage.world.pose(body).map_or(point, |pose| pose.inverse_transform_point(point))
            };
            JointDefinition::distance(a, local(a, joint.at), b, local(b, to), joint.at.distance(to))
        }
    };
    // Shifts are in metres, turns in degrees.
    let shifts = matches!(kind, JointKindName::Slider | JointKindName::Cylindrical | JointKindName::Planar);
    let unit = if shifts { 1.0 } else { 1_f64.to_radians() };
    let mut definition = JointDefinition { collide: joint.collide, ..definition };
    if let Some([low, high]) = joint.drive.limits {
        definition = definition.limits(0, low * unit, high * unit);
    }
    if let Some(motor) = joint.drive.motor {
        definition = definition.driven(0, motor.speed * unit, motor.strength);
    }
    if joint.drive.friction > 0.0 {
        definition = definition.rubbing(0, joint.drive.friction);
    }
    Ok(definition)
}

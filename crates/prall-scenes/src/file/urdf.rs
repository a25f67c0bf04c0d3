//! A robot in URDF as a scene: links are bodies in the places that all joints at zero give them.
//!
//! URDF has z up, cylinders along z and angles in radians; a scene has y up, cylinders along y and degrees.

mod attributes;
mod complete;
mod inertia;
mod model;

use std::collections::{HashMap, HashSet};
use std::f64::consts::FRAC_PI_2;
use std::ops::Range;

use glam::{DQuat, DVec3};
use prall_math::Pose;
use toml::Spanned;

use super::numbers::MAX_NUMBER;
use super::{
    BodyDescription, DriveDescription, FollowsDescription, GROUND, JointDescription, JointKindName,
    MechanismDescription, MeshDescription, MotionKind, PlacedShape, RotationDescription, SceneDescription,
    ShapeDescription,
};
use model::{Geometry, Joint, JointType, Link, Robot};

/// What is wrong in a robot, and where in its text.
pub(super) type Wrong = (Range<usize>, String, Option<String>);

/// The scene of a robot whose root is fixed to the ground, or what is wrong.
pub(super) fn scene(text: &str) -> Result<SceneDescription, Wrong> {
    let mut robot = model::read(text)?;
    complete::complete(&mut robot)?;
    let mut scene = empty(&robot.name);
    scene.notes = std::mem::take(&mut robot.notes);
    let poses = link_poses(&robot)?;
    for link in &robot.links {
        let body = body(link, &poses[link.name.text.as_str()], &mut scene)?;
        scene.bodies.push(body);
    }
    if scene.bodies.iter().all(|body| body.shapes.is_empty()) {
        scene.draw_all_as_rods();
    }
    for joint in &robot.joints {
        let pose = poses[joint.child.text.as_str()];
        let Some(kind) = kind(joint.kind) else { continue };
        let described = described(joint, kind, &pose);
        if kind == JointKindName::Ball
            && (joint.limits.is_some() || joint.damping > 0.0 || joint.friction > 0.0)
        {
            let name = &joint.name.text;
            let note = "a ball has no coordinate, so its limits, damping and friction are left out";
            scene.notes.push(format!("joint '{name}': {note}"));
        }
        scene.joints.push(described);
    }
    fix_roots(&robot, &poses, &mut scene);
    scene.mechanisms.push(machine(&robot, spanned(robot.name.clone())));
    Ok(scene)
}

/// A joint whose child stands at a pose.
fn described(joint: &Joint, kind: JointKindName, pose: &Pose) -> JointDescription {
    let axis = pose.transform_vector(joint.axis);
    let turns = matches!(joint.kind, JointType::Revolute | JointType::Continuous);
    let unit = |value: f64| if turns { value.to_degrees() } else { value };
    // Files write 1e16 or infinity for a joint without a stop.
    let stop = |limit: f64| unit(limit).clamp(-MAX_NUMBER, MAX_NUMBER);
    let (friction, damping) = (joint.friction, joint.damping);
    let limits = joint.limits.map(|limits| limits.map(stop));
    let drive = match kind {
        JointKindName::Fixed | JointKindName::Ball => DriveDescription::default(),
        _ => DriveDescription { limits, friction, damping, ..DriveDescription::default() },
    };
    JointDescription {
        name: joint.name.text.clone(),
        kind: spanned(kind),
        bodies: [&joint.parent, &joint.child].map(|name| spanned(name.text.clone())),
        at: pose.translation,
        axis: kind.has_axis().then_some(axis),
        to: None,
        pitch: None,
        path: None,
        formula: None,
        drive,
        collide: false,
        follows: joint.mimic.as_ref().map(|mimic| FollowsDescription {
            joint: spanned(mimic.joint.text.clone()),
            factor: mimic.multiplier,
            offset: unit(mimic.offset),
        }),
    }
}

/// All links as one machine.
fn machine(robot: &Robot, name: Spanned<String>) -> MechanismDescription {
    MechanismDescription {
        name,
        bodies: robot.links.iter().map(|link| spanned(link.name.text.clone())).collect(),
        urdf: None,
        prefix: String::new(),
        position: DVec3::ZERO,
        rotation: RotationDescription::default(),
        floating: false,
        controls: Vec::new(),
    }
}

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn empty(title: &str) -> SceneDescription {
    SceneDescription {
        title: title.to_owned(),
        description: String::new(),
        gravity: DVec3::Y * -9.81,
        step: spanned(1.0 / 60.0),
        solver: super::SolverName::Auto,
        camera: None,
        ground: Some(spanned(super::GroundDescription::There(false))),
        materials: Default::default(),
        meshes: Default::default(),
        bodies: Vec::new(),
        joints: Vec::new(),
        parameters: Vec::new(),
        mechanisms: Vec::new(),
        robot_files: Vec::new(),
        unweighed: Default::default(),
        rods: Default::default(),
        missing_meshes: 0,
        notes: Vec::new(),
    }
}

/// Poses of all links in a world with y up, all joints at zero.
fn link_poses(robot: &Robot) -> Result<HashMap<&str, Pose>, Wrong> {
    let upright = Pose::from_rotation(DQuat::from_rotation_x(-FRAC_PI_2));
    let mut poses: HashMap<&str, Pose> = HashMap::new();
    let children: HashSet<&str> = robot.joints.iter().map(|joint| joint.child.text.as_str()).collect();
    let mut joints_of: HashMap<&str, Vec<&Joint>> = HashMap::new();
    for joint in &robot.joints {
        joints_of.entry(&joint.parent.text).or_default().push(joint);
    }
    let roots = robot.links.iter().filter(|link| !children.contains(link.name.text.as_str()));
    let mut placed: Vec<&str> = roots.map(|link| link.name.text.as_str()).collect();
    poses.extend(placed.iter().map(|root| (*root, upright)));
    while let Some(parent) = placed.pop() {
        let at = poses[parent];
        for joint in joints_of.get(parent).into_iter().flatten() {
            let child = joint.child.text.as_str();
            // Two joints that lead to one link are no tree, which is said where the tree is made.
            if poses.insert(child, (at * joint.origin).normalized()).is_none() {
                placed.push(child);
            }
        }
    }
    match robot.links.iter().find(|link| !poses.contains_key(link.name.text.as_str())) {
        None => Ok(poses),
        Some(link) => {
            let message =
                format!("link '{}' hangs in a circle of joints; URDF describes trees", link.name.text);
            Err((link.name.place.clone(), message, None))
        }
    }
}

fn body(link: &Link, place: &Pose, scene: &mut SceneDescription) -> Result<BodyDescription, Wrong> {
    let mass = inertia::mass(link, &mut scene.notes)?;
    let shapes: Vec<PlacedShape> =
        link.shapes.iter().map(|(origin, geometry)| shape(geometry, origin, scene)).collect();
    // A link without mass goes where its joint takes it, as a frame; it is weighed later, where it moves on its own.
    let kind = if mass.is_some() { MotionKind::Dynamic } else { MotionKind::Kinematic };
    if mass.is_none() {
        let stated =
            link.inertial.as_ref().and_then(|inertial| inertial.mass).filter(|mass| *mass > inertia::NOTHING);
        scene.unweighed.insert(link.name.text.clone(), stated);
    }
    Ok(BodyDescription {
        name: spanned(link.name.text.clone()),
        kind,
        position: place.translation,
        rotation: RotationDescription::from_quaternion(place.rotation),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        material: None,
        colour: None,
        density: 1000.0,
        mass: mass.map(spanned),
        shapes,
    })
}

fn shape(geometry: &Geometry, origin: &Pose, scene: &mut SceneDescription) -> PlacedShape {
    let along_z = Pose::from_rotation(DQuat::from_rotation_x(FRAC_PI_2));
    let place = *origin;
    let (shape, place) = match geometry {
        Geometry::Box { size } => (ShapeDescription::Box { size: *size }, place),
        Geometry::Sphere { radius } => (ShapeDescription::Sphere { radius: *radius }, place),
        Geometry::Cylinder { radius, length } => {
            (ShapeDescription::Cylinder { radius: *radius, length: *length }, place * along_z)
        }
        Geometry::Capsule { radius, length } => {
            (ShapeDescription::Capsule { radius: *radius, length: *length }, place * along_z)
        }
        Geometry::Mesh { file, scale } => {
            let (file, scale) = (file.clone(), *scale);
            // One file may be used in several sizes, or mirrored.
            let name = if scale == DVec3::ONE { file.clone() } else { format!("{file} scaled by {scale}") };
            scene.meshes.insert(name.clone(), MeshDescription { file, scale, axes_as_written: true });
            (ShapeDescription::Mesh { name }, place)
        }
    };
    PlacedShape {
        shape: spanned(shape),
        position: place.translation,
        rotation: RotationDescription::from_quaternion(place.rotation),
    }
}

fn kind(joint: JointType) -> Option<JointKindName> {
    match joint {
        JointType::Revolute | JointType::Continuous => Some(JointKindName::Hinge),
        JointType::Prismatic => Some(JointKindName::Slider),
        JointType::Fixed => Some(JointKindName::Fixed),
        JointType::Planar => Some(JointKindName::Planar),
        JointType::Ball => Some(JointKindName::Ball),
        JointType::Floating => None,
    }
}

/// Fixes what hangs on nothing to the ground.
fn fix_roots(robot: &Robot, poses: &HashMap<&str, Pose>, scene: &mut SceneDescription) {
    for link in &robot.links {
        if !robot.joints.iter().any(|joint| joint.child.text == link.name.text) {
            scene.joints.push(JointDescription {
                name: format!("{} to {GROUND}", link.name.text),
                kind: spanned(JointKindName::Fixed),
                bodies: [spanned(GROUND.to_owned()), spanned(link.name.text.clone())],
                at: poses[link.name.text.as_str()].translation,
                axis: None,
                to: None,
                pitch: None,
                path: None,
                formula: None,
                drive: DriveDescription::default(),
                collide: false,
                follows: None,
            });
        }
    }
}

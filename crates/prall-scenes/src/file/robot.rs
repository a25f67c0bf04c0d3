//! Robots in URDF as mechanisms of a scene file.

use std::path::Path;

use prall_math::Pose;
use toml::Spanned;

use super::error::Source;
use super::mechanism::Fault;
use super::{
    GROUND, MechanismDescription, RotationDescription, SceneDescription, SceneFileError, ShapeDescription,
    robot_meshes, text_of, urdf,
};

/// Puts the links and joints of every robot that the scene names among the scene's own.
pub(super) fn bring(scene: &mut SceneDescription, source: Source) -> Result<(), SceneFileError> {
    let mut mechanisms = std::mem::take(&mut scene.mechanisms);
    for mechanism in &mut mechanisms {
        let Some(file) = mechanism.urdf.take() else {
            check_alone(mechanism).map_err(|fault| source.error(fault.span, fault.message, fault.help))?;
            continue;
        };
        let robot = read(mechanism, &file, source)?;
        scene.robot_files.push(file.into_inner());
        mechanism.bodies.extend(robot.bodies.iter().map(|body| body.name.clone()));
        scene.bodies.extend(robot.bodies);
        scene.joints.extend(robot.joints);
        scene.meshes.extend(robot.meshes);
        scene.unweighed.extend(robot.unweighed);
        scene.rods.extend(robot.rods);
        scene.missing_meshes += robot.missing_meshes;
        scene.notes.extend(robot.notes);
    }
    scene.mechanisms = mechanisms;
    Ok(())
}

/// What places a robot places nothing without one.
fn check_alone(mechanism: &MechanismDescription) -> Result<(), Fault> {
    let placed = mechanism.position != glam::DVec3::ZERO
        || mechanism.rotation != RotationDescription::default()
        || mechanism.floating
        || !mechanism.prefix.is_empty();
    if !placed {
        return Ok(());
    }
    let message = format!("mechanism '{}' is placed, but has no urdf", mechanism.name.get_ref());
    let help = "place its bodies instead, or name a robot's file".to_owned();
    Err(Fault { span: mechanism.name.span(), message, help: Some(help) })
}

fn read(
    mechanism: &MechanismDescription,
    file: &Spanned<String>,
    source: Source,
) -> Result<SceneDescription, SceneFileError> {
    let wrong = |message: String, help: Option<String>| source.error(file.span(), message, help);
    let folder = Path::new(source.file).parent().unwrap_or(Path::new(""));
    let path = folder.join(file.get_ref());
    let name = path.display().to_string();
    let (text, _) = text_of(&path)
        .map_err(|error| wrong(format!("the robot '{name}': {}", error.message), error.help))?;
    let own = Source { file: &name, text: &text };
    let mut robot = urdf::scene(&text).map_err(|(place, message, help)| own.error(place, message, help))?;
    let rotation = mechanism.rotation.quaternion();
    let rotation =
        rotation.ok_or_else(|| wrong("a rotation needs an axis that is not zero".to_owned(), None))?;
    place(&mut robot, Pose::new(rotation, mechanism.position));
    rename(&mut robot, &mechanism.prefix);
    // Meshes are looked for from the robot's own folder.
    let own_folder = path.parent().unwrap_or(Path::new(""));
    let files = robot_meshes(&mut robot, own_folder)
        .map_err(|missing| wrong(format!("mesh '{}': {}", missing.mesh, missing.message), None))?;
    for (name, found) in files {
        let found = std::path::absolute(&found).unwrap_or(found);
        if let Some(mesh) = robot.meshes.get_mut(&name) {
            mesh.file = found.display().to_string();
        }
    }
    if mechanism.floating {
        robot.joints.retain(|joint| joint.bodies[0].get_ref() != GROUND);
    }
    Ok(robot)
}

/// Moves everything to where the robot stands.
fn place(robot: &mut SceneDescription, at: Pose) {
    for body in &mut robot.bodies {
        // The rotation was made from a quaternion, so it has an axis.
        let pose = at * Pose::new(body.rotation.quaternion().unwrap_or_default(), body.position);
        body.position = pose.translation;
        body.rotation = RotationDescription::from_quaternion(pose.rotation);
    }
    for joint in &mut robot.joints {
        joint.at = at.transform_point(joint.at);
        joint.axis = joint.axis.map(|axis| at.transform_vector(axis));
    }
}

/// Puts a prefix before the names of links, joints and meshes.
fn rename(robot: &mut SceneDescription, prefix: &str) {
    if prefix.is_empty() {
        return;
    }
    let long = |name: &str| format!("{prefix}{name}");
    let renamed = |name: &Spanned<String>| Spanned::new(name.span(), long(name.get_ref()));
    for body in &mut robot.bodies {
        body.name = renamed(&body.name);
        for shape in &mut body.shapes {
            if let ShapeDescription::Mesh { name } = shape.shape.get_mut() {
                *name = long(name);
            }
        }
    }
    for joint in &mut robot.joints {
        joint.name = long(&joint.name);
        for body in &mut joint.bodies {
            if body.get_ref() != GROUND {
                *body = renamed(body);
            }
        }
        if let Some(follows) = &mut joint.follows {
            follows.joint = renamed(&follows.joint);
        }
    }
    let unweighed = std::mem::take(&mut robot.unweighed);
    robot.unweighed = unweighed.into_iter().map(|(name, mass)| (long(&name), mass)).collect();
    robot.rods = robot.rods.iter().map(|name| long(name)).collect();
    let meshes = std::mem::take(&mut robot.meshes);
    robot.meshes = meshes.into_iter().map(|(name, mesh)| (long(&name), mesh)).collect();
}

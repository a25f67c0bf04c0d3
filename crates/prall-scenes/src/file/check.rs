//! What a description must satisfy beyond its form: names that exist, lengths that are lengths.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use toml::Spanned;

use super::error::{Source, nearest};
use super::{
    BodyDescription, GROUND, GroundDescription, JointDescription, JointKindName, MotionKind,
    SceneDescription, SceneFileError, ShapeDescription,
};

/// Steps in s that a run can take: a second of the shortest takes ten million.
pub(super) const STEPS: std::ops::RangeInclusive<f64> = 1e-7..=10.0;

/// Farthest that anything of a scene may be from its origin, in m: beyond it, a double has less than a micrometre.
const MAX_LENGTH: f64 = 1e9;

pub(super) fn scene(scene: &SceneDescription, source: Source) -> Result<(), SceneFileError> {
    let step = *scene.step.get_ref();
    if !(step > 0.0 && step.is_finite()) {
        let help = Some("a sixtieth of a second is 0.016666666666666666".to_owned());
        return Err(source.error(
            scene.step.span(),
            format!("the step is {step} s, but must be above 0"),
            help,
        ));
    }
    if !STEPS.contains(&step) {
        let (least, most) = (STEPS.start(), STEPS.end());
        let message = format!("a step of {step:e} s leads nowhere");
        let help = Some(format!("it is from {least:e} to {most} s"));
        return Err(source.error(scene.step.span(), message, help));
    }
    for (name, material) in &scene.materials {
        let m = material.get_ref();
        let lawful = (0.0..=1.0).contains(&m.restitution)
            && (0.0..=m.static_friction).contains(&m.dynamic_friction)
            && m.static_friction.is_finite()
            && [m.roughness, m.metallic, m.opacity].iter().all(|share| (0.0..=1.0).contains(share));
        if !lawful {
            let help = "restitution, roughness, metallic and opacity are from 0 to 1, dynamic_friction from 0 to static_friction".to_owned();
            return Err(source.error(material.span(), format!("no surface is like '{name}'"), Some(help)));
        }
    }
    if let Some(ground) = &scene.ground {
        check_ground(ground, scene, source)?;
    }
    let mut names = BTreeMap::new();
    for body in &scene.bodies {
        if let Some(first) = names.insert(body.name.get_ref().as_str(), body.name.span()) {
            let at = source.error(first, String::new(), None);
            let message = format!(
                "there are two bodies named '{}', the first in line {}",
                body.name.get_ref(),
                at.line
            );
            return Err(source.error(body.name.span(), message, Some("name each body once".to_owned())));
        }
        check_body(body, scene, source)?;
    }
    let known: BTreeSet<&str> = names.into_keys().collect();
    let named = scene.mechanisms.iter().flat_map(|mechanism| &mechanism.bodies);
    let of_machines: BTreeSet<&str> = named.map(|body| body.get_ref().as_str()).collect();
    let in_machine = |joint: &JointDescription| {
        joint.bodies.iter().any(|body| of_machines.contains(body.get_ref().as_str()))
    };
    let mut joints = scene.joints.iter();
    joints.try_for_each(|joint| check_joint(joint, &known, in_machine(joint), scene, source))?;
    super::mechanism::check(scene).map_err(|fault| source.error(fault.span, fault.message, fault.help))?;
    for joint in &scene.joints {
        if let Some((message, help)) = super::idle_keys::of_joint(joint, in_machine(joint)) {
            return Err(source.error(joint.kind.span(), message, Some(help.to_owned())));
        }
    }
    Ok(())
}

fn check_ground(
    ground: &Spanned<GroundDescription>,
    scene: &SceneDescription,
    source: Source,
) -> Result<(), SceneFileError> {
    if ground.get_ref().height().is_some_and(|height| !(height.abs() <= MAX_LENGTH)) {
        let message = "the ground's height is no place in the scene".to_owned();
        let help = format!("it is in metres, from -{MAX_LENGTH:e} to {MAX_LENGTH:e}");
        return Err(source.error(ground.span(), message, Some(help)));
    }
    match ground.get_ref().material() {
        Some(material) => check_material(material, ground.span(), scene, source),
        None => Ok(()),
    }
}

fn check_material(
    material: &str,
    place: std::ops::Range<usize>,
    scene: &SceneDescription,
    source: Source,
) -> Result<(), SceneFileError> {
    if scene.materials.contains_key(material) {
        return Ok(());
    }
    let known = scene.materials.keys().map(String::as_str);
    let message = format!("no material is named '{material}'");
    Err(source.error(place, message, Some(nearest(material, known))))
}

fn check_body(
    body: &BodyDescription,
    scene: &SceneDescription,
    source: Source,
) -> Result<(), SceneFileError> {
    let name = body.name.get_ref();
    let complain =
        |message: String, help: &str| Err(source.error(body.name.span(), message, Some(help.to_owned())));
    if name == GROUND {
        return complain(
            format!("a body is named '{GROUND}', which is the world itself"),
            "choose another name",
        );
    }
    if body.rotation.quaternion().is_none() {
        return complain(
            format!("the rotation axis of '{name}' has no direction"),
            "give it a length above 0",
        );
    }
    if let Some(material) = &body.material {
        check_material(material.get_ref(), material.span(), scene, source)?;
    }
    if let Some(mass) = &body.mass
        && !(mass.get_ref().mass > 0.0 && mass.get_ref().moments.cmpgt(DVec3::ZERO).all())
    {
        let help = Some("mass and moments must be above 0".to_owned());
        return Err(source.error(mass.span(), format!("'{name}' cannot have this mass"), help));
    }
    if body.kind == MotionKind::Dynamic && body.mass.is_none() {
        let massive =
            body.shapes.iter().any(|s| !matches!(s.shape.get_ref(), ShapeDescription::HalfSpace {}));
        if !(massive && body.density > 0.0 && body.density.is_finite()) {
            return complain(
                format!("'{name}' has no mass"),
                "give it a shape with a density above 0, a mass, or kind = \"fixed\"",
            );
        }
    }
    body.shapes.iter().try_for_each(|placed| check_shape(&placed.shape, scene, source))
}

fn check_shape(
    shape: &Spanned<ShapeDescription>,
    scene: &SceneDescription,
    source: Source,
) -> Result<(), SceneFileError> {
    let lengths: &[(&str, f64)] = match shape.get_ref() {
        ShapeDescription::Box { size } => &[("size", size.min_element())],
        ShapeDescription::Sphere { radius } => &[("radius", *radius)],
        ShapeDescription::Capsule { radius, length }
        | ShapeDescription::Cylinder { radius, length }
        | ShapeDescription::Cone { radius, length } => &[("radius", *radius), ("length", *length)],
        ShapeDescription::Hull { points } if points.len() < 4 => {
            let message = format!("a hull of {} points has no volume", points.len());
            return Err(source.error(shape.span(), message, Some("give it at least 4".to_owned())));
        }
        ShapeDescription::Mesh { name } if !scene.meshes.contains_key(name) => {
            let known = scene.meshes.keys().map(String::as_str);
            return Err(source.error(
                shape.span(),
                format!("no mesh is named '{name}'"),
                Some(nearest(name, known)),
            ));
        }
        ShapeDescription::HalfSpace {} | ShapeDescription::Hull { .. } | ShapeDescription::Mesh { .. } => &[],
    };
    match lengths.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
        Some((what, value)) => {
            let message = format!("{what} is {value} m, but must be above 0");
            Err(source.error(shape.span(), message, None))
        }
        None => Ok(()),
    }
}

fn check_joint(
    joint: &JointDescription,
    bodies: &BTreeSet<&str>,
    in_machine: bool,
    scene: &SceneDescription,
    source: Source,
) -> Result<(), SceneFileError> {
    for body in &joint.bodies {
        if body.get_ref() != GROUND && !bodies.contains(body.get_ref().as_str()) {
            let known = scene.bodies.iter().map(|body| body.name.get_ref().as_str()).chain([GROUND]);
            let message = format!("no body is named '{}'", body.get_ref());
            return Err(source.error(body.span(), message, Some(nearest(body.get_ref(), known))));
        }
    }
    let [first, second] = &joint.bodies;
    if first.get_ref() == second.get_ref() {
        let message = format!("the joint holds '{}' to itself", first.get_ref());
        return Err(source.error(second.span(), message, Some("name two bodies".to_owned())));
    }
    let kind = *joint.kind.get_ref();
    let missing = |what: &str| {
        let message = format!("a joint of this kind needs '{what}'");
        Err(source.error(joint.kind.span(), message, None))
    };
    drive(joint, source)?;
    let axis = joint.axis.is_some_and(|axis| axis.try_normalize().is_some());
    if kind.has_axis() && !axis {
        return missing("axis = [x, y, z], not all 0");
    }
    match kind {
        JointKindName::Distance if joint.to.is_none() => missing("to = [x, y, z]"),
        JointKindName::Screw if joint.pitch.is_none() => missing("pitch = metres per turn"),
        JointKindName::Path if joint.path.is_none() => missing("path = { points = [[x, y, z], ...] }"),
        JointKindName::Formula if joint.formula.is_none() => {
            missing("formula = { coordinates = [\"m\"], place = [\"q0\", \"0\", \"0\"] }")
        }
        JointKindName::Path | JointKindName::Formula if !in_machine => {
            let message = "only joints of mechanisms have a law of their own".to_owned();
            let help = "name its bodies in [[mechanisms]]".to_owned();
            Err(source.error(joint.kind.span(), message, Some(help)))
        }
        _ => match joint.drive.limits {
            Some([low, high]) if !(low <= high) => {
                let message = format!("limits from {low} to {high} leave nothing");
                Err(source.error(joint.kind.span(), message, Some("the smaller one comes first".to_owned())))
            }
            _ => Ok(()),
        },
    }
}

/// What resists or pulls back does so by 0 or more.
fn drive(joint: &JointDescription, source: Source) -> Result<(), SceneFileError> {
    let drive = &joint.drive;
    let spring = drive.spring.as_ref();
    let quantities = [
        ("friction", Some(drive.friction)),
        ("damping", Some(drive.damping)),
        ("strength of the motor", drive.motor.as_ref().map(|motor| motor.strength)),
        ("stiffness of the spring", spring.map(|spring| spring.stiffness)),
        ("outer stiffness of the spring", spring.and_then(|spring| spring.outer)),
        ("knee of the spring", spring.map(|spring| spring.knee)),
    ];
    match quantities.iter().find(|(_, value)| value.is_some_and(|value| !(value >= 0.0))) {
        Some((what, Some(value))) => {
            let message = format!("the {what} of joint '{}' must be 0 or more, not {value}", joint.name);
            Err(source.error(joint.kind.span(), message, None))
        }
        _ => Ok(()),
    }
}

//! A robot in URDF as a scene: links are bodies in the places that all joints at zero give them.
//!
//! URDF has z up, cylinders along z and angles in radians; a scene has y up, cylinders along y and degrees.

use std::collections::{HashMap, HashSet};
use std::f64::consts::FRAC_PI_2;
use std::ops::Range;

use glam::{DQuat, DVec3};
use prall_math::Pose;
use toml::Spanned;
use urdf_rs::{Geometry, JointType, Link, Robot};

use super::numbers::MAX_NUMBER;
use super::xml::{self, Element};
use super::{
    BodyDescription, DriveDescription, FollowsDescription, GROUND, JointDescription, JointKindName,
    MassDescription, MechanismDescription, MeshDescription, MotionKind, PlacedShape, RotationDescription,
    SceneDescription, ShapeDescription,
};

/// What is wrong in a robot, and where in its text.
pub(super) type Wrong = (Range<usize>, String, Option<String>);

/// The scene of a robot whose root is fixed to the ground, or what is wrong.
pub(super) fn scene(text: &str) -> Result<SceneDescription, Wrong> {
    let no_urdf = |(place, message, help): Wrong| (place, format!("no URDF: {message}"), help);
    let elements = xml::elements(text).map_err(no_urdf)?;
    if let Some(macro_) = elements.iter().find(|element| element.tag.starts_with("xacro:")) {
        let message = format!("<{}> is xacro, from which URDF is made", macro_.tag);
        let help = "expand it first: xacro FILE > robot.urdf".to_owned();
        return Err((macro_.span.start..macro_.span.start, message, Some(help)));
    }
    let bare = &without_looks(text, &elements);
    let robot = urdf_rs::read_from_string(bare)
        .map_err(|error| no_urdf(culprit(bare, &elements, &error.to_string())))?;
    // Only what is read must be a number: places are the same in both texts.
    check_numbers(&xml::elements(bare).map_err(no_urdf)?)?;
    check_links(&robot, &elements)?;
    let poses = link_poses(&robot, &elements)?;
    let mut scene = empty(&robot.name);
    for link in &robot.links {
        let body = body(link, &poses[link.name.as_str()], &mut scene);
        scene.bodies.push(body);
    }
    for joint in &robot.joints {
        if let Some(kind) = kind(&joint.joint_type) {
            let pose = poses[joint.child.link.as_str()];
            let axis = pose.transform_vector(DVec3::from_array(*joint.axis.xyz));
            let bodies = [&joint.parent.link, &joint.child.link].map(|name| spanned(name.clone()));
            let turns = matches!(joint.joint_type, JointType::Revolute | JointType::Continuous);
            let limited = matches!(joint.joint_type, JointType::Revolute)
                || matches!(joint.joint_type, JointType::Prismatic);
            let unit = |value: f64| if turns { value.to_degrees() } else { value };
            // Files write 1e16 or infinity for a joint without a stop.
            let stop = |limit: f64| unit(limit).clamp(-MAX_NUMBER, MAX_NUMBER);
            let limits = limited.then(|| [stop(joint.limit.lower), stop(joint.limit.upper)]);
            let friction = joint.dynamics.as_ref().map_or(0.0, |dynamics| dynamics.friction);
            let damping = joint.dynamics.as_ref().map_or(0.0, |dynamics| dynamics.damping);
            scene.joints.push(JointDescription {
                name: joint.name.clone(),
                kind: spanned(kind),
                bodies,
                at: pose.translation,
                axis: kind.has_axis().then_some(axis),
                to: None,
                pitch: None,
                path: None,
                formula: None,
                drive: DriveDescription { limits, friction, damping, ..DriveDescription::default() },
                collide: false,
                follows: joint.mimic.as_ref().map(|mimic| FollowsDescription {
                    joint: spanned(mimic.joint.clone()),
                    factor: mimic.multiplier.unwrap_or(1.0),
                    offset: unit(mimic.offset.unwrap_or(0.0)),
                }),
            });
        }
    }
    fix_roots(&robot, &poses, &mut scene);
    scene.mechanisms.push(machine(&robot, spanned(robot.name.clone())));
    Ok(scene)
}

/// The text with spaces in place of what makes no difference here: how links look, and what other programs added (gazebo, transmissions,
/// materials). Slips in those are no reason to refuse a robot; places in the text stay.
fn without_looks(text: &str, elements: &[Element]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for element in elements {
        let known: &[&str] = match element.depth {
            1 => &["link", "joint"],
            2 => {
                &["inertial", "collision", "origin", "parent", "child", "axis", "limit", "dynamics", "mimic"]
            }
            3 => &["origin", "geometry", "mass", "inertia"],
            _ => continue,
        };
        if !known.contains(&element.tag.as_str()) {
            let kept = |byte: &&mut u8| !matches!(**byte, b'\n' | b'\r');
            bytes[element.span.clone()].iter_mut().filter(kept).for_each(|byte| *byte = b' ');
        }
    }
    // Whole elements were replaced, so that what is left is text as before.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// All links as one machine.
fn machine(robot: &Robot, name: Spanned<String>) -> MechanismDescription {
    MechanismDescription {
        name,
        bodies: robot.links.iter().map(|link| spanned(link.name.clone())).collect(),
        urdf: None,
        prefix: String::new(),
        position: DVec3::ZERO,
        rotation: RotationDescription::default(),
        floating: false,
        controls: Vec::new(),
    }
}

/// Attributes that hold numbers, and how many.
const NUMBERS: [(&str, usize); 21] = [
    ("xyz", 3),
    ("rpy", 3),
    ("size", 3),
    ("scale", 3),
    ("radius", 1),
    ("length", 1),
    ("value", 1),
    ("ixx", 1),
    ("ixy", 1),
    ("ixz", 1),
    ("iyy", 1),
    ("iyz", 1),
    ("izz", 1),
    ("lower", 1),
    ("upper", 1),
    ("effort", 1),
    ("velocity", 1),
    ("damping", 1),
    ("friction", 1),
    ("multiplier", 1),
    ("offset", 1),
];

/// Where the fault is that the reader of URDF found, which it does not tell: it is asked again for each link and joint alone.
fn culprit(text: &str, elements: &[Element], error: &str) -> Wrong {
    let part = |element: &&Element| element.depth == 1 && matches!(element.tag.as_str(), "link" | "joint");
    for element in elements.iter().filter(part) {
        let alone = format!("<robot name=\"r\">{}</robot>", &text[element.span.clone()]);
        let Err(own) = urdf_rs::read_from_string(&alone) else { continue };
        let name = match element.attribute("name") {
            Some((name, _)) => format!("{} '{name}'", element.tag),
            None => format!("a {} without a name", element.tag),
        };
        let inside = |other: &&Element| element.span.contains(&other.span.start);
        let number = elements.iter().filter(inside).find_map(wrong_number);
        let (place, message) =
            number.unwrap_or_else(|| (element.span.start..element.span.start, own.to_string()));
        return (place, format!("{name}: {message}"), None);
    }
    let at = elements.first().map_or(0, |element| element.span.start);
    (at..at, error.to_owned(), None)
}

/// The first attribute of an element that should hold numbers and does not.
fn wrong_number(element: &Element) -> Option<(Range<usize>, String)> {
    element.attributes().find_map(|(name, value, at)| {
        let &(_, count) = NUMBERS.iter().find(|(known, _)| *known == name)?;
        let numbers: Vec<_> = value.split_whitespace().map(str::parse::<f64>).collect();
        let right = numbers.len() == count && numbers.iter().all(Result::is_ok);
        let wanted = if count == 1 { "a number".to_owned() } else { format!("{count} numbers") };
        (!right).then(|| (at, format!("{name} of <{}> must be {wanted}, not '{value}'", element.tag)))
    })
}

/// Attributes whose numbers mean no limit where they are large, or are not used.
const UNBOUNDED: [&str; 4] = ["lower", "upper", "effort", "velocity"];

/// Every number must be one that a scene can have.
fn check_numbers(elements: &[Element]) -> Result<(), Wrong> {
    for element in elements {
        for (name, value, at) in element.attributes() {
            if !NUMBERS.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let bounded = !UNBOUNDED.contains(&name);
            let mut numbers = value.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
            let beyond = |number: &f64| number.is_nan() || (bounded && !(number.abs() <= MAX_NUMBER));
            if let Some(number) = numbers.find(beyond) {
                let message = format!("{name} of <{}> holds {number:e}, which no robot has", element.tag);
                let help = format!("numbers are from -{MAX_NUMBER:e} to {MAX_NUMBER:e}");
                return Err((at, message, Some(help)));
            }
        }
    }
    Ok(())
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
    }
}

/// Roll, pitch and yaw about fixed x, y and z.
fn pose(origin: &urdf_rs::Pose) -> Pose {
    let [roll, pitch, yaw] = *origin.rpy;
    let half = |axis: DVec3, angle: f64| {
        let (sine, cosine) = libm::sincos(0.5 * angle);
        DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
    };
    Pose::new(
        half(DVec3::Z, yaw) * half(DVec3::Y, pitch) * half(DVec3::X, roll),
        DVec3::from_array(*origin.xyz),
    )
}

/// Poses of all links in a world with y up, all joints at zero.
fn link_poses<'a>(robot: &'a Robot, elements: &[Element]) -> Result<HashMap<&'a str, Pose>, Wrong> {
    let upright = Pose::from_rotation(DQuat::from_rotation_x(-FRAC_PI_2));
    let mut poses: HashMap<&str, Pose> = HashMap::new();
    let children: HashSet<&str> = robot.joints.iter().map(|joint| joint.child.link.as_str()).collect();
    let mut joints_of: HashMap<&str, Vec<&urdf_rs::Joint>> = HashMap::new();
    for joint in &robot.joints {
        joints_of.entry(&joint.parent.link).or_default().push(joint);
    }
    let roots = robot.links.iter().filter(|link| !children.contains(link.name.as_str()));
    let mut placed: Vec<&str> = roots.map(|link| link.name.as_str()).collect();
    poses.extend(placed.iter().map(|root| (*root, upright)));
    while let Some(parent) = placed.pop() {
        let at = poses[parent];
        for joint in joints_of.get(parent).into_iter().flatten() {
            let child = joint.child.link.as_str();
            // Two joints that lead to one link are no tree, which is said where the tree is made.
            if poses.insert(child, (at * pose(&joint.origin)).normalized()).is_none() {
                placed.push(child);
            }
        }
    }
    match robot.links.iter().find(|link| !poses.contains_key(link.name.as_str())) {
        None => Ok(poses),
        Some(link) => {
            let message = format!("link '{}' hangs in a circle of joints; URDF describes trees", link.name);
            Err((place_of(elements, None, ("link", "name"), &link.name), message, None))
        }
    }
}

/// Every joint that another one repeats must be there, and every link that a joint names.
fn check_links(robot: &Robot, elements: &[Element]) -> Result<(), Wrong> {
    let known = robot.links.iter().map(|link| link.name.as_str());
    let joints = robot.joints.iter().map(|joint| joint.name.as_str());
    let known_links: HashSet<&str> = known.clone().collect();
    let known_joints: HashSet<&str> = joints.clone().collect();
    for joint in &robot.joints {
        if let Some(mimic) = &joint.mimic
            && !known_joints.contains(mimic.joint.as_str())
        {
            let message = format!("joint '{}' mimics '{}', which is not there", joint.name, mimic.joint);
            let help = Some(super::error::nearest(&mimic.joint, joints));
            let place = place_of(elements, Some(&joint.name), ("mimic", "joint"), &mimic.joint);
            return Err((place, message, help));
        }
        for (tag, name) in [("parent", &joint.parent.link), ("child", &joint.child.link)] {
            if !known_links.contains(name.as_str()) {
                let message = format!("joint '{}' names the link '{name}', which is not there", joint.name);
                let help = Some(super::error::nearest(name, known));
                return Err((place_of(elements, Some(&joint.name), (tag, "link"), name), message, help));
            }
        }
    }
    Ok(())
}

/// Where an element's attribute has a value, within a joint if one is named.
fn place_of(
    elements: &[Element],
    joint: Option<&str>,
    (tag, attribute): (&str, &str),
    value: &str,
) -> Range<usize> {
    let named = |element: &&Element| {
        element.tag == "joint" && element.attribute("name").is_some_and(|(name, _)| Some(name) == joint)
    };
    let within = elements.iter().find(named).map_or(0..usize::MAX, |element| element.span.clone());
    let mut candidates =
        elements.iter().filter(|element| element.tag == tag && within.contains(&element.span.start));
    candidates
        .find_map(|element| element.attribute(attribute).filter(|(found, _)| *found == value))
        .map_or(0..0, |(_, at)| at)
}

fn body(link: &Link, place: &Pose, scene: &mut SceneDescription) -> BodyDescription {
    let inertia = &link.inertial.inertia;
    let mass = link.inertial.mass.value;
    let turned = pose(&link.inertial.origin);
    let moments = DVec3::new(inertia.ixx, inertia.iyy, inertia.izz);
    let products = DVec3::new(inertia.ixy, inertia.ixz, inertia.iyz);
    let (moments, products) = turned_inertia(&turned, moments, products);
    let massive = mass > 0.0 && moments.min_element() > 0.0;
    let description = MassDescription { mass, centre: turned.translation, moments, products };
    let shapes: Vec<PlacedShape> =
        link.collision.iter().map(|part| shape(&part.geometry, &part.origin, scene)).collect();
    // A link without mass and shape is a frame: it goes where its joint takes it.
    let kind = if massive || !shapes.is_empty() { MotionKind::Dynamic } else { MotionKind::Kinematic };
    BodyDescription {
        name: spanned(link.name.clone()),
        kind,
        position: place.translation,
        rotation: RotationDescription::from_quaternion(place.rotation),
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        material: None,
        colour: None,
        density: 1000.0,
        mass: massive.then(|| spanned(description)),
        shapes,
    }
}

/// A tensor of inertia `R I R^T` in the axes of the link.
fn turned_inertia(frame: &Pose, moments: DVec3, products: DVec3) -> (DVec3, DVec3) {
    let (xy, xz, yz) = (products.x, products.y, products.z);
    let tensor = glam::DMat3::from_cols(
        DVec3::new(moments.x, xy, xz),
        DVec3::new(xy, moments.y, yz),
        DVec3::new(xz, yz, moments.z),
    );
    let rotation = frame.rotation_matrix();
    let turned = rotation * tensor * rotation.transpose();
    let moments = DVec3::new(turned.x_axis.x, turned.y_axis.y, turned.z_axis.z);
    (moments, DVec3::new(turned.x_axis.y, turned.x_axis.z, turned.y_axis.z))
}

fn shape(geometry: &Geometry, origin: &urdf_rs::Pose, scene: &mut SceneDescription) -> PlacedShape {
    let along_z = Pose::from_rotation(DQuat::from_rotation_x(FRAC_PI_2));
    let place = pose(origin);
    let (shape, place) = match geometry {
        Geometry::Box { size } => (ShapeDescription::Box { size: DVec3::from_array(**size) }, place),
        Geometry::Sphere { radius } => (ShapeDescription::Sphere { radius: *radius }, place),
        Geometry::Cylinder { radius, length } => {
            (ShapeDescription::Cylinder { radius: *radius, length: *length }, place * along_z)
        }
        Geometry::Capsule { radius, length } => {
            (ShapeDescription::Capsule { radius: *radius, length: *length }, place * along_z)
        }
        Geometry::Mesh { filename, scale } => {
            let file = filename.clone();
            let scale = scale.as_ref().map_or(DVec3::ONE, |scale| DVec3::from_array(**scale));
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

fn kind(joint: &JointType) -> Option<JointKindName> {
    match joint {
        JointType::Revolute | JointType::Continuous => Some(JointKindName::Hinge),
        JointType::Prismatic => Some(JointKindName::Slider),
        JointType::Fixed => Some(JointKindName::Fixed),
        JointType::Planar => Some(JointKindName::Planar),
        JointType::Spherical => Some(JointKindName::Ball),
        JointType::Floating => None,
    }
}

/// Fixes what hangs on nothing to the ground.
fn fix_roots(robot: &Robot, poses: &HashMap<&str, Pose>, scene: &mut SceneDescription) {
    for link in &robot.links {
        if !robot.joints.iter().any(|joint| joint.child.link == link.name) {
            scene.joints.push(JointDescription {
                name: format!("{} to {GROUND}", link.name),
                kind: spanned(JointKindName::Fixed),
                bodies: [spanned(GROUND.to_owned()), spanned(link.name.clone())],
                at: poses[link.name.as_str()].translation,
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

//! A robot's links and joints as its text gives them.
//!
//! The reader takes what simulation needs and passes over the rest: looks, sensors, what other programs added. Public robots leave out what their own
//! programs do not need, and say things twice; where that leaves only one sensible meaning, it is taken and noted.

use std::ops::Range;

use glam::{DMat3, DQuat, DVec3};
use prall_math::Pose;

use super::Wrong;
use super::attributes::Part;
use crate::file::xml::{self, Element};

/// A robot, and what a person should know about its text.
pub(super) struct Robot {
    pub(super) name: String,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    pub(super) notes: Vec<String>,
}

/// A name, and where it stands.
#[derive(Clone)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) place: Range<usize>,
}

pub(super) struct Link {
    pub(super) name: Name,
    pub(super) inertial: Option<Inertial>,
    pub(super) shapes: Vec<(Pose, Geometry)>,
}

/// What a link weighs; what is missing is none.
pub(super) struct Inertial {
    pub(super) origin: Pose,
    pub(super) mass: Option<f64>,
    /// About the centre of mass, in the axes of `origin`.
    pub(super) inertia: Option<DMat3>,
}

pub(super) enum Geometry {
    Box { size: DVec3 },
    Sphere { radius: f64 },
    Cylinder { radius: f64, length: f64 },
    Capsule { radius: f64, length: f64 },
    Mesh { file: String, scale: DVec3 },
}

impl Geometry {
    /// True if nothing can touch it.
    fn is_empty(&self) -> bool {
        match self {
            Geometry::Box { size } => size.min_element() == 0.0,
            Geometry::Sphere { radius } | Geometry::Capsule { radius, .. } => *radius == 0.0,
            Geometry::Cylinder { radius, length } => radius.min(*length) == 0.0,
            Geometry::Mesh { scale, .. } => scale.abs().min_element() == 0.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointType {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Planar,
    Ball,
    Floating,
}

pub(super) struct Joint {
    pub(super) name: Name,
    pub(super) kind: JointType,
    pub(super) origin: Pose,
    pub(super) parent: Name,
    pub(super) child: Name,
    pub(super) axis: DVec3,
    /// End stops in m or rad.
    pub(super) limits: Option<[f64; 2]>,
    pub(super) friction: f64,
    pub(super) damping: f64,
    pub(super) mimic: Option<Mimic>,
}

/// The joint repeats another one: `multiplier * position + offset`.
#[derive(Clone)]
pub(super) struct Mimic {
    pub(super) joint: Name,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// Reads a robot, or says what is wrong and where.
pub(super) fn read(text: &str) -> Result<Robot, Wrong> {
    let elements = xml::elements(text).map_err(|(place, message, help)| no_urdf(place, &message, help))?;
    if let Some(macro_) = elements.iter().find(|element| element.tag.starts_with("xacro:")) {
        let message = format!("<{}> is xacro, from which URDF is made", macro_.tag);
        let help = "expand it first: xacro FILE > robot.urdf".to_owned();
        return Err((macro_.span.start..macro_.span.start, message, Some(help)));
    }
    let root = match elements.first() {
        Some(root) if root.tag == "robot" => root,
        Some(root) => {
            let help = Some("a robot is written in <robot>".to_owned());
            return Err(no_urdf(root.start(), &format!("it begins with <{}>", root.tag), help));
        }
        None => return Err(no_urdf(0..0, "there is no element in it", None)),
    };
    let name = root.attribute("name").map_or_else(String::new, |(name, _)| xml::unescaped(name));
    let mut robot = Robot { name, links: Vec::new(), joints: Vec::new(), notes: Vec::new() };
    for at in xml::children(&elements, 0) {
        let element = &elements[at];
        if !matches!(element.tag.as_str(), "link" | "joint") {
            continue;
        }
        let name = element.attribute("name").map(|(name, place)| Name { text: xml::unescaped(name), place });
        let Some(name) = name else {
            return Err(no_urdf(
                element.start(),
                &format!("a {} without a name: joints and notes refer to it by one", element.tag),
                None,
            ));
        };
        let mut part = Part::new(&elements, at, format!("{} '{}'", element.tag, name.text));
        let read = if element.tag == "link" {
            link(&mut part, name).map(|link| robot.links.push(link))
        } else {
            joint(&mut part, name).map(|joint| robot.joints.push(joint))
        };
        robot.notes.append(&mut part.notes);
        read?;
    }
    if robot.links.is_empty() {
        return Err(no_urdf(root.start(), "there is no <link> in it", None));
    }
    Ok(robot)
}

/// What makes a text no URDF.
pub(super) fn no_urdf(place: Range<usize>, message: &str, help: Option<String>) -> Wrong {
    (place, format!("no URDF: {message}"), help)
}

fn link(part: &mut Part, name: Name) -> Result<Link, Wrong> {
    let inertial = part.only("inertial").map(|at| inertial(part, at)).transpose()?;
    let mut shapes = Vec::new();
    for at in part.all("collision") {
        let origin = origin(part, at)?;
        let geometry = part.inside(at, "geometry").and_then(|at| part.first_inside(at));
        let Some(at) = geometry else {
            part.note("a collision has no geometry; it is left out");
            continue;
        };
        match geometry_of(part, at)? {
            Some(geometry) if geometry.is_empty() => {
                let text = format!("a <{}> of no size is left out", part.element(at).tag);
                part.note(&text);
            }
            Some(geometry) => shapes.push((origin, geometry)),
            None => {
                let tag = &part.element(at).tag;
                let text = format!("<{tag}> is no geometry of URDF; that shape is left out");
                part.note(&text);
            }
        }
    }
    Ok(Link { name, inertial, shapes })
}

fn inertial(part: &mut Part, at: usize) -> Result<Inertial, Wrong> {
    let origin = origin(part, at)?;
    let mass = match part.inside(at, "mass") {
        Some(mass) => part.number(mass, "value")?,
        None => None,
    };
    let Some(tensor) = part.inside(at, "inertia") else {
        return Ok(Inertial { origin, mass, inertia: None });
    };
    let entry = |name| Ok(part.number(tensor, name)?.unwrap_or(0.0));
    let [xx, yy, zz] = [entry("ixx")?, entry("iyy")?, entry("izz")?];
    let [xy, xz, yz] = [entry("ixy")?, entry("ixz")?, entry("iyz")?];
    let inertia = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
    Ok(Inertial { origin, mass, inertia: Some(inertia) })
}

/// The shape of an element; none if URDF has no such shape.
fn geometry_of(part: &mut Part, at: usize) -> Result<Option<Geometry>, Wrong> {
    Ok(Some(match part.element(at).tag.as_str() {
        "box" => Geometry::Box { size: part.needed_size(at, "size")? },
        "sphere" => Geometry::Sphere { radius: part.needed_length(at, "radius")? },
        "cylinder" => {
            let [radius, length] = [part.needed_length(at, "radius")?, part.needed_length(at, "length")?];
            Geometry::Cylinder { radius, length }
        }
        "capsule" => {
            let [radius, length] = [part.needed_length(at, "radius")?, part.needed_length(at, "length")?];
            Geometry::Capsule { radius, length }
        }
        "mesh" => {
            let scale = part.scale(at)?;
            Geometry::Mesh { file: part.needed_name(at, "filename")?.text, scale }
        }
        _ => return Ok(None),
    }))
}

fn joint(part: &mut Part, name: Name) -> Result<Joint, Wrong> {
    let kind = joint_type(part)?;
    let origin = origin(part, part.at())?;
    let end = |part: &mut Part, tag: &str| match part.only(tag) {
        Some(at) => part.needed_name(at, "link"),
        None => Err(part.wrong(part.element(part.at()).start(), &format!("it has no <{tag}>"))),
    };
    let (parent, child) = (end(part, "parent")?, end(part, "child")?);
    let axis = match part.only("axis") {
        Some(at) => axis(part, at, kind)?,
        None => None,
    };
    let dynamics = part.only("dynamics");
    let dynamics = |name| match dynamics {
        Some(at) => part.least(at, name, 0.0).map(Option::unwrap_or_default),
        None => Ok(0.0),
    };
    let [friction, damping] = [dynamics("friction")?, dynamics("damping")?];
    let limits = limits(part, kind)?;
    let mimic = part.only("mimic").map(|at| mimic(part, at)).transpose()?;
    let axis = axis.unwrap_or(DVec3::X);
    Ok(Joint { name, kind, origin, parent, child, axis, limits, friction, damping, mimic })
}

/// The direction of an axis, which a joint that moves along one must have.
fn axis(part: &Part, at: usize, kind: JointType) -> Result<Option<DVec3>, Wrong> {
    let axis = part.vector(at, "xyz")?;
    let moves = !matches!(kind, JointType::Fixed | JointType::Ball | JointType::Floating);
    if moves && axis.is_some_and(|axis| !(axis.length_squared() > 0.0)) {
        let place = part.element(at).attribute("xyz").map_or(part.element(at).start(), |(_, place)| place);
        return Err(part.wrong(place, "its axis has no direction"));
    }
    Ok(axis)
}

fn joint_type(part: &Part) -> Result<JointType, Wrong> {
    let at = part.at();
    let named = part.needed_name(at, "type")?;
    Ok(match named.text.as_str() {
        "revolute" => JointType::Revolute,
        "continuous" => JointType::Continuous,
        "prismatic" => JointType::Prismatic,
        "fixed" => JointType::Fixed,
        "planar" => JointType::Planar,
        "spherical" | "ball" => JointType::Ball,
        "floating" => JointType::Floating,
        other => {
            let known = "revolute, continuous, prismatic, fixed, planar, spherical and floating";
            return Err(
                part.wrong(named.place, &format!("there is no joint type '{other}'; known are {known}"))
            );
        }
    })
}

/// End stops. A joint that should have some and names none is free, as is one whose stops are the wrong way round, by which other simulators say so.
fn limits(part: &mut Part, kind: JointType) -> Result<Option<[f64; 2]>, Wrong> {
    let Some(at) = part.only("limit") else {
        if matches!(kind, JointType::Revolute | JointType::Prismatic) {
            part.note("it names no limits; it goes without end stops");
        }
        return Ok(None);
    };
    let [lower, upper] = [part.stop(at, "lower")?, part.stop(at, "upper")?];
    for unused in ["effort", "velocity"] {
        part.stop(at, unused)?;
    }
    if !matches!(kind, JointType::Revolute | JointType::Prismatic) {
        return Ok(None);
    }
    if lower.is_none() && upper.is_none() {
        part.note("its limit has neither lower nor upper; it goes without end stops");
        return Ok(None);
    }
    let [lower, upper] = [lower.unwrap_or(0.0), upper.unwrap_or(0.0)];
    if lower > upper {
        let text = format!("its limits go from {lower} to {upper}; it goes without end stops");
        part.note(&text);
        return Ok(None);
    }
    Ok(Some([lower, upper]))
}

fn mimic(part: &mut Part, at: usize) -> Result<Mimic, Wrong> {
    let joint = part.needed_name(at, "joint")?;
    let multiplier = part.number(at, "multiplier")?.unwrap_or(1.0);
    let offset = part.number(at, "offset")?.unwrap_or(0.0);
    Ok(Mimic { joint, multiplier, offset })
}

/// Where an element's `<origin>` puts it: roll, pitch and yaw about fixed x, y and z, then a shift.
fn origin(part: &mut Part, at: usize) -> Result<Pose, Wrong> {
    let Some(origin) = part.inside(at, "origin") else { return Ok(Pose::IDENTITY) };
    let shift = part.vector(origin, "xyz")?.unwrap_or_default();
    let [roll, pitch, yaw] = part.vector(origin, "rpy")?.unwrap_or_default().to_array();
    let half = |axis: DVec3, angle: f64| {
        let (sine, cosine) = libm::sincos(0.5 * angle);
        DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
    };
    Ok(Pose::new(half(DVec3::Z, yaw) * half(DVec3::Y, pitch) * half(DVec3::X, roll), shift))
}

impl Element {
    /// The place where it begins.
    fn start(&self) -> Range<usize> {
        self.span.start..self.span.start
    }
}

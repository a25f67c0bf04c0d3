//! [`SceneDescription`]: a scene as plain data. Lengths in metres, masses in kilograms, angles in degrees.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, DVec3};
use prall_math::Pose;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Colour, DrivenByDescription, FormulaDescription, GroundDescription, PathDescription};

/// A scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneDescription {
    /// The name that people read.
    pub title: String,
    /// A paragraph about it.
    #[serde(default)]
    pub description: String,
    /// Acceleration of free fall in m/s^2. Default 9.81 downwards.
    #[serde(default = "earth")]
    pub gravity: DVec3,
    /// Length of a time step in s. Default 1/60.
    #[serde(default = "sixtieth")]
    pub step: Spanned<f64>,
    /// How joints are solved.
    #[serde(default)]
    pub solver: SolverName,
    /// From where to look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<CameraHint>,
    /// The plane on which everything stands. Default: at height 0, where nothing starts below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ground: Option<Spanned<GroundDescription>>,
    /// Surfaces by name.
    #[serde(default)]
    pub materials: BTreeMap<String, Spanned<MaterialDescription>>,
    /// Meshes by name.
    #[serde(default)]
    pub meshes: BTreeMap<String, MeshDescription>,
    /// What moves and what stands.
    #[serde(default)]
    pub bodies: Vec<BodyDescription>,
    /// What holds bodies together.
    #[serde(default)]
    pub joints: Vec<JointDescription>,
    /// What a person changes while it runs: speeds of motors, and gravity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ControlDescription>,
    /// Which bodies make one machine in minimal coordinates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mechanisms: Vec<MechanismDescription>,
    /// Files of robots that were read with it, as they were named in it.
    #[serde(skip)]
    pub robot_files: Vec<String>,
    /// Links of robots whose files give them no mass, or a mass in kg and no possible inertia, by their names.
    #[serde(skip)]
    pub(crate) unweighed: BTreeMap<String, Option<f64>>,
    /// Links of robots that have no shape and are drawn as rods from joint to joint.
    #[serde(skip)]
    pub(crate) rods: BTreeSet<String>,
    /// How many meshes of robots are not there.
    #[serde(skip)]
    pub(crate) missing_meshes: usize,
    /// What a person should know about the file: what was passed over or put in place of what it lacks.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl SceneDescription {
    /// Draws every link of a robot as rods.
    pub(crate) fn draw_all_as_rods(&mut self) {
        self.rods.extend(self.bodies.iter().map(|body| body.name.get_ref().clone()));
    }
}

fn earth() -> DVec3 {
    DVec3::Y * -9.81
}

fn sixtieth() -> Spanned<f64> {
    Spanned::new(0..0, 1.0 / 60.0)
}

/// How joints are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SolverName {
    /// Chosen by the structure of the joints.
    #[default]
    Auto,
    /// Joint by joint until the error is small.
    Iterative,
    /// All at once.
    Direct,
}

/// From where to look at a scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraHint {
    /// Where the eye is.
    pub eye: DVec3,
    /// What it looks at.
    pub target: DVec3,
}

/// A surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaterialDescription {
    /// Speed after over speed before an impact, 0 to 1. Default 0.
    pub restitution: f64,
    /// Coulomb's coefficient while nothing slides. Default 0.5.
    pub static_friction: f64,
    /// Coulomb's coefficient while it slides; not above the static one. Default 0.5.
    pub dynamic_friction: f64,
    /// Of bodies that say none themselves. Default: tones in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<Colour>,
    /// How it looks: 0 is a mirror, 1 is chalk. Default 0.6.
    pub roughness: f64,
    /// How it looks: 1 is bare metal, 0 is anything else. Default 0.
    pub metallic: f64,
    /// How it looks: 1 is solid, 0.35 is glass. Default 1.
    pub opacity: f64,
}

impl Default for MaterialDescription {
    fn default() -> MaterialDescription {
        MaterialDescription {
            restitution: 0.0,
            static_friction: 0.5,
            dynamic_friction: 0.5,
            colour: None,
            roughness: 0.6,
            metallic: 0.0,
            opacity: 1.0,
        }
    }
}

/// A mesh in a file of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshDescription {
    /// Path of the file, relative to that of the scene.
    pub file: String,
    /// Factor to metres, by axis. Default 1.
    #[serde(default = "ones")]
    pub scale: DVec3,
    /// Whether the file's axes stay as written even if it says which of them is up: so ROS reads the meshes of robots.
    #[serde(skip)]
    pub axes_as_written: bool,
}

fn ones() -> DVec3 {
    DVec3::ONE
}

/// What may move a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MotionKind {
    /// Forces, joints and contacts.
    #[default]
    Dynamic,
    /// Nothing.
    Fixed,
    /// Its own velocity alone.
    Kinematic,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyDescription {
    /// By which joints refer to it.
    pub name: Spanned<String>,
    /// What may move it.
    #[serde(default)]
    pub kind: MotionKind,
    /// Place of its frame.
    #[serde(default)]
    pub position: DVec3,
    /// How its frame is turned.
    #[serde(default)]
    pub rotation: RotationDescription,
    /// Velocity of its centre of mass in m/s.
    #[serde(default)]
    pub velocity: DVec3,
    /// In degrees/s, about world axes.
    #[serde(default)]
    pub angular_velocity: DVec3,
    /// Name of its surface; the default material if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Spanned<String>>,
    /// How it looks. Default: the colour of its material, or tones in turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<Colour>,
    /// In kg/m^3, for all shapes. Default 1000.
    #[serde(default = "water")]
    pub density: f64,
    /// Mass properties instead of those of shapes and density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<Spanned<MassDescription>>,
    /// What it consists of.
    #[serde(default)]
    pub shapes: Vec<PlacedShape>,
}

fn water() -> f64 {
    1000.0
}

/// Mass, centre of mass and inertia in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MassDescription {
    /// In kg.
    pub mass: f64,
    /// Centre of mass.
    #[serde(default)]
    pub centre: DVec3,
    /// Moments of inertia about the centre, xx, yy, zz, in kg m^2.
    pub moments: DVec3,
    /// Products of inertia as they stand in the matrix, xy, xz, yz, in kg m^2. Default 0.
    #[serde(default)]
    pub products: DVec3,
}

/// A turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RotationDescription {
    /// Of any length but zero.
    pub axis: DVec3,
    /// Right-handed about the axis.
    pub degrees: f64,
}

impl Default for RotationDescription {
    fn default() -> RotationDescription {
        RotationDescription { axis: DVec3::Y, degrees: 0.0 }
    }
}

impl RotationDescription {
    /// As a quaternion; none if the axis has no direction.
    pub fn quaternion(&self) -> Option<DQuat> {
        let axis = self.axis.try_normalize()?;
        let (sine, cosine) = libm::sincos(0.5 * self.degrees.to_radians());
        let turn = axis * sine;
        Some(DQuat::from_xyzw(turn.x, turn.y, turn.z, cosine))
    }

    /// From a quaternion of unit length.
    pub fn from_quaternion(rotation: DQuat) -> RotationDescription {
        let turn = DVec3::new(rotation.x, rotation.y, rotation.z);
        match turn.try_normalize() {
            Some(axis) => {
                let degrees = (2.0 * libm::atan2(turn.length(), rotation.w)).to_degrees();
                RotationDescription { axis, degrees }
            }
            None => RotationDescription::default(),
        }
    }
}

/// A shape in its place on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacedShape {
    /// What it is.
    pub shape: Spanned<ShapeDescription>,
    /// Place on the body.
    #[serde(default)]
    pub position: DVec3,
    /// How it is turned on the body.
    #[serde(default)]
    pub rotation: RotationDescription,
}

impl PlacedShape {
    /// Place on the body; none if the rotation has no axis.
    pub fn pose(&self) -> Option<Pose> {
        Some(Pose::new(self.rotation.quaternion()?, self.position))
    }
}

/// A shape. Capsule, cylinder and cone stand along y; a half-space is everything below y = 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeDescription {
    /// A box by its edge lengths.
    Box {
        /// Along x, y and z.
        size: DVec3,
    },
    /// A ball.
    Sphere {
        /// Of the ball.
        radius: f64,
    },
    /// A capsule.
    Capsule {
        /// Of its ends.
        radius: f64,
        /// Between the centres of its ends.
        length: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Of its caps.
        radius: f64,
        /// From cap to cap.
        length: f64,
    },
    /// A cone, tip up.
    Cone {
        /// Of its base.
        radius: f64,
        /// From base to tip.
        length: f64,
    },
    /// Ground without end.
    HalfSpace {},
    /// The convex hull of points.
    Hull {
        /// At least four.
        points: Vec<DVec3>,
    },
    /// One of the scene's meshes, as it is.
    Mesh {
        /// Its name.
        name: String,
    },
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointKindName {
    /// Turns about a point.
    Ball,
    /// Turns about the axis.
    Hinge,
    /// Shifts along the axis.
    Slider,
    /// Shifts along the axis and turns about it.
    Cylindrical,
    /// Shifts across the axis and turns about it.
    Planar,
    /// Turns about the axis and about one across it.
    Universal,
    /// Nothing.
    Fixed,
    /// Keeps a distance: `length`.
    Distance,
    /// A nut on a bolt along the axis: `pitch`.
    Screw,
    /// Along a curve that is fixed on the first body: `path`; in mechanisms.
    Path,
    /// By a law of its own against the first body: `formula`; in mechanisms.
    Formula,
}

impl JointKindName {
    /// True if it has an axis.
    pub fn has_axis(self) -> bool {
        !matches!(
            self,
            JointKindName::Ball
                | JointKindName::Fixed
                | JointKindName::Distance
                | JointKindName::Path
                | JointKindName::Formula
        )
    }
}

/// A joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointDescription {
    /// For reports; need not be there.
    #[serde(default)]
    pub name: String,
    /// What it leaves free.
    pub kind: Spanned<JointKindName>,
    /// Names of its two bodies; `ground` is the world.
    pub bodies: [Spanned<String>; 2],
    /// Where it is in the world at the start; of a distance, the point on the first body.
    pub at: DVec3,
    /// Direction in the world at the start, of any length but zero, for kinds that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<DVec3>,
    /// Of a distance: the point on the second body at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<DVec3>,
    /// Of a screw: advance per turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// Of a path: the curve. The body starts at the place of it that is nearest to `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathDescription>,
    /// Of a formula: the law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<FormulaDescription>,
    /// What acts along its first free coordinate.
    #[serde(default)]
    pub drive: DriveDescription,
    /// True if its bodies may touch each other.
    #[serde(default)]
    pub collide: bool,
    /// Another joint whose coordinate it repeats; in mechanisms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<FollowsDescription>,
}

/// How the coordinate of a joint follows that of another one, whatever force that takes; the other one does not feel it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FollowsDescription {
    /// Name of the other joint.
    pub joint: Spanned<String>,
    /// The other's coordinate times this is the own one. Default 1.
    #[serde(default = "one")]
    pub factor: f64,
    /// Added to that, in m or degrees. Default 0.
    #[serde(default)]
    pub offset: f64,
}

/// What acts along a free coordinate of a joint: a shift in metres, a turn in degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DriveDescription {
    /// Smallest and largest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// Keeps a speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorDescription>,
    /// Largest force in N, or torque in N m, that resists.
    pub friction: f64,
    /// Pulls back to a rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spring: Option<SpringDescription>,
    /// Force over speed in N s/m, or N m s/rad.
    #[serde(skip_serializing_if = "is_zero")]
    pub damping: f64,
    /// True if the coordinate follows a control whatever force that takes; in mechanisms.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub driven: bool,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// A spring of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpringDescription {
    /// In N/m or N m/rad.
    pub stiffness: f64,
    /// Coordinate without force, in m or degrees. Default 0.
    #[serde(default)]
    pub rest: f64,
    /// Stiffness farther than `knee` from the rest; in mechanisms. Default: the same everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outer: Option<f64>,
    /// Where `outer` begins, in m or degrees from the rest.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub knee: f64,
}

/// A motor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotorDescription {
    /// In m/s or degrees/s.
    pub speed: f64,
    /// Largest force in N, or torque in N m.
    pub strength: f64,
}

/// Bodies that make one machine: a tree of joints in minimal coordinates, which hold to rounding.
///
/// Joints among these bodies, and those between them and the ground, are the machine's; bodies that are fixed to each other are
/// welded to one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MechanismDescription {
    /// The name that people read.
    pub name: Spanned<String>,
    /// Names of its bodies.
    #[serde(default)]
    pub bodies: Vec<Spanned<String>>,
    /// A robot in URDF, whose links and joints become the mechanism's, by a path from the scene's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urdf: Option<Spanned<String>>,
    /// What stands before the names of the robot's links and joints.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Where the robot stands.
    #[serde(default)]
    pub position: DVec3,
    /// How it is turned.
    #[serde(default)]
    pub rotation: RotationDescription,
    /// True if its root is free instead of fixed to the ground.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub floating: bool,
    /// What drives it.
    #[serde(default)]
    pub controls: Vec<ControlDescription>,
}

/// A number that a person changes while the scene runs: a slider in the page, `--set` in commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlDescription {
    /// The name used in commands.
    pub key: Spanned<String>,
    /// The name that people read. Default: the key.
    #[serde(default)]
    pub label: String,
    /// Unit, empty for a pure number.
    #[serde(default)]
    pub unit: String,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value at the start. Default 0.
    #[serde(default)]
    pub default: f64,
    /// What it does, in one sentence.
    #[serde(default)]
    pub text: String,
    /// On which joints it acts, and how. Only `gravity`, a parameter of the scene, acts without any.
    #[serde(default)]
    pub acts: Vec<ActDescription>,
    /// By what a person moves it while driving. Default: it is a parameter only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driven_by: Option<DrivenByDescription>,
}

/// What a control does to a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActDescription {
    /// Name of the joint.
    pub joint: Spanned<String>,
    /// What it sets.
    #[serde(rename = "as")]
    pub quantity: ActQuantity,
    /// The control's value times this is set. Default 1.
    #[serde(default = "one")]
    pub factor: f64,
}

fn one() -> f64 {
    1.0
}

/// What a control sets on the first coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActQuantity {
    /// Where a driven joint is, in m or degrees; it follows smoothly.
    Position,
    /// How fast a driven joint moves, in m/s or degrees/s.
    Speed,
    /// The rest of the joint's spring, in m or degrees: a servo that gives way.
    Target,
    /// A motor's force in N, or torque in N m.
    Force,
    /// Damping in N s/m, or N m s/rad, that is added to the joint's own: a brake.
    Damping,
}

//! Scenes as files: what a person writes in TOML, or what a URDF or a scene of Rigid IPC holds, as plain data.
//!
//! The format is explained in `docs/scene-files.md`. What is wrong in a file is said with its line and column, with what would be right
//! and, for names, with the nearest that is known.

mod check;
mod colour;
mod description;
mod driven_by;
mod error;
mod explain;
mod formula;
mod ground;
mod idle_keys;
mod json;
mod mechanism;
mod nearby;
mod numbers;
mod package;
mod path;
mod read;
mod rigid_ipc;
mod robot;
mod robot_meshes;
mod urdf;
mod xml;

pub use colour::Colour;
pub use description::{
    ActDescription, ActQuantity, BodyDescription, CameraHint, ControlDescription, DriveDescription,
    FollowsDescription, JointDescription, JointKindName, MassDescription, MaterialDescription,
    MechanismDescription, MeshDescription, MotionKind, MotorDescription, PlacedShape, RotationDescription,
    SceneDescription, ShapeDescription, SolverName, SpringDescription,
};
pub use driven_by::DrivenByDescription;
pub(crate) use driven_by::drive_controls;
pub use error::SceneFileError;
pub(crate) use error::place_of_text;
pub use formula::{CoordinateUnit, FormulaDescription, TurnDescription};
pub use ground::GroundDescription;
pub(crate) use mechanism::{TreeLink, tree_of};
pub use package::declare_package;
pub(crate) use package::find as find_mesh;
pub use path::{PathDescription, PathTurnName};
pub(crate) use read::{read_regular, text_of};
pub use rigid_ipc::{FilePlace, RigidIpcBody, RigidIpcMesh, RigidIpcPose, RigidIpcScene, RigidIpcSize};
pub use robot_meshes::{RobotOptions, set_robot_options};
pub(crate) use robot_meshes::{robot_meshes, robot_options};

/// The name by which joints refer to the world itself.
pub const GROUND: &str = "ground";

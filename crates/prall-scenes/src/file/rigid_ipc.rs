//! [`RigidIpcScene`]: a scene file of Rigid IPC (Ferguson et al. 2021) as plain data.
//!
//! The format is JSON: `timestep`, `max_time` and a `rigid_body_problem` with gravity, friction and bodies that are meshes in files of
//! their own. Settings of their solver mean nothing here and are passed over. What the numbers mean is what their program makes of
//! them; where that is not obvious, the field says it.

use std::path::{Path, PathBuf};

use glam::{BVec3, DQuat, DVec3};
use prall_dynamics::{BodyKind, Locked};
use prall_math::{Twist, rotation};

use super::SceneFileError;
use super::check::STEPS;
use super::error::{Source, nearest};
use super::json::{Json, Object};

/// What Rigid IPC takes where a file says nothing: the density of a light plastic in kg/m^3.
const DENSITY: f64 = 1000.0;

/// The same for the length of a step, in s.
const STEP: f64 = 0.01;

/// Keys of a body that are read.
const BODY_KEYS: [&str; 20] = [
    "mesh",
    "vertices",
    "edges",
    "faces",
    "position",
    "rotation",
    "scale",
    "dimensions",
    "density",
    "linear_velocity",
    "angular_velocity",
    "force",
    "torque",
    "is_dof_fixed",
    "type",
    "kinematic_poses",
    "kinematic_max_time",
    "enabled",
    "group_id",
    "split_components",
];

/// Keys of a body that their program reads for purposes of its own.
const OTHER_BODY_KEYS: [&str; 2] = ["oriented", "ipc_comparison_enabled"];

/// Above this likeness (Jaro and Winkler 1990, no unit) an unknown key is a known one that was mistyped.
const MISTYPED: f64 = 0.92;

/// A scene of Rigid IPC.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidIpcScene {
    /// Length of a time step in s. Default 0.01.
    pub step: f64,
    /// For how long it was meant to run, in s: `max_time`, or `max_iterations` steps. None if the file does not say.
    pub duration: Option<f64>,
    /// Acceleration of free fall in m/s^2. Default none at all.
    pub gravity: DVec3,
    /// Coulomb's coefficient between all bodies. Default 0. `coefficient_restitution` has no effect there either: nothing rebounds.
    pub friction: f64,
    /// The bodies that are enabled.
    pub bodies: Vec<RigidIpcBody>,
    /// Keys of bodies that nobody knows, each with its place: they were passed over.
    pub notes: Vec<String>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// The file as it was named.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
}

impl FilePlace {
    /// An error at this place.
    pub fn error(&self, message: String, help: Option<String>) -> SceneFileError {
        SceneFileError { file: self.file.clone(), line: self.line, column: self.column, message, help }
    }
}

/// Where the triangles of a body come from.
#[derive(Clone, Debug, PartialEq)]
pub enum RigidIpcMesh {
    /// A file, as it was written; [`RigidIpcBody::mesh_file`] finds it.
    File(String),
    /// In the scene file itself.
    Inline {
        /// The corners of the faces.
        positions: Vec<DVec3>,
        /// Indices into the corners.
        triangles: Vec<[u32; 3]>,
    },
}

/// How large a body is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RigidIpcSize {
    /// The mesh times this, by axis; a negative number mirrors.
    Scale(DVec3),
    /// The mesh's box gets these edges; along an axis in which the mesh is flat the number has no effect.
    Dimensions(DVec3),
}

/// Where a kinematic body is at the end of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidIpcPose {
    /// Place of its centre of mass.
    pub position: DVec3,
    /// Turn since the start about world axes, as a rotation vector in rad.
    pub turn: DVec3,
}

/// A body of Rigid IPC.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidIpcBody {
    /// Its index in the file's list, counted from 0, disabled bodies included.
    pub index: usize,
    /// Where its mesh, or the body where it has none, stands in the file.
    pub place: FilePlace,
    /// That of its mesh's file, with its index.
    pub name: String,
    /// Its triangles.
    pub mesh: RigidIpcMesh,
    /// How large it is made. Default as the mesh is.
    pub size: RigidIpcSize,
    /// Place of the mesh's origin. Default the origin.
    pub position: DVec3,
    /// How the mesh is turned about its origin: about x first, then y, then z, in degrees.
    pub rotation: DVec3,
    /// In kg/m^3, for meshes that are not closed in kg/m^2. Default 1000.
    pub density: f64,
    /// Velocity of its centre of mass in m/s, and angular velocity in rad/s (in degrees/s in the file), in world axes; nothing along
    /// freedoms that it does not have.
    pub velocity: Twist,
    /// Force on its centre of mass in N, in world axes.
    pub force: DVec3,
    /// Torque in N m, in world axes. Their program turns the file's number from degrees into radians as it does with velocities, so a
    /// torque of 180 in the file is pi N m.
    pub torque: DVec3,
    /// Freedoms that it does not have.
    pub locked: Locked,
    /// What may move it; a body without freedoms is fixed.
    pub kind: BodyKind,
    /// Poses that a kinematic body takes, one at the end of each step; after them it goes on with its velocity.
    pub poses: Vec<RigidIpcPose>,
    /// A kinematic body stands still in steps that begin at this time or later, in s. None: it never stops.
    pub moves_until: Option<f64>,
    /// Bodies of one group do not touch each other. Fixed and kinematic bodies are one group, and so are dynamic bodies that were given
    /// the number of one of them.
    pub group: Option<u32>,
    /// Each connected piece of the mesh is a body of its own.
    pub split: bool,
}

impl RigidIpcScene {
    /// Reads a scene file.
    pub fn read(path: impl AsRef<Path>) -> Result<RigidIpcScene, SceneFileError> {
        let (text, file) = super::read::text_of(path.as_ref())?;
        RigidIpcScene::from_json(&text, &file)
    }

    /// Reads a scene from JSON; `file` is what errors call it.
    pub fn from_json(text: &str, file: &str) -> Result<RigidIpcScene, SceneFileError> {
        let source = Source { file, text };
        let document = Json::document(source)?;
        let top = document.object()?;
        let Some(problem) = top.get("rigid_body_problem") else {
            let help = "JSON scenes are those of Rigid IPC, whose bodies stand in 'rigid_body_problem'";
            return Err(document.error("there is no 'rigid_body_problem'", Some(help)));
        };
        let problem_value = problem;
        let problem = problem.object()?;
        let step = top.read("timestep", STEP, length_of_step)?;
        let friction = problem.read("coefficient_friction", 0.0, not_negative)?;
        let gravity = problem.read("gravity", DVec3::ZERO, Json::vector)?;
        let Some(list) = problem.get("rigid_bodies") else {
            return Err(problem_value.error("there is no 'rigid_bodies'", Some("give it a list of bodies")));
        };
        let mut notes = Vec::new();
        let mut bodies = Vec::new();
        for (index, value) in list.list()?.iter().enumerate() {
            bodies.extend(read_body(index, value, &mut notes)?);
        }
        join_groups(&mut bodies);
        Ok(RigidIpcScene { step, duration: duration(&top, step)?, gravity, friction, bodies, notes })
    }
}

/// `max_time`, or `max_iterations` steps; below 0 both mean no limit.
fn duration(top: &Object, step: f64) -> Result<Option<f64>, SceneFileError> {
    let seconds = top.read("max_time", -1.0, Json::number)?;
    let steps = top.read("max_iterations", -1, Json::whole_number)?;
    Ok(if seconds >= 0.0 { Some(seconds) } else { (steps >= 0).then_some(steps as f64 * step) })
}

fn length_of_step(value: &Json) -> Result<f64, SceneFileError> {
    let step = positive(value)?;
    if STEPS.contains(&step) {
        return Ok(step);
    }
    let help = format!("it is from {:e} to {} s", STEPS.start(), STEPS.end());
    Err(value.error(format!("a step of {step:e} s leads nowhere"), Some(&help)))
}

fn positive(value: &Json) -> Result<f64, SceneFileError> {
    let number = value.number()?;
    if number > 0.0 { Ok(number) } else { Err(value.error(format!("{number} must be above 0"), None)) }
}

fn not_negative(value: &Json) -> Result<f64, SceneFileError> {
    let number = value.number()?;
    if number >= 0.0 { Ok(number) } else { Err(value.error(format!("{number} must be 0 or above"), None)) }
}

/// None for a body that is not enabled.
fn read_body(
    index: usize,
    value: &Json,
    notes: &mut Vec<String>,
) -> Result<Option<RigidIpcBody>, SceneFileError> {
    let body = value.object()?;
    check_keys(&body, notes)?;
    if !body.read("enabled", true, Json::boolean)? {
        return Ok(None);
    }
    let (mesh, place, stem) = read_mesh(value, &body)?;
    let locked = body.read("is_dof_fixed", Locked::NOTHING, locked)?;
    let kind = match body.read("type", BodyKind::Dynamic, kind)? {
        _ if locked.all() => BodyKind::Fixed,
        kind => kind,
    };
    let degrees = |value: &Json| Ok(radians(value.vector()?));
    let linear = body.read("linear_velocity", DVec3::ZERO, Json::vector)?;
    let angular = body.read("angular_velocity", DVec3::ZERO, degrees)?;
    let moves_until = body.read("kinematic_max_time", -1.0, Json::number)?;
    let group = body.read("group_id", -1, Json::whole_number)?;
    let group = u32::try_from(group.max(-1) + 1).map_err(|_| {
        body.get("group_id").unwrap_or(value).error(format!("{group} is too large for a group"), None)
    })?;
    Ok(Some(RigidIpcBody {
        index,
        place,
        name: format!("{stem} {index}"),
        mesh,
        size: size(&body)?,
        position: body.read("position", DVec3::ZERO, Json::vector)?,
        rotation: body.read("rotation", DVec3::ZERO, Json::vector)?,
        density: body.read("density", DENSITY, positive)?,
        velocity: locked.allowed(Twist { linear, angular }),
        force: body.read("force", DVec3::ZERO, Json::vector)?,
        torque: body.read("torque", DVec3::ZERO, degrees)?,
        locked,
        kind,
        poses: body.read("kinematic_poses", Vec::new(), poses)?,
        moves_until: (moves_until >= 0.0).then_some(moves_until),
        group: group.checked_sub(1),
        split: body.read("split_components", false, Json::boolean)?,
    }))
}

/// Keys that begin with `#` were switched off by their author.
fn check_keys(body: &Object, notes: &mut Vec<String>) -> Result<(), SceneFileError> {
    for (key, value) in &body.entries {
        let known = BODY_KEYS.contains(&key.as_str()) || OTHER_BODY_KEYS.contains(&key.as_str());
        if known || key.starts_with('#') {
            continue;
        }
        let mistyped = BODY_KEYS.iter().any(|name| strsim::jaro_winkler(key, name) >= MISTYPED);
        let unknown = value.error(
            "no body has this key",
            mistyped.then(|| nearest(key, BODY_KEYS.iter().copied())).as_deref(),
        );
        if mistyped {
            return Err(unknown);
        }
        notes.push(format!("{unknown}; it is passed over"));
    }
    Ok(())
}

/// The mesh, where it stands, and a name for it.
fn read_mesh(value: &Json, body: &Object) -> Result<(RigidIpcMesh, FilePlace, String), SceneFileError> {
    let place = |value: &Json| {
        let SceneFileError { file, line, column, .. } = value.error("", None);
        FilePlace { file, line, column }
    };
    let file = body.read("mesh", String::new(), Json::string)?;
    if !file.is_empty() {
        let stem =
            Path::new(&file).file_stem().map_or(file.clone(), |stem| stem.to_string_lossy().into_owned());
        let at = body.get("mesh").unwrap_or(value);
        return Ok((RigidIpcMesh::File(file), place(at), stem));
    }
    let Some(vertices) = body.get("vertices") else {
        return Err(
            value.error("the body has no shape", Some("give it a \"mesh\", or \"vertices\" and \"faces\""))
        );
    };
    let positions = vertices.list()?.iter().map(Json::vector).collect::<Result<Vec<_>, _>>()?;
    let triangles = body.read("faces", Vec::new(), |faces| {
        faces.list()?.iter().map(|face| triangle(face, positions.len())).collect()
    })?;
    if triangles.is_empty() {
        return Err(value.error(
            "the body consists of points or edges without faces",
            Some("only bodies of triangles can be run"),
        ));
    }
    Ok((RigidIpcMesh::Inline { positions, triangles }, place(vertices), "body".to_owned()))
}

fn triangle(face: &Json, vertices: usize) -> Result<[u32; 3], SceneFileError> {
    let corners = face.list()?;
    let [a, b, c] = corners.as_slice() else {
        return Err(
            face.error(format!("a face has three corners, not {}", corners.len()), Some("use triangles"))
        );
    };
    let index = |corner: &Json| {
        let number = corner.whole_number()?;
        let known = usize::try_from(number).ok().filter(|&index| index < vertices);
        known.and_then(|index| u32::try_from(index).ok()).ok_or_else(|| {
            corner.error(format!("there is no vertex {number}; there are {vertices}, counted from 0"), None)
        })
    };
    Ok([index(a)?, index(b)?, index(c)?])
}

/// `dimensions` before `scale`, which is a number or one for each axis.
fn size(body: &Object) -> Result<RigidIpcSize, SceneFileError> {
    if let Some(value) = body.get("dimensions") {
        return Ok(RigidIpcSize::Dimensions(value.vector()?));
    }
    body.read("scale", RigidIpcSize::Scale(DVec3::ONE), |value| {
        let scale = if value.is_list() { value.vector()? } else { DVec3::splat(value.number()?) };
        Ok(RigidIpcSize::Scale(scale))
    })
}

/// True or false for all six, or a list: translations, then rotations.
fn locked(value: &Json) -> Result<Locked, SceneFileError> {
    if value.is_boolean() {
        let all = BVec3::splat(value.boolean()?);
        return Ok(Locked { translation: all, rotation: all });
    }
    let flags = value.list()?.iter().map(Json::boolean).collect::<Result<Vec<_>, _>>()?;
    let [a, b, c, d, e, f] = flags.as_slice() else {
        let message = format!("the list has {} entries, but must have six: x, y, z, and turns", flags.len());
        return Err(value.error(message, Some("scenes in the plane are not read")));
    };
    Ok(Locked { translation: BVec3::new(*a, *b, *c), rotation: BVec3::new(*d, *e, *f) })
}

fn kind(value: &Json) -> Result<BodyKind, SceneFileError> {
    let name = value.string()?;
    match name.as_str() {
        "static" => Ok(BodyKind::Fixed),
        "kinematic" => Ok(BodyKind::Kinematic),
        "dynamic" => Ok(BodyKind::Dynamic),
        _ => {
            let help = nearest(&name, ["static", "kinematic", "dynamic"].into_iter());
            Err(value.error(format!("no body is of the type '{name}'"), Some(&help)))
        }
    }
}

fn poses(value: &Json) -> Result<Vec<RigidIpcPose>, SceneFileError> {
    let pose = |value: &Json| {
        let pose = value.object()?;
        Ok(RigidIpcPose {
            position: pose.read("position", DVec3::ZERO, Json::vector)?,
            turn: pose.read("rotation", DVec3::ZERO, Json::vector)?,
        })
    };
    value.list()?.iter().map(pose).collect()
}

fn radians(degrees: DVec3) -> DVec3 {
    DVec3::from_array(degrees.to_array().map(f64::to_radians))
}

/// The number of the group of what is fixed or kinematic.
const UNMOVED_GROUP: u32 = 0;

/// Numbers the groups from 0 on, the one of what is fixed or kinematic first; a group of one is none.
fn join_groups(bodies: &mut [RigidIpcBody]) {
    let unmoved: Vec<u32> =
        bodies.iter().filter(|body| body.kind != BodyKind::Dynamic).filter_map(|body| body.group).collect();
    let mut dynamic: Vec<u32> = Vec::new();
    for body in bodies.iter_mut() {
        let joins =
            body.kind != BodyKind::Dynamic || body.group.is_some_and(|group| unmoved.contains(&group));
        body.group = if joins {
            Some(UNMOVED_GROUP)
        } else {
            body.group.map(|group| {
                let known = dynamic.iter().position(|&number| number == group);
                let number = known.unwrap_or_else(|| {
                    dynamic.push(group);
                    dynamic.len() - 1
                });
                UNMOVED_GROUP + 1 + number as u32
            })
        };
    }
}

impl RigidIpcBody {
    /// Rz Ry Rx of the angles in the file.
    pub fn orientation(&self) -> DQuat {
        let turn = |axis: DVec3| rotation::exp(axis * radians(self.rotation));
        (turn(DVec3::Z) * turn(DVec3::Y) * turn(DVec3::X)).normalize()
    }

    /// The file of its mesh: beside the scene file, or in a folder `meshes` beside one of the folders that lead to it.
    /// None if it is in neither, or if the mesh has no file.
    pub fn mesh_file(&self, scene_file: &Path) -> Option<PathBuf> {
        let RigidIpcMesh::File(name) = &self.mesh else { return None };
        let folder = scene_file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        let beside = std::iter::once(folder.join(name));
        let above = folder.ancestors().map(|ancestor| ancestor.join("meshes").join(name));
        beside.chain(above).find(|path| path.is_file())
    }

    /// By what a mesh with a box of this size is multiplied. None if that would flatten it.
    pub fn scale(&self, mesh_size: DVec3) -> Option<DVec3> {
        let flat = mesh_size.cmpeq(DVec3::ZERO);
        let scale = match self.size {
            RigidIpcSize::Scale(scale) => scale,
            RigidIpcSize::Dimensions(edges) => edges / DVec3::select(flat, DVec3::ONE, mesh_size),
        };
        // Nothing is multiplied along an axis in which the mesh is flat already.
        let unchanged = flat & scale.cmpeq(DVec3::ZERO);
        let scale = DVec3::select(unchanged, DVec3::ONE, scale);
        (scale.is_finite() && scale.cmpne(DVec3::ZERO).all()).then_some(scale)
    }
}

impl RigidIpcPose {
    /// The turn since the start.
    pub fn rotation(&self) -> DQuat {
        rotation::exp(self.turn)
    }
}

//! From a scene file to bodies on a stage.

use super::{Build, JOINT_SOLVERS, Stage, WorldDefinition, WorldScene, described_machine, rigid_ipc};
use crate::file::{
    BodyDescription, JointDescription, JointKindName, MeshDescription, MotionKind, SceneDescription,
    ShapeDescription, SolverName, drive_controls,
};
use crate::{Camera, DriveControl, Look, Parameter, Pattern, Simulation};
use glam::{DMat3, DVec3};
use prall_dynamics::{
    BodyDefinition, BodyHandle, BodyKind, JointDefinition, JointHandle, Material, ShapeDefinition,
    SpringDamper, WorldOptions,
};
use prall_geometry::files::{ReadOptions, UpAxis, read_model};
use prall_geometry::{
    ConvexHull, DegenerateFace, FaceDefect, HalfSpace, MassProperties, Mesh, MeshOptions, PolygonSoup,
    SelfIntersectingFaces, Shape, TriangleMesh,
};
use prall_math::{Pose, Twist};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Tones of the bodies, in turn.
const TONES: [&str; 6] = ["#0a6b75", "#c0562f", "#d9a441", "#4f7f87", "#7c5a8a", "#8a6a4a"];

/// Bodies that are this little below 0 stand on the ground: it is rounding of numbers that a person wrote, in m.
const CONTACT_LEVEL: f64 = 1e-6;

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
    /// It can be run, with notes, and notes count as errors.
    #[error("{file}: {notes}; without --strict it is read with these notes")]
    Strict {
        /// The scene file.
        file: String,
        /// What is noted about it.
        notes: String,
    },
}

/// A described scene with its meshes, which are read once.
pub(crate) struct Described {
    pub(super) scene: SceneDescription,
    meshes: BTreeMap<String, Arc<TriangleMesh>>,
    /// Of the scene itself, then the controls of all mechanisms.
    pub(super) parameters: &'static [Parameter],
    /// By which a person drives.
    controls: Vec<DriveControl>,
    /// How each body looks.
    looks: Vec<Look>,
}

/// A scene file that was read and can be opened as often as wanted. It stays in memory until the program ends.
#[derive(Clone, Copy)]
pub struct FileScene {
    pub(super) path: &'static Path,
    pub(super) text: &'static str,
    pub(super) files: &'static [PathBuf],
    pub(super) definition: &'static WorldDefinition,
    pub(super) description: &'static str,
    pub(super) solver: &'static str,
    pub(super) duration: Option<f64>,
    pub(super) notes: &'static [String],
    pub(super) missing_meshes: usize,
}

impl FileScene {
    /// The name that people read.
    pub fn title(&self) -> &'static str {
        self.definition.name
    }

    /// The paragraph about it.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// For how long it was meant to run, in s; none if the file does not say.
    pub fn duration(&self) -> Option<f64> {
        self.duration
    }

    /// What a person should know about the file: bodies that overlap at the start, keys that were passed over.
    pub fn notes(&self) -> &'static [String] {
        self.notes
    }

    /// How many meshes of its robots are not there: their shapes were left out, as a note says.
    pub fn missing_meshes(&self) -> usize {
        self.missing_meshes
    }

    /// Where it was read.
    pub fn path(&self) -> &'static Path {
        self.path
    }

    /// What stood in the file when it was read.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Everything that was read for it: the file itself, then robots and meshes.
    pub fn files(&self) -> impl Iterator<Item = &'static Path> + use<> {
        let FileScene { path, files, .. } = *self;
        std::iter::once(path).chain(files.iter().map(PathBuf::as_path))
    }

    /// Builds it.
    pub fn build(&self) -> Box<dyn Simulation> {
        let mut scene = WorldScene::new(self.definition);
        scene.select_solver(self.solver).expect("the solvers of a file are those of its scene");
        Box::new(scene)
    }

    /// Reads a scene file, TOML, URDF or a JSON of Rigid IPC.
    pub fn read(path: impl AsRef<Path>) -> Result<FileScene, OpenFileError> {
        let path = path.as_ref();
        let (text, _) = crate::file::text_of(path)?;
        FileScene::from_text(path, text)
    }

    /// The same with a text in place of what stands in the file now. Meshes and robots that it names are read from beside the path.
    pub fn from_text(path: impl AsRef<Path>, text: String) -> Result<FileScene, OpenFileError> {
        let path = path.as_ref();
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
            rigid_ipc::read(path, text)
        } else {
            read_file(path, text)
        }
    }
}

/// Opens a scene file, TOML, URDF or a JSON of Rigid IPC. The description of a file stays in memory until the program ends.
pub fn open_file(path: impl AsRef<Path>) -> Result<Box<dyn Simulation>, OpenFileError> {
    Ok(FileScene::read(path)?.build())
}

fn read_file(path: &Path, text: String) -> Result<FileScene, OpenFileError> {
    let file = path.display().to_string();
    let scene = SceneDescription::from_text(path, &text, &file)?;
    let wrong = |(what, reason): (String, String)| OpenFileError::Build { file: file.clone(), what, reason };
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    let machines = scene.mechanisms.iter().flat_map(|mechanism| &mechanism.controls);
    let controls = scene.parameters.iter().chain(machines);
    let parameters: Vec<Parameter> = controls.map(described_machine::parameter).collect();
    let mut scene = scene;
    let is_robot = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("urdf"));
    let found = if is_robot { crate::file::robot_meshes(&mut scene, &folder) } else { Ok(BTreeMap::new()) };
    let found = found.map_err(|missing| OpenFileError::Build {
        file: format!("{file}{}", crate::file::place_of_text(&text, &missing.file)),
        what: format!("mesh '{}'", missing.mesh),
        reason: missing.message,
    })?;
    let mut described = Described::new(scene, parameters.leak());
    let mut files: Vec<PathBuf> = described.scene.robot_files.iter().map(|file| folder.join(file)).collect();
    let mut notes = Vec::new();
    for (name, mesh) in &described.scene.meshes {
        let at = crate::file::place_of_text(&text, &mesh.file);
        let wrong = |reason: String| OpenFileError::Build {
            file: format!("{file}{at}"),
            what: format!("mesh '{name}'"),
            reason,
        };
        let mesh_file = match found.get(name) {
            Some(found) => found.clone(),
            None => crate::file::find_mesh(&folder, &mesh.file).map_err(&wrong)?,
        };
        let read = read_mesh(&mesh_file, mesh);
        files.push(mesh_file);
        let (read, crossing) = read.map_err(wrong)?;
        if crossing > 0 {
            let flaw = if crossing == 1 { "polygon crosses itself" } else { "polygons cross themselves" };
            notes.push(format!("mesh '{name}': {crossing} {flaw}"));
        }
        described.meshes.insert(name.clone(), Arc::new(read));
    }
    described.scene.notes.append(&mut notes);
    described.weigh_robots();
    described.stage().map_err(wrong)?;
    let notes = std::mem::take(&mut described.scene.notes);
    if crate::file::robot_options().strict && !notes.is_empty() {
        return Err(OpenFileError::Strict { file, notes: notes.join("; ") });
    }
    let notes = notes.leak();
    let solver = match described.scene.solver {
        SolverName::Auto => "auto",
        SolverName::Iterative => "iterative",
        SolverName::Direct => "direct",
    };
    let missing_meshes = described.scene.missing_meshes;
    let description = Box::leak(with_notes(&described.scene.description, notes).into_boxed_str());
    let definition: &'static WorldDefinition = Box::leak(Box::new(WorldDefinition {
        name: Box::leak(described.scene.title.clone().into_boxed_str()),
        parameters: described.parameters,
        solvers: JOINT_SOLVERS,
        build: Build::File(Box::new(described)),
    }));
    Ok(FileScene {
        path: keep_path(path),
        text: text.leak(),
        files: files.leak(),
        definition,
        description,
        solver,
        duration: None,
        notes,
        missing_meshes,
    })
}

/// Most notes that a scene's description ends with.
const NOTES: usize = 8;

/// A scene's paragraph, and behind it what a person should know about its file.
fn with_notes(description: &str, notes: &[String]) -> String {
    let more = notes.len().saturating_sub(NOTES);
    let more = (more > 0).then(|| format!("{more} more notes are on standard error."));
    let notes = notes.iter().take(NOTES).map(|note| format!("Note: {note}."));
    let all = std::iter::once(description.to_owned()).chain(notes).chain(more);
    all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A path for as long as the program runs.
pub(super) fn keep_path(path: &Path) -> &'static Path {
    Box::leak(path.to_owned().into_boxed_path())
}

/// The mesh of a file, and how many of its polygons cross themselves: these have no inside, and are touched all the same.
fn read_mesh(path: &Path, described: &MeshDescription) -> Result<(TriangleMesh, usize), String> {
    let up = if described.axes_as_written { UpAxis::AsWritten } else { UpAxis::Y };
    let model =
        read_model(path, &ReadOptions { up, ..ReadOptions::default() }).map_err(|error| error.to_string())?;
    let soup = model.flattened().map_err(|error| error.to_string())?;
    let scaled: PolygonSoup =
        soup.transformed(&glam::DAffine3::from_scale(described.scale)).map_err(|error| error.to_string())?;
    let options =
        MeshOptions { self_intersecting: SelfIntersectingFaces::LeaveOut, ..MeshOptions::default() };
    let mesh = Mesh::from_soup(&scaled, &options).map_err(|error| error.to_string())?;
    let crosses = |face: &&DegenerateFace| face.defect == FaceDefect::SelfIntersecting;
    let crossing = mesh.degenerate_faces().iter().filter(crosses).count();
    TriangleMesh::new(Arc::new(mesh)).map(|mesh| (mesh, crossing)).map_err(|error| error.to_string())
}

impl Described {
    /// A scene without meshes, whose controls are these parameters. Texts of its controls stay in memory until the program ends.
    pub(crate) fn new(scene: SceneDescription, parameters: &'static [Parameter]) -> Described {
        let controls = drive_controls(&scene);
        let looks = (0..scene.bodies.len()).map(|number| look_of(&scene, number)).collect();
        Described { scene, meshes: BTreeMap::new(), parameters, controls, looks }
    }

    /// Lets people drive the stage's machines and motors by the file's controls.
    pub(crate) fn give_controls(&self, stage: &mut Stage) {
        stage.controls.clone_from(&self.controls);
    }

    /// What was described.
    pub(crate) fn scene(&self) -> &SceneDescription {
        &self.scene
    }

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
        let looks: Vec<usize> = self.looks.iter().map(|look| stage.add_look(look.clone())).collect();
        let mut bodies: BTreeMap<&str, BodyHandle> = BTreeMap::from([("ground", stage.world.ground())]);
        let part_of_machine = |name: &str| {
            scene.mechanisms.iter().flat_map(|mechanism| &mechanism.bodies).any(|body| body.get_ref() == name)
        };
        for mechanism in &scene.mechanisms {
            self.machine(&mut stage, mechanism, &looks)?;
        }
        let free = scene.bodies.iter().enumerate().filter(|(_, body)| !part_of_machine(body.name.get_ref()));
        for (number, body) in free {
            let name = body.name.get_ref().as_str();
            let built = self
                .body(body)
                .and_then(|definition| {
                    stage.try_add(name, &definition, looks[number]).map_err(|error| error.to_string())
                })
                .map_err(|reason| (format!("body '{name}'"), reason))?;
            bodies.insert(name, built);
        }
        for (number, joint) in scene.joints.iter().enumerate() {
            if joint.bodies.iter().any(|body| part_of_machine(body.get_ref())) {
                continue;
            }
            let definition = joint_definition(joint, &bodies, &stage);
            let added = definition
                .and_then(|definition| stage.world.add_joint(&definition).map_err(|error| error.to_string()));
            let added = added.map_err(|reason| (format!("joint {} ({})", number + 1, joint.name), reason))?;
            self.drive_by_parameters(&mut stage, joint, added);
        }
        self.give_controls(&mut stage);
        if let Some(height) = self.ground_height(&stage) {
            let named = scene.ground.as_ref().and_then(|ground| ground.get_ref().material());
            stage.ground_at(height, self.material(named));
        }
        Ok(stage)
    }

    /// Where the ground is. Unless the file says so, it is at 0, for bodies that fall down and start above it; a half-space is ground by itself.
    fn ground_height(&self, stage: &Stage) -> Option<f64> {
        if let Some(ground) = &self.scene.ground {
            return ground.get_ref().height();
        }
        let falls = self.scene.gravity.y < 0.0;
        let mut shapes = self.scene.bodies.iter().flat_map(|body| &body.shapes);
        let own = shapes.any(|placed| matches!(placed.shape.get_ref(), ShapeDescription::HalfSpace {}));
        (falls && !own && stage.lowest_corner() >= -CONTACT_LEVEL).then_some(0.0)
    }

    /// A surface by its name; without one, the default.
    fn material(&self, name: Option<&str>) -> Material {
        let given = name.and_then(|name| self.scene.materials.get(name));
        given.map(toml::Spanned::get_ref).map_or_else(Material::default, |given| Material {
            restitution: given.restitution,
            static_friction: given.static_friction,
            dynamic_friction: given.dynamic_friction,
            ..Material::default()
        })
    }

    /// Lets the joint's motor follow the parameters that act on it.
    fn drive_by_parameters(&self, stage: &mut Stage, joint: &JointDescription, added: JointHandle) {
        for parameter in &self.scene.parameters {
            let key = parameter.key.get_ref();
            let Some(declared) = self.parameters.iter().find(|declared| declared.key == key) else {
                continue;
            };
            for act in parameter.acts.iter().filter(|act| *act.joint.get_ref() == joint.name) {
                stage.drive_by(declared.key, added, act.factor * unit_of(*joint.kind.get_ref()));
            }
        }
    }

    pub(super) fn body(&self, body: &BodyDescription) -> Result<BodyDefinition, String> {
        let mut shapes = Vec::new();
        for placed in &body.shapes {
            let pose = placed.pose().ok_or("a shape's rotation needs an axis that is not zero")?;
            let shape = self.shape(placed.shape.get_ref())?;
            shapes.push(ShapeDefinition { pose, shape, density: body.density });
        }
        let material = self.material(body.material.as_ref().map(|name| name.get_ref().as_str()));
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

/// How a body looks: its own colour, else that of its material, else tones in turn. A colour stays in memory until the program ends.
fn look_of(scene: &SceneDescription, number: usize) -> Look {
    let body = &scene.bodies[number];
    let named = body.material.as_ref().and_then(|name| scene.materials.get(name.get_ref()));
    let material = named.map(toml::Spanned::get_ref).copied().unwrap_or_default();
    let color: &'static str = match body.colour.or(material.colour) {
        Some(colour) => colour.hexadecimal().leak(),
        None => TONES[number % TONES.len()],
    };
    let crate::file::MaterialDescription { roughness, metallic, opacity, .. } = material;
    Look { color, roughness, metallic, opacity, pattern: Pattern::Plain }
}

/// What one unit of a joint's first coordinate is in a file: shifts are in metres, turns in degrees.
fn unit_of(kind: JointKindName) -> f64 {
    let shifts = matches!(kind, JointKindName::Slider | JointKindName::Cylindrical | JointKindName::Planar);
    if shifts { 1.0 } else { 1_f64.to_radians() }
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
        JointKindName::Path | JointKindName::Formula => {
            return Err("only joints of mechanisms have a law of their own".to_owned());
        }
        JointKindName::Distance => {
            let to = joint.to.unwrap_or(joint.at);
            let local = |body: BodyHandle, point: DVec3| {
                stage.world.pose(body).map_or(point, |pose| pose.inverse_transform_point(point))
            };
            JointDefinition::distance(a, local(a, joint.at), b, local(b, to), joint.at.distance(to))
        }
    };
    let unit = unit_of(kind);
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
    let (spring, damping) = (joint.drive.spring, joint.drive.damping);
    if spring.is_some() || damping > 0.0 {
        let (stiffness, rest) = spring.map_or((0.0, 0.0), |spring| (spring.stiffness, spring.rest * unit));
        definition = definition.sprung(0, SpringDamper { stiffness, damping, rest });
    }
    Ok(definition)
}

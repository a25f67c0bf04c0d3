//! From a scene of Rigid IPC to bodies on a stage.

use super::stage::Prescribed;
use super::{Build, CONTACT_SOLVERS, FileScene, OpenFileError, Stage, WorldDefinition};
use crate::Camera;
use crate::file::{RigidIpcBody, RigidIpcMesh, RigidIpcPose, RigidIpcScene, SceneFileError};
use crate::judge::Judge;
use glam::{DAffine3, DVec3};
use prall_detection::Filter;
use prall_dynamics::{BodyDefinition, BodyKind, Material, ShapeDefinition, WorldError, WorldOptions};
use prall_geometry::files::{ReadOptions, read_model};
use prall_geometry::{
    Aabb, Amount, Components, HalfEdges, MassProperties, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh,
};
use prall_math::{Pose, Wrench};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tones of what moves, in turn, and of what does not.
const TONES: [&str; 6] = ["#0a6b75", "#c0562f", "#d9a441", "#4f7f87", "#7c5a8a", "#8a6a4a"];
const UNMOVED_TONE: &str = "#b9bfc0";

/// Groups that a world can tell apart, beside that of bodies which touch everything.
const MOST_GROUPS: u32 = 31;

/// From where the camera looks at the middle of what moves, in sizes of it.
const VIEW: DVec3 = DVec3::new(0.9, 0.6, 1.7);

/// A body that is ready to be put on a stage.
struct Part {
    name: String,
    definition: BodyDefinition,
    load: Wrench,
    /// Poses at the ends of steps, and when it stops.
    prescribed: Option<(Vec<Pose>, Option<f64>)>,
    /// To name it in errors.
    body: usize,
}

/// A scene of Rigid IPC whose meshes were read.
pub(crate) struct RigidIpcStage {
    scene: RigidIpcScene,
    parts: Vec<Part>,
    camera: Camera,
}

/// Reads a scene file of Rigid IPC with its meshes.
pub(super) fn read(path: &Path, text: String) -> Result<FileScene, OpenFileError> {
    let scene = RigidIpcScene::from_json(&text, &path.display().to_string())?;
    let mut notes = scene.notes.clone();
    let mut meshes = Meshes::default();
    let mut parts = Vec::new();
    for body in &scene.bodies {
        let soup = meshes.soup(body, path)?;
        parts.extend(parts_of(body, &soup, &scene, &mut meshes, &mut notes)?);
    }
    let camera = camera(&parts);
    let built = RigidIpcStage { scene, parts, camera };
    let stage = built.stage().map_err(|(part, error)| built.refused(part, error))?;
    notes.extend(built.start_overlaps(&stage));
    let title =
        path.file_stem().map_or_else(|| "scene".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let duration = built.scene.duration;
    let definition: &'static WorldDefinition = Box::leak(Box::new(WorldDefinition {
        name: Box::leak(title.into_boxed_str()),
        parameters: &[],
        solvers: CONTACT_SOLVERS,
        build: Build::RigidIpc(Box::new(built)),
    }));
    let solver = definition.solvers.1[0].name;
    let description = "A scene of Rigid IPC (Ferguson et al. 2021).";
    let files: Vec<PathBuf> = meshes.files.into_iter().map(|(file, _)| file).collect();
    Ok(FileScene {
        path: super::described::keep_path(path),
        text: text.leak(),
        files: files.leak(),
        definition,
        description,
        solver,
        duration,
        notes: notes.leak(),
        missing_meshes: 0,
    })
}

impl RigidIpcStage {
    /// The stage, or which part could not be built and why.
    pub(super) fn stage(&self) -> Result<Stage, (usize, WorldError)> {
        let options = WorldOptions {
            time_step: self.scene.step,
            gravity: self.scene.gravity,
            ..WorldOptions::default()
        };
        let mut stage = Stage::new(options, self.camera);
        let looks = TONES.map(|tone| stage.look(tone));
        let unmoved = stage.look(UNMOVED_TONE);
        for (number, part) in self.parts.iter().enumerate() {
            let still = part.definition.kind == BodyKind::Fixed;
            let look = if still { unmoved } else { looks[number % looks.len()] };
            let wrong = |error| (number, error);
            let body = stage.try_add(part.name.clone(), &part.definition, look).map_err(wrong)?;
            if part.load != Wrench::ZERO {
                stage.world.set_load(body, part.load).map_err(wrong)?;
            }
            if let Some((poses, until)) = &part.prescribed {
                let (poses, until, velocity) = (poses.clone(), *until, part.definition.velocity);
                stage.prescribed.push(Prescribed { body, poses, until, velocity });
            }
        }
        Ok(stage)
    }

    fn refused(&self, part: usize, error: WorldError) -> OpenFileError {
        let part = &self.parts[part];
        let bodies = self.scene.bodies.iter();
        let place = bodies.filter(|body| body.index == part.body).map(|body| &body.place).next();
        let message = format!("body {} ({}): {error}", part.body, part.name);
        match place {
            Some(place) => OpenFileError::File(place.error(message, None)),
            None => OpenFileError::Build { file: String::new(), what: part.name.clone(), reason: message },
        }
    }

    /// Names the bodies that cross or touch before anything has moved.
    fn start_overlaps(&self, stage: &Stage) -> Vec<String> {
        let Ok(mut judge) = Judge::new(&stage.world) else { return Vec::new() };
        let poses: Vec<Pose> = judge.bodies().filter_map(|body| stage.world.pose(body).ok()).collect();
        let name = |body: usize| self.parts.get(body).map_or("?", |part| part.name.as_str());
        let crossings = judge.crossings(&poses, |_| true);
        crossings
            .iter()
            .map(|crossing| {
                let [a, b] = crossing.bodies.map(name);
                format!("{a} and {b} overlap or touch at the start")
            })
            .collect()
    }
}

/// Meshes that were read, so that a hundred links of a chain share one.
#[derive(Default)]
struct Meshes {
    files: Vec<(PathBuf, Arc<PolygonSoup>)>,
    /// By file, factor and piece.
    shapes: Vec<(Arc<PolygonSoup>, DVec3, usize, Arc<TriangleMesh>)>,
}

impl Meshes {
    fn soup(&mut self, body: &RigidIpcBody, scene_file: &Path) -> Result<Arc<PolygonSoup>, SceneFileError> {
        let wrong = |reason: String, help: Option<&str>| {
            body.place.error(format!("body {}: {reason}", body.index), help.map(ToOwned::to_owned))
        };
        let name = match &body.mesh {
            RigidIpcMesh::File(name) => name,
            RigidIpcMesh::Inline { positions, triangles } => {
                let soup = PolygonSoup::from_triangles(positions.clone(), triangles);
                return soup.map(Arc::new).map_err(|error| wrong(error.to_string(), None));
            }
        };
        let Some(path) = body.mesh_file(scene_file) else {
            let help =
                "it was looked for beside the scene file and in the folders 'meshes' of all folders above";
            return Err(wrong(format!("there is no mesh '{name}'"), Some(help)));
        };
        if let Some((_, soup)) = self.files.iter().find(|(known, _)| *known == path) {
            return Ok(soup.clone());
        }
        let only = Some("only bodies of triangles can be run");
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj")) {
            let text = crate::file::read_regular(&path)
                .map_err(|error| wrong(format!("'{name}': {error}"), None))?;
            if let Some(loose) = loose_element(&String::from_utf8_lossy(&text)) {
                return Err(wrong(format!("the mesh '{name}' has {loose}"), only));
            }
        }
        let soup = read_model(&path, &ReadOptions::default())
            .map_err(|error| wrong(error.to_string(), None))?
            .flattened()
            .map_err(|error| wrong(format!("'{name}': {error}"), None))?;
        if soup.face_count() == 0 {
            return Err(wrong(format!("the mesh '{name}' has no faces"), only));
        }
        let soup = Arc::new(soup);
        self.files.push((path, soup.clone()));
        Ok(soup)
    }

    /// The mesh at a scale, or its connected pieces.
    fn shapes(
        &mut self,
        soup: &Arc<PolygonSoup>,
        scale: DVec3,
        split: bool,
        oriented: &mut usize,
    ) -> Result<Vec<Arc<TriangleMesh>>, String> {
        // Piece 0 is the whole, so that a mesh may be used both ways.
        let first = usize::from(split);
        let known: Vec<_> = self
            .shapes
            .iter()
            .filter(|(source, factor, piece, _)| {
                Arc::ptr_eq(source, soup) && *factor == scale && (*piece > 0) == split
            })
            .map(|(.., shape)| shape.clone())
            .collect();
        if !known.is_empty() {
            return Ok(known);
        }
        let scaled = soup.transformed(&DAffine3::from_scale(scale)).map_err(|error| error.to_string())?;
        let mesh = Mesh::from_soup(&scaled, &MeshOptions::default()).map_err(|error| error.to_string())?;
        let meshes = if split { pieces(&mesh)? } else { vec![mesh] };
        let mut shapes = Vec::new();
        for (piece, mesh) in meshes.into_iter().enumerate() {
            let shape = outward(mesh, oriented)?;
            self.shapes.push((soup.clone(), scale, first + piece, shape.clone()));
            shapes.push(shape);
        }
        Ok(shapes)
    }
}

/// Points and lines of an OBJ text that belong to no face, in words.
fn loose_element(text: &str) -> Option<&'static str> {
    let mut used = Vec::new();
    let mut faces = 0_usize;
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => used.push(false),
            Some("l") => return Some("edges without faces"),
            Some("p") => return Some("points without faces"),
            Some("f") => {
                faces += 1;
                for word in words {
                    let index = word.split('/').next().and_then(|index| index.parse::<i64>().ok());
                    let from_end = |index: i64| used.len() as i64 + index;
                    let index = index.map(|index| if index < 0 { from_end(index) } else { index - 1 });
                    // What cannot be an index is the reader's to complain of.
                    if let Some(corner) = index.and_then(|index| used.get_mut(usize::try_from(index).ok()?)) {
                        *corner = true;
                    }
                }
            }
            _ => {}
        }
    }
    match (faces, used.iter().all(|&used| used)) {
        (0, _) => Some("points or edges without faces"),
        (_, false) => Some("points that belong to no face"),
        (_, true) => None,
    }
}

/// Connected by edges, in the order of their first faces.
fn pieces(mesh: &Mesh) -> Result<Vec<Mesh>, String> {
    let components = Components::by_shared_edges(&HalfEdges::new(mesh));
    let piece = |number: usize| {
        let faces = (0..mesh.face_count()).filter(|&face| components.of_face(face) as usize == number);
        let mut soup = PolygonSoup::new();
        let mut numbers = vec![None; mesh.positions().len()];
        for face in faces {
            let mut corners = Vec::new();
            for &corner in mesh.face(face) {
                let known = numbers[corner as usize];
                let number = match known {
                    Some(number) => number,
                    None => {
                        let position = mesh.positions()[corner as usize];
                        soup.push_position(position).map_err(|error| error.to_string())?
                    }
                };
                numbers[corner as usize] = Some(number);
                corners.push(number);
            }
            soup.push_face(&corners).map_err(|error| error.to_string())?;
        }
        Mesh::from_soup(&soup, &MeshOptions::default()).map_err(|error| error.to_string())
    };
    (0..components.count()).map(piece).collect()
}

/// The mesh as a shape; closed pieces that are inside out, and faces that disagree, are turned and counted.
fn outward(mesh: Mesh, turned: &mut usize) -> Result<Arc<TriangleMesh>, String> {
    let half_edges = HalfEdges::new(&mesh);
    let closed = MassProperties::of_mesh(&mesh, &half_edges, Amount::Density(1.0)).is_ok();
    let mesh = if closed {
        mesh
    } else {
        // A surface with one side only stays as it is: it has no inside.
        match mesh.oriented() {
            Ok(oriented) => {
                let half_edges = HalfEdges::new(&oriented.mesh);
                let weighed = MassProperties::of_mesh(&oriented.mesh, &half_edges, Amount::Density(1.0));
                if weighed.is_ok() {
                    *turned += oriented.flipped_faces.len();
                    oriented.mesh
                } else {
                    mesh
                }
            }
            Err(_) => mesh,
        }
    };
    TriangleMesh::new(Arc::new(mesh)).map(Arc::new).map_err(|error| error.to_string())
}

/// By volume if the mesh is closed and holds any, by area otherwise.
fn weigh(shape: &TriangleMesh, density: f64) -> Result<MassProperties, String> {
    let mesh = shape.mesh();
    let amount = Amount::Density(density);
    MassProperties::of_mesh(mesh, &HalfEdges::new(mesh), amount)
        .or_else(|_| MassProperties::of_surface(mesh, amount))
        .map_err(|error| error.to_string())
}

fn parts_of(
    body: &RigidIpcBody,
    soup: &Arc<PolygonSoup>,
    scene: &RigidIpcScene,
    meshes: &mut Meshes,
    notes: &mut Vec<String>,
) -> Result<Vec<Part>, SceneFileError> {
    let wrong = |reason: String| body.place.error(format!("body {}: {reason}", body.index), None);
    let bounds = Aabb::fit(soup.positions()).map_err(|error| wrong(error.to_string()))?;
    let mesh_size = bounds.max - bounds.min;
    let scale = body.scale(mesh_size).ok_or_else(|| {
        let size = body.size;
        wrong(format!("the mesh of the size {mesh_size} m has no extent left with {size:?}"))
    })?;
    let mut turned = 0;
    let shapes = meshes.shapes(soup, scale, body.split, &mut turned).map_err(wrong)?;
    if turned > 0 {
        notes.push(format!("{}: {turned} faces were turned so that all look outward", body.name));
    }
    let filter = filter(body.group).ok_or_else(|| {
        wrong(format!("the scene has more than {MOST_GROUPS} groups, which is as many as can be told apart"))
    })?;
    let count = shapes.len();
    let part = |(piece, shape): (usize, Arc<TriangleMesh>)| {
        let name = if count > 1 { format!("{} part {piece}", body.name) } else { body.name.clone() };
        part(name, body, shape, filter, scene.friction).map_err(wrong)
    };
    shapes.into_iter().enumerate().map(part).collect()
}

/// Bodies of one group do not touch each other; the last bit is for those of no group.
fn filter(group: Option<u32>) -> Option<Filter> {
    match group {
        None => Some(Filter { groups: 1 << MOST_GROUPS, mask: u32::MAX }),
        Some(group) if group < MOST_GROUPS => Some(Filter { groups: 1 << group, mask: !(1 << group) }),
        Some(_) => None,
    }
}

fn part(
    name: String,
    body: &RigidIpcBody,
    shape: Arc<TriangleMesh>,
    filter: Filter,
    friction: f64,
) -> Result<Part, String> {
    let mass = weigh(&shape, body.density)?;
    let placed = Pose::new(body.orientation(), body.position);
    // A world knows no centre of mass of what nothing pushes, but a kinematic body turns about it: its frame is there.
    let kinematic = body.kind == BodyKind::Kinematic;
    let centre = if kinematic { mass.center_of_mass } else { DVec3::ZERO };
    let shape = ShapeDefinition {
        pose: Pose::from_translation(-centre),
        shape: Shape::TriangleMesh(shape),
        density: body.density,
    };
    let definition = BodyDefinition {
        pose: placed * Pose::from_translation(centre),
        velocity: body.velocity,
        kind: body.kind,
        shapes: vec![shape],
        mass: Some(mass),
        material: Material {
            restitution: 0.0,
            static_friction: friction,
            dynamic_friction: friction,
            ..Material::default()
        },
        filter,
        locked: body.locked,
        ..BodyDefinition::default()
    };
    let pose = |pose: &RigidIpcPose| Pose::new(pose.rotation() * placed.rotation, pose.position);
    let scripted = kinematic && (body.moves_until.is_some() || !body.poses.is_empty());
    let free = |locked: glam::BVec3, vector: DVec3| DVec3::select(locked, DVec3::ZERO, vector);
    let load = Wrench {
        force: free(body.locked.translation, body.force),
        torque: free(body.locked.rotation, body.torque),
    };
    Ok(Part {
        name,
        definition,
        load: if body.kind == BodyKind::Dynamic { load } else { Wrench::ZERO },
        prescribed: scripted.then(|| (body.poses.iter().map(pose).collect(), body.moves_until)),
        body: body.index,
    })
}

/// What moves fills the view; a scene in which nothing does is shown whole.
fn camera(parts: &[Part]) -> Camera {
    let bounds = |moving: bool| {
        let wanted = parts.iter().filter(|part| !moving || part.definition.kind != BodyKind::Fixed);
        let boxes = wanted.flat_map(|part| {
            part.definition.shapes.iter().map(|shape| shape.shape.aabb(&(part.definition.pose * shape.pose)))
        });
        boxes.reduce(|all, next| all.union(&next))
    };
    let bounds = bounds(true).or_else(|| bounds(false));
    let bounds = bounds.unwrap_or(Aabb { min: DVec3::ZERO, max: DVec3::ONE });
    let target = bounds.center();
    Camera { position: target + VIEW * bounds.diameter(), target }
}

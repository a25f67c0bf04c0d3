//! Named parts from mesh files, as `prall check` and `prall clash` take them.

use super::Failure;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use prall_detection::{AssemblyPart, BuildOptions, Hierarchy, all_triangles};
use prall_geometry::files::{Model, ReadOptions, UpAxis, read_model};
use prall_geometry::{FaceDefect, Mesh, MeshOptions, SelfIntersectingFaces};
use prall_math::Pose;
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the numbers in files are meant.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct FileUnits {
    /// Metres per unit of the mesh files: 0.001 for millimetres
    #[arg(long, default_value_t = 1.0, value_name = "S", allow_negative_numbers = true)]
    scale: f64,
    /// The axis that points up in the mesh files
    #[arg(long, value_enum, default_value_t = Up::Y)]
    up: Up,
    /// Refuse files with a flaw: empty parts, degenerate polygons, polygons that cross themselves, unused values that are
    /// no numbers. Without it they are read, and the flaw is reported
    #[arg(long)]
    pub(super) strict: bool,
}

/// The axis that points up in a file.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum Up {
    /// y, as in Prall
    Y,
    /// z, as in most CAD systems
    Z,
}

impl FileUnits {
    /// A rigid placement that is written in the units and axes of the files, in those of Prall.
    pub(super) fn placement(&self, pose: &Pose) -> Pose {
        let turn = match self.up {
            Up::Y => DQuat::IDENTITY,
            Up::Z => DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
        };
        Pose::new(turn * pose.rotation * turn.conjugate(), turn * (self.scale * pose.translation))
            .normalized()
    }
}

impl From<FileUnits> for ReadOptions {
    fn from(units: FileUnits) -> ReadOptions {
        let up = match units.up {
            Up::Y => UpAxis::Y,
            Up::Z => UpAxis::Z,
        };
        ReadOptions { scale: units.scale, up }
    }
}

/// A part by name, in the coordinates of its file.
pub(super) struct NamedPart {
    pub(super) name: String,
    pub(super) mesh: Arc<Mesh>,
    pub(super) tree: Hierarchy,
}

/// A mesh by name, and where it is.
struct PlacedMesh {
    name: String,
    mesh: Arc<Mesh>,
    pose: Pose,
}

/// The threads that a question is answered on: all that the machine has.
pub(super) fn threads() -> Result<rayon::ThreadPool, Failure> {
    Ok(rayon::ThreadPoolBuilder::new().build()?)
}

/// Reads all parts of files, and builds what comparisons need on the threads of a pool. A nameless part is called like its file;
/// of names that occur again, in the same file or another, the later ones get a number added.
pub(super) fn read_parts(
    files: &[PathBuf],
    units: FileUnits,
    pool: &rayon::ThreadPool,
) -> Result<Vec<NamedPart>, Failure> {
    let meshes = read_named_meshes(files, units, CROSSING)?;
    pool.install(|| {
        let part = |(name, mesh): (String, Arc<Mesh>)| {
            let tree = Hierarchy::build_in(pool, &all_triangles(&mesh), &BuildOptions::default())
                .map_err(|error| format!("part '{name}': {error}"))?;
            Ok(NamedPart { name, mesh, tree })
        };
        meshes.into_par_iter().map(part).collect()
    })
}

/// A polygon that crosses itself counts with the triangles between its corners, which hold all that it can mean.
const CROSSING: SelfIntersectingFaces = SelfIntersectingFaces::LeaveOut;

/// Reads all parts of files by name, as [`read_parts`] names them. A part that is placed several times is examined once, and has one tree.
pub(super) fn read_assembly(
    files: &[PathBuf],
    units: FileUnits,
    pool: &rayon::ThreadPool,
) -> Result<Vec<(String, AssemblyPart)>, Failure> {
    let mut placed: Vec<PlacedMesh> = Vec::new();
    for file in files {
        placed.extend(read_meshes(file, units, CROSSING, true)?);
    }
    let mut numbers: HashMap<*const Mesh, usize> = HashMap::new();
    let mut different: Vec<(&str, &Arc<Mesh>)> = Vec::new();
    for PlacedMesh { name, mesh, .. } in &placed {
        numbers.entry(Arc::as_ptr(mesh)).or_insert_with(|| {
            different.push((name, mesh));
            different.len() - 1
        });
    }
    let part = |(name, mesh): (&str, &Arc<Mesh>)| {
        AssemblyPart::new_in(pool, Arc::clone(mesh)).map_err(|error| format!("part '{name}': {error}"))
    };
    let parts: Vec<AssemblyPart> =
        pool.install(|| different.into_par_iter().map(part).collect::<Result<_, _>>())?;
    let mut taken = HashMap::new();
    let place = |PlacedMesh { name, mesh, pose }| {
        let part = &parts[numbers[&Arc::as_ptr(&mesh)]];
        let part = if pose == Pose::IDENTITY { part.clone() } else { part.placed(pose) };
        (unused(name, &mut taken), part)
    };
    Ok(placed.into_iter().map(place).collect())
}

/// The meshes of files by name, as [`read_parts`] names them.
pub(super) fn read_named_meshes(
    files: &[PathBuf],
    units: FileUnits,
    crossing: SelfIntersectingFaces,
) -> Result<Vec<(String, Arc<Mesh>)>, Failure> {
    let mut meshes: Vec<(String, Arc<Mesh>)> = Vec::new();
    let mut taken: HashMap<String, usize> = HashMap::new();
    for file in files {
        for PlacedMesh { name, mesh, .. } in read_meshes(file, units, crossing, false)? {
            meshes.push((unused(name, &mut taken), mesh));
        }
    }
    Ok(meshes)
}

/// Most faces of all placed parts of a file; instances count as often as they are placed. Their trees take some 4 GB.
pub(super) const MAX_PLACED_FACES: usize = 10_000_000;

/// Says what is wrong with a file that can be read all the same, or refuses it.
fn report_flaws(file: &Path, flaws: &[String], strict: bool) -> Result<(), Failure> {
    match flaws.first() {
        Some(flaw) if strict => {
            Err(format!("{}: {flaw}; without --strict the file is read all the same", file.display()).into())
        }
        _ => {
            for flaw in flaws {
                eprintln!("prall: {}: {flaw}", file.display());
            }
            Ok(())
        }
    }
}

/// What is wrong with polygons, in the words of `prall mesh`.
pub(super) fn polygon_flaws(crossing: usize, degenerate: usize) -> Vec<String> {
    let sentence = |(count, one, many): (usize, &str, &str)| match count {
        0 => None,
        1 => Some(format!("1 polygon {one}")),
        _ => Some(format!("{count} polygons {many}")),
    };
    [(crossing, "crosses itself", "cross themselves"), (degenerate, "is degenerate", "are degenerate")]
        .into_iter()
        .filter_map(sentence)
        .collect()
}

/// The parts of a file. If `shared`, a part that is placed several times without being stretched or mirrored has one mesh for all of its places; otherwise
/// each has its own, in the coordinates of the file.
fn read_meshes(
    file: &Path,
    units: FileUnits,
    crossing: SelfIntersectingFaces,
    shared: bool,
) -> Result<Vec<PlacedMesh>, Failure> {
    let model = read_model(file, &units.into())?;
    if model.placed_faces() > MAX_PLACED_FACES {
        let message = format!(
            "{}: its parts have {} faces as they are placed, and {MAX_PLACED_FACES} are the most; leave some out",
            file.display(),
            model.placed_faces()
        );
        return Err(message.into());
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let options = MeshOptions { self_intersecting: crossing, ..MeshOptions::default() };
    let meshes = placed_meshes(&model, &options, &stem, shared)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let mut flaws = model.flaws().to_vec();
    let polygons = meshes.iter().flat_map(|part| part.mesh.degenerate_faces());
    let (crossing, degenerate): (Vec<_>, Vec<_>) =
        polygons.partition(|face| face.defect == FaceDefect::SelfIntersecting);
    flaws.extend(polygon_flaws(crossing.len(), degenerate.len()));
    report_flaws(file, &flaws, units.strict)?;
    Ok(meshes)
}

/// The parts of a model; those without a name have that of the file.
fn placed_meshes(
    model: &Model,
    options: &MeshOptions,
    stem: &str,
    shared: bool,
) -> Result<Vec<PlacedMesh>, Failure> {
    let mut meshes = Vec::new();
    let mut places = places(model);
    if !shared {
        places.iter_mut().for_each(|place| place.similar = None);
    }
    let mut uses: HashMap<Shared, (usize, Option<Arc<Mesh>>)> = HashMap::new();
    for place in &places {
        let Some(key) = place.key(model) else { continue };
        uses.entry(key).or_default().0 += 1;
    }
    for place in &places {
        let node = &model.nodes()[place.node];
        let name = if node.name.is_empty() { stem.to_owned() } else { node.name.clone() };
        let build = |transform: &DAffine3| -> Result<Option<Arc<Mesh>>, Failure> {
            let soup = model.part(place.node, transform)?.soup;
            // The model has said that it is empty.
            if soup.face_count() == 0 {
                return Ok(None);
            }
            let mesh = Mesh::from_soup(&soup, options).map_err(|error| format!("part '{name}': {error}"))?;
            Ok(Some(Arc::new(mesh)))
        };
        let several = place.key(model).and_then(|key| uses.get_mut(&key)).filter(|(count, _)| *count > 1);
        let (mesh, pose) = match (several, place.similar) {
            (Some((_, known)), Some((scale, pose))) => {
                if known.is_none() {
                    *known = build(&DAffine3::from_scale(DVec3::splat(scale)))?;
                }
                (known.clone(), pose)
            }
            _ => (build(&place.world)?, Pose::IDENTITY),
        };
        meshes.extend(mesh.map(|mesh| PlacedMesh { name, mesh, pose }));
    }
    Ok(meshes)
}

/// A node with geometry, and where it is.
struct Place {
    node: usize,
    world: DAffine3,
    /// The place as a scale for all axes and a rigid placement; none if it stretches or mirrors.
    similar: Option<(f64, Pose)>,
}

/// What places of one mesh have in common: soups, and the bits of a scale.
type Shared<'model> = (&'model [usize], u64);

impl Place {
    fn key<'model>(&self, model: &'model Model) -> Option<Shared<'model>> {
        self.similar.map(|(scale, _)| (model.nodes()[self.node].soups.as_slice(), scale.to_bits()))
    }
}

fn places(model: &Model) -> Vec<Place> {
    let worlds = model.world_transforms().into_iter().enumerate();
    let with_geometry = worlds.filter(|(node, _)| !model.nodes()[*node].soups.is_empty());
    with_geometry.map(|(node, world)| Place { node, world, similar: similar(&world) }).collect()
}

/// Relative error of axes that are of one length and perpendicular.
const ROUNDING: f64 = 1e-14;

/// A transform as a scale for all axes and a rigid placement; none if it stretches or mirrors.
fn similar(transform: &DAffine3) -> Option<(f64, Pose)> {
    let [x, y, z] = [transform.matrix3.x_axis, transform.matrix3.y_axis, transform.matrix3.z_axis];
    let measured = x.length();
    // The same scale in other directions is rounded otherwise: the last five bits do not count.
    let scale = f64::from_bits((measured.to_bits() + 16) & !31);
    let even = [y, z].iter().all(|axis| (axis.length() - measured).abs() <= ROUNDING * measured);
    let square = [x.dot(y), y.dot(z), z.dot(x)].iter().all(|dot| dot.abs() <= ROUNDING * measured * measured);
    if !(measured.is_normal() && even && square && x.cross(y).dot(z) > 0.0) {
        return None;
    }
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x / measured, y / measured, z / measured));
    let pose = Pose::new(rotation, transform.translation).normalized();
    pose.is_valid().then_some((scale, pose))
}

/// The name, or the name with the first number that nobody has.
fn unused(name: String, taken: &mut HashMap<String, usize>) -> String {
    let mut free = name.clone();
    while taken.contains_key(&free) {
        let number = taken.entry(name.clone()).or_insert(1);
        *number += 1;
        free = format!("{name} ({number})");
    }
    taken.insert(free.clone(), 1);
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_occur_again_are_numbered_and_none_occurs_twice() {
        let mut taken = HashMap::new();
        let given = ["screw", "screw", "screw (2)", "screw", "plate"];
        let names = given.map(|name| unused(name.to_owned(), &mut taken));
        assert_eq!(names, ["screw", "screw (2)", "screw (2) (2)", "screw (3)", "plate"]);
    }

    /// Seven places of a tetrahedron: shifted, turned about skew axes, twice as large, mirrored and stretched. The rigid ones share a mesh and a tree, and all are
    /// where the transforms of the file put them.
    #[test]
    fn places_of_one_part_share_its_mesh() {
        let mut model = prall_geometry::files::Model::new();
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let soup = model.push_soup(prall_geometry::PolygonSoup::from_triangles(corners, &faces).unwrap());
        let turned = |scale: DVec3, angle: f64, at: f64| {
            let rotation = DQuat::from_axis_angle(DVec3::new(0.36, 0.48, 0.8), angle);
            DAffine3::from_scale_rotation_translation(scale, rotation, DVec3::X * at)
        };
        let ones = DVec3::ONE;
        let places = [
            (turned(ones, 0.0, 0.0), 0),
            (turned(ones, 0.3, 3.0), 0),
            (turned(ones, 2.1, 6.0), 0),
            (turned(2.0 * ones, 0.4, 12.0), 1),
            (turned(2.0 * ones, 1.1, 18.0), 1),
            (turned(DVec3::new(1.0, 1.0, -1.0), 0.3, 24.0), 2),
            (turned(DVec3::new(1.0, 2.0, 1.0), 0.3, 30.0), 3),
        ];
        for (number, (transform, _)) in places.iter().enumerate() {
            let (name, transform) = (number.to_string(), *transform);
            let node = prall_geometry::files::Node { name, parent: None, transform, soups: vec![soup] };
            model.push_node(node).unwrap();
        }
        let meshes = placed_meshes(&model, &MeshOptions::default(), "file", true).unwrap();
        for (a, (part, (transform, group))) in meshes.iter().zip(&places).enumerate() {
            for (other, (_, other_group)) in meshes.iter().zip(&places) {
                assert_eq!(Arc::ptr_eq(&part.mesh, &other.mesh), group == other_group, "{a}");
            }
            for corner in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
                let wanted = transform.transform_point3(corner);
                let own = part.mesh.positions().iter().map(|point| part.pose.transform_point(*point));
                let nearest = own.map(|point| point.distance(wanted)).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-13, "{a}: {nearest}");
            }
        }
        let apart = placed_meshes(&model, &MeshOptions::default(), "file", false).unwrap();
        assert!(apart.iter().all(|part| part.pose == Pose::IDENTITY));
    }
}

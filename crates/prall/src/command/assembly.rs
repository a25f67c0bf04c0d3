//! Named parts from mesh files, as `prall check` and `prall clash` take them.

use super::Failure;
use glam::DQuat;
use prall_detection::AssemblyPart;
use prall_geometry::files::{ReadOptions, UpAxis, read_model};
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

/// A part by name.
pub(super) struct NamedPart {
    pub(super) name: String,
    pub(super) mesh: Arc<Mesh>,
    pub(super) part: AssemblyPart,
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
    // A polygon that crosses itself counts with the triangles between its corners, which hold all that it can mean.
    let meshes = read_named_meshes(files, units, SelfIntersectingFaces::LeaveOut)?;
    pool.install(|| {
        let part = |(name, mesh): (String, Arc<Mesh>)| {
            let part = AssemblyPart::new_in(pool, Arc::clone(&mesh))
                .map_err(|error| format!("part '{name}': {error}"))?;
            Ok(NamedPart { name, mesh, part })
        };
        meshes.into_par_iter().map(part).collect()
    })
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
        for (name, mesh) in read_meshes(file, units, crossing)? {
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

fn read_meshes(
    file: &Path,
    units: FileUnits,
    crossing: SelfIntersectingFaces,
) -> Result<Vec<(String, Arc<Mesh>)>, Failure> {
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
    let mut meshes = Vec::new();
    for part in model.parts() {
        let part = part?;
        // The model has said that it is empty.
        if part.soup.face_count() == 0 {
            continue;
        }
        let name = if part.name.is_empty() { stem.clone().into_owned() } else { part.name.to_owned() };
        let mesh = Mesh::from_soup(&part.soup, &options)
            .map_err(|error| format!("{}: part '{name}': {error}", file.display()))?;
        meshes.push((name, Arc::new(mesh)));
    }
    let mut flaws = model.flaws().to_vec();
    let polygons = meshes.iter().flat_map(|(_, mesh)| mesh.degenerate_faces());
    let (crossing, degenerate): (Vec<_>, Vec<_>) =
        polygons.partition(|face| face.defect == FaceDefect::SelfIntersecting);
    flaws.extend(polygon_flaws(crossing.len(), degenerate.len()));
    report_flaws(file, &flaws, units.strict)?;
    Ok(meshes)
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
}

//! Named parts from mesh files, as `prall check` and `prall clash` take them.

use super::Failure;
use glam::DQuat;
use prall_detection::AssemblyPart;
use prall_geometry::files::{ReadOptions, UpAxis, read_model};
use prall_geometry::{Mesh, MeshOptions, SelfIntersectingFaces};
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
    let meshes = read_named_meshes(files, units)?;
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
) -> Result<Vec<(String, Arc<Mesh>)>, Failure> {
    let mut meshes: Vec<(String, Arc<Mesh>)> = Vec::new();
    let mut taken: HashMap<String, usize> = HashMap::new();
    for file in files {
        for (name, mesh) in read_meshes(file, units)? {
            meshes.push((unused(name, &mut taken), mesh));
        }
    }
    Ok(meshes)
}

fn read_meshes(file: &Path, units: FileUnits) -> Result<Vec<(String, Arc<Mesh>)>, Failure> {
    let model = read_model(file, &units.into())?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    // Nothing is left out silently: a path would be called free that is not.
    let options = MeshOptions { self_intersecting: SelfIntersectingFaces::Refuse, ..MeshOptions::default() };
    let mut meshes = Vec::new();
    for part in model.parts() {
        let part = part?;
        let name = if part.name.is_empty() { stem.clone().into_owned() } else { part.name.to_owned() };
        let mesh = Mesh::from_soup(&part.soup, &options)
            .map_err(|error| format!("{}: part '{name}': {error}", file.display()))?;
        meshes.push((name, Arc::new(mesh)));
    }
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

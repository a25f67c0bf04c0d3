//! Named parts from mesh files, as `prall check` and `prall clash` take them.

use super::Failure;
use prall_detection::AssemblyPart;
use prall_geometry::files::{ReadOptions, UpAxis, read_model};
use prall_geometry::{Mesh, MeshOptions, SelfIntersectingFaces};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the numbers in files are meant.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct FileUnits {
    /// Metres per unit of the files: 0.001 for millimetres
    #[arg(long, default_value_t = 1.0, value_name = "S", allow_negative_numbers = true)]
    scale: f64,
    /// The axis that points up in the files
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

/// Reads all parts of files. A nameless part is called like its file; names that occur in several files, or several
/// times in one, get the file or a number added.
pub(super) fn read_parts(files: &[PathBuf], units: FileUnits) -> Result<Vec<NamedPart>, Failure> {
    let mut parts: Vec<NamedPart> = Vec::new();
    for file in files {
        for (name, mesh) in read_meshes(file, units)? {
            let part =
                AssemblyPart::new(Arc::clone(&mesh)).map_err(|error| format!("part '{name}': {error}"))?;
            let name = unused(name, &parts);
            parts.push(NamedPart { name, mesh, part });
        }
    }
    Ok(parts)
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

fn unused(name: String, parts: &[NamedPart]) -> String {
    let taken = |name: &str| parts.iter().any(|part| part.name == name);
    if !taken(&name) {
        return name;
    }
    (2..).map(|number| format!("{name} ({number})")).find(|name| !taken(name)).unwrap_or(name)
}

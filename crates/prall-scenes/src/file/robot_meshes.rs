//! The mesh files of a robot: found, or left out where a person allowed it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::package::MeshFinder;
use super::{SceneDescription, ShapeDescription};

/// How strictly robots are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotOptions {
    /// Everything that would be noted about a robot is an error. Default false.
    pub strict: bool,
    /// A mesh that is nowhere leaves its link without that shape, which is noted, instead of being an error. Default false.
    pub without_missing_meshes: bool,
}

static OPTIONS: Mutex<RobotOptions> =
    Mutex::new(RobotOptions { strict: false, without_missing_meshes: false });

/// Says how robots are read from now on.
pub fn set_robot_options(options: RobotOptions) {
    *OPTIONS.lock().unwrap_or_else(PoisonError::into_inner) = options;
}

/// How robots are read.
pub(crate) fn robot_options() -> RobotOptions {
    *OPTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mesh of a robot that is not there.
pub(crate) struct Missing {
    /// Its name in the scene.
    pub(crate) mesh: String,
    /// The file, as the robot names it.
    pub(crate) file: String,
    /// Where it was looked for, and what else is missing.
    pub(crate) message: String,
}

/// The file of every mesh of a robot in a folder, by the mesh's name. What is not where the robot says is noted; so are, if they may be missing, meshes that
/// are left out with their shapes.
pub(crate) fn robot_meshes(
    robot: &mut SceneDescription,
    folder: &Path,
) -> Result<BTreeMap<String, PathBuf>, Missing> {
    let mut finder = MeshFinder::new(folder);
    let mut found = BTreeMap::new();
    let mut left_out = Vec::new();
    let mut missing: Vec<Missing> = Vec::new();
    for (name, mesh) in &robot.meshes {
        let lost = match finder.find(&mesh.file) {
            Ok(file) if is_pointer(&file.path) => {
                let file = file.path.display();
                (format!("{file} is a pointer of Git LFS, not the mesh; fetch it: git lfs pull"), false)
            }
            Ok(file) => {
                robot.notes.extend(file.note);
                found.insert(name.clone(), file.path);
                continue;
            }
            Err(lost) => (lost.message, lost.ambiguous),
        };
        let (message, ambiguous) = lost;
        if robot_options().without_missing_meshes && !ambiguous {
            robot.notes.push(format!("mesh '{name}': {message}; its shapes are left out"));
            left_out.push(name.clone());
        } else {
            missing.push(Missing { mesh: name.clone(), file: mesh.file.clone(), message });
        }
    }
    if !missing.is_empty() {
        return Err(all_of(missing));
    }
    for name in left_out {
        robot.meshes.remove(&name);
        let of_it =
            |shape: &ShapeDescription| matches!(shape, ShapeDescription::Mesh { name: own } if *own == name);
        for body in &mut robot.bodies {
            body.shapes.retain(|placed| !of_it(placed.shape.get_ref()));
        }
    }
    Ok(found)
}

/// How many of the other meshes that are missing are named.
const NAMED: usize = 3;

/// One message for all that is missing.
fn all_of(mut missing: Vec<Missing>) -> Missing {
    let mut first = missing.remove(0);
    if !missing.is_empty() {
        let named: Vec<&str> = missing.iter().take(NAMED).map(|other| other.file.as_str()).collect();
        let more = if missing.len() > NAMED { " and others" } else { "" };
        first.message += &format!("; {} more are missing: {}{more}", missing.len(), named.join(", "));
    }
    first.message += "; --without-missing-meshes reads the robot without";
    first
}

/// True for the few lines that Git LFS puts in place of a large file.
fn is_pointer(path: &Path) -> bool {
    let mut start = [0; 24];
    let read =
        std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    read.is_ok() && &start == b"version https://git-lfs."
}

//! The mesh files of a robot: those that are there are found, those that are not are left out, which is noted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::package::{MeshFinder, package_of};
use super::{SceneDescription, ShapeDescription};

/// How strictly robots are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotOptions {
    /// Everything that would be noted about a robot is an error. Default false.
    pub strict: bool,
}

static OPTIONS: Mutex<RobotOptions> = Mutex::new(RobotOptions { strict: false });

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
    /// Where it was looked for; from [`robot_meshes`] also what else is missing.
    pub(crate) message: String,
}

/// The file of every mesh of a robot in a folder, by the mesh's name. What is not where the robot says is noted. Meshes that are nowhere are left out with
/// their shapes, and noted with the links that lose them; the error is for strict readers.
pub(crate) fn robot_meshes(
    robot: &mut SceneDescription,
    folder: &Path,
) -> Result<BTreeMap<String, PathBuf>, Missing> {
    let mut finder = MeshFinder::new(folder);
    let mut found = BTreeMap::new();
    let mut missing: Vec<Missing> = Vec::new();
    for (name, mesh) in &robot.meshes {
        let message = match finder.find(&mesh.file) {
            Ok(file) if is_pointer(&file.path) => {
                let file = file.path.display();
                format!("{file} is a pointer of Git LFS, not the mesh; fetch it: git lfs pull")
            }
            Ok(file) => {
                robot.notes.extend(file.note);
                found.insert(name.clone(), file.path);
                continue;
            }
            Err(message) => message,
        };
        missing.push(Missing { mesh: name.clone(), file: mesh.file.clone(), message });
    }
    if missing.is_empty() {
        return Ok(found);
    }
    if robot_options().strict {
        return Err(all_of(missing));
    }
    let files: BTreeSet<&str> = robot.meshes.values().map(|mesh| mesh.file.as_str()).collect();
    let count = files.len();
    let lacking = leave_out(robot, &missing);
    robot.notes.push(note(&missing, count, &lacking));
    robot.missing_meshes += missing.len();
    Ok(found)
}

/// Links that have lost shapes with their meshes.
#[derive(Default)]
struct Lacking {
    /// They have no shape left.
    bare: Vec<String>,
    /// They have others.
    partly: Vec<String>,
    /// No link of the robot has a shape left.
    all: bool,
}

/// Takes meshes and their shapes out of a robot. Links without any shape are drawn as rods.
fn leave_out(robot: &mut SceneDescription, missing: &[Missing]) -> Lacking {
    let gone: BTreeSet<&str> = missing.iter().map(|missing| missing.mesh.as_str()).collect();
    let is_gone = |shape: &ShapeDescription| matches!(shape, ShapeDescription::Mesh { name } if gone.contains(name.as_str()));
    let mut lacking = Lacking::default();
    for body in &mut robot.bodies {
        let before = body.shapes.len();
        body.shapes.retain(|placed| !is_gone(placed.shape.get_ref()));
        if body.shapes.len() < before {
            let links = if body.shapes.is_empty() { &mut lacking.bare } else { &mut lacking.partly };
            links.push(body.name.get_ref().clone());
        }
    }
    robot.meshes.retain(|name, _| !gone.contains(name.as_str()));
    lacking.all = robot.bodies.iter().all(|body| body.shapes.is_empty());
    if lacking.all {
        robot.draw_all_as_rods();
    } else {
        robot.rods.extend(lacking.bare.iter().cloned());
    }
    lacking
}

/// How many of what is missing or lacks something are named.
const NAMED: usize = 3;

/// The first of a list of names, and how many more there are.
fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let named: Vec<String> = names.take(NAMED).map(|name| format!("'{name}'")).collect();
    let named = named.join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// What is missing of `count` mesh files, what that does to the robot, and where it was looked for.
fn note(missing: &[Missing], count: usize, lacking: &Lacking) -> String {
    let mut files: Vec<&str> = Vec::new();
    let mut looked: Vec<&str> = Vec::new();
    let mut packages: Vec<&str> = Vec::new();
    for Missing { file, message, .. } in missing {
        if !files.contains(&file.as_str()) {
            files.push(file);
        }
        // Where one file of a package was looked for, the others were looked for too.
        let package = package_of(file);
        if looked.len() < NAMED
            && !looked.contains(&message.as_str())
            && package.is_none_or(|package| !packages.contains(&package))
        {
            looked.push(message);
        }
        packages.extend(package.filter(|package| !packages.contains(package)));
    }
    let mut effects = Vec::new();
    if lacking.all {
        effects.push("no link has a collision shape, so the robot touches nothing and is drawn as rods from joint to joint".to_owned());
    } else if !lacking.bare.is_empty() {
        let links = some_of(lacking.bare.iter().map(String::as_str));
        effects.push(format!("without a collision shape, and drawn as rods: {links}"));
    }
    if !lacking.partly.is_empty() {
        let links = some_of(lacking.partly.iter().map(String::as_str));
        effects.push(format!("without some of their collision shapes: {links}"));
    }
    let (lost, effects, looked) = (files.len(), effects.join("; "), looked.join("; "));
    let names = some_of(files.into_iter());
    format!("{lost} of {count} mesh files are not there: {names}; {effects}; {looked}")
}

/// One message for all that is missing.
fn all_of(mut missing: Vec<Missing>) -> Missing {
    let mut first = missing.remove(0);
    if !missing.is_empty() {
        let named: Vec<&str> = missing.iter().take(NAMED).map(|other| other.file.as_str()).collect();
        let more = if missing.len() > NAMED { " and others" } else { "" };
        first.message += &format!("; {} more are missing: {}{more}", missing.len(), named.join(", "));
    }
    first.message += "; without --strict the robot is read without them";
    first
}

/// True for the few lines that Git LFS puts in place of a large file.
fn is_pointer(path: &Path) -> bool {
    let mut start = [0; 24];
    let read =
        std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    read.is_ok() && &start == b"version https://git-lfs."
}

//! Where the meshes of robots are: robots name them by packages of ROS, which lie anywhere.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::nearby::{Nearby, Search};
use super::read_regular;

/// Packages that a person has named.
static DECLARED: Mutex<Vec<(String, PathBuf)>> = Mutex::new(Vec::new());

/// Says where a package is, before anything is read: it is looked for there first.
pub fn declare_package(name: &str, folder: impl Into<PathBuf>) {
    DECLARED.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), folder.into()));
}

/// A mesh file that was found.
pub(crate) struct FoundMesh {
    pub(crate) path: PathBuf,
    /// What a person should know if it is not where the robot says.
    pub(crate) note: Option<String>,
}

/// Finds the meshes of a robot in a folder.
pub(crate) struct MeshFinder<'a> {
    folder: &'a Path,
    nearby: Nearby,
}

impl<'a> MeshFinder<'a> {
    pub(crate) fn new(folder: &'a Path) -> MeshFinder<'a> {
        MeshFinder { folder, nearby: Nearby::of(folder) }
    }

    /// The file that the robot means by `package://NAME/PATH`, `model://NAME/PATH`, `file://PATH` or a path. If it is not there, the only file of its name
    /// near the robot is taken, with a note. The error says where it was looked for.
    pub(crate) fn find(&mut self, named: &str) -> Result<FoundMesh, String> {
        let missing = match find(self.folder, named) {
            Ok(path) if path.is_file() => return Ok(FoundMesh { path, note: None }),
            Ok(path) => format!("{}: No such file", path.display()),
            Err(message) => message,
        };
        let slashes = named.replace('\\', "/");
        let path = slashes.split_once("://").map_or(slashes.as_str(), |(_, path)| path);
        match self.nearby.search(Path::new(path)) {
            Search::One(path) => {
                let note = format!("mesh '{named}' is not there; {} of that name is taken", path.display());
                Ok(FoundMesh { path, note: Some(note) })
            }
            Search::Several(paths) => {
                let list: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                Err(format!(
                    "{named} is not there, and several files of its name are near: {}; write which is meant",
                    list.join(", ")
                ))
            }
            Search::None => Err(missing),
            Search::TooMany(most) => {
                Err(format!("{missing}; near it are more than {most} files, which were not searched"))
            }
        }
    }
}

/// The package of ROS that a mesh's name begins with.
pub(super) fn package_of(named: &str) -> Option<&str> {
    let (scheme, rest) = named.split_once("://")?;
    if matches!(scheme, "file" | "http" | "https") {
        return None;
    }
    rest.trim_start_matches('/').split_once('/').map(|(package, _)| package)
}

/// The file that a scene in `folder` means by a name. The error says where it was looked for.
pub(crate) fn find(folder: &Path, named: &str) -> Result<PathBuf, String> {
    let slashes = named.replace('\\', "/");
    // A name may hold a backslash where paths are written with slashes.
    let named = if folder.join(named).is_file() { named } else { &slashes };
    let Some((scheme, rest)) = named.split_once("://") else {
        let path = folder.join(named);
        return Ok(match path.is_file() {
            true => path,
            // Who reads the file says that it is not there.
            false => beside(folder, named, "").unwrap_or(path),
        });
    };
    if scheme == "file" {
        return Ok(folder.join(rest));
    }
    if matches!(scheme, "http" | "https") {
        return Err(
            "No such file: nothing is fetched from servers; download it, and name the file".to_owned()
        );
    }
    // Some write three slashes.
    let rest = rest.trim_start_matches('/');
    let (name, inside) = rest.split_once('/').unwrap_or((rest, ""));
    let roots = if inside.is_empty() { Vec::new() } else { roots(folder, name) };
    if let Some(found) = roots.iter().map(|root| root.join(inside)).find(|path| path.is_file()) {
        return Ok(found);
    }
    if let Some(found) = beside(folder, rest, inside) {
        return Ok(found);
    }
    if inside.is_empty() {
        return Err(format!("No such file: write it as {scheme}://NAME/PATH"));
    }
    let looked = match &roots[..] {
        [] => "no folder of that name, or with a package.xml of that name, is beside the file, above it, in ROS_PACKAGE_PATH or in AMENT_PREFIX_PATH".to_owned(),
        roots => {
            let list: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
            format!("it has no '{inside}' in {}", list.join(", "))
        }
    };
    Err(format!("package '{name}': {looked}; say where it is with --package {name}=DIR"))
}

/// How many folders are searched for a file that is not where it should be: the robot's own and those above it.
pub(super) const NEAR: usize = 4;

/// The file in or above the robot's folder, with or without its package: robots are passed on in a folder with their meshes, and go on naming the package
/// that they were part of. Where file names do not depend on case, robots are made whose `.STL` is an `.stl` elsewhere.
fn beside(folder: &Path, rest: &str, inside: &str) -> Option<PathBuf> {
    let start = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let named = [rest, inside].into_iter().filter(|path| !path.is_empty());
    let places = start.ancestors().take(NEAR).flat_map(|above| named.clone().map(|path| above.join(path)));
    let places: Vec<PathBuf> = places.collect();
    let exact = places.iter().find(|path| path.is_file()).cloned();
    exact.or_else(|| places.iter().find_map(|path| in_other_case(path)))
}

/// The only file of a folder whose name differs from a path's in nothing but case.
fn in_other_case(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let entries = std::fs::read_dir(path.parent()?).ok()?;
    let mut same = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().is_some_and(|other| other.eq_ignore_ascii_case(name)));
    let (first, second) = (same.next()?, same.next());
    second.is_none().then(|| first.path()).filter(|path| path.is_file())
}

/// Folders that may be the package: those that were declared, then upwards from the robot's folder, then those of ROS.
fn roots(folder: &Path, name: &str) -> Vec<PathBuf> {
    let declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut roots: Vec<PathBuf> =
        declared.iter().filter(|(known, _)| known == name).map(|(_, folder)| folder.clone()).collect();
    drop(declared);
    let start = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let listed = |variable: &str| -> Vec<PathBuf> {
        std::env::var_os(variable).map(|list| std::env::split_paths(&list).collect()).unwrap_or_default()
    };
    let mut candidates: Vec<PathBuf> = Vec::new();
    for above in start.ancestors().chain(listed("ROS_PACKAGE_PATH").iter().map(PathBuf::as_path)) {
        candidates.push(above.to_owned());
        candidates.push(above.join(name));
    }
    candidates.extend(listed("AMENT_PREFIX_PATH").iter().map(|prefix| prefix.join("share").join(name)));
    roots.extend(candidates.into_iter().filter(|candidate| is_package(candidate, name)));
    roots
}

/// A folder of that name, or one whose `package.xml` has it.
fn is_package(folder: &Path, name: &str) -> bool {
    if folder.file_name().is_some_and(|own| own == name) {
        return folder.is_dir();
    }
    let Ok(text) = read_regular(&folder.join("package.xml")) else { return false };
    let text = String::from_utf8_lossy(&text);
    let inside = text.split_once("<name>").and_then(|(_, rest)| rest.split_once("</name>"));
    inside.is_some_and(|(own, _)| own.trim() == name)
}

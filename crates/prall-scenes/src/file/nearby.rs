//! [`Nearby`]: files near a robot, by their names. A robot that was copied or packed anew often goes on naming the folders that its meshes were in.
//!
//! The robot's own folder is searched to the bottom, then the folder above it, and so on, until one holds a file of that name. The search does not leave
//! the robot's package, follows no links to folders, and ends after a number of files, so that it never walks a disk.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::package::NEAR;

/// Most files and folders that are looked at.
const MOST: usize = 20_000;

/// Files that stand at the top of a package or of a checkout: what lies above them belongs to somebody else.
const TOP: [&str; 6] = ["package.xml", ".git", "setup.py", "pyproject.toml", "PKG-INFO", "CMakeLists.txt"];

/// What a search found.
pub(super) enum Search {
    None,
    One(PathBuf),
    /// Files that differ, and that fit equally well.
    Several(Vec<PathBuf>),
    /// There were more files than are looked at; how many are.
    TooMany(usize),
}

/// Files by their names in small letters, folder by folder, from the robot's own upwards. Each folder is read when a search comes to it.
pub(super) struct Nearby {
    folders: Vec<PathBuf>,
    read: Vec<HashMap<String, Vec<PathBuf>>>,
    looked_at: usize,
}

impl Nearby {
    /// The folders that are searched for what belongs to a robot in `folder`.
    pub(super) fn of(folder: &Path) -> Nearby {
        let start = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut folders = Vec::new();
        for above in start.ancestors().take(NEAR) {
            // What lies side by side there need not belong together.
            let shared = is_shared(above);
            if shared && !folders.is_empty() {
                break;
            }
            folders.push(above.to_owned());
            if shared || TOP.iter().any(|top| above.join(top).exists()) {
                break;
            }
        }
        Nearby { folders, read: Vec::new(), looked_at: 0 }
    }

    /// The file that agrees with the end of a path in most of its parts, and in its name at least; capitals do not count.
    pub(super) fn search(&mut self, wanted: &Path) -> Search {
        let Some(name) = wanted.file_name().and_then(|name| name.to_str()) else { return Search::None };
        let name = name.to_lowercase();
        for level in 0..self.folders.len() {
            if level == self.read.len() {
                self.read_folder(level);
            }
            let Some(candidates) = self.read[level].get(&name) else { continue };
            let most = candidates.iter().map(|path| agreeing_parts(path, wanted)).max().unwrap_or(0);
            let best = candidates.iter().filter(|path| agreeing_parts(path, wanted) == most);
            let mut different: Vec<PathBuf> = Vec::new();
            for path in best {
                if !different.iter().any(|other| is_same(other, path)) {
                    different.push(path.clone());
                }
            }
            return match different.len() {
                1 => Search::One(different.remove(0)),
                _ => Search::Several(different),
            };
        }
        if self.looked_at > MOST { Search::TooMany(MOST) } else { Search::None }
    }

    /// Everything below a folder but what is below the one that was read before.
    fn read_folder(&mut self, level: usize) {
        let mut files: HashMap<String, Vec<PathBuf>> = HashMap::new();
        let mut waiting = vec![self.folders[level].clone()];
        while let Some(folder) = waiting.pop() {
            // What may not be read holds nothing for us.
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.filter_map(Result::ok) {
                self.looked_at += 1;
                if self.looked_at > MOST {
                    self.read.push(HashMap::new());
                    return;
                }
                let (path, name) = (entry.path(), entry.file_name());
                let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    if level == 0 || path != self.folders[level - 1] {
                        waiting.push(path);
                    }
                } else if path.is_file() {
                    files.entry(name.to_lowercase()).or_default().push(path);
                }
            }
        }
        files.values_mut().for_each(|paths| paths.sort());
        self.read.push(files);
    }
}

/// True for folders in which things lie side by side that have nothing to do with each other: a disk, a home, installed packages of Python.
fn is_shared(folder: &Path) -> bool {
    let common = [std::env::home_dir(), Some(std::env::temp_dir())];
    let installed = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().ends_with(".dist-info");
    folder.parent().is_none()
        || common.iter().flatten().any(|common| folder == common)
        || std::fs::read_dir(folder).is_ok_and(|entries| entries.filter_map(Result::ok).any(installed))
}

/// How many parts two paths share from their ends.
fn agreeing_parts(path: &Path, wanted: &Path) -> usize {
    let parts = |path: &Path| -> Vec<String> {
        let named = path.components().filter_map(|part| match part {
            Component::Normal(name) => name.to_str().map(str::to_lowercase),
            _ => None,
        });
        named.collect()
    };
    parts(path).iter().rev().zip(parts(wanted).iter().rev()).take_while(|(own, other)| own == other).count()
}

/// True if two files hold the same.
fn is_same(a: &Path, b: &Path) -> bool {
    let length = |path: &Path| std::fs::metadata(path).map(|data| data.len()).ok();
    length(a).is_some() && length(a) == length(b) && std::fs::read(a).ok() == std::fs::read(b).ok()
}

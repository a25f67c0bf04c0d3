//! [`Preparation`]: hierarchies on many threads, and kept on disk by their content.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec3;

use super::{BuildOptions, Hierarchy};
use crate::error::HierarchyError;

/// Fewer triangles are built faster than they are read.
const WORTH_KEEPING: usize = 2_000;

/// How the hierarchies of shapes are made: on which threads, and where those of earlier times lie.
///
/// A file is named by its triangles and believed only after all of it has been checked, so a folder may be shared, deleted or damaged; what cannot be
/// read is built, and what cannot be written is not kept. The result is the same bit by bit in every case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preparation<'a> {
    /// None: on the calling thread.
    pub pool: Option<&'a rayon::ThreadPool>,
    /// A folder; it is made if there is none. None: nothing is kept.
    pub folder: Option<&'a Path>,
}

impl Preparation<'_> {
    /// The hierarchy over triangles, read or built.
    pub fn hierarchy(
        &self,
        triangles: &[[DVec3; 3]],
        options: &BuildOptions,
    ) -> Result<Hierarchy, HierarchyError> {
        let folder = self.folder.filter(|_| triangles.len() >= WORTH_KEEPING);
        let file = folder.map(|folder| folder.join(name(triangles, options)));
        let read = file.as_ref().and_then(|file| std::fs::read(file).ok());
        if let Some(hierarchy) = read.and_then(|bytes| Hierarchy::load(&bytes, triangles).ok())
            && hierarchy.leaf_size == options.leaf_size
        {
            return Ok(hierarchy);
        }
        let hierarchy = Hierarchy::build_with(triangles, options, self.pool)?;
        if let Some(file) = file {
            keep(&file, &hierarchy);
        }
        Ok(hierarchy)
    }
}

fn name(triangles: &[[DVec3; 3]], options: &BuildOptions) -> String {
    let hash = super::file::hash_of(triangles);
    format!("{hash:016x}-{}-{}-{}.hierarchy", triangles.len(), options.leaf_size, super::FORMAT_VERSION)
}

/// Writes beside and renames: whoever reads at the same time sees all or nothing.
fn keep(file: &Path, hierarchy: &Hierarchy) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let beside: PathBuf = file.with_extension(format!("{}-{number}.part", std::process::id()));
    let written = file
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(&beside, hierarchy.save()))
        .and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        // Nothing was kept; nothing is left lying about either.
        let _ = std::fs::remove_file(&beside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wavy strip with more triangles than are built in no time.
    fn strip(count: usize, phase: f64) -> Vec<[DVec3; 3]> {
        let point = |i: usize, z: f64| {
            let x = i as f64 * 0.01;
            DVec3::new(x, 0.1 * libm::sin(3.0 * x + phase), z)
        };
        (0..count).map(|i| [point(i, 0.0), point(i + 1, 0.0), point(i, 1.0)]).collect()
    }

    #[test]
    fn hierarchies_are_kept_by_content_and_damage_is_mended() {
        let folder = std::env::temp_dir().join(format!("prall-prepare-{}", std::process::id()));
        let preparation = Preparation { pool: None, folder: Some(&folder) };
        let (one, other) = (strip(3_000, 0.0), strip(3_000, 1e-12));
        let options = BuildOptions::default();
        let plain = Hierarchy::build(&one, &options).unwrap().save();
        assert_eq!(preparation.hierarchy(&one, &options).unwrap().save(), plain);
        preparation.hierarchy(&other, &options).unwrap();
        let files = || -> Vec<PathBuf> {
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect()
        };
        assert_eq!(files().len(), 2, "triangles that differ in a bit are others");
        // What is read is what lies there: the tree with larger leaves under the name of the first is not taken for it.
        let file = folder.join(name(&one, &options));
        assert_eq!(std::fs::read(&file).unwrap(), plain);
        let larger = Hierarchy::build(&one, &BuildOptions { leaf_size: 4 }).unwrap().save();
        for wrong in [&plain[..plain.len() / 2], &larger[..], b"nothing"] {
            std::fs::write(&file, wrong).unwrap();
            assert_eq!(preparation.hierarchy(&one, &options).unwrap().save(), plain);
            assert_eq!(std::fs::read(&file).unwrap(), plain, "mended");
        }
        assert_eq!(files().len(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
        // A folder that cannot be: everything goes on without.
        let file = std::env::temp_dir().join(format!("prall-prepare-file-{}", std::process::id()));
        std::fs::write(&file, "in the way").unwrap();
        let blocked = Preparation { pool: None, folder: Some(&file) };
        assert_eq!(blocked.hierarchy(&one, &options).unwrap().save(), plain);
        std::fs::remove_file(&file).unwrap();
    }
}

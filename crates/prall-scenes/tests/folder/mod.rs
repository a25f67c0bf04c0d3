//! A folder for a test's files.

use std::path::PathBuf;

/// Removed with all that is in it at the end of the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// A new folder; the name tells tests apart that run at the same time.
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("prall-scenes-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Writes a file, with the folders above it, and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

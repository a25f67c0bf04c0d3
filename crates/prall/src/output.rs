//! Files that are there whole or not at all: each is written under a temporary name beside its place and renamed when it is complete.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Writes a file; a full disk leaves what was there before, and no half of the new one. The error names the file.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    write_by(path, |temporary| {
        std::fs::write(temporary, &bytes).map_err(|error| format!("{}: {error}", temporary.display()))
    })
}

/// The same for a writer that is told where to write; the temporary name ends as the path does.
///
/// What is there and no file, such as `/dev/stdout`, is written to directly; a link stays one.
pub(crate) fn write_by<E: Display>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), String> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return write(path).map_err(|error| error.to_string());
    }
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temporary = temporary_name(&place);
    // The person knows the file by its own name.
    let own_name = |message: String| message.replace(&*temporary.to_string_lossy(), &path.to_string_lossy());
    let written = write(&temporary).map_err(|error| own_name(error.to_string())).and_then(|()| {
        std::fs::rename(&temporary, &place).map_err(|error| format!("{}: {error}", path.display()))
    });
    if written.is_err() {
        // What cannot be removed was not there either.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn temporary_name(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut name = format!(".{stem}.partial-{}", std::process::id());
    if let Some(ending) = path.extension() {
        name.push('.');
        name.push_str(&ending.to_string_lossy());
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that gives up in the middle, as on a full disk, leaves the old file and nothing beside it.
    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = std::env::temp_dir().join(format!("prall-output-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("table.md");
        write(&path, "first").unwrap();
        let full = |temporary: &Path| {
            std::fs::write(temporary, "sec").unwrap();
            Err(format!("{}: no space left", temporary.display()))
        };
        assert_eq!(write_by(&path, full).unwrap_err(), format!("{}: no space left", path.display()));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        write(&path, "second").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "second");
        let nowhere = write(&folder.join("none/x.svg"), "").unwrap_err();
        assert!(nowhere.contains("none/x.svg: ") && !nowhere.contains("partial"), "{nowhere}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

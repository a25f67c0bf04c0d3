//! `prall new`.

use super::{Failure, print_line};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Name of the scene, or a path; the file gets the ending .toml
    name: String,
}

/// What a new scene file holds: every kind of thing once, with what it does.
const STARTER: &str = include_str!("starter.toml");

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let path = path_of(&arguments.name)?;
    let title =
        path.file_stem().map(|stem| stem.to_string_lossy().replace(['-', '_'], " ")).unwrap_or_default();
    let shown = path.display();
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => format!("{shown} is there already; choose another name"),
        std::io::ErrorKind::NotFound => format!("{shown} cannot be written: there is no such folder"),
        _ => format!("{shown} cannot be written: {error}"),
    })?;
    file.write_all(STARTER.replace("TITLE", &title).as_bytes())?;
    print_line(&format!("{shown} is a scene with a table, a tower, a ball and a door."))?;
    print_line(&format!("Look at it:  prall serve {shown}    (it is read again whenever you save it)"))?;
    print_line(&format!("Run it:      prall run {shown} --seconds 5"))
}

/// The file of a name. What a title could not hold without quotes of its own is refused.
fn path_of(name: &str) -> Result<PathBuf, Failure> {
    let path = Path::new(name);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let fitting = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    if stem.is_empty() || stem.starts_with('.') || !stem.chars().all(fitting) {
        return Err(format!("'{name}' is no name for a scene: use letters, digits, - and _").into());
    }
    match path.extension().map(|ending| ending.to_string_lossy().to_lowercase()) {
        Some(ending) if ending == "toml" => Ok(path.to_owned()),
        None => Ok(path.with_extension("toml")),
        Some(ending) => Err(format!("a new scene is a file that ends in .toml, not .{ending}").into()),
    }
}

//! From text to a checked description.

use std::path::Path;

use super::error::Source;
use super::explain::explained;
use super::{SceneDescription, SceneFileError, check, numbers, robot, urdf};

impl SceneDescription {
    /// Reads a scene file: TOML, or URDF if its name ends so.
    pub fn read(path: impl AsRef<Path>) -> Result<SceneDescription, SceneFileError> {
        let path = path.as_ref();
        let (text, file) = text_of(path)?;
        SceneDescription::from_text(path, &text, &file)
    }

    /// Reads a scene from the text of a file, TOML, or URDF if the path ends so; `file` is what errors call it. Robots that it names lie beside the path.
    pub(crate) fn from_text(path: &Path, text: &str, file: &str) -> Result<SceneDescription, SceneFileError> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("urdf")) {
            SceneDescription::from_urdf(text, file)
        } else {
            SceneDescription::from_toml(text, file)
        }
    }

    /// Reads a scene from TOML; `file` is what errors call it.
    pub fn from_toml(text: &str, file: &str) -> Result<SceneDescription, SceneFileError> {
        let source = Source { file, text };
        let mut scene: SceneDescription = toml::from_str(text).map_err(|error| {
            let (message, help) = explained(error.message());
            source.error(error.span().unwrap_or(0..0), message, help)
        })?;
        numbers::check(source)?;
        robot::bring(&mut scene, source)?;
        check::scene(&scene, source)?;
        Ok(scene)
    }

    /// Reads a robot from URDF, turned so that y is up; `file` is what errors call it. All its links are one machine.
    pub fn from_urdf(text: &str, file: &str) -> Result<SceneDescription, SceneFileError> {
        let source = Source { file, text };
        let scene = urdf::scene(text).map_err(|(place, message, help)| source.error(place, message, help))?;
        check::scene(&scene, source)?;
        Ok(scene)
    }
}

/// What a file holds. Devices and pipes, whose ends nobody knows, are refused.
pub(crate) fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        std::fs::read(path)
    } else {
        Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a file"))
    }
}

/// The text of a file, and what errors call it.
pub(crate) fn text_of(path: &Path) -> Result<(String, String), SceneFileError> {
    let file = path.display().to_string();
    let wrong = |message: String, help: Option<String>| SceneFileError {
        file: file.clone(),
        line: 1,
        column: 1,
        message,
        help,
    };
    match read_regular(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok((text, file)),
            Err(error) => {
                let message = format!(
                    "the file cannot be read: byte {} is not UTF-8",
                    error.utf8_error().valid_up_to() + 1
                );
                Err(wrong(message, Some("save it as UTF-8".to_owned())))
            }
        },
        Err(error) => Err(wrong(format!("the file cannot be read: {error}"), None)),
    }
}

//! [`FileError`]: what went wrong with a file, and where in it; always one line of text.

use std::fmt;
use std::io;
use std::path::Path;

use thiserror::Error;

use super::format::Format;
use super::model::ModelError;
use crate::soup::SoupError;

/// Characters of a file's own text that an error message quotes at most; more would drown the message.
const QUOTED_CHARACTERS: usize = 40;

/// Why a mesh file could not be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The operating system refused.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The content breaks the rules of its format.
    #[error("{file}: {format}, {place}: {problem}")]
    Content {
        /// The file, or "bytes" when it came from memory.
        file: String,
        /// The format it was read as.
        format: Format,
        /// Where in the file.
        place: Place,
        /// What is wrong there and what would be right.
        problem: String,
    },
    /// The format is not known, not read, not written, or contradicts the content.
    #[error("{file}: {problem}")]
    Format {
        /// The file, or "bytes" when it came from memory.
        file: String,
        /// What is wrong and what to do about it.
        problem: String,
    },
    /// [`ReadOptions::scale`](super::ReadOptions::scale) is not a length.
    #[error(
        "scale is {0} metres per file unit; it must be a positive finite number, such as 0.001 for millimetres"
    )]
    Scale(f64),
    /// The model cannot be written in that format.
    #[error("cannot be written as {format}: {problem}")]
    NotWritable {
        /// The format asked for.
        format: Format,
        /// What stands in the way.
        problem: String,
    },
    /// The model itself is at fault.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Where in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file, counted from 1.
    Line(usize),
    /// A byte of a binary file, counted from 0.
    Byte(usize),
    /// A place in a text, both counted from 1.
    Text {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A position in the JSON of a glTF file, both counted from 1.
    Json {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// An item of a glTF file, such as `meshes[2].primitives[0]`.
    Item(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
            Place::Text { line, column } => write!(f, "line {line}, column {column}"),
            Place::Json { line, column } => write!(f, "JSON line {line}, column {column}"),
            Place::Item(item) => f.write_str(item),
        }
    }
}

/// What a reader reports: everything but the file's name and format, which its caller knows.
#[derive(Debug)]
pub(super) struct Malformed {
    pub(super) place: Place,
    pub(super) problem: String,
}

impl Malformed {
    pub(super) fn line(line: usize, problem: impl Into<String>) -> Malformed {
        Malformed { place: Place::Line(line), problem: problem.into() }
    }

    pub(super) fn byte(byte: usize, problem: impl Into<String>) -> Malformed {
        Malformed { place: Place::Byte(byte), problem: problem.into() }
    }

    pub(super) fn item(item: impl Into<String>, problem: impl Into<String>) -> Malformed {
        Malformed { place: Place::Item(item.into()), problem: problem.into() }
    }

    pub(super) fn soup(place: Place, error: SoupError) -> Malformed {
        Malformed { place, problem: error.to_string() }
    }

    pub(super) fn in_file(self, file: &str, format: Format) -> FileError {
        FileError::Content { file: file.to_owned(), format, place: self.place, problem: self.problem }
    }
}

/// A piece of the file's text, fit for an error message: quoted, on one line, not too long.
pub(super) fn quote(bytes: &[u8]) -> String {
    // Four bytes make a character at most, so this prefix holds enough of them.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * QUOTED_CHARACTERS + 4)]);
    let mut shown: String = text.chars().take(QUOTED_CHARACTERS).flat_map(char::escape_debug).collect();
    if text.chars().count() > QUOTED_CHARACTERS {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// A longer text on one line, cut after that many characters.
pub(super) fn one_line(text: &str, characters: usize) -> String {
    let mut shown: String =
        text.chars().take(characters).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(characters).is_some() {
        shown.push('…');
    }
    shown
}

/// A path on one line, for error messages.
pub(super) fn shown(path: &Path) -> String {
    // Longer than any path that a person types; only a hostile one is cut.
    const PATH_CHARACTERS: usize = 1000;
    one_line(&path.to_string_lossy(), PATH_CHARACTERS)
}

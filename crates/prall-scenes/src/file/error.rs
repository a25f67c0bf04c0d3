//! [`SceneFileError`]: what is wrong in a scene file, and where.

use std::ops::Range;

use thiserror::Error;

/// What is wrong in a scene file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}:{column}: {message}{}", help.as_ref().map_or(String::new(), |help| format!("; {help}")))]
pub struct SceneFileError {
    /// The file as it was named.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// What was wrong.
    pub message: String,
    /// What would be right, if that is known.
    pub help: Option<String>,
}

/// A text with its name, to say where in it something is.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

impl Source<'_> {
    pub(super) fn error(&self, span: Range<usize>, message: String, help: Option<String>) -> SceneFileError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        SceneFileError {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: one_line(&message),
            help: help.map(|help| one_line(&help)),
        }
    }
}

/// A message on one line: names and values of a file that it quotes may hold line ends.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// `:line:column` of the first place where a text names something; nothing if it does not, because another file brought it in.
pub(crate) fn place_of_text(text: &str, name: &str) -> String {
    let Some(at) = text.find(name) else { return String::new() };
    let error = Source { file: "", text }.error(at..at, String::new(), None);
    format!(":{}:{}", error.line, error.column)
}

/// Below this likeness (Jaro and Winkler 1990, no unit) a known name is no help.
const LIKENESS: f64 = 0.7;

/// "did you mean" for the known name that is most like a wrong one; otherwise all that are known.
pub(super) fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let likeness = |name: &str| strsim::jaro_winkler(&wrong.to_lowercase(), &name.to_lowercase());
    let best = known.clone().map(|name| (likeness(name), name)).max_by(|s, t| s.0.total_cmp(&t.0));
    match best {
        Some((likeness, name)) if likeness >= LIKENESS => format!("did you mean '{name}'?"),
        Some(_) => {
            format!("known are {}", known.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "))
        }
        None => "none is defined".to_owned(),
    }
}

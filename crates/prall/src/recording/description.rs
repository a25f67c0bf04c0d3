//! [`Description`]: what a recording says about itself.

use super::{FORMAT, FORMAT_BEFORE};
use prall_scenes::{FileScene, Simulation};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Scene, solver, parameters and origin of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Name of the scene.
    pub scene: String,
    /// Its name for people.
    pub title: String,
    /// Name of the solver at the start.
    pub solver: String,
    /// Version of Prall that recorded it.
    pub version: String,
    /// When, in Unix seconds.
    pub recorded: u64,
    /// Length of a step in s.
    pub time_step: f64,
    /// Simulated time at the start in s.
    pub start: f64,
    /// The scene as the gallery has it.
    pub entry: Value,
    /// Declared parameters with their values at the start.
    pub parameters: Value,
    /// The solvers that the scene had.
    pub solvers: Value,
    /// The file that the scene was read from; none for a scene of the gallery.
    pub file: Option<RecordedFile>,
}

/// A scene file as it was when the recording began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFile {
    /// Where it was. Meshes and robots that it names lie beside it.
    pub path: PathBuf,
    /// What stood in it.
    pub text: String,
}

/// Declared parameters with their present values, as the protocol has them.
pub(crate) fn parameters(simulation: &dyn Simulation) -> Value {
    #[derive(Serialize)]
    struct WithValue<'a> {
        #[serde(flatten)]
        parameter: &'a prall_scenes::Parameter,
        value: Option<f64>,
    }
    let list: Vec<WithValue> = simulation
        .parameters()
        .iter()
        .map(|parameter| WithValue { parameter, value: simulation.get(parameter.key) })
        .collect();
    serde_json::to_value(list).unwrap_or_default()
}

impl Description {
    /// Of a simulation as it is now; `entry` is the scene as the gallery has it.
    pub fn of(entry: Value, simulation: &dyn Simulation) -> Description {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Description {
            scene: text("name"),
            title: text("title"),
            solver: simulation.solver().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recorded: now.map_or(0, |now| now.as_secs()),
            time_step: simulation.time_step(),
            start: simulation.time(),
            parameters: parameters(simulation),
            solvers: serde_json::to_value(simulation.solvers()).unwrap_or_default(),
            entry,
            file: None,
        }
    }

    /// The same of a scene that was read from a file.
    #[must_use]
    pub fn with_file(mut self, scene: Option<FileScene>) -> Description {
        self.file = scene.map(|scene| RecordedFile {
            path: std::path::absolute(scene.path()).unwrap_or_else(|_| scene.path().to_owned()),
            text: scene.text().to_owned(),
        });
        self
    }

    pub(super) fn to_metadata(&self) -> BTreeMap<String, String> {
        let pairs = [
            ("format", FORMAT.to_owned()),
            ("scene", self.scene.clone()),
            ("title", self.title.clone()),
            ("solver", self.solver.clone()),
            ("version", self.version.clone()),
            ("recorded", self.recorded.to_string()),
            ("time_step", self.time_step.to_string()),
            ("start", self.start.to_string()),
            ("entry", self.entry.to_string()),
            ("parameters", self.parameters.to_string()),
            ("solvers", self.solvers.to_string()),
        ];
        let mut pairs: BTreeMap<String, String> = pairs.map(|(key, value)| (key.to_owned(), value)).into();
        if let Some(file) = &self.file {
            pairs.insert("scene_file".to_owned(), file.path.display().to_string());
        }
        pairs
    }

    /// The error names what is missing or wrong.
    pub(super) fn of_metadata(pairs: &BTreeMap<String, String>) -> Result<Description, String> {
        let text = |key: &str| pairs.get(key).cloned().ok_or(format!("it says no {key}"));
        let number = |key: &str| {
            let value: f64 = text(key)?.parse().map_err(|_| format!("its {key} is no number"))?;
            if value.is_finite() { Ok(value) } else { Err(format!("its {key} is not finite")) }
        };
        let json =
            |key: &str| serde_json::from_str(&text(key)?).map_err(|_| format!("its {key} cannot be read"));
        let format = text("format")?;
        if ![FORMAT, FORMAT_BEFORE].contains(&format.as_str()) {
            return Err(format!("it has format {format}, and this version of Prall reads {FORMAT}"));
        }
        let time_step = number("time_step")?;
        if !(time_step > 0.0) {
            return Err("its time_step is not positive".to_owned());
        }
        Ok(Description {
            scene: text("scene")?,
            title: text("title")?,
            solver: text("solver")?,
            version: text("version")?,
            recorded: text("recorded")?.parse().map_err(|_| "its date is no number")?,
            time_step,
            start: number("start")?,
            entry: json("entry")?,
            parameters: json("parameters")?,
            solvers: json("solvers")?,
            // The text comes later, as an attachment.
            file: pairs.get("scene_file").map(|path| RecordedFile { path: path.into(), text: String::new() }),
        })
    }
}

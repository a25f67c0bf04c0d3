//! The run file: comma-separated values with a TOML head in comment lines; docs/line-analysis.md has the format.
//!
//! Every spreadsheet and every plotting language reads it. Numbers are written with as many digits as bring back the same bits.

use std::fmt::Write;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{About, Record, Sample};
use crate::run::RunResult;

/// First line of every run file.
const FIRST_LINE: &str = "# prall run 1";
/// What a line of the head begins with.
const HEAD: &str = "# ";

/// What is wrong with a run file, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {what}")]
pub struct RecordError {
    file: String,
    line: usize,
    what: String,
}

impl RecordError {
    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    pub(super) fn new(file: &str, line: usize, what: impl Into<String>) -> RecordError {
        // What a message quotes of a file may hold line ends.
        RecordError { file: file.to_owned(), line, what: what.into().replace(char::is_control, " ") }
    }
}

/// What stands before the table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) clock_zero: Option<f64>,
    pub(super) joints: Vec<String>,
    pub(super) contacts: Vec<String>,
    pub(super) about: About,
    pub(super) result: RunResult,
}

impl Record {
    /// The text of its file.
    pub fn write(&self) -> String {
        let mut text = format!("{FIRST_LINE}\n");
        // Strings, numbers and tables of them: nothing that TOML could not say.
        for line in toml::to_string(&self.head()).unwrap_or_default().lines() {
            text.push_str(HEAD.trim_end_matches(if line.is_empty() { " " } else { "" }));
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&columns(&self.joints, &self.contacts).join(","));
        text.push('\n');
        for sample in &self.samples {
            for (index, value) in sample.values().into_iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = write!(text, "{}{value:?}", if index == 0 { "" } else { "," });
            }
            text.push('\n');
        }
        text
    }

    pub(super) fn head(&self) -> Head {
        Head {
            clock_zero: self.clock_zero,
            joints: self.joints.clone(),
            contacts: self.contacts.clone(),
            about: self.about.clone(),
            result: self.result.clone(),
        }
    }

    /// Reads a run file; `file` is the name that errors give.
    pub fn read(file: &str, text: &str) -> Result<Record, RecordError> {
        let error = |line: usize, what: String| RecordError::new(file, line, what);
        let wrong = |line: usize, what: String| Err(error(line, what));
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line)).peekable();
        match lines.next() {
            Some((_, FIRST_LINE)) => {}
            Some((_, first)) if first.starts_with("# prall run ") => {
                return wrong(1, format!("this Prall reads version 1, not \"{first}\""));
            }
            _ => return wrong(1, format!("the first line of a run file is \"{FIRST_LINE}\"")),
        }
        // The first line stands for itself in the head, so that lines of the head are lines of the file.
        let mut head = "\n".to_owned();
        while let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with('#')) {
            head.push_str(line.strip_prefix(HEAD).unwrap_or(&line[1..]));
            head.push('\n');
        }
        let head: Head = toml::from_str(&head).map_err(|error| {
            let before = &head[..error.span().map_or(0, |span| span.start.min(head.len()))];
            RecordError::new(file, before.matches('\n').count() + 1, error.message().trim())
        })?;
        super::hands::check(file, 1, &head.about.hands)?;
        let names = columns(&head.joints, &head.contacts);
        let last = text.lines().count();
        match lines.next() {
            Some((line, found)) => compare_names(&names, found).map_err(|what| error(line, what))?,
            None => return wrong(last + 1, "the line with the names of the columns is missing".to_owned()),
        }
        let mut samples: Vec<Sample> = Vec::new();
        for (line, row) in lines {
            let values = numbers(&names, row, ',').map_err(|what| error(line, what))?;
            let sample = Sample::of(&values, head.joints.len());
            if let Some(before) = samples.last()
                && !(sample.t > before.t)
            {
                return wrong(
                    line,
                    format!("t must grow from line to line: {} after {}", sample.t, before.t),
                );
            }
            samples.push(sample);
        }
        if samples.is_empty() {
            return wrong(last + 1, "a run has at least one sample".to_owned());
        }
        let Head { clock_zero, joints, contacts, about, result } = head;
        Ok(Record { about, clock_zero, result, joints, contacts, samples })
    }
}

/// Names of the columns with their units.
pub(super) fn columns(joints: &[String], contacts: &[String]) -> Vec<String> {
    const FIXED: [&str; 24] = [
        "t[s]",
        "s[m]",
        "left[m]",
        "height[m]",
        "x[m]",
        "y[m]",
        "z[m]",
        "qx",
        "qy",
        "qz",
        "qw",
        "vx[m/s]",
        "vy[m/s]",
        "vz[m/s]",
        "wx[rad/s]",
        "wy[rad/s]",
        "wz[rad/s]",
        "steering[rad]",
        "steering_rate[rad/s]",
        "steering_acceleration[rad/s^2]",
        "load[g]",
        "felt_right[g]",
        "felt_up[g]",
        "felt_back[g]",
    ];
    let mut names: Vec<String> = FIXED.iter().map(|&name| name.to_owned()).collect();
    for (kind, unit) in [("angle", "rad"), ("rate", "rad/s"), ("torque", "N m")] {
        names.extend(joints.iter().map(|joint| format!("{kind}_{joint}[{unit}]")));
    }
    names.extend(contacts.iter().map(|contact| format!("force_{contact}[N]")));
    names
}

fn compare_names(names: &[String], line: &str) -> Result<(), String> {
    let found: Vec<&str> = line.split(',').collect();
    for (index, name) in names.iter().enumerate() {
        match found.get(index) {
            Some(found) if found == name => {}
            Some(found) => return Err(format!("column {} must be \"{name}\", not \"{found}\"", index + 1)),
            None => return Err(format!("column {} is missing: \"{name}\"", index + 1)),
        }
    }
    match found.get(names.len()) {
        None => Ok(()),
        Some(more) => {
            Err(format!("no column follows \"{}\", but there is \"{more}\"", names[names.len() - 1]))
        }
    }
}

/// The numbers of a row, one for each column.
pub(super) fn numbers(names: &[String], row: &str, separator: char) -> Result<Vec<f64>, String> {
    let mut values = Vec::with_capacity(names.len());
    for (index, text) in row.split(separator).enumerate() {
        let Some(name) = names.get(index) else { continue };
        let wrong = |what: &str| format!("{name} (column {}): \"{text}\" is {what}", index + 1);
        let value: f64 = text.parse().map_err(|_| wrong("no number"))?;
        if !value.is_finite() {
            return Err(wrong("not finite"));
        }
        values.push(value);
    }
    let found = row.split(separator).count();
    if found != names.len() {
        return Err(format!("{found} values where there are {} columns", names.len()));
    }
    Ok(values)
}

impl Sample {
    /// All numbers, in the order of the columns.
    pub(super) fn values(&self) -> Vec<f64> {
        let mut values = vec![self.t, self.s, self.left, self.height];
        values.extend(self.position.to_array());
        values.extend(self.rotation.to_array());
        values.extend(self.velocity.to_array());
        values.extend(self.angular.to_array());
        values.extend(self.steering);
        values.push(self.load);
        values.extend(self.felt.to_array());
        for many in [&self.angles, &self.rates, &self.torques, &self.forces] {
            values.extend(many);
        }
        values
    }

    /// From as many numbers as there are columns.
    pub(super) fn of(values: &[f64], joints: usize) -> Sample {
        let vector = |at: usize| DVec3::new(values[at], values[at + 1], values[at + 2]);
        let many = |at: usize| values[24 + at * joints..24 + (at + 1) * joints].to_vec();
        Sample {
            t: values[0],
            s: values[1],
            left: values[2],
            height: values[3],
            position: vector(4),
            rotation: DQuat::from_xyzw(values[7], values[8], values[9], values[10]),
            velocity: vector(11),
            angular: vector(14),
            steering: vector(17).to_array(),
            load: values[20],
            felt: vector(21),
            angles: many(0),
            rates: many(1),
            torques: many(2),
            forces: values[24 + 3 * joints..].to_vec(),
        }
    }
}

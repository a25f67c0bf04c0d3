//! Setup files: what they may say, and errors that name the line.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;

use super::values::{SetupValue, values};

/// What is wrong with a setup file, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}:{column}: {what}")]
pub struct SetupError {
    file: String,
    line: usize,
    column: usize,
    what: String,
}

impl SetupError {
    /// Line and column, both counted from 1.
    pub fn place(&self) -> (usize, usize) {
        (self.line, self.column)
    }

    /// What is wrong, without where.
    pub fn what(&self) -> &str {
        &self.what
    }

    pub(super) fn of(file: &str, text: &str, error: &toml::de::Error) -> SetupError {
        SetupError::new(file, text, error.span(), error.message().trim().to_owned())
    }

    fn new(file: &str, text: &str, span: Option<Range<usize>>, what: String) -> SetupError {
        let before = &text[..span.map_or(0, |span| span.start.min(text.len()))];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
        SetupError { file: file.to_owned(), line, column, what }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetupData {
    pub(super) name: String,
    pub(super) body: Vec<Spanned<BodyData>>,
    pub(super) joint: Vec<Spanned<JointData>>,
    pub(super) set: BTreeMap<String, Spanned<SpringSet>>,
    pub(super) contact: Vec<Spanned<ContactData>>,
    pub(super) law: Laws,
    pub(super) drag: DragData,
    pub(super) steering: Spanned<SteeringData>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyData {
    pub(super) name: String,
    pub(super) mass: f64,
    pub(super) com: [f64; 3],
    pub(super) inertia: [f64; 3],
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JointData {
    pub(super) name: String,
    pub(super) parent: String,
    pub(super) child: String,
    pub(super) point: [f64; 3],
    pub(super) axis: [f64; 3],
    #[serde(default)]
    pub(super) driven: bool,
    pub(super) spring: Option<Damped>,
    pub(super) set: Option<String>,
    pub(super) limit_deg: f64,
    pub(super) stop: Option<Damped>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Damped {
    pub(super) stiffness: f64,
    pub(super) damping: f64,
}

/// A lever between two springs that only push, compressed beforehand.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpringSet {
    pub(super) lever: f64,
    pub(super) rate: f64,
    pub(super) precompression: f64,
    pub(super) damping: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactData {
    pub(super) name: String,
    pub(super) body: String,
    pub(super) law: Law,
    pub(super) point: [f64; 3],
}

/// Which part of the sled touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Law {
    /// A runner: digs in across, glides along.
    Runner,
    /// A bumper at the side of the hull.
    Bumper,
    /// The upper rim, or a helmet: the sled lies on its side.
    Rim,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Laws {
    pub(super) runner: RunnerData,
    pub(super) bumper: BumperData,
    pub(super) rim: BumperData,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunnerData {
    pub(super) along: f64,
    pub(super) side_slip_share: f64,
    pub(super) across: [f64; 2],
    pub(super) full_load: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BumperData {
    pub(super) friction: f64,
    pub(super) restitution: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DragData {
    pub(super) density: f64,
    pub(super) area: f64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SteeringData {
    pub(super) limit_deg: f64,
    pub(super) directness: f64,
}

impl SetupData {
    pub(super) fn read(file: &str, text: &str) -> Result<SetupData, SetupError> {
        let of = |error| SetupError::of(file, text, &error);
        let data: SetupData = toml::from_str(text).map_err(of)?;
        if let Some((span, what)) = values(text).map_err(of)?.iter().find_map(SetupValue::out_of_range) {
            return Err(SetupError::new(file, text, Some(span), what));
        }
        data.check().map_err(|(span, what)| SetupError::new(file, text, span, what))?;
        Ok(data)
    }

    fn check(&self) -> Result<(), (Option<Range<usize>>, String)> {
        let known: Vec<&str> = self.body.iter().map(|body| body.get_ref().name.as_str()).collect();
        let there = |name: &str| known.contains(&name);
        for body in &self.body {
            let BodyData { name, mass, inertia: [x, y, z], .. } = body.get_ref();
            let triangle = x + y >= *z && y + z >= *x && z + x >= *y && x.min(*y).min(*z) > 0.0;
            if !(*mass > 0.0 && triangle) {
                let what = format!(
                    "{name}: the mass must be above 0 and no inertia more than the other two together, all above 0"
                );
                return Err((Some(body.span()), what));
            }
        }
        for joint in &self.joint {
            let JointData { name, parent, child, set, spring, .. } = joint.get_ref();
            if let Some(unknown) = [parent, child].into_iter().find(|body| !there(body)) {
                let what = format!("{name}: there is no body \"{unknown}\", only {}", known.join(", "));
                return Err((Some(joint.span()), what));
            }
            if let Some(set) = set
                && (spring.is_some() || !self.set.contains_key(set))
            {
                let sets: Vec<&str> = self.set.keys().map(String::as_str).collect();
                let what = format!("{name}: give a spring or one of the sets {}", sets.join(", "));
                return Err((Some(joint.span()), what));
            }
        }
        if let Some(contact) = self.contact.iter().find(|contact| !there(&contact.get_ref().body)) {
            let ContactData { name, body, .. } = contact.get_ref();
            let what = format!("{name}: there is no body \"{body}\", only {}", known.join(", "));
            return Err((Some(contact.span()), what));
        }
        for (name, set) in &self.set {
            let SpringSet { lever, rate, precompression, damping } = set.get_ref();
            if !(*lever > 0.0 && *rate > 0.0 && *precompression >= 0.0 && *damping >= 0.0) {
                let what =
                    format!("{name}: lever and rate must be above 0, precompression and damping not below");
                return Err((Some(set.span()), what));
            }
        }
        let SteeringData { limit_deg, directness } = self.steering.get_ref();
        if !(*limit_deg > 0.0 && *limit_deg < 90.0 && *directness > 0.0) {
            let what =
                "the steering needs a limit between 0 and 90 degrees and a directness above 0".to_owned();
            return Err((Some(self.steering.span()), what));
        }
        Ok(())
    }
}

//! [`FormulaDescription`]: a joint whose law is written in the file.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec3;
use prall_multibody::{Formula, FormulaError, FormulaText, check_guide};
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// How a body moves against another by formulas of coordinates `q0`, `q1`, ...
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormulaDescription {
    /// The unit of each coordinate, 1 to 6 of them.
    pub coordinates: Vec<CoordinateUnit>,
    /// Where the body's joint frame is, in m from the joint's place, in axes of the world at the start.
    pub place: [Spanned<String>; 3],
    /// Turns one after the other. Default none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnDescription>,
    /// Numbers with names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, f64>,
    /// Coordinates with which the body starts where it is described, in m and rad. Default 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<f64>,
}

/// A turn about an axis of the frame as the turns before left it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnDescription {
    /// Of any length but zero.
    pub axis: DVec3,
    /// A formula, in rad.
    pub angle: Spanned<String>,
}

/// What a coordinate is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CoordinateUnit {
    /// Metres.
    M,
    /// Radians.
    Rad,
}

impl FormulaDescription {
    /// The law; formulas that cannot be read are refused.
    pub(crate) fn law(&self) -> Result<Formula, FormulaError> {
        Formula::new(&FormulaText {
            slides: self.coordinates.iter().map(|unit| *unit == CoordinateUnit::M).collect(),
            constants: self.constants.clone(),
            place: self.place.each_ref().map(|formula| formula.get_ref().clone()),
            turns: self.turns.iter().map(|turn| (turn.axis, turn.angle.get_ref().clone())).collect(),
            start: self.start.clone(),
        })
    }

    /// What is wrong with it, and where, if that is within one of its formulas.
    pub(super) fn check(&self) -> Result<(), (Option<Range<usize>>, String)> {
        let law = self.law().map_err(|error| match &error {
            FormulaError::Text { formula, at, message, .. } => {
                (self.written(*formula).map(|written| place_in(written, *at)), message.clone())
            }
            other => (None, other.to_string()),
        })?;
        check_guide(&law).map_err(|error| (None, error.to_string()))
    }

    fn written(&self, formula: usize) -> Option<&Spanned<String>> {
        let turns = self.turns.iter().map(|turn| &turn.angle);
        self.place.iter().chain(turns).nth(formula)
    }
}

/// Where a byte of a text is in the file; in texts with escapes or of several lines only where the text begins.
fn place_in(written: &Spanned<String>, at: usize) -> Range<usize> {
    let span = written.span();
    let plain = span.len() == written.get_ref().len() + 2;
    let start = if plain { span.start + 1 + at } else { span.start };
    start..span.end.max(start)
}

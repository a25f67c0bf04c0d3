//! Every number of a scene file is a number that a scene can have.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::SceneFileError;
use super::error::Source;

/// Largest number of any kind: beyond it squares and products of three are no longer exact enough to mean anything.
pub(super) const MAX_NUMBER: f64 = 1e12;

/// The first number that is not finite, or too large, as an error with its place.
pub(super) fn check(source: Source) -> Result<(), SceneFileError> {
    // What cannot be read as TOML at all was said before.
    let Ok(table) = DeTable::parse(source.text) else { return Ok(()) };
    table.get_ref().values().try_for_each(|value| check_value(value, source))
}

fn check_value(value: &Spanned<DeValue>, source: Source) -> Result<(), SceneFileError> {
    let text = match value.get_ref() {
        DeValue::Float(number) => number.as_str(),
        DeValue::Integer(number) => number.as_str(),
        DeValue::Array(list) => return list.iter().try_for_each(|value| check_value(value, source)),
        DeValue::Table(table) => return table.values().try_for_each(|value| check_value(value, source)),
        DeValue::String(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => return Ok(()),
    };
    // Integers in other bases are far from the end of the range.
    match text.parse::<f64>() {
        Ok(number) if !(number.abs() <= MAX_NUMBER) => {
            let message = format!("{text} is no number that a scene can have");
            let help = format!("numbers are from -{MAX_NUMBER:e} to {MAX_NUMBER:e}");
            Err(source.error(value.span(), message, Some(help)))
        }
        _ => Ok(()),
    }
}

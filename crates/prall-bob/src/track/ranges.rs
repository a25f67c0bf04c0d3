//! Every number of a track file is one that a track can have.
//!
//! The ranges are far wider than any track: they find slips of unit and of the keyboard, and keep what is built from a file
//! within bounds.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file::TrackError;

/// Keys with the least and the largest number that they may have, in the units of the file.
const RANGES: &[(&[&str], [f64; 2])] = &[
    (&["spacing"], [0.05, 100.0]),
    (&["s0", "s1", "s_b", "s_c", "s_e", "s_m", "s", "s_block", "s_load", "s_begin", "stations"], [-1e4, 3e4]),
    (&["l_cl_en", "l_circ", "l_cl_ex", "lead", "wall_length", "end_stop_length", "length"], [0.0, 3e4]),
    (&["A2_en", "A2_ex"], [0.0, 1e8]),
    (&["r_c"], [0.0, 1e5]),
    (&["m_en", "m_ex"], [-10.0, 10.0]),
    (&["h0"], [-1e4, 1e4]),
    (&["r_h"], [-1e9, 1e9]),
    (&["theta_T_deg", "eps_deg", "eps1", "roof_lean_deg"], [-360.0, 360.0]),
    (&["n_g", "roof_from_ng", "wall_from_ng"], [0.0, 1000.0]),
    (&["reference", "reference_deviation", "race"], [0.0, 1e5]),
    (&["push_vmax", "push_a0", "v0"], [0.0, 1000.0]),
    (&["mu", "mu_brake", "resistance"], [0.0, 10.0]),
    (&["rho", "cdA"], [0.0, 100.0]),
    (&["mass"], [1.0, 1e5]),
];

/// Of keys without a range of their own: lengths of sections and borders.
const OTHERS: [f64; 2] = [-1000.0, 1000.0];

/// The first number that is out of its range, as an error with its place.
pub(super) fn check(text: &str) -> Result<(), TrackError> {
    // What is no TOML was said before.
    let Ok(table) = DeTable::parse(text) else { return Ok(()) };
    check_table(table.get_ref())
}

fn check_table(table: &DeTable) -> Result<(), TrackError> {
    table.iter().try_for_each(|(key, value)| check_value(key.get_ref(), value))
}

fn check_value(key: &str, value: &Spanned<DeValue>) -> Result<(), TrackError> {
    let text = match value.get_ref() {
        DeValue::Table(table) => return check_table(table),
        DeValue::Array(list) => return list.iter().try_for_each(|value| check_value(key, value)),
        DeValue::Float(number) => number.as_str(),
        DeValue::Integer(number) => number.as_str(),
        DeValue::String(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => return Ok(()),
    };
    let own = RANGES.iter().find(|(keys, _)| keys.contains(&key));
    let [low, high] = own.map_or(OTHERS, |(_, range)| *range);
    match text.parse::<f64>() {
        Ok(number) if !(low..=high).contains(&number) => {
            Err(TrackError::at(value.span(), format!("{key} must lie from {low} to {high}, not {text}")))
        }
        _ => Ok(()),
    }
}

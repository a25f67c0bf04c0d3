//! `prall bob setup`: the values of a sled, listed, checked, changed, compared and written.

use super::scenario::{open_setup, write};
use crate::command::{Failure, print_line, print_result};
use prall_bob::sled::{Difference, SetupText, SetupValue, Sled};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A setup file; the two-man sled that comes with Prall if there is none. Errors name line and column
    file: Option<PathBuf>,
    /// Set a value by its name, such as law.runner.along=0.005, joint.alpha.set=alpha_hard or body.crew.com.y=0.44; again for the next one
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Write the setup with unit, range and origin behind every value, ready to be edited; "-" prints it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Another setup: list what it says otherwise
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// List only values whose name begins so: law, joint.alpha, set
    #[arg(long, default_value = "", value_name = "NAME")]
    only: String,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    sled: String,
    sum: Sum,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    /// From this sled to the one of --against.
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<Vec<Difference>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Sum>,
    values: Vec<SetupValue>,
}

/// What follows from all values together.
#[derive(Clone, Copy, Serialize)]
struct Sum {
    /// In kg.
    mass: f64,
    /// With all joints at zero, in m: right, up, back from under the rear axle.
    centre_of_mass: [f64; 3],
    /// Share of the weight on the front runners.
    front_share: f64,
    bodies: usize,
    /// Without the driven steering.
    degrees_of_freedom: usize,
    contacts: usize,
}

impl Sum {
    fn of(text: &SetupText) -> Result<Sum, Failure> {
        let setup = text.setup();
        let sled = Sled::new(setup).map_err(|error| error.to_string())?;
        let centre = setup.centre_of_mass();
        let axles = setup.axles();
        Ok(Sum {
            mass: setup.mass(),
            centre_of_mass: centre.to_array(),
            front_share: (centre.z - axles[0]) / (axles[1] - axles[0]),
            bodies: setup.bodies().count(),
            degrees_of_freedom: sled.tree().degrees_of_freedom(),
            contacts: setup.contacts().count(),
        })
    }
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let text = open_setup(arguments.file.as_deref(), &arguments.set)?;
    let sum = Sum::of(&text)?;
    let other = arguments.against.as_deref().map(|path| open_setup(Some(path), &[])).transpose()?;
    if let Some(path) = &arguments.out {
        if path.as_os_str() == "-" {
            return print_line(text.commented().trim_end());
        }
        write(path, &text.commented())?;
    }
    let chosen = text.values().iter().filter(|value| value.key.starts_with(&arguments.only));
    let values: Vec<SetupValue> = chosen.cloned().collect();
    if values.is_empty() {
        return Err(format!("--only: no value's name begins with \"{}\"", arguments.only).into());
    }
    let answer = Answer {
        sled: text.setup().name().to_owned(),
        sum,
        written: arguments.out.as_ref().map(|path| path.display().to_string()),
        differences: other.as_ref().map(|other| text.differences(other)),
        other: other.as_ref().map(Sum::of).transpose()?,
        values,
    };
    print_result(&answer, arguments.json, print_text)
}

fn print_text(answer: &Answer) -> Result<(), Failure> {
    print_sum(&answer.sled, &answer.sum)?;
    if let (Some(differences), Some(other)) = (&answer.differences, &answer.other) {
        print_sum("the other", other)?;
        return print_differences(differences);
    }
    if let Some(path) = &answer.written {
        return print_line(&format!("written to {path}: prall bob run --setup {path}"));
    }
    let width = |text: fn(&SetupValue) -> usize| answer.values.iter().map(text).max().unwrap_or(0);
    let (keys, values) = (width(|value| value.key.len()), width(|value| value.value.chars().count()));
    print_line("")?;
    for value in &answer.values {
        let limits = value.quantity.limits();
        let limits = if limits.is_empty() { value.quantity.what } else { &limits };
        let line = format!("{:<keys$}  {:<values$}  {limits:<26}  {}", value.key, value.value, value.note);
        print_line(line.trim_end())?;
    }
    Ok(())
}

fn print_sum(name: &str, sum: &Sum) -> Result<(), Failure> {
    let [_, up, back] = sum.centre_of_mass;
    print_line(&format!(
        "{name}: {:.1} kg, centre of mass {up:.3} m above the ice and {:.3} m before the rear axle, {:.1} % of the weight in front; {} bodies, {} degrees of freedom, {} contacts",
        sum.mass,
        -back,
        100.0 * sum.front_share,
        sum.bodies,
        sum.degrees_of_freedom,
        sum.contacts
    ))
}

fn print_differences(differences: &[Difference]) -> Result<(), Failure> {
    if differences.is_empty() {
        return print_line("both say the same");
    }
    let width = differences.iter().map(|difference| difference.key.len()).max().unwrap_or(0);
    print_line("")?;
    for difference in differences {
        let said = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let change = difference.change.map_or(String::new(), |change| format!("  {:+.1} %", 100.0 * change));
        print_line(&format!(
            "{:<width$}  {} -> {} {}{change}",
            difference.key,
            said(&difference.first),
            said(&difference.second),
            difference.unit
        ))?;
    }
    Ok(())
}

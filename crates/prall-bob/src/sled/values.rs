//! Every value of a setup file by its name, with unit and range; read from the text and changed in it, so that comments stay.
//!
//! A name is the way through the file with the names of bodies, joints and contacts in it: `body.crew.mass`, `joint.delta.spring.damping`,
//! `law.runner.across`; parts of an array have names too, `body.crew.com.y`.

#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::Serialize;
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Setup, SetupError};

/// What a value is: the same for every sled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantity {
    /// Its name; `*` stands for one of a body, joint, spring set or contact.
    pub pattern: &'static str,
    /// Unit; empty where there is none.
    pub unit: &'static str,
    /// What a setup may say; beyond, it is refused. Far wider than any sled: it finds slips of unit and of the keyboard.
    pub range: Option<[f64; 2]>,
    /// Names of the parts of an array.
    pub parts: &'static [&'static str],
    /// What it is.
    pub what: &'static str,
}

const SPACE: &[&str] = &["x", "y", "z"];

const fn text(pattern: &'static str, what: &'static str) -> Quantity {
    Quantity { pattern, unit: "", range: None, parts: &[], what }
}

const fn number(pattern: &'static str, unit: &'static str, range: [f64; 2], what: &'static str) -> Quantity {
    Quantity { pattern, unit, range: Some(range), parts: &[], what }
}

const fn array(
    pattern: &'static str,
    unit: &'static str,
    range: [f64; 2],
    parts: &'static [&'static str],
    what: &'static str,
) -> Quantity {
    Quantity { pattern, unit, range: Some(range), parts, what }
}

/// All that a setup file may say.
pub const QUANTITIES: &[Quantity] = &[
    text("name", "name of the sled"),
    number("body.*.mass", "kg", [0.1, 1000.0], "mass"),
    array("body.*.com", "m", [-5.0, 5.0], SPACE, "centre of mass: right, up, back"),
    array(
        "body.*.inertia",
        "kg m²",
        [1e-5, 1000.0],
        &["pitch", "yaw", "roll"],
        "inertia about the centre of mass",
    ),
    text("joint.*.parent", "body that carries"),
    text("joint.*.child", "body that is carried"),
    array("joint.*.point", "m", [-5.0, 5.0], SPACE, "a point of the axis"),
    array("joint.*.axis", "", [-1.0, 1.0], SPACE, "direction of the axis"),
    text("joint.*.driven", "true: the steering"),
    number("joint.*.spring.stiffness", "N m/rad", [0.0, 1e6], "stiffness"),
    number("joint.*.spring.damping", "N m s/rad", [0.0, 1e5], "damping"),
    text("joint.*.set", "spring set of this file"),
    number("joint.*.limit_deg", "°", [0.0, 90.0], "angle of the stop"),
    number("joint.*.stop.stiffness", "N m/rad", [0.0, 1e7], "stiffness of the stop"),
    number("joint.*.stop.damping", "N m s/rad", [0.0, 1e5], "damping of the stop"),
    number("set.*.lever", "m", [0.01, 1.0], "lever of the two springs"),
    number("set.*.rate", "N/m", [1.0, 1e8], "rate of one of them"),
    number("set.*.precompression", "m", [0.0, 0.1], "how far they are pressed together in the middle"),
    number("set.*.damping", "N m s/rad", [0.0, 1e5], "damping"),
    text("contact.*.body", "body that it is on"),
    text("contact.*.law", "runner, bumper or rim"),
    array("contact.*.point", "m", [-5.0, 5.0], SPACE, "where it is"),
    number("law.runner.along", "", [1e-5, 0.5], "friction along the runners"),
    number("law.runner.side_slip_share", "", [0.0, 0.999], "what is left of it when they slip across"),
    array(
        "law.runner.across",
        "",
        [1e-4, 2.0],
        &["light", "full"],
        "friction across, without load and with the full one",
    ),
    number("law.runner.full_load", "N", [1.0, 1e6], "load of a contact from which on they are dug in"),
    number("law.*.friction", "", [0.0, 2.0], "friction"),
    number("law.*.restitution", "", [0.0, 1.0], "share of the speed that comes back"),
    number("drag.density", "kg/m³", [0.0, 5.0], "of the air"),
    number("drag.area", "m²", [0.0, 5.0], "area times drag coefficient"),
    number("steering.limit_deg", "°", [0.1, 89.0], "largest steering angle"),
    number("steering.directness", "", [0.1, 10.0], "d in |input|^(1/d): below 1 the middle is calmer"),
];

/// A value as it stands in a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetupValue {
    /// Its name.
    pub key: String,
    /// As it is written.
    pub value: String,
    /// What it is.
    pub quantity: Quantity,
    /// The comment behind it.
    pub note: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// Where it is in the text, in bytes.
    #[serde(skip)]
    pub(super) span: Range<usize>,
    #[serde(skip)]
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Number(f64),
    /// Numbers with their places in the text.
    Array(Vec<(f64, Range<usize>)>),
    Word,
    Truth,
}

/// Why a value cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ValueError(String);

/// A setup file as its text, checked: what an editor of setups works on.
#[derive(Clone, Debug)]
pub struct SetupText {
    file: String,
    text: String,
    values: Vec<SetupValue>,
    setup: Setup,
}

/// A value that differs between two setups.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Its name.
    pub key: String,
    /// As the first says it; none if it does not.
    pub first: Option<String>,
    /// As the second says it.
    pub second: Option<String>,
    /// Unit.
    pub unit: &'static str,
    /// What the second has more, as a share of the first; none for words, arrays and zeros.
    pub change: Option<f64>,
}

impl SetupText {
    /// Checks a setup; `file` is the name that errors give.
    pub fn read(file: &str, text: &str) -> Result<SetupText, SetupError> {
        let setup = Setup::read(file, text)?;
        let values = values(text).map_err(|error| SetupError::of(file, text, &error))?;
        Ok(SetupText { file: file.to_owned(), text: text.to_owned(), values, setup })
    }

    /// The same with values set, each by its name; all of them are there when the whole is checked.
    pub fn with<'s>(
        &self,
        changes: impl IntoIterator<Item = (&'s str, &'s str)>,
    ) -> Result<SetupText, ValueError> {
        let text =
            changes.into_iter().try_fold(self.text.clone(), |text, (key, value)| with(&text, key, value))?;
        SetupText::read(&self.file, &text).map_err(|error| ValueError(error.what().to_owned()))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The sled by its numbers.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Every value, in the order of the file.
    pub fn values(&self) -> &[SetupValue] {
        &self.values
    }

    /// The text with unit and range in the comment behind every value. Done twice it is as done once.
    pub fn commented(&self) -> String {
        commented(&self.text, &self.values)
    }

    /// What another setup says otherwise. `0.1` and `1e-1` are the same.
    pub fn differences(&self, other: &SetupText) -> Vec<Difference> {
        let find = |values: &[SetupValue], key: &str| values.iter().find(|value| value.key == key).cloned();
        let own = self.values.iter().map(|value| (Some(value.clone()), find(&other.values, &value.key)));
        let added = other.values.iter().filter(|value| find(&self.values, &value.key).is_none());
        own.chain(added.map(|value| (None, Some(value.clone()))))
            .filter_map(|(first, second)| {
                let own = first.as_ref().or(second.as_ref())?;
                if let (Some(a), Some(b)) = (&first, &second)
                    && (a.kind.is_same(&b.kind) && (a.value == b.value || !a.numbers().is_empty()))
                {
                    return None;
                }
                let change =
                    first.as_ref().zip(second.as_ref()).and_then(|(a, b)| match (&a.kind, &b.kind) {
                        (Kind::Number(a), Kind::Number(b)) if *a != 0.0 => Some(b / a - 1.0),
                        _ => None,
                    });
                let (key, unit) = (own.key.clone(), own.quantity.unit);
                let written = |value: Option<SetupValue>| value.map(|value| value.value);
                Some(Difference { key, first: written(first), second: written(second), unit, change })
            })
            .collect()
    }
}

impl Kind {
    fn is_same(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Number(a), Kind::Number(b)) => a == b,
            (Kind::Array(a), Kind::Array(b)) => a.iter().map(|part| part.0).eq(b.iter().map(|part| part.0)),
            (Kind::Word, Kind::Word) | (Kind::Truth, Kind::Truth) => true,
            _ => false,
        }
    }
}

impl SetupValue {
    /// Its numbers; none of a word.
    pub fn numbers(&self) -> Vec<f64> {
        match &self.kind {
            Kind::Number(number) => vec![*number],
            Kind::Array(parts) => parts.iter().map(|part| part.0).collect(),
            Kind::Word | Kind::Truth => Vec::new(),
        }
    }

    /// What is wrong with its numbers, and where.
    pub(super) fn out_of_range(&self) -> Option<(Range<usize>, String)> {
        let whole = (0, self.span.clone());
        let places = match &self.kind {
            Kind::Array(parts) => parts.iter().map(|part| part.1.clone()).enumerate().collect(),
            _ => vec![whole],
        };
        let numbers = self.numbers();
        if self.key == "law.runner.across" && numbers.len() == 2 && numbers[0] > numbers[1] {
            let what =
                format!("{}: friction without load must not be above that with the full one", self.key);
            return Some((self.span.clone(), what));
        }
        let mut numbers = numbers.into_iter().zip(places);
        numbers.find_map(|(number, (part, place))| Some((place, self.beyond(part, number)?)))
    }

    /// Why a number is none for this value.
    fn beyond(&self, part: usize, number: f64) -> Option<String> {
        let [low, high] = self.quantity.range?;
        let inside = (low..=high).contains(&number);
        let key = match self.quantity.parts.get(part) {
            Some(part) if matches!(self.kind, Kind::Array(_)) => format!("{}.{part}", self.key),
            _ => self.key.clone(),
        };
        (!inside).then(|| format!("{key} must lie from {}, not {number}", self.quantity.limits()))
    }
}

impl Quantity {
    /// Range and unit, as text: `0.1 to 1000 kg`.
    pub fn limits(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        self.range.map_or(String::new(), |[low, high]| format!("{} to {}{unit}", short(low), short(high)))
    }

    fn fits(&self, key: &str) -> bool {
        let (mut own, mut other) = (self.pattern.split('.'), key.split('.'));
        loop {
            match (own.next(), other.next()) {
                (None, None) => return true,
                (Some(own), Some(other)) if own == "*" || own == other => {}
                _ => return false,
            }
        }
    }
}

/// `100000000` is hard to read, and so is `1e-1`.
fn short(number: f64) -> String {
    let plain = number == 0.0 || (1e-3..1e5).contains(&number.abs());
    if plain { format!("{number}") } else { format!("{number:e}") }
}

/// Every value of a file, in its order; what no setup has is left to the reader of setups to complain of.
pub(super) fn values(text: &str) -> Result<Vec<SetupValue>, toml::de::Error> {
    let table = DeTable::parse(text)?;
    let mut found = Vec::new();
    walk_table("", table.get_ref(), text, &mut found);
    found.sort_by_key(|value| value.span.start);
    Ok(found)
}

fn walk_table(prefix: &str, table: &DeTable<'_>, text: &str, found: &mut Vec<SetupValue>) {
    for (key, value) in table {
        let key: &str = key.get_ref();
        let path = if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
        walk(&path, value, text, found);
    }
}

fn walk(path: &str, value: &Spanned<DeValue<'_>>, text: &str, found: &mut Vec<SetupValue>) {
    let kind = match value.get_ref() {
        DeValue::Table(table) => return walk_table(path, table, text, found),
        DeValue::Array(items) => {
            for item in items {
                if let DeValue::Table(table) = item.get_ref() {
                    let name = table.get("name").and_then(|name| name.get_ref().as_str()).unwrap_or("?");
                    walk_table(&format!("{path}.{name}"), table, text, found);
                }
            }
            let parts = items.iter().map(|item| Some((number_of(item.get_ref())?, item.span())));
            match parts.collect::<Option<Vec<_>>>() {
                Some(parts) if !parts.is_empty() => Kind::Array(parts),
                _ => return,
            }
        }
        DeValue::String(_) => Kind::Word,
        DeValue::Boolean(_) => Kind::Truth,
        other => match number_of(other) {
            Some(number) => Kind::Number(number),
            None => return,
        },
    };
    // Names of bodies, joints and contacts are the way to their values.
    let Some(quantity) = QUANTITIES.iter().find(|quantity| quantity.fits(path)) else { return };
    let span = value.span();
    let line = text[..span.start].matches('\n').count() + 1;
    found.push(SetupValue {
        key: path.to_owned(),
        value: text[span.clone()].to_owned(),
        quantity: *quantity,
        note: comment(text, span.end).map_or(String::new(), |(_, note)| note.to_owned()),
        line,
        span,
        kind,
    });
}

fn number_of(value: &DeValue<'_>) -> Option<f64> {
    let text = match value {
        DeValue::Float(float) => float.as_str().replace('_', ""),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().replace('_', ""),
        _ => return None,
    };
    text.parse().ok()
}

/// The comment behind a place, if its line has one: where its `#` is, and its text. A `#` within a word in quotes is none.
fn comment(text: &str, from: usize) -> Option<(usize, &str)> {
    let rest = text[from..].split('\n').next().unwrap_or("");
    let mut quote = None;
    for (at, sign) in rest.char_indices() {
        match (sign, quote) {
            ('#', None) => return Some((from + at, rest[at + 1..].trim())),
            ('"' | '\'', None) => quote = Some(sign),
            (sign, Some(open)) if sign == open => quote = None,
            _ => {}
        }
    }
    None
}

/// The text with one value changed; whether the whole is still a sled is for the reader to say.
fn with(text: &str, key: &str, value: &str) -> Result<String, ValueError> {
    let found = values(text).map_err(|error| ValueError(error.message().trim().to_owned()))?;
    let splice = |span: &Range<usize>, new: &str| {
        let text = format!("{}{new}{}", &text[..span.start], &text[span.end..]);
        marked(text, span.start + new.len())
    };
    if let Some(own) = found.iter().find(|own| own.key == key) {
        return Ok(splice(&own.span, &own.written(value)?));
    }
    // A part of an array.
    if let Some((whole, part)) = key.rsplit_once('.')
        && let Some(own) = found.iter().find(|own| own.key == whole)
        && let Some(index) = own.quantity.parts.iter().position(|name| *name == part)
        && let Kind::Array(parts) = &own.kind
        && let Some((_, span)) = parts.get(index)
    {
        return Ok(splice(span, &own.number_written(index, value)?));
    }
    Err(ValueError(unknown(key, &found)))
}

impl SetupValue {
    /// A new value, as a file says it.
    fn written(&self, value: &str) -> Result<String, ValueError> {
        let value = value.trim();
        match &self.kind {
            Kind::Number(_) => self.number_written(0, value),
            Kind::Truth => match value {
                "true" | "false" => Ok(value.to_owned()),
                _ => Err(ValueError(format!("{} is true or false, not \"{value}\"", self.key))),
            },
            Kind::Word
                if value.is_empty() || value.chars().any(|c| c.is_control() || c == '"' || c == '\\') =>
            {
                Err(ValueError(format!("{} is a word without quotes, not \"{value}\"", self.key)))
            }
            Kind::Word => Ok(format!("\"{value}\"")),
            Kind::Array(parts) => {
                let inner = value.trim_start_matches('[').trim_end_matches(']');
                let new: Vec<&str> = inner.split(',').collect();
                if new.len() != parts.len() {
                    let (count, names) = (parts.len(), self.quantity.parts.join(","));
                    let what = format!("{} has {count} numbers, {names}: not \"{value}\"", self.key);
                    return Err(ValueError(what));
                }
                let new = new.iter().enumerate().map(|(index, part)| self.number_written(index, part));
                Ok(format!("[{}]", new.collect::<Result<Vec<_>, _>>()?.join(", ")))
            }
        }
    }

    fn number_written(&self, part: usize, value: &str) -> Result<String, ValueError> {
        let number: f64 = value
            .trim()
            .parse()
            .map_err(|_| ValueError(format!("{} is a number, not \"{}\"", self.key, value.trim())))?;
        self.beyond(part, number).map_or_else(|| Ok(format!("{number:?}")), |what| Err(ValueError(what)))
    }
}

/// What is said of a value that was set: whatever its comment says of its origin is no longer true.
const OWN: &str = "own value";

/// The text with that in the comment behind a place.
fn marked(mut text: String, place: usize) -> String {
    match comment(&text, place) {
        Some((_, note)) if note.starts_with(OWN) => {}
        Some((at, _)) => text.insert_str(at + 1, &format!(" {OWN}, before:")),
        None => {
            let end = line_end(&text, place);
            text.insert_str(end, &format!("  # {OWN}"));
        }
    }
    text
}

/// Where the line of a place ends.
fn line_end(text: &str, place: usize) -> usize {
    text[place..].find(['\r', '\n']).map_or(text.len(), |at| place + at)
}

/// What to say of a name that no value has: those that share most of their parts with it.
fn unknown(key: &str, found: &[SetupValue]) -> String {
    let parts: Vec<&str> = key.split('.').collect();
    let likeness = |other: &str| {
        let same = other.split('.').zip(&parts).take_while(|(own, part)| own == *part).count();
        let within = other.split('.').filter(|own| parts.contains(own)).count();
        (same, within)
    };
    let best = found.iter().map(|value| likeness(&value.key)).max().unwrap_or_default();
    let near: Vec<&str> = found
        .iter()
        .map(|value| &*value.key)
        .filter(|other| best != (0, 0) && likeness(other) == best)
        .take(6)
        .collect();
    if near.is_empty() {
        format!("no value is called \"{key}\"; the list of values has their names")
    } else {
        format!("no value is called \"{key}\"; near it are {}", near.join(", "))
    }
}

fn commented(text: &str, found: &[SetupValue]) -> String {
    let mut out = text.to_owned();
    // From the end, so that places before stay where they are.
    for line in found.chunk_by(|a, b| a.line == b.line).rev() {
        let said: Vec<String> = line
            .iter()
            .map(|value| {
                let limits = value.quantity.limits();
                let own = if limits.is_empty() { value.quantity.what.to_owned() } else { limits };
                let name = value.key.rsplit('.').next().unwrap_or_default();
                if line.len() > 1 { format!("{name} {own}") } else { own }
            })
            .collect();
        let said = said.join(", ");
        let Some(last) = line.last() else { continue };
        match comment(text, last.span.end) {
            Some((_, note)) if note.contains(&said) => {}
            Some((at, _)) => out.insert_str(at + 1, &format!(" {said};")),
            None => {
                let end = line_end(text, last.span.end);
                out.insert_str(end, &format!("  # {said}"));
            }
        }
    }
    out
}

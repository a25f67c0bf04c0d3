//! JSON values that know their place in the text, so that what is wrong with them can be said with line, column and key path.

use std::fmt;

use glam::DVec3;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::SceneFileError;
use super::error::Source;
use super::numbers::MAX_NUMBER;

/// A value in a JSON text.
#[derive(Clone)]
pub(super) struct Json<'a> {
    source: Source<'a>,
    /// The value's own part of the text.
    text: &'a str,
    /// Keys and indices that lead to it; empty for the document.
    path: String,
}

/// Names and values of an object, in the order of the text.
pub(super) struct Object<'a> {
    pub(super) entries: Vec<(String, Json<'a>)>,
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&Json<'a>> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value of a key as `read` understands it, or a default where the key is missing.
    pub(super) fn read<T>(
        &self,
        key: &str,
        default: T,
        read: impl FnOnce(&Json<'a>) -> Result<T, SceneFileError>,
    ) -> Result<T, SceneFileError> {
        self.get(key).map_or(Ok(default), read)
    }
}

impl<'a> Json<'a> {
    /// The whole text, whose syntax is checked here.
    pub(super) fn document(source: Source<'a>) -> Result<Json<'a>, SceneFileError> {
        let raw: &'a RawValue = serde_json::from_str(source.text).map_err(|error| SceneFileError {
            file: source.file.to_owned(),
            line: error.line().max(1),
            column: error.column().max(1),
            message: format!("this is no JSON: {}", without_place(&error)),
            help: None,
        })?;
        Ok(Json { source, text: raw.get(), path: String::new() })
    }

    /// Where the value begins, in bytes of the text.
    fn offset(&self) -> usize {
        // Both are parts of one text, so the difference of their addresses is the place in it.
        (self.text.as_ptr() as usize).saturating_sub(self.source.text.as_ptr() as usize)
    }

    /// What is wrong with this value, with its place.
    pub(super) fn error(&self, message: impl fmt::Display, help: Option<&str>) -> SceneFileError {
        let path = if self.path.is_empty() { "the document" } else { &self.path };
        let start = self.offset();
        self.source.error(
            start..start + self.text.len(),
            format!("{path}: {message}"),
            help.map(ToOwned::to_owned),
        )
    }

    /// The kind of value that stands here, for messages.
    fn kind(&self) -> &'static str {
        match self.text.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a text",
            Some(b't' | b'f') => "true or false",
            Some(b'n') => "null",
            _ => "a number",
        }
    }

    pub(super) fn is_list(&self) -> bool {
        self.text.starts_with('[')
    }

    pub(super) fn is_boolean(&self) -> bool {
        self.text.starts_with(['t', 'f'])
    }

    fn read<T: Deserialize<'a>>(&self, wanted: &str) -> Result<T, SceneFileError> {
        serde_json::from_str(self.text).map_err(|error| {
            let reason = without_place(&error);
            // A value of the right kind was refused for a reason of its own, such as a number out of range.
            if reason.starts_with("invalid type") {
                self.error(format!("this is {}, but must be {wanted}", self.kind()), None)
            } else {
                self.error(reason, None)
            }
        })
    }

    /// Names and values; a name that comes twice is an error.
    pub(super) fn object(&self) -> Result<Object<'a>, SceneFileError> {
        let Entries(raw) = self.read("an object: { \"key\": value, ... }")?;
        let mut entries: Vec<(String, Json<'a>)> = Vec::with_capacity(raw.len());
        for (name, value) in raw {
            let path = if self.path.is_empty() { name.clone() } else { format!("{}.{name}", self.path) };
            let value = Json { source: self.source, text: value.get(), path };
            if entries.iter().any(|(known, _)| *known == name) {
                return Err(value.error("the key is given twice", Some("keep one of them")));
            }
            entries.push((name, value));
        }
        Ok(Object { entries })
    }

    pub(super) fn list(&self) -> Result<Vec<Json<'a>>, SceneFileError> {
        let raw: Vec<&'a RawValue> = self.read("a list: [ ... ]")?;
        let item = |(index, value): (usize, &'a RawValue)| Json {
            source: self.source,
            text: value.get(),
            path: format!("{}[{index}]", self.path),
        };
        Ok(raw.into_iter().enumerate().map(item).collect())
    }

    /// A number that a scene can have.
    pub(super) fn number(&self) -> Result<f64, SceneFileError> {
        let number: f64 = self.read("a number")?;
        if number.abs() <= MAX_NUMBER {
            return Ok(number);
        }
        let help = format!("numbers are from -{MAX_NUMBER:e} to {MAX_NUMBER:e}");
        Err(self.error(format!("{number:e} is no number that a scene can have"), Some(&help)))
    }

    /// A whole number that fits into 64 bits.
    pub(super) fn whole_number(&self) -> Result<i64, SceneFileError> {
        self.read("a whole number")
    }

    pub(super) fn boolean(&self) -> Result<bool, SceneFileError> {
        self.read("true or false")
    }

    pub(super) fn string(&self) -> Result<String, SceneFileError> {
        self.read("a text in quotes")
    }

    /// Three numbers.
    pub(super) fn vector(&self) -> Result<DVec3, SceneFileError> {
        if !self.is_list() {
            return Err(self.error(
                format!("this is {}, but must be a list of three numbers", self.kind()),
                Some("scenes in the plane are not read"),
            ));
        }
        let items = self.list()?;
        let [x, y, z] = items.as_slice() else {
            let message = format!("the list has {} entries, but must have three numbers", items.len());
            return Err(self.error(message, Some("scenes in the plane are not read")));
        };
        Ok(DVec3::new(x.number()?, y.number()?, z.number()?))
    }
}

/// The message of an error without its place, which counts from the value's own beginning.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

/// An object as a list, so that nothing is lost or sorted.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }

        deserializer.deserialize_map(Collect).map(Entries)
    }
}

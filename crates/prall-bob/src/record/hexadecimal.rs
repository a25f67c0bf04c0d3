//! Numbers of 64 bits as sixteen hexadecimal digits: neither TOML nor JavaScript has them otherwise.

use serde::{Deserialize, Deserializer, Serializer, de};

/// Writes one.
pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{number:016x}"))
}

/// Reads one.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    u64::from_str_radix(&text, 16)
        .map_err(|_| de::Error::custom(format!("\"{text}\" must be up to sixteen hexadecimal digits")))
}

//! [`Colour`]: what a person writes for a colour.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A colour: red, green and blue from 0 to 255. In files `"#c0562f"`, `"#c52"` or one of the [names](Colour::NAMES).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub [u8; 3]);

impl Colour {
    /// Names and what they mean: tones that can be told apart beside each other, in light and dark.
    pub const NAMES: &'static [(&'static str, Colour)] = &[
        ("white", Colour([0xf2, 0xf2, 0xf0])),
        ("grey", Colour([0x8a, 0x93, 0x96])),
        ("black", Colour([0x23, 0x27, 0x2a])),
        ("red", Colour([0xb8, 0x3a, 0x32])),
        ("orange", Colour([0xc0, 0x56, 0x2f])),
        ("yellow", Colour([0xd9, 0xa4, 0x41])),
        ("green", Colour([0x4d, 0x7f, 0x4a])),
        ("teal", Colour([0x0a, 0x6b, 0x75])),
        ("blue", Colour([0x2f, 0x5f, 0xa8])),
        ("purple", Colour([0x7c, 0x5a, 0x8a])),
        ("brown", Colour([0x8a, 0x6a, 0x4a])),
        ("steel", Colour([0x9a, 0xa3, 0xa8])),
    ];

    /// As `#rrggbb`.
    pub fn hexadecimal(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Reads a name, `#rrggbb` or `#rgb`; `None` if it is none of them.
    pub fn parse(text: &str) -> Option<Colour> {
        if let Some((_, colour)) = Colour::NAMES.iter().find(|(name, _)| text.eq_ignore_ascii_case(name)) {
            return Some(*colour);
        }
        let digits: Option<Vec<u8>> =
            text.strip_prefix('#')?.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
        match digits?[..] {
            [a, b, c, d, e, f] => Some(Colour([16 * a + b, 16 * c + d, 16 * e + f])),
            [red, green, blue] => Some(Colour([17 * red, 17 * green, 17 * blue])),
            _ => None,
        }
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.hexadecimal())
    }
}

impl<'de> Deserialize<'de> for Colour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Colour, D::Error> {
        let text = String::deserialize(deserializer)?;
        Colour::parse(&text).ok_or_else(|| {
            if text.starts_with('#') {
                return D::Error::custom(format!("'{text}' is no colour; write it as #rrggbb or #rgb"));
            }
            let names: Vec<String> = Colour::NAMES.iter().map(|(name, _)| format!("`{name}`")).collect();
            D::Error::custom(format!(
                "unknown colour `{text}`, expected #rrggbb or one of {}",
                names.join(", ")
            ))
        })
    }
}

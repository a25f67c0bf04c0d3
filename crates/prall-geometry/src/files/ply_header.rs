//! The header of a PLY file: which elements with which properties, and how they are stored.

use super::error::{Malformed, quote};
use super::text::{Words, integer};

/// How the numbers after the header are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a number; every value of each is exact as an f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Single(Scalar),
    List { count: Scalar, item: Scalar },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Property<'text> {
    pub(super) name: &'text [u8],
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) struct Element<'text> {
    pub(super) name: &'text [u8],
    pub(super) count: u64,
    pub(super) properties: Vec<Property<'text>>,
    /// The line that declares it.
    pub(super) line: usize,
}

#[derive(Debug)]
pub(super) struct Header<'text> {
    pub(super) storage: Storage,
    pub(super) elements: Vec<Element<'text>>,
    /// What comes after the header, and where that begins in the file.
    pub(super) body: &'text [u8],
    pub(super) body_byte: usize,
    pub(super) body_line: usize,
}

impl Scalar {
    fn from_word(word: &[u8], line: usize) -> Result<Scalar, Malformed> {
        Ok(match word {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return Err(Malformed::line(line, format!("{} is not a PLY number type", quote(word)))),
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Scalar::F32 | Scalar::F64)
    }
}

impl Element<'_> {
    /// Index of the property with one of these names.
    pub(super) fn property(&self, names: &[&[u8]]) -> Option<usize> {
        self.properties.iter().position(|property| names.contains(&property.name))
    }

    /// The fewest bytes that one of these can take.
    fn least_bytes(&self, storage: Storage) -> u64 {
        let least = |property: &Property<'_>| match (storage, property.kind) {
            // A digit and the blank after it.
            (Storage::Text, _) => 2,
            (_, Kind::Single(scalar)) => scalar.size() as u64,
            (_, Kind::List { count, .. }) => count.size() as u64,
        };
        self.properties.iter().map(least).sum()
    }
}

impl<'text> Header<'text> {
    pub(super) fn read(bytes: &'text [u8]) -> Result<Header<'text>, Malformed> {
        let line_end = line_end(bytes)?;
        let mut storage = None;
        let mut elements: Vec<Element<'text>> = Vec::new();
        let (mut at, mut line) = (0, 0);
        loop {
            let rest = &bytes[at..];
            let Some(length) = rest.windows(line_end.len()).position(|window| window == line_end) else {
                return Err(Malformed::line(line + 1, "the file ends before \"end_header\""));
            };
            at += length + line_end.len();
            line += 1;
            let mut words =
                if line == 1 { Words::new(rest) } else { Words::from_line(&rest[..length], line) };
            match words.word() {
                _ if line == 1 => {}
                Some(b"format") => storage = Some(storage_line(&mut words)?),
                Some(b"element") => elements.push(element_line(&mut words, &elements)?),
                Some(b"property") => property_line(&mut words, &mut elements)?,
                None | Some(b"comment" | b"obj_info") => {}
                Some(b"end_header") => break,
                Some(other) => {
                    return Err(Malformed::line(line, format!("{} is not a PLY header line", quote(other))));
                }
            }
        }
        let storage = storage.ok_or_else(|| Malformed::line(line, "the header has no \"format\" line"))?;
        let header = Header { storage, elements, body: &bytes[at..], body_byte: at, body_line: line + 1 };
        header.check_size()?;
        Ok(header)
    }

    pub(super) fn element(&self, name: &[u8]) -> Option<&Element<'text>> {
        self.elements.iter().find(|element| element.name == name)
    }

    /// Counts are believed, by readers that reserve memory or loop, only after this.
    fn check_size(&self) -> Result<(), Malformed> {
        let mut needed: u128 = 0;
        for element in &self.elements {
            if element.properties.is_empty() && element.count > 0 {
                let what = format!("element {} has no properties", quote(element.name));
                return Err(Malformed::line(element.line, what));
            }
            needed += u128::from(element.count) * u128::from(element.least_bytes(self.storage));
            // The last number of a text file need not be followed by a blank.
            let there = self.body.len() as u128 + u128::from(self.storage == Storage::Text);
            if needed > there {
                let what = format!(
                    "{} {} cannot be in this file: with those before they take at least {needed} bytes, and there \
                     are {} after the header",
                    element.count,
                    quote(element.name),
                    self.body.len()
                );
                return Err(Malformed::line(element.line, what));
            }
        }
        Ok(())
    }
}

/// How the header's lines end; told by the first one, since a binary body may begin with any byte.
fn line_end(bytes: &[u8]) -> Result<&'static [u8], Malformed> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let blanks = |rest: &[u8]| rest.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
    match text.strip_prefix(b"ply").map(|rest| &rest[blanks(rest)..]) {
        Some([b'\r', b'\n', ..]) => Ok(b"\r\n"),
        Some([b'\r', ..]) => Ok(b"\r"),
        Some([b'\n', ..]) => Ok(b"\n"),
        _ => Err(Malformed::line(1, "a PLY file begins with the line \"ply\"")),
    }
}

fn storage_line(words: &mut Words<'_>) -> Result<Storage, Malformed> {
    let line = words.line();
    let storage = match words.word() {
        Some(b"ascii") => Storage::Text,
        Some(b"binary_little_endian") => Storage::LittleEndian,
        Some(b"binary_big_endian") => Storage::BigEndian,
        other => {
            let what = format!(
                "format {}; PLY has ascii, binary_little_endian and binary_big_endian",
                quote(other.unwrap_or_default())
            );
            return Err(Malformed::line(line, what));
        }
    };
    match words.word() {
        Some(b"1.0") => Ok(storage),
        other => Err(Malformed::line(
            line,
            format!("PLY version {} is not read, only 1.0", quote(other.unwrap_or_default())),
        )),
    }
}

fn element_line<'text>(
    words: &mut Words<'text>,
    before: &[Element<'text>],
) -> Result<Element<'text>, Malformed> {
    let line = words.line();
    let (Some(name), Some(count)) = (words.word(), words.word()) else {
        return Err(Malformed::line(line, "an element line has a name and a count"));
    };
    // Only these two are looked up by name; the check stays linear in the number of elements.
    if matches!(name, b"vertex" | b"face") && before.iter().any(|element| element.name == name) {
        return Err(Malformed::line(line, format!("a second element {}", quote(name))));
    }
    let count = u64::try_from(integer(count, line)?)
        .map_err(|_| Malformed::line(line, format!("a negative count of {}", quote(name))))?;
    Ok(Element { name, count, properties: Vec::new(), line })
}

fn property_line<'text>(words: &mut Words<'text>, elements: &mut [Element<'text>]) -> Result<(), Malformed> {
    let line = words.line();
    let incomplete = || {
        Malformed::line(line, "a property line is \"property type name\" or \"property list type type name\"")
    };
    let Some(element) = elements.last_mut() else {
        return Err(Malformed::line(line, "a property before the first element"));
    };
    let first = words.word().ok_or_else(incomplete)?;
    let kind = if first == b"list" {
        let count = Scalar::from_word(words.word().ok_or_else(incomplete)?, line)?;
        let item = Scalar::from_word(words.word().ok_or_else(incomplete)?, line)?;
        if !count.is_integer() {
            return Err(Malformed::line(line, "the length of a list must be of an integer type"));
        }
        Kind::List { count, item }
    } else {
        Kind::Single(Scalar::from_word(first, line)?)
    };
    let name = words.word().ok_or_else(incomplete)?;
    element.properties.push(Property { name, kind });
    Ok(())
}

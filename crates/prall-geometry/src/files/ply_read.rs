//! PLY: polygons, text or binary, with any further elements and properties passed over.
//!
//! Read are the properties `x`, `y`, `z` of the element `vertex` and the list `vertex_indices` (or `vertex_index`) of
//! the element `face`. In a text file every vertex and every face has a line of its own, and a line with too few or too
//! many numbers is an error rather than a reason to read all that follows out of step.

use glam::DVec3;

use super::error::{Malformed, Place, quote};
use super::model::Model;
use super::options::Conversion;
use super::ply_header::{Element, Header, Kind, Scalar, Storage};
use super::text::{Words, number};
use crate::soup::PolygonSoup;

pub(super) fn read(bytes: &[u8], conversion: &Conversion) -> Result<Model, Malformed> {
    let header = Header::read(bytes)?;
    let columns = Columns::find(&header)?;
    let count = |name: &[u8]| header.element(name).map_or(0, |element| element.count) as usize;
    // The header has been checked: the bytes for these counts are there.
    let mut soup = PolygonSoup::with_capacity(count(b"vertex"), count(b"face"));
    let mut body = Body::new(&header);
    for element in &header.elements {
        match element.name {
            b"vertex" => vertices(&mut body, element, &columns, conversion, &mut soup)?,
            b"face" => faces(&mut body, element, &columns, &mut soup)?,
            _ => skip(&mut body, element)?,
        }
    }
    body.end()?;
    Ok(Model::from_soup("", soup))
}

/// Where the properties that are wanted stand in their rows.
struct Columns {
    xyz: [usize; 3],
    corners: usize,
}

impl Columns {
    fn find(header: &Header<'_>) -> Result<Columns, Malformed> {
        let end = header.body_line.saturating_sub(1);
        let order: Vec<&[u8]> = header.elements.iter().map(|element| element.name).collect();
        let at = |name: &[u8]| order.iter().position(|&other| other == name);
        let (Some(vertex), Some(face)) = (at(b"vertex"), at(b"face")) else {
            let strips = if at(b"tristrips").is_some() {
                "; triangle strips are not read, save the file with faces"
            } else {
                ""
            };
            return Err(Malformed::line(
                end,
                format!("the header lacks an element \"vertex\" or \"face\"{strips}"),
            ));
        };
        let (vertex, face) = (&header.elements[vertex], &header.elements[face]);
        if face.line < vertex.line {
            return Err(Malformed::line(face.line, "faces before vertices are not read"));
        }
        let mut xyz = [0; 3];
        for (axis, slot) in [&b"x"[..], b"y", b"z"].into_iter().zip(&mut xyz) {
            *slot = vertex
                .property(&[axis])
                .filter(|&index| matches!(vertex.properties[index].kind, Kind::Single(_)))
                .ok_or_else(|| {
                    Malformed::line(vertex.line, format!("vertices lack the number {}", quote(axis)))
                })?;
        }
        let corners = face
            .property(&[b"vertex_indices", b"vertex_index"])
            .filter(
                |&index| matches!(face.properties[index].kind, Kind::List { item, .. } if item.is_integer()),
            )
            .ok_or_else(|| {
                Malformed::line(face.line, "faces lack the list of integers \"vertex_indices\"")
            })?;
        Ok(Columns { xyz, corners })
    }
}

fn vertices(
    body: &mut Body<'_>,
    element: &Element<'_>,
    columns: &Columns,
    conversion: &Conversion,
    soup: &mut PolygonSoup,
) -> Result<(), Malformed> {
    for _ in 0..element.count {
        let place = body.begin_row()?;
        let mut position = [0.0; 3];
        for (index, property) in element.properties.iter().enumerate() {
            match property.kind {
                Kind::Single(scalar) => {
                    let wanted = columns.xyz.iter().position(|&column| column == index);
                    match wanted {
                        Some(axis) => position[axis] = body.value(scalar)?,
                        None => body.pass(scalar, 1)?,
                    }
                }
                Kind::List { count, item } => body.pass_list(count, item)?,
            }
        }
        body.end_row()?;
        soup.push_position(conversion.point(DVec3::from_array(position)))
            .map_err(|error| Malformed::soup(place, error))?;
    }
    Ok(())
}

fn faces(
    body: &mut Body<'_>,
    element: &Element<'_>,
    columns: &Columns,
    soup: &mut PolygonSoup,
) -> Result<(), Malformed> {
    let mut corners: Vec<u32> = Vec::new();
    for _ in 0..element.count {
        let place = body.begin_row()?;
        for (index, property) in element.properties.iter().enumerate() {
            match property.kind {
                Kind::Single(scalar) => body.pass(scalar, 1)?,
                Kind::List { count, item } if index == columns.corners => {
                    let length = body.list_length(count, item)?;
                    corners.clear();
                    for _ in 0..length {
                        corners.push(body.index(item)?);
                    }
                }
                Kind::List { count, item } => body.pass_list(count, item)?,
            }
        }
        body.end_row()?;
        soup.push_face(&corners).map_err(|error| Malformed::soup(place, error))?;
    }
    Ok(())
}

fn skip(body: &mut Body<'_>, element: &Element<'_>) -> Result<(), Malformed> {
    for _ in 0..element.count {
        body.begin_row()?;
        for property in &element.properties {
            match property.kind {
                Kind::Single(scalar) => body.pass(scalar, 1)?,
                Kind::List { count, item } => body.pass_list(count, item)?,
            }
        }
        body.end_row()?;
    }
    Ok(())
}

/// The numbers after the header.
enum Body<'text> {
    Text(Words<'text>),
    Binary { bytes: &'text [u8], at: usize, first_byte: usize, big: bool },
}

impl<'text> Body<'text> {
    fn new(header: &Header<'text>) -> Body<'text> {
        match header.storage {
            Storage::Text => Body::Text(Words::from_line(header.body, header.body_line)),
            storage => Body::Binary {
                bytes: header.body,
                at: 0,
                first_byte: header.body_byte,
                big: storage == Storage::BigEndian,
            },
        }
    }

    fn place(&self) -> Place {
        match self {
            Body::Text(words) => Place::Line(words.line()),
            Body::Binary { at, first_byte, .. } => Place::Byte(first_byte + at),
        }
    }

    fn fail(&self, problem: impl Into<String>) -> Malformed {
        Malformed { place: self.place(), problem: problem.into() }
    }

    /// Goes to the next line of a text file that is not blank; where the row begins.
    fn begin_row(&mut self) -> Result<Place, Malformed> {
        if let Body::Text(words) = self {
            while words.at_line_end() {
                if !words.next_line() {
                    return Err(self.fail("the file ends before all elements that the header counts"));
                }
            }
        }
        Ok(self.place())
    }

    fn end_row(&mut self) -> Result<(), Malformed> {
        if let Body::Text(words) = self {
            if let Some(word) = words.word() {
                let what = format!("{} is one more than the properties in the header", quote(word));
                return Err(self.fail(what));
            }
            words.next_line();
        }
        Ok(())
    }

    /// Nothing may come after the last element.
    fn end(&mut self) -> Result<(), Malformed> {
        let left = match self {
            Body::Text(words) => words.word_anywhere().is_some(),
            Body::Binary { bytes, at, .. } => *at < bytes.len(),
        };
        if left {
            Err(self.fail("the file goes on after all elements that the header counts"))
        } else {
            Ok(())
        }
    }

    fn word(&mut self) -> Result<&'text [u8], Malformed> {
        if let Body::Text(words) = self
            && let Some(word) = words.word()
        {
            return Ok(word);
        }
        Err(self.fail("the line ends before all properties that the header names"))
    }

    /// The next `N` bytes in little-endian order.
    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        if let Body::Binary { bytes, at, big, .. } = self
            && let Some((found, _)) = bytes.get(*at..).and_then(|rest| rest.split_first_chunk::<N>())
        {
            *at += N;
            let mut found = *found;
            if *big {
                found.reverse();
            }
            return Ok(found);
        }
        Err(self.fail("the file ends before all elements that the header counts"))
    }

    #[inline]
    fn value(&mut self, scalar: Scalar) -> Result<f64, Malformed> {
        if let Body::Text(words) = self {
            let line = words.line();
            return number(self.word()?, line);
        }
        Ok(match scalar {
            Scalar::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Scalar::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Scalar::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Scalar::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Scalar::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Scalar::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Scalar::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    /// A value that must be a whole number from 0 to below 2³².
    #[inline]
    fn index(&mut self, scalar: Scalar) -> Result<u32, Malformed> {
        let place = self.place();
        let value = self.value(scalar)?;
        let index = value as u32;
        if f64::from(index) == value {
            return Ok(index);
        }
        Err(Malformed { place, problem: format!("{value} is not a vertex index or a list length") })
    }

    fn list_length(&mut self, count: Scalar, item: Scalar) -> Result<usize, Malformed> {
        let place = self.place();
        let length = self.index(count)? as usize;
        if let Body::Binary { bytes, at, .. } = self
            && (bytes.len() - *at) / item.size() < length
        {
            let problem = format!("a list of {length} numbers, but the file ends before that");
            return Err(Malformed { place, problem });
        }
        Ok(length)
    }

    fn pass_list(&mut self, count: Scalar, item: Scalar) -> Result<(), Malformed> {
        let length = self.list_length(count, item)?;
        self.pass(item, length)
    }

    /// Goes past numbers that nobody wants.
    fn pass(&mut self, scalar: Scalar, count: usize) -> Result<(), Malformed> {
        match self {
            Body::Text(_) => {
                for _ in 0..count {
                    self.word()?;
                }
            }
            Body::Binary { bytes, at, .. } => {
                let size = scalar.size() * count;
                if bytes.len() - *at < size {
                    return Err(self.fail("the file ends before all elements that the header counts"));
                }
                *at += size;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::options::ReadOptions;

    fn try_read(bytes: &[u8]) -> Result<Model, String> {
        read(bytes, &Conversion::new(&ReadOptions::default()).unwrap())
            .map_err(|malformed| format!("{}: {}", malformed.place, malformed.problem))
    }

    const HEADER: &str = "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty uchar red\n\
        property double x\nproperty float y\nproperty float z\nelement face 1\n\
        property list uchar int vertex_indices\nproperty uchar flags\nelement edge 1\nproperty list int float w\n\
        end_header\n";
    const BODY: &str = "255 0.1 0 0\n0 1 0 0\n0 1 1 0\n0 0 1 0\n4 0 1 2 3 7\n2 0.5 0.5\n";

    /// The same content as HEADER with BODY, in binary.
    fn binary(big: bool) -> Vec<u8> {
        let order = |mut bytes: Vec<u8>| {
            if big {
                bytes.reverse();
            }
            bytes
        };
        let name = if big { "binary_big_endian" } else { "binary_little_endian" };
        let mut bytes = HEADER.replace("ascii", name).into_bytes();
        for (red, x, y) in [(255, 0.1_f64, 0.0_f32), (0, 1.0, 0.0), (0, 1.0, 1.0), (0, 0.0, 1.0)] {
            bytes.push(red);
            bytes.extend(order(x.to_le_bytes().to_vec()));
            bytes.extend(order(y.to_le_bytes().to_vec()));
            bytes.extend([0; 4]);
        }
        bytes.push(4);
        for corner in 0..4_i32 {
            bytes.extend(order(corner.to_le_bytes().to_vec()));
        }
        bytes.push(7);
        bytes.extend(order(2_i32.to_le_bytes().to_vec()));
        bytes.extend([0; 8]);
        bytes
    }

    #[test]
    fn text_and_both_byte_orders_say_the_same() {
        let text = try_read(format!("{HEADER}{BODY}").as_bytes()).unwrap();
        assert_eq!(text.soups()[0].face(0), &[0, 1, 2, 3]);
        assert_eq!(text.soups()[0].positions()[0], DVec3::new(0.1, 0.0, 0.0));
        for big in [false, true] {
            assert_eq!(try_read(&binary(big)).unwrap(), text, "big endian: {big}");
        }
    }

    #[test]
    fn the_first_line_tells_how_the_header_lines_end() {
        let text = format!("{HEADER}{BODY}");
        for end in ["\r\n", "\r"] {
            assert!(try_read(text.replace('\n', end).as_bytes()).is_ok(), "{end:?}");
        }
        let mut bytes = HEADER.replace("ascii", "binary_little_endian").replace('\n', "\r\n").into_bytes();
        bytes.extend(&binary(false)[HEADER.replace("ascii", "binary_little_endian").len()..]);
        assert!(try_read(&bytes).is_ok());
    }

    #[test]
    fn a_file_cut_off_anywhere_is_an_error() {
        let text = format!("{HEADER}{BODY}").into_bytes();
        // Without its last line end and without the last digit of its last number the text is still whole.
        for length in 0..text.len() - 3 {
            assert!(try_read(&text[..length]).is_err(), "text, {length}");
        }
        for big in [false, true] {
            let bytes = binary(big);
            for length in 0..bytes.len() {
                assert!(try_read(&bytes[..length]).is_err(), "big endian {big}, {length}");
            }
        }
    }

    #[test]
    fn counts_are_not_believed_without_their_bytes() {
        for count in ["1000000000000000000", "4294967296", "100"] {
            let text = format!("{HEADER}{BODY}").replace("vertex 4", &format!("vertex {count}"));
            let message = try_read(text.as_bytes()).unwrap_err();
            assert!(
                message.starts_with(&format!("line 4: {count} \"vertex\" cannot be in this file")),
                "{message}"
            );
        }
        let text =
            format!("{HEADER}{BODY}").replace("edge 1\nproperty list int float w\n", "edge 1000000000000\n");
        assert!(try_read(text.as_bytes()).unwrap_err().contains("\"edge\" has no properties"));
    }

    #[test]
    fn a_long_list_in_a_short_file_is_refused() {
        let mut bytes = binary(false);
        let edge = bytes.len() - 12;
        bytes[edge..edge + 4].copy_from_slice(&i32::MAX.to_le_bytes());
        let message = try_read(&bytes).unwrap_err();
        assert_eq!(
            message,
            format!("byte {edge}: a list of 2147483647 numbers, but the file ends before that")
        );
    }

    #[test]
    fn errors_name_the_place_and_the_culprit() {
        let change = |from: &str, to: &str| {
            try_read(format!("{HEADER}{BODY}").replace(from, to).as_bytes()).unwrap_err()
        };
        let cases = [
            (change("0 1 1 0\n", "0 1 1\n"), "line 17: the line ends before all properties"),
            (change("0 1 1 0\n", "0 1 1 0 9\n"), "line 17: \"9\" is one more than the properties"),
            (change("0 1 1 0\n", "0 1,5 1 0\n"), "line 17: \"1,5\" is not a number; decimals"),
            (change("0 1 1 0\n", "0 nan 1 0\n"), "line 17: \"nan\" is not a finite number"),
            (change("4 0 1 2 3 7", "4 0 1 2 4 7"), "line 19: face 0 names vertex 4"),
            (change("4 0 1 2 3 7", "4 0 1 2 -1 7"), "line 19: -1 is not a vertex index"),
            (change("4 0 1 2 3 7", "2 0 1 7"), "line 19: face 0 has 2 corners"),
            (change("2 0.5 0.5\n", "2 0.5 0.5\nmore"), "line 21: the file goes on"),
            (change("double x", "double q"), "line 4: vertices lack the number \"x\""),
            (change("int vertex_ind", "float vertex_ind"), "line 9: faces lack the list of integers"),
            (change("float y", "real y"), "line 7: \"real\" is not a PLY number type"),
            (change("ascii 1.0", "ascii 2.0"), "line 2: PLY version \"2.0\""),
            (change("ascii", "zipped"), "line 2: format \"zipped\""),
            (change("element face 1", "element face -1"), "line 9: a negative count"),
            (change("end_header\n", ""), "line 14: \"255\" is not a PLY header line"),
            (change("element face", "element tristrips"), "line 14: the header lacks"),
        ];
        for (message, expected) in cases {
            assert!(message.starts_with(expected), "{message}\nnot\n{expected}");
        }
    }
}

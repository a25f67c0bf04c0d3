//! STL, binary and text: triangles, each with its own three vertices.
//!
//! Binary files may begin with "solid" too, so the beginning does not tell them apart. A binary file of n triangles
//! has exactly 84 + 50 n bytes, with n at byte 80; in a text file those four bytes are characters, which as a number
//! would demand more than 25 gigabytes. So a file of exactly that length is binary. Of the rest, one that begins with
//! "solid" and has no control character near its start is text; what remains is a binary file of the wrong length,
//! and an error. Facet normals are passed over: they follow from the vertices, and often contradict them.
//! Vertices are not merged here; that is for the mesh built from the soup, which knows a tolerance.

use glam::{DAffine3, DVec3};

use super::error::{Malformed, Place, quote};
use super::model::{Model, Node};
use super::options::Conversion;
use super::text::{Words, name, number};
use crate::soup::PolygonSoup;

const HEADER: usize = 84;
const TRIANGLE: usize = 50;

/// How much of a file is looked at for control characters; a binary header with its count and first triangle.
const TEXT_SAMPLE: usize = 134;

pub(super) fn read(bytes: &[u8], conversion: &Conversion) -> Result<Model, Malformed> {
    if !has_length_of_binary(bytes) && looks_like_text(bytes) {
        read_text(bytes, conversion)
    } else {
        Ok(Model::from_soup("", read_binary(bytes, conversion)?))
    }
}

/// Whether the length is exactly that of a binary file with the count at byte 80.
pub(super) fn has_length_of_binary(bytes: &[u8]) -> bool {
    triangle_count(bytes).is_some_and(|count| bytes.len() as u64 == binary_length(count))
}

fn triangle_count(bytes: &[u8]) -> Option<u32> {
    bytes.get(80..HEADER).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes)
}

fn binary_length(triangles: u32) -> u64 {
    HEADER as u64 + TRIANGLE as u64 * u64::from(triangles)
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let begins = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let sample = &bytes[..bytes.len().min(TEXT_SAMPLE)];
    begins && !sample.iter().any(|b| b.is_ascii_control() && !b.is_ascii_whitespace())
}

fn read_binary(bytes: &[u8], conversion: &Conversion) -> Result<PolygonSoup, Malformed> {
    let Some(count) = triangle_count(bytes) else {
        let what = format!(
            "the file has {} bytes; a binary STL begins with a header of {HEADER}, a text one with \"solid\"",
            bytes.len()
        );
        return Err(Malformed::byte(bytes.len(), what));
    };
    if bytes.len() as u64 != binary_length(count) {
        let what = format!(
            "the header counts {count} triangles, so the file should have {} bytes, but it has {}",
            binary_length(count),
            bytes.len()
        );
        return Err(Malformed::byte(80, what));
    }
    // The length has just been seen to fit the count, so it may be believed.
    let mut soup = PolygonSoup::with_capacity(3 * count as usize, count as usize);
    let (triangles, _) = bytes[HEADER..].as_chunks::<TRIANGLE>();
    for (index, triangle) in triangles.iter().enumerate() {
        let place = |within: usize| HEADER + TRIANGLE * index + within;
        let mut corners = [0; 3];
        for (corner, slot) in corners.iter_mut().enumerate() {
            // Twelve bytes of normal come first, two of attributes last.
            let at = 12 + 12 * corner;
            let coordinate = |k: usize| {
                f64::from(f32::from_le_bytes(std::array::from_fn(|byte| triangle[at + 4 * k + byte])))
            };
            let position = DVec3::new(coordinate(0), coordinate(1), coordinate(2));
            *slot = soup
                .push_position(conversion.point(position))
                .map_err(|error| Malformed::soup(Place::Byte(place(at)), error))?;
        }
        soup.push_face(&corners).map_err(|error| Malformed::soup(Place::Byte(place(0)), error))?;
    }
    Ok(soup)
}

fn read_text(bytes: &[u8], conversion: &Conversion) -> Result<Model, Malformed> {
    let mut words = Words::new(bytes);
    let mut model = Model::new();
    while let Some(word) = words.word_anywhere() {
        let line = words.line();
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(Malformed::line(line, format!("expected \"solid\", found {}", quote(word))));
        }
        let name = name(words.rest_of_line());
        let soup = solid(&mut words, conversion)?;
        let soups = vec![model.push_soup(soup)];
        model
            .push_node(Node { name, parent: None, transform: DAffine3::IDENTITY, soups })
            .map_err(|error| Malformed::line(line, error.to_string()))?;
    }
    Ok(model)
}

/// Facets up to and with `endsolid`.
fn solid(words: &mut Words<'_>, conversion: &Conversion) -> Result<PolygonSoup, Malformed> {
    let mut soup = PolygonSoup::new();
    loop {
        let word = words.word_anywhere().ok_or_else(|| ended(words, "facet\" or \"endsolid"))?;
        if word.eq_ignore_ascii_case(b"endsolid") {
            words.rest_of_line();
            return Ok(soup);
        }
        if !word.eq_ignore_ascii_case(b"facet") {
            let what = format!("expected \"facet\" or \"endsolid\", found {}", quote(word));
            return Err(Malformed::line(words.line(), what));
        }
        facet(words, &mut soup, conversion)?;
    }
}

/// The rest of a facet after its first word.
fn facet(words: &mut Words<'_>, soup: &mut PolygonSoup, conversion: &Conversion) -> Result<(), Malformed> {
    expect(words, "normal")?;
    for _ in 0..3 {
        words.word_anywhere().ok_or_else(|| ended(words, "a normal"))?;
    }
    expect(words, "outer")?;
    expect(words, "loop")?;
    let mut corners = [0; 3];
    for slot in &mut corners {
        expect(words, "vertex")?;
        let mut coordinates = [0.0; 3];
        for coordinate in &mut coordinates {
            let word = words.word_anywhere().ok_or_else(|| ended(words, "a coordinate"))?;
            *coordinate = number(word, words.line())?;
        }
        *slot = soup
            .push_position(conversion.point(DVec3::from_array(coordinates)))
            .map_err(|error| Malformed::soup(Place::Line(words.line()), error))?;
    }
    expect(words, "endloop")?;
    expect(words, "endfacet")?;
    soup.push_face(&corners).map_err(|error| Malformed::soup(Place::Line(words.line()), error))
}

fn expect(words: &mut Words<'_>, keyword: &str) -> Result<(), Malformed> {
    let word = words.word_anywhere().ok_or_else(|| ended(words, keyword))?;
    if word.eq_ignore_ascii_case(keyword.as_bytes()) {
        return Ok(());
    }
    Err(Malformed::line(words.line(), format!("expected \"{keyword}\", found {}", quote(word))))
}

fn ended(words: &Words<'_>, expected: &str) -> Malformed {
    Malformed::line(words.line(), format!("the file ends where \"{expected}\" should come"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::options::{ReadOptions, UpAxis};

    fn conversion() -> Conversion {
        Conversion::new(&ReadOptions::default()).unwrap()
    }

    fn error(bytes: &[u8]) -> String {
        let malformed = read(bytes, &conversion()).unwrap_err();
        format!("{}: {}", malformed.place, malformed.problem)
    }

    /// One triangle with corners x, y, z, after the given header.
    fn binary(header: &[u8], count: u32) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(count.to_le_bytes());
        for value in [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0_f32] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend([0, 0]);
        bytes
    }

    const TEXT: &str = "solid two words\nfacet normal nan nan nan\n outer loop\n  vertex 1 0 0\n  vertex 0 1 0\n  \
                        vertex 0 0 1\n endloop\nendfacet\nendsolid two words\n";

    #[test]
    fn a_binary_file_may_begin_with_solid() {
        for header in [&b"solid"[..], b"solid exported by a CAD system", b"anything"] {
            let model = read(&binary(header, 1), &conversion()).unwrap();
            assert_eq!(model.soups()[0].positions(), &[DVec3::X, DVec3::Y, DVec3::Z]);
        }
    }

    #[test]
    fn a_binary_file_that_begins_with_solid_and_is_cut_off_is_still_known_as_binary() {
        let whole = binary(b"solid", 1);
        for length in 84..whole.len() {
            assert!(error(&whole[..length]).contains("the header counts 1 triangles"), "{length}");
        }
    }

    #[test]
    fn text_and_binary_say_the_same() {
        let text = read(TEXT.as_bytes(), &conversion()).unwrap();
        assert_eq!(text.nodes()[0].name, "two words");
        assert_eq!(text.soups(), read(&binary(b"", 1), &conversion()).unwrap().soups());
    }

    #[test]
    fn several_solids_are_several_parts() {
        let model =
            read(format!("{TEXT}{}", TEXT.replace("two words", "other")).as_bytes(), &conversion()).unwrap();
        assert_eq!(model.nodes().iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["two words", "other"]);
    }

    #[test]
    fn keywords_in_capitals_and_any_line_breaks_are_read() {
        let shouted = TEXT.replace("two words", "X").to_uppercase().replace("\n ", " ").replace('\n', "\r\n");
        assert_eq!(read(shouted.as_bytes(), &conversion()).unwrap().soups()[0].face_count(), 1);
    }

    #[test]
    fn millimetres_with_z_up_arrive_as_metres_with_y_up() {
        let options = ReadOptions { scale: 0.001, up: UpAxis::Z };
        let model = read(TEXT.as_bytes(), &Conversion::new(&options).unwrap()).unwrap();
        let milli = 0.001;
        assert_eq!(model.soups()[0].positions(), &[DVec3::X * milli, -DVec3::Z * milli, DVec3::Y * milli]);
    }

    #[test]
    fn a_count_is_not_believed_without_its_bytes() {
        let mut bytes = binary(b"", u32::MAX);
        bytes.truncate(100);
        let expected = "byte 80: the header counts 4294967295 triangles, so the file should have 214748364834 bytes, \
                        but it has 100";
        assert_eq!(error(&bytes), expected);
    }

    #[test]
    fn errors_name_the_place_and_the_culprit() {
        let mut not_finite = binary(b"", 1);
        not_finite[84 + 12 + 12..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(
            error(&not_finite).starts_with("byte 108: vertex 1 has a coordinate that is not a finite number")
        );
        assert!(error(&TEXT.replace("0 1 0", "0 inf 0").into_bytes()).starts_with("line 5: \"inf\""));
        assert!(
            error(&TEXT.replace("endloop", "vertex 1 1 1").into_bytes())
                .starts_with("line 7: expected \"endloop\"")
        );
        assert!(error(TEXT.replace("endsolid two words\n", "").as_bytes()).contains("the file ends where"));
        assert!(error(b"solid").starts_with("line 1: the file ends"));
        assert!(error(b"no mesh").contains("7 bytes"));
    }
}

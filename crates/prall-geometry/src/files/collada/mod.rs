//! COLLADA 1.4 and 1.5 (`.dae`): the polygons and where the nodes of the scene put them.
//!
//! Kept are the hierarchy of nodes with names and transforms, and the faces of triangles, strips, fans, polylists and polygons. The faces of one
//! geometry are one soup, whatever its materials; instances share it. Lines, materials, cameras and animations are passed over; a skin has
//! the shape in which it was bound. The file's unit is applied, and its up axis unless the caller says otherwise.
//!
//! The XML is read by `roxmltree`, which resolves no foreign entities; it recurses, so the depth is checked first. The crate `mesh-loader` 0.1 was looked at:
//! it reads single precision, passes over the up axis, and keeps one place for each geometry, so that of several instances one is left.
//!
//! A node may be instanced by nodes that are instanced themselves, so a small file could describe a huge tree: the number of nodes is
//! limited to the number of bytes of the file.

mod hierarchy;
mod surface;

use roxmltree::{Document, Node};
use std::collections::HashMap;

use super::error::{Malformed, Place, one_line, quote};
use super::model::Model;
use super::options::{Conversion, UpAxis};
use super::xml_depth::{MAX_XML_DEPTH, xml_too_deep};

/// Longer than any message of the XML parser that is not quoting the file.
const XML_MESSAGE_CHARACTERS: usize = 160;

/// Metres per unit that a file may ask for: from a nanometre to a thousand kilometres.
const UNITS: std::ops::RangeInclusive<f64> = 1e-9..=1e6;

/// Numbers of a matrix, row by row.
const MATRIX_NUMBERS: usize = 16;

pub(super) fn read(bytes: &[u8], conversion: &Conversion) -> Result<Model, Malformed> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Malformed::byte(error.valid_up_to(), "the text is not UTF-8; save it as UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(at) = xml_too_deep(text) {
        return Err(Malformed::byte(at, format!("elements are nested more than {MAX_XML_DEPTH} deep")));
    }
    let document = Document::parse(text).map_err(|error| {
        let at = error.pos();
        let message = one_line(&error.to_string(), XML_MESSAGE_CHARACTERS);
        Malformed { place: place(at), problem: format!("the XML is broken: {message}") }
    })?;
    let file = File::new(&document);
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let what = format!("the root element is <{}>, not <COLLADA>", shown(root.tag_name().name()));
        return Err(file.wrong(root, what));
    }
    let conversion = file.conversion(root, conversion)?;
    hierarchy::build(&file, root, &conversion, text.len())
}

/// The document with its elements by id.
struct File<'a> {
    document: &'a Document<'a>,
    by_id: HashMap<&'a str, Node<'a, 'a>>,
}

impl<'a> File<'a> {
    fn new(document: &'a Document<'a>) -> File<'a> {
        let mut by_id = HashMap::new();
        for element in document.descendants() {
            if let Some(id) = element.attribute("id") {
                by_id.entry(id).or_insert(element);
            }
        }
        File { document, by_id }
    }

    /// What is wrong with an element, with its place.
    fn wrong(&self, element: Node, problem: impl Into<String>) -> Malformed {
        let at = self.document.text_pos_at(element.range().start);
        Malformed { place: place(at), problem: problem.into() }
    }

    /// The element that an attribute such as `url="#id"` means.
    fn target(&self, element: Node<'a, 'a>, attribute: &str, tag: &str) -> Result<Node<'a, 'a>, Malformed> {
        let name = shown(element.tag_name().name());
        let Some(reference) = element.attribute(attribute) else {
            return Err(self.wrong(element, format!("<{name}> has no attribute {attribute}")));
        };
        let Some(id) = reference.strip_prefix('#') else {
            let what = format!(
                "{attribute} {} of <{name}> lies in another file, which is not read; export everything into one file",
                quote(reference.as_bytes())
            );
            return Err(self.wrong(element, what));
        };
        match self.by_id.get(id) {
            Some(found) if found.tag_name().name() == tag => Ok(*found),
            Some(_) | None => {
                let what = format!("<{name}> names {}, but no <{tag}> has that id", quote(id.as_bytes()));
                Err(self.wrong(element, what))
            }
        }
    }

    /// The finite numbers of an element's text.
    fn numbers(&self, element: Node) -> Result<Vec<f64>, Malformed> {
        let mut numbers = Vec::new();
        for word in words(element) {
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => numbers.push(number),
                _ => {
                    let name = element.tag_name().name();
                    let what = format!("{} in <{name}> is not a finite number", quote(word.as_bytes()));
                    return Err(self.wrong(element, what));
                }
            }
        }
        Ok(numbers)
    }

    /// As many numbers as a transform needs.
    fn exactly<const N: usize>(&self, element: Node) -> Result<[f64; N], Malformed> {
        let numbers = self.numbers(element)?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| {
            let name = element.tag_name().name();
            self.wrong(element, format!("<{name}> holds {count} numbers, but needs {N}"))
        })
    }

    /// The whole numbers of an element's text.
    fn indices(&self, element: Node, into: &mut Vec<u32>) -> Result<(), Malformed> {
        for word in words(element) {
            let index = word.parse::<u32>().map_err(|_| {
                let name = element.tag_name().name();
                let what = format!(
                    "{} in <{name}> is not a whole number from 0 to 4294967295",
                    quote(word.as_bytes())
                );
                self.wrong(element, what)
            })?;
            into.push(index);
        }
        Ok(())
    }

    /// From the file's unit and axes to metres and y up.
    fn conversion(&self, root: Node, asked: &Conversion) -> Result<Conversion, Malformed> {
        let Some(asset) = child(root, "asset") else { return Ok(*asked) };
        let mut conversion = *asked;
        if let Some(unit) = child(asset, "unit")
            && let Some(metres) = unit.attribute("meter")
        {
            let value = metres.trim().parse::<f64>().ok().filter(|value| UNITS.contains(value));
            let value = value.ok_or_else(|| {
                let what = format!(
                    "a unit of {} metres; it is a number from {:e} to {:e}",
                    quote(metres.as_bytes()),
                    UNITS.start(),
                    UNITS.end()
                );
                self.wrong(unit, what)
            })?;
            conversion = conversion.scaled(value);
        }
        let Some(axis) = child(asset, "up_axis") else { return Ok(conversion) };
        let up = match axis.text().unwrap_or_default().trim() {
            "X_UP" => UpAxis::X,
            "Y_UP" => UpAxis::Y,
            "Z_UP" => UpAxis::Z,
            other => {
                let what = format!("the up axis is {}; it is X_UP, Y_UP or Z_UP", quote(other.as_bytes()));
                return Err(self.wrong(axis, what));
            }
        };
        Ok(conversion.with_own_axis(up))
    }
}

fn place(at: roxmltree::TextPos) -> Place {
    Place::Text { line: at.row as usize, column: at.col as usize }
}

/// The first child element of that name.
fn child<'a, 'input>(element: Node<'a, 'input>, tag: &str) -> Option<Node<'a, 'input>> {
    children(element, tag).next()
}

/// All child elements of that name.
fn children<'a, 'input, 'tag>(
    element: Node<'a, 'input>,
    tag: &'tag str,
) -> impl Iterator<Item = Node<'a, 'input>> + use<'a, 'input, 'tag> {
    element.children().filter(move |child| child.is_element() && child.tag_name().name() == tag)
}

/// The words of an element's own text.
fn words<'a>(element: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    element
        .children()
        .filter(Node::is_text)
        .filter_map(|text| text.text())
        .flat_map(str::split_ascii_whitespace)
}

/// A name from the file, fit for a message.
fn shown(name: &str) -> String {
    one_line(name, 40)
}

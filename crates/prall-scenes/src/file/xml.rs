//! Where the elements of an XML text are: what its readers do not tell.

use std::collections::HashSet;
use std::ops::Range;

use prall_geometry::files::{MAX_XML_DEPTH, xml_too_deep};
use quick_xml::events::{BytesStart, Event};

/// An element with the places of its attributes' values.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) tag: String,
    /// From its `<` to behind its end.
    pub(super) span: Range<usize>,
    pub(super) depth: usize,
    /// Name, value, and where the value is.
    attributes: Vec<(String, String, Range<usize>)>,
}

impl Element {
    /// Value of an attribute and where it is.
    pub(super) fn attribute(&self, name: &str) -> Option<(&str, Range<usize>)> {
        let found = self.attributes.iter().find(|(own, ..)| own == name)?;
        Some((&found.1, found.2.clone()))
    }
}

/// What is wrong, and where in the text.
pub(super) type Malformed = (Range<usize>, String, Option<String>);

/// All elements in the order in which they begin, or why the text is no XML.
pub(super) fn elements(text: &str) -> Result<Vec<Element>, Malformed> {
    if let Some(at) = xml_too_deep(text) {
        let message = format!("elements are nested more than {MAX_XML_DEPTH} deep");
        return Err((at..at, message, None));
    }
    let mut reader = quick_xml::Reader::from_str(text);
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let place = |position: u64| usize::try_from(position).unwrap_or(0);
    loop {
        let begin = place(reader.buffer_position());
        let event = reader.read_event().map_err(|error| {
            let at = place(reader.error_position());
            (at..at, error.to_string(), None)
        })?;
        let end = place(reader.buffer_position());
        match event {
            Event::Start(start) => {
                open.push(elements.len());
                elements.push(element(text, &start, begin..end, open.len() - 1)?);
            }
            Event::Empty(start) => elements.push(element(text, &start, begin..end, open.len())?),
            Event::End(_) => {
                if let Some(closed) = open.pop() {
                    elements[closed].span.end = end;
                }
            }
            Event::Eof if !open.is_empty() => {
                let message = "the text ends within an element".to_owned();
                return Err((text.len()..text.len(), message, Some("it must end with </robot>".to_owned())));
            }
            Event::Eof => return Ok(elements),
            _ => {}
        }
    }
}

/// Indices of the elements directly inside of one.
pub(super) fn children(elements: &[Element], at: usize) -> impl Iterator<Item = usize> + '_ {
    let depth = elements[at].depth;
    let inside = elements[at + 1..].iter().take_while(move |element| element.depth > depth);
    let indexed = inside.zip(at + 1..);
    indexed.filter(move |(element, _)| element.depth == depth + 1).map(|(_, index)| index)
}

/// A value with `&amp;` and its like replaced; as it stands if they make no sense.
pub(super) fn unescaped(value: &str) -> String {
    quick_xml::escape::unescape(value).map_or_else(|_| value.to_owned(), std::borrow::Cow::into_owned)
}

fn element(text: &str, start: &BytesStart, span: Range<usize>, depth: usize) -> Result<Element, Malformed> {
    let mut attributes = Vec::new();
    // Its own check compares every name with every other one.
    let mut names = HashSet::new();
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| (span.clone(), error.to_string(), None))?;
        if !names.insert(attribute.key.as_ref().to_owned()) {
            let name = String::from_utf8_lossy(attribute.key.as_ref());
            return Err((span, format!("the attribute {name} is there twice"), None));
        }
        let value = String::from_utf8_lossy(&attribute.value).into_owned();
        // The value lies in the text itself: its distance from the beginning is its place.
        let at = (attribute.value.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
        let at = if at <= text.len() { at..at + attribute.value.len() } else { span.clone() };
        attributes.push((String::from_utf8_lossy(attribute.key.as_ref()).into_owned(), value, at));
    }
    let tag = String::from_utf8_lossy(start.name().as_ref()).into_owned();
    Ok(Element { tag, span, depth, attributes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_values_are_where_they_stand() {
        let text = "<?xml version='1.0'?>\n<!-- a < b -->\n<robot name=\"r\">\n  <link\n   name = 'base' />\n</robot>\n";
        let found = elements(text).unwrap();
        let tags: Vec<(&str, usize)> =
            found.iter().map(|element| (element.tag.as_str(), element.depth)).collect();
        assert_eq!(tags, [("robot", 0), ("link", 1)]);
        let (value, at) = found[1].attribute("name").unwrap();
        assert_eq!((value, &text[at]), ("base", "base"));
        assert!(
            text[found[1].span.clone()].starts_with("<link") && text[found[1].span.clone()].ends_with("/>")
        );
        assert!(text[found[0].span.clone()].ends_with("</robot>"));
    }

    #[test]
    fn a_text_that_ends_too_early_is_refused_at_its_end() {
        let (place, message, _) = elements("<robot>\n<link>").unwrap_err();
        assert_eq!((place.start, message.as_str()), (14, "the text ends within an element"));
    }
}

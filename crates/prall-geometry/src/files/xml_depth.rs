//! How deep the elements of an XML text are nested, seen before a parser that recurses gets the text.

/// Deepest nesting that is read: files of robots, tracks and assemblies have some twenty levels.
pub const MAX_XML_DEPTH: usize = 200;

/// The byte at which elements are nested deeper than [`MAX_XML_DEPTH`]; `None` if they nowhere are.
///
/// Comments, declarations and quoted values are passed over. A text that is no XML gets some answer; its parser then says what is wrong.
pub fn xml_too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'<') {
        let start = at + found;
        let rest = &bytes[start..];
        let skipped: Option<&[u8]> = match rest {
            [b'<', b'!', b'-', b'-', ..] => Some(b"-->"),
            [b'<', b'!', b'[', ..] => Some(b"]]>"),
            [b'<', b'?', ..] => Some(b"?>"),
            [b'<', b'!', ..] => Some(b">"),
            _ => None,
        };
        if let Some(end) = skipped {
            at = start + end_of(rest, end)?;
            continue;
        }
        let length = tag_length(rest)?;
        match (rest.get(1), rest[length - 2]) {
            (Some(b'/'), _) => depth = depth.saturating_sub(1),
            (_, b'/') => {}
            _ => depth += 1,
        }
        if depth > MAX_XML_DEPTH {
            return Some(start);
        }
        at = start + length;
    }
    None
}

/// How many bytes there are up to the end of a pattern.
fn end_of(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern).map(|at| at + pattern.len())
}

/// How many bytes a tag has, `<` and `>` included.
fn tag_length(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, &byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_counted_and_nothing_else() {
        let nested = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        assert_eq!(xml_too_deep(&nested(MAX_XML_DEPTH)), None);
        assert_eq!(xml_too_deep(&nested(MAX_XML_DEPTH + 1)), Some(3 * MAX_XML_DEPTH));
        let flat =
            "<?x <a> ?><!-- <a> --><![CDATA[<a>]]><b c='<a>' d=\"/>\"/><e></e>".repeat(2 * MAX_XML_DEPTH);
        assert_eq!(xml_too_deep(&flat), None);
        for broken in ["<", "<a", "<!--", "<>", "</>", "<a b='", "<!", "<?"] {
            assert_eq!(xml_too_deep(broken), None, "{broken}");
        }
    }
}

//! Words and lines of a text file, with the line number always at hand.

use super::error::{Malformed, quote};

/// A cursor over text: words of the current line, then the next line.
///
/// Lines end with LF, CR LF or a lone CR; a UTF-8 byte order mark at the start is passed over. The text need not be
/// UTF-8: names are in whatever encoding, and numbers are ASCII.
#[derive(Clone, Debug)]
pub(super) struct Words<'text> {
    bytes: &'text [u8],
    at: usize,
    line: usize,
}

impl<'text> Words<'text> {
    /// From the start of a file.
    pub(super) fn new(bytes: &'text [u8]) -> Words<'text> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        Words { bytes, at: 0, line: 1 }
    }

    /// From further down a file, where a line begins.
    pub(super) fn from_line(bytes: &'text [u8], line: usize) -> Words<'text> {
        Words { bytes, at: 0, line }
    }

    /// The current line's number, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Whether only blanks are left on the current line.
    pub(super) fn at_line_end(&mut self) -> bool {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\x0c')) {
            self.at += 1;
        }
        matches!(self.bytes.get(self.at), None | Some(b'\n' | b'\r'))
    }

    /// The next word of the current line.
    pub(super) fn word(&mut self) -> Option<&'text [u8]> {
        if self.at_line_end() {
            return None;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        Some(&rest[..length])
    }

    /// The next word on this line or a later one.
    pub(super) fn word_anywhere(&mut self) -> Option<&'text [u8]> {
        loop {
            if let Some(word) = self.word() {
                return Some(word);
            }
            if !self.next_line() {
                return None;
            }
        }
    }

    /// The rest of the current line without blanks around it.
    pub(super) fn rest_of_line(&mut self) -> &'text [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        self.at += length;
        rest[..length].trim_ascii()
    }

    /// Goes to the start of the next line; false at the end of the text.
    pub(super) fn next_line(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let Some(length) = rest.iter().position(|&b| b == b'\n' || b == b'\r') else {
            self.at = self.bytes.len();
            return false;
        };
        self.at += length + if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
        self.line += 1;
        self.at < self.bytes.len()
    }
}

/// A word as a finite number.
pub(super) fn number(word: &[u8], line: usize) -> Result<f64, Malformed> {
    let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
    match parsed {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(Malformed::line(line, format!("{} is not a finite number", quote(word)))),
        None if word.contains(&b',') => Err(Malformed::line(
            line,
            format!("{} is not a number; decimals are written with a point, not a comma", quote(word)),
        )),
        None => Err(Malformed::line(line, format!("{} is not a number", quote(word)))),
    }
}

/// A word as an integer.
pub(super) fn integer(word: &[u8], line: usize) -> Result<i64, Malformed> {
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse::<i64>().ok())
        .ok_or_else(|| Malformed::line(line, format!("{} is not an integer", quote(word))))
}

/// A name in the file as text; bytes that are not UTF-8 are shown as the replacement character.
pub(super) fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Adds a number in the shortest form that reads back as the same number.
pub(super) fn push_number(text: &mut Vec<u8>, value: f64) {
    use std::io::Write;
    // Plain notation where it is short; the exponent otherwise, since the plain form of 1e300 has 301 digits.
    let plain = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    let written = if plain { write!(text, "{value}") } else { write!(text, "{value:e}") };
    debug_assert!(written.is_ok(), "writing to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(usize, Vec<&[u8]>)> {
        let mut words = Words::new(text);
        let mut result = Vec::new();
        loop {
            let line = words.line();
            result.push((line, std::iter::from_fn(|| words.word()).collect()));
            if !words.next_line() {
                return result;
            }
        }
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let expected: Vec<(usize, Vec<&[u8]>)> = vec![(1, vec![b"a", b"b"]), (2, vec![]), (3, vec![b"c"])];
        assert_eq!(lines(b"a b\n\nc\n"), expected);
        assert_eq!(lines(b"a b\r\n\r\nc\r\n"), expected);
        assert_eq!(lines(b"a b\r\rc\r"), expected);
        assert_eq!(lines(b"\xef\xbb\xbf  a\tb \n\n c"), expected);
    }

    #[test]
    fn written_numbers_read_back_as_the_same_bits() {
        for value in [0.0, -0.0, 1.0, 0.1, -1.0 / 3.0, 1e300, -5e-324, f64::MAX, 123456789.125, 1e16, 9.9e-6]
        {
            let mut text = Vec::new();
            push_number(&mut text, value);
            assert_eq!(number(&text, 1).unwrap().to_bits(), value.to_bits(), "{value:e}");
            assert!(text.len() <= 25, "{value:e} takes {} bytes", text.len());
        }
    }
}

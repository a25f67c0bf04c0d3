//! The bytes behind a glTF file's buffers: in the GLB itself, in a data URI, or in a file beside it.

use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::schema::{Buffer, BufferView};
use super::{compressed, item};
use crate::files::error::{Malformed, quote};
use crate::files::read::read_regular;

/// Where the files that a glTF file names may be looked for.
#[derive(Clone, Copy, Debug)]
pub(in crate::files) enum Neighbours<'path> {
    /// In this directory and below it, nowhere else.
    In(&'path Path),
    /// Nowhere: the file came from memory.
    None,
}

/// All buffers, loaded.
pub(super) struct Buffers<'file> {
    sources: Vec<Source<'file>>,
    /// Files beside the glTF file, each loaded once however many buffers name it.
    files: Vec<(PathBuf, Vec<u8>)>,
}

enum Source<'file> {
    Chunk(&'file [u8]),
    Decoded(Vec<u8>),
    /// Index into `files` and the length to use of it.
    File(usize, usize),
    /// A buffer without content, which only compressed files have.
    Absent,
}

impl<'file> Buffers<'file> {
    pub(super) fn load(
        buffers: &[Buffer],
        chunk: Option<&'file [u8]>,
        neighbours: Neighbours<'_>,
    ) -> Result<Buffers<'file>, Malformed> {
        let mut loaded = Buffers { sources: Vec::with_capacity(buffers.len()), files: Vec::new() };
        for (index, buffer) in buffers.iter().enumerate() {
            let source = loaded
                .source(buffer, chunk.filter(|_| index == 0), neighbours)
                .map_err(|problem| Malformed::item(format!("buffers[{index}]"), problem))?;
            loaded.sources.push(source);
        }
        Ok(loaded)
    }

    /// How many bytes the files beside this one have.
    pub(super) fn outside_bytes(&self) -> usize {
        self.files.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// The bytes of a buffer view.
    pub(super) fn view(&self, views: &[BufferView], index: u32, place: &str) -> Result<&[u8], Malformed> {
        let view = item(views, index, "bufferViews", place)?;
        let place = format!("bufferViews[{index}]");
        let bytes = match item(&self.sources, view.buffer, "buffers", &place)? {
            Source::Chunk(bytes) => bytes,
            Source::Decoded(bytes) => bytes.as_slice(),
            Source::File(file, length) => &self.files[*file].1[..*length],
            Source::Absent if view.extensions.meshopt.is_some() => {
                return Err(compressed(place, "EXT_meshopt_compression"));
            }
            Source::Absent => {
                return Err(Malformed::item(place, format!("buffers[{}] has no content", view.buffer)));
            }
        };
        let start = usize::try_from(view.byte_offset).ok();
        let length = usize::try_from(view.byte_length).ok();
        start.zip(length).and_then(|(start, length)| bytes.get(start..start.checked_add(length)?)).ok_or_else(
            || {
                let what = format!(
                    "{} bytes from byte {} on, but buffers[{}] has {}",
                    view.byte_length,
                    view.byte_offset,
                    view.buffer,
                    bytes.len()
                );
                Malformed::item(place, what)
            },
        )
    }

    fn source(
        &mut self,
        buffer: &Buffer,
        chunk: Option<&'file [u8]>,
        neighbours: Neighbours<'_>,
    ) -> Result<Source<'file>, String> {
        let too_short =
            |there: usize| format!("has {there} bytes, but byteLength says {}", buffer.byte_length);
        let wanted = |there: usize| {
            usize::try_from(buffer.byte_length)
                .ok()
                .filter(|&wanted| wanted <= there)
                .ok_or_else(|| too_short(there))
        };
        match (&buffer.uri, chunk) {
            (None, Some(chunk)) => Ok(Source::Chunk(&chunk[..wanted(chunk.len())?])),
            (None, None) => Ok(Source::Absent),
            (Some(uri), _) => match uri.strip_prefix("data:") {
                Some(data) => {
                    let mut bytes = decode(data)?;
                    bytes.truncate(wanted(bytes.len())?);
                    Ok(Source::Decoded(bytes))
                }
                None => {
                    let file = self.file(uri, neighbours)?;
                    Ok(Source::File(file, wanted(self.files[file].1.len())?))
                }
            },
        }
    }

    /// Index of a file beside this one, loaded now if it is new.
    fn file(&mut self, uri: &str, neighbours: Neighbours<'_>) -> Result<usize, String> {
        let shown = quote(uri.as_bytes());
        let Neighbours::In(directory) = neighbours else {
            return Err(format!("lies in another file, {shown}; read the file from disk, or use GLB"));
        };
        let relative = relative_path(uri).ok_or_else(|| {
            format!(
                "{shown} is not a file in the directory of the glTF file or below it; nothing else is opened"
            )
        })?;
        let failed = |error: std::io::Error| format!("{shown} cannot be read: {error}");
        let root = directory.canonicalize().map_err(failed)?;
        let path = root.join(relative).canonicalize().map_err(failed)?;
        // A link may still lead out.
        if !path.starts_with(&root) || !path.is_file() {
            return Err(format!("{shown} is not a file in the directory of the glTF file or below it"));
        }
        if let Some(known) = self.files.iter().position(|(other, _)| *other == path) {
            return Ok(known);
        }
        let bytes = read_regular(&path).map_err(failed)?;
        self.files.push((path, bytes));
        Ok(self.files.len() - 1)
    }
}

/// A URI as a path that leads down from where it starts, if it is one.
fn relative_path(uri: &str) -> Option<PathBuf> {
    let path = percent_decoded(uri)?;
    // A colon would be a scheme or a drive, a backslash a separator on some systems only.
    if path.is_empty() || path.contains([':', '\\', '\0']) {
        return None;
    }
    let path = PathBuf::from(path);
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)).then_some(path)
}

fn percent_decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digit = |at: usize| after.get(at).and_then(|&b| char::from(b).to_digit(16));
            // Two hexadecimal digits are at most 255.
            bytes.push((16 * digit(0)? + digit(1)?) as u8);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// The content of a data URI after "data:".
fn decode(data: &str) -> Result<Vec<u8>, String> {
    let (kind, content) = data.split_once(',').ok_or("the data URI has no comma before its content")?;
    if !kind.ends_with(";base64") {
        return Err(format!("the data URI is {}, not base64", quote(kind.as_bytes())));
    }
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&STANDARD, config)
        .decode(content)
        .map_err(|error| format!("the data URI is not base64: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_that_lead_down_are_opened() {
        for inside in ["a.bin", "./a.bin", "sub/a.bin", "my%20part.bin", "a..bin"] {
            assert!(relative_path(inside).is_some(), "{inside}");
        }
        let outside = [
            "../a.bin",
            "sub/../../a.bin",
            "%2e%2e/a.bin",
            "/etc/passwd",
            "%2Fetc/passwd",
            "file:///a",
            "C:a",
            "a\\b",
        ];
        for outside in outside.into_iter().chain(["", "a%0", "a%zz", "%ff", "a%00"]) {
            assert!(relative_path(outside).is_none(), "{outside}");
        }
    }

    #[test]
    fn data_uris_are_decoded_with_or_without_padding() {
        assert_eq!(decode("application/octet-stream;base64,AQI=").unwrap(), [1, 2]);
        assert_eq!(decode(";base64,AQI").unwrap(), [1, 2]);
        assert!(decode("text/plain,AQI").unwrap_err().contains("not base64"));
        assert!(decode(";base64,A?I=").unwrap_err().contains("not base64"));
        assert!(decode("AQI").unwrap_err().contains("no comma"));
    }
}

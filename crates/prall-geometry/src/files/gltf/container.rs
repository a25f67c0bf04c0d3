//! The two containers of glTF: plain JSON, and GLB with its chunks.

use crate::files::error::{Malformed, quote};

const MAGIC: &[u8] = b"glTF";
const HEADER: usize = 12;
const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

pub(super) struct Parts<'file> {
    pub(super) json: &'file [u8],
    pub(super) binary: Option<&'file [u8]>,
}

pub(super) fn split(bytes: &[u8]) -> Result<Parts<'_>, Malformed> {
    if !bytes.starts_with(MAGIC) {
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return Ok(Parts { json, binary: None });
    }
    let version = word(bytes, 4)?;
    if version != 2 {
        let what = format!("GLB version {version} is not read, only 2; {}", super::UPGRADE);
        return Err(Malformed::byte(4, what));
    }
    let length = word(bytes, 8)? as usize;
    if length != bytes.len() {
        let what = format!("the header says {length} bytes, but the file has {}", bytes.len());
        return Err(Malformed::byte(8, what));
    }
    let mut at = HEADER;
    let json = chunk(bytes, &mut at, JSON, "JSON")?;
    let binary = if at < bytes.len() && word(bytes, at + 4)? == BIN {
        Some(chunk(bytes, &mut at, BIN, "BIN")?)
    } else {
        None
    };
    Ok(Parts { json, binary })
}

/// The content of a chunk of the given kind, which must come next.
fn chunk<'file>(bytes: &'file [u8], at: &mut usize, kind: u32, name: &str) -> Result<&'file [u8], Malformed> {
    let length = word(bytes, *at)? as usize;
    let found = word(bytes, *at + 4)?;
    if found != kind {
        let what = format!("expected a chunk {name}, found {}", quote(&found.to_le_bytes()));
        return Err(Malformed::byte(*at + 4, what));
    }
    let rest = &bytes[*at + 8..];
    let content = rest.get(..length).ok_or_else(|| {
        Malformed::byte(*at, format!("a chunk of {length} bytes, but {} are left", rest.len()))
    })?;
    *at += 8 + length;
    Ok(content)
}

fn word(bytes: &[u8], at: usize) -> Result<u32, Malformed> {
    bytes
        .get(at..)
        .and_then(|rest| rest.first_chunk())
        .map(|word| u32::from_le_bytes(*word))
        .ok_or_else(|| Malformed::byte(bytes.len(), "the file ends in the middle of a GLB header"))
}

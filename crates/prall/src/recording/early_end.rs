//! A recording that cannot be written any longer, as on a full disk: it ends with its last whole second.

use super::Recorded;
use super::store::{MAGIC, heads};
use mcap::McapError;
use mcap::records::op;
use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use thiserror::Error;

/// Schemas and channels of a recording.
const SCHEMAS: u16 = 3;
const CHANNELS: u32 = 6;

/// Why a recording ended before it was ended, and what is left of it.
#[derive(Debug, Error)]
pub struct CutShort {
    /// What went wrong.
    #[source]
    pub error: McapError,
    /// What can be shown; none if the file held nothing and was removed.
    pub kept: Option<Recorded>,
}

impl std::fmt::Display for CutShort {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}; ", self.error)?;
        match &self.kept {
            Some(kept) => {
                let name = kept.path.file_name().unwrap_or_default().to_string_lossy();
                write!(formatter, "its first {:.1} s are kept in {name}", kept.seconds)
            }
            None => write!(formatter, "nothing of it could be kept"),
        }
    }
}

/// Up to where a file is whole and on the disk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole {
    /// Size of the file.
    pub(super) bytes: u64,
    /// Messages in it.
    pub(super) messages: u64,
    /// Time of the last of them, in s and in ns.
    pub(super) seconds: f64,
    pub(super) nanoseconds: u64,
}

/// Cuts a file back to where it is whole and ends it there. What is cut off makes room for the end. A file that holds no motion is removed.
pub(super) fn end_early(path: &Path, whole: &Whole) -> Option<Recorded> {
    if !(whole.seconds > 0.0) {
        // It was made by us and holds nothing; if it cannot be removed, a list says so.
        let _ = std::fs::remove_file(path);
        return None;
    }
    // A file that cannot be ended is cut off in the middle: a list says that, and shows what is whole. One that somebody has removed is gone.
    let bytes = write_end(path, whole).unwrap_or(whole.bytes);
    path.is_file().then(|| Recorded { path: path.to_owned(), seconds: whole.seconds, bytes })
}

/// The end of data, statistics and the footer; returns the size of the file.
fn write_end(path: &Path, whole: &Whole) -> std::io::Result<u64> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    file.set_len(whole.bytes)?;
    let mut count =
        |opcode: u8| heads(&mut file, MAGIC, whole.bytes).filter(|head| head.opcode == opcode).count() as u32;
    let (attachments, metadata, chunks) = (count(op::ATTACHMENT), count(op::METADATA), count(op::CHUNK));
    let mut end = Vec::new();
    let mut record = |opcode: u8, content: &[&[u8]]| {
        let length: usize = content.iter().map(|part| part.len()).sum();
        end.push(opcode);
        end.extend_from_slice(&(length as u64).to_le_bytes());
        content.iter().for_each(|part| end.extend_from_slice(part));
        end.len() as u64
    };
    // Checksums of 0 are none.
    let no_checksum = 0_u32.to_le_bytes();
    let data_end = record(op::DATA_END, &[&no_checksum]);
    let statistics: [&[u8]; 9] = [
        &whole.messages.to_le_bytes(),
        &SCHEMAS.to_le_bytes(),
        &CHANNELS.to_le_bytes(),
        &attachments.to_le_bytes(),
        &metadata.to_le_bytes(),
        &chunks.to_le_bytes(),
        &0_u64.to_le_bytes(),
        &whole.nanoseconds.to_le_bytes(),
        // No counts by channel.
        &0_u32.to_le_bytes(),
    ];
    record(op::STATISTICS, &statistics);
    let summary = (whole.bytes + data_end).to_le_bytes();
    record(op::FOOTER, &[&summary, &0_u64.to_le_bytes(), &no_checksum]);
    end.extend_from_slice(mcap::MAGIC);
    file.seek(SeekFrom::Start(whole.bytes))?;
    file.write_all(&end)?;
    Ok(whole.bytes + end.len() as u64)
}

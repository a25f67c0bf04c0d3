//! [`Store`]: the directory of recordings.

use super::reader::records;
use super::{Description, METADATA, Recording, RecordingError, read};
use mcap::records::{Record, op};
use serde::Serialize;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Longest description in bytes that a list reads; that of a large scene has some ten thousand.
const DESCRIPTION_LIMIT: usize = 1 << 20;

/// Most heads of records that are looked at for one entry of a list.
const MOST_HEADS: usize = 100_000;

/// Bytes with which a file begins and ends.
pub(super) const MAGIC: u64 = mcap::MAGIC.len() as u64;

/// Recordings of the person who runs the command.
pub fn default_directory() -> PathBuf {
    let data = dirs::data_dir().unwrap_or_else(std::env::temp_dir);
    data.join("prall").join("recordings")
}

/// A recording in the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// Name of the file.
    pub name: String,
    /// Name of the scene.
    pub scene: Option<String>,
    /// Its name for people.
    pub title: Option<String>,
    /// The solver at the start.
    pub solver: Option<String>,
    /// Version of Prall that recorded it.
    pub version: Option<String>,
    /// When, in Unix seconds.
    pub recorded: u64,
    /// How long, if the file says so.
    pub seconds: Option<f64>,
    /// Size of the file.
    pub bytes: u64,
    /// What is wrong with it.
    pub warning: Option<String>,
}

/// A directory of recordings.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    /// A file from elsewhere, under the name that it has in the list.
    guest: Option<(String, PathBuf)>,
}

impl Store {
    /// Of this directory, which is made when the first recording begins.
    pub fn new(directory: impl Into<PathBuf>) -> Store {
        Store { directory: directory.into(), guest: None }
    }

    /// Adds a file from elsewhere and tells the name that it gets: its own, if that can be one.
    pub fn with_guest(mut self, path: &Path) -> (Store, String) {
        let own = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = if self.path(&own).is_ok() { own } else { "recording.mcap".to_owned() };
        self.guest = Some((name.clone(), path.to_owned()));
        (self, name)
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of that name; names with paths in them are refused with a sentence.
    pub fn path(&self, name: &str) -> Result<PathBuf, String> {
        if let Some((_, path)) = self.guest.as_ref().filter(|(guest, _)| guest == name) {
            return Ok(path.clone());
        }
        let fitting = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.len() > 128 || name.starts_with('.') || !name.ends_with(".mcap") || !name.chars().all(fitting)
        {
            return Err(
                "a recording's name has letters, digits, hyphens, underscores and dots, and ends with .mcap"
                    .to_owned(),
            );
        }
        Ok(self.directory.join(name))
    }

    /// A new name for a recording of a scene, after the present time; the directory is there afterwards.
    pub fn new_path(&self, scene: &str) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(&self.directory)?;
        let scene: String = scene
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' })
            .take(64)
            .collect();
        let stamp = time_stamp(std::time::SystemTime::now());
        let name = (1..)
            .map(|number| match number {
                1 => format!("{scene}-{stamp}.mcap"),
                _ => format!("{scene}-{stamp}-{number}.mcap"),
            })
            .find(|name| !self.directory.join(name).exists());
        Ok(self.directory.join(name.unwrap_or_default()))
    }

    /// All recordings, the newest first.
    pub fn list(&self) -> Vec<Listed> {
        let files = std::fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut list: Vec<Listed> = files
            .filter_map(|file| {
                let name = file.file_name().into_string().ok()?;
                let guest = self.guest.as_ref().is_some_and(|(guest, _)| *guest == name);
                (!guest && self.path(&name).is_ok()).then(|| self.describe(&name))
            })
            .chain(self.guest.iter().map(|(name, _)| self.describe(name)))
            .collect();
        list.sort_by(|a, b| b.recorded.cmp(&a.recorded).then_with(|| b.name.cmp(&a.name)));
        list
    }

    /// What a file says at its beginning and its end.
    pub fn describe(&self, name: &str) -> Listed {
        describe(&self.path(name).unwrap_or_default(), name)
    }

    /// Reads a recording.
    pub fn read(&self, name: &str) -> Result<Recording, String> {
        read(&self.path(name)?).map_err(|error| match error {
            RecordingError::Unreadable { ref error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
                format!("no recording '{name}'; it may have been removed")
            }
            error => error.to_string(),
        })
    }
}

/// What the beginning and the end of a file say.
fn describe(path: &Path, name: &str) -> Listed {
    let mut listed = Listed {
        name: name.to_owned(),
        scene: None,
        title: None,
        solver: None,
        version: None,
        recorded: 0,
        seconds: None,
        bytes: std::fs::metadata(path).map_or(0, |metadata| metadata.len()),
        warning: None,
    };
    match File::open(path) {
        Ok(mut file) => describe_file(&mut listed, &mut file),
        Err(error) => listed.warning = Some(error.to_string()),
    }
    listed
}

/// Reads the description and the heads of records, never what they hold: a list must not take as long as its files are.
fn describe_file(listed: &mut Listed, file: &mut (impl Read + Seek)) {
    let mut description = None;
    let flaw = records(file, DESCRIPTION_LIMIT, |record| match record {
        Record::Metadata(metadata) if metadata.name == METADATA => {
            description = Some(Description::of_metadata(&metadata.metadata));
            Err(String::new())
        }
        // The description comes first.
        Record::Header(_) => Ok(()),
        _ => Err("nothing in it says what was recorded".to_owned()),
    });
    match description {
        Some(Ok(_)) if !has_chunk(file, listed.bytes) => {
            listed.warning =
                Some("The file ends before its first frame: nothing of it can be shown.".to_owned());
        }
        Some(Ok(description)) => {
            listed.recorded = description.recorded;
            listed.scene = Some(description.scene);
            listed.title = Some(description.title);
            listed.solver = Some(description.solver);
            listed.version = Some(description.version);
            listed.seconds = seconds(file, listed.bytes);
            if listed.seconds.is_none() {
                listed.warning =
                    Some("The file was not ended properly; what is whole can be shown.".to_owned());
            }
        }
        Some(Err(reason)) => listed.warning = Some(format!("Not a recording that can be shown: {reason}.")),
        None => {
            let reason = flaw.unwrap_or_else(|| "it is empty".to_owned());
            listed.warning = Some(format!("Not a recording of Prall: {reason}."));
        }
    }
}

/// The head of a record: what it is, where its content begins and how long that is.
pub(super) struct Head {
    pub(super) opcode: u8,
    begin: u64,
    length: u64,
}

/// Heads of the records from a place on, up to the first that the file does not hold whole.
pub(super) fn heads(file: &mut (impl Read + Seek), mut place: u64, end: u64) -> impl Iterator<Item = Head> {
    std::iter::from_fn(move || {
        let mut head = [0; 9];
        file.seek(SeekFrom::Start(place)).ok()?;
        file.read_exact(&mut head).ok()?;
        let length = number(&head[1..])?;
        let begin = place + 9;
        place = begin.checked_add(length).filter(|next| *next <= end)?;
        Some(Head { opcode: head[0], begin, length })
    })
    .take(MOST_HEADS)
}

/// The number of the first eight bytes.
fn number(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.first_chunk()?))
}

/// Whether the file holds a whole chunk of messages: frames are in chunks.
fn has_chunk(file: &mut (impl Read + Seek), length: u64) -> bool {
    heads(file, MAGIC, length).any(|head| head.opcode == op::CHUNK)
}

/// Length by the statistics at the end of the file; `None` if it has none.
fn seconds(file: &mut (impl Read + Seek), length: u64) -> Option<f64> {
    // The footer: its head, where the summary begins, where the summary's index begins, a checksum; then the magic bytes.
    let footer = length.checked_sub(MAGIC + 20 + 9)?;
    let mut bytes = [0; 17];
    file.seek(SeekFrom::Start(footer)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    let summary = (bytes[0] == op::FOOTER).then(|| number(&bytes[9..]))?.filter(|place| *place > 0)?;
    let statistics = heads(file, summary, length).find(|head| head.opcode == op::STATISTICS)?;
    // Six counts of 26 bytes, then the times of the first and the last message.
    let mut times = [0; 42];
    let held = statistics.length >= times.len() as u64;
    file.seek(SeekFrom::Start(statistics.begin)).ok()?;
    file.read_exact(&mut times).ok().filter(|()| held)?;
    Some(number(&times[34..])?.saturating_sub(number(&times[26..])?) as f64 * 1e-9)
}

/// As 20261116-101500, in universal time.
fn time_stamp(time: std::time::SystemTime) -> String {
    let seconds = time.duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Date of the Gregorian calendar, days since 1 January 1970: whole years and months are taken away one by one.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    /// Moments known from elsewhere: the epoch, a leap day, the last second of a century, a billion seconds.
    #[test]
    fn time_stamps_are_those_of_the_calendar() {
        for (seconds, stamp) in [
            (0, "19700101-000000"),
            (951_782_400, "20000229-000000"),
            (978_307_199, "20001231-235959"),
            (1_000_000_000, "20010909-014640"),
            (4_107_542_400, "21000301-000000"),
        ] {
            assert_eq!(time_stamp(UNIX_EPOCH + Duration::from_secs(seconds)), stamp);
        }
    }

    /// Counts what is read; beyond its bytes it is as long as it says, and empty.
    struct Counting {
        bytes: Vec<u8>,
        length: u64,
        place: u64,
        read: u64,
    }

    impl Read for Counting {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let left = usize::try_from(self.length.saturating_sub(self.place)).unwrap_or(usize::MAX);
            let count = buffer.len().min(left);
            for (offset, byte) in buffer[..count].iter_mut().enumerate() {
                let place = usize::try_from(self.place).unwrap() + offset;
                *byte = self.bytes.get(place).copied().unwrap_or(0);
            }
            self.place += count as u64;
            self.read += count as u64;
            Ok(count)
        }
    }

    impl Seek for Counting {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.place = match to {
                SeekFrom::Start(place) => place,
                SeekFrom::End(offset) => self.length.saturating_add_signed(offset),
                SeekFrom::Current(offset) => self.place.saturating_add_signed(offset),
            };
            Ok(self.place)
        }
    }

    /// A file of 8 GiB whose metadata, chunk and summary claim most of it.
    #[test]
    fn a_list_reads_heads_and_not_what_they_claim() {
        let simulation = prall_scenes::open("bouncing-ball").unwrap();
        let path = std::env::temp_dir().join(format!("prall-heads-{}.mcap", std::process::id()));
        let appearance = crate::appearance::Appearance::of(simulation.assets());
        let description = Description::of(serde_json::Value::Null, simulation.as_ref());
        let recorder =
            super::super::Recorder::create(&path, &description, simulation.as_ref(), &appearance).unwrap();
        recorder.finish(simulation.as_ref()).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let empty = describe(Path::new("none"), "none");
        let look = |bytes: Vec<u8>, length: u64| {
            let mut file = Counting { bytes, length, place: 0, read: 0 };
            let mut listed = Listed { bytes: length, ..empty.clone() };
            describe_file(&mut listed, &mut file);
            (listed, file.read)
        };
        let (listed, read) = look(whole.clone(), whole.len() as u64);
        assert!(listed.seconds.is_some() && read < 64 << 10, "{read} bytes read: {listed:?}");

        let huge = 8 << 30;
        let mut header = mcap::MAGIC.to_vec();
        header.push(op::HEADER);
        header.extend_from_slice(&(huge - 17_u64).to_le_bytes());
        let (listed, read) = look(header, huge);
        assert!(listed.scene.is_none() && read < 2 << 20, "{read} bytes read: {listed:?}");

        // The description is whole; the record after it claims the rest.
        let chunk = heads(
            &mut Counting { bytes: whole.clone(), length: whole.len() as u64, place: 0, read: 0 },
            MAGIC,
            huge,
        )
        .find(|head| head.opcode == op::CHUNK)
        .unwrap();
        let mut bytes = whole;
        let begin = usize::try_from(chunk.begin).unwrap();
        bytes[begin - 8..begin].copy_from_slice(&(huge - chunk.begin).to_le_bytes());
        let (listed, read) = look(bytes, huge);
        assert!(listed.scene.is_some() && read < 2 << 20, "{read} bytes read: {listed:?}");
    }

    #[test]
    fn names_that_lead_out_of_the_directory_are_refused() {
        let store = Store::new("recordings");
        for name in
            ["../x.mcap", "/etc/x.mcap", "a/b.mcap", ".mcap", "..mcap", "x.txt", "", "a\\b.mcap", "a\0.mcap"]
        {
            assert!(store.path(name).is_err(), "{name}");
        }
        assert!(store.path("bouncing-ball-20261116-101500.mcap").is_ok());
    }
}

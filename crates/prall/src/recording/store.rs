//! [`Store`]: the directory of recordings.

use super::reader::records;
use super::{Description, METADATA, Recording, RecordingError, read};
use mcap::records::Record;
use mcap::sans_io::{SummaryReadEvent, SummaryReader};
use serde::Serialize;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

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
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) => {
            listed.warning = Some(error.to_string());
            return listed;
        }
    };
    let mut description = None;
    let length = listed.bytes;
    let flaw = records(&mut file, length, |record| match record {
        Record::Metadata(metadata) if metadata.name == METADATA => {
            description = Some(Description::of_metadata(&metadata.metadata));
            Err(String::new())
        }
        // The description comes first.
        Record::Header(_) => Ok(()),
        _ => Err("nothing in it says what was recorded".to_owned()),
    });
    match description {
        Some(Ok(description)) => {
            listed.recorded = description.recorded;
            listed.scene = Some(description.scene);
            listed.title = Some(description.title);
            listed.solver = Some(description.solver);
            listed.version = Some(description.version);
            listed.seconds = seconds(&mut file);
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
    listed
}

/// Length by the summary at the end of the file; none if there is no summary.
fn seconds(file: &mut File) -> Option<f64> {
    let mut reader = SummaryReader::new();
    while let Some(event) = reader.next_event() {
        match event.ok()? {
            SummaryReadEvent::SeekRequest(to) => {
                let place = file.seek(to).ok()?;
                reader.notify_seeked(place);
            }
            SummaryReadEvent::ReadRequest(bytes) => {
                let read = file.read(reader.insert(bytes)).ok()?;
                reader.notify_read(read);
            }
        }
    }
    let statistics = reader.finish()?.stats?;
    Some(statistics.message_end_time.saturating_sub(statistics.message_start_time) as f64 * 1e-9)
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

//! [`WatchedFile`]: a scene file that is read again when it changes.

use axum::body::Bytes;
use prall_scenes::{FileScene, OpenFileError};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Time between looks at the disk, however many sessions ask.
const INTERVAL: Duration = Duration::from_millis(250);

/// Size and time of change; none for a file that is not there.
type Stamp = Option<(u64, SystemTime)>;

struct Watched {
    scene: FileScene,
    /// Of the file itself and of all that were read for it.
    stamps: Vec<Stamp>,
    /// Grows with each reading.
    edition: u64,
    /// Why the present file cannot be read.
    complaint: Option<String>,
    looked: Instant,
    /// How it looks in the gallery, as a page has drawn it.
    picture: Option<Bytes>,
}

/// A scene file as it was when it could last be read.
pub struct WatchedFile(Mutex<Watched>);

impl WatchedFile {
    /// Reads a scene file.
    pub fn read(path: &Path) -> Result<WatchedFile, OpenFileError> {
        let scene = FileScene::read(path)?;
        let (stamps, looked) = (stamps(&scene), Instant::now());
        Ok(WatchedFile(Mutex::new(Watched {
            scene,
            stamps,
            edition: 0,
            complaint: None,
            looked,
            picture: None,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The scene as it could last be read.
    pub fn scene(&self) -> FileScene {
        self.lock().scene
    }

    /// Reads it again if it or one of its meshes and robots has changed: the number of the reading, and why the present file cannot be read.
    pub(super) fn look(&self) -> (u64, Option<String>) {
        let mut watched = self.lock();
        if watched.looked.elapsed() >= INTERVAL {
            watched.looked = Instant::now();
            let now = stamps(&watched.scene);
            // A file that is being replaced is not there for a moment: it is looked for again.
            if now != watched.stamps && now.first().is_some_and(Option::is_some) {
                watched.stamps = now;
                match FileScene::read(watched.scene.path()) {
                    Ok(scene) => {
                        watched.stamps = stamps(&scene);
                        watched.scene = scene;
                        watched.edition += 1;
                        watched.complaint = None;
                        watched.picture = None;
                    }
                    Err(error) => watched.complaint = Some(error.to_string()),
                }
            }
        }
        (watched.edition, watched.complaint.clone())
    }

    /// Its picture, if a page has drawn one.
    pub(super) fn picture(&self) -> Option<Bytes> {
        self.lock().picture.clone()
    }

    pub(super) fn set_picture(&self, picture: Bytes) {
        self.lock().picture = Some(picture);
    }
}

fn stamps(scene: &FileScene) -> Vec<Stamp> {
    let stamp = |path: &Path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    scene.files().map(stamp).collect()
}

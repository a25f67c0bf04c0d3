//! The tracks that come with Prall.

use super::{Track, TrackError};

const KNOWN: [(&str, &str); 3] = [
    ("whistler-like", include_str!("../../../../scenes/tracks/whistler-like.toml")),
    ("sochi-like", include_str!("../../../../scenes/tracks/sochi-like.toml")),
    ("meadow-run", include_str!("../../../../scenes/tracks/meadow-run.toml")),
];

impl Track {
    /// Names of the tracks that come with Prall.
    pub fn known() -> impl ExactSizeIterator<Item = &'static str> {
        KNOWN.iter().map(|(name, _)| *name)
    }

    /// The text of a track that comes with Prall, to be read or to begin an own one from.
    pub fn known_text(name: &str) -> Option<&'static str> {
        KNOWN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// Opens a track that comes with Prall.
    pub fn open(name: &str, profile: &str) -> Result<Track, TrackError> {
        match Track::known_text(name) {
            Some(text) => Track::read_with_profile(name, text, profile),
            None => {
                let known: Vec<&str> = Track::known().collect();
                Err(TrackError::new(format!("no track '{name}'; there is: {}", known.join(", "))))
            }
        }
    }
}

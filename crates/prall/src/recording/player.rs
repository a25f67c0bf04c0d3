//! [`Player`]: shows a recording at any time, at any speed, without computing anything.

use super::{Description, Recording, overlays};
use crate::appearance::Appearance;
use crate::moment::Moment;
use std::sync::Arc;

/// A recording and the place where it is.
pub struct Player {
    recording: Recording,
    place: usize,
    moment: Moment,
    clock: f64,
}

impl Player {
    /// At its start.
    pub fn new(recording: Recording) -> Player {
        let mut player = Player { recording, place: 0, moment: Moment::default(), clock: 0.0 };
        player.rewind_to(0);
        player
    }

    /// What is recorded.
    pub fn description(&self) -> &Description {
        &self.recording.description
    }

    /// How it looks at the present time.
    pub fn appearance(&self) -> &Arc<Appearance> {
        let clock = self.recording.frames[self.place].clock + 1e-9;
        let known = self.recording.appearances.partition_point(|(from, _)| *from <= clock);
        // The first one holds from the start.
        &self.recording.appearances[known.saturating_sub(1)].1
    }

    /// What was wrong with the file.
    pub fn warning(&self) -> Option<&str> {
        self.recording.warning.as_deref()
    }

    /// First and last time, on the recording's own clock, which begins at the simulated time of its start.
    pub fn range(&self) -> (f64, f64) {
        let start = self.recording.description.start;
        (start, start + self.recording.seconds())
    }

    /// The present time.
    pub fn time(&self) -> f64 {
        self.recording.description.start + self.clock
    }

    /// True at the last frame.
    pub fn ended(&self) -> bool {
        self.place + 1 == self.recording.frames.len()
    }

    /// The frame at the present time, with the contacts, forces and velocities that were last recorded before it.
    pub fn moment(&self) -> Moment {
        let mut moment = self.moment.clone();
        let clock = self.recording.frames[self.place].clock + 1e-9;
        let known = self.recording.overlays.partition_point(|(from, _)| *from <= clock);
        if let Some((_, bytes)) = known.checked_sub(1).map(|last| &self.recording.overlays[last]) {
            moment.add_items(&overlays::items(bytes));
        }
        moment
    }

    /// What the last step before the present frame reported, as JSON.
    pub fn report(&self) -> Option<&str> {
        self.recording.frames[self.place].report.as_deref()
    }

    /// Goes to the last frame at or before a time.
    pub fn seek(&mut self, time: f64) {
        let (from, to) = self.range();
        // A time that is no number leads to the start.
        self.clock = if time >= from { time.min(to) - from } else { 0.0 };
        // Clocks are whole nanoseconds: a time that is missed by one is meant.
        let clock = self.clock + 1e-9;
        let place = self.recording.frames.partition_point(|frame| frame.clock <= clock).saturating_sub(1);
        self.go_to(place);
    }

    /// Goes by some frames, back or forward.
    pub fn go_by(&mut self, frames: i64) {
        let last = self.recording.frames.len() as i64 - 1;
        let place = (self.place as i64).saturating_add(frames).clamp(0, last) as usize;
        self.go_to(place);
        self.clock = self.recording.frames[place].clock;
    }

    fn go_to(&mut self, place: usize) {
        let key = self.recording.frames[..=place].iter().rposition(|frame| frame.key).unwrap_or(0);
        if place < self.place || key > self.place {
            self.rewind_to(key);
        }
        while self.place < place {
            self.place += 1;
            // A damaged frame leaves the picture as it was; the next key frame mends it.
            let _ = self.moment.apply(&self.recording.frames[self.place].bytes);
        }
    }

    fn rewind_to(&mut self, key: usize) {
        self.place = key;
        let _ = self.moment.apply(&self.recording.frames[key].bytes);
    }
}

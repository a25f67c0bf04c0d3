//! [`Notes`]: the run of the scene, written down as the command's run files are.

use super::{Begun, BobOffer, SEED};
use prall_bob::pilot::Line;
use prall_bob::record::{About, Held, Record, Recorder};
use prall_bob::run::{Run, Start};
use prall_bob::sled::Setup;
use prall_bob::track::Track;

/// A run that is being written down.
pub(super) struct Notes {
    recorder: Recorder<'static>,
    hands: Vec<Held>,
}

impl Notes {
    /// From where the run stands. What it has behind it the pilot drove.
    pub(super) fn new(run: &Run<'static>, setup: &Setup) -> Notes {
        Notes { recorder: Recorder::new(run, setup), hands: Vec::new() }
    }

    /// Looks at the run after a step with what was held in it.
    pub(super) fn see(&mut self, held: Held, run: &Run<'static>) {
        // The run begins with the pilot: only what is held otherwise than before is kept.
        if self.hands.last().map_or(held.own.is_some(), |last| last.own != held.own) {
            self.hands.push(held);
        }
        self.recorder.see(run.sled());
    }

    pub(super) fn record(
        &self,
        begun: &Begun,
        offer: &BobOffer,
        run: &Run<'static>,
        setup: &Setup,
    ) -> Record {
        let track = &run.course().track;
        let start = match begun.start() {
            Start::Pushed(push) => format!("standing,push={push},offset={}", begun.offset),
            Start::Flying(speed) => format!("flying,speed={speed},offset={}", begun.offset),
        };
        let told = begun.line.checked_sub(1).map(|line| Line::ALL[line]);
        let lines = track.curves().filter_map(|curve| Some(format!("{}={}", curve.number, told?)));
        let text = begun.setup_text(offer).map(|text| text.text().to_owned());
        // Those that come with Prall stand first, and are opened by these names.
        let known = begun.track.checked_sub(1).and_then(|index| Track::known().nth(index));
        let about = About {
            track: known.unwrap_or(track.name()).to_owned(),
            profile: "standard".to_owned(),
            glide: begun.glide,
            start,
            pilot: lines.collect::<Vec<_>>().join(","),
            offset: begun.offset,
            tremor: begun.tremor,
            seed: SEED,
            setup: text.unwrap_or_default(),
            help: begun.help,
            hands: self.hands.clone(),
            ..About::default()
        };
        self.recorder.clone().finish(run.clone(), setup, about)
    }
}

//! [`Track`]: one of the things that a session shows.

use super::live::Live;
use super::message::{Role, TrackItem};
use crate::appearance::Appearance;
use crate::moment::{Flags, Moment};
use crate::recording::Player;
use crate::report::Range;
use prall_scenes::{Assets, Frame};
use std::sync::Arc;

/// A simulation or a recording.
pub(super) enum Content {
    Live(Box<Live>),
    Recording(Box<Player>),
}

/// What a session shows, with what a page needs to know of it.
pub(super) struct Track {
    pub(super) id: u32,
    pub(super) role: Role,
    pub(super) content: Content,
    pub(super) appearance: Arc<Appearance>,
    /// What the appearance was made of; none for recordings.
    assets: Option<Assets>,
    /// Name of the recording.
    pub(super) recording: Option<String>,
    /// A ghost shows the recording's time this much later.
    pub(super) offset: f64,
}

impl Track {
    pub(super) fn live(id: u32, role: Role, live: Live) -> Track {
        let assets = live.simulation().assets().clone();
        let appearance = Arc::new(Appearance::of(&assets));
        let content = Content::Live(Box::new(live));
        Track { id, role, content, appearance, assets: Some(assets), recording: None, offset: 0.0 }
    }

    pub(super) fn recording(id: u32, role: Role, name: String, player: Player, offset: f64) -> Track {
        let appearance = Arc::clone(player.appearance());
        let content = Content::Recording(Box::new(player));
        Track { id, role, content, appearance, assets: None, recording: Some(name), offset }
    }

    /// Looks at the scene again; true if it looks different.
    pub(super) fn refresh_look(&mut self) -> bool {
        let live = match &self.content {
            Content::Live(live) => live,
            Content::Recording(_) => return self.follow_recorded_look(),
        };
        let now = live.simulation().assets();
        let changed = self.assets.as_ref() != Some(now);
        if changed {
            self.appearance = Arc::new(Appearance::of(now));
            self.assets = Some(now.clone());
        }
        changed
    }

    /// A recording in which bodies were added looks different from then on; true if it does.
    pub(super) fn follow_recorded_look(&mut self) -> bool {
        let Content::Recording(player) = &self.content else { return false };
        let changed = !Arc::ptr_eq(player.appearance(), &self.appearance);
        if changed {
            self.appearance = Arc::clone(player.appearance());
        }
        changed
    }

    pub(super) fn time(&self) -> f64 {
        match &self.content {
            Content::Live(live) => live.simulation().time(),
            Content::Recording(player) => player.time(),
        }
    }

    /// Length of a step; recordings go by frames.
    pub(super) fn time_step(&self) -> f64 {
        match &self.content {
            Content::Live(live) => live.simulation().time_step(),
            Content::Recording(_) => 1.0 / 60.0,
        }
    }

    pub(super) fn history(&self) -> Range {
        match &self.content {
            Content::Live(live) => live.history(),
            Content::Recording(player) => {
                let (from, to) = player.range();
                Range { from, to }
            }
        }
    }

    pub(super) fn solver(&self) -> &str {
        match &self.content {
            Content::Live(live) => live.simulation().solver(),
            Content::Recording(player) => &player.description().solver,
        }
    }

    fn title(&self) -> &str {
        match &self.content {
            Content::Live(live) => {
                let simulation = live.simulation();
                let solver = simulation.solvers().iter().find(|solver| solver.name == simulation.solver());
                solver.map_or("", |solver| solver.title)
            }
            Content::Recording(player) => &player.description().title,
        }
    }

    pub(super) fn item(&self) -> TrackItem<'_> {
        TrackItem {
            track: self.id,
            role: self.role,
            title: self.title(),
            solver: self.solver(),
            recording: self.recording.as_deref(),
            offset: self.offset,
            assets: &self.appearance.assets,
        }
    }

    /// The present moment; `frame` is memory for it.
    pub(super) fn moment(&self, number: u32, flags: Flags, frame: &mut Frame) -> Moment {
        match &self.content {
            Content::Live(live) => {
                live.simulation().frame(frame);
                Moment::new(number, live.simulation().time(), flags, frame)
            }
            Content::Recording(player) => {
                let mut moment = player.moment();
                moment.number = number;
                moment.time = player.time();
                moment.flags = Flags { ended: player.ended(), ..flags };
                moment
            }
        }
    }
}

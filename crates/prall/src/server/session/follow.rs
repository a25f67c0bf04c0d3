//! A session that follows another one some time later: tele-manipulation, with the way that the filter allowed there.

use super::super::leads::Sent;
use super::super::message::{FollowItem, Request};
use super::super::track::Content;
use super::Session;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

/// Longest delay in s.
const LONGEST: f64 = 2.0;

/// What a session follows.
pub(super) struct Following {
    session: String,
    delay: Duration,
    steps: Receiver<Sent>,
    waiting: VecDeque<Sent>,
    /// It has taken a step.
    begun: bool,
    /// Why it has stopped.
    stopped: Option<String>,
}

impl Session {
    pub(super) fn begin_to_follow(&mut self, session: Option<&str>, delay: f64) -> Result<(), String> {
        let Some(session) = session else {
            self.following = None;
            self.notice = None;
            self.tell_state();
            return Ok(());
        };
        if !(0.0..=LONGEST).contains(&delay) {
            return Err(format!("the delay must be from 0 to {LONGEST} s"));
        }
        if session == self.name {
            return Err("a session cannot follow itself".to_owned());
        }
        let Content::Live(live) = &self.tracks[0].content else {
            return Err("a recording follows nobody; open its scene".to_owned());
        };
        if live.simulation().led_step().is_none() {
            return Err("only scenes with parts in hand can follow another one".to_owned());
        }
        let steps = self.lead.leads().listen(session)?;
        self.let_go();
        self.stop_recording();
        self.set_running(true);
        self.notice = Some(format!("Follows the session {session}, {delay} s behind."));
        self.following = Some(Following {
            session: session.to_owned(),
            delay: Duration::from_secs_f64(delay),
            steps,
            waiting: VecDeque::new(),
            begun: false,
            stopped: None,
        });
        self.tell_state();
        Ok(())
    }

    /// A session that follows does nothing of its own; the error is a sentence.
    pub(super) fn may(&self, request: &Request) -> Result<(), String> {
        let harmless = matches!(
            request,
            Request::Follow { .. }
                | Request::Overlays { .. }
                | Request::Taken { .. }
                | Request::Properties { .. }
                | Request::Release {}
                | Request::Play {}
        );
        match &self.following {
            Some(following) if !harmless => {
                Err(format!("this session follows {}; end that first", following.session))
            }
            _ => Ok(()),
        }
    }

    /// Takes the steps that are old enough. What cannot be taken stops it.
    pub(super) fn follow_leader(&mut self) {
        let Some(following) = &mut self.following else { return };
        let ended = loop {
            match following.steps.try_recv() {
                Ok(sent) => following.waiting.push_back(sent),
                Err(error) => break error == TryRecvError::Disconnected,
            }
        };
        let now = Instant::now();
        while following.stopped.is_none() {
            let delay = following.delay;
            let Some((_, led)) = following.waiting.pop_front_if(|(at, _)| now.duration_since(*at) >= delay)
            else {
                break;
            };
            let Content::Live(live) = &mut self.tracks[0].content else { break };
            match live.follow(&led, !following.begun) {
                Ok(()) => {
                    following.begun = true;
                    self.changed = true;
                }
                Err(sentence) => following.stopped = Some(sentence),
            }
        }
        if following.stopped.is_some() {
            following.waiting.clear();
        } else if ended && following.waiting.is_empty() {
            following.stopped = Some("the session that it followed has ended".to_owned());
        }
        let notice = following.stopped.as_ref().map(|sentence| format!("Stopped: {sentence}."));
        if notice.is_some() && notice != self.notice {
            self.notice = notice;
            self.tell_state();
        }
    }

    pub(super) fn follow_item(&self) -> Option<FollowItem> {
        self.following.as_ref().map(|following| FollowItem {
            session: following.session.clone(),
            delay: following.delay.as_secs_f64(),
            stopped: following.stopped.clone(),
        })
    }
}

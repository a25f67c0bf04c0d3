//! [`Rehearsal`]: a session without a socket, a thread or a clock.

use super::super::gallery::Gallery;
use super::super::message::{Numbered, Request};
use super::super::outbox::{Texts, outbox};
use super::{Client, Command, Published, Session, Source, Surroundings, Ticket};
use crate::recording::Store;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, LazyLock};
use tokio::sync::watch;

/// The only page that watches.
const PAGE: Client = 1;

/// A worker for the simulations of all rehearsals.
static POOL: LazyLock<Option<Arc<rayon::ThreadPool>>> =
    LazyLock::new(|| rayon::ThreadPoolBuilder::new().num_threads(1).build().ok().map(Arc::new));

/// A session with one page, to which messages are given as a socket would give them: for tests of what pages may say.
pub struct Rehearsal {
    session: Session,
    commands: Receiver<Command>,
    texts: Texts,
    frames: watch::Receiver<Published>,
}

impl Rehearsal {
    /// Opens a scene of a gallery; the error is a sentence.
    pub fn open(gallery: &Gallery, scene: &str, recordings: Store) -> Result<Rehearsal, String> {
        let item = gallery.find(scene).map_err(|unknown| unknown.to_string())?;
        let pool = POOL.as_ref().map(Arc::clone).ok_or("no thread for the simulation")?;
        let (commands, receiver) = channel();
        let surroundings = Surroundings {
            store: recordings,
            pool,
            commands,
            server: "rehearsal".into(),
            appearances: Arc::default(),
            devices: Arc::default(),
            leads: Arc::default(),
        };
        let (sender, frames) = watch::channel(Published::default());
        let mut session = Session::open("rehearsal".to_owned(), Source::Scene(item), surroundings, sender)?;
        let (outbox, texts) = outbox();
        session.obey(Command::Join { client: PAGE, outbox });
        Ok(Rehearsal { session, commands: receiver, texts, frames })
    }

    /// Carries out a message of the page; the error is the sentence with which its connection is closed.
    pub fn say(&mut self, text: &str) -> Result<(), String> {
        let message = Numbered::parse(text)?;
        if !matches!(message.request, Request::Taken { .. }) {
            let ticket = Ticket::new(&Arc::default());
            self.session.obey(Command::Say { client: PAGE, message, ticket });
        }
        Ok(())
    }

    /// Takes a step if the session runs, and returns the texts that the page gets and the bytes of its frames.
    pub fn step(&mut self) -> (Vec<String>, Vec<u8>) {
        // What helpers of the session have got ready, such as a ghost.
        for command in self.commands.try_iter() {
            self.session.obey(command);
        }
        if self.session.running {
            self.session.step();
        }
        self.session.publish();
        let frames = self.frames.borrow_and_update();
        let bytes = frames.tracks.iter().flat_map(|(track, moment)| moment.encode(*track, 0, None));
        (self.texts.taken(), bytes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_page_without_a_socket_says_and_is_told_what_others_are() {
        let mut rehearsal =
            Rehearsal::open(&Gallery::standard(), "bouncing-ball", Store::new("none")).unwrap();
        rehearsal.say(r#"{"type": "set", "parameter": "restitution", "value": 0.9}"#).unwrap();
        rehearsal.say(r#"{"type": "speed", "value": 99}"#).unwrap();
        rehearsal.say(r#"{"type": "taken", "frame": 1}"#).unwrap();
        assert!(rehearsal.say("{\"type\": \"fly\"}").unwrap_err().contains("not a known message"));
        let (texts, frame) = rehearsal.step();
        let texts: Vec<Value> = texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        let kind = |kind: &str| texts.iter().find(|text| text["type"] == kind).unwrap();
        assert_eq!(kind("hello")["session"], "rehearsal");
        assert_eq!(kind("state")["values"]["restitution"], 0.9);
        assert!(kind("error")["message"].as_str().unwrap().contains("from 0.1 to 10"));
        assert!(!frame.is_empty());
        assert!(Rehearsal::open(&Gallery::standard(), "no-such-scene", Store::new("none")).is_err());
    }
}

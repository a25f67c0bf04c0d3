//! [`Sessions`]: all running simulations by name.

use super::Gallery;
use super::session::{Client, Command, Published, Session};
use prall_scenes::Assets;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};

/// Most sessions at a time: each has a thread.
const SESSIONS: usize = 16;

/// Most messages that wait for a session; a client that sends more is closed.
const COMMANDS: usize = 1024;

/// Most texts that wait for a client; one that is this far behind is closed.
const TEXTS: usize = 256;

struct Handle {
    scene: String,
    commands: SyncSender<Command>,
    frames: watch::Receiver<Published>,
    assets: Arc<Assets>,
}

/// A client's ends of the channels of its session.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) frames: watch::Receiver<Published>,
    pub(super) texts: mpsc::Receiver<String>,
    commands: SyncSender<Command>,
}

impl Connection {
    /// Passes a command on; false if the session is gone or has too much to do.
    pub(super) fn tell(&self, command: Command) -> bool {
        match self.commands.try_send(command) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }
}

pub(super) struct Sessions {
    gallery: Gallery,
    running: Mutex<HashMap<String, Handle>>,
    clients: AtomicU64,
}

impl Sessions {
    pub(super) fn new(gallery: Gallery) -> Arc<Sessions> {
        Arc::new(Sessions { gallery, running: Mutex::default(), clients: AtomicU64::new(1) })
    }

    pub(super) fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    /// A session thread that panicked while it held the lock leaves the map whole: entries go in and out in one call.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Handle>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn assets(&self, session: &str) -> Option<Arc<Assets>> {
        self.lock().get(session).map(|handle| Arc::clone(&handle.assets))
    }

    /// Joins a session, starting it if it does not run; the error is a sentence for the client.
    pub(super) fn join(
        self: &Arc<Sessions>,
        scene: &str,
        session: Option<&str>,
    ) -> Result<Connection, String> {
        let entry = self.gallery.find(scene).map_err(|unknown| unknown.to_string())?;
        let session = session.unwrap_or(scene);
        let fitting = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !(1..=64).contains(&session.len()) || !session.chars().all(fitting) {
            return Err(
                "a session's name has 1 to 64 letters, digits, hyphens, underscores or dots".to_owned()
            );
        }
        let mut running = self.lock();
        let ended = running.get(session).is_some_and(|handle| handle.frames.has_changed().is_err());
        if ended {
            running.remove(session);
        }
        if !running.contains_key(session) {
            if running.len() >= SESSIONS {
                return Err(format!("{SESSIONS} sessions are running; close one of their pages first"));
            }
            running.insert(session.to_owned(), self.start(session, &entry));
        }
        let handle = &running[session];
        if handle.scene != scene {
            return Err(format!(
                "session '{session}' shows {}, not {scene}; choose another name",
                handle.scene
            ));
        }
        let (texts, receiver) = mpsc::channel(TEXTS);
        let connection = Connection {
            client: self.clients.fetch_add(1, Ordering::Relaxed),
            frames: handle.frames.clone(),
            texts: receiver,
            commands: handle.commands.clone(),
        };
        if !connection.tell(Command::Join { client: connection.client, texts }) {
            return Err(format!("session '{session}' is too busy; try again"));
        }
        Ok(connection)
    }

    fn start(self: &Arc<Sessions>, session: &str, entry: &Arc<super::Entry>) -> Handle {
        let simulation = (entry.build)();
        let assets = Arc::new(simulation.assets().clone());
        let (commands, receiver) = sync_channel(COMMANDS);
        let (sender, frames) = watch::channel(Published::default());
        let running = Session::new(session.to_owned(), Arc::clone(entry), simulation, sender);
        let sessions = Arc::clone(self);
        std::thread::spawn(move || running.run(&receiver, &sessions));
        Handle { scene: entry.name.clone(), commands, frames, assets }
    }

    /// Called by a session that nobody watches: takes it off the list, unless somebody has just joined, whose command is
    /// given back.
    ///
    /// The lock makes it safe: joins are sent under it too, so an empty queue means that none is under way.
    pub(super) fn close(&self, session: &str, commands: &Receiver<Command>) -> Result<(), Command> {
        let mut running = self.lock();
        if let Some(join) = commands.try_iter().find(|command| matches!(command, Command::Join { .. })) {
            return Err(join);
        }
        running.remove(session);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_is_joined_while_it_closes_goes_on_with_the_newcomer() {
        let sessions = Sessions::new(Gallery::default());
        let (sender, receiver) = sync_channel(COMMANDS);
        let (texts, _) = mpsc::channel(1);
        sender.send(Command::Leave { client: 1 }).unwrap();
        sender.send(Command::Join { client: 2, texts }).unwrap();
        assert!(matches!(sessions.close("lab", &receiver), Err(Command::Join { client: 2, .. })));
        sender.send(Command::Leave { client: 2 }).unwrap();
        assert!(sessions.close("lab", &receiver).is_ok());
    }
}

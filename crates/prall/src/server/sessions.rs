//! [`Sessions`]: all running simulations by name.

use super::Gallery;
use super::devices::HandDevices;
use super::leads::Leads;
use super::message::Numbered;
use super::outbox::{Texts, outbox};
use super::session::{Appearances, Client, Command, Published, Session, Source, Surroundings, Ticket};
use crate::appearance::Appearance;
use crate::recording::Store;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// Most messages of one client that wait for a session; a client that sends more is closed. It is more than a client may
/// send at once.
const WAITING: usize = 512;

struct Handle {
    commands: Sender<Command>,
    frames: watch::Receiver<Published>,
    appearances: Appearances,
    audience: Arc<Mutex<Audience>>,
}

impl Handle {
    /// Since when nobody is connected; none while somebody is.
    fn alone_since(&self) -> Option<Instant> {
        let audience = self.audience.lock().unwrap_or_else(PoisonError::into_inner);
        (audience.connections == 0).then_some(audience.changed)
    }
}

/// Who is connected to a session, also before its thread has heard of them.
struct Audience {
    connections: usize,
    /// When the last one came or went.
    changed: Instant,
}

impl Audience {
    fn count(audience: &Mutex<Audience>, change: impl Fn(usize) -> usize) {
        let mut audience = audience.lock().unwrap_or_else(PoisonError::into_inner);
        *audience = Audience { connections: change(audience.connections), changed: Instant::now() };
    }
}

/// A client's ends of the channels of its session.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) frames: watch::Receiver<Published>,
    pub(super) texts: Texts,
    commands: Sender<Command>,
    /// How many of its messages wait for the session.
    waiting: Arc<AtomicUsize>,
    audience: Arc<Mutex<Audience>>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        Audience::count(&self.audience, |connections| connections - 1);
    }
}

impl Connection {
    /// Passes a request on; false if the session is gone, or too many of this client's requests wait for it.
    pub(super) fn say(&self, message: Numbered) -> bool {
        let ticket = Ticket::new(&self.waiting);
        self.waiting.load(Ordering::Relaxed) <= WAITING
            && self.tell(Command::Say { client: self.client, message, ticket })
    }

    /// Passes a command on; false if the session is gone.
    pub(super) fn tell(&self, command: Command) -> bool {
        self.commands.send(command).is_ok()
    }
}

pub(super) struct Sessions {
    gallery: Gallery,
    store: Store,
    pool: Arc<rayon::ThreadPool>,
    running: Mutex<HashMap<String, Handle>>,
    /// Most sessions at a time.
    most: usize,
    clients: AtomicU64,
    /// Differs from start to start.
    server: Arc<str>,
    devices: Arc<HandDevices>,
    leads: Arc<Leads>,
}

impl Sessions {
    pub(super) fn new(
        gallery: Gallery,
        store: Store,
        pool: rayon::ThreadPool,
        devices: HandDevices,
        most: usize,
    ) -> Arc<Sessions> {
        let (running, clients) = (Mutex::default(), AtomicU64::new(1));
        let server = super::token::random().into();
        let (pool, devices) = (Arc::new(pool), Arc::new(devices));
        Arc::new(Sessions {
            gallery,
            store,
            pool,
            running,
            most,
            clients,
            server,
            devices,
            leads: Arc::default(),
        })
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn devices(&self) -> &HandDevices {
        &self.devices
    }

    pub(super) fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    /// A session thread that panicked while it held the lock leaves the map whole: entries go in and out in one call.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Handle>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How a track of a session looks.
    pub(super) fn appearance(&self, session: &str, track: u32) -> Option<Arc<Appearance>> {
        let appearances = Arc::clone(&self.lock().get(session)?.appearances);
        let appearances = appearances.lock().unwrap_or_else(PoisonError::into_inner);
        appearances.get(&track).cloned()
    }

    /// What a client wants to see; the error is a sentence.
    pub(super) fn source(&self, scene: Option<&str>, recording: Option<&str>) -> Result<Source, String> {
        match (scene, recording) {
            (Some(scene), None) => {
                self.gallery.find(scene).map(Source::Scene).map_err(|unknown| unknown.to_string())
            }
            (None, Some(name)) => {
                self.store.path(name)?;
                Ok(Source::Recording(name.to_owned()))
            }
            _ => Err("an address of a session names a scene or a recording".to_owned()),
        }
    }

    /// Joins a session, starting it if it does not run; the error is a sentence for the client.
    pub(super) fn join(
        self: &Arc<Sessions>,
        source: Source,
        session: Option<&str>,
    ) -> Result<Connection, String> {
        let subject = match &source {
            Source::Scene(item) => item.name().to_owned(),
            Source::Recording(name) => name.clone(),
        };
        let fitting = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if session.is_some_and(|name| !(1..=64).contains(&name.len()) || !name.chars().all(fitting)) {
            return Err(
                "a session's name has 1 to 64 letters, digits, hyphens, underscores or dots".to_owned()
            );
        }
        // A name is a room: whoever goes on to another scene in it does not disturb those who stay.
        let session = &session.map_or_else(|| subject.clone(), |room| format!("{room}.{subject}"));
        let mut running = self.lock();
        let ended = running.get(session).is_some_and(|handle| handle.frames.has_changed().is_err());
        if ended {
            running.remove(session);
        }
        if !running.contains_key(session) {
            if running.len() >= self.most {
                self.make_room(&mut running)?;
            }
            running.insert(session.clone(), self.start(session, source));
        }
        let handle = &running[session];
        let (outbox, texts) = outbox();
        Audience::count(&handle.audience, |connections| connections + 1);
        let connection = Connection {
            client: self.clients.fetch_add(1, Ordering::Relaxed),
            frames: handle.frames.clone(),
            texts,
            commands: handle.commands.clone(),
            waiting: Arc::default(),
            audience: Arc::clone(&handle.audience),
        };
        if !connection.tell(Command::Join { client: connection.client, outbox }) {
            return Err(format!("session '{session}' has just ended; try again"));
        }
        Ok(connection)
    }

    /// Ends the session that nobody has watched for longest; where all are watched, the error is a sentence.
    fn make_room(&self, running: &mut HashMap<String, Handle>) -> Result<(), String> {
        let alone = running.iter().filter_map(|(name, handle)| Some((handle.alone_since()?, name)));
        let Some(name) = alone.min().map(|(_, name)| name.clone()) else {
            return Err(format!("{} sessions are running; close one of their pages first", self.most));
        };
        if let Some(handle) = running.remove(&name) {
            // A thread that is gone has ended by itself.
            let _ = handle.commands.send(Command::End);
        }
        Ok(())
    }

    /// Starts the thread; it builds the scene or reads the recording itself, so that nobody waits for it here.
    fn start(self: &Arc<Sessions>, session: &str, source: Source) -> Handle {
        let (commands, receiver) = channel();
        let (sender, frames) = watch::channel(Published::default());
        let appearances = Appearances::default();
        let surroundings = Surroundings {
            store: self.store.clone(),
            pool: Arc::clone(&self.pool),
            commands: commands.clone(),
            server: Arc::clone(&self.server),
            appearances: Arc::clone(&appearances),
            devices: Arc::clone(&self.devices),
            leads: Arc::clone(&self.leads),
        };
        let (name, sessions) = (session.to_owned(), Arc::clone(self));
        let work = move || match Session::open(name.clone(), source, surroundings, sender) {
            Ok(session) => session.run(&receiver, &sessions),
            Err(sentence) => {
                let mut running = sessions.lock();
                running.remove(&name);
                Session::refuse(&sentence, &receiver);
            }
        };
        let thread = std::thread::Builder::new().name("prall-session".to_owned()).spawn(work);
        if let Err(error) = thread {
            // The channels are gone with the thread: whoever joins is told that the session has ended.
            eprintln!("prall: no thread for session '{session}': {error}");
        }
        let audience = Arc::new(Mutex::new(Audience { connections: 0, changed: Instant::now() }));
        Handle { commands, frames, appearances, audience }
    }

    /// Called by a session that nobody watches: takes it off the list, unless somebody has just joined, whose command is
    /// given back.
    ///
    /// The lock makes it safe: joins are sent under it too, so an empty queue means that none is under way.
    pub(super) fn close(&self, session: &str, commands: &Receiver<Command>) -> Result<(), Command> {
        let mut running = self.lock();
        match commands.try_iter().find(|command| matches!(command, Command::Join { .. } | Command::End)) {
            // It was taken off the list before; another of its name may be on it by now.
            Some(Command::End) => {}
            Some(join) => return Err(join),
            None => {
                running.remove(session);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most sessions of these tests.
    const SESSIONS: usize = 9;

    #[test]
    fn a_session_that_is_joined_while_it_closes_goes_on_with_the_newcomer() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let sessions =
            Sessions::new(Gallery::default(), Store::new("none"), pool, HandDevices::default(), SESSIONS);
        let (sender, receiver) = channel();
        let (outbox, _) = outbox();
        sender.send(Command::Leave { client: 1 }).unwrap();
        sender.send(Command::Join { client: 2, outbox }).unwrap();
        assert!(matches!(sessions.close("lab", &receiver), Err(Command::Join { client: 2, .. })));
        sender.send(Command::Leave { client: 2 }).unwrap();
        assert!(sessions.close("lab", &receiver).is_ok());
    }

    #[test]
    fn a_newcomer_beyond_the_limit_ends_the_session_left_longest_ago_and_no_watched_one() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let sessions =
            Sessions::new(Gallery::standard(), Store::new("none"), pool, HandDevices::default(), SESSIONS);
        let join = |name: &str| {
            let source = sessions.source(Some("bouncing-ball"), None).unwrap();
            sessions.join(source, Some(name))
        };
        let mut watched: Vec<_> = (0..SESSIONS).map(|i| join(&format!("room-{i}")).unwrap()).collect();
        assert!(join("newcomer").is_err_and(|sentence| sentence.contains("close one of their pages")));
        drop(watched.remove(7));
        drop(watched.remove(3));
        let _newcomer = join("newcomer").unwrap();
        let names: Vec<String> = sessions.lock().keys().cloned().collect();
        assert_eq!(names.len(), SESSIONS);
        assert!(!names.contains(&"room-7.bouncing-ball".to_owned()), "room-7 was left first: {names:?}");
        assert!(names.contains(&"room-3.bouncing-ball".to_owned()));
    }
}

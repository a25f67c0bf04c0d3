//! [`Leads`]: who follows which session, and the steps on their way there.

use prall_scenes::LedStep;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A step, and when it was taken.
pub(super) type Sent = (Instant, Arc<LedStep>);

/// A running session, by a number that no other one has: one may begin before another of its name has ended.
struct Running {
    number: u64,
    listeners: Vec<Sender<Sent>>,
}

/// Running sessions, and those that listen to each.
#[derive(Default)]
pub(super) struct Leads {
    sessions: Mutex<HashMap<String, Running>>,
    numbers: AtomicU64,
}

impl Leads {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Steps of a session from now on; the error is a sentence.
    pub(super) fn listen(&self, session: &str) -> Result<Receiver<Sent>, String> {
        let mut sessions = self.lock();
        let running = sessions.get_mut(session).ok_or_else(|| {
            format!("no session '{session}' runs on this server; its name is in the address of its page")
        })?;
        let (sender, receiver) = channel();
        running.listeners.push(sender);
        Ok(receiver)
    }
}

/// A running session's place among those that can be followed; whoever listens learns that it has ended when this is dropped.
pub(super) struct Lead {
    leads: Arc<Leads>,
    name: String,
    number: u64,
}

impl Lead {
    pub(super) fn new(leads: &Arc<Leads>, name: &str) -> Lead {
        let number = leads.numbers.fetch_add(1, Ordering::Relaxed);
        leads.lock().insert(name.to_owned(), Running { number, listeners: Vec::new() });
        Lead { leads: Arc::clone(leads), name: name.to_owned(), number }
    }

    pub(super) fn leads(&self) -> &Leads {
        &self.leads
    }

    fn is(&self, running: &Running) -> bool {
        running.number == self.number
    }

    /// Sends a step to all that listen; it is made only if somebody does.
    pub(super) fn send(&self, step: impl FnOnce() -> Option<LedStep>) {
        let mut sessions = self.leads.lock();
        let Some(running) = sessions.get_mut(&self.name).filter(|running| self.is(running)) else { return };
        if running.listeners.is_empty() {
            return;
        }
        let Some(step) = step().map(Arc::new) else { return };
        let now = Instant::now();
        running.listeners.retain(|listener| listener.send((now, Arc::clone(&step))).is_ok());
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        let mut sessions = self.leads.lock();
        if sessions.get(&self.name).is_some_and(|running| self.is(running)) {
            sessions.remove(&self.name);
        }
    }
}

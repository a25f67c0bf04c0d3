//! Texts on their way to one connection.
//!
//! What a viewer asked for is queued, up to a limit. What everybody is told replaces the older text of its kind that is
//! still waiting, so that the traffic of one client never fills the queue of another.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Most answers that wait for a client; one that is this far behind with its own answers is closed. A client may send 480
/// messages at once, and each has one answer at most.
const ANSWERS: usize = 512;

/// What a text is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    /// The answer to a request of this client.
    Answer,
    /// All there is; it says what state and tracks say too.
    Hello,
    State,
    Tracks,
    Recorded,
    Trouble,
}

#[derive(Default)]
struct Queue {
    texts: VecDeque<(Topic, String)>,
    closed: bool,
}

impl Queue {
    fn put(&mut self, topic: Topic, text: String) {
        let place = self.texts.iter().position(|(waiting, _)| *waiting == topic);
        match (topic, place) {
            (Topic::Answer, _) | (_, None) => self.texts.push_back((topic, text)),
            // A greeting comes before all that follows from it.
            (Topic::Hello, Some(place)) => self.texts[place].1 = text,
            (_, Some(place)) => {
                self.texts.remove(place);
                self.texts.push_back((topic, text));
            }
        }
        if topic == Topic::Hello {
            self.texts.retain(|(topic, _)| !matches!(topic, Topic::State | Topic::Tracks));
        }
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Notify,
}

impl Shared {
    /// No panic can leave the queue half changed.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }
}

/// The session's end.
pub(super) struct Outbox(Arc<Shared>);

/// The connection's end.
pub(super) struct Texts(Arc<Shared>);

pub(super) fn outbox() -> (Outbox, Texts) {
    let shared = Arc::<Shared>::default();
    (Outbox(Arc::clone(&shared)), Texts(shared))
}

impl Outbox {
    /// Never waits; false if the connection is gone, or too far behind with its own answers.
    pub(super) fn send(&self, topic: Topic, text: String) -> bool {
        let mut queue = self.0.lock();
        let answers = || queue.texts.iter().filter(|(topic, _)| *topic == Topic::Answer).count();
        if queue.closed || (topic == Topic::Answer && answers() >= ANSWERS) {
            return false;
        }
        queue.put(topic, text);
        drop(queue);
        self.0.changed.notify_one();
        true
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Texts {
    /// All texts that wait.
    pub(super) fn taken(&self) -> Vec<String> {
        self.0.lock().texts.drain(..).map(|(_, text)| text).collect()
    }

    /// The next text; `None` once the session has dropped its end and all is taken.
    pub(super) async fn recv(&mut self) -> Option<String> {
        loop {
            {
                let mut queue = self.0.lock();
                if let Some((_, text)) = queue.texts.pop_front() {
                    return Some(text);
                }
                if queue.closed {
                    return None;
                }
            }
            self.0.changed.notified().await;
        }
    }
}

impl Drop for Texts {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_everybody_is_told_never_piles_up() {
        let (outbox, texts) = outbox();
        assert!(outbox.send(Topic::Hello, "hello 0".into()));
        for number in 0..100_000 {
            assert!(outbox.send(Topic::State, format!("state {number}")));
            assert!(outbox.send(Topic::Trouble, format!("trouble {number}")));
        }
        assert_eq!(texts.taken(), ["hello 0", "state 99999", "trouble 99999"]);
    }

    #[test]
    fn own_answers_keep_their_order_and_have_a_limit() {
        let (outbox, texts) = outbox();
        for number in 0..ANSWERS {
            assert!(outbox.send(Topic::Answer, number.to_string()));
        }
        assert!(!outbox.send(Topic::Answer, "one too many".into()));
        let numbers: Vec<String> = (0..ANSWERS).map(|number| number.to_string()).collect();
        assert_eq!(texts.taken(), numbers);
    }

    /// A greeting that is still waiting is the newest, and no older state follows it.
    #[test]
    fn a_new_greeting_replaces_what_it_says_itself() {
        let (outbox, texts) = outbox();
        for (topic, text) in [
            (Topic::Hello, "hello 1"),
            (Topic::State, "state 1"),
            (Topic::Answer, "answer"),
            (Topic::Hello, "hello 2"),
            (Topic::State, "state 2"),
        ] {
            assert!(outbox.send(topic, text.to_owned()));
        }
        assert_eq!(texts.taken(), ["hello 2", "answer", "state 2"]);
        drop(texts);
        assert!(!outbox.send(Topic::State, "nobody is there".into()));
    }
}

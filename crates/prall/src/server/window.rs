//! [`Window`]: how far a connection's frames may run ahead of what its page has taken.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// Sizes of a window that a client may ask for.
pub(super) const SIZES: RangeInclusive<usize> = 1..=60;

/// The numbers of the frames that are on their way to a client.
///
/// Between a server and a slow page lie buffers for many seconds of frames. A page that reports what it has taken is
/// sent at most `size` frames beyond that, and then the newest: its picture can be late, but never by more and more.
pub(super) struct Window {
    /// `None` if the client did not ask for a window: then nothing is held back.
    size: Option<usize>,
    on_their_way: VecDeque<u32>,
}

impl Window {
    /// The error is a sentence for the client.
    pub(super) fn new(size: Option<usize>) -> Result<Window, String> {
        match size {
            Some(size) if !SIZES.contains(&size) => {
                Err(format!("a window has {} to {} frames, not {size}", SIZES.start(), SIZES.end()))
            }
            size => Ok(Window { size, on_their_way: VecDeque::new() }),
        }
    }

    /// Whether another frame may be sent.
    pub(super) fn is_open(&self) -> bool {
        self.size.is_none_or(|size| self.on_their_way.len() < size)
    }

    pub(super) fn sent(&mut self, number: u32) {
        if self.size.is_some() {
            self.on_their_way.push_back(number);
        }
    }

    /// The client has taken this frame, and so all that were sent before it. Other numbers mean nothing.
    pub(super) fn taken(&mut self, number: u32) {
        if let Some(at) = self.on_their_way.iter().position(|sent| *sent == number) {
            self.on_their_way.drain(..=at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_frames_than_asked_for_are_ever_on_their_way() {
        let mut window = Window::new(Some(2)).unwrap();
        let mut sent = Vec::new();
        for number in 1..=100 {
            if window.is_open() {
                window.sent(number);
                sent.push(number);
            }
            // A page that takes one frame in ten.
            if number % 10 == 0 {
                window.taken(*sent.last().unwrap());
            }
            assert!(window.on_their_way.len() <= 2);
        }
        assert_eq!(&sent[..6], [1, 2, 11, 12, 21, 22], "after a pause the newest comes, not the oldest");
    }

    #[test]
    fn without_a_window_nothing_is_held_back() {
        let mut window = Window::new(None).unwrap();
        for number in 0..1000 {
            assert!(window.is_open());
            window.sent(number);
        }
        assert!(window.on_their_way.is_empty());
    }

    #[test]
    fn numbers_that_were_not_sent_open_nothing() {
        let mut window = Window::new(Some(1)).unwrap();
        window.sent(7);
        for stranger in [0, 6, 8, u32::MAX] {
            window.taken(stranger);
            assert!(!window.is_open());
        }
        window.taken(7);
        assert!(window.is_open());
    }

    #[test]
    fn impossible_sizes_are_refused_with_a_sentence() {
        for size in [0, 61, usize::MAX] {
            assert!(Window::new(Some(size)).err().unwrap().contains("1 to 60"));
        }
    }
}

//! [`Rate`]: how many messages a connection may send.

use std::time::Instant;

/// Messages per second in the long run: four for each frame.
const PER_SECOND: f64 = 240.0;

/// Messages at once.
const AT_ONCE: f64 = 480.0;

/// A bucket that fills with time and from which each message takes one.
pub(super) struct Rate {
    left: f64,
    last: Instant,
}

impl Rate {
    pub(super) fn new(now: Instant) -> Rate {
        Rate { left: AT_ONCE, last: now }
    }

    /// Takes one; false if there is none left.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.last).as_secs_f64();
        self.left = (self.left + passed * PER_SECOND).min(AT_ONCE);
        self.last = now;
        let enough = self.left >= 1.0;
        if enough {
            self.left -= 1.0;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_is_allowed_once_and_the_rate_for_ever() {
        let begin = Instant::now();
        let mut rate = Rate::new(begin);
        assert_eq!((0..1000).filter(|_| rate.take(begin)).count(), 480);
        let allowed = (1..=1000).filter(|ms| rate.take(begin + Duration::from_millis(*ms))).count();
        assert!((239..=241).contains(&allowed), "{allowed}");
        let mut steady = Rate::new(begin);
        assert!((0..10_000).all(|i| steady.take(begin + Duration::from_millis(5 * i))));
    }
}

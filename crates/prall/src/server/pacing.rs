//! [`Pacing`]: which steps are due now.

use std::time::{Duration, Instant};

/// The simulation may fall behind by this much before time is given up.
const PATIENCE: Duration = Duration::from_millis(100);

/// Keeps simulated time beside real time, and gives up what cannot be caught up.
#[derive(Debug)]
pub(super) struct Pacing {
    last: Instant,
    /// Simulated seconds that are due but not yet done.
    due: f64,
    /// Simulated seconds per second.
    pub(super) speed: f64,
    slowed_at: Option<Instant>,
}

impl Pacing {
    pub(super) fn new(now: Instant) -> Pacing {
        Pacing { last: now, due: 0.0, speed: 1.0, slowed_at: None }
    }

    /// Starts counting anew, as after a pause.
    pub(super) fn restart(&mut self, now: Instant) {
        self.last = now;
        self.due = 0.0;
    }

    /// Lets real time pass. What is more than [`PATIENCE`] behind is given up.
    pub(super) fn tick(&mut self, now: Instant) {
        self.due += now.saturating_duration_since(self.last).as_secs_f64() * self.speed;
        self.last = now;
        let most = PATIENCE.as_secs_f64() * self.speed;
        if self.due > most {
            self.due = most;
            self.slowed_at = Some(now);
        }
    }

    /// Takes one step if it is due.
    pub(super) fn take(&mut self, step: f64) -> bool {
        // A step that is due but for rounding is due.
        let due = self.due >= step * (1.0 - 1e-9);
        if due {
            self.due -= step;
        }
        due
    }

    /// True if time was given up within the last second.
    pub(super) fn slowed(&self, now: Instant) -> bool {
        self.slowed_at.is_some_and(|then| now.saturating_duration_since(then) < Duration::from_secs(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(pacing: &mut Pacing, step: f64) -> usize {
        std::iter::from_fn(|| pacing.take(step).then_some(())).count()
    }

    #[test]
    fn as_much_is_simulated_as_time_passes_times_speed() {
        let begin = Instant::now();
        for speed in [0.1, 1.0, 10.0] {
            let mut pacing = Pacing::new(begin);
            pacing.speed = speed;
            let mut total = 0;
            for tick in 1..=600 {
                pacing.tick(begin + Duration::from_micros(16_667 * tick));
                total += steps(&mut pacing, 0.001);
            }
            let expected = 16.667e-3 * 600.0 * speed / 0.001;
            assert!((total as f64 - expected).abs() <= 1.0, "{total} steps at speed {speed}");
            assert!(!pacing.slowed(begin + Duration::from_secs(10)));
        }
    }

    #[test]
    fn time_that_cannot_be_caught_up_is_given_up_and_said() {
        let begin = Instant::now();
        let mut pacing = Pacing::new(begin);
        pacing.tick(begin + Duration::from_secs(5));
        assert_eq!(steps(&mut pacing, 0.02), 5);
        assert!(pacing.slowed(begin + Duration::from_secs(5)));
        assert!(!pacing.slowed(begin + Duration::from_secs(7)));
    }

    /// Screens of 30, 60 and 144 pictures a second, and one that stands still for 0.3 s: the sled's 83 steps a frame are as many as time has passed, to one
    /// frame; what the pause costs is said; and after as many frames the run has the same bits, whatever the screen was.
    #[test]
    fn a_sled_is_the_same_on_every_screen() {
        let begin = Instant::now();
        let drive = |hertz: u32, pause: Duration| {
            let mut pacing = Pacing::new(begin);
            let mut sled = prall_scenes::bobsleigh(prall_scenes::BobOffer::standard());
            let (mut hashes, mut said) = (Vec::new(), false);
            for picture in 1..=2 * hertz {
                let passed = Duration::from_secs_f64(f64::from(picture) / f64::from(hertz));
                let now = begin + passed + if picture > hertz { pause } else { Duration::ZERO };
                pacing.tick(now);
                while pacing.take(sled.time_step()) {
                    let held = prall_scenes::Input::default();
                    let report = sled.step(&held, &mut prall_mechanics::Budget::unlimited());
                    assert_eq!(report.work, 83);
                    hashes.push(sled.hash());
                }
                said |= pacing.slowed(now);
            }
            (hashes, said)
        };
        let (sixty, said) = drive(60, Duration::ZERO);
        assert!(!said && sixty.len().abs_diff(120) <= 1, "{} frames in two seconds", sixty.len());
        for (hertz, pause) in [(30, 0), (144, 0), (60, 300)] {
            let (hashes, said) = drive(hertz, Duration::from_millis(pause));
            // Of a pause of 0.3 s a tenth is caught up.
            let expected = if pause == 0 { 120 } else { 125 };
            assert!(hashes.len().abs_diff(expected) <= 1, "{hertz} Hz: {} frames", hashes.len());
            assert_eq!(said, pause > 0);
            let common = hashes.len().min(sixty.len());
            assert_eq!(hashes[..common], sixty[..common], "{hertz} Hz");
        }
    }

    #[test]
    fn a_pause_leaves_no_debt() {
        let begin = Instant::now();
        let mut pacing = Pacing::new(begin);
        pacing.restart(begin + Duration::from_secs(5));
        pacing.tick(begin + Duration::from_secs(5));
        assert_eq!(steps(&mut pacing, 0.001), 0);
    }
}

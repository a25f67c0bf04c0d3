//! [`Pacing`]: which steps are due now. [`Beat`]: when the next frame is.

use std::time::{Duration, Instant};

/// Time between frames.
pub(super) const FRAME: Duration = Duration::from_nanos(16_666_667);

/// The simulation may fall behind by this much before time is given up.
const PATIENCE: Duration = Duration::from_millis(100);

/// Simulated time is compared to this, in s: the clock itself has no finer parts.
const ROUNDING: f64 = 1e-9;

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

    /// Takes one step ahead of real time, if the one before was not ahead as well: simulated time is never ahead by more than a step.
    pub(super) fn take_ahead(&mut self, step: f64) -> bool {
        let may = self.due >= -ROUNDING;
        if may {
            self.due -= step;
        }
        may
    }

    /// How long it is from `now` until a step ahead may be taken.
    fn ahead_in(&self, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.last).as_secs_f64();
        let due = self.due + passed * self.speed;
        if due >= -ROUNDING {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(-due / self.speed).unwrap_or(FRAME) + Duration::from_nanos(1)
    }

    /// True if time was given up within the last second.
    pub(super) fn slowed(&self, now: Instant) -> bool {
        self.slowed_at.is_some_and(|then| now.saturating_duration_since(then) < Duration::from_secs(1))
    }
}

/// When a running session takes its next steps and sends the next frame: after a frame's time, or at once if a hand waits for its answer.
#[derive(Debug)]
pub(super) struct Beat {
    next: Instant,
    /// A hand has moved since the last frame.
    hurried: bool,
}

impl Beat {
    pub(super) fn new(now: Instant) -> Beat {
        Beat { next: now, hurried: false }
    }

    /// A hand has moved: whoever moves it waits for the picture.
    pub(super) fn hurry(&mut self) {
        self.hurried = true;
    }

    /// Whether a hand has moved that no step has seen.
    pub(super) fn is_hurried(&self) -> bool {
        self.hurried
    }

    /// How long it is from `now` until the next steps.
    pub(super) fn wait(&self, now: Instant, pacing: &Pacing) -> Duration {
        let wait = self.next.saturating_duration_since(now);
        if self.hurried { wait.min(pacing.ahead_in(now)) } else { wait }
    }

    /// A step was taken: it has seen where the hand is.
    pub(super) fn stepped(&mut self) {
        self.hurried = false;
    }

    /// Takes a step ahead of real time for a hand that no step has seen.
    pub(super) fn take_for_hand(&mut self, pacing: &mut Pacing, step: f64) -> bool {
        let taken = self.hurried && pacing.take_ahead(step);
        self.hurried &= !taken;
        taken
    }

    /// A frame goes out at `now`. Missed frames are not made up for.
    pub(super) fn passed(&mut self, now: Instant) {
        // A frame that a hand has called is the one that would have come next.
        self.next = if now < self.next { now + FRAME } else { (self.next + FRAME).max(now) };
    }

    /// Whether the next frame should have gone out a frame's time ago.
    pub(super) fn is_late(&self, now: Instant) -> bool {
        now > self.next + FRAME
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of a session that steps as `session.rs` does, with hands that come at the given times; a step takes no time.
    /// Returns when each hand was answered, and how far simulated time was ahead of real time at most, in s.
    fn answers(step: f64, hands: &[Duration], until: Duration) -> (Vec<Duration>, f64) {
        let begin = Instant::now();
        let (mut pacing, mut beat) = (Pacing::new(begin), Beat::new(begin));
        let (mut now, mut waiting, mut answered) = (begin, 0, Vec::new());
        let (mut simulated, mut ahead) = (0.0, f64::NEG_INFINITY);
        let mut hands = hands.iter().map(|at| begin + *at).peekable();
        let mut turns = 0;
        while now < begin + until {
            turns += 1;
            assert!(turns < 10_000, "the beat stands still at {:?}", now - begin);
            let due = now + beat.wait(now, &pacing);
            if let Some(hand) = hands.next_if(|hand| *hand <= due) {
                now = now.max(hand);
                beat.hurry();
                waiting += 1;
                continue;
            }
            now = due;
            pacing.tick(now);
            let mut taken = 0;
            while pacing.take(step) {
                taken += 1;
                beat.stepped();
            }
            taken += i32::from(beat.take_for_hand(&mut pacing, step));
            simulated += f64::from(taken) * step;
            ahead = ahead.max(simulated - (now - begin).as_secs_f64());
            beat.passed(now);
            if taken > 0 {
                answered.extend(std::iter::repeat_n(now - begin, std::mem::take(&mut waiting)));
            }
        }
        (answered, ahead)
    }

    /// A page sends its hand once in each of its own pictures, whenever these are.
    #[test]
    fn a_hand_is_answered_by_a_step_of_its_own_at_once_and_time_is_never_ahead_by_more_than_a_step() {
        for step in [1.0 / 60.0, 1.0 / 240.0, 0.002] {
            for offset in 0..8 {
                let hands: Vec<Duration> = (1..300).map(|i| (i * FRAME) + offset * FRAME / 8).collect();
                let (answered, ahead) = answers(step, &hands, 320 * FRAME);
                assert_eq!(answered.len(), hands.len());
                for (hand, answer) in hands.iter().zip(&answered) {
                    // At the same moment, but for rounding.
                    assert!(
                        *answer - *hand < Duration::from_micros(1),
                        "{:?} at {hand:?}, step {step}",
                        *answer - *hand
                    );
                }
                assert!(ahead < step + 1e-8, "{ahead} with steps of {step}");
            }
        }
    }

    /// A hand that is sent four times in a frame is answered as often as real time has steps.
    #[test]
    fn hands_that_come_faster_than_steps_wait_for_one_step_at_most() {
        let hands: Vec<Duration> = (1..400).map(|i| i * FRAME / 4).collect();
        let (answered, ahead) = answers(1.0 / 60.0, &hands, 120 * FRAME);
        assert_eq!(answered.len(), hands.len());
        for (hand, answer) in hands.iter().zip(&answered) {
            assert!(*answer - *hand <= FRAME + Duration::from_micros(1));
        }
        assert!(ahead < 1.0 / 60.0 + 1e-8);
    }

    #[test]
    fn without_a_hand_frames_come_sixty_times_a_second() {
        let begin = Instant::now();
        let (pacing, mut beat) = (Pacing::new(begin), Beat::new(begin));
        let mut now = begin;
        for frame in 0..60 {
            now += beat.wait(now, &pacing);
            assert_eq!(now, begin + frame * FRAME);
            beat.passed(now);
        }
        // What was missed is not made up for.
        beat.passed(now + 10 * FRAME);
        assert_eq!(beat.wait(now + 10 * FRAME, &pacing), Duration::ZERO);
        beat.passed(now + 10 * FRAME);
        assert_eq!(beat.wait(now + 10 * FRAME, &pacing), FRAME);
    }

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

//! [`Pacer`] and [`Sampled`]: a simulation in step with the clock, and inputs between their samples.

use std::time::Duration;

/// Tells how many fixed steps are due, so that simulated time keeps up with the clock.
///
/// The clock is the caller's: give the time since the last call, and take so many steps. What the machine cannot do within
/// [`Pacer::most_steps`] is not caught up later: the simulation then is slower than the clock, and [`Pacer::lost`] says by how much.
///
/// ```
/// use prall_multibody::Pacer;
/// use std::time::Duration;
///
/// let mut pacer = Pacer::new(1.0 / 4980.0, 200).unwrap();
/// // A frame of a 60 Hz screen holds the source's 83 steps.
/// assert_eq!(pacer.due(Duration::from_secs_f64(1.0 / 60.0)), 83);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pacer {
    step: f64,
    most_steps: u32,
    /// Time that has passed and is not simulated yet, in s; below one step.
    owed: f64,
    lost: f64,
}

impl Pacer {
    /// `step` in s, above 0; at most `most_steps`, at least 1, in one call. Otherwise `None`.
    pub fn new(step: f64, most_steps: u32) -> Option<Pacer> {
        let sound = step > 0.0 && step.is_finite() && most_steps > 0;
        sound.then_some(Pacer { step, most_steps, owed: 0.0, lost: 0.0 })
    }

    /// Steps to be taken now, `passed` after the last call.
    pub fn due(&mut self, passed: Duration) -> u32 {
        self.owed += passed.as_secs_f64();
        // A part in a million of a step is rounding, not time.
        let whole = (self.owed / self.step + 1e-6).floor();
        let steps = whole.min(f64::from(self.most_steps));
        self.lost += (whole - steps) * self.step;
        self.owed = (self.owed - whole * self.step).max(0.0);
        steps as u32
    }

    /// Time until the next step is due, to sleep.
    pub fn until_next(&self) -> Duration {
        Duration::from_secs_f64((self.step - self.owed).max(0.0))
    }

    /// Share of a step that has passed since the last one: to draw between two states.
    pub fn fraction(&self) -> f64 {
        self.owed / self.step
    }

    /// Seconds that the simulation is behind the clock for good.
    pub fn lost(&self) -> f64 {
        self.lost
    }

    /// Length of a step in s.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Most steps that one call asks for.
    pub fn most_steps(&self) -> u32 {
        self.most_steps
    }
}

/// An input that is sampled now and then, a sensor or a gamepad, and asked at any time in between.
///
/// It answers one sample late, by the straight line between the last two samples: what it says is always measured, never guessed,
/// and has no jumps. After the last sample it stays.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampled {
    before: (f64, f64),
    last: (f64, f64),
    period: f64,
}

impl Sampled {
    /// An input that has been `value` up to now.
    pub fn new(value: f64) -> Sampled {
        Sampled { before: (0.0, value), last: (0.0, value), period: 0.0 }
    }

    /// A sample at `time` in s. One that is not later than the last takes its place; what is not finite is ignored.
    pub fn sample(&mut self, time: f64, value: f64) {
        if !(time.is_finite() && value.is_finite()) {
            return;
        }
        if time > self.last.0 {
            (self.before, self.period) = (self.last, time - self.last.0);
        }
        self.last = (time.max(self.last.0), value);
    }

    /// The value at `time` in s, one sample late.
    pub fn at(&self, time: f64) -> f64 {
        if !(self.period > 0.0) {
            return self.last.1;
        }
        let share = ((time - self.last.0) / self.period).clamp(0.0, 1.0);
        self.before.1 + (self.last.1 - self.before.1) * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the frames are like, steps times their length is the time that has passed, to one step.
    #[test]
    fn no_time_is_gained_or_lost_over_uneven_frames() {
        let mut pacer = Pacer::new(2e-4, 1000).unwrap();
        let (mut steps, mut passed) = (0_u64, 0.0);
        for frame in 0..10_000_u32 {
            let seconds = 0.001 + 0.0173 * f64::from(frame * 7919 % 101) / 101.0;
            steps += u64::from(pacer.due(Duration::from_secs_f64(seconds)));
            passed += seconds;
            assert!((0.0..1.0).contains(&pacer.fraction()));
        }
        // One step, and a nanosecond of rounding per call, which is what a `Duration` resolves.
        assert!((steps as f64 * 2e-4 - passed).abs() < 2e-4 + 1e-5);
        assert_eq!(pacer.lost(), 0.0);
    }

    #[test]
    fn a_machine_that_is_too_slow_is_told_how_much_it_lost() {
        let mut pacer = Pacer::new(0.01, 10).unwrap();
        assert_eq!(pacer.due(Duration::from_millis(255)), 10);
        assert!((pacer.lost() - 0.15).abs() < 1e-12);
        assert!((pacer.until_next().as_secs_f64() - 0.005).abs() < 1e-9);
        assert!(Pacer::new(0.0, 1).is_none() && Pacer::new(0.1, 0).is_none());
    }

    #[test]
    fn an_input_is_straight_between_samples_and_stays_after_them() {
        let mut input = Sampled::new(2.0);
        input.sample(0.1, 4.0);
        // One sample late: at 0.1 s it still is where it was, at 0.2 s it has arrived.
        assert_eq!([0.1, 0.15, 0.2, 5.0].map(|time| input.at(time)), [2.0, 3.0, 4.0, 4.0]);
        input.sample(0.2, 0.0);
        assert_eq!(input.at(0.2), 4.0);
        input.sample(0.3, f64::NAN);
        assert!((input.at(0.25) - 2.0).abs() < 1e-12);
    }
}

//! [`Beginner`]: hands that see where the sled is and nothing else.
//!
//! He sees the distance to the middle of the course, answers it 0.25 s later (the reaction time of a person to what he sees), and his
//! hands err by a degree. He knows neither the rate of the sled across nor the curve to come, so he steers against a swing of 1.3 s
//! when it has already turned: a quarter of a second is a fifth of it.

use std::collections::VecDeque;

use crate::run::{Hands, Run, even_number};

use super::THINKING;

/// How a beginner steers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeginnerOptions {
    /// Steering towards the middle in rad per m of distance from it. Default 0.08.
    pub gain: f64,
    /// Time in s from what he sees to what his hands do. Default 0.25.
    pub delay: f64,
    /// Standard deviation of his hands in rad, anew at every look. Default one degree.
    pub noise: f64,
    /// Largest steering angle in rad. Default 10 degrees, the stop.
    pub most: f64,
}

impl Default for BeginnerOptions {
    fn default() -> BeginnerOptions {
        BeginnerOptions { gain: 0.08, delay: 0.25, noise: 1.0_f64.to_radians(), most: 10.0_f64.to_radians() }
    }
}

/// A beginner on his way. The crew pushes and brakes as the track says; he only steers.
#[derive(Clone, Debug)]
pub struct Beginner {
    options: BeginnerOptions,
    noise: u64,
    /// Distances to the left of the course that he has seen and not yet answered, oldest first.
    seen: VecDeque<f64>,
    station: f64,
    steering: f64,
}

impl Beginner {
    /// Who sits in a sled at a station; the same seed errs in the same way.
    pub fn new(options: BeginnerOptions, seed: u64, station: f64) -> Beginner {
        let noise = seed ^ 0x2545_f491_4f6c_dd1d;
        Beginner { options, noise, seen: VecDeque::new(), station, steering: 0.0 }
    }

    /// Looks and makes up his mind; every [`THINKING`] seconds.
    pub fn look(&mut self, run: &Run<'_>) {
        let track = &run.course().track;
        let (station, beside) = track.project(run.sled().centre_of_mass(), self.station);
        self.station = station;
        self.seen.push_back(beside.x);
        let looks = (self.options.delay / THINKING).round().max(0.0) as usize;
        let left = if self.seen.len() > looks { self.seen.pop_front().unwrap_or_default() } else { 0.0 };
        let normal = (0..12).map(|_| even_number(&mut self.noise)).sum::<f64>() - 6.0;
        let wanted = -self.options.gain * left + self.options.noise * normal;
        self.steering = wanted.clamp(-self.options.most, self.options.most);
    }

    /// His hands, for [`Run::step`].
    pub fn hands(&self, run: &Run<'_>) -> Hands {
        let push = if run.station() > run.course().track.runout().s_begin { -1.0 } else { 1.0 };
        Hands::Own { steering: self.steering, push }
    }

    /// Drives a run to its end.
    pub fn drive(mut self, mut run: Run<'_>) -> crate::run::RunResult {
        loop {
            self.look(&run);
            let hands = self.hands(&run);
            if !run.look_by(&hands) {
                return run.into_result();
            }
        }
    }
}

//! Is a path free? A part follows waypoints among obstacles; the answer is proven for every time between them.

mod check;
mod clearance;

use prall_math::{Motion, MotionError, Pose};
use thiserror::Error;

pub use check::{PathAnswer, PathQuery};
pub use clearance::Clearance;

/// How a part goes from one waypoint to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Its origin on a straight line, turning evenly.
    #[default]
    Slerp,
    /// About a fixed axis and along it.
    Screw,
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// In s, or whatever the path is measured in.
    pub time: f64,
    /// Where the part is then.
    pub pose: Pose,
}

/// A motion through waypoints.
#[derive(Clone, Debug)]
pub struct Path {
    times: Vec<f64>,
    pieces: Vec<Motion>,
}

/// Why waypoints make no path.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PathError {
    /// Fewer than two waypoints.
    #[error("a path needs at least 2 waypoints, not {0}")]
    TooShort(usize),
    /// Times that do not grow.
    #[error("waypoint {waypoint} is at time {time}, not after the one before it, which is at {before}")]
    Time {
        /// Counted from 1.
        waypoint: usize,
        /// Its time.
        time: f64,
        /// The time of the one before.
        before: f64,
    },
    /// Poses that no motion leads between.
    #[error("between waypoints {waypoint} and {}: {source}", waypoint + 1)]
    Motion {
        /// The first of the two, counted from 1.
        waypoint: usize,
        /// What is wrong.
        source: MotionError,
    },
}

impl Path {
    /// A path through waypoints in the order of time.
    pub fn new(waypoints: &[Waypoint], interpolation: Interpolation) -> Result<Path, PathError> {
        if waypoints.len() < 2 {
            return Err(PathError::TooShort(waypoints.len()));
        }
        let mut pieces = Vec::with_capacity(waypoints.len() - 1);
        for (index, pair) in waypoints.windows(2).enumerate() {
            let (before, time) = (pair[0].time, pair[1].time);
            // Written so that NaN is wrong.
            if !(before < time && time.is_finite() && before.is_finite()) {
                return Err(PathError::Time { waypoint: index + 2, time, before });
            }
            let piece = match interpolation {
                Interpolation::Slerp => Motion::slerp(pair[0].pose, pair[1].pose),
                Interpolation::Screw => Motion::screw(pair[0].pose, pair[1].pose),
            };
            pieces.push(piece.map_err(|source| PathError::Motion { waypoint: index + 1, source })?);
        }
        Ok(Path { times: waypoints.iter().map(|waypoint| waypoint.time).collect(), pieces })
    }

    /// How many pieces there are between waypoints.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// The time at a share of a piece.
    fn time(&self, piece: usize, share: f64) -> f64 {
        self.times[piece] + share * (self.times[piece + 1] - self.times[piece])
    }

    /// The piece and the share of it at a time; times outside are those of the ends.
    fn locate(&self, time: f64) -> (usize, f64) {
        let piece = self.times[1..self.times.len() - 1].partition_point(|&end| end <= time);
        let (begin, end) = (self.times[piece], self.times[piece + 1]);
        (piece, ((time - begin) / (end - begin)).clamp(0.0, 1.0))
    }

    /// Where the part is at a time; before the start and after the end it rests.
    pub fn pose(&self, time: f64) -> Pose {
        let (piece, share) = self.locate(time);
        self.pieces[piece].pose(share)
    }

    /// Time of the first waypoint.
    pub fn start_time(&self) -> f64 {
        self.times[0]
    }

    /// Time of the last waypoint.
    pub fn end_time(&self) -> f64 {
        self.times[self.times.len() - 1]
    }
}

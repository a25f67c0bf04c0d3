//! [`BuckOptions`]: how the method works.

use crate::error::{HandlingError, within};
use crate::options::Friction;

/// Where Newton's method begins (Buck 1999, 6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartForces {
    /// Nothing.
    Zero,
    /// The forces of the last interval; new contacts have none.
    #[default]
    Previous,
    /// Forces that keep all contacts, to first order; where they pull, none.
    Linear,
    /// The linear complementarity problem.
    Complementarity,
}

/// How the change of distances by forces is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Derivative {
    /// By small changes of each force, as in the thesis.
    Differences,
    /// In closed form.
    #[default]
    Closed,
}

/// What contact conditions are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Positions at the end of the interval: nothing drifts.
    #[default]
    Position,
    /// Accelerations at its beginning ((41) and (42) of the thesis), as was usual before: gaps drift with every turn. There to compare with.
    Acceleration,
}

/// How the time of a collision is found from the distance d(t) of the two features that collide (Buck 1999, 5.2.1).
///
/// The part goes on to a guard before that time, and never beyond what the certified sweep proves free: a time that is
/// estimated too late is cut, and [`BuckReport::late`](super::BuckReport::late) says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CollisionTime {
    /// As far as the certified sweep proves free: nearer than the other modes go, to a fifth of the guard.
    Certified,
    /// The zero of the straight line through d at both ends.
    Linear,
    /// The first zero of the parabola through d at both ends and half-way.
    Quadratic,
    /// This many samples at equal distances; a straight line between the two at which the sign changes.
    Equidistant(usize),
    /// Nested intervals by regula falsi.
    #[default]
    RegulaFalsi,
}

/// What sliding friction is against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrictionDirection {
    /// The slip at the start of the interval, as published. A slide that is slower than what friction takes in one interval swings from side to side.
    SlipBefore,
    /// The slip that the interval would have without friction, for which forces are found first.
    #[default]
    SlipWithout,
}

/// How the method works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuckOptions {
    /// Gap in m that contacts keep. Default 10 um.
    pub guard: f64,
    /// What contact conditions are about.
    pub level: Level,
    /// Where Newton's method begins.
    pub start: StartForces,
    /// How its matrix is found.
    pub derivative: Derivative,
    /// Iterations after which an interval counts as a jam. Default 50.
    pub max_iterations: usize,
    /// Contacts are kept as equations, and those that pull end after the interval (Buck 1999, 5.3.1). Default false.
    pub bilateral: bool,
    /// How the time of a collision is found. Default regula falsi.
    pub collision_time: CollisionTime,
    /// Of all pairs whose obstacle has none of its own. Default: none.
    pub friction: Friction,
    /// What sliding friction is against.
    pub friction_direction: FrictionDirection,
    /// Contacts that slide slower than this, in m/s, begin to stick. Default 0.1 mm/s; larger values stop slow slides.
    pub slowest_slide: f64,
    /// How far a contact that sticks can move before it meets its auxiliary planes, in m. Default 10 um.
    pub play: f64,
}

impl Default for BuckOptions {
    fn default() -> BuckOptions {
        BuckOptions {
            guard: 10e-6,
            level: Level::default(),
            start: StartForces::default(),
            derivative: Derivative::default(),
            max_iterations: 50,
            bilateral: false,
            collision_time: CollisionTime::default(),
            friction: Friction::NONE,
            friction_direction: FrictionDirection::default(),
            slowest_slide: 1e-4,
            play: 10e-6,
        }
    }
}

impl BuckOptions {
    pub(super) fn checked(&self) -> Result<(), HandlingError> {
        within("the guard", self.guard, (1e-9, 1.0), "between 1e-9 and 1 m")?;
        within("the number of iterations", self.max_iterations as f64, (1.0, 1e6), "1 or more")?;
        if let CollisionTime::Equidistant(count) = self.collision_time {
            within("the number of samples", count as f64, (1.0, 1e6), "1 or more")?;
        }
        self.friction.checked()?;
        within("the slowest slide", self.slowest_slide, (0.0, 1e6), "between 0 and 1e6 m/s")?;
        within("the play", self.play, (1e-9, 1.0), "between 1e-9 and 1 m")?;
        Ok(())
    }
}

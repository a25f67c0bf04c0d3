//! [`HandlingOptions`]: how a part in a hand behaves.

use prall_geometry::MassProperties;
use serde::{Deserialize, Serialize};

use crate::error::{HandlingError, within};

/// Coulomb's coefficients of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// While a contact sticks; at least the sliding one. Default 0.3.
    pub sticking: f64,
    /// While a contact slides. Default 0.3.
    pub sliding: f64,
}

impl Friction {
    /// Nothing rubs.
    pub const NONE: Friction = Friction { sticking: 0.0, sliding: 0.0 };

    /// The same coefficient at rest and in motion.
    pub const fn of(coefficient: f64) -> Friction {
        Friction { sticking: coefficient, sliding: coefficient }
    }

    pub(crate) fn checked(self) -> Result<Friction, HandlingError> {
        within("the sliding friction", self.sliding, (0.0, 100.0), "between 0 and 100")?;
        let most = (self.sliding, 100.0);
        within("the sticking friction", self.sticking, most, "at least the sliding one, at most 100")?;
        Ok(self)
    }
}

impl Default for Friction {
    fn default() -> Friction {
        Friction::of(0.3)
    }
}

/// In what sense the admissible motion is the nearest to the command, and what contact forces are measured by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// The compliance of the hand. Shifts and turns weigh as for a box of the part's bounds with evenly spread mass; the reference point is the middle
    /// of the bounds.
    Hand {
        /// In N/m: a pose command that the part falls short of by a metre is felt with this force.
        stiffness: f64,
        /// In N s/m: a velocity command that the part falls short of by 1 m/s is felt with this force.
        damping: f64,
    },
    /// The part's mass matrix (Buck 1999). The reference point is the centre of mass; impulses are those that change its momentum.
    Mass(MassProperties),
}

impl Default for Metric {
    fn default() -> Metric {
        Metric::Hand { stiffness: 1000.0, damping: 50.0 }
    }
}

/// How fast a part follows a hand whose pose is given.
///
/// In contact the limits weigh shifts against turns: a hand far away must not overrule its own orientation, so the default speed is
/// the turn rate times the part's radius of gyration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoseLimits {
    /// While nothing is touched, in m/s. Default 2.
    pub free_speed: f64,
    /// While nothing is touched, in rad/s. Default 20.
    pub free_turn_rate: f64,
    /// In contact, in m/s; none for the turn rate times the radius of gyration. Default none.
    pub contact_speed: Option<f64>,
    /// In contact, in rad/s. Default 5.
    pub contact_turn_rate: f64,
}

impl Default for PoseLimits {
    fn default() -> PoseLimits {
        PoseLimits { free_speed: 2.0, free_turn_rate: 20.0, contact_speed: None, contact_turn_rate: 5.0 }
    }
}

/// How a held part behaves.
///
/// Safety does not depend on these numbers: with any of them every pair keeps a proven gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandlingOptions {
    /// Gap in m at which contacts rest. Default 10 um. Must be below half of the smallest clearance that the part shall enter; smaller guards
    /// need more parts of a step when commands are violent.
    pub guard: f64,
    /// What the nearest motion is. Default: the hand.
    pub metric: Metric,
    /// Of all obstacles that have none of their own. Default 0.3.
    pub friction: Friction,
    /// How a commanded pose is followed.
    pub pose_limits: PoseLimits,
    /// Parts that an interval may be cut into. Default 8.
    pub max_parts: usize,
    /// Rounds of sweeps in an interval. Default 8.
    pub max_sweeps: usize,
    /// Obstacles that the part overlaps at the start are set apart, by name, until they have separated, instead of being refused. Default false.
    pub set_overlapping_apart: bool,
}

impl Default for HandlingOptions {
    fn default() -> HandlingOptions {
        HandlingOptions {
            guard: 10e-6,
            metric: Metric::default(),
            friction: Friction::default(),
            pose_limits: PoseLimits::default(),
            max_parts: 8,
            max_sweeps: 8,
            set_overlapping_apart: false,
        }
    }
}

impl HandlingOptions {
    pub(crate) fn checked(self) -> Result<HandlingOptions, HandlingError> {
        within("the guard", self.guard, (1e-9, 1.0), "between 1e-9 and 1 m")?;
        self.friction.checked()?;
        match self.metric {
            Metric::Hand { stiffness, damping } => {
                within(
                    "the hand's stiffness",
                    stiffness,
                    (f64::MIN_POSITIVE, 1e12),
                    "above 0, at most 1e12 N/m",
                )?;
                within(
                    "the hand's damping",
                    damping,
                    (f64::MIN_POSITIVE, 1e12),
                    "above 0, at most 1e12 N s/m",
                )?;
            }
            Metric::Mass(mass) => {
                let valid = mass.validated().is_ok();
                within(
                    "the part's mass",
                    if valid { mass.mass } else { f64::NAN },
                    (0.0, 1e12),
                    "that of a body",
                )?;
            }
        }
        let limits = &self.pose_limits;
        let speed = limits.contact_speed.unwrap_or(1.0);
        let all = [limits.free_speed, limits.free_turn_rate, speed, limits.contact_turn_rate];
        for limit in all {
            within("a limit of pose commands", limit, (f64::MIN_POSITIVE, 1e6), "above 0, at most 1e6")?;
        }
        within("the number of parts", self.max_parts as f64, (1.0, 1e6), "1 or more")?;
        within("the number of sweeps", self.max_sweeps as f64, (1.0, 1e6), "1 or more")?;
        Ok(self)
    }
}

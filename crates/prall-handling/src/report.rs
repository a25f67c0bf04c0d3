//! [`HandlingReport`]: what became of a command.

use glam::DVec3;
use prall_detection::NearKind;
use prall_math::{Pose, Twist, Wrench};

/// A contact that the part had in an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandlingContact {
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Name of the two features, the same from step to step; unique among those of an obstacle.
    pub name: u64,
    /// Which features; the first word is that of the part.
    pub kind: NearKind,
    /// Triangles of part and obstacle; `u32::MAX` of a shape that has none.
    pub triangles: (u32, u32),
    /// Half-way between the two surfaces, in the world.
    pub point: DVec3,
    /// Unit, from the obstacle to the part.
    pub normal: DVec3,
    /// Gap in m at the start of the last part in which it bore load.
    pub gap: f64,
    /// On the part in the interval, in N s, friction included; the obstacle gets the opposite.
    pub impulse: DVec3,
    /// It slid; otherwise it stuck.
    pub sliding: bool,
}

/// Why a part does not follow its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JamReason {
    /// Contacts alone hold it: it would stand without friction too.
    Blocked,
    /// Friction holds it: without friction it would move.
    Wedged,
    /// The gaps that contacts ask for contradict each other.
    Infeasible,
    /// Nothing more could be proven free within the budget and the number of sweeps.
    Unproven,
    /// A moving obstacle comes and the part cannot yield; the obstacle was stopped.
    Conflict,
}

impl JamReason {
    /// The reason in a sentence.
    pub fn sentence(&self) -> &'static str {
        match self {
            JamReason::Blocked => "blocked: the contacts leave no way along the command",
            JamReason::Wedged => "wedged: friction holds it, without friction it would move",
            JamReason::Infeasible => "infeasible: the clearance is below twice the guard here",
            JamReason::Unproven => "unproven: the budget ended before a way was proven free",
            JamReason::Conflict => "conflict: a moving obstacle was stopped, the part cannot yield",
        }
    }
}

/// A part that does not follow its command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jam {
    /// Why.
    pub reason: JamReason,
    /// What the contacts press on the part with, about its reference point; the contacts are those of the report.
    pub load: Wrench,
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct HandlingReport {
    /// Where the part is.
    pub pose: Pose,
    /// Mean velocity of the reference point, and of turning, in the interval.
    pub twist: Twist,
    /// What contacts press on the part with, in N and N m about the reference point: the sum of their impulses over the interval.
    pub wrench: Wrench,
    /// What the hand pulls with after a pose command: its stiffness times what is left of the way, in N and N m.
    pub pull: Wrench,
    /// The way: poses from the start to the end of the interval. Between two of them the reference point goes straight and the part turns
    /// steadily; that way is what was proven free.
    pub way: Vec<Pose>,
    /// Contacts that bore load.
    pub contacts: Vec<HandlingContact>,
    /// Share of the interval that was worked off: 1 unless nothing more was proven free. A part that stands at an obstacle has worked off all of it.
    pub done: f64,
    /// The smallest gap in m that was proven at the start of any part of the interval; infinite if nothing is near.
    pub smallest_gap: f64,
    /// The part hardly follows its command, and why.
    pub jam: Option<Jam>,
    /// Parts that the interval was cut into.
    pub parts: usize,
    /// Pairs that were swept, and pairs whose proven gap made that needless.
    pub swept: usize,
    /// See [`HandlingReport::swept`].
    pub skipped: usize,
    /// Hits that joined the conditions.
    pub hits: usize,
    /// Conditions on gaps, at most in a part.
    pub rows: usize,
    /// Solves whose friction needed the second way.
    pub second_ways: usize,
    /// Work units of sweeps.
    pub work: u64,
}

impl Default for HandlingReport {
    fn default() -> HandlingReport {
        HandlingReport {
            pose: Pose::IDENTITY,
            twist: Twist::ZERO,
            wrench: Wrench::ZERO,
            pull: Wrench::ZERO,
            way: Vec::new(),
            contacts: Vec::new(),
            done: 1.0,
            smallest_gap: f64::INFINITY,
            jam: None,
            parts: 0,
            swept: 0,
            skipped: 0,
            hits: 0,
            rows: 0,
            second_ways: 0,
            work: 0,
        }
    }
}

impl HandlingReport {
    /// Begins anew; memory stays.
    pub(crate) fn clear(&mut self) {
        let (mut way, mut contacts) = (std::mem::take(&mut self.way), std::mem::take(&mut self.contacts));
        way.clear();
        contacts.clear();
        *self = HandlingReport { way, contacts, ..HandlingReport::default() };
    }
}

//! [`Adviser`]: why a part stands, in words, and what would free it.
//!
//! Advice is not guessed: a second copy of the held part, which nobody sees, carries out small turns and shifts of the hand, and the first that lets
//! the part go on the way that the hand wants is printed. A few trials are made in each step while the part stands, the smallest changes first.

use glam::{DQuat, DVec3};
use prall_handling::{Command, HandlingOptions, HandlingReport, Held, JamReason, Obstacle};
use prall_math::Pose;
use prall_mechanics::Budget;
use std::fmt::Write;

use super::HandledPart;

/// Steps that a part stands before advice is looked for.
const PATIENCE: u32 = 12;
/// Trials in a step.
const TRIALS: usize = 2;
/// Intervals of a trial, and their length in s.
const INTERVALS: usize = 40;
const INTERVAL: f64 = 1.0 / 360.0;
/// Work of a trial at most, so that a step stays a step.
const WORK: u64 = 60_000;
/// Turns in degrees, and shifts as shares of the part's radius of gyration.
const TURNS: [f64; 5] = [1.0, 2.0, 5.0, 10.0, 20.0];
const SHIFTS: [f64; 4] = [0.005, 0.02, 0.06, 0.2];
/// Contacts that a reason names at most.
const MAX_NAMES: usize = 2;

/// A small change of what the hand wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    /// Turned by an angle in rad about a unit axis through the reference point.
    Turn { axis: DVec3, angle: f64 },
    /// Shifted along a unit direction by a length in m.
    Shift { along: DVec3, by: f64 },
    /// Back against the push by a length in m first, then turned.
    BackThenTurn { back: DVec3, by: f64, axis: DVec3, angle: f64 },
}

/// What would free a part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Advice {
    /// `None` if no small change helps.
    pub(super) change: Option<Change>,
    /// Where the part was when it was tried.
    pose: Pose,
}

/// Looks for what frees a part that stands. It has no influence on how the scene goes on.
#[derive(Default)]
pub(super) struct Adviser {
    /// The part that trials are made with, and its number.
    copy: Option<(usize, Held)>,
    stands: u32,
    next: usize,
    advice: Option<Advice>,
}

impl Adviser {
    /// What is known; `None` while nothing is needed, or is looked for.
    pub(super) fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }

    pub(super) fn forget(&mut self) {
        (self.stands, self.next, self.advice) = (0, 0, None);
    }

    /// After a step towards a goal: makes one trial if the part has stood for a while.
    pub(super) fn look(&mut self, number: usize, part: &HandledPart, held: &Held, goal: &Pose) {
        if held.report().jam.is_none() {
            self.forget();
            return;
        }
        self.stands += 1;
        if self.stands < PATIENCE {
            return;
        }
        let pose = held.pose();
        if let Some(advice) = &self.advice {
            let moved = advice.pose.translation.distance(pose.translation);
            let turned = advice.pose.rotation.angle_between(pose.rotation);
            if moved + turned * held.gyration() < 0.02 * held.gyration() {
                return;
            }
            (self.advice, self.next) = (None, 0);
        }
        if self.copy.as_ref().is_none_or(|(of, _)| *of != number) {
            let obstacles: Vec<Obstacle> = held.obstacles().to_vec();
            let options = HandlingOptions { set_overlapping_apart: true, ..*held.options() };
            self.copy = Held::new(&part.shape, *pose, obstacles, options).ok().map(|copy| (number, copy));
        }
        let Some((_, copy)) = &mut self.copy else { return };
        for _ in 0..TRIALS {
            let change = candidate(self.next, held, goal);
            self.next += 1;
            if change.is_none_or(|change| frees(copy, held, goal, &change)) {
                self.advice = Some(Advice { change, pose: *pose });
                return;
            }
        }
    }
}

/// Direction in which the hand is ahead, and by how much in m.
fn push(held: &Held, goal: &Pose) -> (DVec3, f64) {
    let reference = held.reference();
    let ahead = goal.transform_point(reference) - held.pose().transform_point(reference);
    (ahead.normalize_or_zero(), ahead.length())
}

/// The trials in the order in which they are made: smallest first, turns by what the contacts press with before others.
fn candidate(number: usize, held: &Held, goal: &Pose) -> Option<Change> {
    let (along, _) = push(held, goal);
    let load = held.report().wrench.torque.normalize_or_zero();
    let mut axes = vec![DVec3::X, DVec3::Y, DVec3::Z];
    if load != DVec3::ZERO {
        axes.insert(0, load);
    }
    let (right, up) = along.any_orthonormal_pair();
    let sides = [right, -right, up, -up];
    let turns = |degrees: f64| {
        let both = move |axis: &DVec3| [*axis, -*axis];
        axes.iter().flat_map(both).map(move |axis| (axis, degrees.to_radians())).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for (k, degrees) in TURNS.into_iter().enumerate() {
        all.extend(turns(degrees).into_iter().map(|(axis, angle)| Change::Turn { axis, angle }));
        if let Some(share) = SHIFTS.get(k) {
            let by = nice(share * held.gyration());
            all.extend(sides.map(|along| Change::Shift { along, by }));
        }
    }
    for (share, degrees) in [(0.1, 2.0), (0.3, 5.0), (0.6, 15.0)] {
        let by = nice(share * held.gyration());
        let back = -along;
        all.extend(turns(degrees).into_iter().map(|(axis, angle)| Change::BackThenTurn {
            back,
            by,
            axis,
            angle,
        }));
    }
    all.get(number).copied()
}

/// The next smaller of 1, 2, 5 times a power of ten.
fn nice(length: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(length.max(1e-9))));
    let factor = [5.0, 2.0, 1.0].into_iter().find(|factor| factor * power <= length).unwrap_or(1.0);
    factor * power
}

impl Change {
    fn turn(axis: DVec3, angle: f64) -> DQuat {
        DQuat::from_axis_angle(axis, angle)
    }

    /// What the hand wants one after another if it does as advised.
    fn goals(&self, held: &Held, goal: &Pose) -> Vec<(Pose, usize)> {
        let reference = held.reference();
        // Turned about the reference point, so that a turn does not shift it.
        let turned = |pose: &Pose, axis: DVec3, angle: f64| {
            let rotation = (Change::turn(axis, angle) * pose.rotation).normalize();
            Pose::new(rotation, pose.transform_point(reference) - rotation * reference)
        };
        match *self {
            Change::Turn { axis, angle } => vec![(turned(goal, axis, angle), INTERVALS)],
            Change::Shift { along, by } => {
                vec![(Pose::new(goal.rotation, goal.translation + along * by), INTERVALS)]
            }
            Change::BackThenTurn { back, by, axis, angle } => {
                let here = held.pose();
                let behind = Pose::new(here.rotation, here.translation + back * by);
                let ahead = turned(goal, axis, angle);
                let place = behind.transform_point(reference) - ahead.rotation * reference;
                let aside = Pose::new(ahead.rotation, place);
                vec![(behind, INTERVALS / 2), (aside, INTERVALS / 2), (ahead, INTERVALS)]
            }
        }
    }
}

/// Whether a part goes on along the push if the hand does this.
fn frees(copy: &mut Held, held: &Held, goal: &Pose, change: &Change) -> bool {
    let (along, ahead) = push(held, goal);
    if copy.restore(held.state()).is_err() || copy.set_friction(held.options().friction).is_err() {
        return false;
    }
    let mut budget = Budget::of_work(WORK);
    for (goal, intervals) in change.goals(held, goal) {
        for _ in 0..intervals {
            if copy.step(Some(&Command::Pose(goal)), INTERVAL, &mut budget).is_err() || budget.exhausted() {
                return false;
            }
        }
    }
    let reference = held.reference();
    let way = copy.pose().transform_point(reference) - held.pose().transform_point(reference);
    let wanted = (0.25 * ahead).min(0.1 * held.gyration()).max(20.0 * held.options().guard);
    way.dot(along) > wanted
}

/// Why a part stands, by names; `None` if it follows its command.
pub(super) fn reason(report: &HandlingReport, obstacles: &[Obstacle]) -> Option<String> {
    let jam = report.jam?;
    let mut loads = vec![0.0; obstacles.len()];
    for contact in &report.contacts {
        loads[contact.obstacle] += contact.impulse.length();
    }
    let mut order: Vec<usize> = (0..loads.len()).filter(|&index| loads[index] > 0.0).collect();
    order.sort_by(|&a, &b| loads[b].total_cmp(&loads[a]).then(a.cmp(&b)));
    let names: Vec<&str> = order.iter().take(MAX_NAMES).map(|&index| obstacles[index].name()).collect();
    let by = names.join(" and ");
    Some(match (jam.reason, names.len()) {
        (JamReason::Blocked, 1..) => format!("blocked by {by}"),
        (JamReason::Wedged, 1) => format!("wedged in {by} by friction"),
        (JamReason::Wedged, 2..) => format!("wedged between {by} by friction"),
        (JamReason::Infeasible, 1..) => format!("too tight at {by}: the clearance is below twice the guard"),
        (reason, _) => reason.sentence().to_owned(),
    })
}

impl Advice {
    /// In words; what turns and shifts is drawn as an arc and as an arrow.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        let degrees = |angle: f64| angle.to_degrees().round();
        let _ = match self.change {
            None => write!(words, "no small turn or shift helps: take it back the way it came"),
            Some(Change::Turn { axis, angle }) => {
                write!(words, "turn it by {}° {}", degrees(angle), about(axis))
            }
            Some(Change::Shift { along, by }) => {
                write!(words, "shift it by {} {}", length(by), towards(along))
            }
            Some(Change::BackThenTurn { by, axis, angle, .. }) => {
                write!(
                    words,
                    "go back by {}, then turn it by {}° {}",
                    length(by),
                    degrees(angle),
                    about(axis)
                )
            }
        };
        words
    }
}

fn length(metres: f64) -> String {
    format!("{} mm", (1e5 * metres).round() / 100.0)
}

/// An axis in words; they are those of somebody who looks along -z with y up, as start views do.
fn about(axis: DVec3) -> &'static str {
    let largest = axis.abs().max_element();
    match axis {
        _ if axis.y == largest => "to the left, about the vertical",
        _ if axis.y == -largest => "to the right, about the vertical",
        _ if axis.x == largest => "with its top towards you (arc)",
        _ if axis.x == -largest => "with its top away from you (arc)",
        _ if axis.z == largest => "anticlockwise (arc)",
        _ => "clockwise (arc)",
    }
}

fn towards(direction: DVec3) -> &'static str {
    let largest = direction.abs().max_element();
    match direction {
        _ if direction.y == largest => "up",
        _ if direction.y == -largest => "down",
        _ if direction.x == largest => "to the right (arrow)",
        _ if direction.x == -largest => "to the left (arrow)",
        _ if direction.z == largest => "towards you (arrow)",
        _ => "away from you (arrow)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_nice_and_words_name_what_turns() {
        assert_eq!([nice(0.0031), nice(0.001), nice(0.0099)].map(|by| (1e6 * by).round()), [2e3, 1e3, 5e3]);
        let advice = |change| Advice { change: Some(change), pose: Pose::IDENTITY }.words();
        let turn = Change::Turn { axis: DVec3::NEG_Y, angle: 0.0349 };
        assert_eq!(advice(turn), "turn it by 2° to the right, about the vertical");
        assert_eq!(advice(Change::Shift { along: DVec3::Y, by: 5e-4 }), "shift it by 0.5 mm up");
    }

    /// A radio that is pushed in askew with much friction stands; whoever does what is advised gets on.
    #[test]
    fn carrying_out_the_advice_frees_the_part() {
        use crate::parameter::Values;
        use prall_handling::Friction;
        let setting = (super::super::CAR_RADIO.set)(&Values::defaults(super::super::CAR_RADIO.parameters));
        let obstacles = setting
            .obstacles
            .iter()
            .map(|scenery| Obstacle::new(&scenery.name, &scenery.shape, scenery.pose).expect("an obstacle"));
        let part = &setting.parts[0];
        let options = HandlingOptions { friction: Friction::of(0.4), ..setting.options };
        let begin = super::super::radio::askew(4.0);
        let mut held = Held::new(&part.shape, begin, obstacles.collect(), options).expect("free");
        let goal = Pose { translation: begin.translation - DVec3::Z * 0.08, ..begin };
        let follow = |held: &mut Held, goal: Pose, intervals: usize| {
            for _ in 0..intervals {
                held.step(Some(&Command::Pose(goal)), INTERVAL, &mut Budget::unlimited()).expect("a step");
            }
        };
        follow(&mut held, goal, 200);
        assert!(held.report().jam.is_some(), "{:?}", held.pose());
        let mut adviser = Adviser::default();
        for _ in 0..150 {
            adviser.look(0, part, &held, &goal);
        }
        let advice = adviser.advice().expect("something was found, or nothing helps").clone();
        let change = advice.change.expect("a small change helps");
        let before = held.pose().translation.z;
        let wanted = change.goals(&held, &goal);
        for (goal, intervals) in wanted {
            follow(&mut held, goal, intervals);
        }
        let way = before - held.pose().translation.z;
        assert!(way > 1e-3, "{} brings it on by {way} m", advice.words());
    }
}

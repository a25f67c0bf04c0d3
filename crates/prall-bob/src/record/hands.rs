//! [`Held`]: what hands did in a run, so that it can be driven again to the same bits.

use super::{Record, RecordError};
use crate::run::{Hands, Run};
use serde::{Deserialize, Serialize};

/// From a step on, until the next entry: whose hands held what. In files `[step]` is the pilot, `[step, angle, push]` are own hands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
pub struct Held {
    /// Counted from 0 at the beginning of the run.
    pub step: u64,
    /// Wanted angle in rad before the pilot's help is added, and push as in [`Hands::Own`]; none while the pilot drives.
    pub own: Option<(f64, f64)>,
}

impl From<Held> for Vec<f64> {
    fn from(held: Held) -> Vec<f64> {
        let mut numbers = vec![held.step as f64];
        numbers.extend(held.own.iter().flat_map(|&(angle, push)| [angle, push]));
        numbers
    }
}

impl TryFrom<Vec<f64>> for Held {
    type Error = String;

    fn try_from(numbers: Vec<f64>) -> Result<Held, String> {
        let (step, own) = match numbers[..] {
            [step] => (step, None),
            [step, angle, push] if angle.is_finite() && push.is_finite() => (step, Some((angle, push))),
            _ => return Err(format!("hands are [step] or [step, angle, push], not {numbers:?}")),
        };
        if step < 0.0 || step.fract() != 0.0 || !(step < 1e15) {
            return Err(format!("a step is a whole number from 0 on, not {step}"));
        }
        Ok(Held { step: step as u64, own })
    }
}

impl Held {
    /// What a run's step is given: help is the share of the pilot's steering that is added.
    pub fn hands(&self, run: &Run<'_>, help: f64) -> Hands {
        match self.own {
            None => Hands::Pilot,
            Some((angle, push)) => Hands::Own { steering: angle + help * run.pilot().angle(), push },
        }
    }

    /// The entries of a file's text: numbers apart by blanks, entries by semicolons.
    pub(super) fn read_all(text: &str) -> Result<Vec<Held>, String> {
        let entries = text.split(';').filter(|entry| !entry.trim().is_empty());
        let read = entries.map(|entry| {
            let numbers = entry.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
            numbers.map_err(|_| format!("\"{entry}\" has something that is no number"))?.try_into()
        });
        read.collect()
    }

    pub(super) fn write_all(all: &[Held]) -> String {
        let entry = |held: &Held| {
            let numbers: Vec<String> = Vec::from(*held).iter().map(|number| format!("{number:?}")).collect();
            numbers.join(" ")
        };
        all.iter().map(entry).collect::<Vec<_>>().join(";")
    }
}

/// How a run that was driven again compares with its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Repeated {
    /// Steps that were taken.
    pub steps: u64,
    /// Hash of the last state now, and as it was written down.
    #[serde(with = "super::hexadecimal")]
    pub hash: u64,
    /// As written down.
    #[serde(with = "super::hexadecimal")]
    pub recorded: u64,
}

impl Repeated {
    /// True if all bits are the same.
    pub fn same(&self) -> bool {
        self.hash == self.recorded
    }
}

impl Record {
    /// Drives a run again that stands at the beginning of this one: the same hands, step by step, for as many steps.
    pub fn repeat(&self, mut run: Run<'_>) -> Repeated {
        let (mut held, mut next) = (Held { step: 0, own: None }, 0);
        for step in 0..self.result.steps {
            while let Some(entry) = self.about.hands.get(next).filter(|entry| entry.step <= step) {
                (held, next) = (*entry, next + 1);
            }
            let hands = held.hands(&run, self.about.help);
            run.step(&hands);
        }
        Repeated { steps: run.result().steps, hash: run.into_result().hash, recorded: self.result.hash }
    }
}

/// What is wrong with a file's hands: they must follow each other.
pub(super) fn check(file: &str, line: usize, hands: &[Held]) -> Result<(), RecordError> {
    match hands.windows(2).find(|pair| pair[1].step <= pair[0].step) {
        None => Ok(()),
        Some(pair) => Err(RecordError::new(
            file,
            line,
            format!("steps of hands must grow: {} after {}", pair[1].step, pair[0].step),
        )),
    }
}

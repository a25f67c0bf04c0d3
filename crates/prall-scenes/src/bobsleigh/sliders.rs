//! Sliders and setup files: what the scene's parameters set of the sled's file, and back.

use super::{Begun, BobOffer, SETS};
use prall_bob::sled::{SetupText, SetupValue};
use std::collections::BTreeMap;
use thiserror::Error;

/// A number of the setup file that a slider sets: the parameter, the name to set it by, and where it stands in the file: the value's name and which
/// of its numbers.
struct SetupNumber {
    parameter: &'static str,
    name: &'static str,
    value: (&'static str, usize),
}

const fn number(parameter: &'static str, name: &'static str, value: (&'static str, usize)) -> SetupNumber {
    SetupNumber { parameter, name, value }
}

const NUMBERS: [SetupNumber; 7] = [
    number("along", "law.runner.along", ("law.runner.along", 0)),
    number("side_slip", "law.runner.side_slip_share", ("law.runner.side_slip_share", 0)),
    number("across_light", "law.runner.across.light", ("law.runner.across", 0)),
    number("across", "law.runner.across.full", ("law.runner.across", 1)),
    number("full_load", "law.runner.full_load", ("law.runner.full_load", 0)),
    number("restitution", "law.bumper.restitution", ("law.bumper.restitution", 0)),
    number("directness", "steering.directness", ("steering.directness", 0)),
];

/// Spring sets: the parameter, the value that names the set, and the joint that begins the set's name.
const SPRINGS: [(&str, &str, &str); 2] =
    [("split", "joint.alpha.set", "alpha"), ("axle", "joint.gamma.set", "gamma")];

/// Why a setup file cannot be put on the sliders.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SliderError {
    /// It has values that no slider sets.
    #[error(
        "the file sets {keys}, which the page has no sliders for: drive it with `prall bob drive --setup FILE`"
    )]
    OtherValues {
        /// Their names.
        keys: String,
    },
    /// A slider does not go there.
    #[error("{parameter} goes from {min} to {max}, and the file says {value}")]
    OutOfRange {
        /// The slider.
        parameter: &'static str,
        /// Its least.
        min: String,
        /// Its most.
        max: String,
        /// What the file says.
        value: String,
    },
    /// A value cannot be set.
    #[error("{0}")]
    Refused(String),
}

/// Name and text of everything that a run's values set otherwise than the sliders' places.
pub(super) fn changes(begun: &Begun, plain: &Begun) -> Vec<(&'static str, String)> {
    let set = |joint: &str, index: usize| format!("{joint}_{}", SETS[index.clamp(1, SETS.len()) - 1]);
    let mut changes = Vec::new();
    for (parameter, name, joint) in SPRINGS {
        let index = |begun: &Begun| if parameter == "split" { begun.split } else { begun.axle };
        if index(begun) != index(plain) {
            changes.push((name, set(joint, index(begun))));
        }
    }
    for number in &NUMBERS {
        let own = begun.number(number.parameter);
        if own != plain.number(number.parameter) {
            changes.push((number.name, own.to_string()));
        }
    }
    changes
}

impl BobOffer {
    /// The sled's file with sliders at these values, those that are not named at their places; names that are no sliders of the setup are left out.
    pub fn setup_with(&self, values: &BTreeMap<String, f64>) -> Result<SetupText, SliderError> {
        let begun = Begun::by(|key| values.get(key).copied().unwrap_or_else(|| self.place_of(key)));
        begun.setup_text(self).map_err(|error| SliderError::Refused(error.to_string()))
    }

    fn place_of(&self, key: &str) -> f64 {
        let parameter = self.parameters().iter().find(|parameter| parameter.key == key);
        parameter.map_or(0.0, |parameter| parameter.default)
    }

    /// Where the sliders stand for a setup file, only those that are not at their places. Refused is a file that says otherwise than this offer's
    /// sled what no slider sets.
    pub fn sliders_of(&self, file: &SetupText) -> Result<BTreeMap<String, f64>, SliderError> {
        let mut sliders = BTreeMap::new();
        let find = |text: &SetupText, key: &str| -> Option<SetupValue> {
            text.values().iter().find(|value| value.key == key).cloned()
        };
        for number in &NUMBERS {
            let read = |text: &SetupText| find(text, number.value.0)?.numbers().get(number.value.1).copied();
            if let Some(value) = read(file).filter(|value| Some(*value) != read(self.setup())) {
                sliders.insert(number.parameter.to_owned(), value);
            }
        }
        for (parameter, name, joint) in SPRINGS {
            let read =
                |text: &SetupText| find(text, name).map(|value| value.value.trim_matches('"').to_owned());
            let named = read(file).filter(|name| Some(name) != read(self.setup()).as_ref());
            let index = named.and_then(|name| {
                SETS.iter()
                    .position(|set| name.strip_prefix(joint).is_some_and(|rest| rest == format!("_{set}")))
            });
            if let Some(index) = index {
                sliders.insert(parameter.to_owned(), (index + 1) as f64);
            }
        }
        for parameter in self.parameters() {
            if let Some(value) = sliders.get(parameter.key)
                && !(parameter.min..=parameter.max).contains(value)
            {
                return Err(SliderError::OutOfRange {
                    parameter: parameter.key,
                    min: parameter.min.to_string(),
                    max: parameter.max.to_string(),
                    value: value.to_string(),
                });
            }
        }
        let left = self.setup_with(&sliders)?.differences(file);
        if left.is_empty() {
            return Ok(sliders);
        }
        let keys: Vec<&str> = left.iter().map(|difference| difference.key.as_str()).collect();
        Err(SliderError::OtherValues { keys: keys.join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sliders become a file that `--setup` reads, and the file becomes the sliders again; what no slider sets is named and refused.
    #[test]
    fn sliders_become_a_file_and_a_file_sliders() {
        let offer = BobOffer::standard();
        let sliders: BTreeMap<String, f64> = [
            ("along", 0.005),
            ("side_slip", 0.8),
            ("across_light", 0.03),
            ("across", 0.12),
            ("full_load", 1200.0),
            ("restitution", 0.2),
            ("directness", 0.8),
            ("split", 3.0),
            ("axle", 1.0),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
        let file = offer.setup_with(&sliders).unwrap();
        let read = SetupText::read("mine.toml", file.text()).unwrap();
        assert_eq!(read.setup().runner_friction(), (0.005, 0.8, [0.03, 0.12]));
        assert_eq!(offer.sliders_of(&read).unwrap(), sliders);
        assert_eq!(offer.sliders_of(offer.setup()).unwrap(), BTreeMap::new());
        let heavy = read.with([("body.crew.mass", "100")]).unwrap();
        let error = offer.sliders_of(&heavy).unwrap_err().to_string();
        assert!(error.contains("body.crew.mass") && error.contains("--setup"), "{error}");
        let far = offer.setup().with([("law.bumper.restitution", "0.9")]).unwrap();
        let error = offer.sliders_of(&far).unwrap_err().to_string();
        assert!(error.contains("restitution goes from 0 to 0.5"), "{error}");
    }
}

//! Keys and sticks that a scene file gives to a control.

use super::error::nearest;
use super::mechanism::{Fault, fault};
use super::{ControlDescription, SceneDescription};
use crate::{ControlKind, DriveControl, MOST_CONTROLS, PadInput};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toml::Spanned;

/// By what a person moves a control while driving.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrivenByDescription {
    /// How it moves. Default: back to the middle when let go.
    #[serde(default = "axis")]
    pub kind: ControlKind,
    /// Keys towards the largest value: letters, digits, `Left`, `Right`, `Up`, `Down`, `Space`, `PageUp`, `PageDown`, `Comma` or `Period`.
    #[serde(default)]
    pub more: Vec<Spanned<String>>,
    /// Keys towards the smallest value.
    #[serde(default)]
    pub less: Vec<Spanned<String>>,
    /// What moves it on a gamepad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pad: Option<PadInput>,
    /// Time in s that a key takes to its end. Default 0.2.
    #[serde(default = "ramp")]
    pub ramp: f64,
}

fn axis() -> ControlKind {
    ControlKind::Axis
}

/// A quick hand's time from the middle to the end of a steering wheel.
fn ramp() -> f64 {
    0.2
}

/// Longest time that a key may take, in s.
const LONGEST_RAMP: f64 = 10.0;

/// Keys with a name, as files and as browsers name them.
const KEY_NAMES: [(&str, &str); 9] = [
    ("Left", "ArrowLeft"),
    ("Right", "ArrowRight"),
    ("Up", "ArrowUp"),
    ("Down", "ArrowDown"),
    ("Space", "Space"),
    ("PageUp", "PageUp"),
    ("PageDown", "PageDown"),
    ("Comma", "Comma"),
    ("Period", "Period"),
];

/// The place of a key on the keyboard, as browsers name it.
fn code(name: &str) -> Option<String> {
    if let Some((_, code)) = KEY_NAMES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
        return Some((*code).to_owned());
    }
    match name.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => {
            Some(format!("Key{}", char::from(letter.to_ascii_uppercase())))
        }
        [digit] if digit.is_ascii_digit() => Some(format!("Digit{name}")),
        _ => None,
    }
}

/// Checks that keys exist, that no two controls share one, and that there are not too many controls.
pub(super) fn check(scene: &SceneDescription) -> Result<(), Fault> {
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    let mut count = 0;
    for control in controls(scene) {
        let Some(by) = &control.driven_by else { continue };
        let key = control.key.get_ref().as_str();
        count += 1;
        if count > MOST_CONTROLS {
            let message = format!("'{key}' is the {count}th control that is driven");
            let help = format!("{MOST_CONTROLS} are the most; leave driven_by out for others");
            return fault(control.key.span(), message, &help);
        }
        if key == "gravity" {
            let help = "leave driven_by out; it stays a parameter";
            return fault(control.key.span(), "nobody drives gravity".to_owned(), help);
        }
        if by.more.is_empty() && by.pad.is_none() {
            let help = "give it keys in more and less, or a pad";
            return fault(control.key.span(), format!("nothing moves '{key}'"), help);
        }
        if !by.less.is_empty() && matches!(by.kind, ControlKind::Pedal | ControlKind::Button) {
            let help = "leave less out, or make it an axis or a lever";
            return fault(by.less[0].span(), format!("'{key}' goes back by itself"), help);
        }
        if !(0.0..=LONGEST_RAMP).contains(&by.ramp) {
            let message = format!("a key takes '{key}' to its end in {} s", by.ramp);
            return fault(control.key.span(), message, "0 to 10 s is possible");
        }
        for name in by.more.iter().chain(&by.less) {
            let Some(code) = code(name.get_ref()) else {
                let message = format!("there is no key '{}'", name.get_ref());
                let near = nearest(name.get_ref(), KEY_NAMES.iter().map(|(own, _)| *own));
                return fault(name.span(), message, &format!("{near}; letters and digits are keys, too"));
            };
            if let Some(other) = taken.insert(code, key) {
                let message = format!("key '{}' moves '{other}' already", name.get_ref());
                return fault(name.span(), message, "take another key");
            }
        }
    }
    Ok(())
}

/// All that a person may change: of the scene, then of its mechanisms.
fn controls(scene: &SceneDescription) -> impl Iterator<Item = &ControlDescription> {
    scene.parameters.iter().chain(scene.mechanisms.iter().flat_map(|mechanism| &mechanism.controls))
}

/// The driven controls of a checked scene. Their texts stay in memory until the program ends.
pub(crate) fn drive_controls(scene: &SceneDescription) -> Vec<DriveControl> {
    let keep = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let keys = |names: &[Spanned<String>]| -> &'static [&'static str] {
        names.iter().filter_map(|name| code(name.get_ref())).map(keep).collect::<Vec<_>>().leak()
    };
    let driven = |control: &ControlDescription| {
        let by = control.driven_by.as_ref()?;
        let label = if control.label.is_empty() { control.key.get_ref() } else { &control.label };
        Some(DriveControl {
            key: keep(control.key.get_ref().clone()),
            label: keep(label.clone()),
            kind: by.kind,
            more: keys(&by.more),
            less: keys(&by.less),
            pad: by.pad,
            ramp: by.ramp,
            text: keep(control.text.clone()),
        })
    };
    controls(scene).filter_map(driven).collect()
}

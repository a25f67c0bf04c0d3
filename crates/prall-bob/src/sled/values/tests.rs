use super::{QUANTITIES, SetupText};
use crate::sled::{Setup, TWO_MAN};

fn two_man() -> SetupText {
    SetupText::read("two-man.toml", TWO_MAN).unwrap()
}

fn value(text: &SetupText, key: &str) -> Vec<f64> {
    text.values().iter().find(|value| value.key == key).unwrap().numbers()
}

/// The numbers of the file, counted by a reader that shares nothing: every one is listed, under a name of its own, and says where it
/// comes from.
#[test]
fn every_number_of_the_sled_has_a_name_a_unit_and_an_origin() {
    fn count(value: &toml::Value) -> usize {
        match value {
            toml::Value::Float(_) | toml::Value::Integer(_) => 1,
            toml::Value::Array(items) => items.iter().map(count).sum(),
            toml::Value::Table(table) => table.values().map(count).sum(),
            _ => 0,
        }
    }
    let text = two_man();
    let numbers: usize = text.values().iter().map(|value| value.numbers().len()).sum();
    assert_eq!(numbers, count(&toml::Value::Table(TWO_MAN.parse().unwrap())));
    let mut keys: Vec<&str> = text.values().iter().map(|value| &*value.key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), text.values().len());
    for value in text.values().iter().filter(|value| !value.numbers().is_empty()) {
        let labels = ["[rule]", "[source]", "[derived]", "[estimate]"];
        assert!(labels.iter().any(|label| value.note.contains(label)), "{value:?}");
        assert!(TWO_MAN.lines().nth(value.line - 1).unwrap().contains(&value.value));
    }
    assert!(QUANTITIES.iter().all(|q| text.values().iter().any(|value| value.quantity == *q)));
}

#[test]
fn a_value_is_set_and_everything_else_stays() {
    let text = two_man();
    let changes = [
        ("law.runner.along", "0.006"),
        ("body.crew.com.y", " 0.44"),
        ("joint.alpha.set", "alpha_hard"),
        ("law.runner.across", "[0.03, 1.1e-1]"),
        ("drag.area", "1"),
    ];
    let changed = text.with(changes).unwrap();
    assert_eq!(value(&changed, "law.runner.along"), [0.006]);
    assert_eq!(value(&changed, "body.crew.com"), [0.0, 0.44, -0.5]);
    assert_eq!(value(&changed, "law.runner.across"), [0.03, 0.11]);
    assert_eq!(changed.setup().runner_friction(), (0.006, 0.66, [0.03, 0.11]));
    let differences = text.differences(&changed);
    let keys: Vec<&str> = differences.iter().map(|difference| &*difference.key).collect();
    let order = ["body.crew.com", "joint.alpha.set", "law.runner.along", "law.runner.across", "drag.area"];
    assert_eq!(keys, order);
    assert!((differences[2].change.unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(differences[1].second.as_deref(), Some("\"alpha_hard\""));
    // Lines are where they were, and nobody is told that the source said so.
    let note = |key: &str| changed.values().iter().find(|value| value.key == key).unwrap().note.clone();
    assert!(note("law.runner.along").starts_with("own value, before: [source]"));
    assert_eq!(SetupText::read("again", &changed.commented()).unwrap().commented(), changed.commented());
    assert_eq!(changed.text().lines().count(), TWO_MAN.lines().count());
    let back = changed.with([
        ("law.runner.along", "0.004"),
        ("body.crew.com.y", "0.46"),
        ("joint.alpha.set", "alpha_medium"),
        ("law.runner.across", "0.02,0.1"),
        ("drag.area", "0.2052"),
    ]);
    assert!(text.differences(&back.unwrap()).is_empty());
}

#[test]
fn values_that_cannot_be_are_refused_with_what_would_be_right() {
    for (key, value, right) in [
        ("law.runner.along", "4", "must lie from 1e-5 to 0.5, not 4"),
        ("law.runner.along", "slippery", "is a number, not \"slippery\""),
        ("body.crew.mass", "NaN", "must lie from 0.1 to 1000 kg"),
        ("body.crew.com.z", "700", "body.crew.com.z must lie from -5 to 5 m"),
        ("body.crew.com", "1,2", "has 3 numbers, x,y,z"),
        ("body.crew.com.w", "0", "no value is called \"body.crew.com.w\"; near it are body.crew.com"),
        ("body.crowd.mass", "90", "near it are body.rear_hull.mass"),
        ("mass", "90", "near it are body.rear_hull.mass"),
        ("joint.phi1.set", "alpha_soft", "no value is called"),
        ("joint.alpha.set", "alpha_softer", "one of the sets alpha_hard, alpha_medium"),
        ("joint.alpha.set", "a\"\nmass = 1", "is a word without quotes"),
        ("joint.beta.driven", "no", "true or false"),
        ("law.runner.across.light", "0.2", "must not be above that with the full one"),
        ("law.runner.side_slip_share", "1", "must lie from 0 to 0.999"),
        ("body.crew.inertia.roll", "400", "no inertia more than the other two together"),
    ] {
        let error = two_man().with([(key, value)]).unwrap_err().to_string();
        assert!(error.contains(right), "{key}={value}: {error}");
    }
}

#[test]
fn a_number_out_of_range_is_refused_with_its_line_and_column() {
    let wrong = TWO_MAN.replace("point = [0.0, 0.80, -0.60]", "point = [0.0, 80.0, -0.60]");
    let error = Setup::read("my.toml", &wrong).unwrap_err();
    let line = wrong.lines().position(|line| line.contains("80.0, -0.60")).unwrap() + 1;
    let text = format!("my.toml:{line}:15: contact.rim_top.point.y must lie from -5 to 5 m, not 80");
    assert_eq!(error.to_string(), text);
    let wrong = TWO_MAN.replace("density = 1.12", "density = -1.12");
    assert!(Setup::read("my.toml", &wrong).unwrap_err().to_string().contains("drag.density"));
    let wrong = TWO_MAN.replace("density = 1.12", "density = inf");
    assert!(Setup::read("my.toml", &wrong).unwrap_err().to_string().contains("drag.density"));
}

#[test]
fn comments_give_unit_and_range_and_change_no_value() {
    let text = two_man();
    let commented = text.commented();
    let again = SetupText::read("again.toml", &commented).unwrap();
    assert!(text.differences(&again).is_empty() && again.differences(&text).is_empty());
    assert_eq!(again.commented(), commented);
    for value in again.values() {
        let limits = value.quantity.limits();
        assert!(
            value.note.contains(if limits.is_empty() { value.quantity.what } else { &limits }),
            "{value:?}"
        );
    }
    assert!(commented.contains("0.1 to 1000 kg; [estimate] steel"));
    // Windows' line ends survive.
    let dos = SetupText::read("dos.toml", &TWO_MAN.replace('\n', "\r\n")).unwrap();
    assert_eq!(dos.commented().replace("\r\n", "\n"), commented);
}

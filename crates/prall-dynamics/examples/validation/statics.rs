//! What stands and what falls: limits that statics knows.

#[path = "../../tests/dynamics/statics.rs"]
mod worlds;

use crate::Row;

const STEPS: [f64; 2] = [1.0 / 60.0, 1.0 / 240.0];

/// A row that counts wrong verdicts: of each case it is known whether it stands.
fn verdicts(
    what: &'static str,
    expected: &str,
    cases: &[(f64, bool)],
    stands: impl Fn(f64, f64) -> bool,
) -> Row {
    let wrong = |step: f64| cases.iter().filter(|(case, known)| stands(*case, step) != *known).count() as f64;
    Row {
        what,
        quantity: "wrong verdicts",
        expected: expected.to_owned(),
        errors: STEPS.map(|step| (step, wrong(step))).to_vec(),
        goal: 0.0,
    }
}

/// A ladder with friction 0.5 at floor and wall slides below the slope `(1 - mu^2) / (2 mu) = 3/4`.
pub(crate) fn ladder() -> Row {
    let cases = [(35.0, false), (36.5, false), (37.5, true), (40.0, true), (60.0, true)];
    let expected = "slides below 36.87 degrees; five from 35 to 60 tried";
    verdicts("Ladder between floor and wall, mu 0.5", expected, &cases, |degrees, step| {
        worlds::sinks(worlds::ladder(degrees, step), 2.0) < 5e-3
    })
}

/// An arch of stones with radial joints that do not slide stands if it is thicker than 0.1075 of its mean radius (Milankovitch 1907). With twenty stones
/// hinges form at the crown, at 54 degrees from it and at the springing, where theory has them at 54.5.
pub(crate) fn arch() -> Row {
    let cases = [(0.095, false), (0.102, false), (0.113, true), (0.12, true), (0.2, true)];
    let expected = "falls below a thickness of 0.1075; five from 0.095 to 0.2 tried";
    verdicts("Semicircular arch of twenty stones", expected, &cases, |thickness, step| {
        worlds::sinks(worlds::arch(thickness, step), 4.0) < 5e-3
    })
}

/// A house of 77 playing cards. Those that lean press outwards on their feet with less than the tangent of their lean, 0.36, of what presses down.
pub(crate) fn house_of_cards() -> Row {
    let sunk = |step: f64| worlds::sinks(worlds::cards(7, 20.0, 0.6, step), 1.0);
    Row {
        what: "House of cards of seven storeys, 20 degrees, mu 0.6",
        quantity: "way of its top downwards in 1 s, m",
        expected: "0: it stands".to_owned(),
        errors: STEPS.map(|step| (step, sunk(step))).to_vec(),
        goal: 5e-4,
    }
}

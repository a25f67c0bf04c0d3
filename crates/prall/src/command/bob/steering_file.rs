//! Steering lines as text: a line a knot, station and angle to the left, separated by a comma.

use crate::command::Failure;
use prall_bob::pilot::SteeringLine;

/// First line of the file.
const NAMES: &str = "s[m],angle[rad]";

pub(super) fn write(line: &SteeringLine) -> String {
    let knots = line.knots().iter().map(|[s, angle]| format!("{s:?},{angle:?}\n"));
    format!("{NAMES}\n{}", knots.collect::<String>())
}

/// Reads one; `file` is the name that errors give.
pub(super) fn read(file: &str, text: &str) -> Result<SteeringLine, Failure> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, first)| first.trim() != NAMES) {
        return Err(format!("{file}:1: the first line of a steering line is \"{NAMES}\"").into());
    }
    let mut knots = Vec::new();
    for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || format!("{file}:{}: \"{line}\" must be two numbers, station and angle", index + 1);
        let (s, angle) = line.split_once(',').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        knots.push([number(s)?, number(angle)?]);
    }
    SteeringLine::new(knots).map_err(|error| format!("{file}: {error}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steering_line_survives_the_round_trip() {
        let line = SteeringLine::new(vec![[0.0, 0.1], [10.0, -0.1 / 3.0], [25.5, 1e-17]]).unwrap();
        assert_eq!(read("line", &write(&line)).unwrap(), line);
    }

    #[test]
    fn a_wrong_knot_is_named_by_its_line() {
        let error = read("line.csv", "s[m],angle[rad]\n0,0\n10,left\n").unwrap_err().to_string();
        assert_eq!(error, "line.csv:3: \"10,left\" must be two numbers, station and angle");
        assert!(read("line.csv", "0,0").unwrap_err().to_string().starts_with("line.csv:1:"));
    }
}

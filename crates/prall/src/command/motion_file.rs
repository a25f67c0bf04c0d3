//! Motion files: poses of a part over time as comma-separated values.

use super::Failure;
use glam::{DQuat, DVec3};
use prall_detection::Waypoint;
use prall_math::Pose;
use std::fmt::Write;
use std::path::Path;

/// The columns, in this order.
const HEADER: &str = "t,x,y,z,qx,qy,qz,qw";

/// Largest number: a double has a micrometre at 1e9 m, which is as far as paths are checked.
const MAX_NUMBER: f64 = 1e9;

/// How far from 1 the length of a quaternion may be: files are written with few digits, and the length is corrected.
pub(super) const UNIT_LENGTH: f64 = 1e-3;

/// Reads a motion file; the error names the line.
pub(super) fn read(path: &Path) -> Result<Vec<Waypoint>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|problem| format!("{}: {problem}", path.display()).into())
}

/// The text of a motion file; numbers are read back with equal bits.
pub(super) fn write(waypoints: &[Waypoint]) -> String {
    let mut text = format!("{HEADER}\n");
    for Waypoint { time, pose } in waypoints {
        let ([x, y, z], [qx, qy, qz, qw]) = (pose.translation.to_array(), pose.rotation.to_array());
        let _ = writeln!(text, "{time},{x},{y},{z},{qx},{qy},{qz},{qw}");
    }
    text
}

fn parse(text: &str) -> Result<Vec<Waypoint>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let header: String =
        lines.next().map_or(String::new(), |(_, line)| line.chars().filter(|c| !c.is_whitespace()).collect());
    if header != HEADER {
        return Err(format!("line 1: the columns must be {HEADER}"));
    }
    lines
        .map(|(index, line)| waypoint(line).map_err(|problem| format!("line {}: {problem}", index + 1)))
        .collect()
}

fn waypoint(line: &str) -> Result<Waypoint, String> {
    let numbers = line
        .split(',')
        .map(|cell| match cell.trim().parse::<f64>() {
            Ok(number) if number.abs() <= MAX_NUMBER => Ok(number),
            Ok(number) if number.is_finite() => {
                Err(format!("{number:e} is out of range; numbers are from -{MAX_NUMBER:e} to {MAX_NUMBER:e}"))
            }
            _ => {
                Err(format!("'{}' is not a finite number", cell.trim().chars().take(40).collect::<String>()))
            }
        })
        .collect::<Result<Vec<f64>, String>>()?;
    let &[time, x, y, z, qx, qy, qz, qw] = numbers.as_slice() else {
        return Err(format!("{} values instead of 8 ({HEADER})", numbers.len()));
    };
    let rotation = DQuat::from_xyzw(qx, qy, qz, qw);
    if (rotation.length() - 1.0).abs() > UNIT_LENGTH {
        return Err(format!("the quaternion has length {}, not 1", rotation.length()));
    }
    Ok(Waypoint { time, pose: Pose::new(rotation.normalize(), DVec3::new(x, y, z)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waypoints_are_read_with_rounded_quaternions_and_windows_line_ends() {
        let text = "t, x, y, z, qx, qy, qz, qw\r\n0,1,2,3,0,0,0,1\r\n\r\n1.5,0,0,0,0,0.7071,0,0.7071\r\n";
        let waypoints = parse(text).unwrap();
        assert_eq!(waypoints.len(), 2);
        assert_eq!(waypoints[0].pose.translation, DVec3::new(1.0, 2.0, 3.0));
        assert!((waypoints[1].pose.rotation.length() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let cases = [
            ("", "line 1: the columns"),
            ("x,y,z\n1,2,3", "line 1: the columns"),
            ("t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n1,0,0", "line 3: 3 values instead of 8"),
            ("t,x,y,z,qx,qy,qz,qw\n0,0,0,zero,0,0,0,1", "line 2: 'zero'"),
            ("t,x,y,z,qx,qy,qz,qw\n0,0,0,NaN,0,0,0,1", "line 2: 'NaN'"),
            ("t,x,y,z,qx,qy,qz,qw\n0,0,1e200,0,0,0,0,1", "line 2: 1e200 is out of range"),
            ("t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,2", "line 2: the quaternion has length 2"),
        ];
        for (text, expected) in cases {
            let problem = parse(text).unwrap_err();
            assert!(problem.contains(expected), "{text:?}: {problem}");
        }
    }
}

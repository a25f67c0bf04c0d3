//! [`Plan`]: the line of a track seen from above.

use std::f64::consts::PI;

use glam::{DMat2, DVec2};
use prall_geometry::curves::fresnel;

use super::file::CurveData;

/// Which way a curve turns, seen by the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To the left; the raised wall is on the right.
    Left,
    /// To the right; the raised wall is on the left.
    Right,
}

impl Side {
    /// +1 for left, -1 for right.
    pub fn sign(self) -> f64 {
        match self {
            Side::Left => 1.0,
            Side::Right => -1.0,
        }
    }
}

/// A place on the plan line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanPoint {
    /// `(x, z)` in metres.
    pub position: DVec2,
    /// Angle about the upward axis from the starting direction, -z, in radians; positive to the left.
    pub heading: f64,
    /// In 1/m; positive where the line turns left.
    pub curvature: f64,
}

/// The plan line by arc length `s`: straights, clothoids and circles, each beginning where the last one ended, with its heading.
///
/// Rempfler's equations (3.1) to (3.6). Curvature may jump where a clothoid's parameter does not fit the circle; position
/// and heading never do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pieces: Vec<Piece>,
    end: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    start: f64,
    from: PlanPoint,
    form: Form,
}

/// `square` is the clothoid's A^2 = length times radius at its curved end, in m^2.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Straight,
    Entry { side: Side, square: f64 },
    Circle { side: Side, radius: f64 },
    Exit { side: Side, square: f64, length: f64 },
}

impl Plan {
    /// The line through curves that have been checked to follow each other, from `begin` to `end`.
    pub(super) fn new(begin: f64, end: f64, curves: &[CurveData]) -> Plan {
        let from = PlanPoint { position: DVec2::new(0.0, -begin), heading: 0.0, curvature: 0.0 };
        let mut plan = Plan { pieces: Vec::new(), end: begin };
        let mut at = from;
        let mut append = |form: Form, length: f64| {
            if length > 0.0 {
                let piece = Piece { start: plan.end, from: at, form };
                at = piece.point(plan.end + length);
                plan.end += length;
                plan.pieces.push(piece);
            }
        };
        for curve in curves {
            let side = curve.side();
            append(Form::Straight, curve.s_c - curve.s_b);
            append(Form::Entry { side, square: curve.a2_en }, curve.l_cl_en);
            append(Form::Circle { side, radius: curve.r_c }, curve.l_circ);
            append(Form::Exit { side, square: curve.a2_ex, length: curve.l_cl_ex }, curve.l_cl_ex);
            append(Form::Straight, curve.exit_straight());
        }
        let rest = end - plan.end;
        if rest > 0.0 {
            let piece = Piece { start: plan.end, from: at, form: Form::Straight };
            plan.pieces.push(piece);
            plan.end = end;
        }
        plan
    }

    /// The place at the arc length `s`; beyond the ends the line goes on straight.
    pub fn point(&self, s: f64) -> PlanPoint {
        let after = self.pieces.partition_point(|piece| piece.start <= s);
        self.pieces[after.max(1) - 1].point(s)
    }

    /// Arc length at the beginning and at the end, in metres.
    pub fn range(&self) -> (f64, f64) {
        (self.pieces[0].start, self.end)
    }

    /// Where pieces begin: the places where curvature may jump or bend.
    pub fn joints(&self) -> impl Iterator<Item = f64> + '_ {
        self.pieces.iter().map(|piece| piece.start)
    }
}

impl Piece {
    fn point(&self, s: f64) -> PlanPoint {
        let x = s - self.start;
        let from = &self.from;
        // In the piece's own frame, left and ahead; (3.2) turns it by the heading and half a turn.
        let (local, turned, curvature) = match self.form {
            Form::Straight => (DVec2::new(0.0, x), 0.0, 0.0),
            Form::Entry { side, square } => {
                let c = side.sign();
                (clothoid(x, square) * DVec2::new(c, 1.0), c * x * x / (2.0 * square), c * x / square)
            }
            Form::Circle { side, radius } => {
                let c = side.sign();
                let (sine, cosine) = libm::sincos(x / radius);
                (DVec2::new(c * (1.0 - cosine), sine) * radius, c * x / radius, c / radius)
            }
            Form::Exit { side, square, length } => {
                let c = side.sign();
                let angle = |rest: f64| rest * rest / (2.0 * square);
                let rest = length - x;
                // The entry clothoid driven backwards: from its curved end, turned so that it begins ahead.
                let way = clothoid(length, square) - clothoid(rest, square);
                let way = DVec2::new(-c * way.x, way.y);
                (turn(way, c * angle(length)), c * (angle(length) - angle(rest)), c * rest / square)
            }
        };
        PlanPoint {
            position: from.position + turn_to_world(local, from.heading),
            heading: from.heading + turned,
            curvature,
        }
    }
}

/// Point `(across, ahead)` of the clothoid of parameter `A^2` at the arc length `x`.
fn clothoid(x: f64, square: f64) -> DVec2 {
    let scale = (PI * square).sqrt();
    let (s, c) = fresnel(x / scale);
    DVec2::new(s, c) * scale
}

/// Turns `(left, ahead)` to the left by an angle.
fn turn(local: DVec2, angle: f64) -> DVec2 {
    let (sine, cosine) = libm::sincos(angle);
    DVec2::new(local.x * cosine + local.y * sine, local.y * cosine - local.x * sine)
}

/// `(left, ahead)` at a heading, as `(x, z)`: at heading 0 left is -x and ahead is -z.
fn turn_to_world(local: DVec2, heading: f64) -> DVec2 {
    let (sine, cosine) = libm::sincos(heading);
    DMat2::from_cols(DVec2::new(-cosine, sine), DVec2::new(-sine, -cosine)) * local
}

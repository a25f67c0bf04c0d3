//! [`Section`]: a track cut across.

use glam::{DVec2, DVec3};
use prall_geometry::curves::{ControlPoint, NurbsCurve};
use prall_math::Norm;

use super::file::{CurveData, RawSection, RuleData};
use super::plan::Side;

/// The 14 dimensions of a cross section, in metres and radians: seven parts between the points 0 to 7, from the low inner
/// wall over the floor, up the ellipse to the high outer wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Which way the curve turns; the high wall is on the other side.
    pub side: Side,
    /// Height of the straight part of the inner wall, points 0 to 1.
    pub inner_wall: f64,
    /// Radius of the fillet at its foot, 1 to 2.
    pub fillet: f64,
    /// Width of the flat floor, 2 to 3.
    pub floor: f64,
    /// Distance of point 3 from the plan line, to the side of the high wall: `d_C` subtracted.
    pub offset: f64,
    /// Half-axis of the ellipse across, 3 to 4.
    pub ellipse_width: f64,
    /// Half-axis of the ellipse upwards; 0 where there is none.
    pub ellipse_height: f64,
    /// How far across the ellipse goes.
    pub tangent_width: f64,
    /// How far up the ellipse goes.
    pub tangent_height: f64,
    /// Radius of the circle that follows it, 4 to 5.
    pub wall_radius: f64,
    /// Height of that circle.
    pub wall_height: f64,
    /// Angle of the straight wall from the horizontal, 5 to 6.
    pub lean: f64,
    /// Height of the straight wall.
    pub upright: f64,
    /// Radius of the lip, 6 to 7.
    pub lip_radius: f64,
    /// Height of the lip.
    pub lip: f64,
}

impl Section {
    /// From the builder's list, by the rules (A.1) to (A.6) that use rounded numbers so that the parts still meet smoothly.
    pub(super) fn from_raw(raw: &RawSection, side: Side) -> Section {
        let degrees = if raw.eps1 >= 45.0 { raw.eps1 } else { 90.0 - raw.eps1 };
        let (tangent_width, tangent_height) = if raw.at == 0.0 {
            (raw.b - raw.r1, 0.0)
        } else if raw.bt > raw.at {
            let share = raw.bt / raw.b;
            (raw.bt, raw.a * (1.0 - (1.0 - share * share).sqrt()))
        } else {
            let share = (raw.at - raw.a) / raw.a;
            (raw.b * (1.0 - share * share).sqrt(), raw.at)
        };
        let mut section = Section {
            side,
            inner_wall: raw.hw2,
            fillet: raw.ak,
            floor: raw.bi,
            offset: raw.ce,
            ellipse_width: raw.b,
            ellipse_height: if raw.at == 0.0 { 0.0 } else { raw.a },
            tangent_width,
            tangent_height,
            wall_radius: raw.r1,
            wall_height: 0.0,
            lean: degrees.to_radians(),
            upright: raw.hz,
            lip_radius: raw.r2,
            lip: raw.h2,
        };
        if raw.h1 != 0.0 {
            section.wall_height = section.wall_rise();
        }
        section
    }

    /// By rule at the station `s` of a curve: the straight's section turned smoothly into the curve's and back.
    pub(super) fn by_rule(rule: &RuleData, curve: &CurveData, s: f64) -> Section {
        let [entry_end, exit_begin, exit_end] = curve.ends();
        let share = if curve.l_circ <= 0.0 {
            0.0
        } else if s < entry_end {
            ramp((s - (curve.s_c - rule.lead)) / (entry_end - (curve.s_c - rule.lead)))
        } else if s > exit_begin {
            ramp((exit_end + rule.lead - s) / (exit_end + rule.lead - exit_begin))
        } else {
            1.0
        };
        let (straight, full) = (&rule.straight, &rule.curve);
        let between = |from: f64, to: f64| from + (to - from) * share;
        let height = (rule.a0 + rule.a1 * curve.n_g).clamp(rule.a_min, rule.a_max);
        let (sine, cosine) = libm::sincos(rule.theta_t_deg.to_radians());
        let tangent_width = between(straight.b_t, rule.b_over_a * height * sine);
        let wall_radius = between(straight.r1, full.r1);
        let ellipse_height = share * height;
        let mut section = Section {
            side: curve.side(),
            inner_wall: between(straight.h_w, full.h_w),
            fillet: between(straight.r0, full.r0),
            floor: between(straight.l_b, full.l_b),
            offset: 0.0,
            ellipse_width: if share > 0.0 { tangent_width / sine } else { tangent_width + wall_radius },
            ellipse_height,
            tangent_width,
            tangent_height: ellipse_height * (1.0 - cosine),
            wall_radius,
            wall_height: 0.0,
            lean: between(straight.eps_deg, full.eps_deg).to_radians(),
            upright: between(straight.h_z, full.h_z),
            lip_radius: between(straight.r2, full.r2),
            lip: between(straight.h2, full.h2),
        };
        section.wall_height = section.wall_rise();
        section
    }

    /// Slope angle where the ellipse ends, (A.6).
    pub fn ellipse_end_angle(&self) -> f64 {
        let (b, across) = (self.ellipse_width, self.tangent_width);
        if self.ellipse_height == 0.0 {
            return 0.0;
        }
        libm::atan(self.ellipse_height * across / (b * (b * b - across * across).sqrt()))
    }

    /// Rise of the circle between the ellipse and the straight wall, (A.5).
    fn wall_rise(&self) -> f64 {
        let (sine, cosine) = libm::sincos(self.lean);
        let (sine_part, cosine_part) = libm::sincos(self.lean - self.ellipse_end_angle());
        self.wall_radius * (sine * sine_part - cosine * (1.0 - cosine_part))
    }

    /// The points 0 to 7: x to the right of point 3, y up; mirrored by the side. (3.11), (3.12); the root of the last one with
    /// the height of the lip, which is printed as that of the straight wall.
    pub fn points(&self) -> [DVec2; 8] {
        let c = self.side.sign();
        let (sine, cosine) = libm::sincos(self.lean);
        let (sine_part, cosine_part) = libm::sincos(self.lean - self.ellipse_end_angle());
        let circle = self.wall_radius * (cosine * sine_part + sine * (1.0 - cosine_part));
        let straight = circle + self.upright * cosine / sine;
        let r = self.lip_radius;
        let lip = straight - r * sine
            + (r * r * sine * sine + 2.0 * r * self.lip * cosine - self.lip * self.lip).sqrt();
        let inner = -(self.floor + self.fillet);
        let (b, a) = (self.tangent_width, self.tangent_height);
        let top = a + self.wall_height;
        [
            DVec2::new(inner, self.fillet + self.inner_wall),
            DVec2::new(inner, self.fillet),
            DVec2::new(-self.floor, 0.0),
            DVec2::ZERO,
            DVec2::new(b, a),
            DVec2::new(b + circle, top),
            DVec2::new(b + straight, top + self.upright),
            DVec2::new(b + lip, top + self.upright + self.lip),
        ]
        .map(|point| DVec2::new(c * point.x, point.y))
    }

    /// Height of point 7 above the floor.
    pub fn height(&self) -> f64 {
        self.tangent_height + self.wall_height + self.upright + self.lip
    }

    /// Where on the outer wall the slope has the given tangent: `(outwards, up)` from point 3, and whether there is such a
    /// place; if not, the foot of the straight wall.
    pub fn place_of_slope(&self, tangent: f64) -> (DVec2, bool) {
        let angle = libm::atan(tangent);
        let end = self.ellipse_end_angle();
        if self.ellipse_height == 0.0 || tangent <= 0.0 {
            (DVec2::ZERO, true)
        } else if angle <= end {
            let turn = libm::atan(self.ellipse_width / self.ellipse_height * tangent);
            let (sine, cosine) = libm::sincos(turn);
            (DVec2::new(self.ellipse_width * sine, self.ellipse_height * (1.0 - cosine)), true)
        } else if angle <= self.lean {
            let ((s0, c0), (s1, c1)) = (libm::sincos(end), libm::sincos(angle));
            let arc = DVec2::new(s1 - s0, c0 - c1) * self.wall_radius;
            (DVec2::new(self.tangent_width, self.tangent_height) + arc, true)
        } else {
            let foot = self.points()[5];
            (DVec2::new(foot.x * self.side.sign(), foot.y), false)
        }
    }

    /// The section as one exact quadratic spline with 15 control points, from left to right as the driver sees it, in the
    /// plane x (right), y (up) with the plan line at the origin.
    ///
    /// For curves to the right the order is reversed, so that all sections run the same way and a loft does not twist where the
    /// direction changes.
    pub fn curve(&self) -> NurbsCurve {
        let p = self.points();
        let c = self.side.sign();
        let inner = [
            straight(p[0], p[1]),
            circle(p[1], p[2], self.fillet, c),
            straight(p[2], p[3]),
            self.ellipse(p[3], p[4]),
            circle(p[4], p[5], self.wall_radius, c),
            straight(p[5], p[6]),
            circle(p[6], p[7], self.lip_radius, c),
        ];
        let shift = DVec2::new(-c * self.offset, 0.0);
        let control = |point: DVec2, weight: f64| ControlPoint { point: (point + shift).extend(0.0), weight };
        let mut points = vec![control(p[0], 1.0)];
        for (part, end) in inner.into_iter().zip(&p[1..]) {
            points.push(control(part.0, part.1));
            points.push(control(*end, 1.0));
        }
        if self.side == Side::Right {
            points.reverse();
        }
        // 15 finite points of positive weight always make a curve of seven quadratic pieces.
        NurbsCurve::quadratic_pieces(points).expect("a section with finite dimensions is a spline")
    }

    /// Inner control point of the ellipse, (3.15), with the weight normalised so that the piece lies on the ellipse exactly.
    ///
    /// The quarter of the ellipse from the floor to its end is one rational piece with the corner `m` of weight `1/sqrt 2`; cutting
    /// it at the parameter `u` (de Casteljau) gives the inner point, and dividing by the square root of the weight at the cut makes the
    /// end's weight 1 again.
    fn ellipse(&self, begin: DVec2, end: DVec2) -> (DVec2, f64) {
        if self.ellipse_height == 0.0 {
            return straight(begin, end);
        }
        let c = self.side.sign();
        let corner = begin + DVec2::new(c * self.ellipse_width, 0.0);
        let weight = 0.5_f64.sqrt();
        // Cosine of the ellipse's angle at the end fixes the cut: tan(angle / 2) = u sqrt 2 w / (1 - u + ...), solved for u.
        let angle = libm::atan2(
            self.tangent_width / self.ellipse_width,
            1.0 - self.tangent_height / self.ellipse_height,
        );
        let half = libm::tan(0.5 * angle);
        // On the unit quarter circle the piece has tan(angle/2) = u / (u + sqrt 2 (1 - u)).
        let u = 2.0_f64.sqrt() * half / (1.0 + half * (2.0_f64.sqrt() - 1.0));
        let inner = (1.0 - u) + u * weight;
        let at_cut = (1.0 - u) * (1.0 - u) + 2.0 * u * (1.0 - u) * weight + u * u;
        (((1.0 - u) * begin + u * weight * corner) / inner, inner / at_cut.sqrt())
    }
}

/// `x^3 (10 - 15 x + 6 x^2)`: from 0 to 1 with slope and bend zero at both ends.
fn ramp(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)
}

fn straight(begin: DVec2, end: DVec2) -> (DVec2, f64) {
    (0.5 * (begin + end), 1.0)
}

/// Inner control point and weight of a circular arc that bends up, (3.14): the point where the end tangents cross, and the
/// cosine of half the angle.
fn circle(begin: DVec2, end: DVec2, radius: f64, c: f64) -> (DVec2, f64) {
    let chord = end - begin;
    let length = chord.norm();
    let sine = length / (2.0 * radius);
    if !(sine > 1e-12 && sine < 1.0) {
        return straight(begin, end);
    }
    let cosine = (1.0 - sine * sine).sqrt();
    let across = DVec2::new(chord.y, -chord.x) / length;
    let middle = 0.5 * (begin + end);
    (middle + across * (c * radius * sine * sine / cosine), cosine)
}

/// A point of the section plane at a station, in the world: x to the right of the heading, y up.
pub(super) fn place(point: DVec3, origin: DVec3, heading: f64) -> DVec3 {
    let (sine, cosine) = libm::sincos(heading);
    origin + DVec3::new(point.x * cosine, point.y, -point.x * sine)
}

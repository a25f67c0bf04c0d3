//! What a convex body shows in a direction: a face with its corners, an edge or a point.

use glam::{DVec2, DVec3};
use prall_math::Norm;

use super::{Convex, Core, UPPER, box_corner};
use crate::contact::ShapePart;

/// A corner of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    pub(crate) point: DVec3,
    pub(crate) number: u32,
}

/// A flat convex piece of a surface: three or more corners in order are a face, two an edge, one a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    pub(crate) corners: Vec<Corner>,
    pub(crate) face: u32,
}

/// Corners by which a round face is represented: enough that what they leave out at the rim, 1 - cos(pi/8), is
/// an eighth of the radius, and few enough to clip.
const RIM_CORNERS: u32 = 8;

/// Numbers of rim corners begin here, those of the lower face [`RIM_CORNERS`] later; below are ends and rims as a whole.
const RIM: u32 = 2;

/// Sine of the tilt (no unit) from which the first rim corner lies where the rim is lowest; below, where it always lies in the
/// body, so that it does not wander by rounding.
const TILT: f64 = 1e-3;

/// Cosine of the angle to the axis from which a cylinder shows its cap rather than its side.
const CAP: f64 = 0.7;

/// Cosine of the angle (no unit) up to which a face is looked at edge on, and its border is what is seen.
const EDGE_ON: f64 = 0.05;

/// Two heights along a unit direction are one if they differ by less than this part of the size (no unit).
const LEVEL: f64 = 1e-9;

impl Outline {
    pub(crate) fn clear(&mut self) {
        self.corners.clear();
        self.face = 0;
    }

    fn push(&mut self, point: DVec3, number: u32) {
        self.corners.push(Corner { point, number });
    }

    /// Unit normal of a face, whichever way round.
    pub(crate) fn normal(&self) -> Option<DVec3> {
        let first = self.corners.first()?.point;
        let area: DVec3 =
            self.corners.windows(2).map(|w| (w[0].point - first).cross(w[1].point - first)).sum();
        area.try_unit()
    }

    /// Leaves of a face that is seen edge on only the part that is farthest in the direction.
    fn keep_border(&mut self, direction: DVec3) {
        let edge_on = self.normal().is_none_or(|normal| normal.dot(direction).abs() < EDGE_ON);
        if self.corners.len() < 3 || !edge_on {
            return;
        }
        let height = |i: usize| direction.dot(self.corners[i].point);
        let count = self.corners.len();
        // The edge whose lower end is the highest.
        let edge = (0..count)
            .max_by(|&i, &j| {
                let low = |k: usize| height(k).min(height((k + 1) % count));
                low(i).total_cmp(&low(j))
            })
            .unwrap_or(0);
        let ends = [self.corners[edge], self.corners[(edge + 1) % count]];
        self.corners.clear();
        self.corners.extend(ends);
    }
}

impl Convex<'_> {
    /// The normal of the face that looks most in a direction; none for a body without faces.
    pub(crate) fn face_normal(&self, direction: DVec3) -> Option<DVec3> {
        let d = self.local(direction);
        let normal = match &self.core {
            Core::Point | Core::Segment(_) => return None,
            Core::Box(_) => {
                let axis = d.abs().max_position();
                DVec3::AXES[axis] * d[axis].signum()
            }
            Core::Cylinder(_) => DVec3::Y * d.y.signum(),
            Core::Cone(_) => DVec3::NEG_Y,
            Core::Hull(hull) => hull.planes()[self.hull_face(d)].normal,
            Core::Triangle([a, b, c]) => {
                let normal = (*b - *a).cross(*c - *a).try_unit()?;
                if normal.dot(d) < 0.0 { -normal } else { normal }
            }
        };
        Some(self.vector(normal))
    }

    fn hull_face(&self, local: DVec3) -> usize {
        let Core::Hull(hull) = &self.core else { return 0 };
        let mut best = (0, f64::NEG_INFINITY);
        for (face, plane) in hull.planes().iter().enumerate() {
            let cosine = plane.normal.dot(local);
            if cosine > best.1 {
                best = (face, cosine);
            }
        }
        best.0
    }

    /// What the core shows in a unit direction.
    pub(crate) fn outline(&self, direction: DVec3, outline: &mut Outline) {
        outline.clear();
        let d = self.local(direction);
        match &self.core {
            Core::Point => outline.push(self.translation, 0),
            Core::Segment(half) => {
                outline.push(self.point(DVec3::NEG_Y * *half), 0);
                outline.push(self.point(DVec3::Y * *half), UPPER);
            }
            Core::Box(cuboid) => self.box_outline(cuboid.half_extents(), d, outline),
            Core::Cylinder(s) => {
                let (h, r) = (s.half_height(), s.radius());
                if d.y.abs() > CAP {
                    self.rim_outline(h.copysign(d.y), r, d, outline);
                } else {
                    let out = DVec2::new(d.x, d.z).unit_or(DVec2::X) * r;
                    outline.push(self.point(DVec3::new(out.x, -h, out.y)), 0);
                    outline.push(self.point(DVec3::new(out.x, h, out.y)), UPPER);
                    outline.face = 2;
                }
            }
            Core::Cone(s) => {
                let (h, r) = (s.half_height(), s.radius());
                if d.y < -CAP {
                    self.rim_outline(-h, r, d, outline);
                } else {
                    let out = DVec2::new(d.x, d.z).unit_or(DVec2::X) * r;
                    outline.push(self.point(DVec3::new(out.x, -h, out.y)), 0);
                    outline.push(self.point(DVec3::Y * h), UPPER);
                    outline.face = 2;
                }
            }
            Core::Hull(hull) => {
                let face = self.hull_face(d);
                outline.face = face as u32;
                for &vertex in hull.face(face) {
                    outline.push(self.point(hull.vertices()[vertex as usize]), vertex);
                }
                outline.keep_border(direction);
            }
            Core::Triangle(corners) => {
                for (number, &corner) in corners.iter().enumerate() {
                    outline.push(corner, number as u32);
                }
                outline.keep_border(direction);
            }
        }
    }

    fn box_outline(&self, half: DVec3, d: DVec3, outline: &mut Outline) {
        let axis = d.abs().max_position();
        let (u, w) = ((axis + 1) % 3, (axis + 2) % 3);
        outline.face = 2 * axis as u32 + u32::from(d[axis] >= 0.0);
        for (su, sw) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let mut corner = DVec3::ZERO;
            corner[axis] = 1.0_f64.copysign(d[axis]);
            (corner[u], corner[w]) = (su, sw);
            outline.push(self.point(corner * half), box_corner(corner));
        }
    }

    fn rim_outline(&self, height: f64, radius: f64, d: DVec3, outline: &mut Outline) {
        let tilt = DVec2::new(d.x, d.z);
        let first = if tilt.norm() > TILT { tilt.unit() } else { DVec2::X };
        outline.face = u32::from(height > 0.0);
        let numbers = if height > 0.0 { RIM } else { RIM + RIM_CORNERS };
        let turn = {
            let angle = std::f64::consts::TAU / f64::from(RIM_CORNERS);
            DVec2::new(libm::cos(angle), libm::sin(angle))
        };
        let mut out = first * radius;
        for slot in 0..RIM_CORNERS {
            outline.push(self.point(DVec3::new(out.x, height, out.y)), numbers + slot);
            out = turn.rotate(out);
        }
    }

    /// The part of the core that is farthest in a unit direction: a vertex, an edge or a face.
    pub(crate) fn part(&self, direction: DVec3) -> ShapePart {
        let d = self.local(direction);
        match &self.core {
            Core::Point => ShapePart::Face(0),
            Core::Segment(half) => match end_of(d.y * half, LEVEL * half) {
                Some(end) => ShapePart::Vertex(end),
                None => ShapePart::Edge(0, UPPER),
            },
            Core::Cylinder(_) => match (end_of(d.y, LEVEL), DVec2::new(d.x, d.z).norm() > LEVEL) {
                (Some(end), true) => ShapePart::Vertex(end),
                (Some(end), false) => ShapePart::Face(end),
                (None, _) => ShapePart::Face(2),
            },
            Core::Cone(s) => self.cone_part(s.half_height(), s.radius(), d),
            Core::Box(cuboid) => box_part(cuboid.half_extents(), d),
            Core::Hull(hull) => level_part(
                (0..).zip(hull.vertices().iter().map(|&vertex| d.dot(vertex))),
                LEVEL * self.size(),
                || self.hull_face(d) as u32,
            ),
            Core::Triangle(corners) => {
                level_part((0..).zip(corners.map(|corner| d.dot(corner))), LEVEL * self.size(), || 0)
            }
        }
    }

    fn cone_part(&self, half_height: f64, radius: f64, d: DVec3) -> ShapePart {
        let across = DVec2::new(d.x, d.z).norm();
        match end_of(2.0 * d.y * half_height - across * radius, LEVEL * self.size()) {
            Some(0) if across <= LEVEL => ShapePart::Face(0),
            Some(end) => ShapePart::Vertex(end),
            None => ShapePart::Face(2),
        }
    }
}

/// The corner farthest in a direction, and along which axes its neighbours are as far.
fn box_part(half: DVec3, d: DVec3) -> ShapePart {
    let level = (2.0 * half * d.abs()).cmple(DVec3::splat(LEVEL * half.max_element())).bitmask();
    let corner = box_corner(d);
    match level.count_ones() {
        0 => ShapePart::Vertex(corner),
        1 => ShapePart::Edge(corner & !level, corner | level),
        _ => {
            let axis = d.abs().max_position();
            ShapePart::Face(2 * axis as u32 + u32::from(d[axis] >= 0.0))
        }
    }
}

fn end_of(height: f64, level: f64) -> Option<u32> {
    if height > level {
        Some(UPPER)
    } else if height < -level {
        Some(0)
    } else {
        None
    }
}

/// Which of numbered heights are the highest: one is a vertex, two an edge, more a face.
fn level_part(
    heights: impl Iterator<Item = (u32, f64)> + Clone,
    level: f64,
    face: impl Fn() -> u32,
) -> ShapePart {
    let top = heights.clone().fold(f64::NEG_INFINITY, |top, (_, height)| top.max(height));
    let mut highest = heights.filter(|&(_, height)| height >= top - level).map(|(number, _)| number);
    match (highest.next(), highest.next(), highest.next()) {
        (Some(vertex), None, _) => ShapePart::Vertex(vertex),
        (Some(from), Some(to), None) => ShapePart::Edge(from.min(to), from.max(to)),
        _ => ShapePart::Face(face()),
    }
}

//! [`NearFeature`]: two features that are near each other, with their gap as a function of the two poses.
//!
//! With the unit normal n from B to A and acting points x on A and y on B, `x - y = gap n`. For every kind the gap changes at the
//! rate `n . (v_A(x) - v_B(y))`, exactly: the normal is carried by one of the bodies, or is the direction between the two nearest
//! points of lines or points, and then its own change does not count, since it is at right angles to `x - y`.

use glam::DVec3;
use prall_math::{Norm, Pose};
use serde::{Deserialize, Serialize};

use super::turned::{Meeting, nearest_to_side, rim_and_edge, rim_and_point, rim_over_plane, side_and_point};
use crate::contact::{ContactPoint, Feature};
use crate::norm::unit;

/// What two near features are; the first word is the feature of body A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NearKind {
    /// A vertex of A and a plane of B.
    VertexFace,
    /// A plane of A and a vertex of B.
    FaceVertex,
    /// Two edges that cross.
    EdgeEdge,
    /// Two vertices, at least one of them round.
    PointPoint,
    /// A vertex of A and an edge of B, at least one of them round.
    PointEdge,
    /// An edge of A and a vertex of B, at least one of them round.
    EdgePoint,
    /// A point of A and a plane through a point of B whose normal was fixed in B when the feature was found.
    Frozen,
    /// A rim of A, a cylinder or cone, and a plane of B.
    RimFace,
    /// A plane of A and a rim of B.
    FaceRim,
    /// The side of A, a cylinder or cone, and a vertex of B.
    SidePoint,
    /// A vertex of A and the side of B.
    PointSide,
    /// The side of A and an edge of B.
    SideEdge,
    /// An edge of A and the side of B.
    EdgeSide,
    /// A rim of A and an edge of B.
    RimEdge,
    /// An edge of A and a rim of B.
    EdgeRim,
    /// A rim of A and a round vertex of B.
    RimPoint,
    /// A round vertex of A and a rim of B.
    PointRim,
}

/// A pair of near features with its own gap function of the two poses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearFeature {
    /// The same from step to step while the same features are near; unique among the features of a pair of bodies.
    pub name: u64,
    /// Which gap function.
    pub kind: NearKind,
    /// The gap at the poses where the feature was found, in metres.
    pub gap: f64,
    /// The triangles of A and of B, as numbered by their boundaries; `u32::MAX` of a shape that has none.
    pub triangles: (u32, u32),
    /// In A's frame: vertex, corners of the face, ends of the edge, or the frozen point.
    pub(super) on_a: [DVec3; 3],
    /// The same in B's frame.
    pub(super) on_b: [DVec3; 3],
    /// Unit, from B to A, in the frame of the body that carries the plane: A for [`NearKind::FaceVertex`], otherwise B.
    pub(super) normal: DVec3,
    /// Of the crossing of two edges u, v: the normal is this times u x v.
    pub(super) sign: f64,
    /// Around the features, in metres.
    pub(super) radii: (f64, f64),
    /// Bits of the sides of the face beyond which its plane goes on.
    pub(super) open_sides: u8,
}

/// A gap at two poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearState {
    /// In metres; negative once the features have passed each other.
    pub gap: f64,
    /// Unit, in the world, from B to A.
    pub normal: DVec3,
    /// Where an impulse on A acts, in the world.
    pub on_a: DVec3,
    /// Where an impulse on B acts: `on_a - on_b = gap * normal`.
    pub on_b: DVec3,
    /// The nearest points lie on the features themselves, not only on the plane and the lines through them. Sides of a triangle beyond
    /// which the same plane goes on do not end it. Always true of frozen features, half-spaces and two points.
    pub on_features: bool,
}

/// Feet this part of a side outside of it (no unit) still lie on it.
pub(super) const INSIDE: f64 = 1e-6;

/// No side ends the face.
pub(super) const ALL_SIDES: u8 = 0b111;

/// The face is a disc about its first corner, with its second corner on the rim.
pub(super) const DISC: u8 = 0b1000;

impl NearFeature {
    /// Gap, normal and acting points with the bodies in these poses.
    pub fn at(&self, pose_a: &Pose, pose_b: &Pose) -> NearState {
        match self.kind {
            NearKind::VertexFace | NearKind::Frozen => self.over_plane_of_b(pose_a, pose_b),
            NearKind::FaceVertex => self.under_plane_of_a(pose_a, pose_b),
            NearKind::EdgeEdge => self.crossing(pose_a, pose_b),
            NearKind::PointPoint => {
                let (p, q) = (pose_a.transform_point(self.on_a[0]), pose_b.transform_point(self.on_b[0]));
                self.between(p, q, pose_b, true)
            }
            NearKind::PointEdge => {
                let p = pose_a.transform_point(self.on_a[0]);
                let ends = [self.on_b[0], self.on_b[1]].map(|end| pose_b.transform_point(end));
                let (foot, on_edge) = foot_on_line(p, ends);
                self.between(p, foot, pose_b, on_edge)
            }
            NearKind::EdgePoint => {
                let q = pose_b.transform_point(self.on_b[0]);
                let ends = [self.on_a[0], self.on_a[1]].map(|end| pose_a.transform_point(end));
                let (foot, on_edge) = foot_on_line(q, ends);
                self.between(foot, q, pose_b, on_edge)
            }
            NearKind::RimFace
            | NearKind::SidePoint
            | NearKind::SideEdge
            | NearKind::RimEdge
            | NearKind::RimPoint => {
                let (meeting, radius) =
                    (self.meeting(pose_a, &self.on_a, pose_b, &self.on_b, 1.0), self.radii.1);
                let on_b = meeting.on_other + meeting.normal * radius;
                let gap = meeting.height - radius;
                let (normal, on_a) = (meeting.normal, meeting.on_turned);
                NearState { gap, normal, on_a, on_b, on_features: meeting.on_features }
            }
            NearKind::FaceRim
            | NearKind::PointSide
            | NearKind::EdgeSide
            | NearKind::EdgeRim
            | NearKind::PointRim => {
                let (meeting, radius) =
                    (self.meeting(pose_b, &self.on_b, pose_a, &self.on_a, -1.0), self.radii.0);
                let on_a = meeting.on_other + meeting.normal * radius;
                let gap = meeting.height - radius;
                let (normal, on_b) = (-meeting.normal, meeting.on_turned);
                NearState { gap, normal, on_a, on_b, on_features: meeting.on_features }
            }
        }
    }

    /// Where a cylinder or cone and the core of the other body are nearest; `side` is 1 if the turned body is A.
    fn meeting(
        &self,
        turned: &Pose,
        on_turned: &[DVec3; 3],
        other: &Pose,
        on_other: &[DVec3; 3],
        side: f64,
    ) -> Meeting {
        let [centre, axis, numbers] = *on_turned;
        let placed = [turned.transform_point(centre), turned.transform_vector(axis), numbers];
        let [p, q, r] = on_other.map(|point| other.transform_point(point));
        // From the other body to the turned one.
        let normal = other.transform_vector(self.normal * side);
        let lost = || Meeting { on_features: false, ..rim_over_plane(placed, r, normal) };
        match self.kind {
            NearKind::RimFace | NearKind::FaceRim => {
                let mut meeting = rim_over_plane(placed, p, normal);
                let foot = other.inverse_transform_point(meeting.on_other);
                meeting.on_features = insideness(on_other, self.normal, foot, self.open_sides) >= -INSIDE;
                meeting
            }
            NearKind::SidePoint | NearKind::PointSide => side_and_point(placed, p),
            NearKind::SideEdge | NearKind::EdgeSide => {
                let share = nearest_to_side(placed, [p, q], 1e-6);
                let mut meeting = side_and_point(placed, p + (q - p) * share.unwrap_or(0.5));
                meeting.on_features &= share.is_some_and(on_segment);
                meeting
            }
            NearKind::RimEdge | NearKind::EdgeRim => {
                rim_and_edge(placed, [p, q], r, normal).unwrap_or_else(lost)
            }
            _ => rim_and_point(placed, p).unwrap_or_else(lost),
        }
    }

    /// A contact, as a sweep reports it, as a frozen feature; `seed` keeps its name apart from others of the same contact.
    pub fn from_contact(contact: &ContactPoint, pose_a: &Pose, pose_b: &Pose, seed: u64) -> NearFeature {
        let on_a = pose_a.inverse_transform_point(contact.on_a);
        let on_b = pose_b.inverse_transform_point(contact.on_b);
        let triangle = |feature: Feature| feature.triangle().unwrap_or(u32::MAX);
        let mut feature = NearFeature {
            name: contact.features.id() ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            kind: NearKind::Frozen,
            gap: contact.gap,
            triangles: (triangle(contact.features.on_a), triangle(contact.features.on_b)),
            on_a: [on_a; 3],
            on_b: [on_b; 3],
            normal: pose_b.inverse_transform_vector(contact.normal),
            sign: 1.0,
            radii: (0.0, 0.0),
            open_sides: ALL_SIDES,
        };
        feature.gap = feature.at(pose_a, pose_b).gap;
        feature
    }

    fn over_plane_of_b(&self, pose_a: &Pose, pose_b: &Pose) -> NearState {
        let vertex = pose_a.transform_point(self.on_a[0]);
        let local = pose_b.inverse_transform_point(vertex);
        let height = self.normal.dot(local - self.on_b[0]);
        let normal = pose_b.transform_vector(self.normal);
        NearState {
            gap: height - self.radii.0 - self.radii.1,
            normal,
            on_a: vertex - normal * self.radii.0,
            on_b: vertex - normal * (height - self.radii.1),
            on_features: insideness(&self.on_b, self.normal, local, self.open_sides) >= -INSIDE,
        }
    }

    fn under_plane_of_a(&self, pose_a: &Pose, pose_b: &Pose) -> NearState {
        let vertex = pose_b.transform_point(self.on_b[0]);
        let local = pose_a.inverse_transform_point(vertex);
        let height = self.normal.dot(self.on_a[0] - local);
        let normal = pose_a.transform_vector(self.normal);
        NearState {
            gap: height - self.radii.0 - self.radii.1,
            normal,
            on_a: vertex + normal * (height - self.radii.0),
            on_b: vertex + normal * self.radii.1,
            on_features: insideness(&self.on_a, self.normal, local, self.open_sides) >= -INSIDE,
        }
    }

    /// The nearest points p + s u and q + t v of two lines: with r = p - q and c = u x v, `r + s u - t v` is along c.
    fn crossing(&self, pose_a: &Pose, pose_b: &Pose) -> NearState {
        let (p, end_a) = (pose_a.transform_point(self.on_a[0]), pose_a.transform_point(self.on_a[1]));
        let (q, end_b) = (pose_b.transform_point(self.on_b[0]), pose_b.transform_point(self.on_b[1]));
        let (u, v, r) = (end_a - p, end_b - q, p - q);
        let c = u.cross(v);
        let squared = c.length_squared();
        let Some(across) = unit(c) else {
            // Exactly parallel: the normal of before, and any two points.
            let normal = pose_b.transform_vector(self.normal);
            return self.acting(normal.dot(r), normal, p, q, false);
        };
        let normal = across * self.sign;
        let (s, t) = (-r.cross(v).dot(c) / squared, -r.cross(u).dot(c) / squared);
        let on_edges = on_segment(s) && on_segment(t);
        self.acting(normal.dot(r), normal, p + u * s, q + v * t, on_edges)
    }

    /// Two points with the direction between them.
    fn between(&self, p: DVec3, q: DVec3, pose_b: &Pose, on_features: bool) -> NearState {
        let apart = p - q;
        let normal = unit(apart).unwrap_or_else(|| pose_b.transform_vector(self.normal));
        self.acting(normal.dot(apart), normal, p, q, on_features)
    }

    /// Points of the cores a distance apart along the normal.
    fn acting(&self, distance: f64, normal: DVec3, p: DVec3, q: DVec3, on_features: bool) -> NearState {
        let (on_a, on_b) = (p - normal * self.radii.0, q + normal * self.radii.1);
        NearState { gap: distance - self.radii.0 - self.radii.1, normal, on_a, on_b, on_features }
    }
}

fn on_segment(share: f64) -> bool {
    (-INSIDE..=1.0 + INSIDE).contains(&share)
}

/// The foot of a point on the line through two ends, and whether it lies between them.
fn foot_on_line(point: DVec3, [from, to]: [DVec3; 2]) -> (DVec3, bool) {
    let along = to - from;
    let length = along.length_squared();
    let share = if length > 0.0 { along.dot(point - from) / length } else { 0.0 };
    (from + along * share, on_segment(share))
}

/// How far inside of a triangle with this unit normal (or its opposite) the foot of a point lies, as the least part of a side's length:
/// negative outside. Sides with a bit in `open` do not count.
pub(super) fn insideness(corners: &[DVec3; 3], normal: DVec3, point: DVec3, open: u8) -> f64 {
    if open == ALL_SIDES {
        return f64::INFINITY;
    }
    let [p, q, r] = *corners;
    if open == DISC {
        let apart = point - p;
        return 1.0 - (apart - normal * normal.dot(apart)).norm() / (q - p).norm();
    }
    // The sides as seen from the side of the normal.
    let turn = if (q - p).cross(r - p).dot(normal) < 0.0 { -normal } else { normal };
    let mut least = f64::INFINITY;
    for (i, (from, to)) in [(p, q), (q, r), (r, p)].into_iter().enumerate() {
        if open >> i & 1 == 0 {
            let side = to - from;
            least = least.min(turn.cross(side).dot(point - from) / side.length_squared());
        }
    }
    least
}

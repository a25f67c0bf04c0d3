//! Near features of cylinders and cones beside triangles and half-spaces.

use glam::DVec3;
use prall_math::{Norm, Pose};

use super::NearOptions;
use super::boundary::{Part, Plane};
use super::collect::Code;
use super::feature::{ALL_SIDES, NearFeature, NearKind};
use super::turned::{Meeting, Rim, Turned, rim_over_plane};
use super::turned_search::Search;
use crate::convex::Convex;
use crate::placement::FrameChange;

/// A rim that is steeper than this (sine) over a plane has one lowest point; one that is flatter is held at points of its own.
pub(super) const FLAT_RIM: f64 = 5e-3;
/// Bits of names: the turned body is B; the normal is frozen.
const TURNED_IS_B: u32 = 1 << 29;
pub(super) const FROZEN: u32 = 1 << 28;

/// A cylinder or cone beside a part of another body. Everything is in the frame of that body but where it is said.
pub(super) struct TurnedCollector<'a> {
    pub(super) turned: &'a Turned,
    /// The turned body seen from the other one.
    pub(super) change: &'a FrameChange,
    pub(super) turned_on_a: bool,
}

/// The turned piece in the frame of the other body.
pub(super) struct Placed<'a> {
    pub(super) rims: [Option<Rim>; 2],
    pub(super) side: [DVec3; 3],
    pub(super) apex: Option<(DVec3, u32)>,
    pub(super) convex: Convex<'a>,
}

/// What is filed of two features.
pub(super) struct Filed {
    pub(super) kind: [NearKind; 2],
    pub(super) code: Code,
    pub(super) numbers: (u32, u32),
    pub(super) on_turned: [DVec3; 3],
    pub(super) on_other: [DVec3; 3],
    /// From the other body to the turned one, in the frame of the other.
    pub(super) normal: DVec3,
    pub(super) height: f64,
    pub(super) open_sides: u8,
    pub(super) triangle: u32,
}

impl<'b> TurnedCollector<'b> {
    fn placed(&self) -> Option<Placed<'_>> {
        let (point, vector) = (|p: DVec3| self.change.point(p), |v: DVec3| self.change.rotation * v);
        let turned = self.turned;
        let rim = |at: usize| {
            turned.rims.get(at).map(|rim| Rim { centre: point(rim.centre), axis: vector(rim.axis), ..*rim })
        };
        let [centre, axis, numbers] = turned.side.stored();
        let mut convex = Convex::new(&turned.shape, &Pose::IDENTITY, DVec3::ZERO)?;
        convex.rotation = self.change.rotation * turned.pose.rotation_matrix();
        convex.translation = point(turned.pose.translation);
        Some(Placed {
            rims: [rim(0), rim(1)],
            side: [point(centre), vector(axis), numbers],
            apex: turned.apex.map(|(apex, number)| (point(apex), number)),
            convex,
        })
    }

    /// What rounding may do to a distance.
    fn rounding(&self, size: f64) -> f64 {
        let own = self.turned.radius + self.turned.pose.translation.norm() + self.change.translation.norm();
        64.0 * f64::EPSILON * (own + size)
    }

    /// Files the near features; returns a proven lower bound of the distance, at most the reach.
    pub(super) fn run(
        &self,
        part: &Part,
        options: &NearOptions,
        stack: &mut Vec<(u32, u32)>,
        found: &mut Vec<NearFeature>,
    ) -> f64 {
        let Some(placed) = self.placed() else { return 0.0 };
        let rounding = self.rounding(part.hierarchy().radius() + part.radius);
        let first = found.len();
        let mut search = Search::new(self, part, placed, options.reach + part.radius, rounding);
        (search.slack, search.first, search.found) = (options.slack, first, Some(found));
        (search.run(stack) - part.radius - rounding).clamp(0.0, options.reach)
    }

    /// A proven lower bound of the distance from a part, at most `within`.
    pub(super) fn distance(&self, part: &Part, within: f64, stack: &mut Vec<(u32, u32)>) -> f64 {
        let Some(placed) = self.placed() else { return 0.0 };
        let rounding = self.rounding(part.hierarchy().radius() + part.radius);
        let mut search = Search::new(self, part, placed, within + part.radius, rounding);
        (search.run(stack) - part.radius - rounding).clamp(0.0, within)
    }

    /// Files what is near a half-space of the other body.
    pub(super) fn beside_plane(&self, plane: &Plane, options: &NearOptions, found: &mut Vec<NearFeature>) {
        let Some(placed) = self.placed() else { return };
        let code = Code::TurnedFace;
        let mut file = |kind, number, on_turned: [DVec3; 3], meeting: &Meeting| {
            if meeting.height <= options.reach {
                let filed = Filed {
                    kind,
                    code,
                    numbers: (number, plane.number),
                    on_turned,
                    on_other: [plane.point; 3],
                    normal: plane.normal,
                    height: meeting.height,
                    open_sides: ALL_SIDES,
                    triangle: plane.number,
                };
                found.push(self.feature(filed, 0.0));
            }
        };
        let outward = -plane.normal;
        for (rim, own) in placed.rims.iter().flatten().zip(&self.turned.rims) {
            if !rim.can_be_touched(outward, options.slack) {
                continue;
            }
            if outward.cross(rim.axis).norm() > FLAT_RIM {
                let lowest = rim_over_plane(rim.stored(), plane.point, plane.normal);
                file(RIM_FACE, rim.number, own.stored(), &lowest);
            }
            for (own_point, tangent, number) in own.points() {
                let (point, tangent) = (self.change.point(own_point), self.change.rotation * tangent);
                if plane.normal.dot(tangent).abs() <= options.slack {
                    file(POINT_FACE, number, [own_point; 3], &over_plane(point, plane.point, plane.normal));
                }
            }
        }
        if let (Some((apex, number)), Some((own, _))) = (placed.apex, self.turned.apex)
            && outward.dot(placed.side[1]) >= placed.side[2].x - options.slack
        {
            file(POINT_FACE, number, [own; 3], &over_plane(apex, plane.point, plane.normal));
        }
    }

    pub(super) fn feature(&self, filed: Filed, radius: f64) -> NearFeature {
        let Filed { kind, code, numbers, on_turned, on_other, normal, height, open_sides, triangle } = filed;
        let first = self.turned_on_a;
        let turned_carries = matches!(kind[0], NearKind::FaceVertex);
        let normal = if turned_carries { self.change.rotation.transpose() * normal } else { normal };
        let side = if first { 0 } else { TURNED_IS_B };
        NearFeature {
            name: code.name(numbers.0 | side, numbers.1),
            kind: if first { kind[0] } else { kind[1] },
            gap: height - radius,
            triangles: if first { (u32::MAX, triangle) } else { (triangle, u32::MAX) },
            on_a: if first { on_turned } else { on_other },
            on_b: if first { on_other } else { on_turned },
            normal: if first { normal } else { -normal },
            sign: 1.0,
            radii: if first { (0.0, radius) } else { (radius, 0.0) },
            open_sides,
        }
    }
}

/// Kinds with the turned body as A and as B.
pub(super) const RIM_FACE: [NearKind; 2] = [NearKind::RimFace, NearKind::FaceRim];
pub(super) const POINT_FACE: [NearKind; 2] = [NearKind::VertexFace, NearKind::FaceVertex];
pub(super) const CAP_POINT: [NearKind; 2] = [NearKind::FaceVertex, NearKind::VertexFace];
pub(super) const SIDE_POINT: [NearKind; 2] = [NearKind::SidePoint, NearKind::PointSide];
pub(super) const SIDE_EDGE: [NearKind; 2] = [NearKind::SideEdge, NearKind::EdgeSide];
pub(super) const RIM_EDGE: [NearKind; 2] = [NearKind::RimEdge, NearKind::EdgeRim];
pub(super) const RIM_POINT: [NearKind; 2] = [NearKind::RimPoint, NearKind::PointRim];

pub(super) fn over_plane(point: DVec3, on_plane: DVec3, normal: DVec3) -> Meeting {
    let height = normal.dot(point - on_plane);
    let on_other = point - normal * height;
    Meeting { height, normal, on_turned: point, on_other, on_features: true }
}

//! The direction in which two convex bodies are farthest apart, or least deep in each other.
//!
//! Along a unit vector `n` (from B to A) the bodies are apart by `s(n) = min n.a - max n.b`. Its maximum over all `n` is
//! the distance of bodies that are apart and minus the depth of bodies that overlap: one question with two algorithms.

use glam::DVec3;
use prall_geometry::SurfacePoint;
use prall_geometry::closest::{between_segments, on_segment, on_triangle};
use prall_math::Norm;

use super::gjk::{self, Nearness};
use super::simplex::Simplex;
use super::{Convex, Core, Expansion, boxes};

/// Of overlapping bodies, directions of faces may be worse by this part of the depth (no unit): many points
/// under a face hold a body better than one between two edges.
pub(crate) const FACE_PREFERENCE: f64 = 0.02;

/// The best direction for two cores, with the points that it was found at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// Unit vector from B to A.
    pub(crate) normal: DVec3,
    /// Distance of the cores, minus their depth if they overlap.
    pub(crate) gap: f64,
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    /// False if the gap is a lower bound only: the direction is the best of the faces and edge pairs, but the nearest
    /// points may be corners.
    pub(crate) exact: bool,
    /// True if support points alone led to it, so that the direction of a small gap is rounding.
    pub(crate) searched: bool,
}

impl Axis {
    fn swapped(self) -> Axis {
        Axis { normal: -self.normal, on_a: self.on_b, on_b: self.on_a, ..self }
    }

    pub(crate) fn between(on_a: DVec3, on_b: DVec3, otherwise: impl Fn() -> DVec3) -> Axis {
        let away = on_a - on_b;
        let gap = away.norm();
        let size = on_a.abs().max_element().max(on_b.abs().max_element());
        let normal = if gap > gjk::TOUCHING * size { away / gap } else { otherwise() };
        Axis { normal, gap, on_a, on_b, exact: true, searched: false }
    }
}

/// How far apart two cores are along a unit vector from B to A.
pub(crate) fn separation_along(a: &Convex, b: &Convex, normal: DVec3) -> f64 {
    gjk::difference(a, b, -normal, (0, 0)).point.dot(normal)
}

/// The best direction for two cores; none if they are farther apart than `within`.
pub(crate) fn find_axis(a: &Convex, b: &Convex, within: f64, expansion: &mut Expansion) -> Option<Axis> {
    let axis = match (&a.core, &b.core) {
        (Core::Point | Core::Segment(_), Core::Point | Core::Segment(_)) => segments(a, b),
        (Core::Point, _) => point_and_convex(a, b),
        (_, Core::Point) => point_and_convex(b, a).swapped(),
        (Core::Box(p), Core::Box(q)) => boxes::best_axis(a, p.half_extents(), b, q.half_extents(), within)?,
        _ => return by_search(a, b, within, expansion),
    };
    (axis.gap <= within).then_some(axis)
}

/// The same for any two cores, by support points alone.
pub(crate) fn by_search(a: &Convex, b: &Convex, within: f64, expansion: &mut Expansion) -> Option<Axis> {
    let mut simplex = Simplex::default();
    match gjk::nearest(a, b, within, &mut simplex) {
        Nearness::Far => None,
        Nearness::Apart(apart) => (apart.distance <= within).then_some(Axis {
            normal: apart.normal,
            gap: apart.distance,
            on_a: apart.on_a,
            on_b: apart.on_b,
            exact: true,
            searched: true,
        }),
        Nearness::Together => {
            let deep = expansion.depth(a, b, &simplex);
            Some(Axis {
                normal: deep.normal,
                gap: -deep.at_most,
                on_a: deep.on_a,
                on_b: deep.on_b,
                exact: true,
                searched: true,
            })
        }
    }
}

fn ends(convex: &Convex) -> [DVec3; 2] {
    let half = if let Core::Segment(half) = convex.core { half } else { 0.0 };
    let up = convex.vector(DVec3::Y * half);
    [convex.translation - up, convex.translation + up]
}

fn segments(a: &Convex, b: &Convex) -> Axis {
    let ([p0, p1], [q0, q1]) = (ends(a), ends(b));
    let (on_a, on_b) = between_segments(p0, p1, q0, q1);
    Axis::between(on_a, on_b, || {
        // Axes that cross: out is across both. Axes in line or points: across the one that has a direction.
        let (u, v) = (p1 - p0, q1 - q0);
        let across = u.cross(v).try_unit().filter(|n| n.dot(u).abs() <= 1e-6 * u.norm());
        let across = across.or_else(|| (u + v).try_unit().map(|d| d.any_orthonormal_vector()));
        let away = (p0 + p1) - (q0 + q1);
        let across = across.unwrap_or(DVec3::Y);
        if across.dot(away) < 0.0 { -across } else { across }
    })
}

/// A point against a body that knows its closest surface point in closed form.
fn point_and_convex(point: &Convex, other: &Convex) -> Axis {
    let centre = point.translation;
    match other.closest_surface(centre) {
        Some(near) => Axis {
            normal: near.normal,
            gap: near.distance,
            on_a: centre,
            on_b: near.point,
            exact: true,
            searched: false,
        },
        None => {
            let out = other.face_normal(centre - other.middle()).unwrap_or(DVec3::Y);
            Axis::between(centre, other.closest_to(centre), || out)
        }
    }
}

impl Convex<'_> {
    /// The closest point of the surface, for solid cores.
    fn closest_surface(&self, point: DVec3) -> Option<SurfacePoint> {
        let local = self.local(point - self.translation);
        let near = match &self.core {
            Core::Box(s) => s.closest_point(local),
            Core::Cylinder(s) => s.closest_point(local),
            Core::Cone(s) => s.closest_point(local),
            Core::Hull(s) => s.closest_point(local),
            Core::Point | Core::Segment(_) | Core::Triangle(_) => return None,
        };
        Some(SurfacePoint { point: self.point(near.point), normal: self.vector(near.normal), ..near })
    }

    /// The point of the core closest to a point; of solid cores the closest of the surface.
    pub(super) fn closest_to(&self, point: DVec3) -> DVec3 {
        match &self.core {
            Core::Point => self.translation,
            Core::Segment(_) => {
                let [low, high] = ends(self);
                on_segment(point, low, high)
            }
            Core::Triangle(corners) => on_triangle(point, *corners),
            _ => self.closest_surface(point).map_or(point, |near| near.point),
        }
    }
}

/// The direction of a face instead of a direction that is better by less than `tolerance` metres, or hardly better for
/// overlapping bodies.
pub(crate) fn snapped_to_faces(a: &Convex, b: &Convex, axis: Axis, tolerance: f64) -> Axis {
    let allowed = tolerance + FACE_PREFERENCE * (-axis.gap).max(0.0);
    let mut best: Option<(DVec3, f64)> = None;
    let faces = [a.face_normal(-axis.normal).map(|n| -n), b.face_normal(axis.normal)];
    for normal in faces.into_iter().flatten().filter(|n| n.dot(axis.normal) > 0.0) {
        let gap = separation_along(a, b, normal);
        if gap >= axis.gap - allowed && best.is_none_or(|(_, largest)| gap > largest + tolerance) {
            best = Some((normal, gap));
        }
    }
    best.map_or(axis, |(normal, gap)| Axis { normal, gap, ..axis })
}

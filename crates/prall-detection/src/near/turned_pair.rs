//! Near features of two cylinders or cones.
//!
//! Where they are nearest is found as for any convex pair; what the gap does from there on depends on where on each body that is. A side is its axis with
//! a radius, as a capsule's: two sides of cylinders are two lines that cross, or a point of one axis beside the other where they run side by
//! side. A side beside anything else has a normal that follows the side. A rim over a cap is a circle over a plane. The rest, rims beside rims and flat on
//! caps, are points over planes that are fixed to the other body.

use glam::DVec3;
use prall_math::{Norm, Pose};

use super::boundary::Boundary;
use super::feature::{DISC, NearFeature, NearKind};
use super::turned::Turned;
use super::turned_collect::FLAT_RIM;
use crate::contact::ContactPoint;

/// A point lies on a side, cap or rim if it is this near, in sizes of the piece: nearest points of curved bodies are known to 1e-8.
const ON: f64 = 1e-6;
/// Sides with a smaller angle between their axes (sine) run side by side.
const SIDE_BY_SIDE: f64 = 0.02;

/// A place on a turned body.
#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    Side(&'a Turned),
    /// With the number of the rim.
    Rim(&'a Turned, usize),
    Cap(&'a Turned, usize),
    /// Of the apex, and of what rounding does not let be told.
    Point,
}

/// What a point, in the body's frame, lies on.
fn place_of(body: &Boundary, point: DVec3) -> Place<'_> {
    let height = |turned: &Turned| {
        let (side, apart) = (&turned.side, point - turned.side.centre);
        let along = side.axis.dot(apart);
        let cos = (1.0 - side.sin * side.sin).max(0.0).sqrt();
        let over_side = (apart - side.axis * along).norm() * cos + along * side.sin - side.k;
        (over_side, along)
    };
    let surface = |turned: &Turned| {
        let (over_side, along) = height(turned);
        over_side.max(along.abs() - turned.side.half_height).abs()
    };
    let nearest = body.turned().iter().min_by(|p, q| surface(p).total_cmp(&surface(q)));
    let Some(turned) = nearest else { return Place::Point };
    let (over_side, along) = height(turned);
    let near = ON * turned.radius;
    let rim = turned.rims.iter().position(|rim| rim.axis.dot(point - rim.centre).abs() <= near);
    let inside = along.abs() < turned.side.half_height - near;
    match (over_side.abs() <= near, rim) {
        (true, Some(rim)) => Place::Rim(turned, rim),
        (true, None) if inside => Place::Side(turned),
        (false, Some(rim)) => Place::Cap(turned, rim),
        _ => Place::Point,
    }
}

/// The feature pair of a contact of two bodies in their poses.
pub(super) fn feature_of(
    contact: &ContactPoint,
    (a, pose_a): (&Boundary, &Pose),
    (b, pose_b): (&Boundary, &Pose),
) -> NearFeature {
    let fixed = NearFeature::from_contact(contact, pose_a, pose_b, 0);
    let places = (place_of(a, fixed.on_a[0]), place_of(b, fixed.on_b[0]));
    let across = |p: &Turned, q: &Turned| {
        pose_a.transform_vector(p.side.axis).cross(pose_b.transform_vector(q.side.axis))
    };
    let are_cylinders = |p: &Turned, q: &Turned| p.side.sin == 0.0 && q.side.sin == 0.0;
    let curved = match places {
        // The line on which two sides lie begins at the rim of one.
        (Place::Side(p) | Place::Rim(p, _), Place::Side(q) | Place::Rim(q, _))
            if are_cylinders(p, q) && across(p, q).norm() <= SIDE_BY_SIDE =>
        {
            Some(side_by_side(&fixed, p, q))
        }
        (Place::Side(p), Place::Side(q)) if are_cylinders(p, q) => {
            let sign = if across(p, q).dot(contact.normal) < 0.0 { -1.0 } else { 1.0 };
            let (on_a, on_b, radii) = (axis(p), axis(q), (p.side.k, q.side.k));
            Some(NearFeature { kind: NearKind::EdgeEdge, on_a, on_b, sign, radii, ..fixed })
        }
        (Place::Side(p), _) => {
            Some(NearFeature { kind: NearKind::SidePoint, on_a: p.side.stored(), ..fixed })
        }
        (_, Place::Side(q)) => {
            Some(NearFeature { kind: NearKind::PointSide, on_b: q.side.stored(), ..fixed })
        }
        (Place::Rim(p, rim), Place::Cap(q, cap)) if is_steep((p, rim, pose_a), (q, cap, pose_b)) => {
            Some(NearFeature {
                kind: NearKind::RimFace,
                on_a: p.rims[rim].stored(),
                on_b: disc(q, cap),
                normal: q.rims[cap].axis,
                open_sides: DISC,
                ..fixed
            })
        }
        (Place::Cap(p, cap), Place::Rim(q, rim)) if is_steep((p, cap, pose_a), (q, rim, pose_b)) => {
            Some(NearFeature {
                kind: NearKind::FaceRim,
                on_a: disc(p, cap),
                on_b: q.rims[rim].stored(),
                normal: -p.rims[cap].axis,
                open_sides: DISC,
                ..fixed
            })
        }
        _ => None,
    };
    // What was told apart wrongly keeps the contact as it is.
    let same = |feature: &NearFeature| {
        let state = feature.at(pose_a, pose_b);
        let size = a.turned().iter().chain(b.turned()).fold(0.0_f64, |size, turned| size.max(turned.radius));
        (state.gap - contact.gap).abs() <= 1e-5 * size && state.normal.dot(contact.normal) > 0.999
    };
    let Some(mut feature) = curved.filter(same) else { return fixed };
    feature.gap = feature.at(pose_a, pose_b).gap;
    feature
}

/// True if a rim and a cap are so steep to each other that the rim has one lowest point.
fn is_steep((p, i, pose_a): (&Turned, usize, &Pose), (q, j, pose_b): (&Turned, usize, &Pose)) -> bool {
    let [a, b] = [(p, i, pose_a), (q, j, pose_b)]
        .map(|(turned, at, pose)| pose.transform_vector(turned.rims[at].axis));
    a.cross(b).norm() > FLAT_RIM
}

/// The cap that a rim ends, as a face stores it.
fn disc(turned: &Turned, cap: usize) -> [DVec3; 3] {
    let rim = &turned.rims[cap];
    [rim.centre, rim.centre + rim.axis.any_orthonormal_vector() * rim.radius, rim.centre]
}

/// The axis of a cylinder, as an edge stores it.
fn axis(turned: &Turned) -> [DVec3; 3] {
    let up = turned.side.axis * turned.side.half_height;
    [turned.side.centre - up, turned.side.centre + up, turned.side.centre]
}

/// A point of one axis beside the other: of the cylinder whose side ends there, so that the place stays on it.
fn side_by_side(fixed: &NearFeature, p: &Turned, q: &Turned) -> NearFeature {
    let along = |turned: &Turned, point: DVec3| turned.side.axis.dot(point - turned.side.centre);
    let foot =
        |turned: &Turned, point: DVec3| [turned.side.centre + turned.side.axis * along(turned, point); 3];
    let left = |turned: &Turned, point: DVec3| turned.side.half_height - along(turned, point).abs();
    let cylinders = NearFeature { radii: (p.side.k, q.side.k), ..*fixed };
    if left(p, fixed.on_a[0]) <= left(q, fixed.on_b[0]) {
        NearFeature { kind: NearKind::PointEdge, on_a: foot(p, fixed.on_a[0]), on_b: axis(q), ..cylinders }
    } else {
        NearFeature { kind: NearKind::EdgePoint, on_a: axis(p), on_b: foot(q, fixed.on_b[0]), ..cylinders }
    }
}

//! Contact manifolds: where two shapes touch, or could touch within a margin, at an instant.
//!
//! A manifold is a handful of [`ContactPoint`]s with one normal. Convex pairs have one; the outlines that both show along the
//! normal are cut with each other, so a box has its corners under it and not one point that jumps from corner to corner. Meshes are
//! met triangle by triangle as they are, never as their hull; what only their triangulation makes a feature is left out, so nothing
//! catches at inner edges.
//!
//! **Promise.** Every reported pair of points lies on the two shapes, up to rounding and to a rim of
//! eight corners for round faces, and `on_a - on_b = gap * normal`. Convex pairs nearer than the margin have a manifold, and its
//! smallest gap is their distance, or minus their depth within 2 %. The order of points is the same for the same input.

mod ball_surface;
mod candidates;
mod clip;
mod convex_pair;
mod convex_surface;
mod half_space;
mod reduce;
mod surface;
mod surface_pair;
mod touchable;

use glam::DVec3;
use prall_math::Pose;

use crate::contact::{ContactPoint, Feature, FeaturePair, ShapePart};
use crate::convex::{Convex, Expansion, Outline};
use clip::Clipper;
use surface::Placed;
pub(crate) use surface::Surface;
pub(crate) use touchable::{Kind, Piece};
pub use touchable::{Touchable, TouchableError};

/// What contacts to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManifoldOptions {
    /// Contacts with a gap up to this, in metres, are reported before they touch. Default 0.01: what a body at 0.6 m/s
    /// covers in a sixtieth of a second; faster ones should ask for their own reach. A larger margin costs time and
    /// finds points that never touch, a smaller one lets bodies sink in before they are seen. Negative counts as 0.
    pub margin: f64,
    /// Most points per manifold, at least 1. Default 4: a plane's load needs three, and four keep a rectangle's corners. The
    /// deepest point and the largest area are kept.
    pub most_points: usize,
}

impl Default for ManifoldOptions {
    fn default() -> ManifoldOptions {
        ManifoldOptions { margin: 0.01, most_points: 4 }
    }
}

/// Manifolds of pairs, and the memory for finding them. Keep one per thread: after the first few pairs nothing is
/// allocated any more.
#[derive(Debug, Default)]
pub struct Manifolds {
    points: Vec<ContactPoint>,
    /// Where each manifold ends.
    ends: Vec<usize>,
    scratch: Scratch,
}

impl Manifolds {
    /// Without contacts.
    pub fn new() -> Manifolds {
        Manifolds::default()
    }

    /// All points, manifold by manifold.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points
    }

    /// The points of each manifold; normals are equal within 1e-4 radians, exactly for convex pairs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[ContactPoint]> + '_ {
        (0..self.ends.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            &self.points[start..self.ends[i]]
        })
    }

    /// The smallest gap, in metres; infinite without contacts.
    pub fn smallest_gap(&self) -> f64 {
        self.points.iter().fold(f64::INFINITY, |least, point| least.min(point.gap))
    }
}

/// Memory that is used again and again.
#[derive(Debug, Default)]
struct Scratch {
    expansion: Expansion,
    outlines: (Outline, Outline),
    clipper: Clipper,
    /// Contacts of one pair of pieces, about an origin near them, the first piece being the body A of the finder.
    found: Vec<ContactPoint>,
    stack: Vec<u32>,
    stack_of_pairs: Vec<(u32, u32)>,
    triangles: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    vertex_pairs: [Vec<(u32, u32)>; 2],
    edge_pairs: Vec<(u32, u32)>,
    groups: reduce::Groups,
}

/// Finds the manifolds of two bodies in their poses; they replace what `manifolds` held.
///
/// Swapping the bodies mirrors the answer: points and features change places, normals turn round, up to rounding.
pub fn find_manifolds(
    a: &Touchable,
    pose_a: &Pose,
    b: &Touchable,
    pose_b: &Pose,
    options: &ManifoldOptions,
    manifolds: &mut Manifolds,
) {
    manifolds.points.clear();
    manifolds.ends.clear();
    let margin = options.margin.max(0.0);
    let several = a.pieces().len() * b.pieces().len() > 1;
    for (child_a, piece_a) in (0..).zip(a.pieces()) {
        let place_a = piece_a.placed(pose_a);
        for (child_b, piece_b) in (0..).zip(b.pieces()) {
            let place_b = piece_b.placed(pose_b);
            if several && piece_a.is_far_from(&place_a, piece_b, &place_b, margin) {
                continue;
            }
            let scratch = &mut manifolds.scratch;
            scratch.found.clear();
            let order = find_pair(piece_a, &place_a, piece_b, &place_b, margin, scratch);
            for point in &mut scratch.found {
                *point = order.finished(point, place_a.translation, (child_a, child_b));
            }
            let most = options.most_points.max(1);
            let (groups, found) = (&mut scratch.groups, &scratch.found);
            if matches!((piece_a.kind(), piece_b.kind()), (Kind::Surface(_), _) | (_, Kind::Surface(_))) {
                groups.gather(found, most, &mut manifolds.points, &mut manifolds.ends);
            } else {
                groups.take_all(found, most, &mut manifolds.points, &mut manifolds.ends);
            }
        }
    }
}

/// Whether a finder saw the bodies as they were given.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Given,
    Swapped,
}

impl Order {
    /// A found contact with its place in the world and the children that it belongs to.
    fn finished(self, point: &ContactPoint, origin: DVec3, (child_a, child_b): (u32, u32)) -> ContactPoint {
        let given = if self == Order::Swapped { point.swapped() } else { *point };
        ContactPoint {
            on_a: given.on_a + origin,
            on_b: given.on_b + origin,
            features: FeaturePair {
                on_a: with_child(given.features.on_a, child_a),
                on_b: with_child(given.features.on_b, child_b),
            },
            ..given
        }
    }
}

fn with_child(feature: Feature, number: u32) -> Feature {
    match feature {
        Feature::Shape { part, .. } => Feature::Shape { child: number, part },
        other => other,
    }
}

/// A contact of two parts, children still unnamed.
fn contact(on_a: DVec3, on_b: DVec3, normal: DVec3, gap: f64, parts: (ShapePart, ShapePart)) -> ContactPoint {
    let feature = |part| Feature::Shape { child: 0, part };
    let features = FeaturePair { on_a: feature(parts.0), on_b: feature(parts.1) };
    ContactPoint { on_a, on_b, normal, gap, features }
}

fn find_pair(
    a: &Piece,
    pose_a: &Pose,
    b: &Piece,
    pose_b: &Pose,
    margin: f64,
    scratch: &mut Scratch,
) -> Order {
    let origin = pose_a.translation;
    match (a.kind(), b.kind()) {
        (Kind::HalfSpace, Kind::HalfSpace) => {}
        (Kind::HalfSpace, _) => {
            half_space::find(b, pose_b, pose_a, origin, margin, scratch);
            return Order::Swapped;
        }
        (_, Kind::HalfSpace) => half_space::find(a, pose_a, pose_b, origin, margin, scratch),
        (Kind::Surface(p), Kind::Surface(q)) => {
            let (p, q) = (Placed::new(p, pose_a, origin), Placed::new(q, pose_b, origin));
            surface_pair::find(&p, &q, (pose_a, pose_b), margin, scratch);
        }
        (Kind::Convex, Kind::Surface(surface)) => {
            convex_surface(a, pose_a, surface, pose_b, origin, margin, scratch);
        }
        (Kind::Surface(surface), Kind::Convex) => {
            convex_surface(b, pose_b, surface, pose_a, origin, margin, scratch);
            return Order::Swapped;
        }
        (Kind::Convex, Kind::Convex) => {
            let placed_a = Convex::new(a.shape(), pose_a, origin);
            let placed_b = Convex::new(b.shape(), pose_b, origin);
            if let (Some(p), Some(q)) = (placed_a, placed_b) {
                convex_pair::find(&p, &q, margin, scratch);
            }
        }
    }
    Order::Given
}

fn convex_surface(
    piece: &Piece,
    pose: &Pose,
    surface: &Surface,
    surface_pose: &Pose,
    origin: DVec3,
    margin: f64,
    scratch: &mut Scratch,
) {
    let Some(convex) = Convex::new(piece.shape(), pose, origin) else { return };
    let placed = Placed::new(surface, surface_pose, origin);
    candidates::triangles_near(
        surface,
        &candidates::Probe::new(piece, pose, surface_pose),
        margin,
        &mut scratch.stack,
        &mut scratch.triangles,
    );
    if convex.is_ball() {
        ball_surface::find(&convex, &placed, margin, scratch);
    } else {
        convex_surface::find(&convex, &placed, margin, scratch);
    }
}

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

mod anchored;
mod ball_surface;
mod box_pair;
mod cache;
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
use prall_math::{Norm, Pose};

use crate::contact::{ContactPoint, Feature, FeaturePair, ShapePart};
use crate::convex::{Convex, Expansion, Outline};
use crate::error::QueryError;
use crate::placement::check_poses;
use anchored::{Anchored, Body, MOST, Relative};
use box_pair::Boxes;
pub use cache::ManifoldCache;
use cache::Scale;
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

impl ManifoldOptions {
    fn checked_margin(&self) -> Result<f64, QueryError> {
        if self.margin.is_finite() {
            Ok(self.margin.max(0.0))
        } else {
            let wanted = "a finite number of metres";
            Err(QueryError::Option { option: "the margin", value: self.margin, wanted })
        }
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

    fn clear(&mut self) {
        self.points.clear();
        self.ends.clear();
    }

    /// Adds a manifold that its bodies carry, the other body being in `relative` to the carrier.
    fn tell(&mut self, manifold: &Anchored, relative: &Relative, poses: (&Pose, &Pose), margin: f64) {
        let carrying = if manifold.carrier == Body::A { poses.0 } else { poses.1 };
        let before = self.points.len();
        manifold.tell(relative, carrying, margin, &mut self.points);
        if self.points.len() > before {
            self.ends.push(self.points.len());
        }
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
    /// Vertices of the first and of the second surface whose triangles go through the other.
    piercing: [Vec<u32>; 2],
    groups: reduce::Groups,
}

/// Finds the manifolds of two bodies in their poses; they replace what `manifolds` held.
///
/// Swapping the bodies mirrors the answer: points and features change places, normals turn round, up to rounding. Poses that
/// are no rigid placements are refused, and so is a margin that is not finite; there are no manifolds then.
pub fn find_manifolds(
    a: &Touchable,
    pose_a: &Pose,
    b: &Touchable,
    pose_b: &Pose,
    options: &ManifoldOptions,
    manifolds: &mut Manifolds,
) -> Result<(), QueryError> {
    find_manifolds_between(a, pose_a, b, pose_b, |_, _| true, options, manifolds)
}

/// The same for those pairs of pieces that are wanted.
pub(crate) fn find_manifolds_between(
    a: &Touchable,
    pose_a: &Pose,
    b: &Touchable,
    pose_b: &Pose,
    wanted: impl Fn(&Piece, &Piece) -> bool,
    options: &ManifoldOptions,
    manifolds: &mut Manifolds,
) -> Result<(), QueryError> {
    manifolds.clear();
    let margin = options.checked_margin()?;
    check_poses(pose_a, pose_b)?;
    let several = a.pieces().len() * b.pieces().len() > 1;
    for (child_a, piece_a) in (0..).zip(a.pieces()) {
        let place_a = piece_a.placed(pose_a);
        for (child_b, piece_b) in (0..).zip(b.pieces()) {
            if !wanted(piece_a, piece_b) {
                continue;
            }
            let place_b = piece_b.placed(pose_b);
            if several && piece_a.is_far_from(&place_a, piece_b, &place_b, margin) {
                continue;
            }
            let search = Search {
                pieces: (piece_a, piece_b),
                poses: (&place_a, &place_b),
                children: (child_a, child_b),
                margin,
                most: options.most_points.max(1),
            };
            if !search.between_boxes(manifolds) {
                search.general(manifolds);
            }
        }
    }
    Ok(())
}

/// The same, where the pair remembers its contacts from step to step: what has hardly moved is carried over, what keeps
/// bodies apart is not looked for again, and features do not flicker. True if nothing had to be looked for, so that
/// what a solver derived from the shape of the manifold is still good.
///
/// A manifold is carried over as long as no point of the smaller body has moved with respect to the other by more than
/// 0.2 % of the smaller half thickness. Until then its points stay where they are on one body and the normal
/// turns with the other; its smallest gap is the distance within twice that motion (0.4 % of the half thickness at
/// worst, exactly where a corner stands on a face). Pairs nearer than the margin have a manifold as without cache.
///
/// Balls, which are faster found than remembered, surfaces, compounds and manifolds of more than four points are looked for every
/// time. A point that is known by another feature than before, near a place whose feature is gone, keeps its old name.
pub fn find_manifolds_cached(
    a: &Touchable,
    pose_a: &Pose,
    b: &Touchable,
    pose_b: &Pose,
    options: &ManifoldOptions,
    cache: &mut ManifoldCache,
    manifolds: &mut Manifolds,
) -> Result<bool, QueryError> {
    let ([piece_a], [piece_b]) = (a.pieces(), b.pieces()) else {
        find_manifolds(a, pose_a, b, pose_b, options, manifolds)?;
        return Ok(false);
    };
    if !piece_a.is_remembered_with(piece_b) || options.most_points > MOST {
        find_manifolds(a, pose_a, b, pose_b, options, manifolds)?;
        return Ok(false);
    }
    manifolds.clear();
    let margin = options.checked_margin()?;
    check_poses(pose_a, pose_b)?;
    let (place_a, place_b) = (piece_a.placed(pose_a), piece_b.placed(pose_b));
    if let Some((manifold, relative)) = cache.still_holds(&place_a, &place_b, margin) {
        manifolds.tell(manifold, &relative, (&place_a, &place_b), margin);
        return Ok(true);
    }
    let scale = Scale::new(piece_a, piece_b);
    let search = Search {
        pieces: (piece_a, piece_b),
        poses: (&place_a, &place_b),
        children: (0, 0),
        margin: margin + scale.lasting(),
        most: options.most_points.max(1),
    };
    if !search.between_boxes_cached(margin, &scale, cache, manifolds) {
        search.general_cached(margin, &scale, cache, manifolds);
    }
    Ok(false)
}

/// A question about two pieces.
struct Search<'a> {
    pieces: (&'a Piece, &'a Piece),
    poses: (&'a Pose, &'a Pose),
    children: (u32, u32),
    margin: f64,
    most: usize,
}

impl Search<'_> {
    /// Half edges of both, if they are boxes.
    fn boxes(&self) -> Option<(DVec3, DVec3)> {
        Some((self.pieces.0.half_edges()?, self.pieces.1.half_edges()?))
    }

    /// What there is between boxes with these half edges, and the pose of the body that is not the carrier in its frame.
    fn faces(
        &self,
        (p, q): (DVec3, DVec3),
        relative: Relative,
        last: Option<Body>,
        manifold: &mut Anchored,
    ) -> (Boxes, Relative) {
        let found = box_pair::find(p, q, &relative, self.margin, self.most.min(MOST), last, manifold);
        let to_carrier = if manifold.carrier == Body::A { relative } else { relative.inverse() };
        (found, to_carrier)
    }

    /// Two boxes, if a face is upon the other or they are apart; false if that is not known.
    fn between_boxes(&self, manifolds: &mut Manifolds) -> bool {
        let Some((p, q)) = self.boxes().filter(|_| self.most <= MOST) else { return false };
        let relative = Relative::new(self.poses.0, self.poses.1);
        if box_pair::are_far(p, q, &relative, self.margin) {
            return true;
        }
        let mut manifold = Anchored::default();
        match self.faces((p, q), relative, None, &mut manifold) {
            (Boxes::Apart(..), _) => true,
            (Boxes::Faces(_), relative) => {
                for anchor in manifold.anchors_mut() {
                    anchor.features = with_children(anchor.features, self.children);
                }
                manifolds.tell(&manifold, &relative, self.poses, self.margin);
                true
            }
            (Boxes::Other, _) => false,
        }
    }

    /// The same, with the answer remembered; what is told is up to `margin`.
    fn between_boxes_cached(
        &self,
        margin: f64,
        scale: &Scale,
        cache: &mut ManifoldCache,
        manifolds: &mut Manifolds,
    ) -> bool {
        let Some(half_edges) = self.boxes() else { return false };
        let relative = Relative::new(self.poses.0, self.poses.1);
        let mut manifold = Anchored::default();
        match self.faces(half_edges, relative, cache.last_carrier(), &mut manifold) {
            (Boxes::Apart(at_least, normal), relative) => {
                cache.remember_apart(at_least, normal, &relative, scale);
                true
            }
            (Boxes::Faces(deepest), relative) => {
                let manifold = cache.remember(manifold, &relative, scale, deepest, self.margin);
                manifolds.tell(manifold, &relative, self.poses, margin);
                true
            }
            (Boxes::Other, _) => false,
        }
    }

    fn general(&self, manifolds: &mut Manifolds) {
        let scratch = &mut manifolds.scratch;
        scratch.found.clear();
        let (pieces, poses) = (self.pieces, self.poses);
        let order = find_pair(pieces.0, poses.0, pieces.1, poses.1, self.margin, scratch);
        for point in &mut scratch.found {
            *point = order.finished(point, poses.0.translation, self.children);
        }
        let (groups, found) = (&mut scratch.groups, &scratch.found);
        if matches!((pieces.0.kind(), pieces.1.kind()), (Kind::Surface(_), _) | (_, Kind::Surface(_))) {
            groups.gather(found, self.most, &mut manifolds.points, &mut manifolds.ends);
        } else {
            groups.take_all(found, self.most, &mut manifolds.points, &mut manifolds.ends);
        }
    }

    /// The same for convex pieces and half-spaces, with the answer remembered; what is told is up to `margin`.
    fn general_cached(
        &self,
        margin: f64,
        scale: &Scale,
        cache: &mut ManifoldCache,
        manifolds: &mut Manifolds,
    ) {
        self.general(manifolds);
        let (pose_a, pose_b) = self.poses;
        match Anchored::of(&manifolds.points, pose_a, pose_b) {
            Some(manifold) => {
                let relative = Relative::to_carrier(manifold.carrier, pose_a, pose_b);
                let deepest = manifolds.smallest_gap();
                let manifold = cache.remember(manifold, &relative, scale, deepest, self.margin);
                manifolds.clear();
                manifolds.tell(manifold, &relative, self.poses, margin);
            }
            None => {
                let relative = Relative::new(pose_b, pose_a);
                let away = relative.translation.unit_or(DVec3::Y);
                cache.remember_apart(self.margin, away, &relative, scale);
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
    fn finished(self, point: &ContactPoint, origin: DVec3, children: (u32, u32)) -> ContactPoint {
        let given = if self == Order::Swapped { point.swapped() } else { *point };
        ContactPoint {
            on_a: given.on_a + origin,
            on_b: given.on_b + origin,
            features: with_children(given.features, children),
            ..given
        }
    }
}

fn with_children(features: FeaturePair, (child_a, child_b): (u32, u32)) -> FeaturePair {
    FeaturePair { on_a: with_child(features.on_a, child_a), on_b: with_child(features.on_b, child_b) }
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
        &candidates::probe(piece, pose, surface_pose),
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

//! Near features: all pairs of a vertex and a face or of two edges by which two bodies are nearly in contact, each with its gap as a
//! function of the poses.
//!
//! **Promise.** Two bodies nearer than the reach have at least one feature, and the smallest gap of all features is their distance, up
//! to rounding and to feet a millionth of a side outside of their face. [`NearAnswer::distance`] and [`distance_bound`] are never larger than the distance of the
//! bodies, rounding included. Features come in a fixed order.
//!
//! A pair of features counts if the nearest points lie on both and if nothing beside them lies nearer: both must be extreme along the
//! normal, within the slack. Surfaces have no inside: each pair keeps the side on which it was found. Nearly parallel edges count by
//! the ends of the stretch on which they run side by side. Vertices near edges or vertices count only if
//! nothing else is as near, with a frozen normal. Cylinders and cones meet corners, edges and planes by their rims, sides, caps and apexes in closed
//! form; among themselves they have the contacts of manifolds, whose sides and caps go on in closed form, while rims beside rims have frozen normals.

mod boundary;
mod collect;
mod feature;
mod planes;
mod topology;
mod turned;
mod turned_collect;
mod turned_pair;
mod turned_search;

use glam::DVec3;
use prall_geometry::Shape;
use prall_math::{Norm, Pose};

use crate::convex::separation_in_place;
use crate::distance::proven_distance;
use crate::error::QueryError;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::blocks::{Ends, Piece as Size, Scratch, open_pairs};
use crate::hierarchy::lanes::{gaps, near};
use crate::manifold::{ManifoldOptions, Manifolds, Piece, find_manifolds_between};
use crate::node_pair::{NodePair, for_each_bit};
use crate::placement::{Placement, check_poses};
use crate::workspace::Workspace;
pub use boundary::Boundary;
use boundary::{Part, is_turned};
use collect::{Collector, NOTHING_PLACED};
pub use feature::{NearFeature, NearKind, NearState};
use planes::PlaneCollector;
use turned_collect::TurnedCollector;

/// What near features to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearOptions {
    /// Features with a gap up to this, in metres, are found. Default 20 um. The larger, the more there are.
    pub reach: f64,
    /// How far outside of its normal cone a feature still counts, in radians: at least what the bodies turn before features are looked for
    /// again. Default 0.05.
    pub slack: f64,
    /// The search ends after this many pairs of triangles within reach. Default: no limit.
    pub max_triangle_pairs: usize,
}

impl Default for NearOptions {
    fn default() -> NearOptions {
        NearOptions { reach: 20e-6, slack: 0.05, max_triangle_pairs: usize::MAX }
    }
}

/// Farthest that features may be looked for, in metres.
const LARGEST_REACH: f64 = 1e9;

impl NearOptions {
    fn validate(&self) -> Result<(), QueryError> {
        let wrong = |option, value, wanted| Err(QueryError::Option { option, value, wanted });
        // Written so that NaN is wrong.
        if !(self.reach >= 0.0 && self.reach <= LARGEST_REACH) {
            return wrong("the reach", self.reach, "between 0 and 1e9 m");
        }
        if !(self.slack >= 0.0 && self.slack <= std::f64::consts::PI) {
            return wrong("the slack", self.slack, "between 0 and pi rad");
        }
        Ok(())
    }
}

/// What a search for near features knows besides them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearAnswer {
    /// False if the search ended at the largest number of triangle pairs; features may be missing then.
    pub complete: bool,
    /// Pairs of triangles within reach that were looked at.
    pub triangle_pairs: usize,
    /// Proven, rounding included: the bodies are at least this far apart, in metres; the reach if nothing is nearer. 0 if they touch or
    /// overlap.
    pub distance: f64,
}

/// Memory for finding near features.
#[derive(Default)]
pub(crate) struct NearScratch {
    /// Pairs of triangles whose distance is not settled: a lower bound and their slots.
    open: Vec<(f64, u32, u32)>,
    /// How far inside the feet of features lie.
    inside: Vec<f64>,
    names: Vec<(u64, u32)>,
    keep: Vec<bool>,
    manifolds: Manifolds,
}

/// Appends all near features of two bodies in their poses, in a fixed order.
///
/// Refused are poses that are no rigid placements and options out of their ranges; nothing is appended then.
pub fn near_features(
    a: &Boundary,
    pose_a: &Pose,
    b: &Boundary,
    pose_b: &Pose,
    options: &NearOptions,
    workspace: &mut Workspace,
    found: &mut Vec<NearFeature>,
) -> Result<NearAnswer, QueryError> {
    options.validate()?;
    check_poses(pose_a, pose_b)?;
    let placement = Placement::new(pose_a, pose_b);
    let mut answer = NearAnswer { complete: true, triangle_pairs: 0, distance: options.reach };
    for part_a in a.parts() {
        for part_b in b.parts() {
            let mut collector = Collector {
                a: part_a,
                b: part_b,
                placement: &placement,
                reach: options.reach,
                slack: options.slack,
                rounding: rounding(part_a, part_b, &placement),
                found,
                scratch: &mut workspace.near,
                first: 0,
                tangled: false,
                least: 0.0,
                least_normal: DVec3::ZERO,
                placed: NOTHING_PLACED,
            };
            let most = options.max_triangle_pairs - answer.triangle_pairs;
            let collected = collector.run(most, &mut workspace.pairs);
            answer.triangle_pairs += collected.triangle_pairs;
            answer.complete &= collected.complete;
            let distance = if collected.complete {
                collected.distance
            } else {
                // What was not looked at may be nearer.
                parts_distance(part_a, part_b, &placement, options.reach, workspace)
            };
            answer.distance = answer.distance.min(distance);
        }
    }
    for planes in plane_pairs(a, b, &placement) {
        answer.distance = answer.distance.min(planes.run(options, &mut workspace.pairs, found));
    }
    for (turned, other) in turned_sides(a, b, &placement) {
        for part in other.parts() {
            answer.distance = answer.distance.min(turned.run(part, options, &mut workspace.pairs, found));
        }
        other.planes().iter().for_each(|plane| turned.beside_plane(plane, options, found));
    }
    let bound = turned_bound(a, pose_a, b, pose_b, options.reach);
    answer.distance = answer.distance.min(bound);
    if bound < options.reach && !a.turned().is_empty() && !b.turned().is_empty() {
        turned_features((a, pose_a), (b, pose_b), options, &mut workspace.near.manifolds, found)?;
    }
    Ok(answer)
}

/// A proven lower bound of the distance of two bodies, in metres, at most `within`: then they are at least that far apart.
///
/// Of bodies that touch or overlap it is 0. Two half-spaces are not compared.
pub fn distance_bound(
    a: &Boundary,
    pose_a: &Pose,
    b: &Boundary,
    pose_b: &Pose,
    within: f64,
    workspace: &mut Workspace,
) -> Result<f64, QueryError> {
    check_poses(pose_a, pose_b)?;
    // Written so that NaN is wrong.
    if !(0.0..=LARGEST_REACH).contains(&within) {
        let (option, wanted) = ("the distance that matters", "between 0 and 1e9 m");
        return Err(QueryError::Option { option, value: within, wanted });
    }
    let placement = Placement::new(pose_a, pose_b);
    let mut bound = turned_bound(a, pose_a, b, pose_b, within);
    for part_a in a.parts() {
        for part_b in b.parts() {
            bound = bound.min(parts_distance(part_a, part_b, &placement, bound, workspace));
        }
    }
    for planes in plane_pairs(a, b, &placement) {
        bound = bound.min(planes.distance(bound, &mut workspace.pairs));
    }
    for (turned, other) in turned_sides(a, b, &placement) {
        for part in other.parts() {
            bound = bound.min(turned.distance(part, bound, &mut workspace.pairs));
        }
    }
    Ok(bound)
}

/// Calls `found` with all pairs of triangles, as indices into the given lists, that may be nearer than `reach`, until it returns false.
///
/// No pair within reach is left out; some that are given are farther apart, up to the size of their boxes. The order is fixed.
pub fn all_near(
    a: &Hierarchy,
    pose_a: &Pose,
    b: &Hierarchy,
    pose_b: &Pose,
    reach: f64,
    workspace: &mut Workspace,
    mut found: impl FnMut(u32, u32) -> bool,
) -> Result<(), QueryError> {
    check_poses(pose_a, pose_b)?;
    NearOptions { reach, ..NearOptions::default() }.validate()?;
    let placement = Placement::new(pose_a, pose_b);
    visit_near(a, b, &placement, reach, &mut workspace.pairs, |slot_a, slot_b| {
        if found(a.source(slot_a), b.source(slot_b)) { Visit::GoOn } else { Visit::Stop }
    });
    Ok(())
}

/// Whether a search goes on.
#[derive(PartialEq)]
enum Visit {
    GoOn,
    Stop,
}

/// Visits the slots of all pairs of triangles whose boxes are not shown to be farther apart than `reach`.
fn visit_near(
    a: &Hierarchy,
    b: &Hierarchy,
    placement: &Placement,
    reach: f64,
    stack: &mut Vec<(u32, u32)>,
    mut visit: impl FnMut(u32, u32) -> Visit,
) {
    // Not smaller in single precision.
    let reach = (reach * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE;
    // Boxes within a wide reach often lie beyond it aside, as around a ball: then distances pay, otherwise single axes are faster.
    let wide = reach > 0.1 * a.nodes[0].radius.min(b.nodes[0].radius);
    let (ends, mut scratch) = (Ends::at_an_instant(&placement.a_to_b), Scratch::new());
    let by_blocks = !a.is_one_block() && !b.is_one_block();
    stack.clear();
    stack.push((0, 0));
    while let Some((node_a, node_b)) = stack.pop() {
        let pieces = if by_blocks { (a.piece(node_a), b.piece(node_b)) } else { (Size::Part, Size::Part) };
        if let (Size::Block(block_a), Size::Block(block_b)) = &pieces {
            let apart = (f64::from(reach), f64::from(reach));
            let pairs = open_pairs(block_a, block_b, &ends, apart, &mut scratch);
            for (slot_a, &bits) in (block_a.first..).zip(&pairs.of_a[..block_a.count]) {
                let mut bits = bits;
                while bits != 0 {
                    let slot_b = block_b.first + bits.trailing_zeros();
                    bits &= bits - 1;
                    if visit(slot_a, slot_b) == Visit::Stop {
                        return;
                    }
                }
            }
            continue;
        }
        match NodePair::of_pieces((a, node_a), (b, node_b), &pieces) {
            NodePair::Leaves(range_a, range_b) => {
                for slot_a in range_a {
                    for slot_b in range_b.clone() {
                        if visit(slot_a, slot_b) == Visit::Stop {
                            return;
                        }
                    }
                }
            }
            NodePair::Open(opening) => {
                let single = opening.single(placement);
                let near = if wide {
                    let (gaps, filled) = gaps(opening.group, &single);
                    // Nothing is known of what is no number.
                    let far =
                        (0..8).filter(|&lane| gaps[lane] > reach).fold(0, |bits, lane| bits | 1 << lane);
                    filled & !far
                } else {
                    near(opening.group, &single, reach)
                };
                for_each_bit(near, |lane| stack.push(opening.pair(lane)));
            }
        }
    }
}

/// What rounding may do to a distance: coordinates of A in B's frame, their differences and products with unit vectors see less than
/// 32 units of the lengths that enter.
fn rounding(a: &Part, b: &Part, placement: &Placement) -> f64 {
    let size = a.hierarchy().radius() + b.hierarchy().radius() + placement.a_to_b.translation.norm();
    32.0 * f64::EPSILON * (size + a.radius + b.radius)
}

fn parts_distance(a: &Part, b: &Part, placement: &Placement, within: f64, workspace: &mut Workspace) -> f64 {
    let thickness = a.radius + b.radius + rounding(a, b, placement);
    let waiting = &mut workspace.waiting;
    let cores = proven_distance(a.hierarchy(), b.hierarchy(), placement, within + thickness, waiting);
    (cores - thickness).clamp(0.0, within)
}

/// The half-spaces of each body with the parts of the other.
fn plane_pairs<'a>(
    a: &'a Boundary,
    b: &'a Boundary,
    placement: &'a Placement,
) -> impl Iterator<Item = PlaneCollector<'a>> {
    let on_b = a.parts().iter().flat_map(move |part| {
        let change = &placement.a_to_b;
        b.planes().iter().map(move |plane| PlaneCollector { part, plane, change, plane_on_a: false })
    });
    let on_a = b.parts().iter().flat_map(move |part| {
        let change = &placement.b_to_a;
        a.planes().iter().map(move |plane| PlaneCollector { part, plane, change, plane_on_a: true })
    });
    on_b.chain(on_a)
}

/// Cylinders and cones of each body with the other body.
fn turned_sides<'a>(
    a: &'a Boundary,
    b: &'a Boundary,
    placement: &'a Placement,
) -> impl Iterator<Item = (TurnedCollector<'a>, &'a Boundary)> {
    let on_a = a
        .turned()
        .iter()
        .map(move |turned| (TurnedCollector { turned, change: &placement.a_to_b, turned_on_a: true }, b));
    let on_b = b
        .turned()
        .iter()
        .map(move |turned| (TurnedCollector { turned, change: &placement.b_to_a, turned_on_a: false }, a));
    on_a.chain(on_b)
}

/// A lower bound of the distance of cylinders and cones from each other and from half-spaces; at most `within`.
fn turned_bound(a: &Boundary, pose_a: &Pose, b: &Boundary, pose_b: &Pose, within: f64) -> f64 {
    if a.turned().is_empty() && b.turned().is_empty() {
        return within;
    }
    let mut bound = within;
    for piece_a in a.touchable().pieces() {
        for piece_b in b.touchable().pieces() {
            let flat = |piece: &Piece| piece.sphere().is_none();
            let turned = [is_turned(piece_a), is_turned(piece_b)];
            if turned == [true; 2] || (turned[0] && flat(piece_b)) || (flat(piece_a) && turned[1]) {
                bound = bound.min(piece_bound(piece_a, pose_a, piece_b, pose_b, bound));
            }
        }
    }
    bound
}

/// A lower bound of the distance of two pieces: of the spheres around them if that is enough, otherwise across the plane that separates
/// convex pieces best. At least 0.
fn piece_bound(a: &Piece, pose_a: &Pose, b: &Piece, pose_b: &Pose, within: f64) -> f64 {
    let (place_a, place_b) = (*pose_a * *a.pose(), *pose_b * *b.pose());
    let apart = (place_a.translation - place_b.translation).norm();
    let size = |piece: &Piece| piece.sphere().map_or(0.0, |s| s.center.norm() + s.radius);
    let origins = pose_a.translation.norm() + pose_b.translation.norm();
    let rounding = 64.0 * f64::EPSILON * (apart + size(a) + size(b) + origins);
    let gap = match (a.sphere(), b.sphere()) {
        (Some(p), Some(q)) => {
            let centres = place_a.transform_point(p.center) - place_b.transform_point(q.center);
            let spheres = centres.norm() - p.radius - q.radius;
            if spheres - rounding >= within {
                spheres
            } else {
                let convex = separation_in_place(a.shape(), &place_a, b.shape(), &place_b);
                convex.map_or(spheres, |found| spheres.max(found.lower))
            }
        }
        (Some(_), None) => height_over(&place_b, a, &place_a),
        (None, Some(_)) => height_over(&place_a, b, &place_b),
        (None, None) => 0.0,
    };
    (gap - rounding).max(0.0)
}

/// Least height of a convex piece over the plane of a half-space; 0 of a piece without support points.
fn height_over(plane: &Pose, piece: &Piece, place: &Pose) -> f64 {
    let normal = plane.transform_vector(DVec3::Y);
    let down = place.inverse_transform_vector(-normal);
    let lowest = match piece.shape() {
        Shape::Cylinder(cylinder) => cylinder.support(down),
        Shape::Cone(cone) => cone.support(down),
        // Only pairs with a cylinder or a cone are asked for.
        _ => return 0.0,
    };
    normal.dot(place.transform_point(lowest) - plane.translation)
}

/// The features of cylinders and cones near each other.
fn turned_features(
    (a, pose_a): (&Boundary, &Pose),
    (b, pose_b): (&Boundary, &Pose),
    options: &NearOptions,
    manifolds: &mut Manifolds,
    found: &mut Vec<NearFeature>,
) -> Result<(), QueryError> {
    let margin = ManifoldOptions { margin: options.reach, ..ManifoldOptions::default() };
    let wanted = |p: &Piece, q: &Piece| is_turned(p) && is_turned(q);
    find_manifolds_between(a.touchable(), pose_a, b.touchable(), pose_b, wanted, &margin, manifolds)?;
    let points = manifolds.points().iter();
    found.extend(points.map(|point| turned_pair::feature_of(point, (a, pose_a), (b, pose_b))));
    Ok(())
}

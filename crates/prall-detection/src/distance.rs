//! How far apart are two bodies at an instant, and where?

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;
use prall_math::Pose;

use crate::certificate::{from_b_to_a, gap_along};
use crate::contact::{ContactPoint, Feature, FeaturePair};
use crate::error::QueryError;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::lanes::gaps;
use crate::node_pair::{NodePair, for_each_bit};
use crate::norm::unit;
use crate::placement::{Placement, check_poses};
use crate::triangle::{Part, TriangleDistance, area_normal, triangle_distance};
use crate::workspace::Workspace;

/// What a distance query should look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceOptions {
    /// Distances beyond this, in metres, do not matter: the answer is then none. The smaller, the faster.
    pub within: f64,
    /// A pair of triangles that was nearest a moment ago; never changes the distance, often saves most of the
    /// work.
    pub last: Option<(u32, u32)>,
    /// The answer may exceed the true distance by this share of itself, 0 to 1: a clearance of 1 % costs a fraction of an exact
    /// one where much is equally near, as between a bolt and its nut. Default 0, exact.
    pub accuracy: f64,
}

impl Default for DistanceOptions {
    fn default() -> DistanceOptions {
        DistanceOptions { within: f64::INFINITY, last: None, accuracy: 0.0 }
    }
}

impl DistanceOptions {
    fn validate(&self) -> Result<(), QueryError> {
        if self.within.is_nan() {
            let (option, value) = ("the distance that matters", self.within);
            return Err(QueryError::Option { option, value, wanted: "a number of metres, or infinite" });
        }
        if !(0.0..1.0).contains(&self.accuracy) {
            let (option, value) = ("the accuracy of the distance", self.accuracy);
            return Err(QueryError::Option { option, value, wanted: "at least 0 and less than 1" });
        }
        Ok(())
    }
}

/// The nearest points of two bodies, if they are not farther apart than `options.within`.
///
/// The gap is the distance of two points that lie on the bodies, so never too small by more than rounding; it
/// exceeds the true distance by some 1e-10 of the size at most (nearly parallel edges). Overlapping bodies have
/// gap 0, and one of their overlapping pairs is named. Poses that are no rigid placements are refused, and so is a limit that
/// is no number.
pub fn distance(
    a: &Hierarchy,
    pose_a: &Pose,
    b: &Hierarchy,
    pose_b: &Pose,
    options: &DistanceOptions,
    workspace: &mut Workspace,
) -> Result<Option<ContactPoint>, QueryError> {
    check_poses(pose_a, pose_b)?;
    options.validate()?;
    let placement = Placement::new(pose_a, pose_b);
    let (limit, share) = (options.within, 1.0 - options.accuracy);
    let mut search = Search { a, b, placement: &placement, best: None, limit, share, proven: None };
    if let Some((last_a, last_b)) = options.last
        && let (Some(slot_a), Some(slot_b)) = (a.slot(last_a), b.slot(last_b))
    {
        search.triangles(slot_a, slot_b);
    }
    search.run(&mut workspace.waiting);
    let Some((slots, near)) = search.best else { return Ok(None) };
    let in_b = placement.a_to_b.triangle(a.at_slot(slots.0));
    let sources = (a.source(slots.0), b.source(slots.1));
    Ok(Some(contact_point(&near, &in_b, b.at_slot(slots.1), sources, pose_b)))
}

/// A lower bound of the distance, at most `within`, with nothing left out but what rounding the coordinates of A in B's frame did;
/// 0 if the bodies overlap.
pub(crate) fn proven_distance(
    a: &Hierarchy,
    b: &Hierarchy,
    placement: &Placement,
    within: f64,
    waiting: &mut BinaryHeap<Reverse<Waiting>>,
) -> f64 {
    let mut search =
        Search { a, b, placement, best: None, limit: within, share: 1.0, proven: Some(f64::INFINITY) };
    search.run(waiting);
    // What was not looked at is farther apart than the limit.
    search.proven.unwrap_or(0.0).min(search.limit)
}

/// The largest gap of two triangles along a plane of theirs and across their nearest points: a lower bound of their distance, up to the
/// rounding of products, with its direction from B to A. Zeros if nothing separates them.
pub(crate) fn proven_gap(near: &TriangleDistance, a: &[DVec3; 3], b: &[DVec3; 3]) -> (f64, DVec3) {
    let mut proven = (0.0, DVec3::ZERO);
    if near.squared == 0.0 {
        return proven;
    }
    let mut attempt = |normal: DVec3| {
        let gap = gap_along(normal, a, b);
        if gap > proven.0 {
            proven = (gap, normal);
        }
        gap
    };
    let between = near.separating_direction(a, b).map_or(0.0, &mut attempt);
    // Only if the nearest points prove less than their distance do the faces matter.
    if between < near.distance() * (1.0 - 1e-12) {
        for normal in [a, b].into_iter().filter_map(|face| area_normal(face).and_then(unit)) {
            attempt(from_b_to_a(normal, a, b));
        }
    }
    proven
}

struct Search<'a> {
    a: &'a Hierarchy,
    b: &'a Hierarchy,
    placement: &'a Placement,
    best: Option<((u32, u32), TriangleDistance)>,
    /// Nothing farther apart than this matters any more.
    limit: f64,
    /// Of the best distance, what must be found.
    share: f64,
    /// The least that is proven of all triangles looked at, if it matters.
    proven: Option<f64>,
}

/// A pair of nodes that waits, nearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Waiting {
    /// Bits of the gap (0 if the boxes overlap), then of the size of the boxes: small ones lead to a first
    /// distance soon. Bits of numbers that are not negative compare like the numbers.
    rank: u64,
    node_a: u32,
    node_b: u32,
}

impl Waiting {
    fn gap(&self) -> f64 {
        f64::from(f32::from_bits((self.rank >> 32) as u32))
    }
}

impl Search<'_> {
    /// Best first: no pair is opened whose boxes are farther apart than the bodies.
    fn run(&mut self, waiting: &mut BinaryHeap<Reverse<Waiting>>) {
        waiting.clear();
        waiting.push(Reverse(Waiting { rank: 0, node_a: 0, node_b: 0 }));
        while let Some(Reverse(next)) = waiting.pop() {
            let overlapping = self.best.as_ref().is_some_and(|(_, near)| near.squared == 0.0);
            if next.gap() > self.limit || overlapping {
                return;
            }
            let Waiting { node_a, node_b, .. } = next;
            match NodePair::new(self.a, node_a, self.b, node_b) {
                NodePair::Leaves(range_a, range_b) => {
                    for slot_a in range_a {
                        range_b.clone().for_each(|slot_b| self.triangles(slot_a, slot_b));
                    }
                }
                NodePair::Open(opening) => {
                    let (gaps, filled) = gaps(opening.group, &opening.single(self.placement));
                    for_each_bit(filled, |lane| {
                        let (node_a, node_b) = opening.pair(lane);
                        self.file(waiting, gaps[lane as usize], node_a, node_b);
                    });
                }
            }
        }
    }

    fn file(&self, waiting: &mut BinaryHeap<Reverse<Waiting>>, gap: f32, node_a: u32, node_b: u32) {
        if f64::from(gap) > self.limit {
            return;
        }
        // NaN, about which nothing is known, becomes 0 as well.
        let gap = if gap > 0.0 { gap } else { 0.0 };
        let size = self.a.nodes[node_a as usize].radius + self.b.nodes[node_b as usize].radius;
        let rank = u64::from(gap.to_bits()) << 32 | u64::from(size.to_bits());
        waiting.push(Reverse(Waiting { rank, node_a, node_b }));
    }

    fn triangles(&mut self, slot_a: u32, slot_b: u32) {
        let in_b = self.placement.a_to_b.triangle(self.a.at_slot(slot_a));
        let other = self.b.at_slot(slot_b);
        if plane_keeps_apart(&in_b, other, self.limit) {
            return;
        }
        let near = triangle_distance(&in_b, other);
        if let Some(proven) = &mut self.proven {
            *proven = proven.min(proven_gap(&near, &in_b, other).0);
        }
        let nearer = match &self.best {
            Some((_, best)) => near.squared < best.squared,
            None => near.distance() <= self.limit,
        };
        if nearer {
            self.limit = self.share * near.distance();
            self.best = Some(((slot_a, slot_b), near));
        }
    }
}

/// True if the plane of one of the triangles shows that they are farther apart than `limit`.
fn plane_keeps_apart(a: &[DVec3; 3], b: &[DVec3; 3], limit: f64) -> bool {
    [(a, b), (b, a)].into_iter().any(|(face, other)| {
        let Some(normal) = area_normal(face) else { return false };
        let [x, y, z] = other.map(|p| normal.dot(p - face[0]));
        let gap = x.min(y).min(z).max(-x.max(y).max(z));
        // Rounding of the three heights: a few units in the last place of the lengths involved.
        let size: f64 = other.iter().map(|p| (*p - face[0]).abs().element_sum()).sum();
        let least = (limit + 8.0 * f64::EPSILON * size) * (1.0 + 1e-9);
        gap > 0.0 && gap * gap > least * least * normal.length_squared()
    })
}

/// A contact in the world from nearest points in B's frame.
pub(crate) fn contact_point(
    near: &TriangleDistance,
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    (triangle_a, triangle_b): (u32, u32),
    pose_b: &Pose,
) -> ContactPoint {
    let normal = (near.squared > 0.0)
        .then(|| unit(near.connection))
        .flatten()
        .unwrap_or_else(|| direction_without_gap(a, b));
    ContactPoint {
        on_a: pose_b.transform_point(near.on_a),
        on_b: pose_b.transform_point(near.on_b),
        normal: pose_b.transform_vector(normal),
        gap: near.distance(),
        features: FeaturePair {
            on_a: feature(near.part_a, triangle_a),
            on_b: feature(near.part_b, triangle_b),
        },
    }
}

fn feature(part: Part, triangle: u32) -> Feature {
    match part {
        Part::Corner(corner) => Feature::Vertex { triangle, corner },
        Part::Edge(edge) => Feature::Edge { triangle, edge },
        Part::Inside => Feature::Face { triangle },
    }
}

/// For triangles without a gap: a face's normal towards A's middle, or just the way from middle to middle.
pub(crate) fn direction_without_gap(a: &[DVec3; 3], b: &[DVec3; 3]) -> DVec3 {
    let towards = a.iter().sum::<DVec3>() - b.iter().sum::<DVec3>();
    let normal = area_normal(b).or_else(|| area_normal(a)).and_then(unit);
    match normal {
        Some(normal) if normal.dot(towards) < 0.0 => -normal,
        Some(normal) => normal,
        None => unit(towards).unwrap_or(DVec3::Y),
    }
}

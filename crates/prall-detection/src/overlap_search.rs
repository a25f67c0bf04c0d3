//! Do two bodies meet at an instant? As [`crate::overlap`], but it can be interrupted after every test, goes on where
//! it was, and knows how far apart the bodies can be at most when it is cut short.

use std::ops::Range;

use prall_geometry::{Cuboid, Shape};
use prall_math::{Norm, Pose};

use crate::box_errors::BoxErrors;
use crate::budget::Budget;
use crate::contact::ContactPoint;
use crate::convex::{Separation, separation_in_place};
use crate::distance::contact_point;
use crate::hierarchy::lanes::near;
use crate::hierarchy::{Hierarchy, NodeBox};
use crate::node_pair::{NodePair, Opening, for_each_bit};
use crate::placement::Placement;
use crate::time_queue::Item;
use crate::triangle::{triangle_distance, triangles_overlap};

/// The axes of boxes are in single precision, their halves outward: what a distance of boxes may be off by, as a
/// fraction of their radii.
const BOX_ROUNDING: f64 = 4e-6;

/// Pairs of nodes or triangles that wait to be tested.
pub(crate) type Stack = Vec<(Item, Item)>;

/// A test of two bodies in their poses; one unit of work is one box against eight, or two triangles.
pub(crate) struct OverlapSearch {
    poses: [Pose; 2],
    placement: Placement,
    /// The triangles are thicker by this much in all, in metres.
    thickness: f64,
    stack: Stack,
    found: Option<ContactPoint>,
    /// Of all pairs of boxes that were not found apart, the one with the smallest sum of errors.
    indicator: Option<(f64, u32, u32)>,
}

impl OverlapSearch {
    /// Gets ready; no work yet. The memory of `stack` is used and can be taken back with [`OverlapSearch::end`].
    pub(crate) fn new(poses: [Pose; 2], thickness: f64, stack: &mut Stack) -> OverlapSearch {
        let mut stack = std::mem::take(stack);
        stack.clear();
        stack.push((Item::Node(0), Item::Node(0)));
        let placement = Placement::new(&poses[0], &poses[1]);
        OverlapSearch { poses, placement, thickness, stack, found: None, indicator: None }
    }

    /// Gives the memory of the stack back.
    pub(crate) fn end(self) -> Stack {
        self.stack
    }

    /// Goes on until the bodies are known to meet (with the place) or not, or the budget refuses a unit: then true.
    ///
    /// If both have errors, the pair of boxes that says most about their distance is kept up to date on the way.
    pub(crate) fn advance(
        &mut self,
        [a, b]: [&Hierarchy; 2],
        errors: Option<[&BoxErrors; 2]>,
        budget: &mut Budget,
    ) -> (Option<ContactPoint>, bool) {
        while self.found.is_none()
            && let Some(pair) = self.stack.pop()
        {
            let refused = match pair {
                (Item::Node(node_a), Item::Node(node_b)) => {
                    if let Some([errors_a, errors_b]) = errors {
                        let sum = errors_a.of(node_a) + errors_b.of(node_b);
                        if self.indicator.is_none_or(|(least, ..)| sum < least) {
                            self.indicator = Some((sum, node_a, node_b));
                        }
                    }
                    match NodePair::new(a, node_a, b, node_b) {
                        NodePair::Leaves(range_a, range_b) => {
                            self.push_triangles(range_a, &range_b);
                            false
                        }
                        NodePair::Open(opening) if budget.take() => {
                            self.open(&opening);
                            false
                        }
                        NodePair::Open(_) => true,
                    }
                }
                (Item::Triangle(slot_a), Item::Triangle(slot_b)) if budget.take() => {
                    self.triangles([a, b], slot_a, slot_b);
                    false
                }
                // Pairs are made of equals only.
                _ => true,
            };
            if refused {
                self.stack.push(pair);
                return (None, true);
            }
        }
        (self.found, false)
    }

    /// The triangles of two leaves are next.
    fn push_triangles(&mut self, range_a: Range<u32>, range_b: &Range<u32>) {
        for slot_a in range_a.rev() {
            for slot_b in range_b.clone().rev() {
                self.stack.push((Item::Triangle(slot_a), Item::Triangle(slot_b)));
            }
        }
    }

    fn triangles(&mut self, [a, b]: [&Hierarchy; 2], slot_a: u32, slot_b: u32) {
        let (on_a, on_b) = (self.placement.a_to_b.triangle(a.at_slot(slot_a)), *b.at_slot(slot_b));
        let meet = if self.thickness > 0.0 {
            triangle_distance(&on_a, &on_b).distance() <= self.thickness
        } else {
            triangles_overlap(&on_a, &on_b)
        };
        if meet {
            let near = triangle_distance(&on_a, &on_b);
            let sources = (a.source(slot_a), b.source(slot_b));
            self.found = Some(contact_point(&near, &on_a, &on_b, sources, &self.poses[1]));
        }
    }

    fn open(&mut self, opening: &Opening<'_>) {
        let distance = (self.thickness * (1.0 + 1e-6)) as f32;
        for_each_bit(near(opening.group, &opening.single(&self.placement), distance), |lane| {
            let (node_a, node_b) = opening.pair(lane);
            self.stack.push((Item::Node(node_a), Item::Node(node_b)));
        });
    }

    /// The bodies are not farther apart than this, in metres, and where the boxes are that say so.
    ///
    /// Printed, the largest sum of errors over all pairs that wait is reported. Each of them is a bound of its own, so the
    /// smallest is one too; and boxes that were not found apart may still be, by a distance that is added.
    pub(crate) fn gap_at_most(&self, [a, b]: [&Hierarchy; 2]) -> Option<(f64, Separation)> {
        let (sum, node_a, node_b) = self.indicator?;
        let boxes = [&a.nodes[node_a as usize], &b.nodes[node_b as usize]];
        let (distance, separation) = box_distance(boxes, self.poses)?;
        Some(((sum + distance - self.thickness).max(0.0), separation))
    }
}

/// How far apart two boxes are at most, in the poses of their bodies; 0 if they share a point.
pub(crate) fn box_distance(boxes: [&NodeBox; 2], poses: [Pose; 2]) -> Option<(f64, Separation)> {
    let [a, b] = [0, 1].map(|side| as_shape(boxes[side], &poses[side]));
    let ((shape_a, at_a), (shape_b, at_b)) = (a?, b?);
    let separation = separation_in_place(&shape_a, &at_a, &shape_b, &at_b)?;
    let rounding = BOX_ROUNDING * f64::from(boxes[0].radius + boxes[1].radius);
    Some((separation.gap.max(0.0) + rounding, separation))
}

fn as_shape(node: &NodeBox, pose: &Pose) -> Option<(Shape, Pose)> {
    let [x, y, z] = node.axes.map(|axis| glam::DVec3::from_array(axis.map(f64::from)));
    // A frame of the other hand is one of this hand with an axis turned round, and the same box.
    let z = if x.cross(y).dot(z) < 0.0 { -z } else { z };
    let rotation = glam::DQuat::from_mat3(&glam::DMat3::from_cols(x, y, z)).unit();
    let half = glam::DVec3::from_array(node.half.map(f64::from));
    let shape = Shape::Box(Cuboid::new(half.max(glam::DVec3::splat(f64::MIN_POSITIVE))).ok()?);
    Some((shape, *pose * Pose::new(rotation, node.centre)))
}

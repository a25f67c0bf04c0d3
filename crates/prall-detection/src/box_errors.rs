//! [`BoxErrors`]: how far each box of a hierarchy can be from what it contains (Eckstein 1998, sections 3.8 and 8.3).
//!
//! The directed Hausdorff distance e(h, F) = max over x in h of min over y in F of |x - y|. Where two boxes share a
//! point, their contents are not farther apart than the sum of their e: an upper bound of the distance without a look
//! at any triangle. Printed, h is the surface of the box, and the bound fails where one box lies inside the other; here h
//! is the solid box.
//!
//! The distance from a convex set is a convex function, so over a box it is largest at a corner. For one triangle that
//! is e; for several, the box is divided, and each piece R has the upper bound max over its corners of the distance
//! from the triangle T that is nearest to its middle. The piece with the largest bound is divided first.

use prall_math::Norm;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;
use prall_geometry::closest;

use crate::hierarchy::{Content, Hierarchy, NodeBox};

/// Pieces are divided until the bound exceeds the largest distance that was found by no more than this fraction, or
const ACCURACY: f64 = 0.1;

/// there are so many of them.
const MOST_PIECES: usize = 32;

/// The axes of boxes are in single precision: corners are off by less than this fraction of the radius.
const FRAME_ROUNDING: f64 = 1e-6;

/// Upper bounds, in metres, of the distance from any point of a node's box to the nearest of its triangles.
#[derive(Clone, Debug)]
pub(crate) struct BoxErrors {
    of_nodes: Vec<f32>,
}

impl BoxErrors {
    pub(crate) fn new(hierarchy: &Hierarchy) -> BoxErrors {
        let mut search = Nearest { hierarchy, stack: Vec::new() };
        let of_nodes = (0..hierarchy.nodes.len() as u32).map(|node| error(&mut search, node)).collect();
        BoxErrors { of_nodes }
    }

    pub(crate) fn of(&self, node: u32) -> f64 {
        f64::from(self.of_nodes[node as usize])
    }
}

/// A part of a box along its axes.
#[derive(Clone, Copy)]
struct Piece {
    middle: DVec3,
    half: DVec3,
    nearest: u32,
    at_most: f64,
}

impl PartialEq for Piece {
    fn eq(&self, other: &Piece) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Piece {}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Piece) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Piece {
    fn cmp(&self, other: &Piece) -> Ordering {
        self.at_most.total_cmp(&other.at_most)
    }
}

fn error(search: &mut Nearest<'_>, node: u32) -> f32 {
    let this = search.hierarchy.nodes[node as usize];
    let half = DVec3::from_array(this.half.map(f64::from));
    let Content::Triangles(first) = first_leaf(search.hierarchy, node).link.content() else { return 0.0 };
    let mut known = 0.0_f64;
    let mut divided = |search: &mut Nearest<'_>, middle: DVec3, half: DVec3, hint: u32| {
        let (nearest, distance) = search.triangle(node, middle, hint);
        known = known.max(distance);
        let triangle = *search.hierarchy.at_slot(nearest);
        let away = |corner: DVec3| (corner - closest::on_triangle(corner, triangle)).norm();
        let at_most = corners(&this, middle, half).into_iter().map(away).fold(0.0, f64::max);
        (Piece { middle, half, nearest, at_most }, known)
    };
    let mut pieces = BinaryHeap::new();
    let (whole, mut least) = divided(search, this.centre, half, first.start);
    pieces.push(whole);
    let single = first.len() == 1 && this.link.is_leaf();
    while let Some(widest) = pieces.pop() {
        if single || widest.at_most <= least * (1.0 + ACCURACY) || pieces.len() + 2 > MOST_PIECES {
            // Outward by more than all rounding.
            let error = widest.at_most * (1.0 + 1e-6) + FRAME_ROUNDING * f64::from(this.radius);
            return (error as f32).next_up();
        }
        let longest = (0..3).fold(0, |best, k| if widest.half[k] > widest.half[best] { k } else { best });
        let mut smaller = widest.half;
        smaller[longest] *= 0.5;
        let step = axis(&this, longest) * smaller[longest];
        for middle in [widest.middle - step, widest.middle + step] {
            let piece;
            (piece, least) = divided(search, middle, smaller, widest.nearest);
            pieces.push(piece);
        }
    }
    f32::INFINITY
}

fn first_leaf(hierarchy: &Hierarchy, node: u32) -> &NodeBox {
    let this = &hierarchy.nodes[node as usize];
    match this.link.content() {
        Content::Group(group) => first_leaf(hierarchy, hierarchy.groups[group].first),
        Content::Triangles(_) => this,
    }
}

fn axis(node: &NodeBox, k: usize) -> DVec3 {
    DVec3::from_array(node.axes[k].map(f64::from))
}

fn corners(node: &NodeBox, middle: DVec3, half: DVec3) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let along = |k: usize| axis(node, k) * if i >> k & 1 == 1 { half[k] } else { -half[k] };
        middle + along(0) + along(1) + along(2)
    })
}

/// The triangle below a node that is nearest to a point.
struct Nearest<'a> {
    hierarchy: &'a Hierarchy,
    stack: Vec<u32>,
}

impl Nearest<'_> {
    /// `hint` is a triangle that may be near.
    fn triangle(&mut self, node: u32, point: DVec3, hint: u32) -> (u32, f64) {
        let away = |slot: u32| (point - closest::on_triangle(point, *self.hierarchy.at_slot(slot))).norm();
        let (mut best, mut least) = (hint, away(hint));
        self.stack.clear();
        self.stack.push(node);
        while let Some(node) = self.stack.pop() {
            let this = &self.hierarchy.nodes[node as usize];
            let offset = point - this.centre;
            let outside =
                (0..3).map(|k| (axis(this, k).dot(offset).abs() - f64::from(this.half[k])).max(0.0));
            // A box that is a little nearer than it seems costs time only.
            if outside.map(|x| x * x).sum::<f64>() > least * least {
                continue;
            }
            match this.link.content() {
                Content::Group(group) => {
                    let group = &self.hierarchy.groups[group];
                    self.stack.extend(group.first..group.first + group.count);
                }
                Content::Triangles(range) => {
                    for slot in range {
                        let distance = away(slot);
                        if distance < least {
                            (best, least) = (slot, distance);
                        }
                    }
                }
            }
        }
        (best, least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::BuildOptions;
    use crate::random::Random;

    /// Points of boxes, corners and middles included, against all triangles below them; and the bound is not far above
    /// the largest distance that sampling finds.
    #[test]
    fn no_point_of_a_box_is_farther_from_its_triangles_than_its_error() {
        let mut random = Random::new(81);
        let triangles: Vec<[DVec3; 3]> = (0..120)
            .map(|_| {
                let p = random.vector(1.0);
                [p, p + random.vector(0.3), p + random.vector(0.3)]
            })
            .collect();
        for leaf_size in [1, 3] {
            let hierarchy = Hierarchy::build(&triangles, &BuildOptions { leaf_size }).expect("a body");
            let errors = BoxErrors::new(&hierarchy);
            let mut sums = [0.0; 2];
            for (index, node) in hierarchy.nodes.iter().enumerate() {
                let mut below = vec![index as u32];
                let mut slots = Vec::new();
                while let Some(node) = below.pop() {
                    match hierarchy.nodes[node as usize].link.content() {
                        Content::Group(group) => {
                            let group = &hierarchy.groups[group];
                            below.extend(group.first..group.first + group.count);
                        }
                        Content::Triangles(range) => slots.extend(range),
                    }
                }
                let half = DVec3::from_array(node.half.map(f64::from));
                let mut farthest = 0.0_f64;
                for sample in 0..400 {
                    let mut share = random.vector(1.0);
                    if sample % 4 == 0 {
                        share = share.signum();
                    }
                    let point =
                        (0..3).map(|k| axis(node, k) * half[k] * share[k]).sum::<DVec3>() + node.centre;
                    let away = |slot: &u32| {
                        (point - closest::on_triangle(point, *hierarchy.at_slot(*slot))).length()
                    };
                    let distance = slots.iter().map(away).fold(f64::INFINITY, f64::min);
                    assert!(distance <= errors.of(index as u32), "{distance} in node {index}");
                    farthest = farthest.max(distance);
                }
                sums[0] += farthest;
                sums[1] += errors.of(index as u32);
            }
            assert!(sums[1] < 1.5 * sums[0], "{sums:?}");
        }
    }
}

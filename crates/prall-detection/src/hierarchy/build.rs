//! Top-down construction of a binary tree of oriented boxes.
//!
//! A node's box follows the principal axes of its triangles, the axes of the body, or (for few triangles) the
//! edges of one of them, whichever gives the least surface. It is split along one of its own axes where the
//! surface area heuristic expects the least work: area times count, summed over both sides.

use glam::{DMat3, DVec3};

use super::frame::{Extent, frame_of, principal_axes};
use crate::triangle::area_normal;

/// Bins per axis for the surface area heuristic; more gain nothing measurable.
const BINS: usize = 16;

/// Up to this many triangles, every triangle's edge frames are tried for the box.
const EDGE_FRAME_LIMIT: usize = 8;

/// Below this depth splits are by count, which bounds the depth of the tree whatever the input.
const DEPTH_LIMIT: usize = 64;

/// A node of the binary tree: a range of the triangle order, its frame, and two halves.
pub(crate) struct Branch {
    pub(crate) start: usize,
    pub(crate) count: usize,
    pub(crate) frame: DMat3,
    pub(crate) centre: DVec3,
    pub(crate) radius: f64,
    pub(crate) halves: Option<Box<[Branch; 2]>>,
}

/// Builds the tree over `order`, which is permuted so that every node covers a range of it. On any number of
/// threads the result is the same: halves know nothing of each other.
pub(super) fn build_binary(
    triangles: &[[DVec3; 3]],
    order: &mut [u32],
    leaf_size: usize,
    pool: Option<&rayon::ThreadPool>,
) -> Branch {
    let builder = Builder { triangles, leaf_size, parallel: pool.is_some() };
    match pool {
        Some(pool) => pool.install(|| builder.branch(order, 0, 0)),
        None => builder.branch(order, 0, 0),
    }
}

struct Builder<'a> {
    triangles: &'a [[DVec3; 3]],
    leaf_size: usize,
    parallel: bool,
}

/// Halves with fewer triangles are not worth a task of their own.
const WORTH_A_TASK: usize = 2048;

impl Builder<'_> {
    fn branch(&self, order: &mut [u32], start: usize, depth: usize) -> Branch {
        let (frame, extent) = self.fit(order);
        let centre = frame * (0.5 * (extent.low + extent.high));
        let radius = self.points(order).map(|p| p.distance_squared(centre)).fold(0.0, f64::max).sqrt();
        let count = order.len();
        let halves = (count > self.leaf_size).then(|| {
            let middle = self.split(order, &frame, &extent, depth);
            let (left, right) = order.split_at_mut(middle);
            let first = |left| self.branch(left, start, depth + 1);
            let second = |right| self.branch(right, start + middle, depth + 1);
            let (first, second) = if self.parallel && count > WORTH_A_TASK {
                rayon::join(|| first(left), || second(right))
            } else {
                (first(left), second(right))
            };
            Box::new([first, second])
        });
        Branch { start, count, frame, centre, radius, halves }
    }

    fn points<'a>(&'a self, order: &'a [u32]) -> impl Iterator<Item = DVec3> + 'a {
        order.iter().flat_map(|&t| self.triangles[t as usize])
    }

    fn extent(&self, order: &[u32], frame: &DMat3) -> Extent {
        let inverse = frame.transpose();
        let mut extent = Extent::EMPTY;
        for point in self.points(order) {
            extent.include(inverse * point);
        }
        extent
    }

    /// The frame of least surface among the candidates, with the extent along it.
    fn fit(&self, order: &[u32]) -> (DMat3, Extent) {
        let mut best = (DMat3::IDENTITY, self.extent(order, &DMat3::IDENTITY));
        let mut try_frame = |frame: DMat3| {
            let extent = self.extent(order, &frame);
            if extent.half_area() < best.1.half_area() {
                best = (frame, extent);
            }
        };
        if order.len() > 1 {
            try_frame(self.principal_frame(order));
        }
        if order.len() <= EDGE_FRAME_LIMIT {
            for &t in order {
                edge_frames(&self.triangles[t as usize]).into_iter().flatten().for_each(&mut try_frame);
            }
        }
        best
    }

    /// Principal axes of the surface: covariance of the triangles, weighted by area.
    ///
    /// For a triangle with corners p, q, r, centroid m and area A the integral of x x^T over it is
    /// A/12 (9 m m^T + p p^T + q q^T + r r^T).
    fn principal_frame(&self, order: &[u32]) -> DMat3 {
        let origin = self.triangles[order[0] as usize][0];
        let (mut area, mut first, mut diagonal, mut mixed) = (0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for &t in order {
            let [p, q, r] = self.triangles[t as usize].map(|x| x - origin);
            let weight = (q - p).cross(r - p).length();
            let sum = p + q + r;
            area += weight;
            first += weight * sum;
            diagonal += weight * (sum * sum + p * p + q * q + r * r);
            let turned = |x: DVec3| DVec3::new(x.y * x.z, x.z * x.x, x.x * x.y);
            mixed += weight * (turned(sum) + turned(p) + turned(q) + turned(r));
        }
        if area == 0.0 {
            return DMat3::IDENTITY;
        }
        let mean = first / (3.0 * area);
        let d = diagonal / (12.0 * area) - mean * mean;
        let m = mixed / (12.0 * area) - DVec3::new(mean.y * mean.z, mean.z * mean.x, mean.x * mean.y);
        principal_axes(DMat3::from_cols(
            DVec3::new(d.x, m.z, m.y),
            DVec3::new(m.z, d.y, m.x),
            DVec3::new(m.y, m.x, d.z),
        ))
    }

    /// Permutes `order` and returns where its second half starts; both halves have at least one triangle.
    fn split(&self, order: &mut [u32], frame: &DMat3, extent: &Extent, depth: usize) -> usize {
        let inverse = frame.transpose();
        let centre = |t: u32| {
            let [p, q, r] = self.triangles[t as usize];
            inverse * ((p + q + r) / 3.0)
        };
        if depth < DEPTH_LIMIT
            && let Some(plane) = self.best_plane(order, &inverse)
        {
            let mut middle = 0;
            for i in 0..order.len() {
                if plane.is_left(centre(order[i])) {
                    order.swap(i, middle);
                    middle += 1;
                }
            }
            if 0 < middle && middle < order.len() {
                return middle;
            }
        }
        let axis = longest_axis(extent.high - extent.low);
        order.sort_by(|&s, &t| centre(s)[axis].total_cmp(&centre(t)[axis]).then(s.cmp(&t)));
        order.len() / 2
    }

    /// The plane of least expected work; none if all centroids coincide.
    fn best_plane(&self, order: &[u32], inverse: &DMat3) -> Option<Plane> {
        let mut centres = Extent::EMPTY;
        for &t in order {
            let [p, q, r] = self.triangles[t as usize];
            centres.include(inverse * ((p + q + r) / 3.0));
        }
        let scale = DVec3::splat(BINS as f64) / (centres.high - centres.low);
        let mut bins = [[Bin::EMPTY; BINS]; 3];
        for &t in order {
            let corners = self.triangles[t as usize].map(|x| *inverse * x);
            let place =
                (*inverse * (self.triangles[t as usize].iter().sum::<DVec3>() / 3.0) - centres.low) * scale;
            let box_of = Extent {
                low: corners[0].min(corners[1]).min(corners[2]),
                high: corners[0].max(corners[1]).max(corners[2]),
            };
            for axis in 0..3 {
                let bin = &mut bins[axis][bin_of(place[axis])];
                bin.count += 1;
                bin.extent = bin.extent.union(&box_of);
            }
        }
        let mut best: Option<(f64, Plane)> = None;
        for (axis, bins) in bins.iter().enumerate() {
            // NaN and infinity, for an axis without extent, are not finite either.
            if !scale[axis].is_finite() {
                continue;
            }
            let mut right_cost = [0.0; BINS];
            let mut right = Bin::EMPTY;
            for i in (1..BINS).rev() {
                right = right.union(&bins[i]);
                right_cost[i] = right.cost();
            }
            let mut left = Bin::EMPTY;
            for i in 1..BINS {
                left = left.union(&bins[i - 1]);
                let cost = left.cost() + right_cost[i];
                let splits = left.count > 0 && left.count < order.len();
                if splits && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    let plane = Plane { axis, low: centres.low[axis], scale: scale[axis], bin: i };
                    best = Some((cost, plane));
                }
            }
        }
        best.map(|(_, plane)| plane)
    }
}

struct Plane {
    axis: usize,
    low: f64,
    scale: f64,
    bin: usize,
}

impl Plane {
    fn is_left(&self, centre: DVec3) -> bool {
        bin_of((centre[self.axis] - self.low) * self.scale) < self.bin
    }
}

fn bin_of(place: f64) -> usize {
    // The cast saturates: NaN and negative numbers become 0.
    (place as usize).min(BINS - 1)
}

#[derive(Clone, Copy)]
struct Bin {
    count: usize,
    extent: Extent,
}

impl Bin {
    const EMPTY: Bin = Bin { count: 0, extent: Extent::EMPTY };

    fn union(&self, other: &Bin) -> Bin {
        Bin { count: self.count + other.count, extent: self.extent.union(&other.extent) }
    }

    fn cost(&self) -> f64 {
        self.count as f64 * self.extent.half_area()
    }
}

/// The three frames with an axis along an edge of the triangle and one along its normal.
fn edge_frames(triangle: &[DVec3; 3]) -> [Option<DMat3>; 3] {
    let [p, q, r] = *triangle;
    let edges = [q - p, r - q, p - r];
    match area_normal(triangle) {
        Some(normal) => edges.map(|edge| frame_of(normal, edge)),
        // A needle: along its longest edge, anyhow across.
        None => {
            let longest = edges.into_iter().fold(DVec3::ZERO, |longest, edge| {
                if edge.length_squared() > longest.length_squared() { edge } else { longest }
            });
            let across = if longest.x.abs() < 0.6 * longest.length() { DVec3::X } else { DVec3::Y };
            [frame_of(longest, across), None, None]
        }
    }
}

fn longest_axis(extent: DVec3) -> usize {
    (1..3).fold(0, |longest, axis| if extent[axis] > extent[longest] { axis } else { longest })
}

//! Top-down construction of a binary tree of oriented boxes.
//!
//! A node's box follows the principal axes of its triangles, the axes of the body, or (for few triangles) the
//! edges of one of them, whichever gives the least surface. It is split along one of its own axes where the
//! surface area heuristic expects the least work: area times count, summed over both sides.

use glam::{DMat3, DVec3};

use super::frame::{Extent, frame_of, principal_axes};
use crate::triangle::area_normal;
use prall_math::Norm;

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

/// A triangle on its way to its leaf. The corners go with it: what a node looks at lies side by side in memory.
pub(super) struct Item {
    corners: [DVec3; 3],
    pub(super) source: u32,
}

/// Builds the tree over triangles, which come back in an order in which every node covers a range. On any number of
/// threads the result is the same: halves know nothing of each other.
pub(super) fn build_binary(
    triangles: &[[DVec3; 3]],
    leaf_size: usize,
    pool: Option<&rayon::ThreadPool>,
) -> (Branch, Vec<Item>) {
    let mut items: Vec<Item> =
        (0..).zip(triangles).map(|(source, &corners)| Item { corners, source }).collect();
    let builder = Builder { leaf_size, parallel: pool.is_some() };
    let root = match pool {
        Some(pool) => pool.install(|| builder.branch(&mut items, 0, 0)),
        None => builder.branch(&mut items, 0, 0),
    };
    (root, items)
}

struct Builder {
    leaf_size: usize,
    parallel: bool,
}

/// Halves with fewer triangles are not worth a task of their own.
const WORTH_A_TASK: usize = 2048;

impl Item {
    fn centroid(&self) -> DVec3 {
        let [p, q, r] = self.corners;
        (p + q + r) / 3.0
    }
}

fn points(items: &[Item]) -> impl Iterator<Item = DVec3> + '_ {
    items.iter().flat_map(|item| item.corners)
}

fn extent(items: &[Item], frame: &DMat3) -> Extent {
    let inverse = frame.transpose();
    let mut extent = Extent::EMPTY;
    for point in points(items) {
        extent.include(inverse * point);
    }
    extent
}

/// The frame of least surface among the candidates, with the extent along it.
fn fit(items: &[Item]) -> (DMat3, Extent) {
    let (upright, moments) = moments(items);
    let mut best = (DMat3::IDENTITY, upright);
    let mut try_frame = |frame: DMat3| {
        let extent = extent(items, &frame);
        if extent.half_area() < best.1.half_area() {
            best = (frame, extent);
        }
    };
    if items.len() > 1 {
        try_frame(moments.principal_frame());
    }
    if items.len() <= EDGE_FRAME_LIMIT {
        for item in items {
            edge_frames(&item.corners).into_iter().flatten().for_each(&mut try_frame);
        }
    }
    best
}

/// Integrals over the surface of triangles, about a corner of the first.
///
/// For a triangle with corners p, q, r, centroid m and area A the integral of x x^T over it is
/// A/12 (9 m m^T + p p^T + q q^T + r r^T).
struct Moments {
    area: f64,
    first: DVec3,
    diagonal: DVec3,
    mixed: DVec3,
}

/// The extent along the axes of the body, and the moments.
fn moments(items: &[Item]) -> (Extent, Moments) {
    let origin = items[0].corners[0];
    let mut extent = Extent::EMPTY;
    let mut sums = Moments { area: 0.0, first: DVec3::ZERO, diagonal: DVec3::ZERO, mixed: DVec3::ZERO };
    for item in items {
        item.corners.into_iter().for_each(|corner| extent.include(corner));
        let [p, q, r] = item.corners.map(|x| x - origin);
        let weight = ((q - p).cross(r - p)).norm();
        let sum = p + q + r;
        let turned = |x: DVec3| DVec3::new(x.y * x.z, x.z * x.x, x.x * x.y);
        sums.area += weight;
        sums.first += weight * sum;
        sums.diagonal += weight * (sum * sum + p * p + q * q + r * r);
        sums.mixed += weight * (turned(sum) + turned(p) + turned(q) + turned(r));
    }
    (extent, sums)
}

impl Moments {
    /// Principal axes of the surface: covariance of the triangles, weighted by area.
    fn principal_frame(&self) -> DMat3 {
        let Moments { area, first, diagonal, mixed } = *self;
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
}

/// The radius about a centre, and the extent of the centroids in a frame.
fn radius_and_centroids(items: &[Item], centre: DVec3, inverse: &DMat3) -> (f64, Extent) {
    let mut squared = 0.0_f64;
    let mut centroids = Extent::EMPTY;
    for item in items {
        for corner in item.corners {
            squared = squared.max(corner.distance_squared(centre));
        }
        centroids.include(*inverse * item.centroid());
    }
    (squared.sqrt(), centroids)
}

impl Builder {
    fn branch(&self, items: &mut [Item], start: usize, depth: usize) -> Branch {
        let (frame, extent) = fit(items);
        let centre = frame * (0.5 * (extent.low + extent.high));
        let (radius, centroids) = radius_and_centroids(items, centre, &frame.transpose());
        let count = items.len();
        let halves = (count > self.leaf_size).then(|| {
            let middle = split(items, &frame, &extent, &centroids, depth);
            let (left, right) = items.split_at_mut(middle);
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
}

/// Permutes the triangles and returns where the second half starts; both halves have at least one.
fn split(items: &mut [Item], frame: &DMat3, extent: &Extent, centroids: &Extent, depth: usize) -> usize {
    let inverse = frame.transpose();
    let place = |item: &Item| inverse * item.centroid();
    // Two can be told apart in one way only.
    if items.len() > 2
        && depth < DEPTH_LIMIT
        && let Some(plane) = best_plane(items, &inverse, centroids)
    {
        let mut middle = 0;
        for i in 0..items.len() {
            if plane.is_left(place(&items[i])) {
                items.swap(i, middle);
                middle += 1;
            }
        }
        if 0 < middle && middle < items.len() {
            return middle;
        }
    }
    let axis = longest_axis(extent.high - extent.low);
    items.sort_by(|s, t| place(s)[axis].total_cmp(&place(t)[axis]).then(s.source.cmp(&t.source)));
    items.len() / 2
}

/// The plane of least expected work; none if all centroids coincide.
fn best_plane(items: &[Item], inverse: &DMat3, centroids: &Extent) -> Option<Plane> {
    let scale = DVec3::splat(BINS as f64) / (centroids.high - centroids.low);
    let mut bins = [[Bin::EMPTY; BINS]; 3];
    for item in items {
        let mut box_of = Extent::EMPTY;
        item.corners.into_iter().for_each(|corner| box_of.include(*inverse * corner));
        let place = ((*inverse * item.centroid() - centroids.low) * scale).to_array();
        for (bins, place) in bins.iter_mut().zip(place) {
            let bin = &mut bins[bin_of(place)];
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
            let splits = left.count > 0 && left.count < items.len();
            if splits && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                let plane = Plane { axis, low: centroids.low[axis], scale: scale[axis], bin: i };
                best = Some((cost, plane));
            }
        }
    }
    best.map(|(_, plane)| plane)
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
    // The cast saturates, and NaN becomes 0; it is to 32 bits because the processor has an instruction for that.
    (place as i32).clamp(0, BINS as i32 - 1) as usize
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
            let across = if longest.x.abs() < 0.6 * longest.norm() { DVec3::X } else { DVec3::Y };
            [frame_of(longest, across), None, None]
        }
    }
}

fn longest_axis(extent: DVec3) -> usize {
    (1..3).fold(0, |longest, axis| if extent[axis] > extent[longest] { axis } else { longest })
}

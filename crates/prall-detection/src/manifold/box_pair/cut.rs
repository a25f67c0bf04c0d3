//! The face of a box that looks at a face of another, cut to it.
//!
//! Everything happens in the frame of the face: x and y along its edges, z the height above it.

use glam::DVec3;

use super::super::anchored::{Anchor, Anchored, Body, Relative};
use super::super::reduce::{Candidate, best_first};
use super::{AFTER, Face, largest};
use crate::contact::{Feature, FeaturePair, ShapePart};

/// Four corners, and one more for each border that cuts one off.
const MOST_CORNERS: usize = 8;

/// Where a corner of the cut comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// A corner of the other face.
    Corner(u8),
    /// An edge of the other face, at a border of this one.
    Crossing(u8, u8),
    /// The corner between two borders of this face.
    Limit(u8, u8),
}

/// A line that a side of the cut lies on.
#[derive(Clone, Copy, Debug)]
enum Side {
    /// Edge of the other face, from the corner of the same number to the next.
    Edge(u8),
    /// Border of this face: 0 at larger x, 1 at larger y, 2 and 3 opposite; border k runs from corner k to the next.
    Border(u8),
}

/// A corner of the cut.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    at: DVec3,
    origin: Origin,
    /// The side to the next corner.
    side: Side,
}

#[derive(Clone, Copy, Debug)]
struct Polygon {
    vertices: [Vertex; MOST_CORNERS],
    count: usize,
}

/// The cut, with what is needed to say where its corners are on both boxes.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    face: Face,
    other: Face,
    /// Pose of the other box in the frame of this face.
    columns: [DVec3; 3],
    centre: DVec3,
    polygon: Polygon,
}

/// Signs of the corners of a face along the two axes after its own, in order around.
const AROUND: [(f64, f64); 4] = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];

impl Face {
    fn corner(&self, i: u8) -> DVec3 {
        let (su, sw) = AROUND[usize::from(i % 4)];
        let (u, w) = AFTER[self.axis];
        let mut corner = [0.0; 3];
        corner[self.axis] = self.side * self.half[self.axis];
        corner[u] = su * self.half[u];
        corner[w] = sw * self.half[w];
        DVec3::from(corner)
    }

    fn corner_number(&self, i: u8) -> u32 {
        let (su, sw) = AROUND[usize::from(i % 4)];
        let (u, w) = AFTER[self.axis];
        u32::from(self.side > 0.0) << self.axis | u32::from(su > 0.0) << u | u32::from(sw > 0.0) << w
    }

    /// The edge from a corner to the next.
    fn edge_part(&self, i: u8) -> ShapePart {
        let (from, to) = (self.corner_number(i), self.corner_number(i + 1));
        ShapePart::Edge(from.min(to), from.max(to))
    }

    fn part(&self) -> ShapePart {
        ShapePart::Face(2 * self.axis as u32 + u32::from(self.side > 0.0))
    }
}

impl Cut {
    /// Cuts the face of a box of half edges `half` that looks most at `face`. Places nearer than `tolerance` are one.
    pub(super) fn new(face: Face, half: [f64; 3], placed: &Relative, tolerance: f64) -> Cut {
        let (u, w) = AFTER[face.axis];
        let in_face = |v: DVec3| {
            let v = v.to_array();
            DVec3::new(v[u], v[w], face.side * v[face.axis])
        };
        let rotation = &placed.rotation;
        let columns = [in_face(rotation.x_axis), in_face(rotation.y_axis), in_face(rotation.z_axis)];
        let mut centre = in_face(placed.translation);
        centre.z -= face.half[face.axis];
        let up = columns.map(|column| column.z);
        let axis = largest(up.map(f64::abs));
        let other = Face { half, axis, side: if up[axis] > 0.0 { -1.0 } else { 1.0 } };
        let (s, t) = AFTER[axis];
        let middle = centre + columns[axis] * (other.side * half[axis]);
        let (along, across) = (columns[s] * half[s], columns[t] * half[t]);
        let corner = |number: u8| {
            let (su, sw) = AROUND[usize::from(number)];
            Vertex {
                at: middle + along * su + across * sw,
                origin: Origin::Corner(number),
                side: Side::Edge(number),
            }
        };
        let corners = [0, 1, 2, 3, 0, 1, 2, 3].map(corner);
        let mut polygon = Polygon { vertices: corners, count: 4 };
        let (right, top) = (face.half[u], face.half[w]);
        polygon.trim(0, |at| right - at.x, tolerance);
        polygon.trim(1, |at| top - at.y, tolerance);
        polygon.trim(2, |at| right + at.x, tolerance);
        polygon.trim(3, |at| top + at.y, tolerance);
        Cut { face, other, columns, centre, polygon }
    }

    /// Height of the lowest corner; infinite if nothing is left.
    pub(super) fn lowest(&self) -> f64 {
        self.polygon.vertices().iter().fold(f64::INFINITY, |least, vertex| least.min(vertex.at.z))
    }

    /// Makes the best corners up to a height a manifold.
    pub(super) fn tell(&self, carrier: Body, within: f64, most: usize, manifold: &mut Anchored) {
        let vertices = self.polygon.vertices();
        let mut members = [0; MOST_CORNERS];
        let mut count = 0;
        for (i, vertex) in vertices.iter().enumerate() {
            if vertex.at.z <= within {
                members[count] = i;
                count += 1;
            }
        }
        if count > most {
            let candidates = self.polygon.vertices.map(|vertex| Candidate {
                gap: vertex.at.z,
                place: vertex.at.truncate(),
                name: vertex.origin,
            });
            best_first(&candidates, most, &mut members[..count]);
            count = most;
        }
        // The normal is from B to A, the height upwards from the carrier.
        let (out, height) = (self.face.normal(), self.face.half[self.face.axis]);
        let (normal, offset) = if carrier == Body::A { (-out, -height) } else { (out, height) };
        manifold.start(carrier, normal);
        for &member in &members[..count] {
            let vertex = &vertices[member];
            let features = self.features(vertex.origin, carrier);
            manifold.push(Anchor { point: self.point(vertex), offset, features });
        }
    }

    /// A corner of the cut as a point of the other box, in its frame.
    fn point(&self, vertex: &Vertex) -> DVec3 {
        if let Origin::Corner(i) = vertex.origin {
            return self.other.corner(i);
        }
        let from_centre = vertex.at - self.centre;
        DVec3::from(self.columns.map(|column| column.dot(from_centre)))
    }

    fn features(&self, origin: Origin, carrier: Body) -> FeaturePair {
        let (on_carrier, on_other) = match origin {
            Origin::Corner(i) => (self.face.part(), ShapePart::Vertex(self.other.corner_number(i))),
            Origin::Crossing(edge, border) => (self.face.edge_part(border), self.other.edge_part(edge)),
            Origin::Limit(first, second) => {
                let corner = if (first + 1) % 4 == second { second } else { first };
                (ShapePart::Vertex(self.face.corner_number(corner)), self.other.part())
            }
        };
        let feature = |part| Feature::Shape { child: 0, part };
        match carrier {
            Body::A => FeaturePair { on_a: feature(on_carrier), on_b: feature(on_other) },
            Body::B => FeaturePair { on_a: feature(on_other), on_b: feature(on_carrier) },
        }
    }
}

impl Polygon {
    fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Cuts off what is beyond a border by more than the tolerance.
    #[inline(always)]
    fn trim(&mut self, border: u8, inside: impl Fn(DVec3) -> f64, tolerance: f64) {
        let old = *self;
        let mut distances = [0.0; MOST_CORNERS];
        let mut beyond = false;
        for (distance, vertex) in distances.iter_mut().zip(old.vertices()) {
            *distance = inside(vertex.at);
            beyond |= *distance < -tolerance;
        }
        if !beyond {
            return;
        }
        self.count = 0;
        for (i, from) in old.vertices().iter().enumerate() {
            let next = if i + 1 == old.count { 0 } else { i + 1 };
            let (here, there) = (distances[i], distances[next]);
            let leaves = here >= -tolerance && there < -tolerance;
            // A corner on the border is where the cut turns along it.
            let turns = leaves && here <= tolerance;
            if here >= -tolerance {
                self.push(Vertex { side: if turns { Side::Border(border) } else { from.side }, ..*from });
            }
            let enters = here < -tolerance && there > tolerance;
            if enters || (leaves && !turns) {
                let at = from.at + (old.vertices[next].at - from.at) * (here / (here - there));
                let origin = match from.side {
                    Side::Edge(edge) => Origin::Crossing(edge, border),
                    Side::Border(other) => Origin::Limit(other, border),
                };
                self.push(Vertex { at, origin, side: if leaves { Side::Border(border) } else { from.side } });
            }
        }
    }

    fn push(&mut self, vertex: Vertex) {
        // A convex polygon grows by one corner per border at most. Should rounding make it otherwise, a corner is lost.
        if let Some(place) = self.vertices.get_mut(self.count) {
            *place = vertex;
            self.count += 1;
        }
    }
}

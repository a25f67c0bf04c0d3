//! Two boxes, one face upon the other: the manifold of nearly all contacts of a stack, without a general search.
//!
//! Of the fifteen directions that can keep boxes apart (Gottschalk 1996) the six faces come first. In A's frame, with
//! `r_ij` = axis i of A along axis j of B, `t` = centre of B, `p`, `q` half edges of A and B:
//!
//! ```text
//! along axis i of A:        |t_i| - p_i - sum_j |r_ij| q_j
//! along axis j of B:        |t . b_j| - q_j - sum_i |r_ij| p_i
//! ```
//!
//! The largest, `s`, is a lower bound of the signed distance. The opposite face of the other box is cut to the rectangle of this face
//! (Sutherland and Hodgman 1974); the lowest corner of the cut, at height `l`, is an upper bound, if it is a place of both boxes.
//! Where `l = s` nothing is left to look for, except that edges may lead out of a deep overlap on a shorter way.

use glam::{DMat3, DVec2, DVec3};

use super::anchored::{Anchor, Anchored, Body, Relative};
use super::reduce::{Candidate, best_first};
use crate::contact::{Feature, FeaturePair, ShapePart};
use crate::convex::{EdgePair, FACE_PREFERENCE, best_edge_pair};

/// Directions whose separations differ by less than this part of the smaller half edge (no unit) are equally good: then the
/// direction of the last step stays, and otherwise a face beats edges and a larger face a smaller one.
const AS_GOOD: f64 = 1e-6;

/// A face is taken instead of edges if the smallest gap upon it is the distance up to this part of the smaller half edge (no
/// unit): many points hold a body better than one.
const FACE_GAIN: f64 = 1e-5;

/// Places nearer than this part of the smaller half edge (no unit) are one.
const SAME_PLACE: f64 = 1e-9;

/// What there is between two boxes.
pub(super) enum Boxes {
    /// At least this far apart, along a normal from B to A in the frame of B.
    Apart(f64, DVec3),
    /// One face upon the other; with the smallest gap.
    Faces(Anchored, f64),
    /// Edges or corners are nearest: the general search has to tell.
    Other,
}

/// A face of a box, seen from outside.
#[derive(Clone, Copy)]
struct Face {
    half: DVec3,
    axis: usize,
    /// 1 on the larger side of the axis, -1 on the other.
    side: f64,
}

/// The manifold of two boxes of half edges `p` and `q`, with B in `relative` to A.
pub(super) fn find(
    p: DVec3,
    q: DVec3,
    relative: &Relative,
    within: f64,
    most: usize,
    last: Option<&Anchored>,
) -> Boxes {
    let (r, t) = (relative.rotation, relative.translation);
    let absolute = DMat3::from_cols(r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs());
    let back = r.transpose();
    let t_b = back * t;
    let along_a = t.abs() - p - absolute * q;
    let along_b = t_b.abs() - q - absolute.transpose() * p;
    let small = p.min_element().min(q.min_element());
    let (i, j) = (largest(along_a), largest(along_b));
    let carrier = reference((along_a[i], p, i), (along_b[j], q, j), AS_GOOD * small, last);
    let (carrier_face, other_half, gap, placed) = match carrier {
        Body::A => (Face { half: p, axis: i, side: 1.0_f64.copysign(t[i]) }, q, along_a[i], *relative),
        Body::B => {
            let inverse = Relative { turn: relative.turn.conjugate(), rotation: back, translation: -t_b };
            (Face { half: q, axis: j, side: 1.0_f64.copysign(-t_b[j]) }, p, along_b[j], inverse)
        }
    };
    if gap > within {
        let out = DVec3::AXES[carrier_face.axis] * carrier_face.side;
        return Boxes::Apart(gap, if carrier == Body::A { back * -out } else { out });
    }
    let cut = Cut::new(&carrier_face, other_half, &placed, SAME_PLACE * small);
    let lowest = cut.lowest();
    // Below this depth, how much shorter another way out can be does not matter.
    let deep = gap < -FACE_GAIN * small;
    if lowest > gap + FACE_GAIN * small || deep {
        let least = gap + FACE_PREFERENCE * (-gap).max(0.0) + AS_GOOD * small;
        let edges: Option<EdgePair> = best_edge_pair(&r, &absolute, t, p, q, least);
        let best = edges.as_ref().map_or(gap, |edges| edges.gap);
        if best > within {
            return Boxes::Apart(best, edges.map_or(DVec3::ZERO, |edges| back * edges.normal));
        }
        if (lowest - best).abs() > FACE_GAIN * small {
            return Boxes::Other;
        }
    }
    Boxes::Faces(cut.manifold(carrier, within, most), lowest)
}

fn largest(v: DVec3) -> usize {
    if v.x >= v.y && v.x >= v.z {
        0
    } else if v.y >= v.z {
        1
    } else {
        2
    }
}

/// Which body's face is the better one; of equals that of the last step, then the larger.
fn reference(a: (f64, DVec3, usize), b: (f64, DVec3, usize), as_good: f64, last: Option<&Anchored>) -> Body {
    let better = b.0 - a.0;
    if better.abs() > as_good {
        return if better > 0.0 { Body::B } else { Body::A };
    }
    if let Some(last) = last {
        return last.carrier;
    }
    let area = |(_, half, axis): (f64, DVec3, usize)| half[(axis + 1) % 3] * half[(axis + 2) % 3];
    if area(b) > area(a) { Body::B } else { Body::A }
}

/// Where a corner of the cut comes from.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    /// A corner of the other face.
    Corner(u8),
    /// An edge of the other face, at a border of the carrier's.
    Crossing(u8, u8),
    /// The corner between two borders of the carrier's face.
    Limit(u8, u8),
}

/// A line that a side of the cut lies on.
#[derive(Clone, Copy)]
enum Side {
    /// Edge of the other face.
    Edge(u8),
    /// Border of the carrier's face: 0 at larger x, 1 at larger y, 2 and 3 opposite.
    Border(u8),
}

/// A corner of the cut: its place in the carrier's face and its height above it.
#[derive(Clone, Copy)]
struct Vertex {
    at: DVec2,
    height: f64,
    origin: Origin,
    /// The side to the next corner.
    side: Side,
}

const EMPTY: Vertex =
    Vertex { at: DVec2::ZERO, height: 0.0, origin: Origin::Corner(0), side: Side::Border(0) };

/// Four corners, and one more for each border that cuts one off.
const MOST_CORNERS: usize = 8;

/// The face of the other box that looks at the carrier's, cut to it.
struct Cut<'a> {
    face: &'a Face,
    other: Face,
    placed: &'a Relative,
    vertices: [Vertex; MOST_CORNERS],
    count: usize,
}

/// Signs of the corners of a face along the two axes after its own, in order around.
const AROUND: [(f64, f64); 4] = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];

impl Face {
    /// The corner with signs along the two axes after the face's own.
    fn corner(&self, (su, sw): (f64, f64)) -> DVec3 {
        let mut signs = DVec3::ZERO;
        signs[self.axis] = self.side;
        signs[(self.axis + 1) % 3] = su;
        signs[(self.axis + 2) % 3] = sw;
        signs * self.half
    }

    fn corner_number(&self, i: u8) -> u32 {
        self.corner(AROUND[usize::from(i % 4)]).cmpge(DVec3::ZERO).bitmask()
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

impl<'a> Cut<'a> {
    fn new(face: &'a Face, half: DVec3, placed: &'a Relative, tolerance: f64) -> Cut<'a> {
        // Away from the carrier, as the other box sees it.
        let out = placed.rotation.row(face.axis) * face.side;
        let axis = largest(out.abs());
        let other = Face { half, axis, side: if out[axis] > 0.0 { -1.0 } else { 1.0 } };
        let (u, w) = ((face.axis + 1) % 3, (face.axis + 2) % 3);
        let mut vertices = [EMPTY; MOST_CORNERS];
        for (number, (vertex, signs)) in (0_u8..).zip(vertices.iter_mut().zip(AROUND)) {
            let place = placed.point(other.corner(signs));
            *vertex = Vertex {
                at: DVec2::new(place[u], place[w]),
                height: face.side * place[face.axis] - face.half[face.axis],
                origin: Origin::Corner(number),
                side: Side::Edge(number),
            };
        }
        let mut cut = Cut { face, other, placed, vertices, count: 4 };
        cut.trim(0, |at| face.half[u] - at.x, tolerance);
        cut.trim(1, |at| face.half[w] - at.y, tolerance);
        cut.trim(2, |at| face.half[u] + at.x, tolerance);
        cut.trim(3, |at| face.half[w] + at.y, tolerance);
        cut
    }

    /// Cuts off what is beyond a border by more than the tolerance.
    fn trim(&mut self, border: u8, inside: impl Fn(DVec2) -> f64, tolerance: f64) {
        let old = self.vertices;
        let count = self.count;
        let mut distances = [0.0; MOST_CORNERS];
        let mut beyond = false;
        for (distance, vertex) in distances.iter_mut().zip(&old[..count]) {
            *distance = inside(vertex.at);
            beyond |= *distance < -tolerance;
        }
        if !beyond {
            return;
        }
        self.count = 0;
        for i in 0..count {
            let next = if i + 1 == count { 0 } else { i + 1 };
            let (here, there) = (distances[i], distances[next]);
            let leaves = here >= -tolerance && there < -tolerance;
            if here >= -tolerance {
                // A corner on the border is where the cut turns along it.
                let turns = leaves && here <= tolerance;
                self.push(Vertex { side: if turns { Side::Border(border) } else { old[i].side }, ..old[i] });
                if turns {
                    continue;
                }
            }
            let enters = here < -tolerance && there > tolerance;
            if leaves || enters {
                let share = here / (here - there);
                let (from, to) = (&old[i], &old[next]);
                self.push(Vertex {
                    at: from.at + (to.at - from.at) * share,
                    height: from.height + (to.height - from.height) * share,
                    origin: match from.side {
                        Side::Edge(edge) => Origin::Crossing(edge, border),
                        Side::Border(other) => Origin::Limit(other, border),
                    },
                    side: if leaves { Side::Border(border) } else { from.side },
                });
            }
        }
    }

    fn push(&mut self, vertex: Vertex) {
        // A convex polygon grows by one corner per border at most; rounding cannot make it grow by more than that either,
        // but a corner too many is left out rather than trusted.
        if let Some(place) = self.vertices.get_mut(self.count) {
            *place = vertex;
            self.count += 1;
        }
    }

    fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    fn lowest(&self) -> f64 {
        self.vertices().iter().fold(f64::INFINITY, |least, vertex| least.min(vertex.height))
    }

    /// The best corners up to a height.
    fn manifold(&self, carrier: Body, within: f64, most: usize) -> Anchored {
        let mut candidates = [Candidate::default(); MOST_CORNERS];
        let mut members = [0; MOST_CORNERS];
        let mut count = 0;
        for (i, vertex) in self.vertices().iter().enumerate() {
            if vertex.height <= within {
                members[count] = i;
                count += 1;
            }
            candidates[i] = Candidate {
                gap: vertex.height,
                place: vertex.at,
                features: self.features(vertex.origin, carrier),
            };
        }
        if count > most {
            best_first(&candidates[..self.count], most, &mut members[..count]);
            count = most;
        }
        // The normal is from B to A, the height upwards from the carrier.
        let out = DVec3::AXES[self.face.axis] * self.face.side;
        let height = self.face.half[self.face.axis];
        let (normal, offset) = if carrier == Body::A { (-out, -height) } else { (out, height) };
        let mut manifold = Anchored::new(carrier, normal);
        for &member in &members[..count] {
            let point = self.point(&self.vertices[member]);
            manifold.push(Anchor { point, offset, features: candidates[member].features });
        }
        manifold
    }

    /// A corner of the cut as a point of the other box, in its frame.
    fn point(&self, vertex: &Vertex) -> DVec3 {
        if let Origin::Corner(i) = vertex.origin {
            return self.other.corner(AROUND[usize::from(i)]);
        }
        let axis = self.face.axis;
        let mut place = DVec3::ZERO;
        place[axis] = self.face.side * (vertex.height + self.face.half[axis]);
        place[(axis + 1) % 3] = vertex.at.x;
        place[(axis + 2) % 3] = vertex.at.y;
        self.placed.rotation.transpose() * (place - self.placed.translation)
    }

    fn features(&self, origin: Origin, carrier: Body) -> FeaturePair {
        let (on_carrier, on_other) = match origin {
            Origin::Corner(i) => (self.face.part(), ShapePart::Vertex(self.other.corner_number(i))),
            Origin::Crossing(edge, border) => (self.face.edge_part(border), self.other.edge_part(edge)),
            Origin::Limit(first, second) => {
                // Border k runs from corner k to corner k + 1.
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

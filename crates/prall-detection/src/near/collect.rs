//! Near features of two parts: from the pairs of triangles within reach, each pair of features once.

use glam::DVec3;
use prall_math::Norm;

use super::boundary::Part;
use super::feature::{ALL_SIDES, INSIDE, NearFeature, NearKind, insideness};
use super::topology::Face;
use super::{NearScratch, Visit, visit_near};
use crate::certificate::gap_along;
use crate::distance::{direction_without_gap, proven_gap};
use crate::norm::unit;
use crate::placement::Placement;
use crate::triangle::{Part as Place, TriangleDistance, triangle_distance};

/// Edges with a smaller sine between them have no crossing to speak of: it jumps along them. The ends of their common stretch count.
pub(super) const PARALLEL: f64 = 0.05;

/// Below this square of the sine the crossing is rounding.
const NO_CROSSING: f64 = 1e-14;

/// A frozen feature of a vertex is the same contact as that of the vertex with a face if the normals agree to this cosine.
const SAME_NORMAL: f64 = 0.99;

/// First bits of a name; two numbers follow, first that of the vertex if there is a vertex with a face or an edge.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(super) enum Code {
    VertexFace = 0,
    FaceVertex = 1,
    EdgeEdge = 2,
    PointPoint = 3,
    PointEdge = 4,
    EdgePoint = 5,
    FrozenVertexEdge = 6,
    FrozenEdgeVertex = 7,
    FrozenVertices = 8,
    FrozenEdges = 9,
    FrozenVertexFace = 10,
    FrozenFaceVertex = 11,
    FrozenFaces = 12,
    /// The number of a feature of a cylinder or cone comes first in these.
    TurnedVertex = 13,
    TurnedEdge = 14,
    TurnedFace = 15,
}

impl Code {
    /// Numbers of a boundary stay below 2^30: a hierarchy holds at most 2^28 triangles.
    pub(super) fn name(self, first: u32, second: u32) -> u64 {
        (self as u64) << 60 | u64::from(first) << 30 | u64::from(second)
    }
}

/// What is asked of two parts.
pub(super) struct Collector<'a> {
    pub(super) a: &'a Part,
    pub(super) b: &'a Part,
    pub(super) placement: &'a Placement,
    /// Farthest that surfaces may be apart, in metres.
    pub(super) reach: f64,
    pub(super) slack: f64,
    /// What rounding may do to a distance in B's frame, in metres.
    pub(super) rounding: f64,
    pub(super) found: &'a mut Vec<NearFeature>,
    pub(super) scratch: &'a mut NearScratch,
    /// Features of this pair of parts begin here.
    pub(super) first: usize,
    /// Names may occur twice, or frozen features be needless.
    pub(super) tangled: bool,
    /// Least distance of the cores of all features found, and the normal there, in B's frame.
    pub(super) least: f64,
    pub(super) least_normal: DVec3,
    /// The triangle of A that was looked at last: slot, corners and normal in B's frame.
    pub(super) placed: (u32, [DVec3; 3], DVec3),
}

/// No triangle of A has been looked at.
pub(super) const NOTHING_PLACED: (u32, [DVec3; 3], DVec3) = (u32::MAX, [DVec3::ZERO; 3], DVec3::ZERO);

/// What was seen of two parts.
pub(super) struct Collected {
    pub(super) complete: bool,
    pub(super) triangle_pairs: usize,
    /// Lower bound of the distance of the surfaces by the pairs that were seen.
    pub(super) distance: f64,
}

/// A feature before it is filed; the height is the distance of the cores.
struct Candidate {
    name: u64,
    kind: NearKind,
    on_a: [DVec3; 3],
    on_b: [DVec3; 3],
    normal: DVec3,
    height: f64,
    sign: f64,
    /// How far inside the foot lies: of two features with one name the better counts.
    inside: f64,
}

/// Two triangles in B's frame.
struct TrianglePair<'a> {
    s: [DVec3; 3],
    t: &'a [DVec3; 3],
    face_a: &'a Face,
    face_b: &'a Face,
    slots: (u32, u32),
}

/// Of the corners of two triangles over the plane of the other, in metres, and the normal of A's triangle in B's frame.
struct Heights {
    of_a: [f64; 3],
    of_b: [f64; 3],
    normal_a: DVec3,
}

impl<'a> Collector<'a> {
    /// Largest distance of cores that matters.
    fn limit(&self) -> f64 {
        self.reach + self.a.radius + self.b.radius
    }

    pub(super) fn run(&mut self, most: usize, stack: &mut Vec<(u32, u32)>) -> Collected {
        self.first = self.found.len();
        // What rounding may hide is looked at as well, so that all of the reach is proven if nothing is near.
        self.least = self.limit() + self.rounding;
        self.scratch.open.clear();
        self.scratch.inside.clear();
        let (a, b) = (self.a.hierarchy(), self.b.hierarchy());
        let (mut complete, mut triangle_pairs) = (true, 0);
        visit_near(a, b, self.placement, self.least, stack, |slot_a, slot_b| {
            let Some((pair, heights)) = self.within_reach(slot_a, slot_b) else { return Visit::GoOn };
            if triangle_pairs == most {
                complete = false;
                return Visit::Stop;
            }
            triangle_pairs += 1;
            self.features(&pair, &heights);
            Visit::GoOn
        });
        if self.tangled {
            self.untangle();
        }
        let distance = (self.nearest() - self.a.radius - self.b.radius).clamp(0.0, self.reach);
        Collected { complete, triangle_pairs, distance }
    }

    /// Two triangles, and the heights of their corners over each other's planes, if those do not show that they are out of reach.
    #[inline(always)]
    fn within_reach(&mut self, slot_a: u32, slot_b: u32) -> Option<(TrianglePair<'a>, Heights)> {
        let (a, b) = (self.a, self.b);
        let (face_a, face_b) = (&a.topology.faces[slot_a as usize], &b.topology.faces[slot_b as usize]);
        let t = b.hierarchy().at_slot(slot_b);
        // Pairs of one triangle of A come one after the other.
        if self.placed.0 != slot_a {
            let s = self.placement.a_to_b.triangle(a.hierarchy().at_slot(slot_a));
            self.placed = (slot_a, s, self.placement.a_to_b.rotation * face_a.normal);
        }
        let (_, s, normal_a) = self.placed;
        let apart = |[x, y, z]: [f64; 3]| x.min(y).min(z).max(-x.max(y).max(z));
        let far = self.limit() + self.rounding;
        let over_b = |k: usize| face_b.normal.dot(s[k] - t[0]);
        let of_a = [over_b(0), over_b(1), over_b(2)];
        let gap_of_a = apart(of_a);
        if gap_of_a > far {
            return None;
        }
        let over_a = |k: usize| normal_a.dot(t[k] - s[0]);
        let of_b = [over_a(0), over_a(1), over_a(2)];
        let plane_gap = gap_of_a.max(apart(of_b));
        if plane_gap > far {
            return None;
        }
        if plane_gap < self.least {
            self.scratch.open.push((plane_gap, slot_a, slot_b));
        }
        let pair = TrianglePair { s, t, face_a, face_b, slots: (slot_a, slot_b) };
        Some((pair, Heights { of_a, of_b, normal_a }))
    }

    /// Files the features for which two triangles answer.
    fn features(&mut self, pair: &TrianglePair, heights: &Heights) {
        let (face_a, face_b) = (pair.face_a, pair.face_b);
        let limit = self.limit();
        for i in 0..3 {
            if face_a.own_vertices >> i & 1 == 1 && heights.of_a[i].abs() <= limit {
                self.vertex_face(pair, i, heights.of_a[i]);
            }
            if face_b.own_vertices >> i & 1 == 1 && heights.of_b[i].abs() <= limit {
                self.face_vertex(pair, i, heights.of_b[i], heights.normal_a);
            }
        }
        let round = self.a.radius + self.b.radius > 0.0;
        for i in (0..3).filter(|i| face_a.own_edges >> i & 1 == 1) {
            for j in (0..3).filter(|j| face_b.own_edges >> j & 1 == 1) {
                self.edge_edge(pair, i, j);
            }
        }
        if round {
            self.points(pair);
        }
    }

    /// True if body A rises from its vertex along n, given in B's frame.
    fn vertex_rises_a(&self, vertex: u32, n: DVec3) -> bool {
        let local = self.placement.b_to_a.rotation * n;
        self.a.topology.ring(vertex).iter().all(|d| d.dot(local) >= -self.slack)
    }

    /// True if body B falls from its vertex along n.
    fn vertex_falls_b(&self, vertex: u32, n: DVec3) -> bool {
        self.b.topology.ring(vertex).iter().all(|d| d.dot(n) <= self.slack)
    }

    fn edge_rises_a(&self, edge: u32, n: DVec3) -> bool {
        let local = self.placement.b_to_a.rotation * n;
        self.a.topology.wings(edge).iter().all(|d| d.dot(local) >= -self.slack)
    }

    fn edge_falls_b(&self, edge: u32, n: DVec3) -> bool {
        self.b.topology.wings(edge).iter().all(|d| d.dot(n) <= self.slack)
    }

    /// n or -n, whichever points from B to A: by the side of the gap, or, of features that touch, by where the bodies lie. None if
    /// the features cannot be touched along it.
    fn oriented(
        &self,
        n: DVec3,
        height: f64,
        outer: Option<f64>,
        fits: impl Fn(DVec3) -> bool,
    ) -> Option<f64> {
        if height.abs() > self.rounding {
            let sign = if height < 0.0 { -1.0 } else { 1.0 };
            return fits(n * sign).then_some(sign);
        }
        match (fits(n), fits(-n)) {
            (true, false) => Some(1.0),
            (false, true) => Some(-1.0),
            (true, true) => outer,
            (false, false) => None,
        }
    }

    fn vertex_face(&mut self, pair: &TrianglePair, corner: usize, height: f64) {
        let (vertex, face) = (pair.face_a.vertices[corner], pair.face_b);
        if face.normal == DVec3::ZERO {
            return;
        }
        let inside = insideness(pair.t, face.normal, pair.s[corner], 0);
        if inside < -INSIDE {
            return;
        }
        let outer = face.closed.then_some(1.0);
        let fits = |n: DVec3| self.vertex_rises_a(vertex, n);
        let Some(sign) = self.oriented(face.normal, height, outer, fits) else { return };
        self.tangled |= face.open_sides != 0;
        let candidate = Candidate {
            name: Code::VertexFace.name(self.a.first_vertex + vertex, self.b.first_triangle + face.plane),
            kind: NearKind::VertexFace,
            on_a: [self.own_corner(pair, corner); 3],
            on_b: *pair.t,
            normal: face.normal * sign,
            height: sign * height,
            sign,
            inside,
        };
        self.file(pair, candidate);
    }

    fn face_vertex(&mut self, pair: &TrianglePair, corner: usize, height: f64, normal_a: DVec3) {
        let (face, vertex) = (pair.face_a, pair.face_b.vertices[corner]);
        if face.normal == DVec3::ZERO {
            return;
        }
        let inside = insideness(&pair.s, normal_a, pair.t[corner], 0);
        if inside < -INSIDE {
            return;
        }
        // B lies on the side of the height, so the normal points the other way.
        let outer = face.closed.then_some(-1.0);
        let fits = |n: DVec3| self.vertex_falls_b(vertex, n);
        let Some(sign) = self.oriented(normal_a, -height, outer, fits) else { return };
        self.tangled |= face.open_sides != 0;
        let candidate = Candidate {
            name: Code::FaceVertex.name(self.b.first_vertex + vertex, self.a.first_triangle + face.plane),
            kind: NearKind::FaceVertex,
            on_a: *self.a.hierarchy().at_slot(pair.slots.0),
            on_b: [pair.t[corner]; 3],
            normal: face.normal * sign,
            height: -sign * height,
            sign,
            inside,
        };
        self.file(pair, candidate);
    }

    /// Two edges p + s u and q + t v: where they cross, or the ends of the stretch on which they run side by side.
    fn edge_edge(&mut self, pair: &TrianglePair, i: usize, j: usize) {
        let (p, q) = (pair.s[i], pair.t[j]);
        let (u, v, r) = (pair.s[(i + 1) % 3] - p, pair.t[(j + 1) % 3] - q, p - q);
        let c = u.cross(v);
        let squared = c.length_squared();
        let lengths = u.length_squared() * v.length_squared();
        let limit = self.limit();
        let parallel = squared < PARALLEL * PARALLEL * lengths;
        if parallel && self.side_by_side(pair, i, j) >= 2 {
            return;
        }
        let height = c.dot(r);
        if squared <= NO_CROSSING * lengths || height * height > limit * limit * squared {
            return;
        }
        let (s, t) = (-r.cross(v).dot(c), -r.cross(u).dot(c));
        let (low, high) = (-INSIDE * squared, (1.0 + INSIDE) * squared);
        if !(s >= low && s <= high && t >= low && t <= high) {
            return;
        }
        let across = c / squared.sqrt();
        let height = across.dot(r);
        let (edge_a, edge_b) = (pair.face_a.edges[i], pair.face_b.edges[j]);
        let fits = |n: DVec3| self.edge_rises_a(edge_a, n) && self.edge_falls_b(edge_b, n);
        let Some(sign) = self.oriented(across, height, None, fits) else { return };
        if parallel {
            // A small turn would throw the normal about: it stays as it is.
            let name = Code::FrozenEdges.name(self.a.first_edge + edge_a, self.b.first_edge + edge_b);
            self.freeze(pair, name, p + u * (s / squared), q + v * (t / squared), across * sign);
            return;
        }
        let candidate = Candidate {
            name: Code::EdgeEdge.name(self.a.first_edge + edge_a, self.b.first_edge + edge_b),
            kind: NearKind::EdgeEdge,
            on_a: self.own_ends(pair, i),
            on_b: ends(pair.t, j),
            normal: across * sign,
            height: sign * height,
            sign,
            inside: 0.0,
        };
        self.file(pair, candidate);
    }

    /// The ends of the stretch on which two edges run side by side, each frozen; how many there are within reach.
    fn side_by_side(&mut self, pair: &TrianglePair, i: usize, j: usize) -> u32 {
        let (edge_a, edge_b) = (pair.face_a.edges[i], pair.face_b.edges[j]);
        let ([p, p_end, _], [q, q_end, _]) = (ends(&pair.s, i), ends(pair.t, j));
        let mut filed = 0;
        for k in 0..2 {
            let (corner_a, corner_b) = ((i + k) % 3, (j + k) % 3);
            let (vertex_a, vertex_b) = (pair.face_a.vertices[corner_a], pair.face_b.vertices[corner_b]);
            if let Some(foot) = foot_between(pair.s[corner_a], q, q_end) {
                let code = Code::FrozenVertexEdge;
                let name = code.name(self.a.first_vertex + vertex_a, self.b.first_edge + edge_b);
                filed += u32::from(self.frozen_end(pair, (i, j), name, pair.s[corner_a], foot));
            }
            if let Some(foot) = foot_between(pair.t[corner_b], p, p_end) {
                let code = Code::FrozenEdgeVertex;
                let name = code.name(self.b.first_vertex + vertex_b, self.a.first_edge + edge_a);
                filed += u32::from(self.frozen_end(pair, (i, j), name, foot, pair.t[corner_b]));
            }
        }
        filed
    }

    /// Files two points of edges that run side by side; false if they are out of reach or something beside the edges is nearer.
    fn frozen_end(
        &mut self,
        pair: &TrianglePair,
        (i, j): (usize, usize),
        name: u64,
        on_a: DVec3,
        on_b: DVec3,
    ) -> bool {
        let apart = on_a - on_b;
        let height = apart.norm();
        if height > self.limit() {
            return false;
        }
        if self.a.radius + self.b.radius > 0.0 {
            // The ends of round edges are features of their own.
            return true;
        }
        let (edge_a, edge_b) = (pair.face_a.edges[i], pair.face_b.edges[j]);
        let normal = if height > self.rounding {
            apart / height
        } else {
            // They touch: the bodies lie on the sides of their wings.
            let from_a = self.a.topology.wings(edge_a).iter().sum::<DVec3>();
            let from_b = self.b.topology.wings(edge_b).iter().sum::<DVec3>();
            let Some(normal) = unit(self.placement.a_to_b.rotation * from_a - from_b) else { return false };
            normal
        };
        if !(self.edge_rises_a(edge_a, normal) && self.edge_falls_b(edge_b, normal)) {
            return false;
        }
        self.tangled = true;
        self.freeze(pair, name, on_a, on_b, normal);
        true
    }

    /// Vertices and edges near each other, of which one is round.
    fn points(&mut self, pair: &TrianglePair) {
        let (face_a, face_b) = (pair.face_a, pair.face_b);
        let own = |mask: u8| (0..3).filter(move |i| mask >> i & 1 == 1);
        for i in own(face_a.own_vertices) {
            let (vertex, p) = (face_a.vertices[i], pair.s[i]);
            let number = self.a.first_vertex + vertex;
            for j in own(face_b.own_edges) {
                let edge = face_b.edges[j];
                let [q, q_end, _] = ends(pair.t, j);
                if let Some(foot) = foot_between(p, q, q_end) {
                    let fits = |c: &Self, n| c.vertex_rises_a(vertex, n) && c.edge_falls_b(edge, n);
                    let name = Code::PointEdge.name(number, self.b.first_edge + edge);
                    let on = ([self.own_corner(pair, i); 3], ends(pair.t, j));
                    self.point_pair(pair, name, NearKind::PointEdge, on, (p, foot), fits);
                }
            }
            for j in own(face_b.own_vertices) {
                let (other, q) = (face_b.vertices[j], pair.t[j]);
                let fits = |c: &Self, n| c.vertex_rises_a(vertex, n) && c.vertex_falls_b(other, n);
                let name = Code::PointPoint.name(number, self.b.first_vertex + other);
                let on = ([self.own_corner(pair, i); 3], [q; 3]);
                self.point_pair(pair, name, NearKind::PointPoint, on, (p, q), fits);
            }
        }
        for j in own(face_b.own_vertices) {
            let (vertex, q) = (face_b.vertices[j], pair.t[j]);
            for i in own(face_a.own_edges) {
                let edge = face_a.edges[i];
                let [p, p_end, _] = ends(&pair.s, i);
                if let Some(foot) = foot_between(q, p, p_end) {
                    let fits = |c: &Self, n| c.edge_rises_a(edge, n) && c.vertex_falls_b(vertex, n);
                    let name = Code::EdgePoint.name(self.b.first_vertex + vertex, self.a.first_edge + edge);
                    let on = (self.own_ends(pair, i), [q; 3]);
                    self.point_pair(pair, name, NearKind::EdgePoint, on, (foot, q), fits);
                }
            }
        }
    }

    fn point_pair(
        &mut self,
        pair: &TrianglePair,
        name: u64,
        kind: NearKind,
        (on_a, on_b): ([DVec3; 3], [DVec3; 3]),
        (p, q): (DVec3, DVec3),
        fits: impl Fn(&Self, DVec3) -> bool,
    ) {
        let apart = p - q;
        let height = apart.norm();
        // Cores that touch have no direction; surfaces overlap then.
        if height > self.limit() || height <= self.rounding {
            return;
        }
        let normal = apart / height;
        if fits(self, normal) {
            self.file(pair, Candidate { name, kind, on_a, on_b, normal, height, sign: 1.0, inside: 0.0 });
        }
    }

    /// Files two points, given in B's frame, with a normal that stays.
    fn freeze(&mut self, pair: &TrianglePair, name: u64, on_a: DVec3, on_b: DVec3, normal: DVec3) {
        let candidate = Candidate {
            name,
            kind: NearKind::Frozen,
            on_a: [self.placement.b_to_a.point(on_a); 3],
            on_b: [on_b; 3],
            normal,
            height: normal.dot(on_a - on_b),
            sign: 1.0,
            inside: 0.0,
        };
        self.file(pair, candidate);
    }

    fn file(&mut self, pair: &TrianglePair, candidate: Candidate) {
        let Candidate { name, kind, on_a, on_b, normal, height, sign, inside } = candidate;
        let numbers = |part: &Part, slot: u32| part.first_triangle + part.hierarchy().source(slot);
        if height < self.least {
            self.least = height;
            let on_a = kind == NearKind::FaceVertex;
            self.least_normal = if on_a { self.placement.a_to_b.rotation * normal } else { normal };
        }
        self.scratch.inside.push(inside);
        self.found.push(NearFeature {
            name,
            kind,
            gap: height - self.a.radius - self.b.radius,
            triangles: (numbers(self.a, pair.slots.0), numbers(self.b, pair.slots.1)),
            on_a,
            on_b,
            normal,
            sign,
            radii: (self.a.radius, self.b.radius),
            open_sides: match kind {
                NearKind::VertexFace => pair.face_b.open_sides,
                NearKind::FaceVertex => pair.face_a.open_sides,
                _ => ALL_SIDES,
            },
        });
    }

    /// A corner of A's triangle in A's frame.
    fn own_corner(&self, pair: &TrianglePair, corner: usize) -> DVec3 {
        self.a.hierarchy().at_slot(pair.slots.0)[corner]
    }

    /// The ends of an edge of A's triangle in A's frame.
    fn own_ends(&self, pair: &TrianglePair, edge: usize) -> [DVec3; 3] {
        ends(self.a.hierarchy().at_slot(pair.slots.0), edge)
    }

    /// Of features with one name, as a vertex over two triangles of one plane has, keeps that whose foot is farther inside; leaves out
    /// frozen ends whose vertex meets a face in the same way.
    fn untangle(&mut self) {
        let (found, inside) = (&self.found[self.first..], &self.scratch.inside);
        let (names, keep) = (&mut self.scratch.names, &mut self.scratch.keep);
        names.clear();
        names.extend((0..).zip(found).map(|(i, feature): (u32, _)| (feature.name, i)));
        names.sort_unstable();
        keep.clear();
        keep.resize(found.len(), false);
        for same in names.chunk_by(|p, q| p.0 == q.0) {
            let best = same.iter().fold(same[0].1, |best, &(_, i)| {
                if inside[i as usize] > inside[best as usize] { i } else { best }
            });
            keep[best as usize] = true;
        }
        for (i, feature) in found.iter().enumerate() {
            let (code, vertex) = (feature.name >> 60, (feature.name >> 30) as u32 & ((1 << 30) - 1));
            let (faces, normal) = if code == Code::FrozenVertexEdge as u64 {
                (Code::VertexFace, feature.normal)
            } else if code == Code::FrozenEdgeVertex as u64 {
                (Code::FaceVertex, self.placement.b_to_a.rotation * feature.normal)
            } else {
                continue;
            };
            let first = faces.name(vertex, 0);
            let start = names.partition_point(|(name, _)| *name < first);
            let with_faces = names[start..].iter().take_while(|(name, _)| name >> 30 == first >> 30);
            let same_contact = |other: &NearFeature| {
                other.normal.dot(normal) > SAME_NORMAL
                    && other.gap <= feature.gap * (1.0 + 1e-9) + self.rounding
            };
            if with_faces.into_iter().any(|&(_, k)| same_contact(&found[k as usize])) {
                keep[i] = false;
            }
        }
        let mut index = 0;
        let first = self.first;
        let mut kept = first;
        while first + index < self.found.len() {
            if keep[index] {
                self.found.swap(kept, first + index);
                kept += 1;
            }
            index += 1;
        }
        self.found.truncate(kept);
    }

    /// A lower bound of the distance of the cores, at most the limit. If nothing that was filed is as near as the bodies are, their
    /// nearest points are filed as a frozen feature.
    fn nearest(&mut self) -> f64 {
        let (hierarchy_a, hierarchy_b) = (self.a.hierarchy(), self.b.hierarchy());
        let mut upper = self.least;
        let mut proven = f64::INFINITY;
        let mut best: Option<((u32, u32), TriangleDistance)> = None;
        let mut directions = Directions::default();
        directions.remember(self.least_normal);
        for &(plane_gap, slot_a, slot_b) in &self.scratch.open {
            // Planes alone show that such a pair is not the nearest.
            if plane_gap >= upper {
                continue;
            }
            let s = self.placement.a_to_b.triangle(hierarchy_a.at_slot(slot_a));
            let t = hierarchy_b.at_slot(slot_b);
            if directions.separate(&s, t, upper) {
                continue;
            }
            let near = triangle_distance(&s, t);
            let (gap, direction) = proven_gap(&near, &s, t);
            directions.remember(direction);
            proven = proven.min(gap.max(plane_gap));
            if near.distance() < upper {
                upper = near.distance();
                best = Some(((slot_a, slot_b), near));
            }
        }
        if let Some((slots, near)) = best
            && near.distance() <= self.limit()
            && (near.distance() < self.least - 1e-9 * self.least - 8.0 * self.rounding
                || self.found.len() == self.first)
        {
            self.file_nearest(slots, &near);
        }
        proven.min(upper) - self.rounding
    }

    fn file_nearest(&mut self, (slot_a, slot_b): (u32, u32), near: &TriangleDistance) {
        let (face_a, face_b) =
            (&self.a.topology.faces[slot_a as usize], &self.b.topology.faces[slot_b as usize]);
        let s = self.placement.a_to_b.triangle(self.a.hierarchy().at_slot(slot_a));
        let t = self.b.hierarchy().at_slot(slot_b);
        let normal = if near.squared > 0.0 { near.separating_direction(&s, t) } else { None };
        let normal = normal.unwrap_or_else(|| direction_without_gap(&s, t));
        let (vertex_a, vertex_b) = (
            |i: u8| self.a.first_vertex + face_a.vertices[usize::from(i)],
            |i: u8| self.b.first_vertex + face_b.vertices[usize::from(i)],
        );
        let (edge_a, edge_b) = (
            |i: u8| self.a.first_edge + face_a.edges[usize::from(i)],
            |i: u8| self.b.first_edge + face_b.edges[usize::from(i)],
        );
        let plane_a = self.a.first_triangle + face_a.plane;
        let plane_b = self.b.first_triangle + face_b.plane;
        let name = match (near.part_a, near.part_b) {
            (Place::Corner(i), Place::Corner(j)) => Code::FrozenVertices.name(vertex_a(i), vertex_b(j)),
            (Place::Corner(i), Place::Edge(j)) => Code::FrozenVertexEdge.name(vertex_a(i), edge_b(j)),
            (Place::Edge(i), Place::Corner(j)) => Code::FrozenEdgeVertex.name(vertex_b(j), edge_a(i)),
            (Place::Edge(i), Place::Edge(j)) => Code::FrozenEdges.name(edge_a(i), edge_b(j)),
            (Place::Corner(i), _) => Code::FrozenVertexFace.name(vertex_a(i), plane_b),
            (_, Place::Corner(j)) => Code::FrozenFaceVertex.name(vertex_b(j), plane_a),
            _ => Code::FrozenFaces.name(plane_a, plane_b),
        };
        let pair = TrianglePair { s, t, face_a, face_b, slots: (slot_a, slot_b) };
        self.freeze(&pair, name, near.on_a, near.on_b, normal);
    }
}

/// Directions, from B to A, that separated triangles before and often separate the next: the last ones first.
#[derive(Default)]
struct Directions([DVec3; 3]);

impl Directions {
    /// True if one of them shows that two triangles are at least `gap` apart.
    fn separate(&self, s: &[DVec3; 3], t: &[DVec3; 3], gap: f64) -> bool {
        self.0.iter().any(|&normal| gap_along(normal, s, t) >= gap)
    }

    fn remember(&mut self, direction: DVec3) {
        self.0 = [direction, self.0[0], self.0[1]];
    }
}

/// The ends of a side of a triangle.
fn ends(corners: &[DVec3; 3], side: usize) -> [DVec3; 3] {
    let (from, to) = (corners[side], corners[(side + 1) % 3]);
    [from, to, to]
}

/// The foot of a point on a segment, if it lies between the ends.
fn foot_between(point: DVec3, from: DVec3, to: DVec3) -> Option<DVec3> {
    let along = to - from;
    let share = along.dot(point - from) / along.length_squared();
    (-INSIDE..=1.0 + INSIDE).contains(&share).then(|| from + along * share)
}

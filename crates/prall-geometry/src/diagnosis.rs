//! [`Diagnosis`]: what is to be known about a mesh before one relies on it.

use glam::DVec3;
use serde::Serialize;

use crate::components::Components;
use crate::half_edges::HalfEdges;
use crate::mesh::{FaceDefect, Mesh};
use crate::orientation::Flood;
use crate::pieces::Pieces;

/// Counts and measures of a mesh, and of what had to be done to the soup from which it came.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnosis {
    /// Vertices after welding.
    pub vertices: usize,
    /// Faces of the mesh: planar, convex, with an area.
    pub faces: usize,
    /// Triangles into which the faces are cut.
    pub triangles: usize,
    /// Edges, each counted once.
    pub edges: usize,
    /// Edges with one face.
    pub open_edges: usize,
    /// Edges with three or more faces.
    pub nonmanifold_edges: usize,
    /// Edges with two faces that run along them in the same direction.
    pub inconsistent_edges: usize,
    /// Vertices whose faces do not form a single fan: the tip that two cones share, the ends of a
    /// nonmanifold edge.
    pub nonmanifold_vertices: usize,
    /// Pieces that hang together by edges.
    pub components: usize,
    /// Pieces with one side only, as a Moebius strip has.
    pub one_sided_components: usize,
    /// Closed pieces whose normals point inward although they bound no cavity.
    pub inside_out_components: usize,
    /// No edge is open, has more than two faces or faces that disagree.
    pub watertight: bool,
    /// Faces with the same vertices as an earlier face.
    pub duplicate_faces: usize,
    /// Faces of the soup.
    pub source_faces: usize,
    /// Polygons of the soup that have no area; none is a face of the mesh.
    pub degenerate_faces: usize,
    /// Polygons of the soup that cross themselves and were left out.
    pub self_intersecting_faces: usize,
    /// Polygons that lost corners by welding, and are faces all the same.
    pub shortened_faces: usize,
    /// Polygons that were cut into triangles because their corners are not in one plane.
    pub nonplanar_faces: usize,
    /// Polygons that were cut into triangles because they are not convex.
    pub nonconvex_faces: usize,
    /// Vertices of the soup that no face uses.
    pub unused_vertices: usize,
    /// Vertices of the soup that became one with another by welding.
    pub welded_vertices: usize,
    /// The largest distance by which welding moved a vertex, in metres.
    pub weld_displacement: f64,
    /// Smallest coordinates, in metres.
    pub lower_bound: DVec3,
    /// Largest coordinates, in metres.
    pub upper_bound: DVec3,
    /// Area of all faces, in square metres.
    pub area: f64,
    /// Signed volume, in cubic metres; meaningful if the mesh is watertight.
    pub signed_volume: f64,
}

impl Diagnosis {
    /// Examines a mesh; `half_edges` must be built from the same mesh.
    pub fn new(mesh: &Mesh, half_edges: &HalfEdges) -> Diagnosis {
        let edges = EdgeCounts::new(half_edges);
        let preparation = &mesh.preparation;
        let crossing =
            mesh.degenerate.iter().filter(|face| face.defect == FaceDefect::SelfIntersecting).count();
        let (lower_bound, upper_bound) = mesh.bounds();
        Diagnosis {
            vertices: mesh.positions.len(),
            faces: mesh.face_count(),
            triangles: mesh.triangles.len(),
            edges: half_edges.edge_count(),
            open_edges: edges.open,
            nonmanifold_edges: edges.nonmanifold,
            inconsistent_edges: edges.inconsistent,
            nonmanifold_vertices: nonmanifold_vertices(half_edges),
            components: Components::by_shared_edges(half_edges).count(),
            one_sided_components: Flood::new(half_edges).one_sided_patches(),
            inside_out_components: Pieces::new(mesh, half_edges).inside_out().len(),
            watertight: edges.open + edges.nonmanifold + edges.inconsistent == 0,
            duplicate_faces: duplicate_faces(mesh),
            source_faces: preparation.source_faces,
            degenerate_faces: mesh.degenerate.len() - crossing,
            self_intersecting_faces: crossing,
            shortened_faces: preparation.shortened_faces,
            nonplanar_faces: preparation.nonplanar_faces,
            nonconvex_faces: preparation.nonconvex_faces,
            unused_vertices: preparation.unused_vertices,
            welded_vertices: preparation.welded_vertices,
            weld_displacement: preparation.weld_displacement,
            lower_bound,
            upper_bound,
            area: mesh.area(),
            signed_volume: mesh.signed_volume(),
        }
    }

    /// The findings in sentences, the most important first. Never empty.
    pub fn findings(&self) -> Vec<String> {
        let sentence = |(count, one, many): (usize, &str, &str)| match count {
            0 => None,
            1 => Some(format!("1 {one}.")),
            _ => Some(format!("{count} {many}.")),
        };
        let mut findings = vec![self.verdict()];
        findings.extend(self.surface_findings().into_iter().filter_map(sentence));
        findings.extend(self.preparation_findings().into_iter().filter_map(sentence));
        if self.welded_vertices > 0 {
            findings.push(format!(
                "{} of {} used vertices were welded to others, moved by at most {} m.",
                self.welded_vertices,
                self.vertices + self.welded_vertices,
                self.weld_displacement
            ));
        }
        findings
    }

    /// What is wrong with the surface: how often, and how to say it of one and of many.
    fn surface_findings(&self) -> [(usize, &'static str, &'static str); 7] {
        [
            (
                self.open_edges,
                "edge is open: only one face is on it",
                "edges are open: only one face is on each",
            ),
            (
                self.nonmanifold_edges,
                "edge has three or more faces; it has no clear neighbours",
                "edges have three or more faces; they have no clear neighbours",
            ),
            (
                self.inconsistent_edges,
                "edge joins faces with opposite orientation; orienting the mesh turns them",
                "edges join faces with opposite orientation; orienting the mesh turns them",
            ),
            (
                self.one_sided_components,
                "piece has one side only and cannot be oriented",
                "pieces have one side only and cannot be oriented",
            ),
            (
                self.inside_out_components,
                "closed piece is inside out; orienting the mesh turns it",
                "closed pieces are inside out; orienting the mesh turns them",
            ),
            (
                self.nonmanifold_vertices,
                "vertex joins faces that touch only there",
                "vertices join faces that touch only there",
            ),
            (
                self.duplicate_faces,
                "face has the same corners as another",
                "faces have the same corners as another",
            ),
        ]
    }

    /// What had to be done to the soup.
    fn preparation_findings(&self) -> [(usize, &'static str, &'static str); 6] {
        [
            (
                self.self_intersecting_faces,
                "polygon crosses itself and is no face",
                "polygons cross themselves and are no faces",
            ),
            (
                self.degenerate_faces,
                "polygon is degenerate: it has no area and is no face; gaps around it may show as open edges",
                "polygons are degenerate: they have no area and are no faces; gaps around them may show as open edges",
            ),
            (self.shortened_faces, "polygon lost corners by welding", "polygons lost corners by welding"),
            (
                self.nonplanar_faces,
                "polygon is not planar and was cut into triangles",
                "polygons are not planar and were cut into triangles",
            ),
            (
                self.nonconvex_faces,
                "polygon is not convex and was cut into triangles",
                "polygons are not convex and were cut into triangles",
            ),
            (
                self.unused_vertices,
                "vertex belongs to no face and was left out",
                "vertices belong to no face and were left out",
            ),
        ]
    }

    fn verdict(&self) -> String {
        let closed = if self.watertight { "watertight" } else { "not watertight" };
        let pieces = if self.components == 1 { "piece" } else { "pieces" };
        format!(
            "{} vertices, {} faces, {} edges in {} {pieces}; {closed}.",
            self.vertices, self.faces, self.edges, self.components
        )
    }
}

#[derive(Default)]
struct EdgeCounts {
    open: usize,
    nonmanifold: usize,
    inconsistent: usize,
}

impl EdgeCounts {
    fn new(half_edges: &HalfEdges) -> EdgeCounts {
        let mut counts = EdgeCounts::default();
        for edge in 0..half_edges.edge_count() as u32 {
            match *half_edges.on_edge(edge) {
                [_] => counts.open += 1,
                [first, _] => counts.inconsistent += usize::from(half_edges.twin(first).is_none()),
                _ => counts.nonmanifold += 1,
            }
        }
        counts
    }
}

/// Vertices whose faces form more than one fan. A fan is walked by `h -> twin(previous(h))`; an open one
/// begins at a half-edge without a twin, so those are walked first, and what they do not reach is a closed
/// fan.
fn nonmanifold_vertices(half_edges: &HalfEdges) -> usize {
    let mut seen = vec![false; half_edges.len()];
    let mut is_new_fan = |start: u32| {
        let mut current = Some(start);
        let new = !seen[start as usize];
        while let Some(half_edge) = current.filter(|&h| !seen[h as usize]) {
            seen[half_edge as usize] = true;
            current = half_edges.twin(half_edges.previous(half_edge));
        }
        new
    };
    let several = |vertex: &u32| {
        let outgoing = half_edges.from_vertex(*vertex);
        let beginnings = outgoing.iter().filter(|&&h| half_edges.twin(h).is_none());
        beginnings.chain(outgoing).filter(|&&h| is_new_fan(h)).count() > 1
    };
    (0..half_edges.vertex_count() as u32).filter(several).count()
}

/// Faces whose set of vertices an earlier face has too. Convex faces with the same vertices are the same
/// face, or the same seen from behind.
fn duplicate_faces(mesh: &Mesh) -> usize {
    let mut keys: Vec<(u64, u32)> =
        mesh.faces().enumerate().map(|(face, corners)| (order_free_hash(corners), face as u32)).collect();
    keys.sort_unstable();
    keys.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1).map(|same| repeated(mesh, same)).sum()
}

/// Among faces with equal hashes: how many have the same vertices as an earlier one.
fn repeated(mesh: &Mesh, faces: &[(u64, u32)]) -> usize {
    let mut sorted: Vec<Vec<u32>> = faces
        .iter()
        .map(|&(_, face)| {
            let mut corners = mesh.face(face as usize).to_vec();
            corners.sort_unstable();
            corners
        })
        .collect();
    let all = sorted.len();
    sorted.sort_unstable();
    sorted.dedup();
    all - sorted.len()
}

/// A sum, so that the order does not matter, of numbers scrambled well enough to differ (SplitMix64).
fn order_free_hash(corners: &[u32]) -> u64 {
    let scramble = |corner: u32| {
        let mut z = (u64::from(corner) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    corners.iter().fold(0u64, |sum, &corner| sum.wrapping_add(scramble(corner)))
}

//! Which parts of an assembly at rest touch, overlap or come too near?

use std::sync::Arc;

use glam::DVec3;
use prall_geometry::{Aabb, Mesh, TriangleMesh};
use prall_math::{Norm, Pose};

use crate::contact::ContactPoint;
use crate::distance::{DistanceOptions, distance};
use crate::error::{HierarchyError, QueryError};
use crate::hierarchy::{BuildOptions, Hierarchy};
use crate::overlap::all_overlaps;
use crate::workspace::Workspace;

/// How many triangles of a part are asked whether they lie inside another part whose surface they do not cross. Surfaces
/// that do not cross lie inside or outside as a whole, piece by piece; this many find pieces of one part in a hundred.
const SAMPLES: usize = 100;

/// A mesh, made ready to be compared with others.
#[derive(Debug)]
pub struct AssemblyPart {
    solid: TriangleMesh,
    hierarchy: Hierarchy,
    bounds: Aabb,
}

impl AssemblyPart {
    /// Builds what comparisons need; the mesh is in the coordinates of the assembly.
    pub fn new(mesh: Arc<Mesh>) -> Result<AssemblyPart, HierarchyError> {
        let hierarchy = Hierarchy::build(&all_triangles(&mesh), &BuildOptions::default())?;
        AssemblyPart::with_hierarchy(mesh, hierarchy)
    }

    /// As [`AssemblyPart::new`], on the threads of a pool; the result is the same.
    pub fn new_in(pool: &rayon::ThreadPool, mesh: Arc<Mesh>) -> Result<AssemblyPart, HierarchyError> {
        let hierarchy = Hierarchy::build_in(pool, &all_triangles(&mesh), &BuildOptions::default())?;
        AssemblyPart::with_hierarchy(mesh, hierarchy)
    }

    fn with_hierarchy(mesh: Arc<Mesh>, hierarchy: Hierarchy) -> Result<AssemblyPart, HierarchyError> {
        let (min, max) = mesh.bounds();
        // A mesh with a hierarchy has triangles.
        let solid = TriangleMesh::new(mesh).map_err(|_| HierarchyError::Empty)?;
        Ok(AssemblyPart { solid, hierarchy, bounds: Aabb { min, max } })
    }

    /// The tree over its triangles.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// The box around it.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// A point of this part that lies inside the other, if the other is closed and one is found. Points are taken
    /// `depth` below the surface of a closed part, on the surface of an open one.
    fn point_inside(&self, other: &AssemblyPart, depth: f64) -> Option<DVec3> {
        if !other.solid.is_solid() {
            return None;
        }
        let mesh = self.solid.mesh();
        let count = mesh.triangles().len();
        let depth = if self.solid.is_solid() { depth } else { 0.0 };
        (0..count.min(SAMPLES)).map(|sample| sample * count / count.min(SAMPLES)).find_map(|triangle| {
            let [a, b, c] = mesh.triangle_points(triangle);
            let normal = mesh.face_normal(mesh.triangle_face(triangle) as usize);
            let point = (a + b + c) / 3.0 - depth * normal;
            let inside = other.bounds.contains(point) && other.solid.contains(point) == Some(true);
            inside.then_some(point)
        })
    }
}

/// All triangles that a body can be touched at: those of the mesh, then those without area that are no faces of it. A
/// face without area is a line or a point of the soup, and may be the only thing there.
pub fn all_triangles(mesh: &Mesh) -> Vec<[DVec3; 3]> {
    let mut triangles: Vec<[DVec3; 3]> =
        (0..mesh.triangles().len()).map(|triangle| mesh.triangle_points(triangle)).collect();
    for face in mesh.degenerate_faces() {
        let corners: Vec<DVec3> =
            face.corners.iter().map(|&corner| mesh.positions()[corner as usize]).collect();
        match corners.as_slice() {
            [] => {}
            [point] => triangles.push([*point; 3]),
            [from, to] => triangles.push([*from, *to, *to]),
            [first, rest @ ..] => triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]])),
        }
    }
    triangles
}

/// How two parts lie to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClashKind {
    /// Their surfaces cross by more than the tolerance.
    Overlapping {
        /// How far, in m, a triangle of one reaches through a triangle of the other: the parts overlap by at least that.
        reach: f64,
    },
    /// Their surfaces do not cross, and yet a piece of one lies inside the other.
    Inside,
    /// Their surfaces meet and cross by no more than the tolerance.
    Touching,
    /// They are apart, by less than the wanted clearance.
    Near,
}

/// Two parts that clash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clash {
    /// How they lie to each other.
    pub kind: ClashKind,
    /// The nearest points, or a place where they meet.
    pub contact: ContactPoint,
}

/// Examines two parts; none if they keep more than the clearance, in m. `tolerance`, in m, tells touching from
/// overlapping. Both must be finite and not negative.
pub fn clash(
    a: &AssemblyPart,
    b: &AssemblyPart,
    clearance: f64,
    tolerance: f64,
    workspace: &mut Workspace,
) -> Result<Option<Clash>, QueryError> {
    for (option, value) in [("the clearance", clearance), ("the tolerance", tolerance)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(QueryError::Option { option, value, wanted: "0 or a positive number of metres" });
        }
    }
    let boxes_meet = a.bounds.overlaps(&b.bounds);
    if !boxes_meet && !a.bounds.grown(clearance).overlaps(&b.bounds) {
        return Ok(None);
    }
    let place = Pose::IDENTITY;
    let mut pairs = Vec::new();
    all_overlaps(&a.hierarchy, &place, &b.hierarchy, &place, workspace, &mut pairs)?;
    let reach = pairs
        .iter()
        .filter_map(|&(on_a, on_b)| Some((a.hierarchy.triangle(on_a)?, b.hierarchy.triangle(on_b)?)))
        .map(|(on_a, on_b)| triangles_cross_by(on_a, on_b))
        .fold(0.0, f64::max);
    // Far enough below a surface to be inside although the surfaces touch within the tolerance.
    let depth = 4.0 * tolerance;
    let inside = || boxes_meet && (a.point_inside(b, depth).is_some() || b.point_inside(a, depth).is_some());
    let kind = if reach > tolerance {
        ClashKind::Overlapping { reach }
    } else if inside() {
        ClashKind::Inside
    } else if !pairs.is_empty() {
        ClashKind::Touching
    } else {
        ClashKind::Near
    };
    // A part inside another may be far from its surface, and clashes all the same.
    let within = if kind == ClashKind::Near { clearance } else { f64::INFINITY };
    let options = DistanceOptions { within, ..DistanceOptions::default() };
    let contact = distance(&a.hierarchy, &place, &b.hierarchy, &place, &options, workspace)?;
    Ok(contact.map(|contact| Clash { kind, contact }))
}

/// How far two triangles cross: the smallest of how far each reaches through the plane of the other on its shorter side,
/// and of the length of the line along which they meet. 0 for triangles that only touch, or lie in one plane.
pub fn triangles_cross_by(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let normal = |t: &[DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]).try_unit();
    let (Some(normal_a), Some(normal_b)) = (normal(a), normal(b)) else { return 0.0 };
    let Some(line) = normal_a.cross(normal_b).try_unit() else { return 0.0 };
    let heights_a = a.map(|corner| normal_b.dot(corner - b[0]));
    let heights_b = b.map(|corner| normal_a.dot(corner - a[0]));
    let shorter_side = |heights: [f64; 3]| {
        let above = heights.into_iter().fold(0.0, f64::max);
        let below = heights.into_iter().fold(0.0, |low: f64, height| low.max(-height));
        above.min(below)
    };
    let (low_a, high_a) = trace(a, heights_a, line);
    let (low_b, high_b) = trace(b, heights_b, line);
    let shared = high_a.min(high_b) - low_a.max(low_b);
    shorter_side(heights_a).min(shorter_side(heights_b)).min(shared.max(0.0))
}

/// Where a triangle with these heights over a plane meets it, as an interval along a line in the plane.
fn trace(triangle: &[DVec3; 3], heights: [f64; 3], line: DVec3) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        if (heights[from] < 0.0) != (heights[to] < 0.0) {
            let share = heights[from] / (heights[from] - heights[to]);
            let along = line.dot(triangle[from].lerp(triangle[to], share));
            (low, high) = (low.min(along), high.max(along));
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prall_geometry::{MeshOptions, generate};

    fn cube(size: f64, at: DVec3) -> AssemblyPart {
        let soup = generate::cuboid(DVec3::splat(size)).unwrap();
        let soup = soup.transformed(&glam::DAffine3::from_translation(at)).unwrap();
        AssemblyPart::new(Arc::new(Mesh::from_soup(&soup, &MeshOptions::default()).unwrap())).unwrap()
    }

    fn kind(a: &AssemblyPart, b: &AssemblyPart) -> Option<ClashKind> {
        let one = clash(a, b, 0.01, 1e-6, &mut Workspace::new()).unwrap().map(|clash| clash.kind);
        let other = clash(b, a, 0.01, 1e-6, &mut Workspace::new()).unwrap().map(|clash| clash.kind);
        assert_eq!(one, other, "the order of the parts matters");
        one
    }

    #[test]
    fn cubes_are_told_apart_by_how_they_lie() {
        let unit = cube(1.0, DVec3::ZERO);
        assert_eq!(kind(&unit, &cube(1.0, DVec3::X * 1.02)), None);
        assert_eq!(kind(&unit, &cube(1.0, DVec3::X * 1.005)), Some(ClashKind::Near));
        assert_eq!(kind(&unit, &cube(1.0, DVec3::X)), Some(ClashKind::Touching));
        assert_eq!(kind(&unit, &cube(1.0, DVec3::new(1.0, 0.3, 0.4))), Some(ClashKind::Touching));
        assert_eq!(kind(&unit, &cube(0.5, DVec3::ZERO)), Some(ClashKind::Inside));
        assert_eq!(kind(&unit, &cube(1.0, DVec3::ZERO)), Some(ClashKind::Inside));
        assert_eq!(kind(&unit, &cube(0.5, DVec3::X * 0.25)), Some(ClashKind::Inside));
    }

    /// A corner of one cube is 0.1 m deep in the other along each axis: so far its faces reach.
    #[test]
    fn the_reach_of_an_overlap_is_measured() {
        let (a, b) = (cube(1.0, DVec3::ZERO), cube(1.0, DVec3::splat(0.9)));
        let Some(ClashKind::Overlapping { reach }) = kind(&a, &b) else { panic!("the cubes overlap") };
        assert!((reach - 0.1).abs() < 1e-12, "{reach}");
        let thin = kind(&a, &cube(1.0, DVec3::splat(1.0 - 1e-7)));
        assert_eq!(thin, Some(ClashKind::Touching));
    }

    #[test]
    fn a_clearance_that_is_none_is_refused() {
        let (a, b) = (cube(1.0, DVec3::ZERO), cube(1.0, DVec3::X * 1.005));
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            for (clearance, tolerance) in [(bad, 1e-6), (0.01, bad)] {
                let answer = clash(&a, &b, clearance, tolerance, &mut Workspace::new());
                assert!(matches!(answer, Err(QueryError::Option { .. })), "{answer:?}");
            }
        }
    }

    #[test]
    fn an_open_part_has_no_inside() {
        let soup = generate::cuboid(DVec3::ONE).unwrap();
        let mut open = prall_geometry::PolygonSoup::new();
        for position in soup.positions() {
            open.push_position(*position).unwrap();
        }
        for face in soup.faces().skip(1) {
            open.push_face(face).unwrap();
        }
        let open = Mesh::from_soup(&open, &MeshOptions::default()).unwrap();
        let open = AssemblyPart::new(Arc::new(open)).unwrap();
        assert_eq!(kind(&open, &cube(0.5, DVec3::ZERO)), None);
        assert_eq!(kind(&open, &cube(2.0, DVec3::ZERO)), Some(ClashKind::Inside));
    }
}

//! Which parts of an assembly at rest touch, overlap or come too near?

mod regions;

use std::sync::Arc;

use glam::DVec3;
use prall_geometry::{Aabb, Mesh, Ray, TriangleMesh};
use prall_math::{Norm, Pose};

use crate::contact::ContactPoint;
use crate::distance::{DistanceOptions, distance};
use crate::error::{HierarchyError, QueryError};
use crate::hierarchy::{BuildOptions, Hierarchy};
use crate::overlap::all_overlaps;
use crate::workspace::Workspace;

/// Triangles that are looked at to say how two parts lie to each other: each region of a surface costs all triangles of
/// the other. It is a second's work, and no region of surfaces of a few thousand triangles is left out for it.
const WORK: usize = 20_000_000;

/// Regions that are asked for however large the other part is.
const FEWEST_SAMPLES: usize = 100;

/// How far below and above its surface a region is looked at, in tolerances: surfaces that touch may cross by one.
const DEPTH: f64 = 2.0;

/// How far from the borders of a region it is looked at, in tolerances; regions that are narrower do not count.
const WIDTH: f64 = 4.0;

/// Common regions whose depth is measured.
const MEASURED: usize = 32;

/// A mesh in its place, made ready to be compared with others. Copies share the mesh and its tree.
#[derive(Clone, Debug)]
pub struct AssemblyPart {
    content: Arc<Content>,
    pose: Pose,
    /// In the coordinates of the assembly.
    bounds: Aabb,
}

/// What all places of a part have in common.
#[derive(Debug)]
struct Content {
    solid: TriangleMesh,
    hierarchy: Hierarchy,
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
        let content = Arc::new(Content { solid, hierarchy });
        Ok(AssemblyPart { content, pose: Pose::IDENTITY, bounds: Aabb { min, max } })
    }

    /// The same mesh in another place: `pose` leads from the coordinates that the mesh is written in to those of the assembly.
    pub fn placed(&self, pose: Pose) -> AssemblyPart {
        let points = self.content.solid.mesh().positions().iter().map(|point| pose.transform_point(*point));
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = points.fold(nothing, |(min, max), point| (min.min(point), max.max(point)));
        // A few roundings of its coordinates: parts that touch in exact numbers have boxes that meet.
        let rounding = 8.0 * f64::EPSILON * min.abs().max(max.abs()).max_element();
        let bounds = Aabb { min, max }.grown(rounding);
        AssemblyPart { content: Arc::clone(&self.content), pose, bounds }
    }

    /// The box around it.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// A triangle of its tree, in the coordinates of the assembly.
    fn triangle(&self, index: u32) -> Option<[DVec3; 3]> {
        let triangle = self.content.hierarchy.triangle(index)?;
        Some(triangle.map(|corner| self.pose.transform_point(corner)))
    }

    /// Whether a point lies in the solid; false for an open surface, which has no inside.
    fn holds(&self, point: DVec3) -> bool {
        self.bounds.contains(point)
            && self.content.solid.contains(self.pose.inverse_transform_point(point)) == Some(true)
    }

    /// How the regions of this surface lie to the other solid. `mates` are its triangles that meet the other surface, each
    /// with one that it meets.
    fn regions_in(&self, other: &AssemblyPart, mut mates: Vec<(u32, [DVec3; 3])>, tolerance: f64) -> Regions {
        let Content { solid, .. } = self.content.as_ref();
        let mesh = solid.mesh();
        for (_, mate) in &mut mates {
            *mate = mate.map(|corner| self.pose.inverse_transform_point(corner));
        }
        // Triangles without area are no part of the surface of a solid.
        mates.retain(|(triangle, _)| (*triangle as usize) < mesh.triangles().len());
        mates.sort_by_key(|(triangle, _)| *triangle);
        let (depth, width) = (DEPTH * tolerance, WIDTH * tolerance);
        let samples = regions::samples(mesh, &mates, width);
        let most = (WORK / other.content.solid.mesh().triangles().len().max(1)).max(FEWEST_SAMPLES);
        let count = samples.len().min(most);
        let mut regions = Regions { all_within: count > 0, ..Regions::default() };
        for number in 0..count {
            let regions::Sample { point, normal } = samples[number * samples.len() / count];
            let (point, normal) = (self.pose.transform_point(point), self.pose.transform_vector(normal));
            let below = other.holds(point - depth * normal);
            let above = other.holds(point + depth * normal);
            // An open surface has nothing below it: it lies inside where both sides do.
            let within = if solid.is_solid() { below } else { below && above };
            regions.all_within &= within;
            regions.any_beside |= above && solid.is_solid();
            if within && regions.common.len() < MEASURED {
                regions.common.push((point - depth * normal, normal));
            }
        }
        regions
    }

    /// How far the solid goes on from a point inside it.
    fn depth_along(&self, point: DVec3, direction: DVec3) -> f64 {
        let (point, direction) =
            (self.pose.inverse_transform_point(point), self.pose.inverse_transform_vector(direction));
        let ray = Ray::new(point, direction).ok();
        let hit = ray.and_then(|ray| self.content.solid.ray_cast(&ray, f64::INFINITY));
        hit.map_or(0.0, |hit| hit.distance)
    }
}

/// How the regions of a surface lie to another solid.
#[derive(Default)]
struct Regions {
    /// What lies just below each of them belongs to the other.
    all_within: bool,
    /// What lies just above one of them belongs to the other.
    any_beside: bool,
    /// Points just below the surface that belong to the other, with the normals.
    common: Vec<(DVec3, DVec3)>,
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
    /// They have room in common, and each has room of its own.
    Overlapping {
        /// The parts overlap by at least this, in m: so far a triangle of one reaches through a triangle of the other, or,
        /// where surfaces meet without crossing, the common room goes on below each face that was looked at.
        reach: f64,
    },
    /// They fill the same room.
    Coincident,
    /// One lies inside the other; their surfaces may touch.
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
    let (tree_a, tree_b) = (&a.content.hierarchy, &b.content.hierarchy);
    if Arc::ptr_eq(&a.content, &b.content) && a.pose == b.pose {
        // Two copies in one place: each triangle lies on itself, and there is nothing to look for.
        let kind = if a.content.solid.is_solid() { ClashKind::Coincident } else { ClashKind::Touching };
        let contact = distance(tree_a, &a.pose, tree_b, &b.pose, &DistanceOptions::default(), workspace)?;
        return Ok(contact.map(|contact| Clash { kind, contact }));
    }
    let mut pairs = Vec::new();
    all_overlaps(tree_a, &a.pose, tree_b, &b.pose, workspace, &mut pairs)?;
    let reach = pairs
        .iter()
        .filter_map(|&(on_a, on_b)| Some((a.triangle(on_a)?, b.triangle(on_b)?)))
        .map(|(on_a, on_b)| triangles_cross_by(&on_a, &on_b))
        .fold(0.0, f64::max);
    let kind = if reach > tolerance {
        ClashKind::Overlapping { reach }
    } else {
        let relation = if boxes_meet { relation(a, b, &pairs, tolerance) } else { None };
        relation.unwrap_or(if pairs.is_empty() { ClashKind::Near } else { ClashKind::Touching })
    };
    // A part inside another may be far from its surface, and clashes all the same.
    let within = if kind == ClashKind::Near { clearance } else { f64::INFINITY };
    let options = DistanceOptions { within, ..DistanceOptions::default() };
    let contact = distance(tree_a, &a.pose, tree_b, &b.pose, &options, workspace)?;
    Ok(contact.map(|contact| Clash { kind, contact }))
}

/// How parts lie to each other whose surfaces do not cross; `None` if they have no room in common.
fn relation(a: &AssemblyPart, b: &AssemblyPart, pairs: &[(u32, u32)], tolerance: f64) -> Option<ClashKind> {
    let mates_of_a = pairs.iter().filter_map(|&(on_a, on_b)| Some((on_a, b.triangle(on_b)?))).collect();
    let mates_of_b = pairs.iter().filter_map(|&(on_a, on_b)| Some((on_b, a.triangle(on_a)?))).collect();
    let regions_of_a = a.regions_in(b, mates_of_a, tolerance);
    let regions_of_b = b.regions_in(a, mates_of_b, tolerance);
    if regions_of_a.common.is_empty() && regions_of_b.common.is_empty() {
        return None;
    }
    // What lies above a region of one, in the other, is room that the one has not.
    let a_in_b = regions_of_a.all_within && !regions_of_b.any_beside;
    let b_in_a = regions_of_b.all_within && !regions_of_a.any_beside;
    Some(match (a_in_b, b_in_a) {
        (true, true) => ClashKind::Coincident,
        (false, false) => {
            let common = regions_of_a.common.iter().chain(&regions_of_b.common);
            let depth =
                |&(point, normal): &(DVec3, DVec3)| [a, b].map(|part| part.depth_along(point, -normal));
            let reach = common.map(depth).map(|[in_a, in_b]| in_a.min(in_b)).fold(f64::INFINITY, f64::min);
            ClashKind::Overlapping { reach }
        }
        _ => ClashKind::Inside,
    })
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
        assert_eq!(kind(&unit, &cube(1.0, DVec3::ZERO)), Some(ClashKind::Coincident));
        assert_eq!(kind(&unit, &cube(0.5, DVec3::X * 0.25)), Some(ClashKind::Inside));
    }

    /// Two copies in one place are told from their names alone, as two meshes that were written there are by their regions.
    #[test]
    fn copies_in_one_place_coincide_and_sheets_touch() {
        let turn = glam::DQuat::from_rotation_x(0.3);
        let place = Pose::new(turn, DVec3::new(0.1, 0.2, 0.3));
        let ball = generate::ico_sphere(0.5, 1).unwrap();
        let part = |soup: &prall_geometry::PolygonSoup| {
            AssemblyPart::new(Arc::new(Mesh::from_soup(soup, &MeshOptions::default()).unwrap())).unwrap()
        };
        let (copy, again) = (part(&ball), part(&ball));
        let expected = kind(&copy, &again);
        assert_eq!(expected, Some(ClashKind::Coincident));
        assert_eq!(kind(&copy.placed(place), &copy.placed(place)), expected);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Z];
        let sheet = prall_geometry::PolygonSoup::from_triangles(corners.to_vec(), &[[0, 1, 2]]).unwrap();
        let (sheet, again) = (part(&sheet), part(&sheet));
        let expected = kind(&sheet, &again);
        assert_eq!(kind(&sheet.placed(place), &sheet.placed(place)), expected);
    }

    /// Copies of one mesh in places lie to each other as meshes do that were written there.
    #[test]
    fn placed_copies_lie_as_meshes_that_were_written_there() {
        let soup = generate::cuboid(DVec3::new(1.0, 0.5, 0.25)).unwrap();
        let part = |soup: &prall_geometry::PolygonSoup| {
            AssemblyPart::new(Arc::new(Mesh::from_soup(soup, &MeshOptions::default()).unwrap())).unwrap()
        };
        let copy = part(&soup);
        let turn = |axis, angle| glam::DQuat::from_axis_angle(axis, angle);
        let quarter = turn(DVec3::Z, std::f64::consts::FRAC_PI_2);
        let first = Pose::new(turn(DVec3::new(0.6, 0.0, 0.8), 0.7), DVec3::new(3.0, -1.0, 2.0));
        for (relative, wanted) in [
            (Pose::IDENTITY, Some(ClashKind::Coincident)),
            (Pose::from_translation(DVec3::X * 1.005), Some(ClashKind::Near)),
            (Pose::from_translation(DVec3::X * 1.2), None),
            (Pose::new(quarter, DVec3::X * 0.1), None),
            (Pose::new(turn(DVec3::X, 0.4), DVec3::new(0.3, 0.1, 0.0)), None),
        ] {
            let poses = [first, first * relative];
            let placed = poses.map(|pose| copy.placed(pose));
            let written = poses.map(|pose| {
                let transform = glam::DAffine3::from_rotation_translation(pose.rotation, pose.translation);
                part(&soup.transformed(&transform).unwrap())
            });
            let compare = |parts: &[AssemblyPart; 2]| {
                clash(&parts[0], &parts[1], 0.01, 1e-6, &mut Workspace::new()).unwrap()
            };
            let (found, expected) = (compare(&placed), compare(&written));
            assert_eq!(found.is_some(), expected.is_some(), "{relative:?}");
            let (Some(found), Some(expected)) = (found, expected) else { continue };
            assert_eq!(
                std::mem::discriminant(&found.kind),
                std::mem::discriminant(&expected.kind),
                "{found:?}"
            );
            assert!(wanted.is_none_or(|wanted| wanted == found.kind), "{found:?}");
            if let (ClashKind::Overlapping { reach: a }, ClashKind::Overlapping { reach: b }) =
                (found.kind, expected.kind)
            {
                assert!((a - b).abs() < 1e-12, "{a} and {b}");
            }
            assert!((found.contact.gap - expected.contact.gap).abs() < 1e-12);
            // One tree for both.
            assert!(Arc::ptr_eq(&placed[0].content, &placed[1].content));
        }
    }

    fn block(size: DVec3, at: DVec3) -> AssemblyPart {
        let soup = generate::cuboid(size).unwrap();
        let soup = soup.transformed(&glam::DAffine3::from_translation(at)).unwrap();
        AssemblyPart::new(Arc::new(Mesh::from_soup(&soup, &MeshOptions::default()).unwrap())).unwrap()
    }

    /// Blocks on a grid of quarters of a metre, so that most faces are flush: judged by their intervals along the axes.
    #[test]
    fn flush_blocks_lie_as_their_intervals_say() {
        let mut state = 7_u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) % most
        };
        let mut counts = std::collections::BTreeMap::<&str, usize>::new();
        for _ in 0..400 {
            let mut block_at_random = || {
                let low = [0; 3].map(|_| next(3) as f64);
                let size = [0; 3].map(|_| 1.0 + next(3) as f64);
                (DVec3::from(low) / 4.0, (DVec3::from(low) + DVec3::from(size)) / 4.0)
            };
            let (a, b) = (block_at_random(), block_at_random());
            let common = (a.1.min(b.1) - a.0.max(b.0)).min_element();
            let holds = |x: (DVec3, DVec3), y: (DVec3, DVec3)| x.0.cmple(y.0).all() && x.1.cmpge(y.1).all();
            let expected = match (holds(a, b), holds(b, a)) {
                _ if common < 0.0 => "none",
                _ if common == 0.0 => "touching",
                (true, true) => "coincident",
                (false, false) => "overlapping",
                _ => "inside",
            };
            let part = |(low, high): (DVec3, DVec3)| block(high - low, 0.5 * (low + high));
            let found = match kind(&part(a), &part(b)) {
                None => "none",
                Some(ClashKind::Near) => "near",
                Some(ClashKind::Touching) => "touching",
                Some(ClashKind::Coincident) => "coincident",
                Some(ClashKind::Inside) => "inside",
                Some(ClashKind::Overlapping { reach }) => {
                    assert!(reach > 0.0 && reach <= 0.75 + 1e-9, "{a:?} and {b:?}: {reach}");
                    "overlapping"
                }
            };
            assert_eq!(found, expected, "{a:?} and {b:?}");
            *counts.entry(expected).or_default() += 1;
        }
        assert!(
            ["none", "touching", "overlapping", "inside"].iter().all(|kind| counts[kind] > 10),
            "{counts:?}"
        );
    }

    /// Two blocks that are flush on four sides and overlap by half.
    #[test]
    fn a_flush_overlap_is_measured() {
        let (a, b) = (cube(1.0, DVec3::ZERO), cube(1.0, DVec3::X * 0.5));
        let Some(ClashKind::Overlapping { reach }) = kind(&a, &b) else { panic!("the cubes overlap") };
        assert!((reach - 0.5).abs() < 1e-5, "{reach}");
    }

    /// A plate with a hole, and a pin that fills the hole: they touch all around. A plate without the hole holds the pin.
    #[test]
    fn a_pin_in_its_hole_touches_and_a_pin_in_solid_is_inside() {
        let bar = |from: DVec3, to: DVec3| block(to - from, 0.5 * (from + to));
        let mut frame = prall_geometry::PolygonSoup::new();
        let (outer, inner) = ([-1.0, 1.0], [-0.25, 0.25]);
        // A frame of eight corners below and eight above: walls outside and inside, and the flat rings.
        let ring = |[low, high]: [f64; 2], z: f64| {
            [[low, low], [high, low], [high, high], [low, high]].map(|[x, y]| DVec3::new(x, y, z))
        };
        for point in [ring(outer, -0.1), ring(inner, -0.1), ring(outer, 0.1), ring(inner, 0.1)].concat() {
            frame.push_position(point).unwrap();
        }
        for i in 0..4_u32 {
            let j = (i + 1) % 4;
            frame.push_face(&[i, j, 8 + j, 8 + i]).unwrap();
            frame.push_face(&[4 + j, 4 + i, 12 + i, 12 + j]).unwrap();
            frame.push_face(&[8 + i, 8 + j, 12 + j, 12 + i]).unwrap();
            frame.push_face(&[j, i, 4 + i, 4 + j]).unwrap();
        }
        let frame = Arc::new(Mesh::from_soup(&frame, &MeshOptions::default()).unwrap());
        let frame = AssemblyPart::new(frame).unwrap();
        let pin = bar(DVec3::new(-0.25, -0.25, -0.1), DVec3::new(0.25, 0.25, 0.1));
        let plate = bar(DVec3::new(-1.0, -1.0, -0.1), DVec3::new(1.0, 1.0, 0.1));
        assert_eq!(kind(&frame, &pin), Some(ClashKind::Touching));
        assert_eq!(kind(&plate, &pin), Some(ClashKind::Inside));
        assert_eq!(kind(&plate, &frame), Some(ClashKind::Inside));
        let wide = bar(DVec3::new(-0.5, -0.25, -0.1), DVec3::new(0.25, 0.25, 0.1));
        assert!(matches!(kind(&frame, &wide), Some(ClashKind::Overlapping { .. })));
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

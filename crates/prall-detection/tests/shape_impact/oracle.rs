//! What the answers are compared with: gaps at an instant, by whatever is simplest for a pair of shapes.

use std::sync::Arc;

use glam::DVec3;
use prall_detection::{
    Budget, ImpactOptions, TimeOfImpact, Touchable, Workspace, separation, shape_time_of_impact,
    triangle_distance,
};
use prall_geometry::{
    Compound, ConvexHull, Heightfield, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate,
};
use prall_math::{Motion, Pose};

use crate::random::Random;

/// Corners by which the rim of a round body is replaced; the sagitta is what that leaves out.
const RIM: usize = 96;

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

pub(crate) fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(DVec3::new(x, y, z)).unwrap()
}

pub(crate) fn mesh_of(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

pub(crate) fn mesh_box(half: DVec3) -> Shape {
    mesh_of(&generate::cuboid(2.0 * half).unwrap())
}

/// Asks with unlimited budget.
pub(crate) fn impact(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> TimeOfImpact {
    impact_with(a, motion_a, b, motion_b, &ImpactOptions::default())
}

pub(crate) fn impact_with(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &ImpactOptions,
) -> TimeOfImpact {
    let (a, b) = (Touchable::new(a).unwrap(), Touchable::new(b).unwrap());
    let mut budget = Budget::unlimited();
    let answer =
        shape_time_of_impact(&a, motion_a, &b, motion_b, options, &mut budget, &mut Workspace::new())
            .unwrap();
    assert!(answer.finished);
    assert!(answer.contact.is_some() || answer.free_until == 1.0, "{answer:?}");
    answer
}

/// How many metres a gap of [`gap`] may be too large, from replacing rims by polygons.
pub(crate) fn slack(shape: &Shape) -> f64 {
    let sagitta = 1.0 - libm::cos(std::f64::consts::PI / RIM as f64);
    match shape {
        Shape::Cylinder(s) => s.radius() * sagitta,
        Shape::Cone(s) => s.radius() * sagitta,
        Shape::Compound(s) => s.children().iter().fold(0.0, |most, (_, child)| most.max(slack(child))),
        _ => 0.0,
    }
}

/// Distance of two shapes at an instant, not too small; meshes count as surfaces. 0 or less if they overlap.
pub(crate) fn gap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    if let Shape::Compound(compound) = a {
        let gaps = compound.children().iter().map(|(pose, child)| gap(child, &(*pose_a * *pose), b, pose_b));
        return gaps.fold(f64::INFINITY, f64::min);
    }
    if let Shape::Compound(_) = b {
        return gap(b, pose_b, a, pose_a);
    }
    if let Some(near) = separation(a, pose_a, b, pose_b).unwrap() {
        return near.gap;
    }
    match (a, b) {
        (Shape::HalfSpace(_), Shape::HalfSpace(_)) => f64::INFINITY,
        (_, Shape::HalfSpace(_)) => {
            let height = |p: DVec3| pose_b.inverse_transform_point(p).y;
            let down = pose_a.inverse_transform_vector(pose_b.transform_vector(DVec3::NEG_Y));
            match a.support(down) {
                Some(lowest) => height(pose_a.transform_point(lowest)),
                None => {
                    triangles(a, pose_a).0.iter().flatten().map(|&p| height(p)).fold(f64::INFINITY, f64::min)
                }
            }
        }
        (Shape::HalfSpace(_), _) => gap(b, pose_b, a, pose_a),
        _ => {
            let ((p, radius_a), (q, radius_b)) = (triangles(a, pose_a), triangles(b, pose_b));
            let pairs = p.iter().flat_map(|s| q.iter().map(move |t| triangle_distance(s, t).distance()));
            pairs.fold(f64::INFINITY, f64::min) - radius_a - radius_b
        }
    }
}

/// The surface as triangles in the world with a radius around them.
fn triangles(shape: &Shape, pose: &Pose) -> (Vec<[DVec3; 3]>, f64) {
    let place =
        |list: Vec<[DVec3; 3]>| list.into_iter().map(|t| t.map(|p| pose.transform_point(p))).collect();
    let hull = |points: &[DVec3]| {
        let hull = ConvexHull::from_points(points).unwrap();
        let mesh = Mesh::from_soup(&hull.to_soup(), &MeshOptions::default()).unwrap();
        (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect::<Vec<_>>()
    };
    let rim = |radius: f64, height: f64| {
        (0..RIM).map(move |i| {
            let (sine, cosine) = libm::sincos(std::f64::consts::TAU * i as f64 / RIM as f64);
            DVec3::new(radius * cosine, height, radius * sine)
        })
    };
    match shape {
        Shape::Sphere(s) => (place(vec![[DVec3::ZERO; 3]]), s.radius()),
        Shape::Capsule(s) => {
            let end = DVec3::Y * s.half_height();
            (place(vec![[end, -end, -end]]), s.radius())
        }
        Shape::Box(s) => {
            let corner = |i: usize| {
                let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
                s.half_extents() * DVec3::new(sign(1), sign(2), sign(4))
            };
            (place(hull(&(0..8).map(corner).collect::<Vec<_>>())), 0.0)
        }
        Shape::ConvexHull(s) => (place(hull(s.vertices())), 0.0),
        Shape::Cylinder(s) => {
            let (h, r) = (s.half_height(), s.radius());
            (place(hull(&rim(r, h).chain(rim(r, -h)).collect::<Vec<_>>())), 0.0)
        }
        Shape::Cone(s) => {
            let (h, r) = (s.half_height(), s.radius());
            (place(hull(&rim(r, -h).chain([DVec3::Y * h]).collect::<Vec<_>>())), 0.0)
        }
        Shape::TriangleMesh(s) => {
            let mesh = s.mesh();
            (place((0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect()), 0.0)
        }
        Shape::Heightfield(s) => {
            (place((0..s.triangle_count()).map(|t| s.triangle_points(t)).collect()), 0.0)
        }
        Shape::HalfSpace(_) | Shape::Compound(_) => unreachable!("treated before"),
    }
}

/// One of every kind of shape, about half a metre in size.
pub(crate) fn random_shape(random: &mut Random, kind: u64) -> Shape {
    let mut length = || random.between(0.1, 0.5);
    match kind {
        0 => Shape::sphere(length()).unwrap(),
        1 => cuboid(length(), length(), length()),
        2 => Shape::capsule(length(), length()).unwrap(),
        3 => Shape::cylinder(length(), length()).unwrap(),
        4 => Shape::cone(length(), length()).unwrap(),
        5 => {
            let points: Vec<DVec3> = (0..12).map(|_| random.direction() * 0.4).collect();
            Shape::ConvexHull(Arc::new(ConvexHull::from_points(&points).unwrap()))
        }
        6 => mesh_box(DVec3::new(length(), length(), length())),
        7 => {
            let heights: Vec<f64> = (0..16).map(|_| random.between(-0.1, 0.1)).collect();
            Shape::Heightfield(Arc::new(Heightfield::new(4, 4, 1.2, 1.2, heights).unwrap()))
        }
        8 => {
            let mut child = |kind| {
                let shape = random_shape(random, kind);
                (Pose::new(random.rotation(), random.vector(0.4)), shape)
            };
            Shape::Compound(Arc::new(Compound::new(vec![child(1), child(0), child(2)]).unwrap()))
        }
        _ => Shape::HalfSpace(prall_geometry::HalfSpace),
    }
}

/// Number of kinds that [`random_shape`] knows; the last is the half-space.
pub(crate) const KINDS: u64 = 10;

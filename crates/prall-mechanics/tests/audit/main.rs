//! The auditor, held to closed forms, exact rationals and brute force.

mod closed_forms;
mod exact_boxes;
mod laws;
mod many;

use glam::{DQuat, DVec3};
use prall_geometry::{HalfSpace, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_math::Pose;
use prall_mechanics::audit::{AuditBody, AuditReport, Auditor};
use std::sync::Arc;

/// Rounding of coordinates of some metres, in metres.
const ROUNDING: f64 = 1e-13;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(DVec3::new(x, y, z)).unwrap()
}

fn half_space() -> Shape {
    Shape::HalfSpace(HalfSpace)
}

fn mesh_of(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

fn movable(shape: &Shape) -> AuditBody {
    AuditBody { shape: shape.clone(), movable: true, filter: Default::default() }
}

fn auditor(shapes: &[&Shape]) -> Auditor {
    let mut auditor = Auditor::new();
    for shape in shapes {
        auditor.add_body(movable(shape));
    }
    auditor
}

fn audit(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> AuditReport {
    auditor(&[a, b]).audit(&[pose_a, pose_b]).unwrap()
}

/// The depth of two bodies, 0 if they do not overlap; the same whichever comes first, and a kilometre away.
fn depth(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> f64 {
    let report = audit(a, pose_a, b, pose_b);
    let swapped = audit(b, pose_b, a, pose_a);
    assert!((report.penetration_max - swapped.penetration_max).abs() < 1e-9, "{report:?} {swapped:?}");
    let far = Pose::new(DQuat::from_rotation_x(0.7), DVec3::new(700.0, 500.0, -500.0));
    let moved = audit(a, far * pose_a, b, far * pose_b);
    // A picometre is the rounding of a kilometre; round bodies are searched to 1e-9.
    assert!((report.penetration_max - moved.penetration_max).abs() < 2e-9, "{report:?} {moved:?}");
    report.penetration_max
}

//! [`TriangleMesh`]: a mesh as a shape, solid if it is closed.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use prall_math::Pose;

use super::{ShapeError, SurfacePoint, aabb_of_points};
use crate::bounding::Aabb;
use crate::closest::on_triangle;
use crate::half_edges::HalfEdges;
use crate::hull::ConvexHull;
use crate::mesh::Mesh;
use crate::ray::{Part, Ray, RayHit, TriangleCaster};

/// Meshes with as many vertices have their boxes from the corners of their hull. Fewer are looked at as fast; the hull of more would take more than some
/// 30 ms, and few meshes of that size move.
const WITH_HULL: std::ops::RangeInclusive<usize> = 500..=20_000;

/// A mesh, and whether it encloses anything.
///
/// All queries but boxes look at every triangle.
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    mesh: Arc<Mesh>,
    solid: bool,
    /// Made when a box is first asked for; none if the vertices span no volume.
    hull: OnceLock<Option<Outermost>>,
}

/// Vertices among which the outermost in every direction is, but for a distance in m.
#[derive(Clone, Debug)]
struct Outermost {
    points: Vec<DVec3>,
    missed: f64,
}

impl TriangleMesh {
    /// A mesh as a shape. It is a solid if every edge has exactly two faces that run along it in opposite
    /// directions; otherwise a surface without an inside.
    pub fn new(mesh: Arc<Mesh>) -> Result<TriangleMesh, ShapeError> {
        if mesh.triangles().is_empty() {
            return Err(ShapeError::EmptyMesh);
        }
        let half_edges = HalfEdges::new(&mesh);
        let solid = (0..half_edges.len() as u32).all(|h| half_edges.twin(h).is_some());
        Ok(TriangleMesh { mesh, solid, hull: OnceLock::new() })
    }

    /// A box around the mesh in a pose.
    pub(super) fn aabb(&self, pose: &Pose) -> Aabb {
        let positions = self.mesh.positions();
        let outermost = self.hull.get_or_init(|| {
            let hull = WITH_HULL.contains(&positions.len()).then(|| ConvexHull::from_points(positions).ok());
            // What a hull promises of the points that it was made from.
            hull.flatten()
                .map(|hull| Outermost { points: hull.vertices().to_vec(), missed: 3.0 * hull.tolerance() })
        });
        match outermost {
            Some(Outermost { points, missed }) => aabb_of_points(points, pose).grown(*missed),
            None => aabb_of_points(positions, pose),
        }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<Mesh> {
        &self.mesh
    }

    /// True if it has an inside.
    pub fn is_solid(&self) -> bool {
        self.solid
    }

    /// True if the point is inside or on the surface of a closed mesh, `None` for an open one.
    ///
    /// Inside is where the surface winds around the point at least once, so overlapping closed pieces are a union and inward
    /// shells are cavities. The winding number of a closed mesh is whole, so 1/2 separates with all the
    /// margin there is.
    pub fn contains(&self, point: DVec3) -> Option<bool> {
        self.solid.then(|| self.winds_around(point) || self.nearest(point).distance == 0.0)
    }

    fn winds_around(&self, point: DVec3) -> bool {
        self.mesh.winding_number(point) > 0.5
    }

    /// The closest point of any triangle; the distance is negative inside a closed mesh.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let mut nearest = self.nearest(point);
        if self.solid && nearest.distance > 0.0 && self.winds_around(point) {
            nearest.distance = -nearest.distance;
            nearest.normal = -nearest.normal;
        }
        nearest
    }

    fn nearest(&self, point: DVec3) -> SurfacePoint {
        let mut best = (0, DVec3::ZERO, f64::INFINITY);
        for triangle in 0..self.mesh.triangles().len() {
            let foot = on_triangle(point, self.mesh.triangle_points(triangle));
            let squared = foot.distance_squared(point);
            if squared < best.2 {
                best = (triangle, foot, squared);
            }
        }
        let (triangle, foot, squared) = best;
        let face_normal = || self.mesh.face_normal(self.mesh.triangle_face(triangle) as usize);
        SurfacePoint {
            point: foot,
            normal: (point - foot).try_normalize().unwrap_or_else(face_normal),
            distance: squared.sqrt(),
            part: Part::face(triangle),
        }
    }

    /// Where a ray first meets a triangle; it cannot slip through between two that share vertices.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let caster = TriangleCaster::new(ray);
        let mut best = None;
        for triangle in 0..self.mesh.triangles().len() {
            best = RayHit::nearer(best, caster.cast(self.mesh.triangle_points(triangle), max, triangle));
        }
        best
    }
}

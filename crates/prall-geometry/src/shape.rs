//! [`Shape`]: what a body is made of, for contact, mass and picking.
//!
//! Every shape lives in its own frame; capsule, cylinder and cone stand along y. Questions are asked in that frame: move the
//! point or ray there with the inverse pose. Only [`Shape::aabb`] takes a pose, since its answer depends on it.

mod capsule;
mod compound;
mod cone;
mod cuboid;
mod cylinder;
mod half_space;
mod heightfield;
mod mass;
mod sphere;
mod surface;
mod triangle_mesh;

use std::sync::Arc;

use glam::DVec3;
use prall_math::Pose;
use thiserror::Error;

use crate::bounding::{Aabb, BoundingSphere, BoxMeasure, FitError, OrientedBox, SphereFit};
use crate::hull::ConvexHull;
use crate::ray::{Part, Ray, RayHit};

pub use capsule::Capsule;
pub use compound::Compound;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use half_space::HalfSpace;
pub use heightfield::Heightfield;
pub use mass::ShapeMassError;
pub use sphere::Sphere;
pub use surface::SurfaceError;
pub use triangle_mesh::TriangleMesh;

/// A solid or a surface. Cheap to clone: large ones are shared.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A ball about the origin.
    Sphere(Sphere),
    /// A box about the origin, edges along the axes.
    Box(Cuboid),
    /// All points within a radius of a segment along y.
    Capsule(Capsule),
    /// A round bar along y.
    Cylinder(Cylinder),
    /// A round cone along y, tip up.
    Cone(Cone),
    /// Everything below the plane y = 0.
    HalfSpace(HalfSpace),
    /// A convex polyhedron.
    ConvexHull(Arc<ConvexHull>),
    /// A surface of triangles; a solid if it is closed.
    TriangleMesh(Arc<TriangleMesh>),
    /// Ground over a grid.
    Heightfield(Arc<Heightfield>),
    /// Several shapes, each in its own pose.
    Compound(Arc<Compound>),
}

/// The place on a surface closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// On the surface.
    pub point: DVec3,
    /// Unit direction in which the distance grows: outward for solids, towards the asking point for surfaces.
    pub normal: DVec3,
    /// In metres; negative inside a solid.
    pub distance: f64,
    /// Which part of the shape.
    pub part: Part,
}

/// Why there is no such shape.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A length that must be above zero is not.
    #[error("{shape}: {parameter} is {value} m, but must be a finite number above 0")]
    NotPositive {
        /// The shape's name.
        shape: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        value: f64,
    },
    /// A length that must not be negative is.
    #[error("{shape}: {parameter} is {value} m, but must be a finite number from 0 on")]
    Negative {
        /// The shape's name.
        shape: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        value: f64,
    },
    /// A height field needs at least one cell.
    #[error("a height field needs at least 2 x 2 samples, but has {columns} x {rows}")]
    TooFewSamples {
        /// Samples along x.
        columns: usize,
        /// Samples along z.
        rows: usize,
    },
    /// The number of heights does not fit the grid.
    #[error("a height field of {columns} x {rows} samples needs {} heights, but {heights} were given", columns * rows)]
    WrongHeightCount {
        /// Samples along x.
        columns: usize,
        /// Samples along z.
        rows: usize,
        /// Heights given.
        heights: usize,
    },
    /// A height is infinite or not a number.
    #[error("height {index} of the height field (column {column}, row {row}) is not a finite number")]
    BadHeight {
        /// Index in the list of heights.
        index: usize,
        /// Its column.
        column: usize,
        /// Its row.
        row: usize,
    },
    /// A compound of nothing.
    #[error("a compound needs at least one child")]
    NoChildren,
    /// A compound within a compound.
    #[error(
        "child {child} of the compound is a compound itself; list its children instead, with their poses multiplied"
    )]
    NestedCompound {
        /// Index of the child.
        child: usize,
    },
    /// A pose that is no rigid placement.
    #[error(
        "the pose of child {child} has a number that is not finite or a quaternion that is not of unit length"
    )]
    BadPose {
        /// Index of the child.
        child: usize,
    },
    /// A mesh without triangles.
    #[error("the mesh has no triangles")]
    EmptyMesh,
}

/// Checks that a length is a finite number above zero.
fn positive(shape: &'static str, parameter: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ShapeError::NotPositive { shape, parameter, value })
    }
}

/// Multiples of the last bit by which a box in the world is enlarged (no unit): turning a point costs two dozen
/// operations, half of them on numbers of its own size.
const BOX_ROUNDINGS: f64 = 16.0;

/// The box from `low` to `high` about the pose's origin, enlarged by the rounding of turning and moving points that are within
/// `reach` of it.
pub(crate) fn placed_box(pose: &Pose, low: DVec3, high: DVec3, reach: f64) -> Aabb {
    let slack = BOX_ROUNDINGS * f64::EPSILON * (pose.translation.abs().max_element() + reach);
    Aabb { min: pose.translation + low, max: pose.translation + high }.grown(slack)
}

impl Shape {
    /// A ball of a radius in metres.
    pub fn sphere(radius: f64) -> Result<Shape, ShapeError> {
        Sphere::new(radius).map(Shape::Sphere)
    }

    /// A box of half its edge lengths in metres.
    pub fn cuboid(half_extents: DVec3) -> Result<Shape, ShapeError> {
        Cuboid::new(half_extents).map(Shape::Box)
    }

    /// A capsule around a segment of twice the half height.
    pub fn capsule(half_height: f64, radius: f64) -> Result<Shape, ShapeError> {
        Capsule::new(half_height, radius).map(Shape::Capsule)
    }

    /// A cylinder of twice the half height.
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Shape, ShapeError> {
        Cylinder::new(half_height, radius).map(Shape::Cylinder)
    }

    /// A cone of twice the half height, tip at `+half_height`, base at `-half_height`.
    pub fn cone(half_height: f64, radius: f64) -> Result<Shape, ShapeError> {
        Cone::new(half_height, radius).map(Shape::Cone)
    }

    /// The point of a bounded convex shape farthest in a direction (of any length); `None` for all others.
    pub fn support(&self, direction: DVec3) -> Option<DVec3> {
        match self {
            Shape::Sphere(s) => Some(s.support(direction)),
            Shape::Box(s) => Some(s.support(direction)),
            Shape::Capsule(s) => Some(s.support(direction)),
            Shape::Cylinder(s) => Some(s.support(direction)),
            Shape::Cone(s) => Some(s.support(direction)),
            Shape::ConvexHull(s) => Some(s.support(direction)),
            Shape::HalfSpace(_) | Shape::TriangleMesh(_) | Shape::Heightfield(_) | Shape::Compound(_) => None,
        }
    }

    /// True if [`support`](Self::support) has an answer: bounded and convex.
    pub fn is_convex(&self) -> bool {
        self.support(DVec3::Y).is_some()
    }

    /// A small sphere around the shape, in its own frame: the smallest for all but compounds. `None` if it is unbounded.
    pub fn bounding_sphere(&self) -> Option<BoundingSphere> {
        match self {
            Shape::Sphere(s) => Some(s.bounding_sphere()),
            Shape::Box(s) => Some(s.bounding_sphere()),
            Shape::Capsule(s) => Some(s.bounding_sphere()),
            Shape::Cylinder(s) => Some(s.bounding_sphere()),
            Shape::Cone(s) => Some(s.bounding_sphere()),
            Shape::HalfSpace(_) => None,
            Shape::ConvexHull(s) => sphere_around(s.vertices()),
            Shape::TriangleMesh(s) => sphere_around(s.mesh().positions()),
            Shape::Heightfield(s) => sphere_around(&s.positions()),
            Shape::Compound(s) => s.bounding_sphere(),
        }
    }

    /// The smallest box along the world's axes around the shape in a pose, enlarged by 16 units in the last place of the
    /// largest coordinate so that rounding never leaves a point outside. Infinite where the shape is.
    ///
    /// Exact for primitives; hulls, meshes and height fields look at their vertices.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Shape::Sphere(s) => s.aabb(pose),
            Shape::Box(s) => s.aabb(pose),
            Shape::Capsule(s) => s.aabb(pose),
            Shape::Cylinder(s) => s.aabb(pose),
            Shape::Cone(s) => s.aabb(pose),
            Shape::HalfSpace(s) => s.aabb(pose),
            Shape::ConvexHull(s) => s.aabb(pose),
            Shape::TriangleMesh(s) => s.aabb(pose),
            Shape::Heightfield(s) => aabb_of_points(&s.positions(), pose),
            Shape::Compound(s) => s.aabb(pose),
        }
    }

    /// A box of small surface around the shape, in its own frame; `None` if it is unbounded.
    ///
    /// Along the axes for primitives, where that is the smallest; fitted for the others, which takes milliseconds.
    pub fn oriented_box(&self) -> Option<OrientedBox> {
        let fitted = |points: &[DVec3]| OrientedBox::smallest(points, BoxMeasure::Surface).ok();
        match self {
            Shape::HalfSpace(_) => None,
            Shape::ConvexHull(s) => fitted(s.vertices()),
            Shape::TriangleMesh(s) => fitted(s.mesh().positions()),
            Shape::Heightfield(s) => fitted(&s.positions()),
            Shape::Compound(s) => fitted(&s.outline()?),
            _ => Some(self.aabb(&Pose::IDENTITY).to_oriented(&Pose::IDENTITY)),
        }
    }

    /// True if the point is inside or on the surface; `None` if the shape has no inside (an open mesh).
    pub fn contains(&self, point: DVec3) -> Option<bool> {
        match self {
            Shape::Sphere(s) => Some(s.contains(point)),
            Shape::Box(s) => Some(s.contains(point)),
            Shape::Capsule(s) => Some(s.contains(point)),
            Shape::Cylinder(s) => Some(s.contains(point)),
            Shape::Cone(s) => Some(s.contains(point)),
            Shape::HalfSpace(s) => Some(s.contains(point)),
            Shape::ConvexHull(s) => Some(s.contains(point)),
            Shape::TriangleMesh(s) => s.contains(point),
            Shape::Heightfield(s) => Some(s.contains(point)),
            Shape::Compound(s) => s.contains(point),
        }
    }

    /// The surface point closest to a point, with the distance: signed for solids, never negative for surfaces.
    ///
    /// Meshes are searched triangle by triangle; `prall-detection` has hierarchies for large ones.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        match self {
            Shape::Sphere(s) => s.closest_point(point),
            Shape::Box(s) => s.closest_point(point),
            Shape::Capsule(s) => s.closest_point(point),
            Shape::Cylinder(s) => s.closest_point(point),
            Shape::Cone(s) => s.closest_point(point),
            Shape::HalfSpace(s) => s.closest_point(point),
            Shape::ConvexHull(s) => s.closest_point(point),
            Shape::TriangleMesh(s) => s.closest_point(point),
            Shape::Heightfield(s) => s.closest_point(point),
            Shape::Compound(s) => s.closest_point(point),
        }
    }

    /// Where a ray first meets the surface within `max` metres, from outside or from inside.
    ///
    /// Meshes are searched triangle by triangle; `prall-detection` has hierarchies for large ones.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        match self {
            Shape::Sphere(s) => s.ray_cast(ray, max),
            Shape::Box(s) => s.ray_cast(ray, max),
            Shape::Capsule(s) => s.ray_cast(ray, max),
            Shape::Cylinder(s) => s.ray_cast(ray, max),
            Shape::Cone(s) => s.ray_cast(ray, max),
            Shape::HalfSpace(s) => s.ray_cast(ray, max),
            Shape::ConvexHull(s) => s.ray_cast(ray, max),
            Shape::TriangleMesh(s) => s.ray_cast(ray, max),
            Shape::Heightfield(s) => s.ray_cast(ray, max),
            Shape::Compound(s) => s.ray_cast(ray, max),
        }
    }
}

fn sphere_around(points: &[DVec3]) -> Option<BoundingSphere> {
    let fit: Result<SphereFit, FitError> = SphereFit::smallest(points);
    fit.ok().map(|fit| fit.sphere)
}

fn aabb_of_points(points: &[DVec3], pose: &Pose) -> Aabb {
    let turned = points.iter().fold(Aabb::EMPTY, |b, &p| b.extended(pose.transform_vector(p)));
    let reach = turned.min.abs().max(turned.max.abs()).max_element();
    placed_box(pose, turned.min, turned.max, reach)
}

impl SurfacePoint {
    /// The answer as seen from outside the frame of a body.
    #[must_use]
    pub fn out_of_frame_of(&self, pose: &Pose) -> SurfacePoint {
        SurfacePoint {
            point: pose.transform_point(self.point),
            normal: pose.transform_vector(self.normal),
            ..*self
        }
    }
}

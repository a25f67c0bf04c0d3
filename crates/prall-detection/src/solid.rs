//! [`Solid`]: what a moving object is made of, for pair tests: triangles, and how thick they are.

use std::sync::Arc;

use glam::DVec3;
use prall_geometry::{Aabb, Mesh, Shape};
use thiserror::Error;

use crate::box_errors::BoxErrors;
use crate::clash::all_triangles;
use crate::contact::ContactPoint;
use crate::error::HierarchyError;
use crate::hierarchy::{BuildOptions, Hierarchy};

/// Most corners of the outline that stands for a circle.
const MOST_CORNERS: f64 = 4096.0;

/// The outline around a circle is larger by this fraction, so that rounding leaves no point of the circle outside.
const OUTWARD: f64 = 1.0 + 1e-12;

/// A mesh or a shape as the certified search sees it: triangles in a hierarchy, thickened on all sides. A ball is a
/// point with a thickness, a capsule a segment with one; meshes, boxes, hulls and height fields are exact. Cylinders
/// and cones are the polyhedra around them: what is proven free is free, and a contact may be called early by the
/// deviation.
///
/// Surfaces are what meets: a solid that starts wholly inside another is not seen to touch it. Clones share everything.
#[derive(Clone, Debug)]
pub struct Solid {
    hierarchy: Arc<Hierarchy>,
    thickness: f64,
    bounds: Aabb,
    errors: Option<Arc<BoxErrors>>,
}

/// Why a shape is no solid.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolidError {
    /// No hierarchy over the triangles.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// A half-space has no boundary that triangles could cover.
    #[error("a half-space is infinite; use a box or a mesh as large as the scene")]
    Unbounded,
    /// A circle cannot be followed so closely.
    #[error(
        "a deviation of {deviation} m is out of range for a radius of {radius} m; it must be at least {least} m"
    )]
    Deviation {
        /// What was asked for, in metres.
        deviation: f64,
        /// Of the circle, in metres.
        radius: f64,
        /// What is possible, in metres.
        least: f64,
    },
    /// Parts of a compound that are rounded differently.
    #[error(
        "child {child} of the compound is rounded by {thickness} m, the first by {first} m; make the children objects \
         of their own and attach them"
    )]
    Thickness {
        /// Index of the child.
        child: usize,
        /// Of that child, in metres.
        thickness: f64,
        /// Of the first child, in metres.
        first: f64,
    },
}

impl Solid {
    /// The triangles of a hierarchy, without thickness.
    pub fn new(hierarchy: Arc<Hierarchy>) -> Solid {
        Solid::thickened(hierarchy, 0.0)
    }

    /// All triangles of a mesh, in its own coordinates; triangle i of the solid is triangle i of the mesh.
    pub fn of_mesh(mesh: &Mesh) -> Result<Solid, SolidError> {
        Solid::of_triangles(&all_triangles(mesh), 0.0)
    }

    /// A shape. `deviation`, in metres, is how far the polyhedra that stand for cylinders and cones may leave them;
    /// other shapes do not use it.
    pub fn of_shape(shape: &Shape, deviation: f64) -> Result<Solid, SolidError> {
        let (triangles, thickness) = core(shape, deviation)?;
        Solid::of_triangles(&triangles, thickness)
    }

    fn of_triangles(triangles: &[[DVec3; 3]], thickness: f64) -> Result<Solid, SolidError> {
        let hierarchy = Hierarchy::build(triangles, &BuildOptions::default())?;
        Ok(Solid::thickened(Arc::new(hierarchy), thickness))
    }

    fn thickened(hierarchy: Arc<Hierarchy>, thickness: f64) -> Solid {
        let corners = (0..hierarchy.triangle_count() as u32).flat_map(|slot| *hierarchy.at_slot(slot));
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = corners.fold(none, |(min, max), p| (min.min(p), max.max(p)));
        let bounds = Aabb { min, max }.grown(thickness * (1.0 + 4.0 * f64::EPSILON));
        Solid { hierarchy, thickness, bounds, errors: None }
    }

    /// The same solid, knowing how far each of its boxes is from what it contains: tests that a budget cuts short
    /// can then give an [`Estimate`](crate::Estimate). Takes some tens of microseconds a triangle, once.
    pub fn with_box_errors(mut self) -> Solid {
        self.errors = Some(Arc::new(BoxErrors::new(&self.hierarchy)));
        self
    }

    /// The box around it, in its own coordinates: what [`StepControl::add`](crate::StepControl::add) wants.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The tree over its triangles.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// How far it reaches beyond its triangles, in metres.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    pub(crate) fn errors(&self) -> Option<&BoxErrors> {
        self.errors.as_deref()
    }
}

/// A contact of the triangles of two solids as one of the solids themselves.
pub(crate) fn on_surfaces(contact: ContactPoint, solids: [&Solid; 2]) -> ContactPoint {
    let [a, b] = solids.map(Solid::thickness);
    ContactPoint {
        on_a: contact.on_a - contact.normal * a,
        on_b: contact.on_b + contact.normal * b,
        gap: (contact.gap - a - b).max(0.0),
        ..contact
    }
}

/// The triangles that a shape is made of, and how thick they are.
fn core(shape: &Shape, deviation: f64) -> Result<(Vec<[DVec3; 3]>, f64), SolidError> {
    Ok(match shape {
        Shape::Sphere(ball) => (vec![[DVec3::ZERO; 3]], ball.radius()),
        Shape::Capsule(capsule) => {
            let end = DVec3::Y * capsule.half_height();
            (vec![[-end, end, end]], capsule.radius())
        }
        Shape::Box(cuboid) => {
            let half = cuboid.half_extents();
            let base = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
            let ring = base.map(|(x, z)| DVec3::new(half.x * x, 0.0, half.z * z));
            (prism(&ring, half.y), 0.0)
        }
        Shape::Cylinder(bar) => (prism(&around_circle(bar.radius(), deviation)?, bar.half_height()), 0.0),
        Shape::Cone(cone) => {
            let (base, tip) = (DVec3::NEG_Y * cone.half_height(), DVec3::Y * cone.half_height());
            let ring: Vec<DVec3> =
                around_circle(cone.radius(), deviation)?.iter().map(|p| base + *p).collect();
            let mut triangles = fan(&ring);
            triangles.extend(sides(&ring).map(|(p, q)| [p, q, tip]));
            (triangles, 0.0)
        }
        Shape::ConvexHull(hull) => {
            let faces = (0..hull.face_count()).map(|face| hull.face_points(face).collect::<Vec<_>>());
            (faces.flat_map(|corners| fan(&corners)).collect(), 0.0)
        }
        Shape::TriangleMesh(mesh) => (all_triangles(mesh.mesh()), 0.0),
        Shape::Heightfield(field) => {
            ((0..field.triangle_count()).map(|triangle| field.triangle_points(triangle)).collect(), 0.0)
        }
        Shape::HalfSpace(_) => return Err(SolidError::Unbounded),
        Shape::Compound(compound) => {
            let mut all = (Vec::new(), 0.0);
            for (child, (pose, shape)) in compound.children().iter().enumerate() {
                let (triangles, thickness) = core(shape, deviation)?;
                if child > 0 && thickness != all.1 {
                    return Err(SolidError::Thickness { child, thickness, first: all.1 });
                }
                all.1 = thickness;
                all.0.extend(triangles.iter().map(|t| t.map(|p| pose.transform_point(p))));
            }
            all
        }
    })
}

/// Corners, in the plane y = 0, of a regular polygon around a circle that leaves it by no more than the deviation.
///
/// With n corners these are at the distance radius / cos(pi / n).
fn around_circle(radius: f64, deviation: f64) -> Result<Vec<DVec3>, SolidError> {
    let wanted = std::f64::consts::PI / libm::acos(radius / (radius + deviation));
    // Written so that NaN is wrong.
    if !(deviation > 0.0 && wanted <= MOST_CORNERS) {
        let least = radius * (1.0 / libm::cos(std::f64::consts::PI / MOST_CORNERS) - 1.0);
        return Err(SolidError::Deviation { deviation, radius, least });
    }
    let count = wanted.ceil().max(8.0);
    let reach = OUTWARD * radius / libm::cos(std::f64::consts::PI / count);
    let corner = |i: u32| {
        let (sine, cosine) = libm::sincos(std::f64::consts::TAU * f64::from(i) / count);
        DVec3::new(reach * cosine, 0.0, reach * sine)
    };
    Ok((0..count as u32).map(corner).collect())
}

fn sides(ring: &[DVec3]) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
    (0..ring.len()).map(|i| (ring[i], ring[(i + 1) % ring.len()]))
}

fn fan(ring: &[DVec3]) -> Vec<[DVec3; 3]> {
    ring.windows(2).skip(1).map(|pair| [ring[0], pair[0], pair[1]]).collect()
}

/// The ring, moved up and down by half the height, and all between.
fn prism(ring: &[DVec3], half_height: f64) -> Vec<[DVec3; 3]> {
    let up = DVec3::Y * half_height;
    let mut triangles = Vec::with_capacity(4 * ring.len());
    for [a, b, c] in fan(ring) {
        triangles.push([a + up, b + up, c + up]);
        triangles.push([a - up, b - up, c - up]);
    }
    for (p, q) in sides(ring) {
        triangles.push([p - up, q - up, q + up]);
        triangles.push([p - up, q + up, p + up]);
    }
    triangles
}

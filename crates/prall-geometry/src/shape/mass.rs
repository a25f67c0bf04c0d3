//! The mass of shapes: closed forms and volume integrals, chosen by kind.

use thiserror::Error;

use super::Shape;
use crate::half_edges::HalfEdges;
use crate::mass::{Amount, MassError, MassProperties};
use crate::mesh::{Mesh, MeshError, MeshOptions};

/// Why a shape has no mass properties.
#[derive(Clone, Debug, Error)]
pub enum ShapeMassError {
    /// The shape goes on for ever.
    #[error(
        "a half-space is infinite and has no mass; make the body fixed, or give it mass properties by hand"
    )]
    Unbounded,
    /// The shape has no bottom.
    #[error(
        "a height field has no bottom and no mass; make the body fixed, or use a closed mesh or a compound of boxes"
    )]
    Bottomless,
    /// One child of a compound has none.
    #[error("child {child} of the compound: {source}")]
    Child {
        /// Index of the child.
        child: usize,
        /// What is wrong with it.
        source: Box<ShapeMassError>,
    },
    /// The mass properties themselves.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// The mesh of a hull.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl Shape {
    /// Mass, centre of mass and inertia of the solid, in its own frame, at a density in kg / m^3.
    ///
    /// Closed forms for primitives, the volume integrals of Mirtich for hulls and closed meshes. Overlaps of a compound's
    /// children count twice.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, ShapeMassError> {
        let amount = Amount::Density(density);
        Ok(match self {
            Shape::Sphere(s) => MassProperties::sphere(amount, s.radius())?,
            Shape::Box(s) => MassProperties::cuboid(amount, 2.0 * s.half_extents())?,
            Shape::Capsule(s) if s.half_height() == 0.0 => MassProperties::sphere(amount, s.radius())?,
            Shape::Capsule(s) => MassProperties::capsule(amount, s.radius(), 2.0 * s.half_height())?,
            Shape::Cylinder(s) => MassProperties::cylinder(amount, s.radius(), 2.0 * s.half_height())?,
            Shape::Cone(s) => MassProperties::cone(amount, s.radius(), 2.0 * s.half_height())?,
            Shape::ConvexHull(s) => {
                let mesh = Mesh::from_soup(&s.to_soup(), &MeshOptions::default())?;
                mass_of_mesh(&mesh, amount)?
            }
            Shape::TriangleMesh(s) => mass_of_mesh(s.mesh(), amount)?,
            Shape::HalfSpace(_) => return Err(ShapeMassError::Unbounded),
            Shape::Heightfield(_) => return Err(ShapeMassError::Bottomless),
            Shape::Compound(s) => {
                let place = |(child, (pose, shape)): (usize, &(prall_math::Pose, Shape))| match shape
                    .mass_properties(density)
                {
                    Ok(mass) => Ok(mass.transformed(pose)),
                    Err(source) => Err(ShapeMassError::Child { child, source: Box::new(source) }),
                };
                let parts: Result<Vec<_>, _> = s.children().iter().enumerate().map(place).collect();
                MassProperties::compound(&parts?)?
            }
        })
    }
}

fn mass_of_mesh(mesh: &Mesh, amount: Amount) -> Result<MassProperties, MassError> {
    MassProperties::of_mesh(mesh, &HalfEdges::new(mesh), amount)
}

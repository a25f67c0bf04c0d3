//! [`MassProperties`]: mass, centre of mass and inertia, and how they combine.
//!
//! The inertia tensor is `I = integral of rho ((x.x) E - x x^T)` about the centre of mass, so its
//! off-diagonal entries are *minus* the products of inertia. It turns with the body as `I = R I0 R^T`.

use glam::{DMat3, DQuat, DVec3};
use prall_math::Pose;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::half_edges::HalfEdges;
use crate::integrals::VolumeIntegrals;
use crate::mesh::{FaceDefect, Mesh};
use crate::pieces::{Pieces, VOLUME_ROUNDING};
use crate::principal_axes::principal_axes;

/// How a rigid body resists being moved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// In kilograms.
    pub mass: f64,
    /// In the frame in which the body was given, in metres.
    pub center_of_mass: DVec3,
    /// About the centre of mass, in the axes of that frame, in kg m^2.
    pub inertia: DMat3,
}

/// How much matter a shape consists of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Amount {
    /// This mass in kilograms, evenly spread.
    Mass(f64),
    /// This density in kg / m^3.
    Density(f64),
}

/// Why mass properties cannot be had.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MassError {
    /// The mesh has no inside.
    #[error(
        "the mesh encloses no volume: {open_edges} edges are open or join faces with opposite orientation, \
         {nonmanifold_edges} with three or more faces do not cancel. Close it (weld, orient), or choose a \
         substitute: the mass properties of its convex hull, of its bounding box, or given values"
    )]
    NotWatertight {
        /// Edges with one face, or with two that disagree.
        open_edges: usize,
        /// Edges with three or more faces that are not passed equally often both ways.
        nonmanifold_edges: usize,
    },
    /// The mesh, or a piece of it, is oriented inward.
    #[error(
        "{pieces} closed pieces of the mesh are inside out (their volume is {volume} m^3 together); orient \
         the mesh"
    )]
    InsideOut {
        /// How many pieces.
        pieces: usize,
        /// Their signed volume.
        volume: f64,
    },
    /// The mesh is closed and holds nothing.
    #[error(
        "the mesh is closed, but its volume of {volume} m^3 is nothing but rounding: a sheet with two sides. \
         Give it a thickness, or choose a substitute: the mass properties of its bounding box, or given values"
    )]
    NoVolume {
        /// Its volume.
        volume: f64,
    },
    /// A mass, density or dimension that is not positive and finite.
    #[error("{quantity} is {value}; it must be a positive number")]
    NotPositive {
        /// What it is.
        quantity: &'static str,
        /// The value given.
        value: f64,
    },
    /// A centre of mass or inertia that is not finite, or an inertia that is not symmetric.
    #[error("{quantity} is not made of finite numbers, or not symmetric")]
    NotANumber {
        /// What it is.
        quantity: &'static str,
    },
    /// Principal moments of which one is zero or negative.
    #[error(
        "principal moments of inertia {moments} kg m^2 are not all positive: such a body could be turned \
         without effort; give it an extent in all directions"
    )]
    NotPositiveDefinite {
        /// The moments.
        moments: DVec3,
    },
    /// No distribution of mass has these moments.
    #[error(
        "principal moments of inertia {moments} kg m^2 are impossible: the largest exceeds the sum of the \
         others"
    )]
    Impossible {
        /// The moments.
        moments: DVec3,
    },
    /// A compound of nothing.
    #[error("a compound needs at least one part")]
    NoParts,
}

/// By how much, relatively, the largest moment may exceed the sum of the others: a thin plate has equality,
/// and the integration of a million triangles rounds by 1e-12.
const TRIANGLE_INEQUALITY_SLACK: f64 = 1e-9;
/// Relative asymmetry that passes for rounding.
const ASYMMETRY_SLACK: f64 = 1e-9;

/// Passes on a positive, finite value.
pub(crate) fn positive(quantity: &'static str, value: f64) -> Result<f64, MassError> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(MassError::NotPositive { quantity, value }) }
}

impl Amount {
    /// The mass of so much volume.
    pub(crate) fn mass_of(self, volume: f64) -> Result<f64, MassError> {
        match self {
            Amount::Mass(mass) => positive("mass", mass),
            Amount::Density(density) => Ok(positive("density", density)? * volume),
        }
    }
}

impl MassProperties {
    /// Properties with a diagonal inertia and the centre of mass at the origin.
    pub(crate) fn diagonal(mass: f64, moments: DVec3) -> MassProperties {
        MassProperties { mass, center_of_mass: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }

    /// All mass in one point. Not [valid](Self::validated) for a body by itself; useful as a part of a
    /// compound.
    pub fn point(mass: f64, position: DVec3) -> Result<MassProperties, MassError> {
        if !position.is_finite() {
            return Err(MassError::NotANumber { quantity: "position" });
        }
        Ok(MassProperties {
            center_of_mass: position,
            ..Self::diagonal(positive("mass", mass)?, DVec3::ZERO)
        })
    }

    /// The solid inside a closed mesh, cavities left out, exact up to rounding; `half_edges` must be built
    /// from the same mesh.
    ///
    /// Closed means that every edge is passed equally often both ways (polygons without area counted too,
    /// as they may fill a crack of width zero). So solids that share an edge are fine, open or
    /// contradictory ones an error. Pieces that overlap count twice.
    pub fn of_mesh(mesh: &Mesh, half_edges: &HalfEdges, amount: Amount) -> Result<MassProperties, MassError> {
        check_closed(mesh, half_edges)?;
        check_outward(mesh, half_edges)?;
        let integrals = VolumeIntegrals::new(mesh);
        let (low, high) = mesh.bounds();
        let diagonal = low.distance(high);
        let volume = integrals.volume;
        if volume.is_nan() || volume <= VOLUME_ROUNDING * diagonal * diagonal * diagonal {
            return Err(MassError::NoVolume { volume });
        }
        let mass = amount.mass_of(volume)?;
        let result = MassProperties {
            mass,
            center_of_mass: integrals.centroid(),
            inertia: integrals.inertia() * (mass / volume),
        };
        result.validated()
    }

    /// All parts as one rigid body.
    pub fn compound(parts: &[MassProperties]) -> Result<MassProperties, MassError> {
        let first = parts.first().ok_or(MassError::NoParts)?;
        // Relative to one of the parts, so that a compound far from the origin loses nothing.
        let reference = first.center_of_mass;
        let mass = positive("mass", parts.iter().map(|part| part.mass).sum())?;
        let moment: DVec3 = parts.iter().map(|part| part.mass * (part.center_of_mass - reference)).sum();
        let center_of_mass = reference + moment / mass;
        let inertia =
            parts.iter().map(|part| part.inertia_about(center_of_mass)).fold(DMat3::ZERO, |a, b| a + b);
        Ok(MassProperties { mass, center_of_mass, inertia })
    }

    /// Inertia about another point: `I + m ((d.d) E - d d^T)` with `d` from the point to the centre of
    /// mass.
    pub fn inertia_about(&self, point: DVec3) -> DMat3 {
        let d = self.center_of_mass - point;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        self.inertia + self.mass * (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer)
    }

    /// The body displaced.
    pub fn translated(&self, displacement: DVec3) -> MassProperties {
        MassProperties { center_of_mass: self.center_of_mass + displacement, ..*self }
    }

    /// The body turned about the origin of its frame: `R I R^T`.
    pub fn rotated(&self, rotation: DQuat) -> MassProperties {
        let r = DMat3::from_quat(rotation);
        let turned = r * self.inertia * r.transpose();
        MassProperties {
            mass: self.mass,
            center_of_mass: rotation * self.center_of_mass,
            // Rounding makes the product a little asymmetric; the mean of it and its transpose is not.
            inertia: 0.5 * (turned + turned.transpose()),
        }
    }

    /// The body turned about the origin, then displaced.
    pub fn transformed(&self, pose: &Pose) -> MassProperties {
        self.rotated(pose.rotation).translated(pose.translation)
    }

    /// The same body made of so much more or less matter.
    pub fn with_mass(&self, mass: f64) -> Result<MassProperties, MassError> {
        let factor = positive("mass", mass)? / positive("mass", self.mass)?;
        Ok(MassProperties { mass, inertia: self.inertia * factor, ..*self })
    }

    /// Principal moments of inertia in ascending order, and the rotation from the principal axes to the
    /// axes of the body: `inertia = R diag(moments) R^T`.
    pub fn principal_axes(&self) -> (DVec3, DQuat) {
        principal_axes(self.inertia)
    }

    /// Passes if a rigid body can have these properties: positive mass, finite numbers, symmetric and
    /// positive definite inertia, no moment larger than the sum of the others.
    pub fn validated(self) -> Result<MassProperties, MassError> {
        positive("mass", self.mass)?;
        if !self.center_of_mass.is_finite() {
            return Err(MassError::NotANumber { quantity: "centre of mass" });
        }
        let largest = self.inertia.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !self.inertia.is_finite()
            || !self.inertia.abs_diff_eq(self.inertia.transpose(), ASYMMETRY_SLACK * largest)
        {
            return Err(MassError::NotANumber { quantity: "inertia" });
        }
        let (moments, _) = self.principal_axes();
        if moments.x <= 0.0 {
            return Err(MassError::NotPositiveDefinite { moments });
        }
        if moments.z > (moments.x + moments.y) * (1.0 + TRIANGLE_INEQUALITY_SLACK) {
            return Err(MassError::Impossible { moments });
        }
        Ok(self)
    }
}

fn check_closed(mesh: &Mesh, half_edges: &HalfEdges) -> Result<(), MassError> {
    let mut unbalanced: std::collections::BTreeMap<[u32; 2], (i64, usize)> = (0..half_edges.edge_count()
        as u32)
        .map(|edge| (edge, half_edges.imbalance(edge)))
        .filter(|&(_, imbalance)| imbalance != 0)
        .map(|(edge, imbalance)| {
            (half_edges.edge_vertices(edge), (imbalance, half_edges.on_edge(edge).len()))
        })
        .collect();
    for face in mesh.degenerate_faces().iter().filter(|face| face.defect == FaceDefect::NoArea) {
        let corners = &face.corners;
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let entry = unbalanced.entry([from.min(to), from.max(to)]).or_default();
            entry.0 += if from < to { 1 } else { -1 };
        }
    }
    unbalanced.retain(|_, (imbalance, _)| *imbalance != 0);
    if unbalanced.is_empty() {
        return Ok(());
    }
    let nonmanifold_edges = unbalanced.values().filter(|(_, faces)| *faces > 2).count();
    Err(MassError::NotWatertight { open_edges: unbalanced.len() - nonmanifold_edges, nonmanifold_edges })
}

fn check_outward(mesh: &Mesh, half_edges: &HalfEdges) -> Result<(), MassError> {
    let pieces = Pieces::new(mesh, half_edges);
    let inside_out = pieces.inside_out();
    if inside_out.is_empty() {
        return Ok(());
    }
    let volume = inside_out.iter().map(|&piece| pieces.signed_volume(piece)).sum();
    Err(MassError::InsideOut { pieces: inside_out.len(), volume })
}

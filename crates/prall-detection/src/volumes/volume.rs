//! [`Volume`]: a sphere, an iso-box or an oriented box.

use glam::{DMat3, DVec3};
use prall_geometry::{Aabb, BoundingSphere, OrientedBox};
use prall_math::Norm;

/// A bounding volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Volume {
    /// A ball.
    Sphere(BoundingSphere),
    /// A box along the body's axes.
    IsoBox(Aabb),
    /// A box of any orientation.
    Box(OrientedBox),
}

/// The three kinds of volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VolumeKind {
    /// Balls.
    Sphere,
    /// Boxes along the body's axes.
    IsoBox,
    /// Boxes of any orientation.
    Box,
}

impl Volume {
    /// Which kind it is.
    pub fn kind(&self) -> VolumeKind {
        match self {
            Volume::Sphere(_) => VolumeKind::Sphere,
            Volume::IsoBox(_) => VolumeKind::IsoBox,
            Volume::Box(_) => VolumeKind::Box,
        }
    }

    /// The volume as an oriented box; a sphere in the cube around it.
    pub fn oriented(&self) -> OrientedBox {
        match self {
            Volume::Sphere(ball) => OrientedBox::new(ball.center, DMat3::IDENTITY, DVec3::splat(ball.radius)),
            Volume::IsoBox(iso) => OrientedBox::new(iso.center(), DMat3::IDENTITY, iso.half_extents()),
            Volume::Box(oriented) => *oriented,
        }
    }

    /// The smallest ball about the volume's centre around it.
    pub fn circumscribed(&self) -> BoundingSphere {
        match self {
            Volume::Sphere(ball) => *ball,
            _ => {
                let oriented = self.oriented();
                BoundingSphere { center: oriented.center(), radius: oriented.half_extents().norm() }
            }
        }
    }

    /// Surface, in square metres: the quality by which trees are walked, smaller is better.
    pub fn surface(&self) -> f64 {
        match self {
            Volume::Sphere(ball) => ball.surface(),
            Volume::IsoBox(iso) => iso.surface(),
            Volume::Box(oriented) => oriented.surface(),
        }
    }

    /// True if the point lies in the volume or within `tolerance` metres of it, along the volume's own axes.
    pub fn contains(&self, point: DVec3, tolerance: f64) -> bool {
        match self {
            Volume::Sphere(ball) => point.distance(ball.center) <= ball.radius + tolerance,
            Volume::IsoBox(iso) => iso.grown(tolerance).contains(point),
            Volume::Box(oriented) => {
                let along = (oriented.axes().transpose() * (point - oriented.center())).abs();
                along.cmple(oriented.half_extents() + tolerance).all()
            }
        }
    }
}

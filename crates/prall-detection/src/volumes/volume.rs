//! [`Volume`]: a sphere, an iso-box or an oriented box.

use glam::{DMat3, DVec3};
use prall_math::Pose;

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre, in metres.
    pub centre: DVec3,
    /// Its radius, in metres.
    pub radius: f64,
}

/// A box along the axes of the frame it is given in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsoBox {
    /// Corner with the smallest coordinates, in metres.
    pub low: DVec3,
    /// Corner with the largest coordinates, in metres.
    pub high: DVec3,
}

/// A box of any orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBox {
    /// Columns are the axes of the box; orthonormal.
    pub axes: DMat3,
    /// Its centre, in metres.
    pub centre: DVec3,
    /// Half lengths along the axes, in metres.
    pub half: DVec3,
}

/// A bounding volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Volume {
    /// A ball.
    Sphere(Sphere),
    /// A box along the body's axes.
    IsoBox(IsoBox),
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

impl IsoBox {
    /// The smallest iso-box around some points; inside out if there are none.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> IsoBox {
        let empty = IsoBox { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
        points.into_iter().fold(empty, |b, p| IsoBox { low: b.low.min(p), high: b.high.max(p) })
    }

    /// The same box with its axes named.
    pub fn oriented(&self) -> OrientedBox {
        OrientedBox {
            axes: DMat3::IDENTITY,
            centre: 0.5 * (self.low + self.high),
            half: 0.5 * (self.high - self.low),
        }
    }
}

impl OrientedBox {
    /// The box in another place.
    pub fn placed(&self, pose: &Pose) -> OrientedBox {
        OrientedBox {
            axes: pose.rotation_matrix() * self.axes,
            centre: pose.transform_point(self.centre),
            half: self.half,
        }
    }

    /// Its eight corners.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.centre + self.axes * (self.half * DVec3::new(sign(0), sign(1), sign(2)))
        })
    }
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

    /// The volume as a box of its frame; a sphere as the cube around it.
    pub fn oriented(&self) -> OrientedBox {
        match self {
            Volume::Sphere(Sphere { centre, radius }) => {
                OrientedBox { axes: DMat3::IDENTITY, centre: *centre, half: DVec3::splat(*radius) }
            }
            Volume::IsoBox(iso) => iso.oriented(),
            Volume::Box(oriented) => *oriented,
        }
    }

    /// The smallest ball about the volume's centre around it.
    pub fn circumscribed(&self) -> Sphere {
        match self {
            Volume::Sphere(sphere) => *sphere,
            _ => {
                let oriented = self.oriented();
                Sphere { centre: oriented.centre, radius: oriented.half.length() }
            }
        }
    }

    /// Surface, in square metres: the quality by which trees are walked, smaller is better.
    pub fn surface(&self) -> f64 {
        match self {
            Volume::Sphere(Sphere { radius, .. }) => 4.0 * std::f64::consts::PI * radius * radius,
            _ => {
                let h = self.oriented().half;
                8.0 * (h.x * h.y + h.y * h.z + h.z * h.x)
            }
        }
    }

    /// True if the point lies in the volume or within `tolerance` metres of it, along the volume's own axes.
    pub fn contains(&self, point: DVec3, tolerance: f64) -> bool {
        match self {
            Volume::Sphere(Sphere { centre, radius }) => point.distance(*centre) <= radius + tolerance,
            _ => {
                let OrientedBox { axes, centre, half } = self.oriented();
                let along = (axes.transpose() * (point - centre)).abs();
                along.cmple(half + tolerance).all()
            }
        }
    }
}

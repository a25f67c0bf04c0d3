//! [`Aabb`]: a box along the coordinate axes (the iso-box of Eckstein 1998).

use glam::DVec3;
use prall_math::Pose;

use super::{FitError, OrientedBox, check_points};

/// All points with `min <= x <= max` in every coordinate, in metres. Bounds may be infinite.
///
/// `min > max` is the empty box, which contains nothing and extends to anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains nothing.
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box that contains everything.
    pub const EVERYTHING: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The smallest box around points, exactly; smallest in volume, surface and diameter alike.
    pub fn fit(points: &[DVec3]) -> Result<Aabb, FitError> {
        check_points(points)?;
        Ok(Aabb::around(points))
    }

    /// The smallest box around points that are known to be numbers; empty for none.
    pub(crate) fn around(points: &[DVec3]) -> Aabb {
        points.iter().copied().collect()
    }

    /// A box from its middle and half its edges.
    pub fn from_center(center: DVec3, half_extents: DVec3) -> Aabb {
        Aabb { min: center - half_extents, max: center + half_extents }
    }

    /// The smallest box around this one and a point: the refit for a growing set.
    #[must_use]
    pub fn extended(&self, point: DVec3) -> Aabb {
        Aabb { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box around two.
    #[must_use]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by a distance on every side.
    #[must_use]
    pub fn grown(&self, distance: f64) -> Aabb {
        Aabb { min: self.min - DVec3::splat(distance), max: self.max + DVec3::splat(distance) }
    }

    /// True if nothing is inside.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// The middle.
    pub fn center(&self) -> DVec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// Half the lengths of the edges.
    pub fn half_extents(&self) -> DVec3 {
        0.5 * self.max - 0.5 * self.min
    }

    /// True if the point is inside or on the border.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// True if all points are inside or on the border.
    pub fn contains_all(&self, points: &[DVec3]) -> bool {
        points.iter().all(|&p| self.contains(p))
    }

    /// True if the boxes have a point in common; touching counts.
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The point of the box closest to `point`: the point itself if it is inside.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        point.max(self.min).min(self.max)
    }

    /// The eight corners; bit 0, 1 and 2 of the index choose the larger x, y and z.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, axis: usize| if i & bit != 0 { self.max[axis] } else { self.min[axis] };
            DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
        })
    }

    /// Volume in cubic metres.
    pub fn volume(&self) -> f64 {
        let edges = self.max - self.min;
        edges.x * edges.y * edges.z
    }

    /// Surface in square metres.
    pub fn surface(&self) -> f64 {
        let edges = self.max - self.min;
        2.0 * (edges.x * edges.y + edges.y * edges.z + edges.z * edges.x)
    }

    /// Length of the diagonal in metres.
    pub fn diameter(&self) -> f64 {
        (self.max - self.min).length()
    }

    /// The same box as an oriented one, placed by a pose.
    pub fn to_oriented(&self, pose: &Pose) -> OrientedBox {
        OrientedBox::new(pose.transform_point(self.center()), pose.rotation_matrix(), self.half_extents())
    }
}

/// The smallest box around points, which must be numbers; empty for none.
impl FromIterator<DVec3> for Aabb {
    fn from_iter<I: IntoIterator<Item = DVec3>>(points: I) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |b, p| b.extended(p))
    }
}

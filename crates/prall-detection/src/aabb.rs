//! [`Aabb`]: a box along the coordinate axes (the iso-box of Eckstein 1998).

use glam::DVec3;

/// All points with `min <= x <= max` in every coordinate, in metres. Bounds may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: DVec3,
    /// Largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains everything.
    pub const EVERYTHING: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// A box from its middle and half its edges.
    pub fn from_center(center: DVec3, half_extents: DVec3) -> Aabb {
        Aabb { min: center - half_extents, max: center + half_extents }
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

    /// Surface in square metres.
    pub fn surface(&self) -> f64 {
        let edges = self.max - self.min;
        2.0 * (edges.x * edges.y + edges.y * edges.z + edges.z * edges.x)
    }
}

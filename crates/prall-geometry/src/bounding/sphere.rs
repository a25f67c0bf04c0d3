//! [`BoundingSphere`]: a ball that encloses something.

use std::f64::consts::PI;

use glam::DVec3;
use prall_math::Pose;

/// All points within `radius` of `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingSphere {
    /// The middle, in metres.
    pub center: DVec3,
    /// In metres, not negative.
    pub radius: f64,
}

/// Relative error of a computed distance between points, rounded up: a difference (1/2 unit in the last place of
/// each coordinate), squares, two sums and a root.
pub(crate) const DISTANCE_ROUNDING: f64 = 4.0 * f64::EPSILON;

impl BoundingSphere {
    /// The smallest ball with this centre that contains all points, rounding included.
    ///
    /// The radius is the largest computed distance, enlarged by 4 units in the last place, which is more
    /// than the error of that computation. So the points are inside in exact arithmetic as well as by
    /// [`contains`](Self::contains).
    pub fn around(center: DVec3, points: &[DVec3]) -> BoundingSphere {
        let farthest = points.iter().map(|p| p.distance_squared(center)).fold(0.0, f64::max);
        BoundingSphere { center, radius: farthest.sqrt() * (1.0 + DISTANCE_ROUNDING) }
    }

    /// Volume in cubic metres.
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius * self.radius * self.radius
    }

    /// Surface in square metres.
    pub fn surface(&self) -> f64 {
        4.0 * PI * self.radius * self.radius
    }

    /// Twice the radius, in metres.
    pub fn diameter(&self) -> f64 {
        2.0 * self.radius
    }

    /// True if the point is inside or on the surface.
    pub fn contains(&self, point: DVec3) -> bool {
        point.distance(self.center) <= self.radius
    }

    /// True if all points are inside or on the surface.
    pub fn contains_all(&self, points: &[DVec3]) -> bool {
        points.iter().all(|&p| self.contains(p))
    }

    /// The smallest ball around two, enlarged by the rounding of finding it.
    #[must_use]
    pub fn union(&self, other: &BoundingSphere) -> BoundingSphere {
        let (small, large) = if self.radius < other.radius { (self, other) } else { (other, self) };
        let between = small.center - large.center;
        let distance = between.length();
        if distance + small.radius <= large.radius {
            return *large;
        }
        let radius = 0.5 * (distance + small.radius + large.radius);
        let center = large.center + between * ((radius - large.radius) / distance);
        let slack = 4.0 * f64::EPSILON * (radius + center.abs().max_element());
        BoundingSphere { center, radius: radius + slack }
    }

    /// The ball moved with a body.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> BoundingSphere {
        let center = pose.transform_point(self.center);
        let reach = self.center.abs().max_element() + center.abs().max_element();
        BoundingSphere { center, radius: self.radius + 16.0 * f64::EPSILON * (reach + self.radius) }
    }
}

//! [`Cone`]: a round cone along y, tip up.

use glam::{DVec2, DVec3};
use prall_math::Pose;

use super::cylinder::{disc_reach, radial};
use super::{ShapeError, SurfacePoint, placed_box, positive};
use crate::bounding::{Aabb, BoundingSphere};
use crate::closest::on_segment;
use crate::ray::{Part, Ray, RayHit, Span};

/// The tip is at `+half_height` on the y axis, the base is the disc of the radius at `-half_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    half_height: f64,
    radius: f64,
}

impl Cone {
    /// A cone from half its height and the radius of its base, both above 0, in metres.
    pub fn new(half_height: f64, radius: f64) -> Result<Cone, ShapeError> {
        Ok(Cone {
            half_height: positive("cone", "half_height", half_height)?,
            radius: positive("cone", "radius", radius)?,
        })
    }

    /// In metres.
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// Of the base, in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    fn tip(&self) -> DVec3 {
        DVec3::Y * self.half_height
    }

    /// Outward normal of the side in the half plane of distance from the axis and height.
    fn side_normal(&self) -> DVec2 {
        DVec2::new(2.0 * self.half_height, self.radius).normalize()
    }

    /// The point farthest in a direction: the tip or a point of the rim.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let rim = radial(direction).0 * self.radius;
        let rim = DVec3::new(rim.x, -self.half_height, rim.y);
        if direction.dot(self.tip()) >= direction.dot(rim) { self.tip() } else { rim }
    }

    /// The smallest sphere around it: through tip and rim, or about the base if that is wider.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        let (h, r) = (self.half_height, self.radius);
        let center = DVec3::Y * (-(r * r) / (4.0 * h)).max(-h);
        BoundingSphere::around(center, &[self.tip(), DVec3::new(r, -h, 0.0)])
    }

    /// The box around the cone in a pose: that of the tip and of the base.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let axis = pose.transform_vector(DVec3::Y);
        let (tip, disc) = (axis * self.half_height, disc_reach(axis) * self.radius);
        let (low, high) = ((-tip - disc).min(tip), (-tip + disc).max(tip));
        placed_box(pose, low, high, self.half_height + self.radius)
    }

    /// True if inside or on the surface.
    pub fn contains(&self, point: DVec3) -> bool {
        let below_tip = self.half_height - point.y;
        let reach = self.radius * below_tip / (2.0 * self.half_height);
        point.y >= -self.half_height
            && below_tip >= 0.0
            && point.x * point.x + point.z * point.z <= reach * reach
    }

    /// The closest surface point; from the axis, that in direction x.
    ///
    /// A problem in the half plane of distance from the axis and height, where the surface is two segments.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let (outward, off_axis) = radial(point);
        let lift = |v: DVec2| DVec3::new(outward.x * v.x, v.y, outward.y * v.x);
        let here = DVec2::new(off_axis, point.y);
        let rim = DVec2::new(self.radius, -self.half_height);
        let tip = DVec2::new(0.0, self.half_height);
        let foot_on = |end: DVec2| on_segment(here.extend(0.0), end.extend(0.0), rim.extend(0.0)).truncate();
        let (side, base) = (foot_on(tip), foot_on(DVec2::new(0.0, -self.half_height)));
        let on_side = here.distance_squared(side) < here.distance_squared(base);
        let (foot, face) = if on_side { (side, self.side_normal()) } else { (base, DVec2::NEG_Y) };
        let across = here - foot;
        let distance = across.length();
        let inside = here.y >= -self.half_height && self.side_normal().dot(here - tip) <= 0.0;
        let (normal, distance) =
            if inside { (face, -distance) } else { (across.try_normalize().unwrap_or(face), distance) };
        SurfacePoint { point: lift(foot), normal: lift(normal), distance, part: Part::default() }
    }

    /// Where a ray first meets the surface.
    ///
    /// With `k` the base radius by the height and `w = h - y` the depth below the tip, the side is `f(t) = rho^2 - k^2 w^2 = 0`,
    /// a quadratic `a t^2 + 2 b t + c` on the ray. Between tip and base the solid is `f <= 0`, so it is
    /// cut from the span between the two planes.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let (near, shift) = ray.recentred();
        let mut span = Span::WHOLE;
        let h = self.half_height;
        if !(span.clip(&near, DVec3::Y, h, 0) && span.clip(&near, DVec3::NEG_Y, h, 0)) {
            return None;
        }
        let k = self.radius / (2.0 * h);
        let (o, d) = (near.origin() - self.tip(), near.direction());
        let a = d.x * d.x + d.z * d.z - k * k * d.y * d.y;
        let b = o.x * d.x + o.z * d.z - k * k * o.y * d.y;
        let c = o.x * o.x + o.z * o.z - k * k * o.y * o.y;
        let side_normal = |t: f64| {
            let n = self.side_normal();
            let outward = radial(near.at(t)).0;
            DVec3::new(outward.x * n.x, n.y, outward.y * n.x)
        };
        // Of the two nappes of a cone only one is between the planes; the other can touch them at the tip.
        let inside = |&(low, high): &(f64, f64)| high.min(span.exit.0) - low.max(span.enter.0);
        let ranges = negative_ranges(a, b, c).into_iter().flatten();
        let (low, high) =
            ranges.max_by(|s, t| inside(s).total_cmp(&inside(t))).filter(|r| inside(r) >= 0.0)?;
        if low > span.enter.0 {
            span.enter = (low, side_normal(low), 0);
        }
        if high < span.exit.0 {
            span.exit = (high, side_normal(high), 0);
        }
        span.first_hit(ray, shift, max)
    }
}

/// Where `a t^2 + 2 b t + c <= 0`: at most two ranges, the second only if the parabola opens downward.
fn negative_ranges(a: f64, b: f64, c: f64) -> [Option<(f64, f64)>; 2] {
    const FAR: f64 = f64::INFINITY;
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return [(a < 0.0).then_some((-FAR, FAR)), None];
    }
    // Both roots without cancellation: q = -(b + sign(b) sqrt(D)), t = q / a and c / q.
    let q = -(b + discriminant.sqrt().copysign(b));
    let (mut low, mut high) = (q / a, c / q);
    if low > high {
        (low, high) = (high, low);
    }
    match a.partial_cmp(&0.0) {
        Some(std::cmp::Ordering::Greater) => [Some((low, high)), None],
        Some(std::cmp::Ordering::Less) => [Some((-FAR, low)), Some((high, FAR))],
        _ if b > 0.0 => [Some((-FAR, -c / (2.0 * b))), None],
        _ if b < 0.0 => [Some((-c / (2.0 * b), FAR)), None],
        _ => [(c <= 0.0).then_some((-FAR, FAR)), None],
    }
}

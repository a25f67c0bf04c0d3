//! [`LastBox`]: a box around a shape that has turned little since its vertices were last looked at.

use prall_geometry::{Aabb, Shape};
use prall_math::{Norm, Pose};

/// Largest `sin(turn / 2)` for which the last box serves: it is then larger by 2 % of the shape's radius at most.
const LARGEST_TURN: f64 = 0.01;
/// No point of a body at the distance `r` of the axis moves by more than `2.001 r sin(turn / 2)` times this, for such turns.
const ARC: f64 = 1.001;
/// Rounding of a shift, as a share of the numbers in it: some last digits.
const ROUNDING: f64 = 1e-15;

/// The box of a mesh costs a look at the corners of its hull. The last one, shifted and grown by how far the turn since can have moved a point, is a box
/// around the shape as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastBox {
    last: Option<(Pose, Aabb)>,
    /// No point of the shape is farther from its origin, in m.
    radius: f64,
}

impl LastBox {
    /// A box around the shape in a pose; always of the same shape.
    pub(crate) fn around(&mut self, shape: &Shape, pose: &Pose) -> Aabb {
        if !matches!(shape, Shape::TriangleMesh(_) | Shape::ConvexHull(_)) {
            return shape.aabb(pose);
        }
        if let Some((before, bounds)) = &self.last {
            let half = (before.rotation.conjugate() * pose.rotation).xyz().norm();
            // Written so that what is not a number is looked at.
            if half <= LARGEST_TURN {
                let shift = pose.translation - before.translation;
                let size = self.radius + before.translation.norm() + pose.translation.norm();
                let room = 2.0 * ARC * half * self.radius + ROUNDING * size;
                return Aabb { min: bounds.min + shift, max: bounds.max + shift }.grown(room);
            }
        } else {
            let reach = |sphere: prall_geometry::BoundingSphere| sphere.center.norm() + sphere.radius;
            self.radius = shape.bounding_sphere().map_or(f64::INFINITY, reach);
        }
        let bounds = shape.aabb(pose);
        self.last = Some((*pose, bounds));
        bounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};
    use prall_geometry::ConvexHull;
    use std::sync::Arc;

    /// A hull beside its origin that wanders and turns: its box always holds the exact one, and is hardly larger.
    #[test]
    fn a_box_holds_what_has_turned_a_little_and_is_hardly_larger() {
        let corners =
            [DVec3::ZERO, DVec3::X, DVec3::Y * 0.7, DVec3::Z * 0.4].map(|corner| corner + DVec3::splat(0.3));
        let shape = Shape::ConvexHull(Arc::new(ConvexHull::from_points(&corners).expect("a tetrahedron")));
        let radius = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        let (mut last, mut looked) = (LastBox::default(), 0);
        let mut pose = Pose::from_translation(DVec3::new(1e3, -2.0, 0.5));
        for step in 0..4000 {
            let wave = |rate: f64| libm::sin(rate * f64::from(step));
            let turn =
                DVec3::new(wave(0.31), wave(0.17), wave(0.23)) * if step % 500 == 0 { 2.0 } else { 2e-3 };
            pose = Pose::new(
                DQuat::from_scaled_axis(turn) * pose.rotation,
                pose.translation + DVec3::new(wave(0.7), wave(0.9), wave(1.1)) * 0.05,
            );
            let before = last.last;
            let (found, exact) = (last.around(&shape, &pose), shape.aabb(&pose));
            looked += usize::from(before.map(|(pose, _)| pose) != last.last.map(|(pose, _)| pose));
            let within = found.min.cmple(exact.min).all() && found.max.cmpge(exact.max).all();
            assert!(within, "step {step}: {found:?} does not hold {exact:?}");
            let excess = (exact.min - found.min).max(found.max - exact.max).max_element();
            assert!(excess < 0.045 * radius, "step {step}: {excess}");
        }
        assert!((100..1000).contains(&looked), "{looked} looks");
    }
}

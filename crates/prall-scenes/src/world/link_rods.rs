//! Links of robots without shapes, drawn as rods from joint to joint: they touch nothing, but they are seen.

use super::described::Described;
use glam::{DQuat, DVec3};
use prall_geometry::Shape;
use prall_math::Pose;
use std::collections::BTreeMap;

/// Radius of a rod as a share of the robot's size.
const RADIUS: f64 = 0.008;

/// Radius of the ball that stands for a link without extent, in radii of rods.
const BALL: f64 = 2.0;

/// Size of a robot without extent, in m.
const SIZE: f64 = 1.0;

impl Described {
    /// Rods and balls of those bodies that are drawn so, in their frames: from the body's own joint, which is its origin in URDF, to each joint that
    /// carries another link.
    pub(super) fn rods(&self, bodies: impl Iterator<Item = usize>) -> BTreeMap<usize, Vec<(Pose, Shape)>> {
        let drawn = bodies.filter(|body| self.scene.rods.contains(self.scene.bodies[*body].name.get_ref()));
        let drawn: BTreeMap<&str, usize> =
            drawn.map(|body| (self.scene.bodies[body].name.get_ref().as_str(), body)).collect();
        let mut ends: BTreeMap<usize, Vec<DVec3>> = drawn.values().map(|body| (*body, Vec::new())).collect();
        for joint in &self.scene.joints {
            if let Some(body) = drawn.get(joint.bodies[0].get_ref().as_str()) {
                ends.entry(*body).or_default().push(joint.at);
            }
        }
        let origins = ends.keys().map(|body| self.scene.bodies[*body].position);
        let places = origins.chain(ends.values().flatten().copied());
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = places.fold(nothing, |(low, high), at| (low.min(at), high.max(at)));
        let extent = (high - low).length();
        let radius = RADIUS * if extent > 0.0 && extent.is_finite() { extent } else { SIZE };
        ends.into_iter().map(|(body, ends)| (body, self.rods_of(body, &ends, radius))).collect()
    }

    /// Rods from a body's origin to places in the world, in its frame; a ball if all of these are at its origin.
    fn rods_of(&self, body: usize, ends: &[DVec3], radius: f64) -> Vec<(Pose, Shape)> {
        let body = &self.scene.bodies[body];
        let frame = Pose::new(body.rotation.quaternion().unwrap_or_default(), body.position);
        let rod = |end: &DVec3| {
            let end = frame.inverse_transform_point(*end);
            let length = end.length();
            let shape = Shape::capsule(0.5 * length, radius).ok().filter(|_| length > radius)?;
            let rotation = DQuat::from_rotation_arc(DVec3::Y, end / length);
            Some((Pose::new(rotation, 0.5 * end), shape))
        };
        let rods: Vec<(Pose, Shape)> = ends.iter().filter_map(rod).collect();
        if !rods.is_empty() {
            return rods;
        }
        Shape::sphere(BALL * radius).map(|ball| vec![(Pose::IDENTITY, ball)]).unwrap_or_default()
    }
}

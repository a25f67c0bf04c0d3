//! Weighs links of robots whose files do not.
//!
//! A link without mass is a frame, which weighs nothing where it is welded to one that does, or to the ground. A tree cannot move what weighs nothing: where
//! such a link moves on its own, it gets the mass of its shapes, as water, or that of a small ball. What was put in place of what is missing is noted.

use super::described::Described;
use crate::file::{MassDescription, MotionKind, tree_of};
use glam::DVec3;
use prall_dynamics::ShapeDefinition;
use prall_geometry::{ConvexHull, MassProperties, Shape};
use std::sync::Arc;

/// Mass of a link that has neither mass nor shape, as a share of the mean of those that have: too light to be felt, and heavy enough to compute with.
const LIGHT: f64 = 0.01;

/// The same in kg, where no link has a mass.
const LIGHT_KG: f64 = 0.01;

/// Density of what is not said, in kg/m^3.
const WATER: f64 = 1000.0;

impl Described {
    /// Gives every link of a robot a mass that needs one. The meshes must have been read.
    pub(super) fn weigh_robots(&mut self) {
        let unweighed = std::mem::take(&mut self.scene.unweighed);
        let names: Vec<&str> = self.scene.bodies.iter().map(|body| body.name.get_ref().as_str()).collect();
        let of = |name: &str| names.iter().position(|other| *other == name);
        let stated: Vec<(usize, f64)> =
            unweighed.iter().filter_map(|(name, mass)| Some((of(name)?, (*mass)?))).collect();
        for (body, mass) in stated {
            let shaped = self.of_shapes(body).and_then(|shaped| shaped.with_mass(mass).ok());
            let source = if shaped.is_some() { "of its shapes" } else { "of a ball of water" };
            let text = format!("it has a mass of {mass} kg and no inertia; that {source} is taken");
            self.give(body, shaped.unwrap_or_else(|| ball(mass)), &text);
        }
        self.scene.unweighed = unweighed;
        let bodies = self.moving_without_mass();
        let light = self.mean_mass().map_or(LIGHT_KG, |mean| LIGHT * mean);
        for link in bodies {
            let shaped = link.iter().find_map(|body| Some((*body, self.of_shapes(*body)?)));
            let (body, mass, source) = match shaped {
                Some((body, mass)) => (body, mass, "of its shapes, as water,"),
                None => (link[0], ball(light), "of a small ball"),
            };
            let text = format!("it moves and has no mass; {:.3e} kg {source} are taken", mass.mass);
            self.give(body, mass, &text);
        }
    }

    /// Links of robots that move on their own and of which no body has a mass, as indices of their bodies.
    fn moving_without_mass(&self) -> Vec<Vec<usize>> {
        let massless = |body: &usize| {
            let body = &self.scene.bodies[*body];
            body.mass.is_none() && self.scene.unweighed.contains_key(body.name.get_ref())
        };
        let trees = self.scene.mechanisms.iter().filter_map(|mechanism| tree_of(&self.scene, mechanism).ok());
        let links = trees.flatten().filter(|link| !link.fixed);
        links.map(|link| link.bodies).filter(|bodies| bodies.iter().all(massless)).collect()
    }

    /// Mean mass of the links of robots that have one.
    fn mean_mass(&self) -> Option<f64> {
        let masses: Vec<f64> =
            self.scene.bodies.iter().filter_map(|body| Some(body.mass.as_ref()?.get_ref().mass)).collect();
        (!masses.is_empty()).then(|| masses.iter().sum::<f64>() / masses.len() as f64)
    }

    /// Mass properties of a body's shapes as water; none if they have no volume.
    fn of_shapes(&self, body: usize) -> Option<MassProperties> {
        let definition = self.body(&self.scene.bodies[body]).ok()?;
        let parts: Vec<MassProperties> = definition.shapes.iter().filter_map(of_shape).collect();
        MassProperties::compound(&parts).and_then(MassProperties::validated).ok()
    }

    fn give(&mut self, body: usize, mass: MassProperties, text: &str) {
        let body = &mut self.scene.bodies[body];
        let (x, y, z) = (mass.inertia.x_axis, mass.inertia.y_axis, mass.inertia.z_axis);
        let description = MassDescription {
            mass: mass.mass,
            centre: mass.center_of_mass,
            moments: DVec3::new(x.x, y.y, z.z),
            products: DVec3::new(x.y, x.z, y.z),
        };
        body.kind = MotionKind::Dynamic;
        body.mass = Some(toml::Spanned::new(0..0, description));
        self.scene.notes.push(format!("link '{}': {text}", body.name.get_ref()));
    }
}

/// Mass properties of a shape as water; of its hull, if it is an open mesh.
fn of_shape(part: &ShapeDefinition) -> Option<MassProperties> {
    let mass = part.shape.mass_properties(WATER).ok().or_else(|| {
        let Shape::TriangleMesh(mesh) = &part.shape else { return None };
        let hull = ConvexHull::from_points(mesh.mesh().positions()).ok()?;
        Shape::ConvexHull(Arc::new(hull)).mass_properties(WATER).ok()
    })?;
    Some(mass.transformed(&part.pose))
}

/// A ball of water of some mass.
fn ball(mass: f64) -> MassProperties {
    let radius = libm::cbrt(mass * 3.0 / (4.0 * std::f64::consts::PI * WATER));
    let inertia = glam::DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius));
    MassProperties { mass, center_of_mass: DVec3::ZERO, inertia }
}

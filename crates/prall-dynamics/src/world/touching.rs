//! Who takes part in contacts in a part of a step, alone or with all that is jointed to it, and by which scheme jointed bodies go.

use glam::DVec3;
use prall_math::{Norm, Twist};
use prall_mechanics::Side;

use super::World;
use crate::solver::system::JointSystem;

impl World {
    /// Marks bodies with contacts, and every body that joints tie to one of them.
    pub(super) fn find_touched(&mut self, h: f64) {
        self.touched.clear();
        self.touched.resize(self.bodies.len(), false);
        for manifold in self.contacts.manifolds() {
            for side in [manifold.a, manifold.b] {
                if let Side::Body(body) = side
                    && self.bodies.is_movable(body as usize)
                {
                    self.touched[body as usize] = true;
                }
            }
        }
        for component in &mut self.system.components {
            (component.touching, component.loaded, component.solid) = (false, false, false);
        }
        self.find_touching_groups(h);
        let JointSystem { components, jointed, .. } = &mut self.system;
        for &(body, component) in jointed.iter().filter(|(_, component)| *component != u32::MAX) {
            components[component as usize].solid |= self.solid.state.is_solid(body as usize);
        }
        for &(body, component) in jointed.iter().filter(|(_, component)| *component != u32::MAX) {
            self.touched[body as usize] = components[component as usize].touching;
        }
    }

    /// Marks groups of jointed bodies that may meet something in the coming `h` seconds. One that only has something within the margin of contacts flies on:
    /// another scheme for the steps near a contact would change its energy with each change.
    fn find_touching_groups(&mut self, h: f64) {
        /// Times as fast as the fastest: an impact may throw a light body at others.
        const FASTER: f64 = 2.0;
        /// A contact whose normal is steeper than this (cosine to gravity) may come to bear load.
        const SUPPORT: f64 = 0.3;
        if self.system.blocks.is_empty() {
            return;
        }
        let World { system, contacts, bodies, records, options, .. } = self;
        let body_of = |side: Side| match side {
            Side::Body(body) => Some(body as usize),
            Side::Link { .. } => None,
        };
        let has_joints = |side: Side| body_of(side).and_then(|at| system.component_of(at)).is_some();
        let mut fastest = 0.0_f64;
        for manifold in contacts.manifolds().filter(|m| has_joints(m.a) || has_joints(m.b)) {
            for side in [manifold.a, manifold.b] {
                fastest = fastest.max(body_of(side).map_or(f64::INFINITY, |at| {
                    let Twist { linear, angular } = bodies.velocities[at];
                    let turning =
                        if angular == DVec3::ZERO { 0.0 } else { angular.norm() * records[at].radius };
                    linear.norm() + turning
                }));
            }
        }
        let fall = 2.0 * options.gravity.norm() * h * h;
        let near = (FASTER * fastest * h).max(0.0) + fall + 2.0 * options.contact.shell;
        let down = options.gravity;
        for manifold in contacts.manifolds() {
            let groups =
                [manifold.a, manifold.b].map(|side| body_of(side).and_then(|at| system.component_of(at)));
            let near = || manifold.is_loaded() || manifold.count_within(near) > 0;
            if groups == [None, None] || !near() {
                continue;
            }
            let loaded = manifold.is_loaded() || manifold.normal.dot(down).abs() > SUPPORT * down.norm();
            for component in groups.into_iter().flatten() {
                system.components[component].touching = true;
                system.components[component].loaded |= loaded;
            }
        }
    }

    /// Jointed bodies near contacts that bear no load go by half of what loads do.
    pub(super) fn find_detours(&mut self, h: f64) {
        self.system.detours.clear();
        if !self.system.components.iter().any(|component| component.touching && !component.loaded) {
            return;
        }
        for at in 0..self.bodies.len() {
            let component = self.system.component_of(at).map(|number| &self.system.components[number]);
            if component.is_some_and(|c| c.touching && !c.loaded && !c.solid) && self.bodies.is_movable(at) {
                let (load, response) = (&self.loads[at], &self.bodies.responses[at]);
                let linear = (self.options.gravity + load.force * response.inverse_mass) * (-0.5 * h);
                let angular = response.inverse_inertia * load.torque * (-0.5 * h);
                self.system.add_detour(at, Twist { linear, angular });
            }
        }
    }
}

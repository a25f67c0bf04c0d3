//! How many parts a step is cut into, from the speed at which bodies close in.
//!
//! A contact that is met at speed `v` is known to about `v h`; where that is more than a tenth of the smaller body's half
//! thickness, landings go deep. So the number of parts is `v h` over that tenth, as a power of two.
//!
//! Joints under load swing: a force `F` at the arm `r` turns a light body of inertia `I` back with the frequency
//! `w^2 = F r / I`. Impulses at the start of a step follow that only up to `w h = 2`, beyond which the motion explodes. So chains
//! with a heavy end, too, are given as many parts as their last reactions ask for. Bodies that whirl about a joint need a reaction of at least their mass times
//! `w^2 r`, whatever the step before had.

use prall_math::{Norm, Twist};
use prall_mechanics::{Movers, Side};

use crate::joint::Joint;

use super::World;

/// Part of a body's half thickness that a contact may be approached by in one part of a step.
const APPROACH: f64 = 0.1;

/// `w h` that one part of a step may have; 2 is the limit of stability, and the estimate of `w` is an upper one.
const SWING: f64 = 1.2;
/// Parts that swinging joints may ask for.
const MOST_FOR_JOINTS: f64 = 32.0;

impl World {
    pub(super) fn substeps(&mut self) -> u32 {
        let most = self.options.most_substeps;
        if most == 1 {
            return 1;
        }
        power_of_two(self.parts_for_contacts(), f64::from(most))
            .max(power_of_two(self.parts_for_joints(), MOST_FOR_JOINTS))
    }

    fn parts_for_joints(&mut self) -> f64 {
        self.stiffness.clear();
        self.stiffness.resize(self.bodies.len(), 0.0);
        let World { system, joints, .. } = self;
        // Trees that fly have a step that needs no such care.
        let swinging = system
            .blocks
            .iter()
            .filter(|block| !block.immovable && !system.components[block.component as usize].is_stable());
        for Joint { bodies, frames, reaction, .. } in swinging.map(|block| &joints[block.joint as usize]) {
            let whirling = bodies.iter().zip(frames).map(|(&body, frame)| {
                let spin = self.bodies.velocities[body as usize].angular;
                spin.length_squared() * frame.translation.norm()
            });
            let inverse_mass = |body: &u32| self.bodies.responses[*body as usize].inverse_mass;
            let together: f64 = bodies.iter().map(inverse_mass).sum();
            let force = reaction.force.norm().max(whirling.sum::<f64>() / together);
            for (side, &body) in bodies.iter().enumerate() {
                let arm = frames[side].translation.norm();
                self.stiffness[body as usize] += force * arm + reaction.torque.norm();
            }
        }
        let fastest =
            (0..self.bodies.len()).filter(|&at| self.bodies.is_movable(at)).fold(0.0_f64, |most, at| {
                let inverse = self.bodies.responses[at].inverse_inertia;
                let softest = inverse.x_axis.x.max(inverse.y_axis.y).max(inverse.z_axis.z);
                most.max(self.stiffness[at] * softest)
            });
        self.options.time_step * fastest.sqrt() / SWING
    }

    fn parts_for_contacts(&mut self) -> f64 {
        let h = self.options.time_step;
        self.before.clone_from(&self.bodies.velocities);
        self.find_rolling(h);
        let records = &self.records;
        let thickness = |side: Side| match side {
            Side::Body(body) => records[body as usize].thickness,
            Side::Link { .. } => f64::INFINITY,
        };
        let World { bodies, movers, contacts, rolling, .. } = self;
        let rolls = |number: u32| rolling.binary_search_by_key(&number, |rolling| rolling.manifold).is_ok();
        let movers = Movers { bodies, others: movers };
        let rests = |side: Side| match side {
            Side::Body(body) => movers.bodies.velocities[body as usize] == Twist::ZERO,
            Side::Link { .. } => false,
        };
        let mut parts = 1.0_f64;
        for (number, manifold) in (0..).zip(contacts.manifolds()) {
            // A point that a body rolls on closes only until it is solved for.
            if rests(manifold.a) && rests(manifold.b) || rolls(number) {
                continue;
            }
            let thin = thickness(manifold.a).min(thickness(manifold.b));
            for contact in manifold.points() {
                let closing = -contact.velocity(&movers).dot(contact.normal);
                if closing * h > contact.gap {
                    parts = parts.max(closing * h / (APPROACH * thin));
                }
            }
        }
        parts
    }
}

/// The smallest power of two that is not below `wanted`, or the largest one up to `most`.
fn power_of_two(wanted: f64, most: f64) -> u32 {
    let mut count = 1;
    while f64::from(count) < wanted && f64::from(2 * count) <= most {
        count *= 2;
    }
    count
}

//! [`Side`]: who touches.

use glam::DVec3;
use prall_math::Twist;
use serde::{Deserialize, Serialize};

use crate::Movers;

/// One of the two things that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// A body of the arrays, by its index.
    Body(u32),
    /// A link of another mover.
    Link {
        /// Index among the movers.
        mover: u32,
        /// Index of the link in it.
        link: u32,
    },
}

impl Side {
    /// Velocity of its material at a world point, and its angular velocity.
    pub fn twist_at(self, movers: &Movers<'_>, point: DVec3) -> Twist {
        match self {
            Side::Body(index) => {
                let index = index as usize;
                let angular = movers.bodies.velocities[index].angular;
                Twist::new(movers.bodies.velocity_at(index, point), angular)
            }
            Side::Link { mover, link } => movers.others[mover as usize].twist_at(link, point),
        }
    }
}

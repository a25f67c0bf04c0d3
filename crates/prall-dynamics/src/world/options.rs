//! [`WorldOptions`]: what holds for the whole world.

use glam::DVec3;
use prall_mechanics::ContactOptions;
use prall_mechanics::tree::TreeOptions;
use serde::{Deserialize, Serialize};

use crate::error::{finite, positive};
use crate::{SolidOptions, Solver, WorldError};

/// Options of a world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorldOptions {
    /// Length of a step in s. Default 1/60. Smaller steps are more accurate, in proportion to their square.
    pub time_step: f64,
    /// Acceleration of free fall in m/s^2. Default 9.81 downwards.
    pub gravity: DVec3,
    /// How joints are solved.
    pub solver: Solver,
    /// Joints are closed to this after every step, in m (and rad). Default 1e-5: a hundredth of what one can see on a
    /// machine part. Smaller costs sweeps.
    pub position_tolerance: f64,
    /// Rates of joints come to rest to this, in m/s (and rad/s). Default 1e-4.
    pub velocity_tolerance: f64,
    /// Sweeps of the iterative solver at most, in each of the two phases. Default 2000; what is left after them is repaired in
    /// later steps.
    pub most_sweeps: usize,
    /// Joints that are apart come together with at most this speed, in m/s (and rad/s). Default 4.
    pub assembly_speed: f64,
    /// Contacts are looked for within this gap, in m, beyond what the motion can close in a step. Default 0.01.
    pub contact_margin: f64,
    /// A step is cut into at most so many parts where bodies close in fast. Default 4. More keeps landings shallow and costs as
    /// many solves. Joints under high load ask for up to 32 parts; 1 switches both off.
    pub most_substeps: u32,
    /// Islands that have been calm for so many seconds sleep until something comes near. Default none: nothing sleeps, because what
    /// stands is proven to stand at little cost.
    pub sleep_after: Option<f64>,
    /// How trees of joints are moved. Steps that are too long for the fastest links take energy from them; by default it is given
    /// back to the motion inside the tree (`keep_energy`), as nothing shall be damped that nature does not damp.
    pub tree: TreeOptions,
    /// How contacts are solved.
    pub contact: ContactOptions,
    /// How bodies with meshes are kept from overlapping.
    pub solid: SolidOptions,
}

impl Default for WorldOptions {
    fn default() -> WorldOptions {
        WorldOptions {
            time_step: 1.0 / 60.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            solver: Solver::default(),
            position_tolerance: 1e-5,
            velocity_tolerance: 1e-4,
            most_sweeps: 2000,
            assembly_speed: 4.0,
            contact_margin: 0.01,
            most_substeps: 4,
            sleep_after: None,
            // As Newton's method converges quadratically, what remains is some 1e-8 rad/s, or what is foreseen: 1e-7 m in a step of a
            // sixtieth. Joints are closed whatever remains. What turns by radians in a step loses up to a tenth of its energy in it, unless the
            // step is halved; that costs random worlds no time, and swinging trees never lose as much.
            tree: TreeOptions {
                max_loss: 1e-3,
                velocity_tolerance: 1e-4,
                remainder: 5e-6,
                keep_energy: true,
                ..TreeOptions::default()
            },
            contact: ContactOptions::default(),
            solid: SolidOptions::default(),
        }
    }
}

impl WorldOptions {
    /// Passes on options that a world can work with.
    pub(crate) fn checked(self) -> Result<WorldOptions, WorldError> {
        positive("the time step", self.time_step)?;
        finite("gravity", self.gravity)?;
        positive("the position tolerance", self.position_tolerance)?;
        positive("the velocity tolerance", self.velocity_tolerance)?;
        positive("the assembly speed", self.assembly_speed)?;
        positive("the contact margin", self.contact_margin)?;
        if let Some(after) = self.sleep_after {
            positive("the time before sleeping", after)?;
        }
        positive("the velocity tolerance of trees", self.tree.velocity_tolerance)?;
        positive("the remainder of trees", self.tree.remainder)?;
        self.solid.checked()?;
        if self.most_sweeps == 0 || self.most_substeps == 0 {
            return Err(WorldError::Number {
                what: "the number of sweeps or substeps",
                value: 0.0,
                wanted: "1 or more",
            });
        }
        Ok(self)
    }
}

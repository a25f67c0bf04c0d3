//! Reading and changing bodies, and what viewers draw.

use glam::DVec3;
use prall_detection::Filter;
use prall_geometry::{Aabb, Shape};
use prall_math::{Pose, Twist, Wrench};
use prall_mechanics::audit::MassState;
use prall_mechanics::{Contacts, Material, StateHash};

use super::{Party, World};
use crate::error::{finite, valid_pose};
use crate::{BodyHandle, BodyKind, JointHandle, JointKind, Locked, WorldError};

/// Energy of all bodies and movers in J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of height, against the origin; springs are not counted.
    pub potential: f64,
}

impl Energy {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// A contact point to be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMark {
    /// Who touches; the force acts on this one.
    pub a: Party,
    /// Whom it touches.
    pub b: Party,
    /// Where, in the world.
    pub point: DVec3,
    /// From b to a.
    pub normal: DVec3,
    /// In m; negative where they overlap.
    pub gap: f64,
    /// Force in N on a in the last part of the step.
    pub force: DVec3,
}

/// A joint to be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMark {
    /// Which joint.
    pub joint: JointHandle,
    /// What it holds.
    pub kind: JointKind,
    /// Its frames on both bodies, in the world.
    pub frames: [Pose; 2],
    /// Largest error in m or rad.
    pub error: f64,
    /// Force and torque on the second body.
    pub reaction: Wrench,
}

/// Bodies.
impl World {
    /// Simulated time in s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Handles of all bodies but the ground.
    pub fn body_handles(&self) -> impl Iterator<Item = BodyHandle> + '_ {
        self.places.iter().skip(1).map(|at| self.handle(at))
    }

    /// How many bodies there are, the ground not counted.
    pub fn body_count(&self) -> usize {
        self.places.count() - 1
    }

    /// Where the body's frame is.
    pub fn pose(&self, body: BodyHandle) -> Result<Pose, WorldError> {
        let at = self.body(body)?;
        Ok(self.bodies.poses[at] * Pose::from_translation(-self.records[at].centre))
    }

    /// Where the body's centre of mass is.
    pub fn centre_of_mass(&self, body: BodyHandle) -> Result<DVec3, WorldError> {
        Ok(self.bodies.poses[self.body(body)?].translation)
    }

    /// Velocity of the centre of mass and angular velocity, in world axes.
    pub fn velocity(&self, body: BodyHandle) -> Result<Twist, WorldError> {
        Ok(self.bodies.velocities[self.body(body)?])
    }

    /// Velocity of the body's material at a point of the world.
    pub fn velocity_at(&self, body: BodyHandle, point: DVec3) -> Result<DVec3, WorldError> {
        Ok(self.bodies.velocity_at(self.body(body)?, point))
    }

    /// Mass in kg; 0 for bodies that nothing pushes.
    pub fn mass(&self, body: BodyHandle) -> Result<f64, WorldError> {
        Ok(self.bodies.mass(self.body(body)?))
    }

    /// Mass, inertia, place and velocity of all bodies that can be pushed, as the auditor takes them.
    pub fn mass_states(&self) -> impl Iterator<Item = MassState> + '_ {
        (0..self.bodies.len()).filter(|&at| self.bodies.is_movable(at)).map(|at| {
            let pose = &self.bodies.poses[at];
            let turn = pose.rotation_matrix();
            MassState {
                mass: self.bodies.mass(at),
                inertia: turn * self.bodies.inertia(at) * turn.transpose(),
                centre: pose.translation,
                velocity: self.bodies.velocities[at],
            }
        })
    }

    /// Angular momentum about the body's centre of mass in kg m^2/s, in world axes.
    pub fn angular_momentum(&self, body: BodyHandle) -> Result<DVec3, WorldError> {
        Ok(self.bodies.angular_momentum(self.body(body)?))
    }

    /// What may move it.
    pub fn kind(&self, body: BodyHandle) -> Result<BodyKind, WorldError> {
        Ok(self.records[self.body(body)?].kind)
    }

    /// Freedoms that it does not have, in world axes.
    pub fn locked(&self, body: BodyHandle) -> Result<Locked, WorldError> {
        Ok(self.records[self.body(body)?].locked)
    }

    /// Takes freedoms from it, in world axes, or gives them back; what it moves along those that are taken stops.
    pub fn set_locked(&mut self, body: BodyHandle, locked: Locked) -> Result<(), WorldError> {
        let at = self.changeable(body)?;
        self.records[at].locked = locked;
        self.bodies.velocities[at] = locked.allowed(self.bodies.velocities[at]);
        self.redetect = true;
        self.wake_all();
        Ok(())
    }

    /// With what it may touch; everything for a body without shapes.
    pub fn filter(&self, body: BodyHandle) -> Result<Filter, WorldError> {
        let first = self.records[self.body(body)?].shapes.first();
        Ok(first.and_then(|shape| self.index.filter(shape.proxy).ok()).unwrap_or_default())
    }

    /// Its surface.
    pub fn material(&self, body: BodyHandle) -> Result<Material, WorldError> {
        Ok(self.records[self.body(body)?].material)
    }

    /// Gives it another surface.
    pub fn set_material(&mut self, body: BodyHandle, material: Material) -> Result<(), WorldError> {
        let at = self.changeable(body)?;
        material.check()?;
        self.records[at].material = material;
        self.redetect = true;
        Ok(())
    }

    /// The force and torque that act on it all the time.
    pub fn load(&self, body: BodyHandle) -> Result<Wrench, WorldError> {
        Ok(self.records[self.body(body)?].load)
    }

    /// Its shapes with their poses in the body's frame.
    pub fn shapes(&self, body: BodyHandle) -> Result<impl Iterator<Item = (Pose, &Shape)>, WorldError> {
        let record = &self.records[self.body(body)?];
        let to_frame = Pose::from_translation(record.centre);
        Ok(record.shapes.iter().map(move |shape| (to_frame * shape.pose, &shape.shape)))
    }

    /// Puts a body somewhere else.
    pub fn set_pose(&mut self, body: BodyHandle, pose: Pose) -> Result<(), WorldError> {
        let at = self.changeable(body)?;
        let pose = valid_pose("the body", pose)?;
        self.bodies.poses[at] = pose * Pose::from_translation(self.records[at].centre);
        self.bodies.turn_inertia(at);
        (self.redetect, self.reorder) = (true, true);
        Ok(())
    }

    /// Gives a body another velocity: how kinematic bodies are driven and others are thrown. Fixed bodies have none.
    pub fn set_velocity(&mut self, body: BodyHandle, velocity: Twist) -> Result<(), WorldError> {
        let at = self.changeable(body)?;
        finite("the body's velocity", velocity.linear)?;
        finite("the body's angular velocity", velocity.angular)?;
        if self.records[at].kind == BodyKind::Fixed {
            return Err(WorldError::WrongKind(body, "movable: a fixed body has no velocity"));
        }
        self.bodies.velocities[at] = velocity;
        self.redetect = true;
        Ok(())
    }

    /// A force in N and a torque in N m about the centre of mass, in world axes, from now on; replaces the last one.
    pub fn set_load(&mut self, body: BodyHandle, load: Wrench) -> Result<(), WorldError> {
        let at = self.changeable(body)?;
        finite("the force", load.force)?;
        finite("the torque", load.torque)?;
        self.records[at].load = load;
        self.wake_all();
        Ok(())
    }

    /// A blow in N s at a point of the world.
    pub fn apply_impulse(
        &mut self,
        body: BodyHandle,
        point: DVec3,
        impulse: DVec3,
    ) -> Result<(), WorldError> {
        let at = self.changeable(body)?;
        let (point, impulse) = (finite("the point", point)?, finite("the impulse", impulse)?);
        self.bodies.apply(at, point, impulse, DVec3::ZERO);
        self.redetect = true;
        Ok(())
    }

    /// Makes a body fixed, kinematic or dynamic. A body that came without a mass cannot become dynamic.
    pub fn set_kind(&mut self, body: BodyHandle, kind: BodyKind) -> Result<(), WorldError> {
        let at = self.changeable(body)?;
        if kind == BodyKind::Dynamic && self.records[at].mass.is_none() {
            return Err(WorldError::NoMass);
        }
        self.records[at].kind = kind;
        if kind == BodyKind::Fixed {
            self.bodies.velocities[at] = Twist::ZERO;
        }
        self.apply_kind(at);
        (self.reorder, self.redetect) = (true, true);
        Ok(())
    }
}

/// The whole.
impl World {
    /// Energy of everything that moves.
    pub fn energy(&self) -> Energy {
        let gravity = self.options.gravity;
        let mut energy = Energy::default();
        for at in (0..self.bodies.len()).filter(|&at| self.bodies.is_movable(at)) {
            energy.kinetic += self.bodies.kinetic_energy(at);
            energy.potential -= self.bodies.mass(at) * gravity.dot(self.bodies.poses[at].translation);
        }
        for mover in &self.movers {
            let (kinetic, potential) = mover.energy(gravity);
            energy.kinetic += kinetic;
            energy.potential += potential;
        }
        energy
    }

    /// Linear momentum in kg m/s, and angular momentum about the origin in kg m^2/s, of all bodies.
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for at in (0..self.bodies.len()).filter(|&at| self.bodies.is_movable(at)) {
            let linear = self.bodies.velocities[at].linear * self.bodies.mass(at);
            sum.0 += linear;
            sum.1 += self.bodies.angular_momentum(at) + self.bodies.poses[at].translation.cross(linear);
        }
        sum
    }

    /// False if a state is no longer a number; such a world cannot go on.
    pub fn is_finite(&self) -> bool {
        self.bodies.are_finite() && self.movers.iter().all(|mover| mover.is_finite())
    }

    /// A hash over the bits of all states.
    pub fn hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for at in self.places.iter() {
            hash.pose(&self.bodies.poses[at]).twist(&self.bodies.velocities[at]);
        }
        self.movers.iter().for_each(|mover| mover.hash(&mut hash));
        hash.finish()
    }

    /// This step's contacts.
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Contact points with their forces.
    pub fn contact_marks(&self) -> impl Iterator<Item = ContactMark> + '_ {
        let h = self.options.time_step / f64::from(self.details.substeps.max(1));
        let solid = self.solid.contacts.iter().map(|contact| ContactMark {
            a: self.party(self.solid.side(contact.bodies[0])),
            b: self.party(self.solid.side(contact.bodies[1])),
            point: contact.point,
            normal: contact.normal,
            gap: contact.gap,
            force: contact.force,
        });
        let primitives = self.contacts.iter().map(move |contact| ContactMark {
            a: self.party(contact.a),
            b: self.party(contact.b),
            point: contact.point,
            normal: contact.normal,
            gap: contact.gap,
            force: contact.impulse / h,
        });
        primitives.chain(solid)
    }

    /// Joints with their frames, errors and forces.
    pub fn joint_marks(&self) -> impl Iterator<Item = JointMark> + '_ {
        self.joint_places.iter().map(|at| {
            let joint = &self.joints[at];
            let place = |side: usize| self.bodies.poses[joint.bodies[side] as usize] * joint.frames[side];
            JointMark {
                joint: self.joint_handle(at),
                kind: joint.kind,
                frames: [place(0), place(1)],
                error: joint.error(),
                reaction: joint.reaction,
            }
        })
    }

    /// Pairs of bodies that a joint keeps from touching.
    pub fn jointed_pairs(&self) -> impl Iterator<Item = [BodyHandle; 2]> + '_ {
        let apart = self.joint_places.iter().filter(|&at| !self.joints[at].collide);
        apart.map(|at| self.joints[at].bodies.map(|body| self.handle(body as usize)))
    }

    /// Boxes of what can be touched, in the pair index, with the room for the next step's motion.
    pub fn index_boxes(&self) -> impl Iterator<Item = &Aabb> + '_ {
        let touchable = self.records.iter().filter(|record| !record.untouchable);
        let of_bodies = touchable.flat_map(|record| &record.shapes).map(|shape| shape.proxy);
        let movers = (0..self.movers.len()).filter(|number| !self.meets_nobody(*number));
        let of_movers = movers.flat_map(|number| &self.mover_shapes[number]).map(|shape| shape.part.proxy);
        of_bodies.chain(of_movers).filter_map(|proxy| self.index.bounds(proxy).ok())
    }
}

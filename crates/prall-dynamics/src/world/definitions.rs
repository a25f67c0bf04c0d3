//! Definitions of what is in a world as it is now: to copy it, or to hand it to another program.

use glam::DVec3;
use prall_geometry::MassProperties;
use prall_math::Pose;

use super::World;
use crate::{
    BodyDefinition, BodyHandle, BodyKind, JointDefinition, JointHandle, JointPlace, ShapeDefinition,
    WorldError,
};

impl World {
    /// A definition that makes the same body again, where it is and as it moves now.
    pub fn body_definition(&self, body: BodyHandle) -> Result<BodyDefinition, WorldError> {
        let record = &self.records[self.body(body)?];
        let mass = record.mass.as_ref().filter(|_| record.kind == BodyKind::Dynamic);
        let part = |(pose, shape): (Pose, &prall_geometry::Shape)| ShapeDefinition {
            pose,
            shape: shape.clone(),
            // The mass is given as a whole.
            density: 0.0,
        };
        Ok(BodyDefinition {
            pose: self.pose(body)?,
            velocity: self.velocity(body)?,
            kind: record.kind,
            shapes: self.shapes(body)?.map(part).collect(),
            mass: mass.map(|body| MassProperties {
                mass: body.mass(),
                center_of_mass: record.centre,
                inertia: body.inertia(),
            }),
            material: record.material,
            filter: self.filter(body)?,
            sensor: record.sensor,
            locked: record.locked,
            solid: record.solid,
        })
    }

    /// A definition that makes the same joint again between the same bodies, its frames placed on them.
    pub fn joint_definition(&self, joint: JointHandle) -> Result<JointDefinition, WorldError> {
        let joint = &self.joints[self.joint(joint)?];
        let frame = |side: usize| {
            let centre: DVec3 = self.records[joint.bodies[side] as usize].centre;
            Pose::from_translation(centre) * joint.frames[side]
        };
        Ok(JointDefinition {
            bodies: joint.bodies.map(|body| self.handle(body as usize)),
            place: JointPlace::Bodies([frame(0), frame(1)]),
            kind: joint.kind,
            drives: joint.drives,
            break_force: joint.break_force,
            break_torque: joint.break_torque,
            collide: joint.collide,
        })
    }
}

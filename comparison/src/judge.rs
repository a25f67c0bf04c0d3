//! Errors of every engine, computed from poses by Prall's auditor, which shares no code with its solvers.

use crate::description::{Description, Joint};
use glam::DVec3;
use prall_dynamics::{BodyKind, JointKind};
use prall_geometry::{Compound, Shape};
use prall_math::Pose;
use prall_mechanics::audit::{AuditBody, AuditJoint, AuditReport, Auditor};
use std::sync::Arc;

/// Judges poses of one scene.
pub struct Judge {
    auditor: Auditor,
}

impl Judge {
    /// Knows the scene's shapes and joints.
    pub fn new(scene: &Description) -> Result<Judge, String> {
        let mut auditor = Auditor::new();
        for body in &scene.bodies {
            let parts: Vec<(Pose, Shape)> =
                body.shapes.iter().map(|part| (part.pose, part.shape.clone())).collect();
            let shape = match parts.as_slice() {
                [(pose, shape)] if *pose == Pose::IDENTITY => shape.clone(),
                _ => {
                    let compound = Compound::new(parts).map_err(|error| error.to_string())?;
                    Shape::Compound(Arc::new(compound))
                }
            };
            auditor.add_body(AuditBody {
                shape,
                movable: body.kind == BodyKind::Dynamic,
                filter: body.filter,
            });
        }
        for joint in &scene.joints {
            if let [Some(a), Some(b)] = joint.bodies {
                auditor.ignore_pair(a, b).map_err(|error| error.to_string())?;
            }
            auditor.add_joint(held(joint)).map_err(|error| error.to_string())?;
        }
        Ok(Judge { auditor })
    }

    /// What is wrong with these poses; none where a pose is no number any more.
    pub fn judge(&self, poses: &[Pose]) -> Option<AuditReport> {
        self.auditor.audit(poses).ok()
    }
}

/// What a joint holds, as plain data.
fn held(joint: &Joint) -> AuditJoint {
    let [a, b] = &joint.frames;
    let both = |v: DVec3| [a.transform_vector(v), b.transform_vector(v)];
    let mut held = AuditJoint {
        bodies: joint.bodies,
        points: vec![[a.translation, b.translation]],
        ..AuditJoint::default()
    };
    match joint.kind {
        JointKind::HINGE => held.axes.push(both(DVec3::X)),
        JointKind::FIXED => held.axes.extend([both(DVec3::X), both(DVec3::Y)]),
        JointKind::SLIDER => {
            held.free = Some(a.transform_vector(DVec3::X));
            held.axes.extend([both(DVec3::X), both(DVec3::Y)]);
        }
        _ => {}
    }
    held
}

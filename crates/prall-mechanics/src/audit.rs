//! The auditor: what a simulation did, recomputed from poses and geometry alone.
//!
//! It shares no code with manifolds and solvers, of Prall or of anybody else, and needs to know nothing about them: bodies with their
//! shapes, joints as what must coincide, poses. Directions are enumerated, distances are taken feature by feature, pairs are found by sorting: the plainest
//! ways there are, so that the numbers can be believed. Contacts, momentum and energy are judged from plain data as well.

mod balance;
mod broad_phase;
mod contact;
mod crossing;
mod depth;
mod distance;
mod element;
mod joint;
mod piece;
mod report;

use std::collections::HashSet;

use prall_detection::Filter;
use prall_geometry::{Aabb, Shape};
use prall_math::Pose;
use thiserror::Error;

pub use balance::{MassState, Momentum, OutsideImpulse, energy, energy_gain, momentum, momentum_imbalance};
pub use contact::{AuditContact, ComplementarityReport, complementarity};
pub use joint::{AuditJoint, JointError};
pub use report::{AuditReport, DepthBound, Overlap};

use piece::Piece;

/// A body as the auditor needs to know it.
#[derive(Clone, Debug)]
pub struct AuditBody {
    /// In the frame whose poses will be given.
    pub shape: Shape,
    /// False for what never moves: two such bodies may overlap.
    pub movable: bool,
    /// With whom it may touch.
    pub filter: Filter,
}

/// Why an audit cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AuditError {
    /// The number of poses is not that of bodies.
    #[error("{given} poses were given for {bodies} bodies; there must be one each")]
    PoseCount {
        /// Poses given.
        given: usize,
        /// Bodies known.
        bodies: usize,
    },
    /// A pose is no rigid placement.
    #[error(
        "the pose of body {body} has a number that is not finite or a quaternion that is not of unit length"
    )]
    Pose {
        /// Number of the body.
        body: usize,
    },
    /// A joint or an ignored pair names a body that is not there.
    #[error("body {body} is named, but only {bodies} bodies are known; tell the auditor of bodies first")]
    UnknownBody {
        /// The number that was named.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
}

struct Known {
    body: AuditBody,
    pieces: Vec<Piece>,
}

/// Judges poses of bodies that it was told of once.
///
/// ```
/// use glam::DVec3;
/// use prall_geometry::Shape;
/// use prall_math::Pose;
/// use prall_mechanics::audit::{AuditBody, Auditor};
///
/// let mut auditor = Auditor::new();
/// for _ in 0..2 {
///     let shape = Shape::cuboid(DVec3::splat(0.5))?;
///     auditor.add_body(AuditBody { shape, movable: true, filter: Default::default() });
/// }
/// let report = auditor.audit(&[Pose::IDENTITY, Pose::from_translation(DVec3::Y * 0.999)])?;
/// assert!((report.penetration_max - 0.001).abs() < 1e-12);
/// assert_eq!(report.overlaps[0].bodies, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Auditor {
    bodies: Vec<Known>,
    joints: Vec<AuditJoint>,
    ignored: HashSet<(usize, usize)>,
}

impl Auditor {
    /// Of nothing yet.
    pub fn new() -> Auditor {
        Auditor::default()
    }

    /// Adds a body; its number is that of bodies before.
    pub fn add_body(&mut self, body: AuditBody) -> usize {
        let pieces = piece::pieces(&body.shape);
        self.bodies.push(Known { body, pieces });
        self.bodies.len() - 1
    }

    /// Adds a joint; its number is that of joints before. Jointed bodies may still not overlap, unless their pair is ignored.
    pub fn add_joint(&mut self, joint: AuditJoint) -> Result<usize, AuditError> {
        joint.bodies.into_iter().flatten().try_for_each(|body| self.check_known(body))?;
        self.joints.push(joint);
        Ok(self.joints.len() - 1)
    }

    /// Lets two bodies overlap.
    pub fn ignore_pair(&mut self, a: usize, b: usize) -> Result<(), AuditError> {
        self.check_known(a)?;
        self.check_known(b)?;
        self.ignored.insert((a.min(b), a.max(b)));
        Ok(())
    }

    fn check_known(&self, body: usize) -> Result<(), AuditError> {
        let bodies = self.bodies.len();
        if body < bodies { Ok(()) } else { Err(AuditError::UnknownBody { body, bodies }) }
    }

    /// Judges the bodies in these poses, one for each in the order in which they were added.
    pub fn audit(&self, poses: &[Pose]) -> Result<AuditReport, AuditError> {
        if poses.len() != self.bodies.len() {
            return Err(AuditError::PoseCount { given: poses.len(), bodies: self.bodies.len() });
        }
        if let Some(body) = poses.iter().position(|pose| !pose.is_valid()) {
            return Err(AuditError::Pose { body });
        }
        let boxes: Vec<Aabb> =
            self.bodies.iter().zip(poses).map(|(known, pose)| known.body.shape.aabb(pose)).collect();
        let mut report = AuditReport::default();
        let mut overlaps = Vec::new();
        broad_phase::for_each_pair(&boxes, |i, j| {
            if !self.may_touch(i, j) {
                return;
            }
            report.pairs_tested += 1;
            let (a, b) = (&self.bodies[i], &self.bodies[j]);
            if let Some((depth, bound)) = piece::deepest(&a.pieces, &poses[i], &b.pieces, &poses[j]) {
                let (depth, normal) = (depth.depth, depth.normal);
                overlaps.push(Overlap { bodies: [i, j], depth, normal, bound });
            }
        });
        report.set_overlaps(overlaps);
        self.audit_joints(poses, &mut report);
        Ok(report)
    }

    fn may_touch(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.bodies[i].body, &self.bodies[j].body);
        (a.movable || b.movable) && a.filter.allows(&b.filter) && !self.ignored.contains(&(i, j))
    }

    fn audit_joints(&self, poses: &[Pose], report: &mut AuditReport) {
        for (number, joint) in self.joints.iter().enumerate() {
            let [a, b] = joint.bodies.map(|body| body.map_or(Pose::IDENTITY, |body| poses[body]));
            let error = joint.error(&a, &b);
            if error.position > report.position_error_max || report.worst_joint.is_none() {
                report.worst_joint = Some(number);
            }
            report.position_error_max = report.position_error_max.max(error.position);
            report.angle_error_max = report.angle_error_max.max(error.angle);
        }
    }
}

//! Joints of a world: adding, removing, driving and reading them.

use prall_math::{Norm, Pose, Wrench};

use super::World;
use crate::error::valid_pose;
use crate::joint::frames::Frames;
use crate::joint::{Joint, MOST_EQUALITIES, MOST_ROWS};
use crate::solver::system::Component;
use crate::{Drive, JointDefinition, JointHandle, JointKind, JointPlace, MOST_COORDINATES, WorldError};

impl World {
    /// Adds a joint.
    pub fn add_joint(&mut self, definition: &JointDefinition) -> Result<JointHandle, WorldError> {
        let [a, b] = definition.bodies;
        let (first, second) = (self.body(a)?, self.body(b)?);
        if first == second {
            return Err(WorldError::JointToItself(a));
        }
        check(definition)?;
        let poses = [self.bodies.poses[first], self.bodies.poses[second]];
        let frames = match definition.place {
            JointPlace::World(pose) => {
                let pose = valid_pose("the joint", pose)?;
                poses.map(|body| body.inverse() * pose)
            }
            JointPlace::Bodies(frames) => {
                let centres = [self.records[first].centre, self.records[second].centre];
                let at = |i: usize| -> Result<Pose, WorldError> {
                    Ok(Pose::from_translation(-centres[i]) * valid_pose("the joint", frames[i])?)
                };
                [at(0)?, at(1)?]
            }
        };
        if let JointKind::Gear { .. } = definition.kind {
            check_gear(&Frames::new([&poses[0], &poses[1]], &frames))?;
        }
        let mut joint = Joint {
            bodies: [a.index, b.index],
            frames,
            kind: definition.kind,
            drives: definition.drives,
            break_force: definition.break_force,
            break_torque: definition.break_torque,
            collide: definition.collide,
            offset: definition.kind.offset([&poses[0], &poses[1]], &frames),
            coordinates: [0.0; MOST_COORDINATES],
            errors: [0.0; MOST_EQUALITIES],
            memory: [[0.0; MOST_ROWS]; 2],
            reaction: Wrench::ZERO,
        };
        joint.read(&Frames::new([&poses[0], &poses[1]], &frames));
        let (index, generation) = self.joint_places.take();
        if index as usize == self.joints.len() {
            self.joints.push(joint);
        } else {
            self.joints[index as usize] = joint;
        }
        if !definition.collide {
            self.apart.insert((a.index.min(b.index), a.index.max(b.index)));
        }
        (self.reorder, self.redetect) = (true, true);
        Ok(JointHandle { index, generation })
    }

    /// Removes a joint.
    pub fn remove_joint(&mut self, handle: JointHandle) -> Result<(), WorldError> {
        self.joint(handle)?;
        self.drop_joint(handle.index);
        Ok(())
    }

    pub(super) fn drop_joint(&mut self, index: u32) {
        self.joint_places.release(index);
        self.keep_apart();
        (self.reorder, self.redetect) = (true, true);
    }

    /// Lists the pairs of bodies that joints keep from touching.
    pub(super) fn keep_apart(&mut self) {
        self.apart.clear();
        for joint in self.joint_places.iter().map(|at| &self.joints[at]).filter(|joint| !joint.collide) {
            let [a, b] = joint.bodies;
            self.apart.insert((a.min(b), a.max(b)));
        }
    }

    pub(super) fn joint(&self, handle: JointHandle) -> Result<usize, WorldError> {
        if self.joint_places.holds(handle.index, handle.generation) {
            Ok(handle.index as usize)
        } else {
            Err(WorldError::NoSuchJoint(handle))
        }
    }

    /// The group of jointed bodies that a joint belongs to; `None` if it holds nothing that moves, or has just been added.
    pub(super) fn component_of_joint(&self, handle: JointHandle) -> Result<Option<&Component>, WorldError> {
        let bodies = self.joints[self.joint(handle)?].bodies;
        let number = bodies.iter().find_map(|&body| self.system.component_of(body as usize));
        Ok(number.map(|number| &self.system.components[number]))
    }

    fn joint_coordinate(&self, handle: JointHandle, coordinate: usize) -> Result<usize, WorldError> {
        let at = self.joint(handle)?;
        let count = self.joints[at].kind.coordinates();
        if coordinate < count {
            Ok(at)
        } else {
            Err(WorldError::NoSuchCoordinate { joint: handle, coordinate, count })
        }
    }

    /// Value of a coordinate in m or rad; angles count whole turns, except the twist of a ball that nothing drives.
    pub fn coordinate(&self, joint: JointHandle, coordinate: usize) -> Result<f64, WorldError> {
        let joint = &self.joints[self.joint_coordinate(joint, coordinate)?];
        if !joint.is_read_on_demand() {
            return Ok(joint.coordinates[coordinate]);
        }
        let [a, b] = joint.bodies.map(|body| &self.bodies.poses[body as usize]);
        let frames = Frames::new([a, b], &joint.frames);
        Ok(joint.kind.coordinate(coordinate, &frames, &joint.coordinates).0)
    }

    /// Rate of a coordinate in m/s or rad/s.
    pub fn coordinate_rate(&self, joint: JointHandle, coordinate: usize) -> Result<f64, WorldError> {
        let joint = &self.joints[self.joint_coordinate(joint, coordinate)?];
        let [a, b] = joint.bodies.map(|body| body as usize);
        let frames = Frames::new([&self.bodies.poses[a], &self.bodies.poses[b]], &joint.frames);
        let (_, row) = joint.kind.coordinate(coordinate, &frames, &joint.coordinates);
        Ok(row.rate(&[self.bodies.velocities[a], self.bodies.velocities[b]]))
    }

    /// What acts along a coordinate.
    pub fn drive(&self, joint: JointHandle, coordinate: usize) -> Result<Drive, WorldError> {
        Ok(self.joints[self.joint_coordinate(joint, coordinate)?].drives[coordinate])
    }

    /// Changes what acts along a coordinate from now on.
    pub fn set_drive(
        &mut self,
        joint: JointHandle,
        coordinate: usize,
        drive: Drive,
    ) -> Result<(), WorldError> {
        let at = self.joint_coordinate(joint, coordinate)?;
        if let Some(defect) = drive.defect() {
            return Err(WorldError::Joint(format!("coordinate {coordinate} has {defect}")));
        }
        let value = self.coordinate(joint, coordinate)?;
        self.joints[at].coordinates[coordinate] = value;
        self.joints[at].drives[coordinate] = drive;
        self.reorder = true;
        Ok(())
    }

    /// Force in N and torque in N m that the joint put on its second body in the last step, about the joint's origin
    /// on that body, in world axes.
    pub fn reaction(&self, joint: JointHandle) -> Result<Wrench, WorldError> {
        Ok(self.joints[self.joint(joint)?].reaction)
    }

    /// Largest error of what the joint holds, in m or rad.
    pub fn joint_error(&self, joint: JointHandle) -> Result<f64, WorldError> {
        Ok(self.joints[self.joint(joint)?].error())
    }

    /// Handles of all joints.
    pub fn joint_handles(&self) -> impl Iterator<Item = JointHandle> + '_ {
        self.joint_places.iter().map(|at| self.joint_handle(at))
    }

    pub(super) fn joint_handle(&self, at: usize) -> JointHandle {
        JointHandle { index: at as u32, generation: self.joint_places.generation(at) }
    }

    /// How many joints there are.
    pub fn joint_count(&self) -> usize {
        self.joint_places.count()
    }
}

fn check(definition: &JointDefinition) -> Result<(), WorldError> {
    let defect = match definition.kind {
        JointKind::Distance { length } if !(length > 0.0 && length.is_finite()) => {
            Some(format!("length is {length} m; it must be above 0"))
        }
        JointKind::Screw { pitch } if !pitch.is_finite() => {
            Some(format!("pitch is {pitch} m; it must be finite"))
        }
        JointKind::Gear { ratio } if !(ratio.is_finite() && ratio != 0.0) => {
            Some(format!("ratio is {ratio}; it must be finite and not 0"))
        }
        JointKind::RackAndPinion { radius } if !(radius.is_finite() && radius != 0.0) => {
            Some(format!("radius is {radius} m; it must be finite and not 0"))
        }
        _ if !(definition.break_force > 0.0) => {
            Some(format!("break force is {} N; it must be above 0", definition.break_force))
        }
        _ if !(definition.break_torque > 0.0) => {
            Some(format!("break torque is {} N m; it must be above 0", definition.break_torque))
        }
        _ => None,
    };
    let count = definition.kind.coordinates();
    let drives = definition.drives.iter().enumerate().find_map(|(c, drive)| {
        if c >= count && !drive.is_idle() {
            return Some(format!("kind has {count} coordinates, but a drive was given for number {c}"));
        }
        drive.defect().map(|defect| format!("coordinate {c} has {defect}"))
    });
    match defect.or(drives) {
        Some(defect) => Err(WorldError::Joint(defect)),
        None => Ok(()),
    }
}

/// Axes must be parallel, to a degree or so, and the wheels side by side.
fn check_gear(frames: &Frames) -> Result<(), WorldError> {
    let [x1, x2] = frames.axes.map(|axes| axes.x_axis);
    if x1.dot(x2) < 0.999 {
        return Err(WorldError::Joint(format!(
            "wheels turn about {x1} and {x2}; the axes must point the same way"
        )));
    }
    if x1.cross(frames.offset()).norm() < 1e-9 {
        return Err(WorldError::Joint("wheels are on one axis; their centres must be apart".to_owned()));
    }
    Ok(())
}

//! A body and its shapes as the solid step sees them.

use glam::{DMat3, DVec3};
use prall_detection::{Boundary, Filter, Touchable};
use prall_geometry::Aabb;
use prall_math::rotation::{self, AxisAngle};
use prall_math::{Motion, Norm, Pose, Twist, UniformMotion};
use prall_mechanics::Material;

use super::machine::LinkName;
use super::plane::Corners;
use crate::flight::{Rotor, drifted};

/// A body during a solid step. Its frame is at the centre of mass.
#[derive(Clone, Debug)]
pub(crate) struct SolidBody {
    /// Index in the world; links of machines are counted after all bodies.
    pub(crate) index: usize,
    /// The link that it is; none for bodies of the world.
    pub(crate) link: Option<LinkName>,
    pub(crate) pose: Pose,
    /// Velocity of the centre of mass and angular velocity, in world axes.
    pub(crate) velocity: Twist,
    /// Angular momentum about the centre of mass in world axes, in kg m^2/s. Mass, rotor and momenta of a link are those by which it answers
    /// pushes in the mean; what moves it is its mover.
    pub(crate) spin: DVec3,
    /// In kg; 0 for a body whose motion is given: fixed, kinematic, or moved by another solver.
    pub(crate) mass: f64,
    pub(crate) rotor: Rotor,
    /// All lasting forces, weight included, in N, and their torque about the centre of mass in N m.
    pub(crate) force: DVec3,
    pub(crate) torque: DVec3,
    /// Freedoms that are held: shifts along the world axes, then turns about them.
    pub(crate) locked: [bool; 6],
    /// No point of its shapes is farther from the centre of mass, in m.
    pub(crate) radius: f64,
    /// Largest extent of its shapes, in m.
    pub(crate) size: f64,
    pub(crate) jointed: bool,
    /// It had a contact within a few guards in the last part.
    pub(crate) touching: bool,
    /// It did not go all of its way in the step.
    pub(crate) was_stopped: bool,
}

/// A shape in its place on a body.
#[derive(Clone, Debug)]
pub(crate) struct SolidShape<'a> {
    /// Index among the bodies of the step.
    pub(crate) body: usize,
    /// Slot in the world's pair index: its name from step to step.
    pub(crate) slot: u32,
    pub(crate) pose: Pose,
    pub(crate) boundary: &'a Boundary,
    pub(crate) touchable: &'a Touchable,
    /// None for shapes that no plane can be tried on.
    pub(crate) corners: Option<&'a Corners>,
    pub(crate) material: Material,
    pub(crate) filter: Filter,
    /// In the shape's frame.
    pub(crate) bounds: Aabb,
    /// No point is farther from the body's centre of mass, in m.
    pub(crate) radius: f64,
    /// Largest extent, in m.
    pub(crate) size: f64,
}

impl SolidBody {
    pub(crate) fn is_movable(&self) -> bool {
        self.mass > 0.0
    }

    /// True for a body that can be moved and is no link.
    pub(crate) fn is_free(&self) -> bool {
        self.is_movable() && self.link.is_none()
    }

    /// True for a link on its way that nothing pushes off it: its machine stops rather than pass what stands there.
    pub(crate) fn is_driven(&self) -> bool {
        !self.is_movable() && self.link.is_some() && self.velocity != Twist::ZERO
    }

    /// Inertia about the centre of mass in world axes, with the given orientation.
    pub(crate) fn inertia(&self, turned: &Pose) -> DMat3 {
        let matrix = turned.rotation_matrix();
        matrix * self.rotor.inertia * matrix.transpose()
    }

    fn turns_freely(&self) -> bool {
        !self.locked[3..].contains(&true)
    }

    /// Angular velocity that belongs to an angular momentum: of a body with held axes that about the free ones.
    pub(crate) fn angular_velocity(&self, pose: &Pose, spin: DVec3) -> DVec3 {
        if self.turns_freely() {
            return self.rotor.velocity(pose.rotation, spin);
        }
        let free = DVec3::from_array([3, 4, 5].map(|axis| if self.locked[axis] { 0.0 } else { 1.0 }));
        let mask = DMat3::from_diagonal(free);
        let held = DMat3::from_diagonal(DVec3::ONE - free);
        (mask * self.inertia(pose) * mask + held).inverse() * (spin * free)
    }

    /// Sets velocities from momenta.
    pub(crate) fn set_momentum(&mut self, linear: DVec3, spin: DVec3) {
        let free = |axis: usize| if self.locked[axis] { 0.0 } else { 1.0 };
        self.velocity.linear = linear * DVec3::new(free(0), free(1), free(2));
        self.spin = spin;
        self.velocity.angular = self.angular_velocity(&self.pose, spin);
        if !self.turns_freely() {
            self.spin = self.inertia(&self.pose) * self.velocity.angular;
        }
    }

    /// Shift and turn in `dt` seconds if nothing is in the way: the exact parabola and torque-free rotation.
    pub(crate) fn free_motion(&self, dt: f64) -> Twist {
        if !self.is_movable() {
            return Twist { linear: self.velocity.linear * dt, angular: self.velocity.angular * dt };
        }
        let linear = self.velocity.linear * dt + self.force * (0.5 * dt * dt / self.mass);
        let half = self.spin + self.torque * (0.5 * dt);
        let angular = self.angular_velocity(&self.pose, half);
        let angular = if self.turns_freely() {
            let moved = drifted(&self.pose, &self.rotor, DVec3::ZERO, angular, dt);
            rotation::log(moved.rotation * self.pose.rotation.conjugate())
        } else {
            angular * dt
        };
        let free = |axis: usize| if self.locked[axis] { 0.0 } else { 1.0 };
        Twist { linear: linear * DVec3::new(free(0), free(1), free(2)), angular }
    }

    /// The pose after a share of a shift and turn.
    pub(crate) fn moved(&self, x: &Twist, share: f64) -> Pose {
        Pose {
            translation: self.pose.translation + x.linear * share,
            rotation: if x.angular == DVec3::ZERO {
                self.pose.rotation
            } else {
                (rotation::exp(x.angular * share) * self.pose.rotation).normalize()
            },
        }
    }

    /// The motion of a shape on the body while the body goes through a shift and turn; none if a number is not finite.
    pub(crate) fn motion(&self, local: &Pose, x: &Twist) -> Option<Motion> {
        let start = self.pose * *local;
        let reference = local.inverse_transform_point(DVec3::ZERO);
        let AxisAngle { axis, angle } = AxisAngle::from_vector(x.angular);
        Motion::uniform(UniformMotion { start, reference, velocity: x.linear, axis, angle }).ok()
    }

    /// Kinetic energy in J; 0 for bodies whose motion is given.
    pub(crate) fn kinetic_energy(&self) -> f64 {
        if !self.is_movable() {
            return 0.0;
        }
        0.5 * (self.mass * self.velocity.linear.length_squared() + self.velocity.angular.dot(self.spin))
    }
}

/// How far turning by `x` moves a point within `radius` of the centre of mass, in m at most.
pub(crate) fn turning(x: &Twist, radius: f64) -> f64 {
    let angle = x.angular.norm();
    if angle > 0.0 { angle.min(2.0) * radius } else { 0.0 }
}

impl SolidShape<'_> {
    /// A box around the shape while its body goes through a shift and turn.
    pub(crate) fn swept_box(&self, body: &SolidBody, x: &Twist) -> Aabb {
        let place = body.pose * self.pose;
        let here = if self.radius.is_finite() {
            let centre = place.transform_point(self.bounds.center());
            let (matrix, half) = (place.rotation_matrix(), self.bounds.half_extents());
            let half =
                matrix.x_axis.abs() * half.x + matrix.y_axis.abs() * half.y + matrix.z_axis.abs() * half.z;
            Aabb::from_center(centre, half)
        } else {
            Aabb { min: DVec3::splat(f64::NEG_INFINITY), max: DVec3::splat(f64::INFINITY) }
        };
        let way = x.linear;
        let along = Aabb { min: here.min + way.min(DVec3::ZERO), max: here.max + way.max(DVec3::ZERO) };
        along.grown(turning(x, self.radius))
    }
}

//! A body and its shapes as the solid step sees them.

use glam::{DMat3, DVec3};
use prall_detection::{Boundary, Filter, Touchable};
use prall_geometry::{Aabb, Shape};
use prall_math::rotation::{self, AxisAngle};
use prall_math::{Motion, Norm, Pose, Twist, UniformMotion};
use prall_mechanics::Material;

use super::machine::LinkName;
use super::plane::Corners;
use crate::flight::{Rotor, drifted};

/// What turns of a body leave its surface where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Roundness {
    /// None but none at all.
    None,
    /// Those about an axis through the centre of mass: its direction, unit, in the body's frame.
    About(DVec3),
    /// All: balls about the centre of mass.
    Ball,
}

impl Roundness {
    /// Of a body with these shapes in their poses.
    pub(crate) fn of<'a>(shapes: impl Iterator<Item = (&'a Pose, &'a Shape)>) -> Roundness {
        shapes.fold(Roundness::Ball, |round, (pose, shape)| round.and(Roundness::of_shape(pose, shape)))
    }

    pub(crate) fn of_shape(pose: &Pose, shape: &Shape) -> Roundness {
        // What the place may be off by, in sizes: as much as heights are rounded.
        const EXACT: f64 = 1e-14;
        let (place, axis) = (pose.translation, pose.transform_vector(DVec3::Y));
        let beside = |offset: DVec3, size: f64| offset.norm() > EXACT * size;
        match shape {
            Shape::Sphere(ball) if !beside(place, ball.radius()) => Roundness::Ball,
            Shape::Sphere(_) => place.try_unit().map_or(Roundness::None, Roundness::About),
            Shape::Capsule(_) | Shape::Cylinder(_) | Shape::Cone(_) => {
                let size = shape.bounding_sphere().map_or(0.0, |sphere| sphere.radius);
                if beside(place - axis * axis.dot(place), size) {
                    Roundness::None
                } else {
                    Roundness::About(axis)
                }
            }
            _ => Roundness::None,
        }
    }

    /// What two parts of a body have in common.
    pub(crate) fn and(self, other: Roundness) -> Roundness {
        match (self, other) {
            (Roundness::Ball, round) | (round, Roundness::Ball) => round,
            (Roundness::About(p), Roundness::About(q)) if p == q || p == -q => self,
            _ => Roundness::None,
        }
    }
}

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
    pub(crate) round: Roundness,
    pub(crate) jointed: bool,
    /// It had a contact within a few guards in the last part.
    pub(crate) touching: bool,
    /// One of these contacts is not with a face: then turns about an axis of symmetry count as well.
    pub(crate) bent: bool,
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

    /// The part of a motion's turn, in rad, about an axis of symmetry: it leaves the surface where it is.
    fn idle_turn(&self, x: &Twist) -> f64 {
        match self.round {
            Roundness::None => 0.0,
            Roundness::About(axis) => self.pose.transform_vector(axis).dot(x.angular),
            Roundness::Ball => x.angular.norm(),
        }
    }

    /// The angle in rad by which a motion turns the body's surface: turns about an axis of symmetry do not count.
    pub(crate) fn turn(&self, x: &Twist) -> f64 {
        match self.round {
            Roundness::None => x.angular.norm(),
            // The angle between the axis and that of the motion stays, and so does what is across.
            Roundness::About(axis) => {
                let axis = self.pose.transform_vector(axis);
                (x.angular - axis * axis.dot(x.angular)).norm()
            }
            Roundness::Ball => 0.0,
        }
    }

    /// The turn by which a part's length is judged: that of the surface, or all of it while the body rolls over an edge or a corner.
    pub(crate) fn counted_turn(&self, x: &Twist) -> f64 {
        if self.bent { x.angular.norm() } else { self.turn(x) }
    }

    /// How far turning moves the surface within `radius` of the centre of mass, in m at most.
    pub(crate) fn turning(&self, x: &Twist, radius: f64) -> f64 {
        arc(self.turn(x), radius)
    }

    /// How fast the angular velocity of [`SolidBody::moved_surface`] changes, in rad a part squared.
    pub(crate) fn turn_rate(&self, x: &Twist) -> f64 {
        self.turn(x) * self.idle_turn(x).abs()
    }

    /// A pose with the surface where the body has it after a share of a motion, without turns about an axis of symmetry. They are taken back as seen from the
    /// body; the motion that is left turns at the constant speed of [`SolidBody::turn`] about an axis that goes round.
    pub(crate) fn moved_surface(&self, x: &Twist, share: f64) -> Pose {
        let there = self.moved(x, share);
        match self.round {
            Roundness::None => there,
            Roundness::About(axis) => {
                let back = rotation::exp(axis * (-share * self.idle_turn(x)));
                Pose { rotation: (there.rotation * back).normalize(), ..there }
            }
            Roundness::Ball => Pose { rotation: self.pose.rotation, ..there },
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

/// How far turning by an angle in rad moves a point within `radius` of the axis, in m at most.
pub(crate) fn arc(angle: f64, radius: f64) -> f64 {
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
        along.grown(body.turning(x, self.radius))
    }
}

//! [`JointDefinition`]: what a joint is made from.

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose, any_orthonormal};
use serde::{Deserialize, Serialize};

use super::basic::{PointConstraint, TurnConstraint};
use super::drive::{Drive, Motor, Servo, SpringDamper};
use crate::BodyHandle;

/// Coordinates of a joint at most: a point in a plane with its swing and twist has four.
pub const MOST_COORDINATES: usize = 4;

/// What a joint leaves free, and what it holds.
///
/// *Coordinates* are the free motions that can be limited, driven and read, in the order given here. Lengths are in
/// m, angles in rad and count whole turns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// Any combination of the basic constraints. Coordinates: the free shifts along the axes of frame 1 (`OnLine`: x;
    /// `InPlane`: y, z), then the free turns (`AlongAxis`: about x; `AcrossAxis`: about x of body 1 and about y of body
    /// 2; `Free`: swing, the angle between the x axes, and twist about them).
    Combined(PointConstraint, TurnConstraint),
    /// Keeps the distance of the two origins. No coordinates.
    Distance {
        /// In m.
        length: f64,
    },
    /// The distance of the two origins as a coordinate, held by nothing: for ropes and springs.
    Reach,
    /// A nut on a bolt along x: the shift is the angle times pitch over a full turn. Coordinate: the angle.
    Screw {
        /// Advance per turn in m; negative for a left-handed thread.
        pitch: f64,
    },
    /// Two wheels with parallel axes x that turn against the line between their centres as
    /// `angle1 + ratio angle2 = 0`. Holds nothing else: hinges carry the wheels. Coordinates: none.
    Gear {
        /// Radius of wheel 2 over radius of wheel 1: positive for outer teeth, negative for a ring around a wheel.
        ratio: f64,
    },
    /// Body 1 is a rack along x, body 2 a pinion that turns about z of body 1: `shift + radius angle = 0`. Holds
    /// nothing else. Coordinates: none.
    RackAndPinion {
        /// Pitch radius in m; the sign says on which side of the rack it rolls.
        radius: f64,
    },
}

impl JointKind {
    /// A point of body 2 stays at a point of body 1. Coordinates: swing, twist.
    pub const BALL: JointKind = JointKind::Combined(PointConstraint::AtPoint, TurnConstraint::Free);
    /// Turns about x. Coordinate: the angle.
    pub const HINGE: JointKind = JointKind::Combined(PointConstraint::AtPoint, TurnConstraint::AlongAxis);
    /// Shifts along x. Coordinate: the shift.
    pub const SLIDER: JointKind = JointKind::Combined(PointConstraint::OnLine, TurnConstraint::Locked);
    /// Shifts along x and turns about it. Coordinates: shift, angle.
    pub const CYLINDER: JointKind = JointKind::Combined(PointConstraint::OnLine, TurnConstraint::AlongAxis);
    /// Shifts along y and z and turns about x. Coordinates: both shifts, the angle.
    pub const PLANAR: JointKind = JointKind::Combined(PointConstraint::InPlane, TurnConstraint::AlongAxis);
    /// Cardan's joint: turns about x of body 1 and y of body 2. Coordinates: both angles.
    pub const UNIVERSAL: JointKind =
        JointKind::Combined(PointConstraint::AtPoint, TurnConstraint::AcrossAxis);
    /// Nothing moves. No coordinates.
    pub const FIXED: JointKind = JointKind::Combined(PointConstraint::AtPoint, TurnConstraint::Locked);
    /// A point of body 2 stays on a line of body 1. Coordinates: shift, swing, twist.
    pub const POINT_ON_LINE: JointKind = JointKind::Combined(PointConstraint::OnLine, TurnConstraint::Free);
    /// A point of body 2 stays in a plane of body 1. Coordinates: both shifts, swing, twist.
    pub const POINT_IN_PLANE: JointKind = JointKind::Combined(PointConstraint::InPlane, TurnConstraint::Free);
    /// A wheel (body 2, axle along y) under a chassis (body 1, suspension along x). Coordinates: travel, steering
    /// about x, spin about the axle.
    pub const WHEEL: JointKind = JointKind::Combined(PointConstraint::OnLine, TurnConstraint::AcrossAxis);

    /// How many freedoms of two bodies it takes.
    pub fn constraints(&self) -> usize {
        match self {
            JointKind::Combined(point, turn) => point.count() + turn.count(),
            JointKind::Reach => 0,
            JointKind::Screw { .. } => 5,
            JointKind::Distance { .. } | JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => 1,
        }
    }

    /// How many coordinates it has that can be limited, driven and read.
    pub fn coordinates(&self) -> usize {
        match self {
            JointKind::Combined(point, turn) => {
                let turns = match turn {
                    TurnConstraint::Free | TurnConstraint::AcrossAxis => 2,
                    TurnConstraint::AlongAxis => 1,
                    TurnConstraint::Locked => 0,
                };
                point.free_axes().len() + turns
            }
            JointKind::Reach | JointKind::Screw { .. } => 1,
            JointKind::Distance { .. } | JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => 0,
        }
    }
}

/// Where a joint sits on its bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointPlace {
    /// One frame in the world, at the moment when the joint is added: both bodies are taken as they are.
    World(Pose),
    /// A frame on each body; if they are apart, the joint pulls them together.
    Bodies([Pose; 2]),
}

/// A joint to be added to a world.
///
/// ```
/// use glam::DVec3;
/// use prall_dynamics::{BodyDefinition, JointDefinition, World};
/// use prall_geometry::Shape;
///
/// let mut world = World::default();
/// let door = world.add_body(&BodyDefinition::dynamic(Shape::cuboid(DVec3::new(0.5, 1.0, 0.02))?, 600.0))?;
/// let hinge = JointDefinition::hinge(world.ground(), door, DVec3::X * -0.5, DVec3::Y).limits(0, 0.0, 1.6);
/// let hinge = world.add_joint(&hinge)?;
/// assert_eq!(world.coordinate(hinge, 0)?, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointDefinition {
    /// The two bodies; [`World::ground`](crate::World::ground) for the world itself.
    pub bodies: [BodyHandle; 2],
    /// Where it sits.
    pub place: JointPlace,
    /// What it holds.
    pub kind: JointKind,
    /// Limits, motors, servos, springs and friction by coordinate.
    pub drives: [Drive; MOST_COORDINATES],
    /// Force in N above which the joint is removed at the end of a step; infinite by default.
    pub break_force: f64,
    /// Torque in N m about the joint's origin above which the joint is removed; infinite by default.
    pub break_torque: f64,
    /// True if the two bodies may touch each other. Default false: most joints join parts that overlap.
    pub collide: bool,
}

/// A frame at a place with its x axis along `axis`; `axis` may have any length but zero.
fn frame(place: DVec3, axis: DVec3) -> Pose {
    let x = axis.unit_or(DVec3::X);
    let (y, z) = any_orthonormal(x);
    // (y, z, x) is right-handed, and so is (x, y, z).
    let rotation = DQuat::from_mat3(&glam::DMat3::from_cols(x, y, z));
    Pose::new(rotation.unit(), place)
}

impl JointDefinition {
    /// A joint of any kind in any place.
    pub fn new(kind: JointKind, a: BodyHandle, b: BodyHandle, place: JointPlace) -> JointDefinition {
        JointDefinition {
            bodies: [a, b],
            place,
            kind,
            drives: [Drive::default(); MOST_COORDINATES],
            break_force: f64::INFINITY,
            break_torque: f64::INFINITY,
            collide: false,
        }
    }

    fn at(kind: JointKind, bodies: [BodyHandle; 2], place: DVec3, axis: DVec3) -> JointDefinition {
        JointDefinition::new(kind, bodies[0], bodies[1], JointPlace::World(frame(place, axis)))
    }

    /// Holds a point, given in the world.
    pub fn ball(a: BodyHandle, b: BodyHandle, point: DVec3) -> JointDefinition {
        JointDefinition::at(JointKind::BALL, [a, b], point, DVec3::X)
    }

    /// Turns about an axis through a point of the world.
    pub fn hinge(a: BodyHandle, b: BodyHandle, point: DVec3, axis: DVec3) -> JointDefinition {
        JointDefinition::at(JointKind::HINGE, [a, b], point, axis)
    }

    /// Shifts along an axis of the world.
    pub fn slider(a: BodyHandle, b: BodyHandle, point: DVec3, axis: DVec3) -> JointDefinition {
        JointDefinition::at(JointKind::SLIDER, [a, b], point, axis)
    }

    /// Shifts along and turns about an axis of the world.
    pub fn cylinder(a: BodyHandle, b: BodyHandle, point: DVec3, axis: DVec3) -> JointDefinition {
        JointDefinition::at(JointKind::CYLINDER, [a, b], point, axis)
    }

    /// Shifts in the plane across `normal` and turns about it.
    pub fn planar(a: BodyHandle, b: BodyHandle, point: DVec3, normal: DVec3) -> JointDefinition {
        JointDefinition::at(JointKind::PLANAR, [a, b], point, normal)
    }

    /// Turns about `axis_a`, carried by a, and `axis_b`, carried by b; the part of `axis_b` across `axis_a` counts.
    pub fn universal(
        a: BodyHandle,
        b: BodyHandle,
        point: DVec3,
        axis_a: DVec3,
        axis_b: DVec3,
    ) -> JointDefinition {
        let place = JointPlace::World(frame_of_two(point, axis_a, axis_b));
        JointDefinition::new(JointKind::UNIVERSAL, a, b, place)
    }

    /// A wheel b with its axle under a chassis a with its suspension direction.
    pub fn wheel(
        chassis: BodyHandle,
        wheel: BodyHandle,
        centre: DVec3,
        suspension: DVec3,
        axle: DVec3,
    ) -> JointDefinition {
        let place = JointPlace::World(frame_of_two(centre, suspension, axle));
        JointDefinition::new(JointKind::WHEEL, chassis, wheel, place)
    }

    /// Holds everything as it is.
    pub fn fixed(a: BodyHandle, b: BodyHandle, point: DVec3) -> JointDefinition {
        JointDefinition::at(JointKind::FIXED, [a, b], point, DVec3::X)
    }

    /// A point of b stays on a line of a.
    pub fn point_on_line(a: BodyHandle, b: BodyHandle, point: DVec3, axis: DVec3) -> JointDefinition {
        JointDefinition::at(JointKind::POINT_ON_LINE, [a, b], point, axis)
    }

    /// A point of b stays in a plane of a.
    pub fn point_in_plane(a: BodyHandle, b: BodyHandle, point: DVec3, normal: DVec3) -> JointDefinition {
        JointDefinition::at(JointKind::POINT_IN_PLANE, [a, b], point, normal)
    }

    /// A thread along `axis` with an advance of `pitch` metres per turn.
    pub fn screw(a: BodyHandle, b: BodyHandle, point: DVec3, axis: DVec3, pitch: f64) -> JointDefinition {
        JointDefinition::at(JointKind::Screw { pitch }, [a, b], point, axis)
    }

    /// A rod of a length between a point of a and a point of b, each in its body's frame.
    pub fn distance(a: BodyHandle, on_a: DVec3, b: BodyHandle, on_b: DVec3, length: f64) -> JointDefinition {
        JointDefinition::between(JointKind::Distance { length }, a, on_a, b, on_b)
    }

    /// A rope between two points, each in its body's frame: holds only when it is taut.
    pub fn rope(a: BodyHandle, on_a: DVec3, b: BodyHandle, on_b: DVec3, length: f64) -> JointDefinition {
        JointDefinition::between(JointKind::Reach, a, on_a, b, on_b).limits(0, 0.0, length)
    }

    /// A spring between two points, each in its body's frame.
    pub fn spring(
        a: BodyHandle,
        on_a: DVec3,
        b: BodyHandle,
        on_b: DVec3,
        spring: SpringDamper,
    ) -> JointDefinition {
        JointDefinition::between(JointKind::Reach, a, on_a, b, on_b).sprung(0, spring)
    }

    /// Two gear wheels with parallel axes, each turning about `axis` through the origin of its body.
    pub fn gear(a: BodyHandle, b: BodyHandle, frames: [Pose; 2], ratio: f64) -> JointDefinition {
        JointDefinition::new(JointKind::Gear { ratio }, a, b, JointPlace::Bodies(frames))
    }

    /// A rack a along `direction` and a pinion b that turns about `axis`, both in the world.
    pub fn rack_and_pinion(
        rack: BodyHandle,
        pinion: BodyHandle,
        centre: DVec3,
        direction: DVec3,
        axis: DVec3,
        radius: f64,
    ) -> JointDefinition {
        // frame_of_two wants (x, y); z is the axis.
        let place = JointPlace::World(frame_of_two(centre, direction, axis.cross(direction)));
        JointDefinition::new(JointKind::RackAndPinion { radius }, rack, pinion, place)
    }

    fn between(kind: JointKind, a: BodyHandle, on_a: DVec3, b: BodyHandle, on_b: DVec3) -> JointDefinition {
        let frames = [Pose::from_translation(on_a), Pose::from_translation(on_b)];
        let joint = JointDefinition::new(kind, a, b, JointPlace::Bodies(frames));
        JointDefinition { collide: true, ..joint }
    }

    /// Keeps a coordinate from `lower` to `upper`.
    #[must_use]
    pub fn limits(mut self, coordinate: usize, lower: f64, upper: f64) -> JointDefinition {
        self.drives[coordinate].limits = Some((lower, upper));
        self
    }

    /// Drives a coordinate with a speed (m/s or rad/s) by a force (N or N m) of at most `strength`.
    #[must_use]
    pub fn driven(mut self, coordinate: usize, speed: f64, strength: f64) -> JointDefinition {
        self.drives[coordinate].motor = Some(Motor { speed, strength });
        self
    }

    /// Drives a coordinate to a place.
    #[must_use]
    pub fn served(mut self, coordinate: usize, servo: Servo) -> JointDefinition {
        self.drives[coordinate].servo = Some(servo);
        self
    }

    /// Puts a spring and a damper on a coordinate.
    #[must_use]
    pub fn sprung(mut self, coordinate: usize, spring: SpringDamper) -> JointDefinition {
        self.drives[coordinate].spring = Some(spring);
        self
    }

    /// Gives a coordinate dry friction of at most `strength` (N or N m).
    #[must_use]
    pub fn rubbing(mut self, coordinate: usize, strength: f64) -> JointDefinition {
        self.drives[coordinate].friction = strength;
        self
    }

    /// Breaks above this force in N or torque in N m.
    #[must_use]
    pub fn breaking(mut self, force: f64, torque: f64) -> JointDefinition {
        (self.break_force, self.break_torque) = (force, torque);
        self
    }
}

/// A frame with x along `first` and y along the part of `second` across it.
fn frame_of_two(place: DVec3, first: DVec3, second: DVec3) -> Pose {
    let x = first.unit_or(DVec3::X);
    let y = second.reject_from_normalized(x).unit_or(any_orthonormal(x).0);
    let rotation = DQuat::from_mat3(&glam::DMat3::from_cols(x, y, x.cross(y)));
    Pose::new(rotation.unit(), place)
}

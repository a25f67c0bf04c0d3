//! Where the links are, how they move, and how both are read from the poses and velocities of bodies.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Norm, Pose, Twist};
use serde::{Deserialize, Serialize};

use super::link::{Kind, Link};

/// State of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinkState {
    pub(crate) rotation: DQuat,
    /// The joint point in the world.
    pub(crate) point: DVec3,
    /// Velocity of the centre of mass.
    pub(crate) velocity: DVec3,
    pub(crate) angular: DVec3,
    /// Angle (not wrapped) or displacement of a joint with an axis.
    pub(crate) coordinate: f64,
    /// Its rate.
    pub(crate) rate: f64,
}

/// Where a driven axis shall be at the end of the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    /// Coordinate in rad or m.
    pub position: f64,
    /// Its rate in rad/s or m/s.
    pub rate: f64,
    /// Its acceleration in rad/s^2 or m/s^2; only accelerations ask for it.
    pub acceleration: f64,
}

impl LinkState {
    pub(crate) fn pose(&self, link: &Link) -> Pose {
        Pose::new(self.rotation, self.point + self.rotation * link.center)
    }

    pub(crate) fn twist(&self) -> Twist {
        Twist::new(self.velocity, self.angular)
    }

    /// Twist at the joint point.
    pub(crate) fn joint_twist(&self, link: &Link) -> Twist {
        let center = self.rotation * link.center;
        Twist::new(self.velocity - self.angular.cross(center), self.angular)
    }
}

/// `normalise(1, a)`: the turn by `2 atan |a|` about `a` (Cayley).
pub(crate) fn cayley_quaternion(a: DVec3) -> DQuat {
    let inverse = 1.0 / (1.0 + a.length_squared()).sqrt();
    DQuat::from_xyzw(a.x * inverse, a.y * inverse, a.z * inverse, inverse)
}

/// Places a link by its coordinate on its parent; free and kinematic links, and balls' rotations, stay.
pub(crate) fn place(link: &Link, state: &mut LinkState, parent: &LinkState) {
    place_at(link, state, parent, parent.rotation * link.axis, parent.rotation * link.lever);
}

/// The same, by who has the joint's axis and its place on the parent in world axes.
#[inline]
pub(crate) fn place_at(link: &Link, state: &mut LinkState, parent: &LinkState, axis: DVec3, lever: DVec3) {
    let anchor = parent.point + lever;
    match link.kind {
        // What is guided is placed by its joint as a whole.
        Kind::Free | Kind::Kinematic | Kind::Guided | Kind::DrivenGuided => {}
        Kind::Ball => state.point = anchor,
        Kind::Fixed => {
            state.point = anchor;
            state.rotation = parent.rotation * link.rest;
        }
        Kind::Revolute | Kind::DrivenRevolute => {
            let (sine, cosine) = libm::sincos(0.5 * state.coordinate);
            let turn = DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine);
            state.point = anchor;
            state.rotation = (turn * parent.rotation * link.rest).unit();
        }
        Kind::Prismatic | Kind::DrivenPrismatic => {
            state.point = anchor + axis * state.coordinate;
            state.rotation = parent.rotation * link.rest;
        }
    }
}

/// Coordinates of the chain of links that ends with the body at `pose`, from the frame of the chain's start.
///
/// Written for the joints that there are: one turning axis, or sliding axes before one turning axis, or x then y.
pub(crate) fn measure(links: &[Link], states: &mut [LinkState], first: usize, own: usize, pose: &Pose) {
    let parent = states[links[first].parent as usize];
    let chain = &links[first..=own];
    let turning = chain.iter().filter(|link| link.kind.turns()).count();
    let frame = parent.rotation
        * chain[0].rest
        * if first == own { chain[0].rest.conjugate() } else { DQuat::IDENTITY };
    let anchor = parent.point + parent.rotation * chain[0].lever;
    let point = pose.translation - pose.rotation * links[own].center;
    let across = frame.conjugate() * (point - anchor);
    // The body's orientation with the joint's own rest taken off: what the axes have turned.
    let turned = if first == own {
        parent.rotation.conjugate() * pose.rotation * links[own].rest.conjugate()
    } else {
        frame.conjugate() * pose.rotation * links[own].rest.conjugate()
    };
    if turning == 2 {
        let turned = DMat3::from_quat(turned);
        let x = libm::atan2(turned.y_axis.z, turned.y_axis.y);
        let y = libm::atan2(turned.z_axis.x, turned.x_axis.x);
        states[first].coordinate = unwrapped(x, states[first].coordinate);
        states[own].coordinate = unwrapped(y, states[own].coordinate);
        return;
    }
    for index in first..=own {
        let (link, coordinate) = (&links[index], &mut states[index].coordinate);
        if link.kind.slides() {
            // Axes of a chain's later links are told in the frame of the link before, which has not turned yet.
            let axis =
                if index == first { frame.conjugate() * (parent.rotation * link.axis) } else { link.axis };
            *coordinate = axis.dot(across);
        } else {
            let sine = DVec3::new(turned.x, turned.y, turned.z).dot(link.axis);
            *coordinate = unwrapped(2.0 * libm::atan2(sine, turned.w), *coordinate);
        }
    }
}

/// The angle nearest to `near` among those that differ by whole turns.
fn unwrapped(angle: f64, near: f64) -> f64 {
    let turn = 2.0 * std::f64::consts::PI;
    angle + turn * ((near - angle) / turn).round()
}

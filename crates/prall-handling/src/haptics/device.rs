//! [`HapticDevice`]: what measures a hand and presses it, and a virtual one to close the loop in tests.

use std::collections::VecDeque;

use prall_math::{Pose, Twist, Wrench, rotation};

/// How a device answers to forces, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceModel {
    /// Mass that the hand feels, in kg.
    pub mass: f64,
    /// Radius of gyration in m: turns have the mass times its square, and the damping likewise.
    pub gyration: f64,
    /// Own damping in N s/m, the resting hand's included.
    pub damping: f64,
    /// From measuring a pose to the force that answers it, in s.
    pub delay: f64,
}

impl DeviceModel {
    /// Goes on by `dt` under a wrench. Velocity first: the semi-implicit rule, stable for dt below 2 m / damping.
    pub(super) fn advance(&self, pose: &mut Pose, twist: &mut Twist, wrench: &Wrench, dt: f64) {
        let inertia = self.mass * self.gyration * self.gyration;
        let slower = 1.0 / (1.0 + dt * self.damping / self.mass);
        twist.linear = (twist.linear + wrench.force * (dt / self.mass)) * slower;
        twist.angular = (twist.angular + wrench.torque * (dt / inertia)) * slower;
        pose.translation += twist.linear * dt;
        pose.rotation = (rotation::exp(twist.angular * dt) * pose.rotation).normalize();
    }
}

/// A device with six freedoms that measures the hand and presses it. Its origin is the part's reference point.
pub trait HapticDevice: Send {
    /// How it answers to forces.
    fn model(&self) -> DeviceModel;

    /// Where the hand is, and its velocity, as last measured.
    fn read(&mut self) -> (Pose, Twist);

    /// Presses the hand, in N and N m about the device's origin, until the next call.
    fn press(&mut self, wrench: &Wrench);
}

/// A simulated device and the hand on it. Time passes in [`HapticDevice::press`].
#[derive(Clone, Debug)]
pub struct VirtualDevice {
    /// How it really is.
    pub body: DeviceModel,
    /// What it says of itself.
    pub stated: DeviceModel,
    /// What the hand presses with.
    pub hand: Wrench,
    /// Where it is, and its velocity.
    pub pose: Pose,
    /// See [`VirtualDevice::pose`].
    pub twist: Twist,
    /// Work that forces of the device have done on the hand and the mass, in J.
    pub work: f64,
    dt: f64,
    on_the_way: VecDeque<Wrench>,
}

/// Steps of the virtual device's own motion in one tick.
const SUBSTEPS: u32 = 10;

impl VirtualDevice {
    /// A device at rest whose ticks take `dt` seconds, and that knows itself.
    pub fn new(body: DeviceModel, pose: Pose, dt: f64) -> VirtualDevice {
        let ticks = (body.delay / dt).round() as usize;
        VirtualDevice {
            body,
            stated: body,
            hand: Wrench::ZERO,
            pose,
            twist: Twist::ZERO,
            work: 0.0,
            dt,
            on_the_way: std::iter::repeat_n(Wrench::ZERO, ticks).collect(),
        }
    }
}

impl HapticDevice for VirtualDevice {
    fn model(&self) -> DeviceModel {
        self.stated
    }

    fn read(&mut self) -> (Pose, Twist) {
        (self.pose, self.twist)
    }

    fn press(&mut self, wrench: &Wrench) {
        self.on_the_way.push_back(*wrench);
        let arrived = self.on_the_way.pop_front().unwrap_or(*wrench);
        let dt = self.dt / f64::from(SUBSTEPS);
        for _ in 0..SUBSTEPS {
            self.body.advance(&mut self.pose, &mut self.twist, &(arrived + self.hand), dt);
            self.work += dt * (arrived.force.dot(self.twist.linear) + arrived.torque.dot(self.twist.angular));
        }
    }
}

//! [`Renderer`]: from constraints and the device's pose to a force, tick by tick.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use glam::{DMat3, DVec3};
use prall_math::{Norm, Pose, Twist, Wrench, rotation};

use super::device::{DeviceModel, HapticDevice};
use super::energy::EnergyTank;
use super::mailbox::{Constraints, Mailbox};
use crate::active_set::{ActiveSet, HalfSpace, SIX};
use crate::frame::MetricFrame;

/// How forces are rendered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HapticOptions {
    /// Of a wall, in N/m; turns have this times the device's squared radius of gyration. Default 1500, tested to 2000.
    pub stiffness: f64,
    /// In contact, in N s/m; half of stiffness times delay is added. Default 8.
    pub damping: f64,
    /// Largest force in N, and torque in N m per metre of the radius of gyration. Default 20.
    pub max_force: f64,
    /// Largest change of the force in N/s. Default 20,000: from nothing to the limit in a millisecond.
    pub max_rate: f64,
    /// Without a publication for this long, in s, forces begin to fade. Default 0.25.
    pub watchdog: f64,
    /// How long they take to fade, in s. Default 0.05.
    pub fade: f64,
}

impl Default for HapticOptions {
    fn default() -> HapticOptions {
        HapticOptions {
            stiffness: 1500.0,
            damping: 8.0,
            max_force: 20.0,
            max_rate: 20_000.0,
            watchdog: 0.25,
            fade: 0.05,
        }
    }
}

/// Time in s over which the hand's force is averaged.
const HAND_TIME: f64 = 0.02;

/// Renders the forces of one device.
#[derive(Debug)]
pub struct Renderer {
    options: HapticOptions,
    mailbox: Mailbox,
    constraints: Constraints,
    /// Since the last publication, in s.
    age: f64,
    /// Share of the force that is rendered: falls to 0 when the filter is silent, and is 1 again when the hand is outside of all planes. A hand that has sunk into a wall meanwhile is
    /// not thrown out of it.
    strength: f64,
    /// Sent and not yet felt, the oldest first.
    on_the_way: VecDeque<Wrench>,
    /// Velocity at the last tick, the force that acted since, and what the hand presses with, as far as it explains the motion.
    before: Option<Twist>,
    arrived: Wrench,
    hand: Wrench,
    last: Wrench,
    tank: EnergyTank,
    active_set: ActiveSet,
}

impl Renderer {
    /// Reads from a mailbox.
    pub fn new(mailbox: Mailbox, options: HapticOptions) -> Renderer {
        Renderer {
            options,
            mailbox,
            constraints: Constraints::default(),
            age: f64::INFINITY,
            strength: 0.0,
            on_the_way: VecDeque::new(),
            before: None,
            arrived: Wrench::ZERO,
            hand: Wrench::ZERO,
            last: Wrench::ZERO,
            tank: EnergyTank::default(),
            active_set: ActiveSet::default(),
        }
    }

    /// What the hand has given the device since it last was free, less what it got back, in J.
    ///
    /// Below 0 only if the hand itself was pulled out of a wall faster than it would fly by itself; then it is owed before anything else is paid.
    pub fn stored_energy(&self) -> f64 {
        self.tank.stored()
    }

    /// One tick of `dt` seconds: reads the device, presses it, and returns with what.
    ///
    /// A measurement that is not finite stops the device: it is pressed with nothing.
    pub fn tick(&mut self, device: &mut dyn HapticDevice, dt: f64) -> Wrench {
        self.age = if self.mailbox.refresh(&mut self.constraints) { 0.0 } else { self.age + dt };
        let silent = self.age > self.options.watchdog;
        if silent {
            self.strength = (self.strength - dt / self.options.fade).max(0.0);
        }
        let model = device.model();
        let (measured, velocity) = device.read();
        self.tank.observe(&measured, &self.arrived);
        self.observe_hand(&model, &velocity, dt);
        let (mut pose, mut twist) = (measured, velocity);
        for wrench in &self.on_the_way {
            model.advance(&mut pose, &mut twist, &(*wrench + self.hand), dt);
        }
        let wanted = self.wall(&pose, &twist, &model);
        if wanted == Wrench::ZERO && !silent {
            self.strength = 1.0;
        }
        if wanted == Wrench::ZERO && self.on_the_way.iter().all(|wrench| *wrench == Wrench::ZERO) {
            self.tank.settle();
        }
        let finite = wanted.force.is_finite() && wanted.torque.is_finite();
        let wrench = if finite { self.limited(&wanted, model.gyration, dt) } else { Wrench::ZERO };
        let share = self.tank.affordable(&model, (measured, velocity), &self.on_the_way, &wrench, dt);
        let wrench = wrench * share;
        device.press(&wrench);
        self.last = wrench;
        self.on_the_way.push_back(wrench);
        let delay = (model.delay / dt).round().clamp(0.0, 1000.0) as usize;
        let mut arrived = Wrench::ZERO;
        while self.on_the_way.len() > delay {
            arrived = self.on_the_way.pop_front().unwrap_or(arrived);
        }
        self.arrived = arrived;
        wrench
    }

    /// Learns what the hand presses with from what the force that arrived does not explain. Without it the prediction would take a hand that rests against a wall for one
    /// that the wall throws off.
    fn observe_hand(&mut self, model: &DeviceModel, twist: &Twist, dt: f64) {
        if let Some(before) = self.before {
            let change = (*twist - before) * (1.0 / dt) + *twist * (model.damping / model.mass);
            let all = Wrench {
                force: change.linear * model.mass,
                torque: change.angular * (model.mass * model.gyration * model.gyration),
            };
            let unexplained = all - self.arrived - self.hand;
            let next = self.hand + unexplained * (dt / (dt + HAND_TIME));
            self.hand = if next.force.is_finite() && next.torque.is_finite() { next } else { Wrench::ZERO };
        }
        self.before = Some(*twist);
    }

    /// The force of the published planes on a device in a pose.
    fn wall(&mut self, pose: &Pose, twist: &Twist, model: &DeviceModel) -> Wrench {
        let gyration = model.gyration;
        let published = &self.constraints;
        let centre = published.pose.transform_point(published.reference);
        let frame = MetricFrame::new(&Pose::IDENTITY, &DMat3::IDENTITY, DVec3::splat(gyration));
        let turn = pose.rotation * published.pose.rotation.conjugate();
        let x = frame.motion(&Twist::new(pose.translation - centre, rotation::log(turn)));
        let mut rows = [HalfSpace { normal: [0.0; SIX], bound: 0.0, preferred: false }; SIX];
        let planes = published.planes();
        for (row, plane) in rows.iter_mut().zip(planes) {
            row.normal = frame.row(plane.normal, plane.point - centre);
            row.bound = -plane.room;
        }
        let mut goal = x;
        self.active_set.nearest(&mut goal, &rows[..planes.len()], 1e-9);
        if self.active_set.rows().is_empty() {
            return Wrench::ZERO;
        }
        let v = frame.motion(twist);
        // Damping acts along the planes that press, so that a hand slides along a wall freely.
        // A hand that lets go suddenly is noticed late; what the wall gives until then is taken out by more damping.
        let damping = self.options.damping + 0.5 * self.options.stiffness * model.delay;
        let (free, _) = self.active_set.factor().split(&v);
        let pull: [f64; SIX] =
            std::array::from_fn(|i| self.options.stiffness * (goal[i] - x[i]) - damping * (v[i] - free[i]));
        Wrench {
            force: DVec3::new(pull[0], pull[1], pull[2]),
            torque: DVec3::new(pull[3], pull[4], pull[5]) * gyration,
        }
    }

    /// Within the limits of size and change.
    fn limited(&self, wanted: &Wrench, gyration: f64, dt: f64) -> Wrench {
        let size = |wrench: &Wrench| wrench.force.norm().max(wrench.torque.norm() / gyration);
        let share = (self.options.max_force / size(wanted).max(f64::MIN_POSITIVE)).min(1.0) * self.strength;
        let target = *wanted * share;
        let change = target - self.last;
        let most = self.options.max_rate * dt;
        self.last + change * (most / size(&change).max(f64::MIN_POSITIVE)).min(1.0)
    }
}

/// Ticks every millisecond until `stop` is set; to be run on a thread of its own. `felt` gets every wrench that was rendered.
///
/// A tick that comes late is not made up for: the next one is a millisecond after it.
pub fn run(
    renderer: &mut Renderer,
    device: &mut dyn HapticDevice,
    stop: &AtomicBool,
    mut felt: impl FnMut(&Wrench),
) {
    const TICK: Duration = Duration::from_millis(1);
    let mut due = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        felt(&renderer.tick(device, TICK.as_secs_f64()));
        due = (due + TICK).max(Instant::now());
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    device.press(&Wrench::ZERO);
}

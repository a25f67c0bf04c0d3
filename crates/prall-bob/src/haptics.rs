//! What the hands feel: the torque of the ice at the steering, sent by UDP to a force device, and the controller of such a device.
//!
//! The force at a lever of length `l` is `F = M / l`, with the torque `M` averaged over 10 ms (Rempfler 2015, 5.3). That force opposes the
//! speed of the hands, `F = F0 - b x'`, and a damper behind 14 to 20 ms of delay feeds energy in: rendered as it is, it oscillates in light
//! hands. So `F0 = F + b x'` is sent, and the controller damps by its own sensor, a thousand times a second. [`ForceLaw::Direct`] sends `F` as
//! the source did.
//!
//! - [`Feeling`] averages a sled's torque and measures `b`.
//! - [`Packet`] and [`Sender`]: 24 bytes by UDP; sending never waits.
//! - [`Controller`]: from packets, a potentiometer and a strain gauge to a voltage.
//! - [`Rig`] and [`Hand`]: a simulated motor with spindle, gauge and plate, and whoever holds it.

mod controller;
mod packet;
mod rig;
#[cfg(test)]
mod tests;

pub use controller::{Controller, MAX_FORCE, MAX_VOLTAGE, TICK};
pub use packet::{Packet, PacketError, Sender};
pub use rig::{Hand, Reading, Rig};

use crate::run::{Run, STEP};
use crate::sled::Sled;

/// Length of the lever in m, from the steering axis to where hands pull (Rempfler 2015, 5.3).
pub const LEVER: f64 = 0.1;

/// Share of the measured damping that is taken out of the force: too much would push the hands on.
const PRUDENCE: f64 = 0.8;

/// What is sent, and how it is rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceLaw {
    /// The force without the ice's damping; the device damps by itself. The default.
    #[default]
    Damped,
    /// `F = M / l` as it is: oscillates in light hands behind a delay.
    Direct,
}

/// How a sled's torque becomes packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeelingOptions {
    /// Packets in a second of simulated time, 20 to 1000. Default 100: the mean over 10 ms of the source.
    pub rate: f64,
    /// Factor on torque over lever. Default 0.5: with more of it light hands swing behind a delay, though never further than the controller's tank
    /// lets them.
    pub scale: f64,
    /// Largest force in N that is sent, either way. Default 400.
    pub limit: f64,
    /// What is sent.
    pub law: ForceLaw,
}

impl Default for FeelingOptions {
    fn default() -> FeelingOptions {
        FeelingOptions { rate: 100.0, scale: 0.5, limit: MAX_FORCE, law: ForceLaw::Damped }
    }
}

impl FeelingOptions {
    /// What is wrong with them, in a sentence; none if nothing is.
    pub fn defect(&self) -> Option<String> {
        let checks = [
            ("the rate", self.rate, 20.0, 1000.0, "packets a second"),
            ("the scale", self.scale, 0.0, 10.0, "times the force of the ice"),
            ("the limit", self.limit, 0.0, 2000.0, "N"),
        ];
        checks.iter().find_map(|(what, value, low, high, unit)| {
            (!(*low..=*high).contains(value))
                .then(|| format!("{what} must lie from {low} to {high} {unit}, not {value}"))
        })
    }

    /// Steps of the sled in one packet.
    fn window(&self) -> u32 {
        (1.0 / (self.rate * STEP)).round().max(1.0) as u32
    }
}

/// Averages what the hands of a run feel. It only looks: the run is the same with and without it.
#[derive(Clone, Debug)]
pub struct Feeling {
    options: FeelingOptions,
    number: u64,
    steps: u32,
    sums: Window,
}

/// Sums over steps, or their means: torque in N m and rate of the steering in rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Window {
    torque: f64,
    rate: f64,
}

impl Feeling {
    /// With an empty window.
    pub fn new(options: FeelingOptions) -> Feeling {
        Feeling { options, number: 0, steps: 0, sums: Window::default() }
    }

    /// Looks at a run after a step; a packet when a window is full.
    pub fn see(&mut self, run: &Run<'_>) -> Option<Packet> {
        self.see_sled(run.sled(), || run.steering_damping())
    }

    fn see_sled(&mut self, sled: &Sled, damping: impl FnOnce() -> f64) -> Option<Packet> {
        let window = self.add(Window { torque: sled.steering_torque(), rate: sled.drive().rate })?;
        let damping = match self.options.law {
            ForceLaw::Direct => 0.0,
            ForceLaw::Damped => PRUDENCE * damping().max(0.0),
        };
        Some(self.packet(window, damping))
    }

    /// Adds a step; the means when the window is full.
    fn add(&mut self, step: Window) -> Option<Window> {
        self.steps += 1;
        self.sums.torque += step.torque;
        self.sums.rate += step.rate;
        if self.steps < self.options.window() {
            return None;
        }
        let steps = f64::from(std::mem::take(&mut self.steps));
        let Window { torque, rate } = std::mem::take(&mut self.sums);
        Some(Window { torque: torque / steps, rate: rate / steps })
    }

    /// The packet of a window, without a damping in N m s/rad.
    fn packet(&mut self, window: Window, damping: f64) -> Packet {
        let FeelingOptions { scale, limit, .. } = self.options;
        let force = scale * (window.torque + damping * window.rate) / LEVER;
        self.number += 1;
        Packet { number: self.number, force: force.clamp(-limit, limit) }
    }
}

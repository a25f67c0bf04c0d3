//! [`ForceFeedback`]: a device that presses the tracked hand, a thousand times a second, on a thread of its own.
//!
//! Sessions put what the filter allowed into a [`Mailbox`]; the thread reads the newest, the newest packet of the hand, and sends a wrench. Neither ever waits for the other.

use super::devices::Tracking;
use prall_handling::haptics::{
    Constraints, DeviceModel, HapticDevice, HapticOptions, Mailbox, Renderer, WrenchSender, run,
};
use prall_math::{Pose, Twist, Wrench};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// A device by UDP: where it is sent to, how it answers to forces, and how they are rendered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceOptions {
    /// Where wrenches go.
    pub address: SocketAddr,
    /// How the device answers to them.
    pub model: DeviceModel,
    /// How they are rendered.
    pub rendering: HapticOptions,
}

impl ForceOptions {
    /// A handle of 0.2 kg with 5 N s/m of its own damping, 5 ms behind, and walls of 800 N/m.
    pub fn to(address: SocketAddr) -> ForceOptions {
        ForceOptions {
            address,
            model: DeviceModel { mass: 0.2, gyration: 0.05, damping: 5.0, delay: 5e-3 },
            rendering: HapticOptions { stiffness: 800.0, ..HapticOptions::default() },
        }
    }
}

/// The device as the thread sees it: poses come in as packets of the tracked hand, wrenches go out.
struct UdpDevice {
    tracking: Arc<Tracking>,
    sender: WrenchSender,
    model: DeviceModel,
    begun: Instant,
    sent: Arc<AtomicU64>,
}

impl HapticDevice for UdpDevice {
    fn model(&self) -> DeviceModel {
        self.model
    }

    /// A hand that is lost is nowhere, and nothing presses it.
    fn read(&mut self) -> (Pose, Twist) {
        let nowhere = Pose::from_translation(glam::DVec3::NAN);
        self.tracking.motion(Instant::now()).unwrap_or((nowhere, Twist::ZERO))
    }

    fn press(&mut self, wrench: &Wrench) {
        if self.sender.send(self.begun.elapsed().as_secs_f64(), wrench) {
            self.sent.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A running device.
pub(super) struct ForceFeedback {
    address: SocketAddr,
    mailbox: Mailbox,
    sent: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl ForceFeedback {
    /// Starts the thread.
    pub(super) fn start(options: &ForceOptions, tracking: &Arc<Tracking>) -> std::io::Result<ForceFeedback> {
        let ForceOptions { address, model, rendering } = *options;
        let mailbox = Mailbox::default();
        let (sent, stop) = (Arc::new(AtomicU64::default()), Arc::new(AtomicBool::new(false)));
        let mut device = UdpDevice {
            tracking: Arc::clone(tracking),
            sender: WrenchSender::to(address)?,
            model,
            begun: Instant::now(),
            sent: Arc::clone(&sent),
        };
        let (mut renderer, stopped) = (Renderer::new(mailbox.clone(), rendering), Arc::clone(&stop));
        std::thread::Builder::new()
            .name("prall-force".to_owned())
            .spawn(move || run(&mut renderer, &mut device, &stopped, |_| {}))?;
        Ok(ForceFeedback { address, mailbox, sent, stop })
    }

    /// What holds the hand from now on.
    pub(super) fn publish(&self, constraints: &Constraints) {
        self.mailbox.publish(constraints);
    }

    /// Where wrenches go, and how many have gone.
    pub(super) fn count(&self) -> (SocketAddr, u64) {
        (self.address, self.sent.load(Ordering::Relaxed))
    }
}

impl Drop for ForceFeedback {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

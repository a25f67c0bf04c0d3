//! [`HandDevices`]: a tracked hand that comes by UDP, and the wrench that goes out by UDP.
//!
//! Both belong to the session that was joined last. Nothing here ever waits: a thread reads packets and keeps the newest, and what cannot be sent at once
//! is not sent.

use super::force::{ForceFeedback, ForceOptions};
use crate::tracking::HandPacket;
use prall_handling::haptics::{Constraints, WrenchSender};
use prall_math::{Pose, Twist, Wrench, rotation};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// A hand of which nothing was heard for so long is lost, and what it holds is let go.
const LOST: Duration = Duration::from_millis(250);
/// After this silence packets may be counted anew: the sender was started again.
const FORGOTTEN: Duration = Duration::from_secs(1);
/// How often the thread that reads packets looks whether the server is still there.
const WAKE: Duration = Duration::from_millis(500);
/// The velocity of a hand is its mean over this time, and over this many packets at most.
const VELOCITY_OVER: Duration = Duration::from_millis(10);
const REMEMBERED: usize = 32;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was heard of a tracked hand.
pub(super) struct Tracking {
    address: SocketAddr,
    /// The last packets, the newest last.
    heard: Mutex<VecDeque<(HandPacket, Instant)>>,
    taken: AtomicU64,
    /// Packets that are none.
    bad: AtomicU64,
    /// Packets that were overtaken.
    late: AtomicU64,
}

impl Tracking {
    fn hear(&self, bytes: &[u8]) {
        let Some(packet) = HandPacket::read(bytes) else {
            self.bad.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let (mut heard, now) = (lock(&self.heard), Instant::now());
        let overtaken = heard
            .back()
            .is_some_and(|(known, at)| packet.number <= known.number && now.duration_since(*at) < FORGOTTEN);
        if overtaken {
            self.late.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if heard.len() == REMEMBERED {
            heard.pop_front();
        }
        heard.push_back((packet, now));
        self.taken.fetch_add(1, Ordering::Relaxed);
    }

    /// The newest packet; `None` of a hand that is lost.
    fn newest(&self) -> Option<HandPacket> {
        let (packet, at) = *lock(&self.heard).back()?;
        (at.elapsed() < LOST).then_some(packet)
    }

    /// Where the hand is and how it moves, as last heard; `None` of a hand that is lost.
    pub(super) fn motion(&self, now: Instant) -> Option<(Pose, Twist)> {
        let heard = lock(&self.heard);
        let (packet, at) = *heard.back()?;
        if now.saturating_duration_since(at) >= LOST {
            return None;
        }
        let pose = packet.pose;
        let before =
            heard.iter().find(|(_, earlier)| now.saturating_duration_since(*earlier) <= VELOCITY_OVER);
        let twist = before.map_or(Twist::ZERO, |(earlier, then)| {
            let seconds = at.saturating_duration_since(*then).as_secs_f64();
            let turn = rotation::log((pose.rotation * earlier.pose.rotation.conjugate()).normalize());
            let way = Twist::new(pose.translation - earlier.pose.translation, turn);
            if seconds > 0.0 { way * (1.0 / seconds) } else { Twist::ZERO }
        });
        Some((pose, twist))
    }
}

/// Reads packets until the server is gone.
fn listen(socket: &UdpSocket, tracking: &Weak<Tracking>) {
    let mut bytes = [0; 512];
    loop {
        // Time-outs, and senders that are not there, are no news.
        let heard = socket.recv_from(&mut bytes).map(|(length, _)| length);
        let Some(tracking) = tracking.upgrade() else { return };
        match heard {
            Ok(length) => tracking.hear(&bytes[..length]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {}
            // Larger than any packet, on systems that say so, or a complaint of the network.
            Err(_) => {
                tracking.bad.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Devices for hands that no page brings.
#[derive(Default)]
pub(super) struct HandDevices {
    tracking: Option<Arc<Tracking>>,
    wrench: Option<(SocketAddr, Mutex<WrenchSender>)>,
    force: Option<ForceFeedback>,
    sent: AtomicU64,
    /// The session that they belong to.
    owner: Mutex<Option<String>>,
}

impl HandDevices {
    /// Listens for a hand at one address, sends wrenches to another and presses the hand by a device at a third, as far as they are given; the error has the address that was refused.
    /// A device that nobody tracks presses nobody.
    pub(super) fn open(
        tracker: Option<SocketAddr>,
        wrench: Option<SocketAddr>,
        force: Option<&ForceOptions>,
    ) -> Result<HandDevices, (SocketAddr, std::io::Error)> {
        let mut devices = HandDevices::default();
        if let Some(address) = tracker {
            let refused = |error| (address, error);
            let socket = UdpSocket::bind(address).map_err(refused)?;
            socket.set_read_timeout(Some(WAKE)).map_err(refused)?;
            let tracking = Arc::new(Tracking {
                address: socket.local_addr().map_err(refused)?,
                heard: Mutex::default(),
                taken: AtomicU64::default(),
                bad: AtomicU64::default(),
                late: AtomicU64::default(),
            });
            let heard = Arc::downgrade(&tracking);
            let thread = std::thread::Builder::new().name("prall-tracker".to_owned());
            thread.spawn(move || listen(&socket, &heard)).map_err(refused)?;
            if let Some(force) = force {
                let started =
                    ForceFeedback::start(force, &tracking).map_err(|error| (force.address, error))?;
                devices.force = Some(started);
            }
            devices.tracking = Some(tracking);
        }
        if let Some(address) = wrench {
            let sender = WrenchSender::to(address).map_err(|error| (address, error))?;
            devices.wrench = Some((address, Mutex::new(sender)));
        }
        Ok(devices)
    }

    /// Where packets of a tracked hand are awaited.
    pub(super) fn tracker_address(&self) -> Option<SocketAddr> {
        self.tracking.as_ref().map(|tracking| tracking.address)
    }

    /// From now on the devices belong to this session.
    pub(super) fn belong_to(&self, session: &str) {
        if self.tracking.is_some() || self.wrench.is_some() {
            *lock(&self.owner) = Some(session.to_owned());
        }
    }

    fn belongs_to(&self, session: &str) -> bool {
        lock(&self.owner).as_deref() == Some(session)
    }

    /// The tracked hand, if there is one for this session and it is not lost.
    pub(super) fn hand(&self, session: &str) -> Option<HandPacket> {
        let packet = self.tracking.as_ref()?.newest()?;
        self.belongs_to(session).then_some(packet)
    }

    /// Lets the device of this session's hand know what holds the hand; `constraints` are made only if there is one.
    pub(super) fn constrain(&self, session: &str, constraints: impl FnOnce() -> Constraints) {
        if let Some(force) = self.force.as_ref().filter(|_| self.belongs_to(session)) {
            force.publish(&constraints());
        }
    }

    /// Sends what the hand of this session shall feel at a simulated time in s.
    pub(super) fn feel(&self, session: &str, time: f64, wrench: &Wrench) {
        if let Some((_, sender)) = &self.wrench
            && self.belongs_to(session)
            && lock(sender).send(time, wrench)
        {
            self.sent.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What the page shows of them.
    pub(super) fn to_json(&self) -> Value {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let tracker = self.tracking.as_ref().map(|tracking| {
            json!({
                "address": tracking.address.to_string(),
                "packets": count(&tracking.taken),
                "refused": count(&tracking.bad),
                "late": count(&tracking.late),
            })
        });
        let wrench = self
            .wrench
            .as_ref()
            .map(|(address, _)| json!({"address": address.to_string(), "packets": count(&self.sent)}));
        let force = self.force.as_ref().map(|force| {
            let (address, packets) = force.count();
            json!({"address": address.to_string(), "packets": packets})
        });
        json!({"tracker": tracker, "wrench": wrench, "force": force})
    }
}

//! [`WrenchSender`]: what a device shall press with, sent by UDP. The packet is described in `docs/telemetry.md`.

use std::io;
use std::net::{ToSocketAddrs, UdpSocket};

use glam::DVec3;
use prall_math::Wrench;

/// The first four bytes of a packet, its version, and its length.
const MAGIC: [u8; 4] = *b"PRLW";
const VERSION: u16 = 1;
const LENGTH: usize = 72;

/// A wrench on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrenchPacket {
    /// Counts packets from 0, so that a receiver notices what was lost or came late.
    pub number: u64,
    /// Simulated time in s.
    pub time: f64,
    /// In N and N m about the reference point, world axes.
    pub wrench: Wrench,
}

impl WrenchPacket {
    /// The packet's bytes.
    pub fn bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        let (force, torque) = (self.wrench.force, self.wrench.torque);
        let numbers = [self.time, force.x, force.y, force.z, torque.x, torque.y, torque.z];
        for (place, number) in bytes[16..].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads a packet; none if these bytes are not one of this version.
    pub fn read(bytes: &[u8]) -> Option<WrenchPacket> {
        let known = bytes.len() == LENGTH && bytes[..4] == MAGIC && bytes[4..6] == VERSION.to_le_bytes();
        if !known {
            return None;
        }
        let word = |at: usize| -> [u8; 8] { std::array::from_fn(|i| bytes[at + i]) };
        let vector = |at: usize| DVec3::from_array([0, 8, 16].map(|i| f64::from_le_bytes(word(at + i))));
        let wrench = Wrench { force: vector(24), torque: vector(48) };
        Some(WrenchPacket { number: u64::from_le_bytes(word(8)), time: f64::from_le_bytes(word(16)), wrench })
    }
}

/// Sends wrenches to one address. A receiver that is not there costs nothing and is no error.
#[derive(Debug)]
pub struct WrenchSender {
    socket: UdpSocket,
    number: u64,
}

impl WrenchSender {
    /// To `address`, from any free port. Sending never waits.
    pub fn to(address: impl ToSocketAddrs) -> io::Result<WrenchSender> {
        let targets: Vec<_> = address.to_socket_addrs()?.collect();
        let any = if targets.iter().all(std::net::SocketAddr::is_ipv6) { "[::]:0" } else { "0.0.0.0:0" };
        let socket = UdpSocket::bind(any)?;
        socket.connect(&targets[..])?;
        socket.set_nonblocking(true)?;
        Ok(WrenchSender { socket, number: 0 })
    }

    /// Sends a wrench at a simulated time in s. False if it could not be sent: no packet waits for better times.
    pub fn send(&mut self, time: f64, wrench: &Wrench) -> bool {
        let packet = WrenchPacket { number: self.number, time, wrench: *wrench };
        self.number += 1;
        self.socket.send(&packet.bytes()).is_ok()
    }
}

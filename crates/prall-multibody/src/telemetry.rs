//! [`Telemetry`]: what a machine does, sent by UDP to motion platforms and dashboards.
//!
//! The packet is described in `docs/telemetry.md`: little-endian, 48 bytes of head, then 104 bytes for each body.

use std::io;
use std::net::{ToSocketAddrs, UdpSocket};

use glam::{DQuat, DVec3};
use prall_math::{Pose, Twist};
use thiserror::Error;

use crate::Mechanism;

/// The first four bytes of a packet.
const MAGIC: [u8; 4] = *b"PRLT";
/// The version of the packet.
const VERSION: u16 = 1;
/// Length of the head, and of a body's record, in bytes.
const HEAD: usize = 48;
const RECORD: usize = 104;
/// Bodies in one packet: more would not fit into the 65,507 bytes of a datagram.
const MOST_BODIES: usize = 600;

/// A packet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet {
    /// Counts packets from 0, so that a receiver notices what was lost or came late.
    pub number: u64,
    /// Simulated time in s.
    pub time: f64,
    /// What a passenger of the first body feels at its centre of mass, in its own axes, in m/s^2: acceleration less gravity, mean
    /// since the last packet. At rest it is 9.81 upwards.
    pub felt: DVec3,
    /// Pose of every body, and its velocities in world axes, in the order of declaration.
    pub bodies: Vec<(Pose, Twist)>,
}

/// Why a packet was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PacketError {
    /// Not one of ours.
    #[error("these bytes are no telemetry of Prall: they do not begin with PRLT")]
    Magic,
    /// Of another version.
    #[error("this is telemetry of version {0}, but version {VERSION} is read here")]
    Version(u16),
    /// Cut off, or too long.
    #[error("such a packet has {wanted} bytes, not {found}")]
    Length {
        /// Bytes that it should have.
        wanted: usize,
        /// Bytes that it has.
        found: usize,
    },
}

impl Packet {
    /// Appends the packet's bytes.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let count = self.bodies.len().min(MOST_BODIES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((count as u16).to_le_bytes());
        bytes.extend(self.number.to_le_bytes());
        bytes.extend(self.time.to_le_bytes());
        let mut numbers =
            |numbers: &[f64]| bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        numbers(&self.felt.to_array());
        for (pose, twist) in &self.bodies[..count] {
            numbers(&pose.translation.to_array());
            numbers(&pose.rotation.to_array());
            numbers(&twist.linear.to_array());
            numbers(&twist.angular.to_array());
        }
    }

    /// Reads a packet.
    pub fn read(bytes: &[u8]) -> Result<Packet, PacketError> {
        if bytes.get(..4) != Some(&MAGIC) {
            return Err(PacketError::Magic);
        }
        let short = |wanted| PacketError::Length { wanted, found: bytes.len() };
        if bytes.len() < HEAD {
            return Err(short(HEAD));
        }
        let version = u16::from_le_bytes([bytes[4], bytes[5]]);
        if version != VERSION {
            return Err(PacketError::Version(version));
        }
        let count = usize::from(u16::from_le_bytes([bytes[6], bytes[7]]));
        let wanted = HEAD + RECORD * count;
        if bytes.len() != wanted {
            return Err(short(wanted));
        }
        let word = |at: usize| -> [u8; 8] { std::array::from_fn(|i| bytes[at + i]) };
        let number = |at: usize| f64::from_le_bytes(word(at));
        let vector = |at: usize| DVec3::new(number(at), number(at + 8), number(at + 16));
        let body = |index: usize| {
            let at = HEAD + RECORD * index;
            let [x, y, z, w] = [24, 32, 40, 48].map(|offset| number(at + offset));
            let pose = Pose::new(DQuat::from_xyzw(x, y, z, w), vector(at));
            (pose, Twist::new(vector(at + 56), vector(at + 80)))
        };
        Ok(Packet {
            number: u64::from_le_bytes(word(8)),
            time: number(16),
            felt: vector(24),
            bodies: (0..count).map(body).collect(),
        })
    }
}

/// Sends packets to one address. A receiver that is not there costs nothing and is no error.
#[derive(Debug)]
pub struct Telemetry {
    socket: UdpSocket,
    packet: Packet,
    bytes: Vec<u8>,
    last: Option<(f64, DVec3)>,
}

impl Telemetry {
    /// To `address`, from any free port. Sending never waits.
    pub fn to(address: impl ToSocketAddrs) -> io::Result<Telemetry> {
        let targets: Vec<_> = address.to_socket_addrs()?.collect();
        let any = if targets.iter().all(std::net::SocketAddr::is_ipv6) { "[::]:0" } else { "0.0.0.0:0" };
        let socket = UdpSocket::bind(any)?;
        socket.connect(&targets[..])?;
        socket.set_nonblocking(true)?;
        Ok(Telemetry { socket, packet: Packet::default(), bytes: Vec::new(), last: None })
    }

    /// Sends the present state of a mechanism at a simulated time in s, under gravity in m/s^2. False if it could not be sent:
    /// no packet waits for better times.
    pub fn send(&mut self, mechanism: &Mechanism, time: f64, gravity: DVec3) -> bool {
        let tree = mechanism.tree();
        let packet = &mut self.packet;
        packet.time = time;
        packet.bodies.clear();
        tree.store(|_, pose, twist| packet.bodies.push((pose, twist)));
        if let Some((pose, twist)) = packet.bodies.first() {
            let acceleration = match self.last {
                Some((then, velocity)) if time > then => (twist.linear - velocity) / (time - then),
                _ => DVec3::ZERO,
            };
            packet.felt = pose.inverse_transform_vector(acceleration - gravity);
            self.last = Some((time, twist.linear));
        }
        self.bytes.clear();
        packet.write(&mut self.bytes);
        packet.number += 1;
        self.socket.send(&self.bytes).is_ok_and(|sent| sent == self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, JointKind, Model};
    use glam::DMat3;
    use prall_mechanics::Mover;
    use std::time::Duration;

    const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

    /// A body in free fall feels nothing; the packets of a loopback hold its states bit by bit.
    #[test]
    fn packets_of_a_falling_body_arrive_as_they_were_sent() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        receiver.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let mut telemetry = Telemetry::to(receiver.local_addr().unwrap()).unwrap();
        let mut model = Model::default();
        let free = Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY);
        model.body("cabin", None, 2.0, DMat3::IDENTITY, free);
        let mut cabin = model.build().unwrap();
        let mut buffer = [0; 2048];
        for number in 0..3 {
            let time = f64::from(number) * 0.01;
            assert!(telemetry.send(&cabin, time, GRAVITY));
            let length = receiver.recv(&mut buffer).unwrap();
            let packet = Packet::read(&buffer[..length]).unwrap();
            assert_eq!((packet.number, packet.time), (number as u64, time));
            assert_eq!(packet.bodies, [(cabin.tree().pose(0), cabin.tree().twist(0))]);
            // The first packet has nothing to compare with; then it falls.
            let expected = if number == 0 { 9.81 } else { 0.0 };
            assert!((packet.felt.y - expected).abs() < 1e-9, "{}", packet.felt);
            cabin.predict(0.01, GRAVITY);
            cabin.commit(0.01, 1.0);
        }
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        let mut bytes = Vec::new();
        Packet { bodies: vec![(Pose::IDENTITY, Twist::ZERO); 2], ..Packet::default() }.write(&mut bytes);
        assert_eq!(bytes.len(), HEAD + 2 * RECORD);
        assert_eq!(Packet::read(&bytes[..100]), Err(PacketError::Length { wanted: 256, found: 100 }));
        assert_eq!(Packet::read(b"hello"), Err(PacketError::Magic));
        bytes[4] = 9;
        assert_eq!(Packet::read(&bytes), Err(PacketError::Version(9)));
    }
}

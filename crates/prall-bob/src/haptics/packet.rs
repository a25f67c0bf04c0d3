//! [`Packet`], what is sent to a force device, and [`Sender`], which sends it.
//!
//! Little-endian, 24 bytes: `PRLH`, version 1 and a reserved zero (2 bytes each), number (8 bytes), force in N (8 bytes). Numbers count from 1; a
//! receiver acts on the newest only.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

use thiserror::Error;

const MAGIC: [u8; 4] = *b"PRLH";
const VERSION: u16 = 1;
/// Bytes of a packet.
const LENGTH: usize = 24;

/// A force for the hands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Packet {
    /// Counts from 1.
    pub number: u64,
    /// Force at the lever in N, to the left above zero.
    pub force: f64,
}

/// Why bytes are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PacketError {
    /// Not one of ours.
    #[error("these bytes are no force for the hands: they do not begin with PRLH")]
    Magic,
    /// Of another version.
    #[error("this is a packet of version {0}, but version {VERSION} is read here")]
    Version(u16),
    /// Cut off, or too long.
    #[error("such a packet has {LENGTH} bytes, not {0}")]
    Length(usize),
    /// A motor must not be told such a thing.
    #[error("a force must be a number")]
    Number,
}

impl Packet {
    /// Its bytes.
    pub fn to_bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        bytes[16..].copy_from_slice(&self.force.to_le_bytes());
        bytes
    }

    /// Reads one.
    pub fn read(bytes: &[u8]) -> Result<Packet, PacketError> {
        if bytes.get(..4) != Some(&MAGIC) {
            return Err(PacketError::Magic);
        }
        if bytes.len() != LENGTH {
            return Err(PacketError::Length(bytes.len()));
        }
        let version = u16::from_le_bytes([bytes[4], bytes[5]]);
        if version != VERSION {
            return Err(PacketError::Version(version));
        }
        let word = |at: usize| -> [u8; 8] { std::array::from_fn(|i| bytes[at + i]) };
        let number = u64::from_le_bytes(word(8));
        let force = f64::from_le_bytes(word(16));
        if force.is_finite() { Ok(Packet { number, force }) } else { Err(PacketError::Number) }
    }
}

/// Sends packets to one address. A receiver that is not there costs nothing and is no error.
#[derive(Debug)]
pub struct Sender {
    socket: UdpSocket,
    /// Packets that the system did not take.
    lost: u64,
}

impl Sender {
    /// To `address`, from any free port. Names are looked up here, once; sending never waits.
    pub fn to(address: impl ToSocketAddrs) -> io::Result<Sender> {
        let targets: Vec<SocketAddr> = address.to_socket_addrs()?.collect();
        let any = if targets.iter().all(SocketAddr::is_ipv6) { "[::]:0" } else { "0.0.0.0:0" };
        let socket = UdpSocket::bind(any)?;
        socket.connect(&targets[..])?;
        socket.set_nonblocking(true)?;
        Ok(Sender { socket, lost: 0 })
    }

    /// Sends a packet, or drops it if the network would make it wait.
    pub fn send(&mut self, packet: &Packet) {
        let bytes = packet.to_bytes();
        if !self.socket.send(&bytes).is_ok_and(|sent| sent == bytes.len()) {
            self.lost += 1;
        }
    }

    /// How many packets were dropped so far.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

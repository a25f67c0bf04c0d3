//! A hand that another program tracks, as UDP packets. Their layout is in `docs/telemetry.md`.

use glam::{DQuat, DVec3};
use prall_math::Pose;

/// The first four bytes of a packet, its version, and its length.
const MAGIC: [u8; 4] = *b"PRLP";
const VERSION: u16 = 1;
const LENGTH: usize = 72;
/// The bit of the flags that says that the hand is closed.
const GRASPS: u16 = 1;
/// How far the length of a quaternion may be from 1: senders in single precision are welcome, slips are not.
const LENGTH_ERROR: f64 = 1e-3;
/// Places farther from the origin than this, in m, are slips too.
const FARTHEST: f64 = 1e4;

/// Where a tracked hand is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandPacket {
    /// Grows from packet to packet.
    pub number: u64,
    /// The hand is closed.
    pub grasps: bool,
    /// In the world of the scene, y up; the hand points along its own -z.
    pub pose: Pose,
}

impl HandPacket {
    /// The packet's bytes.
    pub fn bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        bytes[6..8].copy_from_slice(&(if self.grasps { GRASPS } else { 0 }).to_le_bytes());
        bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        let (place, turn) = (self.pose.translation.to_array(), self.pose.rotation.to_array());
        for (slot, number) in bytes[16..].chunks_exact_mut(8).zip(place.into_iter().chain(turn)) {
            slot.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads a packet; none if these bytes are not one of this version, or place or turn are none.
    pub fn read(bytes: &[u8]) -> Option<HandPacket> {
        let known = bytes.len() == LENGTH && bytes[..4] == MAGIC && bytes[4..6] == VERSION.to_le_bytes();
        if !known {
            return None;
        }
        let word = |at: usize| -> [u8; 8] { std::array::from_fn(|i| bytes[at + i]) };
        let number = |at: usize| f64::from_le_bytes(word(at));
        let place = DVec3::from_array([16, 24, 32].map(number));
        let turn = DQuat::from_array([40, 48, 56, 64].map(number));
        // Written so that NaN is refused.
        let sound = place.length() <= FARTHEST && (turn.length() - 1.0).abs() <= LENGTH_ERROR;
        sound.then(|| HandPacket {
            number: u64::from_le_bytes(word(8)),
            grasps: u16::from_le_bytes([bytes[6], bytes[7]]) & GRASPS != 0,
            pose: Pose::new(turn.normalize(), place),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_what_the_document_says_and_slips_are_refused() {
        let pose = Pose::new(DQuat::from_rotation_x(0.5), DVec3::new(1.0, -2.0, 0.25));
        let packet = HandPacket { number: 7, grasps: true, pose };
        let bytes = packet.bytes();
        assert_eq!(&bytes[..8], b"PRLP\x01\x00\x01\x00");
        assert_eq!((bytes[8], f64::from_le_bytes(bytes[24..32].try_into().unwrap())), (7, -2.0));
        let read = HandPacket::read(&bytes).unwrap();
        assert_eq!((read.number, read.grasps), (7, true));
        assert!(read.pose.rotation.angle_between(pose.rotation) < 1e-7);
        assert_eq!(read.pose.translation, pose.translation);
        let with = |at: usize, value: f64| {
            let mut bytes = bytes;
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            bytes
        };
        for slip in [with(16, f64::NAN), with(16, 1e5), with(64, 0.5), with(40, f64::INFINITY)] {
            assert_eq!(HandPacket::read(&slip), None);
        }
        assert_eq!(HandPacket::read(&bytes[..71]), None);
        assert_eq!(HandPacket::read(&[&b"PRLW"[..], &bytes[4..]].concat()), None);
        assert_eq!(HandPacket::read(&[&b"PRLP\x02"[..], &bytes[5..]].concat()), None);
    }
}

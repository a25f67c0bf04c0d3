//! The binary frame of the protocol.

use prall_scenes::Frame;

/// Bytes before the poses.
const HEAD: usize = 32;

/// Where the acknowledged number of the connection stands.
const ACKNOWLEDGED: std::ops::Range<usize> = 16..20;

/// What the head of a frame says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Head {
    pub(super) number: u32,
    pub(super) time: f64,
    pub(super) running: bool,
    pub(super) slowed: bool,
    pub(super) held: bool,
}

/// Writes a frame that acknowledges nothing yet.
pub(super) fn encode(head: &Head, frame: &Frame) -> Vec<u8> {
    let flags = u32::from(head.running) | u32::from(head.slowed) << 1 | u32::from(head.held) << 2;
    let mut bytes = Vec::with_capacity(HEAD + 28 * frame.poses.len() + 32 * frame.overlays.len());
    bytes.extend_from_slice(&(super::PROTOCOL as u16).to_le_bytes());
    bytes.extend_from_slice(&1_u16.to_le_bytes());
    bytes.extend_from_slice(&head.number.to_le_bytes());
    bytes.extend_from_slice(&head.time.to_le_bytes());
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    bytes.extend_from_slice(&(frame.poses.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(frame.overlays.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&flags.to_le_bytes());
    for pose in &frame.poses {
        let (p, q) = (pose.translation.to_array(), pose.rotation.to_array());
        bytes.extend(p.iter().chain(&q).flat_map(|x| (*x as f32).to_le_bytes()));
    }
    for item in &frame.overlays {
        bytes.extend_from_slice(&(item.kind as u32).to_le_bytes());
        let (from, to) = (item.from.to_array(), item.to.to_array());
        bytes.extend(from.iter().chain(&to).chain([&item.value]).flat_map(|x| (*x as f32).to_le_bytes()));
    }
    bytes
}

/// The same frame, acknowledging a connection's requests up to this number.
pub(super) fn acknowledging(frame: &[u8], id: u32) -> Vec<u8> {
    let mut bytes = frame.to_vec();
    bytes[ACKNOWLEDGED].copy_from_slice(&id.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};
    use prall_math::Pose;
    use prall_scenes::{OverlayItem, OverlayKind};

    fn u32_at(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    fn f32_at(bytes: &[u8], at: usize) -> f32 {
        f32::from_bits(u32_at(bytes, at))
    }

    /// Offsets are those of the table in docs/protocol.md.
    #[test]
    fn a_frame_is_laid_out_as_documented() {
        let frame = Frame {
            poses: vec![
                Pose::IDENTITY,
                Pose::new(DQuat::from_xyzw(0.5, -0.5, 0.5, 0.5), DVec3::new(1.0, 2.0, 3.0)),
            ],
            overlays: vec![OverlayItem {
                kind: OverlayKind::Force,
                from: DVec3::X,
                to: DVec3::Y,
                value: 42.0,
            }],
        };
        let head = Head { number: 9, time: 1.25, running: true, slowed: false, held: true };
        let bytes = acknowledging(&encode(&head, &frame), 77);
        assert_eq!(bytes.len(), 32 + 2 * 28 + 32);
        assert_eq!(u32_at(&bytes, 0), 1 | 1 << 16);
        assert_eq!(u32_at(&bytes, 4), 9);
        assert_eq!(f64::from_le_bytes(bytes[8..16].try_into().unwrap()), 1.25);
        assert_eq!([16, 20, 24, 28].map(|at| u32_at(&bytes, at)), [77, 2, 1, 0b101]);
        let second: Vec<f32> = (0..7).map(|i| f32_at(&bytes, 60 + 4 * i)).collect();
        assert_eq!(second, [1.0, 2.0, 3.0, 0.5, -0.5, 0.5, 0.5]);
        assert_eq!(u32_at(&bytes, 88), 2);
        assert_eq!(f32_at(&bytes, 92), 1.0);
        assert_eq!(f32_at(&bytes, 116), 42.0);
    }
}

//! Contacts, forces and velocities in a recording: few bytes each, and only where they have changed.
//!
//! Each item is a point, a direction and a value, 23 bytes in place of the 32 of a frame. They come a few times a second, less
//! often the more of them there are, and not at all while they stay the same: a wall at rest has its thousand forces once.

use prall_scenes::{Frame, OverlayItem, OverlayKind};

/// Bytes of an item: kind, point, direction in parts of 32767, value.
const ITEM: usize = 1 + 12 + 6 + 4;

/// Seconds between messages, at least.
const INTERVAL: f64 = 0.05;

/// Most bytes per second, before compression.
const BYTES_PER_SECOND: f64 = 360e3;

const FULL: f64 = 32767.0;

/// What a viewer cannot tell apart: points in m, directions in radians, values as a share, and velocities in m/s.
const SAME_POINT: f64 = 1e-4;
const SAME_DIRECTION: f64 = 0.02;
const SAME_VALUE: f64 = 0.02;
const SLOWEST: f64 = 1e-3;

/// Gaps in m and forces in N below which values do not count.
const SMALL_VALUE: f64 = 1e-4;

/// Writes what changes.
#[derive(Default)]
pub(super) struct OverlayWriter {
    /// As they were written last.
    last: Vec<OverlayItem>,
    next: f64,
}

impl OverlayWriter {
    /// Whether it wants to see the overlays of this moment.
    pub(super) fn is_due(&self, clock: f64) -> bool {
        clock + 1e-9 >= self.next
    }

    /// The message for this moment, if a viewer could tell it from the last one.
    pub(super) fn message(&mut self, frame: &Frame, clock: f64) -> Option<Vec<u8>> {
        let kept = |item: &&OverlayItem| {
            is_kept(item.kind) && (item.kind != OverlayKind::Velocity || item.value > SLOWEST)
        };
        let now: Vec<OverlayItem> = frame.overlays.iter().filter(kept).copied().collect();
        self.next = clock + INTERVAL.max((ITEM * now.len()) as f64 / BYTES_PER_SECOND);
        let same = now.len() == self.last.len() && now.iter().zip(&self.last).all(|(a, b)| looks_same(a, b));
        if same {
            return None;
        }
        let mut bytes = Vec::with_capacity(ITEM * now.len());
        now.iter().for_each(|item| put(item, &mut bytes));
        self.last = now;
        Some(bytes)
    }
}

fn looks_same(a: &OverlayItem, b: &OverlayItem) -> bool {
    let [way_a, way_b] = [a, b].map(|item| (item.to - item.from).normalize_or_zero());
    a.kind == b.kind
        && a.from.distance_squared(b.from) < SAME_POINT * SAME_POINT
        && way_a.distance_squared(way_b) < SAME_DIRECTION * SAME_DIRECTION
        && (a.value - b.value).abs() <= SAME_VALUE * a.value.abs().max(b.value.abs()) + SMALL_VALUE
}

/// Everything else that a frame has, such as threads, belongs to each picture and stays in the frames.
pub(super) fn is_kept(kind: OverlayKind) -> bool {
    use OverlayKind::{Contact, Force, FrictionForce, Velocity};
    matches!(kind, Contact | Force | FrictionForce | Velocity)
}

fn put(item: &OverlayItem, bytes: &mut Vec<u8>) {
    let way = item.to - item.from;
    let length = way.length();
    let direction = if length > 0.0 { way / length } else { way };
    bytes.push(item.kind as u8);
    bytes.extend(item.from.to_array().iter().flat_map(|x| (*x as f32).to_le_bytes()));
    bytes.extend(direction.to_array().iter().flat_map(|x| ((x * FULL).round() as i16).to_le_bytes()));
    bytes.extend((item.value as f32).to_le_bytes());
}

/// The items as a frame has them, eight words each. Bytes that are left over are dropped.
pub(super) fn items(bytes: &[u8]) -> Vec<[u32; 8]> {
    bytes.chunks_exact(ITEM).map(item).collect()
}

fn item(bytes: &[u8]) -> [u32; 8] {
    let number = |at: usize| f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let part = |at: usize| f64::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])) / FULL;
    let kind = u32::from(bytes[0]);
    let value = number(19);
    // All go one unit along their direction, but a velocity goes as far as it is fast.
    let length = if kind == OverlayKind::Velocity as u32 { f64::from(value) } else { 1.0 };
    let from = [1, 5, 9].map(number);
    let to = std::array::from_fn::<f32, 3, _>(|k| (f64::from(from[k]) + length * part(13 + 2 * k)) as f32);
    let words = [from[0], from[1], from[2], to[0], to[1], to[2], value].map(f32::to_bits);
    [kind, words[0], words[1], words[2], words[3], words[4], words[5], words[6]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn force(value: f64) -> OverlayItem {
        let from = DVec3::new(1.0, 2.0, -3.0);
        OverlayItem { kind: OverlayKind::Force, from, to: from + DVec3::new(0.6, 0.0, -0.8), value }
    }

    #[test]
    fn an_item_comes_back_as_it_was_but_for_rounding() {
        let centre = DVec3::new(0.5, 0.25, 4.0);
        let velocity = DVec3::new(3.0, -4.0, 12.0);
        let moving =
            OverlayItem { kind: OverlayKind::Velocity, from: centre, to: centre + velocity, value: 13.0 };
        let frame = Frame { overlays: vec![force(42.0), moving], ..Frame::default() };
        let mut writer = OverlayWriter::default();
        let read = items(&writer.message(&frame, 0.0).unwrap());
        for (words, item) in read.iter().zip(&frame.overlays) {
            let numbers = words[1..].iter().map(|word| f64::from(f32::from_bits(*word))).collect::<Vec<_>>();
            let (from, to) = (DVec3::from_slice(&numbers[..3]), DVec3::from_slice(&numbers[3..6]));
            assert_eq!((words[0], numbers[6], from), (item.kind as u32, item.value, item.from));
            // A part of 32767 of its length.
            assert!((to - item.to).length() < 1e-4 * (item.to - item.from).length(), "{to} for {}", item.to);
        }
        assert_eq!(read.len(), 2);
    }

    #[test]
    fn what_stays_the_same_is_written_once() {
        let mut writer = OverlayWriter::default();
        let frame = Frame { overlays: vec![force(1.0)], ..Frame::default() };
        assert!(writer.message(&frame, 0.0).is_some());
        assert!(!writer.is_due(0.01) && writer.is_due(0.05));
        let trembling = Frame { overlays: vec![force(1.001)], ..Frame::default() };
        assert!(writer.message(&trembling, 0.05).is_none(), "nobody sees a thousandth");
        assert!(writer.message(&Frame { overlays: vec![force(2.0)], ..Frame::default() }, 0.1).is_some());
        assert!(writer.message(&Frame::default(), 0.15).is_some(), "that they are gone is a change");
    }

    #[test]
    fn many_come_less_often() {
        let mut writer = OverlayWriter::default();
        let many = Frame { overlays: vec![force(1.0); 3000], ..Frame::default() };
        writer.message(&many, 0.0);
        assert!(!writer.is_due(0.15) && writer.is_due(0.2));
    }

    #[test]
    fn threads_and_hands_stay_in_the_frames() {
        for kind in [OverlayKind::Grip, OverlayKind::Line, OverlayKind::Point] {
            assert!(!is_kept(kind));
        }
    }
}

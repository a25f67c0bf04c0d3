//! [`Moment`]: one moment of one track as viewers and recordings get it, and its bytes.
//!
//! The layout is that of `docs/protocol.md`. Poses are kept in single precision, so that *moved* means that a viewer could
//! tell the difference; a frame that is encoded against an earlier one carries only what moved.

use prall_scenes::{Frame, OverlayKind};
use thiserror::Error;

/// Version of the frames and of the protocol around them.
pub const PROTOCOL: u32 = 2;

/// Bytes before the poses.
const HEAD: usize = 56;

/// Kind of a binary message that is a frame.
const KIND: u16 = 1;

/// Words of a pose, an overlay item and an overlay box.
const POSE: usize = 7;
const ITEM: usize = 8;
const BOX: usize = 12;

/// What a frame's flags say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Time passes.
    pub running: bool,
    /// Slower than asked for.
    pub slowed: bool,
    /// A body is in somebody's hand.
    pub held: bool,
    /// It is being recorded.
    pub recording: bool,
    /// A recording that has come to its end.
    pub ended: bool,
}

/// The bit that tells a key frame.
const KEY: u32 = 1 << 3;

impl Flags {
    fn bits(self) -> u32 {
        let Flags { running, slowed, held, recording, ended } = self;
        [running, slowed, held, false, recording, ended]
            .iter()
            .enumerate()
            .fold(0, |bits, (place, flag)| bits | u32::from(*flag) << place)
    }

    fn of_bits(bits: u32) -> Flags {
        let flag = |place: u32| bits >> place & 1 == 1;
        Flags { running: flag(0), slowed: flag(1), held: flag(2), recording: flag(4), ended: flag(5) }
    }
}

/// Poses, marks and overlays of one moment, in single precision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Frame number.
    pub number: u32,
    /// Simulated time in s.
    pub time: f64,
    /// What is going on.
    pub flags: Flags,
    /// Position and quaternion of each body.
    pub poses: Vec<[f32; POSE]>,
    /// Numbers of marks, items and boxes, and bytes of labels.
    counts: [u32; 4],
    /// Marks, items, boxes and labels as they stand in the frame.
    tail: Vec<u8>,
}

/// Why bytes are no frame.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotAFrame {
    /// Too few or too many bytes.
    #[error("a frame with this head has {expected} bytes, not {found}")]
    Length {
        /// By its head.
        expected: usize,
        /// What is there.
        found: usize,
    },
    /// Another version or kind.
    #[error("version {version}, kind {kind}; frames of version {PROTOCOL} and kind {KIND} can be read")]
    Foreign {
        /// Its version.
        version: u16,
        /// Its kind.
        kind: u16,
    },
    /// It changes a frame that is not the one at hand.
    #[error("it changes frame {0}, which is not the one before")]
    WrongBase(u32),
    /// A pose for a body that is not there.
    #[error("it moves body {0}, which is not there")]
    NoSuchBody(u32),
}

impl Moment {
    /// A frame at a time.
    pub fn new(number: u32, time: f64, flags: Flags, frame: &Frame) -> Moment {
        let mut moment = Moment { number, time, flags, ..Moment::default() };
        moment.take(frame);
        moment
    }

    fn take(&mut self, frame: &Frame) {
        self.poses.clear();
        self.poses.extend(frame.poses.iter().map(|pose| {
            let (p, q) = (pose.translation.as_vec3(), pose.rotation.as_quat());
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
        }));
        self.tail.clear();
        for mark in &frame.marks {
            let word =
                mark.body as u32 & 0x00ff_ffff | u32::from(mark.hidden) << 24 | u32::from(mark.pinned) << 25;
            self.tail.extend_from_slice(&word.to_le_bytes());
        }
        for item in &frame.overlays {
            self.tail.extend_from_slice(&(item.kind as u32).to_le_bytes());
            let (from, to) = (item.from.to_array(), item.to.to_array());
            self.numbers(from.iter().chain(&to).chain([&item.value]));
        }
        for item in &frame.boxes {
            self.tail.extend_from_slice(&(item.kind as u32).to_le_bytes());
            let (centre, turn) = (item.pose.translation.to_array(), item.pose.rotation.to_array());
            self.numbers(centre.iter().chain(&turn).chain(&item.half.to_array()).chain([&item.value]));
        }
        let labels = self.tail.len();
        for label in &frame.labels {
            self.numbers(label.at.to_array().iter());
            self.tail.extend_from_slice(&(label.text.len() as u32).to_le_bytes());
            self.tail.extend_from_slice(label.text.as_bytes());
            self.tail.resize(self.tail.len().next_multiple_of(4), 0);
        }
        self.counts = [
            frame.marks.len() as u32,
            frame.overlays.len() as u32,
            frame.boxes.len() as u32,
            (self.tail.len() - labels) as u32,
        ];
    }

    /// Values of the scene's channels, in their order; empty where it has none.
    pub fn channels(&self) -> Vec<f32> {
        let [marks, items, ..] = self.counts.map(|count| count as usize);
        let items = self.tail.get(4 * marks..4 * (marks + ITEM * items)).unwrap_or_default();
        let reports =
            items.chunks_exact(4 * ITEM).filter(|item| word_at(item, 0) == OverlayKind::Channels as u32);
        reports.flat_map(|item| (1..ITEM).map(|i| f32::from_bits(word_at(item, 4 * i)))).collect()
    }

    /// Adds overlay items, given as the words of a frame.
    pub(crate) fn add_items(&mut self, items: &[[u32; ITEM]]) {
        let [marks, known, ..] = self.counts.map(|count| count as usize);
        let end = 4 * (marks + ITEM * known);
        self.tail.splice(end..end, items.iter().flatten().flat_map(|word| word.to_le_bytes()));
        self.counts[1] += items.len() as u32;
    }

    fn numbers<'a>(&mut self, numbers: impl Iterator<Item = &'a f64>) {
        self.tail.extend(numbers.flat_map(|x| (*x as f32).to_le_bytes()));
    }

    /// Writes the frame as a change of another, or whole as a key frame.
    ///
    /// A change of a frame with another number of bodies is impossible: it becomes a key frame.
    pub fn encode(&self, track: u32, acknowledged: u32, base: Option<&Moment>) -> Vec<u8> {
        let base = base.filter(|base| base.poses.len() == self.poses.len());
        let moved: Option<Vec<u32>> = base.map(|base| {
            // By bits: a pose that is not a number is sent too.
            let differs = |a: &[f32; POSE], b: &[f32; POSE]| {
                a.iter().zip(b).fold(0, |bits, (a, b)| bits | a.to_bits() ^ b.to_bits()) != 0
            };
            let pairs = self.poses.iter().zip(&base.poses).enumerate();
            pairs.filter(|(_, (a, b))| differs(a, b)).map(|(body, _)| body as u32).collect()
        });
        let sent = moved.as_ref().map_or(self.poses.len(), Vec::len);
        let mut bytes = Vec::with_capacity(HEAD + sent * 4 * (POSE + 1) + self.tail.len());
        bytes.extend_from_slice(&(PROTOCOL as u16).to_le_bytes());
        bytes.extend_from_slice(&KIND.to_le_bytes());
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&self.time.to_le_bytes());
        let flags = self.flags.bits() | if moved.is_none() { KEY } else { 0 };
        let base_number = base.map_or(0, |base| base.number);
        for word in [acknowledged, flags, track, base_number, self.poses.len() as u32, sent as u32] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend(self.counts.iter().flat_map(|count| count.to_le_bytes()));
        match moved {
            None => bytes.extend(self.poses.iter().flatten().flat_map(|x| x.to_le_bytes())),
            Some(moved) => {
                bytes.extend(moved.iter().flat_map(|body| body.to_le_bytes()));
                for body in moved {
                    bytes.extend(self.poses[body as usize].iter().flat_map(|x| x.to_le_bytes()));
                }
            }
        }
        bytes.extend_from_slice(&self.tail);
        bytes
    }

    /// Becomes the moment that these bytes describe, if they are a key frame or change the moment that this one is.
    ///
    /// A refused frame leaves everything as it was.
    pub fn apply(&mut self, bytes: &[u8]) -> Result<(), NotAFrame> {
        let too_short = NotAFrame::Length { expected: HEAD, found: bytes.len() };
        let head = bytes.get(..HEAD).ok_or(too_short)?;
        let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        if (u32::from(half(0)), half(2)) != (PROTOCOL, KIND) {
            return Err(NotAFrame::Foreign { version: half(0), kind: half(2) });
        }
        let word = |at: usize| word_at(head, at);
        let (flags, base, bodies, sent) = (word(20), word(28), word(32) as usize, word(36) as usize);
        let counts = [40, 44, 48, 52].map(word);
        let key = flags & KEY != 0;
        let indices = if key { 0 } else { 4 * sent };
        let poses = HEAD + indices;
        let tail = poses + 4 * POSE * sent;
        let [marks, items, boxes, labels] = counts.map(|count| count as usize);
        let expected = tail + 4 * marks + 4 * ITEM * items + 4 * BOX * boxes + labels;
        if bytes.len() != expected {
            return Err(NotAFrame::Length { expected, found: bytes.len() });
        }
        if key && sent != bodies || !key && (base != self.number || bodies != self.poses.len()) {
            return Err(NotAFrame::WrongBase(base));
        }
        if !key
            && let Some(body) =
                (0..sent).map(|i| word_at(bytes, HEAD + 4 * i)).find(|b| *b as usize >= bodies)
        {
            return Err(NotAFrame::NoSuchBody(body));
        }
        self.poses.resize(bodies, [0.0; POSE]);
        for i in 0..sent {
            let body = if key { i } else { word_at(bytes, HEAD + 4 * i) as usize };
            let at = poses + 4 * POSE * i;
            self.poses[body] = std::array::from_fn(|k| f32::from_bits(word_at(bytes, at + 4 * k)));
        }
        self.number = word(4);
        self.time = f64::from_bits(u64::from(word(8)) | u64::from(word(12)) << 32);
        self.flags = Flags::of_bits(flags);
        self.counts = counts;
        self.tail.clear();
        self.tail.extend_from_slice(&bytes[tail..]);
        Ok(())
    }
}

/// Whether these bytes are a frame that needs no other; false for anything that is no frame.
pub fn is_key(bytes: &[u8]) -> bool {
    bytes.len() >= HEAD && word_at(bytes, 20) & KEY != 0
}

fn word_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};
    use prall_math::Pose;
    use prall_scenes::{BodyMark, BoxKind, OverlayBox, OverlayItem, OverlayLabel};

    fn f32_at(bytes: &[u8], at: usize) -> f32 {
        f32::from_bits(word_at(bytes, at))
    }

    fn frame() -> Frame {
        Frame {
            poses: vec![
                Pose::IDENTITY,
                Pose::new(DQuat::from_xyzw(0.5, -0.5, 0.5, 0.5), DVec3::new(1.0, 2.0, 3.0)),
            ],
            marks: vec![BodyMark { body: 1, hidden: true, pinned: false }],
            overlays: vec![OverlayItem {
                kind: OverlayKind::Force,
                from: DVec3::X,
                to: DVec3::Y,
                value: 42.0,
            }],
            boxes: vec![OverlayBox {
                kind: BoxKind::Index,
                pose: Pose::IDENTITY,
                half: DVec3::new(4.0, 5.0, 6.0),
                value: 3.0,
            }],
            labels: vec![OverlayLabel { at: DVec3::Z, text: "µ = 1".to_owned() }],
            ..Frame::default()
        }
    }

    fn moment(number: u32, frame: &Frame) -> Moment {
        let flags = Flags { running: true, held: true, ..Flags::default() };
        Moment::new(number, 1.25, flags, frame)
    }

    /// Offsets are those of the table in docs/protocol.md.
    #[test]
    fn a_key_frame_is_laid_out_as_documented() {
        let bytes = moment(9, &frame()).encode(3, 77, None);
        assert_eq!(word_at(&bytes, 0), 2 | 1 << 16);
        assert_eq!(word_at(&bytes, 4), 9);
        assert_eq!(f64::from_le_bytes(bytes[8..16].try_into().unwrap()), 1.25);
        let words: Vec<u32> = (16..56).step_by(4).map(|at| word_at(&bytes, at)).collect();
        assert_eq!(words, [77, 0b1101, 3, 0, 2, 2, 1, 1, 1, 24]);
        let second: Vec<f32> = (0..7).map(|i| f32_at(&bytes, 56 + 28 + 4 * i)).collect();
        assert_eq!(second, [1.0, 2.0, 3.0, 0.5, -0.5, 0.5, 0.5]);
        let marks = 56 + 56;
        assert_eq!(word_at(&bytes, marks), 1 | 1 << 24);
        let item = marks + 4;
        assert_eq!(
            (word_at(&bytes, item), f32_at(&bytes, item + 4), f32_at(&bytes, item + 28)),
            (2, 1.0, 42.0)
        );
        let solid = item + 32;
        assert_eq!(
            (word_at(&bytes, solid), f32_at(&bytes, solid + 28), f32_at(&bytes, solid + 44)),
            (2, 1.0, 3.0)
        );
        assert_eq!(f32_at(&bytes, solid + 40), 6.0);
        let label = solid + 48;
        assert_eq!((f32_at(&bytes, label + 8), word_at(&bytes, label + 12)), (1.0, 6));
        assert_eq!(&bytes[label + 16..label + 22], "µ = 1".as_bytes());
        assert_eq!(bytes.len(), label + 24);
    }

    #[test]
    fn a_change_carries_only_what_moved_and_gives_the_same_moment() {
        let first = moment(1, &frame());
        let mut moved = frame();
        moved.poses[1].translation.x += 1.0;
        let second = moment(2, &moved);
        let bytes = second.encode(0, 0, Some(&first));
        let words: Vec<u32> = [20, 28, 32, 36, 56].map(|at| word_at(&bytes, at)).to_vec();
        assert_eq!(words, [0b101, 1, 2, 1, 1], "flags, base, bodies, poses, which");
        assert!(bytes.len() < second.encode(0, 0, None).len());
        let mut viewer = Moment::default();
        viewer.apply(&first.encode(0, 0, None)).unwrap();
        viewer.apply(&bytes).unwrap();
        assert_eq!(viewer, second);
    }

    #[test]
    fn channels_come_back_in_their_order_from_among_other_items() {
        let values: Vec<f64> = (0..14).map(f64::from).collect();
        let mut reporting = frame();
        reporting.report(&values);
        let mut viewer = Moment::default();
        viewer.apply(&moment(1, &reporting).encode(0, 0, None)).unwrap();
        assert_eq!(viewer.channels().into_iter().map(f64::from).collect::<Vec<_>>(), values);
        assert_eq!(moment(1, &frame()).channels(), Vec::<f32>::new());
    }

    #[test]
    fn what_moved_less_than_single_precision_is_not_sent() {
        let first = moment(1, &frame());
        let mut moved = frame();
        moved.poses[1].translation.x += 1e-12;
        let bytes = moment(2, &moved).encode(0, 0, Some(&first));
        assert_eq!(word_at(&bytes, 36), 0);
    }

    #[test]
    fn frames_that_do_not_fit_are_refused_and_change_nothing() {
        let first = moment(1, &frame());
        let change = moment(2, &frame()).encode(0, 0, Some(&first));
        let mut stranger = Moment::default();
        assert_eq!(stranger.apply(&change), Err(NotAFrame::WrongBase(1)));
        let mut viewer = first.clone();
        for length in 0..change.len() {
            assert!(viewer.apply(&change[..length]).is_err(), "{length} bytes");
        }
        let mut foreign = change.clone();
        foreign[0] = 1;
        assert_eq!(viewer.apply(&foreign), Err(NotAFrame::Foreign { version: 1, kind: 1 }));
        let mut moved = frame();
        moved.poses[1].translation.x = 9.0;
        let mut bad = moment(2, &moved).encode(0, 0, Some(&first));
        bad[56] = 200;
        assert_eq!(viewer.apply(&bad), Err(NotAFrame::NoSuchBody(200)));
        assert_eq!(viewer, first);
    }

    #[test]
    fn damaged_frames_never_break_the_reader() {
        use proptest::prelude::{Just, any};
        use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let config = Config { cases: 5000, failure_persistence: None, ..Config::default() };
        let damage = proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4);
        let valid = moment(2, &frame()).encode(0, 0, None);
        TestRunner::new_with_rng(config, rng)
            .run(&(Just(valid), damage), |(mut bytes, damage)| {
                for (at, byte) in damage {
                    let at = at % bytes.len();
                    bytes[at] = byte;
                }
                let _ = Moment::default().apply(&bytes);
                Ok(())
            })
            .unwrap();
    }
}

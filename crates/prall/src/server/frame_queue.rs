//! [`FrameQueue`]: what one connection was sent, and so what it must be sent next.

use super::session::{Client, Published};
use crate::moment::Moment;
use std::sync::Arc;

/// A key frame comes at least every so many frames: two seconds.
const KEY_INTERVAL: u32 = 120;

struct Sent {
    track: u32,
    moment: Arc<Moment>,
    /// Changes since the last key frame.
    changes: u32,
}

/// The last frame of each track that a connection was sent.
#[derive(Default)]
pub(super) struct FrameQueue(Vec<Sent>);

impl FrameQueue {
    /// The frames that bring this connection up to date. Tracks that are gone are forgotten.
    pub(super) fn frames(&mut self, newest: &Published, client: Client) -> Vec<Vec<u8>> {
        self.0.retain(|sent| newest.tracks.iter().any(|(track, _)| *track == sent.track));
        let acknowledged = newest.acknowledged(client);
        newest.tracks.iter().map(|(track, moment)| self.frame(*track, moment, acknowledged)).collect()
    }

    fn frame(&mut self, track: u32, moment: &Arc<Moment>, acknowledged: u32) -> Vec<u8> {
        let Some(sent) = self.0.iter_mut().find(|sent| sent.track == track) else {
            self.0.push(Sent { track, moment: Arc::clone(moment), changes: 0 });
            return moment.encode(track, acknowledged, None);
        };
        let base = (sent.changes + 1 < KEY_INTERVAL).then_some(&*sent.moment);
        let bytes = moment.encode(track, acknowledged, base);
        sent.changes = if base.is_some() { sent.changes + 1 } else { 0 };
        sent.moment = Arc::clone(moment);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::{Flags, is_key};
    use prall_math::Pose;
    use prall_scenes::Frame;

    fn published(number: u32, tracks: &[u32], place: f64) -> Published {
        let poses = vec![Pose::from_translation(glam::DVec3::X * place); 3];
        let moment = Moment::new(number, 0.0, Flags::default(), &Frame { poses, ..Frame::default() });
        let moment = Arc::new(moment);
        Published {
            tracks: tracks.iter().map(|track| (*track, Arc::clone(&moment))).collect(),
            ..Published::default()
        }
    }

    /// A slow client misses frames; what it gets still fits together.
    #[test]
    fn a_client_that_misses_frames_ends_with_the_newest_poses() {
        let mut queue = FrameQueue::default();
        let mut viewer = Moment::default();
        for number in [1, 2, 5, 40, 41, 300] {
            let newest = published(number, &[0], f64::from(number));
            for frame in queue.frames(&newest, 1) {
                viewer.apply(&frame).unwrap();
            }
            assert_eq!(viewer, *newest.tracks[0].1);
        }
    }

    #[test]
    fn a_key_frame_comes_first_and_every_120th() {
        let mut queue = FrameQueue::default();
        let keys: Vec<u32> =
            (0..300).filter(|i| is_key(&queue.frames(&published(*i, &[0], 0.0), 1)[0])).collect();
        assert_eq!(keys, [0, 120, 240]);
    }

    #[test]
    fn a_track_that_comes_again_begins_with_a_key_frame() {
        let mut queue = FrameQueue::default();
        queue.frames(&published(1, &[0, 1], 0.0), 1);
        queue.frames(&published(2, &[0], 0.0), 1);
        let frames = queue.frames(&published(3, &[0, 1], 0.0), 1);
        assert!(!is_key(&frames[0]) && is_key(&frames[1]));
    }
}

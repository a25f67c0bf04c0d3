//! What pairs of shapes remember of their contacts from step to step.

use prall_detection::ManifoldCache;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Caches by pair of slots. Part of the state: a carried-over manifold and one that is searched again differ in their last bits.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    caches: HashMap<u64, Entry>,
    /// Counts the rounds of detection.
    round: u32,
}

#[derive(Clone, Debug, Default)]
struct Entry {
    cache: ManifoldCache,
    /// Last round in which the pair was met.
    met: u32,
}

/// As it is saved: by ascending key.
#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    caches: Vec<(u64, u32, ManifoldCache)>,
    round: u32,
}

impl Remembered {
    /// Before the pairs of a round are met: `count` of them. Pairs that were not met of late are forgotten once they are more than
    /// those that are met, so that memory stays bounded and nothing is searched twice in steady state.
    pub(super) fn begin(&mut self, count: usize) {
        if self.caches.len() > 2 * count + 64 {
            let last = self.round;
            self.caches.retain(|_, entry| entry.met == last);
        }
        self.round = self.round.wrapping_add(1);
    }

    /// The memory of a pair.
    pub(super) fn of(&mut self, key: u64) -> &mut ManifoldCache {
        let entry = self.caches.entry(key).or_default();
        entry.met = self.round;
        &mut entry.cache
    }

    /// Slots were given to other shapes.
    pub(super) fn clear(&mut self) {
        self.caches.clear();
    }

    pub(super) fn save(&self) -> Saved {
        let mut caches: Vec<_> =
            self.caches.iter().map(|(key, entry)| (*key, entry.met, entry.cache.clone())).collect();
        caches.sort_unstable_by_key(|(key, ..)| *key);
        Saved { caches, round: self.round }
    }

    pub(super) fn restore(saved: Saved) -> Remembered {
        let caches = saved.caches.into_iter().map(|(key, met, cache)| (key, Entry { cache, met })).collect();
        Remembered { caches, round: saved.round }
    }
}

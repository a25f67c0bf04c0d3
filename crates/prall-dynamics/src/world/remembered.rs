//! What pairs of shapes remember of their contacts from step to step.

use prall_detection::{ManifoldCache, Pair};
use serde::{Deserialize, Serialize};

/// Caches of the pairs that are near each other, in the order of the pairs. Part of the state: a carried-over manifold and one that
/// is searched again differ in their last bits.
///
/// A pair gets a cache when its contacts are looked for: most pairs of a crowd of fast bodies go past each other.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    /// Key of the pair and place of its cache, [`NOWHERE`] if it has none; by ascending key.
    entries: Vec<(u64, u32)>,
    caches: Vec<ManifoldCache>,
    vacant: Vec<u32>,
    spare: Vec<(u64, u32)>,
}

/// The place of the cache of a pair that has none.
const NOWHERE: u32 = u32::MAX;

/// As it is saved: by ascending key.
#[derive(Serialize, Deserialize)]
pub(super) struct Saved(Vec<(u64, ManifoldCache)>);

/// What names a pair of shapes.
pub(super) fn key(pair: &Pair) -> u64 {
    (pair.a.slot() as u64) << 32 | pair.b.slot() as u64
}

impl Remembered {
    /// Makes the entries those of the pairs, which are sorted by key: pairs that are no more are forgotten, new ones know nothing.
    pub(super) fn follow(&mut self, pairs: &[Pair]) {
        let same = self.entries.len() == pairs.len()
            && self.entries.iter().zip(pairs).all(|(entry, pair)| entry.0 == key(pair));
        if same {
            return;
        }
        let Remembered { entries, caches, vacant, spare } = self;
        spare.clear();
        let mut old = entries.iter().copied().peekable();
        let mut forget = |place: u32| {
            if place != NOWHERE {
                caches[place as usize].clear();
                vacant.push(place);
            }
        };
        for pair in pairs {
            let key = key(pair);
            while let Some((_, place)) = old.next_if(|(before, _)| *before < key) {
                forget(place);
            }
            let place = old.next_if(|(before, _)| *before == key).map_or(NOWHERE, |(_, place)| place);
            spare.push((key, place));
        }
        old.for_each(|(_, place)| forget(place));
        std::mem::swap(entries, spare);
    }

    /// The memory of the pair with this number.
    pub(super) fn of(&mut self, number: usize) -> &mut ManifoldCache {
        let place = &mut self.entries[number].1;
        if *place == NOWHERE {
            *place = self.vacant.pop().unwrap_or_else(|| {
                self.caches.push(ManifoldCache::default());
                self.caches.len() as u32 - 1
            });
        }
        &mut self.caches[*place as usize]
    }

    /// Slots were given to other shapes.
    pub(super) fn clear(&mut self) {
        self.caches.iter_mut().for_each(ManifoldCache::clear);
    }

    pub(super) fn save(&self) -> Saved {
        let with_caches = self.entries.iter().filter(|(_, place)| *place != NOWHERE);
        Saved(with_caches.map(|&(key, place)| (key, self.caches[place as usize].clone())).collect())
    }

    pub(super) fn restore(Saved(saved): Saved) -> Remembered {
        let entries = (0..).zip(&saved).map(|(place, (key, _))| (*key, place)).collect();
        let caches = saved.into_iter().map(|(_, cache)| cache).collect();
        Remembered { entries, caches, ..Remembered::default() }
    }
}

//! Lists of pairs: always sorted, changed by merging, compared with what they were.

use super::ProxyId;

/// Two entries whose boxes overlap; `a` has the smaller slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    /// The entry with the smaller slot.
    pub a: ProxyId,
    /// The entry with the larger slot.
    pub b: ProxyId,
}

/// Two different slots as one number that sorts by the smaller slot, then by the larger. Never the largest number.
pub(super) fn key(i: u32, j: u32) -> u64 {
    u64::from(i.min(j)) << 32 | u64::from(i.max(j))
}

/// The smaller and the larger slot of a key.
pub(super) fn slots(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// Sorted keys of pairs, and the changes that wait to be merged into them.
#[derive(Clone, Debug, Default)]
pub(super) struct PairKeys {
    keys: Vec<u64>,
    spare: Vec<u64>,
    pub(super) added: Vec<u64>,
    pub(super) removed: Vec<u64>,
}

impl PairKeys {
    pub(super) fn as_slice(&self) -> &[u64] {
        &self.keys
    }

    /// Forgets the pairs with a slot that `dropped` names, then adds and removes what waits. A key may wait
    /// several times: what counts is the balance.
    pub(super) fn merge(&mut self, dropped: impl Fn(u32) -> bool) {
        self.added.sort_unstable();
        self.removed.sort_unstable();
        self.spare.clear();
        let (mut added, mut removed) = (self.added.iter().peekable(), self.removed.iter().peekable());
        let mut old = self.keys.iter().peekable();
        let stays = |key: u64| {
            let (i, j) = slots(key);
            !dropped(i) && !dropped(j)
        };
        loop {
            let change =
                [added.peek(), removed.peek()].into_iter().flatten().min().map_or(u64::MAX, |&&key| key);
            while let Some(&kept) = old.next_if(|&&key| key < change) {
                if stays(kept) {
                    self.spare.push(kept);
                }
            }
            if change == u64::MAX {
                break;
            }
            let mut balance = i32::from(old.next_if(|&&key| key == change).is_some() && stays(change));
            while added.next_if(|&&key| key == change).is_some() {
                balance += 1;
            }
            while removed.next_if(|&&key| key == change).is_some() {
                balance -= 1;
            }
            debug_assert!((0..=1).contains(&balance), "a pair is there once or not at all");
            if balance > 0 {
                self.spare.push(change);
            }
        }
        std::mem::swap(&mut self.keys, &mut self.spare);
        self.added.clear();
        self.removed.clear();
    }
}

/// The pairs as callers see them, with the difference to the list before.
#[derive(Clone, Debug, Default)]
pub(super) struct PairList {
    all: Vec<Pair>,
    spare: Vec<Pair>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
}

impl PairList {
    pub(super) fn all(&self) -> &[Pair] {
        &self.all
    }

    pub(super) fn begun(&self) -> &[Pair] {
        &self.begun
    }

    pub(super) fn ended(&self) -> &[Pair] {
        &self.ended
    }

    /// Nothing has changed since the last time.
    pub(super) fn keep(&mut self) {
        self.begun.clear();
        self.ended.clear();
    }

    /// Takes over those sorted keys that `wanted` accepts.
    pub(super) fn replace(
        &mut self,
        keys: &[u64],
        wanted: impl Fn(u32, u32) -> bool,
        proxy: impl Fn(u32) -> ProxyId,
    ) {
        self.keep();
        self.spare.clear();
        let mut old = self.all.iter().peekable();
        for &new in keys {
            let (i, j) = slots(new);
            if !wanted(i, j) {
                continue;
            }
            while let Some(&ended) = old.next_if(|p| key(p.a.slot, p.b.slot) < new) {
                self.ended.push(ended);
            }
            if let Some(&kept) = old.next_if(|p| key(p.a.slot, p.b.slot) == new) {
                self.spare.push(kept);
            } else {
                let pair = Pair { a: proxy(i), b: proxy(j) };
                self.begun.push(pair);
                self.spare.push(pair);
            }
        }
        self.ended.extend(old);
        std::mem::swap(&mut self.all, &mut self.spare);
    }
}

/// For each slot the slots it is paired with: the pair list, read from both ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Partners {
    /// Where the partners of each slot start; one more than there are slots.
    starts: Vec<u32>,
    partners: Vec<ProxyId>,
    current: bool,
}

impl Partners {
    pub(super) fn outdate(&mut self) {
        self.current = false;
    }

    /// Sorted partners of a slot.
    pub(super) fn of(&mut self, slot: u32, pairs: &[Pair], slots: usize) -> &[ProxyId] {
        if !self.current {
            self.rebuild(pairs, slots);
        }
        let slot = slot as usize;
        match self.starts.get(slot..slot + 2) {
            Some(range) => &self.partners[range[0] as usize..range[1] as usize],
            None => &[],
        }
    }

    /// Counting sort. Each slot first gets its partners with smaller slots, then those with larger ones; both come
    /// sorted because the pairs are.
    fn rebuild(&mut self, pairs: &[Pair], slots: usize) {
        self.starts.clear();
        self.starts.resize(slots + 2, 0);
        for pair in pairs {
            self.starts[pair.a.slot as usize + 2] += 1;
            self.starts[pair.b.slot as usize + 2] += 1;
        }
        for i in 2..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.partners.clear();
        self.partners.resize(2 * pairs.len(), ProxyId { slot: 0, generation: 0 });
        let mut put = |of: ProxyId, partner: ProxyId| {
            let next = &mut self.starts[of.slot as usize + 1];
            self.partners[*next as usize] = partner;
            *next += 1;
        };
        pairs.iter().for_each(|pair| put(pair.b, pair.a));
        pairs.iter().for_each(|pair| put(pair.a, pair.b));
        self.starts.pop();
        self.current = true;
    }
}

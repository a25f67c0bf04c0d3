//! [`PairIndex`]: which of many boxes overlap, and which of them a query meets (the broad phase).

mod pairs;
mod query;
mod sweep_and_prune;
mod tree;

use std::collections::{BTreeSet, BinaryHeap};

use glam::DVec3;
use thiserror::Error;

pub use pairs::Pair;
use pairs::{PairList, Partners};
use prall_geometry::Aabb;
use query::Candidate;
pub use query::box_distance;
use sweep_and_prune::SweepAndPrune;
use tree::Tree;

/// How an index finds its pairs. The answers are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Three sorted lists, kept sorted (Eckstein 1998). Best if few of many boxes move, or all move a very
    /// little; queries other than pairs look at every box.
    SweepAndPrune,
    /// A tree of boxes with some margin. Best if many move, and for queries.
    #[default]
    Tree,
}

/// Which entry of an index; stays unique after the entry is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProxyId {
    slot: u32,
    generation: u32,
}

impl ProxyId {
    /// The place of the entry, below the largest number of entries there ever were: good for indexing arrays.
    pub fn slot(self) -> usize {
        self.slot as usize
    }
}

/// Who may be paired with whom, in groups of up to 32 kinds.
///
/// Two entries may be paired if each is in a group that the other's mask wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The groups this entry belongs to, one bit each.
    pub groups: u32,
    /// The groups it may be paired with.
    pub mask: u32,
}

impl Filter {
    /// In every group, with every group.
    pub const EVERYTHING: Filter = Filter { groups: u32::MAX, mask: u32::MAX };

    /// False if nothing may be paired with it.
    fn allows_any(&self) -> bool {
        self.groups != 0 && self.mask != 0
    }

    /// True if the two may be paired.
    pub fn allows(&self, other: &Filter) -> bool {
        self.groups & other.mask != 0 && other.groups & self.mask != 0
    }
}

impl Default for Filter {
    fn default() -> Filter {
        Filter::EVERYTHING
    }
}

/// What an index refuses.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum IndexError {
    /// Not a box.
    #[error(
        "the box from {min} to {max} has a coordinate that is not a number, or contains no point: every coordinate \
         needs min <= max"
    )]
    BadBox {
        /// Smallest coordinates as given.
        min: DVec3,
        /// Largest coordinates as given.
        max: DVec3,
    },
    /// An entry that is not there, or no longer.
    #[error("there is no entry {0:?} in this index; it may have been removed")]
    NoSuchEntry(ProxyId),
    /// A pair needs two.
    #[error("{0:?} cannot be paired with itself")]
    Itself(ProxyId),
    /// A limit that limits nothing.
    #[error("the query's limit is no number; it must be one, or infinite")]
    BadLimit,
    /// A query that points nowhere or is not made of numbers.
    #[error("the query's {role} {vector} must be finite{}", if *.role == "direction" { " and not zero" } else { "" })]
    BadQuery {
        /// "origin", "direction", "displacement", ...
        role: &'static str,
        /// As it was given.
        vector: DVec3,
    },
}

fn checked(bounds: Aabb) -> Result<Aabb, IndexError> {
    let (min, max) = (bounds.min, bounds.max);
    // Fails for NaN; a box at infinity contains no point either.
    let has_points =
        min.cmple(max).all() && min.cmplt(DVec3::INFINITY).all() && max.cmpgt(DVec3::NEG_INFINITY).all();
    if has_points { Ok(bounds) } else { Err(IndexError::BadBox { min, max }) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occupancy {
    Vacant,
    Live,
    /// Removed; the slot is free again after the next refresh, which reports the pairs that ended.
    Leaving,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    generation: u32,
    filter: Filter,
    occupancy: Occupancy,
    /// True while it is on the list of those that the tree has not heard of.
    late: bool,
}

/// Which pairs are wanted.
pub(crate) struct Rules<'a> {
    slots: &'a [Slot],
    exclusions: &'a BTreeSet<(u32, u32)>,
}

impl Rules<'_> {
    /// False for an entry that nothing may be paired with.
    fn may_meet(&self, slot: u32) -> bool {
        self.slots[slot as usize].filter.allows_any()
    }

    fn allow(&self, i: u32, j: u32) -> bool {
        self.slots[i as usize].filter.allows(&self.slots[j as usize].filter)
            && (self.exclusions.is_empty() || !self.exclusions.contains(&(i, j)))
    }
}

#[derive(Clone, Debug)]
enum Structure {
    SweepAndPrune(Box<SweepAndPrune>),
    Tree(Box<Tree>),
}

/// Boxes that come, go and move, and the pairs of them that overlap.
///
/// Guarantee: after [`PairIndex::refresh`] the pairs are exactly those of live entries whose boxes have a point in
/// common (touching counts) and whose filters and exclusions allow it, each once, sorted by slot. Pairs and
/// answers to queries depend on the entries alone, neither on the method nor on what happened before. Once the
/// largest numbers of entries and pairs have been seen, nothing is allocated.
///
/// ```
/// use glam::DVec3;
/// use prall_detection::{Filter, Method, PairIndex};
/// use prall_geometry::Aabb;
///
/// let mut index = PairIndex::new(Method::Tree);
/// let left = index.insert(Aabb::from_center(DVec3::ZERO, DVec3::ONE), Filter::EVERYTHING)?;
/// let right = index.insert(Aabb::from_center(DVec3::X * 5.0, DVec3::ONE), Filter::EVERYTHING)?;
/// assert!(index.refresh().all.is_empty());
/// index.update(left, Aabb::from_center(DVec3::X * 3.0, DVec3::ONE))?;
/// let pairs = index.refresh();
/// assert_eq!((pairs.all[0].a, pairs.all[0].b), (left, right));
/// assert_eq!(pairs.begun, pairs.all);
/// # Ok::<(), prall_detection::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PairIndex {
    structure: Structure,
    boxes: Vec<Aabb>,
    slots: Vec<Slot>,
    vacant: Vec<u32>,
    leaving: Vec<u32>,
    /// Slots that nothing may be paired with and that have moved: the tree hears of it when someone asks.
    late: Vec<u32>,
    /// Slots of pairs that are never wanted, each pair both ways round.
    exclusions: BTreeSet<(u32, u32)>,
    pairs: PairList,
    partners: Partners,
    heap: BinaryHeap<Candidate>,
}

/// The pairs of an index, and how they differ from those before.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// Every pair, sorted by the slot of `a`, then of `b`.
    pub all: &'a [Pair],
    /// Pairs that were not there at the last refresh, in the same order.
    pub begun: &'a [Pair],
    /// Pairs that were there at the last refresh and are no more; an entry of them may be gone.
    pub ended: &'a [Pair],
}

/// Entries.
impl PairIndex {
    /// An empty index.
    pub fn new(method: Method) -> PairIndex {
        let structure = match method {
            Method::SweepAndPrune => Structure::SweepAndPrune(Box::default()),
            Method::Tree => Structure::Tree(Box::default()),
        };
        PairIndex {
            structure,
            boxes: Vec::new(),
            slots: Vec::new(),
            vacant: Vec::new(),
            leaving: Vec::new(),
            late: Vec::new(),
            exclusions: BTreeSet::new(),
            pairs: PairList::default(),
            partners: Partners::default(),
            heap: BinaryHeap::new(),
        }
    }

    /// Adds a box.
    pub fn insert(&mut self, bounds: Aabb, filter: Filter) -> Result<ProxyId, IndexError> {
        let bounds = checked(bounds)?;
        let slot = match self.vacant.pop() {
            Some(slot) => slot,
            None => {
                self.slots.push(Slot { generation: 0, filter, occupancy: Occupancy::Vacant, late: false });
                self.boxes.push(bounds);
                self.slots.len() as u32 - 1
            }
        };
        let generation = self.slots[slot as usize].generation;
        self.slots[slot as usize] = Slot { generation, filter, occupancy: Occupancy::Live, late: false };
        self.boxes[slot as usize] = bounds;
        match &mut self.structure {
            Structure::SweepAndPrune(lists) => lists.insert(slot),
            Structure::Tree(tree) => tree.insert(slot, &bounds),
        }
        Ok(ProxyId { slot, generation })
    }

    /// Takes an entry out. Its exclusions go with it.
    pub fn remove(&mut self, id: ProxyId) -> Result<(), IndexError> {
        let slot = self.live(id)?;
        self.slots[slot as usize].occupancy = Occupancy::Leaving;
        self.leaving.push(slot);
        while let Some(&pair) = self.exclusions.range((slot, 0)..=(slot, u32::MAX)).next() {
            self.exclusions.remove(&pair);
            self.exclusions.remove(&(pair.1, pair.0));
        }
        match &mut self.structure {
            Structure::SweepAndPrune(lists) => lists.remove(slot),
            Structure::Tree(tree) => tree.remove(slot),
        }
        Ok(())
    }

    /// Gives an entry a new box.
    pub fn update(&mut self, id: ProxyId, bounds: Aabb) -> Result<(), IndexError> {
        let slot = self.live(id)?;
        let bounds = checked(bounds)?;
        let before = std::mem::replace(&mut self.boxes[slot as usize], bounds);
        let entry = &mut self.slots[slot as usize];
        match &mut self.structure {
            Structure::SweepAndPrune(lists) => lists.update(slot),
            Structure::Tree(_) if !entry.filter.allows_any() => {
                if !std::mem::replace(&mut entry.late, true) {
                    self.late.push(slot);
                }
            }
            Structure::Tree(tree) => tree.update(slot, &bounds, bounds.center() - before.center()),
        }
        Ok(())
    }

    /// Tells the tree of entries without partners that have moved.
    fn catch_up(&mut self) {
        let Structure::Tree(tree) = &mut self.structure else { return };
        for slot in self.late.drain(..) {
            let entry = &mut self.slots[slot as usize];
            if std::mem::take(&mut entry.late) && entry.occupancy == Occupancy::Live {
                tree.update(slot, &self.boxes[slot as usize], DVec3::ZERO);
            }
        }
    }

    /// Gives an entry a new filter. Its pairs are found anew.
    pub fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), IndexError> {
        let slot = self.live(id)?;
        self.catch_up();
        self.slots[slot as usize].filter = filter;
        self.refilter(slot);
        Ok(())
    }

    /// These two are no pair from now on, wherever they are.
    pub fn exclude(&mut self, a: ProxyId, b: ProxyId) -> Result<(), IndexError> {
        let (i, j) = self.two(a, b)?;
        if self.exclusions.insert((i, j)) {
            self.exclusions.insert((j, i));
            self.refilter(i);
        }
        Ok(())
    }

    /// Undoes [`PairIndex::exclude`].
    pub fn include(&mut self, a: ProxyId, b: ProxyId) -> Result<(), IndexError> {
        let (i, j) = self.two(a, b)?;
        if self.exclusions.remove(&(i, j)) {
            self.exclusions.remove(&(j, i));
            self.refilter(i);
        }
        Ok(())
    }

    /// The box of an entry.
    pub fn bounds(&self, id: ProxyId) -> Result<&Aabb, IndexError> {
        Ok(&self.boxes[self.live(id)? as usize])
    }

    /// With whom an entry may be a pair.
    pub fn filter(&self, id: ProxyId) -> Result<Filter, IndexError> {
        Ok(self.slots[self.live(id)? as usize].filter)
    }

    fn refilter(&mut self, slot: u32) {
        match &mut self.structure {
            Structure::SweepAndPrune(lists) => lists.refilter(slot),
            Structure::Tree(tree) => tree.refilter(slot),
        }
    }

    fn live(&self, id: ProxyId) -> Result<u32, IndexError> {
        match self.slots.get(id.slot()) {
            Some(slot) if slot.occupancy == Occupancy::Live && slot.generation == id.generation => {
                Ok(id.slot)
            }
            _ => Err(IndexError::NoSuchEntry(id)),
        }
    }

    fn two(&self, a: ProxyId, b: ProxyId) -> Result<(u32, u32), IndexError> {
        let (i, j) = (self.live(a)?, self.live(b)?);
        if i == j { Err(IndexError::Itself(a)) } else { Ok((i, j)) }
    }

    fn proxy(&self, slot: u32) -> ProxyId {
        ProxyId { slot, generation: self.slots[slot as usize].generation }
    }
}

/// Pairs.
impl PairIndex {
    /// Brings the pairs up to date with all that happened since the last time, and shows them.
    pub fn refresh(&mut self) -> Pairs<'_> {
        let rules = Rules { slots: &self.slots, exclusions: &self.exclusions };
        let (boxes, slots) = (&self.boxes, &self.slots);
        let proxy = |slot: u32| ProxyId { slot, generation: slots[slot as usize].generation };
        let changed = match &mut self.structure {
            Structure::SweepAndPrune(lists) => {
                let changed = lists.refresh(boxes, &rules);
                if changed {
                    self.pairs.replace(lists.pairs(), |_, _| true, proxy);
                }
                changed
            }
            Structure::Tree(tree) => {
                let changed = tree.refresh(&rules);
                if changed {
                    let meet = |i: u32, j: u32| boxes[i as usize].overlaps(&boxes[j as usize]);
                    self.pairs.replace(tree.fat_pairs(), meet, proxy);
                }
                changed
            }
        };
        if !changed {
            self.pairs.keep();
        } else {
            self.partners.outdate();
        }
        self.free_leaving();
        Pairs { all: self.pairs.all(), begun: self.pairs.begun(), ended: self.pairs.ended() }
    }

    fn free_leaving(&mut self) {
        if self.leaving.is_empty() {
            return;
        }
        // The smallest slot is given out first, whatever the order of removal.
        for slot in self.leaving.drain(..) {
            let entry = &mut self.slots[slot as usize];
            entry.occupancy = Occupancy::Vacant;
            entry.generation = entry.generation.wrapping_add(1);
            self.vacant.push(slot);
        }
        self.vacant.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// The entries that one entry is paired with, sorted by slot.
    pub fn partners(&mut self, id: ProxyId) -> Result<&[ProxyId], IndexError> {
        let slot = self.live(id)?;
        self.refresh();
        Ok(self.partners.of(slot, self.pairs.all(), self.slots.len()))
    }
}

fn live_slots(slots: &[Slot]) -> impl Iterator<Item = u32> + '_ {
    (0..slots.len() as u32).filter(|&slot| slots[slot as usize].occupancy == Occupancy::Live)
}

#[cfg(test)]
impl Rules<'static> {
    /// For up to 64 entries without filters.
    fn none() -> Rules<'static> {
        static NO_EXCLUSIONS: BTreeSet<(u32, u32)> = BTreeSet::new();
        static SLOTS: [Slot; 64] =
            [Slot { generation: 0, filter: Filter::EVERYTHING, occupancy: Occupancy::Live, late: false }; 64];
        Rules { slots: &SLOTS, exclusions: &NO_EXCLUSIONS }
    }
}

//! What pairs of shapes remember from part to part and from step to step.

use std::collections::BTreeMap;

use glam::DVec3;
use prall_detection::NearFeature;
use serde::{Deserialize, Serialize};

/// Force at a feature pair in the last solve, in N: on the first body along the normal, and across it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FeatureForce {
    pub(crate) name: u64,
    pub(crate) normal: f64,
    pub(crate) tangential: DVec3,
}

/// What is known of two shapes. Whoever moves a body by hand must forget the pairs of that body: a proof about another place is the
/// only way to an overlap.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PairMemory {
    /// Slots of the shapes, smaller first.
    pub(crate) slots: [u32; 2],
    /// The shapes are at least this far apart, in m: proven.
    pub(crate) proven: f64,
    /// How far they moved against each other in the last part, in m at most.
    pub(crate) last_motion: f64,
    /// Near features, and the reach in m that the list still covers; negative if there is no list.
    pub(crate) features: Vec<NearFeature>,
    pub(crate) covered: f64,
    /// Angle in rad by which the shapes may still turn against each other before the list must be made anew.
    pub(crate) turn_left: f64,
    /// Normal, in the frame of the first shape's body, of a plane that lay between the two on their last way; zero if there was none.
    pub(crate) plane: DVec3,
    /// The next so many proofs are not tried with planes: the two are interlocked.
    pub(crate) interlocked: u8,
    /// Forces of the last solve by name, sorted.
    pub(crate) forces: Vec<FeatureForce>,
    /// They touched without a gap when they first met, and are to be taken apart.
    pub(crate) touching: bool,
    /// They overlapped when they first met: they are kept from getting deeper until they have separated.
    pub(crate) overlapping: bool,
    /// The moves of the two shapes (see [`Memory::moves`]) up to which all of this has been kept true.
    valid_at: [u64; 2],
    /// They were within reach of each other in the present step.
    #[serde(skip)]
    pub(crate) seen: bool,
}

impl PairMemory {
    fn new(slots: [u32; 2]) -> PairMemory {
        PairMemory {
            slots,
            proven: 0.0,
            last_motion: 0.0,
            features: Vec::new(),
            covered: -1.0,
            turn_left: 0.0,
            plane: DVec3::ZERO,
            interlocked: 0,
            forces: Vec::new(),
            touching: false,
            overlapping: false,
            valid_at: [0; 2],
            seen: true,
        }
    }

    /// True if nothing is proven of them, and nothing kept.
    pub(crate) fn is_free(&self) -> bool {
        self.touching || self.overlapping
    }

    pub(crate) fn force(&self, name: u64) -> Option<&FeatureForce> {
        self.forces.binary_search_by_key(&name, |force| force.name).ok().map(|at| &self.forces[at])
    }

    /// Nothing is known of where the two are; forces stay as a guess.
    fn forget_place(&mut self) {
        (self.proven, self.last_motion, self.covered) = (0.0, 0.0, -1.0);
        self.features.clear();
    }

    /// The two have moved against each other by at most `motion` metres and `turn` radians.
    fn moved(&mut self, motion: f64, turn: f64) {
        self.proven = (self.proven - motion).max(0.0);
        self.covered -= motion;
        self.turn_left -= turn;
        self.last_motion = motion;
    }
}

/// All pairs that were near each other in the last step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) pairs: Vec<PairMemory>,
    /// By slot: how often the shape has been moved so far. What is known of a pair holds only if it was brought along every time.
    moves: Vec<u64>,
    lookup: BTreeMap<(u32, u32), u32>,
}

impl Memory {
    /// The number of a pair, which is new if it was not near before.
    pub(crate) fn pair(&mut self, slots: [u32; 2]) -> usize {
        let number = *self.lookup.entry((slots[0], slots[1])).or_insert_with(|| {
            self.pairs.push(PairMemory::new(slots));
            self.pairs.len() as u32 - 1
        });
        let now = self.moves_of(slots);
        let pair = &mut self.pairs[number as usize];
        pair.seen = true;
        if pair.valid_at != now {
            pair.forget_place();
            pair.valid_at = now;
        }
        number as usize
    }

    fn moves_of(&self, slots: [u32; 2]) -> [u64; 2] {
        slots.map(|slot| self.moves.get(slot as usize).copied().unwrap_or(0))
    }

    /// Shapes have been moved. To be followed by [`Memory::bring_along`] for every pair of which something shall stay known.
    pub(crate) fn shapes_moved(&mut self, slots: impl Iterator<Item = u32>) {
        for slot in slots.map(|slot| slot as usize) {
            if slot >= self.moves.len() {
                self.moves.resize(slot + 1, 0);
            }
            self.moves[slot] += 1;
        }
    }

    /// The pair, which was known before the last move, moved by so much in it and kept a gap of `kept` metres all the time.
    pub(crate) fn bring_along(&mut self, number: usize, motion: f64, turn: f64, kept: f64) {
        let now = self.moves_of(self.pairs[number].slots);
        let pair = &mut self.pairs[number];
        pair.moved(motion, turn);
        pair.proven = pair.proven.max(kept);
        pair.valid_at = now;
    }

    pub(crate) fn begin_step(&mut self) {
        self.pairs.iter_mut().for_each(|pair| pair.seen = false);
    }

    /// Forgets pairs that were not near in the step.
    pub(crate) fn end_step(&mut self) {
        self.keep(|pair| pair.seen);
    }

    /// Forgets what is known of shapes.
    pub(crate) fn forget(&mut self, is_changed: impl Fn(u32) -> bool) {
        self.keep(|pair| !pair.slots.iter().any(|&slot| is_changed(slot)));
    }

    fn keep(&mut self, wanted: impl Fn(&PairMemory) -> bool) {
        if self.pairs.iter().all(&wanted) {
            return;
        }
        self.pairs.retain(wanted);
        self.lookup =
            (0..).zip(&self.pairs).map(|(number, pair)| ((pair.slots[0], pair.slots[1]), number)).collect();
    }
}

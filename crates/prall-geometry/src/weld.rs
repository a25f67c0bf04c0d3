//! Welding: vertices at the same place become one vertex.
//!
//! Exact welding is Eckstein's "merge identical coordinates" (1998, sec. 9.3). Welding within a tolerance
//! is the transitive closure of "at most that far apart": a chain of vertices, each near the next, becomes
//! one vertex although its ends may be further apart than the tolerance. That makes the result independent
//! of the order of the vertices; [`Welding::largest_displacement`] tells how far the chain reached.

use glam::DVec3;

use crate::groups::Groups;

/// Which vertices of a soup are one vertex of the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Weld {
    /// None: faces are connected only where they name the same vertex.
    None,
    /// Those with identical coordinates (-0 equals 0).
    #[default]
    Exact,
    /// Those at most this far apart, in metres, directly or through a chain of others. Each group takes the
    /// place of its lexicographically smallest member. Too large a value closes gaps that were meant.
    Within(f64),
}

/// Result of welding: a numbering of the places.
pub(crate) struct Welding {
    /// New number of every vertex, counted by first appearance.
    pub(crate) vertex: Vec<u32>,
    pub(crate) positions: Vec<DVec3>,
    /// The largest distance by which a vertex was moved, in metres.
    pub(crate) largest_displacement: f64,
}

/// The grid of [`within`] counts cells in integers; below this fraction of the largest coordinate a cell
/// could no longer be told from its neighbour (2^-40 is some 4000 roundings of f64).
pub(crate) const SMALLEST_RELATIVE_TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// Every vertex stays itself.
pub(crate) fn none(positions: &[DVec3]) -> Welding {
    let vertex = (0..positions.len() as u32).collect();
    Welding { vertex, positions: positions.to_vec(), largest_displacement: 0.0 }
}

/// Merges identical coordinates.
pub(crate) fn exact(positions: &[DVec3]) -> Welding {
    let mut table = PlaceTable::new();
    let mut places: Vec<DVec3> = Vec::new();
    let mut vertex = Vec::with_capacity(positions.len());
    for &position in positions {
        // Adding zero turns -0 into 0, so that equal places have equal bits.
        let place = position + DVec3::ZERO;
        let bits = place.to_array().map(f64::to_bits);
        let next = places.len() as u32;
        let found = table.find_or_insert(mix(bits), next, |other| places[other as usize] == place);
        if found == next {
            places.push(place);
        }
        vertex.push(found);
    }
    Welding { vertex, positions: places, largest_displacement: 0.0 }
}

/// Merges what is at most `tolerance` apart, transitively.
///
/// Two grids: in a *small* cell (diagonal just below the tolerance) all points belong together without a
/// test; a *large* cell of 8 x 8 x 8 small ones makes the neighbours of a small cell findable with few
/// look-ups.
pub(crate) fn within(positions: &[DVec3], tolerance: f64) -> Welding {
    let Welding { vertex: place_of, positions: places, .. } = exact(positions);
    let cells = SmallCells::new(&places, tolerance);
    let mut groups = Groups::new(places.len());
    for cell in 0..cells.first.len() {
        cells.unite_inside(cell, &mut groups);
    }
    for cell in 0..cells.first.len() {
        cells.unite_with_neighbours(cell, &places, tolerance, &mut groups);
    }
    number_groups(&place_of, &places, &mut groups)
}

fn number_groups(place_of: &[u32], places: &[DVec3], groups: &mut Groups) -> Welding {
    const UNSEEN: u32 = u32::MAX;
    let mut number = vec![UNSEEN; places.len()];
    let mut positions: Vec<DVec3> = Vec::new();
    for place in 0..places.len() as u32 {
        let root = groups.root(place) as usize;
        if number[root] == UNSEEN {
            number[root] = positions.len() as u32;
            positions.push(places[place as usize]);
        } else {
            let smallest = &mut positions[number[root] as usize];
            let candidate = places[place as usize];
            if candidate.to_array() < smallest.to_array() {
                *smallest = candidate;
            }
        }
    }
    let mut largest_squared = 0.0_f64;
    for place in 0..places.len() as u32 {
        let group = number[groups.root(place) as usize];
        largest_squared =
            largest_squared.max(positions[group as usize].distance_squared(places[place as usize]));
    }
    let vertex = place_of.iter().map(|&place| number[groups.root(place) as usize]).collect();
    Welding { vertex, positions, largest_displacement: largest_squared.sqrt() }
}

const END: u32 = u32::MAX;

/// Points sorted into small cells, small cells into large ones; both as linked lists.
struct SmallCells {
    index: Vec<[i64; 3]>,
    /// First point of each small cell, and the next point in the same cell for each point.
    first: Vec<u32>,
    next_point: Vec<u32>,
    large: PlaceTable,
    large_index: Vec<[i64; 3]>,
    /// First small cell of each large cell, and the next small cell in the same large one.
    large_first: Vec<u32>,
    next_cell: Vec<u32>,
}

/// Small cells along one edge of a large cell.
const CELLS_PER_LARGE: i64 = 8;
/// Points within the tolerance lie at most so many small cells apart: 1 / EDGE rounded up.
const REACH: i64 = 2;
/// Edge of a small cell in units of the tolerance: just below 1 / sqrt(3), so that its diagonal is below 1.
const EDGE: f64 = 0.57;

impl SmallCells {
    fn new(places: &[DVec3], tolerance: f64) -> SmallCells {
        let mut cells = SmallCells {
            index: Vec::new(),
            first: Vec::new(),
            next_point: vec![END; places.len()],
            large: PlaceTable::new(),
            large_index: Vec::new(),
            large_first: Vec::new(),
            next_cell: Vec::new(),
        };
        let mut small = PlaceTable::new();
        let per_metre = 1.0 / (EDGE * tolerance);
        for (point, place) in places.iter().enumerate() {
            let index = (*place * per_metre).floor().to_array().map(|x| x as i64);
            let next = cells.index.len() as u32;
            let cell = small.find_or_insert(hash(index), next, |c| cells.index[c as usize] == index);
            if cell == next {
                cells.add_cell(index);
            }
            cells.next_point[point] = cells.first[cell as usize];
            cells.first[cell as usize] = point as u32;
        }
        cells
    }

    fn add_cell(&mut self, index: [i64; 3]) {
        let large_index = index.map(|i| i.div_euclid(CELLS_PER_LARGE));
        let next = self.large_index.len() as u32;
        let large = self
            .large
            .find_or_insert(hash(large_index), next, |l| self.large_index[l as usize] == large_index);
        if large == next {
            self.large_index.push(large_index);
            self.large_first.push(END);
        }
        self.next_cell.push(self.large_first[large as usize]);
        self.large_first[large as usize] = self.index.len() as u32;
        self.index.push(index);
        self.first.push(END);
    }

    fn unite_inside(&self, cell: usize, groups: &mut Groups) {
        let first = self.first[cell];
        for point in self.points(cell) {
            groups.unite(first, point);
        }
    }

    fn points(&self, cell: usize) -> impl Iterator<Item = u32> + '_ {
        let next = |&point: &u32| Some(self.next_point[point as usize]).filter(|&next| next != END);
        std::iter::successors(Some(self.first[cell]), next)
    }

    fn unite_with_neighbours(&self, cell: usize, places: &[DVec3], tolerance: f64, groups: &mut Groups) {
        let index = self.index[cell];
        let low = index.map(|i| (i - REACH).div_euclid(CELLS_PER_LARGE));
        let high = index.map(|i| (i + REACH).div_euclid(CELLS_PER_LARGE));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let Some(large) =
                        self.large.find(hash([x, y, z]), |l| self.large_index[l as usize] == [x, y, z])
                    else {
                        continue;
                    };
                    let mut other = self.large_first[large as usize];
                    while other != END {
                        if (other as usize) < cell && near(index, self.index[other as usize]) {
                            self.unite_pair(cell, other as usize, places, tolerance, groups);
                        }
                        other = self.next_cell[other as usize];
                    }
                }
            }
        }
    }

    fn unite_pair(&self, a: usize, b: usize, places: &[DVec3], tolerance: f64, groups: &mut Groups) {
        if groups.root(self.first[a]) == groups.root(self.first[b]) {
            return;
        }
        let limit = tolerance * tolerance;
        for p in self.points(a) {
            for q in self.points(b) {
                if places[p as usize].distance_squared(places[q as usize]) <= limit {
                    groups.unite(p, q);
                    return;
                }
            }
        }
    }
}

fn near(a: [i64; 3], b: [i64; 3]) -> bool {
    (0..3).all(|i| (a[i] - b[i]).abs() <= REACH)
}

fn hash(index: [i64; 3]) -> u32 {
    mix(index.map(|i| i as u64))
}

/// Three words to one; multiply and fold, after Wang Yi's construction. Quality matters only for speed.
fn mix(words: [u64; 3]) -> u32 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let first = fold(words[0] ^ 0xa076_1d64_78bd_642f, words[1] ^ 0xe703_7ed1_a0b4_28db);
    fold(first ^ 0x8ebc_6af0_9c88_c6e3, words[2] ^ 0x5899_65cc_7537_4cc3) as u32
}

/// Open-addressing table of numbers, found by a hash and a comparison that the caller supplies.
struct PlaceTable {
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

const EMPTY: Slot = Slot { hash: 0, number: END };

impl PlaceTable {
    /// Starts small: soups name most places several times, and a table that fits the cache is faster.
    fn new() -> PlaceTable {
        PlaceTable { slots: vec![EMPTY; 1024], used: 0 }
    }

    fn find_or_insert(&mut self, hash: u32, number: u32, same: impl Fn(u32) -> bool) -> u32 {
        let slot = self.slot(hash, same);
        if self.slots[slot].number == END {
            self.slots[slot] = Slot { hash, number };
            self.used += 1;
            self.grow_if_half_full();
            number
        } else {
            self.slots[slot].number
        }
    }

    fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        Some(self.slots[self.slot(hash, same)].number).filter(|&number| number != END)
    }

    /// The slot of the entry that is the same, or the empty one where it would go.
    fn slot(&self, hash: u32, same: impl Fn(u32) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let occupant = self.slots[slot];
            if occupant.number == END || (occupant.hash == hash && same(occupant.number)) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow_if_half_full(&mut self) {
        if 2 * self.used < self.slots.len() {
            return;
        }
        let larger = vec![EMPTY; 4 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, larger);
        for occupant in old.into_iter().filter(|occupant| occupant.number != END) {
            let slot = self.slot(occupant.hash, |_| false);
            self.slots[slot] = occupant;
        }
    }
}

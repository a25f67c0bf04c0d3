//! A hierarchy as bytes, tied to the triangles that it was built for.
//!
//! ```text
//! "PRALLHIE"  version u32  leaf size u32  triangles u32  nodes u32  groups u32  hash of the triangles u64
//! sources     u32 each, in leaf order
//! nodes       centre 3 f64, axes 9 f32, half 3 f32, radius f32, link u32
//! groups      origin 3 f64, first node u32, count u32
//! hash of all bytes before u64
//! ```
//! All little-endian. A file is believed only after all of it has been checked: hashes, the shape of the tree,
//! and that every box contains its triangles.

use glam::DVec3;

use super::lanes::Group8;
use super::{Content, Hierarchy, Link, NodeBox, check};
use crate::error::HierarchyError;

/// Version of the stored form.
pub const FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"PRALLHIE";
const HEADER: usize = 8 + 5 * 4 + 8;
const NODE: usize = 3 * 8 + 13 * 4 + 4;
const GROUP: usize = 3 * 8 + 2 * 4;

/// FNV-1a over 64-bit words, with the high half folded down so that all bits mix.
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 = mixed ^ (mixed >> 29);
    }

    fn of_bytes(bytes: &[u8]) -> u64 {
        let mut hash = Hash::new();
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            hash.word(u64::from_le_bytes(word));
        }
        hash.word(bytes.len() as u64);
        hash.0
    }

    fn of_triangles<'a>(triangles: impl Iterator<Item = &'a [DVec3; 3]>) -> u64 {
        let mut hash = Hash::new();
        for number in triangles.flatten().flat_map(DVec3::to_array) {
            hash.word(number.to_bits());
        }
        hash.0
    }
}

/// A number that tells lists of triangles apart.
pub(super) fn hash_of(triangles: &[[DVec3; 3]]) -> u64 {
    Hash::of_triangles(triangles.iter())
}

impl Hierarchy {
    /// The hierarchy as bytes, without the triangles themselves.
    pub fn save(&self) -> Vec<u8> {
        let size = HEADER + 4 * self.sources.len() + NODE * self.nodes.len() + GROUP * self.groups.len() + 8;
        let mut bytes = Vec::with_capacity(size);
        bytes.extend(MAGIC);
        let counts = [self.leaf_size, self.triangles.len(), self.nodes.len(), self.groups.len()];
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        counts.iter().for_each(|&count| bytes.extend((count as u32).to_le_bytes()));
        let given = self.slots.iter().map(|&slot| &self.triangles[slot as usize]);
        bytes.extend(Hash::of_triangles(given).to_le_bytes());
        self.sources.iter().for_each(|source| bytes.extend(source.to_le_bytes()));
        for node in &self.nodes {
            node.centre.to_array().iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            let floats = node.axes.iter().flatten().chain(&node.half).chain([&node.radius]);
            floats.for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend(node.link.0.to_le_bytes());
        }
        for group in &self.groups {
            group.origin.to_array().iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend(group.first.to_le_bytes());
            bytes.extend(group.count.to_le_bytes());
        }
        bytes.extend(Hash::of_bytes(&bytes).to_le_bytes());
        bytes
    }

    /// Restores what [`Hierarchy::save`] wrote, given the same triangles in the same order.
    pub fn load(bytes: &[u8], triangles: &[[DVec3; 3]]) -> Result<Hierarchy, HierarchyError> {
        let damaged = |what| HierarchyError::Damaged { what };
        let mut reader = Reader { bytes };
        if reader.take::<8>()? != *MAGIC {
            return Err(damaged("it does not begin like one"));
        }
        let found = reader.u32()?;
        if found != FORMAT_VERSION {
            return Err(HierarchyError::Version { found, expected: FORMAT_VERSION });
        }
        let [leaf_size, count, nodes, groups] =
            [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?].map(|n| n as usize);
        let triangle_hash = reader.u64()?;
        if bytes.len() != HEADER + 4 * count + NODE * nodes + GROUP * groups + 8 {
            return Err(damaged("its length does not fit its contents"));
        }
        let (content, hash) = bytes.split_at(bytes.len() - 8);
        if Hash::of_bytes(content).to_le_bytes() != *hash {
            return Err(damaged("its check number is wrong"));
        }
        check::input(triangles, leaf_size)?;
        if count != triangles.len() || triangle_hash != Hash::of_triangles(triangles.iter()) {
            return Err(HierarchyError::OtherTriangles);
        }
        let sources: Vec<u32> = (0..count).map(|_| reader.u32()).collect::<Result<_, _>>()?;
        let nodes: Vec<NodeBox> = (0..nodes).map(|_| reader.node()).collect::<Result<_, _>>()?;
        let ranges: Vec<(DVec3, u32, u32)> = (0..groups).map(|_| reader.group()).collect::<Result<_, _>>()?;
        check_order(&sources).ok_or(damaged("its triangle order is not a permutation"))?;
        check_tree(&nodes, &ranges, count, leaf_size).ok_or(damaged("its nodes do not form a tree"))?;
        let groups = ranges
            .iter()
            .map(|&(origin, first, count)| {
                Group8::new(origin, first, &nodes[first as usize..(first + count) as usize])
            })
            .collect();
        let arranged = sources.iter().map(|&source| triangles[source as usize]).collect();
        Hierarchy::assemble(arranged, sources, nodes, groups, leaf_size)
    }
}

/// Every index occurs once.
fn check_order(sources: &[u32]) -> Option<()> {
    let mut seen = vec![false; sources.len()];
    for &source in sources {
        let seen = seen.get_mut(source as usize)?;
        if std::mem::replace(seen, true) {
            return None;
        }
    }
    Some(())
}

/// Walks the tree: groups and leaves must come in order, each once, and use up everything.
fn check_tree(
    nodes: &[NodeBox],
    groups: &[(DVec3, u32, u32)],
    triangles: usize,
    leaf_size: usize,
) -> Option<()> {
    let (mut next_triangle, mut next_group, mut next_node) = (0, 0, 1);
    let mut pending = vec![0_usize];
    while let Some(index) = pending.pop() {
        match nodes.get(index)?.link.content() {
            Content::Triangles(range) => {
                let in_order = range.start == next_triangle && range.len() <= leaf_size;
                next_triangle = range.end;
                in_order.then_some(())?;
            }
            Content::Group(group) => {
                let &(origin, first, count) = groups.get(group)?;
                let in_order = group == next_group && first as usize == next_node && (1..=8).contains(&count);
                (in_order && origin.is_finite()).then_some(())?;
                let end = first as usize + count as usize;
                if end > nodes.len() {
                    return None;
                }
                (next_group, next_node) = (group + 1, end);
                pending.extend((first as usize..end).rev());
            }
        }
    }
    let complete =
        next_triangle as usize == triangles && next_group == groups.len() && next_node == nodes.len();
    complete.then_some(())
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], HierarchyError> {
        let (taken, rest) = self
            .bytes
            .split_first_chunk::<N>()
            .ok_or(HierarchyError::Damaged { what: "it ends too early" })?;
        self.bytes = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, HierarchyError> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, HierarchyError> {
        self.take().map(u64::from_le_bytes)
    }

    fn vector(&mut self) -> Result<DVec3, HierarchyError> {
        let mut number = || self.take().map(f64::from_le_bytes);
        Ok(DVec3::new(number()?, number()?, number()?))
    }

    fn triple(&mut self) -> Result<[f32; 3], HierarchyError> {
        let mut number = || self.take().map(f32::from_le_bytes);
        Ok([number()?, number()?, number()?])
    }

    fn node(&mut self) -> Result<NodeBox, HierarchyError> {
        Ok(NodeBox {
            centre: self.vector()?,
            axes: [self.triple()?, self.triple()?, self.triple()?],
            half: self.triple()?,
            radius: self.take().map(f32::from_le_bytes)?,
            link: Link(self.u32()?),
        })
    }

    fn group(&mut self) -> Result<(DVec3, u32, u32), HierarchyError> {
        Ok((self.vector()?, self.u32()?, self.u32()?))
    }
}

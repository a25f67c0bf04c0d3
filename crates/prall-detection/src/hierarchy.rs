//! [`Hierarchy`]: a tree of oriented boxes over the triangles of a rigid body.
//!
//! Eight children per node, laid out so that one box is tested against all eight at once; boxes in single
//! precision with outward margins, triangles in double precision. What a query proves rests on one fact about
//! the tree, that every box contains its triangles; that is checked for every vertex and every box when a
//! hierarchy is built and when it is loaded.

pub(crate) mod blocks;
mod build;
mod check;
mod collapse;
mod file;
mod frame;
pub(crate) mod lanes;
mod levels;
mod near_box;
mod prepare;

use glam::DVec3;

use crate::error::HierarchyError;
use blocks::{Blocks, Piece};
pub(crate) use build::Branch;
pub use file::FORMAT_VERSION;
use lanes::Group8;
pub(crate) use near_box::{BoxProbe, rounded_up};
pub use prepare::Preparation;

/// Largest absolute coordinate of a body, in metres: more than the distance to the moon, and far enough from
/// the limits of single precision that products of lengths and speeds stay finite.
pub const LARGEST_COORDINATE: f64 = 1e9;

/// How a hierarchy is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// Triangles per leaf, 1 to 8. More save memory (about 300, 160 and 80 bytes a triangle for 1, 2 and 4, and 51 and
    /// more for blocks with any) and cost time: a box around a single triangle is a cheaper test than anything exact.
    pub leaf_size: usize,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions { leaf_size: 1 }
    }
}

/// A tree of oriented boxes over triangles that move as one rigid body.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    /// In the order of the leaves.
    triangles: Vec<[DVec3; 3]>,
    /// Index of each of them in the list that was given.
    sources: Vec<u32>,
    /// Where each of the given triangles went.
    slots: Vec<u32>,
    /// Node 0 is the root; the children of a node are neighbours.
    pub(crate) nodes: Vec<NodeBox>,
    pub(crate) groups: Vec<Group8>,
    blocks: Box<Blocks>,
    radius: f64,
    leaf_size: usize,
}

/// A box with its link: what to open it into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBox {
    /// In the body's frame.
    pub(crate) centre: DVec3,
    pub(crate) axes: [[f32; 3]; 3],
    pub(crate) half: [f32; 3],
    /// Nothing in the box is farther from the centre.
    pub(crate) radius: f32,
    pub(crate) link: Link,
}

/// What a node consists of, in 32 bits: a group of children, or up to eight consecutive triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link(u32);

/// A link, unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Group(usize),
    Triangles(std::ops::Range<u32>),
}

const LEAF_BIT: u32 = 1 << 31;

/// Most triangles in a leaf: three bits of the link.
const LARGEST_LEAF: usize = 8;

/// Most triangles in a hierarchy: 28 bits of the link.
const MOST_TRIANGLES: usize = 1 << 28;

impl Link {
    fn group(group: usize) -> Link {
        Link(group as u32)
    }

    fn triangles(start: usize, count: usize) -> Link {
        Link(LEAF_BIT | (start as u32) << 3 | (count as u32 - 1))
    }

    pub(crate) fn is_leaf(self) -> bool {
        self.0 & LEAF_BIT != 0
    }

    pub(crate) fn content(self) -> Content {
        if self.is_leaf() {
            let start = (self.0 & !LEAF_BIT) >> 3;
            Content::Triangles(start..start + (self.0 & 7) + 1)
        } else {
            Content::Group(self.0 as usize)
        }
    }
}

/// The binary tree from which hierarchies are made, and the order of triangles that it refers to.
pub(crate) fn binary_tree(
    triangles: &[[DVec3; 3]],
    leaf_size: usize,
    pool: Option<&rayon::ThreadPool>,
) -> Result<(Branch, Vec<u32>), HierarchyError> {
    check::input(triangles, leaf_size)?;
    let (root, items) = build::build_binary(triangles, leaf_size, pool);
    Ok((root, items.iter().map(|item| item.source).collect()))
}

/// The triangles of a mesh by their corners.
pub(crate) fn triangles_of(mesh: &prall_geometry::Mesh) -> Vec<[DVec3; 3]> {
    (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect()
}

impl Hierarchy {
    /// Builds the tree over triangles given by their corners, in the body's frame, in metres.
    ///
    /// Any soup will do: holes, doubled triangles and triangles without area included. Refused are an empty
    /// list, coordinates that are not finite or beyond [`LARGEST_COORDINATE`], and a leaf size of 0.
    pub fn build(triangles: &[[DVec3; 3]], options: &BuildOptions) -> Result<Hierarchy, HierarchyError> {
        Hierarchy::build_with(triangles, options, None)
    }

    /// As [`Hierarchy::build`], on the threads of a pool; the result is the same bit by bit.
    pub fn build_in(
        pool: &rayon::ThreadPool,
        triangles: &[[DVec3; 3]],
        options: &BuildOptions,
    ) -> Result<Hierarchy, HierarchyError> {
        Hierarchy::build_with(triangles, options, Some(pool))
    }

    fn build_with(
        triangles: &[[DVec3; 3]],
        options: &BuildOptions,
        pool: Option<&rayon::ThreadPool>,
    ) -> Result<Hierarchy, HierarchyError> {
        let (root, order) = binary_tree(triangles, options.leaf_size, pool)?;
        let arranged: Vec<[DVec3; 3]> = order.iter().map(|&t| triangles[t as usize]).collect();
        let (nodes, groups) = collapse::collapse(&root, &arranged);
        Hierarchy::assemble(arranged, order, nodes, groups, options.leaf_size)
    }

    /// Builds the tree over a triangulated mesh; triangle i of the tree is triangle i of the mesh.
    pub fn of_mesh(mesh: &prall_geometry::Mesh, options: &BuildOptions) -> Result<Hierarchy, HierarchyError> {
        Hierarchy::build(&triangles_of(mesh), options)
    }

    /// Puts the parts together and checks them.
    fn assemble(
        triangles: Vec<[DVec3; 3]>,
        sources: Vec<u32>,
        nodes: Vec<NodeBox>,
        groups: Vec<Group8>,
        leaf_size: usize,
    ) -> Result<Hierarchy, HierarchyError> {
        let mut slots = vec![0; sources.len()];
        for (slot, &source) in sources.iter().enumerate() {
            slots[source as usize] = slot as u32;
        }
        let squared = triangles.iter().flatten().map(|p| p.length_squared()).fold(0.0, f64::max);
        let radius = squared.sqrt() * (1.0 + 4.0 * f64::EPSILON);
        let blocks = Box::default();
        let mut hierarchy = Hierarchy { triangles, sources, slots, nodes, groups, blocks, radius, leaf_size };
        check::boxes_contain_their_triangles(&hierarchy)?;
        hierarchy.blocks = Box::new(Blocks::new(&hierarchy));
        Ok(hierarchy)
    }

    /// How many triangles there are.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// The corners of a triangle by the index under which it was given.
    pub fn triangle(&self, index: u32) -> Option<&[DVec3; 3]> {
        self.slots.get(index as usize).map(|&slot| self.at_slot(slot))
    }

    /// Radius of a sphere about the body's origin that contains everything, in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Memory that the hierarchy occupies, in bytes.
    pub fn bytes(&self) -> usize {
        use std::mem::size_of_val;
        size_of_val(&self.triangles[..])
            + size_of_val(&self.sources[..])
            + size_of_val(&self.slots[..])
            + size_of_val(&self.nodes[..])
            + size_of_val(&self.groups[..])
            + self.blocks.bytes()
    }

    /// Triangle in leaf order.
    pub(crate) fn at_slot(&self, slot: u32) -> &[DVec3; 3] {
        &self.triangles[slot as usize]
    }

    /// What a node is, seen by its size.
    #[inline(always)]
    pub(crate) fn piece(&self, node: u32) -> Piece<'_> {
        self.blocks.of_node(node)
    }

    /// True if there are no more triangles than a block may have.
    pub(crate) fn is_one_block(&self) -> bool {
        matches!(self.piece(0), Piece::Block(_))
    }

    /// The triangles of a node are those from its first leaf to its last: leaves are in tree order.
    fn triangles_below(&self, node: &NodeBox) -> std::ops::Range<usize> {
        let end = |mut link: Link, last: bool| loop {
            match link.content() {
                Content::Triangles(range) => return if last { range.end } else { range.start } as usize,
                Content::Group(group) => {
                    let group = &self.groups[group];
                    let child = if last { group.first + group.count - 1 } else { group.first };
                    link = self.nodes[child as usize].link;
                }
            }
        };
        end(node.link, false)..end(node.link, true)
    }

    /// Index under which the triangle was given.
    pub(crate) fn source(&self, slot: u32) -> u32 {
        self.sources[slot as usize]
    }

    pub(crate) fn slot(&self, source: u32) -> Option<u32> {
        self.slots.get(source as usize).copied()
    }
}

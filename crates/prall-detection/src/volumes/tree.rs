//! [`VolumeTree`]: a tree of any degree, with any mixture of volumes, however it was built.

use prall_math::Norm;
use std::ops::Range;

use glam::DVec3;
use prall_geometry::{Aabb, BoundingSphere, OrientedBox};
use thiserror::Error;

use super::volume::{Volume, VolumeKind};
use crate::error::HierarchyError;
use crate::hierarchy::{Branch, binary_tree};

/// A node as its builder describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// Encloses all triangles below the node, in the body's frame.
    pub volume: Volume,
    /// Indices of the children, all greater than the node's own; none for a leaf.
    pub children: Range<usize>,
    /// Triangles of a leaf, as indices into the tree's order; empty for an inner node.
    pub triangles: Range<usize>,
}

/// What is wrong with a tree that was handed in.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TreeError {
    /// The triangles themselves.
    #[error(transparent)]
    Triangles(#[from] HierarchyError),
    /// Nodes that do not form a tree over the triangles.
    #[error(
        "node {0} does not fit: children must follow their parent, each once, and leaves must divide the triangles"
    )]
    Shape(usize),
    /// A volume that misses part of its content.
    #[error("the volume of node {0} does not contain its triangles")]
    Volume(usize),
}

/// A tree of bounding volumes over triangles.
#[derive(Clone, Debug)]
pub struct VolumeTree {
    pub(super) triangles: Vec<[DVec3; 3]>,
    /// Given index of each triangle in `triangles`.
    pub(super) sources: Vec<u32>,
    pub(super) nodes: Vec<Node>,
}

/// A node with what the hybrid expansion wants to know.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) volume: Volume,
    pub(super) children: Range<usize>,
    pub(super) triangles: Range<usize>,
    /// Quality of the volume: its surface.
    pub(super) quality: f64,
    /// Worst quality among the children.
    pub(super) quality_of_children: f64,
    /// Number of tests that expanding costs.
    pub(super) cost: f64,
}

/// Relative margin within which a vertex may lie outside its volume by rounding.
const ROUNDING: f64 = 1e-12;

impl VolumeTree {
    /// A binary tree with volumes of one kind, split as [`Hierarchy`](crate::Hierarchy) splits.
    pub fn build(
        triangles: &[[DVec3; 3]],
        kind: VolumeKind,
        leaf_size: usize,
    ) -> Result<VolumeTree, TreeError> {
        let (root, order) = binary_tree(triangles, leaf_size, None)?;
        let arranged: Vec<[DVec3; 3]> = order.iter().map(|&t| triangles[t as usize]).collect();
        let mut nodes =
            vec![TreeNode { volume: fitted(&root, &arranged, kind), children: 0..0, triangles: 0..0 }];
        let mut pending = vec![(0, &root)];
        while let Some((index, branch)) = pending.pop() {
            if let Some(halves) = &branch.halves {
                let first = nodes.len();
                nodes[index].children = first..first + 2;
                for (i, half) in halves.iter().enumerate() {
                    let volume = fitted(half, &arranged, kind);
                    nodes.push(TreeNode { volume, children: 0..0, triangles: 0..0 });
                    pending.push((first + i, half));
                }
            } else {
                nodes[index].triangles = branch.start..branch.start + branch.count;
            }
        }
        VolumeTree::from_nodes(triangles, order, nodes)
    }

    /// A tree that somebody else has built: node 0 is the root, `order` lists the triangles leaf by leaf.
    pub fn from_nodes(
        triangles: &[[DVec3; 3]],
        order: Vec<u32>,
        nodes: Vec<TreeNode>,
    ) -> Result<VolumeTree, TreeError> {
        check_shape(triangles.len(), &order, &nodes)?;
        let arranged: Vec<[DVec3; 3]> = order.iter().map(|&t| triangles[t as usize]).collect();
        check_volumes(&arranged, &nodes)?;
        let quality = |range: &Range<usize>| {
            nodes[range.clone()].iter().map(|child| child.volume.surface()).fold(0.0, f64::max)
        };
        let finished = nodes
            .iter()
            .map(|node| Node {
                volume: node.volume,
                quality: node.volume.surface(),
                quality_of_children: quality(&node.children),
                cost: node.children.len() as f64,
                children: node.children.clone(),
                triangles: node.triangles.clone(),
            })
            .collect();
        Ok(VolumeTree { triangles: arranged, sources: order, nodes: finished })
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }
}

fn fitted(branch: &Branch, triangles: &[[DVec3; 3]], kind: VolumeKind) -> Volume {
    let content = &triangles[branch.start..branch.start + branch.count];
    let points = || content.iter().flatten().copied();
    match kind {
        VolumeKind::Sphere => {
            Volume::Sphere(BoundingSphere { center: branch.centre, radius: branch.radius * (1.0 + ROUNDING) })
        }
        VolumeKind::IsoBox => Volume::IsoBox(points().collect()),
        VolumeKind::Box => {
            let back = branch.frame.transpose();
            let around: Aabb = points().map(|p| back * p).collect();
            let half = around.half_extents() + ROUNDING * branch.radius;
            Volume::Box(OrientedBox::new(branch.frame * around.center(), branch.frame, half))
        }
    }
}

/// Every node but the root is the child of exactly one earlier node, every triangle in exactly one leaf.
fn check_shape(triangles: usize, order: &[u32], nodes: &[TreeNode]) -> Result<(), TreeError> {
    let mut has_parent = vec![false; nodes.len()];
    let mut in_leaf = vec![false; triangles];
    let mut seen = vec![false; triangles];
    let permutation = order.len() == triangles
        && order.iter().all(|&t| seen.get_mut(t as usize).is_some_and(|s| !std::mem::replace(s, true)));
    if !permutation || nodes.is_empty() {
        return Err(TreeError::Shape(0));
    }
    for (index, node) in nodes.iter().enumerate() {
        let inner = !node.children.is_empty();
        let sound = inner == node.triangles.is_empty()
            && node.children.end <= nodes.len()
            && node.triangles.end <= triangles
            && (!inner || node.children.start > index)
            && node.children.clone().all(|child| !std::mem::replace(&mut has_parent[child], true))
            && node.triangles.clone().all(|t| !std::mem::replace(&mut in_leaf[t], true));
        if !sound {
            return Err(TreeError::Shape(index));
        }
    }
    match has_parent.iter().skip(1).position(|parent| !parent) {
        Some(orphan) => Err(TreeError::Shape(orphan + 1)),
        None if in_leaf.iter().all(|&leaf| leaf) => Ok(()),
        None => Err(TreeError::Shape(0)),
    }
}

/// Every vertex lies in the volume of its leaf and of all nodes above.
fn check_volumes(triangles: &[[DVec3; 3]], nodes: &[TreeNode]) -> Result<(), TreeError> {
    let mut parents = vec![0; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        node.children.clone().for_each(|child| parents[child] = index);
    }
    for (leaf, node) in nodes.iter().enumerate() {
        for point in triangles[node.triangles.clone()].iter().flatten() {
            let mut index = leaf;
            loop {
                let volume = &nodes[index].volume;
                let BoundingSphere { center, radius } = volume.circumscribed();
                if !volume.contains(*point, ROUNDING * (radius + center.norm())) {
                    return Err(TreeError::Volume(index));
                }
                if index == 0 {
                    break;
                }
                index = parents[index];
            }
        }
    }
    Ok(())
}

//! [`SweptTree`]: the volumes of a tree for the present motion, each made when it is first asked for.
//!
//! Every test of volumes is a static one; a motion enters by replacing a node's volume by one around all that it sweeps
//! (Eckstein 1998, section 4.2). Most nodes are never reached, and many are reached again and again, so a volume is made
//! at most once per step: it carries the stamp of the step that it was made in.

use std::collections::BTreeSet;

use prall_math::{Motion, Pose};

use super::counters::TestCounts;
use super::pair_test::{IsoBoxAgainstBox, volumes_overlap};
use super::swept::{swept_by_length, swept_from_ends};
use super::traversal::{Choice, Expansion, choose};
use super::tree::VolumeTree;
use super::volume::{Volume, VolumeKind};

/// How the volume around a moving volume is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// Around start and end, and what lies between them; of this kind.
    FromEnds(VolumeKind),
    /// Larger on all sides by the farthest that a point gets.
    ByLength,
}

/// A tree in motion.
#[derive(Clone, Debug)]
pub struct SweptTree<'a> {
    tree: &'a VolumeTree,
    sweep: Sweep,
    motion: Motion,
    /// Number of the present step.
    step: u64,
    /// For each node the volume in the world, and the step for which it was made.
    volumes: Vec<(u64, Volume)>,
    made: u64,
}

impl<'a> SweptTree<'a> {
    /// The tree in its first motion.
    pub fn new(tree: &'a VolumeTree, sweep: Sweep, motion: Motion) -> SweptTree<'a> {
        let volumes = tree.nodes.iter().map(|node| (0, node.volume)).collect();
        SweptTree { tree, sweep, motion, step: 1, volumes, made: 0 }
    }

    /// The next step: another motion. All volumes are out of date, none is made yet.
    pub fn follow(&mut self, motion: Motion) {
        self.motion = motion;
        self.step += 1;
    }

    /// Volumes made so far, in all steps.
    pub fn made(&self) -> u64 {
        self.made
    }

    fn volume(&mut self, node: usize) -> Volume {
        let (stamp, volume) = &mut self.volumes[node];
        if *stamp != self.step {
            let at_rest = &self.tree.nodes[node].volume;
            *volume = match self.sweep {
                Sweep::FromEnds(kind) => swept_from_ends(at_rest, &self.motion, kind),
                Sweep::ByLength => swept_by_length(at_rest, &self.motion),
            };
            *stamp = self.step;
            self.made += 1;
        }
        *volume
    }
}

/// All pairs of triangles, as given indices, that may meet during the motions of the two trees: those of leaves whose
/// volumes overlap. What is not among them does not meet. `counts` goes up by the tests of volumes.
pub fn swept_candidates(
    a: &mut SweptTree<'_>,
    b: &mut SweptTree<'_>,
    expansion: Expansion,
    iso_box_against_box: IsoBoxAgainstBox,
    counts: &mut TestCounts,
) -> BTreeSet<(u32, u32)> {
    let (tree_a, tree_b) = (a.tree, b.tree);
    let mut found = BTreeSet::new();
    let mut pending = vec![(0, 0)];
    while let Some((index_a, index_b)) = pending.pop() {
        let (volume_a, volume_b) = (a.volume(index_a), b.volume(index_b));
        counts.count(volume_a.kind(), volume_b.kind());
        let world = &Pose::IDENTITY;
        if !volumes_overlap(&volume_a, world, &volume_b, world, iso_box_against_box) {
            continue;
        }
        let (node_a, node_b) = (&tree_a.nodes[index_a], &tree_b.nodes[index_b]);
        match choose(node_a, node_b, expansion) {
            Choice::Neither => {
                for s in node_a.triangles.clone() {
                    found.extend(node_b.triangles.clone().map(|t| (tree_a.sources[s], tree_b.sources[t])));
                }
            }
            Choice::First => pending.extend(node_a.children.clone().map(|child| (child, index_b))),
            Choice::Second => pending.extend(node_b.children.clone().map(|child| (index_a, child))),
            Choice::Both => {
                for child in node_a.children.clone() {
                    pending.extend(node_b.children.clone().map(|other| (child, other)));
                }
            }
        }
    }
    found
}

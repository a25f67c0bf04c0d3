//! Walking two trees at once: three ways to expand a pair of nodes, one result.

use prall_math::Pose;

use super::counters::TestCounts;
use super::pair_test::{IsoBoxAgainstBox, volumes_overlap};
use super::tree::{Node, VolumeTree};
use crate::error::QueryError;
use crate::placement::{Placement, check_poses};
use crate::triangle::triangles_overlap;

/// Which node of an overlapping pair is expanded. A leaf never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// The node whose volume has the worse quality (Quinlan); always the fastest in Eckstein's measurements.
    OneSided,
    /// Both.
    Simultaneous,
    /// Whichever of the three promises most for its cost (Eckstein).
    Hybrid,
}

/// All pairs of overlapping triangles of two bodies, as given indices, in the order in which they are found.
///
/// Every expansion finds the same pairs; `counts` goes up by the tests that it took. Poses that are no rigid placements are
/// refused.
pub fn tree_overlaps(
    a: &VolumeTree,
    at_a: &Pose,
    b: &VolumeTree,
    at_b: &Pose,
    expansion: Expansion,
    iso_box_against_box: IsoBoxAgainstBox,
    counts: &mut TestCounts,
) -> Result<Vec<(u32, u32)>, QueryError> {
    check_poses(at_a, at_b)?;
    let placement = Placement::new(at_a, at_b);
    let mut found = Vec::new();
    let mut pending = vec![(0, 0)];
    while let Some((index_a, index_b)) = pending.pop() {
        let (node_a, node_b) = (&a.nodes[index_a], &b.nodes[index_b]);
        counts.count(node_a.volume.kind(), node_b.volume.kind());
        if !volumes_overlap(&node_a.volume, at_a, &node_b.volume, at_b, iso_box_against_box) {
            continue;
        }
        match choose(node_a, node_b, expansion) {
            Choice::Neither => {
                for s in node_a.triangles.clone() {
                    let in_b = placement.a_to_b.triangle(&a.triangles[s]);
                    for t in node_b.triangles.clone() {
                        counts.triangles += 1;
                        if triangles_overlap(&in_b, &b.triangles[t]) {
                            found.push((a.sources[s], b.sources[t]));
                        }
                    }
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
    Ok(found)
}

pub(super) enum Choice {
    Neither,
    First,
    Second,
    Both,
}

/// The hybrid measure of a choice is its cost times the quality that it reaches:
/// ```text
/// first   c1 (q1' + q2)      second   c2 (q1 + q2')      both   c1 c2 (q1' + q2')
/// ```
/// with q the quality, q' the worst quality of the children and c the number of tests. Printed, a tie of the
/// single ones below "both" expands nothing and loses the pair; costs in time units make "both" look cheap,
/// because its cost is a product, so they are counts here.
pub(super) fn choose(first: &Node, second: &Node, expansion: Expansion) -> Choice {
    match (first.children.is_empty(), second.children.is_empty()) {
        (true, true) => return Choice::Neither,
        (true, false) => return Choice::Second,
        (false, true) => return Choice::First,
        (false, false) => {}
    }
    match expansion {
        Expansion::Simultaneous => Choice::Both,
        Expansion::OneSided if first.quality >= second.quality => Choice::First,
        Expansion::OneSided => Choice::Second,
        Expansion::Hybrid => {
            let of_first = first.cost * (first.quality_of_children + second.quality);
            let of_second = second.cost * (first.quality + second.quality_of_children);
            let of_both = first.cost * second.cost * (first.quality_of_children + second.quality_of_children);
            if of_both <= of_first && of_both <= of_second {
                Choice::Both
            } else if of_first <= of_second {
                Choice::First
            } else {
                Choice::Second
            }
        }
    }
}

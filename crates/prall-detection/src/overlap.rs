//! Do two bodies overlap at an instant?

use prall_math::Pose;

use crate::error::QueryError;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::lanes::near;
use crate::node_pair::{NodePair, for_each_bit};
use crate::placement::{Placement, check_poses};
use crate::triangle::triangles_overlap;
use crate::workspace::Workspace;

/// The first pair of overlapping triangles that is found, as indices into the given lists; none if the bodies
/// are apart. Touching counts as overlap.
///
/// Boxes never lose a pair, and triangles are decided by exact predicates, so the answer is exact for the
/// coordinates that the poses produce: those of `a` taken into the frame of `b`, rounded once. Poses that are no rigid
/// placements are refused.
pub fn overlap(
    a: &Hierarchy,
    pose_a: &Pose,
    b: &Hierarchy,
    pose_b: &Pose,
    workspace: &mut Workspace,
) -> Result<Option<(u32, u32)>, QueryError> {
    let mut first = None;
    visit_overlaps(a, pose_a, b, pose_b, workspace, |pair| {
        first = Some(pair);
        false
    })?;
    Ok(first)
}

/// All pairs of overlapping triangles, appended to `found` in a fixed order.
pub fn all_overlaps(
    a: &Hierarchy,
    pose_a: &Pose,
    b: &Hierarchy,
    pose_b: &Pose,
    workspace: &mut Workspace,
    found: &mut Vec<(u32, u32)>,
) -> Result<(), QueryError> {
    visit_overlaps(a, pose_a, b, pose_b, workspace, |pair| {
        found.push(pair);
        true
    })
}

/// Calls `found` for each pair until it returns false.
fn visit_overlaps(
    a: &Hierarchy,
    pose_a: &Pose,
    b: &Hierarchy,
    pose_b: &Pose,
    workspace: &mut Workspace,
    mut found: impl FnMut((u32, u32)) -> bool,
) -> Result<(), QueryError> {
    check_poses(pose_a, pose_b)?;
    let placement = Placement::new(pose_a, pose_b);
    let stack = &mut workspace.pairs;
    stack.clear();
    stack.push((0, 0));
    while let Some((node_a, node_b)) = stack.pop() {
        match NodePair::new(a, node_a, b, node_b) {
            NodePair::Leaves(range_a, range_b) => {
                for slot_a in range_a {
                    let in_b = placement.a_to_b.triangle(a.at_slot(slot_a));
                    for slot_b in range_b.clone() {
                        if triangles_overlap(&in_b, b.at_slot(slot_b))
                            && !found((a.source(slot_a), b.source(slot_b)))
                        {
                            return Ok(());
                        }
                    }
                }
            }
            NodePair::Open(opening) => {
                let near = near(opening.group, &opening.single(&placement), 0.0);
                for_each_bit(near, |lane| stack.push(opening.pair(lane)));
            }
        }
    }
    Ok(())
}

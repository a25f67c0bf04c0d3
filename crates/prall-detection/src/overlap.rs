//! Do two bodies overlap at an instant?

use prall_math::Pose;

use crate::error::QueryError;
use crate::hierarchy::lanes::{Single, near};
use crate::hierarchy::{Content, Hierarchy, NodeBox};
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
        let (box_a, box_b) = (&a.nodes[node_a as usize], &b.nodes[node_b as usize]);
        match (box_a.link.content(), box_b.link.content()) {
            (Content::Triangles(range_a), Content::Triangles(range_b)) => {
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
            (Content::Group(group), content_b) if opens_first(box_a, box_b, &content_b) => {
                let group = &a.groups[group];
                let centre = placement.b_to_a.point(box_b.centre);
                let single = Single::new(box_b, &placement.b_to_a, centre, group.origin);
                for_each_bit(near(group, &single, 0.0), |lane| stack.push((group.first + lane, node_b)));
            }
            (_, Content::Group(group)) => {
                let group = &b.groups[group];
                let centre = placement.a_to_b.point(box_a.centre);
                let single = Single::new(box_a, &placement.a_to_b, centre, group.origin);
                for_each_bit(near(group, &single, 0.0), |lane| stack.push((node_a, group.first + lane)));
            }
            // The first of the two guards is true whenever the second node is a leaf.
            (Content::Group(_), Content::Triangles(_)) => {}
        }
    }
    Ok(())
}

/// Of two nodes the larger is opened; a leaf cannot be.
pub(crate) fn opens_first(first: &NodeBox, second: &NodeBox, second_content: &Content) -> bool {
    matches!(second_content, Content::Triangles(_)) || first.radius >= second.radius
}

pub(crate) fn for_each_bit(mut bits: u32, mut call: impl FnMut(u32)) {
    while bits != 0 {
        call(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

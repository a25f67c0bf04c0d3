//! Which triangles of a surface may be near: searches in its hierarchy.

use glam::DVec3;
use prall_geometry::Aabb;
use prall_math::Pose;

use super::Scratch;
use super::ball_surface::Foot;
use super::surface::{Placed, Surface};
use super::touchable::Piece;
use crate::contact::ContactPoint;
use crate::hierarchy::lanes::near;
use crate::hierarchy::{BoxProbe, Content, rounded_up};
use crate::node_pair::{NodePair, for_each_bit};
use crate::placement::Placement;

/// The box around a convex piece, as a surface sees it.
pub(super) fn probe(piece: &Piece, pose: &Pose, surface_pose: &Pose) -> BoxProbe {
    BoxProbe::new(&piece.shape().aabb(&Pose::IDENTITY), Placement::new(pose, surface_pose).a_to_b)
}

/// All triangles that may be within `within` metres of the probe's box, in a fixed order.
pub(super) fn triangles_near(
    surface: &Surface,
    probe: &BoxProbe,
    within: f64,
    stack: &mut Vec<u32>,
    triangles: &mut Vec<u32>,
) {
    let hierarchy = &surface.hierarchy;
    triangles.clear();
    hierarchy.visit_near_box(probe, within, stack, |slot| {
        triangles.push(hierarchy.source(slot));
        true
    });
}

/// The foot of a point on the nearest triangle of a surface, if that is not farther than `within` metres.
pub(super) fn nearest_foot(
    placed: &Placed,
    point: DVec3,
    mut within: f64,
    stack: &mut Vec<u32>,
) -> Option<Foot> {
    let hierarchy = &placed.surface.hierarchy;
    let centre = placed.local_point(point);
    let probe = BoxProbe::in_place(&Aabb { min: centre, max: centre });
    let mut nearest: Option<Foot> = None;
    stack.clear();
    stack.push(0);
    while let Some(next) = stack.pop() {
        match hierarchy.nodes[next as usize].link.content() {
            Content::Triangles(slots) => {
                for slot in slots {
                    let foot = Foot::new(placed, hierarchy.source(slot), point);
                    if nearest.is_none_or(|least| foot.squared < least.squared) {
                        within = within.min(foot.squared.sqrt());
                        nearest = Some(foot);
                    }
                }
            }
            Content::Group(group) => {
                let group = &hierarchy.groups[group];
                for_each_bit(probe.near(group, rounded_up(within)), |lane| stack.push(group.first + lane));
            }
        }
    }
    nearest
}

/// All pairs of triangles that may be within `within` metres of each other, in a fixed order.
pub(super) fn pairs_near(
    a: &Placed,
    b: &Placed,
    (pose_a, pose_b): (&Pose, &Pose),
    within: f64,
    scratch: &mut Scratch,
) {
    let (a, b) = (&a.surface.hierarchy, &b.surface.hierarchy);
    let placement = Placement::new(pose_a, pose_b);
    let within = rounded_up(within);
    let (stack, pairs) = (&mut scratch.stack_of_pairs, &mut scratch.pairs);
    pairs.clear();
    stack.clear();
    stack.push((0, 0));
    while let Some((node_a, node_b)) = stack.pop() {
        match NodePair::new(a, node_a, b, node_b) {
            NodePair::Leaves(range_a, range_b) => {
                for slot_a in range_a {
                    pairs.extend(range_b.clone().map(|slot_b| (a.source(slot_a), b.source(slot_b))));
                }
            }
            NodePair::Open(opening) => {
                let near = near(opening.group, &opening.single(&placement), within);
                for_each_bit(near, |lane| stack.push(opening.pair(lane)));
            }
        }
    }
}

/// Files what `contact_of` says of every vertex that can be touched.
///
/// Every vertex is looked at: a half-space has no box, and a product and a sum per vertex are cheaper than they sound.
pub(super) fn vertices_below(
    surface: &Surface,
    direction: DVec3,
    scratch: &mut Scratch,
    contact_of: impl Fn(u32) -> Option<ContactPoint>,
) {
    let touchable = (0..surface.positions().len() as u32).filter(|&vertex| {
        let outward = !surface.one_sided || surface.vertex_normal(vertex).dot(direction) < 0.0;
        outward && surface.vertex_is_active(vertex)
    });
    scratch.found.extend(touchable.filter_map(contact_of));
}

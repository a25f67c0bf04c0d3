//! Which triangles of a surface may be near: searches in its hierarchy.

use glam::{DMat3, DVec3};
use prall_math::{Norm, Pose};

use super::Scratch;
use super::ball_surface::Foot;
use super::surface::{Placed, Surface};
use super::touchable::Piece;
use crate::contact::ContactPoint;
use crate::hierarchy::lanes::{Single, near};
use crate::hierarchy::{Content, NodeBox};
use crate::node_pair::{NodePair, for_each_bit};
use crate::placement::{FrameChange, Placement};

/// The box around a convex piece, and the way from its frame to that of the surface.
pub(super) struct Probe {
    centre: DVec3,
    half: [f32; 3],
    radius: f32,
    change: FrameChange,
}

/// Those of the frame.
const AXES: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A length in single precision, not smaller.
fn rounded_up(length: f64) -> f32 {
    (length * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE
}

impl Probe {
    pub(super) fn new(piece: &Piece, pose: &Pose, surface_pose: &Pose) -> Probe {
        let around = piece.shape().aabb(&Pose::IDENTITY);
        let half = around.half_extents();
        Probe {
            centre: around.center(),
            half: half.to_array().map(rounded_up),
            radius: rounded_up(half.norm()),
            change: Placement::new(pose, surface_pose).a_to_b,
        }
    }

    fn node(&self, like: &NodeBox) -> NodeBox {
        NodeBox { centre: self.centre, axes: AXES, half: self.half, radius: self.radius, link: like.link }
    }
}

/// All triangles that may be within `within` metres of the probe's box, in a fixed order.
pub(super) fn triangles_near(
    surface: &Surface,
    probe: &Probe,
    within: f64,
    stack: &mut Vec<u32>,
    triangles: &mut Vec<u32>,
) {
    let hierarchy = &surface.hierarchy;
    let node = probe.node(&hierarchy.nodes[0]);
    let centre = probe.change.point(probe.centre);
    let within = rounded_up(within);
    triangles.clear();
    stack.clear();
    stack.push(0);
    while let Some(next) = stack.pop() {
        match hierarchy.nodes[next as usize].link.content() {
            Content::Triangles(slots) => triangles.extend(slots.map(|slot| hierarchy.source(slot))),
            Content::Group(group) => {
                let group = &hierarchy.groups[group];
                let single = Single::new(&node, &probe.change, centre, group.origin);
                for_each_bit(near(group, &single, within), |lane| stack.push(group.first + lane));
            }
        }
    }
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
    let half = [f32::MIN_POSITIVE; 3];
    let change = FrameChange::new(DMat3::IDENTITY, DVec3::ZERO);
    let node = NodeBox { centre, axes: AXES, half, radius: half[0], link: hierarchy.nodes[0].link };
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
                let single = Single::new(&node, &change, centre, group.origin);
                let near = near(group, &single, rounded_up(within));
                for_each_bit(near, |lane| stack.push(group.first + lane));
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

//! Triangles near a box: what a convex body may touch, or what lies in a place.

use glam::{DMat3, DVec3};
use prall_geometry::Aabb;
use prall_math::Norm;

use super::lanes::{Group8, Single, near};
use super::{Content, Hierarchy, Link, NodeBox};
use crate::node_pair::for_each_bit;
use crate::placement::FrameChange;

/// A box in a frame of its own, and the way from there to a hierarchy's frame.
pub(crate) struct BoxProbe {
    node: NodeBox,
    change: FrameChange,
    /// In the hierarchy's frame.
    centre: DVec3,
}

/// Those of the frame.
const AXES: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A length in single precision, not smaller.
pub(crate) fn rounded_up(length: f64) -> f32 {
    (length * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE
}

impl BoxProbe {
    pub(crate) fn new(bounds: &Aabb, change: FrameChange) -> BoxProbe {
        let half = bounds.half_extents();
        let node = NodeBox {
            centre: bounds.center(),
            axes: AXES,
            half: half.to_array().map(rounded_up),
            radius: rounded_up(half.norm()),
            // Nothing is asked of what is in it.
            link: Link::group(0),
        };
        BoxProbe { centre: change.point(node.centre), node, change }
    }

    /// A box of the hierarchy's own frame.
    pub(crate) fn in_place(bounds: &Aabb) -> BoxProbe {
        BoxProbe::new(bounds, FrameChange::new(DMat3::IDENTITY, DVec3::ZERO))
    }

    /// Bits of those of the eight that may be within `distance` of the box.
    pub(crate) fn near(&self, group: &Group8, distance: f32) -> u32 {
        near(group, &Single::new(&self.node, &self.change, self.centre, group.origin), distance)
    }
}

impl Hierarchy {
    /// Calls `visit` with the slots of all triangles that may be within `within` metres of a box, in a fixed order, until it returns false.
    pub(crate) fn visit_near_box(
        &self,
        probe: &BoxProbe,
        within: f64,
        stack: &mut Vec<u32>,
        mut visit: impl FnMut(u32) -> bool,
    ) {
        let within = rounded_up(within);
        stack.clear();
        stack.push(0);
        while let Some(next) = stack.pop() {
            match self.nodes[next as usize].link.content() {
                Content::Triangles(mut slots) => {
                    if !slots.all(&mut visit) {
                        return;
                    }
                }
                Content::Group(group) => {
                    let group = &self.groups[group];
                    for_each_bit(probe.near(group, within), |lane| stack.push(group.first + lane));
                }
            }
        }
    }
}

//! Near features of half-spaces: vertices near a plane.

use glam::DVec3;
use prall_math::Norm;

use super::NearOptions;
use super::boundary::{Part, Plane, plane_size};
use super::collect::Code;
use super::feature::{ALL_SIDES, NearFeature, NearKind};
use crate::hierarchy::{Content, NodeBox};
use crate::placement::FrameChange;

/// A part beside a half-space.
pub(super) struct PlaneCollector<'a> {
    pub(super) part: &'a Part,
    pub(super) plane: &'a Plane,
    /// From the part's frame to the plane's.
    pub(super) change: &'a FrameChange,
    /// The half-space belongs to body A.
    pub(super) plane_on_a: bool,
}

impl PlaneCollector<'_> {
    /// The plane's normal and height in the part's frame.
    fn seen_from_part(&self) -> (DVec3, f64) {
        let normal = self.change.rotation.transpose() * self.plane.normal;
        (normal, self.plane.normal.dot(self.plane.point - self.change.translation))
    }

    /// What rounding may do to a height.
    fn rounding(&self) -> f64 {
        let size = self.part.hierarchy().radius() + self.change.translation.norm() + plane_size(self.plane);
        32.0 * f64::EPSILON * size
    }

    /// Calls `visit` with slot and corner of each vertex that can be touched and may be within the height; every vertex has one.
    fn vertices_below(
        &self,
        (normal, height): (DVec3, f64),
        stack: &mut Vec<(u32, u32)>,
        mut visit: impl FnMut(u32, usize, f64),
    ) {
        let hierarchy = self.part.hierarchy();
        stack.clear();
        stack.push((0, 0));
        while let Some((next, _)) = stack.pop() {
            let node = &hierarchy.nodes[next as usize];
            if lowest(node, normal) > height + self.rounding() {
                continue;
            }
            match node.link.content() {
                Content::Group(group) => {
                    let group = &hierarchy.groups[group];
                    stack.extend((group.first..group.first + group.count).map(|child| (child, 0)));
                }
                Content::Triangles(slots) => {
                    for slot in slots {
                        for (corner, &point) in hierarchy.at_slot(slot).iter().enumerate() {
                            visit(slot, corner, normal.dot(point));
                        }
                    }
                }
            }
        }
    }

    /// Files the vertices within reach; returns a lower bound of the distance, at most the reach.
    pub(super) fn run(
        &self,
        options: &NearOptions,
        stack: &mut Vec<(u32, u32)>,
        found: &mut Vec<NearFeature>,
    ) -> f64 {
        let (normal, height) = self.seen_from_part();
        let radius = self.part.radius;
        let limit = options.reach + radius;
        let mut least = limit + self.rounding();
        self.vertices_below((normal, height + limit), stack, |slot, corner, at| {
            let above = at - height;
            least = least.min(above);
            let face = &self.part.topology.faces[slot as usize];
            let vertex = face.vertices[corner];
            let own = face.own_vertices >> corner & 1 == 1;
            let rises = || self.part.topology.ring(vertex).iter().all(|d| d.dot(normal) >= -options.slack);
            if own && above <= limit && rises() {
                let point = self.part.hierarchy().at_slot(slot)[corner];
                let triangle = self.part.first_triangle + self.part.hierarchy().source(slot);
                found.push(self.feature(vertex, triangle, point, above));
            }
        });
        (least - radius - self.rounding()).clamp(0.0, options.reach)
    }

    /// A lower bound of the distance, at most `within`.
    pub(super) fn distance(&self, within: f64, stack: &mut Vec<(u32, u32)>) -> f64 {
        let (normal, height) = self.seen_from_part();
        let limit = within + self.part.radius;
        let mut least = limit + self.rounding();
        self.vertices_below((normal, height + limit), stack, |_, _, at| least = least.min(at - height));
        (least - self.part.radius - self.rounding()).clamp(0.0, within)
    }

    fn feature(&self, vertex: u32, triangle: u32, point: DVec3, height: f64) -> NearFeature {
        let (radius, plane) = (self.part.radius, self.plane);
        let code = if self.plane_on_a { Code::FaceVertex } else { Code::VertexFace };
        let (on_vertex, on_plane) = ([point; 3], [plane.point; 3]);
        let swap = self.plane_on_a;
        NearFeature {
            name: code.name(self.part.first_vertex + vertex, plane.number),
            kind: if swap { NearKind::FaceVertex } else { NearKind::VertexFace },
            gap: height - radius,
            triangles: if swap { (plane.number, triangle) } else { (triangle, plane.number) },
            on_a: if swap { on_plane } else { on_vertex },
            on_b: if swap { on_vertex } else { on_plane },
            // From B to A.
            normal: if swap { -plane.normal } else { plane.normal },
            sign: 1.0,
            radii: if swap { (0.0, radius) } else { (radius, 0.0) },
            open_sides: ALL_SIDES,
        }
    }
}

/// Least height of a box along a direction.
fn lowest(node: &NodeBox, direction: DVec3) -> f64 {
    let extent: f64 = (0..3)
        .map(|k| {
            let [x, y, z] = node.axes[k].map(f64::from);
            direction.dot(DVec3::new(x, y, z)).abs() * f64::from(node.half[k])
        })
        .sum();
    direction.dot(node.centre) - extent
}

//! What two bodies are compared by: a convex piece or triangle, a box of a hierarchy, or a plane.

use glam::{DMat3, DVec3};
use prall_math::{Norm, Pose};

use crate::convex::{Convex, Core};
use crate::hierarchy::NodeBox;
use crate::placement::FrameChange;
use crate::relative_motion::Velocities;

/// A part of a body, in a frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'a> {
    /// A convex piece, or a triangle of a surface.
    Solid(Convex<'a>),
    /// A box around triangles: `|axes_k . (x - centre)| <= half_k`.
    ///
    /// Its axes are orthonormal to single precision only; the margin that every box was checked to have lets it be
    /// read as `centre + sum s_k axes_k`, `|s_k| <= half_k`, too.
    Node(Node),
    /// Everything with `normal . x <= height`.
    Plane { normal: DVec3, height: f64 },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    centre: DVec3,
    axes: DMat3,
    half: DVec3,
    radius: f64,
}

impl Node {
    pub(super) fn new(node: &NodeBox) -> Node {
        Node {
            centre: node.centre,
            axes: DMat3::from_cols_array_2d(&node.axes.map(|axis| axis.map(f64::from))),
            half: DVec3::from_array(node.half.map(f64::from)),
            radius: f64::from(node.radius),
        }
    }

    /// The box of a piece in its place in the body.
    pub(super) fn placed(self, pose: &Pose) -> Node {
        Node { centre: pose.transform_point(self.centre), axes: pose.rotation_matrix() * self.axes, ..self }
    }
}

impl<'a> Part<'a> {
    /// The part seen from another frame. Planes stay where they are: only what is compared with them moves.
    pub(super) fn moved(self, change: &FrameChange) -> Part<'a> {
        match self {
            Part::Solid(Convex { core: Core::Triangle(corners), .. }) => {
                Part::Solid(Convex::triangle(change.triangle(&corners)))
            }
            Part::Solid(solid) => Part::Solid(Convex {
                rotation: change.rotation * solid.rotation,
                translation: change.point(solid.translation),
                ..solid
            }),
            Part::Node(node) => Part::Node(Node {
                centre: change.point(node.centre),
                axes: change.rotation * node.axes,
                ..node
            }),
            Part::Plane { .. } => self,
        }
    }

    /// Centre of a sphere around the core.
    pub(super) fn centre(&self) -> DVec3 {
        match self {
            Part::Solid(solid) => solid.middle(),
            Part::Node(node) => node.centre,
            Part::Plane { normal, height } => *normal * *height,
        }
    }

    /// Radius of that sphere; a plane has none.
    pub(super) fn sphere(&self) -> f64 {
        match self {
            Part::Solid(solid) => match &solid.core {
                Core::Point => 0.0,
                Core::Segment(half) => *half,
                Core::Box(cuboid) => cuboid.half_extents().norm(),
                Core::Cylinder(s) => (DVec3::new(s.half_height(), s.radius(), 0.0)).norm(),
                Core::Cone(s) => (DVec3::new(s.half_height(), s.radius(), 0.0)).norm(),
                Core::Hull(hull) => hull.bounds().half_extents().norm(),
                Core::Triangle(corners) => {
                    let middle = solid.middle();
                    corners.iter().fold(0.0, |most, &corner| most.max((corner - middle).norm()))
                }
            },
            Part::Node(node) => node.radius,
            Part::Plane { .. } => f64::INFINITY,
        }
    }

    /// Radius around the core.
    pub(super) fn rounded_by(&self) -> f64 {
        if let Part::Solid(solid) = self { solid.radius } else { 0.0 }
    }

    /// The point of the core that is lowest along a direction.
    ///
    /// Hulls are searched from the first vertex to the last: climbing could stop early on nearly flat ground, and what is
    /// proven rests on this.
    pub(super) fn lowest(&self, direction: DVec3) -> DVec3 {
        match self {
            Part::Solid(solid) => match &solid.core {
                Core::Point => solid.translation,
                Core::Hull(hull) => {
                    let local = solid.local(direction);
                    let mut lowest = (DVec3::ZERO, f64::INFINITY);
                    for &vertex in hull.vertices() {
                        let height = local.dot(vertex);
                        if height < lowest.1 {
                            lowest = (vertex, height);
                        }
                    }
                    solid.point(lowest.0)
                }
                _ => solid.support(-direction, 0).0,
            },
            Part::Node(node) => {
                let along = node.axes.transpose() * direction;
                node.centre - node.axes * (node.half * along.signum())
            }
            Part::Plane { normal, height } => *normal * *height,
        }
    }

    /// Largest height of the part, radius included, along a unit vector: for a plane its own normal.
    pub(super) fn high(&self, normal: DVec3) -> f64 {
        match self {
            Part::Plane { height, .. } => *height,
            _ => normal.dot(self.lowest(-normal)) + self.rounded_by(),
        }
    }

    /// Largest distance of the core from A's rotation axis (from A's reference point, if B turns).
    pub(super) fn largest_arm(&self, motion: &Velocities) -> f64 {
        self.farthest_from(motion.reference, motion.axis)
    }

    /// Largest distance of the core from the line through a point along a unit vector, or from the point if there is none.
    pub(super) fn farthest_from(&self, point: DVec3, axis: DVec3) -> f64 {
        let across = |v: DVec3| (v - axis * axis.dot(v)).norm();
        let sphere = self.sphere();
        let extent = match self {
            Part::Solid(solid) => match &solid.core {
                Core::Segment(half) => across(solid.rotation.y_axis) * half,
                Core::Box(cuboid) => reach(&solid.rotation, cuboid.half_extents(), across),
                Core::Cylinder(s) => across(solid.rotation.y_axis) * s.half_height() + s.radius(),
                Core::Cone(s) => across(solid.rotation.y_axis) * s.half_height() + s.radius(),
                Core::Triangle(corners) => {
                    return corners.iter().fold(0.0, |most, &corner| most.max(across(corner - point)));
                }
                Core::Point | Core::Hull(_) => sphere,
            },
            Part::Node(node) => reach(&node.axes, node.half, across),
            Part::Plane { .. } => sphere,
        };
        across(self.centre() - point) + extent.min(sphere)
    }

    /// Visits points whose convex hull holds the core; none of a plane, which has no such points.
    pub(super) fn for_each_corner(&self, mut visit: impl FnMut(DVec3)) {
        let (axes, half) = match self {
            Part::Solid(solid) => match &solid.core {
                Core::Point => return visit(solid.translation),
                Core::Segment(half) => {
                    let up = solid.rotation.y_axis * *half;
                    visit(solid.translation - up);
                    return visit(solid.translation + up);
                }
                Core::Triangle(corners) => return corners.iter().for_each(|&corner| visit(corner)),
                Core::Box(cuboid) => (&solid.rotation, cuboid.half_extents()),
                Core::Cylinder(s) => (&solid.rotation, DVec3::new(s.radius(), s.half_height(), s.radius())),
                Core::Cone(s) => (&solid.rotation, DVec3::new(s.radius(), s.half_height(), s.radius())),
                Core::Hull(hull) => (&solid.rotation, hull.bounds().half_extents()),
            },
            Part::Node(node) => (&node.axes, node.half),
            Part::Plane { .. } => return,
        };
        let centre = self.centre();
        let edges = [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z];
        for bits in 0..8 {
            let side = |bit: usize| if bits >> bit & 1 == 0 { -edges[bit] } else { edges[bit] };
            visit(centre + (side(0) + side(1) + side(2)));
        }
    }

    /// Directions of the part's own that may separate it from something that lies `away` of it, to be tried cheaply.
    pub(super) fn for_each_axis(&self, away: DVec3, mut visit: impl FnMut(DVec3)) {
        match self {
            Part::Solid(solid) => match &solid.core {
                Core::Box(_) => (0..3).for_each(|axis| visit(solid.rotation.col(axis))),
                Core::Cylinder(_) => {
                    let axis = solid.rotation.y_axis;
                    visit(axis);
                    if let Some(side) = crate::norm::unit(away - axis * axis.dot(away)) {
                        visit(side);
                    }
                }
                Core::Hull(_) | Core::Cone(_) | Core::Triangle(_) => {
                    if let Some(normal) = solid.face_normal(away) {
                        visit(normal);
                    }
                }
                Core::Point | Core::Segment(_) => {}
            },
            Part::Node(node) => (0..3).filter_map(|k| crate::norm::unit(node.axes.col(k))).for_each(visit),
            Part::Plane { .. } => {}
        }
    }
}

/// How far a box reaches if every half edge counts with the length that `across` leaves of its axis.
fn reach(axes: &DMat3, half: DVec3, across: impl Fn(DVec3) -> f64) -> f64 {
    across(axes.x_axis) * half.x + across(axes.y_axis) * half.y + across(axes.z_axis) * half.z
}

//! [`Touchable`]: a shape made ready to be touched.

use std::sync::Arc;

use glam::DVec3;
use prall_geometry::{BoundingSphere, EdgeError, Mesh, MeshError, MeshOptions, Shape, SoupError, Weld};
use prall_math::{Norm, Pose};
use thiserror::Error;

use super::surface::Surface;
use crate::convex::{separation_in_place, triangle_normal};
use crate::error::HierarchyError;
use crate::hierarchy::Preparation;

/// A shape with what its contacts need: for meshes and height fields a hierarchy and the edges that can be touched. Built once,
/// shared by clones.
#[derive(Clone, Debug)]
pub struct Touchable {
    pieces: Arc<[Piece]>,
}

/// Why a shape cannot be touched.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TouchableError {
    /// No hierarchy over the triangles.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// No judgement of the edges.
    #[error(transparent)]
    Edges(#[from] EdgeError),
    /// The triangles of a height field are no mesh.
    #[error("the height field has no usable triangles: {0}")]
    Mesh(#[from] MeshError),
    /// A height field with more samples than can be counted.
    #[error("the height field has too many samples: {0}")]
    Soup(#[from] SoupError),
}

/// A shape that is no compound, in its place.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pose: Pose,
    shape: Shape,
    kind: Kind,
    /// In the piece's own frame; none for half-spaces.
    sphere: Option<BoundingSphere>,
    /// Of its points from its origin, in metres; infinite for half-spaces.
    reach: f64,
    /// Half of its least extent along an axis of its frame, in metres; infinite for half-spaces.
    half_thickness: f64,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Convex,
    HalfSpace,
    Surface(Arc<Surface>),
}

impl Touchable {
    /// Makes a shape ready. Cheap for primitives and hulls; for a mesh it takes a few microseconds a triangle.
    ///
    /// Closed meshes and height fields are touched from outside only, open meshes from both sides.
    pub fn new(shape: &Shape) -> Result<Touchable, TouchableError> {
        Touchable::prepared(shape, &Preparation::default())
    }

    /// As [`Touchable::new`], with hierarchies made on many threads or read from a folder.
    pub fn prepared(shape: &Shape, preparation: &Preparation<'_>) -> Result<Touchable, TouchableError> {
        let pieces: Result<Vec<Piece>, TouchableError> = match shape {
            Shape::Compound(compound) => compound
                .children()
                .iter()
                .map(|(pose, child)| Piece::new(child, *pose, preparation))
                .collect(),
            single => Piece::new(single, Pose::IDENTITY, preparation).map(|piece| vec![piece]),
        };
        Ok(Touchable { pieces: pieces?.into() })
    }

    /// Unit vector from another shape to this one along which the two are farthest apart; `None` if they are not apart, and for shapes that are not
    /// bounded and convex.
    pub fn normal_between(&self, pose: &Pose, other: &Touchable, other_pose: &Pose) -> Option<DVec3> {
        let ([piece], [other]) = (self.pieces(), other.pieces()) else { return None };
        let [a, b] = [(piece, pose), (other, other_pose)].map(|(piece, pose)| piece.placed(pose));
        let found = separation_in_place(piece.shape(), &a, other.shape(), &b)?;
        (found.gap > 0.0).then_some(found.normal)
    }

    /// Unit vector from a triangle to the shape in a pose along which the two are farthest apart; `None` if they are not apart, and for shapes that are not
    /// bounded and convex.
    pub fn normal_from(&self, pose: &Pose, triangle: &[DVec3; 3]) -> Option<DVec3> {
        let [piece] = self.pieces() else { return None };
        triangle_normal(piece.shape(), &piece.placed(pose), triangle)
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
}

impl Piece {
    fn new(shape: &Shape, pose: Pose, preparation: &Preparation<'_>) -> Result<Piece, TouchableError> {
        let kind = match shape {
            Shape::HalfSpace(_) => Kind::HalfSpace,
            Shape::TriangleMesh(mesh) => {
                Kind::Surface(Arc::new(Surface::new(mesh.mesh(), mesh.is_solid(), preparation)?))
            }
            Shape::Heightfield(field) => {
                let options = MeshOptions { weld: Weld::None, ..MeshOptions::default() };
                let mesh = Mesh::from_soup(&field.to_soup()?, &options)?;
                Kind::Surface(Arc::new(Surface::new(&mesh, true, preparation)?))
            }
            _ => Kind::Convex,
        };
        let sphere = shape.bounding_sphere();
        let reach = sphere.map_or(f64::INFINITY, |s| s.center.norm() + s.radius);
        let half_thickness =
            sphere.map_or(f64::INFINITY, |_| shape.aabb(&Pose::IDENTITY).half_extents().min_element());
        Ok(Piece { pose, shape: shape.clone(), kind, sphere, reach, half_thickness })
    }

    pub(super) fn reach(&self) -> f64 {
        self.reach
    }

    pub(super) fn half_thickness(&self) -> f64 {
        self.half_thickness
    }

    /// Half edges, if the piece is a box.
    pub(super) fn half_edges(&self) -> Option<DVec3> {
        if let Shape::Box(cuboid) = &self.shape { Some(cuboid.half_extents()) } else { None }
    }

    /// True if contacts with another piece are worth remembering: not those of balls, which are a formula, and not those of
    /// surfaces, which may be many.
    pub(super) fn is_remembered_with(&self, other: &Piece) -> bool {
        let plain = |piece: &Piece| {
            !matches!(piece.kind, Kind::Surface(_)) && !matches!(piece.shape, Shape::Sphere(_))
        };
        plain(self) && plain(other)
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Place in the body.
    pub(crate) fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Around the piece, in its own frame; none for half-spaces.
    pub(crate) fn sphere(&self) -> Option<&BoundingSphere> {
        self.sphere.as_ref()
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where the piece is if the body is in `pose`; exactly there if the body is a single piece.
    pub(super) fn placed(&self, pose: &Pose) -> Pose {
        if self.pose == Pose::IDENTITY { *pose } else { *pose * self.pose }
    }

    /// True if the spheres around two pieces are farther apart than `margin`.
    pub(super) fn is_far_from(&self, pose: &Pose, other: &Piece, other_pose: &Pose, margin: f64) -> bool {
        let (Some(p), Some(q)) = (&self.sphere, &other.sphere) else { return false };
        let centre = |pose: &Pose, sphere: &BoundingSphere| pose.transform_point(sphere.center);
        let away: DVec3 = centre(pose, p) - centre(other_pose, q);
        let reach = (p.radius + q.radius + margin) * (1.0 + 1e-9);
        away.length_squared() > reach * reach
    }
}

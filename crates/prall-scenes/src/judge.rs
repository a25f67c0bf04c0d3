//! [`Judge`]: which bodies of a world cross each other in given poses, by exact predicates on their triangles.
//!
//! It knows shapes and poses and nothing of what the world computes with them: a step that reports no error is judged like any other.

use glam::DVec3;
use prall_detection::{BuildOptions, Filter, Hierarchy, HierarchyError, Workspace, overlap};
use prall_dynamics::{BodyHandle, BodyKind, World, WorldError};
use prall_geometry::{Aabb, Components, HalfEdges, Mesh, MeshError, MeshOptions, Shape, SurfaceError};
use prall_math::Pose;
use std::sync::Arc;
use thiserror::Error;

/// Segments around a round shape, whose polyhedron lies inside it: what crosses it crosses the shape.
const SEGMENTS: u32 = 32;

/// Why a world cannot be judged.
#[derive(Clone, Debug, Error)]
pub enum JudgeError {
    /// A body is gone.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A shape has no triangles.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// Its triangles are no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Its triangles cannot be put in order.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
}

/// A shape of a body as the judge sees it.
struct Part {
    /// In the body's frame.
    pose: Pose,
    shape: Shape,
    /// None for a half-space, which is everything below its plane.
    surface: Option<Surface>,
}

/// Triangles of a shape in its own frame.
#[derive(Clone)]
struct Surface {
    hierarchy: Arc<Hierarchy>,
    /// A corner of each connected piece.
    pieces: Arc<[DVec3]>,
}

impl Surface {
    fn new(mesh: &Mesh) -> Result<Surface, JudgeError> {
        let components = Components::by_shared_vertices(&HalfEdges::new(mesh));
        let mut pieces = vec![None; components.count()];
        for face in 0..mesh.face_count() {
            let piece = &mut pieces[components.of_face(face) as usize];
            *piece = piece.or(mesh.face(face).first().map(|&corner| mesh.positions()[corner as usize]));
        }
        let hierarchy = Arc::new(Hierarchy::of_mesh(mesh, &BuildOptions::default())?);
        Ok(Surface { hierarchy, pieces: pieces.into_iter().flatten().collect() })
    }
}

struct Judged {
    handle: BodyHandle,
    movable: bool,
    filter: Filter,
    parts: Vec<Part>,
}

/// Two bodies that cross, touch, or lie one inside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Their numbers in [`Judge::bodies`], the smaller first.
    pub bodies: [usize; 2],
    /// A triangle of each that meet; none if one lies wholly inside the other, or below a plane.
    pub triangles: Option<[u32; 2]>,
}

/// Judges poses of the bodies of a world; links of machines are not its business.
///
/// Two bodies are judged if one of them can be moved and neither filters nor joints keep them from touching. Triangles that only
/// touch are reported as well. Meshes, boxes and hulls are exact; round shapes count as the polyhedra inside them.
pub struct Judge {
    bodies: Vec<Judged>,
    /// Pairs that joints let overlap, smaller number first, sorted.
    jointed: Vec<[usize; 2]>,
    workspace: Workspace,
    /// By body: where it was last looked at, and the box of each part there; none for a pose that is no rigid placement.
    boxes: Vec<(Pose, Vec<Aabb>)>,
    order: Vec<usize>,
}

impl Judge {
    /// For the bodies that are in the world now.
    pub fn new(world: &World) -> Result<Judge, JudgeError> {
        let mut known = Vec::new();
        let mut bodies = Vec::new();
        for handle in world.body_handles() {
            let mut parts = Vec::new();
            for (pose, shape) in world.shapes(handle)? {
                add_parts(pose, shape, &mut known, &mut parts)?;
            }
            let movable = world.kind(handle)? == BodyKind::Dynamic;
            bodies.push(Judged { handle, movable, filter: world.filter(handle)?, parts });
        }
        let number = |body: BodyHandle| bodies.iter().position(|known: &Judged| known.handle == body);
        let mut jointed: Vec<[usize; 2]> = world
            .jointed_pairs()
            .filter_map(|[a, b]| Some((number(a)?, number(b)?)))
            .map(|(a, b)| [a.min(b), a.max(b)])
            .collect();
        jointed.sort_unstable();
        Ok(Judge { bodies, jointed, workspace: Workspace::default(), boxes: Vec::new(), order: Vec::new() })
    }

    /// The bodies in the order in which poses are to be given.
    pub fn bodies(&self) -> impl Iterator<Item = BodyHandle> + '_ {
        self.bodies.iter().map(|body| body.handle)
    }

    /// How many triangles all bodies have.
    pub fn triangle_count(&self) -> usize {
        let surfaces =
            self.bodies.iter().flat_map(|body| &body.parts).filter_map(|part| part.surface.as_ref());
        surfaces.map(|surface| surface.hierarchy.triangle_count()).sum()
    }

    /// Pairs that cross with the bodies in these poses, of those pairs in which `moving` is true for one; by ascending numbers.
    /// Bodies without a pose, or with one that is no rigid placement, are left out.
    pub fn crossings(&mut self, poses: &[Pose], moving: impl Fn(usize) -> bool) -> Vec<Crossing> {
        let count = self.bodies.len().min(poses.len());
        self.place(&poses[..count]);
        let whole: Vec<Aabb> = self
            .boxes
            .iter()
            .map(|(_, parts)| parts.iter().fold(Aabb::EMPTY, |all, part| all.union(part)))
            .collect();
        self.order.clear();
        self.order.extend((0..count).filter(|&body| !self.boxes[body].1.is_empty()));
        self.order.sort_by(|&a, &b| whole[a].min.x.total_cmp(&whole[b].min.x).then(a.cmp(&b)));
        let mut found = Vec::new();
        for place in 0..self.order.len() {
            let a = self.order[place];
            for next in place + 1..self.order.len() {
                let b = self.order[next];
                if whole[b].min.x > whole[a].max.x {
                    break;
                }
                let pair = [a.min(b), a.max(b)];
                if (moving(a) || moving(b)) && whole[a].overlaps(&whole[b]) && self.may_touch(pair) {
                    found.extend(self.crossing(pair, poses));
                }
            }
        }
        found.sort_by_key(|crossing| crossing.bodies);
        found
    }

    /// Boxes of all parts in these poses. Those of bodies that stand still are kept: a floor of ten thousand triangles has a box, too.
    fn place(&mut self, poses: &[Pose]) {
        let boxes = |body: &Judged, pose: &Pose| -> Vec<Aabb> {
            let of_part = |part: &Part| part.shape.aabb(&(*pose * part.pose));
            if pose.is_valid() { body.parts.iter().map(of_part).collect() } else { Vec::new() }
        };
        self.boxes.truncate(poses.len());
        for (number, (body, pose)) in self.bodies.iter().zip(poses).enumerate() {
            match self.boxes.get_mut(number) {
                Some((known, _)) if known == pose => {}
                Some(known) => *known = (*pose, boxes(body, pose)),
                None => self.boxes.push((*pose, boxes(body, pose))),
            }
        }
    }

    fn may_touch(&self, pair: [usize; 2]) -> bool {
        let [a, b] = pair.map(|body| &self.bodies[body]);
        (a.movable || b.movable) && a.filter.allows(&b.filter) && self.jointed.binary_search(&pair).is_err()
    }

    fn crossing(&mut self, [a, b]: [usize; 2], poses: &[Pose]) -> Option<Crossing> {
        let parts = (&self.bodies[a].parts, &self.bodies[b].parts);
        for (p, box_p) in parts.0.iter().zip(&self.boxes[a].1) {
            for (q, box_q) in parts.1.iter().zip(&self.boxes[b].1) {
                if !box_p.overlaps(box_q) {
                    continue;
                }
                let (pose_p, pose_q) = (poses[a] * p.pose, poses[b] * q.pose);
                let triangles = match (&p.surface, &q.surface) {
                    (Some(s), Some(t)) => {
                        match overlap(&s.hierarchy, &pose_p, &t.hierarchy, &pose_q, &mut self.workspace) {
                            Ok(found) => found,
                            Err(_) => continue,
                        }
                    }
                    _ => None,
                };
                let inside = || {
                    lies_inside(p, &pose_p, q, box_q, &pose_q) || lies_inside(q, &pose_q, p, box_p, &pose_p)
                };
                if triangles.is_some() || inside() {
                    let triangles = triangles.map(|(s, t)| [s, t]);
                    return Some(Crossing { bodies: [a, b], triangles });
                }
            }
        }
        None
    }
}

/// A piece that meets no triangle of a solid lies inside it if one of its points does; of a half-space every corner counts.
fn lies_inside(inner: &Part, inner_pose: &Pose, outer: &Part, outer_box: &Aabb, outer_pose: &Pose) -> bool {
    let Some(surface) = &inner.surface else { return false };
    let local = |point: DVec3| outer_pose.inverse_transform_point(inner_pose.transform_point(point));
    if outer.surface.is_none() {
        let hierarchy = &surface.hierarchy;
        let mut triangles =
            (0..hierarchy.triangle_count() as u32).filter_map(|index| hierarchy.triangle(index));
        return triangles.any(|corners| corners.iter().any(|&corner| local(corner).y < 0.0));
    }
    let contains = |point: DVec3| outer.shape.contains(local(point)) == Some(true);
    surface
        .pieces
        .iter()
        .any(|&point| outer_box.contains(inner_pose.transform_point(point)) && contains(point))
}

fn add_parts(
    pose: Pose,
    shape: &Shape,
    known: &mut Vec<(Arc<Mesh>, Surface)>,
    parts: &mut Vec<Part>,
) -> Result<(), JudgeError> {
    let surface = match shape {
        Shape::Compound(compound) => {
            let mut children = compound.children().iter();
            return children.try_for_each(|(child, shape)| add_parts(pose * *child, shape, known, parts));
        }
        Shape::HalfSpace(_) => None,
        Shape::TriangleMesh(mesh) => {
            let mesh = mesh.mesh();
            let same = known.iter().find(|(other, _)| Arc::ptr_eq(other, mesh));
            Some(match same {
                Some((_, surface)) => surface.clone(),
                None => {
                    let surface = Surface::new(mesh)?;
                    known.push((mesh.clone(), surface.clone()));
                    surface
                }
            })
        }
        other => {
            let mesh = Mesh::from_soup(&other.surface_soup(SEGMENTS)?, &MeshOptions::default())?;
            Some(Surface::new(&mesh)?)
        }
    };
    parts.push(Part { pose, shape: shape.clone(), surface });
    Ok(())
}

//! The convex elements that bodies are taken apart into, by corners, face normals and edges, or as a round bar or cone.

use glam::{DMat3, DVec3};
use prall_geometry::ConvexHull;
use prall_math::{Norm, Pose};

/// Two directions closer than this (sine, no unit) are one: no edge of a usable body is told apart from another by less.
const PARALLEL: f64 = 1e-9;

/// A convex element with a radius around it.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) core: Core,
    pub(super) radius: f64,
}

#[derive(Clone, Debug)]
pub(super) enum Core {
    Polytope(Polytope),
    /// A cylinder or cone: half of its axis with tip or upper cap at `centre + axis`, base at `centre - axis`.
    Round {
        centre: DVec3,
        axis: DVec3,
        radius: f64,
        pointed: bool,
    },
}

/// A point, a segment, a triangle or a solid.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    pub(super) points: Vec<DVec3>,
    /// Outward normals of faces; of a triangle both.
    pub(super) normals: Vec<DVec3>,
    /// Unit directions of edges, parallel ones once.
    pub(super) directions: Vec<DVec3>,
    /// Edges and triangulated faces by corners.
    pub(super) sides: Vec<[u32; 2]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Element {
    pub(super) fn ball(radius: f64) -> Element {
        Element::rounded(Polytope { points: vec![DVec3::ZERO], ..Polytope::default() }, radius)
    }

    pub(super) fn capsule(half_height: f64, radius: f64) -> Element {
        if half_height == 0.0 {
            return Element::ball(radius);
        }
        let end = DVec3::Y * half_height;
        let segment = Polytope {
            points: vec![-end, end],
            directions: vec![DVec3::Y],
            sides: vec![[0, 1]],
            ..Polytope::default()
        };
        Element::rounded(segment, radius)
    }

    pub(super) fn cuboid(half: DVec3) -> Element {
        let sign = |corner: u32, bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
        let points = (0..8).map(|i| half * DVec3::new(sign(i, 1), sign(i, 2), sign(i, 4))).collect();
        let mut cuboid = Polytope { points, directions: DVec3::AXES.to_vec(), ..Polytope::default() };
        for axis in 0..3 {
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            cuboid.normals.extend([DVec3::AXES[axis], -DVec3::AXES[axis]]);
            cuboid.sides.extend([0, u, v, u + v].map(|from: u32| [from, from + (1 << axis)]));
            for base in [0, 1 << axis] {
                cuboid.triangles.extend([[base, base + u, base + v], [base + u, base + u + v, base + v]]);
            }
        }
        Element::rounded(cuboid, 0.0)
    }

    pub(super) fn hull(hull: &ConvexHull) -> Element {
        let mut polytope = Polytope {
            points: hull.vertices().to_vec(),
            normals: hull.planes().iter().map(|plane| plane.normal).collect(),
            sides: hull.edges().iter().map(|edge| edge.vertices).collect(),
            ..Polytope::default()
        };
        for face in 0..hull.face_count() {
            let corners = hull.face(face);
            polytope.triangles.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
        }
        polytope.find_directions();
        Element::rounded(polytope, 0.0)
    }

    /// A triangle, seen from both sides; one without area has the faces and edges that it has.
    pub(super) fn triangle(points: [DVec3; 3]) -> Element {
        let normal = (points[1] - points[0]).cross(points[2] - points[0]).try_unit();
        let mut polytope = Polytope {
            points: points.to_vec(),
            normals: normal.into_iter().flat_map(|n| [n, -n]).collect(),
            sides: vec![[0, 1], [1, 2], [2, 0]],
            triangles: vec![[0, 1, 2]],
            ..Polytope::default()
        };
        polytope.find_directions();
        Element::rounded(polytope, 0.0)
    }

    pub(super) fn round(half_height: f64, radius: f64, pointed: bool) -> Element {
        let core = Core::Round { centre: DVec3::ZERO, axis: DVec3::Y * half_height, radius, pointed };
        Element { core, radius: 0.0 }
    }

    fn rounded(polytope: Polytope, radius: f64) -> Element {
        Element { core: Core::Polytope(polytope), radius }
    }

    /// The element of a body in a pose, about another origin.
    pub(super) fn placed(&self, pose: &Pose, origin: DVec3) -> Element {
        let rotation = DMat3::from_quat(pose.rotation);
        let shift = pose.translation - origin;
        let turned = |vectors: &[DVec3]| vectors.iter().map(|&v| rotation * v).collect();
        let core = match &self.core {
            Core::Polytope(p) => Core::Polytope(Polytope {
                points: p.points.iter().map(|&point| rotation * point + shift).collect(),
                normals: turned(&p.normals),
                directions: turned(&p.directions),
                sides: p.sides.clone(),
                triangles: p.triangles.clone(),
            }),
            Core::Round { centre, axis, radius, pointed } => Core::Round {
                centre: rotation * *centre + shift,
                axis: rotation * *axis,
                radius: *radius,
                pointed: *pointed,
            },
        };
        Element { core, radius: self.radius }
    }

    /// Largest height along a direction, of unit length if the element is round or has a radius.
    pub(super) fn high(&self, direction: DVec3) -> f64 {
        let core = match &self.core {
            Core::Polytope(p) => {
                p.points.iter().fold(f64::NEG_INFINITY, |most, point| most.max(direction.dot(*point)))
            }
            Core::Round { centre, axis, radius, pointed } => {
                let along = direction.dot(*axis);
                let across = axis.length_squared();
                let rim = radius * (direction - *axis * (along / across)).norm();
                let top = if *pointed { 0.0 } else { rim };
                direction.dot(*centre) + (along + top).max(rim - along)
            }
        };
        core + self.radius * direction.norm()
    }

    /// A point inside or on it.
    pub(super) fn middle(&self) -> DVec3 {
        match &self.core {
            Core::Polytope(p) => p.points.iter().sum::<DVec3>() / p.points.len() as f64,
            Core::Round { centre, .. } => *centre,
        }
    }

    pub(super) fn as_polytope(&self) -> Option<&Polytope> {
        match &self.core {
            Core::Polytope(polytope) => Some(polytope),
            Core::Round { .. } => None,
        }
    }
}

impl Polytope {
    fn find_directions(&mut self) {
        for &[from, to] in &self.sides {
            let edge = self.points[to as usize] - self.points[from as usize];
            if let Some(edge) = edge.try_unit()
                && self.directions.iter().all(|known| known.cross(edge).norm() > PARALLEL)
            {
                self.directions.push(edge);
            }
        }
    }

    pub(super) fn corners<const N: usize>(&self, indices: [u32; N]) -> [DVec3; N] {
        indices.map(|i| self.points[i as usize])
    }
}

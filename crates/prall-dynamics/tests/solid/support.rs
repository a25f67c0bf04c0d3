//! Bodies of meshes, and a judge who shares nothing with the solver: exact overlap of triangles along the ways that bodies took.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{BuildOptions, Hierarchy, Workspace, overlap};
use prall_dynamics::{BodyDefinition, BodyHandle, BodyKind, Material, World, WorldOptions};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
use prall_math::Pose;

pub(crate) fn mesh(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

/// A mesh cube of 12 triangles with this edge.
pub(crate) fn cube(edge: f64) -> Shape {
    mesh(&generate::cuboid(DVec3::splat(edge)).unwrap())
}

pub(crate) fn block(size: DVec3) -> Shape {
    mesh(&generate::cuboid(size).unwrap())
}

/// A ring about the z axis with segments around the ring and around its tube.
pub(crate) fn ring(radius: f64, tube: f64, around: u32, across: u32) -> Shape {
    mesh(&generate::torus(radius, tube, around, across).unwrap())
}

/// An open sheet of two triangles in the plane y = 0.
pub(crate) fn sheet(size: f64) -> Shape {
    let h = 0.5 * size;
    let corners = [[-h, -h], [h, -h], [h, h], [-h, h]].map(|[x, z]| DVec3::new(x, 0.0, z));
    mesh(&PolygonSoup::from_triangles(corners.to_vec(), &[[0, 2, 1], [0, 3, 2]]).unwrap())
}

/// A square cup of an outer edge and a wall thickness, open upwards: five boxes' worth of walls in one closed mesh of 28 triangles.
pub(crate) fn cup(edge: f64, wall: f64) -> Shape {
    let (o, i) = (0.5 * edge, 0.5 * edge - wall);
    let square = |half: f64, y: f64| {
        [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[x, z]| DVec3::new(x, y, z))
    };
    let (bottom, rim, inner, floor) = (square(o, -o), square(o, o), square(i, o), square(i, -o + wall));
    let positions = [bottom, rim, inner, floor].concat();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut quad = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
    quad(0, 1, 2, 3);
    quad(12, 15, 14, 13);
    for k in 0..4 {
        let n = (k + 1) % 4;
        // Bottom, rim, inner rim and floor begin at 0, 4, 8 and 12.
        quad(n, k, 4 + k, 4 + n);
        quad(4 + n, 4 + k, 8 + k, 8 + n);
        quad(8 + n, 8 + k, 12 + k, 12 + n);
    }
    mesh(&PolygonSoup::from_triangles(positions, &triangles).unwrap())
}

pub(crate) fn rough(friction: f64) -> Material {
    Material {
        static_friction: friction,
        dynamic_friction: friction,
        restitution: 0.0,
        ..Material::default()
    }
}

pub(crate) fn world(step: f64) -> World {
    World::new(WorldOptions { time_step: step, ..WorldOptions::default() }).unwrap()
}

pub(crate) fn weightless(step: f64) -> World {
    World::new(WorldOptions { time_step: step, gravity: DVec3::ZERO, ..WorldOptions::default() }).unwrap()
}

pub(crate) fn turned(axis: DVec3, angle: f64, at: DVec3) -> Pose {
    Pose::new(DQuat::from_axis_angle(axis.normalize(), angle), at)
}

pub(crate) fn dynamic(shape: &Shape, material: Material) -> BodyDefinition {
    BodyDefinition::dynamic(shape.clone(), 1000.0).made_of(material)
}

pub(crate) fn fixed(shape: &Shape, material: Material) -> BodyDefinition {
    BodyDefinition::fixed(shape.clone()).made_of(material)
}

/// Judges every step of a world by exact triangle tests at its end and at moments on the way.
pub(crate) struct Judge {
    trees: Vec<(BodyHandle, Hierarchy, Pose)>,
    /// Moments looked at in a step.
    moments: usize,
    workspace: Workspace,
    starts: Vec<Pose>,
    /// Pairs of triangles that overlapped, over all looks.
    pub(crate) overlaps: usize,
    pub(crate) looks: usize,
}

impl Judge {
    pub(crate) fn new(world: &World, moments: usize) -> Judge {
        let mut trees = Vec::new();
        for body in world.body_handles() {
            for (pose, shape) in world.shapes(body).unwrap() {
                let triangles = triangles(shape);
                if !triangles.is_empty() {
                    let tree = Hierarchy::build(&triangles, &BuildOptions::default()).unwrap();
                    trees.push((body, tree, pose));
                }
            }
        }
        let starts = trees.iter().map(|(body, ..)| world.pose(*body).unwrap()).collect();
        Judge { trees, moments, workspace: Workspace::new(), starts, overlaps: 0, looks: 0 }
    }

    /// Where a body was at a share of the last step.
    fn pose_at(world: &World, body: BodyHandle, start: &Pose, share: f64) -> Pose {
        world.pose_during(body, share).unwrap().unwrap_or(*start)
    }

    /// Looks at the last step.
    pub(crate) fn look(&mut self, world: &World) {
        for moment in 1..=self.moments {
            let share = moment as f64 / self.moments as f64;
            let poses: Vec<Pose> = self
                .trees
                .iter()
                .zip(&self.starts)
                .map(|((body, _, local), start)| {
                    let pose = if moment == self.moments {
                        world.pose(*body).unwrap()
                    } else {
                        Judge::pose_at(world, *body, start, share)
                    };
                    pose * *local
                })
                .collect();
            for i in 0..self.trees.len() {
                for j in i + 1..self.trees.len() {
                    let ((a, first, _), (b, second, _)) = (&self.trees[i], &self.trees[j]);
                    let still = |body: BodyHandle| world.kind(body).unwrap() != BodyKind::Dynamic;
                    let apart = (poses[i].translation - poses[j].translation).length();
                    if a == b || (still(*a) && still(*b)) || apart > first.radius() + second.radius() {
                        continue;
                    }
                    self.looks += 1;
                    let met = overlap(first, &poses[i], second, &poses[j], &mut self.workspace).unwrap();
                    self.overlaps += usize::from(met.is_some());
                }
            }
        }
        for (start, (body, ..)) in self.starts.iter_mut().zip(&self.trees) {
            *start = world.pose(*body).unwrap();
        }
    }
}

fn triangles(shape: &Shape) -> Vec<[DVec3; 3]> {
    match shape {
        Shape::TriangleMesh(mesh) => {
            (0..mesh.mesh().triangles().len()).map(|t| mesh.mesh().triangle_points(t)).collect()
        }
        Shape::Box(cuboid) => {
            let soup = generate::cuboid(2.0 * cuboid.half_extents()).unwrap();
            let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
            (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect()
        }
        _ => Vec::new(),
    }
}

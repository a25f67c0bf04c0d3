//! Bodies of meshes, and a judge who shares nothing with the solver: exact overlap of triangles along the ways that bodies took.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};
use prall_detection::{BuildOptions, Hierarchy, Workspace, overlap};
use prall_dynamics::{BodyDefinition, BodyHandle, BodyKind, Material, SolidOptions, World, WorldOptions};
use prall_geometry::{Amount, MassProperties, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
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

/// A disc about the y axis with teeth of this height below and above its radius.
pub(crate) fn gear(teeth: u32, radius: f64, tooth: f64, height: f64) -> Shape {
    let pitch = std::f64::consts::TAU / f64::from(teeth);
    let mut outline = Vec::new();
    for k in 0..teeth {
        let middle = pitch * f64::from(k);
        for (share, r) in
            [(-0.30, radius - tooth), (-0.12, radius + tooth), (0.12, radius + tooth), (0.30, radius - tooth)]
        {
            let angle = middle + share * pitch;
            outline.push(DVec2::new(r * libm::cos(angle), r * libm::sin(angle)));
        }
    }
    mesh(&generate::prism(&outline, height).unwrap())
}

/// A bar with teeth along x, as thick as a gap between them is wide.
pub(crate) fn comb(teeth: u32, length: f64) -> Shape {
    let width = length / f64::from(2 * teeth - 1);
    let (left, foot, tip) = (-0.5 * length, -0.1 * length, 0.4 * length);
    let mut outline = vec![DVec2::new(left, foot - width), DVec2::new(-left, foot - width)];
    for k in (0..teeth).rev() {
        let x = left + 2.0 * f64::from(k) * width;
        outline.extend([[x + width, foot], [x + width, tip], [x, tip], [x, foot]].map(DVec2::from_array));
    }
    // Where the outer teeth stand, the bar's ends would be corners on a straight side.
    outline.remove(2);
    outline.pop();
    mesh(&generate::prism(&outline, width).unwrap())
}

/// An octahedron with a spike on each face, of 24 triangles.
pub(crate) fn spikes(core: f64, reach: f64) -> Shape {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let mut positions: Vec<DVec3> = axes.iter().flat_map(|axis| [*axis * core, *axis * -core]).collect();
    let mut triangles = Vec::new();
    for octant in 0..8_u32 {
        let sides = [octant & 1, octant >> 1 & 1, octant >> 2 & 1];
        let corners = [sides[0], 2 + sides[1], 4 + sides[2]];
        let corners =
            if sides.iter().sum::<u32>() % 2 == 0 { corners } else { [corners[0], corners[2], corners[1]] };
        let apex = positions.len() as u32;
        let out: DVec3 = corners.iter().map(|&corner| positions[corner as usize]).sum();
        positions.push(out.normalize() * reach);
        triangles.extend((0..3).map(|k| [corners[k], corners[(k + 1) % 3], apex]));
    }
    mesh(&PolygonSoup::from_triangles(positions, &triangles).unwrap())
}

/// A flat rectangle without thickness about the origin, of two triangles, with a normal and an edge in any direction.
pub(crate) fn card(along: DVec3, across: DVec3) -> Shape {
    let corners =
        [-along - across, along - across, along + across, across - along].map(|corner| 0.5 * corner);
    mesh(&PolygonSoup::from_triangles(corners.to_vec(), &[[0, 1, 2], [0, 2, 3]]).unwrap())
}

/// A body of a surface without volume, with a mass in kg.
pub(crate) fn dynamic_surface(shape: &Shape, mass: f64, material: Material) -> BodyDefinition {
    let Shape::TriangleMesh(surface) = shape else { unreachable!("only meshes are surfaces") };
    let mass = MassProperties::of_surface(surface.mesh(), Amount::Mass(mass)).unwrap();
    BodyDefinition { mass: Some(mass), ..dynamic(shape, material) }
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

/// Judges every step of a world by exact triangle tests along the ways that its bodies took.
pub(crate) struct Judge {
    trees: Vec<(BodyHandle, Hierarchy, Pose)>,
    /// Moments looked at in a step, at least.
    moments: usize,
    workspace: Workspace,
    starts: Vec<Pose>,
    /// Moments at which a pair of bodies overlapped, over all looks.
    pub(crate) overlaps: usize,
    pub(crate) looks: usize,
}

/// Way of a pair between two looks, in radii of the smaller body. A wall of a fiftieth of the edge is not jumped over.
const WAY_BETWEEN_LOOKS: f64 = 0.02;
/// Looks at a pair in a step, at most.
const MAX_LOOKS: f64 = 4000.0;

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

    /// Where a shape was at a share of the last step. The way between start and end is straight where the world does not keep it.
    fn pose_at(&self, world: &World, at: usize, share: f64) -> Pose {
        let (body, _, local) = &self.trees[at];
        let end = world.pose(*body).unwrap();
        let pose = if share >= 1.0 { Some(end) } else { world.pose_during(*body, share).unwrap() };
        let start = &self.starts[at];
        let pose = pose.unwrap_or_else(|| {
            Pose::new(
                start.rotation.slerp(end.rotation, share),
                start.translation.lerp(end.translation, share),
            )
        });
        pose * *local
    }

    /// Looks at the last step: at `moments` of it, and as often as a fast pair needs.
    pub(crate) fn look(&mut self, world: &World) {
        let still: Vec<bool> =
            self.trees.iter().map(|(body, ..)| world.kind(*body).unwrap() == BodyKind::Fixed).collect();
        for i in 0..self.trees.len() {
            for j in i + 1..self.trees.len() {
                if self.trees[i].0 != self.trees[j].0 && !(still[i] && still[j]) {
                    self.look_at_pair(world, i, j);
                }
            }
        }
        for (start, (body, ..)) in self.starts.iter_mut().zip(&self.trees) {
            *start = world.pose(*body).unwrap();
        }
    }

    fn look_at_pair(&mut self, world: &World, i: usize, j: usize) {
        let [a, b] = [i, j].map(|at| self.trees[at].0);
        let [first, second] = [a, b].map(|body| world.velocity(body).unwrap());
        let ends = [i, j].map(|at| (self.pose_at(world, at, 0.0), self.pose_at(world, at, 1.0)));
        let gone = |k: usize| ends[k].1.translation - ends[k].0.translation;
        let radii = [i, j].map(|at| self.trees[at].1.radius());
        let h = world.options().time_step;
        let turned = h * (first.angular.length() * radii[0] + second.angular.length() * radii[1]);
        let way = (gone(0) - gone(1)).length().max(h * (first.linear - second.linear).length()) + turned;
        let needed = (way / (WAY_BETWEEN_LOOKS * radii[0].min(radii[1]))).min(MAX_LOOKS).ceil() as usize;
        let moments = needed.max(self.moments);
        for moment in 1..=moments {
            let share = moment as f64 / moments as f64;
            let [p, q] = [i, j].map(|at| self.pose_at(world, at, share));
            let (first, second) = (&self.trees[i].1, &self.trees[j].1);
            if (p.translation - q.translation).length() > radii[0] + radii[1] {
                continue;
            }
            self.looks += 1;
            let met = overlap(first, &p, second, &q, &mut self.workspace).unwrap();
            self.overlaps += usize::from(met.is_some());
        }
    }
}

/// The gap in m at which a body of this size rests by default.
pub(crate) fn guard(size: f64) -> f64 {
    let options = SolidOptions::default();
    (options.guard_share * size).clamp(options.min_guard, options.max_guard)
}

/// Runs a world and judges every step.
pub(crate) fn run(world: &mut World, steps: usize, moments: usize) -> Judge {
    let mut judge = Judge::new(world, moments);
    for _ in 0..steps {
        world.advance();
        judge.look(world);
    }
    judge
}

/// True if two shapes overlap in their poses.
pub(crate) fn overlapping(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> bool {
    let tree = |shape: &Shape| Hierarchy::build(&triangles(shape), &BuildOptions::default()).unwrap();
    overlap(&tree(a.0), a.1, &tree(b.0), b.1, &mut Workspace::new()).unwrap().is_some()
}

/// Triangles on the surface of a shape; those of round ones lie within it.
fn triangles(shape: &Shape) -> Vec<[DVec3; 3]> {
    let soup = match shape {
        Shape::TriangleMesh(mesh) => {
            return (0..mesh.mesh().triangles().len()).map(|t| mesh.mesh().triangle_points(t)).collect();
        }
        Shape::Heightfield(field) => field.to_soup().unwrap(),
        Shape::Box(cuboid) => generate::cuboid(2.0 * cuboid.half_extents()).unwrap(),
        Shape::Cylinder(s) => generate::cylinder(s.radius(), 2.0 * s.half_height(), 48).unwrap(),
        Shape::Cone(s) => generate::cone(s.radius(), 2.0 * s.half_height(), 48).unwrap(),
        Shape::Sphere(s) => generate::ico_sphere(s.radius(), 3).unwrap(),
        Shape::Capsule(s) => generate::capsule(s.radius(), 2.0 * s.half_height(), 32, 8).unwrap(),
        _ => return Vec::new(),
    };
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
    (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect()
}

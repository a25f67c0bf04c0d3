//! Planes between two shapes for a whole motion: proofs that cost passes over corners.
//!
//! The plane has the normal `n(t)` in the frame of the second shape; it turns evenly by the angle `a` over `t` in [0, 1], so that it can follow an edge of
//! either shape. A point of the first shape, `p(t)` in that frame, is above a point `q` of the second by `f(t) = n(t) . (p(t) - q)`. With constant shift
//! and turn of both bodies
//!
//! ```text
//! |p'|  <= |u| + wa ra + wb D = V              |f''| <= K + 2 a V + a^2 |p - q|
//! |p''| <= (wa^2 + va) ra + 2 wb (|u| + wa ra) + (wb^2 + vb) D = K
//! ```
//!
//! where `wa, wb` are the turns without those about axes of symmetry, `va, vb` what the axes of such turns add (0 without symmetry), `u` the relative shift, `ra` the radius of the first shape about its centre of mass and `D` how far its points get from
//! the second centre. A function with such a second derivative stays within an eighth of it from its chord, so heights at both ends prove the gap in
//! between; where a way is cut into m pieces, an eighth of a part in m squared. Most contacts of convex parts are proven like this; what is interlocked is left to the sweep.
//!
//! One plane may separate all of both shapes. Where one of them is a surface, ground for example, each triangle that the other can reach has a plane of its
//! own, and a few planes do for all of them.

use std::sync::Arc;

use glam::DVec3;
use prall_detection::{Boundary, Workspace};
use prall_geometry::{Aabb, Shape};
use prall_math::{Norm, Pose, Twist};

use super::body::{SolidBody, SolidShape};

/// A shape with more corners than these is only the surface in such a proof, never what moves over it.
const MAX_CORNERS: usize = 1000;
/// More triangles in reach than these are left to the sweep.
const MAX_TRIANGLES: usize = 200;
/// Triangles whose own planes are tried.
const MAX_OWN_PLANES: usize = 12;
/// Gaps are proven up to this many guards.
const REACH: f64 = 4.0;

/// Points whose hull, thickened by a radius, contains a shape.
#[derive(Clone, Debug)]
pub(crate) struct Corners {
    /// In the shape's frame.
    pub(crate) points: Arc<[DVec3]>,
    /// In m.
    pub(crate) radius: f64,
    /// A cylinder or cone instead of points.
    turned: Option<Shape>,
}

impl Corners {
    /// Of a shape; none for shapes without corners, and for those with too many.
    pub(crate) fn of(shape: &Shape) -> Option<Corners> {
        let sharp = |points: Vec<DVec3>| Some(Corners { points: points.into(), radius: 0.0, turned: None });
        let round =
            |points: Vec<DVec3>, radius: f64| Some(Corners { points: points.into(), radius, turned: None });
        match shape {
            Shape::Sphere(sphere) => round(vec![DVec3::ZERO], sphere.radius()),
            Shape::Capsule(capsule) => {
                let up = DVec3::Y * capsule.half_height();
                round(vec![up, -up], capsule.radius())
            }
            Shape::Cylinder(_) | Shape::Cone(_) => {
                Some(Corners { points: [].into(), radius: 0.0, turned: Some(shape.clone()) })
            }
            Shape::Box(cuboid) => {
                let half = cuboid.half_extents();
                let sign = |bit: usize, number: usize| if number >> bit & 1 == 0 { -1.0 } else { 1.0 };
                let corner = |number| half * DVec3::new(sign(0, number), sign(1, number), sign(2, number));
                sharp((0..8).map(corner).collect())
            }
            Shape::ConvexHull(hull) => sharp(hull.vertices().to_vec()),
            Shape::TriangleMesh(mesh) => {
                let points = mesh.mesh().positions();
                if points.len() <= MAX_CORNERS { sharp(points.to_vec()) } else { None }
            }
            _ => None,
        }
    }

    /// Least component of its points along a direction of the shape's frame, in m.
    fn lowest(&self, direction: DVec3) -> f64 {
        match &self.turned {
            Some(Shape::Cylinder(cylinder)) => direction.dot(cylinder.support(-direction)),
            Some(Shape::Cone(cone)) => direction.dot(cone.support(-direction)),
            _ => self.points.iter().fold(f64::INFINITY, |least, point| least.min(direction.dot(*point))),
        }
    }
}

/// A shape on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving<'a> {
    pub(super) shape: &'a SolidShape<'a>,
    pub(super) body: &'a SolidBody,
    pub(super) way: &'a Twist,
}

/// A plane's unit normal at the start and at the end of the way; it turns evenly in between.
pub(super) type TurningNormal = [DVec3; 2];

/// What planes prove of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Proof {
    /// A gap in m that is kept all the time.
    Kept(f64),
    /// The gap is there at both ends, but the way may bend too much in between: shorter pieces may prove it.
    Bent,
    /// No plane that was tried has the gap even there.
    Crossed,
}

/// Most pieces that a way is cut into.
const MAX_PIECES: usize = 4;
const MOMENTS: usize = MAX_PIECES + 1;

/// The way of a shape with corners as another shape sees it, at the ends of its pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage<'a> {
    first: &'a SolidShape<'a>,
    corners: &'a Corners,
    pieces: usize,
    /// From the first shape's frame to the second's, and from that to the world, at each moment.
    poses: [Pose; MOMENTS],
    second: [Pose; MOMENTS],
    /// Of all points of the first shape, as the second sees them: the largest speed, in m a part, and second derivative.
    speed: f64,
    curvature: f64,
    /// What rounding does to heights, in m.
    rounding: f64,
    /// Centre of mass of the first body in the second shape's frame at the start.
    centre: DVec3,
}

impl<'a> Passage<'a> {
    /// A way cut into `pieces` (1, 2 or 4) of equal time; none if the first shape has no corners.
    pub(super) fn new(first: &Moving<'a>, second: &Moving<'a>, pieces: usize) -> Option<Passage<'a>> {
        let corners = first.shape.corners?;
        let [turn_a, turn_b] = [first, second].map(|side| side.body.turn(side.way));
        let [rate_a, rate_b] = [first, second].map(|side| side.body.turn_rate(side.way));
        let shift = (first.way.linear - second.way.linear).norm();
        let apart = (first.body.pose.translation - second.body.pose.translation).norm();
        let reach = apart + shift + first.shape.radius;
        let own_speed = shift + turn_a * first.shape.radius;
        let own_curvature = (turn_a * turn_a + rate_a) * first.shape.radius;
        // Some hundred operations on these lengths.
        let places = first.body.pose.translation.norm() + second.body.pose.translation.norm();
        let mut passage = Passage {
            first: first.shape,
            corners,
            pieces,
            poses: [Pose::IDENTITY; MOMENTS],
            second: [Pose::IDENTITY; MOMENTS],
            speed: own_speed + turn_b * reach,
            curvature: own_curvature + 2.0 * turn_b * own_speed + (turn_b * turn_b + rate_b) * reach,
            rounding: 256.0 * f64::EPSILON * (reach + second.shape.radius + places),
            centre: DVec3::ZERO,
        };
        for moment in 0..=pieces {
            let share = moment as f64 / pieces as f64;
            let surface = |side: &Moving<'_>| side.body.moved_surface(side.way, share) * side.shape.pose;
            let [a, b] = [surface(first), surface(second)];
            (passage.poses[moment], passage.second[moment]) = (b.inverse() * a, b);
        }
        passage.centre = passage.second[0].inverse_transform_point(first.body.pose.translation);
        Some(passage)
    }

    /// A normal in the second shape's frame at each moment, from one in that frame at both ends.
    fn turning(&self, [start, end]: TurningNormal) -> [DVec3; MOMENTS] {
        let mut normals = [start; MOMENTS];
        normals[self.pieces] = end;
        // Half of an even turn is at the middle of the two normals.
        let mut width = self.pieces;
        while width > 1 {
            for first in (0..self.pieces).step_by(width) {
                normals[first + width / 2] = (normals[first] + normals[first + width]).unit_or(DVec3::ZERO);
            }
            width /= 2;
        }
        normals
    }

    /// A normal in the second shape's frame, from one in the world.
    fn seen(&self, [start, end]: &TurningNormal) -> TurningNormal {
        let last = &self.second[self.pieces];
        [self.second[0].inverse_transform_vector(*start), last.inverse_transform_vector(*end)]
    }

    /// Least height of the first shape along a normal of the second shape's frame, at each moment.
    fn lowest(&self, normals: &[DVec3; MOMENTS]) -> [f64; MOMENTS] {
        let mut lowest = [f64::INFINITY; MOMENTS];
        for ((lowest, pose), n) in lowest.iter_mut().zip(&self.poses).zip(normals).take(self.pieces + 1) {
            // n . (R p + s) = (R' n) . p + n . s
            *lowest = self.corners.lowest(pose.inverse_transform_vector(*n)) + n.dot(pose.translation);
        }
        lowest
    }

    /// Whether points of the first shape with these least heights over points of the second, of which no two are farther apart than `far`, and a
    /// plane with this normal keep a gap of `guard`.
    fn proof(&self, normal: &TurningNormal, least: f64, far: f64, guard: f64) -> Proof {
        let least = least - self.corners.radius - self.rounding;
        // Written so that NaN proves nothing.
        if !(least >= guard) {
            return Proof::Crossed;
        }
        let chord = (normal[1] - normal[0]).norm();
        // The angle is at most a third of pi times its chord as long as that is below 1; a little more is taken.
        if !(chord < 1.0) {
            return Proof::Bent;
        }
        let turn = 1.05 * chord;
        let curvature = self.curvature + 2.0 * turn * self.speed + turn * turn * far;
        let kept = least - curvature / (8 * self.pieces * self.pieces) as f64;
        if kept >= guard { Proof::Kept(kept) } else { Proof::Bent }
    }

    /// Whether two shapes keep a gap of `guard` on their ways because a plane with this normal (from the second to the first, in the world) lies
    /// between them.
    pub(super) fn gap_over_plane(
        &self,
        second: &SolidShape<'_>,
        normal: &TurningNormal,
        guard: f64,
    ) -> Proof {
        let Some(corners) = second.corners else { return Proof::Crossed };
        let normal = self.seen(normal);
        let normals = self.turning(normal);
        let heights = self.lowest(&normals).into_iter().zip(normals).take(self.pieces + 1);
        let least = heights
            .map(|(lowest, n)| lowest + corners.lowest(-n) - corners.radius)
            .fold(f64::INFINITY, f64::min);
        let radii = self.first.radius + second.radius + second.pose.translation.norm();
        self.proof(&normal, least, self.centre.norm() + self.speed + radii, guard)
    }

    /// A box of the second shape's frame around everything that the first shape goes through.
    fn room(&self) -> Aabb {
        let bounds = &self.first.bounds;
        let placed = |pose: &Pose| {
            let centre = pose.transform_point(bounds.center());
            let (matrix, half) = (pose.rotation_matrix(), bounds.half_extents());
            let half =
                matrix.x_axis.abs() * half.x + matrix.y_axis.abs() * half.y + matrix.z_axis.abs() * half.z;
            Aabb::from_center(centre, half)
        };
        let ends = placed(&self.poses[0]).union(&placed(&self.poses[self.pieces]));
        ends.grown(self.curvature / 8.0 + self.rounding)
    }

    /// Whether the first shape keeps a gap of `guard` to a surface on its way because each triangle in reach has a plane in front of it. `normals` (from the surface to the first shape, in the world) are tried first, then those of the
    /// triangles themselves and those of nearest points.
    pub(super) fn gap_over_surface(
        &self,
        surface: &Boundary,
        normals: impl Iterator<Item = TurningNormal>,
        guard: f64,
        memory: &mut PlaneMemory,
    ) -> Proof {
        // What lies outside of this room is farther than what can be proven inside.
        let reach = REACH * guard;
        let PlaneMemory { workspace, found, open } = memory;
        if !surface.triangles_in(&self.room().grown(reach), MAX_TRIANGLES, workspace, found) {
            return Proof::Crossed;
        }
        open.clear();
        open.extend(found.iter().map(|corners| Tile { corners: *corners, bent: false }));
        let mut kept = reach;
        // Leaves the triangles that a plane does not prove.
        let mut prove = |normal: &TurningNormal, open: &mut Vec<Tile>| {
            let normals = self.turning(*normal);
            let lowest = self.lowest(&normals);
            open.retain_mut(|Tile { corners, bent }| {
                let top = |n: &DVec3| corners.iter().fold(f64::NEG_INFINITY, |top, p| top.max(n.dot(*p)));
                let heights = lowest.iter().zip(&normals).take(self.pieces + 1);
                let least = heights.map(|(lowest, n)| lowest - top(n)).fold(f64::INFINITY, f64::min);
                let far = corners.iter().fold(0.0_f64, |far, p| far.max((*p - self.centre).norm()));
                let proof = self.proof(normal, least, far + self.first.radius + self.speed, guard);
                if let Proof::Kept(gap) = proof {
                    kept = kept.min(gap);
                    return false;
                }
                *bent |= proof == Proof::Bent;
                true
            });
        };
        for normal in normals {
            if open.is_empty() {
                break;
            }
            prove(&self.seen(&normal), open);
        }
        let middle = self.poses[0].transform_point(self.first.bounds.center());
        for tries in 0.. {
            let Some(&Tile { corners, .. }) = open.last() else { break };
            let left = open.len();
            let [a, b, c] = corners;
            let own = (b - a).cross(c - a).unit_or(DVec3::ZERO);
            prove(&[if own.dot(middle - a) < 0.0 { -own } else { own }; 2], open);
            let nearest = |moment: usize| self.first.touchable.normal_from(&self.poses[moment], &corners);
            if open.len() == left
                && let (Some(start), Some(end)) = (nearest(0), nearest(self.pieces))
            {
                prove(&[start, end], open);
            }
            if open.len() == left || tries >= MAX_OWN_PLANES {
                return if open.last().is_some_and(|tile| tile.bent) { Proof::Bent } else { Proof::Crossed };
            }
        }
        Proof::Kept(kept)
    }
}

/// A triangle that no plane has proven yet; `bent` if one would but for how the way bends.
#[derive(Clone, Copy, Debug)]
struct Tile {
    corners: [DVec3; 3],
    bent: bool,
}

/// Memory of proofs by planes, without influence on their results.
#[derive(Default)]
pub(crate) struct PlaneMemory {
    workspace: Workspace,
    found: Vec<[DVec3; 3]>,
    open: Vec<Tile>,
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use glam::{DMat3, DQuat};
    use prall_detection::{DistanceOptions, Filter, Hierarchy, Touchable, distance};
    use prall_geometry::{Mesh, MeshOptions, PolygonSoup, TriangleMesh};
    use prall_mechanics::Material;

    use super::*;
    use crate::flight::Rotor;
    use crate::solid::body::Roundness;

    /// A shape with everything that a proof asks of it.
    struct Made {
        shape: Shape,
        touchable: Touchable,
        boundary: Boundary,
        corners: Option<Corners>,
    }

    impl Made {
        fn new(shape: Shape) -> Made {
            let touchable = Touchable::new(&shape).unwrap();
            let (boundary, corners) = (Boundary::of(&touchable).unwrap(), Corners::of(&shape));
            Made { shape, touchable, boundary, corners }
        }

        fn placed(&self) -> SolidShape<'_> {
            let bounds = self.shape.aabb(&Pose::IDENTITY);
            SolidShape {
                body: 0,
                slot: 0,
                pose: Pose::IDENTITY,
                boundary: &self.boundary,
                touchable: &self.touchable,
                corners: self.corners.as_ref(),
                material: Material::default(),
                filter: Filter::default(),
                bounds,
                radius: self.shape.bounding_sphere().map_or(0.0, |s| s.center.norm() + s.radius),
                size: 2.0 * bounds.half_extents().max_element(),
            }
        }
    }

    fn body(pose: Pose) -> SolidBody {
        SolidBody {
            index: 0,
            link: None,
            pose,
            velocity: Twist::ZERO,
            spin: DVec3::ZERO,
            mass: 1.0,
            rotor: Rotor::new(DMat3::IDENTITY, DMat3::IDENTITY),
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            locked: [false; 6],
            radius: 1.0,
            size: 1.0,
            round: Roundness::None,
            jointed: false,
            touching: true,
            bent: false,
            was_stopped: false,
        }
    }

    fn mesh_of(soup: &PolygonSoup) -> Shape {
        let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
        Shape::TriangleMesh(TriangleMesh::new(mesh.into()).unwrap().into())
    }

    /// Hills of 800 triangles.
    fn hills() -> Shape {
        let side = 20;
        let place = |x: usize, z: usize| {
            let (u, v) = (0.5 * x as f64 - 5.0, 0.5 * z as f64 - 5.0);
            DVec3::new(u, 0.3 * libm::sin(2.0 * u) * libm::cos(1.5 * v), v)
        };
        let positions = (0..=side).flat_map(|x| (0..=side).map(move |z| place(x, z))).collect();
        let at = |x: usize, z: usize| (x * (side + 1) + z) as u32;
        let cell = |x: usize, z: usize| {
            [[at(x, z), at(x, z + 1), at(x + 1, z + 1)], [at(x, z), at(x + 1, z + 1), at(x + 1, z)]]
        };
        let triangles: Vec<[u32; 3]> =
            (0..side).flat_map(|x| (0..side).flat_map(move |z| cell(x, z))).collect();
        mesh_of(&PolygonSoup::from_triangles(positions, &triangles).unwrap())
    }

    /// A gap that planes prove is never larger than the distance of the two at any of forty moments of the way, found triangle by triangle; and what
    /// comes no nearer than a few guards is mostly proven.
    #[test]
    fn gaps_over_surfaces_are_never_larger_than_the_distance() {
        let ground = Made::new(hills());
        let boxes = prall_geometry::generate::cuboid(DVec3::new(0.6, 0.4, 0.3)).unwrap();
        let brick = Made::new(mesh_of(&boxes));
        let hierarchy = |made: &Made| match &made.shape {
            Shape::TriangleMesh(mesh) => Hierarchy::of_mesh(mesh.mesh(), &Default::default()).unwrap(),
            _ => panic!("a mesh"),
        };
        let trees = [hierarchy(&brick), hierarchy(&ground)];
        // So large that a gap proven too large is soon larger than the distance.
        let (guard, mut memory, mut workspace) = (0.02, PlaneMemory::default(), Workspace::new());
        let mut seed = 7_u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut proven, mut provable) = (0, 0);
        for case in 0..1000_u32 {
            let mut direction =
                || DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5).unit_or(DVec3::X);
            let (axis, way, turn) = (direction(), direction(), direction());
            let place = DVec3::new(6.0 * random() - 3.0, 0.1 + 0.5 * random(), 6.0 * random() - 3.0);
            let start = body(Pose::new(DQuat::from_axis_angle(axis, TAU * random()), place));
            let still = body(Pose::new(
                DQuat::from_axis_angle(turn, 0.3 * random()),
                DVec3::new(random(), 0.0, random()),
            ));
            let ways = [
                Twist::new(way * 0.1 * random(), turn * 1.2 * random()),
                // Every third ground moves too.
                Twist::new(turn, way) * (0.05 * random() * f64::from(case % 2)),
            ];
            let (shape, surface) = (brick.placed(), ground.placed());
            let first = Moving { shape: &shape, body: &start, way: &ways[0] };
            let second = Moving { shape: &surface, body: &still, way: &ways[1] };
            let passage = Passage::new(&first, &second, if case % 2 == 0 { 1 } else { 4 }).unwrap();
            let kept =
                passage.gap_over_surface(&ground.boundary, [[DVec3::Y; 2]].into_iter(), guard, &mut memory);
            let least = (0..=40)
                .map(|moment| {
                    let share = f64::from(moment) / 40.0;
                    let poses = [start.moved(&ways[0], share), still.moved(&ways[1], share)];
                    let options = DistanceOptions::default();
                    let [a, b] = &trees;
                    let found = distance(a, &poses[0], b, &poses[1], &options, &mut workspace).unwrap();
                    found.map_or(f64::INFINITY, |found| found.gap)
                })
                .fold(f64::INFINITY, f64::min);
            if let Proof::Kept(kept) = kept {
                assert!((guard..=least).contains(&kept), "case {case}: {kept} m proven, {least} m apart");
                proven += 1;
            }
            provable += usize::from(least > 0.1);
        }
        println!("{proven} of {provable} with room");
        assert!(provable > 100 && proven > provable * 8 / 10, "{proven} of {provable} with room");
    }
}

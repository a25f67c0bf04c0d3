//! Where trees shall grow.

use glam::{DQuat, DVec3};
use prall_geometry::Aabb;
use prall_math::{Norm, Pose, rotation};

use super::Planner;
use crate::error::HandlingError;
use crate::held::Held;
use crate::random::Random;

/// Of all samples: towards a root of the other tree, from a node of the tree somewhere near it, and with the orientation of a node.
const TOWARDS_ROOT: f64 = 0.1;
const NEAR_A_NODE: f64 = 0.6;
const ORIENTED: f64 = 0.15;
/// Of so many nodes the one least tried is taken: trees grow where they are young.
const CHOICE: usize = 6;
/// Share of samples that are near start and goals.
const CLOSE_BY: f64 = 0.75;
/// Farthest way of a sample near a node, in radii of the part.
const NEAR: f64 = 2.0;

/// Where the reference point is looked for.
pub(super) struct Region {
    /// Around start and goals, and around what stands there.
    close: (DVec3, DVec3),
    wide: (DVec3, DVec3),
}

impl Region {
    /// Around the start, the goals, and what stands near them.
    pub(super) fn new(held: &Held, start: &Pose, goals: &[Pose]) -> Region {
        let points = goals.iter().chain([start]).map(|pose| pose.transform_point(held.reference()));
        let (low, high) =
            points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let (low, high) = (low - 2.0 * held.radius, high + 2.0 * held.radius);
        // A way round an obstacle is a way through its bounds or close by them, unless they are much larger than everything else.
        let size = (high - low).max_element();
        let (mut lowest, mut highest) = (low, high);
        for bounds in held.obstacles.iter().filter_map(crate::Obstacle::world_bounds) {
            lowest = lowest.min(bounds.min - 1.5 * held.radius);
            highest = highest.max(bounds.max + 1.5 * held.radius);
        }
        let wide = (lowest.max(low - 2.0 * size), highest.min(high + 2.0 * size));
        Region { close: (low, high), wide }
    }
}

/// Poses beyond the bounds of all obstacles, in the orientation of the start: the centre in 26 directions.
pub(super) fn outside(held: &Held, start: &Pose) -> Result<Vec<Pose>, HandlingError> {
    let mut all: Option<Aabb> = None;
    for obstacle in &held.obstacles {
        let bounds = obstacle
            .world_bounds()
            .ok_or_else(|| HandlingError::NoOutside { name: obstacle.name().to_owned() })?;
        all = Some(all.map_or(bounds, |known| known.union(&bounds)));
    }
    let Some(all) = all else { return Ok(vec![*start]) };
    let far = all.half_extents().norm() + 1.1 * held.radius;
    let mut poses = Vec::new();
    // Straight ways first, oblique ones last.
    for kind in 1..=3 {
        for index in 0..27 {
            let steps = [index / 9 - 1, index / 3 % 3 - 1, index % 3 - 1];
            if steps.iter().map(|step| step * step).sum::<i32>() != kind {
                continue;
            }
            let direction = DVec3::from(steps.map(f64::from));
            let centre = all.center() + direction * (far / direction.norm());
            poses.push(Pose::new(start.rotation, centre - start.rotation * held.reference()));
        }
    }
    Ok(poses)
}

/// Any orientation, all alike (Shoemake 1992).
fn orientation(random: &mut Random) -> DQuat {
    let (u, v, w) = (random.unit(), random.unit(), random.unit());
    let ((s1, c1), (s2, c2)) =
        (libm::sincos(std::f64::consts::TAU * v), libm::sincos(std::f64::consts::TAU * w));
    let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
    DQuat::from_xyzw(a * s1, a * c1, b * s2, b * c2).normalize()
}

/// A vector in a ball of radius 1.
fn in_ball(random: &mut Random) -> DVec3 {
    loop {
        let v = DVec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        if v.length_squared() <= 1.0 {
            return v;
        }
    }
}

impl Planner {
    /// A node of a tree and a pose that it shall grow towards.
    pub(super) fn sample(&mut self, tree: usize) -> (usize, Pose) {
        let reference = self.held.reference();
        let kind = self.random.unit();
        if kind < TOWARDS_ROOT {
            let roots = self.trees[1 - tree].root_count();
            let root = ((self.random.unit() * roots as f64) as usize).min(roots - 1);
            let target = self.trees[1 - tree].pose(root);
            return (self.nearest(tree, &target), target);
        }
        let count = self.trees[tree].len();
        let some: [usize; CHOICE] =
            std::array::from_fn(|_| ((self.random.unit() * count as f64) as usize).min(count - 1));
        let any = self.trees[tree].least_tried(some.into_iter());
        if kind < TOWARDS_ROOT + NEAR_A_NODE {
            let from = self.trees[tree].pose(any);
            let size = NEAR * self.held.radius * self.random.unit();
            // Shifts, turns, or both: narrow passages often allow only one of them.
            let what = self.random.unit();
            let shift = if what < 0.3 { DVec3::ZERO } else { in_ball(&mut self.random) * size };
            let turn = if what > 0.7 { DVec3::ZERO } else { in_ball(&mut self.random) };
            let turn = turn * (size / self.held.gyration()).min(std::f64::consts::PI);
            let rotation = (rotation::exp(turn) * from.rotation).normalize();
            let centre = from.transform_point(reference) + shift;
            return (any, Pose::new(rotation, centre - rotation * reference));
        }
        let rotation = if kind < TOWARDS_ROOT + NEAR_A_NODE + ORIENTED {
            self.trees[tree].pose(any).rotation
        } else {
            orientation(&mut self.random)
        };
        let share = DVec3::new(self.random.unit(), self.random.unit(), self.random.unit());
        let close = self.random.unit() < CLOSE_BY;
        let (low, high) = if close { self.region.close } else { self.region.wide };
        let centre = low + (high - low) * share;
        let target = Pose::new(rotation, centre - rotation * reference);
        (self.nearest(tree, &target), target)
    }
}

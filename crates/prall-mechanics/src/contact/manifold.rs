//! This step's manifolds as they were given, and the impulses of the last step by which they are known again.

use glam::DVec3;
use prall_detection::ContactPoint;
use serde::{Deserialize, Serialize};

use super::Side;
use crate::ContactLaw;

/// A point that has lost its name takes over the percussion of the nearest old point within this part of the
/// manifold's size: less than half the distance of two neighbours on any polygon of up to eight corners.
const NEAR: f64 = 0.2;

/// A manifold as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifold {
    pub key: u64,
    pub a: Side,
    pub b: Side,
    pub normal: DVec3,
    pub law: ContactLaw,
    pub first: u32,
    pub count: u32,
    /// Moment over time that resists rolling and turning, on A, in the world.
    pub moment: DVec3,
}

impl Manifold {
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A point as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PointData {
    /// Half-way between the two bodies.
    pub place: DVec3,
    pub gap: f64,
    /// Which features touch.
    pub name: u64,
    /// Percussion on A, in the world, in N s.
    pub impulse: DVec3,
    /// The part of it that the next step may start from: none after a rebound.
    pub lasting: DVec3,
    /// This very point, known by its name, bore lasting load in the last step.
    pub loaded: bool,
    /// When it rebounded in the last step, from its start, in s.
    pub rebound: Option<f64>,
}

/// Manifolds and their points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Set {
    pub manifolds: Vec<Manifold>,
    pub points: Vec<PointData>,
}

impl Set {
    fn clear(&mut self) {
        self.manifolds.clear();
        self.points.clear();
    }
}

/// The manifolds of the last step, to be found by key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Memory {
    set: Set,
    /// Key and index, sorted.
    order: Vec<(u64, u32)>,
    /// Where the next key is expected: manifolds usually come in the same order again.
    cursor: usize,
}

impl Memory {
    /// Keeps what `set` holds and leaves it empty.
    pub(super) fn take_over(&mut self, set: &mut Set) {
        std::mem::swap(&mut self.set, set);
        set.clear();
        self.order.clear();
        self.order.extend((0_u32..).zip(&self.set.manifolds).map(|(i, m)| (m.key, i)));
        self.order.sort_unstable();
        self.cursor = 0;
    }

    /// Where the old manifolds of a key are in the order.
    fn find(&mut self, key: u64) -> std::ops::Range<usize> {
        if self.order.get(self.cursor).is_none_or(|&(k, _)| k != key) {
            self.cursor = self.order.partition_point(|&(k, _)| k < key);
        }
        let start = self.cursor;
        let count = self.order[start..].iter().take_while(|&&(k, _)| k == key).count();
        self.cursor = start + count;
        start..start + count
    }

    /// Copies the old manifolds of a key.
    pub(super) fn repeat(&mut self, key: u64, set: &mut Set) {
        let found = self.find(key);
        for &(_, index) in &self.order[found] {
            let old = self.set.manifolds[index as usize];
            let first = set.points.len() as u32;
            set.points.extend_from_slice(&self.set.points[old.range()]);
            set.manifolds.push(Manifold { first, ..old });
        }
    }

    /// Gives the new points of a key the percussions of the old ones, and returns the moment of their manifold.
    pub(super) fn recall(&mut self, key: u64, points: &mut [PointData]) -> DVec3 {
        // Several manifolds of one pair look through the same old ones: the cursor must not have passed them.
        if self.cursor > 0 && self.order[self.cursor - 1].0 == key {
            self.cursor = self.order.partition_point(|&(k, _)| k < key);
        }
        let found = self.find(key);
        let old = &self.order[found];
        if old.is_empty() {
            return DVec3::ZERO;
        }
        let set = &self.set;
        let olds = || old.iter().flat_map(|&(_, i)| &set.points[set.manifolds[i as usize].range()]);
        let size = extent(points);
        for index in 0..points.len() {
            let point = points[index];
            if let Some(same) = olds().find(|o| o.name == point.name) {
                (points[index].impulse, points[index].lasting) = (same.impulse, same.lasting);
                points[index].loaded = same.loaded;
                continue;
            }
            let taken = |o: &PointData| points.iter().any(|p| p.name == o.name);
            let near = olds()
                .filter(|o| o.place.distance_squared(point.place) < NEAR * NEAR * size && !taken(o))
                .min_by(|p, q| {
                    p.place.distance_squared(point.place).total_cmp(&q.place.distance_squared(point.place))
                });
            if let Some(near) = near {
                (points[index].impulse, points[index].lasting) = (near.impulse, near.lasting);
            }
        }
        if old.len() == 1 { set.manifolds[old[0].1 as usize].moment } else { DVec3::ZERO }
    }
}

/// Largest squared distance of a point from the first one.
fn extent(points: &[PointData]) -> f64 {
    points.iter().map(|p| p.place.distance_squared(points[0].place)).fold(0.0, f64::max)
}

impl PointData {
    pub(super) fn new(point: &ContactPoint) -> PointData {
        PointData {
            place: point.midpoint(),
            gap: point.gap,
            name: point.features.id(),
            impulse: DVec3::ZERO,
            lasting: DVec3::ZERO,
            loaded: false,
            rebound: None,
        }
    }
}

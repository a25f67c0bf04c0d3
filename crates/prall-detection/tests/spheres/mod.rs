//! A pair test simple enough to be right: spheres, by conservative advancement.

use glam::DVec3;
use prall_detection::{Budget, Encounter, MovingPair, ObjectId, PairTest, QueryError};
use prall_math::Pose;

/// Gap in metres at which spheres count as touching.
pub(crate) const TOLERANCE: f64 = 1e-6;

/// One sphere for each object, fixed to it: centre in its coordinates and radius.
#[derive(Default)]
pub(crate) struct Spheres {
    spheres: Vec<(DVec3, f64)>,
}

/// Time reached, and the gap that must stay.
pub(crate) struct Advance {
    time: f64,
    guard: f64,
}

impl Spheres {
    pub(crate) fn set(&mut self, object: ObjectId, center: DVec3, radius: f64) {
        self.spheres.resize(self.spheres.len().max(object.slot() + 1), (DVec3::ZERO, 0.0));
        self.spheres[object.slot()] = (center, radius);
    }

    pub(crate) fn get(&self, object: ObjectId) -> (DVec3, f64) {
        self.spheres[object.slot()]
    }

    pub(crate) fn gap(&self, objects: [ObjectId; 2], poses: [Pose; 2]) -> f64 {
        let [(a, radius_a), (b, radius_b)] = objects.map(|object| self.get(object));
        poses[0].transform_point(a).distance(poses[1].transform_point(b)) - radius_a - radius_b
    }

    fn gap_at(&self, pair: &MovingPair<'_>, t: f64) -> f64 {
        self.gap(pair.objects, pair.motions.map(|motion| motion.pose(t)))
    }
}

impl PairTest for Spheres {
    type Contact = f64;
    type Search = Advance;

    /// Whoever starts closer than the tolerance need only keep half of the gap there is, so that it can leave.
    fn begin(&mut self, pair: &MovingPair<'_>) -> Result<Advance, QueryError> {
        let guard = 0.5 * self.gap_at(pair, pair.from).min(TOLERANCE);
        Ok(Advance { time: pair.from, guard })
    }

    /// While the gap is g and nothing approaches faster than v, nothing touches for g / v.
    fn advance(&mut self, pair: &MovingPair<'_>, at: &mut Advance, budget: &mut Budget) -> Encounter<f64> {
        while budget.take() {
            let gap = self.gap_at(pair, at.time);
            if gap <= 1.5 * at.guard || at.guard <= 0.0 {
                return Encounter { free_until: at.time, contact: Some(at.time), finished: true };
            }
            if at.time >= 1.0 {
                return Encounter { free_until: 1.0, contact: None, finished: true };
            }
            let speed = |side: usize| {
                let reach = self.get(pair.objects[side]).0.length();
                pair.motions[side].speed_bound(reach, at.time, 1.0)
            };
            // The quotient rounds; a billionth of it is more than enough.
            at.time = (at.time + (1.0 - 1e-9) * (gap - at.guard) / (speed(0) + speed(1))).min(1.0);
        }
        Encounter { free_until: at.time, contact: None, finished: false }
    }
}

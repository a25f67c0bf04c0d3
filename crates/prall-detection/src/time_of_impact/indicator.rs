//! What a search that was cut short expects: the indicator pair (Eckstein 1998, chapter 8).
//!
//! Of the pairs of boxes that are not proven apart at the present time, the one with the smallest errors says most about
//! where contact will be. Its boxes are advanced towards each other as if they were the bodies. Printed, that time is the
//! answer, and may be too late or too early; here it is an [`Estimate`], beside what is proven, and comes with a bound
//! that holds whatever the indicator is worth: where the boxes share a point, the bodies are no farther apart than the
//! sum of their errors.

use glam::DVec3;
use prall_math::{Norm, Pose};

use super::search::ImpactSearch;
use crate::box_errors::BoxErrors;
use crate::distance::contact_point;
use crate::hierarchy::Hierarchy;
use crate::overlap_search::box_distance;
use crate::placement::Placement;
use crate::step_control::Estimate;
use crate::time_queue::{Item, Pending};
use crate::triangle::triangle_distance;

/// Pairs of the present time that are looked at for the best, the latest first: those that were opened deepest.
const CANDIDATES: usize = 64;

/// Steps towards each other: each covers most of the way that is left.
const STEPS: usize = 32;

impl ImpactSearch {
    /// What to expect after the time that is proven; none if the search is finished, or the boxes do not meet.
    pub(crate) fn estimate(&self, bodies: [&Hierarchy; 2], errors: [&BoxErrors; 2]) -> Option<Estimate> {
        let (bodies, errors) =
            if self.swapped { ([bodies[1], bodies[0]], [errors[1], errors[0]]) } else { (bodies, errors) };
        let error = |body: usize, item: Item| match item {
            Item::Node(node) => errors[body].of(node),
            Item::Triangle(_) => 0.0,
        };
        let candidates = self.queue.due_now().iter().rev().take(CANDIDATES);
        let rated = candidates.map(|pending| (error(0, pending.a) + error(1, pending.b), *pending));
        let (sum, pair) = rated.min_by(|p, q| p.0.total_cmp(&q.0))?;
        // As in the search: no point of this part of A is faster.
        let (centre, radius) = ball(bodies[0], pair.a);
        let bounds = &self.snapshot.bounds;
        let rate = bounds.rate + bounds.rate_per_arm * (self.snapshot.in_a.arm(centre).norm() + radius);
        let near = self.tolerance + 1e-3 * sum + self.thickness;
        let mut clock = self.clock;
        let mut apart = Apart::new(bodies, &pair, self.motion.poses(clock))?;
        for _ in 0..STEPS {
            if apart.distance <= near {
                break;
            }
            clock += (apart.distance - self.thickness) / rate;
            // Written so that NaN ends it.
            if !(clock < 1.0) {
                return None;
            }
            apart = Apart::new(bodies, &pair, self.motion.poses(clock))?;
        }
        Some(Estimate {
            time: self.motion.time(clock),
            gap_at_most: (sum + apart.distance - self.thickness).max(0.0),
            place: apart.place,
            normal: if self.swapped { -apart.normal } else { apart.normal },
        })
    }
}

/// A ball about a part of a body, in its frame.
fn ball(body: &Hierarchy, item: Item) -> (DVec3, f64) {
    match item {
        Item::Node(node) => {
            let node = &body.nodes[node as usize];
            (node.centre, f64::from(node.radius))
        }
        Item::Triangle(slot) => {
            let triangle = body.at_slot(slot);
            (triangle[0], (triangle[1] - triangle[0]).norm().max((triangle[2] - triangle[0]).norm()))
        }
    }
}

/// How two parts of bodies lie to each other in the world.
struct Apart {
    /// At most, in metres.
    distance: f64,
    place: DVec3,
    normal: DVec3,
}

impl Apart {
    fn new(bodies: [&Hierarchy; 2], pair: &Pending, poses: [Pose; 2]) -> Option<Apart> {
        let (distance, on_a, on_b, normal) = match (pair.a, pair.b) {
            (Item::Node(a), Item::Node(b)) => {
                let boxes = [&bodies[0].nodes[a as usize], &bodies[1].nodes[b as usize]];
                let (distance, found) = box_distance(boxes, poses)?;
                (distance, found.on_a, found.on_b, found.normal)
            }
            (Item::Triangle(a), Item::Triangle(b)) => {
                let change = Placement::new(&poses[0], &poses[1]).a_to_b;
                let (a, b) = (change.triangle(bodies[0].at_slot(a)), *bodies[1].at_slot(b));
                let found = contact_point(&triangle_distance(&a, &b), &a, &b, (0, 0), &poses[1]);
                (found.gap, found.on_a, found.on_b, found.normal)
            }
            // Pairs are made of equals only.
            _ => return None,
        };
        Some(Apart { distance, place: 0.5 * (on_a + on_b), normal })
    }
}

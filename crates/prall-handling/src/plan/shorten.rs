//! Shortcuts, and the form in which a way is handed out.

use prall_detection::{Budget, ImpactOptions, shape_time_of_impact};
use prall_math::{Motion, Pose};

use super::Planner;
use crate::error::HandlingError;

/// Shortcuts that are tried in a row without a gain, and in all.
const IN_VAIN: usize = 60;
const TRIES: usize = 400;
/// Halvings of a piece at most, so that its origin goes straight.
const MAX_HALVINGS: usize = 24;

impl Planner {
    /// Replaces detours by straight pieces that are proven free.
    pub(super) fn shorten(&mut self, mut way: Vec<Pose>) -> Result<Vec<Pose>, HandlingError> {
        let (mut vain, mut tries) = (0, 0);
        while way.len() > 2 && vain < IN_VAIN && tries < TRIES {
            tries += 1;
            // Long pieces first, then shorter ones.
            let span = 2 + (self.random.unit() * (way.len() - 2) as f64) as usize;
            let span = span.min(way.len() - 1);
            let first = ((self.random.unit() * (way.len() - span) as f64) as usize).min(way.len() - span - 1);
            let last = first + span;
            let detour: f64 =
                way[first..=last].windows(2).map(|ends| self.distance(&ends[0], &ends[1])).sum();
            vain += 1;
            if self.distance(&way[first], &way[last]) > (1.0 + 1e-9) * detour {
                continue;
            }
            self.held.put(way[first]);
            let twist = self.held.difference(&way[first], &way[last]);
            if self.held.is_free_along(&twist)? {
                way.drain(first + 1..last);
                vain = 0;
            }
        }
        Ok(way)
    }

    /// Cuts pieces until each is proven free with the part's origin, not its reference point, on a straight line.
    pub(super) fn with_origin_on_lines(&mut self, way: &[Pose]) -> Result<Vec<Pose>, HandlingError> {
        let mut proven = vec![way[0]];
        let mut waiting: Vec<(Pose, Pose, usize)> =
            way.windows(2).rev().map(|ends| (ends[0], ends[1], 0)).collect();
        while let Some((from, to, halvings)) = waiting.pop() {
            if self.is_free_with_origin_on_line(&from, &to)? {
                proven.push(to);
                continue;
            }
            if halvings == MAX_HALVINGS {
                return Err(HandlingError::State("a way that was free once is not free again"));
            }
            let middle = Motion::slerp_about(from, to, self.held.reference())?.pose(0.5).normalized();
            waiting.push((middle, to, halvings + 1));
            waiting.push((from, middle, halvings + 1));
        }
        Ok(proven)
    }

    fn is_free_with_origin_on_line(&mut self, from: &Pose, to: &Pose) -> Result<bool, HandlingError> {
        let motion = Motion::slerp(*from, *to)?;
        // What `prall check` asks.
        let options = ImpactOptions { guard: 0.0, relax_at_start: false, ..ImpactOptions::default() };
        let held = &mut self.held;
        for obstacle in &held.obstacles {
            let still = Motion::still(obstacle.pose)?;
            let (a, b) = (held.boundary.touchable(), obstacle.boundary.touchable());
            let (budget, workspace) = (&mut Budget::unlimited(), &mut held.tools.workspace);
            let answer = shape_time_of_impact(a, &motion, b, &still, &options, budget, workspace)?;
            if answer.contact.is_some() || !answer.finished {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

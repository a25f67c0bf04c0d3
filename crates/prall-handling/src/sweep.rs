//! The judge: what the part may do is what the certified time of impact proves free.

use prall_detection::{
    Budget, ContactPoint, ImpactOptions, NearFeature, NearOptions, TimeOfImpact, near_features,
    shape_time_of_impact,
};
use prall_math::{Motion, Norm, Twist};

use crate::error::HandlingError;
use crate::held::Held;

/// Gap in guards that the sweep of a part in contact keeps, and width of its band.
pub(crate) const SWEEP_GUARD: f64 = 0.2;
const SWEEP_TOLERANCE: f64 = 0.05;
/// Pairs of triangles looked at around a hit.
const HIT_PAIRS: usize = 4_000;

/// What the last sweep proved of an obstacle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Swept {
    /// It had to be swept; otherwise its proven gap is enough.
    needed: bool,
    /// Share of the way that is proven free, and the gap in m kept on it.
    free_until: f64,
    kept: f64,
}

/// A hit of a sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    obstacle: usize,
    /// Share of the way.
    time: f64,
    /// None if the budget ended first.
    contact: Option<ContactPoint>,
}

/// A way of the part, and the time that it takes, in s.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) motion: Motion,
    pub(crate) time: f64,
}

impl Held {
    /// How far the part and an obstacle can get from where they are on a share of their ways, in m at most.
    fn displacement(&self, index: usize, way: &Way, share: f64) -> Result<f64, HandlingError> {
        let own = way.motion.displacement_bound(self.origin_radius, 0.0, share);
        let obstacle = &self.obstacles[index];
        if !obstacle.is_moving() {
            return Ok(own);
        }
        Ok(own + obstacle.motion(way.time)?.displacement_bound(obstacle.radius, 0.0, share))
    }

    /// The share of a way that is proven free of all obstacles; hits are filed. Pairs keep `guard` metres, or half of what they have.
    pub(crate) fn sweep(&mut self, way: &Way, guard: f64, budget: &mut Budget) -> Result<f64, HandlingError> {
        let mut swept = std::mem::take(&mut self.tools.swept);
        swept.clear();
        self.tools.hits.clear();
        let mut left = 0_u64;
        for index in 0..self.obstacles.len() {
            let bound = self.displacement(index, way, 1.0)?;
            let known = &self.state.obstacles[index];
            let enough =
                bound <= 0.5 * known.proven || bound + SWEEP_GUARD * self.options.guard <= known.proven;
            let needed = !(known.apart || enough);
            left += u64::from(needed);
            self.report.skipped +=
                usize::from(enough && bound > 0.0 && !known.apart && known.proven < 0.1 * self.radius);
            swept.push(Swept { needed, free_until: 1.0, kept: 0.0 });
        }
        let mut free = 1.0_f64;
        for (index, entry) in swept.iter_mut().enumerate().filter(|(_, entry)| entry.needed) {
            // What is left is shared evenly, so that no obstacle is left unproven.
            let mut lent = budget.lend(budget.remaining() / left);
            left -= 1;
            let answer = self.impact(index, way, guard, &mut lent);
            self.report.work += lent.used();
            budget.take_back(lent);
            let answer = answer?;
            self.report.swept += 1;
            (entry.free_until, entry.kept) = (answer.free_until, answer.kept);
            if answer.contact.is_some() || !answer.finished {
                let contact = answer.contact.map(|(_, contact)| contact);
                let faint = self.is_faint(index);
                // A gap far below the guard may not be halved again and again.
                let time = if faint { 0.0 } else { answer.free_until };
                self.tools.hits.push(Hit { obstacle: index, time: answer.free_until, contact });
                free = free.min(time);
            }
        }
        self.tools.swept = swept;
        Ok(free)
    }

    fn impact(
        &mut self,
        index: usize,
        way: &Way,
        guard: f64,
        budget: &mut Budget,
    ) -> Result<TimeOfImpact, HandlingError> {
        let obstacle = &self.obstacles[index];
        let other = obstacle.motion(way.time)?;
        let tolerance = SWEEP_TOLERANCE * self.options.guard;
        let options = ImpactOptions { guard, tolerance, relax_at_start: true };
        let (a, b) = (self.boundary.touchable(), obstacle.boundary.touchable());
        let workspace = &mut self.tools.workspace;
        Ok(shape_time_of_impact(a, &way.motion, b, &other, &options, budget, workspace)?)
    }

    /// True if an obstacle was far nearer than the guard at the start of the part.
    fn is_faint(&self, index: usize) -> bool {
        let limit = SWEEP_GUARD * self.options.guard;
        self.tools
            .rows
            .iter()
            .any(|row| row.obstacle == index && row.start.gap < limit && row.start.on_features)
    }

    /// The obstacle that the last sweep met first.
    pub(crate) fn first_hit(&self) -> Option<usize> {
        let hits = self.tools.hits.iter();
        hits.min_by(|a, b| a.time.total_cmp(&b.time)).map(|hit| hit.obstacle)
    }

    /// True if the last sweep was cut short by the budget.
    pub(crate) fn is_cut(&self) -> bool {
        self.tools.hits.iter().any(|hit| hit.contact.is_none())
    }

    /// Moves part and obstacles by a share of their ways that was proven; `current` if the last sweep was of this way.
    pub(crate) fn commit(&mut self, way: &Way, share: f64, current: bool) -> Result<(), HandlingError> {
        let turn = way.motion.as_uniform().map_or(0.0, |uniform| uniform.angle);
        for index in 0..self.obstacles.len() {
            let bound = self.displacement(index, way, share)?;
            if bound == 0.0 {
                continue;
            }
            let obstacle = &self.obstacles[index];
            let other_turn = obstacle.velocity.angular.norm() * way.time;
            let size = self.origin_radius
                + self.state.pose.translation.norm()
                + if obstacle.is_moving() { obstacle.pose.translation.norm() } else { 0.0 };
            let rounding = 64.0 * f64::EPSILON * size;
            let known = &mut self.state.obstacles[index];
            let swept = self
                .tools
                .swept
                .get(index)
                .filter(|swept| current && swept.needed && share <= swept.free_until);
            let kept = swept.map_or(0.0, |swept| swept.kept);
            known.proven = ((known.proven - bound).max(kept) - rounding).max(0.0);
            known.list_motion += bound;
            known.list_turn += share * (turn + other_turn);
        }
        self.state.pose = way.motion.pose(share).normalized();
        self.report.way.push(self.state.pose);
        for index in 0..self.obstacles.len() {
            if self.obstacles[index].is_moving() {
                let pose = self.obstacles[index].motion(way.time)?.pose(share).normalized();
                (self.obstacles[index].pose, self.state.obstacles[index].pose) = (pose, pose);
            }
        }
        Ok(())
    }

    /// Adds conditions on what the last sweep hit; false if nothing new is known of it.
    pub(crate) fn join_hits(&mut self, x: &Twist, time: f64) -> Result<bool, HandlingError> {
        let mut joined = false;
        for at in 0..self.tools.hits.len() {
            let hit = self.tools.hits[at];
            if let Some(contact) = hit.contact {
                joined |= self.join(&hit, &contact, x, time)?;
                self.report.hits += 1;
            }
        }
        Ok(joined)
    }

    fn join(
        &mut self,
        hit: &Hit,
        contact: &ContactPoint,
        x: &Twist,
        time: f64,
    ) -> Result<bool, HandlingError> {
        let g = self.options.guard;
        let index = hit.obstacle;
        let (pose, other) = (self.moved(x, hit.time), self.obstacle_after(index, time * hit.time));
        let (end, other_end) = (self.moved(x, 1.0), self.obstacle_after(index, time));
        let options = NearOptions { reach: contact.gap + 2.0 * g, slack: 0.1, max_triangle_pairs: HIT_PAIRS };
        let mut found = std::mem::take(&mut self.tools.found);
        found.clear();
        let (a, b) = (&self.boundary, &self.obstacles[index].boundary);
        let near = near_features(a, &pose, b, &other, &options, &mut self.tools.workspace, &mut found);
        let (mut joined, mut explained) = (false, false);
        for feature in &found {
            let known = |row: &crate::solve::Row| row.obstacle == index && row.feature.name == feature.name;
            if self.tools.rows.iter().any(known) {
                continue;
            }
            let start = feature.at(&self.state.pose, &self.obstacles[index].pose);
            let row = self.row(index, *feature, start);
            explained |= feature.at(&end, &other_end).gap < row.target - 0.02 * g;
            self.tools.rows.push(row);
            joined = true;
        }
        self.tools.found = found;
        near?;
        if !explained {
            let seed = 1 + self.tools.rows.len() as u64;
            let feature = NearFeature::from_contact(contact, &pose, &other, seed);
            let start = feature.at(&self.state.pose, &self.obstacles[index].pose);
            let mut row = self.row(index, feature, start);
            if feature.at(&end, &other_end).gap >= row.target {
                row.share = hit.time.max(1e-3);
            }
            self.tools.rows.push(row);
            joined = true;
        }
        Ok(joined)
    }

    /// Lets moving obstacles go on while the part stands; true if one had to be stopped.
    pub(crate) fn stand(&mut self, time: f64, budget: &mut Budget) -> Result<bool, HandlingError> {
        let mut stopped = false;
        for index in 0..self.obstacles.len() {
            let obstacle = &self.obstacles[index];
            if !obstacle.is_moving() {
                continue;
            }
            let way = Way { motion: Motion::still(self.state.pose)?, time };
            let bound = self.displacement(index, &way, 1.0)?;
            let (mut share, mut kept) = (1.0, 0.0);
            if !self.state.obstacles[index].apart && bound > 0.5 * self.state.obstacles[index].proven {
                let answer = self.impact(index, &way, SWEEP_GUARD * self.options.guard, budget)?;
                self.report.swept += 1;
                (share, kept) = (answer.free_until, answer.kept);
                if (answer.contact.is_some() || !answer.finished) && self.is_faint(index) {
                    (share, kept) = (0.0, self.state.obstacles[index].proven);
                }
                stopped |= share < 1.0;
            }
            let bound = self.displacement(index, &way, share)?;
            let obstacle = &mut self.obstacles[index];
            let known = &mut self.state.obstacles[index];
            obstacle.pose = obstacle.motion(time)?.pose(share).normalized();
            known.pose = obstacle.pose;
            known.proven = (known.proven - bound).max(kept).max(0.0);
            known.list_motion += bound;
            known.list_turn += share * obstacle.velocity.angular.norm() * time;
        }
        Ok(stopped)
    }
}

//! One interval: forces, motion, at most one new contact, contacts that end.

use prall_detection::{
    Budget, ContactPoint, ImpactOptions, NearFeature, NearOptions, near_features, shape_time_of_impact,
};
use prall_math::{Motion, Norm, Pose, Twist};

use super::system::{Acting, System, turn};
use super::{BuckContact, BuckHeld, BuckReport, ncp};
use crate::command::Command;
use crate::error::{HandlingError, within};

/// Gap in guards at which a collision is one, and width of its band: contacts of the set keep a whole guard.
const COLLISION: f64 = 0.2;
const BAND: f64 = 0.05;
/// Pushes up to this many guards are none: the solver is as exact as that.
const NO_FORCE: f64 = 1e-4;
/// A contact without force ends when it is open by this share of a guard more than the guard.
const OPEN: f64 = 1e-4;
/// A contact whose feet left goes over to a feature that is nearer than this many guards (Buck 1999, 5.4).
const FLOWING: f64 = 2.0;

impl BuckHeld {
    /// Moves the part by a velocity for `dt` seconds, up to the first collision.
    pub fn step(&mut self, velocity: &Twist, dt: f64) -> Result<&BuckReport, HandlingError> {
        within("the interval", dt, (1e-9, 10.0), "between 1e-9 and 10 s")?;
        Command::Velocity(*velocity).checked()?;
        self.report = BuckReport::default();
        let system = self.system(&(*velocity * dt));
        let mut pushes: Vec<f64> = self.contacts.iter().map(|contact| contact.push).collect();
        let Some(iterations) = ncp::solve(&system, &self.options, &mut pushes) else {
            return Ok(self.jammed());
        };
        self.report.iterations = iterations;
        let x = system.motion(&pushes);
        let way = Twist { linear: x.linear, angular: turn(x.angular) };
        let motion = Motion::from_twist(self.pose, self.centre, way, 1.0)?;
        let (free, hit) = self.first_collision(&motion)?;
        let before = self.pose;
        self.pose = if free == 1.0 { system.end(&x) } else { motion.pose(free).normalized() };
        for (contact, push) in self.contacts.iter_mut().zip(&pushes) {
            (contact.push, contact.force) = (*push, self.mass * push / (dt * dt));
        }
        self.report.done = free;
        if let Some((obstacle, contact)) = hit {
            let Some(feature) = self.new_feature(obstacle, &contact)? else {
                self.pose = before;
                return Ok(self.jammed());
            };
            self.contacts.push(BuckContact { obstacle, feature, force: 0.0, push: 0.0 });
            self.report.born = true;
        }
        self.end_contacts()?;
        self.drop_redundant();
        Ok(&self.report)
    }

    /// A collision proves that its contact is needed; what bears nothing and became redundant by it ends, so that forces stay unique.
    fn drop_redundant(&mut self) {
        let idle = |contact: &BuckContact, guard: f64| contact.push <= NO_FORCE * guard;
        while self.contacts.len() + self.free_directions() > 6 {
            let old = self.contacts.len() - usize::from(self.report.born);
            let guard = self.options.guard;
            let Some(index) = self.contacts[..old].iter().position(|contact| idle(contact, guard)) else {
                return;
            };
            self.contacts.remove(index);
            self.report.opened += 1;
        }
    }

    fn jammed(&mut self) -> &BuckReport {
        for contact in &mut self.contacts {
            (contact.push, contact.force) = (0.0, 0.0);
        }
        self.report.jam = true;
        &self.report
    }

    fn system(&self, wanted: &Twist) -> System {
        let frame = self.frame();
        let centre = self.pose.transform_point(self.centre);
        let acting = |contact: &BuckContact| {
            let obstacle = *self.obstacles[contact.obstacle].pose();
            let state = contact.feature.at(&self.pose, &obstacle);
            let row = frame.row(state.normal, state.on_a - centre);
            Acting { feature: contact.feature, obstacle, row }
        };
        System {
            pose: self.pose,
            centre: self.centre,
            frame,
            wanted: *wanted,
            contacts: self.contacts.iter().map(acting).collect(),
            guard: self.options.guard,
        }
    }

    /// The share of a way that is free, and what ends it.
    fn first_collision(
        &mut self,
        motion: &Motion,
    ) -> Result<(f64, Option<(usize, ContactPoint)>), HandlingError> {
        let guard = self.options.guard;
        let options =
            ImpactOptions { guard: COLLISION * guard, tolerance: BAND * guard, relax_at_start: true };
        let (mut free, mut hit) = (1.0, None);
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let still = Motion::still(*obstacle.pose())?;
            let (a, b) = (self.boundary.touchable(), obstacle.boundary.touchable());
            let (budget, workspace) = (&mut Budget::unlimited(), &mut self.workspace);
            let answer = shape_time_of_impact(a, motion, b, &still, &options, budget, workspace)?;
            if let Some((_, contact)) = answer.contact
                && (hit.is_none() || answer.free_until < free)
            {
                (free, hit) = (answer.free_until, Some((index, contact)));
            }
        }
        Ok((free, hit))
    }

    fn near(&mut self, obstacle: usize, reach: f64) -> Result<Vec<NearFeature>, HandlingError> {
        let mut found = Vec::new();
        let options = NearOptions { reach, ..NearOptions::default() };
        let other = &self.obstacles[obstacle];
        let (a, b) = (&self.boundary, &other.boundary);
        near_features(a, &self.pose, b, other.pose(), &options, &mut self.workspace, &mut found)?;
        found.retain(|feature| {
            let same = |known: &BuckContact| known.obstacle == obstacle && known.feature.name == feature.name;
            !self.contacts.iter().any(same)
        });
        Ok(found)
    }

    /// The nearest feature of a collision that is no contact yet; of equals the first.
    fn new_feature(
        &mut self,
        obstacle: usize,
        contact: &ContactPoint,
    ) -> Result<Option<NearFeature>, HandlingError> {
        let reach = contact.gap.max(0.0) + 0.1 * self.options.guard;
        let found = self.near(obstacle, reach)?;
        Ok(found.into_iter().min_by(|p, q| p.gap.total_cmp(&q.gap)))
    }

    /// Ends contacts that have opened or left their features, or lets them flow over.
    fn end_contacts(&mut self) -> Result<(), HandlingError> {
        let guard = self.options.guard;
        let last = self.contacts.len() - usize::from(self.report.born);
        let mut index = 0;
        let mut old = last;
        while index < old {
            let contact = self.contacts[index];
            let pose: Pose = *self.obstacles[contact.obstacle].pose();
            let state = contact.feature.at(&self.pose, &pose);
            let open = contact.push <= NO_FORCE * guard && state.gap > (1.0 + OPEN) * guard;
            let pulls = self.options.bilateral && contact.push < -NO_FORCE * guard;
            if open || pulls {
                self.report.opened += 1;
            } else if !state.on_features {
                // Neighbours touch where the old contact does.
                let near = self.near(contact.obstacle, FLOWING * guard)?;
                let next = near.into_iter().find(|feature| {
                    let at = feature.at(&self.pose, &pose);
                    (at.on_a - state.on_a).norm() < 4.0 * guard && at.gap >= 0.0
                });
                match next {
                    Some(feature) => {
                        self.contacts[index].feature = feature;
                        self.report.flowed += 1;
                        index += 1;
                        continue;
                    }
                    None => self.report.left += 1,
                }
            } else {
                index += 1;
                continue;
            }
            self.contacts.remove(index);
            old -= 1;
        }
        Ok(())
    }
}

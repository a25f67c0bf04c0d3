//! The first collision of an interval: two features of surfaces, or a point that sticks and one of its planes.

use prall_detection::{
    Budget, ContactPoint, ImpactOptions, NearFeature, NearOptions, near_features, shape_time_of_impact,
};
use prall_math::{Motion, Norm, Pose};

use super::BuckHeld;
use super::contact::{AuxiliaryPlane, BuckContact, Condition, Partner};
use super::options::CollisionTime;
use super::time::{curvature_of_vertex_and_face, piece_with_zero, zero};
use crate::error::HandlingError;

/// Gap in guards at which a collision is one, and width of its band: contacts of the set keep a whole guard.
const COLLISION: f64 = 0.2;
const BAND: f64 = 0.05;
/// Of a guard, how exact the zero of a distance is.
const EXACT_ZERO: f64 = 1e-4;
/// Distance in plays that an auxiliary contact keeps to its plane.
pub(super) const AUXILIARY_GUARD: f64 = 0.5;

/// What ends an interval, and the share of it that is carried out.
pub(super) enum Collision {
    /// Two surfaces; none of their features that is no contact yet could be told.
    Surfaces { share: f64, late: bool, pair: (usize, Partner), feature: Option<NearFeature> },
    /// The contact with this index and one of its planes.
    Plane { share: f64, contact: usize, plane: AuxiliaryPlane },
}

impl Collision {
    pub(super) fn share(&self) -> f64 {
        match self {
            Collision::Surfaces { share, .. } | Collision::Plane { share, .. } => *share,
        }
    }
}

/// Poses of parts at a moment of their motions.
fn poses(motions: &[Motion], time: f64) -> Vec<Pose> {
    motions.iter().map(|motion| motion.pose(time)).collect()
}

impl BuckHeld {
    /// What ends the interval if parts move like this; of collisions at the same time the first in the order of parts and obstacles.
    pub(super) fn first_collision(&mut self, motions: &[Motion]) -> Result<Option<Collision>, HandlingError> {
        if let Some(collision) = self.closing_in(motions)? {
            return Ok(Some(collision));
        }
        let mut first: Option<(f64, (usize, Partner), ContactPoint)> = None;
        for pair in self.pairs() {
            if let Some((free, contact)) = self.certified(motions, pair)?
                && first.as_ref().is_none_or(|first| free < first.0)
            {
                first = Some((free, pair, contact));
            }
        }
        let surfaces = match first {
            Some((free, pair, contact)) => Some(self.on_surfaces(motions, free, pair, &contact)?),
            None => None,
        };
        let plane = self.on_planes(motions);
        let earlier = |p: &Collision, q: &Collision| p.share().total_cmp(&q.share());
        Ok(surfaces.into_iter().chain(plane).min_by(earlier))
    }

    /// A feature that is nearer than a collision at the start, and comes nearer still. The sweep lets gaps below its own be halved, so that what rests can move; without
    /// this they would fade to nothing.
    fn closing_in(&mut self, motions: &[Motion]) -> Result<Option<Collision>, HandlingError> {
        let guard = self.options.guard;
        for pair in self.pairs() {
            let (own, theirs) = (self.bodies[pair.0].pose, self.pose_of(pair.1));
            for feature in self.near(pair, &own, &theirs, COLLISION * guard)? {
                let gap = |time: f64| {
                    let theirs = match pair.1 {
                        Partner::Obstacle(_) => theirs,
                        Partner::Part(index) => motions[index].pose(time),
                    };
                    feature.at(&motions[pair.0].pose(time), &theirs).gap
                };
                let nearest = gap(1.0).min(gap(0.5));
                if nearest < gap(0.0) - EXACT_ZERO * guard {
                    return Ok(Some(Collision::Surfaces {
                        share: 0.0,
                        late: false,
                        pair,
                        feature: Some(feature),
                    }));
                }
            }
        }
        Ok(None)
    }

    /// All pairs of a part with an obstacle or with a part after it.
    fn pairs(&self) -> Vec<(usize, Partner)> {
        let partners = |part: usize| {
            let obstacles = (0..self.obstacles.len()).map(Partner::Obstacle);
            obstacles.chain((part + 1..self.bodies.len()).map(Partner::Part)).map(move |other| (part, other))
        };
        (0..self.bodies.len()).flat_map(partners).collect()
    }

    /// The share of a pair's motions that is proven free, and what ends it.
    fn certified(
        &mut self,
        motions: &[Motion],
        (part, partner): (usize, Partner),
    ) -> Result<Option<(f64, ContactPoint)>, HandlingError> {
        let guard = self.options.guard;
        let options =
            ImpactOptions { guard: COLLISION * guard, tolerance: BAND * guard, relax_at_start: true };
        let (a, own) = (self.bodies[part].boundary.touchable(), &motions[part]);
        let (budget, workspace) = (&mut Budget::unlimited(), &mut self.workspace);
        let answer = match partner {
            Partner::Obstacle(index) => {
                let obstacle = &self.obstacles[index];
                let still = Motion::still(*obstacle.pose())?;
                let b = obstacle.boundary.touchable();
                shape_time_of_impact(a, own, b, &still, &options, budget, workspace)?
            }
            Partner::Part(index) => {
                let b = self.bodies[index].boundary.touchable();
                shape_time_of_impact(a, own, b, &motions[index], &options, budget, workspace)?
            }
        };
        Ok(answer.contact.map(|(_, contact)| (answer.free_until, contact)))
    }

    /// The features that collide, and how far parts go: to t_s = t_c - t_eps (5.2.1), and not beyond what is proven.
    fn on_surfaces(
        &mut self,
        motions: &[Motion],
        free: f64,
        (part, partner): (usize, Partner),
        contact: &ContactPoint,
    ) -> Result<Collision, HandlingError> {
        let there = poses(motions, free);
        let other = |poses: &[Pose]| match partner {
            Partner::Obstacle(index) => *self.obstacles[index].pose(),
            Partner::Part(index) => poses[index],
        };
        let reach = contact.gap.max(0.0) + 0.1 * self.options.guard;
        let (own, theirs) = (there[part], other(&there));
        let found = self.near((part, partner), &own, &theirs, reach)?;
        let feature = found.into_iter().min_by(|p, q| p.gap.total_cmp(&q.gap));
        let mut share = free;
        let mut late = false;
        if let Some(feature) = feature
            && self.options.collision_time != CollisionTime::Certified
        {
            let distance = |time: f64| {
                let poses = poses(motions, time);
                let other = match partner {
                    Partner::Obstacle(index) => *self.obstacles[index].pose(),
                    Partner::Part(index) => poses[index],
                };
                feature.at(&poses[part], &other).gap
            };
            let guard = self.options.guard;
            if let Some(meets) = zero(self.options.collision_time, distance, EXACT_ZERO * guard) {
                let way = (distance(meets) - distance(0.0)).abs();
                let wanted = if way > guard { meets * (1.0 - guard / way) } else { 0.0 };
                late = wanted > free;
                share = wanted.min(free);
            }
        }
        Ok(Collision::Surfaces { share, late, pair: (part, partner), feature })
    }

    /// Features of a pair within reach that are no contacts yet.
    pub(super) fn near(
        &mut self,
        pair: (usize, Partner),
        own: &Pose,
        theirs: &Pose,
        reach: f64,
    ) -> Result<Vec<NearFeature>, HandlingError> {
        let mut found = self.all_near(pair, own, theirs, reach)?;
        found.retain(|feature| {
            let same = |known: &BuckContact| match &known.condition {
                Condition::Feature(old) => known.pair() == pair && old.name == feature.name,
                Condition::Auxiliary(_) => false,
            };
            !self.contacts.iter().any(same)
        });
        Ok(found)
    }

    /// Features of a pair within reach.
    pub(super) fn all_near(
        &mut self,
        (part, partner): (usize, Partner),
        own: &Pose,
        theirs: &Pose,
        reach: f64,
    ) -> Result<Vec<NearFeature>, HandlingError> {
        let mut found = Vec::new();
        let options = NearOptions { reach, ..NearOptions::default() };
        let other = match partner {
            Partner::Obstacle(index) => &self.obstacles[index].boundary,
            Partner::Part(index) => &self.bodies[index].boundary,
        };
        let boundary = &self.bodies[part].boundary;
        near_features(boundary, own, other, theirs, &options, &mut self.workspace, &mut found)?;
        Ok(found)
    }

    /// The first point that sticks and meets one of its planes.
    fn on_planes(&self, motions: &[Motion]) -> Option<Collision> {
        let mut first: Option<(f64, usize, AuxiliaryPlane)> = None;
        for (index, contact) in self.contacts.iter().enumerate() {
            for plane in contact.planes.iter().flatten() {
                let condition = Condition::Auxiliary(*plane);
                if self.contacts.iter().any(|known| known.condition == condition) {
                    continue;
                }
                if let Some(share) = self.meeting(motions, contact, &condition)
                    && first.as_ref().is_none_or(|first| share < first.0)
                {
                    first = Some((share, index, *plane));
                }
            }
        }
        first.map(|(share, contact, plane)| Collision::Plane { share, contact, plane })
    }

    /// The share of the interval before a point is nearer to a plane than its contact would keep.
    fn meeting(&self, motions: &[Motion], contact: &BuckContact, condition: &Condition) -> Option<f64> {
        let guard = AUXILIARY_GUARD * self.options.play;
        let state = |time: f64| {
            let own = motions[contact.part].pose(time);
            let theirs = match contact.partner {
                Partner::Obstacle(index) => *self.obstacles[index].pose(),
                Partner::Part(index) => motions[index].pose(time),
            };
            condition.at(&own, &theirs)
        };
        // A collision is one where the gap is nearly used up, as on surfaces.
        let mut distance = |time: f64| state(time).gap - COLLISION * guard;
        let bound = {
            let (turn, shift) = self.way(motions, contact.part);
            let reach = |body: usize| (state(0.0).on_a - self.bodies[body].mass_centre()).norm();
            let (other_turn, other_shift, other_reach) = match contact.partner {
                Partner::Obstacle(_) => (0.0, 0.0, 0.0),
                Partner::Part(index) => {
                    let (turn, shift) = self.way(motions, index);
                    (turn, shift, reach(index))
                }
            };
            // Either body may carry the plane.
            let (turns, shifts) = ((turn, other_turn), (shift, other_shift));
            let reaches = (reach(contact.part), other_reach);
            let swap = |(p, q): (f64, f64)| (q, p);
            let one = curvature_of_vertex_and_face(turns, shifts, reaches);
            one.max(curvature_of_vertex_and_face(swap(turns), swap(shifts), swap(reaches)))
        };
        let ends = ((0.0, distance(0.0)), (1.0, distance(1.0)));
        let (from, to) = piece_with_zero(&mut distance, ends.0, ends.1, bound)?;
        let mode = match self.options.collision_time {
            CollisionTime::Certified => CollisionTime::RegulaFalsi,
            mode => mode,
        };
        let piece = |time: f64| distance(from + (to - from) * time);
        let meets = zero(mode, piece, EXACT_ZERO * guard)?;
        let meets = from + (to - from) * meets;
        let way = (distance(meets) - distance(0.0)).abs();
        let back = (1.0 - COLLISION) * guard;
        Some(if way > back { meets * (1.0 - back / way) } else { 0.0 })
    }

    /// Turn in rad and shift of the mass centre in m of a part over its motion.
    fn way(&self, motions: &[Motion], part: usize) -> (f64, f64) {
        let motion = &motions[part];
        let turn = motion.as_uniform().map_or(0.0, |uniform| uniform.angle.abs());
        let centre = self.bodies[part].centre;
        let ends = (motion.start().transform_point(centre), motion.end().transform_point(centre));
        (turn, (ends.1 - ends.0).norm())
    }
}

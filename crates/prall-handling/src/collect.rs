//! Conditions of a part of a step: near features of all obstacles within reach of the motion.

use prall_detection::{NearOptions, NearState, distance_bound, near_features};
use prall_math::{Norm, Twist};

use crate::error::HandlingError;
use crate::held::Held;
use crate::solve::Row;

/// Pairs of triangles after which the shell shrinks, and at most in the smallest shell.
const MANY_PAIRS: usize = 700;
const MOST_PAIRS: usize = 20_000;
/// Conditions on one obstacle at most: those that bore load, then the nearest. What is left out is met by the sweep.
const MOST_ROWS: usize = 200;
/// How far outside its normal cone a feature still counts, in rad.
const SLACK: f64 = 0.05;
/// A list of features is used again after motions up to this many guards in sum: feet stay on their faces.
const REUSE: f64 = 0.5;

/// How the part wants to move in a part of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Shift of the reference point and turn.
    pub(crate) x: Twist,
    /// In s: what moving obstacles do.
    pub(crate) time: f64,
}

/// A near feature that may become a condition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Place in the list of near features.
    at: usize,
    name: u64,
    start: NearState,
}

impl Held {
    /// How far part and obstacle move against each other, in m, and turn, in rad, at most.
    pub(crate) fn relative_motion(&self, index: usize, wanted: &Wanted) -> (f64, f64) {
        let obstacle = &self.obstacles[index];
        let turn = wanted.x.angular.norm();
        let way = wanted.x.linear.norm() + turn.min(2.0) * self.radius;
        if !obstacle.is_moving() {
            return (way, turn);
        }
        let other_turn = obstacle.velocity.angular.norm() * wanted.time;
        // Where the part is counts, not how far the obstacle reaches.
        let apart = (self.state.pose.translation - obstacle.pose.translation).norm() + self.origin_radius;
        let reach = obstacle.radius.min(apart + way);
        let other = obstacle.velocity.linear.norm() * wanted.time + other_turn.min(2.0) * reach;
        (way + other, turn + other_turn)
    }

    /// Measures how far obstacles are that a wanted motion may reach: what is far needs no sweep for many steps.
    pub(crate) fn measure(&mut self, wanted: &Wanted) -> Result<(), HandlingError> {
        for index in 0..self.obstacles.len() {
            let (way, _) = self.relative_motion(index, wanted);
            let known = &mut self.state.obstacles[index];
            if known.apart || way <= 0.5 * known.proven {
                continue;
            }
            let obstacle = &self.obstacles[index];
            let within = 20.0 * way + 0.02 * self.radius;
            let (a, b) = (&self.boundary, &obstacle.boundary);
            let workspace = &mut self.tools.workspace;
            let far = distance_bound(a, &self.state.pose, b, &obstacle.pose, within, workspace)?;
            known.proven = known.proven.max(far);
        }
        Ok(())
    }

    /// Conditions for a wanted motion.
    pub(crate) fn collect(&mut self, wanted: &Wanted) -> Result<(), HandlingError> {
        self.tools.rows.clear();
        let g = self.options.guard;
        for index in 0..self.obstacles.len() {
            let (way, turn) = self.relative_motion(index, wanted);
            let known = &self.state.obstacles[index];
            if known.apart || way + 4.0 * g <= known.proven {
                continue;
            }
            let need = way.min(known.shell) + 2.0 * g;
            let covered = known.list_reach - known.list_motion >= need
                && known.list_motion <= REUSE * g
                && known.list_turn + turn <= SLACK;
            if !covered {
                self.look_around(index, way, turn)?;
            }
            self.add_rows(index, need);
        }
        self.report.rows = self.report.rows.max(self.tools.rows.len());
        Ok(())
    }

    /// Makes the list of near features anew, and with it what is proven of the pair.
    fn look_around(&mut self, index: usize, way: f64, turn: f64) -> Result<(), HandlingError> {
        let g = self.options.guard;
        let (travel, _) = self.caps();
        let obstacle = &self.obstacles[index];
        let known = &mut self.state.obstacles[index];
        let workspace = &mut self.tools.workspace;
        let (part, other) = (&self.boundary, &obstacle.boundary);
        loop {
            let smallest = known.shell <= 2.0 * g;
            let reach = way.min(known.shell) + 3.0 * g;
            let max_triangle_pairs = if smallest { MOST_PAIRS } else { MANY_PAIRS };
            let options = NearOptions { reach, slack: 2.0 * SLACK + turn, max_triangle_pairs };
            known.list.clear();
            let (a, b) = (&self.state.pose, &obstacle.pose);
            let answer = near_features(part, a, other, b, &options, workspace, &mut known.list)?;
            known.proven = known.proven.max(answer.distance);
            if !answer.complete && !smallest {
                known.shell = (0.25 * known.shell).max(2.0 * g);
                continue;
            }
            if 3 * answer.triangle_pairs < MANY_PAIRS && way > known.shell {
                known.shell = (2.0 * known.shell).min(travel);
            }
            (known.list_reach, known.list_motion, known.list_turn) = (reach, 0.0, 0.0);
            if answer.distance < reach {
                self.report.smallest_gap = self.report.smallest_gap.min(answer.distance);
            } else {
                let within = 20.0 * way + 0.02 * self.radius;
                let far = distance_bound(part, a, other, b, within, workspace)?;
                known.proven = known.proven.max(far);
            }
            return Ok(());
        }
    }

    fn add_rows(&mut self, index: usize, need: f64) {
        let (pose, other) = (self.state.pose, self.obstacles[index].pose);
        let mut nearest = std::mem::take(&mut self.tools.nearest);
        nearest.clear();
        let known = &self.state.obstacles[index];
        for (at, feature) in (0..).zip(&known.list) {
            let start = feature.at(&pose, &other);
            if start.gap <= need {
                nearest.push(Nearest { at, name: feature.name, start });
            }
        }
        if nearest.len() > MOST_ROWS {
            let loaded = |name: u64| {
                let mut contacts = self.state.contacts.iter();
                contacts.any(|known| known.obstacle == index && known.name == name)
            };
            let order = |p: &Nearest, q: &Nearest| {
                let first = loaded(q.name).cmp(&loaded(p.name));
                first.then(p.start.gap.total_cmp(&q.start.gap)).then(p.name.cmp(&q.name))
            };
            nearest.select_nth_unstable_by(MOST_ROWS - 1, order);
            nearest.truncate(MOST_ROWS);
            nearest.sort_unstable_by(order);
        }
        for near in &nearest {
            let feature = self.state.obstacles[index].list[near.at];
            let row = self.row(index, feature, near.start);
            self.tools.rows.push(row);
        }
        self.tools.nearest = nearest;
    }

    /// The condition of two features, with the friction of the last time.
    pub(crate) fn row(
        &self,
        obstacle: usize,
        feature: prall_detection::NearFeature,
        start: prall_detection::NearState,
    ) -> Row {
        let contacts = &self.state.contacts;
        let known = contacts.iter().find(|known| known.obstacle == obstacle && known.name == feature.name);
        // A contact that comes while others of the same pair slide goes on sliding.
        let sliding = known.map_or_else(
            || contacts.iter().any(|other| other.obstacle == obstacle && other.sliding),
            |known| known.sliding,
        );
        let friction = self.obstacles[obstacle].friction.unwrap_or(self.options.friction);
        Row {
            obstacle,
            feature,
            start,
            target: Row::usual_target(start.gap, self.options.guard),
            share: 1.0,
            friction: if sliding { friction.sliding } else { friction.sticking },
            normal_impulse: 0.0,
            friction_impulse: known.map_or(glam::DVec3::ZERO, |known| known.friction_impulse),
            was_loaded: known.is_some(),
            slides: sliding,
        }
    }
}

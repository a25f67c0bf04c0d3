//! The motion nearest to the wanted one that keeps every gap open at the end.
//!
//! Gaps are linearised at a pose (a look), first at the start, then at the solution, with the normal and the acting point that the features have there:
//! conditions hold on positions at the end of the motion, so nothing drifts however long a contact lasts.

use glam::{DVec2, DVec3};
use prall_detection::{NearFeature, NearState};
use prall_math::rotation;
use prall_math::{Norm, Pose, Twist, any_orthonormal};

use crate::active_set::{Ending, HalfSpace, Vector6, dot};
use crate::collect::Wanted;
use crate::friction::{Exactness, FrictionRow};
use crate::held::Held;

/// Of a guard what a gap that has fallen is given back in a part.
const RESTORED: f64 = 0.25;
/// Looks at most.
const LOOKS: usize = 3;
/// A gap may be short of what standing still has by this many guards at the end.
const SHORT: f64 = 0.1;
/// A contact that slips by more guards than this in a part slides.
const SLIPS: f64 = 1e-3;
/// Turns that bend the way of a point by fewer guards than this need one look.
const STRAIGHT: f64 = 0.05;

/// A condition on two near features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) obstacle: usize,
    pub(crate) feature: NearFeature,
    /// At the start of the part.
    pub(crate) start: NearState,
    /// Gap to be had at the end, in m.
    pub(crate) target: f64,
    /// Share of the way at which the condition holds; 1 for the end.
    pub(crate) share: f64,
    pub(crate) friction: f64,
    /// In m of the unit metric; friction in the world.
    pub(crate) normal_impulse: f64,
    pub(crate) friction_impulse: DVec3,
    /// It bore load in the last part, or look.
    pub(crate) was_loaded: bool,
    /// It slid in the last solve.
    pub(crate) slides: bool,
}

impl Row {
    /// No gap closes below the guard; smaller ones are given back slowly.
    pub(crate) fn usual_target(gap: f64, guard: f64) -> f64 {
        guard.min(gap + RESTORED * guard)
    }

    /// What standing still fulfils.
    fn modest_target(&self, guard: f64) -> f64 {
        guard.min(self.start.gap)
    }
}

impl Held {
    /// The pose after a share of a shift and turn about the reference point.
    pub(crate) fn moved(&self, x: &Twist, share: f64) -> Pose {
        let pose = &self.state.pose;
        let turned = rotation::exp(x.angular * share) * pose.rotation;
        let centre = pose.transform_point(self.centre) + x.linear * share;
        Pose { rotation: turned, translation: centre - turned * self.centre }.normalized()
    }

    /// The pose of an obstacle after some time.
    pub(crate) fn obstacle_after(&self, index: usize, time: f64) -> Pose {
        let obstacle = &self.obstacles[index];
        if !obstacle.is_moving() {
            return obstacle.pose;
        }
        let turned = rotation::exp(obstacle.velocity.angular * time) * obstacle.pose.rotation;
        Pose { rotation: turned, translation: obstacle.pose.translation + obstacle.velocity.linear * time }
            .normalized()
    }

    /// Finds the nearest admissible motion; `x` is not to be used unless it ends solved.
    pub(crate) fn solve(&mut self, wanted: &Wanted, x: &mut Twist) -> Ending {
        let g = self.options.guard;
        let frame = self.frame();
        let goal = frame.motion(&wanted.x);
        let exactness = Exactness { gap: 1e-4 * g, motion: (1e-4 * g).max(1e-6 * wanted.x.linear.norm()) };
        let mut look = Twist::ZERO;
        let mut lowered = false;
        let mut number = 0;
        loop {
            self.linearise(&look, wanted);
            let mut y = goal;
            let tools = &mut self.tools;
            let ending = tools.solver.solve(&mut y, &mut tools.linear, exactness);
            if ending != Ending::Solved {
                if lowered {
                    return ending;
                }
                // Standing still is admissible then, as far as obstacles stand.
                lowered = true;
                for row in &mut self.tools.rows {
                    row.target = row.modest_target(g);
                }
                (look, number) = (Twist::ZERO, 0);
                continue;
            }
            *x = frame.twist(&y);
            self.file_impulses(&y, SLIPS * g);
            number += 1;
            let straight = x.angular.length_squared() * self.radius < STRAIGHT * g;
            if straight || number >= LOOKS || self.gaps_hold(x, wanted.time) {
                return Ending::Solved;
            }
            look = *x;
        }
    }

    /// The conditions as linear rows about a motion.
    fn linearise(&mut self, look: &Twist, wanted: &Wanted) {
        let frame = self.frame();
        let mut linear = std::mem::take(&mut self.tools.linear);
        linear.clear();
        for row in &self.tools.rows {
            let pose = self.moved(look, row.share);
            let time = wanted.time * row.share;
            let other = self.obstacle_after(row.obstacle, time);
            let state = row.feature.at(&pose, &other);
            let arm = state.on_a - pose.transform_point(self.centre);
            let n = state.normal;
            let moved = look.linear + look.angular.cross(arm);
            let bound = (row.target - state.gap) / row.share + n.dot(moved);
            let (u, v) = any_orthonormal(n);
            let velocity = &self.obstacles[row.obstacle].velocity;
            let drift = velocity.velocity_at(state.on_b - other.translation) * wanted.time;
            linear.push(FrictionRow {
                half_space: HalfSpace { normal: frame.row(n, arm), bound, preferred: row.was_loaded },
                tangents: [frame.row(u, arm), frame.row(v, arm)],
                drift: [u.dot(drift), v.dot(drift)],
                friction: row.friction,
                normal_impulse: row.normal_impulse,
                friction_impulse: [u.dot(row.friction_impulse), v.dot(row.friction_impulse)],
            });
        }
        self.tools.linear = linear;
    }

    /// Takes over the impulses of a solution; contacts that slip by more than `slips` metres slide.
    fn file_impulses(&mut self, y: &Vector6, slips: f64) {
        for (row, linear) in self.tools.rows.iter_mut().zip(&self.tools.linear) {
            // The tangents' shifts are the directions themselves.
            let direction = |k: usize| DVec3::from_slice(&linear.tangents[k][..3]);
            let [u, v] = linear.friction_impulse;
            row.normal_impulse = linear.normal_impulse.max(0.0);
            row.friction_impulse = direction(0) * u + direction(1) * v;
            row.was_loaded = row.normal_impulse > 0.0;
            let slip = |k: usize| dot(&linear.tangents[k], y) - linear.drift[k];
            row.slides = row.was_loaded && DVec2::new(slip(0), slip(1)).length_squared() > slips * slips;
        }
    }

    /// True if every gap at the end is what standing still has, nearly.
    fn gaps_hold(&self, x: &Twist, time: f64) -> bool {
        let g = self.options.guard;
        let end = self.moved(x, 1.0);
        self.tools.rows.iter().all(|row| {
            let pose = if row.share == 1.0 { end } else { self.moved(x, row.share) };
            let other = self.obstacle_after(row.obstacle, time * row.share);
            row.feature.at(&pose, &other).gap >= row.modest_target(g) - SHORT * g
        })
    }
}

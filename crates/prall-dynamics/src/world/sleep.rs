//! Sleeping: islands that have been calm for a while are left alone until something touches them.
//!
//! An island is what contacts connect, those that are near but do not touch included. It falls asleep when all of its bodies have been calm
//! for long enough and nothing that could go on moving by itself takes part: joints, hands, links of movers, kinematic bodies on
//! their way. It wakes as a whole when a body that is awake comes near enough to have a contact with it, and everything wakes when
//! somebody changes something by hand. Sleepers stand exactly still; their percussions are kept for when they wake.

use prall_math::{Norm, Twist};
use prall_mechanics::Side;
use serde::{Deserialize, Serialize};

use super::World;
use crate::union::Union;
use crate::{BodyHandle, WorldError};

/// Bodies whose points move slower than this are calm, in m/s: a centimetre in a second, ten times what a pile at rest jitters.
const CALM: f64 = 0.01;

/// Who sleeps, with whom, and who has been calm for how long.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Sleepers {
    /// By body: for how many seconds it has been calm.
    calm_for: Vec<f64>,
    /// By body: the smallest index in its island plus one; 0 if it is awake.
    groups: Vec<u32>,
    /// Bodies that sleep.
    count: usize,
    /// Memory for finding islands: by body, one that leads to the smallest of the island, and whether the island stays awake.
    #[serde(skip)]
    islands: Union,
    #[serde(skip)]
    restless: Vec<bool>,
}

impl Sleepers {
    pub(super) fn sleeps(&self, at: usize) -> bool {
        self.count > 0 && self.groups.get(at).is_some_and(|group| *group != 0)
    }
}

impl World {
    /// True if a body sleeps; see [`WorldOptions::sleep_after`](crate::WorldOptions::sleep_after).
    pub fn is_asleep(&self, body: BodyHandle) -> Result<bool, WorldError> {
        Ok(self.sleepers.sleeps(self.body(body)?))
    }

    /// Wakes everybody.
    pub(super) fn wake_all(&mut self) {
        self.wake(|_| true);
    }

    /// Wakes the islands that these groups are.
    fn wake(&mut self, is_chosen: impl Fn(u32) -> bool) {
        if self.sleepers.count == 0 {
            return;
        }
        for (at, group) in self.sleepers.groups.iter_mut().enumerate() {
            if *group != 0 && is_chosen(*group) {
                *group = 0;
                self.sleepers.calm_for[at] = 0.0;
                self.sleepers.count -= 1;
                self.contacts.let_sleep(at as u32, false);
            }
        }
    }

    /// Wakes the islands that somebody awake is about to touch.
    pub(super) fn wake_touched(&mut self) {
        if self.sleepers.count == 0 {
            return;
        }
        let sleeper = |side: Side| match side {
            Side::Body(body) if self.sleepers.sleeps(body as usize) => self.sleepers.groups[body as usize],
            _ => 0,
        };
        let mut woken: Vec<u32> = Vec::new();
        for manifold in self.contacts.manifolds() {
            let (a, b) = (sleeper(manifold.a), sleeper(manifold.b));
            if (a != 0) != (b != 0) && self.may_move(if a != 0 { manifold.b } else { manifold.a }) {
                woken.push(a.max(b));
            }
        }
        if !woken.is_empty() {
            woken.sort_unstable();
            self.wake(|group| woken.binary_search(&group).is_ok());
        }
    }

    fn may_move(&self, side: Side) -> bool {
        match side {
            Side::Body(body) => {
                self.bodies.is_movable(body as usize) || self.bodies.velocities[body as usize] != Twist::ZERO
            }
            Side::Link { .. } => true,
        }
    }

    /// After a step: counts the calm, and lets islands fall asleep.
    pub(super) fn fall_asleep(&mut self) {
        let Some(after) = self.options.sleep_after else { return };
        let count = self.bodies.len();
        self.sleepers.calm_for.resize(count, 0.0);
        self.sleepers.groups.resize(count, 0);
        let mut drowsy = 0;
        for at in 0..count {
            let velocity = self.bodies.velocities[at];
            let radius = self.records[at].radius;
            let turning = if velocity.angular == glam::DVec3::ZERO { 0.0 } else { radius };
            let speed = velocity.linear.norm() + velocity.angular.norm() * turning;
            let calm = &mut self.sleepers.calm_for[at];
            *calm = if speed <= CALM { *calm + self.options.time_step } else { 0.0 };
            let awake = self.bodies.is_movable(at) && self.sleepers.groups[at] == 0;
            drowsy += usize::from(awake && *calm >= after);
        }
        if drowsy > 0 {
            self.put_to_sleep(after);
        }
    }

    fn put_to_sleep(&mut self, after: f64) {
        let mut islands = std::mem::take(&mut self.sleepers.islands);
        let mut restless = std::mem::take(&mut self.sleepers.restless);
        islands.reset(self.bodies.len());
        restless.clear();
        restless.extend((0..self.bodies.len()).map(|at| self.is_restless(at, after)));
        for manifold in self.contacts.manifolds() {
            match (manifold.a, manifold.b) {
                (Side::Body(a), Side::Body(b)) => {
                    let movable = |body: u32| self.bodies.is_movable(body as usize);
                    if movable(a) && movable(b) {
                        let other = [a, b].map(|body| restless[islands.lead(body as usize)]);
                        let joined = islands.join(a as usize, b as usize);
                        restless[joined] |= other[0] || other[1];
                    } else if self.may_move(manifold.a) && self.may_move(manifold.b) {
                        restless[islands.lead(a as usize)] = true;
                        restless[islands.lead(b as usize)] = true;
                    }
                }
                (Side::Body(body), _) | (_, Side::Body(body)) => {
                    restless[islands.lead(body as usize)] = true;
                }
                _ => {}
            }
        }
        for at in 0..self.bodies.len() {
            let island = islands.lead(at);
            let awake = self.sleepers.groups[at] == 0 && self.bodies.is_movable(at);
            if awake && !restless[island] {
                self.sleepers.groups[at] = island as u32 + 1;
                self.sleepers.count += 1;
                self.book_sleep(at);
                self.bodies.velocities[at] = Twist::ZERO;
                self.contacts.let_sleep(at as u32, true);
            }
        }
        (self.sleepers.islands, self.sleepers.restless) = (islands, restless);
    }

    /// True if a body keeps its island awake.
    fn is_restless(&self, at: usize, after: f64) -> bool {
        let held = self.hand_places.iter().any(|hand| self.hands[hand].body as usize == at);
        self.bodies.is_movable(at)
            && self.sleepers.groups[at] == 0
            && (self.sleepers.calm_for[at] < after
                || self.system.component_of(at).is_some()
                || held
                || self.solid.state.is_solid(at))
    }
}

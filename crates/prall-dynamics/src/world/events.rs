//! What happened in a step: contacts that began and ended, impacts, sensors, broken joints.

use glam::DVec3;
use prall_math::Norm;
use prall_mechanics::{ManifoldView, Side};

use super::World;
use crate::{BodyHandle, JointHandle, MoverHandle};

/// Who takes part in a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// A body.
    Body(BodyHandle),
    /// A link of a mover.
    Link(MoverHandle, u32),
}

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// Two parties touch that did not before.
    ContactBegan(Party, Party),
    /// Two parties touched before and do no more.
    ContactEnded(Party, Party),
    /// Two parties met with a speed: where, and the speed of approach in m/s.
    Collision {
        /// One of them.
        a: Party,
        /// The other.
        b: Party,
        /// Where they met, in the world.
        point: DVec3,
        /// How fast they closed in, in m/s.
        speed: f64,
    },
    /// The second party is in the sensor and was not before.
    SensorEntered(Party, Party),
    /// The second party was in the sensor and is no more.
    SensorLeft(Party, Party),
    /// A joint has broken and is gone.
    JointBroken(JointHandle),
    /// A body, or one that acted on it, was no longer finite: it is back where it was before the step, at rest.
    Diverged(BodyHandle),
}

/// Who touches whom, now and before.
#[derive(Clone, Debug, Default)]
pub(super) struct Touches {
    pub(super) events: Vec<Event>,
    pub(super) touching: Vec<(Party, Party)>,
    touched_before: Vec<(Party, Party)>,
    pub(super) sensed: Vec<(Party, Party)>,
    sensed_before: Vec<(Party, Party)>,
    /// Pairs that were pushed apart in the last part of a step, by key, sorted.
    pushed: Vec<u64>,
    pushed_before: Vec<u64>,
}

impl Touches {
    pub(super) fn begin_step(&mut self) {
        self.events.clear();
    }

    pub(super) fn begin_sensors(&mut self) {
        std::mem::swap(&mut self.sensed, &mut self.sensed_before);
        self.sensed.clear();
    }

    pub(super) fn sense(&mut self, pair: (Party, Party)) {
        self.sensed.push(pair);
    }

    pub(super) fn end_sensors(&mut self) {
        self.sensed.sort_unstable();
        self.sensed.dedup();
        difference(&self.sensed, &self.sensed_before, |pair| {
            self.events.push(Event::SensorEntered(pair.0, pair.1));
        });
        difference(&self.sensed_before, &self.sensed, |pair| {
            self.events.push(Event::SensorLeft(pair.0, pair.1));
        });
    }
}

/// Members of one sorted list that are not in another.
fn difference<T: Ord + Copy>(list: &[T], other: &[T], mut visit: impl FnMut(T)) {
    let mut rest = other.iter().peekable();
    for item in list {
        while rest.next_if(|other| *other < item).is_some() {}
        if rest.peek() != Some(&item) {
            visit(*item);
        }
    }
}

impl World {
    /// What happened in the last step.
    pub fn events(&self) -> &[Event] {
        &self.touches.events
    }

    /// Compares who touches now with who touched before the step.
    pub(super) fn note_touches(&mut self) {
        let shell = self.options.contact.shell;
        let mut touches = std::mem::take(&mut self.touches);
        std::mem::swap(&mut touches.touching, &mut touches.touched_before);
        touches.touching.clear();
        let mut count = 0;
        for manifold in self.contacts.manifolds() {
            let within = manifold.count_within(shell);
            if within > 0 {
                let (a, b) = (self.party(manifold.a), self.party(manifold.b));
                touches.touching.push((a.min(b), a.max(b)));
                count += within;
            }
        }
        for contact in &self.solid.contacts {
            let [a, b] = contact.bodies.map(|at| self.party(self.solid.side(at)));
            touches.touching.push((a.min(b), a.max(b)));
            count += 1;
        }
        touches.touching.sort_unstable();
        touches.touching.dedup();
        difference(&touches.touching, &touches.touched_before, |(a, b)| {
            touches.events.push(Event::ContactBegan(a, b));
        });
        difference(&touches.touched_before, &touches.touching, |(a, b)| {
            touches.events.push(Event::ContactEnded(a, b));
        });
        self.touches = touches;
        self.report.contacts = count;
    }

    /// Notes impacts: contacts that close faster than rest explains and were pushed.
    pub(super) fn note_collisions(&mut self, h: f64) {
        let threshold = 2.0 * self.options.gravity.norm() * h;
        let velocity_at = |side: Side, point: DVec3| match side {
            Side::Body(body) => {
                let velocity = &self.before[body as usize];
                velocity.velocity_at(point - self.bodies.poses[body as usize].translation)
            }
            Side::Link { mover, link } => self.movers[mover as usize].twist_at(link, point).linear,
        };
        let mut touches = std::mem::take(&mut self.touches);
        std::mem::swap(&mut touches.pushed, &mut touches.pushed_before);
        touches.pushed.clear();
        let mut before = touches.pushed_before.iter().peekable();
        for manifold in self.contacts.manifolds().filter(ManifoldView::is_pushed) {
            // One event for a pair: its manifolds stand side by side, by ascending key; and what was pushed before met before.
            if touches.pushed.last() == Some(&manifold.key) {
                continue;
            }
            touches.pushed.push(manifold.key);
            while before.next_if(|key| **key < manifold.key).is_some() {}
            if before.peek() == Some(&&manifold.key) {
                continue;
            }
            let met = manifold.points().filter(|contact| contact.impulse.dot(contact.normal) > 0.0).find_map(
                |contact| {
                    let relative =
                        velocity_at(contact.a, contact.point) - velocity_at(contact.b, contact.point);
                    let speed = -relative.dot(contact.normal);
                    (speed > threshold).then_some((contact.point, speed))
                },
            );
            if let Some((point, speed)) = met {
                let (a, b) = (self.party(manifold.a), self.party(manifold.b));
                touches.events.push(Event::Collision { a, b, point, speed });
            }
        }
        self.touches = touches;
    }
}

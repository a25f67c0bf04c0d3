//! The certified sweep of movers: links that move far in a step move only as far as is proven free.
//!
//! A mover takes its whole step first; what its links went through on the way, each from its pose before to its pose after, is
//! then asked of the certified time of impact, against free bodies on their ways and against other movers where they are. If something is met,
//! the mover goes back and takes only that part of its step, all links together, and the shorter ways are asked about
//! again; a body that came flying stops there, too. After a few rounds what still meets something stays where it was, which is always free.
//! So between any two steps there is a way for every link that goes through nothing, whatever the step's length.
//!
//! Movers go one after the other: those that had their turn are obstacles where they came to, the others where they still are.

use glam::DVec3;
use prall_detection::{ManifoldOptions, Manifolds, Touchable, find_manifolds};
use prall_math::{Motion, Norm, Pose};

use super::detect::may_meet;
use super::sweep::{FAR, SweepReport, impact};
use super::{Owner, World, remembered};

/// Overlap by which pairs that touch already may come deeper, as a part of the smaller half thickness, and most looks on the way.
const PACE: f64 = 0.25;
const MOST_PACES: f64 = 100.0;

/// Most that a link turns in a step near others, in rad: up to there the shorter way round is the way.
const MOST_TURN: f64 = 3.0;

/// How often a mover's step is shortened before it stays where it was. Its ways shorten with it, so that one round is the rule.
const MOST_ROUNDS: u32 = 4;

/// Memory that is used again in every step.
#[derive(Default)]
pub(super) struct LinkSweep {
    /// Where the shapes of the mover that has its turn were at the start.
    starts: Vec<Pose>,
    /// The state of that mover at the start.
    saved: Vec<u8>,
    candidates: Vec<Candidate>,
}

/// A link's shape and what it may meet, by their slots.
#[derive(Clone, Copy)]
struct Candidate {
    shape: usize,
    own: usize,
    other: usize,
    touching: bool,
}

impl World {
    /// Moves all movers to the end of the substep. To be called after bodies were moved and swept. Returns the work that took.
    pub(super) fn commit_movers(&mut self, h: f64) -> u64 {
        let mut report = SweepReport::default();
        for number in 0..self.movers.len() {
            // Solid ones move later.
            if self.solid.state.is_solid_mover(number) {
                continue;
            }
            if !self.meets_nobody(number) && self.links_go_far(number, h) {
                self.commit_swept(number, h, &mut report);
            } else {
                self.movers[number].commit(h, 1.0);
            }
        }
        self.details.swept_pairs += report.swept;
        self.details.stopped += report.stopped;
        self.report.lost_time += report.lost_time;
        report.work
    }

    /// Whether a link may go far enough to pass through something.
    fn links_go_far(&self, number: usize, h: f64) -> bool {
        let mover = &self.movers[number];
        let thinnest = self.records.iter().fold(f64::INFINITY, |least, record| least.min(record.thickness));
        let fast = (0..self.bodies.len()).map(|at| self.body_way(at).0.norm()).fold(0.0, f64::max);
        self.mover_shapes[number].iter().any(|shape| {
            let twist = mover.twist_at(shape.link, mover.pose(shape.link).translation);
            let own = (twist.linear.norm() + twist.angular.norm() * shape.radius) * h;
            // Not a number is not far: such a world says so by `is_finite`.
            own + fast > FAR * thinnest.min(shape.thickness)
        })
    }

    fn commit_swept(&mut self, number: usize, h: f64, report: &mut SweepReport) {
        let mut memory = std::mem::take(&mut self.link_sweep);
        self.commit_proven(number, h, &mut memory, report);
        self.link_sweep = memory;
    }

    fn commit_proven(&mut self, number: usize, h: f64, memory: &mut LinkSweep, report: &mut SweepReport) {
        let mover = &self.movers[number];
        let place = |shape: &super::movers::MoverShape| mover.pose(shape.link) * shape.part.pose;
        memory.starts.clear();
        memory.starts.extend(self.mover_shapes[number].iter().map(place));
        let turn = (0..mover.links() as u32)
            .map(|link| mover.twist_at(link, DVec3::ZERO).angular.norm() * h)
            .fold(0.0, f64::max);
        mover.save_into(&mut memory.saved);
        self.movers[number].commit(h, 1.0);
        self.link_candidates(number, memory);
        let LinkSweep { starts, saved, candidates } = &*memory;
        report.swept += candidates.len();
        if candidates.is_empty() {
            return;
        }
        let mut fraction = 1.0;
        let mut shorten = |world: &mut World, to: f64| {
            fraction = to;
            // Its own state, which it has just written.
            let _ = world.movers[number].restore(saved);
            world.movers[number].commit(h, to);
            fraction
        };
        let mut at = if turn > MOST_TURN { shorten(self, MOST_TURN / turn) } else { 1.0 };
        for round in 0..=MOST_ROUNDS {
            let mut least = 1.0_f64;
            for candidate in candidates {
                let free = self.free_way(number, starts, candidate, &mut report.work);
                if free < 1.0 {
                    self.stop_body(candidate.other, if round < MOST_ROUNDS { free } else { 0.0 }, report);
                    least = least.min(free);
                }
            }
            if least >= 1.0 || at == 0.0 {
                break;
            }
            at = shorten(self, if round < MOST_ROUNDS { at * least } else { 0.0 });
        }
        if at < 1.0 {
            report.stopped += 1;
            report.lost_time = report.lost_time.max((1.0 - at) * h);
        }
    }

    /// Pairs of the mover's shapes with others that they may meet.
    fn link_candidates(&mut self, number: usize, memory: &mut LinkSweep) {
        for (shape, start) in self.mover_shapes[number].iter_mut().zip(&memory.starts) {
            let end = self.movers[number].pose(shape.link) * shape.part.pose;
            let bounds = shape.last_box.around(&shape.part.shape, start);
            let turned = start.rotation.angle_between(end.rotation) * shape.radius;
            let grown = bounds.grown(end.translation.distance(start.translation) + turned);
            let _ = self.index.update(shape.part.proxy, grown);
        }
        // What is as near as a pace has a contact that holds it apart, and no gap to speak of: a wheel that rolls is there in every step.
        let thinnest =
            self.mover_shapes[number].iter().map(|shape| shape.thickness).fold(f64::INFINITY, f64::min);
        let near = self.options.contact.shell.max(PACE * thinnest);
        let manifolds = self.contacts.manifolds().filter(|manifold| manifold.count_within(near) > 0);
        let mut touching = manifolds.map(|manifold| manifold.key).peekable();
        memory.candidates.clear();
        for pair in self.index.refresh().all {
            let slots = [pair.a.slot(), pair.b.slot()];
            let (Some(a), Some(b)) = (&self.placed[slots[0]], &self.placed[slots[1]]) else { continue };
            let key = remembered::key(pair);
            while touching.next_if(|other| *other < key).is_some() {}
            let touching = touching.peek() == Some(&key);
            if a.sensor || b.sensor || !may_meet(a, b, &self.apart) {
                continue;
            }
            for (own, other) in [(slots[0], slots[1]), (slots[1], slots[0])] {
                if let Owner::Link { mover, shape } = self.owners[own]
                    && mover as usize == number
                {
                    memory.candidates.push(Candidate { shape: shape as usize, own, other, touching });
                }
            }
        }
    }

    /// How a body has moved in this substep, and how far turning moved a point of it, in m.
    fn body_way(&self, at: usize) -> (DVec3, f64) {
        let (Some(start), end) = (self.sweep.start_of(at), self.bodies.poses[at]) else {
            return (DVec3::ZERO, 0.0);
        };
        let turn = start.rotation.angle_between(end.rotation);
        let radius = self.records[at].radius;
        (
            end.translation - start.translation,
            if turn > 0.0 && radius.is_finite() { turn * radius } else { 0.0 },
        )
    }

    /// The way of what a link may meet, how far it goes, and its thickness.
    fn way_of_other(&self, slot: usize) -> Option<(Motion, DVec3, f64, f64)> {
        match self.owners[slot] {
            Owner::Nobody => None,
            Owner::Link { mover, shape } => {
                let part = &self.mover_shapes[mover as usize][shape as usize];
                let still =
                    Motion::still(self.movers[mover as usize].pose(part.link) * part.part.pose).ok()?;
                Some((still, DVec3::ZERO, 0.0, part.thickness))
            }
            Owner::Body { body, shape } => {
                let at = body as usize;
                let local = self.records[at].shapes[shape as usize].pose;
                let (way, turning) = self.body_way(at);
                let start = self.sweep.start_of(at).unwrap_or(self.bodies.poses[at]);
                let (start, end) = (start * local, self.bodies.poses[at] * local);
                let motion = if way == DVec3::ZERO && turning == 0.0 {
                    Motion::still(end)
                } else {
                    Motion::slerp_about(start, end, local.inverse().translation)
                };
                Some((motion.ok()?, way, turning, self.records[at].thickness))
            }
        }
    }

    /// The part of the step for which a link's way is proven free of another shape.
    fn free_way(&mut self, number: usize, starts: &[Pose], candidate: &Candidate, work: &mut u64) -> f64 {
        let part = &self.mover_shapes[number][candidate.shape];
        let (start, end) = (starts[candidate.shape], self.movers[number].pose(part.link) * part.part.pose);
        // What goes straight is the link's centre of mass.
        let centre = part.part.pose.inverse().translation;
        let Ok(way) = Motion::slerp_about(start, end, centre) else { return 1.0 };
        let Some((other_way, way_of_other, turning, thickness)) = self.way_of_other(candidate.other) else {
            return 1.0;
        };
        let thickness = thickness.min(part.thickness);
        let turned = start.rotation.angle_between(end.rotation) * part.radius;
        let moved = end.transform_point(centre) - start.transform_point(centre) - way_of_other;
        let travel = moved.norm() + turned + turning;
        if !(travel > FAR * thickness) {
            return 1.0;
        }
        // The memory of the sweep of bodies, which has had its turn.
        let mut workspace = std::mem::take(&mut self.sweep.workspace);
        let mut manifolds = std::mem::take(&mut self.sweep.manifolds);
        let pair = (self.touchable(candidate.own), self.touchable(candidate.other));
        let free = if let (Some(own), Some(other)) = pair {
            let (pair, ways) = ([own, other], [&way, &other_way]);
            let answer = if candidate.touching {
                None
            } else {
                // A question that cannot be asked has no answer to rely on.
                Some(impact(pair, ways, thickness, &mut workspace, work).map_or((1.0, false), |answer| {
                    let overlap = answer.contact.is_some_and(|(_, contact)| contact.gap <= 0.0);
                    (answer.free_until, answer.free_until == 0.0 && overlap)
                }))
            };
            match answer {
                Some((free, false)) => free,
                _ => free_of_overlap(pair, ways, travel, PACE * thickness, &mut manifolds),
            }
        } else {
            1.0
        };
        (self.sweep.workspace, self.sweep.manifolds) = (workspace, manifolds);
        free
    }

    /// Puts a body that moves back to where it was after a part of its way.
    fn stop_body(&mut self, slot: usize, free: f64, report: &mut SweepReport) {
        let Owner::Body { body, .. } = self.owners[slot] else { return };
        let at = body as usize;
        let (way, turning) = self.body_way(at);
        let still = way == DVec3::ZERO && turning == 0.0;
        let Some(start) = self.sweep.start_of(at).filter(|_| self.bodies.is_movable(at) && !still) else {
            return;
        };
        if let Ok(way) = Motion::slerp(start, self.bodies.poses[at]) {
            let (end, before) = (self.bodies.poses[at], self.state_of(at));
            self.bodies.poses[at] = way.pose(free);
            // The spin stays as it is in body axes, and with it the kinetic energy.
            let spin = end.rotation.conjugate() * self.bodies.velocities[at].angular;
            self.bodies.velocities[at].angular = self.bodies.poses[at].rotation * spin;
            self.bodies.turn_inertia(at);
            self.book_stop(at, before);
            report.stopped += 1;
        }
    }
}

/// How far two shapes that touch can go before they overlap by more than a pace.
fn free_of_overlap(
    [a, b]: [&Touchable; 2],
    ways: [&Motion; 2],
    travel: f64,
    pace: f64,
    manifolds: &mut Manifolds,
) -> f64 {
    let paces = (travel / pace).ceil().clamp(1.0, MOST_PACES);
    let options = ManifoldOptions { margin: 0.0, ..ManifoldOptions::default() };
    let mut overlap = |t: f64| {
        // Poses of a motion are finite.
        let _ = find_manifolds(a, &ways[0].pose(t), b, &ways[1].pose(t), &options, manifolds);
        if manifolds.points().is_empty() { 0.0 } else { -manifolds.smallest_gap() }
    };
    let most = overlap(0.0).max(0.0) + pace;
    for step in 1..=paces as usize {
        if overlap(step as f64 / paces) > most {
            return (step - 1) as f64 / paces;
        }
    }
    1.0
}

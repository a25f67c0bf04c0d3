//! The certified sweep: what moves far in a step moves only as far as is proven free.
//!
//! Contacts look ahead along straight lines from the present poses. That holds for bodies that move by less than their thickness;
//! a stick that spins, or a bolt shot at a sheet, may pass between two looks. So pairs that move against each other by more than a part
//! of the thinner one's thickness are swept: the certified time of impact says how far they can go.
//!
//! Impacts are taken in the order of time. The bodies that meet first stop there, and from then on are obstacles at rest to all others,
//! which are swept against them again; before that moment nothing has changed, so that every event stops a body for good and
//! there are not more events than bodies. Jointed bodies stop together. Velocities stay: the contact, which has opened to the guard by then,
//! is solved in the next step. The time that a body did not move is reported as lost, and gravity does not act on it meanwhile.
//! A pair of which nothing can be proven does not move at all, and is counted.
//!
//! Pairs that touch from the start have a contact that holds them apart, and rest at gaps of either sign within the tolerance on
//! positions: half of such a gap is nothing that could be kept from step to step. What is proven for these is a depth. The
//! depth `d` of an overlap (the shortest way apart) changes by no more than points move, so from a look at time `t` that finds `d(t)`
//! it stays below `d_most` until `t + (d_most - d(t)) / rate`, and the next look is then. Bodies that pass through each other are
//! deeper than the thinner one's half thickness on the way, which `d_most` is far below. Surfaces without an inside (meshes, height
//! fields) have a depth only near their triangles; for them a look is a sample.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;
use prall_detection::{
    Budget, ImpactOptions, ManifoldOptions, Manifolds, TimeOfImpact, Touchable, Workspace, find_manifolds,
    shape_time_of_impact,
};
use prall_geometry::Aabb;
use prall_math::{Motion, Norm, Pose, PrecessionMotion};
use prall_mechanics::Side;

use super::detect::{along, may_meet, touchable};
use super::{World, remembered};

/// Pairs are swept if they move against each other by more than this part of the smaller half thickness: what moves less ends on
/// the side where it began, and its contact still knows which side that is.
pub(super) const FAR: f64 = 0.5;

/// Pairs that touch from the start may get as deep as this part of the smaller half thickness.
const DEEPER: f64 = 0.25;

/// Where less than this part of [`DEEPER`] is left, the way ends: looks would come closer and closer.
const LAST_PART: f64 = 0.02;

/// Looks at a pair that touches, at most: ways of a hundred times the thickness. What is beyond is not moved.
const MOST_LOOKS: usize = 400;

/// Gap that is kept to what is met, in m, less than where contacts let bodies come to rest; and as a part of the smaller half thickness
/// at most.
const GUARD: f64 = 5e-6;
const GUARD_SHARE: f64 = 0.01;

/// Work for one pair, of bodies and of links alike; what it does not finish is not moved further. Two boxes take some ten units, a box and
/// a mesh some hundred: this bounds what a pair costs that grazes another for many turns, to a few ms.
const MOST_WORK: u64 = 2_000;

/// A pair farther apart than this, in m, can go a part of its way, however short: some guards.
const LEAST_ROOM: f64 = 1e-4;

/// What is left between balls and boxes that are said to be apart, in m: more than the guard and than rounding a thousand km away.
const ROOM: f64 = 1e-5;

/// The shorter way round is the way up to this angle, in rad; faster spin goes as its velocity says.
const SHORTER_WAY: f64 = 3.0;

/// Flights of a tree that stops are tried so often, each shorter than the last; then it stays.
const FLIGHTS: usize = 6;

/// Two shapes that may meet in the step.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    slots: [usize; 2],
    bodies: [usize; 2],
    /// They touch at the start of the step.
    touching: bool,
    /// Smaller half thickness, in m.
    thickness: f64,
    /// Changes when a body stops: events of before are void.
    version: u32,
}

/// What the sweep needs to know, kept from step to step only as memory.
#[derive(Default)]
pub(super) struct Sweep {
    /// Poses at the start of the substep.
    starts: Vec<Pose>,
    /// By body: its way, and how far turning moves a point of it at most, in m.
    ways: Vec<(DVec3, f64)>,
    /// By body: the part of the substep after which it stops; 1 for those that do not.
    stops: Vec<f64>,
    /// By body: a box around all that it can reach on its way, wherever it stops.
    rooms: Vec<Aabb>,
    candidates: Vec<Candidate>,
    /// Body and candidate, sorted.
    partners: Vec<(usize, usize)>,
    /// Bits of the time (which order like the time itself), candidate, version.
    events: BinaryHeap<Reverse<(u64, usize, u32)>>,
    /// Bodies that the present event stops.
    stopped: Vec<usize>,
    pub(super) workspace: Workspace,
    pub(super) manifolds: Manifolds,
}

/// The certified time of impact of a pair, as the sweep of bodies and that of links ask for it. `thickness` is the smaller half
/// thickness. None for motions that are none.
pub(super) fn impact(
    [a, b]: [&Touchable; 2],
    ways: [&Motion; 2],
    thickness: f64,
    workspace: &mut Workspace,
    work: &mut u64,
) -> Option<TimeOfImpact> {
    let options = ImpactOptions { guard: GUARD.min(GUARD_SHARE * thickness), ..ImpactOptions::default() };
    let mut budget = Budget::of_work(MOST_WORK);
    let answer = shape_time_of_impact(a, ways[0], b, ways[1], &options, &mut budget, workspace);
    *work += budget.used();
    answer.ok()
}

impl Sweep {
    /// When a body stops, as a part of the substep; 1 if it does not.
    pub(super) fn stop_of(&self, body: usize) -> f64 {
        self.stops.get(body).copied().unwrap_or(1.0)
    }

    /// Where a body was at the start of the substep.
    pub(super) fn start_of(&self, body: usize) -> Option<Pose> {
        self.starts.get(body).copied()
    }
}

/// What the sweep did in a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SweepReport {
    pub(super) swept: usize,
    pub(super) stopped: usize,
    /// Pairs of which nothing could be proven: they did not move.
    pub(super) unproven: usize,
    /// Pairs in which a body that nothing stops ran into another.
    pub(super) crushed: usize,
    /// Longest time that a body did not move, in s.
    pub(super) lost_time: f64,
    pub(super) work: u64,
}

impl World {
    /// Remembers where everything is before it moves.
    pub(super) fn begin_sweep(&mut self) {
        self.sweep.starts.clone_from(&self.bodies.poses);
    }

    /// Takes back the last part of the way of bodies that would run into others. To be called after the move.
    pub(super) fn sweep_bodies(&mut self, h: f64) -> SweepReport {
        let mut sweep = std::mem::take(&mut self.sweep);
        let mut report = SweepReport::default();
        if self.measure_travel(&mut sweep, h) {
            self.find_stops(&mut sweep, h, &mut report);
            for round in 1..=FLIGHTS {
                if !self.fly_shorter(&sweep, h, round == FLIGHTS, &mut report) {
                    break;
                }
                self.measure_travel(&mut sweep, h);
                self.find_stops(&mut sweep, h, &mut report);
            }
            self.stay_there(&sweep, h, &mut report);
        }
        self.sweep = sweep;
        report
    }

    /// Finds when bodies stop.
    fn find_stops(&mut self, sweep: &mut Sweep, h: f64, report: &mut SweepReport) {
        self.find_candidates(sweep);
        for number in 0..sweep.candidates.len() {
            self.foresee(sweep, number, 0.0, h, report);
        }
        while let Some(Reverse((bits, number, version))) = sweep.events.pop() {
            if sweep.candidates[number].version == version {
                self.stop_both(sweep, number, f64::from_bits(bits), h, report);
            }
        }
    }

    /// How far bodies move; true if some move far enough to be looked at.
    fn measure_travel(&self, sweep: &mut Sweep, h: f64) -> bool {
        sweep.ways.clear();
        sweep.stops.clear();
        sweep.stops.resize(self.bodies.len(), 1.0);
        let (mut farthest, mut thinnest) = (0.0_f64, f64::INFINITY);
        for (at, record) in self.records.iter().enumerate() {
            let velocity = self.bodies.velocities[at];
            let (mut way, mut turning) = (DVec3::ZERO, 0.0);
            let (start, end) = (&sweep.starts[at], &self.bodies.poses[at]);
            if start != end && !record.untouchable && !record.shapes.is_empty() {
                let turn = angle_bound(start, end).max(velocity.angular.norm() * h);
                let turn = if turn > SHORTER_WAY {
                    let [turn, spin] = self.rotors[at].turns(start.rotation, self.start_spin(sweep, at), h);
                    (turn + start.rotation * spin).norm()
                } else {
                    turn
                };
                way = end.translation - start.translation;
                turning = if turn > 0.0 { turn * record.radius } else { 0.0 };
            }
            sweep.ways.push((way, turning));
            farthest = farthest.max(way.norm() + turning);
            thinnest = thinnest.min(record.thickness);
        }
        // Not a number is not far: such a world says so by `is_finite`.
        farthest.is_finite() && 2.0 * farthest > FAR * thinnest
    }

    /// Pairs that may meet, and move far against each other or would if one of them stopped.
    fn find_candidates(&mut self, sweep: &mut Sweep) {
        sweep.candidates.clear();
        sweep.partners.clear();
        sweep.events.clear();
        // Bodies that the solve sent elsewhere than their boxes foresaw get larger ones.
        for at in (0..self.records.len()).filter(|&at| sweep.ways[at] != (DVec3::ZERO, 0.0)) {
            let (way, turning) = sweep.ways[at];
            // However often a body turns, it stays within its radius.
            let turning = turning.min(2.0 * self.records[at].radius) + ROOM;
            for shape in &self.records[at].shapes {
                let here = shape.shape.aabb(&(sweep.starts[at] * shape.pose));
                let needed = along(&here, way).grown(turning);
                let Ok(bounds) = self.index.bounds(shape.proxy) else { continue };
                if !(bounds.contains(needed.min) && bounds.contains(needed.max)) {
                    self.found[at].1 = f64::NAN;
                    let larger = bounds.union(&needed);
                    let _ = self.index.update(shape.proxy, larger);
                }
            }
        }
        self.find_rooms(sweep);
        let shell = self.options.contact.shell;
        let touching = self.contacts.manifolds().filter(|manifold| manifold.count_within(shell) > 0);
        let mut touching = touching.map(|manifold| manifold.key).peekable();
        for pair in self.index.refresh().all {
            let slots = [pair.a.slot(), pair.b.slot()];
            let (Some(a), Some(b)) = (&self.placed[slots[0]], &self.placed[slots[1]]) else { continue };
            let (Side::Body(i), Side::Body(j)) = (a.side, b.side) else { continue };
            let bodies = [i as usize, j as usize];
            // Solid bodies have not moved yet: their own step sweeps them against bodies of given motion.
            if bodies.iter().any(|&at| self.solid.state.is_solid(at))
                && bodies.iter().any(|&at| !self.bodies.is_movable(at))
            {
                continue;
            }
            let ways = bodies.map(|at| sweep.ways[at]);
            let travel = ways[0].0.norm() + ways[1].0.norm() + ways[0].1 + ways[1].1;
            let thickness = bodies.map(|at| self.records[at].thickness);
            let thickness = thickness[0].min(thickness[1]);
            let rooms = bodies.map(|at| &sweep.rooms[at]);
            if travel <= FAR * thickness || !rooms[0].overlaps(rooms[1]) {
                continue;
            }
            if a.sensor || b.sensor || !may_meet(a, b, &self.apart) {
                continue;
            }
            let key = remembered::key(pair);
            while touching.next_if(|other| *other < key).is_some() {}
            let touching = touching.peek() == Some(&key);
            let number = sweep.candidates.len();
            sweep.partners.extend(bodies.map(|at| (at, number)));
            sweep.candidates.push(Candidate { slots, bodies, touching, thickness, version: 0 });
        }
        sweep.partners.sort_unstable();
    }

    /// Boxes around ways: of a body that moves around the ball about its centre, of others as in the index.
    fn find_rooms(&self, sweep: &mut Sweep) {
        sweep.rooms.clear();
        for (at, record) in self.records.iter().enumerate() {
            let (start, end) = (sweep.starts[at].translation, self.bodies.poses[at].translation);
            let room = if sweep.ways[at] == (DVec3::ZERO, 0.0) {
                let boxes = record.shapes.iter().filter_map(|shape| self.index.bounds(shape.proxy).ok());
                boxes.fold(Aabb::EMPTY, |all, shape| all.union(shape))
            } else {
                Aabb { min: start.min(end), max: start.max(end) }.grown(record.radius + ROOM)
            };
            sweep.rooms.push(room);
        }
    }

    /// Whether the balls around two bodies meet from a time on. Centres go straight until their bodies stop, so that
    /// the balls come nearest where `|apart + t closing|` is least.
    fn balls_meet(&self, sweep: &Sweep, bodies: [usize; 2], from: f64) -> bool {
        let [a, b] = bodies.map(|at| {
            let (way, _) = sweep.ways[at];
            let moves = sweep.stops[at] > from;
            let place = sweep.starts[at].translation + way * sweep.stops[at].min(from);
            (place, if moves { way * (1.0 - from) } else { DVec3::ZERO }, self.records[at].radius)
        });
        let (apart, closing) = (a.0 - b.0, a.1 - b.1);
        let when = -apart.dot(closing) / closing.length_squared();
        // Of bodies that keep their distance any time will do.
        let when = if when > 0.0 { when.min(1.0) } else { 0.0 };
        let reach = a.2 + b.2 + ROOM;
        // Written so that what is not a number meets.
        !((apart + closing * when).length_squared() > reach * reach)
    }

    /// The way of a body, or of a shape with this pose in it, from a time on.
    fn way(&self, sweep: &Sweep, at: usize, local: &Pose, from: f64, h: f64) -> Option<Motion> {
        let (start, end) = (sweep.starts[at] * *local, self.bodies.poses[at] * *local);
        if sweep.starts[at] == self.bodies.poses[at] {
            return Motion::still(end).ok();
        }
        // What goes straight is the centre of mass.
        let centre = local.inverse().translation;
        let whole = if !self.turns_far(at, h) && !self.flies_as_a_top(sweep, at, h) {
            Motion::slerp_about(start, end, centre)
        } else {
            let rotation = sweep.starts[at].rotation;
            let [turn, spin] = self.rotors[at].turns(rotation, self.start_spin(sweep, at), h);
            Motion::precession(PrecessionMotion {
                start,
                reference: centre,
                velocity: self.bodies.poses[at].translation - sweep.starts[at].translation,
                turn,
                spin: local.rotation.conjugate() * spin,
            })
        };
        let stop = sweep.stops[at];
        let whole = whole.ok()?;
        if from >= stop { Motion::still(whole.pose(stop)).ok() } else { whole.part(from, 1.0).ok() }
    }

    /// Whether the way of a body is more than the shorter one round. The step of a tree turns its bodies by less than half a turn.
    fn turns_far(&self, at: usize, h: f64) -> bool {
        !self.system.is_carried(at) && self.bodies.velocities[at].angular.norm() * h > SHORTER_WAY
    }

    /// Whether a body has an axis of symmetry and turns from its start to its end as it would in free flight. The shorter way round is not that
    /// flight: it leaves it by a small tilt, and the angular momentum there has another energy. A stick of 1:20 whose pose is off by 0.005 rad
    /// has a spin that is off by twice its angular velocity.
    fn flies_as_a_top(&self, sweep: &Sweep, at: usize, h: f64) -> bool {
        /// Angle in rad, far below what a guard notices.
        const SAME: f64 = 1e-9;
        let rotor = &self.rotors[at];
        if !rotor.is_symmetric() || rotor.is_round() || self.system.is_carried(at) {
            return false;
        }
        let flown = rotor.turned(sweep.starts[at].rotation, self.start_spin(sweep, at), h);
        (flown.conjugate() * self.bodies.poses[at].rotation).xyz().norm() < SAME
    }

    /// The angular velocity that a body had at the start if only its angular momentum stayed.
    fn start_spin(&self, sweep: &Sweep, at: usize) -> DVec3 {
        let (rotor, end) = (&self.rotors[at], self.bodies.velocities[at].angular);
        if !self.bodies.is_movable(at) {
            return end;
        }
        rotor.velocity(sweep.starts[at].rotation, rotor.momentum(self.bodies.poses[at].rotation, end))
    }

    fn shape(&self, slot: usize) -> Option<(&Touchable, Pose)> {
        let super::Owner::Body { body, shape } = self.owners[slot] else { return None };
        let local = self.records[body as usize].shapes[shape as usize].pose;
        Some((touchable(&self.owners, &self.records, &self.mover_shapes, slot)?, local))
    }

    /// How far two bodies move against each other from a time on, in m, at most.
    fn travel(&self, sweep: &Sweep, bodies: [usize; 2], from: f64) -> f64 {
        let moves = |at: usize| if sweep.stops[at] > from { 1.0 - from } else { 0.0 };
        let [a, b] = bodies.map(|at| {
            let (way, turning) = sweep.ways[at];
            (way * moves(at), turning * moves(at))
        });
        (a.0 - b.0).norm() + a.1 + b.1
    }

    /// Files the next event of a pair after a time, if there is one.
    fn foresee(&self, sweep: &mut Sweep, number: usize, from: f64, h: f64, report: &mut SweepReport) {
        let candidate = sweep.candidates[number];
        let travel = self.travel(sweep, candidate.bodies, from);
        // What moves little against each other may still move far once one of the two has stopped; then it is looked at again.
        if travel <= FAR * candidate.thickness || !self.balls_meet(sweep, candidate.bodies, from) {
            return;
        }
        report.swept += 1;
        let proven = self.free_part(sweep, &candidate, from, travel, h, &mut report.work);
        report.unproven += usize::from(proven.is_none());
        let free = proven.unwrap_or(0.0);
        if free < 1.0 {
            let time = from + (1.0 - from) * free;
            sweep.events.push(Reverse((time.to_bits(), number, candidate.version)));
        }
    }

    /// The part of the time left in which a pair is proven free; none if nothing can be proven.
    fn free_part(
        &self,
        sweep: &mut Sweep,
        candidate: &Candidate,
        from: f64,
        travel: f64,
        h: f64,
        work: &mut u64,
    ) -> Option<f64> {
        let (a, local_a) = self.shape(candidate.slots[0])?;
        let (b, local_b) = self.shape(candidate.slots[1])?;
        let way_a = self.way(sweep, candidate.bodies[0], &local_a, from, h)?;
        let way_b = self.way(sweep, candidate.bodies[1], &local_b, from, h)?;
        if !candidate.touching {
            let answer = impact([a, b], [&way_a, &way_b], candidate.thickness, &mut sweep.workspace, work)?;
            let gap = answer.contact.map_or(f64::INFINITY, |(_, contact)| contact.gap);
            if answer.free_until > 0.0 {
                return Some(answer.free_until);
            }
            // A pair with room to move of which not even that is proven.
            if gap > LEAST_ROOM {
                return None;
            }
            if gap > 0.0 {
                return Some(0.0);
            }
        }
        let (ways, most) = ([&way_a, &way_b], DEEPER * candidate.thickness);
        free_of_overlap([a, b], ways, most, travel, &mut sweep.manifolds, work)
    }

    /// Stops the bodies of a pair, with all that is jointed to them, and looks anew at what may run into them.
    fn stop_both(&self, sweep: &mut Sweep, number: usize, time: f64, h: f64, report: &mut SweepReport) {
        let mut stopped = std::mem::take(&mut sweep.stopped);
        stopped.clear();
        let unstoppable = |at: usize| !self.bodies.is_movable(at) && sweep.ways[at] != (DVec3::ZERO, 0.0);
        report.crushed += usize::from(sweep.candidates[number].bodies.into_iter().any(unstoppable));
        for at in sweep.candidates[number].bodies {
            let component = self.system.component_of(at);
            let together = |other: usize| {
                other == at || component.is_some() && self.system.component_of(other) == component
            };
            let group = if component.is_some() { 0..self.bodies.len() } else { at..at + 1 };
            let moves = |other: usize| self.bodies.is_movable(other) && !self.sleepers.sleeps(other);
            for other in group.filter(|&other| moves(other) && together(other)) {
                if sweep.stops[other] > time {
                    sweep.stops[other] = time;
                    stopped.push(other);
                }
            }
        }
        for &at in &stopped {
            let first = sweep.partners.partition_point(|(body, _)| *body < at);
            let mut place = first;
            while let Some(&(body, number)) = sweep.partners.get(place)
                && body == at
            {
                sweep.candidates[number].version += 1;
                self.foresee(sweep, number, time, h, report);
                place += 1;
            }
        }
        sweep.stopped = stopped;
    }

    /// Puts bodies where they stopped.
    fn stay_there(&mut self, sweep: &Sweep, h: f64, report: &mut SweepReport) {
        for at in 0..self.bodies.len() {
            let swept =
                self.turns_far(at, h) && sweep.partners.binary_search_by_key(&at, |(body, _)| *body).is_ok();
            if sweep.stops[at] >= 1.0 && !swept {
                continue;
            }
            let way = self.way(sweep, at, &Pose::IDENTITY, 0.0, h);
            let pose = way.map_or(sweep.starts[at], |way| way.pose(sweep.stops[at]));
            let (stop, end) = (sweep.stops[at], self.bodies.poses[at]);
            let left = (1.0 - stop) * h;
            let rotor = &self.rotors[at];
            let spin = self.bodies.velocities[at].angular;
            let momentum = rotor.momentum(end.rotation, spin);
            // The pose on the way is what is proven free; the spin is that of the flight at that time, seen from the body, so that the kinetic
            // energy is the flight's. Where the way is the flight, so is the angular momentum.
            let flown = if self.system.is_carried(at) {
                end.rotation
            } else {
                rotor.turned(sweep.starts[at].rotation, self.start_spin(sweep, at), stop * h)
            };
            if !self.bodies.is_movable(at) {
                self.bodies.poses[at] = pose;
                continue;
            }
            let before = self.state_of(at);
            self.bodies.poses[at] = pose;
            let there = rotor.velocity(flown, momentum);
            self.bodies.velocities[at].angular = pose.rotation * (flown.conjugate() * there);
            self.bodies.turn_inertia(at);
            if left > 0.0 {
                let load = self.loads[at].force * self.bodies.responses[at].inverse_mass;
                let acceleration = self.options.gravity + load;
                let velocity = &mut self.bodies.velocities[at].linear;
                let back = end.translation - pose.translation;
                *velocity = if self.system.component_of(at).is_some() {
                    if self.pushed[at].any { *velocity } else { *velocity - acceleration * left }
                } else {
                    without_fall(*velocity, acceleration, back, self.pushed[at].any, left)
                };
                report.stopped += 1;
                report.lost_time = report.lost_time.max(left);
            }
            self.book_stop(at, before);
        }
    }
}

/// The velocity of a body that was put back by `back` metres and `left` seconds, without what a constant acceleration gave it on that part of its
/// way: along the acceleration `v^2` falls by `2 a back`, so that energy stays, also on the chord of a parabola. A body that something pushed
/// has rebounded or slides: it turns round for no load, and what rose on that part keeps its velocity. One that an impact has slowed down more than it fell
/// pays the rest of the fall with its velocity across.
fn without_fall(velocity: DVec3, acceleration: DVec3, back: DVec3, pushed: bool, left: f64) -> DVec3 {
    let Some(down) = acceleration.try_unit() else { return velocity };
    let (speed, fallen) = (velocity.dot(down), acceleration.dot(back));
    if pushed && !(fallen > 0.0 && speed != 0.0) {
        return velocity;
    }
    let then = if pushed { speed } else { speed - acceleration.dot(down) * left };
    let kept = speed * speed - 2.0 * fallen;
    if kept >= 0.0 {
        return velocity + down * (kept.sqrt().copysign(then) - speed);
    }
    let across = velocity - down * speed;
    across * (1.0 + kept / across.length_squared().max(f64::MIN_POSITIVE)).max(0.0).sqrt()
}

/// The angle between two poses, in rad, or a little more: half of it has the sine `s`, and `asin s <= s + (pi/2 - 1) s^3`.
fn angle_bound(start: &Pose, end: &Pose) -> f64 {
    let sine = (end.rotation * start.rotation.conjugate()).xyz().norm().min(1.0);
    2.0 * sine * (1.0 + (std::f64::consts::FRAC_PI_2 - 1.0) * sine * sine)
}

/// The part of their ways that two bodies which touch can go without getting deeper than `most` metres, or deeper than they are
/// if that is more. No point moves by more than `travel` against the other body. None if the first look fails.
fn free_of_overlap(
    [a, b]: [&Touchable; 2],
    ways: [&Motion; 2],
    most: f64,
    travel: f64,
    manifolds: &mut Manifolds,
    work: &mut u64,
) -> Option<f64> {
    let options = ManifoldOptions { margin: 0.0, ..ManifoldOptions::default() };
    let mut depth = |t: f64| {
        *work += 1;
        find_manifolds(a, &ways[0].pose(t), b, &ways[1].pose(t), &options, manifolds).ok()?;
        Some(if manifolds.points().is_empty() { 0.0 } else { -manifolds.smallest_gap() })
    };
    let first = depth(0.0)?;
    // What is too deep already may hardly get deeper.
    let deepest = most.max(first + 0.1 * most);
    let mut time = (deepest - first) / travel;
    for _ in 0..MOST_LOOKS {
        if time >= 1.0 {
            return Some(1.0);
        }
        let Some(depth) = depth(time) else { break };
        if deepest - depth <= LAST_PART * most {
            break;
        }
        time += (deepest - depth) / travel;
    }
    Some(time)
}

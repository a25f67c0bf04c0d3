//! The judge: every pair whose motion exceeds its proven gap is swept by the certified time of impact.
//!
//! A hit adds conditions and the island is solved again. What still hits after some rounds shortens the part; on the last try bodies stop
//! where they are proven free, in the order of time: everything proven stays proven, every event stops a body for good, so there are at
//! most as many events as bodies.

use std::time::Instant;

use glam::DVec3;
use prall_detection::{
    Budget, ContactPoint, ImpactOptions, NearFeature, NearOptions, TimeOfImpact, near_features,
    shape_time_of_impact,
};
use prall_math::{Motion, Norm, Pose, Twist};

use super::advance::{Advance, Outcome};
use super::part::NearPair;
use super::plane::{Moving, Passage, Proof, TurningNormal};
use super::row::Row;

/// Gap in guards that the sweep of touching pairs keeps, and width of its band.
const SWEEP_GUARD: f64 = 0.2;
const SWEEP_TOLERANCE: f64 = 0.05;
/// Work units for one sweep; what it does not finish counts as a hit where the proof ends.
const SWEEP_WORK: u64 = 200_000;
/// A pair that was apart and meets after more than this part of the smaller body's size is gone to first.
const GO_FIRST: f64 = 0.01;
/// Planes of conditions that are tried before a sweep.
const PLANES: usize = 2;
/// The same, of which each must prove only some triangles of a surface.
const SURFACE_PLANES: usize = 6;
/// What is proven free by a sweep and not by planes, a mesh in a mesh, is left to sweeps for this many proofs.
const INTERLOCKED: u8 = 15;
/// Pieces of a way by which planes are tried, one after the other.
const PIECES: [usize; 2] = [1, 4];
/// Halvings of a part because a solve did not converge.
const MAX_HALVINGS: usize = 6;

/// A hit of a sweep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Share of the way.
    pub(super) time: f64,
    pub(super) contact: Option<ContactPoint>,
}

/// The outcome of a pair's last sweep in a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    ways: [Twist; 2],
    pub(super) hit: Option<Hit>,
    /// Gap in m that is proven along the way up to the hit.
    pub(super) kept: f64,
}

impl Advance<'_> {
    /// Solves and sweeps until nothing hits; the ways are in `x`, and end early where bodies were stopped.
    pub(super) fn solve_and_sweep(&mut self, dt: f64) -> Outcome {
        self.dt = dt;
        let scale = dt * dt;
        for row in &mut self.rows {
            row.normal_force *= scale;
            row.tangential_force *= scale;
        }
        for joint in &mut self.scene.joints {
            joint.forces.iter_mut().for_each(|force| *force *= scale);
        }
        let outcome = self.rounds(dt);
        if let Outcome::Shorten(_) = outcome {
            // Forces of joints are kept in N from try to try.
            for joint in &mut self.scene.joints {
                joint.forces.iter_mut().for_each(|force| *force /= scale);
            }
        }
        outcome
    }

    fn rounds(&mut self, dt: f64) -> Outcome {
        self.resting.fill(false);
        self.troubled.fill(false);
        self.coupled.fill(false);
        self.ends.fill(1.0);
        let mut solved = 0;
        for round in 0.. {
            let start = Instant::now();
            for island in self.islands(|row| row >= solved) {
                if round > 0 && !island.new {
                    continue;
                }
                let error = self.solve_island(&island);
                if error > 0.5 && !self.last_try && self.halvings < MAX_HALVINGS {
                    self.halvings += 1;
                    self.report.phases.solve += start.elapsed();
                    return Outcome::Shorten(0.5);
                }
            }
            self.report.phases.solve += start.elapsed();
            solved = self.rows.len();
            if let Some(share) = self.turned_too_far() {
                return Outcome::Shorten(share);
            }
            let start = Instant::now();
            self.follow_ways();
            let hits = self.sweep_near(|_| true);
            self.report.phases.sweep += start.elapsed();
            if hits.is_empty() {
                if self.ends.iter().any(|end| *end < 1.0) {
                    self.lose(dt);
                }
                return Outcome::Done;
            }
            self.report.hits += hits.len();
            if round == 0
                && !self.last_try
                && let Some(share) = self.new_impact(&hits)
            {
                return Outcome::Shorten(share);
            }
            if round >= self.scene.options.max_rounds {
                let first = hits.iter().filter_map(|&n| self.hit(n)).fold(1.0_f64, |t, hit| t.min(hit.time));
                if !self.last_try && first > 0.05 {
                    return Outcome::Shorten(first.min(0.9));
                }
                self.stop(dt);
                return Outcome::Done;
            }
            let before = self.rows.len();
            let mut returned = false;
            for &number in &hits {
                returned |= self.join(number);
            }
            if self.rows.len() == before && !returned {
                // Nothing new is known of these hits.
                self.stop(dt);
                return Outcome::Done;
            }
            if returned {
                solved = 0;
            }
        }
        Outcome::Done
    }

    pub(super) fn hit(&self, number: usize) -> Option<Hit> {
        self.near[number].swept.and_then(|swept| swept.hit)
    }

    /// The share of the part that keeps a touching body's turn small enough, if contacts turn one too far.
    fn turned_too_far(&self) -> Option<f64> {
        if self.last_try {
            return None;
        }
        let bodies = self.scene.bodies.iter().zip(&self.x);
        let shares = bodies.filter(|(body, _)| body.is_movable() && body.touching).filter_map(|(body, x)| {
            let (turn, cap) = (body.counted_turn(x), self.turn_cap(body));
            (turn > 1.5 * cap).then(|| cap / turn)
        });
        shares.reduce(f64::min)
    }

    /// The share of the part up to the first impact of pairs that are apart, if that is some way and velocities foretell it: what touches or hangs on joints
    /// goes on as it goes, the rest flies. To solve first, and then to find the impact, would be in vain.
    pub(super) fn foreseen_impact(&mut self, dt: f64) -> Option<f64> {
        for (at, body) in self.scene.bodies.iter().enumerate() {
            let held = body.is_free() && (body.touching || body.jointed);
            self.x[at] = if held { body.velocity * dt } else { self.goal[at] };
        }
        let apart = |pair: &NearPair| pair.gap > 4.0 * pair.guard;
        let hits = self.sweep_near(apart);
        let share = self.new_impact(&hits);
        self.x.clone_from(&self.goal);
        share
    }

    /// The share of the part up to the first hit of pairs that were apart, if that is some way.
    fn new_impact(&self, hits: &[usize]) -> Option<f64> {
        let shares = hits.iter().filter_map(|&number| {
            let (pair, hit) = (&self.near[number], self.hit(number)?);
            let way = hit.time * self.bound(pair, &self.x);
            // What rebounds does so at the place where it meets.
            let elastic = pair.restitution > 0.0;
            let far = if elastic { 4.0 * pair.guard } else { GO_FIRST * pair.size };
            (pair.gap > 4.0 * pair.guard && way > far && hit.time > 1e-3).then_some(hit.time)
        });
        shares.reduce(f64::min).filter(|share| *share < 0.95)
    }

    /// Sweeps every wanted pair that needs it; the numbers of those that hit.
    fn sweep_near(&mut self, wanted: impl Fn(&NearPair) -> bool) -> Vec<usize> {
        let mut hits = Vec::new();
        for number in 0..self.near.len() {
            let pair = &self.near[number];
            if !wanted(pair) {
                continue;
            }
            let ways = pair.bodies.map(|at| self.x[at]);
            if pair.swept.is_none_or(|swept| swept.ways != ways) {
                let swept = self.swept(number, ways);
                self.near[number].swept = Some(swept);
            }
            if self.hit(number).is_some() {
                hits.push(number);
            }
        }
        hits
    }

    fn swept(&mut self, number: usize, ways: [Twist; 2]) -> Swept {
        let pair = &self.near[number];
        let memory = &self.memory.pairs[pair.memory];
        let (g, bound) = (pair.guard, self.bound(pair, &self.x));
        let free = Swept { ways, hit: None, kept: 0.0 };
        if memory.is_free() {
            return free;
        }
        if bound <= 0.5 * memory.proven || bound + SWEEP_GUARD * g <= memory.proven {
            self.report.skipped += usize::from(bound > 0.0);
            return free;
        }
        let apart = pair.gap > 1.2 * g && !pair.joined;
        let guard = if apart { g } else { SWEEP_GUARD * g };
        let memory = &mut self.memory.pairs[self.near[number].memory];
        let by_planes = memory.interlocked == 0;
        memory.interlocked = memory.interlocked.saturating_sub(1);
        if by_planes && let Some(kept) = self.proven_by_planes(number, &ways, guard) {
            self.report.skipped += 1;
            return Swept { kept, ..free };
        }
        self.report.swept += 1;
        let pair = &self.near[number];
        let shapes = pair.shapes.map(|shape| &self.scene.shapes[shape]);
        let motions =
            [0, 1].map(|side| self.scene.bodies[pair.bodies[side]].motion(&shapes[side].pose, &ways[side]));
        let Some(answer) = self.impact(number, &motions, guard) else {
            return Swept { hit: Some(Hit { time: 0.0, contact: None }), ..free };
        };
        let mut hit = match answer.contact {
            Some((time, contact)) => Some(Hit { time, contact: Some(contact) }),
            None if answer.finished => {
                let NearPair { shapes, memory, .. } = &self.near[number];
                if by_planes && shapes.iter().all(|&at| self.scene.shapes[at].boundary.has_surface()) {
                    self.memory.pairs[*memory].interlocked = INTERLOCKED;
                }
                None
            }
            None => Some(Hit { time: answer.free_until, contact: None }),
        };
        // A gap far below its guard may only grow, or it would fade to nothing by halves.
        if self.is_faint(number) && (hit.is_some() || self.closes_further(number)) {
            hit = Some(Hit { time: 0.0, contact: hit.and_then(|hit| hit.contact) });
        }
        Swept { ways, hit, kept: answer.kept }
    }

    /// The gap in m, at least `guard`, that planes prove for the whole way; none if no planes that were tried do.
    fn proven_by_planes(&mut self, number: usize, ways: &[Twist; 2], guard: f64) -> Option<f64> {
        for pieces in PIECES {
            match self.plane_between(number, ways, guard, pieces) {
                Proof::Kept(kept) => return Some(kept),
                Proof::Bent => {}
                Proof::Crossed => return None,
            }
        }
        None
    }

    /// What planes prove of a way that is cut into pieces.
    fn plane_between(&mut self, number: usize, ways: &[Twist; 2], guard: f64, pieces: usize) -> Proof {
        let mut bent = false;
        let pair = &self.near[number];
        let sides = [0, 1].map(|side| Moving {
            shape: &self.scene.shapes[pair.shapes[side]],
            body: &self.scene.bodies[pair.bodies[side]],
            way: &ways[side],
        });
        let ends = [0.0, 1.0]
            .map(|share| [0, 1].map(|side: usize| sides[side].body.moved_surface(sides[side].way, share)));
        // From the second shape to the first, nearest features first.
        let mut rows: Vec<&Row> = self.rows[pair.rows.clone()].iter().collect();
        rows.sort_by(|x, y| x.start.gap.total_cmp(&y.start.gap));
        rows.dedup_by(|x, y| x.start.normal.dot(y.start.normal) > 1.0 - 1e-9);
        let of_row = |row: &&Row| [row.start.normal, row.at([&ends[1][0], &ends[1][1]]).normal];
        let last = self.memory.pairs[pair.memory].plane;
        let known = (last != DVec3::ZERO).then(|| ends.map(|[first, _]| first.transform_vector(last)));
        let normals = |most: usize| rows.iter().map(of_row).take(most).chain(known);
        let swap = |normal: TurningNormal| normal.map(|n| -n);
        // Seen from the body that turns less.
        let swapped = sides[1].body.turn(&ways[1]) > sides[0].body.turn(&ways[0]);
        let (moving, planes) = if swapped { (&sides[1], &sides[0]) } else { (&sides[0], &sides[1]) };
        if let Some(passage) = Passage::new(moving, planes, pieces)
            && planes.shape.corners.is_some()
        {
            let nearest = || {
                let normal = |end: &[Pose; 2]| {
                    let [a, b] = [0, 1].map(|side: usize| end[side] * sides[side].shape.pose);
                    sides[0].shape.touchable.normal_between(&a, sides[1].shape.touchable, &b)
                };
                Some([normal(&ends[0])?, normal(&ends[1])?])
            };
            for normal in normals(PLANES).chain(std::iter::once_with(nearest).flatten()) {
                let seen = if swapped { swap(normal) } else { normal };
                let proof = passage.gap_over_plane(planes.shape, &seen, guard);
                if let Proof::Kept(_) = proof {
                    self.memory.pairs[pair.memory].plane = ends[0][0].inverse_transform_vector(normal[0]);
                    return proof;
                }
                bent |= proof == Proof::Bent;
            }
        }
        for (first, second, swapped) in [(&sides[0], &sides[1], false), (&sides[1], &sides[0], true)] {
            if !second.shape.boundary.has_surface() {
                continue;
            }
            let Some(passage) = Passage::new(first, second, pieces) else { continue };
            let normals = normals(SURFACE_PLANES).map(|normal| if swapped { swap(normal) } else { normal });
            let memory = &mut self.tools.planes;
            match passage.gap_over_surface(second.shape.boundary, normals, guard, memory) {
                Proof::Kept(kept) => return Proof::Kept(kept),
                proof => bent |= proof == Proof::Bent,
            }
        }
        if bent { Proof::Bent } else { Proof::Crossed }
    }

    fn impact(&mut self, number: usize, motions: &[Option<Motion>; 2], guard: f64) -> Option<TimeOfImpact> {
        let pair = &self.near[number];
        let [a, b] = pair.shapes.map(|shape| self.scene.shapes[shape].touchable);
        let options = ImpactOptions { guard, tolerance: SWEEP_TOLERANCE * pair.guard, relax_at_start: true };
        let mut budget = Budget::of_work(SWEEP_WORK);
        let workspace = &mut self.tools.workspace;
        let (first, second) = (motions[0].as_ref()?, motions[1].as_ref()?);
        let answer = shape_time_of_impact(a, first, b, second, &options, &mut budget, workspace);
        self.report.work += budget.used();
        answer.ok()
    }

    /// True if the gap of a pair is far below its guard at the start of the part.
    fn is_faint(&self, number: usize) -> bool {
        let pair = &self.near[number];
        pair.gap < SWEEP_GUARD * pair.guard
    }

    /// True if the gap of a pair is smaller at the end of the part.
    fn closes_further(&self, number: usize) -> bool {
        let pair = &self.near[number];
        let rows = self.rows.iter().filter(|row| row.pair == pair.memory && !row.dropped);
        let smallest = rows.fold(f64::INFINITY, |least, row| {
            let poses = row.bodies.map(|at| self.scene.bodies[at].moved(&self.x[at], 1.0));
            let end = row.at([&poses[0], &poses[1]]);
            if end.on_features { least.min(end.gap) } else { least }
        });
        smallest < pair.gap * (1.0 - 1e-6)
    }

    /// Adds the features that are near where a pair hits; true if one that was left out came back.
    fn join(&mut self, number: usize) -> bool {
        let Some(Hit { time, contact }) = self.hit(number) else { return false };
        let pair: NearPair = self.near[number].clone();
        self.near[number].joined = true;
        let g = pair.guard;
        let ends = [0, 1].map(|side| {
            let at = pair.bodies[side];
            self.scene.bodies[at].moved(&self.x[at], time) * self.scene.shapes[pair.shapes[side]].pose
        });
        let reach = contact.map_or(g, |contact| contact.gap) + 2.0 * g;
        let options = NearOptions { reach, slack: 0.1, max_triangle_pairs: 4_000 };
        let [a, b] = pair.shapes.map(|shape| self.scene.shapes[shape].boundary);
        let mut features = Vec::new();
        let workspace = &mut self.tools.workspace;
        let _ = near_features(a, &ends[0], b, &ends[1], &options, workspace, &mut features);
        let (mut returned, mut explained) = (false, false);
        for feature in &features {
            let known =
                self.rows.iter_mut().find(|row| row.pair == pair.memory && row.feature.name == feature.name);
            if let Some(row) = known {
                returned |= std::mem::take(&mut row.dropped);
                continue;
            }
            let mut row = self.row(&pair, feature);
            row.normal_force *= self.dt * self.dt;
            row.tangential_force *= self.dt * self.dt;
            let poses = row.bodies.map(|at| self.scene.bodies[at].moved(&self.x[at], 1.0));
            explained |= row.at([&poses[0], &poses[1]]).gap < row.target - 0.02 * g;
            self.rows.push(row);
        }
        if let Some(contact) = contact
            && !explained
            && !returned
        {
            let feature = NearFeature::from_contact(&contact, &ends[0], &ends[1], 1);
            let mut row = self.row(&pair, &feature);
            let poses = row.bodies.map(|at| self.scene.bodies[at].moved(&self.x[at], 1.0));
            if row.at([&poses[0], &poses[1]]).gap >= row.target {
                row.share = time.max(1e-3);
            }
            row.target = row.target.min(row.guard);
            self.rows.push(row);
        }
        returned
    }

    /// Stops bodies where their ways are proven free, in the order of time.
    fn stop(&mut self, dt: f64) {
        // What stands already stays.
        let mut ends = self.ends.clone();
        // Event of each pair: a time, or infinity.
        let mut events: Vec<f64> =
            (0..self.near.len()).map(|n| self.hit(n).map_or(f64::INFINITY, |hit| hit.time)).collect();
        loop {
            let still_moves =
                |n: usize, time: f64| self.near[n].bodies.iter().any(|&at| ends[at] > time && self.moves(at));
            let next = (0..events.len())
                .filter(|&n| events[n].is_finite() && still_moves(n, events[n]))
                .min_by(|&i, &j| events[i].total_cmp(&events[j]).then(i.cmp(&j)));
            let Some(number) = next else { break };
            let time = events[number];
            events[number] = f64::INFINITY;
            let mut stopped = self.near[number].bodies.to_vec();
            // What is jointed stops together.
            let mut place = 0;
            while place < stopped.len() {
                let at = stopped[place];
                for joint in self.scene.joints.iter().filter(|joint| joint.bodies.contains(&at)) {
                    for other in joint.bodies {
                        if self.scene.bodies[other].is_movable() && !stopped.contains(&other) {
                            stopped.push(other);
                        }
                    }
                }
                self.add_machine_of(at, &mut stopped);
                place += 1;
            }
            for at in stopped {
                // A machine has no way of its own that it could go a share of.
                let time = if self.scene.bodies[at].link.is_some() { 0.0 } else { time };
                if ends[at] <= time || !self.moves(at) {
                    continue;
                }
                ends[at] = time;
                self.report.stopped += 1;
                self.report.crushed += usize::from(!self.scene.bodies[at].is_movable());
                for (other, event) in events.iter_mut().enumerate() {
                    if self.near[other].bodies.contains(&at) {
                        *event = event.min(self.next_event(other, &ends));
                    }
                }
            }
        }
        let lost = ends.iter().fold(1.0_f64, |least, end| least.min(*end));
        self.lose((1.0 - lost) * dt);
        for (x, end) in self.x.iter_mut().zip(&ends) {
            if *end < 1.0 {
                *x = Twist { linear: x.linear * *end, angular: x.angular * *end };
            }
        }
        self.ends = ends;
    }

    /// Somebody did not move for `time` seconds.
    fn lose(&mut self, time: f64) {
        // Opening gaps takes no time.
        if !self.repairing {
            self.lost += time;
        }
        self.jammed = true;
    }

    fn moves(&self, at: usize) -> bool {
        self.x[at] != Twist::ZERO
    }

    /// Adds the links of a body's machine, if it is a link.
    fn add_machine_of(&self, at: usize, stopped: &mut Vec<usize>) {
        if self.scene.bodies[at].link.is_none() {
            return;
        }
        let machine =
            self.scene.machines.iter().find(|machine| machine.links.iter().any(|link| link.1 == at));
        for &(_, other) in machine.into_iter().flat_map(|machine| &machine.links) {
            if !stopped.contains(&other) {
                stopped.push(other);
            }
        }
    }

    /// When a pair meets of which a body has stopped and the other goes on; infinity if never.
    fn next_event(&mut self, number: usize, ends: &[f64]) -> f64 {
        let pair = &self.near[number];
        let memory = &self.memory.pairs[pair.memory];
        let [a, b] = pair.bodies;
        let from = ends[a].min(ends[b]);
        let (standing, going) = if ends[a] <= ends[b] { (0, 1) } else { (1, 0) };
        let far = pair.bodies.iter().zip(pair.shapes).map(|(&at, shape)| {
            let radius = self.scene.shapes[shape].radius;
            self.x[at].linear.norm() + self.scene.bodies[at].turning(&self.x[at], radius)
        });
        if memory.is_free() || far.sum::<f64>() <= 0.5 * memory.proven || ends[pair.bodies[going]] <= from {
            return f64::INFINITY;
        }
        let motion = |side: usize| {
            let at = pair.bodies[side];
            self.scene.bodies[at].motion(&self.scene.shapes[pair.shapes[side]].pose, &self.x[at])
        };
        let mut motions = [None, None];
        motions[standing] = motion(standing).and_then(|motion| Motion::still(motion.pose(from)).ok());
        motions[going] = motion(going).and_then(|motion| motion.part(from, 1.0).ok());
        let guard = SWEEP_GUARD * pair.guard;
        match self.impact(number, &motions, guard) {
            Some(answer) if answer.finished && answer.contact.is_none() => f64::INFINITY,
            Some(answer) if !self.is_faint(number) => from + (1.0 - from) * answer.free_until,
            _ => from,
        }
    }
}

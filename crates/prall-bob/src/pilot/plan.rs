//! [`Plan`]: the whole track from the finish backwards.
//!
//! The sled's runners stand a gauge apart on the section, its centre of mass on the perpendicular of their chord. With `R(c, s)` the
//! centre's place in the upright plane at the station s, `c` the arc length across (from the plan line to the right), and
//! `w = dc/dt`, `v = ds/dt`, Lagrange's equation across is
//!
//! ```text
//! R_c . ( R_c w' + R_cc w^2 + 2 R_cs v w + R_ss v^2 + (-k (1 + k x) v^2, h'' v^2 + g) ) = |R_c| p        p: push of the runners
//! ```
//!
//! and the load is the component along the perpendicular. The cost of a state is the least over pushes of the running cost plus the
//! cost of where it leads a metre further, between grid points bilinearly.

use glam::DVec2;

use crate::track::{Ice, PointMassRun, PointMassStart, Track};

/// What a plan weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanOptions {
    /// Of friction used, per second: full push costs this. Default 0.3.
    pub effort: f64,
    /// Of the square of the height above the floor in m, per second. Default 0.3.
    pub height: f64,
    /// Of the square of the distance to the middle on straights in m, per second. Default 1.
    pub middle: f64,
    /// Of the square of the speed in m/s at which a wall is met. Default 1.
    pub wall: f64,
    /// Of the square of the load that lacks to half a g, in units of g, per second. Default 60.
    pub flight: f64,
    /// Of every metre across where the wall has ended under the sled. Default 300.
    pub fall: f64,
    /// Of coming to the edge of the channel. Default 100.
    pub edge: f64,
    /// Friction coefficients across that he counts on, without load and from `full_load` on. Default 0.016 and 0.08: four fifths of the sled's.
    pub friction: [f64; 2],
    /// Load in units of g at which the runners are dug in. Default 3.1.
    pub full_load: f64,
    /// What happens this much later counts 1/e, in s. Default 8.
    pub horizon: f64,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions {
            effort: 0.3,
            height: 0.3,
            middle: 1.0,
            wall: 1.0,
            flight: 60.0,
            fall: 300.0,
            edge: 100.0,
            friction: [0.016, 0.08],
            full_load: 3.1,
            horizon: 8.0,
        }
    }
}

/// Rows are a metre apart.
const STEP: f64 = 1.0;
/// Rows between two tables of costs: interpolation blurs every time it is used.
const STAGE: usize = 4;
/// Arc lengths across that are looked at: from -REACH to REACH in m.
const REACH: f64 = 3.6;
const PLACES: usize = 101;
/// Rates across, from -FASTEST to FASTEST in m/s.
const FASTEST: f64 = 7.0;
const RATES: usize = 65;
/// Half the gauge and the height of the centre of mass in m; those of the two-man sled.
const HALF_GAUGE: f64 = 0.335;
const CENTRE: f64 = 0.295;
/// Half the width over the bumpers in m.
const HALF_WIDTH: f64 = 0.42;
/// A section that turns by more than this within the sled's width is a corner, in rad.
const MOST_TURNING: f64 = 0.9;
/// How near the sled's middle may come to the edge of the channel in m.
const TO_THE_EDGE: f64 = 0.5;
/// Pushes that are tried.
const PUSHES: [f64; 5] = [-1.0, -0.5, 0.0, 0.5, 1.0];
/// Pushes that a pilot weighs on his way.
const FINE_PUSHES: i32 = 5;
/// Time in s that passes until a wish is a push: the sled must turn first.
const DELAY: f64 = 0.12;
const G: f64 = 9.81;

fn place_of(index: usize) -> f64 {
    -REACH + 2.0 * REACH * index as f64 / (PLACES - 1) as f64
}

fn rate_of(index: usize) -> f64 {
    -FASTEST + 2.0 * FASTEST * index as f64 / (RATES - 1) as f64
}

/// One station.
#[derive(Clone, Debug)]
struct Row {
    /// Section under the sled's middle, by arc length across.
    ground: Vec<DVec2>,
    /// Centre of mass.
    centre: Vec<DVec2>,
    curvature: f64,
    bend: f64,
    speed: f64,
    /// Places between which the sled touches no wall.
    free: [f64; 2],
    floor: f64,
    motions: Vec<Motion>,
    /// Least cost by place and rate, from here on; only where a stage begins.
    cost: Vec<f32>,
}

/// What a pilot sees across the ice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    pub(super) across: f64,
    pub(super) rate: f64,
    /// Turning of the way about the normal of the ice in rad/s, positive to the left.
    pub(super) turning: f64,
}

/// What every state across the ice costs, at every station.
#[derive(Clone, Debug)]
pub struct Plan {
    begin: f64,
    rows: Vec<Row>,
    options: PlanOptions,
}

/// Terms of the motion across at a grid point: `w' = push + a + b w + c w^2`, load likewise.
#[derive(Clone, Copy, Debug)]
struct Motion {
    tangential: [f64; 3],
    load: [f64; 3],
    along: f64,
    stretch: f64,
}

impl Plan {
    /// Of a track, for the speeds of a point mass with its file's numbers and the start that is meant.
    pub fn new(track: &Track, ice: &Ice, start: PointMassStart, options: PlanOptions) -> Plan {
        let mass = PointMassRun::new(track, start, track.point_mass().mu);
        let begin = track.start().s_block;
        let (_, last) = ice.range();
        let end = (track.finish() + 60.0).min(last - STEP);
        let count = ((end - begin) / STEP) as usize;
        let mut rows: Vec<Row> = (0..count)
            .map(|i| {
                let s = begin + STEP * i as f64;
                row(track, ice, s, mass.at(s.clamp(0.0, track.finish())).speed.max(2.0))
            })
            .collect();
        for i in 0..count {
            rows[i].motions = motions(&rows, i);
        }
        let mut plan = Plan { begin, rows, options };
        let last = (count - 1) / STAGE * STAGE;
        plan.rows[last].cost = final_cost(&options);
        for i in (0..last).step_by(STAGE).rev() {
            plan.rows[i].cost = plan.backwards(i);
        }
        plan
    }

    fn row(&self, s: f64) -> usize {
        (((s - self.begin) / STEP).max(0.0) as usize).min(self.rows.len() - 2 - 2 * STAGE)
    }

    /// Place and rate across of a point in the plane at a station with a velocity there, by the section under it.
    pub(super) fn see(&self, s: f64, place: DVec2, velocity: DVec2, along: f64, before: f64) -> Seen {
        let i = self.row(s);
        let share = ((s - self.begin) / STEP - i as f64).clamp(0.0, 1.0);
        let (row, next) = (&self.rows[i], &self.rows[i + 1]);
        let ground = |j: usize| row.ground[j].lerp(next.ground[j], share);
        let mut best = (f64::INFINITY, 0.0, 0);
        for j in 0..PLACES - 1 {
            if (place_of(j) - before).abs() > 1.5 {
                continue;
            }
            let (p, q) = (ground(j), ground(j + 1));
            let f = ((place - p).dot(q - p) / (q - p).length_squared().max(1e-12)).clamp(0.0, 1.0);
            let distance = place.distance_squared(p.lerp(q, f));
            if distance < best.0 {
                best = (distance, place_of(j) + f * (place_of(j + 1) - place_of(j)), j);
            }
        }
        let (_, across, j) = best;
        let tangent = (ground(j + 1) - ground(j)).normalize_or(DVec2::X);
        let drift = (next.ground[j] - row.ground[j]) / STEP;
        // The way turns by the plan's curvature about the upright: its share about the normal of the ice.
        let turning = row.curvature * along * tangent.x;
        Seen { across, rate: tangent.dot(velocity - drift * along), turning }
    }

    /// The push from -1 (left) to 1 that costs least, if `before` is the one until it works.
    pub(super) fn push(&self, s: f64, across: f64, rate: f64, along: f64, before: f64) -> f64 {
        let first = self.row(s);
        let mut state = State { place: across, rate, cost: 0.0, weight: 1.0 };
        let wait = ((DELAY * along / STEP).round() as usize).min(self.rows.len() - 2 - 2 * STAGE - first);
        for i in first..first + wait {
            state = self.ahead(i, state, before);
        }
        let begin = first + wait;
        let end = (begin / STAGE + 2) * STAGE;
        let mut best = (f64::INFINITY, 0.0);
        for push in (-FINE_PUSHES..=FINE_PUSHES).map(|push| f64::from(push) / f64::from(FINE_PUSHES)) {
            let mut state = State { cost: 0.0, weight: 1.0, ..state };
            for i in begin..end {
                state = self.ahead(i, state, push);
            }
            let cost = state.cost + state.weight * cost_at(&self.rows[end].cost, state.place, state.rate);
            if cost < best.0 {
                best = (cost, push);
            }
        }
        best.1
    }

    /// A row further with a push.
    fn ahead(&self, i: usize, state: State, push: f64) -> State {
        let (row, next, options) = (&self.rows[i], &self.rows[i + 1], &self.options);
        let State { place: c, rate: w, cost, weight } = state;
        let x = ((c + REACH) * ((PLACES - 1) as f64 / (2.0 * REACH))).clamp(0.0, (PLACES - 1) as f64);
        let j = (x as usize).min(PLACES - 2);
        let motion = row.motions[j].between(&row.motions[j + 1], x - j as f64);
        let dt = STEP / motion.along;
        let load = motion.load[0] + (motion.load[1] + motion.load[2] * w) * w;
        let pressed = (load / (options.full_load * G)).clamp(0.0, 1.0);
        let friction = options.friction[0] + (options.friction[1] - options.friction[0]) * pressed;
        let force = friction * load.max(0.0) / motion.stretch;
        let change =
            motion.tangential[0] + (motion.tangential[1] + motion.tangential[2] * w) * w + push * force;
        let mut rate = (w + change * dt).clamp(-2.0 * FASTEST, 2.0 * FASTEST);
        let mut place = c + 0.5 * (w + rate) * dt;
        let height = row.ground[j].y - row.floor;
        let light = (0.5 - load / G).max(0.0);
        let mut running = options.height * height * height + options.flight * light * light;
        running += options.effort * push * push;
        if row.curvature.abs() < 1e-3 {
            running += options.middle * c * c;
        }
        let mut total = running * dt;
        let held = place.clamp(next.free[0], next.free[1]);
        if held != place {
            let hit = (rate * (place - held).signum()).max(0.0);
            // The edge of the channel is no wall; and a wall that unrolls under a sled lets it fall.
            total += if height > 1.0 { options.edge * (1.0 + hit) } else { options.wall * hit * hit };
            total += options.fall * (place - held).abs();
            place = held;
            rate -= hit.copysign(rate);
        }
        State {
            place,
            rate,
            cost: cost + weight * total,
            weight: weight * (1.0 - dt / options.horizon).max(0.0),
        }
    }

    fn backwards(&self, i: usize) -> Vec<f32> {
        let mut cost = Vec::with_capacity(PLACES * RATES);
        let after = &self.rows[i + STAGE].cost;
        for j in 0..PLACES {
            for k in 0..RATES {
                let least = PUSHES.into_iter().map(|push| {
                    let begin = State { place: place_of(j), rate: rate_of(k), cost: 0.0, weight: 1.0 };
                    let end = (i..i + STAGE).fold(begin, |state, row| self.ahead(row, state, push));
                    end.cost + end.weight * cost_at(after, end.place, end.rate)
                });
                cost.push(least.fold(1e6, f64::min) as f32);
            }
        }
        cost
    }
}

/// A state on its way, with what it has cost so far and how much the future counts.
#[derive(Clone, Copy)]
struct State {
    place: f64,
    rate: f64,
    cost: f64,
    weight: f64,
}

impl Motion {
    fn between(&self, other: &Motion, share: f64) -> Motion {
        let mix = |a: f64, b: f64| a + (b - a) * share;
        let three = |a: &[f64; 3], b: &[f64; 3]| [mix(a[0], b[0]), mix(a[1], b[1]), mix(a[2], b[2])];
        Motion {
            tangential: three(&self.tangential, &other.tangential),
            load: three(&self.load, &other.load),
            along: mix(self.along, other.along),
            stretch: mix(self.stretch, other.stretch),
        }
    }
}

fn row(track: &Track, ice: &Ice, s: f64, speed: f64) -> Row {
    let (ground, ends) = unrolled(ice, s);
    let centre = (0..PLACES)
        .map(|j| {
            let reach = HALF_GAUGE * (PLACES - 1) as f64 / (2.0 * REACH);
            let sample = |x: f64| {
                let x = x.clamp(0.0, (PLACES - 1) as f64);
                let k = (x as usize).min(PLACES - 2);
                ground[k].lerp(ground[k + 1], x - k as f64)
            };
            let (p, q) = (sample(j as f64 - reach), sample(j as f64 + reach));
            let chord = (q - p).normalize_or(DVec2::X);
            0.5 * (p + q) + DVec2::new(-chord.y, chord.x) * CENTRE
        })
        .collect();
    let (curvature, bend) = (track.course(s).curvature, track.height().point(s).bend);
    let floor = ground.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let (motions, cost) = (Vec::new(), Vec::new());
    Row { ground, centre, curvature, bend, speed, free: ends, floor, motions, cost }
}

/// The section by arc length from the plan line, and the places where walls begin for a sled of some width.
fn unrolled(ice: &Ice, s: f64) -> (Vec<DVec2>, [f64; 2]) {
    const FINE: usize = 560;
    let fine: Vec<DVec2> = (0..=FINE).map(|k| ice.section_point(s, 7.0 * k as f64 / FINE as f64)).collect();
    let mut arc = vec![0.0; FINE + 1];
    for k in 1..=FINE {
        arc[k] = arc[k - 1] + fine[k].distance(fine[k - 1]);
    }
    // The plan line: where the section crosses x = 0.
    let middle = (0..FINE).find(|&k| fine[k].x <= 0.0 && fine[k + 1].x > 0.0).unwrap_or(FINE / 2);
    let share = -fine[middle].x / (fine[middle + 1].x - fine[middle].x).max(1e-9);
    let zero = arc[middle] + share * (arc[middle + 1] - arc[middle]);
    let mut k = 0;
    let ground = (0..PLACES).map(|j| {
        let want = place_of(j) + zero;
        if want <= 0.0 {
            return fine[0] - DVec2::Y * want;
        }
        if want >= arc[FINE] {
            return fine[FINE] + DVec2::Y * (want - arc[FINE]);
        }
        while k + 1 < FINE && arc[k + 1] < want {
            k += 1;
        }
        let f = (want - arc[k]) / (arc[k + 1] - arc[k]).max(1e-12);
        fine[k].lerp(fine[k + 1], f)
    });
    let ground = ground.collect();
    let limit = |sign: f64| {
        let edge = if sign < 0.0 { zero } else { arc[FINE] - zero };
        let furthest = (edge - TO_THE_EDGE).clamp(0.1, REACH - 0.1);
        let fits = |c: f64| turning(&fine, &arc, zero + sign * c) < MOST_TURNING;
        let steps = (0..=(furthest / 0.02) as usize).map(|step| 0.02 * step as f64);
        sign * steps.take_while(|&c| fits(c)).last().unwrap_or(0.0).max(0.05)
    };
    (ground, [limit(-1.0), limit(1.0)])
}

/// By how much a section turns under a sled that stands there, in rad.
fn turning(fine: &[DVec2], arc: &[f64], at: f64) -> f64 {
    let direction = |at: f64| {
        let k = arc.partition_point(|&a| a < at).clamp(1, fine.len() - 1);
        let along = fine[k] - fine[k - 1];
        libm::atan2(along.y, along.x)
    };
    direction(at + HALF_WIDTH) - direction(at - HALF_WIDTH)
}

fn motions(rows: &[Row], i: usize) -> Vec<Motion> {
    let (low, high) = (i.saturating_sub(1), (i + 1).min(rows.len() - 1));
    let (row, before, after) = (&rows[i], &rows[low], &rows[high]);
    let span = (high - low).max(1) as f64 * STEP;
    let step = 2.0 * REACH / (PLACES - 1) as f64;
    (0..PLACES)
        .map(|j| {
            let (l, r) = (j.saturating_sub(1), (j + 1).min(PLACES - 1));
            let wide = (r - l) as f64 * step;
            let slope_of = |row: &Row| (row.centre[r] - row.centre[l]) / wide;
            let tangent = slope_of(row);
            let stretch = tangent.length().max(0.3);
            let bent = (row.centre[r] - row.centre[j] * 2.0 + row.centre[l]) / (step * step);
            let twisted = (slope_of(after) - slope_of(before)) / span;
            let curved = (after.centre[j] - row.centre[j] * 2.0 + before.centre[j]) / (STEP * STEP);
            let k = row.curvature;
            let along = row.speed / (1.0 + k * row.centre[j].x).max(0.2);
            let turn = -k * (1.0 + k * row.centre[j].x) * along * along;
            let fixed = curved * (along * along) + DVec2::new(turn, row.bend * along * along + G);
            let mixed = twisted * (2.0 * along);
            let unit = tangent / stretch;
            let up = DVec2::new(-unit.y, unit.x);
            Motion {
                tangential: [fixed, mixed, bent].map(|term| -unit.dot(term) / stretch),
                load: [fixed, mixed, bent].map(|term| up.dot(term)),
                along,
                stretch,
            }
        })
        .collect()
}

fn final_cost(options: &PlanOptions) -> Vec<f32> {
    let mut cost = Vec::with_capacity(PLACES * RATES);
    for j in 0..PLACES {
        for k in 0..RATES {
            let (c, w) = (place_of(j), rate_of(k));
            cost.push((options.middle * (c * c + 0.2 * w * w)) as f32);
        }
    }
    cost
}

/// Bilinearly between grid points; beyond the grid every metre and metre per second costs.
fn cost_at(cost: &[f32], place: f64, rate: f64) -> f64 {
    let x = (place + REACH) * ((PLACES - 1) as f64 / (2.0 * REACH));
    let y = (rate + FASTEST) * ((RATES - 1) as f64 / (2.0 * FASTEST));
    let (cx, cy) = (x.clamp(0.0, (PLACES - 1) as f64), y.clamp(0.0, (RATES - 1) as f64));
    let beyond = (x - cx).abs() + (y - cy).abs();
    let (i, j) = ((cx as usize).min(PLACES - 2), (cy as usize).min(RATES - 2));
    let (f, g) = ((cx - i as f64) as f32, (cy - j as f64) as f32);
    let at = |i: usize, j: usize| cost[i * RATES + j];
    let low = at(i, j) + (at(i, j + 1) - at(i, j)) * g;
    let high = at(i + 1, j) + (at(i + 1, j + 1) - at(i + 1, j)) * g;
    f64::from(low + (high - low) * f) + 10.0 * beyond
}

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
    /// Of friction used, per second: full push costs this.
    pub effort: f64,
    /// Of the square of the height above the floor in m, per second.
    pub height: f64,
    /// Of the square of the distance to the middle on straights in m, per second.
    pub middle: f64,
    /// Of the square of the speed in m/s at which a wall is met.
    pub wall: f64,
    /// Per second without load.
    pub flight: f64,
    /// Friction coefficient across that he counts on.
    pub friction: f64,
    /// Load in units of g at which it is reached; below, in proportion, from a fifth of it.
    pub full_load: f64,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions {
            effort: 0.3,
            height: 0.15,
            middle: 4.0,
            wall: 4.0,
            flight: 400.0,
            friction: 0.08,
            full_load: 3.1,
        }
    }
}

/// Stations are a metre apart.
const STEP: f64 = 1.0;
/// Arc lengths across that are looked at: from -REACH to REACH in m.
const REACH: f64 = 3.6;
const PLACES: usize = 91;
/// Rates across, from -FASTEST to FASTEST in m/s.
const FASTEST: f64 = 7.0;
const RATES: usize = 57;
/// Half the gauge and the height of the centre of mass in m; those of the two-man sled.
const HALF_GAUGE: f64 = 0.335;
const CENTRE: f64 = 0.295;
/// How near the sled's middle may come to the foot of a wall in m: half the width over the bumpers.
const HALF_WIDTH: f64 = 0.42;
/// Pushes that are tried.
const PUSHES: [f64; 5] = [-1.0, -0.5, 0.0, 0.5, 1.0];
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
    /// Least cost by place and rate, from here to the finish.
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
#[derive(Clone, Copy)]
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
        for i in (0..count).rev() {
            let motions = motions(&rows, i);
            let cost = match rows.get(i + 1) {
                None => final_cost(&options),
                Some(next) => backwards(&rows[i], next, &motions, &options),
            };
            rows[i].cost = cost;
        }
        Plan { begin, rows, options }
    }

    fn row(&self, s: f64) -> usize {
        (((s - self.begin) / STEP).max(0.0) as usize).min(self.rows.len() - 2)
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

    /// The push from -1 (left) to 1 with which the cost falls fastest.
    pub(super) fn push(&self, s: f64, across: f64, rate: f64, along: f64) -> f64 {
        let i = self.row(s);
        let row = &self.rows[i + 1];
        let ahead = STEP / along.max(2.0);
        let at = |rate: f64| f64::from(cost_at(&row.cost, across + rate * ahead, rate));
        let reach = 0.35;
        let slope = (at(rate + reach) - at(rate - reach)) / (2.0 * reach);
        // Least of effort p^2 dt + slope (friction force) p dt.
        let force = self.options.friction * 2.0 * G;
        (-0.5 * slope * force / self.options.effort).clamp(-1.0, 1.0)
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
    let at = track.course(s);
    let bend = track.height().point(s).bend;
    Row { ground, centre, curvature: at.curvature, bend, speed, free: ends, cost: Vec::new() }
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
    // A wall is what rises within a sled's half width: where 0.22 m above the ground, the bumper's height, something stands.
    let lowest = fine.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let foot = |points: &mut dyn Iterator<Item = usize>| {
        let mut last = zero;
        for k in points {
            let up = fine[k].y - lowest;
            if up > 0.22 && (arc[k] - zero).abs() < 1.3 {
                return Some(last - zero);
            }
            last = arc[k];
        }
        None
    };
    let right = foot(&mut (middle..=FINE));
    let left = foot(&mut (0..=middle).rev());
    let steep = |wall: Option<f64>, sign: f64| match wall {
        // The arc length runs up the wall by the bumper's height; what is left is the free way on the floor.
        Some(at) if wall_is_sharp(&fine, &arc, zero + at) => (at.abs() - 0.2 - HALF_WIDTH).max(0.05) * sign,
        _ => sign * f64::INFINITY,
    };
    let limit = |edge: f64, sign: f64| sign * (edge - 0.5).min(REACH - 0.1);
    let [left_end, right_end] = [limit(zero, -1.0), limit(arc[FINE] - zero, 1.0)];
    (ground, [steep(left, -1.0).max(left_end), steep(right, 1.0).min(right_end)])
}

/// Whether a section turns up by more than a sled can follow: within half a metre of arc from flat to upright.
fn wall_is_sharp(fine: &[DVec2], arc: &[f64], at: f64) -> bool {
    let k = arc.partition_point(|&a| a < at).min(fine.len() - 2);
    let direction = |k: usize| (fine[k + 1] - fine[k]).normalize_or(DVec2::X);
    let near = arc.partition_point(|&a| a < at - 0.45).min(fine.len() - 2);
    let far = arc.partition_point(|&a| a < at + 0.45).min(fine.len() - 2);
    direction(near).dot(direction(k)).min(direction(far).dot(direction(k))) < 0.35
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

fn backwards(row: &Row, next: &Row, motions: &[Motion], options: &PlanOptions) -> Vec<f32> {
    let mut cost = Vec::with_capacity(PLACES * RATES);
    let floor = row.ground.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let straight = row.curvature.abs() < 1e-3;
    for (j, motion) in motions.iter().enumerate() {
        let c = place_of(j);
        let dt = STEP / motion.along;
        let height = row.ground[j].y - floor;
        let place_cost =
            options.height * height * height + if straight { options.middle * c * c } else { 0.0 };
        for k in 0..RATES {
            let w = rate_of(k);
            let load = motion.load[0] + (motion.load[1] + motion.load[2] * w) * w;
            let pressed = (load / (options.full_load * G)).clamp(0.2, 1.0);
            let force = options.friction * pressed * load.max(0.0) / motion.stretch;
            let drift = motion.tangential[0] + (motion.tangential[1] + motion.tangential[2] * w) * w;
            let light = (0.3 - load / G).max(0.0);
            let running = place_cost + options.flight * light * light;
            let mut least = f64::INFINITY;
            for push in PUSHES {
                let change = drift + push * force;
                let mut rate = w + change * dt;
                let mut place = c + 0.5 * (w + rate) * dt;
                let mut total = (running + options.effort * push * push) * dt;
                let held = place.clamp(next.free[0], next.free[1]);
                if held != place {
                    let hit = rate * (place - held).signum();
                    let deep = (place - held).abs();
                    total += options.wall * hit.max(0.0) * hit.max(0.0) + 20.0 * deep * deep + 2.0 * dt;
                    place = held;
                    rate -= hit.max(0.0) * (place_sign(rate));
                }
                let ahead = total + f64::from(cost_at(&next.cost, place, rate));
                least = least.min(ahead);
            }
            cost.push(least.min(1e6) as f32);
        }
    }
    cost
}

fn place_sign(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

/// Bilinearly between grid points; beyond the grid every metre and metre per second costs.
fn cost_at(cost: &[f32], place: f64, rate: f64) -> f32 {
    let x = (place + REACH) * ((PLACES - 1) as f64 / (2.0 * REACH));
    let y = (rate + FASTEST) * ((RATES - 1) as f64 / (2.0 * FASTEST));
    let (cx, cy) = (x.clamp(0.0, (PLACES - 1) as f64), y.clamp(0.0, (RATES - 1) as f64));
    let beyond = (x - cx).abs() + (y - cy).abs();
    let (i, j) = ((cx as usize).min(PLACES - 2), (cy as usize).min(RATES - 2));
    let (f, g) = ((cx - i as f64) as f32, (cy - j as f64) as f32);
    let at = |i: usize, j: usize| cost[i * RATES + j];
    let low = at(i, j) + (at(i, j + 1) - at(i, j)) * g;
    let high = at(i + 1, j) + (at(i + 1, j + 1) - at(i + 1, j)) * g;
    low + (high - low) * f + 50.0 * beyond as f32
}

//! [`Plan`]: the whole track from the finish backwards (Bellman 1957).
//!
//! The cost of a state of the [`Swing`] is the least over pushes of the running cost plus the cost of where it leads a stage further,
//! between grid points bilinearly.

mod lanes;
#[cfg(test)]
mod tests;

use crate::track::{Ice, PointMassStart, Track};

use super::lines::{Lines, Target, targets};
use super::swing::{Grip, Moved, REACH, Seen, Swing};

/// What a plan weighs.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanOptions {
    /// Of friction used, per second: full push costs this. Default 0.3.
    pub effort: f64,
    /// Of the square of the height above the floor in m, per second. Default 0.3.
    pub height: f64,
    /// Of the square of the distance to the middle on straights in m, per second. Default 1.
    pub middle: f64,
    /// Of the square of the speed in m/s at which a wall is met. Default 1.
    pub wall: f64,
    /// Of the square of the load that lacks to half a g, in units of g, per second. Default 200.
    pub flight: f64,
    /// Of coming to the edge of the channel. Default 100.
    pub edge: f64,
    /// Friction coefficients across that he counts on, without load and from `full_load` on. Default 0.016 and 0.08: four fifths of the sled's.
    pub friction: [f64; 2],
    /// Load in units of g at which the runners are dug in. Default 3.1.
    pub full_load: f64,
    /// What happens this much later counts 1/e, in s. Default 8.
    pub horizon: f64,
    /// How curves are to be driven. Default: as costs least.
    pub lines: Lines,
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions {
            effort: 0.3,
            height: 0.3,
            middle: 1.0,
            wall: 1.0,
            flight: 200.0,
            edge: 100.0,
            friction: [0.016, 0.08],
            full_load: 3.1,
            horizon: 8.0,
            lines: Lines::default(),
        }
    }
}

/// Rows between two tables of costs: interpolation blurs every time it is used.
const STAGE: usize = 4;
/// Rates across, from -FASTEST to FASTEST in m/s.
const FASTEST: f64 = 7.0;
const RATES: usize = 65;
/// Places in a table of costs.
const COLUMNS: usize = 141;
/// Steps of a table at its middle over those of an even one: on a straight centimetres count, on a wall decimetres.
const FINE: f64 = 0.25;
/// Pushes that are tried.
const PUSHES: [f64; 5] = [-1.0, -0.5, 0.0, 0.5, 1.0];
/// Pushes that a pilot weighs on his way.
const FINE_PUSHES: i32 = 5;
/// Time in s that passes until a wish is a push: the sled must turn first.
const DELAY: f64 = 0.12;
/// Below this load in units of g a sled begins to fly.
const LIGHT: f64 = 0.5;
/// Height in m from which on the end of the ice is an edge, not a wall.
const EDGE_HEIGHT: f64 = 1.0;
/// A plan line that bends less is a straight, in 1/m.
const STRAIGHT: f64 = 1e-3;

/// Value of a grid point: `reach (FINE u + (1 - FINE) u |u|)` with u from -1 to 1.
fn value_of(index: usize, count: usize, reach: f64) -> f64 {
    let u = 2.0 * index as f64 / (count - 1) as f64 - 1.0;
    reach * (FINE * u + (1.0 - FINE) * u * u.abs())
}

/// Place of a value among the grid points, and how far it is beyond them.
fn index_of(value: f64, count: usize, reach: f64) -> (usize, f32, f64) {
    let inside = value.clamp(-reach, reach);
    let root = (FINE * FINE + 4.0 * (1.0 - FINE) * inside.abs() / reach).sqrt();
    let u = ((root - FINE) / (2.0 * (1.0 - FINE))).copysign(inside);
    let x = 0.5 * (u + 1.0) * (count - 1) as f64;
    let i = (x as usize).min(count - 2);
    (i, (x - i as f64) as f32, (value - inside).abs())
}

/// What every state across the ice costs, at every station.
#[derive(Clone, Debug)]
pub struct Plan {
    swing: Swing,
    /// Least cost by place and rate, where a stage begins.
    costs: Vec<Vec<f32>>,
    /// Where lines want to be, by row.
    targets: Vec<Target>,
    options: PlanOptions,
}

/// A point of a planned line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinePoint {
    /// Station in m.
    pub s: f64,
    /// From the plan line along the ice to the right in m.
    pub across: f64,
    /// Its rate in m/s.
    pub rate: f64,
    /// Above the floor in m.
    pub height: f64,
    /// Force on the ice over weight.
    pub load: f64,
    /// Of the runners, from -1 (left) to 1.
    pub push: f64,
    /// In m/s.
    pub speed: f64,
}

/// A state on its way, with what it has cost so far and how much the future counts.
#[derive(Clone, Copy)]
struct State {
    place: f64,
    rate: f64,
    cost: f64,
    weight: f64,
}

impl Plan {
    /// Of a track, for the speeds of a point mass with its file's numbers and the start that is meant.
    pub fn new(track: &Track, ice: &Ice, start: PointMassStart, options: PlanOptions) -> Plan {
        let swing = Swing::new(track, ice, start);
        let stages = (swing.len() - 1) / STAGE;
        let targets = targets(&options.lines, track, &swing);
        let mut plan = Plan { swing, costs: vec![Vec::new(); stages + 1], targets, options };
        plan.costs[stages] = final_cost(&plan.options);
        for stage in (0..stages).rev() {
            plan.costs[stage] = plan.backwards(stage);
        }
        plan
    }

    pub(super) fn swing(&self) -> &Swing {
        &self.swing
    }

    /// The push from -1 (left) to 1 that costs least, if `before` is the one until it works.
    pub(super) fn push(&self, s: f64, seen: Seen, along: f64, before: f64) -> f64 {
        let mut state = State { place: seen.across, rate: seen.rate, cost: 0.0, weight: 1.0 };
        let first = self.swing.row(s);
        let wait = (DELAY * along).round() as usize;
        let last = self.last_row();
        for i in first.min(last)..(first + wait).min(last) {
            state = self.ahead(i, state, before);
        }
        self.best_push((first + wait).min(last), state)
    }

    /// The last row from which on two stages are planned.
    fn last_row(&self) -> usize {
        (self.costs.len() - 3) * STAGE
    }

    fn best_push(&self, begin: usize, state: State) -> f64 {
        let stage = begin / STAGE + 2;
        let mut best = (f64::INFINITY, 0.0);
        for push in (-FINE_PUSHES..=FINE_PUSHES).map(|push| f64::from(push) / f64::from(FINE_PUSHES)) {
            let begin_state = State { cost: 0.0, weight: 1.0, ..state };
            let end = (begin..stage * STAGE).fold(begin_state, |state, i| self.ahead(i, state, push));
            let cost = end.cost + end.weight * cost_at(&self.costs[stage], end.place, end.rate);
            if cost < best.0 {
                best = (cost, push);
            }
        }
        best.1
    }

    /// The line that the plan drives by itself from the block, a point a metre; `steered` false lets the mass slide as it will.
    pub fn line(&self, steered: bool) -> Vec<LinePoint> {
        let mut state = State { place: 0.0, rate: 0.0, cost: 0.0, weight: 1.0 };
        let mut points = Vec::with_capacity(self.swing.len());
        for i in 0..self.last_row() {
            let push = if steered { self.best_push(i, state) } else { 0.0 };
            let moved = self.moved(i, state, push);
            points.push(LinePoint {
                s: self.swing.station(i),
                across: state.place,
                rate: state.rate,
                height: moved.height,
                load: moved.load,
                push,
                speed: self.swing.speed(i),
            });
            state = State { place: moved.place, rate: moved.rate, ..state };
        }
        points
    }

    fn moved(&self, i: usize, state: State, push: f64) -> Moved {
        let grip = Grip { friction: self.options.friction, full_load: self.options.full_load };
        self.swing.ahead(i, state.place, state.rate, push, &grip)
    }

    /// A row further with a push.
    fn ahead(&self, i: usize, state: State, push: f64) -> State {
        let options = &self.options;
        let moved = self.moved(i, state, push);
        let light = (LIGHT - moved.load).max(0.0);
        let mut running = options.height * moved.height * moved.height + options.flight * light * light;
        running += options.effort * push * push;
        if moved.curvature.abs() < STRAIGHT {
            running += options.middle * state.place * state.place;
        }
        let target = self.targets[i];
        let beside = state.place - target.place;
        running += target.weight * beside * beside;
        let mut total = running * moved.seconds;
        if moved.hit > 0.0 {
            // The end of the ice is a wall on the floor and an edge high above it.
            total += if moved.height > EDGE_HEIGHT {
                options.edge * (1.0 + moved.hit)
            } else {
                options.wall * moved.hit * moved.hit
            };
        }
        State {
            place: moved.place,
            rate: moved.rate,
            cost: state.cost + state.weight * total,
            weight: state.weight * (1.0 - moved.seconds / options.horizon).max(0.0),
        }
    }

    fn backwards(&self, stage: usize) -> Vec<f32> {
        let mut cost = vec![0.0; COLUMNS * RATES];
        // Behind the walls nobody is: such places cost what the wall costs.
        let [low, high] = self.swing.free(stage * STAGE);
        let first = index_of(low, COLUMNS, REACH).0;
        let last = index_of(high, COLUMNS, REACH).0 + 1;
        self.columns(stage, first..=last, &mut cost);
        for j in (0..first).chain(last + 1..COLUMNS) {
            let nearest = j.clamp(first, last);
            let distance = (value_of(j, COLUMNS, REACH) - value_of(nearest, COLUMNS, REACH)).abs();
            for k in 0..RATES {
                cost[j * RATES + k] = cost[nearest * RATES + k] + (BEYOND * distance) as f32;
            }
        }
        cost
    }
}

fn final_cost(options: &PlanOptions) -> Vec<f32> {
    let mut cost = Vec::with_capacity(COLUMNS * RATES);
    for j in 0..COLUMNS {
        for k in 0..RATES {
            let (place, rate) = (value_of(j, COLUMNS, REACH), value_of(k, RATES, FASTEST));
            cost.push((options.middle * (place * place + 0.2 * rate * rate)) as f32);
        }
    }
    cost
}

/// Cost of every metre and metre per second beyond a table.
const BEYOND: f64 = 100.0;

/// Bilinearly between grid points.
fn cost_at(cost: &[f32], place: f64, rate: f64) -> f64 {
    let (i, f, far) = index_of(place, COLUMNS, REACH);
    let (j, g, fast) = index_of(rate, RATES, FASTEST);
    let at = |i: usize, j: usize| cost[i * RATES + j];
    let low = at(i, j) + (at(i, j + 1) - at(i, j)) * g;
    let high = at(i + 1, j) + (at(i + 1, j + 1) - at(i + 1, j)) * g;
    f64::from(low + (high - low) * f) + BEYOND * (far + fast)
}

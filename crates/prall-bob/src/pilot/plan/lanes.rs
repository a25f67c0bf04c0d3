//! A table of costs in the lanes of one instruction: four rates at once, operation by operation as [`Plan::ahead`] does, so that the bits
//! are the same.

use wide::f64x4;

use super::super::swing::{Grip, Lanes};
use super::{
    BEYOND, COLUMNS, EDGE_HEIGHT, FASTEST, FINE, LIGHT, PUSHES, Plan, RATES, REACH, STAGE, STRAIGHT, value_of,
};
use crate::pilot::lines::Target;

const G: f64 = 9.81;

/// Four states on their way.
#[derive(Clone, Copy)]
struct States {
    place: f64x4,
    rate: f64x4,
    cost: f64x4,
    weight: f64x4,
}

impl Plan {
    /// Costs of all rates at some columns where a stage begins.
    pub(super) fn columns(&self, stage: usize, columns: std::ops::RangeInclusive<usize>, cost: &mut [f32]) {
        let first = stage * STAGE;
        let rows: Vec<Lanes> = (first..first + STAGE).map(|row| self.swing.lanes(row)).collect();
        let targets = &self.targets[first..first + STAGE];
        let after = &self.costs[stage + 1];
        for j in columns {
            let place = f64x4::splat(value_of(j, COLUMNS, REACH));
            for k in (0..RATES).step_by(4) {
                let rate = [0, 1, 2, 3].map(|lane| value_of((k + lane).min(RATES - 1), RATES, FASTEST));
                let begin = States { place, rate: f64x4::from(rate), cost: f64x4::ZERO, weight: f64x4::ONE };
                let mut least = f64x4::splat(1e6);
                for push in PUSHES {
                    let steps = rows.iter().zip(targets);
                    let end = steps
                        .fold(begin, |states, (row, target)| self.ahead_lanes(row, target, states, push));
                    let total = end.cost + end.weight * cost_at(after, end.place, end.rate);
                    least = least.fast_min(total);
                }
                for (out, least) in cost[j * RATES..(j + 1) * RATES][k..].iter_mut().zip(least.to_array()) {
                    *out = least as f32;
                }
            }
        }
    }

    /// A row further with a push.
    #[inline]
    fn ahead_lanes(&self, row: &Lanes, target: &Target, states: States, push: f64) -> States {
        let options = &self.options;
        let grip = Grip { friction: options.friction, full_load: options.full_load };
        let moved = row.ahead(states.place, states.rate, push, &grip);
        let light = (f64x4::splat(LIGHT) - moved.load / G).fast_max(f64x4::ZERO);
        let mut running = moved.height * options.height * moved.height + light * options.flight * light;
        running += options.effort * push * push;
        if row.curvature.abs() < STRAIGHT {
            running += states.place * options.middle * states.place;
        }
        let beside = states.place - target.place;
        running += beside * target.weight * beside;
        let mut total = running * moved.seconds;
        let hit = moved.hit.simd_gt(f64x4::ZERO);
        if hit.any() {
            let edge = (moved.hit + 1.0) * options.edge;
            let wall = moved.hit * options.wall * moved.hit;
            let more = moved.height.simd_gt(f64x4::splat(EDGE_HEIGHT)).select(edge, wall);
            total = hit.select(total + more, total);
        }
        let kept = (f64x4::ONE - moved.seconds / options.horizon).fast_max(f64x4::ZERO);
        States {
            place: moved.place,
            rate: moved.rate,
            cost: states.cost + states.weight * total,
            weight: states.weight * kept,
        }
    }
}

/// As [`super::index_of`].
fn index_of(value: f64x4, count: usize, reach: f64) -> ([usize; 4], [f32; 4], f64x4) {
    let inside = value.fast_max(f64x4::splat(-reach)).fast_min(f64x4::splat(reach));
    let root = (inside.abs() * (4.0 * (1.0 - FINE)) / reach + FINE * FINE).sqrt();
    let u = (root - FINE) / (2.0 * (1.0 - FINE));
    let u = f64x4::ZERO.simd_gt(inside).select(-u, u);
    let x = (u + 1.0) * 0.5 * (count - 1) as f64;
    let below = x.trunc().fast_min(f64x4::splat((count - 2) as f64));
    let share = (x - below).to_array().map(|share| share as f32);
    (below.to_array().map(|x| x as usize), share, (value - inside).abs())
}

/// As [`super::cost_at`].
fn cost_at(cost: &[f32], place: f64x4, rate: f64x4) -> f64x4 {
    let (i, f, far) = index_of(place, COLUMNS, REACH);
    let (j, g, fast) = index_of(rate, RATES, FASTEST);
    let between = [0, 1, 2, 3].map(|lane| {
        let at = i[lane] * RATES + j[lane];
        let (near, next) = (&cost[at..at + 2], &cost[at + RATES..at + RATES + 2]);
        let low = near[0] + (near[1] - near[0]) * g[lane];
        let high = next[0] + (next[1] - next[0]) * g[lane];
        f64::from(low + (high - low) * f[lane])
    });
    f64x4::from(between) + (far + fast) * BEYOND
}

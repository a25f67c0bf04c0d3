//! Gears between joints: one repeats the coordinate of another, and both feel it.
//!
//! With coordinates `f` of the follower and `l` of its leader, a gear holds the gap `g = f - (k l + o)` at zero by a force `x` on the follower's axis and
//! `-k x` on the leader's, which together do no work: `x f' - k x l' = x g' = 0`. The forces of all gears are found so that the step ends with
//! `g' = -CLOSING g / h`. With the response `A` of the rates `g'` to the forces, that is Newton's method with a fixed slope: `x <- x - A^-1 r`, where `r` is
//! what the stable step leaves. End stops only make the joints stiffer than `A` says, so that it converges then too, more slowly.

use glam::DVec3;
use prall_mechanics::tree::{Tree, TreeOptions};

/// The axis of a joint that repeats that of another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gear {
    pub(crate) follower: usize,
    pub(crate) leader: usize,
    /// What the follower's coordinate is to the leader's.
    pub(crate) factor: f64,
    pub(crate) offset: f64,
}

/// Most gears of a mechanism: their forces are found together, by a dense matrix.
pub(crate) const MOST: usize = 200;

/// Share of a gap that a step closes: with 1, rates would alternate in the midpoint rule.
const CLOSING: f64 = 0.5;

/// Fastest that a gap is closed, in rad/s or m/s: a joint that a person has set does not throw its follower.
const FASTEST: f64 = 10.0;

/// Rates that are as good as zero, in rad/s or m/s.
const CLOSED: f64 = 1e-9;

/// Most steps that are tried for the forces.
const TRIES: usize = 6;

impl Gear {
    fn rate(&self, tree: &Tree) -> f64 {
        let rate = |node| tree.coordinate(node, 0).map_or(0.0, |(_, rate)| rate);
        rate(self.follower) - self.factor * rate(self.leader)
    }

    fn gap(&self, tree: &Tree) -> f64 {
        let place = |node| tree.coordinate(node, 0).map_or(0.0, |(place, _)| place);
        place(self.follower) - self.factor * place(self.leader) - self.offset
    }

    /// Adds a force to the follower's axis and its counterpart to the leader's.
    fn push(&self, tree: &mut Tree, force: f64) {
        for (node, force) in [(self.follower, force), (self.leader, -self.factor * force)] {
            if let Some(mut element) = tree.element(node, 0).copied() {
                element.motor += force;
                // A finite motor is never refused.
                let _ = tree.set_element(node, 0, element);
            }
        }
    }
}

/// The forces of the gears for a step of `h` seconds; none act if they cannot be found.
pub(crate) fn forces(gears: &[Gear], tree: &Tree, h: f64, gravity: DVec3, options: &TreeOptions) -> Vec<f64> {
    let mut forces = vec![0.0; gears.len()];
    let mut best = (f64::INFINITY, forces.clone());
    let mut ahead = tree.clone();
    ahead.mark();
    let Some(response) = Response::new(gears, &mut ahead, h, gravity) else { return forces };
    let closing = |gear: &Gear| (CLOSING * gear.gap(tree) / h).clamp(-FASTEST, FASTEST);
    let wanted: Vec<f64> = gears.iter().map(closing).collect();
    for _ in 0..TRIES {
        act(gears, &mut ahead, &forces, 1.0);
        ahead.step(h, gravity, options);
        let mut left: Vec<f64> =
            gears.iter().zip(&wanted).map(|(gear, wanted)| gear.rate(&ahead) + wanted).collect();
        ahead.return_to_mark();
        act(gears, &mut ahead, &forces, -1.0);
        let worst = left.iter().fold(0.0_f64, |worst, rate| worst.max(rate.abs()));
        if worst < best.0 {
            best.0 = worst;
            best.1.copy_from_slice(&forces);
        }
        if !(worst > CLOSED) {
            break;
        }
        response.solve(&mut left);
        forces.iter_mut().zip(&left).for_each(|(force, change)| *force -= change);
    }
    best.1
}

/// Adds forces of the gears, `times` as large, to the motors of their axes.
pub(crate) fn act(gears: &[Gear], tree: &mut Tree, forces: &[f64], times: f64) {
    for (gear, force) in gears.iter().zip(forces) {
        gear.push(tree, times * force);
    }
}

/// What a unit force of each gear changes in the rates of all gaps within a step: symmetric, and positive definite unless gears repeat each other. Its
/// Cholesky factor, row by row.
struct Response {
    size: usize,
    lower: Vec<f64>,
}

/// Smallest pivot, as a share of the diagonal, with which gears are told apart.
const PIVOT: f64 = 1e-12;

impl Response {
    /// `None` if gears repeat each other, or a force moves nothing.
    fn new(gears: &[Gear], tree: &mut Tree, h: f64, gravity: DVec3) -> Option<Response> {
        let size = gears.len();
        let mut rates = |pushed: Option<&Gear>| -> Vec<f64> {
            pushed.into_iter().for_each(|gear| gear.push(tree, 1.0));
            tree.predict(h, gravity);
            let rates = gears.iter().map(|gear| gear.rate(tree)).collect();
            tree.return_to_mark();
            pushed.into_iter().for_each(|gear| gear.push(tree, -1.0));
            rates
        };
        let free = rates(None);
        let columns: Vec<Vec<f64>> = gears.iter().map(|gear| rates(Some(gear))).collect();
        let mut lower = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|k| lower[row * size + k] * lower[column * size + k]).sum();
                let entry = columns[column][row] - free[row];
                let left = entry - known;
                lower[row * size + column] = if column < row {
                    left / lower[column * size + column]
                } else if left > PIVOT * entry {
                    left.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Response { size, lower })
    }

    /// Forces that change the rates by so much, in their place.
    fn solve(&self, rates: &mut [f64]) {
        let entry = |row: usize, column: usize| self.lower[row * self.size + column];
        for row in 0..self.size {
            let known: f64 = (0..row).map(|k| entry(row, k) * rates[k]).sum();
            rates[row] = (rates[row] - known) / entry(row, row);
        }
        for row in (0..self.size).rev() {
            let known: f64 = (row + 1..self.size).map(|k| entry(k, row) * rates[k]).sum();
            rates[row] = (rates[row] - known) / entry(row, row);
        }
    }
}

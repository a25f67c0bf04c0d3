//! Four states a row further at once: [`Swing::ahead`] in the lanes of one instruction, operation by operation, so that the bits are the same.

use wide::f64x4;

use super::{FASTEST, G, Grip, PLACES, REACH, STEP, Swing};

/// What a state needs at a grid point.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The terms across with the stretch, and the terms of the load.
    terms: [f64x4; 2],
    /// Height of the ground in m.
    ground: f64,
    /// Time from here to the next row in s.
    seconds: f64,
}

/// A row, laid out for lanes.
#[derive(Clone, Debug)]
pub(in super::super) struct Lanes {
    cells: Vec<Cell>,
    floor: f64,
    free: [f64; 2],
    /// Curvature of the plan line in 1/m.
    pub(in super::super) curvature: f64,
}

/// As [`Moved`](super::Moved), four times.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct MovedLanes {
    pub(in super::super) place: f64x4,
    pub(in super::super) rate: f64x4,
    pub(in super::super) seconds: f64x4,
    /// Force on the ice over mass in m/s^2.
    pub(in super::super) load: f64x4,
    pub(in super::super) height: f64x4,
    pub(in super::super) hit: f64x4,
}

impl Swing {
    /// A row for lanes.
    pub(in super::super) fn lanes(&self, row: usize) -> Lanes {
        let row = &self.rows[row];
        let cells = row.motions.iter().zip(&row.ground).map(|(motion, ground)| {
            let [[a, b, c], [d, e, f]] = [motion.tangential, motion.load];
            let terms = [[a, b, c, motion.stretch], [d, e, f, 0.0]].map(f64x4::from);
            Cell { terms, ground: ground.y, seconds: STEP / motion.along }
        });
        Lanes { cells: cells.collect(), floor: row.floor, free: row.free, curvature: row.curvature }
    }
}

/// Grid points before places, and the shares to the next ones.
fn index(place: f64x4) -> ([usize; 4], f64x4) {
    let scale = (PLACES - 1) as f64 / (2.0 * REACH);
    let x = ((place + REACH) * scale).fast_max(f64x4::ZERO).fast_min(f64x4::splat((PLACES - 1) as f64));
    let below = x.trunc().fast_min(f64x4::splat((PLACES - 2) as f64));
    (below.to_array().map(|x| x as usize), x - below)
}

impl Lanes {
    /// From this row to the next with a push of the runners.
    #[inline]
    pub(in super::super) fn ahead(&self, place: f64x4, rate: f64x4, push: f64, grip: &Grip) -> MovedLanes {
        let (at, _) = index(place);
        let seconds = f64x4::from(at.map(|j| self.cells[j].seconds));
        let half = place + rate * 0.5 * seconds;
        let (at, share) = index(half);
        let terms = [0, 1].map(|which| {
            let shares = share.to_array();
            let mixed = [0, 1, 2, 3].map(|lane| {
                let [p, q] = [0, 1].map(|next| self.cells[at[lane] + next].terms[which]);
                p + (q - p) * shares[lane]
            });
            f64x4::transpose(mixed)
        });
        let [[pull, swing, bend, stretch], [weight, mixed, bent, _]] = terms;
        let load = weight + (mixed + bent * rate) * rate;
        let pressed = (load / (grip.full_load * G)).fast_max(f64x4::ZERO).fast_min(f64x4::ONE);
        let friction = pressed * (grip.friction[1] - grip.friction[0]) + grip.friction[0];
        let force = friction * load.fast_max(f64x4::ZERO) / stretch;
        let change = pull + (swing + bend * rate) * rate + force * push;
        let fastest = f64x4::splat(FASTEST);
        let mut rate = (rate + change * seconds).fast_max(-fastest).fast_min(fastest);
        let mut place = half + rate * 0.5 * seconds;
        let [low, high] = [0, 1].map(|next| f64x4::from(at.map(|j| self.cells[j + next].ground)));
        let height = low * (f64x4::ONE - share) + high * share - self.floor;
        let held = place.fast_max(f64x4::splat(self.free[0])).fast_min(f64x4::splat(self.free[1]));
        let mut hit = f64x4::ZERO;
        if place != held {
            let beyond = (place - held) / seconds;
            hit = beyond.abs();
            rate -= beyond;
            place = held;
        }
        MovedLanes { place, rate, seconds, load, height, hit }
    }
}

//! One step of many moving boxes: every box moves a little, then the pairs are brought up to date.
//!
//! Boxes of edge 1 fill a cube so that each meets about one other; each goes by 1 % of its size a step and turns
//! round after fifty steps, so that the scene stays what it is. In `few_move` one box in a hundred moves.

use divan::Bencher;
use glam::DVec3;
use prall_detection::{Filter, Method, PairIndex, ProxyId};
use prall_geometry::Aabb;

fn main() {
    divan::main();
}

const CROWDS: [(Method, usize); 6] = [
    (Method::SweepAndPrune, 1_000),
    (Method::SweepAndPrune, 10_000),
    (Method::SweepAndPrune, 100_000),
    (Method::Tree, 1_000),
    (Method::Tree, 10_000),
    (Method::Tree, 100_000),
];

/// Volume of the cube for each box, in cubic metres. Boxes of edge 1 overlap if their centres differ by less than 1
/// on each axis, in a volume of 8: each meets one other on average.
const ROOM: f64 = 8.0;

/// Steps in one direction.
const TURN: usize = 50;

struct Crowd {
    index: PairIndex,
    ids: Vec<ProxyId>,
    boxes: Vec<Aabb>,
    velocities: Vec<DVec3>,
    step: usize,
}

impl Crowd {
    fn new(method: Method, count: usize) -> Crowd {
        let mut state = 1_u64;
        let mut number = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut vector = || DVec3::new(number(), number(), number());
        let edge = libm::cbrt(ROOM * count as f64);
        let boxes: Vec<Aabb> =
            (0..count).map(|_| Aabb::from_center(vector() * edge, DVec3::splat(0.5))).collect();
        let velocities = (0..count).map(|_| (vector() - DVec3::splat(0.5)) * 0.02).collect();
        let mut index = PairIndex::new(method);
        let insert = |bounds: &Aabb| index.insert(*bounds, Filter::EVERYTHING).expect("a box");
        let ids = boxes.iter().map(insert).collect();
        let mut crowd = Crowd { index, ids, boxes, velocities, step: 0 };
        crowd.index.refresh();
        crowd
    }

    /// Moves one box in `stride` and counts the pairs.
    fn advance(&mut self, stride: usize) -> usize {
        self.step += 1;
        let sign = if (self.step / TURN).is_multiple_of(2) { 1.0 } else { -1.0 };
        for i in (0..self.ids.len()).step_by(stride) {
            let by = self.velocities[i] * sign;
            let bounds = &mut self.boxes[i];
            *bounds = Aabb { min: bounds.min + by, max: bounds.max + by };
            self.index.update(self.ids[i], *bounds).expect("a box");
        }
        self.index.refresh().all.len()
    }
}

#[divan::bench(args = CROWDS, sample_count = 20)]
fn all_move(bencher: Bencher, (method, count): (Method, usize)) {
    let mut crowd = Crowd::new(method, count);
    crowd.advance(1);
    bencher.bench_local(move || crowd.advance(1));
}

#[divan::bench(args = CROWDS, sample_count = 20)]
fn few_move(bencher: Bencher, (method, count): (Method, usize)) {
    let mut crowd = Crowd::new(method, count);
    crowd.advance(100);
    bencher.bench_local(move || crowd.advance(100));
}

#[divan::bench(args = CROWDS, sample_count = 3)]
fn build(bencher: Bencher, (method, count): (Method, usize)) {
    bencher.bench_local(|| Crowd::new(method, count));
}

#[divan::bench(args = CROWDS, sample_count = 20)]
fn cast_ray(bencher: Bencher, (method, count): (Method, usize)) {
    let mut crowd = Crowd::new(method, count);
    bencher.bench_local(move || {
        let mut met = 0;
        let visit = |_, _| {
            met += 1;
            f64::INFINITY
        };
        crowd.index.cast_ray(DVec3::ZERO, DVec3::ONE, f64::INFINITY, visit).expect("a ray");
        met
    });
}

//! Time of Moreau's step: a sled of 13 degrees of freedom on eight closed runner contacts.

#[path = "../examples/goals/sled.rs"]
mod sled;

use divan::Bencher;
use glam::DVec3;
use prall_multibody::{Moreau, MoreauOptions};
use sled::{contacts, sled};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
const STEP: f64 = 1.0 / 4980.0;

fn main() {
    divan::main();
}

/// A hundred steps from where the sled has settled.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn sled_13_freedoms_8_contacts_100_steps(bencher: Bencher) {
    let (mut sled, mut moreau, options) = (sled(), Moreau::default(), MoreauOptions::default());
    assert_eq!(sled.tree().degrees_of_freedom(), 13);
    let mut closed = 0;
    for _ in 0..4000 {
        closed = moreau.step(&mut sled, STEP, GRAVITY, &options, contacts).closed;
    }
    assert!(closed >= 6, "{closed} contacts are closed");
    println!("closed contacts: {closed}");
    bencher.with_inputs(|| (sled.clone(), moreau.clone())).bench_local_refs(|(sled, moreau)| {
        for _ in 0..100 {
            moreau.step(sled, STEP, GRAVITY, &options, contacts);
        }
    });
}

//! The long version of the oracles. Without the variable a few thousand cases, to keep it working:
//! `PRALL_SOAK=10000000 cargo test --release -p prall-detection --test detection soak -- --nocapture`
//! runs that many feature pairs in straight motion, a tenth as many in screws, and a matching number of random motions.

use crate::exact_motions::straight_motions_miss_nothing;
use crate::motions::random_motions_overlap_never_before_free_until;
use crate::screws::screws_are_proven;

fn number(variable: &str, otherwise: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable} must be a whole number, not {text}")),
        Err(_) => otherwise,
    }
}

/// `PRALL_SOAK` is the number of feature pairs, `PRALL_SOAK_SEED` gives other cases.
#[test]
fn soak() {
    let cases = number("PRALL_SOAK", 5_000);
    let seed = number("PRALL_SOAK_SEED", 1);
    let straight = straight_motions_miss_nothing(seed, cases / 15 + 1);
    let random = random_motions_overlap_never_before_free_until(seed, cases / 500 + 1, 600);
    let screws = screws_are_proven(seed, cases / 150 + 1);
    println!(
        "straight (touching, later, never): {straight:?}; random (hit, at once, free): {random:?}; \
         screws proven by intervals (hit, at once, free): {screws:?}"
    );
}

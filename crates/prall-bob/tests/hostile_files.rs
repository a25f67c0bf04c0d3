//! Files of tracks and sleds, changed at random: each is read or refused with its place, and none panics or hangs.

#[path = "../../prall-geometry/tests/files/mutation.rs"]
mod mutation;

use mutation::{explore, inputs};
use prall_bob::sled::{Setup, TWO_MAN};
use prall_bob::track::Track;

const MEADOW: &str = include_str!("../../../scenes/tracks/meadow-run.toml");

fn survives(seed: u64, seeds: &[&str], short: usize, read: impl Fn(usize, &str) -> Result<(), String>) {
    let seeds: Vec<&[u8]> = seeds.iter().map(|text| text.as_bytes()).collect();
    let kinds = explore(&seeds, seed, inputs(short), |which, bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return "no text".to_owned() };
        match read(which, text) {
            Ok(()) => "read".to_owned(),
            Err(message) => {
                assert!(message.starts_with("f:"), "without a place: {message:?}");
                message
            }
        }
    });
    println!("{kinds} kinds of outcomes");
    assert!(kinds > 10, "{kinds} kinds of outcomes");
}

#[test]
fn soak_mutated_tracks_and_sleds_are_read_or_refused() {
    survives(31, &[MEADOW, TWO_MAN], 300, |which, text| match which {
        0 => Track::read("f", text).map(drop).map_err(|error| error.to_string()),
        _ => Setup::read("f", text).map(drop).map_err(|error| error.to_string()),
    });
}

//! Texts of scenes and robots, changed at random: each is read or refused with its place, and none panics or hangs.

#[path = "../../prall-geometry/tests/files/mutation.rs"]
mod mutation;

use mutation::{Random, inputs, mutated};
use prall_scenes::file::SceneDescription;
use std::path::PathBuf;

/// The scene files that come with Prall and end so.
fn scenes(ending: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let wanted = paths.iter().filter(|path| path.extension().is_some_and(|own| own == ending));
    let short = |text: &Vec<u8>| text.len() < 20_000;
    let texts: Vec<Vec<u8>> = wanted.map(|path| std::fs::read(path).unwrap()).filter(short).collect();
    assert!(!texts.is_empty());
    texts
}

fn refused_with_its_place(
    texts: &[Vec<u8>],
    seed: u64,
    read: impl Fn(&str) -> Result<SceneDescription, String>,
) {
    let corpus: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let mut random = Random(seed);
    let mut refused = 0;
    for _ in 0..inputs(3000) {
        let which = random.below(corpus.len());
        let bytes = mutated(&corpus, which, &mut random);
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        if let Err(message) = read(text) {
            refused += 1;
            assert!(message.contains(':') && !message.contains('\n'), "{message:?}");
        }
    }
    assert!(refused > 0);
}

#[test]
fn soak_mutated_scene_files_are_read_or_refused() {
    refused_with_its_place(&scenes("toml"), 21, |text| {
        SceneDescription::from_toml(text, "s.toml").map_err(|error| error.to_string())
    });
}

#[test]
fn soak_mutated_robots_are_read_or_refused() {
    refused_with_its_place(&scenes("urdf"), 22, |text| {
        SceneDescription::from_urdf(text, "r.urdf").map_err(|error| error.to_string())
    });
}

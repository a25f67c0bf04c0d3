//! A mutation fuzzer: files of a corpus, changed at random in the ways that break readers, always the same ones for a seed.

use std::ops::Range;

/// Words that have broken readers before.
const WORDS: [&str; 16] = [
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e-300",
    "nan",
    "inf",
    "-inf",
    "4294967295",
    "18446744073709551616",
    "",
    "\"",
    "<",
    ">",
    "[",
    "\u{fe0f}",
];

/// A stream of numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> Range<usize> {
        let (s, t) = (self.below(length + 1), self.below(length + 1));
        // Long pieces are rare: most changes are near each other.
        let end = if self.below(4) > 0 { s.min(t) + self.below(24) } else { s.max(t) };
        s.min(t)..end.clamp(s.min(t), length)
    }
}

/// One to four changes of a file; pieces come from any file of the corpus.
pub(crate) fn mutated(corpus: &[&[u8]], which: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = corpus[which].to_vec();
    for _ in 0..=random.below(4) {
        let range = random.range(bytes.len());
        match random.below(6) {
            0 if !bytes.is_empty() => {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            1 => drop(bytes.drain(range)),
            2 => {
                let piece = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, piece);
            }
            3 => {
                let other = corpus[random.below(corpus.len())];
                let piece = other[random.range(other.len())].to_vec();
                bytes.splice(range, piece);
            }
            _ => {
                // A number or word of the text becomes a hostile one.
                let at = random.below(bytes.len());
                let ends = |byte: u8| byte.is_ascii_whitespace() || b"\"',<>[]{}=".contains(&byte);
                let start = bytes[..at].iter().rposition(|&byte| ends(byte)).map_or(0, |found| found + 1);
                let end =
                    bytes[at..].iter().position(|&byte| ends(byte)).map_or(bytes.len(), |found| at + found);
                bytes.splice(start..end, WORDS[random.below(WORDS.len())].bytes());
            }
        }
    }
    bytes
}

/// Inputs that are kept because they led somewhere new.
const KEPT: usize = 2000;

/// Changes files at random and gives them to a reader, which returns what became of them: "read", or an error. An input with
/// an outcome of a new kind is changed further, so that the search goes where no input has been before. Coverage of the
/// reader's code would show more of that; the error that it ends with is what can be seen without instruments.
///
/// Returns how many kinds of outcomes there were.
#[allow(dead_code, reason = "each test program uses a part")]
pub(crate) fn explore(
    seeds: &[&[u8]],
    seed: u64,
    count: usize,
    mut read: impl FnMut(usize, &[u8]) -> String,
) -> usize {
    let mut random = Random(seed);
    // Each input with the seed that it comes from.
    let mut corpus: Vec<(usize, Vec<u8>)> =
        seeds.iter().enumerate().map(|(origin, bytes)| (origin, bytes.to_vec())).collect();
    let mut kinds = std::collections::HashSet::new();
    for _ in 0..count {
        let which = random.below(corpus.len());
        let origin = corpus[which].0;
        // Pieces come from seeds; the input itself may be one that was found.
        let pool: Vec<&[u8]> =
            std::iter::once(corpus[which].1.as_slice()).chain(seeds.iter().copied()).collect();
        let bytes = mutated(&pool, 0, &mut random);
        let outcome = kind(&read(origin, &bytes));
        if kinds.insert((origin, outcome)) && corpus.len() < KEPT {
            corpus.push((origin, bytes));
        }
    }
    kinds.len()
}

/// An outcome without most of what differs from input to input: its first six plain words.
fn kind(outcome: &str) -> String {
    let plain = |word: &&str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    outcome.split([' ', ',', ';', ':', '.']).filter(plain).take(6).collect::<Vec<_>>().join(" ")
}

/// How many inputs: a short run by default, `PRALL_SOAK` by a hundred in the long one.
pub(crate) fn inputs(short: usize) -> usize {
    let soak = std::env::var("PRALL_SOAK").ok().and_then(|text| text.parse::<usize>().ok());
    soak.map_or(short, |long| long / 100)
}

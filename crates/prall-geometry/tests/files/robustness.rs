//! Whatever the bytes are: an answer or an error of one line, no panic, and no more memory than the file's size allows.
//!
//! Seeds are fixed, so every run sees the same cases; what they cover is what a fuzzer would start from: valid files of
//! every format, cut, bent, spliced, and with numbers replaced by the worst ones.

use prall_geometry::files::{FileError, Format, ReadOptions, WriteFormat, read_model_from_bytes};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::common::{ALL_FORMATS, assembly, format, written};
use crate::mutation::{explore, inputs};

/// Bytes per byte of the file that a reader may hold at its worst, and what it may hold for the smallest file.
/// `memory.rs` measures what is really needed.
const MEMORY_PER_BYTE: u64 = 150;
const MEMORY_BASE: u64 = 16 * 1024;

const OBJ: &[u8] =
    b"# all of it\r\nmtllib a.mtl\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 0 0.1 0.2 0.3\nvn 0 0 1\nvt 0 0\n\
    g a b\nf 1/1/1 2/1/1 3/1/1\ns off\ng c\nf -3 -2 \\\n -1\nl 1 2\no d\nusemtl m\ng a b\nf 1//1 2//1 3//1\n";

const PLY: &[u8] =
    b"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty char x\nproperty short y\n\
    property uint z\nproperty list uchar ushort extra\nelement face 1\nproperty uchar flag\n\
    property list ushort uchar vertex_index\nelement other 1\nproperty double q\nend_header\n\
    \x00\x00\x01\x00\x00\x00\x02\x01\x00\x01\x01\x00\x01\x00\x00\x00\x02\x00\x02\x00\x01\x00\x00\x00\x02\x00\
    \x07\x00\x03\x00\x01\x02\x00\x00\x00\x00\x00\x00\x00\x00";

const COLLADA: &[u8] = crate::collada::SAMPLE.as_bytes();

const GLTF: &[u8] = br#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"name":"a","children":[1],"translation":[1,2,3],"rotation":[0,0,0,1],"scale":[1,1,1]},{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"mode":5}]}],
"accessors":[{"bufferView":0,"byteOffset":0,"componentType":5126,"count":3,"type":"VEC3",
"sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":1,"componentType":5121},"values":{"bufferView":0}}},
{"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":36,"byteStride":12},{"buffer":0,"byteOffset":36,"byteLength":4}],
"buffers":[{"byteLength":40,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAECAA=="}]}"#;

fn samples() -> Vec<(Format, Vec<u8>)> {
    let model = assembly();
    let by_hand = [(Format::Obj, OBJ), (Format::Ply, PLY), (Format::Gltf, GLTF), (Format::Collada, COLLADA)];
    ALL_FORMATS
        .into_iter()
        .map(|written_as| (format(written_as), written(&model, written_as)))
        .chain(by_hand.into_iter().map(|(format, bytes)| (format, bytes.to_vec())))
        .collect()
}

/// Reads, and holds the reader to its promises; whether it was an answer.
fn survives(bytes: &[u8], format: Format) -> bool {
    outcome(bytes, format) == READ
}

const READ: &str = "read";

/// What becomes of a file: it is read, or refused with a sentence, within the memory that its length allows.
fn outcome(bytes: &[u8], format: Format) -> String {
    let mut result = None;
    let memory = allocation_counter::measure(|| {
        result = Some(read_model_from_bytes(bytes, format, &ReadOptions::default()));
    });
    let bound = MEMORY_BASE + MEMORY_PER_BYTE * bytes.len() as u64;
    assert!(memory.bytes_max <= bound, "{} bytes held for a file of {}", memory.bytes_max, bytes.len());
    match result.unwrap() {
        Ok(model) => {
            assert!(model.soups().iter().any(|soup| soup.face_count() > 0));
            READ.to_owned()
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(['\n', '\r']) && message.len() < 600, "{message}");
            assert!(matches!(error, FileError::Content { .. } | FileError::Format { .. }), "{message}");
            message
        }
    }
}

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn the_samples_themselves_are_read() {
    for (format, bytes) in samples() {
        assert!(survives(&bytes, format), "{format}");
    }
}

#[test]
fn files_cut_off_at_any_byte_survive() {
    for (format, bytes) in samples() {
        for length in 0..bytes.len() {
            survives(&bytes[..length], format);
        }
    }
}

#[test]
fn binary_files_cut_off_at_any_byte_are_errors() {
    for written_as in [WriteFormat::StlBinary, WriteFormat::PlyBinary, WriteFormat::Glb] {
        let bytes = written(&assembly(), written_as);
        for length in 0..bytes.len() {
            assert!(!survives(&bytes[..length], format(written_as)), "{written_as:?} cut to {length}");
        }
    }
}

#[test]
fn a_cut_off_glb_that_admits_its_length_is_an_error() {
    let bytes = written(&assembly(), WriteFormat::Glb);
    for length in 12..bytes.len() {
        let mut cut = bytes[..length].to_vec();
        cut[8..12].copy_from_slice(&(length as u32).to_le_bytes());
        assert!(!survives(&cut, Format::Gltf), "cut to {length}");
    }
}

#[test]
fn every_flipped_bit_survives() {
    for (format, mut bytes) in samples() {
        for at in 0..bytes.len() {
            // All bits where headers are, one of them further on, to keep the run short.
            for bit in (0..8).filter(|bit| at < 400 || at % 8 == *bit) {
                bytes[at] ^= 1 << bit;
                survives(&bytes, format);
                bytes[at] ^= 1 << bit;
            }
        }
    }
}

#[test]
fn random_bytes_survive() {
    let beginnings: [(Format, &[u8]); 9] = [
        (Format::Obj, b""),
        (Format::Obj, b"v 1 "),
        (Format::Stl, b""),
        (Format::Stl, b"solid "),
        (Format::Ply, b"ply\n"),
        (Format::Ply, b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty list uchar int a\n"),
        (Format::Gltf, b"{"),
        (Format::Collada, b"<COLLADA><"),
        (Format::Gltf, b"glTF\x02\0\0\0"),
    ];
    let strategy = (0..beginnings.len(), proptest::collection::vec(any::<u8>(), 0..300));
    runner(3000)
        .run(&strategy, |(which, tail)| {
            let (format, beginning) = beginnings[which];
            survives(&[beginning, &tail].concat(), format);
            Ok(())
        })
        .unwrap();
}

/// Numbers and words that have broken readers before.
const HOSTILE: [&str; 24] = [
    "0",
    "-1",
    "1",
    "3",
    "255",
    "256",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "1000000000000000000",
    "1e308",
    "1e999",
    "-0.0",
    "nan",
    "inf",
    "1,5",
    "",
    "null",
    "\\",
];

/// Where numbers stand in a text.
fn number_ranges(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let is_digit = |b: u8| b.is_ascii_digit() || b == b'-' || b == b'.';
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + bytes[at..].iter().take_while(|&&b| is_digit(b)).count();
        if end > at {
            ranges.push(at..end);
        }
        at = end + 1;
    }
    ranges
}

#[test]
fn hostile_numbers_in_any_place_survive() {
    for (format, bytes) in samples() {
        // Numbers of binary content are no numbers as text; replacing such bytes does no harm.
        for range in number_ranges(&bytes).into_iter().take(150) {
            for hostile in HOSTILE {
                let mut changed = bytes.clone();
                changed.splice(range.clone(), hostile.bytes());
                survives(&changed, format);
            }
        }
    }
}

#[test]
fn spliced_files_survive() {
    let samples = samples();
    let strategy = (0..samples.len(), any::<[u16; 3]>(), any::<bool>());
    runner(3000)
        .run(&strategy, |(which, [from, to, target], remove)| {
            let (format, bytes) = &samples[which];
            let at = |position: u16| usize::from(position) % (bytes.len() + 1);
            let (from, to) = (at(from).min(at(to)), at(from).max(at(to)));
            let mut changed = bytes.clone();
            if remove {
                changed.drain(from..to);
            } else {
                changed.splice(at(target)..at(target), bytes[from..to].iter().copied());
            }
            survives(&changed, *format);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_file_read_as_another_format_is_refused() {
    for (format, bytes) in samples() {
        for other in [Format::Obj, Format::Stl, Format::Ply, Format::Gltf, Format::Collada] {
            if other != format {
                assert!(!survives(&bytes, other), "{format} as {other}");
            }
        }
    }
}

/// The fuzzer of every reader; what it makes of the files of one format is read as that format.
#[test]
fn soak_mutated_files_survive() {
    let samples = samples();
    let seeds: Vec<&[u8]> = samples.iter().map(|(_, bytes)| bytes.as_slice()).collect();
    let kinds = explore(&seeds, 20, inputs(20_000), |which, bytes| outcome(bytes, samples[which].0));
    println!("{kinds} kinds of outcomes");
    assert!(kinds > 100, "{kinds} kinds of outcomes");
}

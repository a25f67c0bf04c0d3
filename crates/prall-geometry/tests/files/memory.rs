//! How much memory reading takes, measured by a counting allocator, against the size of the file.

use prall_geometry::PolygonSoup;
use prall_geometry::files::{Format, Model, ReadOptions, WriteFormat, read_model_from_bytes};

use crate::common::{ALL_FORMATS, format, written};

/// The most memory held at once per byte of the file.
fn memory_per_byte(bytes: &[u8], format: Format) -> f64 {
    let memory = allocation_counter::measure(|| {
        // The outcome is tested elsewhere; here only what it takes.
        let outcome = read_model_from_bytes(bytes, format, &ReadOptions::default());
        drop(outcome);
    });
    memory.bytes_max as f64 / bytes.len() as f64
}

/// A square grid of triangles, as a sound file would have it.
fn grid() -> Model {
    let side = 150_u32;
    let mut soup = PolygonSoup::new();
    for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
        soup.push_position(glam::DVec3::new(f64::from(x), f64::from(y), 0.1)).unwrap();
    }
    for corner in (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| x + side * y)) {
        soup.push_face(&[corner, corner + 1, corner + side]).unwrap();
        soup.push_face(&[corner + 1, corner + side + 1, corner + side]).unwrap();
    }
    Model::from_soup("grid", soup)
}

#[test]
fn sound_files_take_a_few_times_their_size() {
    let grid = grid();
    for written_as in ALL_FORMATS {
        let bytes = written(&grid, written_as);
        let measured = memory_per_byte(&bytes, format(written_as));
        // An STL triangle of 50 bytes becomes 88, a GLB vertex of 12 becomes 24; the rest is growing lists.
        assert!(measured < 6.0, "{written_as:?}: {measured}");
    }
}

const NODES: &str = "<COLLADA><library_visual_scenes><visual_scene>";
const NODES_END: &str = "</visual_scene></library_visual_scenes></COLLADA>";

#[test]
fn the_densest_files_stay_within_the_stated_bound() {
    let repeated =
        |head: &str, item: &str, tail: &str| format!("{head}{}{tail}", item.repeat(20_000)).into_bytes();
    let ply = |properties: &str, count: usize, row: &[u8]| {
        let header = format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {count}\n{properties}element face 1\nproperty list uchar \
             uchar vertex_indices\nend_header\n"
        );
        [header.as_bytes(), &row.repeat(count), b"\x03\0\0\0"].concat()
    };
    let cases = [
        // The smallest things of every format that take memory of their own.
        ("OBJ vertices", Format::Obj, repeated("", "v 0 0 0\n", "f 1 1 1\n"), 12.0),
        ("OBJ faces", Format::Obj, repeated("v 0 0 0\n", "f 1 1 1\n", ""), 12.0),
        ("OBJ objects", Format::Obj, repeated("v 0 0 0\n", "o\nf 1 1 1\n", ""), 100.0),
        ("STL solids", Format::Stl, repeated("", "solid\nendsolid\n", ""), 60.0),
        (
            "PLY vertices of bytes",
            Format::Ply,
            ply("property char x\nproperty char y\nproperty char z\n", 60_000, &[0; 3]),
            10.0,
        ),
        (
            "PLY elements",
            Format::Ply,
            repeated("ply\nformat ascii 1.0\n", "element a 0\n", "end_header\n"),
            20.0,
        ),
        (
            "glTF nodes",
            Format::Gltf,
            repeated(r#"{"asset":{"version":"2.0"},"nodes":[{}"#, ",{}", "]}"),
            150.0,
        ),
        ("COLLADA elements", Format::Collada, repeated("<COLLADA>", "<a/>", "</COLLADA>"), 60.0),
        ("COLLADA nodes", Format::Collada, repeated(NODES, "<node/>", NODES_END), 100.0),
        (
            "glTF scene",
            Format::Gltf,
            repeated(r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0"#, ",0", "]}]}"),
            10.0,
        ),
    ];
    for (name, format, bytes, bound) in cases {
        let measured = memory_per_byte(&bytes, format);
        assert!(measured < bound, "{name}: {measured:.1} bytes per byte");
    }
}

#[test]
fn instances_and_shared_names_do_not_multiply() {
    // A long mesh name, a mesh of many primitives, and many nodes that use both.
    let name = "n".repeat(50_000);
    let primitive = r#"{"attributes":{"POSITION":0},"indices":0}"#;
    let primitives = vec![primitive; 1000].join(",");
    let nodes = vec![r#"{"mesh":0}"#; 5000].join(",");
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}],"meshes":[{{"name":"{name}","primitives":[{primitives}]}}],
        "accessors":[{{"componentType":5126,"count":3,"type":"VEC3"}},{{"componentType":5121,"count":3,"type":"SCALAR"}}]}}"#
    )
    .replace("\"indices\":0", "\"indices\":1");
    assert!(read_model_from_bytes(text.as_bytes(), Format::Gltf, &ReadOptions::default()).is_ok());
    assert!(memory_per_byte(text.as_bytes(), Format::Gltf) < 30.0);
}

#[test]
fn counts_without_bytes_behind_them_take_no_memory() {
    let mut stl = written(&grid(), WriteFormat::StlBinary);
    stl.truncate(100);
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let ply = b"ply\nformat ascii 1.0\nelement vertex 1000000000000000000\nproperty float x\nend_header\n0\n";
    let list = b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty list uint double x\nproperty float \
        y\nend_header\n\xff\xff\xff\xff\0\0\0\0";
    for (format, bytes) in [(Format::Stl, &stl[..]), (Format::Ply, ply), (Format::Ply, list)] {
        let bytes_held = memory_per_byte(bytes, format) * bytes.len() as f64;
        // Room for the message.
        assert!(bytes_held < 1000.0, "{format}: {bytes_held}");
    }
}

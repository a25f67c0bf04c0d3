//! How fast mesh files load, from disk, with their pages in the system's cache.
//!
//! The binary STL comes in 25 and 50 MB, to see that the time grows with the size; the other formats have the larger
//! one's million triangles, over half a million shared vertices.

use std::path::{Path, PathBuf};

use divan::Bencher;
use divan::counter::BytesCount;
use glam::DVec3;
use prall_geometry::PolygonSoup;
use prall_geometry::files::{Model, ReadOptions, WriteFormat, read_model, write_model_as};

fn main() {
    divan::main();
}

/// A wavy sheet of triangles, two per cell.
fn sheet(columns: u32, rows: u32) -> Model {
    let mut soup =
        PolygonSoup::with_capacity(((columns + 1) * (rows + 1)) as usize, (2 * columns * rows) as usize);
    for (x, y) in (0..=rows).flat_map(|y| (0..=columns).map(move |x| (f64::from(x), f64::from(y)))) {
        let height = libm::sin(0.1 * x) * libm::cos(0.07 * y);
        soup.push_position(DVec3::new(0.001 * x, 0.01 * height, 0.001 * y)).expect("finite");
    }
    for corner in (0..rows).flat_map(|y| (0..columns).map(move |x| x + (columns + 1) * y)) {
        let above = corner + columns + 1;
        soup.push_face(&[corner, above, corner + 1]).expect("vertices exist");
        soup.push_face(&[corner + 1, above, above + 1]).expect("vertices exist");
    }
    Model::from_soup("sheet", soup)
}

/// A file that is gone when the benchmark is over.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // Best effort: it lies in the system's directory for such files.
        let _gone = std::fs::remove_file(&self.0);
    }
}

fn load(bencher: Bencher<'_, '_>, columns: u32, extension: &str, format: WriteFormat) {
    let name = format!("prall-bench-{}-{columns}-{format:?}.{extension}", std::process::id());
    let scratch = Scratch(std::env::temp_dir().join(name));
    let path: &Path = &scratch.0;
    write_model_as(path, &sheet(columns, 500), format).expect("the temporary directory can be written");
    let size = std::fs::metadata(path).expect("just written").len();
    bencher
        .counter(BytesCount::new(size))
        .bench_local(|| read_model(path, &ReadOptions::default()).expect("what was written is read"));
}

#[divan::bench(sample_count = 10)]
fn stl_binary_25_mb(bencher: Bencher<'_, '_>) {
    load(bencher, 500, "stl", WriteFormat::StlBinary);
}

#[divan::bench(sample_count = 10)]
fn stl_binary_50_mb(bencher: Bencher<'_, '_>) {
    load(bencher, 1000, "stl", WriteFormat::StlBinary);
}

#[divan::bench(sample_count = 5)]
fn stl_text_a_million_triangles(bencher: Bencher<'_, '_>) {
    load(bencher, 1000, "stl", WriteFormat::StlText);
}

#[divan::bench(sample_count = 10)]
fn obj_a_million_triangles(bencher: Bencher<'_, '_>) {
    load(bencher, 1000, "obj", WriteFormat::Obj);
}

#[divan::bench(sample_count = 10)]
fn ply_binary_a_million_triangles(bencher: Bencher<'_, '_>) {
    load(bencher, 1000, "ply", WriteFormat::PlyBinary);
}

#[divan::bench(sample_count = 10)]
fn glb_a_million_triangles(bencher: Bencher<'_, '_>) {
    load(bencher, 1000, "glb", WriteFormat::Glb);
}

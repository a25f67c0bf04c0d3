//! Welding, adjacency, diagnosis and mass of meshes of 250 thousand and one million triangles.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use prall_geometry::{
    Amount, Diagnosis, EdgeOptions, Edges, HalfEdges, MassProperties, Mesh, MeshOptions, PolygonSoup, Weld,
    generate,
};

const SIZES: [u32; 2] = [250_000, 1_000_000];

fn main() {
    divan::main();
}

/// A ring of so many triangles, each with its own three vertices, as an STL file has them.
fn loose_triangles(count: u32) -> PolygonSoup {
    let mesh = connected(count);
    let mut soup = PolygonSoup::with_capacity(3 * count as usize, count as usize);
    for triangle in 0..mesh.triangles().len() {
        let corners = mesh.triangle_points(triangle).map(|p| soup.push_position(p).unwrap());
        soup.push_face(&corners).unwrap();
    }
    soup
}

/// The same ring with shared vertices, as an OBJ file has them.
fn indexed_triangles(count: u32) -> PolygonSoup {
    let mesh = connected(count);
    PolygonSoup::from_triangles(mesh.positions().to_vec(), mesh.triangles()).unwrap()
}

/// Segments and sides in the ratio 2 to 1, two triangles for each pair.
fn connected(count: u32) -> Mesh {
    let sides = f64::from(count / 4).sqrt() as u32;
    let ring = generate::torus(1.0, 0.4, 2 * sides, sides).unwrap();
    Mesh::from_soup(&ring, &MeshOptions::default()).unwrap()
}

fn build(soup: &PolygonSoup, weld: Weld) -> Mesh {
    Mesh::from_soup(soup, &MeshOptions { weld, ..MeshOptions::default() }).unwrap()
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn weld_exactly(bencher: Bencher, count: u32) {
    let soup = loose_triangles(count);
    bencher.counter(ItemsCount::new(count)).bench(|| build(black_box(&soup), Weld::Exact));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn weld_within_a_micrometre(bencher: Bencher, count: u32) {
    let soup = loose_triangles(count);
    bencher.counter(ItemsCount::new(count)).bench(|| build(black_box(&soup), Weld::Within(1e-6)));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn half_edges(bencher: Bencher, count: u32) {
    let mesh = build(&loose_triangles(count), Weld::Exact);
    bencher.counter(ItemsCount::new(count)).bench(|| HalfEdges::new(black_box(&mesh)));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn weld_and_half_edges_of_loose_triangles(bencher: Bencher, count: u32) {
    let soup = loose_triangles(count);
    bencher.counter(ItemsCount::new(count)).bench(|| HalfEdges::new(&build(black_box(&soup), Weld::Exact)));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn weld_and_half_edges_of_indexed_triangles(bencher: Bencher, count: u32) {
    let soup = indexed_triangles(count);
    bencher.counter(ItemsCount::new(count)).bench(|| HalfEdges::new(&build(black_box(&soup), Weld::Exact)));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn active_edges(bencher: Bencher, count: u32) {
    let mesh = build(&indexed_triangles(count), Weld::Exact);
    let half_edges = HalfEdges::new(&mesh);
    bencher.counter(ItemsCount::new(count)).bench(|| Edges::new(&mesh, &half_edges, &EdgeOptions::default()));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn volume(bencher: Bencher, count: u32) {
    let mesh = build(&indexed_triangles(count), Weld::Exact);
    bencher.counter(ItemsCount::new(count)).bench(|| black_box(&mesh).signed_volume());
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn mass(bencher: Bencher, count: u32) {
    let mesh = build(&indexed_triangles(count), Weld::Exact);
    let half_edges = HalfEdges::new(&mesh);
    bencher
        .counter(ItemsCount::new(count))
        .bench(|| MassProperties::of_mesh(black_box(&mesh), &half_edges, Amount::Density(1000.0)));
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn diagnosis(bencher: Bencher, count: u32) {
    let mesh = build(&indexed_triangles(count), Weld::Exact);
    let half_edges = HalfEdges::new(&mesh);
    bencher.counter(ItemsCount::new(count)).bench(|| Diagnosis::new(black_box(&mesh), &half_edges));
}

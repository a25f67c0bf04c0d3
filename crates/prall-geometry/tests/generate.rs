//! Generated shapes: closed, outward, of the right genus and size, and refused where they make no sense.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use prall_geometry::generate::{self, Funnel, GenerateError};
use prall_geometry::{Diagnosis, HalfEdges, Mesh, MeshOptions, PolygonSoup};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(seed: u64, cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Default::default() }
}

/// Diagnosis of a soup that must be a solid with shared vertices and whole, planar polygons.
fn examine(soup: &PolygonSoup) -> Diagnosis {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    let found = Diagnosis::new(&mesh, &HalfEdges::new(&mesh));
    assert!(found.watertight, "{:?}", found.findings());
    assert!(found.signed_volume > 0.0);
    assert_eq!((found.components, found.nonmanifold_vertices, found.inside_out_components), (1, 0, 0));
    assert_eq!((found.welded_vertices, found.unused_vertices), (0, 0));
    assert_eq!((found.degenerate_faces, found.nonplanar_faces, found.duplicate_faces), (0, 0, 0));
    found
}

/// V - E + F: 2 for a ball, 0 for a ring.
fn euler(found: &Diagnosis) -> i64 {
    found.vertices as i64 - found.edges as i64 + found.faces as i64
}

/// Area of a regular polygon by its circumscribed circle.
fn polygon_area(radius: f64, sides: u32) -> f64 {
    0.5 * f64::from(sides) * radius * radius * libm::sin(2.0 * PI / f64::from(sides))
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-12
}

#[test]
fn a_box_has_six_faces_and_a_brick_with_cut_edges_twenty_six() {
    let found = examine(&generate::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap());
    assert_eq!((found.vertices, found.edges, found.faces), (8, 12, 6));
    assert_eq!((found.signed_volume, found.upper_bound), (6.0, DVec3::new(0.5, 1.0, 1.5)));
    let found = examine(&generate::brick(DVec3::new(1.0, 2.0, 3.0), 0.1).unwrap());
    assert_eq!((found.vertices, found.edges, found.faces), (24, 48, 26));
    // Each edge loses a right-angled wedge c^2/2 of the length between corners, each corner all but a piece
    // of the cube c^3: a corner keeps the tetrahedron (c,c,c),(0,c,c),(c,0,c),(c,c,0), a sixth of it.
    let c: f64 = 0.1;
    let wedges = 4.0 * (0.8 + 1.8 + 2.8) * c * c / 2.0;
    let corners = 8.0 * c * c * c * (1.0 - 1.0 / 6.0);
    assert!(near(found.signed_volume, 6.0 - wedges - corners), "{}", found.signed_volume);
}

#[test]
fn an_ico_sphere_has_twenty_times_four_to_the_n_triangles_on_the_sphere() {
    for subdivisions in 0..4 {
        let soup = generate::ico_sphere(2.5, subdivisions).unwrap();
        let found = examine(&soup);
        assert_eq!(found.faces, 20 << (2 * subdivisions));
        assert_eq!(euler(&found), 2);
        assert!(soup.positions().iter().all(|p| (p.length() - 2.5).abs() < 1e-15 * 4.0));
    }
}

proptest! {
    #![proptest_config(config(5, 60))]

    #[test]
    fn round_solids_are_closed_whatever_their_measures(
        radius in 0.01..10.0f64, height in 0.01..10.0f64, segments in 3u32..40, rings in 2u32..12,
    ) {
        let cylinder = examine(&generate::cylinder(radius, height, segments).unwrap());
        prop_assert!(near(cylinder.signed_volume, height * polygon_area(radius, segments)));
        prop_assert_eq!((euler(&cylinder), cylinder.faces), (2, segments as usize + 2));
        let cone = examine(&generate::cone(radius, height, segments).unwrap());
        prop_assert!(near(cone.signed_volume, height / 3.0 * polygon_area(radius, segments)));
        prop_assert_eq!((euler(&cone), cone.vertices), (2, segments as usize + 1));
        let sphere = examine(&generate::uv_sphere(radius, segments, rings).unwrap());
        prop_assert_eq!((euler(&sphere), sphere.faces), (2, (segments * rings) as usize));
        let capsule = examine(&generate::capsule(radius, height, segments, rings).unwrap());
        prop_assert_eq!((euler(&capsule), capsule.faces), (2, (segments * (2 * rings + 1)) as usize));
        prop_assert!((capsule.upper_bound.y - (0.5 * height + radius)).abs() < 1e-14 * (height + radius));
        // Cut at its equator and pulled apart, a capsule is a sphere and a prism.
        let halves = examine(&generate::uv_sphere(radius, segments, 2 * rings).unwrap());
        prop_assert!(near(capsule.signed_volume, halves.signed_volume + cylinder.signed_volume));
    }

    #[test]
    fn rings_are_closed_and_have_a_hole(
        inner in 0.1..5.0f64, thickness in 0.1..5.0f64, height in 0.1..5.0f64,
        segments in 3u32..40, sides in 3u32..20,
    ) {
        let tube = examine(&generate::tube(inner + thickness, inner, height, segments).unwrap());
        let base = polygon_area(inner + thickness, segments) - polygon_area(inner, segments);
        prop_assert!(near(tube.signed_volume, base * height));
        prop_assert_eq!((euler(&tube), tube.faces), (0, 4 * segments as usize));
        let torus = examine(&generate::torus(inner + thickness, thickness, segments, sides).unwrap());
        prop_assert_eq!((euler(&torus), torus.faces), (0, (segments * sides) as usize));
        // Pappus, with the polygon that is turned instead of the circle, and the polygon along which it is
        // turned.
        let path = polygon_area(1.0, segments) / PI * 2.0 * PI * (inner + thickness);
        prop_assert!(near(torus.signed_volume, polygon_area(thickness, sides) * path));
    }

    #[test]
    fn funnels_are_closed_and_clear(
        outlet in 0.05..1.0f64, wider in 0.05..2.0f64, slope in 0.05..2.0f64,
        rim in prop_oneof![Just(0.0), 0.1..1.0f64], spout in prop_oneof![Just(0.0), 0.1..1.0f64],
        wall in 0.01..0.2f64, sides in 3u32..30,
    ) {
        let measures = Funnel {
            upper_half_width: outlet + wider, outlet_half_width: outlet, slope_height: slope,
            rim_height: rim, spout_height: spout, wall, sides,
        };
        let soup = generate::funnel(&measures).unwrap();
        let found = examine(&soup);
        prop_assert_eq!(euler(&found), 0);
        // Area of the polygon around a circle of radius w is n tan(pi/n) w^2; frustum h/3 (a + sqrt(ab) +
        // b).
        let shape = f64::from(sides) * libm::tan(PI / f64::from(sides));
        let filled = |low: f64, high: f64| shape * (
            spout * low * low + rim * high * high + slope / 3.0 * (low * low + low * high + high * high));
        let outside = filled(outlet + wall, outlet + wider + wall);
        let volume = outside - filled(outlet, outlet + wider);
        prop_assert!((found.signed_volume - volume).abs() < 1e-12 * outside);
        // The way down along the axis is free for a ball as wide as the outlet.
        let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
        let top = spout + slope + rim;
        for step in 0..=10 {
            let beside = DVec3::new(0.0, top * f64::from(step) / 10.0, 0.99 * outlet);
            prop_assert!(mesh.winding_number(beside).abs() < 1e-9);
        }
    }

    #[test]
    fn prisms_over_any_outline_are_closed(
        radii in prop::collection::vec(0.2..2.0f64, 3..30), height in 0.1..3.0f64, backward in any::<bool>(),
    ) {
        let step = 2.0 * PI / radii.len() as f64;
        let mut outline: Vec<DVec2> =
            radii.iter().enumerate().map(|(i, r)| *r * DVec2::from_angle(step * i as f64)).collect();
        let area: f64 = 0.5 * (0..outline.len())
            .map(|i| outline[i].perp_dot(outline[(i + 1) % outline.len()]))
            .sum::<f64>();
        if backward {
            outline.reverse();
        }
        let found = examine(&generate::prism(&outline, height).unwrap());
        prop_assert!(near(found.signed_volume, area * height));
        prop_assert_eq!(euler(&found), 2);
    }

    #[test]
    fn terrain_is_a_closed_block(columns in 1u32..20, rows in 1u32..20, seed in any::<u64>()) {
        let hills = generate::fractal_noise(seed, 4);
        let size = DVec2::new(5.0, 3.0);
        let soup = generate::terrain(size, [columns, rows], -2.0, &hills).unwrap();
        let found = examine(&soup);
        prop_assert_eq!(euler(&found), 2);
        prop_assert_eq!((found.lower_bound.x, found.lower_bound.y, found.upper_bound.z), (-2.5, -2.0, 1.5));
        for p in soup.positions().iter().filter(|p| p.y > -1.5) {
            prop_assert_eq!(p.y, hills(p.x, p.z));
            prop_assert!(p.y.abs() <= 1.0);
        }
    }
}

#[test]
fn flat_terrain_is_a_box() {
    let found = examine(&generate::terrain(DVec2::new(4.0, 2.0), [7, 3], -1.0, |_, _| 0.5).unwrap());
    assert!(near(found.signed_volume, 12.0));
    assert_eq!(
        (found.lower_bound, found.upper_bound),
        (DVec3::new(-2.0, -1.0, -1.0), DVec3::new(2.0, 0.5, 1.0))
    );
}

#[test]
fn a_cell_of_terrain_is_cut_along_its_shorter_diagonal() {
    // One corner is lifted, so the diagonal through it is the longer one; the other two corners are in both halves.
    for lifted in 0..4u32 {
        let height = |x: f64, z: f64| {
            let corner = u32::from(x > 0.0) + 2 * u32::from(z > 0.0);
            if corner == lifted { 3.0 } else { 1.0 }
        };
        let soup = generate::terrain(DVec2::ONE, [1, 1], 0.0, height).unwrap();
        let mut shared: Vec<u32> =
            soup.face(0).iter().copied().filter(|corner| soup.face(1).contains(corner)).collect();
        shared.sort_unstable();
        assert_eq!(shared, if lifted == 0 || lifted == 3 { [1, 2] } else { [0, 3] });
    }
}

#[test]
fn a_square_funnel_has_its_walls_across_x_and_z() {
    let found = examine(&generate::funnel(&Funnel::default()).unwrap());
    let expected = DVec3::new(1.05, 1.75, 1.05);
    assert!(found.upper_bound.abs_diff_eq(expected, 1e-14), "{}", found.upper_bound);
}

#[test]
fn noise_depends_on_its_seed_and_on_nothing_else() {
    let (a, b) = (generate::fractal_noise(1, 3), generate::fractal_noise(2, 3));
    let samples = |noise: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        (0..50).map(|i| noise(0.37 * f64::from(i), -0.21 * f64::from(i))).collect()
    };
    assert_eq!(samples(&a), samples(&generate::fractal_noise(1, 3)));
    assert_ne!(samples(&a), samples(&b));
}

#[test]
fn meaningless_measures_are_refused_by_name() {
    let name = |result: Result<PolygonSoup, GenerateError>| match result.unwrap_err() {
        GenerateError::Length { quantity, .. } | GenerateError::Count { quantity, .. } => quantity,
        GenerateError::Outline { problem } => problem,
        GenerateError::Soup(_) => "soup",
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(generate::cuboid(DVec3::new(1.0, bad, 1.0))), "edge length");
        assert_eq!(name(generate::ico_sphere(bad, 1)), "radius");
        assert_eq!(name(generate::uv_sphere(bad, 8, 4)), "radius");
        assert_eq!(name(generate::capsule(1.0, bad, 8, 4)), "height");
        assert_eq!(name(generate::cylinder(1.0, bad, 8)), "height");
        assert_eq!(name(generate::cone(bad, 1.0, 8)), "radius");
        assert_eq!(name(generate::torus(1.0, bad, 8, 8)), "tube radius");
        assert_eq!(name(generate::tube(1.0, bad, 1.0, 8)), "inner radius");
        assert_eq!(name(generate::terrain(DVec2::new(bad, 1.0), [1, 1], 0.0, |_, _| 1.0)), "size along x");
        assert_eq!(name(generate::funnel(&Funnel { wall: bad, ..Funnel::default() })), "wall");
    }
    assert_eq!(name(generate::brick(DVec3::ONE, 0.5)), "edge length");
    assert_eq!(name(generate::brick(DVec3::ONE, -0.1)), "chamfer");
    assert_eq!(name(generate::torus(1.0, 1.0, 8, 8)), "ring radius");
    assert_eq!(name(generate::tube(1.0, 1.0, 1.0, 8)), "outer radius");
    assert_eq!(name(generate::cylinder(1.0, 1.0, 2)), "segments");
    assert_eq!(name(generate::cylinder(1.0, 1.0, 1_000_000)), "segments");
    assert_eq!(name(generate::uv_sphere(1.0, 8, 1)), "rings");
    assert_eq!(name(generate::ico_sphere(1.0, 11)), "subdivisions");
    assert_eq!(name(generate::terrain(DVec2::ONE, [1, 0], 0.0, |_, _| 1.0)), "cells along z");
    assert_eq!(name(generate::terrain(DVec2::ONE, [1, 1], 0.0, |_, _| f64::NAN)), "height of the ground");
    assert_eq!(name(generate::terrain(DVec2::ONE, [1, 1], 0.0, |_, _| 0.0)), "height of the ground");
    let narrow = Funnel { upper_half_width: 0.2, ..Funnel::default() };
    assert_eq!(name(generate::funnel(&narrow)), "upper half width");
    let bow_tie = [(0., 0.), (2., 2.), (2., 0.), (0., 1.)].map(DVec2::from);
    assert_eq!(name(generate::prism(&bow_tie, 1.0)), "crosses itself");
    assert_eq!(name(generate::prism(&bow_tie[..2], 1.0)), "has fewer than 3 corners");
    assert_eq!(name(generate::prism(&[DVec2::ZERO, DVec2::X, 2.0 * DVec2::X], 1.0)), "has no area");
}

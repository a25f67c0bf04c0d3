//! Faces of tens of thousands of corners: covered once, and within the time of a small file.

use std::f64::consts::TAU;
use std::time::{Duration, Instant};

use glam::DVec3;
use prall_geometry::{Mesh, MeshOptions, PolygonSoup};

/// Twice the area by the shoelace formula.
fn doubled_area(outline: &[DVec3]) -> f64 {
    let next = |i: usize| outline[(i + 1) % outline.len()];
    outline.iter().enumerate().map(|(i, p)| p.x * next(i).y - p.y * next(i).x).sum()
}

fn face(outline: &[DVec3]) -> PolygonSoup {
    let mut soup = PolygonSoup::new();
    let corners: Vec<u32> = outline.iter().map(|&p| soup.push_position(p).unwrap()).collect();
    soup.push_face(&corners).unwrap();
    soup
}

/// Every triangle turns the same way, and their areas add up to the polygon's: it is covered exactly once.
fn covered_once(outline: &[DVec3]) -> Duration {
    let soup = face(outline);
    let start = Instant::now();
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
    let elapsed = start.elapsed();
    let triangles = mesh.triangles();
    assert_eq!(triangles.len(), outline.len() - 2);
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|corner| mesh.positions()[corner as usize]);
        (b - a).cross(c - a).z
    };
    assert!(triangles.iter().all(|t| area(t) >= 0.0));
    let sum: f64 = triangles.iter().map(area).sum();
    let wanted = doubled_area(outline);
    // Rounding of tens of thousands of small terms.
    assert!((sum - wanted).abs() < 1e-9 * wanted, "{sum} instead of {wanted}");
    elapsed
}

fn gear(corners: usize) -> Vec<DVec3> {
    (0..corners)
        .map(|i| {
            let angle = TAU * i as f64 / corners as f64;
            let radius = if i % 4 < 2 { 1.0 } else { 0.9 };
            DVec3::new(radius * libm::cos(angle), radius * libm::sin(angle), 0.0)
        })
        .collect()
}

fn comb(teeth: usize) -> Vec<DVec3> {
    let mut outline = vec![DVec3::ZERO, DVec3::new(2.0 * teeth as f64 - 1.0, 0.0, 0.0)];
    for tooth in (0..teeth).rev() {
        let x = 2.0 * tooth as f64;
        outline.extend([DVec3::new(x + 1.0, 9.0, 0.0), DVec3::new(x, 9.0, 0.0)]);
        if tooth > 0 {
            outline.extend([DVec3::new(x, 1.0, 0.0), DVec3::new(x - 1.0, 1.0, 0.0)]);
        }
    }
    outline
}

/// A polygon of 60,000 corners took more than 20 s when every ear was compared with every corner. The bound is ten times what a busy machine
/// takes, and a third of what the quadratic method took at best.
#[test]
fn polygons_of_sixty_thousand_corners_take_no_quadratic_time() {
    for outline in [gear(60_000), comb(15_000)] {
        let elapsed = covered_once(&outline);
        assert!(elapsed < Duration::from_secs(7), "{elapsed:?}");
    }
}

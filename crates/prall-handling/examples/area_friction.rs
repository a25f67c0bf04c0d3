//! Prints the tables of friction of areas in docs/handling.md: `cargo run -p prall-handling --example area_friction`.

#[path = "../tests/handling/area_cases.rs"]
#[allow(dead_code)]
mod area_cases;
#[path = "../tests/handling/shapes.rs"]
#[allow(dead_code)]
mod shapes;

use area_cases::*;
use glam::DVec2;
use prall_handling::area::{Slide, SupportPolygon};

fn main() {
    println!("| base | area | corners |\n|---|--:|--:|");
    for (name, count) in [("triangle", 3), ("square", 4), ("hexagon", 6), ("circle (1,000 corners)", 1_000)] {
        let polygon = SupportPolygon::regular(count, 1.0).expect("a polygon");
        let corners = Slide::new(polygon.corners().to_vec()).turning_moment().expect("it stands");
        println!("| {name} | {:.3} | {corners:.3} |", polygon.turning_moment());
    }
    let (polygon, half) = (rectangle(), DVec2::new(0.1, 0.06));
    let turned = |count: usize, seed: u64| {
        let slide = body(&polygon, area_points(&polygon, count, seed), 0.0);
        pushed(&slide, half, 1.05, 0.5, 300).0.angle
    };
    println!("\n| points | angle after 3 s, rad, five choices |\n|--:|---|");
    for count in [10, 30, 100, 300, 1_000, 3_000] {
        let angles: Vec<String> = (1..=5).map(|seed| format!("{:.3}", turned(count, seed))).collect();
        println!("| {count} | {} |", angles.join(", "));
    }
    println!("\n| offset | three points far out | area | ten random triples |\n|--:|--:|--:|---|");
    for step in 1..=10 {
        let aside = 0.1 * f64::from(step);
        let swing = |points: Vec<DVec2>| {
            pushed(&body(&polygon, points, 0.0), half, 1.05, aside, 2_000).1.to_degrees()
        };
        let random: Vec<f64> = (1..=10).map(|seed| swing(random_triple(&polygon, seed))).collect();
        let low = random.iter().copied().fold(f64::INFINITY, f64::min);
        let high = random.iter().copied().fold(0.0, f64::max);
        let (corner, area) = (swing(corner_triple()), swing(area_points(&polygon, 100, 1)));
        println!("| {aside:.1} | {corner:.0} | {area:.0} | {low:.0} to {high:.0} |");
    }
}

//! T6 and Table 2 of Buck 1999: every region of contact is some vertices on faces and edges on edges.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use glam::{DAffine3, DQuat, DVec2, DVec3};
use prall_geometry::{PolygonSoup, Shape, generate};
use prall_math::{Pose, Twist};

use super::sets::{brick, ground, tip, upside_down};
use super::{Situation, Trace, row};
use crate::shapes::*;

/// A square prism along x with edges above and below, 10 mm from its axis.
fn ridge() -> Shape {
    crate::buck_friction::rod(0.2)
}

fn along_x(place: DVec3) -> Pose {
    Pose::new(DQuat::from_rotation_z(FRAC_PI_2), place)
}

fn along_z(place: DVec3) -> Pose {
    Pose::new(DQuat::from_rotation_x(FRAC_PI_2), place)
}

/// Two ridges along x that fall towards each other: their upper edges meet in a saddle at the origin.
fn valley() -> Vec<(Shape, Pose)> {
    let place = |side: f64| {
        // Ends overlap a little at the bottom.
        let turn = DQuat::from_rotation_z(0.3 * side);
        Pose::new(turn * along_x(DVec3::ZERO).rotation, turn * DVec3::new(0.095 * side, -0.01, 0.0))
    };
    [-1.0, 1.0].map(|side| (ridge(), place(side))).to_vec()
}

/// Both methods press the part down, without turning, and then hold still under a small load.
fn settle(situation: &Situation, wish: Twist, steps: usize) -> (Trace, Trace) {
    let ((_, first), (_, second)) = situation.play(steps, |_, _| wish);
    (first, second)
}

const DOWN: Twist = Twist::new(DVec3::new(0.0, -0.1, 0.0), DVec3::ZERO);

/// The row of Table 2, and the free directions that are left.
fn table_two(what: &str, situation: &Situation, wish: Twist, count: usize, why: &str) {
    let (first, second) = settle(situation, wish, 60);
    assert_eq!((first.count, first.free), (count, 6 - count), "{what}: {}", first.events());
    assert_eq!((second.count, second.free), (count, 6 - count), "{what}: {}", second.phases());
    row("Table 2", what, &first, &second, why);
}

#[test]
fn table_2_a_vertex_on_a_face_is_ef() {
    let situation = Situation::new(tip(), upside_down(DVec3::Y * 0.031), vec![ground()]).upright();
    table_two("vertex, face", &situation, DOWN, 1, "");
}

#[test]
fn table_2_an_edge_on_an_edge_is_ee() {
    let situation =
        Situation::new(ridge(), along_z(DVec3::Y * 0.0205), vec![(ridge(), along_x(DVec3::ZERO))]);
    table_two("edge, edge", &situation.upright(), DOWN, 1, "");
}

#[test]
fn table_2_an_edge_on_a_face_is_two_contacts() {
    let start = along_x(DVec3::Y * 0.0105);
    let situation = Situation::new(ridge(), start, vec![ground()]).upright();
    let lean = Twist::new(DVec3::NEG_Y * 0.1, DVec3::Z * 0.02);
    let situation = Situation { mass: crate::buck::mass(&situation.part), ..situation };
    table_two("edge, face", &situation, lean, 2, "");
}

#[test]
fn table_2_a_face_on_a_face_is_three_contacts() {
    let situation = Situation::new(brick(), at(0.0, 0.0305, 0.0), vec![ground()]);
    let lean = Twist::new(DVec3::NEG_Y * 0.1, DVec3::new(0.03, 0.0, 0.05));
    table_two("face, face", &situation, lean, 3, "");
}

#[test]
fn table_2_a_convex_vertex_on_a_convex_vertex_is_one_contact() {
    let situation = Situation::new(
        tip(),
        upside_down(DVec3::Y * 0.0605),
        vec![(tip(), Pose::new(DQuat::from_rotation_y(0.3), DVec3::ZERO))],
    );
    table_two(
        "convex vertex, convex vertex",
        &situation.upright(),
        DOWN,
        1,
        "A degenerate pair: its normal is frozen",
    );
}

/// T6: a vertex in a concave corner.
#[test]
fn table_2_a_convex_vertex_in_a_concave_corner_is_three_contacts() {
    let shapes = crate::corner::corner_shapes();
    let places = [DVec3::new(-0.025, 0.2, 0.2), DVec3::new(0.2, -0.025, 0.2), DVec3::new(0.2, 0.2, -0.025)];
    let obstacles: Vec<_> = shapes.into_iter().zip(places.map(Pose::from_translation)).collect();
    let diagonal = DQuat::from_rotation_arc(DVec3::Y, DVec3::splat(-1.0).normalize());
    let situation = Situation::new(tip(), Pose::new(diagonal, DVec3::splat(0.019)), obstacles).upright();
    let wish = Twist::new(DVec3::new(-0.1, -0.09, -0.11), DVec3::ZERO);
    table_two("convex vertex, concave vertex", &situation, wish, 3, "");
}

#[test]
fn table_2_a_convex_vertex_on_a_convex_edge_is_one_contact() {
    let situation =
        Situation::new(tip(), upside_down(DVec3::Y * 0.0405), vec![(ridge(), along_x(DVec3::ZERO))]);
    let why = "A degenerate pair: its normal is frozen";
    table_two("convex vertex, convex edge", &situation.upright(), DOWN, 1, why);
}

/// T6: a vertex in a concave edge.
#[test]
fn table_2_a_convex_vertex_in_a_concave_edge_is_two_contacts() {
    let slab = cuboid(DVec3::new(0.2, 0.02, 0.4));
    let place = |side: f64| {
        let turn = DQuat::from_rotation_z(side * FRAC_PI_4);
        Pose::new(turn, turn * DVec3::new(0.1 * side, -0.01, 0.0))
    };
    let obstacles = vec![(slab.clone(), place(1.0)), (slab, place(-1.0))];
    let situation = Situation::new(tip(), upside_down(DVec3::Y * 0.031), obstacles).upright();
    let wish = Twist::new(DVec3::new(0.01, -0.1, 0.0), DVec3::ZERO);
    table_two("convex vertex, concave edge", &situation, wish, 2, "");
}

/// T6: an edge in a saddle.
#[test]
fn table_2_a_convex_edge_in_a_saddle_is_two_edges_on_edges() {
    let situation = Situation::new(ridge(), along_z(DVec3::Y * 0.0145), valley()).upright();
    let wish = Twist::new(DVec3::new(0.01, -0.1, 0.0), DVec3::ZERO);
    table_two("saddle vertex, convex edge", &situation, wish, 2, "");
}

/// T6: a saddle in a saddle. All normals go through one point, so three contacts are all that can be independent.
#[test]
fn table_2_a_saddle_in_a_saddle_is_three_edges_on_edges() {
    let outline = [(0.0, -0.01), (0.01, 0.0), (0.0, 0.01), (-0.01, 0.0)].map(DVec2::from);
    let piece = generate::prism(&outline, 0.2).unwrap();
    let mut soup = PolygonSoup::new();
    for (_, pose) in valley() {
        let map = DAffine3::from_rotation_translation(pose.rotation, pose.translation);
        soup.append(&piece.transformed(&map).unwrap()).unwrap();
    }
    let over = DQuat::from_rotation_y(FRAC_PI_2) * DQuat::from_rotation_x(PI);
    let start = Pose::new(over, DVec3::Y * 5e-4);
    let situation = Situation::new(mesh(&soup), start, valley()).upright();
    let wish = Twist::new(DVec3::new(0.01, -0.1, 0.013), DVec3::ZERO);
    table_two("saddle vertex, saddle vertex", &situation, wish, 3, "The table prints three, its figure four");
}

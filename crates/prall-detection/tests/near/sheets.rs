//! Surfaces without an inside: met from both sides, and at their borders.

use glam::{DQuat, DVec3};
use prall_detection::{Boundary, NearKind};
use prall_geometry::Shape;
use prall_math::Pose;

use crate::bodies::{at, features, mesh, sheet, smallest_gap};

#[test]
fn a_sheet_is_met_from_both_sides_and_keeps_its_side() {
    let ground = mesh(&sheet(4, 2.0, |_, _| 0.0));
    let boundary = Boundary::new(&ground).unwrap();
    assert!(boundary.is_polyhedral() && boundary.has_surface());
    let cube = Shape::cuboid(DVec3::splat(0.3)).unwrap();
    for side in [1.0, -1.0] {
        let pose = at(0.05, side * 0.301, 0.02);
        let found = features(&cube, &pose, &ground, &Pose::IDENTITY, 2e-3).1;
        assert_eq!(found.len(), 4, "one feature per corner, none of inner edges: {found:?}");
        for feature in &found {
            assert_eq!(feature.kind, NearKind::VertexFace);
            let state = feature.at(&pose, &Pose::IDENTITY);
            assert!((state.gap - 1e-3).abs() < 1e-12 && (state.normal - DVec3::Y * side).length() < 1e-12);
            let through = feature.at(&at(0.05, side * 0.2, 0.02), &Pose::IDENTITY);
            assert!((through.gap + 0.1).abs() < 1e-12, "{through:?}");
        }
    }
}

#[test]
fn cards_side_by_side_in_one_plane_are_held_at_the_ends_of_their_common_border() {
    let card = mesh(&sheet(1, 1.0, |_, _| 0.0));
    for shift in [0.0, 0.2] {
        let pose = at(1.001, 0.0, shift);
        let (answer, found) = features(&card, &pose, &card, &Pose::IDENTITY, 2e-3);
        assert!((answer.distance - 1e-3).abs() < 1e-9);
        assert!((smallest_gap(&found) - 1e-3).abs() < 1e-12);
        let places: Vec<f64> = found.iter().map(|f| f.at(&pose, &Pose::IDENTITY).on_a.z).collect();
        for end in [-0.5 + shift, 0.5] {
            assert!(places.iter().any(|z| (z - end).abs() < 1e-9), "{end} {places:?}");
        }
        for feature in &found {
            assert!((feature.at(&pose, &Pose::IDENTITY).normal - DVec3::X).length() < 1e-9);
        }
    }
}

#[test]
fn cards_that_cross_edge_on_edge_have_a_crossing() {
    let card = mesh(&sheet(1, 1.0, |_, _| 0.0));
    // One stands on its edge over the edge of another that stands as well, turned.
    let standing = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    for angle in [0.2, 0.7, 1.5] {
        let pose = Pose::new(DQuat::from_rotation_y(angle) * standing, DVec3::Y * 1.001);
        let below = Pose::new(standing, DVec3::ZERO);
        let (answer, found) = features(&card, &pose, &card, &below, 2e-3);
        assert!(found.iter().any(|feature| feature.kind == NearKind::EdgeEdge), "{found:?}");
        assert!((smallest_gap(&found) - 1e-3).abs() < 1e-12 && answer.distance > 1e-3 - 1e-9);
    }
}

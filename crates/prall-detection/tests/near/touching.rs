//! Distance exactly 0: features all the same where the sides of the bodies are clear.

use glam::DVec3;
use prall_geometry::Shape;
use prall_math::Pose;

use crate::bodies::{at, features, mesh, sheet, triangles_of};

#[test]
fn flush_boxes_have_features_without_a_gap() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let as_mesh = mesh(&triangles_of(&cube));
    for (a, b) in [(&cube, &cube), (&cube, &as_mesh), (&as_mesh, &as_mesh)] {
        for pose in [at(0.0, 1.0, 0.0), at(0.25, 1.0, 0.0), at(0.25, 1.0, 0.125)] {
            let (answer, found) = features(a, &pose, b, &Pose::IDENTITY, 20e-6);
            assert_eq!(answer.distance, 0.0);
            assert!(found.len() >= 4, "{found:?}");
            let states: Vec<_> = found.iter().map(|f| f.at(&pose, &Pose::IDENTITY)).collect();
            let upward: Vec<_> = states.iter().filter(|s| (s.normal - DVec3::Y).length() < 1e-12).collect();
            assert!(states.iter().all(|s| s.gap.abs() < 1e-15), "{states:?}");
            let span = |axis: usize| {
                let places = upward.iter().map(|s| s.on_a[axis]);
                places.clone().fold(f64::MIN, f64::max) - places.fold(f64::MAX, f64::min)
            };
            assert!(upward.len() >= 4 && span(0) > 0.7 && span(2) > 0.8, "{upward:?}");
            assert!(states.iter().all(|s| s.normal.y > -1e-12), "nothing pulls down: {states:?}");
        }
    }
}

#[test]
fn a_box_that_touches_a_sheet_is_on_the_side_where_it_lies() {
    let ground = mesh(&sheet(1, 2.0, |_, _| 0.0));
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    for side in [1.0, -1.0] {
        let pose = at(0.1, side * 0.5, 0.2);
        let found = features(&cube, &pose, &ground, &Pose::IDENTITY, 20e-6).1;
        assert_eq!(found.len(), 4, "{found:?}");
        for feature in found {
            let state = feature.at(&pose, &Pose::IDENTITY);
            assert!(state.gap.abs() < 1e-15 && (state.normal - DVec3::Y * side).length() < 1e-12);
        }
    }
}

#[test]
fn crossing_edges_that_touch_have_the_side_of_their_wings() {
    let bar = Shape::cuboid(DVec3::new(0.5, 0.1, 0.1)).unwrap();
    let edge = glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let cross = glam::DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let height = 0.2 * 2.0_f64.sqrt();
    let (upper, lower) = (Pose::new(cross * edge, DVec3::Y * height), Pose::new(edge, DVec3::ZERO));
    let found = features(&bar, &upper, &bar, &lower, 20e-6).1;
    assert_eq!(found.len(), 1, "{found:?}");
    let state = found[0].at(&upper, &lower);
    assert!(state.gap.abs() < 1e-14 && (state.normal - DVec3::Y).length() < 1e-12, "{state:?}");
}

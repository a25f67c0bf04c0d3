//! Many bodies at once.

use glam::{DQuat, DVec3};
use prall_detection::Filter;
use prall_geometry::Shape;
use prall_math::Pose;
use prall_mechanics::audit::{AuditBody, Auditor};

use crate::{ROUNDING, at, audit, auditor, cuboid, half_space, movable};

#[test]
fn the_worst_of_five_thousand_stacked_boxes_is_named() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let mut auditor = Auditor::new();
    let mut poses = Vec::new();
    for i in 0..5000 {
        auditor.add_body(movable(&cube));
        // Columns with a gap of a tenth between them, boxes of a column a micrometre deep in each other.
        let (column, level) = (i / 20, i % 20);
        let place = DVec3::new(f64::from(column % 16), 0.0, f64::from(column / 16)) * 1.1;
        poses.push(Pose::from_translation(place + DVec3::Y * (0.5 + f64::from(level) * (1.0 - 1e-6))));
    }
    poses[1234].translation.y -= 1e-3;
    let report = auditor.audit(&poses).unwrap();
    assert_eq!(report.overlaps.len(), 250 * 19 - 1, "one box has left the one above it");
    assert_eq!(report.overlaps[0].bodies, [1233, 1234]);
    assert!((report.penetration_max - 1.001e-3).abs() < 1e-12);
    assert!((report.penetration_p99 - 1e-6).abs() < 1e-12);
    assert!((report.penetration_p50 - 1e-6).abs() < 1e-12);
}

#[test]
fn no_pair_is_lost_by_sorting() {
    let mut bodies = Vec::new();
    for i in 0..60_u32 {
        let place = |k: u32| f64::from((i * 7919 + k * 104_729) % 97) / 40.0;
        let shape = if i % 3 == 0 { Shape::sphere(0.3).unwrap() } else { cuboid(0.2, 0.3, 0.1) };
        let turn = DQuat::from_rotation_y(f64::from(i)) * DQuat::from_rotation_x(0.3 * f64::from(i));
        bodies.push((shape, Pose::new(turn, DVec3::new(place(1), place(2), place(3)))));
    }
    bodies.push((half_space(), at(0.0, 0.1, 0.0)));
    let shapes: Vec<&Shape> = bodies.iter().map(|(shape, _)| shape).collect();
    let poses: Vec<Pose> = bodies.iter().map(|(_, pose)| *pose).collect();
    let mut found: Vec<([usize; 2], f64)> =
        auditor(&shapes).audit(&poses).unwrap().overlaps.iter().map(|o| (o.bodies, o.depth)).collect();
    found.sort_by_key(|&(pair, _)| pair);
    let mut expected = Vec::new();
    for i in 0..bodies.len() {
        for j in i + 1..bodies.len() {
            let report = audit(&bodies[i].0, bodies[i].1, &bodies[j].0, bodies[j].1);
            expected.extend(report.overlaps.first().map(|o| ([i, j], o.depth)));
        }
    }
    assert_eq!(found, expected);
    assert!(found.len() > 20);
}

#[test]
fn fixed_filtered_and_ignored_pairs_may_overlap() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let poses = [Pose::IDENTITY, at(0.0, 0.9, 0.0)];
    let fixed = AuditBody { movable: false, ..movable(&cube) };
    let filtered = AuditBody { filter: Filter { groups: 2, mask: 4 }, ..movable(&cube) };
    for body in [fixed, filtered] {
        let mut auditor = Auditor::new();
        auditor.add_body(body.clone());
        auditor.add_body(body);
        assert!(auditor.audit(&poses).unwrap().overlaps.is_empty());
    }
    let mut auditor = auditor(&[&cube, &cube]);
    assert!((auditor.audit(&poses).unwrap().penetration_max - 0.1).abs() < ROUNDING);
    auditor.ignore_pair(1, 0).unwrap();
    assert_eq!(auditor.audit(&poses).unwrap().penetration_max, 0.0);
}

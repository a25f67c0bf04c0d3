//! T1 to T9: which contacts a part has, and how they change.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

use glam::{DAffine3, DQuat, DVec2, DVec3};
use prall_geometry::{PolygonSoup, generate};
use prall_math::{Pose, Twist};

use super::{Situation, row};
use crate::buck::{GUARD, INTERVAL, push};
use crate::shapes::*;

pub(crate) fn plate(size: DVec3) -> prall_geometry::Shape {
    cuboid(size)
}

pub(crate) fn ground() -> (prall_geometry::Shape, Pose) {
    (plate(DVec3::new(1.0, 0.1, 1.0)), at(0.0, -0.05, 0.0))
}

pub(crate) fn brick() -> prall_geometry::Shape {
    cuboid(DVec3::new(0.1, 0.06, 0.08))
}

/// Boxes as one part.
pub(crate) fn boxes(boxes: &[(DVec3, DVec3)]) -> prall_geometry::Shape {
    let mut soup = PolygonSoup::new();
    for (size, place) in boxes {
        let next = generate::cuboid(*size).unwrap();
        soup.append(&next.transformed(&DAffine3::from_translation(*place)).unwrap()).unwrap();
    }
    mesh(&soup)
}

/// T1: a box lies on a block, goes over its rim, tips about it, and is pulled off.
#[test]
fn t1_a_box_that_goes_round_the_rim_of_a_block() {
    let block = (cuboid(DVec3::new(0.4, 0.1, 0.4)), at(-0.2, -0.05, 0.0));
    let start = Pose::new(DQuat::from_rotation_z(0.02), DVec3::new(-0.06, 0.034, 0.0));
    let situation = Situation::new(brick(), start, vec![block]);
    let ((buck, first), (filter, second)) = situation.play(330, |step, _| match step {
        0..60 => Twist::new(DVec3::NEG_Y * 0.1, DVec3::new(0.03, 0.0, 0.05)),
        60..180 => Twist::new(DVec3::new(0.1, -0.05, 0.0), DVec3::new(0.01, 0.0, 0.0)),
        180..260 => Twist::new(DVec3::new(0.02, -0.05, 0.0), DVec3::new(0.0, 0.0, -0.6)),
        _ => Twist::new(DVec3::new(0.2, 0.02, 0.0), DVec3::ZERO),
    });
    assert!(first.events().starts_with("+EF x3, leaves, +EE") && first.events().ends_with("leaves x2"));
    assert_eq!((first.free, second.free), (6, 6));
    // Both go the same way; a collision costs the rest of its interval.
    assert!((buck.pose().translation - filter.pose().translation).length() < 0.005);
    let why = "A corner leaves over the rim, an edge comes for it; one edge opens, the other is pulled off";
    row("T1", "A box goes over the rim of a block and is pulled off", &first, &second, why);
}

/// T2: a table on four equal legs.
#[test]
fn t2_a_table_stands_on_three_of_four_legs() {
    let leg = DVec3::new(0.01, 0.06, 0.01);
    let mut parts = vec![(DVec3::new(0.12, 0.01, 0.1), DVec3::ZERO)];
    parts.extend(
        [(1, 1), (1, -1), (-1, 1), (-1, -1)]
            .map(|(x, z)| (leg, DVec3::new(0.05 * f64::from(x), -0.035, 0.04 * f64::from(z)))),
    );
    let start = Pose::new(DQuat::from_rotation_x(0.01), DVec3::Y * 0.07);
    let situation = Situation::new(boxes(&parts), start, vec![ground()]);
    let lean = Twist::new(DVec3::NEG_Y * 0.1, DVec3::new(0.02, 0.0, 0.03));
    let ((mut buck, first), (filter, second)) = situation.play(200, |_, _| lean);
    assert_eq!((first.count, first.free, second.count, second.free), (3, 3, 3, 3));
    // The fourth leg is at the guard too, and no contact.
    for pose in [*buck.pose(), *filter.pose()] {
        assert!((pose.translation.y - 0.065 - GUARD).abs() < 1e-9, "{pose:?}");
    }
    assert_eq!(push(&mut buck, lean.linear, lean.angular, 1000), 0);
    row("T2", "A table on four equal legs", &first, &second, "The fourth leg is at the guard and no contact");
}

/// T3: what lies flat has three contacts, and no more collisions.
#[test]
fn t3_a_flat_prism_has_three_contacts_and_no_redundant_collisions() {
    let prism = mesh(&generate::cylinder(0.05, 0.04, 12).unwrap());
    let start = Pose::new(DQuat::from_rotation_z(0.02), DVec3::Y * 0.025);
    let situation = Situation::new(prism, start, vec![ground()]);
    let lean = Twist::new(DVec3::new(0.001, -0.1, 0.0), DVec3::new(0.03, 0.0, 0.05));
    let ((mut buck, first), (_, second)) = situation.play(200, |_, _| lean);
    assert_eq!((first.count, first.free, second.count, second.free), (3, 3, 3, 3));
    assert_eq!(push(&mut buck, lean.linear, lean.angular, 2000), 0);
    row(
        "T3",
        "A prism of twelve corners lies flat",
        &first,
        &second,
        "None of 2,000 more intervals collides",
    );
}

/// T4: a wedge in a groove.
#[test]
fn t4_a_prism_in_a_groove_has_five_contacts() {
    let plate = plate(DVec3::new(0.2, 0.02, 0.4));
    let place = |side: f64| {
        let turn = DQuat::from_rotation_z(side * FRAC_PI_4);
        Pose::new(turn, turn * DVec3::new(0.1 * side, -0.01, 0.0))
    };
    let obstacles = vec![(plate.clone(), place(1.0)), (plate, place(-1.0))];
    let part = cuboid(DVec3::new(0.05, 0.05, 0.12));
    let start = turned(DVec3::Z, FRAC_PI_4 + 0.01, DVec3::new(0.0, 0.06, 0.0));
    let situation = Situation::new(part, start, obstacles);
    let ((_, first), (_, second)) =
        situation.play(400, |_, _| Twist::new(DVec3::new(0.01, -0.1, 0.0), DVec3::new(0.01, 0.02, 0.01)));
    assert_eq!((first.count, first.free, second.count, second.free), (5, 1, 5, 1));
    row("T4", "A prism in a groove", &first, &second, "");
}

/// A part with one vertex below: a pyramid that stands on its tip.
pub(crate) fn tip() -> prall_geometry::Shape {
    mesh(&generate::cone(0.02, 0.06, 5).unwrap())
}

/// The tip of a cone points down.
pub(crate) fn upside_down(place: DVec3) -> Pose {
    Pose::new(DQuat::from_rotation_x(std::f64::consts::PI), place)
}

/// The velocity that a push at the tip of a cone gives it: contacts there then turn it as little as they can.
pub(crate) fn at_tip(pose: &Pose, velocity: DVec3) -> Twist {
    let part = tip();
    let impulse = velocity * crate::buck::mass(&part).mass;
    crate::buck_friction::impulse_at(&part, pose, pose.transform_point(DVec3::Y * 0.03), impulse)
}

/// T5: four contacts with four obstacles leave two directions and hold without drift: the tip of a cone in a corner, its base on a block.
#[test]
fn t5_a_cone_on_four_obstacles_keeps_two_directions_and_its_gaps() {
    let shapes = crate::corner::corner_shapes();
    let places = [DVec3::new(-0.025, 0.2, 0.2), DVec3::new(0.2, -0.025, 0.2), DVec3::new(0.2, 0.2, -0.025)];
    let mut obstacles: Vec<_> = shapes.into_iter().zip(places.map(Pose::from_translation)).collect();
    obstacles.push((cuboid(DVec3::new(0.1, 0.02, 0.1)), at(0.095, 0.01, 0.07)));
    let diagonal = DQuat::from_rotation_arc(DVec3::Y, DVec3::splat(-1.0).normalize());
    let start = Pose::new(diagonal, DVec3::splat(0.022));
    let situation = Situation::new(tip(), start, obstacles);
    let script = |step: usize, pose: &Pose| {
        let mut wish = at_tip(pose, DVec3::splat(-0.05));
        wish.angular += DVec3::new(0.1 * libm::sin(0.05 * step as f64), 0.0, -0.3);
        wish
    };
    let ((mut buck, first), (_, second)) = situation.play(300, script);
    assert_eq!((first.count, first.free, second.count, second.free), (4, 2, 4, 2));
    let mut worst = 0.0_f64;
    for step in 0..10_000 {
        let wish = script(step, buck.pose());
        buck.step(&wish, INTERVAL).unwrap();
        // A collision ends an interval on the way to its end, where conditions hold.
        let whole = buck.report().done == 1.0;
        let off = buck.contacts().iter().filter(|contact| whole && contact.force > 0.0);
        worst = off.fold(worst, |worst, contact| worst.max((buck.gap(contact) - GUARD).abs()));
    }
    assert!(worst < 0.1 * GUARD, "{worst:e}");
    row(
        "T5",
        "The tip of a cone in a corner, its base on a block",
        &first,
        &second,
        "In 10,000 more intervals gaps keep the guard to a tenth",
    );
}

/// T7: over a convex edge a vertex is free for a while and collides anew; at a concave one it touches both faces, then one.
#[test]
fn t7_a_vertex_goes_over_a_convex_and_a_concave_edge() {
    // A step down by 3 degrees, then a ramp up by 20.
    let tilted = |angle: f64, joint: DVec3, side: f64| {
        let turn = DQuat::from_rotation_z(angle);
        Pose::new(turn, joint + turn * DVec3::new(0.1 * side, -0.01, 0.0))
    };
    let slab = plate(DVec3::new(0.2, 0.02, 0.2));
    let first_joint = DVec3::ZERO;
    let second_joint = tilted(-0.05, first_joint, 1.0).transform_point(DVec3::new(0.1, 0.01, 0.0));
    let obstacles = vec![
        (slab.clone(), tilted(0.0, first_joint, -1.0)),
        (slab.clone(), tilted(-0.05, first_joint, 1.0)),
        (slab, tilted(0.35, second_joint, 1.0)),
    ];
    let part = tip();
    let start = upside_down(DVec3::new(-0.05, 0.035, 0.0));
    let situation = Situation::new(part, start, obstacles).upright();
    let ((_, first), (_, second)) =
        situation.play(400, |_, _| Twist::new(DVec3::new(0.1, -0.05, 0.0), DVec3::ZERO));
    assert_eq!(first.events(), "+EF, leaves, +EF x2, opens");
    assert_eq!((first.count, second.count), (1, 1));
    let why = "Convex: free, then a collision. Concave: two contacts, then the old one opens. The filter has one at a time for longer than two intervals";
    row("T7", "A vertex over a convex and a concave edge", &first, &second, why);
}

/// T8: over faces that are only slightly turned against each other a contact flows without a collision.
#[test]
fn t8_a_vertex_flows_over_slightly_turned_faces() {
    let drum = mesh(&generate::cylinder(0.5, 0.2, 400).unwrap());
    let lying = Pose::new(DQuat::from_rotation_x(FRAC_PI_2), DVec3::NEG_Y * 0.5);
    let situation =
        Situation::new(tip(), upside_down(DVec3::new(-0.04, 0.035, 0.01)), vec![(drum, lying)]).upright();
    // In an interval it goes half a millimetre: a face falls away by 8 um there.
    let ((_, first), (_, second)) =
        situation.play(200, |_, _| Twist::new(DVec3::new(0.05, -0.02, 0.0), DVec3::ZERO));
    let events = first.events();
    assert!(events.starts_with("+EF, flows x") && !events.contains("leaves"), "{events}");
    row("T8", "A vertex over faces turned by 0.9 degrees", &first, &second, "No collision but the first");
}

/// T9: a prism whose load lies outside of its triangle of contacts tips to the next corner, until the load is within.
#[test]
fn t9_a_prism_swaps_contacts_until_the_load_is_within() {
    let outline: Vec<DVec2> =
        (0..5).map(|i| DVec2::from(libm::sincos(TAU * f64::from(i) / 5.0)) * 0.05).collect();
    let part = mesh(&generate::prism(&outline, 0.03).unwrap());
    let start = Pose::new(DQuat::from_rotation_z(0.02), DVec3::Y * 0.02);
    let situation = Situation::new(part, start, vec![ground()]);
    // The load goes round.
    let ((buck, first), (_, second)) = situation.play(600, |step, _| {
        let (sine, cosine) = libm::sincos(TAU * step as f64 / 300.0);
        Twist::new(DVec3::NEG_Y * 0.1, DVec3::new(sine, 0.0, cosine) * 4.0)
    });
    assert_eq!((first.count, first.free, second.count, second.free), (3, 3, 3, 3));
    assert!((buck.pose().translation.y - 0.015 - GUARD).abs() < GUARD);
    // Each swap: the contact behind the load opens, the next corner collides.
    assert!(first.events().matches("+EF").count() >= 6 && first.events().matches("opens").count() >= 5);
    row(
        "T9",
        "The load of a prism of five corners goes round",
        &first,
        &second,
        "A corner behind the load opens, the next one collides",
    );
}

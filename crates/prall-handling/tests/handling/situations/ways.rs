//! T10 to T13, T18, T19 and T22: what a contact set does when parts move, push and are pushed.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec2, DVec3};
use prall_geometry::generate;
use prall_handling::buck::{BuckHeld, BuckOptions, CollisionTime, Partner};
use prall_handling::{Budget, JamReason, Obstacle};
use prall_math::{Pose, Twist};

use super::sets::{brick, ground, tip};
use super::{Situation, row};
use crate::buck::{GUARD, INTERVAL, mass, take};
use crate::shapes::*;

/// T10: a part presses another one against a wall and goes back: it leaves freely, and the other one stays.
#[test]
fn t10_a_part_that_presses_another_one_leaves_freely() {
    let wall = obstacle("wall", &cuboid(DVec3::new(0.02, 0.4, 0.4)), at(-0.01, 0.0, 0.0));
    let part = brick();
    let mut held = take(&part, at(0.16, 0.0, 0.0), vec![wall], BuckOptions::default())
        .with_part(&part, &mass(&part), at(0.052, 0.0, 0.0))
        .unwrap();
    let lean = DVec3::new(0.0, 0.02, 0.03);
    for _ in 0..100 {
        held.step(&Twist::new(DVec3::NEG_X * 0.1, lean), INTERVAL).unwrap();
    }
    // Forces of the two gaps are the same: that between the parts goes on to the wall.
    let force = |partner: fn(&Partner) -> bool| -> f64 {
        held.contacts().iter().filter(|contact| partner(&contact.partner)).map(|contact| contact.force).sum()
    };
    let (wall, between) = (
        force(|partner| matches!(partner, Partner::Obstacle(_))),
        force(|partner| matches!(partner, Partner::Part(_))),
    );
    assert!(
        (wall - between).abs() < 1e-6 * wall && (wall - 2.0 * 0.1 / INTERVAL).abs() < 1e-3,
        "{wall} {between}"
    );
    let pressed = *held.poses().nth(1).unwrap();
    for _ in 0..10 {
        held.step(&Twist::new(DVec3::X * 0.1, DVec3::ZERO), INTERVAL).unwrap();
    }
    let (away, stayed) = (*held.pose(), *held.poses().nth(1).unwrap());
    assert!((away.translation.x - 0.15 - 0.01).abs() < 1e-4, "{away:?}");
    assert!((stayed.translation - pressed.translation).length() < GUARD, "{stayed:?}");
}

/// A stack of three blocks on the ground, under gravity, settled.
fn stack(bilateral: bool) -> BuckHeld {
    let part = brick();
    let (shape, pose) = ground();
    let mut held =
        take(&part, at(0.0, 0.0301, 0.0), vec![obstacle("ground", &shape, pose)], BuckOptions::default());
    for level in 1..3 {
        held = held.with_part(&part, &mass(&part), at(0.0, 0.0301 + 0.0602 * f64::from(level), 0.0)).unwrap();
    }
    for _ in 0..150 {
        fall(&mut held, DVec3::ZERO);
    }
    held.with_options(BuckOptions { bilateral, ..BuckOptions::default() }).unwrap()
}

/// An interval under gravity, with a little lean so that loads lie within triples of corners; the top block is jerked.
fn fall(held: &mut BuckHeld, jerk: DVec3) {
    let lean = DVec3::new(0.0003, 0.0, 0.0005);
    let mut wishes = [Twist::new(DVec3::NEG_Y * 9.81 * INTERVAL, lean); 3];
    wishes[2].linear += jerk;
    held.step_each(&wishes, INTERVAL).unwrap();
}

/// T11: of a stack only the top block leaves when it is jerked up; with equations instead of conditions all contacts that were pulled at are lost, and built again one in an interval.
#[test]
fn t11_of_a_stack_only_the_top_block_leaves() {
    for bilateral in [false, true] {
        let mut held = stack(bilateral);
        assert_eq!((held.contacts().len(), held.free_directions()), (9, 9), "{bilateral}");
        fall(&mut held, DVec3::Y * 1.0);
        let low = held.contacts().iter().filter(|contact| contact.part != 1).count();
        // One corner may open as the load goes.
        assert!(if bilateral { low == 0 } else { low >= 5 }, "{bilateral}: {low}");
        let mut rebuilt = 0;
        for _ in 0..30 {
            fall(&mut held, DVec3::Y * 0.5);
            rebuilt += usize::from(held.report().born);
        }
        assert_eq!(rebuilt, 6 - low);
        let heights: Vec<f64> = held.poses().map(|pose| pose.translation.y).collect();
        assert!(heights[2] > 0.24 && heights[1] < 0.0905, "{heights:?}");
    }
}

/// T12: a blade in a narrow wedge stops; nothing overlaps, and it does not jump back.
#[test]
fn t12_a_narrow_wedge_stops_a_blade() {
    let outline = [(-0.05, 0.0), (0.0, -0.002), (0.0, 0.002)].map(DVec2::from);
    let blade = mesh(&generate::prism(&outline, 0.03).unwrap());
    let plate = cuboid(DVec3::new(0.2, 0.02, 0.2));
    let place =
        |side: f64| Pose::new(DQuat::from_rotation_z(0.05 * side), DVec3::new(0.0, side * 0.0151, 0.0));
    let obstacles = vec![(plate.clone(), place(1.0)), (plate, place(-1.0))];
    let lying = DQuat::from_rotation_x(FRAC_PI_2);
    let situation = Situation::new(blade, Pose::new(lying, DVec3::X * 0.15), obstacles);
    let wish = Twist::new(DVec3::new(-0.1, 0.001, 0.0), DVec3::ZERO);
    let ((mut buck, first), (mut filter, second)) = situation.play(600, |_, _| wish);
    let before = (*buck.pose(), *filter.pose());
    for _ in 0..50 {
        buck.step(&wish, INTERVAL).unwrap();
        filter.step(Some(&velocity(wish.linear, wish.angular)), INTERVAL, &mut Budget::unlimited()).unwrap();
    }
    let jam = filter.report().jam.map(|jam| jam.reason);
    assert_eq!(jam, Some(JamReason::Blocked));
    assert!((buck.pose().translation - before.0.translation).length() < 1e-4);
    assert!((filter.pose().translation - before.1.translation).length() < 1e-4);
    row(
        "T12",
        "A blade in a wedge of 6 degrees",
        &first,
        &second,
        "Both stand; the filter says that it is blocked",
    );
}

/// T13: a corner that dips into an obstacle and leaves it within one interval is caught, in every mode of the time, also while another collision waits.
#[test]
fn t13_a_corner_that_dips_in_and_out_within_an_interval_is_caught() {
    // A bar that turns once in 4 intervals; its end passes below the surface by 0.5 mm for a moment.
    let part = cuboid(DVec3::new(0.1, 0.004, 0.004));
    for mode in [
        CollisionTime::Certified,
        CollisionTime::Linear,
        CollisionTime::Quadratic,
        CollisionTime::Equidistant(8),
        CollisionTime::RegulaFalsi,
    ] {
        let options = BuckOptions { collision_time: mode, ..BuckOptions::default() };
        let start = Pose::new(DQuat::from_rotation_z(-0.8), DVec3::Y * 0.0497);
        let (shape, pose) = ground();
        // The same end meets a post a little later.
        let post = obstacle("post", &cuboid(DVec3::new(0.02, 0.03, 0.2)), at(-0.03, 0.0155, 0.0));
        let wish = Twist::new(DVec3::ZERO, DVec3::Z * -157.0);
        let meets = |around: Vec<Obstacle>| {
            let mut held = take(&part, start, around, options);
            let report = *held.step(&wish, INTERVAL).unwrap();
            assert!(report.born && report.done < 1.0, "{mode:?}");
            (report.done, held.contacts()[0].partner)
        };
        let (later, _) = meets(vec![post.clone()]);
        for around in [vec![obstacle("ground", &shape, pose)], vec![obstacle("ground", &shape, pose), post]] {
            let (done, partner) = meets(around);
            assert!(done < later && partner == Partner::Obstacle(0), "{mode:?}: {done} {later}");
        }
    }
}

/// T18: a rod is held at one end, the other slides on a fixed face.
#[test]
fn t18_a_rod_held_at_one_end_slides_with_the_other() {
    let part = cuboid(DVec3::new(0.2, 0.01, 0.01));
    let start = Pose::new(DQuat::from_rotation_z(0.4), DVec3::new(0.0, 0.06, 0.0));
    let situation = Situation::new(part.clone(), start, vec![ground()]);
    // The hand pulls its end along and holds it at its height.
    let hold = |_: usize, pose: &Pose| {
        let end = pose.transform_point(DVec3::X * 0.1);
        let wanted = DVec3::new(0.1, (0.09 - end.y) * 20.0, -end.z * 20.0);
        let mut wish = crate::buck_friction::impulse_at(&part, pose, end, wanted * 0.4);
        wish.linear += DVec3::new(0.05, -0.02, 0.0);
        wish
    };
    let ((buck, first), (filter, second)) = situation.play(300, hold);
    assert_eq!((first.count, first.free, second.count, second.free), (2, 4, 2, 4));
    for pose in [buck.pose(), filter.pose()] {
        let ends = [-0.1, 0.1].map(|x| pose.transform_point(DVec3::X * x));
        assert!(ends[1].x > 0.28 && (ends[1].y - 0.087).abs() < 0.005, "{ends:?}");
        assert!(ends[0].y < 0.006, "{ends:?}");
    }
    row("T18", "A rod held at one end slides on a face with the other", &first, &second, "");
}

/// T19: a box lands at a speed v: for one interval its contacts bear m v / dt + m g, then m g.
#[test]
fn t19_a_landing_box_is_stopped_by_one_large_force() {
    let part = brick();
    let (shape, pose) = ground();
    let lean = Twist::new(DVec3::NEG_Y * 0.1, DVec3::new(0.03, 0.0, 0.05));
    let mut held =
        take(&part, at(0.0, 0.0305, 0.0), vec![obstacle("ground", &shape, pose)], BuckOptions::default());
    for _ in 0..40 {
        held.step(&lean, INTERVAL).unwrap();
    }
    let (weight, speed) = (9.81 * INTERVAL, 0.5);
    let force = |held: &BuckHeld| -> f64 { held.contacts().iter().map(|contact| contact.force).sum() };
    // It comes with a velocity; gravity adds to it.
    for (velocity, expected) in
        [(speed, 2.0 * (speed + weight) / INTERVAL), (0.0, 2.0 * 9.81), (0.0, 2.0 * 9.81)]
    {
        held.step(&Twist::new(DVec3::NEG_Y * (velocity + weight), DVec3::new(0.003, 0.0, 0.005)), INTERVAL)
            .unwrap();
        assert!((force(&held) - expected).abs() < 1e-6, "{} {expected}", force(&held));
    }
}

/// T22: a vertex goes over the rim of a face and comes back: a vertex on the face, an edge on the rim, and the vertex again.
#[test]
fn t22_a_vertex_goes_over_the_rim_of_a_face_and_comes_back() {
    let block = (cuboid(DVec3::new(0.2, 0.1, 0.2)), at(-0.1, -0.05, 0.0));
    // A cone points forward and down, with one of its edges 7 degrees below the horizontal.
    let turn = DQuat::from_rotation_arc(DVec3::Y, DVec3::new(0.9, -0.436, 0.0).normalize());
    let start = Pose::new(turn, DVec3::new(-0.02, 5e-4, 0.001) - turn * DVec3::Y * 0.03);
    let situation = Situation::new(tip(), start, vec![block]).upright();
    let ((buck, first), (filter, second)) = situation.play(240, |step, _| {
        Twist::new(DVec3::new(if step < 120 { 0.04 } else { -0.04 }, -0.01, 0.0), DVec3::ZERO)
    });
    assert_eq!((first.last.as_str(), second.last.as_str()), ("EF", "EF"));
    assert!(first.events().contains("+EE") && second.phases().contains("EE"));
    assert!((buck.pose().translation - filter.pose().translation).length() < 1e-3);
    row(
        "T22",
        "The tip of a cone goes over a rim and comes back",
        &first,
        &second,
        "No gap below the sweep's",
    );
}

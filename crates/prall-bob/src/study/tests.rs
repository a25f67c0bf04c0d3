use super::{SpringRun, entries, handling, rebound, steerability, straightening};
use crate::pilot::PilotOptions;
use crate::record::{About, Record};
use crate::run::tests::{THROUGH_THE_CURVE, course_of, curve};
use crate::run::{Conditions, Run};
use crate::sled::{Setup, TWO_MAN};
use crate::track::PointMassStart;

fn two_man() -> Setup {
    Setup::read("two-man", TWO_MAN).unwrap()
}

/// The front bumper meets the wall first and turns the sled back; the rear one follows. So what grows steadily is the yaw of the first hit.
#[test]
fn more_restitution_turns_the_sled_back_faster() {
    let setup = two_man();
    let answers: Vec<_> = [0.0, 0.3, 0.6].iter().map(|&share| rebound(&setup, share).unwrap()).collect();
    for answer in &answers {
        // 25 m/s at 3 degrees.
        assert!((answer.towards - 25.0 * libm::sin(3.0_f64.to_radians())).abs() < 0.2, "{answer:?}");
        assert!(answer.away < answer.towards && answer.lost > 0.0 && answer.touches > 0, "{answer:?}");
    }
    assert!(answers[2].yaw > answers[1].yaw && answers[1].yaw > answers[0].yaw, "{answers:?}");
    assert!(answers[2].away > 2.0 * answers[0].away, "{answers:?}");
}

/// Less friction across gives less to steer with; steering always costs more than gliding.
#[test]
fn friction_across_is_what_steers() {
    let setup = two_man();
    let (grip, slippery) = (handling(&setup, 0.04, 0.66).unwrap(), handling(&setup, 0.16, 0.66).unwrap());
    assert!(grip.response > 1.5 * slippery.response && slippery.response > 0.0, "{grip:?} {slippery:?}");
    assert!(grip.steering_loss > grip.glide_loss && grip.glide_loss > 0.0, "{grip:?}");
}

/// The second ratio: the more of the friction along is left in a side slip, the flatter the ellipse beside it, and the larger the share of the friction
/// that a small slip turns across (Rempfler 2015, 4.3): the sled answers more, and steering costs less. Gliding straight ahead costs the same.
#[test]
fn what_is_left_in_a_side_slip_flattens_the_ellipse() {
    let setup = two_man();
    let rows: Vec<_> = [0.1, 0.5, 0.9].iter().map(|&share| handling(&setup, 0.04, share).unwrap()).collect();
    for pair in rows.windows(2) {
        assert!(pair[1].response > 1.2 * pair[0].response, "{rows:?}");
        assert!(pair[1].steering_loss < pair[0].steering_loss, "{rows:?}");
        assert!((pair[1].glide_loss / pair[0].glide_loss - 1.0).abs() < 1e-6, "{rows:?}");
    }
}

/// A tail that slides into the wall is turned back: half a second later the sled points along its way as it would not have done by its runners
/// alone, and it has paid with speed.
#[test]
fn a_hit_straightens_a_drifting_sled() {
    for restitution in [0.0, 0.05, 0.3] {
        let hit = straightening(&two_man(), restitution).unwrap();
        assert!(hit.drift_before > 2.0 && hit.yaw_rate > 5.0, "{hit:?}");
        assert!(hit.drift_after.abs() < 0.5 * hit.drift_before, "{hit:?}");
        assert!(hit.drift_after < hit.drift_without_wall - 1.0, "{hit:?}");
        // The rear bumper goes to the wall with the way's share of the speed, and with the yaw that runners gave the sled until then.
        let way = 25.0 * libm::sin(1.5_f64.to_radians());
        assert!(hit.normal_speed > 0.5 * way && hit.normal_speed < 2.5 * way, "{hit:?}");
        assert!(hit.lost > 0.0 && hit.lost < 1.0, "{hit:?}");
    }
}

/// Runners dig in with the load until each carries its full load; from there on the grip is flat.
#[test]
fn steering_grows_with_the_load_until_runners_are_full() {
    let setup = two_man();
    let rows: Vec<_> =
        [0.3, 0.5, 1.0, 2.0, 3.0, 4.0].iter().map(|&load| steerability(&setup, load).unwrap()).collect();
    for row in &rows {
        println!("{row:?}");
    }
    assert!(rows.windows(2).all(|pair| pair[1].response > pair[0].response), "{rows:?}");
    assert!(rows.windows(2).all(|pair| pair[1].grip > 0.98 * pair[0].grip), "{rows:?}");
    assert!(rows[5].grip > 1.2 * rows[0].grip, "{rows:?}");
}

/// The record of a short run: springs that are asked for are found, angles are those of the joints, and no runner flies down a straight.
#[test]
fn a_spring_run_says_what_its_record_says() {
    let course = crate::run::tests::course();
    let setup = two_man();
    let run = Run::new(&course, &setup, PilotOptions::default(), Conditions::default()).unwrap();
    let mut record = Record::take(run, &setup, About::default());
    let row = SpringRun::of(&record, &setup, "medium", "medium");
    assert_eq!((row.time, row.hits), (record.result.time, record.result.bumper_hits));
    assert!(row.off_ice < 0.05 && row.split_angle[0] <= row.split_angle[1], "{row:?}");
    // Runner 3 off the ice in every sample, and the split hull at two degrees in each.
    let alpha = record.joints.iter().position(|name| name == "alpha").unwrap();
    let lifted: Vec<usize> =
        (0..record.contacts.len()).filter(|&index| record.contacts[index].starts_with("runner_3")).collect();
    for sample in &mut record.samples {
        sample.angles[alpha] = 2.0_f64.to_radians();
        lifted.iter().for_each(|&index| sample.forces[index] = 0.0);
    }
    let row = SpringRun::of(&record, &setup, "medium", "medium");
    assert_eq!(row.off_ice, 1.0);
    assert!((row.split_angle[0] - 2.0).abs() < 1e-9 && (row.split_angle[1] - 2.0).abs() < 1e-9, "{row:?}");
}

/// A curve that is entered at a place begins there; a place in the wall is left out.
#[test]
fn a_curve_is_entered_where_the_sled_was_put() {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
    let setup = two_man();
    let run = Run::new(&course, &setup, PilotOptions::default(), THROUGH_THE_CURVE).unwrap();
    let the_curve = course.track.curves().next().unwrap();
    let found = entries(run, &setup, &the_curve, &[-0.9, -0.15, 0.15]).unwrap();
    let offsets: Vec<f64> = found.iter().map(|entry| entry.offset).collect();
    assert_eq!(offsets, [-0.15, 0.15]);
    for entry in &found {
        let report = entry.report.as_ref().unwrap();
        // In 4 m at 26 m/s, a sixth of a second, a sled moves little across.
        assert!((report.entry.outside - entry.offset).abs() < 0.08, "{entry:?}");
        assert!(entry.time_with_exit.unwrap() > report.time, "{entry:?}");
    }
}

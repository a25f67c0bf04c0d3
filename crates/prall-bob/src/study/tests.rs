use super::{handling, rebound};
use crate::sled::{Setup, TWO_MAN};

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

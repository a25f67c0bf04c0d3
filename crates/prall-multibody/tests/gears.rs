//! Gears between joints, against the equations of the one coordinate that they leave.

use glam::DVec3;
use prall_geometry::MassProperties;
use prall_math::Pose;
use prall_mechanics::Mover;
use prall_multibody::{JointKind, Mechanism, Model, Part};

const G: f64 = 9.81;
const GRAVITY: DVec3 = DVec3::new(0.0, -G, 0.0);

/// Mass of a pendulum, distance of its centre from its hinge, and moment about the hinge.
struct Pendulum {
    mass: f64,
    reach: f64,
}

impl Pendulum {
    fn own_inertia(&self) -> f64 {
        0.05 * self.mass
    }

    fn moment(&self) -> f64 {
        self.own_inertia() + self.mass * self.reach * self.reach
    }
}

/// Two pendulums side by side on hinges about z, which hang down at coordinate 0 along x.
fn pendulums(both: &[Pendulum; 2]) -> Mechanism {
    let mut model = Model::default();
    for (index, pendulum) in both.iter().enumerate() {
        let hinge = DVec3::Z * index as f64;
        let inertia = glam::DMat3::from_diagonal(DVec3::splat(pendulum.own_inertia()));
        let mass = MassProperties { mass: pendulum.mass, center_of_mass: DVec3::X * pendulum.reach, inertia };
        let part = Part {
            kind: JointKind::Revolute,
            at: hinge,
            axis: DVec3::Z,
            ..Part::free(Pose::from_translation(hinge), mass)
        };
        model.part(["leader", "follower"][index], None, &part);
    }
    model.build().unwrap()
}

fn step(mechanism: &mut Mechanism, h: f64) {
    mechanism.predict(h, GRAVITY);
    mechanism.commit(h, 1.0);
}

fn angles(mechanism: &Mechanism) -> [f64; 2] {
    [0, 1].map(|node| mechanism.tree().coordinate(node, 0).unwrap().0)
}

/// The angle of the leader after some time, by Runge and Kutta's rule for `(I1 + k^2 I2) a'' = -g (m1 r1 cos a + k m2 r2 cos(k a + o))`.
fn leader_after(time: f64, both: &[Pendulum; 2], k: f64, o: f64) -> f64 {
    let [one, two] = both;
    let acceleration = |angle: f64| {
        let pull =
            one.mass * one.reach * libm::cos(angle) + k * two.mass * two.reach * libm::cos(k * angle + o);
        -G * pull / (one.moment() + k * k * two.moment())
    };
    let steps = 200_000;
    let h = time / f64::from(steps);
    let (mut angle, mut rate) = (0.0, 0.0);
    for _ in 0..steps {
        let a1 = acceleration(angle);
        let a2 = acceleration(angle + 0.5 * h * rate);
        let a3 = acceleration(angle + 0.5 * h * rate + 0.25 * h * h * a1);
        let a4 = acceleration(angle + h * rate + 0.5 * h * h * a2);
        angle += h * rate + h * h / 6.0 * (a1 + a2 + a3);
        rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    angle
}

/// Followers up to forty times as heavy as their leaders, faster, slower, and backwards: both swing as one.
#[test]
fn geared_pendulums_swing_as_their_one_coordinate_says() {
    for (heavy, factor) in [(1.0, 1.0), (1.0, -0.5), (40.0, 1.0), (40.0, 2.0), (0.05, 3.0)] {
        let both = [Pendulum { mass: 1.0, reach: 0.6 }, Pendulum { mass: heavy, reach: 0.4 }];
        let mut errors = Vec::new();
        for h in [1.0 / 240.0, 1.0 / 480.0] {
            let mut mechanism = pendulums(&both);
            assert!(mechanism.add_gear(1, 0, factor, 0.3));
            mechanism.tree_mut().set_coordinate(1, 0, 0.3, 0.0);
            let time = 1.0_f64;
            for _ in 0..(time / h).round() as usize {
                step(&mut mechanism, h);
            }
            let [leader, follower] = angles(&mechanism);
            let gap = (follower - factor * leader - 0.3).abs();
            assert!(gap < 20.0 * h * h, "{heavy} {factor}: a gap of {gap}");
            errors.push((leader - leader_after(time, &both, factor, 0.3)).abs());
        }
        // Of second order.
        assert!(errors[0] < 1e-4 && errors[1] < 0.3 * errors[0], "{heavy} {factor}: {errors:?}");
    }
}

/// For a minute, at steps of a sixtieth: energy does not grow, and 1 % of the height of fall is lost at most.
#[test]
fn gears_neither_give_nor_take_energy() {
    for (heavy, factor) in [(1.0, 1.0), (40.0, 2.0), (40.0, -3.0)] {
        let both = [Pendulum { mass: 1.0, reach: 0.6 }, Pendulum { mass: heavy, reach: 0.4 }];
        let mut mechanism = pendulums(&both);
        mechanism.add_gear(1, 0, factor, 0.0);
        let energy = |mechanism: &Mechanism| {
            let (kinetic, potential) = mechanism.energy(GRAVITY);
            kinetic + potential
        };
        let start = energy(&mechanism);
        let scale = G * (0.6 + 0.4 * heavy);
        let mut worst = [0.0_f64; 2];
        for _ in 0..3600 {
            step(&mut mechanism, 1.0 / 60.0);
            let change = (energy(&mechanism) - start) / scale;
            worst = [worst[0].max(change), worst[1].min(change)];
        }
        assert!(worst[0] < 1e-6 && worst[1] > -0.01, "{heavy} {factor}: {worst:?}");
    }
}

/// Gears that say the same twice, or something else, leave the mechanism as it is: it moves on as numbers.
#[test]
fn gears_that_repeat_each_other_are_left_out() {
    let both = [Pendulum { mass: 1.0, reach: 0.6 }, Pendulum { mass: 1.0, reach: 0.4 }];
    let mut mechanism = pendulums(&both);
    mechanism.add_gear(1, 0, 1.0, 0.0);
    mechanism.add_gear(1, 0, 1.0, 0.0);
    (0..60).for_each(|_| step(&mut mechanism, 1.0 / 60.0));
    assert!(mechanism.is_finite());
    for (follower, leader, factor) in [(0, 0, 1.0), (7, 0, 1.0), (1, 9, 1.0), (1, 0, f64::NAN)] {
        assert!(!mechanism.add_gear(follower, leader, factor, 0.0));
    }
}

/// Who goes back into the middle of a step, or out of one that was never ended, has the motors that belong there: gears and dry friction leave nothing behind.
#[test]
fn steps_that_are_taken_back_leave_no_motor_behind() {
    let both = [Pendulum { mass: 1.0, reach: 0.3 }, Pendulum { mass: 2.0, reach: 0.2 }];
    let mut mechanism = pendulums(&both);
    assert!(mechanism.add_gear(1, 0, -1.5, 0.1));
    assert!(mechanism.add_friction(0, 0, 0.4));
    let motors = |mechanism: &Mechanism| [0, 1].map(|node| mechanism.tree().element(node, 0).unwrap().motor);
    let start = mechanism.save();
    mechanism.predict(0.01, GRAVITY);
    assert_ne!(motors(&mechanism), [0.0; 2]);
    // Out of a step that was not ended, as often as one likes.
    for _ in 0..3 {
        mechanism.restore(&start).unwrap();
        assert_eq!(motors(&mechanism), [0.0; 2]);
        mechanism.predict(0.01, GRAVITY);
    }
    // Into its middle, and to its end.
    let middle = mechanism.save();
    mechanism.commit(0.01, 1.0);
    assert_eq!(motors(&mechanism), [0.0; 2]);
    let end = mechanism.save();
    mechanism.restore(&middle).unwrap();
    mechanism.commit(0.01, 0.5);
    assert_eq!(motors(&mechanism), [0.0; 2]);
    mechanism.restore(&start).unwrap();
    mechanism.predict(0.01, GRAVITY);
    mechanism.commit(0.01, 1.0);
    assert_eq!(mechanism.save(), end);
}

//! Limits, motors, servos, friction and springs of joints between solid bodies, against closed forms.

use glam::DVec3;
use prall_dynamics::{
    BodyDefinition, Drive, JointDefinition, JointHandle, Motor, Servo, SpringDamper, World,
};
use prall_math::Twist;

use crate::support::{Judge, block, cube, dynamic, fixed, rough, sheet, weightless, world};

const STEP: f64 = 1.0 / 240.0;
/// Of the rod below about its end, and its mass times the arm of its weight.
const INERTIA: f64 = 0.6 * (0.3 * 0.3 + 0.02 * 0.02) / 12.0 + 0.6 * 0.15 * 0.15;
const WEIGHT_ARM: f64 = 0.6 * 0.15 * 9.81;

/// A rod of 0.6 kg, 0.3 m long along x, on a hinge about z at its end.
fn rod(world: &mut World, drive: Drive) -> JointHandle {
    let shape = block(DVec3::new(0.3, 0.02, 0.02));
    let definition = BodyDefinition { solid: true, ..BodyDefinition::dynamic(shape, 5000.0) };
    let rod = world.add_body(&definition.at(DVec3::X * 0.15)).unwrap();
    let mut hinge = JointDefinition::hinge(world.ground(), rod, DVec3::ZERO, DVec3::Z);
    hinge.drives[0] = drive;
    let hinge = world.add_joint(&hinge).unwrap();
    assert!(world.is_solid(rod).is_ok());
    hinge
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / STEP).round() as usize {
        world.advance();
    }
    assert!(world.solid_report().bodies > 0, "the rod is moved under the rule that nothing overlaps");
    assert_eq!(world.report().lost_time, 0.0);
}

#[test]
fn a_hinge_bears_the_weight_that_hangs_on_it() {
    let mut world = world(STEP);
    let hinge = rod(&mut world, Drive { limits: Some((0.0, 1.0)), ..Drive::default() });
    run(&mut world, 0.5);
    // The limit takes the torque, the hinge the weight.
    let reaction = world.reaction(hinge).unwrap();
    assert!((reaction.force - DVec3::Y * 0.6 * 9.81).length() < 1e-3, "{reaction:?}");
    assert!((reaction.torque.z - WEIGHT_ARM).abs() < 1e-3, "{reaction:?}");
}

#[test]
fn a_falling_rod_stops_at_its_limit() {
    let mut world = world(STEP);
    let hinge = rod(&mut world, Drive { limits: Some((-0.5, 0.5)), ..Drive::default() });
    let mut lowest = 0.0_f64;
    for _ in 0..240 {
        world.advance();
        lowest = lowest.min(world.coordinate(hinge, 0).unwrap());
    }
    assert!(lowest > -0.5 - 1e-5, "{lowest}");
    assert!((world.coordinate(hinge, 0).unwrap() + 0.5).abs() < 1e-6);
    assert!(world.coordinate_rate(hinge, 0).unwrap().abs() < 1e-6, "it does not rebound");
}

#[test]
fn a_rod_that_starts_beyond_its_limit_comes_back_at_a_measured_pace() {
    let mut world = weightless(STEP);
    let hinge = rod(&mut world, Drive { limits: Some((0.3, 1.0)), ..Drive::default() });
    let mut fastest = 0.0_f64;
    for _ in 0..480 {
        world.advance();
        fastest = fastest.max(world.coordinate_rate(hinge, 0).unwrap().abs());
    }
    assert!(world.coordinate(hinge, 0).unwrap() > 0.3 - 1e-5, "{:?}", world.coordinate(hinge, 0));
    assert!(fastest <= 1.01 * world.options().assembly_speed, "{fastest} rad/s");
}

#[test]
fn a_motor_turns_with_its_strength_up_to_its_speed() {
    let mut world = weightless(STEP);
    let (strength, speed) = (0.02, 2.0);
    let motor = Some(Motor { speed, strength });
    let hinge = rod(&mut world, Drive { motor, ..Drive::default() });
    run(&mut world, 0.5);
    let rate = world.coordinate_rate(hinge, 0).unwrap();
    assert!((rate - 0.5 * strength / INERTIA).abs() < 1e-6, "{rate}");
    let angle = world.coordinate(hinge, 0).unwrap();
    assert!((angle - 0.125 * strength / INERTIA).abs() < 1e-4, "{angle}");
    run(&mut world, 2.0);
    let rate = world.coordinate_rate(hinge, 0).unwrap();
    assert!((rate - speed).abs() < 1e-5, "{rate}");
}

#[test]
fn a_weak_motor_is_stopped_by_the_weight_and_a_servo_lifts_it() {
    let mut world = world(STEP);
    let servo = Some(Servo { target: 0.7, speed: 1.0, strength: 2.0 * WEIGHT_ARM });
    let hinge = rod(&mut world, Drive { servo, ..Drive::default() });
    run(&mut world, 3.0);
    let angle = world.coordinate(hinge, 0).unwrap();
    assert!((angle - 0.7).abs() < 1e-4, "{angle}");
    // Half of the torque that would hold it level: it hangs where the weight's arm has half its length.
    let mut world = self::world(STEP);
    let motor = Some(Motor { speed: 1.0, strength: 0.5 * WEIGHT_ARM });
    let spring = Some(SpringDamper { stiffness: 0.0, damping: 0.1, rest: 0.0 });
    let hinge = rod(&mut world, Drive { motor, spring, ..Drive::default() });
    run(&mut world, 8.0);
    let angle = world.coordinate(hinge, 0).unwrap();
    assert!((angle + libm::acos(0.5)).abs() < 1e-2, "{angle}");
}

#[test]
fn dry_friction_holds_below_its_limit_and_brakes_above_it() {
    let mut world = world(STEP);
    let hinge = rod(&mut world, Drive { friction: 1.01 * WEIGHT_ARM, ..Drive::default() });
    run(&mut world, 1.0);
    let angle = world.coordinate(hinge, 0).unwrap();
    assert!(angle.abs() < 1e-6, "{angle}");
    let mut world = weightless(STEP);
    let hinge = rod(&mut world, Drive { friction: 0.01, ..Drive::default() });
    let rod = world.joint_definition(hinge).unwrap().bodies[1];
    let start = 1.0;
    let velocity = Twist { linear: DVec3::Y * 0.15 * start, angular: DVec3::Z * start };
    world.set_velocity(rod, velocity).unwrap();
    run(&mut world, 0.5);
    let rate = world.coordinate_rate(hinge, 0).unwrap();
    assert!((rate - (start - 0.5 * 0.01 / INERTIA)).abs() < 1e-5, "{rate}");
    run(&mut world, 2.5);
    assert!(world.coordinate_rate(hinge, 0).unwrap().abs() < 1e-6, "it has come to rest");
}

#[test]
fn a_spring_swings_with_its_period_and_keeps_its_energy() {
    // From 0.2 rad beyond its rest, without gravity: q = 0.2 cos(w t).
    let mut world = weightless(STEP);
    let (stiffness, rest) = (0.5, -0.2);
    let spring = Some(SpringDamper { stiffness, damping: 0.0, rest });
    let hinge = rod(&mut world, Drive { spring, ..Drive::default() });
    let period = std::f64::consts::TAU * (INERTIA / stiffness).sqrt();
    let periods = (10.0 * period / STEP).round() * STEP;
    run(&mut world, periods);
    let phase = std::f64::consts::TAU * periods / period;
    let angle = world.coordinate(hinge, 0).unwrap();
    let wanted = rest + 0.2 * libm::cos(phase);
    // The rule is of second order: the period is longer by (w h)^2 / 12 or so.
    assert!((angle - wanted).abs() < 0.02, "{angle} instead of {wanted}");
    let rate = world.coordinate_rate(hinge, 0).unwrap();
    let energy = 0.5 * stiffness * (angle - rest) * (angle - rest) + 0.5 * INERTIA * rate * rate;
    assert!((energy / (0.5 * stiffness * 0.04) - 1.0).abs() < 2e-3, "{energy}");
}

/// Before, an island with a motor was left to the solver of primitives, where meshes pass through each other.
#[test]
fn a_mesh_on_a_motor_pushes_a_mesh_and_passes_through_nothing() {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.3);
    world.add_body(&fixed(&sheet(4.0), m)).unwrap();
    let arm = dynamic(&block(DVec3::new(0.4, 0.02, 0.02)), m).at(DVec3::new(0.2, 0.03, 0.0));
    let arm = world.add_body(&arm).unwrap();
    let mut hinge = JointDefinition::hinge(world.ground(), arm, DVec3::Y * 0.03, DVec3::Y);
    hinge.drives[0].motor = Some(Motor { speed: -3.0, strength: 50.0 });
    let hinge = world.add_joint(&hinge).unwrap();
    let pushed = world.add_body(&dynamic(&cube(0.05), m).at(DVec3::new(0.3, 0.02503, 0.1))).unwrap();
    let mut judge = Judge::new(&world, 4);
    let start = world.pose(pushed).unwrap().translation;
    let mut solid = 0;
    for _ in 0..120 {
        world.advance();
        judge.look(&world);
        solid += usize::from(world.is_solid(arm).unwrap());
    }
    assert_eq!(judge.overlaps, 0);
    assert!(solid > 10, "it was near the cube in {solid} steps");
    let turned = world.coordinate(hinge, 0).unwrap();
    assert!((turned + 6.0).abs() < 0.1, "{turned} of -6 rad");
    let way = (world.pose(pushed).unwrap().translation - start).length();
    assert!(way > 0.1, "the cube was pushed by {way} m");
}

//! Bodies that turn on a point of the floor: second order in time.

use glam::{DMat3, DQuat, DVec3};
use prall_dynamics::{BodyDefinition, BodyHandle, Solver, World};
use prall_geometry::{MassProperties, Shape};
use prall_math::{Pose, Twist};
use prall_mechanics::Material;

use crate::support::{GRAVITY, add_floor, run, world};

/// Friction of 1 where both bodies are made of it.
fn rough() -> Material {
    Material { static_friction: 1.0, dynamic_friction: 1.0, ..Material::default() }
}

/// A plate whose upper side is at height 0.
fn plate() -> BodyDefinition {
    let plate = Shape::cuboid(DVec3::new(1.0, 0.1, 1.0)).unwrap();
    BodyDefinition::fixed(plate).at(DVec3::Y * -0.1).made_of(rough())
}

/// A top on its tip, leaning by 0.3 rad, that goes round evenly at 2 rad/s; the plate below it is added before or after it.
fn add_top(world: &mut World, plate_first: bool) -> BodyHandle {
    let (mass, arm, across, along, lean, w) = (1.0, 0.1, 0.005, 0.01, 0.3, 2.0);
    let (sine, cosine) = (libm::sin(lean), libm::cos(lean));
    // J w^2 cos t - I s w + m g l = 0 about the tip
    let spin = ((across + mass * arm * arm) * w * w * cosine + mass * GRAVITY * arm) / (along * w);
    let axis = DVec3::new(sine, cosine, 0.0);
    let angular = axis * spin + (DVec3::Y - axis * cosine) * w;
    let turn = DQuat::from_rotation_arc(DVec3::NEG_Y, axis);
    let inertia = DMat3::from_diagonal(DVec3::new(across, along, across));
    let cone = BodyDefinition::dynamic(Shape::cone(arm, 0.05).unwrap(), 1000.0);
    let cone =
        BodyDefinition { mass: Some(MassProperties { mass, center_of_mass: DVec3::ZERO, inertia }), ..cone };
    let cone = cone.in_pose(Pose::new(turn, axis * arm)).made_of(rough());
    if plate_first {
        world.add_body(&plate()).unwrap();
    }
    let top = world.add_body(&cone).unwrap();
    if !plate_first {
        world.add_body(&plate()).unwrap();
    }
    world.set_velocity(top, Twist::new(angular.cross(axis * arm), angular)).unwrap();
    top
}

/// How far the tip has come from where it stood, in m.
fn way_of_tip(world: &World, top: BodyHandle) -> f64 {
    let tip = world.pose(top).unwrap().transform_point(DVec3::Y * 0.1);
    libm::hypot(tip.x, tip.z)
}

/// The tip of a top that goes round stays where it is. With levers of the start of each step it wanders by 10 mm in 2 s at 1/240 s.
#[test]
fn a_top_pivots_on_its_tip_to_second_order() {
    for plate_first in [true, false] {
        let ways = [240_u32, 480].map(|rate| {
            let mut world = world(1.0 / f64::from(rate), Solver::Auto);
            let top = add_top(&mut world, plate_first);
            run(&mut world, 2 * rate as usize);
            way_of_tip(&world, top)
        });
        assert!(ways[0] < 6e-4 && ways[0] / ways[1] > 3.0, "{ways:?} m, plate first: {plate_first}");
    }
}

/// A top that pivots has nobody to give energy to, or to take it from.
#[test]
fn a_top_keeps_its_energy() {
    let mut world = world(1.0 / 240.0, Solver::Auto);
    add_top(&mut world, true);
    let start = world.energy().total();
    let mut farthest = 0.0_f64;
    for _ in 0..480 {
        world.advance();
        farthest = farthest.max((world.energy().total() - start).abs());
    }
    // Velocities are half a step before poses: that is worth m g h v / 2, and a few nods.
    assert!(farthest < 1e-4 * start, "{farthest} of {start} J");
}

/// Euler's disk without losses: its centre rests while it rolls round on its rim with `w^2 = 4 g / (a sin)`. With levers of the start it lies lower
/// by 0.09 rad after a second, at any step.
#[test]
fn a_disc_goes_on_rolling_round_on_its_rim() {
    let (radius, half, tilt) = (0.075, 1e-4, 30_f64.to_radians());
    let mut world = world(1.0 / 960.0, Solver::Auto);
    let floor = add_floor(&mut world);
    world.set_material(floor, rough()).unwrap();
    let (sine, cosine) = (libm::sin(tilt), libm::cos(tilt));
    let rate = (4.0 * GRAVITY / (radius * sine)).sqrt();
    let turn = DQuat::from_rotation_arc(DVec3::Y, DVec3::new(sine, cosine, 0.0));
    let disc = BodyDefinition::dynamic(Shape::cylinder(half, radius).unwrap(), 7800.0)
        .in_pose(Pose::new(turn, DVec3::Y * (radius * sine + half * cosine)))
        .moving(DVec3::ZERO, DVec3::new(-cosine, sine, 0.0) * (rate * sine))
        .made_of(rough());
    let disc = world.add_body(&disc).unwrap();
    let start = world.energy().total();
    run(&mut world, 960);
    let axis = world.pose(disc).unwrap().rotation * DVec3::Y;
    let lost = 1.0 - world.energy().total() / start;
    assert!((libm::acos(axis.y.abs()) - tilt).abs() < 1e-2, "{axis}");
    assert!((-1e-4..1e-2).contains(&lost), "lost {lost}");
}

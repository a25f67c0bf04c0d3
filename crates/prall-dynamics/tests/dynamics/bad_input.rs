//! What a world refuses, and that nothing changes when it does.

use crate::support::*;
use glam::{DMat3, DVec3};
use prall_dynamics::{BodyDefinition, JointDefinition, Material, World, WorldError, WorldOptions};
use prall_geometry::MassProperties;
use prall_math::{Pose, Twist};

#[test]
fn bad_bodies_are_refused_by_name() {
    let mut world = World::default();
    let hash = world.hash();
    let nan = mass(1.0, 1.0).at(DVec3::new(f64::NAN, 0.0, 0.0));
    assert!(matches!(world.add_body(&nan), Err(WorldError::Pose { .. })));
    for bad in [0.0, -1.0, f64::NAN] {
        assert!(matches!(world.add_body(&mass(bad, 1.0)), Err(WorldError::Mass(_))), "{bad}");
    }
    assert!(matches!(world.add_body(&mass(1.0, 0.0)), Err(WorldError::Mass(_))), "singular inertia");
    let thin = MassProperties {
        mass: 1.0,
        center_of_mass: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::new(1.0, 1.0, 5.0)),
    };
    assert!(matches!(world.add_body(&BodyDefinition::massive(thin)), Err(WorldError::Mass(_))));
    let empty = BodyDefinition::default();
    assert!(matches!(world.add_body(&empty), Err(WorldError::NoMass)));
    let rough = Material { dynamic_friction: -1.0, ..Material::default() };
    assert!(matches!(world.add_body(&cube(0.5).made_of(rough)), Err(WorldError::Material(_))));
    let fast = mass(1.0, 1.0).moving(DVec3::splat(f64::INFINITY), DVec3::ZERO);
    assert!(matches!(world.add_body(&fast), Err(WorldError::Vector { .. })));
    assert_eq!((world.hash(), world.body_count()), (hash, 0));
}

#[test]
fn bad_joints_are_refused_by_name() {
    let mut world = World::default();
    let body = world.add_body(&mass(1.0, 1.0)).unwrap();
    let gone = world.add_body(&mass(1.0, 1.0)).unwrap();
    world.remove_body(gone).unwrap();
    let ground = world.ground();
    let hinge = JointDefinition::hinge(ground, body, DVec3::ZERO, DVec3::Y);
    let refused = |world: &mut World, joint: &JointDefinition| world.add_joint(joint).unwrap_err();
    let to_itself = JointDefinition::ball(body, body, DVec3::ZERO);
    assert!(matches!(refused(&mut world, &to_itself), WorldError::JointToItself(_)));
    let to_removed = JointDefinition::ball(body, gone, DVec3::ZERO);
    assert!(matches!(refused(&mut world, &to_removed), WorldError::NoSuchBody(handle) if handle == gone));
    for bad in [
        hinge.limits(0, 1.0, -1.0),
        hinge.limits(0, f64::NAN, 1.0),
        hinge.limits(1, -1.0, 1.0),
        hinge.driven(0, f64::NAN, 1.0),
        hinge.driven(0, 1.0, -1.0),
        hinge.rubbing(0, -1.0),
        hinge.breaking(0.0, 1.0),
        JointDefinition::distance(ground, DVec3::ZERO, body, DVec3::ZERO, -1.0),
        JointDefinition::gear(ground, body, [Pose::IDENTITY; 2], 1.0),
    ] {
        let error = refused(&mut world, &bad);
        assert!(matches!(error, WorldError::Joint(_)), "{error}");
    }
    assert_eq!(world.joint_count(), 0);
}

#[test]
fn the_ground_cannot_be_changed() {
    let mut world = World::default();
    let ground = world.ground();
    assert!(matches!(world.remove_body(ground), Err(WorldError::Ground)));
    assert!(matches!(world.set_pose(ground, Pose::IDENTITY), Err(WorldError::Ground)));
    assert!(matches!(world.set_velocity(ground, Twist::ZERO), Err(WorldError::Ground)));
}

#[test]
fn bad_options_are_refused_by_name() {
    let good = WorldOptions::default();
    for bad in [
        WorldOptions { time_step: 0.0, ..good },
        WorldOptions { time_step: f64::NAN, ..good },
        WorldOptions { gravity: DVec3::splat(f64::NAN), ..good },
        WorldOptions { position_tolerance: -1.0, ..good },
        WorldOptions { most_sweeps: 0, ..good },
    ] {
        assert!(World::new(bad).is_err(), "{bad:?}");
    }
}

//! Momentum and rebounds.

use glam::DVec3;
use prall_dynamics::Material;

use crate::support::{cube, cup, dynamic, fixed, rough, run, sheet, weightless, world};

/// Two cups that hit each other in flight keep their momentum: linear to a millionth, angular to the order of the scheme. Energy is not gained.
#[test]
fn thrown_cups_keep_their_momentum() {
    for step in [1.0 / 60.0, 1.0 / 240.0] {
        let mut world = weightless(step);
        let shape = cup(0.05, 0.001);
        let first = dynamic(&shape, rough(0.3)).moving(DVec3::X * 5.0, DVec3::new(3.0, 20.0, 5.0));
        let second = dynamic(&shape, rough(0.3)).at(DVec3::new(0.2, 0.01, 0.015));
        world.add_body(&first).unwrap();
        world.add_body(&second.moving(DVec3::X * -4.0, DVec3::new(-10.0, 2.0, 7.0))).unwrap();
        let ((linear, angular), energy) = (world.momentum(), world.energy().total());
        let judge = run(&mut world, (0.25 / step) as usize, 20);
        let (after, turning) = world.momentum();
        assert_eq!(judge.overlaps, 0);
        assert!((after - linear).length() < 1e-6 * linear.length(), "{linear} became {after}");
        assert!((turning - angular).length() < 0.01 * angular.length(), "{angular} became {turning}");
        assert!(world.energy().total() < energy * (1.0 + 1e-9));
    }
}

/// A cube dropped flat rises to e^2 of its height; with e = 1 it keeps its energy.
fn rebounds_to_the_right_height(step: f64) {
    for restitution in [0.5, 0.8, 1.0] {
        let material = Material { restitution, ..rough(0.0) };
        let mut world = world(step);
        world.add_body(&fixed(&sheet(1.0), material)).unwrap();
        let drop = 0.1;
        let body = world.add_body(&dynamic(&cube(0.05), material).at(DVec3::Y * (0.025 + drop))).unwrap();
        let mut rise = f64::NEG_INFINITY;
        let mut bounced = false;
        for _ in 0..(0.33 / step) as usize {
            world.advance();
            let (y, v) = (world.pose(body).unwrap().translation.y, world.velocity(body).unwrap().linear.y);
            bounced |= v > 0.0;
            if bounced {
                // Height of the parabola that it is on.
                rise = rise.max(y - 0.025 + 0.5 * v * v / 9.81);
            }
        }
        let exact = restitution * restitution * drop;
        assert!((rise / exact - 1.0).abs() < 0.01, "e {restitution}: {rise} m, exactly {exact}");
    }
}

#[test]
fn a_dropped_cube_rebounds_to_the_right_height() {
    rebounds_to_the_right_height(1.0 / 240.0);
}

#[test]
fn a_dropped_cube_rebounds_to_the_right_height_in_long_steps() {
    rebounds_to_the_right_height(1.0 / 60.0);
}

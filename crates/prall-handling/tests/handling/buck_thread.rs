//! A screw in a nut under its own weight, by the method of Buck 1999: hundreds of features are near, and six contacts at most.

use std::f64::consts::TAU;

use glam::DVec3;
use prall_geometry::generate::{self, Thread};
use prall_geometry::{Amount, HalfEdges, MassProperties, Shape};
use prall_handling::Friction;
use prall_handling::buck::{BuckHeld, BuckOptions};
use prall_math::{Norm, Pose, Twist};

use crate::buck::INTERVAL;
use crate::shapes::*;

const THREAD: Thread = Thread { radius: 8e-3, pitch: 2.5e-3, turns: 8, segments: 32 };
const GRAVITY: f64 = 9.81;
/// In kg.
const MASS: f64 = 0.05;

/// What became of a screw: angle in rad and way in m, downwards; the time that was carried out in s; and the largest turn rate on the way.
struct Screwed {
    angle: f64,
    way: f64,
    time: f64,
    rate: f64,
    /// Moment of inertia about its axis.
    inertia: f64,
}

/// Lets a screw go that stands upright in a nut that is fixed.
fn let_go(friction: f64, intervals: usize) -> Screwed {
    let nut = mesh(&generate::nut(&Thread { turns: 4, ..THREAD }, 1e-4, 0.014).unwrap());
    let bolt = mesh(&generate::bolt(&THREAD).unwrap());
    let Shape::TriangleMesh(surface) = &bolt else { panic!("a mesh") };
    let surface = surface.mesh();
    let mass = MassProperties::of_mesh(surface, &HalfEdges::new(surface), Amount::Mass(MASS)).unwrap();
    let options = BuckOptions { friction: Friction::of(friction), ..BuckOptions::default() };
    let around = vec![obstacle("nut", &nut, Pose::IDENTITY)];
    let mut held = BuckHeld::new(&bolt, &mass, Pose::IDENTITY, around, options).unwrap();
    let mut judge = Judge::new(&bolt, &[&nut]);
    let mut seen = Screwed { angle: 0.0, way: 0.0, time: 0.0, rate: 0.0, inertia: mass.inertia.y_axis.y };
    let mut velocity = Twist::ZERO;
    for _ in 0..intervals {
        let before = *held.pose();
        velocity.linear.y -= GRAVITY * INTERVAL;
        let report = *held.step(&velocity, INTERVAL).unwrap();
        assert!(!report.jam && held.contacts().len() <= 6, "{report:?}");
        judge.look_at(held.pose(), held.obstacles());
        velocity = *held.velocities().next().unwrap();
        // What an interval that was cut did not carry out gives no speed.
        velocity.linear.y += GRAVITY * INTERVAL * (1.0 - report.done);
        seen.angle -= prall_math::rotation::log(held.pose().rotation * before.rotation.conjugate()).y;
        seen.way -= held.pose().translation.y - before.translation.y;
        seen.time += INTERVAL * report.done;
        seen.rate = -velocity.angular.y;
        let aside = DVec3 { y: 0.0, ..held.pose().translation };
        // The play along the radius is 0.1 mm.
        assert!(aside.norm() < 2e-4, "{aside}");
    }
    seen
}

/// Without friction it turns itself down, by its pitch in each turn, and gains speed as `a = g / (1 + (I / m) (2 pi / p)^2)` says.
#[test]
fn a_screw_without_friction_turns_itself_down_in_its_nut() {
    let seen = let_go(0.0, 100);
    assert!(seen.angle > 0.7, "{}", seen.angle);
    // The play along the axis comes on top.
    let (by_pitch, play) = (THREAD.pitch * seen.angle / TAU, 1.2e-4);
    assert!((by_pitch..by_pitch + play).contains(&seen.way), "{} {by_pitch}", seen.way);
    let per_metre = TAU / THREAD.pitch;
    let expected = GRAVITY / (1.0 + seen.inertia / MASS * per_metre * per_metre) * per_metre * seen.time;
    // It rattles down: shocks take and give a little.
    assert!((seen.rate - expected).abs() < 0.1 * expected, "{} {expected}", seen.rate);
}

#[test]
fn a_screw_with_friction_stands_in_its_nut() {
    let seen = let_go(0.5, 80);
    assert!(seen.angle.abs() < 0.02 && seen.way < 1.2e-4, "{} {}", seen.angle, seen.way);
}

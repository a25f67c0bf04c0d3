//! Movers that are not bodies of the arrays, and joints in the same loop.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Motion, Pose, Twist, Wrench, skew};
use prall_mechanics::{
    Bodies, Body, Budget, ContactOptions, ContactStep, Contacts, Coupling, Mover, MoverStateError, Movers,
    Side, StateHash, TwistResponse, Uncoupled,
};

use crate::world::law;
use prall_detection::{ContactPoint, Feature, FeaturePair, ShapePart};

/// One free body behind the trait.
struct Single(Body);

impl Mover for Single {
    fn links(&self) -> usize {
        1
    }
    fn pose(&self, _link: u32) -> Pose {
        self.0.pose
    }
    fn motion(&self, _link: u32, h: f64) -> Motion {
        Motion::from_twist(self.0.pose, DVec3::ZERO, self.0.velocity, h).unwrap()
    }
    fn predict(&mut self, h: f64, gravity: DVec3) {
        self.0.velocity.linear += gravity * h;
    }
    fn twist_at(&self, _link: u32, point: DVec3) -> Twist {
        Twist::new(self.0.velocity_at(point), self.0.velocity.angular)
    }
    fn response(&self, at: (u32, DVec3), due_to: (u32, DVec3)) -> TwistResponse {
        let (r, s) = (skew(at.1 - self.0.pose.translation), skew(due_to.1 - self.0.pose.translation));
        let j = self.0.world_inverse_inertia();
        let moved = DMat3::from_diagonal(DVec3::splat(1.0 / self.0.mass())) - r * j * s;
        [[moved, -(r * j)], [j * s, j]]
    }
    fn apply(&mut self, _link: u32, point: DVec3, percussion: Wrench) {
        self.0.apply_percussion(point, percussion.force);
        self.0.apply_angular_percussion(percussion.torque);
    }
    fn commit(&mut self, h: f64, fraction: f64) {
        self.0.pose.translation += self.0.velocity.linear * (h * fraction);
    }
    fn energy(&self, gravity: DVec3) -> (f64, f64) {
        (self.0.kinetic_energy(), -self.0.mass() * gravity.dot(self.0.pose.translation))
    }
    fn is_finite(&self) -> bool {
        self.0.is_finite()
    }
    fn hash(&self, hash: &mut StateHash) {
        hash.twist(&self.0.velocity);
    }
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
    fn restore(&mut self, _state: &[u8]) -> Result<(), MoverStateError> {
        Ok(())
    }
}

fn brick(at: DVec3) -> Body {
    let mut body = Body::new(2.0, DMat3::from_diagonal(DVec3::new(0.2, 0.3, 0.15))).unwrap();
    body.pose = Pose::new(DQuat::from_scaled_axis(DVec3::new(0.01, 0.4, 0.02)), at);
    body.velocity = Twist::new(DVec3::new(0.7, -1.0, 0.2), DVec3::new(0.3, 0.8, -0.4));
    body
}

/// Four points of a square at a height, normal up.
fn square(centre: DVec3) -> Vec<ContactPoint> {
    (0..4_u32)
        .map(|i| {
            let corner = DVec3::new(f64::from(i % 2) - 0.5, 0.0, f64::from(i / 2) - 0.5);
            let on_a = centre + corner + DVec3::Y * 0.001 * f64::from(i);
            let feature = |part| Feature::Shape { child: 0, part };
            let features =
                FeaturePair { on_a: feature(ShapePart::Vertex(i)), on_b: feature(ShapePart::Face(0)) };
            let gap = 0.001 * f64::from(i);
            ContactPoint { on_a, on_b: on_a - DVec3::Y * gap, normal: DVec3::Y, gap, features }
        })
        .collect()
}

fn exact() -> ContactOptions {
    ContactOptions {
        velocity_tolerance: 1e-13,
        most_sweeps: 4000,
        inner: 100,
        shock: false,
        rest_certificate: false,
        ..ContactOptions::default()
    }
}

/// Ground, two bricks on each other; each of the bricks is a body or a mover. All four ways give one answer.
#[test]
fn a_body_behind_the_trait_is_the_body_in_the_arrays() {
    let h = 1.0 / 60.0;
    let answer = |as_mover: [bool; 2]| {
        let mut bodies = Bodies::default();
        let ground = Side::Body(bodies.push_unmoved(Pose::IDENTITY, Twist::ZERO));
        let mut others: Vec<Box<dyn Mover>> = Vec::new();
        let sides: Vec<Side> = [(0.5, as_mover[0]), (1.5, as_mover[1])]
            .into_iter()
            .map(|(height, as_mover)| {
                let body = brick(DVec3::Y * height);
                if as_mover {
                    others.push(Box::new(Single(body)));
                    Side::Link { mover: others.len() as u32 - 1, link: 0 }
                } else {
                    Side::Body(bodies.push(&body))
                }
            })
            .collect();
        let mut contacts = Contacts::new();
        contacts.add(1, sides[0], ground, &square(DVec3::ZERO), &law(0.4));
        contacts.add(2, sides[1], sides[0], &square(DVec3::Y), &law(0.4));
        let before = bodies.velocities.clone();
        let step = ContactStep { h, gravity: DVec3::NEG_Y * 9.81, before: &before, rolling: &[] };
        let mut movers = Movers { bodies: &mut bodies, others: &mut others };
        let budget = &mut Budget::unlimited();
        let report = contacts.solve(&mut movers, &mut Uncoupled, &step, &exact(), budget, None);
        assert!(report.residual <= 1e-13, "{report:?}");
        sides.map_twists(&movers)
    };
    let bodies = answer([false, false]);
    for as_mover in [[true, false], [false, true], [true, true]] {
        let other = answer(as_mover);
        for (p, q) in bodies.iter().zip(&other) {
            // Both converged to 1e-13 per sweep; the rest of the series is a hundred times that at most.
            let difference = (p.linear - q.linear).length() + (p.angular - q.angular).length();
            assert!(difference < 1e-10, "{as_mover:?}: {difference}");
        }
    }
}

trait Twists {
    fn map_twists(&self, movers: &Movers<'_>) -> Vec<Twist>;
}

impl Twists for Vec<Side> {
    fn map_twists(&self, movers: &Movers<'_>) -> Vec<Twist> {
        self.iter().map(|side| side.twist_at(movers, DVec3::new(0.2, 0.9, -0.1))).collect()
    }
}

/// Two bodies whose centres move alike in x: a slider, relaxed exactly.
struct Tied(u32, u32);

impl Coupling for Tied {
    fn joined(&self, visit: &mut dyn FnMut(Side, Side)) {
        visit(Side::Body(self.0), Side::Body(self.1));
    }
    fn sweep(&mut self, movers: &mut Movers<'_>, _h: f64) -> f64 {
        let (a, b) = (self.0 as usize, self.1 as usize);
        let error = movers.bodies.velocities[a].linear.x - movers.bodies.velocities[b].linear.x;
        let percussion = error / (1.0 / movers.bodies.mass(a) + 1.0 / movers.bodies.mass(b));
        movers.bodies.velocities[a].linear.x -= percussion / movers.bodies.mass(a);
        movers.bodies.velocities[b].linear.x += percussion / movers.bodies.mass(b);
        error.abs()
    }
}

/// A brick that rubs on the ground and one in the air, tied: friction `mu m g h` of one slows both.
#[test]
fn joints_take_part_in_the_loop() {
    let h = 1.0 / 60.0;
    let mut bodies = Bodies::default();
    let ground = Side::Body(bodies.push_unmoved(Pose::IDENTITY, Twist::ZERO));
    let mut still = brick(DVec3::Y * 0.5);
    still.pose.rotation = DQuat::IDENTITY;
    still.velocity = Twist::new(DVec3::X, DVec3::ZERO);
    let rubbing = bodies.push(&still);
    still.pose.translation.y = 5.0;
    let tied = bodies.push(&still);
    let before = bodies.velocities.clone();
    bodies.velocities[rubbing as usize].linear.y = -9.81 * h;
    let flat: Vec<_> = square(DVec3::ZERO).into_iter().map(|p| ContactPoint { gap: 0.0, ..p }).collect();
    let mut contacts = Contacts::new();
    contacts.add(1, Side::Body(rubbing), ground, &flat, &law(0.3));
    let step = ContactStep { h, gravity: DVec3::NEG_Y * 9.81, before: &before, rolling: &[] };
    let mut movers = Movers { bodies: &mut bodies, others: &mut [] };
    let budget = &mut Budget::unlimited();
    contacts.solve(&mut movers, &mut Tied(rubbing, tied), &step, &exact(), budget, None);
    let exact = 1.0 - 0.3 * 9.81 * h * 2.0 / 4.0;
    for body in [rubbing, tied] {
        assert!((bodies.velocities[body as usize].linear.x - exact).abs() < 1e-9);
    }
}

//! A mechanism in the contact problem that all movers share.

use glam::{DMat3, DQuat, DVec3};
use prall_detection::{ContactPoint, Feature, FeaturePair};
use prall_math::{Pose, Twist};
use prall_mechanics::{
    Bodies, Budget, ContactLaw, ContactOptions, ContactStep, Contacts, Mover, Movers, Side, Uncoupled,
};
use prall_multibody::{Joint, JointKind, Model};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A rod of 3 kg, hinged at one end, falls a little and then rests with its tip on the ground: the ground carries half of
/// its weight, the hinge the other half.
#[test]
fn the_ground_carries_half_of_a_hinged_rod() {
    let mut model = Model::default();
    let inertia = DMat3::from_diagonal(DVec3::new(0.01, 0.25, 0.25));
    let turn = DQuat::from_rotation_arc(DVec3::X, DVec3::Z);
    let hinge = Joint::new(JointKind::Revolute, Pose::from_rotation(turn), Pose::new(turn, DVec3::X * -0.5));
    model.body("rod", None, 3.0, inertia, hinge);
    let mut others: Vec<Box<dyn Mover>> = vec![Box::new(model.build().unwrap())];
    let mut bodies = Bodies::default();
    let ground = bodies.push_unmoved(Pose::from_translation(DVec3::Y * -1e-3), Twist::ZERO);
    let law = ContactLaw::new(0.0, 0.5, 0.0).unwrap();
    let (mut contacts, options, h) = (Contacts::default(), ContactOptions::default(), 1e-3);
    let mut carried = 0.0;
    for _ in 0..400 {
        others[0].predict(h, GRAVITY);
        let tip = others[0].pose(0).transform_point(DVec3::X * 0.5);
        let below = DVec3::new(tip.x, -1e-3, tip.z);
        let corner = Feature::Vertex { triangle: 0, corner: 0 };
        let features = FeaturePair { on_a: corner, on_b: corner };
        contacts.begin();
        if tip.y - below.y < 1e-3 {
            let point =
                ContactPoint { on_a: tip, on_b: below, normal: DVec3::Y, gap: tip.y - below.y, features };
            contacts.add(1, Side::Link { mover: 0, link: 0 }, Side::Body(ground), &[point], &law);
        }
        let before = bodies.velocities.clone();
        let step = ContactStep { h, gravity: GRAVITY, before: &before, rolling: &[] };
        let mut movers = Movers { bodies: &mut bodies, others: &mut others };
        contacts.solve(&mut movers, &mut Uncoupled, &step, &options, &mut Budget::unlimited(), None);
        carried = contacts.iter().map(|view| view.impulse.y.abs()).sum::<f64>() / h;
        others[0].commit(h, 1.0);
    }
    let (kinetic, _) = others[0].energy(GRAVITY);
    assert!(kinetic < 1e-8, "{kinetic}");
    // The tip is 1 mm below the hinge: the lever of the weight is exact to 1e-6.
    assert!((carried - 0.5 * 3.0 * 9.81).abs() < 1e-2, "{carried}");
    let tip = others[0].pose(0).transform_point(DVec3::X * 0.5);
    assert!((tip.y + 1e-3).abs() < 1e-4, "{tip}");
}

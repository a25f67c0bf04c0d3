//! The sled that times are told of: 13 degrees of freedom, eight runner contacts.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Pose, Twist};
use prall_multibody::{
    ForceElement, FrictionSet, Joint, JointKind, Mechanism, Model, MoreauContact, Runner, Spring, Tree,
};

/// A hull that floats, a second one on a sprung joint, two axles on two sprung axes each, and four runners in which two of eight points
/// touch: 6 + 1 + 2 + 4 degrees of freedom.
pub(crate) fn sled() -> Mechanism {
    let inertia = |mass: f64| DMat3::from_diagonal(DVec3::new(0.1, 0.15, 0.12) * mass);
    let element =
        ForceElement { spring: Spring::Linear { stiffness: 2e4, rest: 0.0 }, damping: 200.0, motor: 0.0 };
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let about_z = Pose::from_rotation(DQuat::from_rotation_arc(DVec3::X, DVec3::Z));
    let mut model = Model::default();
    let free = Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY);
    model.body("rear", None, 200.0, inertia(200.0), free);
    let sprung = |parent: Pose, child: Pose| Joint {
        elements: [element; 6],
        ..Joint::new(JointKind::Revolute, parent, child)
    };
    model.body(
        "front",
        Some("rear"),
        120.0,
        inertia(120.0),
        sprung(at(0.0, 0.0, -0.8) * about_z, at(0.0, 0.0, 0.7) * about_z),
    );
    for (axle, hull, z) in [("front axle", "front", -0.5), ("rear axle", "rear", 0.6)] {
        model.body(axle, Some(hull), 20.0, inertia(20.0), sprung(at(0.0, -0.2, z) * about_z, about_z));
        for (side, x) in [("left", -0.33), ("right", 0.33)] {
            let name = format!("{axle} {side}");
            model.body(&name, Some(axle), 5.0, inertia(5.0), sprung(at(x, -0.05, 0.0), at(0.0, 0.05, 0.0)));
        }
    }
    let mut sled = model.build().expect("the model is a tree");
    let lowest = (0..sled.tree().len()).map(|node| sled.tree().pose(node).translation.y).fold(0.0, f64::min);
    let tree = sled.tree_mut();
    let poses: Vec<Pose> =
        (0..tree.len()).map(|node| at(0.0, 0.05 - lowest, 0.0) * tree.pose(node)).collect();
    tree.load(|node| (poses[node], Twist::new(DVec3::Z * -30.0, DVec3::ZERO)));
    sled
}

/// The ends of the four runners on level ground.
pub(crate) fn contacts(tree: &Tree, found: &mut Vec<MoreauContact>) {
    let runner = Runner::new(0.004, 0.001, [0.05, 0.3], 800.0).expect("the coefficients are in order");
    for (number, node) in [3, 4, 6, 7].into_iter().enumerate() {
        for (end, z) in [-0.2, 0.2].into_iter().enumerate() {
            let point = tree.pose(node).transform_point(DVec3::new(0.0, -0.05, z));
            found.push(MoreauContact {
                id: (2 * number + end) as u64,
                node,
                point,
                normal: DVec3::Y,
                tangent: DVec3::NEG_Z,
                gap: point.y,
                restitution: [0.0, 0.0],
                friction: FrictionSet::Runner(runner),
            });
        }
    }
}

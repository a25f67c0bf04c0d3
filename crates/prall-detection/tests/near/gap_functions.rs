//! What a solver relies on: a gap changes at the rate n . (v_A(on A) - v_B(on B)), whatever the kind of feature.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use prall_detection::{ContactPoint, Feature, FeaturePair, NearFeature, NearKind};
use prall_geometry::Shape;
use prall_math::Pose;

use crate::bodies::{any_body, features, near_poses};
use crate::random::Random;

/// A rigid velocity about the world's origin.
#[derive(Clone, Copy)]
struct Velocity {
    linear: DVec3,
    angular: DVec3,
}

impl Velocity {
    fn any(random: &mut Random) -> Velocity {
        Velocity { linear: random.vector(1.0), angular: random.vector(1.0) }
    }

    fn at(&self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point)
    }

    fn moved(&self, pose: &Pose, time: f64) -> Pose {
        let turn = DQuat::from_scaled_axis(self.angular * time);
        Pose::new((turn * pose.rotation).normalize(), turn * pose.translation + self.linear * time)
    }
}

/// Central differences are off by the square of the step and by rounding over the step: 1e-5 is between.
pub(crate) fn assert_rate(random: &mut Random, feature: &NearFeature, (pose_a, pose_b): &(Pose, Pose)) {
    let (of_a, of_b) = (Velocity::any(random), Velocity::any(random));
    let h = 1e-5;
    let gap = |t: f64| feature.at(&of_a.moved(pose_a, t), &of_b.moved(pose_b, t)).gap;
    let rate = (gap(h) - gap(-h)) / (2.0 * h);
    let state = feature.at(pose_a, pose_b);
    let expected = state.normal.dot(of_a.at(state.on_a) - of_b.at(state.on_b));
    assert!((rate - expected).abs() < 1e-6, "{rate} {expected} {feature:?}");
}

#[test]
fn the_rate_of_a_gap_is_that_of_its_acting_points() {
    let mut random = Random::new(81);
    let mut kinds = BTreeMap::new();
    let round = |random: &mut Random| {
        if random.chance(0.5) { Shape::sphere(0.3) } else { Shape::capsule(0.4, 0.2) }.unwrap()
    };
    for _ in 0..400 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let Some(poses) = near_poses(&mut random, &a, &b, 0.02) else { continue };
        let mut found = features(&a.shape, &poses.0, &b.shape, &poses.1, 0.03).1;
        // Round ones anywhere near: the gap functions hold for negative gaps as well.
        for (p, q) in [
            (round(&mut random), b.shape.clone()),
            (a.shape.clone(), round(&mut random)),
            (round(&mut random), round(&mut random)),
        ] {
            found.extend(features(&p, &poses.0, &q, &poses.1, 0.3).1);
        }
        for feature in &found {
            // Far from the poses where it was found, too, but not where two edges have become parallel.
            assert_rate(&mut random, feature, &poses);
            *kinds.entry(feature.kind).or_insert(0) += 1;
        }
    }
    assert!(kinds.len() == 7 && kinds.values().all(|&count| count > 20), "{kinds:?}");
}

#[test]
fn a_gap_becomes_negative_when_a_vertex_has_crossed_the_plane() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let found = features(&cube, &above(1.01), &cube, &above(0.0), 0.02).1;
    assert!(found.iter().any(|feature| feature.kind == NearKind::VertexFace), "{found:?}");
    for feature in found {
        assert!((feature.at(&above(0.9), &above(0.0)).gap + 0.1).abs() < 1e-12, "{feature:?}");
    }
}

fn above(height: f64) -> Pose {
    Pose::new(DQuat::from_rotation_y(0.3), DVec3::Y * height)
}

#[test]
fn a_contact_as_a_feature_has_its_gap_and_rate() {
    let mut random = Random::new(82);
    for _ in 0..100 {
        let poses = (
            Pose::new(random.rotation(), random.vector(2.0)),
            Pose::new(random.rotation(), random.vector(2.0)),
        );
        let (on_b, normal, gap) = (random.vector(2.0), random.direction(), random.between(0.0, 0.1));
        let features = FeaturePair {
            on_a: Feature::Face { triangle: 3 },
            on_b: Feature::Vertex { triangle: 4, corner: 1 },
        };
        let contact = ContactPoint { on_a: on_b + normal * gap, on_b, normal, gap, features };
        let feature = NearFeature::from_contact(&contact, &poses.0, &poses.1, 7);
        assert_eq!((feature.kind, feature.triangles), (NearKind::Frozen, (3, 4)));
        let state = feature.at(&poses.0, &poses.1);
        assert!((state.gap - gap).abs() < 1e-14 && (state.normal - normal).length() < 1e-14);
        assert!((state.on_a - contact.on_a).length() < 1e-14 && (state.on_b - on_b).length() < 1e-14);
        assert_rate(&mut random, &feature, &poses);
        let other = NearFeature::from_contact(&contact, &poses.0, &poses.1, 8);
        assert_ne!(feature.name, other.name);
    }
}

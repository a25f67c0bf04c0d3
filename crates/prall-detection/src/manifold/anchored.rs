//! A manifold as its bodies carry it, so that it can be told again after a small motion.
//!
//! One body, the carrier, holds the normal and a plane across it for each point; the other holds the points. Poses
//! then give the gaps. With `X` the pose of the other body in the carrier's frame, `n` the normal (from B to A), `p` a point
//! and `o` the offset of its plane, `n . x = o`:
//!
//! ```text
//! carrier B:  gap = n . X p - o         carrier A:  gap = o - n . X p
//! ```
//!
//! For a corner over a face this is the height of the corner over the plane of the face: exact, however the bodies move.

use glam::{DMat3, DQuat, DVec3};
use prall_math::Pose;
use serde::{Deserialize, Serialize};

use crate::contact::{ContactPoint, Feature, FeaturePair, ShapePart};

/// Most points that are carried.
pub(super) const MOST: usize = 4;

/// Which of two bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) enum Body {
    A,
    #[default]
    B,
}

/// A manifold of at most [`MOST`] points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Anchored {
    pub(super) carrier: Body,
    count: u8,
    /// Unit vector from B to A in the carrier's frame. Kept also without points, as the direction that keeps the bodies apart.
    pub(super) normal: DVec3,
    anchors: [Anchor; MOST],
}

/// A point of a manifold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Anchor {
    /// On the body that is not the carrier, in its frame.
    pub(super) point: DVec3,
    /// Of the carrier's plane along the normal, in metres.
    pub(super) offset: f64,
    pub(super) features: FeaturePair,
}

impl Default for Anchor {
    fn default() -> Anchor {
        let nothing = Feature::Shape { child: 0, part: ShapePart::Face(0) };
        Anchor { point: DVec3::ZERO, offset: 0.0, features: FeaturePair { on_a: nothing, on_b: nothing } }
    }
}

/// The pose of one body in the frame of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    pub(super) turn: DQuat,
    pub(super) rotation: DMat3,
    pub(super) translation: DVec3,
}

impl Relative {
    pub(super) fn new(frame: &Pose, other: &Pose) -> Relative {
        let back = frame.rotation.conjugate();
        let turn = back * other.rotation;
        Relative {
            turn,
            rotation: DMat3::from_quat(turn),
            translation: back * (other.translation - frame.translation),
        }
    }

    /// The pose of the body that is not the carrier in the carrier's frame.
    pub(super) fn to_carrier(carrier: Body, pose_a: &Pose, pose_b: &Pose) -> Relative {
        match carrier {
            Body::A => Relative::new(pose_a, pose_b),
            Body::B => Relative::new(pose_b, pose_a),
        }
    }

    pub(super) fn inverse(&self) -> Relative {
        let rotation = self.rotation.transpose();
        Relative { turn: self.turn.conjugate(), rotation, translation: -(rotation * self.translation) }
    }

    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

impl Anchored {
    pub(super) fn new(carrier: Body, normal: DVec3) -> Anchored {
        Anchored { carrier, normal, ..Anchored::default() }
    }

    /// Forgets its points.
    pub(super) fn start(&mut self, carrier: Body, normal: DVec3) {
        (self.carrier, self.normal, self.count) = (carrier, normal, 0);
    }

    /// Adds a point; false if there is no room.
    pub(super) fn push(&mut self, anchor: Anchor) -> bool {
        let Some(place) = self.anchors.get_mut(usize::from(self.count)) else { return false };
        *place = anchor;
        self.count += 1;
        true
    }

    pub(super) fn anchors(&self) -> &[Anchor] {
        &self.anchors[..usize::from(self.count)]
    }

    pub(super) fn anchors_mut(&mut self) -> &mut [Anchor] {
        &mut self.anchors[..usize::from(self.count)]
    }

    /// The same for contacts found in the world, if there are not too many. The carrier is the body whose face takes part.
    pub(super) fn of(points: &[ContactPoint], pose_a: &Pose, pose_b: &Pose) -> Option<Anchored> {
        let is_face = |f: Feature| matches!(f, Feature::Shape { part: ShapePart::Face(_), .. });
        let first = points.first()?;
        let only_a = points.iter().all(|p| is_face(p.features.on_a) && !is_face(p.features.on_b));
        let carrier = if only_a { Body::A } else { Body::B };
        let (carrying, other) = if only_a { (pose_a, pose_b) } else { (pose_b, pose_a) };
        let mut anchored = Anchored::new(carrier, carrying.inverse_transform_vector(first.normal));
        for found in points {
            let (on_carrier, on_other) =
                if only_a { (found.on_a, found.on_b) } else { (found.on_b, found.on_a) };
            let anchor = Anchor {
                point: other.inverse_transform_point(on_other),
                offset: anchored.normal.dot(carrying.inverse_transform_point(on_carrier)),
                features: found.features,
            };
            if !anchored.push(anchor) {
                return None;
            }
        }
        Some(anchored)
    }

    /// The contacts up to a gap of `margin`, with the other body in `relative` to the carrier and the carrier in
    /// `carrying`.
    pub(super) fn tell(
        &self,
        relative: &Relative,
        carrying: &Pose,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) {
        let rotation = carrying.rotation_matrix();
        let normal = rotation * self.normal;
        for anchor in self.anchors() {
            let place = relative.point(anchor.point);
            let height = self.normal.dot(place) - anchor.offset;
            let on_other = rotation * place + carrying.translation;
            let on_carrier = on_other - normal * height;
            let (gap, on_a, on_b) = match self.carrier {
                Body::A => (-height, on_carrier, on_other),
                Body::B => (height, on_other, on_carrier),
            };
            if gap <= margin {
                points.push(ContactPoint { on_a, on_b, normal, gap, features: anchor.features });
            }
        }
    }

    /// Lets points keep the names that they had: one whose name is new, near a place whose name is gone, is the same contact,
    /// known by another feature beside it (a corner that just left a face, say). `relative` is the pose of the other body in the frame
    /// of the carrier of this manifold, not of the one before.
    pub(super) fn rename(&mut self, before: &Anchored, relative: &Relative, near: f64) {
        let named = |anchors: &[Anchor], name: FeaturePair| anchors.iter().any(|a| a.features == name);
        for i in 0..usize::from(self.count) {
            let anchor = self.anchors[i];
            if named(before.anchors(), anchor.features) {
                continue;
            }
            let place = relative.point(anchor.point);
            let apart = |old: &Anchor| {
                let there =
                    if before.carrier == self.carrier { relative.point(old.point) } else { old.point };
                there.distance_squared(place)
            };
            let free = before.anchors().iter().filter(|old| !named(self.anchors(), old.features));
            let nearest = free.min_by(|p, q| apart(p).total_cmp(&apart(q)));
            if let Some(old) = nearest.filter(|old| apart(old) <= near * near) {
                self.anchors[i].features = old.features;
            }
        }
    }
}

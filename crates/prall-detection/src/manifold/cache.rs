//! [`ManifoldCache`]: what a pair of bodies remembers from step to step.
//!
//! **When a manifold is carried over.** Let `u` be the farthest that any point of the smaller body has moved with respect to the
//! other since the manifold was found. With `f` a place of the smaller body, `X` its pose in the frame of the other, `q` the
//! rotation as a unit quaternion (of the sign that makes the difference smaller) and `r` the body's reach:
//!
//! ```text
//! u  <=  |X f - X_0 f| + 2 |q - q_0| r        since |R y - R_0 y| = 2 sin(angle / 2) |y| <= 2 |q - q_0| |y|
//! ```
//!
//! The manifold is carried over while `u` is at most [`CARRIED_OVER`] of the smaller half thickness. The signed distance of two
//! bodies changes by at most `u`, and so does a gap that is told again; the smallest gap told is thus the distance up to `2 u`, that
//! is 0.4 % of the smaller half thickness at worst. Where a corner stands on a face it is the exact height, and
//! elsewhere the error is of second order: anchors move with their bodies, the normal with one of them.
//!
//! Manifolds are looked for with a margin that is larger by the same bound, and pairs that have none keep a
//! proven distance: so whatever comes nearer than the margin while nothing is looked for has its manifold already.

use glam::{DQuat, DVec3};
use prall_math::Pose;
use serde::{Deserialize, Serialize};

use super::anchored::{Anchored, Body, Relative};
use super::touchable::Piece;

/// Manifolds are carried over while no point has moved by more than this part of the smaller half thickness (no unit).
/// Larger saves more searches and lets contact points lag farther behind sliding bodies.
const CARRIED_OVER: f64 = 2e-3;

/// A point takes over the name of one that was nearer than this part of the smaller half thickness (no unit): nearer than
/// other corners can be, farther than contacts slide in a step.
const SAME_CONTACT: f64 = 0.2;

/// What one ordered pair of bodies remembers of its contacts from one step to the next.
///
/// Give the same cache with the same two bodies, in the same order, to [`find_manifolds_cached`](super::find_manifolds_cached);
/// a default cache knows nothing. It is a plain value: a world that is saved with its caches, or forgets them both when it is
/// saved and when it goes on, continues with the same bits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManifoldCache {
    known: Option<Known>,
}

/// What was found, and where the bodies were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Known {
    /// Of the body that is not the carrier in the carrier's frame.
    turn: DQuat,
    /// A place of that body...
    foot: DVec3,
    /// ...and where it was in the carrier's frame.
    place: DVec3,
    /// Of the smaller body from the foot, in metres.
    reach: f64,
    /// How far points may move, in metres.
    lasting: f64,
    /// All contacts up to this gap are known, in metres.
    margin: f64,
    manifold: Anchored,
}

/// What the shapes of a pair allow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Which body is the smaller.
    smaller: Body,
    /// Of the smaller body's points from its origin, in metres.
    reach: f64,
    /// The smaller half thickness.
    thickness: f64,
}

impl Scale {
    pub(super) fn new(a: &Piece, b: &Piece) -> Scale {
        let (smaller, reach) =
            if a.reach() < b.reach() { (Body::A, a.reach()) } else { (Body::B, b.reach()) };
        Scale { smaller, reach, thickness: a.half_thickness().min(b.half_thickness()) }
    }

    /// How far points may move until a manifold has to be found anew.
    pub(super) fn lasting(&self) -> f64 {
        CARRIED_OVER * self.thickness
    }
}

impl ManifoldCache {
    /// Forgets everything: as if the bodies had not met before.
    pub fn clear(&mut self) {
        self.known = None;
    }

    /// Which body carried the last manifold, however long ago.
    pub(super) fn last_carrier(&self) -> Option<Body> {
        self.known.as_ref().map(|known| known.manifold.carrier)
    }

    /// The manifold, and the pose of the other body in its carrier's frame, if it still holds within `margin`.
    pub(super) fn still_holds(
        &self,
        pose_a: &Pose,
        pose_b: &Pose,
        margin: f64,
    ) -> Option<(&Anchored, Relative)> {
        let known = self.known.as_ref()?;
        let relative = Relative::to_carrier(known.manifold.carrier, pose_a, pose_b);
        let moved = (relative.point(known.foot) - known.place).length_squared().sqrt();
        let near = if relative.turn.dot(known.turn) < 0.0 { -relative.turn } else { relative.turn };
        let turned = 2.0 * (near - known.turn).length_squared().sqrt();
        let farthest = moved + turned * known.reach;
        (farthest <= known.lasting && margin + farthest <= known.margin)
            .then_some((&known.manifold, relative))
    }

    /// Remembers a manifold found with a margin, and `relative`, the pose of the other body in its carrier's frame.
    pub(super) fn remember(
        &mut self,
        mut manifold: Anchored,
        relative: &Relative,
        scale: &Scale,
        deepest: f64,
        margin: f64,
    ) -> &Anchored {
        if let Some(before) = &self.known {
            manifold.rename(&before.manifold, relative, SAME_CONTACT * scale.thickness);
        }
        // Planes of a carrier that is the smaller body lie within the depth of its points.
        let reach = scale.reach + margin.max(-deepest);
        &self.know(manifold, relative, scale, reach, scale.lasting(), margin).manifold
    }

    /// Remembers that the bodies are at least this far apart, along a normal in the frame of B.
    pub(super) fn remember_apart(
        &mut self,
        at_least: f64,
        normal: DVec3,
        relative: &Relative,
        scale: &Scale,
    ) {
        let nothing = Anchored::new(Body::B, normal);
        self.know(nothing, relative, scale, scale.reach, f64::MAX, at_least);
    }

    fn know(
        &mut self,
        manifold: Anchored,
        relative: &Relative,
        scale: &Scale,
        reach: f64,
        lasting: f64,
        margin: f64,
    ) -> &Known {
        let (foot, place) = if scale.smaller == manifold.carrier {
            // The place of the other body that is at the smaller body's origin now.
            (relative.rotation.transpose() * -relative.translation, DVec3::ZERO)
        } else {
            (DVec3::ZERO, relative.translation)
        };
        self.known.insert(Known { turn: relative.turn, foot, place, reach, lasting, margin, manifold })
    }
}

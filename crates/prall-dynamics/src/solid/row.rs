//! A contact condition: the gap of two features at the end of a part, and the forces that keep it open.

use glam::DVec3;
use prall_detection::{NearFeature, NearKind, NearState};
use prall_math::Pose;

/// What a gap may fall to before it is given back, in guards; and how much of the guard is given back in a part.
const DEAD_BAND: f64 = 0.7;
const RESTORED: f64 = 0.25;

/// A near feature pair of two bodies in a part of a step.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Number of the pair of shapes.
    pub(crate) pair: usize,
    /// Indices of the bodies.
    pub(crate) bodies: [usize; 2],
    /// Poses of the shapes on their bodies.
    pub(crate) places: [Pose; 2],
    pub(crate) feature: NearFeature,
    /// The guard of the pair, in m.
    pub(crate) guard: f64,
    /// At the start of the part.
    pub(crate) start: NearState,
    /// Where the force acts, in the world: half-way between the points at the start of the part, one point for both bodies.
    pub(crate) point: DVec3,
    /// Gap to be had at the end, in m.
    pub(crate) target: f64,
    /// Share of the way at which the condition holds; 1 for the end.
    pub(crate) share: f64,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    /// Force times the square of the part's length, in kg m: on the first body along the normal, and across it.
    pub(crate) normal_force: f64,
    pub(crate) tangential_force: DVec3,
    /// It is left out because the features pass each other; a hit brings it back.
    pub(crate) dropped: bool,
}

impl Row {
    /// The gap function with the bodies in these poses.
    pub(crate) fn at(&self, poses: [&Pose; 2]) -> NearState {
        self.feature.at(&(*poses[0] * self.places[0]), &(*poses[1] * self.places[1]))
    }

    /// True if the features are nearly in contact at the start of the part.
    pub(crate) fn touches(&self) -> bool {
        self.start.gap < 4.0 * self.guard
    }

    /// True if they are, and not by a face: over an edge or a corner the centre of what rolls goes on an arc, which leaves its chord the more the
    /// farther it rolls.
    pub(crate) fn bends(&self) -> bool {
        let flat = matches!(
            self.feature.kind,
            NearKind::VertexFace | NearKind::FaceVertex | NearKind::RimFace | NearKind::FaceRim
        );
        self.touches() && !flat
    }

    /// The gap to be asked for, from the gap at the start: none is closed below the guard, small ones are given back slowly.
    pub(crate) fn usual_target(&self) -> f64 {
        let (g, gap) = (self.guard, self.start.gap);
        if gap >= DEAD_BAND * g { gap.min(g) } else { gap + RESTORED * g }
    }

    /// A target that standing still fulfils.
    pub(crate) fn modest_target(&self) -> f64 {
        self.start.gap.min(self.guard)
    }

    /// Force on the first body, in kg m, as it acts at the start of the part.
    pub(crate) fn force(&self) -> DVec3 {
        self.start.normal * self.normal_force + self.tangential_force
    }
}

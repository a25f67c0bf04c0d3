//! What an audit found.

use glam::DVec3;
use serde::Serialize;

/// How a depth relates to the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum DepthBound {
    /// Equal, up to rounding (1e-14 of the size): boxes, hulls, balls, capsules and half-spaces with each other, anything with a
    /// half-space.
    Exact,
    /// Not smaller than the truth: moving by this much parts the bodies; found by search, for cylinders and cones.
    AtMost,
    /// Not larger than the truth: the deepest of all triangles, each on its own; for meshes and height fields. Equal where a single
    /// triangle is what the body is in, less where the body could evade into the neighbour.
    AtLeast,
}

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overlap {
    /// Numbers of the bodies, in the order in which the auditor was told of them.
    pub bodies: [usize; 2],
    /// In metres.
    pub depth: f64,
    /// Unit vector along which the first leaves the second.
    pub normal: DVec3,
    /// How good the depth is.
    pub bound: DepthBound,
}

/// What an audit found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AuditReport {
    /// Pairs of bodies whose boxes overlap and that may touch.
    pub pairs_tested: usize,
    /// Pairs that overlap, deepest first.
    pub overlaps: Vec<Overlap>,
    /// Deepest penetration, in metres; 0 if nothing overlaps.
    pub penetration_max: f64,
    /// Half of the overlapping pairs are not deeper, in metres.
    pub penetration_p50: f64,
    /// 99 of 100 overlapping pairs are not deeper, in metres.
    pub penetration_p99: f64,
    /// Largest distance of points that a joint should hold together, in metres.
    pub position_error_max: f64,
    /// Largest angle of directions that a joint should keep parallel, in radians.
    pub angle_error_max: f64,
    /// The joint with the largest distance.
    pub worst_joint: Option<usize>,
}

impl AuditReport {
    pub(super) fn set_overlaps(&mut self, mut overlaps: Vec<Overlap>) {
        overlaps.sort_by(|s, t| t.depth.total_cmp(&s.depth).then(s.bodies.cmp(&t.bodies)));
        let not_deeper = |share: f64| {
            let rank = ((1.0 - share) * overlaps.len() as f64).floor() as usize;
            overlaps.get(rank).map_or(0.0, |overlap| overlap.depth)
        };
        self.penetration_max = not_deeper(1.0);
        self.penetration_p50 = not_deeper(0.5);
        self.penetration_p99 = not_deeper(0.99);
        self.overlaps = overlaps;
    }
}

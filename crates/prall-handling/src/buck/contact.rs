//! [`BuckContact`]: a contact of the set, with its condition on the distance of two features or on one of its auxiliary planes.

use glam::DVec3;
use prall_detection::{NearFeature, NearKind, NearState};
use prall_math::{Norm, Pose, any_orthonormal};

/// What a part touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// The obstacle with this index.
    Obstacle(usize),
    /// The part with this index, above that of the part which touches it.
    Part(usize),
}

/// What keeps a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// Two features of the surfaces.
    Feature(NearFeature),
    /// A point that sticks and one of the planes around it.
    Auxiliary(AuxiliaryPlane),
}

impl Condition {
    /// Gap, normal and acting points with part and partner in these poses.
    pub fn at(&self, part: &Pose, partner: &Pose) -> NearState {
        match self {
            Condition::Feature(feature) => feature.at(part, partner),
            Condition::Auxiliary(plane) => plane.at(part, partner),
        }
    }
}

/// A plane that only one point of the other body collides with: it keeps a contact from sliding (Buck 1999, 7.2.2 and 7.2.3).
///
/// `gap = play - e . (p - o)` with the direction e and the point o fixed in the body that carries the plane, and p in the other. The gap
/// changes at the rate `-e . (v(p) - v_carrier(p))`, exactly, so forces act at p on both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuxiliaryPlane {
    /// The part carries it, otherwise its partner.
    on_part: bool,
    /// e and o in the frame of the body that carries it, p in that of the other.
    direction: DVec3,
    origin: DVec3,
    point: DVec3,
    /// In m.
    play: f64,
}

impl AuxiliaryPlane {
    fn at(&self, part: &Pose, partner: &Pose) -> NearState {
        let (carrier, other) = if self.on_part { (part, partner) } else { (partner, part) };
        let point = other.transform_point(self.point);
        let outward = carrier.transform_vector(self.direction);
        let gap = self.play - outward.dot(point - carrier.transform_point(self.origin));
        // From the partner to the part.
        let normal = if self.on_part { outward } else { -outward };
        NearState { gap, normal, on_a: point, on_b: point, on_features: true }
    }

    /// The four planes around a contact where it is: across the face around its vertex, or two on each of two edges, across it.
    pub(super) fn around(
        feature: &NearFeature,
        part: &Pose,
        partner: &Pose,
        play: f64,
    ) -> [AuxiliaryPlane; 4] {
        let state = feature.at(part, partner);
        let plane = |on_part: bool, direction: DVec3| {
            let (carrier, origin, other, point) = if on_part {
                (part, state.on_a, partner, state.on_b)
            } else {
                (partner, state.on_b, part, state.on_a)
            };
            AuxiliaryPlane {
                on_part,
                direction: carrier.inverse_transform_vector(direction),
                origin: carrier.inverse_transform_point(origin),
                point: other.inverse_transform_point(point),
                play,
            }
        };
        let (p, q) = any_orthonormal(state.normal);
        match (feature.kind, edge_directions(feature, part, partner)) {
            (NearKind::EdgeEdge, Some((along_a, along_b))) => {
                [plane(true, along_a), plane(true, -along_a), plane(false, along_b), plane(false, -along_b)]
            }
            (kind, _) => {
                let on_part = kind == NearKind::FaceVertex;
                [p, -p, q, -q].map(|direction| plane(on_part, direction))
            }
        }
    }
}

/// Directions of two crossing edges: those in which their feet move when the partner is shifted.
fn edge_directions(feature: &NearFeature, part: &Pose, partner: &Pose) -> Option<(DVec3, DVec3)> {
    let here = feature.at(part, partner);
    let (p, q) = any_orthonormal(here.normal);
    let mut ways = (DVec3::ZERO, DVec3::ZERO);
    for shift in [p, q] {
        let shifted = Pose { translation: partner.translation + shift, ..*partner };
        let there = feature.at(part, &shifted);
        let moved = (there.on_a - here.on_a, there.on_b - here.on_b - shift);
        let longer = |old: DVec3, new: DVec3| if new.norm() > old.norm() { new } else { old };
        ways = (longer(ways.0, moved.0), longer(ways.1, moved.1));
    }
    Some((ways.0.try_unit()?, ways.1.try_unit()?))
}

/// A contact of the set.
#[derive(Clone, Copy, Debug)]
pub struct BuckContact {
    /// Its name, as long as it lives; auxiliary contacts bear the name of the contact that sticks by them in `sticks`.
    pub id: u64,
    /// Index of the part.
    pub part: usize,
    /// What the part touches.
    pub partner: Partner,
    /// What keeps a distance.
    pub condition: Condition,
    /// In N, along the normal.
    pub force: f64,
    /// Of an auxiliary contact: the contact that sticks by it.
    pub sticks: Option<u64>,
    /// Of a contact that sticks: its planes.
    pub(crate) planes: Option<[AuxiliaryPlane; 4]>,
    /// Force times the square of the interval over the mass of the first part, in m: the unknown of the solver.
    pub(crate) push: f64,
    /// Slip at the start of the interval, in m/s, and the direction that friction is against as long as there is hardly any.
    pub(crate) slip: DVec3,
    pub(crate) slides_along: DVec3,
}

impl BuckContact {
    pub(super) fn new(
        id: u64,
        (part, partner): (usize, Partner),
        condition: Condition,
        sticks: Option<u64>,
    ) -> BuckContact {
        BuckContact {
            id,
            part,
            partner,
            condition,
            force: 0.0,
            sticks,
            planes: None,
            push: 0.0,
            slip: DVec3::ZERO,
            slides_along: DVec3::ZERO,
        }
    }

    /// True of a contact with an auxiliary plane.
    pub fn is_auxiliary(&self) -> bool {
        matches!(self.condition, Condition::Auxiliary(_))
    }

    /// Which features touch; none of an auxiliary contact.
    pub fn kind(&self) -> Option<NearKind> {
        match &self.condition {
            Condition::Feature(feature) => Some(feature.kind),
            Condition::Auxiliary(_) => None,
        }
    }

    /// True of a contact that sticks.
    pub fn is_sticking(&self) -> bool {
        self.planes.is_some()
    }

    pub(super) fn pair(&self) -> (usize, Partner) {
        (self.part, self.partner)
    }
}

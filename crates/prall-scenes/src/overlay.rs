//! [`OverlaySelection`]: what viewers want to see of the mechanics.

use serde::{Deserialize, Serialize};

/// Something that the mechanics can show of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Overlay {
    /// Contact points.
    Contacts,
    /// Contact normals.
    Normals,
    /// Contact and friction forces.
    Forces,
    /// Friction cones.
    Friction,
    /// Joints, their errors, forces, axes and frames.
    Joints,
    /// Bounding volumes of one level.
    Bounds,
    /// Boxes of the pair index.
    Index,
    /// Centres of mass.
    Centres,
    /// Velocities of centres of mass.
    Velocities,
    /// Texts, lines and points that explain.
    Labels,
    /// The nearest distance of the part in hand, and its clearances.
    Clearance,
}

/// A set of overlays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlaySelection {
    bits: u16,
    /// Level of the bounding volumes, 0 at the root.
    pub level: u8,
}

impl OverlaySelection {
    /// Nothing.
    pub const NONE: OverlaySelection = OverlaySelection { bits: 0, level: 0 };

    /// These, with bounding volumes of the given level.
    pub fn new(wanted: &[Overlay], level: u8) -> OverlaySelection {
        let bits = wanted.iter().fold(0, |bits, overlay| bits | 1 << *overlay as u16);
        OverlaySelection { bits, level }
    }

    /// Is it wanted?
    pub fn has(&self, overlay: Overlay) -> bool {
        self.bits & 1 << overlay as u16 != 0
    }

    /// What either wants; the deeper level of both.
    pub fn union(self, other: OverlaySelection) -> OverlaySelection {
        OverlaySelection { bits: self.bits | other.bits, level: self.level.max(other.level) }
    }
}

impl Default for OverlaySelection {
    /// Contacts, forces and velocities: what a viewer sees that has not said what it wants.
    fn default() -> OverlaySelection {
        OverlaySelection::new(&[Overlay::Contacts, Overlay::Forces, Overlay::Velocities], 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_holds_what_either_has_and_nothing_else() {
        let all = [Overlay::Contacts, Overlay::Bounds, Overlay::Labels];
        let union = OverlaySelection::new(&all[..1], 0).union(OverlaySelection::new(&all[1..], 3));
        assert!(all.iter().all(|overlay| union.has(*overlay)));
        assert!(!union.has(Overlay::Joints) && !union.has(Overlay::Forces));
        assert_eq!(union.level, 3);
        assert!(!OverlaySelection::NONE.has(Overlay::Contacts));
    }
}

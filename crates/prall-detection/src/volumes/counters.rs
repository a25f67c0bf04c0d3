//! How many tests of each kind a walk took, and what that is worth.

use super::volume::VolumeKind;

/// Numbers of tests by kind; [`weighted`](TestCounts::weighted) is Eckstein's figure of comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// Sphere against sphere.
    pub sphere_sphere: u64,
    /// Sphere against iso-box.
    pub sphere_iso_box: u64,
    /// Sphere against oriented box.
    pub sphere_box: u64,
    /// Iso-box against iso-box.
    pub iso_box_iso_box: u64,
    /// Iso-box against oriented box.
    pub iso_box_box: u64,
    /// Oriented box against oriented box.
    pub box_box: u64,
    /// Triangle against triangle.
    pub triangles: u64,
}

/// Mean cost of each test, in any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanCosts {
    /// Sphere against sphere.
    pub sphere_sphere: f64,
    /// Sphere against iso-box.
    pub sphere_iso_box: f64,
    /// Sphere against oriented box.
    pub sphere_box: f64,
    /// Iso-box against iso-box.
    pub iso_box_iso_box: f64,
    /// Iso-box against oriented box.
    pub iso_box_box: f64,
    /// Oriented box against oriented box.
    pub box_box: f64,
    /// Triangle against triangle.
    pub triangles: f64,
}

impl MeanCosts {
    /// As printed by Eckstein (1998), in milliseconds on a workstation of the time; a pair of triangles counts
    /// as six tests of edge against face.
    pub const ECKSTEIN_1998: MeanCosts = MeanCosts {
        sphere_sphere: 0.0090,
        sphere_iso_box: 0.0098,
        sphere_box: 0.0110,
        iso_box_iso_box: 0.0089,
        iso_box_box: 0.0136,
        box_box: 0.0137,
        triangles: 6.0 * 0.0081,
    };
}

impl TestCounts {
    pub(super) fn count(&mut self, first: VolumeKind, second: VolumeKind) {
        use VolumeKind::{Box, IsoBox, Sphere};
        let counter = match (first, second) {
            (Sphere, Sphere) => &mut self.sphere_sphere,
            (Sphere, IsoBox) | (IsoBox, Sphere) => &mut self.sphere_iso_box,
            (Sphere, Box) | (Box, Sphere) => &mut self.sphere_box,
            (IsoBox, IsoBox) => &mut self.iso_box_iso_box,
            (IsoBox, Box) | (Box, IsoBox) => &mut self.iso_box_box,
            (Box, Box) => &mut self.box_box,
        };
        *counter += 1;
    }

    /// Tests of volumes, of all kinds.
    pub fn volumes(&self) -> u64 {
        self.sphere_sphere
            + self.sphere_iso_box
            + self.sphere_box
            + self.iso_box_iso_box
            + self.iso_box_box
            + self.box_box
    }

    /// Sum of counts times mean costs: a comparison that no other load on the machine disturbs.
    pub fn weighted(&self, costs: &MeanCosts) -> f64 {
        self.sphere_sphere as f64 * costs.sphere_sphere
            + self.sphere_iso_box as f64 * costs.sphere_iso_box
            + self.sphere_box as f64 * costs.sphere_box
            + self.iso_box_iso_box as f64 * costs.iso_box_iso_box
            + self.iso_box_box as f64 * costs.iso_box_box
            + self.box_box as f64 * costs.box_box
            + self.triangles as f64 * costs.triangles
    }
}

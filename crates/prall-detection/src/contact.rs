//! [`ContactPoint`]: where two bodies touch or come nearest, the only contact type of Prall.

use glam::DVec3;

/// A pair of nearest points of two bodies, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The point on the first body, in metres.
    pub on_a: DVec3,
    /// The point on the second body, in metres.
    pub on_b: DVec3,
    /// Unit vector from the second body towards the first: `on_a - on_b = gap * normal` wherever the gap is
    /// large enough to have a direction; otherwise the normal of a face that takes part.
    pub normal: DVec3,
    /// Distance of the two points in metres; 0 if the bodies touch or overlap.
    pub gap: f64,
    /// Which features of the two bodies the points lie on.
    pub features: FeaturePair,
}

impl ContactPoint {
    /// The same contact with the bodies named the other way round.
    pub fn swapped(&self) -> ContactPoint {
        ContactPoint {
            on_a: self.on_b,
            on_b: self.on_a,
            normal: -self.normal,
            gap: self.gap,
            features: FeaturePair { on_a: self.features.on_b, on_b: self.features.on_a },
        }
    }
}

/// The features that meet, one of each body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FeaturePair {
    /// Feature of the first body.
    pub on_a: Feature,
    /// Feature of the second body.
    pub on_b: Feature,
}

/// A vertex, an edge or the inside of a triangle; triangles are numbered as they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A corner (0, 1 or 2) of a triangle.
    Vertex {
        /// Index of the triangle.
        triangle: u32,
        /// Index of the corner in it.
        corner: u8,
    },
    /// An edge of a triangle: edge i runs from corner i to corner i + 1 (2 to 0).
    Edge {
        /// Index of the triangle.
        triangle: u32,
        /// Index of the edge in it.
        edge: u8,
    },
    /// The inside of a triangle.
    Face {
        /// Index of the triangle.
        triangle: u32,
    },
}

impl Feature {
    /// The triangle that the feature belongs to; a neighbour may share it.
    pub fn triangle(&self) -> u32 {
        match *self {
            Feature::Vertex { triangle, .. }
            | Feature::Edge { triangle, .. }
            | Feature::Face { triangle } => triangle,
        }
    }
}

//! [`ContactPoint`]: where two bodies touch or come nearest, the only contact type of Prall.

use glam::DVec3;
use serde::{Deserialize, Serialize};

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
    /// Distance of the two points in metres. Of overlapping bodies, manifolds say how deep they are as a negative
    /// gap; distance and time of impact, which ask whether and not how deep, say 0.
    pub gap: f64,
    /// Which features of the two bodies the points lie on.
    pub features: FeaturePair,
}

impl ContactPoint {
    /// Half-way between the two points: where a solver lets equal and opposite impulses act, so that they keep the
    /// angular momentum also over a gap.
    pub fn midpoint(&self) -> DVec3 {
        (self.on_a + self.on_b) * 0.5
    }

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

/// The features that meet, one of each body: the name by which a contact is known again in the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FeaturePair {
    /// Feature of the first body.
    pub on_a: Feature,
    /// Feature of the second body.
    pub on_b: Feature,
}

impl FeaturePair {
    /// The name as one number, for a solver that keeps its contacts small: the same in every run and on every
    /// machine. Different names have different numbers but for chance (one in 2^64).
    pub fn id(&self) -> u64 {
        mixed(self.on_a.words(), mixed(self.on_b.words(), 0))
    }
}

/// Mixes words into a number: every bit goes up by the product and comes down by the shift.
fn mixed(words: [u32; 4], start: u64) -> u64 {
    words.into_iter().fold(start, |number, word| {
        // The golden ratio as a fraction of 2^64, odd: neighbouring words fall far apart.
        let product = (number ^ u64::from(word)).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        product ^ (product >> 29)
    })
}

/// A vertex, an edge or the inside of a triangle, numbered as they were given; or a part of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// A part of a shape: the same from step to step as long as the same parts touch.
    Shape {
        /// Index of the child of a compound, otherwise 0.
        child: u32,
        /// Which part of it.
        part: ShapePart,
    },
}

/// A vertex, an edge or a face of a shape.
///
/// Hulls, meshes and height fields count as their geometry does. The corners of a box are numbered by bits (1, 2 and 4 for the
/// larger x, y and z), its faces `2 axis + 1` on the larger side and `2 axis` on the other. Round shapes have
/// as many parts as their contacts can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ShapePart {
    /// A corner.
    Vertex(u32),
    /// The edge between two corners, the smaller number first.
    Edge(u32, u32),
    /// A face; of a ball or of a half-space, all of it.
    Face(u32),
}

impl Feature {
    /// The feature in four words, different for different features.
    fn words(&self) -> [u32; 4] {
        match *self {
            Feature::Vertex { triangle, corner } => [0, triangle, u32::from(corner), 0],
            Feature::Edge { triangle, edge } => [1, triangle, u32::from(edge), 0],
            Feature::Face { triangle } => [2, triangle, 0, 0],
            Feature::Shape { child, part: ShapePart::Vertex(vertex) } => [3, child, vertex, 0],
            Feature::Shape { child, part: ShapePart::Edge(from, to) } => [4, child, from, to],
            Feature::Shape { child, part: ShapePart::Face(face) } => [5, child, face, 0],
        }
    }

    /// The triangle that the feature belongs to (a neighbour may share it); none for parts of shapes.
    pub fn triangle(&self) -> Option<u32> {
        match *self {
            Feature::Vertex { triangle, .. }
            | Feature::Edge { triangle, .. }
            | Feature::Face { triangle } => Some(triangle),
            Feature::Shape { .. } => None,
        }
    }
}

//! [`Assets`]: how a scene looks.

use glam::DVec3;
use serde::Serialize;
use std::sync::Arc;

/// A triangle mesh for drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleAsset {
    /// Vertex positions in the body's frame.
    pub positions: Vec<[f32; 3]>,
    /// Corners of the triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// A shape for drawing, in the body's frame. Capsule, cylinder and cone stand along y.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeAsset {
    /// A ball.
    Sphere {
        /// In m.
        radius: f64,
    },
    /// A box.
    Box {
        /// Half its sides in m.
        half: DVec3,
    },
    /// A cylinder with round ends.
    Capsule {
        /// In m.
        radius: f64,
        /// Half the length of the straight part in m.
        half_height: f64,
    },
    /// A cylinder.
    Cylinder {
        /// In m.
        radius: f64,
        /// Half its height in m.
        half_height: f64,
    },
    /// A cone with its tip at the top.
    Cone {
        /// Of its base, in m.
        radius: f64,
        /// Half its height in m.
        half_height: f64,
    },
    /// Triangles.
    Mesh(Arc<TriangleAsset>),
}

/// What is painted on a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// One colour.
    #[default]
    Plain,
    /// Segments of two tones, so that spin is visible.
    BeachBall,
}

/// A surface's look.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Look {
    /// As `#rrggbb`.
    pub color: &'static str,
    /// 0 is a mirror, 1 is chalk.
    pub roughness: f64,
    /// 0 or 1 for nearly everything.
    pub metallic: f64,
    /// 1 is solid.
    pub opacity: f64,
    /// What is painted on.
    pub pattern: Pattern,
}

/// A body for drawing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyAsset {
    /// Its name.
    pub name: String,
    /// Index into [`Assets::shapes`].
    pub shape: usize,
    /// Index into [`Assets::looks`].
    pub look: usize,
    /// Can it be pulled?
    pub movable: bool,
}

/// What a set of lines means, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LineRole {
    /// The thing of interest.
    Accent,
    /// The other one.
    Second,
    /// Something wrong.
    Danger,
    /// Something doubtful.
    Warn,
    /// Neutral.
    Ink,
}

/// Segments, both ends of each.
pub type Lines = Vec<[[f32; 3]; 2]>;

/// A set of lines that can be shown or hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct LineAsset {
    /// Its name.
    pub name: String,
    /// What it means.
    pub role: LineRole,
    /// The body they ride on, or none for the world.
    pub body: Option<usize>,
    /// Shown at the start?
    pub visible: bool,
    /// The lines.
    pub segments: Arc<Lines>,
}

/// Where to look from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Camera {
    /// Where the eye is.
    pub position: DVec3,
    /// What it looks at.
    pub target: DVec3,
}

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Extent {
    /// Its corner with the smallest coordinates, in m.
    pub low: DVec3,
    /// Its corner with the largest ones.
    pub high: DVec3,
}

impl Extent {
    /// Holds nothing.
    pub const EMPTY: Extent =
        Extent { low: DVec3::splat(f64::INFINITY), high: DVec3::splat(f64::NEG_INFINITY) };

    /// The smallest box around this one and another.
    #[must_use]
    pub fn union(self, other: Extent) -> Extent {
        Extent { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.low.cmpgt(self.high).any()
    }
}

/// Everything about a scene that does not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Assets {
    /// Shapes, shared by bodies.
    pub shapes: Vec<ShapeAsset>,
    /// Looks, shared by bodies.
    pub looks: Vec<Look>,
    /// Bodies in the order of frames.
    pub bodies: Vec<BodyAsset>,
    /// Sets of lines.
    pub lines: Vec<LineAsset>,
    /// The view at the start.
    pub camera: Camera,
    /// What moves in the first seconds: a start view shows all of it from the camera's side, in windows of any size.
    /// `None` leaves the camera where it is.
    pub subject: Option<Extent>,
    /// The body that the camera goes with from the start; `None` if it stays.
    pub ride: Option<usize>,
    /// Height of the ground plane, if there is one.
    pub ground: Option<f64>,
    /// False for a scene at rest, which needs no time control.
    pub moves: bool,
}

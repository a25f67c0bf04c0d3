//! [`Addition`]: a body that a person adds while a scene runs.

use crate::Look;
use glam::DVec3;
use prall_dynamics::BodyDefinition;
use serde::{Deserialize, Serialize};

/// What is added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AddedBody {
    /// A ball.
    Ball {
        /// In m.
        radius: f64,
    },
    /// A box.
    Box {
        /// Half its sides in m.
        half: DVec3,
    },
    /// The convex hull of points.
    Hull {
        /// In m, 4 to 256 of them.
        points: Vec<DVec3>,
    },
    /// Another one of a body of this scene, turned as that one is now.
    Copy {
        /// Index of it in [`Assets::bodies`](crate::Assets::bodies).
        body: usize,
    },
    /// One of the movable bodies of a gallery scene.
    Gallery {
        /// Name of the scene.
        scene: String,
        /// Name of the body in it.
        body: String,
    },
}

/// A body that is added along a ray: set down on what the ray meets, or shot along it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Addition {
    /// What.
    pub body: AddedBody,
    /// Density of balls, boxes and hulls in kg/m^3.
    pub density: f64,
    /// Where the ray begins.
    pub origin: DVec3,
    /// Where it goes; of any length but zero.
    pub direction: DVec3,
    /// Speed in m/s with which it is shot from the ray's beginning; none drops it where the ray leads.
    pub speed: Option<f64>,
}

/// A body to make others of.
pub struct Template {
    /// Shapes, mass and surface.
    pub definition: BodyDefinition,
    /// How it looks.
    pub look: Look,
}

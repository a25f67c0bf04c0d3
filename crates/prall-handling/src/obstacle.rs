//! [`Obstacle`]: something that the held part must not pass through.

use prall_detection::{Boundary, Preparation};
use prall_geometry::{Aabb, Shape};
use prall_math::{Motion, Norm, Pose, Twist};

use crate::error::HandlingError;
use crate::options::Friction;

/// A shape that stands or goes on a given way. Open geometry is an obstacle from both sides.
#[derive(Clone, Debug)]
pub struct Obstacle {
    pub(crate) name: String,
    pub(crate) boundary: Boundary,
    pub(crate) pose: Pose,
    pub(crate) velocity: Twist,
    pub(crate) friction: Option<Friction>,
    /// Of a sphere about its origin, in m; infinite for half-spaces.
    pub(crate) radius: f64,
    /// In its own frame; none for half-spaces.
    bounds: Option<Aabb>,
}

impl Obstacle {
    /// An obstacle that stands. Building takes a few microseconds a triangle.
    pub fn new(name: &str, shape: &Shape, pose: Pose) -> Result<Obstacle, HandlingError> {
        Obstacle::prepared(name, shape, pose, &Preparation::default())
    }

    /// As [`Obstacle::new`], with hierarchies made on many threads or read from a folder.
    pub fn prepared(
        name: &str,
        shape: &Shape,
        pose: Pose,
        preparation: &Preparation<'_>,
    ) -> Result<Obstacle, HandlingError> {
        let boundary = Boundary::prepared(shape, preparation)
            .map_err(|source| HandlingError::Shape { what: format!("the obstacle '{name}'"), source })?;
        if !pose.is_valid() {
            return Err(HandlingError::Pose { what: format!("the obstacle '{name}'") });
        }
        let sphere = shape.bounding_sphere();
        let radius = sphere.map_or(f64::INFINITY, |sphere| sphere.center.norm() + sphere.radius);
        let name = name.to_owned();
        Ok(Obstacle {
            name,
            boundary,
            pose: pose.normalized(),
            velocity: Twist::ZERO,
            friction: None,
            radius,
            bounds: sphere.map(|_| shape.aabb(&Pose::IDENTITY)),
        })
    }

    /// With friction of its own.
    pub fn with_friction(mut self, friction: Friction) -> Obstacle {
        self.friction = Some(friction);
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Velocity of its origin and angular velocity, in world axes.
    pub fn velocity(&self) -> &Twist {
        &self.velocity
    }

    /// Bounds in the world where it is; none for half-spaces.
    pub(crate) fn world_bounds(&self) -> Option<Aabb> {
        let corners = self.bounds?.corners().map(|corner| self.pose.transform_point(corner));
        Some(corners.iter().fold(Aabb::EMPTY, |bounds, corner| bounds.extended(*corner)))
    }

    pub(crate) fn is_moving(&self) -> bool {
        self.velocity != Twist::ZERO
    }

    /// Its way in `time` seconds.
    pub(crate) fn motion(&self, time: f64) -> Result<Motion, HandlingError> {
        if self.is_moving() {
            Ok(Motion::from_twist(self.pose, glam::DVec3::ZERO, self.velocity, time)?)
        } else {
            Ok(Motion::still(self.pose)?)
        }
    }
}

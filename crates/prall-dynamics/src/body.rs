//! [`BodyDefinition`]: what a body is made from, and the record that the world keeps of it.

use std::sync::OnceLock;

use glam::{BVec3, DVec3};
use prall_detection::{Boundary, Filter, ProxyId, Touchable};
use prall_geometry::{MassProperties, Shape};
use prall_math::{Norm, Pose, Twist, Wrench};
use prall_mechanics::{Body, Material};
use serde::{Deserialize, Serialize};

use crate::WorldError;
use crate::solid::Corners;

/// What may move a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BodyKind {
    /// Forces, joints and contacts.
    #[default]
    Dynamic,
    /// Nothing.
    Fixed,
    /// Its own velocity alone; it pushes others and is never pushed.
    Kinematic,
}

/// Freedoms that are taken from a dynamic body, by world axis: how a gear is held on a pin that is not there.
///
/// The default takes none. A locked translation holds the centre of mass, a locked rotation the angular velocity about that axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// Axes along which the centre of mass does not move.
    pub translation: BVec3,
    /// Axes about which the body does not turn.
    pub rotation: BVec3,
}

impl Locked {
    /// Nothing is taken.
    pub const NOTHING: Locked = Locked { translation: BVec3::FALSE, rotation: BVec3::FALSE };

    /// True if any freedom is taken.
    pub fn any(&self) -> bool {
        self.translation.any() || self.rotation.any()
    }

    /// True if no freedom is left.
    pub fn all(&self) -> bool {
        self.translation.all() && self.rotation.all()
    }

    /// The part of a velocity that the freedoms left allow.
    pub fn allowed(&self, velocity: Twist) -> Twist {
        Twist {
            linear: DVec3::select(self.translation, DVec3::ZERO, velocity.linear),
            angular: DVec3::select(self.rotation, DVec3::ZERO, velocity.angular),
        }
    }

    /// Shifts, then turns: true where the freedom is taken.
    pub(crate) fn freedoms(&self) -> [bool; 6] {
        let ([x, y, z], [a, b, c]): ([bool; 3], [bool; 3]) = (self.translation.into(), self.rotation.into());
        [x, y, z, a, b, c]
    }
}

/// A shape in its place on a body.
#[derive(Clone, Debug)]
pub struct ShapeDefinition {
    /// In the body's frame.
    pub pose: Pose,
    /// What it is.
    pub shape: Shape,
    /// In kg/m^3; counts only for bodies whose mass properties are not given. 0 for a shape without mass.
    pub density: f64,
}

/// A body to be added to a world.
#[derive(Clone, Debug)]
pub struct BodyDefinition {
    /// Where its frame is. The centre of mass may lie anywhere in that frame.
    pub pose: Pose,
    /// Velocity of its centre of mass in m/s, and angular velocity in rad/s, in world axes.
    pub velocity: Twist,
    /// What may move it.
    pub kind: BodyKind,
    /// What it consists of, for contacts and mass.
    pub shapes: Vec<ShapeDefinition>,
    /// Mass, centre of mass and inertia in the body's frame; by default from shapes and densities.
    pub mass: Option<MassProperties>,
    /// The surface.
    pub material: Material,
    /// With what it may touch.
    pub filter: Filter,
    /// A sensor notices what overlaps it and touches nothing.
    pub sensor: bool,
    /// Freedoms that it does not have, in world axes. Default none; a body without some is solid.
    pub locked: Locked,
    /// True for a body that shall never overlap anything, whatever its shapes. Bodies that meet meshes are so anyway.
    pub solid: bool,
}

impl Default for BodyDefinition {
    fn default() -> BodyDefinition {
        BodyDefinition {
            pose: Pose::IDENTITY,
            velocity: Twist::ZERO,
            kind: BodyKind::Dynamic,
            shapes: Vec::new(),
            mass: None,
            material: Material::default(),
            filter: Filter::EVERYTHING,
            sensor: false,
            locked: Locked::NOTHING,
            solid: false,
        }
    }
}

impl BodyDefinition {
    /// A body of one shape with a density in kg/m^3.
    pub fn dynamic(shape: Shape, density: f64) -> BodyDefinition {
        let shapes = vec![ShapeDefinition { pose: Pose::IDENTITY, shape, density }];
        BodyDefinition { shapes, ..BodyDefinition::default() }
    }

    /// A body of one shape that nothing moves.
    pub fn fixed(shape: Shape) -> BodyDefinition {
        BodyDefinition { kind: BodyKind::Fixed, ..BodyDefinition::dynamic(shape, 0.0) }
    }

    /// A body of one shape that only its own velocity moves.
    pub fn kinematic(shape: Shape) -> BodyDefinition {
        BodyDefinition { kind: BodyKind::Kinematic, ..BodyDefinition::dynamic(shape, 0.0) }
    }

    /// A body without shapes: it has mass and touches nothing.
    pub fn massive(mass: MassProperties) -> BodyDefinition {
        BodyDefinition { mass: Some(mass), ..BodyDefinition::default() }
    }

    /// The same at a place.
    #[must_use]
    pub fn at(self, translation: DVec3) -> BodyDefinition {
        BodyDefinition { pose: Pose { translation, ..self.pose }, ..self }
    }

    /// The same in a pose.
    #[must_use]
    pub fn in_pose(self, pose: Pose) -> BodyDefinition {
        BodyDefinition { pose, ..self }
    }

    /// The same with velocities.
    #[must_use]
    pub fn moving(self, linear: DVec3, angular: DVec3) -> BodyDefinition {
        BodyDefinition { velocity: Twist { linear, angular }, ..self }
    }

    /// The same without some of its freedoms.
    #[must_use]
    pub fn with_locked(self, locked: Locked) -> BodyDefinition {
        BodyDefinition { locked, ..self }
    }

    /// The same with another surface.
    #[must_use]
    pub fn made_of(self, material: Material) -> BodyDefinition {
        BodyDefinition { material, ..self }
    }

    /// Mass properties in the body's frame; none for a body that nothing pushes.
    pub fn mass_properties(&self) -> Result<Option<MassProperties>, WorldError> {
        if self.kind != BodyKind::Dynamic {
            return Ok(None);
        }
        if let Some(mass) = self.mass {
            return Ok(Some(mass.validated()?));
        }
        let mut parts = Vec::new();
        for (shape, part) in self.shapes.iter().enumerate() {
            if !(part.density >= 0.0 && part.density.is_finite()) {
                let wanted = "a finite number from 0 on";
                return Err(WorldError::Number { what: "density", value: part.density, wanted });
            }
            if part.density > 0.0 {
                let mass = part.shape.mass_properties(part.density);
                let mass = mass.map_err(|source| WorldError::ShapeMass { shape, source })?;
                parts.push(mass.transformed(&part.pose));
            }
        }
        if parts.is_empty() {
            return Err(WorldError::NoMass);
        }
        Ok(Some(MassProperties::compound(&parts)?.validated()?))
    }
}

/// A shape of a body as the world keeps it.
#[derive(Clone, Debug)]
pub(crate) struct BodyShape {
    /// From the frame at the centre of mass.
    pub(crate) pose: Pose,
    pub(crate) shape: Shape,
    pub(crate) touchable: Touchable,
    pub(crate) proxy: ProxyId,
    /// Made when it is first needed.
    boundary: OnceLock<Option<Boundary>>,
    corners: OnceLock<Option<Corners>>,
}

impl BodyShape {
    pub(crate) fn new(pose: Pose, shape: Shape, touchable: Touchable, proxy: ProxyId) -> BodyShape {
        BodyShape { pose, shape, touchable, proxy, boundary: OnceLock::new(), corners: OnceLock::new() }
    }

    /// Its faces, edges and vertices; none if they cannot be listed.
    pub(crate) fn boundary(&self) -> Option<&Boundary> {
        self.boundary.get_or_init(|| Boundary::of(&self.touchable).ok()).as_ref()
    }

    /// Its corners; none if it has none or too many.
    pub(crate) fn corners(&self) -> Option<&Corners> {
        self.corners.get_or_init(|| Corners::of(&self.shape)).as_ref()
    }
}

/// What the world knows of a body beyond its motion.
#[derive(Clone, Debug)]
pub(crate) struct BodyRecord {
    pub(crate) kind: BodyKind,
    pub(crate) shapes: Vec<BodyShape>,
    pub(crate) material: Material,
    pub(crate) sensor: bool,
    /// True if its filter keeps it from everything: then only questions ask where it is.
    pub(crate) untouchable: bool,
    /// Mass and inertia of a body that can be moved, also while it is pinned.
    pub(crate) mass: Option<Body>,
    /// Centre of mass in the body's own frame.
    pub(crate) centre: DVec3,
    /// No point of its shapes is farther from the centre of mass; infinite for half-spaces.
    pub(crate) radius: f64,
    /// Half the smallest extent of its smallest shape: what a step should not jump over.
    pub(crate) thickness: f64,
    /// Largest extent of its largest shape along an axis of that shape.
    pub(crate) size: f64,
    /// With what it may touch.
    pub(crate) filter: Filter,
    /// It was asked to be solid.
    pub(crate) solid: bool,
    /// Some shape is a mesh or a height field.
    pub(crate) has_surface: bool,
    /// Lasting load about the centre of mass in world axes.
    pub(crate) load: Wrench,
    /// Freedoms that it does not have, in world axes.
    pub(crate) locked: Locked,
}

impl BodyRecord {
    /// Of a place without a body.
    pub(crate) fn vacant() -> BodyRecord {
        BodyRecord {
            kind: BodyKind::Fixed,
            shapes: Vec::new(),
            material: Material::default(),
            sensor: false,
            untouchable: false,
            mass: None,
            centre: DVec3::ZERO,
            radius: 0.0,
            thickness: f64::INFINITY,
            size: 0.0,
            filter: Filter::EVERYTHING,
            solid: false,
            has_surface: false,
            load: Wrench::ZERO,
            locked: Locked::NOTHING,
        }
    }

    /// True if it shall never overlap anything, whatever it meets.
    pub(crate) fn is_asked_to_be_solid(&self) -> bool {
        self.solid || self.locked.any()
    }
}

/// Largest extent of a shape along an axis of its frame, in m; infinite for half-spaces.
pub(crate) fn size(shape: &Shape) -> f64 {
    match shape.bounding_sphere() {
        Some(_) => 2.0 * shape.aabb(&Pose::IDENTITY).half_extents().max_element(),
        None => f64::INFINITY,
    }
}

/// Radius about the origin of a frame and half the smallest extent of a shape in a pose.
pub(crate) fn extent(pose: &Pose, shape: &Shape) -> (f64, f64) {
    let bounds = shape.aabb(&Pose::IDENTITY);
    let thickness = 0.5 * (bounds.max - bounds.min).min_element();
    let radius = match shape.bounding_sphere() {
        Some(sphere) => pose.transform_point(sphere.center).norm() + sphere.radius,
        None => f64::INFINITY,
    };
    // A surface without volume has the thickness 0; its size says more.
    (radius, if thickness > 0.0 { thickness } else { radius })
}

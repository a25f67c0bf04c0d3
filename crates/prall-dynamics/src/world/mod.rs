//! [`World`]: bodies, joints, movers and their contacts, advanced step by step.

mod accessors;
mod account;
mod definitions;
mod detect;
mod displacement;
mod events;
mod guard;
mod hand;
mod hold;
mod joints;
mod movers;
mod options;
mod query;
mod remembered;
mod rolling;
mod sleep;
mod solid;
mod solid_links;
mod state;
mod step;
mod substeps;
mod sweep;
mod sweep_links;
mod touching;
mod trees;
mod whirling;

use std::collections::BTreeSet;

use glam::DVec3;
use prall_detection::{Manifolds, Method, PairIndex};
use prall_math::{Pose, Twist};
use prall_mechanics::{Bodies, Body, Contacts, Mover, RollingContact, StepReport};

pub use accessors::{ContactMark, Energy, JointMark};
pub use events::{Event, Party};
pub use hand::{Grip, HandHandle, HandMark};
pub use hold::{Coupling, HoldCommand};
pub use options::WorldOptions;
pub use query::{Nearest, RayAnswer};
use remembered::Remembered;
pub use step::StepDetails;
pub use trees::TreeDetails;

use crate::body::{BodyRecord, BodyShape, extent, size};
use crate::error::{finite, valid_pose};
use crate::flight::Rotor;
use crate::handle::Places;
use crate::joint::Joint;
use crate::solver::system::JointSystem;
use crate::union::Union;
use crate::{BodyDefinition, BodyHandle, BodyKind, WorldError};
use account::Measured;
use detect::{Found, Owner, Placed};
use displacement::Push;
use events::Touches;
use guard::Guard;
use hand::Hand;
use movers::MoverShape;
use sleep::Sleepers;
use solid::SolidPart;
pub(crate) use solid::has_surface;
use sweep::Sweep;
use sweep_links::LinkSweep;

/// A world of bodies.
///
/// A box falls on the ground:
///
/// ```
/// use glam::DVec3;
/// use prall_dynamics::{BodyDefinition, World};
/// use prall_geometry::{HalfSpace, Shape};
///
/// let mut world = World::default();
/// world.add_body(&BodyDefinition::fixed(Shape::HalfSpace(HalfSpace)))?;
/// let cube = BodyDefinition::dynamic(Shape::cuboid(DVec3::splat(0.5))?, 1000.0).at(DVec3::Y * 2.0);
/// let cube = world.add_body(&cube)?;
/// for _ in 0..120 {
///     world.advance();
/// }
/// assert!((world.pose(cube)?.translation.y - 0.5).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct World {
    options: WorldOptions,
    time: f64,
    bodies: Bodies,
    rotors: Vec<Rotor>,
    records: Vec<BodyRecord>,
    places: Places,
    joints: Vec<Joint>,
    joint_places: Places,
    system: JointSystem,
    /// True if joints or the kinds of bodies have changed since the system was ordered.
    reorder: bool,
    movers: Vec<Box<dyn Mover>>,
    mover_shapes: Vec<Vec<MoverShape>>,
    index: PairIndex,
    /// By slot of the index.
    owners: Vec<Owner>,
    /// Pairs of bodies that joints keep from touching, smaller index first.
    apart: BTreeSet<(u32, u32)>,
    contacts: Contacts,
    manifolds: Manifolds,
    remembered: Remembered,
    /// True if something was moved or added by hand since contacts were found.
    redetect: bool,
    /// By body: where contacts were last found.
    found: Vec<Found>,
    /// By slot of the index: the shapes there.
    placed: Vec<Option<Placed>>,
    touches: Touches,
    hands: Vec<Hand>,
    hand_places: Places,
    pool: Option<std::sync::Arc<rayon::ThreadPool>>,
    /// Velocities at the start of a substep.
    before: Vec<Twist>,
    /// Contacts that move on along a body that turns on them in this substep, and by body whether it has one.
    rolling: Vec<RollingContact>,
    rolls: Vec<bool>,
    /// Bodies that take part in contacts in this substep.
    touched: Vec<bool>,
    /// What contacts did to each body in this substep.
    pushed: Vec<Push>,
    /// Bodies that push each other.
    sets: Union,
    /// How strongly joints turn each body back, in N m/rad.
    stiffness: Vec<f64>,
    /// Loads of this substep: lasting ones, and those of hands.
    loads: Vec<prall_math::Wrench>,
    /// Velocities of all bodies when the rates of joints are settled, for the account.
    unsettled: Vec<Twist>,
    sweep: Sweep,
    link_sweep: LinkSweep,
    sleepers: Sleepers,
    solid: SolidPart,
    guard: Guard,
    /// Energies before and after the step, for the account and the net.
    measured: (Measured, Measured),
    report: StepReport,
    details: StepDetails,
    /// Velocities are multiplied by this in the middle of each substep.
    #[cfg(test)]
    tamper: f64,
}

impl Default for World {
    /// A world with default options.
    fn default() -> World {
        World::from_checked(WorldOptions::default())
    }
}

/// Making a world and filling it.
impl World {
    /// An empty world.
    pub fn new(options: WorldOptions) -> Result<World, WorldError> {
        Ok(World::from_checked(options.checked()?))
    }

    fn from_checked(options: WorldOptions) -> World {
        let mut world = World {
            options,
            time: 0.0,
            bodies: Bodies::default(),
            rotors: Vec::new(),
            records: Vec::new(),
            places: Places::default(),
            joints: Vec::new(),
            joint_places: Places::default(),
            system: JointSystem::default(),
            reorder: true,
            movers: Vec::new(),
            mover_shapes: Vec::new(),
            index: PairIndex::new(Method::Tree),
            owners: Vec::new(),
            apart: BTreeSet::new(),
            contacts: Contacts::new(),
            manifolds: Manifolds::new(),
            remembered: Remembered::default(),
            redetect: true,
            found: Vec::new(),
            placed: Vec::new(),
            touches: Touches::default(),
            hands: Vec::new(),
            hand_places: Places::default(),
            pool: None,
            before: Vec::new(),
            rolling: Vec::new(),
            rolls: Vec::new(),
            touched: Vec::new(),
            pushed: Vec::new(),
            sets: Union::default(),
            stiffness: Vec::new(),
            loads: Vec::new(),
            unsettled: Vec::new(),
            sweep: Sweep::default(),
            link_sweep: LinkSweep::default(),
            sleepers: Sleepers::default(),
            solid: SolidPart::default(),
            guard: Guard::default(),
            measured: Default::default(),
            report: StepReport::default(),
            details: StepDetails::default(),
            #[cfg(test)]
            tamper: 1.0,
        };
        let (ground, _) = world.places.take();
        world.make_room(ground);
        world
    }

    /// The fixed body at the origin that every world has, without a shape: what joints to the world hold on to.
    pub fn ground(&self) -> BodyHandle {
        BodyHandle { index: 0, generation: 0 }
    }

    /// The options.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// Other options from the next step on.
    pub fn set_options(&mut self, options: WorldOptions) -> Result<(), WorldError> {
        let options = options.checked()?;
        self.reorder |= options.solver != self.options.solver;
        self.wake_all();
        self.options = options;
        Ok(())
    }

    /// Threads to share the work with; the bits stay the same. `None` for this thread alone.
    pub fn set_pool(&mut self, pool: Option<std::sync::Arc<rayon::ThreadPool>>) {
        self.pool = pool;
    }

    fn make_room(&mut self, index: u32) {
        if index as usize == self.bodies.len() {
            self.bodies.push_unmoved(Pose::IDENTITY, Twist::ZERO);
            self.rotors.push(Rotor::NONE);
            self.records.push(BodyRecord::vacant());
        }
    }

    /// Adds a body.
    pub fn add_body(&mut self, definition: &BodyDefinition) -> Result<BodyHandle, WorldError> {
        let pose = valid_pose("the body", definition.pose)?;
        finite("the body's velocity", definition.velocity.linear)?;
        finite("the body's angular velocity", definition.velocity.angular)?;
        definition.material.check()?;
        let mass = definition.mass_properties()?;
        let centre = mass.map_or(DVec3::ZERO, |mass| mass.center_of_mass);
        let body = mass.map(|mass| Body::new(mass.mass, symmetric(mass.inertia))).transpose()?;
        let pose = pose * Pose::from_translation(centre);
        let mut record = BodyRecord {
            kind: definition.kind,
            material: definition.material,
            sensor: definition.sensor,
            untouchable: definition.filter.groups == 0 || definition.filter.mask == 0,
            filter: definition.filter,
            locked: definition.locked,
            solid: definition.solid,
            mass: body,
            centre,
            ..BodyRecord::vacant()
        };
        let touchables = touchables(definition)?;
        let (index, generation) = self.places.take();
        self.make_room(index);
        for (part, touchable) in definition.shapes.iter().zip(touchables) {
            let local = Pose::from_translation(-centre) * part.pose;
            let (radius, thickness) = extent(&local, &part.shape);
            record.radius = record.radius.max(radius);
            record.thickness = record.thickness.min(thickness);
            record.size = record.size.max(size(&part.shape));
            record.has_surface |= has_surface(&part.shape);
            let bounds = part.shape.aabb(&(pose * local));
            // A valid pose and a valid shape have a box.
            let proxy = self.index.insert(bounds, definition.filter)?;
            let shape = record.shapes.len() as u32;
            self.own(proxy, Owner::Body { body: index, shape });
            record.shapes.push(BodyShape::new(local, part.shape.clone(), touchable, proxy));
        }
        let at = index as usize;
        self.bodies.poses[at] = pose;
        let still = definition.kind == BodyKind::Fixed;
        let velocity = definition.locked.allowed(definition.velocity);
        self.bodies.velocities[at] = if still { Twist::ZERO } else { velocity };
        self.records[at] = record;
        self.apply_kind(at);
        (self.reorder, self.redetect) = (true, true);
        Ok(BodyHandle { index, generation })
    }

    /// Gives the arrays the mass that the body's kind asks for.
    fn apply_kind(&mut self, at: usize) {
        let record = &self.records[at];
        match (&record.mass, record.kind) {
            (Some(body), BodyKind::Dynamic) => {
                self.bodies.set_mass(at, body);
                self.rotors[at] = Rotor::new(body.inertia(), body.inverse_inertia());
            }
            _ => {
                self.bodies.set_unmoved(at);
                self.rotors[at] = Rotor::NONE;
            }
        }
    }

    /// Removes a body, with its joints and hands.
    pub fn remove_body(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let at = self.changeable(handle)?;
        for joint in 0..self.joints.len() {
            if self.joint_places.is_taken(joint) && self.joints[joint].bodies.contains(&handle.index) {
                self.drop_joint(joint as u32);
            }
        }
        for hand in 0..self.hands.len() {
            if self.hand_places.is_taken(hand) && self.hands[hand].body == handle.index {
                self.hand_places.release(hand as u32);
            }
        }
        let record = std::mem::replace(&mut self.records[at], BodyRecord::vacant());
        for shape in &record.shapes {
            self.owners[shape.proxy.slot()] = Owner::Nobody;
            if let Some(placed) = self.placed.get_mut(shape.proxy.slot()) {
                *placed = None;
            }
            self.index.remove(shape.proxy)?;
        }
        self.remembered.clear();
        self.bodies.set_unmoved(at);
        self.bodies.velocities[at] = Twist::ZERO;
        self.bodies.poses[at] = Pose::IDENTITY;
        self.rotors[at] = Rotor::NONE;
        self.guard.forget(at);
        self.places.release(handle.index);
        (self.reorder, self.redetect) = (true, true);
        Ok(())
    }

    fn own(&mut self, proxy: prall_detection::ProxyId, owner: Owner) {
        if proxy.slot() >= self.owners.len() {
            self.owners.resize(proxy.slot() + 1, Owner::Nobody);
        }
        self.owners[proxy.slot()] = owner;
    }

    #[cfg(test)]
    pub(crate) fn parts_for_tests(&self) -> (&Bodies, &[Joint]) {
        (&self.bodies, &self.joints)
    }

    /// Index of a body that is there.
    pub(crate) fn body(&self, handle: BodyHandle) -> Result<usize, WorldError> {
        if self.places.holds(handle.index, handle.generation) {
            Ok(handle.index as usize)
        } else {
            Err(WorldError::NoSuchBody(handle))
        }
    }

    /// Index of a body that is there and is not the ground.
    fn changeable(&self, handle: BodyHandle) -> Result<usize, WorldError> {
        match self.body(handle)? {
            0 => Err(WorldError::Ground),
            at => Ok(at),
        }
    }

    /// The handle of a place in use.
    fn handle(&self, at: usize) -> BodyHandle {
        BodyHandle { index: at as u32, generation: self.places.generation(at) }
    }
}

fn touchables(definition: &BodyDefinition) -> Result<Vec<prall_detection::Touchable>, WorldError> {
    definition
        .shapes
        .iter()
        .enumerate()
        .map(|(shape, part)| {
            valid_pose("a shape of the body", part.pose)?;
            prall_detection::Touchable::new(&part.shape)
                .map_err(|source| WorldError::Touchable { shape, source })
        })
        .collect()
}

/// Rounding makes an inertia that was turned a little asymmetric.
fn symmetric(inertia: glam::DMat3) -> glam::DMat3 {
    0.5 * (inertia + inertia.transpose())
}

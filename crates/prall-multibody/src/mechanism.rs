//! [`Mechanism`]: a tree at work, as a mover.

use std::cell::Cell;
use std::sync::Arc;

use glam::DVec3;
use prall_math::{Motion, Pose, Twist, Wrench};
use prall_mechanics::tree::{Drive, ForceElement, Tree, TreeInputs, TreeOptions, TreeState};
use prall_mechanics::{Mover, MoverStateError, StateHash, TwistResponse};
use serde::{Deserialize, Serialize};

use crate::gear::{self, Gear};
use crate::hand::Hand;
use crate::joint_friction::JointFriction;
use crate::{Force, Loads};

/// A tree of bodies with names, with what drives and pushes it. Its links, as a mover, are its bodies in the order of their
/// declaration.
///
/// As a mover in a world it takes the stable step ([`Tree::step`]) whenever nothing is near enough to touch it, and the
/// cheap one, with percussions in the middle of it, when something is.
#[derive(Clone)]
pub struct Mechanism {
    tree: Tree,
    names: Vec<String>,
    /// Centres of mass in the frames in which the parts were declared.
    centres: Vec<DVec3>,
    forces: Vec<Arc<dyn Force>>,
    frictions: Vec<JointFriction>,
    gears: Vec<Gear>,
    options: TreeOptions,
    state: Commanded,
    loads: Loads,
    gravity: DVec3,
    /// Whether somebody asked for a response since the last prediction: then a contact is near.
    met: Cell<bool>,
}

/// What belongs to the state beside the tree's own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Commanded {
    time: f64,
    drives: Vec<Scheduled>,
    hand: Option<Hand>,
    /// While a step is under way: nodes of axes that gears push, with their motors without that, and motors without friction by friction. A state that was
    /// saved then has the motors with both.
    meshed: Vec<(usize, f64)>,
    lifted: Vec<f64>,
}

/// Where a driven axis shall be, and in how many seconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Scheduled {
    node: usize,
    axis: usize,
    target: Drive,
    within: f64,
}

impl std::fmt::Debug for Mechanism {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mechanism")
            .field("names", &self.names)
            .field("forces", &self.forces.len())
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Mechanism {
    pub(crate) fn new(tree: Tree, names: Vec<String>, centres: Vec<DVec3>) -> Mechanism {
        Mechanism {
            loads: Loads::of(tree.len()),
            tree,
            names,
            centres,
            forces: Vec::new(),
            frictions: Vec::new(),
            gears: Vec::new(),
            options: TreeOptions::default(),
            state: Commanded::default(),
            gravity: DVec3::ZERO,
            met: Cell::new(false),
        }
    }

    /// The tree: energies, momenta, coordinates, accelerations, the equations of motion.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The tree, to be stepped, driven, loaded or placed.
    pub fn tree_mut(&mut self) -> &mut Tree {
        &mut self.tree
    }

    /// Index of a body by its name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// Name of a body.
    pub fn name(&self, node: usize) -> Option<&str> {
        self.names.get(node).map(String::as_str)
    }

    /// The frame in which a body was declared, in the frame of its link, whose origin is the centre of mass.
    pub fn declared_frame(&self, node: usize) -> Pose {
        Pose::from_translation(-self.centres.get(node).copied().unwrap_or_default())
    }

    /// How the stable step works.
    pub fn set_options(&mut self, options: TreeOptions) {
        self.options = options;
    }

    /// Seconds that the mechanism has moved as a mover.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Says where a driven axis of a named body's joint shall be at the end of the next step; false if there is none.
    pub fn drive(&mut self, name: &str, axis: usize, target: Drive) -> bool {
        self.find(name).is_some_and(|node| self.tree.drive(node, axis, target))
    }

    /// Says where a driven axis shall be in `within` seconds; on the way there it follows the cubic between both ends, however many
    /// steps that takes. False if there is no such driven axis.
    pub fn drive_within(&mut self, node: usize, axis: usize, target: Drive, within: f64) -> bool {
        if !self.tree.drive(node, axis, target) {
            return false;
        }
        self.state.drives.retain(|known| (known.node, known.axis) != (node, axis));
        self.state.drives.push(Scheduled { node, axis, target, within });
        true
    }

    /// Adds a force that is asked anew in every step. Forces are part of the mechanism, not of its state: a restored mechanism has
    /// those that it was given.
    pub fn add_force(&mut self, force: Arc<dyn Force>) {
        self.forces.push(force);
    }

    /// Gives an axis of a body's joint dry friction, in N or N m, which acts while the mechanism moves as a mover: the joint stops and
    /// stays as long as what pulls at it is less. Part of the mechanism, as forces are. False if there is no such axis, or it is driven.
    pub fn add_friction(&mut self, node: usize, axis: usize, bound: f64) -> bool {
        let there = node < self.tree.len() && self.tree.coordinate(node, axis).is_some();
        let possible = there && bound >= 0.0 && bound.is_finite();
        if possible {
            self.frictions.push(JointFriction { node, axis, bound });
        }
        possible
    }

    /// Lets the first axis of a joint repeat that of another one, `factor` times its coordinate plus `offset`, in m or rad, while the mechanism moves as a
    /// mover. Both feel it, as wheels of a gear do. Part of the mechanism, as forces are. False if one of them has no coordinate, or there are 200 already.
    pub fn add_gear(&mut self, follower: usize, leader: usize, factor: f64, offset: f64) -> bool {
        let there = |node| node < self.tree.len() && self.tree.coordinate(node, 0).is_some();
        let room = self.gears.len() < gear::MOST;
        let apart = there(follower) && there(leader) && follower != leader;
        let possible = room && apart && factor.is_finite() && offset.is_finite();
        if possible {
            self.gears.push(Gear { follower, leader, factor, offset });
        }
        possible
    }

    /// Adds the forces of gears for a step of `h` seconds to the motors.
    fn mesh(&mut self, h: f64) {
        if !self.gears.is_empty() {
            let axes = self.gears.iter().flat_map(|gear| [gear.follower, gear.leader]);
            let motor = |node| self.tree.element(node, 0).map_or(0.0, |element| element.motor);
            self.state.meshed.extend(axes.map(|node| (node, motor(node))));
            let forces = gear::forces(&self.gears, &self.tree, h, self.gravity, &self.options);
            gear::act(&self.gears, &mut self.tree, &forces, 1.0);
        }
    }

    /// Adds friction for a step of `h` seconds to the motors.
    fn rub(&mut self, h: f64) {
        self.lift();
        for friction in &self.frictions {
            self.state.lifted.push(friction.press(&mut self.tree, h, self.gravity).unwrap_or_default());
        }
    }

    /// Leaves the motors without friction and gears.
    fn lift(&mut self) {
        for (node, motor) in self.state.meshed.drain(..) {
            if let Some(element) = self.tree.element(node, 0).copied() {
                // A motor that it had before is never refused.
                let _ = self.tree.set_element(node, 0, ForceElement { motor, ..element });
            }
        }
        for (friction, motor) in self.frictions.iter().zip(self.state.lifted.drain(..)) {
            friction.set_motor(&mut self.tree, motor);
        }
    }

    /// What the forces that were added do at present, in W: power that flows into the bodies.
    pub fn power_of_forces(&mut self) -> f64 {
        self.ask_forces();
        (0..self.tree.len()).map(|node| self.tree.twist(node).power(self.loads.on(node))).sum()
    }

    /// Takes hold of a body at a point of its link's frame; the target is where the point is now.
    pub fn grab(&mut self, node: usize, point: DVec3) {
        let target = self.tree.pose(node).transform_point(point);
        self.state.hand = Some(Hand::new(node, point, target));
    }

    /// Moves the hand's target, in the world.
    pub fn pull(&mut self, target: DVec3) {
        if let Some(hand) = &mut self.state.hand
            && target.is_finite()
        {
            hand.target = target;
        }
    }

    /// Lets go.
    pub fn release(&mut self) {
        self.state.hand = None;
    }

    /// Where the hand holds, and where it wants to be, in the world.
    pub fn hand(&self) -> Option<(DVec3, DVec3)> {
        self.state.hand.map(|hand| (self.tree.pose(hand.node).transform_point(hand.point), hand.target))
    }

    fn ask_forces(&mut self) {
        self.loads.clear();
        for force in &self.forces {
            force.act(&self.tree, self.state.time, &mut self.loads);
        }
    }

    /// Targets of drives and loads of forces for a step of `h` seconds.
    pub(crate) fn prepare(&mut self, h: f64) {
        self.follow_drives(h);
        self.set_loads();
    }

    /// The hand's pull on velocities that were predicted.
    pub(crate) fn pull_by_hand(&mut self, h: f64) {
        if let Some(hand) = &self.state.hand {
            let impulse = hand.impulse(&self.tree, h);
            let point = self.tree.pose(hand.node).transform_point(hand.point);
            self.tree.apply(hand.node, point, Wrench::new(impulse, DVec3::ZERO));
        }
    }

    fn set_loads(&mut self) {
        if self.forces.is_empty() {
            return;
        }
        self.ask_forces();
        for node in 0..self.tree.len() {
            self.tree.set_load(node, self.loads.on(node));
        }
    }

    /// An axis that did not go its given way stands: it does not begin the next way with the rate of the last one.
    fn stand(&mut self) {
        for Scheduled { node, axis, .. } in &self.state.drives {
            if let Some((position, rate)) = self.tree.coordinate(*node, *axis)
                && rate != 0.0
            {
                self.tree.set_coordinate(*node, *axis, position, 0.0);
            }
        }
    }

    /// Targets of driven axes at the end of a step of `h` seconds.
    fn follow_drives(&mut self, h: f64) {
        for Scheduled { node, axis, target, within } in &self.state.drives {
            let Some((position, rate)) = self.tree.coordinate(*node, *axis) else { continue };
            let now = Drive { position, rate, acceleration: 0.0 };
            let next =
                if *within <= h * (1.0 + 1e-9) { *target } else { on_the_way(&now, target, *within, h) };
            self.tree.drive(*node, *axis, next);
        }
    }

    pub(crate) fn pass_time(&mut self, h: f64) {
        self.state.time += h;
        for scheduled in &mut self.state.drives {
            scheduled.within -= h;
            if scheduled.within <= 1e-9 * h {
                // It stays where it came to, with the rate that it was given.
                let Drive { position, rate, acceleration } = scheduled.target;
                let target = Drive { position: position + rate * h, rate, acceleration };
                scheduled.target = target;
                scheduled.within = h;
            }
        }
    }
}

/// On the cubic from one drive to another `within` seconds later, after `h` of them.
fn on_the_way(start: &Drive, end: &Drive, within: f64, h: f64) -> Drive {
    let f = h / within;
    let u = 1.0 - f;
    let way = end.position - start.position;
    Drive {
        position: start.position
            + way * f * f * (3.0 - 2.0 * f)
            + within * f * u * (start.rate * u - end.rate * f),
        rate: way / within * 6.0 * f * u + start.rate * u * (1.0 - 3.0 * f) + end.rate * f * (3.0 * f - 2.0),
        acceleration: way / (within * within) * (6.0 - 12.0 * f)
            + (start.rate * (6.0 * f - 4.0) + end.rate * (6.0 * f - 2.0)) / within,
    }
}

impl Mover for Mechanism {
    fn links(&self) -> usize {
        self.tree.len()
    }

    fn pose(&self, link: u32) -> Pose {
        self.tree.pose(link as usize)
    }

    fn motion(&self, link: u32, h: f64) -> Motion {
        let start = self.pose(link);
        let mut ahead = self.tree.clone();
        ahead.advance(h, 1.0);
        let still = || Motion::still(start).or_else(|_| Motion::still(Pose::IDENTITY));
        Motion::slerp(start, ahead.pose(link as usize))
            .or_else(|_| still())
            .unwrap_or_else(|_| unreachable!("a body that stays at the origin is a motion"))
    }

    fn predict(&mut self, h: f64, gravity: DVec3) {
        self.met.set(false);
        self.gravity = gravity;
        self.prepare(h);
        self.rub(h);
        self.mesh(h);
        self.tree.mark();
        self.tree.predict(h, gravity);
        self.pull_by_hand(h);
    }

    fn twist_at(&self, link: u32, point: DVec3) -> Twist {
        self.tree.twist_at(link as usize, point)
    }

    fn response(&self, at: (u32, DVec3), due_to: (u32, DVec3)) -> TwistResponse {
        self.met.set(true);
        self.tree.response((at.0 as usize, at.1), (due_to.0 as usize, due_to.1))
    }

    fn refresh_responses(&mut self) {
        // The factor of the mass matrix comes with it; velocities fit the joints already.
        self.tree.project_velocities();
    }

    fn displace(&mut self, loads: &[(u32, DVec3, Wrench)]) -> bool {
        let bodies: Vec<(Pose, Twist)> =
            (0..self.tree.len()).map(|node| (self.tree.pose(node), self.tree.twist(node))).collect();
        self.tree.load(|node| (bodies[node].0, Twist::ZERO));
        self.tree.project_velocities();
        for (link, point, load) in loads {
            self.tree.apply(*link as usize, *point, *load);
        }
        self.tree.advance(1.0, 0.0);
        let poses: Vec<Pose> = (0..self.tree.len()).map(|node| self.tree.pose(node)).collect();
        self.tree.load(|node| (poses[node], bodies[node].1));
        self.tree.project_velocities();
        true
    }

    fn apply(&mut self, link: u32, point: DVec3, percussion: Wrench) {
        self.met.set(true);
        self.tree.apply(link as usize, point, percussion);
    }

    fn commit(&mut self, h: f64, fraction: f64) {
        if !(fraction > 0.0) {
            self.lift();
            self.stand();
            return;
        }
        if !self.met.get() && fraction >= 1.0 && self.state.hand.is_none() && self.tree.return_to_mark() {
            self.tree.step(h, self.gravity, &self.options);
        } else {
            self.tree.advance(h * fraction, fraction);
        }
        self.lift();
        self.pass_time(h * fraction);
    }

    fn energy(&self, gravity: DVec3) -> (f64, f64) {
        (self.tree.kinetic_energy(), self.tree.potential_energy(gravity))
    }

    fn is_finite(&self) -> bool {
        self.tree.is_finite()
    }

    fn hash(&self, hash: &mut StateHash) {
        self.tree.store(|_, pose, twist| {
            hash.pose(&pose).twist(&twist);
        });
    }

    fn save(&self) -> Vec<u8> {
        // Writing numbers into memory fails only for types that have no length, and these have none.
        postcard::to_allocvec(&(self.tree.written(), &self.state)).unwrap_or_default()
    }

    fn save_into(&self, state: &mut Vec<u8>) {
        state.clear();
        *state = postcard::to_extend(&(self.tree.written(), &self.state), std::mem::take(state))
            .unwrap_or_default();
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), MoverStateError> {
        let (tree, inputs, state): (TreeState, TreeInputs, Commanded) =
            postcard::from_bytes(state).map_err(|error| MoverStateError(error.to_string()))?;
        if !(self.tree.restore(&tree) && self.tree.set_inputs(&inputs)) {
            let here = self.tree.len();
            return Err(MoverStateError(format!(
                "it is of another mechanism than this one, which has {here} bodies"
            )));
        }
        self.state = state;
        Ok(())
    }
}

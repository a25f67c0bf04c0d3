//! Trees of rigid bodies: exact joints, O(n) work, and a time step that stays stable.
//!
//! A [`Tree`] is made once from a [`TreeDescription`] and then takes poses and velocities of its bodies, steps, and
//! gives them back. Everything is in world axes and in maximal coordinates; joints hold to rounding all the same,
//! because poses come from forward kinematics and velocities from a projection, both in O(n).
//!
//! - [`Tree::step`]: the default. Second order, energy never rises, stable at steps of 1/30 s with mass ratios of
//!   1:10,000 where every explicit scheme diverges.
//! - [`Tree::step_explicit`]: semi-implicit Euler on accelerations. A quarter of the cost, first order, and dies on
//!   light links under tension.
//! - [`Tree::step_look_ahead`]: the impulses of Bender 2007 by his O(n) elimination: joints as closed at the end of the
//!   step as asked.

mod accelerations;
mod articulated;
pub(crate) mod cholesky;
mod closed_loop;
mod dense;
mod description;
mod element;
mod equations;
mod guide;
mod guided;
mod lanes;
mod link;
mod look_ahead;
pub mod models;
mod newton;
mod percussion;
mod power;
mod saved;
mod state;
mod step;
mod trunk;

use std::sync::Arc;

use glam::DVec3;
use prall_math::{Norm, Pose, Twist, Wrench};

pub use description::{Joint, JointKind, Loop, Node, TreeDescription, TreeError};
pub use element::{ElementError, ForceElement, Spring};
pub use equations::Equations;
pub use guide::{Guide, GuideError, MOST_COORDINATES, check_guide};
pub use look_ahead::{LookAheadError, LookAheadOptions};
pub use percussion::{RowPart, row_product};
pub use power::Power;
pub use saved::{TreeInputs, TreeState};
pub use state::Drive;
pub use step::{TreeOptions, TreeReport};
pub use trunk::Trunks;

use accelerations::Turned;
use articulated::Articulated;
use closed_loop::{LinkLoop, LoopWork};
use guided::{GuidedJoint, place_guided};
use link::{Link, NodeLinks};
use newton::{Memory, Newton};
use state::{LinkState, measure, place};

/// A tree of bodies with its state. Cloning it, or [`Tree::save`] with [`Tree::inputs`], saves everything that the next step depends on.
#[derive(Clone, Debug)]
pub struct Tree {
    links: Vec<Link>,
    /// In the order of their links.
    guided: Vec<GuidedJoint>,
    nodes: Vec<NodeLinks>,
    /// The nodes with every parent before its children.
    order: Vec<u32>,
    loops: Vec<LinkLoop>,
    joints: Vec<Joint>,
    parents: Vec<Option<u32>>,
    states: Vec<LinkState>,
    memory: Vec<Memory>,
    /// Percussions of the loops in the last step.
    loop_forces: Vec<[f64; 5]>,
    /// What the loops gave in the last step as a whole.
    loop_reactions: Vec<Wrench>,
    drives: Vec<Drive>,
    loads: Vec<Wrench>,
    work: Workspace,
}

/// Arrays whose content does not outlive a step.
#[derive(Clone, Debug, Default)]
struct Workspace {
    newton: Newton,
    articulated: Articulated,
    turned: Vec<Turned>,
    loops: LoopWork,
    next: Vec<LinkState>,
    marked: Vec<LinkState>,
    corrected: Vec<LinkState>,
    rows: Vec<RowPart<1>>,
    whitened: Vec<f64>,
    link_loads: Vec<Wrench>,
    drive_start: Vec<Drive>,
}

impl Tree {
    /// Builds the tree, all joints in their zero position and at rest; free and kinematic bodies at the origin.
    pub fn new(description: &TreeDescription) -> Result<Tree, TreeError> {
        Tree::with_guides(description, &[])
    }

    /// The same, with the laws that its [`JointKind::Guided`] joints name by their index. Each is checked against itself.
    pub fn with_guides(description: &TreeDescription, guides: &[Arc<dyn Guide>]) -> Result<Tree, TreeError> {
        let (links, nodes, guided) = link::links_of(description, guides)?;
        let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
        order.sort_unstable_by_key(|&node| nodes[node as usize].own);
        let loops = LinkLoop::all_of(description, &links, &nodes);
        let count = links.len();
        let mut tree = Tree {
            states: vec![LinkState::default(); count],
            memory: vec![Memory::default(); count],
            loop_forces: vec![[0.0; 5]; loops.len()],
            loop_reactions: Vec::new(),
            drives: vec![Drive::default(); count],
            loads: vec![Wrench::ZERO; nodes.len()],
            work: Workspace::default(),
            links,
            guided,
            nodes,
            order,
            loops,
            parents: description.nodes.iter().map(|node| node.parent).collect(),
            joints: description.nodes.iter().map(|node| node.joint).collect(),
        };
        tree.place_all(true);
        tree.ready();
        Ok(tree)
    }

    /// How many nodes it has.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if it has none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Pose of a node's body: frame at the centre of mass.
    pub fn pose(&self, node: usize) -> Pose {
        let own = self.own(node);
        self.states[own].pose(&self.links[own])
    }

    /// Velocity of a node's centre of mass and its angular velocity, in world axes.
    pub fn twist(&self, node: usize) -> Twist {
        self.states[self.own(node)].twist()
    }

    /// Mass of a node's body in kg.
    pub fn mass(&self, node: usize) -> f64 {
        self.links[self.own(node)].mass
    }

    /// What a node's joint lets free.
    pub fn joint_kind(&self, node: usize) -> JointKind {
        self.joints[node].kind
    }

    /// Where a node's joint is now: its frame on the parent; `None` for bodies that float.
    pub fn joint_frame(&self, node: usize) -> Option<Pose> {
        let parent = self.parents[node].map_or(Pose::IDENTITY, |parent| self.pose(parent as usize));
        let joint = &self.joints[node];
        (!matches!(joint.kind, JointKind::Free | JointKind::Kinematic))
            .then(|| parent * joint.frame_in_parent)
    }

    /// Coordinate and rate of one axis of a node's joint, in the order of [`JointKind`]; `None` if there is no such axis.
    pub fn coordinate(&self, node: usize, axis: usize) -> Option<(f64, f64)> {
        self.axis_link(node, axis).map(|link| (self.states[link].coordinate, self.states[link].rate))
    }

    /// True if an axis of a node's joint slides, in m; the others turn, in rad.
    pub fn slides(&self, node: usize, axis: usize) -> bool {
        self.axis_link(node, axis).is_some_and(|index| {
            let link = &self.links[index];
            link.kind.slides() || link.kind.is_guided() && self.guided[link.guide as usize].slides(index)
        })
    }

    /// Says which of the angles that differ by whole turns a turning axis has, before the next [`Tree::load`]: the one
    /// nearest to `angle`; and from where a guided joint's coordinates are sought. False if there is no such axis.
    pub fn wind(&mut self, node: usize, axis: usize, angle: f64) -> bool {
        let link = self.axis_link(node, axis).filter(|&link| !self.links[link].kind.slides());
        if let Some(link) = link {
            self.states[link].coordinate = angle;
        }
        link.is_some()
    }

    /// Puts a kinematic node where it is and gives it the velocity with which it goes on; everything else stays. False if
    /// the node is not kinematic.
    pub fn set_kinematic(&mut self, node: usize, pose: Pose, twist: Twist) -> bool {
        let own = self.own(node);
        let is_kinematic = self.links[own].kind == link::Kind::Kinematic;
        if is_kinematic {
            let state = &mut self.states[own];
            (state.rotation, state.point) = (pose.rotation, pose.translation);
            (state.velocity, state.angular) = (twist.linear, twist.angular);
        }
        is_kinematic
    }

    /// What a loop's joint gave its second body in the last step, in N s, and in N m s about the joint's point.
    pub fn loop_reaction(&self, index: usize) -> Wrench {
        self.loop_reactions.get(index).copied().unwrap_or(Wrench::ZERO)
    }

    /// Says where a driven axis shall be at the end of the next step. False if the node has no such driven axis.
    pub fn drive(&mut self, node: usize, axis: usize, target: Drive) -> bool {
        let link = self.axis_link(node, axis).filter(|&link| self.links[link].kind.is_driven());
        if let Some(link) = link {
            self.drives[link] = target;
        }
        link.is_some()
    }

    /// Puts one axis of a node's joint at a coordinate with a rate, in rad or m, and everything behind it where that takes it.
    /// False if there is no such axis.
    pub fn set_coordinate(&mut self, node: usize, axis: usize, position: f64, rate: f64) -> bool {
        let Some(link) = self.axis_link(node, axis) else { return false };
        self.states[link].coordinate = position;
        self.states[link].rate = rate;
        self.drives[link] = Drive { position, rate, acceleration: 0.0 };
        self.place_all(false);
        self.derive_velocities();
        self.forget();
        true
    }

    /// Places all links by their coordinates; balls keep their turn, or get that of the zero position.
    fn place_all(&mut self, from_zero: bool) {
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let (below, own) = self.states.split_at_mut(index);
            let parent = &below[link.parent as usize];
            if from_zero {
                own[0].rotation = parent.rotation * link.rest;
            }
            place(link, &mut own[0], parent);
            if link.kind.is_guided() {
                place_guided(&self.guided, link, index, &mut self.states);
            }
        }
    }

    /// What acts along one axis of a node's joint; `None` if there is no such axis.
    pub fn element(&self, node: usize, axis: usize) -> Option<&ForceElement> {
        self.axis_link(node, axis).map(|link| &self.links[link].element)
    }

    /// Changes what acts along one axis of a node's joint from now on; an axis that is not there has nothing to change.
    pub fn set_element(
        &mut self,
        node: usize,
        axis: usize,
        element: ForceElement,
    ) -> Result<(), ElementError> {
        element.check()?;
        if let Some(link) = self.axis_link(node, axis) {
            self.links[link].element = element;
        }
        Ok(())
    }

    /// The load that acts on a node: force in N and torque in N m about the centre of mass, world axes.
    pub fn load_of(&self, node: usize) -> Wrench {
        self.loads[node]
    }

    /// Remembers the present state for [`Tree::return_to_mark`].
    pub fn mark(&mut self) {
        self.ready();
        self.work.marked.clear();
        self.work.marked.extend_from_slice(&self.states);
    }

    /// Goes back to the state that was marked; false if none was.
    pub fn return_to_mark(&mut self) -> bool {
        let there = self.work.marked.len() == self.states.len();
        if there {
            self.states.copy_from_slice(&self.work.marked);
        }
        there
    }

    /// Force in N and torque in N m about the centre of mass that act on a node until they are set anew; world axes.
    pub fn set_load(&mut self, node: usize, load: Wrench) {
        self.loads[node] = load;
    }

    /// Takes over the poses and velocities of the bodies, in the order of the nodes.
    ///
    /// Joints are closed by moving children onto their parents; the largest way that took is returned, in m. After a
    /// [`Tree::step`] whose result was written back unchanged it is rounding.
    pub fn load(&mut self, bodies: impl Fn(usize) -> (Pose, Twist)) -> f64 {
        let mut error = 0.0_f64;
        for position in 0..self.order.len() {
            let node = self.order[position] as usize;
            let NodeLinks { first, own } = self.nodes[node];
            let (pose, twist) = bodies(node);
            error = error.max(self.load_node(first as usize, own as usize, &pose, twist));
        }
        error
    }

    fn load_node(&mut self, first: usize, own: usize, pose: &Pose, twist: Twist) -> f64 {
        if self.links[own].kind.is_guided() {
            return self.load_guided(own, pose, twist);
        }
        measure(&self.links, &mut self.states, first, own, pose);
        let (links, states) = (&self.links, &mut self.states);
        let state = &mut states[own];
        state.rotation = pose.rotation;
        state.velocity = twist.linear;
        state.angular = twist.angular;
        if matches!(links[own].kind, link::Kind::Free | link::Kind::Kinematic) {
            state.point = pose.translation;
            return 0.0;
        }
        for index in first..=own {
            let parent = states[links[index].parent as usize];
            place(&links[index], &mut states[index], &parent);
        }
        self.measure_rates(first, own);
        (self.states[own].pose(&self.links[own]).translation - pose.translation).norm()
    }

    /// Coordinates and rates that come nearest to a pose and a velocity.
    fn load_guided(&mut self, own: usize, pose: &Pose, twist: Twist) -> f64 {
        let joint = &self.guided[self.links[own].guide as usize];
        joint.measure(&self.links, &mut self.states, pose);
        joint.place(&mut self.states);
        let center = self.states[own].rotation * self.links[own].center;
        let parent = &self.states[joint.parent];
        let base = parent.joint_twist(&self.links[joint.parent]);
        let base = base.shifted(self.states[own].point - parent.point);
        let screws = joint.world_screws(&self.states);
        let rates = joint.fit(&screws, twist.shifted(-center) - base);
        let mut motion = base;
        for (axis, index) in (joint.first..=joint.own).enumerate() {
            motion = motion + screws[axis] * rates[axis];
            let state = &mut self.states[index];
            (state.rate, state.velocity, state.angular) = (rates[axis], motion.linear, motion.angular);
        }
        (self.states[own].velocity, self.states[own].angular) = (twist.linear, twist.angular);
        (self.states[own].pose(&self.links[own]).translation - pose.translation).norm()
    }

    /// Rates of a node's axes from the twists of its body and of the parent's.
    fn measure_rates(&mut self, first: usize, own: usize) {
        let base = self.states[self.links[first].parent as usize];
        let base_twist = base.joint_twist(&self.links[self.links[first].parent as usize]);
        let target = self.states[own].joint_twist(&self.links[own]);
        let mut twist = base_twist;
        let mut point = base.point;
        for index in first..=own {
            let link = &self.links[index];
            let parent = self.states[link.parent as usize];
            let axis = parent.rotation * link.axis;
            twist = twist.shifted(self.states[index].point - point);
            point = self.states[index].point;
            // Sliding is measured against the parent's material at the child's point, turning does not care.
            let against = base_twist.velocity_at(self.states[own].point - base.point);
            let rate = if link.kind.slides() {
                axis.dot(target.linear - against)
            } else if link.kind.turns() {
                axis.dot(target.angular - base_twist.angular)
            } else {
                0.0
            };
            if link.kind.slides() {
                twist.linear += axis * rate;
            } else {
                twist.angular += axis * rate;
            }
            self.states[index].rate = rate;
            if index != own {
                self.states[index].velocity = twist.linear;
                self.states[index].angular = twist.angular;
            }
        }
    }

    /// Hands the poses and velocities of the bodies over, in the order of the nodes.
    pub fn store(&self, mut body: impl FnMut(usize, Pose, Twist)) {
        for node in 0..self.len() {
            body(node, self.pose(node), self.twist(node));
        }
    }

    /// Replaces the velocities by the nearest ones, in the metric of the masses, that the joints allow.
    pub fn project_velocities(&mut self) {
        self.ready();
        step::project(&self.links, &self.guided, &mut self.states, &mut self.work.articulated, 0.0);
    }

    /// Kinetic energy in J.
    pub fn kinetic_energy(&self) -> f64 {
        step::kinetic_energy(&self.links, &self.states)
    }

    /// Kinetic energy of one node's body in J.
    pub fn kinetic_energy_of(&self, node: usize) -> f64 {
        let own = self.own(node);
        step::energy_of_motion(&self.links[own], &self.states[own])
    }

    /// Energy of height under `gravity`, zero at the origin, and of springs, in J.
    pub fn potential_energy(&self, gravity: DVec3) -> f64 {
        let energy = |(link, state): (&Link, &LinkState)| {
            let height = link.mass * gravity.dot(state.point + state.rotation * link.center);
            link.element.spring.energy(state.coordinate) - height
        };
        self.links.iter().zip(&self.states).map(energy).sum()
    }

    /// Total momentum in N s, and angular momentum about the world's origin in N m s.
    pub fn momentum(&self) -> Wrench {
        let momentum = |(link, state): (&Link, &LinkState)| {
            let linear = state.velocity * link.mass;
            let spin = state.rotation * (link.inertia * (state.rotation.conjugate() * state.angular));
            let arm = state.point + state.rotation * link.center;
            Wrench::new(linear, spin + arm.cross(linear))
        };
        self.links.iter().zip(&self.states).map(momentum).fold(Wrench::ZERO, |sum, part| sum + part)
    }

    /// Largest relative velocity that a joint does not allow, in m/s at the joint or rad/s across its axis.
    pub fn velocity_error(&self) -> f64 {
        (1..self.links.len()).map(|index| self.joint_velocity_error(index)).fold(0.0, f64::max)
    }

    fn joint_velocity_error(&self, index: usize) -> f64 {
        use link::Kind;
        let link = &self.links[index];
        let (state, parent) = (&self.states[index], &self.states[link.parent as usize]);
        let base = parent.joint_twist(&self.links[link.parent as usize]).shifted(state.point - parent.point);
        let mut relative = state.joint_twist(link) - base;
        let axis = parent.rotation * link.axis;
        match link.kind {
            Kind::Free | Kind::Kinematic => return 0.0,
            Kind::Ball => relative.angular = DVec3::ZERO,
            Kind::Revolute | Kind::DrivenRevolute => relative.angular -= axis * axis.dot(relative.angular),
            Kind::Prismatic | Kind::DrivenPrismatic => relative.linear -= axis * axis.dot(relative.linear),
            Kind::Guided | Kind::DrivenGuided => {
                let joint = &self.guided[link.guide as usize];
                relative = relative - joint.world_screws(&self.states)[index - joint.first] * state.rate;
            }
            Kind::Fixed => {}
        }
        relative.linear.norm().max(relative.angular.norm())
    }

    /// True if everything is a finite number.
    pub fn is_finite(&self) -> bool {
        self.states.iter().all(|state| {
            state.point.is_finite()
                && state.rotation.is_finite()
                && state.velocity.is_finite()
                && state.angular.is_finite()
        })
    }

    fn own(&self, node: usize) -> usize {
        self.nodes[node].own as usize
    }

    fn axis_link(&self, node: usize, axis: usize) -> Option<usize> {
        let NodeLinks { first, own } = *self.nodes.get(node)?;
        let link = first as usize + axis;
        (link <= own as usize && self.links[link].kind.has_coordinate()).then_some(link)
    }

    /// Gives the workspace its size; a restored tree has none yet.
    fn ready(&mut self) {
        let count = self.links.len();
        if self.work.next.len() != count {
            self.work.next = vec![LinkState::default(); count];
            self.work.corrected = vec![LinkState::default(); count];
            self.work.turned = vec![Turned::default(); count];
            self.work.marked = Vec::with_capacity(count);
            self.work.link_loads = vec![Wrench::ZERO; count];
            self.work.drive_start = Vec::with_capacity(count);
            self.work.newton.resize(count, self.guided.len());
            self.work.articulated.resize(&self.links);
            self.work.loops.resize(&self.loops);
            self.loop_reactions.resize(self.loops.len(), Wrench::ZERO);
        }
    }

    /// External forces of every link, weight included.
    fn set_link_loads(&mut self, gravity: DVec3) {
        for (load, link) in self.work.link_loads.iter_mut().zip(&self.links) {
            *load = Wrench::new(gravity * link.mass, DVec3::ZERO);
        }
        for (node, load) in self.nodes.iter().zip(&self.loads) {
            let own = &mut self.work.link_loads[node.own as usize];
            *own = *own + *load;
        }
    }
}

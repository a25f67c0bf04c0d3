//! The tree solver: jointed bodies as a [`Tree`] with its stable O(n) step, loops closed on top.
//!
//! A group of jointed bodies becomes a tree: joints that trees know are taken into it one after another, those first that
//! cannot be cut, and what then closes a loop is cut if it is a ball or a hinge. Fixed and kinematic bodies are roots that
//! go their own way; without any, the heaviest body is a free root. Springs and dampers on axes are force elements of the tree.
//!
//! The world's bodies stay the owners of poses and velocities. As long as they are what the tree gave them, it goes on with
//! its own state and its estimates of forces; if anything else has changed them, it is loaded anew.

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose, Twist, Wrench};
use prall_mechanics::tree::{
    ForceElement, Joint as TreeJoint, JointKind as TreeKind, Loop, Node, Spring, Tree, TreeDescription,
    TreeOptions, TreeReport, TreeState,
};
use prall_mechanics::{Bodies, about_origin};
use serde::{Deserialize, Serialize};

use super::colour::Groups;
use crate::flight::Rotor;
use crate::joint::frames::Frames;
use crate::joint::{Joint, MOST_ROWS};
use crate::{Drive, JointKind, PointConstraint, TurnConstraint};

/// Rows of cut joints that are solved densely: each costs a pass over the tree in every iteration, and more would be slower
/// than the direct solver.
const MOST_LOOP_ROWS: usize = 40;
/// Joints that are open by less count as closed whatever the tolerance, in m or rad: rounding in a long chain leaves as much.
const CLOSED: f64 = 1e-9;

/// Why a group of jointed bodies is not moved by the tree solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error, Serialize, Deserialize)]
pub enum TreeObstacle {
    /// The world's solver is another one.
    #[error("another solver was chosen")]
    NotChosen,
    /// A distance, rope, spring, screw, gear, rack, wheel, or a point that is bound to a line or plane only.
    #[error("it has a joint of a kind that trees do not know")]
    Kind,
    /// A motor, servo or friction, a locked coordinate, or a spring on a ball.
    #[error("a joint of it is driven, rubs, is locked, or has a spring on something else than an axis")]
    Drive,
    /// Too many loops, or one that only a joint closes that cannot be cut.
    #[error("it has too many loops, or one without a ball or hinge to cut")]
    Loops,
    /// A body of it touches something: joints and contacts are solved in one loop.
    #[error("it touches something")]
    Contact,
    /// A coordinate is at its limit, or would pass it.
    #[error("a joint is at its limit")]
    Limit,
    /// Joints are open by more than the tolerance: they are brought together first.
    #[error("its joints are not closed yet")]
    Apart,
    /// The step did not converge, however often it was halved.
    #[error("the step did not converge")]
    NotConverged,
    /// The budget was too small for a step.
    #[error("the budget has ended")]
    Budget,
}

/// How a node hangs on its parent.
#[derive(Clone, Copy, Debug)]
struct Holder {
    joint: u32,
    /// True if the joint's second body is the parent.
    reversed: bool,
}

#[derive(Clone, Copy, Debug)]
struct NodeBody {
    body: u32,
    /// `None` is the ground, or nothing.
    parent: Option<u32>,
    /// `None` for roots that nothing holds.
    holder: Option<Holder>,
    kinematic: bool,
}

/// A joint with its ends as nodes; `None` is the ground.
#[derive(Clone, Copy, Debug)]
struct Edge {
    joint: u32,
    nodes: [Option<u32>; 2],
}

/// A group of jointed bodies as a tree.
#[derive(Clone, Debug)]
pub(crate) struct TreeSolver {
    tree: Tree,
    /// Parents before children.
    nodes: Vec<NodeBody>,
    joints: Vec<Edge>,
    loops: Vec<Edge>,
    limited: Vec<Edge>,
    /// Where the step has brought the nodes.
    poses: Vec<Pose>,
    /// Impulses on each node, and then through the joint that holds it.
    through: Vec<Wrench>,
    /// True from loading anew until the bodies are carried: impulses of other solvers are then out of date.
    fresh: bool,
    /// Where they were before it.
    starts: Vec<Pose>,
    /// Energy in J that the projections of the last attempt took.
    loss: f64,
    /// A joint has a spring or damper.
    springs: bool,
    /// Why the last attempt failed.
    pub(crate) refused: Option<TreeObstacle>,
}

/// Energy of a tree's bodies in J, and their momentum about the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeSums {
    pub(crate) energy: f64,
    pub(crate) momentum: Wrench,
}

/// What is saved of a tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Saved {
    state: TreeState,
    refused: Option<TreeObstacle>,
}

/// What acts during a step.
pub(crate) struct Load<'a> {
    pub(crate) h: f64,
    pub(crate) gravity: DVec3,
    pub(crate) loads: &'a [Wrench],
    /// Joints that are open by more are not the tree's to close, in m or rad.
    pub(crate) tolerance: f64,
    pub(crate) options: TreeOptions,
}

impl TreeSolver {
    /// The tree of a group, given by its joints.
    pub(crate) fn new(
        members: &[u32],
        joints: &[Joint],
        bodies: &Bodies,
        rotors: &[Rotor],
    ) -> Result<TreeSolver, TreeObstacle> {
        for &member in members {
            check(&joints[member as usize])?;
        }
        let (held, cut) = spanning(members, joints, bodies)?;
        let nodes = grow(&held, &cut, joints, bodies);
        let mut node_of = std::collections::BTreeMap::new();
        for (node, place) in nodes.iter().enumerate() {
            node_of.insert(place.body, node as u32);
        }
        let edge = |&joint: &u32| Edge {
            joint,
            nodes: joints[joint as usize].bodies.map(|body| node_of.get(&body).copied()),
        };
        let loops: Vec<Edge> = cut.iter().map(edge).collect();
        let mut description = TreeDescription::default();
        for place in &nodes {
            description.nodes.push(describe(place, joints, bodies, rotors)?);
        }
        description.loops = loops.iter().map(|cut| describe_loop(cut, joints)).collect();
        // What it refuses, an inertia at the limit of rounding say, the direct solver may still take.
        let tree = Tree::new(&description).map_err(|_| TreeObstacle::Kind)?;
        let has_limits =
            |member: &&u32| joints[**member as usize].drives.iter().any(|drive| drive.limits.is_some());
        Ok(TreeSolver {
            tree,
            poses: vec![Pose::IDENTITY; nodes.len()],
            starts: vec![Pose::IDENTITY; nodes.len()],
            loss: 0.0,
            springs: members
                .iter()
                .any(|&member| joints[member as usize].drives.iter().any(|drive| drive.spring.is_some())),
            through: vec![Wrench::ZERO; nodes.len()],
            limited: members.iter().filter(has_limits).map(edge).collect(),
            joints: members.iter().map(edge).collect(),
            nodes,
            loops,
            fresh: false,
            refused: None,
        })
    }

    /// How many bodies it has.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn save(&self) -> Saved {
        Saved { state: self.tree.save(), refused: self.refused }
    }

    /// False if the state belongs to another tree.
    pub(crate) fn restore(&mut self, saved: &Saved) -> bool {
        self.refused = saved.refused;
        self.tree.restore(&saved.state)
    }

    /// Steps the tree, not yet the bodies.
    pub(crate) fn attempt(
        &mut self,
        joints: &[Joint],
        bodies: &Bodies,
        load: &Load<'_>,
    ) -> Result<TreeReport, TreeObstacle> {
        if self.limited.iter().any(|edge| {
            let joint = &joints[edge.joint as usize];
            reaches_limit(joint, |c| joint.coordinates[c])
        }) {
            return Err(TreeObstacle::Limit);
        }
        let projected = self.take_over(joints, bodies, load)?;
        for (node, place) in self.nodes.iter().enumerate().filter(|(_, place)| !place.kinematic) {
            self.tree.set_load(node, load.loads[place.body as usize]);
        }
        let mut report = self.tree.step(load.h, load.gravity, &load.options);
        report.projection_loss += projected;
        self.loss = report.projection_loss;
        let open = report.position_error > load.tolerance.max(CLOSED);
        if report.given_up > 0 || open || !self.tree.is_finite() {
            return Err(TreeObstacle::NotConverged);
        }
        let pose = |node: Option<u32>| node.map_or(Pose::IDENTITY, |node| self.tree.pose(node as usize));
        for edge in &self.limited {
            let joint = &joints[edge.joint as usize];
            let poses = edge.nodes.map(pose);
            let frames = Frames::new([&poses[0], &poses[1]], &joint.frames);
            if reaches_limit(joint, |c| joint.kind.coordinate(c, &frames, &joint.coordinates).0) {
                return Err(TreeObstacle::Limit);
            }
        }
        Ok(report)
    }

    /// Goes on where the bodies are: with its own state if that is it, else loaded anew. Returns the kinetic energy in J that this took, as
    /// velocities that the joints do not allow are projected.
    fn take_over(&mut self, joints: &[Joint], bodies: &Bodies, load: &Load<'_>) -> Result<f64, TreeObstacle> {
        let tolerance = load.tolerance.max(CLOSED);
        let place = |node: usize, body: u32| {
            let (pose, own) = (&bodies.poses[body as usize], self.tree.pose(node));
            (pose.translation - own.translation).norm() <= CLOSED
                && pose.rotation.dot(own.rotation).abs() >= 1.0 - CLOSED * CLOSED
        };
        let goes_on = self.nodes.iter().enumerate().all(|(node, &NodeBody { body, kinematic, .. })| {
            if kinematic {
                return place(node, body);
            }
            let at = body as usize;
            self.tree.pose(node) == bodies.poses[at] && self.tree.twist(node) == bodies.velocities[at]
        });
        if goes_on {
            for (node, place) in self.nodes.iter().enumerate().filter(|(_, place)| place.kinematic) {
                let at = place.body as usize;
                self.tree.set_kinematic(node, bodies.poses[at], bodies.velocities[at]);
            }
            return Ok(0.0);
        }
        for edge in &self.joints {
            let joint = &joints[edge.joint as usize];
            let [a, b] = joint.bodies.map(|body| &bodies.poses[body as usize]);
            let frames = Frames::new([a, b], &joint.frames);
            let mut open = 0.0_f64;
            joint.kind.equalities(&frames, &joint.coordinates, joint.offset, |error, _| {
                open = open.max(error.abs());
            });
            if !(open <= tolerance) {
                return Err(TreeObstacle::Apart);
            }
        }
        for (node, place) in self.nodes.iter().enumerate() {
            let Some(holder) = place.holder else { continue };
            let joint = &joints[holder.joint as usize];
            for axis in 0..joint.kind.coordinates() {
                self.tree.wind(node, axis, holder.coordinate(joint, axis));
            }
        }
        let nodes = &self.nodes;
        self.tree.load(|node| {
            let at = nodes[node].body as usize;
            (bodies.poses[at], bodies.velocities[at])
        });
        self.tree.forget();
        let before = self.tree.kinetic_energy();
        self.tree.project_velocities();
        self.fresh = true;
        Ok(before - self.tree.kinetic_energy())
    }

    /// Gives the bodies where the tree has them now, and the joints their reactions in N s.
    pub(crate) fn carry(
        &mut self,
        joints: &mut [Joint],
        bodies: &mut Bodies,
        rotors: &[Rotor],
        load: &Load<'_>,
    ) {
        for (node, place) in self.nodes.iter().enumerate().filter(|(_, place)| !place.kinematic) {
            let at = place.body as usize;
            let (pose, twist) = (self.tree.pose(node), self.tree.twist(node));
            self.poses[node] = pose;
            self.starts[node] = bodies.poses[at];
            let before = (bodies.poses[at], bodies.velocities[at]);
            let given = Wrench::new(
                (load.gravity * bodies.mass(at) + load.loads[at].force) * load.h,
                load.loads[at].torque * load.h,
            );
            let spin = |pose: &Pose, twist: &Twist| rotors[at].momentum(pose.rotation, twist.angular);
            let change = Wrench::new(
                (twist.linear - before.1.linear) * bodies.mass(at),
                spin(&pose, &twist) - spin(&before.0, &before.1),
            );
            self.through[node] = change - given;
            // The middle of the step, for the levers of reactions; the end follows below.
            bodies.poses[at].translation = (before.0.translation + pose.translation) * 0.5;
            bodies.velocities[at] = twist;
        }
        self.add_reactions(joints, bodies);
        if std::mem::take(&mut self.fresh) {
            for edge in &self.joints {
                joints[edge.joint as usize].memory = [[0.0; MOST_ROWS]; 2];
            }
        }
        for (node, place) in self.nodes.iter().enumerate().filter(|(_, place)| !place.kinematic) {
            let at = place.body as usize;
            bodies.poses[at] = self.poses[node];
            bodies.turn_inertia(at);
        }
    }

    /// Puts its bodies where a shorter step has brought them than the one that was carried.
    pub(crate) fn place(&self, bodies: &mut Bodies) {
        for (node, place) in self.nodes.iter().enumerate().filter(|(_, place)| !place.kinematic) {
            let at = place.body as usize;
            (bodies.poses[at], bodies.velocities[at]) = (self.tree.pose(node), self.tree.twist(node));
            bodies.turn_inertia(at);
        }
    }

    /// Energy and momentum of its bodies.
    pub(crate) fn sums(&self, bodies: &Bodies, gravity: DVec3) -> TreeSums {
        let mut sums = TreeSums { energy: 0.0, momentum: Wrench::ZERO };
        for place in self.nodes.iter().filter(|place| !place.kinematic) {
            let at = place.body as usize;
            let (mass, centre) = (bodies.mass(at), bodies.poses[at].translation);
            sums.energy += bodies.kinetic_energy(at) - mass * gravity.dot(centre);
            let linear = bodies.velocities[at].linear * mass;
            sums.momentum = sums.momentum + about_origin(centre, linear, bodies.angular_momentum(at));
        }
        sums
    }

    /// Visits its bodies after they were carried, with the work of their loads in J and the impulse of weight and loads about the origin.
    pub(crate) fn visit_ways(&self, load: &Load<'_>, mut visit: impl FnMut(u32, f64, Wrench)) {
        for (node, place) in self.nodes.iter().enumerate().filter(|(_, place)| !place.kinematic) {
            let (start, end) = (&self.starts[node], &self.poses[node]);
            let own = load.loads[place.body as usize];
            let work = if own == Wrench::ZERO {
                0.0
            } else {
                // The step turns by Cayley's map of the mean angular velocity: twice the tangent of half of the angle.
                let turned = end.rotation * start.rotation.conjugate();
                let turn = turned.xyz() * (2.0 / turned.w);
                own.force.dot(end.translation - start.translation) + own.torque.dot(turn)
            };
            let middle = (start.translation + end.translation) * 0.5;
            let force = load.gravity * self.tree.mass(node) + own.force;
            visit(place.body, work, about_origin(middle, force * load.h, own.torque * load.h));
        }
    }

    /// Energy in J that projections of velocities took in the last step.
    pub(crate) fn last_loss(&self) -> f64 {
        self.loss
    }

    /// True if a joint has a spring or damper.
    pub(crate) fn has_springs(&self) -> bool {
        self.springs
    }

    /// True if a joint has limits.
    pub(crate) fn has_limits(&self) -> bool {
        !self.limited.is_empty()
    }

    /// True if it hangs on something.
    pub(crate) fn is_grounded(&self) -> bool {
        let grounded = |edge: &Edge| edge.nodes.contains(&None);
        self.nodes.iter().any(|place| place.kinematic) || self.joints.iter().any(grounded)
    }

    /// True if it hangs on a body with a given motion.
    pub(crate) fn is_moved(&self) -> bool {
        let moves = |node: usize| self.tree.twist(node) != Twist::ZERO;
        (0..self.nodes.len()).any(|node| self.nodes[node].kinematic && moves(node))
    }

    /// What goes through a joint is what its node and everything behind it has gained, less what else has given it.
    fn add_reactions(&mut self, joints: &mut [Joint], bodies: &Bodies) {
        let centre = |body: u32| bodies.poses[body as usize].translation;
        let origin = |joint: &Joint| {
            let pose = &bodies.poses[joint.bodies[1] as usize];
            pose.transform_point(joint.frames[1].translation)
        };
        for (index, edge) in self.loops.iter().enumerate() {
            let reaction = self.tree.loop_reaction(index);
            let joint = &mut joints[edge.joint as usize];
            joint.reaction = joint.reaction + reaction;
            let point = origin(joint);
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(node) = edge.nodes[side] {
                    let arm = point - centre(joint.bodies[side]);
                    let torque = reaction.torque + arm.cross(reaction.force);
                    let own = &mut self.through[node as usize];
                    *own = *own - Wrench::new(reaction.force, torque) * sign;
                }
            }
        }
        for node in (0..self.nodes.len()).rev() {
            let NodeBody { body, parent, holder, .. } = self.nodes[node];
            let Some(holder) = holder else { continue };
            let own = self.through[node];
            if let Some(parent) = parent {
                let arm = centre(body) - centre(self.nodes[parent as usize].body);
                let above = &mut self.through[parent as usize];
                *above = *above + Wrench::new(own.force, own.torque + arm.cross(own.force));
            }
            let joint = &mut joints[holder.joint as usize];
            let arm = centre(body) - origin(joint);
            let sign = if holder.reversed { -1.0 } else { 1.0 };
            let about = Wrench::new(own.force, own.torque + arm.cross(own.force)) * sign;
            joint.reaction = joint.reaction + about;
        }
        self.through.fill(Wrench::ZERO);
    }
}

impl Holder {
    /// The joint's coordinate as the tree counts it on this axis.
    fn coordinate(&self, joint: &Joint, axis: usize) -> f64 {
        let value = joint.coordinates[self.drive_of(joint, axis)];
        if self.reversed { -value } else { value }
    }

    /// Which of the joint's coordinates an axis of the tree is.
    fn drive_of(&self, joint: &Joint, axis: usize) -> usize {
        // A universal joint seen from its other end has its axes in the other order.
        if self.reversed && joint.kind == JointKind::UNIVERSAL { 1 - axis } else { axis }
    }
}

fn reaches_limit(joint: &Joint, value: impl Fn(usize) -> f64) -> bool {
    joint.drives.iter().enumerate().take(joint.kind.coordinates()).any(|(c, drive)| {
        drive.limits.is_some_and(|(lower, upper)| {
            let value = value(c);
            !(value > lower && value < upper)
        })
    })
}

fn kind_of(kind: &JointKind) -> Option<TreeKind> {
    let JointKind::Combined(point, turn) = *kind else { return None };
    match (point, turn) {
        (PointConstraint::AtPoint, TurnConstraint::Free) => Some(TreeKind::Ball),
        (PointConstraint::AtPoint, TurnConstraint::AcrossAxis) => Some(TreeKind::Universal),
        (PointConstraint::AtPoint, TurnConstraint::AlongAxis) => Some(TreeKind::Revolute),
        (PointConstraint::AtPoint, TurnConstraint::Locked) => Some(TreeKind::Fixed),
        (PointConstraint::OnLine, TurnConstraint::AlongAxis) => Some(TreeKind::Cylindrical),
        (PointConstraint::OnLine, TurnConstraint::Locked) => Some(TreeKind::Prismatic),
        (PointConstraint::InPlane, TurnConstraint::AlongAxis) => Some(TreeKind::Planar),
        _ => None,
    }
}

fn is_sprung(drive: &Drive) -> bool {
    drive.spring.is_some_and(|spring| spring.stiffness + spring.damping > 0.0)
}

/// Whether trees know this joint with what acts on it.
fn check(joint: &Joint) -> Result<(), TreeObstacle> {
    let kind = kind_of(&joint.kind).ok_or(TreeObstacle::Kind)?;
    for drive in &joint.drives[..joint.kind.coordinates()] {
        let locked = drive.limits.is_some_and(|(lower, upper)| lower == upper);
        let acts = drive.motor.is_some() || drive.servo.is_some() || drive.friction > 0.0;
        // A plane's shifts are told in axes of the first body, which the tree may see from the other end.
        let off_axis = is_sprung(drive) && matches!(kind, TreeKind::Ball | TreeKind::Planar);
        if locked || acts || off_axis {
            return Err(TreeObstacle::Drive);
        }
    }
    Ok(())
}

/// Rows of a joint if it is cut; `None` if it cannot be.
fn rows_if_cut(joint: &Joint) -> Option<usize> {
    let sprung = joint.drives.iter().any(is_sprung);
    match kind_of(&joint.kind) {
        Some(TreeKind::Ball) => Some(3),
        Some(TreeKind::Revolute) if !sprung => Some(5),
        _ => None,
    }
}

/// The joints that make the tree, and those that close loops.
fn spanning(
    members: &[u32],
    joints: &[Joint],
    bodies: &Bodies,
) -> Result<(Vec<u32>, Vec<u32>), TreeObstacle> {
    let mut groups = Groups::default();
    groups.reset(bodies.len());
    // All that does not move is one: the ground, whose index is 0.
    let end = |body: u32| if bodies.is_movable(body as usize) { body } else { 0 };
    let (mut held, mut cut) = (Vec::new(), Vec::new());
    let mut rows = 0;
    let mut ordered = members.to_vec();
    // Many rows first: what is cut should have few.
    ordered.sort_by_key(|&member| {
        (std::cmp::Reverse(rows_if_cut(&joints[member as usize]).unwrap_or(6)), member)
    });
    for member in ordered {
        let [a, b] = joints[member as usize].bodies.map(|body| groups.find(end(body)));
        if a == b {
            rows += rows_if_cut(&joints[member as usize]).ok_or(TreeObstacle::Loops)?;
            cut.push(member);
        } else {
            groups.unite(a, b);
            held.push(member);
        }
    }
    if rows > MOST_LOOP_ROWS {
        return Err(TreeObstacle::Loops);
    }
    cut.sort_unstable();
    Ok((held, cut))
}

/// Nodes from the roots outward.
fn grow(held: &[u32], cut: &[u32], joints: &[Joint], bodies: &Bodies) -> Vec<NodeBody> {
    let mut near = std::collections::BTreeMap::<u32, Vec<u32>>::new();
    for &joint in held {
        for body in joints[joint as usize].bodies {
            near.entry(body).or_default().push(joint);
        }
    }
    let ends = held.iter().chain(cut).flat_map(|&joint| joints[joint as usize].bodies);
    let mut anchors: Vec<u32> = ends.filter(|&body| !bodies.is_movable(body as usize)).collect();
    anchors.sort_unstable();
    anchors.dedup();
    let root = |body, kinematic| NodeBody { body, parent: None, holder: None, kinematic };
    // The ground has no node: it is the parent of those without one. It is visited first all the same.
    let mut nodes: Vec<NodeBody> =
        anchors.iter().filter(|&&body| body != 0).map(|&body| root(body, true)).collect();
    if anchors.is_empty() {
        let heaviest = near.keys().copied().reduce(|best, body| {
            if bodies.mass(body as usize) > bodies.mass(best as usize) { body } else { best }
        });
        nodes.extend(heaviest.map(|body| root(body, false)));
    }
    let mut seen: std::collections::BTreeSet<u32> = nodes.iter().map(|node| node.body).collect();
    seen.insert(0);
    let mut hang = |nodes: &mut Vec<NodeBody>, body: u32, parent: Option<u32>| {
        for &joint in near.get(&body).map_or(&[][..], Vec::as_slice) {
            let [a, b] = joints[joint as usize].bodies;
            let (other, reversed) = if a == body { (b, false) } else { (a, true) };
            if seen.insert(other) {
                let holder = Some(Holder { joint, reversed });
                nodes.push(NodeBody { body: other, parent, holder, kinematic: false });
            }
        }
    };
    hang(&mut nodes, 0, None);
    let mut at = 0;
    while at < nodes.len() {
        let body = nodes[at].body;
        hang(&mut nodes, body, Some(at as u32));
        at += 1;
    }
    nodes
}

fn describe(
    place: &NodeBody,
    joints: &[Joint],
    bodies: &Bodies,
    rotors: &[Rotor],
) -> Result<Node, TreeObstacle> {
    let at = place.body as usize;
    let root = |kind| TreeJoint::new(kind, Pose::IDENTITY, Pose::IDENTITY);
    let joint = match place.holder {
        Some(holder) => describe_joint(&holder, &joints[holder.joint as usize])?,
        None if place.kinematic => root(TreeKind::Kinematic),
        None => root(TreeKind::Free),
    };
    Ok(Node { parent: place.parent, mass: bodies.mass(at), inertia: rotors[at].inertia, joint })
}

fn describe_joint(holder: &Holder, joint: &Joint) -> Result<TreeJoint, TreeObstacle> {
    let kind = kind_of(&joint.kind).ok_or(TreeObstacle::Kind)?;
    let [mut parent, mut child] = joint.frames;
    if holder.reversed {
        std::mem::swap(&mut parent, &mut child);
        if kind == TreeKind::Universal {
            // Half a turn about x + y: x and y change places.
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let swap = Pose::from_rotation(DQuat::from_xyzw(half, half, 0.0, 0.0));
            (parent, child) = (parent * swap, child * swap);
        }
    }
    let mut described = TreeJoint::new(kind, parent, child);
    for axis in 0..joint.kind.coordinates().min(described.elements.len()) {
        let drive = &joint.drives[holder.drive_of(joint, axis)];
        if let Some(spring) = drive.spring.filter(|_| is_sprung(drive)) {
            let rest = if holder.reversed { -spring.rest } else { spring.rest };
            described.elements[axis] = ForceElement {
                spring: Spring::Linear { stiffness: spring.stiffness, rest },
                damping: spring.damping,
                motor: 0.0,
            };
        }
    }
    Ok(described)
}

fn describe_loop(cut: &Edge, joints: &[Joint]) -> Loop {
    let joint = &joints[cut.joint as usize];
    let axes = (joint.kind == JointKind::HINGE).then(|| joint.frames.map(|frame| frame.rotation * DVec3::X));
    Loop { nodes: cut.nodes, points: joint.frames.map(|frame| frame.translation), axes }
}

//! Jointed bodies that whirl near contacts: contacts act on velocities at once, and then their tree flies.
//!
//! An impulse at the start of a part of a step that closes joints at its end changes the energy of bodies that turn: by the square of the angle, and by much more
//! where a contact stops one body and the look-ahead asks the others to follow within the part. So groups that whirl take a part of a step in two moves:
//!
//! 1. Contacts and joints are solved on velocities at the poses of the start, joints for a rate of zero. Impulses there never give energy.
//! 2. The tree makes its own step from there, which keeps the energy and closes the joints, whatever the angle.
//!
//! Loads act in the flight of groups that nothing pushed, or only impacts. Contacts that press have to know of them: there loads give their impulse before contacts,
//! and the flight is without loads ([`Launch`]).
//!
//! Joints that the projection of overlaps has opened are closed on positions alone: bodies are moved, each by as much as its mass allows, and keep
//! their velocities as seen from themselves.

use glam::DVec3;
use prall_math::{Norm, Twist, Wrench};
use prall_mechanics::{Bodies, Budget, ManifoldView, Side};

use super::World;
use super::trees::load_of;
use crate::flight::drifted;
use crate::joint::MOST_ROWS;
use crate::joint::rows::Spell;
use crate::solver::phases::{Aim, Means};
use crate::solver::system::{Component, JointSystem, Launch};
use crate::solver::tree::Load;

/// Angle in rad in a part of a step beyond which a group whirls: the energy that a look-ahead changes is below its square, 1e-4 of that of turning.
const WHIRL: f64 = 0.01;

/// Times that contacts are solved in a part of a step, at most: impacts may set groups whirling, and groups that were only hit have their loads later.
pub(super) const SOLVES: u32 = 3;

impl World {
    /// Marks the groups that whirl near contacts, and have a tree and closed joints.
    pub(super) fn find_whirling(&mut self, h: f64) {
        for component in &mut self.system.components {
            (component.whirls, component.kicked) = (false, true);
        }
        self.find_more_whirling(h);
    }

    /// Marks further groups that whirl with their present velocities; true if there are such.
    fn find_more_whirling(&mut self, h: f64) -> bool {
        let World { system, bodies, options, joints, .. } = self;
        system.mark(|component| !component.whirls && component.turns_far(bodies, h));
        if !system.any_marked() {
            return false;
        }
        let JointSystem { blocks, components, .. } = system;
        for block in blocks.iter().filter(|block| !block.immovable) {
            let component = &mut components[block.component as usize];
            if component.marked {
                let joint = &mut joints[block.joint as usize];
                let frames = block.frames(joint, block.bodies.map(|body| &bodies.poses[body as usize]));
                joint.read(&frames);
                component.marked = joint.error() <= options.position_tolerance;
            }
        }
        components.iter_mut().for_each(|component| component.whirls |= component.marked);
        system.any_marked()
    }

    /// Goes back to the velocities before contacts if impacts have set a group whirling, or have hit one that has its loads already; true if so: then contacts
    /// are to be solved again.
    pub(super) fn goes_back(&mut self, h: f64) -> bool {
        let whirls = self.find_more_whirling(h);
        if !(self.find_hits() || whirls) || !self.movers.is_empty() {
            return false;
        }
        let World { system, bodies, before, .. } = self;
        bodies.velocities.clone_from(&system.launched);
        for component in system.components.iter().filter(|component| component.whirls && !component.kicked) {
            component.bodies().iter().for_each(|&at| bodies.velocities[at as usize] = before[at as usize]);
        }
        self.find_detours(h);
        true
    }

    /// Finds the groups that only impacts have pushed, and marks that their loads wait for the flight; true if there are such.
    fn find_hits(&mut self) -> bool {
        let World { system, contacts, .. } = self;
        system.mark(|component| component.whirls && component.kicked);
        if !system.any_marked() {
            return false;
        }
        for manifold in contacts.manifolds().filter(ManifoldView::is_loaded) {
            visit_groups(system, &manifold, |component| component.marked = false);
        }
        let mut any = false;
        for manifold in contacts.manifolds().filter(ManifoldView::is_pushed) {
            visit_groups(system, &manifold, |component| {
                component.kicked &= !component.marked;
                any |= component.marked;
            });
        }
        any
    }

    /// Lets the trees of groups that whirl make their step, after contacts and joints were solved on velocities.
    pub(super) fn fly_whirling(&mut self, h: f64) {
        let World { system, contacts, bodies, .. } = self;
        if !system.components.iter().any(|component| component.whirls) {
            return;
        }
        system.no_loads.resize(bodies.len(), Wrench::ZERO);
        for manifold in contacts.manifolds().filter(ManifoldView::is_pushed) {
            visit_groups(system, &manifold, |component| {
                component.launch = if component.kicked { Launch::Pressed } else { Launch::Hit };
            });
        }
        for number in 0..self.system.components.len() {
            if self.system.components[number].whirls {
                match self.system.components[number].launch {
                    Launch::Hit => self.fly(number, h, 0.0),
                    Launch::Free => {
                        self.system.components[number].taking_part = false;
                        self.change(number, |world, at| world.before[at] - world.bodies.velocities[at]);
                        self.fly(number, h, 0.0);
                    }
                    Launch::Pressed => {
                        let part = self.surplus(number, h);
                        self.fly(number, h, part);
                    }
                }
            }
        }
    }

    /// Lets the tree of a group make its step, with velocities less what loads give in `part` seconds. One whose tree fails goes the way of other bodies near
    /// contacts, with its loads.
    fn fly(&mut self, number: usize, h: f64, part: f64) {
        self.change(number, |world, at| world.change_by_loads(at) * -part);
        let World { system, bodies, loads, options, joints, details, report, .. } = self;
        let component = &mut system.components[number];
        let load = component.load(load_of(h, options, loads), &system.no_loads);
        let Ok(tree) = &mut component.tree else { return };
        let answer = tree.attempt(joints, bodies, &load);
        tree.refused = answer.as_ref().err().copied();
        let pressed = component.launch == Launch::Pressed;
        if let Ok(answer) = answer {
            component.carried = true;
            details.tree.add(&answer);
            (details.tree.groups, details.tree.refused) =
                (details.tree.groups + 1, details.tree.refused.saturating_sub(1));
            report.energy.trees -= answer.projection_loss;
            if pressed {
                self.book_kick(number, h, part);
            }
        } else {
            let left = if pressed { part } else { h };
            self.change(number, |world, at| world.change_by_loads(at) * left);
        }
    }

    /// Changes the velocities of a group's bodies.
    fn change(&mut self, number: usize, by: impl Fn(&World, usize) -> Twist) {
        for i in 0..self.system.components[number].bodies().len() {
            let at = self.system.components[number].bodies()[i] as usize;
            self.bodies.velocities[at] = self.bodies.velocities[at] + by(self, at);
        }
    }

    /// By how much loads change a body's velocity in a second.
    pub(super) fn change_by_loads(&self, at: usize) -> Twist {
        let (load, response) = (&self.loads[at], &self.bodies.responses[at]);
        let linear = self.options.gravity + load.force * response.inverse_mass;
        Twist { linear, angular: response.inverse_inertia * load.torque }
    }

    /// Loads gave a group the velocities `a h` before contacts, which is more energy than their work on the way if contacts have turned it. The part of `a` in s to
    /// take back for that.
    fn surplus(&self, number: usize, h: f64) -> f64 {
        let mut given = 0.0;
        for &body in self.system.components[number].bodies() {
            let at = body as usize;
            let a = self.change_by_loads(at);
            given += h * product(&(self.before[at] + a * (0.5 * h)), &self.impulse_for(at, &a));
        }
        self.part_to_take_back(number, h, |power| given - h * power)
    }

    /// Takes back the work of loads on the part of its way that a group does not make, whose loads gave their impulse before contacts.
    pub(super) fn fall_shorter(&mut self, number: usize, lost: f64, h: f64) {
        if self.system.components[number].launch == Launch::Pressed {
            let part = self.part_to_take_back(number, h, |power| lost * power);
            self.change(number, |world, at| world.change_by_loads(at) * -part);
        }
    }

    /// The part `c` in s, at most the step, with which `v - c a` has less kinetic energy than `v` by some work, if that is positive: the smaller solution of
    ///
    /// ```text
    /// c (v . M a) - c^2 (a . M a) / 2 = work
    /// ```
    ///
    /// or what comes nearest to it. `work` is a function of the power `v . M a`.
    fn part_to_take_back(&self, number: usize, h: f64, work: impl Fn(f64) -> f64) -> f64 {
        let (mut power, mut square) = (0.0, 0.0);
        for &body in self.system.components[number].bodies() {
            let at = body as usize;
            let a = self.change_by_loads(at);
            let impulse = self.impulse_for(at, &a);
            power += product(&self.bodies.velocities[at], &impulse);
            square += product(&a, &impulse);
        }
        let work = work(power);
        if !(square > 0.0 && work > 0.0) {
            return 0.0;
        }
        let root = (power * power - 2.0 * square * work).max(0.0).sqrt();
        let part = if root > 0.0 { 2.0 * work / (power + root.copysign(power)) } else { power / square };
        part.clamp(-h, h)
    }

    /// Closes the joints of groups that whirl near contacts on positions, by no more than overlaps are taken apart in a step.
    pub(super) fn close_whirling(&mut self, h: f64, budget: &mut Budget) {
        /// Sweeps, at most; direct solvers take a few.
        const SWEEPS: usize = 50;
        /// Part of the tolerance on positions that is left.
        const LEFT: f64 = 0.1;
        let World { system, bodies, joints, options, rotors, pool, .. } = self;
        system.mark(|component| component.turns_far(bodies, h));
        if !system.any_marked() {
            return;
        }
        system.read(joints, bodies);
        let tolerance = options.position_tolerance;
        let opened = |joint: u32| joints[joint as usize].error() > tolerance;
        let JointSystem { blocks, components, .. } = system;
        components.iter_mut().for_each(|component| component.whirls = false);
        for block in blocks.iter().filter(|block| !block.immovable && opened(block.joint)) {
            let component = &mut components[block.component as usize];
            component.whirls = component.marked;
        }
        if !components.iter().any(|component| component.whirls) {
            return;
        }
        system.choose(|component| component.whirls);
        // Ways are velocities here, and a second is the step.
        system.components.iter_mut().for_each(|component| component.whirls = false);
        system.detours.clear();
        system.ways.clear();
        system.ways.resize(bodies.len(), Twist::ZERO);
        std::mem::swap(&mut bodies.velocities, &mut system.ways);
        let closing = options.contact.largest_correction;
        let spell = Spell { before: true, step: 1.0, span: 0.0, closing };
        let aim = Aim { position: LEFT * tolerance, velocity: f64::INFINITY, most_sweeps: SWEEPS };
        system.taking_part().for_each(|block| joints[block.joint as usize].memory = [[0.0; MOST_ROWS]; 2]);
        let mut means = Means { budget, pool: pool.as_deref() };
        system.position_phase(joints, bodies, rotors, &spell, &aim, &mut means);
        system.taking_part().for_each(|block| joints[block.joint as usize].memory = [[0.0; MOST_ROWS]; 2]);
        std::mem::swap(&mut bodies.velocities, &mut system.ways);
        for at in 0..self.bodies.len() {
            self.move_to_close(at);
        }
        self.system.read(&mut self.joints, &self.bodies);
    }

    fn move_to_close(&mut self, at: usize) {
        let way = self.system.ways[at];
        if way == Twist::ZERO || !self.bodies.is_movable(at) {
            return;
        }
        let (before, start) = (self.state_of(at), self.bodies.poses[at]);
        let end = drifted(&start, &self.rotors[at], way.linear, way.angular, 1.0);
        let spin = start.rotation.conjugate() * self.bodies.velocities[at].angular;
        self.bodies.poses[at] = end;
        self.bodies.velocities[at].angular = end.rotation * spin;
        self.bodies.turn_inertia(at);
        self.book_closing(at, before);
    }
}

fn product(velocity: &Twist, impulse: &Twist) -> f64 {
    velocity.linear.dot(impulse.linear) + velocity.angular.dot(impulse.angular)
}

/// Visits the groups on both sides of a manifold.
fn visit_groups(
    system: &mut JointSystem,
    manifold: &ManifoldView<'_>,
    mut visit: impl FnMut(&mut Component),
) {
    for side in [manifold.a, manifold.b] {
        if let Side::Body(body) = side
            && let Some(number) = system.component_of(body as usize)
        {
            visit(&mut system.components[number]);
        }
    }
}

impl Component {
    /// What acts on its tree in its flight: nothing if loads gave their impulse before contacts.
    pub(super) fn load<'a>(&self, load: Load<'a>, none: &'a [Wrench]) -> Load<'a> {
        match self.launch {
            Launch::Pressed => Load { gravity: DVec3::ZERO, loads: none, ..load },
            Launch::Free | Launch::Hit => load,
        }
    }

    /// True if it is near contacts, turns by more than a little in `h` seconds, and has a tree that knows no more than joints and loads.
    fn turns_far(&self, bodies: &Bodies, h: f64) -> bool {
        let plain = |tree: &crate::solver::tree::TreeSolver| !tree.has_springs() && !tree.has_limits();
        let turns = |&body: &u32| bodies.velocities[body as usize].angular.norm() * h > WHIRL;
        self.touching && !self.solid && self.tree.as_ref().is_ok_and(plain) && self.bodies().iter().any(turns)
    }
}

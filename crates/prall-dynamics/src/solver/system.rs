//! [`JointSystem`]: all joints of a world, ordered for the solvers.

use prall_math::{Pose, Twist, Wrench};
use prall_mechanics::Bodies;
use rayon::prelude::*;

use super::Solver;
use super::choice::{MOST_NUMBERS, depth, is_worth_factoring};
use super::colour::{Groups, colour_edges};
use super::conjugate::Course;
use super::direct::{Direct, Factor, Structure};
use super::tree::{Saved, TreeObstacle, TreeSolver};
use crate::flight::{Rotor, drifted};
use crate::handle::Places;
use crate::joint::Joint;
use crate::joint::block::Block;
use crate::joint::rows::Spell;

/// Joints of one colour that are worth a parallel visit.
const LEAST_PARALLEL: usize = 128;

/// A look-ahead is better than another if its error is this part of the other's.
const BETTER: f64 = 0.9;
/// Sweeps along a course have led astray if the error is so many times the best one: less may happen on the way.
const ASTRAY: f64 = 2.0;
/// A joint is far from closed above this error, in m or rad: a thousand times what steps leave, at most.
const OPEN: f64 = 1e-3;

/// What becomes of what was done since the last look-ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    GoOn,
    Keep,
    TakeBack,
}

/// What contacts did to a group before its tree took off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Launch {
    /// Nothing.
    Free,
    /// Impacts, before its loads act.
    Hit,
    /// They press it, with the impulse of its loads.
    Pressed,
}

/// Bodies that hang together by joints.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// Joints in it that can be solved.
    pub(crate) joints: usize,
    /// True if no two of its joints close a loop.
    acyclic: bool,
    /// The direct solver, where it is used.
    direct: Option<Direct>,
    /// The tree solver, or why there is none.
    pub(crate) tree: Result<TreeSolver, TreeObstacle>,
    /// True if the tree has moved its bodies in this part of the step.
    pub(crate) carried: bool,
    /// Its bodies are moved under the rule that nothing overlaps.
    pub(crate) solid: bool,
    /// It turns far in this part of the step, near contacts: contacts act on its velocities, then its tree flies.
    pub(crate) whirls: bool,
    /// Its bodies had the impulse of their loads before contacts.
    pub(crate) kicked: bool,
    /// How its tree takes off.
    pub(crate) launch: Launch,
    /// Part of the present part of the step that its tree flew.
    pub(crate) flown: f64,
    /// Found by the present search.
    pub(crate) marked: bool,
    /// False while it is left out.
    pub(crate) active: bool,
    /// True if one of its bodies has contacts in this step.
    pub(crate) touching: bool,
    /// A contact with one of its bodies bore lasting load in the last step, or may come to bear weight.
    pub(crate) loaded: bool,
    /// True if it was active when the phase began.
    pub(crate) taking_part: bool,
    /// Largest predicted error in m or rad, or error of a rate in m/s or rad/s.
    pub(crate) error: f64,
    /// Largest error that the last sweep found, in m/s or rad/s.
    pub(crate) residual: f64,
    /// The same of bounded rows, as far as they changed.
    pub(crate) bounded_residual: f64,
    /// True if one of its joints is far from closed: look-aheads of parts that turn to each other may get worse before they get
    /// better, and are not taken back.
    pub(crate) open: bool,
    /// Its movable bodies, with their velocities at the best look-ahead of this phase, and the error there.
    bodies: Vec<u32>,
    best: Vec<Twist>,
    best_error: f64,
    /// Error at the last look-ahead, and how often it did not shrink.
    pub(crate) last_error: f64,
    pub(crate) stalls: u32,
    /// True if the phase ended within tolerance: then its impulses are worth beginning the next one with.
    pub(crate) converged: bool,
    /// Where sweeps were going, and what the last one gained, in J.
    pub(super) course: Course,
    pub(super) gain: f64,
    /// True if its courses have led astray in this phase.
    pub(super) plain: bool,
    verdict: Verdict,
}

impl Component {
    fn new(acyclic: bool) -> Component {
        Component {
            joints: 0,
            acyclic,
            direct: None,
            tree: Err(TreeObstacle::NotChosen),
            carried: false,
            solid: false,
            whirls: false,
            kicked: true,
            launch: Launch::Free,
            flown: 1.0,
            marked: false,
            active: false,
            touching: false,
            loaded: false,
            taking_part: false,
            error: 0.0,
            residual: 0.0,
            bounded_residual: 0.0,
            open: false,
            bodies: Vec::new(),
            best: Vec::new(),
            best_error: f64::INFINITY,
            last_error: 0.0,
            stalls: 0,
            converged: false,
            course: Course::default(),
            gain: 0.0,
            plain: false,
            verdict: Verdict::GoOn,
        }
    }

    /// Its bodies that can be moved.
    pub(crate) fn bodies(&self) -> &[u32] {
        &self.bodies
    }

    /// True if its tree is to be tried in this part of the step.
    pub(crate) fn is_tree(&self) -> bool {
        self.tree.is_ok() && !self.touching
    }

    /// True if it will hardly be moved by impulses at the start of a step.
    pub(crate) fn is_stable(&self) -> bool {
        self.is_tree() && self.tree.as_ref().is_ok_and(|tree| tree.refused.is_none())
    }

    /// Why the tree did not move it in the last part of the step.
    pub(crate) fn obstacle(&self) -> Option<TreeObstacle> {
        match &self.tree {
            Err(obstacle) => Some(*obstacle),
            Ok(_) if self.touching && !self.carried => Some(TreeObstacle::Contact),
            Ok(tree) => tree.refused,
        }
    }

    /// What moved it in the last part of the step.
    pub(crate) fn solver(&self) -> Solver {
        match (&self.direct, self.carried) {
            (_, true) => Solver::Tree,
            (Some(_), false) => Solver::Direct,
            (None, false) => Solver::Iterative,
        }
    }
}

/// Blocks of all joints, colour by colour, and the groups that they make.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointSystem {
    pub(crate) blocks: Vec<Block>,
    /// Where each colour ends in `blocks`.
    colour_ends: Vec<usize>,
    pub(crate) components: Vec<Component>,
    /// Jointed bodies: index and component.
    pub(crate) jointed: Vec<(u32, u32)>,
    /// Component of each body; `u32::MAX` without joints.
    components_of: Vec<u32>,
    predicted: Vec<Pose>,
    /// Components that were active when blocks were marked last.
    marked: Vec<bool>,
    /// By body: its mean velocity over the step less that at its end, of bodies near contacts; empty if there are none. Where nothing presses them that is
    /// half of what loads do, so that they go the way of those that fly; and impacts come on the way.
    pub(crate) detours: Vec<Twist>,
    /// By body: velocities to go back to, of before contacts were solved, and then of when trees took off.
    pub(crate) launched: Vec<Twist>,
    /// By body: nothing.
    pub(crate) no_loads: Vec<Wrench>,
    /// By body: the way in m and rad that closes joints.
    pub(crate) ways: Vec<Twist>,
}

impl JointSystem {
    /// Orders joints after a change of the topology.
    pub(crate) fn rebuild(
        &mut self,
        places: &Places,
        joints: &[Joint],
        bodies: &Bodies,
        rotors: &[Rotor],
        solver: Solver,
    ) {
        let movable = |body: u32| bodies.is_movable(body as usize);
        let list: Vec<(u32, [u32; 2])> = places.iter().map(|at| (at as u32, joints[at].bodies)).collect();
        let edges: Vec<[u32; 2]> = list.iter().map(|(_, edge)| *edge).collect();
        let mut colours = Vec::new();
        let count = colour_edges(&edges, movable, bodies.len(), &mut colours);

        let mut groups = Groups::default();
        groups.reset(bodies.len());
        // Two joints of one component to bodies that do not move are a loop through the ground.
        let mut grounded = vec![false; bodies.len()];
        let mut cyclic = vec![false; bodies.len()];
        for &[a, b] in &edges {
            match (movable(a), movable(b)) {
                (true, true) => {
                    let (a, b) = (groups.find(a), groups.find(b));
                    let both = grounded[a as usize] && grounded[b as usize];
                    let loops = cyclic[a as usize] || cyclic[b as usize] || both || a == b;
                    let ground = grounded[a as usize] || grounded[b as usize];
                    groups.unite(a, b);
                    let root = groups.find(a) as usize;
                    (grounded[root], cyclic[root]) = (ground, loops);
                }
                (true, false) | (false, true) => {
                    let root = groups.find(if movable(a) { a } else { b }) as usize;
                    cyclic[root] |= grounded[root];
                    grounded[root] = true;
                }
                (false, false) => {}
            }
        }
        self.number_components(&edges, &movable, &mut groups, &cyclic, bodies.len());
        self.order_blocks(&list, &colours, count, &movable);
        for block in &mut self.blocks {
            let joint = &joints[block.joint as usize];
            block.points = joint.is_read_on_demand().then(|| joint.frames.map(|frame| frame.translation));
        }
        if solver != Solver::Iterative {
            self.make_direct(joints, &movable, solver);
        }
        if matches!(solver, Solver::Tree | Solver::Auto) {
            self.make_trees(joints, bodies, rotors);
        }
        self.predicted.clear();
        self.predicted.extend_from_slice(&bodies.poses);
    }

    fn number_components(
        &mut self,
        edges: &[[u32; 2]],
        movable: &impl Fn(u32) -> bool,
        groups: &mut Groups,
        cyclic: &[bool],
        bodies: usize,
    ) {
        self.components.clear();
        self.jointed.clear();
        self.components_of.clear();
        self.components_of.resize(bodies, u32::MAX);
        let mut number = vec![u32::MAX; bodies];
        for edge in edges {
            let Some(&body) = edge.iter().find(|&&body| movable(body)) else { continue };
            let root = groups.find(body) as usize;
            if number[root] == u32::MAX {
                number[root] = self.components.len() as u32;
                self.components.push(Component::new(!cyclic[root]));
            }
            let component = number[root];
            self.components[component as usize].joints += 1;
            for &body in edge {
                if self.components_of[body as usize] == u32::MAX {
                    self.jointed.push((body, if movable(body) { component } else { u32::MAX }));
                    // An unmoved body belongs to nobody; any mark keeps it from being listed twice.
                    self.components_of[body as usize] = component;
                }
            }
        }
        for body in 0..bodies {
            if !movable(body as u32) {
                self.components_of[body] = u32::MAX;
            }
        }
        self.jointed.sort_unstable();
        for &(body, component) in self.jointed.iter().filter(|(_, component)| *component != u32::MAX) {
            let component = &mut self.components[component as usize];
            component.bodies.push(body);
            component.best.push(Twist::ZERO);
        }
    }

    fn order_blocks(
        &mut self,
        list: &[(u32, [u32; 2])],
        colours: &[u32],
        count: u32,
        movable: &impl Fn(u32) -> bool,
    ) {
        self.blocks.clear();
        self.marked.clear();
        self.colour_ends.clear();
        for colour in 0..count {
            for (&(joint, edge), _) in list.iter().zip(colours).filter(|(_, own)| **own == colour) {
                let component = edge.iter().find(|&&body| movable(body));
                let number = component.map_or(u32::MAX, |&body| self.components_of[body as usize]);
                self.blocks.push(Block::new(joint, edge, number, component.is_none()));
            }
            self.colour_ends.push(self.blocks.len());
        }
    }

    /// Prepares the direct solver of every component that it is for.
    fn make_direct(&mut self, joints: &[Joint], movable: &impl Fn(u32) -> bool, solver: Solver) {
        let mut members = vec![Vec::new(); self.components.len()];
        for (at, block) in self.blocks.iter().enumerate().filter(|(_, block)| !block.immovable) {
            members[block.component as usize].push(at as u32);
        }
        for (component, members) in self.components.iter_mut().zip(&members) {
            let sizes: Vec<usize> = members
                .iter()
                .map(|&at| joints[self.blocks[at as usize].joint as usize].most_rows())
                .collect();
            let structure = Structure::new(&self.blocks, members, &sizes, movable, component.acyclic);
            let own = sizes.iter().map(|&n| (n * n * n) as f64).sum::<f64>();
            let edges: Vec<[u32; 2]> = members.iter().map(|&at| self.blocks[at as usize].bodies).collect();
            let chosen = solver != Solver::Auto
                || structure.numbers <= MOST_NUMBERS
                    && is_worth_factoring(structure.work, own, depth(&edges, movable));
            if chosen {
                let mut direct = Direct::new(structure);
                direct.arrange(&mut self.blocks, members);
                component.direct = Some(direct);
                for &at in members {
                    let block = &mut self.blocks[at as usize];
                    (block.direct, block.redundant) = (true, !component.acyclic);
                }
            }
        }
    }

    /// Makes the trees of components that are or may be trees.
    fn make_trees(&mut self, joints: &[Joint], bodies: &Bodies, rotors: &[Rotor]) {
        let mut members = vec![Vec::new(); self.components.len()];
        for block in self.blocks.iter().filter(|block| !block.immovable) {
            members[block.component as usize].push(block.joint);
        }
        for (component, members) in self.components.iter_mut().zip(&mut members) {
            // Blocks are ordered by colour; trees shall not depend on that.
            members.sort_unstable();
            component.tree = TreeSolver::new(members, joints, bodies, rotors);
        }
    }

    /// What is saved of the trees.
    pub(crate) fn save_trees(&self) -> Vec<Option<Saved>> {
        self.components.iter().map(|component| component.tree.as_ref().ok().map(TreeSolver::save)).collect()
    }

    /// Gives the trees of a system that was just ordered their saved state; false if it is of another one.
    pub(crate) fn restore_trees(&mut self, saved: &[Option<Saved>]) -> bool {
        saved.len() == self.components.len()
            && self.components.iter_mut().zip(saved).all(|(component, saved)| {
                match (&mut component.tree, saved) {
                    (Ok(tree), Some(saved)) => tree.restore(saved),
                    (Err(_), None) => true,
                    _ => false,
                }
            })
    }

    /// The factors that direct solvers keep.
    pub(crate) fn save_factors(&self) -> Vec<Option<Factor>> {
        self.components.iter().map(|component| component.direct.as_ref().and_then(Direct::save)).collect()
    }

    /// Gives the direct solvers of a system that was just ordered their saved factors; false if they are of another one.
    pub(crate) fn restore_factors(&mut self, saved: &[Option<Factor>]) -> bool {
        saved.len() == self.components.len()
            && self.components.iter_mut().zip(saved).all(|(component, saved)| {
                match (&mut component.direct, saved) {
                    (Some(direct), Some(saved)) => direct.restore(saved),
                    (_, saved) => saved.is_none(),
                }
            })
    }

    /// True if the body's tree has moved it in this part of the step.
    pub(crate) fn is_carried(&self, body: usize) -> bool {
        self.component_of(body).is_some_and(|component| self.components[component].carried)
    }

    /// Begins a phase of the direct solvers.
    pub(crate) fn begin_direct(&mut self) {
        let active = self.components.iter_mut().filter(|component| component.active);
        for direct in active.filter_map(|component| component.direct.as_mut()) {
            direct.begin(&self.blocks);
        }
    }

    /// One direct solve of every active component that has one; returns the largest error before.
    fn solve_direct(&mut self, velocities: &mut [Twist]) -> f64 {
        let mut largest = 0.0_f64;
        for component in self.components.iter_mut().filter(|component| component.active) {
            if let Some(direct) = &mut component.direct {
                component.residual = direct.solve(&mut self.blocks, velocities);
                component.bounded_residual = 0.0;
                largest = largest.max(component.residual);
            }
        }
        largest
    }

    /// Keeps what was done since the last look-ahead where that was better than anything before, and takes it back elsewhere, but for
    /// plain sweeps. True if something was taken back: one has to look ahead again, unless it was the `last` one.
    pub(crate) fn keep_better(&mut self, velocities: &mut [Twist], last: bool) -> bool {
        let mut taken_back = false;
        for component in self.components.iter_mut().filter(|component| component.active) {
            component.verdict = Verdict::GoOn;
            if component.open || component.error < BETTER * component.best_error {
                component.best_error = component.error;
                component.verdict = Verdict::Keep;
                for (best, &body) in component.best.iter_mut().zip(&component.bodies) {
                    *best = velocities[body as usize];
                }
            } else if component.direct.is_some()
                || component.error > if last { 1.0 } else { ASTRAY } * component.best_error
                    && !component.plain
            {
                (taken_back, component.plain) = (true, true);
                component.error = component.best_error;
                component.verdict = Verdict::TakeBack;
                for (best, &body) in component.best.iter().zip(&component.bodies) {
                    velocities[body as usize] = *best;
                }
            }
            match (&mut component.direct, component.verdict) {
                (Some(direct), Verdict::Keep) => direct.keep(&self.blocks),
                (Some(direct), Verdict::TakeBack) => component.active = direct.take_back(&mut self.blocks),
                _ => {}
            }
        }
        for block in self.blocks.iter_mut().filter(|block| block.active) {
            let component = &self.components[block.component as usize];
            match (&component.direct, component.verdict) {
                (None, Verdict::Keep) => block.keep(),
                (None, Verdict::TakeBack) => block.go_back(),
                _ => {}
            }
        }
        self.mark_blocks();
        taken_back
    }

    /// How often matrices were factored since the joints were ordered.
    pub(crate) fn factorisations(&self) -> usize {
        self.components.iter().filter_map(|c| c.direct.as_ref()).map(|direct| direct.factorisations).sum()
    }

    /// Marks the components that are looked for.
    pub(crate) fn mark(&mut self, wanted: impl Fn(&Component) -> bool) {
        for component in &mut self.components {
            component.marked = wanted(component);
        }
    }

    /// True if some component is marked.
    pub(crate) fn any_marked(&self) -> bool {
        self.components.iter().any(|component| component.marked)
    }

    /// The component that a movable body is jointed into.
    pub(crate) fn component_of(&self, body: usize) -> Option<usize> {
        self.components_of.get(body).filter(|number| **number != u32::MAX).map(|number| *number as usize)
    }

    /// True if some component is still to be solved.
    pub(crate) fn any_active(&self) -> bool {
        self.components.iter().any(|component| component.active)
    }

    /// Chooses the components that take part in the next phase.
    pub(crate) fn choose(&mut self, chosen: impl Fn(&Component) -> bool) {
        for component in &mut self.components {
            component.active = chosen(component);
            component.taking_part = component.active;
            (component.error, component.residual) = (0.0, 0.0);
            (component.bounded_residual, component.last_error) = (f64::INFINITY, f64::INFINITY);
            (component.stalls, component.converged) = (0, false);
            (component.best_error, component.open) = (f64::INFINITY, false);
            (component.course, component.plain) = (Course::default(), false);
        }
        self.mark_blocks();
    }

    /// Marks the blocks of active components, if these are others than before.
    pub(crate) fn mark_blocks(&mut self) {
        if self.marked.len() == self.components.len()
            && self.marked.iter().zip(&self.components).all(|(marked, component)| *marked == component.active)
        {
            return;
        }
        self.marked.clear();
        self.marked.extend(self.components.iter().map(|component| component.active));
        for block in &mut self.blocks {
            block.active = !block.immovable && self.components[block.component as usize].active;
        }
    }

    /// Prepares the rows of active blocks.
    pub(crate) fn prepare(&mut self, joints: &[Joint], bodies: &Bodies, spell: &Spell) {
        for block in self.blocks.iter_mut().filter(|block| block.active) {
            let joint = &joints[block.joint as usize];
            block.prepare(joint, bodies, spell);
            self.components[block.component as usize].open |= joint.error() > OPEN;
        }
    }

    /// Applies the impulses to begin with.
    pub(crate) fn warm_start(&self, velocities: &mut [Twist]) {
        let begun = |block: &&Block| block.active && !(block.redundant && block.bounded.is_empty());
        for block in self.blocks.iter().filter(begun) {
            let started = block.with_impulses(block.velocities(velocities));
            store(block, started, velocities);
        }
    }

    /// Looks ahead with the present velocities, and sets what the active blocks aim at.
    pub(crate) fn look_ahead(&mut self, joints: &[Joint], bodies: &Bodies, rotors: &[Rotor], spell: &Spell) {
        for &(body, component) in &self.jointed {
            let body = body as usize;
            if component == u32::MAX || self.components[component as usize].active {
                let v = bodies.velocities[body] + self.detour(body);
                self.predicted[body] =
                    drifted(&bodies.poses[body], &rotors[body], v.linear, v.angular, spell.step);
            }
        }
        self.components.iter_mut().filter(|c| c.active).for_each(|c| c.error = 0.0);
        self.forget_courses();
        for block in self.blocks.iter_mut().filter(|block| block.active) {
            if self.components[block.component as usize].whirls {
                block.aim_at_rest();
                continue;
            }
            let [a, b] = block.bodies.map(|body| body as usize);
            let v = block.velocities(&bodies.velocities);
            let poses = [&self.predicted[a], &self.predicted[b]];
            let miss = block.aim(&joints[block.joint as usize], poses, &v, spell);
            let component = &mut self.components[block.component as usize];
            component.error = component.error.max(miss);
        }
    }

    /// The mean velocity of a body over the step less that at its end, as joints near contacts look ahead.
    pub(crate) fn detour(&self, body: usize) -> Twist {
        self.detours.get(body).copied().unwrap_or(Twist::ZERO)
    }

    /// Adds to a body's detour.
    pub(crate) fn add_detour(&mut self, body: usize, detour: Twist) {
        if self.detours.is_empty() {
            self.detours.resize(self.components_of.len(), Twist::ZERO);
        }
        self.detours[body] = self.detours[body] + detour;
    }

    /// One visit to every active joint, colour by colour. The number of threads does not change the bits.
    pub(crate) fn sweep(&mut self, velocities: &mut [Twist], pool: Option<&rayon::ThreadPool>) -> f64 {
        self.components.iter_mut().filter(|c| c.active).for_each(|component| {
            (component.residual, component.bounded_residual) = (0.0, 0.0);
        });
        let largest = self.solve_direct(velocities);
        largest.max(self.sweep_blocks(velocities, pool))
    }

    fn sweep_blocks(&mut self, velocities: &mut [Twist], pool: Option<&rayon::ThreadPool>) -> f64 {
        if self.components.iter().all(|component| !component.active || component.direct.is_some()) {
            return 0.0;
        }
        let swept = |block: &Block| block.active && !block.direct;
        self.follow_courses(velocities);
        let mut start = 0;
        for &end in &self.colour_ends {
            let colour = &mut self.blocks[start..end];
            start = end;
            match pool {
                Some(pool) if colour.len() >= LEAST_PARALLEL => {
                    let shared = &*velocities;
                    pool.install(|| {
                        colour.par_iter_mut().filter(|block| swept(block)).for_each(|block| {
                            block.relax(block.velocities(shared));
                        });
                    });
                    for block in colour.iter().filter(|block| swept(block)) {
                        store(block, block.after, velocities);
                    }
                }
                _ => {
                    for block in colour.iter_mut().filter(|block| swept(block)) {
                        block.relax(block.velocities(velocities));
                        store(block, block.after, velocities);
                    }
                }
            }
        }
        let mut largest = 0.0_f64;
        for block in self.blocks.iter().filter(|block| block.active) {
            let component = &mut self.components[block.component as usize];
            if component.direct.is_some() {
                continue;
            }
            component.residual = component.residual.max(block.residual);
            component.bounded_residual = component.bounded_residual.max(block.bounded_residual);
            largest = largest.max(block.residual);
        }
        self.set_courses();
        largest
    }

    /// Number of active blocks: the work of a sweep.
    pub(crate) fn active_blocks(&self) -> u64 {
        self.blocks.iter().filter(|block| block.active).count() as u64
    }

    /// The blocks of the components that take part in this phase.
    pub(crate) fn taking_part(&self) -> impl Iterator<Item = &Block> {
        let takes =
            |block: &&Block| !block.immovable && self.components[block.component as usize].taking_part;
        self.blocks.iter().filter(takes)
    }

    /// Keeps the impulses of the phase for the next step.
    pub(crate) fn remember(&self, joints: &mut [Joint], spell: &Spell) {
        for block in self.taking_part() {
            let memory = &mut joints[block.joint as usize].memory[spell.memory()];
            memory.fill(0.0);
            // Impulses that were cut short would feed on themselves as a start.
            if self.components[block.component as usize].converged {
                memory[..block.equalities].copy_from_slice(&block.impulses[..block.equalities]);
            }
            block.bounded.iter().for_each(|row| memory[row.slot] = row.impulse);
        }
    }

    /// Reads coordinates and errors of all joints at the present poses.
    pub(crate) fn read(&self, joints: &mut [Joint], bodies: &Bodies) {
        for block in &self.blocks {
            let joint = &mut joints[block.joint as usize];
            let [a, b] = block.bodies.map(|body| body as usize);
            joint.read(&block.frames(joint, [&bodies.poses[a], &bodies.poses[b]]));
        }
    }

    /// Adds to the reactions of joints of some groups what was given in this phase, in N s and N m s about the origin on body 2.
    pub(crate) fn add_reactions(
        &self,
        joints: &mut [Joint],
        bodies: &Bodies,
        whose: impl Fn(&Component) -> bool,
    ) {
        for block in self.taking_part().filter(|block| whose(&self.components[block.component as usize])) {
            let joint = &mut joints[block.joint as usize];
            let pose = &bodies.poses[block.bodies[1] as usize];
            let arm = pose.transform_vector(joint.frames[1].translation);
            let mut add = |row: &crate::joint::frames::Row, impulse: f64| {
                let force = row.linear * impulse;
                joint.reaction.force += force;
                // From the centre of mass to the joint's origin.
                joint.reaction.torque += row.angular[1] * impulse - arm.cross(force);
            };
            for i in 0..block.equalities {
                add(&block.rows[i], block.impulses[i]);
            }
            block.bounded.iter().for_each(|row| add(&row.row, row.impulse));
        }
    }
}

fn store(block: &Block, after: [Twist; 2], velocities: &mut [Twist]) {
    velocities[block.bodies[0] as usize] = after[0];
    velocities[block.bodies[1] as usize] = after[1];
}

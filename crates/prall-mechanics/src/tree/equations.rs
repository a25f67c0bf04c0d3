//! The equations of motion `M du/dt = h` in minimal velocities, two ways beside the O(n) recursion.
//!
//! - Assembly from Jacobians, each column the velocities of all links for one unit velocity (Rempfler 2015, 2.19):
//!   `M = sum J_S^T m J_S + J_R^T Theta J_R`, `h = sum J_S^T (F - m kappa_S) + J_R^T (T - Theta kappa_R - w x Theta w)`.
//! - Composite rigid bodies, and a factorisation `M = L^T D L` that fills only rows of ancestors (Featherstone 2008).
//!
//! Both are for who wants the matrix, and oracles of [`Tree::accelerations`], which is faster from three bodies on.
//! Velocities `u` by link: free (velocity of the centre of mass, angular velocity), ball (angular velocity against the
//! parent, world axes), axis (rate).

use glam::DVec3;
use prall_math::{Twist, Wrench};

use super::Tree;
use super::articulated::Articulated;
use super::link::{Kind, Link};

/// `M` and `h` of a tree at its present state, dense and row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Equations {
    /// Number of minimal velocities.
    pub size: usize,
    /// Mass matrix.
    pub mass: Vec<f64>,
    /// Generalised forces, gyroscopic and centripetal terms included.
    pub force: Vec<f64>,
    /// For every velocity the one before it on the way to the root.
    ancestor: Vec<Option<u32>>,
}

impl Equations {
    /// `du/dt` by elimination in the whole matrix.
    pub fn solve_dense(&self) -> Vec<f64> {
        let (mut matrix, mut right) = (self.mass.clone(), self.force.clone());
        super::dense::solve_dense(&mut matrix, &mut right);
        right
    }

    /// `du/dt` by the factorisation that visits ancestors only.
    ///
    /// Deep chains make it O(n^2) and worse; the recursion does not mind.
    pub fn solve_branches(&self) -> Vec<f64> {
        let n = self.size;
        let (mut l, mut x) = (self.mass.clone(), self.force.clone());
        let ancestors = |from: usize| {
            std::iter::successors(self.ancestor[from], |&index| self.ancestor[index as usize])
                .map(|index| index as usize)
        };
        for k in (0..n).rev() {
            let pivot = l[k * n + k];
            for i in ancestors(k) {
                let share = l[k * n + i] / pivot;
                for j in std::iter::once(i).chain(ancestors(i)) {
                    l[i * n + j] -= share * l[k * n + j];
                }
                l[k * n + i] = share;
            }
        }
        for k in (0..n).rev() {
            for i in ancestors(k) {
                x[i] -= l[k * n + i] * x[k];
            }
        }
        for k in 0..n {
            x[k] /= l[k * n + k];
            for i in ancestors(k) {
                x[k] -= l[k * n + i] * x[i];
            }
        }
        x
    }
}

impl Tree {
    /// How many minimal velocities it has.
    pub fn degrees_of_freedom(&self) -> usize {
        self.links.iter().map(|link| freedoms(link.kind)).sum()
    }

    /// The present minimal velocities.
    pub fn minimal_velocities(&self) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.degrees_of_freedom());
        for (link, state) in self.links.iter().zip(&self.states) {
            let relative = state.angular - self.states[link.parent as usize].angular;
            match link.kind {
                Kind::Free => all.extend([state.velocity, state.angular].iter().flat_map(DVec3::to_array)),
                Kind::Ball => all.extend(relative.to_array()),
                Kind::Revolute | Kind::Prismatic | Kind::Guided => all.push(state.rate),
                _ => {}
            }
        }
        all
    }

    /// `du/dt` by the O(n) recursion, in the same order.
    pub fn minimal_accelerations(&mut self, gravity: DVec3) -> Vec<f64> {
        self.accelerations(gravity, |_, _| {});
        let mut all = Vec::with_capacity(self.degrees_of_freedom());
        let articulated = &self.work.articulated;
        for (index, link) in self.links.iter().enumerate() {
            let motion = articulated.motion[index];
            let relative = motion.angular - articulated.motion[link.parent as usize].angular;
            match link.kind {
                Kind::Free => all.extend([motion.linear, motion.angular].iter().flat_map(DVec3::to_array)),
                Kind::Ball => all.extend(relative.to_array()),
                Kind::Revolute | Kind::Prismatic | Kind::Guided => all.push(articulated.rates[index]),
                _ => {}
            }
        }
        all
    }

    /// Velocity of a node's centre of mass and its angular velocity for one unit of each minimal velocity: the columns
    /// of `J_S` and `J_R`.
    pub fn jacobian(&mut self, node: usize) -> Vec<Twist> {
        let columns = self.unit_velocities();
        let own = self.own(node);
        let center = self.work.articulated.frames[own].center;
        columns.iter().map(|column| column[own].shifted(center)).collect()
    }

    /// The equations assembled from unit-velocity Jacobians.
    pub fn equations_by_jacobians(&mut self, gravity: DVec3) -> Equations {
        let mut equations = self.begin_equations(gravity);
        let size = equations.size;
        let columns = self.unit_velocities();
        let accelerations = self.accelerations_without_freedoms();
        for (index, link) in self.links.iter().enumerate().skip(1).filter(|(_, link)| link.mass > 0.0) {
            let frame = &self.work.articulated.frames[index];
            let state = &self.states[index];
            let external = self.work.link_loads[index];
            let (at, w) = (accelerations[index], state.angular);
            let kappa = at.velocity_at(frame.center) + w.cross(w.cross(frame.center));
            let force = external.force - kappa * link.mass;
            let torque = external.torque - frame.inertia * at.angular - w.cross(frame.inertia * w);
            for (i, column) in columns.iter().enumerate() {
                let a = column[index].shifted(frame.center);
                equations.force[i] += a.power(Wrench::new(force, torque));
                let moved = Wrench::new(a.linear * link.mass, frame.inertia * a.angular);
                for (j, other) in columns.iter().enumerate() {
                    equations.mass[i * size + j] += other[index].shifted(frame.center).power(moved);
                }
            }
        }
        equations
    }

    /// The equations by composite rigid bodies; the matrix in O(n depth).
    pub fn equations_by_composites(&mut self, gravity: DVec3) -> Equations {
        let mut equations = self.begin_equations(gravity);
        let size = equations.size;
        let offsets = offsets(&self.links);
        let accelerations = self.accelerations_without_freedoms();
        let articulated = &mut self.work.articulated;
        articulated.compose(&self.links);
        let mut wrenches = vec![Wrench::ZERO; self.links.len()];
        for (index, link) in self.links.iter().enumerate().rev() {
            let frame = &articulated.frames[index];
            let (w, external) = (self.states[index].angular, self.work.link_loads[index]);
            let kappa = accelerations[index].velocity_at(frame.center) + w.cross(w.cross(frame.center));
            let force = external.force - kappa * link.mass;
            let spin = frame.inertia * accelerations[index].angular + w.cross(frame.inertia * w);
            let total =
                wrenches[index] + Wrench::new(force, external.torque - spin + frame.center.cross(force));
            wrenches[index] = total;
            for (i, axis) in articulated.freedom_axes(link.kind, index).enumerate() {
                let row = offsets[index] + i;
                equations.force[row] += axis.power(total);
                let mut needed = articulated.composite_times(index, axis);
                let mut at = index;
                loop {
                    let own = &articulated.frames[at];
                    for (j, other) in articulated.freedom_axes(self.links[at].kind, at).enumerate() {
                        let value = other.power(needed);
                        equations.mass[row * size + offsets[at] + j] = value;
                        equations.mass[(offsets[at] + j) * size + row] = value;
                    }
                    if at == 0 || self.links[at].kind == Kind::Free {
                        break;
                    }
                    needed.torque += own.lever.cross(needed.force);
                    at = self.links[at].parent as usize;
                }
            }
            let parent = &mut wrenches[link.parent as usize];
            if index > 0 && !matches!(link.kind, Kind::Free | Kind::Kinematic) {
                parent.force += total.force;
                parent.torque += total.torque + frame.lever.cross(total.force);
            }
        }
        equations
    }

    /// Sizes, ancestors and the forces of joint elements; loads and frames are ready afterwards.
    fn begin_equations(&mut self, gravity: DVec3) -> Equations {
        self.ready();
        self.set_link_loads(gravity);
        self.work.articulated.set_pose(&self.links, &self.guided, &self.states);
        let size = self.degrees_of_freedom();
        let offsets = offsets(&self.links);
        let mut equations = Equations {
            size,
            mass: vec![0.0; size * size],
            force: vec![0.0; size],
            ancestor: vec![None; size],
        };
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let mut above = last_freedom(&self.links, &offsets, link.parent as usize);
            for row in offsets[index]..offsets[index] + freedoms(link.kind) {
                equations.ancestor[row] = above;
                above = Some(row as u32);
            }
            if link.kind.is_free_axis() {
                let (element, state) = (&link.element, &self.states[index]);
                equations.force[offsets[index]] =
                    element.spring.force(state.coordinate) - element.damping * state.rate + element.motor;
            }
        }
        equations
    }

    /// Twists of all links at their joint points, one set for each unit velocity.
    fn unit_velocities(&mut self) -> Vec<Vec<Twist>> {
        self.ready();
        self.work.articulated.set_pose(&self.links, &self.guided, &self.states);
        let offsets = offsets(&self.links);
        let frames = &self.work.articulated.frames;
        let column = |unit: usize| {
            let mut twists = vec![Twist::ZERO; self.links.len()];
            for (index, link) in self.links.iter().enumerate().skip(1) {
                let mut twist = match link.kind {
                    Kind::Free | Kind::Kinematic => Twist::ZERO,
                    _ => twists[link.parent as usize].shifted(frames[index].lever),
                };
                if let Some(axis) = unit.checked_sub(offsets[index]) {
                    twist = self
                        .work
                        .articulated
                        .freedom_axes(link.kind, index)
                        .nth(axis)
                        .map_or(twist, |own| twist + own);
                }
                twists[index] = twist;
            }
            twists
        };
        (0..self.degrees_of_freedom()).map(column).collect()
    }

    /// Accelerations at the joint points for `du/dt = 0`.
    fn accelerations_without_freedoms(&self) -> Vec<Twist> {
        let mut twists = vec![Twist::ZERO; self.links.len()];
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let bias = self.acceleration_bias(index);
            let lever = self.work.articulated.frames[index].lever;
            twists[index] = match link.kind {
                Kind::Free | Kind::Kinematic => bias,
                _ => twists[link.parent as usize].shifted(lever) + bias,
            };
        }
        twists
    }
}

pub(super) fn freedoms(kind: Kind) -> usize {
    match kind {
        Kind::Free => 6,
        Kind::Ball => 3,
        Kind::Revolute | Kind::Prismatic | Kind::Guided => 1,
        _ => 0,
    }
}

impl Articulated {
    /// Motion of a link's joint point for a unit of each own velocity.
    fn freedom_axes(&self, kind: Kind, link: usize) -> impl Iterator<Item = Twist> {
        let (linear, angular): (&'static [DVec3], &'static [DVec3]) = match kind {
            Kind::Free => (&DVec3::AXES, &DVec3::AXES),
            Kind::Ball => (&[], &DVec3::AXES),
            _ => (&[], &[]),
        };
        let axis = self.frames[link].axis;
        let single = match kind {
            Kind::Revolute => Some(Twist::new(DVec3::ZERO, axis)),
            Kind::Prismatic => Some(Twist::new(axis, DVec3::ZERO)),
            Kind::Guided => Some(self.screws[link]),
            _ => None,
        };
        let linear = linear.iter().map(|&axis| Twist::new(axis, DVec3::ZERO));
        let angular = angular.iter().map(|&axis| Twist::new(DVec3::ZERO, axis));
        linear.chain(angular).chain(single)
    }
}

pub(super) fn offsets(links: &[Link]) -> Vec<usize> {
    let next = |sum: &mut usize, link: &Link| {
        let at = *sum;
        *sum += freedoms(link.kind);
        Some(at)
    };
    links.iter().scan(0, next).collect()
}

fn last_freedom(links: &[Link], offsets: &[usize], mut link: usize) -> Option<u32> {
    while link != 0 {
        let own = freedoms(links[link].kind);
        if own > 0 {
            return Some((offsets[link] + own - 1) as u32);
        }
        link = links[link].parent as usize;
    }
    None
}

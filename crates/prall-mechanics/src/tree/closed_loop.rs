//! Closed loops: joints beyond the tree's own, as rows that go through the tree's solves.
//!
//! A loop holds a point `d` of link B to one of link A. With the percussion `P` on B (and `-P` on A) at the averaged
//! lever, the gap changes by exactly `h gamma`, `gamma = vb + (d1 - d0)/h`, and the work of `P` is exactly `P.gamma`.
//! A hinge also holds two directions `e` of A across the axis `b` of B: `e1.b1 - e0.b0 = h (wb_B - wb_A).(bb x eb)`,
//! again exactly. Each Newton iteration solves without percussions, gets the response of every row by one more
//! solve, and finds all of this step's percussions at once from the small dense system. At the end pose the velocities
//! are closed by a second one, on the projection's factors.

use glam::DVec3;
use prall_math::{Norm, Twist, Wrench, any_orthonormal};
use serde::{Deserialize, Serialize};

use super::Tree;
use super::articulated::{Articulated, skew_skew};
use super::dense::solve_dense;
use super::description::{Loop, TreeDescription};
use super::link::{Link, NodeLinks};
use super::newton::{Change, Newton, Structure};
use super::state::LinkState;
use super::step::{TreeOptions, TreeReport};

/// Rows may be redundant (a planar four-bar has two too many, Bennett's linkage three): this share of the mean diagonal keeps the
/// system regular. It lies far above rounding: at 1e-13 impulses along the redundant directions were arbitrary, and as each step begins with
/// those of the last one, they grew without bounds and did work on what Newton's method leaves. Gaps are evaluated anew in each
/// iteration, so it costs no accuracy.
const REGULARISATION: f64 = 1e-8;

/// A row is redundant if the rows before it explain it to this share of its own response.
const REDUNDANT: f64 = 1e-7;

/// A loop by links.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinkLoop {
    links: [u32; 2],
    /// From the joint points, in the links' axes.
    points: [DVec3; 2],
    /// For a hinge: two directions of the first link, and the axis of the second.
    hinge: Option<([DVec3; 2], DVec3)>,
}

impl LinkLoop {
    pub(crate) fn all_of(
        description: &TreeDescription,
        links: &[Link],
        nodes: &[NodeLinks],
    ) -> Vec<LinkLoop> {
        let link_of = |node: Option<u32>| node.map_or(0, |node| nodes[node as usize].own);
        let translate = |closed: &Loop| {
            let own = closed.nodes.map(link_of);
            let point = |side: usize| closed.points[side] + links[own[side] as usize].center;
            let hinge = closed.axes.map(|[first, second]| {
                let (u, v) = any_orthonormal(first.unit());
                ([u, v], second.unit())
            });
            LinkLoop { links: own, points: [point(0), point(1)], hinge }
        };
        description.loops.iter().map(translate).collect()
    }

    fn rows(&self) -> usize {
        if self.hinge.is_some() { 5 } else { 3 }
    }

    fn gap(&self, states: &[LinkState]) -> DVec3 {
        let world = |side: usize| {
            let state = &states[self.links[side] as usize];
            state.point + state.rotation * self.points[side]
        };
        world(1) - world(0)
    }

    /// Levers and directions at a pose, given how to turn a link's own directions.
    fn geometry(&self, turn: impl Fn(usize, DVec3) -> DVec3) -> Geometry {
        let [a, b] = self.links.map(|link| link as usize);
        let mut geometry =
            Geometry { levers: [turn(a, self.points[0]), turn(b, self.points[1])], ..Geometry::default() };
        if let Some((directions, axis)) = self.hinge {
            geometry.directions = directions.map(|direction| turn(a, direction));
            geometry.axis = turn(b, axis);
        }
        geometry
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Geometry {
    levers: [DVec3; 2],
    directions: [DVec3; 2],
    axis: DVec3,
}

impl Geometry {
    fn mean(&self, other: &Geometry) -> Geometry {
        let mean = |a: DVec3, b: DVec3| (a + b) * 0.5;
        Geometry {
            levers: [mean(self.levers[0], other.levers[0]), mean(self.levers[1], other.levers[1])],
            directions: [
                mean(self.directions[0], other.directions[0]),
                mean(self.directions[1], other.directions[1]),
            ],
            axis: mean(self.axis, other.axis),
        }
    }

    /// The wrench of a unit of row `row` on one side, about that link's joint point.
    fn unit(&self, row: usize, side: usize) -> Wrench {
        let sign = if side == 1 { 1.0 } else { -1.0 };
        if row < 3 {
            Wrench::from_force_at(DVec3::AXES[row] * sign, self.levers[side])
        } else {
            Wrench::new(DVec3::ZERO, self.axis.cross(self.directions[row - 3]) * sign)
        }
    }

    /// Relative velocity along a row, from both links' motion at their joint points.
    fn velocity(&self, row: usize, motion: [Twist; 2]) -> f64 {
        motion[0].power(self.unit(row, 0)) + motion[1].power(self.unit(row, 1))
    }
}

/// Arrays of the rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopWork {
    at_start: Vec<Geometry>,
    at_end: Vec<Geometry>,
    matrix: Vec<f64>,
    /// For [`LoopWork::redundant_rows`]: the matrix under elimination, and the rows that are not pivots yet.
    factor: Vec<f64>,
    left: Vec<usize>,
    right_side: Vec<f64>,
    /// (loop, row) of every row.
    rows: Vec<(usize, usize)>,
}

impl LoopWork {
    pub(crate) fn row_count(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn resize(&mut self, loops: &[LinkLoop]) {
        self.rows.clear();
        for (index, closed) in loops.iter().enumerate() {
            self.rows.extend((0..closed.rows()).map(|row| (index, row)));
        }
        let count = self.rows.len();
        self.matrix.resize(count * count, 0.0);
        self.right_side.resize(count, 0.0);
        self.at_start.resize(loops.len(), Geometry::default());
        self.at_end.resize(loops.len(), Geometry::default());
    }

    /// Rows of the symmetric matrix that depend on the others, by Cholesky's factor with the largest share of its own diagonal as the
    /// next pivot: what is left of a row then is what no row before it explains.
    fn redundant_rows(&mut self) -> u32 {
        let count = self.right_side.len();
        let LoopWork { matrix, factor, left, .. } = self;
        factor.clone_from(matrix);
        left.clear();
        left.extend((0..count).filter(|&row| matrix[row * count + row] > 0.0));
        let mut rank = 0;
        while !left.is_empty() {
            let share = |row: usize| factor[row * count + row] / matrix[row * count + row];
            let Some(best) = (0..left.len()).max_by(|&a, &b| share(left[a]).total_cmp(&share(left[b])))
            else {
                break;
            };
            let pivot = left[best];
            if !(share(pivot) > REDUNDANT) {
                break;
            }
            left.swap_remove(best);
            rank += 1;
            for &row in left.iter() {
                let multiple = factor[row * count + pivot] / factor[pivot * count + pivot];
                for &column in left.iter() {
                    factor[row * count + column] -= multiple * factor[pivot * count + column];
                }
            }
        }
        count as u32 - rank
    }

    fn regularise(&mut self) {
        let count = self.right_side.len();
        let trace: f64 = (0..count).map(|row| self.matrix[row * count + row]).sum();
        for row in 0..count {
            self.matrix[row * count + row] += REGULARISATION * trace / count as f64;
        }
    }
}

impl Tree {
    pub(crate) fn loop_gap(&self) -> f64 {
        self.loops.iter().map(|closed| closed.gap(&self.states).norm()).fold(0.0, f64::max)
    }

    /// Newton's method with the loops' percussions.
    pub(crate) fn converge_with_loops(&mut self, options: &TreeOptions, report: &mut TreeReport) -> bool {
        let work = &mut self.work.loops;
        for (geometry, closed) in work.at_start.iter_mut().zip(&self.loops) {
            *geometry = closed.geometry(|link, vector| self.states[link].rotation * vector);
        }
        for _ in 0..options.most_iterations {
            report.iterations += 1;
            let change = self.iterate_with_loops();
            if change < options.velocity_tolerance {
                return true;
            }
            if !change.is_finite() {
                return false;
            }
        }
        false
    }

    fn iterate_with_loops(&mut self) -> f64 {
        let (newton, work) = (&mut self.work.newton, &mut self.work.loops);
        let structure = Structure { links: &self.links, guided: &self.guided };
        let h = newton.h;
        for (index, closed) in self.loops.iter().enumerate() {
            let turned = |link: usize, vector: DVec3| {
                newton.trial[link].cayley * (self.states[link].rotation * vector)
            };
            work.at_end[index] = closed.geometry(turned);
            stiffen(newton, closed, &work.at_end[index], &self.loop_forces[index]);
        }
        newton.ascend(structure, &self.memory);
        newton.solve_changes(structure);
        let count = work.rows.len();
        for row in 0..count {
            let (index, part) = work.rows[row];
            let closed = &self.loops[index];
            let error = position_error(
                closed,
                part,
                newton,
                &self.states,
                &work.at_start[index],
                &work.at_end[index],
            );
            work.right_side[row] =
                -(error / h + work.at_end[index].velocity(part, changes_of(newton, closed)));
        }
        for column in 0..count {
            newton.clear_right_sides();
            push_row(newton, &self.loops, work, column, 1.0 / h);
            newton.respond(structure);
            for row in 0..count {
                let (index, part) = work.rows[row];
                work.matrix[row * count + column] =
                    work.at_end[index].velocity(part, changes_of(newton, &self.loops[index]));
            }
        }
        work.regularise();
        solve_dense(&mut work.matrix, &mut work.right_side);
        newton.clear_right_sides();
        for row in 0..count {
            let (index, part) = work.rows[row];
            self.loop_forces[index][part] = work.right_side[row];
            push_row(newton, &self.loops, work, row, work.right_side[row] / h);
        }
        newton.fold_right_sides(structure);
        newton.descend(structure, &mut self.memory)
    }

    /// Removes the loops' relative velocities at the end pose, on the factors that the projection left.
    /// Returns how many rows are redundant.
    pub(crate) fn close_loop_velocities(&mut self) -> u32 {
        let (articulated, work, links) = (&mut self.work.articulated, &mut self.work.loops, &self.links);
        let states = &mut self.work.next;
        for (geometry, closed) in work.at_end.iter_mut().zip(&self.loops) {
            *geometry = closed.geometry(|link, vector| states[link].rotation * vector);
        }
        let count = work.rows.len();
        for row in 0..count {
            let (index, part) = work.rows[row];
            let motion =
                self.loops[index].links.map(|link| states[link as usize].joint_twist(&links[link as usize]));
            work.right_side[row] = -work.at_end[index].velocity(part, motion);
        }
        for column in 0..count {
            articulated.clear();
            load_row(articulated, &self.loops, work, column, 1.0);
            articulated.solve(links);
            for row in 0..count {
                let (index, part) = work.rows[row];
                let motion = self.loops[index].links.map(|link| articulated.motion[link as usize]);
                work.matrix[row * count + column] = work.at_end[index].velocity(part, motion);
            }
        }
        let redundant = work.redundant_rows();
        work.regularise();
        solve_dense(&mut work.matrix, &mut work.right_side);
        articulated.clear();
        for row in 0..count {
            load_row(articulated, &self.loops, work, row, work.right_side[row]);
        }
        articulated.solve(links);
        for (index, state) in states.iter_mut().enumerate().skip(1) {
            let motion = articulated.motion[index];
            state.velocity += motion.velocity_at(articulated.frames[index].center);
            state.angular += motion.angular;
            state.rate += articulated.rates[index];
        }
        redundant
    }
}

impl Tree {
    /// Adds what the loops gave in an accepted part of the step: for the positions, and then for the velocities.
    pub(crate) fn add_loop_reactions(&mut self) {
        let work = &self.work.loops;
        for (row, &(index, part)) in work.rows.iter().enumerate() {
            let impulse = self.loop_forces[index][part] + work.right_side[row];
            let reaction = &mut self.loop_reactions[index];
            if part < 3 {
                reaction.force[part] += impulse;
            } else {
                let geometry = &work.at_end[index];
                reaction.torque += geometry.axis.cross(geometry.directions[part - 3]) * impulse;
            }
        }
    }
}

/// How a row stands at the end of the step: a distance, or the cosine that a hinge's axis has against a direction.
fn position_error(
    closed: &LinkLoop,
    row: usize,
    newton: &Newton,
    states: &[LinkState],
    start: &Geometry,
    end: &Geometry,
) -> f64 {
    if row >= 3 {
        return end.directions[row - 3].dot(end.axis);
    }
    let way = |side: usize| {
        newton.trial[closed.links[side] as usize].velocity * newton.h + end.levers[side] - start.levers[side]
    };
    (closed.gap(states) + way(1) - way(0))[row]
}

fn changes_of(newton: &Newton, closed: &LinkLoop) -> [Twist; 2] {
    closed.links.map(|link| {
        let Change { linear, angular } = newton.changes[link as usize];
        Twist::new(linear, angular)
    })
}

/// `Krr -= P^ d1^ / 2` on both links, with the percussion of the last iteration.
fn stiffen(newton: &mut Newton, closed: &LinkLoop, end: &Geometry, forces: &[f64; 5]) {
    let percussion = DVec3::from_slice(&forces[..3]);
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        newton.blocks[closed.links[side] as usize].rr +=
            skew_skew(percussion * (0.5 * sign), end.levers[side]);
    }
}

/// Adds `scale` of a row to Newton's right-hand side: an external force lowers what the joints must give.
fn push_row(newton: &mut Newton, loops: &[LinkLoop], work: &LoopWork, row: usize, scale: f64) {
    let (index, part) = work.rows[row];
    let geometry = work.at_start[index].mean(&work.at_end[index]);
    for side in 0..2 {
        newton.add_right_side(loops[index].links[side] as usize, geometry.unit(part, side) * -scale);
    }
}

fn load_row(articulated: &mut Articulated, loops: &[LinkLoop], work: &LoopWork, row: usize, scale: f64) {
    let (index, part) = work.rows[row];
    for side in 0..2 {
        let load = &mut articulated.loads[loops[index].links[side] as usize];
        *load = *load - work.at_end[index].unit(part, side) * scale;
    }
}

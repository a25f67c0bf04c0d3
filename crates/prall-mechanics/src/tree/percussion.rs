//! Percussions on a tree, through the factorisation that [`Tree::predict`] left: whitened rows by climbing.
//!
//! The articulated-body recursion factors the mass matrix with O(1) work per joint. An impulse at a point of a link,
//! carried from there to the root, leaves at each joint what its freedoms take of it, divided by the root of the pivot.
//! Those numbers are a *row*. With `z`, the sum of rows times percussions, the velocity change along a row is its dot
//! product with `z`, and the response of one place to another the dot product of two rows; neither the mass matrix nor
//! its inverse is ever formed.
//!
//! ```text
//! ball  row = L^-1 t         f -= X^T t        t = l x f
//! axis  row = (S.F) d^-1/2   F -= U (S.F)/d    t += l x f
//! free  row = (L^-1 t, La^-1 (f - X^T t))
//! ```

use glam::{DMat3, DVec3};
use prall_math::{Twist, Wrench};

use super::Tree;
use super::articulated::Pivot;
use super::lanes::Lanes;
use super::link::Kind;

/// What a joint's freedom takes of `N` impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowPart<const N: usize> {
    /// Index among all freedoms, rising towards the leaves.
    pub freedom: u32,
    /// One number for each impulse.
    pub values: [f64; N],
}

/// Sum of products of two sets of rows over their common freedoms.
///
/// Rows come as [`Tree::climb`] leaves them: freedoms falling.
pub fn row_product<const N: usize, const M: usize>(a: &[RowPart<N>], b: &[RowPart<M>]) -> [[f64; M]; N] {
    let mut product = [[0.0; M]; N];
    let (mut i, mut j) = (0, 0);
    while let (Some(left), Some(right)) = (a.get(i), b.get(j)) {
        if left.freedom > right.freedom {
            i += 1;
        } else if right.freedom > left.freedom {
            j += 1;
        } else {
            for (row, &x) in product.iter_mut().zip(&left.values) {
                for (entry, &y) in row.iter_mut().zip(&right.values) {
                    *entry += x * y;
                }
            }
            i += 1;
            j += 1;
        }
    }
    product
}

impl Tree {
    /// Velocity of a node's material at a world point, and its angular velocity.
    pub fn twist_at(&self, node: usize, point: DVec3) -> Twist {
        let own = self.own(node);
        self.states[own].joint_twist(&self.links[own]).shifted(point - self.states[own].point)
    }

    /// Rows of wrenches (N s, N m s) that act at a world point of a node, appended to `rows`, freedoms falling.
    pub fn climb<const N: usize>(
        &self,
        node: usize,
        point: DVec3,
        wrenches: &[Wrench; N],
        rows: &mut Vec<RowPart<N>>,
    ) {
        self.climb_to(0, (self.own(node), point), wrenches, rows);
    }

    /// The same from a link, and no farther than to another one on its way: what arrives there, about its joint point; nothing arrives
    /// behind a body that floats or is kinematic.
    pub(super) fn climb_to<const N: usize>(
        &self,
        end: usize,
        (from, point): (usize, DVec3),
        wrenches: &[Wrench; N],
        rows: &mut Vec<RowPart<N>>,
    ) -> [Wrench; N] {
        let articulated = &self.work.articulated;
        let mut at = from;
        let mut force = Lanes::<N>::new(|k| wrenches[k].force);
        let mut torque = Lanes::new(|k| wrenches[k].torque).plus_cross(point - self.states[at].point, &force);
        while at != end {
            let frame = &articulated.frames[at];
            let first = articulated.offsets[at];
            match &articulated.pivots[at] {
                Pivot::Rigid if self.links[at].kind == Kind::Kinematic => return [Wrench::ZERO; N],
                Pivot::Rigid => {}
                Pivot::Ball { factor, x } => {
                    push_rows(rows, first, &torque.forward(factor));
                    force = force.minus_transposed(x, &torque);
                    torque = Lanes::new(|_| DVec3::ZERO);
                }
                Pivot::Free { factor, x, linear } => {
                    push_rows(rows, first + 3, &torque.forward(factor));
                    push_rows(rows, first, &force.minus_transposed(x, &torque).forward(linear));
                    return [Wrench::ZERO; N];
                }
                Pivot::Turn { force: u, torque: v, inverse } => {
                    let share = push_axis(rows, first, torque.dot(frame.axis), *inverse);
                    (force, torque) = (force.minus(*u, &share), torque.minus(*v, &share));
                }
                Pivot::Slide { force: u, torque: v, inverse } => {
                    let share = push_axis(rows, first, force.dot(frame.axis), *inverse);
                    (force, torque) = (force.minus(*u, &share), torque.minus(*v, &share));
                }
                Pivot::Screw { force: u, torque: v, inverse } => {
                    let screw = articulated.screws[at];
                    let (along, about) = (force.dot(screw.linear), torque.dot(screw.angular));
                    let taken = std::array::from_fn(|k| along[k] + about[k]);
                    let share = push_axis(rows, first, taken, *inverse);
                    (force, torque) = (force.minus(*u, &share), torque.minus(*v, &share));
                }
            }
            torque = torque.plus_cross(frame.lever, &force);
            at = self.links[at].parent as usize;
        }
        let (force, torque) = (force.components(), torque.components());
        let vector = |parts: &[[f64; N]; 3], k: usize| DVec3::new(parts[0][k], parts[1][k], parts[2][k]);
        std::array::from_fn(|k| Wrench::new(vector(force, k), vector(torque, k)))
    }

    /// Adds the velocities that belong to whitened changes `z`, one number for each freedom.
    pub fn apply_whitened(&mut self, z: &[f64]) {
        let articulated = &mut self.work.articulated;
        articulated.motion[0] = Twist::ZERO;
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let frame = &articulated.frames[index];
            let own = &z[articulated.offsets[index] as usize..];
            let mut motion = articulated.motion[link.parent as usize].shifted(frame.lever);
            let mut rate = 0.0;
            let along = |force: DVec3, torque: DVec3, inverse: f64, motion: Twist| {
                inverse.sqrt() * own[0] - inverse * motion.power(Wrench::new(force, torque))
            };
            match articulated.pivots[index] {
                Pivot::Rigid if link.kind == Kind::Kinematic => motion = Twist::ZERO,
                Pivot::Rigid => {}
                Pivot::Ball { factor, x } => {
                    motion.angular = factor.backward(DVec3::from_slice(own)) - x * motion.linear;
                }
                Pivot::Free { factor, x, linear } => {
                    motion.linear = linear.backward(DVec3::from_slice(own));
                    motion.angular = factor.backward(DVec3::from_slice(&own[3..])) - x * motion.linear;
                }
                Pivot::Turn { force, torque, inverse } => {
                    rate = along(force, torque, inverse, motion);
                    motion.angular += frame.axis * rate;
                }
                Pivot::Slide { force, torque, inverse } => {
                    rate = along(force, torque, inverse, motion);
                    motion.linear += frame.axis * rate;
                }
                Pivot::Screw { force, torque, inverse } => {
                    rate = along(force, torque, inverse, motion);
                    motion = motion + articulated.screws[index] * rate;
                }
            }
            articulated.motion[index] = motion;
            let state = &mut self.states[index];
            state.velocity += motion.velocity_at(frame.center);
            state.angular += motion.angular;
            state.rate += rate;
        }
        self.forget();
    }

    /// Applies a percussion (N s) and a moment over time (N m s) at a world point of a node.
    pub fn apply(&mut self, node: usize, point: DVec3, percussion: Wrench) {
        let (mut rows, mut z) =
            (std::mem::take(&mut self.work.rows), std::mem::take(&mut self.work.whitened));
        rows.clear();
        z.clear();
        z.resize(self.degrees_of_freedom(), 0.0);
        self.climb(node, point, &[percussion], &mut rows);
        for part in &rows {
            z[part.freedom as usize] += part.values[0];
        }
        self.apply_whitened(&z);
        (self.work.rows, self.work.whitened) = (rows, z);
    }

    /// Change of the twist at one place by a wrench at another, as blocks: `[linear, angular][force, torque]`.
    pub fn response(&self, at: (usize, DVec3), due_to: (usize, DVec3)) -> [[DMat3; 2]; 2] {
        let units: [Wrench; 6] = std::array::from_fn(|index| {
            let axis = DVec3::AXES[index % 3];
            if index < 3 { Wrench::new(axis, DVec3::ZERO) } else { Wrench::new(DVec3::ZERO, axis) }
        });
        let (mut rows_at, mut rows_due) = (Vec::new(), Vec::new());
        self.climb(at.0, at.1, &units, &mut rows_at);
        self.climb(due_to.0, due_to.1, &units, &mut rows_due);
        let product = row_product(&rows_at, &rows_due);
        let block = |i: usize, j: usize| {
            DMat3::from_cols_array_2d(&std::array::from_fn(|c| {
                std::array::from_fn(|r| product[i + r][j + c])
            }))
        };
        [[block(0, 0), block(0, 3)], [block(3, 0), block(3, 3)]]
    }

    /// What forces, each at a world point of a node, do to every axis of every joint, driven ones included: by virtual power,
    /// `axis . torque` about the joint point for a turning axis, `axis . force` for a sliding one, of all forces behind it.
    ///
    /// `tell(node, axis, load)` is called once for each axis, with N m or N.
    pub fn joint_loads(
        &mut self,
        forces: impl IntoIterator<Item = (usize, DVec3, DVec3)>,
        mut tell: impl FnMut(usize, usize, f64),
    ) {
        self.ready();
        let behind = &mut self.work.link_loads;
        behind.fill(Wrench::ZERO);
        for (node, point, force) in forces {
            let own = self.nodes[node].own as usize;
            behind[own] = behind[own] + Wrench::from_force_at(force, point - self.states[own].point);
        }
        for &node in self.order.iter().rev() {
            let links = self.nodes[node as usize];
            for index in (links.first as usize..=links.own as usize).rev() {
                let (link, load) = (&self.links[index], behind[index]);
                let parent = &self.states[link.parent as usize];
                let axis = parent.rotation * link.axis;
                let number = index - links.first as usize;
                if link.kind.turns() {
                    tell(node as usize, number, axis.dot(load.torque));
                } else if link.kind.slides() {
                    tell(node as usize, number, axis.dot(load.force));
                } else if link.kind.is_guided() {
                    let screws = self.guided[link.guide as usize].world_screws(&self.states);
                    tell(node as usize, number, screws[number].power(load));
                }
                let handed = load.shifted(parent.point - self.states[index].point);
                behind[link.parent as usize] = behind[link.parent as usize] + handed;
            }
        }
    }
}

fn push_rows<const N: usize>(rows: &mut Vec<RowPart<N>>, first: u32, row: &Lanes<N>) {
    let [x, y, z] = *row.components();
    rows.extend([
        RowPart { freedom: first + 2, values: z },
        RowPart { freedom: first + 1, values: y },
        RowPart { freedom: first, values: x },
    ]);
}

/// What an axis takes, as a row; given back over its pivot.
fn push_axis<const N: usize>(
    rows: &mut Vec<RowPart<N>>,
    freedom: u32,
    taken: [f64; N],
    inverse: f64,
) -> [f64; N] {
    let root = inverse.sqrt();
    rows.push(RowPart { freedom, values: taken.map(|taken| taken * root) });
    taken.map(|taken| taken * inverse)
}

//! Joints with a [`Guide`] among the links of a tree.
//!
//! A guided joint of `m` coordinates is a chain of `m` links, as every joint of several axes: all in the place of the last, which is the body,
//! all but that without mass, and each with a screw of its own, `V = V_before + s_k r_k`. The recursions then know nothing but screws; only
//! Newton's method takes the joint as a whole, because there the screws change with all coordinates.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose, Twist};

use super::description::Joint;
use super::guide::{Guide, MOST_COORDINATES, half_turn};
use super::link::Link;
use super::state::LinkState;

/// A guided joint by links.
#[derive(Clone, Debug)]
pub(crate) struct GuidedJoint {
    law: Arc<dyn Guide>,
    pub(crate) parent: usize,
    /// Its links are `first..=own`.
    pub(crate) first: usize,
    pub(crate) own: usize,
    /// The joint's frame in the parent, from the parent's joint point.
    outer: Pose,
    /// From the axes of the body to those of the child's joint frame.
    inner: DQuat,
}

/// Where a guided joint is for some coordinates: in the parent's axes, from the parent's joint point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guided {
    pub(crate) lever: DVec3,
    pub(crate) rotation: DQuat,
}

impl GuidedJoint {
    /// `lever` leads from the parent's joint point to the joint's frame on it.
    pub(crate) fn new(
        law: Arc<dyn Guide>,
        parent: usize,
        first: usize,
        lever: DVec3,
        joint: &Joint,
    ) -> GuidedJoint {
        GuidedJoint {
            parent,
            first,
            own: first + law.coordinates() - 1,
            outer: Pose::new(joint.frame_in_parent.rotation, lever),
            inner: joint.frame_in_child.rotation.conjugate(),
            law,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.own + 1 - self.first
    }

    pub(crate) fn slides(&self, link: usize) -> bool {
        self.law.slides(link - self.first)
    }

    pub(crate) fn coordinates(&self, states: &[LinkState]) -> [f64; MOST_COORDINATES] {
        std::array::from_fn(
            |axis| {
                if axis < self.count() { states[self.first + axis].coordinate } else { 0.0 }
            },
        )
    }

    pub(crate) fn rates(&self, states: &[LinkState]) -> [f64; MOST_COORDINATES] {
        std::array::from_fn(|axis| if axis < self.count() { states[self.first + axis].rate } else { 0.0 })
    }

    pub(crate) fn at(&self, q: &[f64; MOST_COORDINATES]) -> Guided {
        let pose = self.outer * self.law.pose(&q[..self.count()]);
        Guided { lever: pose.translation, rotation: pose.rotation * self.inner }
    }

    /// The screws in the parent's axes.
    pub(crate) fn screws(&self, q: &[f64; MOST_COORDINATES]) -> [Twist; MOST_COORDINATES] {
        self.law.subspace(&q[..self.count()]).map(|screw| turned(self.outer.rotation, screw))
    }

    /// The screws in world axes, at a state.
    pub(crate) fn world_screws(&self, states: &[LinkState]) -> [Twist; MOST_COORDINATES] {
        let parent = states[self.parent].rotation;
        self.screws(&self.coordinates(states)).map(|screw| turned(parent, screw))
    }

    /// Acceleration against the parent for steady rates, in the parent's axes.
    pub(crate) fn bias(&self, q: &[f64; MOST_COORDINATES], rates: &[f64; MOST_COORDINATES]) -> Twist {
        let count = self.count();
        turned(self.outer.rotation, self.law.bias(&q[..count], &rates[..count]))
    }

    /// Places all links of the joint by their coordinates.
    pub(crate) fn place(&self, states: &mut [LinkState]) {
        let at = self.at(&self.coordinates(states));
        let parent = states[self.parent];
        let point = parent.point + parent.rotation * at.lever;
        let rotation = (parent.rotation * at.rotation).unit();
        for state in &mut states[self.first..=self.own] {
            (state.point, state.rotation) = (point, rotation);
        }
    }

    /// Velocities of all links of the joint from the parent's and their rates.
    pub(crate) fn carry(&self, links: &[Link], states: &mut [LinkState]) {
        let screws = self.world_screws(states);
        let parent = &states[self.parent];
        let lever = states[self.own].point - parent.point;
        let mut motion = parent.joint_twist(&links[self.parent]).shifted(lever);
        for (axis, index) in (self.first..=self.own).enumerate() {
            let state = &mut states[index];
            motion = motion + screws[axis] * state.rate;
            state.angular = motion.angular;
            state.velocity = motion.velocity_at(state.rotation * links[index].center);
        }
    }

    /// Coordinates that bring the body nearest to a pose, beginning from those that it has.
    pub(crate) fn measure(&self, links: &[Link], states: &mut [LinkState], pose: &Pose) {
        let parent = states[self.parent];
        let back = parent.rotation.conjugate();
        let lever = back * (pose.translation - pose.rotation * links[self.own].center - parent.point);
        let rotation = back * pose.rotation;
        let mut q = self.coordinates(states);
        for _ in 0..MOST_ITERATIONS {
            let at = self.at(&q);
            let turn = half_turn(rotation * at.rotation.conjugate()) * 2.0;
            let change = self.fit(&self.screws(&q), Twist::new(lever - at.lever, turn));
            let size = change.iter().fold(0.0_f64, |size, change| size.max(change.abs()));
            if !size.is_finite() {
                return;
            }
            q = std::array::from_fn(|axis| q[axis] + change[axis]);
            if size < SETTLED {
                break;
            }
        }
        for (axis, state) in states[self.first..=self.own].iter_mut().enumerate() {
            state.coordinate = q[axis];
        }
    }

    /// The way from where the body is to the nearest pose of the law, at the joint point, in world axes; the coordinates become
    /// those of that pose.
    pub(crate) fn gap(&self, links: &[Link], states: &mut [LinkState]) -> Twist {
        let body = states[self.own];
        self.measure(links, states, &body.pose(&links[self.own]));
        let (at, parent) = (self.at(&self.coordinates(states)), &states[self.parent]);
        let point = parent.point + parent.rotation * at.lever;
        let turn = parent.rotation * at.rotation * body.rotation.conjugate();
        Twist::new(point - body.point, half_turn(turn) * 2.0)
    }

    /// Rates that come nearest to a relative motion: least squares, metres and radians alike.
    pub(crate) fn fit(&self, screws: &[Twist; MOST_COORDINATES], motion: Twist) -> [f64; MOST_COORDINATES] {
        let dot = |a: Twist, b: Twist| a.linear.dot(b.linear) + a.angular.dot(b.angular);
        let mut matrix = [[0.0; MOST_COORDINATES]; MOST_COORDINATES];
        for (row, &a) in matrix.iter_mut().zip(screws) {
            for (entry, &b) in row.iter_mut().zip(screws) {
                *entry = dot(a, b);
            }
        }
        let inverse = inverted(&matrix, self.count());
        let right: [f64; MOST_COORDINATES] = std::array::from_fn(|axis| dot(screws[axis], motion));
        times(&inverse, &right)
    }
}

/// Places the links of a guided joint once a pass from the roots has reached the last of them.
pub(crate) fn place_guided(guided: &[GuidedJoint], link: &Link, index: usize, states: &mut [LinkState]) {
    let joint = &guided[link.guide as usize];
    if index == joint.own {
        joint.place(states);
    }
}

/// Velocities of a guided joint's links, once a pass from the roots has reached the last of them.
pub(crate) fn carry_guided(guided: &[GuidedJoint], links: &[Link], index: usize, states: &mut [LinkState]) {
    let joint = &guided[links[index].guide as usize];
    if index == joint.own {
        joint.carry(links, states);
    }
}

/// Newton steps of [`GuidedJoint::measure`]; convergence is quadratic near the curve.
const MOST_ITERATIONS: usize = 30;
/// Change of coordinates, in m or rad, at which it ends: near rounding.
const SETTLED: f64 = 1e-13;

pub(crate) fn turned(rotation: DQuat, twist: Twist) -> Twist {
    Twist::new(rotation * twist.linear, rotation * twist.angular)
}

/// A square matrix of at most six rows.
pub(crate) type Small = [[f64; MOST_COORDINATES]; MOST_COORDINATES];

pub(crate) fn times(matrix: &Small, vector: &[f64; MOST_COORDINATES]) -> [f64; MOST_COORDINATES] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

/// The inverse of the leading block of `count` rows, zero elsewhere; not finite if it has none.
pub(crate) fn inverted(matrix: &Small, count: usize) -> Small {
    if count == 1 {
        let mut inverse = Small::default();
        inverse[0][0] = 1.0 / matrix[0][0];
        return inverse;
    }
    let (mut left, mut right) = (*matrix, Small::default());
    for (index, row) in right.iter_mut().enumerate().take(count) {
        row[index] = 1.0;
    }
    for column in 0..count {
        let size = |row: &usize| left[*row][column].abs();
        let pivot = (column..count).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(column);
        left.swap(column, pivot);
        right.swap(column, pivot);
        let scale = 1.0 / left[column][column];
        left[column].iter_mut().for_each(|entry| *entry *= scale);
        right[column].iter_mut().for_each(|entry| *entry *= scale);
        for row in (0..count).filter(|&row| row != column) {
            let factor = left[row][column];
            for entry in 0..count {
                left[row][entry] -= factor * left[column][entry];
                right[row][entry] -= factor * right[column][entry];
            }
        }
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of order 1 and a condition of some 10 leave 1e-14.
    #[test]
    fn an_inverse_times_its_matrix_is_the_identity() {
        let entry = |row: usize, column: usize| {
            // The largest entry of a column is never on the diagonal, so that rows must change places.
            libm::sin((1 + 3 * row + 7 * column) as f64) + 2.0 * f64::from(row == (column + 1) % 4)
        };
        for count in [1, 4] {
            let matrix: Small = std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)));
            let inverse = inverted(&matrix, count);
            for (row, column) in (0..count).flat_map(|row| (0..count).map(move |column| (row, column))) {
                let product: f64 = (0..count).map(|k| matrix[row][k] * inverse[k][column]).sum();
                assert!((product - f64::from(row == column)).abs() < 1e-12, "{count}: {product}");
            }
        }
    }
}

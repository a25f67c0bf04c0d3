//! Rows of a net's joints as the solver goes through them: one after another in the order of elimination.
//!
//! A block holds what every solver needs, some 1.5 kB, and a net has more blocks than fit into a cache. What a solve reads of them in each
//! pass is gathered once per phase. The arithmetic is the blocks' own, so are the bits.

use glam::DVec3;
use prall_math::Twist;

use super::layout::Layout;
use crate::joint::block::Block;
use crate::joint::frames::Row;

/// A joint's bodies, and how many of its rows are equalities.
#[derive(Clone, Copy, Debug)]
struct Joint {
    bodies: [u32; 2],
    inverse_masses: [f64; 2],
    equalities: usize,
}

/// An equality, and how the bodies turn by its impulse.
#[derive(Clone, Copy, Debug, Default)]
struct Equality {
    row: Row,
    turning: [DVec3; 2],
}

/// Equalities of all joints; rows that are bounded stay in the blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Gathered {
    joints: Vec<Joint>,
    rows: Vec<Equality>,
}

impl Gathered {
    /// Takes what the blocks have prepared.
    pub(super) fn gather(&mut self, layout: &Layout, blocks: &[Block]) {
        self.joints.clear();
        self.rows.resize(layout.rows, Equality::default());
        for (&member, &offset) in layout.order.iter().zip(&layout.offsets) {
            let block = &blocks[member as usize];
            let (bodies, equalities) = (block.bodies, block.equalities);
            self.joints.push(Joint { bodies, inverse_masses: block.inverse_masses(), equalities });
            for (i, to) in self.rows[offset..offset + equalities].iter_mut().enumerate() {
                *to = Equality { row: block.rows[i], turning: block.turning[i] };
            }
        }
    }

    /// Velocities of the bodies of the joint at a position.
    pub(super) fn velocities(&self, position: usize, velocities: &[Twist]) -> [Twist; 2] {
        self.joints[position].bodies.map(|body| velocities[body as usize])
    }

    /// How many rows of the joint at a position are equalities: the first ones.
    pub(super) fn equalities(&self, position: usize) -> usize {
        self.joints[position].equalities
    }

    /// Rate of a row, which is an equality.
    pub(super) fn rate(&self, row: usize, velocities: &[Twist; 2]) -> f64 {
        self.rows[row].row.rate(velocities)
    }

    /// What an impulse of a row does to the velocities of its joint's bodies.
    pub(super) fn push(&self, position: usize, row: usize, v: &mut [Twist; 2], impulse: f64) {
        let (masses, Equality { row, turning }) = (&self.joints[position].inverse_masses, &self.rows[row]);
        v[0].linear -= row.linear * (masses[0] * impulse);
        v[1].linear += row.linear * (masses[1] * impulse);
        v[0].angular += turning[0] * impulse;
        v[1].angular += turning[1] * impulse;
    }

    /// Response of a row to an impulse of another one, both equalities, through the bodies that their joints share.
    pub(super) fn response(&self, rows: [usize; 2], shared: &[Option<(usize, usize, f64)>; 2]) -> f64 {
        let [one, two] = rows.map(|row| &self.rows[row]);
        let through = |&(side, other, inverse_mass): &(usize, usize, f64)| {
            inverse_mass * one.row.linear.dot(two.row.linear) + one.row.angular[side].dot(two.turning[other])
        };
        shared.iter().flatten().map(through).sum()
    }

    /// Bodies that the joints at two positions share: sides of the first and of the second, and their inverse mass with its sign.
    pub(super) fn shared(&self, one: usize, two: usize) -> [Option<(usize, usize, f64)>; 2] {
        let (one, two) = (&self.joints[one], &self.joints[two]);
        [0, 1].map(|side| {
            let other = two.bodies.iter().position(|&body| body == one.bodies[side])?;
            let sign = if side == other { 1.0 } else { -1.0 };
            Some((side, other, sign * one.inverse_masses[side]))
        })
    }
}

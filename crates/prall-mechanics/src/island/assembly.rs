//! The Newton matrix `M + G + sum of k J' J` of an island.
//!
//! The point of a body at `r` moves by `d + t x r`. A row along `n` there has the coefficients `w = (n, r x n)` and
//! adds `k w w'` to the body's diagonal block. A sticking point that also pushes resists with `k` in every
//! direction; it adds `k P' P` with `P = [I, -[r]x]`, in closed form.

use glam::DVec3;
use prall_math::Twist;

use super::block_cholesky::{Block, BlockCholesky};
use super::body::Mass;
use super::coupling::Coupled;
use super::ordering::SymbolicFactor;
use super::rows::{Bodies, Equality, NONE, Point, Tangential};

/// Penalties of the two kinds of rows, in kg.
#[derive(Clone, Copy, Debug)]
pub(super) struct Penalties {
    pub(super) contact: f64,
    pub(super) equation: f64,
}

/// Sets the matrix to that of the rows as they are.
pub(super) fn assemble(
    matrix: &mut BlockCholesky,
    structure: &SymbolicFactor,
    (masses, couplings): (&[Mass], &[Coupled]),
    points: &mut [Point],
    equalities: &mut [Equality],
    penalties: Penalties,
) {
    matrix.clear(structure);
    let blocks = &mut matrix.blocks[..];
    for (body, mass) in masses.iter().enumerate() {
        let block = &mut blocks[structure.diagonal_entry(body as u32) as usize];
        let turn = (mass.inertia + mass.curvature).to_cols_array_2d();
        for axis in 0..3 {
            block[axis][axis] = mass.mass;
            block[axis + 3][3..].copy_from_slice(&turn[axis]);
        }
    }
    for coupled in couplings {
        coupled.add_to_matrix(blocks, structure);
    }
    for point in points {
        point.stiffness_of_matrix = point.stiffness;
        add_point(blocks, structure, point, penalties.contact);
    }
    for row in equalities {
        let sides = [to_array(&row.sides[0]), to_array(&row.sides[1])];
        row.put_into_matrix();
        let stiffness = row.stiffness(penalties.equation);
        if stiffness > 0.0 {
            add_row(blocks, structure, &row.bodies, &sides, stiffness);
        }
    }
    if masses.iter().any(|mass| mass.any_locked) {
        strike_out(blocks, structure, masses);
    }
}

fn add_point(blocks: &mut [Block], structure: &SymbolicFactor, point: &Point, penalty: f64) {
    let along = |blocks: &mut [Block], direction: DVec3, stiffness: f64| {
        let sides = [side(point.arms[0], direction), side(point.arms[1], direction).map(|value| -value)];
        add_row(blocks, structure, &point.bodies, &sides, stiffness);
    };
    match point.stiffness.tangential {
        Tangential::Stick if point.stiffness.normal => add_sticking(blocks, structure, point, penalty),
        Tangential::Stick => {
            let (first, second) = point.normal.any_orthonormal_pair();
            along(blocks, first, penalty);
            along(blocks, second, penalty);
        }
        Tangential::Slide { across, stiffness } => {
            along(blocks, across, stiffness);
            if point.stiffness.normal {
                along(blocks, point.normal, penalty);
            }
        }
        Tangential::Free if point.stiffness.normal => along(blocks, point.normal, penalty),
        Tangential::Free => {}
    }
}

/// `(n, r x n)`.
#[inline]
fn side(arm: DVec3, direction: DVec3) -> [f64; 6] {
    to_array(&Twist::new(direction, arm.cross(direction)))
}

/// `k w w'` of a row with the coefficients `sides` of A and B.
#[inline]
fn add_row(
    blocks: &mut [Block],
    structure: &SymbolicFactor,
    bodies: &Bodies,
    sides: &[[f64; 6]; 2],
    stiffness: f64,
) {
    if bodies.a != NONE {
        let entry = structure.diagonal_entry(bodies.a) as usize;
        add_outer(&mut blocks[entry], &sides[0], &sides[0], stiffness);
    }
    if bodies.b != NONE {
        let entry = structure.diagonal_entry(bodies.b) as usize;
        add_outer(&mut blocks[entry], &sides[1], &sides[1], stiffness);
    }
    if bodies.entry != NONE {
        let (rows, columns) = if bodies.rows_are_a { (0, 1) } else { (1, 0) };
        add_outer(&mut blocks[bodies.entry as usize], &sides[rows], &sides[columns], stiffness);
    }
}

#[inline]
fn add_outer(block: &mut Block, rows: &[f64; 6], columns: &[f64; 6], stiffness: f64) {
    for (column, coefficient) in block.iter_mut().zip(columns) {
        let factor = stiffness * coefficient;
        for (value, row) in column.iter_mut().zip(rows) {
            *value += factor * row;
        }
    }
}

fn add_sticking(blocks: &mut [Block], structure: &SymbolicFactor, point: &Point, penalty: f64) {
    let bodies = &point.bodies;
    if bodies.a != NONE {
        let entry = structure.diagonal_entry(bodies.a) as usize;
        add_tie(&mut blocks[entry], point.arms[0], point.arms[0], penalty);
    }
    if bodies.b != NONE {
        let entry = structure.diagonal_entry(bodies.b) as usize;
        add_tie(&mut blocks[entry], point.arms[1], point.arms[1], penalty);
    }
    if bodies.entry != NONE {
        let (rows, columns) = if bodies.rows_are_a { (0, 1) } else { (1, 0) };
        add_tie(&mut blocks[bodies.entry as usize], point.arms[rows], point.arms[columns], -penalty);
    }
}

/// `k P_r' P_c` for points at arms `r` (block rows) and `c` (block columns): `P t = t x r`, so the quarters are `I`,
/// `-[c]x`, `[r]x` and `(r . c) I - c r'`.
#[inline]
fn add_tie(block: &mut Block, r: DVec3, c: DVec3, stiffness: f64) {
    let k = stiffness;
    block[0][0] += k;
    block[1][1] += k;
    block[2][2] += k;
    let (kr, kc) = (k * r, k * c);
    block[3][1] -= kc.z;
    block[3][2] += kc.y;
    block[4][0] += kc.z;
    block[4][2] -= kc.x;
    block[5][0] -= kc.y;
    block[5][1] += kc.x;
    block[0][4] += kr.z;
    block[0][5] -= kr.y;
    block[1][3] -= kr.z;
    block[1][5] += kr.x;
    block[2][3] += kr.y;
    block[2][4] -= kr.x;
    let inner = kr.dot(c);
    let (rows, columns) = (c.to_array(), kr.to_array());
    for column in 0..3 {
        for row in 0..3 {
            block[column + 3][row + 3] -= rows[row] * columns[column];
        }
        block[column + 3][column + 3] += inner;
    }
}

/// Rows and columns of locked axes become those of the unit matrix.
fn strike_out(blocks: &mut [Block], structure: &SymbolicFactor, masses: &[Mass]) {
    for k in 0..structure.len() {
        let columns = masses[structure.order[k] as usize].free;
        for entry in structure.column(k) {
            let row = structure.rows[entry] as usize;
            let rows = masses[structure.order[row] as usize].free;
            for (column, keep) in blocks[entry].iter_mut().zip(columns) {
                for (value, row_keep) in column.iter_mut().zip(rows) {
                    *value *= keep * row_keep;
                }
            }
            if row == k {
                for axis in 0..6 {
                    blocks[entry][axis][axis] += 1.0 - columns[axis];
                }
            }
        }
    }
}

/// Shift, then turn.
#[inline]
pub(super) fn to_array(twist: &Twist) -> [f64; 6] {
    let (d, t) = (twist.linear, twist.angular);
    [d.x, d.y, d.z, t.x, t.y, t.z]
}

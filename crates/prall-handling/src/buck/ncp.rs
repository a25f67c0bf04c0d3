//! The complementarity problem: Fischer's function and the reduced Newton method (Buck 1999, chapter 6).
//!
//! Pushes and distances are both lengths, so the function mixes no units; the end is asked for w = g(f) too.

use super::system::System;
use super::{BuckOptions, Derivative, Level, StartForces};

/// Of a guard, the sum of residuals with which a solution is one.
const EXACT: f64 = 1e-6;

/// Solves for pushes, given those of the last interval; the number of iterations, or none if there were too many.
pub(super) fn solve(system: &System, options: &BuckOptions, pushes: &mut [f64]) -> Option<usize> {
    if options.level == Level::Acceleration {
        let (matrix, constants) = (system.linear().0, system.approach());
        complementary(&matrix, &constants, pushes);
        return Some(0);
    }
    start(system, options.start, pushes);
    let count = pushes.len();
    let exact = EXACT * options.guard;
    let (mut found, mut slack, mut matrix) = (Vec::new(), Vec::new(), Vec::new());
    system.distances(pushes, &mut slack);
    for iteration in 0..=options.max_iterations {
        system.distances(pushes, &mut found);
        let (mut values, mut by_push, mut by_slack) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..count {
            let (push, distance) = (pushes[i], slack[i]);
            if options.bilateral {
                values.push(distance);
                by_push.push(0.0);
                by_slack.push(1.0);
                continue;
            }
            let size = libm::hypot(push, distance);
            values.push(size - push - distance);
            // At the corner any element between the slopes will do.
            let slope =
                |x: f64| if size > 0.0 { x / size - 1.0 } else { std::f64::consts::FRAC_1_SQRT_2 - 1.0 };
            by_push.push(slope(push));
            by_slack.push(slope(distance));
        }
        let residual: f64 = values.iter().map(|value| value.abs()).sum::<f64>()
            + found.iter().zip(&slack).map(|(g, w)| (g - w).abs()).sum::<f64>();
        if residual < exact {
            return Some(iteration);
        }
        match options.derivative {
            Derivative::Closed => system.derivative(pushes, &mut matrix),
            Derivative::Differences => system.differences(pushes, &mut matrix),
        }
        // (50): (Df + Dw G) df = -Phi - Dw (g - w)
        let mut left = vec![0.0; count * count];
        let mut right = vec![0.0; count];
        for i in 0..count {
            for j in 0..count {
                left[i * count + j] = by_slack[i] * matrix[i * count + j];
            }
            left[i * count + i] += by_push[i];
            right[i] = -values[i] - by_slack[i] * (found[i] - slack[i]);
        }
        let change = linear(left, right)?;
        // (51): dw = G df + g - w
        for i in 0..count {
            let along: f64 = (0..count).map(|j| matrix[i * count + j] * change[j]).sum();
            slack[i] = along + found[i];
        }
        pushes.iter_mut().zip(&change).for_each(|(push, change)| *push += change);
        if !pushes.iter().chain(&slack).all(|x| x.is_finite()) {
            return None;
        }
    }
    None
}

fn start(system: &System, strategy: StartForces, pushes: &mut [f64]) {
    match strategy {
        StartForces::Previous => {}
        StartForces::Zero => pushes.fill(0.0),
        StartForces::Linear => {
            let (matrix, constants) = system.linear();
            let solved = linear(matrix, constants.iter().map(|constant| -constant).collect());
            pushes.fill(0.0);
            for (push, value) in pushes.iter_mut().zip(solved.into_iter().flatten()) {
                *push = value.max(0.0);
            }
        }
        StartForces::Complementarity => {
            let (matrix, constants) = system.linear();
            complementary(&matrix, &constants, pushes);
        }
    }
}

/// The linear complementarity problem by projected Gauss-Seidel: without friction the matrix is positive definite, as contacts are independent.
/// A contact whose tilted force does not open it gets none.
fn complementary(matrix: &[f64], constants: &[f64], pushes: &mut [f64]) {
    let count = pushes.len();
    for _ in 0..200 {
        for i in 0..count {
            let sum: f64 = (0..count).map(|j| matrix[i * count + j] * pushes[j]).sum();
            let own = matrix[i * count + i];
            pushes[i] = if own > 0.0 { (pushes[i] - (constants[i] + sum) / own).max(0.0) } else { 0.0 };
        }
    }
}

/// Gaussian elimination with pivots; none if the matrix is singular.
fn linear(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let count = right.len();
    for column in 0..count {
        let size = |row: &usize| matrix[row * count + column].abs();
        let pivot = (column..count).max_by(|p, q| size(p).total_cmp(&size(q)))?;
        if !(size(&pivot) > 1e-14) {
            return None;
        }
        for k in 0..count {
            matrix.swap(column * count + k, pivot * count + k);
        }
        right.swap(column, pivot);
        for row in column + 1..count {
            let share = matrix[row * count + column] / matrix[column * count + column];
            for k in column..count {
                matrix[row * count + k] -= share * matrix[column * count + k];
            }
            right[row] -= share * right[column];
        }
    }
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|k| matrix[row * count + k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row * count + row];
    }
    Some(right)
}

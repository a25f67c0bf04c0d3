//! The active set against methods that share nothing with it.

use super::*;
use crate::random::Random;

/// The nearest point by trying every set of up to six rows: the one whose equality solution fulfils all rows with positive multipliers,
/// best of all if several do within rounding.
fn by_enumeration(goal: &Vector6, rows: &[HalfSpace]) -> Option<Vector6> {
    let mut best = (1e-10, None);
    for set in 0_u32..1 << rows.len() {
        if set.count_ones() > 6 {
            continue;
        }
        let chosen: Vec<&HalfSpace> =
            rows.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, row)| row).collect();
        // (N' N) u = b - N' y, once for the solution and once more for what rounding left.
        let (mut y, mut multipliers, mut singular) = (*goal, vec![0.0; chosen.len()], false);
        for _ in 0..3 {
            let matrix = chosen.iter().map(|p| {
                let mut line: Vec<f64> = chosen.iter().map(|q| dot(&p.normal, &q.normal)).collect();
                line.push(p.bound - dot(&p.normal, &y));
                line
            });
            let Some(more) = gauss(matrix.collect()) else {
                singular = true;
                break;
            };
            for ((row, multiplier), more) in chosen.iter().zip(&mut multipliers).zip(more) {
                *multiplier += more;
                add(&mut y, more, &row.normal);
            }
        }
        let short = rows.iter().fold(0.0_f64, |most, row| most.max(row.bound - dot(&row.normal, &y)));
        let error = multipliers.iter().fold(short, |most, multiplier| most.max(-multiplier));
        if !singular && error < best.0 {
            best = (error, Some(y));
        }
    }
    best.1
}

/// Solves a square system with its right side in the last column; none if it is singular.
fn gauss(mut m: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = m.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs()))?;
        m.swap(k, pivot);
        if m[k][k].abs() < 1e-9 {
            return None;
        }
        let pivot_row = m[k].clone();
        for (_, row) in m.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k] / pivot_row[k];
            row.iter_mut().zip(&pivot_row).skip(k).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    Some((0..n).map(|k| m[k][n] / m[k][k]).collect())
}

fn random_rows(random: &mut Random, count: usize) -> Vec<HalfSpace> {
    let row = |_| HalfSpace {
        normal: random.vector6(),
        bound: random.between(-0.5, 0.5),
        preferred: random.unit() < 0.3,
    };
    (0..count).map(row).collect()
}

#[test]
fn the_nearest_point_equals_an_independent_quadratic_program_on_ten_thousand_sets() {
    let mut random = Random::new(17);
    let (mut loaded, mut contradictory) = (0, 0);
    for set in 0..10_000 {
        let rows = random_rows(&mut random, 1 + set % 8);
        let goal = random.vector6().map(|x| 2.0 * x);
        let (mut y, mut active) = (goal, ActiveSet::default());
        let ending = active.nearest(&mut y, &rows, 1e-13);
        let Some(expected) = by_enumeration(&goal, &rows) else {
            assert_eq!(ending, Ending::Infeasible, "set {set}: no set of rows fulfils all");
            contradictory += 1;
            continue;
        };
        assert_eq!(ending, Ending::Solved, "set {set}");
        let apart = (0..6).map(|i| (y[i] - expected[i]).abs()).fold(0.0, f64::max);
        // Rounding of six rows, of which random ones are hardly ever nearly dependent.
        assert!(apart < 1e-9, "set {set}: {apart:e} apart");
        assert!(active.rows().len() <= 6 && active.multipliers().iter().all(|u| *u >= 0.0));
        loaded += usize::from(!active.rows().is_empty());
    }
    assert!(loaded > 5_000, "most goals must be out of reach: {loaded}");
    assert!(contradictory < 1_000, "{contradictory}");
}

/// Hildreth's method: one multiplier after another, from the definition of the dual.
#[test]
fn many_rows_agree_with_dual_coordinate_ascent() {
    let mut random = Random::new(5);
    for _ in 0..30 {
        // All rows leave room about a point, so there is a solution.
        let inside = random.vector6();
        let rows: Vec<HalfSpace> = (0..60)
            .map(|_| {
                let normal = random.vector6();
                let bound = dot(&normal, &inside) - random.between(0.0, 0.2);
                HalfSpace { normal, bound, preferred: false }
            })
            .collect();
        let goal = random.vector6().map(|x| 3.0 * x);
        let (mut y, mut active) = (goal, ActiveSet::default());
        assert_eq!(active.nearest(&mut y, &rows, 1e-13), Ending::Solved);
        let (mut expected, mut multipliers) = (goal, vec![0.0_f64; rows.len()]);
        for _ in 0..60_000 {
            let mut change = 0.0_f64;
            for (row, multiplier) in rows.iter().zip(&mut multipliers) {
                let missing = row.bound - dot(&row.normal, &expected);
                let new = (*multiplier + missing / dot(&row.normal, &row.normal)).max(0.0);
                add(&mut expected, new - *multiplier, &row.normal);
                change = change.max((new - *multiplier).abs());
                *multiplier = new;
            }
            if change < 1e-15 {
                break;
            }
        }
        let apart = (0..6).map(|i| (y[i] - expected[i]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{apart:e}");
    }
}

#[test]
fn rows_that_say_the_same_are_carried_by_one_of_them_each() {
    let normal = [0.0, 1.0, 0.0, 0.3, 0.0, -0.2];
    let rows = [HalfSpace { normal, bound: 0.0, preferred: false }; 50];
    let (mut y, mut active) = ([0.0, -1.0, 0.0, 0.0, 0.0, 0.0], ActiveSet::default());
    assert_eq!(active.nearest(&mut y, &rows, 1e-12), Ending::Solved);
    assert_eq!(active.rows().len(), 1);
}

#[test]
fn two_walls_that_leave_no_room_are_infeasible() {
    let up = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let wall = |normal, bound| HalfSpace { normal, bound, preferred: false };
    let rows = [wall(up, 1.0), wall(up.map(|x| -x), 0.0)];
    let (mut y, mut active) = ([0.0; 6], ActiveSet::default());
    assert_eq!(active.nearest(&mut y, &rows, 1e-12), Ending::Infeasible);
}

//! The downhill simplex method of Nelder and Mead (1965): minimises a function from its values alone.

/// When and how the search goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// Length of the first simplex's edges, in the unit of the variables.
    pub(super) step: f64,
    /// Ends when the values at the corners differ by less than this part of the best (no unit).
    pub(super) tolerance: f64,
    /// Evaluations per simplex at most; a search that needs more goes on after the next restart.
    pub(super) evaluations: usize,
    /// The simplex is made anew around the best point until that gains less than the tolerance, at most so often.
    ///
    /// A simplex can collapse onto a kink away from the minimum; a fresh one sees past it.
    pub(super) restarts: usize,
}

/// The best point found and its value.
pub(super) fn minimize<const N: usize>(
    start: [f64; N],
    search: Search,
    mut function: impl FnMut(&[f64; N]) -> f64,
) -> ([f64; N], f64) {
    let mut best = (start, function(&start));
    let mut step = search.step;
    for restart in 0..=search.restarts {
        let sign = if restart % 2 == 0 { 1.0 } else { -1.0 };
        let found = descend(best, sign * step, search, &mut function);
        let gain = best.1 - found.1;
        if found.1 < best.1 {
            best = found;
        }
        if restart > 0 && gain <= search.tolerance * best.1.abs() {
            break;
        }
        step *= 0.25;
    }
    best
}

fn descend<const N: usize>(
    start: ([f64; N], f64),
    step: f64,
    search: Search,
    function: &mut impl FnMut(&[f64; N]) -> f64,
) -> ([f64; N], f64) {
    let mut corners = vec![start];
    for i in 0..N {
        let mut corner = start.0;
        corner[i] += step;
        corners.push((corner, function(&corner)));
    }
    let mut evaluations = N;
    while evaluations < search.evaluations {
        corners.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, worst) = (corners[0], corners[N]);
        if worst.1 - best.1 <= search.tolerance * best.1.abs() {
            break;
        }
        let centre: [f64; N] =
            std::array::from_fn(|i| corners[..N].iter().map(|c| c.0[i]).sum::<f64>() / N as f64);
        let mut probe = |factor: f64| {
            let point = std::array::from_fn(|i| centre[i] + factor * (worst.0[i] - centre[i]));
            evaluations += 1;
            (point, function(&point))
        };
        let reflected = probe(-1.0);
        let replacement = if reflected.1 < best.1 {
            let expanded = probe(-2.0);
            Some(if expanded.1 < reflected.1 { expanded } else { reflected })
        } else if reflected.1 < corners[N - 1].1 {
            Some(reflected)
        } else {
            let factor = if reflected.1 < worst.1 { -0.5 } else { 0.5 };
            let contracted = probe(factor);
            (contracted.1 < worst.1.min(reflected.1)).then_some(contracted)
        };
        if let Some(corner) = replacement {
            corners[N] = corner;
            continue;
        }
        for corner in &mut corners[1..] {
            corner.0 = std::array::from_fn(|i| 0.5 * (corner.0[i] + best.0[i]));
            corner.1 = function(&corner.0);
            evaluations += 1;
        }
    }
    corners.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        let search = Search { step: 0.5, tolerance: 1e-14, evaluations: 2000, restarts: 8 };
        let banana = |x: &[f64; 2]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            a * a + 100.0 * b * b
        };
        let (at, value) = minimize([-1.2, 1.0], search, banana);
        // The value is quadratic about the minimum: 1e-12 in it is 1e-6 in place, times the valley's length.
        assert!(value < 1e-12 && (at[0] - 1.0).abs() < 1e-5, "{at:?} {value}");
    }
}

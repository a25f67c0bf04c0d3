//! The smallest enclosing sphere, by two methods that share nothing (Eckstein 1998, section 3.8.1).
//!
//! *Welzl (1991) with move-to-front.* The smallest ball `mb(P, B)` around `P` with `B` on its border: take the
//! ball of `B`; when a point `p` of `P` is outside, the answer has `p` on its border, so recurse on the points
//! before `p` with `B + p`, and move `p` to the front, where it is asked first from then on. As in
//! Gaertner (1999) the next point is always the one farthest outside, and only it and the points that hold the present ball enter
//! the recursion.
//!
//! *Nelder and Mead* on the centre `c` of `min_c max_v |v - c|`, which is convex. A check and a baseline; slower, and it
//! stops above the minimum: by 4e-7 of the radius in the worst of 6,000 clouds of points, by 1e-10 in 99 of 100.

use glam::{DMat3, DVec3};

use super::nelder_mead::{Search, minimize};
use super::{Aabb, BoundingSphere, FitError, check_points};

/// Most rounds of the outer loop. Each enlarges the ball, so it ends by itself; the bound is for rounding that goes in circles.
const ROUNDS: usize = 200;

/// A point counts as outside if its squared distance exceeds the squared radius by this part (no unit); below it the
/// rounding of the centre decides.
const OUTSIDE: f64 = 1e-14;

/// Points whose Gram determinant is below this part of the product of its diagonal (no unit) have no sure sphere
/// through them; the farthest point rule then goes on with other points.
const DEPENDENT: f64 = 1e-20;

/// An enclosing sphere with the points that hold it.
#[derive(Clone, Debug, PartialEq)]
pub struct SphereFit {
    /// The ball; all points are inside, rounding included.
    pub sphere: BoundingSphere,
    /// Indices of the at most four points on its border that determine it.
    pub support: Vec<usize>,
}

/// Ball through the points of a set, as centre and squared radius; a negative square contains nothing.
#[derive(Clone, Copy, Debug)]
struct Ball {
    center: DVec3,
    radius_squared: f64,
}

impl Ball {
    fn excludes(&self, point: DVec3) -> bool {
        point.distance_squared(self.center) > self.radius_squared * (1.0 + OUTSIDE)
    }
}

impl SphereFit {
    /// The smallest sphere around points by Welzl's algorithm.
    ///
    /// **Promise.** All points are inside (the radius is enlarged by 4 units in the last place over the computed
    /// largest distance); the radius is smallest up to 1e-12 of it.
    pub fn smallest(points: &[DVec3]) -> Result<SphereFit, FitError> {
        check_points(points)?;
        Ok(grow(points, vec![0]))
    }

    /// As [`smallest`](Self::smallest), starting from points that held the sphere of a similar set: the refit when points
    /// were added or moved a little.
    pub fn smallest_from(points: &[DVec3], support: &[usize]) -> Result<SphereFit, FitError> {
        check_points(points)?;
        if let Some(&index) = support.iter().find(|&&i| i >= points.len()) {
            return Err(FitError::NoSuchPoint { index, points: points.len() });
        }
        Ok(grow(points, if support.is_empty() { vec![0] } else { support.to_vec() }))
    }

    /// A nearly smallest sphere around points by the downhill simplex method, from a starting centre (that of the
    /// old sphere in a refit) or else from the middle of the points' box.
    pub fn by_simplex(points: &[DVec3], start: Option<DVec3>) -> Result<BoundingSphere, FitError> {
        check_points(points)?;
        let bounds = Aabb::around(points);
        let origin = start.unwrap_or_else(|| bounds.center());
        let farthest = |c: &[f64; 3]| {
            let center = origin + DVec3::from_array(*c);
            points.iter().map(|p| p.distance_squared(center)).fold(0.0, f64::max).sqrt()
        };
        let search =
            Search { step: 0.25 * bounds.diameter(), tolerance: 1e-15, evaluations: 600, restarts: 12 };
        let (offset, _) = minimize([0.0; 3], search, farthest);
        Ok(BoundingSphere::around(origin + DVec3::from_array(offset), points))
    }
}

/// Enlarges the ball by the point farthest outside until there is none.
///
/// Works relative to the first point, so that only the result is rounded by the distance from the origin.
fn grow(given: &[DVec3], mut support: Vec<usize>) -> SphereFit {
    let points: &[DVec3] = &given.iter().map(|&p| p - given[0]).collect::<Vec<_>>();
    let mut scratch = support.clone();
    let mut ball = welzl(points, &mut scratch, &mut Vec::new(), &mut support);
    for _ in 0..ROUNDS {
        let distance = |i: usize| points[i].distance_squared(ball.center);
        let farthest =
            (0..points.len()).fold(0, |best, i| if distance(i) > distance(best) { i } else { best });
        if !ball.excludes(points[farthest]) {
            break;
        }
        let mut candidates = support.clone();
        candidates.insert(0, farthest);
        let mut next_support = Vec::new();
        let next = welzl(points, &mut candidates, &mut Vec::new(), &mut next_support);
        // In exact arithmetic the ball grows in every round; if not, rounding is all that is left to gain.
        if next.radius_squared <= ball.radius_squared {
            break;
        }
        (ball, support) = (next, next_support);
    }
    SphereFit { sphere: BoundingSphere::around(given[0] + ball.center, given), support }
}

/// `mb(candidates, border)`; `support` becomes the points that hold the ball. Reorders the candidates.
fn welzl(
    points: &[DVec3],
    candidates: &mut [usize],
    border: &mut Vec<usize>,
    support: &mut Vec<usize>,
) -> Ball {
    let mut ball =
        circumscribed(points, border).unwrap_or(Ball { center: DVec3::ZERO, radius_squared: -1.0 });
    support.clone_from(border);
    if border.len() == 4 {
        return ball;
    }
    for i in 0..candidates.len() {
        let candidate = candidates[i];
        if ball.radius_squared >= 0.0 && !ball.excludes(points[candidate]) {
            continue;
        }
        border.push(candidate);
        if circumscribed(points, border).is_some() {
            ball = welzl(points, &mut candidates[..i], border, support);
            candidates[..=i].rotate_right(1);
        }
        border.pop();
    }
    ball
}

/// The smallest ball with all (at most four) points on its border: its centre is in their affine hull.
///
/// With `d_k = p_k - p_0` the centre is `p_0 + sum_k x_k d_k`, and equal distances mean `G x = diag(G) / 2`
/// with `G_ij = d_i . d_j`. `None` if the points do not determine it.
fn circumscribed(points: &[DVec3], border: &[usize]) -> Option<Ball> {
    let origin = points[*border.first()?];
    let offset = |k: usize| border.get(k).map_or(DVec3::ZERO, |&i| points[i] - origin);
    let d = [offset(1), offset(2), offset(3)];
    let relative = match border.len() {
        1 => Some(DVec3::ZERO),
        2 => (d[0] != DVec3::ZERO).then_some(0.5 * d[0]),
        3 => {
            let normal = d[0].cross(d[1]);
            let (a, b) = (d[0].length_squared(), d[1].length_squared());
            // |n|^2 is the Gram determinant; the cross product keeps the digits that expanding it would lose.
            (normal.length_squared() > DEPENDENT * a * b)
                .then(|| (d[1].cross(normal) * a + normal.cross(d[0]) * b) / (2.0 * normal.length_squared()))
        }
        _ => {
            let matrix = DMat3::from_cols(d[0], d[1], d[2]).transpose();
            let squares = DVec3::from_array(d.map(DVec3::length_squared));
            let determinant = matrix.determinant();
            (determinant * determinant > DEPENDENT * squares.x * squares.y * squares.z)
                .then(|| matrix.inverse() * (0.5 * squares))
        }
    }?;
    relative
        .is_finite()
        .then(|| Ball { center: origin + relative, radius_squared: relative.length_squared() })
}

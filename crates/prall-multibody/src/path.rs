//! [`Path`]: a joint that leads a body along a curve through points.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3, DVec4};
use prall_math::{Norm, Pose, Twist};
use prall_mechanics::tree::{Guide, MOST_COORDINATES};
use thiserror::Error;

use crate::spline::{Ends, Spline};

/// A law of one coordinate: the way along a smooth curve, in m.
///
/// The curve goes through the points as a bent lath does; from there it is sampled evenly by its length, eight times between points, and smoothed so far that even
/// the change of its curvature has no jumps. An open one goes on beyond its ends as it came; end stops keep a body from going there.
///
/// ```
/// use glam::DVec3;
/// use prall_multibody::{Guide, Path, PathTurn, check_guide};
///
/// let arch = [DVec3::ZERO, DVec3::new(1.0, 0.5, 0.0), DVec3::new(2.0, 0.0, 0.0)];
/// let path = Path::through(&arch, false, PathTurn::Upright(DVec3::Y), &[])?;
/// assert!((path.pose(&[path.length()]).translation - arch[2]).length() < 1e-6);
/// assert_eq!(check_guide(&path), Ok(()));
/// # Ok::<(), prall_multibody::PathError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Path {
    places: Arc<Spline>,
    turns: Option<Arc<Spline>>,
    /// Metres between samples.
    spacing: f64,
}

/// How a body on a path turns with it; directions are in the joint's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathTurn {
    /// Not at all.
    Fixed,
    /// Its x axis follows the path, and its y axis stays as near to this direction as it can: a road.
    Upright(DVec3),
    /// Its x axis follows the path, and its y axis, which begins nearest to this direction, turns as little as it can: through loops, too.
    Along(DVec3),
}

/// Why a path was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PathError {
    /// Too few points.
    #[error("a path needs at least {needed} points, not {found}")]
    Points {
        /// How many are needed.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A point that is not finite, or in the same place as the one before.
    #[error("point {0} is not finite, or in the same place as the one before it")]
    Point(usize),
    /// Banks that do not belong to the points.
    #[error("there are {banks} banks for {points} points; give one finite angle for each, or none")]
    Banks {
        /// How many banks there are.
        banks: usize,
        /// How many points.
        points: usize,
    },
    /// Directions of the y axis that do not belong to the points.
    #[error("there are {heads} directions of the y axis for {points} points; give one for each")]
    Heads {
        /// How many directions there are.
        heads: usize,
        /// How many points.
        points: usize,
    },
    /// A y axis along the path.
    #[error(
        "near point {0} the direction of the y axis is not finite or lies along the path; give one across it"
    )]
    Head(usize),
    /// A path that goes straight up, so that nothing on it can stay upright.
    #[error("near point {0} the path goes along the upward direction; let it turn along the path instead")]
    Upright(usize),
}

/// Samples between two points.
const SAMPLES: usize = 8;
/// Pieces between two points by which the length is measured: the error is a millionth for an arc of half a radian.
const PIECES: usize = 64;
/// Least sine between path and upward direction.
const LEAST_SINE: f64 = 1e-3;

impl Path {
    /// A path through points in the joint's frame, from the first on; a closed one comes back to it. `banks` are angles in rad about the path by which
    /// the body leans, one for each point, or none at all; above 0 it leans to its right.
    pub fn through(points: &[DVec3], closed: bool, turn: PathTurn, banks: &[f64]) -> Result<Path, PathError> {
        check(points, closed, banks)?;
        let bank = |index: usize| banks.get(index).copied().unwrap_or(0.0);
        let knots = points.iter().enumerate().map(|(index, point)| point.extend(bank(index))).collect();
        let (samples, spacing) = Lath::new(knots, closed).sampled();
        let turns = heads(&samples, closed, turn)?.map(|heads| turns(&samples, closed, &heads));
        Ok(Path::sampled(&samples, spacing, closed, turns))
    }

    /// A path through points in the joint's frame on which the body's x axis follows the path and its y axis these directions, one for each point and
    /// as smooth as the path between them: a track whose loops and banks are designed. Their lengths do not matter as long as they are alike.
    pub fn with_heads(points: &[DVec3], heads: &[DVec3], closed: bool) -> Result<Path, PathError> {
        check(points, closed, &[])?;
        if heads.len() != points.len() {
            return Err(PathError::Heads { heads: heads.len(), points: points.len() });
        }
        if let Some(wrong) = heads.iter().position(|head| !(head.is_finite() && head.norm() > 0.0)) {
            return Err(PathError::Head(wrong));
        }
        let lath = Lath::new(points.iter().map(|point| point.extend(0.0)).collect(), closed);
        let (samples, spacing) = lath.sampled();
        let lath = Lath::over(lath.chords, heads.iter().map(|head| head.extend(0.0)).collect(), closed);
        let head = |sample: &Sample| {
            let given = lath.at(sample.point, sample.fraction).0.truncate();
            across(sample, given).ok_or(PathError::Head(sample.point))
        };
        let heads = samples.iter().map(head).collect::<Result<Vec<_>, _>>()?;
        let turns = Some(turns(&samples, closed, &heads));
        Ok(Path::sampled(&samples, spacing, closed, turns))
    }

    fn sampled(samples: &[Sample], spacing: f64, closed: bool, turns: Option<Spline>) -> Path {
        let ends = if closed { Ends::Closed { negated: false } } else { Ends::Open };
        let places: Vec<DVec4> = samples.iter().map(|sample| sample.place.truncate().extend(0.0)).collect();
        Path { places: Arc::new(Spline::through(&places, ends)), turns: turns.map(Arc::new), spacing }
    }

    /// The coordinate of the place nearest to a point of the joint's frame; of places equally near the first.
    pub fn nearest(&self, point: DVec3) -> f64 {
        let distance = |x: f64| self.places.at(x)[0].truncate().distance_squared(point);
        let samples = self.places.length() as usize;
        let (mut x, mut least) = (0.0, f64::INFINITY);
        for index in 0..=samples {
            let found = distance(index as f64);
            if found < least {
                (x, least) = (index as f64, found);
            }
        }
        // Newton's method for (p - point).p' = 0, within the sample's neighbourhood; a closed path has neighbours beyond its ends.
        let length = self.places.length();
        let (mut low, mut high) = (x - 1.0, x + 1.0);
        if !self.places.is_closed() {
            (low, high) = (low.max(0.0), high.min(length));
        }
        for _ in 0..20 {
            let [place, first, second] = self.places.at(x).map(DVec4::truncate);
            let slope = first.length_squared() + (place - point).dot(second);
            let step = (place - point).dot(first) / if slope > 0.0 { slope } else { first.length_squared() };
            x = (x - step).clamp(low, high);
        }
        if self.places.is_closed() {
            x = x.rem_euclid(length);
        }
        x * self.spacing
    }

    /// Its length in m.
    pub fn length(&self) -> f64 {
        self.places.length() * self.spacing
    }
}

fn check(points: &[DVec3], closed: bool, banks: &[f64]) -> Result<(), PathError> {
    let needed = if closed { 3 } else { 2 };
    if points.len() < needed {
        return Err(PathError::Points { needed, found: points.len() });
    }
    let before = |index: usize| if index == 0 { points[points.len() - 1] } else { points[index - 1] };
    for (index, point) in points.iter().enumerate() {
        if !point.is_finite() || (index > 0 || closed) && before(index).distance(*point) == 0.0 {
            return Err(PathError::Point(index));
        }
    }
    let fit = banks.is_empty() || banks.len() == points.len();
    if !fit || banks.iter().any(|bank| !bank.is_finite()) {
        return Err(PathError::Banks { banks: banks.len(), points: points.len() });
    }
    Ok(())
}

struct Sample {
    place: DVec4,
    tangent: DVec3,
    /// The point before it.
    point: usize,
    /// Of the segment that begins there.
    fraction: f64,
}

/// The cubic spline over the chords, place and bank together; `bends` are its second derivatives at the points.
struct Lath {
    knots: Vec<DVec4>,
    bends: Vec<DVec4>,
    chords: Vec<f64>,
    closed: bool,
}

/// Sweeps for the bends: the system is dominated by twice its other entries, so each gains a factor of two at least.
const SWEEPS: usize = 60;

impl Lath {
    fn new(knots: Vec<DVec4>, closed: bool) -> Lath {
        let count = knots.len();
        let segments = if closed { count } else { count - 1 };
        let chord = |index: usize| knots[index].truncate().distance(knots[(index + 1) % count].truncate());
        Lath::over((0..segments).map(chord).collect(), knots, closed)
    }

    /// Through other knots over the chords of a path.
    fn over(chords: Vec<f64>, knots: Vec<DVec4>, closed: bool) -> Lath {
        let count = knots.len();
        let mut bends = vec![DVec4::ZERO; count];
        let inner = if closed { 0..count } else { 1..count - 1 };
        for _ in 0..SWEEPS {
            for index in inner.clone() {
                let (before, after) = ((index + count - 1) % count, (index + 1) % count);
                let (left, right) = (chords[before], chords[index]);
                let slopes = (knots[after] - knots[index]) / right - (knots[index] - knots[before]) / left;
                let beside = bends[before] * left + bends[after] * right;
                bends[index] = (slopes * 6.0 - beside) / (2.0 * (left + right));
            }
        }
        Lath { knots, bends, chords, closed }
    }

    /// Place and derivative by the chord at a fraction of a segment.
    fn at(&self, segment: usize, fraction: f64) -> (DVec4, DVec4) {
        let (next, h) = ((segment + 1) % self.knots.len(), self.chords[segment]);
        let (a, b) = (1.0 - fraction, fraction);
        let (from, to, bend, bent) =
            (self.knots[segment], self.knots[next], self.bends[segment], self.bends[next]);
        let place = from * a + to * b + (bend * (a * a * a - a) + bent * (b * b * b - b)) * (h * h / 6.0);
        let slope = (to - from) / h + (bent * (3.0 * b * b - 1.0) - bend * (3.0 * a * a - 1.0)) * (h / 6.0);
        (place, slope)
    }

    /// Evenly by length, and the length between samples.
    fn sampled(&self) -> (Vec<Sample>, f64) {
        let mut lengths = vec![0.0];
        for segment in 0..self.chords.len() {
            for piece in 0..PIECES {
                let at = |piece: usize| self.at(segment, piece as f64 / PIECES as f64).0.truncate();
                lengths.push(lengths[lengths.len() - 1] + at(piece).distance(at(piece + 1)));
            }
        }
        let pieces = self.chords.len() * SAMPLES;
        let spacing = lengths[lengths.len() - 1] / pieces as f64;
        let count = if self.closed { pieces } else { pieces + 1 };
        let mut piece = 0;
        let mut sample = |index: usize| {
            let wanted = index as f64 * spacing;
            while piece + 2 < lengths.len() && lengths[piece + 1] < wanted {
                piece += 1;
            }
            let within = (wanted - lengths[piece]) / (lengths[piece + 1] - lengths[piece]);
            let segment = piece / PIECES;
            let fraction = ((piece % PIECES) as f64 + within) / PIECES as f64;
            let (place, slope) = self.at(segment, fraction);
            Sample { place, tangent: slope.truncate().unit(), point: segment, fraction }
        };
        ((0..count).map(&mut sample).collect(), spacing)
    }
}

/// The direction across the path that lies nearest to another one, if that does not lie along the path.
fn across(sample: &Sample, direction: DVec3) -> Option<DVec3> {
    let across = direction - sample.tangent * direction.dot(sample.tangent);
    (across.norm() > LEAST_SINE * direction.norm()).then(|| across.unit())
}

/// The y axes at the samples.
fn heads(samples: &[Sample], closed: bool, turn: PathTurn) -> Result<Option<Vec<DVec3>>, PathError> {
    let upright = |sample: &Sample, up| across(sample, up).ok_or(PathError::Upright(sample.point));
    Ok(match turn {
        PathTurn::Fixed => None,
        PathTurn::Upright(up) => {
            Some(samples.iter().map(|sample| upright(sample, up)).collect::<Result<_, _>>()?)
        }
        PathTurn::Along(up) => Some(carried(samples, closed, upright(&samples[0], up)?)),
    })
}

/// Orientations at the samples as quaternions on one sheet.
fn turns(samples: &[Sample], closed: bool, heads: &[DVec3]) -> Spline {
    let mut values: Vec<DVec4> = Vec::with_capacity(samples.len());
    let nearest = |value: DVec4, to: DVec4| if value.dot(to) < 0.0 { -value } else { value };
    for (sample, &head) in samples.iter().zip(heads) {
        let frame = DMat3::from_cols(sample.tangent, head, sample.tangent.cross(head));
        let (sine, cosine) = libm::sincos(0.5 * sample.place.w);
        let leaned = DQuat::from_mat3(&frame) * DQuat::from_xyzw(sine, 0.0, 0.0, cosine);
        let value = DVec4::from(leaned);
        values.push(values.last().map_or(value, |&before| nearest(value, before)));
    }
    let ends = if closed {
        Ends::Closed { negated: values[0].dot(values[values.len() - 1]) < 0.0 }
    } else {
        Ends::Open
    };
    Spline::through(&values, ends)
}

/// The y axes that turn as little as they can; on a closed path what is then missing is spread over all of it.
fn carried(samples: &[Sample], closed: bool, first: DVec3) -> Vec<DVec3> {
    let carry = |head: DVec3, tangent: DVec3| (head - tangent * head.dot(tangent)).unit();
    let mut heads = vec![first];
    for sample in &samples[1..] {
        heads.push(carry(heads[heads.len() - 1], sample.tangent));
    }
    if closed {
        let (start, back) = (samples[0].tangent, carry(heads[heads.len() - 1], samples[0].tangent));
        let missing = libm::atan2(back.cross(first).dot(start), back.dot(first));
        for (index, (head, sample)) in heads.iter_mut().zip(samples).enumerate() {
            let (sine, cosine) = libm::sincos(missing * index as f64 / samples.len() as f64);
            *head = *head * cosine + sample.tangent.cross(*head) * sine;
        }
    }
    heads
}

/// The vector of `a conj(b)`, for quaternions as vectors.
fn product(a: DVec4, b: DVec4) -> DVec3 {
    b.w * a.truncate() - a.w * b.truncate() - a.truncate().cross(b.truncate())
}

impl Path {
    /// Motion per metre, and its change: with the quaternion `c`, `w = 2 c' conj(c)/c.c`.
    fn motion(&self, q: f64) -> [Twist; 2] {
        let x = q / self.spacing;
        let per = 1.0 / self.spacing;
        let [_, first, second] = self.places.at(x);
        let (mut angular, mut change) = (DVec3::ZERO, DVec3::ZERO);
        if let Some(turns) = &self.turns {
            let [c, c1, c2] = turns.at(x);
            let norm = c.length_squared();
            angular = product(c1, c) * (2.0 / norm);
            change = product(c2, c) * (2.0 / norm) - angular * (2.0 * c.dot(c1) / norm);
        }
        [Twist::new(first.truncate(), angular) * per, Twist::new(second.truncate(), change) * (per * per)]
    }
}

impl Guide for Path {
    fn coordinates(&self) -> usize {
        1
    }

    fn pose(&self, q: &[f64]) -> Pose {
        let x = q[0] / self.spacing;
        let turn = |turns: &Arc<Spline>| DQuat::from_vec4(turns.at(x)[0]).unit();
        Pose::new(self.turns.as_ref().map_or(DQuat::IDENTITY, turn), self.places.at(x)[0].truncate())
    }

    fn subspace(&self, q: &[f64]) -> [Twist; MOST_COORDINATES] {
        let mut columns = [Twist::ZERO; MOST_COORDINATES];
        columns[0] = self.motion(q[0])[0];
        columns
    }

    fn bias(&self, q: &[f64], rates: &[f64]) -> Twist {
        self.motion(q[0])[1] * (rates[0] * rates[0])
    }

    fn scale(&self) -> f64 {
        // Differences then stay within a fraction of a sample.
        10.0 * self.spacing
    }

    fn probes(&self) -> Vec<[f64; MOST_COORDINATES]> {
        let at = |share: f64| {
            let mut probe = [0.0; MOST_COORDINATES];
            probe[0] = share * self.length();
            probe
        };
        [0.0, 0.13, 0.29, 0.5, 0.71, 0.97, 1.0].map(at).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prall_mechanics::tree::check_guide;

    fn circle(count: usize, radius: f64) -> Vec<DVec3> {
        let point = |index: usize| {
            let (sine, cosine) = libm::sincos(index as f64 * 2.0 * std::f64::consts::PI / count as f64);
            DVec3::new(cosine, 0.0, -sine) * radius
        };
        (0..count).map(point).collect()
    }

    /// A circle through 24 points: lath and sampling leave some 1e-5 of its radius.
    #[test]
    fn a_closed_path_through_a_circle_is_a_circle() {
        for turn in [PathTurn::Fixed, PathTurn::Upright(DVec3::Y), PathTurn::Along(DVec3::Y)] {
            let path = Path::through(&circle(24, 5.0), true, turn, &[]).unwrap();
            assert_eq!(check_guide(&path), Ok(()));
            let round = 10.0 * std::f64::consts::PI;
            assert!((path.length() - round).abs() < 1e-4 * round, "{}", path.length());
            let beside = path.pose(&[7.3]).translation + path.motion(7.3)[0].linear.cross(DVec3::Y);
            assert!((path.nearest(beside) - 7.3).abs() < 1e-6, "{}", path.nearest(beside));
            // Just before the start, where the nearest sample is the first one.
            let late = path.length() - 0.3 * path.spacing;
            let found = path.nearest(path.pose(&[late]).translation);
            assert!((found - late).abs() < 1e-6, "{found} {late}");
            for share in [0.0, 0.4, 0.77, 1.3, -0.2] {
                let pose = path.pose(&[share * path.length()]);
                let [motion, change] = path.motion(share * path.length());
                assert!((pose.translation.length() - 5.0).abs() < 1e-4);
                assert!((motion.linear.length() - 1.0).abs() < 1e-4);
                // A lath bends evenly only to (chord/radius)^2/12 between points: 0.6 %.
                assert!((change.linear.length() / 0.2 - 1.0).abs() < 1e-2);
                if turn != PathTurn::Fixed {
                    assert!((pose.rotation * DVec3::X).dot(motion.linear) > 1.0 - 1e-4);
                    assert!((pose.rotation * DVec3::Y - DVec3::Y).length() < 1e-9);
                    assert!((motion.angular - DVec3::Y * 0.2).length() < 2e-3);
                }
            }
        }
    }

    /// A loop in the plane of up: nothing stays upright there, but what turns along comes out as it went in.
    #[test]
    fn a_looping_path_needs_to_turn_along() {
        let looping: Vec<DVec3> =
            circle(16, 2.0).iter().map(|point| DVec3::new(point.x, point.z, 0.0)).collect();
        let upright = Path::through(&looping, true, PathTurn::Upright(DVec3::Y), &[]);
        assert!(matches!(upright.unwrap_err(), PathError::Upright(_)));
        let path = Path::through(&looping, true, PathTurn::Along(DVec3::X), &[]).unwrap();
        assert_eq!(check_guide(&path), Ok(()));
        for share in [0.0, 0.25, 0.5, 1.0, 2.5] {
            let pose = path.pose(&[share * path.length()]);
            // Towards the outside all along, as at the start.
            assert!((pose.rotation * DVec3::Y).dot(pose.translation) > 1.99, "{share}: {pose:?}");
        }
    }

    /// Heads towards the middle of a loop lead through it upside down; between the points the middle is kept to a lath's thousandth.
    #[test]
    fn heads_are_followed_through_a_loop() {
        let points: Vec<DVec3> =
            circle(24, 2.0).iter().map(|point| DVec3::new(point.x, point.z, 0.0)).collect();
        let inwards: Vec<DVec3> = points.iter().map(|&point| -point).collect();
        let path = Path::with_heads(&points, &inwards, true).unwrap();
        assert_eq!(check_guide(&path), Ok(()));
        for share in [0.0, 0.11, 0.37, 0.5, 0.93] {
            let pose = path.pose(&[share * path.length()]);
            let error = pose.rotation * DVec3::Y + pose.translation.normalize();
            assert!(error.length() < 1e-3, "{share}: {error}");
        }
        let along: Vec<DVec3> = points.iter().map(|&point| DVec3::Z.cross(point)).collect();
        assert!(matches!(Path::with_heads(&points, &along, true), Err(PathError::Head(_))));
        let few = Path::with_heads(&points, &along[1..], true).unwrap_err();
        assert_eq!(few, PathError::Heads { heads: 23, points: 24 });
        assert_eq!(Path::with_heads(&points, &[DVec3::ZERO; 24], true).unwrap_err(), PathError::Head(0));
    }

    #[test]
    fn banks_lean_and_wrong_paths_are_refused() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X * 3.0];
        let path = Path::through(&points, false, PathTurn::Upright(DVec3::Y), &[0.3; 4]).unwrap();
        assert_eq!(check_guide(&path), Ok(()));
        let up = path.pose(&[1.7]).rotation * DVec3::Y;
        assert!((up - DVec3::new(0.0, libm::cos(0.3), libm::sin(0.3))).length() < 1e-12, "{up}");
        let refused = |points: &[DVec3], closed, banks: &[f64]| {
            Path::through(points, closed, PathTurn::Fixed, banks).unwrap_err()
        };
        assert_eq!(refused(&points[..1], false, &[]), PathError::Points { needed: 2, found: 1 });
        assert_eq!(refused(&points[..2], true, &[]), PathError::Points { needed: 3, found: 2 });
        assert_eq!(refused(&[DVec3::X, DVec3::X], false, &[]), PathError::Point(1));
        assert_eq!(refused(&points, false, &[1.0]), PathError::Banks { banks: 1, points: 4 });
    }
}

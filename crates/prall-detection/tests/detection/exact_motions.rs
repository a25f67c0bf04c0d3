//! Straight motions of two triangles against whole numbers: the exact first time of contact of every vertex with
//! every face, of every edge with every edge, and of what is left when those are parallel.

use dashu::base::Sign;
use dashu::integer::IBig;
use glam::{DQuat, DVec3};
use prall_detection::{
    Budget, ImpactOptions, Workspace, time_of_impact, triangle_distance, triangles_overlap,
};
use prall_math::{Motion, Pose};

use crate::bodies::hierarchy;
use crate::random::Random;

/// A vector in units of 2^-100 m.
#[derive(Clone, Debug)]
struct Whole([IBig; 3]);

/// Exact for numbers whose last bit is worth at least 2^-100.
fn whole(value: f64) -> IBig {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    assert!(value == 0.0 || exponent > 0, "no subnormal numbers here");
    if value == 0.0 {
        return IBig::from(0);
    }
    let mantissa = IBig::from(bits & ((1 << 52) - 1) | 1 << 52) * if value < 0.0 { -1 } else { 1 };
    let shift = exponent - 1075 + 100;
    if shift >= 0 {
        mantissa << shift as usize
    } else {
        let shifted = &mantissa >> (-shift) as usize;
        assert_eq!(&shifted << (-shift) as usize, mantissa, "{value} has bits below 2^-100");
        shifted
    }
}

impl Whole {
    fn new(p: DVec3) -> Whole {
        Whole(p.to_array().map(whole))
    }
    fn minus(&self, other: &Whole) -> Whole {
        Whole([0, 1, 2].map(|k| &self.0[k] - &other.0[k]))
    }
    fn dot(&self, other: &Whole) -> IBig {
        &self.0[0] * &other.0[0] + &self.0[1] * &other.0[1] + &self.0[2] * &other.0[2]
    }
    fn cross(&self, other: &Whole) -> Whole {
        let (a, b) = (&self.0, &other.0);
        Whole([&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]])
    }
    fn is_zero(&self) -> bool {
        self.0.iter().all(|x| *x == IBig::from(0))
    }
    /// `self * by.denominator + velocity * by.numerator`: the place at that time, magnified.
    fn at(&self, velocity: &Whole, time: &Time) -> Whole {
        Whole([0, 1, 2].map(|k| &self.0[k] * &time.denominator + &velocity.0[k] * &time.numerator))
    }
}

/// A fraction with a positive denominator.
#[derive(Clone, Debug)]
struct Time {
    numerator: IBig,
    denominator: IBig,
}

impl Time {
    /// The t in [0, 1] at which `value + t slope` is zero.
    fn of_zero(value: &IBig, slope: &IBig) -> Option<Time> {
        if *slope == IBig::from(0) {
            return None;
        }
        let negative = matches!(slope.sign(), Sign::Negative);
        let (numerator, denominator) =
            if negative { (value.clone(), -slope.clone()) } else { (-value.clone(), slope.clone()) };
        let inside = numerator >= IBig::from(0) && numerator <= denominator;
        inside.then_some(Time { numerator, denominator })
    }

    /// Greater than a number in [0, 1].
    fn is_after(&self, t: f64) -> bool {
        // whole() counts in units of 2^-100.
        (&self.numerator << 100) > whole(t) * &self.denominator
    }
}

fn between(x: &IBig, low: &IBig, high: &IBig) -> bool {
    low <= x && x <= high
}

/// When the moving point comes to lie in the face, if the motion crosses its plane.
fn vertex_face(p: &Whole, v: &Whole, face: &[Whole; 3]) -> Option<Time> {
    let normal = face[1].minus(&face[0]).cross(&face[2].minus(&face[0]));
    let time = Time::of_zero(&normal.dot(&p.minus(&face[0])), &normal.dot(v))?;
    let inside = (0..3).all(|i| {
        let (from, to) = (&face[i], &face[(i + 1) % 3]);
        let arm = p.minus(from).at(v, &time);
        to.minus(from).cross(&arm).dot(&normal) >= IBig::from(0)
    });
    inside.then_some(time)
}

/// When the moving edge comes to cross the other, if they are not parallel and the motion crosses their plane.
fn edge_edge(p: &Whole, u: &Whole, v: &Whole, q: &Whole, w: &Whole) -> Option<Time> {
    let normal = u.cross(w);
    let time = Time::of_zero(&normal.dot(&p.minus(q)), &normal.dot(v))?;
    let arm = q.minus(p).at(&Whole([0, 1, 2].map(|k| -v.0[k].clone())), &time);
    let size = normal.dot(&normal) * &time.denominator;
    let zero = IBig::from(0);
    let crosses = between(&arm.cross(w).dot(&normal), &zero, &size)
        && between(&arm.cross(u).dot(&normal), &zero, &size);
    crosses.then_some(time)
}

/// When the moving point comes to lie on the edge.
fn vertex_edge(p: &Whole, v: &Whole, q: &Whole, w: &Whole) -> Vec<Time> {
    let (offset, slope) = (p.minus(q).cross(w), v.cross(w));
    let mut times: Vec<Time> = (0..3).filter_map(|k| Time::of_zero(&offset.0[k], &slope.0[k])).collect();
    times.retain(|time| {
        let arm = p.minus(q).at(v, time);
        let on_line = arm.cross(w).is_zero();
        on_line && between(&arm.dot(w), &IBig::from(0), &(w.dot(w) * &time.denominator))
    });
    times
}

/// When the moving point meets the other.
fn vertex_vertex(p: &Whole, v: &Whole, q: &Whole) -> Vec<Time> {
    let offset = p.minus(q);
    let mut times: Vec<Time> = (0..3).filter_map(|k| Time::of_zero(&offset.0[k], &v.0[k])).collect();
    times.retain(|time| offset.at(v, time).is_zero());
    times
}

/// All times in [0, 1] at which features of `a`, moving by `velocity`, meet features of `b`.
fn contact_times(a: &[DVec3; 3], velocity: DVec3, b: &[DVec3; 3]) -> Vec<Time> {
    let (a, b) = (a.map(Whole::new), b.map(Whole::new));
    let forward = Whole::new(velocity);
    let backward = Whole::new(-velocity);
    let edge = |t: &[Whole; 3], i: usize| t[(i + 1) % 3].minus(&t[i]);
    let mut times = Vec::new();
    for i in 0..3 {
        times.extend(vertex_face(&a[i], &forward, &b));
        times.extend(vertex_face(&b[i], &backward, &a));
        for j in 0..3 {
            times.extend(edge_edge(&a[i], &edge(&a, i), &forward, &b[j], &edge(&b, j)));
            times.extend(vertex_edge(&a[i], &forward, &b[j], &edge(&b, j)));
            times.extend(vertex_edge(&b[i], &backward, &a[j], &edge(&a, j)));
            times.extend(vertex_vertex(&a[i], &forward, &b[j]));
        }
    }
    times
}

/// A number with few bits, so that everything stays exact.
fn coarse(random: &mut Random, size: f64) -> DVec3 {
    let unit = size / 512.0;
    DVec3::from_array([0; 3].map(|_| unit * (random.integer(1025) as f64 - 512.0)))
}

/// Two triangles and a velocity from one of the families; sizes are powers of two, gaps too.
fn case(random: &mut Random, family: u64) -> ([DVec3; 3], DVec3, [DVec3; 3]) {
    let size = [1.0, 1.0 / (1 << 20) as f64, (1 << 10) as f64][random.integer(3) as usize];
    let gap = size / (1_u64 << (10 + random.integer(41))) as f64;
    let gap = if random.chance(0.2) { 0.0 } else { gap };
    let mut point = || coarse(random, size);
    let b = [point(), point(), point()];
    let flat = |p: DVec3, z: f64| DVec3::new(p.x, p.y, z);
    match family {
        // Anywhere, any way.
        0 => ([point(), point(), point()], 4.0 * point(), b),
        // Face over face, parallel, moving down, along or up.
        1 => {
            let b = b.map(|p| flat(p, 0.0));
            let v = point();
            let down = [0.0, -1.0, 1.0][random.integer(3) as usize];
            let along = if random.chance(0.5) { 0.0 } else { 1.0 };
            let v = DVec3::new(along * v.x, along * v.y, down * v.z.abs());
            let a = [0, 1, 2].map(|_| flat(coarse(random, size), gap));
            (a, v, b)
        }
        // In one plane, moving in it.
        2 => {
            let a = [point(), point(), point()].map(|p| flat(p, 0.0));
            (a, flat(4.0 * point(), 0.0), b.map(|p| flat(p, 0.0)))
        }
        // A vertex over the face, aimed at it.
        3 => {
            let centre = (b[0] + b[1]) * 0.25 + b[2] * 0.5;
            let v = point();
            let tip = centre + DVec3::new(0.0, 0.0, gap);
            ([tip, tip + 2.0 * v, tip + 2.0 * v + point()], -v, b)
        }
        // Parallel edges, side by side.
        4 => {
            let along = b[1] - b[0];
            let shift = DVec3::new(0.0, gap, 0.0);
            ([b[0] + shift, b[0] + shift + 0.5 * along, point()], point(), b)
        }
        // A shared vertex or edge.
        5 => (
            [b[0], if random.chance(0.5) { b[1] } else { coarse(random, size) }, coarse(random, size)],
            coarse(random, size),
            b,
        ),
        // An edge across an edge.
        6 => {
            let middle = 0.5 * (b[0] + b[1]) + DVec3::new(0.0, 0.0, gap);
            let u = point();
            let v = point();
            ([middle - u, middle + u, middle + 2.0 * v], -v, b)
        }
        // Segments and points for triangles.
        _ => {
            let (p, u) = (point(), point());
            ([p, p + u, p + 2.0 * u], 4.0 * point(), if random.chance(0.5) { b } else { [b[0], b[0], b[1]] })
        }
    }
}

const FAMILIES: u64 = 8;

/// Runs that many pairs of triangles, fifteen feature pairs each; returns how many touch at the start, touch
/// later, and never touch.
pub(crate) fn straight_motions_miss_nothing(seed: u64, pairs: u64) -> [u64; 3] {
    let mut random = Random::new(seed);
    let mut workspace = Workspace::new();
    let mut counts = [0; 3];
    for number in 0..pairs {
        let (a, velocity, b) = case(&mut random, number % FAMILIES);
        let motion_b = Motion::still(Pose::IDENTITY).expect("a pose");
        let end = Pose::new(DQuat::IDENTITY, velocity);
        let motion_a = Motion::slerp(Pose::IDENTITY, end).expect("a motion");
        let guard = [20e-6, 0.0, 1e-3][random.integer(3) as usize];
        let options = ImpactOptions { guard, ..ImpactOptions::default() };
        let (body_a, body_b) = (hierarchy(&[a]), hierarchy(&[b]));
        let answer = time_of_impact(
            &body_a,
            &motion_a,
            &body_b,
            &motion_b,
            &options,
            &mut Budget::unlimited(),
            &mut workspace,
        )
        .expect("good options");
        assert!(answer.finished);
        let what = || format!("pair {number}: {a:?} {velocity:?} {b:?} {answer:?}");
        if triangles_overlap(&a, &b) {
            assert_eq!(answer.free_until, 0.0, "{}", what());
            assert!(answer.contact.is_some(), "{}", what());
            counts[0] += 1;
            continue;
        }
        let times = contact_times(&a, velocity, &b);
        for time in &times {
            assert!(time.is_after(answer.free_until) && answer.contact.is_some(), "missed: {}", what());
        }
        if let Some((t, _)) = answer.contact {
            // Not called without reason: down to the guard and the tolerance, or to the resolution of numbers.
            let moved = a.map(|p| p + velocity * t);
            let size = a.iter().chain(&b).map(|p| p.length()).fold(velocity.length(), f64::max);
            let gap = triangle_distance(&moved, &b).distance();
            assert!(gap <= options.guard + options.tolerance + 1e-12 * size, "gap {gap}: {}", what());
        }
        counts[if times.is_empty() { 2 } else { 1 }] += 1;
    }
    counts
}

#[test]
fn a_hundred_thousand_feature_pairs_in_straight_motion_are_never_missed() {
    let counts = straight_motions_miss_nothing(41, 100_000 / 15 + 1);
    assert!(counts.iter().all(|&count| count > 300), "all outcomes occur: {counts:?}");
}

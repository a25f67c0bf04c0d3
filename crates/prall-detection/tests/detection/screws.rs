//! Turning motions of two triangles against interval arithmetic: for every time, not for samples, the gap up to
//! `free_until` is proven, and at a contact it is proven to be as small as promised. The motion is the exact one that the
//! numbers of [`UniformMotion`] stand for; nothing of the engine's kinematics, frames or bounds is used.
//!
//! Let n(t) turn with B, c(t) be B's reference point, x a corner of A and y one of B. The pair is apart on [m - h, m + h] if
//! for some n(m) and all x, y the function g = n.(x - c) - n.(y - c), whose last term is constant, is positive there, and
//! ```text
//! g(t) >= g(m) - |g'(m)| h - K h^2 / 2,   D = x - c,   |D'| <= V = |v_A - v_B| + angle_A r,   r = distance of x from A's axis
//! g' = (omega_B x n).D + n.D',   K = |n| (angle_B^2 (|D(m)| + h V) + 2 angle_B V + angle_A^2 r),
//! ```
//! because a point that turns steadily has an acceleration of constant length. Intervals that are not proven are halved.

use glam::DVec3;
use prall_detection::{
    Budget, ImpactOptions, Workspace, time_of_impact, triangle_distance, triangles_overlap,
};
use prall_math::{Motion, Pose, UniformMotion};

use crate::bodies::hierarchy;
use crate::interval::{Interval, Vector};
use crate::random::Random;

/// A case that needs more halvings is no case for this oracle; the generator avoids it.
const MOST_TRIES: usize = 100_000;

/// A triangle in uniform motion.
struct Turning {
    /// Reference point at t = 0 in the world.
    from: Vector,
    velocity: Vector,
    axis: Vector,
    angle: Interval,
    /// Corners from the reference point, at t = 0, in world axes, and across the axis.
    arms: [[Vector; 2]; 3],
    /// Speed of each corner about the reference point.
    speeds: [Interval; 3],
}

/// A corner at an instant.
struct Moving {
    place: Vector,
    velocity: Vector,
}

impl Turning {
    fn new(triangle: &[DVec3; 3], motion: &UniformMotion) -> Turning {
        let turned = |v: Vector| {
            // q v / q for any q, of unit length or not: v + 2 (w q x v + q x (q x v)) / |q|^2.
            let q = motion.start.rotation;
            let (w, xyz) = (Interval::exact(q.w), Vector::exact(DVec3::new(q.x, q.y, q.z)));
            let squared = w.square() + xyz.0[0].square() + xyz.0[1].square() + xyz.0[2].square();
            let across = xyz.cross(v);
            let sum = across.times(w) + xyz.cross(across);
            v + sum.times(Interval::exact(2.0) * squared.reciprocal())
        };
        let reference = Vector::exact(motion.reference);
        let axis = Vector::exact(motion.axis);
        let axis = axis.times(axis.length().reciprocal());
        let angle = Interval::exact(motion.angle);
        let arms = triangle.map(|corner| {
            let arm = turned(Vector::exact(corner) - reference);
            [arm, axis.cross(arm)]
        });
        Turning {
            from: Vector::exact(motion.start.translation) + turned(reference),
            velocity: Vector::exact(motion.velocity),
            speeds: arms.map(|[_, across]| angle * across.length()),
            axis,
            angle,
            arms,
        }
    }

    /// The reference point.
    fn centre(&self, t: f64) -> Vector {
        self.from + self.velocity.times(Interval::exact(t))
    }

    /// Rodrigues: arm + sin k x arm + (1 - cos) k x (k x arm).
    fn at(&self, t: f64) -> [Moving; 3] {
        let (sine, cosine) = (self.angle * Interval::exact(t)).sin_cos();
        let less = Interval::exact(1.0) - cosine;
        let centre = self.centre(t);
        [0, 1, 2].map(|i| {
            let [arm, across] = self.arms[i];
            let arm = arm + across.times(sine) + self.axis.cross(across).times(less);
            let velocity = self.velocity + self.axis.cross(arm).times(self.angle);
            Moving { place: centre + arm, velocity }
        })
    }
}

fn middles(corners: &[Moving; 3]) -> [DVec3; 3] {
    [0, 1, 2].map(|i| DVec3::from_array(corners[i].place.0.map(|x| 0.5 * (x.low + x.high))))
}

/// Vectors that may separate two triangles: those along which they seem to have the widest gaps.
fn directions(a: &[DVec3; 3], b: &[DVec3; 3]) -> impl Iterator<Item = DVec3> {
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (u, v) = (edges(a), edges(b));
    let mut all = vec![triangle_distance(a, b).connection, v[0].cross(v[1]), u[0].cross(u[1])];
    all.extend(u.iter().flat_map(|p| v.iter().map(|q| p.cross(*q))));
    let gap = |n: DVec3| {
        let low = a.iter().map(|p| n.dot(*p - b[0])).fold(f64::INFINITY, f64::min);
        low - b.iter().map(|p| n.dot(*p - b[0])).fold(f64::NEG_INFINITY, f64::max)
    };
    let both = all.into_iter().filter_map(DVec3::try_normalize).flat_map(|n| [n, -n]);
    let mut rated: Vec<(f64, DVec3)> = both.map(|n| (gap(n), n)).collect();
    rated.sort_by(|p, q| q.0.total_cmp(&p.0));
    rated.into_iter().map(|(_, n)| n).take(3)
}

/// True if the two are proven to be more than `gap` apart at all times within `h` of `m`.
fn apart(a: &Turning, b: &Turning, m: f64, h: f64, gap: f64) -> bool {
    let (at_a, at_b, centre) = (a.at(m), b.at(m), b.centre(m));
    let (half, two) = (Interval::exact(h), Interval::exact(2.0));
    let omega = b.axis.times(b.angle);
    let drift = (a.velocity - b.velocity).length();
    let along = |n: DVec3| {
        let normal = Vector::exact(n);
        let (length, tilt) = (normal.length(), omega.cross(normal));
        (0..3).all(|i| {
            let offset = at_a[i].place - centre;
            let slope = tilt.dot(offset) + normal.dot(at_a[i].velocity - b.velocity);
            let fastest = drift + a.speeds[i];
            let bend = b.angle.square() * (offset.length() + half * fastest)
                + two * b.angle * fastest
                + a.angle * a.speeds[i];
            let loss = Interval::exact(slope.magnitude()) * half
                + bend * length * half.square() * Interval::exact(0.5)
                + Interval::exact(gap) * length;
            (0..3).all(|j| (normal.dot(at_a[i].place - at_b[j].place) - loss).low > 0.0)
        })
    };
    let (points_a, points_b) = (middles(&at_a), middles(&at_b));
    directions(&points_a, &points_b).any(along)
}

/// Proves that the two are more than `gap` apart on [from, to]; an interval that resists, if there is one.
fn proven(a: &Turning, b: &Turning, from: f64, to: f64, gap: f64) -> Result<(), (f64, f64)> {
    // The bounds are best in the frame of the one that turns less.
    let (a, b) = if a.angle.high < b.angle.high { (b, a) } else { (a, b) };
    let mut open = vec![(from, to)];
    let mut tries = 0;
    while let Some((from, to)) = open.pop() {
        let middle = 0.5 * (from + to);
        let reach = (to - middle).max(middle - from).next_up();
        if apart(a, b, middle, reach, gap) {
            continue;
        }
        tries += 1;
        if !(from < middle && middle < to && tries < MOST_TRIES) {
            return Err((from, to));
        }
        open.extend([(middle, to), (from, middle)]);
    }
    Ok(())
}

/// Upper bound of the distance at a time: that of two points of the triangles.
fn distance_at_most(a: &Turning, b: &Turning, t: f64) -> f64 {
    let (at_a, at_b) = (a.at(t), b.at(t));
    let (points_a, points_b) = (middles(&at_a), middles(&at_b));
    let near = triangle_distance(&points_a, &points_b);
    let on = |corners: &[Moving; 3], points: &[DVec3; 3], point: DVec3| {
        // Weights that are not negative and are divided by their sum make a point of the triangle, whatever they are.
        let (u, v, w) = (points[1] - points[0], points[2] - points[0], point - points[0]);
        let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
        let area = uu * vv - uv * uv;
        let (s, r) = ((vv * uw - uv * vw) / area, (uu * vw - uv * uw) / area);
        let weights = [1.0 - s - r, s, r].map(|x| Interval::exact(x.max(0.0)));
        let sum = (weights[0] + weights[1] + weights[2]).reciprocal();
        let zero = Vector([Interval::ZERO; 3]);
        (0..3).fold(zero, |sum, i| sum + corners[i].place.times(weights[i])).times(sum)
    };
    (on(&at_a, &points_a, near.on_a) - on(&at_b, &points_b, near.on_b)).length().high
}

/// Two triangles and their motions.
struct Case {
    triangles: [[DVec3; 3]; 2],
    motions: [Motion; 2],
}

/// The screw that brings a body to `pose` at time `when`, about the line through `point` along `axis`.
fn screw_through(pose: Pose, when: f64, point: DVec3, axis: DVec3, angle: f64, advance: f64) -> Motion {
    let back = Motion::screw_about(pose, point, axis, -angle * when, -advance * when).expect("a screw");
    Motion::screw_about(back.end().normalized(), point, axis, angle, advance).expect("a screw")
}

fn triangle(random: &mut Random, size: f64) -> [DVec3; 3] {
    loop {
        let corners = [random.vector(size), random.vector(size), random.vector(size)];
        let (u, v) = (corners[1] - corners[0], corners[2] - corners[0]);
        // Weights of points need an area.
        if u.cross(v).length() > 0.05 * size * size {
            return corners;
        }
    }
}

const FAMILIES: u64 = 8;

/// Features that come as near as `gap` at some time, in the world frame `world`; or anything.
fn case(random: &mut Random, family: u64) -> Case {
    let size = [1.0, 1.0, 0.01, 20.0][random.integer(4) as usize];
    let gap = size * [1e-9, 1e-6, 3e-5, 1e-3, -1e-4][random.integer(5) as usize];
    let far = if random.chance(0.2) { 1000.0 } else { 1.0 };
    let world = Pose::new(random.rotation(), random.vector(far));
    let when = random.between(0.05, 0.95);
    let turns = if random.chance(0.3) { 12.0 } else { 1.5 };
    let angle = random.between(-turns, turns);
    let b = triangle(random, size);
    let rest = Motion::still(world).expect("a pose");
    let normal = (b[1] - b[0]).cross(b[2] - b[0]).normalize();
    let inside = 0.25 * (b[0] + b[1]) + 0.5 * b[2];
    // In the frame of B; taken to the world at the end.
    let local = Motion::screw_about;
    let to_world = |motion: Motion| {
        let uniform = motion.as_uniform().expect("a screw");
        let moved = UniformMotion {
            start: (world * uniform.start).normalized(),
            velocity: world.transform_vector(uniform.velocity),
            axis: world.transform_vector(uniform.axis),
            ..*uniform
        };
        Motion::uniform(moved).expect("the same elsewhere")
    };
    let (a, motion_a, motion_b) = match family {
        // A corner over the inside of the face, moving along it: on a circle about an axis above or below.
        0 | 1 => {
            let tip = inside + gap * normal;
            let side = normal.any_orthonormal_vector();
            let radius = size * random.between(0.1, 3.0) * if family == 0 { 1.0 } else { -1.0 };
            let up = random.vector(size);
            let up = up + normal * (2.0 * size - normal.dot(up));
            let aside = up + 0.7 * size * random.direction();
            let a = [tip, tip + up, tip + aside];
            let advance = size * random.between(-1.0, 1.0);
            (a, screw_through(Pose::IDENTITY, when, tip + radius * normal, side, angle, advance), rest)
        }
        // An edge over an edge, moving across their common normal.
        2 | 3 => {
            let (edge, middle) = (b[1] - b[0], 0.5 * (b[0] + b[1]));
            let across = if family == 2 {
                random.direction()
            } else {
                // Nearly parallel.
                (edge.normalize() + 1e-4 * random.direction()).normalize()
            };
            let common = edge.cross(across).try_normalize().unwrap_or(normal);
            let out = if common.dot(b[2] - middle) < 0.0 { common } else { -common };
            let place = middle + gap * out;
            let a = [place - size * across, place + size * across, place + 2.0 * size * out];
            let radius = size * random.between(0.1, 2.0) * if random.chance(0.5) { 1.0 } else { -1.0 };
            let axis = out.any_orthonormal_vector();
            (a, screw_through(Pose::IDENTITY, when, place + radius * out, axis, angle, 0.3 * size), rest)
        }
        // Both turn about the same axis by the same angle but for a little.
        4 => {
            let (point, axis) = (random.vector(3.0 * size), random.direction());
            // Not less: halving takes as many steps as the root of the size over the gap.
            let tip = inside + gap.abs().max(1e-6 * size) * normal;
            let a = [tip, tip + size * normal + random.vector(0.5 * size), tip + 2.0 * size * normal];
            let slip = random.between(-1e-3, 1e-3);
            let first = local(Pose::IDENTITY, point, axis, angle, 0.1 * size).expect("a screw");
            let second = local(Pose::IDENTITY, point, axis, angle + slip, 0.1 * size).expect("a screw");
            (a, first, to_world(second))
        }
        // Head on, spinning.
        5 => {
            let a = triangle(random, size);
            let away = random.direction() * (4.0 * size);
            let start = Pose::new(random.rotation(), away);
            let point = away + random.vector(0.3 * size);
            (a, local(start, point, away, angle, -8.0 * size).expect("a screw"), rest)
        }
        // Anything against anything, both turning.
        _ => {
            let (a, reach) = (triangle(random, size), 2.0 * size);
            let start = Pose::new(random.rotation(), random.vector(reach));
            let screw = |random: &mut Random, start: Pose| {
                let (point, axis) = (random.vector(reach), random.direction());
                let (turn, advance) = (random.between(-turns, turns), random.between(-reach, reach));
                local(start, point, axis, turn, advance).expect("a screw")
            };
            let first = screw(random, start);
            (a, first, to_world(screw(random, Pose::IDENTITY)))
        }
    };
    Case { triangles: [a, b], motions: [to_world(motion_a), motion_b] }
}

/// Runs that many screws; counts contacts later, contacts at once, and free motions.
pub(crate) fn screws_are_proven(seed: u64, cases: u64) -> [u64; 3] {
    let mut random = Random::new(seed);
    let mut workspace = Workspace::new();
    let mut counts = [0; 3];
    for number in 0..cases {
        let Case { triangles: [a, b], motions: [motion_a, motion_b] } = case(&mut random, number % FAMILIES);
        let guard = [20e-6, 0.0, 1e-3][random.integer(3) as usize];
        let options = ImpactOptions { guard, ..ImpactOptions::default() };
        let (body_a, body_b) = (hierarchy(&[a]), hierarchy(&[b]));
        let mut budget = Budget::unlimited();
        let answer =
            time_of_impact(&body_a, &motion_a, &body_b, &motion_b, &options, &mut budget, &mut workspace)
                .expect("good options");
        let what =
            || format!("case {number}: {a:?} {motion_a:?}\n{b:?} {motion_b:?}\nguard {guard} {answer:?}");
        assert!(answer.finished, "{}", what());
        let uniform = |motion: &Motion| *motion.as_uniform().expect("a screw");
        let (turning_a, turning_b) =
            (Turning::new(&a, &uniform(&motion_a)), Turning::new(&b, &uniform(&motion_b)));
        if answer.free_until > 0.0 {
            let free = proven(&turning_a, &turning_b, 0.0, answer.free_until, 0.0);
            assert!(free.is_ok(), "not free in {free:?}: {}", what());
            // Bodies that start farther apart than twice the guard keep it; a millionth is for the halving to end.
            if apart(&turning_a, &turning_b, 0.0, 0.0, 2.0 * guard + 1e-9) && guard > 0.0 {
                let kept = proven(&turning_a, &turning_b, 0.0, answer.free_until, guard * (1.0 - 1e-6));
                assert!(kept.is_ok(), "the guard is not kept in {kept:?}: {}", what());
            }
        }
        if let Some((t, _)) = answer.contact {
            // Triangles that cross have no nearest points; that they may only do at the start.
            let [points_a, points_b] = [turning_a.at(t), turning_b.at(t)].map(|corners| middles(&corners));
            let crossing = t == 0.0 && triangles_overlap(&points_a, &points_b);
            // Rounding of poses a kilometre away, and of distances of a few metres.
            let gap = if crossing { 0.0 } else { distance_at_most(&turning_a, &turning_b, t) };
            assert!(gap <= guard + options.tolerance + 1e-10, "called at a gap of {gap}: {}", what());
        }
        counts[match answer.contact {
            Some((0.0, _)) => 1,
            Some(_) => 0,
            None => 2,
        }] += 1;
    }
    counts
}

#[test]
fn thousands_of_screws_are_free_and_touch_as_intervals_prove() {
    let counts = screws_are_proven(101, 3000);
    assert!(counts.iter().all(|&count| count > 200), "all outcomes occur: {counts:?}");
}

/// The oracle itself: it refutes a motion that is not free, and a distance that is not so small.
#[test]
fn the_oracle_tells_wrong_answers_from_right_ones() {
    let floor = [DVec3::new(-5.0, 0.0, -5.0), DVec3::new(5.0, 0.0, -5.0), DVec3::new(0.0, 0.0, 5.0)];
    let needle = [DVec3::ZERO, DVec3::new(0.1, 1.0, 0.0), DVec3::new(0.0, 1.0, 0.1)];
    let rest = Motion::still(Pose::IDENTITY).expect("a pose");
    let start = Pose::from_translation(DVec3::Y);
    let fall = Motion::screw_about(start, DVec3::ZERO, DVec3::Y, 3.0, -2.0).expect("a screw");
    let turning = |t: &[DVec3; 3], m: &Motion| Turning::new(t, m.as_uniform().expect("a screw"));
    let (a, b) = (turning(&needle, &fall), turning(&floor, &rest));
    // The tip is at a height of 1 - 2 t.
    assert!(proven(&a, &b, 0.0, 0.5 - 1e-12, 0.0).is_ok());
    assert!(proven(&a, &b, 0.0, 0.5 + 1e-12, 0.0).is_err());
    assert!(proven(&a, &b, 0.0, 0.25, 0.5 - 1e-12).is_ok());
    assert!(proven(&a, &b, 0.0, 0.25, 0.5 + 1e-12).is_err());
    let gap = distance_at_most(&a, &b, 0.25);
    assert!((0.5..0.5 + 1e-12).contains(&gap), "{gap}");
}

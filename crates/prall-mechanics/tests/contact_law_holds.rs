//! Solved contact problems obey the law that they were given, as seen from the bodies; and without friction, where the velocities
//! are unique, they are those of another solver: a projected gradient on all points at once, in world axes.

use glam::{DMat3, DQuat, DVec3};
use prall_detection::{ContactPoint, Feature, FeaturePair, ShapePart};
use prall_math::{Pose, Twist};
use prall_mechanics::{
    Bodies, Body, Budget, ContactLaw, ContactOptions, ContactStep, Contacts, Movers, Side, Uncoupled,
};
use proptest::prelude::*;

const H: f64 = 1.0 / 60.0;

fn vector(range: f64) -> impl Strategy<Value = DVec3> {
    (-range..range, -range..range, -range..range).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn body() -> impl Strategy<Value = Body> {
    let sizes = (0.3..1.0_f64, 0.3..1.0_f64, 0.3..1.0_f64);
    (sizes, 0.5..5.0_f64, vector(2.0), vector(2.0), vector(3.0)).prop_map(
        |((a, b, c), mass, turn, linear, angular)| {
            let inertia = DVec3::new(b * b + c * c, a * a + c * c, a * a + b * b) * (mass / 12.0);
            let mut body = Body::new(mass, DMat3::from_diagonal(inertia)).unwrap();
            body.pose = Pose::from_rotation(DQuat::from_scaled_axis(turn));
            body.velocity = Twist::new(linear - DVec3::Y, angular);
            body
        },
    )
}

/// Four points about a height, with gaps of up to 20 mm.
fn points() -> impl Strategy<Value = Vec<(DVec3, f64)>> {
    proptest::collection::vec((vector(0.6), 0.0..0.02_f64), 4)
}

fn manifold(height: f64, points: &[(DVec3, f64)], normal: DVec3) -> Vec<ContactPoint> {
    (0..)
        .zip(points)
        .map(|(i, &(place, gap))| {
            // In the plane across the normal, as points of a manifold are.
            let flat = place - normal * place.dot(normal) + DVec3::Y * height;
            let feature = Feature::Shape { child: 0, part: ShapePart::Vertex(i) };
            let features = FeaturePair { on_a: feature, on_b: feature };
            let half = normal * (0.5 * gap);
            ContactPoint { on_a: flat + half, on_b: flat - half, normal, gap, features }
        })
        .collect()
}

struct Problem {
    bodies: Bodies,
    manifolds: Vec<(Side, Side, Vec<ContactPoint>)>,
}

/// A body on the ground, another on top of it.
fn problem(lower: &Body, upper: &Body, points: &[Vec<(DVec3, f64)>; 2], tilt: DVec3) -> Problem {
    let mut bodies = Bodies::default();
    let ground = Side::Body(bodies.push_unmoved(Pose::IDENTITY, Twist::ZERO));
    let place = |body: &Body, height: f64| {
        let mut placed = *body;
        placed.pose.translation = DVec3::Y * height;
        placed
    };
    let lower = Side::Body(bodies.push(&place(lower, 0.5)));
    let upper = Side::Body(bodies.push(&place(upper, 1.5)));
    let tilted = (DVec3::Y + tilt * 0.2).normalize();
    let manifolds = vec![
        (lower, ground, manifold(0.0, &points[0], DVec3::Y)),
        (upper, lower, manifold(1.0, &points[1], tilted)),
    ];
    Problem { bodies, manifolds }
}

fn solve(problem: &Problem, law: &ContactLaw) -> (Bodies, Contacts, f64) {
    let mut bodies = problem.bodies.clone();
    let mut contacts = Contacts::new();
    for (key, (a, b, points)) in (0..).zip(&problem.manifolds) {
        contacts.add(key, *a, *b, points, law);
    }
    let options = ContactOptions {
        velocity_tolerance: 1e-12,
        // The law is that of the gaps themselves.
        position_tolerance: 1e-15,
        most_sweeps: 4000,
        inner: 50,
        rest_certificate: false,
        shock: false,
        ..ContactOptions::default()
    };
    let before = bodies.velocities.clone();
    let step = ContactStep { h: H, gravity: DVec3::NEG_Y * 9.81, before: &before, rolling: &[] };
    let mut movers = Movers { bodies: &mut bodies, others: &mut [] };
    let report = contacts.solve(&mut movers, &mut Uncoupled, &step, &options, &mut Budget::unlimited(), None);
    (bodies, contacts, report.residual)
}

fn velocity(bodies: &Bodies, side: Side, point: DVec3) -> DVec3 {
    let Side::Body(index) = side else { unreachable!("all sides are bodies here") };
    bodies.velocity_at(index as usize, point)
}

/// The other solver: `l <- max(0, l - r (W l + q))` on all points together, with r below 1 over the trace of W.
fn projected_gradient(problem: &Problem) -> Bodies {
    let rows: Vec<(u32, u32, ContactPoint)> = problem
        .manifolds
        .iter()
        .flat_map(|(a, b, points)| {
            let index = |side: &Side| match side {
                Side::Body(index) => *index,
                Side::Link { .. } => 0,
            };
            points.iter().map(move |p| (index(a), index(b), *p))
        })
        .collect();
    let response = |at: &(u32, u32, ContactPoint), due: &(u32, u32, ContactPoint)| {
        let mut bodies = problem.bodies.clone();
        bodies.velocities.fill(Twist::ZERO);
        let place = |row: &(u32, u32, ContactPoint)| (row.2.on_a + row.2.on_b) * 0.5;
        bodies.apply(due.0 as usize, place(due), due.2.normal, DVec3::ZERO);
        bodies.apply(due.1 as usize, place(due), -due.2.normal, DVec3::ZERO);
        let v = bodies.velocity_at(at.0 as usize, place(at)) - bodies.velocity_at(at.1 as usize, place(at));
        v.dot(at.2.normal)
    };
    let w: Vec<Vec<f64>> = rows.iter().map(|i| rows.iter().map(|j| response(i, j)).collect()).collect();
    let place = |row: &(u32, u32, ContactPoint)| (row.2.on_a + row.2.on_b) * 0.5;
    let q: Vec<f64> = rows
        .iter()
        .map(|row| {
            let b = &problem.bodies;
            let v = b.velocity_at(row.0 as usize, place(row)) - b.velocity_at(row.1 as usize, place(row));
            v.dot(row.2.normal) + row.2.gap / H
        })
        .collect();
    let step = 1.0 / (0..rows.len()).map(|i| w[i][i]).sum::<f64>();
    // Accelerated (Nesterov 1983) with restarts, so that 1e-9 is reached.
    let mut l = vec![0.0; rows.len()];
    let (mut ahead, mut t) = (l.clone(), 1.0_f64);
    for _ in 0..60_000 {
        let gradient: Vec<f64> = (0..rows.len())
            .map(|i| q[i] + (0..rows.len()).map(|j| w[i][j] * ahead[j]).sum::<f64>())
            .collect();
        let next: Vec<f64> = ahead.iter().zip(&gradient).map(|(x, g)| (x - step * g).max(0.0)).collect();
        let uphill: f64 = (0..rows.len()).map(|i| gradient[i] * (next[i] - l[i])).sum();
        if uphill > 0.0 {
            t = 1.0;
        }
        let t_next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        ahead = next.iter().zip(&l).map(|(n, o)| n + (t - 1.0) / t_next * (n - o)).collect();
        (l, t) = (next, t_next);
    }
    let mut bodies = problem.bodies.clone();
    for (row, l) in rows.iter().zip(&l) {
        bodies.apply(row.0 as usize, place(row), row.2.normal * *l, DVec3::ZERO);
        bodies.apply(row.1 as usize, place(row), row.2.normal * -l, DVec3::ZERO);
    }
    bodies
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(11),
        ..ProptestConfig::default()
    })]

    /// Pushes only, no approach beyond the gap, one of both; friction within the cone, and opposite to sliding on its rim.
    #[test]
    fn solved_contacts_obey_signorini_and_coulomb(
        lower in body(), upper in body(), p in points(), q in points(), tilt in vector(1.0), friction in 0.0..0.7_f64,
    ) {
        let problem = problem(&lower, &upper, &[p, q], tilt);
        let law = ContactLaw::new(0.0, friction, 0.0).unwrap();
        let (bodies, contacts, residual) = solve(&problem, &law);
        // Problems that converge slowly are not wrong, only not decided here.
        prop_assume!(residual <= 1e-12);
        for contact in contacts.iter() {
            let v = velocity(&bodies, contact.a, contact.point) - velocity(&bodies, contact.b, contact.point);
            let (vn, ln) = (v.dot(contact.normal), contact.impulse.dot(contact.normal));
            let slack = vn + contact.gap / H;
            prop_assert!(ln >= -1e-12 && slack > -1e-7 && (ln * slack).abs() < 1e-7, "{ln} {slack}");
            let (vt, lt) = (v - contact.normal * vn, contact.impulse - contact.normal * ln);
            prop_assert!(lt.length() <= friction * ln + 1e-12);
            // Sticking or sliding against friction at its limit.
            let power = vt.dot(lt) + friction * ln * vt.length();
            prop_assert!(power.abs() < 1e-6, "{power} {vt} {lt}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(12),
        ..ProptestConfig::default()
    })]

    #[test]
    fn without_friction_velocities_are_those_of_a_projected_gradient(
        lower in body(), upper in body(), p in points(), q in points(), tilt in vector(1.0),
    ) {
        let problem = problem(&lower, &upper, &[p, q], tilt);
        let law = ContactLaw::new(0.0, 0.0, 0.0).unwrap();
        let (bodies, _, residual) = solve(&problem, &law);
        prop_assume!(residual <= 1e-12);
        let other = projected_gradient(&problem);
        for (v, w) in bodies.velocities.iter().zip(&other.velocities) {
            prop_assert!((v.linear - w.linear).length() + (v.angular - w.angular).length() < 1e-5);
        }
    }
}

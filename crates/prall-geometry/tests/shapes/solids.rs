//! Primitive solids against their implicit definitions, written down a second time.

use glam::DVec3;
use prall_geometry::{Ray, Shape, ShapeError};
use prall_math::Pose;

use crate::common::Random;

/// A shape with what it is supposed to be: how far out a point is in units of the size (negative inside), and points of its surface.
struct Solid {
    shape: Shape,
    name: &'static str,
    /// Negative inside, positive outside; not a distance.
    outside: Box<dyn Fn(DVec3) -> f64>,
    surface: Vec<DVec3>,
    size: f64,
}

fn off_axis(p: DVec3) -> f64 {
    (p.x * p.x + p.z * p.z).sqrt()
}

/// Solids of random sizes from a millimetre to ten metres.
fn solids(random: &mut Random, samples: usize) -> Vec<Solid> {
    let scale = libm::exp10(-3.0 + 4.0 * random.unit());
    let (h, r) = (scale * (0.1 + random.unit()), scale * (0.1 + random.unit()));
    let half = DVec3::new(h, r, scale);
    let circle = |random: &mut Random| {
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * random.unit());
        DVec3::new(cos, 0.0, sin)
    };
    let mut surfaces: [Vec<DVec3>; 5] = Default::default();
    for i in 0..samples {
        let d = random.direction();
        let (round, reach) = (circle(random), random.unit().sqrt());
        let up = if i % 2 == 0 { DVec3::Y } else { DVec3::NEG_Y };
        surfaces[0].push(d * r);
        let cube = random.cube();
        surfaces[1].push(half * cube / cube.abs().max_element());
        surfaces[1].push(half * cube.signum());
        surfaces[2].push(DVec3::Y * h * d.y.signum() + d * r);
        surfaces[2].push(DVec3::Y * h * random.signed() + round * r);
        surfaces[3].push(up * h + round * r * reach);
        surfaces[3].push(up * h + round * r);
        surfaces[3].push(DVec3::Y * h * random.signed() + round * r);
        surfaces[4].push(DVec3::NEG_Y * h + round * r * reach);
        surfaces[4].push(DVec3::NEG_Y * h + round * r);
        surfaces[4].push((DVec3::NEG_Y * h + round * r).lerp(DVec3::Y * h, reach));
    }
    surfaces[4].push(DVec3::Y * h);
    let [ball, cuboid, capsule, cylinder, cone] = surfaces;
    let solid = |shape: Result<Shape, ShapeError>, name, outside: Box<dyn Fn(DVec3) -> f64>, surface| Solid {
        shape: shape.unwrap(),
        name,
        outside,
        surface,
        size: h + r + scale,
    };
    vec![
        solid(Shape::sphere(r), "sphere", Box::new(move |p| p.length() - r), ball),
        solid(Shape::cuboid(half), "box", Box::new(move |p| (p.abs() - half).max_element()), cuboid),
        solid(
            Shape::capsule(h, r),
            "capsule",
            Box::new(move |p| p.distance(DVec3::Y * p.y.clamp(-h, h)) - r),
            capsule,
        ),
        solid(
            Shape::cylinder(h, r),
            "cylinder",
            Box::new(move |p| (off_axis(p) - r).max(p.y.abs() - h)),
            cylinder,
        ),
        solid(
            Shape::cone(h, r),
            "cone",
            Box::new(move |p| (off_axis(p) - r * (h - p.y) / (2.0 * h)).max(-h - p.y)),
            cone,
        ),
    ]
}

#[test]
fn the_support_point_is_in_the_shape_and_no_surface_point_is_beyond() {
    let mut random = Random(50);
    for _ in 0..100 {
        for solid in solids(&mut random, 200) {
            for _ in 0..20 {
                let direction = random.direction();
                let support = solid.shape.support(3.0 * direction).unwrap();
                assert!((solid.outside)(support) < 1e-14 * solid.size, "{}", solid.name);
                let farthest = solid.surface.iter().map(|p| direction.dot(*p)).fold(f64::MIN, f64::max);
                assert!(direction.dot(support) >= farthest - 1e-14 * solid.size, "{}", solid.name);
            }
            for axis in DVec3::AXES {
                let farthest = solid.surface.iter().map(|p| axis.dot(*p)).fold(f64::MIN, f64::max);
                assert!(axis.dot(solid.shape.support(axis).unwrap()) >= farthest - 1e-14 * solid.size);
            }
        }
    }
}

#[test]
fn the_box_in_the_world_holds_the_shape_and_touches_it_on_every_side() {
    let mut random = Random(51);
    for case in 0..200 {
        let pose = if case % 5 == 0 {
            Pose::IDENTITY
        } else {
            random.pose(if case % 2 == 0 { 1000.0 } else { 1.0 })
        };
        for solid in solids(&mut random, 100) {
            let aabb = solid.shape.aabb(&pose);
            let moved: Vec<DVec3> = solid.surface.iter().map(|&p| pose.transform_point(p)).collect();
            assert!(aabb.contains_all(&moved), "{}", solid.name);
            let rounding = 1e-14 * (solid.size + pose.translation.length());
            for axis in DVec3::AXES {
                let reach = |d: DVec3| {
                    pose.transform_point(solid.shape.support(pose.inverse_transform_vector(d)).unwrap())
                        .dot(d)
                };
                assert!((aabb.max.dot(axis) - reach(axis)).abs() < rounding, "{}", solid.name);
                assert!((aabb.min.dot(axis) + reach(-axis)).abs() < rounding, "{}", solid.name);
            }
        }
    }
}

#[test]
fn bounding_sphere_and_oriented_box_hold_the_shape_and_are_not_loose() {
    let mut random = Random(52);
    for _ in 0..60 {
        for solid in solids(&mut random, 400) {
            let sphere = solid.shape.bounding_sphere().unwrap();
            let grown = prall_geometry::BoundingSphere { radius: sphere.radius * (1.0 + 1e-14), ..sphere };
            assert!(grown.contains_all(&solid.surface), "{}", solid.name);
            let smallest = prall_geometry::SphereFit::smallest(&solid.surface).unwrap().sphere;
            // Four hundred samples leave gaps of some per cent of the surface.
            assert!(sphere.radius < 1.02 * smallest.radius, "{}", solid.name);
            assert!(solid.shape.oriented_box().unwrap().contains_all(&solid.surface), "{}", solid.name);
        }
    }
}

#[test]
fn inside_is_where_the_definition_says_so() {
    let mut random = Random(53);
    for _ in 0..200 {
        for solid in solids(&mut random, 1) {
            for _ in 0..50 {
                let p = 1.5 * solid.size * random.cube();
                let outside = (solid.outside)(p);
                assert_eq!(solid.shape.contains(p), Some(outside <= 0.0), "{} {p}", solid.name);
                let distance = solid.shape.closest_point(p).distance;
                assert!(
                    (distance < 0.0) == (outside < 0.0) || outside.abs() < 1e-14 * solid.size,
                    "{}",
                    solid.name
                );
            }
        }
    }
}

#[test]
fn the_closest_point_is_on_the_surface_and_none_is_closer() {
    let mut random = Random(54);
    for _ in 0..60 {
        for solid in solids(&mut random, 300) {
            let eps = 1e-14 * solid.size;
            for i in 0..60 {
                let p = match i % 4 {
                    0 => 1.5 * solid.size * random.cube(),
                    1 => solid.surface[i] + 1e-3 * solid.size * random.cube(),
                    2 => DVec3::Y * solid.size * random.signed(),
                    _ => 0.3 * solid.size * random.cube(),
                };
                let closest = solid.shape.closest_point(p);
                assert!((solid.outside)(closest.point).abs() < eps, "{} {p}", solid.name);
                assert!((closest.point.distance(p) - closest.distance.abs()).abs() < eps);
                assert!((closest.normal.length() - 1.0).abs() < 1e-14);
                // The normal leads from the surface to the point, and out of the solid.
                let way = closest.point + closest.normal * closest.distance;
                assert!(way.distance(p) < 2.0 * eps, "{} {p} {closest:?}", solid.name);
                assert!((solid.outside)(closest.point + 1e-6 * solid.size * closest.normal) > 0.0);
                let sampled = solid.surface.iter().map(|s| s.distance(p)).fold(f64::MAX, f64::min);
                assert!(closest.distance.abs() <= sampled + eps, "{} {p}", solid.name);
            }
        }
    }
}

/// The first place where the definition changes sign along a ray, by small steps and bisection.
fn march(solid: &Solid, ray: &Ray, max: f64) -> Option<f64> {
    let steps = 2000;
    let inside = |t: f64| (solid.outside)(ray.at(t)) <= 0.0;
    let start = inside(0.0);
    let step = max / f64::from(steps);
    let mut high = (1..=steps).map(|i| step * f64::from(i)).find(|&t| inside(t) != start)?;
    let mut low = high - step;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if inside(middle) == start { low = middle } else { high = middle }
    }
    Some(high)
}

#[test]
fn a_ray_meets_the_surface_where_marching_along_it_does() {
    let mut random = Random(55);
    let (mut hits, mut from_inside) = (0, 0);
    for _ in 0..60 {
        for solid in solids(&mut random, 20) {
            for i in 0..12 {
                let origin = if i % 3 == 0 { 0.3 } else { 2.0 } * solid.size * random.cube();
                let target = solid.surface[i] * random.unit();
                let ray =
                    Ray::new(origin, if i % 4 == 0 { DVec3::AXES[i / 4] } else { target - origin }).unwrap();
                let max = 5.0 * solid.size;
                let (cast, marched) = (solid.shape.ray_cast(&ray, max), march(&solid, &ray, max));
                let Some(hit) = cast else {
                    assert_eq!(marched, None, "{} {ray:?}", solid.name);
                    continue;
                };
                hits += 1;
                from_inside += usize::from((solid.outside)(origin) < 0.0);
                // On the surface, and not behind the first crossing. Steps can pass over a clipped edge.
                assert!((solid.outside)(hit.point).abs() < 1e-13 * solid.size, "{} {hit:?}", solid.name);
                assert!((hit.normal.length() - 1.0).abs() < 1e-12, "{} {hit:?}", solid.name);
                let slope = hit.normal.dot(ray.direction()).abs().max(1e-3);
                if let Some(marched) = marched {
                    assert!(hit.distance <= marched + 1e-12 * solid.size / slope, "{} {hit:?}", solid.name);
                }
                // Before it, the ray stays on one side.
                let side = (solid.outside)(ray.at(0.5 * hit.distance)) <= 0.0;
                assert!(hit.distance < 1e-9 * solid.size || side == ((solid.outside)(origin) <= 0.0));
                assert!(solid.shape.ray_cast(&ray, hit.distance * (1.0 - 1e-9)).is_none());
            }
        }
    }
    assert!(hits > 1500 && from_inside > 300, "{hits} {from_inside}");
}

#[test]
fn a_ray_from_a_kilometre_away_hits_to_the_rounding_of_a_kilometre() {
    let mut random = Random(56);
    for _ in 0..100 {
        for solid in solids(&mut random, 4) {
            let origin = 1000.0 * random.direction();
            let target = solid.surface[0] * 0.5;
            let hit = solid.shape.ray_cast(&Ray::new(origin, target - origin).unwrap(), 2000.0).unwrap();
            // Place: 1e-13 m across the ray, more along it where it grazes; the surface value sees the former.
            assert!((solid.outside)(hit.point).abs() < 1e-12, "{} {hit:?}", solid.name);
        }
    }
}

#[test]
fn a_ray_along_the_axis_of_a_cone_hits_tip_and_base() {
    let cone = Shape::cone(1.0, 0.5).unwrap();
    let down = cone.ray_cast(&Ray::new(5.0 * DVec3::Y, DVec3::NEG_Y).unwrap(), 10.0).unwrap();
    assert!((down.distance - 4.0).abs() < 1e-15);
    let up = cone.ray_cast(&Ray::new(-5.0 * DVec3::Y, DVec3::Y).unwrap(), 10.0).unwrap();
    assert!((up.distance - 4.0).abs() < 1e-15 && up.normal == DVec3::NEG_Y);
    // Above the tip the second nappe of the quadratic must not count.
    let above = Ray::new(DVec3::new(-5.0, 1.5, 0.0), DVec3::X).unwrap();
    assert!(cone.ray_cast(&above, 10.0).is_none());
}

#[test]
fn the_half_space_is_below_its_plane_and_has_no_end() {
    let ground = Shape::HalfSpace(prall_geometry::HalfSpace);
    assert_eq!(ground.contains(DVec3::new(7.0, 0.0, 1.0)), Some(true));
    assert_eq!(ground.contains(DVec3::new(7.0, 1e-300, 1.0)), Some(false));
    assert!((ground.closest_point(DVec3::new(3.0, -2.0, 1.0)).distance + 2.0).abs() < 1e-15);
    assert!(ground.support(DVec3::Y).is_none() && ground.bounding_sphere().is_none());
    assert!(ground.oriented_box().is_none() && !ground.is_convex());
    let aabb = ground.aabb(&Pose::from_translation(3.0 * DVec3::Y));
    assert!(
        (aabb.max.y - 3.0).abs() < 1e-13 && aabb.min.y == f64::NEG_INFINITY && aabb.max.x == f64::INFINITY
    );
    let along = Ray::new(DVec3::Y, DVec3::X).unwrap();
    assert!(ground.ray_cast(&along, f64::INFINITY).is_none());
    let down = Ray::new(DVec3::new(2.0, 3.0, 1.0), DVec3::new(0.0, -2.0, 0.0)).unwrap();
    assert!((ground.ray_cast(&down, 10.0).unwrap().distance - 3.0).abs() < 1e-15);
}

#[test]
fn sizes_that_are_none_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Shape::sphere(bad).is_err());
        assert!(Shape::cuboid(DVec3::new(1.0, bad, 1.0)).is_err());
        assert!(Shape::capsule(1.0, bad).is_err());
        assert!(Shape::cylinder(bad, 1.0).is_err() && Shape::cylinder(1.0, bad).is_err());
        assert!(Shape::cone(bad, 1.0).is_err() && Shape::cone(1.0, bad).is_err());
    }
    assert!(Shape::capsule(-1.0, 1.0).is_err() && Shape::capsule(0.0, 1.0).is_ok());
    assert!(Ray::new(DVec3::ZERO, DVec3::ZERO).is_err() && Ray::new(DVec3::NAN, DVec3::X).is_err());
}

#[test]
fn a_capsule_without_length_is_a_ball() {
    let mut random = Random(57);
    let (capsule, ball) = (Shape::capsule(0.0, 0.7).unwrap(), Shape::sphere(0.7).unwrap());
    for _ in 0..500 {
        let (p, q) = (2.0 * random.cube(), random.cube());
        let ray = Ray::new(p, q - p).unwrap();
        let distances = |s: &Shape| s.ray_cast(&ray, 10.0).map(|hit| (hit.distance * 1e12).round());
        assert_eq!(distances(&capsule), distances(&ball));
        assert!((capsule.closest_point(p).distance - ball.closest_point(p).distance).abs() < 1e-15);
    }
    let mass = |s: &Shape| s.mass_properties(1000.0).unwrap().mass;
    assert!((mass(&capsule) / mass(&ball) - 1.0).abs() < 1e-15);
}

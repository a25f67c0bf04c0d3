//! Meshes as strangers bring them: moved, mirrored, torn, turned inside out, coarse.

use glam::{DAffine3, DQuat, DVec3};
use prall_geometry::PolygonSoup;

use super::{MeshIce, SegmentedMesh};
use crate::pilot::PilotOptions;
use crate::run::tests::{THROUGH_THE_CURVE, course_of, curve};
use crate::run::{Course, Run, RunResult, even_number};
use crate::sled::{Setup, TWO_MAN};
use crate::track::{Foot, PointMassStart, Tessellation};

fn course() -> Course {
    course_of(&curve(), PointMassStart::Flying(26.0), "")
}

/// Triangles of the track's own mesh, those for which `keep` says so; it may turn their corners.
fn triangles(course: &Course, mut keep: impl FnMut(usize, &mut [u32; 3], DVec3) -> bool) -> PolygonSoup {
    let soup = course.track.mesh(&Tessellation::default()).joined();
    let mut kept = Vec::new();
    for (index, face) in soup.faces().enumerate() {
        for k in 1..face.len() - 1 {
            let mut corners = [face[0], face[k], face[k + 1]];
            let middle = corners.iter().map(|&c| soup.positions()[c as usize]).sum::<DVec3>() / 3.0;
            if keep(index, &mut corners, middle) {
                kept.push(corners);
            }
        }
    }
    PolygonSoup::from_triangles(soup.positions().to_vec(), &kept).unwrap()
}

fn refused(course: &Course, soup: &PolygonSoup) -> String {
    MeshIce::new(soup).and_then(|mesh| mesh.fit(&course.ice)).unwrap_err().to_string()
}

#[test]
fn a_mesh_that_lies_elsewhere_is_refused() {
    let course = course();
    let soup = triangles(&course, |_, _, _| true);
    let moved = |by: DAffine3| refused(&course, &soup.transformed(&by).unwrap());
    // Along the walls a shift to the side is a distance, on the floor one upwards.
    for by in [DVec3::new(0.4, 0.0, 0.0), DVec3::new(0.0, 0.3, 0.0), DVec3::new(0.0, -0.45, 0.0)] {
        let error = moved(DAffine3::from_translation(by));
        assert!(error.contains("in the mean") || error.contains("no triangle within"), "{by}: {error}");
    }
    let error = moved(DAffine3::from_translation(DVec3::new(0.0, 30.0, 0.0)));
    assert!(error.contains("no triangle within 0.5 m of the course at s = "), "{error}");
    let error = moved(DAffine3::from_quat(DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2)));
    assert!(error.contains("y up") || error.contains("face down"), "{error}");
    assert!(moved(DAffine3::from_scale(DVec3::splat(0.01))).contains("in metres"));
}

/// Mirrored left and right the triangles run the other way; mirrored and turned over again, the curve goes to the wrong side.
#[test]
fn a_mirrored_mesh_is_refused() {
    let course = course();
    let mirror = DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0));
    let plain = triangles(&course, |_, _, _| true).transformed(&mirror).unwrap();
    let turned = triangles(&course, |_, corners, _| {
        corners.swap(0, 1);
        true
    });
    let turned = turned.transformed(&mirror).unwrap();
    let messages = [refused(&course, &plain), refused(&course, &turned)];
    assert!(messages.iter().any(|error| error.contains("face down")), "{messages:?}");
    assert!(messages.iter().any(|error| error.contains("no triangle within 0.5 m")), "{messages:?}");
}

#[test]
fn triangles_that_face_away_are_refused_with_their_station() {
    let course = course();
    let all = triangles(&course, |_, corners, _| {
        corners.swap(0, 1);
        true
    });
    assert!(refused(&course, &all).contains("face down"));
    let some = triangles(&course, |_, corners, middle| {
        if course.ice.locate(middle, 60.0).0.clamp(60.0, 70.0) == course.ice.locate(middle, 60.0).0 {
            corners.swap(0, 1);
        }
        true
    });
    let error = refused(&course, &some);
    assert!(error.contains("face away from the driver at s = 60 m"), "{error}");
}

/// A tube of eight long facets is no track of this curve.
#[test]
fn a_mesh_that_is_far_too_coarse_is_refused() {
    let course = course();
    let (begin, end) = course.ice.range();
    let rows: Vec<f64> = (0..=4).map(|i| begin + (end - begin) * f64::from(i) / 4.0).collect();
    let positions: Vec<DVec3> = rows
        .iter()
        .flat_map(|&s| (0..=7).map(move |k| (s, f64::from(k))))
        .map(|(s, k)| course.ice.point(s, k))
        .collect();
    let faces = (0..4_u32).flat_map(|i| (0..7).map(move |k| 8 * i + k));
    let faces: Vec<[u32; 3]> = faces.flat_map(|a| [[a, a + 1, a + 8], [a + 1, a + 9, a + 8]]).collect();
    let upside = PolygonSoup::from_triangles(positions.clone(), &faces).unwrap();
    let turned: Vec<[u32; 3]> = faces.iter().map(|&[a, b, c]| [b, a, c]).collect();
    let other = PolygonSoup::from_triangles(positions, &turned).unwrap();
    for soup in [upside, other] {
        let error = refused(&course, &soup);
        let said = ["no triangle within", "in the mean", "face down", "face away"];
        assert!(said.iter().any(|said| error.contains(said)), "{error}");
    }
}

fn drive(course: &Course, mesh: &MeshIce) -> RunResult {
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let run = Run::new(course, &setup, PilotOptions::default(), THROUGH_THE_CURVE).unwrap();
    run.on_mesh(mesh).finish()
}

/// Every tenth triangle is missing: holes smaller than a runner, that no tip may fall through.
#[test]
fn a_torn_mesh_lets_nothing_through() {
    let course = course();
    let mut chance = 3;
    let soup = triangles(&course, |_, _, _| even_number(&mut chance) > 0.1);
    let mesh = MeshIce::new(&soup).unwrap();
    mesh.fit(&course.ice).unwrap();
    let result = drive(&course, &mesh);
    // Runners fall into holes by what a drop within a step or two is.
    assert!(result.finite && result.deepest < 0.02, "{result:?}");
    assert!(result.time.is_some() || result.crash.is_some(), "{result:?}");
}

/// The whole outer wall is missing over 20 m in the curve, where the sled leans on it: the exact ice is there instead, and the report says where.
#[test]
fn where_a_mesh_has_a_large_hole_the_ice_carries() {
    let course = course();
    let soup = triangles(&course, |_, _, middle| {
        let (s, place) = course.ice.locate(middle, 70.0);
        !((60.0..80.0).contains(&s) && place.y > 0.3)
    });
    let mesh = MeshIce::new(&soup).unwrap();
    let fit = mesh.fit(&course.ice).unwrap();
    assert!(fit.covered < 1.0 && (fit.hole.unwrap() - 60.0).abs() < 1.0, "{fit:?}");
    let result = drive(&course, &mesh);
    assert!(result.finite && result.deepest < 0.02, "{result:?}");
    assert!(result.time.is_some() && result.crash.is_none(), "{result:?}");
}

/// Volume of a tetrahedron, with its sign, times six.
fn volume(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

/// Against all triangles by the signs of volumes: a segment goes through a triangle if the three volumes on its edges have one sign, and its ends lie
/// on both sides.
#[test]
fn a_segment_meets_the_first_of_all_triangles() {
    let course = course();
    let soup = course.track.published_mesh().joined();
    let mesh = MeshIce::new(&soup).unwrap();
    let (mut chance, mut met) = (11, 0);
    for _ in 0..60 {
        let (s, across) = (150.0 * even_number(&mut chance), 1.2 + 4.6 * even_number(&mut chance));
        let on = course.ice.point(s, across);
        let normal = course.ice.nearest(on, &mut Foot::near(s)).normal;
        let lean = DVec3::new(even_number(&mut chance), even_number(&mut chance), even_number(&mut chance));
        let inward = (normal + (lean - 0.5) * 0.6).normalize() * 0.3;
        let tip = on + normal * (0.04 * even_number(&mut chance) - 0.03);
        let (from, to) = (tip + inward, tip);
        let mut first: Option<(f64, DVec3)> = None;
        for face in soup.faces() {
            let [a, b, c] = [0, 1, 2].map(|k| soup.positions()[face[k] as usize]);
            let edges = [volume(from, to, a, b), volume(from, to, b, c), volume(from, to, c, a)];
            let (one, other) = (volume(a, b, c, from), volume(a, b, c, to));
            let inside = edges.iter().all(|v| *v > 0.0) || edges.iter().all(|v| *v < 0.0);
            if inside && one * other < 0.0 {
                let distance = 0.3 * one / (one - other);
                if first.is_none_or(|(nearest, _)| distance < nearest) {
                    let cross = (b - a).cross(c - a).normalize();
                    first = Some((distance, if cross.dot(inward) < 0.0 { -cross } else { cross }));
                }
            }
        }
        let place = SegmentedMesh(&mesh).met_by(tip, inward);
        match first {
            None => assert!(place.distance > 0.0, "{place:?}"),
            Some((distance, normal)) => {
                met += 1;
                let depth = -(0.3 - distance) * normal.dot(inward) / 0.3;
                assert!((place.distance - depth).abs() < 1e-9, "{place:?} {depth}");
                assert!((place.normal - normal).length() < 1e-9, "{place:?} {normal}");
            }
        }
    }
    assert!((10..60).contains(&met), "{met}");
}

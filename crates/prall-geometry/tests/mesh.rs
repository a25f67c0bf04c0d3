//! From soup to mesh: welding, degenerate faces, cutting of polygons.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use glam::{DAffine3, DQuat, DVec2, DVec3};
use prall_geometry::{
    Diagnosis, FaceDefect, HalfEdges, Mesh, MeshError, MeshOptions, PolygonSoup, SelfIntersectingFaces, Weld,
    generate,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(seed: u64, cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Default::default() }
}

fn mesh(soup: &PolygonSoup) -> Mesh {
    Mesh::from_soup(soup, &MeshOptions::default()).unwrap()
}

fn welded(soup: &PolygonSoup, weld: Weld) -> Result<Mesh, MeshError> {
    Mesh::from_soup(soup, &MeshOptions { weld, ..MeshOptions::default() })
}

fn soup(positions: &[DVec3], faces: &[&[u32]]) -> PolygonSoup {
    let mut soup = PolygonSoup::new();
    for &position in positions {
        soup.push_position(position).unwrap();
    }
    for face in faces {
        soup.push_face(face).unwrap();
    }
    soup
}

/// Triangles over consecutive vertices, so that each vertex is used.
fn strip(positions: &[DVec3]) -> PolygonSoup {
    let triangles: Vec<[u32; 3]> = (2..positions.len() as u32).map(|i| [i - 2, i - 1, i]).collect();
    PolygonSoup::from_triangles(positions.to_vec(), &triangles).unwrap()
}

fn lattice_point() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(prop_oneof![Just(-0.0), Just(0.0), Just(0.5), Just(1.0)]).prop_map(DVec3::from)
}

/// Positions as a set that can be compared.
fn places(positions: &[DVec3]) -> BTreeSet<[u64; 3]> {
    positions.iter().map(|&p| (p + DVec3::ZERO).to_array().map(f64::to_bits)).collect()
}

/// Transitive closure of "within the tolerance" by comparing everything with everything; each group as its
/// lexicographically smallest point.
fn brute_force_groups(points: &[DVec3], tolerance: f64) -> Vec<DVec3> {
    let mut group: Vec<usize> = (0..points.len()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for i in 0..points.len() {
            for j in 0..points.len() {
                let near = points[i].distance_squared(points[j]) <= tolerance * tolerance;
                if near && group[j] < group[i] {
                    group[i] = group[j];
                    changed = true;
                }
            }
        }
    }
    let mut smallest: Vec<DVec3> = points.to_vec();
    for i in 0..points.len() {
        if points[i].to_array() < smallest[group[i]].to_array() {
            smallest[group[i]] = points[i];
        }
    }
    (0..points.len()).map(|i| smallest[group[i]]).collect()
}

proptest! {
    #![proptest_config(config(1, 200))]

    #[test]
    fn exact_welding_leaves_each_place_once_and_moves_nothing(
        points in prop::collection::vec(lattice_point(), 3..60),
    ) {
        let soup = strip(&points);
        let Ok(mesh) = welded(&soup, Weld::Exact) else { return Ok(()) };
        prop_assert_eq!(places(mesh.positions()), places(&points));
        prop_assert_eq!(mesh.positions().len(), places(&points).len());
        for face in 0..mesh.face_count() {
            let source = soup.face(mesh.source_face(face) as usize);
            for (&corner, &given) in mesh.face(face).iter().zip(source) {
                prop_assert_eq!(mesh.positions()[corner as usize], points[given as usize]);
            }
        }
    }

    /// Points so dense that chains of several form.
    #[test]
    fn welding_within_a_tolerance_agrees_with_brute_force(
        points in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from), 3..120),
        tolerance in 0.01..0.6f64,
    ) {
        let soup = strip(&points);
        let groups = brute_force_groups(&points, tolerance);
        match welded(&soup, Weld::Within(tolerance)) {
            Err(error) => prop_assert!(matches!(error, MeshError::NoFaces { .. }), "{}", error),
            Ok(mesh) => {
                prop_assert_eq!(places(mesh.positions()), places(&groups));
                prop_assert_eq!(mesh.positions().len(), places(&groups).len());
                for face in (0..mesh.face_count()).filter(|&face| mesh.face(face).len() == 3) {
                    let source = soup.face(mesh.source_face(face) as usize);
                    for (&corner, &given) in mesh.face(face).iter().zip(source) {
                        prop_assert_eq!(mesh.positions()[corner as usize], groups[given as usize]);
                    }
                }
            }
        }
    }

    #[test]
    fn welding_does_not_depend_on_the_order_of_vertices(
        points in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from), 3..80),
        tolerance in 0.01..0.4f64,
        seed in any::<u64>(),
    ) {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by_key(|&i| (i as u64 + 1).wrapping_mul(seed | 1).rotate_left(17));
        let shuffled: Vec<DVec3> = order.iter().map(|&i| points[i]).collect();
        let weld = Weld::Within(tolerance);
        if let (Ok(a), Ok(b)) = (welded(&strip(&points), weld), welded(&strip(&shuffled), weld)) {
            prop_assert_eq!(places(a.positions()), places(b.positions()));
        }
    }
}

/// Along the diagonal of the grid cells that welding uses, where a cell is longest.
#[test]
fn two_vertices_are_one_up_to_the_tolerance_and_no_further() {
    for step in 0..100 {
        let origin = DVec3::new(0.1, 0.2, 0.3) * f64::from(step);
        for (apart, vertices) in [(0.999, 3), (1.001, 4)] {
            let second = origin + DVec3::splat(apart / 3.0_f64.sqrt());
            let points = [origin, second, origin + 5.0 * DVec3::X, origin - 5.0 * DVec3::Y];
            let mesh = welded(&soup(&points, &[&[0, 2, 3], &[1, 3, 2]]), Weld::Within(1.0)).unwrap();
            assert_eq!(mesh.positions().len(), vertices, "{origin} {apart}");
        }
    }
}

/// Were dense cells compared pair by pair, this would take hours.
#[test]
fn a_tolerance_larger_than_the_mesh_ends_soon_and_leaves_nothing() {
    let sphere = generate::ico_sphere(0.1, 6).unwrap();
    let faces = sphere.face_count();
    assert_eq!(
        welded(&sphere, Weld::Within(1.0)).unwrap_err(),
        MeshError::NoFaces { faces, degenerate: faces }
    );
}

#[test]
fn a_chain_of_near_vertices_becomes_one_and_its_reach_is_reported() {
    let mut points: Vec<DVec3> = (0..5).map(|i| DVec3::X * (0.9e-3 * f64::from(i))).collect();
    points.extend([DVec3::Y, DVec3::Z]);
    let mesh = welded(&soup(&points, &[&[0, 5, 6], &[4, 6, 5], &[1, 2, 3]]), Weld::Within(1e-3)).unwrap();
    assert_eq!(mesh.positions(), [DVec3::ZERO, DVec3::Y, DVec3::Z]);
    let diagnosis = Diagnosis::new(&mesh, &HalfEdges::new(&mesh));
    assert_eq!(diagnosis.welded_vertices, 4);
    assert!((diagnosis.weld_displacement - 3.6e-3).abs() < 1e-15);
}

#[test]
fn a_welding_tolerance_that_makes_no_sense_is_refused() {
    let sphere = generate::ico_sphere(1000.0, 1).unwrap();
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-11] {
        let error = welded(&sphere, Weld::Within(tolerance)).unwrap_err();
        assert!(matches!(error, MeshError::WeldTolerance { .. }), "{tolerance}: {error}");
    }
}

#[test]
fn unwelded_vertices_keep_their_numbers_and_unused_ones_go() {
    let points = [DVec3::ONE, DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ZERO];
    let mesh = welded(&soup(&points, &[&[1, 2, 3], &[4, 3, 2]]), Weld::None).unwrap();
    assert_eq!(mesh.positions(), &points[1..]);
    assert_eq!(mesh.bounds(), (DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0)));
    assert_eq!(Diagnosis::new(&mesh, &HalfEdges::new(&mesh)).unused_vertices, 1);
}

#[test]
fn degenerate_faces_are_listed_with_their_numbers_and_the_others_keep_theirs() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, 0.3 * DVec3::X, DVec3::ZERO];
    let soup = soup(&points, &[&[0, 1, 0], &[0, 1, 2], &[0, 3, 1], &[4, 0, 1], &[0, 2, 1]]);
    let mesh = mesh(&soup);
    assert_eq!((0..mesh.face_count()).map(|f| mesh.source_face(f)).collect::<Vec<_>>(), [1, 4]);
    let listed: Vec<_> = mesh.degenerate_faces().iter().map(|f| (f.source_face, f.defect)).collect();
    use FaceDefect::{Collapsed, NoArea};
    assert_eq!(listed, [(0, Collapsed), (2, NoArea), (3, Collapsed)]);
    assert_eq!(mesh.faces_from_source(4), 1..2);
    assert_eq!(mesh.faces_from_source(2), 1..1);
}

#[test]
fn a_quadrilateral_with_two_corners_in_one_place_is_a_triangle() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::X, DVec3::Y];
    let mesh = mesh(&soup(&points, &[&[0, 1, 2, 3]]));
    assert_eq!(mesh.face(0), [0, 1, 2]);
    assert_eq!(mesh.degenerate_faces(), []);
    assert_eq!(Diagnosis::new(&mesh, &HalfEdges::new(&mesh)).shortened_faces, 1);
}

/// The points lie on a line only up to rounding, far from the origin: a face made of noise is no face.
#[test]
fn a_needle_thinner_than_rounding_is_degenerate_and_a_thicker_one_is_not() {
    let direction = DVec3::new(0.3, 0.5, -0.7);
    for (offset, faces) in [(0.0, 1), (1e-11, 2)] {
        let origin = DVec3::new(1000.0, -2000.0, 1500.0);
        let aside = offset * direction.any_orthonormal_vector();
        let points = [
            origin,
            origin + direction,
            origin + direction / 3.0 + aside,
            origin + DVec3::new(0.0, 0.0, 2.0),
        ];
        let mesh = mesh(&soup(&points, &[&[0, 1, 2], &[0, 1, 3]]));
        assert_eq!(mesh.face_count(), faces, "{offset}");
    }
}

#[test]
fn a_soup_without_area_is_refused() {
    let error = MeshError::NoFaces { faces: 0, degenerate: 0 };
    assert_eq!(Mesh::from_soup(&PolygonSoup::new(), &MeshOptions::default()).unwrap_err(), error);
    let line = soup(&[DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], &[&[0, 1, 2]]);
    let error = MeshError::NoFaces { faces: 1, degenerate: 1 };
    assert_eq!(Mesh::from_soup(&line, &MeshOptions::default()).unwrap_err(), error);
}

#[test]
fn a_meaningless_planarity_is_refused() {
    let cube = generate::cuboid(DVec3::ONE).unwrap();
    for planarity in [-1e-9, 1.0, f64::NAN] {
        let options = MeshOptions { planarity, ..MeshOptions::default() };
        assert!(matches!(Mesh::from_soup(&cube, &options), Err(MeshError::Planarity { .. })));
    }
}

#[test]
fn coordinates_whose_products_would_overflow_are_refused() {
    let huge = soup(&[DVec3::ZERO, DVec3::X * 1e100, DVec3::Y], &[&[0, 1, 2]]);
    let error = MeshError::OutOfRange { largest_coordinate: 1e100 };
    assert_eq!(Mesh::from_soup(&huge, &MeshOptions::default()).unwrap_err(), error);
}

/// A star-shaped polygon: corners in order around the origin at random distances.
fn star(radii: &[f64]) -> Vec<DVec2> {
    let step = TAU / radii.len() as f64;
    radii.iter().enumerate().map(|(i, r)| *r * DVec2::from_angle(step * i as f64)).collect()
}

fn doubled_area(outline: &[DVec2]) -> f64 {
    (0..outline.len()).map(|i| outline[i].perp_dot(outline[(i + 1) % outline.len()])).sum()
}

/// Even-odd rule.
fn is_inside(outline: &[DVec2], p: DVec2) -> bool {
    let crosses = |i: &usize| {
        let (a, b) = (outline[*i], outline[(i + 1) % outline.len()]);
        (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)
    };
    (0..outline.len()).filter(crosses).count() % 2 == 1
}

fn placed(outline: &[DVec2], pose: &DAffine3) -> PolygonSoup {
    let points: Vec<DVec3> = outline.iter().map(|p| pose.transform_point3(p.extend(0.0))).collect();
    let corners: Vec<u32> = (0..points.len() as u32).collect();
    soup(&points, &[&corners])
}

fn pose() -> impl Strategy<Value = DAffine3> {
    (prop::array::uniform3(-3.0..3.0f64), prop::array::uniform3(-100.0..100.0f64)).prop_map(
        |(turn, shift)| {
            let turn = DVec3::from(turn);
            DAffine3::from_rotation_translation(DQuat::from_scaled_axis(turn), DVec3::from(shift))
        },
    )
}

proptest! {
    #![proptest_config(config(2, 200))]

    /// Oracles: the shoelace formula, and the even-odd rule at sample points.
    #[test]
    fn any_simple_polygon_is_covered_once_by_its_triangles(
        radii in prop::collection::vec(0.1..2.0f64, 4..40),
        pose in pose(),
        samples in prop::collection::vec((-2.0..2.0f64, -2.0..2.0f64).prop_map(DVec2::from), 20),
    ) {
        let outline = star(&radii);
        let mesh = mesh(&placed(&outline, &pose));
        let normal = pose.transform_vector3(DVec3::Z);
        prop_assert_eq!(mesh.triangles().len(), outline.len() - 2);
        // Coordinates up to 100 m round by 1e-14 m, the normal of a thin piece by that over its height.
        let area = doubled_area(&outline) / 2.0;
        prop_assert!((mesh.area() - area).abs() < 1e-11 * area.max(1.0));
        let back = pose.inverse();
        let pieces: Vec<Vec<DVec2>> = (0..mesh.triangles().len())
            .map(|t| mesh.triangle_points(t).map(|p| back.transform_point3(p).truncate()).to_vec())
            .collect();
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.triangle_points(t);
            prop_assert!((b - a).cross(c - a).dot(normal) > 0.0);
        }
        for sample in samples {
            let covers = pieces.iter().filter(|piece| is_inside(piece, sample)).count();
            prop_assert_eq!(covers, usize::from(is_inside(&outline, sample)));
        }
    }

    #[test]
    fn a_flat_convex_polygon_stays_whole_wherever_it_is(
        sides in 3u32..40, extra in 0u32..4, pose in pose(),
    ) {
        // Corners in the middle of sides do not make it less convex.
        let corner = |i: u32| DVec2::from_angle(TAU * f64::from(i) / f64::from(sides));
        let outline: Vec<DVec2> = (0..sides)
            .flat_map(|i| (0..=extra).map(move |j| {
                corner(i).lerp(corner(i + 1), f64::from(j) / f64::from(extra + 1))
            }))
            .collect();
        let mesh = mesh(&placed(&outline, &pose));
        prop_assert_eq!(mesh.face_count(), 1);
        prop_assert_eq!(mesh.face(0).len(), outline.len());
        prop_assert_eq!(mesh.triangles().len(), outline.len() - 2);
        let normal = pose.transform_vector3(DVec3::Z);
        prop_assert!(mesh.face_normal(0).distance(normal) < 1e-12);
        prop_assert!(mesh.face_plane(0).signed_distance(pose.translation).abs() < 1e-11);
        // Among the corners on a side there is room for no triangle: each piece must be as thick as the
        // polygon allows.
        let thinnest = (0..mesh.triangles().len())
            .map(|t| mesh.triangle_points(t))
            .map(|[a, b, c]| (b - a).cross(c - a).length())
            .fold(f64::INFINITY, f64::min);
        prop_assert!(thinnest > 1e-6, "{}", thinnest);
    }
}

#[test]
fn a_polygon_with_a_hole_joined_by_a_cut_is_cut_around_the_hole() {
    // A square with a square hole; the outline goes along the cut twice.
    let corners = [(0., 0.), (4., 0.), (4., 4.), (0., 4.), (1., 1.), (1., 3.), (3., 3.), (3., 1.)];
    let points = corners.map(|(x, y)| DVec3::new(x, y, 0.0));
    let mesh = mesh(&soup(&points, &[&[0, 1, 2, 3, 0, 4, 5, 6, 7, 4]]));
    assert_eq!(mesh.area(), 12.0);
    let half_edges = HalfEdges::new(&mesh);
    let diagnosis = Diagnosis::new(&mesh, &half_edges);
    assert_eq!((diagnosis.open_edges, diagnosis.nonconvex_faces), (8, 1));
}

#[test]
fn a_spiral_is_cut_correctly() {
    let turns: Vec<f64> = (0..=200).map(|i| 0.1 * f64::from(i)).collect();
    let out = turns.iter().map(|t| (1.0 + t) * DVec2::from_angle(*t));
    let back = turns.iter().rev().map(|t| (0.5 + t) * DVec2::from_angle(*t));
    let outline: Vec<DVec2> = out.chain(back).rev().collect();
    let mesh = mesh(&placed(&outline, &DAffine3::IDENTITY));
    let area = doubled_area(&outline).abs() / 2.0;
    assert!((mesh.area() - area).abs() < 1e-12 * area);
}

#[test]
fn a_polygon_that_crosses_itself_is_refused_by_number_or_left_out() {
    let bow_tie = [(0., 0.), (1., 1.), (1., 0.), (0., 1.)].map(DVec2::from).to_vec();
    let lopsided = [(0., 0.), (2., 2.), (2., 0.), (0., 1.)].map(DVec2::from).to_vec();
    let pentagram: Vec<DVec2> = (0..5).map(|i| DVec2::from_angle(TAU * f64::from(2 * i) / 5.0)).collect();
    // A ribbon laid in a loop across itself: no corner lies in the crossing, and every turn looks innocent.
    let right = [(-10., -0.5), (10.5, -0.5), (10.5, 10.5), (-0.5, 10.5), (-0.5, -10.)];
    let left = [(0.5, -10.), (0.5, 9.5), (9.5, 9.5), (9.5, 0.5), (-10., 0.5)];
    let ribbon = right.into_iter().chain(left).map(DVec2::from).collect();
    for outline in [bow_tie, lopsided, pentagram, ribbon] {
        let mut soup = generate::cuboid(DVec3::ONE).unwrap();
        soup.append(&placed(&outline, &DAffine3::IDENTITY)).unwrap();
        let error = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap_err();
        assert_eq!(error, MeshError::SelfIntersecting { face: 6 });
        let options =
            MeshOptions { self_intersecting: SelfIntersectingFaces::LeaveOut, ..MeshOptions::default() };
        let mesh = Mesh::from_soup(&soup, &options).unwrap();
        assert_eq!(mesh.face_count(), 6);
        assert_eq!(mesh.degenerate_faces()[0].source_face, 6);
        assert_eq!(mesh.degenerate_faces()[0].defect, FaceDefect::SelfIntersecting);
        assert_eq!(Diagnosis::new(&mesh, &HalfEdges::new(&mesh)).self_intersecting_faces, 1);
    }
}

#[test]
fn a_bent_quadrilateral_becomes_two_triangles_whatever_its_first_corner() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 0.3, 1.0), DVec3::Z];
    let mut cuts = BTreeSet::new();
    for start in 0..4 {
        let corners: Vec<u32> = (0..4).map(|i| (start + i) % 4).collect();
        let mesh = mesh(&soup(&points, &[&corners]));
        assert_eq!((mesh.face_count(), mesh.source_face(0), mesh.source_face(1)), (2, 0, 0));
        let diagnosis = Diagnosis::new(&mesh, &HalfEdges::new(&mesh));
        assert_eq!((diagnosis.nonplanar_faces, diagnosis.nonconvex_faces), (1, 0));
        cuts.insert((mesh.area() * 1e12) as u64);
    }
    assert_eq!(cuts.len(), 1);
}

#[test]
fn planarity_decides_whether_a_bent_face_stays_whole() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1e-5, 1.0), DVec3::Z];
    let bent = soup(&points, &[&[0, 1, 2, 3]]);
    let faces = |planarity| {
        Mesh::from_soup(&bent, &MeshOptions { planarity, ..MeshOptions::default() }).unwrap().face_count()
    };
    assert_eq!((faces(1e-9), faces(1e-4)), (2, 1));
}

#[test]
fn a_mesh_made_from_its_own_soup_is_the_same() {
    for soup in
        [generate::brick(DVec3::new(1.0, 2.0, 3.0), 0.1).unwrap(), generate::cone(1.0, 2.0, 9).unwrap()]
    {
        let first = mesh(&soup);
        let second = mesh(&first.to_soup());
        assert_eq!(first.to_soup(), second.to_soup());
        assert_eq!(first.triangles(), second.triangles());
    }
}

#[test]
fn triangles_know_their_faces() {
    let mesh = mesh(&generate::cylinder(1.0, 1.0, 8).unwrap());
    for (t, triangle) in mesh.triangles().iter().enumerate() {
        let face = mesh.face(mesh.triangle_face(t) as usize);
        assert!(triangle.iter().all(|corner| face.contains(corner)));
    }
    assert_eq!(mesh.triangles().len(), 8 * 2 + 2 * 6);
}

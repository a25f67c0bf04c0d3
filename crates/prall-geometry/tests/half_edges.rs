//! Adjacency, edges and their helpers, against brute force and known solids.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use glam::{DVec2, DVec3};
use prall_geometry::{
    EdgeError, EdgeHelpers, EdgeKind, EdgeOptions, Edges, HalfEdges, Mesh, MeshOptions, PolygonSoup, Weld,
    dihedral_angle, generate,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn mesh(soup: &PolygonSoup) -> Mesh {
    Mesh::from_soup(soup, &MeshOptions::default()).unwrap()
}

fn edges(mesh: &Mesh, half_edges: &HalfEdges) -> Edges {
    Edges::new(mesh, half_edges, &EdgeOptions::default()).unwrap()
}

/// Points on the curve (t, t^2, t^3), of which no three are on a line: any triangle over them has an area.
fn moment_curve(count: u32) -> Vec<DVec3> {
    (0..count).map(f64::from).map(|t| DVec3::new(t, t * t, t * t * t) / f64::from(count)).collect()
}

fn config(seed: u64, cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Default::default() }
}

/// Random triangles over so few vertices that every kind of edge occurs.
fn random_soup() -> impl Strategy<Value = PolygonSoup> {
    const VERTICES: u32 = 7;
    let triangle = (0..VERTICES, 1..VERTICES - 1, 0..VERTICES - 2).prop_map(|(a, step, skip)| {
        let b = (a + step) % VERTICES;
        let c = (0..VERTICES).filter(|&v| v != a && v != b).nth(skip as usize % 5).unwrap();
        [a, b, c]
    });
    prop::collection::vec(triangle, 1..30)
        .prop_map(|triangles| PolygonSoup::from_triangles(moment_curve(VERTICES), &triangles).unwrap())
}

proptest! {
    #![proptest_config(config(44, 300))]

    /// Oracle: all pairs of sides are compared.
    #[test]
    fn twins_and_edges_of_random_soups_agree_with_brute_force(soup in random_soup()) {
        let mesh = mesh(&soup);
        let half_edges = HalfEdges::new(&mesh);
        let sides: Vec<(u32, u32)> =
            mesh.faces().flat_map(|f| (0..f.len()).map(move |i| (f[i], f[(i + 1) % f.len()]))).collect();
        prop_assert_eq!(sides.len(), half_edges.len());
        for (h, &(from, to)) in sides.iter().enumerate() {
            let h = h as u32;
            prop_assert_eq!((half_edges.origin(h), half_edges.target(h)), (from, to));
            let on_edge: Vec<u32> = (0..sides.len() as u32)
                .filter(|&g| sides[g as usize] == (from, to) || sides[g as usize] == (to, from))
                .collect();
            let opposite = on_edge.iter().copied().find(|&g| sides[g as usize] == (to, from));
            let expected = if on_edge.len() == 2 { opposite } else { None };
            prop_assert_eq!(half_edges.twin(h), expected);
            prop_assert_eq!(half_edges.on_edge(half_edges.edge(h)), on_edge);
            prop_assert_eq!(half_edges.edge_vertices(half_edges.edge(h)), [from.min(to), from.max(to)]);
        }
    }

    #[test]
    fn walking_around_faces_and_vertices_meets_every_half_edge_once(soup in random_soup()) {
        let mesh = mesh(&soup);
        let half_edges = HalfEdges::new(&mesh);
        for h in 0..half_edges.len() as u32 {
            prop_assert_eq!(half_edges.next(half_edges.previous(h)), h);
            prop_assert_eq!(half_edges.previous(half_edges.next(h)), h);
            prop_assert!(half_edges.of_face(half_edges.face(h)).contains(&h));
            prop_assert_eq!(half_edges.twin(h).map_or(Some(h), |t| half_edges.twin(t)), Some(h));
        }
        let mut met: Vec<u32> = Vec::new();
        for vertex in 0..mesh.positions().len() as u32 {
            prop_assert!(half_edges.from_vertex(vertex).iter().all(|&h| half_edges.origin(h) == vertex));
            met.extend(half_edges.from_vertex(vertex));
        }
        met.sort_unstable();
        prop_assert!(met.into_iter().eq(0..half_edges.len() as u32));
    }

    /// The sign of `d1 . m2 + d2 . m1` is that of the volume of the tetrahedron over both segments, here
    /// computed as a determinant; the magnitudes are equal, so any wrong factor shows. Tolerance: rounding
    /// of products of size 1e3.
    #[test]
    fn pluecker_moments_tell_on_which_side_lines_pass(soup in random_soup()) {
        let mesh = mesh(&soup);
        let half_edges = HalfEdges::new(&mesh);
        let helpers = EdgeHelpers::new(&mesh, &half_edges);
        let place = |v: u32| mesh.positions()[v as usize];
        for g in 0..half_edges.len() as u32 {
            for h in 0..half_edges.len() as u32 {
                let (a, b) = (place(half_edges.origin(g)), place(half_edges.target(g)));
                let (c, d) = (place(half_edges.origin(h)), place(half_edges.target(h)));
                let side = (b - a).dot(helpers.moment(h)) + (d - c).dot(helpers.moment(g));
                let volume = glam::DMat3::from_cols(b - a, c - a, d - a).determinant();
                prop_assert!((side - volume).abs() < 1e-9, "{} {}", side, volume);
            }
        }
    }

    #[test]
    fn a_point_is_in_a_face_if_it_is_behind_all_its_outward_helpers(
        soup in random_soup(), weights in prop::array::uniform3(-0.5..1.0f64),
    ) {
        let mesh = mesh(&soup);
        let half_edges = HalfEdges::new(&mesh);
        let helpers = EdgeHelpers::new(&mesh, &half_edges);
        let sum: f64 = weights.iter().sum();
        // Too near a side the oracle's sign would be decided by rounding.
        prop_assume!(sum > 0.1 && weights.iter().all(|w| w.abs() > 1e-3));
        for face in 0..mesh.face_count() {
            let corners = mesh.face(face).iter().map(|&v| mesh.positions()[v as usize]);
            let point: DVec3 = corners.zip(weights).map(|(p, w)| p * (w / sum)).sum();
            let behind = half_edges.of_face(face as u32).all(|h| {
                helpers.outward(h).dot(point - mesh.positions()[half_edges.origin(h) as usize]) <= 0.0
            });
            prop_assert_eq!(behind, weights.iter().all(|&w| w > 0.0));
        }
    }
}

#[test]
fn a_closed_polyhedron_has_the_full_half_edge_structure() {
    for soup in [
        generate::ico_sphere(1.0, 2).unwrap(),
        generate::torus(2.0, 0.5, 8, 5).unwrap(),
        generate::cylinder(1.0, 2.0, 7).unwrap(),
    ] {
        let mesh = mesh(&soup);
        let half_edges = HalfEdges::new(&mesh);
        for h in 0..half_edges.len() as u32 {
            let twin = half_edges.twin(h).expect("every side of a closed polyhedron has its partner");
            assert_eq!(half_edges.origin(twin), half_edges.target(h));
            assert_ne!(half_edges.face(twin), half_edges.face(h));
        }
    }
}

#[test]
fn three_faces_on_an_edge_have_no_twins_there_and_can_be_walked() {
    let mut positions = vec![DVec3::ZERO, DVec3::Y];
    positions.extend([DVec3::X, DVec3::Z, -DVec3::X]);
    let book = mesh(&PolygonSoup::from_triangles(positions, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]).unwrap());
    let half_edges = HalfEdges::new(&book);
    let spine = half_edges.edge(0);
    let faces: Vec<u32> = half_edges.on_edge(spine).iter().map(|&h| half_edges.face(h)).collect();
    assert_eq!(faces, [0, 1, 2]);
    assert!(half_edges.on_edge(spine).iter().all(|&h| half_edges.twin(h).is_none()));
    let edges = edges(&book, &half_edges);
    assert_eq!(edges.kind(spine), EdgeKind::NonManifold);
    assert!(edges.is_active(spine));
}

/// A cube of side 2 whose sides are grids of `n` by `n` squares, cut into triangles.
fn subdivided_cube(n: i32) -> Mesh {
    let mut soup = PolygonSoup::new();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let corner = |di: i32, dj: i32| {
                    let mut p = DVec3::splat(sign);
                    p[(axis + 1) % 3] = -1.0 + 2.0 * f64::from(i + di) / f64::from(n);
                    p[(axis + 2) % 3] = sign * (-1.0 + 2.0 * f64::from(j + dj) / f64::from(n));
                    p
                };
                let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(di, dj)| corner(di, dj));
                let [a, b, c, d] = corners.map(|p| soup.push_position(p).unwrap());
                soup.push_face(&[a, b, c]).unwrap();
                soup.push_face(&[a, c, d]).unwrap();
            }
        }
    }
    mesh(&soup)
}

#[test]
fn the_active_edges_of_a_subdivided_cube_are_its_twelve_edges() {
    // A power of two, so that the grids of neighbouring sides have the same coordinates to the last bit.
    let n = 4;
    let cube = subdivided_cube(n);
    let half_edges = HalfEdges::new(&cube);
    let edges = edges(&cube, &half_edges);
    let on_rim = |p: DVec3| p.abs().to_array().iter().filter(|&&x| x == 1.0).count() >= 2;
    let mut active = 0;
    for edge in 0..half_edges.edge_count() as u32 {
        let [a, b] = half_edges.edge_vertices(edge).map(|v| cube.positions()[v as usize]);
        let along_axis = (b - a).to_array().iter().filter(|&&x| x != 0.0).count() == 1;
        assert_eq!(edges.is_active(edge), on_rim(a) && on_rim(b) && on_rim(0.5 * (a + b)) && along_axis);
        active += i32::from(edges.is_active(edge));
    }
    assert_eq!(active, 12 * n);
    for (vertex, &position) in cube.positions().iter().enumerate() {
        assert_eq!(edges.vertex_is_active(vertex as u32), on_rim(position));
    }
}

fn l_shape() -> Mesh {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)].map(DVec2::from);
    mesh(&generate::prism(&outline, 1.0).unwrap())
}

#[test]
fn the_concave_edge_of_an_l_is_inactive_and_the_others_are_not() {
    let l = l_shape();
    let half_edges = HalfEdges::new(&l);
    let edges = edges(&l, &half_edges);
    let concave: Vec<u32> =
        (0..half_edges.edge_count() as u32).filter(|&edge| edges.kind(edge) == EdgeKind::Concave).collect();
    let &[inner] = concave.as_slice() else { panic!("one concave edge, not {concave:?}") };
    for vertex in half_edges.edge_vertices(inner) {
        let p = l.positions()[vertex as usize];
        assert_eq!((p.x, p.z), (1.0, -1.0));
    }
    assert!(!edges.is_active(inner));
    let count = |kind| edges.kinds().iter().filter(|&&k| k == kind).count();
    assert_eq!((count(EdgeKind::Convex), count(EdgeKind::Boundary)), (17, 0));
}

#[test]
fn the_concave_edge_of_a_sheet_that_is_touched_from_both_sides_is_active() {
    let l = l_shape();
    let half_edges = HalfEdges::new(&l);
    let options = EdgeOptions { two_sided: true, ..EdgeOptions::default() };
    let edges = Edges::new(&l, &half_edges, &options).unwrap();
    for edge in 0..half_edges.edge_count() as u32 {
        assert_eq!(edges.is_active(edge), edges.kind(edge) != EdgeKind::Flat);
    }
}

/// Closed form: the surface of a regular n-prism turns by 2 pi / n at its upright edges.
#[test]
fn dihedral_angles_of_a_regular_prism_are_its_outer_angles() {
    for sides in [3, 4, 7, 100] {
        let prism = mesh(&generate::cylinder(1.0, 1.0, sides).unwrap());
        let half_edges = HalfEdges::new(&prism);
        for edge in 0..half_edges.edge_count() as u32 {
            let [a, b] = half_edges.edge_vertices(edge).map(|v| prism.positions()[v as usize]);
            let expected = if a.y == b.y { TAU / 4.0 } else { TAU / f64::from(sides) };
            let angle = dihedral_angle(&prism, &half_edges, edge).unwrap();
            // Normals of unit-sized faces are good to some 1e-15, those of narrow sides to 1e-13.
            assert!((angle - expected).abs() < 1e-12, "{angle} {expected}");
        }
    }
}

#[test]
fn an_edge_is_flat_up_to_the_stated_angle_and_no_further() {
    for (angle, kind) in [(0.9e-4, EdgeKind::Flat), (1.1e-4, EdgeKind::Convex), (-1.1e-4, EdgeKind::Concave)]
    {
        let lowered = DVec3::new(1.0, -libm::tan(angle), 0.0);
        let positions = vec![DVec3::ZERO, -DVec3::Z, -DVec3::X, lowered];
        let roof = mesh(&PolygonSoup::from_triangles(positions, &[[0, 1, 2], [1, 0, 3]]).unwrap());
        let half_edges = HalfEdges::new(&roof);
        let ridge = half_edges.edge(0);
        assert_eq!(edges(&roof, &half_edges).kind(ridge), kind);
        let measured = dihedral_angle(&roof, &half_edges, ridge).unwrap();
        assert!((measured - angle).abs() < 1e-15, "{measured}");
    }
}

#[test]
fn faces_that_disagree_meet_in_an_inconsistent_edge() {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::Y];
    let sheet = mesh(&PolygonSoup::from_triangles(positions, &[[0, 1, 2], [0, 1, 3]]).unwrap());
    let half_edges = HalfEdges::new(&sheet);
    assert_eq!(edges(&sheet, &half_edges).kind(half_edges.edge(0)), EdgeKind::Inconsistent);
    assert_eq!(dihedral_angle(&sheet, &half_edges, half_edges.edge(0)), None);
}

#[test]
fn a_sheet_folded_onto_its_back_has_ridges_not_valleys() {
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.7, 0.1)];
    let leaf = mesh(&PolygonSoup::from_triangles(positions, &[[0, 1, 2], [0, 2, 1]]).unwrap());
    let half_edges = HalfEdges::new(&leaf);
    assert_eq!(edges(&leaf, &half_edges).kinds(), [EdgeKind::Convex; 3]);
    for edge in 0..3 {
        assert_eq!(dihedral_angle(&leaf, &half_edges, edge), Some(std::f64::consts::PI));
    }
}

#[test]
fn a_meaningless_flat_angle_is_refused() {
    let l = l_shape();
    let half_edges = HalfEdges::new(&l);
    for flat_angle in [-1e-9, 1.6, f64::NAN] {
        let result = Edges::new(&l, &half_edges, &EdgeOptions { flat_angle, two_sided: false });
        assert!(matches!(result, Err(EdgeError::FlatAngle { .. })));
    }
}

/// Moved by a kilometre, coordinates round to 1e-13; the kinds of edges must not notice.
#[test]
fn a_kilometre_changes_no_kind_of_edge() {
    let near = generate::torus(1.0, 0.4, 24, 12).unwrap();
    let far = near.transformed(&glam::DAffine3::from_translation(DVec3::splat(1000.0))).unwrap();
    let kinds = |soup: &PolygonSoup| {
        let mesh = mesh(soup);
        let half_edges = HalfEdges::new(&mesh);
        edges(&mesh, &half_edges).kinds().to_vec()
    };
    assert_eq!(kinds(&near), kinds(&far));
}

#[test]
fn unwelded_triangles_have_only_boundary_edges() {
    let cube = subdivided_cube(2);
    let mut loose = PolygonSoup::new();
    for t in 0..cube.triangles().len() {
        let corners = cube.triangle_points(t).map(|p| loose.push_position(p).unwrap());
        loose.push_face(&corners).unwrap();
    }
    let mesh = Mesh::from_soup(&loose, &MeshOptions { weld: Weld::None, ..Default::default() }).unwrap();
    let half_edges = HalfEdges::new(&mesh);
    let mut kinds = BTreeMap::new();
    for kind in edges(&mesh, &half_edges).kinds() {
        *kinds.entry(format!("{kind:?}")).or_insert(0) += 1;
    }
    assert_eq!(kinds, BTreeMap::from([("Boundary".to_string(), 3 * 48)]));
}

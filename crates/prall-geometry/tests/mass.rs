//! Mass properties against closed forms, exact integers, numerical integration and each other.

use std::f64::consts::PI;

use glam::{DAffine3, DMat3, DQuat, DVec3};
use prall_geometry::{
    Amount, HalfEdges, MassError, MassProperties, Mesh, MeshOptions, PolygonSoup, Weld, generate,
};
use prall_math::Pose;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(seed: u64, cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed), ..Default::default() }
}

fn of_soup(soup: &PolygonSoup, amount: Amount) -> Result<MassProperties, MassError> {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    MassProperties::of_mesh(&mesh, &HalfEdges::new(&mesh), amount)
}

fn solid(soup: &PolygonSoup) -> MassProperties {
    of_soup(soup, Amount::Density(1.0)).unwrap()
}

/// The largest difference in mass, first moment and inertia, each relative to its size.
fn difference(a: &MassProperties, b: &MassProperties) -> f64 {
    let size = |m: DMat3| m.to_cols_array().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let length = (size(b.inertia) / b.mass).sqrt();
    ((a.mass - b.mass) / b.mass)
        .abs()
        .max(a.center_of_mass.distance(b.center_of_mass) / length)
        .max(size(a.inertia - b.inertia) / size(b.inertia))
}

fn rotation() -> impl Strategy<Value = DQuat> {
    prop::array::uniform3(-3.0..3.0f64).prop_map(|v| DQuat::from_scaled_axis(DVec3::from(v)))
}

/// The lecture's box: 1 x 2 x 3, one kilogram, turned by 30 degrees about z. I_xy = (13 - 10)/12 sin 30 cos
/// 30, and with a plus sign; the order of rotations that is in print gives a minus.
#[test]
fn the_inertia_of_a_turned_box_has_the_right_sign() {
    let upright = MassProperties::cuboid(Amount::Mass(1.0), DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let turned = upright.rotated(DQuat::from_rotation_z(PI / 6.0));
    let expected = 3.0 / 12.0 * 0.5 * (0.75_f64).sqrt();
    assert!((turned.inertia.x_axis.y - expected).abs() < 1e-15);
    assert!((turned.inertia.x_axis.y - 0.1083).abs() < 1e-4);
    let product = turned.inertia * turned.inertia.inverse();
    assert!(product.abs_diff_eq(DMat3::IDENTITY, 1e-14));
}

/// Sum over the middles of small cubes in the bounding box.
fn by_voxels(half: DVec3, inside: impl Fn(DVec3) -> bool) -> MassProperties {
    const STEPS: i32 = 120;
    let step = 2.0 * half / f64::from(STEPS);
    let volume = step.element_product();
    let (mut mass, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for i in 0..STEPS {
        for j in 0..STEPS {
            for k in 0..STEPS {
                let cell = DVec3::new(f64::from(i), f64::from(j), f64::from(k)) + 0.5;
                let p = cell * step - half;
                if inside(p) {
                    mass += volume;
                    first += volume * p;
                    second += DMat3::from_cols(p * p.x, p * p.y, p * p.z) * volume;
                }
            }
        }
    }
    let c = first / mass;
    let central = second - DMat3::from_cols(c * c.x, c * c.y, c * c.z) * mass;
    let trace = central.x_axis.x + central.y_axis.y + central.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - central;
    MassProperties { mass, center_of_mass: c, inertia }
}

#[test]
fn closed_forms_agree_with_numerical_integration_to_a_thousandth() {
    let density = Amount::Density(1.0);
    let across = |p: DVec3| DVec3::new(p.x, 0.0, p.z).length();
    let cases = [
        (
            MassProperties::cuboid(density, DVec3::new(1.0, 2.0, 3.0)),
            by_voxels(DVec3::new(0.5, 1.0, 1.5), |_| true),
        ),
        (MassProperties::cuboid(density, DVec3::ONE), by_voxels(DVec3::splat(0.5), |_| true)),
        (MassProperties::sphere(density, 1.0), by_voxels(DVec3::ONE, |p| p.length() < 1.0)),
        (
            MassProperties::cylinder(density, 1.0, 3.0),
            by_voxels(DVec3::new(1.0, 1.5, 1.0), |p| across(p) < 1.0),
        ),
        (
            MassProperties::cone(density, 1.0, 3.0),
            by_voxels(DVec3::new(1.0, 1.5, 1.0), |p| across(p) < (1.5 - p.y) / 3.0),
        ),
        (
            MassProperties::capsule(density, 1.0, 1.0),
            by_voxels(DVec3::new(1.0, 1.5, 1.0), |p| {
                p.distance(DVec3::new(0.0, p.y.clamp(-0.5, 0.5), 0.0)) < 1.0
            }),
        ),
    ];
    for (closed, numerical) in cases {
        let closed = closed.unwrap();
        assert!(difference(&closed, &numerical) < 1e-3, "{closed:?} {numerical:?}");
        assert!(closed.validated().is_ok());
    }
}

#[test]
fn a_cube_and_a_ball_have_the_textbook_inertia() {
    let cube = MassProperties::cuboid(Amount::Mass(2.0), DVec3::splat(3.0)).unwrap();
    assert_eq!(cube.inertia, DMat3::from_diagonal(DVec3::splat(2.0 * 9.0 / 6.0)));
    let ball = MassProperties::sphere(Amount::Mass(5.0), 2.0).unwrap();
    assert_eq!(ball.inertia, DMat3::from_diagonal(DVec3::splat(8.0)));
}

#[test]
fn a_box_of_polygons_is_a_box() {
    let size = DVec3::new(1.0, 2.0, 3.0);
    let closed = MassProperties::cuboid(Amount::Density(7.0), size).unwrap();
    let meshed = of_soup(&generate::cuboid(size).unwrap(), Amount::Density(7.0)).unwrap();
    assert!(difference(&meshed, &closed) < 1e-15);
    let by_mass = of_soup(&generate::cuboid(size).unwrap(), Amount::Mass(42.0)).unwrap();
    assert!(difference(&by_mass, &closed) < 1e-15);
}

/// The error of a tessellation falls with the square of the edge length: by four for each subdivision.
#[test]
fn a_tessellated_sphere_converges_with_second_order() {
    let exact = MassProperties::sphere(Amount::Density(1.0), 1.5).unwrap();
    let errors: Vec<f64> = (2..6)
        .map(|subdivisions| difference(&solid(&generate::ico_sphere(1.5, subdivisions).unwrap()), &exact))
        .collect();
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.8..4.2).contains(&ratio), "{errors:?}");
    }
}

#[test]
fn tessellated_round_solids_converge_to_their_closed_forms() {
    let density = Amount::Density(1.0);
    let cases = [
        (generate::cylinder(0.5, 2.0, 512), MassProperties::cylinder(density, 0.5, 2.0)),
        (generate::cone(0.5, 2.0, 512), MassProperties::cone(density, 0.5, 2.0)),
        (generate::capsule(0.5, 2.0, 512, 64), MassProperties::capsule(density, 0.5, 2.0)),
        (generate::uv_sphere(0.5, 512, 128), MassProperties::sphere(density, 0.5)),
    ];
    for (soup, closed) in cases {
        let (meshed, closed) = (solid(&soup.unwrap()), closed.unwrap());
        // A segment of angle a loses a^2 / 6 of the area; rings of 90 / 64 degrees lose most.
        assert!(difference(&meshed, &closed) < 1e-3, "{meshed:?} {closed:?}");
    }
}

/// Torus: volume 2 pi^2 R r^2; about the axis m (R^2 + 3/4 r^2).
#[test]
fn a_tessellated_torus_has_the_mass_of_a_torus() {
    let (ring, tube) = (2.0, 0.5);
    let meshed = solid(&generate::torus(ring, tube, 512, 256).unwrap());
    let mass = 2.0 * PI * PI * ring * tube * tube;
    assert!((meshed.mass / mass - 1.0).abs() < 2e-4);
    let about_axis = meshed.inertia.y_axis.y / (meshed.mass * (ring * ring + 0.75 * tube * tube));
    assert!((about_axis - 1.0).abs() < 2e-4, "{about_axis}");
}

type Corner = [i64; 3];

/// Exact integrals of a set of tetrahedra with integer corners: 6 volume, 24 first moment, 120 integral of
/// x x^T.
fn exact_integrals(tetrahedra: &[[Corner; 4]]) -> (i128, [i128; 3], [[i128; 3]; 3]) {
    let (mut volume, mut first, mut second) = (0, [0; 3], [[0; 3]; 3]);
    for t in tetrahedra {
        let v = determinant(t);
        let sum = |i: usize| t.iter().map(|p| i128::from(p[i])).sum::<i128>();
        volume += v;
        for i in 0..3 {
            first[i] += v * sum(i);
            for j in 0..3 {
                let products: i128 = t.iter().map(|p| i128::from(p[i]) * i128::from(p[j])).sum();
                second[i][j] += v * (products + sum(i) * sum(j));
            }
        }
    }
    (volume, first, second)
}

/// Six times the signed volume.
fn determinant(t: &[Corner; 4]) -> i128 {
    let e = |k: usize, i: usize| i128::from(t[k][i] - t[0][i]);
    e(1, 0) * (e(2, 1) * e(3, 2) - e(2, 2) * e(3, 1)) - e(1, 1) * (e(2, 0) * e(3, 2) - e(2, 2) * e(3, 0))
        + e(1, 2) * (e(2, 0) * e(3, 1) - e(2, 1) * e(3, 0))
}

fn tetrahedra_soup(tetrahedra: &[[Corner; 4]]) -> PolygonSoup {
    let mut soup = PolygonSoup::new();
    for t in tetrahedra {
        let [a, b, c, d] = t.map(|p| soup.push_position(DVec3::from(p.map(|x| x as f64))).unwrap());
        for face in [[a, c, b], [a, b, d], [b, c, d], [c, a, d]] {
            soup.push_face(&face).unwrap();
        }
    }
    soup
}

fn tetrahedra() -> impl Strategy<Value = Vec<[Corner; 4]>> {
    let corner = || prop::array::uniform3(-1000..1000i64);
    let tetrahedron = [corner(), corner(), corner(), corner()]
        .prop_filter("flat", |t| determinant(t).abs() > 1_000_000)
        .prop_map(|mut t| {
            if determinant(&t) < 0 {
                t.swap(0, 1);
            }
            t
        });
    prop::collection::vec(tetrahedron, 1..8)
}

proptest! {
    #![proptest_config(config(7, 200))]

    /// Oracle: integers. Overlapping solids count twice, as documented.
    #[test]
    fn tetrahedra_have_their_exact_mass_and_inertia(tetrahedra in tetrahedra()) {
        let mesh = Mesh::from_soup(
            &tetrahedra_soup(&tetrahedra),
            &MeshOptions { weld: Weld::None, ..MeshOptions::default() },
        ).unwrap();
        let result = MassProperties::of_mesh(&mesh, &HalfEdges::new(&mesh), Amount::Density(1.0)).unwrap();
        let (volume, first, second) = exact_integrals(&tetrahedra);
        let volume = volume as f64 / 6.0;
        let centre = DVec3::from(first.map(|x| x as f64)) / 24.0 / volume;
        let trace = (second[0][0] + second[1][1] + second[2][2]) as f64 / 120.0;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace))
            - DMat3::from_cols_array_2d(&second.map(|row| row.map(|x| x as f64 / 120.0)));
        // Some hundred roundings of 1e-16 each.
        prop_assert!((result.mass / volume - 1.0).abs() < 1e-13);
        prop_assert!(result.center_of_mass.distance(centre) < 1e-13 * 1000.0);
        let about_origin = result.inertia_about(DVec3::ZERO);
        prop_assert!(about_origin.abs_diff_eq(inertia, 1e-12 * trace), "{} {}", about_origin, inertia);
    }

    #[test]
    fn mass_properties_move_and_turn_with_the_mesh(
        turn in rotation(), shift in prop::array::uniform3(-10.0..10.0f64),
    ) {
        let pose = Pose::new(turn, DVec3::from(shift));
        let brick = generate::brick(DVec3::new(0.4, 0.3, 0.9), 0.05).unwrap();
        let map = DAffine3::from_rotation_translation(pose.rotation, pose.translation);
        let moved = solid(&brick.transformed(&map).unwrap());
        prop_assert!(difference(&moved, &solid(&brick).transformed(&pose)) < 1e-13);
    }

    #[test]
    fn principal_axes_rebuild_the_inertia(
        moments in prop_oneof![
            prop::array::uniform3(0.1..10.0f64),
            (0.1..10.0f64).prop_map(|a| [a, a, a]),
            (0.1..10.0f64, 0.1..10.0f64).prop_map(|(a, b)| [a, b, a]),
            (0.1..10.0f64).prop_map(|a| [a, a * (1.0 + 1e-15), a * (1.0 - 1e-12)]),
            (0.1..10.0f64).prop_map(|a| [a * 1e-9, a, a * 1e6]),
        ],
        turn in rotation(),
    ) {
        let body = MassProperties {
            mass: 1.0,
            center_of_mass: DVec3::ZERO,
            inertia: DMat3::from_diagonal(DVec3::from(moments)),
        }.rotated(turn);
        let (found, axes) = body.principal_axes();
        let mut sorted = moments;
        sorted.sort_by(f64::total_cmp);
        // The rotation that was put in rounds relative to the largest moment.
        let rounding = 1e-14 * sorted[2];
        prop_assert!(found.abs_diff_eq(DVec3::from(sorted), rounding), "{} {:?}", found, sorted);
        prop_assert!((axes.length() - 1.0).abs() < 1e-15);
        let r = DMat3::from_quat(axes);
        prop_assert!((r * DMat3::from_diagonal(found) * r.transpose()).abs_diff_eq(body.inertia, rounding));
    }

    /// Eight boxes of random cuts make one box, in any order.
    #[test]
    fn the_parts_of_a_box_make_a_box(
        cut in prop::array::uniform3(0.1..0.9f64), turn in rotation(), first in 0..8usize,
    ) {
        let size = DVec3::new(1.0, 2.0, 3.0);
        let cut = DVec3::from(cut) * size;
        let mut parts = Vec::new();
        for octant in 0..8 {
            let upper = DVec3::new(f64::from(octant & 1), f64::from(octant >> 1 & 1), f64::from(octant >> 2));
            let low = upper * cut;
            let high = upper * size + (1.0 - upper) * cut;
            let part = MassProperties::cuboid(Amount::Density(2.0), high - low).unwrap();
            parts.push(part.translated(0.5 * (low + high)).rotated(turn));
        }
        parts.rotate_left(first);
        let whole = MassProperties::cuboid(Amount::Density(2.0), size).unwrap();
        let whole = whole.translated(0.5 * size).rotated(turn);
        prop_assert!(difference(&MassProperties::compound(&parts).unwrap(), &whole) < 1e-14);
    }
}

#[test]
fn a_principal_frame_of_an_upright_box_is_upright() {
    let body = MassProperties::cuboid(Amount::Mass(1.0), DVec3::new(3.0, 2.0, 1.0)).unwrap();
    let (moments, axes) = body.principal_axes();
    assert_eq!(axes, DQuat::IDENTITY);
    assert_eq!(DMat3::from_diagonal(moments), body.inertia);
}

/// Coordinates of a kilometre round by 1e-13 m, 2e-13 of the size of the part.
#[test]
fn a_kilometre_away_nothing_is_lost() {
    let near = generate::torus(0.5, 0.2, 32, 16).unwrap();
    let displacement = DVec3::new(1000.0, -700.0, 400.0);
    let far = near.transformed(&DAffine3::from_translation(displacement)).unwrap();
    assert!(difference(&solid(&far), &solid(&near).translated(displacement)) < 1e-12);
}

#[test]
fn millimetres_for_metres_scale_as_they_should() {
    let metres = generate::funnel(&generate::Funnel::default()).unwrap();
    let millimetres = metres.transformed(&DAffine3::from_scale(DVec3::splat(1000.0))).unwrap();
    let (a, b) = (solid(&metres), solid(&millimetres));
    let scaled = MassProperties {
        mass: a.mass * 1e9,
        center_of_mass: a.center_of_mass * 1e3,
        inertia: a.inertia * 1e15,
    };
    assert!(difference(&b, &scaled) < 1e-13);
}

#[test]
fn splitting_triangles_in_four_changes_nothing() {
    let coarse = Mesh::from_soup(&generate::ico_sphere(1.0, 2).unwrap(), &MeshOptions::default()).unwrap();
    let mut fine = PolygonSoup::new();
    for t in 0..coarse.triangles().len() {
        let [a, b, c] = coarse.triangle_points(t);
        let (ab, bc, ca) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a));
        for piece in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            let corners = piece.map(|p| fine.push_position(p).unwrap());
            fine.push_face(&corners).unwrap();
        }
    }
    assert!(difference(&solid(&fine), &solid(&coarse.to_soup())) < 1e-13);
}

#[test]
fn the_order_of_faces_does_not_matter() {
    let soup = generate::brick(DVec3::new(1.0, 0.5, 0.25), 0.02).unwrap();
    let mut reversed = PolygonSoup::new();
    for &position in soup.positions() {
        reversed.push_position(position).unwrap();
    }
    for face in (0..soup.face_count()).rev() {
        reversed.push_face(soup.face(face)).unwrap();
    }
    assert!(difference(&solid(&reversed), &solid(&soup)) < 1e-14);
}

fn turned_round(soup: &PolygonSoup) -> PolygonSoup {
    let mut result = PolygonSoup::new();
    for &position in soup.positions() {
        result.push_position(position).unwrap();
    }
    for face in soup.faces() {
        result.push_face(&face.iter().rev().copied().collect::<Vec<_>>()).unwrap();
    }
    result
}

#[test]
fn an_open_mesh_is_refused_with_its_substitutes() {
    let cube = generate::cuboid(DVec3::ONE).unwrap();
    let mut open = PolygonSoup::new();
    for &position in cube.positions() {
        open.push_position(position).unwrap();
    }
    for face in cube.faces().take(5) {
        open.push_face(face).unwrap();
    }
    let error = of_soup(&open, Amount::Density(1.0)).unwrap_err();
    assert_eq!(error, MassError::NotWatertight { open_edges: 4, nonmanifold_edges: 0 });
    for substitute in ["hull", "bounding box", "given values"] {
        assert!(error.to_string().contains(substitute));
    }
}

#[test]
fn a_solid_that_is_inside_out_is_refused_even_beside_a_larger_good_one() {
    let inverted = turned_round(&generate::cuboid(DVec3::ONE).unwrap());
    let error = of_soup(&inverted, Amount::Density(1.0)).unwrap_err();
    assert_eq!(error, MassError::InsideOut { pieces: 1, volume: -1.0 });
    assert!(error.to_string().ends_with("orient the mesh"), "{error}");
    let mut pair = generate::cuboid(DVec3::splat(3.0)).unwrap();
    pair.append(&inverted.transformed(&DAffine3::from_translation(5.0 * DVec3::X)).unwrap()).unwrap();
    assert!(matches!(of_soup(&pair, Amount::Density(1.0)), Err(MassError::InsideOut { pieces: 1, .. })));
}

#[test]
fn a_sheet_with_two_sides_has_no_mass_and_is_not_inside_out() {
    let positions = vec![DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.7, 0.1, 0.4), DVec3::new(0.2, 0.9, 0.35)];
    let sheet = PolygonSoup::from_triangles(positions, &[[0, 1, 2], [0, 2, 1]]).unwrap();
    assert!(matches!(of_soup(&sheet, Amount::Mass(1.0)), Err(MassError::NoVolume { .. })));
}

#[test]
fn a_cavity_takes_its_mass_away() {
    let mut hollow = generate::cuboid(DVec3::splat(2.0)).unwrap();
    hollow.append(&turned_round(&generate::cuboid(DVec3::ONE).unwrap())).unwrap();
    let result = of_soup(&hollow, Amount::Density(1.0)).unwrap();
    let expected = MassProperties {
        // 8 * 4/6 - 1 * 1/6
        mass: 7.0,
        center_of_mass: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::splat(31.0 / 6.0)),
    };
    assert!(difference(&result, &expected) < 1e-15);
}

#[test]
fn solids_that_share_an_edge_have_a_mass() {
    let cube = generate::cuboid(DVec3::ONE).unwrap();
    let mut pair = cube.clone();
    pair.append(&cube.transformed(&DAffine3::from_translation(DVec3::new(1.0, 1.0, 0.0))).unwrap()).unwrap();
    assert!((solid(&pair).mass - 2.0).abs() < 1e-15);
}

/// A lid whose side is one edge below and two above is closed by a triangle of no area.
#[test]
fn a_crack_filled_by_a_face_without_area_leaves_a_solid_closed() {
    let cube = generate::cuboid(DVec3::ONE).unwrap();
    let mut cracked = PolygonSoup::new();
    for &position in cube.positions() {
        cracked.push_position(position).unwrap();
    }
    let [a, b, c, d] = <[u32; 4]>::try_from(cube.face(0)).unwrap();
    let at = |v: u32| cube.positions()[v as usize];
    let middle = cracked.push_position(0.5 * (at(a) + at(b))).unwrap();
    cracked.push_face(&[middle, b, c]).unwrap();
    cracked.push_face(&[middle, c, d]).unwrap();
    cracked.push_face(&[middle, d, a]).unwrap();
    for face in cube.faces().skip(1) {
        cracked.push_face(face).unwrap();
    }
    assert!(matches!(of_soup(&cracked, Amount::Density(1.0)), Err(MassError::NotWatertight { .. })));
    cracked.push_face(&[a, b, middle]).unwrap();
    assert!((solid(&cracked).mass - 1.0).abs() < 1e-15);
}

#[test]
fn impossible_bodies_are_refused() {
    let body = |mass, moments| MassProperties {
        mass,
        center_of_mass: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::from(moments)),
    };
    assert!(body(1.0, [1.0, 2.0, 3.0]).validated().is_ok());
    assert!(matches!(body(-1.0, [1.0; 3]).validated(), Err(MassError::NotPositive { .. })));
    assert!(matches!(body(f64::NAN, [1.0; 3]).validated(), Err(MassError::NotPositive { .. })));
    assert!(matches!(body(1.0, [1.0, 2.0, 3.1]).validated(), Err(MassError::Impossible { .. })));
    assert!(matches!(body(1.0, [0.0, 1.0, 1.0]).validated(), Err(MassError::NotPositiveDefinite { .. })));
    assert!(matches!(body(1.0, [f64::NAN, 1.0, 1.0]).validated(), Err(MassError::NotANumber { .. })));
    let mut skew = body(1.0, [1.0; 3]);
    skew.inertia.x_axis.y = 0.1;
    assert!(matches!(skew.validated(), Err(MassError::NotANumber { .. })));
    let point = MassProperties::point(1.0, DVec3::X).unwrap();
    assert!(matches!(point.validated(), Err(MassError::NotPositiveDefinite { .. })));
}

#[test]
fn meaningless_amounts_and_dimensions_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(MassProperties::sphere(Amount::Mass(bad), 1.0).is_err());
        assert!(MassProperties::sphere(Amount::Density(bad), 1.0).is_err());
        assert!(MassProperties::sphere(Amount::Mass(1.0), bad).is_err());
        assert!(MassProperties::cuboid(Amount::Mass(1.0), DVec3::new(1.0, bad, 1.0)).is_err());
        assert!(MassProperties::cylinder(Amount::Mass(1.0), 1.0, bad).is_err());
        assert!(MassProperties::cone(Amount::Mass(1.0), bad, 1.0).is_err());
        assert!(MassProperties::capsule(Amount::Mass(1.0), 1.0, bad).is_err());
        assert!(MassProperties::point(bad, DVec3::ZERO).is_err());
        assert!(MassProperties::sphere(Amount::Mass(1.0), 1.0).unwrap().with_mass(bad).is_err());
    }
    assert_eq!(MassProperties::compound(&[]).unwrap_err(), MassError::NoParts);
}

/// Two points of mass 1 and 3 at distance d: m1 m2 / (m1 + m2) d^2 across, nothing along.
#[test]
fn two_point_masses_make_a_dumbbell() {
    let parts = [
        MassProperties::point(1.0, DVec3::new(500.0, 0.0, 0.0)).unwrap(),
        MassProperties::point(3.0, DVec3::new(502.0, 0.0, 0.0)).unwrap(),
    ];
    let dumbbell = MassProperties::compound(&parts).unwrap();
    assert_eq!(dumbbell.center_of_mass, DVec3::new(501.5, 0.0, 0.0));
    assert_eq!(dumbbell.inertia, DMat3::from_diagonal(DVec3::new(0.0, 3.0, 3.0)));
}

#[test]
fn twice_the_mass_is_twice_the_inertia() {
    let body = MassProperties::capsule(Amount::Mass(1.0), 0.2, 0.5).unwrap();
    let heavy = body.with_mass(2.0).unwrap();
    assert_eq!((heavy.mass, heavy.inertia), (2.0, body.inertia * 2.0));
}

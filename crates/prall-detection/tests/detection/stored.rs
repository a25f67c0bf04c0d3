//! Building, storing and loading hierarchies, and what is refused.

use glam::DVec3;
use prall_detection::{BuildOptions, FORMAT_VERSION, Hierarchy, HierarchyError, Workspace, all_overlaps};
use prall_math::Pose;

use crate::bodies::{body, hierarchy, pose};
use crate::meshes;
use crate::parts;
use crate::random::Random;

#[test]
fn a_stored_hierarchy_comes_back_and_gives_the_same_answers() {
    let mut random = Random::new(21);
    for leaf_size in [1, 3, 8] {
        let mesh = body(&mut random);
        let built = Hierarchy::build(&mesh, &BuildOptions { leaf_size }).expect("a body");
        let bytes = built.save();
        let loaded = Hierarchy::load(&bytes, &mesh).expect("undamaged");
        assert_eq!(loaded.save(), bytes);
        let other = hierarchy(&body(&mut random));
        let at = pose(&mut random, 0.5);
        let [mut before, mut after] = [Vec::new(), Vec::new()];
        all_overlaps(&built, &at, &other, &Pose::IDENTITY, &mut Workspace::new(), &mut before)
            .expect("sound poses");
        all_overlaps(&loaded, &at, &other, &Pose::IDENTITY, &mut Workspace::new(), &mut after)
            .expect("sound poses");
        assert_eq!(before, after);
    }
}

#[test]
fn building_twice_gives_the_same_bytes() {
    let mesh = meshes::bumpy_sphere(1.0, 2000);
    assert_eq!(hierarchy(&mesh).save(), hierarchy(&mesh).save());
}

#[test]
fn any_number_of_threads_builds_the_same_bytes() {
    let mesh = meshes::bumpy_sphere(1.0, 12_000);
    let alone = hierarchy(&mesh).save();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let together = Hierarchy::build_in(&pool, &mesh, &BuildOptions::default()).expect("a body");
        assert!(together.save() == alone, "{threads} threads");
    }
}

#[test]
fn a_damaged_file_is_refused_wherever_the_damage_is() {
    let mesh = meshes::bumpy_sphere(1.0, 60);
    let bytes = hierarchy(&mesh).save();
    for position in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0x40;
        assert!(Hierarchy::load(&damaged, &mesh).is_err(), "byte {position}");
    }
    for length in 0..bytes.len() {
        assert!(Hierarchy::load(&bytes[..length], &mesh).is_err(), "cut to {length} bytes");
    }
}

#[test]
fn a_file_of_another_version_or_for_other_triangles_says_so() {
    let mesh = meshes::bumpy_sphere(1.0, 60);
    let bytes = hierarchy(&mesh).save();
    let mut newer = bytes.clone();
    newer[8] += 1;
    let expected = HierarchyError::Version { found: FORMAT_VERSION + 1, expected: FORMAT_VERSION };
    assert_eq!(Hierarchy::load(&newer, &mesh).err(), Some(expected));
    let mut moved = mesh.clone();
    moved[7][1].y = moved[7][1].y.next_up();
    assert_eq!(Hierarchy::load(&bytes, &moved).err(), Some(HierarchyError::OtherTriangles));
    assert_eq!(Hierarchy::load(&bytes, &mesh[1..]).err(), Some(HierarchyError::OtherTriangles));
}

#[test]
fn bad_triangles_are_refused_by_name() {
    let build = |mesh: &[[DVec3; 3]], leaf_size| Hierarchy::build(mesh, &BuildOptions { leaf_size }).err();
    let good = parts::block(DVec3::ONE);
    assert_eq!(build(&[], 1), Some(HierarchyError::Empty));
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let mut mesh = good.clone();
        mesh[5][2].z = bad;
        assert!(matches!(build(&mesh, 1), Some(HierarchyError::Coordinate { triangle: 5, .. })));
    }
    for leaf_size in [0, 9] {
        assert!(matches!(build(&good, leaf_size), Some(HierarchyError::LeafSize { .. })));
    }
}

/// Many equal triangles cannot be told apart by any plane; the tree must end all the same.
#[test]
fn equal_triangles_are_divided_by_count() {
    let mesh = vec![[DVec3::X, DVec3::Y, DVec3::Z]; 1000];
    let body = hierarchy(&mesh);
    let mut found = Vec::new();
    all_overlaps(&body, &Pose::IDENTITY, &body, &Pose::IDENTITY, &mut Workspace::new(), &mut found)
        .expect("sound poses");
    assert_eq!(found.len(), 1_000_000);
}

#[test]
fn bodies_from_a_nanometre_to_a_planet_can_be_built() {
    for size in [1e-30, 1e-9, 1.0, 1e8] {
        let mesh: Vec<_> = meshes::bumpy_sphere(1.0, 300).iter().map(|t| t.map(|p| p * size)).collect();
        let body = hierarchy(&mesh);
        assert_eq!(body.triangle_count(), mesh.len());
        assert!(mesh.iter().flatten().all(|p| p.length() <= body.radius()));
    }
}

#[test]
fn a_mesh_keeps_the_numbers_of_its_triangles() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y, DVec3::new(0.5, 0.5, 1.0)];
    let mut soup = prall_geometry::PolygonSoup::new();
    for corner in corners {
        soup.push_position(corner).expect("a finite corner");
    }
    for face in [&[0_u32, 1, 2, 3][..], &[0, 1, 4], &[1, 2, 4]] {
        soup.push_face(face).expect("a sound face");
    }
    let mesh =
        prall_geometry::Mesh::from_soup(&soup, &prall_geometry::MeshOptions::default()).expect("a mesh");
    let body = Hierarchy::of_mesh(&mesh, &BuildOptions::default()).expect("a body");
    assert_eq!(body.triangle_count(), 4);
    assert!(body.bytes() > 0);
    for t in 0..4 {
        assert_eq!(body.triangle(t), Some(&mesh.triangle_points(t as usize)));
    }
    assert_eq!(body.triangle(4), None);
}

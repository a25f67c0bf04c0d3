//! What cannot be a solid body is refused with a word that helps, and the world goes on.

use glam::{DQuat, DVec3};
use prall_dynamics::{SolidOptions, World, WorldOptions};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup};
use prall_math::Pose;

use crate::support::{cube, dynamic, fixed, rough, sheet, world};

#[test]
fn meshes_without_triangles_or_with_impossible_numbers_are_refused() {
    let empty = Mesh::from_soup(&PolygonSoup::default(), &MeshOptions::default());
    let text = empty
        .map(|mesh| prall_geometry::TriangleMesh::new(mesh.into()).map(|_| ()).map_err(|e| e.to_string()));
    let text = match text {
        Err(error) => error.to_string(),
        Ok(shape) => shape.expect_err("an empty mesh is no shape"),
    };
    assert!(
        !text.is_empty() && text.contains("triangle") || text.contains("empty") || text.contains("no "),
        "{text}"
    );
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, f64::NAN, 0.0)];
    let broken = PolygonSoup::from_triangles(corners, &[[0, 1, 2]]);
    let broken = broken
        .map_err(|e| e.to_string())
        .and_then(|soup| Mesh::from_soup(&soup, &MeshOptions::default()).map_err(|e| e.to_string()));
    let text = broken.expect_err("a corner that is no number");
    assert!(text.contains("finite") || text.contains("NaN"), "{text}");
}

#[test]
fn poses_and_velocities_that_are_no_numbers_leave_the_world_as_it_was() {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(1.0), rough(0.3))).unwrap();
    let body = world.add_body(&dynamic(&cube(0.05), rough(0.3)).at(DVec3::Y * 0.1)).unwrap();
    let before = world.hash();
    let nowhere = Pose::from_translation(DVec3::new(f64::NAN, 0.0, 0.0));
    let text = world.set_pose(body, nowhere).unwrap_err().to_string();
    assert!(text.contains("not finite"), "{text}");
    let squashed = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.5), translation: DVec3::ZERO };
    assert!(world.set_pose(body, squashed).is_err());
    assert!(world.add_body(&dynamic(&cube(0.05), rough(0.3)).in_pose(nowhere)).is_err());
    let runaway = dynamic(&cube(0.05), rough(0.3)).moving(DVec3::X * f64::INFINITY, DVec3::ZERO);
    assert!(world.add_body(&runaway).is_err());
    assert_eq!((world.hash(), world.body_count()), (before, 2));
    world.advance();
    assert!(world.is_finite());
}

/// A sheet has no volume, so a density gives it no mass: the error says so.
#[test]
fn an_open_sheet_with_a_density_is_refused() {
    let text = world(1.0 / 60.0).add_body(&dynamic(&sheet(1.0), rough(0.3))).unwrap_err().to_string();
    assert!(text.contains("closed") || text.contains("volume"), "{text}");
}

#[test]
fn impossible_options_are_refused() {
    let good = SolidOptions::default();
    for solid in [
        SolidOptions { guard_share: 0.0, ..good },
        SolidOptions { min_guard: f64::NAN, ..good },
        SolidOptions { max_guard: -1.0, ..good },
        SolidOptions { min_guard: 1e-3, ..good },
        SolidOptions { max_looks: 0, ..good },
        SolidOptions { max_iterations: 0, ..good },
        SolidOptions { max_parts: 0, ..good },
    ] {
        let error = World::new(WorldOptions { solid, ..WorldOptions::default() }).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("guard") || error.to_string().contains("looks"), "{error}");
    }
}

//! Scenes of Rigid IPC: what is read, what is built, and what is refused with its place.

use glam::{BVec3, DVec3};
use prall_dynamics::{BodyHandle, BodyKind, Locked, World};
use prall_math::Twist;
use prall_scenes::file::{RigidIpcMesh, RigidIpcScene, RigidIpcSize};
use prall_scenes::{Budget, FileScene, Input, Simulation};
use std::path::{Path, PathBuf};

/// A unit cube about the origin, by its eight corners.
const CUBE: &str = "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\n\
    f 1 4 3\nf 1 3 2\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 4 8 7\nf 4 7 3\nf 1 5 8\nf 1 8 4\nf 2 3 7\nf 2 7 6\n";

/// A square of 10 x 10 m in the plane y = 0.
const PLANE: &str = "v -5 0 -5\nv -5 0 5\nv 5 0 5\nv 5 0 -5\nf 1 2 3\nf 1 3 4\n";

/// A folder of its own for a test, laid out as their repository is: `fixtures/NAME.json` and `meshes/`.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let root = std::env::temp_dir().join(format!("prall-rigid-ipc-{test}-{}", std::process::id()));
        std::fs::create_dir_all(root.join("fixtures/deep")).unwrap();
        std::fs::create_dir_all(root.join("meshes/sub")).unwrap();
        let folder = Folder(root);
        folder.mesh("cube.obj", CUBE);
        folder.mesh("sub/plane.obj", PLANE);
        folder
    }

    fn mesh(&self, name: &str, text: &str) {
        std::fs::write(self.0.join("meshes").join(name), text).unwrap();
    }

    fn scene(&self, text: &str) -> PathBuf {
        let path = self.0.join("fixtures/deep/scene.json");
        std::fs::write(&path, text).unwrap();
        path
    }

    fn open(&self, bodies: &str) -> FileScene {
        FileScene::read(self.scene(&wrapped(bodies))).unwrap()
    }

    fn refusal(&self, bodies: &str) -> String {
        FileScene::read(self.scene(&wrapped(bodies))).err().expect("it must be refused").to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bodies begin in line 4.
fn wrapped(bodies: &str) -> String {
    format!(
        "{{\"scene_type\": \"distance_barrier_rb_problem\", \"timestep\": 0.01, \"max_time\": 2.5,\n\
         \"rigid_body_problem\": {{\"gravity\": [0, -9.8, 0], \"coefficient_friction\": 0.25,\n\
         \"rigid_bodies\": [\n{bodies}\n]}}}}"
    )
}

fn read(bodies: &str) -> RigidIpcScene {
    RigidIpcScene::from_json(&wrapped(bodies), "scene.json").unwrap()
}

fn wrong(bodies: &str) -> String {
    RigidIpcScene::from_json(&wrapped(bodies), "scene.json").unwrap_err().to_string()
}

fn handles(world: &World) -> Vec<BodyHandle> {
    world.body_handles().collect()
}

fn run(simulation: &mut dyn Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step(&Input::default(), &mut Budget::unlimited());
    }
}

#[test]
fn what_a_file_does_not_say_is_what_their_program_takes() {
    let text = r#"{"rigid_body_problem": {"rigid_bodies": [{"mesh": "cube.obj"}]}}"#;
    let scene = RigidIpcScene::from_json(text, "scene.json").unwrap();
    assert_eq!((scene.step, scene.duration, scene.friction), (0.01, None, 0.0));
    assert_eq!(scene.gravity, DVec3::ZERO);
    let body = &scene.bodies[0];
    assert_eq!((body.density, body.kind, body.locked), (1000.0, BodyKind::Dynamic, Locked::NOTHING));
    assert_eq!((body.group, body.split, body.moves_until), (None, false, None));
    assert_eq!((body.size, body.name.as_str()), (RigidIpcSize::Scale(DVec3::ONE), "cube 0"));
}

#[test]
fn durations_are_seconds_or_steps() {
    let duration = |keys: &str| {
        let text = format!(r#"{{"timestep": 0.5, {keys} "rigid_body_problem": {{"rigid_bodies": []}}}}"#);
        RigidIpcScene::from_json(&text, "scene.json").unwrap().duration
    };
    assert_eq!(duration(r#""max_time": 3,"#), Some(3.0));
    assert_eq!(duration(r#""max_iterations": 100,"#), Some(50.0));
    assert_eq!(duration(r#""max_time": -1, "max_iterations": -1,"#), None);
    assert_eq!(duration(""), None);
}

#[test]
fn every_field_of_a_body_is_read() {
    let scene = read(
        r##"{"mesh": "a/link.obj", "position": [1, 2, 3], "rotation": [90, 0, 90], "scale": 2, "dimensions": [1, 2, 4],
            "density": 7, "linear_velocity": [1, 2, 3], "angular_velocity": [0, 180, 90], "force": [5, 0, 0],
            "torque": [0, 0, 180], "is_dof_fixed": [true, false, false, false, true, false], "group_id": 4,
            "split_components": true, "#type": "static", "oriented": true},
           {"enabled": false},
           {"mesh": "b.obj", "scale": [1, 2, 3], "type": "kinematic", "kinematic_max_time": 0.25, "linear_velocity": [0, 1, 0],
            "kinematic_poses": [{"position": [0, 1, 0]}, {"position": [0, 2, 0], "rotation": [0, 0, 1]}]},
           {"vertices": [[0,0,0],[1,0,0],[0,1,0]], "faces": [[0,1,2]], "is_dof_fixed": true}"##,
    );
    let [first, second, third] = scene.bodies.as_slice() else { panic!("{:?}", scene.bodies) };
    assert_eq!(first.mesh, RigidIpcMesh::File("a/link.obj".to_owned()));
    assert_eq!(first.size, RigidIpcSize::Dimensions(DVec3::new(1.0, 2.0, 4.0)));
    // Their program divides the edges by 1 where the mesh is flat.
    assert_eq!(first.scale(DVec3::new(2.0, 0.0, 2.0)), Some(DVec3::new(0.5, 2.0, 2.0)));
    let locked =
        Locked { translation: BVec3::new(true, false, false), rotation: BVec3::new(false, true, false) };
    assert_eq!(first.locked, locked);
    // What is not free does not move.
    let half_pi = std::f64::consts::FRAC_PI_2;
    let velocity = Twist { linear: DVec3::new(0.0, 2.0, 3.0), angular: DVec3::Z * half_pi };
    assert_eq!(first.velocity, velocity);
    assert_eq!((first.force, first.torque), (DVec3::X * 5.0, DVec3::Z * std::f64::consts::PI));
    assert!(first.split && first.group.is_some());
    // About x first: y goes to z and stays there; z goes to -y, and that to x.
    let turned = first.orientation() * DVec3::Y;
    assert!((turned - DVec3::Z).length() < 1e-15, "{turned}");
    assert!((first.orientation() * DVec3::Z - DVec3::X).length() < 1e-15);
    assert_eq!((second.index, second.kind, second.moves_until), (2, BodyKind::Kinematic, Some(0.25)));
    assert_eq!((second.poses.len(), second.poses[1].turn), (2, DVec3::Z));
    assert_eq!((third.kind, third.name.as_str()), (BodyKind::Fixed, "body 3"));
    assert!(matches!(&third.mesh, RigidIpcMesh::Inline { triangles, .. } if *triangles == [[0, 1, 2]]));
}

/// Fixed and kinematic bodies are one group, and so is a dynamic body with the number of one of them.
#[test]
fn groups_are_joined_as_their_program_joins_them() {
    let scene = read(
        r#"{"mesh": "a", "type": "static", "group_id": 7}, {"mesh": "a", "type": "kinematic"}, {"mesh": "a", "group_id": 7},
           {"mesh": "a", "group_id": 3}, {"mesh": "a"}, {"mesh": "a", "group_id": 3}"#,
    );
    let groups: Vec<_> = scene.bodies.iter().map(|body| body.group).collect();
    assert_eq!(groups[0], groups[1]);
    assert_eq!(groups[0], groups[2]);
    assert_eq!(groups[3], groups[5]);
    assert_ne!(groups[0], groups[3]);
    assert_eq!(groups[4], None);
}

#[test]
fn what_is_wrong_is_said_with_line_column_and_key_path() {
    let cases = [
        (r#"{"mesh": 3}"#, "scene.json:4:10: rigid_body_problem.rigid_bodies[0].mesh: this is a number"),
        (r#"{"mesh": "a", "scale": "x"}"#, "4:24: rigid_body_problem.rigid_bodies[0].scale: this is a text"),
        (
            "{\"mesh\": \"a\"},\n {\"mesh\": \"a\",\n \"position\": [0, 1]}",
            "6:14: rigid_body_problem.rigid_bodies[1].position",
        ),
        (
            r#"{"mesh": "a", "position": [0, 1e999, 0]}"#,
            "4:31: rigid_body_problem.rigid_bodies[0].position[1]: number out of range",
        ),
        (r#"{"mesh": "a", "density": -1}"#, "rigid_bodies[0].density: -1 must be above 0"),
        (r#"{"mesh": "a", "is_dof_fixed": [true]}"#, "is_dof_fixed: the list has 1 entries"),
        (r#"{"mesh": "a", "type": "statick"}"#, "did you mean 'static'?"),
        (r#"{"mesh": "a", "rotations": [0, 0, 0]}"#, "did you mean 'rotation'?"),
        (
            r#"{"mesh": "a", "mesh": "b"}"#,
            "4:23: rigid_body_problem.rigid_bodies[0].mesh: the key is given twice",
        ),
        (r#"{"position": [0, 0, 0]}"#, "4:1: rigid_body_problem.rigid_bodies[0]: the body has no shape"),
        (
            r#"{"vertices": [[0,0,0],[1,0,0]], "edges": [[0,1]]}"#,
            "rigid_bodies[0]: the body consists of points or edges",
        ),
        (r#"{"vertices": [[0,0,0]], "faces": [[0,1,2]]}"#, "faces[0][1]: there is no vertex 1"),
        (r#"{"mesh": "a", "rotation": 45}"#, "scenes in the plane are not read"),
        (
            r#"{"mesh": "a", "enabled": 1}"#,
            "rigid_bodies[0].enabled: this is a number, but must be true or false",
        ),
        (r#"{"mesh": "a", "group_id": 1.5}"#, "group_id: this is a number, but must be a whole number"),
        (r#"{"mesh": NaN}"#, "4:10: this is no JSON"),
    ];
    for (bodies, expected) in cases {
        let message = wrong(bodies);
        assert!(message.contains(expected), "{message}\ninstead of {expected}");
    }
    let other = RigidIpcScene::from_json("{\"a\": 1}", "x.json").unwrap_err().to_string();
    assert!(other.contains("x.json:1:1") && other.contains("rigid_body_problem"), "{other}");
    let cut = RigidIpcScene::from_json("{\"a\": [1,\n", "x.json").unwrap_err().to_string();
    assert!(cut.starts_with("x.json:2:"), "{cut}");
}

#[test]
fn unknown_keys_are_passed_over_and_noted() {
    let scene = read(r#"{"mesh": "a", "colour": "red"}"#);
    assert_eq!(scene.notes.len(), 1);
    assert!(
        scene.notes[0].contains("scene.json:4:25") && scene.notes[0].contains("colour"),
        "{:?}",
        scene.notes
    );
}

#[test]
fn meshes_are_found_above_the_scene_and_weighed_by_volume_or_area() {
    let folder = Folder::new("weights");
    let scene = folder.open(
        r#"{"mesh": "cube.obj", "density": 10, "scale": 2, "position": [0, 5, 0], "rotation": [0, 0, 30]},
           {"mesh": "sub/plane.obj", "density": 3, "position": [0, 20, 0]},
           {"mesh": "sub/plane.obj", "type": "static"}"#,
    );
    assert_eq!((scene.title(), scene.duration(), scene.notes()), ("scene", Some(2.5), [].as_slice()));
    let simulation = scene.build();
    assert_eq!(simulation.time_step(), 0.01);
    let world = simulation.world().unwrap();
    let bodies = handles(world);
    assert!((world.mass(bodies[0]).unwrap() - 80.0).abs() < 1e-9);
    assert!((world.mass(bodies[1]).unwrap() - 300.0).abs() < 1e-9);
    assert_eq!(world.kind(bodies[2]).unwrap(), BodyKind::Fixed);
    let material = world.material(bodies[0]).unwrap();
    assert_eq!(
        (material.static_friction, material.dynamic_friction, material.restitution),
        (0.25, 0.25, 0.0)
    );
}

#[test]
fn meshes_that_cannot_be_run_are_refused_with_their_body_and_place() {
    let folder = Folder::new("refused");
    folder.mesh("points.obj", "v 0 0 0\nv 1 0 0\n");
    folder.mesh("edges.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n");
    folder.mesh("loose.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 1 2 3\n");
    folder.mesh("broken.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n");
    let first = "{\"mesh\": \"cube.obj\"},\n";
    for (name, expected) in [
        ("missing.obj", "there is no mesh 'missing.obj'"),
        ("points.obj", "points or edges without faces"),
        ("edges.obj", "edges without faces"),
        ("loose.obj", "points that belong to no face"),
        ("broken.obj", "broken.obj"),
    ] {
        let message = folder.refusal(&format!("{first}{{\"mesh\": \"{name}\"}}"));
        let place = message.contains("scene.json:5:10: body 1: ");
        assert!(place && message.contains(expected), "{message}");
    }
}

/// A sheet may be told that it is flat, and a mirrored body still looks outward.
#[test]
fn sizes_may_mirror_but_not_flatten() {
    let folder = Folder::new("sizes");
    let scene = folder.open(
        r#"{"mesh": "cube.obj", "scale": [2, 1, -1]},
           {"mesh": "sub/plane.obj", "dimensions": [4, 0, 3], "density": 1, "position": [0, 9, 0]}"#,
    );
    assert!(scene.notes().is_empty(), "{:?}", scene.notes());
    let simulation = scene.build();
    let world = simulation.world().unwrap();
    let masses: Vec<f64> = handles(world).iter().map(|&body| world.mass(body).unwrap()).collect();
    assert!((masses[0] - 2000.0).abs() < 1e-9 && (masses[1] - 12.0).abs() < 1e-12, "{masses:?}");
    for wrong in [r#""scale": [1, 0, 1]"#, r#""dimensions": [1, 1, 0]"#, r#""scale": 0"#] {
        let message = folder.refusal(&format!("{{\"mesh\": \"cube.obj\", {wrong}}}"));
        assert!(message.contains("4:10: body 0: ") && message.contains("no extent left"), "{message}");
    }
}

#[test]
fn connected_pieces_become_bodies_where_asked() {
    let folder = Folder::new("split");
    let second = CUBE.lines().map(|line| match line.strip_prefix("v ") {
        Some(corner) => {
            let mut numbers: Vec<f64> = corner.split(' ').map(|number| number.parse().unwrap()).collect();
            numbers[0] += 3.0;
            format!("v {} {} {}\n", numbers[0], numbers[1], numbers[2])
        }
        None => {
            let corners = line[2..].split(' ').map(|corner| corner.parse::<u32>().unwrap() + 8);
            format!("f {}\n", corners.map(|corner| corner.to_string()).collect::<Vec<_>>().join(" "))
        }
    });
    folder.mesh("two.obj", &(CUBE.to_owned() + &second.collect::<String>()));
    let scene = folder
        .open(r#"{"mesh": "two.obj", "split_components": true}, {"mesh": "two.obj", "position": [0, 9, 0]}"#);
    let simulation = scene.build();
    let world = simulation.world().unwrap();
    let bodies = handles(world);
    assert_eq!(bodies.len(), 3);
    assert!((world.centre_of_mass(bodies[1]).unwrap() - DVec3::X * 3.0).length() < 1e-12);
    assert!((world.mass(bodies[2]).unwrap() - 2000.0).abs() < 1e-9);
}

#[test]
fn faces_that_look_inward_are_turned_and_that_is_noted() {
    let folder = Folder::new("inward");
    let turned = CUBE.lines().map(|line| match line.strip_prefix("f ") {
        Some(corners) => {
            let reversed: Vec<&str> = corners.split(' ').rev().collect();
            format!("f {}\n", reversed.join(" "))
        }
        None => format!("{line}\n"),
    });
    folder.mesh("inward.obj", &turned.collect::<String>());
    let scene = folder.open(r#"{"mesh": "inward.obj"}"#);
    assert!(scene.notes()[0].contains("12 faces were turned"), "{:?}", scene.notes());
    let simulation = scene.build();
    let world = simulation.world().unwrap();
    assert!((world.mass(handles(world)[0]).unwrap() - 1000.0).abs() < 1e-9);
}

#[test]
fn bodies_that_overlap_at_the_start_are_named() {
    let folder = Folder::new("overlap");
    let scene = folder.open(
        r#"{"mesh": "cube.obj"}, {"mesh": "cube.obj", "position": [0.9, 0.1, 0]}, {"mesh": "cube.obj", "position": [3, 0, 0]},
           {"mesh": "cube.obj", "group_id": 1, "position": [0, 5, 0]}, {"mesh": "cube.obj", "group_id": 1, "position": [0, 5.1, 0]}"#,
    );
    assert_eq!(scene.notes(), ["cube 0 and cube 1 overlap or touch at the start"]);
}

/// Poses are taken one a step, then the velocity goes on; the state alone decides, so a restored run does the same.
#[test]
fn prescribed_motions_are_followed() {
    let folder = Folder::new("prescribed");
    let scene = folder.open(
        r#"{"mesh": "cube.obj", "type": "kinematic", "linear_velocity": [1, 0, 0],
            "kinematic_poses": [{"position": [0, 1, 0]}, {"position": [0, 2, 0], "rotation": [0, 0, 0.5]}]},
           {"mesh": "cube.obj", "position": [9, 0, 0], "type": "kinematic", "angular_velocity": [0, 0, 90], "kinematic_max_time": 0.1},
           {"mesh": "cube.obj", "position": [-9, 0, 0], "force": [0, 9800, 0], "torque": [0, 0, 180]}"#,
    );
    let mut simulation = scene.build();
    let place = |simulation: &dyn Simulation, body: usize| {
        let world = simulation.world().unwrap();
        world.pose(handles(world)[body]).unwrap()
    };
    run(simulation.as_mut(), 1);
    assert!((place(simulation.as_ref(), 0).translation - DVec3::Y).length() < 1e-12);
    let saved = simulation.save();
    run(simulation.as_mut(), 1);
    let second = place(simulation.as_ref(), 0);
    assert!((second.translation - DVec3::Y * 2.0).length() < 1e-12);
    let (sine, cosine) = libm::sincos(0.5);
    assert!((second.rotation * DVec3::X - DVec3::new(cosine, sine, 0.0)).length() < 1e-12);
    run(simulation.as_mut(), 18);
    // 18 steps of 0.01 s with 1 m/s; the other turned by 90 degrees/s for a tenth of a second.
    assert!((place(simulation.as_ref(), 0).translation - DVec3::new(0.18, 2.0, 0.0)).length() < 1e-9);
    let (sine, cosine) = libm::sincos(9_f64.to_radians());
    let turned = place(simulation.as_ref(), 1).rotation * DVec3::X;
    assert!((turned - DVec3::new(cosine, sine, 0.0)).length() < 1e-9, "{turned}");
    // A force of its weight holds it, and pi N m turn 1000/6 kg m^2.
    let world = simulation.world().unwrap();
    let held = world.velocity(handles(world)[2]).unwrap();
    assert!(held.linear.length() < 1e-9, "{held:?}");
    assert!((held.angular.z - std::f64::consts::PI * 0.2 / (1000.0 / 6.0)).abs() < 1e-12);
    let hash = simulation.hash();
    simulation.restore(&saved).unwrap();
    run(simulation.as_mut(), 19);
    assert_eq!(simulation.hash(), hash);
}

/// A kinematic body turns about its centre of mass, wherever the mesh's origin is.
#[test]
fn a_kinematic_body_turns_about_its_centre_of_mass() {
    let folder = Folder::new("centre");
    folder.mesh("wedge.obj", "v 1 0 0\nv 3 0 0\nv 1 2 0\nv 1 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    let scene = folder.open(r#"{"mesh": "wedge.obj", "type": "kinematic", "angular_velocity": [0, 0, 360], "rotation": [0, 0, 40]}"#);
    let mut simulation = scene.build();
    let centre = |simulation: &dyn Simulation| {
        let world = simulation.world().unwrap();
        world.pose(handles(world)[0]).unwrap().translation
    };
    let start = centre(simulation.as_ref());
    let (sine, cosine) = libm::sincos(40_f64.to_radians());
    let expected = DVec3::new(1.5 * cosine - 0.5 * sine, 1.5 * sine + 0.5 * cosine, 0.5);
    assert!((start - expected).length() < 1e-12, "{start}");
    run(simulation.as_mut(), 30);
    assert!((centre(simulation.as_ref()) - start).length() < 1e-12);
}

#[test]
fn locked_freedoms_are_the_world_s() {
    let folder = Folder::new("locked");
    let scene = folder.open(r#"{"mesh": "cube.obj", "is_dof_fixed": [true, true, true, true, true, false]}"#);
    let mut simulation = scene.build();
    let locked = |simulation: &dyn Simulation| {
        let world = simulation.world().unwrap();
        world.locked(handles(world)[0]).unwrap()
    };
    let expected = Locked { translation: BVec3::TRUE, rotation: BVec3::new(true, true, false) };
    assert_eq!(locked(simulation.as_ref()), expected);
    let saved = simulation.save();
    simulation.restore(&saved).unwrap();
    assert_eq!(locked(simulation.as_ref()), expected);
}

#[test]
fn a_file_that_is_not_there_says_so() {
    let message = FileScene::read(Path::new("no/such/scene.json")).err().unwrap().to_string();
    assert!(message.contains("no/such/scene.json:1:1: the file cannot be read"), "{message}");
}

//! Robots whose meshes are not there are read without them: a note says which links lack what, and rods show the links that have no shape left.

mod folder;

use folder::Folder;
use glam::DVec3;
use prall_scenes::{Budget, FileScene, Frame, Input};

/// Two hinges about z at heights 0.5 and 1.5, and shapes of the three links.
fn robot(base: &str, upper: &str, lower: &str) -> String {
    let link = |name: &str, shapes: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>{shapes}</link>\n"
        )
    };
    let joint = |name: &str, [parent, child]: [&str; 2], height: f64| {
        format!(
            "<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/><origin xyz='0 0 {height}'/><axis xyz='0 0 1'/></joint>\n"
        )
    };
    let links = [link("base", base), link("upper", upper), link("lower", lower)].concat();
    let joints =
        [joint("shoulder", ["base", "upper"], 0.5), joint("elbow", ["upper", "lower"], 1.0)].concat();
    format!("<robot name='r'>\n{links}{joints}</robot>")
}

fn shape(geometry: &str) -> String {
    format!("<collision><geometry>{geometry}</geometry></collision>")
}

fn mesh(file: &str) -> String {
    shape(&format!("<mesh filename='{file}'/>"))
}

/// Names of what is drawn, with the middle of each.
fn drawn(scene: &FileScene) -> Vec<(String, DVec3)> {
    let mut scene = scene.build();
    let mut frame = Frame::default();
    scene.frame(&mut frame);
    let names = scene.assets().bodies.iter().map(|body| body.name.clone());
    let drawn = names.zip(frame.poses.iter().map(|pose| pose.translation)).collect();
    for _ in 0..20 {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
    assert!(scene.is_finite());
    drawn
}

fn near(found: DVec3, wanted: DVec3) -> bool {
    found.distance(wanted) < 1e-9
}

#[test]
fn a_note_says_which_links_lack_their_meshes() {
    let folder = Folder::new("some-missing");
    let lower = mesh("package://arm_description/lower.stl") + &shape("<sphere radius='0.1'/>");
    let upper = mesh("package://arm_description/upper.stl");
    let scene =
        FileScene::read(folder.write("arm.urdf", &robot(&shape("<box size='1 1 0.1'/>"), &upper, &lower)))
            .unwrap();
    assert_eq!(
        scene.notes(),
        [
            "2 of 2 mesh files are not there: 'package://arm_description/lower.stl', 'package://arm_description/upper.stl'; \
          without a collision shape, and drawn as rods: 'upper'; without some of their collision shapes: 'lower'; \
          package 'arm_description': no folder of that name, or with a package.xml of that name, is beside the file, above it, in ROS_PACKAGE_PATH or in AMENT_PREFIX_PATH; \
          say where it is with --package arm_description=DIR"
        ]
    );
    // The page shows it too.
    assert!(scene.description().contains("Note: 2 of 2 mesh files are not there"), "{}", scene.description());
    assert_eq!(scene.missing_meshes(), 2);
    let drawn = drawn(&scene);
    let names: Vec<&str> = drawn.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["base", "upper", "lower"]);
    // From the shoulder to the elbow; y is up.
    assert!(near(drawn[1].1, DVec3::Y * 1.0), "{drawn:?}");
}

/// Nothing of the robot can be touched, but all of it is seen: rods from joint to joint, and a ball where no joint follows.
#[test]
fn a_robot_without_any_shape_is_drawn_as_rods() {
    let folder = Folder::new("all-missing");
    let gone =
        FileScene::read(folder.write("gone.urdf", &robot("", &mesh("a.stl"), &mesh("b.stl")))).unwrap();
    let note = gone.notes().concat();
    assert!(note.contains("no link has a collision shape, so the robot touches nothing"), "{note}");
    assert!(note.contains("a.stl: No such file") && note.contains("b.stl: No such file"), "{note}");
    let none = FileScene::read(folder.write("none.urdf", &robot("", "", ""))).unwrap();
    assert_eq!(none.notes(), [""; 0]);
    for scene in [gone, none] {
        let drawn = drawn(&scene);
        let wanted = [("base", 0.25), ("upper", 1.0), ("lower", 1.5)];
        assert_eq!(drawn.len(), wanted.len(), "{drawn:?}");
        for ((name, middle), (known, height)) in drawn.iter().zip(wanted) {
            assert!(name == known && near(*middle, DVec3::Y * height), "{drawn:?}");
        }
    }
    let alone = folder.write("alone.urdf", "<robot name='r'><link name='only'/></robot>");
    assert_eq!(drawn(&FileScene::read(alone).unwrap()).len(), 1);
}

/// Two robots of a scene lack meshes of the same names; their links have prefixes.
#[test]
fn robots_of_a_scene_lack_their_own_meshes() {
    let folder = Folder::new("two-missing");
    folder.write("arm.urdf", &robot(&shape("<box size='1 1 0.1'/>"), &mesh("gone.stl"), ""));
    let machine = |prefix: &str, x: f64| {
        format!(
            "[[mechanisms]]\nname = '{prefix}'\nurdf = 'arm.urdf'\nprefix = '{prefix} '\nposition = [{x}, 0, 0]\n"
        )
    };
    let text = format!("title = 'two'\nground = false\n{}{}", machine("left", -1.0), machine("right", 1.0));
    let scene = FileScene::read(folder.write("two.toml", &text)).unwrap();
    let notes = scene.notes();
    assert!(
        notes.len() == 2 && notes[0].contains("'left upper'") && notes[1].contains("'right upper'"),
        "{notes:?}"
    );
    let drawn = drawn(&scene);
    for (name, x) in [("left upper", -1.0), ("right upper", 1.0)] {
        let (_, middle) = drawn.iter().find(|(own, _)| own == name).unwrap();
        assert!(near(*middle, DVec3::new(x, 1.0, 0.0)), "{drawn:?}");
    }
}

//! Robots whose files leave something out or contradict themselves, as public ones do: each loads, and a note says what was put in its place.

mod folder;

use folder::Folder;
use glam::DVec3;
use prall_scenes::file::SceneDescription;
use prall_scenes::{Budget, FileScene, Frame, Input, Simulation};

impl Folder {
    /// The robot of a text, and what a person should know about it.
    fn open(&self, text: &str) -> (Box<dyn Simulation>, &'static [String]) {
        let read =
            FileScene::read(self.write("robot.urdf", text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
        (read.build(), read.notes())
    }
}

const ARM: &str = r#"<link name="base"/>
<link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>"#;

const CLOSED: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

fn robot(text: &str) -> String {
    format!("<robot name=\"r\">\n{text}\n</robot>")
}

fn run(scene: &mut dyn Simulation, seconds: f64) {
    for _ in 0..(seconds / scene.time_step()).round() as usize {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
    assert!(scene.is_finite());
}

fn place(scene: &dyn Simulation, body: &str) -> prall_math::Pose {
    let index = scene.assets().bodies.iter().position(|other| other.name == body).unwrap();
    let mut frame = Frame::default();
    scene.frame(&mut frame);
    frame.poses[index]
}

#[test]
fn a_whole_robot_has_no_notes() {
    let (_, notes) = Folder::new("whole").open(&robot(ARM));
    assert!(notes.is_empty(), "{notes:?}");
}

/// What each slip of a public robot leads to: the words of its note. The robot moves as numbers all the same.
#[test]
fn slips_of_public_robots_are_read_and_noted() {
    let folder = Folder::new("slips");
    std::fs::write(folder.0.join("closed.obj"), CLOSED).unwrap();
    let inertia = r#"<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>"#;
    let limit = r#"<limit lower="-3" upper="3" effort="1" velocity="1"/>"#;
    let shape = |geometry: &str| format!("</inertial><collision><geometry>{geometry}</geometry></collision>");
    for (from, to, note) in [
        (
            inertia,
            String::new(),
            "link 'arm': it has a mass of 2 kg and no inertia; that of a ball of water is taken",
        ),
        (inertia, inertia.replace("0.1", "0"), "no inertia; that of a ball of water"),
        (
            r#"ixx="0.1" iyy="0.1""#,
            r#"ixx="0.01" iyy="0.02""#.to_owned(),
            "link 'arm': no body has the principal moments",
        ),
        (r#"izz="0.1""#, r#"izz="-0.01""#.to_owned(), "link 'arm': no body has the principal moments"),
        (
            r#"<mass value="2"/>"#,
            String::new(),
            "link 'arm': it moves and has no mass; 1.000e-2 kg of a small ball",
        ),
        (limit, String::new(), "joint 'shoulder': it names no limits"),
        (limit, r#"<limit effort="1"/>"#.to_owned(), "neither lower nor upper"),
        (
            limit,
            r#"<limit lower="1" upper="-1"/>"#.to_owned(),
            "joint 'shoulder': its limits go from 1 to -1",
        ),
        (limit, limit.repeat(2), "joint 'shoulder': it has 2 <limit>; the first counts"),
        ("</inertial>", shape("<plane normal=\"0 0 1\"/>"), "link 'arm': <plane> is no geometry of URDF"),
        ("</inertial>", shape(""), "link 'arm': a collision has no geometry"),
        ("</inertial>", shape("<sphere radius=\"0\"/>"), "link 'arm': a <sphere> of no size is left out"),
        ("</inertial>", shape("<box size=\"1 0 1\"/>"), "link 'arm': a <box> of no size is left out"),
        (
            "</inertial>",
            shape("<mesh filename=\"closed.obj\" scale=\"0.1 0.1 0.1 1\"/>"),
            "link 'arm': the scale of a mesh has 4 numbers; the first three count",
        ),
        (
            "</inertial>",
            shape("<mesh filename=\"closed.obj\" scale=\"0.1\"/>"),
            "link 'arm': the scale of a mesh is one number, 0.1; it counts for all axes",
        ),
        (
            r#"<mass value="2"/>"#,
            r#"<mass value="1e-300"/>"#.to_owned(),
            "link 'arm': it moves and has no mass",
        ),
    ] {
        let text = robot(&ARM.replacen(from, &to, 1));
        let (mut scene, notes) = folder.open(&text);
        assert!(notes.len() == 1 && notes[0].contains(note), "{notes:?} is not '{note}'");
        run(scene.as_mut(), 0.2);
    }
    for (from, to) in [
        (" effort=\"1\" velocity=\"1\"", ""),
        (r#"xyz="0 0 -0.5""#, r#"xyz="0, 0, -0.5""#),
        ("<link name=\"base\"/>", "<link name=\"base\"><sensor:x/></link>"),
    ] {
        let (_, notes) = folder.open(&robot(&ARM.replacen(from, to, 1)));
        assert!(notes.is_empty(), "{notes:?}");
    }
}

/// The moments 1, 2 and 5 belong to no body. Those next to them, by second moments, are of a plate: 1.5 + 3.5 = 5, and 0.35 % for its thickness.
#[test]
fn an_impossible_inertia_becomes_the_possible_next_to_it() {
    let text = robot(ARM).replace("ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\"", "ixx=\"1\" iyy=\"2\" izz=\"5\"");
    let scene = SceneDescription::from_urdf(&text, "r.urdf").unwrap();
    let mass = scene.bodies.iter().find(|body| body.name.get_ref() == "arm").unwrap().mass.as_ref().unwrap();
    let moments = mass.get_ref().moments;
    assert!((moments - DVec3::new(2.003, 3.003, 5.0)).abs().max_element() < 1e-12, "{moments}");
    assert_eq!(mass.get_ref().mass, 2.0);
}

/// A moving link without mass gets that of its shapes as water: half a litre. One that is welded to another weighs nothing.
#[test]
fn links_without_mass_are_weighed_where_they_move() {
    let hand = r#"<link name="hand"><collision><geometry><box size="0.1 0.1 0.05"/></geometry></collision></link>
<joint name="wrist" type="TYPE"><origin xyz="0 0 -1"/><parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/></joint>"#;
    let folder = Folder::new("weighed");
    let (mut scene, notes) = folder.open(&robot(&(ARM.to_owned() + &hand.replace("TYPE", "continuous"))));
    assert!(notes.len() == 1 && notes[0].contains("5.000e-1 kg of its shapes, as water"), "{notes:?}");
    run(scene.as_mut(), 0.2);
    let (_, notes) = folder.open(&robot(&(ARM.to_owned() + &hand.replace("TYPE", "fixed"))));
    assert!(notes.is_empty(), "{notes:?}");
    // An open mesh counts as its hull: a tetrahedron without one face, of a sixth of a cubic metre.
    std::fs::write(
        folder.0.join("open.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n",
    )
    .unwrap();
    let open =
        hand.replace("TYPE", "continuous").replace("box size=\"0.1 0.1 0.05\"", "mesh filename=\"open.obj\"");
    let (_, notes) = folder.open(&robot(&(ARM.to_owned() + &open)));
    assert!(notes.len() == 1 && notes[0].contains("1.667e2 kg of its shapes"), "{notes:?}");
}

/// A pendulum on three hinges in a row whose frames weigh nothing swings as on one of them: the others are across its motion.
#[test]
fn light_frames_between_joints_are_not_felt() {
    let virtual_joints = r#"<link name="first"/><link name="second"/>
<joint name="a" type="continuous"><parent link="base"/><child link="first"/><axis xyz="1 0 0"/></joint>
<joint name="b" type="continuous"><parent link="first"/><child link="second"/><axis xyz="0 0 1"/></joint>"#;
    let tilted = ARM.replace("xyz=\"0 0 -0.5\"", "xyz=\"0.3 0 -0.4\"").replace(
        "</inertial>",
        "</inertial><collision><geometry><sphere radius=\"0.1\"/></geometry></collision>",
    );
    let loose = tilted.replace("parent link=\"base\"", "parent link=\"second\"") + virtual_joints;
    let folder = Folder::new("frames");
    let (mut one, _) = folder.open(&robot(&tilted));
    let (mut three, notes) = folder.open(&robot(&loose));
    assert_eq!(notes.len(), 2, "{notes:?}");
    run(one.as_mut(), 0.5);
    run(three.as_mut(), 0.5);
    let centre = |scene: &dyn Simulation| place(scene, "arm").transform_point(DVec3::new(0.3, 0.0, -0.4));
    let apart = centre(one.as_ref()).distance(centre(three.as_ref()));
    assert!(apart < 1e-3, "{apart} m");
}

/// Names that are taken for granted: the world, and a link that is called like it.
#[test]
fn a_robot_may_be_held_by_the_world_and_stand_on_a_link_named_ground() {
    let folder = Folder::new("names");
    let (_, notes) =
        folder.open(&robot(&ARM.replace("<link name=\"base\"/>", "").replace("\"base\"", "\"world\"")));
    assert!(notes.is_empty(), "{notes:?}");
    let text = robot(&ARM.replace("\"base\"", "\"ground\""));
    let (_, notes) = folder.open(&text);
    assert!(notes.len() == 1 && notes[0].contains("called 'ground link' here"), "{notes:?}");
    let scene = SceneDescription::from_urdf(&text, "r.urdf").unwrap();
    assert!(scene.bodies.iter().any(|body| body.name.get_ref() == "ground link"));
}

/// A joint that repeats one that repeats another: 2 (3 q + 0.1) - 0.05. In a circle there is nobody to repeat.
#[test]
fn mimics_of_mimics_follow_the_first() {
    let finger = |name: &str, mimic: &str| {
        ARM.lines().skip(1).collect::<Vec<_>>().join("\n").replace("\"arm\"", &format!("\"{name}\"")).replace(
            "\"shoulder\" type=\"revolute\">",
            &format!("\"{name} joint\" type=\"continuous\">{mimic}"),
        )
    };
    let text = |first: &str| {
        robot(&format!(
            "<link name=\"base\"/>{}{}{}",
            finger("first", first),
            finger("second", "<mimic joint=\"first joint\" multiplier=\"3\" offset=\"0.1\"/>"),
            finger("third", "<mimic joint=\"second joint\" multiplier=\"2\" offset=\"-0.05\"/>")
        ))
    };
    let scene = SceneDescription::from_urdf(&text(""), "r.urdf").unwrap();
    let third = scene.joints.iter().find(|joint| joint.name == "third joint").unwrap();
    let follows = third.follows.as_ref().unwrap();
    assert_eq!((follows.joint.get_ref().as_str(), follows.factor), ("first joint", 6.0));
    assert!((follows.offset.to_radians() - 0.15).abs() < 1e-12, "{}", follows.offset);
    // A row of 2,000 is read, but more than 200 do not move together.
    let row: Vec<String> = (1..=2000)
        .map(|at| {
            let mimic = format!("<mimic joint=\"j{}\"/>", at - 1);
            let mimic = if at > 1 { mimic.as_str() } else { "" };
            format!(
                "<link name=\"l{at}\"/><joint name=\"j{at}\" type=\"continuous\">{mimic}\
                 <parent link=\"base\"/><child link=\"l{at}\"/></joint>"
            )
        })
        .collect();
    let read = |count: usize| robot(&format!("<link name=\"base\"/>{}", row[..count].concat()));
    SceneDescription::from_urdf(&read(2000), "r.urdf").unwrap();
    let path = Folder::new("row");
    std::fs::write(path.0.join("row.urdf"), read(300)).unwrap();
    let many = FileScene::read(path.0.join("row.urdf")).err().unwrap().to_string();
    assert!(many.contains("299 joints follow others; 200 of a machine may"), "{many}");
    let circle = SceneDescription::from_urdf(&text("<mimic joint=\"third joint\"/>"), "r.urdf").unwrap_err();
    assert!(circle.to_string().contains("mimics itself"), "{circle}");
}

/// A robot that was taken out of its package finds its meshes in its folder or above, also with three slashes, without a package's name or in another case.
#[test]
fn meshes_of_a_package_that_is_gone_are_found_beside_the_robot() {
    let folder = Folder::new("beside");
    std::fs::create_dir_all(folder.0.join("meshes")).unwrap();
    std::fs::create_dir_all(folder.0.join("robots/urdf")).unwrap();
    std::fs::write(folder.0.join("meshes/arm.obj"), CLOSED).unwrap();
    let open = |named: &str| {
        let mesh =
            format!("</inertial><collision><geometry><mesh filename=\"{named}\"/></geometry></collision>");
        let path = folder.0.join("robots/urdf/robot.urdf");
        std::fs::write(&path, robot(&ARM.replace("</inertial>", &mesh))).unwrap();
        FileScene::read(path).unwrap_or_else(|error| panic!("{error}")).notes()
    };
    for named in [
        "package://gone/meshes/arm.obj",
        "package:///gone/meshes/arm.obj",
        "package://meshes/arm.obj",
        "meshes/arm.obj",
        "meshes/arm.OBJ",
        "package://gone/meshes/ARM.obj",
    ] {
        assert_eq!(open(named), [""; 0], "{named}");
    }
    let missing = open("meshes/leg.obj").concat();
    assert!(missing.contains("robots/urdf/meshes/leg.obj") && missing.contains("No such file"), "{missing}");
}

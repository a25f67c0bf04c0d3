//! Robots as they are found: meshes by package, looks and additions of other programs, xacro; and numbers that no scene can have.

mod folder;

use folder::Folder;
use prall_scenes::FileScene;
use prall_scenes::file::{SceneDescription, declare_package};
use std::path::Path;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

fn robot(mesh: &str) -> String {
    let inertia =
        "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
    format!(
        "<robot name='r'><link name='base'>{inertia}</link><link name='arm'>{inertia}\n<collision><geometry><mesh filename='{mesh}'/></geometry></collision></link>\n\
         <joint name='j' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/></joint></robot>"
    )
}

/// Opens a robot: the notes on its meshes.
fn opens(path: &Path) -> Result<(), String> {
    let scene = FileScene::read(path).unwrap_or_else(|error| panic!("{error}"));
    if scene.notes().is_empty() { Ok(()) } else { Err(scene.notes().join("\n")) }
}

/// As packages of ROS lie: the robot in one folder of the package, its meshes in another; or in a package beside it, whose folder has another name.
#[test]
fn a_mesh_is_found_by_its_package_upwards_of_the_robot() {
    let folder = Folder::new("packages");
    folder.write("arm_description/meshes/link.obj", TETRAHEDRON);
    let inside =
        folder.write("arm_description/urdf/arm.urdf", &robot("package://arm_description/meshes/link.obj"));
    opens(&inside).unwrap();
    let beside =
        folder.write("other/robots/deep/arm.urdf", &robot("package://arm_description/meshes/link.obj"));
    opens(&beside).unwrap();
    folder.write("checkout/package.xml", "<package><name> hand </name></package>");
    folder.write("checkout/meshes/link.obj", TETRAHEDRON);
    opens(&folder.write("checkout/urdf/hand.urdf", &robot("package://hand/meshes/link.obj"))).unwrap();
    let scene =
        "title = 'x'\nground = false\n[[mechanisms]]\nname = 'm'\nurdf = 'arm_description/urdf/arm.urdf'\n";
    opens(&folder.write("scene.toml", scene)).unwrap();
    let missing = opens(&folder.write("lost.urdf", &robot("package://nowhere/meshes/lost.obj"))).unwrap_err();
    assert!(
        missing.contains("package 'nowhere'")
            && missing.contains("ROS_PACKAGE_PATH")
            && missing.contains("--package nowhere=DIR"),
        "{missing}"
    );
    let empty =
        opens(&folder.write("empty.urdf", &robot("package://arm_description/meshes/none.obj"))).unwrap_err();
    assert!(empty.contains("it has no 'meshes/none.obj' in") && empty.contains("arm_description"), "{empty}");
    let elsewhere = Folder::new("elsewhere");
    elsewhere.write("some/place/meshes/lost.obj", TETRAHEDRON);
    declare_package("nowhere", elsewhere.0.join("some/place"));
    opens(&folder.0.join("lost.urdf")).unwrap();
}

/// Two materials, a colour that is no number, plugins and transmissions: none of it moves.
#[test]
fn looks_and_additions_of_other_programs_are_no_reason_to_refuse_a_robot() {
    let additions = "<material name='a'><color rgba='not a colour'/></material><material name='a'/><gazebo reference='arm'><plugin x='1'/></gazebo>\
        <transmission><type>x</type></transmission></robot>";
    let visual = "<visual><material name='a'/><material name='b'/><geometry><sphere radius='big'/></geometry></visual></link>";
    let text = robot("m.obj").replace(
        "<collision><geometry><mesh filename='m.obj'/></geometry></collision></link>",
        &format!("{visual}\n"),
    );
    let text = text.replace("</robot>", additions);
    let scene = SceneDescription::from_urdf(&text, "r.urdf").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.bodies.len(), 2);
    // What does matter is still told with its place.
    let wrong = SceneDescription::from_urdf(&text.replace("xyz='0 0 1'", "xyz='0 zero 1'"), "r.urdf")
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("r.urdf:4:") && wrong.contains("joint 'j'"), "{wrong}");
}

#[test]
fn xacro_is_told_how_to_become_urdf() {
    let text = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n  <xacro:property name='x' value='1'/></robot>";
    let error = SceneDescription::from_urdf(text, "r.urdf").unwrap_err().to_string();
    assert_eq!(
        error,
        "r.urdf:2:3: <xacro:property> is xacro, from which URDF is made; expand it first: xacro FILE > robot.urdf"
    );
}

/// Each of these panicked, aborted or never ended.
#[test]
fn numbers_that_no_scene_can_have_are_refused_with_their_place() {
    let body = "[[bodies]]\nname = 'a'\nshapes = [{ shape.box = { size = [1, 1, 1] } }]\n";
    for (text, place) in [
        (format!("title = 'x'\ngravity = [0, -inf, 0]\n{body}"), "2:15"),
        (format!("title = 'x'\ngravity = [0, nan, 0]\n{body}"), "2:15"),
        (format!("title = 'x'\nstep = 1e-300\n{body}"), "2:8"),
        (format!("title = 'x'\nstep = 1e300\n{body}"), "2:8"),
        (format!("title = 'x'\n{}", body.replace("[1, 1, 1]", "[1, 1e150, 1]")), "4:38"),
        (format!("title = 'x'\n{body}density = 1e20\n"), "5:11"),
        (format!("title = 'x'\n{body}position = [0, 9000000000000000, 0]\n"), "5:16"),
    ] {
        let error = SceneDescription::from_toml(&text, "x.toml").expect_err(&text).to_string();
        assert!(error.starts_with(&format!("x.toml:{place}: ")), "{text}: {error}");
    }
}

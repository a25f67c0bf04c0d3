//! Robots that cannot be read are refused in the words of URDF, at the place of what is wrong; and files that are none are not read at all.

use prall_scenes::FileScene;
use prall_scenes::file::SceneDescription;
use std::time::{Duration, Instant};

const INERTIA: &str =
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";

/// A robot of two links; `joint` stands in its joint, `shape` in the second link, `more` behind them.
fn robot(joint: &str, shape: &str, more: &str) -> String {
    format!(
        "<robot name='r'>\n<link name='a'>{INERTIA}</link>\n<link name='b'>{INERTIA}\n{shape}</link>\n\
         <joint name='j' type='continuous'>\n<parent link='a'/><child link='b'/>\n{joint}</joint>\n{more}</robot>"
    )
}

#[test]
fn what_is_wrong_in_a_robot_is_told_at_its_place() {
    let collision = |geometry: &str| format!("<collision><geometry>{geometry}</geometry></collision>");
    let sphere = collision("<sphere radius='-1'/>");
    let cuboid = collision("<box size='1 -1 1'/>");
    let other = "<joint name='k' type='continuous'><parent link='a'/><child link='b'/></joint>";
    let again = format!("<link name='b'>{INERTIA}</link>");
    for (text, wanted) in [
        (
            robot("<dynamics damping='-1'/>", "", ""),
            "7:20: no URDF: joint 'j': damping of <dynamics> must be 0 or more, not -1",
        ),
        (
            robot("<dynamics friction='-2'/>", "", ""),
            "7:21: no URDF: joint 'j': friction of <dynamics> must be 0 or more, not -2",
        ),
        (robot("<axis xyz='0 0 0'/>", "", ""), "7:12: no URDF: joint 'j': its axis has no direction"),
        (robot("", &sphere, ""), "4:38: no URDF: link 'b': radius of <sphere> must be 0 or more, not -1"),
        (robot("", &cuboid, ""), "4:33: no URDF: link 'b': size of <box> must be 0 or more, not -1"),
        (robot("", "", other), "link 'b' hangs on two joints, 'j' and 'k'; URDF describes trees"),
        (robot("", "", &again), "there are two links named 'b'; name each link once"),
        (robot("<axis xyz='1 0 0' xyz='0 1 0'/>", "", ""), "7:1: no URDF: the attribute xyz is there twice"),
        ("<robot name='r'></robot>".to_owned(), "1:1: no URDF: there is no <link> in it"),
    ] {
        let error = SceneDescription::from_urdf(&text, "r.urdf").expect_err(&text).to_string();
        assert!(error.starts_with("r.urdf:") && error.contains(wanted), "{error} is not '{wanted}'");
    }
}

/// What resists and what pulls back is 0 or more in scene files, too; before, a machine's node and axis were named, and other joints took it.
#[test]
fn joints_of_scenes_do_not_push_by_less_than_nothing() {
    let body = "[[bodies]]\nname = 'a'\nshapes = [{ shape.box = { size = [1, 1, 1] } }]\n";
    let joint = "[[joints]]\nname = 'j'\nkind = 'hinge'\nbodies = ['ground', 'a']\nat = [0, 0, 0]\naxis = [0, 0, 1]\n";
    for (drive, what) in [
        ("damping = -1", "damping"),
        ("friction = -1", "friction"),
        ("motor = { speed = 1, strength = -1 }", "strength of the motor"),
        ("spring = { stiffness = -1 }", "stiffness of the spring"),
        ("spring = { stiffness = 1, outer = 1, knee = -1 }", "knee of the spring"),
    ] {
        for machine in ["", "[[mechanisms]]\nname = 'm'\nbodies = ['a']\n"] {
            let text = format!("title = 'x'\n{body}{joint}drive = {{ {drive} }}\n{machine}");
            let error = SceneDescription::from_toml(&text, "x.toml").expect_err(&text).to_string();
            assert_eq!(error, format!("x.toml:7:8: the {what} of joint 'j' must be 0 or more, not -1"));
        }
    }
}

/// Each of 100,000 attributes was compared with all before it: half a minute.
#[test]
fn many_attributes_are_read_at_once() {
    let attributes: Vec<String> = (0..100_000).map(|at| format!("a{at}='1'")).collect();
    let text = format!("<robot name='r'><link name='a' {}/></robot>", attributes.join(" "));
    let begin = Instant::now();
    SceneDescription::from_urdf(&text, "r.urdf").unwrap();
    // A quarter of a second in the dev profile; no more than tells squares from lines.
    assert!(begin.elapsed() < Duration::from_secs(15));
}

#[test]
fn texts_that_are_not_utf_8_and_folders_are_refused() {
    let folder = std::env::temp_dir().join(format!("prall-refused-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("folder.urdf")).unwrap();
    std::fs::write(folder.join("latin.urdf"), b"<robot name='\xe4'><link name='a'/></robot>").unwrap();
    let message = |name: &str| FileScene::read(folder.join(name)).err().unwrap().to_string();
    let latin = message("latin.urdf");
    assert!(latin.contains("byte 14 is not UTF-8; save it as UTF-8"), "{latin}");
    let no_file = message("folder.urdf");
    assert!(no_file.contains("it is not a file"), "{no_file}");
    // A mesh that never ends would take all memory.
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/dev/zero", folder.join("endless.stl")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.join("endless.urdf")).unwrap();
        assert!(message("endless.urdf").contains("it is not a file"));
        let shape = "<collision><geometry><mesh filename='endless.stl'/></geometry></collision>";
        std::fs::write(folder.join("device.urdf"), robot("", shape, "")).unwrap();
        let device = FileScene::read(folder.join("device.urdf")).unwrap_or_else(|error| panic!("{error}"));
        assert!(device.notes()[0].contains("endless.stl: No such file"), "{:?}", device.notes());
        let scene = "title = 'x'\n[meshes]\nm = { file = 'endless.stl' }\n[[bodies]]\nname = 'b'\nshapes = [{ shape.mesh = { name = 'm' } }]\n";
        std::fs::write(folder.join("scene.toml"), scene).unwrap();
        assert!(message("scene.toml").contains("it is not a file"), "{}", message("scene.toml"));
    }
    let _ = std::fs::remove_dir_all(&folder);
}

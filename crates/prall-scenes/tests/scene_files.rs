//! Scene files: what they mean, and what is said about those that are wrong.

use glam::{DQuat, DVec3};
use prall_scenes::file::{
    JointKindName, MotionKind, RotationDescription, SceneDescription, ShapeDescription,
};

/// Rounding of degrees to radians and back.
const ROUNDING: f64 = 1e-12;

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn complaint(text: &str) -> String {
    SceneDescription::from_toml(text, "my.toml").expect_err("it is wrong").to_string()
}

#[test]
fn every_scene_file_of_the_repository_can_be_read() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            SceneDescription::read(&path).unwrap_or_else(|error| panic!("{error}"));
            count += 1;
        }
    }
    assert!(count >= 2);
}

#[test]
fn a_scene_survives_being_written_and_read_again() {
    for name in ["door.toml", "mixer.toml"] {
        let scene = SceneDescription::read(folder().join(name)).unwrap();
        let written = toml::to_string(&scene).unwrap();
        assert_eq!(SceneDescription::from_toml(&written, "again").unwrap(), scene);
    }
}

#[test]
fn what_is_left_out_has_its_default() {
    let text = "title = 'x'\n[[bodies]]\nname = 'a'\nshapes = [{ shape.sphere = { radius = 1 } }]\n";
    let scene = SceneDescription::from_toml(text, "x").unwrap();
    assert_eq!(scene.gravity, DVec3::new(0.0, -9.81, 0.0));
    assert_eq!(*scene.step.get_ref(), 1.0 / 60.0);
    let body = &scene.bodies[0];
    assert_eq!((body.kind, body.density, body.position), (MotionKind::Dynamic, 1000.0, DVec3::ZERO));
    assert_eq!(*body.shapes[0].shape.get_ref(), ShapeDescription::Sphere { radius: 1.0 });
}

#[test]
fn a_mistyped_key_is_said_with_its_place_and_the_nearest_known() {
    let text = "title = 'x'\n[[bodies]]\nname = 'a'\n  densty = 3\n";
    assert_eq!(complaint(text), "my.toml:4:3: unknown field 'densty'; did you mean 'density'?");
    let text = "title = 'x'\n\n[[bodies]]\nname = 'a'\nkind = 'fixd'\n";
    assert_eq!(complaint(text), "my.toml:5:8: unknown variant 'fixd'; did you mean 'fixed'?");
}

#[test]
fn a_name_that_is_not_there_is_said_with_the_nearest_that_is() {
    let body = "title = 'x'\n[[bodies]]\nname = 'door'\nshapes = [{ shape.sphere = { radius = 1 } }]\n";
    let joint = "[[joints]]\nkind = 'ball'\nat = [0, 0, 0]\nbodies = ['ground', 'dor']\n";
    assert_eq!(
        complaint(&format!("{body}{joint}")),
        "my.toml:8:21: no body is named 'dor'; did you mean 'door'?"
    );
    let with_material = body.replace("name", "material = 'wod'\nname") + "[materials.wood]\n";
    assert_eq!(complaint(&with_material), "my.toml:3:12: no material is named 'wod'; did you mean 'wood'?");
    let mesh = body.replace("sphere = { radius = 1 }", "mesh = { name = 'bolt' }");
    assert!(complaint(&mesh).ends_with("no mesh is named 'bolt'; none is defined"));
}

#[test]
fn every_other_mistake_has_its_line() {
    let cases = [
        ("title = 'x'\nstep = 0\n", "my.toml:2:8: the step is 0 s, but must be above 0"),
        ("title = 'x'\ntitle = 'y'\n", "my.toml:2:1:"),
        ("title = 7\n", "my.toml:1:9:"),
        ("step = 0.1\n", "my.toml:1:1: missing field `title`"),
        ("title = 'x'\n[[bodies]]\nname = 'a'\n", "my.toml:3:8: 'a' has no mass"),
        ("title = 'x'\n[[bodies]]\nname = 'ground'\n", "my.toml:3:8: a body is named 'ground'"),
        (
            "title = 'x'\n[[bodies]]\nname = 'a'\nshapes = [{ shape.sphere = { radius = -1 } }]\n",
            "my.toml:4:",
        ),
        ("title = 'x'\n[materials.ice]\nrestitution = 2\n", "my.toml:2:"),
        (
            "title = 'x'\n[[bodies]]\nname = 'a'\nkind = 'fixed'\n[[bodies]]\nname = 'a'\n",
            "my.toml:6:8: there are two bodies named 'a', the first in line 3",
        ),
        (
            "title = 'x'\n[[bodies]]\nname = 'a'\nkind = 'fixed'\n[[joints]]\nat = [0, 0, 0]\nkind = 'hinge'\nbodies = ['ground', 'a']\n",
            "my.toml:7:8: a joint of this kind needs 'axis",
        ),
        (
            "title = 'x'\n[[bodies]]\nname = 'a'\nkind = 'fixed'\n[[joints]]\nat = [0, 0, 0]\nkind = 'ball'\nbodies = ['a', 'a']\n",
            "my.toml:8:16: the joint holds 'a' to itself",
        ),
    ];
    for (text, expected) in cases {
        let said = complaint(text);
        assert!(said.starts_with(expected), "{said} instead of {expected}");
    }
    let missing = SceneDescription::read("no/such/file.toml").unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.toml:1:1: the file cannot be read"));
}

#[test]
fn rotations_survive_the_way_to_degrees_and_back() {
    for i in 0..50 {
        let angle = 0.13 * f64::from(i) - 3.1;
        let axis = DVec3::new(1.0, f64::from(i % 5), -0.5).normalize();
        let rotation = DQuat::from_axis_angle(axis, angle);
        let back = RotationDescription::from_quaternion(rotation).quaternion().unwrap();
        assert!((rotation.dot(back).abs() - 1.0).abs() < ROUNDING);
    }
}

const ARM: &str = r#"
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5"/><mass value="2"/><inertia ixx="0.2" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.01"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="1"/></geometry></collision>
  </link>
  <link name="slide">
    <inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.3" rpy="0 0 1.5707963267948966"/><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1.5707963267948966" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="rail" type="prismatic">
    <origin xyz="0 0 1"/><parent link="upper"/><child link="slide"/><axis xyz="1 0 0"/>
    <limit lower="-0.2" upper="0.4" effort="1" velocity="1"/>
  </joint>
</robot>"#;

#[test]
fn a_robot_in_urdf_stands_upright_with_its_links_where_its_joints_put_them() {
    let scene = SceneDescription::from_urdf(ARM, "arm.urdf").unwrap();
    let body = |name: &str| scene.bodies.iter().find(|body| body.name.get_ref() == name).unwrap();
    // URDF's z is our y.
    assert!((body("upper").position - DVec3::Y * 0.3).length() < ROUNDING);
    assert!((body("slide").position - DVec3::Y * 1.3).length() < ROUNDING);
    let upper = body("upper");
    let turned = upper.rotation.quaternion().unwrap();
    let axis = turned * (upper.shapes[0].rotation.quaternion().unwrap() * DVec3::Y);
    assert!((axis.abs() - DVec3::Y).length() < ROUNDING, "the cylinder stands: {axis}");
    let mass = upper.mass.as_ref().unwrap().get_ref();
    assert_eq!((mass.mass, mass.centre), (2.0, DVec3::Z * 0.5));
    let joint = |name: &str| scene.joints.iter().find(|joint| joint.name == name).unwrap();
    let shoulder = joint("shoulder");
    assert_eq!(*shoulder.kind.get_ref(), JointKindName::Hinge);
    // The axis y of the child, turned by a quarter about z, is -x of URDF and of ours.
    assert!((shoulder.axis.unwrap() - DVec3::NEG_X).length() < ROUNDING);
    assert!((shoulder.drive.limits.unwrap()[0] + 90.0).abs() < ROUNDING);
    assert_eq!(joint("rail").drive.limits, Some([-0.2, 0.4]));
    assert_eq!(*joint("base to ground").kind.get_ref(), JointKindName::Fixed);
}

#[test]
fn a_urdf_that_is_none_is_refused() {
    assert!(
        SceneDescription::from_urdf("<robot", "bad.urdf")
            .unwrap_err()
            .to_string()
            .starts_with("bad.urdf:1:1: no URDF")
    );
    let dangling = ARM.replace("<parent link=\"upper\"/>", "<parent link=\"uper\"/>");
    assert!(SceneDescription::from_urdf(&dangling, "bad.urdf").is_err());
}

const MACHINE: &str = r#"title = "arm"
[[bodies]]
name = "upper"
position = [0, 1, 0]
shapes = [{ shape.box = { size = [0.1, 0.4, 0.1] } }]
[[bodies]]
name = "lower"
position = [0, 0.6, 0]
shapes = [{ shape.box = { size = [0.1, 0.4, 0.1] } }]
[[joints]]
name = "shoulder"
kind = "hinge"
bodies = ["ground", "upper"]
at = [0, 1.2, 0]
axis = [0, 0, 1]
drive = { driven = true }
[[joints]]
name = "elbow"
kind = "hinge"
bodies = ["upper", "lower"]
at = [0, 0.8, 0]
axis = [0, 0, 1]
[[mechanisms]]
name = "arm"
bodies = ["upper", "lower"]
[[mechanisms.controls]]
key = "lift"
min = -90
max = 90
acts = [{ joint = "shoulder", as = "position" }]
"#;

/// What is wrong with a mechanism is said with its line and with what would be right.
#[test]
fn mistakes_in_mechanisms_have_their_lines() {
    assert!(SceneDescription::from_toml(MACHINE, "arm.toml").is_ok());
    for (from, to, line, words) in [
        (
            "bodies = [\"upper\", \"lower\"]\n[[mech",
            "bodies = [\"upper\", \"loer\"]\n[[mech",
            25,
            "did you mean \'lower\'?",
        ),
        (
            "bodies = [\"upper\", \"lower\"]\n[[mech",
            "bodies = [\"upper\"]\n[[mech",
            20,
            "not one of its bodies",
        ),
        ("joint = \"shoulder\", as", "joint = \"sholder\", as", 30, "did you mean \'shoulder'?"),
        ("joint = \"shoulder\", as", "joint = \"elbow\", as", 30, "driven = true"),
        ("max = 90", "max = -90", 27, "min < max"),
        (
            "kind = \"hinge\"\nbodies = [\"upper\"",
            "kind = \"distance\"\nto = [0, 0.7, 0]\nbodies = [\"upper\"",
            19,
            "no joints of this kind",
        ),
    ] {
        assert!(MACHINE.contains(from), "{from}");
        let error = SceneDescription::from_toml(&MACHINE.replacen(from, to, 1), "arm.toml").unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let circle =
        "[[joints]]\nkind = \"ball\"\nbodies = [\"lower\", \"ground\"]\nat = [0, 0.4, 0]\n[[mechanisms]]";
    let error =
        SceneDescription::from_toml(&MACHINE.replace("[[mechanisms]]", circle), "arm.toml").unwrap_err();
    assert!(error.to_string().contains("closes a circle in mechanism 'arm'"), "{error}");
    // Either of the joints that make the circle may be told.
    assert!([12, 19, 24].contains(&error.line), "{error}");
}

/// Keys of a control are checked, with their lines, and become what browsers call them.
#[test]
fn a_control_of_a_file_can_be_given_keys() {
    let with = |keys: &str| MACHINE.replace("max = 90\n", &format!("max = 90\ndriven_by = {keys}\n"));
    for (keys, words) in [
        ("{ more = ['Lft'] }", "did you mean 'Left'?"),
        ("{ more = ['W'], less = ['w'] }", "moves 'lift' already"),
        ("{ kind = 'pedal', more = ['W'], less = ['S'] }", "goes back by itself"),
        ("{ kind = 'wheel', more = ['W'] }", "unknown variant 'wheel'"),
        ("{ less = ['S'] }", "nothing moves 'lift'"),
        ("{ more = ['W'], ramp = -1 }", "0 to 10 s"),
    ] {
        let error = SceneDescription::from_toml(&with(keys), "arm.toml").unwrap_err();
        assert!(error.to_string().contains(words) && (27..=30).contains(&error.line), "{error}");
    }
    let folder = std::env::temp_dir().join(format!("prall-keys-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("arm.toml");
    std::fs::write(&path, with("{ more = ['W', 'Up'], less = ['4'], pad = { axis = 1 } }")).unwrap();
    let mut scene = prall_scenes::open_file(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let control = scene.controls()[0];
    assert_eq!(
        (control.key, control.more, control.less),
        ("lift", &["KeyW", "ArrowUp"][..], &["Digit4"][..])
    );
    let mut held = prall_scenes::ControlValues::default();
    held.set(scene.controls(), "lift", -1.0).unwrap();
    let input = prall_scenes::Input { controls: Some(held), ..Default::default() };
    for _ in 0..120 {
        scene.step(&input, &mut prall_scenes::Budget::unlimited());
    }
    let mut frame = prall_scenes::Frame::default();
    scene.frame(&mut frame);
    // Turned by a right angle about (0, 1.2) to the other side.
    assert!(frame.poses[0].translation.distance(DVec3::new(-0.2, 1.2, 0.0)) < 1e-3, "{:?}", frame.poses[0]);
}

/// A control of a file is a parameter of its scene, and moves the joint that it names.
#[test]
fn controls_of_a_file_drive_its_machine() {
    let folder = std::env::temp_dir().join(format!("prall-machine-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("arm.toml");
    std::fs::write(&path, MACHINE).unwrap();
    let mut scene = prall_scenes::open_file(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(scene.parameters()[0].key, "lift");
    scene.set("lift", 90.0).unwrap();
    for _ in 0..120 {
        scene.step(&prall_scenes::Input::default(), &mut prall_scenes::Budget::unlimited());
    }
    let mut frame = prall_scenes::Frame::default();
    scene.frame(&mut frame);
    // Turned by a right angle about (0, 1.2): what hung at (0, 1) is beside it at (0.2, 1.2).
    assert!(
        frame.poses[0].translation.distance(glam::DVec3::new(0.2, 1.2, 0.0)) < 1e-3,
        "{}",
        frame.poses[0].translation
    );
    assert_eq!(scene.joint_count(), 2);
}

/// The paddle of the mixer turns as fast as its parameter says, backwards too: `360 degrees / 2 s = pi rad/s`.
#[test]
fn parameters_of_a_file_drive_its_motors() {
    let mut scene = prall_scenes::open_file(folder().join("mixer.toml")).unwrap();
    let keys: Vec<_> = scene.parameters().iter().map(|parameter| parameter.key).collect();
    assert_eq!(keys, ["speed", "gravity"]);
    scene.set("speed", -180.0).unwrap();
    scene.set("gravity", 0.0).unwrap();
    let mut frame = prall_scenes::Frame::default();
    let mut angle = |steps: usize, scene: &mut Box<dyn prall_scenes::Simulation>| {
        for _ in 0..steps {
            scene.step(&prall_scenes::Input::default(), &mut prall_scenes::Budget::unlimited());
        }
        scene.frame(&mut frame);
        let paddle = scene.assets().bodies.iter().position(|body| body.name == "paddle").unwrap();
        frame.poses[paddle].rotation
    };
    let before = angle(20, &mut scene);
    let after = angle(20, &mut scene);
    // A tenth of a second at half a turn per second; parts in its way give the motor no pause.
    let turned = (after * before.inverse()).to_scaled_axis();
    assert!((turned.y + 0.1 * std::f64::consts::PI).abs() < 1e-3, "{turned}");
}

#[test]
fn mistakes_in_parameters_have_their_lines() {
    let text = std::fs::read_to_string(folder().join("mixer.toml")).unwrap();
    for (from, to, wanted) in [
        ("joint = \"shaft\"", "joint = \"shaff\"", "shaft"),
        ("as = \"speed\" }", "as = \"force\" }", "speed of a motor"),
        ("key = \"gravity\"", "key = \"gravitas\"", "does nothing"),
        ("default = 90", "default = 900", "starts at 900"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text);
        let said = complaint(&wrong);
        assert!(said.contains(wanted), "{said}");
    }
}

/// A parent that is not there and a circle are said with their lines.
#[test]
fn mistakes_in_a_robots_tree_have_their_lines() {
    let link = |name: &str| format!("<link name=\"{name}\"/>\n");
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"fixed\">\n<parent link=\"{parent}\"/>\n<child link=\"{child}\"/>\n</joint>\n"
        )
    };
    let robot =
        |joints: String| format!("<robot name=\"r\">\n{}{}{joints}</robot>", link("base"), link("arm"));
    let complaint = |text: &str| SceneDescription::from_urdf(text, "r.urdf").unwrap_err().to_string();
    let missing = complaint(&robot(joint("j", "bass", "arm")));
    assert!(missing.starts_with("r.urdf:5:") && missing.contains("did you mean 'base'?"), "{missing}");
    let circle = complaint(&robot(joint("j", "base", "arm") + &joint("k", "arm", "base")));
    assert!(circle.starts_with("r.urdf:2:") && circle.contains("circle of joints"), "{circle}");
}

/// What is wrong within a robot's elements is said with its line and the element's name.
#[test]
fn mistakes_in_a_robots_elements_have_their_lines() {
    let complaint = |good: &str, bad: &str| {
        let text = ROBOT.replacen(good, bad, 1);
        assert_ne!(text, ROBOT);
        SceneDescription::from_urdf(&text, "r.urdf").unwrap_err().to_string()
    };
    assert!(SceneDescription::from_urdf(ROBOT, "r.urdf").is_ok());
    let number = complaint("xyz=\"0 0 0.1\"", "xyz=\"0 0 high\"");
    assert_eq!(
        number,
        "r.urdf:13:18: no URDF: joint 'elbow': xyz of <origin> must be 3 numbers, not '0 0 high'"
    );
    let count = complaint("size='1 1 1'", "size='1 1'");
    assert_eq!(count, "r.urdf:5:35: no URDF: link 'arm': size of <box> must be 3 numbers, not '1 1'");
    let kind = complaint("type=\"revolute\"", "type=\"elastic\"");
    assert!(kind.starts_with("r.urdf:10:9: no URDF: joint 'elbow': ") && kind.contains("elastic"), "{kind}");
    let shape = complaint("<box size='1 1 1'/>", "<sphere r='1'/>");
    assert_eq!(shape, "r.urdf:5:24: no URDF: link 'arm': <sphere> has no radius");
    let nameless = complaint("<link name=\"base\"/>", "<link/>");
    assert!(nameless.starts_with("r.urdf:3:1: no URDF: a link without a name: "), "{nameless}");
    let parent = complaint("link = 'base'", "link = 'bass'");
    assert!(parent.starts_with("r.urdf:11:19: ") && parent.contains("did you mean 'base'?"), "{parent}");
    let mimic = complaint("<limit", "<mimic multiplier=\"2\" joint=\"elbo\"/><limit");
    assert!(mimic.starts_with("r.urdf:15:32: ") && mimic.contains("mimics 'elbo'"), "{mimic}");
}

const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="r">
<link name="base"/>
<link name="arm">
  <collision><geometry><box size='1 1 1'/></geometry></collision>
  <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link>
<!-- the only joint -->
<joint
  type="revolute" name="elbow">
  <parent link = 'base'/>
  <child link="arm"/>
  <origin   xyz="0 0 0.1" rpy="0 0 0"/>
  <axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/>
</joint>
</robot>
"#;

const GUIDED: &str = r#"title = "guides"
[[bodies]]
name = "nut"
shapes = [{ shape.box = { size = [0.1, 0.1, 0.1] } }]
[[bodies]]
name = "car"
position = [2, 3, 0]
shapes = [{ shape.box = { size = [0.4, 0.2, 0.2] } }]
[[joints]]
name = "bolt"
kind = "screw"
bodies = ["ground", "nut"]
at = [0, 0, 0]
axis = [0, -1, 0]
pitch = 0.1
[[joints]]
name = "track"
kind = "path"
bodies = ["ground", "car"]
at = [2, 3, 0]
path = { points = [[0, 4, 0], [2, 3, 0], [4, 0, 0], [6, 0, 1], [8, 2, 2]], turn = "upright", banks = [0, 0, 0, 20, 0] }
[[mechanisms]]
name = "ride"
bodies = ["nut", "car"]
[[mechanisms.controls]]
key = "push"
min = -100
max = 100
acts = [{ joint = "track", as = "force" }]
"#;

#[test]
fn screws_and_paths_of_a_file_guide_its_machine() {
    let scene = SceneDescription::from_toml(GUIDED, "guides.toml").unwrap();
    assert_eq!(SceneDescription::from_toml(&toml::to_string(&scene).unwrap(), "again").unwrap(), scene);
    let complaint = |good: &str, bad: &str| {
        let text = GUIDED.replacen(good, bad, 1);
        assert_ne!(text, GUIDED);
        SceneDescription::from_toml(&text, "g.toml").unwrap_err().to_string()
    };
    let none = complaint("path = {", "# path = {");
    assert!(none.starts_with("g.toml:18:8: ") && none.contains("needs 'path"), "{none}");
    let banks = complaint("banks = [0, 0, 0, 20, 0]", "banks = [20]");
    assert!(banks.starts_with("g.toml:18:8: ") && banks.contains("1 banks for 5 points"), "{banks}");
    let reversed = complaint("[\"ground\", \"car\"]", "[\"car\", \"ground\"]");
    assert!(reversed.starts_with("g.toml:19:11: ") && reversed.contains("is fixed on first"), "{reversed}");
    let alone = complaint("bodies = [\"nut\", \"car\"]", "bodies = [\"nut\"]");
    assert!(alone.starts_with("g.toml:18:8: ") && alone.contains("only joints of mechanisms"), "{alone}");
}

const BY_FORMULA: &str = r#"title = "formula"
[[bodies]]
name = "bead"
position = [0.5, 0, 0]
shapes = [{ shape.sphere = { radius = 0.02 } }]
[[joints]]
name = "slot"
kind = "formula"
bodies = ["ground", "bead"]
at = [0, 0, 0]
[joints.formula]
coordinates = ["rad"]
constants = { a = 0.5, b = 0.2 }
place = ["a*cos(q0)", "-b*sin(q0)", "0"]
turns = [{ axis = [0, 0, 1], angle = "q0/2" }]
[[mechanisms]]
name = "guide"
bodies = ["bead"]
"#;

/// In a slot of an ellipse the bead has at every depth the speed that the fall gives: `m v^2/2 + J w^2/2 = m g b sin q`, with half the turn.
#[test]
fn a_formula_of_a_file_leads_its_body_around_an_ellipse() {
    let scene = SceneDescription::from_toml(BY_FORMULA, "formula.toml").unwrap();
    assert_eq!(SceneDescription::from_toml(&toml::to_string(&scene).unwrap(), "again").unwrap(), scene);
    let folder = std::env::temp_dir().join(format!("prall-formula-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("formula.toml");
    std::fs::write(&path, BY_FORMULA).unwrap();
    let mut scene = prall_scenes::open_file(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut lowest = 0.0_f64;
    for _ in 0..40 {
        scene.step(&prall_scenes::Input::default(), &mut prall_scenes::Budget::unlimited());
        let properties = scene.body_properties(0).unwrap();
        let find =
            |label: &str| properties.iter().find(|property| property.label == label).unwrap().values.clone();
        let (place, angle) = (find("Position"), find("Joint")[0].to_radians());
        let (sine, cosine) = libm::sincos(angle);
        assert!(
            (place[0] - 0.5 * cosine).abs() < 1e-12 && (place[1] + 0.2 * sine).abs() < 1e-12,
            "{place:?}"
        );
        let rate = find("Joint rate")[0].to_radians();
        // A ball of 2 cm has J = 2/5 m r^2.
        let inertia = 0.25 * sine * sine + 0.04 * cosine * cosine + 0.25 * 0.4 * 0.02 * 0.02;
        let expected = 2.0 * 9.81 * 0.2 * sine;
        // Second order in steps of 1/60 s at up to 9 rad/s.
        assert!((inertia * rate * rate - expected).abs() < 0.05 * (0.1 + expected), "{angle} {rate}");
        lowest = lowest.min(place[1]);
    }
    assert!(lowest < -0.199, "{lowest}");
}

#[test]
fn slips_in_formulas_are_told_with_line_and_column() {
    let complaint = |good: &str, bad: &str| {
        let text = BY_FORMULA.replacen(good, bad, 1);
        assert_ne!(text, BY_FORMULA);
        SceneDescription::from_toml(&text, "f.toml").unwrap_err().to_string()
    };
    let unknown = complaint("-b*sin(q0)", "-c*sin(q0)");
    assert!(unknown.starts_with("f.toml:14:25: 'c' is not known; known are q0, a, b, pi"), "{unknown}");
    let open = complaint("q0/2", "sin(q0");
    assert!(open.starts_with("f.toml:15:45: ')' is missing"), "{open}");
    let still = complaint("[\"rad\"]", "[\"rad\", \"m\"]");
    assert!(still.starts_with("f.toml:8:8: ") && still.contains("independently"), "{still}");
    let constant = complaint("b = 0.2", "pi = 0.2");
    assert!(constant.starts_with("f.toml:8:8: ") && constant.contains("'pi'"), "{constant}");
    let none = complaint("[joints.formula]\ncoordinates = [\"rad\"]", "[x]\ncoordinates = [\"rad\"]");
    assert!(none.starts_with("f.toml:"), "{none}");
    let alone = complaint("[[mechanisms]]\nname = \"guide\"\nbodies = [\"bead\"]\n", "");
    assert!(alone.contains("only joints of mechanisms"), "{alone}");
}

/// The nut turns as it falls, the car starts where it stands and rolls down its track.
#[test]
fn guided_machines_of_a_file_run() {
    let folder = std::env::temp_dir().join(format!("prall-guides-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("guides.toml");
    std::fs::write(&path, GUIDED).unwrap();
    let mut scene = prall_scenes::open_file(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut frame = prall_scenes::Frame::default();
    scene.frame(&mut frame);
    assert!(frame.poses[1].translation.distance(DVec3::new(2.0, 3.0, 0.0)) < 1e-9, "{:?}", frame.poses[1]);
    for _ in 0..30 {
        scene.step(&prall_scenes::Input::default(), &mut prall_scenes::Budget::unlimited());
    }
    scene.frame(&mut frame);
    let [nut, car] = [frame.poses[0], frame.poses[1]];
    // A turn about the downward axis for each tenth of a metre.
    let turned = DQuat::from_rotation_y(20.0 * std::f64::consts::PI * nut.translation.y);
    assert!(nut.translation.y < -0.1 && turned.dot(nut.rotation).abs() > 1.0 - 1e-12, "{nut:?}");
    assert!(car.translation.x > 2.3 && car.translation.y < 2.8, "{}", car.translation);
    assert!(car.translation.z.abs() < 0.2 && (car.rotation * DVec3::X).y < -0.2);
}

//! Robots in URDF as machines: on their own, in scene files, with friction, mimic joints and frames.

mod folder;

use folder::Folder;
use glam::DVec3;
use prall_scenes::file::SceneDescription;
use prall_scenes::{Budget, Frame, Input, Simulation, open_file};
use std::path::PathBuf;

fn run(scene: &mut dyn Simulation, seconds: f64) {
    for _ in 0..(seconds / scene.time_step()).round() as usize {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
}

fn pose(scene: &dyn Simulation, name: &str) -> prall_math::Pose {
    let mut frame = Frame::default();
    scene.frame(&mut frame);
    let part = scene.assets().bodies.iter().position(|body| body.name == name).unwrap();
    frame.poses[part]
}

/// A first property of a body, such as "Joint rate".
fn property(scene: &dyn Simulation, body: &str, label: &str) -> f64 {
    let part = scene.assets().bodies.iter().position(|known| known.name == body).unwrap();
    let properties = scene.body_properties(part).unwrap();
    properties.iter().find(|property| property.label == label).unwrap().values[0]
}

/// A base, a frame without mass that is fixed on it, and a wheel of 0.4 kg m^2 about URDF's y on that.
fn wheel(dynamics: &str) -> String {
    format!(
        r#"<robot name="wheel">
<link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="mount"/>
<link name="disc">
  <inertial><mass value="2"/><inertia ixx="0.3" iyy="0.4" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>
</link>
<link name="weight">
  <inertial><mass value="1.5"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.05"/></geometry></collision>
</link>
<joint name="mounting" type="fixed"><origin xyz="0 0 1"/><parent link="base"/><child link="mount"/></joint>
<joint name="axle" type="continuous">
  <parent link="mount"/><child link="disc"/><axis xyz="0 1 0"/>{dynamics}
</joint>
<joint name="pin" type="fixed"><origin xyz="0.5 0 0"/><parent link="disc"/><child link="weight"/></joint>
</robot>"#
    )
}

/// What a joint of the arm holds stays where it is on its parent, to rounding, while the arm is pulled down and falls: minimal coordinates do not drift.
#[test]
fn a_robot_in_urdf_is_a_machine_whose_joints_hold_to_rounding() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes/robot-arm.urdf");
    let mut scene = open_file(&path).unwrap();
    assert_eq!(scene.joint_count(), 5);
    let anchor = |scene: &dyn Simulation| {
        let (upper, forearm) = (pose(scene, "upper_arm"), pose(scene, "forearm"));
        (upper, forearm)
    };
    let description = SceneDescription::read(&path).unwrap();
    let elbow = description.joints.iter().find(|joint| joint.name == "elbow").unwrap().at;
    let (upper, forearm) = anchor(scene.as_ref());
    let (on_upper, on_forearm) =
        (upper.inverse_transform_point(elbow), forearm.inverse_transform_point(elbow));
    let ray = prall_scenes::Ray::new(forearm.translation + DVec3::Z, DVec3::NEG_Z).unwrap();
    let grip = scene.grab(&ray).unwrap();
    let hand = prall_math::Pose::from_translation(forearm.translation + DVec3::new(0.6, -0.3, 0.4));
    for _ in 0..60 {
        scene.step(&Input { hand: Some(hand), ..Input::default() }, &mut Budget::unlimited());
    }
    scene.release();
    assert_eq!(scene.assets().bodies[grip.body].name, "forearm");
    run(scene.as_mut(), 2.0);
    let (upper, forearm) = anchor(scene.as_ref());
    let gap = (upper.transform_point(on_upper) - forearm.transform_point(on_forearm)).length();
    assert!(gap < 1e-12, "{gap}");
    assert!(forearm.transform_point(on_forearm).distance(elbow) > 0.05, "it has moved");
}

/// A wheel that is heavy on one side falls from level with `alpha = m g r / J`; fixed links weigh and turn with what they are welded to, and
/// frames weigh nothing.
#[test]
fn fixed_links_are_welded_and_frames_have_no_mass() {
    let folder = Folder::new("weld");
    let mut scene = open_file(folder.write("wheel.urdf", &wheel(""))).unwrap();
    let inertia = 0.4 + 0.01 + 1.5 * 0.25;
    let h = scene.time_step();
    scene.step(&Input::default(), &mut Budget::unlimited());
    let rate = property(scene.as_ref(), "disc", "Joint rate").to_radians();
    // One step of second order: exact but for the square of the angle turned, 1e-5.
    assert!((rate.abs() - h * 1.5 * 9.81 * 0.5 / inertia).abs() < 1e-4 * rate.abs(), "{rate}");
}

/// Friction above the weight's torque of 7.36 N m holds the wheel, to rounding; below it the
/// wheel falls as if it were lighter.
#[test]
fn dry_friction_of_a_joint_holds_and_slows() {
    let folder = Folder::new("friction");
    let torque = 1.5 * 9.81 * 0.5;
    let held = wheel(r#"<dynamics friction="8"/>"#);
    let mut scene = open_file(folder.write("held.urdf", &held)).unwrap();
    run(scene.as_mut(), 1.0);
    let rate = property(scene.as_ref(), "disc", "Joint rate").to_radians();
    assert!(rate.abs() < 1e-12, "{rate}");
    let slowed = wheel(r#"<dynamics friction="5"/>"#);
    let mut scene = open_file(folder.write("slowed.urdf", &slowed)).unwrap();
    run(scene.as_mut(), 0.1);
    let rate = property(scene.as_ref(), "disc", "Joint rate").to_radians();
    let wanted = 0.1 * (torque - 5.0) / (0.4 + 0.01 + 1.5 * 0.25);
    // The lever shortens by the square of the angle turned, 0.015 rad.
    assert!((rate.abs() - wanted).abs() < 1e-3 * wanted, "{rate} instead of {wanted}");
}

/// Two fingers: the second repeats the first, mirrored and with an offset.
#[test]
fn a_mimic_joint_repeats_its_leader() {
    let finger = |name: &str, child: &str, more: &str| {
        format!(
            r#"<joint name="{name}" type="prismatic"><parent link="palm"/><child link="{child}"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/>{more}</joint>"#
        )
    };
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="{} 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>"#,
            if name == "left" { -1 } else { 1 }
        )
    };
    let text = format!(
        "<robot name='gripper'>{}{}{}{}{}</robot>",
        link("palm"),
        link("left"),
        link("right"),
        finger("lead", "left", ""),
        finger("follow", "right", r#"<mimic joint="lead" multiplier="-0.5" offset="0.2"/>"#)
    );
    let folder = Folder::new("mimic");
    let mut scene = open_file(folder.write("gripper.urdf", &text)).unwrap();
    assert!((property(scene.as_ref(), "right", "Joint") - 0.2).abs() < 1e-12);
    run(scene.as_mut(), 0.3);
    let (lead, follow) =
        (property(scene.as_ref(), "left", "Joint"), property(scene.as_ref(), "right", "Joint"));
    // Both fingers weigh the same and fall as one: with k = -0.5, the leader at (1 + k) / (1 + k^2) g.
    let fallen = -0.5 * (0.5 / 1.25) * 9.81 * 0.3 * 0.3;
    assert!((lead - fallen).abs() < 1e-9, "{lead} {fallen}");
    assert!((follow - (0.2 - 0.5 * lead)).abs() < 1e-9, "{follow} {lead}");
    let nobody = text.replace("mimic joint=\"lead\"", "mimic joint=\"laed\"");
    let error = SceneDescription::from_urdf(&nobody, "g.urdf").unwrap_err().to_string();
    assert!(error.contains("mimics 'laed'") && error.contains("did you mean 'lead'?"), "{error}");
}

/// Two robots of one file stand in a scene, one turned about, one free to fall; controls act on their joints.
#[test]
fn a_scene_file_places_robots_by_name() {
    let folder = Folder::new("scene");
    folder.write("wheel.urdf", &wheel(""));
    let text = r#"title = "two wheels"
[[mechanisms]]
name = "first"
urdf = "wheel.urdf"
prefix = "left "
position = [-2, 0, 0]
rotation = { axis = [0, 1, 0], degrees = 90 }
[[mechanisms.controls]]
key = "push"
min = -20
max = 20
default = 10
acts = [{ joint = "left axle", as = "force" }]
[[mechanisms]]
name = "second"
urdf = "wheel.urdf"
prefix = "right "
position = [2, 5, 0]
floating = true
"#;
    let path = folder.write("two.toml", text);
    let mut scene = open_file(&path).unwrap();
    let start = pose(scene.as_ref(), "left disc").translation;
    assert!((start - DVec3::new(-2.0, 1.0, 0.0)).length() < 1e-12, "{start}");
    let weight = |scene: &dyn Simulation| {
        let part = scene.assets().bodies.iter().rposition(|body| body.name == "left disc").unwrap();
        let mut frame = Frame::default();
        scene.frame(&mut frame);
        frame.poses[part].translation
    };
    // The weight, half a metre along x, is along -z after a quarter turn about y.
    assert!(
        (weight(scene.as_ref()) - DVec3::new(-2.0, 1.0, -0.5)).length() < 1e-12,
        "{}",
        weight(scene.as_ref())
    );
    run(scene.as_mut(), 0.5);
    assert!((pose(scene.as_ref(), "left disc").translation - start).length() < 1e-12, "its base is fixed");
    let fallen = 6.0 - pose(scene.as_ref(), "right disc").translation.y;
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.05, "{fallen}");
    let wrong = |from: &str, to: &str| {
        let path = folder.write("wrong.toml", &text.replacen(from, to, 1));
        SceneDescription::read(path).unwrap_err().to_string()
    };
    assert!(wrong("left axle", "left axel").contains("did you mean 'left axle'?"));
    let missing = wrong("urdf = \"wheel.urdf\"", "urdf = \"whale.urdf\"");
    assert!(missing.contains("wrong.toml:4:8:") && missing.contains("cannot be read"), "{missing}");
    let alone = wrong("urdf = \"wheel.urdf\"\n", "");
    assert!(alone.contains("wrong.toml:3:") && alone.contains("has no urdf"), "{alone}");
    let twice = wrong("prefix = \"right \"", "prefix = \"left \"");
    assert!(twice.contains("two bodies named 'left base'"), "{twice}");
}

#[test]
fn mistakes_in_a_robots_text_have_their_lines() {
    let complaint = |text: &str| SceneDescription::from_urdf(text, "r.urdf").unwrap_err().to_string();
    let text = wheel("");
    let crossed = complaint(&text.replacen("</joint>", "</link>", 1));
    assert!(crossed.starts_with("r.urdf:12:"), "{crossed}");
    let cut = complaint(&text[..text.len() - "</robot>".len()]);
    assert!(cut.contains("ends within an element"), "{cut}");
}

/// A hand whose thumb cannot be straight: its limits leave out the zero in which the file draws it, and a second joint repeats the thumb.
fn hand() -> String {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0.02 0 0"/><mass value="0.05"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0.02 0 0"/><geometry><box size="0.03 0.01 0.01"/></geometry></collision></link>"#
        )
    };
    let joint = |name: &str, child: &str, lower: f64, more: &str| {
        format!(
            r#"<joint name="{name}" type="revolute"><origin xyz="0.05 0 0"/><parent link="palm"/><child link="{child}"/><axis xyz="0 1 0"/>
<limit lower="{lower}" upper="1.57" effort="1" velocity="1"/>{more}</joint>"#
        )
    };
    format!(
        "<robot name='hand'>{}{}{}{}{}</robot>",
        link("palm"),
        link("thumb"),
        link("index").replace("0.02 0 0", "0.02 0.05 0"),
        joint("thumb_joint", "thumb", 0.263, ""),
        joint("index_joint", "index", -3.0, r#"<mimic joint="thumb_joint" multiplier="2"/>"#)
    )
}

/// Drawn 0.263 rad beyond its stop of 1e5 N m/rad, the thumb would start with 3,458 J. It starts at the stop instead, and nothing but its fall of a few
/// centimetres moves it.
#[test]
fn a_joint_that_is_drawn_beyond_its_limits_starts_at_them() {
    let folder = Folder::new("hand");
    let mut scene = open_file(folder.write("hand.urdf", &hand())).unwrap();
    let start = property(scene.as_ref(), "thumb", "Joint").to_radians();
    assert!((start - 0.263).abs() < 1e-12, "{start}");
    let follower = property(scene.as_ref(), "index", "Joint").to_radians();
    assert!((follower - 2.0 * 0.263).abs() < 1e-12, "{follower}");
    let energy = |scene: &dyn Simulation| {
        let energy = scene.energy();
        energy.kinetic + energy.potential
    };
    let thumb = |scene: &dyn Simulation| property(scene, "thumb", "Joint").to_radians();
    // 0.15 kg within 0.1 m of the palm.
    let most = 0.15 * 9.81 * 0.1;
    let before = energy(scene.as_ref());
    assert!(before.abs() < most, "{before} J");
    for step in 0..240 {
        scene.step(&Input::default(), &mut Budget::unlimited());
        let now = energy(scene.as_ref());
        // The follower is driven, so the hand may lift it by as much as the thumb falls.
        assert!(now < before + most, "{now} J in step {step}");
        // The finger that repeats it twofold stops at 1.57, so the thumb stops at half of that; stops give way by 0.01 rad at most.
        assert!((0.253..0.795).contains(&thumb(scene.as_ref())), "{} in step {step}", thumb(scene.as_ref()));
    }
}

/// Extensions of other programs, several materials, and one mesh in two sizes, in COLLADA, whose up axis a robot does not follow.
#[test]
fn foreign_elements_pass_and_collada_meshes_are_read_in_their_sizes() {
    let folder = Folder::new("collada");
    let tetrahedron = r##"<COLLADA><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array>0 0 0 10 0 0 0 10 0 0 0 30</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 1 2 3 2 0 3</p></triangles></mesh></geometry></library_geometries></COLLADA>"##;
    folder.write("part.dae", tetrahedron);
    let text = r#"<robot name="r"><material name="a"/><material name="a"/><transmission><actuator/></transmission>
<link name="base"><material name="x"/><self_collision_checking/>
<visual><geometry><nothing/></geometry><material name="a"/><material name="b"/></visual>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><verbose value="x"/><geometry><mesh filename="part.dae"/></geometry></collision>
<collision><geometry><mesh filename="part.dae" scale="-2 1 1"/></geometry></collision></link></robot>"#;
    let path = folder.write("r.urdf", text);
    let scene = open_file(&path).unwrap();
    let boxes: Vec<_> = scene.assets().shapes.iter().map(|shape| format!("{shape:?}")).collect();
    assert!(boxes.len() >= 2, "{boxes:?}");
    let deep = format!("<robot name='r'>{}{}</robot>", "<link>".repeat(9000), "</link>".repeat(9000));
    let deep = SceneDescription::from_urdf(&deep, "d.urdf").unwrap_err().to_string();
    assert!(deep.contains("nested more than 200 deep"), "{deep}");
}

/// Seconds that this thread has computed, whatever else the machine does; `None` where the system does not say.
fn computed() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds * 1e-9)
}

/// A hand of 35 joints whose thumb is drawn outside the limits of three of them, on light links that lie at their stops: ten times
/// real time. Its stops are ten million times as stiff as a link of 20 g can follow in a step.
#[test]
fn a_hand_of_many_joints_at_their_stops_runs_at_ten_times_real_time() {
    let link = |name: &str, mass: f64, [x, y, z]: [f64; 3]| {
        let moment = |a: f64, b: f64| mass / 12.0 * (a * a + b * b);
        let (half, [ixx, iyy, izz]) = (z / 2.0, [moment(y, z), moment(x, z), moment(x, y)]);
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0 0 {half}"/><mass value="{mass}"/><inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 {half}"/><geometry><box size="{x} {y} {z}"/></geometry></collision></link>"#
        )
    };
    let mut text = format!("<robot name='hand'>{}", link("palm", 0.5, [0.09, 0.03, 0.1]));
    for finger in 0..7 {
        let mut parent = "palm".to_owned();
        for phalanx in 0..5 {
            let name = format!("f{finger}_{phalanx}");
            let lower = if finger == 0 && phalanx < 3 { 0.263 } else { -0.2 };
            let place = match phalanx {
                0 => format!("{} 0 0.1", -0.06 + 0.02 * f64::from(finger)),
                _ => "0 0 0.028".to_owned(),
            };
            let axis = if phalanx == 0 { "0 1 0" } else { "1 0 0" };
            text += &link(&name, 0.02, [0.015, 0.015, 0.025]);
            text += &format!(
                r#"<joint name="j_{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/><origin xyz="{place}"/><axis xyz="{axis}"/>
<limit lower="{lower}" upper="1.4" effort="10" velocity="10"/><dynamics damping="0.001" friction="0.001"/></joint>"#
            );
            parent = name;
        }
    }
    let folder = Folder::new("many-joints");
    let mut scene = open_file(folder.write("hand.urdf", &(text + "</robot>"))).unwrap();
    let energy = |scene: &dyn Simulation| scene.energy().kinetic + scene.energy().potential;
    let before = energy(scene.as_ref());
    let begin = computed();
    run(scene.as_mut(), 2.0);
    let after = energy(scene.as_ref());
    assert!(after.is_finite() && after <= before + 1e-9, "{before} J became {after} J");
    if let (Some(begin), Some(end)) = (begin, computed()) {
        let factor = 2.0 / (end - begin);
        println!("{factor:.0} times real time");
        // 40 on the machine where a step took 25 ms before.
        assert!(factor > 10.0, "{factor} times real time");
    }
}

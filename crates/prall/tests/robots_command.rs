//! `prall robots` counts what loads and says why the rest does not.

mod folder;

use folder::Folder;
use std::process::Command;

const GOOD: &str = r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;

#[test]
fn a_folder_of_robots_is_counted_by_reason() {
    let folder = Folder::new("robots");
    std::fs::create_dir_all(folder.0.join("deeper")).unwrap();
    let mesh = |name: &str| {
        let shape =
            format!(r#"<collision><geometry><mesh filename="{name}"/></geometry></collision></link>"#);
        GOOD.replace("</link>", &shape)
    };
    folder.file("strange.xyz", "");
    for (name, text) in [
        ("good.urdf", GOOD.to_owned()),
        ("deeper/GOOD.URDF", GOOD.to_owned()),
        ("macro.urdf", r#"<robot name="r" xmlns:xacro="x"><xacro:include filename="y"/></robot>"#.to_owned()),
        ("packed.urdf", mesh("package://nobody_has_this/a.stl")),
        ("gone.urdf", mesh("gone.stl")),
        ("broken.urdf", "<robot name='r'><link".to_owned()),
        ("noted.urdf", GOOD.replace(r#"ixx="1""#, r#"ixx="9""#)),
        ("strange.urdf", mesh("strange.xyz")),
    ] {
        folder.file(name, &text);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_prall"))
        .args(["robots", "--json", "--seconds", "0.1"])
        .arg(&folder.0)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["loaded"], &answer["whole"]), (&3.into(), &4.into()), "{answer:#}");
    let failed = serde_json::json!({
        "broken URDF": 1, "mesh file missing": 1, "mesh not found by its package": 1, "unread mesh format": 1,
        "xacro, not expanded": 1
    });
    assert_eq!(answer["failed"], failed, "{answer:#}");
    let robot =
        |file: &str| answer["robots"].as_array().unwrap().iter().find(|robot| robot["file"] == file).unwrap();
    assert!(robot("noted.urdf")["notes"][0].as_str().unwrap().contains("no body has"), "{answer:#}");
    let good = robot("good.urdf");
    assert_eq!(good["notes"], serde_json::json!([]));
    assert!(good["real_time_factor"].as_f64().unwrap() > 0.0, "{good}");
}

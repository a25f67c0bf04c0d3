//! `prall robots` counts what loads and says why the rest does not.

mod folder;

use folder::Folder;
use std::process::{Command, Stdio};

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

/// What is read all the same is refused with `--strict`; what is missing can be let go, which is noted.
#[test]
fn notes_are_errors_if_strict_and_missing_meshes_can_be_let_go() {
    let folder = Folder::new("robots-strict");
    let shape = r#"<collision><geometry><mesh filename="gone.stl"/></geometry></collision></link>"#;
    let noted = folder.file("noted.urdf", &GOOD.replace(r#"ixx="1""#, r#"ixx="9""#));
    folder.file("gone.urdf", &GOOD.replace("</link>", shape));
    let prall = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_prall")).args(arguments).arg(&folder.0).output().unwrap()
    };
    let answer = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&prall(arguments).stdout).unwrap()
    };
    let strict = answer(&["robots", "--json", "--strict"]);
    assert_eq!(strict["failed"], serde_json::json!({ "mesh file missing": 1, "something to note": 1 }));
    let without = answer(&["robots", "--json", "--without-missing-meshes"]);
    assert_eq!(without["loaded"], 2, "{without:#}");
    let notes: Vec<String> =
        without["robots"].as_array().unwrap().iter().map(|robot| robot["notes"].to_string()).collect();
    assert!(notes.iter().any(|notes| notes.contains("its shapes are left out")), "{notes:?}");
    let both = answer(&["robots", "--json", "--strict", "--without-missing-meshes"]);
    assert_eq!(both["loaded"], 0, "{both:#}");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prall"));
        command.args(["run", "--seconds", "0.1"]).args(arguments).arg(&noted);
        command
    };
    let refused = run(&["--strict"]).output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("no body has") && message.contains("without --strict"), "{message}");
    // Nobody reads the note.
    let mut deaf = run(&[]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    drop(deaf.stderr.take());
    assert_eq!(deaf.wait().unwrap().code(), Some(0));
}

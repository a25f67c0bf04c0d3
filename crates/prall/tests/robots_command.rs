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
    let counts = ["loaded", "without_meshes", "whole"].map(|count| answer[count].as_u64().unwrap());
    assert_eq!(counts, [5, 2, 4], "{answer:#}");
    let failed = serde_json::json!({ "broken URDF": 1, "unread mesh format": 1, "xacro, not expanded": 1 });
    assert_eq!(answer["failed"], failed, "{answer:#}");
    let robot =
        |file: &str| answer["robots"].as_array().unwrap().iter().find(|robot| robot["file"] == file).unwrap();
    assert!(robot("noted.urdf")["notes"][0].as_str().unwrap().contains("no body has"), "{answer:#}");
    for (file, remedy) in
        [("packed.urdf", "--package nobody_has_this=DIR"), ("gone.urdf", "gone.stl: No such file")]
    {
        let note = robot(file)["notes"][0].as_str().unwrap();
        assert!(note.contains("1 of 1 mesh files are not there") && note.contains(remedy), "{note}");
        assert_eq!(robot(file)["missing_meshes"], 1);
    }
    let good = robot("good.urdf");
    assert_eq!(good["notes"], serde_json::json!([]));
    assert!(good["real_time_factor"].as_f64().unwrap() > 0.0, "{good}");
}

/// What is read all the same is refused with `--strict`: also a robot whose meshes are not there, with the place that names the first.
#[test]
fn notes_are_errors_if_strict() {
    let folder = Folder::new("robots-strict");
    let shape =
        "\n<collision><geometry><mesh filename=\"package://gone/a.stl\"/></geometry></collision></link>";
    let noted = folder.file("noted.urdf", &GOOD.replace(r#"ixx="1""#, r#"ixx="9""#));
    let gone = folder.file("gone.urdf", &GOOD.replace("</link>", shape));
    let prall = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_prall")).args(arguments).arg(&folder.0).output().unwrap()
    };
    let answer = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&prall(arguments).stdout).unwrap()
    };
    assert_eq!(answer(&["robots", "--json"])["loaded"], 2);
    let strict = answer(&["robots", "--json", "--strict"]);
    let failed = serde_json::json!({ "mesh not found by its package": 1, "something to note": 1 });
    assert_eq!(strict["failed"], failed, "{strict:#}");
    // Without it `run` says on standard error what is missing, and runs.
    for (strict, code) in [(&["--strict"][..], 2), (&[], 0)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prall"));
        let output = command.args(["run", "--seconds", "0.1"]).args(strict).arg(&gone).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{message}");
        let words = if code == 2 { "gone.urdf:2:" } else { "note: 1 of 1 mesh files are not there" };
        assert!(message.contains(words) && message.contains("--package gone=DIR"), "{message}");
    }
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

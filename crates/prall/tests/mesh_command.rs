//! `prall mesh` on files as people have them.

mod folder;

use folder::Folder;
use serde_json::Value;
use std::process::{Command, Output};

/// A box of 1 x 2 x 3 units with a corner at the origin, as quads, oriented outward.
const BOX: &str = "o crate
v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";

fn mesh(file: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_prall")).arg("mesh").arg(file).args(arguments).output().unwrap()
}

fn json(file: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Value {
    let output = mesh(file, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_box_is_diagnosed_and_weighed() {
    let folder = Folder::new("box");
    let answer = json(folder.file("box.obj", BOX), &["--density", "10"]);
    let counts =
        ["vertices", "faces", "edges", "open_edges", "nonmanifold_edges", "degenerate_faces", "components"];
    assert_eq!(counts.map(|field| answer[field].as_u64().unwrap()), [8, 6, 12, 0, 0, 0, 1]);
    assert_eq!(answer["watertight"], true);
    assert!((number(&answer["volume"]) - 6.0).abs() < 1e-14);
    assert!((number(&answer["area"]) - 22.0).abs() < 1e-14);
    assert!((number(&answer["mass"]) - 60.0).abs() < 1e-13);
    for (axis, expected) in [0.5, 1.0, 1.5].iter().enumerate() {
        assert!((number(&answer["center_of_mass"][axis]) - expected).abs() < 1e-14);
    }
    // m/12 (b^2 + c^2) and so on.
    for (axis, expected) in [65.0, 50.0, 25.0].iter().enumerate() {
        assert!((number(&answer["inertia"][axis][axis]) - expected).abs() < 1e-12);
    }
    assert_eq!(answer["bounds"], serde_json::json!({"min": [0.0, 0.0, 0.0], "max": [1.0, 2.0, 3.0]}));
    assert_eq!(answer["parts"][0]["name"], "crate");
}

#[test]
fn an_open_box_gets_no_mass_and_the_substitutes_are_named() {
    let folder = Folder::new("open");
    let open = BOX.replace("f 1 5 8 4\n", "");
    let file = folder.file("open.obj", &open);
    let answer = json(&file, &[]);
    assert_eq!((&answer["watertight"], &answer["open_edges"]), (&Value::Bool(false), &Value::from(4)));
    assert!(answer["volume"].is_null() && answer["center_of_mass"].is_null() && answer["inertia"].is_null());
    let problem = answer["mass_problem"].as_str().unwrap();
    assert!(problem.contains("hull") && problem.contains("bounding box"), "{problem}");
    let text = String::from_utf8(mesh(&file, &[]).stdout).unwrap();
    assert!(text.contains("4 edges are open") && text.contains("No mass properties"), "{text}");
}

#[test]
fn unit_and_up_axis_are_the_callers_to_state() {
    let folder = Folder::new("units");
    let file = folder.file("box.obj", BOX);
    let answer = json(&file, &["--scale", "0.001", "--up", "z"]);
    assert!((number(&answer["volume"]) - 6e-9).abs() < 1e-22);
    // +z becomes +y, +y becomes -z.
    for (axis, (low, high)) in [(0.0, 0.001), (0.0, 0.003), (-0.002, 0.0)].iter().enumerate() {
        assert!((number(&answer["bounds"]["min"][axis]) - low).abs() < 1e-15);
        assert!((number(&answer["bounds"]["max"][axis]) - high).abs() < 1e-15);
    }
}

#[test]
fn a_model_survives_conversion_through_every_format() {
    let folder = Folder::new("convert");
    let mut file = folder.file("box.obj", BOX);
    for ending in ["glb", "ply", "stl", "obj"] {
        let out = folder.0.join(format!("converted.{ending}")).to_string_lossy().into_owned();
        assert!(mesh(&file, &["--convert", &out]).status.success());
        let answer = json(&out, &[]);
        assert_eq!(answer["watertight"], true, "{ending}");
        assert!((number(&answer["volume"]) - 6.0).abs() < 1e-12, "{ending}");
        file = out;
    }
}

#[test]
fn faces_are_turned_only_when_asked() {
    let folder = Folder::new("orient");
    let file = folder.file("mixed.obj", &BOX.replace("f 5 6 7 8", "f 8 7 6 5"));
    let answer = json(&file, &[]);
    assert_eq!(answer["inconsistent_edges"], 4);
    assert!(answer["volume"].is_null());
    let answer = json(&file, &["--orient"]);
    assert_eq!((&answer["inconsistent_edges"], &answer["watertight"]), (&Value::from(0), &Value::Bool(true)));
    assert!((number(&answer["volume"]) - 6.0).abs() < 1e-14);
}

#[test]
fn cracks_close_when_welded_with_a_tolerance() {
    let folder = Folder::new("weld");
    let torn = BOX.replace("v 0 2 3\n", "v 0 2 3\nv 0 0 0.0000004\n").replace("f 1 5 8 4", "f 9 5 8 4");
    let file = folder.file("torn.obj", &torn);
    assert_eq!(json(&file, &[])["watertight"], false);
    let answer = json(&file, &["--weld", "1e-6"]);
    assert_eq!((&answer["watertight"], &answer["welded_vertices"]), (&Value::Bool(true), &Value::from(1)));
}

#[test]
fn files_that_cannot_be_read_say_where_and_why() {
    let folder = Folder::new("bad");
    let cases = [
        ("gone.obj", None, "No such file"),
        ("part.step", Some("ISO-10303-21;"), "FreeCAD"),
        ("notes.txt", Some("hello"), "obj"),
        ("short.obj", Some("v 0 0\n"), "line 1"),
        ("range.obj", Some("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"), "line 4"),
        ("nan.obj", Some("v 0 0 nan\n"), "line 1"),
        ("empty.stl", Some(""), "empty.stl"),
        ("points.obj", Some("v 0 0 0\n"), "face"),
    ];
    for (name, content, expected) in cases {
        let path = content.map_or(name.to_owned(), |content| folder.file(name, content));
        let output = mesh(&path, &["--json"]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {message}");
        assert!(message.contains(expected), "{name}: {message}");
        assert!(output.stdout.is_empty());
    }
    let good = folder.file("box.obj", BOX);
    for (arguments, expected) in [
        (vec!["--scale", "0"], "scale"),
        (vec!["--density", "-1"], "density"),
        (vec!["--weld", "-1"], "welding tolerance"),
        (vec!["--convert", "out.step"], "step"),
    ] {
        let output = mesh(&good, &arguments);
        let message = String::from_utf8_lossy(&output.stderr).to_lowercase();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

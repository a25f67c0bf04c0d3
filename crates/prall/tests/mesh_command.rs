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

/// A tetrahedron with a corner at the origin.
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// A flaw that does not matter is said, and refused only where that is wanted.
#[test]
fn files_with_a_flaw_are_read_and_the_flaw_is_reported() {
    let folder = Folder::new("flaws");
    let facet = |a: &str, b: &str, c: &str| {
        format!("facet normal 0 0 0\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet\n")
    };
    let stl =
        format!("solid one\n{}endsolid one\nsolid two\nendsolid two\n", facet("0 0 0", "1 0 0", "0 1 0"));
    let colours = TETRAHEDRON.replace("v 1 0 0", "v 1 0 0 nan 0 0");
    let crossing = format!("{TETRAHEDRON}v 5 0 0\nv 6 1 0\nv 6 0 0\nv 5 1 0\nf 5 6 7 8\n");
    let degenerate = format!("{TETRAHEDRON}f 1 2 2\n");
    for (name, text, flaw) in [
        ("empty.stl", &stl, "part 'two' is empty"),
        ("colours.obj", &colours, "line 2: a vertex has a weight or colour that is not a finite number"),
        ("crossing.obj", &crossing, "1 polygon crosses itself"),
        ("degenerate.obj", &degenerate, "1 polygon is degenerate"),
    ] {
        let file = folder.file(name, text);
        let output = mesh(&file, &[]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.to_lowercase().contains(flaw), "{name}: {said}");
        let strict = mesh(&file, &["--strict"]);
        let refusal = String::from_utf8(strict.stderr).unwrap();
        assert_eq!(strict.status.code(), Some(2), "{name}: {refusal}");
        assert!(refusal.contains(flaw) && refusal.contains("--strict"), "{name}: {refusal}");
        // Other commands read it too, in the same words.
        let other = folder.file("other.obj", &TETRAHEDRON.replace("v 0 0 0", "v 9 9 9"));
        let clash = |more: &[&str]| {
            let all = [&["clash", &file, &other], more].concat();
            Command::new(env!("CARGO_BIN_EXE_prall")).args(all).output().unwrap()
        };
        let told = String::from_utf8(clash(&[]).stderr).unwrap();
        assert!(told.contains(flaw), "{name}: {told}");
        assert_eq!(clash(&["--strict"]).status.code(), Some(2), "{name}");
    }
}

/// What crosses itself is there all the same: nothing passes through it unseen.
#[test]
fn a_polygon_that_crosses_itself_can_be_clashed_with() {
    let folder = Folder::new("crossing-clash");
    let crossing = format!("{TETRAHEDRON}v 5 0 0\nv 6 1 0\nv 6 0 0\nv 5 1 0\nf 5 6 7 8\n");
    let file = folder.file("crossing.obj", &crossing);
    // A needle through one wing of the bow tie of 5 to 6.
    let needle =
        "v 5.1 0.5 -1\nv 5.2 0.5 -1\nv 5.1 0.6 -1\nv 5.1 0.5 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let needle = folder.file("needle.obj", needle);
    let output = Command::new(env!("CARGO_BIN_EXE_prall")).args(["clash", &file, &needle]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A file of less than a megabyte that places a part of ten thousand triangles a thousand times takes neither the memory nor
/// the time of ten million triangles: the address space is limited to 1.5 GB.
#[cfg(target_os = "linux")]
#[test]
fn a_part_that_is_placed_a_thousand_times_is_examined_once() {
    const SIDE: usize = 70;
    let folder = Folder::new("instances");
    let mut bytes = Vec::new();
    for i in 0..=SIDE {
        for j in 0..=SIDE {
            for x in [i as f32 / SIDE as f32, (i * j % 7) as f32 * 0.01, j as f32 / SIDE as f32] {
                bytes.extend(x.to_le_bytes());
            }
        }
    }
    let positions = bytes.len();
    for i in 0..SIDE {
        for j in 0..SIDE {
            let corner = (i * (SIDE + 1) + j) as u32;
            let next = corner + SIDE as u32 + 1;
            for index in [corner, corner + 1, next, corner + 1, next + 1, next] {
                bytes.extend(index.to_le_bytes());
            }
        }
    }
    std::fs::write(folder.0.join("sheet.bin"), &bytes).unwrap();
    let nodes: Vec<Value> = (0..1000)
        .map(|number| serde_json::json!({"mesh": 0, "name": format!("sheet {number}"), "translation": [2 * number, 0, 0]}))
        .collect();
    let document = serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": (0..1000).collect::<Vec<_>>()}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": (SIDE + 1) * (SIDE + 1), "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 0.06, 1]},
            {"bufferView": 1, "componentType": 5125, "count": 6 * SIDE * SIDE, "type": "SCALAR"}
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": positions},
            {"buffer": 0, "byteOffset": positions, "byteLength": bytes.len() - positions}
        ],
        "buffers": [{"uri": "sheet.bin", "byteLength": bytes.len()}]
    });
    let file = folder.file("sheets.gltf", &document.to_string());
    let command = format!("ulimit -v 1500000; exec '{}' mesh '{file}' --json", env!("CARGO_BIN_EXE_prall"));
    let begin = std::time::Instant::now();
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let triangles = (2 * SIDE * SIDE * 1000) as u64;
    assert_eq!((answer["triangles"].as_u64(), answer["components"].as_u64()), (Some(triangles), Some(1000)));
    assert!((number(&answer["bounds"]["max"][0]) - 1999.0).abs() < 1e-3);
    // It took 52 s; what is left is a tenth of a second for each million triangles.
    assert!(begin.elapsed().as_secs() < 15, "{:?}", begin.elapsed());
}

//! `prall check`, `prall plan` and `prall clash` on files.

mod folder;

use folder::Folder;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// A box between two corners, as an OBJ object.
fn object(name: &str, first_vertex: usize, low: [f64; 3], high: [f64; 3]) -> String {
    let mut text = format!("o {name}\n");
    for corner in 0..8 {
        let pick = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
        text += &format!("v {} {} {}\n", pick(0), pick(1), pick(2));
    }
    for face in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        let corners = face.map(|corner| (first_vertex + corner - 1).to_string());
        text += &format!("f {}\n", corners.join(" "));
    }
    text
}

fn prall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_prall")).args(arguments).output().unwrap()
}

fn json(arguments: &[&str], code: i32) -> Value {
    let output = prall(&[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A cube of 0.2 m that goes straight along x through a slot of 0.3 m, and files to ask about it.
fn slot(folder: &Folder, path: &[(f64, f64)]) -> [String; 3] {
    let part = folder.file("part.obj", &object("cube", 1, [-0.1; 3], [0.1; 3]));
    let walls = object("floor", 1, [0.5, -1.0, -1.0], [1.5, -0.15, 1.0])
        + &object("ceiling", 9, [0.5, 0.15, -1.0], [1.5, 1.0, 1.0]);
    let walls = folder.file("walls.obj", &walls);
    let mut motion = "t,x,y,z,qx,qy,qz,qw\n".to_owned();
    for (step, (x, y)) in path.iter().enumerate() {
        motion += &format!("{step},{x},{y},0,0,0,0,1\n");
    }
    let motion = folder.file("motion.csv", &motion);
    [part, walls, motion]
}

#[test]
fn a_free_path_is_proven_with_its_smallest_clearance() {
    let folder = Folder::new("free");
    let [part, walls, motion] = slot(&folder, &[(0.0, 0.0), (1.0, 0.02), (2.0, 0.0)]);
    let answer = json(&["check", &part, &walls, "--motion", &motion], 0);
    assert_eq!(answer["verdict"], "free");
    assert_eq!(answer["free_until"], 2.0);
    assert!((number(&answer["tightest"]["gap"]) - 0.03).abs() < 4e-4, "{answer}");
    assert!(number(&answer["gap_at_least"]) <= 0.03 && number(&answer["gap_at_least"]) > 0.029);
    assert_eq!(answer["tightest"]["obstacle"], "ceiling");
    assert!((number(&answer["tightest"]["time"]) - 1.0).abs() < 0.05);
    let text = String::from_utf8(prall(&["check", &part, &walls, "--motion", &motion]).stdout).unwrap();
    assert!(text.contains("free: proven") && text.contains("tightest") && text.contains("ceiling"), "{text}");
}

/// The cube's top is 0.03 m below the ceiling at its highest.
#[test]
fn a_tightened_path_says_the_largest_clearance_with_which_it_is_free() {
    let folder = Folder::new("tighten");
    let [part, walls, motion] = slot(&folder, &[(0.0, 0.0), (1.0, 0.02), (2.0, 0.0)]);
    let answer = json(&["check", &part, &walls, "--motion", &motion, "--tighten"], 0);
    let [proven, refused] = [0, 1].map(|k| number(&answer["largest_clearance"][k]));
    assert!(proven < 0.03 && refused >= 0.03 - 1e-6 && refused - proven < 1e-5, "{answer}");
    let clearance = proven.to_string();
    assert_eq!(
        json(&["check", &part, &walls, "--motion", &motion, "--clearance", &clearance], 0)["verdict"],
        "free"
    );
    // Without a free path there is nothing to tighten.
    let [part, walls, motion] = slot(&folder, &[(0.0, 0.0), (1.0, 0.1)]);
    let answer = json(&["check", &part, &walls, "--motion", &motion, "--tighten"], 1);
    assert!(answer["largest_clearance"].is_null());
}

#[test]
fn a_blocked_path_says_when_where_and_by_what() {
    let folder = Folder::new("blocked");
    let [part, walls, motion] = slot(&folder, &[(0.0, 0.0), (1.0, 0.1)]);
    let answer = json(&["check", &part, &walls, "--motion", &motion], 1);
    // The top edge is at y = 0.1 + 0.1 t, the ceiling at 0.15: t = 0.5, when the cube reaches x = 0.6.
    assert!((number(&answer["contact"]["time"]) - 0.5).abs() < 2e-5, "{answer}");
    assert_eq!(answer["contact"]["obstacle"], "ceiling");
    assert!((number(&answer["contact"]["point"][1]) - 0.15).abs() < 1e-5);
    assert!(number(&answer["contact"]["gap"]) <= 1e-6);
    assert!((number(&answer["contact"]["normal"][1]) + 1.0).abs() < 1e-6);
}

#[test]
fn a_clearance_is_kept_from_the_start_on() {
    let folder = Folder::new("clearance");
    let [part, walls, motion] = slot(&folder, &[(0.0, 0.0), (2.0, 0.0)]);
    assert_eq!(
        json(&["check", &part, &walls, "--motion", &motion, "--clearance", "0.049"], 0)["verdict"],
        "free"
    );
    let answer = json(&["check", &part, &walls, "--motion", &motion, "--clearance", "0.051"], 1);
    assert!(number(&answer["contact"]["time"]) < 0.25, "{answer}");
    let [part, walls, motion] = slot(&folder, &[(1.0, 0.0), (1.1, 0.0)]);
    let answer = json(&["check", &part, &walls, "--motion", &motion, "--clearance", "0.06"], 1);
    assert_eq!(answer["contact"]["time"], 0.0);
    assert_eq!(
        json(&["check", &part, &walls, "--motion", &motion, "--clearance", "0.04"], 0)["verdict"],
        "free"
    );
}

/// A sheet between two poses, far thinner than the step: pose by pose the path looks free.
#[test]
fn nothing_is_passed_between_two_poses() {
    let folder = Folder::new("tunnel");
    let [part, _, motion] = slot(&folder, &[(0.0, 0.0), (10.0, 0.0)]);
    let sheet = folder.file("sheet.obj", &object("sheet", 1, [5.0, -1.0, -1.0], [5.001, 1.0, 1.0]));
    for interpolation in ["slerp", "screw"] {
        let answer =
            json(&["check", &part, &sheet, "--motion", &motion, "--interpolation", interpolation], 1);
        assert!((number(&answer["contact"]["time"]) - 0.49).abs() < 1e-6, "{answer}");
    }
}

#[test]
fn a_time_limit_leaves_the_answer_undecided() {
    let folder = Folder::new("undecided");
    let [part, walls, motion] = slot(&folder, &[(0.0, 0.0), (2.0, 0.0)]);
    let answer = json(&["check", &part, &walls, "--motion", &motion, "--seconds", "0"], 3);
    assert_eq!((&answer["verdict"], &answer["free_until"]), (&Value::from("undecided"), &Value::from(0.0)));
}

#[test]
fn the_tightest_place_is_drawn() {
    let folder = Folder::new("picture");
    let [part, walls, motion] = slot(&folder, &[(0.0, 0.0), (1.0, 0.02), (2.0, 0.0)]);
    let picture = folder.0.join("tight.svg");
    let picture = picture.to_string_lossy();
    json(&["check", &part, &walls, "--motion", &motion, "--picture", &picture], 0);
    let svg = std::fs::read_to_string(Path::new(picture.as_ref())).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("30.0000 mm between the part and ceiling"), "{svg}");
    // In the detail and in the small drawing of the whole: the part, the floor or the ceiling, and the gap.
    assert!(svg.matches("<path").count() >= 6, "{svg}");
}

/// The same question in millimetres with z up: the same answer.
#[test]
fn a_motion_can_have_the_units_and_axes_of_the_meshes() {
    let folder = Folder::new("units");
    let part = folder.file("part.obj", &object("cube", 1, [-100.0; 3], [100.0; 3]));
    // The ceiling is at z = 150; the cube rises by 100 on its way along x.
    let wall =
        folder.file("wall.obj", &object("ceiling", 1, [500.0, -1000.0, 150.0], [1500.0, 1000.0, 1000.0]));
    let motion = folder.file("motion.csv", "t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n1,1000,0,100,0,0,0,1\n");
    let units = ["--scale", "0.001", "--up", "z"];
    let asked = [&["check", &part, &wall, "--motion", &motion, "--motion-like-meshes"][..], &units].concat();
    let answer = json(&asked, 1);
    assert!((number(&answer["contact"]["time"]) - 0.5).abs() < 2e-5, "{answer}");
    assert!((number(&answer["contact"]["point"][1]) - 0.15).abs() < 1e-5, "{answer}");
    // Without it the same numbers are metres, z goes sideways, and nothing is in the way.
    let asked = [&["check", &part, &wall, "--motion", &motion][..], &units].concat();
    assert_eq!(json(&asked, 0)["verdict"], "free");
}

#[test]
fn an_assembly_is_searched_for_clashes() {
    let folder = Folder::new("clash");
    let assembly = object("base", 1, [0.0, 0.0, 0.0], [1.0, 0.1, 1.0])
        + &object("block", 9, [0.2, 0.1, 0.2], [0.4, 0.3, 0.4])
        + &object("pin", 17, [0.6, 0.05, 0.6], [0.7, 0.3, 0.7])
        + &object("lid", 25, [0.0, 0.3005, 0.0], [1.0, 0.4, 1.0])
        + &object("far", 33, [5.0, 0.0, 0.0], [6.0, 1.0, 1.0]);
    let file = folder.file("assembly.obj", &assembly);
    let answer = json(&["clash", &file, "--clearance", "0.001"], 1);
    assert_eq!((&answer["parts"], &answer["pairs"]), (&Value::from(5), &Value::from(10)));
    let found: Vec<[&str; 3]> = answer["clashes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| ["a", "b", "kind"].map(|field| c[field].as_str().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            ["base", "pin", "overlapping"],
            ["base", "block", "touching"],
            ["block", "lid", "near"],
            ["pin", "lid", "near"]
        ]
    );
    assert!((number(&answer["clashes"][0]["reach"]) - 0.05).abs() < 1e-9, "{answer}");
    assert!((number(&answer["clashes"][2]["gap"]) - 5e-4).abs() < 1e-12);
    let ignore = folder.file("ignore.csv", "base,p*\nblock, base\n# the lid\nlid,*\n");
    let answer = json(&["clash", &file, "--clearance", "0.001", "--ignore", &ignore], 0);
    assert!(answer["clashes"].as_array().unwrap().is_empty());
}

#[test]
fn bad_questions_are_refused_with_exit_code_2() {
    let folder = Folder::new("bad");
    let [part, walls, motion] = slot(&folder, &[(0.0, 0.0), (2.0, 0.0)]);
    let short = folder.file("short.csv", "t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n");
    let broken = folder.file("broken.csv", "t,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n1,0,0,zero,0,0,0,1\n");
    let back = folder.file("back.csv", "t,x,y,z,qx,qy,qz,qw\n1,0,0,0,0,0,0,1\n0,1,0,0,0,0,0,1\n");
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (vec!["check", &part, &walls, "--motion", &short], "at least 2 waypoints"),
        (vec!["check", &part, &walls, "--motion", &broken], "line 3"),
        (vec!["check", &part, &walls, "--motion", &back], "not after"),
        (vec!["check", &part, &walls, "--motion", "none.csv"], "none.csv"),
        (vec!["check", &part, "none.obj", "--motion", &motion], "none.obj"),
        (vec!["check", &part, &walls, "--motion", &motion, "--clearance", "-1"], "--clearance"),
        (vec!["check", &part, &walls, "--motion", &motion, "--seconds", "-1"], "--seconds"),
        (vec!["clash", &part], "at least 2 parts"),
        (vec!["clash", &part, &walls, "--ignore", "none.csv"], "none.csv"),
    ];
    for (arguments, expected) in cases {
        let output = prall(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

/// A cube of 0.2 m in a box whose lid covers all but the far side: aside, then up. The hole of the lid can be closed.
fn box_with_lid(folder: &Folder, closed: bool) -> [String; 2] {
    let part = folder.file("part.obj", &object("cube", 1, [-0.1; 3], [0.1; 3]));
    let lid = if closed { 0.6 } else { 0.2 };
    let walls = [
        ("floor", [-0.6, -0.25, -0.3], [0.6, -0.15, 0.3]),
        ("lid", [-0.6, 0.15, -0.3], [lid, 0.25, 0.3]),
        ("left", [-0.6, -0.15, -0.3], [-0.5, 0.15, 0.3]),
        ("right", [0.5, -0.15, -0.3], [0.6, 0.15, 0.3]),
        ("back", [-0.5, -0.15, -0.3], [0.5, 0.15, -0.15]),
        ("front", [-0.5, -0.15, 0.15], [0.5, 0.15, 0.3]),
    ];
    let text: String =
        walls.iter().enumerate().map(|(i, (name, low, high))| object(name, 1 + 8 * i, *low, *high)).collect();
    [part, folder.file("walls.obj", &text)]
}

#[test]
fn a_planned_motion_is_proven_free_by_another_process() {
    let folder = Folder::new("plan");
    let [part, walls] = box_with_lid(&folder, false);
    let motion = folder.file("planned.csv", "");
    let plan = ["plan", &part, &walls, "--from", "-0.35,0,0", "--to", "out", "--motion", &motion];
    let answer = json(&plan, 0);
    assert_eq!(answer["verdict"], "found");
    let text = std::fs::read_to_string(&motion).unwrap();
    assert!(text.lines().nth(1).unwrap().starts_with("0,-0.35,0,0,0,0,0,1"), "{text}");
    assert_eq!(text.lines().count() as u64, answer["pieces"].as_u64().unwrap() + 2);
    let end: Vec<f64> = answer["end"].as_array().unwrap().iter().map(number).collect();
    // Beyond the bounds: the ball about the cube is outside of the ball about the box, whose radius is 0.715.
    assert!(end[..3].iter().map(|x| x * x).sum::<f64>().sqrt() > 0.715 + 0.173, "{end:?}");
    assert_eq!(json(&["check", &part, &walls, "--motion", &motion], 0)["verdict"], "free");
    // Equal seeds write equal bits.
    json(&plan, 0);
    assert_eq!(std::fs::read_to_string(&motion).unwrap(), text);
    let back = ["plan", &part, &walls, "--from", "0.35,0.6,0", "--to", "-0.35,0,0,0,0.70710678,0,0.70710678"];
    let back = [&back[..], &["--motion", &motion, "--seed", "3"]].concat();
    let said = String::from_utf8(prall(&back).stdout).unwrap();
    assert!(said.contains("found: ") && said.contains("planned.csv"), "{said}");
    assert_eq!(json(&["check", &part, &walls, "--motion", &motion], 0)["verdict"], "free");
}

#[test]
fn without_a_way_a_plan_is_unfinished_and_mistakes_are_named() {
    let folder = Folder::new("plan-unfinished");
    let [part, walls] = box_with_lid(&folder, true);
    let answer = json(&["plan", &part, &walls, "--from", "-0.35,0,0", "--steps", "200"], 3);
    assert_eq!(answer["verdict"], "unfinished");
    assert!(answer["pieces"].is_null() && answer["steps"].as_u64().unwrap() >= 200);
    for (from, expected) in [
        ("0,0", "2 values instead of 3 or 7"),
        ("0,0,nan", "'nan' is not a finite number"),
        ("0,0,0,0,0,0,2", "the quaternion has length 2"),
        ("0,0.1,0", "overlaps lid at the start"),
    ] {
        let output = prall(&["plan", &part, &walls, "--from", from]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(expected), "{said}");
    }
}

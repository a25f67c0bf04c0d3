//! A recording of a handled part is certified and written as a table, an animation and a page; `prall handle` opens any assembly.

use prall::geometry::files::{ReadOptions, read_model};
use prall::handled::{animation, certify, document, handled_path};
use prall::recording::{Recording, read};
use std::path::PathBuf;
use std::process::{Command, Output};

fn prall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_prall")).args(arguments).output().expect("prall runs")
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("handled");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

fn recorded(scene: &str, seconds: &str, solver: &str) -> Recording {
    let file = scratch(&format!("{scene}-{solver}.mcap"));
    let _ = std::fs::remove_file(&file);
    let file_text = file.to_str().expect("a path");
    let output = prall(&["run", scene, "--seconds", seconds, "--solver", solver, "--record", file_text]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(&file).expect("a recording")
}

fn pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread")
}

/// The filter's path is proven free by triangles and poses alone, and the documents say so.
#[test]
fn the_radios_way_is_certified_and_documented() {
    let recording = recorded("car-radio", "6", "filter");
    let mut scene = prall::scenes::open("car-radio").expect("a scene");
    let path = handled_path(&recording, scene.as_mut()).expect("a path");
    assert_eq!(path.parts.len(), 1);
    let certificates = certify(&path, &pool()).expect("an answer");
    let found = &certificates[0];
    assert_eq!(found.verdict, "free", "{found:?}");
    let gap = found.gap_at_least.expect("the slot is near");
    // Contacts rest at 20 um.
    assert!(gap > 1e-6 && gap < 30e-6, "{gap}");
    assert!(found.largest_force > 1.0);

    let page = document(&path, &certificates, recording.description.recorded);
    assert!(page.contains("Certified free") && page.contains("radio") && page.contains("<svg"));
    assert!(!page.contains("http"), "it needs no server");
    let table = path.numbers_as_csv();
    assert!(table.lines().count() > 100 && table.starts_with("t,part,x,y,z"));

    let file = scratch("radio.glb");
    let bytes = animation(&path);
    std::fs::write(&file, &bytes).expect("a file");
    let model = read_model(&file, &ReadOptions::default()).expect("a glTF file");
    assert_eq!(model.nodes().len(), path.shapes.len());
    let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let head: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    let sampler = &head["animations"][0]["samplers"][0];
    let count = |accessor: &serde_json::Value| {
        head["accessors"][accessor.as_u64().expect("an index") as usize]["count"].as_u64().expect("a number")
    };
    assert_eq!(count(&sampler["input"]), count(&sampler["output"]));
    assert!(count(&sampler["input"]) > 100);
}

/// What went through the walls without the filter is not certified, and the place is named.
#[test]
fn a_way_through_walls_is_refused_with_its_place() {
    let recording = recorded("car-radio", "4", "off");
    let mut scene = prall::scenes::open("car-radio").expect("a scene");
    let path = handled_path(&recording, scene.as_mut()).expect("a path");
    let certificates = certify(&path, &pool()).expect("an answer");
    assert_eq!(certificates[0].verdict, "contact");
    let place = certificates[0].contact.as_ref().expect("a place");
    assert!(place.obstacle.contains("slot") && place.time > 1.0, "{place:?}");
    assert!(document(&path, &certificates, 0).contains("Not certified"));
}

#[test]
fn a_scene_without_a_hand_has_no_path() {
    let recording = recorded("bouncing-ball", "0.2", "event");
    let mut scene = prall::scenes::open("bouncing-ball").expect("a scene");
    assert!(handled_path(&recording, scene.as_mut()).is_err_and(|sentence| sentence.contains("no part")));
}

/// Two boxes of an OBJ file with named objects, in millimetres.
fn boxes() -> PathBuf {
    let file = scratch("boxes.obj");
    let mut text = String::new();
    for (number, (name, low, high)) in
        [("case", [0.0, 0.0, 0.0], [40.0, 10.0, 40.0]), ("key", [5.0, 9.0, 5.0], [15.0, 20.0, 15.0])]
            .into_iter()
            .enumerate()
    {
        text += &format!("o {name}\n");
        for corner in 0..8 {
            let pick = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
            text += &format!("v {} {} {}\n", pick(0), pick(1), pick(2));
        }
        for face in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
            let corners = face.map(|corner| (8 * number + corner).to_string());
            text += &format!("f {}\n", corners.join(" "));
        }
    }
    std::fs::write(&file, text).expect("a file");
    file
}

/// Millimetres that are read as metres get advice, and parts that overlap are named.
#[test]
fn an_assembly_in_millimetres_gets_advice_and_its_overlaps_are_named() {
    let file = boxes();
    let file = file.to_str().expect("a path");
    let answer = |arguments: &[&str]| -> serde_json::Value {
        let output = prall(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let metres = answer(&["handle", "key", "--among", file, "--json"]);
    assert!(metres["advice"][0].as_str().is_some_and(|advice| advice.contains("--scale 0.001")), "{metres}");
    let scaled = answer(&["handle", "key", "--among", file, "--scale", "0.001", "--json"]);
    assert_eq!(scaled["overlaps"], serde_json::json!([["key", "case"]]));
    assert_eq!(scaled["around"], 1);
    assert!(scaled["advice"].as_array().is_some_and(|advice| advice.len() == 1), "{scaled}");
    let unknown = prall(&["handle", "screw", "--among", file]);
    let sentence = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(!unknown.status.success() && sentence.contains("case, key"), "{sentence}");
}

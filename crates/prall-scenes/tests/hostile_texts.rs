//! Texts of scenes and robots, changed at random: each is read or refused with its place, and none panics or hangs.

#[path = "../../prall-geometry/tests/files/mutation.rs"]
mod mutation;

use mutation::{explore, inputs};
use prall_scenes::file::{RigidIpcScene, SceneDescription};
use std::path::PathBuf;

/// The scene files that come with Prall and end so.
fn scenes(ending: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let wanted = paths.iter().filter(|path| path.extension().is_some_and(|own| own == ending));
    let short = |text: &Vec<u8>| text.len() < 20_000;
    let texts: Vec<Vec<u8>> = wanted.map(|path| std::fs::read(path).unwrap()).filter(short).collect();
    assert!(!texts.is_empty());
    texts
}

/// Reads changed texts; a refusal is one line with its place.
fn refused_with_its_place(
    texts: &[Vec<u8>],
    seed: u64,
    read: impl Fn(&str) -> Result<SceneDescription, String>,
) {
    let seeds: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    let kinds = explore(&seeds, seed, inputs(3000), |_, bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return "no text".to_owned() };
        match read(text) {
            Ok(_) => "read".to_owned(),
            Err(message) => {
                assert!(message.contains(':') && !message.contains('\n'), "{message:?}");
                message
            }
        }
    });
    println!("{kinds} kinds of outcomes");
    assert!(kinds > 10, "{kinds} kinds of outcomes");
}

#[test]
fn soak_mutated_scene_files_are_read_or_refused() {
    refused_with_its_place(&scenes("toml"), 21, |text| {
        SceneDescription::from_toml(text, "s.toml").map_err(|error| error.to_string())
    });
}

#[test]
fn soak_mutated_robots_are_read_or_refused() {
    refused_with_its_place(&scenes("urdf"), 22, |text| {
        SceneDescription::from_urdf(text, "r.urdf").map_err(|error| error.to_string())
    });
}

/// A mechanism whose joint is a formula: the fuzzer changes the formula with the rest.
#[test]
fn soak_mutated_formulas_are_read_or_refused() {
    let scene = "title = \"cam\"\nstep = 0.01\n[[bodies]]\nname = \"a\"\nshapes = [{ shape.sphere = { radius = 0.1 } }]\n\
                 [[joints]]\nname = \"j\"\nkind = \"formula\"\nbodies = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
                 formula = { coordinates = [\"m\"], place = [\"q0\", \"0.5*sin(3*q0)^2 - cos(q0)/(1+q0^2)\", \"sqrt(1+q0*q0)\"] }\n\
                 [[mechanisms]]\nname = \"m\"\nbodies = [\"a\"]\n";
    SceneDescription::from_toml(scene, "s.toml").unwrap();
    refused_with_its_place(&[scene.as_bytes().to_vec()], 23, |text| {
        SceneDescription::from_toml(text, "s.toml").map_err(|error| error.to_string())
    });
}

#[test]
fn soak_mutated_scenes_of_rigid_ipc_are_read_or_refused() {
    let scene = br#"{"timestep": 0.01, "max_time": 5, "rigid_body_problem": {"gravity": [0, -9.8, 0], "coefficient_friction": 0.1,
        "rigid_bodies": [{"mesh": "a.obj", "position": [0, 1, 0], "rotation": [0, 90, 0], "scale": [1, 2, 3], "density": 500,
        "linear_velocity": [0, 1e-3, 0], "is_dof_fixed": [true, false, false, true, false, false], "type": "dynamic"},
        {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]], "type": "static", "group_id": 2}]}}"#;
    let kinds = explore(&[scene], 24, inputs(3000), |_, bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return "no text".to_owned() };
        match RigidIpcScene::from_json(text, "s.json") {
            Ok(_) => "read".to_owned(),
            Err(error) => {
                let message = error.to_string();
                assert!(message.starts_with("s.json:") && !message.contains('\n'), "{message:?}");
                message
            }
        }
    });
    assert!(kinds > 10, "{kinds} kinds of outcomes");
}

/// Every number of every scene and robot that comes with Prall, replaced by ones that no file should have: each is refused
/// with its place, or read.
#[test]
fn no_number_of_a_file_is_taken_unseen() {
    const HOSTILE: [&str; 6] = ["nan", "inf", "-inf", "1e300", "-1e300", "1e-300"];
    let numbers = |text: &str| -> Vec<std::ops::Range<usize>> {
        let mut found = Vec::new();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let begins = bytes[at].is_ascii_digit()
                || (bytes[at] == b'-' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit));
            let apart =
                at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || b"_-.".contains(&bytes[at - 1]));
            if !(begins && apart) {
                at += 1;
                continue;
            }
            let length =
                bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit() || b".e-".contains(b)).count() + 1;
            found.push(at..at + length);
            at += length;
        }
        found
    };
    for (ending, gravest) in [("toml", "gravity"), ("urdf", "xyz")] {
        let (mut refused, mut tried) = (0, 0);
        for text in scenes(ending) {
            let text = String::from_utf8(text).unwrap();
            for (index, place) in numbers(&text).into_iter().enumerate() {
                let hostile = HOSTILE[index % HOSTILE.len()];
                let changed = format!("{}{hostile}{}", &text[..place.start], &text[place.end..]);
                let read = match ending {
                    "toml" => {
                        SceneDescription::from_toml(&changed, "s.toml").map_err(|error| error.to_string())
                    }
                    _ => SceneDescription::from_urdf(&changed, "r.urdf").map_err(|error| error.to_string()),
                };
                tried += 1;
                refused += usize::from(read.is_err());
                let line = text[..place.start].lines().last().unwrap_or_default();
                let comment = line.trim_start().starts_with('#');
                if hostile != "1e-300" && line.contains(gravest) && !comment {
                    assert!(read.is_err(), "{hostile} in '{line}'");
                }
            }
        }
        assert!(refused * 2 > tried, "{refused} of {tried} were refused: {ending}");
    }
}

/// Numbers of robots and of scenes of Rigid IPC that nothing can be built of.
#[test]
fn numbers_that_no_robot_has_are_refused_with_their_place() {
    let robot = |mass: &str, upper: &str| {
        format!(
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"{mass}\"/><inertia ixx=\"1\" iyy=\"1\" \
             izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" type=\"revolute\"><parent link=\"a\"/>\
             <child link=\"b\"/><limit lower=\"-1\" upper=\"{upper}\" effort=\"1e30\" velocity=\"1\"/></joint></robot>"
        )
    };
    for mass in ["nan", "inf", "1e300"] {
        let error = SceneDescription::from_urdf(&robot(mass, "1"), "r.urdf").unwrap_err().to_string();
        assert!(error.starts_with("r.urdf:1:") && error.contains("value of <mass>"), "{error}");
    }
    assert!(SceneDescription::from_urdf(&robot("1", "1e16"), "r.urdf").is_ok(), "a joint without a stop");
    for (step, gravity, expected) in
        [("1e-300", "0", "leads nowhere"), ("0.01", "1e200", "no number that a scene can have")]
    {
        let text = format!(
            "{{\"timestep\": {step}, \"rigid_body_problem\": {{\"gravity\": [0, {gravity}, 0], \"rigid_bodies\": []}}}}"
        );
        let error = RigidIpcScene::from_json(&text, "s.json").unwrap_err().to_string();
        assert!(error.starts_with("s.json:1:") && error.contains(expected), "{error}");
    }
}

/// A chain of thousands of links is a scene within a second or two, however its joints are ordered.
#[test]
fn a_long_chain_is_read_in_time_that_grows_with_its_length() {
    let chain = |links: usize| {
        let mut text = "<robot name=\"chain\"><link name=\"l0\"/>".to_owned();
        for i in (1..links).rev() {
            let before = i - 1;
            text += &format!(
                "<link name=\"l{i}\"><inertial><mass value=\"0.1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" \
                 iyz=\"0\"/></inertial></link><joint name=\"j{i}\" type=\"continuous\"><parent link=\"l{before}\"/>\
                 <child link=\"l{i}\"/><origin xyz=\"0 0 -0.1\"/><axis xyz=\"0 1 0\"/></joint>"
            );
        }
        text + "</robot>"
    };
    let begin = std::time::Instant::now();
    let scene = SceneDescription::from_urdf(&chain(5000), "r.urdf").unwrap();
    assert_eq!(scene.bodies.len(), 5000);
    // It took more than 15 s, and takes a fraction of one on a machine with nothing else to do.
    assert!(begin.elapsed().as_secs() < 8, "{:?}", begin.elapsed());
}

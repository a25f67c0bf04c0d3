//! The command as a person calls it.

use std::process::{Command, Output};

fn prall(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_prall")).args(arguments).output().unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refusal(arguments: &[&str]) -> String {
    let output = prall(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed a result and failed");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn scenes_are_listed_with_line_and_source() {
    let text = String::from_utf8(prall(&["scenes"]).stdout).unwrap();
    assert!(
        text.contains("bouncing-ball") && text.contains("comes to rest") && text.contains("Moreau 1988"),
        "{text}"
    );
    let list = json(&prall(&["scenes", "--json"]));
    let ball = list.as_array().unwrap().iter().find(|scene| scene["name"] == "bouncing-ball").unwrap();
    assert!(ball["about"].as_str().unwrap().len() > 100);
}

#[test]
fn a_run_reports_every_promised_field() {
    let report = json(&prall(&["run", "bouncing-ball", "--seconds", "2", "--json"]));
    for field in [
        "scene",
        "solver",
        "seconds_simulated",
        "steps",
        "step_ms",
        "real_time_factor",
        "bodies",
        "joints",
        "contacts_max",
        "contacts_mean",
        "position_error_max",
        "velocity_error_max",
        "penetration_max",
        "lost_time",
        "energy_start",
        "energy_end",
        "energy_gained_max",
        "energy_unexplained_max",
        "energy_clamped",
        "state_hash",
        "finite",
    ] {
        assert!(!report[field].is_null(), "{field} is missing");
    }
    for field in ["mean", "p50", "p99", "max"] {
        assert!(report["step_ms"][field].as_f64().unwrap() >= 0.0);
    }
    assert_eq!(report["steps"], 480);
    assert_eq!(report["finite"], true);
    assert_eq!(report["penetration_max"], 0.0);
}

#[test]
fn settings_and_solver_reach_the_scene() {
    let run = |arguments: &[&str]| {
        json(&prall(&[&["run", "bouncing-ball", "--seconds", "20", "--json"], arguments].concat()))
    };
    let lossless = run(&["--set", "restitution=1", "--set", "height = 2"]);
    let (start, end) = (lossless["energy_start"].as_f64().unwrap(), lossless["energy_end"].as_f64().unwrap());
    assert!((start - 0.6 * 9.81 * 2.0).abs() < 1e-12);
    assert!((end / start - 1.0).abs() < 1e-11);
    let stepping = run(&["--solver", "moreau"]);
    assert_eq!(stepping["solver"], "moreau");
    assert!(stepping["position_error_max"].as_f64().unwrap() > 0.0);
}

#[test]
fn equal_calls_give_equal_hashes() {
    let hash = || json(&prall(&["run", "bouncing-ball", "--json"]))["state_hash"].clone();
    assert_eq!(hash(), hash());
}

#[test]
fn bad_arguments_are_refused_with_a_sentence_that_helps() {
    let cases: &[(&[&str], &str)] = &[
        (&["run", "bouncing-bal"], "did you mean 'bouncing-ball'"),
        (&["run", "bouncing-ball", "--solver", "magic"], "there is: event, moreau"),
        (&["run", "bouncing-ball", "--set", "restitution=2"], "from 0 to 1"),
        (&["run", "bouncing-ball", "--set", "colour=2"], "there is: restitution"),
        (&["run", "bouncing-ball", "--set", "restitution"], "KEY=VALUE"),
        (&["run", "bouncing-ball", "--seconds", "-3"], "not -3"),
        (&["run", "bouncing-ball", "--seconds", "nan"], "not NaN"),
        (&["run", "bouncing-ball", "--budget", "0"], "positive number of milliseconds"),
        (&["fly"], "unrecognized subcommand"),
    ];
    for (arguments, expected) in cases {
        let message = refusal(arguments);
        assert!(message.contains(expected), "{arguments:?} said: {message}");
    }
}

/// With a page the port is the trouble; a binary that was built before the page says that instead.
#[test]
fn serve_says_why_it_cannot_start() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let message = refusal(&["serve", "--port", &port]);
    let page_is_built = prall::server::require_page().is_ok();
    let expected = if page_is_built { format!("port {port} is in use") } else { "npm run build".to_owned() };
    assert!(message.contains(&expected), "{message}");
}

/// The track's numbers, its mesh and its drawing from one call; a wrong name lists the right ones.
#[test]
fn a_track_is_checked_meshed_and_drawn() {
    let folder = std::env::temp_dir().join(format!("prall-track-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (glb, svg) = (folder.join("track.glb"), folder.join("plan.svg"));
    let out = prall(&[
        "bob",
        "track",
        "whistler-like",
        "--out",
        glb.to_str().unwrap(),
        "--plan",
        svg.to_str().unwrap(),
        "--json",
    ]);
    let answer = json(&out);
    assert_eq!(answer["curves"].as_array().unwrap().len(), 16);
    assert!((answer["drop"].as_f64().unwrap() - 148.0).abs() < 0.05);
    assert!((answer["splits"][5]["time"].as_f64().unwrap() / 52.5225 - 1.0).abs() < 0.01);
    assert!(std::fs::metadata(&glb).unwrap().len() > 1_000_000);
    assert!(std::fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    std::fs::remove_dir_all(&folder).unwrap();

    let wrong = prall(&["bob", "track", "cresta"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("whistler-like, sochi-like, meadow-run"));
}

/// The mesh that was written, brought back: it lies on the ice, and a sled drives on it; one that lies elsewhere is refused by its place.
#[test]
fn a_foreign_mesh_is_driven_on() {
    let folder = std::env::temp_dir().join(format!("prall-foreign-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (glb, away) = (file("track.glb"), file("away.obj"));
    let written =
        json(&prall(&["bob", "track", "whistler-like", "--out", &glb, "--json"]))["written"].clone();
    let given = json(&prall(&["bob", "track", "whistler-like", "--mesh", &glb, "--json"]))["given"].clone();
    for fit in [&written, &given] {
        // Half a metre is 1.2 mm off its arc on the narrowest radius, a facet of the ellipse 2 mm.
        assert!(fit["largest"].as_f64().unwrap() < 6e-3 && fit["covered"] == 1.0, "{fit}");
    }
    let run = ["bob", "run", "--start", "standing,push=1.0", "--mesh"];
    let answer = json(&prall(&[&run[..], &[&glb, "--json"]].concat()));
    assert!(answer["finished"] == 1 || answer["crashed"] == 1, "{answer}");
    // The start is straight: there the facets are the ice.
    let exact = 4.882;
    assert!(
        (answer["runs"][0]["splits"][0]["time"].as_f64().unwrap() / exact - 1.0).abs() < 0.01,
        "{answer}"
    );
    std::fs::write(&away, "v 0 0 0\nv 1 0 0\nv 0 0 -1\nf 1 2 3\n").unwrap();
    let wrong = prall(&[&run[..], &[&away]].concat());
    let message = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(message.contains("away.obj") && message.contains("no triangle within 0.5 m"), "{message}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Every run has its splits and ends in a finish or a crash; stations that nobody reached have no time.
#[test]
fn a_sled_runs_down_the_track() {
    let folder = std::env::temp_dir().join(format!("prall-bob-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (run_file, xml) = (file("lap.run"), file("lap.xml"));
    let answer = json(&prall(&["bob", "run", "--track", "whistler-like", "--record", &run_file, "--json"]));
    let run = &answer["runs"][0];
    assert_eq!(run["finite"], true);
    assert_eq!(run["splits"][0]["s"], 50.0);
    // Means of the Olympic race of 2010: push, grades and ice were calibrated to them, to 1.5 %.
    let race = [4.8732, 16.2883, 30.2721, 39.1948, 46.9438, 52.327];
    for (split, race) in run["splits"].as_array().unwrap().iter().zip(race) {
        assert!((split["time"].as_f64().unwrap() / race - 1.0).abs() < 0.015, "{run}");
    }
    assert!(run["crash"].is_null() && !run["time"].is_null(), "{run}");
    for station in answer["summary"].as_array().unwrap() {
        assert_eq!(station["mean"].is_null(), station["runs"] == 0, "{station}");
    }
    // The same run as XML is no different from itself.
    assert!(prall(&["bob", "convert", &run_file, &xml]).status.success());
    let analysis = json(&prall(&["bob", "analyse", &run_file, &xml, "--out", &file("analysis"), "--json"]));
    let differences = analysis["differences"].as_array().unwrap();
    assert!(differences.len() > 1400 && differences.iter().all(|point| point["time"] == 0.0));
    assert_eq!(analysis["curves"].as_array().unwrap().len(), 16);
    assert!(std::fs::read_to_string(folder.join("analysis/analysis.svg")).unwrap().starts_with("<svg"));
    assert!(std::fs::read(folder.join("analysis/analysis.png")).unwrap().starts_with(b"\x89PNG\r\n"));
    assert_eq!(analysis["coach"], serde_json::json!([]));
    // Its bumper hits stand in the table and in the diagrams, and any of its columns is drawn.
    let told = prall(&["bob", "analyse", &run_file]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let hits = analysis["result"]["hits"].as_array().unwrap();
    assert!(!hits.is_empty() && told.matches("  bumper_").count() == hits.len(), "{told}");
    let columns = file("columns.svg");
    let drawn =
        ["bob", "analyse", &run_file, "--columns", "speed,torque_beta", "--over", "time", "--out", &columns];
    assert!(prall(&drawn).status.success());
    let svg = std::fs::read_to_string(&columns).unwrap();
    assert!(
        svg.contains("torque_beta[N m]") && svg.contains("speed[m/s]") && svg.contains("time since s = 0")
    );
    let wrong = prall(&["bob", "analyse", &run_file, "--columns", "torque", "--out", &columns]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("torque_beta[N m]"), "{wrong:?}");
    let wrong = prall(&["bob", "analyse", &run_file, "--columns", "t,s,left,height,load", "--out", &columns]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("at most 4"), "{wrong:?}");
    // Any number of them: against one, beside the table, and driven again to the same bits.
    let several = json(&prall(&["bob", "analyse", &run_file, &xml, "--against", &run_file, "--json"]));
    assert_eq!(several.as_array().unwrap().len(), 2);
    let table = json(&prall(&["bob", "validate", &run_file, &xml, "--json"]));
    assert_eq!((&table["runs"], &table["splits"][5]["mean"]), (&serde_json::json!(2), &run["time"]));
    // A recording of the seat's scene is a run too.
    let seat = file("seat.mcap");
    assert!(prall(&["run", "bobsleigh", "--seconds", "5", "--record", &seat, "--json"]).status.success());
    let converted = file("seat.run");
    let made = prall(&["bob", "convert", &seat, &converted]);
    assert!(made.status.success(), "{made:?}");
    let again = json(&prall(&["bob", "run", "--replay", &converted, "--json"]));
    assert_eq!((&again["hash"], &again["steps"]), (&again["recorded"], &serde_json::json!(300 * 83)));
    let text = std::fs::read_to_string(&converted).unwrap();
    std::fs::write(&converted, text.replacen("tremor = 0.0", "tremor = 0.001", 1)).unwrap();
    let other = prall(&["bob", "run", "--replay", &converted]);
    assert!(!other.status.success() && String::from_utf8_lossy(&other.stderr).contains("was recorded"));
    std::fs::remove_dir_all(&folder).unwrap();
    let wrong = prall(&["bob", "run", "--start", "rolling"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("neither standing nor flying"));
    let wrong = prall(&["bob", "run", "--track", "cresta"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("whistler-like, sochi-like, meadow-run"));
}

/// A sled designer's round: look, change, write, check, compare, drive.
#[test]
fn a_sled_is_set_up_by_the_command() {
    let folder = std::env::temp_dir().join(format!("prall-setup-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (plain, mine) = (file("plain.toml"), file("mine.toml"));
    let listed = json(&prall(&["bob", "setup", "--only", "law", "--json"]));
    assert_eq!(listed["sum"]["degrees_of_freedom"], 13);
    assert!((listed["sum"]["front_share"].as_f64().unwrap() - 0.427).abs() < 1e-3, "{}", listed["sum"]);
    let along = &listed["values"][0];
    assert_eq!((&along["key"], &along["value"]), (&"law.runner.along".into(), &"0.004".into()));
    assert!(prall(&["bob", "setup", "--out", &plain]).status.success());
    let change = ["bob", "setup", &plain, "--set", "law.runner.along=0.005", "--set", "body.crew.mass=100"];
    assert!(prall(&[&change[..], &["--out", &mine]].concat()).status.success());
    assert!(std::fs::read_to_string(&mine).unwrap().contains("# 0.1 to 1000 kg; "));
    let compared = json(&prall(&["bob", "setup", &plain, "--against", &mine, "--json"]));
    let keys: Vec<&str> =
        compared["differences"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["body.crew.mass", "law.runner.along"]);
    assert!((compared["other"]["mass"].as_f64().unwrap() - 378.5).abs() < 1e-9);
    let text = std::fs::read_to_string(&mine).unwrap().replace("area = 0.2052", "area = -0.2052");
    let line = text.lines().position(|line| line.starts_with("area")).unwrap() + 1;
    std::fs::write(&mine, text).unwrap();
    for arguments in [vec!["bob", "setup", &mine], vec!["bob", "run", "--setup", &mine]] {
        let wrong = prall(&arguments);
        let message = String::from_utf8_lossy(&wrong.stderr).into_owned();
        assert_eq!(wrong.status.code(), Some(2));
        assert!(
            message.contains(&format!("mine.toml:{line}:8: drag.area must lie from 0 to 5 m²")),
            "{message}"
        );
    }
    for (set, right) in [("along", "not KEY=VALUE"), ("runner.along=1", "near it are law.runner.along")] {
        let wrong = prall(&["bob", "run", "--set", set]);
        assert!(String::from_utf8_lossy(&wrong.stderr).contains(right), "{wrong:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The first curves of a track: the line that was found beats the pilot, has a picture, and driven from its file has the time that was told.
#[test]
fn a_faster_line_is_found_saved_and_driven_again() {
    let folder = std::env::temp_dir().join(format!("prall-line-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (track, line) = (file("short.toml"), file("line.csv"));
    assert!(prall(&["bob", "track", "whistler-like", "--copy-to", &track]).status.success());
    let text = std::fs::read_to_string(&track).unwrap();
    let kept = |line: &&str| !["reference", "race"].iter().any(|key| line.starts_with(key));
    let text = text.lines().filter(kept).collect::<Vec<_>>().join("\n");
    let text = text
        .replace("stations = [50.0, 280.0, 660.0, 960.0, 1244.0, 1450.0]", "stations = [50.0, 175.0]")
        .replace("s_begin = 1450.0", "s_begin = 180.0");
    std::fs::write(&track, text).unwrap();
    let scenario = ["--track", &track, "--start", "flying,speed=11", "--json"];
    let search = ["bob", "optimise", "--candidates", "8", "--out", &line];
    let found = json(&prall(&[&search[..], &scenario].concat()));
    let (before, time) = (found["before"].as_f64().unwrap(), found["time"].as_f64().unwrap());
    assert!(time < before, "{found}");
    assert_eq!(found["splits"][1]["time"], time);
    assert_eq!(found["history"].as_array().unwrap().len(), 1);
    assert!(std::fs::read_to_string(folder.join("line.svg")).unwrap().contains("with the line"));
    let again = json(&prall(&[&["bob", "run", "--steering", &line][..], &scenario].concat()));
    assert_eq!(again["runs"][0]["time"], time);
    let wrong = prall(&["bob", "optimise", "--out", &file("nowhere/line.csv")]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("nowhere"), "{wrong:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The source's own conditions: its table beside it, whatever comes out.
#[test]
fn runs_as_published_stand_beside_the_table() {
    let answer = json(&prall(&["bob", "validate", "--as-published", "--runs", "1", "--json"]));
    // The first 230 m are driven before any of the synthetic curves could differ from the real ones by much.
    let error = answer["splits"][1]["error_to_source"].as_f64().unwrap();
    assert!(error.abs() < 3.0, "{error}");
    let wrong = prall(&["bob", "validate", "--as-published", "--mesh", "scan.glb"]);
    assert_eq!(wrong.status.code(), Some(2));
}

/// Two runs on the gentle track: loads below the limit, a picture, and a limit that they break.
#[test]
fn a_track_is_judged_for_its_safety() {
    let folder = std::env::temp_dir().join(format!("prall-safety-{}", std::process::id()));
    let out = folder.to_str().unwrap();
    let judge = ["bob", "track", "meadow-run", "--safety", "--runs", "2", "--json"];
    let answer = json(&prall(&[&judge[..], &["--safety-out", out]].concat()));
    let safety = &answer["safety"];
    assert_eq!((&safety["runs"], &safety["crashed"]), (&json_number(2), &json_number(0)));
    assert_eq!(
        (safety["above_limit"].as_array().unwrap().len(), safety["stretches"].as_array().unwrap().len()),
        (0, 100)
    );
    for name in ["safety.svg", "safety.png", "safety.json"] {
        assert!(folder.join(name).is_file(), "{name}");
    }
    let answer = json(&prall(&[&judge[..], &["--limit", "1.3"]].concat()));
    assert!(!answer["safety"]["above_limit"].as_array().unwrap().is_empty());
    let wrong = prall(&["bob", "track", "meadow-run", "--limit", "4"]);
    assert_eq!(wrong.status.code(), Some(2));
    std::fs::remove_dir_all(&folder).unwrap();
}

fn json_number(number: u32) -> serde_json::Value {
    number.into()
}

/// Studies by their names; only those that were asked for are made.
#[test]
fn a_study_is_asked_for_by_its_name() {
    let answer = json(&prall(&["bob", "study", "straightening", "load", "--json"]));
    assert_eq!(answer["straightening"].as_array().unwrap().len(), 3);
    assert_eq!(answer["load"].as_array().unwrap().len(), 10);
    assert!(
        answer["springs"].as_array().unwrap().is_empty() && answer["lines"].as_array().unwrap().is_empty()
    );
    let wrong = prall(&["bob", "study", "wings"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("straightening"), "{wrong:?}");
}

/// Two runs beside the source's six stations; errors are of what was printed there.
#[test]
fn runs_stand_beside_the_published_table() {
    let answer = json(&prall(&["bob", "validate", "--runs", "2", "--json"]));
    assert_eq!(answer["runs"], 2);
    let counts = ["finished", "crashed", "neither"].map(|key| answer[key].as_u64().unwrap());
    assert_eq!(counts.iter().sum::<u64>(), 2);
    let splits = answer["splits"].as_array().unwrap();
    assert_eq!(splits.len(), 6);
    assert_eq!(splits[5]["race_mean"], 52.327);
    let (mean, error) = (splits[0]["mean"].as_f64().unwrap(), splits[0]["error_to_race"].as_f64().unwrap());
    assert!((error - 100.0 * (4.8732 - mean) / 4.8732).abs() < 1e-9);
    assert_eq!(splits[0]["times"].as_array().unwrap().len(), 2);
}

/// Scene files run like scenes of the gallery; a mistake in one is said with its place.
#[test]
fn scene_files_are_run() {
    for (file, joints) in [("door.toml", 1), ("mixer.toml", 1)] {
        let path = format!("{}/../../scenes/{file}", env!("CARGO_MANIFEST_DIR"));
        let answer = json(&prall(&["run", &path, "--seconds", "0.5", "--audit", "--json"]));
        assert_eq!(answer["finite"], true);
        assert_eq!(answer["joints"], joints, "{file}");
        assert!(answer["audit"]["penetration_end"].as_f64().unwrap() < 1e-3, "{answer}");
    }
    let folder = std::env::temp_dir().join(format!("prall-scene-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("bad.toml");
    std::fs::write(&path, "title = \"x\"\n\n[[bodies]]\nname = \"a\"\ndensty = 3\n").unwrap();
    let wrong = prall(&["run", path.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    let message = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(message.contains("bad.toml:5:1") && message.contains("density"), "{message}");
}

/// Whoever sits down hears at once what is missing, before anything is served.
#[test]
fn the_seat_refuses_what_is_not_there() {
    let errors = |arguments: &[&str]| {
        let output = prall(&[&["bob", "drive", "--no-open", "--port", "0"], arguments].concat());
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let track = errors(&["--track", "cresta.toml"]);
    assert!(track.contains("cresta.toml") && track.contains("whistler-like"), "{track}");
    let haptics = errors(&["--haptics", "127.0.0.1:9", "--haptics-rate", "5"]);
    assert!(haptics.contains("20 to 1000 packets a second"), "{haptics}");
    let ghost = errors(&["--ghost", "none.mcap", "--recordings", "no-such-folder"]);
    assert!(ghost.contains("--ghost: no recording 'none.mcap'"), "{ghost}");
    let setup = errors(&["--set", "law.runner.along=9"]);
    assert!(setup.contains("law.runner.along"), "{setup}");
}

/// Packets from outside move the simulated device; silence lets go, and nonsense is counted and ignored.
#[test]
fn the_controller_renders_what_it_is_sent() {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let free = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let arguments =
        ["bob", "controller", "--listen", &address, "--hand", "clamped", "--seconds", "3", "--json"];
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_prall"))
        .args(arguments)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut number = 0;
    while child.try_wait().unwrap().is_none() {
        number += 1;
        let packet = prall::bob::haptics::Packet { number, force: 40.0 };
        let _ = socket.send_to(&packet.to_bytes(), &address);
        let _ = socket.send_to(b"nonsense", &address);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let answer: serde_json::Value =
        serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert!(answer["packets"].as_u64().unwrap() > 10 && answer["refused"].as_u64().unwrap() > 10, "{answer}");
    assert!(answer["largest_force"].as_f64().unwrap() > 20.0, "{answer}");
    assert!(answer["largest_voltage"].as_f64().unwrap() <= 10.0, "{answer}");
    for (wrong, right) in [(["--law", "raw"], "neither damped nor direct"), (["--hand", "iron"], "clamped")] {
        let refused = prall(&[&["bob", "controller"], &wrong[..]].concat());
        assert!(String::from_utf8_lossy(&refused.stderr).contains(right), "{refused:?}");
    }
}

/// From nothing to a proven recording: a new scene is written, run, recorded, and computed again after the file was edited.
#[test]
fn an_own_scene_is_begun_recorded_and_verified() {
    let folder = std::env::temp_dir().join(format!("prall-own-command-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let place = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let told = String::from_utf8(prall(&["new", &place("my-tower")]).stdout).unwrap();
    assert!(told.contains("prall serve") && told.contains("my-tower.toml"), "{told}");
    let text = std::fs::read_to_string(place("my-tower.toml")).unwrap();
    assert!(text.contains("title = \"my tower\"") && text.matches('#').count() > 15, "it is commented");
    assert!(refusal(&["new", &place("my-tower")]).contains("is there already"));
    assert!(refusal(&["new", &place("a.json")]).contains("ends in .toml"));
    let run = prall(&[
        "run",
        &place("my-tower.toml"),
        "--seconds",
        "3",
        "--record",
        &place("a.mcap"),
        "--audit",
        "--json",
    ]);
    let report = json(&run);
    assert_eq!(report["bodies"], 6);
    assert!(
        report["finite"].as_bool().unwrap() && report["penetration_max"].as_f64().unwrap() < 1e-3,
        "{report}"
    );
    std::fs::write(place("my-tower.toml"), text.replace("[2.5, 0, 0]", "[0.5, 0, 0]")).unwrap();
    let verified = prall(&["replay", &place("a.mcap"), "--verify"]);
    let answer = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(
        verified.status.success()
            && answer.contains("180 steps of my-tower")
            && answer.contains("bit by bit"),
        "{answer}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Messages are for people at a terminal: they name options and files, not the parts of a program.
#[test]
fn messages_name_no_parts_of_the_program() {
    fn rust_files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                rust_files(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        rust_files(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 100);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // Texts of errors are given in attributes; they end before the variant or field that they belong to.
        for attribute in text.split("#[error(").skip(1) {
            let end = attribute.find(")]").unwrap_or(attribute.len());
            let message = attribute[..end].split('"').nth(1).unwrap_or_default();
            let mut words = message.split(|c: char| !(c.is_alphanumeric() || c == ':' || c == '_'));
            let path = words.find(|word| word.contains("::") && !word.starts_with(':'));
            assert_eq!(path, None, "{}: {message}", file.display());
        }
    }
}

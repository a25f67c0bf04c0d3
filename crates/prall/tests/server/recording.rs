//! Recordings: made headless and on the page, shown, scrubbed, computed again, truncated.

use crate::folder::Folder;
use crate::mutation::{explore, inputs};
use crate::page::{Page, http, start_with};
use prall::appearance::Appearance;
use prall::journal::{Event, Step};
use prall::recording::{Description, Player, Recorder, Store, read, verify};
use prall::scenes::{Budget, Input};
use prall::server::{Gallery, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Records two seconds of the ball with a change of parameter, a grab, a pull under a clock, and a reset in between.
fn record(path: &Path) -> Vec<[f32; 7]> {
    let mut ball = prall::scenes::open("bouncing-ball").unwrap();
    let entry = json!({"name": "bouncing-ball", "title": "Bouncing ball"});
    let appearance = Appearance::of(ball.assets());
    let description = Description::of(entry, ball.as_ref());
    let mut recorder = Recorder::create(path, &description, ball.as_ref(), &appearance).unwrap();
    let mut places = Vec::new();
    let mut frame = prall::scenes::Frame::default();
    for i in 0..480 {
        let event = match i {
            100 => Some(Event::Set { key: "restitution".to_owned(), value: 0.9 }),
            150 => Some(Event::Grab {
                origin: glam::DVec3::new(0.0, 9.0, 0.01),
                direction: glam::DVec3::NEG_Y * 3.0,
            }),
            250 => Some(Event::Release),
            300 => Some(Event::Reset),
            _ => None,
        };
        if let Some(event) = event {
            event.apply(ball.as_mut()).unwrap();
            recorder.event(event);
        }
        let at = glam::DVec3::new(0.001 * i as f64, 1.0, 0.0);
        let hand = (150..250).contains(&i).then(|| prall::math::Pose::from_translation(at));
        let mut budget = Budget::unlimited().until(Instant::now() + Duration::from_millis(50));
        let step = Step::first(ball.as_mut(), Input { hand, ..Input::default() }, &mut budget);
        recorder.step(step, ball.as_ref(), Duration::ZERO).unwrap();
        ball.frame(&mut frame);
        let (p, q) = (frame.poses[0].translation.as_vec3(), frame.poses[0].rotation.as_quat());
        places.push([p.x, p.y, p.z, q.x, q.y, q.z, q.w]);
    }
    let recorded = recorder.finish(ball.as_ref()).unwrap();
    assert_eq!(recorded.seconds, 2.0);
    places
}

#[test]
fn a_recording_computed_again_has_the_same_bits() {
    let folder = Folder::new("recording-verify");
    let path = folder.0.join("a.mcap");
    record(&path);
    let recording = read(&path).unwrap();
    assert_eq!(recording.warning, None);
    let mut ball = prall::scenes::open("bouncing-ball").unwrap();
    let replayed = verify(&recording, ball.as_mut()).unwrap();
    assert_eq!((replayed.steps, replayed.differs_at), (480, None));
    assert!(replayed.equal > 100);
    let mut other = prall::scenes::open("tunnelling").unwrap();
    assert!(verify(&recording, other.as_mut()).unwrap_err().contains("belongs to bouncing-ball"));
}

/// The controls are part of each step's input: a drive that was recorded is computed again with all its bits, and without them it is not.
#[test]
fn a_recorded_drive_is_computed_again_to_the_bit() {
    let folder = Folder::new("recording-drive");
    let path = folder.0.join("drive.mcap");
    let mut car = prall::scenes::open("vehicle").unwrap();
    let entry = json!({"name": "vehicle", "title": "Vehicle"});
    let appearance = Appearance::of(car.assets());
    let description = Description::of(entry, car.as_ref());
    let mut recorder = Recorder::create(&path, &description, car.as_ref(), &appearance).unwrap();
    let mut held = prall::scenes::ControlValues::default();
    for i in 0..240 {
        held.set(car.controls(), "throttle", (f64::from(i) / 60.0).min(1.0)).unwrap();
        held.set(car.controls(), "steering", if i < 120 { 0.7 } else { -0.4 }).unwrap();
        let input = Input { controls: (i > 10).then_some(held), ..Input::default() };
        let step = Step::first(car.as_mut(), input, &mut Budget::unlimited());
        recorder.step(step, car.as_ref(), Duration::ZERO).unwrap();
    }
    recorder.finish(car.as_ref()).unwrap();
    let mut again = prall::scenes::open("vehicle").unwrap();
    let replayed = verify(&read(&path).unwrap(), again.as_mut()).unwrap();
    assert_eq!((replayed.steps, replayed.differs_at), (240, None));
    assert_eq!(again.hash(), car.hash());
    let mut undriven = prall::scenes::open("vehicle").unwrap();
    (0..240).for_each(|_| _ = undriven.step(&Input::default(), &mut Budget::unlimited()));
    assert_ne!(undriven.hash(), car.hash());
}

/// Only what changed is written: at rest next to nothing, and under the car less than a megabyte a second. What is shown again has
/// the contact forces: the frame's count of overlay items is at byte 44.
#[test]
fn a_wall_takes_few_bytes_at_rest_and_in_motion_and_keeps_its_forces() {
    let folder = Folder::new("recording-size");
    for (speed, most) in [(0.0, 100e3), (10.0, 1e6)] {
        let path = folder.0.join(format!("{speed}.mcap"));
        let mut wall = prall::scenes::open("wall").unwrap();
        wall.set("speed", speed).unwrap();
        // Until the car has reached the wall.
        (0..90).for_each(|_| _ = wall.step(&Input::default(), &mut Budget::unlimited()));
        let description = Description::of(json!({"name": "wall", "title": "Wall"}), wall.as_ref());
        let appearance = Appearance::of(wall.assets());
        let mut recorder = Recorder::create(&path, &description, wall.as_ref(), &appearance).unwrap();
        // The state at the start is in it once, whatever follows.
        let begin = recorder.bytes();
        for _ in 0..180 {
            let step = Step::first(wall.as_mut(), Input::default(), &mut Budget::unlimited());
            recorder.step(step, wall.as_ref(), Duration::ZERO).unwrap();
        }
        let recorded = recorder.finish(wall.as_ref()).unwrap();
        let rate = (recorded.bytes - begin) as f64 / recorded.seconds;
        assert!(rate < most, "{:.0} kB/s at {speed} m/s", rate / 1e3);
        let mut player = Player::new(read(&path).unwrap());
        player.seek(1e9);
        let bytes = player.moment().encode(0, 0, None);
        let items = u32::from_le_bytes(bytes[44..48].try_into().unwrap());
        assert!(items > 300, "{items} items at {speed} m/s");
    }
}

#[test]
fn a_recording_can_be_scrubbed_in_any_order_and_shows_what_was() {
    let folder = Folder::new("recording-scrub");
    let path = folder.0.join("a.mcap");
    let places = record(&path);
    let mut player = Player::new(read(&path).unwrap());
    assert_eq!(player.range(), (0.0, 2.0));
    // Frames come every four steps: at 1/60 s and steps of 1/240 s.
    for step in [480, 4, 240, 244, 248, 12, 476, 300, 304] {
        player.seek(step as f64 / 240.0);
        assert_eq!(player.moment().poses, [places[step - 1]], "after {step} steps");
        let report: Value = serde_json::from_str(player.report().unwrap()).unwrap();
        assert!((report["time"].as_f64().unwrap() - step as f64 / 240.0).abs() < 1e-9);
    }
    player.seek(f64::NAN);
    assert_eq!(player.time(), 0.0);
    player.seek(1e9);
    assert!(player.ended());
    player.go_by(-1);
    assert_eq!(player.moment().poses, [places[475]]);
}

/// Cut anywhere, the file is read up to its last whole message, or refused with a sentence; never more, never a panic.
#[test]
fn a_truncated_recording_is_read_as_far_as_it_goes_with_a_warning() {
    let folder = Folder::new("recording-truncated");
    let path = folder.0.join("a.mcap");
    let places = record(&path);
    let whole = std::fs::read(&path).unwrap();
    let cut = folder.0.join("cut.mcap");
    let store = Store::new(folder.0.clone());
    let mut longest = 0.0;
    for length in (0..whole.len()).step_by(whole.len() / 60) {
        std::fs::write(&cut, &whole[..length]).unwrap();
        let listed = store.describe("cut.mcap");
        match read(&cut) {
            Ok(recording) => {
                assert!(recording.warning.as_ref().unwrap().contains("not ended properly"));
                assert!(listed.scene.is_some() && listed.seconds.is_none());
                assert!(recording.seconds() >= longest);
                longest = recording.seconds();
                let mut player = Player::new(recording);
                player.seek(longest);
                let step = (player.time() * 240.0).round() as usize;
                assert!(step == 0 || player.moment().poses == [places[step - 1]]);
            }
            Err(error) => {
                assert!(error.to_string().contains("is not a recording of Prall"), "{error}");
                // The page offers to play what has a scene.
                assert!(listed.scene.is_none() && listed.warning.is_some(), "{length} bytes: {listed:?}");
            }
        }
    }
    assert!(longest > 1.0, "only {longest} s of 2 s were read");
    let listed = store.describe("cut.mcap");
    assert!(listed.warning.unwrap().contains("not ended properly"));
}

#[test]
fn damaged_recordings_are_refused_or_read_but_never_break_the_reader() {
    let folder = Folder::new("recording-damaged");
    let path = folder.0.join("a.mcap");
    record(&path);
    let whole = std::fs::read(&path).unwrap();
    let mut seed = 1_u64;
    for _ in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (seed >> 33) as usize % bytes.len();
            bytes[at] = (seed >> 20) as u8;
        }
        let damaged = folder.0.join("damaged.mcap");
        std::fs::write(&damaged, &bytes).unwrap();
        if let Ok(recording) = read(&damaged) {
            let mut player = Player::new(recording);
            player.seek(1.0);
            player.seek(0.5);
        }
    }
}

/// What Foxglove needs: known schemas, JSON that parses, transforms for every body.
/// Recordings, changed at random: each is read or refused with a sentence, listed as what it is, and none breaks the reader.
#[test]
fn soak_mutated_recordings_are_read_or_refused() {
    let folder = Folder::new("recording-mutated");
    let path = folder.0.join("a.mcap");
    record(&path);
    let whole = std::fs::read(&path).unwrap();
    let changed = folder.0.join("changed.mcap");
    let store = Store::new(folder.0.clone());
    let kinds = explore(&[&whole], 41, inputs(200), |_, bytes| {
        std::fs::write(&changed, bytes).unwrap();
        let listed = store.describe("changed.mcap");
        match read(&changed) {
            Ok(recording) => {
                let mut player = Player::new(recording);
                player.seek(1.0);
                player.seek(0.5);
                "read".to_owned()
            }
            Err(error) => {
                let message = error.to_string();
                assert!(
                    message.contains("is not a recording of Prall") && !message.contains('\n'),
                    "{message:?}"
                );
                format!("{message} {}", listed.scene.is_some())
            }
        }
    });
    assert!(kinds > 2, "{kinds} kinds of outcomes");
}

#[test]
fn the_file_holds_what_foxglove_shows() {
    let folder = Folder::new("recording-foxglove");
    let path = folder.0.join("a.mcap");
    record(&path);
    let bytes = std::fs::read(&path).unwrap();
    let mut counts = std::collections::HashMap::new();
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        *counts.entry(message.channel.topic.clone()).or_insert(0) += 1;
        let Some(schema) = &message.channel.schema else { continue };
        assert_eq!(
            (schema.encoding.as_str(), message.channel.message_encoding.as_str()),
            ("jsonschema", "json")
        );
        let value: Value = serde_json::from_slice(&message.data).unwrap();
        let described: Value = serde_json::from_slice(&schema.data).unwrap();
        for key in value.as_object().unwrap().keys() {
            assert!(described["properties"][key].is_object(), "{}: {key} is not in the schema", schema.name);
        }
        match schema.name.as_str() {
            "foxglove.FrameTransforms" => assert_eq!(value["transforms"][0]["child_frame_id"], "world"),
            "foxglove.SceneUpdate" => {
                let sphere = &value["entities"][0]["spheres"][0];
                assert_eq!(
                    (&sphere["size"]["x"], &value["entities"][0]["frame_id"]),
                    (&json!(0.24), &json!("0 ball"))
                );
            }
            _ => assert!(value["position_error"].is_number()),
        }
    }
    assert_eq!(counts["/report"], 121);
    assert_eq!(counts["/scene"], 1);
    assert_eq!(counts["/prall/frames"], 121);
    assert!(counts["/tf"] >= 20);
}

async fn server(folder: &Folder) -> std::net::SocketAddr {
    let options = Options { recordings: Store::new(folder.0.clone()), ..Options::default() };
    start_with(Gallery::standard(), options).await
}

#[tokio::test]
async fn a_page_records_lists_plays_and_overlays_a_session() {
    let folder = Folder::new("recording-page");
    let address = server(&folder).await;
    let mut live = Page::open(address, "scene=bouncing-ball").await;
    live.say(json!({"type": "record"})).await;
    let name = loop {
        let state = live.text("state").await;
        if let Some(name) = state["recording"]["name"].as_str() {
            break name.to_owned();
        }
    };
    let begin = live.frame(|frame| frame.moment.flags.recording).await.time();
    live.frame(|frame| frame.time() > begin + 0.4).await;
    // Going back while recording is a jump of the simulation, not of the recording's clock.
    live.say(json!({"type": "back", "seconds": 0.2})).await;
    live.frame(|frame| frame.time() > begin + 0.5).await;
    live.say(json!({"type": "record", "on": false})).await;
    let recorded = live.text("recorded").await;
    assert_eq!(recorded["recording"], name.as_str());
    assert!(recorded["seconds"].as_f64().unwrap() > 0.5);

    let recording = read(&folder.0.join(&name)).unwrap();
    let mut ball = prall::scenes::open("bouncing-ball").unwrap();
    assert_eq!(verify(&recording, ball.as_mut()).unwrap().differs_at, None);

    let answer =
        http(address, &format!("GET /api/recordings HTTP/1.1\nHost: {address}\nConnection: close\n\n")).await;
    let list: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let listed = &list["recordings"][0];
    assert_eq!((&listed["name"], &listed["scene"]), (&json!(name), &json!("bouncing-ball")));
    assert!(listed["seconds"].as_f64().unwrap() > 0.5 && listed["warning"].is_null());

    let mut player = Page::open(address, &format!("recording={name}")).await;
    let hello = player.text("hello").await;
    assert_eq!((&hello["kind"], &hello["scene"]["name"]), (&json!("recording"), &json!("bouncing-ball")));
    assert_eq!(hello["recording"]["name"], name.as_str());
    let (from, to) = (&hello["state"]["history"]["from"], &hello["state"]["history"]["to"]);
    assert!(to.as_f64().unwrap() - from.as_f64().unwrap() > 0.5);
    player.say(json!({"type": "seek", "time": from, "id": 1})).await;
    player.frame(|frame| frame.acknowledged() == 1).await;
    player.frame(|frame| frame.moment.flags.ended && !frame.running()).await;
    player.say(json!({"type": "set", "parameter": "gravity", "value": 1})).await;
    assert!(player.text("error").await["message"].as_str().unwrap().contains("a recording can be played"));

    live.say(json!({"type": "ghost", "recording": name})).await;
    let tracks = live.text("tracks").await;
    assert_eq!(
        (&tracks["tracks"][0]["role"], &tracks["tracks"][0]["recording"]),
        (&json!("ghost"), &json!(name))
    );
    let ghost = tracks["tracks"][0]["track"].as_u64().unwrap() as u32;
    live.frame(|frame| frame.track() == ghost).await;
    live.say(json!({"type": "ghost", "recording": "../secret.mcap"})).await;
    assert!(live.text("error").await["message"].as_str().unwrap().contains("letters, digits"));
    live.say(json!({"type": "ghost", "recording": null})).await;
    assert_eq!(live.text("tracks").await["tracks"], json!([]));

    let gone = http(
        address,
        &format!("DELETE /api/recordings/{name} HTTP/1.1\nHost: {address}\nConnection: close\n\n"),
    )
    .await;
    assert!(gone.starts_with("HTTP/1.1 204"), "{gone}");
    let mut none = Page::open(address, &format!("recording={name}&session=late")).await;
    assert!(none.text("error").await["message"].as_str().unwrap().contains("no recording"));
}

#[test]
fn the_command_records_and_verifies() {
    let folder = Folder::new("recording-command");
    let file: PathBuf = folder.0.join("run.mcap");
    let prall = |arguments: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_prall")).args(arguments).arg(&file).output().unwrap()
    };
    let run =
        ["run", "tunnelling", "--seconds", "2", "--budget", "0.05", "--threads", "2", "--json", "--record"];
    let made = prall(&run);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let again = prall(&run);
    assert!(String::from_utf8_lossy(&again.stderr).contains("it is there already"));
    let verified = prall(&["replay", "--verify"]);
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success() && said.contains("120 steps of tunnelling computed again"), "{said}");
    folder.file("run.mcap", "nothing");
    let refused = prall(&["replay", "--verify"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is not a recording of Prall"));
}

/// The file of a recording cannot be written any longer, here because somebody has removed it: the page hears so, the recording ends, the ball goes on.
#[tokio::test]
async fn a_recording_that_cannot_be_written_ends_and_the_simulation_goes_on() {
    let folder = Folder::new("recording-gone");
    let options = Options { recordings: Store::new(&folder.0), ..Options::default() };
    let mut page = Page::open(start_with(Gallery::standard(), options).await, "scene=bouncing-ball").await;
    page.text("hello").await;
    page.say(json!({"type": "record", "on": true})).await;
    let name = loop {
        if let Some(name) = page.text("state").await["recording"]["name"].as_str() {
            break name.to_owned();
        }
    };
    std::fs::remove_file(folder.0.join(name)).unwrap();
    let error = page.text("error").await;
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("the recording has ended, since it cannot be written")
            && message.contains("nothing of it could be kept"),
        "{message}"
    );
    while !page.text("state").await["recording"].is_null() {}
    let now = page.frame(|_| true).await.time();
    page.frame(|frame| frame.running() && frame.time() > now + 0.2).await;
    assert!(Store::new(&folder.0).list().is_empty());
}

/// Runs the ball for 20 s; files may have this many blocks.
#[cfg(target_os = "linux")]
fn run_with_little_room(folder: &Folder, name: &str, blocks: u32) -> (Option<i32>, String, String) {
    // Without the trap the system would end the program instead of refusing to write.
    let script = format!(
        "trap '' XFSZ; ulimit -f {blocks}; exec '{}' run bouncing-ball --seconds 20 --record {name}",
        env!("CARGO_BIN_EXE_prall")
    );
    let output =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A limit on the size of files stands for a full disk: the recording ends with its last whole second, and the run goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_recording_on_a_full_disk_ends_with_its_last_whole_second() {
    let folder = Folder::new("full-disk");
    let (code, whole, errors) = run_with_little_room(&folder, "whole.mcap", 1_000_000);
    assert_eq!(code, Some(0), "{errors}");
    let bytes = std::fs::metadata(folder.0.join("whole.mcap")).unwrap().len();
    // Blocks have 512 or 1024 bytes, by the shell: at most half of the file, at least a quarter.
    let (code, cut, errors) = run_with_little_room(&folder, "cut.mcap", u32::try_from(bytes / 2048).unwrap());
    assert_eq!(code, Some(2), "{errors}");
    assert!(
        errors.contains("the recording has ended, since it cannot be written: ")
            && errors.contains("s are kept in cut.mcap"),
        "{errors}"
    );
    // The run went on: its report is that of the other one.
    let hash = |text: &str| text.lines().find(|line| line.starts_with("state hash")).unwrap().to_owned();
    assert_eq!(hash(&cut), hash(&whole));
    let listed = Store::new(&folder.0).describe("cut.mcap");
    let seconds = listed.seconds.unwrap();
    assert!(listed.warning.is_none() && (1.0..15.0).contains(&seconds), "{listed:?}");
    let recording = read(&folder.0.join("cut.mcap")).unwrap();
    assert_eq!(recording.warning, None);
    let mut ball = prall::scenes::open("bouncing-ball").unwrap();
    let replayed = verify(&recording, ball.as_mut()).unwrap();
    assert!(replayed.differs_at.is_none() && replayed.equal as f64 >= seconds, "{replayed:?}");
    // Where not even the first frame has room, nothing is left.
    let (code, _, errors) = run_with_little_room(&folder, "none.mcap", 1);
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("none.mcap") && !folder.0.join("none.mcap").exists(), "{errors}");
}

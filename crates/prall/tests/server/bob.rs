//! What the pilot's seat asks for beside its session.

use crate::folder::Folder;
use crate::page::{Page, http, http_bytes, start_with};
use prall::recording::{Store, read, verify};
use prall::server::{Gallery, Options};
use serde_json::{Value, json};

fn get(address: std::net::SocketAddr, path: &str) -> String {
    format!("GET {path} HTTP/1.1\nHost: {address}\nConnection: close\n\n")
}

async fn body(address: std::net::SocketAddr, path: &str) -> Value {
    let answer = http(address, &get(address, path)).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

/// The grid that is sent is the track that the library has, and a track that is not there is refused in words.
#[tokio::test]
async fn tracks_are_sent_as_numbers_and_grids() {
    let folder = Folder::new("bob-tracks");
    let options = Options { recordings: Store::new(folder.0.clone()), ..Options::default() };
    let address = start_with(Gallery::standard(), options).await;
    let offer = body(address, "/api/bob").await;
    let known: Vec<&str> = prall::bob::track::Track::known().collect();
    assert_eq!(offer["tracks"].as_array().unwrap().len(), known.len());
    assert_eq!(offer["sled"]["contacts"].as_array().unwrap().len(), 17);
    let track = body(address, "/api/bob/tracks/1").await;
    let own = prall::bob::track::Track::open(known[0], "standard").unwrap();
    assert_eq!(track["bends"].as_array().unwrap().len(), own.curves().len());
    assert_eq!(track["timing"]["stations"].as_array().unwrap().len(), own.timing().stations.len());
    assert_eq!(track["landmarks"].as_array().unwrap().len(), own.landmarks().len());
    assert_eq!(track["landmarks"][0]["text"], own.landmarks()[0].text);
    let rows = track["rows"].as_array().unwrap().len();
    assert_eq!(track["course"].as_array().unwrap().len(), rows);
    let ice = http_bytes(address, &get(address, "/api/bob/tracks/1/ice")).await;
    assert_eq!(&ice[..4], b"PRM1");
    let vertices = u32::from_le_bytes(ice[4..8].try_into().unwrap()) as usize;
    assert_eq!((vertices % rows, ice.len()), (0, 12 + 12 * vertices));
    let boards = http_bytes(address, &get(address, "/api/bob/tracks/1/boards")).await;
    let count = |at: usize| u32::from_le_bytes(boards[at..at + 4].try_into().unwrap()) as usize;
    assert!(count(8) > 0 && boards.len() == 12 + 12 * (count(4) + count(8)));
    let refused = http(address, &get(address, "/api/bob/tracks/99")).await;
    assert!(refused.starts_with("HTTP/1.1 404") && refused.contains("none of number 99"), "{refused}");
}

/// Sliders become the file that `--setup` reads, and a file becomes sliders again; what the page cannot set is refused in words.
#[tokio::test]
async fn a_setup_is_a_file_and_back() {
    let folder = Folder::new("bob-setup");
    let options = Options { recordings: Store::new(folder.0.clone()), ..Options::default() };
    let address = start_with(Gallery::standard(), options).await;
    let answer = http(address, &get(address, "/api/bob/setup?restitution=0.2&split=3")).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let text = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
    let file = prall::bob::sled::SetupText::read("mine.toml", &text).unwrap();
    let set = file.values().iter().find(|value| value.key == "joint.alpha.set").unwrap();
    assert!(set.value.contains("alpha_hard"), "{}", set.value);
    let put = |text: &str| {
        // Lines of a request end with both characters, those of its body too.
        let length = text.replace('\n', "\r\n").len();
        format!(
            "PUT /api/bob/setup HTTP/1.1\nHost: {address}\nContent-Type: text/plain\nContent-Length: {length}\nConnection: close\n\n{text}"
        )
    };
    let answer = http(address, &put(&text)).await;
    let values: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(values, json!({"values": {"restitution": 0.2, "split": 3.0}}));
    let refused = http(address, &put(&text.replacen("area = ", "area = -", 1))).await;
    assert!(refused.starts_with("HTTP/1.1 422") && refused.contains("drag.area"), "{refused}");
}

#[tokio::test]
async fn a_driven_run_is_listed_read_and_computed_again() {
    let folder = Folder::new("bob-runs");
    let options = Options { recordings: Store::new(folder.0.clone()), ..Options::default() };
    let address = start_with(Gallery::standard(), options).await;
    let mut page = Page::open(address, "scene=bobsleigh&session=seat").await;
    let hello = page.text("hello").await;
    let channels = hello["channels"].as_array().unwrap().len();
    page.say(json!({"type": "pause"})).await;
    page.say(json!({"type": "set", "parameter": "speed", "value": 12.0})).await;
    page.say(json!({"type": "reset"})).await;
    page.say(json!({"type": "control", "values": {"steering": 0.1}})).await;
    page.say(json!({"type": "record"})).await;
    page.say(json!({"type": "speed", "value": 8.0})).await;
    page.say(json!({"type": "play"})).await;
    page.frame(|frame| frame.time() > 1.0 && frame.moment.channels()[0] > 5.0).await;
    page.say(json!({"type": "record", "on": false})).await;
    let name = page.text("recorded").await["recording"].as_str().unwrap().to_owned();

    let runs = body(address, "/api/bob/runs").await;
    let run = &runs["runs"][0];
    assert_eq!((&run["name"], &run["track"], &run["driven"]), (&json!(name), &json!(1), &json!(true)));
    assert_eq!((&run["time"], &run["changed"]["speed"]), (&Value::Null, &json!(12.0)));
    // The summary is kept beside the file and says the same the second time.
    assert_eq!(body(address, "/api/bob/runs").await, runs);
    let bytes = http_bytes(address, &get(address, &format!("/api/bob/runs/{name}"))).await;
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (frames, parts) = (word(4), word(12));
    assert_eq!((&bytes[..4], word(8)), (&b"PRB1"[..], channels));
    assert_eq!(bytes.len(), 16 + 4 * frames * (1 + channels + 7 * parts));

    // A run loses nothing on itself, and a reference that is not there is refused.
    let coached = body(address, &format!("/api/bob/runs/{name}/coach?against={name}")).await;
    assert_eq!(coached["advice"], json!([]));
    let coached =
        http(address, &get(address, &format!("/api/bob/runs/{name}/coach?against=none.mcap"))).await;
    assert!(coached.starts_with("HTTP/1.1 404"), "{coached}");

    let recording = read(&folder.0.join(&name)).unwrap();
    let mut sled = prall::scenes::open("bobsleigh").unwrap();
    assert_eq!(verify(&recording, sled.as_mut()).unwrap().differs_at, None);

    let gone = format!("DELETE /api/recordings/{name} HTTP/1.1\nHost: {address}\nConnection: close\n\n");
    assert!(http(address, &gone).await.starts_with("HTTP/1.1 204"));
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "the summary goes with its run");
    let missing = http(address, &get(address, &format!("/api/bob/runs/{name}"))).await;
    assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
}

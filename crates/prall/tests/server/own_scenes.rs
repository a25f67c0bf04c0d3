//! Scene files on the page: recorded and computed again, read again when they change, with a picture on their card.

use crate::folder::Folder;
use crate::page::{Page, http, http_bytes, start_with};
use prall::recording::{Store, read, verify};
use prall::scenes::FileScene;
use prall::server::{Entry, Gallery, Options};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;

const BALL: &str = "title = 'A ball'\n[[bodies]]\nname = 'ball'\nposition = [0, 0.5, 0]\nshapes = [{ shape.sphere = { radius = 0.1 } }]\n\
    [[parameters]]\nkey = 'gravity'\nmin = 0\nmax = 20\ndefault = 9.81\n";

async fn serve(path: &str, recordings: &Path) -> SocketAddr {
    let gallery = Gallery::default().with(Entry::of_file(Path::new(path)).unwrap());
    start_with(gallery, Options { recordings: Store::new(recordings), ..Options::default() }).await
}

async fn state_with(page: &mut Page, fits: impl Fn(&Value) -> bool) -> Value {
    loop {
        let state = page.text("state").await;
        if fits(&state) {
            return state;
        }
    }
}

/// The recording holds the file as it was: it is computed again to the bit after the file has become another scene.
#[tokio::test]
async fn a_page_recording_of_a_file_is_computed_again_after_the_file_has_changed() {
    let folder = Folder::new("own-recorded");
    let path = folder.file("ball.toml", BALL);
    let mut page = Page::open(serve(&path, &folder.0).await, "scene=ball").await;
    page.text("hello").await;
    page.say(json!({"type": "record"})).await;
    state_with(&mut page, |state| !state["recording"].is_null()).await;
    let from = page.frame(|_| true).await.time();
    page.say(json!({"type": "grab", "origin": [0.0, 5.0, 0.0], "direction": [0.0, -1.0, 0.0]})).await;
    page.say(json!({"type": "pull", "point": [1.0, 1.0, 0.0]})).await;
    page.frame(|frame| frame.time() > from + 0.5).await;
    page.say(json!({"type": "record", "on": false})).await;
    let name = page.text("recorded").await["recording"].as_str().unwrap().to_owned();
    drop(page);
    folder.file("ball.toml", &BALL.replace("0.5", "2.5"));
    let recording = read(&folder.0.join(name)).unwrap();
    let file = recording.description.file.clone().unwrap();
    assert_eq!(file.text, BALL);
    let mut simulation = FileScene::from_text(&file.path, file.text).unwrap().build();
    let replayed = verify(&recording, simulation.as_mut()).unwrap();
    assert!(replayed.differs_at.is_none() && replayed.steps > 20 && replayed.equal > 10, "{replayed:?}");
}

/// Saving the file shows the new scene to those who watch; a file that cannot be read leaves the old one running, with the reason.
#[tokio::test]
async fn a_changed_file_is_read_again_and_a_broken_one_is_named() {
    let folder = Folder::new("own-watched");
    let path = folder.file("ball.toml", BALL);
    let mut page = Page::open(serve(&path, &folder.0).await, "scene=ball").await;
    let hello = page.text("hello").await;
    assert_eq!(hello["assets"]["bodies"].as_array().unwrap().len(), 1);
    page.say(json!({"type": "set", "parameter": "gravity", "value": 3.5})).await;
    state_with(&mut page, |state| state["values"]["gravity"] == 3.5).await;
    folder.file("ball.toml", &BALL.replace("density", "densty").replace("name = 'ball'", "nam = 'ball'"));
    let state = state_with(&mut page, |state| !state["file_error"].is_null()).await;
    let notice = state["file_error"].as_str().unwrap();
    assert!(notice.contains("ball.toml:3:1: unknown field 'nam'"), "{notice}");
    let second = "[[bodies]]\nname = 'other'\nposition = [1, 0.5, 0]\nshapes = [{ shape.sphere = { radius = 0.2 } }]\n";
    folder.file(
        "ball.toml",
        &BALL.replace("A ball", "Two balls").replace("[[parameters]]", &format!("{second}[[parameters]]")),
    );
    let again = page.text("hello").await;
    assert_eq!(again["scene"]["title"], "Two balls");
    assert_eq!(again["assets"]["bodies"][1]["name"], "other");
    assert_ne!(again["instance"], hello["instance"]);
    assert_eq!(again["state"]["values"]["gravity"], 3.5, "what a person set stays");
    page.frame(|frame| frame.moment.poses.len() == 2).await;
}

#[tokio::test]
async fn a_card_has_the_picture_that_a_page_has_drawn() {
    let folder = Folder::new("own-picture");
    let path = folder.file("ball.toml", BALL);
    let address = serve(&path, &folder.0).await;
    let list =
        http(address, &format!("GET /api/scenes HTTP/1.1\nHost: {address}\nConnection: close\n\n")).await;
    assert!(list.contains("\"picture\":\"api/scenes/ball/picture\""), "{list}");
    let get = format!("GET /api/scenes/ball/picture HTTP/1.1\nHost: {address}\nConnection: close\n\n");
    assert!(http(address, &get).await.starts_with("HTTP/1.1 404"));
    let put = |body: &str| {
        let length = body.len();
        format!(
            "PUT /api/scenes/ball/picture HTTP/1.1\nHost: {address}\nConnection: close\nContent-Length: {length}\n\n{body}"
        )
    };
    assert!(http(address, &put("no picture at all")).await.starts_with("HTTP/1.1 400"));
    // The test's client turns line feeds into line ends, so the signature goes by itself.
    let png = b"\x89PNG\r\n\x1a\n and what follows";
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = format!(
        "PUT /api/scenes/ball/picture HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        png.len()
    );
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    stream.write_all(&[head.as_bytes(), png].concat()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 204"), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(http_bytes(address, &get).await, png);
}

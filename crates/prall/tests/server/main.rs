//! The server as a client meets it, against docs/protocol.md.

mod added;
mod bob;
#[path = "../folder/mod.rs"]
mod folder;
mod hands;
#[path = "../../../prall-geometry/tests/files/mutation.rs"]
mod mutation;
mod own_scenes;
mod page;
mod recording;
mod session;
#[cfg(target_os = "linux")]
mod soak;
mod strangers;
mod tracked;

use futures_util::SinkExt;
use page::{Frame, Page, http, start};
use prall::server::{Gallery, Options, Server};
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

#[tokio::test]
async fn the_list_of_scenes_is_served() {
    let address = start().await;
    let answer =
        http(address, &format!("GET /api/scenes HTTP/1.1\nHost: {address}\nConnection: close\n\n")).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body["protocol"], 2);
    let ball =
        body["scenes"].as_array().unwrap().iter().find(|scene| scene["name"] == "bouncing-ball").unwrap();
    assert_eq!(ball["picture"], "pictures/bouncing-ball.png");
    assert_eq!(ball["solvers"][1], json!({"name": "moreau", "title": "Moreau time stepping"}));
}

#[tokio::test]
async fn hello_tells_everything_that_a_page_needs() {
    let mut page = Page::open(start().await, "scene=bouncing-ball").await;
    let hello = page.text("hello").await;
    assert_eq!(hello["protocol"], 2);
    assert_eq!(hello["session"], "bouncing-ball");
    assert_eq!(hello["scene"]["title"], "Bouncing ball");
    assert_eq!(hello["assets"]["bodies"][0], json!({"name": "ball", "shape": 0, "look": 0, "movable": true}));
    assert_eq!(hello["assets"]["shapes"][0], json!({"kind": "sphere", "radius": 0.12}));
    assert_eq!(hello["assets"]["ground"], 0.0);
    assert_eq!(hello["assets"]["camera"]["target"].as_array().unwrap().len(), 3);
    let restitution = &hello["parameters"][0];
    assert_eq!(
        (&restitution["key"], &restitution["value"], &restitution["scale"]),
        (&json!("restitution"), &json!(0.75), &json!("linear"))
    );
    assert_eq!(hello["solvers"][0]["name"], "event");
    assert_eq!(hello["state"]["running"], true);
    assert_eq!(hello["kind"], "scene");
    assert_eq!(hello["instance"].as_str().unwrap().len(), 32);
    assert!(hello["overlays"].as_array().unwrap().contains(&json!("friction")));
    assert_eq!(hello["actions"], json!(["throw", "properties"]));
    assert_eq!((&hello["tracks"], &hello["recording"]), (&json!([]), &Value::Null));
    assert_eq!(hello["state"]["budget"], json!({"ms": null, "work": null}));
}

#[tokio::test]
async fn the_ball_falls_in_real_time_and_reports_come() {
    let mut page = Page::open(start().await, "scene=bouncing-ball").await;
    let first = page.frame(|_| true).await;
    let begin = std::time::Instant::now();
    let later = page.frame(|frame| frame.time() > first.time() + 0.3).await;
    assert!(begin.elapsed() > Duration::from_millis(250), "faster than real time");
    assert!(later.number() > first.number());
    assert_ne!(later.position(), first.position());
    let report = page.text("report").await;
    for field in [
        "time",
        "steps",
        "step_ms",
        "aim_ms",
        "real_time_factor",
        "contacts",
        "position_error",
        "lost_time",
        "position_tolerance",
        "velocity_tolerance",
        "work",
    ] {
        assert!(report[field].is_number(), "{field}: {report}");
    }
    assert!(report["energy"]["kinetic"].is_number() && report["phases"]["solve"].is_number());
}

#[tokio::test]
async fn pause_step_speed_and_reset_do_as_they_say() {
    let mut page = Page::open(start().await, "scene=bouncing-ball").await;
    page.say(json!({"type": "pause", "id": 1})).await;
    assert_eq!(page.text("state").await["running"], false);
    let held = page.frame(|frame| frame.acknowledged() == 1 && !frame.running()).await;
    page.say(json!({"type": "step", "id": 2})).await;
    let stepped = page.frame(|frame| frame.acknowledged() == 2).await;
    assert!((stepped.time() - held.time() - 1.0 / 240.0).abs() < 1e-12);
    page.say(json!({"type": "reset", "id": 3})).await;
    let reset = page.frame(|frame| frame.acknowledged() == 3).await;
    assert_eq!(reset.time(), 0.0);
    assert!((reset.position()[1] - 1.12).abs() < 1e-6);
    page.say(json!({"type": "speed", "value": 0.5})).await;
    assert_eq!(page.text("state").await["speed"], 0.5);
    page.say(json!({"type": "play"})).await;
    assert_eq!(page.text("state").await["running"], true);
}

#[tokio::test]
async fn a_parameter_and_a_solver_can_be_changed_and_wrong_ones_are_refused() {
    let mut page = Page::open(start().await, "scene=bouncing-ball").await;
    page.say(json!({"type": "set", "parameter": "restitution", "value": 0.9})).await;
    assert_eq!(page.text("state").await["values"]["restitution"], 0.9);
    page.say(json!({"type": "solver", "name": "moreau"})).await;
    assert_eq!(page.text("state").await["solver"], "moreau");
    page.say(json!({"type": "set", "parameter": "restitution", "value": 9})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("from 0 to 1"));
    page.say(json!({"type": "speed", "value": 99})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("from 0.1 to 10"));
    page.frame(Frame::running).await;
}

#[tokio::test]
async fn a_grabbed_ball_follows_the_hand() {
    let mut page = Page::open(start().await, "scene=bouncing-ball").await;
    page.say(json!({"type": "pause"})).await;
    page.say(json!({"type": "reset"})).await;
    page.say(json!({"type": "grab", "origin": [0, 1.12, 3], "direction": [0, 0, -1]})).await;
    let grip = page.text("grip").await;
    assert_eq!(grip["body"], 0);
    assert!((grip["point"][2].as_f64().unwrap() - 0.12).abs() < 1e-9);
    page.say(json!({"type": "pull", "point": [0.5, 2.0, 0.12]})).await;
    page.say(json!({"type": "play"})).await;
    let pulled = page.frame(|frame| frame.position()[0] > 0.4 && frame.position()[1] > 1.6).await;
    assert!(pulled.held() && pulled.overlay_kinds().contains(&3));
    page.say(json!({"type": "release"})).await;
    let free = page.frame(|frame| !frame.held()).await;
    assert!(!free.overlay_kinds().contains(&3));
}

#[tokio::test]
async fn a_ray_into_the_blue_grips_nothing() {
    let mut page = Page::open(start().await, "scene=bouncing-ball").await;
    page.say(json!({"type": "grab", "origin": [0, 1, 3], "direction": [0, 1, 0]})).await;
    assert!(page.text("grip").await["body"].is_null());
}

#[tokio::test]
async fn viewers_of_one_session_see_one_simulation_and_only_one_holds_the_ball() {
    let address = start().await;
    let mut first = Page::open(address, "scene=bouncing-ball&session=lab").await;
    let mut second = Page::open(address, "scene=bouncing-ball&session=lab").await;
    second.text("hello").await;
    first.say(json!({"type": "pause"})).await;
    assert_eq!(second.text("state").await["running"], false);
    first.say(json!({"type": "reset"})).await;
    let grab = json!({"type": "grab", "origin": [0, 1.12, 3], "direction": [0, 0, -1]});
    first.say(grab.clone()).await;
    assert_eq!(first.text("grip").await["body"], 0);
    second.say(grab.clone()).await;
    assert!(second.text("error").await["message"].as_str().unwrap().contains("another viewer"));
    drop(first);
    second.frame(|frame| !frame.held()).await;
    second.say(grab).await;
    assert_eq!(second.text("grip").await["body"], 0);
    let mut other = Page::open(address, "scene=bouncing-ball&session=other").await;
    assert_eq!(other.text("hello").await["state"]["running"], true);
}

#[tokio::test]
async fn unknown_scenes_and_bad_session_names_are_refused_with_a_sentence() {
    let address = start().await;
    for (query, expected) in [
        ("scene=bouncing-bal", "did you mean 'bouncing-ball'"),
        ("scene=bouncing-ball&session=a%20b", "letters, digits"),
        ("scene=bouncing-ball&session=", "letters, digits"),
    ] {
        let mut page = Page::open(address, query).await;
        assert!(page.text("error").await["message"].as_str().unwrap().contains(expected), "{query}");
        assert_eq!(page.end().await.0, CloseCode::Policy);
    }
}

#[tokio::test]
async fn foreign_origins_and_hosts_are_refused() {
    let address = start().await;
    let port = address.port();
    for (host, origin) in [
        (format!("127.0.0.1:{port}"), "http://evil.example"),
        (format!("127.0.0.1:{port}"), "null"),
        (format!("127.0.0.1:{port}"), "https://127.0.0.1"),
        (format!("rebound.example:{port}"), "http://rebound.example"),
    ] {
        let mut request = format!("ws://{address}/ws?scene=bouncing-ball").into_client_request().unwrap();
        request.headers_mut().insert("Host", host.parse().unwrap());
        request.headers_mut().insert("Origin", origin.parse().unwrap());
        match tokio_tungstenite::connect_async(request).await {
            Err(Error::Http(response)) => assert_eq!(response.status(), 403, "{host} {origin}"),
            other => panic!("{host} {origin} was not refused: {:?}", other.map(|_| ())),
        }
    }
    let mut own = format!("ws://{address}/ws?scene=bouncing-ball").into_client_request().unwrap();
    own.headers_mut().insert("Origin", format!("http://localhost:{port}").parse().unwrap());
    assert!(tokio_tungstenite::connect_async(own).await.is_ok());
}

/// Malformed, oversized and binary messages close the connection that sent them and nothing else.
#[tokio::test]
async fn a_malformed_message_closes_only_its_own_connection() {
    let address = start().await;
    let mut bystander = Page::open(address, "scene=bouncing-ball").await;
    let cases = [
        (Message::text("{\"type\": \"fly\"}"), CloseCode::Policy),
        (Message::text("\u{0}\u{1}garbage"), CloseCode::Policy),
        (Message::text("[".repeat(60_000)), CloseCode::Policy),
        (Message::binary(vec![0_u8; 100]), CloseCode::Policy),
        (Message::text("x".repeat(65 * 1024)), CloseCode::Size),
    ];
    for (message, code) in cases {
        let mut page = Page::open(address, "scene=bouncing-ball").await;
        page.text("hello").await;
        page.socket.send(message).await.unwrap();
        let (closed_with, sentence) = page.end().await;
        assert_eq!(closed_with, code, "{sentence}");
        assert!(!sentence.is_empty());
    }
    let now = bystander.frame(|_| true).await.time();
    bystander.frame(|frame| frame.time() > now + 0.1).await;
}

/// A client that never reads does not slow the simulation for others.
#[tokio::test]
async fn a_client_that_does_not_read_disturbs_nobody() {
    let address = start().await;
    let _sleeper = Page::open(address, "scene=bouncing-ball").await;
    let mut reader = Page::open(address, "scene=bouncing-ball").await;
    let first = reader.frame(|_| true).await.time();
    let begin = std::time::Instant::now();
    reader.frame(|frame| frame.time() > first + 0.5).await;
    // Generous: only a blocked server would take ten times as long.
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let address = start().await;
    let error = Server::bind(Gallery::standard(), Options { port: address.port(), ..Options::default() })
        .await
        .err()
        .unwrap();
    assert!(error.to_string().contains(&format!("port {} is in use", address.port())), "{error}");
}

#[tokio::test]
async fn geometry_that_is_not_there_is_not_found() {
    let address = start().await;
    for path in ["api/sessions/none/shapes/0", "api/sessions/none/lines/7", "no-such-file.js"] {
        let answer =
            http(address, &format!("GET /{path} HTTP/1.1\nHost: {address}\nConnection: close\n\n")).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
}

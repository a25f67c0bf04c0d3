//! A hand that another program tracks, and the wrench that goes back.

use crate::page::{Frame, Page, http, start_with};
use glam::{DQuat, DVec2, DVec3};
use prall::handling::haptics::WrenchPacket;
use prall::math::Pose;
use prall::recording::Store;
use prall::server::{Gallery, Options, Server};
use prall::tracking::HandPacket;
use serde_json::{Value, json};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A program that tracks a hand and sends it a hundred times a second, until it is dropped or told to be silent.
struct Tracker {
    hand: Arc<Mutex<(bool, Pose)>>,
    silent: Arc<AtomicBool>,
}

impl Tracker {
    fn start(to: SocketAddr, pose: Pose) -> Tracker {
        let hand = Arc::new(Mutex::new((false, pose)));
        let silent = Arc::new(AtomicBool::new(false));
        let (shared, quiet) = (Arc::clone(&hand), Arc::clone(&silent));
        std::thread::spawn(move || {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            for number in 1.. {
                let (grasps, pose) = *shared.lock().unwrap();
                if !quiet.load(Ordering::Relaxed) {
                    let _ = socket.send_to(&HandPacket { number, grasps, pose }.bytes(), to);
                }
                if Arc::strong_count(&shared) == 1 {
                    return;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        Tracker { hand, silent }
    }

    fn set(&self, grasps: bool, pose: Pose) {
        *self.hand.lock().unwrap() = (grasps, pose);
    }
}

async fn devices(address: SocketAddr) -> Value {
    let request = format!("GET /api/devices HTTP/1.1\nHost: {address}\nConnection: close\n\n");
    let answer = http(address, &request).await;
    serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

fn newest_wrench(socket: &UdpSocket) -> Option<WrenchPacket> {
    let (mut bytes, mut newest) = ([0; 256], None);
    while let Ok(length) = socket.recv(&mut bytes) {
        newest = Some(WrenchPacket::read(&bytes[..length]).expect("a packet of the document"));
    }
    newest
}

#[tokio::test]
async fn a_tracked_hand_leads_a_part_feels_what_it_meets_and_a_lost_one_lets_go() {
    let felt = UdpSocket::bind("127.0.0.1:0").unwrap();
    felt.set_nonblocking(true).unwrap();
    let server = Server::bind(
        Gallery::standard(),
        Options {
            recordings: Store::new("no-recordings"),
            tracker: Some("127.0.0.1:0".parse().unwrap()),
            wrench: Some(felt.local_addr().unwrap()),
            ..Options::default()
        },
    )
    .await
    .unwrap();
    let (address, tracked) = (server.address(), server.tracker_address().unwrap());
    tokio::spawn(server.run(std::future::pending()));
    let mut page = Page::open(address, "scene=corner").await;
    page.say(json!({"type": "pause"})).await;
    page.say(json!({"type": "reset", "id": 1})).await;
    page.frame(|frame| frame.acknowledged() == 1).await;

    // The block stands at 0.3, 0.3, 0.3; the hand points at it from 0.7 m before it.
    let before = Pose::from_translation(DVec3::new(0.3, 0.3, 1.0));
    let tracker = Tracker::start(tracked, before);
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.send_to(b"hello", tracked).unwrap();
    stranger.send_to(&[0; 72], tracked).unwrap();
    while devices(address).await["tracker"]["packets"].as_u64() < Some(3) {}
    assert_eq!(devices(address).await["tracker"]["refused"], 2, "packets that are none are counted");
    tracker.set(true, before);
    let heard = devices(address).await["tracker"]["packets"].as_u64();
    while devices(address).await["tracker"]["packets"].as_u64() <= heard {}
    page.say(json!({"type": "play"})).await;
    page.frame(Frame::held).await;

    // Aside and turned, in the air: the block does what the hand does, about the point that it holds.
    let turn = DQuat::from_rotation_z(0.3);
    let aside = Pose::new(turn, DVec3::new(0.35, 0.4, 1.0));
    tracker.set(true, aside);
    let goal = aside.transform_point(before.inverse().transform_point(DVec3::splat(0.3)));
    let near = |place: [f32; 3], x: f64, y: f64| {
        DVec2::new(f64::from(place[0]) - x, f64::from(place[1]) - y).length() < 1e-3
    };
    let frame = page.frame(|frame| near(frame.position(), goal.x, goal.y)).await;
    let shown = frame.moment.poses[0];
    assert!((f64::from(shown[5]) - libm::sin(0.15)).abs() < 1e-3, "turned with the hand: {shown:?}");

    // Below the floor: the block stays on it, and the hand is pressed upwards.
    tracker.set(true, Pose::from_translation(DVec3::new(0.3, 0.0, 1.0)));
    let frame = page.frame(|frame| (frame.position()[1] - 0.08).abs() < 1e-3).await;
    assert!(frame.position()[1] >= 0.08, "half the block's height: {}", frame.position()[1]);
    let mut wrench = None;
    while !wrench.is_some_and(|packet: WrenchPacket| packet.wrench.force.y > 1.0) {
        page.frame(|_| true).await;
        wrench = newest_wrench(&felt).or(wrench);
    }
    let force = wrench.unwrap().wrench.force;
    assert!(DVec2::new(force.x, force.z).length() < 0.5 * force.y, "the floor presses upwards: {force}");

    // Silence: the hand is lost.
    tracker.silent.store(true, Ordering::Relaxed);
    page.frame(|frame| !frame.held()).await;
    while newest_wrench(&felt).is_none_or(|packet| packet.wrench.force != DVec3::ZERO) {
        page.frame(|_| true).await;
    }
    let now = devices(address).await;
    assert!(now["wrench"]["packets"].as_u64() > Some(10), "{now}");
    drop(tracker);
}

#[tokio::test]
async fn without_devices_the_server_says_so() {
    let options = Options { recordings: Store::new("no-recordings"), ..Options::default() };
    let address = start_with(Gallery::standard(), options).await;
    assert_eq!(devices(address).await, json!({"tracker": null, "wrench": null}));
}

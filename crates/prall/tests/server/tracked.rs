//! A hand that another program tracks, and the wrench that goes back.

use crate::page::{Frame, Page, http, start_with};
use glam::{DQuat, DVec2, DVec3};
use prall::handling::haptics::{DeviceModel, HapticDevice, VirtualDevice, WrenchPacket};
use prall::math::{Pose, Wrench};
use prall::recording::Store;
use prall::server::{ForceOptions, Gallery, Options, Server};
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
    assert_eq!(devices(address).await, json!({"tracker": null, "wrench": null, "force": null}));
}

/// A person at a simulated force-feedback device of 0.2 kg, who presses it: for each wrench that comes, a millisecond passes at the device and its pose is sent.
struct Person {
    /// What the hand presses with, and whether it is closed.
    does: Arc<Mutex<(bool, Wrench)>>,
    device: Arc<Mutex<VirtualDevice>>,
}

impl Person {
    fn start(felt: UdpSocket, to: SocketAddr, pose: Pose) -> Person {
        let body = DeviceModel { mass: 0.2, gyration: 0.05, damping: 5.0, delay: 0.0 };
        let device = Arc::new(Mutex::new(VirtualDevice::new(body, pose, 1e-3)));
        let does = Arc::new(Mutex::new((false, Wrench::ZERO)));
        let (shared, theirs) = (Arc::clone(&device), Arc::clone(&does));
        felt.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 256];
            for number in 1.. {
                let heard =
                    felt.recv(&mut bytes).ok().and_then(|length| WrenchPacket::read(&bytes[..length]));
                let (grasps, hand) = *theirs.lock().unwrap();
                let mut device = shared.lock().unwrap();
                device.hand = hand;
                if let Some(packet) = heard {
                    device.press(&packet.wrench);
                }
                let _ = felt.send_to(&HandPacket { number, grasps, pose: device.pose }.bytes(), to);
                if Arc::strong_count(&theirs) == 1 {
                    return;
                }
            }
        });
        Person { does, device }
    }

    fn does(&self, grasps: bool, force: DVec3) {
        *self.does.lock().unwrap() = (grasps, Wrench { force, torque: DVec3::ZERO });
    }

    /// Height and velocity of the hand.
    fn height(&self) -> (f64, f64) {
        let device = self.device.lock().unwrap();
        (device.pose.translation.y, device.twist.linear.y)
    }
}

/// The block of the scene is pressed on its floor by a device: the hand rests as deep as the stiffness says, and with the block at the floor. A scene that stands still lets go of the hand.
#[tokio::test]
async fn a_person_with_a_force_feedback_device_feels_the_floor_under_the_part() {
    let felt = UdpSocket::bind("127.0.0.1:0").unwrap();
    let force = ForceOptions::to(felt.local_addr().unwrap());
    let options = Options {
        recordings: Store::new("no-recordings"),
        tracker: Some("127.0.0.1:0".parse().unwrap()),
        force: Some(force),
        ..Options::default()
    };
    let server = Server::bind(Gallery::standard(), options).await.unwrap();
    let (address, tracked) = (server.address(), server.tracker_address().unwrap());
    tokio::spawn(server.run(std::future::pending()));
    let mut page = Page::open(address, "scene=corner").await;
    page.say(json!({"type": "pause"})).await;
    page.say(json!({"type": "reset", "id": 1})).await;
    page.frame(|frame| frame.acknowledged() == 1).await;

    // Above the block, which stands at 0.3, 0.3, 0.3; the hand points down.
    let down = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let person = Person::start(felt, tracked, Pose::new(down, DVec3::new(0.3, 1.0, 0.3)));
    person.does(true, DVec3::ZERO);
    let packets = |now: &Value| now["force"]["packets"].as_u64();
    while packets(&devices(address).await) < Some(20) {}
    page.say(json!({"type": "play"})).await;
    page.frame(Frame::held).await;
    person.does(true, DVec3::NEG_Y * 5.0);
    let frame = page.frame(|frame| (frame.position()[1] - 0.08).abs() < 1e-3).await;
    assert!(frame.position()[1] >= 0.08, "half the block's height: {}", frame.position()[1]);
    // The hand goes with the block by 0.22 m, and then as deep as 5 N press a wall of 800 N/m.
    let rests = 1.0 - 0.22 - 5.0 / 800.0;
    let mut calm = 0;
    while calm < 30 {
        page.frame(|_| true).await;
        let (height, speed) = person.height();
        calm = if (height - rests).abs() < 3e-4 && speed.abs() < 2e-3 { calm + 1 } else { 0 };
    }
    // Nothing new comes: the wall fades, and the hand sinks in.
    page.say(json!({"type": "pause"})).await;
    while person.height().0 > rests - 0.02 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // Again: it is not thrown out. It lets go, and is free.
    page.say(json!({"type": "play"})).await;
    page.frame(|_| true).await;
    assert!(person.height().1 < 0.05, "{} m/s", person.height().1);
    person.does(false, DVec3::ZERO);
    page.frame(|frame| !frame.held()).await;
    person.does(false, DVec3::NEG_Y * 1.0);
    let before = person.height().0;
    while person.height().0 > before - 0.05 {
        page.frame(|_| true).await;
    }
}

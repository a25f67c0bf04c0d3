use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use glam::DVec3;
use prall_detection::Budget;
use prall_geometry::{Cuboid, Shape};
use prall_math::{Pose, Twist, Wrench};

use super::*;
use crate::{Command, HandlingOptions, Held, Obstacle};

const TICK: f64 = 1e-3;

fn device(delay: f64) -> VirtualDevice {
    let body = DeviceModel { mass: 0.2, gyration: 0.05, damping: 5.0, delay };
    VirtualDevice::new(body, Pose::IDENTITY, TICK)
}

/// The plane y = 0, felt at the device's origin.
fn floor() -> Constraints {
    let plane = Plane { point: DVec3::ZERO, normal: DVec3::Y, room: 0.0 };
    Constraints::new(Pose::IDENTITY, DVec3::ZERO, [plane])
}

fn press(force: DVec3) -> Wrench {
    Wrench { force, torque: DVec3::ZERO }
}

/// Ticks for a time in s; the filter publishes every second tick if it is awake.
fn feel(
    renderer: &mut Renderer,
    device: &mut VirtualDevice,
    awake: Option<&Mailbox>,
    time: f64,
) -> Vec<Wrench> {
    let ticks = (time / TICK).round() as usize;
    (0..ticks)
        .map(|tick| {
            if let Some(mailbox) = awake.filter(|_| tick % 2 == 0) {
                mailbox.publish(&floor());
            }
            renderer.tick(device, TICK)
        })
        .collect()
}

fn set_up(stiffness: f64, delay: f64) -> (Mailbox, Renderer, VirtualDevice) {
    let mailbox = Mailbox::default();
    let options = HapticOptions { stiffness, ..HapticOptions::default() };
    (mailbox.clone(), Renderer::new(mailbox, options), device(delay))
}

/// A hand of 5 N rests 5 N / k deep in the wall, whatever the delay up to 10 ms, also if the device is a fifth heavier or lighter than it says; only at 2000 N/m and 10 ms deeper.
#[test]
fn a_hand_rests_on_a_wall_of_2000_newton_per_metre_with_ten_milliseconds_of_delay() {
    for stiffness in [500.0, 1000.0, 2000.0] {
        for delay in [0.0, 2e-3, 5e-3, 10e-3] {
            for error in [0.8, 1.0, 1.2] {
                let (mailbox, mut renderer, mut device) = set_up(stiffness, delay);
                device.stated.mass *= error;
                device.hand = press(DVec3::NEG_Y * 5.0);
                feel(&mut renderer, &mut device, Some(&mailbox), 4.0);
                let depth = -device.pose.translation.y;
                let place =
                    format!("{stiffness} N/m, {delay} s, {error}: {depth} m, {}", device.twist.linear.y);
                // What a sudden release would give behind 10 ms is more than pressing a wall of 2000 N/m gives: there the hand has to press deeper for it.
                let paid = stiffness * delay * delay < 0.15;
                let deepest = if paid { 1.01 } else { 1.4 };
                assert!((0.99..deepest).contains(&(depth * stiffness / 5.0)), "{place}");
                assert!(device.twist.linear.length() < 1e-5, "{place}");
            }
        }
    }
}

/// A hand that rests in the wall gets no work out of it, and one that presses and suddenly lets go ends with less, also behind 10 ms of delay.
#[test]
fn a_wall_gives_back_no_more_work_than_it_got() {
    for delay in [0.0, 5e-3, 10e-3, 20e-3] {
        let (mailbox, mut renderer, mut device) = set_up(2000.0, delay);
        device.hand = press(DVec3::NEG_Y * 5.0);
        feel(&mut renderer, &mut device, Some(&mailbox), 3.0);
        let (place, work) = (device.pose.translation.y, device.work);
        feel(&mut renderer, &mut device, Some(&mailbox), 5.0);
        assert!((device.pose.translation.y - place).abs() < 1e-6 && device.work - work < 1e-6, "at rest");
        device.hand = Wrench::ZERO;
        feel(&mut renderer, &mut device, Some(&mailbox), 3.0);
        assert!(device.pose.translation.y > -1e-6, "{delay} s: it comes out");
        assert!(device.work < 0.0, "{delay} s: {} J", device.work);
    }
}

/// Forces of a hand that presses, leans on the wall, lets go and turns, at random.
fn restless_hand(random: &mut u64) -> Wrench {
    let mut next = || {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*random >> 11) as f64 / (1_u64 << 53) as f64
    };
    let presses = if next() < 0.4 { 0.0 } else { 12.0 * next() };
    press(DVec3::new(2.0 * next() - 1.0, -presses, 0.0))
}

/// At no moment has a hand that presses and lets go, however restlessly, got more out of a wall than it gave; also if the device is heavier than it says.
#[test]
fn no_moment_of_a_restless_hand_takes_more_out_of_a_wall_than_it_gave() {
    let mut random = 7;
    for delay in [0.0, 2e-3, 5e-3, 10e-3, 20e-3] {
        for heavier in [1.0, 1.2] {
            let (mailbox, mut renderer, mut device) = set_up(2000.0, delay);
            device.body.mass *= heavier;
            let mut most = f64::NEG_INFINITY;
            for tick in 0..60_000 {
                if tick % 40 == 0 {
                    device.hand = restless_hand(&mut random);
                }
                feel(&mut renderer, &mut device, Some(&mailbox), TICK);
                most = most.max(device.work);
            }
            assert!(most < 1e-9, "{delay} s: {most} J");
            assert!(device.work < -0.1, "{delay} s: it was pressed: {} J", device.work);
        }
    }
}

/// A hand that pulls away can outrun what is on the way. What it gets then is owed: a hundred pulls give no more than the first.
#[test]
fn what_a_pulling_hand_gets_too_much_is_paid_back_at_the_next_contact() {
    let (mailbox, mut renderer, mut device) = set_up(2000.0, 10e-3);
    let mut most = Vec::new();
    for _ in 0..100 {
        let mut largest = f64::NEG_INFINITY;
        for (force, time) in [(-5.0, 0.3), (40.0, 0.05), (0.0, 0.1)] {
            device.hand = press(DVec3::Y * force);
            for _ in 0..(time / TICK) as usize {
                feel(&mut renderer, &mut device, Some(&mailbox), TICK);
                largest = largest.max(device.work);
            }
        }
        // Back to just above the wall.
        (device.pose, device.twist) = (Pose::from_translation(DVec3::Y * 1e-4), Twist::ZERO);
        feel(&mut renderer, &mut device, Some(&mailbox), 0.02);
        most.push(largest);
    }
    assert!(most[0] > 0.01, "the first pull outruns it: {most:?}");
    assert!(most.iter().all(|work| *work <= 1.01 * most[0]), "{most:?}");
}

#[test]
fn a_free_hand_feels_nothing_and_slides_along_a_wall_freely() {
    let (mailbox, mut renderer, mut device) = set_up(2000.0, 5e-3);
    device.pose = Pose::from_translation(DVec3::Y * 0.05);
    device.twist = Twist::new(DVec3::X * 0.3, DVec3::ZERO);
    assert!(feel(&mut renderer, &mut device, Some(&mailbox), 0.2).iter().all(|felt| *felt == Wrench::ZERO));
    device.pose = Pose::IDENTITY;
    device.hand = press(DVec3::new(1.0, -5.0, 0.0));
    let felt = feel(&mut renderer, &mut device, Some(&mailbox), 1.0);
    assert!(felt.iter().all(|felt| felt.force.x == 0.0));
    // 1 N against the device's own 5 N s/m.
    assert!((device.twist.linear.x - 0.2).abs() < 1e-3, "{}", device.twist.linear);
}

/// The solver stalls for 100 ms: the wall stays where it was. It stays away: the force fades. When it is back, a hand that has sunk in is not thrown out; the wall is there
/// again once the hand has left it.
#[test]
fn a_stalled_solver_leaves_the_device_smooth_and_safe() {
    let (mailbox, mut renderer, mut device) = set_up(2000.0, 5e-3);
    device.hand = press(DVec3::new(0.5, -5.0, 0.0));
    feel(&mut renderer, &mut device, Some(&mailbox), 2.0);
    let stalled = feel(&mut renderer, &mut device, None, 0.1);
    assert!(stalled.iter().all(|felt| (felt.force.y - 5.0).abs() < 0.01), "{:?}", stalled.last());
    assert!((device.pose.translation.y + 2.5e-3).abs() < 1e-4);
    let fading = feel(&mut renderer, &mut device, None, 0.4);
    assert_eq!(fading.last(), Some(&Wrench::ZERO));
    let worst = fading.windows(2).map(|pair| (pair[1].force - pair[0].force).length()).fold(0.0, f64::max);
    // 20 N at most fade in fifty ticks.
    assert!(worst <= 0.4, "{worst} N in a tick");
    assert!(device.pose.translation.y < -2.5e-3, "it sinks in");
    let back = feel(&mut renderer, &mut device, Some(&mailbox), 0.05);
    assert!(back.iter().all(|felt| *felt == Wrench::ZERO));
    (device.pose, device.twist) = (Pose::from_translation(DVec3::Y * 1e-3), Twist::ZERO);
    feel(&mut renderer, &mut device, Some(&mailbox), 3.0);
    assert!((device.pose.translation.y + 2.5e-3).abs() < 2.5e-5, "{}", device.pose.translation.y);
}

#[test]
fn forces_stay_within_their_limit_and_nonsense_presses_nothing() {
    let (mailbox, mut renderer, mut device) = set_up(2000.0, 0.0);
    mailbox.publish(&floor());
    renderer.tick(&mut device, TICK);
    device.pose = Pose::from_translation(DVec3::NEG_Y * 0.1);
    for _ in 0..100 {
        let felt = renderer.tick(&mut device, TICK);
        assert!(felt.force.length() <= 20.0 + 1e-9, "{}", felt.force);
    }
    device.pose.translation.y = f64::NAN;
    assert_eq!(renderer.tick(&mut device, TICK), Wrench::ZERO);
}

/// The filter is caught in the middle of publishing: the device thread goes on all the same.
#[test]
fn the_device_thread_never_waits_for_the_filter() {
    let (mailbox, mut renderer, mut device) = set_up(1000.0, 0.0);
    mailbox.publish(&floor());
    device.hand = press(DVec3::NEG_Y * 5.0);
    let (stop, ticks) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (stopped, counted) = (stop.clone(), ticks.clone());
    let thread = std::thread::spawn(move || {
        run(&mut renderer, &mut device, &stopped, |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
    });
    mailbox.while_locked(|| {
        let begun = ticks.load(Ordering::Relaxed);
        while ticks.load(Ordering::Relaxed) < begun + 100 {
            std::thread::yield_now();
        }
    });
    stop.store(true, Ordering::Relaxed);
    thread.join().expect("the device thread ends when asked to");
}

/// The whole loop: a device leads a cube onto a table, the filter follows every second tick, and the hand's 5 N come back.
#[test]
fn a_device_feels_the_table_under_a_held_cube() {
    let cube = Shape::Box(Cuboid::new(DVec3::splat(0.05)).expect("a cube"));
    let table = Shape::Box(Cuboid::new(DVec3::new(1.0, 0.1, 1.0)).expect("a table"));
    let table = Obstacle::new("table", &table, Pose::from_translation(DVec3::NEG_Y * 0.1)).expect("a table");
    let start = Pose::from_translation(DVec3::Y * 0.06);
    let mut held = Held::new(&cube, start, vec![table], HandlingOptions::default()).expect("free");
    let (mailbox, mut renderer, mut device) = set_up(2000.0, 5e-3);
    device.pose = start;
    device.hand = press(DVec3::NEG_Y * 5.0);
    let mut felt = Wrench::ZERO;
    for tick in 0..3000 {
        if tick % 2 == 0 {
            held.step(Some(&Command::Pose(device.pose)), 2.0 * TICK, &mut Budget::unlimited())
                .expect("a step");
            mailbox.publish(&Constraints::of(&held));
        }
        felt = renderer.tick(&mut device, TICK);
    }
    assert!((felt.force - DVec3::Y * 5.0).length() < 0.05, "{}", felt.force);
    let depth = held.pose().translation.y - device.pose.translation.y;
    assert!((depth - 2.5e-3).abs() < 5e-5, "{depth}");
}

#[test]
fn wrenches_arrive_as_they_were_sent() {
    let receiver = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let mut sender = WrenchSender::to(receiver.local_addr().expect("bound")).expect("a sender");
    let wrench = Wrench { force: DVec3::new(1.0, -2.0, 3.5), torque: DVec3::new(0.1, 0.2, -0.3) };
    for number in 0..2 {
        assert!(sender.send(0.25, &wrench));
        let mut bytes = [0; 100];
        let count = receiver.recv(&mut bytes).expect("a packet");
        let expected = WrenchPacket { number, time: 0.25, wrench };
        assert_eq!(WrenchPacket::read(&bytes[..count]), Some(expected));
        assert_eq!(WrenchPacket::read(&bytes[..count - 1]), None);
    }
}

use super::*;
use crate::pilot::PilotOptions;
use crate::run::Conditions;
use crate::run::tests::course;
use crate::sled::{GRAVITY, Setup, Sled, TWO_MAN};
use crate::study::{Sheet, set_off};
use std::net::UdpSocket;
use std::time::Duration;

const LEVEL: Sheet = Sheet { half_width: f64::INFINITY };

fn gliding(speed: f64, load: f64) -> Sled {
    let mut sled = set_off(&Setup::read("two-man", TWO_MAN).unwrap(), speed, 0.0).unwrap();
    for _ in 0..2000 {
        sled.step(&LEVEL, STEP, 0.0, 0.0, GRAVITY * load);
    }
    sled
}

/// The sled, the network and the device in one loop: plate to sled 8 ms, sled to controller `delay` seconds.
struct Loop {
    sled: Sled,
    load: f64,
    feeling: Feeling,
    controller: Controller,
    rig: Rig,
    delay: f64,
    ticks: u32,
    /// Angles on their way to the sled, packets on their way to the controller, with the tick of arrival.
    angles: std::collections::VecDeque<(u32, f64)>,
    packets: std::collections::VecDeque<(u32, Packet)>,
    due: f64,
    angle: f64,
    least_tank: f64,
    highest_voltage: f64,
}

impl Loop {
    fn new(sled: &Sled, load: f64, law: Law, hand: Hand, delay: f64) -> Loop {
        Loop {
            sled: sled.clone(),
            load,
            feeling: Feeling::new(FeelingOptions { law, ..FeelingOptions::default() }),
            controller: Controller::new(law),
            rig: Rig::new(hand),
            delay,
            ticks: 0,
            angles: std::collections::VecDeque::new(),
            packets: std::collections::VecDeque::new(),
            due: 0.0,
            angle: 0.0,
            least_tank: f64::INFINITY,
            highest_voltage: 0.0,
        }
    }

    fn tick(&mut self, push: f64) {
        let ticks = |seconds: f64| (seconds / TICK).round() as u32;
        let reading = self.rig.reading();
        self.angles.push_back((self.ticks + ticks(0.008), reading.position / LEVER));
        while self.angles.front().is_some_and(|(due, _)| *due <= self.ticks) {
            self.angle = self.angles.pop_front().unwrap().1;
        }
        self.due += TICK / STEP;
        let gravity = GRAVITY * self.load;
        while self.due >= 1.0 {
            self.due -= 1.0;
            // Hands turn by at most 1 rad/s here too: what was quantised is spread over the tick.
            let change = (self.angle - self.sled.steering()).clamp(-STEP, STEP);
            self.sled.step(&LEVEL, STEP, self.sled.steering() + change, 0.0, gravity);
            if let Some(window) = self.feeling.add(self.sled.steering_torque(), self.sled.drive().rate) {
                let damping = match self.feeling.options.law {
                    Law::Direct => 0.0,
                    Law::Damped => self.sled.steering_damping(&LEVEL, STEP, gravity),
                };
                let packet = self.feeling.packet(window, damping);
                self.packets.push_back((self.ticks + ticks(self.delay), packet));
            }
        }
        while self.packets.front().is_some_and(|(due, _)| *due <= self.ticks) {
            self.controller.receive(self.packets.pop_front().unwrap().1);
        }
        let voltage = self.controller.tick(reading.position, reading.force);
        self.rig.advance(voltage, 0.0, push);
        self.least_tank = self.least_tank.min(self.controller.tank());
        self.highest_voltage = self.highest_voltage.max(voltage.abs());
        self.ticks += 1;
    }

    /// 150 N for 0.3 s, then a second of rest: RMS of the plate's speed in mm/s over the last 0.3 s.
    fn unrest_after_a_push(&mut self) -> f64 {
        for _ in 0..300 {
            self.tick(150.0);
        }
        for _ in 0..1000 {
            self.tick(0.0);
        }
        let mut squares = 0.0;
        for _ in 0..300 {
            self.tick(0.0);
            squares += self.rig.plate().1 * self.rig.plate().1;
        }
        1e3 * (squares / 300.0_f64).sqrt()
    }
}

/// The whole loop with the sled at work in it comes to rest in every hand, behind every delay.
#[test]
fn a_pushed_plate_comes_to_rest_in_every_hand_behind_every_delay() {
    let sled = gliding(30.0, 3.0);
    let answers = std::thread::scope(|scope| {
        let threads = [0.0, 0.014, 0.02, 0.04].map(|delay| {
            let sled = sled.clone();
            scope.spawn(move || {
                Hand::ALL.map(|(name, hand)| {
                    let mut all = Loop::new(&sled, 3.0, Law::Damped, hand, delay);
                    (name, delay, all.unrest_after_a_push(), all.least_tank, all.highest_voltage)
                })
            })
        });
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    for (name, delay, unrest, tank, voltage) in answers {
        println!("{name} {delay} {unrest:.3} mm/s tank {tank:.2} J {voltage:.2} V");
        assert!(unrest <= 1.0, "{name}, {delay} s: {unrest} mm/s");
        assert!(tank >= 0.0 && voltage <= MAX_VOLTAGE);
    }
}

/// Why the damping is sent apart: as it is, the same torque keeps a relaxed hand swinging.
#[test]
fn the_direct_force_swings_in_a_light_hand_behind_a_delay() {
    let sled = gliding(30.0, 3.0);
    let hand = Hand::named("relaxed").unwrap();
    let direct = Loop::new(&sled, 3.0, Law::Direct, hand, 0.02).unrest_after_a_push();
    println!("direct {direct} mm/s, damping {}", sled.steering_damping(&LEVEL, STEP, GRAVITY * 3.0));
    assert!(direct > 50.0, "{direct} mm/s");
    assert!(Hand::named("iron").unwrap_err().contains("clamped"));
}

/// Of a linear viscous law: the measured coefficient brings torque and rate together again.
#[test]
fn force_without_damping_is_what_stands_still() {
    let mut feeling = Feeling::new(FeelingOptions::default());
    // M = 3 - 5 w, damping 5 / PRUDENCE: then the packet's force is that of w = 0.
    let packet = (1..=50).filter_map(|step| {
        let rate = 0.1 + 0.002 * f64::from(step);
        feeling.add(3.0 - 5.0 * rate, rate)
    });
    let windows: Vec<_> = packet.collect();
    assert_eq!(windows.len(), 1);
    let packet = feeling.packet(windows[0], 5.0 / PRUDENCE);
    assert!((packet.force - 30.0).abs() < 1e-9 && (packet.damping - 500.0).abs() < 1e-9, "{packet:?}");
    assert_eq!(packet.number, 1);
    let limited = feeling.packet((1e3, 0.0), 0.0);
    assert_eq!((limited.force, limited.damping), (400.0, 0.0));
    let scaled = FeelingOptions { scale: 0.5, ..FeelingOptions::default() };
    assert_eq!(Feeling::new(scaled).packet((3.0, 0.0), 0.0).force, 15.0);
    let wrong = FeelingOptions { rate: 5.0, ..FeelingOptions::default() }.defect();
    assert_eq!(wrong.unwrap(), "the rate must lie from 20 to 1000 packets a second, not 5");
}

/// Against a sled that is really steered: two runs of 10 ms, one turned by 0.1 rad/s, differ in their mean torque by the damping.
#[test]
fn damping_is_the_fall_of_the_torque_with_the_rate() {
    for (speed, load) in [(30.0, 3.0), (15.0, 1.0)] {
        let sled = gliding(speed, load);
        let steered = |rate: f64| {
            let mut sled = sled.clone();
            let mut sum = 0.0;
            for step in 1..=50 {
                sled.step(&LEVEL, STEP, rate * STEP * f64::from(step), 0.0, GRAVITY * load);
                sum += sled.steering_torque();
            }
            sum / 50.0
        };
        for n in [5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 200] {
            for turn in [0.02, 0.1, 0.2, 0.5] {
                let at = |turn: f64| {
                    let mut sled = sled.clone();
                    let mut last = 0.0;
                    let mut sum = 0.0;
                    for step in 1..=n {
                        sled.step(&LEVEL, STEP, turn * STEP * f64::from(step), 0.0, GRAVITY * load);
                        last = sled.steering_torque();
                        sum += last;
                    }
                    (last, sum / f64::from(n))
                };
                let (a, b) = (at(-turn), at(turn));
                print!(
                    "{n} {turn}: last {:.2} mean {:.2}   ",
                    (a.0 - b.0) / (2.0 * turn),
                    (a.1 - b.1) / (2.0 * turn)
                );
            }
            println!();
        }
        let expected = (steered(-0.1) - steered(0.1)) / 0.2;
        let damping = sled.steering_damping(&LEVEL, STEP, GRAVITY * load);
        println!("{speed} m/s {load} g: {damping} expected {expected}");
        assert!(damping > 0.3 && (damping - expected).abs() < 0.25 * expected, "{damping} {expected}");
    }
}

/// Looking changes no bit, and the packets hold the mean of the torque over their windows.
#[test]
fn feeling_a_run_leaves_it_as_it_is() {
    let course = course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let run =
        || crate::run::Run::new(&course, &setup, PilotOptions::default(), Conditions::default()).unwrap();
    let (mut felt, mut plain) = (run(), run());
    let mut feeling = Feeling::new(FeelingOptions { law: Law::Direct, ..FeelingOptions::default() });
    let mut damped = Feeling::new(FeelingOptions::default());
    let (mut packets, mut sum) = (0, 0.0);
    for step in 1..=1000 {
        felt.step(&crate::run::Hands::Pilot);
        plain.step(&crate::run::Hands::Pilot);
        sum += felt.sled().steering_torque();
        damped.see(&felt);
        if let Some(packet) = feeling.see(&felt) {
            packets += 1;
            assert_eq!((step % 50, packet.number, packet.damping), (0, packets, 0.0));
            let mean = std::mem::take(&mut sum) / 50.0 / 0.1;
            assert!((packet.force - mean.clamp(-400.0, 400.0)).abs() < 1e-9);
        }
    }
    assert_eq!(packets, 20);
    assert_eq!(felt.sled().hash(), plain.sled().hash());
}

fn clamped_under(force: f64, ticks: u32) -> (Controller, Rig) {
    let (mut controller, mut rig) = (Controller::new(Law::Damped), Rig::new(Hand::ALL[4].1));
    for tick in 0..ticks {
        if tick % 10 == 0 {
            controller.receive(Packet { number: u64::from(tick / 10) + 1, force, damping: 600.0 });
        }
        let reading = rig.reading();
        let voltage = controller.tick(reading.position, reading.force);
        rig.advance(voltage, 0.0, 0.0);
    }
    (controller, rig)
}

#[test]
fn the_force_arrives_and_is_let_go_when_packets_stay_away() {
    let (mut controller, mut rig) = clamped_under(15.0, 1500);
    assert!((rig.force() - 15.0).abs() < 1.5, "{} N", rig.force());
    // A late packet changes nothing.
    controller.receive(Packet { number: 149, force: -300.0, damping: 0.0 });
    let mut go = |controller: &mut Controller, ticks: u32| {
        let mut sum = 0.0;
        for _ in 0..ticks {
            let reading = rig.reading();
            let voltage = controller.tick(reading.position, reading.force);
            rig.advance(voltage, 0.0, 0.0);
            sum += controller.reference();
        }
        sum / f64::from(ticks)
    };
    assert!(!controller.lets_go() && (go(&mut controller, 20) - 15.0).abs() < 1.0);
    go(&mut controller, 60);
    assert!(controller.lets_go());
    go(&mut controller, 150);
    assert!(go(&mut controller, 20).abs() < 0.75, "5 % are left 235 ms after the last packet at most");
    // A new run counts from 1 again.
    controller.receive(Packet { number: 1, force: 15.0, damping: 0.0 });
    assert!(!controller.lets_go());
}

/// Whatever is asked for, the amplifier gets what it takes, and the integral does not wind up.
#[test]
fn voltages_stay_within_what_the_amplifier_takes() {
    let (mut controller, mut rig) = clamped_under(400.0, 600);
    assert!((rig.force() - 400.0).abs() < 20.0, "{} N", rig.force());
    let mut highest: f64 = 0.0;
    for tick in 0..300_u32 {
        let force = if tick % 20 < 10 { 400.0 } else { -400.0 };
        controller.receive(Packet { number: 1000 + u64::from(tick), force, damping: 1e6 });
        // The hand shakes the plate by 1000 N either way.
        let reading = rig.reading();
        let voltage = controller.tick(reading.position, reading.force);
        rig.advance(voltage, 0.0, if tick % 7 < 3 { 1000.0 } else { -1000.0 });
        highest = highest.max(voltage.abs());
    }
    assert!(highest <= MAX_VOLTAGE && rig.plate().0.abs() < 0.03, "{highest} V, {:?}", rig.plate());
}

#[test]
fn packets_arrive_as_they_were_sent_and_nobody_is_waited_for() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut sender = Sender::to(receiver.local_addr().unwrap()).unwrap();
    let packet = Packet { number: 7, force: -12.25, damping: 640.0 };
    sender.send(&packet);
    let mut buffer = [0; 64];
    let length = receiver.recv(&mut buffer).unwrap();
    assert_eq!((length, Packet::read(&buffer[..length])), (32, Ok(packet)));
    assert_eq!(sender.lost(), 0);
    assert_eq!(Packet::read(&buffer[..20]), Err(PacketError::Length(20)));
    assert_eq!(Packet::read(b"hello"), Err(PacketError::Magic));
    let nothing = Packet { force: f64::NAN, ..packet };
    assert_eq!(Packet::read(&nothing.to_bytes()), Err(PacketError::Number));
    buffer[4] = 9;
    assert_eq!(Packet::read(&buffer[..32]), Err(PacketError::Version(9)));
    // Nobody listens any more: sends come back all the same.
    drop(receiver);
    for number in 0..2000 {
        sender.send(&Packet { number, ..packet });
    }
}

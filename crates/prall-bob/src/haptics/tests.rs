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

/// What answers the steering in the loop.
#[derive(Clone, Debug)]
enum Answer {
    /// The sled, as it goes on.
    Sled,
    /// The ice alone, as it was when the push began: a torque in N m at rest, and a damping in N m s/rad. Nothing else moves.
    Ice { torque: f64, damping: f64 },
}

impl Answer {
    /// The ice under a sled, with its steering held: the torque is the mean over 10 ms.
    fn held(sled: &Sled, load: f64) -> Answer {
        let gravity = GRAVITY * load;
        let damping = sled.steering_damping(&LEVEL, STEP, gravity);
        let mut sled = sled.clone();
        let mut torque = 0.0;
        for _ in 0..50 {
            sled.step(&LEVEL, STEP, sled.steering(), 0.0, gravity);
            torque += sled.steering_torque() / 50.0;
        }
        Answer::Ice { torque, damping }
    }
}

/// The sled, the network and the device in one loop: plate to sled 8 ms, sled to controller `delay` seconds.
struct Loop {
    sled: Sled,
    answer: Answer,
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
    /// Sum of the ice's torque over all steps in N m, and how many there were.
    torque: f64,
    steps: f64,
}

impl Loop {
    fn new(sled: &Sled, load: f64, law: ForceLaw, hand: Hand, delay: f64) -> Loop {
        Loop {
            sled: sled.clone(),
            answer: Answer::Sled,
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
            torque: 0.0,
            steps: 0.0,
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
            (self.torque, self.steps) = (self.torque + self.sled.steering_torque(), self.steps + 1.0);
            let packet = match self.answer {
                Answer::Sled => {
                    let damping = || self.sled.steering_damping(&LEVEL, STEP, gravity);
                    self.feeling.see_sled(&self.sled, damping)
                }
                Answer::Ice { torque, damping } => {
                    let rate = self.sled.drive().rate;
                    let window = self.feeling.add(Window { torque: torque - damping * rate, rate });
                    window.map(|window| self.feeling.packet(window, PRUDENCE * damping))
                }
            };
            if let Some(packet) = packet {
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

    /// A tick without a push; the torque of the ice in it, the mean over its steps.
    fn mean_torque(&mut self) -> f64 {
        let before = (self.torque, self.steps);
        self.tick(0.0);
        (self.torque - before.0) / (self.steps - before.1).max(1.0)
    }

    /// 60 N for 0.1 s, then a second of rest: RMS of the plate's speed in mm/s over the last 0.3 s.
    fn unrest_after_a_push(&mut self) -> f64 {
        for tick in 0..1100 {
            self.tick(if tick < 100 { 60.0 } else { 0.0 });
        }
        let mut squares = 0.0;
        for _ in 0..300 {
            self.tick(0.0);
            squares += self.rig.plate().1 * self.rig.plate().1;
        }
        1e3 * (squares / 300.0_f64).sqrt()
    }
}

/// The whole loop with the sled at work in it. A hand that yields goes on moving as the ice presses it
/// (`what_moves_a_loose_hand_is_the_force_of_the_ice`): that is there without any delay too. What a delay adds is what is asked for.
#[test]
fn a_delay_adds_no_swing_to_a_pushed_plate_in_any_hand() {
    for load in [1.0, 3.0] {
        let sled = gliding(30.0, load);
        let answers = std::thread::scope(|scope| {
            let threads = [0.0, 0.014, 0.02, 0.04].map(|delay| {
                let sled = sled.clone();
                scope.spawn(move || {
                    Hand::ALL.map(|(_, hand)| {
                        let mut all = Loop::new(&sled, load, ForceLaw::Damped, hand, delay);
                        (delay, all.unrest_after_a_push(), all.least_tank, all.highest_voltage)
                    })
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        for (index, (name, _)) in Hand::ALL.iter().enumerate() {
            let at_once = answers[0][index].1;
            for (delay, unrest, tank, voltage) in answers.map(|all| all[index]) {
                println!("{load} g, {name}, {delay} s: {unrest:.2} mm/s, tank {tank:.2} J, {voltage:.2} V");
                let most = if delay <= 0.02 { 1.5 * at_once + 1.0 } else { 60.0 };
                assert!(
                    unrest <= most,
                    "{load} g, {name}, {delay} s: {unrest} mm/s, {at_once} without delay"
                );
                assert!(tank >= 0.0 && voltage <= MAX_VOLTAGE);
                assert!(*name != "clamped" || unrest < 1.0, "{unrest}");
            }
        }
    }
}

/// The network, the device and a hand around ice that only opposes the steering's speed: what the loop itself does. It does not swing; a plate that
/// nobody holds stops, and a hand is brought back by its own spring through the controller's damping of 1200 N s/m, the slower the softer it is.
#[test]
fn the_loop_alone_comes_to_rest() {
    for load in [1.0, 3.0] {
        let sled = gliding(30.0, load);
        let ice = Answer::held(&sled, load);
        for (name, hand) in Hand::ALL {
            let mut alone = Loop::new(&sled, load, ForceLaw::Damped, hand, 0.04);
            alone.answer = ice.clone();
            let unrest = alone.unrest_after_a_push();
            let (x, _) = alone.rig.plate();
            // Brought back by k x through c, x falls as exp(-k t/c): from its end back over the 0.3 s of the mean. A stiff hand is back long before.
            let rate = hand.stiffness / (1200.0 + hand.damping);
            let over = libm::expm1(0.6 * rate) / (0.6 * rate).max(1e-9);
            let back = if rate < 4.0 { 1e3 * rate * x.abs() * over.sqrt() } else { 0.0 };
            println!("{load} g, {name}: {unrest:.2} mm/s, its spring brings it back with {back:.2}");
            assert!((unrest - back).abs() < 0.15 * back + 0.2, "{load} g, {name}: {unrest} mm/s, {back}");
        }
    }
}

/// With the sled in the loop a loose hand moves on: not because anything swings, but because the ice turns the steering of a sled that has begun to
/// turn, and the hand lets it. Its speed is the ice's force, less that of its own spring, over the damping, and it goes one way. Under its own weight the
/// sled then stays in its turn, and the hand rests at its spring or at the stop; under three times of it the sled winds on from side to side.
#[test]
fn what_moves_a_loose_hand_is_the_force_of_the_ice() {
    let cases = [("free", 1.0), ("relaxed", 1.0), ("free", 3.0), ("relaxed", 3.0)];
    let drive = |(name, load): (&str, f64)| {
        let sled = gliding(30.0, load);
        let hand = Hand::named(name).unwrap();
        let mut whole = Loop::new(&sled, load, ForceLaw::Damped, hand, 0.02);
        for tick in 0..1100 {
            whole.tick(if tick < 100 { 60.0 } else { 0.0 });
        }
        let (mut torque, mut spring) = (0.0, 0.0);
        let begin = whole.rig.plate().0;
        let mut speeds = Vec::new();
        for _ in 0..300 {
            torque += whole.mean_torque() / 300.0;
            spring += hand.stiffness * whole.rig.plate().0 / 300.0;
            speeds.push(whole.rig.plate().1);
        }
        let driven = 1e3 * (whole.rig.plate().0 - begin) / 0.3;
        let scale = FeelingOptions::default().scale;
        let expected = 1e3 * (scale * torque / LEVER - spring) / (1200.0 + hand.damping);
        let one_way = speeds.iter().filter(|speed| **speed * driven > 0.0).count();
        println!("{load} g, {name}: {driven:.2} mm/s, by the force {expected:.2}; {one_way} of 300 that way");
        assert!(
            (driven - expected).abs() < 0.25 * driven.abs() + 1.0,
            "{load} g, {name}: {driven} {expected}"
        );
        assert!(one_way > 290, "{load} g, {name}: {one_way}");
        if load > 1.0 {
            return;
        }
        for _ in 0..4600 {
            whole.tick(0.0);
        }
        let squares: f64 = (0..300)
            .map(|_| {
                whole.tick(0.0);
                whole.rig.plate().1 * whole.rig.plate().1
            })
            .sum();
        let rest = 1e3 * libm::sqrt(squares / 300.0);
        println!(
            "{load} g, {name}: {rest:.2} mm/s six seconds later, at {:.2} mm",
            1e3 * whole.rig.plate().0
        );
        assert!(rest < 1.0, "{load} g, {name}: {rest} mm/s");
    };
    std::thread::scope(|scope| {
        cases.chunks(2).for_each(|part| _ = scope.spawn(move || part.iter().copied().for_each(drive)));
    });
}

/// Why the damping is taken out: as it is, the same torque keeps a relaxed hand swinging, several times as far.
#[test]
fn the_direct_force_swings_in_a_light_hand_behind_a_delay() {
    let sled = gliding(30.0, 3.0);
    let hand = Hand::named("relaxed").unwrap();
    let [direct, damped] = [ForceLaw::Direct, ForceLaw::Damped]
        .map(|law| Loop::new(&sled, 3.0, law, hand, 0.02).unrest_after_a_push());
    println!("direct {direct} mm/s, damped {damped} mm/s");
    assert!(direct > 3.0 * damped, "{direct} and {damped} mm/s");
    assert!(Hand::named("iron").unwrap_err().contains("clamped"));
}

/// Of a linear law: the packet's force is that of a plate at rest.
#[test]
fn force_without_damping_is_what_stands_still() {
    let plain = FeelingOptions { scale: 1.0, ..FeelingOptions::default() };
    let mut feeling = Feeling::new(plain);
    // M = 3 - 5 w, with a rate from 0.1 to 0.2.
    let windows: Vec<Window> = (1..=50)
        .filter_map(|step| {
            let rate = 0.1 + 0.002 * f64::from(step);
            feeling.add(Window { torque: 3.0 - 5.0 * rate, rate })
        })
        .collect();
    assert_eq!(windows.len(), 1);
    let packet = feeling.packet(windows[0], 5.0);
    assert!((packet.force - 30.0).abs() < 1e-9 && packet.number == 1, "{packet:?}");
    let strong = Window { torque: 1e3, ..Window::default() };
    assert_eq!(feeling.packet(strong, 0.0).force, 400.0);
    let scaled = FeelingOptions { scale: 0.25, ..FeelingOptions::default() };
    assert_eq!(Feeling::new(scaled).packet(Window { torque: 4.0, rate: 0.0 }, 0.0).force, 10.0);
    let wrong = FeelingOptions { rate: 5.0, ..FeelingOptions::default() }.defect();
    assert_eq!(wrong.unwrap(), "the rate must lie from 20 to 1000 packets a second, not 5");
}

/// Against a sled that is really steered: right after the turn begins its torque falls by the damping times the rate, before the angle counts.
#[test]
fn damping_is_the_fall_of_the_torque_with_the_rate() {
    for (speed, load) in [(30.0, 3.0), (25.0, 3.0)] {
        let sled = gliding(speed, load);
        let steered = |rate: f64| {
            let mut sled = sled.clone();
            for step in 1..=3 {
                sled.step(&LEVEL, STEP, rate * STEP * f64::from(step), 0.0, GRAVITY * load);
            }
            sled.steering_torque()
        };
        let expected = (steered(-0.1) - steered(0.1)) / 0.2;
        let damping = sled.steering_damping(&LEVEL, STEP, GRAVITY * load);
        println!("{speed} m/s, {load} g: {damping} N m s/rad, {expected} in three steps");
        assert!(damping > 0.0 && (damping - expected).abs() < 0.3 * expected, "{damping} {expected}");
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
    let mut feeling =
        Feeling::new(FeelingOptions { law: ForceLaw::Direct, scale: 1.0, ..FeelingOptions::default() });
    let mut damped = Feeling::new(FeelingOptions::default());
    let (mut packets, mut sum) = (0, 0.0);
    for step in 1..=1000 {
        felt.step(&crate::run::Hands::Pilot);
        plain.step(&crate::run::Hands::Pilot);
        sum += felt.sled().steering_torque();
        damped.see(&felt);
        if let Some(packet) = feeling.see(&felt) {
            packets += 1;
            assert_eq!((step % 50, packet.number), (0, packets));
            let mean = std::mem::take(&mut sum) / 50.0 / 0.1;
            assert!((packet.force - mean.clamp(-400.0, 400.0)).abs() < 1e-9);
        }
    }
    assert_eq!(packets, 20);
    assert_eq!(felt.sled().hash(), plain.sled().hash());
}

fn clamped_under(force: f64, ticks: u32) -> (Controller, Rig) {
    let (mut controller, mut rig) = (Controller::new(ForceLaw::Damped), Rig::new(Hand::ALL[4].1));
    for tick in 0..ticks {
        if tick % 10 == 0 {
            controller.receive(Packet { number: u64::from(tick / 10) + 1, force });
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
    controller.receive(Packet { number: 149, force: -300.0 });
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
    controller.receive(Packet { number: 1, force: 15.0 });
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
        controller.receive(Packet { number: 1000 + u64::from(tick), force });
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
    let packet = Packet { number: 7, force: -12.25 };
    sender.send(&packet);
    let mut buffer = [0; 64];
    let length = receiver.recv(&mut buffer).unwrap();
    assert_eq!((length, Packet::read(&buffer[..length])), (24, Ok(packet)));
    assert_eq!(sender.lost(), 0);
    assert_eq!(Packet::read(&buffer[..20]), Err(PacketError::Length(20)));
    assert_eq!(Packet::read(b"hello"), Err(PacketError::Magic));
    let nothing = Packet { force: f64::NAN, ..packet };
    assert_eq!(Packet::read(&nothing.to_bytes()), Err(PacketError::Number));
    buffer[4] = 9;
    assert_eq!(Packet::read(&buffer[..24]), Err(PacketError::Version(9)));
    // Nobody listens any more: sends come back all the same.
    drop(receiver);
    for number in 0..2000 {
        sender.send(&Packet { number, ..packet });
    }
}

//! [`Controller`]: the force loop of a device, a thousand times a second.
//!
//! With the force `F0` of the newest packet, the plate's speed `x'` and the measured force `f`:
//!
//! 1. `r` follows `F0` through two poles and a limit on its rate; a watchdog scales `F0` and the damping to zero when packets stay away.
//! 2. A tank `E` pays for the work that `r` does on the plate: `E' = P - a r x'` with `a = clamp(E / E1)`. What a delay would add to the
//!    swing is thus bounded by the inflow `P`, whatever hand, ice and network are (Hannaford and Ryu 2002; Franken et al. 2011).
//! 3. `reference = a r - b x' - (1 - a) d x'`: damping is rendered here, where it is not late.
//! 4. `u = (reference + p e + i int(e) - c x') / n` with `e = reference - f`, within 10 V.

use super::ForceLaw;
use super::packet::Packet;

/// Time between two ticks in s.
pub const TICK: f64 = 1e-3;
/// Largest force that is rendered, in N: more hurts.
pub const MAX_FORCE: f64 = 400.0;
/// What the amplifier takes, in V either way.
pub const MAX_VOLTAGE: f64 = 10.0;
/// Force of the motor at the lever, in N/V.
pub(super) const NEWTONS_PER_VOLT: f64 = 50.0;

/// Poles of the target's filter in Hz: below them lies what a run tells the hands, above them hits that only jerk.
const TARGET_POLE: f64 = 25.0;
/// Largest rate of the target in N/s.
const TARGET_RATE: f64 = 8e3;
/// Pole of measured speed and force in Hz.
const SENSOR_POLE: f64 = 60.0;
/// Damping in N s/m: about eight times that of the ice at 3 g. More would need a better speed than a potentiometer gives, with a third of it light hands
/// swing.
const DAMPING: f64 = 1200.0;
/// Tank: what it holds in J, from where on it gives less in J, and its inflow in W.
const TANK: f64 = 2.0;
const TANK_LOW: f64 = 1.0;
const INFLOW: f64 = 2.0;
/// Damping in N s/m when the tank is empty.
const EMPTY_DAMPING: f64 = 400.0;
/// Gains of the force loop: proportional, integral in 1/s, its largest share in N, and damping of the motor in N s/m.
const PROPORTIONAL: f64 = 0.5;
const INTEGRAL: f64 = 25.0;
const MAX_INTEGRAL: f64 = 150.0;
const MOTOR_DAMPING: f64 = 80.0;
/// Without a packet for this long, in s, the device lets go ...
const SILENCE: f64 = 0.05;
/// ... within this time, and takes hold again within that, in s.
const LETTING_GO: f64 = 0.1;
const TAKING_HOLD: f64 = 0.2;
/// So many numbers back, and a packet is of a new run and not of a late one.
const NEW_RUN: u64 = 100;

/// A force loop.
#[derive(Clone, Debug)]
pub struct Controller {
    law: ForceLaw,
    newest: Option<Packet>,
    /// Since the last packet in s.
    silence: f64,
    /// Share of force and damping that the watchdog lets through.
    hold: f64,
    /// Target after one pole, and after both and the limit on its rate, in N.
    filtered: f64,
    target: f64,
    /// Last position in m, speed in m/s, force in N, after their filters.
    position: Option<f64>,
    speed: f64,
    force: f64,
    tank: f64,
    integral: f64,
    reference: f64,
}

impl Controller {
    /// At rest, with a full tank.
    pub fn new(law: ForceLaw) -> Controller {
        Controller {
            law,
            newest: None,
            silence: f64::INFINITY,
            hold: 0.0,
            filtered: 0.0,
            target: 0.0,
            position: None,
            speed: 0.0,
            force: 0.0,
            tank: TANK,
            integral: 0.0,
            reference: 0.0,
        }
    }

    /// Takes a packet, unless a newer one is there.
    pub fn receive(&mut self, packet: Packet) {
        let late = self
            .newest
            .is_some_and(|newest| packet.number <= newest.number && newest.number - packet.number < NEW_RUN);
        if !late {
            self.newest = Some(packet);
            self.silence = 0.0;
        }
    }

    /// One tick: the voltage from the plate's position in m and the force on it in N as the gauge measures it.
    pub fn tick(&mut self, position: f64, force: f64) -> f64 {
        self.sense(position, force);
        let wanted = self.newest.unwrap_or_default().force.clamp(-MAX_FORCE, MAX_FORCE);
        self.watch();
        self.reference = match self.law {
            ForceLaw::Direct => self.hold * wanted,
            ForceLaw::Damped => self.damped(wanted),
        };
        self.drive()
    }

    /// Watchdog: true while it lets go because packets stay away.
    pub fn lets_go(&self) -> bool {
        self.silence > SILENCE
    }

    /// Force in N that the loop is to bring about.
    pub fn reference(&self) -> f64 {
        self.reference
    }

    /// What is left in the tank in J.
    pub fn tank(&self) -> f64 {
        self.tank
    }

    fn sense(&mut self, position: f64, force: f64) {
        let difference = self.position.map_or(0.0, |last| (position - last) / TICK);
        self.position = Some(position);
        let share = pole(SENSOR_POLE);
        self.speed += share * (difference - self.speed);
        self.force += share * (force - self.force);
    }

    fn watch(&mut self) {
        self.silence += TICK;
        let change = if self.silence > SILENCE { -TICK / LETTING_GO } else { TICK / TAKING_HOLD };
        self.hold = (self.hold + change).clamp(0.0, 1.0);
    }

    fn damped(&mut self, wanted: f64) -> f64 {
        let share = pole(TARGET_POLE);
        self.filtered += share * (self.hold * wanted - self.filtered);
        let change = share * (self.filtered - self.target);
        self.target += change.clamp(-TARGET_RATE * TICK, TARGET_RATE * TICK);
        let given = (self.tank / TANK_LOW).clamp(0.0, 1.0);
        self.tank = (self.tank + (INFLOW - given * self.target * self.speed) * TICK).clamp(0.0, TANK);
        let damping = self.hold * DAMPING + (1.0 - given) * EMPTY_DAMPING;
        (given * self.target - damping * self.speed).clamp(-MAX_FORCE, MAX_FORCE)
    }

    fn drive(&mut self) -> f64 {
        let error = self.reference - self.force;
        let wanted = self.reference + PROPORTIONAL * error + self.integral - MOTOR_DAMPING * self.speed;
        let voltage = (wanted / NEWTONS_PER_VOLT).clamp(-MAX_VOLTAGE, MAX_VOLTAGE);
        // At the limit an integral would only grow.
        if wanted.abs() <= MAX_VOLTAGE * NEWTONS_PER_VOLT {
            self.integral = (self.integral + INTEGRAL * error * TICK).clamp(-MAX_INTEGRAL, MAX_INTEGRAL);
        }
        voltage
    }
}

/// Share by which a first-order filter with a pole in Hz moves in a tick.
fn pole(hertz: f64) -> f64 {
    1.0 - libm::exp(-std::f64::consts::TAU * hertz * TICK)
}

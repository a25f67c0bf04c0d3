//! [`Rig`]: a simulated force device, and [`Hand`], who holds it.
//!
//! A motor turns a spindle; motor and spindle count as one mass at the lever. A strain gauge, a stiff spring, joins it to the plate that
//! hands hold, between two stops. All numbers are estimates for a device of that kind.

use super::controller::{MAX_VOLTAGE, NEWTONS_PER_VOLT, TICK};
use crate::run::even_number;

/// Steps of the rig in a tick of the controller: the gauge swings at 210 Hz.
const STEPS: u32 = 20;
/// Motor with spindle: kg at the lever, N s/m, Coulomb friction in N, lag of the current in s.
const MOTOR: f64 = 7.0;
const VISCOUS: f64 = 20.0;
const COULOMB: f64 = 12.0;
const LAG: f64 = 0.5e-3;
/// Gauge: N/m, N s/m, noise in N (standard deviation), quantum in N, pole of its amplifier in Hz.
const GAUGE: f64 = 5e6;
const GAUGE_DAMPING: f64 = 500.0;
const NOISE: f64 = 1.0;
const FORCE_QUANTUM: f64 = 0.5;
const GAUGE_POLE: f64 = 300.0;
/// Plate in kg, its stops in m either way (10 degrees at the lever), their stiffness in N/m and damping in N s/m.
const PLATE: f64 = 5.0;
const STOP: f64 = 0.0175;
const STOP_STIFFNESS: f64 = 1e6;
const STOP_DAMPING: f64 = 2e3;
/// Quantum of the potentiometer in m: 12 bits over 35 mm.
const POSITION_QUANTUM: f64 = 8.5e-6;

/// Arms that hold the plate: a mass with a spring and a damper to where they want it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// Moved with the plate, in kg.
    pub mass: f64,
    /// In N s/m.
    pub damping: f64,
    /// In N/m.
    pub stiffness: f64,
}

impl Hand {
    /// Known hands by name, from none to a vice; estimates.
    pub const ALL: [(&'static str, Hand); 5] = [
        ("free", Hand { mass: 0.0, damping: 0.0, stiffness: 0.0 }),
        ("relaxed", Hand { mass: 2.4, damping: 40.0, stiffness: 1e3 }),
        ("medium", Hand { mass: 6.0, damping: 140.0, stiffness: 4e3 }),
        ("firm", Hand { mass: 12.0, damping: 350.0, stiffness: 12e3 }),
        ("clamped", Hand { mass: 12.0, damping: 350.0, stiffness: 60e3 }),
    ];

    /// One of them; the error lists all.
    pub fn named(name: &str) -> Result<Hand, String> {
        let found = Hand::ALL.iter().find(|(known, _)| *known == name);
        let names = || Hand::ALL.map(|(known, _)| known).join(", ");
        found.map(|(_, hand)| *hand).ok_or_else(|| format!("no hand \"{name}\": there are {}", names()))
    }
}

/// What the sensors say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// Of the plate, to the left above zero, in m.
    pub position: f64,
    /// On the plate by the gauge, in N.
    pub force: f64,
}

/// A device and a hand.
#[derive(Clone, Debug)]
pub struct Rig {
    hand: Hand,
    current: f64,
    motor: (f64, f64),
    plate: (f64, f64),
    /// Force in the gauge, and after its amplifier, in N.
    gauge: f64,
    amplified: f64,
    noise: u64,
}

impl Rig {
    /// At rest in the middle.
    pub fn new(hand: Hand) -> Rig {
        Rig { hand, current: 0.0, motor: (0.0, 0.0), plate: (0.0, 0.0), gauge: 0.0, amplified: 0.0, noise: 1 }
    }

    /// What the sensors say now, noise and quanta included.
    pub fn reading(&mut self) -> Reading {
        let even = |state: &mut u64| (0..12).map(|_| even_number(state)).sum::<f64>() - 6.0;
        let force = self.amplified + NOISE * even(&mut self.noise);
        let quantised = |value: f64, quantum: f64| (value / quantum).round() * quantum;
        Reading {
            position: quantised(self.plate.0, POSITION_QUANTUM),
            force: quantised(force, FORCE_QUANTUM),
        }
    }

    /// Position in m and speed in m/s of the plate, as they are.
    pub fn plate(&self) -> (f64, f64) {
        self.plate
    }

    /// Force in N in the gauge, as it is.
    pub fn force(&self) -> f64 {
        self.gauge
    }

    /// Goes on by a tick under a voltage; the hand wants the plate at a place in m and pushes with a force in N beside.
    pub fn advance(&mut self, voltage: f64, wanted: f64, push: f64) {
        let h = TICK / f64::from(STEPS);
        let voltage = voltage.clamp(-MAX_VOLTAGE, MAX_VOLTAGE);
        let amplifier = 1.0 - libm::exp(-std::f64::consts::TAU * GAUGE_POLE * h);
        for _ in 0..STEPS {
            self.current += (NEWTONS_PER_VOLT * voltage - self.current) * (h / LAG);
            let (x, v) = self.plate;
            let (y, w) = self.motor;
            self.gauge = GAUGE * (y - x) + GAUGE_DAMPING * (w - v);
            let pull = self.current - self.gauge - VISCOUS * w;
            // Coulomb's friction stops, and never turns round.
            let free = w + h * pull / MOTOR;
            let most = h * COULOMB / MOTOR;
            let w = if free.abs() <= most { 0.0 } else { free - most.copysign(free) };
            let Hand { mass, damping, stiffness } = self.hand;
            let beyond = x - x.clamp(-STOP, STOP);
            let stop = if beyond == 0.0 { 0.0 } else { STOP_STIFFNESS * beyond + STOP_DAMPING * v };
            let stop = if stop * beyond > 0.0 { stop } else { 0.0 };
            let on_plate = self.gauge + push - damping * v - stiffness * (x - wanted) - stop;
            let v = v + h * on_plate / (PLATE + mass);
            self.motor = (y + h * w, w);
            self.plate = (x + h * v, v);
            self.amplified += amplifier * (self.gauge - self.amplified);
        }
    }
}

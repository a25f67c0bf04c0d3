//! Random numbers with a fixed seed: the same cases in every run, on every machine.

use glam::{DQuat, DVec3};

/// The generator SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `count`.
    pub(crate) fn integer(&mut self, count: u64) -> u64 {
        self.bits() % count
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// In a cube of half edge `size`.
    pub(crate) fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if v.length_squared() <= 1.0 && v.length_squared() > 1e-4 {
                return v.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        let axis = self.direction();
        let angle = self.between(0.0, std::f64::consts::PI);
        DQuat::from_axis_angle(axis, angle)
    }
}

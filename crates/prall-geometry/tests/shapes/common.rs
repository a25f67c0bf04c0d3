//! What the tests share: fixed seeds, clouds of points, rigid motions.

use glam::{DQuat, DVec3};
use prall_math::Pose;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Runs a property on values from a fixed seed.
pub(crate) fn for_all<S: Strategy>(cases: u32, strategy: &S, property: impl Fn(S::Value)) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// A small generator for clouds of points (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Even in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Even in [-1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Even in the cube from -1 to 1.
    pub(crate) fn cube(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Even on the unit sphere.
    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.cube();
            if (1e-3..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), 6.3 * self.unit())
    }

    pub(crate) fn pose(&mut self, reach: f64) -> Pose {
        Pose::new(self.rotation(), reach * self.cube())
    }
}

/// Points of every kind that has made geometry code fail: round, flat, gridded, doubled, far away, tiny.
pub(crate) fn cloud(random: &mut Random, count: usize) -> Vec<DVec3> {
    let kind = random.bits() % 7;
    let squash = DVec3::new(1.0, libm::exp10(-6.0 * random.unit()), libm::exp10(-3.0 * random.unit()));
    let turn = random.rotation();
    let mut points: Vec<DVec3> = (0..count)
        .map(|i| match kind {
            0 => random.cube(),
            1 => random.direction(),
            2 => turn * (random.cube() * squash),
            3 => (random.cube() * 2.0).round(),
            4 => turn * (random.cube() * 2.0).round(),
            5 => turn * DVec3::new((i % 7) as f64, (i / 7 % 7) as f64, (i / 49) as f64),
            _ => {
                let angle = (i / 2) as f64 * 0.37;
                let height = if i % 2 == 0 { 1.0 } else { -1.0 };
                turn * DVec3::new(libm::cos(angle), height, libm::sin(angle))
            }
        })
        .collect();
    let copy = points[random.bits() as usize % count];
    points.push(copy);
    let scale = [1.0, 1e-3, 1e3][random.bits() as usize % 3];
    let far = if random.bits().is_multiple_of(3) { 1000.0 * random.direction() } else { DVec3::ZERO };
    points.iter().map(|p| *p * scale + far).collect()
}

/// The largest coordinate: rounding is measured against it.
pub(crate) fn largest(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
}

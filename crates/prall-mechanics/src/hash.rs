//! [`StateHash`]: one number for the bits of a whole state.

use glam::{DQuat, DVec3};
use prall_math::{Pose, Twist};

/// Collects the bits of a state into 64 bits (FNV-1a): equal states have equal hashes, on every machine.
#[derive(Clone, Copy, Debug)]
pub struct StateHash(u64);

impl StateHash {
    /// The hash of nothing.
    pub fn new() -> StateHash {
        StateHash(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a number by its bits; 0 and -0 differ.
    pub fn number(&mut self, value: f64) -> &mut StateHash {
        self.bits(value.to_bits())
    }

    /// Adds 64 bits.
    pub fn bits(&mut self, bits: u64) -> &mut StateHash {
        for byte in bits.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    /// Adds a vector.
    pub fn vector(&mut self, v: DVec3) -> &mut StateHash {
        self.number(v.x).number(v.y).number(v.z)
    }

    /// Adds a pose.
    pub fn pose(&mut self, pose: &Pose) -> &mut StateHash {
        let DQuat { x, y, z, w } = pose.rotation;
        self.vector(pose.translation).number(x).number(y).number(z).number(w)
    }

    /// Adds a velocity.
    pub fn twist(&mut self, twist: &Twist) -> &mut StateHash {
        self.vector(twist.linear).vector(twist.angular)
    }

    /// The hash of all that was added.
    pub fn finish(&self) -> u64 {
        self.0
    }
}

impl Default for StateHash {
    fn default() -> StateHash {
        StateHash::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_sees_a_single_bit() {
        let hash = |x: f64| StateHash::new().number(1.0).number(x).finish();
        assert_eq!(hash(2.0), hash(2.0));
        assert_ne!(hash(2.0), hash(2.0_f64.next_up()));
        assert_ne!(hash(0.0), hash(-0.0));
    }

    #[test]
    fn the_hash_is_the_published_fnv_1a() {
        // FNV-1a, 64 bits, of eight zero bytes, from the definition: offset basis times prime to the eighth.
        let mut expected = 0xcbf2_9ce4_8422_2325_u64;
        for _ in 0..8 {
            expected = expected.wrapping_mul(1_099_511_628_211);
        }
        assert_eq!(StateHash::new().bits(0).finish(), expected);
    }
}

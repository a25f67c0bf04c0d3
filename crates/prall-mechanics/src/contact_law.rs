//! [`ContactLaw`]: what a contact may transmit.

use glam::DVec3;
use prall_math::Norm;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An impact law along the normal, Coulomb's law across it, and resistance to rolling and to turning on the spot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactLaw {
    restitution: f64,
    static_friction: f64,
    dynamic_friction: f64,
    rolling_arm: f64,
    spinning_arm: f64,
}

/// Why a contact law was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ContactLawError {
    /// Restitution outside 0 to 1.
    #[error("restitution must be from 0 (no rebound) to 1 (no loss), not {0}")]
    Restitution(f64),
    /// Negative friction.
    #[error("a friction coefficient must be 0 or more, not {0}")]
    Friction(f64),
    /// Negative lever arm of rolling resistance.
    #[error("the lever arm of rolling resistance must be 0 m or more, not {0}")]
    RollingArm(f64),
    /// Negative lever arm of the resistance to turning on the spot.
    #[error("the lever arm of spinning resistance must be 0 m or more, not {0}")]
    SpinningArm(f64),
    /// What slides would be held more firmly than what stands.
    #[error("static friction must be at least dynamic friction, {sliding}, not {fixed}")]
    StaticBelowDynamic {
        /// The static coefficient.
        fixed: f64,
        /// The dynamic one.
        sliding: f64,
    },
}

impl ContactLaw {
    /// A law from its coefficients.
    ///
    /// `restitution`: speed after over speed before an impact. `friction`: Coulomb's coefficient, static and dynamic.
    /// `rolling_arm`: in m, the moment that resists rolling is at most this times the normal force; more of it
    /// stops a rolling ball sooner.
    pub fn new(restitution: f64, friction: f64, rolling_arm: f64) -> Result<ContactLaw, ContactLawError> {
        if !(0.0..=1.0).contains(&restitution) {
            return Err(ContactLawError::Restitution(restitution));
        }
        if !(friction >= 0.0 && friction.is_finite()) {
            return Err(ContactLawError::Friction(friction));
        }
        if !(rolling_arm >= 0.0 && rolling_arm.is_finite()) {
            return Err(ContactLawError::RollingArm(rolling_arm));
        }
        let (static_friction, dynamic_friction) = (friction, friction);
        Ok(ContactLaw { restitution, static_friction, dynamic_friction, rolling_arm, spinning_arm: 0.0 })
    }

    /// The same law with a larger coefficient for what does not slide.
    pub fn with_static_friction(self, static_friction: f64) -> Result<ContactLaw, ContactLawError> {
        if !static_friction.is_finite() {
            return Err(ContactLawError::Friction(static_friction));
        }
        if static_friction < self.dynamic_friction {
            let (fixed, sliding) = (static_friction, self.dynamic_friction);
            return Err(ContactLawError::StaticBelowDynamic { fixed, sliding });
        }
        Ok(ContactLaw { static_friction, ..self })
    }

    /// The same law with a moment about the normal that resists turning on the spot: at most `spinning_arm`, in m,
    /// times the normal force.
    pub fn with_spinning_arm(self, spinning_arm: f64) -> Result<ContactLaw, ContactLawError> {
        if !(spinning_arm >= 0.0 && spinning_arm.is_finite()) {
            return Err(ContactLawError::SpinningArm(spinning_arm));
        }
        Ok(ContactLaw { spinning_arm, ..self })
    }

    /// Speed after over speed before an impact.
    pub fn restitution(&self) -> f64 {
        self.restitution
    }

    /// Coulomb's coefficient while nothing slides.
    pub fn static_friction(&self) -> f64 {
        self.static_friction
    }

    /// Coulomb's coefficient while it slides.
    pub fn dynamic_friction(&self) -> f64 {
        self.dynamic_friction
    }

    /// In m: largest rolling moment over normal force.
    pub fn rolling_arm(&self) -> f64 {
        self.rolling_arm
    }

    /// In m: largest moment about the normal over normal force.
    pub fn spinning_arm(&self) -> f64 {
        self.spinning_arm
    }

    /// The nearest tangential percussion that Coulomb's law allows beside this normal percussion, while it slides.
    pub fn project_friction(&self, tangential: DVec3, normal: f64) -> DVec3 {
        project_on_disc(tangential, self.dynamic_friction * normal.max(0.0))
    }

    /// The nearest rolling moment (over time) that is allowed beside this normal percussion.
    pub fn project_rolling(&self, moment: DVec3, normal: f64) -> DVec3 {
        project_on_disc(moment, self.rolling_arm * normal.max(0.0))
    }
}

/// Nearest point of the disc; radius 0 gives exactly zero, where scaling could give 0/0.
fn project_on_disc(vector: DVec3, radius: f64) -> DVec3 {
    let length = vector.norm();
    if length <= radius {
        vector
    } else if radius == 0.0 {
        DVec3::ZERO
    } else {
        vector * (radius / length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 512,
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(2),
            ..ProptestConfig::default()
        })]

        /// A projection on a convex set: the result is in the set, and no other point of it is nearer
        /// (variational inequality (p - P).(q - P) <= 0 for all q of the set).
        #[test]
        fn friction_is_projected_on_the_nearest_point_of_the_disc(
            x in -5.0..5.0_f64, z in -5.0..5.0_f64, normal in -1.0..3.0_f64, mu in 0.0..2.0_f64,
            angle in 0.0..6.3_f64, share in 0.0..1.0_f64,
        ) {
            let law = ContactLaw::new(0.5, mu, 0.0).unwrap();
            let wish = DVec3::new(x, 0.0, z);
            let radius = mu * normal.max(0.0);
            let projected = law.project_friction(wish, normal);
            prop_assert!(projected.length() <= radius * (1.0 + 1e-15) + f64::MIN_POSITIVE);
            let other = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle)) * (radius * share);
            prop_assert!((wish - projected).dot(other - projected) <= 1e-13);
        }
    }

    #[test]
    fn coefficients_out_of_range_are_refused_by_name() {
        assert!(matches!(ContactLaw::new(1.1, 0.0, 0.0), Err(ContactLawError::Restitution(_))));
        assert!(matches!(ContactLaw::new(f64::NAN, 0.0, 0.0), Err(ContactLawError::Restitution(_))));
        assert!(matches!(ContactLaw::new(0.5, -0.1, 0.0), Err(ContactLawError::Friction(_))));
        assert!(matches!(ContactLaw::new(0.5, 0.1, f64::INFINITY), Err(ContactLawError::RollingArm(_))));
    }

    #[test]
    fn without_load_nothing_is_transmitted() {
        let law = ContactLaw::new(0.5, 0.8, 0.01).unwrap();
        assert_eq!(law.project_friction(DVec3::X, 0.0), DVec3::ZERO);
        assert_eq!(law.project_friction(DVec3::X, -1.0), DVec3::ZERO);
        assert_eq!(law.project_rolling(DVec3::ZERO, 0.0), DVec3::ZERO);
    }
}

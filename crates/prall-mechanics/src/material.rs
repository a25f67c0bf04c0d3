//! [`Material`]: what a surface brings into a contact.

use serde::{Deserialize, Serialize};

use crate::{ContactLaw, ContactLawError};

/// How the coefficients of two materials become those of their contact.
///
/// Where two materials want different rules, the one that stands later in this list decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Combine {
    /// Square root of the product: smooth on anything is smooth.
    #[default]
    Geometric,
    /// Half the sum.
    Mean,
    /// The smaller one.
    Min,
    /// The product.
    Multiply,
    /// The larger one.
    Max,
}

impl Combine {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Combine::Geometric => (a * b).sqrt(),
            Combine::Mean => 0.5 * (a + b),
            Combine::Min => a.min(b),
            Combine::Multiply => a * b,
            Combine::Max => a.max(b),
        }
    }
}

/// The surface of a body. Two of them make a [`ContactLaw`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Speed after over speed before an impact, 0 to 1. Default 0: no rebound.
    pub restitution: f64,
    /// Coulomb's coefficient while nothing slides. Default 0.5; at least the dynamic one.
    pub static_friction: f64,
    /// Coulomb's coefficient while it slides. Default 0.5.
    pub dynamic_friction: f64,
    /// In m: the moment that resists rolling is at most this times the normal force. Default 0.
    pub rolling_arm: f64,
    /// In m: the moment that resists turning on the spot is at most this times the normal force. Default 0;
    /// contacts of several points resist by their friction anyway.
    pub spinning_arm: f64,
    /// How it is combined with another material.
    pub combine: Combine,
}

impl Default for Material {
    fn default() -> Material {
        Material {
            restitution: 0.0,
            static_friction: 0.5,
            dynamic_friction: 0.5,
            rolling_arm: 0.0,
            spinning_arm: 0.0,
            combine: Combine::Geometric,
        }
    }
}

impl Material {
    /// Says which coefficient is out of its range, if one is.
    pub fn check(&self) -> Result<(), ContactLawError> {
        self.against(self).map(|_| ())
    }

    /// The law of a contact of this material with another.
    pub fn against(&self, other: &Material) -> Result<ContactLaw, ContactLawError> {
        let rule = self.combine.max(other.combine);
        let of = |value: fn(&Material) -> f64| {
            let (a, b) = (value(self), value(other));
            // A negative product of two negative numbers must not pass as a good coefficient.
            if a < 0.0 || b < 0.0 { a.min(b) } else { rule.of(a, b) }
        };
        ContactLaw::new(of(|m| m.restitution), of(|m| m.dynamic_friction), of(|m| m.rolling_arm))?
            .with_static_friction(of(|m| m.static_friction))?
            .with_spinning_arm(of(|m| m.spinning_arm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_that_stands_later_decides() {
        let ice = Material { static_friction: 0.04, dynamic_friction: 0.04, ..Material::default() };
        let rubber = Material {
            static_friction: 1.0,
            dynamic_friction: 1.0,
            combine: Combine::Max,
            ..Material::default()
        };
        let geometric = ice.against(&Material { combine: Combine::Geometric, ..rubber }).unwrap();
        assert!((geometric.dynamic_friction() - 0.2).abs() < 1e-15);
        assert_eq!(ice.against(&rubber).unwrap().dynamic_friction(), 1.0);
        assert_eq!(rubber.against(&ice).unwrap(), ice.against(&rubber).unwrap());
    }

    #[test]
    fn bad_coefficients_are_named() {
        let bad = |material: Material| material.check().unwrap_err();
        let good = Material::default();
        assert_eq!(bad(Material { restitution: 1.5, ..good }), ContactLawError::Restitution(1.5));
        assert_eq!(bad(Material { dynamic_friction: -0.5, ..good }), ContactLawError::Friction(-0.5));
        assert_eq!(
            bad(Material { static_friction: 0.2, ..good }),
            ContactLawError::StaticBelowDynamic { fixed: 0.2, sliding: 0.5 }
        );
        assert_eq!(bad(Material { spinning_arm: -1.0, ..good }), ContactLawError::SpinningArm(-1.0));
        assert_eq!(
            bad(Material { rolling_arm: f64::INFINITY, ..good }),
            ContactLawError::RollingArm(f64::INFINITY)
        );
    }
}

//! Mass properties of simple solids in closed form. The axis of a round solid is y.

use std::f64::consts::PI;

use glam::DVec3;

use crate::mass::{Amount, MassError, MassProperties, positive};

impl MassProperties {
    /// A solid ball around the origin: `2/5 m r^2`.
    pub fn sphere(amount: Amount, radius: f64) -> Result<MassProperties, MassError> {
        let r2 = positive("radius", radius)? * radius;
        let mass = amount.mass_of(4.0 / 3.0 * PI * radius * r2)?;
        Ok(MassProperties::diagonal(mass, DVec3::splat(0.4 * mass * r2)))
    }

    /// A solid box around the origin with these edge lengths: `m/12 (b^2 + c^2)` about the edge `a`.
    pub fn cuboid(amount: Amount, size: DVec3) -> Result<MassProperties, MassError> {
        for length in size.to_array() {
            positive("edge length", length)?;
        }
        let mass = amount.mass_of(size.element_product())?;
        let squares = size * size;
        Ok(MassProperties::diagonal(mass, mass / 12.0 * (DVec3::splat(squares.element_sum()) - squares)))
    }

    /// A solid cylinder around the origin: `m r^2 / 2` about its axis, `m (3 r^2 + h^2) / 12` across.
    pub fn cylinder(amount: Amount, radius: f64, height: f64) -> Result<MassProperties, MassError> {
        let r2 = positive("radius", radius)? * radius;
        let h2 = positive("height", height)? * height;
        let mass = amount.mass_of(PI * r2 * height)?;
        Ok(round(mass, 0.5 * r2, (3.0 * r2 + h2) / 12.0))
    }

    /// A solid cone, its tip at `height / 2`, its base at `-height / 2`: the centre of mass is a quarter of
    /// the height above the base, `3/10 m r^2` about the axis, `m (3/20 r^2 + 3/80 h^2)` across.
    pub fn cone(amount: Amount, radius: f64, height: f64) -> Result<MassProperties, MassError> {
        let r2 = positive("radius", radius)? * radius;
        let h2 = positive("height", height)? * height;
        let mass = amount.mass_of(PI * r2 * height / 3.0)?;
        Ok(round(mass, 0.3 * r2, 0.15 * r2 + 0.0375 * h2).translated(DVec3::new(0.0, -0.25 * height, 0.0)))
    }

    /// A solid capsule around the origin: a cylinder of this height between two half balls.
    ///
    /// A half ball has its centre of mass `3/8 r` above its base; from there its moments are moved to the
    /// centre: across the axis, both together, `m_s (2/5 r^2 + h^2/4 + 3/8 h r)`.
    pub fn capsule(amount: Amount, radius: f64, height: f64) -> Result<MassProperties, MassError> {
        let r2 = positive("radius", radius)? * radius;
        let h2 = positive("height", height)? * height;
        let cylinder_volume = PI * r2 * height;
        let volume = cylinder_volume + 4.0 / 3.0 * PI * radius * r2;
        let mass = amount.mass_of(volume)?;
        let cylinder = cylinder_volume / volume;
        let ball = 1.0 - cylinder;
        let along = cylinder * 0.5 * r2 + ball * 0.4 * r2;
        let across =
            cylinder * (3.0 * r2 + h2) / 12.0 + ball * (0.4 * r2 + 0.25 * h2 + 0.375 * height * radius);
        Ok(round(mass, along, across))
    }
}

/// A body of revolution about y, with its moments per mass.
fn round(mass: f64, along: f64, across: f64) -> MassProperties {
    MassProperties::diagonal(mass, mass * DVec3::new(across, along, across))
}

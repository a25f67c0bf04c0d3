//! Masses as robots give them. Many public robots state an inertia that no body can have.
//!
//! Let `s` be the second moments of a body's mass along its principal axes. Then `I_x = s_y + s_z` and so on, so `s_x = (I_y + I_z - I_x) / 2`: a tensor is
//! possible if no `s` is negative, which contains that no moment exceeds the sum of the others.

use glam::{DMat3, DVec3};
use prall_geometry::MassProperties;

use super::Wrong;
use super::model::{Inertial, Link};
use crate::file::MassDescription;

/// Second moment along an axis that gets one, as a share of the largest: a plate 3 % as thick as it is wide.
const FLAT: f64 = 1e-3;

/// Masses in kg and second moments in kg m^2 that nothing can be computed with: files write them where they mean 0.
pub(super) const NOTHING: f64 = 1e-30;

/// By how much, relatively, a moment may exceed the sum of the others: files round a plate's to some digits.
const SLACK: f64 = 1e-9;

/// What a link weighs; none if its file does not say, or says what leads nowhere. What is impossible becomes the possible next to it, and is noted.
pub(super) fn mass(link: &Link, notes: &mut Vec<String>) -> Result<Option<MassDescription>, Wrong> {
    let name = &link.name;
    let Some(Inertial { origin, mass: Some(mass), inertia }) = &link.inertial else { return Ok(None) };
    if *mass < 0.0 {
        let message = format!("link '{}' has a mass of {mass} kg", name.text);
        return Err((name.place.clone(), message, Some("a mass is 0 or more".to_owned())));
    }
    let Some(inertia) = inertia.filter(|_| *mass > NOTHING) else { return Ok(None) };
    let stated = MassProperties { mass: *mass, center_of_mass: DVec3::ZERO, inertia };
    let Some((possible, changed)) = possible(&stated) else { return Ok(None) };
    if changed {
        let (moments, _) = stated.principal_axes();
        let (taken, _) = possible.principal_axes();
        notes.push(format!(
            "link '{}': no body has the principal moments of inertia {moments} kg m^2; {taken} are taken",
            name.text
        ));
    }
    let turned = possible.transformed(origin);
    let (x, y, z) = (turned.inertia.x_axis, turned.inertia.y_axis, turned.inertia.z_axis);
    Ok(Some(MassDescription {
        mass: *mass,
        centre: turned.center_of_mass,
        moments: DVec3::new(x.x, y.y, z.z),
        products: DVec3::new(x.y, x.z, y.z),
    }))
}

/// The same with second moments that a body can have, and whether anything changed; none if nothing of it is possible.
fn possible(stated: &MassProperties) -> Option<(MassProperties, bool)> {
    let (moments, axes) = stated.principal_axes();
    let second = DVec3::splat(0.5 * moments.element_sum()) - moments;
    let largest = second.max_element();
    if !(largest > NOTHING) {
        return None;
    }
    if moments.x > 0.0 && second.min_element() >= -SLACK * moments.z {
        return Some((*stated, false));
    }
    let second = second.max(DVec3::splat(FLAT * largest));
    let moments = DVec3::splat(second.element_sum()) - second;
    let axes = DMat3::from_quat(axes);
    let inertia = axes * DMat3::from_diagonal(moments) * axes.transpose();
    // Rounding makes the product a little asymmetric.
    let inertia = 0.5 * (inertia + inertia.transpose());
    Some((MassProperties { inertia, ..*stated }, true))
}

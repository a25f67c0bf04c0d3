//! Boxes as lines.

use crate::Lines;
use glam::DVec3;

/// The twelve edges of a box with these half sides.
pub(crate) fn box_edges(centre: DVec3, sides: [DVec3; 3], lines: &mut Lines) {
    let to_f32 = |point: DVec3| point.as_vec3().to_array();
    for (along, side) in sides.iter().enumerate() {
        let (a, b) = (sides[(along + 1) % 3], sides[(along + 2) % 3]);
        for corner in [a + b, a - b, -a + b, -a - b] {
            lines.push([to_f32(centre + corner - *side), to_f32(centre + corner + *side)]);
        }
    }
}

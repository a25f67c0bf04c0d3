//! A funnel: a hopper that narrows to an outlet.

use std::f64::consts::PI;

use glam::DVec2;

use super::lathe::{Profile, turned};
use super::{GenerateError, count, length, length_or_zero};
use crate::soup::PolygonSoup;

/// Measures of a funnel. Half widths are those of the clear opening, from the axis straight to the wall, so
/// that a ball of that radius passes whatever the number of sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Funnel {
    /// Half the clear width at the top, in metres.
    pub upper_half_width: f64,
    /// Half the clear width of the outlet, in metres.
    pub outlet_half_width: f64,
    /// Height of the slanted part, in metres.
    pub slope_height: f64,
    /// Height of the upright rim above it, in metres; may be zero.
    pub rim_height: f64,
    /// Height of the upright spout below it, in metres; may be zero.
    pub spout_height: f64,
    /// Thickness of the wall, measured horizontally, in metres.
    pub wall: f64,
    /// Number of flat walls: 4 for a square hopper with walls across x and z, many for a round one.
    pub sides: u32,
}

impl Default for Funnel {
    /// A square hopper of two metres.
    fn default() -> Funnel {
        Funnel {
            upper_half_width: 1.0,
            outlet_half_width: 0.25,
            slope_height: 1.0,
            rim_height: 0.5,
            spout_height: 0.25,
            wall: 0.05,
            sides: 4,
        }
    }
}

/// The funnel as a watertight solid; its outlet is at height 0 and it opens upward.
pub fn funnel(measures: &Funnel) -> Result<PolygonSoup, GenerateError> {
    let outlet = length("outlet half width", measures.outlet_half_width, 0.0)?;
    let upper = length("upper half width", measures.upper_half_width, outlet)?;
    let wall = length("wall", measures.wall, 0.0)?;
    let sides = count("sides", measures.sides, 3)?;
    let spout = length_or_zero("spout height", measures.spout_height)?;
    let shoulder = spout + length("slope height", measures.slope_height, 0.0)?;
    let top = shoulder + length_or_zero("rim height", measures.rim_height)?;
    let heights = [0.0, spout, shoulder, top];
    let widths = [outlet, outlet, upper, upper];
    // Up along the outside, down along the inside.
    let outside = widths.iter().map(|width| width + wall).zip(heights);
    let inside = widths.iter().copied().zip(heights).rev();
    let half_side = PI / f64::from(sides);
    let to_corner = 1.0 / libm::cos(half_side);
    let mut profile: Vec<DVec2> =
        outside.chain(inside).map(|(width, height)| DVec2::new(width * to_corner, height)).collect();
    // Where rim or spout have no height, two points are one.
    profile.dedup();
    turned(&Profile::Closed(&profile), sides, half_side)
}

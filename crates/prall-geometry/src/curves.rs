//! Curves and surfaces that are more than polygons: clothoids for lines of roads and tracks, rational B-splines for their
//! sections. Both are exact where it matters: a clothoid's curvature grows linearly with its length, a quadratic rational
//! spline is a circle or an ellipse, not nearly one.

mod fresnel;
mod nurbs;
mod nurbs_surface;

pub use fresnel::fresnel;
pub use nurbs::{ControlPoint, NurbsCurve, NurbsError};
pub use nurbs_surface::NurbsSurface;

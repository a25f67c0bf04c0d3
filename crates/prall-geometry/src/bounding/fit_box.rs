//! Oriented boxes of least volume, surface or diameter.
//!
//! Two fits. [`OrientedBox::by_simplex`] is the one of Eckstein (1998, section 3.8.1): Nelder and Mead on the three
//! fixed angles from several starts. [`OrientedBox::smallest`] begins where the minimum is nearly always found: with
//! one side flush with a face of the convex hull (or parallel to two of its edges), the best turn about that side's normal is
//! exact by rotating calipers; the best few of these, and the starts of the other fit, are then refined by Nelder and Mead. O'Rourke (1985) shows that the
//! box of least volume has two adjacent sides flush with edges, which the refinement finds where it is not flush with a face.

use std::f64::consts::{FRAC_PI_4, FRAC_PI_8};

use glam::{DMat3, DVec2, DVec3};

use super::nelder_mead::{Search, minimize};
use super::planar_hull::{flush_rectangles, planar_hull};
use super::{FitError, OrientedBox, check_points};
use crate::hull::ConvexHull;

/// What a box is to have least of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxMeasure {
    /// Cubic metres.
    Volume,
    /// Square metres; the measure that made the best hierarchies in Eckstein 1998.
    Surface,
    /// Length of the diagonal in metres.
    Diameter,
}

impl BoxMeasure {
    /// The measure of a box.
    pub fn of(self, oriented: &OrientedBox) -> f64 {
        self.of_half_extents(oriented.half_extents())
    }

    fn of_half_extents(self, r: DVec3) -> f64 {
        match self {
            BoxMeasure::Volume => 8.0 * r.x * r.y * r.z,
            BoxMeasure::Surface => 8.0 * (r.x * r.y + r.y * r.z + r.z * r.x),
            BoxMeasure::Diameter => 2.0 * r.length(),
        }
    }
}

/// Flush candidates of different measure that are refined.
const REFINED: usize = 8;

/// Hulls with more vertices than this are thinned for the search for candidates (not for the refinement).
const THINNED: usize = 160;

/// Up to this many edge directions all pairs of them are tried as sides.
const PAIRED_EDGES: usize = 24;

/// The downhill simplex over angles: first edges of a sixth of a right angle, until 1e-13 of the measure.
const REFINE: Search = Search { step: 0.25, tolerance: 1e-13, evaluations: 500, restarts: 8 };

impl OrientedBox {
    /// The box of least measure around points.
    ///
    /// **Promise.** All points are inside, and the measure is never above that of [`by_simplex`](Self::by_simplex) beyond rounding. That it
    /// is the least is not proven; in tests no dense search over orientations found a smaller one.
    /// Flat points have boxes without volume in many ways; they get the one of least surface.
    pub fn smallest(points: &[DVec3], measure: BoxMeasure) -> Result<OrientedBox, FitError> {
        check_points(points)?;
        let extremes = Extremes::of(points);
        let flat = extremes.hull.is_none() && measure == BoxMeasure::Volume;
        let measure = if flat { BoxMeasure::Surface } else { measure };
        let flush = distinct(extremes.candidate_frames(measure)).into_iter().take(REFINED);
        let spread = spread_angles().map(fixed_angles);
        let best = flush
            .chain(spread)
            .map(|frame| refine(&extremes.points, measure, frame))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        Ok(OrientedBox::around(best.map_or(DMat3::IDENTITY, |b| b.0), points))
    }

    /// The best box that Nelder and Mead find over the angles (alpha, beta, gamma) of `Rz(alpha) Ry(beta) Rx(gamma)`, started at
    /// eight orientations spread over the symmetry of a box.
    pub fn by_simplex(points: &[DVec3], measure: BoxMeasure) -> Result<OrientedBox, FitError> {
        check_points(points)?;
        let extremes = Extremes::of(points);
        let value = |angles: &[f64; 3]| measure_of_frame(&extremes.points, measure, fixed_angles(*angles));
        let starts = (0..8)
            .map(|i: u32| [1, 2, 4].map(|bit| if i & bit == 0 { 0.0 } else { FRAC_PI_4 } + 0.1 * FRAC_PI_8));
        let best = starts.map(|s| minimize(s, REFINE, value)).min_by(|a, b| a.1.total_cmp(&b.1));
        Ok(OrientedBox::around(best.map_or(DMat3::IDENTITY, |b| fixed_angles(b.0)), points))
    }

    /// The box refined from the orientation of another one: the refit when points were added or moved a little.
    pub fn refitted(&self, points: &[DVec3], measure: BoxMeasure) -> Result<OrientedBox, FitError> {
        check_points(points)?;
        let (frame, _) = refine(&Extremes::of(points).points, measure, self.axes());
        Ok(OrientedBox::around(frame, points))
    }
}

/// Eight orientations spread over the symmetry of a box, away from the coordinate axes, where models often have their kinks.
fn spread_angles() -> impl Iterator<Item = [f64; 3]> {
    (0..8).map(|i: u32| [1, 2, 4].map(|bit| if i & bit == 0 { 0.0 } else { FRAC_PI_4 } + 0.1 * FRAC_PI_8))
}

/// The frames by rising measure, those of equal measure (mostly the same box with its axes exchanged) only once.
fn distinct(mut frames: Vec<(DMat3, f64)>) -> Vec<DMat3> {
    frames.sort_by(|a, b| a.1.total_cmp(&b.1));
    frames.dedup_by(|a, b| a.1 <= b.1 * (1.0 + 1e-9));
    frames.into_iter().map(|(frame, _)| frame).collect()
}

/// `Rz(alpha) Ry(beta) Rx(gamma)`.
fn fixed_angles([alpha, beta, gamma]: [f64; 3]) -> DMat3 {
    let (sa, ca) = libm::sincos(alpha);
    let (sb, cb) = libm::sincos(beta);
    let (sg, cg) = libm::sincos(gamma);
    DMat3::from_cols(
        DVec3::new(ca * cb, sa * cb, -sb),
        DVec3::new(ca * sb * sg - sa * cg, sa * sb * sg + ca * cg, cb * sg),
        DVec3::new(ca * sb * cg + sa * sg, sa * sb * cg - ca * sg, cb * cg),
    )
}

fn measure_of_frame(points: &[DVec3], measure: BoxMeasure, frame: DMat3) -> f64 {
    let to_box = frame.transpose();
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &p in points {
        let local = to_box * p;
        (low, high) = (low.min(local), high.max(local));
    }
    measure.of_half_extents(0.5 * (high - low))
}

fn refine(points: &[DVec3], measure: BoxMeasure, frame: DMat3) -> (DMat3, f64) {
    let turned = |angles: &[f64; 3]| frame * fixed_angles(*angles);
    let (angles, value) = minimize([0.0; 3], REFINE, |a| measure_of_frame(points, measure, turned(a)));
    (turned(&angles), value)
}

/// The points that matter for boxes: the vertices of the hull where there is one, relative to the first point.
struct Extremes {
    points: Vec<DVec3>,
    hull: Option<ConvexHull>,
}

impl Extremes {
    fn of(points: &[DVec3]) -> Extremes {
        let origin = points[0];
        let relative: Vec<DVec3> = points.iter().map(|&p| p - origin).collect();
        match ConvexHull::from_points(&relative) {
            Ok(hull) => Extremes { points: hull.vertices().to_vec(), hull: Some(hull) },
            Err(_) => Extremes { points: relative, hull: None },
        }
    }

    /// Frames with their measure: flush with faces, with pairs of edges, and along the coordinate axes.
    fn candidate_frames(&self, measure: BoxMeasure) -> Vec<(DMat3, f64)> {
        let thinned = self.thinned();
        let points = thinned.as_ref().map_or(&self.points[..], ConvexHull::vertices);
        let mut normals = vec![DVec3::X, DVec3::Y, DVec3::Z];
        match thinned.as_ref() {
            Some(hull) => {
                normals.extend(hull.planes().iter().map(|p| p.normal));
                let edges = hull.edge_directions();
                if edges.len() <= PAIRED_EDGES {
                    for (i, &first) in edges.iter().enumerate() {
                        normals.extend(edges[i + 1..].iter().filter_map(|&e| first.cross(e).try_normalize()));
                    }
                }
            }
            None => normals.push(flat_normal(points)),
        }
        let mut scratch = Vec::new();
        normals.iter().map(|&normal| best_about(points, normal, measure, &mut scratch)).collect()
    }

    fn thinned(&self) -> Option<ConvexHull> {
        let hull = self.hull.as_ref()?;
        if self.points.len() <= THINNED {
            return Some(hull.clone());
        }
        let mut chosen: Vec<u32> = sphere_directions(THINNED).map(|d| hull.support_vertex(d)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        let few: Vec<DVec3> = chosen.into_iter().map(|v| hull.vertices()[v as usize]).collect();
        ConvexHull::from_points(&few).ok()
    }
}

/// Directions spread evenly over the sphere, along a golden-angle spiral.
fn sphere_directions(count: usize) -> impl Iterator<Item = DVec3> {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    (0..count).map(move |i| {
        let y = 1.0 - (2 * i + 1) as f64 / count as f64;
        let (sin, cos) = libm::sincos(GOLDEN_ANGLE * i as f64);
        let ring = (1.0 - y * y).sqrt();
        DVec3::new(ring * cos, y, ring * sin)
    })
}

/// The normal of a plane that flat points are in, or a direction across their line.
fn flat_normal(points: &[DVec3]) -> DVec3 {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points.iter().copied().max_by(|a, b| measure(*a).total_cmp(&measure(*b))).unwrap_or(DVec3::ZERO)
    };
    let a = points[0];
    let b = farthest(&|p| p.distance_squared(a)) - a;
    let c = farthest(&|p| (p - a).cross(b).length_squared()) - a;
    let across = b.try_normalize().map_or(DVec3::Y, DVec3::any_orthonormal_vector);
    b.cross(c).try_normalize().unwrap_or(across)
}

/// The best frame with one axis along `normal`, by rotating calipers.
fn best_about(
    points: &[DVec3],
    normal: DVec3,
    measure: BoxMeasure,
    scratch: &mut Vec<DVec2>,
) -> (DMat3, f64) {
    let (u, v) = normal.any_orthonormal_pair();
    scratch.clear();
    scratch.extend(points.iter().map(|p| DVec2::new(u.dot(*p), v.dot(*p))));
    let heights = points.iter().map(|p| normal.dot(*p));
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let mut best = (DVec2::X, f64::INFINITY);
    flush_rectangles(&planar_hull(scratch), |r| {
        let value = measure.of_half_extents(0.5 * DVec3::new(high - low, r.length, r.width));
        if value < best.1 {
            best = (r.along, value);
        }
    });
    let along = u * best.0.x + v * best.0.y;
    (DMat3::from_cols(normal, along, normal.cross(along)), best.1)
}

//! How deep two convex elements are in each other: every direction that can be the shortest way out is tried.
//!
//! Along a unit vector n (from B to A) the elements are apart by `s(n) = min n.a - max n.b`; the depth is minus the largest s. For
//! polytopes the largest is at a face normal of one of them or across an edge of each, so the list is finite and the
//! answer exact up to rounding. Radii are added to the depth of cores that overlap, and the distance of cores that do not is subtracted from
//! them. Cylinders and cones have infinitely many normals: those of a finite list are refined by stepwise search. Whatever direction
//! it ends with separates by what it says, so such a depth may be too large, never too small.

use glam::DVec3;
use prall_math::Norm;

use super::distance;
use super::element::{Core, Element, Polytope};

/// Directions from which the search for round elements starts, besides those of faces, axes and edges.
const DIRECTIONS: usize = 96;

/// Of the starting directions so many are refined.
const REFINED: usize = 6;

/// First and last step of the refinement, in radians: from the spacing of the directions to where a depth of a metre changes by less
/// than a nanometre.
const STEPS: (f64, f64) = (0.2, 1e-9);

/// The shortest way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Depth {
    /// In metres, above 0.
    pub(super) depth: f64,
    /// Unit vector along which the first leaves the second.
    pub(super) normal: DVec3,
}

/// The depth of two elements; none if they do not overlap.
pub(super) fn depth(a: &Element, b: &Element) -> Option<Depth> {
    match (a.as_polytope(), b.as_polytope()) {
        (Some(p), Some(q)) => of_polytopes(p, q, a.radius + b.radius),
        _ => of_round(a, b),
    }
}

/// Depth below the plane through `base` with outward unit normal.
pub(super) fn below_plane(a: &Element, base: DVec3, normal: DVec3) -> Option<Depth> {
    let depth = normal.dot(base) + a.high(-normal);
    (depth > 0.0).then_some(Depth { depth, normal })
}

fn of_polytopes(a: &Polytope, b: &Polytope, radii: f64) -> Option<Depth> {
    let flat = a.triangles.is_empty() && b.triangles.is_empty();
    let best = if flat { None } else { best_direction(a, b, radii)? };
    let apart = match best {
        // Cores overlap: the list of directions is complete.
        Some((normal, separation)) if separation <= 0.0 => {
            let depth = radii - separation;
            return (depth > 0.0).then_some(Depth { depth, normal });
        }
        Some((_, separation)) if separation >= radii => return None,
        _ => distance::between(a, b),
    };
    (apart.distance < radii).then_some(Depth { depth: radii - apart.distance, normal: apart.normal })
}

/// The direction with the largest separation of the cores. None if one separates by the radii already; `Some(None)` cannot be, unless
/// no direction is known.
fn best_direction(a: &Polytope, b: &Polytope, radii: f64) -> Option<Option<(DVec3, f64)>> {
    let mut best: Option<(DVec3, f64)> = None;
    let mut consider = |normal: DVec3| {
        let separation = separation(a, b, normal);
        if best.is_none_or(|(_, largest)| separation > largest) {
            best = Some((normal, separation));
        }
        separation < radii || separation <= 0.0
    };
    for &normal in &a.normals {
        if !consider(-normal) {
            return None;
        }
    }
    for &normal in &b.normals {
        if !consider(normal) {
            return None;
        }
    }
    for &u in &a.directions {
        for &v in &b.directions {
            let Some(normal) = u.cross(v).try_unit().filter(|_| u.cross(v).norm() > 1e-8) else {
                continue;
            };
            if !(consider(normal) && consider(-normal)) {
                return None;
            }
        }
    }
    Some(best)
}

fn separation(a: &Polytope, b: &Polytope, normal: DVec3) -> f64 {
    let low = a.points.iter().fold(f64::INFINITY, |least, p| least.min(normal.dot(*p)));
    let high = b.points.iter().fold(f64::NEG_INFINITY, |most, q| most.max(normal.dot(*q)));
    low - high
}

fn of_round(a: &Element, b: &Element) -> Option<Depth> {
    let out = |normal: DVec3| a.high(-normal) + b.high(normal);
    let mut starts: Vec<(f64, DVec3)> = Vec::with_capacity(DIRECTIONS + 64);
    let mut add = |direction: DVec3| {
        if let Some(normal) = direction.try_unit() {
            starts.extend([normal, -normal].map(|n| (out(n), n)));
        }
    };
    let (own_a, own_b) = (own_directions(a), own_directions(b));
    own_a.iter().chain(&own_b).for_each(|&direction| add(direction));
    for u in &own_a {
        own_b.iter().for_each(|v| add(u.cross(*v)));
    }
    let away = a.middle() - b.middle();
    add(away);
    for element in [a, b] {
        if let Core::Round { axis, .. } = &element.core {
            let across = away - *axis * (axis.dot(away) / axis.length_squared());
            add(across);
        }
    }
    spread(DIRECTIONS).for_each(&mut add);
    starts.sort_by(|s, t| s.0.total_cmp(&t.0));
    let refined = starts.iter().take(REFINED).map(|&(value, normal)| descend(&out, value, normal));
    let (depth, normal) = refined.min_by(|s, t| s.0.total_cmp(&t.0))?;
    (depth > 0.0).then_some(Depth { depth, normal })
}

/// Face normals, edges and axes.
fn own_directions(element: &Element) -> Vec<DVec3> {
    match &element.core {
        Core::Polytope(p) => p.normals.iter().chain(&p.directions).copied().collect(),
        Core::Round { axis, .. } => vec![axis.unit()],
    }
}

/// Directions on a spiral from pole to pole in steps of the golden angle: evenly spread.
fn spread(count: usize) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |i| {
        let height = 1.0 - (2 * i + 1) as f64 / count as f64;
        let (sine, cosine) = libm::sincos(2.399_963_229_728_653 * i as f64);
        let across = (1.0 - height * height).sqrt();
        DVec3::new(across * cosine, height, across * sine)
    })
}

/// Walks to smaller values, in ever smaller steps across the direction.
fn descend(out: &impl Fn(DVec3) -> f64, mut value: f64, mut normal: DVec3) -> (f64, DVec3) {
    let mut step = STEPS.0;
    while step > STEPS.1 {
        let (u, v) = normal.any_orthonormal_pair();
        let sides = [u, -u, v, -v, u + v, u - v, v - u, -u - v];
        let tried = sides.map(|side| (normal + side * step).unit()).map(|n| (out(n), n));
        let best = tried.into_iter().fold((value, normal), |s, t| if t.0 < s.0 { t } else { s });
        if best.0 < value {
            (value, normal) = best;
        } else {
            step *= 0.5;
        }
    }
    (value, normal)
}

//! Two boxes, one face upon the other: the manifold of nearly all contacts of a stack, without a general search.
//!
//! Of the fifteen directions that can keep boxes apart (Gottschalk 1996) the six faces come first. In A's frame, with
//! `r_ij` = axis i of A along axis j of B, `t` = centre of B, `p`, `q` half edges of A and B:
//!
//! ```text
//! along axis i of A:        |t_i| - p_i - sum_j |r_ij| q_j
//! along axis j of B:        |t . b_j| - q_j - sum_i |r_ij| p_i
//! ```
//!
//! The largest, `s`, is a lower bound of the signed distance. The opposite face of the other box is cut to the rectangle of this face
//! (Sutherland and Hodgman 1974); the lowest corner of the cut, at height `l`, is an upper bound, if it is a place of both boxes.
//! Where `l = s` nothing is left to look for, except that edges may lead out of a deep overlap on a shorter way.

mod cut;

use glam::{DMat3, DVec3};

use super::anchored::{Anchored, Body, Relative};
use crate::convex::{FACE_PREFERENCE, best_edge_pair};
use cut::Cut;

/// Directions whose separations differ by less than this part of the smaller half edge (no unit) are equally good: then the
/// direction of the last step stays, and otherwise a face beats edges and a larger face a smaller one.
const AS_GOOD: f64 = 1e-6;

/// A face is taken instead of edges if the smallest gap upon it is the distance up to this part of the smaller half edge (no
/// unit): many points hold a body better than one.
const FACE_GAIN: f64 = 1e-5;

/// Places nearer than this part of the smaller half edge (no unit) are one.
const SAME_PLACE: f64 = 1e-9;

/// What there is between two boxes.
pub(super) enum Boxes {
    /// At least this far apart, along a normal from B to A in the frame of B.
    Apart(f64, DVec3),
    /// One face upon the other, with this smallest gap.
    Faces(f64),
    /// Edges or corners are nearest: the general search has to tell.
    Other,
}

/// A face of a box, seen from outside.
#[derive(Clone, Copy, Debug)]
struct Face {
    half: [f64; 3],
    axis: usize,
    /// 1 on the larger side of the axis, -1 on the other.
    side: f64,
}

/// The axes after an axis.
const AFTER: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// Looks at two boxes of half edges `p` and `q`, with B in `relative` to A. If a face is upon the other, their contacts up
/// to a gap of `within` go to `manifold`, which holds those of the last step before, if any.
pub(super) fn find(
    p: DVec3,
    q: DVec3,
    relative: &Relative,
    within: f64,
    most: usize,
    last: Option<Body>,
    manifold: &mut Anchored,
) -> Boxes {
    let (r, t) = (relative.rotation, relative.translation);
    let absolute = absolute(&r);
    let back = r.transpose();
    let t_b = back * t;
    let along_a = gaps(p, q, &absolute, t).to_array();
    let along_b = gaps(q, p, &absolute.transpose(), t_b).to_array();
    let small = p.min_element().min(q.min_element());
    let (i, j) = (largest(along_a), largest(along_b));
    let face_a = Face { half: p.to_array(), axis: i, side: if t.to_array()[i] < 0.0 { -1.0 } else { 1.0 } };
    let face_b = Face { half: q.to_array(), axis: j, side: if t_b.to_array()[j] > 0.0 { -1.0 } else { 1.0 } };
    let carrier = reference((along_a[i], &face_a), (along_b[j], &face_b), AS_GOOD * small, last);
    let gap = if carrier == Body::A { along_a[i] } else { along_b[j] };
    if gap > within {
        return Boxes::Apart(gap, if carrier == Body::A { back * -face_a.normal() } else { face_b.normal() });
    }
    let cut = match carrier {
        Body::A => Cut::new(face_a, face_b.half, relative, SAME_PLACE * small),
        Body::B => {
            let turn = relative.turn.conjugate();
            let inverse = Relative { turn, rotation: back, translation: -t_b };
            Cut::new(face_b, face_a.half, &inverse, SAME_PLACE * small)
        }
    };
    let lowest = cut.lowest();
    // In a shallower overlap, how much shorter another way out can be does not matter.
    let deep = gap < -FACE_GAIN * small;
    if lowest > gap + FACE_GAIN * small || deep {
        let least = gap + FACE_PREFERENCE * (-gap).max(0.0) + AS_GOOD * small;
        let edges = best_edge_pair(&r, &absolute, t, p, q, least);
        let best = edges.map_or(gap, |edges| edges.gap);
        if let Some(edges) = edges.filter(|edges| edges.gap > within) {
            return Boxes::Apart(edges.gap, back * edges.normal);
        }
        if (lowest - best).abs() > FACE_GAIN * small {
            return Boxes::Other;
        }
    }
    cut.tell(carrier, within, most, manifold);
    Boxes::Faces(lowest)
}

/// True if a face of the first box keeps the second farther away than `within`: for most pairs there is no more to know.
pub(super) fn are_far(p: DVec3, q: DVec3, relative: &Relative, within: f64) -> bool {
    gaps(p, q, &absolute(&relative.rotation), relative.translation).max_element() > within
}

/// Between a box and another with its centre at `t`, along the axes of the first.
fn gaps(half: DVec3, other: DVec3, absolute: &DMat3, t: DVec3) -> DVec3 {
    t.abs() - half - *absolute * other
}

fn absolute(rotation: &DMat3) -> DMat3 {
    DMat3::from_cols(rotation.x_axis.abs(), rotation.y_axis.abs(), rotation.z_axis.abs())
}

fn largest([x, y, z]: [f64; 3]) -> usize {
    if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    }
}

/// Which body's face is the better one; of equals that of the last step, then the larger.
fn reference(a: (f64, &Face), b: (f64, &Face), as_good: f64, last: Option<Body>) -> Body {
    let better = b.0 - a.0;
    if better.abs() > as_good {
        return if better > 0.0 { Body::B } else { Body::A };
    }
    last.unwrap_or_else(|| if b.1.area() > a.1.area() { Body::B } else { Body::A })
}

impl Face {
    fn normal(&self) -> DVec3 {
        let mut normal = [0.0; 3];
        normal[self.axis] = self.side;
        DVec3::from(normal)
    }

    /// A quarter of the area.
    fn area(&self) -> f64 {
        let (u, w) = AFTER[self.axis];
        self.half[u] * self.half[w]
    }
}

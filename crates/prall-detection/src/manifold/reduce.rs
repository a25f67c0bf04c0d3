//! From many points to few: same normals together, same places once, and of the rest those that hold best.

use glam::DVec3;

use crate::contact::ContactPoint;

/// Cosine of the angle (1e-4 radians) up to which normals count as one: that up to which faces count as one plane.
const SAME_NORMAL: f64 = 1.0 - 5e-9;

/// Points nearer to each other than this, in metres, are one: far below what a solver can tell apart, far above rounding.
const SAME_POINT: f64 = 1e-9;

/// Memory for grouping.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Indices of the points of the manifold in the making.
    members: Vec<usize>,
    taken: Vec<bool>,
}

impl Groups {
    /// Sorts found points into manifolds of at most `most` points and appends them. The deepest point comes first in each, and
    /// manifolds come in the order in which their first points were found.
    pub(super) fn gather(
        &mut self,
        found: &mut [ContactPoint],
        most: usize,
        points: &mut Vec<ContactPoint>,
        ends: &mut Vec<usize>,
    ) {
        self.taken.clear();
        self.taken.resize(found.len(), false);
        for first in 0..found.len() {
            if self.taken[first] {
                continue;
            }
            let normal = found[first].normal;
            self.members.clear();
            for (i, point) in found.iter().enumerate().skip(first) {
                if self.taken[i] || point.normal.dot(normal) < SAME_NORMAL {
                    continue;
                }
                self.taken[i] = true;
                let twin = |&&m: &&usize| same_place(&found[m], point);
                match self.members.iter().find(twin).copied() {
                    // Of two at one place the smaller name is kept, so that the order of finding does not matter.
                    Some(m) if point.features < found[m].features => found_swap(&mut self.members, m, i),
                    Some(_) => {}
                    None => self.members.push(i),
                }
            }
            reduce(found, normal, most, &mut self.members);
            points.extend(self.members.iter().map(|&m| found[m]));
            ends.push(points.len());
        }
    }
}

fn found_swap(members: &mut [usize], old: usize, new: usize) {
    if let Some(member) = members.iter_mut().find(|m| **m == old) {
        *member = new;
    }
}

fn same_place(p: &ContactPoint, q: &ContactPoint) -> bool {
    let squared = SAME_POINT * SAME_POINT;
    p.on_a.distance_squared(q.on_a) <= squared || p.on_b.distance_squared(q.on_b) <= squared
}

/// Keeps the deepest point, the one farthest from it, and then whichever adds most area, as seen along the normal.
fn reduce(found: &[ContactPoint], normal: DVec3, most: usize, members: &mut Vec<usize>) {
    if members.len() <= most {
        return;
    }
    let place = |m: usize| found[m].on_b - normal * normal.dot(found[m].on_b);
    pick(members, 0, |m| -found[m].gap, found);
    if most > 1 {
        let first = place(members[0]);
        pick(members, 1, |m| place(m).distance_squared(first), found);
    }
    if most > 2 {
        let (first, second) = (place(members[0]), place(members[1]));
        pick(members, 2, |m| normal.dot((second - first).cross(place(m) - first)).abs(), found);
    }
    for chosen in 3..most {
        let corners: [DVec3; 3] = [0, 1, 2].map(|i| place(members[i]));
        let around = normal.dot((corners[1] - corners[0]).cross(corners[2] - corners[0])).signum();
        // The largest triangle that a point makes outside of an edge of the first three.
        let gain = |m: usize| {
            let p = place(m);
            (0..3)
                .map(|i| {
                    let (from, to) = (corners[i], corners[(i + 1) % 3]);
                    -around * normal.dot((to - from).cross(p - from))
                })
                .fold(f64::NEG_INFINITY, f64::max)
        };
        pick(members, chosen, gain, found);
    }
    members.truncate(most);
}

/// Values of a choice that agree to this part (no unit) are a tie, which the names of the features decide: so the
/// choice does not flicker between equal corners.
const TIE: f64 = 1e-6;

/// Brings the best of the members from `place` on to that place.
fn pick(members: &mut [usize], place: usize, value: impl Fn(usize) -> f64, found: &[ContactPoint]) {
    let mut best = place;
    for i in place + 1..members.len() {
        let (new, old) = (value(members[i]), value(members[best]));
        let tie = (new - old).abs() <= TIE * old.abs().max(new.abs());
        let smaller_name = found[members[i]].features < found[members[best]].features;
        if if tie { smaller_name } else { new > old } {
            best = i;
        }
    }
    members.swap(place, best);
}

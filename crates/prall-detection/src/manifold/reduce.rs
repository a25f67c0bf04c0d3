//! From many points to few: same normals together, same places once, and of the rest those that hold best.

use glam::{DVec2, DVec3};

use crate::contact::{ContactPoint, FeaturePair};

/// Cosine of the angle (1e-4 radians) up to which normals count as one: that up to which faces count as one plane.
const SAME_NORMAL: f64 = 1.0 - 5e-9;

/// Points nearer to each other than this, in metres, are one: far below what a solver can tell apart, far above rounding.
const SAME_POINT: f64 = 1e-9;

/// Memory for grouping.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Indices of the points of the manifold in the making.
    members: Vec<usize>,
    candidates: Vec<Candidate<FeaturePair>>,
    taken: Vec<bool>,
}

/// A point as the choice between points sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<Name> {
    pub(super) gap: f64,
    /// Where it is, as seen along the normal.
    pub(super) place: DVec2,
    /// Decides between equals.
    pub(super) name: Name,
}

impl Groups {
    /// Appends points with one normal and different places as one manifold of at most `most` points.
    pub(super) fn take_all(
        &mut self,
        found: &[ContactPoint],
        most: usize,
        points: &mut Vec<ContactPoint>,
        ends: &mut Vec<usize>,
    ) {
        let Some(first) = found.first() else { return };
        if found.len() == 1 {
            points.push(*first);
            ends.push(points.len());
            return;
        }
        self.members.clear();
        self.members.extend(0..found.len());
        self.finish(found, first.normal, most, points, ends);
    }

    /// Sorts found points into manifolds of at most `most` points and appends them, in the order in which their first points
    /// were found.
    pub(super) fn gather(
        &mut self,
        found: &[ContactPoint],
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
            self.finish(found, normal, most, points, ends);
        }
    }

    fn finish(
        &mut self,
        found: &[ContactPoint],
        normal: DVec3,
        most: usize,
        points: &mut Vec<ContactPoint>,
        ends: &mut Vec<usize>,
    ) {
        if self.members.len() > most {
            let (u, w) = normal.any_orthonormal_pair();
            let origin = found[self.members[0]].on_b;
            self.candidates.clear();
            self.candidates.extend(found.iter().map(|point| {
                let offset = point.on_b - origin;
                let place = DVec2::new(u.dot(offset), w.dot(offset));
                Candidate { gap: point.gap, place, name: point.features }
            }));
            best_first(&self.candidates, most, &mut self.members);
            self.members.truncate(most);
        }
        points.extend(self.members.iter().map(|&m| found[m]));
        ends.push(points.len());
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

/// Brings the deepest point to the front, then the one farthest from it, and then whichever adds most area.
pub(super) fn best_first<Name: Ord>(found: &[Candidate<Name>], most: usize, members: &mut [usize]) {
    pick(members, 0, |m| -found[m].gap, found);
    if most > 1 {
        let first = found[members[0]].place;
        pick(members, 1, |m| found[m].place.distance_squared(first), found);
    }
    if most > 2 {
        let (first, second) = (found[members[0]].place, found[members[1]].place);
        pick(members, 2, |m| (second - first).perp_dot(found[m].place - first).abs(), found);
    }
    for chosen in 3..most {
        let corners = [0, 1, 2].map(|i| found[members[i]].place);
        let around = (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]).signum();
        // The largest triangle that a point makes outside of an edge of the first three.
        let gain = |m: usize| {
            let outside = |i: usize| {
                let (from, to) = (corners[i], corners[(i + 1) % 3]);
                -around * (to - from).perp_dot(found[m].place - from)
            };
            outside(0).max(outside(1)).max(outside(2))
        };
        pick(members, chosen, gain, found);
    }
}

/// Values of a choice that agree to this part (no unit) are a tie, which the names of the features decide: so the
/// choice does not flicker between equal corners.
const TIE: f64 = 1e-6;

/// Brings the best of the members from `place` on to that place.
fn pick<Name: Ord>(
    members: &mut [usize],
    place: usize,
    value: impl Fn(usize) -> f64,
    found: &[Candidate<Name>],
) {
    let mut best = place;
    let mut largest = value(members[place]);
    for i in place + 1..members.len() {
        let new = value(members[i]);
        let tie = (new - largest).abs() <= TIE * largest.abs().max(new.abs());
        if if tie { found[members[i]].name < found[members[best]].name } else { new > largest } {
            (best, largest) = (i, new);
        }
    }
    members.swap(place, best);
}

//! Nested dissection (George 1973): the order in which the joints of a net are eliminated.
//!
//! The bodies of a group are cut into two sets. Without the joints between the sets, the *cut*, no joint of one set shares a movable body
//! with a joint of the other, so both are eliminated on their own, and the cut after them; each set is cut again, and so on. In a net of
//! `k` by `k` bodies the cuts have `k`, `k/2`, `k/2`, .. joints: the factor has `k^2 log k` numbers and takes `k^3` multiplications.
//!
//! What is eliminated together is a [`Part`]: the joints of a cut, or all joints inside a small set. Eliminating it couples the joints that
//! lead out of the set, its *boundary*, with each other and with nothing else.
//!
//! Where to cut is told by the joints alone, for poses change and the order must not. Distances, in joints, from two bodies are coordinates of
//! the net, and so are their differences. In a rectangle, distances from two corners of one side have the level sets `x = constant` as their
//! difference: straight cuts, which are the shortest. Of some such coordinates, the one with the fewest joints in its best cut is taken.

use std::collections::BTreeMap;

/// Sets of so many bodies are not cut: their joints make one dense block of a few dozen rows.
const SMALL: usize = 4;
/// Each side of a cut has at least one of so many bodies.
const SHARE: usize = 8;

/// Joints that are eliminated together, as places in the list of edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) own: Vec<u32>,
    /// Later joints to which it is coupled; by the order of elimination.
    pub(super) boundary: Vec<u32>,
    /// Parts that hand on what they have eliminated; parts come after their children.
    pub(super) children: Vec<u32>,
}

/// The parts of a group of joints, given by their bodies, in the order of elimination.
pub(super) fn dissect(edges: &[[u32; 2]], movable: impl Fn(u32) -> bool) -> Vec<Part> {
    let mut numbers: BTreeMap<u32, u32> =
        edges.iter().flatten().filter(|body| movable(**body)).map(|&body| (body, 0)).collect();
    numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
    let number = |body: u32| numbers.get(&body).copied().unwrap_or(FIXED);
    let ends: Vec<[u32; 2]> = edges.iter().map(|edge| edge.map(number)).collect();
    let mut joints = vec![Vec::new(); numbers.len()];
    for (joint, end) in ends.iter().enumerate() {
        for &body in end.iter().filter(|&&body| body != FIXED) {
            joints[body as usize].push(joint as u32);
        }
    }
    let count = joints.len();
    let mut net =
        Net { ends, joints, set_of: vec![0; count], sets: 0, places: vec![[0; 4]; count], parts: Vec::new() };
    net.divide((0..count as u32).collect());
    net.sort_boundaries();
    net.parts
}

const FIXED: u32 = u32::MAX;
const UNREACHED: i32 = -1;

/// Distances from four bodies, in joints.
type Place = [i32; 4];

/// A coordinate of the net by which sets are cut.
type Coordinate = fn(&Place) -> i32;
const COORDINATES: [Coordinate; 5] = [|p| p[1], |p| p[3], |p| p[1] - p[2], |p| p[1] - p[3], |p| p[2] - p[3]];

struct Net {
    /// Bodies of each joint.
    ends: Vec<[u32; 2]>,
    /// Joints of each body.
    joints: Vec<Vec<u32>>,
    /// Which set a body is in.
    set_of: Vec<u32>,
    sets: u32,
    places: Vec<Place>,
    parts: Vec<Part>,
}

impl Net {
    /// Makes the parts of a set of bodies; returns the last ones, which hand on what they leave.
    fn divide(&mut self, bodies: Vec<u32>) -> Vec<u32> {
        let mut roots = Vec::new();
        self.label(&bodies);
        for &body in &bodies {
            self.places[body as usize] = [UNREACHED; 4];
        }
        for &body in &bodies {
            if self.places[body as usize][0] == UNREACHED {
                let connected = self.search(body, 0);
                roots.push(connected);
            }
        }
        let mut last = Vec::new();
        for connected in roots {
            self.divide_connected(connected, &mut last);
        }
        last
    }

    /// The same for a set that hangs together, in the order of a search from one of its bodies.
    fn divide_connected(&mut self, bodies: Vec<u32>, last: &mut Vec<u32>) {
        let set = self.label(&bodies);
        let cut = if bodies.len() > SMALL { self.cut(&bodies) } else { None };
        let mut part =
            Part { own: Vec::new(), boundary: self.leading_out(&bodies, set), children: Vec::new() };
        match cut {
            None => {
                let inside = |joint: &u32, body: u32| match self.other(*joint, body) {
                    FIXED => true,
                    other => body < other && self.set_of[other as usize] == set,
                };
                for &body in &bodies {
                    part.own.extend(self.joints[body as usize].iter().filter(|joint| inside(joint, body)));
                }
            }
            Some((coordinate, threshold)) => {
                let (low, high): (Vec<u32>, Vec<u32>) =
                    bodies.iter().partition(|&&body| coordinate(&self.places[body as usize]) <= threshold);
                let beyond = self.label(&high);
                part.own = self.leading_out(&low, set);
                part.own.retain(|&joint| {
                    self.ends[joint as usize].iter().any(|&b| b != FIXED && self.set_of[b as usize] == beyond)
                });
                part.children = self.divide(low);
                part.children.extend(self.divide(high));
            }
        }
        if part.own.is_empty() {
            last.extend(part.children);
        } else {
            last.push(self.parts.len() as u32);
            self.parts.push(part);
        }
    }

    /// Makes bodies a set of their own.
    fn label(&mut self, bodies: &[u32]) -> u32 {
        self.sets += 1;
        for &body in bodies {
            self.set_of[body as usize] = self.sets;
        }
        self.sets
    }

    fn other(&self, joint: u32, body: u32) -> u32 {
        let [a, b] = self.ends[joint as usize];
        if a == body { b } else { a }
    }

    /// Joints between the bodies of a set and movable ones that are not in it.
    fn leading_out(&self, bodies: &[u32], set: u32) -> Vec<u32> {
        let mut out = Vec::new();
        for &body in bodies {
            out.extend(self.joints[body as usize].iter().filter(|joint| {
                let other = self.other(**joint, body);
                other != FIXED && self.set_of[other as usize] != set
            }));
        }
        out
    }

    /// Distances from a body within its set; all that it reaches, nearest first.
    fn search(&mut self, from: u32, which: usize) -> Vec<u32> {
        let set = self.set_of[from as usize];
        let mut reached = vec![from];
        self.places[from as usize][which] = 0;
        let mut next = 0;
        while let Some(&body) = reached.get(next) {
            next += 1;
            for &joint in &self.joints[body as usize] {
                let other = self.other(joint, body);
                if other != FIXED
                    && self.set_of[other as usize] == set
                    && self.places[other as usize][which] == UNREACHED
                {
                    self.places[other as usize][which] = self.places[body as usize][which] + 1;
                    reached.push(other);
                }
            }
        }
        reached
    }

    /// The coordinate and the threshold at which a set is cut; `None` if nothing cuts it into fair shares.
    ///
    /// Distances are from: 1, a body at an end; 2, the one farthest from it; 3, of those halfway between the two, one at the side.
    fn cut(&mut self, bodies: &[u32]) -> Option<(Coordinate, i32)> {
        for &body in bodies {
            self.places[body as usize] = [UNREACHED; 4];
        }
        let end = *bodies.last()?;
        let opposite = *self.search(end, 1).last()?;
        self.search(opposite, 2);
        let nearer = |net: &Net, body: u32| {
            let place = net.places[body as usize];
            place[1].min(place[2])
        };
        let halfway = bodies.iter().map(|&body| nearer(self, body)).max()?;
        let middle = *bodies.iter().find(|&&body| nearer(self, body) == halfway)?;
        let around = self.search(middle, 0);
        let side = *around.iter().rev().find(|&&body| nearer(self, body) >= halfway - 1)?;
        self.search(side, 3);
        let mut best: Option<(f64, Coordinate, i32)> = None;
        for coordinate in COORDINATES {
            if let Some((price, threshold)) = self.best_threshold(bodies, coordinate)
                && best.is_none_or(|(least, ..)| price < least)
            {
                best = Some((price, coordinate, threshold));
            }
        }
        best.map(|(_, coordinate, threshold)| (coordinate, threshold))
    }

    /// The threshold with the fewest joints between its sides, over the product of their sizes; and that price.
    fn best_threshold(&self, bodies: &[u32], coordinate: Coordinate) -> Option<(f64, i32)> {
        let of = |body: u32| coordinate(&self.places[body as usize]);
        let (least, most) =
            bodies.iter().fold((i32::MAX, i32::MIN), |(low, high), &b| (low.min(of(b)), high.max(of(b))));
        let set = self.set_of[bodies[0] as usize];
        // At each value: bodies that have it, and the joints that begin or end to cross it.
        let mut levels = vec![(0_usize, 0_i64); (most - least) as usize + 1];
        for &body in bodies {
            let own = (of(body) - least) as usize;
            levels[own].0 += 1;
            for &joint in &self.joints[body as usize] {
                let other = self.other(joint, body);
                if other != FIXED && self.set_of[other as usize] == set {
                    let theirs = (of(other) - least) as usize;
                    levels[own].1 += if own < theirs { 1 } else { -i64::from(own > theirs) };
                }
            }
        }
        let (mut below, mut crossing) = (0, 0);
        let mut best: Option<(f64, i32)> = None;
        for (level, (bodies_here, change)) in levels.iter().enumerate() {
            below += bodies_here;
            crossing += change;
            let above = bodies.len() - below;
            if SHARE * below.min(above) >= bodies.len() {
                let price = crossing as f64 / (below as f64 * above as f64);
                if best.is_none_or(|(least, _)| price < least) {
                    best = Some((price, level as i32 + least));
                }
            }
        }
        best
    }

    fn sort_boundaries(&mut self) {
        let mut position = vec![0_u32; self.ends.len()];
        let order = self.parts.iter().flat_map(|part| part.own.iter().copied());
        order.zip(0..).for_each(|(joint, at)| position[joint as usize] = at);
        for part in &mut self.parts {
            part.boundary.sort_unstable_by_key(|&joint| position[joint as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::net::net;
    use super::*;

    /// By definition of the order: what shares a body with a joint of a part, and is not eliminated before it, is in the part or on its
    /// boundary; and what a part leaves, the part that takes it over knows.
    fn check(edges: &[[u32; 2]], movable: impl Fn(u32) -> bool + Copy) -> Vec<Part> {
        let parts = dissect(edges, movable);
        let mut part_of = vec![usize::MAX; edges.len()];
        for (at, part) in parts.iter().enumerate() {
            for &joint in &part.own {
                assert_eq!(part_of[joint as usize], usize::MAX, "joint {joint} is eliminated twice");
                part_of[joint as usize] = at;
            }
        }
        assert!(part_of.iter().all(|&part| part < parts.len()), "a joint was left out");
        for (i, a) in edges.iter().enumerate() {
            for (j, b) in edges.iter().enumerate() {
                let coupled = a.iter().any(|&body| movable(body) && b.contains(&body));
                if coupled && part_of[i] < part_of[j] {
                    assert!(parts[part_of[i]].boundary.contains(&(j as u32)), "{i} and {j}");
                }
            }
        }
        for (at, part) in parts.iter().enumerate() {
            for &child in &part.children {
                assert!((child as usize) < at);
                let left = &parts[child as usize].boundary;
                assert!(left.iter().all(|joint| part.own.contains(joint) || part.boundary.contains(joint)));
            }
        }
        parts
    }

    #[test]
    fn parts_know_all_that_they_are_coupled_to() {
        check(&net(7, 5), |body| body > 0);
        let ring: Vec<[u32; 2]> = (0..20).map(|i| [i, (i + 1) % 20]).collect();
        check(&ring, |_| true);
        let star: Vec<[u32; 2]> = (1..30).map(|i| [0, i]).collect();
        check(&star, |_| true);
        let twice = [[0, 1], [1, 2], [1, 2], [2, 3], [3, 0], [3, 1], [4, 3], [4, 0], [5, 4], [5, 1], [6, 7]];
        check(&twice, |body| body > 0);
    }

    /// The shortest cut through a rectangle is straight, across its longer side.
    #[test]
    fn a_net_is_cut_straight_through() {
        for (width, height) in [(16, 16), (30, 12), (9, 40)] {
            let parts = check(&net(width, height), |body| body > 0);
            let first = parts.last().unwrap();
            assert_eq!(first.own.len(), width.min(height) as usize);
            assert!(first.boundary.is_empty());
        }
    }
}

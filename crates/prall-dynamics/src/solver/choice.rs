//! Which solver [`Auto`](super::Solver::Auto) takes for joints that make loops: factor, or sweep?
//!
//! Both have a price that the structure tells. A factorisation takes `work` multiplications, counted on the pattern. A sweep hands an impulse
//! on by one joint, and errors spread like heat: nets whose farthest body is `d` joints from the ground took `0.2 d^2` plain sweeps a step
//! where they hung (5 to 45 balls along an edge, 1e-3 to 1e-5 m) and more where they swung. Conjugate courses take fewer, but not in flat nets,
//! which are singular. Neither price knows the state, so the choice stands while the joints stand.

use std::collections::{BTreeMap, VecDeque};

/// Numbers that a factor may have: a quarter of a gigabyte. A net of 100 by 100 balls has a sixth of it.
pub(crate) const MOST_NUMBERS: usize = 1 << 25;

/// Multiplications per joint, in those of a joint's own block, that are factored whatever sweeps would take: small groups, and all that are
/// nearly trees, are worth the exact answer.
const ALWAYS_FACTORED: f64 = 60.0;

/// Sweeps of a step, over the square of the joints to the farthest body. Twice what nets need that hang: they swing, too.
const SWEEPS: f64 = 0.4;

/// A visit to a joint costs so many of its blocks' multiplications (180 for a ball: 27), measured against a factorisation.
const VISIT: f64 = 6.7;

/// Factorisations of a step: before the move, and after it.
const FACTORISATIONS: f64 = 2.0;

/// Whether a group is better factored than swept.
///
/// `work` are the multiplications of a factorisation, `blocks` those of the joints' own blocks alone, `depth` the joints to the body that is
/// farthest from the ground.
pub(crate) fn is_worth_factoring(work: f64, blocks: f64, depth: usize) -> bool {
    let squared = (depth * depth) as f64;
    work <= blocks * (VISIT * SWEEPS / FACTORISATIONS * squared).max(ALWAYS_FACTORED)
}

/// Joints between the ground and the body that is farthest from it; in a group that floats, half of those between the ends that a search
/// from its first body finds.
pub(crate) fn depth(edges: &[[u32; 2]], movable: impl Fn(u32) -> bool) -> usize {
    let mut near: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &[a, b] in edges {
        near.entry(a).or_default().push(b);
        near.entry(b).or_default().push(a);
    }
    let grounds: Vec<u32> = near.keys().copied().filter(|&body| !movable(body)).collect();
    match (grounds.is_empty(), near.keys().next()) {
        (true, Some(&first)) => {
            let (end, _) = farthest(&near, &[first], &movable);
            farthest(&near, &[end], &movable).1.div_ceil(2)
        }
        _ => farthest(&near, &grounds, &movable).1,
    }
}

/// The last body that a search from others reaches, and its distance. Nothing is handed on through bodies that do not move.
fn farthest(near: &BTreeMap<u32, Vec<u32>>, from: &[u32], movable: impl Fn(u32) -> bool) -> (u32, usize) {
    let mut reached: BTreeMap<u32, usize> = from.iter().map(|&body| (body, 0)).collect();
    let mut queue: VecDeque<u32> = from.iter().copied().collect();
    let mut last = (0, 0);
    while let Some(body) = queue.pop_front() {
        let distance = reached[&body];
        last = (body, distance);
        for &other in near[&body].iter().filter(|&&other| movable(other)) {
            reached.entry(other).or_insert_with(|| {
                queue.push_back(other);
                distance + 1
            });
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::super::net::net;
    use super::*;

    #[test]
    fn the_depth_of_a_net_is_its_number_of_rows() {
        for size in [1, 2, 7] {
            assert_eq!(depth(&net(size, size), |body| body > 0), size as usize);
        }
    }

    #[test]
    fn a_floating_ring_is_as_deep_as_a_quarter_of_its_joints() {
        let ring: Vec<[u32; 2]> = (0..20).map(|i| [i, (i + 1) % 20]).collect();
        assert_eq!(depth(&ring, |_| true), 5);
    }

    #[test]
    fn bodies_that_do_not_move_hand_nothing_on() {
        // Two chains of three that end at the same fixed body.
        let edges = [[0, 1], [1, 2], [2, 9], [9, 3], [3, 4], [4, 5]];
        assert_eq!(depth(&edges, |body| body != 0 && body != 9), 3);
    }
}

//! Which block of an island meets first, and which blocks a body has.
//!
//! An island of thousands of blocks has hundreds of impacts in a step. Block `i` of a binary tree has the blocks `2 i + 1` and `2 i + 2` below it and knows
//! which of all that are below it meets first, so that an impact costs the logarithm of the number of blocks. Blocks of one body are chained. Both live in the
//! blocks themselves: nothing is allocated.

use super::arena::View;
use super::block::Block;

/// The end of a chain.
const END: u32 = u32::MAX;

/// Chains the blocks of each body that percussions move, in the order of their numbers.
pub(super) fn chain(view: &mut View<'_>, dynamic: usize) {
    view.locals.iter_mut().for_each(|local| local.first = END);
    for index in (0..view.blocks.len()).rev() {
        let block = &mut view.blocks[index];
        for (side, at) in
            [block.a as usize, block.b as usize].into_iter().enumerate().filter(|&(_, at)| at < dynamic)
        {
            block.next[side] = std::mem::replace(&mut view.locals[at].first, index as u32);
        }
    }
}

/// Visits the blocks of a body; returns how many it has.
pub(super) fn of_body(
    view: &mut View<'_>,
    body: usize,
    mut visit: impl FnMut(&mut View<'_>, usize),
) -> usize {
    let (mut index, mut count) = (view.locals[body].first, 0);
    while index != END {
        let at = index as usize;
        visit(view, at);
        count += 1;
        let block = &view.blocks[at];
        index = block.next[usize::from(block.a as usize != body)];
    }
    count
}

/// Orders all blocks by when they meet.
pub(super) fn order(blocks: &mut [Block]) {
    for index in (0..blocks.len()).rev() {
        blocks[index].earliest = earliest_from(blocks, index);
    }
}

/// Puts a block in its place after its meeting has changed.
pub(super) fn changed(blocks: &mut [Block], mut index: usize) {
    loop {
        blocks[index].earliest = earliest_from(blocks, index);
        if index == 0 {
            return;
        }
        index = (index - 1) / 2;
    }
}

/// The block that meets first, and when; of several the one with the smallest number.
pub(super) fn first(blocks: &[Block]) -> Option<(usize, f64)> {
    let index = blocks.first()?.earliest as usize;
    let meets = blocks[index].meets;
    (meets < f64::INFINITY).then_some((index, meets))
}

fn earliest_from(blocks: &[Block], index: usize) -> u32 {
    let below = [2 * index + 1, 2 * index + 2]
        .into_iter()
        .filter_map(|at| blocks.get(at))
        .map(|block| block.earliest);
    below.fold(index as u32, |best, other| {
        let (own, others) = (blocks[best as usize].meets, blocks[other as usize].meets);
        if others < own || others == own && other < best { other } else { best }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContactLaw;
    use glam::DVec3;

    /// The first block by the tree is the first one by a look at all of them, whatever changes.
    #[test]
    fn the_first_by_the_tree_is_the_first_of_all() {
        let law = ContactLaw::new(1.0, 0.0, 0.0).unwrap();
        for count in [1_usize, 2, 3, 7, 8, 64, 333] {
            let mut blocks = vec![Block::new(DVec3::Y, &law); count];
            let mut seed = 7_u64;
            let mut random = || {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                seed >> 33
            };
            // Few different times, so that many are equal.
            let time =
                |number: u64| if number.is_multiple_of(5) { f64::INFINITY } else { (number % 11) as f64 };
            blocks.iter_mut().for_each(|block| block.meets = time(random()));
            order(&mut blocks);
            for _ in 0..200 {
                let expected =
                    (0..count).min_by(|&a, &b| blocks[a].meets.total_cmp(&blocks[b].meets)).unwrap();
                assert_eq!(blocks[0].earliest as usize, expected);
                assert_eq!(
                    first(&blocks).map(|first| first.0),
                    (blocks[expected].meets < f64::INFINITY).then_some(expected)
                );
                let index = random() as usize % count;
                blocks[index].meets = time(random());
                changed(&mut blocks, index);
            }
        }
    }
}

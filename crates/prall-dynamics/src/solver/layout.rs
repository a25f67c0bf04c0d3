//! How the rows of a group's joints lie in vectors: in the order of elimination.

use crate::joint::block::Block;

/// Joints by their position in the order of elimination.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Blocks of the system.
    pub(super) order: Vec<u32>,
    /// Rows of each, at most; unused rows are held.
    pub(super) sizes: Vec<usize>,
    /// Place of each one's part in vectors.
    pub(super) offsets: Vec<usize>,
    pub(super) rows: usize,
}

impl Layout {
    /// For joints that are given as indices of blocks, with the largest number of rows of each; `order` are places in this list.
    pub(super) fn new(order: &[u32], members: &[u32], sizes: &[usize]) -> Layout {
        let mut layout = Layout {
            order: order.iter().map(|&node| members[node as usize]).collect(),
            sizes: order.iter().map(|&node| sizes[node as usize]).collect(),
            ..Layout::default()
        };
        for &size in &layout.sizes {
            layout.offsets.push(layout.rows);
            layout.rows += size;
        }
        layout
    }

    /// Brings the blocks of the joints into the order of elimination, in the same places: one solve goes through them many times.
    pub(super) fn arrange(&mut self, blocks: &mut [Block], members: &[u32]) {
        let arranged: Vec<Block> = self.order.iter().map(|&at| blocks[at as usize].clone()).collect();
        self.order.copy_from_slice(members);
        for (&at, block) in members.iter().zip(arranged) {
            blocks[at as usize] = block;
        }
    }

    /// The block at a position.
    pub(super) fn block<'a>(&self, blocks: &'a [Block], position: u32) -> &'a Block {
        &blocks[self.order[position as usize] as usize]
    }

    /// Rows and columns of the numbers that couple two joints; of a joint's own ones those on and below the diagonal.
    pub(super) fn entries(&self, column: u32, row: u32) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (height, width) = (self.sizes[row as usize], self.sizes[column as usize]);
        let same = column == row;
        (0..width).flat_map(move |j| (if same { j } else { 0 }..height).map(move |i| (i, j)))
    }
}

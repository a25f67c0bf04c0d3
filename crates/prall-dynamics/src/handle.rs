//! Handles: names of things in a world that stay unique after the thing is gone.

use serde::{Deserialize, Serialize};

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name {
            pub(crate) index: u32,
            pub(crate) generation: u32,
        }

        impl $name {
            /// The place in the world's arrays; used again once the thing is removed.
            pub fn index(self) -> usize {
                self.index as usize
            }
        }
    };
}

handle!(
    /// A body of a world.
    BodyHandle
);
handle!(
    /// A joint of a world.
    JointHandle
);
handle!(
    /// A mover of a world: a tree of bodies or another system with its own coordinates.
    MoverHandle
);

/// Which places of an array are taken. The smallest free place is given out first, whatever the order of removal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Places {
    generations: Vec<u32>,
    taken: Vec<bool>,
    free: Vec<u32>,
}

impl Places {
    /// The next place, and its generation.
    pub(crate) fn take(&mut self) -> (u32, u32) {
        let index = self.free.pop().unwrap_or_else(|| {
            self.generations.push(0);
            self.taken.push(false);
            self.taken.len() as u32 - 1
        });
        self.taken[index as usize] = true;
        (index, self.generations[index as usize])
    }

    pub(crate) fn release(&mut self, index: u32) {
        self.taken[index as usize] = false;
        self.generations[index as usize] = self.generations[index as usize].wrapping_add(1);
        let at = self.free.partition_point(|&other| other > index);
        self.free.insert(at, index);
    }

    pub(crate) fn holds(&self, index: u32, generation: u32) -> bool {
        self.is_taken(index as usize) && self.generations[index as usize] == generation
    }

    pub(crate) fn is_taken(&self, index: usize) -> bool {
        self.taken.get(index).copied().unwrap_or(false)
    }

    pub(crate) fn generation(&self, index: usize) -> u32 {
        self.generations[index]
    }

    /// Places that are or were in use.
    pub(crate) fn len(&self) -> usize {
        self.taken.len()
    }

    /// Indices of places in use, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.taken.len()).filter(|&index| self.taken[index])
    }

    pub(crate) fn count(&self) -> usize {
        self.taken.len() - self.free.len()
    }
}

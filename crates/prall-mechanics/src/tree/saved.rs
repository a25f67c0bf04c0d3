//! [`TreeState`]: what decides how a tree goes on, apart from what it is made of.

use prall_math::Wrench;
use serde::{Deserialize, Serialize};

use super::Tree;
use super::element::ForceElement;
use super::link::Link;
use super::newton::Memory;
use super::state::{Drive, LinkState};

/// State of a [`Tree`] with the estimates that its next step begins with: restored, it goes on bit by bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeState {
    states: Vec<LinkState>,
    memory: Vec<Memory>,
    loop_forces: Vec<[f64; 5]>,
}

/// What a [`Tree`] was told from outside: elements of its axes, where drives shall go, and loads on its bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeInputs {
    elements: Vec<ForceElement>,
    drives: Vec<Drive>,
    loads: Vec<Wrench>,
}

/// State and inputs of a tree to be written, without copies: reads back as a [`TreeState`] and [`TreeInputs`].
#[derive(Serialize)]
struct Borrowed<'a> {
    states: &'a [LinkState],
    memory: &'a [Memory],
    loop_forces: &'a [[f64; 5]],
    elements: Elements<'a>,
    drives: &'a [Drive],
    loads: &'a [Wrench],
}

struct Elements<'a>(&'a [Link]);

impl Serialize for Elements<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|link| &link.element))
    }
}

impl Tree {
    /// State and inputs to be written in a format without names, without copying them first: it reads back as a pair of [`TreeState`] and
    /// [`TreeInputs`].
    pub fn written(&self) -> impl Serialize + '_ {
        Borrowed {
            states: &self.states,
            memory: &self.memory,
            loop_forces: &self.loop_forces,
            elements: Elements(&self.links),
            drives: &self.drives,
            loads: &self.loads,
        }
    }

    /// What it was told from outside.
    pub fn inputs(&self) -> TreeInputs {
        TreeInputs {
            elements: self.links.iter().map(|link| link.element).collect(),
            drives: self.drives.clone(),
            loads: self.loads.clone(),
        }
    }

    /// Tells a tree with the same description the same. False, and nothing is changed, if it has another number of links or bodies, or an
    /// element makes no sense.
    pub fn set_inputs(&mut self, inputs: &TreeInputs) -> bool {
        let fits = inputs.elements.len() == self.links.len()
            && inputs.drives.len() == self.drives.len()
            && inputs.loads.len() == self.loads.len()
            && inputs.elements.iter().all(|element| element.check().is_ok());
        if fits {
            for (link, element) in self.links.iter_mut().zip(&inputs.elements) {
                link.element = *element;
            }
            self.drives.copy_from_slice(&inputs.drives);
            self.loads.copy_from_slice(&inputs.loads);
        }
        fits
    }

    /// The present state.
    pub fn save(&self) -> TreeState {
        TreeState {
            states: self.states.clone(),
            memory: self.memory.clone(),
            loop_forces: self.loop_forces.clone(),
        }
    }

    /// Goes back to a saved state of a tree with the same description. False, and nothing is changed, if it has another
    /// number of links or loops.
    pub fn restore(&mut self, state: &TreeState) -> bool {
        let fits = state.states.len() == self.states.len()
            && state.memory.len() == self.memory.len()
            && state.loop_forces.len() == self.loop_forces.len();
        if fits {
            self.states.copy_from_slice(&state.states);
            self.memory.copy_from_slice(&state.memory);
            self.loop_forces.copy_from_slice(&state.loop_forces);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::models::{binary_tree, chain};
    use crate::tree::{JointKind, Tree, TreeOptions};
    use glam::{DQuat, DVec3};
    use prall_math::{Pose, Twist};

    fn swung(count: u32) -> Tree {
        let mut tree = Tree::new(&binary_tree(count)).unwrap();
        let turn = Pose::from_rotation(DQuat::from_rotation_z(1.0));
        let poses: Vec<Pose> = (0..tree.len()).map(|node| turn * tree.pose(node)).collect();
        tree.load(|node| (poses[node], Twist::ZERO));
        tree
    }

    fn run(tree: &mut Tree) {
        (0..30).for_each(|_| {
            tree.step(1.0 / 30.0, DVec3::NEG_Y * 9.81, &TreeOptions::default());
        });
    }

    #[test]
    fn a_restored_tree_goes_on_bit_by_bit() {
        let mut tree = swung(15);
        run(&mut tree);
        let saved = tree.save();
        run(&mut tree);
        let mut other = swung(15);
        assert!(other.restore(&saved));
        run(&mut other);
        assert_eq!(tree.save(), other.save());
    }

    #[test]
    fn a_state_of_another_tree_is_refused() {
        let mut tree = swung(15);
        let before = tree.save();
        assert!(!tree.restore(&Tree::new(&chain(4, 1.0, JointKind::Ball)).unwrap().save()));
        assert_eq!(tree.save(), before);
    }
}

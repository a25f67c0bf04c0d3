//! [`Mechanism`]: a tree at work, as a mover.

use glam::DVec3;
use prall_math::{Motion, Pose, Twist, Wrench};
use prall_mechanics::tree::{Drive, Tree};
use prall_mechanics::{Mover, MoverStateError, StateHash, TwistResponse};

/// A tree of bodies with names. Its links, as a mover, are its bodies in the order of their declaration.
#[derive(Clone, Debug)]
pub struct Mechanism {
    tree: Tree,
    names: Vec<String>,
}

impl Mechanism {
    pub(crate) fn new(tree: Tree, names: Vec<String>) -> Mechanism {
        Mechanism { tree, names }
    }

    /// The tree: energies, momenta, coordinates, accelerations, the equations of motion.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The tree, to be stepped, driven, loaded or placed.
    pub fn tree_mut(&mut self) -> &mut Tree {
        &mut self.tree
    }

    /// Index of a body by its name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// Says where a driven axis of a named body's joint shall be at the end of the next step; false if there is none.
    pub fn drive(&mut self, name: &str, axis: usize, target: Drive) -> bool {
        self.find(name).is_some_and(|node| self.tree.drive(node, axis, target))
    }

    /// Sets the air drag of a body: `-1/2 density area |v| v` at its centre of mass, `area` in m^2 with the drag coefficient
    /// in it. (The source prints it once without the half; E1.) The load holds until it is set anew, so call it each step.
    pub fn set_drag(&mut self, node: usize, density: f64, area: f64) {
        let v = self.tree.twist(node).linear;
        self.tree.set_load(node, Wrench::new(v * (-0.5 * density * area * v.length()), DVec3::ZERO));
    }
}

impl Mover for Mechanism {
    fn links(&self) -> usize {
        self.tree.len()
    }

    fn pose(&self, link: u32) -> Pose {
        self.tree.pose(link as usize)
    }

    fn motion(&self, link: u32, h: f64) -> Motion {
        let start = self.pose(link);
        let mut ahead = self.tree.clone();
        ahead.advance(h, 1.0);
        let still = || Motion::still(start).or_else(|_| Motion::still(Pose::IDENTITY));
        Motion::slerp(start, ahead.pose(link as usize))
            .or_else(|_| still())
            .unwrap_or_else(|_| unreachable!("a body that stays at the origin is a motion"))
    }

    fn predict(&mut self, h: f64, gravity: DVec3) {
        self.tree.predict(h, gravity);
    }

    fn twist_at(&self, link: u32, point: DVec3) -> Twist {
        self.tree.twist_at(link as usize, point)
    }

    fn response(&self, at: (u32, DVec3), due_to: (u32, DVec3)) -> TwistResponse {
        self.tree.response((at.0 as usize, at.1), (due_to.0 as usize, due_to.1))
    }

    fn apply(&mut self, link: u32, point: DVec3, percussion: Wrench) {
        self.tree.apply(link as usize, point, percussion);
    }

    fn commit(&mut self, h: f64, fraction: f64) {
        if fraction > 0.0 {
            self.tree.advance(h * fraction, fraction);
        }
    }

    fn energy(&self, gravity: DVec3) -> (f64, f64) {
        (self.tree.kinetic_energy(), self.tree.potential_energy(gravity))
    }

    fn is_finite(&self) -> bool {
        self.tree.is_finite()
    }

    fn hash(&self, hash: &mut StateHash) {
        self.tree.store(|_, pose, twist| {
            hash.pose(&pose).twist(&twist);
        });
    }

    fn save(&self) -> Vec<u8> {
        // Writing numbers into memory fails only for types that have no length, and the tree has none of those.
        postcard::to_allocvec(&self.tree).unwrap_or_default()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), MoverStateError> {
        let tree: Tree = postcard::from_bytes(state).map_err(|error| MoverStateError(error.to_string()))?;
        if tree.len() != self.tree.len() {
            let (there, here) = (tree.len(), self.tree.len());
            return Err(MoverStateError(format!("it has {there} bodies, this mechanism {here}")));
        }
        self.tree = tree;
        Ok(())
    }
}

//! [`Model`]: a mechanism by declaration, with names.

use glam::DMat3;
use prall_mechanics::tree::{Joint, Loop, Node, Tree, TreeDescription, TreeError};
use thiserror::Error;

use crate::Mechanism;

/// Bodies with the joints that hold them, in any order.
///
/// ```
/// use glam::{DMat3, DVec3};
/// use prall_math::Pose;
/// use prall_multibody::{Joint, JointKind, Model};
///
/// let mut model = Model::default();
/// let hook = Pose::from_translation(DVec3::Y);
/// let hinge = Joint::new(JointKind::Revolute, Pose::from_translation(-DVec3::Y), hook);
/// model.body("lower arm", Some("upper arm"), 1.0, DMat3::IDENTITY, hinge);
/// model.body("upper arm", None, 2.0, DMat3::IDENTITY, Joint::new(JointKind::Ball, Pose::IDENTITY, hook));
/// let mechanism = model.build()?;
/// assert_eq!(mechanism.tree().degrees_of_freedom(), 4);
/// # Ok::<(), prall_multibody::ModelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Model {
    names: Vec<String>,
    parents: Vec<Option<String>>,
    nodes: Vec<Node>,
    loops: Vec<Loop>,
}

/// Why a model was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// Two bodies of the same name.
    #[error("there are two bodies named \"{0}\"; names must differ")]
    TwoOfAName(String),
    /// A parent that nobody declared.
    #[error("body \"{body}\" hangs on \"{parent}\", which was not declared; there are: {known}")]
    UnknownParent {
        /// The body.
        body: String,
        /// What it names.
        parent: String,
        /// All names.
        known: String,
    },
    /// The tree itself was refused.
    #[error("{error} (nodes in order: {names})")]
    Tree {
        /// What is wrong.
        error: TreeError,
        /// All names in the order of their indices.
        names: String,
    },
}

impl Model {
    /// Declares a body with its mass in kg, its inertia about the centre of mass in body axes in kg m^2, and the joint that
    /// holds it to its parent; no parent is the world. Returns its index, which is its link as a mover.
    pub fn body(&mut self, name: &str, parent: Option<&str>, mass: f64, inertia: DMat3, joint: Joint) -> u32 {
        self.names.push(name.to_owned());
        self.parents.push(parent.map(str::to_owned));
        self.nodes.push(Node { parent: None, mass, inertia, joint });
        self.nodes.len() as u32 - 1
    }

    /// Declares a joint that closes a loop.
    pub fn close(&mut self, closed: Loop) {
        self.loops.push(closed);
    }

    /// Checks everything and builds the mechanism, all joints in their zero position.
    pub fn build(&self) -> Result<Mechanism, ModelError> {
        let mut nodes = self.nodes.clone();
        for (index, name) in self.names.iter().enumerate() {
            if self.names[..index].contains(name) {
                return Err(ModelError::TwoOfAName(name.clone()));
            }
            if let Some(parent) = &self.parents[index] {
                let found = self.names.iter().position(|other| other == parent);
                nodes[index].parent = Some(found.ok_or_else(|| ModelError::UnknownParent {
                    body: name.clone(),
                    parent: parent.clone(),
                    known: self.names.join(", "),
                })? as u32);
            }
        }
        let description = TreeDescription { nodes, loops: self.loops.clone() };
        let names = || self.names.join(", ");
        let tree = Tree::new(&description).map_err(|error| ModelError::Tree { error, names: names() })?;
        Ok(Mechanism::new(tree, self.names.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prall_math::Pose;
    use prall_mechanics::tree::JointKind;

    #[test]
    fn wrong_models_are_refused_by_name() {
        let joint = Joint::new(JointKind::Ball, Pose::IDENTITY, Pose::IDENTITY);
        let mut model = Model::default();
        model.body("arm", Some("shoulder"), 1.0, DMat3::IDENTITY, joint);
        assert!(model.build().unwrap_err().to_string().contains("hangs on \"shoulder\""));
        model.body("shoulder", Some("arm"), 1.0, DMat3::IDENTITY, joint);
        assert!(model.build().unwrap_err().to_string().contains("lead back to it"));
        model.body("arm", None, 1.0, DMat3::IDENTITY, joint);
        assert_eq!(model.build().unwrap_err(), ModelError::TwoOfAName("arm".into()));
    }
}

//! [`Model`]: named parts in a hierarchy, as CAD systems and scene files have them.

use glam::DAffine3;
use thiserror::Error;

use crate::soup::{PolygonSoup, SoupError};

/// A hierarchy of nodes over polygon soups.
///
/// A parent always comes before its children, so there are no cycles; a soup may be used by several nodes
/// (instances).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    nodes: Vec<Node>,
    soups: Vec<PolygonSoup>,
    flaws: Vec<String>,
}

/// A named place in a model, with geometry or without.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The name in the file; may be empty, need not be unique.
    pub name: String,
    /// Index of the parent node, none for a root.
    pub parent: Option<usize>,
    /// From the node's coordinates to its parent's; metres.
    pub transform: DAffine3,
    /// Indices of the soups that hang at this node, in its coordinates.
    pub soups: Vec<usize>,
}

/// A node's geometry in model coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'model> {
    /// The node's name.
    pub name: &'model str,
    /// The node's index.
    pub node: usize,
    /// All of the node's soups as one, in model coordinates.
    pub soup: PolygonSoup,
}

/// Why a node was refused, or could not be placed in model coordinates.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// A parent that does not come before its child.
    #[error("node {node} has node {parent} for a parent; a parent must come before its children")]
    NoSuchParent {
        /// Index of the node.
        node: usize,
        /// The parent it names.
        parent: usize,
    },
    /// A soup that does not exist.
    #[error("node {node} uses soup {soup}, but there are only {soups} soups (counted from 0)")]
    NoSuchSoup {
        /// Index of the node.
        node: usize,
        /// The soup it names.
        soup: usize,
        /// How many soups there are.
        soups: usize,
    },
    /// A transform with an infinite or undefined entry.
    #[error("node {node} has a transform with an entry that is not a finite number")]
    NotFinite {
        /// Index of the node.
        node: usize,
    },
    /// The node's geometry leaves the range of numbers or indices when placed in the model.
    #[error("node {node} cannot be placed in model coordinates: {source}")]
    Placement {
        /// Index of the node.
        node: usize,
        /// What the soup said.
        source: SoupError,
    },
}

impl Model {
    /// An empty model.
    pub fn new() -> Model {
        Model::default()
    }

    /// A model with a single part at the origin.
    pub fn from_soup(name: impl Into<String>, soup: PolygonSoup) -> Model {
        let node = Node { name: name.into(), parent: None, transform: DAffine3::IDENTITY, soups: vec![0] };
        Model { nodes: vec![node], soups: vec![soup], flaws: Vec::new() }
    }

    /// Adds a soup for nodes to use and returns its index.
    pub fn push_soup(&mut self, soup: PolygonSoup) -> usize {
        self.soups.push(soup);
        self.soups.len() - 1
    }

    /// Adds a node, whose parent and soups must be there already, and returns its index.
    pub fn push_node(&mut self, node: Node) -> Result<usize, ModelError> {
        let index = self.nodes.len();
        if let Some(parent) = node.parent.filter(|&parent| parent >= index) {
            return Err(ModelError::NoSuchParent { node: index, parent });
        }
        if let Some(&soup) = node.soups.iter().find(|&&soup| soup >= self.soups.len()) {
            return Err(ModelError::NoSuchSoup { node: index, soup, soups: self.soups.len() });
        }
        if !node.transform.is_finite() {
            return Err(ModelError::NotFinite { node: index });
        }
        self.nodes.push(node);
        Ok(index)
    }

    /// Adds a sentence about something that is wrong with the file and does not keep it from being read.
    pub(super) fn push_flaw(&mut self, flaw: String) {
        self.flaws.push(flaw);
    }

    /// What is wrong with the file that the model was read from, and did not keep it from being read: sentences without a
    /// full stop.
    pub fn flaws(&self) -> &[String] {
        &self.flaws
    }

    /// How many faces all parts have together; instances count as often as they are placed.
    pub fn placed_faces(&self) -> usize {
        let faces = self.nodes.iter().flat_map(|node| &node.soups).map(|&soup| self.soups[soup].face_count());
        faces.fold(0, usize::saturating_add)
    }

    /// Makes room for that many more nodes.
    pub(super) fn reserve_nodes(&mut self, nodes: usize) {
        self.nodes.reserve_exact(nodes);
    }

    /// All nodes, parents before children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All soups, each in the coordinates of the nodes that use it.
    pub fn soups(&self) -> &[PolygonSoup] {
        &self.soups
    }

    /// From a node's coordinates to the model's. Panics, as a slice does, if there is no such node.
    pub fn world_transform(&self, node: usize) -> DAffine3 {
        let mut transform = self.nodes[node].transform;
        let mut above = self.nodes[node].parent;
        while let Some(parent) = above {
            transform = self.nodes[parent].transform * transform;
            above = self.nodes[parent].parent;
        }
        transform
    }

    /// From each node's coordinates to the model's.
    pub fn world_transforms(&self) -> Vec<DAffine3> {
        // One pass from the roots down; walking up from every node would be quadratic in a deep chain.
        let mut world: Vec<DAffine3> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            world.push(node.parent.map_or(node.transform, |parent| world[parent] * node.transform));
        }
        world
    }

    /// The nodes that have geometry, each as a soup in model coordinates, made as the iterator gets there.
    pub fn parts(&self) -> impl Iterator<Item = Result<Part<'_>, ModelError>> + '_ {
        let places = self.world_transforms().into_iter().enumerate();
        places
            .filter(|(node, _)| !self.nodes[*node].soups.is_empty())
            .map(|(node, world)| self.part(node, &world))
    }

    /// The geometry of a node as one soup, carried by a transform. Panics, as a slice does, if there is no such node.
    pub fn part(&self, node: usize, transform: &DAffine3) -> Result<Part<'_>, ModelError> {
        let Node { name, .. } = &self.nodes[node];
        let soup = self
            .placed(&self.nodes[node], transform)
            .map_err(|source| ModelError::Placement { node, source })?;
        Ok(Part { name, node, soup })
    }

    /// All parts as one soup in model coordinates. Instances are copied, so it may be larger than the model.
    pub fn flattened(&self) -> Result<PolygonSoup, ModelError> {
        let mut all = PolygonSoup::new();
        for part in self.parts() {
            let part = part?;
            all.append(&part.soup).map_err(|source| ModelError::Placement { node: part.node, source })?;
        }
        Ok(all)
    }

    fn placed(&self, node: &Node, world: &DAffine3) -> Result<PolygonSoup, SoupError> {
        let mut placed = PolygonSoup::new();
        for &soup in &node.soups {
            if *world == DAffine3::IDENTITY {
                placed.append(&self.soups[soup])?;
            } else {
                placed.append(&self.soups[soup].transformed(world)?)?;
            }
        }
        Ok(placed)
    }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3};

    use super::*;

    fn triangle() -> PolygonSoup {
        PolygonSoup::from_triangles(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap()
    }

    fn node(name: &str, parent: Option<usize>, transform: DAffine3, soups: Vec<usize>) -> Node {
        Node { name: name.to_owned(), parent, transform, soups }
    }

    #[test]
    fn a_part_is_carried_by_every_ancestor() {
        let mut model = Model::new();
        let soup = model.push_soup(triangle());
        let shift = DAffine3::from_translation(DVec3::new(1.0, 2.0, 3.0));
        let double = DAffine3::from_scale(DVec3::splat(2.0));
        let root = model.push_node(node("root", None, shift, vec![])).unwrap();
        let arm = model.push_node(node("arm", Some(root), double, vec![])).unwrap();
        let hand = model.push_node(node("hand", Some(arm), shift, vec![soup])).unwrap();
        // By hand: p -> 2 (p + (1, 2, 3)) + (1, 2, 3).
        assert_eq!(model.world_transform(hand).transform_point3(DVec3::ZERO), DVec3::new(3.0, 6.0, 9.0));
        let parts: Vec<Part> = model.parts().collect::<Result<_, _>>().unwrap();
        assert_eq!((parts.len(), parts[0].name, parts[0].node), (1, "hand", hand));
        assert_eq!(parts[0].soup.positions()[1], DVec3::new(5.0, 6.0, 9.0));
    }

    #[test]
    fn a_mirrored_instance_keeps_its_outside_out() {
        let mut model = Model::new();
        let soup = model.push_soup(triangle());
        let mirror = DAffine3::from_mat3(DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)));
        model.push_node(node("plain", None, DAffine3::IDENTITY, vec![soup])).unwrap();
        model.push_node(node("mirrored", None, mirror, vec![soup])).unwrap();
        let all = model.flattened().unwrap();
        assert_eq!(all.face(0), &[0, 1, 2]);
        assert_eq!(all.face(1), &[5, 4, 3]);
    }

    #[test]
    fn parents_and_soups_must_be_there_first() {
        let mut model = Model::new();
        let identity = DAffine3::IDENTITY;
        assert_eq!(
            model.push_node(node("own parent", Some(0), identity, vec![])),
            Err(ModelError::NoSuchParent { node: 0, parent: 0 })
        );
        assert_eq!(
            model.push_node(node("no soup", None, identity, vec![0])),
            Err(ModelError::NoSuchSoup { node: 0, soup: 0, soups: 0 })
        );
        let broken = DAffine3::from_translation(DVec3::new(f64::NAN, 0.0, 0.0));
        assert_eq!(
            model.push_node(node("nan", None, broken, vec![])),
            Err(ModelError::NotFinite { node: 0 })
        );
    }
}

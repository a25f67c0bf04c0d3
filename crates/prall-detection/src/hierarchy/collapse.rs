//! From the binary tree to groups of eight, and from double to single precision with outward margins.

use glam::{DMat3, DVec3};

use super::build::Branch;
use super::lanes::Group8;
use super::{Link, NodeBox};

/// Margin of a box as a fraction of its radius.
///
/// Single-precision axes are off by 3e-7 from orthonormal, which lets a point of the box exceed the extent
/// that axes and half lengths promise along a direction by 1.1e-6 of the radius at most.
pub(super) const MARGIN: f64 = 1.5e-6;

/// Boxes and groups; opens in each node the child of largest radius until there are eight.
pub(super) fn collapse(root: &Branch, triangles: &[[DVec3; 3]]) -> (Vec<NodeBox>, Vec<Group8>) {
    let mut tree = Tree { triangles, nodes: Vec::new(), groups: Vec::new() };
    let link = if root.halves.is_some() { Link::group(0) } else { Link::triangles(0, root.count) };
    tree.nodes.push(tree.boxed(root, root.centre, link));
    tree.open(root);
    (tree.nodes, tree.groups)
}

struct Tree<'a> {
    triangles: &'a [[DVec3; 3]],
    nodes: Vec<NodeBox>,
    groups: Vec<Group8>,
}

impl Tree<'_> {
    /// Adds the group of a branch, depth first.
    fn open(&mut self, branch: &Branch) {
        let Some(halves) = &branch.halves else { return };
        let mut children: Vec<&Branch> = halves.iter().collect();
        while children.len() < 8 {
            let widest = (0..children.len())
                .filter(|&i| children[i].halves.is_some())
                .max_by(|&i, &j| children[i].radius.total_cmp(&children[j].radius).then(j.cmp(&i)));
            let Some(widest) = widest else { break };
            if let Some(halves) = &children[widest].halves {
                children.splice(widest..=widest, halves.iter());
            }
        }
        let group = self.groups.len();
        let first = self.nodes.len();
        let origin = branch.centre;
        for child in &children {
            // The link to a group is known when the group is made.
            let link = Link::triangles(child.start, child.count.min(super::LARGEST_LEAF));
            self.nodes.push(self.boxed(child, origin, link));
        }
        self.groups.push(Group8::new(origin, first as u32, &self.nodes[first..]));
        for (i, child) in children.iter().enumerate() {
            if child.halves.is_some() {
                self.nodes[first + i].link = Link::group(self.groups.len());
                self.open(child);
            }
        }
        debug_assert_eq!(self.groups[group].count as usize, children.len());
    }

    /// The box of a branch, its centre representable relative to `origin` in single precision.
    fn boxed(&self, branch: &Branch, origin: DVec3, link: Link) -> NodeBox {
        let offset = (branch.centre - origin).to_array().map(|x| x as f32);
        let centre = origin + DVec3::from_array(offset.map(f64::from));
        let axes = branch.frame.to_cols_array_2d().map(|axis| axis.map(|x| x as f32));
        let rounded = DMat3::from_cols_array_2d(&axes.map(|axis| axis.map(f64::from)));
        let mut half = DVec3::ZERO;
        let mut radius = 0.0_f64;
        for &point in self.triangles[branch.start..branch.start + branch.count].iter().flatten() {
            let arm = point - centre;
            half = half.max((rounded.transpose() * arm).abs());
            radius = radius.max(arm.length_squared());
        }
        let radius = radius.sqrt();
        let outward = |x: f64| ((x + MARGIN * radius) as f32).next_up();
        NodeBox { centre, axes, half: half.to_array().map(outward), radius: outward(radius), link }
    }
}

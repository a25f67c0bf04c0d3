//! The boxes of a hierarchy, level by level, for people to look at.

use glam::{DMat3, DVec3};
use prall_geometry::OrientedBox;

use super::{Content, Hierarchy};

impl Hierarchy {
    /// The boxes so many levels below the root, in the body's frame. Leaves above that level are included, so that
    /// together they contain the whole body; beyond the deepest level it is all leaves.
    pub fn boxes_at_level(&self, level: usize) -> Vec<OrientedBox> {
        let mut nodes = vec![0_usize];
        for _ in 0..level {
            let open = |&node: &usize| match self.nodes[node].link.content() {
                Content::Triangles(_) => node..node + 1,
                Content::Group(group) => {
                    let group = &self.groups[group];
                    group.first as usize..(group.first + group.count) as usize
                }
            };
            nodes = nodes.iter().flat_map(open).collect();
        }
        let column = |axis: [f32; 3]| DVec3::from_array(axis.map(f64::from));
        nodes
            .iter()
            .map(|&node| {
                let node = &self.nodes[node];
                let axes = DMat3::from_cols(column(node.axes[0]), column(node.axes[1]), column(node.axes[2]));
                OrientedBox::new(node.centre, axes, column(node.half))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::BuildOptions;
    use prall_geometry::{Mesh, MeshOptions, generate};

    /// Boxes are kept in single precision with outward margins; the frame is orthonormalised anew for looking at.
    const SINGLE_PRECISION: f64 = 1e-5;

    #[test]
    fn the_boxes_of_every_level_hold_the_whole_body() {
        let soup = generate::ico_sphere(1.0, 3).unwrap();
        let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
        let hierarchy = Hierarchy::of_mesh(&mesh, &BuildOptions::default()).unwrap();
        let mut count = 0;
        for level in 0..6 {
            let boxes = hierarchy.boxes_at_level(level);
            assert!(boxes.len() >= count);
            count = boxes.len();
            for corner in mesh.positions() {
                let held = boxes.iter().any(|b| {
                    OrientedBox::new(b.center(), b.axes(), b.half_extents() + SINGLE_PRECISION)
                        .contains(*corner)
                });
                assert!(held, "{corner} is in no box of level {level}");
            }
        }
        assert_eq!(hierarchy.boxes_at_level(0).len(), 1);
        assert_eq!(count, mesh.triangles().len(), "with one triangle a leaf");
    }
}

//! What must hold before anything is proven with a hierarchy.

use glam::{DMat3, DVec3};

use super::collapse::MARGIN;
use super::frame::is_orthonormal;
use super::{Hierarchy, LARGEST_COORDINATE, LARGEST_LEAF, MOST_TRIANGLES, NodeBox};
use crate::error::HierarchyError;
use prall_math::Norm;

/// Axes in single precision: three entries rounded by 2^-24 each, in two vectors.
const ORTHONORMAL32: f64 = 3e-7;

/// The triangles and the leaf size that a hierarchy is to be built from.
pub(super) fn input(triangles: &[[DVec3; 3]], leaf_size: usize) -> Result<(), HierarchyError> {
    if triangles.is_empty() {
        return Err(HierarchyError::Empty);
    }
    if triangles.len() > MOST_TRIANGLES {
        return Err(HierarchyError::TooManyTriangles { count: triangles.len(), most: MOST_TRIANGLES });
    }
    if !(1..=LARGEST_LEAF).contains(&leaf_size) {
        return Err(HierarchyError::LeafSize { leaf_size, largest: LARGEST_LEAF });
    }
    // Written so that NaN is bad.
    let good = |p: &DVec3| p.abs().max_element() <= LARGEST_COORDINATE && p.is_finite();
    match triangles.iter().position(|t| !t.iter().all(good)) {
        Some(triangle) => Err(HierarchyError::Coordinate { triangle, largest: LARGEST_COORDINATE }),
        None => Ok(()),
    }
}

/// Every vertex of every node lies in the node's box with the margin that the lanes count on, and the axes of
/// the box are orthonormal.
pub(super) fn boxes_contain_their_triangles(hierarchy: &Hierarchy) -> Result<(), HierarchyError> {
    for (index, node) in hierarchy.nodes.iter().enumerate() {
        let axes = DMat3::from_cols_array_2d(&node.axes.map(|axis| axis.map(f64::from)));
        let range = hierarchy.triangles_below(node);
        let inside = is_orthonormal(&axes, ORTHONORMAL32)
            && hierarchy.triangles[range].iter().flatten().all(|&point| contains(node, &axes, point));
        if !inside {
            return Err(HierarchyError::BoxMissesContent { node: index });
        }
    }
    Ok(())
}

fn contains(node: &NodeBox, axes: &DMat3, point: DVec3) -> bool {
    let arm = point - node.centre;
    // The build leaves a margin of 1.5e-6 of the content's radius; most of it must be there.
    let margin = 0.9 * MARGIN * arm.norm();
    let along = (axes.transpose() * arm).abs();
    (0..3).all(|k| along[k] + margin <= f64::from(node.half[k]))
        && arm.norm() + margin <= f64::from(node.radius)
}

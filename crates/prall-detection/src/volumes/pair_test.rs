//! Static tests of all six pairs of volumes. Touching counts as overlap, everywhere.
//!
//! Printed, touching is overlap for some pairs and not for others, which can hide a contact of the faces inside;
//! and the axis test calls boxes with parallel axes free, because a cross product of parallel edges is zero
//! against zero. Here every comparison is strict towards "free" and carries a margin for rounding.

use glam::{DMat3, DVec3};
use prall_geometry::{Aabb, BoundingSphere, OrientedBox};
use prall_math::{Norm, Pose};

use super::volume::Volume;

/// Rounding margin as a fraction of the lengths that enter a test: far above the rounding of a dozen
/// operations, far below what would cost a test.
const ROUNDING: f64 = 1e-13;

/// How an iso-box is tested against an oriented box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsoBoxAgainstBox {
    /// The oriented box is boxed again along the axes of the iso-box: cheap and conservative.
    Reboxing,
    /// As two oriented boxes, with all fifteen axes.
    FifteenAxes,
}

/// True unless the two volumes, in the frames of bodies at these poses, are proven apart. Exact up to rounding
/// but for pairs with iso-boxes under [`IsoBoxAgainstBox::Reboxing`] and pairs of iso-boxes, which are
/// conservative. What is not made of numbers is never proven apart.
pub fn volumes_overlap(
    first: &Volume,
    at_first: &Pose,
    second: &Volume,
    at_second: &Pose,
    iso_box_against_box: IsoBoxAgainstBox,
) -> bool {
    // The second in the frame of the first.
    let change = Pose::new(
        at_first.rotation.conjugate() * at_second.rotation,
        at_first.inverse_transform_vector(at_second.translation - at_first.translation),
    );
    let back = || change.inverse();
    match (first, second) {
        (Volume::Sphere(s), Volume::Sphere(t)) => spheres(s, t, &change),
        (Volume::Sphere(s), other) => sphere_box(s, &back(), &other.oriented()),
        (other, Volume::Sphere(s)) => sphere_box(s, &change, &other.oriented()),
        (Volume::IsoBox(a), Volume::IsoBox(_)) => reboxed(a, &second.oriented(), &change),
        (Volume::IsoBox(a), Volume::Box(b)) if iso_box_against_box == IsoBoxAgainstBox::Reboxing => {
            reboxed(a, b, &change)
        }
        (Volume::Box(a), Volume::IsoBox(b)) if iso_box_against_box == IsoBoxAgainstBox::Reboxing => {
            reboxed(b, a, &back())
        }
        (a, b) => boxes(&a.oriented(), &b.oriented(), &change),
    }
}

fn spheres(first: &BoundingSphere, second: &BoundingSphere, change: &Pose) -> bool {
    let centre = change.transform_point(second.center);
    let reach = first.radius + second.radius;
    let distance = (centre - first.center).norm();
    let apart = distance > reach + ROUNDING * (distance + reach + centre.norm());
    !apart
}

/// Distance of the centre from the box by clamping along each axis (Arvo); `change` takes the sphere to the
/// frame of the box.
fn sphere_box(sphere: &BoundingSphere, change: &Pose, other: &OrientedBox) -> bool {
    let centre = change.transform_point(sphere.center);
    let arm = other.axes().transpose() * (centre - other.center());
    let outside = (arm.abs() - other.half_extents()).max(DVec3::ZERO);
    // The arm's length is NaN if any of its coordinates is.
    let apart = outside.norm() > sphere.radius + ROUNDING * (arm.norm() + centre.norm() + sphere.radius);
    !apart
}

/// The eight corners of the second, taken to the frame of the first, boxed there.
fn reboxed(first: &Aabb, second: &OrientedBox, change: &Pose) -> bool {
    let around: Aabb = second.corners().into_iter().map(|corner| change.transform_point(corner)).collect();
    // A box of points that are no numbers is empty.
    if !(around.min.is_finite() && around.max.is_finite()) {
        return true;
    }
    let margin = ROUNDING
        * (around.min.abs().max(around.max.abs()).max_element()
            + first.min.abs().max_element()
            + first.max.abs().max_element());
    (around.min - margin).cmple(first.max).all() && (first.min - margin).cmple(around.max).all()
}

/// Fifteen axes (Gottschalk): three faces of each, nine cross products of edges. `change` takes the second to the frame of the first.
///
/// With R the axes of the second in the frame of the first, t its centre, a and b the half lengths:
/// ```text
/// face i of the first    |t_i|                       > a_i + sum_j b_j |R_ij|
/// face j of the second   |t . R_j|                   > b_j + sum_i a_i |R_ij|
/// edge i x edge j        |t_i2 R_i1j - t_i1 R_i2j|   > a_i1 |R_i2j| + a_i2 |R_i1j| + b_j1 |R_ij2| + b_j2 |R_ij1|
/// ```
/// For nearly parallel edges the last line compares rounding with rounding; the margin, which does not shrink
/// with the cross product, then keeps the pair.
fn boxes(first: &OrientedBox, second: &OrientedBox, change: &Pose) -> bool {
    let back = first.axes().transpose();
    let r: DMat3 = back * change.rotation_matrix() * second.axes();
    let centre = change.transform_point(second.center());
    let t = back * (centre - first.center());
    let (a, b) = (first.half_extents(), second.half_extents());
    let margin = ROUNDING * (t.norm() + a.element_sum() + b.element_sum() + centre.norm());
    let abs = DMat3::from_cols(r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs());
    let of_second = abs * b;
    let of_first = abs.transpose() * a;
    let along_second = r.transpose() * t;
    for i in 0..3 {
        if t[i].abs() > a[i] + of_second[i] + margin || along_second[i].abs() > b[i] + of_first[i] + margin {
            return false;
        }
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let distance = (t[i2] * r.col(j)[i1] - t[i1] * r.col(j)[i2]).abs();
            let reach = a[i1] * abs.col(j)[i2]
                + a[i2] * abs.col(j)[i1]
                + b[j1] * abs.col(j2)[i]
                + b[j2] * abs.col(j1)[i];
            if distance > reach + margin {
                return false;
            }
        }
    }
    true
}

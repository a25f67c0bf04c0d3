//! Mass properties of surfaces: sheets and open meshes, weighed by area.
//!
//! The integral of x x^T over a triangle of area A with corners v and centroid c is `A/12 (sum v v^T + 9 c c^T)`: exact for the quadratic
//! integrand. With its sum S about the centre of mass, the inertia of one kilogram a square metre is `tr(S) E - S`.

use glam::{DMat3, DVec3};
use prall_math::Norm;

use crate::mass::{Amount, MassError, MassProperties};
use crate::mesh::Mesh;

impl MassProperties {
    /// The surface of a mesh, whether it is closed or not; a density is in kg/m^2.
    pub fn of_surface(mesh: &Mesh, amount: Amount) -> Result<MassProperties, MassError> {
        let (low, high) = mesh.bounds();
        // Far from the origin the digits of what is small are kept about the middle.
        let middle = 0.5 * (low + high);
        let corners = (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t).map(|p| p - middle));
        let (mut area, mut moment, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for [a, b, c] in corners {
            let part = 0.5 * (b - a).cross(c - a).norm();
            let centroid = (a + b + c) / 3.0;
            area += part;
            moment += part * centroid;
            let squares = outer(a) + outer(b) + outer(c) + 9.0 * outer(centroid);
            second += (part / 12.0) * squares;
        }
        if !(area > 0.0) {
            return Err(MassError::NoVolume { volume: 0.0 });
        }
        let mass = amount.mass_of(area)?;
        let centre = moment / area;
        let about = second - area * outer(centre);
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - about) * (mass / area);
        MassProperties { mass, center_of_mass: middle + centre, inertia }.validated()
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use crate::mesh::MeshOptions;
    use crate::soup::PolygonSoup;

    /// m/12 times the squares of the edges across the axis.
    #[test]
    fn a_sheet_weighs_what_a_plate_without_thickness_does() {
        let corners = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [0.0, 2.0]];
        let positions = corners.map(|[x, z]| DVec3::new(x + 1e3, -5.0, z)).to_vec();
        let soup = PolygonSoup::from_triangles(positions, &[[0, 1, 2], [0, 2, 3]]).unwrap();
        let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
        let mass = MassProperties::of_surface(&mesh, Amount::Density(4.0)).unwrap();
        assert!((mass.mass - 24.0).abs() < 1e-12);
        assert!((mass.center_of_mass - DVec3::new(1001.5, -5.0, 1.0)).norm() < 1e-12);
        let moments = DVec3::new(4.0, 13.0, 9.0) * (24.0 / 12.0);
        assert!((mass.inertia - DMat3::from_diagonal(moments)).abs_diff_eq(DMat3::ZERO, 1e-11));
    }

    /// 2/3 m r^2; the inscribed polyhedron of 200 segments is smaller by some 1e-4.
    #[test]
    fn a_ball_without_inside_has_the_inertia_of_a_shell() {
        let soup = generate::uv_sphere(2.0, 200, 100).unwrap();
        let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
        let mass = MassProperties::of_surface(&mesh, Amount::Mass(3.0)).unwrap();
        let moment = 2.0 / 3.0 * 3.0 * 4.0;
        assert!((mass.inertia.x_axis.x / moment - 1.0).abs() < 1e-3);
        assert!((mass.inertia.y_axis.y / moment - 1.0).abs() < 1e-3);
    }
}

//! Polygons cut into triangles, for formats that have nothing else.

use glam::DVec3;

use crate::polygon::{doubled_area_vector, flattened};
use crate::soup::PolygonSoup;
use crate::triangulate::triangulate;

/// A face that cannot be cut because its outline crosses itself; its index.
#[derive(Debug, PartialEq)]
pub(super) struct CrossesItself(pub(super) usize);

/// All faces of a soup as triangles over its vertices, in the order of the faces.
pub(super) fn triangles(soup: &PolygonSoup) -> Result<Vec<[u32; 3]>, CrossesItself> {
    let mut result = Vec::with_capacity(soup.faces().map(|face| face.len() - 2).sum());
    for (index, face) in soup.faces().enumerate() {
        if let [a, b, c] = *face {
            result.push([a, b, c]);
        } else {
            let points: Vec<DVec3> = face.iter().map(|&corner| soup.positions()[corner as usize]).collect();
            let cut = cut(&points).ok_or(CrossesItself(index))?;
            result.extend(cut.iter().map(|triangle| triangle.map(|corner| face[corner as usize])));
        }
    }
    Ok(result)
}

/// Triangles as corner numbers; none if the outline crosses itself.
fn cut(points: &[DVec3]) -> Option<Vec<[u32; 3]>> {
    let area = doubled_area_vector(points);
    if area == DVec3::ZERO {
        // Nothing to cover: any triangles will do.
        return Some((1..points.len() as u32 - 1).map(|at| [0, at, at + 1]).collect());
    }
    // Seen along an axis the predicates are exact; a warped face may have to be seen along its normal.
    [true, false].into_iter().find_map(|along_axis| {
        triangulate(&flattened(points, area.normalize_or_zero(), along_axis), 0.0).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal times twice the area of each triangle.
    fn areas(soup: &PolygonSoup) -> Vec<DVec3> {
        let corner = |vertex: u32| soup.positions()[vertex as usize];
        triangles(soup)
            .unwrap()
            .iter()
            .map(|&[a, b, c]| (corner(b) - corner(a)).cross(corner(c) - corner(a)))
            .collect()
    }

    #[test]
    fn a_comb_is_covered_once_in_every_plane() {
        // Teeth of height 3 on a back of height 1; integer coordinates, so areas are exact.
        let mut outline = vec![(0.0, 0.0), (9.0, 0.0)];
        for tooth in (0..5).rev() {
            let x = 2.0 * f64::from(tooth);
            outline.extend([(x + 1.0, 4.0), (x, 4.0)]);
            if tooth > 0 {
                outline.extend([(x, 1.0), (x - 1.0, 1.0)]);
            }
        }
        // 9 x 1 for the back, 5 teeth of 1 x 3.
        let twice_the_area = 2.0 * (9.0 + 15.0);
        let into_space: [fn(f64, f64) -> DVec3; 3] =
            [|x, y| DVec3::new(x, y, 7.0), |x, y| DVec3::new(7.0, x, y), |x, y| DVec3::new(x, 7.0, y)];
        for place in into_space {
            let mut soup = PolygonSoup::new();
            let corners: Vec<u32> =
                outline.iter().map(|&(x, y)| soup.push_position(place(x, y)).unwrap()).collect();
            soup.push_face(&corners).unwrap();
            let areas = areas(&soup);
            assert_eq!(areas.len(), corners.len() - 2);
            let total: DVec3 = areas.iter().sum();
            assert_eq!(total.length(), twice_the_area);
            // No triangle is turned over, so none overlaps another.
            assert_eq!(areas.iter().map(|area| area.length()).sum::<f64>(), twice_the_area);
        }
    }

    #[test]
    fn a_degenerate_polygon_still_gives_triangles() {
        let mut soup = PolygonSoup::new();
        for x in 0..5 {
            soup.push_position(DVec3::X * f64::from(x % 3)).unwrap();
        }
        soup.push_face(&[0, 1, 2, 3, 4]).unwrap();
        assert_eq!(triangles(&soup).unwrap().len(), 3);
    }

    #[test]
    fn a_face_that_crosses_itself_is_named() {
        let mut soup = PolygonSoup::new();
        for (x, y) in [(0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 2.0)] {
            soup.push_position(DVec3::new(x, y, 0.0)).unwrap();
        }
        soup.push_face(&[0, 2, 1]).unwrap();
        soup.push_face(&[0, 1, 2, 3]).unwrap();
        assert_eq!(triangles(&soup), Err(CrossesItself(1)));
    }
}

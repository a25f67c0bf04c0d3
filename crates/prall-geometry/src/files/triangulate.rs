//! Polygons cut into triangles, for formats that have nothing else.
//!
//! A convex polygon becomes a fan; any other is cut ear by ear (Meisters 1975) in the plane of the two coordinates
//! along which its area is largest. A polygon that crosses itself has no right answer and gets some n - 2 triangles.

use glam::{DVec2, DVec3};

use crate::soup::PolygonSoup;

/// All faces of a soup as triangles over its vertices, in the order of the faces.
pub(super) fn triangles(soup: &PolygonSoup) -> Vec<[u32; 3]> {
    let mut result = Vec::with_capacity(soup.faces().map(|face| face.len() - 2).sum());
    for face in soup.faces() {
        match *face {
            [a, b, c] => result.push([a, b, c]),
            _ => polygon(soup.positions(), face, &mut result),
        }
    }
    result
}

fn polygon(positions: &[DVec3], face: &[u32], result: &mut Vec<[u32; 3]>) {
    let flat = flattened(positions, face);
    let mut left: Vec<usize> = (0..face.len()).collect();
    if (0..face.len()).all(|at| turn(&flat, &left, at) >= 0.0) {
        result.extend((1..face.len() - 1).map(|at| [face[0], face[at], face[at + 1]]));
        return;
    }
    while left.len() > 3 {
        // Without an ear, as when the polygon crosses itself, any corner is as good as another.
        let at = (0..left.len()).find(|&at| is_ear(&flat, &left, at)).unwrap_or(1);
        let [before, after] = neighbours(at, left.len());
        result.push([face[left[before]], face[left[at]], face[left[after]]]);
        left.remove(at);
    }
    result.push([face[left[0]], face[left[1]], face[left[2]]]);
}

/// The corners in the plane, counter-clockwise: the coordinate with the largest area normal to it is left out.
fn flattened(positions: &[DVec3], face: &[u32]) -> Vec<DVec2> {
    let corner = |at: usize| positions[face[at % face.len()] as usize];
    let origin = corner(0);
    let area: DVec3 =
        (1..face.len() - 1).map(|at| (corner(at) - origin).cross(corner(at + 1) - origin)).sum();
    let size = area.abs();
    let (first, second, sign) = if size.x >= size.y && size.x >= size.z {
        (1, 2, area.x)
    } else if size.y >= size.z {
        (2, 0, area.y)
    } else {
        (0, 1, area.z)
    };
    let (first, second) = if sign < 0.0 { (second, first) } else { (first, second) };
    (0..face.len()).map(|at| DVec2::new(corner(at)[first], corner(at)[second])).collect()
}

fn neighbours(at: usize, count: usize) -> [usize; 2] {
    [(at + count - 1) % count, (at + 1) % count]
}

/// Twice the area of the triangle at a corner: positive where the polygon turns left.
fn turn(flat: &[DVec2], left: &[usize], at: usize) -> f64 {
    let [before, after] = neighbours(at, left.len()).map(|other| flat[left[other]]);
    area(before, flat[left[at]], after)
}

fn area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Whether the triangle at a corner lies inside the polygon: the corner is convex and no other corner is in it.
fn is_ear(flat: &[DVec2], left: &[usize], at: usize) -> bool {
    if turn(flat, left, at) <= 0.0 {
        return false;
    }
    let [before, after] = neighbours(at, left.len()).map(|other| flat[left[other]]);
    let tip = flat[left[at]];
    left.iter()
        .map(|&other| flat[other])
        .filter(|&p| p != before && p != tip && p != after)
        .all(|p| area(before, tip, p) < 0.0 || area(tip, after, p) < 0.0 || area(after, before, p) < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal times twice the area of each triangle.
    fn areas(soup: &PolygonSoup) -> Vec<DVec3> {
        let corner = |vertex: u32| soup.positions()[vertex as usize];
        triangles(soup)
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
        assert_eq!(triangles(&soup).len(), 3);
    }
}

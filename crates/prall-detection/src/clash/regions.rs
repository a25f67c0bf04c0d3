//! Points of a surface, one at least in each region into which another surface cuts it.
//!
//! Where two surfaces do not cross, each region of one lies inside the other, outside it, or upon it. A triangle that the
//! other surface does not meet lies in one region together with its neighbours. A triangle that it meets is cut by the
//! lines along which they meet. Every region of such a triangle has a piece of one of these lines on its border, so the
//! middles of the pieces, moved a little to both sides, reach all of them.

use glam::DVec3;
use prall_geometry::Mesh;
use prall_math::Norm;

/// A point of a surface, and where its outside is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
}

/// Points in all regions of `mesh` that are wider than `width`. `mates` are pairs of one of its triangles and one of the
/// other surface that meet, sorted by the first.
pub(super) fn samples(mesh: &Mesh, mates: &[(u32, [DVec3; 3])], width: f64) -> Vec<Sample> {
    let mut found = untouched(mesh, mates);
    for group in mates.chunk_by(|a, b| a.0 == b.0) {
        cut_triangle(mesh, group, width, &mut found);
    }
    found
}

/// One point of each connected set of triangles that the other surface does not meet: the middle of its largest one.
fn untouched(mesh: &Mesh, mates: &[(u32, [DVec3; 3])]) -> Vec<Sample> {
    let count = mesh.triangles().len();
    let mut met = vec![false; count];
    for (triangle, _) in mates {
        met[*triangle as usize] = true;
    }
    let mut roots: Vec<u32> = (0..mesh.positions().len() as u32).collect();
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        if !met[triangle] {
            let root = find(&mut roots, corners[0]);
            for corner in &corners[1..] {
                let other = find(&mut roots, *corner);
                roots[other as usize] = root;
            }
        }
    }
    let mut largest = std::collections::BTreeMap::<u32, (f64, usize)>::new();
    for triangle in (0..count).filter(|triangle| !met[*triangle]) {
        let [a, b, c] = mesh.triangle_points(triangle);
        let area = (b - a).cross(c - a).length_squared();
        let best = largest.entry(find(&mut roots, mesh.triangles()[triangle][0])).or_insert((-1.0, 0));
        if area > best.0 {
            *best = (area, triangle);
        }
    }
    largest.values().map(|(_, triangle)| middle(mesh, *triangle)).collect()
}

/// The root of a set, with the ways to it made shorter.
fn find(roots: &mut [u32], mut element: u32) -> u32 {
    while roots[element as usize] != element {
        roots[element as usize] = roots[roots[element as usize] as usize];
        element = roots[element as usize];
    }
    element
}

fn normal(mesh: &Mesh, triangle: usize) -> DVec3 {
    mesh.face_normal(mesh.triangle_face(triangle) as usize)
}

fn middle(mesh: &Mesh, triangle: usize) -> Sample {
    let [a, b, c] = mesh.triangle_points(triangle);
    Sample { point: (a + b + c) / 3.0, normal: normal(mesh, triangle) }
}

/// Points on both sides of each piece of the lines that cut a triangle.
fn cut_triangle(mesh: &Mesh, group: &[(u32, [DVec3; 3])], width: f64, found: &mut Vec<Sample>) {
    let triangle = group[0].0 as usize;
    let corners = mesh.triangle_points(triangle);
    let normal = normal(mesh, triangle);
    let mut lines: Vec<[DVec3; 2]> = edges(&corners).to_vec();
    for (_, other) in group {
        lines.extend(traces(other, corners[0], normal, width));
    }
    for (index, [from, to]) in lines.iter().enumerate() {
        let length = from.distance(*to);
        let Some(along) = (to - from).try_unit() else { continue };
        let side = normal.cross(along);
        let mut cuts = vec![0.0, length];
        for (other, line) in lines.iter().enumerate() {
            if other != index {
                let [near, far] = line.map(|end| (along.dot(end - from), side.dot(end - from)));
                cuts.extend(crossings(near, far, width));
            }
        }
        cuts.retain(|cut| (0.0..=length).contains(cut));
        cuts.sort_by(f64::total_cmp);
        for piece in cuts.windows(2).filter(|piece| piece[1] - piece[0] > width) {
            let on_line = from + along * (0.5 * (piece[0] + piece[1]));
            for point in [on_line + side * width, on_line - side * width] {
                if contains(&corners, normal, point) {
                    found.push(Sample { point, normal });
                }
            }
        }
    }
}

fn edges(corners: &[DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[corners[0], corners[1]], [corners[1], corners[2]], [corners[2], corners[0]]]
}

/// Where a triangle meets a plane: its edges that lie in it, within `width`, and the line where it passes through.
fn traces(other: &[DVec3; 3], on_plane: DVec3, normal: DVec3, width: f64) -> Vec<[DVec3; 2]> {
    let height = |point: DVec3| normal.dot(point - on_plane);
    let flat = |point: DVec3| point - normal * height(point);
    let mut lines = Vec::new();
    let mut passes = Vec::new();
    for [from, to] in edges(other) {
        let (low, high) = (height(from), height(to));
        if low.abs() <= width && high.abs() <= width {
            lines.push([flat(from), flat(to)]);
        } else if (low < 0.0) != (high < 0.0) {
            passes.push(flat(from.lerp(to, low / (low - high))));
        }
    }
    if let [from, to] = passes[..] {
        lines.push([from, to]);
    }
    lines
}

/// Where a line of the plane, given by coordinates along and beside another, cuts that other: where it crosses it, or its
/// ends where they lie upon it.
fn crossings(near: (f64, f64), far: (f64, f64), width: f64) -> Vec<f64> {
    let mut cuts: Vec<f64> = [near, far].iter().filter(|end| end.1.abs() <= width).map(|end| end.0).collect();
    if (near.1 < 0.0) != (far.1 < 0.0) {
        cuts.push(near.0 + (far.0 - near.0) * near.1 / (near.1 - far.1));
    }
    cuts
}

/// Whether a point of its plane lies in a triangle.
fn contains(corners: &[DVec3; 3], normal: DVec3, point: DVec3) -> bool {
    edges(corners).iter().all(|[from, to]| normal.dot((to - from).cross(point - from)) > 0.0)
}

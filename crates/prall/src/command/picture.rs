//! A drawing of the tightest place: a section through it, across the gap, with what lies behind.

use super::assembly::NamedPart;
use glam::{DVec2, DVec3};
use prall_detection::ContactPoint;
use prall_math::{Pose, any_orthonormal};
use std::fmt::Write as _;

/// Width and height of the drawing in pixels.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 600.0;

/// The gap takes at least this part of the height, as long as the window is not smaller than a hundredth of the part.
const GAP_SHARE: f64 = 0.05;

/// Most triangles drawn behind the section, the nearest first.
const BEHIND: usize = 6000;

/// The place and what stands around it.
pub(super) struct TightPlace<'a> {
    pub(super) moving: &'a [NamedPart],
    pub(super) pose: Pose,
    pub(super) environment: &'a [NamedPart],
    pub(super) contact: ContactPoint,
}

/// A triangle in the coordinates of the drawing: right, up along the normal, towards the eye.
struct Piece {
    corners: [DVec3; 3],
    moving: bool,
}

impl TightPlace<'_> {
    pub(super) fn to_svg(&self) -> String {
        let normal = self.contact.normal.try_normalize().unwrap_or(DVec3::Y);
        let (right, toward) = any_orthonormal(normal);
        let middle = 0.5 * (self.contact.on_a + self.contact.on_b);
        let size = self.moving.iter().map(|part| part.part.bounds().diameter()).fold(0.0, f64::max);
        let half_height = (0.5 * self.contact.gap / GAP_SHARE).clamp(0.01 * size, 0.6 * size).max(1e-9);
        let to_drawing = |point: DVec3| {
            let d = point - middle;
            DVec3::new(d.dot(right), d.dot(normal), d.dot(toward))
        };
        let reach = half_height * WIDTH / HEIGHT;
        let mut pieces = Vec::new();
        for (parts, pose, moving) in
            [(self.moving, self.pose, true), (self.environment, Pose::IDENTITY, false)]
        {
            for part in parts {
                for triangle in 0..part.mesh.triangles().len() {
                    let corners =
                        part.mesh.triangle_points(triangle).map(|p| to_drawing(pose.transform_point(p)));
                    if in_window(&corners, reach) {
                        pieces.push(Piece { corners, moving });
                    }
                }
            }
        }
        let gap = [self.contact.on_a, self.contact.on_b].map(|point| to_drawing(point).truncate());
        Drawing { scale: 0.5 * HEIGHT / half_height }.draw(&mut pieces, gap, self.contact.gap)
    }
}

/// May the triangle be seen? Not if it lies wholly beyond one side of the window, or in front of the section.
fn in_window(corners: &[DVec3; 3], reach: f64) -> bool {
    let beyond = |axis: usize, sign: f64| corners.iter().all(|corner| sign * corner[axis] > reach);
    let front = corners.iter().all(|corner| corner.z > 0.0);
    let far = corners.iter().all(|corner| corner.z < -4.0 * reach);
    !(front || far || (0..2).any(|axis| beyond(axis, 1.0) || beyond(axis, -1.0)))
}

struct Drawing {
    /// Pixels per metre.
    scale: f64,
}

impl Drawing {
    fn at(&self, point: DVec2) -> (f64, f64) {
        (0.5 * WIDTH + self.scale * point.x, 0.5 * HEIGHT - self.scale * point.y)
    }

    fn draw(&self, pieces: &mut [Piece], gap: [DVec2; 2], distance: f64) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"#f5f7f7\"/>\n"
        );
        self.draw_behind(pieces, &mut svg);
        for piece in pieces.iter() {
            if let Some([from, to]) = section(&piece.corners) {
                let color = if piece.moving { "#0a6b75" } else { "#5a676d" };
                self.line(from, to, color, 2.5, &mut svg);
            }
        }
        self.line(gap[0], gap[1], "#a85708", 2.0, &mut svg);
        for end in gap {
            let (x, y) = self.at(end);
            let _ = writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" fill=\"#a85708\"/>");
        }
        let _ = writeln!(
            svg,
            "<text x=\"16\" y=\"28\" fill=\"#12181b\">gap {:.4} mm, section across the tightest place</text>\n\
             <text x=\"16\" y=\"48\" fill=\"#0a6b75\">moving part</text>\n<text x=\"120\" y=\"48\" fill=\"#5a676d\">environment</text>",
            1e3 * distance
        );
        self.scale_bar(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    /// What lies behind the section, the farthest first, lighter the farther.
    fn draw_behind(&self, pieces: &mut [Piece], svg: &mut String) {
        let depth = |piece: &Piece| piece.corners.iter().map(|corner| corner.z).sum::<f64>();
        pieces.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
        let first = pieces.len().saturating_sub(BEHIND);
        for piece in pieces[first..].iter().filter(|piece| piece.corners.iter().all(|corner| corner.z <= 0.0))
        {
            let [a, b, c] = piece.corners;
            let facing = (b - a).cross(c - a).normalize_or_zero().z.abs();
            let shade = (1.0 - 0.35 * (1.0 - facing)).clamp(0.0, 1.0);
            let base = if piece.moving { [196.0, 222.0, 224.0] } else { [222.0, 226.0, 228.0] };
            let [red, green, blue] = base.map(|tone| (tone * shade) as u8);
            let points: Vec<String> = piece
                .corners
                .iter()
                .map(|corner| self.at(corner.truncate()))
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            let color = format!("#{red:02x}{green:02x}{blue:02x}");
            let _ = writeln!(
                svg,
                "<polygon points=\"{}\" fill=\"{color}\" stroke=\"{color}\"/>",
                points.join(" ")
            );
        }
    }

    fn line(&self, from: DVec2, to: DVec2, color: &str, width: f64, svg: &mut String) {
        let ((x1, y1), (x2, y2)) = (self.at(from), self.at(to));
        let _ = writeln!(
            svg,
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{color}\" \
             stroke-width=\"{width}\" stroke-linecap=\"round\"/>"
        );
    }

    /// A length of 1, 2 or 5 times a power of ten, some hundred pixels long.
    fn scale_bar(&self, svg: &mut String) {
        let wanted = 120.0 / self.scale;
        let decade = libm::pow(10.0, libm::floor(libm::log10(wanted)));
        let length =
            [5.0, 2.0, 1.0].iter().map(|factor| factor * decade).find(|l| *l <= wanted).unwrap_or(decade);
        let text = if length >= 1.0 {
            format!("{length} m")
        } else if length >= 1e-3 {
            format!("{} mm", (length * 1e3).round())
        } else {
            format!("{:.3} µm", length * 1e6)
        };
        let (left, y) = (16.0, HEIGHT - 20.0);
        let right = left + length * self.scale;
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {} v6 H{right:.1} v-6\" fill=\"none\" stroke=\"#424d53\" stroke-width=\"1.5\"/>\n\
             <text x=\"{:.1}\" y=\"{y}\" fill=\"#424d53\">{text}</text>",
            y - 6.0,
            right + 8.0
        );
    }
}

/// Where a triangle meets the plane of the drawing.
fn section(corners: &[DVec3; 3]) -> Option<[DVec2; 2]> {
    let mut ends = Vec::with_capacity(2);
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let (a, b) = (corners[from], corners[to]);
        if (a.z < 0.0) != (b.z < 0.0) {
            ends.push(a.lerp(b, a.z / (a.z - b.z)).truncate());
        }
    }
    <[DVec2; 2]>::try_from(ends).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_through_the_drawing_is_cut_where_it_crosses() {
        let triangle = [DVec3::new(0.0, 0.0, -1.0), DVec3::new(2.0, 0.0, 1.0), DVec3::new(0.0, 2.0, 1.0)];
        let [from, to] = section(&triangle).unwrap();
        assert!(
            (from - DVec2::new(1.0, 0.0)).length() < 1e-15 && (to - DVec2::new(0.0, 1.0)).length() < 1e-15
        );
        assert!(section(&triangle.map(|corner| corner + DVec3::Z * 3.0)).is_none());
    }

    #[test]
    fn only_what_can_be_seen_is_drawn() {
        let near = [DVec3::ZERO, DVec3::new(0.1, 0.0, -0.1), DVec3::new(0.0, 0.1, -0.1)];
        assert!(in_window(&near, 1.0));
        for away in [DVec3::X * 2.0, DVec3::Y * -2.0, DVec3::Z * 2.0, DVec3::Z * -9.0] {
            assert!(!in_window(&near.map(|corner| corner + away), 1.0), "{away}");
        }
    }
}

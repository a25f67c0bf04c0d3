//! A drawing of the tightest place: a section through it along the way of the part, with what lies behind, and where it is.

use super::assembly::NamedPart;
use glam::{DVec2, DVec3};
use prall_detection::ContactPoint;
use prall_geometry::Mesh;
use prall_math::{Pose, any_orthonormal};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Width and height of the drawing in pixels.
const SIZE: DVec2 = DVec2::new(900.0, 600.0);

/// Width and height of the small drawing of the whole, in pixels.
const WHOLE: DVec2 = DVec2::new(240.0, 160.0);

/// The gap takes this part of the height, as long as the window is not smaller than this part of the moving part.
const GAP_SHARE: f64 = 0.1;
const LEAST_WINDOW: f64 = 0.08;

/// Most triangles drawn behind the section, the nearest first.
const BEHIND: usize = 6000;

/// The place and what stands around it.
pub(super) struct TightPlace<'a> {
    pub(super) moving: &'a [NamedPart],
    pub(super) pose: Pose,
    pub(super) environment: &'a [NamedPart],
    pub(super) contact: ContactPoint,
    /// Where the point of the part that is nearest goes, in the world; any length.
    pub(super) heading: DVec3,
    /// What is said above the drawing.
    pub(super) title: String,
}

/// Colours of a body: where it is cut, the outline of that, and what lies behind.
struct Colors {
    cut: &'static str,
    outline: &'static str,
    behind: [f64; 3],
}

static MOVING: Colors = Colors { cut: "#8fc7cb", outline: "#0a6b75", behind: [214.0, 232.0, 233.0] };
static RESTING: Colors = Colors { cut: "#b4bec2", outline: "#46535a", behind: [229.0, 232.0, 234.0] };

/// A part in the coordinates of the drawing: right, up along the normal, towards the eye.
struct Body {
    triangles: Vec<[DVec3; 3]>,
    colors: &'static Colors,
}

impl TightPlace<'_> {
    pub(super) fn to_svg(&self) -> String {
        let normal = self.contact.normal.try_normalize().unwrap_or(DVec3::Y);
        let right = self.right(normal);
        let (toward, middle) = (right.cross(normal), self.contact.midpoint());
        let to_drawing = |point: DVec3| {
            let d = point - middle;
            DVec3::new(d.dot(right), d.dot(normal), d.dot(toward))
        };
        let placed = |part: &NamedPart, pose: &Pose, colors: &'static Colors| Body {
            triangles: (0..part.mesh.triangles().len())
                .map(|t| part.mesh.triangle_points(t).map(|p| to_drawing(pose.transform_point(p))))
                .collect(),
            colors,
        };
        let bodies: Vec<Body> = (self.environment.iter().map(|part| placed(part, &Pose::IDENTITY, &RESTING)))
            .chain(self.moving.iter().map(|part| placed(part, &self.pose, &MOVING)))
            .collect();
        let size = self.moving.iter().map(|part| diameter(&part.mesh)).fold(0.0, f64::max);
        let height = (self.contact.gap / GAP_SHARE).clamp(LEAST_WINDOW * size, 1.2 * size).max(1e-9);
        let detail = View { middle: DVec2::ZERO, scale: SIZE.y / height, size: SIZE };
        let gap = [self.contact.on_a, self.contact.on_b].map(|point| to_drawing(point).truncate());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"14\">\n",
            w = SIZE.x,
            h = SIZE.y
        );
        detail.draw(&bodies, &mut svg);
        detail.gap(gap, &mut svg);
        self.whole(&bodies, &detail, &mut svg);
        let title = self.title.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<rect width=\"100%\" height=\"58\" fill=\"#fff\" fill-opacity=\"0.85\"/>\n\
             <text x=\"16\" y=\"25\" fill=\"#12181b\">{title}</text>\n\
             <text x=\"16\" y=\"46\" fill=\"{}\">moving part</text>\n<text x=\"120\" y=\"46\" fill=\"{}\">environment</text>",
            MOVING.outline, RESTING.outline
        );
        detail.scale_bar(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    /// To the right goes the part, as seen across the gap; if it goes along the gap or rests, something across it.
    fn right(&self, normal: DVec3) -> DVec3 {
        let across = |v: DVec3| (v - normal * normal.dot(v)).try_normalize();
        let heading = self.heading.try_normalize().filter(|heading| heading.dot(normal).abs() < 0.99);
        heading.and_then(across).unwrap_or_else(|| {
            let upright = (normal.y.abs() < 0.9).then_some(DVec3::Y).and_then(across);
            upright.unwrap_or_else(|| any_orthonormal(normal).0)
        })
    }

    /// The whole moving part in a corner, with the window of the detail.
    fn whole(&self, bodies: &[Body], detail: &View, svg: &mut String) {
        let (mut low, mut high) = (DVec2::MAX, DVec2::MIN);
        for body in bodies.iter().filter(|body| std::ptr::eq(body.colors, &MOVING)) {
            for corner in body.triangles.iter().flatten() {
                (low, high) = (low.min(corner.truncate()), high.max(corner.truncate()));
            }
        }
        let extent = 1.4 * (high - low).max(DVec2::splat(1e-9));
        let scale = (WHOLE / extent).min_element();
        let view = View { middle: 0.5 * (low + high), scale, size: WHOLE };
        let _ = writeln!(
            svg,
            "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">",
            SIZE.x - WHOLE.x,
            SIZE.y - WHOLE.y,
            WHOLE.x,
            WHOLE.y
        );
        view.draw(bodies, svg);
        let (corner, window) =
            (view.at(0.5 * DVec2::new(-SIZE.x, SIZE.y) / detail.scale), SIZE / detail.scale * scale);
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#a85708\" stroke-width=\"2\"/>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"none\" stroke=\"#46535a\" stroke-width=\"2\"/>\n</svg>",
            corner.x, corner.y, window.x, window.y
        );
    }
}

/// Length of the diagonal of the box around a mesh.
fn diameter(mesh: &Mesh) -> f64 {
    let (min, max) = mesh.bounds();
    min.distance(max)
}

/// A window on the drawing.
struct View {
    /// What is in its middle, in m.
    middle: DVec2,
    /// Pixels per metre.
    scale: f64,
    /// In pixels.
    size: DVec2,
}

impl View {
    /// In pixels, downwards.
    fn at(&self, point: DVec2) -> DVec2 {
        0.5 * self.size + self.scale * (point - self.middle) * DVec2::new(1.0, -1.0)
    }

    fn draw(&self, bodies: &[Body], svg: &mut String) {
        let _ = writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"#f7f8f8\"/>");
        self.behind(bodies, svg);
        for body in bodies {
            self.cut(body, svg);
        }
    }

    /// May something be seen? Not if it lies wholly beyond one side of the window.
    fn shows(&self, corners: &[DVec3]) -> bool {
        let reach = 0.5 * self.size / self.scale;
        let beyond = |axis: usize, sign: f64| {
            corners.iter().all(|corner| sign * (corner[axis] - self.middle[axis]) > reach[axis])
        };
        !(0..2).any(|axis| beyond(axis, 1.0) || beyond(axis, -1.0))
    }

    /// What lies behind the section, the farthest first, darker where it is seen from the side.
    fn behind(&self, bodies: &[Body], svg: &mut String) {
        let mut pieces: Vec<(f64, Vec<DVec3>, &Colors)> = Vec::new();
        for body in bodies {
            for triangle in &body.triangles {
                let piece = behind(triangle);
                if piece.len() > 2 && self.shows(&piece) {
                    let depth = piece.iter().map(|corner| corner.z).sum::<f64>() / piece.len() as f64;
                    pieces.push((depth, piece, body.colors));
                }
            }
        }
        pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, piece, colors) in &pieces[pieces.len().saturating_sub(BEHIND)..] {
            let facing = (piece[1] - piece[0]).cross(piece[2] - piece[0]).normalize_or_zero().z.abs();
            let [red, green, blue] = colors.behind.map(|tone| (tone * (0.85 + 0.15 * facing)) as u8);
            let points: Vec<String> = piece.iter().map(|corner| self.pixel(corner.truncate())).collect();
            let color = format!("#{red:02x}{green:02x}{blue:02x}");
            let _ = writeln!(
                svg,
                "<polygon points=\"{}\" fill=\"{color}\" stroke=\"{color}\"/>",
                points.join(" ")
            );
        }
    }

    /// Where a body is cut: filled where the cut closes, otherwise a line.
    fn cut(&self, body: &Body, svg: &mut String) {
        let mut path = String::new();
        for (line, closed) in outlines(&body.triangles) {
            let points: Vec<String> = line.iter().map(|point| self.pixel(*point)).collect();
            let _ = write!(path, "M{}{}", points.join("L"), if closed { "Z" } else { "" });
        }
        if !path.is_empty() {
            let Colors { cut, outline, .. } = body.colors;
            let _ = writeln!(
                svg,
                "<path d=\"{path}\" fill=\"{cut}\" fill-rule=\"evenodd\" stroke=\"{outline}\" stroke-width=\"1.5\" \
                 stroke-linejoin=\"round\"/>"
            );
        }
    }

    fn gap(&self, gap: [DVec2; 2], svg: &mut String) {
        let [from, to] = gap.map(|end| self.pixel(end));
        let _ = writeln!(svg, "<path d=\"M{from}L{to}\" stroke=\"#a85708\" stroke-width=\"2\"/>");
        for end in gap {
            let at = self.at(end);
            let _ = writeln!(svg, "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"4\" fill=\"#a85708\"/>", at.x, at.y);
        }
    }

    fn pixel(&self, point: DVec2) -> String {
        let at = self.at(point);
        format!("{:.2},{:.2}", at.x, at.y)
    }

    /// A length of 1, 2 or 5 times a power of ten, some hundred pixels long.
    fn scale_bar(&self, svg: &mut String) {
        let wanted = 120.0 / self.scale;
        let decade = libm::pow(10.0, libm::floor(libm::log10(wanted)));
        let length =
            [5.0, 2.0, 1.0].iter().map(|factor| factor * decade).find(|l| *l <= wanted).unwrap_or(decade);
        let (number, unit) = match length {
            l if l > 0.9 => (l, "m"),
            l if l > 0.9e-3 => (1e3 * l, "mm"),
            l => (1e6 * l, "µm"),
        };
        let text = format!("{} {unit}", (1e3 * number).round() / 1e3);
        let (left, y) = (16.0, self.size.y - 20.0);
        let right = left + length * self.scale;
        let _ = writeln!(
            svg,
            "<rect x=\"8\" y=\"{}\" width=\"{:.0}\" height=\"30\" fill=\"#fff\" fill-opacity=\"0.85\"/>\n\
             <path d=\"M{left} {} v6 H{right:.1} v-6\" fill=\"none\" stroke=\"#12181b\" stroke-width=\"1.5\"/>\n\
             <text x=\"{:.1}\" y=\"{y}\" fill=\"#12181b\">{text}</text>",
            y - 20.0,
            right + 70.0,
            y - 6.0,
            right + 8.0
        );
    }
}

/// The part of a triangle that is not in front of the section.
fn behind(triangle: &[DVec3; 3]) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(4);
    for (i, &from) in triangle.iter().enumerate() {
        let to = triangle[(i + 1) % 3];
        if from.z <= 0.0 {
            kept.push(from);
        }
        if (from.z < 0.0) != (to.z < 0.0) && from.z != 0.0 && to.z != 0.0 {
            kept.push(from.lerp(to, from.z / (from.z - to.z)));
        }
    }
    kept
}

/// Where a triangle meets the plane of the drawing.
fn section(corners: &[DVec3; 3]) -> Option<[DVec2; 2]> {
    let mut ends = Vec::with_capacity(2);
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let (mut a, mut b) = (corners[from], corners[to]);
        if (a.z < 0.0) != (b.z < 0.0) {
            // In an order that both triangles of an edge agree upon: their ends are then equal bit by bit.
            if b.z < a.z {
                (a, b) = (b, a);
            }
            ends.push(a.lerp(b, a.z / (a.z - b.z)).truncate());
        }
    }
    <[DVec2; 2]>::try_from(ends).ok()
}

/// The lines along which triangles meet the plane of the drawing, joined end to end, and whether they close.
fn outlines(triangles: &[[DVec3; 3]]) -> Vec<(Vec<DVec2>, bool)> {
    let segments: Vec<[DVec2; 2]> = triangles.iter().filter_map(section).collect();
    let key = |point: DVec2| point.to_array().map(f64::to_bits);
    let mut at: HashMap<[u64; 2], Vec<usize>> = HashMap::new();
    for (index, segment) in segments.iter().enumerate() {
        segment.iter().for_each(|end| at.entry(key(*end)).or_default().push(index));
    }
    let mut used = vec![false; segments.len()];
    let mut lines = Vec::new();
    for first in 0..segments.len() {
        if std::mem::replace(&mut used[first], true) {
            continue;
        }
        let mut line = segments[first].to_vec();
        loop {
            let end = line[line.len() - 1];
            let next = at[&key(end)].iter().copied().find(|&segment| !used[segment]);
            let Some(next) = next.filter(|_| key(end) != key(line[0])) else { break };
            used[next] = true;
            let [from, to] = segments[next];
            line.push(if key(from) == key(end) { to } else { from });
        }
        let closed = line.len() > 3 && key(line[0]) == key(line[line.len() - 1]);
        lines.push((line, closed));
    }
    lines
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
        assert_eq!(behind(&triangle).len(), 3);
        assert_eq!(behind(&triangle.map(|corner| corner - DVec3::Z * 0.5)).len(), 3);
        assert!(behind(&triangle.map(|corner| corner + DVec3::Z * 3.0)).is_empty());
    }

    #[test]
    fn only_what_can_be_seen_is_drawn() {
        let view = View { middle: DVec2::ZERO, scale: 300.0, size: SIZE };
        let near = [DVec3::ZERO, DVec3::new(0.1, 0.0, -0.1), DVec3::new(0.0, 0.1, -0.1)];
        assert!(view.shows(&near));
        for away in [DVec3::X * 2.0, DVec3::Y * -2.0] {
            assert!(!view.shows(&near.map(|corner| corner + away)), "{away}");
        }
    }

    /// A cube cut in the middle gives one closed square of 8 segments, two for each face that is cut.
    #[test]
    fn a_closed_body_has_a_closed_outline() {
        let soup = prall_geometry::generate::cuboid(DVec3::ONE).unwrap();
        let mesh = prall_geometry::Mesh::from_soup(&soup, &Default::default()).unwrap();
        let triangles: Vec<_> = (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect();
        let lines = outlines(&triangles);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].1 && lines[0].0.len() == 9, "{lines:?}");
        assert!(lines[0].0.iter().all(|point| point.abs().max_element() == 0.5));
        // Without one of the triangles that are cut, the line stays open.
        let cut = triangles.iter().position(|triangle| section(triangle).is_some()).unwrap();
        let rest: Vec<_> = triangles.iter().enumerate().filter(|(i, _)| *i != cut).map(|(_, t)| *t).collect();
        assert!(outlines(&rest).iter().all(|(_, closed)| !closed));
    }
}

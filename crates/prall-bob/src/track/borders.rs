//! What stands beside and above the ice: planking over curves, boards on the walls, gates.

use glam::{DVec2, DVec3};
use prall_geometry::PolygonSoup;

use super::file::BarrierSide;
use super::{Section, Side, Track, section};

/// Distance of a border's sections in m.
const STEP: f64 = 0.5;

/// Which edge of the channel a board stands on, seen by the driver.
#[derive(Clone, Copy, PartialEq)]
enum Edge {
    Left,
    Right,
}

impl Track {
    /// All borders. They are flush with the channel's edges; their inner side faces the channel.
    pub(super) fn borders(&self) -> PolygonSoup {
        let mut soup = PolygonSoup::new();
        let data = &self.borders;
        let lean = data.roof_lean_deg.to_radians();
        for curve in &self.curves {
            let (begin, end) = (curve.s_c, curve.ends()[2]);
            let high = if curve.side() == Side::Left { Edge::Right } else { Edge::Left };
            if curve.n_g >= data.roof_from_ng {
                self.board(&mut soup, high, (begin, end), |_| (data.roof_height, lean));
                // Where the planking ends a board closes what it would leave open, down to nothing.
                let stop = data.end_stop_length;
                self.board(&mut soup, high, (end, end + stop), |s| {
                    (data.roof_height * (1.0 - (s - end) / stop).max(0.0), lean)
                });
            }
            if curve.n_g >= data.wall_from_ng {
                for stretch in [(begin - data.wall_length, begin), (end, end + data.wall_length)] {
                    let low = if high == Edge::Left { Edge::Right } else { Edge::Left };
                    self.board(&mut soup, low, stretch, |_| (data.wall_height, 0.0));
                }
            }
        }
        for gate in &data.barrier {
            let edge = if gate.side == BarrierSide::Left { Edge::Left } else { Edge::Right };
            self.board(&mut soup, edge, (gate.s, gate.s + gate.length), |_| (gate.height, 0.0));
        }
        soup
    }

    /// A board on an edge of the channel, `(height, lean)` at each station; it leans over the channel by the angle.
    fn board(
        &self,
        soup: &mut PolygonSoup,
        edge: Edge,
        (begin, end): (f64, f64),
        shape: impl Fn(f64) -> (f64, f64),
    ) {
        let (first, last) = self.plan.range();
        let (begin, end) = (begin.max(first), end.min(last));
        if !(end > begin) {
            return;
        }
        let count = ((end - begin) / STEP).ceil() as usize;
        let mut before: Option<[u32; 2]> = None;
        for i in 0..=count {
            let s = begin + (end - begin) * i as f64 / count as f64;
            let (height, lean) = shape(s);
            let foot = edge_point(&self.section(s), edge);
            let inwards = if edge == Edge::Left { 1.0 } else { -1.0 };
            let (sine, cosine) = libm::sincos(lean);
            let top = foot + DVec2::new(inwards * sine, cosine) * height;
            let at = self.course(s);
            let row = [foot, top].map(|point: DVec2| {
                let place: DVec3 = section::place(point.extend(0.0), at.position, at.heading);
                soup.push_position(place).expect("a track has fewer vertices than can be counted")
            });
            if let Some([foot_before, top_before]) = before {
                let [foot, top] = row;
                // The inner side is to the right of a board on the left edge.
                let faces = match edge {
                    Edge::Left => [[foot_before, foot, top], [foot_before, top, top_before]],
                    Edge::Right => [[foot_before, top, foot], [foot_before, top_before, top]],
                };
                for face in faces {
                    soup.push_face(&face).expect("the corners were just added");
                }
            }
            before = Some(row);
        }
    }
}

/// The channel's edge in the section plane.
fn edge_point(section: &Section, edge: Edge) -> DVec2 {
    let points = section.points();
    let (left, right) = match section.side {
        Side::Left => (points[0], points[7]),
        Side::Right => (points[7], points[0]),
    };
    let point = if edge == Edge::Left { left } else { right };
    point - DVec2::new(section.side.sign() * section.offset, 0.0)
}

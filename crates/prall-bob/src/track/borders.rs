//! What stands beside and above the ice: planking over curves, boards on the walls, gates.

use glam::{DVec2, DVec3};
use prall_geometry::PolygonSoup;

use super::file::BarrierSide;
use super::{Section, Side, Track, section};

/// Distance of a border's sections in m.
const STEP: f64 = 0.5;

/// Which edge of the channel a board stands on, seen by the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Left,
    Right,
}

impl Edge {
    /// Both, in the order of a section's points.
    pub(super) const BOTH: [Edge; 2] = [Edge::Left, Edge::Right];

    fn other(self) -> Edge {
        if self == Edge::Left { Edge::Right } else { Edge::Left }
    }
}

/// A board on an edge: the one description that is drawn and that is hit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    edge: Edge,
    begin: f64,
    end: f64,
    /// Over this length at either end it grows from nothing: nobody meets its edge.
    taper: f64,
    height: f64,
    /// Over the channel, in rad from the upright.
    lean: f64,
}

impl Board {
    /// Height along the board at a station, 0 beyond its ends.
    fn height_at(&self, s: f64) -> f64 {
        if !(self.begin..=self.end).contains(&s) {
            return 0.0;
        }
        if self.taper <= 0.0 {
            return self.height;
        }
        self.height * ((s - self.begin) / self.taper).min((self.end - s) / self.taper).min(1.0)
    }
}

/// What stands on an edge at a station.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Planking {
    /// Length in m of what leans over the channel ...
    pub(super) length: f64,
    /// ... and how far, in rad.
    pub(super) lean: f64,
    /// Height above the edge in m up to which there is a board, leaning or upright; the net is above it.
    pub(super) top: f64,
}

impl Track {
    /// All boards, in driving order of what they belong to.
    pub(super) fn boards(&self) -> Vec<Board> {
        let mut boards = Vec::new();
        let data = &self.borders;
        let lean = data.roof_lean_deg.to_radians();
        for curve in &self.curves {
            let (begin, end) = (curve.s_c, curve.ends()[2]);
            let high = if curve.side() == Side::Left { Edge::Right } else { Edge::Left };
            let upright = |edge: Edge, (begin, end): (f64, f64), height: f64| Board {
                edge,
                begin,
                end,
                taper: 0.0,
                height,
                lean: 0.0,
            };
            if curve.n_g >= data.roof_from_ng {
                // Where the planking begins and ends a board closes what it would leave open, down to nothing: the end stops.
                let taper = data.end_stop_length;
                let (begin, end) = (begin - taper, end + taper);
                boards.push(Board { edge: high, begin, end, taper, height: data.roof_height, lean });
            }
            if curve.n_g >= data.wall_from_ng {
                for stretch in [(begin - data.wall_length, begin), (end, end + data.wall_length)] {
                    boards.push(upright(high.other(), stretch, data.wall_height));
                }
            }
        }
        for gate in &data.barrier {
            let edge = if gate.side == BarrierSide::Left { Edge::Left } else { Edge::Right };
            let (begin, end) = (gate.s, gate.s + gate.length);
            boards.push(Board { edge, begin, end, taper: 0.0, height: gate.height, lean: 0.0 });
        }
        boards
    }

    /// All borders as triangles. They are flush with the channel's edges; their inner side faces the channel.
    pub(super) fn borders(&self) -> PolygonSoup {
        let mut soup = PolygonSoup::new();
        for board in self.boards() {
            self.board(&mut soup, &board);
        }
        soup
    }

    fn board(&self, soup: &mut PolygonSoup, board: &Board) {
        let edge = board.edge;
        let (first, last) = self.plan.range();
        let (begin, end) = (board.begin.max(first), board.end.min(last));
        if !(end > begin) {
            return;
        }
        let count = ((end - begin) / STEP).ceil() as usize;
        let mut before: Option<[u32; 2]> = None;
        for i in 0..=count {
            let s = begin + (end - begin) * i as f64 / count as f64;
            let height = board.height_at(s);
            let foot = edge_point(&self.section(s), edge);
            let inwards = if edge == Edge::Left { 1.0 } else { -1.0 };
            let (sine, cosine) = libm::sincos(board.lean);
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

/// What stands on an edge at a station: of several boards the farthest over the channel leans, and the highest ends.
pub(super) fn planking(boards: &[Board], edge: Edge, s: f64) -> Planking {
    let mut found = Planking::default();
    for board in boards.iter().filter(|board| board.edge == edge) {
        let (length, (sine, cosine)) = (board.height_at(s), libm::sincos(board.lean));
        if length * sine > found.length * libm::sin(found.lean) {
            (found.length, found.lean) = (length, board.lean);
        }
        found.top = found.top.max(length * cosine);
    }
    found
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

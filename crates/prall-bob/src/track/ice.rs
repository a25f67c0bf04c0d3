//! [`Ice`]: the driving surface as runners feel it, exact and smooth, with distances instead of triangles.
//!
//! In the upright plane at a station s, with `r` to the right, `u` up and `a` ahead (horizontal), the section is a curve
//! `(x, y)(s, t)` of rational quadratic pieces, and the surface is `S = P(s) + x r + y u`. Its normal follows from
//!
//! ```text
//! S_t = x_t r + y_t u,     S_s = x_s r + (P_y' + y_s) u + (|P_h'| + k x) a        (r' = k a, k: curvature to the left)
//! n  ~  S_t x S_s  =  C (x_t u - y_t r) + (y_t A - x_t B) a       with (A, B, C) the components of S_s
//! ```
//!
//! Between stations of sections everything is a cubic of s with the true slopes at both ends, so that the surface has no edges
//! across, and its distance to the loft of the picture is that of an arc to its chord (R = 25 m, 0.5 m: 1.2 mm).
//!
//! **Promise.** Whatever is on the far side of the ice, at any depth, has a negative distance: nothing that looks is lost behind it.
//! Above the edges of the channel stand the boards of the track (planking, walls, gates), where they are drawn, and above those an upright
//! net goes on for ever, so that the inside has no end.

use glam::{DVec2, DVec3};
use prall_math::Norm;
use serde::{Deserialize, Serialize};

use super::borders::{Edge, Planking, planking};
use super::{CoursePoint, Track};

/// Pieces of a section.
const PIECES: usize = 7;
/// A step of a piece's parameter, whose pieces are metres long, that moves the foot by less than a nanometre.
const NEAR_ENOUGH: f64 = 1e-9;
/// Points in which every piece is tried when the nearest place is searched from nothing.
const TRIALS: usize = 4;
/// Beyond this distance the nearest place is searched from nothing, in m; within it, it moves on from where it was.
const FAR: f64 = 0.12;
/// A step of a station that changes no distance that counts, in m.
const NO_STEP: f64 = 1e-6;
/// Newton's error behind a step is about the square of the step times the curvature: here 4e-6 m in the narrowest curve. A sled's steps are shorter.
const SMALL_STEP: f64 = 0.01;
/// Half the distance over which slopes of control points are taken, in m.
const SLOPE_REACH: f64 = 1e-3;

/// A cubic of a share from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
struct Cubic<T>([T; 4]);

macro_rules! cubic {
    ($type:ty) => {
        impl Cubic<$type> {
            /// Values and slopes at both ends; `length` of the interval.
            fn between(p: $type, q: $type, p_slope: $type, q_slope: $type, length: f64) -> Self {
                let (m, n) = (p_slope * length, q_slope * length);
                Cubic([p, m, (q - p) * 3.0 - m * 2.0 - n, (p - q) * 2.0 + m + n])
            }
            fn at(&self, f: f64) -> $type {
                self.0[0] + (self.0[1] + (self.0[2] + self.0[3] * f) * f) * f
            }
            /// Slope against the share.
            fn slope(&self, f: f64) -> $type {
                self.0[1] + (self.0[2] * 2.0 + self.0[3] * (3.0 * f)) * f
            }
        }
    };
}
cubic!(f64);
cubic!(DVec3);

/// What lies between two stations.
#[derive(Clone, Debug)]
struct Cell {
    begin: f64,
    length: f64,
    /// One over the length.
    per_length: f64,
    position: Cubic<DVec3>,
    /// Sine and cosine of the heading where the cell begins, and how far it has turned since.
    begin_heading: [f64; 2],
    turn: Cubic<f64>,
    /// Homogeneous: (x w, y w, w).
    control: [Cubic<DVec3>; 2 * PIECES + 1],
    /// On the left edge and on the right one; none on most.
    boards: Option<Box<[CellBoard; 2]>>,
}

/// What stands on an edge between two stations.
#[derive(Clone, Copy, Debug, Default)]
struct CellBoard {
    /// Sine and cosine of the angle by which it leans over the channel.
    lean: [f64; 2],
    /// Length of what leans where the cell begins, and how much more it is at its end.
    length: [f64; 2],
    /// The same of the height up to which there are boards.
    top: [f64; 2],
}

impl CellBoard {
    fn between(begin: Planking, end: Planking) -> CellBoard {
        CellBoard {
            lean: libm::sincos(begin.lean.max(end.lean)).into(),
            length: [begin.length, end.length - begin.length],
            top: [begin.top, end.top - begin.top],
        }
    }
}

/// Where the nearest place was found last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Foot {
    /// Station in m.
    pub s: f64,
    piece: usize,
    t: f64,
    known: bool,
}

impl Foot {
    /// To be searched, around a station.
    pub fn near(s: f64) -> Foot {
        Foot { s, ..Foot::default() }
    }
}

/// The nearest place of the ice, within the upright plane of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Towards the driving side, of length 1.
    pub normal: DVec3,
    /// From the ice along the normal in m; below 0 behind it.
    pub distance: f64,
    /// What is there.
    pub ground: Ground,
}

/// What a sled can meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// The channel.
    #[default]
    Ice,
    /// Boards on its edges: planking, walls, gates.
    Boards,
    /// The net above them.
    Net,
}

/// The surface of a track, ready to be asked.
#[derive(Clone, Debug)]
pub struct Ice {
    cells: Vec<Cell>,
    /// Cells a metre, in the mean.
    density: f64,
}

/// The plan line at a station, as a frame.
struct Frame {
    origin: DVec3,
    right: DVec3,
    ahead: DVec3,
    /// Rise per metre, stretch of the plan line, curvature.
    slope: f64,
    stretch: f64,
    curvature: f64,
}

impl Ice {
    /// Of a track, with the sections of its stations.
    pub fn new(track: &Track) -> Ice {
        let stations = track.stations();
        let boards = track.boards();
        let mut cells = Vec::with_capacity(stations.len());
        for pair in stations.windows(2) {
            let side = track.side_after(0.5 * (pair[0] + pair[1]));
            let course = [track.course(pair[0]), track.course(pair[1])];
            let length = pair[1] - pair[0];
            let homogeneous = |s: f64| -> Vec<DVec3> {
                let curve = track.section_curve(s, side);
                curve.points().iter().map(|p| DVec3::new(p.point.x, p.point.y, 1.0) * p.weight).collect()
            };
            let values = pair.iter().map(|&s| homogeneous(s)).collect::<Vec<_>>();
            let slopes = pair.iter().map(|&s| {
                let (low, high) = ((s - SLOPE_REACH).max(pair[0]), (s + SLOPE_REACH).min(pair[1]));
                let (p, q) = (homogeneous(low), homogeneous(high));
                p.iter().zip(&q).map(|(p, q)| (*q - *p) / (high - low)).collect::<Vec<_>>()
            });
            let slopes = slopes.collect::<Vec<_>>();
            let control = std::array::from_fn(|i| {
                let chord = (values[1][i] - values[0][i]) / length;
                let [p, q] = [0, 1].map(|end| tamed(slopes[end][i], chord));
                Cubic::<DVec3>::between(values[0][i], values[1][i], p, q, length)
            });
            let along = |at: &CoursePoint| {
                let (sine, cosine) = libm::sincos(at.heading);
                DVec3::new(-sine, at.slope, -cosine)
            };
            let [p, q] = &course;
            cells.push(Cell {
                begin: pair[0],
                length,
                per_length: 1.0 / length,
                position: Cubic::<DVec3>::between(p.position, q.position, along(p), along(q), length),
                begin_heading: libm::sincos(p.heading).into(),
                turn: Cubic::<f64>::between(0.0, q.heading - p.heading, p.curvature, q.curvature, length),
                control,
                boards: {
                    let ends = Edge::BOTH.map(|edge| [0, 1].map(|end| planking(&boards, edge, pair[end])));
                    let any = ends.iter().flatten().any(|planking| planking.top > 0.0);
                    any.then(|| Box::new(ends.map(|[begin, end]| CellBoard::between(begin, end))))
                },
            });
        }
        let density = cells.len() as f64 / (stations[stations.len() - 1] - stations[0]);
        Ice { cells, density }
    }

    /// Stations where the ice begins and ends, in m.
    pub fn range(&self) -> (f64, f64) {
        let last = &self.cells[self.cells.len() - 1];
        (self.cells[0].begin, last.begin + last.length)
    }

    /// Cell and share; beyond the ends the first and last cell go on.
    fn cell(&self, s: f64) -> (&Cell, f64) {
        let last = self.cells.len() - 1;
        let mut i = (((s - self.cells[0].begin) * self.density).max(0.0) as usize).min(last);
        while i > 0 && s < self.cells[i].begin {
            i -= 1;
        }
        while i < last && s >= self.cells[i + 1].begin {
            i += 1;
        }
        let cell = &self.cells[i];
        (cell, ((s - cell.begin) * cell.per_length).clamp(0.0, 1.0))
    }

    fn frame(cell: &Cell, f: f64) -> Frame {
        let ([sine, cosine], (turn_sine, turn_cosine)) = (cell.begin_heading, short_sincos(cell.turn.at(f)));
        let (sine, cosine) =
            (sine * turn_cosine + cosine * turn_sine, cosine * turn_cosine - sine * turn_sine);
        let ahead = DVec3::new(-sine, 0.0, -cosine);
        let along = cell.position.slope(f) * cell.per_length;
        Frame {
            origin: cell.position.at(f),
            right: DVec3::new(cosine, 0.0, -sine),
            ahead,
            slope: along.y,
            stretch: along.dot(ahead),
            curvature: cell.turn.slope(f) * cell.per_length,
        }
    }

    /// Station of a point, and where it is in the upright plane there: right of the plan line and above it.
    pub fn locate(&self, point: DVec3, near: f64) -> (f64, DVec2) {
        let (s, _, _, frame) = self.station(point, near);
        let away = point - frame.origin;
        (s, DVec2::new(away.dot(frame.right), away.y))
    }

    /// Newton for `(p - P(s)).a = 0`; its slope is `-(stretch + k x)`. With the station: its cell, the share in it and the frame there.
    fn station(&self, point: DVec3, near: f64) -> (f64, &Cell, f64, Frame) {
        let (begin, end) = self.range();
        let mut s = near.clamp(begin, end);
        let (mut cell, mut f) = self.cell(s);
        let mut frame = Ice::frame(cell, f);
        for _ in 0..20 {
            let away = point - frame.origin;
            let lever = (frame.stretch + frame.curvature * away.dot(frame.right)).max(0.2);
            let step = (away.dot(frame.ahead) / lever).clamp(-5.0, 5.0);
            let next = (s + step).clamp(begin, end);
            if step.abs() < NO_STEP || next == s {
                break;
            }
            s = next;
            (cell, f) = self.cell(s);
            frame = Ice::frame(cell, f);
            if step.abs() < SMALL_STEP {
                break;
            }
        }
        (s, cell, f, frame)
    }

    /// Right, up and ahead of the plan line at a station, all horizontal or upright, with `(slope, curvature)`.
    pub fn axes(&self, s: f64) -> (DVec3, DVec3, [f64; 2]) {
        let (cell, f) = self.cell(s);
        let frame = Ice::frame(cell, f);
        (frame.right, frame.ahead, [frame.slope, frame.curvature])
    }

    /// The course at a station.
    pub fn course_point(&self, s: f64) -> DVec3 {
        let (cell, f) = self.cell(s);
        cell.position.at(f)
    }

    /// A place of the surface by its station and its parameter across, 0 on the left to 7 on the right.
    pub fn point(&self, s: f64, across: f64) -> DVec3 {
        let (cell, f) = self.cell(s);
        let frame = Ice::frame(cell, f);
        let at = self.section_point(s, across);
        frame.origin + frame.right * at.x + DVec3::Y * at.y
    }

    /// The same within the plane of the section: right of the plan line and above it.
    pub fn section_point(&self, s: f64, across: f64) -> DVec2 {
        let (cell, f) = self.cell(s);
        let piece = (across.max(0.0) as usize).min(PIECES - 1);
        Conic::of(cell, f, piece).at(across - piece as f64).0
    }

    /// Many places of a section, evenly by their parameter from its left end to its right one: `in_piece` to each of its pieces.
    pub(crate) fn section_points(&self, s: f64, in_piece: usize) -> Vec<DVec2> {
        let (cell, f) = self.cell(s);
        let pieces = (0..PIECES).map(|piece| (piece, Conic::of(cell, f, piece)));
        let mut points = Vec::with_capacity(PIECES * in_piece + 1);
        for (piece, conic) in pieces {
            let count = if piece + 1 == PIECES { in_piece + 1 } else { in_piece };
            points.extend((0..count).map(|k| conic.at(k as f64 / in_piece as f64).0));
        }
        points
    }

    /// The nearest place, from where it was last.
    pub fn nearest(&self, point: DVec3, foot: &mut Foot) -> Place {
        let (s, cell, f, frame) = self.station(point, foot.s);
        let away = point - frame.origin;
        let q = DVec2::new(away.dot(frame.right), away.y);
        foot.s = s;
        if !foot.known {
            (foot.piece, foot.t) = search(cell, f, q);
        }
        let mut found = slide(cell, f, q, (foot.piece, foot.t));
        if foot.known && found.at.distance_squared(q) > FAR * FAR {
            let other = slide(cell, f, q, search(cell, f, q));
            if other.at.distance_squared(q) < found.at.distance_squared(q) {
                found = other;
            }
        }
        (foot.piece, foot.t, foot.known) = (found.piece, found.t, true);
        let x_t = found.tangent;
        let along = found.slope(cell, f);
        let c = frame.stretch + frame.curvature * found.at.x;
        let beyond = (found.t == 0.0 && found.piece == 0) || (found.t == 1.0 && found.piece == PIECES - 1);
        if beyond && q.y > found.at.y {
            return above_the_edge(cell, f, &frame, &found, q);
        }
        let (a, b) = (along.x, frame.slope + along.y);
        let normal = (DVec3::Y * (c * x_t.x) - frame.right * (c * x_t.y)
            + frame.ahead * (x_t.y * a - x_t.x * b))
            .unit();
        let from = frame.right * (q.x - found.at.x) + DVec3::Y * (q.y - found.at.y);
        Place { normal, distance: from.dot(normal), ground: Ground::Ice }
    }
}

/// Above an end of the channel stands what leans over it, then, upright from its top, boards and the net. All go with the edge where the
/// channel narrows.
fn above_the_edge(cell: &Cell, f: f64, frame: &Frame, found: &Found, q: DVec2) -> Place {
    let on_the_right = found.piece != 0;
    let inwards = if on_the_right { -1.0 } else { 1.0 };
    let board = cell.boards.as_ref().map_or(CellBoard::default(), |boards| boards[usize::from(on_the_right)]);
    let edge = found.slope(cell, f);
    let c = frame.stretch + frame.curvature * found.at.x;
    let up = q - found.at;
    let [sine, cosine] = board.lean;
    let length = board.length[0] + board.length[1] * f;
    if sine > 0.0 && up.x * inwards * sine + up.y * cosine < length {
        // The board's direction across, from left to right as a section runs.
        let x_t = if on_the_right { DVec2::new(-sine, cosine) } else { DVec2::new(-sine, -cosine) };
        let (a, b) = (edge.x, frame.slope + edge.y);
        let normal = (DVec3::Y * (c * x_t.x) - frame.right * (c * x_t.y)
            + frame.ahead * (x_t.y * a - x_t.x * b))
            .unit();
        let distance = (frame.right * up.x + DVec3::Y * up.y).dot(normal);
        return Place { normal, distance, ground: Ground::Boards };
    }
    let moves = edge.x + inwards * sine * board.length[1] * cell.per_length;
    let normal = ((frame.right * c - frame.ahead * moves) * inwards).unit();
    let distance = (up.x - inwards * sine * length) * normal.dot(frame.right);
    let top = board.top[0] + board.top[1] * f;
    Place { normal, distance, ground: if up.y < top { Ground::Boards } else { Ground::Net } }
}

/// Sine and cosine. Within a cell a track turns by some hundredths of a rad: there their series end soon, with less than 1e-16 left.
fn short_sincos(angle: f64) -> (f64, f64) {
    let x = angle * angle;
    if x > 0.1 * 0.1 {
        return libm::sincos(angle);
    }
    let sine = 1.0 - x * (1.0 / 42.0) * (1.0 - x * (1.0 / 72.0));
    let sine = angle * (1.0 - x * (1.0 / 6.0) * (1.0 - x * (1.0 / 20.0) * sine));
    let cosine = 1.0 - x * (1.0 / 30.0) * (1.0 - x * (1.0 / 56.0));
    (sine, 1.0 - x * 0.5 * (1.0 - x * (1.0 / 12.0) * cosine))
}

/// A slope that a cubic can follow without overshooting: at most three times that of the chord (Fritsch and Carlson 1980). Where an ellipse
/// begins, its control points jump along the line that it was, and the slope there says nothing.
fn tamed(slope: DVec3, chord: DVec3) -> DVec3 {
    let tame = |slope: f64, chord: f64| if slope.abs() > 3.0 * chord.abs() + 1e-6 { chord } else { slope };
    DVec3::new(tame(slope.x, chord.x), tame(slope.y, chord.y), tame(slope.z, chord.z))
}

struct Found {
    piece: usize,
    t: f64,
    at: DVec2,
    tangent: DVec2,
    conic: Conic,
}

/// A rational quadratic in the plane of a section.
struct Conic([DVec3; 3]);

impl Conic {
    fn of(cell: &Cell, f: f64, piece: usize) -> Conic {
        Conic(std::array::from_fn(|i| cell.control[2 * piece + i].at(f)))
    }

    /// Point, first and second derivative.
    fn at(&self, t: f64) -> (DVec2, DVec2, DVec2) {
        let [p, q, r] = self.0;
        let (d, e) = (q - p, r - q);
        let h = p + (d * 2.0 + (e - d) * t) * t;
        let h1 = (d + (e - d) * t) * 2.0;
        let h2 = (e - d) * 2.0;
        let w = 1.0 / h.z;
        let at = h.truncate() * w;
        let first = (h1.truncate() - at * h1.z) * w;
        (at, first, (h2.truncate() - at * h2.z - first * (2.0 * h1.z)) * w)
    }
}

impl Found {
    /// How the point at its parameter moves with the station.
    fn slope(&self, cell: &Cell, f: f64) -> DVec2 {
        let (t, u) = (self.t, 1.0 - self.t);
        let weights = [u * u, 2.0 * t * u, t * t];
        let (mut value, mut change) = (0.0, DVec3::ZERO);
        for (i, weight) in weights.into_iter().enumerate() {
            value += weight * self.conic.0[i].z;
            change += cell.control[2 * self.piece + i].slope(f) * weight;
        }
        (change.truncate() - self.at * change.z) * (cell.per_length / value)
    }
}

/// The best of a few places of every piece.
fn search(cell: &Cell, f: f64, q: DVec2) -> (usize, f64) {
    let mut best = (f64::INFINITY, (0, 0.0));
    for piece in 0..PIECES {
        let conic = Conic::of(cell, f, piece);
        for trial in 0..=TRIALS {
            let t = trial as f64 / TRIALS as f64;
            let distance = conic.at(t).0.distance_squared(q);
            if distance < best.0 {
                best = (distance, (piece, t));
            }
        }
    }
    best.1
}

/// Newton for `(q - X(t)).X'(t) = 0` with steps to the neighbours where a piece ends; downhill always.
fn slide(cell: &Cell, f: f64, q: DVec2, (mut piece, mut t): (usize, f64)) -> Found {
    let mut conic = Conic::of(cell, f, piece);
    let (mut at, mut first, mut second) = conic.at(t);
    let mut crossings = 0;
    for _ in 0..30 {
        let to = q - at;
        let steep = first.length_squared();
        let bend = steep - to.dot(second);
        // Where the distance is not convex only the slope counts.
        let step = to.dot(first) / if bend > 0.1 * steep { bend } else { steep };
        let next = t + step.clamp(-0.5, 0.5);
        if (next - t).abs() < NEAR_ENOUGH {
            break;
        }
        let neighbour = if next < 0.0 && piece > 0 && t == 0.0 {
            Some((piece - 1, 1.0))
        } else if next > 1.0 && piece + 1 < PIECES && t == 1.0 {
            Some((piece + 1, 0.0))
        } else {
            None
        };
        if let Some(other) = neighbour {
            crossings += 1;
            // To and fro over a joint of two pieces: the joint itself is nearest.
            if crossings > 2 * PIECES {
                break;
            }
            (piece, t) = other;
            conic = Conic::of(cell, f, piece);
        } else {
            let held = next.clamp(0.0, 1.0);
            if held == t {
                break;
            }
            t = held;
        }
        (at, first, second) = conic.at(t);
    }
    Found { piece, t, at, tangent: first, conic }
}

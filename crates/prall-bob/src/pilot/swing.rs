//! [`Swing`]: a sled seen as a mass that swings across the ice while the track passes under it.
//!
//! The sled's runners stand a gauge apart on the section, its centre of mass on the perpendicular of their chord. With `R(c, s)` the
//! centre's place in the upright plane at the station s, `c` the arc length across (from the plan line to the right), and
//! `w = dc/dt`, `v = ds/dt`, Lagrange's equation across is
//!
//! ```text
//! R_c . ( R_c w' + R_cc w^2 + 2 R_cs v w + R_ss v^2 + (-k (1 + k x) v^2, h'' v^2 + g) ) = |R_c| p        p: push of the runners
//! ```
//!
//! and the load is the component along the perpendicular. States are at whole rows, forces in the middle between two rows: half a
//! drift, a kick, half a drift, which keeps the height of a swing (an explicit step lets it grow by a third in a period).

mod lanes;

use glam::DVec2;
use prall_math::Norm;

pub(super) use lanes::Lanes;

use crate::track::{Ice, PointMassRun, PointMassStart, Track};

/// Rows are a metre apart.
const STEP: f64 = 1.0;
/// Arc lengths across that are looked at: from -REACH to REACH in m.
pub(super) const REACH: f64 = 5.6;
const PLACES: usize = 141;
/// Half the gauge and the height of the centre of mass in m; those of the two-man sled.
const HALF_GAUGE: f64 = 0.335;
const CENTRE: f64 = 0.295;
/// Half the width over the bumpers in m.
const HALF_WIDTH: f64 = 0.42;
/// A section that turns by more than this within the sled's width is a corner, in rad.
const MOST_TURNING: f64 = 0.9;
/// Places in every piece of a section in which it is unrolled.
const IN_PIECE: usize = 80;
/// How near the sled's middle may come to the edge of the channel in m.
const TO_THE_EDGE: f64 = 0.5;
/// A swing faster than this is none, in m/s.
const FASTEST: f64 = 14.0;
const G: f64 = 9.81;

fn place_of(index: usize) -> f64 {
    -REACH + 2.0 * REACH * index as f64 / (PLACES - 1) as f64
}

/// What lies between two rows.
#[derive(Clone, Debug)]
struct Row {
    /// Section under the sled's middle, by arc length across.
    ground: Vec<DVec2>,
    /// Centre of mass.
    centre: Vec<DVec2>,
    curvature: f64,
    bend: f64,
    speed: f64,
    /// Places between which the sled touches no wall.
    free: [f64; 2],
    floor: f64,
    motions: Vec<Motion>,
}

/// Terms of the motion across at a grid point: `w' = push + a + b w + c w^2`, load likewise.
#[derive(Clone, Copy, Debug)]
struct Motion {
    tangential: [f64; 3],
    load: [f64; 3],
    along: f64,
    stretch: f64,
}

/// How runners push aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grip {
    /// Friction coefficients across without load and from `full_load` on.
    pub(super) friction: [f64; 2],
    /// In units of g.
    pub(super) full_load: f64,
}

/// A state across the ice, a row further, and what happened on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moved {
    pub(super) place: f64,
    pub(super) rate: f64,
    /// Time that passed in s.
    pub(super) seconds: f64,
    /// Force on the ice over weight.
    pub(super) load: f64,
    /// Above the floor in m.
    pub(super) height: f64,
    /// Speed across at which a wall was met in m/s.
    pub(super) hit: f64,
    /// Curvature of the plan line in 1/m, positive to the left.
    pub(super) curvature: f64,
}

/// What a pilot sees across the ice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    pub(super) across: f64,
    pub(super) rate: f64,
    /// Turning of the way about the normal of the ice in rad/s, positive to the left.
    pub(super) turning: f64,
}

/// The motion across the ice of a whole track.
#[derive(Clone, Debug)]
pub(super) struct Swing {
    begin: f64,
    rows: Vec<Row>,
}

impl Swing {
    /// For the speeds of a point mass with the numbers of the track's file and the start that is meant.
    pub(super) fn new(track: &Track, ice: &Ice, start: PointMassStart) -> Swing {
        let mass = PointMassRun::new(track, start, track.point_mass().mu);
        let begin = track.start().s_block;
        let (_, last) = ice.range();
        let end = (track.finish() + 60.0).min(last - 2.0 * STEP);
        let count = ((end - begin) / STEP) as usize;
        let mut rows: Vec<Row> = (0..count)
            .map(|i| {
                let s = begin + STEP * (i as f64 + 0.5);
                row(track, ice, s, mass.at(s.clamp(0.0, track.finish())).speed.max(2.0))
            })
            .collect();
        for i in 0..count {
            rows[i].motions = motions(&rows, i);
        }
        Swing { begin, rows }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Station of a row in m.
    pub(super) fn station(&self, row: usize) -> f64 {
        self.begin + STEP * row as f64
    }

    /// The row before a station.
    pub(super) fn row(&self, s: f64) -> usize {
        (((s - self.begin) / STEP).max(0.0) as usize).min(self.rows.len() - 1)
    }

    /// Speed of the point mass there in m/s.
    pub(super) fn speed(&self, row: usize) -> f64 {
        self.rows[row].speed
    }

    /// Where behind a row a sled would neither climb nor fall, in m: outwards from the middle, where the pull first turns.
    pub(super) fn rest(&self, row: usize) -> f64 {
        let row = &self.rows[row];
        let middle = PLACES / 2;
        let outwards = row.curvature >= 0.0;
        let mut before = middle;
        for k in 1..=middle {
            let j = if outwards { middle + k } else { middle - k };
            let pull = row.motions[j].tangential[0] * if outwards { 1.0 } else { -1.0 };
            if pull <= 0.0 || place_of(j).abs() > row.free[usize::from(outwards)].abs() {
                break;
            }
            before = j;
        }
        place_of(before)
    }

    /// Places between which the sled touches no wall, behind a row.
    pub(super) fn free(&self, row: usize) -> [f64; 2] {
        self.rows[row].free
    }

    /// Place and rate across of a point in the plane at a station with a velocity there, by the section under it.
    pub(super) fn see(&self, s: f64, place: DVec2, velocity: DVec2, along: f64, before: f64) -> Seen {
        let x = ((s - self.begin) / STEP - 0.5).clamp(0.0, (self.rows.len() - 2) as f64);
        let i = x as usize;
        let share = x - i as f64;
        let (row, next) = (&self.rows[i], &self.rows[i + 1]);
        let ground = |j: usize| row.ground[j].lerp(next.ground[j], share);
        let mut best = (f64::INFINITY, 0.0, 0);
        for j in 0..PLACES - 1 {
            if (place_of(j) - before).abs() > 1.5 {
                continue;
            }
            let (p, q) = (ground(j), ground(j + 1));
            let f = ((place - p).dot(q - p) / (q - p).length_squared().max(1e-12)).clamp(0.0, 1.0);
            let distance = place.distance_squared(p.lerp(q, f));
            if distance < best.0 {
                best = (distance, place_of(j) + f * (place_of(j + 1) - place_of(j)), j);
            }
        }
        let (_, across, j) = best;
        let tangent = (ground(j + 1) - ground(j)).unit_or(DVec2::X);
        let drift = (next.ground[j] - row.ground[j]) / STEP;
        // The way turns by the plan's curvature about the upright: its share about the normal of the ice.
        let turning = row.curvature * along * tangent.x;
        Seen { across, rate: tangent.dot(velocity - drift * along), turning }
    }

    /// From a row to the next with a push of the runners from -1 (left) to 1.
    pub(super) fn ahead(&self, i: usize, place: f64, rate: f64, push: f64, grip: &Grip) -> Moved {
        let row = &self.rows[i];
        let seconds = STEP / row.motions[index(place).0].along;
        let half = place + 0.5 * rate * seconds;
        let (j, share) = index(half);
        let motion = row.motions[j].between(&row.motions[j + 1], share);
        let load = motion.load[0] + (motion.load[1] + motion.load[2] * rate) * rate;
        let pressed = (load / (grip.full_load * G)).clamp(0.0, 1.0);
        let friction = grip.friction[0] + (grip.friction[1] - grip.friction[0]) * pressed;
        let force = friction * load.max(0.0) / motion.stretch;
        let change =
            motion.tangential[0] + (motion.tangential[1] + motion.tangential[2] * rate) * rate + push * force;
        let mut rate = (rate + change * seconds).clamp(-FASTEST, FASTEST);
        let mut place = half + 0.5 * rate * seconds;
        let height = row.ground[j].lerp(row.ground[j + 1], share).y - row.floor;
        // A wall that is met, or that comes nearer, takes the sled along.
        let held = place.clamp(row.free[0], row.free[1]);
        let hit = (place - held).abs() / seconds;
        rate -= (place - held) / seconds;
        place = held;
        Moved { place, rate, seconds, load: load / G, height, hit, curvature: row.curvature }
    }
}

/// Grid point before a place, and the share to the next.
fn index(place: f64) -> (usize, f64) {
    let x = ((place + REACH) * ((PLACES - 1) as f64 / (2.0 * REACH))).clamp(0.0, (PLACES - 1) as f64);
    let j = (x as usize).min(PLACES - 2);
    (j, x - j as f64)
}

impl Motion {
    fn between(&self, other: &Motion, share: f64) -> Motion {
        let mix = |a: f64, b: f64| a + (b - a) * share;
        let three = |a: &[f64; 3], b: &[f64; 3]| [mix(a[0], b[0]), mix(a[1], b[1]), mix(a[2], b[2])];
        Motion {
            tangential: three(&self.tangential, &other.tangential),
            load: three(&self.load, &other.load),
            along: mix(self.along, other.along),
            stretch: mix(self.stretch, other.stretch),
        }
    }
}

fn row(track: &Track, ice: &Ice, s: f64, speed: f64) -> Row {
    let (ground, ends) = unrolled(ice, s);
    let centre = (0..PLACES)
        .map(|j| {
            let reach = HALF_GAUGE * (PLACES - 1) as f64 / (2.0 * REACH);
            let sample = |x: f64| {
                let x = x.clamp(0.0, (PLACES - 1) as f64);
                let k = (x as usize).min(PLACES - 2);
                ground[k].lerp(ground[k + 1], x - k as f64)
            };
            let (p, q) = (sample(j as f64 - reach), sample(j as f64 + reach));
            let chord = (q - p).unit_or(DVec2::X);
            0.5 * (p + q) + DVec2::new(-chord.y, chord.x) * CENTRE
        })
        .collect();
    let (curvature, bend) = (track.course(s).curvature, track.height().point(s).bend);
    let floor = ground.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    Row { ground, centre, curvature, bend, speed, free: ends, floor, motions: Vec::new() }
}

/// The section by arc length from the plan line, and the places where walls begin for a sled of some width.
fn unrolled(ice: &Ice, s: f64) -> (Vec<DVec2>, [f64; 2]) {
    const FINE: usize = 7 * IN_PIECE;
    let fine = ice.section_points(s, IN_PIECE);
    let mut arc = vec![0.0; FINE + 1];
    for k in 1..=FINE {
        arc[k] = arc[k - 1] + fine[k].distance(fine[k - 1]);
    }
    // The plan line: where the section crosses x = 0.
    let middle = (0..FINE).find(|&k| fine[k].x <= 0.0 && fine[k + 1].x > 0.0).unwrap_or(FINE / 2);
    let share = -fine[middle].x / (fine[middle + 1].x - fine[middle].x).max(1e-9);
    let zero = arc[middle] + share * (arc[middle + 1] - arc[middle]);
    let mut k = 0;
    let ground = (0..PLACES).map(|j| {
        let want = place_of(j) + zero;
        if want <= 0.0 {
            return fine[0] - DVec2::Y * want;
        }
        if want >= arc[FINE] {
            return fine[FINE] + DVec2::Y * (want - arc[FINE]);
        }
        while k + 1 < FINE && arc[k + 1] < want {
            k += 1;
        }
        let f = (want - arc[k]) / (arc[k + 1] - arc[k]).max(1e-12);
        fine[k].lerp(fine[k + 1], f)
    });
    let ground = ground.collect();
    let limit = |sign: f64| {
        let edge = if sign < 0.0 { zero } else { arc[FINE] - zero };
        let furthest = (edge - TO_THE_EDGE).clamp(0.1, REACH - 0.1);
        let mut corner = Corner::new(&fine, &arc);
        let steps = (0..=(furthest / 0.02) as usize).map(|step| 0.02 * step as f64);
        sign * steps.take_while(|&c| !corner.is_at(zero + sign * c)).last().unwrap_or(0.0).max(0.05)
    };
    (ground, [limit(-1.0), limit(1.0)])
}

/// Whether a section has a corner under a sled that stands there: turns by more than [`MOST_TURNING`] within its width.
struct Corner<'s> {
    fine: &'s [DVec2],
    arc: &'s [f64],
    /// Pieces under its left and right side; they move on with it.
    under: [usize; 2],
    /// Cosine and sine of the angle.
    most: DVec2,
}

impl Corner<'_> {
    fn new<'s>(fine: &'s [DVec2], arc: &'s [f64]) -> Corner<'s> {
        let (sine, cosine) = libm::sincos(MOST_TURNING);
        Corner { fine, arc, under: [1, 1], most: DVec2::new(cosine, sine) }
    }

    fn is_at(&mut self, at: f64) -> bool {
        let last = self.fine.len() - 1;
        let [left, right] = [0, 1].map(|side| {
            let edge = at + [-HALF_WIDTH, HALF_WIDTH][side];
            // The first place that is not before it.
            let mut k = self.under[side];
            while k < last && self.arc[k] < edge {
                k += 1;
            }
            while k > 1 && self.arc[k - 1] >= edge {
                k -= 1;
            }
            self.under[side] = k;
            self.fine[k] - self.fine[k - 1]
        });
        // The angle from one to the other is below half a turn: it is beyond the limit where it lies to the left of it.
        let turned = DVec2::new(left.dot(right), left.perp_dot(right));
        turned.y > 0.0 && self.most.perp_dot(turned) >= 0.0
    }
}

fn motions(rows: &[Row], i: usize) -> Vec<Motion> {
    let (low, high) = (i.saturating_sub(1), (i + 1).min(rows.len() - 1));
    let (row, before, after) = (&rows[i], &rows[low], &rows[high]);
    let span = (high - low).max(1) as f64 * STEP;
    let step = 2.0 * REACH / (PLACES - 1) as f64;
    (0..PLACES)
        .map(|j| {
            let (l, r) = (j.saturating_sub(1), (j + 1).min(PLACES - 1));
            let wide = (r - l) as f64 * step;
            let slope_of = |row: &Row| (row.centre[r] - row.centre[l]) / wide;
            let tangent = slope_of(row);
            let stretch = tangent.norm().max(0.3);
            let bent = (row.centre[r] - row.centre[j] * 2.0 + row.centre[l]) / (step * step);
            let twisted = (slope_of(after) - slope_of(before)) / span;
            let curved = (after.centre[j] - row.centre[j] * 2.0 + before.centre[j]) / (STEP * STEP);
            let k = row.curvature;
            let along = row.speed / (1.0 + k * row.centre[j].x).max(0.2);
            let turn = -k * (1.0 + k * row.centre[j].x) * along * along;
            let fixed = curved * (along * along) + DVec2::new(turn, row.bend * along * along + G);
            let mixed = twisted * (2.0 * along);
            let unit = tangent / stretch;
            let up = DVec2::new(-unit.y, unit.x);
            Motion {
                tangential: [fixed, mixed, bent].map(|term| -unit.dot(term) / stretch),
                load: [fixed, mixed, bent].map(|term| up.dot(term)),
                along,
                stretch,
            }
        })
        .collect()
}

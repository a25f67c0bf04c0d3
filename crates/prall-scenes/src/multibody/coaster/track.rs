//! The track: its course, and rails, sleepers, columns and station to be seen.
//!
//! From the station at the left the lift leads up to a wide turn, from there the train falls into a loop whose radius shrinks towards the
//! top, climbs a hill, and comes down to the brakes by a turn and a half of a banked spiral.

use crate::world::Stage;
use crate::world::stage::{cuboid, rough};
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, Filter};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_math::{Norm, Pose};
use prall_multibody::{Guide, Path};
use std::f64::consts::{PI, TAU};
use std::ops::Range;
use std::sync::Arc;

/// Heights of the rails in the station, on the crest of the lift and where the spiral begins, in m.
const LOW: f64 = 1.6;
const CREST: f64 = 21.0;
const HILL: f64 = 10.0;
/// The straights lie along x at these z, in m: station and lift, drop, hill.
const STATION_LANE: f64 = 14.0;
const DROP_LANE: f64 = -2.0;
const HILL_LANE: f64 = -6.0;
/// Ends of the straights, of brakes and of the station, in m along x.
const LEFT: f64 = -42.0;
const PLATFORM: f64 = -24.0;
const LIFT: f64 = -8.0;
const RIGHT: f64 = 26.0;
const VALLEY: f64 = 0.0;
/// Radii of the loop at its bottom and top, in m.
const LOOP: [f64; 2] = [11.0, 4.5];

/// The course with its parts, in m along it.
pub(super) struct Track {
    pub(super) path: Arc<Path>,
    /// Where magnets hold the cars back.
    pub(super) brakes: Range<f64>,
    /// Where tyres and then the chain push them.
    pub(super) lift: Range<f64>,
    /// Where the track begins to fall.
    pub(super) edge: f64,
    /// Where the chain begins.
    chain: f64,
}

/// Points of the course with the directions to which passengers' heads point.
#[derive(Default)]
struct Course {
    points: Vec<DVec3>,
    heads: Vec<DVec3>,
}

/// From 0 to 1 without corners.
fn smooth(t: f64) -> f64 {
    t * t * t * (10.0 + t * (6.0 * t - 15.0))
}

/// From 0 to 1, straight but for rounded ends.
fn ramp(t: f64) -> f64 {
    const ROUND: f64 = 0.25;
    let slope = 1.0 / (1.0 - ROUND);
    let rounded = |t: f64| 0.5 * slope * t * t / ROUND;
    if t < ROUND {
        rounded(t)
    } else if t > 1.0 - ROUND {
        1.0 - rounded(1.0 - t)
    } else {
        slope * (t - 0.5 * ROUND)
    }
}

impl Course {
    /// A straight as seen from above; the height goes from one end's to the other's by `shape`. The last point is left to what follows.
    fn straight(&mut self, from: DVec3, to: DVec3, shape: fn(f64) -> f64, pieces: u32) {
        for piece in 0..pieces {
            let t = f64::from(piece) / f64::from(pieces);
            let height = from.y + (to.y - from.y) * shape(t);
            self.points.push(from.lerp(to, t).with_y(height));
            self.heads.push(DVec3::Y);
        }
    }

    /// To the left about a vertical axis, from one angle to another: 0 is where the track goes along x.
    fn turn(&mut self, (center, radius): (DVec3, f64), angles: [f64; 2], heights: [f64; 2], bank: f64) {
        let pieces = ((angles[1] - angles[0]) / 0.22).round();
        for piece in 0..pieces as u32 {
            let t = f64::from(piece) / pieces;
            let (sine, cosine) = libm::sincos(angles[0] + (angles[1] - angles[0]) * t);
            let outwards = DVec3::new(sine, 0.0, cosine);
            let height = heights[0] + (heights[1] - heights[0]) * smooth(t);
            let (lean, upright) = libm::sincos(bank * smooth((t.min(1.0 - t) * 5.0).min(1.0)));
            self.points.push((center + outwards * radius).with_y(height));
            self.heads.push(DVec3::Y * upright - outwards * lean);
        }
    }

    /// A loop whose curvature grows with the height, along -x, drifting sideways so that its ends pass each other; where it ends.
    fn looping(&mut self, from: DVec3, drift: f64) -> DVec3 {
        const PIECES: u32 = 28;
        const STEPS: u32 = 40;
        let [bottom, top] = LOOP.map(|radius| 1.0 / radius);
        let (mut ahead, mut height) = (0.0, 0.0);
        for piece in 0..PIECES {
            let t = f64::from(piece) / f64::from(PIECES);
            let (sine, cosine) = libm::sincos(TAU * t);
            self.points.push(from + DVec3::new(-ahead, height, drift * smooth(t)));
            self.heads.push(DVec3::new(sine, cosine, 0.0));
            let step = TAU / f64::from(PIECES * STEPS);
            for part in 0..STEPS {
                let (sine, cosine) = libm::sincos(TAU * t + step * (f64::from(part) + 0.5));
                let length = step / (bottom + (top - bottom) * 0.5 * (1.0 - cosine));
                ahead += length * cosine;
                height += length * sine;
            }
        }
        from + DVec3::new(-ahead, 0.0, drift)
    }
}

impl Track {
    pub(super) fn new() -> Track {
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        let [station, drop] = [STATION_LANE, DROP_LANE];
        let mut course = Course::default();
        course.straight(at(LEFT, LOW, station), at(LIFT, LOW, station), smooth, 14);
        course.straight(at(LIFT, LOW, station), at(RIGHT, CREST, station), ramp, 16);
        let middle = at(RIGHT, 0.0, 0.5 * (station + drop));
        let down = CREST - 0.8;
        course.turn((middle, 0.5 * (station - drop)), [0.0, PI], [CREST, down], 0.45);
        course.straight(at(RIGHT, down, drop), at(VALLEY, LOW, drop), smooth, 14);
        let out = course.looping(at(VALLEY, LOW, drop), HILL_LANE - drop);
        course.straight(out, at(LEFT, HILL, HILL_LANE), smooth, 14);
        let radius = 0.5 * (station - HILL_LANE);
        let middle = at(LEFT, 0.0, HILL_LANE + radius);
        course.turn((middle, radius), [PI, 4.0 * PI], [HILL, LOW], 1.2);
        let path =
            Path::with_heads(&course.points, &course.heads, true).expect("a scene's track can be followed");
        let along = |x: f64, y: f64, z: f64| path.nearest(at(x, y, z));
        Track {
            brakes: 0.0..along(PLATFORM, LOW, station),
            lift: 0.0..along(RIGHT, CREST, station),
            edge: along(RIGHT, down, drop),
            chain: along(LIFT, LOW, station),
            path: Arc::new(path),
        }
    }

    /// Poses along the course, about so many metres apart.
    fn poses(&self, apart: f64) -> Vec<Pose> {
        let length = self.path.length();
        let count = (length / apart).round();
        (0..count as u32).map(|number| self.path.pose(&[length * f64::from(number) / count])).collect()
    }

    /// Puts everything on the stage that is seen and never touched.
    pub(super) fn show(&self, stage: &mut Stage) {
        let (steel, spine) = (stage.metal("#b9c0c6"), stage.look("#0a6b75"));
        let (concrete, dark) = (stage.look("#a9b0b5"), stage.look("#3c444c"));
        let poses = self.poses(0.5);
        let mut rails = Sweep::default();
        for side in [-1.0, 1.0] {
            rails.tube(&poses, DVec3::new(0.0, -0.06, 0.58 * side), 0.06, true);
        }
        rails.put(stage, "rails", steel);
        let mut beam = Sweep::default();
        beam.tube(&poses, DVec3::NEG_Y * 0.62, 0.17, true);
        for pose in self.poses(1.25) {
            for side in [-1.0, 1.0] {
                let ends = [DVec3::NEG_Y * 0.55, DVec3::new(0.0, -0.1, 0.56 * side)];
                beam.bar(ends.map(|end| pose.transform_point(end)), 0.045);
            }
            let ends = [-1.0, 1.0].map(|side| pose.transform_point(DVec3::new(0.0, -0.12, 0.56 * side)));
            beam.bar(ends, 0.045);
        }
        beam.put(stage, "sleepers", spine);
        let mut chain = Sweep::default();
        let (start, end) = (self.chain, self.lift.end);
        let links = (0..=80).map(|link| start + (end - start) * f64::from(link) / 80.0);
        let links: Vec<Pose> = links.map(|place| self.path.pose(&[place])).collect();
        chain.tube(&links, DVec3::NEG_Y * 0.08, 0.05, false);
        chain.put(stage, "chain", dark);
        self.columns().put(stage, "columns", concrete);
        platform(stage);
    }

    /// Columns under the track, where nothing else of it is in their way; two struts on each side of the loop.
    fn columns(&self) -> Sweep {
        let (all, mut columns) = (self.poses(1.0), Sweep::default());
        for pose in self.poses(8.0) {
            let top = pose.transform_point(DVec3::NEG_Y * 0.7);
            let free = all.iter().all(|other| {
                let apart = (other.translation - top).with_y(0.0).norm();
                apart > 1.6 || other.translation.y > top.y - 0.3
            });
            if free && (pose.rotation * DVec3::Y).y > 0.2 {
                columns.bar([top, top.with_y(0.0)], 0.13 + 0.006 * top.y);
            }
        }
        columns
    }
}

/// Two platforms under a roof.
fn platform(stage: &mut Stage) {
    let (floor, roof) = (stage.look("#8f969b"), stage.look("#c0562f"));
    let post = stage.look("#e4e0d6");
    let (middle, half) = (0.5 * (PLATFORM + LIFT), 0.5 * (LIFT - PLATFORM) - 1.0);
    let mut add = |name: &str, center: DVec3, sides: DVec3, look: usize| {
        let solid = BodyDefinition { filter: UNTOUCHABLE, ..BodyDefinition::fixed(cuboid(sides)) };
        stage.add(name, &solid.at(center), look);
    };
    for side in [-1.0, 1.0] {
        let z = STATION_LANE + 2.3 * side;
        add("platform", DVec3::new(middle, 0.9, z), DVec3::new(half, 0.9, 1.3), floor);
        for end in [-1.0, 0.0, 1.0] {
            let x = middle + (half - 0.5) * end;
            add("post", DVec3::new(x, 3.4, z + 0.6 * side), DVec3::new(0.1, 1.6, 0.1), post);
        }
    }
    add("roof", DVec3::new(middle, 5.1, STATION_LANE), DVec3::new(half + 0.5, 0.12, 4.0), roof);
}

const UNTOUCHABLE: Filter = Filter { groups: 1, mask: 0 };
/// Corners of a tube's section.
const CORNERS: u32 = 8;

/// Triangles of tubes and bars.
#[derive(Default)]
struct Sweep {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Sweep {
    /// A tube beside a course of poses.
    fn tube(&mut self, poses: &[Pose], offset: DVec3, radius: f64, closed: bool) {
        let (first, count) = (self.positions.len() as u32, poses.len() as u32);
        for pose in poses {
            for corner in 0..CORNERS {
                let (sine, cosine) = libm::sincos(TAU * f64::from(corner) / f64::from(CORNERS));
                let at = offset + DVec3::new(0.0, cosine, sine) * radius;
                self.positions.push(pose.transform_point(at));
            }
        }
        let rings = if closed { count } else { count - 1 };
        for (ring, corner) in (0..rings).flat_map(|ring| (0..CORNERS).map(move |corner| (ring, corner))) {
            let at = |ring: u32, corner: u32| first + ring % count * CORNERS + corner % CORNERS;
            let (a, b) = (at(ring, corner), at(ring, corner + 1));
            let (c, d) = (at(ring + 1, corner), at(ring + 1, corner + 1));
            self.triangles.extend([[a, b, c], [c, b, d]]);
        }
    }

    /// A round bar between two points.
    fn bar(&mut self, ends: [DVec3; 2], radius: f64) {
        let along = DQuat::from_rotation_arc(DVec3::X, (ends[1] - ends[0]).unit());
        self.tube(&ends.map(|end| Pose::new(along, end)), DVec3::ZERO, radius, false);
    }

    fn put(&self, stage: &mut Stage, name: &str, look: usize) {
        let soup = PolygonSoup::from_triangles(self.positions.clone(), &self.triangles)
            .expect("a scene's tubes are triangles");
        let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).expect("a scene's tubes are a mesh");
        let mesh = TriangleMesh::new(Arc::new(mesh)).expect("a scene's tubes have triangles");
        let body = BodyDefinition::fixed(Shape::TriangleMesh(Arc::new(mesh))).made_of(rough(0.5));
        stage.add(name, &BodyDefinition { filter: UNTOUCHABLE, ..body }, look);
    }
}

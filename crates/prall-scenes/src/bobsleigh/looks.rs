//! How the sled, its track and the hill look.

use super::runners;
use crate::{
    Assets, BodyAsset, Camera, LineAsset, LineRole, Lines, Look, Pattern, ShapeAsset, TriangleAsset,
};
use glam::{DQuat, DVec3};
use prall_bob::run::Run;
use prall_bob::track::{Tessellation, Track};
use prall_geometry::PolygonSoup;
use prall_math::Pose;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Rows of the ice in one piece of it, so that what is out of sight need not be drawn.
const ROWS: usize = 240;
/// How the ice is cut: every section, half a metre apart, and the ellipse finely enough that no facet is seen under a runner.
const PICTURE: Tessellation = Tessellation { ellipse: 14, other: 3, along: 1 };
/// Size of a facet of the hill in m.
const FACET: f64 = 7.0;
/// How far the hill goes beyond the track, in m.
const AROUND: f64 = 70.0;
/// How far the hill lies below the ice, in m: more than the ice falls across a facet.
const BELOW: f64 = 1.8;

const HULL: usize = 0;
const FRONT: usize = 1;
const STEEL: usize = 2;
const SUIT: usize = 3;
const HELMET: usize = 4;
const ICE: usize = 5;
const WOOD: usize = 6;
const SNOW: usize = 7;

fn look(color: &'static str, roughness: f64, metallic: f64) -> Look {
    Look { color, roughness, metallic, opacity: 1.0, pattern: Pattern::Plain }
}

/// Something to see on a body of the sled: where it is in the frame of the setup file.
struct Piece {
    body: &'static str,
    place: Pose,
}

/// Assets, and where each of them is.
pub(super) struct Looks {
    assets: Assets,
    pieces: Vec<Piece>,
}

impl Looks {
    /// The track, the hill below it, and a sled.
    pub(super) fn new(track: &Track) -> Looks {
        let looks = vec![
            look("#0a6b75", 0.28, 0.1),
            look("#d9a441", 0.3, 0.1),
            look("#aab4bc", 0.25, 0.9),
            look("#27343c", 0.8, 0.0),
            look("#c0562f", 0.35, 0.0),
            look("#bcdcea", 0.12, 0.0),
            look("#8d7155", 0.85, 0.0),
            look("#eef1f0", 0.95, 0.0),
        ];
        let mut looks = Looks {
            assets: Assets {
                shapes: Vec::new(),
                looks,
                bodies: Vec::new(),
                lines: vec![light_barriers(track)],
                camera: camera(track),
                subject: None,
                ride: Some(0),
                ground: None,
                moves: true,
            },
            pieces: Vec::new(),
        };
        for Part { body, shape, look, place } in sled() {
            looks.add_piece(body, shape, look, place);
        }
        let mesh = track.mesh(&PICTURE);
        for shape in pieces_of_ice(&mesh.ice, mesh.columns, mesh.rows.len()) {
            looks.add("ice", shape, ICE);
        }
        looks.add("planks", triangles(&mesh.borders), WOOD);
        looks.add("hill", hill(track), SNOW);
        looks
    }

    pub(super) fn assets(&self) -> &Assets {
        &self.assets
    }

    /// Index of the body of the tree that something belongs to; none for scenery.
    pub(super) fn node(&self, body: usize) -> Option<usize> {
        // The tree has the bodies in the order of the file, so the name finds the index there.
        self.pieces.get(body).and_then(|piece| BODIES.iter().position(|name| *name == piece.body))
    }

    /// Poses of everything, in the order of the assets.
    pub(super) fn poses(&self, run: &Run<'_>, poses: &mut Vec<Pose>) {
        let sled = run.sled();
        for piece in &self.pieces {
            let frame = sled.body(piece.body).map_or_else(|| sled.frame(), |node| sled.frame_of(node));
            let frame = match runners::place_of(piece.body) {
                Some(place) => runners::drawn(frame, place, &run.course().ice, run.station()),
                None => frame,
            };
            poses.push(frame * piece.place);
        }
        poses.resize(self.assets.bodies.len(), Pose::IDENTITY);
    }

    fn add(&mut self, name: &str, shape: ShapeAsset, look: usize) {
        self.assets.shapes.push(shape);
        let shape = self.assets.shapes.len() - 1;
        self.assets.bodies.push(BodyAsset { name: name.to_owned(), shape, look, movable: false });
    }

    fn add_piece(&mut self, body: &'static str, shape: ShapeAsset, look: usize, place: Pose) {
        self.add(body, shape, look);
        self.pieces.push(Piece { body, place });
    }
}

/// Body and place of every part of the sled.
pub(super) fn sled_parts() -> Vec<super::SledPart> {
    sled().into_iter().map(|part| super::SledPart { body: part.body, place: part.place }).collect()
}

/// Something to see on a body of the sled, with its shape.
struct Part {
    body: &'static str,
    shape: ShapeAsset,
    look: usize,
    place: Pose,
}

/// Dimensions from the setup's contacts and axles; the shape of the cowlings is made up.
fn sled() -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |body, shape, look, place| parts.push(Part { body, shape, look, place });
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let cuboid = |x: f64, y: f64, z: f64| ShapeAsset::Box { half: DVec3::new(x, y, z) };
    // Rings of the cowlings from the nose backwards: place along, half width, bottom, top.
    let rear = [
        (-1.02, 0.30, 0.12, 0.60),
        (-0.80, 0.33, 0.11, 0.56),
        (-0.30, 0.33, 0.11, 0.50),
        (0.15, 0.32, 0.11, 0.52),
        (0.48, 0.29, 0.13, 0.50),
        (0.55, 0.25, 0.16, 0.45),
    ];
    let front = [
        (-2.62, 0.04, 0.20, 0.26),
        (-2.50, 0.13, 0.14, 0.34),
        (-2.20, 0.23, 0.11, 0.45),
        (-1.70, 0.30, 0.10, 0.56),
        (-1.25, 0.31, 0.11, 0.62),
        (-1.06, 0.29, 0.13, 0.61),
    ];
    add("rear_hull", cowling(&rear), HULL, Pose::IDENTITY);
    add("front_hull", cowling(&front), FRONT, Pose::IDENTITY);
    add("rear_hull", cuboid(0.335, 0.02, 0.03), STEEL, at(0.0, 0.11, 0.0));
    for side in [-1.0, 1.0] {
        add("rear_hull", cuboid(0.035, 0.025, 0.10), STEEL, at(side * 0.385, 0.22, 0.20));
        add("front_hull", cuboid(0.05, 0.025, 0.08), STEEL, at(side * 0.36, 0.22, -2.00));
    }
    for z in [-0.72, -0.12] {
        let lean = Pose::new(DQuat::from_rotation_x(0.5), DVec3::new(0.0, 0.50, z + 0.08));
        add("crew", ShapeAsset::Capsule { radius: 0.19, half_height: 0.10 }, SUIT, lean);
        add("crew", ShapeAsset::Sphere { radius: 0.14 }, HELMET, at(0.0, 0.74, z - 0.02));
    }
    add("steering_head", cuboid(0.10, 0.04, 0.12), STEEL, at(0.0, 0.14, -1.69));
    add("front_axle", cuboid(0.335, 0.02, 0.03), STEEL, at(0.0, 0.11, -1.69));
    for (body, x, z) in [
        ("runner_1", -0.335, 0.0),
        ("runner_2", 0.335, 0.0),
        ("runner_3", -0.335, -1.69),
        ("runner_4", 0.335, -1.69),
    ] {
        add(body, cuboid(0.008, 0.05, 0.46), STEEL, at(x, 0.05, z));
    }
    parts
}

/// Bodies of the setup that comes along, in the order of its file.
const BODIES: [&str; 9] = [
    "rear_hull",
    "front_hull",
    "crew",
    "steering_head",
    "front_axle",
    "runner_1",
    "runner_2",
    "runner_3",
    "runner_4",
];

/// A shell over rings that are flat below and round above.
fn cowling(rings: &[(f64, f64, f64, f64)]) -> ShapeAsset {
    const CORNERS: u32 = 20;
    let mut asset = TriangleAsset::default();
    for &(z, half_width, bottom, top) in rings {
        let (middle, half_height) = (0.5 * (bottom + top), 0.5 * (top - bottom));
        for corner in 0..CORNERS {
            let (sine, cosine) = libm::sincos(TAU * f64::from(corner) / f64::from(CORNERS));
            // A superellipse: between a box and an ellipse.
            let bulge = |x: f64| libm::sqrt(x.abs()).copysign(x);
            let mix = |x: f64| 0.5 * (x + bulge(x));
            let place = [half_width * mix(cosine), middle + half_height * mix(sine), z];
            asset.positions.push(place.map(|value| value as f32));
        }
    }
    let at = |ring: u32, corner: u32| ring * CORNERS + corner % CORNERS;
    for ring in 1..rings.len() as u32 {
        for corner in 0..CORNERS {
            let (a, b) = (at(ring - 1, corner), at(ring - 1, corner + 1));
            let (c, d) = (at(ring, corner + 1), at(ring, corner));
            // Rings go backwards, corners from the right over the top to the left: seen from outside counter-clockwise.
            asset.triangles.push([a, d, c]);
            asset.triangles.push([a, c, b]);
        }
    }
    for corner in 1..CORNERS - 1 {
        asset.triangles.push([at(0, 0), at(0, corner), at(0, corner + 1)]);
        let last = rings.len() as u32 - 1;
        asset.triangles.push([at(last, 0), at(last, corner + 1), at(last, corner)]);
    }
    ShapeAsset::Mesh(Arc::new(asset))
}

fn triangles(soup: &PolygonSoup) -> ShapeAsset {
    let positions = soup.positions().iter().map(|vertex| vertex.as_vec3().to_array()).collect();
    let triangles = soup
        .faces()
        .flat_map(|face| {
            let first = face[0];
            face.windows(2).skip(1).map(|pair| [first, pair[0], pair[1]]).collect::<Vec<_>>()
        })
        .collect();
    ShapeAsset::Mesh(Arc::new(TriangleAsset { positions, triangles }))
}

/// The grid of the ice in pieces that share their last row with the next one.
fn pieces_of_ice(ice: &PolygonSoup, columns: usize, rows: usize) -> Vec<ShapeAsset> {
    let vertices = ice.positions();
    let piece = |rows: std::ops::RangeInclusive<usize>| {
        let mut asset = TriangleAsset::default();
        let own = &vertices[rows.start() * columns..(rows.end() + 1) * columns];
        asset.positions.extend(own.iter().map(|vertex| vertex.as_vec3().to_array()));
        let rows = own.len() / columns;
        for row in 1..rows {
            for column in 1..columns {
                let at = |r: usize, c: usize| (r * columns + c) as u32;
                let (a, b) = (at(row - 1, column - 1), at(row - 1, column));
                let (c, d) = (at(row, column), at(row, column - 1));
                asset.triangles.push([a, b, c]);
                asset.triangles.push([a, c, d]);
            }
        }
        ShapeAsset::Mesh(Arc::new(asset))
    };
    let mut pieces = Vec::new();
    let mut first = 0;
    while first + 1 < rows {
        let last = (first + ROWS).min(rows - 1);
        pieces.push(piece(first..=last));
        first = last;
    }
    pieces
}

/// Snow under the track: heights are means of the course's, weighted by the inverse fourth power of the distance.
fn hill(track: &Track) -> ShapeAsset {
    let (begin, end) = track.plan().range();
    let count = ((end - begin) / 4.0) as usize;
    let course: Vec<DVec3> =
        (0..=count).map(|i| track.course(begin + (end - begin) * i as f64 / count as f64).position).collect();
    let (low, high) = course
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)));
    let (low, high) = (low - DVec3::splat(AROUND), high + DVec3::splat(AROUND));
    let columns = ((high.x - low.x) / FACET).ceil() as u32 + 1;
    let rows = ((high.z - low.z) / FACET).ceil() as u32 + 1;
    let mut asset = TriangleAsset::default();
    for row in 0..rows {
        for column in 0..columns {
            let (x, z) = (low.x + FACET * f64::from(column), low.z + FACET * f64::from(row));
            let (mut sum, mut weights) = (0.0, 0.0);
            for place in &course {
                let squared = (place.x - x) * (place.x - x) + (place.z - z) * (place.z - z) + 1.0;
                let weight = 1.0 / (squared * squared);
                (sum, weights) = (sum + weight * place.y, weights + weight);
            }
            asset.positions.push([x as f32, (sum / weights - BELOW) as f32, z as f32]);
        }
    }
    for row in 1..rows {
        for column in 1..columns {
            let at = |r: u32, c: u32| r * columns + c;
            let (a, b) = (at(row - 1, column - 1), at(row - 1, column));
            let (c, d) = (at(row, column), at(row, column - 1));
            asset.triangles.push([a, d, c]);
            asset.triangles.push([a, c, b]);
        }
    }
    ShapeAsset::Mesh(Arc::new(asset))
}

/// Lines across the track where times are taken.
fn light_barriers(track: &Track) -> LineAsset {
    let mut segments = Lines::new();
    for &s in std::iter::once(&0.0).chain(&track.timing().stations) {
        let place = track.course(s);
        let (left, up) = (place.left() * 0.68, DVec3::Y * 0.35);
        let [a, b] = [place.position + left + up, place.position - left + up].map(|p| p.as_vec3().to_array());
        segments.push([a, b]);
    }
    LineAsset {
        name: "Light barriers".to_owned(),
        role: LineRole::Accent,
        body: None,
        visible: true,
        segments: Arc::new(segments),
    }
}

/// Behind the block, looking down the track: a camera that goes with the sled keeps that place.
fn camera(track: &Track) -> Camera {
    let block = track.course(track.start().s_block);
    let right = -block.left();
    Camera {
        position: block.position + right * 2.4 + DVec3::Y * 2.6 - block.ahead() * 5.0,
        target: block.position + block.ahead() * 4.0 + DVec3::Y * 0.3,
    }
}

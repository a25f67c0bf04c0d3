//! [`Appearance`]: how a scene looks, as pages fetch it and as recordings keep it.

use prall_scenes::{Assets, LineRole, Look, ShapeAsset};
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Shapes, looks, bodies and the camera's place as the JSON of `docs/protocol.md`, and geometry as its bytes.
#[derive(Clone, Debug)]
pub struct Appearance {
    /// The object `assets`.
    pub assets: Box<RawValue>,
    /// Bytes of shape I, for those that are meshes.
    pub shapes: Vec<Option<Arc<[u8]>>>,
    /// Bytes of line set I.
    pub lines: Vec<Vec<u8>>,
}

impl Appearance {
    /// How these assets look.
    pub fn of(assets: &Assets) -> Appearance {
        let list = serde_json::value::to_raw_value(&AssetList::of(assets));
        Appearance {
            assets: list.expect("assets hold numbers and strings only"),
            shapes: (0..assets.shapes.len())
                .map(|index| encode_shape(assets, index).map(Arc::from))
                .collect(),
            lines: (0..assets.lines.len()).filter_map(|index| encode_lines(assets, index)).collect(),
        }
    }

    /// Bytes of a mesh.
    pub fn shape(&self, index: usize) -> Option<&[u8]> {
        self.shapes.get(index)?.as_deref()
    }

    /// Bytes of a set of lines.
    pub fn line_set(&self, index: usize) -> Option<&[u8]> {
        self.lines.get(index).map(Vec::as_slice)
    }
}

#[derive(Serialize)]
struct AssetList<'a> {
    shapes: Vec<ShapeItem>,
    looks: &'a [Look],
    bodies: &'a [prall_scenes::BodyAsset],
    lines: Vec<LineItem<'a>>,
    camera: prall_scenes::Camera,
    subject: Option<prall_scenes::Extent>,
    ride: Option<usize>,
    ground: Option<f64>,
    moves: bool,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum ShapeItem {
    Sphere { radius: f64 },
    Box { half: [f64; 3] },
    Capsule { radius: f64, half_height: f64 },
    Cylinder { radius: f64, half_height: f64 },
    Cone { radius: f64, half_height: f64 },
    Mesh { triangles: usize },
}

#[derive(Serialize)]
struct LineItem<'a> {
    name: &'a str,
    role: LineRole,
    segments: usize,
    body: Option<usize>,
    visible: bool,
}

impl AssetList<'_> {
    fn of(assets: &Assets) -> AssetList<'_> {
        let shape = |shape: &ShapeAsset| match *shape {
            ShapeAsset::Sphere { radius } => ShapeItem::Sphere { radius },
            ShapeAsset::Box { half } => ShapeItem::Box { half: half.to_array() },
            ShapeAsset::Capsule { radius, half_height } => ShapeItem::Capsule { radius, half_height },
            ShapeAsset::Cylinder { radius, half_height } => ShapeItem::Cylinder { radius, half_height },
            ShapeAsset::Cone { radius, half_height } => ShapeItem::Cone { radius, half_height },
            ShapeAsset::Mesh(ref mesh) => ShapeItem::Mesh { triangles: mesh.triangles.len() },
        };
        let line =
            |line: &'_ prall_scenes::LineAsset| (line.role, line.segments.len(), line.body, line.visible);
        AssetList {
            shapes: assets.shapes.iter().map(shape).collect(),
            looks: &assets.looks,
            bodies: &assets.bodies,
            lines: assets
                .lines
                .iter()
                .map(|item| {
                    let (role, segments, body, visible) = line(item);
                    LineItem { name: &item.name, role, segments, body, visible }
                })
                .collect(),
            camera: assets.camera,
            subject: assets.subject,
            ride: assets.ride,
            ground: assets.ground,
            moves: assets.moves,
        }
    }
}

/// Triangles of a mesh shape.
fn encode_shape(assets: &Assets, index: usize) -> Option<Vec<u8>> {
    let Some(ShapeAsset::Mesh(mesh)) = assets.shapes.get(index) else { return None };
    let mut bytes = Vec::with_capacity(12 + 12 * (mesh.positions.len() + mesh.triangles.len()));
    bytes.extend_from_slice(b"PRM1");
    bytes.extend_from_slice(&(mesh.positions.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(mesh.triangles.len() as u32).to_le_bytes());
    bytes.extend(mesh.positions.iter().flatten().flat_map(|x| x.to_le_bytes()));
    bytes.extend(mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()));
    Some(bytes)
}

/// Segments of a set of lines.
fn encode_lines(assets: &Assets, index: usize) -> Option<Vec<u8>> {
    let lines = &assets.lines.get(index)?.segments;
    let mut bytes = Vec::with_capacity(8 + 24 * lines.len());
    bytes.extend_from_slice(b"PRL1");
    bytes.extend_from_slice(&(lines.len() as u32).to_le_bytes());
    bytes.extend(lines.iter().flatten().flatten().flat_map(|x| x.to_le_bytes()));
    Some(bytes)
}

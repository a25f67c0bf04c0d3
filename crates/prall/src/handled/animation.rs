//! [`animation`]: a binary glTF file in which the handled parts move.

use super::path::{HandledPath, Sample};
use prall_geometry::Shape;
use prall_math::Pose;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Component types and targets of glTF 2.0.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// The parts' looks and that of everything else, as linear red, green, blue, opacity.
const PART_COLOR: [f64; 4] = [0.003, 0.15, 0.18, 1.0];
const SCENERY_COLOR: [f64; 4] = [0.55, 0.55, 0.55, 0.45];

/// Gathers binary data and what describes it.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let mut view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Vectors of the same length; `bounded` adds the smallest and largest values, which some accessors must have.
    fn floats<const N: usize>(
        &mut self,
        kind: &str,
        rows: &[[f32; N]],
        target: Option<u32>,
        bounded: bool,
    ) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let mut accessor =
            json!({"bufferView": view, "componentType": FLOAT, "count": rows.len(), "type": kind});
        if bounded {
            let fold = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..N).map(|k| rows.iter().map(|row| row[k]).fold(start, pick)).collect()
            };
            accessor["min"] = json!(fold(f32::INFINITY, f32::min));
            accessor["max"] = json!(fold(f32::NEG_INFINITY, f32::max));
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(ELEMENT_ARRAY_BUFFER));
        let count = 3 * triangles.len();
        self.accessors.push(
            json!({"bufferView": view, "componentType": UNSIGNED_INT, "count": count, "type": "SCALAR"}),
        );
        self.accessors.len() - 1
    }
}

fn placed(node: &mut Value, pose: &Pose) {
    node["translation"] = json!(pose.translation.as_vec3().to_array());
    node["rotation"] = json!(pose.rotation.as_quat().normalize().to_array());
}

/// The whole scene as a binary glTF file; parts that were in hand carry an animation.
pub fn animation(path: &HandledPath) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let (mut meshes, mut nodes) = (Vec::new(), Vec::new());
    let handled: Vec<usize> = path.parts.iter().map(|part| part.part).collect();
    for (index, (name, shape, pose)) in path.shapes.iter().enumerate() {
        let Shape::TriangleMesh(mesh) = shape else { continue };
        let mesh = mesh.mesh();
        let positions: Vec<[f32; 3]> = mesh.positions().iter().map(|p| p.as_vec3().to_array()).collect();
        let position = buffer.floats("VEC3", &positions, Some(ARRAY_BUFFER), true);
        let indices = buffer.indices(mesh.triangles());
        let material = usize::from(!handled.contains(&index));
        let primitive =
            json!({"attributes": {"POSITION": position}, "indices": indices, "material": material});
        meshes.push(json!({"name": name, "primitives": [primitive]}));
        let mut node = json!({"name": name, "mesh": meshes.len() - 1});
        placed(&mut node, pose);
        nodes.push(node);
    }
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (part, samples) in by_part(path) {
        let times: Vec<[f32; 1]> = samples.iter().map(|sample| [sample.time as f32]).collect();
        let places: Vec<[f32; 3]> =
            samples.iter().map(|sample| sample.pose.translation.as_vec3().to_array()).collect();
        let input = buffer.floats("SCALAR", &times, None, true);
        let outputs = [
            ("translation", buffer.floats("VEC3", &places, None, false)),
            ("rotation", buffer.floats("VEC4", &rotations(&samples), None, false)),
        ];
        for (target, output) in outputs {
            channels.push(json!({"sampler": samplers.len(), "target": {"node": part, "path": target}}));
            samplers.push(json!({"input": input, "output": output, "interpolation": "LINEAR"}));
        }
    }
    let color = |color: [f64; 4], mode: &str| json!({"pbrMetallicRoughness": {"baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.6}, "alphaMode": mode, "doubleSided": true});
    let mut document = json!({
        "asset": {"version": "2.0", "generator": format!("Prall {}", env!("CARGO_PKG_VERSION"))},
        "scene": 0,
        "scenes": [{"name": path.scene, "nodes": (0..nodes.len()).collect::<Vec<_>>()}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [color(PART_COLOR, "OPAQUE"), color(SCENERY_COLOR, "BLEND")],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.bytes.len()}],
    });
    if !channels.is_empty() {
        document["animations"] = json!([{"name": "handled", "channels": channels, "samplers": samplers}]);
    }
    binary(&document, &buffer.bytes)
}

/// Samples of each part over all of its times in hand, with times that rise as single-precision numbers too.
fn by_part(path: &HandledPath) -> BTreeMap<usize, Vec<Sample>> {
    let mut all: BTreeMap<usize, Vec<Sample>> = BTreeMap::new();
    for part in &path.parts {
        let samples = all.entry(part.part).or_default();
        for sample in &part.samples {
            if samples.last().is_none_or(|last| (sample.time as f32) > last.time as f32) {
                samples.push(*sample);
            }
        }
    }
    all
}

/// Quaternions on one side, so that viewers that interpolate numbers go the short way.
fn rotations(samples: &[Sample]) -> Vec<[f32; 4]> {
    let mut before = samples.first().map_or(glam::DQuat::IDENTITY, |sample| sample.pose.rotation);
    samples
        .iter()
        .map(|sample| {
            let rotation = sample.pose.rotation;
            before = if rotation.dot(before) < 0.0 { -rotation } else { rotation };
            before.as_quat().normalize().to_array()
        })
        .collect()
}

/// Head, JSON chunk and binary chunk, each of a multiple of four bytes.
fn binary(document: &Value, data: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut data = data.to_vec();
    data.resize(data.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + data.len();
    let mut file = Vec::with_capacity(total);
    file.extend_from_slice(b"glTF");
    for word in [2, total as u32, text.len() as u32] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    file.extend_from_slice(b"JSON");
    file.extend_from_slice(&text);
    file.extend_from_slice(&(data.len() as u32).to_le_bytes());
    file.extend_from_slice(b"BIN\0");
    file.extend_from_slice(&data);
    file
}

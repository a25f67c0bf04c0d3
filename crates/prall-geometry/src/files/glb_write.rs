//! GLB: the whole model with names, hierarchy and shared soups.
//!
//! Transforms are written with all their digits. Positions are single precision, as glTF has it, in the coordinates of
//! their node: the rounding is at most 2⁻²⁵ (3e-8) of a coordinate, counted from the node's origin, not the model's. A part
//! modelled around its own origin therefore keeps its shape however far away it stands. Polygons are cut into triangles.

use std::collections::HashMap;

use glam::{DAffine3, DMat4};
use serde_json::{Map, Value, json};

use super::error::FileError;
use super::model::{Model, Node};
use super::write::{WriteFormat, not_writable, single, triangles};
use crate::soup::PolygonSoup;

const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// The largest value of a type restarts primitives on some systems, so it is no index.
const VERTICES_WITH_SHORT_INDICES: usize = u16::MAX as usize;

pub(super) fn write(model: &Model) -> Result<Vec<u8>, FileError> {
    let mut document = Draft::default();
    let primitives: Vec<Option<Value>> =
        model.soups().iter().map(|soup| document.primitive(soup)).collect::<Result<_, _>>()?;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); model.nodes().len()];
    let mut roots = Vec::new();
    for (index, node) in model.nodes().iter().enumerate() {
        match node.parent {
            Some(parent) => children[parent].push(index),
            None => roots.push(index),
        }
    }
    let nodes: Vec<Value> = model
        .nodes()
        .iter()
        .zip(&children)
        .map(|(node, children)| document.node(node, children, &primitives))
        .collect();
    let json = json!({
        "asset": { "version": "2.0", "generator": "Prall" },
        "scene": 0,
        "scenes": [{ "nodes": roots }],
        "nodes": nodes,
        "meshes": document.meshes,
        "accessors": document.accessors,
        "bufferViews": document.views,
        "buffers": [{ "byteLength": document.binary.len() }],
    });
    container(json.to_string().into_bytes(), document.binary)
}

#[derive(Default)]
struct Draft<'model> {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    /// The mesh of a list of soups, so that instances stay instances.
    known: HashMap<&'model [usize], usize>,
}

impl<'model> Draft<'model> {
    /// A soup as a glTF primitive; none if it has no faces.
    fn primitive(&mut self, soup: &PolygonSoup) -> Result<Option<Value>, FileError> {
        if soup.face_count() == 0 {
            return Ok(None);
        }
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let start = self.binary.len();
        for position in soup.positions() {
            for (axis, coordinate) in position.to_array().into_iter().enumerate() {
                let coordinate = single(coordinate, WriteFormat::Glb)?;
                low[axis] = low[axis].min(coordinate);
                high[axis] = high[axis].max(coordinate);
                self.binary.extend(coordinate.to_le_bytes());
            }
        }
        let bounds = json!({ "min": low, "max": high });
        let position = self.accessor(start, VERTICES, FLOAT, "VEC3", soup.positions().len(), bounds);
        let short = soup.positions().len() <= VERTICES_WITH_SHORT_INDICES;
        let start = self.binary.len();
        let triangles = triangles(soup, WriteFormat::Glb)?;
        for &corner in triangles.iter().flatten() {
            if short {
                self.binary.extend((corner as u16).to_le_bytes());
            } else {
                self.binary.extend(corner.to_le_bytes());
            }
        }
        let component = if short { UNSIGNED_SHORT } else { UNSIGNED_INT };
        let indices = self.accessor(start, INDICES, component, "SCALAR", 3 * triangles.len(), json!({}));
        Ok(Some(json!({ "attributes": { "POSITION": position }, "indices": indices })))
    }

    /// Makes a view and an accessor of what was added to the buffer since `start`, and returns the accessor's index.
    fn accessor(
        &mut self,
        start: usize,
        target: u32,
        component: u32,
        shape: &str,
        count: usize,
        bounds: Value,
    ) -> usize {
        self.views.push(json!({
            "buffer": 0, "byteOffset": start, "byteLength": self.binary.len() - start, "target": target
        }));
        // Accessors begin at multiples of their component's size; four serves all.
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut accessor = json!({
            "bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": shape
        });
        if let (Value::Object(accessor), Value::Object(bounds)) = (&mut accessor, bounds) {
            accessor.extend(bounds);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn node(&mut self, node: &'model Node, children: &[usize], primitives: &[Option<Value>]) -> Value {
        let mut fields = Map::new();
        if !node.name.is_empty() {
            fields.insert("name".to_owned(), json!(node.name));
        }
        if !children.is_empty() {
            fields.insert("children".to_owned(), json!(children));
        }
        if node.transform != DAffine3::IDENTITY {
            fields.insert("matrix".to_owned(), json!(DMat4::from(node.transform).to_cols_array()));
        }
        if let Some(mesh) = self.mesh(&node.soups, primitives) {
            fields.insert("mesh".to_owned(), json!(mesh));
        }
        Value::Object(fields)
    }

    fn mesh(&mut self, soups: &'model [usize], primitives: &[Option<Value>]) -> Option<usize> {
        if let Some(&known) = self.known.get(soups) {
            return Some(known);
        }
        let own: Vec<&Value> = soups.iter().filter_map(|&soup| primitives[soup].as_ref()).collect();
        if own.is_empty() {
            return None;
        }
        self.meshes.push(json!({ "primitives": own }));
        self.known.insert(soups, self.meshes.len() - 1);
        Some(self.meshes.len() - 1)
    }
}

/// Header, JSON chunk (filled up with blanks), binary chunk (filled up with zeros).
fn container(mut json: Vec<u8>, binary: Vec<u8>) -> Result<Vec<u8>, FileError> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = 12 + 8 + json.len() + 8 + binary.len();
    let total = u32::try_from(length).map_err(|_| {
        not_writable(WriteFormat::Glb, "the file would exceed the format's 4 GB; split the model")
    })?;
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(b"glTF");
    for value in [2, total, json.len() as u32] {
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    Ok(bytes)
}

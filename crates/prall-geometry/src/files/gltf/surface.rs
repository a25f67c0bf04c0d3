//! Meshes of a glTF file as soups.

use std::collections::HashMap;

use glam::DVec3;

use super::accessor::Elements;
use super::buffers::Buffers;
use super::schema::{Document, Primitive};
use super::{compressed, item};
use crate::files::error::{Malformed, Place};
use crate::files::gather::Gather;
use crate::files::model::Model;
use crate::files::options::Conversion;
use crate::soup::PolygonSoup;

const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

/// What makes two primitives the same surface: positions, indices, mode.
type Key = (u32, Option<u32>, u32);

/// Reads meshes as they are asked for, each content once.
pub(super) struct Surfaces<'file> {
    document: &'file Document,
    buffers: &'file Buffers<'file>,
    conversion: &'file Conversion,
    /// How many more indices may be read.
    indices_left: usize,
    gather: Gather,
    by_mesh: HashMap<u32, Option<usize>>,
    by_content: HashMap<Vec<Key>, Option<usize>>,
}

impl<'file> Surfaces<'file> {
    pub(super) fn new(
        document: &'file Document,
        buffers: &'file Buffers<'file>,
        index_limit: usize,
        conversion: &'file Conversion,
    ) -> Surfaces<'file> {
        Surfaces {
            document,
            buffers,
            conversion,
            indices_left: index_limit,
            gather: Gather::default(),
            by_mesh: HashMap::new(),
            by_content: HashMap::new(),
        }
    }

    /// Index of a mesh's soup in the model, added now if it is new; none if the mesh has no triangles.
    pub(super) fn soup_of_mesh(
        &mut self,
        mesh: u32,
        place: &str,
        model: &mut Model,
    ) -> Result<Option<usize>, Malformed> {
        if let Some(&known) = self.by_mesh.get(&mesh) {
            return Ok(known);
        }
        let primitives = &item(&self.document.meshes, mesh, "meshes", place)?.primitives;
        let mut key = Vec::new();
        for (index, primitive) in primitives.iter().enumerate() {
            key.extend(surface_key(primitive, &primitive_place(mesh, index))?);
        }
        let found = match self.by_content.get(&key) {
            Some(&known) => known,
            None => self.mesh(mesh, primitives)?.map(|soup| model.push_soup(soup)),
        };
        self.by_content.insert(key, found);
        self.by_mesh.insert(mesh, found);
        Ok(found)
    }

    fn mesh(&mut self, mesh: u32, primitives: &[Primitive]) -> Result<Option<PolygonSoup>, Malformed> {
        let mut whole: Option<PolygonSoup> = None;
        for (index, primitive) in primitives.iter().enumerate() {
            let place = primitive_place(mesh, index);
            let Some(key) = surface_key(primitive, &place)? else { continue };
            let surface = self.surface(key, primitive, &place)?;
            match &mut whole {
                None => whole = Some(surface),
                Some(whole) => {
                    whole.append(&surface).map_err(|error| Malformed::soup(Place::Item(place), error))?;
                }
            }
        }
        Ok(whole)
    }

    fn surface(&mut self, key: Key, primitive: &Primitive, place: &str) -> Result<PolygonSoup, Malformed> {
        let (position, indices, mode) = key;
        let positions = Elements::positions(self.document, self.buffers, position, place)?;
        if primitive.extensions.draco.is_some() && positions.is_zero_filled() {
            return Err(compressed(place, "KHR_draco_mesh_compression"));
        }
        let indices = match indices {
            Some(indices) => Some(Elements::indices(self.document, self.buffers, indices, place)?),
            None => None,
        };
        let count = indices.as_ref().map_or(positions.count, |indices| indices.count);
        // Positions without bytes of their own count too: the table of vertices is as long as they are.
        let cost = count.max(if positions.is_zero_filled() { positions.count } else { 0 });
        self.indices_left = self.indices_left.checked_sub(cost).ok_or_else(|| {
            Malformed::item(
                place,
                "the accessors overlap so much that the mesh would be larger than the whole file",
            )
        })?;
        let vertex = |at: usize| -> Result<u32, Malformed> {
            let index = indices.as_ref().map_or(at as u32, |indices| indices.index(at));
            if (index as usize) < positions.count {
                return Ok(index);
            }
            Err(Malformed::item(
                place,
                format!("index {at} names vertex {index}, but there are {}", positions.count),
            ))
        };
        let corners = triangle_corners(mode, count, vertex, place)?;
        let conversion = self.conversion;
        let position = |index: u32| {
            let at = index as usize;
            let file = DVec3::new(positions.number(at, 0), positions.number(at, 1), positions.number(at, 2));
            let point = conversion.point(file);
            if point.is_finite() {
                return Ok(point);
            }
            Err(Malformed::item(
                place,
                format!("vertex {index} has a coordinate that is not a finite number"),
            ))
        };
        self.gather.soup(positions.count, position, corners.chunks_exact(3), &Place::Item(place.to_owned()))
    }
}

fn primitive_place(mesh: u32, primitive: usize) -> String {
    format!("meshes[{mesh}].primitives[{primitive}]")
}

/// None for points and lines.
fn surface_key(primitive: &Primitive, place: &str) -> Result<Option<Key>, Malformed> {
    match primitive.mode {
        0..=3 => Ok(None),
        TRIANGLES | STRIP | FAN => match primitive.attributes.position {
            Some(position) => Ok(Some((position, primitive.indices, primitive.mode))),
            None => Err(Malformed::item(place, "triangles without POSITION")),
        },
        mode => Err(Malformed::item(place, format!("mode {mode} does not exist in glTF"))),
    }
}

/// Corners of triangles, three by three, in the order that the format prescribes for each mode.
fn triangle_corners(
    mode: u32,
    count: usize,
    vertex: impl Fn(usize) -> Result<u32, Malformed>,
    place: &str,
) -> Result<Vec<u32>, Malformed> {
    if count < 3 || (mode == TRIANGLES && !count.is_multiple_of(3)) {
        return Err(Malformed::item(place, format!("{count} corners do not make triangles")));
    }
    if mode == TRIANGLES {
        let mut corners = Vec::with_capacity(count);
        for at in 0..count {
            corners.push(vertex(at)?);
        }
        return Ok(corners);
    }
    let mut corners = Vec::with_capacity(3 * (count - 2));
    for i in 0..count - 2 {
        let [a, b, c] = match mode {
            STRIP => [i, i + 1 + i % 2, i + 2 - i % 2],
            _ => [i + 1, i + 2, 0],
        };
        let triangle = [vertex(a)?, vertex(b)?, vertex(c)?];
        // Strips are joined by triangles with a corner twice: these are no faces but the format's glue.
        let glue = triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
        if !(mode == STRIP && glue) {
            corners.extend(triangle);
        }
    }
    Ok(corners)
}

//! [`PolygonSoup`]: faces as they come from a file, with no promise about how they hang together.

use glam::{DAffine3, DVec3};
use thiserror::Error;

/// Vertex positions and polygons over them; disconnected, open, overlapping, duplicated: anything goes.
///
/// What is checked is only that a polygon has at least three corners and names existing vertices, and that
/// coordinates are finite. Everything else is for the mesh built from it to find out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolygonSoup {
    positions: Vec<DVec3>,
    /// Face `i` has the corners `corners[starts[i]..starts[i + 1]]`, the last face those up to the end.
    starts: Vec<u32>,
    corners: Vec<u32>,
}

/// Why a vertex or a face was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SoupError {
    /// A coordinate is infinite or not a number.
    #[error("vertex {vertex} has a coordinate that is not a finite number")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A face with fewer than three corners.
    #[error("face {face} has {corners} corners; a face needs at least 3")]
    TooFewCorners {
        /// Index of the face.
        face: usize,
        /// How many corners it came with.
        corners: usize,
    },
    /// A face names a vertex that does not exist.
    #[error("face {face} names vertex {vertex}, but there are only {vertices} vertices (counted from 0)")]
    NoSuchVertex {
        /// Index of the face.
        face: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// More vertices or corners than 32-bit indices can count.
    #[error("more than 4294967294 vertices or face corners; split the model into parts")]
    TooLarge,
}

impl PolygonSoup {
    /// An empty soup.
    pub fn new() -> PolygonSoup {
        PolygonSoup::default()
    }

    /// An empty soup with room for that many vertices and triangles.
    pub fn with_capacity(vertices: usize, triangles: usize) -> PolygonSoup {
        PolygonSoup {
            positions: Vec::with_capacity(vertices),
            starts: Vec::with_capacity(triangles),
            corners: Vec::with_capacity(3 * triangles),
        }
    }

    /// A soup of triangles.
    pub fn from_triangles(positions: Vec<DVec3>, triangles: &[[u32; 3]]) -> Result<PolygonSoup, SoupError> {
        let mut soup = PolygonSoup::with_capacity(positions.len(), triangles.len());
        for position in positions {
            soup.push_position(position)?;
        }
        for triangle in triangles {
            soup.push_face(triangle)?;
        }
        Ok(soup)
    }

    /// Adds a vertex and returns its index.
    pub fn push_position(&mut self, position: DVec3) -> Result<u32, SoupError> {
        let vertex = self.positions.len();
        if !position.is_finite() {
            return Err(SoupError::NotFinite { vertex });
        }
        let index = u32::try_from(vertex).ok().filter(|&i| i < u32::MAX).ok_or(SoupError::TooLarge)?;
        self.positions.push(position);
        Ok(index)
    }

    /// Adds a polygon over existing vertices, corners in order around it.
    pub fn push_face(&mut self, corners: &[u32]) -> Result<(), SoupError> {
        let face = self.starts.len();
        if corners.len() < 3 {
            return Err(SoupError::TooFewCorners { face, corners: corners.len() });
        }
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= self.positions.len()) {
            return Err(SoupError::NoSuchVertex { face, vertex, vertices: self.positions.len() });
        }
        let end = self.corners.len() + corners.len();
        if end >= u32::MAX as usize {
            return Err(SoupError::TooLarge);
        }
        self.starts.push(self.corners.len() as u32);
        self.corners.extend_from_slice(corners);
        Ok(())
    }

    /// Adds a copy of another soup.
    pub fn append(&mut self, other: &PolygonSoup) -> Result<(), SoupError> {
        let base = self.positions.len();
        if base + other.positions.len() >= u32::MAX as usize
            || self.corners.len() + other.corners.len() >= u32::MAX as usize
        {
            return Err(SoupError::TooLarge);
        }
        let corner_base = self.corners.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.starts.extend(other.starts.iter().map(|s| s + corner_base));
        self.corners.extend(other.corners.iter().map(|c| c + base as u32));
        Ok(())
    }

    /// A soup from parts that are known to be sound: finite positions, ascending `starts`, existing corners.
    pub(crate) fn from_checked_parts(
        positions: Vec<DVec3>,
        starts: Vec<u32>,
        corners: Vec<u32>,
    ) -> PolygonSoup {
        PolygonSoup { positions, starts, corners }
    }

    /// The corners of all polygons, one after the other.
    pub(crate) fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// All vertex positions.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// How many polygons there are.
    pub fn face_count(&self) -> usize {
        self.starts.len()
    }

    /// The corners of a polygon, as indices into [`positions`](Self::positions).
    pub fn face(&self, face: usize) -> &[u32] {
        let start = self.starts[face] as usize;
        let end = self.starts.get(face + 1).map_or(self.corners.len(), |&e| e as usize);
        &self.corners[start..end]
    }

    /// All polygons in order.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        (0..self.face_count()).map(|face| self.face(face))
    }

    /// The soup with every vertex mapped; a mapping that mirrors also turns every face round, so that outward
    /// stays outward.
    pub fn transformed(&self, map: &DAffine3) -> Result<PolygonSoup, SoupError> {
        let mut result = self.clone();
        for (vertex, position) in result.positions.iter_mut().enumerate() {
            *position = map.transform_point3(*position);
            if !position.is_finite() {
                return Err(SoupError::NotFinite { vertex });
            }
        }
        if map.matrix3.determinant() < 0.0 {
            result.reverse_faces();
        }
        Ok(result)
    }

    fn reverse_faces(&mut self) {
        for face in 0..self.face_count() {
            let start = self.starts[face] as usize;
            let end = self.starts.get(face + 1).map_or(self.corners.len(), |&e| e as usize);
            self.corners[start..end].reverse();
        }
    }
}

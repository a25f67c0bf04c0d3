//! [`Mesh`]: a polygon soup put in order.
//!
//! Any soup becomes a mesh; nothing has to be closed, connected or manifold. What is made true on the way:
//!
//! - Vertices at the same place are one vertex, as far as [`MeshOptions::weld`] asks; vertices that no face
//!   uses are left out.
//! - Every face is planar and convex and has an area. A polygon that is bent or has an inward corner is
//!   replaced by triangles (cut in its best-fit plane, [`Mesh::source_face`] tells where they came from).
//! - A face without area, also one that lost it by welding, is no face of the mesh. It is kept in
//!   [`Mesh::degenerate_faces`]. Corners that fall together with the next one by welding are dropped from
//!   their face; a quadrilateral with one side of length zero is a triangle.
//! - A polygon whose outline crosses itself has no inside: an error, or left out if the options say so.
//!
//! Faces come in the order of the soup.

use std::ops::Range;

use glam::DVec3;
use thiserror::Error;

use crate::polygon::{self, Examination};
use crate::soup::PolygonSoup;
use crate::triangulate::triangulate;
use crate::weld::{self, Weld, Welding};

/// How a soup is turned into a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshOptions {
    /// Which vertices become one. Default: those with identical coordinates.
    pub weld: Weld,
    /// How far a corner may lie from the plane of its face, and how far inward of the line through its
    /// neighbours, as a fraction of the size of the face; beyond that the face is cut into triangles.
    /// Default 1e-9: a face of one metre is flat to a nanometre, a thousandth of the tolerance to which
    /// times of impact are found. Text files with six digits exceed it, which costs triangles and loses no
    /// accuracy.
    pub planarity: f64,
    /// What to do with polygons that cross themselves. Default: refuse.
    pub self_intersecting: SelfIntersectingFaces,
}

/// What to do with a polygon that crosses itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelfIntersectingFaces {
    /// The mesh is refused with an error that names the face.
    #[default]
    Refuse,
    /// The face is no face of the mesh, and listed among the [`Mesh::degenerate_faces`].
    LeaveOut,
}

impl Default for MeshOptions {
    fn default() -> MeshOptions {
        MeshOptions {
            weld: Weld::default(),
            planarity: 1e-9,
            self_intersecting: SelfIntersectingFaces::default(),
        }
    }
}

/// Why a soup cannot become a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MeshError {
    /// No face with an area.
    #[error("no face with an area: {faces} faces were given, {degenerate} of them are degenerate")]
    NoFaces {
        /// Faces of the soup.
        faces: usize,
        /// Those without area.
        degenerate: usize,
    },
    /// A polygon crosses itself.
    #[error("face {face} crosses itself and has no inside; correct it, or leave such faces out")]
    SelfIntersecting {
        /// Index of the face in the soup.
        face: usize,
    },
    /// The welding tolerance is no positive number, or too small for the coordinates.
    #[error(
        "welding tolerance {tolerance} m is not usable; with coordinates up to {largest_coordinate} m it \
         must be at least {smallest} m; positions that are identical are welded without one"
    )]
    WeldTolerance {
        /// The tolerance given.
        tolerance: f64,
        /// Largest absolute coordinate of the soup.
        largest_coordinate: f64,
        /// The smallest tolerance that can be resolved there.
        smallest: f64,
    },
    /// The planarity tolerance is negative or not a number.
    #[error("planarity tolerance {planarity} must be a number from 0 (exact) to below 1")]
    Planarity {
        /// The value given.
        planarity: f64,
    },
    /// Coordinates so large that areas and volumes would overflow.
    #[error("a coordinate of {largest_coordinate} m is out of range; up to 1e50 m can be computed with")]
    OutOfRange {
        /// Largest absolute coordinate of the soup.
        largest_coordinate: f64,
    },
    /// Cutting faces gave more corners than 32-bit indices can count.
    #[error("more than 4294967294 face corners after cutting faces; split the model into parts")]
    TooLarge,
}

/// A polygon of the soup that is no face of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct DegenerateFace {
    /// Its index in the soup. A bent or non-convex face may leave a part without area here, beside its good
    /// parts.
    pub source_face: u32,
    /// Its corners as vertices of the mesh, after welding; repeated ones are dropped.
    pub corners: Vec<u32>,
    /// What is wrong with it.
    pub defect: FaceDefect,
}

/// What is wrong with a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum FaceDefect {
    /// Fewer than three different corners.
    Collapsed,
    /// Its corners lie on a line, as far as the rounding of the coordinates lets one tell.
    NoArea,
    /// Its outline crosses itself.
    SelfIntersecting,
}

/// The plane `normal . x = distance`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: DVec3,
    /// Signed distance of the plane from the origin along the normal, in metres.
    pub distance: f64,
}

impl Plane {
    /// How far a point lies above the plane, on the side to which the normal points.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.distance
    }
}

/// What happened to a soup on its way to the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Preparation {
    pub(crate) source_faces: usize,
    pub(crate) unused_vertices: usize,
    pub(crate) welded_vertices: usize,
    pub(crate) weld_displacement: f64,
    pub(crate) shortened_faces: usize,
    pub(crate) nonplanar_faces: usize,
    pub(crate) nonconvex_faces: usize,
}

/// Vertices, and planar convex faces over them.
#[derive(Clone, Debug)]
pub struct Mesh {
    pub(crate) positions: Vec<DVec3>,
    /// Face `i` has the corners `corners[starts[i]..starts[i + 1]]`.
    pub(crate) starts: Vec<u32>,
    pub(crate) corners: Vec<u32>,
    pub(crate) normals: Vec<DVec3>,
    /// Ascending.
    pub(crate) source_faces: Vec<u32>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) triangle_faces: Vec<u32>,
    pub(crate) degenerate: Vec<DegenerateFace>,
    pub(crate) bounds: (DVec3, DVec3),
    pub(crate) preparation: Preparation,
}

impl Mesh {
    /// Puts a soup in order.
    pub fn from_soup(soup: &PolygonSoup, options: &MeshOptions) -> Result<Mesh, MeshError> {
        if !(0.0..1.0).contains(&options.planarity) {
            return Err(MeshError::Planarity { planarity: options.planarity });
        }
        let (vertices, used) = used_vertices(soup);
        let largest_coordinate = polygon::largest_coordinate(&used);
        if largest_coordinate > LARGEST_COORDINATE {
            return Err(MeshError::OutOfRange { largest_coordinate });
        }
        let welding = weld_vertices(&used, options.weld, largest_coordinate)?;
        let preparation = Preparation {
            source_faces: soup.face_count(),
            unused_vertices: soup.positions().len() - used.len(),
            welded_vertices: used.len() - welding.positions.len(),
            weld_displacement: welding.largest_displacement,
            ..Preparation::default()
        };
        let mut builder = Builder::new(welding.positions, soup, options, preparation);
        for (face, corners) in soup.faces().enumerate() {
            builder.corners.clear();
            builder.corners.extend(corners.iter().map(|&c| {
                let used = vertices.as_ref().map_or(c, |numbers| numbers[c as usize]);
                welding.vertex[used as usize]
            }));
            builder.add_face(face)?;
        }
        builder.finish()
    }

    /// The places of the vertices.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// How many faces there are; all of them are planar and convex and have an area.
    pub fn face_count(&self) -> usize {
        self.normals.len()
    }

    /// The corners of a face, counter-clockwise as seen from outside.
    pub fn face(&self, face: usize) -> &[u32] {
        &self.corners[self.starts[face] as usize..self.starts[face + 1] as usize]
    }

    /// All faces in order.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        self.starts.windows(2).map(|w| &self.corners[w[0] as usize..w[1] as usize])
    }

    /// Outward unit normal of a face.
    pub fn face_normal(&self, face: usize) -> DVec3 {
        self.normals[face]
    }

    /// The plane of a face, through the mean of its corners.
    pub fn face_plane(&self, face: usize) -> Plane {
        let corners = self.face(face);
        let origin = self.positions[corners[0] as usize];
        let offset: DVec3 = corners.iter().map(|&c| self.positions[c as usize] - origin).sum();
        let normal = self.normals[face];
        Plane { normal, distance: normal.dot(origin + offset / corners.len() as f64) }
    }

    /// The face of the soup from which a face came.
    pub fn source_face(&self, face: usize) -> u32 {
        self.source_faces[face]
    }

    /// The faces that came from a face of the soup: one, several if it was cut, none if it was degenerate.
    pub fn faces_from_source(&self, source_face: u32) -> Range<usize> {
        let start = self.source_faces.partition_point(|&s| s < source_face);
        let end = self.source_faces.partition_point(|&s| s <= source_face);
        start..end
    }

    /// The polygons of the soup that are no faces, in the order of the soup.
    pub fn degenerate_faces(&self) -> &[DegenerateFace] {
        &self.degenerate
    }

    /// All faces cut into triangles, in the order of the faces.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The face to which a triangle belongs.
    pub fn triangle_face(&self, triangle: usize) -> u32 {
        self.triangle_faces[triangle]
    }

    /// The corners of a triangle.
    pub fn triangle_points(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|c| self.positions[c as usize])
    }

    /// Smallest and largest coordinates.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.bounds
    }

    /// The faces as a soup again, vertex numbers unchanged; degenerate faces are not in it.
    pub fn to_soup(&self) -> PolygonSoup {
        PolygonSoup::from_checked_parts(
            self.positions.clone(),
            self.starts[..self.face_count()].to_vec(),
            self.corners.clone(),
        )
    }
}

/// In metres: the fifth power, as in moments of inertia, is still far below the largest f64.
const LARGEST_COORDINATE: f64 = 1e50;

/// Numbers of the used vertices (`None`: all are used, numbers stay), and their positions.
fn used_vertices(soup: &PolygonSoup) -> (Option<Vec<u32>>, std::borrow::Cow<'_, [DVec3]>) {
    const UNUSED: u32 = u32::MAX;
    let mut number = vec![UNUSED; soup.positions().len()];
    for &corner in soup.corners() {
        number[corner as usize] = 0;
    }
    if !number.contains(&UNUSED) {
        return (None, soup.positions().into());
    }
    let mut used = Vec::new();
    for (number, &position) in number.iter_mut().zip(soup.positions()) {
        if *number != UNUSED {
            *number = used.len() as u32;
            used.push(position);
        }
    }
    (Some(number), used.into())
}

fn weld_vertices(positions: &[DVec3], weld: Weld, largest_coordinate: f64) -> Result<Welding, MeshError> {
    match weld {
        Weld::None => Ok(weld::none(positions)),
        Weld::Exact => Ok(weld::exact(positions)),
        Weld::Within(tolerance) => {
            let smallest = largest_coordinate * weld::SMALLEST_RELATIVE_TOLERANCE;
            let usable = tolerance.is_finite() && tolerance > 0.0 && tolerance >= smallest;
            if !usable {
                return Err(MeshError::WeldTolerance { tolerance, largest_coordinate, smallest });
            }
            Ok(weld::within(positions, tolerance))
        }
    }
}

/// A mesh in the making; `corners` and `points` hold the polygon under examination.
struct Builder<'a> {
    mesh: Mesh,
    options: &'a MeshOptions,
    corners: Vec<u32>,
    points: Vec<DVec3>,
}

impl Builder<'_> {
    fn new<'a>(
        positions: Vec<DVec3>,
        soup: &PolygonSoup,
        options: &'a MeshOptions,
        preparation: Preparation,
    ) -> Builder<'a> {
        let faces = soup.face_count();
        let mut starts = Vec::with_capacity(faces + 1);
        starts.push(0);
        let triangles = soup.corners().len() - 2 * faces;
        Builder {
            mesh: Mesh {
                positions,
                starts,
                corners: Vec::with_capacity(soup.corners().len()),
                normals: Vec::with_capacity(faces),
                source_faces: Vec::with_capacity(faces),
                triangles: Vec::with_capacity(triangles),
                triangle_faces: Vec::with_capacity(triangles),
                degenerate: Vec::new(),
                bounds: (DVec3::ZERO, DVec3::ZERO),
                preparation,
            },
            options,
            corners: Vec::new(),
            points: Vec::new(),
        }
    }

    fn add_face(&mut self, source: usize) -> Result<(), MeshError> {
        let given = self.corners.len();
        self.corners.dedup();
        if self.corners.len() > 1 && self.corners.first() == self.corners.last() {
            self.corners.pop();
        }
        if self.corners.len() < 3 {
            self.add_degenerate(source, FaceDefect::Collapsed);
            return Ok(());
        }
        if let &[a, b, c] = self.corners.as_slice() {
            self.mesh.preparation.shortened_faces += usize::from(given > 3);
            self.add_triangle(source, [a, b, c]);
            return Ok(());
        }
        self.points.clear();
        self.points.extend(self.corners.iter().map(|&c| self.mesh.positions[c as usize]));
        let Some(examination) = polygon::examine(&self.points, self.options.planarity) else {
            // Newell's area of a bow tie may vanish too, but then the corners are not on a line.
            return self.add_without_area(source);
        };
        if self.corners.len() < given {
            self.mesh.preparation.shortened_faces += 1;
        }
        if examination.planar && examination.strictly_convex {
            let corners = &self.corners;
            self.mesh.triangles.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
            self.push_face(source, examination.normal);
            return Ok(());
        }
        self.add_cut_face(source, &examination)
    }

    /// The current polygon is this triangle.
    fn add_triangle(&mut self, source: usize, triangle: [u32; 3]) {
        match polygon::triangle_normal(triangle.map(|c| self.mesh.positions[c as usize])) {
            Some(normal) => {
                self.mesh.triangles.push(triangle);
                self.push_face(source, normal);
            }
            None => self.add_degenerate(source, FaceDefect::NoArea),
        }
    }

    /// The current polygon becomes a face; its triangles are already there.
    fn push_face(&mut self, source: usize, normal: DVec3) {
        let mesh = &mut self.mesh;
        let face = mesh.normals.len() as u32;
        mesh.corners.extend_from_slice(&self.corners);
        mesh.starts.push(mesh.corners.len() as u32);
        mesh.normals.push(normal);
        mesh.source_faces.push(source as u32);
        mesh.triangle_faces.resize(mesh.triangles.len(), face);
    }

    fn add_degenerate(&mut self, source: usize, defect: FaceDefect) {
        let corners = self.corners.clone();
        self.mesh.degenerate.push(DegenerateFace { source_face: source as u32, corners, defect });
    }

    fn add_without_area(&mut self, source: usize) -> Result<(), MeshError> {
        let tolerance = polygon::ROUNDING * polygon::largest_coordinate(&self.points);
        if polygon::thickness(&self.points) <= tolerance {
            self.add_degenerate(source, FaceDefect::NoArea);
            return Ok(());
        }
        self.add_self_intersecting(source)
    }

    fn add_self_intersecting(&mut self, source: usize) -> Result<(), MeshError> {
        match self.options.self_intersecting {
            SelfIntersectingFaces::Refuse => Err(MeshError::SelfIntersecting { face: source }),
            SelfIntersectingFaces::LeaveOut => {
                self.add_degenerate(source, FaceDefect::SelfIntersecting);
                Ok(())
            }
        }
    }

    /// A face that needs more than a fan: bent, with an inward corner, or with a corner in the middle of a
    /// side.
    fn add_cut_face(&mut self, source: usize, examination: &Examination) -> Result<(), MeshError> {
        let outline = polygon::flattened(&self.points, examination.normal, examination.planar);
        let Ok(pieces) = triangulate(&outline, examination.tolerance) else {
            return self.add_self_intersecting(source);
        };
        let corners = self.corners.clone();
        let pieces = pieces.into_iter().map(|piece| piece.map(|i| corners[i as usize]));
        if examination.planar && examination.convex {
            self.mesh.triangles.extend(pieces);
            self.push_face(source, examination.normal);
            return Ok(());
        }
        self.mesh.preparation.nonplanar_faces += usize::from(!examination.planar);
        self.mesh.preparation.nonconvex_faces += usize::from(!examination.convex);
        for piece in pieces {
            self.corners.clear();
            self.corners.extend(piece);
            self.add_triangle(source, piece);
        }
        Ok(())
    }

    fn finish(self) -> Result<Mesh, MeshError> {
        let mut mesh = self.mesh;
        if mesh.normals.is_empty() {
            let faces = mesh.preparation.source_faces;
            return Err(MeshError::NoFaces { faces, degenerate: mesh.degenerate.len() });
        }
        if mesh.corners.len() >= u32::MAX as usize {
            return Err(MeshError::TooLarge);
        }
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        mesh.bounds = mesh.positions.iter().fold(nothing, |(low, high), &p| (low.min(p), high.max(p)));
        Ok(mesh)
    }
}

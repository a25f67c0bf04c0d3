//! [`MeshView`]: a mesh to look at, with what is known about it drawn on it.

use crate::wireframe::box_edges;
use crate::{
    Assets, BodyAsset, Camera, Frame, Input, LineAsset, LineRole, Lines, Look, Overlay, Parameter,
    ParameterError, Pattern, RestoreError, ShapeAsset, Simulation, Solver, TriangleAsset, UnknownSolver,
};
use glam::DVec3;
use prall_geometry::{
    Amount, BoxMeasure, EdgeKind, EdgeOptions, Edges, HalfEdges, MassProperties, Mesh, OrientedBox,
};
use prall_math::Pose;
use prall_mechanics::{Budget, StepReport};
use std::sync::Arc;

/// Muted tones for the parts of an assembly; the first is for a part alone.
const TONES: [&str; 6] = ["#9fb4b8", "#c9a27c", "#8fa68b", "#b58f8a", "#8c97b3", "#bdb38c"];

/// Part of the model's size that half a principal axis is drawn with.
const AXIS_LENGTH: f64 = 0.6;

/// Part of the model's size that the cross at the centre of mass is drawn with.
const CROSS_LENGTH: f64 = 0.06;

/// Parts of a model at rest: nothing moves, nothing can be pulled.
///
/// The view's origin is below the middle of the model, on the ground: single-precision pictures of models that lie a
/// kilometre away would shiver.
pub struct MeshView {
    assets: Assets,
    report: StepReport,
}

impl MeshView {
    /// A view of named parts that lie in common coordinates.
    pub fn new(parts: &[(String, Mesh)]) -> MeshView {
        let bounds = parts.iter().map(|(_, mesh)| mesh.bounds()).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let (lower, upper) = bounds.unwrap_or((DVec3::ZERO, DVec3::ONE));
        let middle = 0.5 * (lower + upper);
        let foot = DVec3::new(middle.x, lower.y, middle.z);
        let size = (upper - lower).length();
        let mut lines = LineSets::default();
        for (_, mesh) in parts {
            lines.add(mesh, foot, size);
        }
        let target = middle - foot;
        let assets = Assets {
            shapes: parts.iter().map(|(_, mesh)| shape(mesh, foot)).collect(),
            looks: TONES.iter().map(|color| look(color)).collect(),
            bodies: parts
                .iter()
                .enumerate()
                .map(|(index, (name, _))| BodyAsset {
                    name: name.clone(),
                    shape: index,
                    look: index % TONES.len(),
                    movable: false,
                })
                .collect(),
            lines: lines.finish(),
            camera: Camera { position: target + DVec3::new(1.0, 0.7, 1.75) * size, target },
            subject: None,
            ride: None,
            ground: Some(0.0),
            moves: false,
        };
        MeshView { assets, report: StepReport::default() }
    }
}

fn look(color: &'static str) -> Look {
    Look { color, roughness: 0.7, metallic: 0.0, opacity: 1.0, pattern: Pattern::Plain }
}

fn to_f32(point: DVec3) -> [f32; 3] {
    point.as_vec3().to_array()
}

fn shape(mesh: &Mesh, foot: DVec3) -> ShapeAsset {
    ShapeAsset::Mesh(Arc::new(TriangleAsset {
        positions: mesh.positions().iter().map(|position| to_f32(*position - foot)).collect(),
        triangles: mesh.triangles().to_vec(),
    }))
}

/// Lines by what they mean, gathered over all parts.
#[derive(Default)]
struct LineSets {
    open: Lines,
    nonmanifold: Lines,
    inconsistent: Lines,
    active: Lines,
    iso_boxes: Lines,
    smallest_boxes: Lines,
    axes: Lines,
    centres: Lines,
}

impl LineSets {
    fn add(&mut self, mesh: &Mesh, foot: DVec3, size: f64) {
        let half_edges = HalfEdges::new(mesh);
        self.add_edges(mesh, &half_edges, foot);
        let (lower, upper) = mesh.bounds();
        let (centre, half) = (0.5 * (lower + upper) - foot, 0.5 * (upper - lower));
        box_edges(centre, [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z], &mut self.iso_boxes);
        if let Ok(smallest) = OrientedBox::smallest(mesh.positions(), BoxMeasure::Volume) {
            let (axes, half) = (smallest.axes(), smallest.half_extents());
            let sides = [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z];
            box_edges(smallest.center() - foot, sides, &mut self.smallest_boxes);
        }
        if let Ok(mass) = MassProperties::of_mesh(mesh, &half_edges, Amount::Density(1.0)) {
            let centre = mass.center_of_mass - foot;
            let (_, rotation) = mass.principal_axes();
            for axis in DVec3::AXES {
                let arm = rotation * axis * (AXIS_LENGTH * (upper - lower).length());
                self.axes.push([to_f32(centre - arm), to_f32(centre + arm)]);
                let arm = axis * (CROSS_LENGTH * size);
                self.centres.push([to_f32(centre - arm), to_f32(centre + arm)]);
            }
        }
    }

    fn add_edges(&mut self, mesh: &Mesh, half_edges: &HalfEdges, foot: DVec3) {
        let edges =
            Edges::new(mesh, half_edges, &EdgeOptions::default()).expect("the default angle is allowed");
        for (edge, kind) in edges.kinds().iter().enumerate() {
            let ends =
                half_edges.edge_vertices(edge as u32).map(|v| to_f32(mesh.positions()[v as usize] - foot));
            match kind {
                EdgeKind::Boundary => self.open.push(ends),
                EdgeKind::NonManifold => self.nonmanifold.push(ends),
                EdgeKind::Inconsistent => self.inconsistent.push(ends),
                EdgeKind::Convex => self.active.push(ends),
                EdgeKind::Flat | EdgeKind::Concave => {}
            }
        }
    }

    /// Sets that have lines, with what is wrong first.
    fn finish(self) -> Vec<LineAsset> {
        use LineRole::{Accent, Danger, Ink, Second, Warn};
        let sets = [
            ("Open edges", Danger, true, self.open),
            ("Non-manifold edges", Second, true, self.nonmanifold),
            ("Edges between opposed faces", Warn, true, self.inconsistent),
            ("Active edges", Ink, true, self.active),
            ("Centre of mass", Second, true, self.centres),
            ("Principal axes", Accent, false, self.axes),
            ("Axis-aligned box", Ink, false, self.iso_boxes),
            ("Smallest box", Accent, false, self.smallest_boxes),
        ];
        sets.into_iter()
            .filter(|(_, _, _, segments)| !segments.is_empty())
            .map(|(name, role, visible, segments)| LineAsset {
                name: name.to_owned(),
                role,
                body: None,
                visible,
                segments: Arc::new(segments),
            })
            .collect()
    }
}

impl Simulation for MeshView {
    fn step(&mut self, _: &Input, _: &mut Budget) -> &StepReport {
        &self.report
    }

    fn report(&self) -> &StepReport {
        &self.report
    }

    fn time(&self) -> f64 {
        0.0
    }

    fn time_step(&self) -> f64 {
        1.0 / 60.0
    }

    fn reset(&mut self) {}

    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        frame.poses.resize(self.assets.bodies.len(), Pose::IDENTITY);
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[]
    }

    fn get(&self, _: &str) -> Option<f64> {
        None
    }

    fn set(&mut self, key: &str, _: f64) -> Result<(), ParameterError> {
        Err(ParameterError::Unknown { key: key.to_owned(), known: "none, nothing moves here".to_owned() })
    }

    fn solvers(&self) -> &'static [Solver] {
        &[]
    }

    fn solver(&self) -> &'static str {
        "none"
    }

    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver> {
        Err(UnknownSolver { name: name.to_owned(), known: "none, nothing moves here".to_owned() })
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        if bytes.is_empty() {
            Ok(())
        } else {
            Err(RestoreError::Unreadable { scene: "a mesh", reason: "a mesh has no state".to_owned() })
        }
    }

    fn overlays(&self) -> &'static [Overlay] {
        &[]
    }

    fn hash(&self) -> u64 {
        prall_mechanics::StateHash::new().finish()
    }

    fn is_finite(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prall_geometry::{MeshOptions, PolygonSoup, generate};

    fn segments(view: &MeshView, name: &str) -> usize {
        view.assets.lines.iter().find(|lines| lines.name == name).map_or(0, |lines| lines.segments.len())
    }

    fn mesh(soup: &PolygonSoup) -> Mesh {
        Mesh::from_soup(soup, &MeshOptions::default()).unwrap()
    }

    #[test]
    fn a_closed_box_shows_its_twelve_edges_and_its_mass() {
        let cube = generate::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let view = MeshView::new(&[("box".to_owned(), mesh(&cube))]);
        assert_eq!(segments(&view, "Active edges"), 12);
        assert_eq!(segments(&view, "Axis-aligned box"), 12);
        assert_eq!(segments(&view, "Smallest box"), 12);
        assert_eq!(segments(&view, "Principal axes"), 3);
        assert_eq!(segments(&view, "Centre of mass"), 3);
        assert_eq!(segments(&view, "Open edges"), 0);
    }

    #[test]
    fn an_open_box_far_away_shows_its_hole_near_the_origin() {
        let cube = generate::cuboid(DVec3::ONE).unwrap();
        let mut open = PolygonSoup::new();
        for position in cube.positions() {
            open.push_position(*position + DVec3::new(1e6, 2e6, -3e6)).unwrap();
        }
        for face in cube.faces().skip(1) {
            open.push_face(face).unwrap();
        }
        let view = MeshView::new(&[("open box".to_owned(), mesh(&open))]);
        assert_eq!(segments(&view, "Open edges"), 4);
        assert_eq!(segments(&view, "Principal axes"), 0);
        let ShapeAsset::Mesh(shape) = &view.assets.shapes[0] else { panic!("a mesh is drawn as a mesh") };
        assert!(shape.positions.iter().flatten().all(|x| x.abs() <= 1.0));
        assert!(shape.positions.iter().all(|p| p[1] >= 0.0));
    }
}

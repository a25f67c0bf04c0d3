//! Assemblies of one's own: any meshes, with parts of them in hand.

use super::scene::{HandlingScene, Task};
use super::{HandledPart, Scenery, Setting, definitions};
use crate::parameter::Values;
use crate::{Camera, Simulation};
use glam::{DAffine3, DVec3};
use prall_geometry::{Mesh, MeshError, MeshOptions, Shape, ShapeError, SoupError, TriangleMesh};
use prall_handling::{HandlingError, HandlingOptions, Held, Obstacle};
use prall_math::Pose;
use std::sync::Arc;
use thiserror::Error;

/// A mesh by name, in the coordinates of its assembly.
#[derive(Clone, Debug)]
pub struct HandledMesh {
    /// Its name.
    pub name: String,
    /// In m, y up.
    pub mesh: Arc<Mesh>,
}

/// Why an assembly cannot be handled.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AssemblyError {
    /// Nothing to take in hand.
    #[error("there is no part to take in hand")]
    NoParts,
    /// A mesh could not be moved to its own origin.
    #[error("part '{name}': {reason}")]
    Mesh {
        /// Which one.
        name: String,
        /// Why.
        reason: String,
    },
    /// The filter refuses.
    #[error(transparent)]
    Handling(#[from] HandlingError),
}

/// Parts to be taken in hand among what stands around them, and names of the pairs that overlap at the start: such pairs may only separate, and are
/// kept apart from then on.
pub type HandledAssembly = (Box<dyn Fn() -> Box<dyn Simulation> + Send + Sync>, Vec<[String; 2]>);

/// Guard as a share of the largest part's size, and its range in m.
const GUARD: f64 = 5e-5;
const GUARDS: (f64, f64) = (1e-6, 5e-5);
const PART_TONES: [&str; 4] = [definitions::PETROL, "#a85708", "#6a4c93", "#2f6f4f"];
const TONES: [&str; 6] = ["#9fb4b8", "#c9a27c", "#8fa68b", "#b58f8a", "#8c97b3", "#bdb38c"];
/// So that a part is seen among what stands around it.
const OPACITY: f64 = 0.6;

/// Makes a scene of an assembly of one's own. The scene's origin lies below the middle of the assembly.
pub fn handled_assembly(
    parts: &[HandledMesh],
    around: &[HandledMesh],
) -> Result<HandledAssembly, AssemblyError> {
    let bounds = parts.iter().chain(around).map(|part| part.mesh.bounds());
    let (low, high) = bounds.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).ok_or(AssemblyError::NoParts)?;
    let middle = 0.5 * (low + high);
    let foot = DVec3::new(middle.x, low.y, middle.z);
    let size = (high - low).length();
    let part_size =
        parts.iter().map(|part| extent(&part.mesh)).reduce(f64::max).ok_or(AssemblyError::NoParts)?;
    let mut setting = Setting {
        parts: Vec::new(),
        obstacles: Vec::new(),
        options: HandlingOptions {
            guard: (GUARD * part_size).clamp(GUARDS.0, GUARDS.1.max(1e-6 * part_size)),
            set_overlapping_apart: true,
            ..HandlingOptions::default()
        },
        camera: Camera { position: middle - foot + DVec3::new(0.55, 0.5, 1.1) * size, target: middle - foot },
        ground: Some(0.0),
    };
    for (index, part) in parts.iter().enumerate() {
        let (shape, start) = centred(part, foot)?;
        let color = PART_TONES[index % PART_TONES.len()];
        setting.parts.push(HandledPart { name: part.name.clone(), shape, start, color });
    }
    for (index, part) in around.iter().enumerate() {
        let (shape, pose) = centred(part, foot)?;
        let color = TONES[index % TONES.len()];
        setting.obstacles.push(Scenery { name: part.name.clone(), shape, pose, color, opacity: OPACITY });
    }
    let overlapping = overlapping(&setting)?;
    let task = Task::Own(Arc::new(setting));
    let build = move || -> Box<dyn Simulation> {
        let values = Values::defaults(Task::own_parameters());
        Box::new(
            HandlingScene::with(task.clone(), values, 0).expect("the assembly was tried when it was read"),
        )
    };
    Ok((Box::new(build), overlapping))
}

fn extent(mesh: &Mesh) -> f64 {
    let (low, high) = mesh.bounds();
    (high - low).length()
}

/// A mesh about the middle of its box, and where that is in the scene: a part turns about its own middle, and pictures in single precision do not shiver.
fn centred(part: &HandledMesh, foot: DVec3) -> Result<(Shape, Pose), AssemblyError> {
    let refused = |reason: String| AssemblyError::Mesh { name: part.name.clone(), reason };
    let (low, high) = part.mesh.bounds();
    let middle = 0.5 * (low + high);
    let soup = part.mesh.to_soup().transformed(&DAffine3::from_translation(-middle));
    let soup = soup.map_err(|error: SoupError| refused(error.to_string()))?;
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default());
    let mesh = Arc::new(mesh.map_err(|error: MeshError| refused(error.to_string()))?);
    let mesh = TriangleMesh::new(mesh).map_err(|error: ShapeError| refused(error.to_string()))?;
    Ok((Shape::TriangleMesh(Arc::new(mesh)), Pose::from_translation(middle - foot)))
}

/// Parts that overlap something where they are.
fn overlapping(setting: &Setting) -> Result<Vec<[String; 2]>, AssemblyError> {
    let mut obstacles = Vec::new();
    for scenery in &setting.obstacles {
        obstacles.push(Obstacle::new(&scenery.name, &scenery.shape, scenery.pose)?);
    }
    let mut pairs = Vec::new();
    for part in &setting.parts {
        let held = Held::new(&part.shape, part.start, obstacles.clone(), setting.options)?;
        let names = held.set_apart().map(|index| obstacles[index].name().to_owned());
        pairs.extend(names.map(|name| [part.name.clone(), name]));
        obstacles.push(Obstacle::new(&part.name, &part.shape, part.start)?);
    }
    Ok(pairs)
}

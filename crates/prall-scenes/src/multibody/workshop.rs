//! [`Workshop`]: a mechanism and what is seen of it, put together piece by piece.

use crate::world::{Control, MachinePart, Stage};
use glam::DVec3;
use prall_dynamics::Material;
use prall_geometry::{MassProperties, Shape};
use prall_math::Pose;
use prall_multibody::{Guide, JointKind, Mechanism, Model, Part};
use std::sync::Arc;

/// A shape on a body.
pub(super) struct Piece {
    pub(super) pose: Pose,
    pub(super) shape: Shape,
    /// In kg/m^3; 0 for what only looks.
    pub(super) density: f64,
    pub(super) look: usize,
    pub(super) touches: bool,
}

impl Piece {
    pub(super) fn new(at: DVec3, shape: Shape, density: f64, look: usize) -> Piece {
        Piece { pose: Pose::from_translation(at), shape, density, look, touches: true }
    }

    /// The same, turned.
    pub(super) fn turned(self, rotation: glam::DQuat) -> Piece {
        Piece { pose: Pose { rotation, ..self.pose }, ..self }
    }

    /// The same, but only to be seen.
    pub(super) fn untouched(self) -> Piece {
        Piece { touches: false, ..self }
    }
}

/// How a body is held, in the world with all joints at zero.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) kind: JointKind,
    pub(super) at: DVec3,
    pub(super) axis: DVec3,
}

/// Scenes are written by us and cannot fail to be built; each is built by a test.
pub(super) struct Workshop {
    model: Model,
    parts: Vec<MachinePart>,
    material: Material,
}

impl Workshop {
    pub(super) fn new(material: Material) -> Workshop {
        Workshop { model: Model::default(), parts: Vec::new(), material }
    }

    /// Makes the law of a joint known; the kind that joints by it have.
    pub(super) fn guide(&mut self, law: Arc<dyn Guide>) -> JointKind {
        self.model.guide(law)
    }

    /// Adds a body whose frame has world axes and its origin at `at`; `refine` may change its joint.
    pub(super) fn body(
        &mut self,
        name: &str,
        parent: Option<&str>,
        at: DVec3,
        held: Held,
        pieces: Vec<Piece>,
        refine: impl FnOnce(Part) -> Part,
    ) {
        let mass = |piece: &Piece| {
            let mass = piece.shape.mass_properties(piece.density).expect("a scene's solids have a volume");
            mass.transformed(&piece.pose)
        };
        let masses: Vec<MassProperties> =
            pieces.iter().filter(|piece| piece.density > 0.0).map(mass).collect();
        let mass = MassProperties::compound(&masses).expect("a scene's bodies have mass");
        let part = Part::on(held.kind, held.at, held.axis, Pose::from_translation(at), mass);
        let link = self.model.part(name, parent, &refine(part));
        for Piece { pose, shape, look, touches, .. } in pieces {
            self.parts.push(MachinePart { link, pose, shape, material: self.material, look, touches });
        }
    }

    /// The mechanism; its parts go on the stage with [`Workshop::deliver`].
    pub(super) fn build(&self) -> Mechanism {
        self.model.build().expect("a scene's mechanisms are trees")
    }

    /// Puts the machine on the stage.
    pub(super) fn deliver(
        &self,
        stage: &mut Stage,
        name: &str,
        mechanism: Mechanism,
        control: Option<Control>,
    ) {
        stage.machine(name, mechanism, &self.parts, control).expect("a scene's machines are possible");
    }
}

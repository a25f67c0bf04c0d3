//! [`Force`]: anything that pushes bodies of a mechanism, asked in every step.

use glam::DVec3;
use prall_math::{Norm, Wrench};
use prall_mechanics::tree::Tree;

/// A law by which bodies are pushed: drag, lift, thrust, a magnet, a rope to somewhere.
///
/// It is asked once in every step, at its start, for the present state, and holds for the step. So it is explicit: a law that
/// grows stiff, of more than about `mass / h^2` per metre, belongs into a joint's [`crate::ForceElement`] instead, which is
/// implicit.
///
/// ```
/// use glam::{DMat3, DVec3};
/// use prall_math::{Pose, Wrench};
/// use prall_mechanics::Mover;
/// use prall_multibody::{Force, Joint, JointKind, Loads, Model, Tree};
///
/// /// A rocket that burns for two seconds.
/// struct Rocket;
///
/// impl Force for Rocket {
///     fn act(&self, tree: &Tree, time: f64, loads: &mut Loads) {
///         if time < 2.0 {
///             let thrust = tree.pose(0).transform_vector(DVec3::Y * 30.0);
///             loads.push(0, thrust);
///         }
///     }
/// }
///
/// let mut model = Model::default();
/// model.body("rocket", None, 2.0, DMat3::IDENTITY, Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY));
/// let mut rocket = model.build()?;
/// rocket.add_force(std::sync::Arc::new(Rocket));
/// for _ in 0..100 {
///     rocket.predict(0.01, DVec3::Y * -10.0);
///     rocket.commit(0.01, 1.0);
/// }
/// // 30 N against 20 N of weight lift 2 kg by 5 m/s^2.
/// assert!((rocket.tree().twist(0).linear.y - 5.0).abs() < 1e-9);
/// # Ok::<(), prall_multibody::ModelError>(())
/// ```
pub trait Force: Send + Sync {
    /// Adds what acts in the present state, `time` seconds after the start.
    fn act(&self, tree: &Tree, time: f64, loads: &mut Loads);
}

/// What forces do to the bodies of a mechanism.
#[derive(Clone, Debug, Default)]
pub struct Loads(Vec<Wrench>);

impl Loads {
    pub(crate) fn of(count: usize) -> Loads {
        Loads(vec![Wrench::ZERO; count])
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(Wrench::ZERO);
    }

    pub(crate) fn on(&self, node: usize) -> Wrench {
        self.0[node]
    }

    /// A force in N at a body's centre of mass, in world axes. A body that is not there is not pushed.
    pub fn push(&mut self, node: usize, force: DVec3) {
        self.add(node, Wrench::new(force, DVec3::ZERO));
    }

    /// A force in N at a world point of a body.
    pub fn push_at(&mut self, tree: &Tree, node: usize, point: DVec3, force: DVec3) {
        if node < self.0.len() {
            self.add(node, Wrench::from_force_at(force, point - tree.pose(node).translation));
        }
    }

    /// A force in N and a torque in N m about the centre of mass.
    pub fn add(&mut self, node: usize, wrench: Wrench) {
        if let Some(load) = self.0.get_mut(node) {
            *load = *load + wrench;
        }
    }
}

/// Air drag at a body's centre of mass, `-1/2 density area |v| v`. (The source prints it once without the half; E1.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// The body.
    pub node: usize,
    /// Of the air, in kg/m^3; 1.12 in the source.
    pub density: f64,
    /// Area in m^2 with the drag coefficient in it.
    pub area: f64,
}

impl Force for Drag {
    fn act(&self, tree: &Tree, _time: f64, loads: &mut Loads) {
        if self.node < tree.len() {
            let v = tree.twist(self.node).linear;
            loads.push(self.node, v * (-0.5 * self.density * self.area * v.norm()));
        }
    }
}

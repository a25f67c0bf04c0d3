//! The sled: nine bodies, 13 free degrees and the driven steering, 17 places that may touch the ice (Rempfler 2015, 4).
//!
//! [`Setup`] is read from a text file, [`Sled`] is one at work on a surface.

mod file;
mod saved;
#[cfg(test)]
mod tests;
mod values;

use glam::{DMat3, DQuat, DVec3};
use prall_geometry::MassProperties;
use prall_math::{Norm, Pose, Twist, Wrench};
use prall_mechanics::{Mover, StateHash};
use prall_multibody::{
    AxisLoad, Drive, ForceElement, FrictionSet, JointKind, Mechanism, Model, Moreau, MoreauContact,
    MoreauOptions, MoreauReport, Part, Runner, Spring, Tree,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use file::{Law, SetupError};
pub use saved::SledState;
pub use values::{Difference, QUANTITIES, Quantity, SetupText, SetupValue, ValueError};

use crate::track::{Foot, Ground, Ice, MeshOnIce, Place, SegmentedMesh};
use file::SetupData;

/// The setup that comes with Prall, as text.
pub const TWO_MAN: &str = include_str!("../../../scenes/sleds/two-man.toml");

/// Acceleration of gravity in m/s^2.
pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A sled by its numbers.
#[derive(Clone, Debug)]
pub struct Setup {
    data: SetupData,
    /// Friction along the runners over that of the file: ice and steel of the day. Default 1.
    pub glide: f64,
    /// Friction coefficient along the runners beside that: what a track's ice takes more. Default 0.
    pub resistance: f64,
}

/// Why a setup makes no sled.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct SledError(String);

impl Setup {
    /// Reads a setup; `file` is the name that errors give.
    pub fn read(file: &str, text: &str) -> Result<Setup, SetupError> {
        Ok(Setup { data: SetupData::read(file, text)?, glide: 1.0, resistance: 0.0 })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// Mass of all bodies in kg.
    pub fn mass(&self) -> f64 {
        self.data.body.iter().map(|body| body.get_ref().mass).sum()
    }

    /// Centre of mass with all joints at zero, in the frame of the file.
    pub fn centre_of_mass(&self) -> DVec3 {
        let weighted =
            self.data.body.iter().map(|body| DVec3::from(body.get_ref().com) * body.get_ref().mass);
        weighted.sum::<DVec3>() / self.mass()
    }

    /// Drag in N at a speed in m/s: half the density times the area with its coefficient times the square.
    pub fn drag(&self, speed: f64) -> f64 {
        0.5 * self.data.drag.density * self.data.drag.area * (speed * speed)
    }

    /// Where its runners stand along the sled, in the frame of the file in m: the rear ones and the front ones, each the mean of its half.
    pub fn axles(&self) -> [f64; 2] {
        let runners = self.contacts().filter(|contact| contact.1 == Law::Runner);
        let mut places: Vec<f64> = runners.map(|contact| contact.3.z).collect();
        places.sort_by(|a, b| b.total_cmp(a));
        let (rear, front) = places.split_at(places.len() / 2);
        [rear, front].map(|half| half.iter().sum::<f64>() / half.len().max(1) as f64)
    }

    /// Steering angle in rad of an input from -1 to 1: `limit sign(i) |i|^(1/d)` with the directness d.
    pub fn steering_angle(&self, input: f64) -> f64 {
        let steering = self.data.steering.get_ref();
        let input = input.clamp(-1.0, 1.0);
        let share = libm::pow(input.abs(), 1.0 / steering.directness);
        (steering.limit_deg.to_radians() * share).copysign(input)
    }

    /// Name of every joint with the body that hangs on it, in the order of the file.
    pub fn joints(&self) -> impl Iterator<Item = (&str, &str)> {
        self.data.joint.iter().map(toml::Spanned::get_ref).map(|joint| (&*joint.name, &*joint.child))
    }

    /// Name of every body, in the order of the file.
    pub fn bodies(&self) -> impl Iterator<Item = &str> {
        self.data.body.iter().map(|body| &*body.get_ref().name)
    }

    /// Every place that may touch: its name, what it is, its body and where it is in the frame of the file.
    pub fn contacts(&self) -> impl Iterator<Item = (&str, Law, &str, DVec3)> {
        self.data
            .contact
            .iter()
            .map(toml::Spanned::get_ref)
            .map(|contact| (&*contact.name, contact.law, &*contact.body, DVec3::from(contact.point)))
    }

    /// Where the file's frame is moved to by the pose of a body, if that of the first body, the rear hull, stands at `root` and every
    /// joint at its angle in rad.
    pub fn frame_of(&self, body: &str, root: Pose, angle: &impl Fn(&str) -> f64) -> Pose {
        let held = self.data.joint.iter().map(toml::Spanned::get_ref).find(|joint| joint.child == body);
        let Some(joint) = held else { return root };
        let turn = DQuat::from_axis_angle(DVec3::from(joint.axis).unit(), angle(&joint.name));
        let point = DVec3::from(joint.point);
        self.frame_of(&joint.parent, root, angle) * Pose::new(turn, point - turn * point)
    }

    /// Centre of mass of the first body, the rear hull, in the frame of the file.
    pub fn hull_centre(&self) -> DVec3 {
        self.data.body.first().map_or(DVec3::ZERO, |body| DVec3::from(body.get_ref().com))
    }

    /// The same sled with another restitution of its bumpers, 0 to 1.
    #[must_use]
    pub fn with_restitution(mut self, restitution: f64) -> Setup {
        self.data.law.bumper.restitution = restitution;
        self
    }

    /// Friction of the runners: along, the share of it that is left when they slip across, and across without and with full load.
    pub fn runner_friction(&self) -> (f64, f64, [f64; 2]) {
        let runner = &self.data.law.runner;
        (runner.along, runner.side_slip_share, runner.across)
    }

    /// The same sled with another friction of its runners; see [`Setup::runner_friction`].
    #[must_use]
    pub fn with_runner_friction(mut self, along: f64, side_slip_share: f64, across: [f64; 2]) -> Setup {
        let runner = &mut self.data.law.runner;
        (runner.along, runner.side_slip_share, runner.across) = (along, side_slip_share, across);
        self
    }

    /// The same sled on ice that takes more, as a coefficient of friction along.
    pub fn on_ice(&self, resistance: f64) -> Setup {
        Setup { resistance: self.resistance + resistance, ..self.clone() }
    }

    fn mechanism(&self) -> Result<Mechanism, SledError> {
        let mut model = Model::default();
        for body in self.data.body.iter().map(toml::Spanned::get_ref) {
            let mass = MassProperties {
                mass: body.mass,
                center_of_mass: DVec3::from(body.com),
                inertia: DMat3::from_diagonal(DVec3::from(body.inertia)),
            };
            let held =
                self.data.joint.iter().map(toml::Spanned::get_ref).find(|joint| joint.child == body.name);
            match held {
                None => model.part(&body.name, None, &Part::free(Pose::IDENTITY, mass)),
                Some(joint) => {
                    let (at, axis) = (DVec3::from(joint.point), DVec3::from(joint.axis));
                    let part = Part::on(JointKind::Revolute, at, axis, Pose::IDENTITY, mass)
                        .with(self.element(joint));
                    model.part(&body.name, Some(&joint.parent), &Part { driven: joint.driven, ..part })
                }
            };
        }
        model.build().map_err(|error| SledError(error.to_string()))
    }

    fn element(&self, joint: &file::JointData) -> ForceElement {
        if let Some(set) = joint.set.as_ref().and_then(|name| self.data.set.get(name)) {
            let set = set.get_ref();
            let single = set.rate * set.lever * set.lever;
            let knee = libm::asin((set.precompression / set.lever).min(1.0));
            let spring = Spring::PiecewiseLinear { inner: 2.0 * single, outer: single, knee, rest: 0.0 };
            return ForceElement { spring, damping: set.damping, motor: 0.0 };
        }
        match joint.spring {
            Some(own) => ForceElement {
                spring: Spring::Linear { stiffness: own.stiffness, rest: 0.0 },
                damping: own.damping,
                motor: 0.0,
            },
            None => ForceElement::default(),
        }
    }

    fn friction(&self, law: Law) -> Result<(FrictionSet, f64), SledError> {
        let laws = &self.data.law;
        Ok(match law {
            Law::Runner => {
                let along = laws.runner.along * self.glide;
                let side_slip = along * laws.runner.side_slip_share;
                // What the ice takes more it takes whichever way the runner slips: the shape of the rest stays.
                let (along, side_slip) = (along + self.resistance, side_slip + self.resistance);
                let runner = Runner::new(along, side_slip, laws.runner.across, laws.runner.full_load)
                    .map_err(|error| SledError(format!("[law.runner]: {error}")))?;
                (FrictionSet::Runner(runner), 0.0)
            }
            Law::Bumper => (FrictionSet::Disc { friction: laws.bumper.friction }, laws.bumper.restitution),
            Law::Rim => (FrictionSet::Disc { friction: laws.rim.friction }, laws.rim.restitution),
        })
    }
}

/// What a sled slides on: the ice of a track, or anything else with a distance and a normal.
pub trait Surface {
    /// The nearest place from a point; `foot` remembers where it was.
    fn nearest(&self, point: DVec3, foot: &mut Foot) -> Place;

    /// The place that a tip meets, with the vector from it into its body: the nearest one, unless contacts are found by segments.
    fn met_by(&self, tip: DVec3, _inward: DVec3, foot: &mut Foot) -> Place {
        self.nearest(tip, foot)
    }
}

impl Surface for Ice {
    fn nearest(&self, point: DVec3, foot: &mut Foot) -> Place {
        Ice::nearest(self, point, foot)
    }
}

impl Surface for SegmentedMesh<'_> {
    fn nearest(&self, point: DVec3, _: &mut Foot) -> Place {
        self.0.nearest(point)
    }

    fn met_by(&self, tip: DVec3, inward: DVec3, _: &mut Foot) -> Place {
        SegmentedMesh::met_by(self, tip, inward)
    }
}

impl Surface for MeshOnIce<'_> {
    fn nearest(&self, point: DVec3, foot: &mut Foot) -> Place {
        MeshOnIce::nearest(self, point, foot)
    }
}

/// A place of the sled that may touch.
#[derive(Clone, Debug)]
struct Tip {
    node: usize,
    law: Law,
    /// In the frame of the body's centre of mass.
    point: DVec3,
    /// Its segment: from there into the body.
    inward: DVec3,
    friction: FrictionSet,
    restitution: f64,
    foot: Foot,
    /// Steps in which it cannot reach the surface.
    asleep: u32,
    /// What it met in the last step in which it was looked at.
    ground: Ground,
    /// Speed towards it along the normal in m/s before the last step in which it was closed.
    approach: f64,
}

/// Length of a contact's segment in m. The source gives none: long enough that no step and no facet passes it, shorter than half the sled's width.
const SEGMENT: f64 = 0.3;

/// The segment of a contact at `x` m to the right: runners stand on the ice, bumpers meet walls beside the sled, the rim lies on the ice.
fn inward(law: Law, x: f64) -> DVec3 {
    SEGMENT
        * match law {
            Law::Runner => DVec3::Y,
            Law::Bumper => DVec3::new(-x.signum(), 0.0, 0.0),
            Law::Rim => DVec3::NEG_Y,
        }
}

/// Beyond its limit a joint meets a stop.
#[derive(Clone, Copy, Debug)]
struct Stop {
    parent: usize,
    child: usize,
    limit: f64,
    stiffness: f64,
    damping: f64,
}

/// Longest sleep of a tip in steps: forces that change while it sleeps must not carry it far.
const LONGEST_SLEEP: f64 = 20.0;
/// Steps of a copy that measures the damping of the steering, and by how much faster it is steered, in rad/s: a hand at rest turns no faster.
const PROBE_STEPS: u32 = 25;
const PROBE_RATE: f64 = 0.2;
/// Share of its distance that a tip may use up while it sleeps.
const SLEEP_SHARE: f64 = 0.7;

/// A sled at work.
#[derive(Clone, Debug)]
pub struct Sled {
    mechanism: Mechanism,
    moreau: Moreau,
    options: MoreauOptions,
    tips: Vec<Tip>,
    stops: Vec<Stop>,
    steering: usize,
    /// Friction and restitution of whatever touches boards: those of bumpers.
    wood: (FrictionSet, f64),
    drag: f64,
    mass: f64,
    beta: Drive,
    normal_force: f64,
    touched: Touched,
}

/// What touched the surface in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Touched {
    /// Closed contacts of runners.
    pub runners: u32,
    /// Percussion of bumpers along their normals in N s.
    pub bumpers: f64,
    /// Closed contacts of the rim.
    pub rims: u32,
    /// Closed contacts, of whatever kind, with boards above the edge of the channel.
    pub boards: u32,
    /// Whether the net above the boards was touched.
    pub net: bool,
}

/// A bumper or the rim meets something in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Number of the contact in the file.
    pub contact: usize,
    /// What it belongs to.
    pub law: Law,
    /// What it meets.
    pub ground: Ground,
    /// Speed towards it along the normal before the step, in m/s: how loud it is.
    pub normal_speed: f64,
    /// Percussion along the normal in N s.
    pub percussion: f64,
}

impl Sled {
    /// Builds it at the origin, at rest, all joints at zero.
    pub fn new(setup: &Setup) -> Result<Sled, SledError> {
        let mechanism = setup.mechanism()?;
        let node = |name: &str| mechanism.find(name).ok_or_else(|| SledError(format!("no body \"{name}\"")));
        let mut tips = Vec::new();
        for contact in setup.data.contact.iter().map(toml::Spanned::get_ref) {
            let own = node(&contact.body)?;
            let (friction, restitution) = setup.friction(contact.law)?;
            let point = mechanism.declared_frame(own).transform_point(DVec3::from(contact.point));
            let (law, foot, ground, approach) = (contact.law, Foot::default(), Ground::Ice, 0.0);
            let inward = mechanism.declared_frame(own).transform_vector(inward(law, contact.point[0]));
            tips.push(Tip {
                node: own,
                law,
                point,
                inward,
                friction,
                restitution,
                foot,
                asleep: 0,
                ground,
                approach,
            });
        }
        let mut stops = Vec::new();
        let mut steering = None;
        for joint in setup.data.joint.iter().map(toml::Spanned::get_ref) {
            if joint.driven {
                steering = Some(node(&joint.child)?);
            }
            if let Some(stop) = joint.stop {
                stops.push(Stop {
                    parent: node(&joint.parent)?,
                    child: node(&joint.child)?,
                    limit: joint.limit_deg.to_radians(),
                    stiffness: stop.stiffness,
                    damping: stop.damping,
                });
            }
        }
        let steering =
            steering.ok_or_else(|| SledError("one joint must be driven: the steering".to_owned()))?;
        Ok(Sled {
            mechanism,
            moreau: Moreau::default(),
            options: MoreauOptions { rest_depth: 5e-5, absolute: 1e-5, ..MoreauOptions::default() },
            tips,
            stops,
            steering,
            wood: setup.friction(Law::Bumper)?,
            drag: setup.drag(1.0),
            mass: setup.mass(),
            beta: Drive::default(),
            normal_force: 0.0,
            touched: Touched::default(),
        })
    }

    /// The same sled, solved as the source printed: sweeps end at its absolute tolerance of 1e-4 N s, and what has sunk in stays.
    #[must_use]
    pub fn solved_as_published(mut self) -> Sled {
        self.options = MoreauOptions { absolute: 1e-4, recovery: 0.0, ..MoreauOptions::default() };
        self
    }

    /// Puts it somewhere, as it is, with a velocity; the frame is that of the setup file, searched around a station.
    pub fn place(&mut self, frame: Pose, velocity: DVec3, station: f64) {
        let now = self.frame();
        let tree = self.mechanism.tree();
        let poses: Vec<Pose> = (0..tree.len()).map(|node| frame * now.inverse() * tree.pose(node)).collect();
        let twist = Twist::new(velocity, DVec3::ZERO);
        self.mechanism.tree_mut().load(|node| (poses[node].normalized(), twist));
        for tip in &mut self.tips {
            (tip.foot, tip.asleep) = (Foot::near(station), 0);
        }
    }

    /// Moves it as it is, velocities included.
    pub(crate) fn shift(&mut self, by: DVec3) {
        let tree = self.mechanism.tree();
        let states: Vec<(Pose, Twist)> = (0..tree.len())
            .map(|node| {
                let pose = tree.pose(node);
                (Pose::new(pose.rotation, pose.translation + by), tree.twist(node))
            })
            .collect();
        self.mechanism.tree_mut().load(|node| states[node]);
        for tip in &mut self.tips {
            tip.asleep = 0;
        }
    }

    /// The frame of the setup file, fixed to the rear hull.
    pub fn frame(&self) -> Pose {
        self.mechanism.tree().pose(0) * self.mechanism.declared_frame(0)
    }

    /// Where the frame of the setup file is moved to by a body, by its index in [`Sled::tree`].
    pub fn frame_of(&self, body: usize) -> Pose {
        self.tree().pose(body) * self.mechanism.declared_frame(body)
    }

    /// Velocity of the rear hull's centre of mass in m/s.
    pub fn velocity(&self) -> DVec3 {
        self.mechanism.tree().twist(0).linear
    }

    /// Bodies and joints.
    pub fn tree(&self) -> &Tree {
        self.mechanism.tree()
    }

    /// Mass in kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Where the centre of mass of everything is.
    pub fn centre_of_mass(&self) -> DVec3 {
        let tree = self.tree();
        (0..tree.len()).map(|node| tree.pose(node).translation * tree.mass(node)).sum::<DVec3>() / self.mass
    }

    /// Steering angle in rad, positive to the left.
    pub fn steering(&self) -> f64 {
        self.beta.position
    }

    /// Steering angle, its rate and its acceleration, as in the last step.
    pub fn drive(&self) -> Drive {
        self.beta
    }

    /// Index of a body of that name in [`Sled::tree`].
    pub fn body(&self, name: &str) -> Option<usize> {
        self.mechanism.find(name)
    }

    /// Loads of the last step's contacts on the axes of the joints.
    pub fn axis_loads(&self) -> &[AxisLoad] {
        self.moreau.loads()
    }

    /// Percussion along the normal of a contact in the last step, in N s, by its number in the file.
    pub fn normal_percussion(&self, contact: usize) -> f64 {
        self.moreau.percussion(contact as u64).x
    }

    /// What touched in the last step.
    pub fn touched(&self) -> Touched {
        self.touched
    }

    /// Every bumper and place of the rim that pressed on something in the last step.
    pub fn impacts(&self) -> impl Iterator<Item = Impact> {
        self.moreau.percussions().filter_map(|(id, DVec3 { x: percussion, .. })| {
            let tip = &self.tips[id as usize];
            (tip.law != Law::Runner && percussion > 0.0).then_some(Impact {
                contact: id as usize,
                law: tip.law,
                ground: tip.ground,
                normal_speed: tip.approach,
                percussion,
            })
        })
    }

    /// Sum of all normal forces of the runners in the last step, in N.
    pub fn normal_force(&self) -> f64 {
        self.normal_force
    }

    /// Normal force of each runner contact in the last step, in N, in the order of the file; `h` was its length in s.
    pub fn runner_loads(&self, h: f64) -> Vec<f64> {
        let runners = self.tips.iter().enumerate().filter(|(_, tip)| tip.law == Law::Runner);
        runners.map(|(id, _)| self.moreau.percussion(id as u64).x / h).collect()
    }

    /// Torque of the ice about the steering axis in N m: what the pilot's hands feel.
    pub fn steering_torque(&self) -> f64 {
        let felt = self.moreau.loads().iter().find(|load| load.node == self.steering);
        felt.map_or(0.0, |load| load.load)
    }

    /// Damping of the ice about the steering axis in N m s/rad: how much its torque falls per rate of the steering. Measured on two copies that go
    /// on for 5 ms, one steered faster to the left and one to the right: half the difference of their torques over the rate grows with time as
    /// `damping + stiffness t`, of which the line of least squares is taken. `h` is the length of a step in s.
    pub fn steering_damping(&self, surface: &impl Surface, h: f64, gravity: DVec3) -> f64 {
        let (mut left, mut right) = (self.clone(), self.clone());
        let mean = 0.5 * f64::from(PROBE_STEPS + 1);
        let (mut sum, mut moment, mut squares) = (0.0, 0.0, 0.0);
        for step in 1..=PROBE_STEPS {
            let step = f64::from(step);
            let torque = |sled: &mut Sled, turn: f64| {
                let angle = self.beta.position + (self.beta.rate + turn) * h * step;
                sled.step(surface, h, angle, 0.0, gravity);
                sled.steering_torque()
            };
            let difference = torque(&mut right, -PROBE_RATE) - torque(&mut left, PROBE_RATE);
            let opposes = difference / (2.0 * PROBE_RATE);
            sum += opposes;
            moment += opposes * (step - mean);
            squares += (step - mean) * (step - mean);
        }
        sum / f64::from(PROBE_STEPS) - mean * moment / squares
    }

    /// True while every number is one.
    pub fn is_finite(&self) -> bool {
        self.tree().is_finite()
    }

    /// A hash of all poses and velocities.
    pub fn hash(&self) -> u64 {
        let mut hash = StateHash::new();
        Mover::hash(&self.mechanism, &mut hash);
        hash.finish()
    }

    /// One step of `h` seconds to a steering angle in rad, with `push` in m/s^2 ahead on all of it, under `gravity`.
    pub fn step(
        &mut self,
        surface: &impl Surface,
        h: f64,
        steering: f64,
        push: f64,
        gravity: DVec3,
    ) -> MoreauReport {
        let rate = (steering - self.beta.position) / h;
        let acceleration = (rate - self.beta.rate) / h;
        self.beta = Drive { position: steering, rate, acceleration };
        self.mechanism.tree_mut().drive(self.steering, 0, self.beta);
        self.set_loads(push);
        let (tips, wood) = (&mut self.tips, &self.wood);
        let report = self.moreau.step(&mut self.mechanism, h, gravity, &self.options, |tree, found| {
            // Tips of one body follow each other.
            let (mut node, mut pose) = (usize::MAX, Pose::IDENTITY);
            for (id, tip) in tips.iter_mut().enumerate() {
                if tip.asleep > 0 {
                    tip.asleep -= 1;
                    continue;
                }
                if tip.node != node {
                    (node, pose) = (tip.node, tree.pose(tip.node));
                }
                let point = pose.transform_point(tip.point);
                let place = surface.met_by(point, pose.transform_vector(tip.inward), &mut tip.foot);
                tip.ground = place.ground;
                let velocity = tree.twist_at(tip.node, point).linear;
                if place.distance > 0.0 {
                    let reach = velocity.norm() * h;
                    tip.asleep = (SLEEP_SHARE * place.distance / reach.max(1e-9)).min(LONGEST_SLEEP) as u32;
                    continue;
                }
                tip.approach = -velocity.dot(place.normal);
                let (friction, restitution) = match place.ground {
                    Ground::Boards => (&wood.0, wood.1),
                    Ground::Ice | Ground::Net => (&tip.friction, tip.restitution),
                };
                let ahead = -pose.transform_vector(DVec3::Z);
                let along = ahead - place.normal * place.normal.dot(ahead);
                found.push(MoreauContact {
                    id: id as u64,
                    node: tip.node,
                    point,
                    normal: place.normal,
                    tangent: along.try_unit().unwrap_or_else(|| place.normal.any_orthonormal_vector()),
                    gap: place.distance,
                    restitution: [restitution, 0.0],
                    friction: friction.clone(),
                });
            }
        });
        self.look_back(h);
        report
    }

    /// Drag at the rear hull, stops of joints, and the push, on every body by its mass.
    fn set_loads(&mut self, push: f64) {
        let ahead = -self.frame().transform_vector(DVec3::Z);
        let tree = self.mechanism.tree_mut();
        for node in 0..tree.len() {
            let force = ahead * (push * tree.mass(node));
            tree.set_load(node, Wrench::new(force, DVec3::ZERO));
        }
        let velocity = tree.twist(0).linear;
        let drag = Wrench::new(velocity * (-self.drag * velocity.norm()), DVec3::ZERO);
        tree.set_load(0, tree.load_of(0) + drag);
        for stop in &self.stops {
            let (angle, rate) = tree.coordinate(stop.child, 0).unwrap_or_default();
            let beyond = angle - angle.clamp(-stop.limit, stop.limit);
            if beyond == 0.0 {
                continue;
            }
            // A stop pushes back only: its damper never holds a joint that comes away.
            let torque = -(stop.stiffness * beyond + stop.damping * rate);
            if torque * beyond >= 0.0 {
                continue;
            }
            let Some(frame) = tree.joint_frame(stop.child) else { continue };
            let pair = Wrench::new(DVec3::ZERO, frame.transform_vector(DVec3::X) * torque);
            tree.set_load(stop.child, tree.load_of(stop.child) + pair);
            let opposite = Wrench::new(DVec3::ZERO, -pair.torque);
            tree.set_load(stop.parent, tree.load_of(stop.parent) + opposite);
        }
    }

    fn look_back(&mut self, h: f64) {
        self.touched = Touched::default();
        let mut normal = 0.0;
        for (id, DVec3 { x: percussion, .. }) in self.moreau.percussions() {
            if !(percussion > 0.0) {
                continue;
            }
            let tip = &self.tips[id as usize];
            match tip.law {
                Law::Runner => {
                    self.touched.runners += 1;
                    normal += percussion;
                }
                Law::Bumper => self.touched.bumpers += percussion,
                Law::Rim => self.touched.rims += 1,
            }
            self.touched.boards += u32::from(tip.ground == Ground::Boards);
            self.touched.net |= tip.ground == Ground::Net;
        }
        self.normal_force = normal / h;
    }
}

//! Which bodies are moved under the rule that nothing overlaps, and their step.
//!
//! A body is solid if a mesh or height field may take part in a contact of its island, if one of its freedoms is held, or if it was
//! asked to be ([`BodyDefinition::solid`](crate::BodyDefinition)). All others are moved by the solver of primitives, and are obstacles with a given motion to
//! solid ones. A mover with a link in an island with a mesh is solid as a whole.

use glam::DVec3;
use prall_detection::Filter;
use prall_geometry::Shape;
use prall_math::rotation;
use prall_math::{Motion, Norm, Pose, Twist, Wrench};
use prall_mechanics::{Budget, Material, Mover, Side};
use serde::{Deserialize, Serialize};

use super::detect::{Owner, may_meet};
use super::{Event, World};
use crate::body::BodyShape;
use crate::joint::frames::Frames;
use crate::solid::{
    Memory, Roundness, Scene, SolidBody, SolidContact, SolidImpact, SolidJoint, SolidReport, SolidShape,
    Tools, advance, driven_rows, slots,
};
use crate::union::Union;
use crate::{BodyHandle, BodyKind, WorldError};

/// What the world keeps of its solid bodies.
#[derive(Default)]
pub(super) struct SolidPart {
    pub(super) state: SolidState,
    tools: Tools,
    /// Poses of all bodies at the start of the step, and of the links of movers by mover and shape.
    starts: Vec<Pose>,
    pub(super) link_starts: Vec<Vec<Pose>>,
    pub(super) contacts: Vec<SolidContact>,
    impacts: Vec<SolidImpact>,
    ways: Vec<Vec<(f64, f64, Motion)>>,
    islands: Union,
    /// Links that took part in the last step: mover and link. As bodies of the step they are counted after those of the world.
    pub(super) links: Vec<[u32; 2]>,
    pub(super) first_link: usize,
    /// This is the last part of a step: its detection is for a whole step, and decides who is solid in it.
    pub(super) last_part: bool,
}

/// What decides how solid bodies go on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SolidState {
    /// By body: it is solid in the coming step.
    pub(super) solid: Vec<bool>,
    memory: Memory,
    /// By body: where it was when the last solid step ended. A body that is elsewhere was moved by hand.
    poses: Vec<Pose>,
    /// By mover: it is solid in the coming step, and where its shapes' links were when the last solid step ended.
    movers: Vec<bool>,
    link_poses: Vec<Vec<Pose>>,
}

impl SolidPart {
    /// Where a body of the last step was at a share of it.
    pub(super) fn pose_during(&self, number: usize, share: f64) -> Option<Pose> {
        let pieces = self.ways.get(number).map_or(&[][..], Vec::as_slice);
        let piece = pieces.iter().rev().find(|(from, ..)| *from <= share).or(pieces.first());
        piece.map(|(from, to, motion)| {
            let part = if to > from { ((share - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
            motion.pose(part)
        })
    }

    /// The side of a contact, from a number of the step.
    pub(super) fn side(&self, number: usize) -> Side {
        match number.checked_sub(self.first_link).and_then(|link| self.links.get(link)) {
            Some(&[mover, link]) => Side::Link { mover, link },
            None => Side::Body(number as u32),
        }
    }
}

impl SolidState {
    pub(super) fn is_solid(&self, at: usize) -> bool {
        self.solid.get(at).is_some_and(|solid| *solid)
    }

    pub(super) fn is_solid_mover(&self, number: usize) -> bool {
        self.movers.get(number).is_some_and(|solid| *solid)
    }

    pub(super) fn any(&self) -> bool {
        self.solid.contains(&true) || self.movers.contains(&true)
    }
}

/// True if a shape is a surface, or has one.
pub(crate) fn has_surface(shape: &Shape) -> bool {
    let is_surface = |piece: &Shape| matches!(piece, Shape::TriangleMesh(_) | Shape::Heightfield(_));
    match shape {
        Shape::Compound(compound) => compound.children().iter().any(|(_, child)| is_surface(child)),
        single => is_surface(single),
    }
}

impl World {
    /// Decides which bodies are solid in the coming step, from the pairs of boxes that meet.
    pub(super) fn choose_solid(&mut self) {
        // Places of the union: bodies, then movers.
        let (bodies, count) = (self.bodies.len(), self.bodies.len() + self.movers.len());
        let has_mesh = self.mover_shapes.iter().flatten().any(|shape| shape.has_surface);
        if !has_mesh && !self.records.iter().any(|record| record.has_surface || record.is_asked_to_be_solid())
        {
            self.solid.state.solid.clear();
            self.solid.state.movers.clear();
            return;
        }
        let mut islands = std::mem::take(&mut self.solid.islands);
        islands.reset(count);
        let mut solid = vec![false; count];
        let (owners, mover_shapes) = (&self.owners, &self.mover_shapes);
        let is_surface = |slot: usize| {
            matches!(owners[slot], Owner::Link { mover, shape }
                if mover_shapes[mover as usize][shape as usize].has_surface)
        };
        for (at, record) in self.records.iter().enumerate() {
            solid[at] = self.bodies.is_movable(at) && record.is_asked_to_be_solid();
        }
        for pair in self.index.refresh().all {
            let (Some(a), Some(b)) = (&self.placed[pair.a.slot()], &self.placed[pair.b.slot()]) else {
                continue;
            };
            if a.sensor || b.sensor || !may_meet(a, b, &self.apart) {
                continue;
            }
            match (a.side, b.side) {
                (Side::Body(i), Side::Body(j)) => {
                    let movable = [i, j].map(|at| self.bodies.is_movable(at as usize));
                    if movable == [true, true] {
                        islands.join(i as usize, j as usize);
                    }
                    let records = [i, j].map(|at| &self.records[at as usize]);
                    let surface = records.iter().any(|record| record.has_surface);
                    for (at, movable) in [i, j].into_iter().zip(movable) {
                        solid[at as usize] |= surface && movable;
                    }
                }
                (Side::Body(at), Side::Link { mover, .. }) | (Side::Link { mover, .. }, Side::Body(at)) => {
                    let (at, mover) = (at as usize, bodies + mover as usize);
                    let record = &self.records[at];
                    let surface = record.has_surface
                        || record.is_asked_to_be_solid()
                        || is_surface(pair.a.slot())
                        || is_surface(pair.b.slot());
                    solid[mover] |= surface;
                    if self.bodies.is_movable(at) {
                        islands.join(at, mover);
                    }
                }
                (Side::Link { mover: i, .. }, Side::Link { mover: j, .. }) => {
                    let (i, j) = (bodies + i as usize, bodies + j as usize);
                    islands.join(i, j);
                    solid[i] |= [pair.a, pair.b].iter().any(|proxy| is_surface(proxy.slot()));
                }
            }
        }
        for at in self.joint_places.iter() {
            let joint = &self.joints[at];
            let [i, j] = joint.bodies;
            if self.bodies.is_movable(i as usize) && self.bodies.is_movable(j as usize) {
                islands.join(i as usize, j as usize);
            }
        }
        let moves = |at: usize| at >= bodies || self.bodies.is_movable(at);
        let mut island_solid = vec![false; count];
        for at in (0..count).filter(|&at| moves(at)) {
            island_solid[islands.lead(at)] |= solid[at];
        }
        for (at, solid) in solid.iter_mut().enumerate() {
            *solid = moves(at) && island_solid[islands.lead(at)];
        }
        self.solid.islands = islands;
        let movers = solid.split_off(bodies);
        let state = &mut self.solid.state;
        (state.solid, state.movers) = (solid, movers);
        if !state.solid.contains(&true) && !state.movers.contains(&true) {
            state.solid.clear();
            state.movers.clear();
        }
    }

    /// Remembers where everything is at the start of the step.
    pub(super) fn begin_solid(&mut self) {
        self.solid.contacts.clear();
        self.solid.impacts.clear();
        self.solid.ways.clear();
        if self.solid.state.any() {
            self.solid.starts.clone_from(&self.bodies.poses);
            self.solid.link_starts = self.link_poses(&self.movers);
        }
    }

    /// Moves solid bodies through the whole step of `h` seconds; all others have made theirs.
    pub(super) fn advance_solid(&mut self, h: f64, budget: &mut Budget) {
        if !self.solid.state.any() {
            self.solid.state.poses.clear();
            self.solid.state.link_poses.clear();
            return;
        }
        let mut solid = std::mem::take(&mut self.solid);
        let mut movers = std::mem::take(&mut self.movers);
        self.forget_moved(&mut solid, &movers);
        let mut memory = std::mem::take(&mut solid.state.memory);
        let scene = self.solid_scene(&mut solid, &mut movers, h);
        let outcome = advance(&scene, &mut movers, &mut memory, &mut solid.tools, h, budget);
        drop(scene);
        self.movers = movers;
        let report = outcome.report;
        let count = self.bodies.len();
        solid.ways.resize(count + solid.links.len(), Vec::new());
        for (body, ways) in outcome.bodies.iter().zip(outcome.ways) {
            solid.ways[body.index] = ways;
            if body.index >= count {
                continue;
            }
            if body.is_movable() || body.was_stopped {
                self.bodies.poses[body.index] = body.pose;
            }
            if body.is_movable() {
                self.bodies.velocities[body.index] = body.velocity;
                self.bodies.turn_inertia(body.index);
            }
        }
        self.book_solid(&outcome.bodies, &solid.starts, &report);
        self.take_joint_forces(&outcome.joint_forces, h);
        (solid.contacts, solid.impacts) = (outcome.contacts, outcome.impacts);
        solid.state.memory = memory;
        solid.state.poses.clone_from(&self.bodies.poses);
        solid.state.link_poses = self.link_poses(&self.movers);
        self.report.lost_time = self.report.lost_time.max(report.lost_time);
        self.report.collisions += solid.impacts.len();
        self.report.budget_cut |= budget.exhausted();
        self.details.stopped += report.stopped;
        self.details.crushed += report.crushed;
        self.details.swept_pairs += report.swept;
        self.details.solid = report;
        self.report.position_error = self.report.position_error.max(report.overlap_depth);
        self.solid = solid;
    }

    /// Forgets what was proven of bodies that somebody has put elsewhere.
    fn forget_moved(&self, solid: &mut SolidPart, movers: &[Box<dyn Mover>]) {
        let now = self.link_poses(movers);
        let SolidState { poses, link_poses, memory, .. } = &mut solid.state;
        let moved = |at: usize| poses.get(at).is_none_or(|pose| *pose != solid.starts[at]);
        let owners = &self.owners;
        memory.forget(|slot| match owners.get(slot as usize) {
            Some(Owner::Body { body, .. }) => moved(*body as usize),
            Some(Owner::Link { mover, shape }) => {
                let place = |all: &[Vec<Pose>]| all.get(*mover as usize)?.get(*shape as usize).copied();
                place(link_poses).is_none_or(|pose| place(&now) != Some(pose))
            }
            _ => true,
        });
    }

    fn solid_scene<'a>(&'a self, solid: &mut SolidPart, movers: &mut [Box<dyn Mover>], h: f64) -> Scene<'a> {
        let mut bodies = Vec::new();
        let mut shapes = Vec::new();
        let mut places = vec![usize::MAX; self.bodies.len()];
        for (at, record) in self.records.iter().enumerate() {
            let is_solid = solid.state.is_solid(at);
            if !is_solid && (record.shapes.is_empty() || record.sensor || record.untouchable) {
                continue;
            }
            places[at] = bodies.len();
            bodies.push(self.solid_body(solid, at, h));
            if record.sensor || record.untouchable {
                continue;
            }
            let shape = |shape| solid_shape(places[at], shape, record.material, record.filter);
            shapes.extend(record.shapes.iter().filter_map(shape));
        }
        let machines = self.add_links(solid, movers, &mut bodies, &mut shapes, h);
        let solid = &*solid;
        let joints = self.joint_places.iter().filter_map(|number| {
            let joint = &self.joints[number];
            let ends = joint.bodies.map(|at| at as usize);
            if !ends.iter().any(|&at| solid.state.is_solid(at)) {
                return None;
            }
            Some((number, joint, ends))
        });
        let joints: Vec<_> = joints.collect();
        let joints = joints.into_iter().map(|(number, joint, ends)| {
            let ends = ends.map(|at| {
                if places[at] == usize::MAX {
                    places[at] = bodies.len();
                    bodies.push(self.solid_body(solid, at, h));
                }
                places[at]
            });
            ends.into_iter().for_each(|place| bodies[place].jointed = true);
            let mut forces = Vec::new();
            slots(joint, |slot| forces.push(joint.memory[0][slot] / h));
            let coordinates = joint.coordinates;
            SolidJoint { joint, number, bodies: ends, forces, coordinates, coordinates_before: coordinates }
        });
        let joints = joints.collect();
        let gravity = self.options.gravity;
        let assembly_speed = self.options.assembly_speed;
        let options = self.options.solid;
        Scene { bodies, shapes, joints, machines, apart: &self.apart, gravity, assembly_speed, options }
    }

    fn solid_body(&self, solid: &SolidPart, at: usize, h: f64) -> SolidBody {
        let record = &self.records[at];
        let pose = solid.starts[at];
        let mut body = SolidBody {
            index: at,
            link: None,
            pose,
            velocity: Twist::ZERO,
            spin: DVec3::ZERO,
            mass: 0.0,
            rotor: self.rotors[at],
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            locked: record.locked.freedoms(),
            radius: record.radius,
            size: record.size,
            round: Roundness::of(record.shapes.iter().map(|shape| (&shape.pose, &shape.shape))),
            jointed: false,
            touching: false,
            bent: false,
            was_stopped: false,
        };
        if solid.state.is_solid(at) {
            let load = self.loads.get(at).copied().unwrap_or(Wrench::ZERO);
            body.mass = self.bodies.mass(at);
            body.force = self.options.gravity * body.mass + load.force;
            body.torque = load.torque;
            body.velocity = self.bodies.velocities[at];
            body.touching = true;
            let spin = body.inertia(&pose) * body.velocity.angular;
            body.set_momentum(body.velocity.linear, spin);
        } else if record.kind == BodyKind::Kinematic {
            body.velocity = self.bodies.velocities[at];
        } else if self.bodies.poses[at] != pose {
            let end = self.bodies.poses[at];
            let turn = rotation::log(end.rotation * pose.rotation.conjugate());
            body.velocity = Twist { linear: (end.translation - pose.translation) / h, angular: turn / h };
        }
        body
    }

    /// Takes over halves of the forces that rows of joints gave, in N or N m.
    fn take_joint_forces(&mut self, joints: &[(usize, Vec<f64>)], h: f64) {
        for (number, halves) in joints {
            let joint = &mut self.joints[*number];
            let [a, b] = joint.bodies.map(|body| body as usize);
            let frames = Frames::new([&self.bodies.poses[a], &self.bodies.poses[b]], &joint.frames);
            joint.read(&frames);
            joint.memory = Default::default();
            let mut all = halves.iter();
            let mut impulses = joint.memory[0];
            slots(joint, |slot| {
                let impulse = all.next().copied().unwrap_or(0.0) * h;
                // Of two limits of a coordinate one pushes.
                impulses[slot] = if impulse == 0.0 { impulses[slot] } else { impulse };
            });
            joint.memory = [impulses; 2];
            let arm = frames.origins[1] - frames.centres[1];
            let mut reaction = Wrench::ZERO;
            let mut all = halves.iter();
            let poses = [&self.bodies.poses[a], &self.bodies.poses[b]];
            driven_rows(joint, &joint.coordinates, poses, |driven| {
                let impulse = 2.0 * h * all.next().copied().unwrap_or(0.0);
                let pull = driven.row.linear * impulse;
                reaction = reaction + Wrench::new(pull, driven.row.angular[1] * impulse - arm.cross(pull));
            });
            joint.reaction = reaction;
        }
    }

    /// Impacts of solid bodies as events, one a pair.
    pub(super) fn note_solid_impacts(&mut self) {
        let mut impacts = std::mem::take(&mut self.solid.impacts);
        impacts.sort_by(|a, b| a.bodies.cmp(&b.bodies).then(b.speed.total_cmp(&a.speed)));
        impacts.dedup_by_key(|impact| impact.bodies);
        for impact in &impacts {
            let [a, b] = impact.bodies.map(|at| self.party(self.solid.side(at)));
            let (point, speed) = (impact.point, impact.speed);
            self.touches.events.push(Event::Collision { a, b, point, speed });
        }
    }

    /// Where a body's frame was at a share (0 to 1) of the last step, along the way that it really took. `None` for bodies that stood still and
    /// for those that were moved by the solver of primitives, whose way in between is not kept.
    pub fn pose_during(&self, body: BodyHandle, share: f64) -> Result<Option<Pose>, WorldError> {
        let at = self.body(body)?;
        let frame = Pose::from_translation(-self.records[at].centre);
        Ok(self.solid.pose_during(at, share).map(|pose| pose * frame))
    }

    /// True if the coming step moves the body under the rule that nothing overlaps.
    pub fn is_solid(&self, body: BodyHandle) -> Result<bool, WorldError> {
        Ok(self.solid.state.is_solid(self.body(body)?))
    }

    /// Pairs of solid bodies that overlapped when they first met and have not separated yet.
    pub fn overlapping_pairs(&self) -> impl Iterator<Item = [BodyHandle; 2]> + '_ {
        let owner = |slot: u32| match self.owners.get(slot as usize) {
            Some(Owner::Body { body, .. }) => Some(self.handle(*body as usize)),
            _ => None,
        };
        let pairs = self.solid.state.memory.pairs.iter().filter(|pair| pair.overlapping);
        pairs.filter_map(move |pair| Some([owner(pair.slots[0])?, owner(pair.slots[1])?]))
    }

    /// What solid contacts did in the last step.
    pub fn solid_report(&self) -> &SolidReport {
        &self.details.solid
    }
}

/// A shape as the solid step sees it; none if its features cannot be listed.
pub(super) fn solid_shape(
    body: usize,
    shape: &BodyShape,
    material: Material,
    filter: Filter,
) -> Option<SolidShape<'_>> {
    let bounds = shape.shape.aabb(&Pose::IDENTITY);
    let sphere = shape.shape.bounding_sphere();
    Some(SolidShape {
        body,
        slot: shape.proxy.slot() as u32,
        pose: shape.pose,
        boundary: shape.boundary()?,
        touchable: &shape.touchable,
        corners: shape.corners(),
        material,
        filter,
        bounds,
        radius: sphere
            .map_or(f64::INFINITY, |sphere| shape.pose.transform_point(sphere.center).norm() + sphere.radius),
        size: sphere.map_or(f64::INFINITY, |_| 2.0 * bounds.half_extents().max_element()),
    })
}

//! [`Stage`]: bodies put in place, and how they look.

use crate::{Assets, BodyAsset, Camera, DriveControl, Extent, Look, Pattern, ShapeAsset, TriangleAsset};
use glam::DVec3;
use prall_dynamics::{
    BodyDefinition, BodyHandle, BodyKind, Coupling, HandHandle, HoldCommand, JointDefinition, JointHandle,
    Material, Party, World, WorldError, WorldOptions,
};
use prall_geometry::{Compound, ConvexHull, HalfSpace, Shape};
use prall_math::{Pose, Twist, Wrench, rotation};
use prall_mechanics::audit::{AuditBody, AuditReport, Auditor};
use std::sync::Arc;

use super::machines::Machine;

/// What a viewer draws as one thing: a shape of a body.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) holder: Holder,
    /// In the holder's frame.
    pub(super) pose: Pose,
}

/// What carries a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Holder {
    /// Number of the body on the stage.
    Body(usize),
    /// Number of the machine on the stage, and its link.
    Link(usize, u32),
}

/// A text at a place of a body.
pub(crate) struct Label {
    pub(super) at: DVec3,
    pub(super) text: String,
}

/// A thread or rod that is drawn between points of two bodies and has no mechanics of its own.
pub(super) struct Thread {
    pub(super) bodies: [BodyHandle; 2],
    /// In the frames of the bodies.
    pub(super) points: [DVec3; 2],
}

/// A motor whose speed is a parameter of the scene.
pub(super) struct DrivenBy {
    pub(super) parameter: &'static str,
    pub(super) joint: JointHandle,
    /// Speed of the motor per unit of the parameter.
    pub(super) factor: f64,
}

/// A kinematic body whose motion is prescribed beyond a constant velocity.
pub(super) struct Prescribed {
    pub(super) body: BodyHandle,
    /// Where it is at the end of each step, from the first on.
    pub(super) poses: Vec<Pose>,
    /// It stands still in steps that begin at this time in s, or later.
    pub(super) until: Option<f64>,
    /// With which it goes on after the last pose.
    pub(super) velocity: Twist,
}

/// A body that the scene's own hand holds.
pub(super) struct HeldByScript {
    hand: HandHandle,
    body: BodyHandle,
    script: fn(f64) -> Pose,
}

/// A held tool and what it works on: what the tool turns that with is written at the tool.
pub(super) struct Tool {
    pub(super) tool: BodyHandle,
    pub(super) workpiece: BodyHandle,
    /// Unit, about which the tool turns the workpiece.
    pub(super) axis: DVec3,
    pub(super) name: &'static str,
}

impl Tool {
    /// Force on the workpiece, and torque about its mass centre, in N and N m, by the contacts of the two.
    pub(super) fn wrench(&self, world: &World) -> Wrench {
        let Ok(centre) = world.centre_of_mass(self.workpiece) else { return Wrench::ZERO };
        let (tool, workpiece) = (Party::Body(self.tool), Party::Body(self.workpiece));
        let mut wrench = Wrench::ZERO;
        for mark in world.contact_marks() {
            let force = match (mark.a, mark.b) {
                (a, b) if (a, b) == (workpiece, tool) => mark.force,
                (a, b) if (a, b) == (tool, workpiece) => -mark.force,
                _ => continue,
            };
            wrench = wrench + Wrench { force, torque: (mark.point - centre).cross(force) };
        }
        wrench
    }
}

/// A world with everything in it that a scene begins with.
///
/// Scenes are written by us and cannot fail to be built; each is built by a test.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(super) assets: Assets,
    pub(super) bodies: Vec<BodyHandle>,
    /// What each of them was made of, to make others like it.
    pub(super) definitions: Vec<BodyDefinition>,
    pub(super) labels: Vec<Label>,
    pub(super) driven: Vec<DrivenBy>,
    /// By which a person drives; each moves the parameter of its key.
    pub(super) controls: Vec<DriveControl>,
    pub(super) threads: Vec<Thread>,
    pub(super) machines: Vec<Machine>,
    pub(super) parts: Vec<Part>,
    pub(super) audited: Vec<(AuditBody, Audited)>,
    pub(super) prescribed: Vec<Prescribed>,
    /// Bodies that the scene's own hand holds, until somebody takes them.
    pub(super) held: Vec<HeldByScript>,
    pub(super) tools: Vec<Tool>,
}

/// Whose pose the auditor takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Audited {
    Body(BodyHandle),
    /// Number of the machine on the stage, and its link.
    Link(usize, u32),
}

impl Stage {
    pub(crate) fn new(options: WorldOptions, camera: Camera) -> Stage {
        let assets = Assets {
            shapes: Vec::new(),
            looks: Vec::new(),
            bodies: Vec::new(),
            lines: Vec::new(),
            camera,
            subject: None,
            ride: None,
            ground: None,
            moves: true,
        };
        Stage {
            world: World::new(options).expect("a scene's options are within the world's ranges"),
            assets,
            bodies: Vec::new(),
            definitions: Vec::new(),
            labels: Vec::new(),
            machines: Vec::new(),
            driven: Vec::new(),
            controls: Vec::new(),
            threads: Vec::new(),
            parts: Vec::new(),
            audited: Vec::new(),
            prescribed: Vec::new(),
            held: Vec::new(),
            tools: Vec::new(),
        }
    }

    /// Takes a body firmly in hand: the hand wants it where `script` says, at a time in s, until somebody else takes it.
    pub(crate) fn hold_by(&mut self, body: BodyHandle, coupling: &Coupling, script: fn(f64) -> Pose) {
        let hand = self.world.hold(body, coupling).expect("a scene's hands can hold what they hold");
        self.held.push(HeldByScript { hand, body, script });
    }

    /// Writes at a tool what it turns a workpiece with, about a unit axis.
    pub(super) fn works_on(
        &mut self,
        tool: BodyHandle,
        workpiece: BodyHandle,
        axis: DVec3,
        name: &'static str,
    ) {
        self.tools.push(Tool { tool, workpiece, axis, name });
    }

    /// Tells the scene's own hands what they want in the coming step. Hands that have let go want nothing.
    pub(super) fn command_hands(&mut self) {
        let time = self.world.time() + self.world.options().time_step;
        for HeldByScript { hand, script, .. } in &self.held {
            let _ = self.world.command(*hand, &HoldCommand::Pose(script(time)));
        }
    }

    /// Lets the scene's own hand go of a body; true if there was one.
    pub(super) fn take_from_script(&mut self, body: BodyHandle) -> bool {
        let held = self.held.iter().find(|held| held.body == body);
        if let Some(held) = held {
            self.world.release(held.hand);
        }
        held.is_some()
    }

    /// A matt colour to give to bodies.
    pub(crate) fn look(&mut self, color: &'static str) -> usize {
        self.add_look(Look { color, roughness: 0.6, metallic: 0.0, opacity: 1.0, pattern: Pattern::Plain })
    }

    /// Polished metal.
    pub(crate) fn metal(&mut self, color: &'static str) -> usize {
        self.add_look(Look { color, roughness: 0.25, metallic: 0.85, opacity: 1.0, pattern: Pattern::Plain })
    }

    /// A colour that shows how a ball turns.
    pub(crate) fn ball_look(&mut self, color: &'static str) -> usize {
        self.add_look(Look {
            color,
            roughness: 0.5,
            metallic: 0.0,
            opacity: 1.0,
            pattern: Pattern::BeachBall,
        })
    }

    /// Glass: what stands behind it is seen.
    pub(crate) fn glass(&mut self, color: &'static str) -> usize {
        self.add_look(Look { color, roughness: 0.2, metallic: 0.0, opacity: 0.35, pattern: Pattern::Plain })
    }

    pub(super) fn add_look(&mut self, look: Look) -> usize {
        if let Some(known) = self.assets.looks.iter().position(|known| *known == look) {
            return known;
        }
        self.assets.looks.push(look);
        self.assets.looks.len() - 1
    }

    /// Says what the start view shows; without it, it shows where all that can move is at the start.
    pub(crate) fn show(&mut self, low: DVec3, high: DVec3) {
        self.assets.subject = Some(Extent { low, high });
    }

    /// Lets the camera go with a body from the start.
    pub(crate) fn ride(&mut self, name: &str) {
        self.assets.ride = self.assets.bodies.iter().position(|body| body.name == name);
    }

    /// Called when everything is in place: the start view shows what can move, down to the ground.
    pub(super) fn frame_subject(&mut self) {
        if self.assets.subject.is_some() {
            return;
        }
        let movable = (0..self.parts.len()).filter(|&part| self.assets.bodies[part].movable);
        let mut extent = movable.map(|part| self.part_extent(part)).fold(Extent::EMPTY, Extent::union);
        if let Some(ground) = self.assets.ground {
            extent.low.y = extent.low.y.min(ground);
        }
        self.assets.subject = (!extent.is_empty()).then_some(extent);
    }

    /// The box around a part as it is now.
    pub(super) fn part_extent(&self, part: usize) -> Extent {
        let pose = self.part_pose(part);
        let half = match &self.assets.shapes[self.assets.bodies[part].shape] {
            ShapeAsset::Sphere { radius } => DVec3::splat(*radius),
            ShapeAsset::Box { half } => {
                let axes = glam::DMat3::from_quat(pose.rotation);
                axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z
            }
            ShapeAsset::Capsule { radius, half_height } => DVec3::splat(radius + half_height),
            ShapeAsset::Cylinder { radius, half_height } | ShapeAsset::Cone { radius, half_height } => {
                DVec3::splat(libm::hypot(*radius, *half_height))
            }
            ShapeAsset::Mesh(mesh) => {
                let reach = |p: &[f32; 3]| p.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>();
                DVec3::splat(mesh.positions.iter().map(reach).fold(0.0, f64::max).sqrt())
            }
        };
        Extent { low: pose.translation - half, high: pose.translation + half }
    }

    /// Endless level ground at the height 0, drawn by the viewer.
    pub(crate) fn ground(&mut self, material: Material) {
        self.ground_at(0.0, material);
    }

    /// The same at another height, in m.
    pub(super) fn ground_at(&mut self, height: f64, material: Material) {
        self.assets.ground = Some(height);
        let mut definition = BodyDefinition::fixed(Shape::HalfSpace(HalfSpace)).made_of(material);
        definition.pose.translation.y = height;
        let body = self.world.add_body(&definition).expect("a half-space is a body");
        self.note(&definition, body);
    }

    /// Height of the lowest point of all that can be touched, in m; infinite if there is nothing.
    pub(super) fn lowest_corner(&self) -> f64 {
        let lowest = |(body, owner): &(AuditBody, Audited)| {
            let pose = match *owner {
                Audited::Body(body) => self.world.pose(body).unwrap_or(Pose::IDENTITY),
                Audited::Link(machine, link) => self.link_pose(machine, link),
            };
            body.shape.aabb(&pose).min.y
        };
        self.audited.iter().map(lowest).fold(f64::INFINITY, f64::min)
    }

    /// Adds a body with a name and a look.
    pub(crate) fn add(
        &mut self,
        name: impl Into<String>,
        definition: &BodyDefinition,
        look: usize,
    ) -> BodyHandle {
        self.try_add(name, definition, look).expect("a scene's bodies are possible")
    }

    /// The same for bodies that somebody else described.
    pub(super) fn try_add(
        &mut self,
        name: impl Into<String>,
        definition: &BodyDefinition,
        look: usize,
    ) -> Result<BodyHandle, WorldError> {
        let body = self.world.add_body(definition)?;
        let number = self.bodies.len();
        self.bodies.push(body);
        self.definitions.push(definition.clone());
        self.note(definition, body);
        let name = name.into();
        let movable = definition.kind == BodyKind::Dynamic;
        for shape in &definition.shapes {
            self.add_parts(&name, Holder::Body(number), &shape.pose, &shape.shape, look, movable);
        }
        Ok(body)
    }

    pub(crate) fn joint(&mut self, definition: &JointDefinition) -> JointHandle {
        self.world.add_joint(definition).expect("a scene's joints are possible")
    }

    /// Lets the motor at a joint's first coordinate run `factor` times as fast as a parameter says, also while time runs.
    pub(crate) fn drive_by(&mut self, parameter: &'static str, joint: JointHandle, factor: f64) {
        self.driven.push(DrivenBy { parameter, joint, factor });
    }

    /// Draws a thread between two bodies, tied at points that are given in the world.
    pub(crate) fn thread(&mut self, bodies: [BodyHandle; 2], ends: [DVec3; 2]) {
        let in_body = |side: usize| {
            let pose = self.world.pose(bodies[side]).expect("a scene's bodies are there");
            pose.inverse_transform_point(ends[side])
        };
        let points = [in_body(0), in_body(1)];
        self.threads.push(Thread { bodies, points });
    }

    /// Writes a text into the scene.
    pub(crate) fn label(&mut self, at: DVec3, text: impl Into<String>) {
        self.labels.push(Label { at, text: text.into() });
    }

    pub(super) fn add_parts(
        &mut self,
        name: &str,
        holder: Holder,
        pose: &Pose,
        shape: &Shape,
        look: usize,
        movable: bool,
    ) {
        if let Shape::Compound(compound) = shape {
            for (child, shape) in compound.children() {
                self.add_parts(name, holder, &(*pose * *child), shape, look, movable);
            }
            return;
        }
        if matches!(shape, Shape::HalfSpace(_)) {
            // Endless: the viewer draws ground instead.
            self.assets.ground = Some(pose.translation.y);
            return;
        }
        let shape = self.shape_asset(shape);
        self.parts.push(Part { holder, pose: *pose });
        self.assets.bodies.push(BodyAsset { name: name.to_owned(), shape, look, movable });
    }

    fn shape_asset(&mut self, shape: &Shape) -> usize {
        let asset = match shape {
            Shape::Sphere(sphere) => ShapeAsset::Sphere { radius: sphere.radius() },
            Shape::Box(cuboid) => ShapeAsset::Box { half: cuboid.half_extents() },
            Shape::Capsule(capsule) => {
                ShapeAsset::Capsule { radius: capsule.radius(), half_height: capsule.half_height() }
            }
            Shape::Cylinder(cylinder) => {
                ShapeAsset::Cylinder { radius: cylinder.radius(), half_height: cylinder.half_height() }
            }
            Shape::Cone(cone) => ShapeAsset::Cone { radius: cone.radius(), half_height: cone.half_height() },
            Shape::TriangleMesh(mesh) => triangles(mesh.mesh().positions(), mesh.mesh().triangles()),
            Shape::ConvexHull(hull) => triangles(hull.vertices(), &hull_triangles(hull)),
            Shape::Heightfield(_) | Shape::HalfSpace(_) | Shape::Compound(_) => {
                unreachable!("no scene has height fields; planes and compounds are taken apart before")
            }
        };
        // Thousands of bodies share a handful of shapes; the last ones are the likeliest.
        if let Some(known) = self.assets.shapes.iter().rposition(|known| *known == asset) {
            return known;
        }
        self.assets.shapes.push(asset);
        self.assets.shapes.len() - 1
    }

    /// Tells the auditor's list of a body.
    fn note(&mut self, definition: &BodyDefinition, body: BodyHandle) {
        let mut children = definition.shapes.iter().map(|shape| (shape.pose, shape.shape.clone()));
        let shape = match (definition.shapes.len(), children.next()) {
            (1, Some((pose, shape))) if pose == Pose::IDENTITY => shape,
            (0, _) | (_, None) => return,
            (_, Some(first)) => {
                let all = std::iter::once(first).chain(children).collect();
                let Ok(compound) = Compound::new(all) else { return };
                Shape::Compound(Arc::new(compound))
            }
        };
        let movable = definition.kind == BodyKind::Dynamic;
        self.audited.push((AuditBody { shape, movable, filter: definition.filter }, Audited::Body(body)));
    }

    /// Gives kinematic bodies the velocities that lead them through the coming step. They depend on the world's state alone, so a
    /// restored run goes on as the first did.
    pub(super) fn drive_prescribed(&mut self) {
        let h = self.world.options().time_step;
        let step = (self.world.time() / h).round();
        for Prescribed { body, poses, until, velocity } in &self.prescribed {
            // A billionth of a step is rounding of times that were written in decimals.
            let stopped = until.is_some_and(|until| (step + 1e-9) * h >= until);
            let (Ok(pose), Ok(present)) = (self.world.pose(*body), self.world.velocity(*body)) else {
                continue;
            };
            let wanted = match poses.get(step as usize) {
                _ if stopped => Twist::ZERO,
                None => *velocity,
                Some(target) => Twist {
                    linear: (target.translation - pose.translation) / h,
                    angular: rotation::mean_velocity(pose.rotation, target.rotation, h),
                },
            };
            if wanted != present {
                // A pinned body stays where it is.
                let _ = self.world.set_velocity(*body, wanted);
            }
        }
    }

    /// Whether any two things on the stage can touch each other.
    pub(super) fn can_touch(&self) -> bool {
        self.audited.iter().filter(|(body, _)| body.filter.mask != 0).nth(1).is_some()
    }

    /// Which body on the stage a part belongs to.
    pub(super) fn body_of_part(&self, part: usize) -> Option<usize> {
        match self.parts.get(part)?.holder {
            Holder::Body(body) => Some(body),
            Holder::Link(..) => None,
        }
    }

    /// Parts of bodies, with the numbers of both.
    pub(super) fn parts_of_bodies(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let body = |part: usize| self.body_of_part(part).map(|body| (part, body));
        (0..self.parts.len()).filter_map(body)
    }

    pub(super) fn part_poses(&self) -> impl Iterator<Item = Pose> + '_ {
        (0..self.parts.len()).map(|part| self.part_pose(part))
    }

    /// Bodies that are gone stay where nobody sees them: at the origin, hidden.
    pub(super) fn part_pose(&self, part: usize) -> Pose {
        let Part { holder, pose } = self.parts[part];
        match holder {
            Holder::Body(body) => self.world.pose(self.bodies[body]).map_or(Pose::IDENTITY, |at| at * pose),
            Holder::Link(machine, link) => self.link_pose(machine, link) * pose,
        }
    }

    /// The part of a body whose surface is nearest to a point of the world.
    pub(super) fn nearest_part(&self, body: BodyHandle, point: DVec3) -> Option<usize> {
        let number = self.bodies.iter().position(|known| *known == body)?;
        let shapes: Vec<(Pose, &Shape)> = self.world.shapes(body).ok()?.collect();
        let own = (0..self.parts.len()).filter(|&part| self.parts[part].holder == Holder::Body(number));
        let distance = |part: &usize| {
            let local = self.part_pose(*part).inverse_transform_point(point);
            let shape = shapes.iter().find(|(pose, _)| *pose == self.parts[*part].pose);
            shape.map_or(f64::INFINITY, |(_, shape)| shape.closest_point(local).point.distance_squared(local))
        };
        own.map(|part| (distance(&part), part)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, part)| part)
    }

    /// What the auditor finds in the present poses.
    pub(super) fn audit(&self) -> Option<AuditReport> {
        let mut auditor = Auditor::new();
        let mut poses = Vec::new();
        let mut number_of = std::collections::HashMap::new();
        let mut links = Vec::new();
        for (known, owner) in &self.audited {
            match *owner {
                Audited::Body(body) => {
                    if let Ok(pose) = self.world.pose(body) {
                        number_of.insert(body, auditor.add_body(known.clone()));
                        poses.push(pose);
                    }
                }
                Audited::Link(machine, link) => {
                    links.push((machine, auditor.add_body(known.clone())));
                    poses.push(self.link_pose(machine, link));
                }
            }
        }
        // Links of one machine may overlap at their joints.
        for (index, &(machine, a)) in links.iter().enumerate() {
            for &(_, b) in links[..index].iter().filter(|(other, _)| *other == machine) {
                auditor.ignore_pair(a, b).ok()?;
            }
        }
        for [a, b] in self.world.jointed_pairs() {
            if let (Some(&a), Some(&b)) = (number_of.get(&a), number_of.get(&b)) {
                auditor.ignore_pair(a, b).ok()?;
            }
        }
        auditor.audit(&poses).ok()
    }
}

/// Several looks of one kind, so that neighbours in a pile can be told apart.
pub(crate) struct Palette(Vec<usize>);

impl Palette {
    pub(crate) fn new(stage: &mut Stage, colors: &[&'static str]) -> Palette {
        Palette(colors.iter().map(|color| stage.look(color)).collect())
    }

    /// A look that depends on the number, but not in a way that one sees (Knuth's multiplicative hash).
    pub(crate) fn pick(&self, number: usize) -> usize {
        let mixed = (number as u32).wrapping_mul(2_654_435_761) >> 16;
        self.0[mixed as usize % self.0.len()]
    }
}

/// A surface with one coefficient of friction.
pub(crate) fn rough(coefficient: f64) -> Material {
    Material { static_friction: coefficient, dynamic_friction: coefficient, ..Material::default() }
}

pub(crate) fn cuboid(half: DVec3) -> Shape {
    Shape::cuboid(half).expect("a scene's boxes have sides")
}

pub(crate) fn sphere(radius: f64) -> Shape {
    Shape::sphere(radius).expect("a scene's balls have a radius")
}

pub(crate) fn cylinder(half_height: f64, radius: f64) -> Shape {
    Shape::cylinder(half_height, radius).expect("a scene's cylinders have a size")
}

/// Faces of a hull in triangles, as fans.
fn hull_triangles(hull: &ConvexHull) -> Vec<[u32; 3]> {
    let fan = |face: &[u32]| (2..face.len()).map(|i| [face[0], face[i - 1], face[i]]).collect::<Vec<_>>();
    (0..hull.face_count()).flat_map(|face| fan(hull.face(face))).collect()
}

fn triangles(positions: &[DVec3], triangles: &[[u32; 3]]) -> ShapeAsset {
    ShapeAsset::Mesh(Arc::new(TriangleAsset {
        positions: positions.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect(),
        triangles: triangles.to_vec(),
    }))
}

//! A step by groups: bodies that cannot meet in the step have clocks of their own.
//!
//! Bodies whose boxes along their free ways meet are one group; so are those that joints or a moving body of given motion connect. Every group is
//! advanced alone and remembers the boxes of all that it went through. Where boxes of two groups meet after all, or those of a group and a given
//! body that it had left out, both start again as one. Groups only grow, so this ends.

use prall_geometry::Aabb;
use prall_math::{Motion, Pose, Twist};
use prall_mechanics::Budget;

use super::advance::{Advance, Scene, Tools};
use super::body::{SolidBody, SolidShape};
use super::broad::{Broad, Rules, may_meet};
use super::memory::Memory;
use super::solve::SolidJoint;
use super::{SolidContact, SolidImpact, SolidReport};
use crate::union::Union;

/// Part of a body's size by which its box is larger than its free way.
const ROOM: f64 = 0.05;

/// What a step came to.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) bodies: Vec<SolidBody>,
    /// Number of each joint in the world and the forces of its rows.
    pub(crate) joint_forces: Vec<(usize, Vec<f64>)>,
    pub(crate) contacts: Vec<SolidContact>,
    pub(crate) impacts: Vec<SolidImpact>,
    /// By body: its motion in each part, with the shares of the step.
    pub(crate) ways: Vec<Vec<(f64, f64, Motion)>>,
    pub(crate) report: SolidReport,
}

/// A group that has made its step.
struct Done {
    /// Bodies of the whole scene that it moved, by number, and what came of them.
    members: Vec<usize>,
    bodies: Vec<SolidBody>,
    ways: Vec<Vec<(f64, f64, Motion)>>,
    /// Shapes of the whole scene with the boxes that they went through.
    covers: Vec<(usize, Aabb)>,
    joint_forces: Vec<(usize, Vec<f64>)>,
    contacts: Vec<SolidContact>,
    impacts: Vec<SolidImpact>,
    report: SolidReport,
}

/// Advances a scene by `step` seconds.
pub(crate) fn advance(
    scene: &Scene<'_>,
    memory: &mut Memory,
    tools: &mut Tools,
    step: f64,
    budget: &mut Budget,
) -> Outcome {
    memory.begin_step();
    let boxes = free_boxes(scene, step);
    let mut groups = Groups::new(scene, &boxes);
    let mut done: Vec<Option<Done>> = Vec::new();
    done.resize_with(scene.bodies.len(), || None);
    loop {
        let waiting: Vec<usize> = groups.leads().into_iter().filter(|&lead| done[lead].is_none()).collect();
        for lead in waiting {
            let members = groups.members(lead);
            if !members.iter().any(|&at| scene.bodies[at].is_movable()) {
                // Nobody who could be met: who comes near joins them.
                done[lead] = Some(given(scene, &boxes, members, step));
                continue;
            }
            let group = run(scene, &boxes, &members, memory, tools, step, budget);
            // Once more from the start if it has met somebody.
            let met = groups.meetings(scene, &boxes, &group, &done);
            if met.is_empty() {
                done[lead] = Some(group);
                continue;
            }
            let forgotten: Vec<u32> =
                group.covers.iter().map(|(shape, _)| scene.shapes[*shape].slot).collect();
            memory.forget(|slot| forgotten.contains(&slot));
            for other in met {
                let joined = groups.join(lead, other);
                for number in [lead, other, joined] {
                    if let Some(group) = done[number].take() {
                        let slots: Vec<u32> =
                            group.covers.iter().map(|(shape, _)| scene.shapes[*shape].slot).collect();
                        memory.forget(|slot| slots.contains(&slot));
                    }
                }
            }
            break;
        }
        if groups.leads().into_iter().all(|lead| done[lead].is_some()) {
            break;
        }
    }
    memory.end_step();
    collected(scene, done)
}

/// Boxes of all shapes along their free ways.
fn free_boxes(scene: &Scene<'_>, step: f64) -> Vec<Aabb> {
    let ways: Vec<Twist> = scene.bodies.iter().map(|body| body.free_motion(step)).collect();
    let swept = scene.shapes.iter().map(|shape| {
        let body = &scene.bodies[shape.body];
        let room = if body.is_movable() { ROOM * shape.size } else { 0.0 };
        shape.swept_box(body, &ways[shape.body]).grown(room)
    });
    swept.collect()
}

/// Who is in which group.
struct Groups {
    union: Union,
    grouped: Vec<bool>,
}

impl Groups {
    fn new(scene: &Scene<'_>, boxes: &[Aabb]) -> Groups {
        let moves = |body: &SolidBody| body.is_movable() || body.velocity != Twist::ZERO;
        let grouped = scene.bodies.iter().map(moves).collect();
        let mut groups = Groups { union: Union::of(scene.bodies.len()), grouped };
        let mut broad = Broad::default();
        broad.pairs_of(boxes, &scene.bodies, &scene.shapes, &Rules { apart: scene.apart });
        let pairs = broad.pairs.iter().map(|pair| pair.map(|shape| scene.shapes[shape].body));
        for [a, b] in pairs.chain(scene.joints.iter().map(|joint| joint.bodies)) {
            if groups.grouped[a] && groups.grouped[b] {
                groups.join(a, b);
            }
        }
        groups
    }

    fn lead(&mut self, at: usize) -> usize {
        self.union.lead(at)
    }

    fn join(&mut self, a: usize, b: usize) -> usize {
        self.union.join(a, b)
    }

    fn leads(&mut self) -> Vec<usize> {
        (0..self.grouped.len()).filter(|&at| self.grouped[at] && self.union.lead(at) == at).collect()
    }

    fn members(&mut self, lead: usize) -> Vec<usize> {
        (0..self.grouped.len()).filter(|&at| self.grouped[at] && self.union.lead(at) == lead).collect()
    }

    /// Bodies of other groups that a group may have met: those that have made their step where they went, others where they will go.
    fn meetings(
        &mut self,
        scene: &Scene<'_>,
        boxes: &[Aabb],
        group: &Done,
        done: &[Option<Done>],
    ) -> Vec<usize> {
        let rules = Rules { apart: scene.apart };
        let mut met = Vec::new();
        for (mine, cover) in &group.covers {
            let shape = &scene.shapes[*mine];
            let meets = |other: usize, bounds: &Aabb| {
                bounds.overlaps(cover) && may_meet(&scene.bodies, shape, &scene.shapes[other], &rules)
            };
            for (other, bounds) in boxes.iter().enumerate() {
                let body = scene.shapes[other].body;
                let waits = self.grouped[body] && done[self.lead(body)].is_none();
                if waits && group.members.binary_search(&body).is_err() && meets(other, bounds) {
                    met.push(body);
                }
            }
            for finished in done.iter().flatten() {
                met.extend(
                    finished.covers.iter().filter(|(o, b)| meets(*o, b)).map(|(o, _)| scene.shapes[*o].body),
                );
            }
        }
        met.sort_unstable();
        met.dedup();
        met
    }
}

/// The step of bodies whose motion is given.
fn given(scene: &Scene<'_>, boxes: &[Aabb], members: Vec<usize>, step: f64) -> Done {
    let mut bodies: Vec<SolidBody> = members.iter().map(|&at| scene.bodies[at].clone()).collect();
    let mut ways = Vec::new();
    for body in &mut bodies {
        let x = body.free_motion(step);
        let way = body.motion(&Pose::IDENTITY, &x).map(|motion| (0.0, 1.0, motion));
        body.pose = body.moved(&x, 1.0);
        ways.push(way.into_iter().collect());
    }
    let own = |shape: &SolidShape<'_>| members.binary_search(&shape.body).is_ok();
    let covers = scene.shapes.iter().zip(boxes).enumerate().filter(|(_, (shape, _))| own(shape));
    let covers = covers.map(|(number, (_, bounds))| (number, *bounds)).collect();
    Done {
        members,
        bodies,
        ways,
        covers,
        joint_forces: Vec::new(),
        contacts: Vec::new(),
        impacts: Vec::new(),
        report: SolidReport::default(),
    }
}

/// The step of one group: its members, and every body that stands still near them.
fn run(
    scene: &Scene<'_>,
    boxes: &[Aabb],
    members: &[usize],
    memory: &mut Memory,
    tools: &mut Tools,
    step: f64,
    budget: &mut Budget,
) -> Done {
    let mut places = vec![usize::MAX; scene.bodies.len()];
    let mut bodies: Vec<SolidBody> = Vec::new();
    let mut own = Vec::new();
    for &at in members {
        places[at] = bodies.len();
        bodies.push(scene.bodies[at].clone());
        own.push(at);
    }
    let all = scene.shapes.iter().zip(boxes).filter(|(shape, _)| members.binary_search(&shape.body).is_ok());
    let room = all.fold(Aabb::EMPTY, |all, (_, bounds)| all.union(bounds));
    // Enough that a thrown member does not leave it in a step.
    let room = room.grown(room.half_extents().max_element());
    let mut shapes: Vec<SolidShape<'_>> = Vec::new();
    let mut numbers = Vec::new();
    let mut left_out = Vec::new();
    for (number, (shape, bounds)) in scene.shapes.iter().zip(boxes).enumerate() {
        let stands =
            !scene.bodies[shape.body].is_movable() && scene.bodies[shape.body].velocity == Twist::ZERO;
        if places[shape.body] == usize::MAX && stands {
            if !bounds.overlaps(&room) {
                left_out.push(number);
                continue;
            }
            places[shape.body] = bodies.len();
            bodies.push(scene.bodies[shape.body].clone());
        }
        if places[shape.body] != usize::MAX {
            shapes.push(SolidShape { body: places[shape.body], ..shape.clone() });
            numbers.push(number);
        }
    }
    let joints =
        scene.joints.iter().filter(|joint| joint.bodies.iter().any(|at| members.binary_search(at).is_ok()));
    let mut group_joints = Vec::new();
    for joint in joints {
        let ends = joint.bodies.map(|at| {
            if places[at] == usize::MAX {
                places[at] = bodies.len();
                bodies.push(scene.bodies[at].clone());
            }
            places[at]
        });
        group_joints.push(SolidJoint { bodies: ends, ..joint.clone() });
    }
    let part = Scene {
        bodies,
        shapes,
        joints: group_joints,
        apart: scene.apart,
        gravity: scene.gravity,
        assembly_speed: scene.assembly_speed,
        options: scene.options,
    };
    let mut advance = Advance::new(part, memory, tools, step);
    advance.run(budget);
    let covers: Vec<(usize, Aabb)> = numbers
        .iter()
        .zip(&advance.scene.shapes)
        .zip(&advance.covers)
        .filter(|((_, shape), _)| shape.body < members.len())
        .map(|((number, _), cover)| (*number, *cover))
        .collect();
    let rules = Rules { apart: scene.apart };
    let strayed = left_out.iter().any(|&other| {
        covers.iter().any(|(mine, cover)| {
            boxes[other].overlaps(cover)
                && may_meet(&scene.bodies, &scene.shapes[*mine], &scene.shapes[other], &rules)
        })
    });
    if strayed {
        // It has gone farther than anybody foresaw: once more, with everything that stands.
        let slots: Vec<u32> = covers.iter().map(|(shape, _)| scene.shapes[*shape].slot).collect();
        drop(advance);
        memory.forget(|slot| slots.contains(&slot));
        let everywhere: Vec<Aabb> = boxes
            .iter()
            .zip(&scene.shapes)
            .map(
                |(bounds, shape)| {
                    if members.binary_search(&shape.body).is_ok() { EVERYWHERE } else { *bounds }
                },
            )
            .collect();
        return run(scene, &everywhere, members, memory, tools, step, budget);
    }
    let Advance { scene: part, report, contacts, impacts, mut ways, .. } = advance;
    let Scene { mut bodies, joints, .. } = part;
    bodies.truncate(members.len());
    ways.truncate(members.len());
    let joint_forces = joints.into_iter().map(|joint| (joint.number, joint.forces)).collect();
    Done { members: own, bodies, ways, covers, joint_forces, contacts, impacts, report }
}

const EVERYWHERE: Aabb = Aabb { min: glam::DVec3::splat(-1e100), max: glam::DVec3::splat(1e100) };

fn collected(scene: &Scene<'_>, done: Vec<Option<Done>>) -> Outcome {
    let mut outcome = Outcome { bodies: scene.bodies.clone(), ..Outcome::default() };
    outcome.ways.resize(scene.bodies.len(), Vec::new());
    for group in done.into_iter().flatten() {
        for ((at, body), way) in group.members.into_iter().zip(group.bodies).zip(group.ways) {
            outcome.bodies[at] = body;
            outcome.ways[at] = way;
        }
        outcome.joint_forces.extend(group.joint_forces);
        outcome.contacts.extend(group.contacts);
        outcome.impacts.extend(group.impacts);
        outcome.report.add(&group.report);
    }
    outcome
}

//! A step by groups: bodies that cannot meet in the step have clocks of their own.
//!
//! Bodies whose boxes along their free ways meet are one group; so are those that joints or a moving body of given motion connect. Every group is
//! advanced alone and remembers the boxes of all that it went through. Where boxes of two groups meet after all, or those of a group and a given
//! body that it had left out, both start again as one. Groups only grow, so this ends.

use std::collections::BTreeMap;

use prall_geometry::Aabb;
use prall_math::{Motion, Pose, Twist};
use prall_mechanics::{Budget, Mover};

use super::advance::{Advance, Scene, Tools};
use super::body::{SolidBody, SolidShape};
use super::broad::{Broad, Rules, may_meet};
use super::machine::SolidMachine;
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
    movers: &mut [Box<dyn Mover>],
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
    let mut places = Places::new(scene, &boxes, &groups);
    loop {
        let waiting: Vec<(usize, Vec<usize>)> =
            groups.members().into_iter().filter(|(lead, _)| done[*lead].is_none()).collect();
        for (lead, members) in waiting {
            let moves = |body: &SolidBody| body.is_movable() || body.link.is_some();
            if !members.iter().any(|&at| moves(&scene.bodies[at])) {
                // Nobody who could be met: who comes near joins them.
                let group = given(scene, &boxes, &places, members, step);
                places.fill(&boxes, &group.covers);
                done[lead] = Some(group);
                continue;
            }
            let group = run(scene, &boxes, &places, &members, movers, memory, tools, step, budget);
            // Once more from the start if it has met somebody.
            let met = places.meetings(scene, &boxes, &group);
            if met.is_empty() {
                places.fill(&boxes, &group.covers);
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
                        places.clear(&group.covers);
                        let slots: Vec<u32> =
                            group.covers.iter().map(|(shape, _)| scene.shapes[*shape].slot).collect();
                        memory.forget(|slot| slots.contains(&slot));
                    }
                }
            }
            break;
        }
        if groups.members().keys().all(|lead| done[*lead].is_some()) {
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
        let moves =
            |body: &SolidBody| body.is_movable() || body.velocity != Twist::ZERO || body.link.is_some();
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
        for machine in &scene.machines {
            for pair in machine.links.windows(2) {
                groups.join(pair[0].1, pair[1].1);
            }
        }
        groups
    }

    fn join(&mut self, a: usize, b: usize) -> usize {
        self.union.join(a, b)
    }

    /// Members of each group, by its lead.
    fn members(&mut self) -> BTreeMap<usize, Vec<usize>> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in (0..self.grouped.len()).filter(|&at| self.grouped[at]) {
            members.entry(self.union.lead(at)).or_default().push(at);
        }
        members
    }
}

/// Where shapes are and will be, so that a group costs what is near it and not what is there.
struct Places {
    /// Shapes of each body.
    of_body: Vec<Vec<usize>>,
    /// Shapes of bodies that stand still.
    standing: Vec<usize>,
    /// Shapes of all others by the least x of their boxes, and the width of the widest box.
    order: Vec<usize>,
    widest: f64,
    /// By shape: what it went through, of groups that have made their step.
    covers: Vec<Option<Aabb>>,
    /// Those of them that left their boxes.
    strays: Vec<usize>,
}

impl Places {
    fn new(scene: &Scene<'_>, boxes: &[Aabb], groups: &Groups) -> Places {
        let mut of_body = vec![Vec::new(); scene.bodies.len()];
        for (number, shape) in scene.shapes.iter().enumerate() {
            of_body[shape.body].push(number);
        }
        let is_grouped = |number: &usize| groups.grouped[scene.shapes[*number].body];
        let (mut order, standing): (Vec<usize>, Vec<usize>) = (0..scene.shapes.len()).partition(is_grouped);
        order.sort_unstable_by(|&i, &j| boxes[i].min.x.total_cmp(&boxes[j].min.x).then(i.cmp(&j)));
        let widest = order.iter().map(|&shape| boxes[shape].max.x - boxes[shape].min.x).fold(0.0, f64::max);
        Places {
            of_body,
            standing,
            order,
            widest,
            covers: vec![None; scene.shapes.len()],
            strays: Vec::new(),
        }
    }

    /// Shapes of a group and of everything that stands still, in order.
    fn around(&self, members: &[usize]) -> Vec<usize> {
        let own = members.iter().flat_map(|&at| &self.of_body[at]);
        let mut shapes: Vec<usize> = own.chain(&self.standing).copied().collect();
        shapes.sort_unstable();
        shapes
    }

    /// A group has made its step.
    fn fill(&mut self, boxes: &[Aabb], covers: &[(usize, Aabb)]) {
        for (shape, cover) in covers {
            self.covers[*shape] = Some(*cover);
            if !(boxes[*shape].contains(cover.min) && boxes[*shape].contains(cover.max)) {
                self.strays.push(*shape);
            }
        }
    }

    /// A group will make its step again.
    fn clear(&mut self, covers: &[(usize, Aabb)]) {
        covers.iter().for_each(|(shape, _)| self.covers[*shape] = None);
        self.strays.retain(|shape| self.covers[*shape].is_some());
    }

    /// Bodies of other groups that a group may have met: those that have made their step where they went, others where they will go.
    fn meetings(&self, scene: &Scene<'_>, boxes: &[Aabb], group: &Done) -> Vec<usize> {
        let rules = Rules { apart: scene.apart };
        let mut met = Vec::new();
        for (mine, cover) in &group.covers {
            let first = self.order.partition_point(|&shape| boxes[shape].min.x < cover.min.x - self.widest);
            let beside = self.order[first..].iter().take_while(|&&shape| boxes[shape].min.x <= cover.max.x);
            for &other in beside.chain(&self.strays) {
                let bounds = self.covers[other].as_ref().unwrap_or(&boxes[other]);
                let body = scene.shapes[other].body;
                if bounds.overlaps(cover)
                    && group.members.binary_search(&body).is_err()
                    && may_meet(&scene.bodies, &scene.shapes[*mine], &scene.shapes[other], &rules)
                {
                    met.push(body);
                }
            }
        }
        met.sort_unstable();
        met.dedup();
        met
    }
}

/// The step of bodies whose motion is given.
fn given(scene: &Scene<'_>, boxes: &[Aabb], places: &Places, members: Vec<usize>, step: f64) -> Done {
    let mut bodies: Vec<SolidBody> = members.iter().map(|&at| scene.bodies[at].clone()).collect();
    let mut ways = Vec::new();
    for body in &mut bodies {
        let x = body.free_motion(step);
        let way = body.motion(&Pose::IDENTITY, &x).map(|motion| (0.0, 1.0, motion));
        body.pose = body.moved(&x, 1.0);
        ways.push(way.into_iter().collect());
    }
    let own = members.iter().flat_map(|&at| &places.of_body[at]);
    let covers = own.map(|&number| (number, boxes[number])).collect();
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
#[allow(clippy::too_many_arguments)]
fn run(
    scene: &Scene<'_>,
    boxes: &[Aabb],
    around: &Places,
    members: &[usize],
    movers: &mut [Box<dyn Mover>],
    memory: &mut Memory,
    tools: &mut Tools,
    step: f64,
    budget: &mut Budget,
) -> Done {
    // Numbers in the group of the bodies that are in it.
    let mut numbers_of: BTreeMap<usize, usize> = members.iter().copied().zip(0..).collect();
    let mut bodies: Vec<SolidBody> = members.iter().map(|&at| scene.bodies[at].clone()).collect();
    let own = members.to_vec();
    let all = members.iter().flat_map(|&at| &around.of_body[at]);
    let room = all.fold(Aabb::EMPTY, |all, &shape| all.union(&boxes[shape]));
    // Enough that a thrown member does not leave it in a step.
    let room = room.grown(room.half_extents().max_element());
    let mut shapes: Vec<SolidShape<'_>> = Vec::new();
    let mut numbers = Vec::new();
    let mut left_out = Vec::new();
    for number in around.around(members) {
        let shape = &scene.shapes[number];
        let body = match numbers_of.get(&shape.body) {
            Some(&body) => body,
            None if boxes[number].overlaps(&room) => {
                numbers_of.insert(shape.body, bodies.len());
                bodies.push(scene.bodies[shape.body].clone());
                bodies.len() - 1
            }
            None => {
                left_out.push(number);
                continue;
            }
        };
        shapes.push(SolidShape { body, ..shape.clone() });
        numbers.push(number);
    }
    let joints =
        scene.joints.iter().filter(|joint| joint.bodies.iter().any(|at| members.binary_search(at).is_ok()));
    let mut group_joints = Vec::new();
    for joint in joints {
        let ends = joint.bodies.map(|at| {
            *numbers_of.entry(at).or_insert_with(|| {
                bodies.push(scene.bodies[at].clone());
                bodies.len() - 1
            })
        });
        group_joints.push(SolidJoint { bodies: ends, ..joint.clone() });
    }
    let machines = scene
        .machines
        .iter()
        .filter(|machine| machine.links.first().is_some_and(|(_, at)| members.binary_search(at).is_ok()));
    let machines = machines.map(|machine| {
        let links = machine.links.iter().map(|&(link, at)| (link, numbers_of[&at])).collect();
        SolidMachine::new(machine.mover, links, machine.state.clone())
    });
    let part = Scene {
        machines: machines.collect(),
        bodies,
        shapes,
        joints: group_joints,
        apart: scene.apart,
        gravity: scene.gravity,
        assembly_speed: scene.assembly_speed,
        options: scene.options,
    };
    let mut advance = Advance::new(part, movers, memory, tools, step);
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
        return run(scene, &everywhere, around, members, movers, memory, tools, step, budget);
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

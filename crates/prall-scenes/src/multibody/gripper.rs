//! A gripper moves a tower of discs from peg to peg.

use super::MACHINE_SOLVERS;
use super::workshop::{Held, Piece, Workshop};
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use crate::world::contact_scenes::GRAVITY;
use crate::world::stage::{Palette, cuboid, cylinder, rough};
use crate::world::{Build, Stage, WorldDefinition};
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, Filter, WorldOptions};
use prall_geometry::{Mesh, MeshOptions, Shape, TriangleMesh, generate};
use prall_math::Pose;
use prall_multibody::{Drive, ForceElement, JointKind, Mechanism, Spring};
use std::f64::consts::PI;
use std::sync::Arc;

/// The Tower of Hanoi by two fingers: every disc is held by friction and threaded on its peg with 8 mm of play.
pub(crate) static GRIPPER: WorldDefinition = WorldDefinition {
    name: "gripper",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "discs",
            label: "Discs",
            unit: "",
            min: 1.0,
            max: 5.0,
            default: 3.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "Every disc more doubles the moves; from the next reset on",
        },
        Parameter {
            key: "grip",
            label: "Grip",
            unit: "N",
            min: 0.0,
            max: 60.0,
            default: 30.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "Force of each finger; too little, and friction does not carry the disc",
        },
        Parameter {
            key: "friction",
            label: "Friction",
            unit: "",
            min: 0.05,
            max: 1.0,
            default: 0.7,
            step: 0.05,
            scale: Scale::Linear,
            text: "Coulomb's coefficient of all surfaces, from the next reset on",
        },
        Parameter {
            key: "pace",
            label: "Time for a move",
            unit: "s",
            min: 2.0,
            max: 10.0,
            default: 4.0,
            step: 0.5,
            scale: Scale::Linear,
            text: "From the next reset on",
        },
    ],
    solvers: MACHINE_SOLVERS,
    build: Build::Gallery(build),
};

/// Distance between pegs, radius of a peg, and radius of a disc's hole, in m.
const SPACING: f64 = 0.4;
const PEG: f64 = 0.022;
const HOLE: f64 = 0.03;
/// Height of a disc, and corners around it.
const DISC: f64 = 0.04;
const CORNERS: u32 = 24;
/// Top of the base plate.
const BASE: f64 = 0.02;
/// How far a peg stands out of the whole tower, and the tool's way above that, in m.
const OVER: f64 = 0.015;
const ABOVE: f64 = 0.06;
/// Where the inner faces of the fingers stand at least, and how far they open from there, in m.
const CLOSED: f64 = 0.06;
const OPENING: f64 = 0.12;
/// A disc is let go so high above its place, in m.
const DROP: f64 = 1e-3;

fn build(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.75, 0.75, 1.5), target: DVec3::new(0.0, 0.24, 0.0) };
    let options = WorldOptions { time_step: 1.0 / 120.0, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    stage.ground(rough(0.5));
    stage.show(DVec3::new(-0.65, 0.0, -0.25), DVec3::new(0.65, 0.6, 0.25));
    let discs = values.of("discs").round() as usize;
    let friction = values.of("friction");
    pegs(&mut stage, discs, friction);
    tower(&mut stage, discs, friction);
    gantry(&mut stage, discs, Program::new(discs, values.of("pace")), friction);
    stage
}

fn mesh(soup: Result<prall_geometry::PolygonSoup, generate::GenerateError>) -> Shape {
    let soup = soup.expect("a scene's parts have a size");
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).expect("a scene's parts are meshes");
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).expect("a scene's parts are shapes")))
}

fn place_of(peg: usize) -> f64 {
    SPACING * (peg as f64 - 1.0)
}

/// Height of the middle of a disc that lies on `below` others, guards of the contacts included.
fn height_of(below: usize) -> f64 {
    BASE + 5e-5 + (DISC + 5e-5) * below as f64 + 0.5 * DISC
}

fn peg_height(discs: usize) -> f64 {
    DISC * discs as f64 + OVER
}

/// Height of the tool above the ground while all axes are at zero, in m: there it travels, with a disc above all pegs.
fn high(discs: usize) -> f64 {
    BASE + peg_height(discs) + 0.5 * DISC + ABOVE
}

fn pegs(stage: &mut Stage, discs: usize, friction: f64) {
    let (wood, steel) = (stage.look("#a5855b"), stage.metal("#8b949c"));
    let plate = BodyDefinition::fixed(cuboid(DVec3::new(0.62, 0.5 * BASE, 0.2)));
    stage.add("plate", &plate.at(DVec3::Y * (0.5 * BASE)).made_of(rough(friction)), wood);
    let height = peg_height(discs);
    for peg in 0..3 {
        let at = DVec3::new(place_of(peg), BASE + 0.5 * height, 0.0);
        let shape = BodyDefinition::fixed(cylinder(0.5 * height, PEG)).at(at).made_of(rough(0.3 * friction));
        stage.add(format!("peg {}", peg + 1), &shape, steel);
    }
}

/// Discs on the first peg, the smallest on top.
fn tower(stage: &mut Stage, discs: usize, friction: f64) {
    let palette = Palette::new(stage, &["#0a6b75", "#b5653f", "#c9a27c", "#5b646b", "#7d8f63"]);
    // A flat side of the rim faces each finger.
    let turn = DQuat::from_rotation_y(PI / f64::from(CORNERS));
    for number in 0..discs {
        let radius = 0.15 - 0.018 * number as f64;
        let shape = mesh(generate::tube(radius, HOLE, DISC, CORNERS));
        let at = DVec3::new(place_of(0), height_of(number), 0.0);
        let disc = BodyDefinition::dynamic(shape, 300.0).in_pose(Pose::new(turn, at));
        stage.add(format!("disc {}", number + 1), &disc.made_of(rough(friction)), palette.pick(number));
    }
}

/// A carriage on a rail, a ram in it, and two fingers at its end. The tool's place is half-way between the fingers' ends.
fn gantry(stage: &mut Stage, discs: usize, program: Program, friction: f64) {
    let (rail, paint) = (stage.metal("#5b646b"), stage.look("#c0562f"));
    let (steel, rubber) = (stage.metal("#b9c0c6"), stage.look("#2b3036"));
    let untouchable = Filter { groups: 1, mask: 0 };
    let bar = BodyDefinition::fixed(cuboid(DVec3::new(0.7, 0.015, 0.02)));
    let bar = BodyDefinition { filter: untouchable, ..bar };
    // Between the fingers a peg has room when the lowest disc is put down.
    let (tool, reach) = (DVec3::Y * high(discs), peg_height(discs) + 0.02);
    let top = tool.y + reach + 0.1;
    stage.add("rail", &bar.at(DVec3::new(0.0, top, -0.06)), rail);
    let mut workshop = Workshop::new(rough(friction));
    let slide = |axis: DVec3| Held { kind: JointKind::Prismatic, at: tool, axis };
    let carriage = cuboid(DVec3::new(0.06, 0.05, 0.035));
    let pieces = vec![Piece::new(DVec3::Y * (top - tool.y), carriage, 1000.0, paint)];
    workshop.body("carriage", None, tool, slide(DVec3::X), pieces, prall_multibody::Part::driven);
    // Long enough to stay in the carriage at the lowest disc.
    let length = 0.5 * (0.13 + tool.y - height_of(0));
    let stem = Piece::new(DVec3::Y * (reach + length), cylinder(length, 0.018), 2000.0, steel).untouched();
    let palm = cuboid(DVec3::new(0.03, 0.012, 0.22));
    let pieces = vec![stem, Piece::new(DVec3::Y * (reach + 0.012), palm, 1500.0, paint)];
    workshop.body("ram", Some("carriage"), tool, slide(DVec3::Y), pieces, prall_multibody::Part::driven);
    for (name, side) in [("left finger", -1.0), ("right finger", 1.0)] {
        let below = 0.3 * DISC;
        let finger = mesh(generate::cuboid(DVec3::new(0.03, reach + below, 0.012)));
        let middle = DVec3::new(0.0, 0.5 * (reach - below), side * (CLOSED + 0.006));
        let pieces = vec![Piece::new(middle, finger, 2000.0, rubber)];
        workshop.body(name, Some("ram"), tool, slide(DVec3::Z * side), pieces, |part| {
            part.with(finger_element(false, 0.0))
        });
    }
    let mut mechanism = workshop.build();
    place(&mut mechanism, &program);
    workshop.deliver(
        stage,
        "gripper",
        mechanism,
        Some(Box::new(move |values, time, h, mechanism| {
            let (along, up, grips) = program.at(time + h);
            mechanism.drive_within(0, 0, along, h);
            mechanism.drive_within(1, 0, up, h);
            for finger in [2, 3] {
                let element = finger_element(grips, values.of("grip"));
                mechanism
                    .tree_mut()
                    .set_element(finger, 0, element)
                    .expect("a force within the parameter's range");
            }
        })),
    );
}

/// Puts the tool where its program begins, with open fingers.
fn place(mechanism: &mut Mechanism, program: &Program) {
    let (along, up, _) = program.at(0.0);
    for (node, position) in [(0, along.position), (1, up.position), (2, OPENING), (3, OPENING)] {
        mechanism.tree_mut().set_coordinate(node, 0, position, 0.0);
    }
}

/// A motor that closes or opens a finger between its stops.
fn finger_element(grips: bool, force: f64) -> ForceElement {
    let stops = Spring::EndStops { low: 0.0, high: OPENING, stiffness: 2e4 };
    ForceElement { spring: stops, damping: 8.0, motor: if grips { -force } else { 6.0 } }
}

/// From where to where a disc goes: pegs, and discs that lie below it there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Move {
    pegs: [usize; 2],
    below: [usize; 2],
}

/// Moves of the tower from the first peg to the last and back again, for ever.
#[derive(Clone, Debug)]
struct Program {
    moves: Vec<Move>,
    /// Height of the tool in m at zero.
    high: f64,
    /// Time for a move in s.
    pace: f64,
}

impl Program {
    fn new(discs: usize, pace: f64) -> Program {
        let mut pairs = Vec::new();
        transfer(discs, [0, 2, 1], &mut pairs);
        transfer(discs, [2, 0, 1], &mut pairs);
        let mut on_peg = [discs, 0, 0];
        let moves = pairs.into_iter().map(|pegs: [usize; 2]| {
            on_peg[pegs[0]] -= 1;
            let below = pegs.map(|peg| on_peg[peg]);
            on_peg[pegs[1]] += 1;
            Move { pegs, below }
        });
        Program { moves: moves.collect(), high: high(discs), pace }
    }

    /// Targets of the axes along the rail and up, and whether the fingers close.
    fn at(&self, time: f64) -> (Drive, Drive, bool) {
        let turn = (time / self.pace).floor();
        let number = turn as usize % self.moves.len();
        let share = time / self.pace - turn;
        let Move { pegs: [from, to], below } = self.moves[number];
        let before = self.moves[(number + self.moves.len() - 1) % self.moves.len()];
        let start = if turn < 1.0 { place_of(from) } else { place_of(before.pegs[1]) };
        let (x0, x1) = (place_of(from), place_of(to));
        let (y0, y1) = (height_of(below[0]) - self.high, height_of(below[1]) + DROP - self.high);
        let along = [(0.0, start), (0.16, x0), (0.48, x0), (0.72, x1), (1.0, x1)];
        let up = [
            (0.0, 0.0),
            (0.16, 0.0),
            (0.3, y0),
            (0.38, y0),
            (0.5, 0.0),
            (0.7, 0.0),
            (0.82, y1),
            (0.9, y1),
            (1.0, 0.0),
        ];
        let follow = |keys: &[(f64, f64)]| follow(keys, share, self.pace);
        (follow(&along), follow(&up), (0.3..0.84).contains(&share))
    }
}

/// Moves that bring the upper `discs` of a peg to another one by way of a third.
fn transfer(discs: usize, [from, to, by]: [usize; 3], moves: &mut Vec<[usize; 2]>) {
    if discs > 0 {
        transfer(discs - 1, [from, by, to], moves);
        moves.push([from, to]);
        transfer(discs - 1, [by, to, from], moves);
    }
}

/// Between keys (share of a move, value) by half a wave of the cosine, so that nothing starts or stops with a jerk in its speed.
fn follow(keys: &[(f64, f64)], share: f64, pace: f64) -> Drive {
    let next = keys.partition_point(|(at, _)| *at <= share).clamp(1, keys.len() - 1);
    let ((from, a), (to, b)) = (keys[next - 1], keys[next]);
    let (span, way) = ((to - from) * pace, b - a);
    let angle = PI * ((share - from) / (to - from)).clamp(0.0, 1.0);
    let (sine, cosine) = libm::sincos(angle);
    let turn = PI / span;
    Drive {
        position: a + 0.5 * way * (1.0 - cosine),
        rate: 0.5 * way * turn * sine,
        acceleration: 0.5 * way * turn * turn * cosine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tower_of_three_takes_seven_moves_and_no_disc_lies_on_a_smaller_one() {
        let program = Program::new(3, 4.0);
        assert_eq!(program.moves.len(), 14);
        let mut pegs = [vec![0, 1, 2], vec![], vec![]];
        for (number, step) in program.moves.iter().enumerate() {
            let disc = pegs[step.pegs[0]].pop().unwrap();
            assert_eq!(step.below, step.pegs.map(|peg| pegs[peg].len()));
            assert!(pegs[step.pegs[1]].last().is_none_or(|below| *below < disc));
            pegs[step.pegs[1]].push(disc);
            if number == 6 {
                assert_eq!(pegs, [vec![], vec![], vec![0, 1, 2]]);
            }
        }
        assert_eq!(pegs, [vec![0, 1, 2], vec![], vec![]]);
    }
}

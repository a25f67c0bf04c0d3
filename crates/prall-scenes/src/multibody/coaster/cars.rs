//! The cars of the train, and what couples them.

use super::super::workshop::{Held, Piece, Workshop};
use crate::world::Stage;
use crate::world::stage::{cuboid, cylinder, sphere};
use glam::{DQuat, DVec3};
use prall_geometry::Shape;
use prall_math::{Norm, Pose};
use prall_multibody::{Force, JointKind, Loads, Part, Tree};
use std::f64::consts::FRAC_PI_2;

/// From car to car along the track, in m.
pub(super) const SPACING: f64 = 2.5;
/// From a car's middle to its coupler, and the height of that, in m.
const REACH: f64 = 1.0;
const HEIGHT: f64 = 0.3;
/// Of a coupler's buffer, in N/m and N s/m: it gives by some centimetres under the weight of the train on the lift.
const STIFFNESS: f64 = 4e5;
const DAMPING: f64 = 6e3;

/// Springs and dampers between neighbours.
pub(super) struct Couplers(usize);

impl Couplers {
    /// Between this many cars, which are the first bodies of the mechanism.
    pub(super) fn between(cars: usize) -> Couplers {
        Couplers(cars)
    }
}

impl Force for Couplers {
    fn act(&self, tree: &Tree, _time: f64, loads: &mut Loads) {
        for front in 0..self.0.saturating_sub(1) {
            let hook = |node: usize, side: f64| {
                // From the centre of mass, which all cars have at the same place.
                tree.pose(node).transform_point(DVec3::X * (side * REACH))
            };
            let (ahead, behind) = (hook(front, -1.0), hook(front + 1, 1.0));
            let way = ahead - behind;
            let length = way.norm();
            if !(length > 0.0) {
                continue;
            }
            let along = way / length;
            let parting =
                (tree.twist_at(front, ahead).linear - tree.twist_at(front + 1, behind).linear).dot(along);
            let pull = STIFFNESS * (length - (SPACING - 2.0 * REACH)) + DAMPING * parting;
            loads.push_at(tree, front, ahead, along * -pull);
            loads.push_at(tree, front + 1, behind, along * pull);
        }
    }
}

const RIDERS: [&str; 4] = ["#d9a441", "#3c6e9f", "#7d8f63", "#b5653f"];

/// Adds a car whose joint has this coordinate and its frame this pose: x along the track, y up from the rails.
pub(super) fn add(
    stage: &mut Stage,
    workshop: &mut Workshop,
    (number, count): (usize, usize),
    kind: JointKind,
    (start, pose): (f64, Pose),
) {
    let (paint, trim) = (stage.metal("#c0562f"), stage.look("#2b3138"));
    let (steel, seat) = (stage.metal("#8b949c"), stage.look("#3c444c"));
    let block = |x: f64, y: f64, z: f64, half: DVec3, density: f64, look: usize| {
        Piece::new(DVec3::new(x, y, z), cuboid(half), density, look)
    };
    let mut pieces = vec![
        block(0.0, HEIGHT, 0.0, DVec3::new(0.98, 0.1, 0.5), 900.0, trim),
        block(0.0, 0.47, 0.62, DVec3::new(0.95, 0.2, 0.05), 500.0, paint),
        block(0.0, 0.47, -0.62, DVec3::new(0.95, 0.2, 0.05), 500.0, paint),
        block(0.93, 0.55, 0.0, DVec3::new(0.06, 0.27, 0.6), 300.0, paint),
        block(-0.93, 0.55, 0.0, DVec3::new(0.06, 0.27, 0.6), 300.0, paint),
    ];
    if number == 0 {
        let nose = Shape::cone(0.35, 0.42).expect("a scene's cones have a size");
        let ahead = DQuat::from_rotation_z(-FRAC_PI_2);
        pieces.push(Piece::new(DVec3::new(1.3, 0.5, 0.0), nose, 0.0, paint).turned(ahead).untouched());
    } else {
        let link = cuboid(DVec3::new(0.5 * (SPACING - 2.0 * REACH) + 0.02, 0.05, 0.05));
        let at = DVec3::new(0.5 * SPACING, HEIGHT, 0.0);
        pieces.push(Piece::new(at, link, 0.0, steel).untouched());
    }
    let across = DQuat::from_rotation_x(FRAC_PI_2);
    for (x, z) in [(0.7, 0.58), (0.7, -0.58), (-0.7, 0.58), (-0.7, -0.58)] {
        let wheel = cylinder(0.06, 0.13);
        pieces.push(Piece::new(DVec3::new(x, 0.13, z), wheel, 0.0, trim).turned(across).untouched());
    }
    for (row, x) in [(0, 0.32), (1, -0.55)] {
        let back = block(x - 0.27, 0.8, 0.0, DVec3::new(0.05, 0.36, 0.5), 0.0, seat);
        pieces.push(back.untouched());
        for (side, z) in [(0, 0.26), (1, -0.26)] {
            let coat = stage.look(RIDERS[(number * 3 + row * 2 + side) % RIDERS.len()]);
            let skin = stage.look("#d8b08c");
            let chest = Shape::capsule(0.14, 0.17).expect("a scene's capsules have a size");
            pieces.push(Piece::new(DVec3::new(x - 0.03, 0.78, z), chest, 0.0, coat).untouched());
            pieces.push(Piece::new(DVec3::new(x, 1.2, z), sphere(0.13), 0.0, skin).untouched());
        }
    }
    let name = if count == 1 { "car".to_owned() } else { format!("car {}", number + 1) };
    let held = Held { kind, at: DVec3::ZERO, axis: DVec3::X };
    workshop.body(&name, None, DVec3::ZERO, held, pieces, |part| Part { pose, ..part }.from(start));
}

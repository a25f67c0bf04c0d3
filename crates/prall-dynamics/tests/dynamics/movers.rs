//! A mover with coordinates of its own among free bodies.

use crate::support::*;
use glam::{DMat3, DVec3};
use prall_dynamics::{Filter, Material, ShapeDefinition, Solver, World, WorldOptions};
use prall_geometry::Shape;
use prall_math::{Motion, Pose, Twist, Wrench};
use prall_mechanics::{Mover, MoverStateError, StateHash, TwistResponse};

/// A plate that can only go up and down: one link, one coordinate.
struct Lift {
    height: f64,
    speed: f64,
    mass: f64,
}

impl Mover for Lift {
    fn links(&self) -> usize {
        1
    }

    fn pose(&self, _link: u32) -> Pose {
        Pose::from_translation(DVec3::Y * self.height)
    }

    fn motion(&self, link: u32, h: f64) -> Motion {
        let twist = Twist::new(DVec3::Y * self.speed, DVec3::ZERO);
        Motion::from_twist(self.pose(link), DVec3::ZERO, twist, h).expect("a finite height and speed")
    }

    fn predict(&mut self, h: f64, gravity: DVec3) {
        self.speed += h * gravity.y;
    }

    fn twist_at(&self, _link: u32, _point: DVec3) -> Twist {
        Twist::new(DVec3::Y * self.speed, DVec3::ZERO)
    }

    fn response(&self, _at: (u32, DVec3), _due_to: (u32, DVec3)) -> TwistResponse {
        let up = DMat3::from_diagonal(DVec3::Y / self.mass);
        [[up, DMat3::ZERO], [DMat3::ZERO, DMat3::ZERO]]
    }

    fn apply(&mut self, _link: u32, _point: DVec3, percussion: Wrench) {
        self.speed += percussion.force.y / self.mass;
    }

    fn commit(&mut self, h: f64, fraction: f64) {
        self.height += h * fraction * self.speed;
    }

    fn energy(&self, gravity: DVec3) -> (f64, f64) {
        (0.5 * self.mass * self.speed * self.speed, -self.mass * gravity.y * self.height)
    }

    fn is_finite(&self) -> bool {
        self.height.is_finite() && self.speed.is_finite()
    }

    fn hash(&self, hash: &mut StateHash) {
        hash.number(self.height).number(self.speed);
    }

    fn save(&self) -> Vec<u8> {
        [self.height.to_le_bytes(), self.speed.to_le_bytes()].concat()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), MoverStateError> {
        let bytes: [u8; 16] = state.try_into().map_err(|_| MoverStateError("not 16 bytes".to_owned()))?;
        let number = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 of 16 bytes"));
        (self.height, self.speed) = (number(0), number(8));
        Ok(())
    }
}

fn lift(world: &mut World) -> prall_dynamics::MoverHandle {
    let shape = Shape::cuboid(DVec3::new(1.0, 0.1, 1.0)).unwrap();
    let plate = ShapeDefinition { pose: Pose::IDENTITY, shape, density: 0.0 };
    let mover = Box::new(Lift { height: 0.0, speed: 0.0, mass: 1000.0 });
    world.add_mover(mover, &[(0, plate, Material::default())], Filter::EVERYTHING).unwrap()
}

/// A box of 1000 kg falls with 2 m/s on a plate of 1000 kg: both go on with 1 m/s, and the momentum is that of the box.
#[test]
fn a_box_and_a_mover_share_their_momentum() {
    let options = WorldOptions { gravity: DVec3::ZERO, solver: Solver::Auto, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let plate = lift(&mut world);
    let body = world.add_body(&cube(0.5).at(DVec3::Y).moving(DVec3::Y * -2.0, DVec3::ZERO)).unwrap();
    run(&mut world, 60);
    let speed = world.mover(plate).unwrap().twist_at(0, DVec3::ZERO).linear.y;
    let of_box = world.velocity(body).unwrap().linear.y;
    assert!((speed + of_box + 2.0).abs() < 1e-9, "{speed} and {of_box}");
    assert!((speed - of_box).abs() < 1e-3, "they go on together");
    assert!(
        (world.pose(body).unwrap().translation.y - world.mover(plate).unwrap().pose(0).translation.y - 0.6)
            .abs()
            < 1e-3
    );
}

#[test]
fn a_world_with_a_mover_is_saved_and_restored() {
    let mut world = World::default();
    lift(&mut world);
    world.add_body(&cube(0.5).at(DVec3::Y)).unwrap();
    run(&mut world, 20);
    let saved = world.save();
    run(&mut world, 20);
    let hash = world.hash();
    world.restore(&saved).unwrap();
    run(&mut world, 20);
    assert_eq!(world.hash(), hash);
}

/// A mover that meets nobody is found by a ray where it has come to, and meets what is put in its way as if it had been watched all along.
#[test]
fn a_lone_mover_is_found_and_meets_what_comes() {
    let fallen = |watched: bool| {
        let mut world = World::default();
        let plate = lift(&mut world);
        if watched {
            let far = prall_dynamics::BodyDefinition::fixed(Shape::cuboid(DVec3::ONE).unwrap());
            world.add_body(&far.at(DVec3::X * 1e4)).unwrap();
        }
        run(&mut world, 60);
        let height = world.mover(plate).unwrap().pose(0).translation.y;
        assert!(height < -4.0);
        let ray = prall_geometry::Ray::new(DVec3::new(0.5, height + 5.0, 0.2), -DVec3::Y).unwrap();
        let hit = world.cast_ray(&ray, 10.0).unwrap().expect("the ray meets the plate").hit;
        assert!((hit.distance - 4.9).abs() < 1e-9, "{hit:?}");
        let body = world.add_body(&cube(0.5).at(DVec3::Y * (height - 1.0))).unwrap();
        run(&mut world, 60);
        let contact = world.pose(body).unwrap().translation.y;
        [height, contact, world.mover(plate).unwrap().pose(0).translation.y].map(f64::to_bits)
    };
    assert_eq!(fallen(false), fallen(true));
}

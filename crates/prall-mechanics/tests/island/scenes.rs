//! Islands that tests and benchmarks share.
#![allow(dead_code, reason = "each user takes its own part")]

use glam::{DMat3, DVec3};
use prall_math::Twist;
use prall_mechanics::island::{
    IslandBody, IslandContact, IslandCoupling, IslandEquation, IslandReport, IslandSolver, IslandTolerances,
};

/// Fall of a body that starts at rest, over a step of 1/60 s with the velocity of its end, in m.
pub(crate) const FALL: f64 = 9.81 / 3600.0;

/// Gap that the shared scenes keep, in m.
pub(crate) const GUARD: f64 = 1e-5;

/// Tolerances for answers that are compared with exact ones.
pub(crate) fn tight() -> IslandTolerances {
    IslandTolerances {
        gap: 1e-12,
        motion: 1e-13,
        relative_motion: 1e-10,
        cone: 1e-10,
        equation: 1e-12,
        max_outer: 60,
        max_newton: 60,
    }
}

/// Deterministic numbers in [-1, 1) (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    pub(crate) fn unit(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    pub(crate) bodies: Vec<IslandBody>,
    pub(crate) contacts: Vec<IslandContact>,
    pub(crate) equations: Vec<IslandEquation>,
    pub(crate) couplings: Vec<IslandCoupling>,
    pub(crate) x: Vec<Twist>,
}

impl Island {
    pub(crate) fn add_body(&mut self, mass: f64, inertia: DMat3, goal: Twist) -> u32 {
        self.bodies.push(IslandBody::new(mass, inertia, goal));
        self.x.push(Twist::ZERO);
        self.bodies.len() as u32 - 1
    }

    /// A cube that falls for a step.
    pub(crate) fn add_cube(&mut self, mass: f64, size: f64) -> u32 {
        let inertia = DMat3::from_diagonal(DVec3::splat(mass * size * size / 6.0));
        self.add_body(mass, inertia, Twist::new(DVec3::NEG_Y * FALL, DVec3::ZERO))
    }

    pub(crate) fn add_contact(&mut self, a: Option<u32>, b: Option<u32>, normal: DVec3, arms: [DVec3; 2]) {
        self.contacts.push(IslandContact {
            a,
            b,
            normal,
            arms,
            offset: 0.0,
            slip: DVec3::ZERO,
            friction: 0.5,
            normal_force: 0.0,
            tangential_force: DVec3::ZERO,
        });
    }

    /// Four points at the corners of the face `normal` that two cubes of the same size share.
    pub(crate) fn add_face(&mut self, a: Option<u32>, b: Option<u32>, normal: DVec3, half: f64) {
        let (first, second) = normal.any_orthonormal_pair();
        for (p, q) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let across = (first * p + second * q) * half;
            self.add_contact(a, b, normal, [across - normal * half, across + normal * half]);
        }
    }

    /// Three equations that hold the points `arms` of two bodies together.
    pub(crate) fn add_ball_joint(&mut self, a: Option<u32>, b: Option<u32>, arms: [DVec3; 2]) {
        for axis in DVec3::AXES {
            let angular = [arms[0].cross(axis), -arms[1].cross(axis)];
            self.equations.push(IslandEquation {
                a,
                b,
                linear: axis,
                angular,
                offset: 0.0,
                force: 0.0,
                bounds: IslandEquation::UNBOUNDED,
                softness: 0.0,
            });
        }
    }

    pub(crate) fn solve(&mut self, solver: &mut IslandSolver, tolerances: &IslandTolerances) -> IslandReport {
        solver.solve(
            &self.bodies,
            &self.couplings,
            &mut self.contacts,
            &mut self.equations,
            tolerances,
            &mut self.x,
        )
    }

    /// `J' F` of the rows, body by body.
    pub(crate) fn loads(&self) -> Vec<Twist> {
        let mut loads = vec![Twist::ZERO; self.bodies.len()];
        for contact in &self.contacts {
            let force = contact.normal * contact.normal_force + contact.tangential_force;
            for (body, arm, sign) in [(contact.a, contact.arms[0], 1.0), (contact.b, contact.arms[1], -1.0)] {
                if let Some(body) = body {
                    let load = Twist::new(force, arm.cross(force)) * sign;
                    loads[body as usize] = loads[body as usize] + load;
                }
            }
        }
        for equation in &self.equations {
            let sides = [
                (equation.a, Twist::new(equation.linear, equation.angular[0])),
                (equation.b, Twist::new(-equation.linear, equation.angular[1])),
            ];
            for (body, side) in sides {
                if let Some(body) = body {
                    loads[body as usize] = loads[body as usize] + side * equation.force;
                }
            }
        }
        loads
    }

    /// Gap and slip of a contact at the motion.
    pub(crate) fn gap_and_slip(&self, contact: &IslandContact) -> (f64, DVec3) {
        let point = |body: Option<u32>, arm: DVec3| {
            body.map_or(DVec3::ZERO, |b| {
                let x = self.x[b as usize];
                x.linear + x.angular.cross(arm)
            })
        };
        let p = point(contact.a, contact.arms[0]) - point(contact.b, contact.arms[1]);
        let n = contact.normal;
        (contact.offset + n.dot(p), contact.slip - n * n.dot(contact.slip) + p - n * n.dot(p))
    }

    pub(crate) fn equation_error(&self, equation: &IslandEquation) -> f64 {
        let side = |body: Option<u32>, linear: DVec3, angular: DVec3| {
            body.map_or(0.0, |b| {
                linear.dot(self.x[b as usize].linear) + angular.dot(self.x[b as usize].angular)
            })
        };
        equation.offset
            + side(equation.a, equation.linear, equation.angular[0])
            + side(equation.b, -equation.linear, equation.angular[1])
    }
}

/// Cubes of 1 kg and 0.1 m flush on each other and on the ground.
pub(crate) fn stack(count: u32) -> Island {
    let mut island = Island::default();
    for cube in 0..count {
        island.add_cube(1.0, 0.1);
        island.add_face(Some(cube), cube.checked_sub(1), DVec3::Y, 0.05);
    }
    island
}

/// A block of cubes, face to face in three directions, the lowest on the ground: at rest, or thrown together.
pub(crate) fn heap(sides: [u32; 3], thrown: bool) -> Island {
    let mut island = Island::default();
    let mut random = Random(7);
    let [nx, ny, nz] = sides;
    let number = |x: u32, y: u32, z: u32| (y * nz + z) * nx + x;
    for y in 0..ny {
        for z in 0..nz {
            for x in 0..nx {
                let cube = island.add_cube(1.0, 0.1);
                if thrown {
                    let goal = &mut island.bodies[cube as usize].goal;
                    goal.linear += random.vector() * 2e-3;
                    goal.angular += random.vector() * 2e-2;
                }
                island.add_face(Some(cube), (y > 0).then(|| number(x, y.wrapping_sub(1), z)), DVec3::Y, 0.05);
                if x > 0 {
                    island.add_face(Some(cube), Some(number(x - 1, y, z)), DVec3::X, 0.05);
                    let kept = island.contacts.len() - 2;
                    island.contacts.truncate(kept);
                }
                if z > 0 {
                    island.add_face(Some(cube), Some(number(x, y, z - 1)), DVec3::Z, 0.05);
                    let kept = island.contacts.len() - 2;
                    island.contacts.truncate(kept);
                }
            }
        }
    }
    if thrown {
        for contact in &mut island.contacts {
            contact.offset = 1e-3 * random.next().max(-0.001);
            contact.normal = (contact.normal + 0.02 * random.vector()).normalize();
        }
    }
    island
}

/// The same block in free fall, 0.2 mm apart, that lands with 0.3 m/s.
pub(crate) fn landing(sides: [u32; 3]) -> Island {
    let mut island = heap(sides, false);
    let mut random = Random(11);
    for body in &mut island.bodies {
        body.goal.linear += DVec3::NEG_Y * 5e-3 + random.vector() * 3e-4;
        body.goal.angular += random.vector() * 5e-3;
    }
    for contact in &mut island.contacts {
        contact.offset = 2e-4 * random.next().max(-0.01);
        contact.normal = (contact.normal + 0.02 * random.vector()).normalize();
    }
    island
}

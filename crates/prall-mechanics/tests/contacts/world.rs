//! A small world for tests and benchmarks: shapes on manifolds, semi-implicit steps, one contact law for all.

use glam::{DMat3, DQuat, DVec3};
use prall_detection::{
    Filter, ManifoldOptions, Manifolds, Method, PairIndex, ProxyId, Touchable, find_manifolds,
};
use prall_geometry::{HalfSpace, Shape};
use prall_math::{Pose, Twist, rotation};
use prall_mechanics::{
    Bodies, Body, Budget, ContactLaw, ContactOptions, ContactReport, ContactStep, Contacts, Movers,
    ProjectionReport, Side, Uncoupled,
};

pub(crate) struct World {
    pub(crate) bodies: Bodies,
    pub(crate) shapes: Vec<Shape>,
    touchables: Vec<Touchable>,
    pub(crate) laws: Vec<ContactLaw>,
    pub(crate) contacts: Contacts,
    pub(crate) options: ContactOptions,
    pub(crate) gravity: DVec3,
    pub(crate) h: f64,
    pub(crate) report: ContactReport,
    pub(crate) projection: ProjectionReport,
    pub(crate) lifted: f64,
    pub(crate) certified_steps: usize,
    pub(crate) steps: usize,
    pub(crate) pool: Option<rayon::ThreadPool>,
    index: PairIndex,
    proxies: Vec<ProxyId>,
    manifolds: Manifolds,
    before: Vec<Twist>,
    detected: bool,
}

pub(crate) fn law(friction: f64) -> ContactLaw {
    ContactLaw::new(0.0, friction, 0.0).unwrap()
}

impl World {
    pub(crate) fn new(h: f64) -> World {
        World {
            bodies: Bodies::default(),
            shapes: Vec::new(),
            touchables: Vec::new(),
            laws: Vec::new(),
            contacts: Contacts::new(),
            options: ContactOptions::default(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            h,
            report: ContactReport::default(),
            projection: ProjectionReport::default(),
            lifted: 0.0,
            certified_steps: 0,
            steps: 0,
            pool: None,
            index: PairIndex::new(Method::Tree),
            proxies: Vec::new(),
            manifolds: Manifolds::new(),
            before: Vec::new(),
            detected: false,
        }
    }

    pub(crate) fn register(&mut self, shape: Shape, pose: &Pose, law: ContactLaw) {
        self.touchables.push(Touchable::new(&shape).unwrap());
        self.proxies.push(self.index.insert(shape.aabb(pose), Filter::EVERYTHING).unwrap());
        self.shapes.push(shape);
        self.laws.push(law);
    }

    pub(crate) fn add_fixed(&mut self, shape: Shape, pose: Pose, law: ContactLaw) -> usize {
        self.register(shape, &pose, law);
        self.bodies.push_unmoved(pose, Twist::ZERO) as usize
    }

    /// Everything below y = 0, turned.
    pub(crate) fn add_ground(&mut self, turn: DQuat, friction: f64) -> usize {
        self.add_fixed(Shape::HalfSpace(HalfSpace), Pose::from_rotation(turn), law(friction))
    }

    pub(crate) fn add_box(&mut self, half: DVec3, pose: Pose, mass: f64, friction: f64) -> usize {
        let (x, y, z) = (half.x * half.x, half.y * half.y, half.z * half.z);
        let inertia = DMat3::from_diagonal(DVec3::new(y + z, x + z, x + y) * (mass / 3.0));
        let mut body = Body::new(mass, inertia).unwrap();
        body.pose = pose;
        self.register(Shape::cuboid(half).unwrap(), &pose, law(friction));
        self.bodies.push(&body) as usize
    }

    fn law_of(&self, a: usize, b: usize) -> ContactLaw {
        // The last one added decides, except that the ground never does.
        if self.bodies.is_movable(a.max(b)) { self.laws[a.max(b)] } else { self.laws[a.min(b)] }
    }

    pub(crate) fn detect(&mut self) {
        let reach = |world: &World, i: usize| {
            let v = &world.bodies.velocities[i];
            let radius = world.shapes[i].bounding_sphere().map_or(0.0, |s| s.radius);
            1.5 * world.h * (v.linear.length() + v.angular.length() * radius)
        };
        for i in 0..self.bodies.len() {
            let bounds = self.shapes[i].aabb(&self.bodies.poses[i]).grown(0.0025 + reach(self, i));
            self.index.update(self.proxies[i], bounds).unwrap();
        }
        self.contacts.begin();
        let slots = &self.proxies;
        debug_assert!(slots.iter().enumerate().all(|(i, p)| p.slot() == i));
        let pairs: Vec<(usize, usize)> = {
            let pairs = self.index.refresh();
            pairs.all.iter().map(|p| (p.a.slot(), p.b.slot())).collect()
        };
        for (a, b) in pairs {
            if !self.bodies.is_movable(a) && !self.bodies.is_movable(b) {
                continue;
            }
            let margin = 0.005 + reach(self, a) + reach(self, b);
            let options = ManifoldOptions { margin, most_points: 4 };
            let (pose_a, pose_b) = (&self.bodies.poses[a], &self.bodies.poses[b]);
            find_manifolds(
                &self.touchables[a],
                pose_a,
                &self.touchables[b],
                pose_b,
                &options,
                &mut self.manifolds,
            )
            .unwrap();
            let law = self.law_of(a, b);
            for points in self.manifolds.iter() {
                let key = (a as u64) << 32 | b as u64;
                self.contacts.add(key, Side::Body(a as u32), Side::Body(b as u32), points, &law);
            }
        }
        self.detected = true;
    }

    pub(crate) fn step(&mut self) {
        if !self.detected {
            self.detect();
        }
        self.solve(&mut Budget::unlimited());
        self.commit();
        self.detect();
        let mut movers = Movers { bodies: &mut self.bodies, others: &mut [] };
        let budget = &mut Budget::unlimited();
        self.projection = self.contacts.project(&mut movers, self.gravity, &self.options, budget);
        self.lifted += self.projection.energy;
        self.steps += 1;
        self.certified_steps += usize::from(self.report.certified == self.report.islands);
    }

    /// Velocities to the end of the step.
    pub(crate) fn solve(&mut self, budget: &mut Budget) {
        self.before.clone_from(&self.bodies.velocities);
        for i in 0..self.bodies.len() {
            if self.bodies.is_movable(i) {
                self.bodies.velocities[i].linear += self.gravity * self.h;
            }
        }
        let step = ContactStep { h: self.h, gravity: self.gravity, before: &self.before, rolling: &[] };
        let mut movers = Movers { bodies: &mut self.bodies, others: &mut [] };
        let pool = self.pool.as_ref();
        self.report = self.contacts.solve(&mut movers, &mut Uncoupled, &step, &self.options, budget, pool);
    }

    /// Poses follow velocities; turning by the midpoint rule, with the angular momentum kept.
    pub(crate) fn commit(&mut self) {
        let h = self.h;
        for i in 0..self.bodies.len() {
            let velocity = self.bodies.velocities[i];
            self.bodies.poses[i].translation += velocity.linear * h;
            if velocity.angular == DVec3::ZERO {
                continue;
            }
            if !self.bodies.is_movable(i) {
                let pose = &mut self.bodies.poses[i];
                pose.rotation = rotation::advance(pose.rotation, velocity.angular, h);
                continue;
            }
            let kept = self.bodies.angular_momentum(i);
            let start = self.bodies.poses[i].rotation;
            let spin = |bodies: &mut Bodies, rotation: DQuat| {
                bodies.poses[i].rotation = rotation;
                bodies.turn_inertia(i);
                bodies.responses[i].inverse_inertia * kept
            };
            let middle = spin(&mut self.bodies, rotation::advance(start, velocity.angular, 0.5 * h));
            let end = spin(&mut self.bodies, rotation::advance(start, middle, h));
            self.bodies.velocities[i].angular = end;
        }
    }
}

/// A box on its place, with the disturbance of a test: shifted, turned, and lifted by a gap per height.
pub(crate) struct Disturbance {
    pub(crate) shift: f64,
    pub(crate) turn: f64,
    pub(crate) gap: f64,
    pub(crate) state: u64,
}

impl Disturbance {
    pub(crate) fn none() -> Disturbance {
        Disturbance { shift: 0.0, turn: 0.0, gap: 0.0, state: 1 }
    }

    fn number(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn place(&mut self, world: &mut World, half: DVec3, centre: DVec3, mass: f64) -> usize {
        let shift = DVec3::new(self.number() * half.x, 0.0, self.number() * half.z) * self.shift;
        let lift = DVec3::Y * (self.gap * centre.y);
        let turn = DQuat::from_scaled_axis(DVec3::Y * (self.number() * self.turn));
        world.add_box(half, Pose::new(turn, centre + shift + lift), mass, 0.5)
    }
}

pub(crate) fn tower(h: f64, count: usize, disturbance: &mut Disturbance) -> World {
    let mut world = World::new(h);
    world.add_ground(DQuat::IDENTITY, 0.5);
    for i in 0..count {
        disturbance.place(&mut world, DVec3::splat(0.5), DVec3::Y * (0.5 + i as f64), 1.0);
    }
    world
}

/// 14 rows of 18 bricks.
pub(crate) fn wall(h: f64, disturbance: &mut Disturbance) -> World {
    let mut world = World::new(h);
    world.add_ground(DQuat::IDENTITY, 0.5);
    let half = DVec3::new(0.25, 0.1, 0.125);
    for row in 0..14 {
        for column in 0..18 {
            let x = (column as f64 + 0.25 * (row % 2) as f64) * 2.02 * half.x;
            disturbance.place(&mut world, half, DVec3::new(x, half.y * (1 + 2 * row) as f64, 0.0), 4.0);
        }
    }
    world
}

/// Layers of n x n, (n - 1) x (n - 1), .. boxes; 10 layers are 385.
pub(crate) fn pyramid(h: f64, layers: usize, disturbance: &mut Disturbance) -> World {
    let mut world = World::new(h);
    world.add_ground(DQuat::IDENTITY, 0.5);
    for layer in 0..layers {
        let across = layers - layer;
        for i in 0..across {
            for k in 0..across {
                let at = |i: usize| (i as f64 - 0.5 * (across - 1) as f64) * 1.03;
                let centre = DVec3::new(at(i), 0.5 + layer as f64, at(k));
                disturbance.place(&mut world, DVec3::splat(0.5), centre, 1.0);
            }
        }
    }
    world
}

/// Rows of n, n - 1, .. boxes in a plane, `spacing` times their width apart; 100 rows are 5,050.
pub(crate) fn flat_pyramid(h: f64, rows: usize, spacing: f64, disturbance: &mut Disturbance) -> World {
    let mut world = World::new(h);
    world.add_ground(DQuat::IDENTITY, 0.5);
    for row in 0..rows {
        for i in 0..rows - row {
            let x = (i as f64 - 0.5 * (rows - row - 1) as f64) * spacing;
            disturbance.place(&mut world, DVec3::splat(0.5), DVec3::new(x, 0.5 + row as f64, 0.0), 1.0);
        }
    }
    world
}

//! What scenes of contacts and nets cost, and how deep bodies overlap meanwhile: `contact_speed SCENE [STEPS] [SIZE] [KEY=VALUE]...`
//!
//! Scenes: `funnel60` and `funnel240` (cubes through a funnel, at 1/60 and 1/240 s), `hulls` (boxes, balls and hulls on a mesh), `bouncing`,
//! `grid` (a hanging net), `swing` (the same, pushed). Keys: `parts`, `sweeps`, `inner`, `velocity` (m/s), `margin` (m), `shock`, `rest`,
//! `position` (m), `corrections`. Overlaps are the auditor's, of twelve looks; times are those of the last half of the steps.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use glam::{DQuat, DVec3};
use prall_detection::Filter;
use prall_dynamics::{BodyDefinition, BodyHandle, JointDefinition, World, WorldOptions};
use prall_geometry::{ConvexHull, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_math::Pose;
use prall_mechanics::Material;
use prall_mechanics::audit::{AuditBody, Auditor};

/// Looks of the auditor.
const LOOKS: usize = 12;

/// A world with what its auditor has to know.
struct Scene {
    world: World,
    bodies: Vec<BodyHandle>,
    auditor: Auditor,
}

impl Scene {
    fn new(options: WorldOptions) -> Result<Scene, Box<dyn Error>> {
        Ok(Scene { world: World::new(options)?, bodies: Vec::new(), auditor: Auditor::new() })
    }

    fn add(&mut self, body: &BodyDefinition, movable: bool) -> Result<BodyHandle, Box<dyn Error>> {
        let handle = self.world.add_body(body)?;
        self.bodies.push(handle);
        self.auditor.add_body(AuditBody {
            shape: body.shapes[0].shape.clone(),
            movable,
            filter: body.filter,
        });
        Ok(handle)
    }

    fn poses(&self) -> Result<Vec<Pose>, Box<dyn Error>> {
        Ok(self.bodies.iter().map(|body| self.world.pose(*body)).collect::<Result<_, _>>()?)
    }
}

/// Cubes of 10 cm above a funnel of four plates (Bender 2007).
fn funnel(options: WorldOptions, count: usize) -> Result<Scene, Box<dyn Error>> {
    let mut scene = Scene::new(options)?;
    let material = Material { static_friction: 0.3, dynamic_friction: 0.3, ..Material::default() };
    let fixed = |half: DVec3| -> Result<_, Box<dyn Error>> {
        Ok(BodyDefinition::fixed(Shape::cuboid(half)?).made_of(material))
    };
    scene.add(&fixed(DVec3::new(20.0, 0.5, 20.0))?.at(DVec3::Y * -0.5), false)?;
    let (outlet, top, low, high) = (0.55, 1.6, 1.5, 2.7);
    let along = DVec3::new(top - outlet, high - low, 0.0);
    let inwards = DVec3::new(-along.y, along.x, 0.0).normalize();
    let plate = Pose::new(
        DQuat::from_rotation_z(libm::atan2(along.y, along.x)),
        DVec3::new(0.5 * (outlet + top), 0.5 * (low + high), 0.0) - inwards * 0.05,
    );
    let rim = Pose::from_translation(DVec3::new(top + 0.05, high + 1.0, 0.0));
    for side in 0..4 {
        let turn = Pose::from_rotation(DQuat::from_rotation_y(f64::from(side) * std::f64::consts::FRAC_PI_2));
        scene.add(&fixed(DVec3::new(0.5 * along.length(), 0.05, top + 0.1))?.in_pose(turn * plate), false)?;
        scene.add(&fixed(DVec3::new(0.05, 1.05, top + 0.1))?.in_pose(turn * rim), false)?;
    }
    let cube = BodyDefinition::dynamic(Shape::cuboid(DVec3::splat(0.05))?, 500.0).made_of(material);
    let middle = 0.5 * (count as f64 - 1.0);
    for i in 0..count * count * count {
        let (x, y, z) = (i % count, i / (count * count), i / count % count);
        let turn = DQuat::from_rotation_y(0.3 * y as f64);
        let at =
            DVec3::new((x as f64 - middle) * 0.16, high + 0.2 + y as f64 * 0.16, (z as f64 - middle) * 0.16);
        let shift = |k: usize| 0.004 * ((i * k) % 11) as f64 - 0.02;
        let pose = Pose::new(turn, turn * at + DVec3::new(shift(7), 0.0, shift(5)));
        scene.add(&cube.clone().in_pose(pose), true)?;
    }
    Ok(scene)
}

/// Boxes, balls, capsules and hulls that fall on a hilly mesh of 20,000 triangles, `count` x `count` of them in each of four layers.
fn hulls(options: WorldOptions, count: usize) -> Result<Scene, Box<dyn Error>> {
    let mut scene = Scene::new(options)?;
    let material =
        Material { static_friction: 0.5, dynamic_friction: 0.5, restitution: 0.6, ..Material::default() };
    let cells = 100;
    let place = |k: usize| 3.0 * (k as f64 - 0.5 * cells as f64);
    let height = |x: usize, z: usize| 5.0 * libm::sin(0.5 * x as f64) * libm::cos(0.5 * z as f64);
    let corner = |i: usize| (i / (cells + 1), i % (cells + 1));
    let positions = (0..(cells + 1) * (cells + 1))
        .map(corner)
        .map(|(x, z)| DVec3::new(place(x), height(x, z), place(z)))
        .collect();
    let at = |x: usize, z: usize| (x * (cells + 1) + z) as u32;
    let triangles: Vec<[u32; 3]> = (0..cells * cells)
        .map(|i| (i / cells, i % cells))
        .flat_map(|(x, z)| {
            let (here, across) = (at(x, z), at(x + 1, z + 1));
            [[here, at(x, z + 1), across], [here, across, at(x + 1, z)]]
        })
        .collect();
    let mesh =
        Mesh::from_soup(&PolygonSoup::from_triangles(positions, &triangles)?, &MeshOptions::default())?;
    let ground = Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh))?));
    scene.add(&BodyDefinition::fixed(ground).made_of(material), false)?;
    let square = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    let pyramid =
        [square(-1.0, -1.0), square(1.0, -1.0), square(1.0, 1.0), square(-1.0, 1.0), DVec3::Y * 1.5];
    let shapes = [
        Shape::cuboid(DVec3::new(0.5, 0.75, 1.0))?,
        Shape::sphere(1.0)?,
        Shape::capsule(0.75, 0.5)?,
        Shape::ConvexHull(Arc::new(ConvexHull::from_points(&pyramid)?)),
    ];
    for i in 0..4 * count * count {
        let (layer, place) = (i / (count * count), i % (count * count));
        let grid = DVec3::new((place % count) as f64, 0.0, (place / count) as f64);
        let pose = Pose::new(
            DQuat::from_rotation_x(0.3 * place as f64),
            7.5 * (grid - 0.5 * (count as f64 - 1.0) * square(1.0, 1.0))
                + DVec3::Y * (15.0 + 2.5 * layer as f64),
        );
        let shape = shapes[(layer + place) % shapes.len()].clone();
        scene.add(&BodyDefinition::dynamic(shape, 100.0).in_pose(pose).made_of(material), true)?;
    }
    Ok(scene)
}

/// Balls that fall on a plate and rebound without loss.
fn bouncing(options: WorldOptions, count: usize) -> Result<Scene, Box<dyn Error>> {
    let mut scene = Scene::new(options)?;
    let material =
        Material { static_friction: 0.0, dynamic_friction: 0.0, restitution: 1.0, ..Material::default() };
    let plate = BodyDefinition::fixed(Shape::cuboid(DVec3::new(20.0, 0.5, 20.0))?).made_of(material);
    scene.add(&plate.at(DVec3::Y * -0.5), false)?;
    let ball = BodyDefinition::dynamic(Shape::sphere(0.1)?, 1000.0).made_of(material);
    for i in 0..count * count {
        let at = DVec3::new((i % count) as f64, 1.0 + 0.01 * i as f64, (i / count) as f64);
        scene.add(&ball.clone().at(at), true)?;
    }
    Ok(scene)
}

/// A net of balls on ball joints, its upper edge fixed; `push` is the speed of its lower half, in m/s.
fn net(options: WorldOptions, size: usize, push: f64) -> Result<Scene, Box<dyn Error>> {
    let mut scene = Scene::new(options)?;
    let apart = Filter { groups: 1, mask: 0 };
    let ball = BodyDefinition { filter: apart, ..BodyDefinition::dynamic(Shape::sphere(0.4)?, 1.0) };
    let fixed = BodyDefinition { filter: apart, ..BodyDefinition::fixed(Shape::sphere(0.4)?) };
    let mut bodies: Vec<BodyHandle> = Vec::new();
    for i in 0..size * size {
        let (column, row) = (i / size, i % size);
        let place = DVec3::new(column as f64, -(row as f64), 0.0);
        let body = scene.add(&if row == 0 { &fixed } else { &ball }.clone().at(place), row > 0)?;
        if row > 0 {
            scene.world.add_joint(&JointDefinition::ball(bodies[i - 1], body, place + DVec3::Y * 0.5))?;
        }
        if row > 0 && column > 0 {
            scene.world.add_joint(&JointDefinition::ball(bodies[i - size], body, place - DVec3::X * 0.5))?;
        }
        if 2 * row > size {
            scene
                .world
                .set_velocity(body, prall_math::Twist { linear: DVec3::Z * push, angular: DVec3::ZERO })?;
        }
        bodies.push(body);
    }
    Ok(scene)
}

/// Time that this thread has computed, in s; the clock's where the system does not tell.
fn processor_time() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds =
        told.and_then(|text| text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = WorldOptions::default();
    let mut plain = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            None => plain.push(argument),
            Some(("parts", value)) => options.most_substeps = value.parse()?,
            Some(("sweeps", value)) => options.contact.most_sweeps = value.parse()?,
            Some(("inner", value)) => options.contact.inner = value.parse()?,
            Some(("velocity", value)) => options.contact.velocity_tolerance = value.parse()?,
            Some(("margin", value)) => options.contact_margin = value.parse()?,
            Some(("shock", value)) => options.contact.shock = value == "1",
            Some(("rest", value)) => options.contact.rest_certificate = value == "1",
            Some(("position", value)) => options.contact.position_tolerance = value.parse()?,
            Some(("corrections", value)) => options.contact.position_sweeps = value.parse()?,
            Some((key, _)) => return Err(format!("there is no key {key}").into()),
        }
    }
    let name = plain.first().map_or("funnel60", String::as_str);
    let steps: usize = plain.get(1).map_or(Ok(75), |steps| steps.parse())?;
    let size: usize = plain.get(2).map_or(Ok(6), |size| size.parse())?;
    let at = |rate: f64| WorldOptions { time_step: 1.0 / rate, ..options };
    let mut scene = match name {
        "funnel60" => funnel(at(60.0), size)?,
        "funnel240" => funnel(at(240.0), size)?,
        "bouncing" => bouncing(at(240.0), size)?,
        "hulls" => hulls(at(60.0), size)?,
        "grid" => net(at(60.0), size, 0.0)?,
        "swing" => net(at(60.0), size, 2.0)?,
        _ => return Err(format!("there is no scene {name}").into()),
    };
    let (mut seconds, mut p99, mut deepest, mut joint_error, mut sweeps, mut left) =
        (0.0, 0.0_f64, 0.0_f64, 0.0_f64, 0, 0.0_f64);
    let mut phases = [0.0; 4];
    let (start_energy, mut taken) = (scene.world.energy().total(), [0.0; 5]);
    for step in 0..steps {
        let start = processor_time();
        scene.world.advance();
        let (report, details) = (scene.world.report().clone(), *scene.world.details());
        if 2 * step >= steps {
            seconds += processor_time() - start;
            let own =
                [report.phases.detect, report.phases.solve, report.phases.contacts, report.phases.commit];
            phases.iter_mut().zip(own).for_each(|(sum, own)| *sum += own.as_secs_f64());
            sweeps += report.sweeps;
            left = left.max(report.velocity_error);
        }
        joint_error = joint_error.max(details.joint_error);
        let energy = &report.energy;
        let own = [
            energy.impacts,
            energy.friction,
            energy.shock,
            energy.projection,
            energy.stopping + energy.integration + energy.clamped,
        ];
        taken.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        if (step + 1) % steps.div_ceil(LOOKS) == 0 {
            let audit = scene.auditor.audit(&scene.poses()?)?;
            (p99, deepest) = (p99.max(audit.penetration_p99), deepest.max(audit.penetration_max));
        }
    }
    let per_step = 1e3 / steps.div_ceil(2) as f64;
    let [detect, solve, project, commit] = phases.map(|sum| sum * per_step);
    println!(
        "{name} {size}: {:.3} ms per step (detect {detect:.3}, solve {solve:.3}, project {project:.3}, move {commit:.3}), {:.1} sweeps, \
         left {left:.1e} m/s; overlap p99 {:.3} mm, deepest {:.3} mm; joint error {joint_error:.1e} m, {} factorisations",
        seconds * per_step,
        sweeps as f64 * per_step * 1e-3,
        p99 * 1e3,
        deepest * 1e3,
        scene.world.details().factorisations,
    );
    let [impacts, friction, shock, projection, rest] = taken;
    println!(
        "energy {:.3e} J: impacts {impacts:.2e}, friction {friction:.2e}, shock pass {shock:.2e}, projection {projection:.2e}, rest {rest:.2e}",
        scene.world.energy().total() - start_energy,
    );
    Ok(())
}

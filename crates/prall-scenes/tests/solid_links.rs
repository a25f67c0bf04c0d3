//! Links of machines among meshes: nothing overlaps at any moment, and forces are those of statics.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{BuildOptions, Filter, Hierarchy, Workspace, overlap};
use prall_dynamics::{
    BodyDefinition, BodyHandle, Material, MoverHandle, Party, ShapeDefinition, SolidOptions, World,
    WorldOptions,
};
use prall_geometry::{MassProperties, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
use prall_math::{Pose, Twist};
use prall_mechanics::Budget;
use prall_mechanics::tree::{Drive, ForceElement, Spring};
use prall_multibody::{JointKind, Mechanism, Model, Part};

const G: f64 = 9.81;

fn mesh(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

/// A mesh box with these edges.
fn block(size: DVec3) -> Shape {
    mesh(&generate::cuboid(size).unwrap())
}

fn rough(friction: f64) -> Material {
    Material {
        static_friction: friction,
        dynamic_friction: friction,
        restitution: 0.0,
        ..Material::default()
    }
}

fn floor(friction: f64) -> BodyDefinition {
    let slab = block(DVec3::new(4.0, 0.2, 4.0));
    BodyDefinition::fixed(slab).at(DVec3::Y * -0.1).made_of(rough(friction))
}

fn mass_of(shape: &Shape, density: f64) -> MassProperties {
    shape.mass_properties(density).unwrap()
}

/// Shapes on links, by link.
struct Machine {
    mechanism: Mechanism,
    shapes: Vec<(u32, ShapeDefinition, Material)>,
}

impl Machine {
    fn new(model: &Model) -> Machine {
        Machine { mechanism: model.build().unwrap(), shapes: Vec::new() }
    }

    /// A shape whose centre is the link's centre of mass.
    fn shape(mut self, link: u32, shape: &Shape, friction: f64) -> Machine {
        let part = ShapeDefinition { pose: Pose::IDENTITY, shape: shape.clone(), density: 0.0 };
        self.shapes.push((link, part, rough(friction)));
        self
    }

    fn add_to(self, judge: &mut Judge, world: &mut World) -> MoverHandle {
        let handle = world.add_mover(Box::new(self.mechanism), &self.shapes, Filter::EVERYTHING).unwrap();
        for (link, part, _) in &self.shapes {
            judge.links.push((handle, *link, tree_of(&part.shape)));
        }
        handle
    }
}

fn tree_of(shape: &Shape) -> Hierarchy {
    let Shape::TriangleMesh(surface) = shape else { unreachable!("the scenes are made of meshes") };
    let triangles: Vec<_> =
        (0..surface.mesh().triangles().len()).map(|t| surface.mesh().triangle_points(t)).collect();
    Hierarchy::build(&triangles, &BuildOptions::default()).unwrap()
}

/// Looks at triangles along the ways that everything took, and shares nothing with the solver.
#[derive(Default)]
struct Judge {
    links: Vec<(MoverHandle, u32, Hierarchy)>,
    bodies: Vec<(BodyHandle, Hierarchy)>,
    workspace: Workspace,
    looks: usize,
}

impl Judge {
    fn body(&mut self, world: &mut World, definition: &BodyDefinition) -> BodyHandle {
        let body = world.add_body(definition).unwrap();
        self.bodies.push((body, tree_of(&definition.shapes[0].shape)));
        body
    }

    /// True if something overlaps at one of some moments of the last step.
    fn sees_overlap(&mut self, world: &World) -> bool {
        const MOMENTS: usize = 8;
        for moment in 1..=MOMENTS {
            let share = moment as f64 / MOMENTS as f64;
            let bodies: Vec<Pose> = self
                .bodies
                .iter()
                .map(|(body, _)| {
                    let way = world.pose_during(*body, share).unwrap();
                    way.unwrap_or_else(|| world.pose(*body).unwrap())
                })
                .collect();
            let links: Vec<Pose> = self
                .links
                .iter()
                .map(|(mover, link, _)| {
                    let way = world.link_pose_during(*mover, *link, share).unwrap();
                    way.unwrap_or_else(|| world.mover(*mover).unwrap().pose(*link))
                })
                .collect();
            for ((mover, _, tree), pose) in self.links.iter().zip(&links) {
                let others = self.bodies.iter().zip(&bodies).map(|((_, tree), pose)| (tree, pose));
                let machines = self.links.iter().zip(&links).filter(|((other, ..), _)| other != mover);
                for (other, other_pose) in others.chain(machines.map(|((_, _, tree), pose)| (tree, pose))) {
                    self.looks += 1;
                    if overlap(tree, pose, other, other_pose, &mut self.workspace).unwrap().is_some() {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn run(&mut self, world: &mut World, steps: usize) {
        for step in 0..steps {
            world.step(&mut Budget::unlimited());
            assert!(!self.sees_overlap(world), "step {step}");
            assert!(world.is_finite(), "step {step}");
        }
    }
}

fn world(h: f64) -> World {
    World::new(WorldOptions { time_step: h, ..WorldOptions::default() }).unwrap()
}

fn is_link(party: Party) -> bool {
    matches!(party, Party::Link(..))
}

/// Vertical force in N that contacts with a machine's links bear.
fn lift_on_links(world: &World) -> f64 {
    let marks = world.contact_marks().filter(|mark| is_link(mark.a) != is_link(mark.b));
    marks.map(|mark| if is_link(mark.a) { mark.force.y } else { -mark.force.y }).sum()
}

/// A beam of 2 kg and 1 m, hinged at its left end 0.3 m above a floor, with a block of 1 kg at its right end.
fn hinged_beam(judge: &mut Judge, world: &mut World) -> MoverHandle {
    let (beam, foot) = (block(DVec3::new(0.9, 0.05, 0.05)), block(DVec3::new(0.1, 0.1, 0.1)));
    let hinge = DVec3::new(-0.5, 0.3, 0.0);
    let mut model = Model::default();
    let beam_mass = mass_of(&beam, 2.0 / (0.9 * 0.05 * 0.05));
    let pose = Pose::from_translation(DVec3::Y * 0.3);
    model.part("beam", None, &Part::on(JointKind::Revolute, hinge, DVec3::Z, pose, beam_mass));
    let foot_mass = mass_of(&foot, 1000.0);
    let pose = Pose::from_translation(DVec3::new(0.55, 0.3, 0.0));
    let at = DVec3::new(0.5, 0.3, 0.0);
    model.part("foot", Some("beam"), &Part::on(JointKind::Fixed, at, DVec3::X, pose, foot_mass));
    Machine::new(&model).shape(0, &beam, 0.0).shape(1, &foot, 0.0).add_to(judge, world)
}

/// It swings down, its end comes to lie on the floor, and the floor bears what the moments about the hinge say.
#[test]
fn a_beam_lies_on_a_mesh_floor_as_statics_say() {
    let (mut judge, mut world) = (Judge::default(), world(1.0 / 60.0));
    judge.body(&mut world, &floor(0.0));
    let beam = hinged_beam(&mut judge, &mut world);
    judge.run(&mut world, 120);
    assert!(world.is_mover_solid(beam).unwrap());
    let centre = |link: u32| world.mover(beam).unwrap().pose(link).translation.x + 0.5;
    let weights = 2.0 * G * centre(0) + 1.0 * G * centre(1);
    let marks: Vec<_> = world.contact_marks().filter(|mark| mark.force.length() > 1e-6).collect();
    let borne: f64 = marks.iter().map(|mark| mark.force.y.abs() * (mark.point.x + 0.5)).sum();
    assert!((borne / weights - 1.0).abs() < 1e-3, "{borne} {weights} {marks:?}");
    let report = world.solid_report();
    assert!(report.lost_time == 0.0 && report.smallest_gap > 0.0, "{report:?}");
}

/// A slider of 2 kg that a motor pushes with 20 N against a mesh cube of 1 kg: both go on together, without friction by `F / m`.
#[test]
fn a_slider_pushes_a_mesh_cube() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let (mut judge, mut world) = (Judge::default(), world(h));
        judge.body(&mut world, &floor(0.0));
        let cube = block(DVec3::splat(0.1));
        let definition = BodyDefinition::dynamic(cube.clone(), 1000.0).at(DVec3::Y * 0.05001);
        let pushed = judge.body(&mut world, &definition.made_of(rough(0.0)));
        let mut model = Model::default();
        let at = DVec3::new(-0.11, 0.06, 0.0);
        let motor = ForceElement { motor: 20.0, ..ForceElement::default() };
        let mass = mass_of(&cube, 2000.0);
        let part = Part::on(JointKind::Prismatic, at, DVec3::X, Pose::from_translation(at), mass);
        model.part("slider", None, &part.with(motor));
        Machine::new(&model).shape(0, &cube, 0.0).add_to(&mut judge, &mut world);
        judge.run(&mut world, (0.5 / h) as usize);
        let speed = world.velocity(pushed).unwrap().linear.x;
        // They meet after 10 mm, and go on with two thirds of the speed: an inelastic impact.
        let first = (0.02_f64 / 10.0).sqrt();
        let expected = 10.0 * first * 2.0 / 3.0 + 20.0 / 3.0 * (0.5 - first);
        assert!((speed / expected - 1.0).abs() < 2e-2, "{h}: {speed} {expected}");
        let push: f64 = world.contact_marks().map(|mark| mark.force.x.abs()).fold(0.0, f64::max);
        assert!(push > 0.0);
    }
}

/// Two fingers on sliders are drawn together with 30 N each, hold a mesh cube of 0.5 kg by friction, and lift it.
#[test]
fn a_gripper_lifts_a_mesh_cube() {
    let (mut judge, mut world) = (Judge::default(), world(1.0 / 240.0));
    judge.body(&mut world, &floor(0.5));
    let cube = block(DVec3::splat(0.08));
    let density = 0.5 / (0.08 * 0.08 * 0.08);
    let definition = BodyDefinition::dynamic(cube, density).at(DVec3::Y * 0.04001).made_of(rough(0.8));
    let held = judge.body(&mut world, &definition);
    let (palm, finger) = (DVec3::Y * 0.25, block(DVec3::new(0.02, 0.12, 0.05)));
    let palm_mass = mass_of(&block(DVec3::new(0.2, 0.03, 0.05)), 2000.0);
    let mut model = Model::default();
    // Stiff enough to carry the weight; its target moves up.
    let lifter = |rest: f64| ForceElement {
        spring: Spring::Linear { stiffness: 4e4, rest },
        damping: 400.0,
        ..ForceElement::default()
    };
    let part = Part::on(JointKind::Prismatic, palm, DVec3::Y, Pose::from_translation(palm), palm_mass);
    model.part("palm", None, &part.with(lifter(0.0)));
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let at = DVec3::new(side * 0.06, 0.08, 0.0);
        let motor = ForceElement { motor: 30.0, damping: 5.0, ..ForceElement::default() };
        let mass = mass_of(&finger, 2000.0);
        let part = Part::on(JointKind::Prismatic, at, DVec3::X * -side, Pose::from_translation(at), mass);
        model.part(name, Some("palm"), &part.with(motor));
    }
    let machine = Machine::new(&model).shape(1, &finger, 0.8).shape(2, &finger, 0.8);
    let gripper = machine.add_to(&mut judge, &mut world);
    judge.run(&mut world, 120);
    for step in 0..240 {
        let mover: &mut dyn std::any::Any = world.drive_mover(gripper).unwrap();
        let mechanism = mover.downcast_mut::<Mechanism>().unwrap();
        mechanism.tree_mut().set_element(0, 0, lifter(0.1 * f64::from(step) / 240.0)).unwrap();
        judge.run(&mut world, 1);
    }
    judge.run(&mut world, 60);
    let height = world.pose(held).unwrap().translation.y;
    assert!(height > 0.13 && height < 0.15, "{height}");
    // The fingers bear the weight between them.
    let borne = -lift_on_links(&world);
    assert!((borne / (0.5 * G) - 1.0).abs() < 2e-2, "{borne}");
}

/// A crank that is driven, whatever stands against it, presses a mesh cube against a wall: it stops before it crushes, and goes on once it is
/// drawn back.
#[test]
fn a_driven_press_stops_before_it_crushes() {
    let (mut judge, mut world) = (Judge::default(), world(1.0 / 60.0));
    judge.body(&mut world, &floor(0.2));
    let wall = block(DVec3::new(0.1, 0.4, 0.4));
    judge.body(&mut world, &BodyDefinition::fixed(wall).at(DVec3::new(0.16, 0.2, 0.0)));
    let cube = block(DVec3::splat(0.1));
    let definition = BodyDefinition::dynamic(cube.clone(), 1000.0).at(DVec3::Y * 0.05001);
    let pressed = judge.body(&mut world, &definition.made_of(rough(0.2)));
    let at = DVec3::new(-0.2, 0.06, 0.0);
    let mut model = Model::default();
    let part =
        Part::on(JointKind::Prismatic, at, DVec3::X, Pose::from_translation(at), mass_of(&cube, 2000.0));
    model.part("ram", None, &part.driven());
    let press = Machine::new(&model).shape(0, &cube, 0.2).add_to(&mut judge, &mut world);
    let drive = |world: &mut World, position: f64, within: f64| {
        let mover: &mut dyn std::any::Any = world.drive_mover(press).unwrap();
        let target = Drive { position, ..Drive::default() };
        assert!(mover.downcast_mut::<Mechanism>().unwrap().drive_within(0, 0, target, within));
    };
    // 0.1 m to the cube, 0.06 m more to the wall, and 0.1 m that are not there.
    drive(&mut world, 0.26, 1.0);
    judge.run(&mut world, 90);
    let ram = world.mover(press).unwrap().pose(0).translation.x - at.x;
    assert!(ram > 0.15 && ram < 0.16, "{ram}");
    assert!(world.solid_report().lost_time > 0.0, "it stands, and the report says so");
    drive(&mut world, 0.1, 0.5);
    judge.run(&mut world, 60);
    let ram = world.mover(press).unwrap().pose(0).translation.x - at.x;
    assert!((ram - 0.1).abs() < 1e-3, "{ram}");
    assert!(world.pose(pressed).unwrap().translation.x > 0.05);
}

/// The same ram with nothing in between stops at the wall, with a proven gap.
#[test]
fn a_driven_link_stops_at_a_wall() {
    let (mut judge, mut world) = (Judge::default(), world(1.0 / 60.0));
    let wall = block(DVec3::new(0.1, 0.4, 0.4));
    judge.body(&mut world, &BodyDefinition::fixed(wall).at(DVec3::X * 0.3));
    let cube = block(DVec3::splat(0.1));
    let mut model = Model::default();
    let part = Part::on(JointKind::Prismatic, DVec3::ZERO, DVec3::X, Pose::IDENTITY, mass_of(&cube, 2000.0));
    model.part("ram", None, &part.driven());
    let press = Machine::new(&model).shape(0, &cube, 0.2).add_to(&mut judge, &mut world);
    let mover: &mut dyn std::any::Any = world.drive_mover(press).unwrap();
    let target = Drive { position: 0.5, ..Drive::default() };
    assert!(mover.downcast_mut::<Mechanism>().unwrap().drive_within(0, 0, target, 0.5));
    judge.run(&mut world, 60);
    let x = world.mover(press).unwrap().pose(0).translation.x;
    assert!(x > 0.19 && x < 0.2, "{x}");
}

/// With a solver that hardly solves anything links stand still more often, and overlap as little.
#[test]
fn a_crippled_solver_keeps_every_gap_of_links_open() {
    let solid = SolidOptions { max_looks: 1, max_rounds: 0, max_iterations: 2, ..SolidOptions::default() };
    let mut world = World::new(WorldOptions { solid, ..WorldOptions::default() }).unwrap();
    let mut judge = Judge::default();
    judge.body(&mut world, &floor(0.3));
    hinged_beam(&mut judge, &mut world);
    let cube = block(DVec3::splat(0.1));
    for k in 0..4 {
        let place = DVec3::new(0.2 + 0.12 * f64::from(k), 0.06 + 0.03 * f64::from(k), 0.02);
        judge.body(&mut world, &BodyDefinition::dynamic(cube.clone(), 300.0).at(place));
    }
    judge.run(&mut world, 90);
}

/// Steps that are cut short by their budget anywhere leave links where they were proven free.
#[test]
fn no_budget_lets_links_pass() {
    for work in [0, 1, 50, 500, 5_000] {
        let (mut judge, mut world) = (Judge::default(), world(1.0 / 60.0));
        judge.body(&mut world, &floor(0.3));
        hinged_beam(&mut judge, &mut world);
        let cube = block(DVec3::splat(0.1));
        judge.body(&mut world, &BodyDefinition::dynamic(cube, 300.0).at(DVec3::new(0.45, 0.06, 0.01)));
        for step in 0..90 {
            world.step(&mut Budget::of_work(work));
            assert!(!judge.sees_overlap(&world), "step {step} with {work} units");
        }
    }
}

/// Two machines meet: a light flap of 0.1 kg hangs where a beam of 1,000 kg swings, and is pushed out of its way.
#[test]
fn a_heavy_machine_pushes_a_light_one() {
    let (mut judge, mut world) = (Judge::default(), world(1.0 / 60.0));
    let (beam, flap) = (block(DVec3::new(1.0, 0.3, 0.3)), block(DVec3::new(0.005, 0.4, 0.2)));
    let mut model = Model::default();
    let hinge = DVec3::new(-0.6, 0.0, 0.0);
    let part = Part::on(JointKind::Revolute, hinge, DVec3::Y, Pose::IDENTITY, mass_of(&beam, 1000.0 / 0.09));
    model.part("beam", None, &part);
    let mut heavy = Machine::new(&model);
    heavy.mechanism.tree_mut().set_coordinate(0, 0, 0.9, -2.0);
    heavy.shape(0, &beam, 0.1).add_to(&mut judge, &mut world);
    let mut model = Model::default();
    let place = Pose::from_translation(DVec3::new(0.3, 0.0, 0.1));
    let top = DVec3::new(0.3, 0.25, 0.1);
    let part = Part::on(JointKind::Revolute, top, DVec3::X, place, mass_of(&flap, 0.1 / (0.005 * 0.4 * 0.2)));
    model.part("flap", None, &part);
    let light = Machine::new(&model).shape(0, &flap, 0.1).add_to(&mut judge, &mut world);
    let mut highest = 0.0_f64;
    for _ in 0..90 {
        judge.run(&mut world, 1);
        let down = world.mover(light).unwrap().pose(0).transform_vector(DVec3::Y);
        highest = highest.max(libm::atan2(down.z, down.y).abs());
    }
    assert!(highest > 0.5, "the flap was pushed aside by {highest} rad");
}

/// A cart of two blocks that a ball joint ties together stands exactly on the floor at the start: it is set apart, not called overlapping, and slides on.
#[test]
fn links_that_touch_at_the_start_are_set_apart() {
    let (mut judge, mut world) = (Judge::default(), world(1.0 / 60.0));
    judge.body(&mut world, &floor(0.0));
    let cube = block(DVec3::splat(0.1));
    let mut model = Model::default();
    let place = |x: f64| Pose::from_translation(DVec3::new(x, 0.05, 0.0));
    let first =
        Part { velocity: Twist::new(DVec3::X, DVec3::ZERO), ..Part::free(place(0.0), mass_of(&cube, 500.0)) };
    model.part("first", None, &first);
    let at = DVec3::new(0.1, 0.05, 0.0);
    let second = Part::on(JointKind::Ball, at, DVec3::X, place(0.2), mass_of(&cube, 500.0));
    model.part("second", Some("first"), &second);
    let cart = Machine::new(&model).shape(0, &cube, 0.0).shape(1, &cube, 0.0).add_to(&mut judge, &mut world);
    judge.run(&mut world, 60);
    assert_eq!(world.solid_report().overlapping, 0);
    for link in 0..2 {
        let x = world.mover(cart).unwrap().pose(link).translation.x - 0.2 * f64::from(link);
        // The second stood: both share the momentum of the first.
        assert!((x - 0.5).abs() < 1e-6, "link {link} slid by {x} of 0.5 m");
    }
}

/// Hammers of a mesh on two hinges, thrown at sheets and cubes at all speeds.
#[test]
fn thrown_links_never_pass_meshes() {
    throw_hammers(12);
}

/// The same for many throws: `PRALL_THROWS=1000 cargo test ... -- --ignored`.
#[test]
#[ignore = "a soak"]
fn thrown_links_never_pass_meshes_soak() {
    throw_hammers(std::env::var("PRALL_THROWS").ok().and_then(|text| text.parse().ok()).unwrap_or(1000));
}

fn throw_hammers(throws: u64) {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    let (mut looks, mut touched, mut lost, mut time) = (0, 0, 0.0, 0.0);
    for throw in 0..throws {
        let h = [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0][throw as usize % 3];
        let (mut judge, mut world) = (Judge::default(), world(h));
        judge.body(&mut world, &floor(0.5 * random()));
        let wall = block(DVec3::new(0.01, 1.0, 1.0));
        judge.body(&mut world, &BodyDefinition::fixed(wall).at(DVec3::new(0.3 + 0.1 * random(), 0.5, 0.0)));
        let cube = block(DVec3::splat(0.1));
        let place = DVec3::new(0.15 * random(), 0.1 + 0.1 * random(), 0.1 * random() - 0.05);
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 6.0 * random(), 6.0 * random(), 6.0 * random());
        let loose = BodyDefinition::dynamic(cube, 500.0).in_pose(Pose::new(turn, place));
        judge.body(&mut world, &loose.made_of(rough(0.4)));
        let (arm, head) = (block(DVec3::new(0.3, 0.03, 0.03)), block(DVec3::new(0.06, 0.2, 0.06)));
        let hinge = DVec3::new(-0.15, 0.45, 0.0);
        let mut model = Model::default();
        let pose = Pose::from_translation(hinge + DVec3::X * 0.15);
        let part = Part::on(JointKind::Revolute, hinge, DVec3::Z, pose, mass_of(&arm, 2000.0));
        model.part("arm", None, &part);
        let at = hinge + DVec3::X * 0.3;
        let pose = Pose::from_translation(at + DVec3::X * 0.05);
        let part = Part::on(JointKind::Ball, at, DVec3::X, pose, mass_of(&head, 3000.0));
        model.part("head", Some("arm"), &part);
        let mut machine = Machine::new(&model);
        let rate = (random() - 0.7) * 40.0;
        machine.mechanism.tree_mut().set_coordinate(0, 0, 0.0, rate);
        machine.shape(0, &arm, 0.3).shape(1, &head, 0.3).add_to(&mut judge, &mut world);
        for step in 0..(0.5 / h) as usize {
            world.step(&mut Budget::unlimited());
            assert!(!judge.sees_overlap(&world), "throw {throw}, step {step} of {h} s");
            assert!(world.is_finite(), "throw {throw}, step {step}");
            let report = world.solid_report();
            assert!(report.smallest_gap > 0.0 && report.overlapping == 0, "throw {throw}: {report:?}");
            touched += usize::from(world.contact_marks().any(|mark| is_link(mark.a) != is_link(mark.b)));
            lost += report.lost_time;
            time += h;
        }
        looks += judge.looks;
    }
    eprintln!("{throws} throws, {looks} looks, {touched} steps with contact, lost {lost:.3} of {time:.1} s");
    assert!(touched > 10 * throws as usize, "{touched} steps with contact");
    assert!(lost < 0.05 * time, "{lost} of {time}");
}

/// Saved and restored in mid-contact, and on two threads, a world with links goes on bit by bit.
#[test]
fn links_go_on_with_the_same_bits() {
    let make = |threads: usize| {
        let options = WorldOptions { time_step: 1.0 / 60.0, ..WorldOptions::default() };
        let mut world = World::new(options).unwrap();
        if threads > 1 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            world.set_pool(Some(Arc::new(pool)));
        }
        let mut judge = Judge::default();
        judge.body(&mut world, &floor(0.3));
        hinged_beam(&mut judge, &mut world);
        world
    };
    let (mut first, mut second) = (make(1), make(2));
    let mut saved = Vec::new();
    for step in 0..60 {
        if step == 25 {
            saved = first.save();
        }
        first.step(&mut Budget::unlimited());
        second.step(&mut Budget::unlimited());
        assert_eq!(first.hash(), second.hash(), "step {step}");
    }
    second.restore(&saved).unwrap();
    for _ in 25..60 {
        second.step(&mut Budget::unlimited());
    }
    assert_eq!(first.hash(), second.hash());
}

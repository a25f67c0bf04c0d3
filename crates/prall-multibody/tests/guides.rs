//! Machines with joints by their own laws, as movers and by Moreau's step.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use prall_geometry::MassProperties;
use prall_math::Pose;
use prall_mechanics::Mover;
use prall_multibody::{
    FrictionSet, Guide, JointKind, Mechanism, Model, Moreau, MoreauContact, MoreauOptions, Part, Path,
    PathTurn, Steady, Tree,
};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn mass(mass: f64, inertia: f64) -> MassProperties {
    MassProperties { mass, center_of_mass: DVec3::ZERO, inertia: DMat3::from_diagonal(DVec3::splat(inertia)) }
}

fn single(law: impl Guide + 'static, axis: DVec3, inertia: f64) -> Mechanism {
    let mut model = Model::default();
    let kind = model.guide(Arc::new(law));
    model.part("nut", None, &Part::on(kind, DVec3::ZERO, axis, Pose::IDENTITY, mass(2.0, inertia)));
    model.build().unwrap()
}

/// A nut that falls along an upright bolt: `(J + m p^2) d2q/dt2 = m g p` with the advance `p` per radian.
#[test]
fn a_nut_falls_along_its_bolt_as_the_closed_form_says() {
    let (pitch, inertia) = (0.5, 0.04);
    let advance = pitch / (2.0 * std::f64::consts::PI);
    let acceleration = 2.0 * 9.81 * advance / (inertia + 2.0 * advance * advance);
    for stable in [true, false] {
        let mut nut = single(Steady::screw(pitch), DVec3::NEG_Y, inertia);
        let h = 1e-3;
        for _ in 0..1000 {
            if stable {
                nut.predict(h, GRAVITY);
                nut.commit(h, 1.0);
            } else {
                nut.tree_mut().step_explicit(h, GRAVITY);
            }
        }
        let (angle, rate) = nut.tree().coordinate(0, 0).unwrap();
        // Half a step's way by the explicit step, which is of first order; the stable one turns by chords, (0.02 rad)^2/12 shorter.
        let allowed = if stable { 1e-4 } else { 1.1e-3 };
        assert!((angle / (0.5 * acceleration) - 1.0).abs() < allowed, "{angle} {acceleration}");
        assert!((rate / acceleration - 1.0).abs() < 1e-4, "{rate}");
        let expected = DVec3::NEG_Y * (advance * angle);
        assert!((nut.tree().pose(0).translation - expected).length() < 1e-12);
    }
}

/// A wheel on a slope's rack: `(m + J/r^2) a = m g sin`.
#[test]
fn a_wheel_rolls_along_its_rack() {
    let slope = DVec3::new(0.8, -0.6, 0.0);
    let mut wheel = single(Steady::rolling(0.25), slope, 0.05);
    for _ in 0..500 {
        wheel.predict(2e-3, GRAVITY);
        wheel.commit(2e-3, 1.0);
    }
    let expected = 0.5 * 2.0 * 9.81 * 0.6 / (2.0 + 0.05 / 0.0625);
    let way = wheel.tree().coordinate(0, 0).unwrap().0;
    assert!((way / expected - 1.0).abs() < 1e-3, "{way} {expected}");
}

/// A car of a roller coaster in a valley has at each height the speed that its energy leaves it.
#[test]
fn a_coaster_keeps_its_energy_over_hills_and_through_a_loop() {
    let mut points: Vec<DVec3> = (0..8).map(|x| DVec3::new(f64::from(x), 8.0 - f64::from(x), 0.0)).collect();
    for index in 0..16 {
        let (sine, cosine) = libm::sincos(f64::from(index) * std::f64::consts::PI / 8.0);
        points.push(DVec3::new(10.0 + 1.5 * sine, 1.5 - 1.5 * cosine, 0.05 * f64::from(index)));
    }
    points.extend((0..4).map(|x| DVec3::new(11.0 + f64::from(x), 0.3 * f64::from(x), 0.9)));
    let path = Path::through(&points, false, PathTurn::Along(DVec3::Y), &[]).unwrap();
    let length = path.length();
    let mut model = Model::default();
    let kind = model.guide(Arc::new(path));
    let place = Pose::from_translation(points[0]);
    model.part("car", None, &Part::on(kind, DVec3::ZERO, DVec3::X, place, mass(2.0, 0.01)));
    let mut car = model.build().unwrap();
    let energy = |car: &Mechanism| car.energy(GRAVITY).0 + car.energy(GRAVITY).1;
    let (start, mut before) = (energy(&car), energy(&car));
    car.tree_mut().set_coordinate(0, 0, 0.0, 1.0);
    let kick = energy(&car) - start;
    before += kick;
    let mut steps = 0;
    while car.tree().coordinate(0, 0).unwrap().0 < length && steps < 4000 {
        car.predict(1e-3, GRAVITY);
        car.commit(1e-3, 1.0);
        let now = energy(&car);
        // Energies of some 150 J; Newton's method ends at 1e-6 m/s, of which 1e-12 are left.
        assert!(now <= before + 1e-9, "{steps}: rose by {:e}", now - before);
        before = now;
        steps += 1;
    }
    assert!(steps < 4000, "it never came out of the loop");
    // The projection takes what is of third order: 3000 steps of up to 12 m/s.
    assert!(before > start + kick - 0.2, "{} of {}", start + kick - before, car.energy(GRAVITY).0);
}

fn cart(law: Option<Arc<dyn Guide>>) -> Mechanism {
    let mut model = Model::default();
    let kind = law.map_or(JointKind::Prismatic, |law| model.guide(law));
    model.part("post", None, &Part::on(kind, DVec3::ZERO, DVec3::Y, Pose::IDENTITY, mass(2.0, 0.1)));
    let arm = Pose::from_translation(DVec3::X * 0.5);
    model.part(
        "arm",
        Some("post"),
        &Part::on(JointKind::Revolute, DVec3::ZERO, DVec3::Z, arm, mass(1.0, 0.05)),
    );
    model.build().unwrap()
}

/// A post on a straight path is a slider, also with contacts on the arm that hangs on it: percussions and bounces agree.
#[test]
fn contacts_on_a_guided_machine_are_those_of_the_built_in_one() {
    let straight = Path::through(&[DVec3::ZERO, DVec3::X], false, PathTurn::Fixed, &[]).unwrap();
    let mut machines = [cart(None), cart(Some(Arc::new(straight)))];
    let mut moreaus = [Moreau::default(), Moreau::default()];
    let find = |tree: &Tree, found: &mut Vec<MoreauContact>| {
        let point = tree.pose(1).transform_point(DVec3::X * 0.3);
        found.push(MoreauContact {
            id: 0,
            node: 1,
            point,
            normal: DVec3::Y,
            tangent: DVec3::X,
            gap: point.y + 0.2,
            restitution: [0.4, 0.0],
            friction: FrictionSet::Disc { friction: 0.5 },
        });
    };
    let mut touched = 0;
    for _ in 0..600 {
        for (machine, moreau) in machines.iter_mut().zip(&mut moreaus) {
            touched += moreau.step(machine, 1e-3, GRAVITY, &MoreauOptions::default(), find).closed;
        }
    }
    let [slider, guided] = machines.each_ref().map(|machine| machine.tree().coordinate(0, 0).unwrap());
    assert!(touched > 50);
    // Rounding, and a tolerance of 1e-6 N s in the percussions.
    assert!(
        (slider.0 - guided.0).abs() < 1e-6 && (slider.1 - guided.1).abs() < 1e-4,
        "{slider:?} {guided:?}"
    );
    let loads = moreaus.each_ref().map(|moreau| moreau.loads().to_vec());
    assert_eq!(loads[0].len(), loads[1].len());
}

/// A saved machine goes on as it would have, law and all.
#[test]
fn a_restored_machine_with_a_law_goes_on_bit_by_bit() {
    let path = || {
        Path::through(
            &[DVec3::ZERO, DVec3::new(1.0, 0.3, 0.2), DVec3::X * 2.0],
            false,
            PathTurn::Upright(DVec3::Y),
            &[],
        )
    };
    let mut machine = cart(Some(Arc::new(path().unwrap())));
    let run = |machine: &mut Mechanism| {
        for _ in 0..20 {
            machine.predict(5e-3, GRAVITY);
            machine.commit(5e-3, 1.0);
        }
    };
    run(&mut machine);
    let saved = machine.save();
    run(&mut machine);
    let mut other = cart(Some(Arc::new(path().unwrap())));
    other.restore(&saved).unwrap();
    run(&mut other);
    assert_eq!(machine.save(), other.save());
    assert!(cart(None).restore(&saved).is_ok(), "links alone decide");
}

#[test]
fn a_law_that_contradicts_itself_is_refused_by_the_name_of_its_body() {
    #[derive(Debug)]
    struct Stuck;
    impl Guide for Stuck {
        fn coordinates(&self) -> usize {
            1
        }
        fn pose(&self, _: &[f64]) -> Pose {
            Pose::IDENTITY
        }
    }
    let mut model = Model::default();
    let kind = model.guide(Arc::new(Stuck));
    model.part("lid", None, &Part::on(kind, DVec3::ZERO, DVec3::X, Pose::IDENTITY, mass(1.0, 1.0)));
    let error = model.build().unwrap_err().to_string();
    assert!(error.contains("joint of \"lid\"") && error.contains("independently"), "{error}");
}

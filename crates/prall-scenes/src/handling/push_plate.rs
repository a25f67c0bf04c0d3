//! A plate that is pushed over a plane on a few points, and beside it the same plate on its whole area.

mod plate;
#[cfg(test)]
mod tests;

use super::definitions::{PETROL, SAND, cuboid, length};
use super::scene::{INTERVALS, TIME_STEP};
use crate::parameter::Values;
use crate::saved;
use crate::{
    Assets, BodyAsset, Camera, Channel, Energy, Extent, Frame, Grip, Input, Look, Overlay, OverlayItem,
    OverlayKind, OverlayLabel, Parameter, ParameterError, Pattern, RestoreError, Scale, ShapeAsset,
    Simulation, Solver, Tolerances, UnknownSolver,
};
use glam::{DQuat, DVec2, DVec3};
use plate::{Drive, MASS, Plate, Support};
use prall_geometry::{Ray, Shape};
use prall_handling::area::SupportPolygon;
use prall_math::{Pose, Twist};
use prall_mechanics::{Budget, StateHash, StepReport};
use serde::{Deserialize, Serialize};
use std::time::Instant;

const NAME: &str = "push-plate";
/// Half the sides of the plate in m; the push goes along the longer one.
const HALF: DVec2 = DVec2::new(0.1, 0.06);
const HALF_HEIGHT: f64 = 0.01;
/// The second plate lies within the first while both go the same way.
const INSET: f64 = 5e-4;
/// Points of the area: more change nothing that counts.
const AREA_POINTS: usize = 100;
/// A push ends after so many steps, or where a plate has come so far, in m.
const LONGEST: u64 = 240;
const REACH: f64 = 0.9;
/// Stiffness of a person's hand in N/m, its damping in N s/m, and its strength in N.
const HAND: (f64, f64, f64) = (100.0, 14.0, 20.0);
/// Velocity in m/s below which a solve of friction counts as done, and what it promises.
const TOLERANCE: f64 = 1e-9;

static SOLVERS: &[Solver] = &[Solver {
    name: "implicit",
    title: "Friction at the end of the interval",
    promise: "Coulomb's law at every point; rest and motion in one rule",
    source: "Moreau 1988, Buck 1999",
}];

static PARAMETERS: &[Parameter] = &[
    length(
        "offset",
        "Offset of the push",
        (0.0, 60.0, 30.0),
        1.0,
        "How far beside the mass centre the second push goes",
    ),
    Parameter {
        key: "push",
        label: "Push over friction",
        unit: "",
        min: 0.5,
        max: 2.0,
        default: 1.05,
        step: 0.01,
        scale: Scale::Linear,
        text: "Below 1 a push through the mass centre moves nothing",
    },
    Parameter { default: 0.3, min: 0.05, ..super::definitions::FRICTION },
    Parameter {
        key: "choice",
        label: "Choice of points",
        unit: "",
        min: 0.0,
        max: 10.0,
        default: 0.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "0: three points as far out as can be; 1 to 10: three anywhere in the area; from the next reset on",
    },
];

static CHANNELS: &[Channel] = &[
    Channel { key: "few", unit: "rad", text: "How far the plate on three points has turned" },
    Channel { key: "area", unit: "rad", text: "How far the plate on its area has turned" },
    Channel { key: "apart", unit: "m", text: "How far apart their mass centres are" },
];

/// Who moves the plates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Mover {
    /// The scene's own push, for so many steps by now: first through the mass centre, then beside it, and so on.
    Script {
        aside: bool,
        steps: u64,
    },
    /// A person: the point of the plates that is held.
    Person(DVec2),
    Nobody,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    steps: u64,
    mover: Mover,
    /// On a few points, and on the area.
    plates: [Plate; 2],
}

/// Plates that are pushed over a plane.
pub(crate) struct PushPlate {
    values: Values,
    /// The choice of points that the plates were made with.
    chosen: f64,
    supports: [Support; 2],
    state: State,
    drives: [Drive; 2],
    shape: Shape,
    assets: Assets,
    report: StepReport,
}

/// A point of the plane in the world: the plane's second axis goes away from the camera.
fn in_world(point: DVec2, height: f64) -> DVec3 {
    DVec3::new(point.x, height, -point.y)
}

fn in_plane(point: DVec3) -> DVec2 {
    DVec2::new(point.x, -point.z)
}

fn supports(choice: f64) -> [Support; 2] {
    let corners = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(x, y)| HALF * DVec2::new(x, y));
    let polygon = SupportPolygon::new(corners.into()).expect("a rectangle");
    let few = match choice.round() as u64 {
        // Two corners of the front and the middle of the back.
        0 => [corners[0], corners[1], DVec2::NEG_X * HALF.x],
        seed => among(&polygon, seed),
    };
    let area = polygon.points(AREA_POINTS, 1);
    let mean = area.iter().sum::<DVec2>() / AREA_POINTS as f64;
    [Support::triple(few), Support::even(area.into_iter().map(|point| point - mean).collect())]
}

/// Three random points that each carry a tenth of the load or more.
fn among(polygon: &SupportPolygon, seed: u64) -> [DVec2; 3] {
    (0..)
        .map(|attempt| polygon.points(3, seed * 1_000_003 + attempt))
        .map(|points| [points[0], points[1], points[2]])
        .find(|triple| plate::shares(*triple).iter().all(|share| *share > 0.1))
        .expect("some triple has the mass centre well among its points")
}

fn assets() -> Assets {
    let look = |color: &'static str, opacity: f64| Look {
        color,
        roughness: 0.55,
        metallic: 0.0,
        opacity,
        pattern: Pattern::Plain,
    };
    let half = DVec3::new(HALF.x, HALF_HEIGHT, HALF.y);
    let body = |name: &str, index: usize| BodyAsset {
        name: name.to_owned(),
        shape: index,
        look: index,
        movable: true,
    };
    Assets {
        shapes: vec![ShapeAsset::Box { half }, ShapeAsset::Box { half: half - DVec3::splat(INSET) }],
        looks: vec![look(PETROL, 1.0), look(SAND, 0.6)],
        bodies: vec![body("plate on three points", 0), body("plate on its area", 1)],
        lines: Vec::new(),
        camera: Camera { position: DVec3::new(0.55, 0.7, 0.85), target: DVec3::new(0.35, 0.0, 0.0) },
        subject: Some(Extent { low: DVec3::new(-0.12, 0.0, -0.2), high: DVec3::new(0.8, 0.05, 0.2) }),
        ride: None,
        ground: Some(0.0),
        moves: true,
    }
}

impl PushPlate {
    pub(crate) fn new() -> PushPlate {
        let values = Values::defaults(PARAMETERS);
        let chosen = values.of("choice");
        PushPlate {
            values,
            chosen,
            supports: supports(chosen),
            state: start(),
            drives: [Drive::REST; 2],
            shape: cuboid(DVec3::new(HALF.x, HALF_HEIGHT, HALF.y) * 2.0),
            assets: assets(),
            report: StepReport::default(),
        }
    }

    /// What pushes a plate now, and where it takes hold in the plate's frame; without it friction is alone.
    fn drive(&self, plate: &Plate, hand: Option<DVec2>) -> Drive {
        match self.state.mover {
            Mover::Script { aside, .. } => {
                let aside = if aside { 1e-3 * self.values.of("offset") } else { 0.0 };
                let size = self.values.of("push") * self.values.of("friction") * MASS * plate::GRAVITY;
                Drive { at: DVec2::new(-HALF.x, aside), force: DVec2::X * size }
            }
            Mover::Person(at) => {
                let Some(hand) = hand else { return Drive { at, force: DVec2::ZERO } };
                let (stiffness, damping, strength) = HAND;
                let pull = (hand - plate.point(at)) * stiffness - plate.velocity_at(at) * damping;
                Drive { at, force: pull.clamp_length_max(strength) }
            }
            Mover::Nobody => Drive::REST,
        }
    }

    fn pose(plate: &Plate) -> Pose {
        Pose::new(DQuat::from_rotation_y(plate.angle), in_world(plate.place, HALF_HEIGHT))
    }

    fn label(&self, frame: &mut Frame) {
        let [few, area] = &self.state.plates;
        let top = 2.0 * HALF_HEIGHT;
        let mut say = |at: DVec2, text: String| {
            frame.labels.push(OverlayLabel { at: in_world(at, top), text });
        };
        if few.place.distance(area.place) > 5e-3 || (few.angle - area.angle).abs() > 0.02 {
            say(few.place, format!("three points: {:.0}°", few.angle.to_degrees().abs()));
            say(area.place, format!("area: {:.0}°", area.angle.to_degrees().abs()));
        }
        let drive = self.drives[0];
        if matches!(self.state.mover, Mover::Script { .. }) && drive != Drive::REST {
            let (force, aside) = (drive.force.length(), 1e3 * drive.at.y);
            let where_to = match aside == 0.0 {
                true => "through the mass centre".to_owned(),
                false => format!("{aside:.0} mm beside the mass centre"),
            };
            say(few.point(drive.at), format!("push of {force:.1} N, {where_to}"));
        }
    }
}

fn start() -> State {
    State { steps: 0, mover: Mover::Script { aside: false, steps: 0 }, plates: [Plate::REST; 2] }
}

impl Simulation for PushPlate {
    fn step(&mut self, input: &Input, budget: &mut Budget) -> &StepReport {
        let (begin, used) = (Instant::now(), budget.used());
        self.report = StepReport::default();
        let hand = input.hand.map(|pose| in_plane(pose.translation)).filter(|point| point.is_finite());
        let friction = self.values.of("friction");
        let dt = TIME_STEP / INTERVALS as f64;
        for _ in 0..INTERVALS {
            self.drives = [0, 1].map(|index| self.drive(&self.state.plates[index], hand));
            for index in 0..2 {
                let (support, drive) = (&mut self.supports[index], &self.drives[index]);
                let solve = support.advance(&mut self.state.plates[index], drive, friction, dt, TOLERANCE);
                budget.take();
                self.report.sweeps += solve.sweeps;
                self.report.velocity_error = self.report.velocity_error.max(solve.error);
            }
        }
        self.state.steps += 1;
        if let Mover::Script { aside, steps } = &mut self.state.mover {
            *steps += 1;
            if *steps >= LONGEST || self.state.plates.iter().any(|plate| plate.place.length() > REACH) {
                (*aside, *steps) = (!*aside, 0);
                self.state.plates = [Plate::REST; 2];
            }
        }
        self.report.contacts = self.supports[0].len();
        self.report.work = budget.used() - used;
        self.report.phases.solve = begin.elapsed();
        &self.report
    }

    fn report(&self) -> &StepReport {
        &self.report
    }

    fn time(&self) -> f64 {
        self.state.steps as f64 * TIME_STEP
    }

    fn time_step(&self) -> f64 {
        TIME_STEP
    }

    fn reset(&mut self) {
        self.chosen = self.values.of("choice");
        self.supports = supports(self.chosen);
        self.state = start();
        self.drives = [Drive::REST; 2];
        self.report = StepReport::default();
    }

    fn assets(&self) -> &Assets {
        &self.assets
    }

    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        frame.poses.extend(self.state.plates.iter().map(PushPlate::pose));
        let few = &self.state.plates[0];
        // Signs lie on the plate: what is below it would not be seen.
        let top = 2.0 * HALF_HEIGHT;
        for (point, force) in self.supports[0].friction(few, TIME_STEP / INTERVALS as f64) {
            let from = in_world(point, top);
            if frame.wanted.has(Overlay::Contacts) {
                let to = from + DVec3::Y;
                frame.overlays.push(OverlayItem { kind: OverlayKind::Contact, from, to, value: 0.0 });
            }
            let value = force.length();
            if frame.wanted.has(Overlay::Forces) && value > 0.0 {
                let to = from + in_world(force / value, 0.0);
                frame.overlays.push(OverlayItem { kind: OverlayKind::FrictionForce, from, to, value });
            }
        }
        let drive = &self.drives[0];
        let (from, value) = (in_world(few.point(drive.at), top), drive.force.length());
        if let Mover::Person(_) = self.state.mover {
            let to = from + in_world(drive.force / HAND.0, 0.0);
            frame.overlays.push(OverlayItem { kind: OverlayKind::Grip, from, to, value });
        } else if frame.wanted.has(Overlay::Forces) && value > 0.0 {
            let to = from + in_world(drive.force / value, 0.0);
            frame.overlays.push(OverlayItem { kind: OverlayKind::Force, from, to, value });
        }
        if frame.wanted.has(Overlay::Labels) {
            self.label(frame);
        }
        let [few, area] = &self.state.plates;
        frame.report(&[few.angle, area.angle, few.place.distance(area.place)]);
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn get(&self, key: &str) -> Option<f64> {
        self.values.get(key)
    }

    fn set(&mut self, key: &str, value: f64) -> Result<(), ParameterError> {
        self.values.set(key, value)
    }

    fn solvers(&self) -> &'static [Solver] {
        SOLVERS
    }

    fn solver(&self) -> &'static str {
        SOLVERS[0].name
    }

    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver> {
        UnknownSolver::position(SOLVERS, name).map(|_| ())
    }

    fn save(&self) -> Vec<u8> {
        let impulses = [0, 1].map(|index| self.supports[index].impulses());
        saved::write(NAME, &self.values, &(self.chosen, &self.state, impulses))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let (values, (chosen, state, impulses)): (Values, (f64, State, [Vec<DVec2>; 2])) =
            saved::read(NAME, PARAMETERS, bytes)?;
        let choices = PARAMETERS[3].min..=PARAMETERS[3].max;
        let impossible = || RestoreError::Impossible {
            scene: NAME,
            culprit: "the choice of points, a plate, or a force".to_owned(),
        };
        let held = !matches!(state.mover, Mover::Person(point) if !point.is_finite());
        if !choices.contains(&chosen) || !held || !state.plates.iter().all(Plate::is_finite) {
            return Err(impossible());
        }
        let mut again = supports(chosen);
        for (support, impulses) in again.iter_mut().zip(impulses) {
            support.set_impulses(impulses).ok_or_else(impossible)?;
        }
        (self.values, self.chosen, self.supports, self.state) = (values, chosen, again, state);
        self.drives = [Drive::REST; 2];
        self.report = StepReport::default();
        Ok(())
    }

    fn hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for plate in &self.state.plates {
            let velocity = Twist::new(in_world(plate.velocity, 0.0), DVec3::Y * plate.rate);
            hash.pose(&PushPlate::pose(plate)).twist(&velocity);
        }
        hash.finish()
    }

    /// Both plates are taken at the same point.
    fn grab(&mut self, ray: &Ray) -> Option<Grip> {
        let hits = self.state.plates.iter().enumerate().filter_map(|(index, plate)| {
            Some((index, self.shape.ray_cast(&ray.into_frame_of(&PushPlate::pose(plate)), 1e3)?))
        });
        let (body, hit) = hits.min_by(|a, b| a.1.distance.total_cmp(&b.1.distance))?;
        self.state.mover = Mover::Person(in_plane(hit.point));
        Some(Grip { body, point: hit.point })
    }

    fn release(&mut self) {
        if let Mover::Person(_) = self.state.mover {
            self.state.mover = Mover::Nobody;
        }
    }

    fn overlays(&self) -> &'static [Overlay] {
        &[Overlay::Contacts, Overlay::Forces, Overlay::Labels]
    }

    fn channels(&self) -> &'static [Channel] {
        CHANNELS
    }

    fn tolerances(&self) -> Option<Tolerances> {
        Some(Tolerances { position: 0.0, velocity: TOLERANCE })
    }

    fn energy(&self) -> Energy {
        let kinetic = self.state.plates.iter().map(Plate::energy).sum();
        Energy { kinetic, potential: 0.0 }
    }

    fn is_finite(&self) -> bool {
        self.state.plates.iter().all(Plate::is_finite)
    }
}

//! A two-man sled on an ice track: by the pilot who knows the track, or by one's own hands.

mod looks;
#[cfg(test)]
mod tests;

use crate::parameter::Values;
use crate::saved;
use crate::{
    ActionError, ActionKind, Assets, ControlKind, DriveControl, Energy, Frame, Input, Overlay, OverlayItem,
    OverlayKind, OverlayLabel, PadInput, Parameter, ParameterError, Property, RestoreError, Scale,
    Simulation, Solver, UnknownSolver,
};
use glam::DVec3;
use looks::Looks;
use prall_bob::pilot::{Line, Lines, PilotOptions, Plan, PlanOptions};
use prall_bob::run::{Conditions, Course, Hands, Run, RunState, Start};
use prall_bob::sled::{GRAVITY, Setup, SetupText, TWO_MAN, ValueError};
use prall_bob::track::{Ice, PointMassStart, Track};
use prall_math::Pose;
use prall_mechanics::{Budget, StepReport};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use std::time::Instant;

const NAME: &str = "bobsleigh";

/// Steps of the sled in one of the scene's: 0.2 ms each (Rempfler 2015).
const STEPS: u32 = 83;

static SOLVERS: &[Solver] = &[Solver {
    name: "moreau",
    title: "Time stepping by percussions",
    promise: "5000 steps a second; nothing passes the ice at any speed",
    source: "Moreau 1988, Rempfler 2015",
}];

static PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "track",
        label: "Track",
        unit: "",
        min: 1.0,
        max: 2.0,
        default: 1.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "1 is Whistler-like, 2 is Sochi-like, from the next reset on",
    },
    Parameter {
        key: "line",
        label: "Line",
        unit: "",
        min: 0.0,
        max: 4.0,
        default: 0.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "How the pilot takes every curve: 0 as costs least, 1 early, 2 late, 3 in one arc, 4 in two, from the next reset on",
    },
    Parameter {
        key: "speed",
        label: "Flying start",
        unit: "m/s",
        min: 0.0,
        max: 15.0,
        default: 0.0,
        step: 0.1,
        scale: Scale::Linear,
        text: "0 begins at the block, with a push; above, at the first light barrier with this speed, from the next reset on",
    },
    Parameter {
        key: "offset",
        label: "Start beside the middle",
        unit: "m",
        min: -0.25,
        max: 0.25,
        default: 0.0,
        step: 0.01,
        scale: Scale::Linear,
        text: "To the right above zero, from the next reset on",
    },
    Parameter {
        key: "glide",
        label: "Ice",
        unit: "",
        min: 0.5,
        max: 2.0,
        default: 1.0,
        step: 0.05,
        scale: Scale::Linear,
        text: "Friction along the runners over that of the setup, from the next reset on",
    },
    Parameter {
        key: "tremor",
        label: "Tremor",
        unit: "°",
        min: 0.0,
        max: 1.0,
        default: 0.0,
        step: 0.05,
        scale: Scale::Linear,
        text: "How much the pilot's hands err, from the next reset on",
    },
    Parameter {
        key: "split",
        label: "Springs of the split hull",
        unit: "",
        min: 1.0,
        max: 3.0,
        default: 2.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "1 soft, 2 medium, 3 hard, from the next reset on",
    },
    Parameter {
        key: "axle",
        label: "Springs of the axle",
        unit: "",
        min: 1.0,
        max: 3.0,
        default: 2.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "1 soft, 2 medium, 3 hard, from the next reset on",
    },
    Parameter {
        key: "across",
        label: "Friction across",
        unit: "",
        min: 0.03,
        max: 0.3,
        default: 0.1,
        step: 0.01,
        scale: Scale::Linear,
        text: "Coefficient across the runners under full load: what steers, from the next reset on",
    },
    Parameter {
        key: "restitution",
        label: "Bumpers",
        unit: "",
        min: 0.0,
        max: 0.5,
        default: 0.05,
        step: 0.01,
        scale: Scale::Linear,
        text: "Share of the speed with which they come back from a wall, from the next reset on",
    },
    Parameter {
        key: "directness",
        label: "Directness",
        unit: "",
        min: 0.3,
        max: 1.5,
        default: 0.67,
        step: 0.01,
        scale: Scale::Linear,
        text: "Of the ropes in your hands: below 1 the middle is calmer, from the next reset on",
    },
];

/// How far from the sled the times of a light barrier are shown, in m.
const LEGIBLE: f64 = 70.0;

const STEERING: usize = 0;
const PUSH: usize = 1;
const BRAKE: usize = 2;

static CONTROLS: &[DriveControl] = &[
    DriveControl {
        key: "steering",
        label: "Ropes",
        kind: ControlKind::Axis,
        more: &["ArrowLeft", "KeyA"],
        less: &["ArrowRight", "KeyD"],
        pad: Some(PadInput::Reversed(0)),
        ramp: 0.5,
        text: "Turns the front runners, to the left above zero",
    },
    DriveControl {
        key: "push",
        label: "Push",
        kind: ControlKind::Pedal,
        more: &["ArrowUp", "KeyW"],
        less: &[],
        pad: Some(PadInput::Button(7)),
        ramp: 0.1,
        text: "The crew runs and pushes, as far as the start goes",
    },
    DriveControl {
        key: "brake",
        label: "Brake",
        kind: ControlKind::Pedal,
        more: &["ArrowDown", "KeyS"],
        less: &[],
        pad: Some(PadInput::Button(6)),
        ramp: 0.2,
        text: "The brakeman pulls; on a track that is for after the finish",
    },
];

/// The two tracks with what pilots know of them: made once, when they are first driven.
fn course(track: usize, line: usize) -> &'static Course {
    static COURSES: [[OnceLock<Course>; 5]; 2] = [const { [const { OnceLock::new() }; 5] }; 2];
    let (index, line) = (track.clamp(1, 2) - 1, line.min(4));
    COURSES[index][line].get_or_init(|| {
        let name = ["whistler-like", "sochi-like"][index];
        let track = Track::open(name, "standard").expect("the tracks that come with Prall are tracks");
        let ice = Ice::new(&track);
        let told = line.checked_sub(1).map(|line| Line::ALL[line]);
        let lines = track.curves().filter_map(|curve| Some((curve.number, told?))).collect();
        let lines = Lines::new(lines, &track).expect("curves of a track have its numbers");
        let options = PlanOptions { lines, ..PlanOptions::default() };
        let plan = Plan::new(&track, &ice, PointMassStart::Pushed, options);
        Course { track, ice, plan }
    })
}

/// How a run was begun; sliders may have moved since.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Begun {
    track: usize,
    line: usize,
    speed: f64,
    offset: f64,
    glide: f64,
    tremor: f64,
    split: usize,
    axle: usize,
    across: f64,
    restitution: f64,
    directness: f64,
}

/// Spring sets of the setup file, in the order of the parameters.
const SETS: [&str; 3] = ["soft", "medium", "hard"];

impl Begun {
    fn of(values: &Values) -> Begun {
        Begun {
            track: values.of("track").round() as usize,
            line: values.of("line").round() as usize,
            speed: values.of("speed"),
            offset: values.of("offset"),
            glide: values.of("glide"),
            tremor: values.of("tremor").to_radians(),
            split: values.of("split").round() as usize,
            axle: values.of("axle").round() as usize,
            across: values.of("across"),
            restitution: values.of("restitution"),
            directness: values.of("directness"),
        }
    }

    /// Every place of the sliders makes a setup; a forged saved state may not.
    fn checked_setup(&self) -> Result<Setup, ValueError> {
        let set = |joint: &str, index: usize| format!("{joint}_{}", SETS[index.clamp(1, 3) - 1]);
        let changes = [
            ("joint.alpha.set", set("alpha", self.split)),
            ("joint.gamma.set", set("gamma", self.axle)),
            ("law.runner.across.full", self.across.to_string()),
            ("law.bumper.restitution", self.restitution.to_string()),
            ("steering.directness", self.directness.to_string()),
        ];
        let text = SetupText::read("two-man", TWO_MAN).expect("the setup that comes with Prall is one");
        let text = text.with(changes.iter().map(|(key, value)| (*key, value.as_str())))?;
        let mut setup = text.setup().clone();
        setup.glide = self.glide;
        Ok(setup)
    }

    fn setup(&self) -> Setup {
        self.checked_setup().expect("sliders are within their ranges, and restored states are checked")
    }

    fn run(&self) -> Run<'static> {
        // Slower than a walk the runners of a flying start would stick: then it is a push.
        let start = if self.speed < 1.0 { Start::Pushed(1.0) } else { Start::Flying(self.speed) };
        let conditions = Conditions { start, offset: self.offset, tremor: self.tremor, seed: 1 };
        Run::new(course(self.track, self.line), &self.setup(), PilotOptions::default(), conditions)
            .expect("the setup that comes with Prall makes a sled")
    }
}

/// What decides how the scene goes on.
#[derive(Serialize, Deserialize)]
struct State {
    frames: u64,
    begun: Begun,
    run: RunState,
}

/// A sled on its way down.
pub(crate) struct Bobsleigh {
    values: Values,
    begun: Begun,
    setup: Setup,
    run: Run<'static>,
    frames: u64,
    looks: Looks,
    report: StepReport,
}

impl Bobsleigh {
    pub(crate) fn new() -> Bobsleigh {
        let values = Values::defaults(PARAMETERS);
        let begun = Begun::of(&values);
        Bobsleigh {
            values,
            begun,
            setup: begun.setup(),
            run: begun.run(),
            frames: 0,
            looks: Looks::new(&course(begun.track, begun.line).track),
            report: StepReport::default(),
        }
    }

    fn hands(&self, input: &Input) -> Hands {
        input.controls.map_or(Hands::Pilot, |held| Hands::Own {
            steering: self.setup.steering_angle(held.get(STEERING)),
            push: held.get(PUSH) - held.get(BRAKE),
        })
    }

    /// What a screen beside the track would show, above the sled and at the light barriers.
    fn labels(&self, frame: &mut Frame) {
        let (sled, result) = (self.run.sled(), self.run.result());
        let load = sled.normal_force() / (sled.mass() * GRAVITY.length());
        let speed = 3.6 * sled.velocity().length();
        let clock = match (result.time, result.crash, self.run.clock_zero()) {
            (Some(time), ..) => format!("finish {time:.2} s"),
            (None, Some(crash), _) => format!("crash at {:.0} m", crash.s),
            (None, None, Some(zero)) => {
                let last =
                    result.splits.last().map(|split| format!(" · {:.0} m {:.2} s", split.s, split.time));
                format!("{:.2} s{}", self.run.time() - zero, last.unwrap_or_default())
            }
            (None, None, None) => "start".to_owned(),
        };
        let at = sled.frame().transform_point(DVec3::new(0.0, 1.1, -0.8));
        frame.labels.push(OverlayLabel { at, text: format!("{speed:.0} km/h · {load:.1} g · {clock}") });
        let track = &self.run.course().track;
        for &s in &track.timing().stations {
            let place = track.course(s);
            // Texts are seen through hills: only those nearby are shown.
            if place.position.distance(at) > LEGIBLE {
                continue;
            }
            let text = match result.splits.iter().find(|split| split.s == s) {
                Some(split) => format!("{s:.0} m: {:.3} s, {:.0} km/h", split.time, 3.6 * split.speed),
                None => format!("{s:.0} m"),
            };
            frame.labels.push(OverlayLabel { at: place.position + DVec3::Y * 3.0, text });
        }
    }
}

impl Simulation for Bobsleigh {
    fn step(&mut self, input: &Input, budget: &mut Budget) -> &StepReport {
        let begin = Instant::now();
        budget.take();
        let hands = self.hands(input);
        let before = (self.run.result().sweeps, self.run.result().steps);
        // A run that is over stands still; a reset begins the next one.
        for _ in 0..STEPS {
            if !self.run.goes_on() {
                break;
            }
            self.run.step(&hands);
        }
        self.frames += 1;
        let result = self.run.result();
        let touched = self.run.sled().touched();
        self.report = StepReport {
            contacts: (touched.runners + touched.rims) as usize + usize::from(touched.bumpers > 0.0),
            sweeps: (result.sweeps - before.0) as usize,
            work: result.steps - before.1,
            ..StepReport::default()
        };
        self.report.phases.solve = begin.elapsed();
        &self.report
    }

    fn report(&self) -> &StepReport {
        &self.report
    }

    fn time(&self) -> f64 {
        self.frames as f64 * self.time_step()
    }

    fn time_step(&self) -> f64 {
        1.0 / 60.0
    }

    fn reset(&mut self) {
        let before = self.begun;
        self.begun = Begun::of(&self.values);
        (self.setup, self.run, self.frames) = (self.begun.setup(), self.begun.run(), 0);
        if before.track != self.begun.track {
            self.looks = Looks::new(&self.run.course().track);
        }
        self.report = StepReport::default();
    }

    fn assets(&self) -> &Assets {
        self.looks.assets()
    }

    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        self.looks.poses(self.run.sled(), &mut frame.poses);
        if frame.wanted.has(Overlay::Labels) {
            self.labels(frame);
        }
        let sled = self.run.sled();
        if frame.wanted.has(Overlay::Velocities) {
            let (from, velocity) = (sled.centre_of_mass(), sled.velocity());
            let value = velocity.length();
            frame.overlays.push(OverlayItem {
                kind: OverlayKind::Velocity,
                from,
                to: from + velocity,
                value,
            });
        }
        if frame.wanted.has(Overlay::Forces) || frame.wanted.has(Overlay::Contacts) {
            self.contacts(frame);
        }
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
        let state = State { frames: self.frames, begun: self.begun, run: self.run.save() };
        saved::write(NAME, &self.values, &state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let (values, state): (Values, State) = saved::read(NAME, PARAMETERS, bytes)?;
        let impossible =
            |culprit: &str| RestoreError::Impossible { scene: NAME, culprit: culprit.to_owned() };
        let Begun { track, line, speed, offset, glide, tremor, .. } = state.begun;
        let numbers = [speed, offset, glide, tremor];
        if !((1..=2).contains(&track)
            && line <= 4
            && numbers.iter().all(|number| number.is_finite())
            && glide > 0.0
            && state.begun.checked_setup().is_ok())
        {
            return Err(impossible("the start of the run"));
        }
        let mut run = state.begun.run();
        run.restore(&state.run)
            .map_err(|error| RestoreError::Unreadable { scene: NAME, reason: error.to_string() })?;
        if !run.sled().is_finite() {
            return Err(impossible("the sled's state"));
        }
        if track != self.begun.track {
            self.looks = Looks::new(&run.course().track);
        }
        (self.values, self.begun, self.setup) = (values, state.begun, state.begun.setup());
        (self.run, self.frames) = (run, state.frames);
        Ok(())
    }

    fn hash(&self) -> u64 {
        self.run.sled().hash()
    }

    fn controls(&self) -> &[DriveControl] {
        CONTROLS
    }

    fn driven_body(&self) -> Option<usize> {
        Some(0)
    }

    fn actions(&self) -> &'static [ActionKind] {
        &[ActionKind::Properties]
    }

    fn body_properties(&self, body: usize) -> Result<Vec<Property>, ActionError> {
        let count = self.looks.assets().bodies.len();
        if body >= count {
            return Err(ActionError::NoSuchBody { body, count });
        }
        let (sled, result) = (self.run.sled(), self.run.result());
        let Some(node) = self.looks.node(body) else {
            return Err(ActionError::Refused("ice, wood and snow are part of the scenery".to_owned()));
        };
        let mut properties = vec![
            Property::number("Mass", sled.tree().mass(node), "kg"),
            Property::vector("Velocity", sled.tree().twist(node).linear, "m/s"),
            Property::number("Station", self.run.station(), "m"),
            Property::number("Steering", sled.steering().to_degrees(), "°"),
            Property::number("Torque at the ropes", sled.steering_torque(), "N m"),
            Property::number("Top speed", 3.6 * result.top_speed, "km/h"),
            Property::number("Largest load", result.largest_load, "g"),
            Property::number("Bumper hits", f64::from(result.bumper_hits), ""),
        ];
        properties.extend(result.time.map(|time| Property::number("Run time", time, "s")));
        Ok(properties)
    }

    fn overlays(&self) -> &'static [Overlay] {
        &[Overlay::Labels, Overlay::Contacts, Overlay::Forces, Overlay::Velocities]
    }

    fn energy(&self) -> Energy {
        let tree = self.run.sled().tree();
        Energy { kinetic: tree.kinetic_energy(), potential: tree.potential_energy(GRAVITY) }
    }

    fn joint_count(&self) -> usize {
        self.setup.joints().count()
    }

    fn is_finite(&self) -> bool {
        self.run.sled().is_finite()
    }
}

impl Bobsleigh {
    /// Closed contacts with their forces along the hull's upward axis, which on the ice is nearly the normal.
    fn contacts(&self, frame: &mut Frame) {
        let sled = self.run.sled();
        for (index, (_, _, body, point)) in self.setup.contacts().enumerate() {
            let force = sled.normal_percussion(index) / prall_bob::run::STEP;
            let Some(node) = sled.body(body).filter(|_| force > 0.0) else { continue };
            let body: Pose = sled.frame_of(node);
            let from = body.transform_point(point);
            let to = from + body.transform_vector(DVec3::Y);
            for (overlay, kind, value) in
                [(Overlay::Contacts, OverlayKind::Contact, 0.0), (Overlay::Forces, OverlayKind::Force, force)]
            {
                if frame.wanted.has(overlay) {
                    frame.overlays.push(OverlayItem { kind, from, to, value });
                }
            }
        }
    }
}

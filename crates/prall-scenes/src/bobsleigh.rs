//! A two-man sled on an ice track: by the pilot who knows the track, or by one's own hands.

mod looks;
mod notes;
mod offer;
mod parameters;
mod runners;
mod sliders;
mod telemetry;
#[cfg(test)]
mod tests;

use crate::parameter::Values;
use crate::saved;
use crate::{
    ActionError, ActionKind, Assets, Channel, ControlKind, DriveControl, Energy, Frame, Input, Overlay,
    OverlayItem, OverlayKind, OverlayLabel, PadInput, Parameter, ParameterError, Property, RestoreError,
    Simulation, Solver, UnknownSolver,
};
use glam::DVec3;
use looks::Looks;
use notes::Notes;
pub use offer::{BobOffer, Haptics};
use prall_bob::haptics::{Feeling, Sender};
use prall_bob::pilot::PilotOptions;
use prall_bob::record::{Held, Record};
use prall_bob::run::{Conditions, Run, RunState, Start};
use prall_bob::sled::{GRAVITY, Setup, SetupText, ValueError};
use prall_math::Pose;
use prall_mechanics::{Budget, StepReport};
use serde::{Deserialize, Serialize};
pub use sliders::SliderError;
use std::time::Instant;
pub use telemetry::CHANNELS;
use telemetry::Telemetry;

const NAME: &str = "bobsleigh";

/// Steps of the sled in one of the scene's: 0.2 ms each (Rempfler 2015).
const STEPS: u32 = 83;

static SOLVERS: &[Solver] = &[Solver {
    name: "moreau",
    title: "Time stepping by percussions",
    promise: "5000 steps a second; nothing passes the ice at any speed",
    source: "Moreau 1988, Rempfler 2015",
}];

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
    along: f64,
    side_slip: f64,
    across_light: f64,
    across: f64,
    full_load: f64,
    restitution: f64,
    directness: f64,
    curve: usize,
    help: f64,
}

/// How far before its curve a run begins that does not begin at the top, in m.
const BEFORE_CURVE: f64 = 40.0;

/// Seed of the pilot's tremor.
const SEED: u64 = 1;

/// Spring sets of the setup file, in the order of the parameters.
const SETS: [&str; 3] = ["soft", "medium", "hard"];

impl Begun {
    fn of(values: &Values) -> Begun {
        Begun::by(|key| values.of(key))
    }

    fn by(at: impl Fn(&'static str) -> f64) -> Begun {
        let whole = |key: &'static str| at(key).round() as usize;
        Begun {
            track: whole("track"),
            line: whole("line"),
            speed: at("speed"),
            offset: at("offset"),
            glide: at("glide"),
            tremor: at("tremor").to_radians(),
            split: whole("split"),
            axle: whole("axle"),
            along: at("along"),
            side_slip: at("side_slip"),
            across_light: at("across_light"),
            across: at("across"),
            full_load: at("full_load"),
            restitution: at("restitution"),
            directness: at("directness"),
            curve: whole("curve"),
            help: at("help"),
        }
    }

    /// With every slider at its place.
    fn plain(offer: &BobOffer) -> Begun {
        let at = |key: &str| {
            let parameter = offer.parameters().iter().find(|parameter| parameter.key == key);
            parameter.map_or(0.0, |parameter| parameter.default)
        };
        Begun::by(at)
    }

    /// Every place of the sliders makes a setup; a forged saved state may not.
    fn checked_setup(&self, offer: &BobOffer) -> Result<Setup, ValueError> {
        let mut setup = self.setup_text(offer)?.setup().clone();
        setup.glide = self.glide;
        Ok(setup)
    }

    /// The sled's file with what was changed; what is at its place is as the file has it.
    fn setup_text(&self, offer: &BobOffer) -> Result<SetupText, ValueError> {
        let changes = sliders::changes(self, &Begun::plain(offer));
        let changes: Vec<(&str, &str)> = changes.iter().map(|(key, value)| (*key, value.as_str())).collect();
        if changes.is_empty() { Ok(offer.setup().clone()) } else { offer.setup().with(changes) }
    }

    /// What a slider of the setup says; 0 for other names.
    fn number(&self, parameter: &str) -> f64 {
        match parameter {
            "along" => self.along,
            "side_slip" => self.side_slip,
            "across_light" => self.across_light,
            "across" => self.across,
            "full_load" => self.full_load,
            "restitution" => self.restitution,
            "directness" => self.directness,
            _ => 0.0,
        }
    }

    fn start(&self) -> Start {
        // Slower than a walk the runners of a flying start would stick: then it is a push.
        if self.speed < 1.0 { Start::Pushed(1.0) } else { Start::Flying(self.speed) }
    }

    fn setup(&self, offer: &BobOffer) -> Setup {
        self.checked_setup(offer).expect("sliders are within their ranges, and restored states are checked")
    }

    /// A run at the top.
    fn run(&self, offer: &'static BobOffer) -> Run<'static> {
        let conditions =
            Conditions { start: self.start(), offset: self.offset, tremor: self.tremor, seed: SEED };
        let course = offer.course(self.track, self.line);
        Run::new(course, &self.setup(offer), PilotOptions::default(), conditions)
            .expect("the setup that comes with Prall makes a sled")
    }

    /// A run where it begins: at the top, or where the pilot comes to the curve.
    fn begin(&self, offer: &'static BobOffer) -> Run<'static> {
        let mut run = self.run(offer);
        let curve = run.course().track.curves().find(|curve| curve.number == self.curve);
        if let Some(curve) = curve {
            while run.station() < curve.stations.0 - BEFORE_CURVE && run.look() {}
        }
        run
    }
}

/// What decides how the scene goes on.
#[derive(Serialize, Deserialize)]
struct State {
    /// Of the tracks and the sled that were offered.
    mark: u64,
    frames: u64,
    begun: Begun,
    run: RunState,
}

/// A sled on its way down.
pub struct Bobsleigh {
    offer: &'static BobOffer,
    values: Values,
    begun: Begun,
    setup: Setup,
    run: Run<'static>,
    frames: u64,
    looks: Looks,
    telemetry: Telemetry,
    /// What hands feel, and who is told.
    haptics: Option<(Feeling, Sender)>,
    /// The run, written down if somebody asked for it.
    notes: Option<Notes>,
    report: StepReport,
}

/// The scene with tracks and a sled of one's own.
pub fn bobsleigh(offer: &'static BobOffer) -> Box<dyn Simulation> {
    Box::new(Bobsleigh::of(offer))
}

impl Bobsleigh {
    pub(crate) fn new() -> Bobsleigh {
        Bobsleigh::of(BobOffer::standard())
    }

    /// With tracks and a sled of one's own.
    pub fn of(offer: &'static BobOffer) -> Bobsleigh {
        let values = Values::defaults(offer.parameters());
        let begun = Begun::of(&values);
        let (setup, run) = (begun.setup(offer), begun.begin(offer));
        Bobsleigh {
            offer,
            values,
            begun,
            frames: 0,
            looks: Looks::new(&run.course().track),
            telemetry: Telemetry::new(&setup, &run),
            haptics: offer.haptics().and_then(|haptics| {
                // Whoever asked for it was told where it failed; a scene without a socket is still one.
                Some((Feeling::new(haptics.options), Sender::to(haptics.address).ok()?))
            }),
            notes: None,
            setup,
            run,
            report: StepReport::default(),
        }
    }

    /// Writes the run down from now on, and every run that begins after it.
    pub fn write_down(&mut self) {
        self.notes = Some(Notes::new(&self.run, &self.setup));
    }

    /// The present run as far as it was driven; none if it is not written down.
    pub fn record(&self) -> Option<Record> {
        let notes = self.notes.as_ref()?;
        Some(notes.record(&self.begun, self.offer, &self.run, &self.setup))
    }

    /// Lets the pilot drive a track by number; all channels, frame by frame.
    fn drive_alone(mut self, track: usize) -> Vec<Vec<f64>> {
        self.haptics = None;
        let values = Begun { track, ..Begun::plain(self.offer) };
        (self.setup, self.run, self.begun) = (values.setup(self.offer), values.begin(self.offer), values);
        self.telemetry = Telemetry::new(&self.setup, &self.run);
        let mut frames = Vec::new();
        while self.run.goes_on() {
            self.step(&Input::default(), &mut Budget::unlimited());
            frames.push(self.telemetry.values(&self.run, &self.begun).to_vec());
        }
        frames
    }

    /// What is held from the next step of the sled on.
    fn held(&self, input: &Input) -> Held {
        let own = input
            .controls
            .map(|held| (self.setup.steering_angle(held.get(STEERING)), held.get(PUSH) - held.get(BRAKE)));
        Held { step: self.run.result().steps, own }
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
        let before = (self.run.result().sweeps, self.run.result().steps);
        // A run that is over stands still; a reset begins the next one.
        self.telemetry.begin(input.controls.is_some());
        let held = self.held(input);
        for _ in 0..STEPS {
            if !self.run.goes_on() {
                break;
            }
            let hands = held.hands(&self.run, self.begun.help);
            self.run.step(&hands);
            self.telemetry.see(&self.run);
            if let Some(notes) = &mut self.notes {
                notes.see(held, &self.run);
            }
            if let Some((feeling, sender)) = self.haptics.as_mut().filter(|_| held.own.is_some())
                && let Some(packet) = feeling.see(&self.run)
            {
                sender.send(&packet);
            }
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
        (self.setup, self.run, self.frames) = (self.begun.setup(self.offer), self.begun.begin(self.offer), 0);
        self.telemetry = Telemetry::new(&self.setup, &self.run);
        self.notes = self.notes.take().map(|_| Notes::new(&self.run, &self.setup));
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
        self.looks.poses(&self.run, &mut frame.poses);
        self.telemetry.write(&self.run, &self.begun, frame);
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
        self.offer.parameters()
    }

    fn channels(&self) -> &'static [Channel] {
        CHANNELS
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
        let state =
            State { mark: self.offer.mark(), frames: self.frames, begun: self.begun, run: self.run.save() };
        saved::write(NAME, &self.values, &state)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let (values, state): (Values, State) = saved::read(NAME, self.offer.parameters(), bytes)?;
        let impossible =
            |culprit: &str| RestoreError::Impossible { scene: NAME, culprit: culprit.to_owned() };
        if state.mark != self.offer.mark() {
            return Err(impossible(
                "the track and the sled: it was driven with others than are offered here",
            ));
        }
        let Begun { track, line, speed, offset, glide, tremor, help, .. } = state.begun;
        let numbers = [speed, offset, glide, tremor, help];
        if !((1..=self.offer.tracks().len()).contains(&track)
            && line < offer::LINES
            && numbers.iter().all(|number| number.is_finite())
            && glide > 0.0
            && state.begun.checked_setup(self.offer).is_ok())
        {
            return Err(impossible("the start of the run"));
        }
        let mut run = state.begun.run(self.offer);
        run.restore(&state.run)
            .map_err(|error| RestoreError::Unreadable { scene: NAME, reason: error.to_string() })?;
        if !run.sled().is_finite() {
            return Err(impossible("the sled's state"));
        }
        if track != self.begun.track {
            self.looks = Looks::new(&run.course().track);
        }
        (self.values, self.begun, self.setup) = (values, state.begun, state.begun.setup(self.offer));
        (self.run, self.frames) = (run, state.frames);
        self.telemetry = Telemetry::new(&self.setup, &self.run);
        self.notes = self.notes.take().map(|_| Notes::new(&self.run, &self.setup));
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

/// Where a part of the drawn sled is: parts come first among the scene's bodies, in this order.
pub struct SledPart {
    /// The body of the setup file that it belongs to.
    pub body: &'static str,
    /// Its place in the frame of that file.
    pub place: Pose,
}

/// The parts of the drawn sled, by whose poses the frames of all bodies are known.
pub fn sled_parts() -> Vec<SledPart> {
    looks::sled_parts()
}

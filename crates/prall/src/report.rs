//! [`Report`]: what steps did, as the messages of `docs/protocol.md` and recordings carry it.

use prall_scenes::{Energy, PhaseTimes, Simulation, StepReport};
use serde::Serialize;
use std::time::Duration;

/// Times that can be gone to, in s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Range {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Numbers over some steps.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) track: u32,
    pub(crate) time: f64,
    pub(crate) steps: u64,
    pub(crate) step_ms: f64,
    pub(crate) aim_ms: f64,
    pub(crate) phases: Phases,
    pub(crate) real_time_factor: f64,
    /// Seconds since the session began, by the server's clock.
    pub(crate) clock: f64,
    pub(crate) contacts: usize,
    pub(crate) position_error: f64,
    pub(crate) velocity_error: f64,
    pub(crate) position_tolerance: Option<f64>,
    pub(crate) velocity_tolerance: Option<f64>,
    pub(crate) work: f64,
    pub(crate) lost_time: f64,
    pub(crate) budget_cut: bool,
    pub(crate) energy: Energy,
    /// Largest rise of energy without work from outside in a step, and largest change that the account does not explain, in J.
    pub(crate) energy_gained: f64,
    pub(crate) energy_unexplained: f64,
    pub(crate) history: Range,
    /// Size of the recording that is being made, as of the last second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recorded_bytes: Option<u64>,
    /// Where the joints of machines are that can be set, in m or degrees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) joints: Vec<f64>,
}

/// Milliseconds by phase.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Phases {
    detect: f64,
    contacts: f64,
    solve: f64,
    commit: f64,
}

/// Sums over steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    steps: u64,
    busy: Duration,
    phases: PhaseTimes,
    work: u64,
    lost_time: f64,
    budget_cut: bool,
    position_error: f64,
    velocity_error: f64,
    energy_gained: f64,
    energy_unexplained: f64,
}

impl Sums {
    /// Adds a step that took so long.
    pub(crate) fn add(&mut self, report: &StepReport, busy: Duration) {
        self.steps += 1;
        self.busy += busy;
        self.phases.detect += report.phases.detect;
        self.phases.contacts += report.phases.contacts;
        self.phases.solve += report.phases.solve;
        self.phases.commit += report.phases.commit;
        self.work += report.work;
        self.lost_time += report.lost_time;
        self.budget_cut |= report.budget_cut;
        self.position_error = self.position_error.max(report.position_error);
        self.velocity_error = self.velocity_error.max(report.velocity_error);
        self.energy_gained = self.energy_gained.max(report.energy.gained());
        self.energy_unexplained = self.energy_unexplained.max(report.energy.unexplained.abs());
    }

    /// The report over these steps, the last of which the simulation has just taken.
    ///
    /// Without any step it is the report of the moment that the simulation was brought to.
    pub(crate) fn report(&self, simulation: &dyn Simulation) -> Report {
        if self.steps == 0 {
            let last = simulation.report();
            let mut of_that_moment = Sums::default();
            let phases = last.phases;
            of_that_moment.add(last, phases.detect + phases.contacts + phases.solve + phases.commit);
            return Report { steps: 0, ..of_that_moment.report(simulation) };
        }
        let steps = self.steps as f64;
        let ms = |time: Duration| time.as_secs_f64() * 1000.0 / steps;
        let tolerances = simulation.tolerances();
        Report {
            track: 0,
            time: simulation.time(),
            steps: self.steps,
            step_ms: ms(self.busy),
            aim_ms: simulation.time_step() * 1000.0,
            phases: Phases {
                detect: ms(self.phases.detect),
                contacts: ms(self.phases.contacts),
                solve: ms(self.phases.solve),
                commit: ms(self.phases.commit),
            },
            real_time_factor: 1.0,
            clock: 0.0,
            contacts: simulation.report().contacts,
            position_error: self.position_error,
            velocity_error: self.velocity_error,
            position_tolerance: tolerances.map(|tolerances| tolerances.position),
            velocity_tolerance: tolerances.map(|tolerances| tolerances.velocity),
            work: self.work as f64 / steps,
            lost_time: self.lost_time,
            budget_cut: self.budget_cut,
            energy: simulation.energy(),
            energy_gained: self.energy_gained,
            energy_unexplained: self.energy_unexplained,
            history: Range::default(),
            recorded_bytes: None,
            joints: simulation.joint_coordinates().iter().map(|joint| joint.position).collect(),
        }
    }
}

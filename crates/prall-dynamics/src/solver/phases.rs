//! The two phases of a step with joints (Bender 2007): impulses before the move that close the joints after it, and
//! impulses after the move that bring their rates to rest.

use prall_mechanics::{Bodies, Budget};

use super::system::{Component, JointSystem};
use crate::flight::Rotor;
use crate::joint::Joint;
use crate::joint::rows::Spell;

/// What the phases aim at, and how long they may try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// In m and rad.
    pub(crate) position: f64,
    /// In m/s and rad/s.
    pub(crate) velocity: f64,
    pub(crate) most_sweeps: usize,
}

/// What a phase may use.
pub(crate) struct Means<'a> {
    pub(crate) budget: &'a mut Budget,
    pub(crate) pool: Option<&'a rayon::ThreadPool>,
}

/// What a phase did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PhaseReport {
    pub(crate) sweeps: usize,
    /// Largest error left, in the unit of the phase.
    pub(crate) error: f64,
    pub(crate) budget_cut: bool,
}

/// A sweep goes on within one look-ahead until its errors are this part of those at the beginning: the look-ahead
/// itself is off by the square of the turn in a step, so more would be spent on a wrong aim.
const INNER_REDUCTION: f64 = 0.05;

/// Look-aheads without progress after which a component is left as it is.
const MOST_STALLS: u32 = 8;

impl JointSystem {
    /// Before the move: closes the joints of the active components at the end of the step.
    pub(crate) fn position_phase(
        &mut self,
        joints: &mut [Joint],
        bodies: &mut Bodies,
        rotors: &[Rotor],
        spell: &Spell,
        aim: &Aim,
        means: &mut Means<'_>,
    ) -> PhaseReport {
        let mut report = PhaseReport::default();
        self.prepare(joints, bodies, spell);
        self.begin_direct();
        self.warm_start(&mut bodies.velocities);
        loop {
            self.look_ahead(joints, bodies, rotors, spell);
            let worst = self.worst(|component| component.error);
            report.error = worst;
            self.retire(|c| c.error <= aim.position && c.bounded_residual <= aim.velocity);
            let last = report.sweeps >= aim.most_sweeps || report.budget_cut;
            if self.keep_better(&mut bodies.velocities, last) {
                self.look_ahead(joints, bodies, rotors, spell);
            }
            self.give_up_stalled();
            if !self.any_active() || last {
                break;
            }
            let enough = (INNER_REDUCTION * worst).max(0.25 * aim.position) / spell.step;
            self.sweeps(bodies, enough, aim, means, &mut report);
        }
        self.remember(joints, spell);
        report
    }

    /// After the move: brings the rates of the active components to rest.
    pub(crate) fn velocity_phase(
        &mut self,
        joints: &mut [Joint],
        bodies: &mut Bodies,
        spell: &Spell,
        aim: &Aim,
        means: &mut Means<'_>,
    ) -> PhaseReport {
        let mut report = PhaseReport::default();
        self.prepare(joints, bodies, spell);
        self.begin_direct();
        self.warm_start(&mut bodies.velocities);
        if self.any_active() {
            // One sweep whatever the budget: rates that nobody corrects would tear the joints apart.
            report.sweeps = 1;
            self.sweep(&mut bodies.velocities, means.pool);
            self.retire(|component| component.residual <= aim.velocity);
        }
        while self.any_active() && report.sweeps < aim.most_sweeps && !report.budget_cut {
            self.sweeps(bodies, aim.velocity, aim, means, &mut report);
            self.retire(|component| component.residual <= aim.velocity);
        }
        report.error = self.worst(|component| component.residual);
        self.remember(joints, spell);
        report
    }

    fn sweeps(
        &mut self,
        bodies: &mut Bodies,
        enough: f64,
        aim: &Aim,
        means: &mut Means<'_>,
        report: &mut PhaseReport,
    ) {
        while report.sweeps < aim.most_sweeps {
            if !means.budget.take_units(self.active_blocks()) {
                report.budget_cut = true;
                return;
            }
            report.sweeps += 1;
            if self.sweep(&mut bodies.velocities, means.pool) <= enough {
                return;
            }
        }
    }

    /// Ends the work on components that are within tolerance.
    fn retire(&mut self, done: impl Fn(&Component) -> bool) {
        for component in self.components.iter_mut().filter(|component| component.active && done(component)) {
            component.active = false;
            component.converged = true;
        }
        self.mark_blocks();
    }

    /// Ends the work on components whose errors no longer shrink: at the limit of rounding, or where the aim cannot be reached.
    fn give_up_stalled(&mut self) {
        for component in self.components.iter_mut().filter(|component| component.active) {
            component.stalls += u32::from(component.error > 0.7 * component.last_error);
            component.last_error = component.error;
            if component.stalls > MOST_STALLS {
                component.active = false;
            }
        }
        self.mark_blocks();
    }

    fn worst(&self, error: impl Fn(&Component) -> f64) -> f64 {
        self.components.iter().filter(|component| component.taking_part).map(error).fold(0.0, f64::max)
    }
}

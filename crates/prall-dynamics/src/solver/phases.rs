//! The two phases of a step with joints (Bender 2007): impulses before the move that close the joints after it, and
//! impulses after the move that bring their rates to rest.

use prall_mechanics::{Bodies, Budget};

use super::system::JointSystem;
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

impl JointSystem {
    /// Before the move: closes the joints of the active components at the end of the step.
    pub(crate) fn position_phase(
        &mut self,
        joints: &mut [Joint],
        bodies: &mut Bodies,
        rotors: &[Rotor],
        spell: &Spell,
        aim: &Aim,
        budget: &mut Budget,
        pool: Option<&rayon::ThreadPool>,
    ) -> PhaseReport {
        let mut report = PhaseReport::default();
        self.prepare(joints, bodies, spell);
        self.begin_direct();
        self.warm_start(&mut bodies.velocities);
        loop {
            self.look_ahead(joints, bodies, rotors, spell);
            self.retire(aim.position, |component| component.error);
            let worst = self.worst(|component| component.error);
            if !self.any_active() || report.sweeps >= aim.most_sweeps || report.budget_cut {
                report.error = worst;
                break;
            }
            let enough = (INNER_REDUCTION * worst).max(0.25 * aim.position) / spell.step;
            self.sweeps(bodies, enough, aim, budget, pool, &mut report);
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
        budget: &mut Budget,
        pool: Option<&rayon::ThreadPool>,
    ) -> PhaseReport {
        let mut report = PhaseReport::default();
        self.prepare(joints, bodies, spell);
        self.begin_direct();
        self.warm_start(&mut bodies.velocities);
        while self.any_active() && report.sweeps < aim.most_sweeps && !report.budget_cut {
            self.sweeps(bodies, aim.velocity, aim, budget, pool, &mut report);
            self.retire(aim.velocity, |component| component.residual);
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
        budget: &mut Budget,
        pool: Option<&rayon::ThreadPool>,
        report: &mut PhaseReport,
    ) {
        while report.sweeps < aim.most_sweeps {
            if !budget.take_units(self.active_blocks()) {
                report.budget_cut = true;
                return;
            }
            report.sweeps += 1;
            if self.sweep(&mut bodies.velocities, pool) <= enough {
                return;
            }
        }
    }

    /// Ends the work on components that are within tolerance; their impulses are kept.
    fn retire(
        &mut self,
        tolerance: f64,
        error: impl Fn(&super::system::Component) -> f64,
    ) {
        let done = |component: &super::system::Component| component.active && error(component) <= tolerance;
        if !self.components.iter().any(done) {
            return;
        }
        self.components.iter_mut().filter(|component| done(component)).for_each(|c| c.active = false);
        self.mark_blocks();
    }

    fn worst(&self, error: impl Fn(&super::system::Component) -> f64) -> f64 {
        self.components.iter().map(error).fold(0.0, f64::max)
    }
}

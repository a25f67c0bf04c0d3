//! What a scene costs and how exact it is: `measure SCENE SECONDS [solver=NAME] [KEY=VALUE]... [only=NAME] [audit]`.
//!
//! Prints times per step, shares of the phases, sweeps and errors, second by second of simulated time; with `audit` also overlaps as the
//! auditor sees them, ten times a second. At the end: how far bodies are from where they began.

use prall_scenes::{Budget, Frame, Input, PhaseTimes, Simulation};
use std::time::Duration;

/// Times and errors of some steps.
#[derive(Default)]
struct Tally {
    times: Vec<f64>,
    phases: PhaseTimes,
    sweeps: usize,
    contacts: usize,
    collisions: usize,
    velocity_error: f64,
    position_error: f64,
    lost_time: f64,
    p99: Vec<f64>,
    deepest: f64,
}

impl Tally {
    fn step(&mut self, simulation: &mut dyn Simulation) {
        let report = simulation.step(&Input::default(), &mut Budget::unlimited());
        self.times.push(report.phases.total().as_secs_f64() * 1e3);
        self.phases.detect += report.phases.detect;
        self.phases.contacts += report.phases.contacts;
        self.phases.solve += report.phases.solve;
        self.phases.commit += report.phases.commit;
        self.sweeps += report.sweeps;
        self.contacts = self.contacts.max(report.contacts);
        self.collisions += report.collisions;
        self.velocity_error = self.velocity_error.max(report.velocity_error);
        self.position_error = self.position_error.max(report.position_error);
        self.lost_time += report.lost_time;
    }

    fn audit(&mut self, simulation: &dyn Simulation) {
        if let Some(report) = simulation.audit() {
            self.p99.push(report.penetration_p99);
            self.deepest = self.deepest.max(report.penetration_max);
        }
    }

    fn print(&mut self, label: &str, energy: f64) {
        let count = self.times.len().max(1) as f64;
        let mean = self.times.iter().sum::<f64>() / count;
        let share = |phase: Duration| phase.as_secs_f64() * 1e3 / count;
        println!(
            "{label:>6}: {mean:7.3} ms (median {:7.3}, worst {:7.2}) = detect {:6.3} + solve {:6.3} + project {:6.3} + move {:6.3}; \
             {} contacts, {} collisions, {:.1} sweeps, left {:.1e} m/s, {:.1e} m, lost {:.1e} s, energy {energy:.3} J",
            median(&mut self.times),
            self.times.last().copied().unwrap_or(0.0),
            share(self.phases.detect),
            share(self.phases.solve),
            share(self.phases.contacts),
            share(self.phases.commit),
            self.contacts,
            self.collisions,
            self.sweeps as f64 / count,
            self.velocity_error,
            self.position_error,
            self.lost_time,
        );
        if !self.p99.is_empty() {
            let middle = median(&mut self.p99);
            let worst = self.p99.last().copied().unwrap_or(0.0);
            println!(
                "        audited overlap: p99 median {:.2e} m, worst {worst:.2e} m; deepest {:.2e} m",
                middle, self.deepest
            );
        }
    }
}

/// Poses of all bodies.
fn frame_of(simulation: &dyn Simulation) -> Frame {
    let mut frame = Frame::default();
    simulation.frame(&mut frame);
    frame
}

/// How far bodies whose names begin so are from where they began: the farthest one, and the one that sank most.
fn print_moved(start: &Frame, simulation: &dyn Simulation, only: &str) {
    let end = frame_of(simulation);
    let moved = |(number, (a, b)): (usize, (&prall_math::Pose, &prall_math::Pose))| {
        (number, b.translation - a.translation)
    };
    let name = |number: usize| &simulation.assets().bodies[number].name;
    let pairs = start.poses.iter().zip(&end.poses).enumerate();
    let moved: Vec<_> = pairs.filter(|(number, _)| name(*number).starts_with(only)).map(moved).collect();
    let farthest = moved.iter().max_by(|a, b| a.1.length().total_cmp(&b.1.length()));
    let lowest = moved.iter().min_by(|a, b| a.1.y.total_cmp(&b.1.y));
    if let (Some((far, way)), Some((low, sunk))) = (farthest, lowest) {
        println!(
            "moved at most {:.2e} m ({}), sank at most {:.2e} m ({})",
            way.length(),
            name(*far),
            -sunk.y,
            name(*low)
        );
    }
}

/// Sorts, and returns the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "measure SCENE SECONDS [solver=NAME] [KEY=VALUE]... [only=NAME] [audit]";
    let name = arguments.next().ok_or(usage)?;
    let seconds: f64 = arguments.next().ok_or(usage)?.parse()?;
    let mut simulation = prall_scenes::open(&name)?;
    let mut audit = false;
    let mut only = String::new();
    for argument in arguments {
        match argument.split_once('=') {
            Some(("solver", name)) => simulation.select_solver(name)?,
            Some(("only", name)) => name.clone_into(&mut only),
            Some((key, value)) => simulation.set(key, value.parse()?)?,
            None => audit |= argument == "audit",
        }
    }
    simulation.reset();
    let start = frame_of(simulation.as_ref());
    let per_second = (1.0 / simulation.time_step()).round() as usize;
    let mut whole = Tally::default();
    for second in 0..seconds.ceil() as usize {
        let mut tally = Tally::default();
        let steps = ((seconds - second as f64).min(1.0) * per_second as f64).round() as usize;
        for step in 0..steps {
            tally.step(simulation.as_mut());
            if audit && step % (per_second / 10).max(1) == 0 {
                tally.audit(simulation.as_ref());
            }
        }
        tally.print(&format!("{} s", second + 1), simulation.energy().total());
        whole.times.append(&mut tally.times);
        whole.p99.append(&mut tally.p99);
        whole.deepest = whole.deepest.max(tally.deepest);
    }
    print_moved(&start, simulation.as_ref(), &only);
    let mean = whole.times.iter().sum::<f64>() / whole.times.len().max(1) as f64;
    let (middle, p99) = (median(&mut whole.times), median(&mut whole.p99));
    println!(
        "{name}: mean {mean:.3} ms, median {middle:.3} ms; audited p99 median {p99:.2e} m, worst {:.2e} m, deepest {:.2e} m; hash {:016x}",
        whole.p99.last().copied().unwrap_or(0.0),
        whole.deepest,
        simulation.hash()
    );
    Ok(())
}

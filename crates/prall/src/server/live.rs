//! [`Live`]: a simulation with its past, and the recording that is made of it.

use crate::history::History;
use crate::journal::{Entry, Event, Step};
use crate::recording::Recorder;
use crate::report::{Range, Report, Sums};
use glam::DVec3;
use prall_scenes::{Budget, Grip, Input, LedStep, Ray, Simulation};
use std::time::Instant;

/// A running simulation. Everything that is done to it goes through here, so that it can be done again.
pub(super) struct Live {
    simulation: Box<dyn Simulation>,
    history: History,
    sums: Sums,
    recorder: Option<Recorder>,
    /// It was brought to another time since the last step.
    moved: bool,
}

impl Live {
    pub(super) fn new(simulation: Box<dyn Simulation>) -> Live {
        let mut history = History::default();
        history.begin(simulation.as_ref());
        Live { simulation, history, sums: Sums::default(), recorder: None, moved: false }
    }

    pub(super) fn simulation(&self) -> &dyn Simulation {
        self.simulation.as_ref()
    }

    pub(super) fn history(&self) -> Range {
        let (from, to) = self.history.range();
        Range { from, to }
    }

    /// Makes the present moment the end of the history: what lay ahead is forgotten, and nobody holds anything.
    pub(super) fn settle(&mut self) {
        if !self.moved {
            return;
        }
        self.moved = false;
        if self.history.is_past() {
            self.history.forget_ahead(self.simulation.as_ref());
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.event(Event::Restore(self.simulation.save()));
        }
        // Whoever held a body then does not hold it now.
        self.simulation.release();
        self.note(Event::Release);
    }

    fn note(&mut self, event: Event) {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(event.clone());
        }
        self.history.push(Entry::Event(event), self.simulation.as_ref());
    }

    /// Does something between steps; the error is a sentence, and everything is as it was.
    pub(super) fn event(&mut self, event: Event) -> Result<(), String> {
        self.settle();
        event.apply(self.simulation.as_mut())?;
        self.note(event);
        Ok(())
    }

    /// Takes hold along a ray. What is noted is the ray as it was given: it is made anew, bit by bit, when it is done again.
    pub(super) fn grab(&mut self, origin: DVec3, direction: DVec3) -> Result<Option<Grip>, String> {
        let ray = Ray::new(origin, direction).map_err(|error| error.to_string())?;
        self.settle();
        let grip = self.simulation.grab(&ray);
        self.note(Event::Grab { origin, direction });
        Ok(grip)
    }

    /// Takes a step. The error is a sentence: the recording has ended, the step was taken all the same.
    pub(super) fn step(&mut self, input: Input, budget: &mut Budget) -> Result<(), String> {
        self.settle();
        let begin = Instant::now();
        let step = Step::first(self.simulation.as_mut(), input, budget);
        let busy = begin.elapsed();
        self.sums.add(self.simulation.report(), busy);
        self.history.push(Entry::Step(step), self.simulation.as_ref());
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        let Err(error) = recorder.step(step, self.simulation.as_ref(), busy) else { return Ok(()) };
        let cut = self.recorder.take().map(|recorder| recorder.cut_short(error).to_string());
        Err(format!("the recording has ended, since it cannot be written: {}", cut.unwrap_or_default()))
    }

    /// Takes the step of another session. The history begins anew: it was not done here. The error is a sentence.
    pub(super) fn follow(&mut self, led: &LedStep, first: bool) -> Result<(), String> {
        let begin = Instant::now();
        let result = self.simulation.follow(led, first);
        self.sums.add(self.simulation.report(), begin.elapsed());
        self.history.begin(self.simulation.as_ref());
        self.moved = false;
        result
    }

    /// Goes to a time of the history.
    pub(super) fn seek(&mut self, time: f64) -> Result<(), String> {
        self.history.seek(time, self.simulation.as_mut())?;
        self.moved = true;
        Ok(())
    }

    /// Goes to the moment before the last thing that was done to a body; false if there is none in the history.
    pub(super) fn undo(&mut self) -> Result<bool, String> {
        let undone = self.history.undo(self.simulation.as_mut())?;
        self.moved |= undone;
        Ok(undone)
    }

    pub(super) fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    /// The report over the steps since the last one.
    pub(super) fn report(&mut self) -> Report {
        let mut report = std::mem::take(&mut self.sums).report(self.simulation.as_ref());
        report.history = self.history();
        report
    }

    pub(super) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// Records from now on.
    pub(super) fn record(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    pub(super) fn stop_recording(&mut self) -> Option<Recorder> {
        self.recorder.take()
    }
}

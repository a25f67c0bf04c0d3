//! [`History`]: the last seconds of a simulation, so that one can go back.
//!
//! A ring of segments, each a saved state and what was done from there. Going to a time restores the segment's state and
//! does the rest again, bit by bit as it was. Memory is bounded: the oldest segments go first.

use crate::journal::Entry;
use prall_scenes::Simulation;
use std::collections::VecDeque;

/// Longest history in simulated seconds.
const SECONDS: f64 = 60.0;

/// Most bytes of saved states and entries.
const BYTES: usize = 64 << 20;

/// Simulated seconds between saved states: going back takes at most this much again.
const INTERVAL: f64 = 0.2;

struct Segment {
    begin: f64,
    state: Vec<u8>,
    entries: Vec<Entry>,
    bytes: usize,
}

/// Saved states and what was done between them.
#[derive(Default)]
pub(crate) struct History {
    segments: VecDeque<Segment>,
    bytes: usize,
    /// Time at the end.
    end: f64,
    /// The place in the history where the simulation is, if that is not its end: segment and entries of it done.
    place: Option<(usize, usize)>,
}

impl History {
    /// Begins anew at the present state.
    pub(crate) fn begin(&mut self, simulation: &dyn Simulation) {
        *self = History { end: simulation.time(), ..History::default() };
        self.open_segment(simulation);
    }

    fn open_segment(&mut self, simulation: &dyn Simulation) {
        let state = simulation.save();
        let bytes = state.len();
        self.bytes += bytes;
        self.segments.push_back(Segment { begin: simulation.time(), state, entries: Vec::new(), bytes });
        while self.segments.len() > 1 && (self.bytes > BYTES || self.end - self.segments[1].begin > SECONDS) {
            self.bytes -= self.segments.pop_front().map_or(0, |segment| segment.bytes);
        }
    }

    /// Times that can be gone to.
    pub(crate) fn range(&self) -> (f64, f64) {
        (self.segments.front().map_or(self.end, |segment| segment.begin), self.end)
    }

    /// True if the simulation is not at the end.
    pub(crate) fn is_past(&self) -> bool {
        self.place.is_some()
    }

    /// Forgets what lies ahead of the present place.
    pub(crate) fn forget_ahead(&mut self, simulation: &dyn Simulation) {
        let Some((segment, entries)) = self.place.take() else { return };
        self.segments.truncate(segment + 1);
        if let Some(last) = self.segments.back_mut() {
            last.entries.truncate(entries);
        }
        self.end = simulation.time();
        for segment in &mut self.segments {
            segment.bytes = segment.state.len() + segment.entries.iter().map(Entry::size).sum::<usize>();
        }
        self.bytes = self.segments.iter().map(|segment| segment.bytes).sum();
    }

    /// Takes down what was just done to the simulation, which is at the end of the history.
    ///
    /// What makes time jump begins a new history: its times would not be in order.
    pub(crate) fn push(&mut self, entry: Entry, simulation: &dyn Simulation) {
        let (time, step) = (simulation.time(), simulation.time_step());
        let jump = match entry {
            Entry::Event(_) => time != self.end,
            // A step may be cut short, but it never goes back, nor further than a step.
            Entry::Step(_) => !(self.end..=self.end + 1.5 * step).contains(&time),
        };
        let is_step = matches!(entry, Entry::Step(_));
        let Some(last) = self.segments.back_mut().filter(|_| !jump) else {
            self.begin(simulation);
            return;
        };
        last.bytes += entry.size();
        self.bytes += entry.size();
        last.entries.push(entry);
        self.end = time;
        if is_step && time - last.begin >= INTERVAL {
            self.open_segment(simulation);
        }
    }

    /// Whether something can be undone.
    pub(crate) fn can_undo(&self) -> bool {
        self.last_deed().is_some()
    }

    /// Segment and entry of the last thing before the present that a person may want to undo.
    fn last_deed(&self) -> Option<(usize, usize)> {
        let (last, done) = self.place.unwrap_or((self.segments.len().checked_sub(1)?, usize::MAX));
        (0..=last).rev().find_map(|index| {
            let entries = &self.segments[index].entries;
            let count = if index == last { done.min(entries.len()) } else { entries.len() };
            let deed = |entry: &Entry| matches!(entry, Entry::Event(event) if event.is_undoable());
            entries[..count].iter().rposition(deed).map(|entry| (index, entry))
        })
    }

    /// Brings the simulation to the moment before the last thing that was done to a body; false if there is none in the history. The
    /// error is a sentence.
    pub(crate) fn undo(&mut self, simulation: &mut dyn Simulation) -> Result<bool, String> {
        let Some((index, entry)) = self.last_deed() else { return Ok(false) };
        let segment = &self.segments[index];
        simulation.restore(&segment.state).map_err(|error| error.to_string())?;
        for before in &segment.entries[..entry] {
            before.replay(simulation)?;
        }
        self.place = Some((index, entry));
        Ok(true)
    }

    /// Brings the simulation to the last step at or before a time; the error is a sentence.
    pub(crate) fn seek(&mut self, time: f64, simulation: &mut dyn Simulation) -> Result<(), String> {
        let (from, to) = self.range();
        if !time.is_finite() {
            return Err("a time must be a number of seconds".to_owned());
        }
        // Times are sums of steps: a time that is missed by rounding is meant.
        let time = time.clamp(from, to) + 1e-6 * simulation.time_step();
        let index = self.segments.iter().rposition(|segment| segment.begin <= time).unwrap_or(0);
        let Some(segment) = self.segments.get(index) else { return Ok(()) };
        simulation.restore(&segment.state).map_err(|error| error.to_string())?;
        let step = simulation.time_step();
        let mut done = 0;
        // Events between two steps belong to the moment that they follow.
        for entry in &segment.entries {
            if matches!(entry, Entry::Step(_)) && simulation.time() + step > time {
                break;
            }
            entry.replay(simulation)?;
            done += 1;
        }
        let at_end = index + 1 == self.segments.len() && done == segment.entries.len();
        self.place = (!at_end).then_some((index, done));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Event, Step};
    use prall_scenes::{Budget, Input};

    fn advance(history: &mut History, simulation: &mut dyn Simulation, steps: usize) -> Vec<(f64, u64)> {
        let moments = (0..steps).map(|_| {
            let step = Step::first(simulation, Input::default(), &mut Budget::unlimited());
            history.push(Entry::Step(step), simulation);
            (simulation.time(), simulation.hash())
        });
        moments.collect()
    }

    #[test]
    fn every_moment_can_be_gone_to_and_has_the_bits_that_it_had() {
        let mut ball = prall_scenes::open("bouncing-ball").unwrap();
        let mut history = History::default();
        history.begin(ball.as_ref());
        let mut moments = advance(&mut history, ball.as_mut(), 150);
        let event = Event::Set { key: "gravity".to_owned(), value: 3.0 };
        event.apply(ball.as_mut()).unwrap();
        history.push(Entry::Event(event), ball.as_ref());
        moments.extend(advance(&mut history, ball.as_mut(), 150));
        for (time, hash) in moments.iter().rev().chain(moments.iter().step_by(7)) {
            history.seek(*time, ball.as_mut()).unwrap();
            assert_eq!((ball.time(), ball.hash()), (*time, *hash));
        }
        history.seek(0.0, ball.as_mut()).unwrap();
        assert_eq!((ball.time(), ball.get("gravity")), (0.0, Some(9.81)));
    }

    #[test]
    fn what_lies_ahead_is_kept_until_the_simulation_goes_on() {
        let mut ball = prall_scenes::open("bouncing-ball").unwrap();
        let mut history = History::default();
        history.begin(ball.as_ref());
        let first = advance(&mut history, ball.as_mut(), 200);
        history.seek(first[99].0, ball.as_mut()).unwrap();
        assert!(history.is_past());
        assert_eq!(history.range(), (0.0, first[199].0));
        history.forget_ahead(ball.as_ref());
        assert_eq!(history.range(), (0.0, first[99].0));
        let again = advance(&mut history, ball.as_mut(), 100);
        assert_eq!(again, first[100..]);
    }

    #[test]
    fn a_long_run_keeps_its_last_minute_only() {
        let mut ball = prall_scenes::open("bouncing-ball").unwrap();
        let mut history = History::default();
        history.begin(ball.as_ref());
        advance(&mut history, ball.as_mut(), 240 * 80);
        let (from, to) = history.range();
        assert!(to - from >= SECONDS && to - from < SECONDS + 2.0 * INTERVAL, "from {from} to {to}");
        assert!(history.bytes < BYTES);
        let counted: usize = history.segments.iter().map(|segment| segment.bytes).sum();
        assert_eq!(history.bytes, counted);
    }

    #[test]
    fn a_jump_in_time_begins_a_new_history() {
        let mut ball = prall_scenes::open("bouncing-ball").unwrap();
        let mut history = History::default();
        history.begin(ball.as_ref());
        advance(&mut history, ball.as_mut(), 100);
        ball.reset();
        history.push(Entry::Event(Event::Reset), ball.as_ref());
        assert_eq!(history.range(), (0.0, 0.0));
    }
}

//! The smallest clearance along a path, enclosed: the gap at places of the path, and how little it can be between them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use prall_math::Pose;

use super::PathQuery;
use crate::batch::Batch;
use crate::budget::Budget;
use crate::contact::ContactPoint;
use crate::distance::{DistanceOptions, distance};
use crate::error::QueryError;
use crate::workspace::Workspace;

/// Places that are looked at before what was found there is made use of: on any number of threads, so that the search takes the same way.
const ROUND: usize = 16;

/// Part of the wanted accuracy to which distances on the way are found; the rest is for what lies between the places looked at.
const OF_DISTANCES: f64 = 0.25;

/// Finest accuracy of a clearance, in m.
const FINEST: f64 = 1e-6;

/// The smallest clearance along a path, enclosed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// Proven: nowhere on the path is the gap smaller, in m.
    pub at_least: f64,
    /// The gap at the tightest place that was found, in m.
    pub gap: f64,
    /// When that is.
    pub time: f64,
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Where it is.
    pub contact: ContactPoint,
}

/// A place of the path beside one obstacle, to be looked at.
struct Place {
    obstacle: usize,
    piece: usize,
    share: f64,
    /// Gaps beyond this do not matter.
    within: f64,
    /// Triangles that were nearest in the neighbourhood.
    last: Option<(u32, u32)>,
    /// Share by which the distance may be too large.
    accuracy: f64,
}

/// What is known of the gap at a share of a piece.
#[derive(Clone, Copy)]
struct Known {
    share: f64,
    /// It is not less than this, in m.
    gap: f64,
    /// The nearest triangles, if it was measured.
    nearest: Option<(u32, u32)>,
}

/// An interval of a piece of the path beside one obstacle.
struct Interval {
    at_least: f64,
    obstacle: usize,
    piece: usize,
    begin: Known,
    end: Known,
}

impl Interval {
    /// The middle, if numbers are fine enough for one.
    fn middle(&self) -> Option<f64> {
        let middle = 0.5 * (self.begin.share + self.end.share);
        (self.begin.share < middle && middle < self.end.share).then_some(middle)
    }
}

impl PartialEq for Interval {
    fn eq(&self, other: &Interval) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Interval {}

impl PartialOrd for Interval {
    fn partial_cmp(&self, other: &Interval) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Interval {
    /// The most promising first, then by place, so that equal searches take equal ways.
    fn cmp(&self, other: &Interval) -> Ordering {
        let key = |interval: &Interval| (interval.piece, interval.obstacle);
        other
            .at_least
            .total_cmp(&self.at_least)
            .then_with(|| key(other).cmp(&key(self)))
            .then_with(|| other.begin.share.total_cmp(&self.begin.share))
    }
}

impl PathQuery<'_> {
    /// Looks for the smallest clearance from the start of the path to the time `until`, to within `accuracy` (a share
    /// of the clearance, and at least a micrometre); none if there is no obstacle, or the budget ended before the start
    /// was looked at.
    ///
    /// Promise: [`Clearance::at_least`] is proven up to the rounding of distances, also when the budget ends early. One
    /// unit of work is one place looked at. `until` and `accuracy` must be numbers.
    pub fn smallest_clearance(
        &self,
        until: f64,
        accuracy: f64,
        budget: &mut Budget,
        workspace: &mut Workspace,
    ) -> Result<Option<Clearance>, QueryError> {
        self.search_clearance(until, accuracy, budget, |places| {
            places.iter().map(|place| self.look(place, workspace)).collect()
        })
    }

    /// As [`PathQuery::smallest_clearance`], on all threads of a batch, with the bits of one.
    pub fn smallest_clearance_in(
        &self,
        batch: &Batch<'_>,
        until: f64,
        accuracy: f64,
        budget: &mut Budget,
    ) -> Result<Option<Clearance>, QueryError> {
        self.search_clearance(until, accuracy, budget, |places| {
            batch.map(places, |place, workspace| self.look(place, workspace))
        })
    }

    fn search_clearance(
        &self,
        until: f64,
        accuracy: f64,
        budget: &mut Budget,
        look: impl FnMut(&[Place]) -> Vec<Result<Option<ContactPoint>, QueryError>>,
    ) -> Result<Option<Clearance>, QueryError> {
        for (option, value) in [("the time until which to look", until), ("the accuracy", accuracy)] {
            if value.is_nan() {
                return Err(QueryError::Option { option, value, wanted: "a number" });
            }
        }
        let of_distances = (OF_DISTANCES * accuracy).clamp(0.0, 0.5);
        let mut search = Search { query: *self, best: None, look, accuracy: of_distances };
        let mut open = search.pieces(until, budget)?;
        search.refine(&mut open, accuracy, budget)?;
        search.measure_exactly()?;
        let proven = open.peek().map_or(f64::INFINITY, |interval| interval.at_least);
        Ok(search.best.map(|(best, _)| Clearance { at_least: proven.min(best.gap), ..best }))
    }

    /// The nearest points at a place, if they are within its limit.
    fn look(&self, place: &Place, workspace: &mut Workspace) -> Result<Option<ContactPoint>, QueryError> {
        let pose = self.path.pieces[place.piece].pose(place.share);
        let Place { within, last, accuracy, .. } = *place;
        let options = DistanceOptions { within, last, accuracy };
        distance(self.part, &pose, self.obstacles[place.obstacle], &Pose::IDENTITY, &options, workspace)
    }

    /// The way of the part's fastest point between two shares of a piece, in m.
    fn way(&self, piece: usize, begin: f64, end: f64) -> f64 {
        self.path.pieces[piece].speed_bound(self.part.radius(), begin, end) * (end - begin)
    }

    /// A gap changes no faster than the part's fastest point: with the gaps d0 and d1 at the ends and the way L of that
    /// point between them, it is at least (d0 + d1 - L) / 2 (Piyavskii 1972).
    fn interval(&self, obstacle: usize, piece: usize, begin: Known, end: Known) -> Interval {
        let way = self.way(piece, begin.share, end.share);
        let at_least = (0.5 * (begin.gap + end.gap - way)).min(begin.gap).min(end.gap).max(0.0);
        Interval { at_least, obstacle, piece, begin, end }
    }
}

struct Search<'a, Look> {
    query: PathQuery<'a>,
    /// The tightest place so far: what was found there, and its piece and share.
    best: Option<(Clearance, (usize, f64))>,
    look: Look,
    /// Share by which distances may be too large.
    accuracy: f64,
}

impl<Look> Search<'_, Look>
where
    Look: FnMut(&[Place]) -> Vec<Result<Option<ContactPoint>, QueryError>>,
{
    fn best_gap(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |(best, _)| best.gap)
    }

    /// Looks at places, and keeps the tightest of all.
    fn look(&mut self, places: &[Place]) -> Result<Vec<Known>, QueryError> {
        let answers = (self.look)(places);
        places.iter().zip(answers).map(|(place, answer)| Ok(self.learn(place, answer?))).collect()
    }

    fn learn(&mut self, place: &Place, found: Option<ContactPoint>) -> Known {
        let Some(contact) = found else {
            return Known { share: place.share, gap: place.within, nearest: None };
        };
        if contact.gap < self.best_gap() {
            let (gap, obstacle) = (contact.gap, place.obstacle);
            let time = self.query.path.time(place.piece, place.share);
            let found = Clearance { at_least: 0.0, gap, time, obstacle, contact };
            self.best = Some((found, (place.piece, place.share)));
        }
        Known { share: place.share, gap: contact.gap * (1.0 - place.accuracy), nearest: nearest(&contact) }
    }

    /// Looks at the tightest place once more.
    fn measure_exactly(&mut self) -> Result<(), QueryError> {
        if let Some((Clearance { obstacle, gap, contact, .. }, (piece, share))) = self.best {
            let last = nearest(&contact);
            self.look(&[Place { obstacle, piece, share, within: gap, last, accuracy: 0.0 }])?;
        }
        Ok(())
    }

    /// All pieces up to a time beside all obstacles, after a look at their ends.
    fn pieces(&mut self, until: f64, budget: &mut Budget) -> Result<BinaryHeap<Interval>, QueryError> {
        let (last_piece, last_share) = self.query.path.locate(until);
        let end_of = |piece: usize| if piece == last_piece { last_share } else { 1.0 };
        let ways: Vec<f64> =
            (0..=last_piece).map(|piece| self.query.way(piece, 0.0, end_of(piece))).collect();
        let mut open = BinaryHeap::new();
        for obstacle in 0..self.query.obstacles.len() {
            // One end more than there are pieces; the last is that of the last piece.
            let mut ends = Vec::with_capacity(last_piece + 2);
            let mut last = None;
            while ends.len() < last_piece + 2 {
                let first = ends.len();
                let round = first..(first + ROUND).min(last_piece + 2);
                let places: Vec<Place> = round
                    .clone()
                    .map_while(|end| {
                        let piece = end.min(last_piece);
                        let share = if end > last_piece { last_share } else { 0.0 };
                        // An end farther away than this shows that its pieces hold nothing tighter.
                        let within = self.best_gap() + ways[piece].max(ways[end.saturating_sub(1)]);
                        let accuracy = self.accuracy;
                        budget.take().then_some(Place { obstacle, piece, share, within, last, accuracy })
                    })
                    .collect();
                ends.extend(self.look(&places)?);
                last = ends.last().and_then(|end: &Known| end.nearest).or(last);
                // Of what the budget does not reach nothing is known.
                ends.resize(round.end, Known { share: 0.0, gap: 0.0, nearest: None });
            }
            for piece in 0..=last_piece {
                let begin = Known { share: 0.0, ..ends[piece] };
                let end = Known { share: end_of(piece), ..ends[piece + 1] };
                open.push(self.query.interval(obstacle, piece, begin, end));
            }
        }
        Ok(open)
    }

    /// Halves the most promising intervals until none promises anything tighter, as far as it matters and work goes.
    fn refine(
        &mut self,
        open: &mut BinaryHeap<Interval>,
        accuracy: f64,
        budget: &mut Budget,
    ) -> Result<(), QueryError> {
        loop {
            let best = self.best_gap();
            let enough = best - (accuracy * best).max(FINEST);
            let mut round = Vec::with_capacity(ROUND);
            let mut places = Vec::with_capacity(ROUND);
            while round.len() < ROUND
                && let Some(middle) =
                    open.peek().filter(|next| next.at_least < enough).and_then(Interval::middle)
                && budget.take()
                && let Some(next) = open.pop()
            {
                let Interval { obstacle, piece, begin, end, .. } = next;
                let within = best + self.query.way(piece, begin.share, end.share);
                let last = begin.nearest.or(end.nearest);
                let (share, accuracy) = (middle, self.accuracy);
                places.push(Place { obstacle, piece, share, within, last, accuracy });
                round.push(next);
            }
            if round.is_empty() {
                return Ok(());
            }
            let middles = self.look(&places)?;
            for (Interval { obstacle, piece, begin, end, .. }, middle) in round.into_iter().zip(middles) {
                open.push(self.query.interval(obstacle, piece, begin, middle));
                open.push(self.query.interval(obstacle, piece, middle, end));
            }
        }
    }
}

fn nearest(contact: &ContactPoint) -> Option<(u32, u32)> {
    contact.features.on_a.triangle().zip(contact.features.on_b.triangle())
}

//! Is a path free? A part follows waypoints among obstacles; the answer is proven for every time between them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use prall_math::{Motion, MotionError, Pose};
use thiserror::Error;

use crate::budget::Budget;
use crate::contact::ContactPoint;
use crate::distance::{DistanceOptions, distance};
use crate::error::QueryError;
use crate::hierarchy::Hierarchy;
use crate::time_of_impact::{ImpactOptions, time_of_impact};
use crate::workspace::Workspace;

/// How a part goes from one waypoint to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Its origin on a straight line, turning evenly.
    #[default]
    Slerp,
    /// About a fixed axis and along it.
    Screw,
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// In s, or whatever the path is measured in.
    pub time: f64,
    /// Where the part is then.
    pub pose: Pose,
}

/// A motion through waypoints.
#[derive(Clone, Debug)]
pub struct Path {
    times: Vec<f64>,
    pieces: Vec<Motion>,
}

/// Why waypoints make no path.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PathError {
    /// Fewer than two waypoints.
    #[error("a path needs at least 2 waypoints, not {0}")]
    TooShort(usize),
    /// Times that do not grow.
    #[error("waypoint {waypoint} is at time {time}, not after the one before it, which is at {before}")]
    Time {
        /// Counted from 1.
        waypoint: usize,
        /// Its time.
        time: f64,
        /// The time of the one before.
        before: f64,
    },
    /// Poses that no motion leads between.
    #[error("between waypoints {waypoint} and {}: {source}", waypoint + 1)]
    Motion {
        /// The first of the two, counted from 1.
        waypoint: usize,
        /// What is wrong.
        source: MotionError,
    },
}

impl Path {
    /// A path through waypoints in the order of time.
    pub fn new(waypoints: &[Waypoint], interpolation: Interpolation) -> Result<Path, PathError> {
        if waypoints.len() < 2 {
            return Err(PathError::TooShort(waypoints.len()));
        }
        let mut pieces = Vec::with_capacity(waypoints.len() - 1);
        for (index, pair) in waypoints.windows(2).enumerate() {
            let (before, time) = (pair[0].time, pair[1].time);
            // Written so that NaN is wrong.
            if !(before < time && time.is_finite() && before.is_finite()) {
                return Err(PathError::Time { waypoint: index + 2, time, before });
            }
            let piece = match interpolation {
                Interpolation::Slerp => Motion::slerp(pair[0].pose, pair[1].pose),
                Interpolation::Screw => Motion::screw(pair[0].pose, pair[1].pose),
            };
            pieces.push(piece.map_err(|source| PathError::Motion { waypoint: index + 1, source })?);
        }
        Ok(Path { times: waypoints.iter().map(|waypoint| waypoint.time).collect(), pieces })
    }

    /// How many pieces there are between waypoints.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// The time at a share of a piece.
    fn time(&self, piece: usize, share: f64) -> f64 {
        self.times[piece] + share * (self.times[piece + 1] - self.times[piece])
    }

    /// The piece and the share of it at a time; times outside are those of the ends.
    fn locate(&self, time: f64) -> (usize, f64) {
        let piece = self.times[1..self.times.len() - 1].partition_point(|&end| end <= time);
        let (begin, end) = (self.times[piece], self.times[piece + 1]);
        (piece, ((time - begin) / (end - begin)).clamp(0.0, 1.0))
    }

    /// Where the part is at a time; before the start and after the end it rests.
    pub fn pose(&self, time: f64) -> Pose {
        let (piece, share) = self.locate(time);
        self.pieces[piece].pose(share)
    }

    /// Time of the first waypoint.
    pub fn start_time(&self) -> f64 {
        self.times[0]
    }

    /// Time of the last waypoint.
    pub fn end_time(&self) -> f64 {
        self.times[self.times.len() - 1]
    }
}

/// What a search along a path found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathAnswer {
    /// Proven: from the start of the path to this time the part keeps more than the clearance.
    pub free_until: f64,
    /// The first place where it does not: the time, the index of the obstacle, and where.
    pub contact: Option<(f64, usize, ContactPoint)>,
    /// False if the budget ended first.
    pub finished: bool,
}

impl PathAnswer {
    /// True if the whole path is proven free.
    pub fn is_free(&self) -> bool {
        self.finished && self.contact.is_none()
    }
}

/// A part, its path and what stands around it, all in the frame of the world.
#[derive(Clone, Copy, Debug)]
pub struct PathQuery<'a> {
    /// What moves.
    pub part: &'a Hierarchy,
    /// How it moves.
    pub path: &'a Path,
    /// What stands still.
    pub obstacles: &'a [&'a Hierarchy],
}

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

/// An interval of a piece of the path beside one obstacle.
struct Interval {
    at_least: f64,
    obstacle: usize,
    piece: usize,
    begin: (f64, f64),
    end: (f64, f64),
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
            .then_with(|| other.begin.0.total_cmp(&self.begin.0))
    }
}

impl PathQuery<'_> {
    /// Follows the path until the part comes nearer to an obstacle than `options.guard`, or to its end.
    ///
    /// Promise: whatever the meshes and the budget, every time up to [`PathAnswer::free_until`] is free. `progress` is
    /// told how many pieces are done.
    pub fn check(
        &self,
        options: &ImpactOptions,
        budget: &mut Budget,
        workspace: &mut Workspace,
        mut progress: impl FnMut(usize),
    ) -> Result<PathAnswer, QueryError> {
        let rest = Motion::still(Pose::IDENTITY).expect("the identity is a valid pose");
        for (index, piece) in self.path.pieces.iter().enumerate() {
            let mut first =
                PathAnswer { free_until: self.path.time(index, 1.0), contact: None, finished: true };
            for (obstacle, hierarchy) in self.obstacles.iter().enumerate() {
                let answer = time_of_impact(self.part, piece, hierarchy, &rest, options, budget, workspace)?;
                let time = self.path.time(index, answer.free_until);
                let stops = answer.contact.is_some() || !answer.finished;
                if stops && (time < first.free_until || first.is_free()) {
                    let contact = answer.contact.map(|(_, contact)| (time, obstacle, contact));
                    first = PathAnswer { free_until: time, contact, finished: answer.finished };
                }
            }
            if !first.is_free() {
                return Ok(first);
            }
            progress(index + 1);
        }
        Ok(PathAnswer { free_until: self.path.end_time(), contact: None, finished: true })
    }

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
        for (option, value) in [("the time until which to look", until), ("the accuracy", accuracy)] {
            if value.is_nan() {
                return Err(QueryError::Option { option, value, wanted: "a number" });
            }
        }
        let mut search = ClearanceSearch { query: *self, best: None, workspace };
        let mut open = BinaryHeap::new();
        let (last_piece, last_share) = self.path.locate(until);
        for obstacle in 0..self.obstacles.len() {
            for piece in 0..=last_piece {
                let end = if piece == last_piece { last_share } else { 1.0 };
                let way = self.path.pieces[piece].speed_bound(self.part.radius(), 0.0, end) * end;
                let limit = search.best_gap() + way;
                if !budget.take() {
                    // Nothing is known of this piece: no clearance is proven.
                    open.push(Interval {
                        at_least: 0.0,
                        obstacle,
                        piece,
                        begin: (0.0, 0.0),
                        end: (end, 0.0),
                    });
                } else if let Some(gap) = search.gap(obstacle, piece, 0.0, limit)? {
                    let last = search.gap(obstacle, piece, end, f64::INFINITY)?.unwrap_or(f64::INFINITY);
                    open.push(self.interval(obstacle, piece, (0.0, gap), (end, last)));
                }
            }
        }
        let fine = |gap: f64| (accuracy * gap).max(1e-6);
        let mut proven = f64::INFINITY;
        while let Some(interval) = open.pop() {
            let best = search.best_gap();
            proven = interval.at_least;
            let middle = 0.5 * (interval.begin.0 + interval.end.0);
            let narrow = !(interval.begin.0 < middle && middle < interval.end.0);
            if proven >= best - fine(best) || narrow || !budget.take() {
                break;
            }
            let gap = search
                .gap(interval.obstacle, interval.piece, middle, f64::INFINITY)?
                .unwrap_or(f64::INFINITY);
            for (begin, end) in [(interval.begin, (middle, gap)), ((middle, gap), interval.end)] {
                open.push(self.interval(interval.obstacle, interval.piece, begin, end));
            }
            proven = f64::INFINITY;
        }
        Ok(search.best.map(|best| Clearance { at_least: proven.min(best.gap), ..best }))
    }

    /// A gap changes no faster than the part's fastest point: with the gaps d0 and d1 at the ends and the way L of that
    /// point between them, it is at least (d0 + d1 - L) / 2 (Piyavskii 1972).
    fn interval(&self, obstacle: usize, piece: usize, begin: (f64, f64), end: (f64, f64)) -> Interval {
        let way = self.path.pieces[piece].speed_bound(self.part.radius(), begin.0, end.0) * (end.0 - begin.0);
        let at_least = (0.5 * (begin.1 + end.1 - way)).min(begin.1).max(0.0);
        Interval { at_least, obstacle, piece, begin, end }
    }
}

struct ClearanceSearch<'a> {
    query: PathQuery<'a>,
    best: Option<Clearance>,
    workspace: &'a mut Workspace,
}

impl ClearanceSearch<'_> {
    fn best_gap(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.gap)
    }

    /// The gap at a place of the path, if it is within the limit.
    fn gap(
        &mut self,
        obstacle: usize,
        piece: usize,
        share: f64,
        within: f64,
    ) -> Result<Option<f64>, QueryError> {
        let PathQuery { part, path, obstacles } = self.query;
        let pose = path.pieces[piece].pose(share);
        let options = DistanceOptions { within, last: None };
        let found = distance(part, &pose, obstacles[obstacle], &Pose::IDENTITY, &options, self.workspace)?;
        let Some(contact) = found else { return Ok(None) };
        if contact.gap < self.best_gap() {
            let time = path.time(piece, share);
            self.best = Some(Clearance { at_least: 0.0, gap: contact.gap, time, obstacle, contact });
        }
        Ok(Some(contact.gap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::BuildOptions;
    use glam::{DQuat, DVec3};
    use prall_geometry::{Mesh, MeshOptions, generate};

    fn cuboid(size: DVec3, at: DVec3) -> Hierarchy {
        let soup = generate::cuboid(size).unwrap();
        let soup = soup.transformed(&glam::DAffine3::from_translation(at)).unwrap();
        let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
        Hierarchy::of_mesh(&mesh, &BuildOptions::default()).unwrap()
    }

    fn path(points: &[[f64; 3]]) -> Path {
        let waypoints: Vec<Waypoint> = points
            .iter()
            .enumerate()
            .map(|(i, p)| Waypoint {
                time: 2.0 * i as f64,
                pose: Pose::from_translation(DVec3::from_array(*p)),
            })
            .collect();
        Path::new(&waypoints, Interpolation::Slerp).unwrap()
    }

    fn check(query: &PathQuery, clearance: f64, budget: &mut Budget) -> PathAnswer {
        let options = ImpactOptions { guard: clearance, ..ImpactOptions::default() };
        query.check(&options, budget, &mut Workspace::new(), |_| ()).unwrap()
    }

    /// A cube of 0.2 m goes past a wall whose face is at x = 1, at a distance that is known at every time.
    #[test]
    fn a_contact_is_found_at_the_time_that_geometry_says() {
        let (part, wall) = (cuboid(DVec3::splat(0.2), DVec3::ZERO), cuboid(DVec3::ONE, DVec3::X * 1.5));
        let path = path(&[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.1, 0.0, 0.0]]);
        let query = PathQuery { part: &part, path: &path, obstacles: &[&wall] };
        let answer = check(&query, 0.0, &mut Budget::unlimited());
        // The gap is 0.9 - x: zero at x = 0.9, two thirds through the second piece.
        let (time, obstacle, contact) = answer.contact.unwrap();
        assert!((time - (2.0 + 2.0 * 2.0 / 3.0)).abs() < 1e-5, "{time}");
        assert_eq!(obstacle, 0);
        assert!(contact.gap <= 1e-6 && (contact.normal - DVec3::NEG_X).length() < 1e-9);
        assert_eq!(answer.free_until, time);
        // With a clearance of 0.1 m at x = 0.8, in the middle of the second piece.
        let early = check(&query, 0.1, &mut Budget::unlimited());
        assert!((early.contact.unwrap().0 - 3.0).abs() < 1e-4, "{early:?}");
    }

    #[test]
    fn a_wall_thinner_than_the_step_is_not_jumped_over() {
        let part = cuboid(DVec3::splat(0.1), DVec3::ZERO);
        let sheet = cuboid(DVec3::new(0.001, 4.0, 4.0), DVec3::X * 50.0);
        let path = path(&[[0.0, 0.0, 0.0], [100.0, 0.0, 0.0]]);
        let query = PathQuery { part: &part, path: &path, obstacles: &[&sheet] };
        let time = check(&query, 0.0, &mut Budget::unlimited()).contact.unwrap().0;
        assert!((time - 2.0 * (50.0 - 0.0005 - 0.05) / 100.0).abs() < 1e-6, "{time}");
    }

    #[test]
    fn the_earliest_of_several_obstacles_is_named() {
        let part = cuboid(DVec3::splat(0.2), DVec3::ZERO);
        let (far, near) = (cuboid(DVec3::ONE, DVec3::X * 3.0), cuboid(DVec3::ONE, DVec3::X * 2.0));
        let path = path(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]);
        for (obstacles, expected) in [([&far, &near], 1), ([&near, &far], 0)] {
            let query = PathQuery { part: &part, path: &path, obstacles: &obstacles };
            assert_eq!(check(&query, 0.0, &mut Budget::unlimited()).contact.unwrap().1, expected);
        }
    }

    #[test]
    fn a_spent_budget_is_undecided_and_what_it_proved_holds() {
        let (part, wall) = (cuboid(DVec3::splat(0.2), DVec3::ZERO), cuboid(DVec3::ONE, DVec3::X * 1.5));
        let path = path(&[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.1, 0.0, 0.0]]);
        let query = PathQuery { part: &part, path: &path, obstacles: &[&wall] };
        let full = check(&query, 0.0, &mut Budget::unlimited());
        let mut before = 0.0;
        for work in 0..200 {
            let answer = check(&query, 0.0, &mut Budget::of_work(work));
            assert!(answer.free_until >= before && answer.free_until <= full.free_until + 1e-12);
            assert_eq!(answer.finished, answer.contact.is_some());
            before = answer.free_until;
        }
        assert_eq!(before, full.free_until);
    }

    /// The tightest place is in the middle of a piece: a cube turns beside a wall, its edge nearest at 45 degrees.
    #[test]
    fn the_smallest_clearance_is_enclosed() {
        let (part, wall) =
            (cuboid(DVec3::ONE, DVec3::ZERO), cuboid(DVec3::new(1.0, 3.0, 3.0), DVec3::X * 1.5));
        let turned = |angle: f64| Pose::from_rotation(DQuat::from_rotation_z(angle));
        let waypoints = [(0.0, 0.1), (1.0, 1.2)].map(|(time, angle)| Waypoint { time, pose: turned(angle) });
        for interpolation in [Interpolation::Slerp, Interpolation::Screw] {
            let path = Path::new(&waypoints, interpolation).unwrap();
            let query = PathQuery { part: &part, path: &path, obstacles: &[&wall] };
            let found = query
                .smallest_clearance(1.0, 0.01, &mut Budget::unlimited(), &mut Workspace::new())
                .unwrap()
                .unwrap();
            let exact = 1.0 - 0.5_f64.sqrt();
            assert!(found.at_least <= exact && exact <= found.gap + 1e-9, "{found:?}, exact {exact}");
            assert!(found.gap - found.at_least <= 0.01 * found.gap + 1e-9);
            let time = (std::f64::consts::FRAC_PI_4 - 0.1) / 1.1;
            assert!((found.time - time).abs() < 0.1, "{found:?}, exact {time}");
            let cut = query
                .smallest_clearance(1.0, 0.01, &mut Budget::of_work(3), &mut Workspace::new())
                .unwrap()
                .unwrap();
            assert!(cut.at_least <= exact && exact <= cut.gap + 1e-9);
        }
    }

    #[test]
    fn the_end_of_the_path_may_be_its_tightest_place() {
        let (part, wall) = (cuboid(DVec3::splat(0.2), DVec3::ZERO), cuboid(DVec3::ONE, DVec3::X * 1.5));
        let path = path(&[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.85, 0.0, 0.0]]);
        let query = PathQuery { part: &part, path: &path, obstacles: &[&wall] };
        let clearance = |until| {
            query
                .smallest_clearance(until, 0.01, &mut Budget::unlimited(), &mut Workspace::new())
                .unwrap()
                .unwrap()
        };
        assert!((clearance(4.0).gap - 0.05).abs() < 1e-12);
        assert!((clearance(1.0).gap - 0.65).abs() < 1e-12);
    }

    #[test]
    fn poses_between_waypoints_are_found_by_time() {
        let path = path(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
        let at = |time: f64| path.pose(time).translation;
        assert_eq!(at(-1.0), DVec3::ZERO);
        assert!((at(1.0) - DVec3::X * 0.5).length() < 1e-15);
        assert!((at(2.0) - DVec3::X).length() < 1e-15);
        assert!((at(3.0) - DVec3::new(1.0, 0.5, 0.0)).length() < 1e-15);
        assert!((at(9.0) - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-15);
    }

    #[test]
    fn waypoints_that_make_no_path_are_refused_by_number() {
        let at = |time: f64| Waypoint { time, pose: Pose::IDENTITY };
        let refused = |times: &[f64]| {
            let waypoints: Vec<Waypoint> = times.iter().map(|time| at(*time)).collect();
            Path::new(&waypoints, Interpolation::Slerp).unwrap_err()
        };
        assert_eq!(refused(&[0.0]), PathError::TooShort(1));
        assert!(matches!(refused(&[0.0, 1.0, 1.0]), PathError::Time { waypoint: 3, .. }));
        assert!(matches!(refused(&[0.0, f64::NAN]), PathError::Time { waypoint: 2, .. }));
        let bad = Pose::new(DQuat::from_xyzw(1.0, 1.0, 0.0, 0.0), DVec3::ZERO);
        let waypoints = [at(0.0), Waypoint { time: 1.0, pose: bad }];
        let error = Path::new(&waypoints, Interpolation::Slerp).unwrap_err();
        assert!(matches!(error, PathError::Motion { waypoint: 1, .. }));
    }
}

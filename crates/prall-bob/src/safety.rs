//! How safe a track is: loads over the station, and where sleds with scattered entries lift off, hit the planking and crash.

use serde::Serialize;

use crate::pilot::SteeringLine;
use crate::run::{Hands, Run, even_number};
use crate::sled::Sled;
use crate::track::Track;

/// Length of a stretch of the map in m.
pub const STRETCH: f64 = 10.0;
/// Distance of the knots in m at which hands err, and by how much at most, in rad: 1.5 degrees. Curves are entered at another place each time.
const KNOTS: f64 = 20.0;
const ERROR: f64 = 1.5 * std::f64::consts::PI / 180.0;

/// Hands that err: a steering line beside the pilot's, drawn anew for each seed.
pub fn scattered_hands(track: &Track, seed: u64) -> SteeringLine {
    let line = SteeringLine::straight(0.0, track.finish(), KNOTS);
    let mut state = seed;
    let turns: Vec<(usize, f64)> =
        (0..line.knots().len()).map(|knot| (knot, ERROR * (2.0 * even_number(&mut state) - 1.0))).collect();
    line.turned(&turns)
}

/// What one run saw in every stretch that it came to, from s = 0 to the finish.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchedRun {
    stretches: Vec<Seen>,
    /// Number of the stretch of a crash.
    crash: Option<usize>,
}

/// In one stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    came: bool,
    /// Largest force on the runners over weight, mean over 10 ms.
    load: f64,
    lifted: bool,
    planking: bool,
}

impl WatchedRun {
    /// Lets a run go to its finish or its crash.
    pub fn watch(mut run: Run<'_>) -> WatchedRun {
        let finish = run.course().track.finish();
        let count = (finish / STRETCH).ceil() as usize;
        let mut watched = WatchedRun { stretches: vec![Seen::default(); count], crash: None };
        let weight = run.sled().mass() * 9.81;
        loop {
            let (mut force, mut steps, mut closed, mut planking) = (0.0, 0.0, 0, false);
            let goes_on = run.look_with(&Hands::Pilot, |sled: &Sled| {
                force += sled.normal_force();
                steps += 1.0;
                closed = closed.max(sled.touched().runners);
                planking |= sled.touched().boards > 0;
            });
            let stretch = (run.station().max(0.0) / STRETCH) as usize;
            if let (Some(seen), None, true) =
                (watched.stretches.get_mut(stretch), watched.crash, run.station() >= 0.0)
            {
                seen.came = true;
                seen.load = seen.load.max(force / (steps * weight));
                seen.lifted |= closed == 0;
                seen.planking |= planking;
            }
            if run.result().crash.is_some() {
                watched.crash = Some(stretch.min(count - 1));
            }
            if !goes_on || watched.crash.is_some() || run.result().time.is_some() {
                return watched;
            }
        }
    }
}

/// A stretch of the map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// Where it begins, in m.
    pub s: f64,
    /// Runs that came there.
    pub runs: u32,
    /// Mean of their largest loads, over weight.
    pub mean_load: f64,
    /// Largest of them.
    pub largest_load: f64,
    /// Runs in which no runner touched the ice for 10 ms.
    pub lift_offs: u32,
    /// Runs that touched the planking above the edge of the channel.
    pub planking_hits: u32,
    /// Runs that crashed.
    pub crashes: u32,
}

/// The map of a track: runs put together, stretch by stretch.
pub fn map(runs: &[WatchedRun]) -> Vec<Stretch> {
    let count = runs.iter().map(|run| run.stretches.len()).max().unwrap_or(0);
    let stretch = |index: usize| {
        let seen: Vec<&Seen> =
            runs.iter().filter_map(|run| run.stretches.get(index)).filter(|seen| seen.came).collect();
        let number = |what: fn(&Seen) -> bool| seen.iter().filter(|seen| what(seen)).count() as u32;
        Stretch {
            s: STRETCH * index as f64,
            runs: seen.len() as u32,
            mean_load: seen.iter().map(|seen| seen.load).sum::<f64>() / seen.len().max(1) as f64,
            largest_load: seen.iter().map(|seen| seen.load).fold(0.0, f64::max),
            lift_offs: number(|seen| seen.lifted),
            planking_hits: number(|seen| seen.planking),
            crashes: runs.iter().filter(|run| run.crash == Some(index)).count() as u32,
        }
    };
    (0..count).map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pilot::PilotOptions;
    use crate::run::tests::{THROUGH_THE_CURVE, course_of, curve};
    use crate::sled::{Setup, TWO_MAN};
    use crate::track::PointMassStart;

    /// Two runs through a curve: the map's loads are those that the runs themselves report, whoever has bad hands scatters, and nothing is counted
    /// behind a crash.
    #[test]
    fn the_map_of_a_track_is_what_its_runs_saw() {
        let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
        let setup = Setup::read("two-man", TWO_MAN).unwrap();
        let run = || Run::new(&course, &setup, PilotOptions::default(), THROUGH_THE_CURVE).unwrap();
        let mut alone = run();
        while alone.look() && alone.result().time.is_none() {}
        let watched = WatchedRun::watch(run());
        let steady = map(std::slice::from_ref(&watched));
        assert_eq!(steady.len(), 14);
        let largest = steady.iter().map(|stretch| stretch.largest_load).fold(0.0, f64::max);
        assert!(
            (largest - alone.result().largest_load).abs() < 1e-9,
            "{largest} {}",
            alone.result().largest_load
        );
        assert!(steady.iter().all(|stretch| stretch.crashes == 0 && stretch.runs == 1), "{steady:?}");
        let scattered: Vec<WatchedRun> = (0..2)
            .map(|seed| WatchedRun::watch(run().steered_by(scattered_hands(&course.track, seed))))
            .collect();
        assert!(scattered[0] != scattered[1] && scattered[0] != watched);
        let mut crashed = watched.clone();
        crashed.crash = Some(5);
        crashed.stretches[6..].fill(Seen::default());
        let both = map(&[watched, crashed]);
        assert_eq!((both[5].crashes, both[5].runs, both[6].runs, both[6].crashes), (1, 2, 1, 0));
    }

    /// A sled that is thrown over the edge touches the planking, and is seen to.
    #[test]
    fn planking_hits_are_on_the_map() {
        let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
        let run = crate::run::tests::thrown_over_the_edge(&course);
        let stretches = map(&[WatchedRun::watch(run)]);
        assert!(
            stretches.iter().any(|stretch| stretch.planking_hits == 1 && stretch.s >= 90.0),
            "{stretches:?}"
        );
    }
}

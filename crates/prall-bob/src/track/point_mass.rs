//! [`PointMassRun`]: a mass without extent on the line where it would neither climb nor fall; the first check of a track.

use glam::DVec2;

use super::Track;

/// Acceleration of gravity in m/s^2.
const G: f64 = 9.81;
/// Step along the plan line in m.
const STEP: f64 = 0.5;
/// Rounds in which line and speed are brought together; after three they change by less than a millisecond.
const ROUNDS: usize = 5;
/// The line is smoothed over this length to either side, in m: the sled does not follow a jump of curvature at once.
const SMOOTHING: f64 = 4.0;

/// How the run begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointMassStart {
    /// At s = 0 with a speed in m/s.
    Flying(f64),
    /// From the block, pushed.
    Pushed,
}

/// State at a station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunSample {
    /// Station in m.
    pub s: f64,
    /// Since s = 0, in s.
    pub time: f64,
    /// In m/s.
    pub speed: f64,
    /// Force on the ice over weight.
    pub load: f64,
    /// Where the mass rides: outwards and up from the floor's edge, in m.
    pub line: DVec2,
    /// Slope of the ice across, in rad: what the forces ask for.
    pub bank: f64,
    /// False where the wall has no place steep enough.
    pub on_wall: bool,
}

/// The run of a point mass with drag `1/2 rho cdA v^2` and friction `mu N`.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMassRun {
    samples: Vec<RunSample>,
}

impl PointMassRun {
    /// Runs down the track with the numbers of its file, or other ones.
    pub fn new(track: &Track, start: PointMassStart, friction: f64) -> PointMassRun {
        let data = track.point_mass();
        let begin = if start == PointMassStart::Pushed { track.start().s_block } else { 0.0 };
        let count = ((track.finish() - begin) / STEP).round() as usize + 1;
        let course: Vec<_> = (0..count).map(|i| track.course(begin + STEP * i as f64)).collect();
        let bends: Vec<f64> = course.iter().map(|at| track.height().point(at.s).bend).collect();
        let sections: Vec<_> = course.iter().map(|at| track.section(at.s)).collect();
        let drag = 0.5 * data.rho * data.cd_a / data.mass;
        let mut line = vec![DVec2::ZERO; count];
        let mut samples = Vec::new();
        for _ in 0..ROUNDS {
            samples.clear();
            let mut speed = if let PointMassStart::Flying(speed) = start { speed } else { 0.0 };
            let mut time = 0.0;
            for i in 0..count {
                let curvature = course[i].curvature.abs();
                let own_curvature = curvature / (1.0 + curvature * line[i].x);
                let slope = course[i].slope;
                let level = 1.0 + slope * slope;
                let upright = G / level.sqrt() + speed * speed * bends[i] / (level * level.sqrt());
                let sideways = speed * speed * own_curvature;
                let load = libm::hypot(sideways, upright.max(0.0));
                samples.push(RunSample {
                    s: course[i].s,
                    time,
                    speed,
                    load: load / G,
                    line: line[i],
                    bank: libm::atan2(sideways, G),
                    on_wall: true,
                });
                if i + 1 == count {
                    break;
                }
                let next_curvature = course[i + 1].curvature.abs();
                let longer = 1.0 + 0.5 * (curvature * line[i].x + next_curvature * line[i + 1].x);
                let rise = course[i + 1].position.y + line[i + 1].y - course[i].position.y - line[i].y;
                let aside = line[i + 1].x - line[i].x;
                let way = (STEP * STEP * longer * longer + rise * rise + aside * aside).sqrt();
                let mut push = 0.0;
                if start == PointMassStart::Pushed && course[i].s < track.start().s_load {
                    push = (track.start().push_a0 * (1.0 - speed / track.start().push_vmax)).max(0.0);
                }
                // From a stand only the push counts: there is nothing to slide yet.
                let along = if speed < 1e-6 { push } else { push - drag * speed * speed - friction * load };
                let energy = 0.5 * speed * speed - G * rise + along * way;
                let next = (2.0 * energy.max(1e-6)).sqrt();
                time += 2.0 * way / (speed + next);
                speed = next;
            }
            line = smoothed(samples.iter_mut().zip(&course).zip(&sections).map(|((sample, at), section)| {
                let curvature = at.curvature.abs() / (1.0 + at.curvature.abs() * sample.line.x);
                let (place, found) = section.place_of_slope(sample.speed * sample.speed * curvature / G);
                sample.on_wall = found;
                place
            }));
        }
        let mut run = PointMassRun { samples };
        let at_zero = run.at(0.0).time;
        run.samples.iter_mut().for_each(|sample| sample.time -= at_zero);
        run
    }

    /// Samples every half metre.
    pub fn samples(&self) -> &[RunSample] {
        &self.samples
    }

    /// The state at a station, linearly between samples.
    pub fn at(&self, s: f64) -> RunSample {
        let last = self.samples.len() - 1;
        let place = ((s - self.samples[0].s) / STEP).clamp(0.0, last as f64);
        let i = (place.floor() as usize).min(last.saturating_sub(1));
        let (p, q, share) = (&self.samples[i], &self.samples[(i + 1).min(last)], place - i as f64);
        let mix = |a: f64, b: f64| a + (b - a) * share;
        RunSample {
            s,
            time: mix(p.time, q.time),
            speed: mix(p.speed, q.speed),
            load: mix(p.load, q.load),
            line: p.line + (q.line - p.line) * share,
            bank: mix(p.bank, q.bank),
            on_wall: p.on_wall && q.on_wall,
        }
    }

    /// Times at stations, in s.
    pub fn splits(&self, stations: &[f64]) -> Vec<f64> {
        stations.iter().map(|&s| self.at(s).time).collect()
    }

    /// Largest speed in m/s.
    pub fn top_speed(&self) -> f64 {
        self.samples.iter().fold(0.0, |most, sample| most.max(sample.speed))
    }

    /// Largest force on the ice over weight.
    pub fn largest_load(&self) -> f64 {
        self.samples.iter().fold(0.0, |most, sample| most.max(sample.load))
    }
}

/// Moving average over [`SMOOTHING`] to either side.
fn smoothed(line: impl Iterator<Item = DVec2>) -> Vec<DVec2> {
    let mut sums = vec![DVec2::ZERO];
    for place in line {
        sums.push(sums[sums.len() - 1] + place);
    }
    let count = sums.len() - 1;
    let reach = (SMOOTHING / STEP) as usize;
    (0..count)
        .map(|i| {
            let (a, b) = (i.saturating_sub(reach), (i + reach + 1).min(count));
            (sums[b] - sums[a]) / (b - a) as f64
        })
        .collect()
}

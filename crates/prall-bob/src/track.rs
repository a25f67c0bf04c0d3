//! Ice tracks: from a text file with a handful of numbers a curve to the surface that is driven on.
//!
//! Plan line, height profile, course curve, cross sections, surface, mesh, borders: the order of Rempfler's chapter 3. A station `s`
//! is the arc length of the plan line in metres; the clock starts at `s = 0`.

mod borders;
mod drawing;
mod file;
mod foreign;
mod height;
mod ice;
mod known;
mod mesh;
mod plan;
mod point_mass;
mod ranges;
mod section;
#[cfg(test)]
mod tests;

use glam::{DVec2, DVec3};
use prall_geometry::curves::{ControlPoint, NurbsCurve, NurbsSurface};
use prall_math::Norm;

pub use file::{
    Landmark, LandmarkKind, LandmarkSide, PointMassData, RunoutData, StartData, TimingData, TrackError,
};
pub use foreign::{Fit, MeshIce, MeshOnIce, SegmentedMesh};
pub use height::{HeightPoint, HeightProfile};
pub use ice::{Foot, Ground, Ice, Place};
pub use mesh::{Tessellation, TrackMesh};
pub use plan::{Plan, PlanPoint, Side};
pub use point_mass::{PointMassRun, PointMassStart, RunSample};
pub use section::Section;

use file::{BorderData, CurveData, RawSection, RuleData, TrackData};

/// A curve of the track, as people speak of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Counted from 1.
    pub number: usize,
    /// Its name; may be empty.
    pub name: String,
    /// Which way it turns.
    pub side: Side,
    /// Where the entry clothoid begins and the exit clothoid ends, in m.
    pub stations: (f64, f64),
    /// Where its circle begins and ends, in m: the entry clothoid lies before it, the exit clothoid behind.
    pub circle: (f64, f64),
    /// Radius of its circle in m.
    pub radius: f64,
}

/// A place on the course: the plan line at its height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoursePoint {
    /// Station in m.
    pub s: f64,
    /// In the world, in m.
    pub position: DVec3,
    /// Angle about the upward axis from -z, positive to the left, in rad.
    pub heading: f64,
    /// Of the plan line in 1/m, positive to the left.
    pub curvature: f64,
    /// Rise per metre of the plan line.
    pub slope: f64,
}

impl CoursePoint {
    /// Unit vector to the left of the driving direction, horizontal.
    pub fn left(&self) -> DVec3 {
        let (sine, cosine) = libm::sincos(self.heading);
        DVec3::new(-cosine, 0.0, sine)
    }

    /// Unit vector in the driving direction, along the slope.
    pub fn ahead(&self) -> DVec3 {
        let (sine, cosine) = libm::sincos(self.heading);
        DVec3::new(-sine, self.slope, -cosine).unit()
    }
}

/// A track.
#[derive(Clone, Debug)]
pub struct Track {
    name: String,
    description: String,
    plan: Plan,
    height: HeightProfile,
    curves: Vec<CurveData>,
    sections: Sections,
    borders: BorderData,
    timing: TimingData,
    start: StartData,
    runout: RunoutData,
    point_mass: PointMassData,
    resistance: f64,
    landmarks: Vec<Landmark>,
}

#[derive(Clone, Debug)]
enum Sections {
    Rule(RuleData),
    /// With increasing stations.
    Listed(Vec<RawSection>),
}

/// Distance of the course's samples and of sections that no file spaces otherwise, in m.
const SPACING: f64 = 0.5;

impl Track {
    /// Reads a track with its standard height profile. `file` is the name that errors give.
    pub fn read(file: &str, text: &str) -> Result<Track, TrackError> {
        Track::read_with_profile(file, text, "standard")
    }

    /// Reads a track with the height profile of that name.
    pub fn read_with_profile(file: &str, text: &str, profile: &str) -> Result<Track, TrackError> {
        Track::build(text, profile).map_err(|error| error.located(file, text))
    }

    fn build(text: &str, profile: &str) -> Result<Track, TrackError> {
        let data = TrackData::read(text)?;
        let Some(height) = data.height.get(profile) else {
            let known: Vec<&str> = data.height.keys().map(String::as_str).collect();
            return Err(TrackError::new(format!(
                "no height profile '{profile}'; there is: {}",
                known.join(", ")
            )));
        };
        let height = HeightProfile::new(height.get_ref())?;
        let curves: Vec<CurveData> = data.curve.iter().map(|curve| curve.get_ref().clone()).collect();
        let plan = Plan::new(data.plan.s0, data.plan.s1, &curves);
        let sections = match data.section {
            Some(rule) => {
                if !(rule.spacing > 0.0) {
                    return Err(TrackError::new(format!(
                        "section.spacing must be positive, not {}",
                        rule.spacing
                    )));
                }
                Sections::Rule(rule)
            }
            None => {
                let mut before = f64::NEG_INFINITY;
                for raw in &data.section_at {
                    let s = raw.get_ref().s;
                    if !(s > before) {
                        return Err(TrackError::at(
                            raw.span(),
                            format!("sections must follow each other: {s} after {before}"),
                        ));
                    }
                    before = s;
                }
                Sections::Listed(data.section_at.iter().map(|raw| *raw.get_ref()).collect())
            }
        };
        if !(0.0..1.0).contains(&data.ice.resistance) {
            let what = format!("ice.resistance must be from 0 to 1, not {}", data.ice.resistance);
            return Err(TrackError::new(what));
        }
        let track = Track {
            name: data.name,
            description: data.description,
            plan,
            height,
            curves,
            sections,
            borders: data.border,
            timing: data.timing,
            start: data.start,
            runout: data.runout,
            point_mass: data.point_mass,
            resistance: data.ice.resistance,
            landmarks: data.landmark.iter().map(|landmark| landmark.get_ref().clone()).collect(),
        };
        track.check_sections()?;
        Ok(track)
    }

    /// Every section must be a curve: roots of positive numbers, points that are numbers.
    fn check_sections(&self) -> Result<(), TrackError> {
        for s in self.stations() {
            for side in [self.side_before(s), self.side_after(s)] {
                if !self.section_of(s, side).points().iter().all(|point| point.is_finite()) {
                    return Err(TrackError::new(format!(
                        "the section at s = {s} m does not close: its ellipse, circle or lip is smaller than the way it should cover"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Name of the track.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a pilot steers by, in the order of the file.
    pub fn landmarks(&self) -> &[Landmark] {
        &self.landmarks
    }

    /// What it is and where its numbers come from.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The line seen from above.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The height profile.
    pub fn height(&self) -> &HeightProfile {
        &self.height
    }

    /// Where and against what times are taken.
    pub fn timing(&self) -> &TimingData {
        &self.timing
    }

    /// How a run begins.
    pub fn start(&self) -> &StartData {
        &self.start
    }

    /// The braking stretch.
    pub fn runout(&self) -> &RunoutData {
        &self.runout
    }

    /// Friction coefficient along the runners beside that of a sled's file: what its ice takes more, calibrated, or 0.
    pub fn resistance(&self) -> f64 {
        self.resistance
    }

    /// The same track with another coefficient of what its ice takes beside the sled's own friction. The point mass, whose coefficient stands for
    /// both, is as much faster or slower, so that a pilot's plan fits.
    #[must_use]
    pub fn with_resistance(mut self, resistance: f64) -> Track {
        self.point_mass.mu = (self.point_mass.mu + resistance - self.resistance).max(0.0);
        self.resistance = resistance;
        self
    }

    /// What the track's point-mass check uses.
    pub fn point_mass(&self) -> &PointMassData {
        &self.point_mass
    }

    /// Station of the finish in m.
    pub fn finish(&self) -> f64 {
        // Checked when read: there is at least one station.
        self.timing.stations[self.timing.stations.len() - 1]
    }

    /// The curves in driving order.
    pub fn curves(&self) -> impl ExactSizeIterator<Item = Curve> + '_ {
        self.curves.iter().enumerate().map(|(i, curve)| Curve {
            number: i + 1,
            name: curve.name.clone(),
            side: curve.side(),
            stations: (curve.s_c, curve.ends()[2]),
            circle: (curve.ends()[0], curve.ends()[1]),
            radius: curve.r_c,
        })
    }

    /// A place on the course by its station.
    pub fn course(&self, s: f64) -> CoursePoint {
        let plan = self.plan.point(s);
        let height = self.height.point(s);
        CoursePoint {
            s,
            position: DVec3::new(plan.position.x, height.height, plan.position.y),
            heading: plan.heading,
            curvature: plan.curvature,
            slope: height.slope,
        }
    }

    /// The section at a station.
    pub fn section(&self, s: f64) -> Section {
        self.section_of(s, self.side_after(s))
    }

    fn curve_index_after(&self, s: f64) -> usize {
        self.curves.partition_point(|curve| curve.s_e <= s).min(self.curves.len().saturating_sub(1))
    }

    fn curve_index_before(&self, s: f64) -> usize {
        self.curves.partition_point(|curve| curve.s_e < s).min(self.curves.len().saturating_sub(1))
    }

    fn side_after(&self, s: f64) -> Side {
        self.curves.get(self.curve_index_after(s)).map_or(Side::Left, CurveData::side)
    }

    fn side_before(&self, s: f64) -> Side {
        self.curves.get(self.curve_index_before(s)).map_or(Side::Left, CurveData::side)
    }

    /// The section at a station, seen as part of a curve to that side: where direction changes both sides are asked for.
    fn section_of(&self, s: f64, side: Side) -> Section {
        match &self.sections {
            Sections::Rule(rule) => {
                let after = self.curve_index_after(s);
                let index = if self.side_after(s) == side { after } else { self.curve_index_before(s) };
                match self.curves.get(index) {
                    Some(curve) => Section::by_rule(rule, curve, s),
                    None => Section::by_rule(rule, &straight_line(s), s),
                }
            }
            Sections::Listed(list) => {
                // The nearest listed one; curves between two of them are made by interpolating control points.
                let after = list.partition_point(|raw| raw.s < s).min(list.len() - 1);
                Section::from_raw(&list[after], side)
            }
        }
    }

    /// The section's spline at a station; between listed sections control points and weights are interpolated linearly.
    fn section_curve(&self, s: f64, side: Side) -> NurbsCurve {
        let Sections::Listed(list) = &self.sections else { return self.section_of(s, side).curve() };
        let after = list.partition_point(|raw| raw.s < s);
        if after == 0 || after == list.len() {
            return self.section_of(s, side).curve();
        }
        let (low, high) = (&list[after - 1], &list[after]);
        let share = (s - low.s) / (high.s - low.s);
        let (p, q) = (Section::from_raw(low, side).curve(), Section::from_raw(high, side).curve());
        let points: Vec<ControlPoint> =
            p.points().iter().zip(q.points()).map(|(p, q)| p.between(q, share)).collect();
        NurbsCurve::quadratic_pieces(points).expect("between two splines of one kind lies a third")
    }

    /// Stations of the sections: from end to end in equal distances, and wherever a curve ends.
    pub fn stations(&self) -> Vec<f64> {
        let spacing = match &self.sections {
            Sections::Rule(rule) => rule.spacing,
            Sections::Listed(_) => SPACING,
        };
        let (begin, end) = self.plan.range();
        let count = ((end - begin) / spacing).round().max(1.0) as usize;
        let mut stations: Vec<f64> =
            (0..=count).map(|i| begin + (end - begin) * i as f64 / count as f64).collect();
        for curve in &self.curves {
            let at = stations.partition_point(|&s| s < curve.s_e);
            let near = [at.wrapping_sub(1), at]
                .into_iter()
                .find(|&i| stations.get(i).is_some_and(|&s| (s - curve.s_e).abs() < 0.2 * spacing));
            match near {
                Some(i) => stations[i] = curve.s_e,
                None => stations.insert(at, curve.s_e),
            }
        }
        stations
    }

    /// The driving surface in patches that each bend one way: stations and the lofted surface, whose parameter along counts stations.
    /// Patches meet where a curve ends; across, the parameter runs from 0 on the left to 7 on the right.
    pub fn patches(&self) -> Vec<Patch> {
        let stations = self.stations();
        let mut patches: Vec<Patch> = Vec::new();
        let mut begin = 0;
        for i in 1..stations.len() {
            let is_last = i + 1 == stations.len();
            if is_last || self.side_before(stations[i]) != self.side_after(stations[i]) {
                let own = stations[begin..=i].to_vec();
                let side = self.side_before(stations[i]);
                let sections = own.iter().map(|&s| self.placed_section(s, side)).collect();
                let surface = NurbsSurface::loft(sections).expect("sections of a track share their knots");
                patches.push(Patch { side, stations: own, surface });
                begin = i;
            }
        }
        patches
    }

    /// The section at a station in the world. Its plane is upright and perpendicular to the plan line.
    fn placed_section(&self, s: f64, side: Side) -> NurbsCurve {
        let at = self.course(s);
        let points = self
            .section_curve(s, side)
            .points()
            .iter()
            .map(|control| ControlPoint {
                point: section::place(control.point, at.position, at.heading),
                weight: control.weight,
            })
            .collect();
        NurbsCurve::quadratic_pieces(points).expect("a placed spline is a spline")
    }

    /// Where a point of the world is: its station, its distance to the left of the course and its height above it.
    ///
    /// The nearest place of the course by distance in space, searched around `near` within 20 m and refined to 1e-9 m.
    pub fn project(&self, point: DVec3, near: f64) -> (f64, DVec2) {
        let squared = |s: f64| self.course(s).position.distance_squared(point);
        let (begin, end) = self.plan.range();
        let mut best = near.clamp(begin, end);
        for i in -40..=40 {
            let s = (near + 0.5 * f64::from(i)).clamp(begin, end);
            if squared(s) < squared(best) {
                best = s;
            }
        }
        let (mut low, mut high) = ((best - 0.5).max(begin), (best + 0.5).min(end));
        while high - low > 1e-9 {
            let third = (high - low) / 3.0;
            if squared(low + third) <= squared(high - third) { high -= third } else { low += third }
        }
        let at = self.course(0.5 * (low + high));
        let away = point - at.position;
        (at.s, DVec2::new(away.dot(at.left()), away.y))
    }
}

/// A stretch of the driving surface that bends one way.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Which way its curves turn.
    pub side: Side,
    /// Station of each section in m.
    pub stations: Vec<f64>,
    /// The surface.
    pub surface: NurbsSurface,
}

/// A track without curves is straight everywhere.
fn straight_line(s: f64) -> CurveData {
    CurveData {
        name: String::new(),
        c: 1,
        s_b: s,
        s_c: s,
        l_cl_en: 0.0,
        a2_en: 1.0,
        l_circ: 0.0,
        r_c: 1.0,
        l_cl_ex: 0.0,
        a2_ex: 1.0,
        s_e: s,
        n_g: 0.0,
    }
}

//! Track files: what they may say, and errors that name the line.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use toml::Spanned;

use super::plan::Side;

/// What is wrong with a track file, and where.
#[derive(Clone, Debug, PartialEq, Error)]
pub struct TrackError {
    span: Option<Range<usize>>,
    place: Option<(String, usize, usize)>,
    what: String,
}

impl std::fmt::Display for TrackError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.place {
            Some((file, line, column)) => write!(f, "{file}:{line}:{column}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl TrackError {
    pub(super) fn at(span: Range<usize>, what: impl Into<String>) -> TrackError {
        TrackError { span: Some(span), place: None, what: what.into() }
    }

    pub(super) fn new(what: impl Into<String>) -> TrackError {
        TrackError { span: None, place: None, what: what.into() }
    }

    /// Line and column, both counted from 1, of what is wrong; none if it is the file as a whole.
    pub fn place(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|&(_, line, column)| (line, column))
    }

    pub(super) fn located(mut self, file: &str, text: &str) -> TrackError {
        let offset = self.span.as_ref().map_or(0, |span| span.start.min(text.len()));
        let before = &text[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
        self.place = Some((file.to_owned(), line, column));
        self
    }
}

/// A whole track file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrackData {
    pub(super) name: String,
    /// One paragraph about the track and where its numbers come from.
    pub(super) description: String,
    pub(super) plan: PlanData,
    pub(super) curve: Vec<Spanned<CurveData>>,
    /// Height profiles by name; `standard` is the default.
    pub(super) height: BTreeMap<String, Spanned<HeightData>>,
    pub(super) section: Option<RuleData>,
    #[serde(default)]
    pub(super) section_at: Vec<Spanned<RawSection>>,
    pub(super) timing: TimingData,
    pub(super) start: StartData,
    pub(super) runout: RunoutData,
    pub(super) point_mass: PointMassData,
    #[serde(default)]
    pub(super) ice: IceData,
    pub(super) border: BorderData,
    #[serde(default)]
    pub(super) landmark: Vec<Spanned<Landmark>>,
}

/// Something beside the track that a pilot steers by.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Landmark {
    /// Station in m.
    pub s: f64,
    /// Beside which edge, seen by the driver.
    pub side: LandmarkSide,
    /// Of its middle above the edge of the ice, in m. Default 1.5.
    #[serde(default = "landmark_height")]
    pub height: f64,
    /// What it is.
    pub kind: LandmarkKind,
    /// What a board says; empty for others.
    #[serde(default)]
    pub text: String,
    /// `#` and six hexadecimal digits. Default a signal orange.
    #[serde(default = "landmark_colour")]
    pub colour: String,
}

/// A side of the track, seen by the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LandmarkSide {
    /// His left.
    Left,
    /// His right.
    Right,
}

/// What a landmark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LandmarkKind {
    /// A board with a text.
    Board,
    /// A flag on a pole.
    Flag,
    /// A coloured post.
    Post,
}

fn landmark_height() -> f64 {
    1.5
}

fn landmark_colour() -> String {
    "#ff6a13".to_owned()
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanData {
    /// Where the model begins and ends, in metres along the plan line; the clock starts at 0.
    pub(super) s0: f64,
    pub(super) s1: f64,
}

/// The ten parameters of a curve, and its name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CurveData {
    #[serde(default)]
    pub(super) name: String,
    /// +1 left, -1 right.
    pub(super) c: i8,
    pub(super) s_b: f64,
    pub(super) s_c: f64,
    pub(super) l_cl_en: f64,
    #[serde(rename = "A2_en")]
    pub(super) a2_en: f64,
    pub(super) l_circ: f64,
    pub(super) r_c: f64,
    pub(super) l_cl_ex: f64,
    #[serde(rename = "A2_ex")]
    pub(super) a2_ex: f64,
    pub(super) s_e: f64,
    /// Lateral acceleration in units of g that the section is shaped for, where sections come from a rule.
    #[serde(default)]
    pub(super) n_g: f64,
}

impl CurveData {
    pub(super) fn side(&self) -> Side {
        if self.c > 0 { Side::Left } else { Side::Right }
    }

    /// Stations where the entry clothoid, the circle and the exit clothoid end.
    pub(super) fn ends(&self) -> [f64; 3] {
        let entry = self.s_c + self.l_cl_en;
        [entry, entry + self.l_circ, entry + self.l_circ + self.l_cl_ex]
    }

    pub(super) fn exit_straight(&self) -> f64 {
        self.s_e - self.ends()[2]
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeightData {
    pub(super) s0: f64,
    pub(super) h0: f64,
    pub(super) row: Vec<Spanned<HeightRow>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeightRow {
    pub(super) s_m: f64,
    pub(super) m_en: f64,
    pub(super) m_ex: f64,
    pub(super) r_h: f64,
}

/// Sections by rule: from the section of the straights to that of each curve.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleData {
    pub(super) lead: f64,
    pub(super) a0: f64,
    pub(super) a1: f64,
    pub(super) a_min: f64,
    pub(super) a_max: f64,
    pub(super) b_over_a: f64,
    #[serde(rename = "theta_T_deg")]
    pub(super) theta_t_deg: f64,
    /// Distance of sections in metres.
    pub(super) spacing: f64,
    pub(super) straight: RuleSection,
    pub(super) curve: RuleSection,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleSection {
    #[serde(rename = "h_W")]
    pub(super) h_w: f64,
    pub(super) r0: f64,
    #[serde(rename = "l_B")]
    pub(super) l_b: f64,
    /// Of the straight only; a curve's follows from its ellipse.
    #[serde(rename = "b_T", default)]
    pub(super) b_t: f64,
    pub(super) r1: f64,
    pub(super) eps_deg: f64,
    #[serde(rename = "h_Z")]
    pub(super) h_z: f64,
    pub(super) r2: f64,
    pub(super) h2: f64,
}

/// A section as the builder lists it; angles in degrees. `AT` 0 means that there is no ellipse.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSection {
    pub(super) s: f64,
    #[serde(rename = "HW2")]
    pub(super) hw2: f64,
    #[serde(rename = "AK")]
    pub(super) ak: f64,
    #[serde(rename = "BI")]
    pub(super) bi: f64,
    #[serde(rename = "CE")]
    pub(super) ce: f64,
    #[serde(rename = "B")]
    pub(super) b: f64,
    #[serde(rename = "A")]
    pub(super) a: f64,
    #[serde(rename = "BT")]
    pub(super) bt: f64,
    #[serde(rename = "AT")]
    pub(super) at: f64,
    #[serde(rename = "R1")]
    pub(super) r1: f64,
    #[serde(rename = "H1")]
    pub(super) h1: f64,
    pub(super) eps1: f64,
    #[serde(rename = "HZ")]
    pub(super) hz: f64,
    #[serde(rename = "R2")]
    pub(super) r2: f64,
    #[serde(rename = "H2")]
    pub(super) h2: f64,
}

/// Where the clock is read, and times to compare with.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimingData {
    /// Stations of the splits in metres; the last one is the finish.
    pub stations: Vec<f64>,
    /// Times of a simulation to compare with, in s, one for each station; may be empty.
    #[serde(default)]
    pub reference: Vec<f64>,
    /// Standard deviations of the reference, in s; may be empty.
    #[serde(default)]
    pub reference_deviation: Vec<f64>,
    /// Times of a race to compare with, in s; may be empty.
    #[serde(default)]
    pub race: Vec<f64>,
}

/// How a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartData {
    /// Station of the block that the crew pushes off from, in m.
    pub s_block: f64,
    /// Station where the crew sits, in m.
    pub s_load: f64,
    /// Speed at which pushing has no more effect, in m/s.
    pub push_vmax: f64,
    /// Acceleration at the block, in m/s^2; `a = push_a0 (1 - v / push_vmax)` until `s_load`.
    pub push_a0: f64,
    /// Speed at s = 0 of a run without a push phase, in m/s.
    pub v0: f64,
}

/// The stretch after the finish.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunoutData {
    /// Where braking begins, in m.
    pub s_begin: f64,
    /// Friction coefficient of the brake on the ice.
    pub mu_brake: f64,
}

/// The ice of the day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IceData {
    /// Friction coefficient along the runners beside that of the sled's file.
    pub(super) resistance: f64,
}

/// What a point mass needs to check the track.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointMassData {
    /// Density of the air in kg/m^3.
    pub rho: f64,
    /// Drag area in m^2.
    #[serde(rename = "cdA")]
    pub cd_a: f64,
    /// Mass in kg.
    pub mass: f64,
    /// Friction coefficient that stands for runners, slip and steering.
    pub mu: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BorderData {
    pub(super) roof_height: f64,
    pub(super) roof_lean_deg: f64,
    pub(super) roof_from_ng: f64,
    pub(super) end_stop_length: f64,
    pub(super) wall_height: f64,
    pub(super) wall_length: f64,
    pub(super) wall_from_ng: f64,
    #[serde(default)]
    pub(super) barrier: Vec<Barrier>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Barrier {
    pub(super) s: f64,
    pub(super) length: f64,
    pub(super) height: f64,
    pub(super) side: BarrierSide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BarrierSide {
    Left,
    Right,
}

impl TrackData {
    pub(super) fn read(text: &str) -> Result<TrackData, TrackError> {
        let data: TrackData = toml::from_str(text).map_err(|error| TrackError {
            span: error.span(),
            place: None,
            what: error.message().trim().to_owned(),
        })?;
        super::ranges::check(text)?;
        data.check()?;
        Ok(data)
    }

    fn check(&self) -> Result<(), TrackError> {
        if !(self.plan.s1 > self.plan.s0) {
            return Err(TrackError::new(format!(
                "[plan] must end after it begins: s0 = {}, s1 = {}",
                self.plan.s0, self.plan.s1
            )));
        }
        self.check_curves()?;
        self.check_landmarks()?;
        if !self.height.contains_key("standard") {
            return Err(TrackError::new("there is no [height.standard]"));
        }
        if self.section.is_some() != self.section_at.is_empty() {
            return Err(TrackError::new(
                "give the sections either by a rule, [section], or one by one, [[section_at]]",
            ));
        }
        let increasing = self.timing.stations.windows(2).all(|pair| pair[1] > pair[0]);
        if self.timing.stations.is_empty() || !increasing || !(self.timing.stations[0] > 0.0) {
            return Err(TrackError::new(
                "timing.stations must be positive and increase; the last one is the finish",
            ));
        }
        for (name, times) in [("reference", &self.timing.reference), ("race", &self.timing.race)] {
            if !times.is_empty() && times.len() != self.timing.stations.len() {
                return Err(TrackError::new(format!(
                    "timing.{name} has {} times for {} stations",
                    times.len(),
                    self.timing.stations.len()
                )));
            }
        }
        Ok(())
    }

    fn check_landmarks(&self) -> Result<(), TrackError> {
        for (number, spanned) in (1..).zip(&self.landmark) {
            let landmark = spanned.get_ref();
            let wrong =
                |what: String| Err(TrackError::at(spanned.span(), format!("landmark {number}: {what}")));
            let PlanData { s0, s1 } = self.plan;
            if !(s0..=s1).contains(&landmark.s) {
                return wrong(format!("s must lie on the track, from {s0} to {s1} m, not {}", landmark.s));
            }
            if !(0.0..=20.0).contains(&landmark.height) {
                return wrong(format!("height must lie from 0 to 20 m, not {}", landmark.height));
            }
            let digits = landmark.colour.strip_prefix('#').unwrap_or_default();
            if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                let colour = &landmark.colour;
                return wrong(format!("colour must be # and six hexadecimal digits, not \"{colour}\""));
            }
            if (landmark.kind == LandmarkKind::Board) == landmark.text.is_empty() {
                return wrong("a board has a text, and nothing else has".to_owned());
            }
        }
        Ok(())
    }

    fn check_curves(&self) -> Result<(), TrackError> {
        let mut end = self.plan.s0;
        for (number, spanned) in (1..).zip(&self.curve) {
            let curve = spanned.get_ref();
            let wrong = |what: String| Err(TrackError::at(spanned.span(), format!("curve {number}: {what}")));
            if !(curve.c == 1 || curve.c == -1) {
                return wrong(format!("c must be 1 (left) or -1 (right), not {}", curve.c));
            }
            if !((curve.s_b - end).abs() <= 1e-9 * (1.0 + end.abs())) {
                return wrong(format!("s_b is {}, but the line before it ends at {end}", curve.s_b));
            }
            let lengths = [
                ("l_cl_en", curve.l_cl_en),
                ("l_circ", curve.l_circ),
                ("l_cl_ex", curve.l_cl_ex),
                ("the straight before it (s_c - s_b)", curve.s_c - curve.s_b),
                ("the straight after it (s_e - s_b less the parts)", curve.exit_straight()),
            ];
            if let Some((name, length)) = lengths.into_iter().find(|(_, length)| !(*length >= -1e-9)) {
                return wrong(format!("{name} must not be negative, but is {length}"));
            }
            if !(curve.r_c > 0.0 && curve.a2_en > 0.0 && curve.a2_ex > 0.0) {
                return wrong("r_c, A2_en and A2_ex must be positive".to_owned());
            }
            end = curve.s_e;
        }
        if !(end <= self.plan.s1) {
            return Err(TrackError::new(format!(
                "the curves end at {end}, beyond s1 = {} of [plan]",
                self.plan.s1
            )));
        }
        Ok(())
    }
}

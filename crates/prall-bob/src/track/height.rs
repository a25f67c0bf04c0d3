//! [`HeightProfile`]: how a track goes down, and sometimes up.

use super::file::{HeightData, TrackError};

/// Height, slope and bend at a station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightPoint {
    /// In metres.
    pub height: f64,
    /// Rise per metre of the plan line; negative downhill.
    pub slope: f64,
    /// Change of the slope per metre, in 1/m.
    pub bend: f64,
}

/// Constant slopes joined by circular arcs, over the arc length of the plan line.
///
/// Rempfler's section 3.1.2. The distance from the crossing of two slopes to the beginning of their arc is
/// `d = r tan((alpha_ex - alpha_en) / 2)` with the *signed* radius; printed with its magnitude it breaks every crest.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightProfile {
    /// Begin of each piece but the first, which reaches back without end.
    starts: Vec<f64>,
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Slope { s: f64, height: f64, slope: f64 },
    Arc { s: f64, height: f64, angle: f64, radius: f64 },
}

impl HeightProfile {
    pub(super) fn new(data: &HeightData) -> Result<HeightProfile, TrackError> {
        let first = data.row.first().map_or(0.0, |row| row.get_ref().m_en);
        let (mut s, mut height) = (data.s0, data.h0);
        let mut profile =
            HeightProfile { starts: Vec::new(), pieces: vec![Piece::Slope { s, height, slope: first }] };
        let mut slope = first;
        for row in &data.row {
            let wrong = |what: String| TrackError::at(row.span(), what);
            let row = row.get_ref();
            if (row.m_en - slope).abs() > 1e-9 {
                return Err(wrong(format!("m_en is {}, but the slope before it is {slope}", row.m_en)));
            }
            let (entry, exit) = (libm::atan(row.m_en), libm::atan(row.m_ex));
            if !((exit - entry) * row.r_h > 0.0) {
                let kind = if row.m_ex > row.m_en {
                    "positive: the slope increases"
                } else {
                    "negative: the slope decreases"
                };
                return Err(wrong(format!("r_h is {}, but must be {kind}", row.r_h)));
            }
            let crossing = height + row.m_en * (row.s_m - s);
            let distance = row.r_h * libm::tan(0.5 * (exit - entry));
            let begin = row.s_m - distance * libm::cos(entry);
            if begin < s && !profile.starts.is_empty() {
                return Err(wrong(format!(
                    "the transition begins at s = {begin:.3} m, before the last one has ended at {s:.3} m; \
                     move s_m or take a smaller radius"
                )));
            }
            let begin_height = crossing - distance * libm::sin(entry);
            profile.starts.push(begin);
            profile.pieces.push(Piece::Arc { s: begin, height: begin_height, angle: entry, radius: row.r_h });
            s = row.s_m + distance * libm::cos(exit);
            height = crossing + distance * libm::sin(exit);
            slope = row.m_ex;
            profile.starts.push(s);
            profile.pieces.push(Piece::Slope { s, height, slope });
        }
        Ok(profile)
    }

    /// Height at the station `s`; before the first and after the last transition the slope goes on.
    pub fn point(&self, s: f64) -> HeightPoint {
        match self.pieces[self.starts.partition_point(|&start| start <= s)] {
            Piece::Slope { s: start, height, slope } => {
                HeightPoint { height: height + slope * (s - start), slope, bend: 0.0 }
            }
            Piece::Arc { s: start, height, angle, radius } => {
                // On the circle around (start - r sin, height + r cos): x from its centre, w downwards from it.
                let (sine, cosine) = libm::sincos(angle);
                let x = s - start + radius * sine;
                let w = (radius * radius - x * x).sqrt() * radius.signum();
                HeightPoint {
                    height: height + radius * cosine - w,
                    slope: x / w,
                    bend: radius * radius / (w * w * w),
                }
            }
        }
    }

    /// Where pieces begin.
    pub fn joints(&self) -> &[f64] {
        &self.starts
    }
}

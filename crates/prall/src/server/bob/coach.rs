//! The coach of the seat: a run curve by curve, against another run or against the pilot.

use super::super::{Reach, aside};
use super::{channel, frames};
use crate::recording::Recording;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use prall_bob::analysis::{AnalysisError, Driven, Line, Point, SPACING, coach as advise};
use prall_bob::run::{Crash, CrashCause, Hit, HitSide};
use prall_bob::track::{Ground, Track};
use prall_scenes::BobOffer;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
pub(super) struct Wish {
    /// Name of the run to compare with; the pilot's without one.
    against: Option<String>,
}

pub(super) async fn coach(
    State(shared): Reach,
    Path(name): Path<String>,
    Query(wish): Query<Wish>,
) -> Response {
    let made = aside(shared, move |sessions| {
        let offer = sessions.gallery().bob();
        let read = |name: &str| {
            let recording = sessions.store().read(name).map_err(|error| (StatusCode::NOT_FOUND, error))?;
            recorded(&recording, offer)
                .map_err(|error| (StatusCode::UNPROCESSABLE_ENTITY, format!("The run '{name}': {error}.")))
        };
        let (number, run) = read(&name)?;
        let reference = match &wish.against {
            None => pilot(offer, number),
            Some(other) => {
                let (of, reference) = read(other)?;
                if of != number {
                    let sentence = format!("The runs '{name}' and '{other}' are of two tracks.");
                    return Err((StatusCode::UNPROCESSABLE_ENTITY, sentence));
                }
                Ok(reference)
            }
        };
        let reference = reference
            .map_err(|error| (StatusCode::UNPROCESSABLE_ENTITY, format!("The reference: {error}.")))?;
        let track = track(offer, number).map_err(|error| (StatusCode::UNPROCESSABLE_ENTITY, error))?;
        let advice = advise(&run, &reference, track);
        let advice: Vec<_> = advice
            .iter()
            .map(|advice| {
                let text = advice.in_words();
                json!({"curve": advice.curve, "from": advice.from, "lost": advice.lost, "causes": advice.causes, "text": text})
            })
            .collect();
        Ok(json!({"against": wish.against, "advice": advice}))
    });
    match made.await {
        Ok(Ok(answer)) => Json(answer).into_response(),
        Ok(Err(refusal)) => refusal.into_response(),
        Err(status) => status.into_response(),
    }
}

fn track(offer: &BobOffer, number: usize) -> Result<&Track, String> {
    let track = number.checked_sub(1).and_then(|index| offer.tracks().nth(index));
    track.ok_or_else(|| format!("its track, number {number}, is not offered here"))
}

/// The number of a recorded run's track, and the run.
fn recorded(recording: &Recording, offer: &BobOffer) -> Result<(usize, Driven), String> {
    let frames = frames(recording).ok_or("it is no run of this version of the bobsleigh")?;
    let rows: Vec<&[f32]> = frames.iter().map(|(.., values)| values.as_slice()).collect();
    let number = rows.last().map_or(0.0, |row| channel(row, "track")) as usize;
    let driven = driven(rows.into_iter(), track(offer, number)?.finish());
    Ok((number, driven.map_err(|error| error.to_string())?))
}

/// The pilot's own run; the first call drives it.
fn pilot(offer: &'static BobOffer, number: usize) -> Result<Driven, String> {
    let frames: Vec<Vec<f32>> =
        offer.pilot_frames(number).iter().map(|frame| frame.iter().map(|&x| x as f32).collect()).collect();
    let driven = driven(frames.iter().map(Vec::as_slice), track(offer, number)?.finish());
    driven.map_err(|error| error.to_string())
}

/// A run from its channels, sixty times a second. Places are those of the front axle; what a hit cost is the speed lost in the frame before it was
/// seen.
fn driven<'f>(rows: impl Iterator<Item = &'f [f32]> + Clone, finish: f64) -> Result<Driven, AnalysisError> {
    let mut hits: Vec<Hit> = Vec::new();
    let (mut crash, mut speed) = (None, 0.0);
    for row in rows.clone() {
        let at = |key: &str| channel(row, key);
        if at("hits") as usize > hits.len() {
            let hit = Hit {
                s: at("station"),
                time: at("clock"),
                side: if at("hit_side") < 0.0 { HitSide::Left } else { HitSide::Right },
                bumper: String::new(),
                ground: if at("wood") > 0.5 { Ground::Boards } else { Ground::Ice },
                normal_speed: at("hit_speed"),
                lost: (speed - at("speed")).max(0.0),
            };
            hits.resize(at("hits") as usize, hit);
        }
        if crash.is_none() && at("crash") > -1.0 {
            let cause = match at("crash_cause") as u32 {
                1 => CrashCause::RolledOver,
                2 => CrashCause::OnItsSide,
                _ => CrashCause::OverTheEdge,
            };
            crash = Some(Crash { s: at("crash"), time: at("clock"), cause });
        }
        speed = at("speed");
    }
    // The clock stands still after a finish or a crash; before the start it is not there yet.
    let points = rows.filter(|row| channel(row, "clock") >= 0.0).map(|row| Point {
        s: channel(row, "station"),
        time: channel(row, "clock"),
        speed: channel(row, "speed"),
        height: channel(row, "height"),
        left: channel(row, "left"),
        load: channel(row, "load"),
        steering: channel(row, "steering"),
    });
    let mut last = -1.0;
    let moving = points.filter(move |point| std::mem::replace(&mut last, point.time) < point.time);
    let line = Line::through(moving, f64::INFINITY, finish, SPACING)?;
    Ok(Driven { line, hits, crash })
}

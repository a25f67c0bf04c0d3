//! What the pilot's seat of the page needs beside a session: tracks as numbers and grids, and the runs that were recorded.

mod coach;

use super::{Reach, aside, binary};
use crate::moment::Moment;
use crate::recording::{Recording, Store};
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router, routing::get};
use glam::DVec3;
use prall_bob::sled::{Law, SetupText};
use prall_bob::track::{Side, Tessellation, Track};
use prall_scenes::{BOB_CHANNELS, BobOffer, sled_parts};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The scene that runs are recorded of.
const SCENE: &str = "bobsleigh";

/// How finely the page's ice is cut: no facet of it is seen under a runner.
const PICTURE: Tessellation = Tessellation { ellipse: 24, other: 6, along: 1 };

pub(super) fn routes() -> Router<Arc<super::Shared>> {
    Router::new()
        .route("/api/bob", get(offer))
        .route("/api/bob/setup", get(setup_file).put(setup_sliders))
        .route("/api/bob/tracks/{number}", get(track))
        .route("/api/bob/tracks/{number}/ice", get(ice))
        .route("/api/bob/tracks/{number}/boards", get(boards))
        .route("/api/bob/tracks/{number}/line", get(line))
        .route("/api/bob/runs", get(runs))
        .route("/api/bob/runs/{name}", get(run))
        .route("/api/bob/runs/{name}/coach", get(coach::coach))
}

async fn offer(State(shared): Reach) -> Json<Value> {
    let offer = shared.sessions.gallery().bob();
    let tracks: Vec<Value> = offer.tracks().map(brief).collect();
    let parts: Vec<Value> = sled_parts()
        .iter()
        .map(|part| {
            let (p, q) = (part.place.translation, part.place.rotation);
            json!({"body": part.body, "place": [p.x, p.y, p.z, q.x, q.y, q.z, q.w]})
        })
        .collect();
    let contacts: Vec<Value> = offer
        .setup()
        .setup()
        .contacts()
        .map(|(name, law, body, point)| {
            let law = match law {
                Law::Runner => "runner",
                Law::Bumper => "bumper",
                Law::Rim => "rim",
            };
            json!({"name": name, "law": law, "body": body, "point": point.to_array()})
        })
        .collect();
    Json(json!({
        "tracks": tracks,
        "channels": BOB_CHANNELS,
        "sled": {"name": offer.setup().setup().name(), "parts": parts, "contacts": contacts},
    }))
}

/// The sled's file, as `--setup` reads it, with sliders at the values of the query.
async fn setup_file(State(shared): Reach, Query(sliders): Query<BTreeMap<String, f64>>) -> Response {
    match shared.sessions.gallery().bob().setup_with(&sliders) {
        Ok(file) => file.commented().into_response(),
        Err(error) => (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()).into_response(),
    }
}

/// Where the sliders stand for a setup file.
async fn setup_sliders(State(shared): Reach, text: String) -> Response {
    let offer = shared.sessions.gallery().bob();
    let read = SetupText::read("the setup", &text).map_err(|error| error.to_string());
    match read.and_then(|file| offer.sliders_of(&file).map_err(|error| error.to_string())) {
        Ok(sliders) => Json(json!({"values": sliders})).into_response(),
        Err(error) => (StatusCode::UNPROCESSABLE_ENTITY, error).into_response(),
    }
}

fn brief(track: &Track) -> Value {
    let drop = track.course(0.0).position.y - track.course(track.finish()).position.y;
    json!({
        "name": track.name(), "description": track.description(), "curves": track.curves().len(),
        "finish": track.finish(), "drop": drop,
    })
}

/// A track was asked for that is not there.
struct UnknownTrack {
    number: usize,
    count: usize,
}

impl IntoResponse for UnknownTrack {
    fn into_response(self) -> Response {
        let Self { number, count } = self;
        (StatusCode::NOT_FOUND, format!("There are tracks 1 to {count}, none of number {number}."))
            .into_response()
    }
}

/// The track of that number, counted from 1.
fn numbered(offer: &BobOffer, number: usize) -> Result<&Track, UnknownTrack> {
    let track = number.checked_sub(1).and_then(|index| offer.tracks().nth(index));
    track.ok_or_else(|| UnknownTrack { number, count: offer.tracks().len() })
}

async fn track(State(shared): Reach, Path(number): Path<usize>) -> Response {
    let offer = shared.sessions.gallery().bob();
    let track = match numbered(offer, number) {
        Ok(track) => track,
        Err(unknown) => return unknown.into_response(),
    };
    let mesh_rows = track.mesh(&Tessellation { ellipse: 1, other: 1, along: PICTURE.along }).rows;
    let course: Vec<[f64; 6]> = mesh_rows
        .iter()
        .map(|&s| {
            let at = track.course(s);
            let [x, y, z] = at.position.to_array();
            [x, y, z, at.heading, at.curvature, at.slope]
        })
        .collect();
    let curves: Vec<Value> = track
        .curves()
        .map(|curve| {
            let side = if curve.side == Side::Left { "left" } else { "right" };
            let (begin, end) = curve.stations;
            json!({"number": curve.number, "name": curve.name, "side": side, "begin": begin, "end": end, "radius": curve.radius})
        })
        .collect();
    let (timing, start, runout) = (track.timing(), track.start(), track.runout());
    let mut answer = brief(track);
    let more = json!({
        "number": number, "rows": mesh_rows, "course": course, "bends": curves,
        "timing": {"stations": timing.stations, "race": timing.race},
        "start": {"block": start.s_block, "load": start.s_load, "speed": start.v0},
        "brake": runout.s_begin,
        "landmarks": track.landmarks(),
    });
    if let (Some(answer), Value::Object(more)) = (answer.as_object_mut(), more) {
        answer.extend(more);
    }
    Json(answer).into_response()
}

/// The vertices of the ice, row by row from left to right, as binary geometry without triangles.
async fn ice(state: Reach, number: Path<usize>) -> Response {
    geometry(state, number, |track| encode_triangles(track.mesh(&PICTURE).ice.positions(), &[])).await
}

/// Boards above the edges of the channel, where they are hit.
async fn boards(state: Reach, number: Path<usize>) -> Response {
    let coarse = Tessellation { ellipse: 1, other: 1, along: 1 };
    geometry(state, number, move |track| {
        let boards = track.mesh(&coarse).borders;
        let triangles: Vec<[u32; 3]> = boards
            .faces()
            .flat_map(|face| {
                face.windows(2).skip(1).map(|pair| [face[0], pair[0], pair[1]]).collect::<Vec<_>>()
            })
            .collect();
        encode_triangles(boards.positions(), &triangles)
    })
    .await
}

async fn geometry(
    State(shared): Reach,
    Path(number): Path<usize>,
    make: impl FnOnce(&Track) -> Vec<u8> + Send + 'static,
) -> Response {
    let made = aside(shared, move |sessions| numbered(sessions.gallery().bob(), number).map(make));
    match made.await {
        Ok(Ok(bytes)) => binary(Some(Bytes::from(bytes))),
        Ok(Err(unknown)) => unknown.into_response(),
        Err(status) => status.into_response(),
    }
}

fn encode_triangles(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(12 + 12 * (vertices.len() + triangles.len()));
    bytes.extend_from_slice(b"PRM1");
    bytes.extend_from_slice(&(vertices.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(triangles.len() as u32).to_le_bytes());
    bytes.extend(vertices.iter().flat_map(|v| v.as_vec3().to_array()).flat_map(f32::to_le_bytes));
    bytes.extend(triangles.iter().flatten().flat_map(|index| index.to_le_bytes()));
    bytes
}

/// The line that costs the pilot least: station, place across the ice to the right of the course, speed, load.
async fn line(State(shared): Reach, Path(number): Path<usize>) -> Response {
    let made = aside(shared, move |sessions| {
        let offer = sessions.gallery().bob();
        numbered(offer, number).map(|_| {
            let points = offer.course(number, 0).plan.line(true);
            let number = |x: f64| (1e4 * x).round() / 1e4;
            points.iter().map(|p| [p.s, p.across, p.speed, p.load].map(number)).collect::<Vec<_>>()
        })
    });
    match made.await {
        Ok(Ok(points)) => Json(json!({"points": points})).into_response(),
        Ok(Err(unknown)) => unknown.into_response(),
        Err(status) => status.into_response(),
    }
}

/// A time at a light barrier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Split {
    s: f64,
    time: f64,
    speed: f64,
}

/// A recorded run in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RunEntry {
    name: String,
    recorded: u64,
    seconds: f64,
    bytes: u64,
    warning: Option<String>,
    track: usize,
    track_name: String,
    /// None if the finish was not reached.
    time: Option<f64>,
    splits: Vec<Split>,
    /// Station and cause.
    crash: Option<(f64, u32)>,
    top_speed: f64,
    largest_load: f64,
    hits: u32,
    /// Before which it began; 0 is the top.
    curve: u32,
    help: f64,
    /// By own hands, and not by the pilot's.
    driven: bool,
    /// Parameters that were not at their places.
    changed: BTreeMap<String, f64>,
}

/// Channels of one frame, by name.
fn channel(values: &[f32], key: &str) -> f64 {
    let index = BOB_CHANNELS.iter().position(|channel| channel.key == key);
    let value = index.and_then(|index| values.get(index)).copied().unwrap_or_default();
    (1e4 * f64::from(value)).round() / 1e4
}

/// Frames of a recording with all channels; none where it has others.
fn frames(recording: &Recording) -> Option<Vec<(f64, Moment, Vec<f32>)>> {
    let frames: Vec<_> = recording
        .moments()
        .map(|(clock, moment)| {
            let values = moment.channels();
            (clock, moment, values)
        })
        .collect();
    let whole = !frames.is_empty() && frames.iter().all(|(.., values)| values.len() == BOB_CHANNELS.len());
    whole.then_some(frames)
}

/// What a recording says of its run.
fn summary(offer: &BobOffer, name: &str, bytes: u64, recording: &Recording) -> Option<RunEntry> {
    let frames = frames(recording)?;
    let (seconds, _, last) = frames.last()?;
    let at = |key: &str| channel(last, key);
    let track = at("track") as usize;
    let known = track.checked_sub(1).and_then(|index| offer.tracks().nth(index));
    let mut splits: Vec<Split> = Vec::new();
    for (.., values) in &frames {
        let count = channel(values, "splits") as usize;
        if count > splits.len() {
            // A run that began further down has passed barriers before; only the last of them is known.
            splits.resize(count, Split { s: 0.0, time: -1.0, speed: 0.0 });
            splits[count - 1] = Split {
                s: known.and_then(|track| track.timing().stations.get(count - 1)).copied().unwrap_or(0.0),
                time: channel(values, "split_time"),
                speed: channel(values, "split_speed"),
            };
        }
    }
    splits.retain(|split| split.time >= 0.0);
    let driven = frames.iter().filter(|(.., values)| channel(values, "driven") > 0.5).count();
    let parameters = recording.description.parameters.as_array().map_or(&[][..], Vec::as_slice);
    let changed = parameters
        .iter()
        .filter(|p| p["value"] != p["default"] && p["key"] != "track")
        .filter_map(|p| Some((p["key"].as_str()?.to_owned(), p["value"].as_f64()?)))
        .collect();
    Some(RunEntry {
        name: name.to_owned(),
        recorded: recording.description.recorded,
        seconds: *seconds,
        bytes,
        warning: recording.warning.clone(),
        track,
        track_name: known.map_or_else(String::new, |track| track.name().to_owned()),
        time: Some(at("finish")).filter(|time| *time > 0.0),
        splits,
        crash: (at("crash") > -1.0).then(|| (at("crash"), at("crash_cause") as u32)),
        top_speed: at("top_speed"),
        largest_load: at("largest_load"),
        hits: at("hits") as u32,
        curve: at("curve") as u32,
        help: at("help"),
        driven: 2 * driven > frames.len(),
        changed,
    })
}

/// The file beside a recording that keeps its summary: reading a whole run takes long.
pub(super) fn summary_path(store: &Store, name: &str) -> Option<std::path::PathBuf> {
    let path = store.path(name).ok()?;
    Some(path.with_extension("run.json"))
}

fn entry(offer: &BobOffer, store: &Store, name: &str, bytes: u64) -> Option<RunEntry> {
    let path = summary_path(store, name)?;
    let kept = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice::<RunEntry>(&text).ok());
    if let Some(kept) = kept.filter(|kept| kept.bytes == bytes && kept.name == name) {
        return Some(kept);
    }
    let entry = summary(offer, name, bytes, &store.read(name).ok()?)?;
    // A folder that cannot be written to costs time only.
    if entry.warning.is_none() {
        let _ = serde_json::to_vec(&entry).map(|text| crate::output::write(&path, text));
    }
    Some(entry)
}

async fn runs(State(shared): Reach) -> Result<Json<Value>, StatusCode> {
    let list = aside(shared, |sessions| {
        let (offer, store) = (sessions.gallery().bob(), sessions.store());
        let listed = store.list().into_iter().filter(|listed| listed.scene.as_deref() == Some(SCENE));
        listed.filter_map(|listed| entry(offer, store, &listed.name, listed.bytes)).collect::<Vec<_>>()
    });
    Ok(Json(json!({"runs": list.await?})))
}

/// A run as numbers: `PRB1`, frames, channels, parts; then for each frame its time, its channels and the poses of the sled's parts.
fn encode(recording: &Recording) -> Option<Vec<u8>> {
    let frames = frames(recording)?;
    let parts = sled_parts().len();
    if frames.iter().any(|(_, moment, _)| moment.poses.len() < parts) {
        return None;
    }
    let mut bytes = Vec::with_capacity(16 + 4 * frames.len() * (1 + BOB_CHANNELS.len() + 7 * parts));
    bytes.extend_from_slice(b"PRB1");
    for count in [frames.len(), BOB_CHANNELS.len(), parts] {
        bytes.extend_from_slice(&(count as u32).to_le_bytes());
    }
    for (clock, moment, values) in &frames {
        let poses = moment.poses[..parts].iter().flatten();
        let numbers = std::iter::once(*clock as f32).chain(values.iter().copied()).chain(poses.copied());
        bytes.extend(numbers.flat_map(f32::to_le_bytes));
    }
    Some(bytes)
}

async fn run(State(shared): Reach, Path(name): Path<String>) -> Response {
    let read = aside(shared, move |sessions| {
        let recording = sessions.store().read(&name).map_err(|error| (StatusCode::NOT_FOUND, error))?;
        encode(&recording).ok_or_else(|| {
            let sentence = format!("The recording '{name}' is no run of this version of the bobsleigh.");
            (StatusCode::UNPROCESSABLE_ENTITY, sentence)
        })
    });
    match read.await {
        Ok(Ok(bytes)) => binary(Some(Bytes::from(bytes))),
        Ok(Err(refusal)) => refusal.into_response(),
        Err(status) => status.into_response(),
    }
}

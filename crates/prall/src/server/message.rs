//! The text messages of the protocol.

use crate::recording::Listed;
use crate::report::{Range, Report};
use prall_scenes::{ActionKind, AddedBody, Channel, DriveControl, JointCoordinate, Overlay, Property};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What a client may say. Vectors are checked to be finite where they are used.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Request {
    Play {},
    Pause {},
    Step {},
    Reset {},
    Speed {
        value: f64,
    },
    Back {
        seconds: Option<f64>,
        steps: Option<u32>,
    },
    Seek {
        time: f64,
    },
    Set {
        parameter: String,
        value: f64,
    },
    Solver {
        name: String,
        #[serde(default)]
        track: u32,
    },
    Budget {
        ms: Option<f64>,
        work: Option<u64>,
    },
    Snapshot {
        name: String,
    },
    Restore {
        name: String,
    },
    Forget {
        name: String,
    },
    Overlays {
        wanted: Vec<Overlay>,
        #[serde(default)]
        level: u8,
    },
    Compare {
        solver: Option<String>,
    },
    Ghost {
        recording: Option<String>,
        #[serde(default)]
        offset: f64,
    },
    Record {
        #[serde(default = "yes")]
        on: bool,
    },
    Grab {
        origin: [f64; 3],
        direction: [f64; 3],
        #[serde(default)]
        track: u32,
    },
    Pull {
        point: [f64; 3],
        rotation: Option<[f64; 4]>,
    },
    /// Moves the hand from where the body is, until the next `pull` or `release`.
    Push {
        velocity: [f64; 3],
        #[serde(default)]
        spin: [f64; 3],
    },
    Release {},
    /// Another session by its name; none ends it.
    Follow {
        session: Option<String>,
        #[serde(default)]
        delay: f64,
    },
    /// The client has taken a frame; its window (see [`super::window`]) moves on.
    Taken {
        frame: u32,
    },
    Control {
        /// None lets go of all of them.
        values: Option<BTreeMap<String, f64>>,
    },
    Throw {
        body: usize,
        velocity: [f64; 3],
        #[serde(default)]
        spin: [f64; 3],
    },
    Pin {
        body: usize,
        pinned: bool,
    },
    Delete {
        body: usize,
    },
    Properties {
        body: usize,
        #[serde(default)]
        track: u32,
    },
    /// In a box: it is larger than all others.
    Add(Box<AddRequest>),
    Joint {
        joint: usize,
        position: f64,
    },
    Undo {},
}

/// A body to be added, and the ray along which.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddRequest {
    pub(super) body: AddedBody,
    #[serde(default = "water")]
    pub(super) density: f64,
    pub(super) origin: [f64; 3],
    pub(super) direction: [f64; 3],
    pub(super) speed: Option<f64>,
}

/// Density of what is added, in kg/m^3.
fn water() -> f64 {
    1000.0
}

fn yes() -> bool {
    true
}

/// A request with its number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Numbered {
    pub(super) id: Option<u32>,
    pub(super) request: Request,
}

impl Numbered {
    /// Reads a text message; the error is a sentence for whoever sent it.
    pub(super) fn parse(text: &str) -> Result<Numbered, String> {
        let mut value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| format!("not a JSON message: {error}"))?;
        let object = value.as_object_mut().ok_or("a message must be a JSON object")?;
        let id = match object.remove("id") {
            None => None,
            Some(id) => {
                let number = id.as_u64().and_then(|id| u32::try_from(id).ok()).filter(|id| *id > 0);
                Some(number.ok_or("an id must be a whole number from 1 to 4294967295")?)
            }
        };
        let request =
            serde_json::from_value(value).map_err(|error| format!("not a known message: {error}"))?;
        Ok(Numbered { id, request })
    }
}

/// Most that a step may cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(super) struct Limits {
    pub(super) ms: Option<f64>,
    pub(super) work: Option<u64>,
}

/// A state that is kept under a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct SnapshotItem {
    pub(super) name: String,
    pub(super) time: f64,
}

/// The session that this one follows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct FollowItem {
    pub(super) session: String,
    pub(super) delay: f64,
    /// Why it has stopped.
    pub(super) stopped: Option<String>,
}

/// A recording in the making.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct RecordingItem {
    pub(super) name: String,
    pub(super) since: f64,
}

/// What changes when somebody steers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Steering {
    pub(super) running: bool,
    pub(super) speed: f64,
    pub(super) solver: String,
    pub(super) values: BTreeMap<String, f64>,
    pub(super) notice: Option<String>,
    pub(super) budget: Limits,
    pub(super) history: Range,
    pub(super) snapshots: Vec<SnapshotItem>,
    pub(super) recording: Option<RecordingItem>,
    /// Somebody drives.
    pub(super) driven: bool,
    /// Something was done to a body that can be undone.
    pub(super) undo: bool,
    /// Why the scene's file, which has changed, cannot be read: the scene goes on as it was.
    pub(super) file_error: Option<String>,
    pub(super) following: Option<FollowItem>,
}

/// What a scene can be driven by.
#[derive(Debug, Serialize)]
pub(super) struct DriveItem<'a> {
    pub(super) controls: &'a [DriveControl],
    /// The body that the camera of somebody who drives goes with.
    pub(super) body: Option<usize>,
}

/// A further track.
#[derive(Debug, Serialize)]
pub(super) struct TrackItem<'a> {
    pub(super) track: u32,
    pub(super) role: Role,
    pub(super) title: &'a str,
    pub(super) solver: &'a str,
    pub(super) recording: Option<&'a str>,
    pub(super) offset: f64,
    pub(super) assets: &'a RawValue,
}

/// What a track is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    Main,
    Compare,
    Ghost,
}

/// What the server says.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Reply<'a> {
    Hello(Box<Hello<'a>>),
    State(&'a Steering),
    Tracks { tracks: Vec<TrackItem<'a>> },
    Report(Report),
    Grip { track: u32, body: Option<usize>, point: Option<[f64; 3]> },
    Properties { track: u32, body: usize, name: &'a str, properties: Vec<Property> },
    Recorded { recording: String, seconds: f64, bytes: u64 },
    Error { message: String },
}

impl Reply<'_> {
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("replies hold numbers and strings only")
    }
}

/// The first message to a client: everything that does not change, and what is now.
#[derive(Debug, Serialize)]
pub(super) struct Hello<'a> {
    pub(super) protocol: u32,
    pub(super) version: &'static str,
    pub(super) session: &'a str,
    pub(super) instance: &'a str,
    /// Differs from start to start of the server.
    pub(super) server: &'a str,
    pub(super) kind: &'static str,
    pub(super) scene: serde_json::Value,
    pub(super) time_step: f64,
    pub(super) assets: &'a RawValue,
    pub(super) parameters: serde_json::Value,
    pub(super) solvers: serde_json::Value,
    pub(super) overlays: &'static [Overlay],
    pub(super) actions: &'static [ActionKind],
    pub(super) drive: Option<DriveItem<'a>>,
    /// Numbers that every frame of track 0 reports.
    pub(super) channels: &'static [Channel],
    /// Joints of machines that can be set.
    pub(super) joints: Vec<JointCoordinate>,
    pub(super) recording: Option<Listed>,
    pub(super) tracks: Vec<TrackItem<'a>>,
    pub(super) state: &'a Steering,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_request_is_understood() {
        let cases = [
            (r#"{"type": "play"}"#, None, Request::Play {}),
            (r#"{"type": "pause", "id": 7}"#, Some(7), Request::Pause {}),
            (r#"{"type": "step"}"#, None, Request::Step {}),
            (r#"{"type": "reset"}"#, None, Request::Reset {}),
            (r#"{"type": "speed", "value": 0.5}"#, None, Request::Speed { value: 0.5 }),
            (
                r#"{"type": "solver", "name": "event"}"#,
                None,
                Request::Solver { name: "event".into(), track: 0 },
            ),
            (
                r#"{"type": "pull", "point": [1, 2, 3]}"#,
                None,
                Request::Pull { point: [1.0, 2.0, 3.0], rotation: None },
            ),
            (r#"{"type": "back", "seconds": 3}"#, None, Request::Back { seconds: Some(3.0), steps: None }),
            (r#"{"type": "seek", "time": 4.2}"#, None, Request::Seek { time: 4.2 }),
            (
                r#"{"type": "budget", "ms": 2.0, "work": null}"#,
                None,
                Request::Budget { ms: Some(2.0), work: None },
            ),
            (r#"{"type": "snapshot", "name": "a"}"#, None, Request::Snapshot { name: "a".into() }),
            (r#"{"type": "restore", "name": "a"}"#, None, Request::Restore { name: "a".into() }),
            (r#"{"type": "forget", "name": "a"}"#, None, Request::Forget { name: "a".into() }),
            (
                r#"{"type": "overlays", "wanted": ["contacts"], "level": 2}"#,
                None,
                Request::Overlays { wanted: vec![Overlay::Contacts], level: 2 },
            ),
            (r#"{"type": "compare", "solver": null}"#, None, Request::Compare { solver: None }),
            (
                r#"{"type": "ghost", "recording": "a.mcap"}"#,
                None,
                Request::Ghost { recording: Some("a.mcap".into()), offset: 0.0 },
            ),
            (r#"{"type": "record"}"#, None, Request::Record { on: true }),
            (r#"{"type": "record", "on": false}"#, None, Request::Record { on: false }),
            (
                r#"{"type": "throw", "body": 0, "velocity": [1, 2, 3]}"#,
                None,
                Request::Throw { body: 0, velocity: [1.0, 2.0, 3.0], spin: [0.0; 3] },
            ),
            (r#"{"type": "pin", "body": 0, "pinned": true}"#, None, Request::Pin { body: 0, pinned: true }),
            (r#"{"type": "delete", "body": 0}"#, None, Request::Delete { body: 0 }),
            (r#"{"type": "properties", "body": 0}"#, None, Request::Properties { body: 0, track: 0 }),
            (r#"{"type": "release"}"#, None, Request::Release {}),
            (r#"{"type": "undo"}"#, None, Request::Undo {}),
            (
                r#"{"type": "joint", "joint": 2, "position": -30}"#,
                None,
                Request::Joint { joint: 2, position: -30.0 },
            ),
            (
                r#"{"type": "add", "body": {"ball": {"radius": 0.1}}, "origin": [0,1,3], "direction": [0,0,-1], "speed": 8}"#,
                None,
                Request::Add(Box::new(AddRequest {
                    body: AddedBody::Ball { radius: 0.1 },
                    density: 1000.0,
                    origin: [0.0, 1.0, 3.0],
                    direction: [0.0, 0.0, -1.0],
                    speed: Some(8.0),
                })),
            ),
            (
                r#"{"type": "add", "body": {"gallery": {"scene": "wall", "body": "brick"}}, "density": 500, "origin": [0,1,3], "direction": [0,0,-1]}"#,
                None,
                Request::Add(Box::new(AddRequest {
                    body: AddedBody::Gallery { scene: "wall".into(), body: "brick".into() },
                    density: 500.0,
                    origin: [0.0, 1.0, 3.0],
                    direction: [0.0, 0.0, -1.0],
                    speed: None,
                })),
            ),
            (r#"{"type": "taken", "frame": 9}"#, None, Request::Taken { frame: 9 }),
            (
                r#"{"type": "control", "values": {"steering": -0.5}}"#,
                None,
                Request::Control { values: Some(BTreeMap::from([("steering".into(), -0.5)])) },
            ),
            (r#"{"type": "control", "values": null}"#, None, Request::Control { values: None }),
        ];
        for (text, id, request) in cases {
            assert_eq!(Numbered::parse(text), Ok(Numbered { id, request }), "{text}");
        }
        let set = Numbered::parse(r#"{"type": "set", "parameter": "restitution", "value": 0.9}"#).unwrap();
        assert_eq!(set.request, Request::Set { parameter: "restitution".into(), value: 0.9 });
        let grab = Numbered::parse(r#"{"type": "grab", "origin": [0,1,3], "direction": [0,0,-1]}"#).unwrap();
        assert_eq!(
            grab.request,
            Request::Grab { origin: [0.0, 1.0, 3.0], direction: [0.0, 0.0, -1.0], track: 0 }
        );
    }

    #[test]
    fn anything_else_is_refused_with_a_sentence() {
        for text in [
            "",
            "{",
            "[]",
            "null",
            r#""play""#,
            r#"{"type": "fly"}"#,
            r#"{"kind": "play"}"#,
            r#"{"type": "speed"}"#,
            r#"{"type": "speed", "value": "fast"}"#,
            r#"{"type": "play", "id": 0}"#,
            r#"{"type": "play", "id": -1}"#,
            r#"{"type": "play", "extra": 1}"#,
            r#"{"type": "pull", "point": [1, 2]}"#,
            r#"{"type": "control", "values": {"steering": "left"}}"#,
        ] {
            assert!(Numbered::parse(text).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(Numbered::parse(&deep).is_err());
    }
}

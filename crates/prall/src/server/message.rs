//! The text messages and the geometry of the protocol.

use super::{Entry, PROTOCOL};
use prall_scenes::{Assets, Energy, LineRole, Look, Parameter, PhaseTimes, ShapeAsset, Simulation, Solver};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a client may say. Vectors are checked to be finite where they are used.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Request {
    Play {},
    Pause {},
    Step {},
    Reset {},
    Speed { value: f64 },
    Set { parameter: String, value: f64 },
    Solver { name: String },
    Grab { origin: [f64; 3], direction: [f64; 3] },
    Pull { point: [f64; 3] },
    Release {},
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

/// What changes when somebody steers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Steering {
    pub(super) running: bool,
    pub(super) speed: f64,
    pub(super) solver: &'static str,
    pub(super) values: BTreeMap<&'static str, f64>,
    pub(super) notice: Option<String>,
}

/// What the server says.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Reply<'a> {
    State(&'a Steering),
    Report(Report),
    Grip { body: Option<usize>, point: Option<[f64; 3]> },
    Error { message: String },
}

impl Reply<'_> {
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("replies hold numbers and strings only")
    }
}

/// Numbers over the steps since the last report.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) track: u32,
    pub(super) time: f64,
    pub(super) steps: u64,
    pub(super) step_ms: f64,
    pub(super) aim_ms: f64,
    pub(super) phases: Phases,
    pub(super) real_time_factor: f64,
    pub(super) contacts: usize,
    pub(super) position_error: f64,
    pub(super) velocity_error: f64,
    pub(super) lost_time: f64,
    pub(super) budget_cut: bool,
    pub(super) energy: Energy,
}

/// Milliseconds by phase.
#[derive(Debug, Serialize)]
pub(super) struct Phases {
    detect: f64,
    contacts: f64,
    solve: f64,
    commit: f64,
}

impl Phases {
    pub(super) fn mean(sum: &PhaseTimes, steps: u64) -> Phases {
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1000.0 / steps.max(1) as f64;
        Phases {
            detect: ms(sum.detect),
            contacts: ms(sum.contacts),
            solve: ms(sum.solve),
            commit: ms(sum.commit),
        }
    }
}

/// The first message to a client: everything that does not change.
pub(super) fn hello(
    session: &str,
    entry: &Entry,
    simulation: &dyn Simulation,
    steering: &Steering,
) -> String {
    #[derive(Serialize)]
    struct Hello<'a> {
        r#type: &'static str,
        protocol: u32,
        version: &'static str,
        session: &'a str,
        scene: &'a Entry,
        time_step: f64,
        assets: AssetList<'a>,
        parameters: Vec<WithValue<'a>>,
        solvers: &'a [Solver],
        state: &'a Steering,
    }
    #[derive(Serialize)]
    struct WithValue<'a> {
        #[serde(flatten)]
        parameter: &'a Parameter,
        value: Option<f64>,
    }
    let hello = Hello {
        r#type: "hello",
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION"),
        session,
        scene: entry,
        time_step: simulation.time_step(),
        assets: AssetList::of(simulation.assets()),
        parameters: simulation
            .parameters()
            .iter()
            .map(|parameter| WithValue { parameter, value: simulation.get(parameter.key) })
            .collect(),
        solvers: simulation.solvers(),
        state: steering,
    };
    serde_json::to_string(&hello).expect("a hello holds numbers and strings only")
}

#[derive(Serialize)]
struct AssetList<'a> {
    shapes: Vec<ShapeItem>,
    looks: &'a [Look],
    bodies: &'a [prall_scenes::BodyAsset],
    lines: Vec<LineItem<'a>>,
    camera: prall_scenes::Camera,
    ground: Option<f64>,
    moves: bool,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum ShapeItem {
    Sphere { radius: f64 },
    Box { half: [f64; 3] },
    Capsule { radius: f64, half_height: f64 },
    Cylinder { radius: f64, half_height: f64 },
    Cone { radius: f64, half_height: f64 },
    Mesh { triangles: usize },
}

#[derive(Serialize)]
struct LineItem<'a> {
    name: &'a str,
    role: LineRole,
    segments: usize,
    body: Option<usize>,
    visible: bool,
}

impl AssetList<'_> {
    fn of(assets: &Assets) -> AssetList<'_> {
        let shape = |shape: &ShapeAsset| match *shape {
            ShapeAsset::Sphere { radius } => ShapeItem::Sphere { radius },
            ShapeAsset::Box { half } => ShapeItem::Box { half: half.to_array() },
            ShapeAsset::Capsule { radius, half_height } => ShapeItem::Capsule { radius, half_height },
            ShapeAsset::Cylinder { radius, half_height } => ShapeItem::Cylinder { radius, half_height },
            ShapeAsset::Cone { radius, half_height } => ShapeItem::Cone { radius, half_height },
            ShapeAsset::Mesh(ref mesh) => ShapeItem::Mesh { triangles: mesh.triangles.len() },
        };
        let line =
            |line: &'_ prall_scenes::LineAsset| (line.role, line.segments.len(), line.body, line.visible);
        AssetList {
            shapes: assets.shapes.iter().map(shape).collect(),
            looks: &assets.looks,
            bodies: &assets.bodies,
            lines: assets
                .lines
                .iter()
                .map(|item| {
                    let (role, segments, body, visible) = line(item);
                    LineItem { name: &item.name, role, segments, body, visible }
                })
                .collect(),
            camera: assets.camera,
            ground: assets.ground,
            moves: assets.moves,
        }
    }
}

/// Triangles of a mesh shape as the page fetches them.
pub(super) fn encode_shape(assets: &Assets, index: usize) -> Option<Vec<u8>> {
    let Some(ShapeAsset::Mesh(mesh)) = assets.shapes.get(index) else { return None };
    let mut bytes = Vec::with_capacity(12 + 12 * (mesh.positions.len() + mesh.triangles.len()));
    bytes.extend_from_slice(b"PRM1");
    bytes.extend_from_slice(&(mesh.positions.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(mesh.triangles.len() as u32).to_le_bytes());
    bytes.extend(mesh.positions.iter().flatten().flat_map(|x| x.to_le_bytes()));
    bytes.extend(mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()));
    Some(bytes)
}

/// Segments of a set of lines as the page fetches them.
pub(super) fn encode_lines(assets: &Assets, index: usize) -> Option<Vec<u8>> {
    let lines = &assets.lines.get(index)?.segments;
    let mut bytes = Vec::with_capacity(8 + 24 * lines.len());
    bytes.extend_from_slice(b"PRL1");
    bytes.extend_from_slice(&(lines.len() as u32).to_le_bytes());
    bytes.extend(lines.iter().flatten().flatten().flat_map(|x| x.to_le_bytes()));
    Some(bytes)
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
            (r#"{"type": "solver", "name": "event"}"#, None, Request::Solver { name: "event".into() }),
            (r#"{"type": "pull", "point": [1, 2, 3]}"#, None, Request::Pull { point: [1.0, 2.0, 3.0] }),
            (r#"{"type": "release"}"#, None, Request::Release {}),
        ];
        for (text, id, request) in cases {
            assert_eq!(Numbered::parse(text), Ok(Numbered { id, request }), "{text}");
        }
        let set = Numbered::parse(r#"{"type": "set", "parameter": "restitution", "value": 0.9}"#).unwrap();
        assert_eq!(set.request, Request::Set { parameter: "restitution".into(), value: 0.9 });
        let grab = Numbered::parse(r#"{"type": "grab", "origin": [0,1,3], "direction": [0,0,-1]}"#).unwrap();
        assert_eq!(grab.request, Request::Grab { origin: [0.0, 1.0, 3.0], direction: [0.0, 0.0, -1.0] });
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
        ] {
            assert!(Numbered::parse(text).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(Numbered::parse(&deep).is_err());
    }
}

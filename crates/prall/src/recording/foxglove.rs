//! Poses and shapes as Foxglove shows them: `foxglove.FrameTransforms` and `foxglove.SceneUpdate` in JSON.
//!
//! Each body has a coordinate frame of its own, below `world`; its shape is an entity that is locked to this frame. Prall's
//! world has y up; the frame `world` is turned so that it stands upright where z is up.

use prall_scenes::{Assets, ShapeAsset, TriangleAsset};
use serde_json::{Value, json};

/// The root, with z up.
const ROOT: &str = "map";

/// Prall's coordinates, with y up.
const WORLD: &str = "world";

/// Half the root of 2: a quarter turn about x takes y up to z up.
const QUARTER: f64 = std::f64::consts::FRAC_1_SQRT_2;

fn frame_of(index: usize, name: &str) -> String {
    format!("{index} {name}")
}

fn stamp(seconds: f64) -> Value {
    let whole = seconds.floor();
    json!({"sec": whole as u64, "nsec": ((seconds - whole) * 1e9) as u64})
}

/// Names of the bodies' frames, and which poses were told already.
pub(super) struct Foxglove {
    frames: Vec<String>,
    told: Vec<[f32; 7]>,
}

impl Foxglove {
    pub(super) fn new(assets: &Assets) -> Foxglove {
        let frames =
            assets.bodies.iter().enumerate().map(|(index, body)| frame_of(index, &body.name)).collect();
        Foxglove { frames, told: Vec::new() }
    }

    /// Transforms of all bodies, or of those that moved since the last call.
    pub(super) fn transforms(&mut self, poses: &[[f32; 7]], all: bool, time: f64) -> Value {
        let all = all || self.told.len() != poses.len();
        let stamp = stamp(time);
        let transform = |parent: &str, child: &str, p: [f64; 3], q: [f64; 4]| {
            json!({"timestamp": stamp, "parent_frame_id": parent, "child_frame_id": child,
                "translation": {"x": p[0], "y": p[1], "z": p[2]},
                "rotation": {"x": q[0], "y": q[1], "z": q[2], "w": q[3]}})
        };
        let mut list = vec![transform(ROOT, WORLD, [0.0; 3], [QUARTER, 0.0, 0.0, QUARTER])];
        for (index, (pose, frame)) in poses.iter().zip(&self.frames).enumerate() {
            if all || self.told[index] != *pose {
                let [x, y, z, i, j, k, w] = pose.map(f64::from);
                list.push(transform(WORLD, frame, [x, y, z], [i, j, k, w]));
            }
        }
        self.told.clear();
        self.told.extend_from_slice(poses);
        json!({"transforms": list})
    }
}

/// One entity per body, in its own frame.
pub(super) fn scene_update(assets: &Assets) -> Value {
    let entities: Vec<Value> = assets
        .bodies
        .iter()
        .enumerate()
        .filter_map(|(index, body)| {
            let look = assets.looks.get(body.look)?;
            let color = color(look.color, look.opacity);
            let mut entity = json!({
                "timestamp": stamp(0.0), "frame_id": frame_of(index, &body.name), "id": format!("body {index}"),
                "lifetime": {"sec": 0, "nsec": 0}, "frame_locked": true, "metadata": [],
                "arrows": [], "cubes": [], "spheres": [], "cylinders": [], "lines": [], "triangles": [], "texts": [],
                "models": [],
            });
            let (kind, primitives) = primitives(assets.shapes.get(body.shape)?, &color);
            entity[kind] = Value::Array(primitives);
            Some(entity)
        })
        .collect();
    json!({"deletions": [], "entities": entities})
}

fn color(hex: &str, opacity: f64) -> Value {
    let part = |at: usize| {
        let digits = hex.get(at..at + 2).unwrap_or("80");
        f64::from(u8::from_str_radix(digits, 16).unwrap_or(128)) / 255.0
    };
    json!({"r": part(1), "g": part(3), "b": part(5), "a": opacity})
}

/// The kind of primitive and its members. Axes lie along y in Prall and along z in Foxglove.
fn primitives(shape: &ShapeAsset, color: &Value) -> (&'static str, Vec<Value>) {
    let pose = |y: f64| json!({"position": {"x": 0.0, "y": y, "z": 0.0}, "orientation": {"x": -QUARTER, "y": 0.0, "z": 0.0, "w": QUARTER}});
    let size = |x: f64, y: f64, z: f64| json!({"x": x, "y": y, "z": z});
    let round = |radius: f64, half: f64, top: f64| {
        json!({"pose": pose(0.0), "size": size(2.0 * radius, 2.0 * radius, 2.0 * half), "bottom_scale": 1.0,
            "top_scale": top, "color": color})
    };
    match *shape {
        ShapeAsset::Sphere { radius } => {
            let d = 2.0 * radius;
            ("spheres", vec![json!({"pose": pose(0.0), "size": size(d, d, d), "color": color})])
        }
        // Turned by a quarter about x, the box's y is Foxglove's z.
        ShapeAsset::Box { half } => {
            let size = size(2.0 * half.x, 2.0 * half.z, 2.0 * half.y);
            ("cubes", vec![json!({"pose": pose(0.0), "size": size, "color": color})])
        }
        ShapeAsset::Cylinder { radius, half_height } => ("cylinders", vec![round(radius, half_height, 1.0)]),
        ShapeAsset::Cone { radius, half_height } => ("cylinders", vec![round(radius, half_height, 0.0)]),
        // Foxglove knows no capsules: a cylinder of the whole length stands for one.
        ShapeAsset::Capsule { radius, half_height } => {
            ("cylinders", vec![round(radius, half_height + radius, 1.0)])
        }
        ShapeAsset::Mesh(ref mesh) => ("triangles", vec![triangles(mesh, color)]),
    }
}

fn triangles(mesh: &TriangleAsset, color: &Value) -> Value {
    let points: Vec<Value> =
        mesh.positions.iter().map(|p| json!({"x": p[0], "y": p[1], "z": p[2]})).collect();
    let indices: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
    json!({"pose": {"position": {"x": 0.0, "y": 0.0, "z": 0.0}, "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}},
        "points": points, "color": color, "colors": [], "indices": indices})
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn array(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn numbers(names: &[&str]) -> Value {
    object(names.iter().map(|name| ((*name).to_owned(), json!({"type": "number"}))).collect())
}

fn time() -> Value {
    object(json!({"sec": {"type": "integer"}, "nsec": {"type": "integer"}}))
}

fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn transforms_schema() -> Value {
    let mut schema = object(json!({"transforms": array(object(json!({
        "timestamp": time(), "parent_frame_id": text(), "child_frame_id": text(),
        "translation": numbers(&["x", "y", "z"]), "rotation": numbers(&["x", "y", "z", "w"]),
    })))}));
    schema["title"] = json!("foxglove.FrameTransforms");
    schema
}

pub(super) fn scene_schema() -> Value {
    let vector = numbers(&["x", "y", "z"]);
    let pose = object(json!({"position": vector, "orientation": numbers(&["x", "y", "z", "w"])}));
    let color = numbers(&["r", "g", "b", "a"]);
    let number = json!({"type": "number"});
    let solid = object(json!({"pose": pose, "size": vector, "color": color}));
    let cylinder = object(json!({
        "pose": pose, "size": vector, "bottom_scale": number, "top_scale": number, "color": color}));
    let arrow = object(json!({"pose": pose, "shaft_length": number, "shaft_diameter": number,
        "head_length": number, "head_diameter": number, "color": color}));
    let indices = array(json!({"type": "integer"}));
    let mesh = object(json!({"pose": pose, "points": array(vector.clone()), "color": color,
        "colors": array(color.clone()), "indices": indices}));
    let line = object(json!({"type": {"type": "integer"}, "pose": pose, "thickness": number,
        "scale_invariant": {"type": "boolean"}, "points": array(vector.clone()), "color": color,
        "colors": array(color.clone()), "indices": indices}));
    let label = object(json!({"pose": pose, "billboard": {"type": "boolean"}, "font_size": number,
        "scale_invariant": {"type": "boolean"}, "color": color, "text": text()}));
    let model =
        object(json!({"pose": pose, "scale": vector, "color": color, "override_color": {"type": "boolean"},
        "url": text(), "media_type": text(), "data": {"type": "string", "contentEncoding": "base64"}}));
    let entity = object(json!({
        "timestamp": time(), "frame_id": text(), "id": text(), "lifetime": time(),
        "frame_locked": {"type": "boolean"}, "metadata": array(object(json!({"key": text(), "value": text()}))),
        "arrows": array(arrow), "cubes": array(solid.clone()), "spheres": array(solid), "cylinders": array(cylinder),
        "lines": array(line), "triangles": array(mesh), "texts": array(label), "models": array(model),
    }));
    let deletion = object(json!({"timestamp": time(), "type": {"type": "integer"}, "id": text()}));
    let mut schema = object(json!({"deletions": array(deletion), "entities": array(entity)}));
    schema["title"] = json!("foxglove.SceneUpdate");
    schema
}

pub(super) fn report_schema() -> Value {
    let number = json!({"type": "number"});
    let optional = json!({"type": ["number", "null"]});
    let mut schema = numbers(&[
        "track",
        "time",
        "steps",
        "step_ms",
        "aim_ms",
        "real_time_factor",
        "clock",
        "contacts",
        "position_error",
        "velocity_error",
        "energy_gained",
        "energy_unexplained",
        "work",
        "lost_time",
    ]);
    let properties = &mut schema["properties"];
    properties["position_tolerance"] = optional.clone();
    properties["velocity_tolerance"] = optional;
    properties["budget_cut"] = json!({"type": "boolean"});
    properties["phases"] = numbers(&["detect", "contacts", "solve", "commit"]);
    properties["energy"] = object(json!({"kinetic": number, "potential": number}));
    properties["history"] = numbers(&["from", "to"]);
    schema["title"] = json!("prall.Report");
    schema
}

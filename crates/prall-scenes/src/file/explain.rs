//! From a message of the TOML reader to one in the words of scene files: what was wrong, and what would be right.

use super::error::nearest;

/// Keys that people put one level too high or too low: those that are wrong, a key that is known where they stand, and what would be right.
const MISPLACED: &[(&[&str], &str, &str)] = &[
    (
        &["box", "sphere", "capsule", "cylinder", "cone", "half_space", "hull", "mesh"],
        "shape",
        "write shape.KEY = { ... } in the list of shapes",
    ),
    (
        &["box", "sphere", "capsule", "cylinder", "cone", "half_space", "hull", "mesh", "shape"],
        "shapes",
        "shapes are a list: shapes = [{ shape.box = { size = [1, 1, 1] } }]",
    ),
    (
        &["size", "radius", "length", "points"],
        "shapes",
        "it belongs to a shape: shapes = [{ shape.sphere = { radius = 0.5 } }]",
    ),
    (
        &["size", "radius", "length", "points"],
        "shape",
        "it belongs to the shape: shape.box = { size = [1, 1, 1] }, shape.sphere = { radius = 0.5 }",
    ),
    (
        &["limits", "motor", "friction", "spring", "damping", "driven"],
        "drive",
        "it belongs under 'drive': drive = { KEY = ... }",
    ),
    (&["speed", "strength"], "motor", "it belongs to the motor: motor = { speed = 90, strength = 10 }"),
    (
        &["stiffness", "rest", "outer", "knee"],
        "spring",
        "it belongs to the spring: spring = { stiffness = 100 }",
    ),
    (
        &[
            "restitution",
            "static_friction",
            "dynamic_friction",
            "friction",
            "roughness",
            "metallic",
            "opacity",
        ],
        "material",
        "it belongs to a material: [materials.NAME] KEY = ..., and material = \"NAME\" in the body",
    ),
    (
        &["restitution", "static_friction", "dynamic_friction", "roughness", "metallic", "opacity"],
        "materials",
        "it belongs to a material: [materials.NAME] KEY = ...",
    ),
    (
        &["moments", "products", "centre", "inertia"],
        "mass",
        "it belongs to the mass: mass = { mass = 1, moments = [1, 1, 1] }",
    ),
    (&["eye"], "camera", "it belongs to the camera: camera = { eye = [3, 2, 5], target = [0, 0.5, 0] }"),
    (&["body"], "bodies", "bodies are a list: each begins with [[bodies]]"),
    (&["joint"], "joints", "joints are a list: each begins with [[joints]]"),
    (&["bodies"], "material", "each body begins with [[bodies]], in double brackets"),
];

/// What the reader calls things, and what people call them.
const WORDS: &[(&str, &str)] = &[
    ("struct MassDescription", "a table { mass, centre, moments, products }"),
    ("struct RotationDescription", "a table { axis = [x, y, z], degrees = n }"),
    ("struct DriveDescription", "a table { limits, motor, friction }"),
    ("struct MotorDescription", "a table { speed, strength }"),
    ("struct SpringDescription", "a table { stiffness, rest }"),
    ("struct CameraHint", "a table { eye = [x, y, z], target = [x, y, z] }"),
    ("struct MaterialDescription", "a table { restitution, static_friction, dynamic_friction }"),
    ("struct PlacedShape", "a table { shape.box = { size = [x, y, z] } }"),
    ("enum ShapeDescription", "one shape, as box = { size = [x, y, z] }"),
    ("a sequence of 3 f64 values", "three numbers, as [x, y, z]"),
    ("struct DVec3", "three numbers, as [x, y, z]"),
    ("struct BodyDescription", "a table of a body"),
    ("struct JointDescription", "a table of a joint"),
    ("struct MechanismDescription", "a table of a mechanism"),
    ("struct ControlDescription", "a table of a parameter"),
];

/// The message in one line, and for unknown names where they belong, or the nearest of those that are known there.
pub(super) fn explained(message: &str) -> (String, Option<String>) {
    if let Some((wrong, known)) = message
        .strip_prefix("unexpected keys in table: ")
        .and_then(|rest| rest.split_once(", available keys: "))
    {
        let known: Vec<&str> = known.split(", ").collect();
        let wrong = wrong.split(", ").next().unwrap_or(wrong);
        return (format!("unknown field '{wrong}'"), Some(help(wrong, &known)));
    }
    let first = message.lines().next().unwrap_or(message);
    if !first.starts_with("unknown") {
        let words =
            WORDS.iter().fold(message.replace('\n', ", "), |text, (ours, theirs)| text.replace(ours, theirs));
        return (words, None);
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    let Some(wrong) = quoted.next() else { return (first.to_owned(), None) };
    let known: Vec<&str> = quoted.collect();
    let what = first.split(',').next().unwrap_or(first).replace('`', "'");
    (what, Some(help(wrong, &known)))
}

fn help(wrong: &str, known: &[&str]) -> String {
    belongs(wrong, known).unwrap_or_else(|| nearest(wrong, known.iter().copied()))
}

/// Where a key belongs that is known elsewhere; `None` if it is not.
fn belongs(wrong: &str, known: &[&str]) -> Option<String> {
    let row = MISPLACED.iter().find(|(keys, beside, _)| keys.contains(&wrong) && known.contains(beside))?;
    Some(row.2.replace("KEY", wrong))
}

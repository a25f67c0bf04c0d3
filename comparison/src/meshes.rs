//! Pairs of meshes: overlap, distance, time of impact.

use crate::python::Python;
use crate::report::{Table, exponent, microseconds};
use crate::triangles;
use glam::{DQuat, DVec3};
use prall_detection::{
    Budget, BuildOptions, DistanceOptions, Hierarchy, ImpactOptions, Workspace, distance, overlap,
    time_of_impact,
};
use prall_math::{Motion, Pose};
use serde_json::{Value, json};
use std::time::Instant;

#[path = "../../crates/prall-detection/tests/detection/meshes.rs"]
mod shapes;

/// Corners and triangles, as most libraries want them.
struct Indexed {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Indexed {
    fn new(soup: &[[DVec3; 3]]) -> Indexed {
        let mut known = std::collections::HashMap::new();
        let mut mesh = Indexed { positions: Vec::new(), triangles: Vec::new() };
        for triangle in soup {
            mesh.triangles.push(triangle.map(|corner| {
                *known.entry(corner.to_array().map(f64::to_bits)).or_insert_with(|| {
                    mesh.positions.push(corner);
                    mesh.positions.len() as u32 - 1
                })
            }));
        }
        mesh
    }

    fn json(&self) -> Value {
        let positions: Vec<[f64; 3]> = self.positions.iter().map(|p| p.to_array()).collect();
        json!({"positions": positions, "triangles": self.triangles})
    }
}

fn row(pose: &Pose) -> [f64; 7] {
    let (t, q) = (pose.translation, pose.rotation);
    [t.x, t.y, t.z, q.w, q.x, q.y, q.z]
}

/// What a library answered, and the median of its times in us.
struct Answers {
    values: Vec<f64>,
    us: f64,
}

pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Asks for each pair of poses, three times each, and keeps the least time of each.
fn ask(places: &[[Pose; 2]], mut question: impl FnMut(&Pose, &Pose) -> f64) -> Answers {
    let mut values = Vec::new();
    let mut times = Vec::new();
    for [a, b] in places {
        let mut least = f64::INFINITY;
        let mut value = 0.0;
        for _ in 0..3 {
            let start = Instant::now();
            value = question(a, b);
            least = least.min(start.elapsed().as_secs_f64() * 1e6);
            // What takes a second needs no repetition.
            if least > 1e6 {
                break;
            }
        }
        values.push(value);
        times.push(least);
    }
    Answers { values, us: median(times) }
}

fn ask_python(
    python: &mut Python,
    library: &str,
    what: &str,
    places: &[[Pose; 2]],
) -> Result<Answers, String> {
    let rows: Vec<[[f64; 7]; 2]> = places.iter().map(|[a, b]| [row(a), row(b)]).collect();
    let mut best: Option<Answers> = None;
    for _ in 0..3 {
        let answer =
            python.ask(&json!({"do": "mesh_query", "library": library, "what": what, "places": rows}))?;
        let list = |key: &str| -> Vec<f64> {
            let values = answer[key].as_array().cloned().unwrap_or_default();
            values.iter().map(|v| v.as_f64().or(v.as_bool().map(f64::from)).unwrap_or(f64::NAN)).collect()
        };
        let answers = Answers { values: list("answers"), us: median(list("us")) };
        if best.as_ref().is_none_or(|best| answers.us < best.us) {
            best = Some(answers);
        }
    }
    best.ok_or_else(|| "no answer".to_owned())
}

macro_rules! parry_queries {
    ($module:ident, $krate:ident, $real:ty) => {
        mod $module {
            use super::Indexed;
            use $krate::math::{Pose, Rotation, Vector};
            use $krate::query::NonlinearRigidMotion;
            use $krate::shape::TriMesh;

            pub struct Pair([TriMesh; 2]);

            fn vector(v: glam::DVec3) -> Vector {
                Vector::new(v.x as $real, v.y as $real, v.z as $real)
            }

            fn place(pose: &prall_math::Pose) -> Pose {
                let q = pose.rotation;
                let rotation = Rotation::from_xyzw(q.x as $real, q.y as $real, q.z as $real, q.w as $real);
                Pose::from_parts(vector(pose.translation), rotation)
            }

            impl Pair {
                pub(super) fn new(meshes: [&Indexed; 2]) -> Result<Pair, String> {
                    let mesh = |mesh: &Indexed| {
                        let points = mesh.positions.iter().map(|p| vector(*p)).collect();
                        TriMesh::new(points, mesh.triangles.clone()).map_err(|error| error.to_string())
                    };
                    Ok(Pair([mesh(meshes[0])?, mesh(meshes[1])?]))
                }

                pub(super) fn overlap(&self, a: &prall_math::Pose, b: &prall_math::Pose) -> f64 {
                    let [first, second] = &self.0;
                    $krate::query::intersection_test(&place(a), first, &place(b), second)
                        .map_or(f64::NAN, |answer| f64::from(u8::from(answer.intersecting)))
                }

                pub(super) fn distance(&self, a: &prall_math::Pose, b: &prall_math::Pose) -> f64 {
                    let [first, second] = &self.0;
                    $krate::query::distance(&place(a), first, &place(b), second)
                        .map_or(f64::NAN, |answer| answer.distance as f64)
                }

                pub(super) fn impact(&self, a: [&prall_math::Pose; 2], b: &prall_math::Pose) -> f64 {
                    let turn = (a[1].rotation * a[0].rotation.inverse()).to_scaled_axis();
                    let moving = NonlinearRigidMotion {
                        start: place(a[0]),
                        local_center: Vector::ZERO,
                        linvel: vector(a[1].translation - a[0].translation),
                        angvel: vector(turn),
                    };
                    let still = NonlinearRigidMotion {
                        start: place(b),
                        local_center: Vector::ZERO,
                        linvel: Vector::ZERO,
                        angvel: Vector::ZERO,
                    };
                    let [first, second] = &self.0;
                    let hit =
                        $krate::query::cast_shapes_nonlinear(&moving, first, &still, second, 0.0, 1.0, true);
                    hit.map_or(f64::NAN, |hit| hit.map_or(1.0, |hit| hit.time_of_impact as f64))
                }
            }
        }
    };
}

parry_queries!(single, parry, f32);
parry_queries!(double, parry_f64, f64);

/// Two meshes and the poses at which they are asked.
struct Case {
    name: String,
    soups: [Vec<[DVec3; 3]>; 2],
    /// Poses at this gap, alternating with ones that overlap where that is wanted.
    places: Vec<[Pose; 2]>,
}

fn hierarchy(soup: &[[DVec3; 3]]) -> Result<Hierarchy, String> {
    Hierarchy::build(soup, &BuildOptions::default()).map_err(|error| error.to_string())
}

/// Bumpy spheres 5 mm apart, in ten positions to each other.
fn spheres(size: usize) -> Result<Case, String> {
    let soup = shapes::bumpy_sphere(1.0, size);
    let body = hierarchy(&soup)?;
    let mut workspace = Workspace::new();
    let mut places = Vec::new();
    for i in 0..10 {
        let t = f64::from(i);
        let at_b = Pose::new(DQuat::from_rotation_z(0.7 + 0.3 * t), DVec3::new(0.3, -0.2, 0.1));
        let towards = DVec3::new(1.0, 0.4 * t - 1.0, 0.2).normalize();
        let mut at_a = Pose::new(DQuat::from_rotation_y(1.1 * t), at_b.translation + 2.1 * towards);
        let near = distance(&body, &at_a, &body, &at_b, &DistanceOptions::default(), &mut workspace);
        let gap = near.map_err(|error| error.to_string())?.map_or(0.0, |near| near.gap);
        at_a.translation -= towards * (gap - 0.005);
        places.push([at_a, at_b]);
    }
    Ok(Case {
        name: format!("bumpy spheres of {size} triangles, 5 mm apart"),
        soups: [soup.clone(), soup],
        places,
    })
}

/// A bolt in its nut with little play, turned along the thread.
fn bolt(size: usize) -> Case {
    let (radius, pitch, depth, play) = (0.05, 0.012, 0.006, 0.000_47);
    let bolt = shapes::thread(radius, pitch, depth, 6.0, size);
    let nut = shapes::thread(radius + std::f64::consts::SQRT_2 * play, pitch, depth, 4.0, size);
    let turned = |i: i32| {
        let share = 0.02 * f64::from(i);
        let turn = DQuat::from_rotation_z(-std::f64::consts::TAU * share);
        [Pose::new(turn, DVec3::new(0.0, 0.0, pitch * (share - 1.0))), Pose::IDENTITY]
    };
    Case {
        name: format!("bolt in nut of {size} triangles each"),
        soups: [bolt, nut],
        places: (0..10).map(turned).collect(),
    }
}

/// Two helical gears of 30 teeth in mesh, 0.2 mm apart, in ten positions of a tooth's passage.
fn gears(size: usize) -> Result<Case, String> {
    const TEETH: f64 = 30.0;
    let (radius, addendum, width, lead) = (0.1, 0.006, 0.04, 2.0);
    let rows = ((size as f64 / 36.0).sqrt() as usize).max(2);
    let columns = size / (2 * rows);
    let rim = |hand: f64| {
        shapes::grid(columns, rows, |column, row| {
            let turn = std::f64::consts::TAU * (column % columns) as f64 / columns as f64;
            let along = width * (row as f64 / rows as f64 - 0.5);
            let r = radius + addendum * libm::cos(TEETH * (turn + hand * lead * along));
            DVec3::new(r * libm::cos(turn), r * libm::sin(turn), along)
        })
    };
    let soups = [rim(1.0), rim(-1.0)];
    let bodies = [hierarchy(&soups[0])?, hierarchy(&soups[1])?];
    let mut workspace = Workspace::new();
    let mut places = Vec::new();
    for i in 0..10 {
        let turn = std::f64::consts::TAU / TEETH * f64::from(i) / 10.0;
        // A tooth of one stands in a gap of the other: the second begins half a tooth off, seen from the first.
        let half = std::f64::consts::PI / TEETH;
        let at_a = Pose::new(DQuat::from_rotation_z(turn), DVec3::ZERO);
        let mut at_b = Pose::new(
            DQuat::from_rotation_z(std::f64::consts::PI + half - turn),
            DVec3::X * (2.0 * radius + 1.2 * addendum),
        );
        // Flanks are oblique: nearing by the gap closes a part of it.
        for _ in 0..20 {
            let options = DistanceOptions::default();
            let near = distance(&bodies[0], &at_a, &bodies[1], &at_b, &options, &mut workspace);
            let gap = near.map_err(|error| error.to_string())?.map_or(0.0, |near| near.gap);
            at_b.translation.x -= gap - 2e-4;
        }
        places.push([at_a, at_b]);
    }
    Ok(Case { name: format!("gears in mesh of {size} triangles each, 0.2 mm apart"), soups, places })
}

/// Who answers, in the order of columns.
const LIBRARIES: [&str; 5] = ["prall", "parry3d", "parry3d-f64", "coal", "python-fcl"];

/// Asks all for overlap and for distance, adds a row each, and gives the times in us.
fn queries(table: &mut Table, case: &Case, python: &mut Python) -> Result<[[f64; 5]; 2], String> {
    eprintln!("{}", case.name);
    let own = [hierarchy(&case.soups[0])?, hierarchy(&case.soups[1])?];
    let indexed = [Indexed::new(&case.soups[0]), Indexed::new(&case.soups[1])];
    let single = single::Pair::new([&indexed[0], &indexed[1]])?;
    let double = double::Pair::new([&indexed[0], &indexed[1]])?;
    python.ask(&json!({"do": "mesh_open", "meshes": [indexed[0].json(), indexed[1].json()]}))?;
    let mut workspace = Workspace::new();
    let places = &case.places;
    let overlaps = [
        ask(places, |a, b| {
            let answer = overlap(&own[0], a, &own[1], b, &mut workspace);
            answer.map_or(f64::NAN, |pair| f64::from(u8::from(pair.is_some())))
        }),
        ask(places, |a, b| single.overlap(a, b)),
        ask(places, |a, b| double.overlap(a, b)),
        ask_python(python, "coal", "overlap", places)?,
        ask_python(python, "fcl", "overlap", places)?,
    ];
    let mut workspace = Workspace::new();
    let distances = [
        ask(places, |a, b| {
            let options = DistanceOptions::default();
            let answer = distance(&own[0], a, &own[1], b, &options, &mut workspace);
            answer.ok().flatten().map_or(f64::NAN, |near| near.gap)
        }),
        ask(&places[..3], |a, b| single.distance(a, b)),
        ask(&places[..3], |a, b| double.distance(a, b)),
        ask_python(python, "coal", "distance", places)?,
        ask_python(python, "fcl", "distance", places)?,
    ];
    for (what, answers) in [("overlap", &overlaps), ("distance", &distances)] {
        let mut cells = vec![format!("{}: {what}", case.name)];
        let own = &answers[0];
        for (number, answer) in answers.iter().enumerate() {
            // Every two answers that differ are shown: by a count for yes and no, by the largest difference for lengths.
            let pairs = answer.values.iter().zip(&own.values);
            let differs = match what {
                "overlap" => {
                    let count = pairs.filter(|(a, b)| a != b).count();
                    if count == 0 {
                        String::new()
                    } else {
                        format!(", {count} of {} differ", answer.values.len())
                    }
                }
                _ => {
                    let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    if largest < 1e-6 { String::new() } else { format!(", differs by {largest:.1e} m") }
                }
            };
            let ratio = if number == 0 { String::new() } else { format!(" ({:.1} x)", answer.us / own.us) };
            cells.push(format!("{}{ratio}{differs}", microseconds(answer.us)));
        }
        table.row(cells);
    }
    Ok([overlaps, distances].map(|answers| answers.map(|answer| answer.us)))
}

/// Exponents of the power laws of times over triangles, between the smallest and the largest of a kind.
fn growth(kinds: &[(&str, Vec<(usize, [[f64; 5]; 2])>)]) -> String {
    let mut head = vec!["pair, query"];
    head.extend(LIBRARIES);
    let mut table = Table::new(&head);
    for (kind, times) in kinds {
        for (number, query) in ["overlap", "distance"].iter().enumerate() {
            let mut cells = vec![format!("{kind}: {query}")];
            for library in 0..LIBRARIES.len() {
                let points: Vec<[f64; 2]> =
                    times.iter().map(|(size, us)| [*size as f64, us[number][library]]).collect();
                cells.push(exponent(&points).map_or("-".to_owned(), |power| format!("{power:.2}")));
            }
            table.row(cells);
        }
    }
    format!("\nHow these times grow with the number of triangles, as exponents:\n\n{}", table.markdown())
}

/// Turning spheres: when do they touch first?
fn impacts(size: usize, python: &mut Python) -> Result<String, String> {
    let case = spheres(size)?;
    eprintln!("time of impact, {}", case.name);
    let body = hierarchy(&case.soups[0])?;
    let indexed = Indexed::new(&case.soups[0]);
    python.ask(&json!({"do": "mesh_open", "meshes": [indexed.json(), indexed.json()]}))?;
    let (single, double) =
        (single::Pair::new([&indexed, &indexed])?, double::Pair::new([&indexed, &indexed])?);
    let mut table = Table::new(&["motion", "prall", "parry3d", "parry3d-f64", "python-fcl"]);
    let mut workspace = Workspace::new();
    for (number, [a, b]) in case.places[..3].iter().enumerate() {
        let towards = (b.translation - a.translation).normalize();
        let turn =
            DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.35 * (1.0 + number as f64));
        let end = Pose::new(turn * a.rotation, a.translation + towards * 0.02 * (1.0 + number as f64));
        let motion = Motion::slerp(*a, end).map_err(|error| error.to_string())?;
        let still = Motion::still(*b).map_err(|error| error.to_string())?;
        let start = Instant::now();
        let (options, mut budget) = (ImpactOptions::default(), Budget::unlimited());
        let answer = time_of_impact(&body, &motion, &body, &still, &options, &mut budget, &mut workspace)
            .map_err(|error| error.to_string())?;
        let us = start.elapsed().as_secs_f64() * 1e6;
        let first = answer.contact.map_or(1.0, |(time, _)| time);
        let mut cells = vec![
            format!(
                "{number}: {:.0} mm and {:.0} degrees",
                20.0 * (1.0 + number as f64),
                20.0 * (1.0 + number as f64)
            ),
            format!("free until {:.6}, touches at {first:.6}: {}", answer.free_until, microseconds(us)),
        ];
        let judged = |time: f64, us: f64| {
            let late = if time > first + 1e-3 {
                ", late"
            } else if time < answer.free_until - 1e-3 {
                ", early"
            } else {
                ""
            };
            format!("{time:.6}{late}: {}", microseconds(us))
        };
        let start = Instant::now();
        let time = single.impact([a, &end], b);
        cells.push(judged(time, start.elapsed().as_secs_f64() * 1e6));
        let start = Instant::now();
        let time = double.impact([a, &end], b);
        cells.push(judged(time, start.elapsed().as_secs_f64() * 1e6));
        let both: Vec<f64> = row(a).into_iter().chain(row(&end)).collect();
        let question =
            json!({"do": "mesh_query", "library": "fcl", "what": "impact", "places": [[both, row(b)]]});
        let answer = python.ask(&question)?;
        cells.push(judged(
            answer["answers"][0].as_f64().unwrap_or(f64::NAN),
            answer["us"][0].as_f64().unwrap_or(f64::NAN),
        ));
        table.row(cells);
    }
    Ok(format!(
        "\n### Time of impact of turning meshes\n\nSpheres of {size} triangles; the answer as a share of the motion. coal has no such query. *Late* is an answer after the touch that Prall encloses: the bodies would already be in each other.\n\n{}",
        table.markdown()
    ))
}

/// Runs all, and writes the section.
pub fn section(quick: bool) -> Result<String, String> {
    let mut python = Python::start()?;
    let sizes: &[usize] = if quick { &[1_000, 2_000] } else { &[10_000, 50_000, 200_000] };
    let mut head = vec!["pair"];
    head.extend(LIBRARIES);
    let mut table = Table::new(&head);
    let mut kinds = Vec::new();
    let makers: [(&str, fn(usize) -> Result<Case, String>); 3] =
        [("bumpy spheres", spheres), ("bolt in nut", |size| Ok(bolt(size))), ("gears", gears)];
    for (kind, make) in makers {
        let mut times = Vec::new();
        for &size in sizes {
            times.push((size, queries(&mut table, &make(size)?, &mut python)?));
        }
        kinds.push((kind, times));
    }
    let mut text = format!(
        "## Meshes\n\nMedian over ten poses of the least of three times each (distances by parry: three poses); where answers differ from Prall's it is said. The bodies of the two Python packages are called from Python, whose own cost of some 5 us is in their times.\n\n{}",
        table.markdown()
    );
    text += &growth(&kinds);
    text += &triangles::section(&mut python, if quick { 40 } else { 400 })?;
    text += &triangles::impacts(&mut python, if quick { 20 } else { 300 })?;
    text += &impacts(if quick { 1_000 } else { 10_000 }, &mut python)?;
    Ok(text)
}

/// Two single triangles, asked of every library: is there a common point?
pub fn triangle_pair(python: &mut Python, pair: &[[DVec3; 3]; 2]) -> Result<[bool; 5], String> {
    let place = [Pose::IDENTITY, Pose::IDENTITY];
    let own = [hierarchy(&pair[0..1])?, hierarchy(&pair[1..2])?];
    let indexed = [Indexed::new(&pair[0..1]), Indexed::new(&pair[1..2])];
    let single = single::Pair::new([&indexed[0], &indexed[1]])?;
    let double = double::Pair::new([&indexed[0], &indexed[1]])?;
    python.ask(&json!({"do": "mesh_open", "meshes": [indexed[0].json(), indexed[1].json()]}))?;
    let mut answers = [false; 5];
    let found = overlap(&own[0], &place[0], &own[1], &place[1], &mut Workspace::new());
    answers[0] = found.map_err(|error| error.to_string())?.is_some();
    answers[1] = single.overlap(&place[0], &place[1]) > 0.5;
    answers[2] = double.overlap(&place[0], &place[1]) > 0.5;
    for (slot, library) in [(3, "coal"), (4, "fcl")] {
        let rows = [[row(&place[0]), row(&place[1])]];
        let answer = python
            .ask(&json!({"do": "mesh_query", "library": library, "what": "overlap", "places": rows}))?;
        answers[slot] = answer["answers"][0].as_bool().unwrap_or(false);
    }
    Ok(answers)
}

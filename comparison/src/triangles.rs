//! Pairs of triangles that just meet or just miss, against exact integers.

use crate::meshes::{median, triangle_pair};
use crate::python::Python;
use crate::report::{Table, microseconds};
use glam::DVec3;
use prall_detection::{Budget, BuildOptions, Hierarchy, ImpactOptions, Workspace, time_of_impact};
use prall_math::{Motion, Pose};
use std::time::Instant;

type Corner = [i128; 3];

/// Six times the signed volume of a tetrahedron, exactly: corners below 2^24 leave it far below 2^127.
fn volume(a: Corner, b: Corner, c: Corner, d: Corner) -> i128 {
    let minus = |p: Corner| [p[0] - d[0], p[1] - d[1], p[2] - d[2]];
    let (a, b, c) = (minus(a), minus(b), minus(c));
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Does the segment meet the triangle? None where they lie in one plane, which the chosen pairs do not.
fn meets(p: Corner, q: Corner, t: [Corner; 3]) -> Option<bool> {
    let (above, below) = (volume(t[0], t[1], t[2], p).signum(), volume(t[0], t[1], t[2], q).signum());
    if above == 0 && below == 0 {
        return None;
    }
    if above * below > 0 {
        return Some(false);
    }
    let sides = [0, 1, 2].map(|i| volume(p, q, t[i], t[(i + 1) % 3]).signum());
    Some(!(sides.contains(&1) && sides.contains(&-1)))
}

/// Do they have a common point? None for a pair in one plane.
fn meet(s: [Corner; 3], t: [Corner; 3]) -> Option<bool> {
    let mut any = false;
    for i in 0..3 {
        any |= meets(s[i], s[(i + 1) % 3], t)?;
        any |= meets(t[i], t[(i + 1) % 3], s)?;
    }
    Some(any)
}

/// A simple generator of even numbers in 0..n; the same pairs in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> i128 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i128::from((self.0 >> 33) % n)
    }
}

/// Half a step of the grid on which corners lie: 2^-27 m, about 7 nm. Triangles are a few centimetres large.
const GRID: f64 = 1.0 / (1 << 27) as f64;

/// A triangle of some centimetres, and one whose corner is at most a few grid steps above or below its face.
fn near_pair(numbers: &mut Numbers) -> [[Corner; 3]; 2] {
    const SIZE: u64 = 1 << 23;
    let mut corner = || [numbers.below(SIZE), numbers.below(SIZE), numbers.below(SIZE)];
    let face = [corner(), corner(), corner()];
    let (far, aside) = (corner(), corner());
    // A point of the face, rounded to the grid: it lies above or below by less than a step, or in it.
    let inner = [0, 1, 2].map(|axis| (face[0][axis] + face[1][axis] + 2 * face[2][axis]) / 4);
    [face, [inner, far, aside]]
}

/// Counts the wrong answers of every library.
pub fn section(python: &mut Python, count: usize) -> Result<String, String> {
    eprintln!("{count} pairs of triangles");
    let mut numbers = Numbers(7);
    let names = ["prall", "parry3d", "parry3d-f64", "coal", "python-fcl"];
    let (mut missed, mut invented) = ([0; 5], [0; 5]);
    let (mut asked, mut met) = (0, 0);
    while asked < count {
        let pair = near_pair(&mut numbers);
        // Both ends on one side, so that the near corner alone decides.
        let side = |corner: Corner| volume(pair[0][0], pair[0][1], pair[0][2], corner).signum();
        if side(pair[1][1]) != side(pair[1][2]) || side(pair[1][1]) == 0 {
            continue;
        }
        let Some(truth) = meet(pair[0], pair[1]) else { continue };
        asked += 1;
        met += usize::from(truth);
        let metres = |corner: Corner| DVec3::from_array(corner.map(|value| value as f64 * GRID));
        let answers = triangle_pair(python, &pair.map(|triangle| triangle.map(metres)))?;
        for (number, answer) in answers.into_iter().enumerate() {
            missed[number] += usize::from(truth && !answer);
            invented[number] += usize::from(!truth && answer);
        }
    }
    let mut table = Table::new(&["library", "missed", "invented"]);
    for (number, name) in names.iter().enumerate() {
        table.row(vec![(*name).to_owned(), missed[number].to_string(), invented[number].to_string()]);
    }
    Ok(format!(
        "\n### Triangles that just meet or just miss\n\n{asked} pairs of triangles of a few centimetres, a corner of one within 7 nm of the other's face; {met} of them meet, by exact integers.\n\n{}",
        table.markdown()
    ))
}

/// Feature pairs of two triangles: six of a corner and a face, nine of two edges, each at the start and at the end of a step.
fn feature_pairs(still: &[DVec3; 3], start: &[DVec3; 3], end: &[DVec3; 3]) -> Vec<serde_json::Value> {
    let list = |points: &[DVec3]| points.iter().map(|p| p.to_array()).collect::<Vec<_>>();
    let mut pairs = Vec::new();
    for i in 0..3 {
        let corner = |own: [DVec3; 3], face: &[DVec3; 3]| list(&[own[i], face[0], face[1], face[2]]);
        pairs.push(serde_json::json!(["vertex-face", corner(*start, still), corner(*end, still)]));
        pairs.push(serde_json::json!(["vertex-face", corner(*still, start), corner(*still, end)]));
        for j in 0..3 {
            let edges = |own: &[DVec3; 3]| list(&[own[i], own[(i + 1) % 3], still[j], still[(j + 1) % 3]]);
            pairs.push(serde_json::json!(["edge-edge", edges(start), edges(end)]));
        }
    }
    pairs
}

/// Triangles that fly past or into each other without turning, against the feature queries of ipctk.
pub fn impacts(python: &mut Python, count: usize) -> Result<String, String> {
    eprintln!("{count} pairs of moving triangles");
    let mut numbers = Numbers(11);
    let mut random = |scale: f64| {
        let mut one = || (numbers.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0) * scale;
        DVec3::new(one(), one(), one())
    };
    let (mut own_times, mut peer_times) = (Vec::new(), Vec::new());
    let (mut hits, mut missed, mut invented) = (0, 0, 0);
    let mut widest: f64 = 0.0;
    for _ in 0..count {
        let still = [random(0.05), random(0.05), random(0.05)];
        let aside = DVec3::X * 0.3 + random(0.05);
        let start = [random(0.05), random(0.05), random(0.05)].map(|p| p + aside);
        let travel = DVec3::X * -0.6 + random(0.05);
        let end = start.map(|p| p + travel);
        let (own, own_us) = own_impact(&still, &start, travel)?;
        let question =
            serde_json::json!({"do": "feature_impact", "pairs": feature_pairs(&still, &start, &end)});
        let answer = python.ask(&question)?;
        let list = |key: &str| answer[key].as_array().cloned().unwrap_or_default();
        let peer = list("answers").iter().filter_map(serde_json::Value::as_f64).reduce(f64::min);
        own_times.push(own_us);
        peer_times.push(list("us").iter().filter_map(serde_json::Value::as_f64).sum::<f64>());
        hits += usize::from(own.is_some());
        match (own, peer) {
            (Some(_), None) => missed += 1,
            (None, Some(_)) => invented += 1,
            (Some(own), Some(peer)) => widest = widest.max((own - peer).abs()),
            (None, None) => {}
        }
    }
    let mut table = Table::new(&["library", "median per pair", "hits that only the other finds"]);
    table.row(vec!["prall".to_owned(), microseconds(median(own_times)), invented.to_string()]);
    table.row(vec![
        "ipctk, tight inclusion".to_owned(),
        microseconds(median(peer_times)),
        missed.to_string(),
    ]);
    Ok(format!(
        "\n### Triangles in flight\n\n{count} pairs of triangles of some centimetres, one flies 60 cm without turning; {hits} of them hit. ipctk answers for pairs of features, 15 for a pair of triangles, called from Python; its times are those of the 15 calls. Where both call a hit, their times differ by at most {widest:.1e} of the step.\n\n{}",
        table.markdown()
    ))
}

/// Prall's answer, and how long it took in us.
fn own_impact(still: &[DVec3; 3], start: &[DVec3; 3], travel: DVec3) -> Result<(Option<f64>, f64), String> {
    let text = |error: prall_detection::QueryError| error.to_string();
    let body = |triangle: &[DVec3; 3]| {
        Hierarchy::build(&[*triangle], &BuildOptions::default()).map_err(|error| error.to_string())
    };
    let (moving, other) = (body(start)?, body(still)?);
    let motion =
        Motion::slerp(Pose::IDENTITY, Pose::from_translation(travel)).map_err(|error| error.to_string())?;
    let rest = Motion::still(Pose::IDENTITY).map_err(|error| error.to_string())?;
    let (options, mut workspace) = (ImpactOptions::default(), Workspace::new());
    let begin = Instant::now();
    let answer =
        time_of_impact(&moving, &motion, &other, &rest, &options, &mut Budget::unlimited(), &mut workspace)
            .map_err(text)?;
    Ok((answer.contact.map(|(time, _)| time), begin.elapsed().as_secs_f64() * 1e6))
}

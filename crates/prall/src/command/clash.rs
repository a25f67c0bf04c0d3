//! `prall clash`: all pairs of named parts at rest.

use super::assembly::{FileUnits, read_assembly, threads};
use super::{Failure, Verdict, print_line, print_result};
use glam::DVec3;
use indicatif::{ProgressBar, ProgressStyle};
use prall_detection::{AssemblyPart, Batch, Clash, ClashKind};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Mesh files; every named part of each is compared with every other
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Distance in metres below which parts count as too near
    #[arg(long, default_value_t = 0.0, value_name = "D", allow_negative_numbers = true)]
    clearance: f64,
    /// Parts whose surfaces cross by no more than this, in metres, touch
    #[arg(long, default_value_t = 1e-6, value_name = "D", allow_negative_numbers = true)]
    tolerance: f64,
    /// Pairs that may clash: a line `name,name` each; `*` stands for anything, `#` begins a comment
    #[arg(long, value_name = "FILE")]
    ignore: Option<PathBuf>,
    #[command(flatten)]
    units: FileUnits,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    parts: usize,
    pairs: usize,
    ignored: usize,
    clearance: f64,
    clashes: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    a: String,
    b: String,
    /// `overlapping`, `coincident`, `inside`, `touching` or `near`.
    kind: &'static str,
    /// Distance in m; 0 where surfaces meet.
    gap: f64,
    /// For overlapping parts: they overlap by at least this, in m.
    reach: Option<f64>,
    point: DVec3,
    normal: DVec3,
}

impl Found {
    fn new(a: &str, b: &str, clash: &Clash) -> Found {
        let (kind, reach) = match clash.kind {
            ClashKind::Overlapping { reach } => ("overlapping", Some(reach)),
            ClashKind::Coincident => ("coincident", None),
            ClashKind::Inside => ("inside", None),
            ClashKind::Touching => ("touching", None),
            ClashKind::Near => ("near", None),
        };
        Found {
            a: a.to_owned(),
            b: b.to_owned(),
            kind,
            gap: clash.contact.gap,
            reach,
            point: clash.contact.midpoint(),
            normal: clash.contact.normal,
        }
    }
}

pub(super) fn execute(arguments: &Arguments) -> Result<Verdict, Failure> {
    for (name, value) in [("--clearance", arguments.clearance), ("--tolerance", arguments.tolerance)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(format!("{name} must be 0 or a positive number of metres, not {value}").into());
        }
    }
    let ignored = arguments.ignore.as_deref().map_or(Ok(Ignored::default()), Ignored::read)?;
    let pool = threads()?;
    let parts = read_assembly(&arguments.files, arguments.units, &pool)?;
    if parts.len() < 2 {
        return Err(
            format!("there must be at least 2 parts to compare; the files hold {}", parts.len()).into()
        );
    }
    let answer = compare(&parts, &ignored, &pool, arguments)?;
    print_result(&answer, arguments.json, print_answer)?;
    Ok(if answer.clashes.is_empty() { Verdict::Free } else { Verdict::Contact })
}

/// Pairs between two steps of the progress bar; enough for many threads.
const PORTION: usize = 256;

fn compare(
    parts: &[(String, AssemblyPart)],
    ignored: &Ignored,
    pool: &rayon::ThreadPool,
    arguments: &Arguments,
) -> Result<Answer, Failure> {
    let Arguments { clearance, tolerance, .. } = *arguments;
    let pairs = parts.len() * (parts.len() - 1) / 2;
    let mut answer = Answer { parts: parts.len(), pairs, ignored: 0, clearance, clashes: Vec::new() };
    // Most pairs of a large assembly are far apart; what is left is worth a progress bar.
    let mut near: Vec<[&(String, AssemblyPart); 2]> = Vec::new();
    for (index, a) in parts.iter().enumerate() {
        let reach = a.1.bounds().grown(clearance);
        for b in &parts[index + 1..] {
            if ignored.contains(&a.0, &b.0) {
                answer.ignored += 1;
            } else if reach.overlaps(b.1.bounds()) {
                near.push([a, b]);
            }
        }
    }
    let bar = ProgressBar::new(near.len() as u64).with_style(
        ProgressStyle::with_template("clash {wide_bar} {pos} of {len} pairs near each other")
            .expect("a literal that was tried"),
    );
    let batch = Batch::new(pool);
    for portion in near.chunks(PORTION) {
        let bodies: Vec<(&AssemblyPart, &AssemblyPart)> = portion.iter().map(|[a, b]| (&a.1, &b.1)).collect();
        for ([a, b], found) in portion.iter().zip(batch.clash(&bodies, clearance, tolerance)) {
            answer.clashes.extend(found?.map(|clash| Found::new(&a.0, &b.0, &clash)));
        }
        bar.inc(portion.len() as u64);
    }
    bar.finish_and_clear();
    // The worst first.
    let rank = |found: &Found| {
        ["overlapping", "coincident", "inside", "touching", "near"]
            .iter()
            .position(|kind| *kind == found.kind)
    };
    answer.clashes.sort_by(|a, b| {
        let depth = |found: &Found| found.gap - found.reach.unwrap_or(0.0);
        rank(a).cmp(&rank(b)).then(depth(a).total_cmp(&depth(b)))
    });
    Ok(answer)
}

fn print_answer(answer: &Answer) -> Result<(), Failure> {
    for found in &answer.clashes {
        let how = match found.kind {
            "overlapping" => format!("overlap by at least {:.3} mm", 1e3 * found.reach.unwrap_or(0.0)),
            "coincident" => "fill the same room".to_owned(),
            "inside" => "one lies inside the other".to_owned(),
            "touching" => "touch".to_owned(),
            _ => format!("are {:.3} mm apart", 1e3 * found.gap),
        };
        let p = found.point;
        print_line(&format!("{} and {} {how}, at {:.5} {:.5} {:.5} m", found.a, found.b, p.x, p.y, p.z))?;
    }
    print_line(&format!(
        "{} of {} pairs of {} parts clash{}",
        answer.clashes.len(),
        answer.pairs,
        answer.parts,
        if answer.ignored > 0 { format!("; {} were ignored", answer.ignored) } else { String::new() }
    ))
}

/// Pairs of names that may clash.
#[derive(Default)]
struct Ignored(Vec<(String, String)>);

impl Ignored {
    fn read(path: &std::path::Path) -> Result<Ignored, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ignored::parse(&text).map_err(|problem| format!("{}: {problem}", path.display()).into())
    }

    fn parse(text: &str) -> Result<Ignored, String> {
        let mut pairs = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (a, b) = line
                .split_once(',')
                .filter(|(_, b)| !b.contains(','))
                .ok_or_else(|| format!("line {}: write two names with a comma between them", index + 1))?;
            pairs.push((a.trim().to_owned(), b.trim().to_owned()));
        }
        Ok(Ignored(pairs))
    }

    fn contains(&self, a: &str, b: &str) -> bool {
        self.0.iter().any(|(x, y)| (matches(x, a) && matches(y, b)) || (matches(x, b) && matches(y, a)))
    }
}

/// Does a name fit a pattern in which `*` stands for any text?
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| matches(tail, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_pairs_hold_both_ways_and_with_stars() {
        let ignored = Ignored::parse("# screws\nscrew*, plate\n\nlid,*hinge # both hinges\n").unwrap();
        assert!(ignored.contains("screw 1", "plate") && ignored.contains("plate", "screw 2"));
        assert!(ignored.contains("left hinge", "lid"));
        assert!(!ignored.contains("screw 1", "screw 2") && !ignored.contains("lid", "hinge pin"));
        assert!(Ignored::parse("one name").is_err() && Ignored::parse("a,b,c").is_err());
    }
}

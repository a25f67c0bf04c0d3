//! `prall benchmark`.

use super::clash::matches;
use super::{Failure, Verdict, print_line};
use crate::benchmark::{Options, SceneResult, run_file, scene_files, summary, table};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folder of scene files, searched to the bottom: .json of Rigid IPC and .toml
    folder: PathBuf,
    /// Write the table to this file instead of printing it
    #[arg(long, value_name = "FILE.md")]
    out: Option<PathBuf>,
    /// Simulated seconds of every scene; by default as many as its file asks for, or 10
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Most time that a scene may take, in seconds, with its judge; then it is cut short
    #[arg(long, value_name = "S", default_value_t = 30.0, allow_negative_numbers = true)]
    limit: f64,
    /// Only scenes whose path in the folder fits; `*` stands for any text
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn execute(arguments: &Arguments) -> Result<Verdict, Failure> {
    if !(arguments.limit > 0.0 && arguments.limit <= 1e6) {
        let limit = arguments.limit;
        return Err(format!("--limit must be a number of seconds from 0 to 1e6, not {limit}").into());
    }
    let options = Options { seconds: arguments.seconds, limit: Duration::from_secs_f64(arguments.limit) };
    let folder = &arguments.folder;
    let files = scene_files(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let name = |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
    let wanted: Vec<(PathBuf, String)> = files
        .into_iter()
        .map(|path| (path.clone(), name(&path)))
        .filter(|(_, name)| arguments.only.as_ref().is_none_or(|only| matches(only, name)))
        .collect();
    if wanted.is_empty() {
        return Err(format!("no scene file in {} fits", folder.display()).into());
    }
    let mut results = Vec::with_capacity(wanted.len());
    for (number, (path, name)) in wanted.iter().enumerate() {
        let result = run_file(path, name, &options);
        eprintln!("{:3} of {}  {}", number + 1, wanted.len(), progress(&result));
        results.push(result);
        // What was done so far is not lost if somebody ends the run.
        if let Some(out) = &arguments.out {
            crate::output::write(out, table(&results))?;
        }
    }
    if arguments.json {
        print_line(&serde_json::to_string_pretty(&results)?)?;
    } else if arguments.out.is_some() {
        print_line(&summary(&results))?;
    } else {
        print_line(&table(&results))?;
    }
    Ok(if results.iter().all(SceneResult::is_safe) { Verdict::Free } else { Verdict::Contact })
}

/// A scene in one line.
fn progress(result: &SceneResult) -> String {
    match &result.refused {
        Some(reason) => format!("{}: refused: {reason}", result.scene),
        None => format!(
            "{}: {:.3} s in {} steps of {:.3} ms, p99 {:.3} ms; {} intersections in {} looks; {}",
            result.scene,
            result.seconds,
            result.steps,
            result.step_ms.p50,
            result.step_ms.p99,
            result.intersections,
            result.looks,
            result.verdict
        ),
    }
}

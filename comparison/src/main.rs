//! Prall beside the engines that one would pick instead: the same scenes, in turns, on one machine, errors judged from poses.

mod contacts;
mod description;
mod energy;
mod engine;
mod engines;
mod fast;
mod growth;
mod hanging;
mod joints;
mod judge;
mod meshes;
mod python;
mod race;
mod report;
mod triangles;

use clap::{Parser, ValueEnum};
use std::path::{Path, PathBuf};

#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Section {
    Contacts,
    Joints,
    Fast,
    Meshes,
    Growth,
}

/// Runs Prall and its peers on the same work and writes the tables.
#[derive(Parser)]
struct Arguments {
    /// Which parts; all by default. The others stay as they are in the document.
    sections: Vec<Section>,
    /// The document whose parts are renewed; pictures go to `pictures` beside it.
    #[arg(long, default_value = "docs/comparison.md")]
    out: PathBuf,
    /// Small scenes and few steps, to see that everything runs.
    #[arg(long)]
    quick: bool,
}

fn main() -> Result<(), String> {
    let arguments = Arguments::parse();
    let all = [Section::Contacts, Section::Joints, Section::Fast, Section::Meshes, Section::Growth];
    let wanted = if arguments.sections.is_empty() { &all[..] } else { &arguments.sections };
    replace(&arguments.out, "setting", &setting()?)?;
    for section in wanted {
        let text = match section {
            Section::Contacts => contacts::section(arguments.quick)?,
            Section::Joints => {
                let (text, plots) = joints::section(arguments.quick)?;
                let folder = arguments.out.parent().unwrap_or(Path::new(".")).join("pictures");
                std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
                for (name, plot) in plots {
                    std::fs::write(folder.join(name), plot).map_err(|error| error.to_string())?;
                }
                text
            }
            Section::Fast => fast::section(arguments.quick)?,
            Section::Meshes => meshes::section(arguments.quick)?,
            Section::Growth => growth::section(arguments.quick)?,
        };
        replace(&arguments.out, &format!("{section:?}").to_lowercase(), &text)?;
    }
    Ok(())
}

/// Who took part, in which versions and settings, on what.
fn setting() -> Result<String, String> {
    let mut text = String::from("## Who, and how\n\n");
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name").and_then(|rest| rest.split_once(": ")));
    text += &format!("Machine: {}, one thread for every engine. ", model.map_or("unknown", |(_, name)| name));
    text += "Rust in release with thin link-time optimisation, `target-cpu=x86-64-v3` for all Rust engines. Sleeping is off everywhere.\n\n";
    let lock = include_str!("../Cargo.lock");
    let version = |name: &str| {
        let entry = format!("name = \"{name}\"\nversion = \"");
        lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("?").to_owned()
    };
    let python = python::Python::start()?.ask(&serde_json::json!({"do": "versions"}))?;
    text += "Versions: ";
    let mut versions: Vec<String> = ["rapier3d", "rapier3d-f64", "parry3d", "parry3d-f64"]
        .iter()
        .map(|name| format!("{name} {}", version(name)))
        .collect();
    if cfg!(feature = "jolt") {
        versions.push(format!("joltc-sys {}", version("joltc-sys")));
    }
    for (name, value) in python.as_object().into_iter().flatten() {
        versions.push(format!("{name} {}", value.as_str().unwrap_or("?")));
    }
    text += &format!("{}.\n\n| Engine | Setting |\n|---|---|\n", versions.join(", "));
    let mut told = Vec::new();
    for contestant in
        engines::for_contacts().into_iter().chain(engines::for_joints()).chain(engines::for_fast())
    {
        if !told.contains(&contestant.name) {
            told.push(contestant.name);
            text += &format!("| {} | {} |\n", contestant.name, contestant.setting);
        }
    }
    Ok(text)
}

/// Puts a part between its marks in the document, or at its end.
fn replace(document: &Path, part: &str, text: &str) -> Result<(), String> {
    let (begin, end) = (format!("<!-- begin {part} -->\n"), format!("<!-- end {part} -->\n"));
    let old = std::fs::read_to_string(document).unwrap_or_else(|_| "# Beside its peers\n\n".to_owned());
    let new = match (old.split_once(&begin), old.split_once(&end)) {
        (Some((before, _)), Some((_, after))) => format!("{before}{begin}{}\n{end}{after}", text.trim_end()),
        _ => format!("{}\n\n{begin}{}\n{end}", old.trim_end(), text.trim_end()),
    };
    std::fs::write(document, new).map_err(|error| format!("{}: {error}", document.display()))
}

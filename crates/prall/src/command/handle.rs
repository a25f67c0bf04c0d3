//! `prall handle`: takes parts of any assembly in hand, in the page.

use super::assembly::{FileUnits, read_named_meshes};
use super::{Failure, print_line, print_result, serve};
use crate::recording::{Store, default_directory};
use crate::server::{Entry, Gallery};
use prall_geometry::SelfIntersectingFaces;
use prall_scenes::{HandledMesh, handled_assembly};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// What to take in hand: mesh files (OBJ, STL, PLY, glTF, GLB, COLLADA), or names of parts of the environment's files
    #[arg(required = true, value_name = "PART")]
    parts: Vec<String>,
    /// Mesh files of what stands around; all of their parts stand but those named as PART
    #[arg(long, required = true, num_args = 1.., value_name = "ENVIRONMENT")]
    among: Vec<PathBuf>,
    #[command(flatten)]
    units: FileUnits,
    /// Port on this machine; 0 takes any free one
    #[arg(long, default_value_t = serve::DEFAULT_PORT, value_name = "N")]
    port: u16,
    /// Open the browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    devices: serve::Devices,
    /// Print what was read and what is wrong with it as JSON, and end
    #[arg(long)]
    json: bool,
}

/// Assemblies beyond these sizes in m are probably in other units.
const LARGEST: f64 = 20.0;
const SMALLEST: f64 = 2e-3;
/// From this number of triangles on, building takes a while.
const MANY: usize = 1_000_000;

#[derive(Serialize)]
struct Answer {
    parts: Vec<String>,
    around: usize,
    triangles: usize,
    /// Largest side of the box around everything, in m.
    size: f64,
    /// What should be looked at, in sentences.
    advice: Vec<String>,
    /// Pairs that overlap where they stand.
    overlaps: Vec<[String; 2]>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let (parts, around) = read(arguments)?;
    let mut answer = answer(&parts, &around);
    if !arguments.json {
        for sentence in &answer.advice {
            eprintln!("prall: {sentence}");
        }
    }
    let (build, overlaps) = handled_assembly(&parts, &around)?;
    for [part, other] in &overlaps {
        let sentence = format!(
            "'{part}' overlaps '{other}' where it stands: the two may only separate, and are kept apart from then on"
        );
        if !arguments.json {
            eprintln!("prall: {sentence}");
        }
        answer.advice.push(sentence);
    }
    answer.overlaps = overlaps;
    if arguments.json {
        return print_result(&answer, true, |_| Ok(()));
    }
    print_line(&format!(
        "{} in hand among {} parts, {} triangles",
        answer.parts.join(", "),
        answer.around,
        answer.triangles
    ))?;
    const SCENE: &str = "handle";
    let entry = Entry {
        name: SCENE.to_owned(),
        title: answer.parts.join(", "),
        line: format!("among {} parts", answer.around),
        group: "Files".to_owned(),
        source: "File".to_owned(),
        size: format!("{} triangles", answer.triangles),
        about: about(&answer),
        picture: String::new(),
        file: None,
        build,
    };
    let listening =
        serve::Listening { open: arguments.open, devices: arguments.devices, ..serve::Listening::default() }
            .on_port(arguments.port);
    let store = Store::new(default_directory());
    serve::serve(Gallery::default().with(entry), &listening, store, &format!("#/scene/{SCENE}"))
}

fn about(answer: &Answer) -> String {
    let mut about = String::from(
        "Drag a part to move it, bring it nearer and away with the wheel, turn it with Shift. It touches, slides, tilts and stands, and passes through \
         nothing. R records; the panel then lists the path, certifies it, and writes it as a table, an animation and a report.",
    );
    for sentence in &answer.advice {
        about.push(' ');
        about.push_str(sentence);
        about.push('.');
    }
    about
}

/// Files are parts in hand; names are taken out of the environment.
fn read(arguments: &Arguments) -> Result<(Vec<HandledMesh>, Vec<HandledMesh>), Failure> {
    let (files, names): (Vec<&String>, Vec<&String>) =
        arguments.parts.iter().partition(|part| PathBuf::from(part).is_file());
    let files: Vec<PathBuf> = files.into_iter().map(PathBuf::from).collect();
    let named = |(name, mesh)| HandledMesh { name, mesh };
    let read = |files: &[PathBuf]| -> Result<Vec<HandledMesh>, Failure> {
        Ok(read_named_meshes(files, arguments.units, SelfIntersectingFaces::Refuse)?
            .into_iter()
            .map(named)
            .collect())
    };
    let (mut parts, mut around) = (read(&files)?, read(&arguments.among)?);
    for name in names {
        let Some(index) = around.iter().position(|part| part.name == *name) else {
            let known: Vec<&str> = around.iter().take(20).map(|part| part.name.as_str()).collect();
            return Err(format!(
                "'{name}' is neither a file nor a part of the environment; its parts are: {}",
                known.join(", ")
            )
            .into());
        };
        parts.push(around.remove(index));
    }
    Ok((parts, around))
}

fn answer(parts: &[HandledMesh], around: &[HandledMesh]) -> Answer {
    let all = || parts.iter().chain(around);
    let bounds = all().map(|part| part.mesh.bounds()).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let size = bounds.map_or(0.0, |(low, high)| (high - low).max_element());
    let triangles = all().map(|part| part.mesh.triangles().len()).sum();
    let mut advice = Vec::new();
    if size > LARGEST {
        advice.push(format!(
            "the assembly is {size:.0} m long: if its numbers are millimetres, call with --scale 0.001"
        ));
    } else if size < SMALLEST {
        advice.push(format!(
            "the assembly is {:.3} mm long: if its numbers are metres, leave out --scale",
            1e3 * size
        ));
    }
    if triangles > MANY {
        advice.push(format!(
            "{triangles} triangles take a while to prepare; a coarser export, or fewer files after --among, opens sooner"
        ));
    }
    let parts = parts.iter().map(|part| part.name.clone()).collect();
    Answer { parts, around: around.len(), triangles, size, advice, overlaps: Vec::new() }
}

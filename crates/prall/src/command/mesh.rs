//! `prall mesh`: what a mesh file holds, what is wrong with it, and what it weighs.

mod instances;

use super::assembly::{FileUnits, MAX_PLACED_FACES, polygon_flaws};
use super::{Failure, print_line, print_result, serve};
use crate::recording::{Store, default_directory};
use crate::server::{Entry, Gallery};
use glam::DVec3;
use prall_geometry::files::{Model, read_model, write_model};
use prall_geometry::{
    Amount, Diagnosis, HalfEdges, MassProperties, Mesh, MeshOptions, PolygonSoup, SelfIntersectingFaces, Weld,
};
use prall_scenes::{MeshView, Simulation};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// OBJ, STL, PLY, glTF, GLB or COLLADA. STEP is not read: convert it in a CAD system, for example FreeCAD, with a
    /// chosen deflection
    file: PathBuf,
    /// Write the model to another file; its ending (obj, stl, ply, glb) says how
    #[arg(long, value_name = "OUT")]
    convert: Option<PathBuf>,
    #[command(flatten)]
    units: FileUnits,
    /// Weld vertices within this distance in metres; without it, only those with identical coordinates
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    weld: Option<f64>,
    /// Turn faces so that neighbours agree and closed pieces point outward
    #[arg(long)]
    orient: bool,
    /// Density in kg/m³ for mass and inertia
    #[arg(long, default_value_t = 1000.0, value_name = "RHO", allow_negative_numbers = true)]
    density: f64,
    /// Show the mesh in the browser
    #[arg(long)]
    view: bool,
    /// With --view: port on this machine; 0 takes any free one
    #[arg(long, default_value_t = serve::DEFAULT_PORT, value_name = "N", requires = "view")]
    port: u16,
    /// With --view: open the browser
    #[arg(long, requires = "view")]
    open: bool,
    /// Print the diagnosis as JSON
    #[arg(long)]
    json: bool,
}

/// Everything that is said about a file.
#[derive(Serialize)]
struct Answer {
    file: String,
    #[serde(flatten)]
    diagnosis: Diagnosis,
    bounds: Bounds,
    /// Null if the mesh encloses no volume; `mass_problem` says why.
    volume: Option<f64>,
    density: f64,
    mass: Option<f64>,
    center_of_mass: Option<DVec3>,
    /// About the centre of mass, rows of a symmetric matrix, in kg m².
    inertia: Option<[[f64; 3]; 3]>,
    mass_problem: Option<String>,
    findings: Vec<String>,
    parts: Vec<PartLine>,
}

#[derive(Serialize)]
struct Bounds {
    min: DVec3,
    max: DVec3,
}

/// One named part of an assembly.
#[derive(Serialize)]
struct PartLine {
    name: String,
    faces: usize,
    watertight: bool,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let options = MeshOptions {
        weld: arguments.weld.map_or(Weld::Exact, Weld::Within),
        self_intersecting: SelfIntersectingFaces::LeaveOut,
        ..MeshOptions::default()
    };
    if !(arguments.density > 0.0 && arguments.density.is_finite()) {
        return Err(format!("--density must be a positive number of kg/m³, not {}", arguments.density).into());
    }
    let mut model = read_model(&arguments.file, &arguments.units.into())?;
    let flaws = model.flaws().to_vec();
    if arguments.orient {
        model = oriented(&model, &options)?;
    }
    let name = arguments.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut answer = if arguments.weld.is_none() && model.placed_faces() > LARGE {
        instances::answer(&name, &model, &options, arguments.density)?
    } else {
        answer(&name, &model, &parts(&model, &options)?, &options, arguments.density)?
    };
    let sentences = flaws.iter().map(|flaw| format!("{}.", capitalised(flaw)));
    answer.findings.extend(sentences);
    let d = &answer.diagnosis;
    if arguments.units.strict && !(flaws.is_empty() && d.degenerate_faces + d.self_intersecting_faces == 0) {
        let polygons = polygon_flaws(d.self_intersecting_faces, d.degenerate_faces);
        let all: Vec<String> = flaws.into_iter().chain(polygons).collect();
        return Err(
            format!("{name}: {}; without --strict the file is read all the same", all.join("; ")).into()
        );
    }
    if let Some(out) = &arguments.convert {
        crate::output::write_by(out, |out| write_model(out, &model))?;
    }
    print_result(&answer, arguments.json, print_answer)?;
    if let Some(out) = arguments.convert.as_ref().filter(|_| !arguments.json) {
        print_line(&format!("written to {}", out.display()))?;
    }
    if arguments.view { view(name, parts(&model, &options)?, &answer, arguments) } else { Ok(()) }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Faces of all placed parts above which instances are examined once each, and not as one mesh.
const LARGE: usize = 1_000_000;

/// The named parts in common coordinates; one nameless soup becomes one part.
fn parts(model: &Model, options: &MeshOptions) -> Result<Vec<(String, Mesh)>, Failure> {
    if model.placed_faces() > MAX_PLACED_FACES {
        let faces = model.placed_faces();
        return Err(format!(
            "the parts have {faces} faces as they are placed; {MAX_PLACED_FACES} are the most"
        )
        .into());
    }
    let mut parts = Vec::new();
    for part in model.parts() {
        let part = part?;
        if part.soup.face_count() == 0 {
            continue;
        }
        let name = if part.name.is_empty() { "mesh".to_owned() } else { part.name.to_owned() };
        let mesh = Mesh::from_soup(&part.soup, options).map_err(|error| format!("part '{name}': {error}"))?;
        parts.push((name, mesh));
    }
    if parts.is_empty() {
        return Err("the file holds no faces".into());
    }
    Ok(parts)
}

/// The model with every soup's faces turned to agree.
fn oriented(model: &Model, options: &MeshOptions) -> Result<Model, Failure> {
    let mut result = Model::new();
    for soup in model.soups() {
        let soup = if soup.face_count() == 0 {
            PolygonSoup::new()
        } else {
            Mesh::from_soup(soup, options)?.oriented()?.mesh.to_soup()
        };
        result.push_soup(soup);
    }
    for node in model.nodes() {
        result.push_node(node.clone())?;
    }
    Ok(result)
}

fn answer(
    file: &str,
    model: &Model,
    parts: &[(String, Mesh)],
    options: &MeshOptions,
    density: f64,
) -> Result<Answer, Failure> {
    let mesh = Mesh::from_soup(&model.flattened()?, options)?;
    let half_edges = HalfEdges::new(&mesh);
    let diagnosis = Diagnosis::new(&mesh, &half_edges);
    let mass = MassProperties::of_mesh(&mesh, &half_edges, Amount::Density(density));
    let part_line = |(name, mesh): &(String, Mesh)| PartLine {
        name: name.clone(),
        faces: mesh.face_count(),
        watertight: Diagnosis::new(mesh, &HalfEdges::new(mesh)).watertight,
    };
    let parts = parts.iter().map(part_line).collect();
    Ok(Answer::new(file, diagnosis, mass.map_err(|error| error.to_string()), density, parts))
}

impl Answer {
    fn new(
        file: &str,
        diagnosis: Diagnosis,
        mass: Result<MassProperties, String>,
        density: f64,
        parts: Vec<PartLine>,
    ) -> Answer {
        Answer {
            file: file.to_owned(),
            bounds: Bounds { min: diagnosis.lower_bound, max: diagnosis.upper_bound },
            volume: mass.as_ref().ok().map(|mass| mass.mass / density),
            density,
            mass: mass.as_ref().ok().map(|mass| mass.mass),
            center_of_mass: mass.as_ref().ok().map(|mass| mass.center_of_mass),
            inertia: mass.as_ref().ok().map(|mass| mass.inertia.to_cols_array_2d()),
            mass_problem: mass.err(),
            findings: diagnosis.findings(),
            parts,
            diagnosis,
        }
    }
}

fn print_answer(answer: &Answer) -> Result<(), Failure> {
    let d = &answer.diagnosis;
    let vector = |v: DVec3| format!("{:.6}  {:.6}  {:.6}", v.x, v.y, v.z);
    print_line(&format!("{:18}{}", "file", answer.file))?;
    print_line(&format!(
        "{:18}{} vertices, {} faces, {} edges, {} components",
        "mesh", d.vertices, d.faces, d.edges, d.components
    ))?;
    print_line(&format!("{:18}{} m", "lower bound", vector(d.lower_bound)))?;
    print_line(&format!("{:18}{} m", "upper bound", vector(d.upper_bound)))?;
    print_line(&format!("{:18}{:.9} m²", "area", d.area))?;
    if let (Some(volume), Some(mass), Some(centre), Some(inertia)) =
        (answer.volume, answer.mass, answer.center_of_mass, answer.inertia)
    {
        print_line(&format!("{:18}{volume:.9} m³", "volume"))?;
        print_line(&format!("{:18}{mass:.9} kg at {} kg/m³", "mass", answer.density))?;
        print_line(&format!("{:18}{} m", "centre of mass", vector(centre)))?;
        for (row, label) in inertia.iter().zip(["inertia", "", ""]) {
            print_line(&format!("{label:18}{:13.6e} {:13.6e} {:13.6e} kg m²", row[0], row[1], row[2]))?;
        }
    }
    for finding in &answer.findings {
        print_line(finding)?;
    }
    if let Some(problem) = &answer.mass_problem {
        print_line(&format!("No mass properties: {problem}"))?;
    }
    if answer.parts.len() > 1 {
        print_line(&format!("{} parts:", answer.parts.len()))?;
        for part in &answer.parts {
            let state = if part.watertight { "watertight" } else { "open" };
            print_line(&format!("  {:32} {:>9} faces  {state}", part.name, part.faces))?;
        }
    }
    Ok(())
}

fn view(
    name: String,
    parts: Vec<(String, Mesh)>,
    answer: &Answer,
    arguments: &Arguments,
) -> Result<(), Failure> {
    const SCENE: &str = "mesh";
    let no_mass = answer.mass_problem.as_ref().map(|problem| format!("No mass properties: {problem}."));
    let about: Vec<String> = answer.findings.iter().cloned().chain(no_mass).collect();
    let count = answer.diagnosis.faces;
    let entry = Entry {
        name: SCENE.to_owned(),
        title: name,
        line: format!("{count} faces"),
        group: "Files".to_owned(),
        source: "File".to_owned(),
        size: format!("{} parts", parts.len()),
        about: about.join(" "),
        picture: String::new(),
        file: None,
        build: Box::new(move || Box::new(MeshView::new(&parts)) as Box<dyn Simulation>),
    };
    let listening =
        serve::Listening { open: arguments.open, ..serve::Listening::default() }.on_port(arguments.port);
    let store = Store::new(default_directory());
    serve::serve(Gallery::default().with(entry), &listening, store, &format!("#/scene/{SCENE}"))
}

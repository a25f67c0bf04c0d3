//! How time and memory grow with the size of a scene.

use crate::description::{self, Description};
use crate::engine::Contestant;
use crate::engines;
use crate::report::{Table, exponent};
use std::time::Duration;

/// Three sizes of one kind of scene.
struct Family {
    name: &'static str,
    scenes: Vec<Description>,
    steps: usize,
    contestants: Vec<Contestant>,
}

fn families(quick: bool) -> Result<Vec<Family>, String> {
    let gallery = Description::gallery;
    let bases: &[f64] = if quick { &[10.0, 20.0, 30.0] } else { &[25.0, 50.0, 100.0] };
    let trees = ["tree-63", "tree-127", "tree-255"];
    let pyramids: &[usize] = if quick { &[2, 3, 4] } else { &[4, 8, 14] };
    let grids: &[f64] = if quick { &[10.0, 20.0, 30.0] } else { &[25.0, 50.0, 100.0] };
    let all = |scenes: Result<Vec<Description>, String>| scenes;
    Ok(vec![
        Family {
            name: "large-pyramid",
            scenes: all(bases.iter().map(|base| gallery("large-pyramid", &[("base", *base)])).collect())?,
            steps: 30,
            contestants: engines::for_growth(),
        },
        Family {
            name: "many-pyramids",
            scenes: pyramids.iter().map(|count| description::many_pyramids(*count)).collect(),
            steps: 20,
            contestants: engines::for_growth(),
        },
        Family {
            name: "trees",
            scenes: all(trees.iter().map(|name| gallery(name, &[])).collect())?,
            steps: 120,
            contestants: engines::for_growth(),
        },
        Family {
            name: "joint-grid",
            scenes: all(grids.iter().map(|size| gallery("joint-grid", &[("size", *size)])).collect())?,
            steps: 10,
            contestants: engines::for_growth(),
        },
    ])
}

/// Milliseconds per step and bytes held.
fn measure(scene: &Description, contestant: &Contestant, steps: usize) -> Result<[f64; 2], String> {
    let before = crate::MEMORY.current_usage();
    let mut engine = (contestant.open)(scene)?;
    engine.steps(2)?;
    let mut time = Duration::ZERO;
    for _ in 0..4 {
        time += engine.steps(steps.div_ceil(4))?;
    }
    let bytes = crate::MEMORY.current_usage().saturating_sub(before);
    Ok([time.as_secs_f64() * 1e3 / (4 * steps.div_ceil(4)) as f64, bytes as f64])
}

/// Runs all, and writes the section.
pub fn section(quick: bool) -> Result<String, String> {
    let mut table = Table::new(&["family", "engine", "bodies", "ms per step", "exponent", "MB", "exponent"]);
    for family in families(quick)? {
        for contestant in &family.contestants {
            eprintln!("{}: {}", family.name, contestant.name);
            let (mut times, mut memories) = (Vec::new(), Vec::new());
            for scene in &family.scenes {
                let size = scene.movable().count() as f64;
                let [milliseconds, bytes] = measure(scene, contestant, family.steps)?;
                times.push([size, milliseconds]);
                memories.push([size, bytes]);
            }
            let list = |points: &[[f64; 2]], axis: usize, scale: f64, digits: usize| {
                let cells: Vec<String> =
                    points.iter().map(|p| format!("{:.digits$}", p[axis] * scale)).collect();
                cells.join(" / ")
            };
            let power =
                |points: &[[f64; 2]]| exponent(points).map_or("-".to_owned(), |power| format!("{power:.2}"));
            table.row(vec![
                family.name.to_owned(),
                contestant.name.to_owned(),
                list(&times, 0, 1.0, 0),
                list(&times, 1, 1.0, 3),
                power(&times),
                list(&memories, 1, 1e-6, 2),
                power(&memories),
            ]);
        }
    }
    Ok(format!(
        "## Growth\n\nThree sizes of a family; the exponent is that of the power law between the smallest and the largest. Memory is what the engine holds after some steps, of the engines that live in this process.\n\n{}",
        table.markdown()
    ))
}

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
    /// Steps before the clock starts, so that things touch.
    before: usize,
    steps: usize,
    contestants: Vec<Contestant>,
}

fn families(quick: bool) -> Result<Vec<Family>, String> {
    let sizes = |few: [usize; 3], many: [usize; 3]| if quick { few } else { many };
    let gallery = |name: &str, key: &str, sizes: [usize; 3]| -> Result<Vec<Description>, String> {
        sizes.iter().map(|size| Description::gallery(name, &[(key, *size as f64)])).collect()
    };
    let made = |sizes: [usize; 3], make: fn(usize) -> Description| sizes.map(make).to_vec();
    let trees = ["tree-63", "tree-127", "tree-255"].iter().map(|name| Description::gallery(name, &[]));
    let trees = trees.collect::<Result<Vec<_>, _>>()?;
    let grid = |size: usize| Description::gallery("joint-grid", &[("tilt", 0.0), ("size", size as f64)]);
    let grids = sizes([10, 20, 30], [25, 50, 100]).into_iter().map(grid).collect::<Result<Vec<_>, _>>()?;
    let pyramids = gallery("large-pyramid", "base", sizes([10, 20, 30], [25, 50, 100]))?;
    let funnels = gallery("funnel", "cubes", sizes([3, 4, 5], [4, 7, 10]))?;
    let funnels: Vec<Description> = funnels.into_iter().map(|funnel| funnel.stepped(1.0 / 60.0)).collect();
    let many = made(sizes([2, 3, 4], [4, 8, 14]), description::many_pyramids);
    let boxes = made(sizes([50, 100, 200], [200, 1000, 5000]), |count| description::closed_box(count, 30.0));
    let chains = made(sizes([16, 32, 64], [30, 100, 300]), description::chain);
    let family =
        |name, scenes, before, steps, contestants| Family { name, scenes, before, steps, contestants };
    Ok(vec![
        family("large-pyramid", pyramids, 2, 30, engines::for_growth()),
        family("many-pyramids", many, 2, 20, engines::for_growth()),
        family("funnel, after 2 s", funnels, 120, 20, engines::for_growth()),
        family("closed box, continuous", boxes, 2, 10, engines::for_growth_of_fast()),
        family("trees", trees, 2, 120, engines::for_growth_of_joints()),
        family("chains", chains, 2, 120, engines::for_growth_of_joints()),
        family("joint-grid", grids, 2, 8, engines::for_growth()),
    ])
}

/// Milliseconds per step and bytes held.
fn measure(
    scene: &Description,
    contestant: &Contestant,
    [before, steps]: [usize; 2],
) -> Result<[f64; 2], String> {
    let empty = crate::MEMORY.current_usage();
    let mut engine = (contestant.open)(scene)?;
    engine.steps(before)?;
    let mut time = Duration::ZERO;
    for _ in 0..4 {
        time += engine.steps(steps.div_ceil(4))?;
    }
    let bytes = crate::MEMORY.current_usage().saturating_sub(empty);
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
                let [milliseconds, bytes] = measure(scene, contestant, [family.before, family.steps])?;
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

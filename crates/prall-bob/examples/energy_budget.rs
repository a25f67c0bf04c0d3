//! Where the energy of a run goes: `cargo run --release --example energy_budget -- whistler-like [law.runner.along=0.005 ...]`.
//!
//! Counted from where the crew sits to the finish. Height that was lost and speed that was brought along on one side; drag, gliding, what the track's file adds to it, and what is left, on the other: slip of
//! the runners (steering, skids), bumpers, dampers. All as heads in m: energy over weight.

use prall_bob::pilot::{PilotOptions, Plan, PlanOptions};
use prall_bob::run::{Conditions, Course, Hands, Run, STEP};
use prall_bob::sled::{GRAVITY, SetupText, TWO_MAN};
use prall_bob::track::{Ice, PointMassStart, Track};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or("whistler-like".to_owned());
    let track = Track::open(&name, "standard")?;
    let changes: Vec<String> = std::env::args().skip(2).collect();
    let setup = SetupText::read("two-man", TWO_MAN)?
        .with(changes.iter().filter_map(|change| change.split_once('=')))?
        .setup()
        .clone();
    let ice = Ice::new(&track);
    let plan = Plan::new(&track, &ice, PointMassStart::Pushed, PlanOptions::default());
    let course = Course { track, ice, plan };
    let mut run = Run::new(&course, &setup, PilotOptions::default(), Conditions::default())?;
    let weight = setup.mass() * -GRAVITY.y;
    let (glide, resistance) = (setup.runner_friction().0, course.track.resistance());
    let (mut drag, mut gliding, mut ice_takes, mut path) = (0.0, 0.0, 0.0, 0.0);
    let (mut load, mut time) = (0.0, 0.0);
    let mut begin = None;
    while run.result().time.is_none() && run.step(&Hands::Pilot) {
        let sled = run.sled();
        // While the crew pushes its work would count too.
        if run.station() < course.track.start().s_load {
            continue;
        }
        let energy = || sled.tree().kinetic_energy() / weight;
        let height = || sled.centre_of_mass().y;
        begin.get_or_insert_with(|| (energy(), height()));
        let speed = sled.velocity().length();
        path += speed * STEP;
        time += STEP;
        load += sled.normal_force() / weight * speed * STEP;
        drag += setup.drag(speed) * speed * STEP / weight;
        gliding += glide * sled.normal_force() * speed * STEP / weight;
        ice_takes += resistance * sled.normal_force() * speed * STEP / weight;
    }
    let (kinetic, height) = begin.ok_or("the crew never sat")?;
    let sled = run.sled();
    let dropped = height - sled.centre_of_mass().y;
    let at_the_end = sled.tree().kinetic_energy() / weight;
    let rest = dropped + kinetic - at_the_end - drag - gliding - ice_takes;
    println!("{name}: {time:.2} s, way of the hull {path:.0} m, mean load over the way {:.2} g", load / path);
    println!("  since the crew sits: dropped {dropped:6.1} m, brought along {kinetic:5.1} m");
    println!("  to the finish: kinetic {at_the_end:6.1} m");
    println!(
        "  drag {drag:6.1} m, gliding {gliding:5.1} m (coefficient {glide}), what the track adds {ice_takes:5.1} m ({resistance})"
    );
    println!("  the rest, slip, bumpers and dampers: {rest:5.1} m");
    println!("  {:?}", run.result());
    Ok(())
}

//! A run of the two-man sled, and how fast it is computed: `cargo run --release --example run_times -- whistler-like verbose`.

use std::time::Instant;

use prall_bob::pilot::{PilotOptions, Plan, PlanOptions};
use prall_bob::run::{Conditions, Course, Run};
use prall_bob::sled::{Setup, TWO_MAN};
use prall_bob::track::{Ice, PointMassStart, Track};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or("whistler-like".to_owned());
    let track = match Track::known_text(&name) {
        Some(_) => Track::open(&name, "standard")?,
        None => Track::read(&name, &std::fs::read_to_string(&name)?)?,
    };
    let begin = Instant::now();
    let ice = Ice::new(&track);
    println!("ice {:.2} s", begin.elapsed().as_secs_f64());
    let begin = Instant::now();
    let plan = Plan::new(&track, &ice, PointMassStart::Pushed, PlanOptions::default());
    println!("plan {:.2} s", begin.elapsed().as_secs_f64());
    let course = Course { track, ice, plan };
    let setup = Setup::read("two-man", TWO_MAN)?;
    let mut run = Run::new(&course, &setup, PilotOptions::default(), Conditions::default())?;
    let verbose = std::env::args().nth(2).is_some();
    let begin = Instant::now();
    let mut looks = 0;
    while run.look() {
        looks += 1;
        if verbose && looks % 10 == 0 && run.result().crash.is_none() {
            let [across, rate, push] = run.pilot().seen();
            println!(
                "s {:7.1}  v {:5.1}  across {across:6.2}  rate {rate:6.2}  push {push:5.2}  beta {:5.2}  load {:5.2} g  hits {}",
                run.station(),
                run.sled().velocity().length(),
                run.sled().steering().to_degrees(),
                run.sled().normal_force() / run.sled().mass() / 9.81,
                run.result().bumper_hits
            );
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let result = run.finish();
    println!("{result:#?}");
    println!(
        "{:.1} times real time, {:.3} ms for 83 steps, {:.1} sweeps a step",
        result.simulated / seconds,
        83e3 * seconds / result.steps as f64,
        result.sweeps as f64 / result.steps as f64
    );
    Ok(())
}

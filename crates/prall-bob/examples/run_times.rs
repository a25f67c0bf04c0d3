//! A run of the two-man sled, and how fast it is computed: `cargo run --release --example run_times -- whistler-like verbose`.

use std::time::Instant;

use prall_bob::pilot::{PilotOptions, Plan, PlanOptions};
use prall_bob::run::{Conditions, Course, Hands, Run};
use prall_bob::sled::{Setup, TWO_MAN};
use prall_bob::track::{Ice, PointMassStart, Track};

/// Steps of a picture at 60 Hz.
const STEPS: u32 = 83;

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
    let mut pictures = Vec::new();
    let mut goes_on = true;
    while goes_on {
        let picture = Instant::now();
        for _ in 0..STEPS {
            goes_on = goes_on && run.step(&Hands::Pilot);
        }
        pictures.push(picture.elapsed().as_secs_f64() * 1e3);
        if verbose && pictures.len() % 6 == 0 && run.result().crash.is_none() {
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
    let result = run.into_result();
    println!("{result:#?}");
    pictures.sort_by(f64::total_cmp);
    let share = |share: f64| pictures[((pictures.len() - 1) as f64 * share) as usize];
    println!(
        "{:.1} times real time; {STEPS} steps: {:.3} ms in the mean, half of them within {:.3} ms, 99 % within {:.3} ms; {:.1} sweeps a step",
        result.simulated / seconds,
        1e3 * f64::from(STEPS) * seconds / result.steps as f64,
        share(0.5),
        share(0.99),
        result.sweeps as f64 / result.steps as f64
    );
    Ok(())
}

//! Searches a steering line that beats the pilot: `cargo run --release --example faster_line -- whistler-like 200`.

use prall_bob::pilot::{
    OptimiserOptions, OptimiserTask, PilotOptions, Plan, PlanOptions, SteeringLine, optimise,
};
use prall_bob::run::{Conditions, Course};
use prall_bob::sled::{Setup, TWO_MAN};
use prall_bob::track::{Ice, PointMassStart, Track};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or("whistler-like".to_owned());
    let candidates = std::env::args().nth(2).map_or(Ok(200), |text| text.parse())?;
    let track = Track::open(&name, "standard")?;
    let ice = Ice::new(&track);
    let plan = Plan::new(&track, &ice, PointMassStart::Pushed, PlanOptions::default());
    let course = Course { track, ice, plan };
    let setup = Setup::read("two-man", TWO_MAN)?;
    let (pilot, conditions) = (PilotOptions::default(), Conditions::default());
    let task = OptimiserTask { course: &course, setup: &setup, pilot, conditions, mesh: None };
    let line = SteeringLine::straight(40.0, course.track.finish(), 15.0);
    let options = OptimiserOptions { candidates, ..OptimiserOptions::default() };
    let pool = rayon::ThreadPoolBuilder::new().build()?;
    let found = optimise(&task, line, &options, &pool, |driven, time| println!("{driven:4} {time:.3} s"))?;
    println!("{:.3} s instead of {:.3} s", found.time, found.before);
    for [s, angle] in found.line.knots().iter().filter(|knot| knot[1] != 0.0) {
        println!("s {s:7.1} m  {:6.2} degrees", angle.to_degrees());
    }
    Ok(())
}

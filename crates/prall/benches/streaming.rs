//! What it costs to show 1000 bodies that all move, 60 times a second: the share of a core that the session and the server
//! take together, without the simulation itself. Aim: less than a tenth.
//!
//! Linux only: it reads the time of each thread from /proc.

use futures_util::StreamExt;
use prall::math::Pose;
use prall::scenes::{
    Assets, Budget, Frame, Input, Parameter, ParameterError, RestoreError, Simulation, Solver, StepReport,
    UnknownSolver,
};
use prall::server::{Entry, Gallery, Options, Server};
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::Message;

const BODIES: usize = 1000;
const SECONDS: f64 = 5.0;

/// Bodies that slide along x: as cheap as moving can be.
struct Sliding {
    assets: Assets,
    report: StepReport,
    steps: u64,
}

impl Simulation for Sliding {
    fn step(&mut self, _: &Input, _: &mut Budget) -> &StepReport {
        self.steps += 1;
        &self.report
    }
    fn report(&self) -> &StepReport {
        &self.report
    }
    fn time(&self) -> f64 {
        self.steps as f64 * self.time_step()
    }
    fn time_step(&self) -> f64 {
        1.0 / 60.0
    }
    fn reset(&mut self) {
        self.steps = 0;
    }
    fn assets(&self) -> &Assets {
        &self.assets
    }
    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        let place = |i: usize| glam::DVec3::new(self.time() + i as f64, 1.0, 2.0);
        frame.poses.extend((0..BODIES).map(|i| Pose::from_translation(place(i))));
    }
    fn parameters(&self) -> &'static [Parameter] {
        &[]
    }
    fn get(&self, _: &str) -> Option<f64> {
        None
    }
    fn set(&mut self, key: &str, _: f64) -> Result<(), ParameterError> {
        Err(ParameterError::Unknown { key: key.to_owned(), known: String::new() })
    }
    fn solvers(&self) -> &'static [Solver] {
        &[]
    }
    fn solver(&self) -> &'static str {
        ""
    }
    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver> {
        Err(UnknownSolver { name: name.to_owned(), known: String::new() })
    }
    /// As large as that of 1000 bodies: pose and velocity of each.
    fn save(&self) -> Vec<u8> {
        vec![0; BODIES * 13 * 8]
    }
    fn restore(&mut self, _: &[u8]) -> Result<(), RestoreError> {
        Ok(())
    }
    fn hash(&self) -> u64 {
        self.steps
    }
    fn is_finite(&self) -> bool {
        true
    }
}

fn gallery() -> Gallery {
    let assets = prall::scenes::open("bouncing-ball").expect("the scene is there").assets().clone();
    let build = move || {
        let mut assets = assets.clone();
        assets.bodies = vec![assets.bodies[0].clone(); BODIES];
        Box::new(Sliding { assets, report: StepReport::default(), steps: 0 }) as Box<dyn Simulation>
    };
    let text = |text: &str| text.to_owned();
    Gallery::default().with(Entry {
        name: text("sliding"),
        title: text("Sliding"),
        line: text("Slides"),
        group: text("Benchmarks"),
        source: text("Benchmarks"),
        size: text("1000 bodies"),
        about: text("Everything moves."),
        picture: String::new(),
        file: None,
        build: Box::new(build),
    })
}

/// Seconds that the threads of the server have computed.
fn busy() -> f64 {
    let ticks = |stat: &str| -> Option<f64> {
        let (head, tail) = stat.rsplit_once(") ")?;
        let name = head.split_once('(')?.1;
        let fields: Vec<&str> = tail.split(' ').collect();
        let time = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
        (name == "prall-session" || name == "prall-server").then_some(time)
    };
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    // A tick is a hundredth of a second on every Linux.
    tasks.filter_map(|task| ticks(&std::fs::read_to_string(task.path().join("stat")).ok()?)).sum::<f64>()
        / 100.0
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn main() {
    let (tell, told) = std::sync::mpsc::channel();
    let work = move || {
        runtime().block_on(async {
            let server = Server::bind(gallery(), Options::default()).await.expect("a free port");
            tell.send(server.address()).expect("somebody waits");
            server.run(std::future::pending()).await.expect("it runs");
        });
    };
    std::thread::Builder::new().name("prall-server".to_owned()).spawn(work).expect("a thread");
    let address = told.recv().expect("the server starts");
    let (frames, bytes, elapsed, used) = runtime().block_on(async {
        let (mut socket, _) = tokio_tungstenite::connect_async(format!("ws://{address}/ws?scene=sliding"))
            .await
            .expect("a connection");
        socket.next().await;
        let (begin, before) = (Instant::now(), busy());
        let (mut frames, mut bytes) = (0, 0);
        while begin.elapsed() < Duration::from_secs_f64(SECONDS) {
            if let Some(Ok(Message::Binary(frame))) = socket.next().await {
                frames += 1;
                bytes += frame.len();
            }
        }
        (frames, bytes, begin.elapsed().as_secs_f64(), busy() - before)
    });
    println!(
        "{BODIES} moving bodies: {:.1} frames/s, {:.2} MB/s, {:.1} % of a core",
        frames as f64 / elapsed,
        bytes as f64 / elapsed / 1e6,
        100.0 * used / elapsed
    );
}

//! One running simulation on a thread of its own.

use super::message::{self, Numbered, Phases, Reply, Report, Request, Steering};
use super::pacing::Pacing;
use super::{Entry, Sessions};
use crate::moment::{Flags, Moment};
use glam::DVec3;
use prall_math::Pose;
use prall_scenes::{Budget, Frame, Input, PhaseTimes, Ray, Simulation};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// Time between frames.
const FRAME: Duration = Duration::from_nanos(16_666_667);

/// Share of a frame's time that steps may use; the rest is for messages.
const BUSY: f64 = 0.9;

/// Time between reports.
const REPORT: Duration = Duration::from_millis(100);

/// A session without viewers ends after this time.
const ALONE: Duration = Duration::from_secs(10);

/// Slowest and fastest simulated seconds per second.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

/// A connection's number.
pub(super) type Client = u64;

/// What connections tell the session.
pub(super) enum Command {
    Join { client: Client, texts: mpsc::Sender<String> },
    Say { client: Client, message: Numbered },
    Leave { client: Client },
}

/// The newest frame and what it acknowledges.
#[derive(Clone, Debug, Default)]
pub(super) struct Published {
    /// The newest moment of each track.
    pub(super) tracks: Vec<(u32, Arc<Moment>)>,
    pub(super) acknowledged: Vec<(Client, u32)>,
}

impl Published {
    /// The largest number of this client's requests that the frame has seen.
    pub(super) fn acknowledged(&self, client: Client) -> u32 {
        self.acknowledged.iter().find(|(c, _)| *c == client).map_or(0, |(_, id)| *id)
    }
}

struct Viewer {
    client: Client,
    texts: mpsc::Sender<String>,
    acknowledged: u32,
}

/// Sums over the steps since the last report.
#[derive(Default)]
struct Sums {
    steps: u64,
    busy: Duration,
    phases: PhaseTimes,
    lost_time: f64,
    budget_cut: bool,
    position_error: f64,
    velocity_error: f64,
}

/// The simulation, who watches it and how it runs.
pub(super) struct Session {
    name: String,
    entry: Arc<Entry>,
    simulation: Box<dyn Simulation>,
    running: bool,
    pacing: Pacing,
    viewers: Vec<Viewer>,
    alone_since: Instant,
    /// Who holds a body, and where the hand is.
    hand: Option<(Client, Pose)>,
    notice: Option<String>,
    number: u32,
    frame: Frame,
    frames: watch::Sender<Published>,
    sums: Sums,
    reported: Instant,
    reported_time: f64,
    changed: bool,
}

impl Session {
    pub(super) fn new(
        name: String,
        entry: Arc<Entry>,
        simulation: Box<dyn Simulation>,
        frames: watch::Sender<Published>,
    ) -> Session {
        let now = Instant::now();
        Session {
            name,
            entry,
            simulation,
            running: true,
            pacing: Pacing::new(now),
            viewers: Vec::new(),
            alone_since: now,
            hand: None,
            notice: None,
            number: 0,
            frame: Frame::default(),
            frames,
            sums: Sums::default(),
            reported: now,
            reported_time: 0.0,
            changed: true,
        }
    }

    /// Runs until nobody has watched for a while.
    pub(super) fn run(mut self, commands: &Receiver<Command>, sessions: &Sessions) {
        let mut next = Instant::now();
        loop {
            let wait = if self.running { next.saturating_duration_since(Instant::now()) } else { ALONE / 10 };
            match commands.recv_timeout(wait) {
                Ok(command) => {
                    self.obey(command);
                    // A paused session answers at once; a running one with its next frame.
                    if !self.running && self.changed {
                        self.publish();
                    }
                    if self.running && Instant::now() < next {
                        continue;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.running {
                self.advance();
                self.publish();
                // Missed frames are not made up for.
                next = (next + FRAME).max(Instant::now());
            }
            if self.viewers.is_empty() && self.alone_since.elapsed() > ALONE {
                match sessions.close(&self.name, commands) {
                    Ok(()) => return,
                    Err(join) => self.obey(join),
                }
            }
        }
    }

    /// Takes the steps that are due, as far as a frame's time allows.
    fn advance(&mut self) {
        let begin = Instant::now();
        self.pacing.tick(begin);
        let step = self.simulation.time_step();
        while self.running
            && begin.elapsed().as_secs_f64() < BUSY * FRAME.as_secs_f64()
            && self.pacing.take(step)
        {
            self.step();
        }
        if self.reported.elapsed() >= REPORT {
            self.report();
        }
    }

    fn step(&mut self) {
        let begin = Instant::now();
        let input = Input { hand: self.hand.map(|(_, pose)| pose) };
        let report = self.simulation.step(&input, &mut Budget::unlimited());
        let sums = &mut self.sums;
        sums.steps += 1;
        sums.busy += begin.elapsed();
        sums.phases.detect += report.phases.detect;
        sums.phases.contacts += report.phases.contacts;
        sums.phases.solve += report.phases.solve;
        sums.phases.commit += report.phases.commit;
        sums.lost_time += report.lost_time;
        sums.budget_cut |= report.budget_cut;
        sums.position_error = sums.position_error.max(report.position_error);
        sums.velocity_error = sums.velocity_error.max(report.velocity_error);
        if !self.simulation.is_finite() {
            self.running = false;
            self.notice =
                Some("Paused: the state is no longer a number. Reset the scene to go on.".to_owned());
            self.tell_state();
        }
    }

    fn report(&mut self) {
        let elapsed = self.reported.elapsed().as_secs_f64();
        let sums = std::mem::take(&mut self.sums);
        let time = self.simulation.time();
        let report = Report {
            track: 0,
            time,
            steps: sums.steps,
            step_ms: sums.busy.as_secs_f64() * 1000.0 / sums.steps.max(1) as f64,
            aim_ms: self.simulation.time_step() * 1000.0 / self.pacing.speed,
            phases: Phases::mean(&sums.phases, sums.steps),
            real_time_factor: (time - self.reported_time) / elapsed,
            contacts: self.simulation.report().contacts,
            position_error: sums.position_error,
            velocity_error: sums.velocity_error,
            lost_time: sums.lost_time,
            budget_cut: sums.budget_cut,
            energy: self.simulation.energy(),
        };
        self.reported = Instant::now();
        self.reported_time = time;
        self.tell(&Reply::Report(report));
    }

    fn publish(&mut self) {
        self.simulation.frame(&mut self.frame);
        self.number = self.number.wrapping_add(1);
        let flags = Flags {
            running: self.running,
            slowed: self.running && self.pacing.slowed(Instant::now()),
            held: self.hand.is_some(),
            ..Flags::default()
        };
        let moment = Moment::new(self.number, self.simulation.time(), flags, &self.frame);
        self.changed = false;
        self.frames.send_replace(Published {
            tracks: vec![(0, Arc::new(moment))],
            acknowledged: self.viewers.iter().map(|viewer| (viewer.client, viewer.acknowledged)).collect(),
        });
    }

    fn obey(&mut self, command: Command) {
        self.changed = true;
        match command {
            Command::Join { client, texts } => {
                let viewer = Viewer { client, texts, acknowledged: 0 };
                let hello =
                    message::hello(&self.name, &self.entry, self.simulation.as_ref(), &self.steering());
                send(&viewer, hello);
                self.viewers.push(viewer);
            }
            Command::Leave { client } => self.leave(client),
            Command::Say { client, message } => {
                if let Some(viewer) = self.viewers.iter_mut().find(|viewer| viewer.client == client) {
                    viewer.acknowledged = viewer.acknowledged.max(message.id.unwrap_or(0));
                }
                if let Err(sentence) = self.carry_out(client, message.request) {
                    self.tell_one(client, &Reply::Error { message: sentence });
                }
            }
        }
    }

    fn leave(&mut self, client: Client) {
        self.viewers.retain(|viewer| viewer.client != client);
        if self.hand.is_some_and(|(holder, _)| holder == client) {
            self.let_go();
        }
        self.alone_since = Instant::now();
    }

    fn carry_out(&mut self, client: Client, request: Request) -> Result<(), String> {
        match request {
            Request::Play {} => self.set_running(true),
            Request::Pause {} => self.set_running(false),
            Request::Step {} => {
                self.set_running(false);
                self.step();
                self.report();
            }
            Request::Reset {} => {
                self.let_go();
                self.simulation.reset();
                self.notice = None;
                self.pacing.restart(Instant::now());
                self.reported_time = 0.0;
                self.tell_state();
            }
            Request::Speed { value } => {
                if !SPEEDS.contains(&value) {
                    return Err(format!(
                        "the speed must be from {} to {}, not {value}",
                        SPEEDS.start(),
                        SPEEDS.end()
                    ));
                }
                self.pacing.speed = value;
                self.tell_state();
            }
            Request::Set { parameter, value } => {
                self.simulation.set(&parameter, value).map_err(|error| error.to_string())?;
                self.tell_state();
            }
            Request::Solver { name } => {
                self.simulation.select_solver(&name).map_err(|error| error.to_string())?;
                self.tell_state();
            }
            Request::Grab { origin, direction } => self.grab(client, origin, direction)?,
            Request::Pull { point } => {
                let point = DVec3::from_array(point);
                if !point.is_finite() {
                    return Err("a point must be three finite numbers".to_owned());
                }
                if let Some((_, pose)) = self.hand.as_mut().filter(|(holder, _)| *holder == client) {
                    *pose = Pose::from_translation(point);
                }
            }
            Request::Release {} => {
                if self.hand.is_some_and(|(holder, _)| holder == client) {
                    self.let_go();
                }
            }
        }
        Ok(())
    }

    fn grab(&mut self, client: Client, origin: [f64; 3], direction: [f64; 3]) -> Result<(), String> {
        let ray = Ray::new(DVec3::from_array(origin), DVec3::from_array(direction))
            .map_err(|error| error.to_string())?;
        if self.hand.is_some_and(|(holder, _)| holder != client) {
            self.tell_one(client, &Reply::Grip { body: None, point: None });
            return Err("another viewer holds a body; wait until it is let go".to_owned());
        }
        let grip = self.simulation.grab(&ray);
        self.hand = None;
        if let Some(grip) = grip {
            self.simulation.frame(&mut self.frame);
            let at = self.frame.poses.get(grip.body).copied().unwrap_or_default().transform_point(grip.point);
            self.hand = Some((client, Pose::from_translation(at)));
        }
        let (body, point) = (grip.map(|grip| grip.body), grip.map(|grip| grip.point.to_array()));
        self.tell_one(client, &Reply::Grip { body, point });
        Ok(())
    }

    fn let_go(&mut self) {
        self.simulation.release();
        self.hand = None;
    }

    fn set_running(&mut self, running: bool) {
        if running && !self.simulation.is_finite() {
            self.tell_state();
            return;
        }
        if running != self.running {
            self.running = running;
            let now = Instant::now();
            self.pacing.restart(now);
            self.reported = now;
            self.reported_time = self.simulation.time();
        }
        self.tell_state();
    }

    fn steering(&self) -> Steering {
        let simulation = self.simulation.as_ref();
        let values: BTreeMap<_, _> =
            simulation.parameters().iter().filter_map(|p| Some((p.key, simulation.get(p.key)?))).collect();
        Steering {
            running: self.running,
            speed: self.pacing.speed,
            solver: simulation.solver(),
            values,
            notice: self.notice.clone(),
        }
    }

    fn tell_state(&mut self) {
        let steering = self.steering();
        self.tell(&Reply::State(&steering));
    }

    fn tell(&mut self, reply: &Reply) {
        let text = reply.to_text();
        self.viewers.retain(|viewer| send(viewer, text.clone()));
    }

    fn tell_one(&mut self, client: Client, reply: &Reply) {
        self.viewers.retain(|viewer| viewer.client != client || send(viewer, reply.to_text()));
    }
}

/// Never waits: a viewer whose queue is full, or who is gone, is dropped, and its connection closes.
fn send(viewer: &Viewer, text: String) -> bool {
    viewer.texts.try_send(text).is_ok()
}

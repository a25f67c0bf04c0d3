//! [`Session`]: what some viewers see and steer, on a thread of its own.

mod follow;
mod push;
pub(super) mod rehearsal;
mod steer;
mod tracked;

use super::Sessions;
use super::devices::HandDevices;
use super::gallery::Item;
use super::leads::{Lead, Leads};
use super::live::Live;
use super::message::{
    DriveItem, Hello, Limits, Numbered, RecordingItem, Reply, Role, SnapshotItem, Steering,
};
use super::outbox::{Outbox, Topic};
use super::pacing::{Beat, FRAME, Pacing};
use super::track::{Content, Track};
use crate::appearance::Appearance;
use crate::moment::{Flags, Moment, PROTOCOL};
use crate::recording::{Player, Recorder, Recording, Store};
use crate::report::Range;
use follow::Following;
use glam::DVec3;
use prall_math::Pose;
use prall_scenes::{Budget, ControlValues, Frame, Input, Overlay, OverlaySelection, Simulation};
use push::Push;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tracked::TrackedHand;

/// Share of a frame's time that steps may use; the rest is for messages.
const BUSY: f64 = 0.9;

/// Time between reports.
const REPORT: Duration = Duration::from_millis(100);

/// What a recording can show of the mechanics.
const RECORDED_OVERLAYS: &[Overlay] = &[Overlay::Contacts, Overlay::Forces, Overlay::Velocities];

/// A recording ends by itself at this size, and warns at four fifths of it.
const RECORDING_LIMIT: u64 = 1 << 30;

/// Without viewers time stands still after this time.
const STILL: Duration = Duration::from_secs(10);

/// Without viewers a session ends after this time.
const ALONE: Duration = Duration::from_secs(310);

/// A connection's number.
pub(super) type Client = u64;

/// What connections, and helpers of the session itself, tell it.
pub(super) enum Command {
    Join {
        client: Client,
        outbox: Outbox,
    },
    Say {
        client: Client,
        message: Numbered,
        ticket: Ticket,
    },
    Leave {
        client: Client,
    },
    /// A recording that was asked for as a ghost.
    Ghost {
        client: Client,
        name: String,
        offset: f64,
        recording: Box<Result<Recording, String>>,
    },
    /// Another session needs the place of this one, which nobody watches.
    End,
}

/// Counts a message for as long as it waits.
pub(super) struct Ticket(Arc<AtomicUsize>);

impl Ticket {
    pub(super) fn new(waiting: &Arc<AtomicUsize>) -> Ticket {
        waiting.fetch_add(1, Ordering::Relaxed);
        Ticket(Arc::clone(waiting))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The newest frames and what they acknowledge.
#[derive(Clone, Debug, Default)]
pub(super) struct Published {
    /// The newest moment of each track.
    pub(super) tracks: Vec<(u32, Arc<Moment>)>,
    /// The newest reports, as texts. They go with the frames, so that a slow page gets the newest of both.
    pub(super) reports: Arc<Reports>,
    pub(super) acknowledged: Vec<(Client, u32)>,
}

impl Published {
    /// The number that the frames of all tracks have in common.
    pub(super) fn number(&self) -> u32 {
        self.tracks.first().map_or(0, |(_, moment)| moment.number)
    }

    /// The largest number of this client's requests that the frame has seen.
    pub(super) fn acknowledged(&self, client: Client) -> u32 {
        self.acknowledged.iter().find(|(c, _)| *c == client).map_or(0, |(_, id)| *id)
    }
}

/// The reports of one moment, one for each simulated track.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// Grows with each of them.
    pub(super) number: u64,
    pub(super) texts: Vec<String>,
}

/// How each track looks, for those who ask for geometry.
pub(super) type Appearances = Arc<Mutex<HashMap<u32, Arc<Appearance>>>>;

/// What a session is opened with.
#[derive(Clone)]
pub(super) enum Source {
    Scene(Arc<Item>),
    Recording(String),
}

/// What a session shares with the server.
#[derive(Clone)]
pub(super) struct Surroundings {
    pub(super) store: Store,
    pub(super) pool: Arc<rayon::ThreadPool>,
    pub(super) commands: Sender<Command>,
    /// Differs from start to start of the server.
    pub(super) server: Arc<str>,
    pub(super) appearances: Appearances,
    pub(super) devices: Arc<HandDevices>,
    pub(super) leads: Arc<Leads>,
}

struct Viewer {
    client: Client,
    outbox: Outbox,
    acknowledged: u32,
    wanted: OverlaySelection,
}

/// A body in somebody's hand.
#[derive(Clone, Copy)]
struct Hand {
    holder: Client,
    pose: Pose,
    /// Where the body was when it was taken, and the hand then.
    body: Pose,
    point: DVec3,
    /// It moves by a velocity.
    push: Option<Push>,
}

/// Somebody who drives, and where the controls are.
#[derive(Clone, Copy)]
struct Driver {
    client: Client,
    values: ControlValues,
}

/// A state that is kept under a name.
struct Snapshot {
    name: String,
    time: f64,
    state: Vec<u8>,
}

/// Tracks, who watches them and how they run.
pub(super) struct Session {
    name: String,
    /// Differs from every other session's, also of the same name.
    instance: String,
    source: Source,
    surroundings: Surroundings,
    /// The first is what the session is about.
    tracks: Vec<Track>,
    next_track: u32,
    running: bool,
    pacing: Pacing,
    beat: Beat,
    viewers: Vec<Viewer>,
    alone_since: Instant,
    hand: Option<Hand>,
    tracked: TrackedHand,
    /// Its place among the sessions that can be followed, and the one that it follows itself.
    lead: Lead,
    following: Option<Following>,
    driver: Option<Driver>,
    limits: Limits,
    snapshots: Vec<Snapshot>,
    notice: Option<String>,
    /// Which edition of its scene file is shown, and what was last wrong with that file.
    edition: u64,
    complaint: Option<String>,
    number: u32,
    frame: Frame,
    frames: watch::Sender<Published>,
    reports: Arc<Reports>,
    /// When the session began: its reports carry the time since.
    begun: Instant,
    reported: Instant,
    reported_time: f64,
    changed: bool,
}

impl Session {
    /// Builds the scene or reads the recording; the error is a sentence.
    pub(super) fn open(
        name: String,
        source: Source,
        surroundings: Surroundings,
        frames: watch::Sender<Published>,
    ) -> Result<Session, String> {
        let track = match &source {
            Source::Scene(entry) => {
                let mut simulation = entry.build();
                simulation.use_pool(&surroundings.pool);
                Track::live(0, Role::Main, Live::new(simulation))
            }
            Source::Recording(file) => {
                let recording = surroundings.store.read(file)?;
                Track::recording(0, Role::Main, file.clone(), Player::new(recording), 0.0)
            }
        };
        let edition = match &source {
            Source::Scene(entry) => entry.file().map_or(0, |file| file.look().0),
            Source::Recording(_) => 0,
        };
        let now = Instant::now();
        let mut session = Session {
            lead: Lead::new(&surroundings.leads, &name),
            following: None,
            name,
            instance: super::token::random(),
            source,
            surroundings,
            tracks: Vec::new(),
            next_track: 1,
            running: true,
            pacing: Pacing::new(now),
            beat: Beat::new(now),
            viewers: Vec::new(),
            alone_since: now,
            hand: None,
            tracked: TrackedHand::default(),
            driver: None,
            limits: Limits::default(),
            snapshots: Vec::new(),
            notice: None,
            edition,
            complaint: None,
            number: 0,
            frame: Frame::default(),
            frames,
            reports: Arc::default(),
            begun: now,
            reported: now,
            reported_time: track.time(),
            changed: true,
        };
        session.add_track(track);
        Ok(session)
    }

    /// Tells everybody who wanted to join why there is nothing to join.
    pub(super) fn refuse(sentence: &str, commands: &Receiver<Command>) {
        for command in commands.try_iter() {
            if let Command::Join { outbox, .. } = command {
                outbox.send(Topic::Answer, Reply::Error { message: sentence.to_owned() }.to_text());
            }
        }
    }

    /// Runs until nobody has watched for a while.
    pub(super) fn run(mut self, commands: &Receiver<Command>, sessions: &Sessions) {
        loop {
            self.follow_file();
            if !self.running && self.changed {
                self.publish();
            }
            let active = self.running && !(self.viewers.is_empty() && self.alone_since.elapsed() > STILL);
            let wait = if active { self.beat.wait(Instant::now(), &self.pacing) } else { STILL / 10 };
            match commands.recv_timeout(wait) {
                Ok(Command::End) => {
                    self.stop_recording();
                    return;
                }
                Ok(command) => {
                    self.obey(command);
                    // A paused session answers at once; a running one with its next frame, which comes at once if a hand has moved.
                    if !self.running && self.changed {
                        self.publish();
                    }
                    // What else waits belongs to the same answer, as long as it does not hold up the frames.
                    if self.running && !self.beat.is_late(Instant::now()) {
                        continue;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if active {
                self.advance();
                // A frame that acknowledges a hand has a step that has seen it.
                if self.changed && !(self.running && self.beat.is_hurried()) {
                    self.publish();
                }
            }
            if self.viewers.is_empty() && self.alone_since.elapsed() > ALONE {
                match sessions.close(&self.name, commands) {
                    Ok(()) => {
                        self.stop_recording();
                        return;
                    }
                    Err(join) => self.obey(join),
                }
            }
        }
    }

    /// Takes the steps that are due, as far as a frame's time allows.
    fn advance(&mut self) {
        let begin = Instant::now();
        self.pacing.tick(begin);
        let step = self.tracks[0].time_step();
        if self.following.is_some() {
            self.follow_leader();
        }
        while self.running
            && self.following.is_none()
            && begin.elapsed().as_secs_f64() < BUSY * FRAME.as_secs_f64()
            && self.pacing.take(step)
        {
            self.step();
            self.beat.stepped();
        }
        if self.running && self.following.is_none() && self.beat.take_for_hand(&mut self.pacing, step) {
            self.step();
        }
        self.beat.passed(Instant::now());
        if self.reported.elapsed() >= REPORT {
            self.limit_recording();
            self.report();
        }
    }

    /// Nobody wants a full disk: says so in time, and then ends the recording.
    fn limit_recording(&mut self) {
        let Content::Live(live) = &self.tracks[0].content else { return };
        let Some(bytes) = live.recorder().map(Recorder::bytes) else { return };
        let megabytes = RECORDING_LIMIT >> 20;
        if bytes >= RECORDING_LIMIT {
            self.notice =
                Some(format!("The recording has ended, since it has reached its limit of {megabytes} MB."));
            self.stop_recording();
        } else if bytes >= RECORDING_LIMIT / 5 * 4 && self.notice.is_none() {
            self.notice = Some(format!("The recording has {} MB and ends at {megabytes} MB.", bytes >> 20));
            self.tell_state();
        }
    }

    /// All tracks take a step together.
    fn step(&mut self) {
        self.changed = true;
        self.follow_tracked_hand();
        self.push_hand();
        let input = Input {
            hand: self.hand.map(|hand| hand.pose),
            controls: self.driver.map(|driver| driver.values),
        };
        let was_running = self.running;
        let mut trouble = None;
        for track in &mut self.tracks {
            match &mut track.content {
                Content::Live(live) => {
                    let mut budget = budget(&self.limits);
                    trouble = trouble.or(live.step(input, &mut budget).err());
                    if !live.simulation().is_finite() {
                        self.running = false;
                        self.notice = Some(
                            "Paused: the state is no longer a number. Go back, or reset the scene."
                                .to_owned(),
                        );
                    }
                }
                Content::Recording(player) if track.id == 0 => {
                    player.seek(player.time() + 1.0 / 60.0);
                    self.running &= !player.ended();
                }
                Content::Recording(_) => {}
            }
        }
        self.send_wrench();
        if let Content::Live(live) = &self.tracks[0].content {
            self.lead.send(|| live.simulation().led_step());
        }
        if let Some(sentence) = trouble {
            self.tell(Topic::Trouble, &Reply::Error { message: sentence });
            // A recording may have ended.
            self.tell_state();
        }
        if self.tracks[0].follow_recorded_look() {
            self.greet_again();
        }
        if self.running != was_running {
            self.tell_state();
        }
    }

    fn report(&mut self) {
        let elapsed = self.reported.elapsed().as_secs_f64();
        let time = self.tracks[0].time();
        let factor = (time - self.reported_time) / elapsed;
        let speed = self.pacing.speed;
        let clock = self.begun.elapsed().as_secs_f64();
        let mut texts = Vec::new();
        for track in &mut self.tracks {
            match &mut track.content {
                Content::Live(live) => {
                    let mut report = live.report();
                    report.track = track.id;
                    report.real_time_factor = factor;
                    report.clock = clock;
                    report.recorded_bytes = live.recorder().map(Recorder::bytes);
                    report.aim_ms /= speed;
                    texts.push(Reply::Report(report).to_text());
                }
                Content::Recording(player) if track.id == 0 => {
                    let history = player.range();
                    texts.extend(
                        player.report().and_then(|text| replayed_report(text, factor, clock, history)),
                    );
                }
                Content::Recording(_) => {}
            }
        }
        self.reported = Instant::now();
        self.reported_time = time;
        self.put_reports(texts);
    }

    fn put_reports(&mut self, texts: Vec<String>) {
        self.reports = Arc::new(Reports { number: self.reports.number + 1, texts });
        self.changed = true;
    }

    fn publish(&mut self) {
        let time = self.tracks[0].time();
        let wanted = self.viewers.iter().map(|viewer| viewer.wanted);
        self.frame.wanted = wanted.fold(OverlaySelection::NONE, OverlaySelection::union);
        self.number = self.number.wrapping_add(1).max(1);
        let recording = matches!(&self.tracks[0].content, Content::Live(live) if live.recorder().is_some());
        let flags = Flags {
            running: self.running,
            slowed: self.running && self.pacing.slowed(Instant::now()),
            held: self.hand.is_some(),
            recording,
            ended: false,
        };
        let mut tracks = Vec::with_capacity(self.tracks.len());
        let mut ghosts_differ = false;
        for track in &mut self.tracks {
            if let (Content::Recording(player), Role::Ghost) = (&mut track.content, track.role) {
                player.seek(time - track.offset);
                ghosts_differ |= track.follow_recorded_look();
            }
            tracks.push((track.id, Arc::new(track.moment(self.number, flags, &mut self.frame))));
        }
        if ghosts_differ {
            self.share_looks();
            self.tell_tracks();
        }
        self.changed = false;
        let acknowledged = self.viewers.iter().map(|viewer| (viewer.client, viewer.acknowledged)).collect();
        let reports = Arc::clone(&self.reports);
        self.frames.send_replace(Published { tracks, reports, acknowledged });
    }

    fn obey(&mut self, command: Command) {
        self.changed = true;
        match command {
            Command::Join { client, outbox } => {
                if self.viewers.is_empty() && self.alone_since.elapsed() > STILL {
                    self.pacing.restart(Instant::now());
                }
                self.surroundings.devices.belong_to(&self.name);
                outbox.send(Topic::Hello, self.hello());
                let viewer = Viewer { client, outbox, acknowledged: 0, wanted: OverlaySelection::default() };
                self.viewers.push(viewer);
            }
            Command::Leave { client } => self.leave(client),
            // `run` ends the thread with it.
            Command::End => {}
            Command::Say { client, message, ticket } => {
                drop(ticket);
                if let Some(viewer) = self.viewers.iter_mut().find(|viewer| viewer.client == client) {
                    viewer.acknowledged = viewer.acknowledged.max(message.id.unwrap_or(0));
                }
                if let Err(sentence) = self.carry_out(client, message.request) {
                    self.tell_one(client, &Reply::Error { message: sentence });
                }
            }
            Command::Ghost { client, name, offset, recording } => match *recording {
                Ok(recording) => self.add_ghost(client, name, recording, offset),
                Err(sentence) => self.tell_one(client, &Reply::Error { message: sentence }),
            },
        }
    }

    fn leave(&mut self, client: Client) {
        self.viewers.retain(|viewer| viewer.client != client);
        if self.hand.is_some_and(|hand| hand.holder == client) {
            self.let_go();
        }
        if self.driver.is_some_and(|driver| driver.client == client) {
            self.driver = None;
            self.tell_state();
        }
        if self.viewers.is_empty() {
            self.alone_since = Instant::now();
        }
    }

    fn add_track(&mut self, track: Track) {
        let mut appearances = self.surroundings.appearances.lock().unwrap_or_else(PoisonError::into_inner);
        appearances.insert(track.id, Arc::clone(&track.appearance));
        drop(appearances);
        self.tracks.push(track);
    }

    /// A reset may build a scene of another size: then everybody gets it anew.
    fn refresh_looks(&mut self) {
        let mut changed = false;
        for track in &mut self.tracks {
            changed |= track.refresh_look();
        }
        if changed {
            self.greet_again();
        }
    }

    /// Lets those who ask for geometry have that of today.
    fn share_looks(&self) {
        let mut appearances = self.surroundings.appearances.lock().unwrap_or_else(PoisonError::into_inner);
        appearances.extend(self.tracks.iter().map(|track| (track.id, Arc::clone(&track.appearance))));
    }

    /// Greets everybody anew: what there is to see is not what it was.
    fn greet_again(&mut self) {
        self.share_looks();
        self.instance = super::token::random();
        let hello = self.hello();
        self.viewers.retain(|viewer| viewer.outbox.send(Topic::Hello, hello.clone()));
    }

    fn remove_tracks(&mut self, role: Role) {
        let mut appearances = self.surroundings.appearances.lock().unwrap_or_else(PoisonError::into_inner);
        self.tracks.retain(|track| {
            if track.role == role {
                appearances.remove(&track.id);
            }
            track.role != role
        });
    }

    /// Times that all tracks that are simulated, or the recording, can go to.
    fn history(&self) -> Range {
        let ranges = self.tracks.iter().filter(|track| track.role != Role::Ghost).map(Track::history);
        let (from, to) = ranges.fold((f64::NEG_INFINITY, f64::INFINITY), |(from, to), range| {
            (range.from.max(from), range.to.min(to))
        });
        Range { from, to }
    }

    fn hello(&self) -> String {
        let main = &self.tracks[0];
        let steering = self.steering();
        let common = |scene, parameters, solvers| Hello {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION"),
            session: &self.name,
            instance: &self.instance,
            server: &self.surroundings.server,
            kind: "scene",
            scene,
            time_step: main.time_step(),
            assets: &main.appearance.assets,
            parameters,
            solvers,
            overlays: &[],
            actions: &[],
            drive: None,
            channels: &[],
            joints: Vec::new(),
            recording: None,
            tracks: self.tracks[1..].iter().map(Track::item).collect(),
            state: &steering,
        };
        let hello = match &main.content {
            Content::Live(live) => {
                let simulation = live.simulation();
                let entry = match &self.source {
                    Source::Scene(entry) => entry.to_json(),
                    Source::Recording(_) => serde_json::Value::Null,
                };
                let parameters = crate::recording::parameters(simulation);
                let solvers = serde_json::to_value(simulation.solvers()).unwrap_or_default();
                let controls = simulation.controls();
                let drive = DriveItem { controls, body: simulation.driven_body() };
                Hello {
                    overlays: simulation.overlays(),
                    actions: simulation.actions(),
                    drive: (!controls.is_empty()).then_some(drive),
                    channels: simulation.channels(),
                    joints: simulation.joint_coordinates(),
                    ..common(entry, parameters, solvers)
                }
            }
            Content::Recording(player) => {
                let description = player.description();
                let name = main.recording.as_deref().unwrap_or_default();
                let mut listed = self.surroundings.store.describe(name);
                listed.seconds = Some(player.range().1 - player.range().0);
                listed.warning = player.warning().map(str::to_owned);
                let (scene, parameters) = (description.entry.clone(), description.parameters.clone());
                let hello = common(scene, parameters, description.solvers.clone());
                Hello { kind: "recording", overlays: RECORDED_OVERLAYS, recording: Some(listed), ..hello }
            }
        };
        Reply::Hello(Box::new(hello)).to_text()
    }

    fn steering(&self) -> Steering {
        let main = &self.tracks[0];
        let (values, recording) = match &main.content {
            Content::Live(live) => {
                let simulation = live.simulation();
                let value = |p: &prall_scenes::Parameter| Some((p.key.to_owned(), simulation.get(p.key)?));
                let recording = live.recorder().map(|recorder| RecordingItem {
                    name: file_name(recorder.path()),
                    since: recorder.start(),
                });
                (simulation.parameters().iter().filter_map(value).collect(), recording)
            }
            Content::Recording(player) => {
                let list = player.description().parameters.as_array().map_or(&[][..], Vec::as_slice);
                let value =
                    |p: &serde_json::Value| Some((p["key"].as_str()?.to_owned(), p["value"].as_f64()?));
                (list.iter().filter_map(value).collect::<BTreeMap<_, _>>(), None)
            }
        };
        Steering {
            running: self.running,
            speed: self.pacing.speed,
            solver: main.solver().to_owned(),
            values,
            notice: self.notice.clone(),
            budget: self.limits,
            history: self.history(),
            snapshots: self
                .snapshots
                .iter()
                .map(|snapshot| SnapshotItem { name: snapshot.name.clone(), time: snapshot.time })
                .collect(),
            recording,
            driven: self.driver.is_some(),
            file_error: self.complaint.clone(),
            following: self.follow_item(),
            undo: matches!(&main.content, Content::Live(live) if live.can_undo()),
        }
    }

    fn tell_state(&mut self) {
        let steering = self.steering();
        self.tell(Topic::State, &Reply::State(&steering));
    }

    fn tell_tracks(&mut self) {
        let text = Reply::Tracks { tracks: self.tracks[1..].iter().map(Track::item).collect() }.to_text();
        self.viewers.retain(|viewer| viewer.outbox.send(Topic::Tracks, text.clone()));
    }

    /// Tells everybody.
    fn tell(&mut self, topic: Topic, reply: &Reply) {
        let text = reply.to_text();
        self.viewers.retain(|viewer| viewer.outbox.send(topic, text.clone()));
    }

    fn tell_one(&mut self, client: Client, reply: &Reply) {
        let text = reply.to_text();
        // A viewer that is gone, or too far behind with its answers, is dropped, and its connection closes.
        self.viewers
            .retain(|viewer| viewer.client != client || viewer.outbox.send(Topic::Answer, text.clone()));
    }
}

fn budget(limits: &Limits) -> Budget {
    let budget = limits.work.map_or_else(Budget::unlimited, Budget::of_work);
    match limits.ms {
        Some(ms) => budget.until(Instant::now() + Duration::from_secs_f64(ms / 1000.0)),
        None => budget,
    }
}

/// A recorded report as if it were said now.
fn replayed_report(text: &str, factor: f64, clock: f64, (from, to): (f64, f64)) -> Option<String> {
    let mut report: serde_json::Value = serde_json::from_str(text).ok()?;
    let object = report.as_object_mut()?;
    object.insert("type".to_owned(), "report".into());
    object.insert("real_time_factor".to_owned(), factor.into());
    object.insert("clock".to_owned(), clock.into());
    object.insert("history".to_owned(), serde_json::json!({"from": from, "to": to}));
    Some(report.to_string())
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A copy of a simulation at the same state, by another solver.
fn by_other_solver(
    entry: &Item,
    original: &dyn Simulation,
    solver: &str,
    pool: &Arc<rayon::ThreadPool>,
) -> Result<Box<dyn Simulation>, String> {
    let mut simulation = entry.build();
    simulation.use_pool(pool);
    simulation.restore(&original.save()).map_err(|error| error.to_string())?;
    simulation.select_solver(solver).map_err(|error| error.to_string())?;
    Ok(simulation)
}

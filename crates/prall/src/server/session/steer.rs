//! Carrying out what viewers ask for.

use super::super::gallery::Item;
use super::super::live::Live;
use super::super::message::{AddRequest, Limits, Reply, Request, Role};
use super::super::outbox::Topic;
use super::super::track::{Content, Track};
use super::{Client, Command, Driver, Hand, Session, Snapshot, Source, by_other_solver, file_name};
use crate::journal::Event;
use crate::recording::{Description, Player, Recorder, Recording};
use glam::{DQuat, DVec3};
use prall_math::Pose;
use prall_scenes::{Addition, BodyAction, OverlaySelection};
use std::collections::BTreeMap;
use std::time::Instant;

/// Slowest and fastest simulated seconds per second.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

/// Most named snapshots of a session, and most bytes of them.
const SNAPSHOTS: usize = 32;
const SNAPSHOT_BYTES: usize = 256 << 20;

/// Most ghosts beside a session.
const GHOSTS: usize = 4;

/// Longest time per step that a budget may allow, in ms.
const LONGEST_BUDGET: f64 = 60_000.0;

const IS_A_RECORDING: &str =
    "a recording can be played and sought, but not changed; open its scene to do something else";

impl Session {
    /// Does what a viewer asks for; the error is a sentence for that viewer.
    pub(super) fn carry_out(&mut self, client: Client, request: Request) -> Result<(), String> {
        self.may(&request)?;
        match request {
            Request::Play {} => self.set_running(true),
            Request::Pause {} => self.set_running(false),
            Request::Step {} => {
                self.set_running(false);
                self.step_once();
                self.report();
            }
            Request::Reset {} => self.reset()?,
            Request::Speed { value } => self.set_speed(value)?,
            Request::Back { seconds, steps } => self.back(seconds, steps)?,
            Request::Seek { time } => self.seek(time)?,
            Request::Set { parameter, value } => self.event(&Event::Set { key: parameter, value })?,
            Request::Solver { name, track } => self.select_solver(name, track)?,
            Request::Budget { ms, work } => self.set_budget(ms, work)?,
            Request::Snapshot { name } => self.take_snapshot(name)?,
            Request::Restore { name } => self.restore_snapshot(&name)?,
            Request::Forget { name } => {
                let index = self.snapshot(&name)?;
                self.snapshots.remove(index);
                self.tell_state();
            }
            Request::Overlays { wanted, level } => {
                let wanted = OverlaySelection::new(&wanted, level);
                if let Some(viewer) = self.viewers.iter_mut().find(|viewer| viewer.client == client) {
                    viewer.wanted = wanted;
                }
            }
            Request::Compare { solver } => self.compare(solver.as_deref())?,
            Request::Ghost { recording, offset } => self.ghost(client, recording, offset)?,
            Request::Record { on: true } => self.record()?,
            Request::Record { on: false } => self.stop_recording(),
            Request::Grab { origin, direction, track } => self.grab(client, origin, direction, track)?,
            Request::Pull { point, rotation } => self.pull(client, point, rotation)?,
            Request::Push { velocity, spin } => self.push(client, velocity, spin)?,
            Request::Follow { session, delay } => self.begin_to_follow(session.as_deref(), delay)?,
            Request::Release {} => {
                if self.hand.is_some_and(|hand| hand.holder == client) {
                    self.let_go();
                }
            }
            // The connection itself keeps count.
            Request::Taken { .. } => {}
            Request::Control { values: Some(values) } => self.control(client, &values)?,
            Request::Control { values: None } => self.stop_driving(client),
            Request::Throw { body, velocity, spin } => {
                let (velocity, spin) = (DVec3::from_array(velocity), DVec3::from_array(spin));
                self.event(&Event::Act { body, action: BodyAction::Throw { velocity, spin } })?;
            }
            Request::Pin { body, pinned } => {
                let action = if pinned { BodyAction::Pin } else { BodyAction::Unpin };
                self.event(&Event::Act { body, action })?;
            }
            Request::Delete { body } => self.event(&Event::Act { body, action: BodyAction::Delete })?,
            Request::Properties { body, track } => self.properties(client, body, track)?,
            Request::Add(request) => {
                let AddRequest { body, density, origin, direction, speed } = *request;
                let (origin, direction) = (DVec3::from_array(origin), DVec3::from_array(direction));
                let addition = Box::new(Addition { body, density, origin, direction, speed });
                self.event(&Event::Add(addition))?;
                self.refresh_looks();
            }
            Request::Joint { joint, position } => {
                self.event(&Event::Joint { joint, position })?;
                if !self.running {
                    self.report();
                }
            }
            Request::Undo {} => self.undo()?,
        }
        Ok(())
    }

    fn step_once(&mut self) {
        if let Content::Recording(player) = &mut self.tracks[0].content {
            player.go_by(1);
        } else {
            self.step();
        }
    }

    /// The simulation of a track.
    fn live(&mut self, track: u32) -> Result<&mut Live, String> {
        let track = self.tracks.iter_mut().find(|candidate| candidate.id == track);
        match track.map(|track| &mut track.content) {
            Some(Content::Live(live)) => Ok(live),
            Some(Content::Recording(_)) => Err(IS_A_RECORDING.to_owned()),
            None => Err("there is no such track in this session".to_owned()),
        }
    }

    /// The simulations of all tracks.
    fn lives(&mut self) -> impl Iterator<Item = &mut Live> {
        self.tracks.iter_mut().filter_map(|track| match &mut track.content {
            Content::Live(live) => Some(&mut **live),
            Content::Recording(_) => None,
        })
    }

    /// Does the same to all simulations. They are of one scene: what the first takes, the others take.
    fn event(&mut self, event: &Event) -> Result<(), String> {
        self.live(0)?.event(event.clone())?;
        let others: Result<Vec<()>, String> =
            self.lives().skip(1).map(|live| live.event(event.clone())).collect();
        self.tell_state();
        others.map(|_| ())
    }

    fn reset(&mut self) -> Result<(), String> {
        self.let_go();
        self.notice = None;
        if let Content::Recording(player) = &mut self.tracks[0].content {
            let (from, _) = player.range();
            player.seek(from);
        } else {
            self.event(&Event::Reset)?;
        }
        self.time_jumped();
        Ok(())
    }

    /// After a jump in time nothing is owed, and nothing was done since the last report.
    fn time_jumped(&mut self) {
        let now = Instant::now();
        self.pacing.restart(now);
        self.reported = now;
        self.reported_time = self.tracks[0].time();
        // Reports of the time before would follow the frames of the new one; this is the new one's.
        self.report();
        self.refresh_looks();
        self.tell_state();
    }

    fn set_speed(&mut self, value: f64) -> Result<(), String> {
        if !SPEEDS.contains(&value) {
            return Err(format!(
                "the speed must be from {} to {}, not {value}",
                SPEEDS.start(),
                SPEEDS.end()
            ));
        }
        self.pacing.speed = value;
        self.tell_state();
        Ok(())
    }

    fn back(&mut self, seconds: Option<f64>, steps: Option<u32>) -> Result<(), String> {
        match (seconds, steps) {
            (Some(seconds), None) if seconds >= 0.0 && seconds.is_finite() => {
                self.seek(self.tracks[0].time() - seconds)
            }
            (None, Some(steps)) => {
                self.set_running(false);
                if let Content::Recording(player) = &mut self.tracks[0].content {
                    player.go_by(-i64::from(steps));
                    self.time_jumped();
                    return Ok(());
                }
                let back = f64::from(steps) * self.tracks[0].time_step();
                self.seek(self.tracks[0].time() - back)
            }
            _ => Err("going back wants a positive number of seconds, or a number of steps".to_owned()),
        }
    }

    fn seek(&mut self, time: f64) -> Result<(), String> {
        if !time.is_finite() {
            return Err("a time must be a number of seconds".to_owned());
        }
        self.let_go();
        let range = self.history();
        // What is asked for lies between the times that all can go to, whatever rounding says of their order.
        let time = time.min(range.to).max(range.from);
        for track in self.tracks.iter_mut().filter(|track| track.role != Role::Ghost) {
            match &mut track.content {
                Content::Live(live) => live.seek(time)?,
                Content::Recording(player) => player.seek(time),
            }
        }
        self.notice = None;
        self.time_jumped();
        Ok(())
    }

    /// Goes back to the moment before the last thing that was done to a body.
    fn undo(&mut self) -> Result<(), String> {
        self.let_go();
        if !self.live(0)?.undo()? {
            return Err("nothing was done to a body in the time that is remembered".to_owned());
        }
        let time = self.tracks[0].time();
        for live in self.lives().skip(1) {
            // Another solver goes along: what it did to its own bodies was done at the same step.
            if !live.undo()? {
                live.seek(time)?;
            }
        }
        self.notice = None;
        self.time_jumped();
        Ok(())
    }

    fn select_solver(&mut self, name: String, track: u32) -> Result<(), String> {
        self.live(track)?.event(Event::Solver(name))?;
        self.align();
        self.tell_state();
        if self.tracks.len() > 1 {
            self.tell_tracks();
        }
        Ok(())
    }

    /// Simulations that are not at the same time, because one begins anew with a new solver, all begin anew.
    fn align(&mut self) {
        let time = self.tracks[0].time();
        if self.lives().any(|live| live.simulation().time() != time) {
            self.hand = None;
            for live in self.lives() {
                // A reset is never refused.
                let _ = live.event(Event::Reset);
            }
            self.time_jumped();
        }
    }

    fn set_budget(&mut self, ms: Option<f64>, work: Option<u64>) -> Result<(), String> {
        self.live(0)?;
        if ms.is_some_and(|ms| !(ms > 0.0 && ms <= LONGEST_BUDGET)) {
            return Err(format!(
                "a budget must be a positive number of milliseconds, {LONGEST_BUDGET} at most"
            ));
        }
        self.limits = Limits { ms, work };
        self.tell_state();
        Ok(())
    }

    fn snapshot(&self, name: &str) -> Result<usize, String> {
        let index = self.snapshots.iter().position(|snapshot| snapshot.name == name);
        index.ok_or_else(|| format!("no snapshot '{name}' in this session"))
    }

    fn take_snapshot(&mut self, name: String) -> Result<(), String> {
        if !(1..=64).contains(&name.chars().count()) {
            return Err("a snapshot's name has 1 to 64 characters".to_owned());
        }
        let live = self.live(0)?;
        let (time, state) = (live.simulation().time(), live.simulation().save());
        self.snapshots.retain(|snapshot| snapshot.name != name);
        let bytes = self.snapshots.iter().map(|snapshot| snapshot.state.len()).sum::<usize>() + state.len();
        if self.snapshots.len() >= SNAPSHOTS || bytes > SNAPSHOT_BYTES {
            let megabytes = SNAPSHOT_BYTES >> 20;
            return Err(format!(
                "a session keeps {SNAPSHOTS} snapshots and {megabytes} MB of them at most; forget some first"
            ));
        }
        self.snapshots.push(Snapshot { name, time, state });
        self.tell_state();
        Ok(())
    }

    /// All tracks go to the snapshot, each with its own solver.
    fn restore_snapshot(&mut self, name: &str) -> Result<(), String> {
        let state = self.snapshots[self.snapshot(name)?].state.clone();
        self.let_go();
        let mut solvers = self.lives().map(|live| live.simulation().solver().to_owned()).collect::<Vec<_>>();
        for (live, solver) in self.lives().zip(solvers.drain(..)) {
            live.event(Event::Restore(state.clone()))?;
            live.event(Event::Release)?;
            if live.simulation().solver() != solver {
                live.event(Event::Solver(solver))?;
            }
        }
        self.notice = None;
        self.align();
        self.time_jumped();
        Ok(())
    }

    fn compare(&mut self, solver: Option<&str>) -> Result<(), String> {
        let Source::Scene(entry) = self.source.clone() else { return Err(IS_A_RECORDING.to_owned()) };
        let Some(solver) = solver else {
            self.remove_tracks(Role::Compare);
            self.tell_tracks();
            return Ok(());
        };
        let pool = std::sync::Arc::clone(&self.surroundings.pool);
        let original = self.live(0)?;
        original.settle();
        let copy = by_other_solver(&entry, original.simulation(), solver, &pool)?;
        self.remove_tracks(Role::Compare);
        let id = self.new_track_id();
        // After track 0: simulations come before ghosts.
        self.add_track(Track::live(id, Role::Compare, Live::new(copy)));
        self.align();
        self.tell_tracks();
        self.tell_state();
        Ok(())
    }

    fn new_track_id(&mut self) -> u32 {
        self.next_track += 1;
        self.next_track - 1
    }

    /// Reads the file on a thread of its own: a large one must not hold up the simulation.
    fn ghost(&mut self, client: Client, name: Option<String>, offset: f64) -> Result<(), String> {
        let Some(name) = name else {
            self.remove_tracks(Role::Ghost);
            self.tell_tracks();
            return Ok(());
        };
        if !offset.is_finite() {
            return Err("a ghost's offset must be a number of seconds".to_owned());
        }
        let (store, commands) = (self.surroundings.store.clone(), self.surroundings.commands.clone());
        std::thread::spawn(move || {
            let recording = Box::new(store.read(&name));
            // Only a session that has ended misses it.
            let _ = commands.send(Command::Ghost { client, name, offset, recording });
        });
        Ok(())
    }

    pub(super) fn add_ghost(&mut self, client: Client, name: String, recording: Recording, offset: f64) {
        let ghosts = self.tracks.iter().filter(|track| track.role == Role::Ghost).count();
        if ghosts >= GHOSTS {
            let message = format!("{GHOSTS} ghosts at a time are the most; end them first");
            self.tell_one(client, &Reply::Error { message });
            return;
        }
        let id = self.new_track_id();
        self.add_track(Track::recording(id, Role::Ghost, name, Player::new(recording), offset));
        self.tell_tracks();
    }

    /// A changed scene file is read again: the scene begins anew with it, with the parameters that it still has. A file that cannot be
    /// read leaves the scene as it is.
    pub(super) fn follow_file(&mut self) {
        let Source::Scene(entry) = self.source.clone() else { return };
        let Some(file) = entry.file() else { return };
        let (edition, complaint) = file.look();
        if edition == self.edition && complaint == self.complaint {
            return;
        }
        self.complaint = complaint;
        if edition != self.edition {
            self.edition = edition;
            self.begin_anew(&entry);
        }
        self.tell_state();
    }

    fn begin_anew(&mut self, entry: &Item) {
        self.let_go();
        self.driver = None;
        self.stop_recording();
        self.snapshots.clear();
        self.remove_tracks(Role::Compare);
        let mut simulation = entry.build();
        simulation.use_pool(&self.surroundings.pool);
        if let Ok(before) = self.live(0) {
            let before = before.simulation();
            for parameter in before.parameters() {
                // What nobody changed has the default of the new file, and so has what that no longer has or allows.
                let changed = before.get(parameter.key).filter(|value| *value != parameter.default);
                let _ = changed.map(|value| simulation.set(parameter.key, value));
            }
            let _ = simulation.select_solver(before.solver());
        }
        simulation.reset();
        self.tracks.remove(0);
        let track = Track::live(0, Role::Main, Live::new(simulation));
        self.tracks.insert(0, track);
        self.notice = Some("The file has changed and was read again.".to_owned());
        self.greet_again();
        self.time_jumped();
    }

    fn record(&mut self) -> Result<(), String> {
        let Source::Scene(entry) = self.source.clone() else { return Err(IS_A_RECORDING.to_owned()) };
        let (store, appearance) = (self.surroundings.store.clone(), self.tracks[0].appearance.clone());
        let live = self.live(0)?;
        if live.recorder().is_some() {
            return Err("this session is being recorded already".to_owned());
        }
        live.settle();
        let simulation = live.simulation();
        let trouble = |error: String| {
            format!("a recording cannot be written to {}: {error}", store.directory().display())
        };
        let path = store.new_path(entry.name()).map_err(|error| trouble(error.to_string()))?;
        let description = Description::of(entry.to_json(), simulation).with_file(entry.file_scene());
        let recorder = Recorder::create(&path, &description, simulation, &appearance)
            .map_err(|error| trouble(error.to_string()))?;
        live.record(recorder);
        self.notice = None;
        self.tell_state();
        Ok(())
    }

    pub(super) fn stop_recording(&mut self) {
        let Ok(live) = self.live(0) else { return };
        let Some(recorder) = live.stop_recording() else { return };
        let reply = match recorder.finish(live.simulation()) {
            Ok(recorded) => Reply::Recorded {
                recording: file_name(&recorded.path),
                seconds: recorded.seconds,
                bytes: recorded.bytes,
            },
            Err(error) => Reply::Error { message: format!("the recording could not be ended: {error}") },
        };
        self.tell(Topic::Recorded, &reply);
        self.tell_state();
    }

    pub(super) fn grab(
        &mut self,
        client: Client,
        origin: [f64; 3],
        direction: [f64; 3],
        track: u32,
    ) -> Result<(), String> {
        if self.hand.is_some_and(|hand| hand.holder != client) {
            self.tell_one(client, &Reply::Grip { track, body: None, point: None });
            return Err("another viewer holds a body; wait until it is let go".to_owned());
        }
        let (origin, direction) = (DVec3::from_array(origin), DVec3::from_array(direction));
        self.live(track)?;
        self.hand = None;
        let mut grip = None;
        for track_index in 0..self.tracks.len() {
            let Content::Live(live) = &mut self.tracks[track_index].content else { continue };
            let taken = live.grab(origin, direction)?;
            if self.tracks[track_index].id == track {
                grip = taken;
            }
        }
        if let Some(grip) = grip {
            let index = self.tracks.iter().position(|candidate| candidate.id == track).unwrap_or(0);
            if let Content::Live(live) = &self.tracks[index].content {
                live.simulation().frame(&mut self.frame);
            }
            let body = self.frame.poses.get(grip.body).copied().unwrap_or_default();
            let at = body.transform_point(grip.point);
            self.hand =
                Some(Hand { holder: client, pose: Pose::from_translation(at), body, point: at, push: None });
        }
        let (body, point) = (grip.map(|grip| grip.body), grip.map(|grip| grip.point.to_array()));
        self.tell_one(client, &Reply::Grip { track, body, point });
        Ok(())
    }

    fn pull(&mut self, client: Client, point: [f64; 3], rotation: Option<[f64; 4]>) -> Result<(), String> {
        let point = DVec3::from_array(point);
        if !point.is_finite() {
            return Err("a point must be three finite numbers".to_owned());
        }
        let rotation = DQuat::from_array(rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
        let length = rotation.length();
        if !(length > 0.5 && length < 2.0) {
            return Err("a rotation must be a quaternion of length 1".to_owned());
        }
        if let Some(hand) = self.hand.as_mut().filter(|hand| hand.holder == client) {
            hand.pose = Pose::new(rotation.normalize(), point);
            hand.push = None;
            self.beat.hurry();
        }
        Ok(())
    }

    pub(super) fn let_go(&mut self) {
        if self.hand.take().is_some() {
            for live in self.lives() {
                // Letting go is never refused.
                let _ = live.event(Event::Release);
            }
        }
    }

    /// Moves controls; who moves one drives until letting go of all of them.
    fn control(&mut self, client: Client, values: &BTreeMap<String, f64>) -> Result<(), String> {
        if self.live(0)?.simulation().controls().is_empty() {
            return Err("this scene has no controls to drive by".to_owned());
        }
        if self.driver.is_some_and(|driver| driver.client != client) {
            return Err("another viewer drives; wait until the controls are let go".to_owned());
        }
        let mut moved = self.driver.map(|driver| driver.values).unwrap_or_default();
        let simulation = self.live(0)?.simulation();
        for (key, value) in values {
            moved.set(simulation.controls(), key, *value).map_err(|error| error.to_string())?;
        }
        let begins = self.driver.replace(Driver { client, values: moved }).is_none();
        if begins {
            self.tell_state();
        }
        Ok(())
    }

    fn stop_driving(&mut self, client: Client) {
        if self.driver.is_some_and(|driver| driver.client == client) {
            self.driver = None;
            self.tell_state();
        }
    }

    fn properties(&mut self, client: Client, body: usize, track: u32) -> Result<(), String> {
        let simulation = self.live(track)?.simulation();
        let properties = simulation.body_properties(body).map_err(|error| error.to_string())?;
        let name = simulation.assets().bodies.get(body).map_or(String::new(), |body| body.name.clone());
        self.tell_one(client, &Reply::Properties { track, body, name: &name, properties });
        Ok(())
    }

    pub(super) fn set_running(&mut self, running: bool) {
        let possible = match &mut self.tracks[0].content {
            Content::Live(live) => live.simulation().is_finite(),
            Content::Recording(player) => {
                // Who plays a recording that is at its end wants to see it again.
                if running && player.ended() {
                    let (from, _) = player.range();
                    player.seek(from);
                }
                true
            }
        };
        if running != self.running && (possible || !running) {
            self.running = running;
            let now = Instant::now();
            self.pacing.restart(now);
            self.reported = now;
            self.reported_time = self.tracks[0].time();
        }
        self.tell_state();
    }
}

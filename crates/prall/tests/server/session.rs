//! Time travel, budgets, bodies, overlays and side-by-side sessions, as a client meets them.

use crate::page::{Frame, Page, start, start_with};
use prall::scenes::{
    ActionError, ActionKind, Assets, BodyAction, BodyMark, Budget, Frame as SceneFrame, Input, Parameter,
    ParameterError, RestoreError, Simulation, Solver, StepReport, UnknownSolver,
};
use prall::server::{Entry, Gallery, Options};
use serde_json::{Value, json};
use std::time::Duration;

/// A paused session at its start.
async fn paused(query: &str) -> Page {
    let mut page = Page::open(start().await, query).await;
    page.say(json!({"type": "pause"})).await;
    page.say(json!({"type": "reset", "id": 1})).await;
    page.frame(|frame| frame.acknowledged() == 1).await;
    page
}

/// Says something and waits for the frame that has seen it.
async fn ask(page: &mut Page, mut message: Value, id: u32) -> Frame {
    message["id"] = id.into();
    page.say(message).await;
    page.frame(|frame| frame.track() == 0 && frame.acknowledged() >= id).await
}

#[tokio::test]
async fn going_back_gives_the_moments_that_were_and_keeps_what_lies_ahead() {
    let mut page = paused("scene=bouncing-ball").await;
    let mut moments = Vec::new();
    for i in 0..120 {
        let frame = ask(&mut page, json!({"type": "step"}), 2 + i).await;
        moments.push((frame.time(), frame.moment.poses.clone()));
    }
    let back = ask(&mut page, json!({"type": "back", "steps": 100}), 200).await;
    assert_eq!((back.time(), back.moment.poses.clone()), moments[19]);
    let ahead = ask(&mut page, json!({"type": "seek", "time": moments[99].0}), 201).await;
    assert_eq!((ahead.time(), ahead.moment.poses.clone()), moments[99]);
    let start = ask(&mut page, json!({"type": "back", "seconds": 100}), 202).await;
    assert_eq!(start.time(), 0.0);
    ask(&mut page, json!({"type": "seek", "time": moments[49].0}), 203).await;
    page.say(json!({"type": "speed", "value": 1})).await;
    let history = loop {
        let state = page.text("state").await;
        if state["history"]["to"] == json!(moments[119].0) && state["speed"] == 1.0 {
            break state["history"].clone();
        }
    };
    assert_eq!(history["from"], 0.0);
    let on = ask(&mut page, json!({"type": "step"}), 204).await;
    assert_eq!((on.time(), on.moment.poses.clone()), moments[50], "the same again");
    page.say(json!({"type": "back", "seconds": -1})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("positive"));
}

/// The car stands while nobody drives and throttle and brake are zero; who moves a control drives it, alone, until letting go.
#[tokio::test]
async fn one_viewer_drives_by_the_declared_controls() {
    let address = start().await;
    let mut page = Page::open(address, "scene=vehicle&session=drive").await;
    let hello = page.text("hello").await;
    let controls = hello["drive"]["controls"].as_array().unwrap();
    assert_eq!(controls[0]["key"], "throttle");
    assert_eq!((&controls[1]["kind"], &controls[1]["more"]), (&json!("axis"), &json!(["KeyA", "ArrowLeft"])));
    assert_eq!(controls[1]["pad"], json!({"reversed": 0}));
    let body = hello["drive"]["body"].as_u64().unwrap() as usize;
    assert_eq!(hello["assets"]["bodies"][body]["name"], "chassis");
    let mut id = 0;
    for message in [
        json!({"type": "pause"}),
        json!({"type": "set", "parameter": "throttle", "value": 0}),
        json!({"type": "reset"}),
    ] {
        id += 1;
        ask(&mut page, message, id).await;
    }
    page.say(json!({"type": "control", "values": {"throttle": 1, "steering": 0.5}})).await;
    let state = loop {
        let state = page.text("state").await;
        if state["driven"] == true {
            break state;
        }
    };
    assert_eq!(state["running"], false);
    let mut other = Page::open(address, "scene=vehicle&session=drive").await;
    other.say(json!({"type": "control", "values": {"brake": 1}})).await;
    assert!(other.text("error").await["message"].as_str().unwrap().contains("another viewer drives"));
    let before = ask(&mut page, json!({"type": "step"}), 100).await.moment.poses[body];
    let mut after = before;
    for step in 0..120 {
        after = ask(&mut page, json!({"type": "step"}), 101 + step).await.moment.poses[body];
    }
    assert!(after[2] < before[2] - 0.05, "full throttle for half a second: {after:?} from {before:?}");
    page.say(json!({"type": "control", "values": {"steering": 2}})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("from -1 to 1"));
    page.say(json!({"type": "control", "values": null})).await;
    while page.text("state").await["driven"] == true {}
    other.say(json!({"type": "control", "values": {"brake": 1}})).await;
    while other.text("state").await["driven"] == false {}
    let mut ball = Page::open(address, "scene=bouncing-ball").await;
    ball.say(json!({"type": "control", "values": {"brake": 1}})).await;
    assert!(ball.text("error").await["message"].as_str().unwrap().contains("no controls"));
}

/// Whoever joins late is greeted, then sees a whole frame, also where nothing moves any more.
#[tokio::test]
async fn who_joins_a_paused_session_is_greeted_before_the_first_frame() {
    let address = start().await;
    let mut first = Page::open(address, "scene=bouncing-ball").await;
    ask(&mut first, json!({"type": "pause"}), 1).await;
    for _ in 0..20 {
        let mut late = Page::open(address, "scene=bouncing-ball").await;
        let greeting = late.next().await.into_text().expect("a text comes first");
        assert!(greeting.contains(r#""type":"hello""#), "{greeting}");
        let frame = late.frame(|_| true).await;
        assert!(!frame.running() && prall::moment::is_key(&frame.bytes));
    }
}

/// A name is a room: the same one shows several scenes, each to those who came for it.
#[tokio::test]
async fn one_session_name_serves_several_scenes() {
    let address = start().await;
    for scene in ["bouncing-ball", "tunnelling"] {
        let mut page = Page::open(address, &format!("scene={scene}&session=lab")).await;
        let hello = page.text("hello").await;
        assert_eq!(hello["scene"]["name"], scene);
        assert_eq!(hello["session"], format!("lab.{scene}"));
    }
}

#[tokio::test]
async fn a_parameter_that_was_changed_has_its_old_value_when_one_goes_back() {
    let mut page = paused("scene=bouncing-ball").await;
    ask(&mut page, json!({"type": "step"}), 2).await;
    ask(&mut page, json!({"type": "set", "parameter": "gravity", "value": 1}), 3).await;
    ask(&mut page, json!({"type": "step"}), 4).await;
    page.say(json!({"type": "seek", "time": 0})).await;
    let gravity = loop {
        let state = page.text("state").await;
        if state["values"]["gravity"] != 1.0 && state["history"]["to"].as_f64() > Some(0.008) {
            break state["values"]["gravity"].clone();
        }
    };
    assert_eq!(gravity, 9.81);
}

#[tokio::test]
async fn a_snapshot_is_kept_restored_and_forgotten_by_its_name() {
    let mut page = paused("scene=bouncing-ball").await;
    let kept = ask(&mut page, json!({"type": "step"}), 2).await;
    ask(&mut page, json!({"type": "snapshot", "name": "high up"}), 3).await;
    for i in 0..50 {
        ask(&mut page, json!({"type": "step"}), 4 + i).await;
    }
    let restored = ask(&mut page, json!({"type": "restore", "name": "high up"}), 100).await;
    assert_eq!((restored.time(), restored.position()), (kept.time(), kept.position()));
    page.say(json!({"type": "speed", "value": 1})).await;
    let state = page.text("state").await;
    assert_eq!(state["snapshots"], json!([{"name": "high up", "time": kept.time()}]));
    page.say(json!({"type": "forget", "name": "high up"})).await;
    page.say(json!({"type": "restore", "name": "high up"})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("no snapshot 'high up'"));
}

#[tokio::test]
async fn a_budget_of_no_work_stops_the_plate_and_reports_it() {
    let mut page = paused("scene=tunnelling").await;
    page.say(json!({"type": "budget", "work": 0})).await;
    page.say(json!({"type": "step"})).await;
    let report = page.text("report").await;
    assert_eq!((&report["budget_cut"], &report["work"]), (&json!(true), &json!(0.0)));
    page.say(json!({"type": "budget", "ms": -1})).await;
    assert!(
        page.text("error").await["message"].as_str().unwrap().contains("positive number of milliseconds")
    );
}

#[tokio::test]
async fn overlays_come_as_they_are_wanted() {
    let mut page = paused("scene=bouncing-ball").await;
    let centres = ask(&mut page, json!({"type": "overlays", "wanted": ["centres"]}), 2).await;
    assert_eq!(centres.overlay_kinds(), [9]);
    let nothing = ask(&mut page, json!({"type": "overlays", "wanted": []}), 3).await;
    assert!(nothing.overlay_kinds().is_empty());
}

#[tokio::test]
async fn a_body_can_be_thrown_and_asked_for_its_properties() {
    let mut page = paused("scene=bouncing-ball").await;
    page.say(json!({"type": "throw", "body": 0, "velocity": [3, 0, 0]})).await;
    let thrown = ask(&mut page, json!({"type": "step"}), 2).await;
    assert!((thrown.position()[0] - 3.0 / 240.0).abs() < 1e-6);
    page.say(json!({"type": "properties", "body": 0})).await;
    let answer = page.text("properties").await;
    assert_eq!(answer["name"], "ball");
    assert_eq!(answer["properties"][0], json!({"label": "Mass", "values": [0.6], "unit": "kg"}));
    page.say(json!({"type": "delete", "body": 0})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("cannot be deleted"));
    page.say(json!({"type": "throw", "body": 7, "velocity": [0, 0, 0]})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("no body 7"));
}

#[tokio::test]
async fn two_solvers_run_in_step_from_the_same_state() {
    let mut page = paused("scene=bouncing-ball").await;
    for i in 0..10 {
        ask(&mut page, json!({"type": "step"}), 2 + i).await;
    }
    page.say(json!({"type": "compare", "solver": "moreau"})).await;
    let tracks = page.text("tracks").await;
    assert_eq!(
        (&tracks["tracks"][0]["role"], &tracks["tracks"][0]["solver"]),
        (&json!("compare"), &json!("moreau"))
    );
    let other = tracks["tracks"][0]["track"].as_u64().unwrap() as u32;
    assert_eq!(tracks["tracks"][0]["assets"]["bodies"][0]["name"], "ball");
    let first = page.frame(|frame| frame.track() == other).await;
    assert_eq!(first.moment.poses, page.tracks[&0].poses);
    for i in 0..200 {
        ask(&mut page, json!({"type": "step"}), 100 + i).await;
    }
    let last = page.frame(|frame| frame.track() == other).await;
    assert_eq!(last.time(), page.tracks[&0].time);
    assert_eq!(last.number(), page.tracks[&0].number);
    assert_ne!(last.moment.poses, page.tracks[&0].poses, "the solvers differ after an impact");
    page.say(json!({"type": "step"})).await;
    let reports = [page.text("report").await["track"].clone(), page.text("report").await["track"].clone()];
    assert!(reports.contains(&json!(0)) && reports.contains(&json!(other)));
    page.say(json!({"type": "compare", "solver": null})).await;
    assert_eq!(page.text("tracks").await["tracks"], json!([]));
}

#[tokio::test]
async fn who_comes_back_finds_the_session_as_it_was() {
    let address = start().await;
    let mut page = Page::open(address, "scene=bouncing-ball&session=lab").await;
    let instance = page.text("hello").await["instance"].clone();
    page.say(json!({"type": "pause", "id": 1})).await;
    let paused = page.frame(|frame| frame.acknowledged() == 1 && !frame.running()).await;
    drop(page);
    let mut again = Page::open(address, "scene=bouncing-ball&session=lab").await;
    assert_eq!(again.text("hello").await["instance"], instance);
    assert_eq!(again.frame(|_| true).await.time(), paused.time());
}

/// Bodies on a circle, of which one can be deleted: what the server needs of a world, and nothing else.
struct Carousel {
    assets: Assets,
    report: StepReport,
    steps: u64,
    deleted: Option<usize>,
}

const BODIES: usize = 40;

impl Simulation for Carousel {
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
        0.01
    }
    fn reset(&mut self) {
        (self.steps, self.deleted) = (0, None);
    }
    fn assets(&self) -> &Assets {
        &self.assets
    }
    /// Only the first half moves.
    fn frame(&self, frame: &mut SceneFrame) {
        frame.clear();
        let place = |i: usize| if i < BODIES / 2 { self.steps as f64 + i as f64 } else { 0.0 };
        frame
            .poses
            .extend((0..BODIES).map(|i| prall::math::Pose::from_translation(glam::DVec3::X * place(i))));
        frame.marks.extend(self.deleted.map(|body| BodyMark { body, hidden: true, pinned: false }));
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
    fn save(&self) -> Vec<u8> {
        self.steps.to_le_bytes().to_vec()
    }
    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let reason = "its length".to_owned();
        let unreadable = |_| RestoreError::Unreadable { scene: "carousel", reason };
        self.steps = u64::from_le_bytes(bytes.try_into().map_err(unreadable)?);
        Ok(())
    }
    fn hash(&self) -> u64 {
        self.steps
    }
    fn act(&mut self, body: usize, action: &BodyAction) -> Result<(), ActionError> {
        match action {
            BodyAction::Delete if body < BODIES => self.deleted = Some(body),
            action => return Err(ActionError::unsupported(action)),
        }
        Ok(())
    }
    fn actions(&self) -> &'static [ActionKind] {
        &[ActionKind::Delete]
    }
    fn is_finite(&self) -> bool {
        true
    }
}

fn carousel() -> Gallery {
    let assets = prall::scenes::open("bouncing-ball").unwrap().assets().clone();
    let build = move || {
        let mut assets = assets.clone();
        assets.bodies = vec![assets.bodies[0].clone(); BODIES];
        Box::new(Carousel { assets, report: StepReport::default(), steps: 0, deleted: None })
            as Box<dyn Simulation>
    };
    let text = |text: &str| text.to_owned();
    Gallery::default().with(Entry {
        name: text("carousel"),
        title: text("Carousel"),
        line: text("Turns"),
        group: text("Tests"),
        source: text("Tests"),
        size: text("40 bodies"),
        about: text("Half of it moves."),
        picture: String::new(),
        file: None,
        build: Box::new(build),
    })
}

#[tokio::test]
async fn frames_carry_only_what_moved() {
    let mut page = Page::open(start_with(carousel(), Options::default()).await, "scene=carousel").await;
    let first = page.frame(|_| true).await;
    assert_eq!(first.sent() as usize, BODIES);
    let later = page.frame(|frame| frame.time() > first.time() + 0.1).await;
    assert_eq!(later.sent() as usize, BODIES / 2);
}

#[tokio::test]
async fn a_deleted_body_is_marked_and_the_others_keep_their_numbers() {
    let mut page = Page::open(start_with(carousel(), Options::default()).await, "scene=carousel").await;
    page.say(json!({"type": "delete", "body": 3, "id": 1})).await;
    let frame = page.frame(|frame| frame.acknowledged() == 1).await;
    assert_eq!(frame.marks(), [3 | 1 << 24]);
    assert_eq!(frame.moment.poses.len(), BODIES);
}

/// Ten simulated seconds per second, for as long as nothing is too slow.
#[tokio::test]
async fn ten_times_real_time_is_ten_times_as_fast() {
    let mut page = Page::open(start_with(carousel(), Options::default()).await, "scene=carousel").await;
    page.say(json!({"type": "speed", "value": 10, "id": 1})).await;
    let first = page.frame(|frame| frame.acknowledged() == 1).await;
    let begin = std::time::Instant::now();
    page.frame(|frame| frame.time() >= first.time() + 3.0).await;
    // Wide: the machine may be busy. Real time would take three seconds.
    assert!(begin.elapsed() > Duration::from_millis(200) && begin.elapsed() < Duration::from_millis(2500));
}

/// Two frames come to a page that has taken none, whatever the server makes meanwhile; then the newest, not the third.
#[tokio::test]
async fn a_page_with_a_window_gets_the_newest_frame_and_never_a_queue() {
    let address = start().await;
    let mut slow = Page::open(address, "scene=bouncing-ball&window=2").await;
    let mut quick = Page::open(address, "scene=bouncing-ball").await;
    slow.frame(|_| true).await;
    let last = slow.frame(|_| true).await;
    let now = quick.frame(|frame| frame.time() > last.time() + 0.5).await;
    slow.say(json!({"type": "taken", "frame": last.number()})).await;
    let next = slow.frame(|_| true).await;
    assert!(next.number() >= now.number(), "frame {} was waiting, {} is over", next.number(), now.number());
    let mut refused = Page::open(address, "scene=bouncing-ball&window=0").await;
    assert!(refused.text("error").await["message"].as_str().unwrap().contains("1 to 60"));
}

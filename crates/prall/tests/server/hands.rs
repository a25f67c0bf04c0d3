//! Hands that push by a velocity, and sessions that follow each other.

use crate::page::{Frame, Page, start};
use serde_json::{Value, json};

/// The next state that fulfils a condition.
async fn state(page: &mut Page, fits: impl Fn(&Value) -> bool) -> Value {
    loop {
        let state = page.text("state").await;
        if fits(&state) {
            return state;
        }
    }
}

/// The block of the scene `corner` at its start, in hand, running.
async fn in_hand(session: &str) -> Page {
    let address = start().await;
    let mut page = Page::open(address, &format!("scene=corner&session={session}")).await;
    page.say(json!({"type": "pause"})).await;
    page.say(json!({"type": "reset"})).await;
    page.say(json!({"type": "grab", "origin": [0.3, 0.3, 1.0], "direction": [0.0, 0.0, -1.0]})).await;
    page.say(json!({"type": "play", "id": 1})).await;
    page.frame(|frame| frame.acknowledged() == 1).await;
    page.frame(Frame::held).await;
    page
}

#[tokio::test]
async fn a_pushed_part_goes_at_its_speed_and_rests_when_the_hand_does() {
    let mut page = in_hand("push").await;
    page.say(json!({"type": "push", "velocity": [0.0, 0.1, 0.0], "spin": [0.0, 0.0, 0.5], "id": 2})).await;
    let begin = page.frame(|frame| frame.acknowledged() == 2).await;
    let (mut last, mut exact) = (begin, 0);
    // Repeated, as a page does it: a hand that is silent for long rests.
    while last.position()[1] < 0.34 {
        page.say(json!({"type": "push", "velocity": [0.0, 0.1, 0.0], "spin": [0.0, 0.0, 0.5]})).await;
        let frame = page.frame(|_| true).await;
        let (way, time) =
            (f64::from(frame.position()[1] - last.position()[1]), frame.moment.time - last.moment.time);
        // The point that is held is before the block's middle, so that a turn about z leaves that where it is.
        assert!(way < 0.1 * time + 1e-5, "{way} m in {time} s");
        exact += usize::from(time > 0.0 && (way - 0.1 * time).abs() < 1e-5);
        last = frame;
    }
    assert!(exact > 5, "{exact} frames at the speed that is asked for");
    page.say(json!({"type": "push", "velocity": [0.0, 0.0, 0.0], "id": 3})).await;
    let rest = page.frame(|frame| frame.acknowledged() == 3).await;
    for _ in 0..20 {
        assert_eq!(page.frame(|_| true).await.moment.poses[0], rest.moment.poses[0]);
    }
}

/// Pressed on the floor for a second, it leaves it at once when it is pushed up: nothing has added up. A silent hand rests.
#[tokio::test]
async fn nothing_adds_up_while_a_pushed_part_stands() {
    let mut page = in_hand("stand").await;
    let (mut stood, mut since) = (false, 0.0);
    while !stood {
        page.say(json!({"type": "push", "velocity": [0.0, -0.4, 0.0]})).await;
        let frame = page.frame(|_| true).await;
        if frame.position()[1] > 0.0801 {
            since = frame.moment.time;
        }
        stood = frame.moment.time > since + 1.0;
    }
    page.say(json!({"type": "push", "velocity": [0.0, 0.1, 0.0], "id": 4})).await;
    let turned = page.frame(|frame| frame.acknowledged() == 4).await.moment.time;
    let left = page.frame(|frame| frame.position()[1] > 0.081).await.moment.time;
    assert!(left - turned < 0.1, "{} s", left - turned);
    // Not heard of any more.
    let mut still = page.frame(|_| true).await;
    let mut same = 0;
    while same < 20 {
        let frame = page.frame(|_| true).await;
        same = if frame.moment.poses[0] == still.moment.poses[0] { same + 1 } else { 0 };
        still = frame;
    }
    assert!(still.position()[1] < 0.2, "{}", still.position()[1]);
}

#[tokio::test]
async fn a_session_follows_another_one_to_the_same_bits_and_stops_where_its_scene_differs() {
    let address = start().await;
    let mut leader = Page::open(address, "scene=peg-in-hole&session=lead").await;
    let mut follower = Page::open(address, "scene=peg-in-hole&session=second").await;
    leader.say(json!({"type": "reset", "id": 1})).await;
    leader.frame(|frame| frame.acknowledged() == 1).await;
    follower.say(json!({"type": "follow", "session": "nobody", "delay": 0.3})).await;
    follower.text("error").await;
    follower.say(json!({"type": "follow", "session": "lead.peg-in-hole", "delay": 0.3})).await;
    let begun = state(&mut follower, |state| !state["following"].is_null()).await;
    assert_eq!(begun["following"], json!({"session": "lead.peg-in-hole", "delay": 0.3, "stopped": null}));
    follower.say(json!({"type": "reset"})).await;
    let refused = follower.text("error").await;
    assert!(refused["message"].as_str().unwrap().contains("follows lead.peg-in-hole"), "{refused}");

    // The leader goes on a while and stands still; the follower comes to exactly where it is.
    leader.frame(|frame| frame.moment.time > 2.0).await;
    leader.say(json!({"type": "pause", "id": 2})).await;
    let there = leader.frame(|frame| frame.acknowledged() == 2).await.moment.poses[0];
    follower.frame(|frame| frame.moment.poses[0] == there).await;

    // The leader's hole is wider from now on, and its peg begins anew elsewhere: a jump.
    leader.say(json!({"type": "set", "parameter": "clearance", "value": 1.0})).await;
    leader.say(json!({"type": "reset"})).await;
    leader.say(json!({"type": "play"})).await;
    let stopped = |state: &Value| !state["following"]["stopped"].is_null();
    let jumped = state(&mut follower, stopped).await;
    assert!(jumped["following"]["stopped"].as_str().unwrap().contains("jumped"), "{jumped}");

    // Followed from its start on, it goes where there is no room.
    follower.say(json!({"type": "follow", "session": null})).await;
    follower.say(json!({"type": "set", "parameter": "clearance", "value": 0.05})).await;
    follower.say(json!({"type": "reset"})).await;
    follower.say(json!({"type": "follow", "session": "lead.peg-in-hole"})).await;
    leader.say(json!({"type": "reset"})).await;
    let last = state(&mut follower, stopped).await;
    let sentence = last["following"]["stopped"].as_str().unwrap();
    assert!(sentence.contains("jumped") || sentence.contains("would meet"), "{sentence}");
}

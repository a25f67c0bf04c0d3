//! Bodies that are added to a running scene, joints that are set, and what undoes both.

use crate::folder::Folder;
use crate::page::{Frame, Page, http, start, start_with};
use prall::recording::{Player, Store, read, verify};
use prall::server::{Gallery, Options};
use serde_json::{Value, json};

async fn ask(page: &mut Page, mut message: Value, id: u32) -> Frame {
    message["id"] = id.into();
    page.say(message).await;
    page.frame(|frame| frame.track() == 0 && frame.acknowledged() >= id).await
}

async fn paused(scene: &str) -> (Page, usize) {
    let mut page = Page::open(start().await, &format!("scene={scene}")).await;
    page.text("hello").await;
    page.say(json!({"type": "pause"})).await;
    let frame = ask(&mut page, json!({"type": "reset"}), 1).await;
    let count = frame.moment.poses.len();
    (page, count)
}

/// A ray from above at a place beside the pyramid.
fn drop_at(body: Value, x: f64) -> Value {
    json!({"type": "add", "body": body, "origin": [x, 20.0, 0.0], "direction": [0.0, -1.0, 0.0]})
}

/// Each kind once. Dropped bodies come down and rest on the ground at the height that their shape gives them.
#[tokio::test]
async fn a_ball_a_box_a_hull_a_copy_and_a_gallery_body_are_dropped_where_one_points() {
    let (mut page, count) = paused("pyramid").await;
    // Corners of a cube of 0.4 m.
    let corner = |i: usize| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { 0.2 } else { -0.2 });
    let points: Vec<[f64; 3]> = (0..8).map(corner).collect();
    let bodies = [
        json!({"ball": {"radius": 0.25}}),
        json!({"box": {"half": [0.2, 0.3, 0.2]}}),
        json!({"hull": {"points": points}}),
        json!({"copy": {"body": 0}}),
        json!({"gallery": {"scene": "wall", "body": "brick 1-1"}}),
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        page.say(drop_at(body, 30.0 + 3.0 * number as f64)).await;
        let hello = page.text("hello").await;
        let listed = hello["assets"]["bodies"].as_array().unwrap();
        assert_eq!(listed.len(), count + number + 1);
        assert!(listed[count + number]["movable"].as_bool().unwrap());
    }
    for i in 0..120 {
        ask(&mut page, json!({"type": "step"}), 10 + i).await;
    }
    let frame = ask(&mut page, json!({"type": "step"}), 200).await;
    let height = |added: usize| frame.moment.poses[count + added][1];
    assert!((height(0) - 0.25).abs() < 2e-3, "ball at {}", height(0));
    assert!((height(1) - 0.3).abs() < 2e-3, "box at {}", height(1));
    assert!((height(2) - 0.2).abs() < 2e-3, "hull at {}", height(2));
    // A copy rests as high as the box that it was made of, which stands on the ground too; a brick is 0.1 m high or so.
    assert!((height(3) - frame.moment.poses[0][1]).abs() < 2e-3, "copy at {}", height(3));
    assert!(height(4) > 0.0 && height(4) < 0.5, "brick at {}", height(4));
}

/// A shot ball has its velocity: after n steps of free flight it is where the closed form says.
#[tokio::test]
async fn a_shot_ball_flies_along_the_ray() {
    let (mut page, count) = paused("pyramid").await;
    let shot = json!({"type": "add", "body": {"ball": {"radius": 0.1}}, "origin": [0.0, 50.0, 30.0], "direction": [0.0, 0.0, 3.0], "speed": 20.0});
    page.say(shot).await;
    let hello = page.text("hello").await;
    let before = ask(&mut page, json!({"type": "step"}), 2).await;
    let after = ask(&mut page, json!({"type": "step"}), 3).await;
    let step = hello["time_step"].as_f64().unwrap();
    let moved = f64::from(after.moment.poses[count][2] - before.moment.poses[count][2]);
    assert!((moved - 20.0 * step).abs() < 1e-4, "{moved} m in a step of {step} s");
}

#[tokio::test]
async fn what_cannot_be_added_is_refused_with_a_sentence() {
    let (mut page, count) = paused("pyramid").await;
    let up = json!({"type": "add", "body": {"ball": {"radius": 0.1}}, "origin": [30.0, 20.0, 0.0], "direction": [0.0, 1.0, 0.0]});
    for (message, words) in [
        (drop_at(json!({"ball": {"radius": -1.0}}), 30.0), "a size is from"),
        (drop_at(json!({"ball": {"radius": 1e9}}), 30.0), "a size is from"),
        (drop_at(json!({"hull": {"points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}), 30.0), "volume"),
        (drop_at(json!({"copy": {"body": 100_000}}), 30.0), "no body 100000"),
        (drop_at(json!({"gallery": {"scene": "wal", "body": "x"}}), 30.0), "wall"),
        (drop_at(json!({"gallery": {"scene": "wall", "body": "x"}}), 30.0), "no body 'x'"),
        (up, "nothing is there to put it on"),
    ] {
        page.say(message.clone()).await;
        let error = page.text("error").await;
        assert!(error["message"].as_str().unwrap().contains(words), "{message}: {error}");
    }
    let frame = ask(&mut page, json!({"type": "step"}), 50).await;
    assert_eq!(frame.moment.poses.len(), count);
}

/// Undo goes to the moment before: the state has the bits that it had, and the next undo takes the deed before that.
#[tokio::test]
async fn undo_takes_back_additions_deletions_and_throws_one_by_one() {
    let (mut page, count) = paused("pyramid").await;
    let start = ask(&mut page, json!({"type": "step"}), 2).await;
    ask(&mut page, json!({"type": "delete", "body": 3}), 3).await;
    ask(&mut page, json!({"type": "step"}), 4).await;
    let deleted = ask(&mut page, json!({"type": "step"}), 5).await;
    page.say(drop_at(json!({"ball": {"radius": 0.2}}), 30.0)).await;
    page.text("hello").await;
    let added = ask(&mut page, json!({"type": "step"}), 6).await;
    assert_eq!(added.moment.poses.len(), count + 1);
    let undone = ask(&mut page, json!({"type": "undo"}), 7).await;
    assert_eq!((undone.time(), undone.moment.poses.clone()), (deleted.time(), deleted.moment.poses.clone()));
    assert_eq!(undone.marks().len(), 1, "still deleted");
    let undone = ask(&mut page, json!({"type": "undo"}), 8).await;
    assert_eq!((undone.time(), undone.moment.poses.clone()), (start.time(), start.moment.poses.clone()));
    assert!(undone.marks().is_empty());
    page.say(json!({"type": "undo"})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("nothing was done"));
    let on = ask(&mut page, json!({"type": "step"}), 9).await;
    assert!(on.time() > start.time() && on.moment.poses.len() == count);
}

/// Additions, deletions and undoing are inputs: a recording with them is computed again to the bit, and shows the bodies when it is played.
#[tokio::test]
async fn a_recording_with_additions_replays_and_verifies() {
    let folder = Folder::new("added-recorded");
    let options = Options { recordings: Store::new(&folder.0), ..Options::default() };
    let address = start_with(Gallery::standard(), options).await;
    let mut page = Page::open(address, "scene=pyramid").await;
    page.text("hello").await;
    page.say(json!({"type": "pause"})).await;
    let count = ask(&mut page, json!({"type": "reset"}), 1).await.moment.poses.len();
    // Added before the recording begins: it is part of the state at its start.
    page.say(drop_at(json!({"box": {"half": [0.2, 0.2, 0.2]}}), 34.0)).await;
    page.text("hello").await;
    ask(&mut page, json!({"type": "record"}), 2).await;
    for (number, id) in (0..40).zip(3..) {
        match number {
            5 => page.say(drop_at(json!({"ball": {"radius": 0.2}}), 30.0)).await,
            10 => page.say(json!({"type": "delete", "body": count + 1})).await,
            15 => page.say(drop_at(json!({"copy": {"body": 0}}), 38.0)).await,
            20 => page.say(json!({"type": "undo"})).await,
            25 => page.say(drop_at(json!({"gallery": {"scene": "dominoes", "body": "stone 1"}}), 42.0)).await,
            _ => {}
        }
        ask(&mut page, json!({"type": "step"}), id).await;
    }
    page.say(json!({"type": "record", "on": false})).await;
    let name = page.text("recorded").await["recording"].as_str().unwrap().to_owned();
    let recording = read(&folder.0.join(&name)).unwrap();
    let mut pyramid = prall::scenes::open("pyramid").unwrap();
    let replayed = verify(&recording, pyramid.as_mut()).unwrap();
    assert!(replayed.differs_at.is_none() && replayed.steps == 40, "{replayed:?}");
    let bodies = |player: &Player| -> (usize, usize) {
        let assets: Value = serde_json::from_str(player.appearance().assets.get()).unwrap();
        (assets["bodies"].as_array().unwrap().len(), player.moment().poses.len())
    };
    let mut player = Player::new(recording);
    assert_eq!(bodies(&player), (count + 1, count + 1));
    player.seek(1e9);
    let (listed, shown) = bodies(&player);
    assert!(listed == shown && listed >= count + 2, "{listed} {shown}");
    player.seek(0.0);
    assert_eq!(bodies(&player), (count + 1, count + 1));
}

#[tokio::test]
async fn a_gallery_scene_lists_the_bodies_that_others_may_have() {
    let address = start().await;
    let get = |scene: &str| {
        format!("GET /api/scenes/{scene}/bodies HTTP/1.1\nHost: {address}\nConnection: close\n\n")
    };
    let list = http(address, &get("dominoes")).await;
    assert!(list.contains("stone 1"), "{list}");
    assert!(http(address, &get("none")).await.starts_with("HTTP/1.1 404"));
}

/// A machine's free joints are listed with range and unit; setting one moves what hangs on it, and undo brings it back.
#[tokio::test]
async fn joints_of_a_machine_are_set_and_undone() {
    let mut page = Page::open(start().await, "scene=pendulum-cart").await;
    let hello = page.text("hello").await;
    let joints = hello["joints"].as_array().unwrap().clone();
    let joint = joints.iter().position(|joint| joint["unit"] == "°").expect("a pendulum turns");
    page.say(json!({"type": "pause"})).await;
    let before = ask(&mut page, json!({"type": "reset"}), 1).await;
    let set = ask(&mut page, json!({"type": "joint", "joint": joint, "position": 90.0}), 2).await;
    assert_ne!(set.moment.poses, before.moment.poses);
    page.say(json!({"type": "joint", "joint": joint, "position": 1e6})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("within its range"));
    page.say(json!({"type": "joint", "joint": 99, "position": 0})).await;
    assert!(page.text("error").await["message"].as_str().unwrap().contains("no such joint"));
    let undone = ask(&mut page, json!({"type": "undo"}), 3).await;
    assert_eq!(undone.moment.poses, before.moment.poses);
}

//! Keys of scene files do what they say, or are refused where they would do nothing.

mod folder;

use folder::Folder;
use prall_scenes::file::SceneDescription;
use prall_scenes::{Budget, FileScene, Frame, Input};

const BODY: &str = "[[bodies]]\nname = 'a'\nposition = [2, 0, 0]\nmass = { mass = 2, moments = [0.1, 0.1, 0.1] }\nshapes = [{ shape.sphere = { radius = 0.1 } }]\n";

/// The body on a joint of a kind in line 8, with more keys behind its place.
fn scene(kind: &str, keys: &str, more: &str) -> String {
    format!(
        "title = 'x'\ngravity = [0, 0, 0]\n[[joints]]\nkind = '{kind}'\nbodies = ['ground', 'a']\nat = [1, 0, 0]\n{keys}\n{BODY}{more}"
    )
}

const MACHINE: &str = "[[mechanisms]]\nname = 'm'\nbodies = ['a']\n";

/// A slider that is pulled back to rest from x0 by k with damping d goes as exp(-d t / 2 m) cos: the closed form at 1 s, with machine and without.
#[test]
fn springs_and_dampers_act_outside_of_mechanisms_too() {
    let folder = Folder::new("springs");
    let (mass, stiffness, damping, rest, time) = (2.0_f64, 18.0_f64, 1.6_f64, 0.5_f64, 1.0_f64);
    let decay = damping / (2.0 * mass);
    let swing = (stiffness / mass - decay * decay).sqrt();
    let share =
        libm::exp(-decay * time) * (libm::cos(swing * time) + decay / swing * libm::sin(swing * time));
    let wanted = 2.0 + rest * (1.0 - share);
    let keys = format!(
        "axis = [1, 0, 0]\ndrive = {{ spring = {{ stiffness = {stiffness}, rest = {rest} }}, damping = {damping} }}"
    );
    for more in ["", MACHINE] {
        let text = format!("step = 0.001\n{}", scene("slider", &keys, more));
        let mut scene =
            FileScene::read(folder.write("s.toml", &text)).unwrap_or_else(|error| panic!("{error}")).build();
        for _ in 0..1000 {
            scene.step(&Input::default(), &mut Budget::unlimited());
        }
        let mut frame = Frame::default();
        scene.frame(&mut frame);
        let found = frame.poses[0].translation.x;
        // Second order: (swing h)^2 / 12 of the way at 1 ms is below a micrometre.
        assert!((found - wanted).abs() < 1e-5, "{found} is not {wanted}");
    }
}

#[test]
fn keys_that_would_do_nothing_are_refused_with_their_line() {
    let axis = "axis = [1, 0, 0]\n";
    let hinge = |drive: &str| format!("{axis}drive = {{ {drive} }}");
    for (kind, keys, more, key) in [
        ("ball", axis.to_owned(), "", "'axis' means nothing for a joint of this kind"),
        ("hinge", format!("{axis}to = [1, 2, 3]"), "", "'to' means nothing"),
        ("slider", format!("{axis}pitch = 0.1"), "", "'pitch' means nothing"),
        (
            "hinge",
            format!("{axis}path = {{ points = [[0, 0, 0], [1, 0, 0]] }}"),
            MACHINE,
            "'path' means nothing",
        ),
        ("fixed", "drive = { friction = 1 }".to_owned(), "", "'drive' means nothing"),
        ("distance", "to = [2, 0, 0]\ndrive = { limits = [0, 1] }".to_owned(), "", "'drive' means nothing"),
        ("ball", "drive = { damping = 1 }".to_owned(), MACHINE, "'drive' means nothing"),
        (
            "hinge",
            hinge("motor = { speed = 1, strength = 1 }"),
            MACHINE,
            "'motor' means nothing for a joint of a mechanism",
        ),
        (
            "hinge",
            format!("{axis}collide = true"),
            MACHINE,
            "'collide' means nothing for a joint of a mechanism",
        ),
        ("hinge", hinge("driven = true"), "", "'driven' means nothing for a joint outside of a mechanism"),
        ("hinge", format!("{axis}follows = {{ joint = 'other' }}"), "", "'follows' means nothing"),
        ("hinge", hinge("spring = { stiffness = 1, outer = 2, knee = 3 }"), "", "'outer' means nothing"),
        (
            "hinge",
            hinge("spring = { stiffness = 1, knee = 3 }"),
            MACHINE,
            "'knee' of a spring means nothing without 'outer'",
        ),
    ] {
        let text = scene(kind, &keys, more);
        let error = SceneDescription::from_toml(&text, "x.toml").expect_err(&text).to_string();
        assert!(error.starts_with("x.toml:4:8: ") && error.contains(key), "{key}: {error}");
    }
    let moving = BODY.to_owned() + "velocity = [1, 0, 0]\n";
    let text = scene("hinge", axis, MACHINE).replace(BODY, &moving);
    let error = SceneDescription::from_toml(&text, "x.toml").expect_err(&text).to_string();
    assert!(
        error.starts_with("x.toml:10:8: 'a' has a velocity, but goes where its joint takes it"),
        "{error}"
    );
    // A floating machine begins with the velocity of its first body.
    let floating = format!("title = 'x'\n{moving}{MACHINE}");
    SceneDescription::from_toml(&floating, "x.toml").unwrap_or_else(|error| panic!("{error}"));
}

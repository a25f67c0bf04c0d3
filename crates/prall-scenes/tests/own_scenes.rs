//! Scene files as a person writes them: ground by default, colours, messages that say where a key belongs, the text that a scene was read from.

use prall_scenes::file::{Colour, SceneDescription};
use prall_scenes::{Budget, FileScene, Frame, Input, Simulation};
use std::path::PathBuf;

const BALL: &str = "title = 'x'\n[[bodies]]\nname = 'ball'\nposition = [0, 0.5, 0]\nshapes = [{ shape.sphere = { radius = 0.1 } }]\n";

fn open(text: &str) -> Box<dyn Simulation> {
    FileScene::from_text("my.toml", text.to_owned()).unwrap_or_else(|error| panic!("{error}")).build()
}

fn complaint(text: &str) -> String {
    SceneDescription::from_toml(text, "my.toml").expect_err("it is wrong").to_string()
}

/// Height of the first body after two seconds.
fn height_after_two_seconds(scene: &mut dyn Simulation) -> f64 {
    for _ in 0..120 {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
    let mut frame = Frame::default();
    scene.frame(&mut frame);
    frame.poses[0].translation.y
}

/// A ball of 0.1 m comes to rest at 0.1 m on ground at 0; in free fall it would be at 0.5 - 9.81/2 * 4 = -19 m by then.
#[test]
fn a_scene_stands_on_ground_that_nobody_wrote() {
    let mut scene = open(BALL);
    assert_eq!(scene.assets().ground, Some(0.0));
    let height = height_after_two_seconds(scene.as_mut());
    assert!((height - 0.1).abs() < 1e-3, "{height}");
}

#[test]
fn ground_can_be_moved_given_a_material_and_left_out() {
    let mut lower = open(&format!("ground = -1.0\n{BALL}"));
    assert_eq!(lower.assets().ground, Some(-1.0));
    let height = height_after_two_seconds(lower.as_mut());
    assert!((height + 0.9).abs() < 1e-3, "{height}");
    let mut none = open(&format!("ground = false\n{BALL}"));
    assert_eq!(none.assets().ground, None);
    assert!(height_after_two_seconds(none.as_mut()) < -15.0);
    let ice = "ground = { height = 0.0, material = 'ice' }\n";
    let slide = "velocity = [1, 0, 0]\n[materials.ice]\nstatic_friction = 0\ndynamic_friction = 0\n";
    let mut slides = open(&format!(
        "{ice}{}{slide}",
        BALL.replace("sphere = { radius = 0.1 }", "box = { size = [0.2, 0.2, 0.2] }")
    ));
    let mut frame = Frame::default();
    height_after_two_seconds(slides.as_mut());
    slides.frame(&mut frame);
    assert!((frame.poses[0].translation.x - 2.0).abs() < 1e-3, "no friction: 1 m/s for 2 s");
}

/// Where ground would be in the way there is none: what starts below it, what does not fall, what has ground of its own.
#[test]
fn no_ground_is_added_where_it_would_be_in_the_way() {
    let below = BALL.replace("[0, 0.5, 0]", "[0, 0.05, 0]");
    assert_eq!(open(&below).assets().ground, None);
    assert_eq!(open(&format!("gravity = [0, 0, 0]\n{BALL}")).assets().ground, None);
    let own = format!(
        "{BALL}[[bodies]]\nname = 'floor'\nkind = 'fixed'\nshapes = [{{ shape.half_space = {{}}, position = [0, -2, 0] }}]\n"
    );
    assert_eq!(open(&own).assets().ground, Some(-2.0));
    assert!(
        complaint(&format!("ground = {{ material = 'ice' }}\n{BALL}")).contains("no material is named 'ice'")
    );
    assert!(complaint(&format!("ground = 'low'\n{BALL}")).contains("a height in metres"));
    assert!(complaint(&format!("ground = inf\n{BALL}")).starts_with("my.toml:1:10: "));
}

#[test]
fn colours_are_the_bodys_or_the_materials_and_materials_say_how_they_shine() {
    let text = "title = 'x'\nground = false\n[materials.steel]\ncolour = '#9aa3a8'\nmetallic = 0.8\nroughness = 0.25\n\
        [[bodies]]\nname = 'a'\nmaterial = 'steel'\nshapes = [{ shape.sphere = { radius = 1 } }]\n\
        [[bodies]]\nname = 'b'\nmaterial = 'steel'\ncolour = 'red'\nshapes = [{ shape.sphere = { radius = 1 } }]\nposition = [5, 0, 0]\n";
    let scene = open(text);
    let look = |body: usize| scene.assets().looks[scene.assets().bodies[body].look].clone();
    assert_eq!((look(0).color, look(0).metallic, look(0).roughness), ("#9aa3a8", 0.8, 0.25));
    assert_eq!((look(1).color, look(1).metallic), ("#b83a32", 0.8));
    assert_eq!(Colour::parse("#f80").map(Colour::hexadecimal).as_deref(), Some("#ff8800"));
    assert_eq!(Colour::parse("#ff88"), None);
    let body = "title = 'x'\n[[bodies]]\nname = 'a'\ncolour = 'gren'\n";
    assert_eq!(complaint(body), "my.toml:4:10: unknown colour 'gren'; did you mean 'green'?");
    assert!(complaint(&body.replace("gren", "#12345")).contains("#rrggbb"));
    assert!(
        complaint(&body.replace("colour = 'gren'", "color = 'green'")).contains("did you mean 'colour'?")
    );
    let glass = "title = 'x'\n[materials.glass]\nopacity = 1.5\n";
    assert!(complaint(glass).contains("opacity are from 0 to 1"));
}

/// What people wrote in their first files, and what would have been right.
#[test]
fn a_key_one_level_too_high_or_too_low_is_told_where_it_belongs() {
    let body = "title = 'x'\n[[bodies]]\nname = 'a'\n";
    for (line, help) in [
        ("shapes = [{ box = { size = [1, 1, 1] } }]", "write shape.box = { ... } in the list of shapes"),
        ("shapes = [{ radius = 1 }]", "shape.sphere = { radius = 0.5 }"),
        ("box = { size = [1, 1, 1] }", "shapes = [{ shape.box"),
        ("radius = 0.5", "it belongs to a shape"),
        ("restitution = 0.5", "[materials.NAME] restitution = ..."),
        ("friction = 0.5", "it belongs to a material"),
        ("shapes = [{ shape.sphere = { radus = 1 } }]", "did you mean 'radius'?"),
        ("mass = 5", "a table { mass, centre, moments, products }"),
        ("position = 3", "three numbers, as [x, y, z]"),
    ] {
        let message = complaint(&format!("{body}{line}\n"));
        assert!(message.starts_with("my.toml:4:") && message.contains(help), "{line}: {message}");
    }
    let joint = "title = 'x'\n[[joints]]\nkind = 'hinge'\nbodies = ['ground', 'a']\nat = [0, 0, 0]\n";
    for (line, help) in [
        ("limits = [0, 90]", "it belongs under 'drive': drive = { limits = ... }"),
        ("motor = { speed = 1, strength = 1 }", "drive = { motor = ... }"),
        ("drive = { speed = 3 }", "motor = { speed = 90, strength = 10 }"),
    ] {
        let message = complaint(&format!("{joint}{line}\n"));
        assert!(message.starts_with("my.toml:6:") && message.contains(help), "{line}: {message}");
    }
}

/// A scene knows the text that it was read from and every file that belongs to it, and can be built from that text later.
#[test]
fn a_scene_can_be_read_again_from_its_text_after_the_file_has_changed() {
    let folder: PathBuf = std::env::temp_dir().join(format!("prall-own-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("part.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    )
    .unwrap();
    let text = "title = 'x'\n[meshes.part]\nfile = 'part.obj'\n[[bodies]]\nname = 'a'\nposition = [0, 1, 0]\nshapes = [{ shape.mesh = { name = 'part' } }]\n";
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).unwrap();
    let scene = FileScene::read(&path).unwrap();
    assert_eq!(scene.text(), text);
    assert_eq!(scene.files().collect::<Vec<_>>(), [path.clone(), folder.join("part.obj")]);
    let hash = |scene: FileScene| {
        let mut simulation = scene.build();
        height_after_two_seconds(simulation.as_mut());
        simulation.hash()
    };
    let before = hash(scene);
    std::fs::write(&path, text.replace("[0, 1, 0]", "[0, 2, 0]")).unwrap();
    assert_ne!(hash(FileScene::read(&path).unwrap()), before);
    assert_eq!(hash(FileScene::from_text(&path, scene.text().to_owned()).unwrap()), before);
    std::fs::remove_dir_all(&folder).unwrap();
}

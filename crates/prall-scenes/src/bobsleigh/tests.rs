use super::{BobOffer, Bobsleigh, Haptics};
use crate::{Budget, ControlValues, Frame, Input, Overlay, OverlaySelection, ShapeAsset, Simulation};
use glam::{DVec3, Vec3};
use prall_bob::haptics::{FeelingOptions, Packet};
use prall_bob::sled::{Setup, TWO_MAN};
use prall_bob::track::{Foot, MeshIce, Tessellation};
use prall_geometry::PolygonSoup;

fn after(scene: &mut Bobsleigh, seconds: f64, input: &Input) {
    for _ in 0..(60.0 * seconds) as u32 {
        scene.step(input, &mut Budget::unlimited());
    }
}

fn held(scene: &Bobsleigh, values: &[(&str, f64)]) -> Input {
    let mut held = ControlValues::default();
    for (key, value) in values {
        held.set(scene.controls(), key, *value).unwrap();
    }
    Input { controls: Some(held), ..Input::default() }
}

#[test]
fn the_pilot_brings_the_sled_on_its_way() {
    let mut scene = Bobsleigh::new();
    after(&mut scene, 4.0, &Input::default());
    assert!(scene.is_finite() && scene.run.station() > 0.0, "{}", scene.run.station());
    assert!(scene.report().contacts >= 4);
    // 83 steps of the sled in one of the scene.
    assert_eq!(scene.report().work, 83);
}

#[test]
fn a_restored_scene_goes_on_bit_by_bit() {
    let mut scene = Bobsleigh::new();
    scene.set("speed", 11.0).unwrap();
    scene.set("tremor", 0.2).unwrap();
    scene.reset();
    after(&mut scene, 1.0, &Input::default());
    let saved = scene.save();
    after(&mut scene, 1.0, &Input::default());
    let mut other = Bobsleigh::new();
    other.restore(&saved).unwrap();
    after(&mut other, 1.0, &Input::default());
    assert_eq!((scene.hash(), scene.save()), (other.hash(), other.save()));
    assert!(other.restore(&saved[..saved.len() - 3]).is_err());
}

#[test]
fn controls_take_the_ropes_from_the_pilot() {
    let mut scene = Bobsleigh::new();
    let input = held(&scene, &[("push", 1.0), ("steering", -0.5)]);
    after(&mut scene, 1.5, &input);
    let angle = scene.run.sled().steering();
    assert!((angle - scene.setup.steering_angle(-0.5)).abs() < 1e-9 && angle < 0.0, "{angle}");
    let pushed = scene.run.sled().velocity().length();
    scene.reset();
    let input = held(&scene, &[]);
    after(&mut scene, 1.5, &input);
    assert!(pushed > scene.run.sled().velocity().length() + 1.0);
}

/// Sliders of the setup reach the sled with the next reset: less friction across turns less, and the plain places are the plain sled to the bit.
#[test]
fn the_setup_is_set_by_sliders() {
    let mut scene = Bobsleigh::new();
    let plain = Setup::read("two-man", TWO_MAN).unwrap();
    assert_eq!(scene.setup.runner_friction(), plain.runner_friction());
    assert_eq!(scene.setup.steering_angle(0.5), plain.steering_angle(0.5));
    for (key, value) in [("split", 3.0), ("axle", 1.0), ("across", 0.05), ("directness", 1.0)] {
        scene.set(key, value).unwrap();
    }
    let before = scene.hash();
    scene.reset();
    assert_eq!(scene.setup.runner_friction().2, [0.02, 0.05]);
    assert!((scene.setup.steering_angle(0.5).to_degrees() - 5.0).abs() < 1e-12);
    after(&mut scene, 0.3, &Input::default());
    let soft = scene.hash();
    let mut plain = Bobsleigh::new();
    assert_eq!(plain.hash(), before);
    after(&mut plain, 0.3, &Input::default());
    assert!(plain.hash() != soft);
}

#[test]
fn labels_say_speed_and_splits() {
    let mut scene = Bobsleigh::new();
    scene.set("speed", 12.0).unwrap();
    scene.reset();
    after(&mut scene, 4.6, &Input::default());
    let mut frame = Frame { wanted: OverlaySelection::new(&[Overlay::Labels], 0), ..Frame::default() };
    scene.frame(&mut frame);
    assert_eq!(frame.poses.len(), scene.assets().bodies.len());
    assert!(frame.labels[0].text.contains("km/h"), "{}", frame.labels[0].text);
    assert!(frame.labels[1].text.starts_with("50 m: "), "{}", frame.labels[1].text);
}

#[test]
fn the_other_track_comes_with_the_next_reset() {
    let mut scene = Bobsleigh::new();
    let shapes = scene.assets().shapes.clone();
    scene.set("track", 2.0).unwrap();
    assert!(scene.assets().shapes == shapes);
    scene.reset();
    assert!(scene.assets().shapes != shapes);
    after(&mut scene, 0.5, &Input::default());
    assert!(scene.is_finite());
}

/// One surface for the eye and for the runners: chords of half a metre along and facets of the ellipse leave a few millimetres.
#[test]
fn the_picture_of_the_ice_lies_on_the_ice() {
    let scene = Bobsleigh::new();
    let assets = scene.assets();
    let mut soup = PolygonSoup::from_triangles(Vec::new(), &[]).unwrap();
    for body in assets.bodies.iter().filter(|body| body.name == "ice") {
        let ShapeAsset::Mesh(mesh) = &assets.shapes[body.shape] else { panic!("ice is a mesh") };
        let positions = mesh.positions.iter().map(|place| Vec3::from_array(*place).as_dvec3()).collect();
        soup.append(&PolygonSoup::from_triangles(positions, &mesh.triangles).unwrap()).unwrap();
    }
    let fit = MeshIce::new(&soup).unwrap().fit(&scene.run.course().ice).unwrap();
    assert!(fit.largest < 7e-3 && fit.mean < 1e-3 && fit.covered == 1.0, "{fit:?}");
}

/// A run by own hands, with help and another setup, from a curve on: its record goes through a file and is driven again to the same bits.
#[test]
fn a_run_of_the_seat_is_written_down_and_repeated() {
    let mut scene = Bobsleigh::new();
    for (key, value) in [("speed", 10.0), ("help", 0.5), ("split", 3.0), ("glide", 1.1), ("offset", 0.05)] {
        scene.set(key, value).unwrap();
    }
    scene.write_down();
    scene.reset();
    for frame in 0..180 {
        let steering = 0.3 * libm::sin(0.2 * f64::from(frame));
        let input = held(&scene, &[("steering", if frame < 90 { steering } else { 0.1 })]);
        after(&mut scene, 1.0 / 59.0, &input);
    }
    let record = scene.record().unwrap();
    assert_eq!(record.result.hash, scene.hash());
    assert_eq!((record.result.steps, record.about.hands.len()), (180 * 83, 91));
    assert!(
        record.samples.len() > 295 && record.about.setup.contains("alpha_hard"),
        "{}",
        record.samples.len()
    );
    let read = prall_bob::record::Record::read("seat.run", &record.write()).unwrap();
    let again = read.repeat(scene.begun.run(scene.offer));
    assert!(again.same(), "{again:?}");
    scene.reset();
    assert!(scene.record().unwrap().samples.is_empty());
}

/// A whole run, by the poses that the page gets: the soles of the runners as it draws them (a rocker of 12 m, a metre long, turned up at both ends)
/// against the ice as it draws it near the eye (24 pieces of the ellipse, 6 of other parts, rows half a metre apart). No place of any sole is ever more
/// than 3 mm below it: of these triangles lie up to 2.8 mm before the ice. They stand on it, too, and are turned from how the model pitches by less
/// than its runners ever pitch.
#[test]
fn drawn_runners_lie_on_the_drawn_ice() {
    let offer = BobOffer::standard();
    let track = offer.tracks().next().unwrap();
    let drawn = track.mesh(&Tessellation { ellipse: 24, other: 6, along: 1 }).ice;
    let mesh = MeshIce::new(&drawn).unwrap();
    let mut scene = Bobsleigh::of(offer);
    let soles: Vec<DVec3> = (-10..=10)
        .map(|i| 0.1 * f64::from(i))
        .map(|t| {
            let upturn = 0.28 * libm::pow((t.abs() - 0.7).max(0.0), 1.6);
            DVec3::new(0.0, 0.25 * t * t / (2.0 * 12.0) + upturn, 0.5 * t)
        })
        .collect();
    let runners = [
        ("runner_1", -0.335, 0.0),
        ("runner_2", 0.335, 0.0),
        ("runner_3", -0.335, -1.69),
        ("runner_4", 0.335, -1.69),
    ];
    let parts = super::sled_parts();
    let mut frame = Frame::default();
    let (mut deepest, mut most_turned, mut highest_at_rest) = (0.0_f64, 0.0_f64, 0.0_f64);
    let (mut untouched, mut all) = (0_u32, 0_u32);
    while scene.run.goes_on() && scene.run.result().time.is_none() {
        scene.step(&Input::default(), &mut Budget::unlimited());
        // Twenty pictures a second show what sixty would.
        if scene.frames > 5 && !scene.frames.is_multiple_of(3) {
            continue;
        }
        frame.poses.clear();
        scene.frame(&mut frame);
        for (name, x, z) in runners {
            let part = parts.iter().position(|part| part.body == name).unwrap();
            let pose = frame.poses[part] * parts[part].place.inverse();
            let own = scene.run.sled().frame_of(scene.run.sled().body(name).unwrap());
            let nearest =
                |sole: &DVec3| mesh.nearest(pose.transform_point(*sole + DVec3::new(x, 0.0, z))).distance;
            let least = soles.iter().map(nearest).fold(f64::INFINITY, f64::min);
            if -least > deepest {
                deepest = -least;
                let station = scene.run.station();
                let ice = &scene.run.course().ice;
                let exact = soles.iter().map(|sole| {
                    ice.nearest(pose.transform_point(*sole + DVec3::new(x, 0.0, z)), &mut Foot::near(station))
                        .distance
                });
                let exact = exact.fold(f64::INFINITY, f64::min);
                println!(
                    "{name} at {station:.1} m: {deepest} m below what is drawn, {} m below the ice",
                    -exact
                );
            }
            if scene.frames < 5 {
                highest_at_rest = highest_at_rest.max(least);
            }
            most_turned = most_turned.max(pose.rotation.angle_between(own.rotation));
            (all, untouched) = (all + 1, untouched + u32::from(pose == own));
        }
    }
    assert!(scene.run.result().time.is_some());
    println!("at most {deepest} m deep, turned by {most_turned}, {untouched} of {all} as they are");
    assert!(deepest < 3e-3, "{deepest}");
    assert!(highest_at_rest < 2e-3, "{highest_at_rest}");
    assert!(most_turned < 0.1, "{most_turned}");
}

/// Forces go out while somebody drives, and only then; the run is the same with them.
#[test]
fn forces_are_sent_to_the_hands_of_who_drives() {
    let device = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    device.set_read_timeout(Some(std::time::Duration::from_secs(5))).unwrap();
    let haptics = Haptics { address: device.local_addr().unwrap(), options: FeelingOptions::default() };
    let mut scene = Bobsleigh::of(BobOffer::with(None, None, Some(haptics)).unwrap());
    let mut plain = Bobsleigh::new();
    let input = held(&plain, &[("push", 1.0), ("steering", 0.4)]);
    for scene in [&mut scene, &mut plain] {
        after(scene, 0.5, &Input::default());
        after(scene, 0.5, &input);
    }
    assert_eq!(scene.hash(), plain.hash());
    let mut buffer = [0; 64];
    let mut packets = Vec::new();
    while let Ok(length) = device.recv(&mut buffer) {
        packets.push(Packet::read(&buffer[..length]).unwrap());
        device.set_nonblocking(true).unwrap();
    }
    // Half a second of 83 steps sixty times a second, in windows of 50.
    assert_eq!(packets.len(), 30 * 83 / 50);
    assert!(packets.windows(2).all(|pair| pair[1].number == pair[0].number + 1));
    assert!(packets.iter().any(|packet| packet.force != 0.0));
}

use glam::{DQuat, DVec3};
use prall_math::Norm;

use super::{About, Held, Record, Recorder, Sample};
use crate::pilot::PilotOptions;
use crate::run::{
    Conditions, Crash, CrashCause, Hands, Hit, HitSide, Run, RunResult, STEP, Split, Start, tests as runs,
};
use crate::sled::{GRAVITY, Setup, TWO_MAN};
use crate::track::Ground;

#[path = "../../../prall-geometry/tests/files/mutation.rs"]
mod mutation;

/// A short file with every kind of number in it.
fn small() -> Record {
    let sample = |t: f64| Sample {
        t,
        s: -1.0 / 3.0,
        left: f64::MIN_POSITIVE,
        height: -0.0,
        position: DVec3::new(1e300, -1e-300, 0.1 + 0.2),
        rotation: DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9),
        velocity: DVec3::new(12.0, 5e-324, 1.0),
        angular: DVec3::ONE,
        steering: [0.01, 0.02, 0.03],
        load: 1.01,
        felt: DVec3::NEG_ONE,
        angles: vec![0.1, 0.2],
        rates: vec![0.3, 0.4],
        torques: vec![0.5, 0.6],
        forces: vec![0.7, 0.8, 0.9],
    };
    Record {
        about: About {
            track: "a \"track\" & <more>.toml".to_owned(),
            profile: "standard".to_owned(),
            mesh: Some("<scan>.glb".to_owned()),
            glide: 1.05,
            start: "pushed".to_owned(),
            pilot: String::new(),
            steering: Some("line & more.csv".to_owned()),
            offset: 0.04,
            tremor: 0.002,
            seed: u64::MAX,
            setup: TWO_MAN.to_owned(),
            help: 0.35,
            hands: vec![
                Held { step: 0, own: None },
                Held { step: 83, own: Some((0.1 + 0.2, -1.0)) },
                Held { step: 1_000_000_007, own: Some((-0.0, 0.0)) },
            ],
        },
        clock_zero: Some(2.5),
        result: RunResult {
            splits: vec![
                Split { s: 50.0, time: 4.8, speed: 13.0 },
                Split { s: 280.0, time: 16.0, speed: 25.0 },
            ],
            time: None,
            top_speed: 30.0,
            largest_load: 3.0,
            bumper_hits: 1,
            hits: vec![Hit {
                s: 111.0,
                time: 9.5,
                side: HitSide::Left,
                bumper: "bumper \"<a>\"".to_owned(),
                ground: Ground::Boards,
                normal_speed: 0.75,
                lost: 1.0 / 3.0,
            }],
            crash: Some(Crash { s: 300.0, time: 17.0, cause: CrashCause::OverTheEdge }),
            rest: 310.0,
            simulated: 30.0,
            steps: 12,
            sweeps: 24,
            unsettled: 1,
            deepest: 1e-5,
            finite: true,
            hash: 0xfedc_ba98_7654_3210,
        },
        joints: vec!["alpha".to_owned(), "beta".to_owned()],
        contacts: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
        samples: vec![sample(0.01), sample(0.02)],
    }
}

/// Every bit: equality of floats does not see the sign of zero, their bits do.
fn same_bits(a: &Record, b: &Record) {
    assert_eq!(a, b);
    let bits = |record: &Record| -> Vec<u64> {
        record.samples.iter().flat_map(|sample| sample.values().into_iter().map(f64::to_bits)).collect()
    };
    assert_eq!(bits(a), bits(b));
}

#[test]
fn a_run_file_survives_the_round_trip_bit_by_bit() {
    let record = small();
    same_bits(&record, &Record::read("small", &record.write()).unwrap());
}

#[test]
fn xml_survives_the_round_trip_bit_by_bit() {
    let record = small();
    same_bits(&record, &Record::read_xml("small", &record.write_xml()).unwrap());
}

/// Setups as people write them: line ends of Windows, tabs, signs that mean something to XML or TOML, letters beyond ASCII.
#[test]
fn the_text_of_a_setup_survives_both_round_trips() {
    let mut record = small();
    record.about.setup = TWO_MAN.replace('\n', "\r\n").replace("two-man bob", "b <\u{f6}b> & 'co' \u{2744}")
        + "# \"\"\"\t]]> \\n\r\n";
    same_bits(&record, &Record::read("small", &record.write()).unwrap());
    same_bits(&record, &Record::read_xml("small", &record.write_xml()).unwrap());
}

#[test]
fn a_run_without_times_survives_both_round_trips() {
    let mut record = small();
    (record.clock_zero, record.result.crash, record.result.time) = (None, None, Some(52.3));
    record.result.splits.clear();
    same_bits(&record, &Record::read("small", &record.write()).unwrap());
    same_bits(&record, &Record::read_xml("small", &record.write_xml()).unwrap());
}

#[test]
fn errors_name_the_line_and_what_would_be_right() {
    let good = small().write();
    let head = good.lines().position(|line| line.starts_with("t[s]")).unwrap();
    let spoilt = |line: usize, change: &dyn Fn(&str) -> String| -> (usize, String) {
        let lines: Vec<String> = good
            .lines()
            .enumerate()
            .map(|(index, text)| if index == line { change(text) } else { text.to_owned() })
            .collect();
        let error = Record::read("bad.run", &lines.join("\n")).unwrap_err();
        (error.line(), error.to_string())
    };
    let (line, what) = spoilt(0, &|_| "# prall run 9".to_owned());
    assert!(line == 1 && what.contains("version 1"), "{what}");
    let (line, what) = spoilt(0, &|_| "time,s".to_owned());
    assert!(line == 1 && what == "bad.run:1: the first line of a run file is \"# prall run 1\"", "{what}");
    let (line, what) = spoilt(1, &|_| "# clock_zero = \"soon\"".to_owned());
    assert!(line == 2 && what.contains("f64"), "{what}");
    let (line, what) = spoilt(head, &|text| text.replace("height[m]", "height[ft]"));
    assert!(
        line == head + 1 && what.contains("column 4 must be \"height[m]\", not \"height[ft]\""),
        "{what}"
    );
    let (line, what) = spoilt(head + 1, &|text| text.replace("1.01", "much"));
    assert!(line == head + 2 && what.contains("load[g] (column 21): \"much\" is no number"), "{what}");
    let (line, what) = spoilt(head + 2, &|text| format!("{text},1"));
    assert!(line == head + 3 && what.contains("34 values where there are 33 columns"), "{what}");
    let (line, what) = spoilt(head + 2, &|text| text.replacen("0.02", "0.01", 1));
    assert!(line == head + 3 && what.contains("t must grow"), "{what}");
    let cut: Vec<&str> = good.lines().take(head + 1).collect();
    assert!(
        Record::read("bad.run", &cut.join("\n")).unwrap_err().to_string().contains("at least one sample")
    );
}

#[test]
fn errors_in_xml_name_the_line_and_what_would_be_right() {
    let good = small().write_xml();
    let error = |from: &str, to: &str| Record::read_xml("bad.xml", &good.replacen(from, to, 1)).unwrap_err();
    let line_of = |text: &str| good.lines().position(|line| line.contains(text)).unwrap() + 1;
    let found = error("cause=\"overTheEdge\"", "cause=\"ghosts\"");
    assert_eq!(found.line(), line_of("<crash"));
    assert!(found.to_string().contains("rolledOver, onItsSide or overTheEdge"), "{found}");
    let found = error("topSpeed=\"30.0\"", "topSpeed=\"fast\"");
    assert_eq!(found.line(), line_of("<times"));
    let found = error("<state>0.01", "<state>early");
    assert!(found.line() == line_of("<state>") && found.to_string().contains("t[s]"), "{found}");
    let found = error("</setup>", "</set>");
    assert_eq!(found.line(), line_of("</setup>"));
}

/// A recorded run is the run that was not recorded, a hundred samples a second.
#[test]
fn recording_changes_nothing_and_has_a_hundred_samples_a_second() {
    let course = runs::course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(12.0), offset: 0.02, ..Conditions::default() };
    let run = || Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let record =
        Record::take(run(), &setup, About { setup: TWO_MAN.to_owned(), glide: 1.0, ..About::default() });
    assert_eq!(record.result, run().finish());
    let rate = record.samples.len() as f64 / record.result.simulated;
    assert!((rate - 100.0).abs() < 0.2, "{rate}");
    for (index, sample) in record.samples.iter().enumerate() {
        let due = super::PERIOD * (index + 1) as f64;
        assert!(sample.t >= due - 1e-12 && sample.t < due + STEP, "{} {due}", sample.t);
    }
    same_bits(&record, &Record::read("slope", &record.write()).unwrap());
}

/// Joint angles and the hull's pose are enough to find every body and every runner again, by the setup's numbers alone.
#[test]
fn frames_of_a_record_are_the_poses_of_the_sled() {
    let course = runs::course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions =
        Conditions { start: Start::Flying(12.0), offset: 0.2, tremor: 0.05, ..Conditions::default() };
    let mut run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let mut recorder = Recorder::new(&run, &setup);
    for _ in 0..100 {
        run.look_with(&Hands::Pilot, |sled| recorder.see(sled));
    }
    recorder.write_down(run.sled());
    let sample = recorder.samples.last().unwrap().clone();
    let joints = setup.joints().map(|(name, _)| name.to_owned()).collect();
    let mut record = small();
    (record.joints, record.samples) = (joints, vec![sample]);
    let frames = record.frames(&setup, &record.samples[0]);
    for (body, frame) in setup.bodies().zip(frames) {
        let node = run.sled().body(body).unwrap();
        let pose = run.sled().tree().pose(node);
        // The tree's frame of a body is at its centre of mass: a point that it carries must be where the setup's numbers put it.
        let at_rest = Setup::read("two-man", TWO_MAN).unwrap();
        let still = crate::sled::Sled::new(&at_rest).unwrap();
        let local =
            still.tree().pose(node).inverse().transform_point(still.frame().transform_point(DVec3::ONE));
        let (expected, found) = (pose.transform_point(local), frame.transform_point(DVec3::ONE));
        assert!(expected.distance(found) < 1e-9, "{body}: {expected} {found}");
    }
}

/// On an even slope the runners carry the weight's part across it, and a sled that slides feels just that.
#[test]
fn a_sliding_sled_carries_and_feels_its_weight() {
    let course = runs::course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(12.0), ..Conditions::default() };
    let run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let record = Record::take(run, &setup, About::default());
    let cosine = 1.0 / (1.0_f64 + 0.08 * 0.08).sqrt();
    let mean = |value: &dyn Fn(&Sample) -> f64| {
        let part: Vec<f64> =
            record.samples.iter().filter(|sample| sample.s > 40.0 && sample.s < 120.0).map(value).collect();
        part.iter().sum::<f64>() / part.len() as f64
    };
    // Springs still swing a little: a percent.
    assert!((mean(&|sample| sample.load) - cosine).abs() < 0.01);
    assert!((mean(&|sample| sample.felt.y) - cosine).abs() < 0.01);
    assert!(mean(&|sample| sample.felt.x).abs() < 0.01);
    let forces = mean(&|sample| sample.forces[..8].iter().sum());
    assert!((forces / (setup.mass() * GRAVITY.norm()) - cosine).abs() < 0.01);
}

/// Every force and torque of a sample is the mean over the steps since the sample before: 49 or 50 of them, a hundredth of a second.
#[test]
fn forces_of_a_sample_are_means_over_its_ten_milliseconds() {
    let course = runs::course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(12.0), offset: 0.05, ..Conditions::default() };
    let mut run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let mut recorder = Recorder::new(&run, &setup);
    let (mut forces, mut torques, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    while steps.len() < 1000 {
        run.look_with(&Hands::Own { steering: 0.02, push: 0.0 }, |sled| {
            recorder.see(sled);
            forces.push(sled.runner_loads(STEP));
            torques.push(sled.steering_torque());
            steps.push(steps.len() as f64 * STEP);
        });
    }
    let beta = setup.joints().position(|(name, _)| name == "beta").unwrap();
    let mut begin = 0;
    for (index, sample) in recorder.samples.iter().enumerate() {
        let end = (sample.t / STEP).round() as usize;
        assert!((49..=51).contains(&(end - begin)), "sample {index}: {} steps", end - begin);
        let mean = |of: &dyn Fn(usize) -> f64| (begin..end).map(of).sum::<f64>() / (end - begin) as f64;
        for (contact, force) in sample.forces.iter().enumerate().take(8) {
            let expected = mean(&|step| forces[step][contact]);
            assert!((force - expected).abs() < 1e-6 * (1.0 + expected), "sample {index}");
        }
        let torque = mean(&|step| torques[step]);
        assert!((sample.torques[beta] - torque).abs() < 1e-9 * (1.0 + torque.abs()), "sample {index}");
        begin = end;
    }
    assert!(recorder.samples.len() > 15);
    let differs = recorder.samples.iter().any(|sample| {
        let last = (sample.t / STEP).round() as usize - 1;
        (sample.torques[beta] - torques[last]).abs() > 0.01 * torques[last].abs()
    });
    assert!(differs, "a mean is not its last value");
}

/// Traces lie on the ice, within what runners sink in, and one whose runner was in the air for a while has a gap there.
#[test]
fn traces_lie_on_the_ice_and_break_where_a_runner_lifts() {
    let course = runs::course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(12.0), ..Conditions::default() };
    let run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let mut record = Record::take(run, &setup, About::default());
    for (_, pieces) in record.traces(&setup) {
        let mut foot = crate::track::Foot::near(record.samples[0].s);
        for point in pieces.iter().flatten().step_by(7) {
            let (s, _) = course.track.project(*point, foot.s);
            foot = crate::track::Foot::near(s);
            let distance = course.ice.nearest(*point, &mut foot).distance;
            // Closed at some time within 10 ms: then up to a millimetre off it at the sample.
            assert!(distance.abs() < 1e-3, "at {s} m: {distance}");
        }
    }
    let name = "runner_3_front";
    let contact = record.contacts.iter().position(|known| known == name).unwrap();
    let pieces_of =
        |record: &Record| record.traces(&setup).into_iter().find(|(known, _)| known == name).unwrap().1;
    let whole = pieces_of(&record).len();
    let lifted = 300..340;
    record.samples[lifted.clone()].iter_mut().for_each(|sample| sample.forces[contact] = 0.0);
    let (from, to) = (record.samples[299].position, record.samples[340].position);
    let pieces = pieces_of(&record);
    assert_eq!(pieces.len(), whole + 1);
    // No piece goes over the gap: none has two neighbouring points further apart than a sample is long, and the gap is.
    let longest = pieces
        .iter()
        .flat_map(|piece| piece.windows(2).map(|pair| pair[0].distance(pair[1])))
        .fold(0.0, f64::max);
    assert!(longest < 0.25 && from.distance(to) > 3.0, "{longest} m, gap of {} m", from.distance(to));
}

/// Eight runner contacts draw lines as long as the way between the first and the last sample.
#[test]
fn runners_leave_traces_on_the_ice() {
    let course = runs::course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(12.0), ..Conditions::default() };
    let run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let record = Record::take(run, &setup, About::default());
    let traces = record.traces(&setup);
    assert_eq!(traces.len(), 8);
    let length = |piece: &Vec<DVec3>| piece.windows(2).map(|pair| pair[0].distance(pair[1])).sum::<f64>();
    let way = record.samples.last().unwrap().s - record.samples[0].s;
    for (runner, pieces) in traces {
        let drawn: f64 = pieces.iter().map(length).sum();
        assert!(drawn > 0.9 * way && drawn < 1.05 * way, "{runner}: {drawn} of {way}");
    }
}

/// Own hands, with help, that change sixty times a second: what is in the file brings back every bit, and another hand does not.
#[test]
fn a_driven_run_is_repeated_from_its_file_to_the_same_bits() {
    let course = runs::course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let begin = || Run::new(&course, &setup, PilotOptions::default(), Conditions::default()).unwrap();
    let help = 0.4;
    let mut run = begin();
    let mut recorder = Recorder::new(&run, &setup);
    let mut hands: Vec<Held> = Vec::new();
    for step in 0..8300_u64 {
        if step % 83 == 0 && step < 4150 || step == 6000 {
            let angle = 0.02 * libm::sin(step as f64);
            hands.push(Held { step, own: (step < 6000).then_some((angle, 1.0)) });
        }
        let held = hands.last().unwrap().hands(&run, help);
        run.step(&held);
        recorder.see(run.sled());
    }
    let about = About { hands, help, glide: 1.0, setup: TWO_MAN.to_owned(), ..About::default() };
    let record = recorder.finish(run, &setup, about);
    assert_eq!(record.samples.len(), 166);
    for text in [
        Record::read("a.run", &record.write()).unwrap(),
        Record::read_xml("a.xml", &record.write_xml()).unwrap(),
    ] {
        let again = text.repeat(begin());
        assert!(again.same() && again.steps == 8300, "{again:?}");
    }
    let mut other = record.clone();
    other.about.hands[20].own = Some((0.01, 1.0));
    assert!(!other.repeat(begin()).same());
    other.about.hands[20].step = 1;
    let error = Record::read("a.run", &other.write()).unwrap_err().to_string();
    assert!(error.contains("steps of hands must grow: 1 after"), "{error}");
}

/// Run files, changed at random: each is read or refused with its line, and none panics.
#[test]
fn soak_mutated_runs_are_read_or_refused() {
    let (csv, xml) = (small().write(), small().write_xml());
    let seeds = [csv.as_bytes(), xml.as_bytes()];
    let kinds = mutation::explore(&seeds, 32, mutation::inputs(1000), |which, bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return "no text".to_owned() };
        let read = if which == 0 { Record::read("f", text) } else { Record::read_xml("f", text) };
        match read {
            Ok(_) => "read".to_owned(),
            Err(error) => {
                assert!(error.line() >= 1 && error.to_string().starts_with("f:"), "{error}");
                error.to_string()
            }
        }
    });
    assert!(kinds > 10, "{kinds} kinds of outcomes");
}

/// Found by the fuzzer: the reader of XML quotes the line end that it met.
#[test]
fn a_refusal_is_one_line() {
    let error = Record::read_xml("f", "<i/\n\n").unwrap_err().to_string();
    assert!(error.starts_with("f:1: ") && !error.contains('\n'), "{error:?}");
}

#[test]
fn samples_are_finite() {
    let text = small().write();
    for word in ["NaN", "inf", "-inf"] {
        let error = Record::read("f", &text.replace(",12.0,", &format!(",{word},"))).unwrap_err();
        assert!(error.to_string().contains("is not finite"), "{error}");
    }
}

/// A column is what the file has under its name, with or without the unit; the speed follows from the velocity.
#[test]
fn a_column_is_found_by_its_name() {
    let course = runs::course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let run = Run::new(&course, &setup, PilotOptions::default(), Conditions::default()).unwrap();
    let record = Record::take(run, &setup, About::default());
    let text = record.write();
    let table: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let names: Vec<&str> = table[0].split(',').collect();
    for name in ["load", "force_bumper_front_left[N]", "torque_beta"] {
        let (full, values) = record.column(name).unwrap();
        let index = names.iter().position(|column| *column == full).unwrap();
        let read = |row: &&str| row.split(',').nth(index).unwrap().parse::<f64>().unwrap();
        assert_eq!(values, table[1..].iter().map(read).collect::<Vec<f64>>());
    }
    let (full, speeds) = record.column("speed").unwrap();
    assert_eq!((full.as_str(), speeds[3]), ("speed[m/s]", record.samples[3].velocity.length()));
    assert_eq!(record.column("sped"), None);
}

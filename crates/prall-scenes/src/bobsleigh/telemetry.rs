//! What instruments on the sled would say, with every frame.

use super::{Begun, STEPS};
use crate::{Channel, Frame};
use glam::DVec3;
use prall_bob::run::{CrashCause, HitSide, Run, STEP};
use prall_bob::sled::{GRAVITY, Law, Setup};
use prall_bob::track::Ground;

const fn channel(key: &'static str, unit: &'static str, text: &'static str) -> Channel {
    Channel { key, unit, text }
}

/// The numbers of a frame, in their order.
pub const CHANNELS: &[Channel] = &[
    channel("station", "m", "Of the front axle"),
    channel("clock", "s", "Since s = 0; -1 before"),
    channel("speed", "m/s", "Of the centre of mass"),
    channel("load", "g", "Force on the runners over weight, mean over the frame"),
    channel("steering", "rad", "Angle of the front runners, to the left above zero"),
    channel("torque", "N m", "Of the ice about the steering axis, mean over the last 10 ms"),
    channel("slip_rear", "rad", "Between the rear runners and the way they go, to the left above zero"),
    channel("slip_front", "rad", "The same of the front runners"),
    channel("runner_1", "N", "On the rear left runner, mean over the frame"),
    channel("runner_2", "N", "Rear right"),
    channel("runner_3", "N", "Front left"),
    channel("runner_4", "N", "Front right"),
    channel("shake", "rad/s", "Sum of the rates of all joints but the steering"),
    channel("bumpers", "N", "On all bumpers, mean over the frame"),
    channel("hits", "", "Of bumpers on walls, so far"),
    channel("hit_speed", "m/s", "Normal speed of the bumper before the last hit"),
    channel("hit_side", "", "Of the last hit: -1 left, 1 right"),
    channel("wood", "", "1 if the last hit was on boards, 0 on ice"),
    channel("splits", "", "Light barriers passed"),
    channel("split_time", "s", "At the last of them; -1 before the first"),
    channel("split_speed", "m/s", "At the last of them"),
    channel("finish", "s", "Time of the run; -1 without one"),
    channel("crash", "m", "Where it crashed; -1 if it did not"),
    channel("crash_cause", "", "1 rolled over, 2 on its side, 3 over the edge"),
    channel("over", "", "1 when the sled stands and the run is over"),
    channel("top_speed", "m/s", "Largest so far"),
    channel("largest_load", "g", "Largest so far"),
    channel("acceleration", "m/s²", "Along the way, mean over the frame"),
    channel("driven", "", "1 while somebody drives, 0 while the pilot does"),
    channel("advice", "rad", "Angle that the pilot would hold"),
    channel("track", "", "Number of the track"),
    channel("curve", "", "Curve before which the run began; 0 is the top"),
    channel("left", "m", "Front axle to the left of the course"),
    channel("height", "m", "Front axle above the course"),
    channel("help", "", "Share of the pilot's steering that was added"),
];

/// Steps of the mean that hands feel: 10 ms.
const FELT_STEPS: u32 = 50;
/// Slower than this, in m/s, a slip angle means nothing.
const SLOWEST: f64 = 0.5;
/// Where the front axle is in the frame of the setup file, in m.
const FRONT_AXLE: f64 = -1.69;

/// Sums over the steps of a frame.
pub(super) struct Telemetry {
    /// Contacts of each runner by their numbers in the sled's file.
    runners: [Vec<usize>; 4],
    driven: bool,
    steps: u32,
    load: f64,
    torque: f64,
    forces: [f64; 4],
    pushed: f64,
    speed_before: f64,
    speed: f64,
}

impl Telemetry {
    pub(super) fn new(setup: &Setup, run: &Run<'_>) -> Telemetry {
        let sled = run.sled();
        let runners = ["runner_1", "runner_2", "runner_3", "runner_4"].map(|runner| {
            let contacts = setup.contacts().enumerate();
            let own = contacts.filter(|(_, (_, law, body, _))| *law == Law::Runner && *body == runner);
            own.map(|(contact, _)| contact).collect()
        });
        let speed = sled.velocity().length();
        Telemetry {
            runners,
            driven: false,
            steps: 0,
            load: sled.mass() * GRAVITY.length(),
            torque: 0.0,
            forces: [0.25 * sled.mass() * GRAVITY.length(); 4],
            pushed: 0.0,
            speed_before: speed,
            speed,
        }
    }

    /// A new frame.
    pub(super) fn begin(&mut self, driven: bool) {
        (self.driven, self.steps) = (driven, 0);
        (self.load, self.torque, self.forces, self.pushed) = (0.0, 0.0, [0.0; 4], 0.0);
        self.speed_before = self.speed;
    }

    /// Looks at the sled after a step.
    pub(super) fn see(&mut self, run: &Run<'_>) {
        let sled = run.sled();
        self.steps += 1;
        self.speed = sled.velocity().length();
        self.load += sled.normal_force();
        if self.steps > STEPS - FELT_STEPS {
            self.torque += sled.steering_torque();
        }
        for (sum, contacts) in self.forces.iter_mut().zip(&self.runners) {
            *sum += contacts.iter().map(|contact| sled.normal_percussion(*contact)).sum::<f64>() / STEP;
        }
        self.pushed += sled.touched().bumpers / STEP;
    }

    /// Angle in rad between where a point of the hull goes and where a runner there points, to the left above zero; 0 near rest.
    fn slip(run: &Run<'_>, z: f64, heading: f64) -> f64 {
        let sled = run.sled();
        let frame = sled.frame();
        let place = frame.transform_point(DVec3::new(0.0, 0.0, z));
        let velocity = sled.tree().twist(0).velocity_at(place - sled.tree().pose(0).translation);
        let left = -velocity.dot(frame.transform_vector(DVec3::X));
        let ahead = -velocity.dot(frame.transform_vector(DVec3::Z));
        if ahead < SLOWEST { 0.0 } else { libm::atan2(left, ahead) - heading }
    }

    /// Writes all channels of the present moment.
    pub(super) fn write(&self, run: &Run<'_>, begun: &Begun, frame: &mut Frame) {
        frame.report(&self.values(run, begun));
    }

    /// All channels of the present moment, in their order.
    pub(super) fn values(&self, run: &Run<'_>, begun: &Begun) -> [f64; CHANNELS.len()] {
        let (sled, result) = (run.sled(), run.result());
        let steps = f64::from(self.steps.max(1));
        let (split, hit) = (result.splits.last(), result.hits.last());
        let (zero, over) = (run.clock_zero(), result.time.or(result.crash.map(|crash| crash.time)));
        let clock = over.or_else(|| zero.map(|zero| run.time() - zero)).unwrap_or(-1.0);
        let shake: f64 = (1..sled.tree().len())
            .filter_map(|node| sled.tree().coordinate(node, 0))
            .map(|(_, rate)| rate.abs())
            .sum();
        let front = sled.frame().transform_point(DVec3::new(0.0, 0.0, FRONT_AXLE));
        let beside = run.course().ice.locate(front, run.station()).1;
        let [rear_left, rear_right, front_left, front_right] = self.forces.map(|force| force / steps);
        [
            run.station(),
            clock,
            sled.velocity().length(),
            self.load / (steps * sled.mass() * GRAVITY.length()),
            sled.steering(),
            self.torque / f64::from(FELT_STEPS),
            Telemetry::slip(run, 0.0, 0.0),
            Telemetry::slip(run, FRONT_AXLE, sled.steering()),
            rear_left,
            rear_right,
            front_left,
            front_right,
            (shake - sled.drive().rate.abs()).max(0.0),
            self.pushed / steps,
            result.hits.len() as f64,
            hit.map_or(0.0, |hit| hit.normal_speed),
            hit.map_or(0.0, |hit| if hit.side == HitSide::Left { -1.0 } else { 1.0 }),
            hit.map_or(0.0, |hit| f64::from(u8::from(hit.ground == Ground::Boards))),
            result.splits.len() as f64,
            split.map_or(-1.0, |split| split.time),
            split.map_or(0.0, |split| split.speed),
            result.time.unwrap_or(-1.0),
            result.crash.map_or(-1.0, |crash| crash.s),
            result.crash.map_or(0.0, |crash| match crash.cause {
                CrashCause::RolledOver => 1.0,
                CrashCause::OnItsSide => 2.0,
                CrashCause::OverTheEdge => 3.0,
            }),
            f64::from(u8::from(!run.goes_on())),
            result.top_speed,
            result.largest_load,
            (self.speed - self.speed_before) / (steps * STEP),
            f64::from(u8::from(self.driven)),
            run.pilot().angle(),
            begun.track as f64,
            begun.curve as f64,
            -beside.x,
            beside.y,
            begun.help,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bobsleigh::Bobsleigh;
    use crate::{Budget, Input, OverlayKind, Simulation};

    fn values(scene: &Bobsleigh) -> Vec<f64> {
        let mut frame = Frame::default();
        scene.frame(&mut frame);
        let items = frame.overlays.iter().filter(|item| item.kind == OverlayKind::Channels);
        items
            .flat_map(|item| {
                [item.from.x, item.from.y, item.from.z, item.to.x, item.to.y, item.to.z, item.value]
            })
            .collect()
    }

    fn at(values: &[f64], key: &str) -> f64 {
        values[CHANNELS.iter().position(|channel| channel.key == key).unwrap()]
    }

    /// Against the frame itself: stations and speeds by differences of places, splits by the clock at the barrier.
    #[test]
    fn channels_agree_with_what_the_frames_show() {
        let mut scene = Bobsleigh::new();
        scene.set("speed", 12.0).unwrap();
        scene.reset();
        assert_eq!(CHANNELS.len() % 7, 0);
        assert_eq!(at(&values(&scene), "splits"), 0.0);
        let mut frame = Frame::default();
        let mut passed = None;
        let mut before = values(&scene);
        for _ in 0..360 {
            scene.frame(&mut frame);
            let from = frame.poses[0].translation;
            scene.step(&Input::default(), &mut Budget::unlimited());
            scene.frame(&mut frame);
            let now = values(&scene);
            let way = (frame.poses[0].translation - from).length();
            // The hull's pose and the centre of mass go at nearly the same speed; the mean of both ends is that of the way.
            let mean = 0.5 * (at(&before, "speed") + at(&now, "speed")) / 60.0;
            assert!((way - mean).abs() < 0.02 * mean + 1e-4, "{way} m in a frame, {mean} by the speed");
            if at(&before, "splits") == 0.0 && at(&now, "splits") == 1.0 {
                passed = Some((at(&before, "clock"), at(&now, "split_time"), at(&now, "clock")));
            }
            before = now;
        }
        let (earlier, split, later) = passed.expect("the barrier at 50 m is passed in six seconds");
        assert!(earlier <= split && split <= later, "{earlier} {split} {later}");
        let weight = scene.run.sled().mass() * 9.81;
        let runners: f64 =
            ["runner_1", "runner_2", "runner_3", "runner_4"].map(|key| at(&before, key)).iter().sum();
        assert!((runners / weight - at(&before, "load")).abs() < 0.01 * at(&before, "load"), "{runners} N");
        assert!(
            at(&before, "slip_rear").abs() < 0.2
                && at(&before, "finish") == -1.0
                && at(&before, "crash") == -1.0
        );
    }

    #[test]
    fn a_run_can_begin_at_any_curve() {
        let mut scene = Bobsleigh::new();
        scene.set("curve", 16.0).unwrap();
        scene.set("help", 1.0).unwrap();
        scene.reset();
        let begin = scene.run.course().track.curves().last().unwrap().stations.0;
        let now = values(&scene);
        assert!((at(&now, "station") - (begin - 40.0)).abs() < 1.0 && at(&now, "curve") == 16.0);
        // With the pilot's help and no hand of one's own the sled comes to the finish.
        let held = Input { controls: Some(crate::ControlValues::default()), ..Input::default() };
        for _ in 0..600 {
            scene.step(&held, &mut Budget::unlimited());
        }
        let end = values(&scene);
        assert!(at(&end, "finish") > 40.0 && at(&end, "driven") == 1.0, "{end:?}");
        assert_eq!(at(&end, "splits"), scene.run.course().track.timing().stations.len() as f64);
    }
}

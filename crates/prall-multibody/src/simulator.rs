//! [`Simulator`]: the loop of a driving simulator, as a part to build in.

use std::time::{Duration, Instant};

use glam::DVec3;
use prall_mechanics::tree::Tree;

use crate::{
    Differentiator, FrameSteps, Mechanism, Moreau, MoreauContact, MoreauOptions, MoreauReport, Pacer, Sampled,
};

/// An input that drives an axis: a steering wheel, a lever.
#[derive(Clone, Copy, Debug)]
struct Channel {
    node: usize,
    axis: usize,
    sampled: Sampled,
    filter: Differentiator,
    /// The samples are rates.
    is_rate: bool,
}

/// How steps follow the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As the source: every frame has the same number of steps, whose length is that of the last frame over their number. It
    /// follows the screen, and no two runs are equal. A frame counts as at most a tenth of a second.
    Frame {
        /// Steps in a frame; 83 in the source.
        steps: u32,
    },
    /// Steps of one length, as many as are due: runs repeat to the bit, whatever the screen does.
    Fixed(Pacer),
}

/// A mechanism with its contacts, inputs and clock.
///
/// ```no_run
/// # use glam::DVec3;
/// # use prall_multibody::{Model, Pace, Pacer, Simulator, Telemetry};
/// # fn joystick() -> f64 { 0.0 }
/// # fn draw(_: &prall_multibody::Mechanism) {}
/// # let (model, gravity) = (Model::default(), DVec3::Y * -9.81);
/// let pace = Pace::Fixed(Pacer::new(1.0 / 4980.0, 200).unwrap());
/// let mut simulator = Simulator::new(model.build()?, pace, gravity);
/// let steering = simulator.input(3, 0, 8.0).unwrap();
/// let mut telemetry = Telemetry::to("192.168.0.20:20777")?;
/// loop {
///     simulator.sample(steering, joystick());
///     simulator.frame(
///         |_tree, _contacts| { /* where the tree touches the track */ },
///         |mechanism, _report, time| {
///             telemetry.send(mechanism, time, gravity);
///             draw(mechanism);
///         },
///     );
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Simulator {
    mechanism: Mechanism,
    moreau: Moreau,
    options: MoreauOptions,
    gravity: DVec3,
    pace: Pace,
    channels: Vec<Channel>,
    time: f64,
    last: Option<Instant>,
}

/// An input of a [`Simulator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputId(usize);

/// A frame is never taken for longer, in s: after a pause of the program the machine goes on where it was.
const LONGEST_FRAME: f64 = 0.1;

impl Simulator {
    /// A mechanism at its start.
    pub fn new(mechanism: Mechanism, pace: Pace, gravity: DVec3) -> Simulator {
        Simulator {
            mechanism,
            moreau: Moreau::default(),
            options: MoreauOptions::default(),
            gravity,
            pace,
            channels: Vec::new(),
            time: 0.0,
            last: None,
        }
    }

    /// How contacts are solved.
    pub fn set_options(&mut self, options: MoreauOptions) {
        self.options = options;
    }

    /// Declares an input for a driven axis, smoothed with a cut-off in Hz; `None` if there is no such axis or frequency.
    pub fn input(&mut self, node: usize, axis: usize, frequency: f64) -> Option<InputId> {
        let (position, _) = self.mechanism.tree().coordinate(node, axis)?;
        let filter = Differentiator::new(frequency, position)?;
        self.channels.push(Channel { node, axis, sampled: Sampled::new(position), filter, is_rate: false });
        Some(InputId(self.channels.len() - 1))
    }

    /// The same for an input that says how fast the axis shall move, in rad/s or m/s: a stick that steers a winch. It begins with 0.
    pub fn rate_input(&mut self, node: usize, axis: usize, frequency: f64) -> Option<InputId> {
        let id = self.input(node, axis, frequency)?;
        let channel = &mut self.channels[id.0];
        (channel.sampled, channel.is_rate) = (Sampled::new(0.0), true);
        Some(id)
    }

    /// A new sample of an input, in rad or m (per second, if it is a rate), at the present simulated time.
    pub fn sample(&mut self, input: InputId, value: f64) {
        if let Some(channel) = self.channels.get_mut(input.0) {
            channel.sampled.sample(self.time, value);
        }
    }

    /// Does what is due since the last call by the clock, and hands the result over; the first call only starts the clock.
    pub fn frame(
        &mut self,
        find: impl FnMut(&Tree, &mut Vec<MoreauContact>),
        output: impl FnMut(&Mechanism, &MoreauReport, f64),
    ) -> u32 {
        let now = Instant::now();
        let passed = self.last.replace(now).map_or(Duration::ZERO, |last| now - last);
        self.advance(passed, find, output)
    }

    /// Does what is due when so much time has passed. `output` is called once, after the last step, if there was one.
    pub fn advance(
        &mut self,
        passed: Duration,
        mut find: impl FnMut(&Tree, &mut Vec<MoreauContact>),
        mut output: impl FnMut(&Mechanism, &MoreauReport, f64),
    ) -> u32 {
        let (steps, h) = match &mut self.pace {
            Pace::Fixed(pacer) => (pacer.due(passed), pacer.step()),
            Pace::Frame { .. } if passed.is_zero() => (0, 0.0),
            Pace::Frame { steps } => {
                let steps = (*steps).max(1);
                (steps, passed.as_secs_f64().min(LONGEST_FRAME) / f64::from(steps))
            }
        };
        if steps == 0 {
            return 0;
        }
        let start = self.time;
        let Simulator { mechanism, moreau, options, gravity, channels, .. } = self;
        let mut step = 0;
        let frame = FrameSteps { seconds: h * f64::from(steps), steps };
        let report = moreau.frame(
            mechanism,
            frame,
            *gravity,
            options,
            |mechanism, h| {
                step += 1;
                let time = start + h * f64::from(step);
                for channel in channels.iter_mut() {
                    let input = channel.sampled.at(time);
                    let target = match channel.is_rate {
                        true => channel.filter.sample_rate(input, h),
                        false => channel.filter.sample(input, h),
                    };
                    mechanism.tree_mut().drive(channel.node, channel.axis, target);
                }
            },
            &mut find,
        );
        self.time = start + frame.seconds;
        output(&self.mechanism, &report, self.time);
        steps
    }

    /// Simulated time in s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// The mechanism, to be placed or loaded.
    pub fn mechanism_mut(&mut self) -> &mut Mechanism {
        &mut self.mechanism
    }

    /// Loads of the last step's contacts on the joints' axes: what a steering wheel is to be made feel.
    pub fn loads(&self) -> &[crate::AxisLoad] {
        self.moreau.loads()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, JointKind, Model};
    use glam::DMat3;
    use prall_math::Pose;
    use prall_mechanics::{Mover, StateHash};

    /// A driven arm with a pendulum on it.
    fn simulator(pace: Pace) -> (Simulator, InputId) {
        let mut model = Model::default();
        let arm = Joint::new(JointKind::Revolute, Pose::IDENTITY, Pose::from_translation(DVec3::Y * 0.5));
        model.body("arm", None, 1.0, DMat3::IDENTITY, Joint { driven: true, ..arm });
        let below = Joint { frame_in_parent: Pose::from_translation(DVec3::Y * -0.5), ..arm };
        model.body("pendulum", Some("arm"), 1.0, DMat3::IDENTITY, below);
        let mut simulator = Simulator::new(model.build().unwrap(), pace, DVec3::Y * -9.81);
        let input = simulator.input(0, 0, 8.0).unwrap();
        (simulator, input)
    }

    fn hash(simulator: &Simulator) -> u64 {
        let mut hash = StateHash::new();
        simulator.mechanism().hash(&mut hash);
        hash.finish()
    }

    /// With fixed steps and the same inputs at the same simulated times two runs are equal, whatever their frames were.
    #[test]
    fn fixed_steps_repeat_to_the_bit() {
        let run = |milliseconds: [u64; 3]| {
            let (mut simulator, input) = simulator(Pace::Fixed(Pacer::new(1e-3, 1000).unwrap()));
            simulator.sample(input, 0.3);
            for passed in milliseconds {
                simulator.advance(Duration::from_millis(passed), |_, _| {}, |_, _, _| {});
            }
            (hash(&simulator), simulator.time())
        };
        let (one, other) = (run([10, 20, 30]), run([30, 25, 5]));
        assert_eq!(one.0, other.0);
        assert!((one.1 - 0.06).abs() < 1e-12 && (other.1 - 0.06).abs() < 1e-12);
    }

    /// A stick that says how fast: the arm turns on at that rate, and stands where it is when the stick is let go.
    #[test]
    fn an_input_may_be_a_rate() {
        let (mut simulator, _) = simulator(Pace::Fixed(Pacer::new(1e-3, 2000).unwrap()));
        simulator.channels.clear();
        let stick = simulator.rate_input(0, 0, 8.0).unwrap();
        let mut run = |rate: f64| {
            simulator.sample(stick, rate);
            simulator.advance(Duration::from_millis(1000), |_, _| {}, |_, _, _| {});
            simulator.mechanism().tree().coordinate(0, 0).unwrap()
        };
        let (angle, rate) = run(0.5);
        assert!((rate - 0.5).abs() < 1e-3 && angle > 0.3 && angle < 0.5, "{angle} {rate}");
        run(0.0);
        let (end, rest) = run(0.0);
        assert!(rest.abs() < 1e-9 && end > angle, "{end} {rest}");
        assert!(simulator.rate_input(7, 0, 8.0).is_none());
    }

    /// The source's mode: 83 steps whatever the frame, and the output sees the end of it.
    #[test]
    fn frames_have_83_steps_and_one_output() {
        let (mut simulator, input) = simulator(Pace::Frame { steps: 83 });
        let mut outputs = Vec::new();
        for milliseconds in [0, 16, 17, 500] {
            simulator.sample(input, 0.5);
            let passed = Duration::from_millis(milliseconds);
            let steps = simulator.advance(passed, |_, _| {}, |_, _, time| outputs.push(time));
            assert_eq!(steps, if milliseconds == 0 { 0 } else { 83 });
        }
        // Half a second of pause counts as a tenth.
        assert_eq!(outputs.len(), 3);
        assert!((outputs[2] - 0.133).abs() < 1e-9, "{outputs:?}");
        let (angle, _) = simulator.mechanism().tree().coordinate(0, 0).unwrap();
        assert!(angle > 0.2 && angle < 0.5, "{angle}");
        assert!(simulator.input(1, 0, 0.0).is_none() && simulator.input(7, 0, 1.0).is_none());
    }
}

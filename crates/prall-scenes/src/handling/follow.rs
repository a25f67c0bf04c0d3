//! A scene that follows another one: its parts go the ways that the filter allowed there, and stop where something is in the way here.

use super::scene::{HandlingScene, Holder};
use crate::{Budget, LedStep, StepReport};
use prall_math::Pose;

/// A way that begins farther from the part than this, in m and rad, was not gone from here.
const JUMP: f64 = 1e-9;

impl HandlingScene {
    pub(super) fn follow_step(&mut self, led: &LedStep, first: bool) -> Result<(), String> {
        let count = self.state.poses.len();
        if led.before.len() != count || led.after.len() != count || led.part >= count {
            return Err(format!(
                "this scene has {count} parts, and the one that it follows has {}",
                led.after.len()
            ));
        }
        if first {
            self.stand_at(&led.before)?;
        }
        self.report = StepReport::default();
        self.state.holder = Holder::Nobody;
        self.before.clone_from(&self.state.poses);
        for part in (0..count).filter(|part| *part != led.part) {
            // Where the hand changed parts within the step.
            if self.state.poses[part] != led.after[part] {
                self.go(part, &[led.after[part]])?;
            }
        }
        if let Some(begin) = led.way.first().filter(|begin| apart(begin, &self.state.poses[led.part]) > JUMP)
        {
            let name = &self.setting.parts[led.part].name;
            let way = 1e3 * begin.translation.distance(self.state.poses[led.part].translation);
            return Err(format!("{name} has jumped by {way:.1} mm in the scene that this one follows"));
        }
        let way: Vec<Pose> = led.way.iter().chain([&led.after[led.part]]).copied().collect();
        self.go(led.part, &way)?;
        self.state.steps += 1;
        Ok(())
    }

    /// Takes a part in hand and goes a way with it that is proven here.
    fn go(&mut self, part: usize, way: &[Pose]) -> Result<(), String> {
        self.take(part);
        self.handled.begin(part, self.held[part].reference(), self.state.poses[part]);
        let departure = self.held[part].go_along(way, &mut Budget::unlimited());
        self.state.poses[part] = *self.held[part].pose();
        self.state.goal = self.state.poses[part];
        let report = self.held[part].report();
        self.handled.way.extend(report.way.iter().skip(1));
        self.handled.gap = self.handled.gap.min(report.smallest_gap);
        self.report.sweeps += report.swept;
        let name = &self.setting.parts[part].name;
        match departure {
            Ok(None) => Ok(()),
            Ok(Some(departure)) => Err(format!(
                "{name} would meet {} here: this scene differs from the one that it follows",
                departure.obstacle
            )),
            Err(error) => Err(format!("the way of {name}: {error}")),
        }
    }

    /// Puts all parts where they are in the other scene.
    fn stand_at(&mut self, poses: &[Pose]) -> Result<(), String> {
        self.state.poses.copy_from_slice(poses);
        for (part, pose) in poses.iter().enumerate() {
            self.place(part);
            if apart(&self.state.poses[part], pose) > JUMP {
                return Err(format!(
                    "{} cannot stand here where it stands in the scene that this one follows: something is there",
                    self.setting.parts[part].name
                ));
            }
            // Placing rounds; the others are to see the same bits.
            self.state.poses[part] = *pose;
        }
        self.place(self.state.part);
        self.state.goal = self.state.poses[self.state.part];
        Ok(())
    }
}

fn apart(a: &Pose, b: &Pose) -> f64 {
    a.translation.distance(b.translation).max(a.rotation.angle_between(b.rotation) * 1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handling::{BOLT_AND_NUT, BULB_REMOVAL, CAR_RADIO, CORNER, PEG_IN_HOLE, PUZZLE, TEE};
    use crate::{Input, Simulation};

    /// From the middle of a run on, a second scene takes the steps of the first one with equal bits; several parts, and a change of hands, too.
    #[test]
    fn a_second_scene_follows_bit_for_bit() {
        for (definition, skip, steps) in [
            (&CORNER, 30, 300),
            (&PEG_IN_HOLE, 0, 300),
            (&TEE, 10, 200),
            (&CAR_RADIO, 50, 200),
            (&PUZZLE, 0, 200),
            (&BULB_REMOVAL, 100, 400),
            (&BOLT_AND_NUT, 2, 10),
        ] {
            let (mut leader, mut follower) = (HandlingScene::new(definition), HandlingScene::new(definition));
            for step in 0..skip + steps {
                leader.step(&Input::default(), &mut Budget::unlimited());
                if step >= skip {
                    let led = leader.led_step().expect("a part in hand");
                    let answer = follower.follow(&led, step == skip);
                    assert_eq!(answer, Ok(()), "{} at step {step}", definition.name);
                    assert_eq!(leader.hash(), follower.hash(), "{} at step {step}", definition.name);
                }
            }
            assert_eq!(
                follower.handled().map(|handled| handled.part),
                leader.handled().map(|handled| handled.part)
            );
        }
    }

    /// The hole of the second scene is narrower: the peg stops before it, free, and what is in the way is named. So does one whose leader jumps.
    #[test]
    fn a_scene_that_differs_stops_its_part_and_says_what_is_in_the_way() {
        let (mut leader, mut follower) = (HandlingScene::new(&PEG_IN_HOLE), HandlingScene::new(&PEG_IN_HOLE));
        leader.set("clearance", 1.0).expect("a parameter");
        leader.reset();
        follower.set("clearance", 0.05).expect("a parameter");
        follower.reset();
        let mut stopped = None;
        for step in 0..400 {
            leader.step(&Input::default(), &mut Budget::unlimited());
            stopped = follower.follow(&leader.led_step().expect("a part in hand"), step == 0).err();
            if stopped.is_some() {
                break;
            }
        }
        let sentence = stopped.expect("it stops");
        assert!(sentence.contains("would meet") && sentence.contains("differs"), "{sentence}");
        assert!(follower.audit().is_some_and(|report| report.overlaps.is_empty()));

        let mut second = HandlingScene::new(&CORNER);
        let mut first = HandlingScene::new(&CORNER);
        for step in 0..20 {
            first.step(&Input::default(), &mut Budget::unlimited());
            if step != 10 {
                let answer = second.follow(&first.led_step().expect("a part in hand"), step == 0);
                assert_eq!(answer.is_ok(), step < 10, "{answer:?}");
                if step > 10 {
                    assert!(answer.is_err_and(|sentence| sentence.contains("jumped")));
                    break;
                }
            }
        }
        assert!(second.follow(&HandlingScene::new(&BULB_REMOVAL).led_step().expect("parts"), true).is_err());
    }
}

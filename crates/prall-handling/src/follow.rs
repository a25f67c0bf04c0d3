//! A way that was found elsewhere: a robot's part goes the way that a filter allowed another one.

use prall_detection::Budget;
use prall_math::{Motion, Pose};

use crate::error::HandlingError;
use crate::held::Held;
use crate::sweep::Way;

/// Why a way was not gone to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Departure {
    /// Name of the obstacle that is in the way.
    pub obstacle: String,
    /// Share of the piece of the way up to which it is free.
    pub free_until: f64,
}

impl Held {
    /// Goes from pose to pose, as far as every piece is proven free of every obstacle: the reference point goes straight and the part turns steadily. At the end the part is at the last
    /// pose, with equal bits. A piece that is not free is not begun: the part stays where it was, and the answer says what is in the way.
    ///
    /// Nothing is filtered and no contact is looked for: where this part has the obstacles that the way was found among, it is free.
    pub fn go_along(
        &mut self,
        way: &[Pose],
        budget: &mut Budget,
    ) -> Result<Option<Departure>, HandlingError> {
        self.report.clear();
        self.tools.rows.clear();
        self.state.contacts.clear();
        self.state.in_contact = false;
        self.report.way.push(self.state.pose);
        let mut departure = None;
        for pose in way {
            departure = self.follow_piece(pose, budget)?;
            if departure.is_some() {
                break;
            }
        }
        self.report.pose = self.state.pose;
        self.report.smallest_gap =
            self.state.obstacles.iter().map(|known| known.proven).fold(f64::INFINITY, f64::min);
        Ok(departure)
    }

    fn follow_piece(&mut self, pose: &Pose, budget: &mut Budget) -> Result<Option<Departure>, HandlingError> {
        if *pose == self.state.pose {
            return Ok(None);
        }
        if !pose.is_valid() {
            return Err(HandlingError::Pose { what: "the way".to_owned() });
        }
        let way = Way { motion: Motion::slerp_about(self.state.pose, *pose, self.centre)?, time: 1.0 };
        let free = self.sweep(&way, 0.0, budget)?;
        if free < 1.0 {
            let name = self.first_hit().map_or(String::new(), |index| self.obstacles[index].name.clone());
            return Ok(Some(Departure { obstacle: name, free_until: free }));
        }
        self.commit(&way, 1.0, true)?;
        // The way's own bits: those of the motion's end differ by rounding.
        self.state.pose = *pose;
        if let Some(last) = self.report.way.last_mut() {
            *last = *pose;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Budget, Command, HandlingOptions, Held, Obstacle};
    use glam::{DQuat, DVec3};
    use prall_geometry::{Cuboid, Shape};
    use prall_math::Pose;

    fn cube(half: f64) -> Shape {
        Shape::Box(Cuboid::new(DVec3::splat(half)).expect("a cube"))
    }

    fn held(post: f64) -> Held {
        let table = Shape::Box(Cuboid::new(DVec3::new(1.0, 0.1, 1.0)).expect("a table"));
        let table =
            Obstacle::new("table", &table, Pose::from_translation(DVec3::NEG_Y * 0.1)).expect("a table");
        let post = Obstacle::new("post", &cube(0.05), Pose::from_translation(DVec3::new(post, 0.05, 0.0)));
        let start = Pose::from_translation(DVec3::Y * 0.08);
        Held::new(&cube(0.05), start, vec![table, post.expect("a post")], HandlingOptions::default())
            .expect("free")
    }

    /// Pressed on the table, pushed along it and turned: 200 intervals whose way another part goes with equal bits. With a post in its way it stops before it and names it.
    #[test]
    fn a_second_part_goes_the_filtered_way_with_equal_bits_or_stops_where_its_scene_differs() {
        let (mut leader, mut same, mut other) = (held(0.5), held(0.5), held(0.3));
        let mut stopped = None;
        for step in 0..200 {
            let share = f64::from(step) / 200.0;
            let goal = Pose::new(
                DQuat::from_rotation_y(0.4 * share) * DQuat::from_rotation_z(0.2 * share),
                DVec3::new(0.35 * share, 0.03, 0.01),
            );
            let report =
                leader.step(Some(&Command::Pose(goal)), 0.01, &mut Budget::unlimited()).expect("a step");
            let way = report.way[1..].to_vec();
            assert_eq!(same.go_along(&way, &mut Budget::unlimited()), Ok(None), "step {step}");
            assert_eq!(same.pose(), leader.pose(), "step {step}");
            if stopped.is_none() {
                stopped = other.go_along(&way, &mut Budget::unlimited()).expect("a way");
            }
        }
        assert!(leader.pose().translation.x > 0.25 && leader.is_in_contact());
        assert_eq!(stopped.expect("it stops").obstacle, "post");
        assert!((0.1..0.22).contains(&other.pose().translation.x), "{}", other.pose().translation);
        assert!(!other.overlaps(1).expect("an answer"));
        let nowhere = Pose::from_translation(DVec3::NAN);
        assert!(same.go_along(&[nowhere], &mut Budget::unlimited()).is_err());
    }
}

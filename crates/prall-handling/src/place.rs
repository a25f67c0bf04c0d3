//! Obstacles that are put somewhere else between two steps.

use prall_math::Pose;

use crate::error::HandlingError;
use crate::held::Held;

impl Held {
    /// Puts an obstacle somewhere else at once, without a way between. Refused if it overlaps the part there, unless the options set such pairs apart;
    /// then everything stays.
    pub fn set_obstacle_pose(&mut self, index: usize, pose: Pose) -> Result<(), HandlingError> {
        let count = self.obstacles.len();
        let obstacle = self.obstacles.get_mut(index).ok_or(HandlingError::NoSuchObstacle { index, count })?;
        if !pose.is_valid() {
            return Err(HandlingError::Pose { what: format!("the obstacle '{}'", obstacle.name) });
        }
        let before = (obstacle.pose, self.state.clone());
        obstacle.pose = pose.normalized();
        self.state.obstacles[index].pose = obstacle.pose;
        // What is known of gaps is forgotten, and overlaps are looked for.
        let result = self.set_pose(self.state.pose);
        if result.is_err() {
            (self.obstacles[index].pose, self.state) = before;
        }
        result
    }
}

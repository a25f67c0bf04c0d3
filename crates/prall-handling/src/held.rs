//! [`Held`]: a part in a hand, among its obstacles.

use glam::{DMat3, DVec3};
use prall_detection::{Boundary, Budget, ImpactOptions, Workspace, distance_bound, shape_time_of_impact};
use prall_geometry::Shape;
use prall_math::{Motion, Norm, Pose, Twist};

use crate::collect::Nearest;
use crate::error::HandlingError;
use crate::frame::MetricFrame;
use crate::friction::{FrictionRow, FrictionSolver};
use crate::obstacle::Obstacle;
use crate::options::{HandlingOptions, Metric};
use crate::report::HandlingReport;
use crate::solve::Row;
use crate::state::{HandlingState, ObstacleState};
use crate::sweep::{Hit, Swept};

/// Way in a part of a step at most, as a share of the part's radius: features are linearised where they are nearest.
const TRAVEL: f64 = 0.08;

/// A part in a hand, among its obstacles.
pub struct Held {
    pub(crate) boundary: Boundary,
    pub(crate) options: HandlingOptions,
    /// The reference point, in the part's frame.
    pub(crate) centre: DVec3,
    /// Axes of the metric in the part's frame, and radii of gyration about them in m.
    axes: DMat3,
    gyration: DVec3,
    /// No point of the part is farther from the reference point, and from its origin, in m.
    pub(crate) radius: f64,
    pub(crate) origin_radius: f64,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) state: HandlingState,
    pub(crate) report: HandlingReport,
    pub(crate) tools: Tools,
}

/// Memory that steps use again and again, without influence on them.
#[derive(Default)]
pub(crate) struct Tools {
    pub(crate) workspace: Workspace,
    pub(crate) rows: Vec<Row>,
    pub(crate) linear: Vec<FrictionRow>,
    pub(crate) found: Vec<prall_detection::NearFeature>,
    pub(crate) nearest: Vec<Nearest>,
    pub(crate) solver: FrictionSolver,
    pub(crate) swept: Vec<Swept>,
    pub(crate) hits: Vec<Hit>,
}

impl Held {
    /// Takes a part in hand. Building takes a few microseconds a triangle.
    ///
    /// Refused are parts without bounds, poses that are none, and, unless the options set them apart, obstacles that overlap the part.
    pub fn new(
        part: &Shape,
        pose: Pose,
        obstacles: Vec<Obstacle>,
        options: HandlingOptions,
    ) -> Result<Held, HandlingError> {
        let options = options.checked()?;
        let boundary = Boundary::new(part)
            .map_err(|source| HandlingError::Shape { what: "the part".to_owned(), source })?;
        let sphere = part.bounding_sphere().ok_or(HandlingError::Unbounded)?;
        if !pose.is_valid() {
            return Err(HandlingError::Pose { what: "the part".to_owned() });
        }
        for friction in obstacles.iter().filter_map(|obstacle| obstacle.friction) {
            friction.checked()?;
        }
        let bounds = part.aabb(&Pose::IDENTITY);
        let (centre, axes, gyration) = match &options.metric {
            Metric::Hand { .. } => {
                (bounds.center(), DMat3::IDENTITY, box_gyration(2.0 * bounds.half_extents()))
            }
            Metric::Mass(mass) => {
                let (moments, axes) = mass.principal_axes();
                let squared = moments / mass.mass;
                let gyration = squared.map(f64::sqrt);
                (mass.center_of_mass, DMat3::from_quat(axes), at_least_a_tenth(gyration))
            }
        };
        let radius = (sphere.center - centre).norm() + sphere.radius;
        let state = HandlingState {
            pose: pose.normalized(),
            in_contact: false,
            obstacles: obstacles
                .iter()
                .map(|obstacle| ObstacleState::new(obstacle.pose, obstacle.velocity, TRAVEL * radius))
                .collect(),
            contacts: Vec::new(),
        };
        let mut held = Held {
            boundary,
            options,
            centre,
            axes,
            gyration,
            radius,
            origin_radius: sphere.center.norm() + sphere.radius,
            obstacles,
            state,
            report: HandlingReport { pose, ..HandlingReport::default() },
            tools: Tools::default(),
        };
        held.look_for_overlaps()?;
        Ok(held)
    }

    /// Where the part is.
    pub fn pose(&self) -> &Pose {
        &self.state.pose
    }

    /// The point that velocity commands are about, in the part's frame.
    pub fn reference(&self) -> DVec3 {
        self.centre
    }

    /// The obstacles, where they are.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// Indices of the obstacles that overlap the part since the start and are not kept apart.
    pub fn set_apart(&self) -> impl Iterator<Item = usize> + '_ {
        let states = self.state.obstacles.iter().enumerate();
        states.filter(|(_, state)| state.apart).map(|(index, _)| index)
    }

    /// The options.
    pub fn options(&self) -> &HandlingOptions {
        &self.options
    }

    /// What the last step reported.
    pub fn report(&self) -> &HandlingReport {
        &self.report
    }

    /// True if the part touched something in the last step.
    pub fn is_in_contact(&self) -> bool {
        self.state.in_contact
    }

    /// Radius of gyration by which turns weigh against shifts, in m: the mean about the three axes.
    pub fn gyration(&self) -> f64 {
        self.gyration.element_sum() / 3.0
    }

    /// Changes the friction of all obstacles that have none of their own.
    pub fn set_friction(&mut self, friction: crate::Friction) -> Result<(), HandlingError> {
        self.options.friction = friction.checked()?;
        Ok(())
    }

    /// Changes how fast pose commands are followed.
    pub fn set_pose_limits(&mut self, limits: crate::PoseLimits) -> Result<(), HandlingError> {
        self.options = HandlingOptions { pose_limits: limits, ..self.options }.checked()?;
        Ok(())
    }

    /// Gives an obstacle a velocity, of its origin and of turning in world axes, from the next step on. Obstacles do not see each other.
    pub fn set_obstacle_velocity(&mut self, index: usize, velocity: Twist) -> Result<(), HandlingError> {
        let count = self.obstacles.len();
        let obstacle = self.obstacles.get_mut(index).ok_or(HandlingError::NoSuchObstacle { index, count })?;
        if !(velocity.linear.is_finite() && velocity.angular.is_finite()) {
            return Err(HandlingError::Command);
        }
        obstacle.velocity = velocity;
        self.state.obstacles[index].velocity = velocity;
        Ok(())
    }

    /// Puts the part somewhere else. Refused if it overlaps something there; then it stays.
    pub fn set_pose(&mut self, pose: Pose) -> Result<(), HandlingError> {
        if !pose.is_valid() {
            return Err(HandlingError::Pose { what: "the part".to_owned() });
        }
        let before = self.state.clone();
        self.state.pose = pose.normalized();
        (self.state.in_contact, self.report.pose) = (false, pose);
        self.state.contacts.clear();
        self.state.obstacles.iter_mut().for_each(ObstacleState::forget);
        let result = self.look_for_overlaps();
        if result.is_err() {
            (self.report.pose, self.state) = (before.pose, before);
        }
        result
    }

    /// Everything that decides how it goes on.
    pub fn state(&self) -> &HandlingState {
        &self.state
    }

    /// Goes back to a saved state. Refused if it belongs to other obstacles or claims gaps that are not there; then everything stays.
    pub fn restore(&mut self, state: &HandlingState) -> Result<(), HandlingError> {
        if state.obstacles.len() != self.obstacles.len() {
            return Err(HandlingError::State("it has another number of obstacles"));
        }
        if !state.pose.is_valid() || !state.obstacles.iter().all(|known| known.pose.is_valid()) {
            return Err(HandlingError::State("it holds a pose that is no rigid placement"));
        }
        for (obstacle, known) in self.obstacles.iter().zip(&state.obstacles) {
            // The time of impact and the distance round differently, far below this share and this length in m.
            let claimed = known.proven * (1.0 - 1e-6) - 1e-12 * (1.0 + self.radius);
            let workspace = &mut self.tools.workspace;
            if claimed > 0.0 && !known.apart {
                let (a, b) = (&self.boundary, &obstacle.boundary);
                let there = distance_bound(a, &state.pose, b, &known.pose, claimed.min(1e6), workspace)?;
                if there < claimed.min(1e6) {
                    return Err(HandlingError::State("it claims a gap that is not there"));
                }
            }
        }
        self.state.clone_from(state);
        for (obstacle, known) in self.obstacles.iter_mut().zip(&state.obstacles) {
            (obstacle.pose, obstacle.velocity) = (known.pose, known.velocity);
        }
        self.report.clear();
        self.report.pose = state.pose;
        Ok(())
    }

    pub(crate) fn frame(&self) -> MetricFrame {
        MetricFrame::new(&self.state.pose, &self.axes, self.gyration)
    }

    /// Way in a part of a step, in m, and turn, in rad, at most.
    pub(crate) fn caps(&self) -> (f64, f64) {
        // An arc leaves its chord by t^2 R / 8: half a guard.
        (TRAVEL * self.radius, (4.0 * self.options.guard / self.radius).sqrt())
    }

    /// The part's way through a shift and turn about the reference point.
    pub(crate) fn motion(&self, x: &Twist) -> Result<Motion, HandlingError> {
        Ok(Motion::from_twist(self.state.pose, self.centre, *x, 1.0)?)
    }

    /// Sets overlapping obstacles apart, or refuses them.
    fn look_for_overlaps(&mut self) -> Result<(), HandlingError> {
        let mut names = Vec::new();
        for index in 0..self.obstacles.len() {
            let overlaps = self.overlaps(index)?;
            self.state.obstacles[index].apart = overlaps;
            if overlaps {
                names.push(self.obstacles[index].name.clone());
            }
        }
        if names.is_empty() || self.options.set_overlapping_apart {
            return Ok(());
        }
        Err(HandlingError::Overlap { names: names.join(", ") })
    }

    /// True if part and obstacle touch or overlap, or are nearer than rounding can tell.
    pub(crate) fn overlaps(&mut self, index: usize) -> Result<bool, HandlingError> {
        let obstacle = &self.obstacles[index];
        let (a, b) = (Motion::still(self.state.pose)?, Motion::still(obstacle.pose)?);
        let tolerance = 1e-3 * self.options.guard;
        let options = ImpactOptions { guard: 0.0, tolerance, relax_at_start: true };
        let (part, other) = (self.boundary.touchable(), obstacle.boundary.touchable());
        let budget = &mut Budget::unlimited();
        let answer = shape_time_of_impact(part, &a, other, &b, &options, budget, &mut self.tools.workspace)?;
        Ok(answer.contact.is_some())
    }
}

/// Radii of gyration of an evenly filled box about its axes.
fn box_gyration(size: DVec3) -> DVec3 {
    let s = size * size;
    at_least_a_tenth(DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y).map(|sum| (sum / 12.0).sqrt()))
}

/// A needle turns about its own axis as if it were a tenth as thick as it is long.
fn at_least_a_tenth(gyration: DVec3) -> DVec3 {
    gyration.max(DVec3::splat(0.1 * gyration.max_element()))
}

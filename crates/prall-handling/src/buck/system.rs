//! [`System`]: distances at the end of an interval as functions of contact forces.

use glam::DVec3;
use prall_detection::NearFeature;
use prall_math::{Norm, Pose, Twist};

use crate::active_set::{Vector6, dot};
use crate::frame::MetricFrame;

/// A contact as the interval begins: what its force does.
pub(super) struct Acting {
    pub(super) feature: NearFeature,
    pub(super) obstacle: Pose,
    /// Of its normal force, in the unit metric.
    pub(super) row: Vector6,
}

/// A part, a wanted motion, and contacts whose forces change it.
pub(super) struct System {
    pub(super) pose: Pose,
    /// In the part's frame.
    pub(super) centre: DVec3,
    pub(super) frame: MetricFrame,
    pub(super) wanted: Twist,
    pub(super) contacts: Vec<Acting>,
    pub(super) guard: f64,
}

impl System {
    /// Shift and Cayley's vector of the turn under pushes in m ((21), (22) of the thesis).
    pub(super) fn motion(&self, pushes: &[f64]) -> Twist {
        let mut y = self.frame.motion(&self.wanted);
        for (contact, push) in self.contacts.iter().zip(pushes) {
            y.iter_mut().zip(&contact.row).for_each(|(y, row)| *y += push * row);
        }
        self.frame.twist(&y)
    }

    /// Where that leads ((23) to (25)).
    pub(super) fn end(&self, x: &Twist) -> Pose {
        let turned = prall_math::rotation::exp(turn(x.angular)) * self.pose.rotation;
        let centre = self.pose.transform_point(self.centre) + x.linear;
        Pose { rotation: turned, translation: centre - turned * self.centre }.normalized()
    }

    /// Distances less the guard at the end.
    pub(super) fn distances(&self, pushes: &[f64], distances: &mut Vec<f64>) {
        let end = self.end(&self.motion(pushes));
        distances.clear();
        distances.extend(
            self.contacts.iter().map(|contact| contact.feature.at(&end, &contact.obstacle).gap - self.guard),
        );
    }

    /// Change of each distance by each push, row by row, in closed form.
    ///
    /// A change of Cayley's vector c by dc turns the end by (dc + c x dc / 2) / (1 + c^2 / 4).
    pub(super) fn derivative(&self, pushes: &[f64], matrix: &mut Vec<f64>) {
        let x = self.motion(pushes);
        let end = self.end(&x);
        let centre = end.transform_point(self.centre);
        let cayley = x.angular;
        let size = 1.0 + 0.25 * cayley.length_squared();
        matrix.clear();
        for contact in &self.contacts {
            let state = contact.feature.at(&end, &contact.obstacle);
            // Of a vertex under a face of the part, the point of the face above it moves.
            let moment = (state.on_a - centre).cross(state.normal);
            let turning = (moment - 0.5 * cayley.cross(moment)) / size;
            for other in &self.contacts {
                let change = self.frame.twist(&other.row);
                matrix.push(state.normal.dot(change.linear) + turning.dot(change.angular));
            }
        }
    }

    /// The same by small changes of each push.
    pub(super) fn differences(&self, pushes: &[f64], matrix: &mut Vec<f64>) {
        let count = pushes.len();
        let step = 1e-3 * self.guard;
        let (mut at, mut beside) = (Vec::new(), Vec::new());
        self.distances(pushes, &mut at);
        matrix.clear();
        matrix.resize(count * count, 0.0);
        let mut changed = pushes.to_vec();
        for column in 0..count {
            changed[column] += step;
            self.distances(&changed, &mut beside);
            changed[column] = pushes[column];
            for row in 0..count {
                matrix[row * count + column] = (beside[row] - at[row]) / step;
            }
        }
    }

    /// How far the wanted motion brings contacts nearer, to first order: distances forgotten.
    pub(super) fn approach(&self) -> Vec<f64> {
        let wanted = self.frame.motion(&self.wanted);
        self.contacts.iter().map(|contact| dot(&contact.row, &wanted)).collect()
    }

    /// The matrix and the constants of distances to first order at the start.
    pub(super) fn linear(&self) -> (Vec<f64>, Vec<f64>) {
        let rows = &self.contacts;
        let matrix = rows.iter().flat_map(|p| rows.iter().map(|q| dot(&p.row, &q.row))).collect();
        let now = |contact: &Acting| contact.feature.at(&self.pose, &contact.obstacle).gap - self.guard;
        let constants =
            rows.iter().zip(self.approach()).map(|(contact, approach)| now(contact) + approach).collect();
        (matrix, constants)
    }
}

/// The turn of Cayley's vector c: by 2 atan(|c| / 2) about it (36).
pub(super) fn turn(cayley: DVec3) -> DVec3 {
    let size = cayley.norm();
    if size == 0.0 { DVec3::ZERO } else { cayley * (2.0 * libm::atan(0.5 * size) / size) }
}

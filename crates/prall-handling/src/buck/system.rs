//! [`System`]: distances at the end of an interval as functions of contact forces.
//!
//! With shift d_i of the mass centre of body i, Cayley's vector c_i of its turn, masses m_i = m / l_i and inertias I_i (m the mass of the first part), pushes
//! p = f dt^2 / m change the wanted motion by
//!
//! ```text
//! d_i += l_i sum p_k e_k        c_i += m_i l_i I_i^-1 sum p_k r_k x e_k          e_k = n_k - mu t_k on one body, -e_k on the other
//! ```
//! The normal n alone makes the force of a contact without slip; while it slides along t friction tilts it (Buck 1999, 7.1). The distance is along n in either case.

use glam::DVec3;
use prall_detection::NearState;
use prall_math::{Norm, Pose, Twist};

use super::contact::Condition;

/// A body as the interval begins.
pub(super) struct Moving {
    pub(super) pose: Pose,
    /// Of mass, in the body's frame.
    pub(super) centre: DVec3,
    pub(super) wanted: Twist,
}

/// The other side of a contact.
#[derive(Clone, Copy)]
pub(super) enum Other {
    Moving(usize),
    Standing(Pose),
}

/// A contact as the interval begins.
pub(super) struct Acting {
    pub(super) condition: Condition,
    pub(super) body: usize,
    pub(super) other: Other,
    /// The distance that it keeps, in m.
    pub(super) guard: f64,
    /// What a push of 1 does to body and other.
    pub(super) does: [Twist; 2],
    /// The distance changes by these times the motions of body and other: normal and its moment.
    pub(super) feels: [Twist; 2],
}

impl Acting {
    /// Its sides: body, effect of a push, change of the distance.
    fn sides(&self) -> impl Iterator<Item = (usize, Twist, Twist)> + '_ {
        let other = match self.other {
            Other::Moving(index) => Some((index, self.does[1], self.feels[1])),
            Other::Standing(_) => None,
        };
        std::iter::once((self.body, self.does[0], self.feels[0])).chain(other)
    }
}

/// Bodies, wanted motions, and contacts whose forces change them.
pub(super) struct System {
    pub(super) bodies: Vec<Moving>,
    pub(super) contacts: Vec<Acting>,
    /// The smallest distance that any contact keeps, in m: what solutions are measured by.
    pub(super) guard: f64,
}

fn product(p: &Twist, q: &Twist) -> f64 {
    p.linear.dot(q.linear) + p.angular.dot(q.angular)
}

impl System {
    /// Shifts and Cayley's vectors under pushes in m ((21), (22) of the thesis).
    pub(super) fn motions(&self, pushes: &[f64]) -> Vec<Twist> {
        let mut motions: Vec<Twist> = self.bodies.iter().map(|body| body.wanted).collect();
        for (contact, push) in self.contacts.iter().zip(pushes) {
            for (body, does, _) in contact.sides() {
                motions[body] = motions[body] + does * *push;
            }
        }
        motions
    }

    /// Where that leads ((23) to (25)).
    pub(super) fn end(&self, body: usize, x: &Twist) -> Pose {
        let Moving { pose, centre, .. } = &self.bodies[body];
        let turned = prall_math::rotation::exp(turn(x.angular)) * pose.rotation;
        let place = pose.transform_point(*centre) + x.linear;
        Pose { rotation: turned, translation: place - turned * *centre }.normalized()
    }

    fn states(&self, motions: &[Twist]) -> Vec<NearState> {
        let ends: Vec<Pose> = motions.iter().enumerate().map(|(body, x)| self.end(body, x)).collect();
        let at = |contact: &Acting| {
            let other = match contact.other {
                Other::Moving(index) => ends[index],
                Other::Standing(pose) => pose,
            };
            contact.condition.at(&ends[contact.body], &other)
        };
        self.contacts.iter().map(at).collect()
    }

    /// Distances less the guard at the end.
    pub(super) fn distances(&self, pushes: &[f64], distances: &mut Vec<f64>) {
        let states = self.states(&self.motions(pushes));
        distances.clear();
        distances.extend(states.iter().zip(&self.contacts).map(|(state, contact)| state.gap - contact.guard));
    }

    /// Change of each distance by each push, row by row, in closed form.
    ///
    /// A change of Cayley's vector c by dc turns the end by (dc + c x dc / 2) / (1 + c^2 / 4).
    pub(super) fn derivative(&self, pushes: &[f64], matrix: &mut Vec<f64>) {
        let motions = self.motions(pushes);
        let states = self.states(&motions);
        matrix.clear();
        for (contact, state) in self.contacts.iter().zip(&states) {
            let feels = |body: usize, point: DVec3, normal: DVec3| {
                let cayley = motions[body].angular;
                let centre = self.bodies[body].pose.transform_point(self.bodies[body].centre);
                let moment = (point - centre - motions[body].linear).cross(normal);
                let turning = (moment - 0.5 * cayley.cross(moment)) / (1.0 + 0.25 * cayley.length_squared());
                (body, Twist::new(normal, turning))
            };
            let first = feels(contact.body, state.on_a, state.normal);
            let second = match contact.other {
                Other::Moving(body) => Some(feels(body, state.on_b, -state.normal)),
                Other::Standing(_) => None,
            };
            for cause in &self.contacts {
                let change = |(body, feels): &(usize, Twist)| -> f64 {
                    cause
                        .sides()
                        .filter(|(moved, ..)| moved == body)
                        .map(|(_, does, _)| product(feels, &does))
                        .sum()
                };
                matrix.push(change(&first) + second.as_ref().map_or(0.0, change));
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

    /// How far the wanted motions bring contacts nearer, to first order: distances forgotten.
    pub(super) fn approach(&self) -> Vec<f64> {
        let change = |contact: &Acting| {
            contact.sides().map(|(body, _, feels)| product(&feels, &self.bodies[body].wanted)).sum()
        };
        self.contacts.iter().map(change).collect()
    }

    /// The matrix and the constants of distances to first order at the start.
    pub(super) fn linear(&self) -> (Vec<f64>, Vec<f64>) {
        let mut matrix = Vec::with_capacity(self.contacts.len() * self.contacts.len());
        for contact in &self.contacts {
            for cause in &self.contacts {
                let changes = contact.sides().flat_map(|(body, _, feels)| {
                    cause
                        .sides()
                        .filter(move |(moved, ..)| *moved == body)
                        .map(move |(_, does, _)| product(&feels, &does))
                });
                matrix.push(changes.sum());
            }
        }
        let still: Vec<Twist> = self.bodies.iter().map(|_| Twist::ZERO).collect();
        let states = self.states(&still);
        let constants = self.contacts.iter().zip(&states).zip(self.approach());
        let constants =
            constants.map(|((contact, state), approach)| state.gap - contact.guard + approach).collect();
        (matrix, constants)
    }
}

/// The turn of Cayley's vector c: by 2 atan(|c| / 2) about it (36).
pub(super) fn turn(cayley: DVec3) -> DVec3 {
    let size = cayley.norm();
    if size == 0.0 { DVec3::ZERO } else { cayley * (2.0 * libm::atan(0.5 * size) / size) }
}

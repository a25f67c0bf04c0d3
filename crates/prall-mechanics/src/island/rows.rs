//! Rows of the augmented problem: their forces at a motion, and their stiffness.
//!
//! With multipliers `lambda` from before and penalty `k`:
//! - a contact pushes with `F_n = max(0, lambda_n - k s)`;
//! - friction pulls with `F_t`, the point nearest to `y = lambda_t - k u` of the disc of radius `r = mu F_n`, with the
//!   `F_n` of the updates before;
//! - an equation of softness `e` pulls with the point nearest to `(lambda - k s) / (1 + k e)` between its bounds.
//!
//! Each is minus the gradient of a convex function of the motion, so their sum with the kinetic term has one
//! minimum. Second derivatives: `k` along the normal where the contact pushes; `k` across it where the point
//! sticks (`y` inside the disc); `k r / |y|` across it and across `y` where it slides; `k / (1 + k e)` along an equation
//! that is not at a bound.

use glam::DVec3;
use prall_math::Twist;

use super::body::Mass;
use super::{IslandContact, IslandDefect, IslandEquation};

/// Number of a body that is not there.
pub(super) const NONE: u32 = u32::MAX;

/// The two bodies of a row, and the block of the matrix they share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bodies {
    pub(super) a: u32,
    pub(super) b: u32,
    /// Entry of the shared block, or [`NONE`].
    pub(super) entry: u32,
    /// The rows of the shared block are A's, its columns B's.
    pub(super) rows_are_a: bool,
}

impl Bodies {
    /// The bodies of a row. The error is the reason why they cannot be.
    fn new(a: Option<u32>, b: Option<u32>, count: usize) -> Result<Bodies, &'static str> {
        if a.is_some() && a == b {
            return Err("a and b are the same body");
        }
        for body in [a, b].into_iter().flatten() {
            if body as usize >= count {
                return Err("there is no body of that number");
            }
        }
        Ok(Bodies { a: a.unwrap_or(NONE), b: b.unwrap_or(NONE), entry: NONE, rows_are_a: false })
    }

    /// Both bodies, if both are there.
    pub(super) fn pair(&self) -> Option<(u32, u32)> {
        (self.a != NONE && self.b != NONE).then_some((self.a, self.b))
    }
}

/// Friction's part of a point's stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tangential {
    /// No friction.
    Free,
    /// The penalty in all directions across the normal.
    Stick,
    /// `stiffness` along the unit vector `across`, which is normal to the friction force.
    Slide { across: DVec3, stiffness: f64 },
}

/// What a point adds to the matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stiffness {
    /// The contact pushes.
    pub(super) normal: bool,
    pub(super) tangential: Tangential,
}

impl Stiffness {
    const NOTHING: Stiffness = Stiffness { normal: false, tangential: Tangential::Free };

    /// Near enough to serve in a Newton step instead of `self`: the same rows, sliding ones to 5 %.
    fn serves(&self, of_matrix: &Stiffness) -> bool {
        self.normal == of_matrix.normal
            && match (self.tangential, of_matrix.tangential) {
                (Tangential::Free, Tangential::Free) | (Tangential::Stick, Tangential::Stick) => true,
                (
                    Tangential::Slide { across, stiffness },
                    Tangential::Slide { across: then, stiffness: before },
                ) => (stiffness - before).abs() <= 0.05 * stiffness && across.dot(then).abs() >= 0.9988,
                _ => false,
            }
    }
}

/// A contact point during a solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) bodies: Bodies,
    pub(super) normal: DVec3,
    pub(super) arms: [DVec3; 2],
    offset: f64,
    slip_offset: DVec3,
    pub(super) friction: f64,
    pub(super) lambda: f64,
    pub(super) lambda_tangential: DVec3,
    /// Radius of the disc of friction.
    pub(super) radius: f64,
    /// Gap above its target, and slip.
    pub(super) gap: f64,
    pub(super) slip: DVec3,
    pub(super) force: f64,
    pub(super) force_tangential: DVec3,
    pub(super) stiffness: Stiffness,
    /// What the factored matrix holds of this point.
    pub(super) stiffness_of_matrix: Stiffness,
    /// Changes of gap and slip along the direction of the line search.
    gap_rate: f64,
    slip_rate: DVec3,
}

impl Point {
    pub(super) fn new(number: usize, contact: &IslandContact, count: usize) -> Result<Point, IslandDefect> {
        let defect = |reason| Err(IslandDefect::Contact { contact: number, reason });
        let bodies = match Bodies::new(contact.a, contact.b, count) {
            Ok(bodies) => bodies,
            Err(reason) => return defect(reason),
        };
        let normal = contact.normal;
        if !((normal.length_squared() - 1.0).abs() < 1e-6) {
            return defect("normal must have length 1");
        }
        if !(contact.arms[0].is_finite() && contact.arms[1].is_finite()) {
            return defect("arms must be finite");
        }
        if !(contact.offset.is_finite() && contact.slip.is_finite()) {
            return defect("offset and slip must be finite");
        }
        if !(contact.friction >= 0.0 && contact.friction.is_finite()) {
            return defect("friction must be finite and not negative");
        }
        if !(contact.normal_force.is_finite() && contact.tangential_force.is_finite()) {
            return defect("forces must be finite");
        }
        let across = |v: DVec3| v - normal * normal.dot(v);
        let frictionless = contact.friction == 0.0;
        Ok(Point {
            bodies,
            normal,
            arms: contact.arms,
            offset: contact.offset,
            slip_offset: across(contact.slip),
            friction: contact.friction,
            lambda: contact.normal_force.max(0.0),
            lambda_tangential: if frictionless { DVec3::ZERO } else { across(contact.tangential_force) },
            radius: contact.friction * contact.normal_force.max(0.0),
            gap: 0.0,
            slip: DVec3::ZERO,
            force: 0.0,
            force_tangential: DVec3::ZERO,
            stiffness: Stiffness::NOTHING,
            stiffness_of_matrix: Stiffness::NOTHING,
            gap_rate: 0.0,
            slip_rate: DVec3::ZERO,
        })
    }

    /// Way of A's point relative to B's.
    #[inline]
    fn way(&self, x: &[Twist]) -> DVec3 {
        let mut way = DVec3::ZERO;
        if self.bodies.a != NONE {
            way += x[self.bodies.a as usize].velocity_at(self.arms[0]);
        }
        if self.bodies.b != NONE {
            way -= x[self.bodies.b as usize].velocity_at(self.arms[1]);
        }
        way
    }

    /// Sets gap and slip at a motion.
    #[inline]
    pub(super) fn place(&mut self, x: &[Twist]) {
        let way = self.way(x);
        let along = self.normal.dot(way);
        self.gap = self.offset + along;
        self.slip = self.slip_offset + (way - self.normal * along);
    }

    /// Sets forces and stiffness at a motion.
    #[inline]
    pub(super) fn evaluate(&mut self, x: &[Twist], penalty: f64) {
        self.place(x);
        self.force = (self.lambda - penalty * self.gap).max(0.0);
        self.stiffness.normal = self.force > 0.0;
        let radius = self.radius;
        if !(radius > 0.0) {
            self.force_tangential = DVec3::ZERO;
            self.stiffness.tangential = Tangential::Free;
            return;
        }
        let y = self.lambda_tangential - penalty * self.slip;
        let square = y.length_squared();
        if square <= radius * radius {
            self.force_tangential = y;
            self.stiffness.tangential = Tangential::Stick;
        } else {
            let length = square.sqrt();
            self.force_tangential = y * (radius / length);
            let across = self.normal.cross(y) / length;
            self.stiffness.tangential = Tangential::Slide { across, stiffness: penalty * radius / length };
        }
    }

    /// Takes over the forces as multipliers, and a share of the change of the friction's limit.
    pub(super) fn update(&mut self, share: f64) {
        self.lambda = self.force;
        self.lambda_tangential = self.force_tangential;
        self.radius += share * (self.friction * self.force - self.radius);
    }

    /// Adds the point's force to the loads of its bodies.
    #[inline]
    pub(super) fn load(&self, loads: &mut [Twist]) {
        let force = self.normal * self.force + self.force_tangential;
        if self.bodies.a != NONE {
            let load = &mut loads[self.bodies.a as usize];
            load.linear += force;
            load.angular += self.arms[0].cross(force);
        }
        if self.bodies.b != NONE {
            let load = &mut loads[self.bodies.b as usize];
            load.linear -= force;
            load.angular -= self.arms[1].cross(force);
        }
    }

    /// The matrix that was factored still serves.
    #[inline]
    pub(super) fn is_in_matrix(&self) -> bool {
        self.stiffness.serves(&self.stiffness_of_matrix)
    }

    /// Prepares [`Point::power`].
    #[inline]
    pub(super) fn set_direction(&mut self, direction: &[Twist]) {
        let way = self.way(direction);
        self.gap_rate = self.normal.dot(way);
        self.slip_rate = way - self.normal * self.gap_rate;
    }

    /// Work of the force on the direction at `step` along it: `F_n s' + F_t . u'`.
    #[inline]
    pub(super) fn power(&self, step: f64, penalty: f64) -> f64 {
        let force = (self.lambda - penalty * (self.gap + step * self.gap_rate)).max(0.0);
        let power = force * self.gap_rate;
        let radius = self.radius;
        if !(radius > 0.0) {
            return power;
        }
        let y = self.lambda_tangential - penalty * (self.slip + step * self.slip_rate);
        let square = y.length_squared();
        let share = if square <= radius * radius { 1.0 } else { radius / square.sqrt() };
        power + share * y.dot(self.slip_rate)
    }

    /// Violation of the gap, or the gap that bears load.
    #[inline]
    pub(super) fn gap_error(&self) -> f64 {
        if self.force > 0.0 { self.gap.abs() } else { (-self.gap).max(0.0) }
    }
}

/// An equation during a solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equality {
    pub(super) bodies: Bodies,
    /// Coefficients of the motions of A and B.
    pub(super) sides: [Twist; 2],
    offset: f64,
    pub(super) lambda: f64,
    /// The value that should be 0.
    pub(super) error: f64,
    pub(super) force: f64,
    bounds: [f64; 2],
    softness: f64,
    /// Its force is between the bounds.
    is_active: bool,
    /// What the factored matrix holds of `is_active`.
    active_in_matrix: bool,
    rate: f64,
}

impl Equality {
    pub(super) fn new(
        number: usize,
        equation: &IslandEquation,
        count: usize,
    ) -> Result<Equality, IslandDefect> {
        let defect = |reason| Err(IslandDefect::Equation { equation: number, reason });
        let bodies = match Bodies::new(equation.a, equation.b, count) {
            Ok(bodies) => bodies,
            Err(reason) => return defect(reason),
        };
        let [angular_a, angular_b] = equation.angular;
        if !(equation.linear.is_finite() && angular_a.is_finite() && angular_b.is_finite()) {
            return defect("coefficients must be finite");
        }
        if !(equation.offset.is_finite() && equation.force.is_finite()) {
            return defect("offset and force must be finite");
        }
        let [low, high] = equation.bounds;
        if !(low <= high && low < f64::INFINITY && high > f64::NEG_INFINITY) {
            return defect("the lower bound must not be above the upper one");
        }
        if !(equation.softness >= 0.0 && equation.softness.is_finite()) {
            return defect("softness must be finite and not negative");
        }
        let sides = [Twist::new(equation.linear, angular_a), Twist::new(-equation.linear, angular_b)];
        Ok(Equality {
            bodies,
            sides,
            offset: equation.offset,
            lambda: equation.force.clamp(low, high),
            error: 0.0,
            force: 0.0,
            bounds: equation.bounds,
            softness: equation.softness,
            is_active: true,
            active_in_matrix: false,
            rate: 0.0,
        })
    }

    /// The force before it is cut to the bounds, at a value of the row.
    #[inline]
    fn pull(&self, value: f64, penalty: f64) -> f64 {
        (self.lambda - penalty * value) / (1.0 + penalty * self.softness)
    }

    /// What the row adds to the matrix along its coefficients.
    #[inline]
    pub(super) fn stiffness(&self, penalty: f64) -> f64 {
        if self.is_active { penalty / (1.0 + penalty * self.softness) } else { 0.0 }
    }

    /// Notes that the matrix is being made with the row as it is.
    #[inline]
    pub(super) fn put_into_matrix(&mut self) {
        self.active_in_matrix = self.is_active;
    }

    /// The matrix that was factored still serves.
    #[inline]
    pub(super) fn is_in_matrix(&self) -> bool {
        self.is_active == self.active_in_matrix
    }

    /// How far the row is from its law, in m.
    #[inline]
    pub(super) fn violation(&self) -> f64 {
        let miss = self.error + self.softness * self.force;
        let above = if self.force >= self.bounds[1] { 0.0 } else { -miss };
        let below = if self.force <= self.bounds[0] { 0.0 } else { miss };
        above.max(below).max(0.0)
    }

    #[inline]
    fn value(&self, x: &[Twist]) -> f64 {
        let mut value = 0.0;
        if self.bodies.a != NONE {
            value += inner(&self.sides[0], &x[self.bodies.a as usize]);
        }
        if self.bodies.b != NONE {
            value += inner(&self.sides[1], &x[self.bodies.b as usize]);
        }
        value
    }

    /// Sets the error at a motion.
    #[inline]
    pub(super) fn place(&mut self, x: &[Twist]) {
        self.error = self.offset + self.value(x);
    }

    /// Sets the force at a motion.
    #[inline]
    pub(super) fn evaluate(&mut self, x: &[Twist], penalty: f64) {
        self.place(x);
        let pull = self.pull(self.error, penalty);
        self.force = pull.clamp(self.bounds[0], self.bounds[1]);
        self.is_active = pull == self.force && self.bounds[0] < self.bounds[1];
    }

    /// Adds the force to the loads of the bodies.
    #[inline]
    pub(super) fn load(&self, loads: &mut [Twist]) {
        if self.bodies.a != NONE {
            let load = &mut loads[self.bodies.a as usize];
            *load = *load + self.sides[0] * self.force;
        }
        if self.bodies.b != NONE {
            let load = &mut loads[self.bodies.b as usize];
            *load = *load + self.sides[1] * self.force;
        }
    }

    /// Prepares [`Equality::power`].
    #[inline]
    pub(super) fn set_direction(&mut self, direction: &[Twist]) {
        self.rate = self.value(direction);
    }

    /// Work of the force on the direction at `step` along it.
    #[inline]
    pub(super) fn power(&self, step: f64, penalty: f64) -> f64 {
        let pull = self.pull(self.error + step * self.rate, penalty);
        pull.clamp(self.bounds[0], self.bounds[1]) * self.rate
    }
}

/// `a.linear . b.linear + a.angular . b.angular`.
#[inline]
pub(super) fn inner(a: &Twist, b: &Twist) -> f64 {
    a.linear.dot(b.linear) + a.angular.dot(b.angular)
}

/// Mass that a row with coefficients `side` feels at one of its bodies. `None` if the row can hardly move the body.
pub(super) fn effective_mass(side: &Twist, body: &Mass) -> Option<f64> {
    let mobility = inner(side, &body.response(side));
    (mobility * body.mass > 1e-6).then(|| 1.0 / mobility)
}

//! The loops: multipliers outside, Newton's method inside.

use glam::DVec3;
use prall_math::Twist;

use super::assembly::{Penalties, assemble, to_array};
use super::block_cholesky::BlockCholesky;
use super::body::Mass;
use super::coupling::Coupled;
use super::line_search::find_root;
use super::ordering::{SymbolicFactor, pair_key};
use super::rows::{Bodies, Equality, NONE, Point, Tangential, effective_mass, inner};
use super::{
    IslandBody, IslandContact, IslandCoupling, IslandDefect, IslandEquation, IslandReport, IslandResponse,
    IslandTolerances,
};

/// Penalty of contacts in heaviest masses. Smaller: more updates of the multipliers; larger: more Newton steps between
/// them.
const PENALTY: f64 = 30.0;
/// Penalty of equations over that of contacts: they are always active, so stiffness costs no Newton steps.
const EQUATION_PENALTY: f64 = 1e4;
/// An update that leaves more than this share of the error is slow: the contacts' penalty grows threefold.
const SLOW: f64 = 0.3;
const SLOW_GROWTH: f64 = 3.0;
/// An update that leaves more than this share of the error has not helped: the penalty grows tenfold.
const STALLED: f64 = 0.95;
const STALLED_GROWTH: f64 = 10.0;
/// If it has not moved the bodies by this share of the error either, the forces it added cancel each other. After
/// [`MAX_STALLED`] such updates in a row the rows contradict each other.
const CANCELLED: f64 = 0.01;
const MAX_STALLED: usize = 3;
/// The largest penalty, in first penalties: enough for stacks of hundreds and wedges of a thousandth.
const MAX_GROWTH: f64 = 1e6;
/// Newton's method ends when forces and motion disagree by this share of the tolerance of motion.
const NEWTON_SHARE: f64 = 0.01;
/// Updates after which the discs of friction follow the normal forces more slowly if motions do not settle: a load that
/// jumps between points with its friction would jump forever.
const FREE_UPDATES: usize = 3;
const UNSETTLED: f64 = 0.8;
const DISC_DAMPING: f64 = 0.8;
const MIN_DISC_SHARE: f64 = 0.4;

/// Solves islands; keeps memory, order and structure of the factor between solves.
///
/// The result depends on the arguments alone, not on what was solved before. After the largest island was solved once,
/// nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct IslandSolver {
    masses: Vec<Mass>,
    couplings: Vec<Coupled>,
    points: Vec<Point>,
    equalities: Vec<Equality>,
    pairs: Vec<u64>,
    structure: SymbolicFactor,
    matrix: BlockCholesky,
    /// The matrix holds the factor of the rows' `stiffness_of_matrix`.
    factored: bool,
    /// `J' F - M (x - goal) - G (t - at)`, what Newton's method makes 0.
    residual: Vec<Twist>,
    direction: Vec<Twist>,
    right_side: Vec<[f64; 6]>,
    /// Motion after the update before.
    previous: Vec<Twist>,
    best: Best,
    /// Largest limit of friction at each body.
    limits: Vec<f64>,
}

/// Motion and forces to fall back on when rows contradict each other.
#[derive(Clone, Debug, Default)]
struct Best {
    error: f64,
    x: Vec<Twist>,
    points: Vec<Point>,
    equalities: Vec<Equality>,
}

impl IslandSolver {
    /// A solver without memory.
    pub fn new() -> IslandSolver {
        IslandSolver::default()
    }

    /// Solves an island from the start motion `x` and the start forces of its rows, and leaves the result in them.
    ///
    /// See the [module](super) for what is solved and what `converged` promises. Bad input is reported as
    /// [`IslandReport::defect`] and changes nothing.
    pub fn solve(
        &mut self,
        bodies: &[IslandBody],
        couplings: &[IslandCoupling],
        contacts: &mut [IslandContact],
        equations: &mut [IslandEquation],
        tolerances: &IslandTolerances,
        x: &mut [Twist],
    ) -> IslandReport {
        let loaded = check(tolerances).and_then(|()| self.load(bodies, couplings, contacts, equations, x));
        if let Err(defect) = loaded {
            return IslandReport { defect: Some(defect), ..IslandReport::default() };
        }
        self.find_structure();
        for (motion, mass) in x.iter_mut().zip(&self.masses) {
            *motion = mass.admissible(motion);
        }
        let report = self.update_multipliers(tolerances, x);
        for (contact, point) in contacts.iter_mut().zip(&self.points) {
            contact.normal_force = point.force;
            contact.tangential_force = point.force_tangential;
        }
        for (equation, row) in equations.iter_mut().zip(&self.equalities) {
            equation.force = row.force;
        }
        report
    }

    /// The motion under the forces as given, `x = goal + M^-1 J' F`, without a matrix: shows whether the forces of
    /// the step before still hold everything at rest.
    ///
    /// The curvature of the bodies is left out.
    pub fn response(
        &mut self,
        bodies: &[IslandBody],
        couplings: &[IslandCoupling],
        contacts: &[IslandContact],
        equations: &[IslandEquation],
        x: &mut [Twist],
    ) -> IslandResponse {
        if let Err(defect) = self.load(bodies, couplings, contacts, equations, x) {
            return IslandResponse { defect: Some(defect), ..IslandResponse::default() };
        }
        let loads = &mut self.residual;
        loads.clear();
        loads.resize(bodies.len(), Twist::ZERO);
        for point in &mut self.points {
            point.force = point.lambda;
            point.force_tangential = point.lambda_tangential;
            point.load(loads);
        }
        for row in &mut self.equalities {
            row.force = row.lambda;
            row.load(loads);
        }
        let mut response = IslandResponse::default();
        for ((motion, mass), load) in x.iter_mut().zip(&self.masses).zip(&*loads) {
            *motion = mass.goal + mass.response(load);
        }
        for (body, way) in self.couplings.iter().flat_map(|coupled| coupled.response(loads)) {
            x[body as usize] = self.masses[body as usize].goal + way;
        }
        for (motion, mass) in x.iter().zip(&self.masses) {
            response.motion = response.motion.max(mass.way(motion));
        }
        for point in &mut self.points {
            point.place(x);
            response.gap_error = response.gap_error.max(point.gap_error());
            let excess = point.force_tangential.length() - point.friction * point.force;
            response.cone_excess = response.cone_excess.max(excess);
            if excess < 0.0 {
                response.slip_error = response.slip_error.max(point.slip.length());
            }
        }
        for row in &mut self.equalities {
            row.place(x);
            response.equation_error = response.equation_error.max(row.violation());
        }
        response
    }

    fn load(
        &mut self,
        bodies: &[IslandBody],
        couplings: &[IslandCoupling],
        contacts: &[IslandContact],
        equations: &[IslandEquation],
        x: &[Twist],
    ) -> Result<(), IslandDefect> {
        let count = bodies.len();
        if x.len() != count {
            return Err(IslandDefect::Count { bodies: count, motions: x.len() });
        }
        self.masses.clear();
        for (number, body) in bodies.iter().enumerate() {
            self.masses.push(Mass::new(number, body)?);
            if !(x[number].linear.is_finite() && x[number].angular.is_finite()) {
                return Err(IslandDefect::Body { body: number, reason: "start motion must be finite" });
            }
        }
        self.couplings.clear();
        let mut taken = Vec::new();
        for (number, coupling) in couplings.iter().enumerate() {
            self.couplings.push(Coupled::new(number, coupling, &self.masses, &mut taken)?);
        }
        self.points.clear();
        for (number, contact) in contacts.iter().enumerate() {
            self.points.push(Point::new(number, contact, count)?);
        }
        self.equalities.clear();
        for (number, equation) in equations.iter().enumerate() {
            self.equalities.push(Equality::new(number, equation, count)?);
        }
        Ok(())
    }

    /// Brings the structure of the factor up to date and gives each row its block.
    fn find_structure(&mut self) {
        self.factored = false;
        self.pairs.clear();
        let rows = || self.points.iter().map(|p| &p.bodies).chain(self.equalities.iter().map(|e| &e.bodies));
        let coupled = self.couplings.iter().flat_map(Coupled::pairs);
        for (a, b) in rows().filter_map(Bodies::pair).chain(coupled) {
            let key = pair_key(a, b);
            if self.pairs.last() != Some(&key) {
                self.pairs.push(key);
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.structure.update(self.masses.len(), &self.pairs);
        let mut last = (NONE, NONE, NONE, false);
        let rows = self.points.iter_mut().map(|p| &mut p.bodies);
        for bodies in rows.chain(self.equalities.iter_mut().map(|e| &mut e.bodies)) {
            let Some((a, b)) = bodies.pair() else { continue };
            if (last.0, last.1) != (a, b) {
                let (entry, rows_are_a) = self.structure.pair_entry(a, b).unwrap_or((NONE, false));
                last = (a, b, entry, rows_are_a);
            }
            (bodies.entry, bodies.rows_are_a) = (last.2, last.3);
        }
    }

    /// Penalties from the heaviest mass that a row can feel. A shaft that can only turn feels as heavy as its inertia
    /// over the square of the arm.
    fn penalties(&self) -> Penalties {
        let mut heaviest = self.masses.iter().map(|mass| mass.mass).fold(0.0, f64::max);
        let mut feel = |body: u32, side: &Twist| {
            if body != NONE && self.masses[body as usize].any_locked {
                heaviest = effective_mass(side, &self.masses[body as usize]).unwrap_or(0.0).max(heaviest);
            }
        };
        for point in &self.points {
            for (body, arm) in [point.bodies.a, point.bodies.b].into_iter().zip(point.arms) {
                feel(body, &Twist::new(point.normal, arm.cross(point.normal)));
            }
        }
        for row in &self.equalities {
            feel(row.bodies.a, &row.sides[0]);
            feel(row.bodies.b, &row.sides[1]);
        }
        let contact = PENALTY * heaviest;
        Penalties { contact, equation: EQUATION_PENALTY * contact }
    }

    /// The outer loop.
    fn update_multipliers(&mut self, tolerances: &IslandTolerances, x: &mut [Twist]) -> IslandReport {
        let mut report = IslandReport::default();
        let mut penalties = self.penalties();
        let max_penalty = MAX_GROWTH * penalties.contact;
        let (mut last_error, mut last_motion) = (f64::INFINITY, f64::INFINITY);
        let (mut stalled, mut disc_share) = (0, 1.0);
        self.best.error = f64::INFINITY;
        while report.outer < tolerances.max_outer.max(1) {
            report.outer += 1;
            self.previous.clear();
            self.previous.extend_from_slice(x);
            let Some(balanced) = self.newton(tolerances, penalties, x, &mut report) else { break };
            let motion = self.measure(tolerances, x, &mut report);
            let error = (report.gap_error.max(report.slip_error) / tolerances.gap)
                .max(report.equation_error / tolerances.equation);
            report.converged =
                balanced && error <= 1.0 && motion <= 1.0 && report.cone_error <= tolerances.cone;
            if report.converged {
                break;
            }
            // Where Newton's method ran out of steps, errors say nothing about multipliers and penalty.
            let no_better = balanced && error > 1.0 && error > STALLED * last_error;
            let largest_error = report.gap_error.max(report.slip_error).max(report.equation_error);
            let cancelled = report.motion_error < CANCELLED * largest_error;
            stalled = if no_better && cancelled { stalled + 1 } else { 0 };
            if stalled >= MAX_STALLED {
                report.infeasible = true;
                self.fall_back(x, &mut report);
                break;
            }
            self.remember(error, x);
            let settles_slowly = report.cone_error <= tolerances.cone && motion > 2.0 * SLOW * last_motion;
            let slow = if error > 1.0 { error > SLOW * last_error } else { settles_slowly };
            if balanced && slow && penalties.contact < max_penalty {
                penalties.contact *= if no_better { STALLED_GROWTH } else { SLOW_GROWTH };
                self.factored = false;
            }
            if report.outer > FREE_UPDATES && motion > UNSETTLED * last_motion {
                disc_share = (disc_share * DISC_DAMPING).max(MIN_DISC_SHARE);
            }
            (last_error, last_motion) = (error, motion);
            self.points.iter_mut().for_each(|point| point.update(disc_share));
            self.equalities.iter_mut().for_each(|row| row.lambda = row.force);
        }
        report
    }

    /// Newton's method on the motion, at fixed multipliers. Returns whether forces and motion agree at its end, to
    /// the tolerance or to rounding; `None` if the matrix has no factor.
    fn newton(
        &mut self,
        tolerances: &IslandTolerances,
        penalties: Penalties,
        x: &mut [Twist],
        report: &mut IslandReport,
    ) -> Option<bool> {
        self.evaluate(penalties, x);
        for _ in 0..tolerances.max_newton.max(1) {
            if self.is_balanced(tolerances, x) {
                return Some(true);
            }
            let serves = self.points.iter().all(Point::is_in_matrix)
                && self.equalities.iter().all(Equality::is_in_matrix);
            if !(self.factored && serves) {
                let (points, rows) = (&mut self.points, &mut self.equalities);
                let masses = (&self.masses[..], &self.couplings[..]);
                assemble(&mut self.matrix, &self.structure, masses, points, rows, penalties);
                self.factored = self.matrix.factor(&self.structure);
                report.factorisations += 1;
                if !self.factored {
                    return None;
                }
            }
            self.find_direction();
            let step = self.line_search(penalties, x);
            let mut largest: f64 = 0.0;
            for ((motion, mass), direction) in x.iter_mut().zip(&self.masses).zip(&self.direction) {
                let change = *direction * step;
                *motion = *motion + change;
                largest = largest.max(mass.way(&change));
            }
            report.newton_steps += 1;
            self.evaluate(penalties, x);
            // Below this, rounding decides; the residual will not get smaller.
            if largest <= 1e-4 * tolerances.motion {
                return Some(true);
            }
        }
        Some(self.is_balanced(tolerances, x))
    }

    /// Forces and residual at a motion.
    fn evaluate(&mut self, penalties: Penalties, x: &[Twist]) {
        self.residual.clear();
        self.residual.extend(self.masses.iter().zip(x).map(|(mass, motion)| {
            let way = mass.goal - *motion;
            let turn = mass.inertia * way.angular + mass.curvature * (mass.curvature_at - motion.angular);
            Twist::new(mass.mass * way.linear, turn)
        }));
        for coupled in &self.couplings {
            let way = |body: u32| self.masses[body as usize].goal - x[body as usize];
            for (body, momentum) in coupled.added_momentum(way) {
                let residual = &mut self.residual[body as usize];
                *residual = *residual + momentum;
            }
        }
        for point in &mut self.points {
            point.evaluate(x, penalties.contact);
            point.load(&mut self.residual);
        }
        for row in &mut self.equalities {
            row.evaluate(x, penalties.equation);
            row.load(&mut self.residual);
        }
    }

    /// The motion that the forces would give agrees with the motion at which they act.
    fn is_balanced(&self, tolerances: &IslandTolerances, x: &[Twist]) -> bool {
        let is_small = |mass: &Mass, missing: &Twist, motion: &Twist| {
            let error = mass.way(missing);
            error <= NEWTON_SHARE * tolerances.motion
                || error <= NEWTON_SHARE * tolerances.relative_motion * mass.way(motion)
        };
        let mut coupled = self.couplings.iter().flat_map(|coupled| coupled.response(&self.residual));
        let all = self.masses.iter().zip(&self.residual).zip(x).enumerate();
        coupled.all(|(body, missing)| is_small(&self.masses[body as usize], &missing, &x[body as usize]))
            && all
                .filter(|(body, _)| !self.is_coupled(*body))
                .all(|(_, ((mass, residual), motion))| is_small(mass, &mass.response(residual), motion))
    }

    fn is_coupled(&self, body: usize) -> bool {
        self.couplings.iter().any(|coupled| coupled.contains(body as u32))
    }

    /// `H^-1` times the residual.
    fn find_direction(&mut self) {
        self.right_side.resize(self.masses.len(), [0.0; 6]);
        for (side, &body) in self.right_side.iter_mut().zip(&self.structure.order) {
            let free = self.masses[body as usize].free;
            *side = to_array(&self.residual[body as usize]);
            for (value, free) in side.iter_mut().zip(free) {
                *value *= free;
            }
        }
        self.matrix.solve(&self.structure, &mut self.right_side);
        self.direction.resize(self.masses.len(), Twist::ZERO);
        for (&[dx, dy, dz, tx, ty, tz], &body) in self.right_side.iter().zip(&self.structure.order) {
            self.direction[body as usize] = Twist::new(DVec3::new(dx, dy, dz), DVec3::new(tx, ty, tz));
        }
    }

    /// Length of the step to the minimum along the direction: root of the slope, which only grows.
    fn line_search(&mut self, penalties: Penalties, x: &[Twist]) -> f64 {
        for point in &mut self.points {
            point.set_direction(&self.direction);
        }
        for row in &mut self.equalities {
            row.set_direction(&self.direction);
        }
        // The slope of the kinetic and proximal terms: constant + step * growth.
        let (mut constant, mut growth) = (0.0, 0.0);
        for ((mass, direction), motion) in self.masses.iter().zip(&self.direction).zip(x) {
            let change = Twist::new(
                mass.mass * direction.linear,
                mass.inertia * direction.angular + mass.curvature * direction.angular,
            );
            growth += inner(&change, direction);
            let way = *motion - mass.goal;
            constant += mass.mass * way.linear.dot(direction.linear)
                + (mass.inertia * way.angular).dot(direction.angular)
                + (mass.curvature * (motion.angular - mass.curvature_at)).dot(direction.angular);
        }
        for coupled in &self.couplings {
            for (body, momentum) in coupled.added_momentum(|body| self.direction[body as usize]) {
                let (direction, mass) = (&self.direction[body as usize], &self.masses[body as usize]);
                growth += inner(&momentum, direction);
                constant += inner(&momentum, &(x[body as usize] - mass.goal));
            }
        }
        let slope = |step: f64| {
            let points: f64 = self.points.iter().map(|point| point.power(step, penalties.contact)).sum();
            let rows: f64 = self.equalities.iter().map(|row| row.power(step, penalties.equation)).sum();
            constant + step * growth - points - rows
        };
        find_root(slope)
    }

    /// Sets the errors of the report. Returns the largest change of a motion over what is allowed.
    fn measure(&mut self, tolerances: &IslandTolerances, x: &[Twist], report: &mut IslandReport) -> f64 {
        let mut worst: f64 = 0.0;
        report.motion_error = 0.0;
        for ((mass, motion), previous) in self.masses.iter().zip(x).zip(&self.previous) {
            let change = mass.way(&(*motion - *previous));
            report.motion_error = report.motion_error.max(change);
            let allowed = tolerances.motion.max(tolerances.relative_motion * mass.way(motion));
            worst = worst.max(change / allowed);
        }
        (report.gap_error, report.slip_error, report.cone_error) = (0.0, 0.0, 0.0);
        self.limits.clear();
        self.limits.resize(self.masses.len(), 0.0);
        for point in &self.points {
            for body in [point.bodies.a, point.bodies.b] {
                if let Some(limit) = self.limits.get_mut(body as usize) {
                    *limit = limit.max(point.friction * point.force);
                }
            }
        }
        for point in &self.points {
            report.gap_error = report.gap_error.max(point.gap_error());
            if point.friction == 0.0 {
                continue;
            }
            let limit = point.friction * point.force;
            let force = point.force_tangential.length();
            let error = match point.stiffness.tangential {
                Tangential::Stick => {
                    if point.force > 0.0 {
                        report.slip_error = report.slip_error.max(point.slip.length());
                    }
                    force - limit
                }
                // A point that has only now begun to push has no disc yet.
                Tangential::Slide { .. } | Tangential::Free => (force - limit).abs(),
            };
            if error > self.negligible_force(point, tolerances) {
                report.cone_error = report.cone_error.max(error / self.friction_scale(point));
            }
        }
        report.equation_error = self.equation_error();
        worst
    }

    /// Largest limit of friction at a point's bodies; the smaller of the two.
    fn friction_scale(&self, point: &Point) -> f64 {
        let limit = |body: u32| self.limits.get(body as usize).copied().unwrap_or(f64::INFINITY);
        limit(point.bodies.a).min(limit(point.bodies.b)).max(f64::MIN_POSITIVE)
    }

    /// The force that moves the lighter body of a point by the tolerance of motion.
    fn negligible_force(&self, point: &Point, tolerances: &IslandTolerances) -> f64 {
        let mass = |body: u32| self.masses.get(body as usize).map_or(f64::INFINITY, |mass| mass.mass);
        tolerances.motion * mass(point.bodies.a).min(mass(point.bodies.b))
    }

    /// Keeps motion and forces if they are clearly better than those kept.
    fn remember(&mut self, error: f64, x: &[Twist]) {
        if error > STALLED * self.best.error {
            return;
        }
        self.best.error = error;
        self.best.x.clear();
        self.best.x.extend_from_slice(x);
        self.best.points.clone_from(&self.points);
        self.best.equalities.clone_from(&self.equalities);
    }

    /// Returns to the motion and the forces that were kept.
    fn fall_back(&mut self, x: &mut [Twist], report: &mut IslandReport) {
        x.copy_from_slice(&self.best.x);
        self.points.clone_from(&self.best.points);
        self.equalities.clone_from(&self.best.equalities);
        report.gap_error = self.points.iter().map(Point::gap_error).fold(0.0, f64::max);
        report.equation_error = self.equation_error();
    }

    fn equation_error(&self) -> f64 {
        self.equalities.iter().map(Equality::violation).fold(0.0, f64::max)
    }
}

/// All tolerances are positive numbers.
fn check(tolerances: &IslandTolerances) -> Result<(), IslandDefect> {
    let IslandTolerances { gap, motion, relative_motion, cone, equation, .. } = *tolerances;
    let named = [("gap", gap), ("motion", motion), ("cone", cone), ("equation", equation)];
    let bad = named.into_iter().find(|&(_, value)| !(value > 0.0));
    let bad = bad.or((!(relative_motion >= 0.0)).then_some(("relative_motion", relative_motion)));
    bad.map_or(Ok(()), |(name, _)| Err(IslandDefect::Tolerance { name }))
}

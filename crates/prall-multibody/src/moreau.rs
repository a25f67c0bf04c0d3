//! [`Moreau`]: time stepping on percussions, contacts as normal-cone inclusions.
//!
//! One step from (q_B, u_B) to (q_E, u_E) (Moreau 1988; Rempfler 2015, 2.33 to 2.44), inputs of driven joints at the end:
//!
//! ```text
//! q_M = q_B + h/2 u_B;   u_free = u_B + h M^-1 f   at q_M;   closed contacts: gap <= 0 at q_M
//! gamma = w.u,  (1 + eps) of it at the start: Newton's impact law;   P with -P_f in P_n C, gamma_f in N_C(-P_f),
//!   0 <= P_n _|_ gamma_n + eps gamma_n,B - bias >= 0:   P <- -prox(r gamma - P), contact by contact
//! u_E = u_free + M^-1 W P;   q_E = q_M + h/2 u_E
//! ```
//!
//! Neither `M` nor the Delassus matrix `W^T M^-1 W` is formed: rows are whitened by climbing the tree's factorisation
//! ([`Tree::climb`]), a contact's velocity is its rows times `z`, a percussion changes `z` by its rows.
//! The printed projection forgets `r (G P + c)` in the normal part (E13) and its factor (E14); both are here.
//!
//! **Position.** The velocity law alone sinks in on curved ground. A gap is paid back by a bias that is never more than half
//! of what the contact itself changed the velocity by in the last two steps: in steady sliding exactly what turning with
//! the surface needs, and an impact lends nothing to a rebound.

use glam::{DMat3, DVec2, DVec3};
use prall_math::{Norm, Wrench};
use prall_mechanics::tree::{RowPart, Tree, Trunks};
use serde::{Deserialize, Serialize};

use crate::{FrictionSet, Mechanism};

/// A place where a body may touch something fixed.
#[derive(Clone, Debug)]
pub struct MoreauContact {
    /// The same from step to step for the same contact: finds its last percussion.
    pub id: u64,
    /// The body.
    pub node: usize,
    /// Where, in the world.
    pub point: DVec3,
    /// Unit normal, towards the body.
    pub normal: DVec3,
    /// Unit tangent t, across the normal; the other one is `b = n x t`.
    pub tangent: DVec3,
    /// Distance in m; the contact is closed at 0 and below.
    pub gap: f64,
    /// Newton's restitution along the normal and along the tangents, 0 to 1.
    pub restitution: [f64; 2],
    /// Which friction it transmits.
    pub friction: FrictionSet,
}

/// How the percussions are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoreauOptions {
    /// Sweeps end when no component changes by more than this share of itself. Default 1e-6, as in the source.
    pub relative: f64,
    /// ... plus this, in N s. Default 1e-6: the source's 1e-4 ends every warm-started step of 0.2 ms after one sweep.
    pub absolute: f64,
    /// Default 500.
    pub most_sweeps: u32,
    /// Share of a gap that a step pays back, before the cap. Default 0.5; 0 is the source, which sinks in.
    pub recovery: f64,
    /// Depth in m that stays, so that resting contacts do not flicker. Default 1e-6.
    pub rest_depth: f64,
}

impl Default for MoreauOptions {
    fn default() -> MoreauOptions {
        MoreauOptions { relative: 1e-6, absolute: 1e-6, most_sweeps: 500, recovery: 0.5, rest_depth: 1e-6 }
    }
}

/// A picture frame, cut into equal steps.
///
/// With `seconds` measured by a clock the steps follow the screen; with a constant they repeat to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameSteps {
    /// Length of the frame in s. Default 1/60.
    pub seconds: f64,
    /// How many steps it has, at least one. Default 83, as in the source: 0.2 ms each.
    pub steps: u32,
}

impl Default for FrameSteps {
    fn default() -> FrameSteps {
        FrameSteps { seconds: 1.0 / 60.0, steps: 83 }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoreauReport {
    /// Closed contacts.
    pub closed: usize,
    /// Sweeps over all of them.
    pub sweeps: u32,
    /// False if the sweeps ended at their limit.
    pub converged: bool,
    /// Deepest gap at the middle of the step, in m; 0 if all are open.
    pub deepest: f64,
}

/// Load of contacts on one axis of a joint, mean over the step: N m or N. For a driven axis it is what the drive feels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AxisLoad {
    /// The body whose joint it is.
    pub node: usize,
    /// Index of the axis.
    pub axis: usize,
    /// The load.
    pub load: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Remembered {
    id: u64,
    percussion: DVec3,
    normal_before: f64,
}

/// A closed contact while percussions are sought: components (n, t, b).
#[derive(Clone, Debug, Default)]
struct Closed {
    contact: usize,
    rows: std::ops::Range<usize>,
    /// Diagonal Delassus block.
    delassus: DMat3,
    /// Velocity without any percussion, with the impact law's share and less the bias.
    free: DVec3,
    percussion: DVec3,
    normal_before: f64,
    tangential_step: f64,
}

/// The time stepper with what it remembers: last percussions, for the warm start.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Moreau {
    memory: Vec<Remembered>,
    #[serde(skip)]
    contacts: Vec<MoreauContact>,
    #[serde(skip)]
    closed: Vec<Closed>,
    #[serde(skip)]
    rows: Vec<Row>,
    #[serde(skip)]
    trunks: Trunks,
    #[serde(skip)]
    whitened: Vec<f64>,
    #[serde(skip)]
    loads: Vec<AxisLoad>,
}

impl Moreau {
    /// One step of `h` seconds. `find` is asked for contacts at the middle of the step; drives are set before.
    pub fn step(
        &mut self,
        mechanism: &mut Mechanism,
        h: f64,
        gravity: DVec3,
        options: &MoreauOptions,
        mut find: impl FnMut(&Tree, &mut Vec<MoreauContact>),
    ) -> MoreauReport {
        mechanism.prepare(h);
        let tree = mechanism.tree_mut();
        tree.advance(0.5 * h, 1.0);
        self.contacts.clear();
        find(tree, &mut self.contacts);
        self.closed.clear();
        for (contact, found) in self.contacts.iter().enumerate().filter(|(_, found)| found.gap <= 0.0) {
            let before = frame_of(found).transpose() * tree.twist_at(found.node, found.point).linear;
            let [normal, tangential] = found.restitution;
            let free = DVec3::new(normal * before.x.min(0.0), tangential * before.y, tangential * before.z);
            self.closed.push(Closed { contact, free, ..Closed::default() });
        }
        tree.predict(h, gravity);
        mechanism.pull_by_hand(h);
        let tree = mechanism.tree_mut();
        self.prepare(tree, h, options);
        let (sweeps, converged) = self.sweep(h, options);
        self.trunks.unfold(&mut self.whitened);
        tree.apply_whitened(&self.whitened);
        self.collect_loads(tree, h);
        tree.advance(0.5 * h, 0.0);
        mechanism.pass_time(h);
        self.remember();
        let deepest = self.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max);
        MoreauReport { closed: self.closed.len(), sweeps, converged, deepest }
    }

    /// All steps of a picture frame; `before_step` sets drives and loads of each. The last report is returned.
    pub fn frame(
        &mut self,
        mechanism: &mut Mechanism,
        frame: FrameSteps,
        gravity: DVec3,
        options: &MoreauOptions,
        mut before_step: impl FnMut(&mut Mechanism, f64),
        mut find: impl FnMut(&Tree, &mut Vec<MoreauContact>),
    ) -> MoreauReport {
        let h = frame.seconds / f64::from(frame.steps.max(1));
        let mut report = MoreauReport::default();
        for _ in 0..frame.steps.max(1) {
            before_step(mechanism, h);
            report = self.step(mechanism, h, gravity, options, &mut find);
        }
        report
    }

    /// Loads of the last step's contacts on the joints' axes (virtual power; Rempfler 2015, 2.45 to 2.48).
    pub fn loads(&self) -> &[AxisLoad] {
        &self.loads
    }

    /// Contacts that were closed in the last step, by their numbers, with their percussions as (normal, t, b) in N s.
    pub fn percussions(&self) -> impl Iterator<Item = (u64, DVec3)> {
        self.memory.iter().map(|remembered| (remembered.id, remembered.percussion))
    }

    /// Percussion of a contact in the last step, as (normal, t, b) in N s; zero if it was open.
    pub fn percussion(&self, id: u64) -> DVec3 {
        self.memory
            .iter()
            .find(|remembered| remembered.id == id)
            .map_or(DVec3::ZERO, |found| found.percussion)
    }

    /// Rows, Delassus blocks, free velocities, biases, and the percussions of the last step.
    fn prepare(&mut self, tree: &Tree, h: f64, options: &MoreauOptions) {
        self.rows.clear();
        self.whitened.clear();
        self.whitened.resize(tree.degrees_of_freedom(), 0.0);
        self.trunks.find(tree, self.closed.iter().map(|closed| self.contacts[closed.contact].node));
        for closed in &mut self.closed {
            let contact = &self.contacts[closed.contact];
            let frame = frame_of(contact);
            let units = [frame.x_axis, frame.y_axis, frame.z_axis, DVec3::ZERO]
                .map(|axis| Wrench::new(axis, DVec3::ZERO));
            let first = self.rows.len();
            self.trunks.climb(tree, (contact.node, contact.point), &units, &mut self.rows);
            closed.rows = first..self.rows.len();
            let rows = &self.rows[closed.rows.clone()];
            closed.delassus = square(rows);
            closed.free += frame.transpose() * tree.twist_at(contact.node, contact.point).linear;
            let g = &closed.delassus;
            let (mean, half) = (0.5 * (g.y_axis.y + g.z_axis.z), 0.5 * (g.y_axis.y - g.z_axis.z));
            let softest = mean + (half * half + g.y_axis.z * g.y_axis.z).sqrt();
            // Where nothing can slide, friction has nothing to do.
            closed.tangential_step = if softest > IMMOVABLE * g.x_axis.x { 1.0 / softest } else { 0.0 };
            if let Some(last) = self.memory.iter().find(|last| last.id == contact.id) {
                closed.percussion = last.percussion;
                closed.normal_before = last.percussion.x;
                let carried = last.percussion.x.min(last.normal_before);
                let wanted = options.recovery * (-contact.gap - options.rest_depth).max(0.0) / h;
                closed.free.x -= wanted.min(0.5 * g.x_axis.x * carried);
                add_rows(&mut self.whitened, rows, closed.percussion);
            }
        }
    }

    fn sweep(&mut self, h: f64, options: &MoreauOptions) -> (u32, bool) {
        for sweep in 1..=options.most_sweeps {
            let mut settled = true;
            for closed in &mut self.closed {
                let rows = &self.rows[closed.rows.clone()];
                let velocity = closed.free + velocity_of(rows, &self.whitened);
                let old = closed.percussion;
                let friction = &self.contacts[closed.contact].friction;
                let new = update(closed, velocity, friction, h);
                closed.percussion = new;
                add_rows(&mut self.whitened, rows, new - old);
                let allowed = new.abs() * options.relative + DVec3::splat(options.absolute);
                settled &= (new - old).abs().cmplt(allowed).all();
            }
            if settled {
                return (sweep, true);
            }
        }
        (options.most_sweeps, self.closed.is_empty())
    }

    fn collect_loads(&mut self, tree: &mut Tree, h: f64) {
        self.loads.clear();
        let forces = self.closed.iter().map(|closed| {
            let contact = &self.contacts[closed.contact];
            (contact.node, contact.point, frame_of(contact) * closed.percussion / h)
        });
        tree.joint_loads(forces, |node, axis, load| self.loads.push(AxisLoad { node, axis, load }));
    }

    /// Open contacts are forgotten: a new touch starts without a warm start and without a bias.
    fn remember(&mut self) {
        self.memory.clear();
        self.memory.extend(self.closed.iter().map(|closed| Remembered {
            id: self.contacts[closed.contact].id,
            percussion: closed.percussion,
            normal_before: closed.normal_before,
        }));
    }
}

/// Share of a contact's compliance along the normal below which that along the tangents is rounding.
const IMMOVABLE: f64 = 1e-14;

/// Columns n, t, b.
fn frame_of(contact: &MoreauContact) -> DMat3 {
    DMat3::from_cols(contact.normal, contact.tangent, contact.normal.cross(contact.tangent))
}

/// What one freedom takes of a contact's n, t and b; the fourth is nothing, so that a row fills the lanes of one instruction.
type Row = RowPart<4>;

/// The contact's own response, `W^T M^-1 W`.
fn square(rows: &[Row]) -> DMat3 {
    let mut sum = [[0.0; 4]; 3];
    for part in rows {
        for (column, value) in sum.iter_mut().zip(&part.values) {
            for (sum, other) in column.iter_mut().zip(&part.values) {
                *sum += value * other;
            }
        }
    }
    let [n, t, b] = sum.map(|[x, y, z, _]| DVec3::new(x, y, z));
    DMat3::from_cols(n, t, b)
}

fn velocity_of(rows: &[Row], whitened: &[f64]) -> DVec3 {
    let mut sum = [0.0; 4];
    for part in rows {
        let change = whitened[part.freedom as usize];
        for (sum, value) in sum.iter_mut().zip(&part.values) {
            *sum += value * change;
        }
    }
    DVec3::new(sum[0], sum[1], sum[2])
}

fn add_rows(whitened: &mut [f64], rows: &[Row], percussion: DVec3) {
    for part in rows {
        let [n, t, b, _] = part.values;
        whitened[part.freedom as usize] += n * percussion.x + t * percussion.y + b * percussion.z;
    }
}

/// One projection, normal part first, friction with what that changes; or the exact solution where projecting diverges.
fn update(closed: &Closed, velocity: DVec3, friction: &FrictionSet, h: f64) -> DVec3 {
    let (g, old) = (&closed.delassus, closed.percussion);
    if let FrictionSet::Disc { friction } = friction
        && friction * (g.x_axis.y.abs() + g.x_axis.z.abs()) > 0.5 * g.x_axis.x
    {
        return solve_exactly(g, velocity - *g * old, *friction, old);
    }
    let normal = (old.x - velocity.x / g.x_axis.x).max(0.0);
    let slip = DVec2::new(velocity.y, velocity.z) + DVec2::new(g.x_axis.y, g.x_axis.z) * (normal - old.x);
    let wish = slip * closed.tangential_step - DVec2::new(old.y, old.z);
    let nearest = friction.nearest(wish, normal, h);
    DVec3::new(normal, -nearest.x, -nearest.y)
}

/// Directions of sliding that are looked at before bisection.
const DIRECTIONS: usize = 48;

/// The contact alone, `gamma = c + G P`, solved to the end: needed where friction lifts or presses (Painlevé), there
/// normal-then-friction sweeps diverge. A contact that carried something stays on its branch: sticking, then sliding,
/// then open; another one is open if it can be.
fn solve_exactly(g: &DMat3, c: DVec3, friction: f64, old: DVec3) -> DVec3 {
    if c.x >= 0.0 && old.x <= 0.0 {
        return DVec3::ZERO;
    }
    let stick = -(g.inverse() * c);
    if stick.x > 0.0 && DVec2::new(stick.y, stick.z).norm() <= friction * stick.x {
        return stick;
    }
    let slide = |angle: f64| {
        let (sine, cosine) = libm::sincos(angle);
        let pull = DVec3::new(1.0, -friction * cosine, -friction * sine);
        let percussion = pull * (-c.x / (*g * pull).x);
        let slip = c + *g * percussion;
        // Across the direction it must vanish; along it must not point back.
        (percussion, slip.z * cosine - slip.y * sine, slip.y * cosine + slip.z * sine)
    };
    let step = 2.0 * std::f64::consts::PI / DIRECTIONS as f64;
    for index in 0..DIRECTIONS {
        let (mut low, mut high) = (index as f64 * step, (index as f64 + 1.0) * step);
        let sign = slide(low).1 > 0.0;
        if (slide(high).1 > 0.0) == sign {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (slide(middle).1 > 0.0) == sign {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (percussion, across, along) = slide(0.5 * (low + high));
        // A change of sign at a pole is no solution: there the percussion is infinite.
        let small = across.abs() <= 1e-9 * (1.0 + along.abs());
        if percussion.x > 0.0 && percussion.is_finite() && along >= 0.0 && small {
            return percussion;
        }
    }
    if c.x >= 0.0 { DVec3::ZERO } else { DVec3::new(-c.x / g.x_axis.x, 0.0, 0.0) }
}

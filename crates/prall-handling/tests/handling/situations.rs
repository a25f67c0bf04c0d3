//! The named situations T1 to T22 of Buck 1999, by his method and by the filter.
//!
//! Each test says what either method must end with, and its row of the table in docs/handling.md says what happened on the way: that row is checked word by word. Friction is none, and the metric
//! is the mass, where nothing else is said.
//!
//! Contacts: EF a vertex of the part on a face, FE a face of the part on a vertex, EE two edges, FN a point on a plane with a
//! frozen normal (a vertex on an edge or a vertex, an end of nearly parallel edges), P a plane of a contact that sticks.

mod rubbing;
mod sets;
mod substitutes;
mod ways;

use glam::DVec3;
use prall_detection::NearKind;
use prall_geometry::{MassProperties, Shape};
use prall_handling::buck::{BuckHeld, BuckOptions};
use prall_handling::{Budget, Friction, HandlingContact, HandlingOptions, Held, Metric, Obstacle};
use prall_math::{Pose, Twist};

use crate::buck::{INTERVAL, mass};
use crate::shapes::*;

/// Phases shorter than this many intervals are not listed.
const LASTING: usize = 3;

/// A part, what is around it, and what both methods are told to do.
pub(crate) struct Situation {
    pub(crate) part: Shape,
    pub(crate) mass: MassProperties,
    pub(crate) start: Pose,
    pub(crate) obstacles: Vec<(Shape, Pose)>,
    pub(crate) friction: Friction,
}

/// What a method made of a situation.
#[derive(Default)]
pub(crate) struct Trace {
    /// In order: contacts that were born, and what became of others.
    events: Vec<String>,
    /// Sets of contacts that lasted.
    phases: Vec<String>,
    lasting: (String, usize),
    pub(crate) last: String,
    /// Contacts of the last interval, auxiliary ones not counted, and directions that are left.
    pub(crate) count: usize,
    pub(crate) free: usize,
}

impl Situation {
    pub(crate) fn new(part: Shape, start: Pose, obstacles: Vec<(Shape, Pose)>) -> Situation {
        Situation { mass: mass(&part), part, start, obstacles, friction: Friction::NONE }
    }

    /// With so much inertia that it hardly turns.
    pub(crate) fn upright(mut self) -> Situation {
        self.mass.inertia *= 1e6;
        self
    }

    pub(crate) fn rubbing(mut self, friction: Friction) -> Situation {
        self.friction = friction;
        self
    }

    fn around(&self) -> Vec<Obstacle> {
        let named = self.obstacles.iter().enumerate();
        named.map(|(index, (shape, pose))| obstacle(&format!("obstacle {index}"), shape, *pose)).collect()
    }

    pub(crate) fn buck(&self) -> BuckHeld {
        let options = BuckOptions { friction: self.friction, ..BuckOptions::default() };
        BuckHeld::new(&self.part, &self.mass, self.start, self.around(), options).unwrap()
    }

    pub(crate) fn filter(&self) -> Held {
        let metric = Metric::Mass(self.mass);
        let options = HandlingOptions { friction: self.friction, metric, ..HandlingOptions::default() };
        Held::new(&self.part, self.start, self.around(), options).unwrap()
    }

    /// Exact overlap tests.
    pub(crate) fn judge(&self) -> Judge {
        Judge::new(&self.part, &self.obstacles.iter().map(|(shape, _)| shape).collect::<Vec<_>>())
    }

    /// Both methods through a script of velocities by interval and pose; no pose overlaps.
    pub(crate) fn play(
        &self,
        steps: usize,
        script: impl Fn(usize, &Pose) -> Twist,
    ) -> ((BuckHeld, Trace), (Held, Trace)) {
        let (mut buck, mut filter) = (self.buck(), self.filter());
        let (mut first, mut second) = (Trace::default(), Trace::default());
        let mut judge = self.judge();
        for step in 0..steps {
            buck.step(&script(step, buck.pose()), INTERVAL).unwrap();
            first.look_at_buck(&buck);
            // Forces are unique, and none pulls.
            assert!(buck.condition() > 1e-10, "{step}");
            assert!(buck.contacts().iter().all(|contact| contact.force > -1e-6), "{step}");
            judge.look_at(buck.pose(), buck.obstacles());
            let Twist { linear, angular } = script(step, filter.pose());
            filter.step(Some(&velocity(linear, angular)), INTERVAL, &mut Budget::unlimited()).unwrap();
            second.look_at_filter(&filter);
            judge.look(&filter, 4);
        }
        ((buck, first.ended()), (filter, second.ended()))
    }
}

fn letters(kind: NearKind) -> &'static str {
    match kind {
        NearKind::VertexFace => "EF",
        NearKind::FaceVertex => "FE",
        NearKind::EdgeEdge => "EE",
        _ => "FN",
    }
}

/// "2 EF + EE" of EF, EE, EF.
fn set_of<'a>(kinds: impl Iterator<Item = &'a str>) -> String {
    let kinds: Vec<&str> = kinds.collect();
    let counted = ["EF", "FE", "EE", "FN", "P"].into_iter().filter_map(|kind| {
        let count = kinds.iter().filter(|known| **known == kind).count();
        (count > 0).then(|| if count == 1 { kind.to_owned() } else { format!("{count} {kind}") })
    });
    let set = counted.collect::<Vec<_>>().join(" + ");
    if set.is_empty() { "none".to_owned() } else { set }
}

impl Trace {
    fn look_at_buck(&mut self, held: &BuckHeld) {
        let kind = |contact: &prall_handling::buck::BuckContact| contact.kind().map_or("P", letters);
        let report = held.report();
        // In the order in which an interval does it.
        let mut all: Vec<String> = vec!["sticks".to_owned(); report.stuck];
        // A contact that is born and ends by the same collision counts as both.
        if report.born {
            let newest = held.contacts().iter().max_by_key(|contact| contact.id);
            all.push(format!("+{}", if report.auxiliary { "P" } else { newest.map_or("", kind) }));
        }
        let many = [
            (report.opened, "opens"),
            (report.left, "leaves"),
            (report.flowed, "flows"),
            (report.slid, "slides"),
            (usize::from(report.jam), "jam"),
        ];
        all.extend(many.into_iter().flat_map(|(count, what)| std::iter::repeat_n(what.to_owned(), count)));
        self.events.extend(all);
        self.phase(set_of(held.contacts().iter().map(kind)));
        self.count = held.contacts().iter().filter(|contact| !contact.is_auxiliary()).count();
        self.free = held.free_directions();
    }

    fn look_at_filter(&mut self, held: &Held) {
        let contacts = &held.report().contacts;
        self.phase(set_of(contacts.iter().map(|contact| letters(contact.kind))));
        self.count = contacts.len();
        let centre = held.pose().transform_point(held.reference());
        self.free = 6 - rank(contacts, centre);
    }

    fn phase(&mut self, set: String) {
        if self.lasting.0 == set {
            self.lasting.1 += 1;
        } else {
            self.lasting = (set, 1);
        }
        if self.lasting.1 == LASTING && self.phases.last() != Some(&self.lasting.0) {
            self.phases.push(self.lasting.0.clone());
        }
        self.last.clone_from(&self.lasting.0);
    }

    fn ended(mut self) -> Trace {
        if self.phases.first().is_some_and(|first| first == "none") && self.phases.len() > 1 {
            self.phases.remove(0);
        }
        self
    }

    /// Events in order; the same one several times in a row is counted.
    pub(crate) fn events(&self) -> String {
        let mut told: Vec<(String, usize)> = Vec::new();
        for event in &self.events {
            match told.last_mut() {
                Some((last, count)) if last == event => *count += 1,
                _ => told.push((event.clone(), 1)),
            }
        }
        let words = told.into_iter().map(|(event, count)| match count {
            1 => event,
            count => format!("{event} x{count}"),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn phases(&self) -> String {
        self.phases.join(", ")
    }
}

/// Independent rows of the contacts of a part: normals, and of what sticks both directions across.
fn rank(contacts: &[HandlingContact], centre: DVec3) -> usize {
    let mut basis: Vec<[f64; 6]> = Vec::new();
    for contact in contacts {
        let (p, q) = contact.normal.any_orthonormal_pair();
        let across = contact.impulse - contact.normal * contact.normal.dot(contact.impulse);
        let rubs = across.length() > 1e-9 * contact.impulse.length();
        let directions = [contact.normal, p, q];
        for direction in &directions[..if rubs && !contact.sliding { 3 } else { 1 }] {
            // Turns weigh by a length of the size of the parts here.
            let moment = (contact.point - centre).cross(*direction) / 0.05;
            let mut row = [direction.x, direction.y, direction.z, moment.x, moment.y, moment.z];
            let size = |row: &[f64; 6]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
            let length = size(&row);
            for known in &basis {
                let along: f64 = row.iter().zip(known).map(|(x, k)| x * k).sum();
                row.iter_mut().zip(known).for_each(|(x, k)| *x -= along * k);
            }
            let rest = size(&row);
            if rest > 1e-6 * length {
                basis.push(row.map(|x| x / rest));
            }
        }
    }
    basis.len()
}

/// Asks for the row of a situation in the book.
pub(crate) fn row(id: &str, what: &str, buck: &Trace, filter: &Trace, why: &str) {
    let line = format!(
        "| {id} | {what} | {} | {}; {} free | {} | {}; {} free | {why} |",
        buck.events(),
        buck.last,
        buck.free,
        filter.phases(),
        filter.last,
        filter.free,
    );
    // The row is printed for whoever writes the book.
    println!("ROW {line}");
    let book = include_str!("../../../../docs/handling.md");
    assert!(book.lines().any(|known| known == line), "docs/handling.md lacks this row:\n{line}");
}

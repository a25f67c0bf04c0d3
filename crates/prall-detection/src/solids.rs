//! [`Solids`]: the pair test of meshes and shapes, for many objects within a budget.

use prall_math::Motion;

use crate::assembly::ObjectId;
use crate::budget::Budget;
use crate::contact::ContactPoint;
use crate::error::QueryError;
use crate::overlap_search::{OverlapSearch, Stack};
use crate::solid::{Solid, on_surfaces};
use crate::step_control::{Encounter, Estimate, MovingPair, PairTest};
use crate::time_of_impact::{ImpactOptions, ImpactSearch, Question};
use crate::time_queue::TimeQueue;

/// What a pair is tested for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestMode {
    /// The whole motion, certified: [`time_of_impact`](crate::time_of_impact).
    #[default]
    Certified,
    /// Only where the motions end (Eckstein 1998): whoever meets something there has time 0 and stays where it is. What
    /// happens on the way is not seen. The guard is not used. With boxes around start and end
    /// ([`SweptBox::StartAndEnd`](crate::SweptBox)) those who stay are not run over by others; with boxes at the target
    /// they may be.
    Static,
}

/// A solid for each object, and the searches between them: the [`PairTest`] for meshes and shapes.
///
/// What is proven does not depend on how work is portioned; a unit of work is one box against eight others, or two
/// triangles. After warm-up nothing is allocated.
#[derive(Default)]
pub struct Solids {
    options: ImpactOptions,
    mode: TestMode,
    /// By slot of the object.
    solids: Vec<Option<(ObjectId, Solid)>>,
    /// Memory of searches that are over.
    queues: Vec<TimeQueue>,
    stacks: Vec<Stack>,
}

/// A test of two solids under way.
pub struct SolidSearch(Kind);

// In a box it would be allocated in every step.
#[expect(clippy::large_enum_variant)]
enum Kind {
    Certified(ImpactSearch),
    Static(OverlapSearch),
}

impl Solids {
    /// No solids yet; the options are those of every pair.
    pub fn new(options: ImpactOptions, mode: TestMode) -> Result<Solids, QueryError> {
        options.validate()?;
        Ok(Solids { options, mode, ..Solids::default() })
    }

    /// From now on the object is this solid.
    pub fn set(&mut self, object: ObjectId, solid: Solid) {
        if self.solids.len() <= object.slot() {
            self.solids.resize_with(object.slot() + 1, || None);
        }
        self.solids[object.slot()] = Some((object, solid));
    }

    /// The solid of an object.
    pub fn get(&self, object: ObjectId) -> Option<&Solid> {
        let (owner, solid) = self.solids.get(object.slot())?.as_ref()?;
        (*owner == object).then_some(solid)
    }

    /// Forgets the solid of an object.
    pub fn remove(&mut self, object: ObjectId) -> Option<Solid> {
        self.get(object)?;
        self.solids[object.slot()].take().map(|(_, solid)| solid)
    }

    fn both(&self, objects: [ObjectId; 2]) -> Result<[&Solid; 2], QueryError> {
        let solid = |object: ObjectId| self.get(object).ok_or(QueryError::NoSolid(object));
        Ok([solid(objects[0])?, solid(objects[1])?])
    }
}

impl PairTest for Solids {
    type Contact = ContactPoint;
    type Search = SolidSearch;

    fn begin(&mut self, pair: &MovingPair<'_>) -> Result<SolidSearch, QueryError> {
        let mut queue = self.queues.pop().unwrap_or_default();
        let mut stack = self.stacks.pop().unwrap_or_default();
        let [a, b] = self.both(pair.objects)?;
        let thickness = a.thickness() + b.thickness();
        let search = match self.mode {
            TestMode::Certified => {
                let bodies = [a.hierarchy(), b.hierarchy()];
                let (motions, from, options) = (pair.motions, pair.from, &self.options);
                let question = Question { bodies, motions, thickness, from, options };
                Kind::Certified(ImpactSearch::new(&question, &mut queue)?)
            }
            TestMode::Static => {
                let poses = pair.motions.map(Motion::end);
                Kind::Static(OverlapSearch::new(poses, thickness, &mut stack))
            }
        };
        Ok(SolidSearch(search))
    }

    fn advance(
        &mut self,
        pair: &MovingPair<'_>,
        search: &mut SolidSearch,
        budget: &mut Budget,
    ) -> Encounter<ContactPoint> {
        // It was begun with both.
        let Ok(solids) = self.both(pair.objects) else {
            return Encounter { free_until: pair.from, contact: None, finished: false };
        };
        let bodies = solids.map(Solid::hierarchy);
        match &mut search.0 {
            Kind::Certified(search) => {
                let answer = search.advance(bodies, budget);
                let contact = answer.contact.map(|(_, contact)| on_surfaces(contact, solids));
                Encounter { free_until: answer.free_until, contact, finished: answer.finished }
            }
            Kind::Static(search) => {
                let errors = solids[0].errors().zip(solids[1].errors()).map(<[_; 2]>::from);
                let (contact, spent) = search.advance(bodies, errors, budget);
                let free = contact.is_none() && !spent;
                Encounter {
                    free_until: if free { 1.0 } else { pair.from },
                    contact: contact.map(|contact| on_surfaces(contact, solids)),
                    finished: !spent,
                }
            }
        }
    }

    /// Needs [`Solid::with_box_errors`] of both. Costs a few dozen distances of boxes beyond the budget.
    fn estimate(&mut self, pair: &MovingPair<'_>, search: &SolidSearch) -> Option<Estimate> {
        let solids = self.both(pair.objects).ok()?;
        let (bodies, errors) = (solids.map(Solid::hierarchy), [solids[0].errors()?, solids[1].errors()?]);
        match &search.0 {
            Kind::Certified(search) => search.estimate(bodies, errors),
            Kind::Static(search) => {
                let (gap_at_most, boxes) = search.gap_at_most(bodies)?;
                let place = 0.5 * (boxes.on_a + boxes.on_b);
                Some(Estimate { time: 1.0, gap_at_most, place, normal: boxes.normal })
            }
        }
    }

    fn end(&mut self, search: SolidSearch) {
        match search.0 {
            Kind::Certified(search) => self.queues.push(search.end()),
            Kind::Static(search) => self.stacks.push(search.end()),
        }
    }
}

//! When do two moving shapes first come near each other? The promise of [`time_of_impact`](crate::time_of_impact()) for shapes of
//! every kind: proven, or said to be unfinished.
//!
//! Convex pieces are compared as wholes, meshes and height fields by the boxes of their hierarchies down to triangles. Each pair of
//! such parts is kept apart by a plane for some time ([`plane`]); when that time is over it is looked at
//! again, or opened. Pairs wait in a queue by time, so the time of the queue is proven free at every moment.

mod body;
mod part;
mod place;
mod plane;
mod queue;
mod rounds;
mod search;

use prall_math::Motion;

use crate::budget::Budget;
use crate::contact::{Feature, FeaturePair};
use crate::error::QueryError;
use crate::manifold::{Surface, Touchable};
use crate::relative_motion::angle;
use crate::time_of_impact::{ImpactOptions, TimeOfImpact, time_of_impact};
use crate::workspace::Workspace;
use body::{Body, are_far_apart, free_all_round};
pub(crate) use queue::PartQueue;
use search::{Pairs, search};

/// How far two shapes can follow their motions before they come nearer than the guard.
///
/// Promise: whatever the shapes, motions and budgets, the shapes do not touch at any time in [0, `free_until`], and more
/// budget never lowers `free_until`. If there is no contact and the search is finished, `free_until` is 1. Meshes and height fields
/// count as the surfaces that they are: what starts inside of one is free in there. Two half-spaces are not compared.
///
/// Contacts have features of [`Feature::Shape`], numbered as those of manifolds.
pub fn shape_time_of_impact(
    a: &Touchable,
    motion_a: &Motion,
    b: &Touchable,
    motion_b: &Motion,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    options.validate()?;
    let (bodies, swapped) =
        ((Body::new(a, motion_a), Body::new(b, motion_b)), (Body::new(b, motion_b), Body::new(a, motion_a)));
    if let (Some(p), Some(q)) = (bodies.0.single_surface(), bodies.1.single_surface()) {
        let free = free_all_round(&bodies, options.guard)?;
        return spun_surfaces((p, motion_a), (q, motion_b), free, options, budget, workspace);
    }
    if are_far_apart(&bodies.0, &bodies.1, options.guard) {
        return Ok(if budget.take() { free_throughout(options.guard) } else { NOTHING_PROVEN });
    }
    // Planes live in the frame of the second body: half-spaces must be there, and otherwise the one that turns less.
    let (planes_a, planes_b) = (bodies.0.has_planes, bodies.1.has_planes);
    let keep = if planes_a == planes_b { angle(motion_a) >= angle(motion_b) } else { planes_b };
    let (first, second) = if keep { (bodies, swapped) } else { (swapped, bodies) };
    let mut answer = search(&first, options, Pairs::All, budget, workspace)?;
    answer.contact = answer.contact.map(|(t, contact)| (t, if keep { contact } else { contact.swapped() }));
    if planes_a && planes_b {
        // The half-spaces of the first body against the rest of the second, the other way round.
        let mut other = search(&second, options, Pairs::WithPlanes, budget, workspace)?;
        other.contact = other.contact.map(|(t, contact)| (t, if keep { contact.swapped() } else { contact }));
        let earlier = if other.free_until < answer.free_until { other } else { answer };
        let kept = answer.kept.min(other.kept);
        answer = TimeOfImpact { finished: answer.finished && other.finished, kept, ..earlier };
    }
    Ok(answer)
}

/// Free all the time, at least this far apart.
fn free_throughout(kept: f64) -> TimeOfImpact {
    TimeOfImpact { free_until: 1.0, contact: None, finished: true, kept }
}

const NOTHING_PROVEN: TimeOfImpact =
    TimeOfImpact { free_until: 0.0, contact: None, finished: false, kept: 0.0 };

/// Two meshes or height fields, of which it is known that they are free up to a time.
fn spun_surfaces(
    (a, motion_a): (&Surface, &Motion),
    (b, motion_b): (&Surface, &Motion),
    free: f64,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    if free == 0.0 {
        return surfaces(a, motion_a, b, motion_b, options, budget, workspace);
    }
    if !budget.take() {
        return Ok(NOTHING_PROVEN);
    }
    if free >= 1.0 {
        return Ok(free_throughout(options.guard));
    }
    // Parts from a time before 1 on.
    let (Ok(rest_a), Ok(rest_b)) = (motion_a.part(free, 1.0), motion_b.part(free, 1.0)) else {
        return surfaces(a, motion_a, b, motion_b, options, budget, workspace);
    };
    // What starts here has the guard already.
    let guard = options.guard;
    let options = ImpactOptions { relax_at_start: false, ..*options };
    let answer = surfaces(a, &rest_a, b, &rest_b, &options, budget, workspace)?;
    let time = |t: f64| free + (1.0 - free) * t;
    let contact = answer.contact.map(|(t, contact)| (time(t), contact));
    Ok(TimeOfImpact { free_until: time(answer.free_until), contact, kept: guard, ..answer })
}

/// Two meshes or height fields: their own query is faster, and only the names of features differ.
fn surfaces(
    a: &Surface,
    motion_a: &Motion,
    b: &Surface,
    motion_b: &Motion,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    let mut answer =
        time_of_impact(&a.hierarchy, motion_a, &b.hierarchy, motion_b, options, budget, workspace)?;
    if let Some((_, contact)) = &mut answer.contact {
        let named = |surface: &Surface, feature: Feature| match feature {
            Feature::Shape { .. } => feature,
            _ => Feature::Shape { child: 0, part: surface.part(&feature) },
        };
        let FeaturePair { on_a, on_b } = contact.features;
        contact.features = FeaturePair { on_a: named(a, on_a), on_b: named(b, on_b) };
    }
    Ok(answer)
}

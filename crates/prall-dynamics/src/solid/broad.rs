//! Which shapes may meet in a part of a step: sweep and prune over boxes around their ways.

use std::collections::BTreeSet;

use prall_geometry::Aabb;
use prall_math::Twist;

use super::body::{SolidBody, SolidShape};

/// Boxes of shapes with room to spare, and the pairs of them that meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Broad {
    boxes: Vec<Aabb>,
    order: Vec<u32>,
    /// Pairs of shapes, the one with the smaller slot first.
    pub(crate) pairs: Vec<[usize; 2]>,
}

/// What keeps shapes from meeting.
pub(crate) struct Rules<'a> {
    /// Pairs of bodies (indices of the world, smaller first) that joints keep from touching.
    pub(crate) apart: &'a BTreeSet<(u32, u32)>,
}

impl Broad {
    /// Boxes around the ways `x`, with `room` to spare for ways that contacts change.
    pub(crate) fn begin(
        &mut self,
        bodies: &[SolidBody],
        shapes: &[SolidShape<'_>],
        x: &[Twist],
        rules: &Rules<'_>,
    ) {
        self.boxes.clear();
        self.boxes.extend(shapes.iter().map(|shape| {
            let (body, x) = (&bodies[shape.body], &x[shape.body]);
            let way = x.linear.length() + body.turning(x, shape.radius);
            let room = if body.is_movable() { 0.25 * way + 0.002 * shape.size } else { 0.0 };
            shape.swept_box(body, x).grown(room)
        }));
        self.find(bodies, shapes, rules);
    }

    /// Makes boxes larger where ways leave them; true if pairs may have come.
    pub(crate) fn follow(
        &mut self,
        bodies: &[SolidBody],
        shapes: &[SolidShape<'_>],
        x: &[Twist],
        rules: &Rules<'_>,
    ) -> bool {
        let mut grown = false;
        for (shape, bounds) in shapes.iter().zip(&mut self.boxes) {
            let needed = shape.swept_box(&bodies[shape.body], &x[shape.body]);
            if !(bounds.contains(needed.min) && bounds.contains(needed.max)) && needed.min.is_finite() {
                let room = 0.25 * needed.half_extents().max_element();
                *bounds = bounds.union(&needed.grown(room));
                grown = true;
            }
        }
        if grown {
            self.find(bodies, shapes, rules);
        }
        grown
    }

    /// Pairs of shapes whose boxes, as given, meet.
    pub(crate) fn pairs_of(
        &mut self,
        boxes: &[Aabb],
        bodies: &[SolidBody],
        shapes: &[SolidShape<'_>],
        rules: &Rules<'_>,
    ) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.find(bodies, shapes, rules);
    }

    fn find(&mut self, bodies: &[SolidBody], shapes: &[SolidShape<'_>], rules: &Rules<'_>) {
        let Broad { boxes, order, pairs } = self;
        order.clear();
        order.extend(0..boxes.len() as u32);
        order.sort_unstable_by(|&i, &j| {
            let (a, b) = (boxes[i as usize].min.x, boxes[j as usize].min.x);
            a.total_cmp(&b).then(i.cmp(&j))
        });
        pairs.clear();
        for (place, &i) in order.iter().enumerate() {
            let end = boxes[i as usize].max.x;
            for &j in order[place + 1..].iter().take_while(|&&j| boxes[j as usize].min.x <= end) {
                let (i, j) = (i as usize, j as usize);
                if boxes[i].overlaps(&boxes[j]) && may_meet(bodies, &shapes[i], &shapes[j], rules) {
                    pairs.push(if shapes[i].slot < shapes[j].slot { [i, j] } else { [j, i] });
                }
            }
        }
        pairs.sort_unstable_by_key(|&[i, j]| (shapes[i].slot, shapes[j].slot));
    }
}

/// True if two shapes must be kept apart.
pub(crate) fn may_meet(
    bodies: &[SolidBody],
    a: &SolidShape<'_>,
    b: &SolidShape<'_>,
    rules: &Rules<'_>,
) -> bool {
    let (first, second) = (&bodies[a.body], &bodies[b.body]);
    let key = (first.index.min(second.index) as u32, first.index.max(second.index) as u32);
    let one_machine = first.link.zip(second.link).is_some_and(|(a, b)| a.mover == b.mover);
    a.body != b.body
        && !one_machine
        && (first.is_movable() || second.is_movable() || first.is_driven() || second.is_driven())
        && a.filter.allows(&b.filter)
        && !rules.apart.contains(&key)
}

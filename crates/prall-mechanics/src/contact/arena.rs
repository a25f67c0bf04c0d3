//! The contact problem laid out for the loop: island by island, in each island bodies and blocks from the ground upwards.
//!
//! An island is what touches or is joined, directly or through others; bodies that nothing moves do not connect. Each
//! island's data are contiguous and indices are relative to the island, so that islands can be handed to threads as slices.

use glam::DVec3;
use prall_math::{Twist, Wrench};

use super::block::{Block, LINK, Matrix, Point, Row};
use super::manifold::{Manifold, Set};
use super::sequence::Flight;
use super::{ContactReport, Coupling, RollingContact, Side, Tries};
use crate::{Bodies, Movers, Response};

/// A manifold holds up the higher body if its normal is steeper than this (cosine to the vertical): flatter ones are
/// side contacts.
const SUPPORT: f64 = 0.3;

/// No island yet.
const NONE: u32 = u32::MAX;

/// The number of the island with joints and links: after all others.
const MIXED: u32 = u32::MAX - 1;

/// What is kept of a body beside velocity and response.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    /// Index among all bodies.
    pub global: u32,
    /// First of the blocks of which it is the upper side, and the end.
    pub blocks: (u32, u32),
    /// The first of all its blocks, for impacts in sequence.
    pub first: u32,
    /// Velocity without contacts.
    pub predicted: Twist,
    /// Velocity to go back to.
    pub saved: Twist,
    /// What contacts do to it on trial, about its centre.
    pub load: Wrench,
    /// Radius of gyration, and the largest gap that counts as closed, in m.
    pub size: f64,
    pub shell: f64,
    /// First rebound in the step, in s from its start, infinite if there is none; and whether other contacts push it.
    pub met: f64,
    pub lasting: bool,
}

/// Where an island is, and what became of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Island {
    /// Bodies that percussions move; the first ones of the island's bodies, by height.
    pub dynamic: usize,
    pub bodies: usize,
    pub blocks: usize,
    pub points: usize,
    /// Joints or links take part.
    pub mixed: bool,
    /// Impacts in sequence went before the solve; their percussions are in the rows.
    pub hit: bool,
    pub tries: Tries,
    pub report: ContactReport,
}

/// All arrays of the problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    pub velocities: Vec<Twist>,
    /// How much sweeps have changed the velocity of each body so far, in m/s.
    pub stirred: Vec<f64>,
    pub responses: Vec<Response>,
    pub locals: Vec<Local>,
    pub blocks: Vec<Block>,
    pub matrices: Vec<Matrix>,
    pub points: Vec<Point>,
    pub rows: Vec<Row>,
    pub islands: Vec<Island>,
    /// Mover, link and place of sides that are links.
    pub links: Vec<(u32, u32, DVec3)>,
    parents: Vec<u32>,
    /// Island of a node, by its root.
    numbers: Vec<u32>,
    /// Island, height and index of every body that takes part; sorted.
    ranked: Vec<(u32, f64, u32)>,
    /// Place of a body in `ranked`.
    ranks: Vec<u32>,
    /// Where the next manifold of a rank goes.
    slots: Vec<u32>,
    /// Manifolds by rank.
    order: Vec<u32>,
    /// Island that a fixed body was last seen in, and its index there.
    seen: Vec<(u32, u32)>,
    /// By body: how a projection has moved it.
    pub displacements: Vec<Twist>,
    /// How bodies fly that meet in the step.
    pub flights: Vec<Flight>,
    /// By body: joints that are swept along hold it. Empty if there are none.
    jointed: Vec<bool>,
}

/// The arrays of some islands.
pub(super) struct View<'a> {
    pub velocities: &'a mut [Twist],
    pub stirred: &'a mut [f64],
    pub responses: &'a mut [Response],
    pub locals: &'a mut [Local],
    pub blocks: &'a mut [Block],
    pub matrices: &'a mut [Matrix],
    pub points: &'a mut [Point],
    pub rows: &'a mut [Row],
    pub flights: &'a mut [Flight],
}

impl<'a> View<'a> {
    /// The arrays of an island, and of those after it.
    pub(super) fn split(self, island: &Island) -> (View<'a>, View<'a>) {
        self.split_at(island.bodies, island.blocks, island.points)
    }

    pub(super) fn split_at(self, bodies: usize, blocks: usize, points: usize) -> (View<'a>, View<'a>) {
        let (velocities, velocities_after) = self.velocities.split_at_mut(bodies);
        let (stirred, stirred_after) = self.stirred.split_at_mut(bodies);
        let (responses, responses_after) = self.responses.split_at_mut(bodies);
        let (locals, locals_after) = self.locals.split_at_mut(bodies);
        let (own_blocks, blocks_after) = self.blocks.split_at_mut(blocks);
        let (matrices, matrices_after) = self.matrices.split_at_mut(blocks);
        let (own_points, points_after) = self.points.split_at_mut(points);
        let (rows, rows_after) = self.rows.split_at_mut(points);
        let (flights, flights_after) = self.flights.split_at_mut(bodies);
        let own = View {
            velocities,
            stirred,
            responses,
            locals,
            blocks: own_blocks,
            matrices,
            points: own_points,
            rows,
            flights,
        };
        let after = View {
            velocities: velocities_after,
            stirred: stirred_after,
            responses: responses_after,
            locals: locals_after,
            blocks: blocks_after,
            matrices: matrices_after,
            points: points_after,
            rows: rows_after,
            flights: flights_after,
        };
        (own, after)
    }

    /// Writes `K` of a block from the responses of its bodies.
    pub(super) fn build_matrix(&mut self, index: usize) {
        let block = &self.blocks[index];
        let k = &mut self.matrices[index];
        *k = [[0.0; 8]; 6];
        if block.a & LINK == 0 {
            block.add_response(k, &self.responses[block.a as usize], block.arm_a);
        }
        if block.b & LINK == 0 {
            block.add_response(k, &self.responses[block.b as usize], block.arm_b);
        }
    }

    /// Writes what the points of a block see of its `K`.
    pub(super) fn build_rows(&mut self, index: usize) {
        let range = self.blocks[index].range();
        for (row, point) in self.rows[range.clone()].iter_mut().zip(&self.points[range]) {
            *row = Row::new(point, &self.matrices[index]);
        }
    }
}

/// What the layout reads.
pub(super) struct Source<'a> {
    pub set: &'a Set,
    /// By body, of the first so many; the others are awake.
    pub asleep: &'a [bool],
    pub up: DVec3,
    /// Length of the step; the bias of a gap is what closes it in one step.
    pub h: f64,
    /// Gaps up to this count as closed, in m.
    pub slack: f64,
    /// Stored percussions are taken times this.
    pub scale: f64,
    /// Manifolds with larger gaps only, in m, are left out.
    pub within: f64,
    /// See [`super::ContactStep::rolling`].
    pub rolling: &'a [RollingContact],
}

impl Source<'_> {
    /// True if percussions move the body now.
    fn moves(&self, bodies: &Bodies, index: u32) -> bool {
        bodies.is_movable(index as usize) && !self.asleep.get(index as usize).is_some_and(|asleep| *asleep)
    }

    /// The manifolds that take part, with their numbers.
    fn manifolds(&self) -> impl Iterator<Item = (u32, &Manifold)> + '_ {
        let near = |m: &Manifold| {
            self.within == f64::INFINITY || self.set.points[m.range()].iter().any(|p| p.gap <= self.within)
        };
        (0_u32..).zip(&self.set.manifolds).filter(move |(_, m)| near(m))
    }
}

impl Arena {
    /// Lays out the manifolds that can move anything.
    pub(super) fn build(
        &mut self,
        source: &Source<'_>,
        movers: &Movers<'_>,
        joints: &dyn Coupling,
        tries: &[Tries],
    ) {
        let bodies = &*movers.bodies;
        self.clear();
        let mixed = self.connect(source, movers, joints);
        self.rank(source, bodies, mixed);
        self.sort_manifolds(source, bodies);
        self.lay_out(source, movers, mixed, tries);
    }

    /// Everything as slices.
    pub(super) fn view(&mut self) -> (View<'_>, &mut [Island]) {
        let view = View {
            velocities: &mut self.velocities,
            stirred: &mut self.stirred,
            responses: &mut self.responses,
            locals: &mut self.locals,
            blocks: &mut self.blocks,
            matrices: &mut self.matrices,
            points: &mut self.points,
            rows: &mut self.rows,
            flights: &mut self.flights,
        };
        (view, &mut self.islands)
    }

    fn clear(&mut self) {
        self.velocities.clear();
        self.stirred.clear();
        self.responses.clear();
        self.flights.clear();
        self.jointed.clear();
        self.locals.clear();
        self.blocks.clear();
        self.points.clear();
        self.islands.clear();
        self.links.clear();
        self.ranked.clear();
        self.order.clear();
    }

    /// Unites what touches or is joined. Returns the root of all that is mixed: one island, because one sweep of the
    /// joints visits them all.
    fn connect(&mut self, source: &Source<'_>, movers: &Movers<'_>, joints: &dyn Coupling) -> Option<u32> {
        let bodies = &*movers.bodies;
        let nodes = bodies.len() + movers.others.len();
        self.parents.clear();
        self.parents.extend(0..nodes as u32);
        let node = |side: Side| match side {
            Side::Body(index) => source.moves(bodies, index).then_some(index),
            Side::Link { mover, .. } => Some(bodies.len() as u32 + mover),
        };
        let parents = &mut self.parents;
        let mut mixed = None;
        let mut mix = |parents: &mut [u32], node: u32| match mixed {
            None => mixed = Some(node),
            Some(first) => unite(parents, first, node),
        };
        let jointed = &mut self.jointed;
        joints.joined(&mut |a, b| {
            for side in [a, b] {
                if let Some(node) = node(side) {
                    jointed.resize(nodes, false);
                    jointed[node as usize] = true;
                    mix(parents, node);
                }
            }
        });
        for (_, manifold) in source.manifolds() {
            match (node(manifold.a), node(manifold.b)) {
                (Some(a), Some(b)) => unite(parents, a, b),
                _ => continue,
            }
        }
        let has_links = !movers.others.is_empty();
        for (_, manifold) in source.manifolds().filter(|_| has_links) {
            for side in [manifold.a, manifold.b] {
                if let Side::Link { mover, .. } = side {
                    mix(parents, bodies.len() as u32 + mover);
                }
            }
        }
        mixed.map(|node| find(parents, node))
    }

    /// Sorts the bodies that have contacts by island and height. The mixed island comes last.
    fn rank(&mut self, source: &Source<'_>, bodies: &Bodies, mixed: Option<u32>) {
        self.numbers.clear();
        self.numbers.resize(self.parents.len(), NONE);
        self.ranks.clear();
        self.ranks.resize(bodies.len(), NONE);
        let mut islands = 0;
        for (_, manifold) in source.manifolds() {
            for side in [manifold.a, manifold.b] {
                let Side::Body(index) = side else { continue };
                if !source.moves(bodies, index) || self.ranks[index as usize] != NONE {
                    continue;
                }
                let root = find(&mut self.parents, index);
                let number = &mut self.numbers[root as usize];
                if Some(root) == mixed {
                    *number = MIXED;
                } else if *number == NONE {
                    *number = islands;
                    islands += 1;
                }
                let height = bodies.poses[index as usize].translation.dot(source.up);
                self.ranked.push((*number, height, index));
                self.ranks[index as usize] = 0;
            }
        }
        self.ranked.sort_unstable_by(|p, q| p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)).then(p.2.cmp(&q.2)));
        for (rank, &(_, _, index)) in (0..).zip(&self.ranked) {
            self.ranks[index as usize] = rank;
        }
    }

    /// The rank of the higher body of a manifold; links without a free body come after all.
    fn rank_of(&self, source: &Source<'_>, manifold: &Manifold, bodies: &Bodies) -> Option<u32> {
        let rank = |side: Side| match side {
            Side::Body(index) if source.moves(bodies, index) => Some(self.ranks[index as usize]),
            _ => None,
        };
        let is_link = |side: Side| matches!(side, Side::Link { .. });
        match (rank(manifold.a), rank(manifold.b)) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (Some(one), None) | (None, Some(one)) => Some(one),
            (None, None) if is_link(manifold.a) || is_link(manifold.b) => Some(self.ranked.len() as u32),
            (None, None) => None,
        }
    }

    /// Counting sort of the manifolds by rank; manifolds that move nothing are left out.
    fn sort_manifolds(&mut self, source: &Source<'_>, bodies: &Bodies) {
        self.slots.clear();
        self.slots.resize(self.ranked.len() + 2, 0);
        for (_, manifold) in source.manifolds() {
            if let Some(rank) = self.rank_of(source, manifold, bodies) {
                self.slots[rank as usize + 1] += 1;
            }
        }
        for i in 1..self.slots.len() {
            self.slots[i] += self.slots[i - 1];
        }
        self.order.resize(self.slots[self.slots.len() - 1] as usize, 0);
        for (index, manifold) in source.manifolds() {
            if let Some(rank) = self.rank_of(source, manifold, bodies) {
                let slot = &mut self.slots[rank as usize];
                self.order[*slot as usize] = index;
                *slot += 1;
            }
        }
    }

    /// Writes islands, bodies, blocks and points. After the sort, `slots[r]` is where the manifolds of rank r end.
    fn lay_out(&mut self, source: &Source<'_>, movers: &Movers<'_>, mixed: Option<u32>, tries: &[Tries]) {
        self.seen.clear();
        self.seen.resize(movers.bodies.len(), (u32::MAX, 0));
        let (mut rank, mut placed, mut mixed_is_due) = (0, 0, mixed.is_some());
        while let Some(&(number, _, _)) = self.ranked.get(rank) {
            let end = rank + self.ranked[rank..].partition_point(|r| r.0 == number);
            let is_mixed = number == MIXED;
            // Links without a free body come after all bodies, and the mixed island is the last one.
            let stop = if is_mixed { self.order.len() } else { self.slots[end - 1] as usize };
            self.island(source, movers, rank..end, placed..stop, is_mixed, tries);
            mixed_is_due &= !is_mixed;
            (rank, placed) = (end, stop);
        }
        if mixed_is_due {
            self.island(source, movers, rank..rank, placed..self.order.len(), true, tries);
        }
        self.matrices.resize(self.blocks.len(), [[0.0; 8]; 6]);
        self.rows.resize(self.points.len(), Row::default());
    }

    fn island(
        &mut self,
        source: &Source<'_>,
        movers: &Movers<'_>,
        ranks: std::ops::Range<usize>,
        order: std::ops::Range<usize>,
        mixed: bool,
        tries: &[Tries],
    ) {
        let bodies = &*movers.bodies;
        let (first_body, first_block, first_point) =
            (self.locals.len(), self.blocks.len(), self.points.len());
        let mut island = Island { mixed, dynamic: ranks.len(), ..Island::default() };
        for rank in ranks.clone() {
            let index = self.ranked[rank].2;
            self.push_body(bodies, index);
            if let Some(own) = tries.get(index as usize) {
                island.tries = island.tries.merged(*own);
            }
        }
        for place in order {
            let source_index = self.order[place];
            let manifold = &source.set.manifolds[source_index as usize];
            let mut block = Block::new(manifold.normal, &manifold.law);
            block.source = source_index;
            block.first = (self.points.len() - first_point) as u32;
            block.count = manifold.count;
            let given = &source.set.points[manifold.range()];
            let centre = given.iter().map(|p| p.place).sum::<DVec3>() / given.len() as f64;
            (block.a, block.arm_a) = self.side(source, movers, manifold.a, centre, &ranks, first_body);
            (block.b, block.arm_b) = self.side(source, movers, manifold.b, centre, &ranks, first_body);
            if source.within == f64::INFINITY {
                go_along(&mut block, manifold, source, bodies);
            }
            if let Ok(at) = source.rolling.binary_search_by_key(&source_index, |rolling| rolling.manifold) {
                block.rolling = source.rolling[at].velocity;
            }
            let has_link = (block.a | block.b) & LINK != 0;
            for point in given {
                self.points.push(placed(&block, point, centre, source, has_link));
            }
            let pressed = self.points[first_point + block.first as usize..].iter().any(|p| p.l[0] > 0.0);
            if pressed && manifold.moment != DVec3::ZERO {
                block.moment = block.in_frame(manifold.moment * source.scale);
            }
            set_upper(&mut block, island.dynamic, source.up);
            if let Some(local) = self.locals.get_mut(first_body + block.upper as usize) {
                let own = (self.blocks.len() - first_block) as u32;
                if local.blocks.1 == 0 {
                    local.blocks.0 = own;
                }
                local.blocks.1 = own + 1;
            }
            self.blocks.push(block);
        }
        island.bodies = self.locals.len() - first_body;
        island.blocks = self.blocks.len() - first_block;
        island.points = self.points.len() - first_point;
        self.islands.push(island);
    }

    fn push_body(&mut self, bodies: &Bodies, index: u32) {
        let velocity = bodies.velocities[index as usize];
        self.velocities.push(velocity);
        self.stirred.push(0.0);
        self.responses.push(bodies.responses[index as usize]);
        let jointed = self.jointed.get(index as usize).is_some_and(|jointed| *jointed);
        self.flights.push(Flight::straight(jointed));
        let (saved, predicted) = (velocity, velocity);
        let load = Wrench::ZERO;
        self.locals.push(Local {
            global: index,
            blocks: (0, 0),
            first: 0,
            predicted,
            saved,
            load,
            size: 0.0,
            shell: 0.0,
            met: f64::INFINITY,
            lasting: false,
        });
    }

    /// Index of a side in the island, and the arm of the block's centre.
    fn side(
        &mut self,
        source: &Source<'_>,
        movers: &Movers<'_>,
        side: Side,
        centre: DVec3,
        ranks: &std::ops::Range<usize>,
        first_body: usize,
    ) -> (u32, DVec3) {
        let bodies = &*movers.bodies;
        match side {
            Side::Body(index) => {
                let arm = centre - bodies.poses[index as usize].translation;
                if source.moves(bodies, index) {
                    return (self.ranks[index as usize] - ranks.start as u32, arm);
                }
                let number = self.islands.len() as u32;
                if self.seen[index as usize].0 != number {
                    self.seen[index as usize] = (number, (self.locals.len() - first_body) as u32);
                    self.push_body(bodies, index);
                    if let Some(response) = self.responses.last_mut() {
                        *response = Response::NONE;
                    }
                }
                (self.seen[index as usize].1, arm)
            }
            Side::Link { mover, link } => {
                self.links.push((mover, link, centre));
                ((self.links.len() - 1) as u32 | LINK, DVec3::ZERO)
            }
        }
    }
}

/// Where a body of given motion turns, the contact goes on with the other body during the step: the lever is that of the middle of the step, so that what it carries
/// goes round with it and not off along a tangent.
fn go_along(block: &mut Block, manifold: &Manifold, source: &Source<'_>, bodies: &Bodies) {
    let (Side::Body(a), Side::Body(b)) = (manifold.a, manifold.b) else { return };
    let turns = |index: u32| {
        !bodies.is_movable(index as usize) && bodies.velocities[index as usize].angular != DVec3::ZERO
    };
    let ahead = |of: u32, against: u32| {
        let apart = bodies.velocities[of as usize].linear - bodies.velocities[against as usize].linear;
        (apart - manifold.normal * manifold.normal.dot(apart)) * (0.5 * source.h)
    };
    if turns(b) && source.moves(bodies, a) {
        block.arm_b += ahead(a, b);
    } else if turns(a) && source.moves(bodies, b) {
        block.arm_a += ahead(b, a);
    }
}

/// The point in the frame of its block, with percussions that the law allows.
fn placed(
    block: &Block,
    given: &super::manifold::PointData,
    centre: DVec3,
    source: &Source<'_>,
    has_link: bool,
) -> Point {
    let offset = given.place - centre;
    let [ln, l1, l2] = block.in_frame(given.lasting * source.scale);
    let ln = ln.max(0.0);
    let (length, radius) = ((l1 * l1 + l2 * l2).sqrt(), block.static_friction * ln);
    let scale = if length > radius { radius / length } else { 1.0 };
    let bias = if given.gap > 0.0 {
        // Closing the last micrometres would be a motion of the size of the step's fall, in every step anew. What rebounds does not rest.
        let slack = if block.restitution > 0.0 { 0.0 } else { source.slack };
        (given.gap - slack).max(0.0) / source.h
    } else if has_link {
        link_recovery(given.gap, source.h)
    } else {
        0.0
    };
    Point {
        d1: offset.dot(block.t1),
        d2: offset.dot(block.t2),
        gap: given.gap,
        bias,
        l: [ln, l1 * scale, l2 * scale],
        trial: [0.0; 3],
        rebounds: false,
        met: 0.0,
    }
}

/// Positions of links cannot be projected from outside, so their overlaps are undone by velocity: a fifth of it per
/// step, and never faster than 1 m/s.
fn link_recovery(gap: f64, h: f64) -> f64 {
    const SHARE: f64 = 0.2;
    const FASTEST: f64 = 1.0;
    (SHARE * gap / h).max(-FASTEST)
}

/// Who is the upper side: the body of the higher rank, or the only one that moves. Block orientation decides whether
/// the other holds it up.
fn set_upper(block: &mut Block, dynamic: usize, up: DVec3) {
    let moves = |side: u32| (side as usize) < dynamic;
    let steep = block.n.dot(up);
    (block.upper, block.supports, block.below) = match (moves(block.a), moves(block.b)) {
        (true, true) if block.a > block.b => (block.a, steep > SUPPORT, steep > SUPPORT),
        (true, true) => (block.b, steep < -SUPPORT, steep < -SUPPORT),
        (true, false) => (block.a, true, steep > SUPPORT),
        (false, true) => (block.b, true, steep < -SUPPORT),
        (false, false) => (u32::MAX, false, false),
    };
}

fn find(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        let above = parents[parents[node as usize] as usize];
        parents[node as usize] = above;
        node = above;
    }
    node
}

/// The smaller root stays: the same numbers for the same input, whatever the order of manifolds.
fn unite(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parents, a), find(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

//! The search for near features of a cylinder or cone among the triangles of a part.

use std::ops::Range;

use glam::DVec3;
use prall_math::Norm;

use super::boundary::Part;
use super::collect::{Code, PARALLEL};
use super::feature::{ALL_SIDES, DISC, INSIDE, NearFeature, NearKind, insideness};
use super::topology::{Face, NONE};
use super::turned::{
    Meeting, Rim, nearest_to_side, rim_and_edge, rim_and_point, rim_over_plane, side_and_point,
};
use super::turned_collect::{
    CAP_POINT, FLAT_RIM, FROZEN, Filed, POINT_FACE, Placed, RIM_EDGE, RIM_FACE, RIM_POINT, SIDE_EDGE,
    SIDE_POINT, TurnedCollector, over_plane,
};
use crate::convex::{Convex, Nearness, nearest_cores};
use crate::hierarchy::{Content, NodeBox};
use crate::norm::unit;

/// One search beside a part.
pub(super) struct Search<'a, 'b> {
    collector: &'a TurnedCollector<'b>,
    part: &'a Part,
    placed: Placed<'a>,
    limit: f64,
    pub(super) slack: f64,
    rounding: f64,
    pub(super) first: usize,
    /// Least height of what was filed.
    least: f64,
    /// None if only the distance is asked for.
    pub(super) found: Option<&'a mut Vec<NearFeature>>,
    /// The search for nearest points left the distance from the present triangle open: planes across the normals of features prove more.
    in_doubt: bool,
    /// What such planes have proven of it.
    proven: f64,
}

/// A triangle under the search.
struct Tile<'a> {
    corners: &'a [DVec3; 3],
    face: &'a Face,
    triangle: u32,
}

impl<'a, 'b> Search<'a, 'b> {
    pub(super) fn new(
        collector: &'a TurnedCollector<'b>,
        part: &'a Part,
        placed: Placed<'a>,
        limit: f64,
        rounding: f64,
    ) -> Search<'a, 'b> {
        Search {
            collector,
            part,
            placed,
            limit,
            slack: 0.0,
            rounding,
            first: 0,
            least: f64::INFINITY,
            found: None,
            in_doubt: false,
            proven: 0.0,
        }
    }

    /// A lower bound of the distance of the cores, at most the limit and what rounding may hide.
    pub(super) fn run(&mut self, stack: &mut Vec<(u32, u32)>) -> f64 {
        let part = self.part;
        let mut bound = self.limit + self.rounding;
        let mut nearest: Option<(f64, DVec3, DVec3, u32)> = None;
        stack.clear();
        stack.push((0, 0));
        // Features are looked for everywhere within the limit, a distance only where it is the least.
        let widest = bound;
        let within = |bound: f64, search: &Self| if search.found.is_some() { widest } else { bound };
        while let Some(slots) = next_triangles(part, &self.placed, within(bound, self), stack) {
            for slot in slots {
                let corners = part.hierarchy().at_slot(slot);
                let triangle = part.first_triangle + part.hierarchy().source(slot);
                let convex = Convex::triangle(*corners);
                let answer = nearest_cores(&self.placed.convex, &convex, within(bound, self));
                let lower = match answer {
                    Nearness::Far => continue,
                    Nearness::Apart(apart) => {
                        if nearest.is_none_or(|(distance, ..)| apart.distance < distance) {
                            nearest = Some((apart.distance, apart.normal, apart.on_b, triangle));
                        }
                        self.in_doubt = apart.lower < apart.distance * (1.0 - 1e-6);
                        apart.lower
                    }
                    Nearness::Together => {
                        self.in_doubt = true;
                        0.0
                    }
                };
                if !self.in_doubt && self.found.is_none() {
                    bound = bound.min(lower);
                    continue;
                }
                self.proven = lower;
                let face = &part.topology.faces[slot as usize];
                let tile = Tile { corners, face, triangle };
                self.planes(&tile);
                self.corners(&tile);
                self.edges(&tile);
                bound = bound.min(self.proven);
            }
        }
        if let Some((distance, normal, on_other, triangle)) = nearest {
            // Nearest points of curved bodies are known to 1e-8 of their size.
            let tolerance = 1e-7 * self.collector.turned.radius + 1e-6 * distance;
            if distance <= self.limit && self.least > distance + tolerance {
                self.freeze(normal, on_other, triangle);
            }
        }
        bound
    }

    /// Rims in the frame of the other body and in their own.
    fn rims(&self) -> [Option<(Rim, Rim)>; 2] {
        let own = &self.collector.turned.rims;
        [0, 1].map(|at| self.placed.rims[at].zip(own.get(at).copied()))
    }

    /// Rims and apex over the plane of a triangle.
    fn planes(&mut self, tile: &Tile<'_>) {
        let face = tile.face;
        if face.normal == DVec3::ZERO {
            return;
        }
        self.prove(tile, face.normal);
        self.prove(tile, -face.normal);
        let point = tile.corners[0];
        for (rim, own) in self.rims().into_iter().flatten() {
            let middle = face.normal.dot(rim.centre - point);
            let steep = face.normal.cross(rim.axis).norm();
            let above = middle.abs() - rim.radius * steep;
            if above < -self.rounding || above > self.limit {
                continue;
            }
            // What touches a closed piece is outside of it.
            let normal = if middle < 0.0 { -face.normal } else { face.normal };
            if !rim.can_be_touched(-normal, self.slack) {
                continue;
            }
            if steep > FLAT_RIM {
                let lowest = rim_over_plane(rim.stored(), point, normal);
                self.over(tile, RIM_FACE, rim.number, own.stored(), normal, &lowest);
            }
            let change = self.collector.change;
            for (own_point, tangent, number) in own.points() {
                let (at, tangent) = (change.point(own_point), change.rotation * tangent);
                let meeting = over_plane(at, point, normal);
                if meeting.height <= self.limit && normal.dot(tangent).abs() <= self.slack {
                    self.over(tile, POINT_FACE, number, [own_point; 3], normal, &meeting);
                }
            }
        }
        if let (Some((apex, number)), Some((own, _))) = (self.placed.apex, self.collector.turned.apex) {
            let height = face.normal.dot(apex - point);
            let normal = if height < 0.0 { -face.normal } else { face.normal };
            let fits = -normal.dot(self.placed.side[1]) >= self.placed.side[2].x - self.slack;
            if fits && height.abs() <= self.limit {
                self.over(tile, POINT_FACE, number, [own; 3], normal, &over_plane(apex, point, normal));
            }
        }
    }

    /// Files a point of the turned body over the plane of a triangle, if its foot lies in the triangle.
    fn over(
        &mut self,
        tile: &Tile<'_>,
        kind: [NearKind; 2],
        number: u32,
        on_turned: [DVec3; 3],
        normal: DVec3,
        meeting: &Meeting,
    ) {
        if insideness(tile.corners, tile.face.normal, meeting.on_turned, 0) < -INSIDE {
            return;
        }
        self.file(Filed {
            kind,
            code: Code::TurnedFace,
            numbers: (number, self.part.first_triangle + tile.face.plane),
            on_turned,
            on_other: *tile.corners,
            normal,
            height: meeting.height,
            open_sides: tile.face.open_sides,
            triangle: tile.triangle,
        });
    }

    /// Corners of a triangle beside the side, over the caps, and round ones beside the rims.
    fn corners(&mut self, tile: &Tile<'_>) {
        let own_side = self.collector.turned.side.stored();
        for corner in 0..3 {
            let own_corner = tile.face.own_vertices >> corner & 1 == 1;
            if !own_corner && !self.in_doubt {
                continue;
            }
            let (vertex, at) = (tile.face.vertices[corner], tile.corners[corner]);
            let number = self.part.first_vertex + vertex;
            let filed = |kind, turned, on_turned, meeting: &Meeting, open_sides| Filed {
                kind,
                code: Code::TurnedVertex,
                numbers: (turned, number),
                on_turned,
                on_other: [at; 3],
                normal: meeting.normal,
                height: meeting.height,
                open_sides,
                triangle: tile.triangle,
            };
            let beside = side_and_point(self.placed.side, at);
            self.prove(tile, beside.normal);
            if own_corner && beside.on_features && self.is_near(&beside) && self.vertex_fits(vertex, &beside)
            {
                self.file(filed(SIDE_POINT, self.collector.turned.side.number, own_side, &beside, ALL_SIDES));
            }
            for (rim, own) in self.rims().into_iter().flatten() {
                let height = rim.axis.dot(at - rim.centre);
                self.prove(tile, -rim.axis);
                let foot = at - rim.axis * height;
                let over = Meeting {
                    height,
                    normal: -rim.axis,
                    on_turned: foot,
                    on_other: at,
                    on_features: (foot - rim.centre).norm() <= rim.radius * (1.0 + INSIDE),
                };
                if own_corner && over.on_features && self.is_near(&over) && self.vertex_fits(vertex, &over) {
                    let radial = own.axis.any_orthonormal_vector() * own.radius;
                    let disc = [own.centre, own.centre + radial, own.centre];
                    self.file(filed(CAP_POINT, rim.number, disc, &over, DISC));
                }
                let Some(beside) = rim_and_point(rim.stored(), at) else { continue };
                self.prove(tile, beside.normal);
                if self.part.radius > 0.0
                    && own_corner
                    && self.is_near(&beside)
                    && at_rim(&rim, &beside, self.slack)
                    && self.vertex_fits(vertex, &beside)
                {
                    // Numbers of rims and caps are the same: the apex' place is free on caps.
                    self.file(filed(RIM_POINT, rim.number + 8, own.stored(), &beside, ALL_SIDES));
                }
            }
        }
    }

    /// Edges of a triangle beside side and rims.
    fn edges(&mut self, tile: &Tile<'_>) {
        let turned = self.collector.turned;
        for side in 0..3 {
            let own_edge = tile.face.own_edges >> side & 1 == 1;
            if tile.face.edges[side] == NONE || !(own_edge || self.in_doubt) {
                continue;
            }
            let edge = tile.face.edges[side];
            let ends = [tile.corners[side], tile.corners[(side + 1) % 3]];
            let number = self.part.first_edge + edge;
            if let Some(share) = nearest_to_side(self.placed.side, ends, PARALLEL)
                && (-INSIDE..=1.0 + INSIDE).contains(&share)
            {
                let beside = side_and_point(self.placed.side, ends[0] + (ends[1] - ends[0]) * share);
                self.prove(tile, beside.normal);
                if own_edge && beside.on_features && self.is_near(&beside) && self.edge_fits(edge, &beside) {
                    self.file(Filed {
                        kind: SIDE_EDGE,
                        code: Code::TurnedEdge,
                        numbers: (turned.side.number, number),
                        on_turned: turned.side.stored(),
                        on_other: [ends[0], ends[1], ends[1]],
                        normal: beside.normal,
                        height: beside.height,
                        open_sides: ALL_SIDES,
                        triangle: tile.triangle,
                    });
                }
            }
            for (rim, own) in self.rims().into_iter().flatten() {
                let mut known: Option<DVec3> = None;
                for (place, hint) in (0..).zip(hints(&rim, ends)) {
                    let Some(crossing) = crossing(&rim, ends, hint, self.rounding) else { continue };
                    self.prove(tile, crossing.normal);
                    let again = known.is_some_and(|at| (at - crossing.on_turned).norm() < 0.1 * rim.radius);
                    if again || !own_edge || !crossing.on_features || !self.is_near(&crossing) {
                        continue;
                    }
                    if at_rim(&rim, &crossing, self.slack) && self.edge_fits(edge, &crossing) {
                        let second = if known.is_some() || place == 1 { 8 } else { 0 };
                        known = Some(crossing.on_turned);
                        self.file(Filed {
                            kind: RIM_EDGE,
                            code: Code::TurnedEdge,
                            numbers: (rim.number + second, number),
                            on_turned: own.stored(),
                            on_other: [ends[0], ends[1], crossing.on_other],
                            normal: crossing.normal,
                            height: crossing.height,
                            open_sides: ALL_SIDES,
                            triangle: tile.triangle,
                        });
                    }
                }
            }
        }
    }

    fn is_near(&self, meeting: &Meeting) -> bool {
        meeting.height <= self.limit && meeting.height >= -self.rounding
    }

    /// True if the other body falls from its vertex along the normal.
    fn vertex_fits(&self, vertex: u32, meeting: &Meeting) -> bool {
        self.part.topology.ring(vertex).iter().all(|d| d.dot(meeting.normal) <= self.slack)
    }

    fn edge_fits(&self, edge: u32, meeting: &Meeting) -> bool {
        self.part.topology.wings(edge).iter().all(|d| d.dot(meeting.normal) <= self.slack)
    }

    /// The nearest points with a normal that stays: the rim or the apex that is lowest over the plane there.
    fn freeze(&mut self, normal: DVec3, on_other: DVec3, triangle: u32) {
        let turned = self.collector.turned;
        let rims = self.rims().into_iter().flatten().map(|(rim, own)| {
            let lowest = rim_over_plane(rim.stored(), on_other, normal);
            (lowest.height, RIM_FACE, rim.number, own.stored())
        });
        let apex =
            self.placed.apex.zip(turned.apex).map(|((apex, number), (own, _))| {
                (normal.dot(apex - on_other), POINT_FACE, number, [own; 3])
            });
        let lowest = rims.chain(apex).min_by(|one, two| one.0.total_cmp(&two.0));
        if let Some((height, kind, number, on_turned)) = lowest {
            self.file(Filed {
                kind,
                code: Code::TurnedFace,
                numbers: (number | FROZEN, triangle),
                on_turned,
                on_other: [on_other; 3],
                normal,
                height,
                open_sides: ALL_SIDES,
                triangle,
            });
        }
    }

    /// Proves what it can of the present triangle by a plane across a normal.
    fn prove(&mut self, tile: &Tile<'_>, normal: DVec3) {
        if self.in_doubt {
            let lowest = normal.dot(self.placed.convex.support(-normal, 0).0);
            let highest = tile.corners.iter().fold(f64::NEG_INFINITY, |most, at| most.max(normal.dot(*at)));
            self.proven = self.proven.max(lowest - highest);
        }
    }

    /// Files a feature unless one of its name is there, as over two triangles of one plane.
    fn file(&mut self, filed: Filed) {
        self.least = self.least.min(filed.height);
        let feature = self.collector.feature(filed, self.part.radius);
        if let Some(found) = self.found.as_deref_mut()
            && !found[self.first..].iter().any(|known| known.name == feature.name)
        {
            found.push(feature);
        }
    }
}

/// True if a meeting's normal is one of those at the rim.
fn at_rim(rim: &Rim, meeting: &Meeting, slack: f64) -> bool {
    let outward = -meeting.normal;
    rim.can_be_touched(outward, slack) && outward.dot(meeting.on_turned - rim.centre) >= -slack * rim.radius
}

/// A rim and an edge that cross, with the normal from the edge to the rim.
fn crossing(rim: &Rim, ends: [DVec3; 2], hint: DVec3, rounding: f64) -> Option<Meeting> {
    let found = rim_and_edge(rim.stored(), ends, hint, -rim.axis)?;
    let radial = unit(found.on_turned - rim.centre)?;
    let outside = found.normal.dot(radial + rim.axis) <= 0.0;
    let flip = if found.height.abs() > rounding { found.height < 0.0 } else { !outside };
    Some(if flip { Meeting { height: -found.height, normal: -found.normal, ..found } } else { found })
}

/// Places of an edge near which it may cross a rim.
fn hints(rim: &Rim, [from, to]: [DVec3; 2]) -> impl Iterator<Item = DVec3> {
    let (along, apart) = (to - from, from - rim.centre);
    let (rise, height) = (rim.axis.dot(along), rim.axis.dot(apart));
    let (across, start) = (along - rim.axis * rise, apart - rim.axis * height);
    let squared = across.length_squared();
    let mut shares = [None; 3];
    if squared > 1e-12 * along.length_squared() {
        let middle = -start.dot(across) / squared;
        let off = rim.radius * rim.radius - (start + across * middle).length_squared();
        if off > 0.0 {
            let half = (off / squared).sqrt();
            (shares[0], shares[1]) = (Some(middle - half), Some(middle + half));
        } else {
            shares[0] = Some(middle);
        }
    }
    if rise.abs() > 1e-6 * along.norm() {
        shares[2] = Some(-height / rise);
    }
    shares.into_iter().flatten().map(move |share| from + along * share.clamp(0.0, 1.0))
}

/// The slots of the next triangles that may be nearer than `limit`; `stack` holds the nodes that are to be looked at.
fn next_triangles(
    part: &Part,
    placed: &Placed<'_>,
    limit: f64,
    stack: &mut Vec<(u32, u32)>,
) -> Option<Range<u32>> {
    let hierarchy = part.hierarchy();
    while let Some((next, _)) = stack.pop() {
        let node = &hierarchy.nodes[next as usize];
        if is_beyond(placed, node, limit) {
            continue;
        }
        match node.link.content() {
            Content::Group(group) => {
                let group = &hierarchy.groups[group];
                stack.extend((group.first..group.first + group.count).map(|child| (child, 0)));
            }
            Content::Triangles(slots) => return Some(slots),
        }
    }
    None
}

/// True if a node is shown to be farther than `limit` from the turned body.
fn is_beyond(placed: &Placed<'_>, node: &NodeBox, limit: f64) -> bool {
    let [centre, axis, numbers] = placed.side;
    let apart = node.centre - centre;
    let along = axis.dot(apart);
    let radial = (apart - axis * along).norm();
    let [sin, k, half] = numbers.to_array();
    let cos = (1.0 - sin * sin).max(0.0).sqrt();
    let outside = (along.abs() - half).max(radial * cos + along * sin - k);
    // Single precision was rounded outward; the sum here is not.
    outside * (1.0 - 1e-9) > f64::from(node.radius) * (1.0 + 1e-6) + limit
}

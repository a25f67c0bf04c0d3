//! A ball against a surface: the centre against triangles, edges and vertices.
//!
//! Outside, every triangle whose inside holds the foot of the centre is a contact, and every edge and vertex whose normal cone
//! holds the direction to the centre. With the centre inside a solid, the nearest place of the surface is the way out, and
//! the only contact. On which side the centre is, the nearest place tells by its normal (Baerentzen and Aanaes 2005).

use glam::DVec3;
use prall_geometry::closest::on_triangle;
use prall_math::Norm;

use super::surface::Placed;
use super::{Scratch, contact};
use crate::contact::ShapePart;
use crate::convex::Convex;

/// Feet nearer to an edge or corner than this part of the triangle's size (no unit) lie on it.
const ON_BORDER: f64 = 1e-9;

const BALL: ShapePart = ShapePart::Face(0);

/// Where on a triangle a foot lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Inside,
    /// Number of the edge in the triangle.
    Edge(usize),
    Corner(usize),
}

/// The point of a triangle nearest to a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub(super) triangle: u32,
    pub(super) point: DVec3,
    pub(super) place: Place,
    /// Away from the triangle's front, in metres: negative behind its plane.
    pub(super) side: f64,
    /// Square of the distance.
    pub(super) squared: f64,
}

impl Foot {
    pub(super) fn new(placed: &Placed, triangle: u32, of: DVec3) -> Foot {
        let corners = placed.corners(triangle);
        let point = on_triangle(of, corners);
        let size = (corners[1] - corners[0]).abs().max((corners[2] - corners[0]).abs()).max_element();
        Foot {
            triangle,
            point,
            place: place(point, &corners, ON_BORDER * size),
            side: placed.normal(triangle).dot(of - corners[0]),
            squared: point.distance_squared(of),
        }
    }

    /// The part of the surface, by its own numbers.
    pub(super) fn part(&self, placed: &Placed) -> ShapePart {
        let triangle = placed.surface.triangle(self.triangle);
        match self.place {
            Place::Inside => ShapePart::Face(triangle.face),
            Place::Edge(side) => {
                let [from, to] = placed.surface.edge(triangle.edges[side]).ends;
                ShapePart::Edge(from, to)
            }
            Place::Corner(corner) => ShapePart::Vertex(triangle.corners[corner]),
        }
    }

    /// The mean normal of the surface at the foot.
    pub(super) fn outward(&self, placed: &Placed) -> DVec3 {
        let surface = placed.surface;
        let triangle = surface.triangle(self.triangle);
        placed.vector(match self.place {
            Place::Inside => triangle.normal,
            Place::Edge(side) => surface.edge_normal(triangle.edges[side]),
            Place::Corner(corner) => surface.vertex_normal(triangle.corners[corner]),
        })
    }

    /// True if a direction (unit) is in the normal cone of the foot's edge or vertex.
    pub(super) fn cone_holds(&self, placed: &Placed, direction: DVec3) -> bool {
        let local = placed.local(direction);
        let triangle = placed.surface.triangle(self.triangle);
        match self.place {
            Place::Inside => true,
            Place::Edge(side) => placed.surface.edge_cone_holds(triangle.edges[side], local),
            Place::Corner(corner) => placed.surface.vertex_cone_holds(triangle.corners[corner], local),
        }
    }
}

fn place(point: DVec3, corners: &[DVec3; 3], tolerance: f64) -> Place {
    if let Some(corner) = (0..3).find(|&i| corners[i].distance_squared(point) <= tolerance * tolerance) {
        return Place::Corner(corner);
    }
    let edge = (0..3).find(|&i| {
        let along = (corners[(i + 1) % 3] - corners[i]).unit_or(DVec3::ZERO);
        (point - corners[i]).cross(along).length_squared() <= tolerance * tolerance
    });
    edge.map_or(Place::Inside, Place::Edge)
}

pub(super) fn find(ball: &Convex, placed: &Placed, margin: f64, scratch: &mut Scratch) {
    let centre = ball.translation;
    let reach = ball.radius + margin;
    let mut nearest: Option<Foot> = None;
    for i in 0..scratch.triangles.len() {
        let foot = Foot::new(placed, scratch.triangles[i], centre);
        if nearest.is_none_or(|least| foot.squared < least.squared) {
            nearest = Some(foot);
        }
        if foot.squared <= reach * reach {
            outside(ball, placed, &foot, scratch);
        }
    }
    let Some(nearest) = nearest else { return };
    let inside = placed.surface.one_sided && nearest.outward(placed).dot(centre - nearest.point) < 0.0;
    if inside {
        scratch.found.clear();
        // Deeper than its radius and the margin a ball is lost; nothing near tells the way out.
        if nearest.squared <= reach * reach {
            let depth = nearest.squared.sqrt();
            let out = placed.normal(nearest.triangle);
            let normal = match nearest.place {
                Place::Inside => out,
                _ => (nearest.point - centre).try_unit().unwrap_or(out),
            };
            push(ball, normal, -depth, &nearest, placed, scratch);
        }
    }
}

fn outside(ball: &Convex, placed: &Placed, foot: &Foot, scratch: &mut Scratch) {
    let away = ball.translation - foot.point;
    let distance = foot.squared.sqrt();
    let front = placed.normal(foot.triangle);
    let up = if foot.side < 0.0 && !placed.surface.one_sided { -front } else { front };
    // Straight above the triangle, border included: its own normal, which has no noise.
    let lateral = away - up * up.dot(away);
    let above = up.dot(away) >= 0.0 && lateral.norm() <= 1e-7 * distance + ON_BORDER * ball.radius;
    if foot.place == Place::Inside || above {
        if foot.side >= 0.0 || !placed.surface.one_sided {
            push(ball, up, foot.side.abs(), foot, placed, scratch);
        }
        return;
    }
    if let Some(normal) = away.try_unit()
        && foot.cone_holds(placed, normal)
    {
        push(ball, normal, distance, foot, placed, scratch);
    }
}

/// `height` is the way from the foot to the centre along the normal.
fn push(ball: &Convex, normal: DVec3, height: f64, foot: &Foot, placed: &Placed, scratch: &mut Scratch) {
    let gap = height - ball.radius;
    let on_a = ball.translation - normal * ball.radius;
    scratch.found.push(contact(on_a, on_a - normal * gap, normal, gap, (BALL, foot.part(placed))));
}

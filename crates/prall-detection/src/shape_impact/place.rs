//! From a place in a body to the part that lies there, and to the name of its features.

use glam::DVec3;
use prall_math::Pose;

use super::part::{Node, Part};
use super::queue::Place;
use crate::contact::{Feature, ShapePart};
use crate::convex::Convex;
use crate::hierarchy::{Content, Hierarchy};
use crate::manifold::{Kind, Piece};
use crate::time_queue::Item;

/// A part of a body in the body's frame.
pub(super) fn part(pieces: &[Piece], place: Place) -> Part<'_> {
    let piece = &pieces[place.piece as usize];
    match piece.kind() {
        Kind::HalfSpace => {
            let normal = piece.pose().transform_vector(DVec3::Y);
            Part::Plane { normal, height: normal.dot(piece.pose().translation) }
        }
        Kind::Surface(surface) => surface_part(&surface.hierarchy, place.item, piece.pose()),
        Kind::Convex => match Convex::new(piece.shape(), piece.pose(), DVec3::ZERO) {
            Some(convex) => Part::Solid(convex),
            // Pieces of this kind are convex; a plane through everything would never be proven free.
            None => Part::Plane { normal: DVec3::Y, height: f64::INFINITY },
        },
    }
}

fn surface_part(hierarchy: &Hierarchy, item: Item, pose: &Pose) -> Part<'static> {
    let triangle = |slot: u32| {
        let corners = hierarchy.at_slot(slot).map(|corner| pose.transform_point(corner));
        Part::Solid(Convex::triangle(corners))
    };
    match item {
        Item::Triangle(slot) => triangle(slot),
        Item::Node(node) => {
            let node = &hierarchy.nodes[node as usize];
            match node.link.content() {
                Content::Triangles(range) if range.len() == 1 => triangle(range.start),
                _ => Part::Node(Node::new(node).placed(pose)),
            }
        }
    }
}

/// What a part opens into, one level down; none if it cannot be opened.
pub(super) fn contents(pieces: &[Piece], place: Place) -> Option<impl Iterator<Item = Item> + use<>> {
    let Kind::Surface(surface) = pieces[place.piece as usize].kind() else { return None };
    let Item::Node(node) = place.item else { return None };
    let hierarchy = &surface.hierarchy;
    let (range, nodes) = match hierarchy.nodes[node as usize].link.content() {
        Content::Triangles(range) if range.len() == 1 => return None,
        Content::Triangles(range) => (range, false),
        Content::Group(group) => {
            let group = &hierarchy.groups[group];
            (group.first..group.first + group.count, true)
        }
    };
    Some(range.map(move |i| if nodes { Item::Node(i) } else { Item::Triangle(i) }))
}

/// A part of a convex piece or of a triangle, by the numbers of the whole shape.
pub(super) fn feature(pieces: &[Piece], place: Place, part: ShapePart) -> Feature {
    let part = match pieces[place.piece as usize].kind() {
        Kind::Surface(surface) => {
            let slot = match place.item {
                Item::Triangle(slot) => slot,
                Item::Node(node) => match surface.hierarchy.nodes[node as usize].link.content() {
                    Content::Triangles(range) => range.start,
                    Content::Group(_) => 0,
                },
            };
            surface.part(&triangle_feature(surface.hierarchy.source(slot), part))
        }
        _ => part,
    };
    Feature::Shape { child: place.piece, part }
}

/// A part of a single triangle as a feature of that triangle: edge i runs from corner i to the next.
fn triangle_feature(triangle: u32, part: ShapePart) -> Feature {
    match part {
        ShapePart::Vertex(corner) => Feature::Vertex { triangle, corner: corner as u8 },
        ShapePart::Edge(from, to) => {
            let edge = match (from.min(to), from.max(to)) {
                (0, 1) => 0,
                (1, 2) => 1,
                _ => 2,
            };
            Feature::Edge { triangle, edge }
        }
        ShapePart::Face(_) => Feature::Face { triangle },
    }
}

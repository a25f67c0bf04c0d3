//! The nodes of a COLLADA scene, walked from the roots down.

use glam::{DAffine3, DMat4, DQuat, DVec3};
use roxmltree::{Node, NodeId};
use std::collections::HashMap;

use super::{File, MATRIX_NUMBERS, child, children, shown, surface};
use crate::files::error::Malformed;
use crate::files::gather::Gather;
use crate::files::model::{self, Model};
use crate::files::options::Conversion;

/// Deepest that instances may stand in instances; robots and CAD assemblies have some ten levels.
const MAX_DEPTH: usize = 1000;

/// A model under construction.
struct Builder<'a, 'file> {
    file: &'file File<'a>,
    conversion: &'file Conversion,
    model: Model,
    gather: Gather,
    /// The soup of each geometry that was read; `None` if it has no faces.
    soups: HashMap<NodeId, Option<usize>>,
    /// Most nodes that the file may have.
    limit: usize,
}

/// A `<node>` that waits to be added: its element, its parent in the model, and its depth.
type Waiting<'a> = (Node<'a, 'a>, Option<usize>, usize);

pub(super) fn build<'a>(
    file: &File<'a>,
    root: Node<'a, 'a>,
    conversion: &Conversion,
    limit: usize,
) -> Result<Model, Malformed> {
    let mut builder = Builder {
        file,
        conversion,
        model: Model::new(),
        gather: Gather::default(),
        soups: HashMap::new(),
        limit,
    };
    let Some(scene) = scene(file, root)? else {
        // A library of shapes without a scene: each stands at the origin.
        for library in children(root, "library_geometries") {
            for geometry in children(library, "geometry") {
                builder.add_geometry(geometry, (None, DAffine3::IDENTITY))?;
            }
        }
        return Ok(builder.model);
    };
    let mut ahead: Vec<Waiting> = children(scene, "node").map(|node| (node, None, 0)).collect();
    ahead.reverse();
    while let Some(waiting) = ahead.pop() {
        let start = ahead.len();
        builder.add(waiting, &mut ahead)?;
        ahead[start..].reverse();
    }
    Ok(builder.model)
}

/// The visual scene that the file shows, else the first one.
fn scene<'a>(file: &File<'a>, root: Node<'a, 'a>) -> Result<Option<Node<'a, 'a>>, Malformed> {
    if let Some(instance) = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene")) {
        return file.target(instance, "url", "visual_scene").map(Some);
    }
    Ok(child(root, "library_visual_scenes").and_then(|library| child(library, "visual_scene")))
}

impl<'a> Builder<'a, '_> {
    /// Adds a node with its geometry; its children and instanced nodes then wait.
    fn add(
        &mut self,
        (element, parent, depth): Waiting<'a>,
        ahead: &mut Vec<Waiting<'a>>,
    ) -> Result<(), Malformed> {
        if depth > MAX_DEPTH {
            return Err(self
                .file
                .wrong(element, format!("nodes are nested more than {MAX_DEPTH} deep, or in a circle")));
        }
        let name = element.attribute("name").or_else(|| element.attribute("id")).unwrap_or_default();
        let transform = self.conversion.transform(&self.local_transform(element)?);
        let mut soups = Vec::new();
        for instance in children(element, "instance_geometry") {
            let geometry = self.file.target(instance, "url", "geometry")?;
            soups.extend(self.soup(geometry)?);
        }
        let node = self.push(element, (name, parent, transform), soups)?;
        for instance in children(element, "instance_controller") {
            self.add_controller(instance, node)?;
        }
        for below in element.children().filter(Node::is_element) {
            match below.tag_name().name() {
                "node" => ahead.push((below, Some(node), depth + 1)),
                "instance_node" => {
                    let target = self.file.target(below, "url", "node")?;
                    ahead.push((target, Some(node), depth + 1));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn push(
        &mut self,
        element: Node<'a, 'a>,
        (name, parent, transform): (&str, Option<usize>, DAffine3),
        soups: Vec<usize>,
    ) -> Result<usize, Malformed> {
        if self.model.nodes().len() >= self.limit {
            let what = format!("instances of instances make more than {} nodes", self.limit);
            return Err(self.file.wrong(element, what));
        }
        // Instances must not multiply a name of megabytes.
        let node = model::Node { name: shown(name), parent, transform, soups };
        self.model.push_node(node).map_err(|error| self.file.wrong(element, error.to_string()))
    }

    /// The soup of a geometry, read once however often it is instanced.
    fn soup(&mut self, geometry: Node<'a, 'a>) -> Result<Option<usize>, Malformed> {
        if let Some(known) = self.soups.get(&geometry.id()) {
            return Ok(*known);
        }
        let soup = surface::soup(self.file, geometry, &mut self.gather, self.conversion)?;
        let index = soup.map(|soup| self.model.push_soup(soup));
        self.soups.insert(geometry.id(), index);
        Ok(index)
    }

    fn add_geometry(
        &mut self,
        geometry: Node<'a, 'a>,
        (parent, transform): (Option<usize>, DAffine3),
    ) -> Result<(), Malformed> {
        let name = geometry.attribute("name").or_else(|| geometry.attribute("id")).unwrap_or_default();
        if let Some(soup) = self.soup(geometry)? {
            self.push(geometry, (name, parent, transform), vec![soup])?;
        }
        Ok(())
    }

    /// Adds the surface of a skin as it was bound, or of a morph without its targets.
    fn add_controller(&mut self, instance: Node<'a, 'a>, parent: usize) -> Result<(), Malformed> {
        let controller = self.file.target(instance, "url", "controller")?;
        let Some(law) = child(controller, "skin").or_else(|| child(controller, "morph")) else {
            return Err(self.file.wrong(controller, "<controller> has neither <skin> nor <morph>"));
        };
        let geometry = self.file.target(law, "source", "geometry")?;
        let bind = match child(law, "bind_shape_matrix") {
            Some(matrix) => self.matrix(matrix)?,
            None => DAffine3::IDENTITY,
        };
        self.add_geometry(geometry, (Some(parent), self.conversion.transform(&bind)))
    }

    /// The product of a node's transforms, in the order of the file.
    fn local_transform(&self, element: Node<'a, 'a>) -> Result<DAffine3, Malformed> {
        let mut product = DAffine3::IDENTITY;
        for step in element.children().filter(Node::is_element) {
            product *= match step.tag_name().name() {
                "matrix" => self.matrix(step)?,
                "translate" => DAffine3::from_translation(DVec3::from_array(self.file.exactly(step)?)),
                "scale" => DAffine3::from_scale(DVec3::from_array(self.file.exactly(step)?)),
                "rotate" => self.rotation(step)?,
                "lookat" => self.look_at(step)?,
                "skew" => {
                    return Err(self.file.wrong(step, "<skew> is not read; export the node with a <matrix>"));
                }
                _ => continue,
            };
        }
        Ok(product)
    }

    fn matrix(&self, element: Node<'a, 'a>) -> Result<DAffine3, Malformed> {
        let rows: [f64; MATRIX_NUMBERS] = self.file.exactly(element)?;
        if rows[12..] != [0.0, 0.0, 0.0, 1.0] {
            return Err(self.file.wrong(element, "the last row of the matrix is not 0 0 0 1"));
        }
        Ok(DAffine3::from_mat4(DMat4::from_cols_array(&rows).transpose()))
    }

    fn rotation(&self, element: Node<'a, 'a>) -> Result<DAffine3, Malformed> {
        let [x, y, z, degrees] = self.file.exactly(element)?;
        if degrees == 0.0 {
            return Ok(DAffine3::IDENTITY);
        }
        let Some(axis) = DVec3::new(x, y, z).try_normalize() else {
            return Err(self.file.wrong(element, "the axis of <rotate> has no direction"));
        };
        Ok(DAffine3::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians())))
    }

    /// Eye, point of interest and up direction; the node looks along its own -z.
    fn look_at(&self, element: Node<'a, 'a>) -> Result<DAffine3, Malformed> {
        let [a, b, c, d, e, f, g, h, i] = self.file.exactly(element)?;
        let (eye, target, up) = (DVec3::new(a, b, c), DVec3::new(d, e, f), DVec3::new(g, h, i));
        let back = (eye - target).try_normalize();
        let right = back.and_then(|back| up.cross(back).try_normalize());
        let (Some(back), Some(right)) = (back, right) else {
            return Err(self.file.wrong(element, "<lookat> gives no direction"));
        };
        let matrix3 = glam::DMat3::from_cols(right, back.cross(right), back);
        Ok(DAffine3 { matrix3, translation: eye })
    }
}

//! The nodes of a glTF file: a forest, walked from the roots of the scene down.

use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::item;
use super::schema::{self, Document};
use super::surface::Surfaces;
use crate::files::error::Malformed;
use crate::files::model::{Model, Node};
use crate::files::options::Conversion;

/// How far the length of a rotation's quaternion may be from 1. Exporters write them in single precision or with few
/// digits; what is further off is not a rotation but a mistake.
const QUATERNION_LENGTH_TOLERANCE: f64 = 1e-3;

/// The longest mesh name that nameless nodes take over: many of them must not multiply a name of megabytes.
const INHERITED_NAME_BYTES: usize = 100;

pub(super) fn build(
    document: &Document,
    mut surfaces: Surfaces<'_>,
    conversion: &Conversion,
) -> Result<Model, Malformed> {
    let parents = parents(document)?;
    let roots = roots(document, &parents)?;
    let mut model = Model::new();
    model.reserve_nodes(document.nodes.len());
    let mut ahead: Vec<(u32, Option<usize>)> = roots.iter().rev().map(|&root| (root, None)).collect();
    while let Some((index, parent)) = ahead.pop() {
        let place = format!("nodes[{index}]");
        let node = item(&document.nodes, index, "nodes", "scene")?;
        if node.extensions.instancing.is_some() {
            let what = "instances by EXT_mesh_gpu_instancing are not read; export them as nodes";
            return Err(Malformed::item(place, what));
        }
        let soup = match node.mesh {
            Some(mesh) => surfaces.soup_of_mesh(mesh, &place, &mut model)?,
            None => None,
        };
        let transform = conversion.transform(&local_transform(node, &place)?);
        let node_of_model =
            Node { name: name(document, node), parent, transform, soups: soup.into_iter().collect() };
        let added =
            model.push_node(node_of_model).map_err(|error| Malformed::item(place, error.to_string()))?;
        ahead.extend(node.children.iter().rev().map(|&child| (child, Some(added))));
    }
    Ok(model)
}

/// The parent of every node. Fails unless every node has at most one and none is its own ancestor.
fn parents(document: &Document) -> Result<Vec<Option<u32>>, Malformed> {
    let nodes = &document.nodes;
    let mut parents: Vec<Option<u32>> = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            item(nodes, child, "nodes", &format!("nodes[{index}].children"))?;
            if let Some(first) = parents[child as usize].replace(index as u32) {
                let what = format!("has two parents, nodes[{first}] and nodes[{index}]");
                return Err(Malformed::item(format!("nodes[{child}]"), what));
            }
        }
    }
    // With one parent each, all that hangs below a node without parents is a tree; what is left over is on a cycle or
    // below one.
    let mut reached = vec![false; nodes.len()];
    let mut ahead: Vec<u32> =
        (0..nodes.len() as u32).filter(|&index| parents[index as usize].is_none()).collect();
    while let Some(index) = ahead.pop() {
        reached[index as usize] = true;
        ahead.extend(&nodes[index as usize].children);
    }
    match reached.iter().position(|reached| !reached) {
        Some(index) => Err(Malformed::item(
            format!("nodes[{index}]"),
            "the node is its own ancestor, or below one that is",
        )),
        None => Ok(parents),
    }
}

/// The roots of the scene that the file names, else of the first, else all nodes without parents.
fn roots(document: &Document, parents: &[Option<u32>]) -> Result<Vec<u32>, Malformed> {
    let index = document.scene.unwrap_or(0);
    if document.scenes.is_empty() && document.scene.is_none() {
        return Ok((0..parents.len() as u32).filter(|&index| parents[index as usize].is_none()).collect());
    }
    let place = format!("scenes[{index}]");
    let roots = &item(&document.scenes, index, "scenes", "scene")?.nodes;
    let mut seen = vec![false; parents.len()];
    for &root in roots {
        match *item(parents, root, "nodes", &place)? {
            Some(parent) => {
                let what = format!("nodes[{root}] is not a root: it is a child of nodes[{parent}]");
                return Err(Malformed::item(place, what));
            }
            None if std::mem::replace(&mut seen[root as usize], true) => {
                return Err(Malformed::item(place, format!("nodes[{root}] is listed twice")));
            }
            None => {}
        }
    }
    Ok(roots.clone())
}

/// A node's name, or else its mesh's if that is not too long.
fn name(document: &Document, node: &schema::Node) -> String {
    let mesh = node.mesh.and_then(|mesh| document.meshes.get(mesh as usize));
    let inherited = || mesh?.name.as_deref().filter(|name| name.len() <= INHERITED_NAME_BYTES);
    node.name.as_deref().or_else(inherited).unwrap_or_default().to_owned()
}

fn local_transform(node: &schema::Node, place: &str) -> Result<DAffine3, Malformed> {
    let fail = |problem: &str| Err(Malformed::item(place, problem));
    if let Some(matrix) = &node.matrix {
        if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
            return fail("a matrix together with translation, rotation or scale");
        }
        if [matrix[3], matrix[7], matrix[11], matrix[15]] != [0.0, 0.0, 0.0, 1.0] {
            return fail("the last row of the matrix is not 0 0 0 1");
        }
        return Ok(DAffine3::from_mat4(DMat4::from_cols_array(matrix)));
    }
    let rotation = node.rotation.as_ref().map_or(DQuat::IDENTITY, |q| DQuat::from_array(**q));
    let length = rotation.length();
    if (length - 1.0).abs() > QUATERNION_LENGTH_TOLERANCE {
        return fail(&format!("the rotation is not a unit quaternion: its length is {length}"));
    }
    let vector = |field: &Option<Box<[f64; 3]>>| field.as_ref().map(|v| DVec3::from_array(**v));
    Ok(DAffine3::from_scale_rotation_translation(
        vector(&node.scale).unwrap_or(DVec3::ONE),
        // An exact rotation is left as it is.
        if length == 1.0 { rotation } else { rotation / length },
        vector(&node.translation).unwrap_or(DVec3::ZERO),
    ))
}

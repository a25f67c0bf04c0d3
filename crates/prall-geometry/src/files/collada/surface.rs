//! The faces of a COLLADA geometry as one soup.

use glam::DVec3;
use roxmltree::Node;

use super::{File, child, children, shown};
use crate::files::error::{Malformed, quote};
use crate::files::gather::Gather;
use crate::files::options::Conversion;
use crate::soup::PolygonSoup;

/// Faces as corner numbers, one after the other.
#[derive(Default)]
struct Faces {
    corners: Vec<u32>,
    /// Where each face ends in `corners`.
    ends: Vec<usize>,
}

impl Faces {
    fn push(&mut self, face: impl IntoIterator<Item = u32>) {
        self.corners.extend(face);
        self.ends.push(self.corners.len());
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone {
        (0..self.ends.len()).map(|face| {
            let start = if face == 0 { 0 } else { self.ends[face - 1] };
            &self.corners[start..self.ends[face]]
        })
    }
}

/// The soup of a `<geometry>`; `None` if it holds no faces.
pub(super) fn soup<'a>(
    file: &File<'a>,
    geometry: Node<'a, 'a>,
    gather: &mut Gather,
    conversion: &Conversion,
) -> Result<Option<PolygonSoup>, Malformed> {
    let Some(mesh) = child(geometry, "mesh").or_else(|| child(geometry, "convex_mesh")) else {
        let kind = geometry.children().find(Node::is_element).map_or("nothing", |own| own.tag_name().name());
        return match kind {
            "spline" | "nothing" => Ok(None),
            kind => {
                let what =
                    format!("a geometry of <{}> is not read; export the surface as a <mesh>", shown(kind));
                Err(file.wrong(geometry, what))
            }
        };
    };
    let mut faces = Faces::default();
    for primitive in mesh.children().filter(Node::is_element) {
        read_primitive(file, primitive, &mut faces)?;
    }
    if faces.ends.is_empty() {
        return Ok(None);
    }
    let positions = positions(file, mesh)?;
    if let Some(&beyond) = faces.corners.iter().find(|&&corner| corner as usize >= positions.len()) {
        let what =
            format!("a face names vertex {beyond}, but there are only {} (counted from 0)", positions.len());
        return Err(file.wrong(mesh, what));
    }
    let place = file.wrong(mesh, "").place;
    let point = |corner: u32| Ok(conversion.point(positions[corner as usize]));
    gather.soup(positions.len(), point, faces.iter(), &place).map(Some)
}

/// Adds the faces of a child of `<mesh>`; lines and sources have none.
fn read_primitive<'a>(file: &File<'a>, primitive: Node<'a, 'a>, faces: &mut Faces) -> Result<(), Malformed> {
    let tag = primitive.tag_name().name();
    if !matches!(tag, "triangles" | "tristrips" | "trifans" | "polylist" | "polygons") {
        return Ok(());
    }
    if let Some(holes) = child(primitive, "ph") {
        return Err(file.wrong(holes, "a polygon with holes is not read; triangulate the mesh on export"));
    }
    let Some((offset, stride)) = vertex_input(file, primitive)? else {
        return Err(file.wrong(primitive, format!("<{tag}> has no <input semantic=\"VERTEX\">")));
    };
    let mut values = Vec::new();
    for list in children(primitive, "p") {
        values.clear();
        file.indices(list, &mut values)?;
        if !values.len().is_multiple_of(stride) {
            let what = format!("{} indices are no multiple of the {stride} that a corner has", values.len());
            return Err(file.wrong(list, what));
        }
        let corners: Vec<u32> = values.iter().skip(offset).step_by(stride).copied().collect();
        match tag {
            "triangles" => triangles(file, list, &corners, faces)?,
            "tristrips" => corners.windows(3).enumerate().for_each(|(at, corner)| {
                // Every second triangle of a strip is turned over.
                let [a, b] = if at % 2 == 0 { [0, 1] } else { [1, 0] };
                faces.push([corner[a], corner[b], corner[2]]);
            }),
            "trifans" => {
                corners.windows(2).skip(1).for_each(|edge| faces.push([corners[0], edge[0], edge[1]]));
            }
            "polygons" => polygon(file, list, &corners, faces)?,
            _ => polylist(file, primitive, &corners, faces)?,
        }
    }
    Ok(())
}

fn triangles(file: &File, list: Node, corners: &[u32], faces: &mut Faces) -> Result<(), Malformed> {
    if !corners.len().is_multiple_of(3) {
        let what = format!("{} corners make no whole number of triangles", corners.len());
        return Err(file.wrong(list, what));
    }
    corners.chunks(3).for_each(|triangle| faces.push(triangle.iter().copied()));
    Ok(())
}

fn polygon(file: &File, list: Node, corners: &[u32], faces: &mut Faces) -> Result<(), Malformed> {
    if corners.len() < 3 {
        return Err(file.wrong(list, format!("a polygon of {} corners; it needs 3", corners.len())));
    }
    faces.push(corners.iter().copied());
    Ok(())
}

fn polylist<'a>(
    file: &File<'a>,
    primitive: Node<'a, 'a>,
    corners: &[u32],
    faces: &mut Faces,
) -> Result<(), Malformed> {
    let Some(list) = child(primitive, "vcount") else {
        return Err(file.wrong(primitive, "<polylist> has no <vcount>"));
    };
    let mut counts = Vec::new();
    file.indices(list, &mut counts)?;
    let mut rest = corners;
    for count in counts {
        let Some((face, after)) = rest.split_at_checked(count as usize) else {
            let what = format!("a face of {count} corners, but only {} are left in <p>", rest.len());
            return Err(file.wrong(list, what));
        };
        polygon(file, list, face, faces)?;
        rest = after;
    }
    if rest.is_empty() {
        return Ok(());
    }
    Err(file.wrong(list, format!("{} corners of <p> belong to no face", rest.len())))
}

/// Where a corner's vertex is among its indices, and how many indices a corner has.
fn vertex_input<'a>(file: &File<'a>, primitive: Node<'a, 'a>) -> Result<Option<(usize, usize)>, Malformed> {
    // The format knows some twenty semantics; no corner has thousands of indices.
    const MAX_OFFSET: usize = 1000;
    let (mut vertex, mut stride) = (None, 0);
    for input in children(primitive, "input") {
        let text = input.attribute("offset").unwrap_or("0");
        let offset = text.trim().parse::<usize>().ok().filter(|&offset| offset <= MAX_OFFSET);
        let offset = offset.ok_or_else(|| {
            let what = format!("an offset of {}; it is from 0 to {MAX_OFFSET}", quote(text.as_bytes()));
            file.wrong(input, what)
        })?;
        stride = stride.max(offset + 1);
        if input.attribute("semantic") == Some("VERTEX") {
            vertex = Some(offset);
        }
    }
    Ok(vertex.map(|vertex| (vertex, stride)))
}

/// The positions that the `<vertices>` of a mesh name.
fn positions<'a>(file: &File<'a>, mesh: Node<'a, 'a>) -> Result<Vec<DVec3>, Malformed> {
    let position = child(mesh, "vertices").and_then(|vertices| {
        children(vertices, "input").find(|i| i.attribute("semantic") == Some("POSITION"))
    });
    let Some(position) = position else {
        return Err(file.wrong(mesh, "the mesh has no <vertices> with an <input semantic=\"POSITION\">"));
    };
    let source = file.target(position, "source", "source")?;
    let Some(list) = child(source, "float_array") else {
        return Err(file.wrong(source, "positions need a <float_array>"));
    };
    let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
    let number = |name: &str, default: usize| -> Result<usize, Malformed> {
        let Some(text) = accessor.and_then(|accessor| accessor.attribute(name)) else { return Ok(default) };
        // Beyond the length of the list nothing can be found.
        text.trim().parse::<u32>().map(|value| value as usize).map_err(|_| {
            let what = format!("{name} of <accessor> is {}, not a whole number", quote(text.as_bytes()));
            file.wrong(accessor.unwrap_or(source), what)
        })
    };
    let (stride, offset) = (number("stride", 3)?, number("offset", 0)?);
    let lanes = lanes(accessor);
    let values = file.numbers(list)?;
    let Some(lanes) = lanes.filter(|lanes| lanes.iter().all(|&lane| lane < stride)) else {
        return Err(
            file.wrong(source, "positions need an <accessor> with three named <param>s within its stride")
        );
    };
    let values = values.get(offset..).unwrap_or_default();
    let whole = values.len() / stride;
    let count = number("count", whole)?;
    if count > whole {
        let what = format!("the accessor counts {count} positions, but there are numbers for {whole}");
        return Err(file.wrong(list, what));
    }
    let point = |numbers: &[f64]| DVec3::from_array(lanes.map(|lane| numbers[lane]));
    Ok(values.chunks_exact(stride).take(count).map(point).collect())
}

/// Which numbers of an element are x, y and z: the first three parameters with a name.
fn lanes(accessor: Option<Node>) -> Option<[usize; 3]> {
    let Some(accessor) = accessor.filter(|accessor| child(*accessor, "param").is_some()) else {
        return Some([0, 1, 2]);
    };
    let named = children(accessor, "param")
        .enumerate()
        .filter(|(_, param)| param.attribute("name").is_some_and(|name| !name.is_empty()));
    let mut lanes = named.map(|(lane, _)| lane);
    Some([lanes.next()?, lanes.next()?, lanes.next()?])
}

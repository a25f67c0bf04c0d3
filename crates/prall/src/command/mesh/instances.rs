//! What a large file holds, with each of its parts examined once however often it is placed.
//!
//! A part that is placed a thousand times has the same edges each time; only measures change with the place. Vertices of
//! different places are not welded to each other.

use super::{Answer, PartLine};
use crate::command::Failure;
use glam::{DAffine3, DMat3, DVec3};
use prall_geometry::files::Model;
use prall_geometry::{Amount, Diagnosis, HalfEdges, MassProperties, Mesh, MeshOptions, PolygonSoup};
use std::collections::BTreeMap;

/// A part in its own coordinates.
struct Shared {
    mesh: Mesh,
    diagnosis: Diagnosis,
    mass: Result<MassProperties, String>,
}

/// Mass, first and second moments about the origin.
struct Moments {
    mass: f64,
    first: DVec3,
    second: DMat3,
}

pub(super) fn answer(
    file: &str,
    model: &Model,
    options: &MeshOptions,
    density: f64,
) -> Result<Answer, Failure> {
    let mut shared: BTreeMap<&[usize], Option<Shared>> = BTreeMap::new();
    for node in model.nodes().iter().filter(|node| !node.soups.is_empty()) {
        if !shared.contains_key(node.soups.as_slice()) {
            let part = examine(model, &node.soups, options, density)
                .map_err(|error| format!("part '{}': {error}", node.name))?;
            shared.insert(&node.soups, part);
        }
    }
    let mut total: Option<Diagnosis> = None;
    let nothing = Moments { mass: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };
    let (mut moments, mut mass_problem, mut parts) = (nothing, None, Vec::new());
    for (node, transform) in model.nodes().iter().zip(model.world_transforms()) {
        let Some(Some(part)) = shared.get(node.soups.as_slice()) else { continue };
        let placed = part.placed(&transform);
        parts.push(PartLine {
            name: if node.name.is_empty() { "mesh".to_owned() } else { node.name.clone() },
            faces: placed.faces,
            watertight: placed.watertight,
        });
        match &mut total {
            Some(total) => add(total, &placed),
            None => total = Some(placed),
        }
        match &part.mass {
            Ok(mass) => moments.add(mass, &transform),
            Err(problem) => {
                mass_problem.get_or_insert_with(|| problem.clone());
            }
        }
    }
    let Some(diagnosis) = total else { return Err("the file holds no faces".into()) };
    let mass = match mass_problem {
        None => moments.properties().and_then(|mass| mass.validated().map_err(|error| error.to_string())),
        Some(problem) => Err(problem),
    };
    let examined = shared.values().flatten().count();
    let finding = format!(
        "{examined} parts were examined once each for {} places; what touches from place to place is not welded.",
        parts.len()
    );
    let mut answer = Answer::new(file, diagnosis, mass, density, parts);
    answer.findings.push(finding);
    Ok(answer)
}

/// The soups of a node as one part; `None` if they have no faces.
fn examine(
    model: &Model,
    soups: &[usize],
    options: &MeshOptions,
    density: f64,
) -> Result<Option<Shared>, Failure> {
    let mut soup = PolygonSoup::new();
    for &index in soups {
        soup.append(&model.soups()[index])?;
    }
    if soup.face_count() == 0 {
        return Ok(None);
    }
    let mesh = Mesh::from_soup(&soup, options)?;
    let half_edges = HalfEdges::new(&mesh);
    let diagnosis = Diagnosis::new(&mesh, &half_edges);
    let mass = MassProperties::of_mesh(&mesh, &half_edges, Amount::Density(density));
    Ok(Some(Shared { mesh, diagnosis, mass: mass.map_err(|error| error.to_string()) }))
}

impl Shared {
    /// Its diagnosis at a place.
    fn placed(&self, transform: &DAffine3) -> Diagnosis {
        let points = self.mesh.positions().iter().map(|&point| transform.transform_point3(point));
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (lower_bound, upper_bound) =
            points.fold(nothing, |(low, high), point| (low.min(point), high.max(point)));
        let doubled_area = |triangle: usize| {
            let [a, b, c] =
                self.mesh.triangle_points(triangle).map(|point| transform.transform_point3(point));
            (b - a).cross(c - a).length()
        };
        let area = 0.5 * (0..self.mesh.triangles().len()).map(doubled_area).sum::<f64>();
        let signed_volume = transform.matrix3.determinant() * self.diagnosis.signed_volume;
        Diagnosis { lower_bound, upper_bound, area, signed_volume, ..self.diagnosis.clone() }
    }
}

/// Counts and measures of two parts together.
fn add(total: &mut Diagnosis, part: &Diagnosis) {
    let counts: [(&mut usize, usize); 17] = [
        (&mut total.vertices, part.vertices),
        (&mut total.faces, part.faces),
        (&mut total.triangles, part.triangles),
        (&mut total.edges, part.edges),
        (&mut total.open_edges, part.open_edges),
        (&mut total.nonmanifold_edges, part.nonmanifold_edges),
        (&mut total.inconsistent_edges, part.inconsistent_edges),
        (&mut total.nonmanifold_vertices, part.nonmanifold_vertices),
        (&mut total.components, part.components),
        (&mut total.one_sided_components, part.one_sided_components),
        (&mut total.inside_out_components, part.inside_out_components),
        (&mut total.duplicate_faces, part.duplicate_faces),
        (&mut total.source_faces, part.source_faces),
        (&mut total.degenerate_faces, part.degenerate_faces),
        (&mut total.self_intersecting_faces, part.self_intersecting_faces),
        (&mut total.shortened_faces, part.shortened_faces),
        (&mut total.nonplanar_faces, part.nonplanar_faces),
    ];
    counts.into_iter().for_each(|(total, part)| *total += part);
    total.nonconvex_faces += part.nonconvex_faces;
    total.unused_vertices += part.unused_vertices;
    total.welded_vertices += part.welded_vertices;
    total.watertight &= part.watertight;
    total.weld_displacement = total.weld_displacement.max(part.weld_displacement);
    total.lower_bound = total.lower_bound.min(part.lower_bound);
    total.upper_bound = total.upper_bound.max(part.upper_bound);
    total.area += part.area;
    total.signed_volume += part.signed_volume;
}

impl Moments {
    /// Adds a body that an affine map has moved, turned and stretched; a mirrored one counts negative, as its volume does.
    fn add(&mut self, body: &MassProperties, transform: &DAffine3) {
        let linear = transform.matrix3;
        let mass = linear.determinant() * body.mass;
        let centre = transform.transform_point3(body.center_of_mass);
        // Half the trace of the inertia less the inertia is the second moment of the mass.
        let trace = body.inertia.x_axis.x + body.inertia.y_axis.y + body.inertia.z_axis.z;
        let second = DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - body.inertia;
        self.mass += mass;
        self.first += mass * centre;
        self.second += linear.determinant() * (linear * second * linear.transpose()) + mass * outer(centre);
    }

    fn properties(&self) -> Result<MassProperties, String> {
        if !(self.mass > 0.0) {
            return Err("the parts enclose no volume, or are inside out".to_owned());
        }
        let centre = self.first / self.mass;
        let second = self.second - self.mass * outer(centre);
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
        Ok(MassProperties { mass: self.mass, center_of_mass: centre, inertia })
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prall_geometry::files::Node;
    use prall_geometry::generate;

    /// Places that do not touch: what is found once each and placed is what the whole has as one mesh.
    #[test]
    fn the_whole_is_the_sum_of_its_places() {
        let mut model = Model::new();
        let ball = model.push_soup(generate::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap());
        for number in 0..7 {
            let transform = DAffine3::from_scale_rotation_translation(
                DVec3::new(1.0, 0.5 + 0.1 * f64::from(number), 1.5),
                glam::DQuat::from_rotation_y(0.3 * f64::from(number)),
                DVec3::X * 10.0 * f64::from(number),
            );
            let node = Node { name: number.to_string(), parent: None, transform, soups: vec![ball] };
            model.push_node(node).unwrap();
        }
        let options = MeshOptions::default();
        let parts = super::super::parts(&model, &options).unwrap();
        let whole = super::super::answer("f", &model, &parts, &options, 1000.0).unwrap();
        let summed = answer("f", &model, &options, 1000.0).unwrap();
        let counts =
            |d: &Diagnosis| (d.vertices, d.faces, d.edges, d.components, d.watertight, d.source_faces);
        assert_eq!(counts(&whole.diagnosis), counts(&summed.diagnosis));
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * a.abs().max(1e5), "{a} and {b}");
        close(whole.diagnosis.area, summed.diagnosis.area);
        close(whole.diagnosis.signed_volume, summed.diagnosis.signed_volume);
        close(whole.mass.unwrap(), summed.mass.unwrap());
        let (a, b) = (whole.inertia.unwrap().concat(), summed.inertia.unwrap().concat());
        a.iter()
            .zip(&b)
            .for_each(|(a, b)| assert!((a - b).abs() <= 1e-9 * whole.mass.unwrap() * 1e3, "{a} and {b}"));
        assert!((whole.bounds.max - summed.bounds.max).length() < 1e-12);
        assert!((whole.center_of_mass.unwrap() - summed.center_of_mass.unwrap()).length() < 1e-9);
    }
}

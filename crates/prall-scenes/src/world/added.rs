//! Bodies that people add to a scene of the dynamics while it runs.

use super::{Touched, WorldScene, refused};
use crate::{ActionError, AddedBody, Addition, Look, Pattern, Template};
use glam::{DQuat, DVec3};
use prall_detection::Filter;
use prall_dynamics::{BodyDefinition, BodyKind};
use prall_geometry::{Aabb, ConvexHull, Ray, Shape};
use prall_math::{Pose, Twist};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Most bodies that can be added between two resets: each is part of every saved state.
const MAX_ADDED: usize = 1000;

/// Sizes in m, densities in kg/m^3 and speeds in m/s that can be asked for.
const SIZES: std::ops::RangeInclusive<f64> = 1e-3..=1e3;
const DENSITIES: std::ops::RangeInclusive<f64> = 1.0..=1e5;
const SPEEDS: std::ops::RangeInclusive<f64> = 0.0..=1e3;
const MAX_POINTS: usize = 256;

/// Beyond this distance in m nobody points at anything.
const REACH: f64 = 1e3;

/// A body is dropped from this share of its size above the place, so that it is seen to fall.
const DROP_SHARE: f64 = 0.5;

/// Where there is no room it is tried this share of its size higher, this many times.
const RAISE_SHARE: f64 = 0.5;
const MAX_RAISES: usize = 40;

/// Tones of what was added, in turn.
const TONES: [&str; 4] = ["#d9a441", "#7c5a8a", "#c0562f", "#0a6b75"];

/// What changed the set of bodies. Replayed in this order, a new stage has the same bodies in the same places of memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Change {
    Added(AddedBody, f64),
    /// A body by its number on the stage.
    Removed(usize),
}

impl Touched {
    fn added(&self) -> usize {
        self.changes.iter().filter(|change| matches!(change, Change::Added(..))).count()
    }
}

impl WorldScene {
    /// Adds a body and returns the index of its first part. Refused, everything is as it was.
    pub(super) fn add_body(&mut self, addition: &Addition) -> Result<usize, ActionError> {
        if self.touched.added() >= MAX_ADDED {
            let sentence = format!("{MAX_ADDED} bodies were added, which is the most; reset the scene");
            return Err(ActionError::Refused(sentence));
        }
        let speed = addition.speed.unwrap_or_default();
        if !SPEEDS.contains(&speed) {
            let sentence =
                format!("a speed is from {} to {:e} m/s, not {speed}", SPEEDS.start(), SPEEDS.end());
            return Err(ActionError::Refused(sentence));
        }
        let ray = Ray::new(addition.origin, addition.direction).map_err(refused)?;
        let (name, mut template) = self.template(&addition.body, addition.density)?;
        let rotation = match addition.body {
            AddedBody::Copy { body } => self.stage.world.pose(self.body(body)?).map_err(refused)?.rotation,
            _ => DQuat::IDENTITY,
        };
        template.definition.pose =
            self.place(&template.definition, rotation, &ray, addition.speed.is_some())?;
        template.definition.velocity = Twist { linear: ray.direction() * speed, angular: DVec3::ZERO };
        let part = self.stage.parts.len();
        self.put(&name, &template).map_err(ActionError::Refused)?;
        self.touched.changes.push(Change::Added(addition.body.clone(), addition.density));
        Ok(part)
    }

    /// Takes the changes of a saved state over to a new stage: poses and velocities come with the world's state.
    pub(super) fn repeat_changes(&mut self, changes: &[Change]) -> Result<(), String> {
        for change in changes {
            match change {
                Change::Removed(number) => {
                    let body =
                        *self.stage.bodies.get(*number).ok_or("a body that is not there was removed")?;
                    self.stage.world.remove_body(body).map_err(|error| error.to_string())?;
                }
                Change::Added(body, density) => {
                    let (name, template) =
                        self.template(body, *density).map_err(|error| error.to_string())?;
                    self.put(&name, &template)?;
                }
            }
            self.touched.changes.push(change.clone());
        }
        Ok(())
    }

    fn put(&mut self, name: &str, template: &Template) -> Result<(), String> {
        let look = self.stage.add_look(template.look.clone());
        let name = format!("{name} {}", self.touched.added() + 1);
        self.stage.try_add(name, &template.definition, look).map(|_| ()).map_err(|error| error.to_string())
    }

    /// What to add, and what it is called.
    fn template(&self, body: &AddedBody, density: f64) -> Result<(String, Template), ActionError> {
        let shape = |name: &str, sizes: &[f64], shape: &dyn Fn() -> Result<Shape, String>| {
            if let Some(size) = sizes.iter().find(|size| !SIZES.contains(size)) {
                let sentence = format!("a size is from {} to {} m, not {size}", SIZES.start(), SIZES.end());
                return Err(ActionError::Refused(sentence));
            }
            if !DENSITIES.contains(&density) {
                let (low, high) = (DENSITIES.start(), DENSITIES.end());
                let sentence = format!("a density is from {low} to {high:e} kg/m^3, not {density}");
                return Err(ActionError::Refused(sentence));
            }
            let definition = BodyDefinition::dynamic(shape().map_err(ActionError::Refused)?, density);
            let color = TONES[self.touched.added() % TONES.len()];
            let pattern = if name == "ball" { Pattern::BeachBall } else { Pattern::Plain };
            let look = Look { color, roughness: 0.5, metallic: 0.0, opacity: 1.0, pattern };
            Ok((name.to_owned(), Template { definition, look }))
        };
        match body {
            AddedBody::Ball { radius } => {
                shape("ball", &[*radius], &|| Shape::sphere(*radius).map_err(|error| error.to_string()))
            }
            AddedBody::Box { half } => {
                shape("box", &half.to_array(), &|| Shape::cuboid(*half).map_err(|error| error.to_string()))
            }
            AddedBody::Hull { points } => {
                if points.len() > MAX_POINTS {
                    let sentence = format!("a hull has {MAX_POINTS} points at most, not {}", points.len());
                    return Err(ActionError::Refused(sentence));
                }
                let extent = points.iter().fold(Aabb::EMPTY, |extent, point| extent.extended(*point));
                shape("hull", &[(extent.max - extent.min).max_element()], &|| {
                    let hull = ConvexHull::from_points(points).map_err(|error| error.to_string())?;
                    Ok(Shape::ConvexHull(Arc::new(hull)))
                })
            }
            AddedBody::Copy { body } => Ok((self.name_of(*body), self.template_of(*body)?)),
            AddedBody::Gallery { scene, body } => gallery_template(scene, body),
        }
    }

    /// The name of a part without the number that a copy has.
    fn name_of(&self, part: usize) -> String {
        let name = self.stage.assets.bodies.get(part).map_or("body", |body| &body.name);
        name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end().to_owned()
    }

    /// What makes another one of a body.
    pub(super) fn template_of(&self, part: usize) -> Result<Template, ActionError> {
        let count = self.stage.assets.bodies.len();
        let asset =
            self.stage.assets.bodies.get(part).ok_or(ActionError::NoSuchBody { body: part, count })?;
        if let Some((machine, _)) = self.stage.link_of_part(part) {
            let machine = &self.stage.machines[machine].name;
            return Err(ActionError::Refused(format!(
                "{} is part of {machine}: it has no copies of its own",
                asset.name
            )));
        }
        let number = self.stage.body_of_part(part).ok_or(ActionError::NoSuchBody { body: part, count })?;
        let definition = &self.stage.definitions[number];
        if definition.kind != BodyKind::Dynamic {
            return Err(ActionError::Refused(format!("{} is part of the scenery", asset.name)));
        }
        Ok(Template { definition: definition.clone(), look: self.stage.assets.looks[asset.look].clone() })
    }

    /// Where a body goes: at the ray's beginning if it is shot, else above the first thing that the ray meets. Nothing is put into
    /// something else.
    fn place(
        &mut self,
        definition: &BodyDefinition,
        rotation: DQuat,
        ray: &Ray,
        shot: bool,
    ) -> Result<Pose, ActionError> {
        let turned = Pose::from_rotation(rotation);
        let extent = definition
            .shapes
            .iter()
            .map(|part| part.shape.aabb(&(turned * part.pose)))
            .fold(Aabb::EMPTY, |all, one| all.union(&one));
        let (half, offset) = (0.5 * (extent.max - extent.min), 0.5 * (extent.max + extent.min));
        let at = |middle: DVec3| Pose::new(rotation, middle - offset);
        if shot {
            let pose = at(ray.origin() + ray.direction() * (2.0 * half.length()));
            return match self.is_free(definition, &pose)? {
                true => Ok(pose),
                false => Err(ActionError::Refused(
                    "there is no room before the eye: move the camera away from what is there".to_owned(),
                )),
            };
        }
        let Some(hit) = self.stage.world.cast_ray(ray, REACH).map_err(refused)? else {
            return Err(ActionError::Refused(
                "nothing is there to put it on: point at a body or at the ground".to_owned(),
            ));
        };
        let size = half.max_element();
        let normal = hit.hit.normal;
        let mut middle = hit.hit.point + normal * normal.abs().dot(half) + DVec3::Y * (DROP_SHARE * size);
        for _ in 0..MAX_RAISES {
            if self.is_free(definition, &at(middle))? {
                return Ok(at(middle));
            }
            middle.y += RAISE_SHARE * size;
        }
        Err(ActionError::Refused("there is no room above that place".to_owned()))
    }

    fn is_free(&mut self, definition: &BodyDefinition, pose: &Pose) -> Result<bool, ActionError> {
        for part in &definition.shapes {
            let place = *pose * part.pose;
            if !self.stage.world.overlapping(&part.shape, &place).map_err(refused)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A body of a gallery scene. Scenes are built once for each of their bodies: the same one is often added many times.
fn gallery_template(scene: &str, body: &str) -> Result<(String, Template), ActionError> {
    type Known = HashMap<(String, String), (BodyDefinition, Look)>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let key = (scene.to_owned(), body.to_owned());
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    if let Some((definition, look)) = known {
        return Ok((body.to_owned(), Template { definition, look }));
    }
    let simulation = crate::open(scene).map_err(refused)?;
    let bodies = &simulation.assets().bodies;
    let found = bodies.iter().enumerate().filter(|(_, asset)| asset.name == body);
    let template = found.filter_map(|(part, _)| simulation.body_template(part)).next();
    let Some(Template { mut definition, look }) = template else {
        return Err(ActionError::Refused(format!("{scene} has no body '{body}' that could be added")));
    };
    definition.filter = Filter::EVERYTHING;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(key, (definition.clone(), look.clone()));
    Ok((body.to_owned(), Template { definition, look }))
}

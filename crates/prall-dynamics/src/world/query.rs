//! Questions to a world: along a ray, inside a shape, near a point.

use glam::DVec3;
use prall_detection::{ManifoldOptions, Manifolds, Touchable, find_manifolds};
use prall_geometry::{Aabb, Ray, RayHit, Shape};
use prall_math::Pose;

use super::{Owner, Party, World};
use crate::WorldError;
use crate::error::{finite, valid_pose};

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayAnswer {
    /// Who.
    pub party: Party,
    /// Where, in the world.
    pub hit: RayHit,
}

/// What is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Who.
    pub party: Party,
    /// Nearest point of its surface, in the world.
    pub point: DVec3,
    /// In m; negative if the asking point is inside a solid.
    pub distance: f64,
}

impl World {
    fn shape_in_world(&self, slot: usize) -> Option<(Party, Pose, &Shape)> {
        match self.owners[slot] {
            Owner::Nobody => None,
            Owner::Body { body, shape } => {
                let part = &self.records[body as usize].shapes[shape as usize];
                let pose = self.bodies.poses[body as usize] * part.pose;
                Some((Party::Body(self.handle(body as usize)), pose, &part.shape))
            }
            Owner::Link { mover, shape } => {
                let part = &self.mover_shapes[mover as usize][shape as usize];
                let pose = self.movers[mover as usize].pose(part.link) * part.part.pose;
                let side = prall_mechanics::Side::Link { mover, link: part.link };
                Some((self.party(side), pose, &part.part.shape))
            }
        }
    }

    /// Boxes follow what was moved by hand before a question is answered, and what nothing touches: no step asks for those.
    fn bring_boxes_up_to_date(&mut self) {
        if self.redetect {
            self.detect(self.options.time_step);
        }
        let World { records, bodies, index, .. } = self;
        let places = records.iter().zip(&bodies.poses);
        for (record, pose) in places.filter(|(record, _)| record.untouchable) {
            for shape in &record.shapes {
                // A state that is no longer finite has no boxes; such a world says so by `is_finite`.
                let _ = index.update(shape.proxy, shape.shape.aabb(&(*pose * shape.pose)));
            }
        }
        for number in 0..self.movers.len() {
            if self.meets_nobody(number) {
                let mover = &self.movers[number];
                for shape in &mut self.mover_shapes[number] {
                    let pose = mover.pose(shape.link) * shape.part.pose;
                    let bounds = shape.last_box.around(&shape.part.shape, &pose);
                    let _ = self.index.update(shape.part.proxy, bounds);
                }
            }
        }
    }

    /// What a ray meets first within `limit` metres.
    pub fn cast_ray(&mut self, ray: &Ray, limit: f64) -> Result<Option<RayAnswer>, WorldError> {
        self.bring_boxes_up_to_date();
        let mut index =
            std::mem::replace(&mut self.index, prall_detection::PairIndex::new(Default::default()));
        let mut best: Option<RayAnswer> = None;
        let outcome = index.cast_ray(ray.origin(), ray.direction(), limit, |proxy, _| {
            let Some((party, pose, shape)) = self.shape_in_world(proxy.slot()) else { return f64::INFINITY };
            let most = best.as_ref().map_or(limit, |answer| answer.hit.distance);
            if let Some(hit) = shape.ray_cast(&ray.into_frame_of(&pose), most)
                && best.as_ref().is_none_or(|answer| hit.distance < answer.hit.distance)
            {
                let normal = pose.transform_vector(hit.normal);
                let hit = RayHit { point: ray.at(hit.distance), normal, ..hit };
                best = Some(RayAnswer { party, hit });
            }
            best.as_ref().map_or(f64::INFINITY, |answer| answer.hit.distance)
        });
        self.index = index;
        outcome?;
        Ok(best)
    }

    /// Everybody that overlaps a shape in a pose, in the order of handles.
    pub fn overlapping(&mut self, shape: &Shape, pose: &Pose) -> Result<Vec<Party>, WorldError> {
        let pose = valid_pose("the asking shape", *pose)?;
        self.bring_boxes_up_to_date();
        let probe = Touchable::new(shape).map_err(|source| WorldError::Touchable { shape: 0, source })?;
        let mut near = Vec::new();
        self.index.overlapping(shape.aabb(&pose), &mut near)?;
        let mut manifolds = Manifolds::new();
        let options = ManifoldOptions { margin: 0.0, ..ManifoldOptions::default() };
        let mut found = Vec::new();
        for proxy in near {
            let slot = proxy.slot();
            if let (Some((party, place, _)), Some(other)) = (self.shape_in_world(slot), self.touchable(slot))
            {
                // What is no longer finite is nowhere; such a world says so by `is_finite`.
                let _ = find_manifolds(&probe, &pose, other, &place, &options, &mut manifolds);
                if !manifolds.points().is_empty() {
                    found.push(party);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// What is nearest to a point within `limit` metres.
    pub fn nearest(&mut self, point: DVec3, limit: f64) -> Result<Option<Nearest>, WorldError> {
        let point = finite("the asking point", point)?;
        self.bring_boxes_up_to_date();
        let mut index =
            std::mem::replace(&mut self.index, prall_detection::PairIndex::new(Default::default()));
        let mut best: Option<Nearest> = None;
        let outcome = index.nearest(Aabb::from_center(point, DVec3::ZERO), limit, |proxy, _| {
            let Some((party, pose, shape)) = self.shape_in_world(proxy.slot()) else { return f64::INFINITY };
            let near = shape.closest_point(pose.inverse_transform_point(point)).out_of_frame_of(&pose);
            let closer = best.as_ref().is_none_or(|other| near.distance < other.distance);
            if near.distance <= limit && closer {
                best = Some(Nearest { party, point: near.point, distance: near.distance });
            }
            near.distance
        });
        self.index = index;
        outcome?;
        Ok(best)
    }
}

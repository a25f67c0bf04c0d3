//! Movers in a world: trees of bodies and other systems with coordinates of their own.

use prall_detection::{Filter, Touchable};
use prall_mechanics::{Material, Mover};

use super::{Owner, World, has_surface};
use crate::body::{BodyShape, extent};
use crate::error::valid_pose;
use crate::last_box::LastBox;
use crate::{MoverHandle, ShapeDefinition, WorldError};

/// A shape on a link of a mover.
#[derive(Clone, Debug)]
pub(super) struct MoverShape {
    pub(super) link: u32,
    /// From the link's frame.
    pub(super) part: BodyShape,
    pub(super) material: Material,
    pub(super) filter: Filter,
    pub(super) has_surface: bool,
    pub(super) radius: f64,
    pub(super) thickness: f64,
    pub(super) last_box: LastBox,
}

impl World {
    /// Adds a mover with shapes on its links (densities do not count: the mover knows its masses).
    pub fn add_mover(
        &mut self,
        mover: Box<dyn Mover>,
        shapes: &[(u32, ShapeDefinition, Material)],
        filter: Filter,
    ) -> Result<MoverHandle, WorldError> {
        let links = mover.links();
        let mut touchables = Vec::with_capacity(shapes.len());
        for (index, (link, part, material)) in shapes.iter().enumerate() {
            if *link as usize >= links {
                return Err(WorldError::NoSuchLink { link: *link, links });
            }
            valid_pose("a shape of the mover", part.pose)?;
            material.check()?;
            let touchable = Touchable::new(&part.shape);
            touchables.push(touchable.map_err(|source| WorldError::Touchable { shape: index, source })?);
        }
        let number = self.movers.len() as u32;
        let mut own = Vec::with_capacity(shapes.len());
        for ((link, part, material), touchable) in shapes.iter().zip(touchables) {
            let bounds = part.shape.aabb(&(mover.pose(*link) * part.pose));
            let proxy = self.index.insert(bounds, filter)?;
            self.own(proxy, Owner::Link { mover: number, shape: own.len() as u32 });
            let (radius, thickness) = extent(&part.pose, &part.shape);
            own.push(MoverShape {
                link: *link,
                part: BodyShape::new(part.pose, part.shape.clone(), touchable, proxy),
                material: *material,
                filter,
                has_surface: has_surface(&part.shape),
                radius,
                thickness,
                last_box: LastBox::default(),
            });
        }
        self.movers.push(mover);
        self.mover_shapes.push(own);
        self.redetect = true;
        Ok(MoverHandle { index: number, generation: 0 })
    }

    /// Whether nothing else in the world may touch a mover. Links of one mover never meet, so no step needs to know where the shapes of such a mover are.
    pub(super) fn meets_nobody(&self, number: usize) -> bool {
        let Some(own) = self.mover_shapes[number].first().map(|shape| shape.filter) else { return true };
        let of_bodies =
            self.records.iter().filter(|record| !record.shapes.is_empty()).map(|record| &record.filter);
        let others = self.mover_shapes.iter().enumerate().filter(|(other, _)| *other != number);
        let of_others = others.filter_map(|(_, shapes)| shapes.first()).map(|shape| &shape.filter);
        !of_bodies.chain(of_others).any(|filter| own.allows(filter))
    }

    /// A mover.
    pub fn mover(&self, handle: MoverHandle) -> Result<&dyn Mover, WorldError> {
        let mover = self.movers.get(handle.index as usize).ok_or(WorldError::NoSuchMover(handle))?;
        Ok(mover.as_ref())
    }

    /// A mover, to be pushed or driven from its present pose; contacts stay as they were found.
    pub fn drive_mover(&mut self, handle: MoverHandle) -> Result<&mut (dyn Mover + 'static), WorldError> {
        let mover = self.movers.get_mut(handle.index as usize).ok_or(WorldError::NoSuchMover(handle))?;
        Ok(mover.as_mut())
    }

    /// A mover, to be put elsewhere; contacts are found anew before the next step.
    pub fn mover_mut(&mut self, handle: MoverHandle) -> Result<&mut (dyn Mover + 'static), WorldError> {
        self.redetect = true;
        let mover = self.movers.get_mut(handle.index as usize).ok_or(WorldError::NoSuchMover(handle))?;
        Ok(mover.as_mut())
    }
}

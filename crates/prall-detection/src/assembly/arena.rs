//! Objects under ids that are never given twice.

use super::AssemblyError;

/// Which object of an assembly; stays unique after the object is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    slot: u32,
    generation: u32,
}

impl ObjectId {
    /// The place of the object, below the largest number of objects there ever were: good for indexing arrays.
    pub fn slot(self) -> usize {
        self.slot as usize
    }
}

#[derive(Clone, Debug)]
pub(super) struct Arena<T> {
    /// Generation of each slot and what is in it.
    slots: Vec<(u32, Option<T>)>,
    vacant: Vec<u32>,
}

impl<T> Default for Arena<T> {
    fn default() -> Arena<T> {
        Arena { slots: Vec::new(), vacant: Vec::new() }
    }
}

impl<T> Arena<T> {
    pub(super) fn add(&mut self, value: T) -> ObjectId {
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.slots.push((0, None));
            self.slots.len() as u32 - 1
        });
        let (generation, place) = &mut self.slots[slot as usize];
        *place = Some(value);
        ObjectId { slot, generation: *generation }
    }

    pub(super) fn remove(&mut self, id: ObjectId) -> Result<T, AssemblyError> {
        self.get(id)?;
        let (generation, place) = &mut self.slots[id.slot()];
        *generation = generation.wrapping_add(1);
        self.vacant.push(id.slot);
        place.take().ok_or(AssemblyError::NoSuchObject(id))
    }

    pub(super) fn get(&self, id: ObjectId) -> Result<&T, AssemblyError> {
        match self.slots.get(id.slot()) {
            Some((generation, Some(value))) if *generation == id.generation => Ok(value),
            _ => Err(AssemblyError::NoSuchObject(id)),
        }
    }

    pub(super) fn get_mut(&mut self, id: ObjectId) -> Result<&mut T, AssemblyError> {
        match self.slots.get_mut(id.slot()) {
            Some((generation, Some(value))) if *generation == id.generation => Ok(value),
            _ => Err(AssemblyError::NoSuchObject(id)),
        }
    }
}

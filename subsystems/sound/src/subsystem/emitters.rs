//! The managers of the components `sound` and `listener`: what sounds, and who hears.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::SortedMap;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity};
use loligo_interface::{Places, SubsystemMemory};

use crate::component::{LISTENER, ListenerSource, SOUND, SoundSource};
use crate::level::gain_of;
use crate::player::{Listener, SoundId};

/// What sounds.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Emitter {
    pub(super) source: SoundSource,
    /// The bits of its sound; 0 before it begins.
    pub(super) sound: u32,
    /// 1: it begins with the next update.
    pub(super) is_due: u32,
}

/// Records by the bits of entities, so that they are in the same order after a load.
pub(super) type Records<'m, T> = SortedMap<'m, u32, T, SubsystemMemory<'m>>;

/// The entities that sound.
pub(super) struct Emitters<'m> {
    pub(super) records: Records<'m, Emitter>,
    /// Whether any of them may be due.
    pub(super) is_due: bool,
}

/// The entities that hear.
pub(super) struct Ears<'m> {
    pub(super) records: Records<'m, ListenerSource>,
}

impl Emitter {
    pub(super) fn sound(&self) -> Option<SoundId> {
        SoundId::from_bits(self.sound)
    }
}

impl<'m> Emitters<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { records: SortedMap::new_in(memory), is_due: false }
    }
}

impl<'m> Ears<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { records: SortedMap::new_in(memory) }
    }

    /// Walks over where they are and what is on their right.
    pub(super) fn listeners(&self, places: &dyn Places) -> impl Iterator<Item = Listener> {
        self.records.iter().filter_map(|(bits, source)| {
            let matrix = matrix_of(places, Entity::from_bits(*bits)?)?;
            let right = Vec3::from(matrix.matrix3.x_axis).try_normalize().unwrap_or(Vec3::X);
            let (at, right) = (matrix.translation.to_array(), right.to_array());
            Some(Listener { at, right, gain: gain_of(source.volume) })
        })
    }
}

/// Returns where an entity is by the poses of now; `None` if it has no transform.
pub(super) fn matrix_of(places: &dyn Places, entity: Entity) -> Option<Affine3A> {
    let (mut matrix, mut at) = (places.pose(entity)?.matrix(), entity);
    while let Some(parent) = places.parent(at) {
        matrix = places.pose(parent).unwrap_or_default().matrix() * matrix;
        at = parent;
    }
    Some(matrix)
}

/// Adds a record for each component of a batch: all of them, or none.
fn spawn<T: Pod, R>(
    records: &mut Records<'_, R>,
    batch: &Batch<'_>,
    what: &'static str,
    make: impl Fn(T) -> R,
) -> Result<(), ComponentError> {
    let words = size_of::<T>() / 4;
    let data = batch.data();
    if data.len() != batch.total() * words {
        return Err(ComponentError::data(batch.total(), what));
    }
    records.try_reserve(batch.len() * batch.copies())?;
    for copy in 0..batch.copies() {
        for (at, entity) in batch.owners(copy).enumerate() {
            let words = &data[(batch.first() + at) * words..][..words];
            let source = bytemuck::pod_read_unaligned(bytemuck::cast_slice(words));
            records.try_insert(entity.to_bits(), make(source))?;
        }
    }
    Ok(())
}

fn remove<R>(records: &mut Records<'_, R>, entities: &[Entity]) {
    if !records.is_empty() {
        for entity in entities {
            records.remove(&entity.to_bits());
        }
    }
}

impl ComponentManager for Emitters<'_> {
    fn component(&self) -> ComponentType {
        SOUND
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        self.is_due = true;
        spawn(&mut self.records, batch, "the data are not sounds", |source: SoundSource| {
            let is_due = u32::from(source.is_waiting == 0);
            Emitter { source, sound: 0, is_due }
        })
    }

    fn remove(&mut self, entities: &[Entity]) {
        remove(&mut self.records, entities);
    }

    fn takes_parts(&self) -> bool {
        true
    }
}

impl ComponentManager for Ears<'_> {
    fn component(&self) -> ComponentType {
        LISTENER
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        spawn(&mut self.records, batch, "the data are not listeners", |source: ListenerSource| {
            source
        })
    }

    fn remove(&mut self, entities: &[Entity]) {
        remove(&mut self.records, entities);
    }

    fn takes_parts(&self) -> bool {
        true
    }
}

//! The managers of the components `sound` and `listener`: what sounds, and who hears.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::SortedMap;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity};
use loligo_interface::{Places, SubsystemMemory};

use crate::component::{LISTENER, ListenerSource, SOUND, SoundSource};
use crate::level::gain_of;
use crate::player::{LISTENERS_MAX, SoundId, speed};
use crate::space::Listener;

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
    /// Where they were in the last update, by their places among those that count.
    before: [(u32, Vec3); LISTENERS_MAX],
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
        let before = [(0, Vec3::ZERO); LISTENERS_MAX];
        Self { records: SortedMap::new_in(memory), before }
    }

    /// Returns where they are, how they are turned, and how fast they move: as many as count.
    pub(super) fn listeners(
        &mut self,
        places: &dyn Places,
        seconds: f32,
    ) -> [Option<Listener>; LISTENERS_MAX] {
        let mut listeners = [None; LISTENERS_MAX];
        let of = |(bits, source): (&u32, &ListenerSource)| {
            let matrix = matrix_of(places, Entity::from_bits(*bits)?)?;
            Some((*bits, matrix, gain_of(source.volume)))
        };
        let mut all = self.records.iter().filter_map(of);
        for (listener, before) in listeners.iter_mut().zip(&mut self.before) {
            let Some((bits, matrix, gain)) = all.next() else {
                *before = (0, Vec3::ZERO);
                continue;
            };
            let at = Vec3::from(matrix.translation);
            let last = (before.0 == bits).then_some(before.1);
            *before = (bits, at);
            let speed = if seconds > 0.0 { speed(last, at, seconds) } else { Vec3::ZERO };
            *listener = Some(Listener { at, turn: turn_of(&matrix), speed, gain });
        }
        listeners
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

/// Returns how something is turned, without its scale.
fn turn_of(matrix: &Affine3A) -> Quat {
    let (_, turn, _) = matrix.to_scale_rotation_translation();
    if turn.is_finite() { turn } else { Quat::IDENTITY }
}

/// Returns the direction into which something looks.
pub(super) fn forward_of(matrix: &Affine3A) -> [f32; 3] {
    (-Vec3::from(matrix.matrix3.z_axis)).to_array()
}

/// Adds a record for each component of a batch: all of them, or none.
pub(super) fn spawn<T: Pod, R>(
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

pub(super) fn remove<R>(records: &mut Records<'_, R>, entities: &[Entity]) {
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

//! The manager of the component `field`: fields of forces where entities are, and what they do to actors.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{Places, SubsystemError, SubsystemMemory};
use loligo_tasks::Worker;

use super::assets::Assets;
use super::bodies::{Bodies, world_pose};
use super::records::Records;
use super::said;
use super::saved::{TORN, Words, Writer};
use crate::component::{FIELD, FieldSource};
use crate::field::Field;
use crate::fields::{FieldId, FieldQuery, Fields, FieldsError};
use crate::world::FieldActors;

/// The words of a component.
const WORDS: usize = size_of::<FieldSource>() / 4;

/// A field of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FieldRecord {
    /// The bits of the id of the field; 0 before it is added.
    field: u32,
    source: FieldSource,
    /// Where it was put last.
    place: [f32; 7],
}

/// The fields of a game.
pub(crate) struct Forces<'m> {
    records: Records<'m, FieldRecord>,
    pub(crate) fields: Fields<'m, SubsystemMemory<'m>>,
    actors: FieldActors<'m, SubsystemMemory<'m>>,
    /// Whether a field was added, moved or changed: it may reach what sleeps.
    pub(crate) is_changed: bool,
    /// A state that waits for the resources that it needs.
    saved: Array<'m, u8, SubsystemMemory<'m>>,
}

impl<'m> Forces<'m> {
    pub(crate) fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            records: Records::new_in(memory),
            fields: Fields::new_in(memory),
            actors: FieldActors::new_in(memory),
            is_changed: false,
            saved: Array::new_in(memory),
        }
    }

    /// Returns the field of an entity.
    pub(crate) fn find(&self, entity: Entity) -> Option<FieldId> {
        FieldId::from_bits(self.records.get(entity)?.field)
    }

    /// Takes a field in, or again.
    pub(crate) fn define(
        &mut self,
        name: IdString64,
        payload: &[u8],
    ) -> Result<(), SubsystemError> {
        let field = Field::open(payload).map_err(|_| SubsystemError::Wrong {
            what: "it is not a compiled field",
            remedy: "compile it again",
        })?;
        self.is_changed = true;
        self.fields.define(name, &field).map_err(of_fields)
    }

    /// Drops a field that is not loaded any more, with all that were added of it.
    pub(crate) fn undefine(&mut self, name: IdString64) {
        self.fields.undefine(name);
        self.records.map.retain(|_, record| record.source.field.name() != Some(name));
    }

    /// Calls `each` with the resources that entities need.
    pub(crate) fn needs(&self, each: &mut dyn FnMut(IdString64)) {
        self.records.map.values().iter().filter_map(|of| of.source.field.name()).for_each(each);
    }

    /// Adds the fields of new entities, and puts all where their entities are. One that is over is
    /// dropped, and one that cannot be added.
    pub(crate) fn prepare(
        &mut self,
        assets: &Assets<'_>,
        bodies: &Bodies<'_>,
        places: &dyn Places,
    ) -> Result<(), SubsystemError> {
        if !self.saved.is_empty() {
            self.restore_fields()?;
        }
        if self.records.map.is_empty() {
            return Ok(());
        }
        let Self { records, fields, is_changed, .. } = self;
        let time = bodies.world.seconds();
        fields.expire(time);
        let mut done = Ok(());
        records.map.retain(|bits, record| {
            let Some(entity) = Entity::from_bits(*bits) else { return false };
            let placed = match FieldId::from_bits(record.field) {
                Some(id) if !fields.contains(id) => return false,
                found => put(record, found, entity, fields, assets, places, time),
            };
            *is_changed |= matches!(placed, Ok(true));
            let is_kept = placed.is_ok();
            done = done.and(placed.map(|_| ()));
            is_kept
        });
        done
    }

    /// Takes the fields that were saved. What has lost its entity since is gone.
    fn restore_fields(&mut self) -> Result<(), SubsystemError> {
        self.fields.try_load(&self.saved).map_err(of_fields)?;
        self.saved.clear();
        loop {
            let is_owned = |id: FieldId| {
                self.records.map.values().any(|record| record.field == id.to_bits())
            };
            let Some((lost, ..)) = self.fields.iter().find(|(id, ..)| !is_owned(*id)) else {
                return Ok(());
            };
            self.fields.remove(lost);
        }
    }

    /// Has all fields accelerate the actors of the next step.
    pub(crate) fn step(
        &mut self,
        worker: &Worker<'_>,
        bodies: &mut Bodies<'m>,
    ) -> Result<(), SubsystemError> {
        let wakes = core::mem::take(&mut self.is_changed);
        let done = bodies.world.accelerate_on(worker, &self.fields, wakes, &mut self.actors);
        done.map_err(said)
    }

    /// Returns how strong all fields are together at a place, for something at rest.
    pub(crate) fn strength(&self, at: Vec3, time: f64) -> Vec3 {
        self.fields.one(&FieldQuery::at(&[at], time), 0)
    }

    /// Sets a parameter of the field of an entity.
    pub(crate) fn set(&mut self, entity: Entity, parameter: IdString32, value: f32) -> bool {
        let id = self.find(entity);
        let is_set = id.is_some_and(|id| self.fields.set(id, parameter, value));
        self.is_changed |= is_set;
        is_set
    }

    pub(crate) fn save(&self, out: &mut Writer<'_, 'm>) -> Result<(), SubsystemError> {
        self.records.save(out)?;
        out.word(self.is_changed.into())?;
        let at = out.out.len();
        out.word(0)?;
        match self.saved.is_empty() {
            true => self.fields.try_save(out.out)?,
            false => out.bytes(&self.saved)?,
        }
        let length = (out.out.len() - at - 4) as u32;
        out.out[at..at + 4].copy_from_slice(&length.to_ne_bytes());
        Ok(())
    }

    /// Takes what a state has that was loaded, and keeps what is defined.
    pub(crate) fn replace(&mut self, loaded: Self) {
        self.fields.clear();
        let fields = core::mem::replace(&mut self.fields, loaded.fields);
        let Self { records, actors, is_changed, saved, .. } = loaded;
        *self = Self { records, fields, actors, is_changed, saved };
    }

    /// Sets the groups of all fields again, by settings that have changed.
    pub(crate) fn set_masks(&mut self, assets: &Assets<'_>) -> Result<(), SubsystemError> {
        let mut done = Ok(());
        for record in self.records.map.values() {
            let (Some(id), Some(name)) =
                (FieldId::from_bits(record.field), record.source.field.name())
            else {
                continue;
            };
            match assets.field_mask(name) {
                Ok(mask) => {
                    self.fields.set_mask(id, mask);
                }
                Err(error) => done = done.and(Err(error)),
            }
        }
        done
    }

    /// Reads what was saved. The fields themselves are there in the next update, when their resources
    /// are; until then those that were added before are not.
    pub(crate) fn load(
        from: &mut Words<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        let mut loaded = Self::new_in(memory);
        loaded.records = Records::load(from, memory)?;
        loaded.is_changed = from.word()? != 0;
        let length = from.word()? as usize;
        loaded.saved.try_extend_from_slice(from.take(length)?)?;
        Ok(loaded)
    }
}

/// Adds the field of an entity, or moves it. Returns `true` if it is new or elsewhere.
fn put(
    record: &mut FieldRecord,
    found: Option<FieldId>,
    entity: Entity,
    fields: &mut Fields<'_, SubsystemMemory<'_>>,
    assets: &Assets<'_>,
    places: &dyn Places,
    time: f64,
) -> Result<bool, SubsystemError> {
    let wrong = |what, remedy| SubsystemError::Wrong { what, remedy };
    let pose = world_pose(places, entity).ok_or(wrong(
        "an entity with a field has no transform",
        "give it the component `transform`",
    ))?;
    let mut place = [0.0; 7];
    place[..3].copy_from_slice(&pose.position.to_array());
    place[3..].copy_from_slice(&pose.rotation.to_array());
    if let Some(id) = found {
        let is_moved = record.place != place;
        if is_moved {
            fields.place(id, pose.position, pose.rotation);
            record.place = place;
        }
        return Ok(is_moved);
    }
    let missing = wrong("a field is not loaded", "compile the project again");
    let name = record.source.field.name().ok_or(missing)?;
    let mask = assets.field_mask(name)?;
    let id = fields.add(name, pose.position, pose.rotation, mask, time).map_err(of_fields)?;
    (record.field, record.place) = (id.to_bits(), place);
    Ok(true)
}

/// What fields refuse, as subsystems say it.
fn of_fields(error: FieldsError) -> SubsystemError {
    match error {
        FieldsError::Memory(error) => SubsystemError::Grow(error),
        FieldsError::Unknown { .. } => SubsystemError::Wrong {
            what: "a field is not loaded",
            remedy: "compile the project again",
        },
        FieldsError::Place { .. } => SubsystemError::Wrong {
            what: "a field is at a place that is not finite",
            remedy: "correct the transform of its entity",
        },
        FieldsError::Full => {
            SubsystemError::Wrong { what: "there are too many fields", remedy: "destroy some" }
        }
        _ => TORN,
    }
}

impl ComponentManager for Forces<'_> {
    fn component(&self) -> ComponentType {
        FIELD
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let (sources, rest) = batch.data().as_chunks::<WORDS>();
        if sources.len() != batch.total() || !rest.is_empty() {
            return Err(ComponentError::data(batch.total(), "the data are not fields"));
        }
        let sources = &sources[batch.first()..][..batch.len()];
        self.records.spawn(batch, |_, at| FieldRecord {
            source: bytemuck::cast(sources[at]),
            ..FieldRecord::zeroed()
        })
    }

    fn remove(&mut self, entities: &[Entity]) {
        // Fields that wait for their resources are removed when they are there.
        if !self.saved.is_empty() {
            let _ = self.restore_fields();
        }
        for entity in entities {
            if let Some(id) = self.find(*entity) {
                self.fields.remove(id);
            }
        }
        self.records.remove(entities);
    }

    fn takes_parts(&self) -> bool {
        true
    }
}

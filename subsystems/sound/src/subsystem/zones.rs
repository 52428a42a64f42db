//! The manager of the component `sound_zone`: parts of the world that have the sound of a room.

use glam::{Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::{Array, SortedMap};
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity};
use loligo_ids::IdString32;
use loligo_interface::{Places, SubsystemError, SubsystemMemory};

use super::emitters::{Records, matrix_of, remove, spawn};
use crate::component::{SOUND_ZONE, ZoneSource};
use crate::space::{Listener, Zone, ZoneShape};

/// The entities around which rooms are.
pub(super) struct Zones<'m> {
    pub(super) records: Records<'m, ZoneSource>,
    /// Where they are in this update.
    now: Array<'m, Zone, SubsystemMemory<'m>>,
}

impl<'m> Zones<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { records: SortedMap::new_in(memory), now: Array::new_in(memory) }
    }

    /// Looks where they are.
    pub(super) fn look(&mut self, places: &dyn Places) -> Result<(), SubsystemError> {
        self.now.clear();
        for (bits, source) in self.records.iter() {
            let matrix = Entity::from_bits(*bits).and_then(|entity| matrix_of(places, entity));
            let Some(matrix) = matrix else { continue };
            let (scale, turn, at) = matrix.to_scale_rotation_translation();
            self.now.try_push(zone(source, at, turn, scale))?;
        }
        Ok(())
    }

    /// Returns how much of what buses send to one is heard by listeners: by the room in which one of them is,
    /// and all of it if the bus is of no room.
    pub(super) fn level(&self, bus: IdString32, listeners: &[Listener]) -> f32 {
        if !self.now.iter().any(|zone| zone.bus == bus) {
            return 1.0;
        }
        let levels = listeners.iter().map(|listener| Zone::most_at(&self.now, bus, listener.at));
        levels.fold(0.0, f32::max)
    }
}

/// Returns the zone of a component at a place.
fn zone(source: &ZoneSource, at: Vec3, turn: Quat, scale: Vec3) -> Zone {
    let shape = if source.radius > 0.0 {
        ZoneShape::Sphere { at, radius: source.radius * scale.abs().max_element() }
    } else {
        ZoneShape::Box { at, turn, half: Vec3::from_array(source.size) * scale.abs() * 0.5 }
    };
    let (fade, level) = (source.fade, source.level);
    Zone { shape, fade, bus: IdString32::from_hash(source.bus), level }
}

impl ComponentManager for Zones<'_> {
    fn component(&self) -> ComponentType {
        SOUND_ZONE
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        spawn(&mut self.records, batch, "the data are not zones", |source: ZoneSource| source)
    }

    fn remove(&mut self, entities: &[Entity]) {
        remove(&mut self.records, entities);
    }

    fn takes_parts(&self) -> bool {
        true
    }
}

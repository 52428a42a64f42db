//! Settings and collision shapes that are loaded.

use loligo_allocators::SharedRef;
use loligo_containers::{BlobBytes, SortedMap};
use loligo_ids::IdString64;
use loligo_interface::{ResourceChange, SubsystemError, SubsystemMemory};

use crate::collision::{COLLISION_TYPE, Collision};
use crate::settings::{SETTINGS_TYPE, Settings};

/// The settings of a game: `game.physics`.
pub(crate) const SETTINGS_NAME: IdString64 = IdString64::new("game");

/// Copies, since what is loaded moves.
pub(crate) struct Assets<'m> {
    settings: Option<BlobBytes<'m, SubsystemMemory<'m>>>,
    collisions: SortedMap<'m, IdString64, BlobBytes<'m, SubsystemMemory<'m>>, SubsystemMemory<'m>>,
}

impl<'m> Assets<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { settings: None, collisions: SortedMap::new_in(memory) }
    }

    /// Takes one in, in place of an older one.
    pub(crate) fn put(
        &mut self,
        change: &ResourceChange<'_>,
        memory: SharedRef<'m>,
    ) -> Result<(), SubsystemError> {
        let copy = BlobBytes::try_copy_in(change.payload, memory)?;
        let wrong = |what| SubsystemError::Wrong { what, remedy: "compile it again" };
        if change.is_of(COLLISION_TYPE) {
            Collision::open(&copy).map_err(|_| wrong("it is not a compiled collision"))?;
            self.collisions.try_insert(change.name, copy)?;
        } else {
            Settings::open(&copy).map_err(|_| wrong("they are not compiled settings"))?;
            self.settings = Some(copy);
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, type_hash: IdString64, name: IdString64) {
        if type_hash == IdString64::new(COLLISION_TYPE) {
            self.collisions.remove(&name);
        } else if type_hash == IdString64::new(SETTINGS_TYPE) {
            self.settings = None;
        }
    }

    pub(crate) fn settings(&self) -> Option<Settings<'_>> {
        Settings::open(self.settings.as_ref()?).ok()
    }

    pub(crate) fn collision(&self, name: IdString64) -> Option<Collision<'_>> {
        Collision::open_verified(self.collisions.get(&name)?).ok()
    }
}

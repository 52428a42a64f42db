//! Resources that are loaded: settings, collision shapes, fields, ragdolls and the table of effects.

use loligo_allocators::SharedRef;
use loligo_containers::{BlobBytes, SortedMap};
use loligo_ids::IdString64;
use loligo_interface::{ResourceChange, SubsystemError, SubsystemMemory};

use crate::collision::{COLLISION_TYPE, Collision};
use crate::field::{FIELD_TYPE, Field};
use crate::impacts::{IMPACTS_TYPE, ImpactTable};
use crate::ragdoll::{RAGDOLL_TYPE, Ragdoll};
use crate::settings::{SETTINGS_TYPE, Settings};

/// The settings of a game: `game.physics`. They name its table of effects.
pub(crate) const SETTINGS_NAME: IdString64 = IdString64::new("game");

/// Resources by type and name.
type Copies<'m> = SortedMap<
    'm,
    (IdString64, IdString64),
    BlobBytes<'m, SubsystemMemory<'m>>,
    SubsystemMemory<'m>,
>;

/// Copies, since what is loaded moves.
pub(crate) struct Assets<'m> {
    copies: Copies<'m>,
    /// The table of effects that the settings name.
    impacts: Option<IdString64>,
    /// The settings before those of now, until live actors are as those of now say.
    before: Option<BlobBytes<'m, SubsystemMemory<'m>>>,
    /// The collisions before those of now, by name, until live actors have the shapes of those of now.
    replaced: SortedMap<'m, IdString64, BlobBytes<'m, SubsystemMemory<'m>>, SubsystemMemory<'m>>,
}

impl<'m> Assets<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            copies: SortedMap::new_in(memory),
            impacts: None,
            before: None,
            replaced: SortedMap::new_in(memory),
        }
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
        } else if change.is_of(FIELD_TYPE) {
            Field::open(&copy).map_err(|_| wrong("it is not a compiled field"))?;
        } else if change.is_of(IMPACTS_TYPE) {
            ImpactTable::open(&copy).map_err(|_| wrong("it is not a compiled table of effects"))?;
        } else if change.is_of(RAGDOLL_TYPE) {
            Ragdoll::open(&copy).map_err(|_| wrong("it is not a compiled ragdoll"))?;
        } else {
            Settings::open(&copy).map_err(|_| wrong("they are not compiled settings"))?;
        }
        let old = self.copies.try_insert((change.type_hash, change.name), copy)?;
        if change.is_of(SETTINGS_TYPE) && change.name == SETTINGS_NAME {
            self.before = old;
            self.impacts = self.settings().and_then(|settings| settings.impacts());
        } else if change.is_of(COLLISION_TYPE)
            && let Some(old) = old
            && &old[..] != change.payload
            && !self.replaced.contains_key(&change.name)
        {
            self.replaced.try_insert(change.name, old)?;
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, type_hash: IdString64, name: IdString64) {
        self.copies.remove(&(type_hash, name));
    }

    pub(crate) fn settings(&self) -> Option<Settings<'_>> {
        Settings::open(self.get(SETTINGS_TYPE, SETTINGS_NAME)?).ok()
    }

    /// Returns the settings before those of now, if live actors are not as those of now say yet.
    pub(crate) fn settings_before(&self) -> Option<Settings<'_>> {
        Settings::open(self.before.as_ref()?).ok()
    }

    pub(crate) fn forget_before(&mut self) {
        self.before = None;
    }

    pub(crate) fn collision(&self, name: IdString64) -> Option<Collision<'_>> {
        Collision::open_verified(self.get(COLLISION_TYPE, name)?).ok()
    }

    /// Returns the collision that live actors of a name have, if it is not that of now.
    pub(crate) fn collision_before(&self, name: IdString64) -> Option<Collision<'_>> {
        Collision::open_verified(self.replaced.get(&name)?).ok()
    }

    pub(crate) fn has_replaced(&self) -> bool {
        !self.replaced.is_empty()
    }

    pub(crate) fn forget_replaced(&mut self) {
        self.replaced.clear();
    }

    pub(crate) fn ragdoll(&self, name: IdString64) -> Option<Ragdoll<'_>> {
        Ragdoll::open_verified(self.get(RAGDOLL_TYPE, name)?).ok()
    }

    /// Returns the table of effects.
    pub(crate) fn impacts(&self) -> Option<ImpactTable<'_>> {
        ImpactTable::open_verified(self.get(IMPACTS_TYPE, self.impacts?)?).ok()
    }

    /// Returns the bits of the groups that a field is for.
    pub(crate) fn field_mask(&self, name: IdString64) -> Result<u32, SubsystemError> {
        let wrong = |what, remedy| SubsystemError::Wrong { what, remedy };
        let missing = wrong("a field is not loaded", "compile the project again");
        let bytes = self.get(FIELD_TYPE, name).ok_or(missing)?;
        let field = Field::open(bytes).map_err(|_| missing)?;
        if field.groups().is_empty() {
            return Ok(u32::MAX);
        }
        let settings = self
            .settings()
            .ok_or(wrong("a field has groups and there are no settings", "write `game.physics`"))?;
        field.mask(&settings).map_err(|_| {
            wrong("a field has a group that the settings do not have", "compile the project again")
        })
    }

    fn get(&self, type_name: &str, name: IdString64) -> Option<&[u8]> {
        self.copies.get(&(IdString64::new(type_name), name)).map(|copy| &copy[..])
    }
}

//! Packages that the game wants, and what of them the world uses.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError, SortedMap};
use loligo_diagnostics::Log;
use loligo_ids::IdString64;
use loligo_interface::TailRead;
use loligo_resources::{Resource, ResourceKey};

use super::World;
use super::components::{ENTITY_TYPE, LEVEL_TYPE};
use crate::error::{EngineError, SavedGameError};
use crate::memory::SharedAllocator;
use crate::saved::{long, number};

/// The bytes of a package in a saved game.
const SAVED_BYTES: usize = 16;

/// A resource that is wanted: a place among what is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Want(pub(crate) u32);

/// A package that the game wants, or has wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PackageState {
    /// How often it is wanted.
    pub(crate) count: u32,
    /// Its place among what is loaded, once it is asked for there.
    pub(crate) wanted: Option<Want>,
    /// Whether the game knows what became of it, and that it is there.
    pub(crate) is_known: bool,
    pub(crate) is_loaded: bool,
}

/// The packages by the hashes of their names.
pub(crate) struct Packages<'m> {
    states: SortedMap<'m, IdString64, PackageState, SharedAllocator<'m>>,
    /// Whether the engine has something to do.
    is_changed: bool,
    /// Whether the next frame is to wait for all of them.
    is_flushed: bool,
}

impl<'m> Packages<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { states: SortedMap::new_in(memory), is_changed: false, is_flushed: false }
    }

    /// Returns the packages in the order of the hashes of their names.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (IdString64, &PackageState)> {
        self.states.iter().map(|(name, state)| (*name, state))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (IdString64, &mut PackageState)> {
        self.states.iter_mut().map(|(name, state)| (*name, state))
    }

    /// Forgets those that nobody wants and that have no place.
    pub(crate) fn forget_unwanted(&mut self) {
        self.states.retain(|_, state| state.count > 0 || state.wanted.is_some());
    }

    /// Appends what is wanted, and what of it the game knows.
    pub(super) fn try_save(
        &self,
        out: &mut Array<'m, u8, SharedAllocator<'m>>,
    ) -> Result<(), GrowError> {
        for (name, state) in self.iter().filter(|(_, state)| state.count > 0) {
            let known = u32::from(state.is_known) | u32::from(state.is_loaded) << 1;
            out.try_extend_from_slice(&name.hash().to_ne_bytes())?;
            out.try_extend_from_slice(&state.count.to_ne_bytes())?;
            out.try_extend_from_slice(&known.to_ne_bytes())?;
        }
        Ok(())
    }

    /// Returns what was saved.
    pub(super) fn try_load(bytes: &[u8], memory: SharedRef<'m>) -> Result<Self, SavedGameError> {
        let mut packages = Self::new_in(memory);
        let wrong = SavedGameError::File { what: "the section `packages` is of another length" };
        if !bytes.len().is_multiple_of(SAVED_BYTES) {
            return Err(wrong);
        }
        for package in bytes.chunks_exact(SAVED_BYTES) {
            let (count, known) = (number(package, 8), number(package, 12));
            let (is_known, is_loaded) = (known & 1 != 0, known & 2 != 0);
            let state = PackageState { count, wanted: None, is_known, is_loaded };
            packages.states.try_insert(IdString64::from_hash(long(package, 0)), state)?;
        }
        Ok(packages)
    }

    /// Wants what others want, and knows what they know: all, or nothing has changed.
    pub(super) fn try_become(&mut self, others: &Self) -> Result<(), GrowError> {
        self.states.try_reserve(others.states.len())?;
        for (_, state) in self.iter_mut() {
            *state = PackageState { wanted: state.wanted, ..PackageState::default() };
        }
        for (name, other) in others.iter() {
            let wanted = self.states.get(&name).and_then(|state| state.wanted);
            // There is room.
            self.states.insert(name, PackageState { wanted, ..*other });
        }
        self.is_changed = true;
        Ok(())
    }

    pub(crate) const fn take_changed(&mut self) -> bool {
        core::mem::replace(&mut self.is_changed, false)
    }

    pub(crate) const fn set_changed(&mut self) {
        self.is_changed = true;
    }

    pub(crate) const fn take_flushed(&mut self) -> bool {
        core::mem::replace(&mut self.is_flushed, false)
    }

    /// Wants a package a number of times.
    pub(crate) fn set(&mut self, name: IdString64, count: u32) -> Result<(), GrowError> {
        match self.states.get_mut(&name) {
            Some(state) => state.count = count,
            None => {
                let state = PackageState { count, ..PackageState::default() };
                self.states.try_insert(name, state)?;
            }
        }
        self.is_changed = true;
        Ok(())
    }
}

impl<'m> World<'m> {
    /// Wants a package, by the hash of its name: it is loaded while the game goes on, and stays until
    /// it is unloaded as often as it was loaded. One that cannot be loaded is logged.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory.
    pub fn load_package(&mut self, name: IdString64) -> Result<(), EngineError> {
        let count = self.packages.states.get(&name).map_or(0, |state| state.count);
        Ok(self.packages.set(name, count.saturating_add(1))?)
    }

    /// Wants a package no more, or once less. Returns `false` if it was not wanted.
    ///
    /// What it alone has loaded goes with the next frame. Entities that are made of it stay, and
    /// are drawn by placeholders.
    pub fn unload_package(&mut self, name: IdString64) -> bool {
        let Some(state) = self.packages.states.get_mut(&name) else { return false };
        let is_wanted = state.count > 0;
        state.count = state.count.saturating_sub(1);
        self.packages.is_changed |= is_wanted && state.count == 0;
        is_wanted
    }

    /// Returns `true` if a package is loaded, with all that is in it.
    #[must_use]
    pub fn is_package_loaded(&self, name: IdString64) -> bool {
        let state = self.packages.states.get(&name);
        state.is_some_and(|state| state.is_loaded && state.count > 0)
    }

    /// Lets the next frame begin when all that is wanted is loaded.
    pub const fn flush_packages(&mut self) {
        self.packages.is_flushed = true;
    }

    /// Takes a resource that is loaded, if the world or one of its subsystems uses it. What a
    /// subsystem cannot use is logged.
    pub(crate) fn take_resource(
        &mut self,
        resource: &Resource<'_>,
        is_changed: bool,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> Result<(), EngineError> {
        let ResourceKey { type_hash, name } = resource.key();
        if type_hash == IdString64::new(ENTITY_TYPE) {
            self.kinds.put(name, resource.payload())
        } else if type_hash == IdString64::new(LEVEL_TYPE) {
            self.finish_level(name, log);
            self.levels.put(name, resource.payload())
        } else {
            self.joined.take_resource(resource, is_changed, log);
            Ok(())
        }
    }

    /// Gives up a resource that is not loaded any more.
    pub(crate) fn drop_resource(&mut self, key: ResourceKey, log: &Log<'_, SharedAllocator<'m>>) {
        if key.type_hash == IdString64::new(ENTITY_TYPE) {
            self.kinds.remove(key.name);
        } else if key.type_hash == IdString64::new(LEVEL_TYPE) {
            self.finish_level(key.name, log);
            self.levels.remove(key.name);
        } else {
            self.joined.drop_resource(key);
        }
    }

    /// Calls `ask` with the parts of files that subsystems want, until that returns `false`.
    pub(crate) fn tails(&mut self, ask: &mut dyn FnMut(&TailRead) -> bool) {
        self.joined.tails(ask);
    }

    /// Hands a part of a file to the subsystem that wants it; `None` if it cannot be had.
    pub(crate) fn take_tail(
        &mut self,
        read: &TailRead,
        bytes: Option<&[u8]>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        self.joined.take_tail(read, bytes, log);
    }

    pub(crate) const fn packages(&self) -> &Packages<'m> {
        &self.packages
    }

    pub(crate) const fn packages_mut(&mut self) -> &mut Packages<'m> {
        &mut self.packages
    }

    /// Returns what models name that is not loaded, since it was asked last.
    pub(crate) const fn missing_mut(&mut self) -> &mut Array<'m, ResourceKey, SharedAllocator<'m>> {
        &mut self.missing
    }
}

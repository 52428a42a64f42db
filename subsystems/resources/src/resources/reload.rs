//! Data that changes while it is loaded.

use core::mem;

use loligo_allocators::Allocator;
use loligo_containers::GrowError;
use loligo_ids::IdString64;

use super::{Resources, Slot};
use crate::error::{LoadError, OpenError};
use crate::resource::Resource;

/// The outcome for a loaded resource whose data has changed: passed to its owner.
#[derive(Debug)]
pub enum Reloaded<'r> {
    /// The new one is in place. The old one is freed when the owner has seen both.
    Changed {
        /// What it was.
        old: Resource<'r>,
        /// What it is.
        new: Resource<'r>,
    },
    /// The new one could not be loaded; the last good one stays, and is tried again next time.
    Failed {
        /// What it still is.
        kept: Resource<'r>,
        /// Why it does not change.
        error: LoadError,
    },
}

impl<'a, A: Allocator + ?Sized> Resources<'a, A> {
    /// Reads the folder's table again and swaps what has changed in it. `owner` is called for each;
    /// what could not be loaded, or is not there any more, stays as it was. Returns how many were
    /// swapped.
    ///
    /// Between two reloads, data that is recompiled is not seen. Counts stay as they are; a package
    /// that lists other resources loads those that are new to it and unloads those that left it.
    ///
    /// # Complexity
    ///
    /// O(variants in the folder + loaded * log variants + bytes of what has changed).
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the table cannot be read; nothing has changed then.
    pub fn reload(&mut self, owner: &mut dyn FnMut(Reloaded<'_>)) -> Result<usize, OpenError> {
        self.table = self.folder.read_table(self.memory)?;
        Ok(self.swap(owner))
    }

    /// Sets which properties are preferred, the strongest first, and swaps what is loaded in
    /// another variant than is wanted now, as [`reload`](Self::reload) does. Returns how many were
    /// swapped.
    ///
    /// # Complexity
    ///
    /// O(loaded * log variants + bytes of what is swapped).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the order; nothing has changed then.
    ///
    /// # Panics
    ///
    /// If there are more than [`PREFERENCES_MAX`](crate::PREFERENCES_MAX).
    pub fn try_set_preference_order(
        &mut self,
        order: &[IdString64],
        owner: &mut dyn FnMut(Reloaded<'_>),
    ) -> Result<usize, GrowError> {
        self.order = self.copy_order(order)?;
        Ok(self.swap(owner))
    }

    /// Swaps each resource whose file is not the one that the table states.
    fn swap(&mut self, owner: &mut dyn FnMut(Reloaded<'_>)) -> usize {
        let mut swapped = 0;
        for index in 0..self.loaded.len() {
            let key = self.loaded.keys()[index];
            let request = self.request(key);
            let memory = self.memory;
            // A lookup in a map that nothing waits in.
            let Some(slot) = self.loaded.get_mut(&key) else { continue };
            let read = match request {
                Ok(request) if request.file.file == slot.file => continue,
                Ok(request) => request.read(memory),
                Err(error) => Err(error),
            };
            match read {
                Ok(new) => {
                    let count = slot.count;
                    let new = Slot { count, file: new.file, header: new.header, bytes: new.bytes };
                    let old = mem::replace(slot, new);
                    owner(Reloaded::Changed { old: old.view(), new: slot.view() });
                    swapped += 1;
                }
                Err(error) => owner(Reloaded::Failed { kept: slot.view(), error }),
            }
        }
        self.follow_packages(owner);
        swapped
    }
}

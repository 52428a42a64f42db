//! Packages: loaded and unloaded as one.

use core::mem;

use loligo_allocators::Allocator;
use loligo_containers::Array;

use super::{Package, Reloaded, Resources, count_up};
use crate::error::{LoadError, LoadErrorKind};
use crate::key::ResourceKey;
use crate::package::{PACKAGE_TYPE, PackageImage};

impl<'a, A: Allocator + ?Sized> Resources<'a, A> {
    /// Loads a package and all that is in it, or counts one load more of it. Its resources are
    /// counted once, however often the package is loaded.
    ///
    /// # Complexity
    ///
    /// O(bytes of what is not loaded yet).
    ///
    /// # Errors
    ///
    /// [`LoadError`] names the package or the resource in it that could not be loaded; nothing has
    /// changed.
    pub fn load_package(&mut self, name: &str) -> Result<(), LoadError> {
        let key = ResourceKey::new(PACKAGE_TYPE, name);
        if let Some(package) = self.packages.get_mut(&key) {
            return count_up(&mut package.count).map_err(|kind| kind.of(key));
        }
        self.load(key)?;
        let loaded = self.open_package(key).and_then(|package| {
            let items = Array::new_in(self.memory);
            let empty = Package { count: 1, file: package.file, items };
            self.packages
                .try_insert(key, empty)
                .map_err(|error| LoadErrorKind::from(error).of(key))?;
            self.load_items(&package.items, &[])?;
            Ok(package.items)
        });
        match loaded {
            Ok(items) => {
                if let Some(package) = self.packages.get_mut(&key) {
                    package.items = items;
                }
                Ok(())
            }
            Err(error) => {
                self.packages.remove(&key);
                self.unload(key);
                Err(error)
            }
        }
    }

    /// Gives one load of a package back; the last one unloads it and its resources. Returns how
    /// many are left, and nothing if it was not loaded.
    ///
    /// # Complexity
    ///
    /// O(items * loaded) for the last one, else O(log packages).
    pub fn unload_package(&mut self, name: &str) -> Option<u32> {
        let key = ResourceKey::new(PACKAGE_TYPE, name);
        let package = self.packages.get_mut(&key)?;
        package.count -= 1;
        let left = package.count;
        if left == 0
            && let Some(package) = self.packages.remove(&key)
        {
            for item in &package.items {
                self.unload(*item);
            }
            self.unload(key);
        }
        Some(left)
    }

    /// Loads what came into packages whose list has changed, and unloads what left them.
    pub(super) fn follow_packages(&mut self, owner: &mut dyn FnMut(Reloaded<'_>)) {
        for index in 0..self.packages.len() {
            let key = self.packages.keys()[index];
            let file = self.packages.values()[index].file;
            if self.loaded.get(&key).is_none_or(|slot| slot.file == file) {
                continue;
            }
            let fresh = self.open_package(key);
            // The list is taken out of the map meanwhile, so that the resources can be changed
            // while it is borrowed.
            let empty = Array::new_in(self.memory);
            let Some(package) = self.packages.get_mut(&key) else { continue };
            let old = mem::replace(&mut package.items, empty);
            let loaded =
                fresh.and_then(|fresh| self.load_items(&fresh.items, &old).map(|()| fresh));
            let Some(package) = self.packages.get_mut(&key) else { continue };
            match loaded {
                Ok(fresh) => {
                    package.file = fresh.file;
                    for item in old.iter().filter(|item| !is_in(&fresh.items, item)) {
                        self.unload(*item);
                    }
                    if let Some(package) = self.packages.get_mut(&key) {
                        package.items = fresh.items;
                    }
                }
                Err(error) => {
                    package.items = old;
                    if let Some(kept) = self.get(key) {
                        owner(Reloaded::Failed { kept, error });
                    }
                }
            }
        }
    }

    /// Loads items that are not among `known`: all or none.
    fn load_items(
        &mut self,
        items: &[ResourceKey],
        known: &[ResourceKey],
    ) -> Result<(), LoadError> {
        for (index, item) in items.iter().enumerate() {
            if is_in(known, item) {
                continue;
            }
            if let Err(error) = self.load(*item) {
                for item in items[..index].iter().filter(|item| !is_in(known, item)) {
                    self.unload(*item);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Reads the list of a package whose resource is loaded.
    fn open_package(&self, key: ResourceKey) -> Result<Package<'a, A>, LoadError> {
        let Some(slot) = self.loaded.get(&key) else { return Err(LoadErrorKind::Unknown.of(key)) };
        let blob = match slot.view().blob::<PackageImage>() {
            Ok(blob) => blob,
            Err(error) => return Err(LoadErrorKind::NoPackage(error).of(key)),
        };
        let images = blob.array(&blob.root().resources);
        let mut items = Array::new_in(self.memory);
        let collected = items.try_extend(images.iter().map(|image| image.key()));
        items.sort_unstable();
        items.dedup();
        match collected {
            Ok(()) => Ok(Package { count: 1, file: slot.file, items }),
            Err(error) => Err(LoadErrorKind::from(error).of(key)),
        }
    }
}

/// Looks a key up among sorted ones.
fn is_in(items: &[ResourceKey], key: &ResourceKey) -> bool {
    items.binary_search(key).is_ok()
}
